//! The state of selecting a kernel's instructions: blocks, the prologue, what stands for values, and the operands of instructions.

use super::address::Addressing;
use super::bytes::Saturating;
use super::flow::Sign;
use super::grid::Grid;
use super::held::Held;
use super::staging::Staging;
use super::tmus::Second;
use super::together::Together;
use crate::vc4::abi::UniformSlot;
use crate::vc4::minst::{Block, BlockId, Code, Dst, MInst, Reg, Src, Term, constant, imm};
use kir::{Def, Elem, Inst, Kernel, Value};
use quadra_base::{Diagnostic, Span, quick::Map};
use quadra_isa::vc4::{AddOp, Cond, SmallImm};
use quadra_kir as kir;

/// What stands for a value.
#[derive(Clone, Copy)]
pub(super) enum Rep<'k> {
    /// Not computed yet.
    None,
    Reg(Reg),
    /// A `bool` that each use computes into the flags.
    Lazy(&'k Inst),
    /// A pure operation that its only use, a `select`, emits as a conditional write.
    Deferred(&'k Inst),
}

/// A loop around the current place: where `continue` and `break` go, and the registers they fill.
pub(super) struct Loop {
    pub(super) next: BlockId,
    pub(super) exit: BlockId,
    pub(super) params: Vec<Reg>,
    pub(super) results: Vec<Reg>,
    /// The register that counts the iterations, which carried values may share.
    pub(super) induction: Option<Reg>,
}

/// Where `yield` goes.
pub(super) enum Yield {
    /// The end of an `if`: copies into these registers, then this block.
    Join(Vec<Reg>, BlockId),
    /// The latch of a `for` or `each`.
    Latch,
}

/// A kernel whose instructions are being selected.
pub(super) struct Cx<'k> {
    pub(super) kernel: &'k Kernel,
    pub(super) code: Code,
    /// Blocks in the order of the program.
    pub(super) order: Vec<BlockId>,
    pub(super) cur: BlockId,
    /// The last copy of a value that rotations share: block, value, copy.
    pub(super) rotated: Option<(BlockId, Src, Reg)>,
    pub(super) depth: u32,
    pub(super) span: Option<Span>,
    pub(super) reps: Vec<Rep<'k>>,
    /// Per value, whether it may stay a condition.
    pub(super) as_flags: Vec<bool>,
    /// Per value, whether a `select` may absorb its computation.
    pub(super) deferrable: Vec<bool>,
    /// Per value, the last instruction that uses it.
    pub(super) last_uses: Vec<Option<&'k Inst>>,
    pub(super) slots: Vec<UniformSlot>,
    pub(super) slot_regs: Map<UniformSlot, Reg>,
    pub(super) prologue: Vec<MInst>,
    pub(super) constants: Map<u32, Reg>,
    /// Buffer address plus four times the lane.
    pub(super) lane_bases: Map<Reg, Reg>,
    pub(super) lane4: Option<Reg>,
    /// Four times indices plus constants, within the current block.
    pub(super) scaled: Map<Value, Vec<(i32, Reg)>>,
    /// The value whose condition the flags hold.
    pub(super) flags: Option<(Value, Cond)>,
    pub(super) loops: Vec<Loop>,
    pub(super) yields: Vec<Yield>,
    pub(super) end: BlockId,
    /// For a launch over an extent: the present group along each axis, and where the next one is looked for.
    pub(super) grid: Option<Grid>,
    /// Per buffer, whether loads must go through DMA because this launch may store to it.
    pub(super) through_dma: Vec<bool>,
    /// Plain loads use TMU1, because requests may wait in TMU0's queue.
    pub(super) second_tmu: bool,
    /// Requests that use TMU1, too.
    pub(super) by_name: Second,
    pub(super) has_stores: bool,
    /// Whether the program may run again; see `again`.
    pub(super) again: bool,
    /// The rows that stores leave from.
    pub(super) staging: Staging,
    pub(super) addressing: Addressing,
    /// Distances of elements that are stored in one transfer, by the index.
    pub(super) strided: Map<Value, i32>,
    /// Rows that arrive in one transfer.
    pub(super) together: Together,
    /// Sums and differences of bytes that saturate.
    pub(super) saturating: Map<Value, Saturating>,
    /// Per counted loop's first number, the sign of a step that is no constant.
    pub(super) signs: Map<Value, Sign>,
    pub(super) scratch_bytes: u32,
    /// Where in this QPU's memory each shared array lies that is not in registers.
    pub(super) shared: Map<kir::Buf, u32>,
    pub(super) held: Held,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl<'k> Cx<'k> {
    pub(super) fn error(&mut self, text: impl Into<String>) {
        let d = Diagnostic::error("E0501", text).at(self.span);
        self.diagnostics.push(d.note(format!("while compiling kernel `{}` for the QPU", self.kernel.name)));
    }

    // Blocks.

    pub(super) fn new_block(&mut self) -> BlockId {
        let block = Block::new(Vec::new(), Term::End, self.depth, self.span);
        self.code.blocks.push(block);
        self.code.blocks.len() - 1
    }

    /// Continues at the start of a block that has not been started yet.
    pub(super) fn start(&mut self, block: BlockId) {
        self.order.push(block);
        self.code.blocks[block].depth = self.depth;
        self.cur = block;
        self.flags = None;
        self.scaled.clear();
        self.staging.start_block(self.has_stores);
    }

    pub(super) fn finish_block(&mut self, term: Term) {
        let (cur, span) = (self.cur, self.span);
        self.code.blocks[cur].term = term;
        self.code.blocks[cur].span = span;
    }

    pub(super) fn emit(&mut self, mut inst: MInst) {
        inst.span = self.span;
        if inst.sf {
            self.flags = None;
        }
        self.code.blocks[self.cur].insts.push(inst);
    }

    pub(super) fn fresh(&mut self) -> Reg {
        let r = self.code.fresh();
        self.code.virt.last_mut().expect("just added").span = self.span;
        r
    }

    // Prologue.

    /// The register that holds a uniform.
    pub(super) fn uniform(&mut self, slot: UniformSlot) -> Reg {
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
    pub(super) fn const_reg(&mut self, bits: u32) -> Reg {
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
    pub(super) fn const_src(&mut self, bits: u32) -> Src {
        match SmallImm::from_bits(bits) {
            Some(imm) => Src::Imm(imm),
            None => self.const_reg(bits).into(),
        }
    }

    /// Four times the lane.
    pub(super) fn lane4(&mut self) -> Reg {
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

    pub(super) fn set(&mut self, v: Value, r: Reg) {
        self.reps[v.index()] = Rep::Reg(r);
    }

    /// A fresh register for a value.
    pub(super) fn define(&mut self, v: Value) -> Reg {
        let r = self.fresh();
        self.set(v, r);
        r
    }

    /// A value as an operand. A condition is materialised, which sets flags: read operands before setting flags.
    pub(super) fn src(&mut self, v: Value) -> Src {
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
    pub(super) fn reg(&mut self, v: Value) -> Reg {
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

    pub(super) fn parameter(&mut self, v: Value) -> Reg {
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
    pub(super) fn pair(&mut self, a: Src, b: Src) -> (Src, Src) {
        match (a, b) {
            (Src::Imm(x), Src::Imm(y)) if x != y => (self.const_reg(x.bits()).into(), b),
            _ => (a, b),
        }
    }

    /// Emits an operation of the add ALU on any two operands.
    pub(super) fn add(&mut self, op: AddOp, dst: impl Into<Dst>, a: impl Into<Src>, b: impl Into<Src>) {
        let (a, b) = self.pair(a.into(), b.into());
        self.emit(MInst::add(op, dst, a, b));
    }

    /// A fresh register with the result of an operation of the add ALU.
    pub(super) fn add_new(&mut self, op: AddOp, a: impl Into<Src>, b: impl Into<Src>) -> Reg {
        let r = self.fresh();
        self.add(op, r, a, b);
        r
    }

    /// Copies that happen at once: every source is read before any destination changes.
    pub(super) fn parallel_copy(&mut self, copies: &[(Reg, Src)]) {
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
}
