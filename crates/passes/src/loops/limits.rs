//! Where comparisons with numbers that only a launch knows always come out the same way: [`interior`](crate::interior) for code that
//! is made for all values of its numbers.
//!
//! Which groups these are follows from the numbers, when they are known: a comparison of a sum with one coordinate of the group and
//! numbers in it, such as `i >= d`, is a [`Limit`]. Which way it is taken to come out, the numbers of the launch say for which code is
//! made: the one that holds for most groups. A launch whose numbers are negative or large has no interior.

use crate::analysis::linear::Form;
use crate::analysis::range::{Bounds, Range};
use crate::interior::{Difference, axes};
use quadra_base::quick::Map;
use quadra_kir::{Kernel, Level, Param, Value};

/// No number of a limit is larger, so that sums of a few do not wrap.
const MOST: i64 = 1 << 29;
/// Most limits of a kernel.
const MOST_LIMITS: usize = 8;

/// For all groups of the interior a sum of a group's coordinate and numbers of the launch is at least, or at most, a bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    pub axis: usize,
    /// The coordinate's factor.
    pub factor: i64,
    /// Parameters that are numbers, and their factors.
    pub numbers: Vec<(usize, i64)>,
    pub at_least: bool,
    pub bound: i64,
}

impl Limit {
    /// The groups along its axis for which it holds; nothing if the numbers are negative or large.
    pub fn groups(&self, number: impl Fn(usize) -> Option<i64>) -> Option<Bounds> {
        let mut rest = i128::from(self.bound);
        for &(n, factor) in &self.numbers {
            let number = number(n).filter(|x| (0..=MOST).contains(x))?;
            rest -= i128::from(factor) * i128::from(number);
        }
        let (rest, factor) = (i64::try_from(rest).ok()?, self.factor);
        let (down, up) = (|a: i64, b: i64| a.div_euclid(b), |a: i64, b: i64| -(-a).div_euclid(b));
        let any = Bounds::ANY;
        Some(match (self.at_least, factor > 0) {
            (true, true) => Bounds { low: up(rest, factor), ..any },
            (true, false) => Bounds { high: down(-rest, -factor), ..any },
            (false, true) => Bounds { high: down(rest, factor), ..any },
            (false, false) => Bounds { low: up(-rest, -factor), ..any },
        })
    }

    /// The groups of a box for which all limits hold; nothing if there are none.
    pub fn all_hold(limits: &[Limit], groups: &[Bounds], number: impl Fn(usize) -> Option<i64>) -> Option<Vec<Bounds>> {
        let mut inside = groups.to_vec();
        for limit in limits {
            let (b, own) = (limit.groups(&number)?, inside.get_mut(limit.axis)?);
            *own = Bounds { low: own.low.max(b.low), high: own.high.min(b.high) };
        }
        inside.iter().all(|b| b.low <= b.high).then_some(inside)
    }
}

/// What limits say of sums.
#[derive(Clone, Copy)]
pub(super) struct Told<'a> {
    pub limits: &'a [Limit],
    pub axis_of: Option<&'a Map<Value, usize>>,
}

impl Told<'_> {
    pub const NOTHING: Told<'static> = Told { limits: &[], axis_of: None };

    /// The bounds of a sum for groups within the limits, if these say anything and it cannot wrap.
    pub fn bounds(&self, form: &Form, kernel: &Kernel, range: &Range) -> Option<Bounds> {
        let axis_of = self.axis_of.filter(|_| !self.limits.is_empty())?;
        let parts = Parts::of(form, kernel, range, axis_of)?;
        let (mut low, mut high) = parts.bounds(kernel, range, axis_of);
        for limit in self.limits.iter().filter(|l| parts.is_sum_of(l)) {
            match limit.at_least {
                true => low = low.max(limit.bound + parts.rest.0),
                false => high = high.min(limit.bound + parts.rest.1),
            }
        }
        // The sum's own value: outside of what an `i32` holds it would have wrapped.
        (Bounds::ANY.low <= low && high <= Bounds::ANY.high).then_some(Bounds { low, high })
    }
}

/// A sum of one coordinate of the group, numbers of a launch, and other things.
struct Parts {
    axis: usize,
    factor: i64,
    numbers: Vec<(usize, i64)>,
    /// The bounds of everything else.
    rest: (i64, i64),
}

