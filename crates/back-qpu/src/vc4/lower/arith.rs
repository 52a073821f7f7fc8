//! Arithmetic, selection, lane operations.

use super::bytes;
use super::cx::{Cx, Rep};
use crate::vc4::abi::UniformSlot;
use crate::vc4::minst::{Dst, MInst, Oper, Reg, Rotate, Src, imm, shift_count};
use kir::{Elem, Inst, Kernel, Op, Value};
use quadra_base::quick::Map;
use quadra_isa::vc4::{AddOp, Cond, MulOp, Waddr};
use quadra_kir as kir;

/// What one machine instruction computes.
enum Single {
    /// Operands as they stand.
    Plain(Oper),
    /// 0 and the operand.
    FromZero(Oper),
    /// The operand twice.
    Twice(Oper),
    /// The operand and 1.
    WithOne(Oper),
}

/// The machine instruction for an operation on operands of this element type, if one is enough.
fn single(op: Op, elem: Elem) -> Option<Single> {
    use Single::*;
    let add = |o| Some(Plain(Oper::Add(o)));
    let float = elem == Elem::F32;
    match op {
        Op::Add => add(if float { AddOp::Fadd } else { AddOp::Add }),
        Op::Sub => add(if float { AddOp::Fsub } else { AddOp::Sub }),
        Op::Mul if float => Some(Plain(Oper::Mul(MulOp::Fmul))),
        Op::Mul24 => Some(Plain(Oper::Mul(MulOp::Mul24))),
        Op::Min => add(if float { AddOp::Fmin } else { AddOp::Min }),
        Op::Max => add(if float { AddOp::Fmax } else { AddOp::Max }),
        Op::Neg => Some(FromZero(Oper::Add(if float { AddOp::Fsub } else { AddOp::Sub }))),
        Op::Abs if float => Some(Twice(Oper::Add(AddOp::Fmaxabs))),
        Op::And => add(AddOp::And),
        Op::Or => add(AddOp::Or),
        Op::Xor => add(AddOp::Xor),
        Op::Not if elem == Elem::Bool => Some(WithOne(Oper::Add(AddOp::Xor))),
        Op::Not => Some(Twice(Oper::Add(AddOp::Not))),
        Op::Shl => add(AddOp::Shl),
        Op::Shr => add(AddOp::Shr),
        Op::Asr => add(AddOp::Asr),
        Op::Ror => add(AddOp::Ror),
        Op::Clz => Some(Twice(Oper::Add(AddOp::Clz))),
        Op::ToI32 if float => Some(Twice(Oper::Add(AddOp::Ftoi))),
        Op::ToF32 if !float => Some(Twice(Oper::Add(AddOp::Itof))),
        _ => None,
    }
}

/// Per value, whether a `select` may emit its computation as a conditional write: one machine instruction whose only use
/// is an arm of a `select` in the same block.
pub(super) fn deferrable(kernel: &Kernel) -> Vec<bool> {
    let counts = kernel.use_counts();
    let mut out = vec![false; kernel.values.len()];
    fn visit(kernel: &Kernel, block: &kir::Block, counts: &[u32], out: &mut [bool]) {
        let mut candidates: Map<Value, ()> = Map::default();
        for inst in &block.insts {
            if inst.op == Op::Select {
                for &arm in &inst.args[1..] {
                    if candidates.contains_key(&arm) {
                        out[arm.index()] = true;
                    }
                }
            }
            if let [result] = inst.results[..]
                && counts[result.index()] == 1
                && inst.regions.is_empty()
                && inst.args.first().is_some_and(|a| single(inst.op, kernel.ty(*a).elem).is_some())
                && kernel.ty(result).elem != Elem::Bool
            {
                candidates.insert(result, ());
            }
            inst.regions.iter().for_each(|r| visit(kernel, r, counts, out));
        }
    }
    visit(kernel, &kernel.body, &counts, &mut out);
    out
}

