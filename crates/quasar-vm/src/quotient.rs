//! Quotients of integers that are rounded at once, `int(a/b)`, `floor(a/b)` and the like: `scalar` has 24 bits, which a quotient
//! of integers of 32 bits does not fit in, so that rounding it afterwards would be too late.

use super::arith::{self, Kind, Mode};
use super::builtins::math;
use super::builtins::meaning;
use super::fault::{Fault, Res};
use super::tensor::{Data, Tensor};
use super::typing;
use super::value::Value;
use quadra_quasar_hir::meaning::Meaning;
use quadra_quasar_hir::op1::Op1;
use quadra_quasar_hir::op2::Op2;
use quadra_quasar_hir::types::{Precision, Type};
use quadra_quasar_syntax::ast::{Arg, BinaryOp, Expr, ExprKind};

/// The direction of rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    Fix,
    Floor,
    Ceil,
    Nearest,
}

impl Round {
    const ALL: [Round; 4] = [Round::Fix, Round::Floor, Round::Ceil, Round::Nearest];

    fn of(function: &str) -> Option<Round> {
        let Meaning::Map(op) = meaning(function) else { return None };
        Round::ALL.into_iter().find(|r| r.op() == op)
    }

    pub fn op(self) -> Op1 {
        match self {
            Round::Fix => Op1::Fix,
            Round::Floor => Op1::Floor,
            Round::Ceil => Op1::Ceil,
            Round::Nearest => Op1::Round,
        }
    }
}

/// A rounded quotient in the text of a program.
#[derive(Clone, Copy)]
pub struct Quotient<'e> {
    pub round: Round,
    /// The result is an integer.
    pub whole: bool,
    /// The quotient, `a / b` or `a ./ b`.
    pub quotient: &'e Expr,
    pub a: &'e Expr,
    pub b: &'e Expr,
}

/// A call of `int`, `floor`, `ceil`, `round` or `fix` on a quotient, or of `int` on such a call. `builtin` says whether a name
/// stands for the function of the language.
pub fn quotient<'e>(callee: &Expr, args: &'e [Arg], builtin: &mut dyn FnMut(&str) -> bool) -> Option<Quotient<'e>> {
    let ([Arg { value, name: None, .. }], ExprKind::Name(f)) = (args, &callee.kind) else { return None };
    let whole = &**f == "int";
    let round = if whole { Round::Fix } else { Round::of(f)? };
    if !builtin(f) {
        return None;
    }
    match &value.kind {
        ExprKind::Binary(BinaryOp::Div | BinaryOp::ElemDiv, a, b) => {
            Some(Quotient { round, whole, quotient: value, a, b })
        }
        ExprKind::Call { callee, args } if whole => {
            let inner = quotient(callee, args, builtin).filter(|q| !q.whole)?;
            Some(Quotient { whole, ..inner })
        }
        _ => None,
    }
}

/// An exact integer.
fn integer(v: &Value) -> Option<i128> {
    if v.is_integer() { typing::exact(v) } else { None }
}

/// `a / b` rounded to an integer.
pub fn divided(a: i128, b: i128, round: Round) -> i128 {
    let (q, r) = (a / b, a % b);
    let same = (r < 0) == (b < 0);
    match round {
        Round::Floor if r != 0 && !same => q - 1,
        Round::Ceil if r != 0 && same => q + 1,
        Round::Nearest if 2 * r.abs() >= b.abs() => q + if same { 1 } else { -1 },
        _ => q,
    }
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
    let rounded = math::map(round.op(), &quotient, Mode { double: true, ..mode })?;
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

/// `idivide(a,b[,how])`: the quotient of integers as an integer.
pub fn idivide(call: &mut super::builtins::Call) -> Res<Value> {
    let round = match call.args.len() {
        2 => Round::Fix,
        _ => Round::of(call.text(2)?).ok_or_else(|| call.wrong(2, "\"fix\", \"floor\", \"ceil\" or \"round\""))?,
    };
    let mode = call.mode();
    let whole = |i: usize| typing::whole_numbers(&call.args[i])?.ok_or_else(|| call.wrong(i, "whole numbers"));
    let (x, y) = (whole(0)?, whole(1)?);
    let zero = |v: &Value| match v {
        Value::Array(t) => (0..t.len()).any(|i| t.get(i).and_then(|v| v.as_f64()) == Some(0.0)),
        v => v.as_f64() == Some(0.0),
    };
    if zero(&y) {
        return Err(Fault::new("Q0326", "idivide by the integer 0").help("check the divisor first"));
    }
    match exact(&x, &y, round, true, mode)? {
        Some(v) => Ok(v),
        None => {
            Err(Fault::new("Q0330", "a quotient does not fit in int")
                .help("only the smallest int divided by -1 does that"))
        }
    }
}
