//! Sets of numbers or strings, sums by index, and rows in order.

use super::along::{Axis, with_reals};
use super::array::gather;
use super::{Builtin, Call, Run, extreme, numbers, row, search};
use crate::arith::to_f64;
use crate::bulk;
use crate::fault::{Res, fault};
use crate::tensor::{Data, Shape, Tensor, normal_shape, real_data};
use crate::value::Value;
use std::cmp::Ordering;
use std::rc::Rc;

/// An element of a set: a number or a text.
#[derive(Clone)]
enum Item {
    Number(f64),
    Text(String),
}

impl Item {
    /// Numbers by value, zeros of both signs being equal, NaN last; then texts.
    fn order(&self, other: &Item) -> Ordering {
        match (self, other) {
            (Item::Number(a), Item::Number(b)) => a.partial_cmp(b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan())),
            (Item::Text(a), Item::Text(b)) => a.cmp(b),
            (Item::Number(_), Item::Text(_)) => Ordering::Less,
            (Item::Text(_), Item::Number(_)) => Ordering::Greater,
        }
    }

    /// NaN equals nothing, not even itself.
    fn same(&self, other: &Item) -> bool {
        self.order(other) == Ordering::Equal && !matches!(self, Item::Number(x) if x.is_nan())
    }
}

/// A set as an argument gives it.
struct Set {
    items: Vec<Item>,
    /// Where the elements are taken from.
    source: Rc<Tensor>,
}