impl<'k> Cx<'k> {
    pub(super) fn pure(&mut self, inst: &'k Inst) {
        let Some(&result) = inst.results.first() else { return };
        if self.as_flags[result.index()] {
            self.reps[result.index()] = Rep::Lazy(inst);
            return;
        }
        if self.deferrable[result.index()] {
            self.reps[result.index()] = Rep::Deferred(inst);
            return;
        }
        if self.emit_single(inst, None, Cond::Always) {
            return;
        }
        use Op::*;
        match inst.op {
            ToI32 | ToF32 | BitsI32 | BitsF32 => {
                // A conversion that changes no bits.
                let r = self.reg(inst.args[0]);
                self.set(result, r);
            }
            Select => self.select(inst),
            Abs => {
                let a = self.reg(inst.args[0]);
                let minus = self.add_new(AddOp::Sub, imm(0), a);
                let d = self.define(result);
                self.add(AddOp::Max, d, a, minus);
            }
            MinU | MaxU => self.unsigned_extreme(inst),
            AndNot => {
                let (a, b) = (self.src(inst.args[0]), self.src(inst.args[1]));
                let inverse = match self.kernel.ty(result).elem {
                    Elem::Bool => self.add_new(AddOp::Xor, b, imm(1)),
                    _ => self.add_new(AddOp::Not, b, b),
                };
                let d = self.define(result);
                self.add(AddOp::And, d, a, inverse);
            }
            Mul => self.multiply(inst),
            CmpEq | CmpNe | CmpLt | CmpLe | CmpGt | CmpGe | CmpLtU | CmpLeU | CmpGtU | CmpGeU | VoteAny | VoteAll => {
                let r = self.materialise(inst);
                self.set(result, r);
            }
            Rotate => self.rotate(inst),
            Broadcast => self.broadcast(inst),
            RecipApprox | RsqrtApprox | Exp2Approx | Log2Approx => self.special(inst),
            Lane => {
                let d = self.define(result);
                self.emit(MInst::mov(d, Src::Element));
            }
            LaneActive | Group | NumGroups | GroupSize | Extent | Worker | NumWorkers | Dim => self.position(inst),
            op => {
                let ty = self.kernel.ty(result);
                self.error(format!("`{}` giving {ty} is not an operation of the QPU", op.mnemonic()));
                let zero = self.const_reg(0);
                self.set(result, zero);
            }
        }
    }

    /// Emits an operation that is one instruction, into `into` or a fresh register; false if it is not one.
    fn emit_single(&mut self, inst: &'k Inst, into: Option<Reg>, cond: Cond) -> bool {
        let Some(&first) = inst.args.first() else { return false };
        if let Some(&bytes::Saturating { op, a, b }) = inst.results.first().and_then(|r| self.saturating.get(r)) {
            let a = self.src(a);
            let b = match b {
                bytes::Other::Value(b) => self.src(b),
                bytes::Other::Number(n) => self.const_src(n as u32),
            };
            let (a, b) = self.pair(a, b);
            let d = into.unwrap_or_else(|| self.define(inst.result()));
            self.emit(MInst::mul(op, d, a, b).when(cond));
            return true;
        }
        let Some(form) = single(inst.op, self.kernel.ty(first).elem) else { return false };
        let a = self.src(first);
        let (oper, a, b) = match form {
            Single::Plain(Oper::Add(AddOp::Fadd)) if inst.args[0] == inst.args[1] => (Oper::Double, a, a),
            Single::Plain(oper) => match (inst.op, self.kernel.as_i32(inst.args[1])) {
                (Op::Shl | Op::Shr | Op::Asr | Op::Ror, Some(k)) => (oper, a, shift_count(k as u32)),
                _ => (oper, a, self.src(inst.args[1])),
            },
            Single::FromZero(oper) => (oper, imm(0), a),
            Single::Twice(oper) => (oper, a, a),
            Single::WithOne(oper) => (oper, a, imm(1)),
        };
        let (a, b) = self.pair(a, b);
        let d = into.unwrap_or_else(|| self.define(inst.result()));
        let operands = if oper == Oper::Double { 1 } else { 2 };
        self.emit(MInst::new(oper, d, &[a, b][..operands]).when(cond));
        true
    }

    /// Computes a value that had been left to a `select`.
    pub(super) fn emit_deferred(&mut self, inst: &'k Inst) {
        let done = self.emit_single(inst, None, Cond::Always);
        debug_assert!(done, "only single instructions are deferred");
    }

    /// Reads the operands of a deferred operation now, because that may set flags.
    fn touch_operands(&mut self, v: Value) {
        if let Rep::Deferred(inst) = self.reps[v.index()] {
            for &arg in &inst.args {
                if !matches!(self.kernel.values[arg].def, kir::Def::Const(_)) {
                    self.src(arg);
                }
            }
        } else {
            self.src(v);
        }
    }

    /// Writes a value into a register under a condition, with its computation if that was deferred.
    fn write_value(&mut self, v: Value, d: Reg, cond: Cond) {
        if let Rep::Deferred(inst) = self.reps[v.index()] {
            self.reps[v.index()] = Rep::None;
            self.emit_single(inst, Some(d), cond);
            return;
        }
        let s = self.src(v);
        self.emit(MInst::mov(d, s).when(cond));
    }

