//! Straight translation: every instruction becomes its own few instructions of the processor, in microseconds.
//!
//! This needs AVX-512 and no libLLVM. Reading order: [`shape`] cuts code into blocks, `emit` writes them, `alu` and
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
mod units;
pub mod emit;
pub mod kept;
#[allow(unsafe_code)]
mod call;

use super::statistics::Statistics;
use quadra_isa::vc4::emu::Lanes;
use quadra_isa::vc4::emu::translate::{Block, Listing, Outcome, Qpu, Translation};
use quadra_llvm::Executable;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Whether this processor can execute the code.
pub fn is_supported() -> bool {
    cfg!(all(target_arch = "x86_64", unix)) && quadra_isa::vc4::emu::Engine::Auto.resolve().name() == "avx512"
}

/// Native code for a part of a program.
#[derive(Debug)]
pub struct Unit {
    /// Holds the code in memory.
    _code: Executable,
    entry: usize,
    first: usize,
    /// The addresses of blocks, from instruction `first` on; 0 for none.
    entries: Box<[u64]>,
    _tables: Vec<Box<[u64]>>,
    _vectors: Box<[Lanes]>,
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
        (*at != 0).then_some(*at)
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
pub fn translate(code: &Listing, head: usize, statistics: &Arc<Statistics>) -> Option<Translation> {
    let blocks = shape::blocks(code, head);
    blocks.get(&head)?;
    let (emit, common) = emit::emit(code, blocks);
    let (first, count) = emit.span();
    let vectors: Box<[Lanes]> = emit.vectors.iter().map(|v| Lanes(*v)).collect();
    let places: Vec<(usize, usize)> = emit.labels.iter().map(|(i, l)| (*i, emit.asm.place(*l).unwrap_or(0))).collect();
    let mut tables: Vec<Box<[u64]>> = emit.tables.iter().map(|_| vec![0; count].into_boxed_slice()).collect();
    let mut entries = vec![0; count].into_boxed_slice();
    let entry = emit.asm.place(common.entry)?;
    let (vector_places, table_places) = (emit.vector_places, emit.tables);
    let mut bytes = emit.asm.finish()?;
    let held = Executable::new(bytes.len(), |base| {
        for (index, place) in &places {
            entries[index - first] = base + *place as u64;
            for (table, (_, slot)) in tables.iter_mut().zip(&table_places) {
                // A rule that the delay slot and the target may break together is the engine's to judge.
                if !code.may_clash(*slot, *index) {
                    table[index - first] = base + *place as u64;
                }
            }
        }
        let mut write = |at: usize, address: u64| bytes[at..at + 8].copy_from_slice(&address.to_le_bytes());
        for (at, vector) in &vector_places {
            write(*at, std::ptr::from_ref(&vectors[*vector]) as u64);
        }
        for (table, (at, _)) in tables.iter().zip(&table_places) {
            write(*at, table.as_ptr() as u64);
        }
        Some(bytes)
    })?;
    let entry = held.address(entry)?;
    let heads = places.into_iter().map(|(index, _)| index).collect();
    let unit = Unit {
        _code: held,
        entry,
        first,
        entries,
        _tables: tables,
        _vectors: vectors,
        counters: Counters::default(),
        statistics: statistics.clone(),
    };
    Some(Translation { block: Arc::new(unit), heads })
}
