//! Operators on numbers and element by element on arrays and cells: promotion, broadcasting, integer overflow.

use super::broadcast::{Rows, Side};
use super::bulk;
use super::display::shape_text;
use super::exact;
use super::fault::{Fault, Res, fault};
use super::scalar_ops as ops;
use super::storage::{self, Operand};
use super::tensor::{Data, Shape, Tensor, normal_shape};
use super::value::Value;
use quadra_quasar_hir::op2::Op2;
use quadra_quasar_hir::types::IntKind;
use std::borrow::Cow;
use std::cell::Cell;

/// What the meaning of an operation depends on besides its operands.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mode {
    /// `scalar` is double precision.
    pub double: bool,
    /// Kernel and device code: integers wrap, literals may be integer vectors.
    pub device: bool,
    /// Whole-array arithmetic on sized integer arrays is allowed (`import "inttypes.q"`).
    pub inttypes: bool,
}

/// Numeric types in the order of promotion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Int,
    Wide,
    F16,
    F32,
    F64,
    C32,
    C64,
}

impl Kind {
    /// The floating-point kind of `scalar`.
    pub fn scalar(mode: Mode) -> Kind {
        if mode.double { Kind::F64 } else { Kind::F32 }
    }

    /// The kind of a number.
    pub fn of(v: &Value) -> Option<Kind> {
        Some(match v {
            Value::Int(_) => Kind::Int,
            Value::IntN(IntKind::I64 | IntKind::U64 | IntKind::U32, _) => Kind::Wide,
            Value::IntN(..) => Kind::Int,
            Value::F16(_) => Kind::F16,
            Value::F32(_) => Kind::F32,
            Value::F64(_) => Kind::F64,
            Value::C32(_) => Kind::C32,
            Value::C64(_) => Kind::C64,
            Value::Array(t) => Kind::of_data(&t.data.borrow())?,
            _ => return None,
        })
    }

    /// The kind of an array's elements.
    pub fn of_data(data: &Data) -> Option<Kind> {
        Some(match data {
            Data::F32(_) => Kind::F32,
            Data::F64(_) => Kind::F64,
            Data::F16(_) => Kind::F16,
            Data::C32(_) => Kind::C32,
            Data::C64(_) => Kind::C64,
            Data::I64(_) | Data::U64(_) | Data::U32(_) => Kind::Wide,
            Data::Cell(_) => return None,
            _ => Kind::Int,
        })
    }

    /// The kind that operands of two kinds are computed in.
    pub fn promote(self, other: Kind) -> Kind {
        let (low, high) = if self <= other { (self, other) } else { (other, self) };
        match (low, high) {
            (Kind::F64, Kind::C32) => Kind::C64,
            _ => high,
        }
    }

    pub fn is_int(self) -> bool {
        self <= Kind::Wide
    }
}

/// Elements of `data` as singles, without a copy where they are.
pub fn to_f32(data: &Data) -> Cow<'_, [f32]> {
    match data {
        Data::F32(v) | Data::F16(v) => Cow::Borrowed(v),
        other => Cow::Owned(to_f64(other).iter().map(|x| *x as f32).collect()),
    }
}

/// Elements of real `data` as doubles.
pub fn to_f64(data: &Data) -> Cow<'_, [f64]> {
    macro_rules! cast {
        ($v:expr) => {
            Cow::Owned($v.iter().map(|x| *x as f64).collect())
        };
    }
    match data {
        Data::F64(v) => Cow::Borrowed(v),
        Data::F32(v) | Data::F16(v) => cast!(v),
        Data::Mask(v) | Data::U8(v) => cast!(v),
        Data::Int(v) | Data::I32(v) => cast!(v),
        Data::I8(v) => cast!(v),
        Data::I16(v) => cast!(v),
        Data::I64(v) => cast!(v),
        Data::U16(v) => cast!(v),
        Data::U32(v) => cast!(v),
        Data::U64(v) => cast!(v),
        Data::C32(v) => Cow::Owned(v.iter().map(|z| f64::from(z[0])).collect()),
        Data::C64(v) => Cow::Owned(v.iter().map(|z| z[0]).collect()),
        Data::Cell(v) => Cow::Owned(v.iter().map(|x| x.as_f64().unwrap_or(f64::NAN)).collect()),
    }
}

