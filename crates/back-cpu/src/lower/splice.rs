//! Rows that overlap, from rows that do not.
//!
//! A row that begins in the middle of a line of the cache costs a read and a half. Where a kernel loads many rows a few elements
//! apart, some of them are put together from the two aligned rows in which they lie, so that units that read and units that move
//! lanes share the work.

use super::rolled;
use super::state::Lower;
use super::words::{is_row, memory_type};
use crate::common::text::{self, LANES};
use quadra_kir::{Access, Buf, Elem, Inst, Op, Type, Value, eval};
use quadra_passes::analysis::linear::Form;
use quadra_passes::analysis::range::Bounds;
use std::collections::BTreeMap;

/// Elements of a row.
const ROW: i32 = 16;
/// Fewest rows in the same line that are worth loading its neighbour for.
const FEWEST: usize = 3;

/// What a row reads: buffer, the terms of its address, and the constant for part 0.
pub(super) type Place = (usize, Vec<(Value, i32)>, i32);

impl Lower<'_> {
    /// Whether rows can be put together cheaply, and this one is one of numbers of 32 bits.
    fn splices(&self, inst: &Inst) -> Option<Buf> {
        let buf = inst.buf.filter(|_| self.plan.scales && !self.plan.halves && inst.op == Op::LoadRow)?;
        let plain = inst.mask.is_none() && self.kernel.bufs[buf].access == Access::Read;
        (plain && memory_type(self.kernel.bufs[buf].elem) == "i32" && self.kernel.bufs[buf].elem != Elem::Bool)
            .then_some(buf)
    }

    /// Whether a row so many elements behind one that is loaded lies in the buffer for sure.
    fn is_inside(&self, inst: &Inst, by: i32) -> bool {
        let Some(length) = inst.buf.and_then(|b| self.plan.lengths[b.index()]) else { return false };
        let mut form = self.forms.at(self.kernel, inst.args[0]);
        form.constant = form.constant.wrapping_add(by);
        let bounds = form.bounds(self.kernel, &self.range);
        bounds != Bounds::ANY && bounds.low >= 0 && bounds.high + i64::from(ROW) <= i64::from(length)
    }

    /// What a row reads in a part.
    pub(super) fn place_in(&self, inst: &Inst, part: usize) -> Form {
        let mut form = self.forms.at(self.kernel, inst.args[0]);
        for (v, factor) in form.terms.clone() {
            if let Some(&axis) = self.axis_of.get(&v) {
                form.constant = form.constant.wrapping_add(factor.wrapping_mul(self.offset_of(part, axis) as i32));
            }
        }
        form
    }

    /// Chooses the rows that are put together instead of loaded: as many as even out what reads and what computes have to do.
    pub(super) fn find_spliced(&mut self) {
        let insts = &self.kernel.body.insts;
        let fits = |i: &&Inst| self.splices(i).is_some() && self.proven(i) && self.is_regular(i);
        let rows: Vec<&Inst> = insts.iter().filter(fits).collect();
        if rows.len() < FEWEST || insts.iter().any(|i| !i.regions.is_empty()) {
            return;
        }
        let parts = self.shape.parts();
        let mut lines: BTreeMap<Place, BTreeMap<i32, &Inst>> = BTreeMap::new();
        for inst in rows {
            for part in 0..parts {
                let form = self.place_in(inst, part);
                let line = (inst.buf.map_or(0, Buf::index), form.terms.to_vec(), form.constant.div_euclid(ROW));
                lines.entry(line).or_default().insert(form.constant.rem_euclid(ROW), inst);
            }
        }
        let split = lines.values().flat_map(|l| l.keys()).filter(|at| **at != 0).count();
        let mut could: Vec<Place> = Vec::new();
        for ((buf, terms, line), rows) in &lines {
            let inside = |(at, inst): &(&i32, &&Inst)| {
                **at != 0 && self.is_inside(inst, -**at) && self.is_inside(inst, ROW - **at)
            };
            let own: Vec<i32> = rows.iter().filter(inside).map(|(at, _)| *at).collect();
            if own.len() >= FEWEST {
                could.extend(own.into_iter().map(|at| (*buf, terms.clone(), line * ROW + at)));
            }
        }
        let loads = split + lines.values().filter(|l| l.contains_key(&0)).count();
        let many = match self.shares_sums() && insts.iter().filter(fits).count() >= rolled::FEWEST.0 {
            // In the loop over the rows of a window, additions leave the unit that moves lanes alone, and stores are reads more.
            true => could.len() * 13 / 16,
            false => {
                let many = (3 * split + 2 * lines.len()).saturating_sub(self.operations(loads)) / 5;
                many.min(could.len() / 2)
            }
        };
        let chosen = |n: usize| n * many / could.len() != (n + 1) * many / could.len();
        self.spliced = could.iter().enumerate().filter(|(n, _)| chosen(*n)).map(|(_, place)| place.clone()).collect();
        self.could_splice = could.into_iter().collect();
    }

    /// As what a row so many elements behind a place is known here.
    pub(super) fn splice_of(&self, inst: &Inst, place: &Form, by: i32) -> Place {
        (inst.buf.map_or(0, Buf::index), place.terms.to_vec(), place.constant.wrapping_add(by))
    }

    /// Whether sums may be bracketed in any way, and rows have some in common.
    fn shares_sums(&self) -> bool {
        self.kernel.relaxed && self.shape.rows > 1
    }

    /// Roughly how many operations on vectors a turn has, of which so many rows are loaded.
    fn operations(&self, loads: usize) -> usize {
        let (parts, shares) = (self.shape.parts(), self.shares_sums());
        let (mut work, mut shared) = (0, false);
        self.kernel.body.walk(&mut |i| {
            let float = eval::is_lanewise(i.op) && self.kernel.ty(i.result()) == Type::vector(Elem::F32);
            match i.op {
                _ if !float => {}
                // Sums that rows share are made of each load once.
                Op::Add if shares => shared = true,
                Op::Exp | Op::Exp2 | Op::Log | Op::Log2 | Op::Sin | Op::Cos | Op::Pow => work += 25 * parts,
                _ => work += parts,
            }
        });
        work + if shared { loads + 4 * parts } else { 0 }
    }

    /// Whether the address of an access differs between parts as the groups' coordinates do, if at all.
    pub(super) fn is_regular(&self, inst: &Inst) -> bool {
        let form = self.forms.at(self.kernel, inst.args[0]);
        form.terms.iter().all(|t| !self.vary.at(t.0) || self.axis_of.contains_key(&t.0))
    }

    /// A row of the present part that was chosen, from the two in which it lies.
    pub(super) fn load_spliced(&mut self, inst: &Inst, buf: Buf) -> Option<String> {
        if self.spliced.is_empty() || !is_row(inst) {
            return None;
        }
        let form = self.place_in(inst, self.part);
        if !self.spliced.contains(&self.splice_of(inst, &form, 0)) {
            return None;
        }
        let (part, by) = (std::mem::take(&mut self.part), form.constant.rem_euclid(ROW));
        let mut row = |at: i32| self.row(buf, Form { constant: at, ..form.clone() });
        let (low, high) = (row(form.constant - by), row(form.constant - by + ROW));
        self.part = part;
        Some(self.spliced_at(self.kernel.bufs[buf].elem, &low, &high, by))
    }

    /// The lanes from `by` on of two vectors one behind the other. Of integers, because LLVM takes one instruction for them.
    fn spliced_at(&mut self, elem: Elem, low: &str, high: &str, by: i32) -> String {
        let ty = text::ty(Type::vector(elem.in_register()));
        let mut lanes = |name: &str| match ty == LANES {
            true => name.to_string(),
            false => self.t.def(&format!("bitcast {ty} {name} to {LANES}")),
        };
        let (low, high) = (lanes(low), lanes(high));
        let from: Vec<String> = (by..by + ROW).map(|lane| format!("i32 {lane}")).collect();
        let from = from.join(", ");
        let lanes = self.t.def(&format!("shufflevector {LANES} {low}, {LANES} {high}, {LANES} <{from}>"));
        if ty == LANES { lanes } else { self.t.def(&format!("bitcast {LANES} {lanes} to {ty}")) }
    }
}