impl Parts {
    fn of(form: &Form, kernel: &Kernel, range: &Range, axis_of: &Map<Value, usize>) -> Option<Parts> {
        let mut axes: Vec<(usize, i64)> = Vec::new();
        let mut parts =
            Parts { axis: 0, factor: 0, numbers: Vec::new(), rest: (form.constant.into(), form.constant.into()) };
        for &(v, f) in &form.terms {
            let f = i64::from(f);
            if let Some(&axis) = axis_of.get(&v) {
                match axes.iter_mut().find(|a| a.0 == axis) {
                    Some(a) => a.1 += f,
                    None => axes.push((axis, f)),
                }
            } else if let Some(n) = kernel.params.iter().position(|p| matches!(p, Param::Scalar(p) if *p == v)) {
                parts.numbers.push((n, f));
            } else {
                let b = range.bounds(kernel, v);
                let (x, y) = (b.low * f, b.high * f);
                parts.rest = (parts.rest.0 + x.min(y), parts.rest.1 + x.max(y));
            }
        }
        parts.numbers.sort_unstable();
        let [(axis, factor)] = axes[..] else { return None };
        (factor != 0).then_some(Parts { axis, factor, ..parts })
    }

    fn is_sum_of(&self, limit: &Limit) -> bool {
        (self.axis, self.factor, &self.numbers) == (limit.axis, limit.factor, &limit.numbers)
    }

    /// The bounds of the sum without limits.
    fn bounds(&self, kernel: &Kernel, range: &Range, axis_of: &Map<Value, usize>) -> (i64, i64) {
        let group = axis_of.iter().find(|a| *a.1 == self.axis).map_or(Bounds::ANY, |a| range.bounds(kernel, *a.0));
        let number = |n: usize| match kernel.params[n] {
            Param::Scalar(v) => range.bounds(kernel, v),
            Param::Buffer(_) => Bounds::ANY,
        };
        let terms = self.numbers.iter().map(|&(n, f)| (number(n), f)).chain([(group, self.factor)]);
        terms.fold(self.rest, |(low, high), (b, f)| {
            let (x, y) = (b.low * f, b.high * f);
            (low + x.min(y), high + x.max(y))
        })
    }
}

/// What values lie between if the numbers of limits do as they must.
pub(super) fn range(kernel: &Kernel, most_workers: i64, groups: &[Bounds], limits: &[Limit]) -> Range {
    let numbers = limits.iter().flat_map(|l| &l.numbers).map(|n| n.0);
    let values: Vec<Value> = numbers
        .filter_map(|n| match kernel.params.get(n) {
            Some(Param::Scalar(v)) => Some(*v),
            _ => None,
        })
        .collect();
    let supposed = |v: Value| values.contains(&v).then_some(Bounds { low: 0, high: MOST });
    Range::supposing(kernel, most_workers, groups, &supposed)
}

/// Adds limits for comparisons of `kernel`, which holds for the groups of `within` and the limits found so far; says whether there were
/// any. `likely` gives the numbers of a launch, of which most groups must stay inside.
pub fn find(
    kernel: &Kernel,
    most_workers: i64,
    within: &[Bounds],
    likely: &dyn Fn(usize) -> Option<i64>,
    found: &mut Vec<Limit>,
) -> bool {
    let before = found.len();
    if kernel.level != Level::Simd {
        return false;
    }
    // Each number that may become one of a limit is supposed to do as those do.
    let supposed = |v: Value| {
        let n = kernel.params.iter().position(|p| matches!(p, Param::Scalar(p) if *p == v))?;
        likely(n).filter(|x| (0..=MOST).contains(x)).map(|_| Bounds { low: 0, high: MOST })
    };
    let range = Range::supposing(kernel, most_workers, within, &supposed);
    let axis_of = axes(kernel);
    kernel.body.walk(&mut |inst| {
        let told = Told { limits: &found[..], axis_of: Some(&axis_of) };
        let difference = Difference { kernel, forms: range.forms(), range: &range, told };
        for (form, least) in difference.sides(inst) {
            let exact = form.bounds(kernel, &range);
            let told = Told { limits: &found[..], axis_of: Some(&axis_of) };
            let told = told.bounds(&form, kernel, &range).unwrap_or(exact);
            let open = exact.low.max(told.low) < least && exact.high.min(told.high) >= least;
            let parts = Parts::of(&form, kernel, &range, &axis_of).filter(|p| open && !p.numbers.is_empty());
            if let Some(limit) = parts.and_then(|p| p.limit(least, within, likely, found)) {
                found.push(limit);
            }
        }
    });
    found.len() > before
}

