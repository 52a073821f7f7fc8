//! Between the values of the language and the parameters of kernels.

use super::value::{Path, Root};
use quadra_kir::{Const, Elem};
use quadra_quasar_vm::cx::Cx;
use quadra_quasar_vm::tensor::Tensor;
use quadra_quasar_vm::value::{Callable, Value};
use std::rc::Rc;

/// What the paths of a kernel start from.
pub(super) struct Roots<'a> {
    pub arguments: &'a [Value],
    pub captures: &'a [Value],
    pub cx: &'a Cx,
}

impl Roots<'_> {
    /// The value at the end of a path.
    pub fn value(&self, path: &Path) -> Option<Value> {
        let mut v = match &path.root {
            Root::Argument(i) => self.arguments.get(*i)?.clone(),
            Root::Capture(i) => self.captures.get(*i)?.clone(),
            Root::Global(name) => self.cx.function(*self.cx.shared.functions.get(name)?)?,
        };
        for step in &path.steps {
            v = match &v {
                Value::Function(f) => match &**f {
                    Callable::Closure(c) => c.captures.get(*step)?.clone(),
                    _ => return None,
                },
                Value::Object(o) => o.fields.borrow().get(*step)?.1.clone(),
                _ => return None,
            };
        }
        Some(v)
    }

    pub fn tensor(&self, path: &Path) -> Option<Rc<Tensor>> {
        if let Value::Array(t) = self.value(path)? { Some(t) } else { None }
    }
}

/// The real (0) or imaginary (1) part of a number as a constant of the IR.
pub(super) fn constant(v: &Value, part: u8, elem: Elem) -> Option<Const> {
    if let (Elem::I32 | Elem::I64, Value::Int(_) | Value::IntN(..)) = (elem, v) {
        let i = v.as_index()?;
        return Some(if elem == Elem::I64 { Const::i64(i) } else { Const::i32(i as i32) });
    }
    let x = v.as_complex()?[part as usize];
    Some(match elem {
        Elem::F64 => Const::f64(x),
        Elem::F32 => Const::f32(x as f32),
        _ => return None,
    })
}

/// Describes a value as far as lowering depends on it: types, ranks, short lengths, functions and what they captured.
pub(super) fn describe(v: &Value, out: &mut String, depth: u32) {
    use std::fmt::Write;
    // Writing to a string cannot fail.
    let _ = match v {
        Value::Int(_) => write!(out, "i"),
        Value::F32(_) => write!(out, "f"),
        Value::F64(_) => write!(out, "d"),
        Value::C32(_) => write!(out, "c"),
        Value::C64(_) => write!(out, "z"),
        Value::IntN(kind, _) => write!(out, "n{kind:?}"),
        Value::Array(t) => {
            let known = |n: &usize| if *n <= super::state::KNOWN_LENGTH { n.to_string() } else { "*".into() };
            let shape: Vec<String> = t.shape.iter().map(known).collect();
            let kind = super::value::element_of(&t.data.peek()).map_or_else(|r| r.reason, |e| format!("{e:?}"));
            write!(out, "[{} {kind} {:?}]", shape.join(","), t.fit)
        }
        Value::Function(f) => {
            let _ = match &**f {
                Callable::Closure(c) => write!(out, "({:p}", Rc::as_ptr(&c.code)),
                other => write!(out, "({:p}", other),
            };
            if let Callable::Closure(c) = &**f
                && depth < 8
            {
                c.captures.iter().for_each(|v| describe(v, out, depth + 1));
            }
            write!(out, ")")
        }
        Value::Object(o) => {
            let _ = write!(out, "<{}", o.type_name());
            if depth < 8 {
                o.fields.borrow().iter().for_each(|(_, v)| describe(v, out, depth + 1));
            }
            write!(out, ">")
        }
        Value::Type(ty) => write!(out, "t{ty}"),
        other => write!(out, "?{}", std::mem::discriminant(other).eq(&std::mem::discriminant(&Value::Unset))),
    };
    out.push(' ');
}
