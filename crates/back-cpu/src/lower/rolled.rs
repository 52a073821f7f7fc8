//! Sums of the rows of large windows, in a loop instead of one after the other.
//!
//! The sums of windows that lie in neighbouring rows are made of sums of pieces of rows (`sums`), and those of one row are
//! added up as those of the next. Written out, they are most of a kernel's code, and compiling them most of its compile time;
//! so they are computed by a loop over the rows of the turn, which leaves them in the frame.

use super::state::Lower;
use super::sums::{Class, Sum};
use super::words::memory_type;
use crate::common::text;
use quadra_kir::{Buf, Inst, Op, Type};
use quadra_passes::analysis::linear::Form;
use quadra_passes::analysis::range::Bounds;
use std::collections::BTreeMap;

/// Fewest loads that are worth a loop, and fewest turns.
pub(super) const FEWEST: (usize, usize) = (33, 4);

/// By row: the class whose loads stand at the same places of it, and these loads.
type Piece = BTreeMap<i32, (usize, Vec<Load>)>;

/// A load: its place in the run, and in which part it names the element.
type Load = (usize, usize);

/// Pieces of rows, and where their sums are.
pub(super) struct Rolled {
    /// The loads of each piece of the first row.
    pieces: Vec<Vec<Load>>,
    /// Which sums make up each class: row, piece.
    pub of_class: Vec<Vec<(usize, usize)>>,
    rows: usize,
    buf: Buf,
    /// The address of all loads but for the constant.
    common: Form,
    /// Elements from row to row.
    along: i32,
    /// The array of the frame in which they are.
    frame: String,
}

