//! Stores to arrays in registers, and atomic operations.

use super::{Lane, NOWHERE, ROW, Row};
use crate::vc4::lower::atomics::one_operation;
use crate::vc4::lower::cx::Cx;
use crate::vc4::minst::{BlockId, Dst, MInst, Reg, Src, Term, imm};
use kir::{Buf, Inst, Value};
use quadra_isa::vc4::{AddOp, BranchCond, Cond};
use quadra_kir as kir;

/// Rows that are tried one after the other: those of more are found by branches first.
const MOST_COUNTED: usize = 12;
/// Rows of a leaf. A branch costs about what four rows do.
const LEAF: usize = 8;

impl<'k> Cx<'k> {
    /// Writes where a vector of row numbers says.
    pub(super) fn held_write_rows(&mut self, rows: &[(i32, Reg)], number: Reg, value: Reg) {
        for &(r, row) in rows {
            let n = self.const_src(r as u32);
            self.emit(MInst::add(AddOp::Xor, Dst::None, number, n).flags());
            self.emit(MInst::mov(row, value).when(Cond::Zs));
        }
        self.changed();
    }

    pub(super) fn held_store_row(&mut self, inst: &'k Inst, rows: &[Reg], index: Value, mask: Option<Value>) {
        let value = self.reg(inst.args[1]);
        let (row, lane) = self.held_place(rows.len(), index);
        if let (Row::Known(r), Lane::Known(0)) = (row, lane) {
            let cond = mask.map_or(Cond::Always, |m| self.condition(m));
            if let Some(&row) = rows.get(r as usize) {
                self.emit(MInst::mov(row, value).when(cond));
            }
            return self.changed();
        }
        // The row of each lane's element.
        let first = self.reg(index);
        let lanes = self.held_lanes();
        let element = self.add_new(AddOp::Add, first, lanes);
        let number = self.held_numbers(element, imm(4), mask);
        let numbered: Vec<(i32, Reg)> = (0..).zip(rows.iter().copied()).collect();
        if let Lane::Known(0) = lane {
            return self.held_write_rows(&numbered, number, value);
        }
        let up = match lane {
            Lane::Known(l) => Lane::Known(ROW - l),
            Lane::Computed(l) => Lane::Computed(self.add_new(AddOp::Sub, imm(0), l)),
        };
        let (moved, there) = (self.fresh(), self.fresh());
        self.held_down(moved, value, up);
        self.held_down(there, number, up);
        let near = |&(r, _): &(i32, Reg)| match row {
            Row::Known(first) if rows.len() > 1 => r == first || r == first + 1,
            _ => true,
        };
        let touched: Vec<(i32, Reg)> = numbered.into_iter().filter(near).collect();
        self.held_write_rows(&touched, there, moved);
    }

    /// Elements' numbers shifted down, no row's where the mask does not hold.
    pub(super) fn held_numbers(&mut self, element: Reg, shift: Src, mask: Option<Value>) -> Reg {
        let Some(mask) = mask else { return self.add_new(AddOp::Asr, element, shift) };
        let number = self.fresh();
        let nowhere = self.const_reg(NOWHERE);
        self.emit(MInst::mov(number, nowhere));
        let cond = self.condition(mask);
        self.emit(MInst::add(AddOp::Asr, number, element, shift).when(cond));
        number
    }

    pub(super) fn held_store_one(&mut self, inst: &'k Inst, rows: &[Reg]) {
        let value = self.reg(inst.args[1]);
        if let (Row::Known(r), Lane::Known(l)) = self.held_place(rows.len(), inst.args[0]) {
            if let Some(&row) = rows.get(r as usize) {
                let lanes = self.held_lanes();
                self.emit(MInst::add(AddOp::Xor, Dst::None, lanes, imm(l)).flags());
                self.emit(MInst::mov(row, value).when(Cond::Zs));
            }
            return self.changed();
        }
        let index = self.reg(inst.args[0]);
        self.held_put(rows, index, value);
    }

    /// Writes one value to the element with the same number in all lanes.
    pub(super) fn held_put(&mut self, rows: &[Reg], number: Reg, value: Reg) {
        let lanes = self.held_lanes();
        let mut at = number;
        for (r, &row) in rows.iter().enumerate() {
            if r > 0 {
                at = self.add_new(AddOp::Add, at, imm(-16));
            }
            self.emit(MInst::add(AddOp::Xor, Dst::None, at, lanes).flags());
            self.emit(MInst::mov(row, value).when(Cond::Zs));
        }
        self.changed();
    }

