//! Remainders that come again from turn to turn: which colour an element of a row of pixels is.
//!
//! A row of pixels of three colours has the same pattern every three vectors. A turn of three vectors (or six) begins where the
//! pattern does, so that the remainder by 3 is a constant of each vector, and what is chosen by it is chosen before the loops.

use super::state::Lower;
use crate::common::function::Shape;
use quadra_kir::{Elem, Inst, Kernel, Op, Value};
use quadra_passes::analysis::linear::Forms;
use quadra_passes::analysis::range::Bounds;

/// Most groups of a turn that are worth a remainder.
const MOST: i32 = 8;

/// A remainder of a sum of the position along the last axis.
struct Remainder {
    /// What the sum grows by from group to group, and from lane to lane.
    group: i32,
    lane: i32,
    constant: i32,
    by: i32,
}

impl Remainder {
    /// What an instruction takes the remainder of, if that depends on the position alone.
    fn of(kernel: &Kernel, forms: &Forms, inst: &Inst, group: Option<Value>, lane: Option<Value>) -> Option<Remainder> {
        if !matches!(inst.op, Op::Mod | Op::Rem) || kernel.ty(inst.results[0]).elem != Elem::I32 {
            return None;
        }
        let by = kernel.as_i32(inst.args[1]).filter(|by| *by > 0)?;
        let form = forms.at(kernel, inst.args[0]);
        let factor = |v: Option<Value>| v.map_or(0, |v| form.factor(v));
        let others = form.terms.iter().any(|t| Some(t.0) != group && Some(t.0) != lane);
        let (group, lane) = (factor(group), factor(lane));
        (!others && group > 0).then_some(Remainder { group, lane, constant: form.constant, by })
    }

    /// After how many groups it comes again.
    fn period(&self) -> i32 {
        (1..=self.by).find(|n| i64::from(self.group) * i64::from(*n) % i64::from(self.by) == 0).unwrap_or(self.by)
    }
}

/// The value that is the group's coordinate along an axis, and the lane.
fn positions(kernel: &Kernel, axis: usize) -> (Option<Value>, Option<Value>) {
    let (mut group, mut lane) = (None, None);
    kernel.body.walk(&mut |i| match i.op {
        Op::Group if i.imm as usize == axis => group = Some(i.result()),
        Op::Lane => lane = Some(i.result()),
        _ => {}
    });
    (group, lane)
}

/// After how many groups along the last axis all of a kernel's remainders come again; 1 if it has none, or that is too many.
pub fn period(kernel: &Kernel) -> usize {
    let Some(last) = (kernel.over as usize).checked_sub(1) else { return 1 };
    let (group, lane) = positions(kernel, last);
    let forms = Forms::of(kernel);
    let mut all = 1;
    kernel.body.walk(&mut |i| {
        if let Some(remainder) = Remainder::of(kernel, &forms, i, group, lane) {
            let one = remainder.period();
            all = (all..=MOST).find(|n| n % all == 0 && n % one == 0).unwrap_or(all);
        }
    });
    all as usize
}

impl Lower<'_> {
    /// A remainder as a constant of the present part, if every turn begins where it comes again.
    pub(super) fn periodic(&self, inst: &Inst) -> Option<String> {
        let last = (self.kernel.over as usize).checked_sub(1).filter(|_| self.whole_turns)?;
        let group = self.axis_of.iter().find(|(_, axis)| **axis == last).map(|(v, _)| *v);
        let r = Remainder::of(self.kernel, &self.forms, inst, group, self.lane)?;
        let Shape { columns, .. } = self.shape;
        let bounds = self.forms.at(self.kernel, inst.args[0]).bounds(self.kernel, &self.range);
        let whole = i64::from(r.group) * columns as i64 % i64::from(r.by) == 0;
        let tame = bounds != Bounds::ANY && (inst.op == Op::Mod || bounds.low >= 0);
        let begin = self.plan.groups.get(last).map(|b| b.low).filter(|_| whole && tame)?;
        let first = i64::from(r.constant) + i64::from(r.group) * (begin + self.offset(last) as i64);
        let at = |lane: i64| (first + i64::from(r.lane) * lane).rem_euclid(i64::from(r.by));
        if !self.kernel.ty(inst.results[0]).lanes {
            return Some(at(0).to_string());
        }
        let lanes: Vec<String> = (0..16).map(|l| format!("i32 {}", at(l))).collect();
        Some(format!("<{}>", lanes.join(", ")))
    }
}