fn set(call: &Call, i: usize) -> Res<Set> {
    let source = match &call.args[i] {
        v @ Value::Str(_) => Rc::new(Tensor::vector(Data::Cell(vec![v.clone()]))),
        Value::Array(t) if t.is_cell() => t.clone(),
        _ => call.tensor(i)?,
    };
    if source.data.borrow().is_complex() {
        fault!("Q0325", "'{}' is not defined for complex numbers", call.name; "use it on real(z), imag(z) or abs(z)");
    }
    let item = |v: Value| match &v {
        Value::Str(s) => Ok(Item::Text(s.to_string())),
        v => v.as_f64().map(Item::Number).ok_or_else(|| call.wrong(i, "numbers or a cell of strings")),
    };
    let items = (0..source.len()).map(|k| item(source.get(k).unwrap_or_default())).collect::<Res<_>>()?;
    Ok(Set { items, source })
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
        Value::array(gather(&self.source, Shape::from_slice(&[1, at.len()]), at.iter().copied()))
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

/// `[tf,k] = ismember(x,set)`; a text is one element.
fn ismember(call: &mut Call) -> Res<Vec<Value>> {
    if let Some(found) = numbers::ismember(call) {
        return Ok(found);
    }
    let (x, all) = (set(call, 0)?, set(call, 1)?);
    let order = all.distinct();
    let at: Vec<Option<usize>> = x.items.iter().map(|item| all.position(item, &order)).collect();
    if !matches!(call.args[0], Value::Array(_)) {
        return Ok(vec![Value::bool(at[0].is_some()), Value::Int(at[0].map_or(-1, |k| k as i32))]);
    }
    let found = Data::Mask(at.iter().map(|k| u8::from(k.is_some())).collect());
    let places = Tensor::ints(at.iter().map(|k| k.map_or(-1, |k| k as i64)));
    let shape = x.source.shape.clone();
    Ok(vec![Value::array(Tensor::new(shape.clone(), found)), Value::array(places.reshaped(shape))])
}

/// Elements of the first set that are, or are not, in the second; where they come from.
fn select(call: &mut Call, both: bool) -> Res<Vec<Value>> {
    if let Some(found) = numbers::select(call, both) {
        return Ok(found);
    }
    let (a, b) = (set(call, 0)?, set(call, 1)?);
    let order = b.distinct();
    let found: Vec<(usize, Option<usize>)> = a
        .distinct()
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
    Ok(out)
}

fn union(call: &mut Call) -> Res<Value> {
    if let Some(found) = numbers::union(call) {
        return Ok(found);
    }
    let (a, b) = (set(call, 0)?, set(call, 1)?);
    let mixed = a.source.is_cell() != b.source.is_cell();
    if mixed && !a.items.is_empty() && !b.items.is_empty() {
        fault!("Q0314", "'union' of numbers and a cell"; "use two arrays, or two cells");
    }
    let source = if a.items.is_empty() { b.source.clone() } else { a.source.clone() };
    let joined = Set { items: a.items.iter().chain(&b.items).cloned().collect(), source };
    let at = joined.distinct();
    let element = |i: usize| match i.checked_sub(a.items.len()) {
        Some(k) => b.source.get(k).unwrap_or_default(),
        None => a.source.get(i).unwrap_or_default(),
    };
    let values: Vec<Value> = at.into_iter().map(element).collect();
    if a.source.is_cell() || b.source.is_cell() {
        return Ok(Value::array(Tensor::vector(Data::Cell(values))));
    }
    let data = match values.iter().all(Value::is_integer) && !values.is_empty() {
        true => Data::Int(values.iter().map(|v| v.as_index().unwrap_or(0) as i32).collect()),
        false => real_data(values.iter().map(|v| v.as_f64().unwrap_or(f64::NAN)).collect(), call.double()),
    };
    Ok(Value::array(Tensor::vector(data)))
}

/// `[u,i,j] = unique(x)`: the different elements, where each stands first, and for every element of x which of them it is.
fn unique(call: &mut Call) -> Res<Vec<Value>> {
    let option = call.args.get(1).map(|_| call.text(1).map(|s| s.to_string())).transpose()?;
    match option.as_deref() {
        None | Some("sorted") => {}
        Some("rows") => return unique_rows(call),
        Some("stable") => {
            let x = set(call, 0)?;
            let mut order = x.distinct();
            order.sort_unstable();
            return Ok(vec![x.take(&order), indices(&order)]);
        }
        Some(_) => return Err(call.wrong(1, "\"rows\", \"stable\" or \"sorted\"")),
    }
    if let Some(found) = numbers::unique(call) {
        return Ok(found);
    }
    let x = set(call, 0)?;
    let order = x.distinct();
    let mut out = vec![x.take(&order), indices(&order)];
    if call.outs > 2 {
        let rank = |item: &Item| order.partition_point(|p| x.items[*p].order(item) == Ordering::Less) as i64;
        out.push(Value::array(Tensor::ints(x.items.iter().map(rank)).reshaped(x.source.shape.clone())));
    }
    Ok(out)
}

/// `unique(x,"rows")`: the different rows, by their elements.
fn unique_rows(call: &mut Call) -> Res<Vec<Value>> {
    let t = call.tensor(0)?;
    if t.shape.len() > 2 || t.is_cell() || t.data.borrow().is_complex() {
        return Err(call.wrong(0, "a matrix of real numbers"));
    }
    let (values, n) = (to_f64(&t.data.borrow()).into_owned(), t.shape[1]);
    let row = |i: usize| &values[i * n..(i + 1) * n];
    let numbers = |a: &f64, b: &f64| Item::Number(*a).order(&Item::Number(*b));
    let by_row = |a: &usize, b: &usize| {
        row(*a).iter().zip(row(*b)).map(|(x, y)| numbers(x, y)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
    };
    let mut order: Vec<usize> = (0..t.shape[0]).collect();
    order.sort_by(by_row);
    let mut first: Vec<usize> = Vec::new();
    let mut which = vec![0; order.len()];
    for i in order {
        // A row with NaN equals none.
        if first.last().is_none_or(|last| row(*last) != row(i)) {
            first.push(i);
        }
        which[i] = first.len() as i64 - 1;
    }
    let elements: Vec<usize> = first.iter().flat_map(|i| i * n..(i + 1) * n).collect();
    let rows = gather(&t, Shape::from_slice(&[first.len(), n]), elements.into_iter());
    Ok(vec![Value::array(rows), indices(&first), Value::array(Tensor::ints(which))])
}

/// Sums of many singles by integers from 0, each in double precision; nothing for other elements and numbers.
fn sums_by_number(call: &Call, at: &Tensor, values: &Tensor) -> Option<Value> {
    let (at, values) = (at.is_vector().then(|| at.data.borrow())?, values.data.borrow());
    let (Data::Int(at), Data::F32(v)) = (&*at, &*values) else { return None };
    if call.args.len() > 2 || at.len() != v.len() || at.is_empty() {
        return None;
    }
    let bins = usize::try_from(extreme::peaks(at, Axis::whole(at.len()), true)[0]).ok()? + 1;
    // Longer sums than memory is worth looking at twice have the general way.
    if bins > at.len().max(1024) || !bulk::all(at, |p| p >= 0) {
        return None;
    }
    let sums = search::tallies(at.len(), bins, &|range, sums: &mut [f64]| {
        at[range.clone()].iter().zip(&v[range]).for_each(|(p, x)| sums[*p as usize] += f64::from(*x));
    });
    Some(Value::array(Tensor::vector(real_data(sums, call.double()))))
}

/// How many subscripts a position has: one in a vector, else as many as a row of the matrix of positions.
fn subscripts(subs: &Tensor) -> Res<usize> {
    if subs.is_vector() || subs.shape[1] == 1 {
        return Ok(1);
    }
    if subs.shape[1] == 0 {
        fault!("Q0314", "'accumarray' with positions without a subscript"; "a row of the positions has one number per dimension");
    }
    Ok(subs.shape[1])
}

/// `accumarray(at,values[,size],f)`: what a function makes of the values that belong to the same position, 0 where there are none.
fn gathered(call: &mut Call) -> Res<Value> {
    let (f, args) = (call.args[call.args.len() - 1].clone(), &call.args[..call.args.len() - 1]);
    let values = call.list(1)?;
    // The sums of the numbers of values count them, and find what is wrong with the positions.
    let ones = Value::array(Tensor::vector(Data::F64(vec![1.0; values.len()])));
    let mut counted: Vec<Value> = args.to_vec();
    counted[1] = ones;
    let counts = accumarray(&mut call.with(&counted))?;
    let Value::Array(counts) = counts else { return Ok(counts) };
    let (subs, shape) = (call.tensor(0)?, counts.shape.clone());
    let positions = to_f64(&subs.data.borrow()).into_owned();
    let rank = subscripts(&subs)?;
    let mut groups: Vec<Vec<f64>> = vec![Vec::new(); counts.len()];
    for (at, x) in positions.chunks(rank).zip(&values) {
        let dims = if rank == 1 { &[0][..] } else { &shape[..] };
        groups[at.iter().zip(dims).fold(0, |k, (p, n)| k * n + *p as usize)].push(*x);
    }
    let mut out = vec![0.0; groups.len()];
    for (group, out) in groups.into_iter().zip(&mut out).filter(|(g, _)| !g.is_empty()) {
        let group = Value::array(Tensor::vector(real_data(group, call.double())));
        let result = call.cx.call(&f, vec![group], 1)?.into_iter().next().unwrap_or_default();
        let Some(x) = result.as_f64() else {
            fault!("Q0314", "the function of 'accumarray' gives no number"; "it gets a vector, and gives a number");
        };
        *out = x;
    }
    Ok(Value::array(Tensor::new(shape, real_data(out, call.double()))))
}

/// Sums of values by index: positions in the rows of argument 0, or numbers in a vector.
fn accumarray(call: &mut Call) -> Res<Value> {
    if matches!(call.args.last(), Some(Value::Function(_))) {
        return gathered(call);
    }
    let (subs, values) = (call.tensor(0)?, call.tensor(1)?);
    if let Some(out) = sums_by_number(call, &subs, &values) {
        return Ok(out);
    }
    let (positions, values) = (to_f64(&subs.data.borrow()).into_owned(), to_f64(&values.data.borrow()).into_owned());
    let rank = subscripts(&subs)?;
    let n = positions.len() / rank;
    if values.len() != n && values.len() != 1 {
        fault!("Q0320", "'accumarray' with {n} positions and {} values", values.len(); "give one value per position, or one for all");
    }
    if let Some(bad) = positions.iter().find(|p| **p < 0.0 || **p != p.floor() || **p > 1e9) {
        fault!("Q0314", "'accumarray' at position {}", crate::display::real(*bad); "positions are whole numbers from 0");
    }
    let shape = match call.args.get(2) {
        Some(size) if !matches!(size, Value::Array(t) if t.is_empty()) => {
            super::array::shape_from(&call.args[2..], "the result")?
        }
        _ => {
            let most = |d: usize| (0..n).map(|i| positions[i * rank + d] as usize + 1).max().unwrap_or(0);
            normal_shape(&if rank == 1 { vec![1, most(0)] } else { (0..rank).map(most).collect::<Vec<_>>() })
        }
    };
    let out = Tensor::zeros(shape, &quadra_quasar_hir::types::Type::SCALAR, true)?;
    if rank == 1 && positions.iter().fold(true, |all, p| all & ((*p as usize) < out.len())) {
        let mut sums = vec![0.0; out.len()];
        match values[..] {
            [x] => positions.iter().for_each(|p| sums[*p as usize] += x),
            _ => positions.iter().zip(&values).for_each(|(p, x)| sums[*p as usize] += x),
        }
        return Ok(Value::array(Tensor::new(out.shape.clone(), real_data(sums, call.double()))));
    }
    let dims: &[usize] = if rank == 1 { &[0] } else { &out.shape };
    let mut sums = vec![0.0; out.len()];
    for i in 0..n {
        let at = &positions[i * rank..(i + 1) * rank];
        let inside = rank == 1 || (rank == dims.len() && at.iter().zip(dims).all(|(p, n)| (*p as usize) < *n));
        let k = at.iter().zip(dims).fold(0, |k, (p, n)| k * n + *p as usize);
        match sums.get_mut(k).filter(|_| inside) {
            Some(sum) => *sum += values[if values.len() == 1 { 0 } else { i }],
            None => {
                let size = crate::display::shape_text(&out.shape);
                fault!("Q0314", "'accumarray' at a position outside of size {size}"; "give a greater size as argument 3")
            }
        }
    }
    Ok(Value::array(Tensor::new(out.shape.clone(), real_data(sums, call.double()))))
}

/// `[y,i] = sortrows(A[,columns])`; a column from 0 up, ascending, -1-k for column k descending.
fn sortrows(call: &mut Call) -> Res<Vec<Value>> {
    let t = call.tensor(0)?;
    if t.shape.len() > 2 || t.data.borrow().is_complex() {
        return Err(call.wrong(0, "a real matrix"));
    }
    let (m, n) = (t.shape[0], t.shape[1]);
    let columns: Vec<i64> = match call.args.get(1) {
        Some(_) => call.list(1)?.into_iter().map(|c| c as i64).collect(),
        None => (0..n as i64).collect(),
    };
    if let Some(bad) = columns.iter().find(|c| **c >= n as i64 || **c < -(n as i64)) {
        fault!("Q0314", "'sortrows' by column {bad} of a matrix with {n} columns"; "columns count from 0, -1-k sorts column k in descending order");
    }
    let values = to_f64(&t.data.borrow()).into_owned();
    let mut order: Vec<usize> = (0..m).collect();
    order.sort_by(|a, b| {
        let by = |c: &i64| {
            let k = if *c < 0 { -1 - c } else { *c } as usize;
            let found = values[a * n + k].total_cmp(&values[b * n + k]);
            if *c < 0 { found.reverse() } else { found }
        };
        columns.iter().map(by).find(|o| *o != Ordering::Equal).unwrap_or(Ordering::Equal)
    });
    let sorted = gather(&t, t.shape.clone(), order.iter().flat_map(|r| r * n..(r + 1) * n));
    Ok(vec![Value::array(sorted), indices(&order)])
}

/// How many values lie in `edges[k] <= x < edges[k+1]`; the last counts values equal to the last edge.
fn histc(call: &mut Call) -> Res<Value> {
    let (values, edges) = (call.tensor(0)?, call.list(1)?);
    if edges.is_empty() || !edges.is_sorted() {
        fault!("Q0314", "'histc' needs ascending edges"; "histc(x, [0,1,2])");
    }
    let (first, last) = (edges[0], edges[edges.len() - 1]);
    let inside = |x: f64| x >= first && x <= last;
    let places = numbers::Places::new(&edges);
    let data = values.data.borrow();
    if data.is_complex() {
        return Err(call.wrong(0, "real numbers"));
    }
    let counts = with_reals!(&data, v => search::counts(v, edges.len(), |x| {
        let x = search::number(*x);
        inside(x).then(|| places.up_to(x) - 1)
    }));
    Ok(Value::array(Tensor::ints(counts)))
}

pub const TABLE: &[Builtin] = &[
    row!(
        "unique",
        "unique(x[,\"rows\" or \"stable\"]), [u,i,j]=unique(x)",
        "different values (or rows), ascending or as they stand; i: where each stands first, j: which of them the elements of x are",
        "print unique([3,1,3])",
        1..=2,
        Run::Many(unique)
    ),
    row!(
        "ismember",
        "ismember(x,set), [tf,k]=ismember(x,set)",
        "1 for elements of x that the set holds; k: where, or -1; strings in cells, too",
        "print ismember([1,5],[5,6])",
        2..=2,
        Run::Many(ismember)
    ),
    row!(
        "setdiff",
        "setdiff(a,b), [c,i]=setdiff(a,b)",
        "the different elements of a that b lacks, ascending; i: their places in a",
        "print setdiff([3,1,2],[1])",
        2..=2,
        Run::Many(|c| select(c, false))
    ),
    row!(
        "intersect",
        "intersect(a,b), [c,i,j]=intersect(a,b)",
        "the different elements that both hold, ascending; i, j: their places in a and b",
        "print intersect([3,1,2],[2,3])",
        2..=2,
        Run::Many(|c| select(c, true))
    ),
    row!(
        "union",
        "union(a,b)",
        "the different elements of both, ascending",
        "print union([3,1],[2,1])",
        2..=2,
        Run::One(union)
    ),
    row!(
        "accumarray",
        "accumarray(at,values[,size][,f])",
        "sums of the values that belong to the same position, or what f gives for them; positions are numbers or the rows of a matrix",
        "print accumarray([0,2,0],[1,2,3])",
        2..=18,
        Run::One(accumarray)
    ),
    row!(
        "sortrows",
        "sortrows(A[,columns]), [y,i]=sortrows(A)",
        "rows ordered by their elements, or by some columns; -1-k orders column k descending",
        "print sortrows([[2,1],[1,2]])",
        1..=2,
        Run::Many(sortrows)
    ),
    row!(
        "histc",
        "histc(x,edges)",
        "how many values lie from each edge to below the next; the last counts those equal to the last edge",
        "print histc([1,2,2,3],[1,2,3])",
        2..=2,
        Run::One(histc)
    ),
];
