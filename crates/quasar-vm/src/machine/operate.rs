//! Operators and loops beyond the machine's fast cases.

use super::undefined::{left_out, undefined};
use crate::arith::{self, Kind};
use crate::builtins;
use crate::code::{Code, Reg};
use crate::cx::Cx;
use crate::fault::{Res, fault};
use crate::tensor::Tensor;
use crate::value::Value;
use crate::{display, literal, object, typing};
use quadra_base::Span;
use quadra_quasar_hir::op2::Op2;
use quadra_quasar_hir::quotient::Round;
use quadra_quasar_hir::types::{Fit, IntKind, Type};
use quadra_quasar_syntax::ast::Text;

/// The value of a variable that has none: a function or constant of that name, or an error.
#[cold]
pub fn unset_variable(name: &Text, code: &Code, cx: &Cx) -> Res<Value> {
    if let Some(fault) = left_out(name, code) {
        return Err(fault);
    }
    builtins::lookup(cx, name).ok_or_else(|| undefined(name, cx))
}

/// The error for a register without value.
pub fn need(code: &Code, regs: &[Value], reg: Reg, cx: &Cx) -> Res<()> {
    if !matches!(regs[reg as usize], Value::Unset) {
        return Ok(());
    }
    match code.variables.iter().find(|(_, r)| *r == reg) {
        Some((name, _)) => Err(left_out(name, code).unwrap_or_else(|| undefined(name, cx))),
        None => Ok(()),
    }
}

pub fn mode_of(code: &Code, cx: &Cx) -> arith::Mode {
    let device = code.kind != quadra_quasar_syntax::ast::FunctionKind::Host;
    arith::Mode { device, inttypes: cx.mode.inttypes || code.shipped, ..cx.mode }
}

/// Whether '+' joins texts: one is a string, and both have a value.
fn texts(a: &Value, b: &Value) -> bool {
    (matches!(a, Value::Str(_)) || matches!(b, Value::Str(_)))
        && !matches!(a, Value::Unset)
        && !matches!(b, Value::Unset)
}

/// An operator on any two values. `matrix`: `*`, `/` and `^` have their matrix meaning.
pub fn operate(op: Op2, matrix: bool, a: &Value, b: &Value, mode: arith::Mode) -> Res<Value> {
    match op {
        Op2::Eq | Op2::Ne => {
            if let Some(equal) = object::equal(a, b) {
                return Ok(Value::bool(equal == (op == Op2::Eq)));
            }
        }
        Op2::Add if texts(a, b) => {
            let text = display::value(a) + &display::value(b);
            if !crate::memory::fits(text.len().saturating_mul(2)) {
                fault!("Q0310", "out of memory: a string with {} bytes", text.len(); "write it out in parts");
            }
            return Ok(Value::str(&text));
        }
        _ => {}
    }
    if matrix && matches!(op, Op2::Mul | Op2::Div | Op2::Pow) {
        return builtins::linalg::matrix_operator(op, a, b, mode);
    }
    arith::binary(op, a, b, mode)
}

#[cold]
#[inline(never)]
pub fn binary(
    op: Op2,
    matrix: bool,
    code: &Code,
    regs: &mut [Value],
    (d, a, b): (Reg, Reg, Reg),
    cx: &mut Cx,
) -> Res<Value> {
    need(code, regs, a, cx)?;
    need(code, regs, b, cx)?;
    cx.glance()?;
    for (own, other, swapped) in [(a, b, false), (b, a, true)] {
        // An array that only an intermediate value, or the variable to be assigned, refers to takes the result.
        let alone = matches!(&regs[own as usize], Value::Array(t) if std::rc::Rc::strong_count(t) == 1);
        if alone && own != other && (own == d || code.is_temporary(own)) {
            let value = std::mem::take(&mut regs[own as usize]);
            match crate::bulk::onto(op, matrix, value, &regs[other as usize], swapped) {
                Ok(result) => return Ok(result),
                Err(value) => regs[own as usize] = value,
            }
        }
    }
    match method(op, matrix, &regs[a as usize], &regs[b as usize]) {
        Some((method, other)) => one(cx.call(&method, vec![other], 1)?),
        None => operate(op, matrix, &regs[a as usize], &regs[b as usize], mode_of(code, cx)),
    }
}

