//! Where in a launch's extent comparisons always come out the same way: the interior, whose code needs no test of borders.
//!
//! Not in a pipeline: a back end asks [`find`] for the groups of the interior, compiles the kernel once for them, where
//! [`narrow`] decides what their bounds decide, and once for the rest. Clamped and periodic indices, tests of a position
//! against the size, and the masks of full groups are all comparisons of sums with one coordinate of the group in them.

use crate::analysis::linear::{Form, Forms};
use crate::analysis::range::{Bounds, Range};
use crate::limits::{self, Limit, Told};
use quadra_base::quick::{Map, Set};
use quadra_kir::{Block, Const, Elem, Inst, Kernel, Level, Op, Value};

/// A difference of two values as a sum, and whether it is known not to wrap.
pub(super) struct Difference<'a> {
    pub kernel: &'a Kernel,
    pub forms: &'a Forms,
    pub range: &'a Range,
    /// What the numbers of a launch decide besides.
    pub told: Told<'a>,
}

impl Difference<'_> {
    /// `a - b` as a sum, if it cannot wrap.
    pub fn form(&self, a: Value, b: Value) -> Option<Form> {
        let (x, y) = (self.range.bounds(self.kernel, a), self.range.bounds(self.kernel, b));
        let fits = Bounds::ANY.low <= x.low - y.high && x.high - y.low <= Bounds::ANY.high;
        fits.then(|| self.forms.at(self.kernel, a).minus(&self.forms.at(self.kernel, b)))
    }

    /// The sums that decide a comparison, and the least for which each goes the other way than for smaller ones.
    pub fn sides(&self, inst: &Inst) -> Vec<(Form, i64)> {
        if !compares(self.kernel, inst) {
            return Vec::new();
        }
        let (a, b) = (inst.args[0], inst.args[1]);
        let mut sides: Vec<(Form, i64)> = self.form(a, b).map(|f| (f, strict(inst.op))).into_iter().collect();
        if matches!(inst.op, Op::Mod | Op::And | Op::CmpLtU | Op::CmpLeU | Op::CmpGtU | Op::CmpGeU) {
            // Both operands must not be negative, too.
            sides.push((self.forms.at(self.kernel, a), 0));
        }
        sides
    }

    /// The bounds of `a - b`.
    fn bounds(&self, a: Value, b: Value) -> Option<(i64, i64)> {
        let (x, y) = (self.range.bounds(self.kernel, a), self.range.bounds(self.kernel, b));
        let form = self.form(a, b)?;
        let exact = form.bounds(self.kernel, self.range);
        let told = self.told.bounds(&form, self.kernel, self.range).unwrap_or(Bounds::ANY);
        let (low, high) = (exact.low.max(told.low), exact.high.min(told.high));
        Some(((x.low - y.high).max(low), (x.high - y.low).min(high)))
    }

    /// Whether a value is never negative.
    fn is_natural(&self, v: Value) -> bool {
        let told = || self.told.bounds(&self.forms.at(self.kernel, v), self.kernel, self.range);
        self.range.bounds(self.kernel, v).low >= 0 || told().is_some_and(|b| b.low >= 0)
    }
}

pub(super) fn compares(kernel: &Kernel, inst: &Inst) -> bool {
    use Op::*;
    let compares =
        matches!(inst.op, CmpLt | CmpLe | CmpGt | CmpGe | CmpLtU | CmpLeU | CmpGtU | CmpGeU | Min | Max | Mod);
    let compares = compares || is_remainder(kernel, inst);
    compares && inst.args.len() == 2 && inst.args.iter().all(|&v| kernel.ty(v).elem == Elem::I32)
}

/// Whether it is the remainder of a division by a power of two, which `fold` has made a conjunction.
fn is_remainder(kernel: &Kernel, inst: &Inst) -> bool {
    let low_bits = |v: Value| kernel.as_i32(v).is_some_and(|c| c > 0 && (c & (c + 1)) == 0);
    inst.op == Op::And && low_bits(inst.args[1])
}