impl Parts {
    /// The limit that makes the sum at least `least` for all lanes, or less, if most groups lie within it and those before.
    fn limit(
        self,
        least: i64,
        within: &[Bounds],
        likely: &dyn Fn(usize) -> Option<i64>,
        before: &[Limit],
    ) -> Option<Limit> {
        if before.len() >= MOST_LIMITS {
            return None;
        }
        let Parts { axis, factor, numbers, rest } = self;
        let yes = Limit { axis, factor, numbers, at_least: true, bound: least - rest.0 };
        let no = Limit { at_least: false, bound: least - 1 - rest.1, ..yes.clone() };
        let many = |limit: &Limit| {
            let all = [before, std::slice::from_ref(limit)].concat();
            let inside = Limit::all_hold(&all, within, likely)?;
            inside.get(axis).map(|b| b.high - b.low + 1)
        };
        let all = within.get(axis).map(|b| b.high - b.low + 1)?;
        let (yes_many, no_many) = (many(&yes).unwrap_or(0), many(&no).unwrap_or(0));
        let (best, many) = if yes_many >= no_many { (yes, yes_many) } else { (no, no_many) };
        // A comparison that splits the extent in the middle is left to the code.
        (many * 4 >= all * 3).then_some(best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interior;

    fn kernel(condition: &str) -> Kernel {
        let text = format!(
            "kernel @k(%a: buf<f32, r>, %o: buf<f32, w>, %d: i32, %e: i32) simd group=16 over=1 {{
                %g = group 0 %i = shl %g, 4 %l = lane %p = add %i, %l
                {condition}
                %x = load.row %a[%i] if %c
                store.row %o[%i], %x
            }}"
        );
        quadra_kir::parse::kernel("t.kir", &text).map_err(|d| format!("{d:?}")).expect("the test's kernel parses")
    }

    /// The interior for numbers that are likely, the one for those of a launch, and whether comparisons were decided.
    fn inside(condition: &str, likely: [i64; 2], real: [i64; 2]) -> (usize, Option<(i64, i64)>, bool) {
        let (mut kernel, all) = (kernel(condition), [Bounds { low: 0, high: 63 }]);
        let mut limits = Vec::new();
        find(&kernel, 1, &all, &|n| likely.get(n.checked_sub(2)?).copied(), &mut limits);
        let held = Limit::all_hold(&limits, &all, |n| real.get(n.checked_sub(2)?).copied());
        let decided = interior::narrow_told(&mut kernel, 1, &all, &limits);
        (limits.len(), held.map(|b| (b[0].low, b[0].high)), decided)
    }

    #[test]
    fn an_interior_follows_from_the_numbers_of_a_launch() {
        let from = "%c = cmp.ge %p, %d";
        assert_eq!(inside(from, [1, 0], [1, 0]), (1, Some((1, 63)), true));
        assert_eq!(inside(from, [1, 0], [16, 0]), (1, Some((1, 63)), true));
        assert_eq!(inside(from, [1, 0], [17, 0]), (1, Some((2, 63)), true));
        assert_eq!(inside(from, [1, 0], [5000, 0]), (1, None, true), "nothing is left");
        assert_eq!(inside(from, [1, 0], [-1, 0]), (1, None, true), "negative");
        assert_eq!(inside(from, [1, 0], [i64::from(i32::MAX), 0]), (1, None, true), "large");
        assert_eq!(inside(from, [500, 0], [1, 0]).0, 0, "in the middle");
        assert_eq!(inside(from, [1000, 0], [900, 0]), (1, Some((0, 55)), true), "most are on the other side");
        assert_eq!(inside("%q = add %p, %d %c = cmp.lt %q, 1024", [1, 0], [40, 0]), (1, Some((0, 60)), true));
        assert_eq!(inside("%q = sub %d, %p %c = cmp.lt %q, %e", [8, 9], [40, 9]), (1, Some((2, 63)), true));
    }

    #[test]
    fn what_may_wrap_is_not_decided() {
        // Of two numbers of up to 2^29 each, times 8.
        let text = "%q = shl %d, 3 %r = sub %p, %q %c = cmp.ge %r, %e";
        let (many, _, decided) = inside(text, [1, 1], [1, 1]);
        assert!(many == 0 || !decided, "{many} {decided}");
        // An index that is tested as one without a sign, as those are that lie in bounds.
        let both = "%b = cmp.ge %p, %d %q = sub %p, %d %u = cmp.lt.u %q, 1024 %c = and %b, %u";
        assert_eq!(inside(both, [1, 0], [20, 0]), (1, Some((2, 63)), true));
    }
}
