//! Elements, fields, methods and arguments beyond the machine's fast cases.

use super::operate::need;
use crate::arith::Mode;
use crate::builtins::{self, Site};
use crate::code::{Code, Reg};
use crate::cx::Cx;
use crate::fault::{Fault, Res, fault};
use crate::value::{Callable, Instance, Value};
use crate::{index, literal, object, typing};
use quadra_base::Span;
use quadra_quasar_hir::types::Access;
use quadra_quasar_syntax::ast::Text;
use std::rc::Rc;

pub fn base_name(code: &Code, name: u16) -> &str {
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

pub fn index_with(base: &Value, indices: &[Value], access: Access, name: &str, cx: &Cx) -> Res<Value> {
    match base {
        Value::Array(t) => index::read(t, indices, access, name),
        Value::Str(s) => index::read_text(s, indices),
        Value::Unset => fault!("Q0323", "an element of the cell was never set"; "assign it first"),
        Value::Object(o) if let Some(field) = field_of(o, indices) => object::get_field(base, &field),
        // So is an object that is no dictionary.
        Value::Object(o) if !o.keyed && indices.iter().all(|i| i.is_number() && i.as_index() == Some(0)) => {
            Ok(base.clone())
        }
        Value::Null => fault!("Q0355", "an index into a null pointer"; "compare with nullptr first"),
        // A number is an array of one element.
        number if number.is_number() => {
            let mode = Mode { device: true, ..cx.mode };
            match literal::array(std::slice::from_ref(number), mode)? {
                Value::Array(t) => index::read(&t, indices, access, name),
                _ => Ok(number.clone()),
            }
        }
        other => {
            let ty = typing::type_of(other, cx.mode.double);
            let what = if name.is_empty() { format!("a '{ty}'") } else { format!("'{name}', a '{ty}',") };
            let help = if matches!(other, Value::Function(_)) {
                "call functions with parentheses"
            } else {
                "only arrays, numbers, cells and strings have elements"
            };
            fault!("Q0346", "{what} cannot be indexed"; help)
        }
    }
}

/// The field that an index of an object names: a text, or a number as a key of a dictionary.
fn field_of(o: &Instance, indices: &[Value]) -> Option<Text> {
    match indices {
        [one] if o.keyed || one.as_text().is_some() => builtins::dictionary::key(one),
        _ => None,
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
pub fn set_index(code: &Code, regs: &mut [Value], t: Target, span: Span, cx: &mut Cx) -> Res<()> {
    need(code, regs, t.a, cx)?;
    need(code, regs, t.value, cx)?;
    for k in 0..t.n {
        need(code, regs, t.first + Reg::from(k), cx)?;
    }
    let indices = &regs[t.first as usize..t.first as usize + t.n as usize];
    if regs[t.a as usize].is_number() {
        // A number is an array of one element.
        let mode = Mode { device: true, ..cx.mode };
        let one = literal::array(std::slice::from_ref(&regs[t.a as usize]), mode)?;
        set_with(&one, indices, &regs[t.value as usize], t.access, base_name(code, t.name), span, cx)?;
        if let Value::Array(one) = one {
            regs[t.a as usize] = one.get(0).unwrap_or_default();
        }
        return Ok(());
    }
    set_with(&regs[t.a as usize], indices, &regs[t.value as usize], t.access, base_name(code, t.name), span, cx)
}

pub fn set_with(
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
        if let Value::Object(o) = base
            && let Some(field) = field_of(o, indices)
        {
            return object::set_field(base, &field, value.clone(), cx.mode.double);
        }
        index_with(base, indices, access, name, cx).map_err(|fault| index::stored_outside(fault, name))?;
        return Ok(());
    };
    match index::write(t, indices, value, access, name, cx.mode.double) {
        Ok(false) => Ok(()),
        Ok(true) => {
            cx.warn_int(span, name);
            Ok(())
        }
        Err(fault) => Err(index::stored_outside(fault, name)),
    }
}

/// Arguments by position and by name.
pub type Arguments = (Vec<Value>, Vec<(Text, Value)>);

/// The values a `Spec` names, spread where it says so, and the named ones.
pub fn arguments(code: &Code, regs: &[Value], spec: u16) -> Res<Arguments> {
    let (mut args, mut named) = (Vec::new(), Vec::new());
    for (reg, spread, name) in &code.specs[spec as usize].items {
        let v = regs[*reg as usize].clone();
        match (name, spread, &v) {
            (Some(name), _, _) => named.push((name.clone(), v)),
            (None, true, Value::Array(t)) => args.extend((0..t.len()).filter_map(|i| t.get(i))),
            (None, true, Value::Range(r)) => args.extend(index::range_items(r).into_iter().map(Value::integer)),
            (None, true, v) if v.is_number() => args.push(v.clone()),
            (None, true, _) => {
                fault!("Q0383", "'...' needs a vector or a cell"; "it spreads the elements of its operand")
            }
            _ => args.push(v),
        }
    }
    Ok((args, named))
}

/// A function with its arguments.
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
    let keyed = matches!(&object, Value::Object(o) if o.keyed);
    if (cx.shared.methods.contains(name) || keyed)
        && let Some(function) = builtins::lookup(cx, name)
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
        && let Some(function) = builtins::lookup(cx, name)
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

/// Calls a built-in function on registers; false if a value is wanted and it has none.
#[allow(clippy::too_many_arguments)]
pub fn builtin(id: u16, regs: &mut [Value], first: Reg, n: u8, outs: u8, d: Reg, site: Site, cx: &mut Cx) -> Res<bool> {
    let args = &regs[first as usize..first as usize + n as usize];
    if let Some(v) = builtins::fast(id as usize, args, cx) {
        regs[d as usize] = v;
        return Ok(true);
    }
    let results = builtins::call(id as usize, args, outs as usize, Some(site), cx)?;
    let n = results.len();
    for (k, v) in results.into_iter().take(usize::from(outs).max(1)).enumerate() {
        regs[d as usize + k] = v;
    }
    match (n, usize::from(outs)) {
        (0, 1) => Ok(false),
        (n, wanted) if n < wanted => Err(too_few(builtins::table()[id as usize].facts.name, n, wanted)),
        _ => Ok(true),
    }
}

/// A call gave fewer results than somebody wants.
pub fn too_few(name: &str, has: usize, wanted: usize) -> Box<Fault> {
    match has {
        0 => Fault::new("Q0305", format!("'{name}' has no output to use as a value"))
            .help("call it on a line of its own"),
        _ => Fault::new("Q0305", format!("'{name}' has {has} outputs, {wanted} requested"))
            .help("assign fewer variables"),
    }
}