    pub(super) fn held_scatter(&mut self, inst: &'k Inst, rows: &[Reg], mask: Option<Value>) {
        let row = self.held.known.get(&inst.args[0]).copied().filter(|lanes| {
            let first = lanes[0];
            first >= 0 && first % ROW == 0 && (0..).zip(lanes).all(|(n, i)| i.wrapping_sub(first) == n)
        });
        match row.and_then(|lanes| rows.get((lanes[0] / ROW) as usize)) {
            Some(&row) => {
                let value = self.reg(inst.args[1]);
                let cond = mask.map_or(Cond::Always, |m| self.condition(m));
                self.emit(MInst::mov(row, value).when(cond));
                self.changed();
            }
            None => self.held_in_turn(inst, rows, mask),
        }
    }

    /// Each lane's index, in r0 to r3, -1 where the mask does not hold.
    pub(super) fn held_indices(&mut self, index: Value, mask: Option<Value>) -> Reg {
        let index = self.reg(index);
        let t = self.fresh();
        match mask {
            None => self.emit(MInst::mov(t, index)),
            Some(mask) => {
                self.emit(MInst::mov(t, imm(-1)));
                let cond = self.condition(mask);
                self.emit(MInst::mov(t, index).when(cond));
            }
        }
        self.rotatable(t)
    }

    /// A store lane by lane, in their order.
    pub(super) fn held_in_turn(&mut self, inst: &'k Inst, rows: &[Reg], mask: Option<Value>) {
        let value = self.reg(inst.args[1]);
        let indices = self.held_indices(inst.args[0], mask);
        let values = self.rotatable(value);
        self.changed();
        self.repeat(16, |cx| {
            let (index, value) = (cx.fresh(), cx.fresh());
            cx.spread(index, indices);
            cx.spread(value, values);
            cx.held_put(rows, index, value);
            cx.rotate_in_place(indices);
            cx.rotate_in_place(values);
        });
        self.changed();
    }

    /// Each iteration handles the lane that has come to lane 0; see [`Cx::atomic`].
    pub(in crate::vc4::lower) fn held_atomic(&mut self, inst: &'k Inst, buf: Buf) {
        let rows = self.held.rows[&buf].clone();
        let elem = self.elem(buf);
        let wanted = inst.results.first().copied().filter(|r| self.last_uses[r.index()].is_some());
        let one = one_operation(inst.op, elem).filter(|_| wanted.is_none());
        if let Some(operation) = one {
            return self.held_accumulate(inst, operation, &rows);
        }
        let operands: Vec<Reg> = inst.args[1..].iter().map(|v| self.reg(*v)).collect();
        let indices = self.held_indices(inst.args[0], inst.mask);
        let moving = self.copies(&operands);
        let old = self.fresh();
        self.emit(MInst::mov(old, imm(0)));
        self.changed();
        self.repeat(16, |cx| {
            let index = cx.fresh();
            cx.spread(index, indices);
            let one = cx.spread_each(&moving);
            if wanted.is_some() {
                let number = cx.add_new(AddOp::Asr, index, imm(4));
                let row = if let [only] = rows[..] { only } else { cx.held_pick(&rows, number) };
                let at = cx.fresh();
                cx.held_down(at, row, Lane::Computed(index));
                let was = cx.fresh();
                cx.spread(was, at);
                let new = cx.atomic_result(inst.op, elem, was, &one);
                cx.held_put(&rows, index, new);
                let lanes = cx.held_lanes();
                cx.emit(MInst::mov(Dst::None, lanes).flags());
                cx.emit(MInst::mov(old, was).when(Cond::Zs));
                cx.rotate_by(old, old, 15);
            } else {
                let lanes = cx.held_lanes();
                let mut at = index;
                for (r, &row) in rows.iter().enumerate() {
                    if r > 0 {
                        at = cx.add_new(AddOp::Add, at, imm(-16));
                    }
                    let new = cx.atomic_result(inst.op, elem, row, &one);
                    cx.emit(MInst::add(AddOp::Xor, Dst::None, at, lanes).flags());
                    cx.emit(MInst::mov(row, new).when(Cond::Zs));
                }
            }
            cx.rotate_in_place(indices);
            for &m in &moving {
                cx.rotate_by(m, m, 15);
            }
        });
        self.changed();
        if let Some(result) = inst.results.first() {
            self.clear_dead(old, inst.mask);
            self.set(*result, old);
        }
    }