/// The groups of the interior along each axis, among those of `all`: those for which most comparisons come out one way.
/// `None` if there are none. `kernel` is at SIMD level, and holds for the groups of `within`, which an earlier call may have
/// found: what it decided lays further comparisons open.
pub fn find(kernel: &Kernel, most_workers: i64, all: &[Bounds], within: &[Bounds]) -> Option<Vec<Bounds>> {
    if kernel.level != Level::Simd {
        return None;
    }
    let range = Range::with_groups(kernel, most_workers, within);
    let forms = range.forms();
    let difference = Difference { kernel, forms, range: &range, told: Told::NOTHING };
    let (axis_of, quotients) = (axes(kernel), quotients(kernel));
    let mut inside = within.to_vec();
    kernel.body.walk(&mut |inst| {
        for (form, least) in difference.sides(inst) {
            let (form, least) = undivided(kernel, &range, &quotients, form, least);
            restrict(&form, least, kernel, &range, &axis_of, all, &mut inside);
        }
    });
    inside.iter().all(|b| b.low <= b.high).then_some(inside)
}

/// Quotients by positive constants: what is divided, and by what.
fn quotients(kernel: &Kernel) -> Map<Value, (Value, i32)> {
    let mut found = Map::default();
    kernel.body.walk(&mut |i| {
        let by = i.args.get(1).and_then(|&v| kernel.as_i32(v)).filter(|c| *c > 0);
        if let Some(by) = by.filter(|_| i.op == Op::Div) {
            found.insert(i.result(), (i.args[0], by));
        }
    });
    found
}

/// The same condition without a quotient, such as a pixel's number where lanes are its colours: `x / c + k` is at least `n` for `x` at
/// least `c * (n - k)`, unless `x` is negative.
fn undivided(
    kernel: &Kernel,
    range: &Range,
    quotients: &Map<Value, (Value, i32)>,
    form: Form,
    least: i64,
) -> (Form, i64) {
    let [(v, sign @ (1 | -1))] = form.terms[..] else { return (form, least) };
    let Some(&(x, by)) = quotients.get(&v) else { return (form, least) };
    let of = range.forms().at(kernel, x);
    if range.bounds(kernel, x).low < 0 || of.bounds(kernel, range) == Bounds::ANY {
        return (form, least);
    }
    let from = (least - i64::from(form.constant)) * i64::from(by);
    if sign > 0 {
        return (of, from);
    }
    // The quotient is at most so much, which all that is divided to its last whole one still gives.
    (Form::constant(0).minus(&of), from - i64::from(by - 1))
}

/// The groups' coordinates.
pub(super) fn axes(kernel: &Kernel) -> Map<Value, usize> {
    let mut axis_of: Map<Value, usize> = Map::default();
    kernel.body.walk(&mut |i| {
        if i.op == Op::Group {
            axis_of.insert(i.result(), i.imm as usize);
        }
    });
    axis_of
}

/// The values of a loop's counter, of those between the bounds, for which comparisons, minima and maxima in its body that are wanted come
/// out one way.
pub(crate) fn turns_alike(
    kernel: &Kernel,
    range: &Range,
    (body, counter): (&Block, Value),
    wanted: &Set<Value>,
    all: Bounds,
) -> Bounds {
    let difference = Difference { kernel, forms: range.forms(), range, told: Told::NOTHING };
    let (axis_of, all) = (Map::from_iter([(counter, 0)]), [all]);
    let mut inside = all;
    body.walk(&mut |inst| {
        if inst.results.iter().any(|r| wanted.contains(r)) {
            for (form, least) in difference.sides(inst) {
                restrict(&form, least, kernel, range, &axis_of, &all, &mut inside);
            }
        }
    });
    inside[0]
}

