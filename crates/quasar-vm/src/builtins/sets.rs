//! Sets of numbers, strings or rows: their elements in order, and what two of them share.

use super::array::gather;
use super::{Builtin, Call, Run, numbers, row};
use crate::arith::{complex_data, to_c64, to_f64};
use crate::fault::{Res, fault};
use crate::slice;
use crate::tensor::{Data, Shape, Tensor, real_data};
use crate::value::Value;
use std::cmp::Ordering;
use std::rc::Rc;

/// An element of a set.
#[derive(Clone)]
enum Item {
    Number(f64),
    Complex([f64; 2]),
    Text(String),
    Row(Vec<f64>),
}

/// Numbers by value, zeros of both signs being equal, NaN last.
fn by_value(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// Complex numbers by size, equal ones by angle; what is no number last.
pub(super) fn by_size(a: [f64; 2], b: [f64; 2]) -> Ordering {
    let size = |z: [f64; 2]| if z[0].is_nan() || z[1].is_nan() { f64::NAN } else { z[0].hypot(z[1]) };
    // A zero below the axis is none.
    let angle = |z: [f64; 2]| (z[1] + 0.0).atan2(z[0] + 0.0);
    by_value(size(a), size(b)).then_with(|| by_value(angle(a), angle(b)))
}

impl Item {
    /// Numbers before rows before texts.
    fn order(&self, other: &Item) -> Ordering {
        let kind = |i: &Item| match i {
            Item::Number(_) | Item::Complex(_) => 0,
            Item::Row(_) => 1,
            Item::Text(_) => 2,
        };
        match (self, other) {
            (Item::Number(a), Item::Number(b)) => by_value(*a, *b),
            (Item::Complex(a), Item::Complex(b)) => by_size(*a, *b),
            (Item::Text(a), Item::Text(b)) => a.cmp(b),
            (Item::Row(a), Item::Row(b)) => {
                a.iter().zip(b).map(|(x, y)| by_value(*x, *y)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
            }
            _ => kind(self).cmp(&kind(other)),
        }
    }

    /// NaN equals nothing, not even itself.
    fn same(&self, other: &Item) -> bool {
        let number = match self {
            Item::Number(x) => !x.is_nan(),
            Item::Complex(z) => !z[0].is_nan() && !z[1].is_nan(),
            Item::Row(v) => v.iter().all(|x| !x.is_nan()),
            Item::Text(_) => true,
        };
        number && self.order(other) == Ordering::Equal
    }
}

/// Words behind the sets.
#[derive(Clone, Copy, Default)]
struct Options {
    rows: bool,
    stable: bool,
}

impl Options {
    /// The words behind so many sets.
    fn of(call: &Call, sets: usize) -> Res<Options> {
        let mut found = Options::default();
        for i in sets..call.args.len() {
            match call.text(i)? {
                "rows" => found.rows = true,
                "stable" => found.stable = true,
                "sorted" => {}
                _ => return Err(call.wrong(i, "\"rows\", \"stable\" or \"sorted\"")),
            }
        }
        Ok(found)
    }

    fn is_plain(self) -> bool {
        !self.rows && !self.stable
    }

    /// Places in the order that is asked for, from one by the elements.
    fn arranged(self, mut at: Vec<usize>) -> Vec<usize> {
        if self.stable {
            at.sort_unstable();
        }
        at
    }
}

/// A set as an argument gives it.
struct Set {
    items: Vec<Item>,
    /// Where the elements are taken from.
    source: Rc<Tensor>,
    /// How many elements of the source are one of the set, if they are rows.
    row: Option<usize>,
}

fn set(call: &Call, i: usize, options: Options) -> Res<Set> {
    let source = match &call.args[i] {
        v @ Value::Str(_) => Rc::new(Tensor::vector(Data::Cell(vec![v.clone()]))),
        Value::Array(t) if t.is_cell() => t.clone(),
        _ => call.tensor(i)?,
    };
    if options.rows {
        if source.shape.len() > 2 || source.is_cell() || source.data.borrow().is_complex() {
            return Err(call.wrong(i, "a matrix of real numbers"));
        }
        let (values, n) = (to_f64(&source.data.borrow()).into_owned(), source.shape[1]);
        let items = (0..source.shape[0]).map(|r| Item::Row(values[r * n..(r + 1) * n].to_vec())).collect();
        return Ok(Set { items, source, row: Some(n) });
    }
    let item = |v: Value| match &v {
        Value::Str(s) => Ok(Item::Text(s.to_string())),
        v => match v.as_f64() {
            Some(x) => Ok(Item::Number(x)),
            None => v.as_complex().map(Item::Complex).ok_or_else(|| call.wrong(i, "numbers or a cell of strings")),
        },
    };
    let items = (0..source.len()).map(|k| item(source.get(k).unwrap_or_default())).collect::<Res<_>>()?;
    Ok(Set { items, source, row: None })
}

/// Two sets whose elements are told apart in one way.
fn pair(call: &Call, options: Options) -> Res<(Set, Set)> {
    let (mut a, mut b) = (set(call, 0, options)?, set(call, 1, options)?);
    if let (Some(m), Some(n)) = (a.row, b.row)
        && m != n
        && !a.items.is_empty()
        && !b.items.is_empty()
    {
        fault!("Q0320", "'{}' of rows with {m} and {n} elements", call.name; "both matrices need as many columns");
    }
    if [&a, &b].iter().any(|s| s.items.iter().any(|i| matches!(i, Item::Complex(_)))) {
        for item in a.items.iter_mut().chain(&mut b.items) {
            if let Item::Number(x) = item {
                *item = Item::Complex([*x, 0.0]);
            }
        }
    }
    Ok((a, b))
}

impl Set {
    /// Positions in ascending order of the elements; of equal ones the first. NaNs are all kept.
    fn distinct(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.items.len()).collect();
        order.sort_by(|a, b| self.items[*a].order(&self.items[*b]));
        order.dedup_by(|a, b| self.items[*a].same(&self.items[*b]));
        order
    }

    fn take(&self, at: &[usize]) -> Value {
        match self.row {
            Some(n) => {
                let elements = at.iter().flat_map(|i| i * n..(i + 1) * n);
                Value::array(gather(&self.source, Shape::from_slice(&[at.len(), n]), elements))
            }
            None => Value::array(gather(&self.source, Shape::from_slice(&[1, at.len()]), at.iter().copied())),
        }
    }

    /// The position of an equal element, by the positions that [`Set::distinct`] gave.
    fn position(&self, item: &Item, order: &[usize]) -> Option<usize> {
        let k = order.partition_point(|p| self.items[*p].order(item) == Ordering::Less);
        order.get(k).copied().filter(|p| self.items[*p].same(item))
    }
}

fn indices(at: &[usize]) -> Value {
    Value::array(Tensor::ints(at.iter().map(|i| *i as i64)))
}

/// Whether an argument is a column of several elements.
fn is_column(call: &Call, i: usize) -> bool {
    matches!(&call.args[i], Value::Array(t) if slice::is_column(t))
}

/// The first results as columns, where the sets are some.
fn stood(results: Vec<Value>, column: bool, first: usize) -> Vec<Value> {
    let stand = |(k, v): (usize, Value)| match v {
        Value::Array(t) if column && k < first && t.shape.len() == 2 && t.shape[0] == 1 => {
            let n = t.len();
            Value::array(t.reshaped(Shape::from_slice(&[n, 1])))
        }
        v => v,
    };
    results.into_iter().enumerate().map(stand).collect()
}

/// `[tf,k] = ismember(x,set)`; a text is one element.
fn ismember(call: &mut Call) -> Res<Vec<Value>> {
    let options = Options::of(call, 2)?;
    if options.is_plain()
        && let Some(found) = numbers::ismember(call)
    {
        return Ok(found);
    }
    let (x, all) = pair(call, options)?;
    let order = all.distinct();
    let at: Vec<Option<usize>> = x.items.iter().map(|item| all.position(item, &order)).collect();
    if !matches!(call.args[0], Value::Array(_)) || options.rows && at.len() == 1 {
        return Ok(vec![Value::bool(at[0].is_some()), Value::Int(at[0].map_or(-1, |k| k as i32))]);
    }
    let found = Data::Mask(at.iter().map(|k| u8::from(k.is_some())).collect());
    let places = Tensor::ints(at.iter().map(|k| k.map_or(-1, |k| k as i64)));
    let shape = if options.rows { Shape::from_slice(&[at.len(), 1]) } else { x.source.shape.clone() };
    Ok(vec![Value::array(Tensor::new(shape.clone(), found)), Value::array(places.reshaped(shape))])
}

/// Elements of the first set that are, or are not, in the second; where they come from.
fn select(call: &mut Call, both: bool) -> Res<Vec<Value>> {
    let options = Options::of(call, 2)?;
    let column = !options.rows && (is_column(call, 0) || both && is_column(call, 1));
    if options.is_plain()
        && let Some(found) = numbers::select(call, both)
    {
        return Ok(stood(found, column, 3));
    }
    let (a, b) = pair(call, options)?;
    let order = b.distinct();
    let found: Vec<(usize, Option<usize>)> = options
        .arranged(a.distinct())
        .into_iter()
        .map(|i| (i, b.position(&a.items[i], &order)))
        .filter(|f| f.1.is_some() == both)
        .collect();
    let at: Vec<usize> = found.iter().map(|f| f.0).collect();
    let others: Vec<usize> = found.iter().filter_map(|f| f.1).collect();
    let mut out = vec![a.take(&at), indices(&at)];
    if both {
        out.push(indices(&others));
    }
    Ok(stood(out, column, 3))
}

fn union(call: &mut Call) -> Res<Value> {
    let options = Options::of(call, 2)?;
    let column = !options.rows && (is_column(call, 0) || is_column(call, 1));
    let found = match numbers::union(call).filter(|_| options.is_plain()) {
        Some(found) => found,
        None => joined(call, options)?,
    };
    Ok(stood(vec![found], column, 1).swap_remove(0))
}

fn joined(call: &Call, options: Options) -> Res<Value> {
    let (a, b) = pair(call, options)?;
    let mixed = a.source.is_cell() != b.source.is_cell();
    if mixed && !a.items.is_empty() && !b.items.is_empty() {
        fault!("Q0314", "'union' of numbers and a cell"; "use two arrays, or two cells");
    }
    let source = if a.items.is_empty() { b.source.clone() } else { a.source.clone() };
    let first = a.items.len();
    let joined = Set { items: a.items.into_iter().chain(b.items).collect(), source, row: a.row };
    let at = options.arranged(joined.distinct());
    let width = joined.row.map(|_| joined.source.shape[1]);
    let places = at.iter().flat_map(|i| (0..width.unwrap_or(1)).map(move |k| (*i, k)));
    let element = |(i, k): (usize, usize)| match i.checked_sub(first) {
        Some(i) => b.source.get(i * width.unwrap_or(1) + k).unwrap_or_default(),
        None => a.source.get(i * width.unwrap_or(1) + k).unwrap_or_default(),
    };
    let values: Vec<Value> = places.map(element).collect();
    let shape = Shape::from_slice(&[if width.is_some() { at.len() } else { 1 }, width.unwrap_or(at.len())]);
    if a.source.is_cell() || b.source.is_cell() {
        return Ok(Value::array(Tensor::vector(Data::Cell(values))));
    }
    let data = if values.iter().all(Value::is_integer) && !values.is_empty() {
        Data::Int(values.iter().map(|v| v.as_index().unwrap_or(0) as i32).collect())
    } else if values.iter().any(|v| v.as_f64().is_none()) {
        complex_data(values.iter().map(|v| v.as_complex().unwrap_or([f64::NAN; 2])).collect(), call.double())
    } else {
        real_data(values.iter().map(|v| v.as_f64().unwrap_or(f64::NAN)).collect(), call.double())
    };
    Ok(Value::array(Tensor::new(shape, data)))
}

/// `[u,i,j] = unique(x)`: the different elements, where each stands first, and for every element of x which of them it is.
fn unique(call: &mut Call) -> Res<Vec<Value>> {
    let options = Options::of(call, 1)?;
    let column = !options.rows && is_column(call, 0);
    if options.is_plain()
        && let Some(found) = numbers::unique(call)
    {
        return Ok(stood(found, column, 2));
    }
    let x = set(call, 0, options)?;
    let order = x.distinct();
    let at = options.arranged(order.clone());
    let mut out = vec![x.take(&at), indices(&at)];
    if call.outs > 2 {
        // Which of the results each of the distinct elements is.
        let mut number = vec![0; x.items.len()];
        at.iter().enumerate().for_each(|(k, i)| number[*i] = k as i64);
        let rank = |item: &Item| {
            let k = order.partition_point(|p| x.items[*p].order(item) == Ordering::Less);
            order.get(k).map_or(0, |i| number[*i])
        };
        let ranks = Tensor::ints(x.items.iter().map(rank));
        out.push(Value::array(if options.rows { ranks } else { ranks.reshaped(x.source.shape.clone()) }));
    }
    Ok(stood(out, column, 2))
}

/// `sort` of complex numbers along a dimension: by size, equal ones by angle. The places of the elements of each line.
pub(super) fn complex_ranks(data: &Data, descends: bool) -> impl Fn(&[usize]) -> Vec<u32> {
    let values = to_c64(data);
    move |line: &[usize]| {
        let mut order: Vec<u32> = (0..line.len() as u32).collect();
        order.sort_by(|a, b| {
            let found = by_size(values[line[*a as usize]], values[line[*b as usize]]);
            if descends { found.reverse() } else { found }
        });
        order
    }
}

pub const TABLE: &[Builtin] = &[
    row!(
        "unique",
        "unique(x[,\"rows\"][,\"stable\"]), [u,i,j]=unique(x)",
        "different values, or rows, ascending or as they stand, complex ones by size and angle; a column of those of a column; i: where each stands first, j: which of them the elements of x are",
        "print unique([3,1,3])",
        1..=3,
        Run::Many(unique)
    ),
    row!(
        "ismember",
        "ismember(x,set[,\"rows\"]), [tf,k]=ismember(x,set)",
        "1 for elements of x that the set holds; k: where, or -1; strings in cells, too; \"rows\": for the rows of x",
        "print ismember([1,5],[5,6])",
        2..=3,
        Run::Many(ismember)
    ),
    row!(
        "setdiff",
        "setdiff(a,b[,\"rows\"][,\"stable\"]), [c,i]=setdiff(a,b)",
        "the different elements of a that b lacks, ascending, or in their order with \"stable\"; i: their places in a",
        "print setdiff([3,1,2],[1])",
        2..=4,
        Run::Many(|c| select(c, false))
    ),
    row!(
        "intersect",
        "intersect(a,b[,\"rows\"][,\"stable\"]), [c,i,j]=intersect(a,b)",
        "the different elements that both hold, ascending, or in their order with \"stable\"; i, j: their places in a and b",
        "print intersect([3,1,2],[2,3])",
        2..=4,
        Run::Many(|c| select(c, true))
    ),
    row!(
        "union",
        "union(a,b[,\"rows\"][,\"stable\"])",
        "the different elements of both, ascending, or in their order with \"stable\"",
        "print union([3,1],[2,1])",
        2..=4,
        Run::One(union)
    ),
];
