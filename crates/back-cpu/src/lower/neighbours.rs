//! Atomic operations of which the lanes change neighbouring elements: rows of sums at places that the data say.
//!
//! Where an index is the lane's number and what all lanes share, no two lanes meet. If one thread at a time changes the elements, an atomic
//! operation of all lanes is one of vectors: a load, the operation, a store. Where a mask says how many lanes of a row exist, and that is
//! known, vectors are as short, so that the next row may be loaded from what the processor is still storing.

use super::state::Lower;
use crate::common::function::Private;
use crate::common::text;
use quadra_kir::{Inst, Op, Type};
use quadra_passes::analysis::linear::Form;
use quadra_passes::analysis::range::Bounds;

/// Lanes of a vector.
const LANES_OF_ALL: i32 = 16;

/// Which lanes take part: the first ones.
enum Asked {
    /// So many.
    Known(usize),
    /// As many as the mask says.
    Masked,
}

/// A row of elements that lanes change.
pub(super) struct Row {
    /// The index in lane 0.
    first: Form,
    asked: Asked,
}

impl Lower<'_> {
    /// The row that an atomic operation changes, if its lanes are neighbours and those without an item come last.
    pub(super) fn row_changed(&self, inst: &Inst) -> Option<Row> {
        let first = self.without_lane(self.forms.at(self.kernel, inst.args[0]))?;
        let asked = match inst.mask {
            None => Asked::Known(LANES_OF_ALL as usize),
            Some(mask) => {
                let (op, args) = self.conditions.get(&mask).filter(|(_, args)| !self.kernel.ty(args[1]).lanes)?;
                let form = self.forms.at(self.kernel, args[0]);
                // Without the guarantee that the sum does not wrap, later lanes may be asked where earlier ones are not.
                if *op != Op::CmpLt || form.bounds(self.kernel, &self.range) == Bounds::ANY {
                    return None;
                }
                let number = self.without_lane(form)?;
                let known = self.kernel.as_i32(args[1]).filter(|_| number.terms.is_empty());
                match known.map(|limit| i64::from(limit) - i64::from(number.constant)) {
                    Some(many) if (1..=i64::from(LANES_OF_ALL)).contains(&many) => Asked::Known(many as usize),
                    _ if self.plan.scales || self.plan.avx2 => Asked::Masked,
                    _ => return None,
                }
            }
        };
        Some(Row { first, asked })
    }

    /// What all lanes share of a sum that contains the lane's number once.
    fn without_lane(&self, form: Form) -> Option<Form> {
        let lane = self.lane.filter(|&lane| form.factor(lane) == 1)?;
        let rest = form.minus(&Form::value(lane));
        (!rest.terms.iter().any(|t| self.kernel.ty(t.0).lanes)).then_some(rest)
    }

    /// Changes the row of what begins at `base`, by `value`.
    pub(super) fn change_row(&mut self, inst: &Inst, row: &Row, (base, private): (&str, Private), value: &str) {
        let t = Type::vector(self.kernel.bufs[inst.buf.expect("an atomic operation has a buffer")].elem);
        let (one, ty, bytes) = (text::elem(t.elem), text::ty(t), t.elem.bytes());
        let (sum, constant) = self.sum(&row.first);
        let at = if constant == 0 { sum } else { self.t.def(&format!("add i32 {sum}, {constant}")) };
        let at = self.t.def(&format!("zext i32 {at} to i64"));
        let place = self.t.def(&format!("getelementptr {one}, ptr {base}, i64 {at}"));
        match row.asked {
            Asked::Known(many) => {
                let short = format!("<{many} x {one}>");
                let old = self.t.def(&format!("load {short}, ptr {place}, align {bytes}"));
                let picks = |n: usize, of: usize| {
                    let picks: Vec<String> = (0..of).map(|l| format!("i32 {}", l.min(n - 1))).collect();
                    format!("<{of} x i32> <{}>", picks.join(", "))
                };
                let old = self.t.def(&format!("shufflevector {short} {old}, {short} poison, {}", picks(many, 16)));
                let new = self.combined(private.op, t, &old, value);
                let new = self.t.def(&format!("shufflevector {ty} {new}, {ty} poison, {}", picks(16, many)));
                self.t.line(&format!("store {short} {new}, ptr {place}, align {bytes}"));
            }
            Asked::Masked => {
                let asked = self.asked(inst);
                // Where no lane is asked, the index is anything.
                let any = self.t.any(&asked);
                let place = self.t.def(&format!("select i1 {any}, ptr {place}, ptr {base}"));
                let old = self.load_masked(t, &place, bytes, &asked);
                let new = self.combined(private.op, t, &old, value);
                self.store_masked(t, (&new, &place), bytes, &asked);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::common::function::{Private, Shape};
    use crate::lower::{self, Plan};
    use quadra_kir::Op;
    use quadra_passes::analysis::range::Bounds;

    /// The code of a kernel that adds what it loads to `%s`, of which threads have copies, where registers hold 256 bits.
    fn added(index: &str, mask: &str) -> String {
        let text = format!(
            "kernel @k(%s: buf<f32, rw>, %l: buf<i32, r>, %x: buf<f32, r>) simd group=16 over=2 {{ %lane = lane %i = group 0
               %g = group 1 %b = load.inside %l[%i] %k = and %b, 7 %r = shl %k, 4 %c = shl %g, 4 %n = add %c, %lane {index}
               %few = cmp.lt %lane, 3 %some = cmp.lt %n, 20 %v = load.row.inside %x[%i]
               %o = atomic.add.inside %s[%j], %v {mask} }}"
        );
        let kernel =
            quadra_kir::parse::kernel("t.kir", &text).map_err(|d| format!("{d:?}")).expect("the test's kernel");
        let plan = Plan {
            shape: Shape::ONE,
            blocks: None,
            groups: [4000, 1].map(|high| Bounds { low: 0, high }).to_vec(),
            most_workers: 1,
            scales: false,
            fuses: true,
            permutes: false,
            avx2: true,
            lengths: vec![Some(160), Some(4096), Some(8192)],
            streams: vec![false; 3],
            halves: false,
            border: false,
            few: false,
            atomics: true,
            ahead: false,
            alias: false,
            private: vec![Some(Private { op: Op::AtomicAdd, length: 160, copies: 8 }), None, None],
            checked: false,
            guarded: false,
        };
        lower::module(&kernel, &plan).expect("one group at a time").0
    }

    #[test]
    fn lanes_that_are_neighbours_change_a_row() {
        let one = |index: &str, mask: &str, what: &str| added(index, mask).contains(what);
        assert!(one("%j = add %r, %lane", "", "fadd <16 x float>"));
        assert!(one("%j = add %r, %lane", "if %few", "load <3 x float>"), "as many lanes as there are");
        assert!(one("%p = add %r, %n %j = add %p, 0", "if %some", "llvm.x86.avx2.maskstore.d.256"));
        assert!(!one("%q = shl %lane, 1 %j = add %r, %q", "", "fadd <16 x float>"), "every second element");
        assert!(!one("%q = load.row.inside %l[%i] %m = and %q, 7 %j = add %m, %lane", "", "fadd <16 x float>"));
    }
}
