//! Reductions, cumulative sums, sorting and searching.

use super::along::{self, Axis, Reals, reals, with_reals};
use super::array::gather;
use super::omit::worded;
use super::{Builtin, Call, Run, extreme, row, search};
use crate::arith::{Kind, complex_data, to_c64, to_f64, to_i64};
use crate::bulk;
use crate::fault::{Res, fault};
use crate::order::{Keys, keys};
use crate::storage::{self, lines_at_a_time};
use crate::strided::Walk;
use crate::tensor::{Data, Shape, Tensor, normal_shape, real_data};
use crate::value::Value;
use quadra_numeric::order;
use quadra_numeric::threads;
use quadra_quasar_hir::meaning::Meaning;
use quadra_quasar_hir::op2::Op2;

/// The lines of an array along a dimension: how many elements each has, and where they are.
pub struct Lines {
    pub length: usize,
    /// Distance of neighbours in a line.
    pub stride: usize,
    pub starts: Vec<usize>,
    /// Shape with the dimension reduced to 1.
    pub shape: Shape,
}

impl Lines {
    pub fn of(t: &Tensor, dim: usize) -> Lines {
        let length = t.shape.get(dim).copied().unwrap_or(1);
        let stride: usize = t.shape.iter().skip(dim + 1).product();
        let block = (length * stride).max(1);
        let blocks = if length == 0 { t.shape.iter().take(dim).product() } else { t.len() / block };
        let starts = (0..blocks).flat_map(|b| (0..stride).map(move |s| b * block + s)).collect();
        let mut shape = t.shape.clone();
        if let Some(n) = shape.get_mut(dim) {
            *n = 1;
        }
        Lines { length, stride, starts, shape }
    }

    pub fn items(&self, start: usize) -> impl Iterator<Item = usize> + use<> {
        let stride = self.stride;
        (0..self.length).map(move |k| start + k * stride)
    }
}

pub(super) fn dimension(call: &Call, i: usize) -> Res<usize> {
    let d = call.integer(i)?;
    usize::try_from(d).ok().filter(|d| *d < 16).ok_or_else(|| call.wrong(i, "a dimension from 0"))
}

/// A reduction of real numbers to one, over all elements or along a dimension: `f` gives the results of lines of elements.
pub(super) fn real(call: &mut Call, f: impl Fn(&Data, Axis) -> Vec<f64>) -> Res<Value> {
    let t = call.tensor(0)?;
    let data = t.data.borrow();
    let kind = Kind::of_data(&data).unwrap_or(Kind::F64);
    if kind >= Kind::C32 {
        fault!("Q0325", "'{}' is not defined for complex numbers", call.name; "use it on real(z), imag(z) or abs(z)");
    }
    let double = kind == Kind::F64 || (kind != Kind::F32 && call.double());
    if call.args.len() < 2 {
        return Ok(Value::scalar(f(&data, Axis::whole(t.len()))[0], double));
    }
    let dim = dimension(call, 1)?;
    Ok(Value::array(Tensor::new(reduced(&t, dim), real_data(f(&data, Axis::of(&t, dim)), double))))
}

/// The shape with a dimension reduced to 1.
pub(super) fn reduced(t: &Tensor, dim: usize) -> Shape {
    let mut shape = t.shape.clone();
    if let Some(n) = shape.get_mut(dim) {
        *n = 1;
    }
    normal_shape(&shape)
}

