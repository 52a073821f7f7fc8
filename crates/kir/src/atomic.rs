//! What atomic operations leave in an element.

use crate::eval::lane;
use crate::launch::Arithmetic;
use crate::ops::Op;
use crate::types::Elem;

/// The element behind an atomic operation with these operands: `[value, 0]`, or `[expected, new]` of `atomic.cas`. All are
/// bits of values of type `elem`, as a register holds them.
pub fn atomic(op: Op, elem: Elem, old: u64, [a, b]: [u64; 2], arithmetic: Arithmetic) -> u64 {
    let apply = |op: Op| lane(op, elem, &[old, a, 0], arithmetic);
    match op {
        Op::AtomicAdd => apply(Op::Add),
        Op::AtomicSub => apply(Op::Sub),
        Op::AtomicMul => apply(Op::Mul),
        Op::AtomicDiv => apply(Op::Div),
        Op::AtomicMin => apply(Op::Min),
        Op::AtomicMax => apply(Op::Max),
        Op::AtomicAnd => apply(Op::And),
        Op::AtomicOr => apply(Op::Or),
        Op::AtomicXor => apply(Op::Xor),
        Op::AtomicPow => power(old, a, elem, arithmetic),
        Op::AtomicCompareExchange if old != a => old,
        Op::AtomicCompareExchange => b,
        _ => a,
    }
}

/// A power; of integers by repeated multiplication, which wraps, and 0 for a negative exponent unless the base is 1 or -1.
fn power(a: u64, b: u64, elem: Elem, arithmetic: Arithmetic) -> u64 {
    if elem.is_float() {
        return lane(Op::Pow, elem, &[a, b, 0], arithmetic);
    }
    let wide = elem == Elem::I64;
    let signed = |x: u64| if wide { x as i64 } else { x as u32 as i32 as i64 };
    let (base, mut exponent) = (signed(a), signed(b));
    if exponent < 0 {
        exponent = match base {
            1 => 0,
            -1 => exponent & 1,
            _ => return 0,
        };
    }
    let (mut result, mut square) = (1i64, base);
    while exponent > 0 {
        if exponent & 1 != 0 {
            result = result.wrapping_mul(square);
        }
        square = square.wrapping_mul(square);
        exponent >>= 1;
    }
    if wide { result as u64 } else { result as u32 as u64 }
}
