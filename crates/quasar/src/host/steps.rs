//! What the instructions do beyond their fast cases.

use super::arith::{self, Kind};
use super::code::{Capture, Code, Op, Reg};
use super::cx::{Cx, undefined};
use super::fault::{Fault, Res, fault};
use super::lib::{self, Site};
use super::scalar_ops::Op2;
use super::tensor::Tensor;
use super::value::{Callable, Closure, Instance, RangeValue, Value};
use super::{display, index, literal, object, typing};
use crate::sema::types::{Access, Fit, IntKind, Type};
use crate::syntax::ast::Text;
use quadra_base::{Diagnostic, Span};
use std::rc::Rc;

/// The value of a variable that has none: a function or constant of that name, or an error.
#[cold]
pub fn unset_variable(name: &Text, cx: &Cx) -> Res<Value> {
    cx.lookup(name).ok_or_else(|| undefined(name, cx))
}

/// The error for a register without value.
fn need(code: &Code, regs: &[Value], reg: Reg, cx: &Cx) -> Res<()> {
    if !matches!(regs[reg as usize], Value::Unset) {
        return Ok(());
    }
    match code.variables.iter().find(|(_, r)| *r == reg) {
        Some((name, _)) => Err(undefined(name, cx)),
        None => Ok(()),
    }
}

/// Results for two numbers of equal kind.
#[inline]
pub fn fast_binary(op: Op2, a: &Value, b: &Value) -> Option<Value> {
    macro_rules! floats {
        ($x:expr, $y:expr, $wrap:path) => {
            match op {
                Op2::Add => $wrap($x + $y),
                Op2::Sub => $wrap($x - $y),
                Op2::Mul => $wrap($x * $y),
                Op2::Div => $wrap($x / $y),
                Op2::Lt => Value::bool($x < $y),
                Op2::Le => Value::bool($x <= $y),
                Op2::Gt => Value::bool($x > $y),
                Op2::Ge => Value::bool($x >= $y),
                Op2::Eq => Value::bool($x == $y),
                Op2::Ne => Value::bool($x != $y),
                _ => return None,
            }
        };
    }
    Some(match (a, b) {
        (Value::Int(x), Value::Int(y)) => match op {
            Op2::Lt => Value::bool(x < y),
            Op2::Le => Value::bool(x <= y),
            Op2::Gt => Value::bool(x > y),
            Op2::Ge => Value::bool(x >= y),
            Op2::Eq => Value::bool(x == y),
            Op2::Ne => Value::bool(x != y),
            _ => return None,
        },
        (Value::F32(x), Value::F32(y)) => floats!(*x, *y, Value::F32),
        (Value::F64(x), Value::F64(y)) => floats!(*x, *y, Value::F64),
        (Value::F32(x), Value::Int(y)) => floats!(*x, *y as f32, Value::F32),
        (Value::Int(x), Value::F32(y)) => floats!(*x as f32, *y, Value::F32),
        _ => return None,
    })
}

/// `v op= e` where `v` keeps its kind.
#[inline]
pub fn fast_compound(op: Op2, a: &Value, b: &Value) -> Option<Value> {
    match (a, b) {
        (Value::F32(x), Value::F32(y)) => match op {
            Op2::Add => Some(Value::F32(x + y)),
            Op2::Sub => Some(Value::F32(x - y)),
            Op2::Mul => Some(Value::F32(x * y)),
            Op2::Div => Some(Value::F32(x / y)),
            _ => None,
        },
        (Value::Int(x), Value::Int(y)) => match op {
            Op2::Add => x.checked_add(*y).map(Value::Int),
            Op2::Sub => x.checked_sub(*y).map(Value::Int),
            Op2::Mul => x.checked_mul(*y).map(Value::Int),
            _ => None,
        },
        (Value::F64(x), Value::F64(y)) => match op {
            Op2::Add => Some(Value::F64(x + y)),
            Op2::Sub => Some(Value::F64(x - y)),
            Op2::Mul => Some(Value::F64(x * y)),
            Op2::Div => Some(Value::F64(x / y)),
            _ => None,
        },
        _ => None,
    }
}