    fn select(&mut self, inst: &'k Inst) {
        let [c, yes, no] = inst.args[..] else { return };
        let (yes, no, invert) = match (self.reps[yes.index()], self.reps[no.index()]) {
            // The unconditional write comes first, so a computation that may be conditional had better be the other arm.
            (Rep::Reg(_), Rep::Deferred(_)) => (no, yes, true),
            // It is no copy if its source ends here.
            (Rep::Reg(_), Rep::Reg(_)) if self.ends_at(yes, inst) && !self.ends_at(no, inst) => (no, yes, true),
            _ => (yes, no, false),
        };
        if self.kernel.ty(inst.result()).elem == Elem::Bool {
            // Bools may be conditions: both arms become registers before the flags are set.
            let (yes, no) = (self.src(yes), self.src(no));
            let d = self.define(inst.result());
            let cond = self.condition(c);
            self.emit(MInst::mov(d, no));
            self.emit(MInst::mov(d, yes).when(if invert { cond.inverse() } else { cond }));
            return;
        }
        self.touch_operands(yes);
        self.touch_operands(no);
        let d = self.define(inst.result());
        // The condition first: the copy of `no` may then be the last use of `no`, and vanish.
        let cond = self.condition(c);
        self.write_value(no, d, Cond::Always);
        self.write_value(yes, d, if invert { cond.inverse() } else { cond });
        self.read_copy(no, d);
    }

    /// Whether an instruction is the last in the program's order to use a value.
    fn ends_at(&self, v: Value, inst: &Inst) -> bool {
        self.last_uses[v.index()].is_some_and(|last| std::ptr::eq(last, inst))
    }

    /// Lets the conditional write that was just emitted read `v`'s copy `d` instead of `v`.
    fn read_copy(&mut self, v: Value, d: Reg) {
        let Rep::Reg(r) = self.reps[v.index()] else { return };
        if let Some(last) = self.code.blocks[self.cur].insts.last_mut() {
            for s in last.src.iter_mut().flatten().filter(|s| **s == Src::Reg(r)) {
                *s = d.into();
            }
        }
    }

    fn unsigned_extreme(&mut self, inst: &'k Inst) {
        let (a, b) = (self.src(inst.args[0]), self.src(inst.args[1]));
        let (x, y) = self.pair(a, b);
        let d = self.define(inst.result());
        self.emit(MInst::mov(d, b));
        self.emit(MInst::add(AddOp::Sub, Dst::None, x, y).flags());
        self.emit(MInst::mov(d, a).when(if inst.op == Op::MinU { Cond::Cs } else { Cond::Cc }));
    }

    /// The low 32 bits of a product, from 24-bit multiplications: with a = a1 * 2^24 + a0 and the same for b, it is
    /// a0 * b0 + (a1 * b0 + a0 * b1) * 2^24, where the hardware takes the low 24 bits of each operand by itself.
    fn multiply(&mut self, inst: &'k Inst) {
        if self.kernel.ty(inst.result()).elem != Elem::I32 {
            return self.error("only 32-bit integers and floats can be multiplied on the QPU");
        }
        let result = inst.result();
        let (mut a, mut b) = (inst.args[0], inst.args[1]);
        if self.kernel.as_i32(a).is_some() {
            (a, b) = (b, a);
        }
        let known = self.kernel.as_i32(b).map(|k| k as u32);
        let (x, y) = (self.src(a), self.src(b));
        let (x, y) = self.pair(x, y);
        let shift = shift_count(24);
        let mut high = self.fresh();
        self.add(AddOp::Shr, high, x, shift);
        let product = self.fresh();
        self.emit(MInst::mul(MulOp::Mul24, product, high, y));
        high = product;
        if known.is_none_or(|k| k >> 24 != 0) {
            let other = match known {
                Some(k) => self.const_src(k >> 24),
                None => self.add_new(AddOp::Shr, y, shift).into(),
            };
            let second = self.fresh();
            let (p, q) = self.pair(x, other);
            self.emit(MInst::mul(MulOp::Mul24, second, p, q));
            high = self.add_new(AddOp::Add, high, second);
        }
        let high = self.add_new(AddOp::Shl, high, shift);
        let low = self.fresh();
        self.emit(MInst::mul(MulOp::Mul24, low, x, y));
        let d = self.define(result);
        self.add(AddOp::Add, d, low, high);
    }

