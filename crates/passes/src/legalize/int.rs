//! Integers and truth values: exact for all operands.

use super::Emit;
use quadra_kir::{Elem, Inst, Op, Value};

pub(super) fn of_i32(e: &mut Emit<'_>, op: Op, a: Value, b: Value) -> Option<Value> {
    Some(match op {
        Op::Neg => e.neg(a),
        Op::Abs => {
            let n = e.neg(a);
            e.op(Op::Max, &[a, n])
        }
        Op::AndNot => {
            let n = e.op(Op::Not, &[b]);
            e.op(Op::And, &[a, n])
        }
        Op::Mul => mul(e, a, b),
        Op::Mul24 if e.caps.runs(Op::Mul, Elem::I32) => {
            let [a, b] = [a, b].map(|x| e.and_bits(x, 0xff_ffff));
            e.mul(a, b)
        }
        Op::Div => Division::of(e, a, b).quotient(e),
        Op::Rem => Division::of(e, a, b).remainder(e),
        Op::Mod => Division::of(e, a, b).modulus(e),
        Op::Popcount => popcount(e, a),
        Op::CmpLtU => flipped(e, Op::CmpLt, a, b),
        Op::CmpLeU => flipped(e, Op::CmpLe, a, b),
        Op::CmpGtU => flipped(e, Op::CmpGt, a, b),
        Op::CmpGeU => flipped(e, Op::CmpGe, a, b),
        Op::MinU | Op::MaxU => {
            let op = if op == Op::MinU { Op::CmpLtU } else { Op::CmpGtU };
            let c = e.op(op, &[a, b]);
            e.select(c, a, b)
        }
        _ => return None,
    })
}

/// Sums of neighbouring bits, then of pairs, fours, bytes and halves, all in place. A sum of four bits leaves room beside it from the
/// third step on, so that one mask is enough behind the addition.
fn popcount(e: &mut Emit<'_>, a: Value) -> Value {
    let part = |e: &mut Emit<'_>, x: Value, shift: i32, mask: u32| {
        let shift = e.int(shift);
        let shifted = e.op(Op::Shr, &[x, shift]);
        e.and_bits(shifted, mask)
    };
    let odd = part(e, a, 1, 0x5555_5555);
    let pairs = e.sub(a, odd);
    let high = part(e, pairs, 2, 0x3333_3333);
    let low = e.and_bits(pairs, 0x3333_3333);
    let fours = e.add(low, high);
    let high = part(e, fours, 4, u32::MAX);
    let bytes = e.add(fours, high);
    let bytes = e.and_bits(bytes, 0x0f0f_0f0f);
    let high = part(e, bytes, 8, u32::MAX);
    let halves = e.add(bytes, high);
    let high = part(e, halves, 16, u32::MAX);
    let sum = e.add(halves, high);
    e.and_bits(sum, 0x3f)
}

/// Unsigned order is signed order with the top bits flipped.
fn flipped(e: &mut Emit<'_>, op: Op, a: Value, b: Value) -> Value {
    let top = e.int(i32::MIN);
    let a = e.op(Op::Xor, &[a, top]);
    let b = e.op(Op::Xor, &[b, top]);
    e.op(op, &[a, b])
}

/// The low 32 bits of the product from 24-bit products. With a = ah·2^24 + al and b likewise the terms above 2^32 vanish:
/// al·bl + ((ah·bl + al·bh) << 24), where `mul24` itself cuts its operands to 24 bits.
fn mul(e: &mut Emit<'_>, a: Value, b: Value) -> Value {
    if let Some(product) = e.kernel.as_i32(b).and_then(|b| mul_by_constant(e, a, b)) {
        return product;
    }
    let shift = e.int(24);
    let ah = e.op(Op::Shr, &[a, shift]);
    let bh = e.op(Op::Shr, &[b, shift]);
    let low = e.op(Op::Mul24, &[a, b]);
    let x = e.op(Op::Mul24, &[ah, b]);
    let y = e.op(Op::Mul24, &[a, bh]);
    let high = e.add(x, y);
    let high = e.op(Op::Shl, &[high, shift]);
    e.add(low, high)
}

/// Products with (2^n + 1)·2^m or (2^n - 1)·2^m, such as the sizes of pixels: two shifts and a sum, which `affine` sees through.
fn mul_by_constant(e: &mut Emit<'_>, a: Value, b: i32) -> Option<Value> {
    let b = u32::try_from(b).ok().filter(|&b| b > 1)?;
    let odd = b >> b.trailing_zeros();
    let (op, power) = match odd {
        1 => return None,
        _ if (odd - 1).is_power_of_two() => (Op::Add, odd - 1),
        _ if (odd + 1).is_power_of_two() => (Op::Sub, odd + 1),
        _ => return None,
    };
    let (n, m) = (e.int(power.trailing_zeros() as i32), e.int(b.trailing_zeros() as i32));
    let shifted = e.op(Op::Shl, &[a, n]);
    let product = e.op(op, &[shifted, a]);
    Some(if b == odd { product } else { e.op(Op::Shl, &[product, m]) })
}

