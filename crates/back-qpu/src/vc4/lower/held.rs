//! Arrays that the items of a group share, in registers: one for every 16 elements.
//!
//! A group is one vector of one QPU, so nobody else sees them. Where index and array do not tell the register and the lane,
//! the index is compared with all there are: a slot or two for each register, while one word by DMA takes 80 clocks of an
//! engine for which all QPUs queue. Lanes at addresses of their own are loaded by all rotations that bring any lane's element
//! to its lane, and stored one after the other.

mod load;
mod store;

use super::cx::Cx;
use crate::vc4::minst::{Dst, MInst, Reg, Src, imm};
use kir::{Buf, Inst, Kernel, Op, Value};
use quadra_base::quick::{Map, Set};
use quadra_isa::vc4::{AddOp, Cond};
use quadra_kir as kir;
use quadra_passes::analysis::linear::{Form, Forms};
use quadra_passes_dma::near;

/// Elements of a register.
const ROW: i32 = 16;
/// Rotations by which a load of lanes at addresses of their own is written without a loop.
const MOST_ROTATIONS: usize = 32;
/// A row number that no row has, however far it is moved.
const NOWHERE: u32 = 0x8000_0000;

/// The arrays and what is known of indices.
#[derive(Default)]
pub(super) struct Held {
    /// By array: its registers.
    rows: Map<Buf, Vec<Reg>>,
    forms: Forms,
    /// Induction variables that are multiples of 16 in all iterations.
    aligned: Set<Value>,
    /// Values that differ between lanes but not from launch to launch.
    known: Map<Value, [i32; 16]>,
    /// Masks that select lanes by the index of what they access, with the indices: most lanes have theirs elsewhere.
    selects: Map<Value, Vec<Value>>,
    /// Rows that were picked out in the present block: array, index of its first element, register.
    picked: Vec<(usize, Buf, Form, Reg)>,
}

/// The row of an index.
#[derive(Clone, Copy)]
enum Row {
    Known(i32),
    Computed(Reg),
}

/// The lane of an index.
#[derive(Clone, Copy)]
enum Lane {
    Known(i32),
    Computed(Reg),
}

/// The arrays of a kernel that lie in registers, if `rows` registers are for them.
pub(super) fn arrays(kernel: &Kernel, rows: u32) -> Vec<(Buf, usize)> {
    near::arrays(kernel, rows)
}

/// The induction variables that only are multiples of 16.
fn aligned(kernel: &Kernel) -> Set<Value> {
    let mut found = Set::default();
    kernel.body.walk(&mut |inst| {
        let multiple = |v: Value| kernel.as_i32(v).is_some_and(|c| c % ROW == 0);
        if inst.op == Op::For && multiple(inst.args[0]) && multiple(inst.args[2]) {
            found.insert(inst.regions[0].params[0]);
        }
    });
    found
}

/// Integers that follow from the number of the lane and constants.
fn known(kernel: &Kernel) -> Map<Value, [i32; 16]> {
    let mut found: Map<Value, [i32; 16]> = Map::default();
    kernel.body.walk(&mut |inst| {
        let [result] = inst.results[..] else { return };
        if inst.op == Op::Lane {
            found.insert(result, std::array::from_fn(|l| l as i32));
            return;
        }
        let int = |v: Value| kernel.ty(v).elem == kir::Elem::I32;
        if !kir::eval::is_lanewise(inst.op) || !int(result) || !inst.args.iter().all(|&v| int(v)) {
            return;
        }
        let args: Option<Vec<[i32; 16]>> =
            inst.args.iter().map(|&v| kernel.as_i32(v).map(|c| [c; 16]).or_else(|| found.get(&v).copied())).collect();
        if let Some(args) = args.filter(|a| !a.is_empty()) {
            let lanes = std::array::from_fn(|l| {
                let bits: Vec<u64> = args.iter().map(|a| u64::from(a[l] as u32)).collect();
                kir::eval::lane(inst.op, kir::Elem::I32, &bits, kir::Arithmetic::TowardZero) as u32 as i32
            });
            found.insert(result, lanes);
        }
    });
    found
}

/// The masks that ask, besides whatever else, whether indices are below constants.
fn selects(kernel: &Kernel) -> Map<Value, Vec<Value>> {
    let mut found: Map<Value, Vec<Value>> = Map::default();
    kernel.body.walk(&mut |inst| {
        let indices = match inst.op {
            Op::CmpLtU if kernel.as_i32(inst.args[1]).is_some() => vec![inst.args[0]],
            Op::And => inst.args.iter().filter_map(|a| found.get(a)).flatten().copied().collect(),
            _ => return,
        };
        if !indices.is_empty() {
            found.insert(inst.result(), indices);
        }
    });
    found
}

