//! Values and shapes as text.

use super::tensor::{Data, Tensor};
use super::value::{Callable, Value};
use quadra_base::number;
pub use quadra_base::number::{general, real};
use quadra_quasar_syntax::ast::FunctionKind;
use std::fmt::Write;

/// Elements beyond which an array is shortened, and entries shown at each end of a long dimension then.
const SHORTEN_ABOVE: usize = 1000;
const SHOWN_AT_END: usize = 3;
/// Bytes beyond which no more elements are written: a cell may hold itself many times over.
const LONGEST: usize = 1 << 20;

/// Appends formatted text; writing to a `String` cannot fail.
macro_rules! put {
    ($out:expr, $($arg:tt)*) => {
        if write!($out, $($arg)*).is_err() {
            $out.push('?')
        }
    };
}

/// Nesting beyond which contents are not shown: structures may be cyclic.
const DEPTH: usize = 20;

/// `2x3`.
pub fn shape_text(shape: &[usize]) -> String {
    shape.iter().map(ToString::to_string).collect::<Vec<_>>().join("x")
}

/// `1+2j`.
pub fn complex(z: [f64; 2]) -> String {
    let im = real(z[1]);
    let sign = if im.starts_with('-') { "" } else { "+" };
    format!("{}{sign}{im}j", real(z[0]))
}

/// How values are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Significant digits of numbers in single and in double precision.
    pub digits: (usize, usize),
    /// Elements from which only the ends of rows and columns are shown.
    pub shorten_above: usize,
}

impl Format {
    /// What `print` does.
    pub const PRINT: Format = Format { digits: (6, 6), shorten_above: SHORTEN_ABOVE };

    fn real(self, x: f64, double: bool) -> String {
        number::real_with(x, if double { self.digits.1 } else { self.digits.0 })
    }
}

/// The text that `print` writes.
pub fn value(v: &Value) -> String {
    shown(v, Format::PRINT)
}

/// A value as text.
pub fn shown(v: &Value, format: Format) -> String {
    let mut out = String::new();
    write_value(&mut out, v, format, false, 0, 0);
    out
}

/// `quoted` is set inside cells and classes, where strings have quotes and matrices stay on one line.
fn write_value(out: &mut String, v: &Value, format: Format, quoted: bool, indent: usize, depth: usize) {
    if depth > DEPTH {
        out.push_str("...");
        return;
    }
    match v {
        Value::Unset => out.push_str("[]"),
        Value::Str(s) if quoted => put!(out, "\"{s}\""),
        Value::Str(s) => out.push_str(s),
        Value::IntN(quadra_quasar_hir::types::IntKind::U64, v) => put!(out, "{}", *v as u64),
        Value::Int(v) => put!(out, "{v}"),
        Value::IntN(_, v) | Value::Raw(v) => put!(out, "{v}"),
        Value::C32(_) | Value::C64(_) => out.push_str(&complex(v.as_complex().unwrap_or_default())),
        Value::Null => out.push_str("nullptr"),
        Value::Function(f) => out.push_str(&function(f)),
        Value::Type(t) => put!(out, "{t}"),
        Value::Colon => out.push(':'),
        Value::Range(r) => put!(out, "{}..{}", real(r.start), r.count),
        Value::Object(o) => {
            put!(out, "{}(", o.type_name());
            for (i, (name, field)) in o.fields.borrow().iter().enumerate() {
                put!(out, "{}{name}:=", if i > 0 { ", " } else { "" });
                write_value(out, field, format, true, 0, depth + 1);
            }
            out.push(')');
        }
        Value::Array(t) => {
            let data = t.data.borrow();
            let mut writer = ArrayWriter { out, data: &data, tensor: t, format, quoted, indent, depth };
            writer.write();
        }
        number => out.push_str(&format.real(number.as_f64().unwrap_or(f64::NAN), matches!(number, Value::F64(_)))),
    }
}

fn function(f: &Callable) -> String {
    match f {
        Callable::Closure(c) if c.code.kind == FunctionKind::Kernel => format!("<kernel_function {}>", c.code.name),
        Callable::Closure(c) if c.code.lambda => "<lambda>".into(),
        other => format!("<function {}>", other.name()),
    }
}

struct ArrayWriter<'a> {
    out: &'a mut String,
    data: &'a Data,
    tensor: &'a Tensor,
    format: Format,
    quoted: bool,
    indent: usize,
    depth: usize,
}

impl ArrayWriter<'_> {
    fn write(&mut self) {
        let cell = matches!(self.data, Data::Cell(_));
        if self.tensor.is_empty() && !cell {
            return self.out.push_str("[]");
        }
        let shape = &self.tensor.shape;
        let dims: &[usize] = if self.tensor.is_vector() { &shape[1..] } else { shape };
        let short = self.tensor.len() > self.format.shorten_above;
        self.level(dims, 0, 0, cell, short);
    }

    fn level(&mut self, dims: &[usize], level: usize, offset: usize, cell: bool, short: bool) {
        self.out.push(if cell { '{' } else { '[' });
        let (n, inner) = (dims[level], dims[level + 1..].iter().product::<usize>());
        let last = level + 1 == dims.len();
        let one_line = cell || self.quoted;
        let mut first = true;
        for i in 0..n {
            if self.out.len() > LONGEST {
                self.out.push_str("...");
                break;
            }
            let hidden = short && n > 2 * SHOWN_AT_END && i >= SHOWN_AT_END && i + SHOWN_AT_END < n;
            if hidden && i > SHOWN_AT_END {
                continue;
            }
            if !first {
                self.out.push(',');
                if last || one_line {
                    self.out.push(' ');
                } else {
                    self.out.push('\n');
                    self.out.extend(std::iter::repeat_n(' ', self.indent + level + 1));
                }
            }
            first = false;
            if hidden {
                self.out.push_str("...");
            } else if last {
                self.element(offset + i);
            } else {
                self.level(dims, level + 1, offset + i * inner, cell, short);
            }
        }
        self.out.push(if cell { '}' } else { ']' });
    }

    fn element(&mut self, i: usize) {
        match self.data {
            Data::F32(v) => self.out.push_str(&self.format.real(f64::from(v[i]), false)),
            Data::F64(v) => self.out.push_str(&self.format.real(v[i], true)),
            data => {
                let value = data.get(i).unwrap_or_default();
                write_value(self.out, &value, self.format, true, 0, self.depth + 1);
            }
        }
    }
}

/// One real number in a C conversion such as `%8.3f`; see [`format_values`](super::builtins::string).
pub fn with_width(text: String, width: usize, left: bool, zero: bool) -> String {
    let len = text.chars().count();
    if len >= width {
        return text;
    }
    let pad = width - len;
    if left {
        return text + &" ".repeat(pad);
    }
    if zero {
        let (sign, digits) = match text.strip_prefix(['-', '+']) {
            Some(rest) => text.split_at(text.len() - rest.len()),
            None => ("", text.as_str()),
        };
        return format!("{sign}{}{digits}", "0".repeat(pad));
    }
    " ".repeat(pad) + &text
}
