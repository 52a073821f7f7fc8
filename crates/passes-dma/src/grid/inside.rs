//! Where in an extent the tests of borders come out one way: for groups far enough from its ends, which the program finds out
//! when it starts.
//!
//! What is looked at is `item + a < n`, `min(item + a, n)` and their kin, where `a` and `n` are sums of what the launch gives,
//! of constants, and of counters of loops around, which lie between the bounds of these loops. Unlike `interior`, which knows
//! the launch, this leaves sums to be computed.

use quadra_base::quick::{Map, Set};
use quadra_kir::{Block, Elem, Inst, Kernel, LANES, Op, Value};
use quadra_passes::analysis::linear::{Form, Forms};

/// What the launch gives has to be below this, so that sums of a few dozen of them do not wrap and positions have 24 bits.
pub(super) const LARGE: i32 = 1 << 23;
/// The most numbers in a sum.
const MOST_TERMS: usize = 12;
/// The most often that a number occurs in a sum: the elements of a row of pixels are so many times its columns.
const MOST_FACTOR: i32 = 4;
/// A border is not further in than this: tests of other places split an extent in the middle.
const MOST_BORDER: i32 = 64;

/// What a result is inside.
#[derive(Clone, Copy)]
pub(super) enum Known {
    True,
    False,
    Zero,
    Is(Value),
}

/// What the tests of a body come to inside, and where that is.
#[derive(Default)]
pub(super) struct Inside {
    pub decided: Map<Value, Known>,
    /// Whether more than upper halves of numbers is known.
    pub tests: bool,
    pub limits: Vec<Limit>,
    /// The axes whose extents values of the body are.
    pub extents: Map<Value, usize>,
}

/// The positions along an axis that are inside: from `at` on, or up to there. It holds if every term is less than
/// [`LARGE`], and so does what is known.
#[derive(PartialEq, Eq)]
pub(super) struct Limit {
    pub axis: usize,
    pub ends: bool,
    pub at: Form,
}

/// Looks for tests in the body of a kernel over an extent.
pub(super) fn find(kernel: &Kernel) -> Inside {
    let mut defined = Set::default();
    let (mut groups, mut lanes, mut inside) = (Map::default(), Set::default(), Inside::default());
    kernel.body.walk(&mut |i| {
        defined.extend(i.results.iter().chain(i.regions.iter().flat_map(|r| &r.params)).copied());
        match i.op {
            Op::Group => drop(groups.insert(i.result(), i.imm as usize)),
            Op::Extent => drop(inside.extents.insert(i.result(), i.imm as usize)),
            Op::Lane => drop(lanes.insert(i.result())),
            _ => {}
        }
    });
    let mut find = Find { kernel, forms: Forms::of(kernel), defined, groups, lanes, counters: Map::default(), inside };
    find.block(&kernel.body);
    find.inside
}

struct Find<'k> {
    kernel: &'k Kernel,
    forms: Forms,
    /// Values of the body.
    defined: Set<Value>,
    groups: Map<Value, usize>,
    lanes: Set<Value>,
    /// The bounds of counters, of which the second is none of their values.
    counters: Map<Value, (Value, Value)>,
    inside: Inside,
}

/// A sum in which the position along one axis occurs once, or none.
struct Side {
    axis: Option<usize>,
    rest: Form,
}