impl Lower<'_> {
    /// The rows of a sum, if all are added up alike.
    pub(super) fn rolled(&self, insts: &[Inst], sum: &Sum, classes: &[Class]) -> Option<Rolled> {
        if self.plan.halves || self.plan.checked || sum.own.len() != sum.loads.len() {
            return None;
        }
        let all = || classes.iter().flat_map(|c| &c.loads);
        let rows_axis = (self.kernel.over as usize).checked_sub(2)?;
        let (first, part) = *all().next()?;
        let (buf, common) = (insts[first].buf?, Form { constant: 0, ..self.place_in(&insts[first], part) });
        let axis = |v| self.axis_of.get(&v) == Some(&rows_axis);
        let along: i32 = common.terms.iter().filter(|t| axis(t.0)).map(|t| t.1).sum();
        let places: Vec<Form> = all().map(|&(n, part)| self.place_in(&insts[n], part)).collect();
        let alike = all()
            .zip(&places)
            .all(|(&(n, _), p)| insts[n].op == Op::LoadRow && insts[n].buf == Some(buf) && p.terms == common.terms);
        // Only then an address is a base and a constant.
        let tame = common.bounds(self.kernel, &self.range) != Bounds::ANY;
        if !alike || !tame || along <= 0 || sum.loads.len() < FEWEST.0 {
            return None;
        }
        let low = places.iter().map(|p| p.constant).min()?;
        // What each class reads of each row, relative to the first element of the row that any reads.
        let mut found: BTreeMap<Vec<i32>, Piece> = BTreeMap::new();
        for (class, c) in classes.iter().enumerate() {
            let mut rows: BTreeMap<i32, Vec<(i32, Load)>> = BTreeMap::new();
            for &(n, part) in &c.loads {
                let at = self.place_in(&insts[n], part).constant.checked_sub(low)?;
                rows.entry(at / along).or_default().push((at % along, (n, part)));
            }
            for (row, mut loads) in rows {
                loads.sort_unstable();
                let (at, loads) = loads.into_iter().unzip();
                if found.entry(at).or_default().insert(row, (class, loads)).is_some() {
                    return None;
                }
            }
        }
        let rows = found.values().next()?.len();
        let whole = |p: &Piece| p.len() == rows && p.keys().copied().eq(0..rows as i32);
        if rows < FEWEST.1 || !found.values().all(whole) || !self.splices_rows(insts, found.values(), along) {
            return None;
        }
        let mut of_class = vec![Vec::new(); classes.len()];
        let mut pieces = Vec::new();
        for (piece, rows) in found.into_values().enumerate() {
            for (row, (class, loads)) in rows {
                of_class[class].push((row as usize, piece));
                if row == 0 {
                    pieces.push(loads);
                }
            }
        }
        of_class.iter_mut().for_each(|c| c.sort_unstable());
        Some(Rolled { pieces, of_class, rows, buf, common, along, frame: String::new() })
    }

    /// Whether the loads of the first row that are put together from others could be so in every row.
    fn splices_rows<'p>(&self, insts: &[Inst], mut pieces: impl Iterator<Item = &'p Piece>, along: i32) -> bool {
        pieces.all(|rows| {
            rows[&0].1.iter().all(|&(n, part)| {
                let place = self.place_in(&insts[n], part);
                let at = |row: i32| self.splice_of(&insts[n], &place, row * along);
                !self.spliced.contains(&at(0)) || rows.keys().all(|&row| self.could_splice.contains(&at(row)))
            })
        })
    }

    /// Writes the loop.
    pub(super) fn add_up_rows(&mut self, insts: &[Inst], rolled: &mut Rolled, t: Type) {
        let ty = text::ty(t);
        let pieces = rolled.pieces.len();
        rolled.frame = self.t.slot(&format!("[{} x {ty}], align 64", rolled.rows * pieces));
        let counter = self.t.slot("i32");
        self.t.line(&format!("store i32 0, ptr {counter}"));
        self.part = 0;
        let first = self.base(rolled.buf, &rolled.common);
        let outside = self.memo.clone();
        let (next, end) = (self.t.fresh_label(), self.t.fresh_label());
        self.t.branch(&next);
        self.t.label(&next);
        let row = self.t.def(&format!("load i32, ptr {counter}"));
        let by = self.t.def(&format!("mul i32 {row}, {}", rolled.along));
        self.forget_loads();
        self.move_base(rolled.buf, &first, &by);
        let at = self.t.def(&format!("mul i32 {row}, {pieces}"));
        for (piece, loads) in rolled.pieces.iter().enumerate() {
            let value = self.total(insts, loads, t);
            let at = if piece == 0 { at.clone() } else { self.t.def(&format!("add i32 {at}, {piece}")) };
            let at = self.t.def(&format!("getelementptr {ty}, ptr {}, i32 {at}", rolled.frame));
            self.t.line(&format!("store {ty} {value}, ptr {at}, align 64"));
        }
        let more = self.t.def(&format!("add nuw nsw i32 {row}, 1"));
        self.t.line(&format!("store i32 {more}, ptr {counter}"));
        let done = self.t.def(&format!("icmp eq i32 {more}, {}", rolled.rows));
        self.t.branch_if(&done, &end, &next);
        self.t.label(&end);
        self.memo = outside;
    }

    /// The element of a buffer from which tame addresses of a form are counted.
    fn base(&mut self, buf: Buf, form: &Form) -> String {
        self.place_of(buf, Form { constant: 0, ..form.clone() })
    }

    /// Lets the addresses that are counted from `base` be counted from so many elements behind it.
    fn move_base(&mut self, buf: Buf, base: &str, by: &str) {
        let memory = memory_type(self.kernel.bufs[buf].elem);
        let moved = self.t.def(&format!("getelementptr {memory}, ptr {base}, i32 {by}"));
        self.memo.values_mut().filter(|v| *v == base).for_each(|v| v.clone_from(&moved));
        self.memo.retain(|key, _| !key.starts_with(&format!("{base} + ")));
    }

    /// The sum of one piece of a row, once the loop has run.
    pub(super) fn row_sum(&mut self, rolled: &Rolled, (row, piece): (usize, usize), t: Type) -> String {
        let (ty, at) = (text::ty(t), row * rolled.pieces.len() + piece);
        let at = self.t.def(&format!("getelementptr {ty}, ptr {}, i32 {at}", rolled.frame));
        self.t.def(&format!("load {ty}, ptr {at}, align 64"))
    }
}
