//! Instructions that are not worth a place in the machine's loop.

use super::operate::{keep_type, mode_of, need, truth, unset_variable};
use super::reach::{arguments, base_name, index, index_with, set_with};
use super::rest;
use crate::arith;
use crate::builtins::io::command;
use crate::code::{Capture, Code, Op, Reg};
use crate::cx::Cx;
use crate::fault::{Fault, Res, fault};
use crate::tensor::Tensor;
use crate::value::{Callable, Closure, RangeValue, Value};
use crate::{display, literal, object, typing, unary};
use quadra_base::Span;
use quadra_quasar_hir::op2::Op2;
use quadra_quasar_hir::quotient::Round;
use quadra_quasar_hir::types::Type;
use std::rc::Rc;

/// The value a lambda returns.
pub fn lambda_result(code: &Code, regs: &mut [Value], a: Reg, cx: &Cx) -> Res<Value> {
    let v = std::mem::take(&mut regs[a as usize]);
    if matches!(v, Value::Unset)
        && let Some((name, _)) = code.variables.iter().find(|(_, r)| *r == a)
    {
        return unset_variable(name, code, cx);
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
                let name = code.variables.iter().find(|(_, r)| *r == d).map_or("c", |(n, _)| n);
                let elements = matches!(&ty, Type::Array { element, .. } if matches!(**element, Type::Array { .. } | Type::Class(_)));
                let help = match v {
                    Value::Array(t) if t.is_cell() && elements && t.is_vector() && !t.is_empty() => {
                        format!(
                            "the elements of {{…}} may be of any types: write {name} = {ty}({}), then {name}[0] = … and so on",
                            t.len()
                        )
                    }
                    _ => format!("convert the value, or declare '{name}' with another type"),
                };
                fault!("Q0312", "Type check failed: '{have}' is not '{ty}'"; help)
            }
        },
    };
    regs[d as usize] = value;
    Ok(())
}

/// A rounded quotient: of integers at once, of others step by step.
fn quotient(
    (round, whole, matrix): (Round, bool, bool),
    code: &Rc<Code>,
    regs: &mut [Value],
    (d, a, b): (Reg, Reg, Reg),
    cx: &mut Cx,
) -> Res<Value> {
    let mode = super::operate::mode_of(code, cx);
    if let Some(v) = crate::quotient::exact(&regs[a as usize], &regs[b as usize], round, whole, mode)? {
        return Ok(v);
    }
    let v = super::operate::binary(Op2::Div, matrix, code, regs, (d, a, b), cx)?;
    let v = match (whole, round) {
        (true, Round::Fix) => v,
        _ => unary::map(round.op(), &v, mode)?,
    };
    if whole { typing::convert(&v, &Type::INT, cx.mode.double) } else { Ok(v) }
}

/// The instructions that are not worth a place in the machine's loop.
pub fn other(op: Op, code: &Rc<Code>, callable: &Rc<Callable>, regs: &mut [Value], span: Span, cx: &mut Cx) -> Res<()> {
    let value = match op {
        Op::ConstArray { k, .. } => match &code.consts[k as usize] {
            Value::Array(t) => Value::array(t.duplicate()),
            v => v.clone(),
        },
        Op::Global { name, .. } => unset_variable(&code.names[name as usize], code, cx)?,
        Op::Function { id, .. } => match cx.function(id as usize) {
            Some(f) => f,
            None => fault!("Q0302", "the function is not defined yet"; "move its definition before the call"),
        },
        Op::Itself { .. } => Value::Function(callable.clone()),
        Op::Unset { .. } => Value::Unset,
        Op::Neg { a, .. } => {
            need(code, regs, a, cx)?;
            unary::negate(&regs[a as usize], mode_of(code, cx))?
        }
        Op::Not { a, .. } => {
            need(code, regs, a, cx)?;
            unary::not(&regs[a as usize], mode_of(code, cx))?
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
                0 => Tensor::new(crate::tensor::normal_shape(&[0, 0]), crate::tensor::Data::Cell(items)),
                _ => Tensor::vector(crate::tensor::Data::Cell(items)),
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
    if let Some(d) = result_register(&op) {
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
        Op::Quotient { round, whole, matrix, d, a, b } => {
            let v = quotient((round, whole, matrix), code, regs, (d, a, b), cx)?;
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
        Op::Nest { d, index, bounds } => {
            let done = rest::nest(&code.nests[index as usize], regs, bounds, cx)?;
            regs[d as usize] = Value::bool(done);
            Ok(())
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

/// The register that an instruction writes, for those that compute one value.
fn result_register(op: &Op) -> Option<Reg> {
    Some(match *op {
        Op::ConstArray { d, .. }
        | Op::Global { d, .. }
        | Op::Function { d, .. }
        | Op::Itself { d }
        | Op::Unset { d }
        | Op::Neg { d, .. }
        | Op::Not { d, .. }
        | Op::Exponent { d, .. }
        | Op::Truth { d, .. }
        | Op::Range { d, .. }
        | Op::IndexN { d, .. }
        | Op::IndexSpread { d, .. }
        | Op::Field { d, .. }
        | Op::Array { d, .. }
        | Op::Cell { d, .. }
        | Op::ArraySpread { d, .. }
        | Op::Closure { d, .. }
        | Op::TypeValue { d, .. }
        | Op::Check { d, .. }
        | Op::Default { d, .. }
        | Op::Quotient { d, .. }
        | Op::Equal { d, .. } => d,
        _ => return None,
    })
}
