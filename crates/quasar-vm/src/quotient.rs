//! Quotients of integers that are rounded at once ([`quadra_quasar_hir::quotient`]), of numbers and of arrays.

use super::arith::{self, Kind, Mode};
use super::fault::Res;
use super::tensor::{Data, Tensor};
use super::value::Value;
use super::{typing, unary};
use quadra_quasar_hir::op2::Op2;
use quadra_quasar_hir::quotient::{Round, divided};
use quadra_quasar_hir::types::{IntKind, Precision, Type};

/// An exact integer.
fn integer(v: &Value) -> Option<i128> {
    if v.is_integer() { typing::exact(v) } else { None }
}

/// A rounded quotient of integers as one of 64 bits; nothing if it divides by 0 or does not fit.
pub fn wide(x: &Value, y: &Value, round: Round) -> Option<Value> {
    let (a, b) = (integer(x)?, integer(y).filter(|b| *b != 0)?);
    i64::try_from(divided(a, b, round)).ok().map(|q| Value::IntN(IntKind::I64, q))
}

/// A rounded quotient of integers or of arrays of them; nothing if it is none of these, divides by 0 or does not fit.
pub fn exact(x: &Value, y: &Value, round: Round, whole: bool, mode: Mode) -> Res<Option<Value>> {
    if let (Some(a), Some(b)) = (integer(x), integer(y)) {
        if b == 0 {
            return Ok(None);
        }
        let q = divided(a, b, round);
        if whole {
            return Ok(i32::try_from(q).ok().map(Value::Int));
        }
        return Ok(Some(scalar(q, mode)));
    }
    let ints = |v: &Value| match v {
        Value::Array(t) => t.data.borrow().int_kind().is_some_and(|k| k.bits() <= 32),
        v => matches!(Kind::of(v), Some(Kind::Int)),
    };
    if !(ints(x) && ints(y)) {
        return Ok(None);
    }
    // Quotients of integers of 32 bits that are no integers stay away from them by more than doubles round.
    let wide = |v: &Value| -> Res<Value> {
        match v {
            Value::Array(t) => {
                Ok(Value::Array(typing::convert_elements(t, &Type::Scalar(Precision::Double), mode.double)?))
            }
            v => Ok(Value::F64(v.as_f64().unwrap_or(0.0))),
        }
    };
    let quotient = arith::binary(Op2::Div, &wide(x)?, &wide(y)?, Mode { double: true, ..mode })?;
    let rounded = unary::map(round.op(), &quotient, Mode { double: true, ..mode })?;
    if whole {
        return typing::convert(&rounded, &Type::INT, mode.double).map(Some);
    }
    Ok(Some(match &rounded {
        Value::Array(t) => singles(t, mode).map_or(rounded.clone(), Value::array),
        v => v.clone(),
    }))
}

/// A whole number as a `scalar`; on the host one that single precision does not have is of double precision.
fn scalar(q: i128, mode: Mode) -> Value {
    let single = q as f32;
    if mode.double || !mode.device && single as i128 != q { Value::F64(q as f64) } else { Value::F32(single) }
}

/// Whole numbers in single precision, if that loses nothing.
fn singles(t: &Tensor, mode: Mode) -> Option<Tensor> {
    let data = t.data.borrow();
    let Data::F64(v) = &*data else { return None };
    let fits = |x: &f64| f64::from(*x as f32) == *x || x.is_nan();
    let narrow = !mode.double && (mode.device || v.iter().all(fits));
    narrow.then(|| Tensor::new(t.shape.clone(), Data::F32(v.iter().map(|x| *x as f32).collect())))
}
