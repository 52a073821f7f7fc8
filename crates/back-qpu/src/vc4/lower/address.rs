//! Addresses: a base that stands still plus an offset that moves.
//!
//! An index that a loop computes as a sum of a value from outside and one of its own needs one addition per access if the
//! buffer's address plus four times the value from outside waits in a register. Which values that concerns is found before
//! selection; their registers are filled where the values are computed. Values that differ by a constant share a register,
//! and the constant joins the offset, which accesses to several rows share.

use super::cx::Cx;
use crate::vc4::minst::{Dst, MInst, Reg, Src, imm, shift_count};
use kir::{Block, Buf, Def, Inst, Kernel, Op, Value};
use quadra_base::quick::Map;
use quadra_isa::vc4::AddOp;
use quadra_kir as kir;
use quadra_passes::analysis::linear::Forms;

/// The part of a sum of indices that stands still while a loop runs: values with their factors, by value.
type Still = Vec<(Value, i32)>;

/// An index taken apart.
#[derive(Clone)]
struct Split {
    /// Whether the lane number is one of the terms.
    lanes: bool,
    still: Still,
    /// What the loop computes.
    moving: Value,
    constant: i32,
}

/// A buffer's address, with or without the lane number, plus such a part and a constant.
#[derive(Clone, PartialEq)]
struct Wanted {
    buf: Buf,
    lanes: bool,
    still: Still,
    constant: i32,
}

/// How indices are taken apart.
#[derive(Default)]
pub(super) struct Addressing {
    splits: Map<Value, Split>,
    /// By the value that is computed last: the buffers whose addresses such sums are added to.
    wanted: Map<Value, Vec<Wanted>>,
    /// The registers that hold them, by the register of the base.
    sums: Map<(Reg, Still), Reg>,
}

impl Addressing {
    /// Looks through all accesses of a kernel but those to arrays that are `held` in registers; those to `through_dma` buffers
    /// are addressed by row.
    pub fn of(kernel: &Kernel, through_dma: &[bool], held: &dyn Fn(Buf) -> bool) -> Addressing {
        let mut found = Finder {
            kernel,
            held,
            through_dma,
            forms: Forms::of(kernel),
            places: Map::default(),
            lanes: Vec::new(),
            adds: Map::default(),
            constants: Map::default(),
            out: Addressing::default(),
        };
        found.block(&kernel.body, 0);
        found.out
    }
}

struct Finder<'k> {
    kernel: &'k Kernel,
    held: &'k dyn Fn(Buf) -> bool,
    through_dma: &'k [bool],
    forms: Forms,
    /// The loops around each value's definition, and its number in program order.
    places: Map<Value, (u32, usize)>,
    /// The values that are the lane number.
    lanes: Vec<Value>,
    /// The operands of additions, by the sum.
    adds: Map<Value, [Value; 2]>,
    /// The constant of the first index with this part that stands still: others count from it.
    constants: Map<Still, i32>,
    out: Addressing,
}

impl Finder<'_> {
    fn define(&mut self, v: Value, depth: u32) {
        let number = self.places.len();
        self.places.insert(v, (depth, number));
    }

    fn block(&mut self, block: &Block, depth: u32) {
        block.params.iter().for_each(|&p| self.define(p, depth));
        for inst in &block.insts {
            let inside = depth + u32::from(matches!(inst.op, Op::For | Op::Loop));
            inst.regions.iter().for_each(|r| self.block(r, inside));
            inst.results.iter().for_each(|&r| self.define(r, depth));
            if inst.op == Op::Lane {
                self.lanes.push(inst.result());
            }
            if let (Op::Add, &[a, b]) = (inst.op, inst.args.as_slice()) {
                self.adds.insert(inst.result(), [a, b]);
            }
            if let Some((buf, lanes)) = self.base(inst) {
                self.access(inst.args[0], buf, lanes, depth);
            }
        }
    }

    /// The buffer of an access whose address is a sum, and whether the lane number is added anyway.
    fn base(&self, inst: &Inst) -> Option<(Buf, bool)> {
        let buf = inst.buf.filter(|b| self.kernel.bufs[*b].elem.bytes() == 4 && !(self.held)(*b))?;
        let dma = self.through_dma[buf.index()];
        match inst.op {
            Op::StoreRow | Op::StoreRows if inst.mask.is_none() => Some((buf, false)),
            Op::LoadRow if dma && inst.mask.is_none() => Some((buf, false)),
            Op::LoadRow if !dma => Some((buf, true)),
            Op::Load | Op::TmuRequest if !dma || inst.op == Op::TmuRequest => Some((buf, false)),
            _ => None,
        }
    }

    /// Takes an index apart if it is one value of the present loop, plus what comes from outside.
    fn access(&mut self, index: Value, buf: Buf, row: bool, depth: u32) {
        let form = self.forms.at(self.kernel, index);
        let place = |v: Value| self.places.get(&v).copied().unwrap_or((0, 0));
        let (inner, outer): (Still, Still) = form.terms.iter().partition(|t| place(t.0).0 >= depth);
        let [(moving, 1)] = inner[..] else { return self.peel(index, row, depth) };
        let lanes = outer.iter().any(|t| t.1 == 1 && self.lanes.contains(&t.0));
        let still: Still = outer.into_iter().filter(|t| !(lanes && self.lanes.contains(&t.0))).collect();
        let summed = still.iter().all(|&(_, f)| f > 0 && (f as u32).is_power_of_two());
        if depth == 0 || !summed || moving == index || lanes && row {
            return;
        }
        let first = match still[..] {
            [] => 0,
            _ => *self.constants.entry(still.clone()).or_insert(form.constant),
        };
        let constant = form.constant.wrapping_sub(first);
        self.out.splits.insert(index, Split { lanes, still: still.clone(), moving, constant });
        let last = still.iter().map(|t| t.0).max_by_key(|&v| place(v).1);
        if let Some(last) = last {
            let wanted = self.out.wanted.entry(last).or_default();
            let entry = Wanted { buf, lanes: lanes || row, still, constant: first };
            if !wanted.contains(&entry) {
                wanted.push(entry);
            }
        }
    }
}

