//! Which way each buffer's loads take: through the TMUs and their caches, or through the VPM by DMA.
//!
//! First comes what is legal: the caches do not see what the launch stores by DMA, so loads of a buffer that the launch may
//! store to go past them (H51), unless a pass has found that they never meet a store. What is left is a matter of cost, and
//! for one vector after the other the TMUs are the cheaper way: 16 clocks of one of six units and, for a line that is not in
//! the L2 cache, 15 of the way from memory, against 34 to 79 of the one engine that loads by DMA. But the two ways to memory
//! work side by side. A loop that streams through several buffers on several QPUs waits for the L2 cache's way alone, and is
//! faster with some of the buffers on the other.

use crate::vc4::options::{Loads, Options};
use crate::vc4::vpm_plan::{MOST_TOGETHER, VpmPlan};
use kir::{Block, Buf, Effect, Inst, Kernel, Op, Param, Value};
use quadra_base::Diagnostic;
use quadra_base::quick::Set;
use quadra_isa::vc4::timing::Parameters;
use quadra_kir as kir;
use quadra_passes::analysis::coherence;
use quadra_passes::analysis::range::Range;
use std::collections::{BTreeMap, BTreeSet};

/// Clocks of the way from memory to the L2 cache for a line that no cache has.
const MEMORY_LINE: f64 = 15.0;
/// Clocks of a QPU for an operation of the kernel IR: half of an issue slot.
const OPERATION: f64 = 2.0;
/// What the other way must save at least, as a share of the time: the figures above are that good.
const LEAST_GAIN: f64 = 0.1;
/// Fewer QPUs than this do not keep both ways busy.
const LEAST_QPUS: u32 = 8;
/// Words of a row.
const ROW: i64 = kir::LANES as i64;

/// The options with the choice made: in `uncached` stands every parameter whose loads go through the VPM though the caches
/// would be legal.
pub(crate) fn decide(kernel: &Kernel, options: &Options) -> Options {
    let past = match options.loads {
        Loads::Vpm => u64::MAX,
        Loads::Auto if options.opt_level > 0 => cheaper(kernel, options),
        Loads::Auto | Loads::Tmu => 0,
    };
    Options { uncached: options.uncached | past, ..*options }
}

/// Refuses a kernel with loads that only DMA can make, if all are to go through the TMUs.
///
/// # Errors
/// `E0503` for each such load.
pub(crate) fn all_through_tmu(kernel: &Kernel, through_dma: &[bool]) -> Result<(), Vec<Diagnostic>> {
    let mut refused = Vec::new();
    kernel.body.walk(&mut |inst| {
        if let (Op::Load | Op::LoadRow, Some(buf)) = (inst.op, inst.buf)
            && through_dma[buf.index()]
        {
            let text = format!("`{}` cannot be loaded through a TMU here", kernel.bufs[buf].name);
            let note = "the launch may store to it, and the TMUs' caches do not see what a launch stores";
            let d = Diagnostic::error("E0503", text).at(inst.span.or(kernel.span)).note(note);
            refused.push(d.help("leave the choice to the compiler, or read from another buffer than you write"));
        }
    });
    if refused.is_empty() { Ok(()) } else { Err(refused) }
}

/// The parameters, bit by bit, whose loads are better made by DMA though the TMUs would do.
fn cheaper(kernel: &Kernel, options: &Options) -> u64 {
    let queued = kernel.body.any(&mut |i| matches!(i.op, Op::TmuRequest | Op::TmuReceive));
    // Requests are the author's own choice, and whoever synchronises has an order in mind. Groups of an extent load one row
    // at a time, which is never cheaper by DMA.
    if queued || kernel.concurrent || kernel.over > 0 || options.alias {
        return 0;
    }
    let plan = VpmPlan::new(options.qpus);
    if options.qpus.is_none() || plan.max_qpus < LEAST_QPUS {
        return 0;
    }
    let flat = |i: &Inst| i.op == Op::For && i.regions[0].insts.iter().all(|i| i.regions.is_empty());
    let rows = |i: &Inst| i.regions[0].insts.iter().any(|i| i.op == Op::LoadRow && i.mask.is_none());
    if !kernel.body.insts.iter().any(|i| flat(i) && rows(i)) {
        return 0;
    }
    let known = Known {
        kernel,
        range: Range::with_workers(kernel, i64::from(plan.max_qpus)),
        workers: workers(&kernel.body),
        plan,
    };
    let mut slow = coherence::coherence(kernel, false);
    slow.extend(coherence::named(kernel, options.uncached));
    let mut chosen = 0u64;
    for inst in kernel.body.insts.iter().filter(|i| i.op == Op::For) {
        let streams = known.streams(inst, &slow);
        for buf in streams.iter().take(known.moved(inst, streams.len())) {
            let place = kernel.params.iter().position(|p| *p == Param::Buffer(*buf));
            chosen |= place.filter(|&i| i < 64).map_or(0, |i| 1 << i);
        }
    }
    chosen
}

