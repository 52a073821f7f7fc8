//! Between which bounds each `i32` lies, as a signed number.
//!
//! [`Bounds`] go forward through the operations; where an operation might wrap, its result may be anything. Values carried
//! by loops start from what comes in and grow with what comes round, after a few rounds in large steps.

use super::floats::{self, Spans};
use super::linear::Forms;
pub use quadra_kir::bounds::Bounds;
use quadra_kir::{Block, Def, Elem, Inst, Kernel, Op, Value, ValueInfo};

/// The most workers a launch may have: what is assumed of `worker` and `num_workers`.
pub const MAX_WORKERS: i64 = 1 << 20;

/// The bounds of all values of a kernel.
#[derive(Clone, Debug)]
pub struct Range {
    /// `None`: never computed, as far as is known. Constants and parameters have theirs from the start.
    bounds: Vec<Option<Bounds>>,
    /// Per value, at which step its bounds last changed and were last computed: where no operand has changed since, they
    /// would come out the same.
    changed: Vec<u32>,
    computed: Vec<u32>,
    step: u32,
    /// From some round on, growth goes in large steps.
    widen: bool,
    most_workers: i64,
    /// Between which bounds the group's index along each axis lies; empty if nothing is known.
    groups: Vec<Bounds>,
    forms: Forms,
    /// Between which numbers floats lie, where that bounds integers.
    spans: Spans,
}

impl Range {
    /// Finds all bounds by iteration to a fixed point.
    pub fn of(kernel: &Kernel) -> Range {
        Range::with_workers(kernel, MAX_WORKERS)
    }

    /// As [`Range::of`], for launches on at most `most_workers` workers.
    pub fn with_workers(kernel: &Kernel, most_workers: i64) -> Range {
        Range::with_groups(kernel, most_workers, &[])
    }

    /// As [`Range::with_workers`], for groups between these bounds along each axis.
    pub fn with_groups(kernel: &Kernel, most_workers: i64, groups: &[Bounds]) -> Range {
        Range::supposing(kernel, most_workers, groups, &|_| None)
    }

    /// As [`Range::with_groups`], for launches whose parameters lie within what is `supposed`.
    pub fn supposing(
        kernel: &Kernel,
        most_workers: i64,
        groups: &[Bounds],
        supposed: &dyn Fn(Value) -> Option<Bounds>,
    ) -> Range {
        let start = |v: Value, info: &ValueInfo| match info.def {
            Def::Local => None,
            _ => {
                let known = kernel.as_i32(v).map(|c| Bounds::exactly(c as i64));
                Some(known.or_else(|| supposed(v)).unwrap_or(Bounds::ANY))
            }
        };
        let bounds = kernel.values.iter().map(|(v, info)| start(v, info)).collect();
        let n = kernel.values.len();
        let mut r = Range {
            bounds,
            changed: vec![0; n],
            computed: vec![0; n],
            step: 0,
            widen: false,
            most_workers,
            groups: groups.to_vec(),
            forms: Forms::of(kernel),
            spans: Spans::default(),
        };
        let start = floats::matter(kernel).then(|| r.bounds.clone());
        r.settle(kernel);
        if let Some(start) = start {
            r.spans = floats::find(kernel, &r);
            if !r.spans.is_empty() {
                (r.bounds, r.step) = (start, 0);
                (r.changed, r.computed) = (vec![0; n], vec![0; n]);
                r.settle(kernel);
            }
        }
        r
    }

    fn settle(&mut self, kernel: &Kernel) {
        for round in 0.. {
            self.widen = round > 2;
            if !self.block(kernel, &kernel.body, None) {
                return;
            }
        }
    }

    /// Between which numbers a float lies that is never NaN.
    pub fn span(&self, kernel: &Kernel, v: Value) -> Option<floats::Span> {
        floats::of(kernel, &self.spans, v)
    }

    /// The sums that it knows of.
    pub fn forms(&self) -> &Forms {
        &self.forms
    }

    /// The bounds of `v`.
    pub fn bounds(&self, kernel: &Kernel, v: Value) -> Bounds {
        self.find(kernel, v).unwrap_or(Bounds::ANY)
    }

    fn find(&self, kernel: &Kernel, v: Value) -> Option<Bounds> {
        match self.bounds.get(v.index()) {
            Some(&bounds) => bounds,
            // A constant that somebody has made since.
            None => Some(kernel.as_i32(v).map_or(Bounds::ANY, |c| Bounds::exactly(c as i64))),
        }
    }

