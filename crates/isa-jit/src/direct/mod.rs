//! Straight translation: every instruction becomes its own few instructions of the processor, in microseconds.
//!
//! This needs AVX-512 or AVX2 (see [`Vectors`]), and no libLLVM. Reading order: [`shape`] cuts code into blocks, `emit` writes them, `alu` and
//! `rotate` the operations, `common` the way in and out, `call` is where machine code meets Rust.
//!
//! # How results stay exact
//! An instruction whose float result may differ from the QPU's is executed by the engine instead, before it has changed
//! anything; so is every instruction that has no form here (packing, the mutex). Execution can therefore stop between any two instructions, and what happened before is final: nothing is ever undone.
//!
//! # When it is left
//! Before a block that is longer than the rest of the QPU's turn, so that QPUs take turns at the same instructions as
//! without translation; where the engine has to wait or finds a fault; at the program's end.

pub mod shape;
pub mod places;
pub mod alu;
pub mod rotate;
mod common;
mod narrow;
mod units;
pub mod emit;
pub mod kept;
pub mod stored;
#[allow(unsafe_code)]
mod call;

use super::statistics::Statistics;
use super::x64::{Asm, Label};
use quadra_isa::vc4::emu::translate::{Block, Listing, Outcome, Qpu, Translation};
use quadra_llvm::Executable;
use shape::Reach;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What vectors are in the processor's code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Vectors {
    /// Registers of AVX-512.
    Whole,
    /// Pairs of registers of AVX2, and memory.
    Halves,
}

impl Vectors {
    /// What this processor can execute best, if any.
    pub fn best() -> Option<Vectors> {
        let engine = quadra_isa::vc4::emu::Engine::Auto.resolve().name();
        match engine {
            _ if !cfg!(all(target_arch = "x86_64", unix)) => None,
            "avx512" => Some(Vectors::Whole),
            "avx2" => Some(Vectors::Halves),
            _ => None,
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Vectors::Whole => "whole vectors",
            Vectors::Halves => "halves of vectors",
        }
    }

    fn assembler(self) -> Asm {
        match self {
            Vectors::Whole => Asm::default(),
            Vectors::Halves => Asm::with_halves(narrow::places()),
        }
    }
}

/// Native code for a part of a program, as it can be kept: it holds no address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Text {
    pub code: Vec<u8>,
    /// Where in the code the function begins that is called from outside.
    pub entry: u32,
    /// Blocks: their first instruction, and where in the code they are; in order.
    pub blocks: Vec<(u32, u32)>,
}

/// The same, ready to be executed.
#[derive(Debug)]
pub struct Unit {
    /// Holds the code in memory.
    _code: Executable,
    start: u64,
    entry: usize,
    first: usize,
    /// Where in the code blocks are, from instruction `first` on; 0 for none.
    entries: Box<[u32]>,
    counters: Counters,
    statistics: Arc<Statistics>,
}

/// What a unit has done.
#[derive(Debug, Default)]
pub struct Counters {
    calls: AtomicU64,
    issued: AtomicU64,
    steps: AtomicU64,
}

/// Calls after which a unit is judged, and what one call and one step by the engine cost in native instructions.
const TRIAL: u64 = 2000;
const CALL: u64 = 8;

impl Unit {
    /// The address of the block at an instruction.
    fn address_of(&self, index: usize) -> Option<u64> {
        let at = self.entries.get(index.checked_sub(self.first)?)?;
        (*at != 0).then_some(self.start + u64::from(*at))
    }

    /// Whether executing natively costs less than the engine: enough native instructions for each call and each step.
    fn pays(&self) -> bool {
        let [calls, issued, steps] = [&self.counters.calls, &self.counters.issued, &self.counters.steps]
            .map(|counter| counter.load(Ordering::Relaxed));
        calls < TRIAL || issued.saturating_sub(steps) > CALL * calls + steps / 2
    }
}

impl Block for Unit {
    fn run(&self, qpu: &mut Qpu, limit: u64) -> Outcome {
        if !self.pays() {
            return Outcome::Dropped;
        }
        let block = self.address_of(qpu.index()).filter(|_| qpu.is_ready());
        let Some(block) = block else { return Outcome::Refused };
        let done = call::run(self.entry, block, qpu, limit);
        let Counters { calls, issued, steps } = &self.counters;
        // Of two machines that run at the same time one may go uncounted, which costs less than to wait for the other.
        for (counter, more) in [(calls, 1), (issued, done.issued), (steps, done.steps)] {
            counter.store(counter.load(Ordering::Relaxed) + more, Ordering::Relaxed);
        }
        self.statistics.executed.fetch_add(done.issued, Ordering::Relaxed);
        done.outcome
    }
}

/// Translates what execution can come to from an instruction.
pub fn translate(code: &Listing, head: usize, reach: &Reach, vectors: Vectors) -> Option<Text> {
    let blocks = shape::blocks(code, reach);
    blocks.get(&head)?;
    let (emit, common) = emit::emit(code, blocks, vectors.assembler());
    let entry = emit.asm.place(common.entry)? as u32;
    let place = |(index, label): (&usize, &Label)| Some((*index as u32, emit.asm.place(*label)? as u32));
    let blocks = emit.labels.iter().map(place).collect::<Option<_>>()?;
    Some(Text { code: emit.asm.finish()?, entry, blocks })
}

/// Brings a text into memory.
pub fn load(text: Text, statistics: &Arc<Statistics>) -> Option<Translation> {
    let Text { code, entry, blocks } = text;
    let (first, last) = (blocks.first()?.0 as usize, blocks.last()?.0 as usize);
    let mut entries = vec![0; last - first + 1].into_boxed_slice();
    blocks.iter().for_each(|(index, place)| entries[*index as usize - first] = *place);
    let held = Executable::new(code.len(), |_| Some(code))?;
    let heads = blocks.into_iter().map(|(index, _)| index as usize).collect();
    let unit = Unit {
        start: held.address(0)? as u64,
        entry: held.address(entry as usize)?,
        _code: held,
        first,
        entries,
        counters: Counters::default(),
        statistics: statistics.clone(),
    };
    Some(Translation { block: Arc::new(unit), heads })
}