impl Find<'_> {
    fn block(&mut self, block: &Block) {
        for inst in &block.insts {
            let steps = inst.op == Op::For && self.kernel.as_i32(inst.args[2]).is_some_and(|s| s > 0);
            if steps {
                self.counters.insert(inst.regions[0].params[0], (inst.args[0], inst.args[1]));
            }
            inst.regions.iter().for_each(|r| self.block(r));
            self.test(inst);
        }
    }

    fn test(&mut self, inst: &Inst) {
        use Op::*;
        let [a, b] = inst.args[..] else { return };
        if self.kernel.ty(a).elem != Elem::I32 {
            return;
        }
        let [x, y] = [a, b].map(|v| self.side(v));
        let (Some(x), Some(y)) = (x, y) else { return };
        // Whether an item is one is known where whole groups are.
        let inner = self.kernel.over as usize - 1;
        if inst.op == CmpLt && x.axis == Some(inner) && self.inside.extents.get(&b) == Some(&inner) {
            return;
        }
        if self.is_last(inst.op, &x, &y) {
            // What the last item does besides, such as what a loop leaves in its variables, is done at the border.
            if let Some(limit) = self.less(&x, &y, 0) {
                self.add(inst.result(), Known::False, [limit]);
            }
            return;
        }
        let natural = |s: &Side| {
            let zero = Side { axis: None, rest: Form::constant(0) };
            self.less(&zero, s, 1)
        };
        let is = |v: Value| Known::Is(v);
        let (limits, known) = match inst.op {
            CmpLt => (vec![self.less(&x, &y, 0)], Known::True),
            CmpLe => (vec![self.less(&x, &y, 1)], Known::True),
            CmpGt => (vec![self.less(&y, &x, 0)], Known::True),
            CmpGe => (vec![self.less(&y, &x, 1)], Known::True),
            CmpLtU => (vec![self.less(&x, &y, 0), natural(&x)], Known::True),
            CmpGtU => (vec![self.less(&y, &x, 0), natural(&y)], Known::True),
            Min if x.axis.is_some() => (vec![self.less(&x, &y, 1)], is(a)),
            Min => (vec![self.less(&y, &x, 1)], is(b)),
            Max if x.axis.is_some() => (vec![self.less(&y, &x, 1)], is(a)),
            Max => (vec![self.less(&x, &y, 1)], is(b)),
            Shr if self.kernel.as_i32(b).is_some_and(|n| (24..32).contains(&n)) => {
                (self.below_24_bits(&x), Known::Zero)
            }
            _ => return,
        };
        let Some(limits) = limits.into_iter().collect::<Option<Vec<Limit>>>() else { return };
        self.add(inst.result(), known, limits);
    }

    /// Whether it is asked for the last position along the outermost axis.
    fn is_last(&self, op: Op, x: &Side, y: &Side) -> bool {
        let at_end = |v: Value| self.inside.extents.get(&v) == Some(&0);
        let end = matches!(y.rest.terms[..], [(v, 1)] if at_end(v)) && y.rest.constant == -1;
        let last = x.axis == Some(0) && x.rest.as_constant() == Some(0) && y.axis.is_none() && end;
        last && matches!(op, Op::CmpEq | Op::CmpGe)
    }

    fn add(&mut self, v: Value, known: Known, limits: impl IntoIterator<Item = Limit>) {
        self.inside.tests |= !matches!(known, Known::Zero | Known::False);
        self.inside.decided.insert(v, known);
        for limit in limits {
            // Positions are not negative.
            let always = !limit.ends && limit.at.as_constant().is_some_and(|c| c <= 0);
            if !always && !self.inside.limits.contains(&limit) {
                self.inside.limits.push(limit);
            }
        }
    }

    /// Where a number is natural and has 24 bits: a position, or what the launch gives, and a little.
    fn below_24_bits(&self, x: &Side) -> Vec<Option<Limit>> {
        let little = (1 - LARGE..LARGE).contains(&x.rest.constant);
        let given = |&(v, f): &(Value, i32)| f == 1 && self.is_given(v);
        match (x.axis, &x.rest.terms[..]) {
            (Some(_), []) if little => vec![self.less(&Side { axis: None, rest: Form::constant(0) }, x, 1)],
            (None, [one]) if x.rest.constant == 0 && given(one) => Vec::new(),
            _ => vec![None],
        }
    }

    /// Where `x < y + slack` is true for all lanes of a group.
    fn less(&self, x: &Side, y: &Side, slack: i32) -> Option<Limit> {
        let (low, high) = (self.extreme(&y.rest, false)?, self.extreme(&x.rest, true)?);
        // Whole groups, so that the last lane is the first of the next group less 1.
        let (axis, ends, at) = match (x.axis, y.axis) {
            (Some(axis), None) => (axis, true, low.minus(&high).plus(&Form::constant(slack), 1)),
            (None, Some(axis)) => (axis, false, high.minus(&low).plus(&Form::constant(1 - slack), 1)),
            _ => return None,
        };
        let small = |c: i32| (1 - LARGE..LARGE).contains(&c);
        let plain = at.terms.len() <= MOST_TERMS && at.terms.iter().all(|t| t.1.abs() <= MOST_FACTOR);
        // What begins at the end of the extent is the border.
        let late = !ends && at.terms.iter().any(|t| t.1 > 0 && self.inside.extents.contains_key(&t.0));
        let border = !late && (!at.terms.is_empty() || !ends && at.constant <= MOST_BORDER);
        (plain && border && small(at.constant)).then_some(Limit { axis, ends, at })
    }

    /// A value as the position along an axis and a rest.
    fn side(&self, v: Value) -> Option<Side> {
        let mut v = v;
        while let Some(Known::Is(is)) = self.inside.decided.get(&v) {
            v = *is;
        }
        let mut form = self.forms.at(self.kernel, v);
        let mut axis = None;
        let inner = self.kernel.over as usize - 1;
        let position: Vec<(Value, i32)> = form.terms.iter().copied().filter(|t| self.is_position(t.0)).collect();
        match position[..] {
            [] => {}
            [(g, 1)] if self.groups.get(&g).is_some_and(|&a| a < inner) => axis = self.groups.get(&g).copied(),
            [(a, n), (b, m)] => {
                const GROUP: i32 = LANES as i32;
                let ((g, GROUP), (l, 1)) = (if n == GROUP { ((a, n), (b, m)) } else { ((b, m), (a, n)) }) else {
                    return None;
                };
                if self.groups.get(&g) != Some(&inner) || !self.lanes.contains(&l) {
                    return None;
                }
                axis = Some(inner);
            }
            _ => return None,
        }
        form.terms.retain(|t| !self.is_position(t.0));
        Some(Side { axis, rest: form })
    }

    /// Whether the launch gives it.
    fn is_given(&self, v: Value) -> bool {
        self.inside.extents.contains_key(&v) || !self.defined.contains(&v) && !self.kernel.ty(v).lanes
    }

    fn is_position(&self, v: Value) -> bool {
        self.groups.contains_key(&v) || self.lanes.contains(&v)
    }

    /// The largest or the least that a sum is in any turn of the loops around, as a sum of what is known outside of the body.
    fn extreme(&self, form: &Form, largest: bool) -> Option<Form> {
        let mut sum = Form::constant(form.constant);
        for &(v, f) in &form.terms {
            if self.is_given(v) {
                sum = sum.plus(&Form::value(v), f);
                continue;
            }
            let &(lo, hi) = self.counters.get(&v)?;
            let upper = (f > 0) == largest;
            let bound = self.forms.at(self.kernel, if upper { hi } else { lo });
            sum = sum.plus(&self.extreme(&bound, upper)?, f).plus(&Form::constant(-i32::from(upper)), f);
        }
        Some(sum)
    }
}