    /// A copy in r0 to r3, from where the whole vector can be rotated.
    pub(super) fn rotatable(&mut self, s: impl Into<Src>) -> Reg {
        let t = self.fresh();
        self.code.virt.last_mut().expect("just added").bank = Some(crate::machine::registers::Bank::Quick);
        self.emit(MInst::mov(t, s));
        t
    }

    /// As [`Cx::rotatable`] for a value of the kernel, which never changes: rotations of one value in a row share a copy.
    /// Only the last copy is shared, so that two never take accumulators for long.
    pub(super) fn rotatable_value(&mut self, s: Src) -> Reg {
        match self.rotated {
            Some((block, source, copy)) if block == self.cur && source == s => copy,
            _ => {
                let copy = self.rotatable(s);
                self.rotated = Some((self.cur, s, copy));
                copy
            }
        }
    }

    /// Rotates `source` up by a constant into `dst`.
    pub(super) fn rotate_by(&mut self, dst: impl Into<Dst>, source: impl Into<Src>, by: u32) {
        match by % 16 {
            0 => self.emit(MInst::mov(dst, source)),
            n => {
                let t = self.rotatable(source);
                self.emit(MInst { rotate: Rotate::By(n as u8), ..MInst::mov(dst, t) });
            }
        }
    }

    fn rotate(&mut self, inst: &'k Inst) {
        let value = self.src(inst.args[0]);
        if let Some(n) = self.kernel.as_i32(inst.args[1]) {
            let d = self.define(inst.result());
            return self.rotate_by(d, value, n as u32);
        }
        let amount = self.src(inst.args[1]);
        let t = self.rotatable(value);
        self.emit(MInst::mov(Reg::R5, amount));
        let d = self.define(inst.result());
        self.emit(MInst { rotate: Rotate::R5, ..MInst::mov(d, t) });
    }

    /// Lane 0 of `source` to all lanes of `dst`.
    pub(super) fn spread(&mut self, dst: Reg, source: impl Into<Src>) {
        self.emit(MInst::mov(Reg::R5, source));
        self.emit(MInst::mov(dst, Reg::R5));
    }

    fn broadcast(&mut self, inst: &'k Inst) {
        let value = self.src(inst.args[0]);
        let d = match self.kernel.as_i32(inst.args[1]) {
            Some(lane) if lane & 15 == 0 => value,
            Some(lane) => {
                // The rotation itself writes r5, which gives lane 0 to all.
                let t = self.rotatable_value(value);
                let by = Rotate::By(16 - (lane as u8 & 15));
                self.emit(MInst { rotate: by, ..MInst::mov(Reg::R5, t) });
                let out = self.define(inst.result());
                return self.emit(MInst::mov(out, Reg::R5));
            }
            None => {
                let lane = self.src(inst.args[1]);
                let t = self.rotatable(value);
                let (zero, lane) = self.pair(imm(0), lane);
                self.add(AddOp::Sub, Reg::R5, zero, lane);
                let u = self.fresh();
                self.emit(MInst { rotate: Rotate::R5, ..MInst::mov(u, t) });
                u.into()
            }
        };
        let out = self.define(inst.result());
        self.spread(out, d);
    }

    fn special(&mut self, inst: &'k Inst) {
        let a = self.src(inst.args[0]);
        let unit = match inst.op {
            Op::RecipApprox => Waddr::SFU_RECIP,
            Op::RsqrtApprox => Waddr::SFU_RECIPSQRT,
            Op::Exp2Approx => Waddr::SFU_EXP,
            _ => Waddr::SFU_LOG,
        };
        self.emit(MInst::mov(Dst::Peripheral(unit, None), a));
        let d = self.define(inst.result());
        self.emit(MInst::mov(d, Reg::R4));
    }

    fn position(&mut self, inst: &'k Inst) {
        let r = match inst.op {
            Op::Worker => self.uniform(UniformSlot::Worker),
            Op::NumWorkers => self.uniform(UniformSlot::NumWorkers),
            Op::Extent => self.uniform(UniformSlot::Extent(inst.imm)),
            Op::NumGroups => self.num_groups(inst.imm),
            Op::GroupSize => self.const_reg(self.kernel.group.get(inst.imm as usize).copied().unwrap_or(1)),
            Op::Dim => match inst.buf {
                Some(buf) => self.dim(buf, inst.imm),
                None => self.const_reg(0),
            },
            _ => match self.grid_position(inst) {
                Some(r) => r,
                None => {
                    self.error(format!("`{}` has no meaning in a kernel without extent", inst.op.mnemonic()));
                    self.const_reg(0)
                }
            },
        };
        self.set(inst.result(), r);
    }
}
