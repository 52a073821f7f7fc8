//! Tests that come out one way in every turn: sums that loops only grow by a little, and floats made of small integers.
//!
//! Not in a pipeline: for targets that compile once the sizes of a launch are known. Front ends test whether integers
//! overflow; with sizes, most of these tests are decided:
//!
//! * a number that each turn of a counted loop changes by something with bounds has bounds itself;
//! * a float that is made of an integer with bounds by sums and products lies between bounds, rounding included.
//!
//! An assertion of what an earlier one has asserted, under the same mask, goes, too.
//!
//! ```text
//! %c = for %n in 0..16 (%c.1: i32 = 0) {          ; before
//!   %s = add %c.1, 1
//!   %x = xor %c.1, %s   %y = xor %s, 1   %z = and %x, %y   %o = cmp.ge %z, 0
//!   assert "integer overflow", %o
//! ```
//! ```text
//! %c = for %n in 0..16 (%c.1: i32 = 0) {          ; after
//!   %s = add %c.1, 1
//! ```

use crate::analysis::range::{Bounds, Range};
use crate::interior::drop_masks;
use crate::unroll::Counted;
use quadra_base::quick::{Map, Set};
use quadra_kir::{Block, Const, Def, Elem, Inst, Kernel, Op, Value};

/// Sums are followed through so many levels of loops and operations.
const DEPTH: u32 = 12;

/// Decides the tests of a kernel for groups between these bounds, if it asserts anything. Says whether there was one.
pub fn run(kernel: &mut Kernel, most_workers: i64, groups: &[Bounds]) -> bool {
    if !kernel.body.any(&mut |i| i.op == Op::Assert) {
        return false;
    }
    let range = Range::with_groups(kernel, most_workers, groups);
    let mut found = Vec::new();
    {
        let tests = Tests::of(kernel, &range);
        kernel.body.walk(&mut |i| found.extend(tests.decide(i).map(|truth| (i.results[0], truth))));
    }
    let map: Map<Value, Value> = found.into_iter().map(|(v, truth)| (v, kernel.constant(Const::bool(truth)))).collect();
    kernel.replace_uses(&map);
    drop_masks(kernel);
    let mut body = std::mem::take(&mut kernel.body);
    once(&mut body, &mut Set::default());
    kernel.body = body;
    !map.is_empty()
}

/// Removes assertions of what has been asserted on every way to them.
fn once(block: &mut Block, known: &mut Set<(Value, Option<Value>)>) {
    let mut own = Vec::new();
    block.insts.retain_mut(|inst| {
        if inst.op == Op::Assert {
            let key = (inst.args[0], inst.mask);
            if !known.insert(key) {
                return false;
            }
            own.push(key);
        }
        inst.regions.iter_mut().for_each(|r| once(r, known));
        true
    });
    for key in own {
        known.remove(&key);
    }
}

/// A kernel's instructions by what they give.
struct Tests<'k> {
    kernel: &'k Kernel,
    range: &'k Range,
    made: Map<Value, &'k Inst>,
    /// The counted loop that carries a value, and which of them.
    carried: Map<Value, (&'k Inst, usize)>,
}

