//! Transposition by register tiles: elements far apart along the lanes and next to each other from one row of groups to the next.
//!
//! Sixteen lanes of sixteen rows of groups are a square of memory whose lines are the lanes. It is loaded or stored line by line, and
//! turned over in registers, where each row of groups would gather or scatter its lanes from as many lines.
//!
//! What it needs: the index is a sum in which the lane has a factor of at least the rows, the number of the row of groups one of 1
//! or -1, and everything else is the same in all lanes; no mask; the access lies inside. So all elements differ, and an iteration's place
//! among those of a launch has no order that anybody could see.

use super::square::side_of;
use super::state::Lower;
use super::words::memory_type;
use quadra_kir::{Buf, Elem, Inst, Kernel, Mode, Op, Type, Value};
use quadra_passes::analysis::linear::{Form, Forms};
use std::collections::HashMap;

/// Rows of groups that make squares, the best first.
pub const ROWS: [usize; 2] = [16, 8];

/// Which values are the lane's number, and the number of the row of groups.
pub struct Coordinates {
    lane: Option<Value>,
    rows: Vec<Value>,
}

impl Coordinates {
    pub fn of(kernel: &Kernel) -> Coordinates {
        let (mut lane, mut rows) = (None, Vec::new());
        let axis = (kernel.over as usize).checked_sub(2);
        kernel.body.walk(&mut |i| match i.op {
            Op::Lane => lane = Some(i.result()),
            Op::Group if Some(i.imm as usize) == axis => rows.push(i.result()),
            _ => {}
        });
        Coordinates { lane, rows }
    }

    /// If an access is one of squares of so many rows: how far lanes lie apart, and whether rows of groups lie in falling order.
    pub fn square(&self, kernel: &Kernel, forms: &Forms, rows: usize, inst: &Inst) -> Option<(i32, bool)> {
        let (lane, elem) = (self.lane?, kernel.bufs[inst.buf?].elem);
        let plain = matches!(inst.op, Op::Load | Op::Store) && inst.mask.is_none() && inst.mode != Mode::Guarded;
        if !plain || elem == Elem::Bool || !kernel.ty(inst.args[0]).lanes {
            return None;
        }
        let form = forms.at(kernel, inst.args[0]);
        let step = form.factor(lane);
        let uniform = form.terms.iter().all(|t| t.0 == lane || !kernel.ty(t.0).lanes);
        let along = self.rows.iter().map(|&v| form.factor(v)).fold(0, i32::wrapping_add);
        (uniform && step.unsigned_abs() as usize >= rows && matches!(along, 1 | -1)).then_some((step, along < 0))
    }
}

/// Whether any access of a kernel is one of squares of so many rows.
pub fn has_squares(kernel: &Kernel, rows: usize) -> bool {
    let (forms, at) = (Forms::of(kernel), Coordinates::of(kernel));
    kernel.body.any(&mut |i| at.square(kernel, &forms, rows, i).is_some())
}

