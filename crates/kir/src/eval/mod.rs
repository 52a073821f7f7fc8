//! The meaning of every pure operation on one lane: total, and the same on every host.
//!
//! A value is 64 bits: a `bool` is 0 or 1, an `i32` or `f32` stands in the low 32 bits with zeros above.
//!
//! # Floats
//! In [`Arithmetic::Nearest`] operations follow IEEE 754; a NaN that an operation makes is the positive quiet one
//! (`0x7fc00000`). In [`Arithmetic::TowardZero`], the arithmetic of the VideoCore IV QPU, `f32` operations give the exact
//! result truncated toward zero; see [`toward_zero`]. `f64` is always rounded to nearest.
//!
//! The functions other than `+ - * /`, `recip`, `sqrt`, `rem` and the rounding ones are those of the crate `libm` in double
//! precision, rounded to `f32` as the arithmetic says; `exp` and `exp2` of `f32` in `Nearest` are those of [`exponential`]. The `*.approx` operations
//! give the rounded right value in `Nearest`; in `TowardZero` they are a model of a unit whose tables are unpublished: 16
//! significant bits, one unit too large (`log2.approx`: the multiple of 2^-15 below).

mod atomic;
pub mod exponential;
mod float;
pub mod toward_zero;

pub use atomic::atomic;

use crate::launch::Arithmetic;
use crate::ops::Op;
use crate::types::{Const, Elem};

/// Whether the operation computes each lane from that lane's operands alone, so that [`lane`] is its meaning.
pub fn is_lanewise(op: Op) -> bool {
    let own = matches!(op, Op::VecMake | Op::VecGet | Op::VecSet | Op::VecAt);
    op.is_pure() && !op.is_cross_lane() && !own && op.info().arity.is_some_and(|n| n > 0)
}

/// The result of a lane-wise operation. `elem` is the element type of its operands (of the second one for `select`).
pub fn lane(op: Op, elem: Elem, args: &[u64], arithmetic: Arithmetic) -> u64 {
    let (a, b) = (args[0], args.get(1).copied().unwrap_or(0));
    match op {
        Op::Select => return if a != 0 { b } else { args[2] },
        Op::ToI32 | Op::ToI64 | Op::ToF32 | Op::ToF64 => return convert(op, elem, a, arithmetic),
        Op::BitsI32 | Op::BitsF32 => return a,
        _ => {}
    }
    match elem {
        Elem::F32 if arithmetic == Arithmetic::TowardZero => toward_zero::lane(op, a as u32, b as u32),
        Elem::F32 => float::lane32(op, f32::from_bits(a as u32), f32::from_bits(b as u32)),
        Elem::F64 => float::lane64(op, f64::from_bits(a), f64::from_bits(b)),
        Elem::I64 => int64(op, a, b),
        Elem::Bool => boolean(op, a != 0, b != 0) as u64,
        _ => int32(op, a as u32, b as u32) as u64,
    }
}

/// The result of a lane-wise operation on constants; `None` for operations that are not lane-wise.
pub fn constants(op: Op, args: &[Const], arithmetic: Arithmetic) -> Option<Const> {
    if !is_lanewise(op) || op.info().arity != Some(args.len()) {
        return None;
    }
    let elem = if op == Op::Select { args[1].elem } else { args[0].elem };
    let bits: Vec<u64> = args.iter().map(|c| c.bits).collect();
    let types: Vec<_> = args.iter().map(|c| crate::types::Type::scalar(c.elem)).collect();
    let ty = op.result_type(crate::kernel::Level::Simt, &types).ok()?;
    Some(Const { elem: ty.elem, bits: lane(op, elem, &bits, arithmetic) })
}

fn boolean(op: Op, a: bool, b: bool) -> bool {
    match op {
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor | Op::CmpNe => a ^ b,
        Op::Not => !a,
        Op::AndNot => a & !b,
        Op::CmpEq => a == b,
        Op::CmpLt => !a & b,
        Op::CmpLe => a <= b,
        Op::CmpGt => a & !b,
        Op::CmpGe => a >= b,
        _ => not_lanewise(op),
    }
}