/// The least difference for which a comparison goes the other way than for smaller ones.
fn strict(op: Op) -> i64 {
    match op {
        Op::CmpLe | Op::CmpGt | Op::CmpLeU | Op::CmpGtU | Op::Min | Op::Max | Op::And => 1,
        _ => 0,
    }
}

/// Keeps of `inside` the larger part in which `form` is always at least `least`, or always below.
fn restrict(
    form: &Form,
    least: i64,
    kernel: &Kernel,
    range: &Range,
    axis_of: &Map<Value, usize>,
    all: &[Bounds],
    inside: &mut [Bounds],
) {
    let (mut low, mut high) = (i64::from(form.constant) - least, i64::from(form.constant) - least);
    let mut factors = vec![0i64; all.len()];
    for &(v, f) in &form.terms {
        match axis_of.get(&v).filter(|a| **a < all.len()) {
            Some(&axis) => factors[axis] += i64::from(f),
            None => {
                let b = range.bounds(kernel, v);
                let (x, y) = (b.low * i64::from(f), b.high * i64::from(f));
                (low, high) = (low + x.min(y), high + x.max(y));
            }
        }
    }
    let mut of = factors.iter().enumerate().filter(|f| *f.1 != 0);
    let (Some((axis, &f)), None) = (of.next(), of.next()) else { return };
    let now = inside[axis];
    // f·g + low ≥ 0 makes it true for all lanes, f·g + high < 0 false.
    let (yes, no) = if f > 0 {
        (
            Bounds { low: now.low.max(ceil(-low, f)), high: now.high },
            Bounds { low: now.low, high: now.high.min(ceil(-high, f) - 1) },
        )
    } else {
        (
            Bounds { low: now.low, high: now.high.min(low.div_euclid(-f)) },
            Bounds { low: now.low.max(high.div_euclid(-f) + 1), high: now.high },
        )
    };
    let size = |b: Bounds| (b.high - b.low + 1).max(0);
    let best = if size(yes) >= size(no) { yes } else { no };
    // A comparison that splits the extent in the middle is left to the code; one that tells a group at the end from all others does not
    // split it, however few there are.
    let last = size(best) + 1 == size(now) && size(best) * 2 >= size(all[axis]);
    if last || size(best) * 4 >= size(all[axis]) * 3 || size(all[axis]) <= 4 && size(best) > 0 {
        inside[axis] = best;
    }
}

fn ceil(a: i64, b: i64) -> i64 {
    -(-a).div_euclid(b)
}

/// Decides comparisons, minima, maxima and remainders that the bounds of `range` decide. Says whether there were any: they may
/// lay more open, as a remainder in a minimum.
pub fn narrow(kernel: &mut Kernel, most_workers: i64, groups: &[Bounds]) -> bool {
    narrow_told(kernel, most_workers, groups, &[])
}

/// As [`narrow`], for launches whose numbers keep the groups within `limits`.
pub fn narrow_told(kernel: &mut Kernel, most_workers: i64, groups: &[Bounds], limits: &[Limit]) -> bool {
    let range = limits::range(kernel, most_workers, groups, limits);
    let axis_of = if limits.is_empty() { Map::default() } else { axes(kernel) };
    let forms = range.forms();
    let mut body = std::mem::take(&mut kernel.body);
    let mut decided: Vec<(Value, Decided)> = Vec::new();
    {
        let told = Told { limits, axis_of: Some(&axis_of) };
        let difference = Difference { kernel, forms, range: &range, told };
        visit(&body, &mut |inst| {
            if let Some(what) = decide(&difference, inst) {
                decided.push((inst.result(), what));
            }
        });
    }
    let map: Map<Value, Value> = decided
        .into_iter()
        .map(|(v, what)| match what {
            Decided::Truth(t) => (v, kernel.constant(Const::bool(t))),
            Decided::Value(to) => (v, to),
        })
        .collect();
    std::mem::swap(&mut kernel.body, &mut body);
    kernel.replace_uses(&map);
    drop_masks(kernel);
    !map.is_empty()
}

