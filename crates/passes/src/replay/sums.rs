//! Indices that are bounded together: a block's start and the place in it, of which each alone may be large.
//!
//! A sum is at most a number if it is so by the bounds of its terms, or with a term replaced by something that it is never
//! greater than: what it is a sum of, an operand of the `min` that it is, the end of the loop that counts it.

use super::{Bounds, Inst, Op, Replay, Value};

/// Most replacements one after the other, and most of them for one access.
const DEPTH: u32 = 14;
const TRIALS: u32 = 600;

/// A sum of multiples of values.
#[derive(Clone, Debug, Default)]
struct Sum {
    terms: Vec<(Value, i64)>,
    constant: i64,
}

/// The range of a loop's induction variable.
#[derive(Clone, Copy)]
pub(super) struct Counter {
    pub first: Value,
    pub end: Value,
    pub step: i64,
}

impl Sum {
    fn of(v: Value) -> Sum {
        Sum { terms: vec![(v, 1)], constant: 0 }
    }

    /// `self + factor * other`; `None` if a number in it does not fit.
    fn plus(mut self, other: &Sum, factor: i64) -> Option<Sum> {
        self.constant = self.constant.checked_add(other.constant.checked_mul(factor)?)?;
        for &(v, f) in &other.terms {
            let f = f.checked_mul(factor)?;
            match self.terms.iter_mut().find(|t| t.0 == v) {
                Some(term) => term.1 = term.1.checked_add(f)?,
                None => self.terms.push((v, f)),
            }
        }
        self.terms.retain(|t| t.1 != 0);
        Some(self)
    }

    fn with(self, constant: i64) -> Sum {
        Sum { constant, ..self }
    }
}

impl<'k> Replay<'k> {
    /// Whether a value lies from 0 to `last`, as a sum.
    pub(super) fn sum_within(&mut self, v: Value, last: i64) -> bool {
        let upper = Sum::of(v);
        let Some(lower) = Sum::default().plus(&upper, -1) else { return false };
        [(upper, last), (lower, 0)].into_iter().all(|(sum, limit)| self.at_most(&sum, limit, DEPTH, &mut { TRIALS }))
    }

    fn at_most(&mut self, sum: &Sum, limit: i64, depth: u32, trials: &mut u32) -> bool {
        let mut all = Bounds::exactly(sum.constant);
        for &(v, f) in &sum.terms {
            all = all.plus(self.bounds(v).times(Bounds::exactly(f)));
        }
        if all.high <= limit && all.high < i64::MAX {
            return true;
        }
        if depth == 0 || *trials == 0 {
            return false;
        }
        *trials -= 1;
        for (at, &(v, f)) in sum.terms.iter().enumerate().rev() {
            for by in self.no_less(v, f > 0) {
                let mut rest = sum.clone();
                rest.terms.remove(at);
                if rest.plus(&by, f).is_some_and(|new| self.at_most(&new, limit, depth - 1, trials)) {
                    return true;
                }
            }
        }
        false
    }

    /// Sums that a value is never greater than, or never less than.
    fn no_less(&mut self, v: Value, upper: bool) -> Vec<Sum> {
        let mut found = Vec::new();
        match self.made.get(&v) {
            Some(&inst) => self.by_operation(inst, upper, &mut found),
            None => self.by_loop(v, upper, &mut found),
        }
        for &(less, more, by) in &self.less {
            match upper {
                true if less == v => found.push(Sum::of(more).with(-by)),
                false if more == v => found.push(Sum::of(less).with(by)),
                _ => {}
            }
        }
        found
    }

