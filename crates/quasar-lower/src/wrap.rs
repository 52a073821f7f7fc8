//! Remainders and reflections of positions that leave an array by little: `mod(i-1, n)` where `i` runs up to `n`. Division is
//! dear on small GPUs; where the launch shows that one period is added or taken away at most, a comparison does.

use super::number::interval;
use super::shape::Amount;
use super::state::Lower;
use super::value::{Item, Length, Num};
use quadra_kir::{self as kir, Bounds, Op};
use quadra_quasar_hir::op2::Op2;
use quadra_quasar_vm::arith::Kind;

/// Distances from an item's own position that are kept track of.
const MOST_SHIFT: i64 = 1 << 16;
/// The greatest length, or integer of the launch, of which kernels know that it is no greater.
const MOST_LENGTH: i64 = 1 << 30;

impl Lower<'_> {
    /// A sum or difference of the item's index and something with known bounds, or a parameter of the kernel once.
    pub fn shifted(&mut self, op: Op2, x: &Num, y: &Num) -> Option<Item> {
        let (item, other, sign) = match (x.item, y.item) {
            (Some(item), None) => (item, y, if op == Op2::Sub { -1 } else { 1 }),
            (None, Some(item)) if op == Op2::Add => (item, x, 1),
            _ => return None,
        };
        if sign == 1 && item.plus.is_none() && self.launch.lengths.contains_key(&other.re) {
            return Some(Item { plus: Some(other.re), ..item });
        }
        let range = self.bounds(other)?;
        let (a, b) = (sign * range.low, sign * range.high);
        let (low, high) = (item.low + a.min(b), item.high + a.max(b));
        let near = |v: i64| v.abs() <= MOST_SHIFT;
        (near(low) && near(high)).then_some(Item { low, high, ..item })
    }

    /// `mod` of floats; of a divisor of 0, the number itself.
    pub fn modulo(&mut self, kind: Kind, x: kir::Value, y: kir::Value) -> kir::Value {
        let rest = self.op(Op::Mod, &[x, y]);
        let zero = self.float(kind, 0.0);
        let none = self.op(Op::CmpEq, &[y, zero]);
        match self.constant(none) {
            Some(c) if c.bits == 0 => rest,
            _ => self.op(Op::Select, &[none, x, rest]),
        }
    }

    /// `mod` of integers. The divisor may be 0 unless the launch says otherwise.
    pub fn remainder(&mut self, x: &Num, n: &Num) -> Num {
        let range = interval(Op2::Mod, self.bounds(x), self.bounds(n));
        if self.launch.fits(Amount::Nothing, 1, Length::Given(n.re)) {
            let r = self.wrapped(x, n.re);
            return Num { range: range.or(r.range), ..r };
        }
        self.nonzero(n);
        let re = self.op(Op::Mod, &[x.re, n.re]);
        Num { range, ..Num::new(Kind::Int, re) }
    }

    /// A position brought into `0..n` by whole periods of `n`, which is positive.
    pub fn wrapped(&mut self, x: &Num, n: kir::Value) -> Num {
        self.some_length(n);
        let length = self.length_of(n);
        let positive = self.launch.fits(Amount::Nothing, 1, length);
        let re = match self.within_a_period(x, n, length) {
            Some(item) => self.one_period(x.re, n, item),
            None => self.op(Op::Mod, &[x.re, n]),
        };
        Num {
            range: positive.then_some(Bounds::new(0, Bounds::ANY.high - 1)),
            below: (positive && self.constant(n).is_none()).then_some(n),
            ..Num::new(Kind::Int, re)
        }
    }

    /// A position brought into `0..n`, from which it is less than `n` away.
    fn one_period(&mut self, x: kir::Value, n: kir::Value, item: Item) -> kir::Value {
        let x = if item.plus == Some(n) { self.op(Op::Sub, &[x, n]) } else { x };
        let mut r = x;
        if item.high > 0 {
            let beyond = self.op(Op::CmpGe, &[x, n]);
            let back = self.op(Op::Sub, &[x, n]);
            r = self.op(Op::Select, &[beyond, back, r]);
        }
        if item.low < 0 {
            let zero = self.b.i32(0);
            let before = self.op(Op::CmpLt, &[x, zero]);
            let on = self.op(Op::Add, &[x, n]);
            r = self.op(Op::Select, &[before, on, r]);
        }
        r
    }

    /// Reflection without repeating the edge: the period is 2n - 2, and 1 if there is one element.
    pub fn mirrored(&mut self, x: &Num, n: kir::Value) -> kir::Value {
        let length = self.length_of(n);
        if !self.launch.fits(Amount::Nothing, 1, length) || self.length_range(length).high > MOST_LENGTH {
            // The period of longer ones is no `int`.
            let (one, most) = (self.b.i32(1), self.b.i32(MOST_LENGTH as i32));
            let last = self.op(Op::Sub, &[n, one]);
            let fits = self.op(Op::CmpLtU, &[last, most]);
            self.require(fits, "an empty array, or an enormous length");
        }
        let one = self.b.i32(1);
        let last = self.op(Op::Sub, &[n, one]);
        let double = self.op(Op::Add, &[last, last]);
        let period = self.op(Op::Max, &[double, one]);
        // With an element between the edges and as many as it is off, one reflection is enough.
        let near = self.within_a_period(x, n, length).filter(|i| i.plus.is_none());
        let near = near.filter(|i| self.launch.fits(Amount::Nothing, i.high.max(-i.low).max(1) + 1, length));
        let j = match near {
            // The greater of both is x where comparisons with the edge are decided: see the interior of launches.
            Some(_) => {
                let zero = self.b.i32(0);
                let opposite = self.op(Op::Sub, &[zero, x.re]);
                self.op(Op::Max, &[x.re, opposite])
            }
            None => self.op(Op::Mod, &[x.re, period]),
        };
        let back = self.op(Op::Sub, &[period, j]);
        self.op(Op::Min, &[j, back])
    }

    /// Has the host take over where a length is less than 1, which has no period and no edge.
    pub fn some_length(&mut self, n: kir::Value) {
        let length = self.length_of(n);
        if !self.launch.fits(Amount::Nothing, 1, length) {
            let zero = self.b.i32(0);
            let some = self.op(Op::CmpGt, &[n, zero]);
            self.require(some, "an empty array, or a length of 0");
        }
    }

    /// What is known of an integer that the launch passes: a number or length that is neither negative nor enormous in this
    /// launch; others need another kernel.
    pub fn given_range(&mut self, v: kir::Value) -> Option<Bounds> {
        let small = self.launch.lengths.contains_key(&v)
            && self.launch.fits(Amount::Given(v), 0, Length::Known(MOST_LENGTH as usize));
        small.then_some(Bounds::new(0, MOST_LENGTH))
    }

    /// Between which bounds a length lies.
    pub fn length_range(&mut self, n: Length) -> Bounds {
        match n {
            Length::Known(n) => Bounds::exactly(n as i64),
            Length::Given(v) => self.given_range(v).unwrap_or(Bounds::NATURAL),
        }
    }

    fn length_of(&mut self, n: kir::Value) -> Length {
        let known = self.constant(n).and_then(|c| usize::try_from(c.bits as i32).ok());
        known.map_or(Length::Given(n), Length::Known)
    }

    /// How a position follows from the item's index, if it lies between `-n` and `2n` in every launch like this one.
    fn within_a_period(&mut self, x: &Num, n: kir::Value, length: Length) -> Option<Item> {
        let item = x.item.filter(|i| i.plus.is_none_or(|p| p == n))?;
        let off = item.high.max(-item.low).max(1);
        let fits =
            self.launch.fits(Amount::Axis(item.axis), 0, length) && self.launch.fits(Amount::Nothing, off, length);
        fits.then_some(item)
    }
}