/// Puts the places of groups that have no other along an axis into the kernel: which lanes have an item is then known. Says whether there
/// were any.
pub fn alone(kernel: &mut Kernel, _most_workers: i64, groups: &[Bounds]) -> bool {
    let mut found = Vec::new();
    kernel.body.walk(&mut |i| {
        let bounds = groups.get(i.imm as usize).filter(|b| i.op == Op::Group && b.low == b.high);
        found.extend(bounds.and_then(|b| i32::try_from(b.low).ok()).map(|at| (i.result(), at)));
    });
    let map: Map<Value, Value> = found.into_iter().map(|(v, at)| (v, kernel.const_i32(at))).collect();
    kernel.replace_uses(&map);
    !map.is_empty()
}

/// Masks and assertions that are known to hold everywhere go.
pub fn drop_masks(kernel: &mut Kernel) {
    let truths: Vec<bool> =
        kernel.values.iter().map(|(v, _)| kernel.as_const(v).is_some_and(|c| c == Const::bool(true))).collect();
    remove_asserts(&mut kernel.body, &truths);
    kernel.body.walk_mut(&mut |inst| {
        if inst.mask.is_some_and(|m| truths[m.index()]) {
            inst.mask = None;
        }
    });
}

fn remove_asserts(block: &mut Block, truths: &[bool]) {
    block.insts.retain(|i| i.op != Op::Assert || !truths[i.args[0].index()]);
    block.insts.iter_mut().flat_map(|i| &mut i.regions).for_each(|r| remove_asserts(r, truths));
}

enum Decided {
    Truth(bool),
    Value(Value),
}

fn visit(block: &Block, f: &mut impl FnMut(&Inst)) {
    block.walk(&mut |i| f(i));
}

