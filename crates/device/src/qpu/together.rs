//! What several runs in one launch of the QPUs save and cost.

use super::layout::QPUS;
use crate::launch::Bound;
use quadra_isa::vc4::timing::{Board, Parameters};
use quadra_kir::{Arg, Block, Buf, Kernel, Op, Param};
use quadra_passes as passes;
use std::cmp::Ordering;

/// Instructions of a line of the caches.
const LINE_WORDS: u64 = 8;
/// Clocks that a row takes longer by DMA than through a TMU, and 16 words that lie anywhere.
const ROW_CLOCKS: u64 = 64;
const SCATTERED_CLOCKS: u64 = 1000;
/// Clocks of a barrier.
const BARRIER_CLOCKS: u64 = 200;

/// Whether all runs of a legal kernel in one launch take less time than one launch after the other. Its program has so many
/// instructions; `written` are the parameters, bit by bit, whose buffers any of the runs writes.
///
/// What they save is the launches and, each time, the way of the program into empty caches; what they cost is that
/// everything that the runs write is loaded by DMA. Each load of the innermost loops is taken to go through its buffer once.
pub(crate) fn faster(legal: &Kernel, instructions: usize, written: u64, bound: &Bound) -> bool {
    let mut kernel = legal.clone();
    passes::defifo::run(&mut kernel);
    passes::access::run(&mut kernel);
    let vectors = |buf: Buf| {
        let at = kernel.params.iter().position(|p| *p == Param::Buffer(buf));
        let at = at.filter(|at| written.checked_shr(*at as u32).unwrap_or(0) & 1 != 0)?;
        let Arg::Buffer(place) = bound.args[at] else { return None };
        Some(bound.dims(place).iter().map(|&n| u64::from(n)).product::<u64>().div_ceil(u64::from(QPUS.width)))
    };
    let (_, cost) = load_clocks(&kernel, &kernel.body, &vectors);
    let launch = QPUS.costs.launch.nanoseconds * Board::Pi1.clock_mhz() / 1e3;
    let saved = launch as u64 + instructions as u64 / LINE_WORDS * Parameters::default().icache_memory as u64;
    cost + BARRIER_CLOCKS < saved
}

/// How deep the innermost loops with loads of what `vectors` knows lie within a block, and how much longer these loads take by
/// DMA, each through all vectors of its buffer.
fn load_clocks(kernel: &Kernel, block: &Block, vectors: &dyn Fn(Buf) -> Option<u64>) -> (u32, u64) {
    let (mut depth, mut sum) = (0, 0u64);
    let mut add = |at: u32, clocks: u64| match at.cmp(&depth) {
        _ if clocks == 0 => {}
        Ordering::Less => {}
        Ordering::Equal => sum = sum.saturating_add(clocks),
        Ordering::Greater => (depth, sum) = (at, clocks),
    };
    for inst in &block.insts {
        for region in &inst.regions {
            let (inner, clocks) = load_clocks(kernel, region, vectors);
            add(inner + u32::from(matches!(inst.op, Op::For | Op::Loop)), clocks);
        }
        let Some(vectors) = inst.buf.and_then(vectors) else { continue };
        let each = match inst.op {
            Op::LoadRow => ROW_CLOCKS,
            Op::Load if kernel.ty(inst.args[0]).lanes => SCATTERED_CLOCKS,
            // One word, which nothing says how often is loaded.
            Op::Load => ROW_CLOCKS,
            _ => continue,
        };
        add(0, vectors.saturating_mul(each));
    }
    (depth, sum)
}