    fn by_operation(&mut self, inst: &'k Inst, upper: bool, found: &mut Vec<Sum>) {
        let bits = inst.results.first().and_then(|&r| self.bits(r)).unwrap_or(0);
        let &[a, b] = &inst.args[..] else { return };
        if bits == 0 || self.bits(a) != Some(bits) || self.bits(b) != Some(bits) {
            return;
        }
        let (x, y) = (self.bounds(a), self.bounds(b));
        // An operation that may wrap is no sum.
        let exact = |b: Bounds| b.low > i64::MIN && b.high < i64::MAX && b.fitting(bits).is_some();
        let scaled = |v: Value, f: i64| Sum::default().plus(&Sum::of(v), f);
        match inst.op {
            Op::Add if exact(x.plus(y)) => found.extend(Sum::of(a).plus(&Sum::of(b), 1)),
            Op::Sub if exact(x.minus(y)) => found.extend(Sum::of(a).plus(&Sum::of(b), -1)),
            Op::Mul if exact(x.times(y)) => {
                if let Some(f) = y.single() {
                    found.extend(self.rounded(a, f, upper));
                    found.extend(scaled(a, f));
                } else if let Some(f) = x.single() {
                    found.extend(self.rounded(b, f, upper));
                    found.extend(scaled(b, f));
                }
            }
            Op::Shl => {
                let factor = y.single().filter(|k| (0..32).contains(k)).map(|k| 1_i64 << k);
                if let Some(f) = factor.filter(|&f| exact(x.times(Bounds::exactly(f)))) {
                    found.extend(self.rounded(a, f, upper));
                    found.extend(scaled(a, f));
                }
            }
            Op::Min if upper => found.extend([Sum::of(a), Sum::of(b)]),
            Op::Max if !upper => found.extend([Sum::of(a), Sum::of(b)]),
            // Low bits cut off round down.
            Op::And => {
                for (v, mask) in [(a, y.single()), (b, x.single())] {
                    if let Some(unit) = mask.filter(|m| *m < 0 && (-m).count_ones() == 1).map(|m| -m) {
                        found.push(Sum::of(v).with(if upper { 0 } else { 1 - unit }));
                    }
                }
            }
            Op::Mod | Op::Rem | Op::Div if upper && x.is_natural() && y.low > 0 => found.push(Sum::of(a)),
            _ => {}
        }
    }

    /// `(x / f) * f` is `x` rounded down.
    fn rounded(&mut self, quotient: Value, f: i64, upper: bool) -> Option<Sum> {
        let inst = *self.made.get(&quotient)?;
        let x = *inst.args.first()?;
        let by = self.bounds(*inst.args.get(1)?).single()?;
        let natural = self.bounds(x).is_natural();
        let same = match inst.op {
            Op::Div => natural && by == f,
            Op::Asr | Op::Shr => natural && (0..31).contains(&by) && 1 << by == f,
            _ => false,
        };
        (same && f > 0).then(|| Sum::of(x).with(if upper { 0 } else { 1 - f }))
    }

    fn by_loop(&mut self, v: Value, upper: bool, found: &mut Vec<Sum>) {
        let Some(&Counter { first, end, step }) = self.counters.get(&v) else { return };
        let aligned = self.is_multiple(first, step) && self.is_multiple(end, step);
        // From the start on, in whole steps, up to the end and without it.
        let last = if aligned { -step } else { -step.signum() };
        match (step > 0, upper) {
            (true, true) | (false, false) => found.push(Sum::of(end).with(last)),
            _ => found.push(Sum::of(first)),
        }
    }

    /// Whether a value is certainly a multiple of a number, also where it wraps.
    fn is_multiple(&mut self, v: Value, of: i64) -> bool {
        let of = of.abs();
        if of == 1 {
            return true;
        }
        if let Some(c) = self.bounds(v).single() {
            return c % of == 0;
        }
        let Some(&inst) = self.made.get(&v) else { return false };
        let power = of.count_ones() == 1;
        let &[a, b] = &inst.args[..] else { return false };
        let (x, y) = (self.bounds(a).single(), self.bounds(b).single());
        match inst.op {
            Op::And => power && [x, y].into_iter().flatten().any(|m| m & (of - 1) == 0),
            Op::Mul => power && [x, y].into_iter().flatten().any(|m| m % of == 0),
            Op::Shl => power && y.is_some_and(|k| (0..31).contains(&k) && (1_i64 << k) % of == 0),
            Op::Add | Op::Sub => power && self.is_multiple(a, of) && self.is_multiple(b, of),
            _ => false,
        }
    }
}
