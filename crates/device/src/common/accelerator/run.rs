//! One run of a launch: its groups in slices, so that no other user of the GPU waits long, and an end comes soon after somebody
//! asked for it.

use super::driver::{Driver, Launch};
use super::pipeline::Pipeline;
use quadra_base::stop;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a slice may take, in nanoseconds.
const SLICE: f64 = 80e6;
/// Work of so many nanoseconds is looked at more than once, because the first look may have been a bad one.
const DOUBTFUL: f64 = 1e5;
/// Groups of the first slice, while nobody knows how long a group takes.
const FIRST: u32 = 64;

/// A shader on its buffers.
pub(super) struct Pass<'a, D: Driver> {
    pub pipeline: Arc<Pipeline<D>>,
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

/// Adds up how long launches take by the clock of the GPU, for profiles: each is waited for.
pub(super) struct Timer<D: Driver> {
    pub total: Duration,
    pub clock: D::Clock,
}

impl<D: Driver> Pass<'_, D> {
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
        driver: &D,
        stream: &mut D::Stream,
        buffers: &[&D::Memory],
        (deadline, mut timer): (Option<Instant>, Option<&mut Timer<D>>),
    ) -> Result<(), Stop> {
        let bound: Vec<&D::Memory> = self.bindings.iter().map(|&at| buffers[at]).collect();
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
                driver.finish(stream)?;
            }
            let begin = Instant::now();
            let (header, groups) = ((self.header)(first, slice), (self.folded)(slice));
            let (code, launch) = (&self.pipeline.code, Launch { header, groups, buffers: &bound });
            match &mut timer {
                Some(timer) => timer.total += driver.timed(&mut timer.clock, stream, code, launch)?,
                None => driver.dispatch(stream, code, launch),
            }
            first += slice;
            if whole {
                driver.expect(stream, self.estimate(slice).unwrap_or_default());
                return Ok(());
            }
            match self.pipeline.marks {
                true => clean(driver.take_marks(stream)?)?,
                false => driver.finish(stream)?,
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
