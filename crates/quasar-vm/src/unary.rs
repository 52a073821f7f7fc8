//! One-operand functions on values: numbers, and element by element arrays and cells.

use super::arith::{Kind, Level, Mode, complex_data, is_cell, to_c64, to_f64, to_i64};
use super::bulk;
use super::fault::{Fault, Res, fault};
use super::scalar_ops::round_half;
use super::tensor::{Data, Tensor, real_data};
use super::unary_ops::{complex, float32, float64};
use super::value::Value;
use super::{exact, memory, typing};
use quadra_quasar_hir::op1::Op1;
use quadra_quasar_hir::types::IntKind;

fn integer(op: Op1, x: i64, wide: bool, mode: Mode) -> Res<i64> {
    let y = match op {
        Op1::Abs => x.checked_abs(),
        Op1::Neg => x.checked_neg(),
        Op1::Sign => Some(x.signum()),
        Op1::Frac => Some(0),
        Op1::BitNot => Some(!x),
        _ => Some(x),
    };
    match y {
        Some(y) if wide || i32::try_from(y).is_ok() => Ok(y),
        _ if mode.device => Ok(x),
        _ => fault!("Q0327", "integer overflow in {op:?} of {x}"; "use a scalar: write a decimal point"),
    }
}

/// The result for a plain number.
#[inline]
pub fn fast(op: Op1, v: &Value) -> Option<Value> {
    match v {
        Value::F32(x) if !op.is_test() => Some(Value::F32(float32(op, *x))),
        Value::F64(x) if !op.is_test() => Some(Value::F64(float64(op, *x))),
        Value::Int(x) if matches!(op, Op1::Floor | Op1::Ceil | Op1::Round | Op1::Fix) => Some(Value::Int(*x)),
        _ => None,
    }
}

/// Applies the function to a number, an array, or the elements of a cell.
pub fn map(op: Op1, v: &Value, mode: Mode) -> Res<Value> {
    if let Some(v) = fast(op, v) {
        return Ok(v);
    }
    match v {
        Value::Array(t) if is_cell(v) => {
            let _level = Level::enter()?;
            if !memory::fits(64) {
                return Err(Fault::new("Q0310", "out of memory: a function on cells"));
            }
            let items: Res<Vec<Value>> = (0..t.len())
                .map(|i| match t.get(i).unwrap_or_default() {
                    Value::Unset => Ok(Value::Unset),
                    item => map(op, &item, mode),
                })
                .collect();
            Ok(Value::array(Tensor::new(t.shape.clone(), Data::Cell(items?))))
        }
        Value::Array(t) => {
            let data = map_data(op, &t.data.borrow(), mode)?;
            Ok(Value::array(Tensor::new(t.shape.clone(), data)))
        }
        v if v.is_number() => scalar(op, v, mode),
        v => {
            let ty = typing::type_of(v, mode.double);
            let name = op.name();
            fault!("Q0324", "'{name}' is not defined for '{ty}'"; "it works on numbers, arrays and cells of these")
        }
    }
}

fn undefined_complex(op: Op1) -> Box<Fault> {
    Fault::new("Q0325", format!("'{}' is not defined for complex numbers", op.name()))
        .help("use it on real(z), imag(z) or abs(z)")
}

fn scalar(op: Op1, v: &Value, mode: Mode) -> Res<Value> {
    let kind = Kind::of(v).unwrap_or(Kind::F64);
    if kind >= Kind::C32 {
        let z = complex(op, v.as_complex().unwrap_or_default()).ok_or_else(|| undefined_complex(op))?;
        let double = kind == Kind::C64;
        return Ok(match op {
            _ if op.is_test() => Value::Int(z[0] as i32),
            _ if op.gives_real() => Value::scalar(z[0], double),
            _ => Value::complex(z[0], z[1], double),
        });
    }
    let x = v.as_f64().unwrap_or(f64::NAN);
    if op.is_test() {
        return Ok(Value::Int(float64(op, x) as i32));
    }
    if kind.is_int() && op.keeps_int() {
        let y = integer(op, v.as_index().unwrap_or(0), kind == Kind::Wide, mode)?;
        return Ok(match v {
            Value::IntN(k @ (IntKind::I64 | IntKind::U64), _) => Value::IntN(*k, y),
            _ => i32::try_from(y).map_or(Value::IntN(IntKind::I64, y), Value::Int),
        });
    }
    Ok(match kind {
        Kind::F16 => Value::F16(round_half(float32(op, x as f32))),
        _ => Value::scalar(float64(op, x), mode.double),
    })
}

fn map_data(op: Op1, data: &Data, mode: Mode) -> Res<Data> {
    let quick = match data {
        Data::C32(v) => exact::of_complex(op, v),
        data if op.is_test() => exact::tested(op, data),
        _ => None,
    };
    if let Some(data) = quick {
        return Ok(data);
    }
    let kind = Kind::of_data(data).unwrap_or(Kind::F64);
    if kind >= Kind::C32 {
        let double = kind == Kind::C64;
        let values: Option<Vec<[f64; 2]>> = to_c64(data).into_iter().map(|z| complex(op, z)).collect();
        let values = values.ok_or_else(|| undefined_complex(op))?;
        return Ok(match op {
            _ if op.is_test() => Data::Mask(values.into_iter().map(|z| z[0] as u8).collect()),
            _ if op.gives_real() => real_data(values.into_iter().map(|z| z[0]).collect(), double),
            _ => complex_data(values, double),
        });
    }
    if op.is_test() {
        return Ok(Data::Mask(to_f64(data).iter().map(|x| float64(op, *x) as u8).collect()));
    }
    if kind.is_int() && op.keeps_int() {
        let values: Vec<i64> =
            to_i64(data).into_iter().map(|x| integer(op, x, kind == Kind::Wide, mode)).collect::<Res<_>>()?;
        return Ok(match kind {
            Kind::Wide => Data::I64(values),
            _ => Data::Int(values.into_iter().map(|x| x as i32).collect()),
        });
    }
    Ok(match data {
        Data::F32(v) => Data::F32(bulk::map(op, v)),
        Data::F16(v) => Data::F16(v.iter().map(|x| round_half(float32(op, *x))).collect()),
        Data::F64(v) => Data::F64(bulk::map(op, v)),
        other => real_data(to_f64(other).iter().map(|x| float64(op, *x)).collect(), mode.double),
    })
}

/// `-x`.
pub fn negate(v: &Value, mode: Mode) -> Res<Value> {
    map(Op1::Neg, v, mode)
}

/// `!x`.
pub fn not(v: &Value, mode: Mode) -> Res<Value> {
    map(Op1::Not, v, mode)
}
