//! Where a launch runs if the user leaves it open: on the processor's own code if that pays, else on the host's machine.
//!
//! What a launch would cost the host is estimated from its iterations and the length of its code. Small launches stay there.
//! A kernel is compiled once what it has cost, or would cost now, is about what compiling costs, so that the choice takes at
//! most about twice as long as the best one. What earlier runs spent counts, and code that they left on disk costs less.

use crate::code::Op;
use quadra_device::cpu::CAPS;
use quadra_kir::caps::{Cost, Status};
use quadra_kir::{Caps, LANES};
use std::collections::{HashMap, HashSet};

/// What a step of the host takes.
const STEP: Cost = Cost::new(5.0, Status::Measured, "scalar loops of the array language on a server processor");

/// What a kernel costs before its first launch if its code lies on disk.
const KEPT: Cost =
    Cost::new(900_000.0, Status::Measured, "lowering a loop, reading its code and starting the threads, twice");

/// Steps of the host that take as long as something does on the processor's own code.
fn steps(cost: Cost) -> u64 {
    (cost.nanoseconds / STEP.nanoseconds) as u64
}

/// Steps that a row of items takes at least: as many workers as there are rows work at once.
const ROW: f64 = 8.0;

/// Turns that an inner loop is taken to have if nothing is known of it.
pub const TURNS: u64 = 8;

/// Elements of a slice that the host takes in the time of a step.
pub const PER_STEP: usize = 16;

/// Whether a person notices so many steps of the host: they take more than a millisecond.
pub fn is_noticed(work: u64) -> bool {
    work as f64 * STEP.nanoseconds > 1e6
}

/// What is known of the kernels and loops of a run, by their addresses.
#[derive(Debug, Default)]
pub struct Auto {
    spent: HashMap<usize, Spent>,
    /// Whose device the user has been told.
    pub told: HashSet<usize>,
    /// Whether the devices of this machine have been looked for.
    pub looked: bool,
    /// Which device each kernel runs on, by its name, where there are several.
    pub chosen: HashMap<usize, &'static str>,
}

/// What a kernel has cost the host.
#[derive(Debug, Default)]
struct Spent {
    steps: u64,
    /// How many of them earlier runs have been told of.
    told: u64,
    /// Whether with earlier runs it pays.
    pays: bool,
}

/// Nanoseconds that a launch of `work` steps of the host takes on a device, on so many workers at most, if so many bytes have to be
/// brought there.
pub fn estimate(caps: &Caps, workers: u32, work: u64, bytes: u64) -> f64 {
    let rows = work as f64 / f64::from(LANES);
    let at_once = f64::from(workers).min(rows / ROW).max(1.0);
    let moved = if caps.in_place { 0.0 } else { bytes as f64 * caps.costs.transfer.nanoseconds };
    caps.costs.launch.nanoseconds + rows * caps.costs.operation.nanoseconds / at_once + moved
}

impl Auto {
    /// Whether a launch of `work` steps is worth a compiled kernel. `earlier` adds so many steps to what earlier runs did and says
    /// whether that is: it is asked when reading code from disk would pay, and again whenever the steps have doubled.
    pub fn pays(&mut self, id: usize, work: u64, earlier: impl FnOnce(u64) -> bool) -> bool {
        let costs = &CAPS.costs;
        if work < steps(costs.launch) {
            return false;
        }
        let spent = self.spent.entry(id).or_default();
        spent.steps = spent.steps.saturating_add(work);
        if !spent.pays && spent.steps >= steps(KEPT).max(spent.told.saturating_mul(2)) {
            spent.pays = earlier(spent.steps - spent.told);
            spent.told = spent.steps;
        }
        spent.pays || compiling_pays(spent.steps)
    }
}

/// Whether a kernel is worth compiling that has cost the host so many steps.
pub fn compiling_pays(spent: u64) -> bool {
    spent >= steps(CAPS.costs.compile)
}

/// Steps that a call of a function takes, of a number: with its arguments, a frame or a table of functions.
const CALL: usize = 30;

/// How many simple instructions take as long as these.
pub fn instructions(ops: &[Op], first: usize) -> usize {
    let calls = |op: &Op| matches!(op, Op::Call { .. } | Op::Builtin { .. } | Op::CallSpec { .. } | Op::Method { .. });
    let (mut sum, mut at) = (0, 0);
    while let Some(op) = ops.get(at) {
        at = match op {
            Op::UnlessRefused { to, .. } => (*to as usize).saturating_sub(first).max(at + 1),
            _ => at + 1,
        };
        sum += if calls(op) { CALL } else { 1 };
    }
    sum
}

/// Steps of `items` runs of code with so many instructions, whose loops turn so often in all.
pub fn work(items: i64, instructions: usize, turns: u64) -> u64 {
    (items.max(0) as u64).saturating_mul(instructions as u64).saturating_mul(turns)
}