fn mode_of(code: &Code, cx: &Cx) -> arith::Mode {
    arith::Mode { device: code.kind != crate::syntax::ast::FunctionKind::Host, ..cx.mode }
}

/// An operator on any two values. `matrix`: `*`, `/` and `^` have their matrix meaning.
pub fn operate(op: Op2, matrix: bool, a: &Value, b: &Value, mode: arith::Mode) -> Res<Value> {
    match op {
        Op2::Eq | Op2::Ne => {
            if let Some(equal) = object::equal(a, b) {
                return Ok(Value::bool(equal == (op == Op2::Eq)));
            }
        }
        Op2::Add if matches!(a, Value::Str(_)) || matches!(b, Value::Str(_)) => {
            if !matches!(a, Value::Unset) && !matches!(b, Value::Unset) {
                return Ok(Value::str(&(display::value(a) + &display::value(b))));
            }
        }
        _ => {}
    }
    if matrix && matches!(op, Op2::Mul | Op2::Div | Op2::Pow) {
        return super::lib::linalg::matrix_operator(op, a, b, mode);
    }
    arith::binary(op, a, b, mode)
}

#[cold]
#[inline(never)]
pub fn binary(op: Op2, matrix: bool, code: &Code, regs: &[Value], a: Reg, b: Reg, cx: &mut Cx) -> Res<Value> {
    need(code, regs, a, cx)?;
    need(code, regs, b, cx)?;
    operate(op, matrix, &regs[a as usize], &regs[b as usize], mode_of(code, cx))
}

#[cold]
#[inline(never)]
pub fn binary_const(op: Op2, code: &Code, regs: &[Value], a: Reg, k: u16, cx: &mut Cx) -> Res<Value> {
    need(code, regs, a, cx)?;
    operate(op, true, &regs[a as usize], &code.consts[k as usize], mode_of(code, cx))
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
            let ints = |t: &Tensor| t.data.borrow().int_kind().is_some();
            match (ints(x), Kind::of_data(&y.data.borrow())) {
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
        0 => fault!("Q0380", "condition must be a scalar, not a '{ty}'"; "use any(x) or all(x)"),
        1 => fault!("Q0381", "operand of '&&' must be a scalar, not a '{ty}'"; "for arrays use .* or all(x)"),
        _ => fault!("Q0381", "operand of '||' must be a scalar, not a '{ty}'"; "for arrays use max(x,y) or any(x)"),
    }
}

/// Item `k` of a loop over `start`, `step` or over an array.
pub fn loop_item(start: &Value, step: &Value, k: i64) -> Value {
    match (start, step) {
        (Value::F32(a), s) => Value::F32((f64::from(*a) + k as f64 * s.as_f64().unwrap_or(1.0)) as f32),
        (Value::F64(a), s) => Value::F64(a + k as f64 * s.as_f64().unwrap_or(1.0)),
        (Value::Array(t), _) => t.get(k as usize).unwrap_or_default(),
        (a, s) => {
            let v = a.as_index().unwrap_or(0) + k * s.as_index().unwrap_or(1);
            i32::try_from(v).map_or(Value::IntN(IntKind::I64, v), Value::Int)
        }
    }
}