impl Finder<'_> {
    /// Takes the lane number and constants off a sum of several values that the present loop computes.
    fn peel(&mut self, index: Value, row: bool, depth: u32) {
        let (mut moving, mut constant, mut lanes) = (index, 0i32, false);
        while let Some(&[a, b]) = self.adds.get(&moving) {
            let number = |v: Value| self.kernel.as_i32(v);
            moving = match (number(a), number(b)) {
                (_, Some(k)) => {
                    constant = constant.wrapping_add(k);
                    a
                }
                (Some(k), _) => {
                    constant = constant.wrapping_add(k);
                    b
                }
                _ if !lanes && self.lanes.contains(&b) => {
                    lanes = true;
                    a
                }
                _ if !lanes && self.lanes.contains(&a) => {
                    lanes = true;
                    b
                }
                _ => break,
            };
        }
        if depth > 0 && moving != index && !(lanes && row) {
            self.out.splits.insert(index, Split { lanes, still: Vec::new(), moving, constant });
        }
    }
}

impl<'k> Cx<'k> {
    /// Fills the registers that wait for these values, which have just been computed.
    pub(super) fn computed(&mut self, values: &[Value]) {
        self.set_gap(values);
        for &v in values {
            for Wanted { buf, lanes, still, constant } in self.addressing.wanted.get(&v).cloned().unwrap_or_default() {
                let base = if lanes { self.lane_base(buf) } else { self.base(buf) };
                let mut sum = base;
                for &(term, factor) in &still {
                    let offset = match factor {
                        1 => self.byte_offset(term),
                        _ => {
                            let term = self.src(term);
                            self.add_new(AddOp::Shl, term, shift_count(2 + factor.trailing_zeros())).into()
                        }
                    };
                    sum = self.add_new(AddOp::Add, sum, offset);
                }
                if constant != 0 {
                    let more = self.const_src((constant as u32).wrapping_mul(4));
                    sum = self.add_new(AddOp::Add, sum, more);
                }
                self.addressing.sums.insert((base, still), sum);
            }
        }
    }

    /// As [`Cx::computed`] for parameters of the kernel.
    pub(super) fn parameters_computed(&mut self) {
        let wanted = self.addressing.wanted.keys();
        let mut parameters: Vec<Value> =
            wanted.copied().filter(|&v| matches!(self.kernel.values[v].def, Def::Param)).collect();
        parameters.sort_unstable();
        self.computed(&parameters);
    }

    /// A base, an index and a constant to add to it, so that what stands still is part of the base.
    fn apart(&mut self, base: Reg, index: Value) -> (Reg, Value, i32) {
        let Some(split) = self.addressing.splits.get(&index).cloned() else { return (base, index, 0) };
        let with_lanes = if split.lanes { self.plus_lanes(base) } else { base };
        if split.still.is_empty() {
            return (with_lanes, split.moving, split.constant);
        }
        match self.addressing.sums.get(&(with_lanes, split.still)) {
            Some(&sum) => (sum, split.moving, split.constant),
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