/// `sum`, `prod`: integers stay integers.
fn fold(call: &mut Call, op: Op2, start: f64) -> Res<Value> {
    if let Value::Array(t) = &call.args[0]
        && t.is_cell()
    {
        let mut total = Value::Int(start as i32);
        for i in 0..t.len() {
            total = crate::arith::binary(op, &total, &t.get(i).unwrap_or_default(), call.mode())?;
        }
        return Ok(total);
    }
    let t = call.tensor(0)?;
    let data = t.data.borrow();
    let kind = Kind::of_data(&data).unwrap_or(Kind::F64);
    if kind >= Kind::C32 {
        return fold_complex(call, &t, &data, op, start, kind == Kind::C64);
    }
    if kind.is_int() && call.args.len() < 2 {
        let small = matches!(*data, Data::Int(_) | Data::I32(_) | Data::Mask(_) | Data::U8(_));
        let total = match (op, reals(&data)) {
            (Op2::Add, Reals::Int(v)) => v.iter().map(|x| i64::from(*x)).sum(),
            (Op2::Add, Reals::Mask(v)) if small => v.iter().map(|x| i64::from(*x)).sum(),
            _ => {
                let mut total = start as i64;
                for x in to_i64(&data) {
                    total = crate::scalar_ops::integer(op, total, x, true, false, call.mode())?;
                }
                total
            }
        };
        return Ok(i32::try_from(total).map_or(Value::IntN(quadra_quasar_hir::types::IntKind::I64, total), Value::Int));
    }
    drop(data);
    let v = match op {
        Op2::Add => real(call, |data, axis| with_reals!(data, v => along::sums(v, axis))),
        _ => real(call, |data, axis| with_reals!(data, v => along::products(v, axis))),
    }?;
    match (&v, kind.is_int()) {
        (Value::Array(out), true) => {
            let ty = quadra_quasar_hir::types::Type::INT;
            Ok(Value::Array(crate::typing::convert_elements(out, &ty, call.double())?))
        }
        _ => Ok(v),
    }
}

fn fold_complex(call: &Call, t: &Tensor, data: &Data, op: Op2, start: f64, double: bool) -> Res<Value> {
    let values = to_c64(data);
    let total = |items: &mut dyn Iterator<Item = usize>| -> Res<[f64; 2]> {
        let mut z = [start, 0.0];
        for i in items {
            z = crate::scalar_ops::complex(op, z, values[i])?;
        }
        Ok(z)
    };
    if call.args.len() < 2 {
        let z = total(&mut (0..values.len()))?;
        return Ok(Value::complex(z[0], z[1], double));
    }
    let lines = Lines::of(t, dimension(call, 1)?);
    let out = lines.starts.iter().map(|s| total(&mut lines.items(*s))).collect::<Res<Vec<_>>>()?;
    Ok(Value::array(Tensor::new(normal_shape(&lines.shape), complex_data(out, double))))
}

/// `max(x)` and `min(x)`, over all elements or along a dimension; the second output is the index.
pub fn extreme(call: &Call, x: &Value, dim: Option<i64>, op: Op2) -> Res<Vec<Value>> {
    if x.is_number() {
        return Ok(vec![x.clone(), Value::Int(0)]);
    }
    let t = match x {
        Value::Array(t) if !t.is_cell() => t.clone(),
        _ => return Err(call.wrong(0, "an array of numbers")),
    };
    let data = t.data.borrow();
    if data.is_complex() {
        return Err(crate::scalar_ops::complex_order());
    }
    if t.is_empty() {
        fault!("Q0395", "'{}' of an empty array", call.name; "test with isempty(x) first");
    }
    let greatest = op == Op2::Max;
    let alone = |axis: Axis| extreme::alone(&data, axis, greatest).filter(|_| call.outs < 2);
    let Some(d) = dim else {
        if let Some(found) = alone(Axis::whole(t.len())) {
            return Ok(vec![found.get(0).unwrap_or_default()]);
        }
        let k = with_reals!(&data, v => extreme::best_of(v, greatest));
        return Ok(vec![data.get(k).unwrap_or_default(), Value::size(k)]);
    };
    let d = usize::try_from(d).map_err(|_| call.wrong(2, "a dimension from 0"))?;
    let axis = Axis::of(&t, d);
    if let Some(found) = alone(axis) {
        return Ok(vec![Value::array(Tensor::new(reduced(&t, d), found).with_fit(t.fit))]);
    }
    let found = with_reals!(&data, v => extreme::best(v, axis, greatest));
    let shape = reduced(&t, d);
    let place =
        |(line, k): (usize, &usize)| line / axis.inner * axis.length * axis.inner + k * axis.inner + line % axis.inner;
    let out = gather(&t, shape.clone(), found.iter().enumerate().map(place));
    let at = Tensor::ints(found.iter().map(|k| *k as i64)).reshaped(shape);
    Ok(vec![Value::array(out), Value::array(at)])
}