impl<'k> Cx<'k> {
    /// Gives these arrays their registers.
    pub(super) fn hold(&mut self, arrays: &[(Buf, usize)]) {
        if arrays.is_empty() {
            return;
        }
        let rows = arrays.iter().map(|&(buf, n)| (buf, (0..n).map(|_| self.fresh()).collect())).collect();
        let kernel = self.kernel;
        let (forms, aligned, known) = (Forms::of(kernel), aligned(kernel), known(kernel));
        self.held = Held { rows, forms, aligned, known, selects: selects(kernel), picked: Vec::new() };
    }

    pub(super) fn is_held(&self, buf: Buf) -> bool {
        self.held.rows.contains_key(&buf)
    }

    /// Fills them with zeros, at the start of a group.
    pub(super) fn clear_held(&mut self) {
        let mut all: Vec<Reg> = self.held.rows.values().flatten().copied().collect();
        all.sort();
        all.into_iter().for_each(|r| self.emit(MInst::mov(r, imm(0))));
        self.changed();
    }

    /// A load, store or atomic operation.
    pub(super) fn held_access(&mut self, inst: &'k Inst, buf: Buf, mask: Option<Value>) {
        let rows = self.held.rows[&buf].clone();
        match inst.op {
            Op::LoadRow => self.held_load_row(inst, (buf, &rows), mask),
            Op::Load if self.is_vector(inst.args[0]) => self.held_gather(inst, &rows, mask),
            Op::Load => self.held_load_one(inst, (buf, &rows), mask),
            Op::StoreRow => self.held_store_row(inst, &rows, inst.args[0], mask),
            Op::Store if self.is_vector(inst.args[0]) => self.held_scatter(inst, &rows, mask),
            Op::Store if mask.is_none() && !self.is_vector(inst.args[1]) => self.held_store_one(inst, &rows),
            Op::Store => self.held_in_turn(inst, &rows, mask),
            op => self.error(format!("`{}` of an array that a group shares", op.mnemonic())),
        }
    }

    /// What was picked out of the arrays is out of date.
    fn changed(&mut self) {
        self.held.picked.clear();
        self.rotated = None;
    }

    // Indices.

    /// The number of each lane, in a register: an operand of its own would stand in the way of registers in file A.
    fn held_lanes(&mut self) -> Reg {
        let lanes = self.fresh();
        self.emit(MInst::mov(lanes, Src::Element));
        lanes
    }

    fn held_place(&mut self, rows: usize, index: Value) -> (Row, Lane) {
        let form = self.held.forms.at(self.kernel, index);
        if let Some(c) = form.as_constant() {
            return (Row::Known(c.div_euclid(ROW)), Lane::Known(c.rem_euclid(ROW)));
        }
        let even = form.terms.iter().all(|(v, f)| f % ROW == 0 || self.held.aligned.contains(v));
        let i = self.reg(index);
        let lane = match even {
            true => Lane::Known(form.constant.rem_euclid(ROW)),
            false => Lane::Computed(self.add_new(AddOp::And, i, imm(15))),
        };
        let row = if rows == 1 { Row::Known(0) } else { Row::Computed(self.add_new(AddOp::Asr, i, imm(4))) };
        (row, lane)
    }

    /// The row with this number; any other if there is none.
    fn held_row(&mut self, rows: &[Reg], row: Row, plus: i32) -> Reg {
        if let [only] = rows {
            return *only;
        }
        match row {
            Row::Known(r) => rows[(r + plus).clamp(0, rows.len() as i32 - 1) as usize],
            Row::Computed(r) => {
                let number = if plus == 0 { r } else { self.add_new(AddOp::Add, r, imm(plus)) };
                self.held_pick(rows, number)
            }
        }
    }

    /// The row with this computed number.
    fn held_pick(&mut self, rows: &[Reg], number: Reg) -> Reg {
        let d = self.fresh();
        self.emit(MInst::mov(d, rows[0]));
        for (r, &row) in rows.iter().enumerate().skip(1) {
            let n = self.const_src(r as u32);
            self.emit(MInst::add(AddOp::Xor, Dst::None, number, n).flags());
            self.emit(MInst::mov(d, row).when(Cond::Zs));
        }
        d
    }

    /// The row of an index, which several accesses of a block share, and the lane.
    fn held_row_of(&mut self, (buf, rows): (Buf, &[Reg]), index: Value) -> (Reg, Lane) {
        let (row, lane) = self.held_place(rows.len(), index);
        let (Row::Computed(_), Lane::Known(l)) = (row, lane) else {
            return (self.held_row(rows, row, 0), lane);
        };
        let mut form = self.held.forms.at(self.kernel, index);
        form.constant = form.constant.wrapping_sub(l);
        let cur = self.cur;
        if let Some(p) = self.held.picked.iter().find(|p| p.0 == cur && p.1 == buf && p.2 == form) {
            return (p.3, lane);
        }
        let r = self.held_row(rows, row, 0);
        self.held.picked.push((cur, buf, form, r));
        (r, lane)
    }
}