impl<'k> Tests<'k> {
    fn of(kernel: &'k Kernel, range: &'k Range) -> Tests<'k> {
        let (mut made, mut carried) = (Map::default(), Map::default());
        kernel.body.walk(&mut |i| {
            made.extend(i.results.iter().map(|&r| (r, i)));
            if i.op == Op::For {
                carried.extend(i.regions[0].params[1..].iter().enumerate().map(|(n, &p)| (p, (i, n))));
            }
        });
        Tests { kernel, range, made, carried }
    }

    /// Whether a comparison holds, if that is known.
    fn decide(&self, inst: &Inst) -> Option<bool> {
        if !matches!(inst.op, Op::CmpLt | Op::CmpLe | Op::CmpGt | Op::CmpGe) {
            return None;
        }
        let (a, b) = (inst.args[0], inst.args[1]);
        if self.kernel.ty(a).elem.is_float() {
            let ((la, ha), (lb, hb)) = (self.float(a, DEPTH)?, self.float(b, DEPTH)?);
            let truth = |yes: bool, no: bool| if yes { Some(true) } else { no.then_some(false) };
            return match inst.op {
                Op::CmpLt => truth(ha < lb, la >= hb),
                Op::CmpLe => truth(ha <= lb, la > hb),
                Op::CmpGt => truth(la > hb, ha <= lb),
                _ => truth(la >= hb, ha < lb),
            };
        }
        (inst.op == Op::CmpGe && self.kernel.as_i32(b) == Some(0) && self.fits(a)?).then_some(true)
    }

    /// Whether a value is the word whose sign says that a sum or difference has overflowed, of one that does not.
    fn fits(&self, word: Value) -> Option<bool> {
        let operands = |v: Value, op: Op| self.made.get(&v).filter(|i| i.op == op).map(|i| (i.args[0], i.args[1]));
        let (x, y) = operands(word, Op::And)?;
        let (x, y) = (operands(x, Op::Xor)?, operands(y, Op::Xor)?);
        let same = |p: (Value, Value), q: (Value, Value)| p == q || p == (q.1, q.0);
        for s in [x.0, x.1, y.0, y.1] {
            let Some(inst) = self.made.get(&s).filter(|i| matches!(i.op, Op::Add | Op::Sub)) else { continue };
            let (a, b) = (inst.args[0], inst.args[1]);
            let other = if inst.op == Op::Add { (s, b) } else { (a, b) };
            if same(x, (a, s)) && same(y, other) || same(y, (a, s)) && same(x, other) {
                let (a, b) = (self.bounds(a, DEPTH), self.bounds(b, DEPTH));
                let exact = if inst.op == Op::Add { a.plus(b) } else { a.minus(b) };
                return Some(exact.fitting(32).is_some());
            }
        }
        None
    }

    /// The bounds of an integer, also of one that a loop carries.
    fn bounds(&self, v: Value, depth: u32) -> Bounds {
        let known = self.range.bounds(self.kernel, v);
        let grown = match self.carried.get(&v) {
            Some(&(inst, n)) if depth > 0 && self.kernel.ty(v).elem == Elem::I32 => self.grown(inst, n, depth - 1),
            _ => None,
        };
        grown.map_or(known, |b| b.meet(known))
    }

    /// The bounds of what a counted loop carries: what it begins with, and in each turn a step.
    fn grown(&self, inst: &Inst, n: usize, depth: u32) -> Option<Bounds> {
        // In bounds of 32 bits no step has wrapped.
        self.bounds(inst.carried()[n], depth).plus(self.growth(inst, n, depth)?).fitting(32)
    }

    /// By how much a carried value of a counted loop is more than at the beginning, after any number of iterations: 0 is among it, so
    /// that it holds for those of a loop within, too, and none of them wraps where the whole does not.
    fn growth(&self, inst: &Inst, n: usize, depth: u32) -> Option<Bounds> {
        let body = &inst.regions[0];
        if body.exits(Op::Break) + body.exits(Op::Continue) + body.exits(Op::Return) > 0 {
            return None;
        }
        let trips = Counted::of(inst).trips(self.kernel)?;
        let last = body.terminator().filter(|t| t.op == Op::Yield)?.args[n];
        let step = self.step(last, body.params[1 + n], depth)?;
        Some(Bounds { low: step.low.min(0).checked_mul(trips)?, high: step.high.max(0).checked_mul(trips)? })
    }

    /// By how much `v` is more than `from`, if it is `from` and something with bounds.
    fn step(&self, v: Value, from: Value, depth: u32) -> Option<Bounds> {
        if v == from {
            return Some(Bounds::exactly(0));
        }
        let (inst, depth) = (self.made.get(&v)?, depth.checked_sub(1)?);
        let arg = |n: usize| inst.args[n];
        match inst.op {
            Op::Add => match self.step(arg(0), from, depth) {
                Some(step) => Some(step.plus(self.bounds(arg(1), depth))),
                None => Some(self.step(arg(1), from, depth)?.plus(self.bounds(arg(0), depth))),
            },
            Op::Sub => Some(self.step(arg(0), from, depth)?.minus(self.bounds(arg(1), depth))),
            Op::Select => Some(self.step(arg(1), from, depth)?.join(self.step(arg(2), from, depth)?)),
            Op::If => {
                let n = inst.results.iter().position(|r| *r == v)?;
                let arm = |k: usize| {
                    let end = inst.regions.get(k)?.terminator().filter(|t| t.op == Op::Yield)?;
                    self.step(end.args[n], from, depth)
                };
                Some(arm(0)?.join(arm(1)?))
            }
            Op::For => {
                let n = inst.results.iter().position(|r| *r == v)?;
                Some(self.step(inst.carried()[n], from, depth)?.plus(self.growth(inst, n, depth)?))
            }
            _ => None,
        }
    }

    /// Between which bounds a float lies; it is no NaN then.
    fn float(&self, v: Value, depth: u32) -> Option<(f64, f64)> {
        if let Def::Const(c) = self.kernel.values[v].def {
            let x = match c.elem {
                Elem::F32 => f64::from(f32::from_bits(c.bits as u32)),
                Elem::F64 => f64::from_bits(c.bits),
                _ => return None,
            };
            return x.is_finite().then_some((x, x));
        }
        let (inst, depth) = (self.made.get(&v)?, depth.checked_sub(1)?);
        let arg = |n: usize| self.float(inst.args[n], depth);
        let of = |all: [f64; 4]| (all.into_iter().fold(f64::MAX, f64::min), all.into_iter().fold(f64::MIN, f64::max));
        let exact = match inst.op {
            Op::ToF32 | Op::ToF64 if self.kernel.ty(inst.args[0]).elem == Elem::I32 => {
                let b = self.bounds(inst.args[0], depth);
                (b.low as f64, b.high as f64)
            }
            Op::ToF32 | Op::ToF64 if self.kernel.ty(inst.args[0]).elem.is_float() => arg(0)?,
            Op::Add => (arg(0)?.0 + arg(1)?.0, arg(0)?.1 + arg(1)?.1),
            Op::Sub => (arg(0)?.0 - arg(1)?.1, arg(0)?.1 - arg(1)?.0),
            Op::Mul => {
                let ((a, b), (c, d)) = (arg(0)?, arg(1)?);
                of([a * c, a * d, b * c, b * d])
            }
            Op::Neg => (-arg(0)?.1, -arg(0)?.0),
            Op::Abs => {
                let (a, b) = arg(0)?;
                let low = if a <= 0.0 && b >= 0.0 { 0.0 } else { a.abs().min(b.abs()) };
                (low, a.abs().max(b.abs()))
            }
            Op::Floor | Op::Ceil | Op::Trunc | Op::Round => (arg(0)?.0 - 1.0, arg(0)?.1 + 1.0),
            _ => return None,
        };
        // An operation rounds by less than a millionth of the larger bound; none here comes near what overflows.
        let most = exact.0.abs().max(exact.1.abs());
        (most < 1e30).then_some((exact.0 - most * 1e-6, exact.1 + most * 1e-6))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadra_kir::{parse, print};

    fn left(body: &str) -> usize {
        let text = format!("kernel @k(%p: buf<i32, rw>, %x: buf<f32, r>) simd group=16 over=1 {{\n{body}\n}}");
        let mut k = parse::kernel("t.kir", &text).map_err(|d| format!("{d:?}")).expect("the test's kernel parses");
        run(&mut k, 1, &[Bounds { low: 0, high: 99 }]);
        assert_eq!(quadra_kir::check::kernel(&k), []);
        print::kernel(&k).matches("assert").count()
    }

    fn counted(trips: &str, step: &str) -> usize {
        left(&format!(
            "%g = group 0
             %c = for %n in 0..{trips} (%a: <i32> = 0) {{
                %v = load.row %x[%n]
                %t = cmp.gt %v, 0.5
                %s = add %a, {step}
                %q = xor %a, %s  %r = xor %s, {step}  %w = and %q, %r  %o = cmp.ge %w, 0
                assert \"integer overflow\", %o if %t
                %b = select %t, %s, %a
                yield %b
             }}
             %f = shl %g, 4
             store.row %p[%f], %c"
        ))
    }

    #[test]
    fn what_turns_add_to_is_bounded_by_their_number() {
        assert_eq!([counted("16", "1"), counted("1000", "-2000000"), counted("2000", "2000000")], [0, 0, 1]);
        assert_eq!(counted("%g", "1"), 1, "nobody knows how many turns there are");
    }

    fn nested(trips: &str) -> usize {
        left(&format!(
            "%g = group 0
             %c = for %m in 0..{trips} (%a: i32 = 7) {{
                %d = for %n in 0..30 (%b: i32 = %a) {{
                  %s = add %b, 1000000
                  %q = xor %b, %s  %r = xor %s, 1000000  %w = and %q, %r  %o = cmp.ge %w, 0
                  assert \"integer overflow\", %o
                  yield %s
                }}
                %e = sub %d, 3
                yield %e
             }}
             store %p[%g], %c"
        ))
    }

    #[test]
    fn what_turns_of_loops_within_add_to_is_bounded_by_their_product() {
        assert_eq!([nested("70"), nested("72"), nested("%g")], [0, 1, 1]);
    }

    #[test]
    fn floats_of_small_integers_are_bounded_and_repeated_assertions_go() {
        let tested = |factor: &str| {
            left(&format!(
                "%g = group 0
                 %a = to.f32 %g  %b = mul %a, {factor}  %c = abs %b  %d = cmp.lt %c, 2147480000.0
                 assert \"integer overflow\", %d
                 assert \"integer overflow\", %d
                 store %p[0], 1"
            ))
        };
        assert_eq!([tested("8.0"), tested("30000000.0")], [0, 1]);
    }
}
