//! The library of built-in functions: one table row per function, in files by theme.

pub mod math;
pub mod measure;
pub mod array;
pub mod reduce;
pub mod along;
pub mod search;
pub mod statistics;
pub mod sets;
mod numbers;
pub mod signal;
pub mod special;
pub mod linalg;
pub mod decompose;
pub mod matrix;
pub mod string;
pub mod compare;
mod complex_matrix;
pub mod io;
pub mod data_file;
pub mod mat_file;
mod mat_hdf5;
mod mat_write;
pub mod sound;
pub mod textscan;
pub mod text_file;
pub mod image;
pub mod color;
pub mod filter;
mod window;
mod convolve;
pub mod region;
pub mod fourier;
pub mod frame;
pub mod forms;
pub mod grow;
pub mod plot;
pub mod random;
pub mod core;
pub mod kernel;
pub mod meaning;
pub mod words;

use super::arith::{self, Mode};
use super::code::Code;
use super::cx::Cx;
use super::fault::{Fault, Res, fault};
use super::value::Value;
use meaning::value_of;
pub use meaning::{library, meaning, name_of, name_of_pair};
use quadra_quasar_hir::meaning::{Facts, Meaning, Term};
use quadra_quasar_hir::op1::Op1;
use quadra_quasar_hir::op2::Op2;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::OnceLock;
use std::time::Instant;

/// A row of the table of built-in functions.
pub struct Builtin {
    /// What everybody but the virtual machine has to know of it, its name first.
    pub facts: Facts,
    /// For example `zeros(d…)`.
    pub signature: &'static str,
    /// One line.
    pub about: &'static str,
    /// A statement that shows the function at work.
    pub example: &'static str,
    /// Least and greatest number of arguments.
    pub min: usize,
    pub max: usize,
    pub run: Run,
    /// It takes next to no memory, however long its arguments are.
    pub frugal: bool,
}

/// How a built-in function works.
#[derive(Clone, Copy)]
pub enum Run {
    /// Element by element on one operand.
    Map(Op1),
    /// Element by element on two operands, which broadcast.
    Pair(Op2),
    /// Element by element, composed of such functions.
    Formula(&'static Term),
    /// One result.
    One(fn(&mut Call) -> Res<Value>),
    /// Several results, as many as asked for.
    Many(fn(&mut Call) -> Res<Vec<Value>>),
    /// No result.
    Effect(fn(&mut Call) -> Res<()>),
}

/// Where a call stands: shared memory belongs to its place in the code.
pub struct Site<'a> {
    pub code: &'a Rc<Code>,
    pub pc: usize,
    pub sites: &'a mut Vec<(usize, u32)>,
}

/// A call in progress.
pub struct Call<'a, 'b> {
    pub args: &'a [Value],
    pub outs: usize,
    pub cx: &'a mut Cx,
    pub site: Option<Site<'b>>,
    pub name: &'static str,
}

/// The row of a function: name, signature, what it does, example, least and greatest number of arguments, code. What others must know of
/// it is added by `means`, `gives`, `host_only` and `frugal`.
macro_rules! row {
    ($name:literal, $signature:literal, $about:literal, $example:literal, $min:literal..=$max:literal, $run:expr) => {
        $crate::builtins::Builtin::new($name, [$signature, $about, $example], $min..=$max, $run)
    };
}
pub(crate) use row;

/// Rows of a program that embeds the language.
static OWN: OnceLock<&[Builtin]> = OnceLock::new();

/// Adds functions of the embedding program, before the first program of the language is looked at.
///
/// # Errors
/// It comes too late, or for the second time: the rows, unused.
pub fn extend(rows: &'static [Builtin]) -> Result<(), &'static [Builtin]> {
    OWN.set(rows)
}

/// All rows, theme by theme.
pub fn table() -> &'static [&'static Builtin] {
    static TABLE: OnceLock<Vec<&'static Builtin>> = OnceLock::new();
    // Whoever extends the table later is told.
    OWN.get_or_init(|| &[]);
    TABLE.get_or_init(|| themes().iter().flat_map(|(_, rows)| rows.iter()).collect())
}

