//! Neighbouring elements of a row of which each lane has its own: squares of memory, loaded and stored line by line.
//!
//! A short loop along such a row has become its iterations, which load and store elements a constant apart. Eight of them that follow
//! each other in memory are a square with eight lanes, which is turned over in registers: sixteen lines instead of eight gathers. Four
//! words, where there are no eight, are half a register, so that two such squares share registers.
//!
//! What it needs: no mask; all accesses lie inside; between the first and the last of them nothing that may end the launch, and
//! nothing that touches the buffer otherwise. So if one of them is made, all are.

use super::square::side_of;
use super::squares::{Lines, Place, Stored};
use super::state::Lower;
use super::words::{memory_type, writes};
use quadra_kir::{Block, Buf, Elem, Inst, Mode, Op, Type, Value, eval};
use quadra_passes::analysis::linear::Form;
use std::collections::HashMap;

/// Elements of a lane that a square holds, and words where there are fewer.
const SIDE: i32 = 8;
const FOUR: i32 = 4;

/// Elements of lanes that lie closer than this are found in rows that lanes share.
const LEAST: u32 = 9;

/// What indices have in common: buffer, distance of lanes and terms.
type Common = (Buf, i32, Vec<(Value, i32)>);

impl Lower<'_> {
    /// Finds the accesses of squares.
    pub(super) fn find_lines(&mut self) {
        let moves = self.plan.scales || self.plan.avx2;
        if !moves || self.plan.halves || self.plan.border || self.lane.is_none() {
            return;
        }
        let mut found = Lines::default();
        let mut users: HashMap<Value, usize> = HashMap::new();
        self.kernel.body.walk(&mut |i| {
            if i.op == Op::Store {
                *users.entry(i.args[0]).or_default() += 1;
            }
        });
        self.lines_of(&self.kernel.body, &users, &mut found);
        self.lines = found;
    }

    fn lines_of(&self, block: &Block, users: &HashMap<Value, usize>, found: &mut Lines) {
        let mut loads: HashMap<Common, Vec<(i32, Value)>> = HashMap::new();
        let mut stores: Vec<(i32, &Inst)> = Vec::new();
        let mut storing: Option<Common> = None;
        for inst in &block.insts {
            inst.regions.iter().for_each(|r| self.lines_of(r, users, found));
            if eval::is_lanewise(inst.op) {
                continue;
            }
            let line = self.line_of(inst);
            let quiet = matches!(inst.op, Op::Load | Op::LoadRow | Op::Store | Op::StoreRow)
                && inst.mode != Mode::Guarded
                && self.proven(inst)
                && !self.plan.alias;
            // Loads before a store to their buffer see less than those behind it.
            if !quiet || writes(inst) && loads.keys().any(|k| Some(k.0) == inst.buf) {
                self.squares(std::mem::take(&mut loads), found);
            }
            let same = storing.is_some() && storing == line.as_ref().map(|l| l.0.clone()) && inst.op == Op::Store;
            let touches = writes(inst) || storing.as_ref().is_some_and(|k| Some(k.0) == inst.buf);
            if !quiet || touches && !same {
                self.fours(storing.take(), std::mem::take(&mut stores), found);
            }
            let Some((common, constant)) = line.filter(|_| quiet) else { continue };
            if inst.op == Op::Load {
                loads.entry(common).or_default().push((constant, inst.result()));
            } else if users[&inst.args[0]] == 1 {
                storing = Some(common);
                stores.push((constant, inst));
                if stores.len() == SIDE as usize && !strip(&mut stores, found) {
                    self.fours(storing.clone(), std::mem::take(&mut stores), found);
                }
            } else {
                self.fours(storing.take(), std::mem::take(&mut stores), found);
            }
        }
        self.fours(storing, stores, found);
        self.squares(loads, found);
    }

    /// Stores that are no eight neighbours, as neighbours by fours.
    fn fours(&self, storing: Option<Common>, mut stores: Vec<(i32, &Inst)>, found: &mut Lines) {
        if storing.is_some_and(|common| self.is_of_words(common.0)) {
            while stores.len() >= FOUR as usize {
                let rest = stores.split_off(FOUR as usize);
                strip(&mut stores, found);
                stores = rest;
            }
        }
    }

    fn is_of_words(&self, buf: Buf) -> bool {
        self.kernel.bufs[buf].elem.bytes() == 4
    }

    /// Squares of loads by what their indices have in common; the last one may begin among those before, whose elements are loaded anyway.
    fn squares(&self, loads: HashMap<Common, Vec<(i32, Value)>>, found: &mut Lines) {
        for (common, mut loads) in loads {
            loads.sort_unstable_by_key(|l| l.0);
            let group = found.groups;
            found.groups += 1;
            let runs = loads.chunk_by(|a, b| a.0 == b.0 || a.0.checked_add(1) == Some(b.0));
            for run in runs {
                let (Some(begin), Some(end)) = (run.first(), run.last()) else { continue };
                let side = match i64::from(end.0) - i64::from(begin.0) + 1 {
                    n if n >= i64::from(SIDE) => SIDE,
                    n if n >= i64::from(FOUR) && self.is_of_words(common.0) => FOUR,
                    _ => continue,
                };
                for &(constant, result) in run {
                    let first = (begin.0 + (constant - begin.0) / side * side).min(end.0 - (side - 1));
                    found.loads.insert(result, Place { first, at: constant - first, side, group });
                }
            }
        }
    }

    /// What the index of an access of rows of lanes has in common with others, and its constant, of lane 0.
    fn line_of(&self, inst: &Inst) -> Option<(Common, i32)> {
        let (buf, lane) = (inst.buf?, self.lane?);
        let elem = self.kernel.bufs[buf].elem;
        let plain = matches!(inst.op, Op::Load | Op::Store) && inst.mask.is_none() && inst.mode != Mode::Guarded;
        if !plain || elem == Elem::Bool || !self.kernel.ty(inst.args[0]).lanes || !self.proven(inst) {
            return None;
        }
        let form = self.forms.at(self.kernel, inst.args[0]);
        let step = form.factor(lane);
        let terms: Vec<(Value, i32)> = form.terms.iter().copied().filter(|t| t.0 != lane).collect();
        let uniform = terms.iter().all(|t| !self.kernel.ty(t.0).lanes);
        (uniform && step.unsigned_abs() >= LEAST && !self.is_ahead(inst) && !self.is_turned(inst))
            .then_some(((buf, step, terms), form.constant))
    }

    /// Whether an access is one of a square.
    pub(super) fn is_line(&self, inst: &Inst) -> bool {
        match inst.op {
            Op::Load => self.lines.loads.contains_key(&inst.result()),
            Op::Store => self.lines.stores.contains_key(&inst.args[0]),
            _ => false,
        }
    }

    /// Where a lane's first element of a square lies.
    fn line_at(&mut self, inst: &Inst, buf: Buf, first: i32, lane: i32) -> String {
        let form = self.forms.at(self.kernel, inst.args[0]);
        let (step, form) = match self.lane {
            Some(v) => (form.factor(v), form.plus(&Form::value(v), form.factor(v).wrapping_neg())),
            None => (0, form),
        };
        self.place_of(buf, Form { constant: first.wrapping_add(step.wrapping_mul(lane)), ..form })
    }

    /// A load of a square: the first of its loads makes all.
    pub(super) fn load_line(&mut self, inst: &Inst, buf: Buf) -> Option<String> {
        let &Place { first, at, side: many, group } = self.lines.loads.get(inst.results.first()?)?;
        let key = |place: &str, at: i32| format!("square {group} {place} {at}");
        let place = self.line_at(inst, buf, first, 0);
        if let Some(value) = self.memo.get(&key(&place, at)) {
            return Some(value.clone());
        }
        let elem = self.kernel.bufs[buf].elem;
        let (word, side) = (memory_type(elem), side_of(elem, SIDE as usize, false));
        let mut halves: Vec<Vec<String>> = vec![Vec::new(); many as usize];
        for lanes in (0..16).step_by(side) {
            let places: Vec<String> =
                (lanes..lanes + side).map(|lane| self.line_at(inst, buf, first, lane as i32)).collect();
            if many == FOUR {
                for (n, half) in self.fours_of(&places).into_iter().enumerate() {
                    halves[n].push(half);
                }
                continue;
            }
            for from in (0..SIDE as usize).step_by(side) {
                let lines = places.iter().map(|place| self.line(place, (word, side), from, elem)).collect();
                for (n, half) in self.turned_over(lines, word).into_iter().enumerate() {
                    halves[from + n].push(half);
                }
            }
        }
        let to = Type::vector(elem.in_register());
        for (n, parts) in halves.into_iter().enumerate() {
            let value = self.joined(parts, word, side);
            let value = self.widen(elem, to, &value);
            self.memo.insert(key(&place, n as i32), value);
        }
        self.memo.get(&key(&place, at)).cloned()
    }

    /// Four words of each of eight lanes.
    fn fours_of(&mut self, places: &[String]) -> Vec<String> {
        let (low, high) = places.split_at(places.len() / 2);
        let both = (0..8).map(|n| format!("i32 {n}")).collect::<Vec<_>>().join(", ");
        let rows = low.iter().zip(high).map(|pair| {
            let [a, b] = [pair.0, pair.1].map(|place| self.line(place, ("i32", FOUR as usize), 0, Elem::I32));
            self.t.def(&format!("shufflevector <4 x i32> {a}, <4 x i32> {b}, <8 x i32> <{both}>"))
        });
        let rows = rows.collect();
        self.fours_turned_over(rows)
    }

    /// Stores four words of each of eight lanes from one on.
    fn store_fours(&mut self, rows: Vec<String>, inst: &Inst, buf: Buf, (first, lanes): (i32, usize)) {
        for (n, row) in self.fours_turned_over(rows).into_iter().enumerate() {
            for half in [0, FOUR as usize] {
                let place = self.line_at(inst, buf, first, (lanes + half + n) as i32);
                let line = self.part_of("i32", &row, (8, half as i32, FOUR));
                self.t.line(&format!("store <4 x i32> {line}, ptr {place}, align 4"));
            }
        }
    }

    /// So many elements of a line from one on.
    fn line(&mut self, place: &str, (word, side): (&str, usize), from: usize, elem: Elem) -> String {
        let at = self.t.def(&format!("getelementptr {word}, ptr {place}, i64 {from}"));
        self.t.def(&format!("load <{side} x {word}>, ptr {at}, align {}", elem.bytes()))
    }

    /// A store of a square, which the last of its stores writes; whether it is one.
    pub(super) fn store_line(&mut self, inst: &Inst, buf: Buf) -> bool {
        let Some(stored) = self.lines.stores.get(&inst.args[0]).cloned() else { return false };
        let Stored::All { first, values } = stored else { return true };
        let elem = self.kernel.bufs[buf].elem;
        let (word, side, t) =
            (memory_type(elem), side_of(elem, SIDE as usize, false), Type::vector(elem.in_register()));
        let narrow = |l: &mut Self, &v: &Value| {
            let value = l.value_as(v, t);
            l.narrow(elem, t, &value)
        };
        let values: Vec<String> = values.iter().map(|v| narrow(self, v)).collect();
        for lanes in (0..16).step_by(side) {
            let some = |l: &mut Self, v: &String| l.some_lanes(v, word, (lanes, side));
            if values.len() == FOUR as usize {
                let rows = values.iter().map(|v| some(self, v)).collect();
                self.store_fours(rows, inst, buf, (first, lanes));
                continue;
            }
            for from in (0..SIDE as usize).step_by(side) {
                let square = values[from..from + side].iter().map(|v| some(self, v)).collect();
                for (n, line) in self.turned_over(square, word).into_iter().enumerate() {
                    let place = self.line_at(inst, buf, first, (lanes + n) as i32);
                    let place = self.t.def(&format!("getelementptr {word}, ptr {place}, i64 {from}"));
                    self.t.line(&format!("store <{side} x {word}> {line}, ptr {place}, align {}", elem.bytes()));
                }
            }
        }
        true
    }
}

/// Stores that write neighbouring elements, if these do; what is left of them is none.
fn strip(stores: &mut Vec<(i32, &Inst)>, found: &mut Lines) -> bool {
    let Some(last) = stores.last().map(|s| s.1.args[0]) else { return true };
    let mut sorted = stores.clone();
    sorted.sort_by_key(|s| s.0);
    if !sorted.windows(2).all(|w| w[0].0.checked_add(1) == Some(w[1].0)) {
        return false;
    }
    stores.clear();
    for (_, store) in &sorted {
        found.stores.insert(store.args[0], Stored::Waits);
    }
    let values = sorted.iter().map(|s| s.1.args[1]).collect();
    found.stores.insert(last, Stored::All { first: sorted[0].0, values });
    true
}