/// Sets up `for v = from..step..to`.
pub fn for_range(regs: &mut [Value], state: Reg, a: Reg, cx: &Cx) -> Res<()> {
    let (from, step, to) = (&regs[a as usize], &regs[a as usize + 1], &regs[a as usize + 2]);
    let r = literal::range(from, step, to)?;
    let (start, step) = if r.integral {
        (int_or_wide(r.start as i64), int_or_wide(r.step as i64))
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

fn int_or_wide(v: i64) -> Value {
    i32::try_from(v).map_or(Value::IntN(IntKind::I64, v), Value::Int)
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

fn base_name(code: &Code, name: u16) -> &str {
    code.names.get(name as usize).map_or("", |n| n)
}

/// `a[i…]` with `n` indices from register `first`.
#[allow(clippy::too_many_arguments)]
pub fn index(
    code: &Code,
    regs: &[Value],
    a: Reg,
    first: Reg,
    n: usize,
    access: Access,
    name: u16,
    cx: &Cx,
) -> Res<Value> {
    need(code, regs, a, cx)?;
    for k in 0..n {
        need(code, regs, first + k as Reg, cx)?;
    }
    index_with(&regs[a as usize], &regs[first as usize..first as usize + n], access, base_name(code, name), cx)
}

pub fn index2(
    code: &Code,
    regs: &[Value],
    a: Reg,
    (i, j): (Reg, Reg),
    access: Access,
    name: u16,
    cx: &Cx,
) -> Res<Value> {
    for reg in [a, i, j] {
        need(code, regs, reg, cx)?;
    }
    let indices = [regs[i as usize].clone(), regs[j as usize].clone()];
    index_with(&regs[a as usize], &indices, access, base_name(code, name), cx)
}

fn index_with(base: &Value, indices: &[Value], access: Access, name: &str, cx: &Cx) -> Res<Value> {
    match base {
        Value::Array(t) => index::read(t, indices, access, name),
        Value::Str(s) => index::read_text(s, indices),
        Value::Unset => fault!("Q0323", "an element of the cell was never set"; "assign it first"),
        Value::Null => fault!("Q0355", "an index into a null pointer"; "compare with nullptr first"),
        other => {
            let ty = typing::type_of(other, cx.mode.double);
            let what = if name.is_empty() { format!("a '{ty}'") } else { format!("'{name}', a '{ty}',") };
            let help = if matches!(other, Value::Function(_)) {
                "call functions with parentheses"
            } else {
                "only arrays, cells and strings have elements"
            };
            fault!("Q0346", "{what} cannot be indexed"; help)
        }
    }
}

/// The operands of an element assignment.
pub struct Target {
    pub a: Reg,
    pub first: Reg,
    pub n: u8,
    pub value: Reg,
    pub access: Access,
    pub name: u16,
}

/// `a[…] = value`.
pub fn set_index(code: &Code, regs: &[Value], t: Target, span: Span, cx: &mut Cx) -> Res<()> {
    need(code, regs, t.a, cx)?;
    need(code, regs, t.value, cx)?;
    for k in 0..t.n {
        need(code, regs, t.first + Reg::from(k), cx)?;
    }
    let indices = &regs[t.first as usize..t.first as usize + t.n as usize];
    set_with(&regs[t.a as usize], indices, &regs[t.value as usize], t.access, base_name(code, t.name), span, cx)
}

fn set_with(
    base: &Value,
    indices: &[Value],
    value: &Value,
    access: Access,
    name: &str,
    span: Span,
    cx: &mut Cx,
) -> Res<()> {
    let Value::Array(t) = base else {
        if matches!(base, Value::Str(_)) {
            fault!("Q0347", "strings cannot be changed"; "build a new one: s[0..2] + \"x\"");
        }
        index_with(base, indices, access, name, cx)?;
        return Ok(());
    };
    if index::write(t, indices, value, access, name, cx.mode.double)? {
        cx.warn_int(span, name);
    }
    Ok(())
}

/// The values a `Spec` names, spread where it says so, and the named ones.
pub fn arguments(code: &Code, regs: &[Value], spec: u16) -> Res<(Vec<Value>, Vec<(Text, Value)>)> {
    let (mut args, mut named) = (Vec::new(), Vec::new());
    for (reg, spread, name) in &code.specs[spec as usize].items {
        let v = regs[*reg as usize].clone();
        match (name, spread, &v) {
            (Some(name), _, _) => named.push((name.clone(), v)),
            (None, true, Value::Array(t)) => args.extend((0..t.len()).filter_map(|i| t.get(i))),
            (None, true, Value::Range(r)) => args.extend(index::range_items(r).into_iter().map(int_or_wide)),
            (None, true, v) if v.is_number() => args.push(v.clone()),
            (None, true, _) => {
                fault!("Q0383", "'...' needs a vector or a cell"; "it spreads the elements of its operand")
            }
            _ => args.push(v),
        }
    }
    Ok((args, named))
}

type CallParts = (Value, Vec<Value>, Vec<(Text, Value)>);

/// `object.name(…)`: the function in the field, or a function whose first parameter is `self`.
pub fn method(code: &Code, regs: &[Value], f: Reg, spec: u16, name: u16, cx: &Cx) -> Res<CallParts> {
    let (mut args, named) = arguments(code, regs, spec)?;
    let object = regs[f as usize].clone();
    let name = &code.names[name as usize];
    if let Value::Object(o) = &object
        && let Some(v) = o.get(name)
    {
        return Ok((v, args, named));
    }
    if cx.shared.methods.contains(name)
        && let Some(function) = cx.lookup(name)
    {
        args.insert(0, object);
        return Ok((function, args, named));
    }
    object::get_field(&object, name).map(|v| (v, args, named))
}

/// Like [`method`], where a variable in `a` may hold the function; the object stands first in `spec`.
pub fn method_local(code: &Code, regs: &[Value], (f, a): (Reg, Reg), spec: u16, name: u16, cx: &Cx) -> Res<CallParts> {
    let (mut args, named) = arguments(code, regs, spec)?;
    let object = regs[f as usize].clone();
    let name = &code.names[name as usize];
    if let Value::Object(o) = &object
        && let Some(v) = o.get(name)
    {
        args.remove(0);
        return Ok((v, args, named));
    }
    let local = regs[a as usize].clone();
    let is_method = matches!(&local, Value::Function(f) if matches!(&**f, Callable::Closure(c) if c.code.method));
    if is_method {
        return Ok((local, args, named));
    }
    if cx.shared.methods.contains(name)
        && let Some(function) = cx.lookup(name)
    {
        return Ok((function, args, named));
    }
    args.remove(0);
    object::get_field(&object, name).map(|v| (v, args, named))
}

/// The object that `catch ex` binds.
pub fn error_value(fault: &Fault, cx: &Cx) -> Value {
    let line = fault.span.map_or(0, |s| s.line);
    let fields: Vec<(Text, Value)> =
        vec![("message".into(), Value::str(&fault.message)), ("line".into(), Value::Int(line as i32))];
    let _ = cx;
    Value::Object(Rc::new(Instance::new(None, fields)))
}

/// Barriers and fences belong into kernels.
pub fn check_barrier(scope: u8, cx: &Cx) -> Res<()> {
    if cx.launch.is_some() {
        return Ok(());
    }
    let word = if scope < 8 { "syncthreads" } else { "memfence" };
    fault!("Q0408", "{word} is only allowed in kernel and device functions"; "remove it: host code runs in order")
}

/// Calls a built-in function on registers.
#[allow(clippy::too_many_arguments)]
pub fn builtin(id: u16, regs: &mut [Value], first: Reg, n: u8, outs: u8, d: Reg, site: Site, cx: &mut Cx) -> Res<()> {
    let args = &regs[first as usize..first as usize + n as usize];
    if let Some(v) = lib::fast(id as usize, args, cx) {
        regs[d as usize] = v;
        return Ok(());
    }
    let results = lib::call(id as usize, args, outs as usize, Some(site), cx)?;
    let n = results.len();
    for (k, v) in results.into_iter().take(usize::from(outs).max(1)).enumerate() {
        regs[d as usize + k] = v;
    }
    if n < usize::from(outs) {
        let name = lib::table()[id as usize].name;
        match n {
            0 => fault!("Q0305", "'{name}' has no output to use as a value"; "call it on a line of its own"),
            _ => fault!("Q0305", "'{name}' has {n} outputs, {outs} requested"; "assign fewer variables"),
        }
    }
    Ok(())
}

/// The value a lambda returns.
pub fn lambda_result(code: &Code, regs: &mut [Value], a: Reg, cx: &Cx) -> Res<Value> {
    let v = std::mem::take(&mut regs[a as usize]);
    if matches!(v, Value::Unset)
        && let Some((name, _)) = code.variables.iter().find(|(_, r)| *r == a)
    {
        return unset_variable(name, cx);
    }
    Ok(v)
}

fn capture(code: &Code, callable: &Rc<Callable>, regs: &[Value], inner: &Rc<Code>) -> Closure {
    let _ = code;
    let captures = inner
        .captures
        .iter()
        .map(|(_, source)| match source {
            Capture::Register(reg) => regs[*reg as usize].clone(),
            Capture::Itself => Value::Function(callable.clone()),
            Capture::Missing => Value::Unset,
        })
        .collect();
    Closure { code: inner.clone(), captures }
}

fn generic_type(code: &Code, regs: &[Value], ty: u16) -> Type {
    let ty = &code.types[ty as usize];
    if !ty.is_generic() {
        return ty.clone();
    }
    typing::substitute(ty, &|name| {
        code.generics.iter().find(|(n, _)| &**n == name).map(|(_, reg)| regs[*reg as usize].clone())
    })
}

fn store_typed(code: &Code, regs: &mut [Value], d: Reg, a: Reg, ty: u16, span: Span, cx: &mut Cx) -> Res<()> {
    need(code, regs, a, cx)?;
    let ty = generic_type(code, regs, ty);
    let v = &regs[a as usize];
    let double = cx.mode.double;
    if let Some(name) = ty.unknown_name() {
        fault!("Q0220", "unknown type '{name}'"; "define it with 'type', or correct its name");
    }
    let value = match (v, &ty) {
        (v, Type::Int(..)) if v.is_float() => {
            let name = code.variables.iter().find(|(_, r)| *r == d).map_or("", |(n, _)| n);
            cx.warn_int(span, name);
            typing::convert(v, &ty, double)?
        }
        // A literal has no shape of its own yet: [1,2,3] may become any element type that holds its numbers.
        _ => match typing::admit(v, &ty, double, false)? {
            Some(v) => v,
            None => {
                let have = typing::type_of(v, double);
                fault!("Q0312", "Type check failed: '{have}' is not '{ty}'"; "convert the value, or declare the variable with another type")
            }
        },
    };
    regs[d as usize] = value;
    Ok(())
}

/// The instructions that are not worth a place in the machine's loop.
pub fn other(op: Op, code: &Rc<Code>, callable: &Rc<Callable>, regs: &mut [Value], span: Span, cx: &mut Cx) -> Res<()> {
    let value = match op {
        Op::ConstArray { k, .. } => match &code.consts[k as usize] {
            Value::Array(t) => Value::array(t.duplicate()),
            v => v.clone(),
        },
        Op::Global { name, .. } => unset_variable(&code.names[name as usize], cx)?,
        Op::Function { id, .. } => match cx.function(id as usize) {
            Some(f) => f,
            None => fault!("Q0302", "the function is not defined yet"; "move its definition before the call"),
        },
        Op::Itself { .. } => Value::Function(callable.clone()),
        Op::Unset { .. } => Value::Unset,
        Op::Neg { a, .. } => {
            need(code, regs, a, cx)?;
            lib::math::negate(&regs[a as usize], mode_of(code, cx))?
        }
        Op::Not { a, .. } => {
            need(code, regs, a, cx)?;
            lib::math::not(&regs[a as usize], mode_of(code, cx))?
        }
        Op::Exponent { a, .. } => {
            need(code, regs, a, cx)?;
            match &regs[a as usize] {
                v if v.is_integer() => Value::scalar(v.as_f64().unwrap_or(0.0), cx.mode.double),
                v => v.clone(),
            }
        }
        Op::Truth { a, what, .. } => Value::bool(truth(code, regs, a, what, cx)?),
        Op::Range { a, index, .. } => {
            let (from, step, to) = (&regs[a as usize], &regs[a as usize + 1], &regs[a as usize + 2]);
            let r: RangeValue = literal::range(from, step, to)?;
            if index { Value::Range(Rc::new(r)) } else { literal::range_array(&r, mode_of(code, cx))? }
        }
        Op::IndexN { access, a, first, n, name, .. } => index(code, regs, a, first, n as usize, access, name, cx)?,
        Op::IndexSpread { access, a, spec, name, .. } => {
            need(code, regs, a, cx)?;
            let (indices, _) = arguments(code, regs, spec)?;
            index_with(&regs[a as usize], &indices, access, base_name(code, name), cx)?
        }
        Op::Field { a, name, .. } => {
            need(code, regs, a, cx)?;
            object::get_field(&regs[a as usize], &code.names[name as usize])?
        }
        Op::Array { first, n, .. } => {
            literal::array(&regs[first as usize..first as usize + n as usize], mode_of(code, cx))?
        }
        Op::Cell { first, n, .. } => {
            let items = regs[first as usize..first as usize + n as usize].to_vec();
            Value::array(match n {
                0 => Tensor::new(super::tensor::normal_shape(&[0, 0]), super::tensor::Data::Cell(items)),
                _ => Tensor::vector(super::tensor::Data::Cell(items)),
            })
        }
        Op::ArraySpread { spec, .. } => {
            let (items, _) = arguments(code, regs, spec)?;
            literal::array(&items, mode_of(code, cx))?
        }
        Op::Closure { index, .. } => {
            let closure = capture(code, callable, regs, &code.functions[index as usize]);
            Value::Function(Rc::new(Callable::Closure(closure)))
        }
        Op::TypeValue { ty, .. } => Value::Type(Rc::new(generic_type(code, regs, ty))),
        Op::Check { a, ty, .. } => {
            need(code, regs, a, cx)?;
            check_type(&regs[a as usize], &generic_type(code, regs, ty), cx)?
        }
        Op::Default { ty, .. } => {
            let ty = generic_type(code, regs, ty);
            if let Some(name) = ty.unknown_name() {
                fault!("Q0220", "unknown type '{name}'"; "define it with 'type', or correct its name");
            }
            object::default_value(&ty, cx.mode.double, 0)?.unwrap_or_default()
        }
        Op::Equal { a, b, .. } => {
            need(code, regs, b, cx)?;
            Value::bool(matches_pattern(&regs[a as usize], &regs[b as usize], cx)?)
        }
        effect => return self::effect(effect, code, callable, regs, span, cx),
    };
    if let Some(d) = super::code::result_register(&op) {
        regs[d as usize] = value;
    }
    Ok(())
}

fn check_type(v: &Value, ty: &Type, cx: &Cx) -> Res<Value> {
    if let Some(name) = ty.unknown_name() {
        fault!("Q0220", "unknown type '{name}'"; "define it with 'type', or correct its name");
    }
    if typing::belongs(v, ty, cx.mode.double) {
        return Ok(v.clone());
    }
    let have = typing::type_of(v, cx.mode.double);
    fault!("Q0312", "Type check failed: '{have}' is not '{ty}'"; "convert the value, or correct the type")
}

fn matches_pattern(v: &Value, pattern: &Value, cx: &Cx) -> Res<bool> {
    if let Some(equal) = object::equal(v, pattern) {
        return Ok(equal);
    }
    let same = arith::binary(Op2::Eq, v, pattern, cx.mode);
    Ok(match same {
        Ok(Value::Array(t)) => {
            let all = (0..t.len()).all(|i| t.get(i).and_then(|v| v.as_f64()).is_some_and(|x| x != 0.0));
            all && !t.is_empty()
        }
        Ok(v) => v.as_f64().is_some_and(|x| x != 0.0),
        Err(_) => false,
    })
}

/// Instructions that give no value.
fn effect(op: Op, code: &Rc<Code>, callable: &Rc<Callable>, regs: &mut [Value], span: Span, cx: &mut Cx) -> Res<()> {
    match op {
        Op::StoreTyped { d, a, ty } => store_typed(code, regs, d, a, ty, span, cx),
        Op::StoreKeep { d, a, name } => {
            need(code, regs, a, cx)?;
            let new = regs[a as usize].clone();
            let name = code.names[name as usize].clone();
            let v = keep_type(&regs[d as usize], &new, &name, span, cx)?;
            regs[d as usize] = v;
            Ok(())
        }
        Op::SetIndexSpread { access, a, spec, value, name } => {
            need(code, regs, a, cx)?;
            let (indices, _) = arguments(code, regs, spec)?;
            set_with(&regs[a as usize], &indices, &regs[value as usize], access, base_name(code, name), span, cx)
        }
        Op::SetField { a, name, value } => {
            need(code, regs, a, cx)?;
            need(code, regs, value, cx)?;
            let v = regs[value as usize].clone();
            object::set_field(&regs[a as usize], &code.names[name as usize], v, cx.mode.double)
        }
        Op::DeclareField { a, name, ty } => {
            need(code, regs, a, cx)?;
            let ty = generic_type(code, regs, ty);
            if let Value::Object(o) = &regs[a as usize]
                && o.class.is_none()
            {
                let name = code.names[name as usize].clone();
                if o.get(&name).is_none()
                    && let Some(v) = object::default_value(&ty, cx.mode.double, 0)?
                {
                    o.set(&name, v);
                }
                o.types.borrow_mut().push((name, ty));
            }
            Ok(())
        }
        Op::Publish => {
            cx.globals.clear();
            for (name, reg) in &code.variables {
                if !matches!(regs[*reg as usize], Value::Unset) {
                    cx.globals.push((name.clone(), regs[*reg as usize].clone()));
                }
            }
            Ok(())
        }
        Op::Define { index } => {
            let inner = &code.functions[index as usize];
            let closure = capture(code, callable, regs, inner);
            cx.define(&inner.name.clone(), Rc::new(Callable::Closure(closure)));
            Ok(())
        }
        Op::CheckParam { param } => {
            let info = &code.params[param as usize];
            if let Some(ty) = &info.ty {
                let v = regs[param as usize].clone();
                regs[param as usize] = super::call::check(code, info, ty, &v, &mut Vec::new(), cx)?;
            }
            Ok(())
        }
        Op::Command { what, first, n } => {
            let args = regs[first as usize..first as usize + n as usize].to_vec();
            command(what, &args, span, cx)
        }
        Op::CommandSpread { what, spec } => {
            let (args, _) = arguments(code, regs, spec)?;
            command(what, &args, span, cx)
        }
        Op::Split { d, a, n } => {
            need(code, regs, a, cx)?;
            let values = split(&regs[a as usize], n as usize)?;
            for (k, v) in values.into_iter().enumerate() {
                regs[d as usize + k] = v;
            }
            Ok(())
        }
        Op::Fail { message } => Err(Fault::new("Q0313", display::value(&code.consts[message as usize]))
            .help("both sides of the assignment need the same number of items")),
        _ => Ok(()),
    }
}

fn split(v: &Value, n: usize) -> Res<Vec<Value>> {
    let count = match v {
        Value::Array(t) => t.len(),
        _ => 1,
    };
    if count != n {
        fault!("Q0313", "{count} values are assigned to {n} variables"; "use '_' for values that are not needed");
    }
    Ok(match v {
        Value::Array(t) => (0..n).map(|i| t.get(i).unwrap_or_default()).collect(),
        v => vec![v.clone()],
    })
}

/// `print`, `printf`, `error` and `warning` as commands and calls.
pub fn command(what: u8, args: &[Value], span: Span, cx: &mut Cx) -> Res<()> {
    let text = match what {
        1 => lib::string::format_values(args)?,
        _ => args.iter().map(printed).collect::<Vec<_>>().concat(),
    };
    match what {
        0 => lib::io::write(cx, &(text + "\n")),
        1 => lib::io::write(cx, &text),
        2 => Err(Fault::new("Q0300", text).help("raised by 'error': catch it with try … catch")),
        _ => {
            cx.warn(Diagnostic::warning("Q0361", text).at(span));
            Ok(())
        }
    }
}

/// The text of a value in `print`; an error that was caught prints its message.
fn printed(v: &Value) -> String {
    if let Value::Object(o) = v
        && o.class.is_none()
        && let (Some(message), Some(_), 2) = (o.get("message"), o.get("line"), o.fields.borrow().len())
    {
        return display::value(&message);
    }
    display::value(v)
}