/// Elements of integer `data`.
pub fn to_i64(data: &Data) -> Vec<i64> {
    macro_rules! cast {
        ($v:expr) => {
            $v.iter().map(|x| *x as i64).collect()
        };
    }
    match data {
        Data::Mask(v) | Data::U8(v) => cast!(v),
        Data::Int(v) | Data::I32(v) => cast!(v),
        Data::I8(v) => cast!(v),
        Data::I16(v) => cast!(v),
        Data::I64(v) => v.clone(),
        Data::U16(v) => cast!(v),
        Data::U32(v) => cast!(v),
        Data::U64(v) => cast!(v),
        other => to_f64(other).iter().map(|x| *x as i64).collect(),
    }
}

/// Elements as complex numbers.
pub fn to_c64(data: &Data) -> Vec<[f64; 2]> {
    match data {
        Data::C64(v) => v.clone(),
        Data::C32(v) => v.iter().map(|z| [f64::from(z[0]), f64::from(z[1])]).collect(),
        other => to_f64(other).iter().map(|x| [*x, 0.0]).collect(),
    }
}

/// How the elements of two operands meet.
enum Plan {
    /// Same shape.
    Zip,
    /// The left or right operand has one element.
    LeftOne,
    RightOne,
    /// Row by row.
    Rows(Rows),
}

/// The shape two operands broadcast to: dimensions are aligned at the first, each equal or 1.
fn broadcast(a: &[usize], b: &[usize]) -> Option<Shape> {
    let n = a.len().max(b.len());
    let at = |s: &[usize], i: usize| s.get(i).copied().unwrap_or(1);
    let mut shape = Shape::new();
    for i in 0..n {
        shape.push(match (at(a, i), at(b, i)) {
            (x, y) if x == y => x,
            (1, y) => y,
            (x, 1) => x,
            _ => return None,
        });
    }
    Some(shape)
}

impl Plan {
    fn zip<T: Copy, R>(&self, a: &[T], b: &[T], f: impl Fn(T, T) -> R) -> Vec<R> {
        match self {
            Plan::Zip => a.iter().zip(b).map(|(x, y)| f(*x, *y)).collect(),
            Plan::LeftOne => {
                let x = a[0];
                b.iter().map(|y| f(x, *y)).collect()
            }
            Plan::RightOne => {
                let y = b[0];
                a.iter().map(|x| f(*x, y)).collect()
            }
            Plan::Rows(rows) => rows.pairs().map(|(i, j)| f(a[i], b[j])).collect(),
        }
    }
}

impl Plan {
    /// As [`Plan::zip`], for a function of floats by name: long arrays by several threads, in vectors.
    fn floats<T: bulk::Element>(&self, op: Op2, a: &[T], b: &[T]) -> Vec<T> {
        match self {
            Plan::Zip => bulk::zip(op, a.len(), Operand::Array(a), Operand::Array(b)),
            Plan::LeftOne => bulk::zip(op, b.len(), Operand::Number(a[0]), Operand::Array(b)),
            Plan::RightOne => bulk::zip(op, a.len(), Operand::Array(a), Operand::Number(b[0])),
            Plan::Rows(rows) => {
                let mut out = storage::storage(rows.total());
                let row = |out: &mut [T], i: Side, j: Side| T::combine(op, out, Some(i.of(a)), j.of(b), false);
                rows.each(&mut out, row);
                out
            }
        }
    }
}

/// An operand as data with a shape; a number is an array of one element.
fn view<'a>(v: &'a Value, hold: &'a mut Option<Data>) -> Option<(Shape, ViewData<'a>)> {
    match v {
        Value::Array(t) => Some((t.shape.clone(), ViewData::Cell(t.data.borrow()))),
        other => {
            let data = match other {
                Value::Int(x) => Data::Int(vec![*x]),
                Value::F32(x) => Data::F32(vec![*x]),
                Value::F64(x) => Data::F64(vec![*x]),
                Value::F16(x) => Data::F16(vec![*x]),
                Value::C32(z) => Data::C32(vec![*z]),
                Value::C64(z) => Data::C64(vec![**z]),
                Value::IntN(IntKind::U64, x) => Data::U64(vec![*x as u64]),
                Value::IntN(_, x) => Data::I64(vec![*x]),
                _ => return None,
            };
            Some((normal_shape(&[1]), ViewData::Own(hold.insert(data))))
        }
    }
}

enum ViewData<'a> {
    Cell(std::cell::Ref<'a, Data>),
    Own(&'a Data),
}

impl std::ops::Deref for ViewData<'_> {
    type Target = Data;
    fn deref(&self) -> &Data {
        match self {
            ViewData::Cell(r) => r,
            ViewData::Own(d) => d,
        }
    }
}

