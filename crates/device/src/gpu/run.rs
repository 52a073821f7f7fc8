//! One run of a launch: its groups in slices, so that no other user of the GPU waits long, and an end comes soon after somebody
//! asked for it.

use super::context::Context;
use super::shader::Pipeline;
use super::stream::Stream;
use super::timer::Timer;
use quadra_base::stop;
use std::sync::Arc;
use std::time::{Duration, Instant};
use wgpu::Buffer;

/// How long a slice may take, in nanoseconds.
const SLICE: f64 = 80e6;
/// Work of so many nanoseconds is looked at more than once, because the first look may have been a bad one.
const DOUBTFUL: f64 = 1e5;
/// Groups of the first slice, while nobody knows how long a group takes.
const FIRST: u32 = 64;

/// A shader on its buffers.
pub(super) struct Pass<'a> {
    pub pipeline: Arc<Pipeline>,
    /// The header of the slice that begins with a group and has so many.
    pub header: Box<dyn Fn(u32, u32) -> Vec<u32> + 'a>,
    /// Along two axes of a dispatch, so many groups.
    pub folded: Box<dyn Fn(u32) -> [u32; 2] + 'a>,
    pub groups: u32,
    /// Items that each invocation takes.
    pub each: u32,
    /// The numbers of its buffers, in the order of its bindings.
    pub bindings: Vec<usize>,
}

/// Why a run has not come to its end.
pub(super) enum Stop {
    /// What went wrong, in words.
    Failed(String),
    /// The marks, and the first item that took too long.
    Marked(u32, u32),
    Asked(stop::Reason),
    Late,
}

impl From<String> for Stop {
    fn from(why: String) -> Stop {
        Stop::Failed(why)
    }
}

impl Pass<'_> {
    /// Whether all of it is known to be one short slice, which nobody stops.
    pub fn is_quick(&self) -> bool {
        self.estimate(self.groups).is_some_and(|time| time <= SLICE) && !self.is_doubtful()
    }

    /// Whether it may be much shorter than its estimate, so that it is worth while to wait for it and look.
    fn is_doubtful(&self) -> bool {
        !self.pipeline.is_settled() && self.estimate(self.groups).is_some_and(|time| time > DOUBTFUL)
    }

    /// Nanoseconds that so many groups take; nothing if that is not known.
    fn estimate(&self, groups: u32) -> Option<f64> {
        self.pipeline.estimate(u64::from(groups) * u64::from(self.each))
    }

    /// Runs it. What has begun when this returns may go on, but is known to end soon.
    pub fn run(
        &self,
        context: &Context,
        stream: &mut Stream,
        buffers: &[&Buffer],
        (deadline, mut timer): (Option<Instant>, Option<&mut Timer>),
    ) -> Result<(), Stop> {
        let bound: Vec<&Buffer> = self.bindings.iter().map(|&at| buffers[at]).collect();
        let mut first = 0;
        while first < self.groups {
            let left = self.groups - first;
            let whole = first == 0 && self.is_quick();
            let slice = match self.estimate(1) {
                _ if whole => left,
                Some(one) => (SLICE / one) as u32,
                None => FIRST.div_ceil(self.each),
            };
            let slice = slice.clamp(1, left);
            if !whole {
                stream.finish(context)?;
            }
            let begin = Instant::now();
            let launch = ((self.header)(first, slice), (self.folded)(slice));
            match &mut timer {
                Some(timer) => timer.dispatch(context, stream, &self.pipeline, launch, &bound)?,
                None => stream.dispatch(context, &self.pipeline, launch, &bound),
            }
            first += slice;
            if whole {
                stream.expect(context, self.estimate(slice).unwrap_or_default());
                return Ok(());
            }
            match self.pipeline.marks {
                true => clean(stream.take_marks(context)?)?,
                false => stream.finish(context)?,
            }
            self.pipeline.took(u64::from(slice) * u64::from(self.each), begin.elapsed());
            if let Some(reason) = stop::requested() {
                return Err(Stop::Asked(reason));
            }
            if deadline.is_some_and(|end| Instant::now() > end) {
                return Err(Stop::Late);
            }
        }
        Ok(())
    }
}

/// Whether nothing was left in the marks.
pub(super) fn clean((marks, item): (u32, u32)) -> Result<(), Stop> {
    if marks == 0 { Ok(()) } else { Err(Stop::Marked(marks, item)) }
}

/// When a launch of so long is late.
pub(super) fn deadline(limit: Option<Duration>) -> Option<Instant> {
    limit.and_then(|limit| Instant::now().checked_add(limit))
}