/// The method of an object that an operator calls, and what with: `plus`, `minus` or `mtimes`. A number may stand on the left of `*`.
fn method(op: Op2, matrix: bool, a: &Value, b: &Value) -> Option<(Value, Value)> {
    let name = match op {
        Op2::Add => "plus",
        Op2::Sub => "minus",
        Op2::Mul if matrix => "mtimes",
        _ => return None,
    };
    let (object, other) = match (a, b) {
        (Value::Object(o), other) => (o, other),
        (number, Value::Object(o)) if op == Op2::Mul && number.is_number() => (o, number),
        _ => return None,
    };
    let method = object.get(name).filter(|m| matches!(m, Value::Function(_)))?;
    Some((method, other.clone()))
}

fn one(values: Vec<Value>) -> Res<Value> {
    Ok(values.into_iter().next().unwrap_or_default())
}

#[cold]
#[inline(never)]
pub fn binary_const(op: Op2, code: &Code, regs: &[Value], a: Reg, k: u16, cx: &mut Cx) -> Res<Value> {
    need(code, regs, a, cx)?;
    let (left, right) = (&regs[a as usize], &code.consts[k as usize]);
    match method(op, true, left, right) {
        Some((method, other)) => one(cx.call(&method, vec![other], 1)?),
        None => operate(op, true, left, right, mode_of(code, cx)),
    }
}

/// `v op= e` in general: an `int` variable stays one.
#[cold]
#[inline(never)]
pub fn compound(
    op: Op2,
    matrix: bool,
    code: &Code,
    regs: &[Value],
    (a, b, name): (Reg, Reg, u16),
    span: Span,
    cx: &mut Cx,
) -> Res<Value> {
    need(code, regs, a, cx)?;
    need(code, regs, b, cx)?;
    let (old, e) = (&regs[a as usize], &regs[b as usize]);
    let mode = mode_of(code, cx);
    let name = &code.names[name as usize];
    if old.is_integer() && (e.is_float() || (e.is_integer() && op == Op2::Div)) {
        let kind = if let Value::IntN(kind, _) = old { *kind } else { IntKind::Int };
        let ty = Type::Int(kind, if mode.device { Fit::Unchecked } else { Fit::Checked });
        if e.is_float() {
            cx.warn_int(span, name);
        }
        if matches!(op, Op2::Add | Op2::Sub) {
            let e = typing::convert(e, &ty, mode.double)?;
            return operate(op, false, old, &e, mode);
        }
        if e.is_integer()
            && let Some(v) = crate::quotient::exact(old, e, Round::Fix, true, mode)?
        {
            if typing::exact(old).zip(typing::exact(e)).is_some_and(|(x, y)| x % y != 0) {
                cx.warn_int(span, name);
            }
            return typing::convert(&v, &ty, mode.double);
        }
        let result = operate(op, matrix, old, e, mode)?;
        if e.is_integer() && result.as_f64().is_some_and(|x| x != x.trunc()) {
            cx.warn_int(span, name);
        }
        return typing::convert(&result, &ty, mode.double);
    }
    let result = operate(op, matrix, old, e, mode)?;
    if mode.device {
        return keep_type(old, &result, name, span, cx);
    }
    Ok(result)
}

/// In kernel code a variable keeps its first type: int or float, also as the elements of vectors.
pub fn keep_type(old: &Value, new: &Value, name: &str, span: Span, cx: &mut Cx) -> Res<Value> {
    let double = cx.mode.double;
    Ok(match (old, new) {
        (Value::Int(_), v) if v.is_float() => {
            cx.warn_int(span, name);
            typing::convert(v, &Type::Int(IntKind::Int, Fit::Unchecked), double)?
        }
        (Value::F32(_) | Value::F64(_), Value::Int(_)) => typing::convert(new, &Type::SCALAR, double)?,
        (Value::Array(x), Value::Array(y)) if x.shape == y.shape => {
            let ints = |t: &Tensor| t.data.peek().int_kind().is_some();
            let kind = Kind::of_data(&y.data.peek());
            match (ints(x), kind) {
                (true, Some(Kind::F16 | Kind::F32 | Kind::F64)) => {
                    cx.warn_int(span, name);
                    let ty = Type::Int(IntKind::Int, Fit::Unchecked);
                    Value::Array(typing::convert_elements(y, &ty, double)?)
                }
                _ => new.clone(),
            }
        }
        _ => new.clone(),
    })
}

