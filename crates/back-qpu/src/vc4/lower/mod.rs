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
pub use arith::shift_count;

use crate::Options;
use crate::vc4::abi::UniformSlot;
use crate::vc4::minst::{Block, BlockId, Code, Dst, MInst, Oper, Reg, Src, Term};
use crate::vc4::vpm_plan::VpmPlan;
use kir::{Def, Elem, Inst, Kernel, Op, Value};
use quadra_base::{Diagnostic, Span, quick::Map};
use quadra_isa::vc4::{AddOp, Cond, SmallImm};
use quadra_kir as kir;
use quadra_passes::analysis::queue::Queue;

/// The result: code over virtual registers and the uniform stream it reads.
pub struct Lowered {
    pub code: Code,
    pub slots: Vec<UniformSlot>,
    /// Bytes of scratch memory used so far; spilling adds to them.
    pub scratch_bytes: u32,
    /// The first row of the VPM that stores do not use.
    pub first_spill_row: u32,
}

/// Selects instructions.
///
/// # Errors
/// Operations that the machine cannot do and `legalize` should have removed.
pub fn lower(kernel: &Kernel, plan: &VpmPlan, options: &Options) -> Result<Lowered, Vec<Diagnostic>> {
    let mut cx = Cx::new(kernel, plan, options);
    cx.kernel_body();
    if cx.diagnostics.is_empty() { Ok(cx.finish()) } else { Err(cx.diagnostics) }
}

/// What stands for a value.
#[derive(Clone, Copy)]
enum Rep<'k> {
    /// Not computed yet.
    None,
    Reg(Reg),
    /// A `bool` that each use computes into the flags.
    Lazy(&'k Inst),
    /// A pure operation that its only use, a `select`, emits as a conditional write.
    Deferred(&'k Inst),
}

/// A loop around the current place: where `continue` and `break` go, and the registers they fill.
struct Loop {
    next: BlockId,
    exit: BlockId,
    params: Vec<Reg>,
    results: Vec<Reg>,
    /// The register that counts the iterations, which carried values may share.
    induction: Option<Reg>,
}

/// Where `yield` goes.
enum Yield {
    /// The end of an `if`: copies into these registers, then this block.
    Join(Vec<Reg>, BlockId),
    /// The latch of a `for` or `each`.
    Latch,
}

struct Cx<'k> {
    kernel: &'k Kernel,
    code: Code,
    /// Blocks in the order of the program.
    order: Vec<BlockId>,
    cur: BlockId,
    /// The last copy of a value that rotations share: block, value, copy.
    rotated: Option<(BlockId, Src, Reg)>,
    depth: u32,
    span: Option<Span>,
    reps: Vec<Rep<'k>>,
    /// Per value, whether it may stay a condition.
    as_flags: Vec<bool>,
    /// Per value, whether a `select` may absorb its computation.
    deferrable: Vec<bool>,
    /// Per value, the last instruction that uses it.
    last_uses: Vec<Option<&'k Inst>>,
    slots: Vec<UniformSlot>,
    slot_regs: Map<UniformSlot, Reg>,
    prologue: Vec<MInst>,
    constants: Map<u32, Reg>,
    /// Buffer address plus four times the lane.
    lane_bases: Map<Reg, Reg>,
    lane4: Option<Reg>,
    /// Four times indices plus constants, within the current block.
    scaled: Map<Value, Vec<(i32, Reg)>>,
    /// The value whose condition the flags hold.
    flags: Option<(Value, Cond)>,
    loops: Vec<Loop>,
    yields: Vec<Yield>,
    end: BlockId,
    /// For a launch over an extent: the present group along each axis, and where the next one is looked for.
    grid: Option<grid::Grid>,
    /// Per buffer, whether loads must go through DMA because this launch may store to it.
    through_dma: Vec<bool>,
    /// Plain loads use TMU1, because requests may wait in TMU0's queue.
    second_tmu: bool,
    /// Requests that use TMU1, too.
    by_name: tmus::Second,
    has_stores: bool,
    /// Whether the program may run again; see `again`.
    again: bool,
    /// The rows that stores leave from.
    staging: staging::Staging,
    addressing: address::Addressing,
    /// Distances of elements that are stored in one transfer, by the index.
    strided: Map<Value, i32>,
    /// Rows that arrive in one transfer.
    together: together::Together,
    /// Sums and differences of bytes that saturate.
    saturating: Map<Value, bytes::Saturating>,
    /// Per counted loop's first number, the sign of a step that is no constant.
    signs: Map<Value, flow::Sign>,
    scratch_bytes: u32,
    /// Where in this QPU's memory each shared array lies that is not in registers.
    shared: Map<kir::Buf, u32>,
    held: held::Held,
    diagnostics: Vec<Diagnostic>,
}