    /// What the current lane has of some registers, in all lanes.
    fn spread_each(&mut self, moving: &[Reg]) -> Vec<Reg> {
        let one = |&m: &Reg| {
            let t = self.fresh();
            self.spread(t, m);
            t
        };
        moving.iter().map(one).collect()
    }

    /// An atomic operation of whose old values nobody wants to know, as one operation on the row under a condition.
    ///
    /// A word for each lane has a bit for the row of its element among those of a leaf, and the number of its lane in the low bits. It
    /// is put into the lane where its element is, all others being 0; moved up by two bits at a time, it sets C for one row and
    /// N for the next: three instructions for two rows. Where there are several leaves, branches find the right one.
    fn held_accumulate(&mut self, inst: &'k Inst, operation: AddOp, rows: &[Reg]) {
        let vector = self.is_vector(inst.args[1]);
        let operand = self.reg(inst.args[1]);
        let indices = self.held_indices(inst.args[0], inst.mask);
        self.changed();
        let selected = inst.mask.and_then(|m| self.held.selects.get(&m));
        let few = selected.is_some_and(|indices| indices.contains(&inst.args[0]));
        match few {
            true => self.held_few(indices, operation, (operand, vector), rows),
            false => self.held_all(indices, operation, (operand, vector), rows),
        }
        self.changed();
        if let Some(result) = inst.results.first() {
            let none = self.const_reg(0);
            self.set(*result, none);
        }
    }

    /// The word of an index: the bit of its row among those of a leaf, and its lane.
    fn held_word(&mut self, index: Reg, rows: usize) -> (Reg, Reg) {
        let top = self.const_reg(1 << 30);
        let row = self.add_new(AddOp::Asr, index, imm(4));
        // What is moved by -1 is moved out.
        let bit = if rows <= MOST_COUNTED { row } else { self.add_new(AddOp::And, row, imm(LEAF as i32 - 1)) };
        let bit = self.add_new(AddOp::Shr, top, bit);
        (bit, row)
    }

    /// All lanes in their order.
    fn held_all(&mut self, indices: Reg, operation: AddOp, (operand, vector): (Reg, bool), rows: &[Reg]) {
        let (bit, row) = self.held_word(indices, rows.len());
        let lane = self.add_new(AddOp::And, indices, imm(15));
        if rows.len() > MOST_COUNTED {
            self.emit(MInst::mov(Dst::None, row).flags());
            self.emit(MInst::mov(bit, imm(0)).when(Cond::Ns));
        }
        let word = self.add_new(AddOp::Or, bit, lane);
        let words = self.rotatable(word);
        let leaves = (rows.len() > MOST_COUNTED).then(|| {
            let leaf = self.add_new(AddOp::Asr, row, imm(LEAF.trailing_zeros() as i32));
            self.rotatable(leaf)
        });
        let values = if vector { self.rotatable(operand) } else { operand };
        let lanes = self.held_lanes();
        self.repeat(16, |cx| {
            let (word, other) = (cx.fresh(), cx.fresh());
            cx.spread(word, words);
            let value = if vector { cx.fresh() } else { values };
            if vector {
                cx.spread(value, values);
            }
            let leaf = leaves.map(|leaves| {
                let leaf = cx.fresh();
                cx.spread(leaf, leaves);
                leaf
            });
            cx.emit(MInst::add(AddOp::Xor, other, word, lanes));
            cx.emit(MInst::add(AddOp::And, Dst::None, other, imm(15)).flags());
            cx.emit(MInst::mov(word, imm(0)).when(Cond::Zc));
            for moving in [Some(words), leaves, vector.then_some(values)].into_iter().flatten() {
                cx.rotate_in_place(moving);
            }
            cx.held_leaves(rows, leaf, &mut |cx, some| cx.held_add(some, operation, word, value));
        });
    }

