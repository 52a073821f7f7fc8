//! Bands of 16 rows, taken column by column: the order in which a worker meets what it loads by columns 16 times in turn, so that
//! the pass `tiles` can read it by rows.

use super::{Row, Written};
use quadra_base::quick::Set;
use quadra_kir::{Kernel, LANES, Mode, Op, Value, Values};
use quadra_passes::analysis::linear::Forms;

/// The most instructions of 16 iterations: what they make beside squares has to stay in the cache of instructions.
pub const MOST_TURNED: usize = 256;
/// Squares of one loop: their rows are in registers all at once.
pub const MOST_SQUARES: usize = 2;

/// Whether a kernel without loops loads by lanes what lies in a row along its last but one axis, and does little else for each
/// position there.
pub(super) fn pays(kernel: &Kernel) -> bool {
    let Some(axis) = (kernel.over as u32).checked_sub(2) else { return false };
    let mut group = None;
    kernel.body.walk(&mut |i| {
        if i.op == Op::Group && i.imm == axis {
            group = Some(i.result());
        }
    });
    let Some(group) = group.filter(|_| !kernel.body.any(&mut |i| i.op == Op::For)) else { return false };
    let forms = Forms::of(kernel);
    let mut columns = 0;
    kernel.body.walk(&mut |i| {
        let words = i.buf.is_some_and(|b| kernel.bufs[b].elem.bytes() == 4);
        if i.op == Op::Load && i.mode == Mode::Inside && words && kernel.ty(i.args[0]).lanes {
            columns += usize::from(forms.at(kernel, i.args[0]).factor(group) == 1);
        }
    });
    // What does not depend on the position along that axis stands in front of its loop.
    let mut varies = Set::from_iter([group]);
    let mut count = 0;
    kernel.body.walk(&mut |i| {
        if i.uses().any(|v| varies.contains(&v)) {
            count += 1;
            varies.extend(i.results.iter().copied());
        }
    });
    (1..=MOST_SQUARES).contains(&columns) && count * LANES as usize <= MOST_TURNED
}

impl Written<'_> {
    /// How many bands an axis has.
    pub(super) fn bands(&mut self, axis: Value) -> Value {
        let last = self.with(Op::Add, axis, -1);
        let before = self.with(Op::Asr, last, 4);
        self.with(Op::Add, before, 1)
    }

    /// The groups of a piece of the rows of a band, whose number comes last in `groups`.
    pub(super) fn band(&mut self, row: &Row<'_>, groups: &[Value], axis: Value) {
        let (begin, end, length) = row.ends;
        let (&band, outer) = groups.split_last().expect("a band is one of an axis");
        let first = self.with(Op::Shl, band, 4);
        let left = self.op(Op::Sub, &[axis, first]);
        let size = self.with(Op::Min, left, LANES as i32);
        let last = self.op(Op::Add, &[first, size]);
        let [one, sixteen] = [1, LANES as i32].map(|n| self.kernel.const_i32(n));
        let down = |w: &mut Self, item: Value, all_within: Option<Value>| {
            w.count((first, last, one), &[], |w, position, _| {
                let groups: Vec<Value> = outer.iter().copied().chain([position]).collect();
                w.group(row, &groups, item, all_within);
                Values::new()
            });
        };
        let full = self.with(Op::And, end, !15);
        self.count((begin, full, sixteen), &[], |w, item, _| {
            down(w, item, Some(length));
            Values::new()
        });
        let rest = self.compare(Op::CmpLt, full, end);
        self.only_if(rest, |w| down(w, full, None));
    }
}