/// Applies a two-operand function to numbers, arrays and cells.
pub fn binary(op: Op2, a: &Value, b: &Value, mode: Mode) -> Res<Value> {
    if let Some(result) = ops::scalar(op, a, b, mode) {
        return result;
    }
    if is_cell(a) || is_cell(b) {
        return cells(op, a, b, mode);
    }
    let (Some(ka), Some(kb)) = (Kind::of(a), Kind::of(b)) else {
        return Err(operand_fault(op, a, b, mode));
    };
    check_sized(a, mode)?;
    check_sized(b, mode)?;
    let (mut ha, mut hb) = (None, None);
    let (Some((sa, da)), Some((sb, db))) = (view(a, &mut ha), view(b, &mut hb)) else {
        return Err(operand_fault(op, a, b, mode));
    };
    let (scalar_a, scalar_b) = (!matches!(a, Value::Array(_)), !matches!(b, Value::Array(_)));
    let shape = match (scalar_a, scalar_b) {
        (true, _) => sb.clone(),
        (_, true) => sa.clone(),
        _ => match broadcast(&sa, &sb) {
            Some(shape) => shape,
            None => fault!(
                "Q0320", "operands have incompatible sizes {} and {}", shape_text(&sa), shape_text(&sb);
                format!("'{}' needs equal sizes, a number, or dimensions of length 1 that can be repeated", op.name())
            ),
        },
    };
    let total: usize = shape.iter().product();
    if !super::memory::fits(total.saturating_mul(8)) {
        return Err(Fault::new("Q0310", format!("out of memory: a result of size {}", shape_text(&shape))));
    }
    let plan = if sa == sb {
        Plan::Zip
    } else if db.len() == 1 {
        Plan::RightOne
    } else if da.len() == 1 {
        Plan::LeftOne
    } else {
        Plan::Rows(Rows::of(&sa, &sb, &shape))
    };
    let quick = match plan {
        Plan::Rows(_) => None,
        _ if total == 0 => None,
        _ => {
            let (a_one, b_one) = (matches!(plan, Plan::LeftOne), matches!(plan, Plan::RightOne));
            exact::quick(op, &exact::Pair { a: &da, b: &db, a_one, b_one }, mode)
        }
    };
    let data = match quick {
        Some(data) => data,
        None => compute(op, ka.promote(kb), &da, &db, &plan, mode)?,
    };
    Ok(Value::array(Tensor::new(shape, data)))
}

fn compute(op: Op2, kind: Kind, a: &Data, b: &Data, plan: &Plan, mode: Mode) -> Res<Data> {
    let kind = if kind.is_int() && op.gives_float() { Kind::scalar(mode) } else { kind };
    match kind {
        Kind::F32 | Kind::F16 => {
            let (x, y) = (to_f32(a), to_f32(b));
            if op.is_comparison() {
                return Ok(Data::Mask(ops::with_comparison!(op, f => plan.zip(&x, &y, f))));
            }
            let mut out = plan.floats(op, &x, &y);
            if kind == Kind::F16 {
                out.iter_mut().for_each(|v| *v = ops::round_half(*v));
                return Ok(Data::F16(out));
            }
            Ok(Data::F32(out))
        }
        Kind::F64 => {
            let (x, y) = (to_f64(a), to_f64(b));
            if op.is_comparison() {
                return Ok(Data::Mask(ops::with_comparison!(op, f => plan.zip(&x, &y, f))));
            }
            Ok(Data::F64(plan.floats(op, &x, &y)))
        }
        Kind::Int | Kind::Wide => {
            let (x, y) = (to_i64(a), to_i64(b));
            if op.is_comparison() {
                return Ok(Data::Mask(ops::with_comparison!(op, f => plan.zip(&x, &y, f))));
            }
            let unsigned = matches!((a, b), (Data::U64(_), Data::U64(_)));
            let results = plan.zip(&x, &y, |x, y| ops::integer(op, x, y, kind == Kind::Wide, unsigned, mode));
            let values: Vec<i64> = results.into_iter().collect::<Res<_>>()?;
            Ok(match (kind, unsigned) {
                (Kind::Int, _) => Data::Int(values.into_iter().map(|v| v as i32).collect()),
                (_, true) => Data::U64(values.into_iter().map(|v| v as u64).collect()),
                _ => Data::I64(values),
            })
        }
        Kind::C32 | Kind::C64 => {
            let (x, y) = (to_c64(a), to_c64(b));
            if op.is_comparison() {
                let (Op2::Eq | Op2::Ne) = op else { return Err(ops::complex_order()) };
                return Ok(Data::Mask(plan.zip(&x, &y, |x, y| u8::from((x == y) == (op == Op2::Eq)))));
            }
            let results = plan.zip(&x, &y, |x, y| ops::complex(op, x, y));
            let values: Vec<[f64; 2]> = results.into_iter().collect::<Res<_>>()?;
            Ok(complex_data(values, kind == Kind::C64))
        }
    }
}

