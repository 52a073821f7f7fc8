//! Loops whose iterations combine values: a group of 16 items takes many iterations, its lanes in turn, and keeps what it
//! combined to itself until the end. The host puts the parts together. How the iterations are dealt to groups depends on the
//! loop alone, so that sums do not depend on the number of threads or on the device; but for the QPUs, whose sums differ anyway:
//! there a launch has so many groups that all of them have something to do, while threads take longer to wake than to add.

use super::element::Place;
use super::index::Selection;
use super::number::LITTLE;
use super::parts::Bins;
use super::state::Lower;
use super::value::{ArrayRef, Element, Num, Val};
use super::{Low, refuse};
use quadra_kir::{self as kir, Mode, Op};
use quadra_quasar_hir::op2::Op2;
use quadra_quasar_hir::types::{Access, IntKind};
use quadra_quasar_vm::arith::Kind;

/// Lanes of a group.
pub(super) const LANES: i64 = kir::LANES as i64;
/// Iterations of a row, where a single loop is cut into rows: at least and at most, and what they are a multiple of.
const ROW: [i64; 2] = [1 << 8, 1 << 12];
const ROW_STEP: i64 = 1 << 7;
/// Iterations that a group has, where there are enough of them: with scalars, and with bins, whose parts take longer to put
/// together.
const GROUP: [i64; 2] = [1 << 14, 1 << 18];
/// Groups for each worker, so that none waits long for the last.
const TURNS: [i64; 2] = [2, 4];
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
    Rows(Deal),
}

/// Who keeps a copy of the arrays that iterations accumulate into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Copies {
    /// There are none.
    None,
    /// Each lane of each group, in memory.
    Lanes,
    /// Each group, in an array that its items share.
    Groups,
}

/// How rows are dealt to groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Deal {
    pub copies: Copies,
    /// So many workers shall all have rows.
    pub workers: Option<u32>,
    /// Elements of the copies that a group keeps in memory.
    pub kept: i64,
}

/// Rows of a launch, rows of a group, and iterations of a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    pub all: i64,
    pub each: i64,
    pub row: i64,
}

impl Rows {
    /// Number of groups.
    pub fn groups(self) -> i64 {
        (self.all + self.each - 1) / self.each.max(1)
    }
}

/// How the rows of a nest are dealt to groups. A single loop is cut into rows, otherwise the innermost loop is a row.
pub(super) fn rows(dims: &[i64], Deal { copies, workers, kept }: Deal) -> Rows {
    // Copies in memory pay for themselves from about one iteration for each of their elements on: making one and adding it is a
    // row of a transfer for 16 elements, while each iteration has transfers of its own.
    let least = workers.filter(|_| copies == Copies::Lanes).map(|_| kept);
    let bins = copies == Copies::Lanes || copies == Copies::Groups && workers.is_none();
    let workers = workers.filter(|_| !bins).map(i64::from);
    let up = |n: i64, step: i64| (n + step - 1) / step.max(1);
    let long: Vec<i64> = dims.iter().copied().filter(|d| *d != 1).collect();
    let (all, row) = match &long[..] {
        [] => (1, 1),
        [n] => {
            let row = workers.map_or(ROW[1], |workers| {
                let count = (up(up(*n, ROW[1]), workers) * workers).max(workers * TURNS[0]);
                (up(up(*n, count), ROW_STEP) * ROW_STEP).clamp(ROW[0], ROW[1])
            });
            (up(*n, row), row)
        }
        [outer @ .., last] => (outer.iter().product(), *last),
    };
    let kind = usize::from(bins);
    let full = up(least.map_or(GROUP[kind], |kept| kept.clamp(GROUP[0], GROUP[1])), row);
    let each = workers.map_or(full, |workers| shared_evenly(all, workers, full, up(ROW[0], row)));
    Rows { all, each: each.max(up(all, MOST_GROUPS[kind])).max(1), row }
}

/// Rows of a group: `full` at most, fewer if not all workers had enough of such groups, but at least `least`; of some that are
/// about as many, those with which the worker that has the most rows has the fewest.
fn shared_evenly(all: i64, workers: i64, full: i64, least: i64) -> i64 {
    let most = (all / (workers * TURNS[1])).max(1).min(full).max(least);
    let busiest = |each: i64| {
        let groups = (all + each - 1) / each;
        (groups + workers - 1) / workers * each
    };
    (least.max(most - 3)..=most).rev().min_by_key(|&each| busiest(each)).unwrap_or(most)
}

/// Elements that a group keeps for so many: whole vectors.
pub(super) const fn padded(len: usize) -> usize {
    len.next_multiple_of(LANES as usize)
}

