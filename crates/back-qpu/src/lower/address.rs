//! Addresses: a base that stands still plus an offset that moves.
//!
//! An index that a loop computes as a sum of a value from outside and one of its own needs one addition per access if the
//! buffer's address plus four times the value from outside waits in a register. Which values that concerns is found before
//! selection; their registers are filled where the values are computed. Values that differ by a constant share a register,
//! and the constant joins the offset, which accesses to several rows share.

use super::{Cx, imm};
use crate::minst::{Dst, MInst, Reg, Src};
use kir::{Block, Buf, Def, Inst, Kernel, Op, Value};
use quadra_kir as kir;
use quadra_passes::analysis::linear::Forms;
use quadra_qpu::vc4::AddOp;
use std::collections::HashMap;

/// What one access adds to a buffer's address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    Plain(Buf),
    /// Plus four times the lane.
    Lanes(Buf),
}

/// How indices are taken apart.
#[derive(Default)]
pub(super) struct Addressing {
    /// Of an index: what comes from outside of the loop, what does not, and a constant.
    split: HashMap<Value, (Value, Value, i32)>,
    /// The bases that a value from outside is added to.
    wanted: HashMap<Value, Vec<Base>>,
    /// The registers that hold such sums.
    sums: HashMap<(Reg, Value), Reg>,
}

impl Addressing {
    /// Looks through all accesses of a kernel; those to `through_dma` buffers are addressed by row.
    pub fn of(kernel: &Kernel, through_dma: &[bool]) -> Addressing {
        let mut found = Finder {
            kernel,
            through_dma,
            forms: Forms::of(kernel),
            place: HashMap::new(),
            blocks: 0,
            sums: HashMap::new(),
            shared: HashMap::new(),
            out: Addressing::default(),
        };
        found.block(&kernel.body, 0);
        found.out
    }
}

struct Finder<'k> {
    kernel: &'k Kernel,
    through_dma: &'k [bool],
    forms: Forms,
    /// The loops around each value's definition, and the number of its block.
    place: HashMap<Value, (u32, u32)>,
    blocks: u32,
    sums: HashMap<Value, (Value, Value)>,
    /// By block and sum without its constant: the first value from outside that is used.
    shared: HashMap<(u32, Vec<(Value, i32)>), (Value, i32)>,
    out: Addressing,
}

impl Finder<'_> {
    fn block(&mut self, block: &Block, depth: u32) {
        self.blocks += 1;
        let number = self.blocks;
        for &p in &block.params {
            self.place.insert(p, (depth, number));
        }
        for inst in &block.insts {
            let inside = depth + u32::from(matches!(inst.op, Op::For | Op::Loop));
            inst.regions.iter().for_each(|r| self.block(r, inside));
            for &r in &inst.results {
                self.place.insert(r, (depth, number));
            }
            if inst.op == Op::Add {
                self.sums.insert(inst.result(), (inst.args[0], inst.args[1]));
            }
            if let Some(base) = self.base(inst) {
                self.access(inst.args[0], base);
            }
        }
    }

    fn base(&self, inst: &Inst) -> Option<Base> {
        let buf = inst.buf?;
        let dma = self.through_dma[buf.index()];
        match inst.op {
            Op::StoreRow | Op::StoreRows if inst.mask.is_none() => Some(Base::Plain(buf)),
            Op::LoadRow if dma && inst.mask.is_none() => Some(Base::Plain(buf)),
            Op::LoadRow if !dma => Some(Base::Lanes(buf)),
            Op::Load | Op::TmuRequest if !dma || inst.op == Op::TmuRequest => Some(Base::Plain(buf)),
            _ => None,
        }
    }

    /// The loops around a value's definition; constants and parameters stand outside of all.
    fn depth(&self, v: Value) -> u32 {
        self.place.get(&v).map_or(0, |p| p.0)
    }

    /// What stands for a value from outside, and the constant that it lacks.
    fn share(&mut self, v: Value) -> (Value, i32) {
        let form = self.forms.at(self.kernel, v);
        let block = self.place.get(&v).map_or(0, |p| p.1);
        let (first, constant) = *self.shared.entry((block, form.terms)).or_insert((v, form.constant));
        (first, form.constant.wrapping_sub(constant))
    }

    fn access(&mut self, index: Value, base: Base) {
        let Some(&(a, b)) = self.sums.get(&index) else { return };
        let (x, y, here) = (self.depth(a), self.depth(b), self.depth(index));
        let (still, moving) = match (x < here, y < here) {
            (true, false) => (a, b),
            (false, true) => (b, a),
            _ => return,
        };
        // A constant is as well added to the offset, which other accesses may share; a value of another loop level is not.
        if self.kernel.as_const(still).is_some() {
            return;
        }
        let (still, constant) = self.share(still);
        self.out.split.insert(index, (still, moving, constant));
        let bases = self.out.wanted.entry(still).or_default();
        if !bases.contains(&base) {
            bases.push(base);
        }
    }
}