impl Lower<'_> {
    /// Finds the accesses of squares.
    pub(super) fn find_turned(&mut self) {
        let moves = self.plan.scales || self.plan.avx2;
        if !moves || self.plan.halves || !ROWS.contains(&self.shape.rows) || self.shape.columns != 1 {
            return;
        }
        let at = Coordinates::of(self.kernel);
        let mut found = HashMap::new();
        self.kernel.body.walk(&mut |i| {
            if let Some(square) = at.square(self.kernel, &self.forms, self.shape.rows, i)
                && !self.is_strided(i)
                && self.proven(i)
            {
                found.insert(i.args[0], square);
            }
        });
        self.turned.found = found;
    }

    /// Whether an access is one of squares.
    pub(super) fn is_turned(&self, inst: &Inst) -> bool {
        let plain = matches!(inst.op, Op::Load | Op::Store) && inst.mask.is_none() && inst.mode != Mode::Guarded;
        plain && self.turned.found.contains_key(&inst.args[0])
    }

    /// The index of a lane's element in the row of groups whose element lies lowest.
    fn square_line(&self, inst: &Inst, lane: usize) -> Form {
        let (step, falls) = self.turned.found[&inst.args[0]];
        let form = self.forms.at(self.kernel, inst.args[0]);
        let first = match self.lane {
            Some(lane) => form.plus(&Form::value(lane), step.wrapping_neg()),
            None => form,
        };
        let back = if falls { self.shape.rows as i32 - 1 } else { 0 };
        let constant = first.constant.wrapping_add(step.wrapping_mul(lane as i32)).wrapping_sub(back);
        Form { constant, ..first }
    }

    /// Parts by the place of their elements.
    fn in_order<T>(&self, inst: &Inst, mut parts: Vec<T>) -> Vec<T> {
        if self.turned.found[&inst.args[0]].1 {
            parts.reverse();
        }
        parts
    }

    /// A load of a square: all of it in the first part.
    pub(super) fn load_turned(&mut self, inst: &Inst) -> Option<String> {
        let (buf, result) = (inst.buf.filter(|_| self.is_turned(inst))?, inst.result());
        if self.part > 0 {
            return self.turned.loaded.get(&result)?.get(self.part).cloned();
        }
        let (elem, rows) = (self.kernel.bufs[buf].elem, self.shape.rows);
        let (word, side) = (memory_type(elem), side_of(elem, rows, self.plan.scales));
        let mut halves: Vec<Vec<String>> = vec![Vec::new(); rows];
        for lanes in (0..16).step_by(side) {
            let places: Vec<String> =
                (lanes..lanes + side).map(|lane| self.place_of(buf, self.square_line(inst, lane))).collect();
            for first in (0..rows).step_by(side) {
                let load = |l: &mut Self, place: &String| {
                    let at = l.t.def(&format!("getelementptr {word}, ptr {place}, i64 {first}"));
                    l.t.def(&format!("load <{side} x {word}>, ptr {at}, align {}", elem.bytes()))
                };
                let lines = places.iter().map(|place| load(self, place)).collect();
                for (n, half) in self.turned_over(lines, word).into_iter().enumerate() {
                    halves[first + n].push(half);
                }
            }
        }
        let to = Type::vector(elem.in_register());
        let whole = |l: &mut Self, halves: Vec<String>| {
            let value = l.joined(halves, word, side);
            l.widen(elem, to, &value)
        };
        let parts: Vec<String> = halves.into_iter().map(|h| whole(self, h)).collect();
        let parts = self.in_order(inst, parts);
        let first = parts.first().cloned();
        self.turned.loaded.insert(result, parts);
        first
    }

    /// A store of a square: all of it in the last part; whether it is one.
    pub(super) fn store_turned(&mut self, inst: &Inst) -> bool {
        let Some(buf) = inst.buf.filter(|_| self.is_turned(inst)) else { return false };
        let (elem, rows) = (self.kernel.bufs[buf].elem, self.shape.rows);
        if self.part + 1 < rows {
            return true;
        }
        let (word, side, t) =
            (memory_type(elem), side_of(elem, rows, self.plan.scales), Type::vector(elem.in_register()));
        let value = |l: &mut Self, part: usize| {
            l.part = part;
            let value = l.value_as(inst.args[1], t);
            l.narrow(elem, t, &value)
        };
        let parts: Vec<String> = (0..rows).map(|part| value(self, part)).collect();
        let parts = self.in_order(inst, parts);
        self.part = 0;
        for first in (0..rows).step_by(side) {
            for lanes in (0..16).step_by(side) {
                let half = |l: &mut Self, part: &String| l.some_lanes(part, word, (lanes, side));
                let square = parts[first..first + side].iter().map(|part| half(self, part)).collect();
                for (n, line) in self.turned_over(square, word).into_iter().enumerate() {
                    let place = self.place_of(buf, self.square_line(inst, lanes + n));
                    let place = self.t.def(&format!("getelementptr {word}, ptr {place}, i64 {first}"));
                    self.t.line(&format!("store <{side} x {word}> {line}, ptr {place}, align {}", elem.bytes()));
                }
            }
        }
        self.part = rows - 1;
        true
    }

    /// A load that is made with others.
    pub(super) fn load_together(&mut self, inst: &Inst, buf: Buf) -> Option<String> {
        let strided = self.load_strided(inst, buf).or_else(|| self.load_turned(inst));
        strided.or_else(|| self.load_line(inst, buf)).or_else(|| self.load_ahead(inst))
    }

    /// A store that is made with others; whether it is one.
    pub(super) fn store_together(&mut self, inst: &Inst, buf: Buf) -> bool {
        self.store_strided(inst, buf)
            || self.store_turned(inst)
            || self.store_line(inst, buf)
            || self.store_behind(inst)
    }

    /// So many lanes of a vector from one on.
    pub(super) fn some_lanes(&mut self, vector: &str, word: &str, (from, many): (usize, usize)) -> String {
        if many == 16 {
            return vector.to_owned();
        }
        let lanes: Vec<String> = (from..from + many).map(|n| format!("i32 {n}")).collect();
        let of = format!("<16 x {word}>");
        self.t.def(&format!("shufflevector {of} {vector}, {of} {vector}, <{many} x i32> <{}>", lanes.join(", ")))
    }

    /// Vectors one behind the other as one.
    pub(super) fn joined(&mut self, mut parts: Vec<String>, word: &str, mut side: usize) -> String {
        while parts.len() > 1 {
            let lanes: Vec<String> = (0..2 * side).map(|n| format!("i32 {n}")).collect();
            let of = format!("<{side} x {word}>");
            let join = |l: &mut Self, pair: &[String]| {
                let lanes = format!("<{} x i32> <{}>", 2 * side, lanes.join(", "));
                l.t.def(&format!("shufflevector {of} {}, {of} {}, {lanes}", pair[0], pair[1]))
            };
            parts = parts.chunks_exact(2).map(|pair| join(self, pair)).collect();
            side *= 2;
        }
        parts.pop().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::function::Shape;
    use crate::lower::{Plan, module};
    use quadra_passes::analysis::range::Bounds;

    /// Gathers and scatters of a kernel over rows, and vectors of eight that are stored, in turns of so many rows.
    fn written(rows: usize, avx2: bool, body: &str) -> (usize, usize, usize) {
        let head = "kernel @k(%x: buf<f32, r>, %y: buf<f32, rw>) simd group=16 over=2";
        let text = format!("{head} {{ %g = group 1 %i = shl %g, 4 %l = lane %n = add %i, %l %m = group 0 {body} }}");
        let kernel =
            quadra_kir::parse::kernel("t.kir", &text).map_err(|d| format!("{d:?}")).expect("the test's kernel");
        let plan = Plan {
            shape: Shape { rows, columns: 1 },
            blocks: None,
            groups: vec![Bounds { low: 0, high: 63 }, Bounds { low: 0, high: 5 }],
            most_workers: 1,
            scales: false,
            fuses: false,
            permutes: false,
            avx2,
            lengths: vec![Some(100 * 100); 2],
            streams: vec![false; 2],
            halves: false,
            border: false,
            few: false,
            atomics: true,
            ahead: false,
            alias: false,
            private: vec![None; 2],
            checked: false,
            guarded: false,
        };
        let text = module(&kernel, &plan).expect("nothing differs between groups").0;
        let count = |what: &str| text.matches(what).count();
        (
            count("@llvm.masked.gather.v16i32.v16p0(<"),
            count("void @llvm.masked.scatter.v16i32.v16p0(<"),
            count("store <8 x i32>"),
        )
    }

    #[test]
    fn lines_take_the_place_of_gathers_and_scatters() {
        let stored = "%r = mul %m, 100 %a = add %r, %i %v = load.row.inside %x[%a] %j = mul %n, 100 %k = add %j, %m
            store.inside %y[%k], %v";
        // The declaration counts, too.
        assert_eq!(written(16, true, stored), (0, 0, 32));
        assert_eq!(written(8, true, stored), (0, 0, 16));
        assert_eq!(written(4, true, stored), (0, 1 + 4, 0), "too few rows for a square");
        assert_eq!(written(16, false, stored), (0, 1 + 16, 0), "without the instructions for it");
        let loaded = "%r = mul %m, 100 %a = add %r, %i %j = mul %n, 100 %h = sub %j, %m %k = add %h, 70
            %v = load.inside %x[%k] store.row.inside %y[%a], %v";
        assert_eq!(written(16, true, loaded), (0, 0, 0));
        assert_eq!(written(1, true, loaded), (1 + 1, 0, 0));
    }

    #[test]
    fn neighbours_in_rows_of_lanes_are_squares() {
        let rows = |loads: usize, stores: &[usize], between: &str| {
            let mut body = String::from("%j = mul %n, 100 %r = mul %m, 100 %q = add %r, %i ");
            for k in 0..loads {
                body += &format!("%i{k} = add %j, {k} %v{k} = load.inside %x[%i{k}] %w{k} = mul %v{k}, 0.5 ");
                // A load without a use would be dead code.
                body += &format!("store.row.inside %y[%q], %w{k} ");
            }
            for (n, k) in stores.iter().enumerate() {
                body += &format!("%o{k} = add %j, {k} store.inside %y[%o{k}], %w{} ", n % loads);
                body += if n == 1 { between } else { "" };
            }
            written(1, true, &body)
        };
        assert_eq!(rows(8, &[], ""), (0, 0, 0));
        assert_eq!(rows(11, &[], ""), (0, 0, 0), "the last square begins among those of the first");
        assert_eq!(rows(7, &[], ""), (0, 0, 0), "four and four, of which one is in both");
        assert_eq!(rows(3, &[], ""), (1 + 3, 0, 0), "too few");
        let backward: Vec<usize> = (0..8).rev().collect();
        assert_eq!(rows(8, &backward, ""), (0, 0, 16));
        assert_eq!(
            rows(8, &[0, 1, 2, 3, 4, 5, 6, 8], ""),
            (0, 1 + 4, 0),
            "one is missing, and the first four are there"
        );
        assert_eq!(
            rows(8, &backward, "%z = load.inside %y[5] store.inside %y[7], %z "),
            (0, 1 + 2 + 2, 0),
            "what is stored is read: two are left before it, and two behind it"
        );
    }

    fn squares(elem: &str, body: &str) -> bool {
        let head = format!("kernel @k(%x: buf<{elem}, r>, %y: buf<{elem}, rw>) simd group=16 over=2");
        let text = format!("{head} {{ %g = group 1 %i = shl %g, 4 %l = lane %n = add %i, %l %m = group 0 {body} }}");
        let kernel = quadra_kir::parse::kernel("t.kir", &text).map_err(|d| format!("{d:?}"));
        has_squares(&kernel.expect("the test's kernel"), 16)
    }

    #[test]
    fn lines_are_found_by_the_factors_of_lanes_and_rows() {
        let row = "%r = mul %m, 100 %a = add %r, %i %v = load.row.inside %x[%a]";
        assert!(squares("f32", &format!("{row} %j = mul %n, 100 %k = add %j, %m store.inside %y[%k], %v")));
        assert!(squares("i8", &format!("{row} %j = mul %n, -64 %k = sub %j, %m store.inside %y[%k], %v")));
        // Lanes that lie closer than the rows of a square would meet those of other rows.
        assert!(!squares("f32", &format!("{row} %j = mul %n, 15 %k = add %j, %m store.inside %y[%k], %v")));
        // Rows of groups that lie apart have lines of their own.
        assert!(!squares(
            "f32",
            &format!("{row} %j = mul %n, 100 %h = shl %m, 1 %k = add %j, %h store.inside %y[%k], %v")
        ));
        let loaded = "%j = mul %n, 100 %h = sub 50, %m %k = add %j, %h %v = load.inside %x[%k]";
        assert!(squares("f64", &format!("{loaded} %r = mul %m, 100 %a = add %r, %i store.row.inside %y[%a], %v")));
    }
}