/// The integer operations of one width.
macro_rules! integers {
    ($name:ident, $u:ty, $i:ty) => {
        fn $name(op: Op, a: $u, b: $u) -> $u {
            let (x, y) = (a as $i, b as $i);
            let count = b % <$u>::BITS as $u;
            match op {
                Op::Add => a.wrapping_add(b),
                Op::Sub => a.wrapping_sub(b),
                Op::Mul => a.wrapping_mul(b),
                Op::Mul24 => (((a & 0xff_ffff) as u64 * (b & 0xff_ffff) as u64) & 0xffff_ffff) as $u,
                Op::Div if b == 0 => 0,
                Op::Div => x.wrapping_div(y) as $u,
                Op::Rem | Op::Mod if b == 0 => 0,
                Op::Rem => x.wrapping_rem(y) as $u,
                Op::Mod => {
                    let r = x.wrapping_rem(y);
                    if r != 0 && (r < 0) != (y < 0) { r.wrapping_add(y) as $u } else { r as $u }
                }
                Op::Min => x.min(y) as $u,
                Op::Max => x.max(y) as $u,
                Op::MinU => a.min(b),
                Op::MaxU => a.max(b),
                Op::Neg => a.wrapping_neg(),
                Op::Abs => x.wrapping_abs() as $u,
                Op::And => a & b,
                Op::Or => a | b,
                Op::Xor => a ^ b,
                Op::Not => !a,
                Op::AndNot => a & !b,
                Op::Shl => a << count,
                Op::Shr => a >> count,
                Op::Asr => (x >> count) as $u,
                Op::Ror => a.rotate_right(count as u32),
                Op::Clz => a.leading_zeros() as $u,
                Op::CmpEq => (a == b) as $u,
                Op::CmpNe => (a != b) as $u,
                Op::CmpLt => (x < y) as $u,
                Op::CmpLe => (x <= y) as $u,
                Op::CmpGt => (x > y) as $u,
                Op::CmpGe => (x >= y) as $u,
                Op::CmpLtU => (a < b) as $u,
                Op::CmpLeU => (a <= b) as $u,
                Op::CmpGtU => (a > b) as $u,
                Op::CmpGeU => (a >= b) as $u,
                _ => not_lanewise(op),
            }
        }
    };
}
integers!(int32, u32, i32);
integers!(int64, u64, i64);

fn not_lanewise(op: Op) -> ! {
    quadra_base::bug!("`{}` has no meaning on these operands", op.mnemonic())
}

fn convert(op: Op, from: Elem, a: u64, arithmetic: Arithmetic) -> u64 {
    // As a wide integer, or as a double, which holds every f32 exactly.
    let whole = match from {
        Elem::I64 => a as i64,
        Elem::Bool => a as i64,
        _ => a as u32 as i32 as i64,
    };
    let real = match from {
        Elem::F32 => Some(f32::from_bits(a as u32) as f64),
        Elem::F64 => Some(f64::from_bits(a)),
        _ => None,
    };
    match (op, real) {
        (Op::ToI32, Some(x)) => {
            let fits = x.abs() < 2147483648.0;
            if fits { x as i32 as u32 as u64 } else { 0 }
        }
        (Op::ToI64, Some(x)) => {
            let fits = x.abs() < 9223372036854775808.0;
            if fits { x as i64 as u64 } else { 0 }
        }
        (Op::ToI32, None) => whole as u32 as u64,
        (Op::ToI64, None) => whole as u64,
        (Op::ToF32, _) if from == Elem::F32 => a,
        (Op::ToF32, Some(x)) if arithmetic == Arithmetic::TowardZero => toward_zero::from_f64(x) as u64,
        (Op::ToF32, Some(x)) => float::bits32(x as f32),
        (Op::ToF32, None) if arithmetic == Arithmetic::TowardZero => toward_zero::from_int(whole) as u64,
        (Op::ToF32, None) => float::bits32(whole as f32),
        (Op::ToF64, Some(x)) => float::bits64(x),
        (_, None) => float::bits64(whole as f64),
        (_, Some(_)) => not_lanewise(op),
    }
}