impl<'k> Cx<'k> {
    fn new(kernel: &'k Kernel, plan: &VpmPlan, options: &Options) -> Cx<'k> {
        let held = held::arrays(kernel, crate::near_rows(options));
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

    fn error(&mut self, text: impl Into<String>) {
        let d = Diagnostic::error("E0501", text).at(self.span);
        self.diagnostics.push(d.note(format!("while compiling kernel `{}` for the QPU", self.kernel.name)));
    }

    // Blocks.

    fn new_block(&mut self) -> BlockId {
        let block = Block::new(Vec::new(), Term::End, self.depth, self.span);
        self.code.blocks.push(block);
        self.code.blocks.len() - 1
    }

    /// Continues at the start of a block that has not been started yet.
    fn start(&mut self, block: BlockId) {
        self.order.push(block);
        self.code.blocks[block].depth = self.depth;
        self.cur = block;
        self.flags = None;
        self.scaled.clear();
        self.staging.start_block(self.has_stores);
    }

    fn finish_block(&mut self, term: Term) {
        let (cur, span) = (self.cur, self.span);
        self.code.blocks[cur].term = term;
        self.code.blocks[cur].span = span;
    }

    fn emit(&mut self, mut inst: MInst) {
        inst.span = self.span;
        if inst.sf {
            self.flags = None;
        }
        self.code.blocks[self.cur].insts.push(inst);
    }

    fn fresh(&mut self) -> Reg {
        let r = self.code.fresh();
        self.code.virt.last_mut().expect("just added").span = self.span;
        r
    }

    // Prologue.

    /// The register that holds a uniform.
    fn uniform(&mut self, slot: UniformSlot) -> Reg {
        if let Some(&r) = self.slot_regs.get(&slot) {
            return r;
        }
        let r = self.code.fresh();
        self.slots.push(slot);
        self.slot_regs.insert(slot, r);
        self.prologue.push(MInst::mov(r, Src::Uniform));
        r
    }

    /// The register that holds a constant.
    fn const_reg(&mut self, bits: u32) -> Reg {
        if let Some(&r) = self.constants.get(&bits) {
            return r;
        }
        let r = self.code.fresh();
        self.code.virt.last_mut().expect("just added").constant = Some(bits);
        self.constants.insert(bits, r);
        self.prologue.push(constant(r, bits));
        r
    }

    /// A constant as an operand: a small immediate where there is one.
    fn const_src(&mut self, bits: u32) -> Src {
        match SmallImm::from_bits(bits) {
            Some(imm) => Src::Imm(imm),
            None => self.const_reg(bits).into(),
        }
    }

    /// Four times the lane.
    fn lane4(&mut self) -> Reg {
        if let Some(r) = self.lane4 {
            return r;
        }
        let r = self.code.fresh();
        let t = self.code.fresh();
        self.prologue.push(MInst::mov(t, Src::Element));
        self.prologue.push(MInst::add(AddOp::Shl, r, t, imm(2)));
        self.lane4 = Some(r);
        r
    }

    // Values.

    fn set(&mut self, v: Value, r: Reg) {
        self.reps[v.index()] = Rep::Reg(r);
    }

    /// A fresh register for a value.
    fn define(&mut self, v: Value) -> Reg {
        let r = self.fresh();
        self.set(v, r);
        r
    }

    /// A value as an operand. A condition is materialised, which sets flags: read operands before setting flags.
    fn src(&mut self, v: Value) -> Src {
        match self.kernel.values[v].def {
            Def::Const(c) if matches!(c.elem, Elem::Bool | Elem::I32 | Elem::F32) => {
                return self.const_src(c.bits as u32);
            }
            Def::Const(c) => {
                self.error(format!("constants of type `{}` do not exist on the QPU", c.elem));
                return imm(0);
            }
            Def::Param => return self.parameter(v).into(),
            Def::Local => {}
        }
        match self.reps[v.index()] {
            Rep::Reg(r) => r.into(),
            Rep::Lazy(inst) => {
                let r = self.materialise(inst);
                self.set(v, r);
                // The register is set only on this path; other blocks compute the condition again.
                self.reps[v.index()] = Rep::Lazy(inst);
                r.into()
            }
            Rep::Deferred(inst) => {
                self.reps[v.index()] = Rep::None;
                self.emit_deferred(inst);
                self.src(v)
            }
            Rep::None => {
                self.error("a value is used before it is computed");
                imm(0)
            }
        }
    }

    /// A value in a register.
    fn reg(&mut self, v: Value) -> Reg {
        match self.src(v) {
            Src::Reg(r) => r,
            Src::Imm(i) => self.const_reg(i.bits()),
            other => {
                let r = self.fresh();
                self.emit(MInst::mov(r, other));
                r
            }
        }
    }

    fn parameter(&mut self, v: Value) -> Reg {
        let index = self.kernel.params.iter().position(|p| *p == kir::Param::Scalar(v));
        match index {
            Some(i) => self.uniform(UniformSlot::Scalar(i)),
            None => {
                self.error("a scalar parameter is missing in the kernel's header");
                self.const_reg(0)
            }
        }
    }

    /// Two operands of one instruction: at most one small immediate.
    fn pair(&mut self, a: Src, b: Src) -> (Src, Src) {
        match (a, b) {
            (Src::Imm(x), Src::Imm(y)) if x != y => (self.const_reg(x.bits()).into(), b),
            _ => (a, b),
        }
    }

    /// Emits an operation of the add ALU on any two operands.
    fn add(&mut self, op: AddOp, dst: impl Into<Dst>, a: impl Into<Src>, b: impl Into<Src>) {
        let (a, b) = self.pair(a.into(), b.into());
        self.emit(MInst::add(op, dst, a, b));
    }

    /// A fresh register with the result of an operation of the add ALU.
    fn add_new(&mut self, op: AddOp, a: impl Into<Src>, b: impl Into<Src>) -> Reg {
        let r = self.fresh();
        self.add(op, r, a, b);
        r
    }

    /// Copies that happen at once: every source is read before any destination changes.
    fn parallel_copy(&mut self, copies: &[(Reg, Src)]) {
        let mut left: Vec<(Reg, Src)> = copies.iter().copied().filter(|(d, s)| *s != Src::Reg(*d)).collect();
        while !left.is_empty() {
            let free = left.iter().position(|(d, _)| left.iter().all(|(_, s)| *s != Src::Reg(*d)));
            match free {
                Some(i) => {
                    let (d, s) = left.remove(i);
                    self.emit(MInst::mov(d, s));
                }
                None => {
                    // Only cycles are left: a copy of one destination's old value opens its cycle.
                    let old = left[0].0;
                    let t = self.fresh();
                    self.emit(MInst::mov(t, old));
                    for (_, s) in &mut left {
                        if *s == Src::Reg(old) {
                            *s = t.into();
                        }
                    }
                }
            }
        }
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

/// The instruction that loads a constant: a move of a small immediate can share an instruction word, a load immediate
/// cannot.
pub fn constant(dst: Reg, bits: u32) -> MInst {
    match SmallImm::from_bits(bits) {
        Some(imm) => MInst::mov(dst, Src::Imm(imm)),
        None => MInst::new(Oper::Ldi(bits), dst, &[]),
    }
}

/// A small integer as an operand.
///
/// # Panics
/// If it is not in -16..=15.
pub fn imm(value: i32) -> Src {
    Src::Imm(SmallImm::from_int(value).expect("-16 to 15 have codes"))
}