fn decide(d: &Difference<'_>, inst: &Inst) -> Option<Decided> {
    let float = matches!(inst.op, Op::CmpLt | Op::CmpLe | Op::CmpGt | Op::CmpGe);
    if !compares(d.kernel, inst) && !float && !matches!(inst.op, Op::CmpEq | Op::CmpNe) {
        return None;
    }
    let (a, b) = (inst.args[0], inst.args[1]);
    if d.kernel.ty(a).elem == Elem::F32 && !matches!(inst.op, Op::Min | Op::Max) {
        let (a, b) = (d.range.span(d.kernel, a)?, d.range.span(d.kernel, b)?);
        return a.compared(inst.op, b).map(Decided::Truth);
    }
    if d.kernel.ty(a).elem != Elem::I32 {
        return None;
    }
    let natural = |v: Value| d.is_natural(v);
    let (low, high) = d.bounds(a, b)?;
    let truth = |yes: bool, no: bool| if yes { Some(true) } else { no.then_some(false) };
    let unsigned = matches!(inst.op, Op::CmpLtU | Op::CmpLeU | Op::CmpGtU | Op::CmpGeU);
    if unsigned && !(natural(a) && natural(b)) {
        return None;
    }
    let found = match inst.op {
        Op::CmpLt | Op::CmpLtU => truth(high < 0, low >= 0),
        Op::CmpLe | Op::CmpLeU => truth(high <= 0, low > 0),
        Op::CmpGt | Op::CmpGtU => truth(low > 0, high <= 0),
        Op::CmpGe | Op::CmpGeU => truth(low >= 0, high < 0),
        Op::CmpEq => truth(low == 0 && high == 0, low > 0 || high < 0),
        Op::CmpNe => truth(low > 0 || high < 0, low == 0 && high == 0),
        Op::Min if high <= 0 => return Some(Decided::Value(a)),
        Op::Min if low >= 0 => return Some(Decided::Value(b)),
        Op::Max if low >= 0 => return Some(Decided::Value(a)),
        Op::Max if high <= 0 => return Some(Decided::Value(b)),
        Op::Mod if high < 0 && natural(a) => return Some(Decided::Value(a)),
        Op::And if high <= 0 && natural(a) => return Some(Decided::Value(a)),
        _ => None,
    };
    found.map(Decided::Truth)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_alone_along_an_axis_is_where_it_is() {
        let text = "kernel @k(%o: buf<i32, w>) simd group=16 over=2 { %g = group 0 %h = group 1 %i = shl %g, 4
            %j = add %i, %h store.row %o[%j], 1 }";
        let places = |groups: &[Bounds]| {
            let mut kernel = quadra_kir::parse::kernel("t.kir", text).map_err(|d| format!("{d:?}")).expect("a kernel");
            let found = alone(&mut kernel, 1, groups);
            let known = |i: &Inst| i.op == Op::Add && kernel.as_i32(i.args[1]) == Some(5);
            (found, kernel.body.any(&mut |i| known(i)))
        };
        let [one, more] = [5, 6].map(|high| Bounds { low: 5, high });
        assert_eq!(places(&[more, one]), (true, true));
        assert_eq!(places(&[one, more]), (true, false));
        assert_eq!(places(&[more, more]), (false, false));
        assert_eq!(places(&[]), (false, false), "nothing is known of the launch");
    }

    #[test]
    fn limits_of_a_quotient_have_an_interior() {
        let interior = |limited: &str| {
            let text = format!(
                "kernel @k(%a: buf<f32, r>, %o: buf<f32, w>) simd group=16 over=1 {{
                    %g = group 0 %i = shl %g, 4 %l = lane %p = add %i, %l %q = div %p, 3 {limited}
                    %x = load %a[%r] store.row %o[%i], %x }}"
            );
            let mut kernel = quadra_kir::parse::kernel("t.kir", &text).map_err(|d| format!("{d:?}")).expect("a kernel");
            let all = [Bounds { low: 0, high: 62 }];
            let inside = find(&kernel, 1, &all, &all)?;
            let narrowed = narrow(&mut kernel, 1, &inside);
            Some((inside[0].low, inside[0].high, narrowed))
        };
        // 1,008 elements are 336 pixels; the last group has some whose right neighbour is none.
        assert_eq!(interior("%b = add %q, -1 %r = max %b, 0"), Some((1, 62, true)));
        assert_eq!(interior("%b = add %q, 1 %r = min %b, 335"), Some((0, 61, true)));
        assert_eq!(interior("%b = add %q, 1 %r = min %b, 330"), Some((0, 60, true)));
        assert_eq!(interior("%b = sub 300, %q %r = max %b, 0"), Some((0, 55, true)));
    }

    #[test]
    fn remainders_by_powers_of_two_have_an_interior() {
        let interior = |modulo: &str| {
            let text = format!(
                "kernel @k(%a: buf<f32, r>, %o: buf<f32, w>) simd group=16 over=1 {{
                    %g = group 0
                    %i = shl %g, 4
                    %l = lane
                    %p = add %i, %l
                    %q = add %p, -1
                    %r = {modulo}
                    %x = load %a[%r]
                    store.row %o[%i], %x
                }}"
            );
            let mut kernel = quadra_kir::parse::kernel("t.kir", &text).map_err(|d| format!("{d:?}")).expect("a kernel");
            let all = [Bounds { low: 0, high: 31 }];
            let inside = find(&kernel, 1, &all, &all)?;
            let narrowed = narrow(&mut kernel, 1, &inside);
            Some((inside[0].low, inside[0].high, narrowed))
        };
        assert_eq!(interior("mod %q, 512"), Some((1, 31, true)));
        assert_eq!(interior("and %q, 511"), Some((1, 31, true)), "as `fold` writes it");
        assert_eq!(interior("and %q, 255"), Some((1, 31, false)), "two periods");
        assert_eq!(interior("and %q, 510"), Some((0, 31, false)), "no remainder");
    }
}