    fn join(&mut self, v: Value, with: Option<Bounds>, carried: bool) -> bool {
        let Some(with) = with else { return false };
        let old = self.bounds[v.index()];
        let mut new = old.map_or(with, |b| b.join(with));
        if let Some(old) = old.filter(|b| carried && self.widen && *b != new) {
            new.low = if new.low < old.low { widened(new.low, Bounds::ANY.low, -1) } else { new.low };
            new.high = if new.high > old.high { widened(new.high, Bounds::ANY.high, 0) } else { new.high };
        }
        let changed = old != Some(new);
        if changed {
            self.bounds[v.index()] = Some(new);
            self.changed[v.index()] = self.step;
        }
        changed
    }

    fn pass(&mut self, kernel: &Kernel, to: &[Value], from: &[Value], carried: bool) -> bool {
        let mut changed = false;
        for (&t, &f) in to.iter().zip(from) {
            let b = self.find(kernel, f);
            changed |= self.join(t, b, carried);
        }
        changed
    }

    fn block(&mut self, kernel: &Kernel, block: &Block, frame: Option<&Inst>) -> bool {
        let mut changed = false;
        for inst in &block.insts {
            match inst.op {
                Op::If => {
                    for region in &inst.regions {
                        changed |= self.block(kernel, region, frame);
                        if let Some(t) = region.terminator().filter(|t| t.op == Op::Yield) {
                            changed |= self.pass(kernel, &inst.results, &t.args, false);
                        }
                    }
                }
                Op::For | Op::Loop => changed |= self.repeat(kernel, inst),
                Op::Break => {
                    if let Some(f) = frame {
                        changed |= self.pass(kernel, &f.results, &inst.args, false);
                    }
                }
                Op::Continue => changed |= self.carry(kernel, frame, &inst.args),
                Op::Yield if frame.is_some_and(|f| f.op == Op::For && std::ptr::eq(&f.regions[0], block)) => {
                    changed |= self.carry(kernel, frame, &inst.args);
                }
                _ => {
                    for &r in &inst.results {
                        if kernel.ty(r).elem == Elem::I32 && self.is_due(r, &inst.args) {
                            let b = self.value(kernel, inst);
                            changed |= self.join(r, b, false);
                        }
                    }
                }
            }
        }
        changed
    }

    /// Whether a value must be computed, for the first time or because one of its operands has changed: as from now it has been.
    fn is_due(&mut self, v: Value, args: &[Value]) -> bool {
        let last = self.computed[v.index()];
        if last != 0 && args.iter().all(|a| self.changed[a.index()] < last) {
            return false;
        }
        self.step += 1;
        self.computed[v.index()] = self.step;
        true
    }

    fn carry(&mut self, kernel: &Kernel, frame: Option<&Inst>, args: &[Value]) -> bool {
        let Some(f) = frame else { return false };
        let skip = usize::from(f.op == Op::For);
        self.pass(kernel, &f.regions[0].params[skip..], args, true)
    }

    fn repeat(&mut self, kernel: &Kernel, inst: &Inst) -> bool {
        let params = &inst.regions[0].params;
        let skip = usize::from(inst.op == Op::For);
        let mut changed = self.pass(kernel, &params[skip..], inst.carried(), true);
        if skip == 1 {
            let counter = self.counter(kernel, inst);
            changed |= self.join(params[0], counter, true);
            changed |= self.pass(kernel, &inst.results, inst.carried(), false);
        }
        changed |= self.block(kernel, &inst.regions[0], Some(inst));
        if skip == 1 {
            changed |= self.pass(kernel, &inst.results, &params[1..], false);
        }
        changed
    }

    /// The bounds of a counted loop's induction variable. Its last value plus the step must not wrap.
    fn counter(&self, kernel: &Kernel, inst: &Inst) -> Option<Bounds> {
        let (lo, hi) = (self.find(kernel, inst.args[0])?, self.find(kernel, inst.args[1])?);
        let Some(step) = kernel.as_i32(inst.args[2]) else { return Some(Bounds::ANY) };
        let step = step as i64;
        // While the loop runs, the variable is below `hi` (above it for a negative step).
        let wraps = if step >= 0 { hi.high - 1 + step > Bounds::ANY.high } else { hi.low + 1 + step < Bounds::ANY.low };
        Some(match step {
            _ if wraps => Bounds::ANY,
            0.. => Bounds::new(lo.low, self.last(kernel, inst.args[0], hi.high - 1, step).max(lo.low)),
            _ => Bounds::new((hi.low + 1).min(lo.high), lo.high),
        })
        .map(|b| b.fitting(32).unwrap_or(Bounds::ANY))
    }

    /// The largest number up to `most` that a counter from `from` on, in these steps, can be: if all that `from` is a sum of
    /// is a multiple of the step but for a constant, so is the counter.
    fn last(&self, kernel: &Kernel, from: Value, most: i64, step: i64) -> i64 {
        let form = self.forms.at(kernel, from);
        let aligned = step > 1 && form.terms.iter().all(|t| i64::from(t.1) % step == 0);
        // A sum that wraps keeps its remainder only by powers of two.
        let exact = step & (step - 1) == 0 || form.bounds(kernel, self) != Bounds::ANY;
        if aligned && exact { most - (most - i64::from(form.constant)).rem_euclid(step) } else { most }
    }

