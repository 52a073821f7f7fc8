//! The library of built-in functions: one table row per function, in files by theme.

pub mod math;
pub mod measure;
pub mod array;
mod cylinder;
pub mod integrals;
pub mod places;
pub mod recursive;
pub mod reduce;
pub mod along;
mod columns;
pub mod extreme;
pub mod search;
pub mod statistics;
pub mod sets;
pub mod cylinder_complex;
pub mod tally;
pub mod planes;
pub mod bits;
pub mod tiles;
pub mod numbers;
mod omit;
pub mod signal;
pub mod special;
pub mod special_lanes;
pub mod linalg;
pub mod decompose;
pub mod dictionary;
pub mod matrix;
pub mod string;
pub mod compare;
mod complex_matrix;
pub mod io;
pub mod data_file;
pub mod mat_file;
pub mod mat_hdf5;
mod mat_write;
pub mod sound;
pub mod textscan;
pub mod text_file;
pub mod image;
pub mod color;
pub mod filter;
pub mod window;
mod convolve;
pub mod region;
pub mod fourier;
pub mod frame;
pub mod forms;
pub mod fuse;
pub mod grow;
pub mod plot;
pub mod random;
pub mod core;
pub mod kernel;
pub mod meaning;
pub mod row;
pub mod words;

use super::arith::{self, Mode};
use super::cx::Cx;
use super::fault::{Res, fault};
use super::value::{Callable, Native, Value};
use super::{memory, scalar_ops, unary};
pub use meaning::{library, meaning, name_of};
use quadra_quasar_hir::meaning::{Meaning, Term};
pub(crate) use row::row;
pub use row::{Builtin, Call, Run, Site};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::OnceLock;
use std::time::Instant;

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
        ("Dictionaries", dictionary::TABLE),
        ("Elementary functions", math::TABLE),
        ("Arrays", array::TABLE),
        ("Arrays that grow", grow::TABLE),
        ("Sizes and positions", measure::TABLE),
        ("Reductions, sorting, searching", reduce::TABLE),
        ("Order statistics", statistics::TABLE),
        ("Sets", sets::TABLE),
        ("Sums by index, rows in order", tally::TABLE),
        ("Bits of values", bits::TABLE),
        ("Interpolation in a plane", planes::TABLE),
        ("Interpolation and recursive filters", signal::TABLE),
        ("Special functions", special::TABLE),
        ("Bessel functions and integrals", cylinder::TABLE),
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
        ("Places of files", places::TABLE),
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

/// A built-in function as a value.
pub fn as_value(id: usize) -> Value {
    let row = table()[id];
    let native = Native { id, name: row.facts.name, gives_value: !matches!(row.run, Run::Effect(_)) };
    Value::Function(Rc::new(Callable::Builtin(native)))
}

/// Names of functions that are loaded where a program calls them.
static SHIPPED: OnceLock<Vec<&'static str>> = OnceLock::new();

/// Makes these names known, for messages and for `exist`. They are the same for all sessions: only the first call counts.
pub fn ship(names: impl Iterator<Item = &'static str>) {
    SHIPPED.get_or_init(|| names.collect());
}

/// The names that [`ship`] has made known.
pub fn shipped() -> &'static [&'static str] {
    SHIPPED.get().map_or(&[], Vec::as_slice)
}

/// What a name stands for outside of functions: a global function, a constant, a built-in function.
pub fn lookup(cx: &Cx, name: &str) -> Option<Value> {
    if let Some(id) = cx.shared.functions.get(name) {
        return cx.function(*id);
    }
    constant(name, cx.mode.double).or_else(|| find(name).map(as_value))
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
        (Run::Map(op), [x]) => unary::fast(op, x),
        (Run::Pair(op), [x, y]) if x.is_number() && y.is_number() => {
            scalar_ops::scalar(op, x, y, cx.mode).and_then(Result::ok)
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
        return cx.call(&method, args[1..].to_vec(), outs);
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
    let mut call = Call { args, outs, cx, site, name: row.facts.name, signature: row.signature };
    let mode = call.mode();
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
        Run::Map(op) => Ok(vec![unary::map(op, &args[0], mode)?]),
        Run::Pair(op) => Ok(vec![arith::binary(op, &args[0], &args[1], mode)?]),
        Run::Formula(term) => match fuse::formula(term, args) {
            Some(v) => Ok(vec![v]),
            None => Ok(vec![value_of(term, args, mode)?]),
        },
        Run::One(f) => Ok(vec![f(call)?]),
        Run::Many(f) => f(call),
        Run::Effect(f) => f(call).map(|()| Vec::new()),
    }
}

/// The value of a composed function for arguments, as many as the row admits.
fn value_of(term: &Term, args: &[Value], mode: Mode) -> Res<Value> {
    match term {
        Term::Argument(i) => Ok(args[*i].clone()),
        Term::Map(op, x) => unary::map(*op, &value_of(x, args, mode)?, mode),
        Term::Pair(op, x, y) => arith::binary(*op, &value_of(x, args, mode)?, &value_of(y, args, mode)?, mode),
    }
}

/// Asks for the memory that a function may take: it often works on doubles of all elements, and has a result of their number.
fn room(row: &Builtin, args: &[Value]) -> Res<()> {
    let all = args.iter().map(|v| if let Value::Array(t) = v { t.data.peek().len() } else { 0 });
    let n = all.fold(0usize, usize::saturating_add);
    match row.run {
        Run::One(_) | Run::Many(_) if n >= 1 << 16 && !row.frugal => {
            memory::elements(n, 12, &format!("'{}' of arrays", row.facts.name))
        }
        Run::Map(_) if n >= 1 << 16 => memory::elements(n, 4, &format!("'{}' of an array", row.facts.name)),
        _ => Ok(()),
    }
}