fn cumulate(call: &mut Call, op: Op2) -> Res<Value> {
    let t = call.tensor(0)?;
    let dim = match call.args.len() {
        2 => dimension(call, 1)?,
        _ => usize::from(t.is_vector()),
    };
    let data = t.data.borrow();
    let kind = Kind::of_data(&data).unwrap_or(Kind::F64);
    if kind < Kind::C32 {
        let axis = Axis::of(&t, dim);
        macro_rules! run {
            ($kind:ident, $t:ty) => {{
                let mut out: Vec<$t> = storage::storage(t.len());
                match op {
                    Op2::Add => with_reals!(&data, v => along::running(v, axis, |a, b| a + b, |i, x| out[i] = x as $t)),
                    _ => with_reals!(&data, v => along::running(v, axis, |a, b| a * b, |i, x| out[i] = x as $t)),
                }
                Data::$kind(out)
            }};
        }
        let out = match kind {
            Kind::F64 => run!(F64, f64),
            k if k.is_int() => run!(Int, i32),
            _ => run!(F32, f32),
        };
        return Ok(Value::array(Tensor::new(t.shape.clone(), out)));
    }
    let lines = Lines::of(&t, dim);
    let mut values = to_c64(&data);
    for start in &lines.starts {
        let mut total: Option<[f64; 2]> = None;
        for i in lines.items(*start) {
            let next = match total {
                Some(z) => crate::scalar_ops::complex(op, z, values[i])?,
                None => values[i],
            };
            values[i] = next;
            total = Some(next);
        }
    }
    Ok(Value::array(Tensor::new(t.shape.clone(), complex_data(values, kind == Kind::C64))))
}

/// The middle of each line; NaN where one is among the elements.
fn medians(data: &Data, axis: Axis) -> Vec<f64> {
    match (keys(data), data) {
        (Keys::Single(keys), Data::F32(_) | Data::F16(_)) => {
            lined_up(&keys, axis, |l| middle(l, |k| order::single(k).into()))
        }
        (Keys::Double(keys), _) => lined_up(&keys, axis, |l| middle(l, order::double)),
        (Keys::Single(_), _) => {
            let keys: Vec<u64> = to_f64(data).iter().map(|x| order::of_double(*x)).collect();
            lined_up(&keys, axis, |l| middle(l, order::double))
        }
    }
}

/// The results of lines, each as a list.
pub(super) fn lined_up<K: Copy + Send + Sync, A: Send>(v: &[K], axis: Axis, f: impl Fn(&[K]) -> A + Sync) -> Vec<A> {
    if axis.inner == 1 {
        return along::each_line(v, axis, f);
    }
    let line = |k: usize| {
        let base = k / axis.inner * axis.length * axis.inner + k % axis.inner;
        f(&(0..axis.length).map(|i| v[base + i * axis.inner]).collect::<Vec<K>>())
    };
    let lines = axis.lines();
    threads::lists(lines, lines_at_a_time(lines, axis.length, 4), &|some| some.map(line).collect())
}

fn middle<K: order::Key>(line: &[K], number: impl Fn(K) -> f64) -> f64 {
    let n = line.len();
    if n == 0 {
        return f64::NAN;
    }
    if line.iter().fold(false, |any, k| any | number(*k).is_nan()) {
        return f64::NAN;
    }
    let high = order::select(line, n / 2);
    if n % 2 == 1 {
        return number(high);
    }
    let low = order::select(line, n / 2 - 1);
    (number(low) + number(high)) / 2.0
}

pub(super) fn variances(data: &Data, axis: Axis) -> Vec<f64> {
    with_reals!(data, v => along::variances(v, axis))
}

fn average(call: &mut Call) -> Res<Value> {
    let t = call.tensor(0)?;
    if t.data.borrow().is_complex() {
        let n = if call.args.len() < 2 { t.len() } else { t.shape.get(dimension(call, 1)?).copied().unwrap_or(1) };
        let total = fold(call, Op2::Add, 0.0)?;
        return crate::arith::binary(Op2::Div, &total, &Value::size(n), call.mode());
    }
    real(call, |data, axis| {
        let mut sums = with_reals!(data, v => along::sums(v, axis));
        sums.iter_mut().for_each(|s| *s /= axis.length as f64);
        sums
    })
}