/// Complex elements in a precision.
pub fn complex_data(values: Vec<[f64; 2]>, double: bool) -> Data {
    if double { Data::C64(values) } else { Data::C32(values.into_iter().map(|z| [z[0] as f32, z[1] as f32]).collect()) }
}

pub fn is_cell(v: &Value) -> bool {
    matches!(v, Value::Array(t) if t.is_cell())
}

/// Whole-array arithmetic on sized integer arrays needs the module that says that it is wanted.
fn check_sized(v: &Value, mode: Mode) -> Res<()> {
    let Value::Array(t) = v else { return Ok(()) };
    if mode.inttypes || mode.device {
        return Ok(());
    }
    match t.data.borrow().int_kind() {
        None | Some(IntKind::Int) => Ok(()),
        Some(kind) => fault!(
            "Q0321", "whole-array arithmetic on '{}' elements is not enabled: import \"inttypes.q\"", kind.name();
            "write import \"inttypes.q\" at the beginning of the program"
        ),
    }
}

/// A level of cells within cells that an operator is at.
pub struct Level;

/// Levels that operators go down.
const MOST_LEVELS: u32 = 1000;

thread_local! {
    static LEVELS: Cell<u32> = const { Cell::new(0) };
}

impl Level {
    /// One level deeper.
    ///
    /// # Errors
    /// The cells are nested too deeply.
    pub fn enter() -> Res<Level> {
        if LEVELS.get() >= MOST_LEVELS {
            fault!("Q0322", "the cells are nested more than {MOST_LEVELS} levels deep"; "work on their parts");
        }
        LEVELS.set(LEVELS.get() + 1);
        Ok(Level)
    }
}

impl Drop for Level {
    fn drop(&mut self) {
        LEVELS.set(LEVELS.get() - 1);
    }
}

/// Operators on cells work on their elements; an unset element gives an unset result.
fn cells(op: Op2, a: &Value, b: &Value, mode: Mode) -> Res<Value> {
    let element = |x: &Value, y: &Value| -> Res<Value> {
        if matches!(x, Value::Unset) || matches!(y, Value::Unset) {
            return Ok(Value::Unset);
        }
        binary(op, x, y, mode)
    };
    let _level = Level::enter()?;
    if !super::memory::fits(64) {
        return Err(Fault::new("Q0310", "out of memory: an operator on cells"));
    }
    let differ =
        || Fault::new("Q0322", "cell matrices have different structures").help("both need the same size and nesting");
    let (shape, values) = match (a, b) {
        (Value::Array(x), Value::Array(y)) if x.is_cell() && y.is_cell() => {
            if x.shape != y.shape {
                return Err(differ());
            }
            let pairs = (0..x.len()).map(|i| (x.get(i).unwrap_or_default(), y.get(i).unwrap_or_default()));
            (x.shape.clone(), pairs.map(|(x, y)| element(&x, &y)).collect::<Res<Vec<_>>>()?)
        }
        (Value::Array(x), y) if x.is_cell() && y.is_number() => {
            (x.shape.clone(), (0..x.len()).map(|i| element(&x.get(i).unwrap_or_default(), y)).collect::<Res<_>>()?)
        }
        (x, Value::Array(y)) if y.is_cell() && x.is_number() => {
            (y.shape.clone(), (0..y.len()).map(|i| element(x, &y.get(i).unwrap_or_default())).collect::<Res<_>>()?)
        }
        _ => return Err(differ()),
    };
    Ok(Value::array(Tensor::new(shape, Data::Cell(values))))
}

fn operand_fault(op: Op2, a: &Value, b: &Value, mode: Mode) -> Box<Fault> {
    for v in [a, b] {
        if matches!(v, Value::Unset) {
            return Fault::new("Q0323", format!("an operand of '{}' has no value", op.name()))
                .help("the element of the cell was never set, or the variable never assigned");
        }
    }
    let (x, y) = (super::typing::type_of(a, mode.double), super::typing::type_of(b, mode.double));
    let help = if matches!(a, Value::Str(_)) || matches!(b, Value::Str(_)) {
        "convert with str2num(s) or num2str(x)"
    } else {
        "the operator works on numbers, arrays and cells of these"
    };
    Fault::new("Q0324", format!("'{}' is not defined for '{x}' and '{y}'", op.name())).help(help)
}
