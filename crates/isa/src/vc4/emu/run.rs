//! What a run starts with, and what it did.

use super::core::Counts;
use super::engine::Engine;
use super::fault::Warning;
use super::sfu::SfuModel;
use crate::vc4::hazard::Strictness;
use std::time::Instant;

/// How a machine behaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Config {
    pub engine: Engine,
    /// How broken rules are judged that a board survives.
    pub strictness: Strictness,
    pub sfu: SfuModel,
    /// What registers and flags hold at the start: zeros, or bits that follow from a seed.
    pub leftovers: Option<u64>,
    /// Instructions that all QPUs together may execute.
    pub budget: u64,
    /// When they are stopped, whatever is left of the budget.
    pub deadline: Option<Instant>,
    /// Whether executions of each instruction are counted.
    pub profile: bool,
    /// Whether a semaphore other than 0 or a mutex held when all programs are over is a fault; else it is a warning.
    pub balanced: bool,
}

impl Config {
    /// For programs that others wrote: what a board survives is a warning.
    pub fn of_others() -> Config {
        Config { strictness: Strictness::Normal, ..Config::default() }
    }
}

/// For programs of our own: every broken rule is a fault.
impl Default for Config {
    fn default() -> Config {
        Config {
            engine: Engine::Auto,
            strictness: Strictness::Strict,
            sfu: SfuModel::default(),
            leftovers: None,
            budget: 10_000_000_000,
            deadline: None,
            profile: false,
            balanced: false,
        }
    }
}

/// What one QPU starts with: byte addresses of its first instruction and of its uniforms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thread {
    pub pc: u32,
    pub uniforms: u32,
}

/// What a run did.
#[derive(Clone, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct Report {
    /// Per QPU.
    pub qpus: Vec<Counts>,
    /// Executions of each instruction, summed over the QPUs, per region of code with its base address; empty unless
    /// [`Config::profile`] is set.
    pub profile: Vec<(u32, Vec<u64>)>,
    pub semaphores: [u8; 16],
    /// Whether a QPU ended without releasing the mutex.
    pub mutex_held: bool,
    pub warnings: Vec<Warning>,
}

impl Report {
    /// Issue slots of all QPUs.
    pub fn issued(&self) -> u64 {
        self.qpus.iter().map(|q| q.issued).sum()
    }
}