/// Whether a condition or an operand of `&&` and `||` holds.
pub fn truth(code: &Code, regs: &[Value], a: Reg, what: u8, cx: &Cx) -> Res<bool> {
    need(code, regs, a, cx)?;
    let v = &regs[a as usize];
    if let Some(x) = v.as_f64() {
        return Ok(x != 0.0);
    }
    if let Value::Array(t) = v
        && t.len() == 1
        && !t.is_cell()
        && let Some(x) = t.get(0).and_then(|v| v.as_f64())
    {
        return Ok(x != 0.0);
    }
    let ty = typing::type_of(v, cx.mode.double);
    match what {
        0 => {
            fault!("Q0380", "condition must be a scalar, not a '{ty}'"; "all(x) is 1 if every element is, as MATLAB's 'if' means it, any(x) if one is")
        }
        1 => fault!("Q0381", "operand of '&&' must be a scalar, not a '{ty}'"; "for arrays use .* or all(x)"),
        _ => fault!("Q0381", "operand of '||' must be a scalar, not a '{ty}'"; "for arrays use max(x,y) or any(x)"),
    }
}

/// Sets up `for v = from..step..to`.
pub fn for_range(regs: &mut [Value], state: Reg, a: Reg, cx: &Cx) -> Res<()> {
    let (from, step, to) = (&regs[a as usize], &regs[a as usize + 1], &regs[a as usize + 2]);
    let r = literal::range(from, step, to)?;
    let (start, step) = if r.integral {
        (Value::integer(r.start as i64), Value::integer(r.step as i64))
    } else {
        (Value::scalar(r.start, cx.mode.double), Value::F64(r.step))
    };
    let s = state as usize;
    // Integer items must fit, so that the machine may add without checking.
    let last = r.start + r.step * r.count as f64;
    let narrow = r.integral && last.abs() < f64::from(i32::MAX) && r.start.abs() < f64::from(i32::MAX);
    regs[s + 2] = if r.integral && !narrow { Value::IntN(IntKind::I64, r.start as i64) } else { start };
    regs[s + 3] = step;
    regs[s] = Value::Raw(0);
    regs[s + 1] = Value::Raw(r.count as i64);
    Ok(())
}

/// Sets up a loop over the elements of a vector.
pub fn for_each(code: &Code, regs: &mut [Value], state: Reg, a: Reg, cx: &Cx) -> Res<()> {
    need(code, regs, a, cx)?;
    let sequence = regs[a as usize].clone();
    let count = match &sequence {
        Value::Array(t) if t.rank() <= 1 || t.is_empty() => t.len(),
        Value::Array(t) => {
            let size = display::shape_text(&t.shape);
            fault!("Q0382", "a for loop needs a range or a vector, not an array of size {size}"; "loop over 0..size(x,0)-1 and read x[i,:]")
        }
        v if v.is_number() => 1,
        v => {
            let ty = typing::type_of(v, cx.mode.double);
            fault!("Q0382", "a for loop needs a range or a vector, not a '{ty}'"; "for i=0..n-1")
        }
    };
    // The sequence is what it is now, whatever the body does to the array.
    let sequence = match sequence {
        Value::Array(t) => Value::array(t.duplicate()),
        v => v,
    };
    let s = state as usize;
    regs[s] = Value::Raw(0);
    regs[s + 1] = Value::Raw(count as i64);
    regs[s + 2] = sequence;
    regs[s + 3] = Value::Int(0);
    Ok(())
}