pub(super) fn of_bool(e: &mut Emit<'_>, inst: &Inst) -> Option<Value> {
    let a = inst.args[0];
    let b = inst.args.get(1).copied().unwrap_or(a);
    Some(match inst.op {
        Op::ToI32 => {
            let (one, zero) = (e.int(1), e.int(0));
            e.select(a, one, zero)
        }
        Op::ToF32 => {
            let (one, zero) = (e.float(1.0), e.float(0.0));
            e.select(a, one, zero)
        }
        Op::CmpNe => e.op(Op::Xor, &[a, b]),
        Op::CmpEq => {
            let x = e.op(Op::Xor, &[a, b]);
            e.op(Op::Not, &[x])
        }
        Op::AndNot => {
            let n = e.op(Op::Not, &[b]);
            e.op(Op::And, &[a, n])
        }
        Op::Select if e.kernel.ty(b).elem == Elem::Bool => {
            let yes = e.op(Op::And, &[a, b]);
            let no = e.op(Op::AndNot, &[inst.args[2], a]);
            e.op(Op::Or, &[yes, no])
        }
        _ => return None,
    })
}

/// The division of |a| by |b|, and what it takes to put the signs back.
struct Division {
    a: Value,
    b: Value,
    quotient: Value,
    remainder: Value,
}

impl Division {
    /// Quotient and remainder of the magnitudes as unsigned numbers up to 2^31.
    ///
    /// The reciprocal `y` of |b| is refined to a relative error below 2^-21; with the truncations of |a| and |b| to 24 bits
    /// the estimate a·y is off by less than 2^-20.4. Lowering `y` by 2^-19 makes every estimate at most the true quotient
    /// and at least (1 - 2^-18) of it, less 1 for truncation. So after one step the remaining quotient is below
    /// 2^31·2^-18 + 1, after two below 2, and one correction remains.
    fn of(e: &mut Emit<'_>, a: Value, b: Value) -> Division {
        let (ua, ub) = (e.op(Op::Abs, &[a]), e.op(Op::Abs, &[b]));
        let fb = magnitude(e, ub);
        let one = e.float(1.0);
        let mut y = e.op(Op::RecipApprox, &[fb]);
        for _ in 0..2 {
            let p = e.mul(fb, y);
            let r = e.sub(one, p);
            y = e.mul_add(y, r, y);
        }
        let bias = e.float(1.0 - 1.0 / 524288.0);
        let y = e.mul(y, bias);
        let mut quotient = None;
        let mut remainder = ua;
        for _ in 0..2 {
            let fr = magnitude(e, remainder);
            let estimate = e.mul(fr, y);
            let q = e.op(Op::ToI32, &[estimate]);
            let p = e.op(Op::Mul, &[q, ub]);
            remainder = e.sub(remainder, p);
            quotient = Some(quotient.map_or(q, |sum| e.add(sum, q)));
        }
        let quotient = quotient.expect("two steps were made");
        let again = e.op(Op::CmpGeU, &[remainder, ub]);
        let one = e.int(1);
        let (more, less) = (e.add(quotient, one), e.sub(remainder, ub));
        let quotient = e.select(again, more, quotient);
        let remainder = e.select(again, less, remainder);
        Division { a, b, quotient, remainder }
    }

    /// Zero where the divisor is.
    fn or_zero(&self, e: &mut Emit<'_>, value: Value) -> Value {
        let zero = e.int(0);
        let by_zero = e.op(Op::CmpEq, &[self.b, zero]);
        e.select(by_zero, zero, value)
    }

    fn quotient(self, e: &mut Emit<'_>) -> Value {
        let zero = e.int(0);
        let signs = e.op(Op::Xor, &[self.a, self.b]);
        let differ = e.op(Op::CmpLt, &[signs, zero]);
        let negated = e.neg(self.quotient);
        let q = e.select(differ, negated, self.quotient);
        self.or_zero(e, q)
    }

    fn signed_remainder(&self, e: &mut Emit<'_>) -> Value {
        let zero = e.int(0);
        let negative = e.op(Op::CmpLt, &[self.a, zero]);
        let negated = e.neg(self.remainder);
        e.select(negative, negated, self.remainder)
    }

    fn remainder(self, e: &mut Emit<'_>) -> Value {
        let r = self.signed_remainder(e);
        self.or_zero(e, r)
    }

    /// As the remainder, but moved by one divisor where its sign is not the divisor's.
    fn modulus(self, e: &mut Emit<'_>) -> Value {
        let zero = e.int(0);
        let r = self.signed_remainder(e);
        let signs = e.op(Op::Xor, &[r, self.b]);
        let differ = e.op(Op::CmpLt, &[signs, zero]);
        let some = e.op(Op::CmpNe, &[r, zero]);
        let move_it = e.op(Op::And, &[differ, some]);
        let moved = e.add(r, self.b);
        let m = e.select(move_it, moved, r);
        self.or_zero(e, m)
    }
}

/// An unsigned number up to 2^31 as a float; 2^31 itself reads as -2^31, hence the absolute value.
fn magnitude(e: &mut Emit<'_>, v: Value) -> Value {
    let f = e.op(Op::ToF32, &[v]);
    e.abs(f)
}
