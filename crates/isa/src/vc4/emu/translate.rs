//! Where a translator of hot blocks meets the emulator: what it may see of a program, what its blocks may do to a QPU.
//!
//! The engines count how often execution jumps to each instruction. At an instruction that proves hot the machine asks its
//! [`Translator`] for a [`Block`], and runs it whenever execution comes there. A block executes whole instructions, no more
//! than the QPU's turn has left. QPUs take turns, so that nobody sees what happens between two instructions of a turn; and
//! so results cannot depend on whether there is a translator, if a block either does what the engine would do, in the
//! engine's order, or leaves it to the engine: see [`Qpu::step`].

use super::code::{Code, Kind, may_clash, post, pre, slot};
use super::core::{Core, Shared};
use super::engine::{Engine, Exit};
use super::flags::Flags;
use super::memory::Reader;
use super::sfu::Function;
use super::{LANES, Lanes};
use crate::vc4::Inst;
use std::fmt::Debug;
use std::sync::Arc;

pub use super::code::slot as registers;
pub use super::core::TMU_DEPTH;
pub use super::lines::{L2_LINES, RECENT as L2_RECENT};
pub use contents::Contents;

/// Makes blocks of native code.
pub trait Translator: Debug + Send + Sync {
    /// How often execution must have jumped to an instruction before it is worth translating.
    fn threshold(&self) -> u32;

    /// How many instructions a machine that begins executes at least before there is a translation: until then it need not
    /// count its jumps.
    fn earliest(&self) -> u64 {
        0
    }

    /// Whether it is time to translate a part of such a program, of which a machine has executed so many instructions.
    fn is_due(&self, _code: &Listing, _executed: u64) -> bool {
        true
    }

    /// A machine has come to its end after so many instructions.
    fn ended(&self, _executed: u64) {}

    /// Whether a block that begins at instruction `head` may be at hand, before it is time to translate; `first` where the
    /// machine asks for the first time.
    fn may_have(&self, _code: &Listing, _head: usize, _first: bool, _executed: u64) -> bool {
        false
    }

    /// Instructions that must be decoded before [`Translator::find`] and [`Translator::translate`] can do their best.
    fn missing(&self, _code: &Listing, _head: usize) -> Vec<usize> {
        Vec::new()
    }

    /// A block that begins at instruction `head`, if it is at hand.
    fn find(&self, _code: &Listing, _head: usize) -> Option<Translation> {
        None
    }

    /// A block that begins at instruction `head`; `None` if there is nothing to gain.
    fn translate(&self, code: &Listing, head: usize) -> Option<Translation>;
}

/// A block, and the instructions at which it may be entered.
#[derive(Clone, Debug)]
pub struct Translation {
    pub block: Arc<dyn Block>,
    pub heads: Vec<usize>,
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
    /// Instructions were executed and committed; execution goes on at a byte address, by a jump.
    Jump(u32),
    /// Instructions were executed and committed; the next one has to wait, or breaks a rule.
    Stopped,
    /// Nothing was executed, nor will be: the block does not pay here.
    Dropped,
}

/// What the engine made of one instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stepped {
    Done,
    /// It may have stored to memory.
    Stored,
    /// It has to wait, or breaks a rule.
    Stopped,
    /// It is done, but the QPU must be left to the engine from here on.
    Leave,
}

impl Stepped {
    /// For native code: 0 to go on, 1 to stop before the instruction, 2 to leave behind it.
    pub const fn code(self) -> u32 {
        match self {
            Stepped::Done | Stepped::Stored => 0,
            Stepped::Stopped => 1,
            Stepped::Leave => 2,
        }
    }
}

