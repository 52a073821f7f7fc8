//! Loads of arrays in registers.

use super::{Lane, MOST_ROTATIONS, ROW};
use crate::vc4::lower::cx::Cx;
use crate::vc4::minst::{Dst, MInst, Reg, Rotate, imm};
use kir::{Buf, Inst, Value};
use quadra_base::quick::Set;
use quadra_isa::vc4::{AddOp, Cond};
use quadra_kir as kir;

impl<'k> Cx<'k> {
    pub(super) fn held_result(&mut self, inst: &'k Inst, d: Reg, mask: Option<Value>) {
        self.clear_dead(d, mask);
        self.set(inst.result(), d);
    }

    /// Rotates down by a lane number: what stands there comes to lane 0.
    pub(super) fn held_down(&mut self, dst: impl Into<Dst>, source: Reg, lane: Lane) {
        match lane {
            Lane::Known(0) => self.emit(MInst::mov(dst, source)),
            Lane::Known(l) => {
                let t = self.rotatable_value(source.into());
                self.emit(MInst { rotate: Rotate::By((ROW - l) as u8), ..MInst::mov(dst, t) });
            }
            Lane::Computed(l) => {
                let t = self.rotatable(source);
                self.add(AddOp::Sub, Reg::R5, imm(0), l);
                self.emit(MInst { rotate: Rotate::R5, ..MInst::mov(dst, t) });
            }
        }
    }

    pub(super) fn held_load_row(&mut self, inst: &'k Inst, (buf, rows): (Buf, &[Reg]), mask: Option<Value>) {
        let index = inst.args[0];
        let d = self.fresh();
        if rows.len() == 1 {
            let (_, lane) = self.held_place(1, index);
            self.held_down(d, rows[0], lane);
            return self.held_result(inst, d, mask);
        }
        let (row, lane) = self.held_place(rows.len(), index);
        if let Lane::Known(0) = lane {
            let (r, _) = self.held_row_of((buf, rows), index);
            self.emit(MInst::mov(d, r));
            return self.held_result(inst, d, mask);
        }
        // The lanes from the index on are those of its row, those before it of the next one.
        let (low, high) = (self.held_row(rows, row, 0), self.held_row(rows, row, 1));
        let both = self.fresh();
        self.emit(MInst::mov(both, high));
        let first = match lane {
            Lane::Known(l) => imm(l),
            Lane::Computed(l) => l.into(),
        };
        let lanes = self.held_lanes();
        self.emit(MInst::add(AddOp::Sub, Dst::None, lanes, first).flags());
        self.emit(MInst::mov(both, low).when(Cond::Nc));
        self.held_down(d, both, lane);
        self.held_result(inst, d, mask);
    }

    pub(super) fn held_load_one(&mut self, inst: &'k Inst, array: (Buf, &[Reg]), mask: Option<Value>) {
        let (row, lane) = self.held_row_of(array, inst.args[0]);
        let d = self.fresh();
        match lane {
            Lane::Known(_) => self.held_down(Reg::R5, row, lane),
            Lane::Computed(_) => {
                let t = self.fresh();
                self.held_down(t, row, lane);
                self.emit(MInst::mov(Reg::R5, t));
            }
        }
        self.emit(MInst::mov(d, Reg::R5));
        // One value for all lanes has no dead ones: branches ask any lane.
        let mask = mask.filter(|_| self.is_vector(inst.result()));
        self.held_result(inst, d, mask);
    }

    /// Rows and rotations that bring an element to its lane.
    pub(super) fn held_rotations(&self, rows: usize, index: Value) -> Vec<(usize, i32)> {
        let all = (0..rows).flat_map(|r| (0..ROW).map(move |n| (r, n)));
        let Some(lanes) = self.held.known.get(&index) else { return all.collect() };
        let place = |(l, i): (usize, &i32)| (i.div_euclid(ROW) as usize, (l as i32 - i).rem_euclid(ROW));
        let wanted: Set<(usize, i32)> = lanes.iter().enumerate().map(place).collect();
        all.filter(|p| wanted.contains(p)).collect()
    }

    /// Each lane loads the element at its own index: where the lane's number minus the element's is what a row is rotated by.
    pub(super) fn held_gather(&mut self, inst: &'k Inst, rows: &[Reg], mask: Option<Value>) {
        let rotations = self.held_rotations(rows.len(), inst.args[0]);
        let index = self.reg(inst.args[0]);
        let lanes = self.held_lanes();
        let apart = self.add_new(AddOp::Sub, lanes, index);
        let apart = self.add_new(AddOp::And, apart, imm(15));
        let high = self.add_new(AddOp::And, index, imm(-16));
        let key = self.add_new(AddOp::Or, apart, high);
        let d = self.fresh();
        self.emit(MInst::mov(d, imm(0)));
        if rotations.len() <= MOST_ROTATIONS {
            for (r, &row) in rows.iter().enumerate() {
                let of_row: Vec<i32> = rotations.iter().filter(|p| p.0 == r).map(|p| p.1).collect();
                if of_row.is_empty() {
                    continue;
                }
                let key = match r {
                    0 => key,
                    _ => {
                        let first = self.const_src((r as i32 * -ROW) as u32);
                        self.add_new(AddOp::Add, key, first)
                    }
                };
                let source = self.rotatable(row);
                for n in of_row {
                    self.emit(MInst::add(AddOp::Xor, Dst::None, key, imm(n)).flags());
                    let rotate = if n == 0 { Rotate::None } else { Rotate::By(n as u8) };
                    self.emit(MInst { rotate, ..MInst::mov(d, source).when(Cond::Zs) });
                }
            }
            return self.held_result(inst, d, mask);
        }
        let by = self.fresh();
        self.emit(MInst::mov(by, imm(0)));
        let left = self.fresh();
        self.emit(MInst::mov(left, key));
        self.repeat(16, |cx| {
            let number = cx.fresh();
            cx.emit(MInst::mov(number, left));
            cx.emit(MInst::mov(Reg::R5, by));
            for (r, &row) in rows.iter().enumerate() {
                let source = cx.rotatable(row);
                match r {
                    0 => cx.emit(MInst::add(AddOp::Or, Dst::None, number, number).flags()),
                    _ => cx.emit(MInst::add(AddOp::Add, number, number, imm(-16)).flags()),
                }
                cx.emit(MInst { rotate: Rotate::R5, ..MInst::mov(d, source).when(Cond::Zs) });
            }
            cx.add(AddOp::Add, by, by, imm(1));
            cx.add(AddOp::Sub, left, left, imm(1));
        });
        self.held_result(inst, d, mask);
    }
}