/// The values that are the number of this worker.
fn workers(block: &Block) -> Set<Value> {
    let mut found = Set::default();
    block.walk(&mut |i| {
        if i.op == Op::Worker {
            found.insert(i.result());
        }
    });
    found
}

struct Known<'k> {
    kernel: &'k Kernel,
    range: Range,
    workers: Set<Value>,
    plan: VpmPlan,
}

impl Known<'_> {
    /// The buffers of which a loop loads one row after the other, no two workers the same, and nothing else in the kernel
    /// loads anything: every line of them is needed once.
    fn streams(&self, inst: &Inst, slow: &BTreeSet<Buf>) -> Vec<Buf> {
        let body = &inst.regions[0];
        let nested = body.any(&mut |i| !i.regions.is_empty());
        let step = self.range.bounds(self.kernel, inst.args[2]);
        let lo = self.range.forms().at(self.kernel, inst.args[0]);
        let dealt = lo.terms.iter().any(|(v, f)| self.workers.contains(v) && i64::from(*f) >= ROW);
        if nested || step.low < ROW || !dealt {
            return Vec::new();
        }
        let mut loads: BTreeMap<Buf, usize> = BTreeMap::new();
        self.kernel.body.walk(&mut |i| {
            if let (Effect::Read, Some(buf)) = (i.op.info().effect, i.buf) {
                *loads.entry(buf).or_default() += 1;
            }
        });
        let inside: Set<Value> =
            body.params.iter().chain(body.insts.iter().flat_map(|i| &i.results)).copied().collect();
        let streams = body.insts.iter().filter(|i| {
            let form = (i.op == Op::LoadRow && i.mask.is_none()).then(|| self.range.forms().at(self.kernel, i.args[0]));
            form.is_some_and(|f| {
                let steady = f.terms.iter().all(|(v, _)| *v == body.params[0] || !inside.contains(v));
                steady && f.factor(body.params[0]) == 1
            })
        });
        let bufs = streams.filter_map(|i| i.buf).filter(|b| loads[b] == 1 && !slow.contains(b));
        bufs.collect()
    }

    /// How many of a loop's `streams` are better loaded by DMA.
    fn moved(&self, inst: &Inst, streams: usize) -> usize {
        let body = &inst.regions[0];
        let count = |op: Op| body.insts.iter().filter(|i| i.op == op).count();
        let stores = count(Op::StoreRow);
        // Only rows that a loop stores are gathered, and with them those that it loads.
        let rows = match self.plan.transfer_rows().checked_div(stores as u32) {
            Some(rows @ 1..) => rows.min(MOST_TOGETHER),
            _ => 1,
        };
        let rows = f64::from(1u32 << rows.ilog2());
        let p = Parameters::default();
        // Clocks of a row of 16 words, with its share of its transfer's beginning.
        let load_row = p.dma_load_start / rows + p.dma_load_row + p.dma_load_bytes;
        let store_row = p.dma_store_start / rows + p.dma_store_row + p.dma_store_bytes;
        let qpus = f64::from(self.plan.max_qpus);
        // Two QPUs of a slice share a TMU.
        let tmus = (qpus / 2.0).ceil();
        let others = count(Op::LoadRow) + count(Op::Load) - streams;
        let time = |moved: usize| {
            let beside = if moved > 0 && stores > 0 { 1.0 + p.dma_overlap } else { 1.0 };
            let (load, store) = (moved as f64 * load_row * beside, stores as f64 * store_row * beside);
            let looked_up = (others + streams - moved) as f64;
            // What is looked up is requested one iteration ahead. Transfers wait for those before them in the queue, too.
            let ahead = if looked_up > 0.0 { p.tmu_memory + (looked_up - 1.0) * MEMORY_LINE } else { 0.0 };
            let waits = if moved > 0 { 2.0 * (load + store) } else { 0.0 };
            let alone = ahead.max(body.count() as f64 * OPERATION) + waits;
            [looked_up * MEMORY_LINE, looked_up * p.tmu_request / tmus, load, store, alone / qpus]
                .into_iter()
                .fold(0.0, f64::max)
        };
        let best = (0..=streams).min_by(|&a, &b| time(a).total_cmp(&time(b))).unwrap_or(0);
        if time(best) < (1.0 - LEAST_GAIN) * time(0) { best } else { 0 }
    }
}
