//! Launches that wait for each other on the device instead of on the host: one parallel region, in which the next begins when
//! the last worker of the one before is done.

use crate::launch::Compiled;
use quadra_back_cpu as back_cpu;
use quadra_kir::{Fault, Lent};
use std::time::Duration;

/// A launch that cannot stop half-way, made by [`Module::stage`](crate::Module::stage).
pub struct Stage {
    pub(crate) stage: back_cpu::Stage,
    /// What was compiled for it.
    pub compiled: Option<Compiled>,
}

impl Stage {
    /// Gives buffers other numbers: those that they have in the series.
    pub fn renumber(&mut self, number: impl Fn(usize) -> usize) {
        self.stage.renumber(number);
    }
}

/// Runs launches in their order on lent buffers, which have the addresses and lengths that they had when the launches were made.
/// For each launch, how long after the beginning of the series it was done.
///
/// # Errors
/// Buffers that do not fit; nothing has been run then.
pub fn run(stages: &[Stage], buffers: &mut [Lent<'_>]) -> Result<Vec<Duration>, Fault> {
    let stages: Vec<back_cpu::Stage> = stages.iter().map(|s| s.stage.clone()).collect();
    back_cpu::in_series(&stages, buffers)
}
