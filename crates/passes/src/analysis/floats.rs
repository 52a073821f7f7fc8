//! Between which numbers floats of 32 bits lie that are never NaN: what limits keep apart, or integers have become.
//!
//! `max(x, 0.0)` is a number whatever `x` is, since it gives its second operand where a comparison with NaN fails; likewise
//! `min(255.0, x)`. Sums and products are rounded in one of two ways, so that what is computed here is widened by more than a unit of the
//! last place. What loops carry is not known.

use super::range::{Bounds, Range};
use quadra_base::quick::Map;
use quadra_kir::{Block, Elem, Inst, Kernel, Op, Type, Value};

/// The least and the largest number that a float is; it is never NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    pub low: f64,
    pub high: f64,
}

/// The largest finite float.
const LARGEST: f64 = f32::MAX as f64;

impl Span {
    /// What rounding may have made of numbers between these; `None` if they may have become infinite, of which sums and products may be NaN.
    fn rounded(low: f64, high: f64) -> Option<Span> {
        let (low, high) = (low - low.abs() * 2f64.powi(-22) - 1e-37, high + high.abs() * 2f64.powi(-22) + 1e-37);
        (low >= -LARGEST && high <= LARGEST).then_some(Span { low, high })
    }

    fn is_finite(self) -> bool {
        self.low >= -LARGEST && self.high <= LARGEST
    }

    /// The integers that truncation makes of it, if they fit.
    pub fn truncated(self) -> Option<Bounds> {
        // The largest float below 2^31.
        let most = 2_147_483_520.0;
        (self.low >= -most && self.high <= most).then(|| Bounds::new(self.low.trunc() as i64, self.high.trunc() as i64))
    }

    /// How a comparison comes out for all numbers of both, if one way.
    pub fn compared(self, op: Op, other: Span) -> Option<bool> {
        let truth = |yes: bool, no: bool| if yes { Some(true) } else { no.then_some(false) };
        match op {
            Op::CmpLt => truth(self.high < other.low, self.low >= other.high),
            Op::CmpLe => truth(self.high <= other.low, self.low > other.high),
            Op::CmpGt => truth(self.low > other.high, self.high <= other.low),
            Op::CmpGe => truth(self.low >= other.high, self.high < other.low),
            _ => None,
        }
    }
}

/// The spans of a kernel's floats.
pub type Spans = Map<Value, Span>;

/// Whether a kernel makes integers of floats, which spans may bound.
pub fn matter(kernel: &Kernel) -> bool {
    let float = |v: Value| kernel.ty(v).elem == Elem::F32;
    kernel.body.any(&mut |i| i.op == Op::ToI32 && float(i.args[0]))
}

/// The span of a value.
pub fn of(kernel: &Kernel, spans: &Spans, v: Value) -> Option<Span> {
    match kernel.as_const(v) {
        Some(c) if c.elem == Elem::F32 => {
            let x = f64::from(f32::from_bits(c.bits as u32));
            // What is so small is 0 on some devices.
            (!x.is_nan() && (x == 0.0 || x.abs() >= f64::from(f32::MIN_POSITIVE))).then_some(Span { low: x, high: x })
        }
        _ => spans.get(&v).copied(),
    }
}

/// Finds the spans, where the bounds of integers are known.
pub fn find(kernel: &Kernel, range: &Range) -> Spans {
    let mut spans = Spans::default();
    block(kernel, range, &kernel.body, &mut spans);
    spans
}

fn block(kernel: &Kernel, range: &Range, b: &Block, spans: &mut Spans) {
    for inst in &b.insts {
        inst.regions.iter().for_each(|r| block(kernel, range, r, spans));
        if let [r] = inst.results[..]
            && inst.regions.is_empty()
            && kernel.ty(r) == Type::F32.with_lanes(kernel.ty(r).lanes)
            && let Some(span) = span(kernel, range, inst, spans)
        {
            spans.insert(r, span);
        }
    }
}

