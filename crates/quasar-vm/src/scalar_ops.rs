//! Two-operand functions on single numbers: the one place that says what each means.

use super::arith::{Kind, Mode};
use super::fault::{Fault, Res};
use super::value::Value;
use quadra_kir::eval::elementary;
use quadra_quasar_hir::op2::Op2;
use quadra_quasar_hir::types::IntKind;

/// Runs code with the closure that compares two numbers.
macro_rules! with_comparison {
    ($op:expr, $f:ident => $body:expr) => {{
        use quadra_quasar_hir::op2::Op2;
        match $op {
            Op2::Lt => {
                let $f = |x, y| u8::from(x < y);
                $body
            }
            Op2::Le => {
                let $f = |x, y| u8::from(x <= y);
                $body
            }
            Op2::Gt => {
                let $f = |x, y| u8::from(x > y);
                $body
            }
            Op2::Ge => {
                let $f = |x, y| u8::from(x >= y);
                $body
            }
            Op2::Ne => {
                let $f = |x, y| u8::from(x != y);
                $body
            }
            _ => {
                let $f = |x, y| u8::from(x == y);
                $body
            }
        }
    }};
}
pub(crate) use with_comparison;

/// Runs code with the closure that computes a function on two floating-point numbers.
macro_rules! with_float {
    ($op:expr, $t:ty, $f:ident => $body:expr) => {{
        use quadra_quasar_hir::op2::Op2;
        use $crate::scalar_ops as s;
        match $op {
            Op2::Add => {
                let $f = |x: $t, y: $t| x + y;
                $body
            }
            Op2::Sub => {
                let $f = |x: $t, y: $t| x - y;
                $body
            }
            Op2::Mul => {
                let $f = |x: $t, y: $t| x * y;
                $body
            }
            Op2::Div => {
                let $f = |x: $t, y: $t| x / y;
                $body
            }
            Op2::Max => {
                let $f = |x: $t, y: $t| if x > y || y.is_nan() { x } else { y };
                $body
            }
            Op2::Min => {
                let $f = |x: $t, y: $t| if x < y || y.is_nan() { x } else { y };
                $body
            }
            Op2::Mod => {
                let $f = |x: $t, y: $t| if y == 0.0 { x } else { s::Power::modulo(x, y) };
                $body
            }
            Op2::Rem => {
                let $f = |x: $t, y: $t| s::Power::remainder(x, y);
                $body
            }
            Op2::Pow => {
                let $f = |x: $t, y: $t| s::Power::to_the(x, y);
                $body
            }
            Op2::Atan2 => {
                let $f = |x: $t, y: $t| quadra_kir::eval::elementary::atan2(x, y);
                $body
            }
            other => {
                let $f = |x: $t, y: $t| s::float(other, f64::from(x), f64::from(y)) as $t;
                $body
            }
        }
    }};
}

/// Functions on two floats of 32 bits.
pub fn single(op: Op2, x: f32, y: f32) -> f32 {
    with_float!(op, f32, f => f(x, y))
}

/// Powers and remainders as kernels compute them.
pub trait Power {
    /// `self` to the `y`.
    fn to_the(self, y: Self) -> Self;
    /// What is left behind the largest multiple of `y` below, however large the quotient is.
    fn modulo(self, y: Self) -> Self;
    /// What is left behind the largest multiple of `y` in size.
    fn remainder(self, y: Self) -> Self;
}

impl Power for f32 {
    fn to_the(self, y: f32) -> f32 {
        elementary::pow(self, y)
    }

    fn modulo(self, y: f32) -> f32 {
        elementary::floor_remainder(self, y)
    }

    fn remainder(self, y: f32) -> f32 {
        elementary::remainder(self, y)
    }
}

impl Power for f64 {
    fn to_the(self, y: f64) -> f64 {
        elementary::pow_of_double(self, y)
    }

    fn modulo(self, y: f64) -> f64 {
        elementary::floor_rem(self, y)
    }

    fn remainder(self, y: f64) -> f64 {
        libm::fmod(self, y)
    }
}