    fn value(&self, kernel: &Kernel, inst: &Inst) -> Option<Bounds> {
        let arg = |i: usize| inst.args.get(i).map_or(Some(Bounds::ANY), |&v| self.find(kernel, v));
        Some(match inst.op {
            Op::Lane => Bounds::new(0, 15),
            Op::Worker => Bounds::new(0, self.most_workers - 1),
            Op::Group if self.groups.len() > inst.imm as usize => self.groups[inst.imm as usize],
            Op::NumWorkers => Bounds::new(1, self.most_workers),
            Op::Dim | Op::Extent | Op::NumGroups | Op::Group | Op::Item | Op::Local | Op::GroupSize => Bounds::NATURAL,
            Op::Load | Op::LoadRow => match inst.buf.map(|b| kernel.bufs[b].elem) {
                Some(Elem::I8) => Bounds::new(-128, 127),
                Some(Elem::I16) => Bounds::new(-32768, 32767),
                _ => Bounds::ANY,
            },
            Op::Select => arg(1)?.join(arg(2)?),
            Op::Rotate | Op::Broadcast => arg(0)?.join(Bounds::exactly(0)),
            Op::ToI32 if kernel.ty(inst.args[0]).elem == Elem::Bool => Bounds::new(0, 1),
            Op::ToI32 if kernel.ty(inst.args[0]).elem == Elem::F32 => {
                self.span(kernel, inst.args[0]).and_then(floats::Span::truncated).unwrap_or(Bounds::ANY)
            }
            op if op.is_pure() && inst.args.len() <= 2 && !inst.args.is_empty() => {
                if kernel.ty(inst.args[0]).elem != Elem::I32 {
                    return Some(Bounds::ANY);
                }
                Bounds::of(op, 32, arg(0)?, arg(1)?).unwrap_or(Bounds::ANY)
            }
            _ => Bounds::ANY,
        })
    }
}

/// The next bound further out that growing values try, so that masks and `min`s inside a loop get to hold them.
fn widened(bound: i64, last: i64, bias: i64) -> i64 {
    let sign = if last < 0 { -1 } else { 1 };
    let steps = [4, 8, 12, 16, 20, 24].map(|k| sign * ((1 << k) - 1) + bias);
    steps.into_iter().find(|s| s * sign >= bound * sign).unwrap_or(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadra_kir::parse;

    fn bounds(body: &str, name: &str) -> (i64, i64) {
        let text = format!("kernel @k(%p: buf<i32, rw>, %x: i32, %n: i32) simd group=16 over=0 {{\n{body}\n}}");
        let k = parse::kernel("t.kir", &text).expect("the test's kernel parses");
        let r = Range::of(&k);
        let v = k.values.iter().find(|(_, i)| &*i.name == name).expect("the value exists").0;
        let b = r.bounds(&k, v);
        (b.low, b.high)
    }

    #[test]
    fn operations_have_bounds_until_they_may_wrap() {
        let body =
            "%l = lane %m = and %x, 255 %a = mul %m, %l %s = shl %a, 20 %t = shr %x, 8 %u = sub %l, 20 %w = add %x, 1";
        assert_eq!(bounds(body, "a"), (0, 255 * 15));
        assert_eq!(bounds(body, "s"), (i32::MIN as i64, i32::MAX as i64));
        assert_eq!(bounds(body, "t"), (0, 0xff_ffff));
        assert_eq!(bounds(body, "u"), (-20, -5));
        assert_eq!(bounds(body, "w"), (i32::MIN as i64, i32::MAX as i64));
    }

    #[test]
    fn counters_are_bounded_and_growing_values_are_not() {
        let body = "%r = for %i in 3..100 step 5 (%a: i32 = 7) { %b = add %a, %i yield %b }
                    for %j in 10..0 step -1 { store %p[%j], %r }
                    %s = for %k in 0..%n (%c: i32 = 7) { %d = and %c, 15 %e = add %d, 1 yield %e } store %p[0], %s";
        assert_eq!(bounds(body, "i"), (3, 98), "3 and a multiple of 5");
        assert_eq!(bounds(body, "j"), (1, 10));
        assert_eq!(
            bounds(body, "a"),
            (i32::MIN as i64, i32::MAX as i64),
            "a sum may wrap, and then its low end is open as well"
        );
        assert_eq!(bounds(body, "c"), (1, 255), "growth goes in steps");
        assert_eq!(bounds(body, "k"), (0, i32::MAX as i64 - 1));
    }
}