fn span(kernel: &Kernel, range: &Range, inst: &Inst, spans: &Spans) -> Option<Span> {
    let arg = |n: usize| of(kernel, spans, inst.args[n]);
    let finite = |n: usize| arg(n).filter(|s| s.is_finite());
    const ANY: Span = Span { low: f64::NEG_INFINITY, high: f64::INFINITY };
    match inst.op {
        // The second operand, unless the first is greater.
        Op::Max => {
            let (a, b) = (arg(0).unwrap_or(ANY), arg(1)?);
            Some(Span { low: if arg(0).is_some() { a.low.max(b.low) } else { b.low }, high: a.high.max(b.high) })
        }
        // The first operand, unless it is greater.
        Op::Min => {
            let (a, b) = (arg(0)?, arg(1).unwrap_or(ANY));
            Some(Span { low: a.low.min(b.low), high: if arg(1).is_some() { a.high.min(b.high) } else { a.high } })
        }
        Op::Select => {
            let (a, b) = (arg(1)?, arg(2)?);
            Some(Span { low: a.low.min(b.low), high: a.high.max(b.high) })
        }
        Op::Neg => arg(0).map(|a| Span { low: -a.high, high: -a.low }),
        Op::Abs => arg(0).map(|a| Span {
            low: if a.low <= 0.0 && a.high >= 0.0 { 0.0 } else { a.low.abs().min(a.high.abs()) },
            high: a.low.abs().max(a.high.abs()),
        }),
        Op::ToF32 if kernel.ty(inst.args[0]).elem == Elem::I32 => {
            let bounds = range.bounds(kernel, inst.args[0]);
            Span::rounded(bounds.low as f64, bounds.high as f64)
        }
        Op::Add | Op::Sub => {
            let (a, b) = (finite(0)?, finite(1)?);
            let b = if inst.op == Op::Sub { Span { low: -b.high, high: -b.low } } else { b };
            Span::rounded(a.low + b.low, a.high + b.high)
        }
        Op::Mul => {
            let (a, b) = (finite(0)?, finite(1)?);
            let all = [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high];
            Span::rounded(
                all.into_iter().fold(f64::INFINITY, f64::min),
                all.into_iter().fold(f64::NEG_INFINITY, f64::max),
            )
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadra_kir::parse;

    /// The integers that a float becomes.
    fn integers(body: &str) -> Option<(i64, i64)> {
        let text =
            format!("kernel @k(%p: buf<i8, r>, %x: f32, %n: f32) simd group=16 over=0 {{\n{body} %z = to.i32 %y }}");
        let k = parse::kernel("t.kir", &text).map_err(|d| format!("{d:?}")).expect("the test's kernel parses");
        let r = Range::of(&k);
        let v = k.values.iter().find(|(_, i)| &*i.name == "z").expect("the value exists").0;
        let b = r.bounds(&k, v);
        (b != Bounds::ANY).then_some((b.low, b.high))
    }

    #[test]
    fn limits_hold_whatever_is_limited() {
        assert_eq!(integers("%a = max %x, 0.0 %y = min 255.0, %a"), Some((0, 255)));
        assert_eq!(integers("%a = max %x, -3.5 %y = min 7.9, %a"), Some((-3, 7)));
        // A NaN as the first operand of a minimum, or the second of a maximum, stays one; truncated it is 0, which limits may exclude.
        assert_eq!(integers("%a = max %x, 3.0 %y = min %a, %n"), None);
        assert_eq!(integers("%a = min %x, 255.0 %y = max 10.0, %a"), None);
        assert_eq!(integers("%a = min 255.0, %x %y = max %a, 10.0"), Some((10, 255)));
        assert_eq!(integers("%y = max %x, 0.0"), None);
    }

    #[test]
    fn what_integers_become_stays_near() {
        let byte = "%b = load.inside %p[0] %c = and %b, 255 %f = to.f32 %c";
        assert_eq!(integers(&format!("{byte} %y = mul %f, 0.5")), Some((0, 127)));
        assert_eq!(integers(&format!("{byte} %g = sub 300.0, %f %y = add %g, 0.5")), Some((45, 300)));
        assert_eq!(integers(&format!("{byte} %g = mul %f, %x %y = add %g, 0.5")), None);
        assert_eq!(integers(&format!("{byte} %g = mul %f, 1e38 %h = mul %g, 1e38 %y = min 5.0, %h")), None);
    }
}