impl<'k> Cx<'k> {
    fn base_register(&mut self, base: Base) -> Reg {
        match base {
            Base::Plain(buf) => self.base(buf),
            Base::Lanes(buf) => self.lane_base(buf),
        }
    }

    /// Fills the registers that wait for these values, which have just been computed.
    pub(super) fn computed(&mut self, values: &[Value]) {
        self.set_gap(values);
        for &v in values {
            for base in self.addressing.wanted.get(&v).cloned().unwrap_or_default() {
                let base = self.base_register(base);
                let offset = self.byte_offset(v);
                let sum = self.add_new(AddOp::Add, base, offset);
                self.addressing.sums.insert((base, v), sum);
            }
        }
    }

    /// As [`Cx::computed`] for parameters of the kernel, in the prologue.
    fn parameter_sum(&mut self, base: Reg, v: Value) -> Reg {
        let parameter = self.parameter(v);
        let (scaled, sum) = (self.code.fresh(), self.code.fresh());
        self.prologue.push(MInst::add(AddOp::Shl, scaled, parameter, imm(2)));
        self.prologue.push(MInst::add(AddOp::Add, sum, base, scaled));
        self.addressing.sums.insert((base, v), sum);
        sum
    }

    /// A base, an index and a constant to add to it, so that what stands still is part of the base.
    fn apart(&mut self, base: Reg, index: Value) -> (Reg, Value, i32) {
        let Some(&(still, moving, constant)) = self.addressing.split.get(&index) else { return (base, index, 0) };
        match self.addressing.sums.get(&(base, still)) {
            Some(&sum) => (sum, moving, constant),
            None if matches!(self.kernel.values[still].def, Def::Param) => {
                (self.parameter_sum(base, still), moving, constant)
            }
            None => (base, index, 0),
        }
    }

    /// Four times an index.
    pub(super) fn byte_offset(&mut self, index: Value) -> Src {
        self.byte_offset_plus(index, 0)
    }

    /// Four times the sum of an index and a constant, of which each block computes one from the other.
    fn byte_offset_plus(&mut self, index: Value, constant: i32) -> Src {
        if let Some(k) = self.kernel.as_i32(index) {
            return self.const_src((k.wrapping_add(constant) as u32).wrapping_mul(4));
        }
        let known = self.scaled.get(&index).cloned().unwrap_or_default();
        if let Some((_, r)) = known.iter().find(|(c, _)| *c == constant) {
            return (*r).into();
        }
        let r = match known.last() {
            Some(&(c, r)) => {
                let more = self.const_src((constant.wrapping_sub(c) as u32).wrapping_mul(4));
                self.add_new(AddOp::Add, r, more)
            }
            None => {
                let i = self.src(index);
                let r = self.add_new(AddOp::Shl, i, imm(2));
                self.scaled.insert(index, vec![(0, r)]);
                if constant != 0 {
                    return self.byte_offset_plus(index, constant);
                }
                return r.into();
            }
        };
        self.scaled.entry(index).or_default().push((constant, r));
        r.into()
    }

    /// Writes `base + 4 * index` to a register or peripheral.
    pub(super) fn address(&mut self, dst: impl Into<Dst>, base: Reg, index: Value) {
        let inst = self.address_inst(base, index);
        self.emit(MInst { dst: dst.into(), ..inst });
    }

    /// The instruction that computes `base + 4 * index`; its operands are ready.
    pub(super) fn address_inst(&mut self, base: Reg, index: Value) -> MInst {
        if self.kernel.as_i32(index) == Some(0) {
            return MInst::mov(Dst::None, base);
        }
        let (base, index, constant) = self.apart(base, index);
        let offset = self.byte_offset_plus(index, constant);
        MInst::add(AddOp::Add, Dst::None, base, offset)
    }
}
