//! The meaning of every pure operation on one lane: total, and the same on every host.
//!
//! A value is 64 bits: a `bool` is 0 or 1, an `i32` or `f32` stands in the low 32 bits with zeros above.
//!
//! # Floats
//! In [`Arithmetic::Nearest`] operations follow IEEE 754; a NaN that an operation makes is the positive quiet one
//! (`0x7fc00000`). In [`Arithmetic::TowardZero`], the arithmetic of the VideoCore IV QPU, `f32` operations give the exact
//! result truncated toward zero; see [`toward_zero`]. `f64` is always rounded to nearest.
//!
//! Functions from `exp2` to `pow` are in `Nearest` those of [`elementary`], within two units in the last place; `exp` and `exp2`
//! of `f32` are those of [`exponential`], and `pow` of `f64` is the crate `libm`'s. In `TowardZero` they are those of `libm` in
//! double precision, truncated. The `*.approx` operations
//! give the rounded right value in `Nearest`; in `TowardZero` they are a model of a unit whose tables are unpublished: 16
//! significant bits, one unit too large (`log2.approx`: the multiple of 2^-15 below).
//!
//! What each operation computes stands in its row of the table.

pub mod elementary;
pub mod exponential;
pub(crate) mod meaning;
pub(crate) mod real;
pub mod toward_zero;

pub use crate::atomic::atomic;

use crate::launch::Arithmetic;
use crate::ops::Op;
use crate::types::{Const, Elem};

/// Whether the operation computes each lane from that lane's operands alone, so that [`lane`] is its meaning.
pub fn is_lanewise(op: Op) -> bool {
    op.is_pure() && !op.is_cross_lane() && op.info().arity.is_some_and(|n| n > 0)
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
    let m = &op.info().meaning;
    let result = match (elem, m.real) {
        (Elem::F32, real) if arithmetic == Arithmetic::TowardZero => {
            let (x, y) = (a as u32, b as u32);
            let through = |f: fn(f64, f64) -> f64| toward_zero::from_f64(f(toward_zero::real(x), toward_zero::real(y)));
            m.zero.map(|f| f(x, y)).or_else(|| real.map(through)).map(u64::from)
        }
        (Elem::F32, real) => {
            let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
            m.f32.map(|f| f(x, y)).or_else(|| real.map(|f| real::bits32(f(x as f64, y as f64) as f32)))
        }
        (Elem::F64, real) => {
            let (x, y) = (f64::from_bits(a), f64::from_bits(b));
            m.f64.map(|f| f(x, y)).or_else(|| real.map(|f| real::bits64(f(x, y))))
        }
        (Elem::I64, _) => m.i64.map(|f| f(a, b)),
        (Elem::Bool, _) => m.bool.map(|f| f(a != 0, b != 0) as u64),
        _ => m.i32.map(|f| f(a as u32, b as u32).into()),
    };
    result.unwrap_or_else(|| not_lanewise(op))
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
        (Op::ToF32, Some(x)) => real::bits32(x as f32),
        (Op::ToF32, None) if arithmetic == Arithmetic::TowardZero => toward_zero::from_int(whole) as u64,
        (Op::ToF32, None) => real::bits32(whole as f32),
        (Op::ToF64, Some(x)) => real::bits64(x),
        (_, None) => real::bits64(whole as f64),
        (_, Some(_)) => not_lanewise(op),
    }
}