    /// Only the lanes that have an index, each found as the one with the largest number: where few of them have.
    fn held_few(&mut self, indices: Reg, operation: AddOp, (operand, vector): (Reg, bool), rows: &[Reg]) {
        let lanes = self.held_lanes();
        let key = self.add_new(AddOp::Shl, indices, imm(4));
        self.add(AddOp::Or, key, key, lanes);
        self.emit(MInst::mov(Dst::None, indices).flags());
        self.emit(MInst::mov(key, imm(-1)).when(Cond::Ns));
        let values = if vector { self.rotatable(operand) } else { operand };
        let (head, exit) = (self.new_block(), self.new_block());
        self.emit(MInst::mov(Dst::None, key).flags());
        self.finish_block(Term::Branch { cond: BranchCond::AnyNc, taken: head, other: exit });
        self.depth += 1;
        self.start(head);
        let mut most = self.rotatable(key);
        for by in [8, 4, 2, 1] {
            let other = self.fresh();
            self.rotate_by(other, most, by);
            most = self.add_new(AddOp::Max, most, other);
        }
        let index = self.add_new(AddOp::Asr, most, imm(4));
        let (word, row) = self.held_word(index, rows.len());
        let other = self.add_new(AddOp::Xor, index, lanes);
        self.emit(MInst::add(AddOp::And, Dst::None, other, imm(15)).flags());
        self.emit(MInst::mov(word, imm(0)).when(Cond::Zc));
        self.emit(MInst::add(AddOp::Xor, Dst::None, key, most).flags());
        self.emit(MInst::mov(key, imm(-1)).when(Cond::Zs));
        let value = if vector { self.fresh() } else { values };
        if vector {
            let there = self.fresh();
            self.held_down(there, values, Lane::Computed(most));
            self.spread(value, there);
        }
        let leaf =
            (rows.len() > MOST_COUNTED).then(|| self.add_new(AddOp::Asr, row, imm(LEAF.trailing_zeros() as i32)));
        self.held_leaves(rows, leaf, &mut |cx, some| cx.held_add(some, operation, word, value));
        self.emit(MInst::mov(Dst::None, key).flags());
        self.finish_block(Term::Branch { cond: BranchCond::AnyNc, taken: head, other: exit });
        self.depth -= 1;
        self.start(exit);
    }

    /// Runs `body` for the rows of the leaf with this number, which is the same in all lanes; for all rows if there is none.
    fn held_leaves(&mut self, rows: &[Reg], leaf: Option<Reg>, body: &mut dyn FnMut(&mut Self, &[Reg])) {
        let Some(leaf) = leaf else { return body(self, rows) };
        let join = self.new_block();
        let all: Vec<&[Reg]> = rows.chunks(LEAF).collect();
        self.held_leaf(&all, 0, leaf, join, body);
        self.start(join);
    }

    fn held_leaf(
        &mut self,
        leaves: &[&[Reg]],
        first: usize,
        leaf: Reg,
        join: BlockId,
        body: &mut dyn FnMut(&mut Self, &[Reg]),
    ) {
        if let [only] = leaves {
            body(self, only);
            return self.finish_block(Term::Jump(join));
        }
        let half = leaves.len() / 2;
        let (low, high) = (self.new_block(), self.new_block());
        self.emit(MInst::add(AddOp::Sub, Dst::None, leaf, imm((first + half) as i32)).flags());
        self.finish_block(Term::Branch { cond: BranchCond::AnyNs, taken: low, other: high });
        self.start(low);
        self.held_leaf(&leaves[..half], first, leaf, join, body);
        self.start(high);
        self.held_leaf(&leaves[half..], first + half, leaf, join, body);
    }

    /// Adds the value to the one of these rows that has its bit in the word.
    fn held_add(&mut self, rows: &[Reg], operation: AddOp, word: Reg, value: Reg) {
        let mut bits = word;
        for pair in rows.chunks(2) {
            let next = self.fresh();
            self.emit(MInst::add(AddOp::Shl, next, bits, imm(2)).flags());
            bits = next;
            for (row, cond) in pair.iter().zip([Cond::Cs, Cond::Ns]) {
                self.emit(MInst::add(operation, *row, *row, value).when(cond));
            }
        }
    }
}