/// The themes of the reference and their rows.
pub fn themes() -> Vec<(&'static str, &'static [Builtin])> {
    let mut themes = vec![
        ("Values and types", core::TABLE),
        ("Elementary functions", math::TABLE),
        ("Arrays", array::TABLE),
        ("Arrays that grow", grow::TABLE),
        ("Sizes and positions", measure::TABLE),
        ("Reductions, sorting, searching", reduce::TABLE),
        ("Order statistics", statistics::TABLE),
        ("Sets and indices", sets::TABLE),
        ("Interpolation and recursive filters", signal::TABLE),
        ("Special functions", special::TABLE),
        ("Linear algebra", linalg::TABLE),
        ("Decompositions", decompose::TABLE),
        ("Functions of matrices", matrix::TABLE),
        ("Random numbers", random::TABLE),
        ("Strings", string::TABLE),
        ("Comparing and searching strings", compare::TABLE),
        ("Input, output, time", io::TABLE),
        ("Text files", text_file::TABLE),
        ("Columns of text", textscan::TABLE),
        ("Sound", sound::TABLE),
        ("Images", image::TABLE),
        ("Colours", color::TABLE),
        ("Filters", filter::TABLE),
        ("Regions of images", region::TABLE),
        ("Transforms", fourier::TABLE),
        ("Plots", plot::TABLE),
        ("Figures", frame::TABLE),
        ("Forms", forms::TABLE),
        ("Kernels", kernel::TABLE),
    ];
    match OWN.get() {
        Some(own) if !own.is_empty() => themes.push(("Functions of the embedding program", own)),
        _ => {}
    }
    themes
}

/// The number of a built-in function.
pub fn find(name: &str) -> Option<usize> {
    static NAMES: OnceLock<HashMap<&'static str, usize>> = OnceLock::new();
    NAMES.get_or_init(|| table().iter().enumerate().map(|(i, b)| (b.facts.name, i)).collect()).get(name).copied()
}

/// The row of a built-in function.
pub fn named(name: &str) -> Option<&'static Builtin> {
    find(name).map(|id| table()[id])
}

/// Named constants.
pub fn constant(name: &str, double: bool) -> Option<Value> {
    Some(match name {
        "pi" => Value::scalar(std::f64::consts::PI, double),
        "eps" if double => Value::F64(f64::EPSILON),
        "eps" => Value::F32(f32::EPSILON),
        "inf" | "Inf" => Value::scalar(f64::INFINITY, double),
        "nan" | "NaN" => Value::scalar(f64::NAN, double),
        "true" => Value::Int(1),
        "false" => Value::Int(0),
        _ => return None,
    })
}

/// The result for plain numbers, without the detour over lists.
#[inline]
pub fn fast(id: usize, args: &[Value], cx: &Cx) -> Option<Value> {
    match (table().get(id)?.run, args) {
        (Run::Map(op), [x]) => math::fast(op, x),
        (Run::Pair(op), [x, y]) if x.is_number() && y.is_number() => {
            super::scalar_ops::scalar(op, x, y, cx.mode).and_then(Result::ok)
        }
        _ => None,
    }
}

/// Calls a built-in function.
pub fn call(id: usize, args: &[Value], outs: usize, site: Option<Site>, cx: &mut Cx) -> Res<Vec<Value>> {
    let Some(row) = table().get(id) else { return Ok(Vec::new()) };
    // An object with a method of this name knows better: a sparse matrix its transpose.
    if let Some(Value::Object(o)) = args.first()
        && !matches!(row.run, Run::Effect(_))
        && let Some(method @ Value::Function(_)) = o.get(row.facts.name)
    {
        return super::call::call_value(cx, &method, args[1..].to_vec(), outs);
    }
    if args.len() < row.min || args.len() > row.max {
        let wants = match (row.min, row.max) {
            (1, 1) => "1 argument".to_string(),
            (a, b) if a == b => format!("{a} arguments"),
            (a, 255) => format!("at least {a} arguments"),
            (a, b) => format!("{a} to {b} arguments"),
        };
        fault!("Q0308", "'{}' needs {wants}, {} are given", row.facts.name, args.len(); row.signature);
    }
    cx.glance()?;
    room(row, args)?;
    let device = site.as_ref().is_some_and(|s| s.code.kind != quadra_quasar_syntax::ast::FunctionKind::Host);
    let mode = Mode { device, ..cx.mode };
    let mut call = Call { args, outs, cx, site, name: row.facts.name };
    // What only launches something has lines of its own.
    let start = (call.cx.profile.is_some() && row.facts.meaning != Meaning::Launch).then(Instant::now);
    let result = run(row, &mut call, mode);
    let span = call.span();
    if let (Some(start), Some(profile)) = (start, &mut call.cx.profile) {
        profile.called(row.facts.name, span, start.elapsed());
    }
    result
}