/// `any` and `all`, over all elements or along a dimension.
fn test(call: &mut Call, all: bool) -> Res<Value> {
    let t = call.tensor(0)?;
    let data = t.data.borrow();
    let set: Vec<u8>;
    let data = match data.is_complex() {
        true => {
            set = to_c64(&data).into_iter().map(|z| u8::from(z != [0.0, 0.0])).collect();
            &Data::Mask(set)
        }
        false => &*data,
    };
    if call.args.len() < 2 {
        let truth = with_reals!(data, v => along::truths(v, Axis::whole(t.len()), all));
        return Ok(Value::bool(truth[0] != 0));
    }
    let dim = dimension(call, 1)?;
    let out = with_reals!(data, v => along::truths(v, Axis::of(&t, dim), all));
    Ok(Value::array(Tensor::new(reduced(&t, dim), Data::Mask(out))))
}

/// A text argument that says which way to sort.
fn descends(call: &Call, i: usize) -> Res<bool> {
    match call.text(i)? {
        "ascend" => Ok(false),
        "descend" => Ok(true),
        _ => Err(call.wrong(i, "\"ascend\" or \"descend\"")),
    }
}

/// `[s,i] = sort(x[,dim][,"descend"])`; NaN counts as greater than every number.
fn sort(call: &mut Call) -> Res<Vec<Value>> {
    if let Value::Array(t) = &call.args[0]
        && t.is_cell()
    {
        return sort_texts(call, t);
    }
    let t = call.tensor(0)?;
    let word = (1..call.args.len()).find(|i| call.args[*i].as_text().is_some());
    let descends = word.map_or(Ok(false), |i| descends(call, i))?;
    let dim = match call.args.get(1) {
        Some(v) if v.as_text().is_none() => dimension(call, 1)?,
        _ => usize::from(t.is_vector()),
    };
    let data = t.data.borrow();
    let whole = Axis::of(&t, dim);
    let ranks = call.outs > 1;
    // The order of the elements and of their keys is the same.
    if !ranks && let Data::F32(_) = *data {
        let Keys::Single(keys) = keys(&data) else { return Err(call.wrong(0, "numbers")) };
        let flip = if descends { u32::MAX } else { 0 };
        let mut keys = bulk::each(&keys, |k| k ^ flip);
        if whole.inner > 1 {
            keys = lined_up(&keys, whole, <[u32]>::to_vec).concat();
        }
        storage::each_line(&mut keys, whole.length, 4, |_, line| order::sort(line));
        let sorted = bulk::each(&keys, |k| order::single(k ^ flip));
        return Ok(vec![Value::array(in_lines(Data::F32(sorted), &t, whole))]);
    }
    macro_rules! order_of {
        ($keys:expr) => {
            lined_up(&$keys, whole, |l| {
                let keys: Vec<_> = l.iter().map(|k| if descends { order::Key::flipped(*k) } else { *k }).collect();
                order::ranks(&keys)
            })
        };
    }
    let found: Vec<Vec<u32>> = if data.is_complex() {
        let places: Vec<usize> = (0..data.len()).collect();
        lined_up(&places, whole, super::sets::complex_ranks(&data, descends))
    } else {
        match keys(&data) {
            Keys::Single(keys) => order_of!(keys),
            Keys::Double(keys) => order_of!(keys),
        }
    };
    let source = found.iter().enumerate().flat_map(|(line, order)| {
        let base = line / whole.inner * whole.length * whole.inner + line % whole.inner;
        order.iter().map(move |k| base + *k as usize * whole.inner)
    });
    let sorted = gather(&t, t.shape.clone(), source);
    let sorted = in_lines(sorted.data.borrow().clone(), &t, whole).with_fit(t.fit);
    let places = Data::Int(found.into_iter().flatten().map(|k| k as i32).collect());
    Ok(vec![Value::array(sorted), Value::array(in_lines(places, &t, whole))])
}

/// Elements that lie line by line, as an array of the shape of `t`, whose lines go along a dimension.
fn in_lines(data: Data, t: &Tensor, axis: Axis) -> Tensor {
    let out = Tensor::new(t.shape.clone(), data);
    if axis.inner == 1 {
        return out;
    }
    let Axis { outer, length, inner } = axis;
    let block = (length * inner) as isize;
    Walk::new(0, [(outer, block), (length, 1), (inner, length as isize)]).take(&out, t.shape.clone())
}

