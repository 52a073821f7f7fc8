//! How long launches take by the clock of the GPU, for profiles: each is a pass of its own, and is waited for.

use super::context::Context;
use super::shader::Code;
use super::stream::Stream;
use crate::common::accelerator::Launch;
use std::time::{Duration, Instant};
use wgpu::{Buffer, BufferUsages, ComputePassTimestampWrites, Features, QuerySet, QuerySetDescriptor, QueryType};

/// Bytes of two times.
const BYTES: u64 = 16;

/// Two times of the GPU and where they are read.
pub(crate) struct Clock {
    times: QuerySet,
    resolved: Buffer,
    staging: Buffer,
}

impl Clock {
    fn new(context: &Context) -> Clock {
        let times = QuerySetDescriptor { label: None, ty: QueryType::Timestamp, count: 2 };
        Clock {
            times: context.device.create_query_set(&times),
            resolved: context.empty(BYTES, BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC),
            staging: context.empty(BYTES, BufferUsages::MAP_READ | BufferUsages::COPY_DST),
        }
    }
}

/// Records a launch and waits for it; how long it took.
///
/// # Errors
/// What went wrong, in words.
pub(super) fn dispatch(
    clock: &mut Option<Clock>,
    context: &Context,
    stream: &mut Stream,
    code: &Code,
    launch: Launch<'_, Context>,
) -> Result<Duration, String> {
    stream.finish(context)?;
    // A GPU without a clock is timed from here.
    if !context.device.features().contains(Features::TIMESTAMP_QUERY) {
        let begin = Instant::now();
        stream.dispatch(context, code, launch);
        stream.finish(context)?;
        return Ok(begin.elapsed());
    }
    let clock = clock.get_or_insert_with(|| Clock::new(context));
    let ends = ComputePassTimestampWrites {
        query_set: &clock.times,
        beginning_of_pass_write_index: Some(0),
        end_of_pass_write_index: Some(1),
    };
    stream.begin(context, Some(ends));
    stream.dispatch(context, code, launch);
    let encoder = stream.encoder(context);
    encoder.resolve_query_set(&clock.times, 0..2, &clock.resolved, 0);
    encoder.copy_buffer_to_buffer(&clock.resolved, 0, &clock.staging, 0, BYTES);
    let mut ticks = 0;
    stream.read(context, &clock.staging, |view| {
        let at = |n: usize| view[n..].first_chunk().map_or(0, |b| u64::from_le_bytes(*b));
        ticks = at(8).saturating_sub(at(0));
    })?;
    let nanoseconds = ticks as f64 * f64::from(context.queue.get_timestamp_period());
    Ok(Duration::from_nanos(nanoseconds as u64))
}