fn run(row: &Builtin, call: &mut Call, mode: Mode) -> Res<Vec<Value>> {
    let args = call.args;
    match row.run {
        Run::Map(op) => Ok(vec![math::map(op, &args[0], mode)?]),
        Run::Pair(op) => Ok(vec![arith::binary(op, &args[0], &args[1], mode)?]),
        Run::Formula(term) => match super::fuse::formula(term, args) {
            Some(v) => Ok(vec![v]),
            None => Ok(vec![value_of(term, args, mode)?]),
        },
        Run::One(f) => Ok(vec![f(call)?]),
        Run::Many(f) => f(call),
        Run::Effect(f) => f(call).map(|()| Vec::new()),
    }
}

/// Asks for the memory that a function may take: it often works on doubles of all elements, and has a result of their number.
fn room(row: &Builtin, args: &[Value]) -> Res<()> {
    let all = args.iter().map(|v| if let Value::Array(t) = v { t.data.peek().len() } else { 0 });
    let n = all.fold(0usize, usize::saturating_add);
    match row.run {
        Run::One(_) | Run::Many(_) if n >= 1 << 16 && !row.frugal => {
            super::memory::elements(n, 12, &format!("'{}' of arrays", row.facts.name))
        }
        Run::Map(_) if n >= 1 << 16 => super::memory::elements(n, 4, &format!("'{}' of an array", row.facts.name)),
        _ => Ok(()),
    }
}

impl Call<'_, '_> {
    pub fn double(&self) -> bool {
        self.cx.mode.double
    }

    /// Whether kernel or device code calls.
    pub fn device(&self) -> bool {
        self.site.as_ref().is_some_and(|s| s.code.kind != quadra_quasar_syntax::ast::FunctionKind::Host)
    }

    /// Where the call stands in the program.
    pub fn span(&self) -> Option<quadra_base::Span> {
        self.site.as_ref().map(|site| site.code.spans[site.pc])
    }

    pub fn mode(&self) -> Mode {
        Mode { device: self.device(), ..self.cx.mode }
    }

    /// The error that argument `i` is of the wrong kind.
    pub fn wrong(&self, i: usize, wanted: &str) -> Box<Fault> {
        let ty = super::typing::type_of(&self.args[i], self.double());
        let row = find(self.name).map(|id| table()[id].signature).unwrap_or("");
        let message = if matches!(self.args[i], Value::Unset) {
            format!("argument {} of '{}' was never set", i + 1, self.name)
        } else {
            format!("argument {} of '{}' needs {wanted}, not a '{ty}'", i + 1, self.name)
        };
        Fault::new("Q0314", message).help(row)
    }

    /// Argument `i` as a real number.
    pub fn number(&self, i: usize) -> Res<f64> {
        let v = &self.args[i];
        match v {
            Value::Array(t) if t.len() == 1 => t.get(0).and_then(|v| v.as_f64()),
            v => v.as_f64(),
        }
        .ok_or_else(|| self.wrong(i, "a number"))
    }

    /// Argument `i` as a whole number.
    pub fn integer(&self, i: usize) -> Res<i64> {
        Ok(self.number(i)? as i64)
    }

    /// Argument `i` as text.
    pub fn text(&self, i: usize) -> Res<&str> {
        self.args[i].as_text().ok_or_else(|| self.wrong(i, "a string"))
    }

    /// Argument `i` as an array; a number counts as one element.
    pub fn tensor(&self, i: usize) -> Res<Rc<super::tensor::Tensor>> {
        match &self.args[i] {
            Value::Array(t) if !t.is_cell() => Ok(t.clone()),
            v if v.is_number() => {
                match super::literal::array(std::slice::from_ref(v), Mode { device: true, ..self.cx.mode })? {
                    Value::Array(t) => Ok(t),
                    _ => Err(self.wrong(i, "an array")),
                }
            }
            _ => Err(self.wrong(i, "an array of numbers")),
        }
    }

    /// The elements of argument `i` as numbers.
    pub fn list(&self, i: usize) -> Res<Vec<f64>> {
        Ok(arith::to_f64(&self.tensor(i)?.data.borrow()).into_owned())
    }

    /// Argument `i` as a type: a type, or its name as text.
    pub fn type_argument(&mut self, i: usize) -> Res<quadra_quasar_hir::types::Type> {
        match &self.args[i] {
            Value::Type(ty) => Ok((**ty).clone()),
            Value::Str(text) => core::parse_type(self.cx, text),
            Value::Function(_) | Value::Object(_) => Err(self.wrong(i, "a type or the name of a type")),
            _ => Err(self.wrong(i, "a type or the name of a type")),
        }
    }
}
