//! Rounding to whole numbers, right for all finite operands. From 2^23 on every float is whole and stays as it is.

use super::Emit;
use quadra_kir::{Op, Value};

pub(super) fn trunc(e: &mut Emit<'_>, a: Value) -> Value {
    let i = e.op(Op::ToI32, &[a]);
    let t = e.op(Op::ToF32, &[i]);
    let size = e.abs(a);
    let limit = e.float(8_388_608.0);
    let small = e.op(Op::CmpLt, &[size, limit]);
    e.select(small, t, a)
}

pub(super) fn floor(e: &mut Emit<'_>, a: Value) -> Value {
    let t = trunc(e, a);
    let above = e.op(Op::CmpGt, &[t, a]);
    let one = e.float(1.0);
    let below = e.sub(t, one);
    e.select(above, below, t)
}

pub(super) fn ceil(e: &mut Emit<'_>, a: Value) -> Value {
    let t = trunc(e, a);
    let under = e.op(Op::CmpLt, &[t, a]);
    let one = e.float(1.0);
    let above = e.add(t, one);
    e.select(under, above, t)
}

/// Halves away from zero. The fraction a - trunc(a) is exact, so comparing it with a half is, too.
pub(super) fn round(e: &mut Emit<'_>, a: Value) -> Value {
    let t = trunc(e, a);
    let fraction = e.sub(a, t);
    let (half, minus_half, one) = (e.float(0.5), e.float(-0.5), e.float(1.0));
    let up = e.op(Op::CmpGe, &[fraction, half]);
    let above = e.add(t, one);
    let r = e.select(up, above, t);
    let down = e.op(Op::CmpLe, &[fraction, minus_half]);
    let below = e.sub(t, one);
    e.select(down, below, r)
}
