//! Instruction selection: from a legal SIMD kernel to machine code over virtual registers.
//!
//! Uniforms and constants are loaded once, in a prologue. A `bool` is a condition on the flags where all its uses can
//! take one, and otherwise a register that holds 0 or 1 per lane. Nothing but the instructions emitted here sets flags,
//! so that a condition lives from its setter to the next one within a block.

mod address;
mod arith;
mod atomics;
mod bools;
mod bytes;
mod chain;
mod cx;
mod dma;
mod flow;
pub mod again;
mod grid;
mod held;
pub mod mem;
mod narrow;
mod shared;
mod staging;
mod strided;
mod sync;
mod tmus;
pub mod together;

use crate::vc4::lowered::Lowered;
use crate::vc4::minst::{Block, Code, Term};
use crate::vc4::options::{Options, near_rows};
use crate::vc4::vpm_plan::VpmPlan;
use cx::{Cx, Rep};
use kir::{Inst, Kernel, Op};
use quadra_base::{Diagnostic, quick::Map};
use quadra_kir as kir;
use quadra_passes::analysis::queue::Queue;

/// Selects instructions.
///
/// # Errors
/// Operations that the machine cannot do and `legalize` should have removed.
pub fn lower(kernel: &Kernel, plan: &VpmPlan, options: &Options) -> Result<Lowered, Vec<Diagnostic>> {
    let mut cx = Cx::new(kernel, plan, options);
    cx.kernel_body();
    if cx.diagnostics.is_empty() { Ok(cx.finish()) } else { Err(cx.diagnostics) }
}

impl<'k> Cx<'k> {
    fn new(kernel: &'k Kernel, plan: &VpmPlan, options: &Options) -> Cx<'k> {
        let held = held::arrays(kernel, near_rows(options));
        let is_held = |buf: kir::Buf| held.iter().any(|h| h.0 == buf);
        let facts = mem::buffer_facts(kernel, options.alias, options.uncached);
        let in_memory: Vec<bool> = kernel.bufs.ids().map(|b| facts.through_dma[b.index()] && !is_held(b)).collect();
        let addressing = address::Addressing::of(kernel, &facts.through_dma, &is_held);
        let strided = strided::strides(kernel, plan.max_qpus);
        let mut staging = staging::Staging::of(kernel, plan, &in_memory, (&is_held, !strided.is_empty()));
        let most = if options.opt_level > 0 { staging.room_for_loads(plan) } else { 1 };
        let together = together::Together::of(kernel, &in_memory, most, plan.max_qpus);
        staging.load_together(together.rows());
        let queue = facts.requests.then(|| Queue::of(kernel)).flatten();
        // Loads while the queue is empty may use it, which leaves the TMUs in balance.
        let between = |q: &Queue| q.loaded_between.iter().any(|b| !facts.through_dma[b.index()]);
        let second_tmu = facts.requests && facts.plain_tmu && queue.as_ref().is_none_or(between);
        let by_name = if second_tmu { tmus::Second::default() } else { tmus::second(kernel, queue.as_ref()) };
        let mut last_uses = vec![None; kernel.values.len()];
        kernel.body.walk(&mut |inst| inst.uses().for_each(|v| last_uses[v.index()] = Some(inst)));
        let mut cx = Cx {
            kernel,
            code: Code::default(),
            order: Vec::new(),
            cur: 0,
            rotated: None,
            depth: 0,
            span: kernel.span,
            reps: vec![Rep::None; kernel.values.len()],
            as_flags: bools::flag_values(kernel),
            deferrable: arith::deferrable(kernel),
            last_uses,
            slots: Vec::new(),
            slot_regs: Map::default(),
            prologue: Vec::new(),
            constants: Map::default(),
            lane_bases: Map::default(),
            lane4: None,
            scaled: Map::default(),
            flags: None,
            loops: Vec::new(),
            yields: Vec::new(),
            end: 0,
            grid: None,
            through_dma: facts.through_dma,
            second_tmu,
            by_name,
            has_stores: in_memory.contains(&true),
            again: options.again,
            staging,
            addressing,
            strided,
            together,
            saturating: if options.opt_level > 0 { bytes::saturating(kernel, plan.max_qpus) } else { Map::default() },
            signs: if options.opt_level > 0 { flow::signs(kernel, plan.max_qpus) } else { Map::default() },
            scratch_bytes: 0,
            shared: Map::default(),
            held: held::Held::default(),
            diagnostics: Vec::new(),
        };
        cx.hold(&held);
        cx.cur = cx.new_block();
        cx.end = cx.new_block();
        cx.order.push(cx.cur);
        cx
    }

    fn kernel_body(&mut self) {
        if self.second_tmu || !self.by_name.buffers.is_empty() {
            self.disable_tmu_swap();
        }
        let kernel = self.kernel;
        self.shared_arrays();
        self.set_first_gap();
        self.parameters_computed();
        if kernel.over > 0 {
            self.grid()
        } else {
            self.clear_shared();
            self.block(&kernel.body)
        }
        let end = self.end;
        self.start(end);
        self.span = kernel.span;
        self.wait_stores();
        if self.again {
            self.start_over();
        }
        self.finish_block(Term::End);
    }

    fn finish(mut self) -> Lowered {
        let first = &mut self.code.blocks[0].insts;
        first.splice(0..0, self.prologue);
        let mut position = vec![usize::MAX; self.code.blocks.len()];
        for (i, &b) in self.order.iter().enumerate() {
            position[b] = i;
        }
        let mut blocks: Vec<Block> = self.order.iter().map(|&b| self.code.blocks[b].clone()).collect();
        for block in &mut blocks {
            block.term = block.term.map(|t| position[t]);
        }
        self.code.blocks = blocks;
        let first_spill_row = self.staging.end();
        Lowered { code: self.code, slots: self.slots, scratch_bytes: self.scratch_bytes, first_spill_row }
    }

    /// The instructions of a block, the terminator included.
    fn block(&mut self, block: &'k kir::Block) {
        for inst in &block.insts {
            self.span = inst.span.or(self.span);
            self.inst(inst);
            self.computed(&inst.results);
        }
    }

    fn inst(&mut self, inst: &'k Inst) {
        use Op::*;
        match inst.op {
            If | For | Loop | Yield | Break | Continue | Return => self.flow(inst),
            Load | Store | LoadRow | StoreRow | StoreRows | TmuRequest | TmuReceive => self.memory(inst),
            Fence | Flush | SemaInc | SemaDec | MutexLock | MutexUnlock | HostIrq | Print | Assert | Comment => {
                self.sync(inst)
            }
            op if op.is_atomic() => self.atomic(inst),
            op if op.is_pure() => self.pure(inst),
            op => self.error(format!("`{}` does not exist on the QPU", op.mnemonic())),
        }
    }
}
