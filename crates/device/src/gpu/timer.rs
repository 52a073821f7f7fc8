//! How long launches take by the clock of the GPU, for profiles: each is a pass of its own, and is waited for.

use super::context::Context;
use super::memory;
use super::shader::Pipeline;
use super::stream::Stream;
use std::time::{Duration, Instant};
use wgpu::{Buffer, BufferUsages, ComputePassTimestampWrites, Features, QuerySet, QuerySetDescriptor, QueryType};

/// Bytes of two times.
const BYTES: u64 = 16;

/// Adds up times.
#[derive(Default)]
pub(super) struct Timer {
    pub total: Duration,
    clock: Option<Clock>,
}

struct Clock {
    times: QuerySet,
    resolved: Buffer,
    staging: Buffer,
}

impl Clock {
    fn new(context: &Context) -> Clock {
        let times = QuerySetDescriptor { label: None, ty: QueryType::Timestamp, count: 2 };
        Clock {
            times: context.device.create_query_set(&times),
            resolved: memory::empty(context, BYTES, BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC),
            staging: memory::empty(context, BYTES, BufferUsages::MAP_READ | BufferUsages::COPY_DST),
        }
    }
}

impl Timer {
    /// As [`Stream::dispatch`], and waits for it.
    ///
    /// # Errors
    /// What went wrong, in words.
    pub fn dispatch(
        &mut self,
        context: &Context,
        stream: &mut Stream,
        pipeline: &Pipeline,
        launch: (Vec<u32>, [u32; 2]),
        buffers: &[&Buffer],
    ) -> Result<(), String> {
        stream.finish(context)?;
        // A GPU without a clock is timed from here.
        if !context.device.features().contains(Features::TIMESTAMP_QUERY) {
            let begin = Instant::now();
            stream.dispatch(context, pipeline, launch, buffers);
            stream.finish(context)?;
            self.total += begin.elapsed();
            return Ok(());
        }
        let clock = self.clock.get_or_insert_with(|| Clock::new(context));
        let ends = ComputePassTimestampWrites {
            query_set: &clock.times,
            beginning_of_pass_write_index: Some(0),
            end_of_pass_write_index: Some(1),
        };
        stream.begin(context, Some(ends));
        stream.dispatch(context, pipeline, launch, buffers);
        let encoder = stream.encoder(context);
        encoder.resolve_query_set(&clock.times, 0..2, &clock.resolved, 0);
        encoder.copy_buffer_to_buffer(&clock.resolved, 0, &clock.staging, 0, BYTES);
        let mut ticks = 0;
        stream.read(context, &clock.staging, |view| {
            let at = |n: usize| view[n..].first_chunk().map_or(0, |b| u64::from_le_bytes(*b));
            ticks = at(8).saturating_sub(at(0));
        })?;
        let nanoseconds = ticks as f64 * f64::from(context.queue.get_timestamp_period());
        self.total += Duration::from_nanos(nanoseconds as u64);
        Ok(())
    }
}