fn sort_texts(call: &Call, t: &Tensor) -> Res<Vec<Value>> {
    let texts: Vec<Value> = (0..t.len()).map(|i| t.get(i).unwrap_or_default()).collect();
    if texts.iter().any(|v| v.as_text().is_none()) {
        return Err(call.wrong(0, "numbers or a cell of strings"));
    }
    let descends = if call.args.len() > 1 { descends(call, 1)? } else { false };
    let mut order: Vec<usize> = (0..texts.len()).collect();
    order.sort_by(|a, b| {
        let found = texts[*a].as_text().cmp(&texts[*b].as_text());
        if descends { found.reverse() } else { found }
    });
    let places = Tensor::ints(order.iter().map(|i| *i as i64)).reshaped(t.shape.clone());
    Ok(vec![Value::array(gather(t, t.shape.clone(), order.into_iter())), Value::array(places)])
}

pub const TABLE: &[Builtin] = &[
    row!(
        "sum",
        "sum(x[,dim][,\"all\"][,\"omitnan\"])",
        "sum of all elements, or along a dimension",
        "print sum([1,2,3])",
        1..=3,
        Run::One(|c| worded(c, 1, |c| fold(c, Op2::Add, 0.0)))
    )
    .means(Meaning::Sum)
    .frugal(),
    row!(
        "prod",
        "prod(x[,dim][,\"all\"][,\"omitnan\"])",
        "product of all elements, or along a dimension",
        "print prod([1,2,3])",
        1..=3,
        Run::One(|c| worded(c, 1, |c| fold(c, Op2::Mul, 1.0)))
    )
    .means(Meaning::Product)
    .frugal(),
    row!(
        "mean",
        "mean(x[,dim][,\"all\"][,\"omitnan\"])",
        "mean of all elements, or along a dimension",
        "print mean([1,2,3])",
        1..=3,
        Run::One(|c| worded(c, 1, average))
    )
    .means(Meaning::Mean)
    .frugal(),
    row!(
        "median",
        "median(x[,dim][,\"all\"][,\"omitnan\"])",
        "middle value",
        "print median([3,1,2])",
        1..=3,
        Run::One(|c| worded(c, 1, |c| real(c, medians)))
    ),
    row!(
        "any",
        "any(x[,dim])",
        "1 if an element is not 0",
        "print any([0,1])",
        1..=2,
        Run::One(|c| worded(c, 1, |c| test(c, false)))
    )
    .means(Meaning::Truth { all: false }),
    row!(
        "all",
        "all(x[,dim])",
        "1 if no element is 0",
        "print all([0,1])",
        1..=2,
        Run::One(|c| worded(c, 1, |c| test(c, true)))
    )
    .means(Meaning::Truth { all: true }),
    row!(
        "cumsum",
        "cumsum(x[,dim])",
        "running sum",
        "print cumsum([1,2,3])",
        1..=2,
        Run::One(|c| cumulate(c, Op2::Add))
    ),
    row!(
        "cumprod",
        "cumprod(x[,dim])",
        "running product",
        "print cumprod([1,2,3])",
        1..=2,
        Run::One(|c| cumulate(c, Op2::Mul))
    ),
    row!(
        "sort",
        "sort(x[,dim][,\"descend\"]), [s,i]=sort(x)",
        "ascending, stable; columns of a matrix; i: where each came from; strings in a cell, too",
        "print sort([3,1,2])",
        1..=3,
        Run::Many(sort)
    ),
    row!(
        "find",
        "find(x[,n[,\"last\"]])",
        "positions of the elements that are not 0, or of the first or last n of them, one per row; [i,j,v] = find(x) gives rows, columns and elements",
        "print find([0,5,0,7])",
        1..=3,
        Run::Many(search::find)
    ),
    row!(
        "hist",
        "[n,c]=hist(x[,n]), hist(x,centres)",
        "how many values fall into each of n equal intervals (10 by default), or are nearest to each centre; c: the centres",
        "print hist([0,1,2,9],2)",
        1..=2,
        Run::Many(search::hist)
    ),
    row!("dotprod", "dotprod(a,b)", "sum of products", "print dotprod([1,2],[3,4])", 2..=2, Run::One(search::dotprod))
        .means(Meaning::DotProduct),
    row!("inprod", "inprod(a,b)", "the same as dotprod", "print inprod([1,2],[3,4])", 2..=2, Run::One(search::dotprod))
        .means(Meaning::DotProduct),
];
