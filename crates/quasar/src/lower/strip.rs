//! Loops whose iterations combine values: a group of 16 items takes many iterations, its lanes in turn, and keeps what it
//! combined to itself until the end. The host puts the parts together. How the iterations are dealt to groups depends on the
//! loop alone, so that sums do not depend on the number of threads or on the device.

use super::element::Place;
use super::index::Selection;
use super::state::Lower;
use super::value::{ArrayRef, Element, Num, Val};
use super::{Low, refuse};
use crate::host::scalar_ops::Op2;
use crate::sema::types::Access;
use crate::syntax::ast::Text;
use quadra_kir::{self as kir, Mode, Op};

/// Lanes of a group.
pub(super) const LANES: i64 = 16;
/// Iterations of a row, where a single loop is cut into rows.
pub(super) const ROW: i64 = 1 << 12;
/// Iterations that a group should have at least: with scalars, and with bins, whose parts take longer to put together.
const GROUP: [i64; 2] = [1 << 14, 1 << 18];
/// Most groups.
const MOST_GROUPS: [i64; 2] = [1 << 12, 64];
/// Most elements of an array that groups keep bins of.
pub(super) const MOST_BINS: usize = 1 << 12;

/// How the items of a kernel follow from the iterations of a nest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Geometry {
    /// One item each.
    #[default]
    Items,
    /// So many items for each iteration of the innermost loop.
    Channels(u32),
    /// Groups take rows of iterations.
    Rows { bins: bool },
}

/// Rows of a launch and rows of a group.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    pub all: i64,
    pub each: i64,
}

impl Rows {
    /// Number of groups.
    pub fn groups(self) -> i64 {
        (self.all + self.each - 1) / self.each.max(1)
    }
}

/// How the rows of a nest are dealt to groups. A single loop is cut into rows, otherwise the innermost loop is a row.
pub(super) fn rows(dims: &[i64], bins: bool) -> Rows {
    let long: Vec<i64> = dims.iter().copied().filter(|d| *d != 1).collect();
    let (all, row) = match &long[..] {
        [] => (1, 1),
        [n] => ((n + ROW - 1) / ROW, ROW),
        [outer @ .., last] => (outer.iter().product(), *last),
    };
    let kind = usize::from(bins);
    let least = (GROUP[kind] + row - 1) / row.max(1);
    let each = least.max((all + MOST_GROUPS[kind] - 1) / MOST_GROUPS[kind]).max(1);
    Rows { all, each }
}

/// Memory in which each lane of a group accumulates its own copy of a small array.
#[derive(Clone, Debug)]
pub(super) struct Bins {
    pub name: Text,
    pub buf: kir::Buf,
    pub len: usize,
}

impl Lower<'_> {
    /// The number of the group.
    pub fn group_number(&mut self) -> kir::Value {
        self.b.axis(Op::Group, 0)
    }

    pub fn lane(&mut self) -> kir::Value {
        self.b.op(Op::Lane, &[])
    }

    /// `a[…] += e` in the lane's own copy.
    pub fn update_bins(
        &mut self,
        a: &ArrayRef,
        bins: usize,
        selection: &Selection,
        access: Access,
        op: Op2,
        values: &[Num],
    ) -> Low<Val> {
        if !matches!(op, Op2::Add | Op2::Sub) {
            refuse!("bins for '{}='", op.name());
        }
        let Bins { buf, len, .. } = self.bins[bins].clone();
        let own = ArrayRef { buf, base: None, shared: true, ..a.clone() };
        let kind = a.element.kind();
        for (subscripts, v) in selection.elements.iter().zip(values) {
            if v.im.is_some() || kind.is_int() && !v.kind.is_int() {
                refuse!("bins for such values");
            }
            let place = self.element_place(a, subscripts, selection.linear, access)?;
            let (group, lane) = (self.group_number(), self.lane());
            let (len, lanes) = (self.b.i32(len as i32), self.b.i32(LANES as i32));
            let first = self.op(Op::Mul, &[group, len]);
            let bin = self.op(Op::Add, &[first, place.at]);
            let bin = self.op(Op::Mul, &[bin, lanes]);
            let at = self.op(Op::Add, &[bin, lane]);
            if let Some(inside) = place.inside {
                self.b.begin_if(inside);
            }
            let old = self.load(&own, &Place::new(at))?;
            let v = self.convert(v, kind);
            let new = self.op(if op == Op2::Add { Op::Add } else { Op::Sub }, &[old.re, v.re]);
            self.b.store(buf, Mode::Inside, &[at], new);
            if place.inside.is_some() {
                self.b.end();
            }
        }
        Ok(Val::Nothing)
    }
}

/// Whether groups can keep copies of such an array.
pub(super) fn may_have_bins(element: Element, len: usize) -> bool {
    let plain = matches!(element, Element::Float(_) | Element::Int(crate::sema::types::IntKind::Int));
    plain && (1..=MOST_BINS).contains(&len)
}