impl Lower<'_> {
    /// The number of the group.
    pub fn group_number(&mut self) -> kir::Value {
        self.b.axis(Op::Group, 0)
    }

    pub fn lane(&mut self) -> kir::Value {
        self.b.op(Op::Lane, &[])
    }

    /// `a[…] += e` in the copy of the lane or the group.
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
        let Bins { buf, len, shared, .. } = self.bins[bins].clone();
        // Lanes begin at 0 and are added up by the host, which sees what does not fit.
        let element = if a.is_unsigned() { Element::Int(IntKind::Int) } else { a.element };
        let own = ArrayRef { buf, base: None, shared: true, element, ..a.clone() };
        let kind = a.element.kind();
        for (subscripts, v) in selection.elements.iter().zip(values) {
            if v.im.is_some() || kind.is_int() && !v.kind.is_int() {
                refuse!("bins for such values");
            }
            if a.is_unsigned() {
                self.unsigned_update(op, a, v)?;
            }
            let place = self.element_place(a, subscripts, selection.linear, access)?;
            if let Some(shared) = shared {
                self.update_shared(shared, &place, op, v, kind)?;
                continue;
            }
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
            if kind == Kind::Int {
                self.fits_element(op, old.re, &v, new)?;
            }
            self.b.store(buf, Mode::Inside, &[at], new);
            if place.inside.is_some() {
                self.b.end();
            }
        }
        Ok(Val::Nothing)
    }
}

impl Lower<'_> {
    /// Whether a number is at most [`LITTLE`].
    pub fn is_little(&mut self, v: &Num) -> bool {
        self.bounds(v).is_some_and(|r| r.within(-LITTLE, LITTLE))
    }

    /// The same in the array that the group shares.
    fn update_shared(&mut self, shared: kir::Buf, place: &Place, op: Op2, v: &Num, kind: Kind) -> Low<()> {
        // There is no old value to look at, so that only ones will do, of which no launch adds more than an integer holds.
        if kind == Kind::Int && !self.bounds(v).is_some_and(|r| r.within(-1, 1)) {
            refuse!("shared bins for such values");
        }
        if let Some(inside) = place.inside {
            self.b.begin_if(inside);
        }
        let v = self.convert(v, kind);
        let mut inst = kir::Inst::new(if op == Op2::Add { Op::AtomicAdd } else { Op::AtomicSub }, [place.at, v.re]);
        (inst.buf, inst.mode) = (Some(shared), Mode::Inside);
        self.b.push(inst, &[]);
        if place.inside.is_some() {
            self.b.end();
        }
        Ok(())
    }

    /// Leaves what groups share in the buffers of results, group after group.
    pub fn store_shared_bins(&mut self) {
        let (group, lane) = (self.group_number(), self.lane());
        for Bins { buf, len, shared, .. } in self.bins.clone() {
            let Some(shared) = shared else { continue };
            let len = self.b.i32(padded(len) as i32);
            let (zero, lanes) = (self.b.i32(0), self.b.i32(LANES as i32));
            let first = self.op(Op::Mul, &[group, len]);
            let row = self.b.begin_for(zero, len, lanes);
            let at = self.op(Op::Add, &[row, lane]);
            let sum = self.b.load(shared, Mode::Inside, &[at]);
            let to = self.op(Op::Add, &[first, at]);
            self.b.store(buf, Mode::Inside, &[to], sum);
            self.b.end();
        }
    }
}

/// Whether groups can keep copies of such an array.
pub(super) fn may_have_bins(element: Element, len: usize) -> bool {
    let plain = matches!(element, Element::Float(_) | Element::Int(IntKind::Int | IntKind::U32));
    plain && (1..=MOST_BINS).contains(&len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_workers_have_rows() {
        let spread = Deal { copies: Copies::None, workers: Some(12), kept: 0 };
        let busiest = |dims: &[i64]| {
            let r = rows(dims, spread);
            (r.groups(), (r.groups() + 11) / 12 * r.each * r.row)
        };
        assert_eq!(busiest(&[1000]), (4, 256));
        assert_eq!(busiest(&[20_000]), (23, 2 * 896));
        assert_eq!(busiest(&[100_000]), (36, 3 * 2816));
        // 21 rows of 4096 where 20.4 are the least.
        assert_eq!(busiest(&[1_000_000]), (82, 21 * 4096));
        assert_eq!(busiest(&[512, 512]), (57, 5 * 9 * 512));
        // Short rows make groups of some iterations.
        assert_eq!(rows(&[100, 10], spread).each, 26);
        assert!(rows(&[1 << 30], spread).groups() <= MOST_GROUPS[0]);
        for (copies, workers) in [(Copies::None, None), (Copies::Lanes, Some(12))] {
            assert_eq!(rows(&[16_384], Deal { copies, workers, kept: 1 << 16 }).groups(), 1);
        }
        // Copies in memory: of 1024 and of 4096 elements for each lane, of short ones, and where the order of sums is everybody's.
        let lanes = |kept: i64, workers| Deal { copies: Copies::Lanes, workers, kept };
        assert_eq!(rows(&[1 << 18], lanes(1 << 14, Some(12))).groups(), 16);
        assert_eq!(rows(&[1 << 18], lanes(1 << 16, Some(12))).groups(), 4);
        assert_eq!(rows(&[1 << 18], lanes(100, Some(12))).groups(), 16);
        assert_eq!(rows(&[1 << 18], lanes(1 << 14, None)).groups(), 1);
        assert_eq!(rows(&[512, 512], Deal { copies: Copies::Groups, ..spread }).groups(), 57);
    }
}