/// Functions on two floating-point numbers.
pub fn float(op: Op2, x: f64, y: f64) -> f64 {
    match op {
        Op2::Add => x + y,
        Op2::Sub => x - y,
        Op2::Mul => x * y,
        Op2::Div => x / y,
        Op2::Pow => x.to_the(y),
        Op2::Max => {
            if x > y || y.is_nan() {
                x
            } else {
                y
            }
        }
        Op2::Min => {
            if x < y || y.is_nan() {
                x
            } else {
                y
            }
        }
        Op2::Mod if y == 0.0 => x,
        Op2::Mod => x.modulo(y),
        Op2::Rem => x.remainder(y),
        Op2::Atan2 => elementary::atan2(x, y),
        Op2::Hypot => x.hypot(y),
        // Bitwise functions see the integer parts.
        Op2::And => ((x as i64) & (y as i64)) as f64,
        Op2::Or => ((x as i64) | (y as i64)) as f64,
        Op2::Xor => ((x as i64) ^ (y as i64)) as f64,
        Op2::Shl => (x as i64).checked_shl(y as u32).unwrap_or(0) as f64,
        Op2::Shr => (x as i64).checked_shr(y as u32).unwrap_or(0) as f64,
        Op2::Lt => f64::from(x < y),
        Op2::Le => f64::from(x <= y),
        Op2::Gt => f64::from(x > y),
        Op2::Ge => f64::from(x >= y),
        Op2::Eq => f64::from(x == y),
        Op2::Ne => f64::from(x != y),
    }
}

/// The half-precision number nearest to `x`.
pub fn round_half(x: f32) -> f32 {
    half::f16::from_f32(x).to_f32()
}

pub fn complex_order() -> Box<Fault> {
    Fault::new("Q0325", "complex numbers cannot be ordered").help("compare real(z), imag(z) or abs(z)")
}

/// Functions on two integers. `wide`: 64 bits; `unsigned`: both are unsigned 64-bit numbers.
pub fn integer(op: Op2, x: i64, y: i64, wide: bool, unsigned: bool, mode: Mode) -> Res<i64> {
    let wider = |v: i64| if unsigned { i128::from(v as u64) } else { i128::from(v) };
    let (a, b) = (wider(x), wider(y));
    let exact = match op {
        Op2::Add => a + b,
        Op2::Sub => a - b,
        Op2::Mul => a.wrapping_mul(b),
        Op2::Max => a.max(b),
        Op2::Min => a.min(b),
        Op2::And => a & b,
        Op2::Or => a | b,
        Op2::Xor => a ^ b,
        Op2::Shl => i128::from(shift_left(x, y, wide)),
        Op2::Shr => a.checked_shr(u32::try_from(y).unwrap_or(127).min(127)).unwrap_or(0),
        Op2::Mod | Op2::Rem if b == 0 => {
            let text = format!("{} by the integer 0", op.name());
            return Err(Fault::new("Q0326", text).help("check the divisor first"));
        }
        Op2::Mod => ((a % b) + b) % b,
        Op2::Rem => a % b,
        Op2::Pow => power(a, b),
        other => i128::from(float(other, x as f64, y as f64) as i64),
    };
    let (low, high) = match (wide, unsigned) {
        (false, _) => (i128::from(i32::MIN), i128::from(i32::MAX)),
        (_, true) => (0, i128::from(u64::MAX)),
        _ => (i128::from(i64::MIN), i128::from(i64::MAX)),
    };
    if exact >= low && exact <= high {
        return Ok(exact as i64);
    }
    if mode.device {
        return Ok(if wide { exact as i64 } else { i64::from(exact as i32) });
    }
    Err(Fault::new("Q0327", format!("integer overflow in {a} {} {b}", op.name()))
        .help("int has 32 bits: write one operand with a decimal point, or use int64(x)"))
}

fn shift_left(x: i64, y: i64, wide: bool) -> i64 {
    let y = u32::try_from(y).unwrap_or(64);
    if wide { x.checked_shl(y).unwrap_or(0) } else { i64::from((x as i32).checked_shl(y).unwrap_or(0)) }
}

/// `a^b` for `b >= 0`, saturated well beyond every integer type.
fn power(a: i128, b: i128) -> i128 {
    let mut result: i128 = 1;
    let limit = 1i128 << 100;
    match a {
        0 | 1 => return if b == 0 { 1 } else { a },
        -1 => return if b % 2 == 0 { 1 } else { -1 },
        _ => {}
    }
    for _ in 0..b {
        result *= a;
        if result.abs() > limit {
            break;
        }
    }
    result
}

