//! Launches one after the other, of kernels that may differ, without a pause in between: threads stay at work, as they do
//! between the runs of a launch that is repeated.

use crate::deal::{self, Dealing};
use crate::native::Lending;
use crate::plan::Variant;
use crate::{Program, Repeat};
use quadra_kir::{Arg, Fault, Launch, Lent};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A launch whose code is there and cannot stop half-way.
#[derive(Clone, Debug)]
pub struct Stage {
    program: Arc<Program>,
    variant: Arc<Variant>,
    launch: Launch,
}

impl Stage {
    /// A launch with buffers like these; nothing if its code may stop, speaks, or has workers that know of each other.
    ///
    /// # Errors
    /// Arguments that do not fit.
    pub fn new(program: &Arc<Program>, buffers: &[Lent<'_>], launch: Launch) -> Result<Option<Stage>, Fault> {
        if program.meets || program.named || launch.alias {
            return Ok(None);
        }
        let variant = program.variant_of(buffers, &launch, (None, true))?;
        let sure = !variant.may_fault();
        Ok(sure.then(|| Stage { program: program.clone(), variant, launch }))
    }

    /// The code.
    pub fn variant(&self) -> &Variant {
        &self.variant
    }

    /// Gives buffers other numbers: those that they have in a series.
    pub fn renumber(&mut self, number: impl Fn(usize) -> usize) {
        for arg in &mut self.launch.args {
            if let Arg::Buffer(at) = arg {
                *at = number(*at);
            }
        }
    }
}

/// Runs launches in their order on buffers that are as those were with which they were made. For each of them, when it was done.
///
/// # Errors
/// Arguments that do not fit; nothing has been run then.
pub fn in_series(stages: &[Stage], buffers: &mut [Lent<'_>]) -> Result<Vec<Duration>, Fault> {
    let start = Instant::now();
    let args = stages.iter().map(|s| s.program.arguments(buffers, &s.launch).map_err(|text| s.program.refuse(text)));
    let args = args.collect::<Result<Vec<_>, Fault>>()?;
    let lending = Lending::new(buffers);
    let runs: Vec<_> =
        stages.iter().zip(&args).map(|(s, args)| s.program.launched(&lending, args, &s.launch, None)).collect();
    if let ([stage], [run]) = (stages, &runs[..])
        && deal::at_once(&stage.variant, run)?
    {
        return Ok(vec![start.elapsed()]);
    }
    let work: u64 = stages.iter().zip(&runs).map(|(s, run)| run.work(s.variant.cost)).fold(0, u64::saturating_add);
    let mut dealing = Dealing::default();
    for (stage, run) in stages.iter().zip(&runs) {
        let touches = stage.program.touches(&stage.variant, (stages.len(), work));
        dealing.add(&stage.variant, run, Repeat { times: 1, swap: None }, (false, touches));
    }
    let done = deal::all(dealing)?;
    Ok(done.into_iter().map(|at| at.saturating_duration_since(start)).collect())
}
