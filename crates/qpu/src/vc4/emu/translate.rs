//! Where a translator of hot blocks meets the emulator: what it may see of a program, what its blocks may do to a QPU.
//!
//! The engines count how often execution jumps to each instruction. At an instruction that proves hot the machine asks its
//! [`Translator`] for a [`Block`], and runs it whenever execution jumps there. A block executes whole instructions, no more
//! than it is allowed, and only such that touch nothing but the QPU's own registers, its uniforms and its TMU queues: what
//! other QPUs see is left to the engines, and so results cannot depend on whether there is a translator.

use super::code::{Code, Kind, post, pre, slot};
use super::core::{Core, NEVER, Shared, TMU_DEPTH};
use super::flags::Flags;
use super::memory::Place;
use super::sfu::Function;
use super::{LANES, Lanes};
use crate::vc4::Inst;
use std::fmt::Debug;
use std::sync::Arc;

pub use super::code::slot as registers;

/// Makes blocks of native code.
pub trait Translator: Debug + Send + Sync {
    /// How often execution must have jumped to an instruction before it is worth translating.
    fn threshold(&self) -> u32;

    /// A block that begins at instruction `head`; `None` if there is nothing to gain.
    fn translate(&self, code: &Listing, head: usize) -> Option<Arc<dyn Block>>;
}

/// Native code for some instructions of a program.
pub trait Block: Debug + Send + Sync {
    /// Executes up to `limit` instructions, beginning with the block's first, and commits what they did.
    fn run(&self, qpu: &mut Qpu, limit: u64) -> Outcome;
}

/// What became of an attempt to run a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Instructions were executed and committed.
    Done,
    /// Nothing was executed; the engine has to go on.
    Refused,
    /// The block met numbers that it cannot deal with after so many instructions, and undid them: the engine has to
    /// execute them before it asks again.
    Undone(u64),
}

/// The instructions of a region of code, as far as they are decoded.
pub struct Listing<'a> {
    code: &'a Code,
}

impl<'a> Listing<'a> {
    pub(super) fn new(code: &'a Code) -> Listing<'a> {
        Listing { code }
    }

    /// Number of instructions.
    pub fn len(&self) -> usize {
        self.code.ops.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.code.ops.is_empty()
    }

    /// Instruction `index`, if it is known and executing it breaks no rule by itself, nor together with the one before it.
    /// Branches that may break a rule together with their target are left out, too.
    pub fn inst(&self, index: usize) -> Option<&'a Inst> {
        let op = self.code.ops.get(index)?;
        let plain = matches!(op.kind, Kind::Alu | Kind::LoadImmediate | Kind::Semaphore | Kind::Branch);
        let alone = op.pre & (pre::PAIR | pre::LINT) == 0 && op.post & (post::CHECK_TARGET | post::SAME) == 0;
        (plain && alone).then(|| &self.code.insts[index])
    }
}

/// The stream of uniforms: the next one's address, and the memory it lies in.
#[derive(Clone, Copy, Debug)]
pub struct Uniforms<'a> {
    pub address: u32,
    /// Byte address of `bytes`.
    pub base: u32,
    pub bytes: &'a [u8],
}

/// When things last happened that the instructions behind them must keep away from, in instructions executed before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Recent {
    /// A write of the uniforms' address.
    pub uniform_set: u64,
    /// The start of a special function.
    pub sfu: u64,
    pub branch: u64,
    pub jump: u64,
}

/// What a block did, to be made good in the QPU beside its registers.
#[derive(Clone, Debug)]
pub struct Progress {
    /// Instruction at which execution goes on.
    pub index: usize,
    pub flags: Flags,
    /// Executed instructions, uniforms read, TMU lookups, special functions: all counted from 0.
    pub issued: u64,
    pub uniforms: u64,
    pub tmu_requests: u64,
    pub sfu: u64,
    /// Address of the next uniform, if it has changed.
    pub uniform_address: Option<u32>,
    pub recent: Recent,
    /// Lanes that the last instruction wrote: add, mul.
    pub recorded: [u16; 2],
}

/// One QPU in the hands of a block.
pub struct Qpu<'a> {
    pub(super) core: &'a mut Core,
    pub(super) shared: &'a mut Shared,
}