/// Functions on two complex numbers.
pub fn complex(op: Op2, x: [f64; 2], y: [f64; 2]) -> Res<[f64; 2]> {
    Ok(match op {
        Op2::Add => [x[0] + y[0], x[1] + y[1]],
        Op2::Sub => [x[0] - y[0], x[1] - y[1]],
        Op2::Mul => [x[0] * y[0] - x[1] * y[1], x[0] * y[1] + x[1] * y[0]],
        Op2::Div => {
            let d = y[0] * y[0] + y[1] * y[1];
            [(x[0] * y[0] + x[1] * y[1]) / d, (x[1] * y[0] - x[0] * y[1]) / d]
        }
        Op2::Pow => complex_power(x, y),
        other => {
            return Err(Fault::new("Q0325", format!("'{}' is not defined for complex numbers", other.name()))
                .help("use it on real(z), imag(z) or abs(z)"));
        }
    })
}

fn complex_power(x: [f64; 2], y: [f64; 2]) -> [f64; 2] {
    if y[1] == 0.0 && y[0] == y[0].trunc() && y[0].abs() <= 64.0 {
        let mut result = [1.0, 0.0];
        for _ in 0..y[0].abs() as i32 {
            result = [result[0] * x[0] - result[1] * x[1], result[0] * x[1] + result[1] * x[0]];
        }
        if y[0] < 0.0 {
            let d = result[0] * result[0] + result[1] * result[1];
            result = [result[0] / d, -result[1] / d];
        }
        return result;
    }
    if x == [0.0, 0.0] {
        return [0.0, 0.0];
    }
    let (log_r, angle) = (x[0].hypot(x[1]).ln(), x[1].atan2(x[0]));
    let (re, im) = (y[0] * log_r - y[1] * angle, y[0] * angle + y[1] * log_r);
    [re.exp() * im.cos(), re.exp() * im.sin()]
}

/// The result for two numbers; nothing if one operand is not a number.
pub fn scalar(op: Op2, a: &Value, b: &Value, mode: Mode) -> Option<Res<Value>> {
    if !a.is_number() || !b.is_number() {
        return None;
    }
    let mut kind = Kind::of(a)?.promote(Kind::of(b)?);
    if kind.is_int() && (op.gives_float() || (op == Op2::Pow && b.as_index()? < 0)) {
        kind = Kind::scalar(mode);
    }
    if op.is_comparison() && kind < Kind::C32 {
        return Some(Ok(Value::bool(compare(op, kind, a, b)?)));
    }
    Some(match kind {
        Kind::Int => integer(op, a.as_index()?, b.as_index()?, false, false, mode).map(|v| Value::Int(v as i32)),
        Kind::Wide => {
            let unsigned = matches!((a, b), (Value::IntN(IntKind::U64, _), Value::IntN(IntKind::U64, _)));
            let kind = if unsigned { IntKind::U64 } else { IntKind::I64 };
            integer(op, a.as_index()?, b.as_index()?, true, unsigned, mode).map(|v| Value::IntN(kind, v))
        }
        Kind::F32 => {
            let (x, y) = (a.as_f64()? as f32, b.as_f64()? as f32);
            Ok(Value::F32(single(op, x, y)))
        }
        Kind::F16 => Ok(Value::F16(round_half(float(op, a.as_f64()?, b.as_f64()?) as f32))),
        Kind::F64 => Ok(Value::F64(float(op, a.as_f64()?, b.as_f64()?))),
        Kind::C32 | Kind::C64 => {
            let (x, y) = (a.as_complex()?, b.as_complex()?);
            match op {
                Op2::Eq => Ok(Value::bool(x == y)),
                Op2::Ne => Ok(Value::bool(x != y)),
                _ if op.is_comparison() => Err(complex_order()),
                _ => complex(op, x, y).map(|z| Value::complex(z[0], z[1], kind == Kind::C64)),
            }
        }
    })
}

fn compare(op: Op2, kind: Kind, a: &Value, b: &Value) -> Option<bool> {
    if kind.is_int() {
        let wide = |v: &Value| match v {
            Value::IntN(IntKind::U64, x) => Some(i128::from(*x as u64)),
            other => other.as_index().map(i128::from),
        };
        let (x, y) = (wide(a)?, wide(b)?);
        return Some(with_comparison!(op, f => f(x, y)) != 0);
    }
    let (mut x, mut y) = (a.as_f64()?, b.as_f64()?);
    if kind == Kind::F32 {
        (x, y) = (f64::from(x as f32), f64::from(y as f32));
    }
    Some(with_comparison!(op, f => f(x, y)) != 0)
}