/// Where the branch leads in whose delay slots a block has come to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Branching {
    /// To an instruction.
    To(usize),
    /// To a byte address.
    ToAddress(u32),
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
        self.code.count
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.code.count == 0
    }

    /// Instruction `index`, if it is known and executing it breaks no rule by itself, nor together with the one before it.
    /// Branches that may break a rule together with their target are left out, too.
    pub fn inst(&self, index: usize) -> Option<&'a Inst> {
        let op = self.code.ops.get(index)?;
        let plain = matches!(op.kind, Kind::Alu | Kind::LoadImmediate | Kind::Semaphore | Kind::Branch);
        let alone = op.pre & (pre::PAIR | pre::LINT) == 0 && op.post & (post::CHECK_TARGET | post::SAME) == 0;
        (plain && alone).then(|| &self.code.insts[index])
    }

    /// Instruction `index` with what the engines know of it, if they can execute it.
    pub fn known(&self, index: usize) -> Option<Known<'a>> {
        let op = self.code.ops.get(index)?;
        let known = matches!(op.kind, Kind::Alu | Kind::LoadImmediate | Kind::Semaphore | Kind::Branch);
        known.then(|| Known {
            inst: &self.code.insts[index],
            plain: op.post & (post::PACK | post::SAME) == 0 && op.pre & pre::LINT == 0,
            pair: op.pre & pre::PAIR != 0,
            records: op.post & post::RECORD != 0,
            checks_target: op.post & post::CHECK_TARGET != 0,
        })
    }

    /// Byte address of the first instruction.
    pub fn base(&self) -> u32 {
        self.code.base
    }

    /// Whether an instruction may break a rule together with another that is executed right behind it.
    pub fn may_clash(&self, first: usize, second: usize) -> bool {
        let inst = |index: usize| self.code.insts.get(index);
        inst(first).zip(inst(second)).is_none_or(|(first, second)| may_clash(first, second))
    }
}

/// An instruction as the engines know it.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    pub inst: &'a Inst,
    /// Whether its results go as they are to where they belong.
    pub plain: bool,
    /// Whether it may break a rule together with the instruction before.
    pub pair: bool,
    /// Whether the lanes that it writes must be recorded.
    pub records: bool,
    /// Branch: whether its last delay slot and its target may break a rule.
    pub checks_target: bool,
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
    core: &'a mut Core,
    shared: &'a mut Shared,
    code: &'a Code,
    engine: Engine,
    /// Why the engine stopped.
    stop: Option<Exit>,
}

impl<'a> Qpu<'a> {
    pub(super) fn new(core: &'a mut Core, shared: &'a mut Shared, code: &'a Code, engine: Engine) -> Qpu<'a> {
        Qpu { core, shared, code, engine, stop: None }
    }

    /// Why the engine stopped.
    pub(super) fn stopped(self) -> Option<Exit> {
        self.stop
    }
}

mod contents;
mod drive;
mod lend;
pub use lend::{core, shared};

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

    /// The uniforms from an address on, if they lie in memory that nothing was stored to in this launch.
    pub fn uniforms(&mut self, address: u32) -> Option<Uniforms<'_>> {
        let (base, bytes) = self.shared.memory.unstored(Reader::Uniforms, address & !3)?;
        Some(Uniforms { address, base, bytes })
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
        for result in results {
            self.core.tmu[unit].push_back(*result);
        }
    }

    /// Reads one word per lane, as the TMU does; `false` if that needs a message, which is the engine's business.
    pub fn gather(&mut self, addresses: &Lanes, out: &mut Lanes) -> bool {
        self.shared.memory.gather(addresses, out) == Ok(None) && self.shared.memory.stale_lanes == 0
    }

    /// Address and contents of the memory that a TMU reads a word of, if nothing was stored to it in this launch.
    pub fn memory_at(&mut self, address: u32) -> Option<(u32, &[u8])> {
        self.shared.memory.unstored(Reader::Tmu, address & !3)
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

/// What is known of an instruction that execution jumps to: how often that happened, or one of these.
pub mod head {
    /// There is no native code for it, and will be none.
    pub const NONE: u32 = 0x7fff_ffff;
    /// The first of the machine's blocks begins there; its number is added.
    pub const TRANSLATED: u32 = 0x8000_0000;
}

/// How often the block of a head may come back undone before it is given up.
pub(super) const PATIENCE: u32 = 16;