impl Qpu<'_> {
    /// Whether a block may run at all: not in delay slots, nobody watches single instructions, and no texture lookup is
    /// half prepared.
    pub fn is_ready(&self) -> bool {
        let core = &self.core;
        core.delay == 0
            && core.chained.is_none()
            && core.profile.is_none()
            && core.events.is_none()
            && core.stale.is_none()
            && core.tmu.iter().all(|queue| queue.len() <= TMU_DEPTH)
            && core.texture.iter().all(|t| t.params.is_empty())
            && !core.within(core.noswap_at, 3)
    }

    /// The registers, numbered as in [`registers`].
    pub fn registers(&mut self) -> &mut [Lanes; slot::COUNT] {
        &mut self.core.slots
    }

    pub fn flags(&self) -> Flags {
        self.core.flags
    }

    /// Instructions executed so far.
    pub fn issued(&self) -> u64 {
        self.core.counts.issued
    }

    pub fn recent(&self) -> Recent {
        let core = &self.core;
        Recent { uniform_set: core.uniform_set_at, sfu: core.sfu_at, branch: core.branch_at, jump: core.jumped_at }
    }

    /// The uniforms, if they lie in memory that nothing was stored to in this launch.
    pub fn uniforms(&self) -> Option<Uniforms<'_>> {
        let (base, bytes) = self.shared.memory.unstored(self.core.uniform_region, self.core.uniform_address & !3)?;
        Some(Uniforms { address: self.core.uniform_address, base, bytes })
    }

    /// The results that wait in a TMU's queue, oldest first.
    pub fn received(&self, unit: usize) -> impl ExactSizeIterator<Item = &Lanes> {
        self.core.tmu[unit].iter()
    }

    /// Replaces the results that wait in a TMU's queue.
    ///
    /// # Panics
    /// If there are more than the queue holds.
    pub fn set_received(&mut self, unit: usize, results: &[Lanes]) {
        assert!(results.len() <= TMU_DEPTH, "blocks keep to the depth of the queue");
        self.core.tmu[unit].clear();
        self.core.tmu[unit].extend(results.iter().copied());
    }

    /// Reads one word per lane, as the TMU does; `false` if that needs a message, which is the engine's business.
    pub fn gather(&mut self, addresses: &Lanes, out: &mut Lanes) -> bool {
        self.shared.memory.gather(addresses, out) == Ok(None) && self.shared.memory.stale_lanes == 0
    }

    /// Address and contents of the memory that a TMU reads a word of, if nothing was stored to it in this launch.
    pub fn memory_at(&mut self, address: u32) -> Option<(u32, &[u8])> {
        let Place::Inside(region, _) = self.shared.memory.find(address & !3) else { return None };
        // Where lookups are followed line by line, each has to be seen.
        if self.shared.memory.lenient && self.shared.memory.regions()[region].writable {
            return None;
        }
        self.shared.memory.unstored(region, address & !3)
    }

    /// What the special function unit makes of 16 lanes.
    pub fn special(&self, function: Function, input: &Lanes) -> Lanes {
        Lanes(std::array::from_fn::<u32, LANES, _>(|lane| self.shared.sfu.eval(function, input.0[lane])))
    }

    /// Makes good what a block did.
    pub fn commit(&mut self, progress: &Progress) {
        let core = &mut *self.core;
        core.index = progress.index;
        core.flags = progress.flags;
        core.refresh_masks();
        core.counts.issued += progress.issued;
        core.counts.uniforms += progress.uniforms;
        core.counts.tmu_requests += progress.tmu_requests;
        core.counts.sfu += progress.sfu;
        core.uniform_address = progress.uniform_address.unwrap_or(core.uniform_address);
        core.uniform_set_at = progress.recent.uniform_set;
        core.sfu_at = progress.recent.sfu;
        core.branch_at = progress.recent.branch;
        core.jumped_at = progress.recent.jump;
        core.recorded = progress.recorded;
    }
}

/// What the machine knows of an instruction that execution has jumped to.
#[derive(Clone, Debug)]
pub(super) enum Head {
    /// Jumped to so many times.
    Counted(u32),
    Translated(Arc<dyn Block>),
}

/// How often the block of a head may come back undone before it is given up.
pub(super) const PATIENCE: u32 = 16;

/// A count that `Core::within` never finds recent.
pub const LONG_AGO: u64 = NEVER;
