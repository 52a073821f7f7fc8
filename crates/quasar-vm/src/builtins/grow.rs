//! Arrays that become longer, by an element behind the last one or by whatever is stored in them, and shorter.

use super::array::{any_tensor, gather, joined};
use super::{Builtin, Call, Run, row};
use crate::fault::{Res, fault};
use crate::tensor::{Data, Shape, Tensor};
use crate::value::{Instance, RangeValue, Value};
use crate::{display, index, memory, slice};
use quadra_quasar_hir::types::{Access, Type};
use std::rc::Rc;

fn squeezed(shape: &[usize]) -> Vec<usize> {
    shape.iter().copied().filter(|n| *n != 1).collect()
}

/// One element more, or one slice more along a dimension. A cell takes every value as an element.
fn append(call: &mut Call) -> Res<Value> {
    let cell = matches!(&call.args[0], Value::Array(t) if t.is_cell());
    let x = any_tensor(call, 0)?;
    let item = match &call.args[1] {
        v if cell && call.args.len() == 2 => Rc::new(Tensor::vector(Data::Cell(vec![v.clone()]))),
        Value::Array(t) => t.clone(),
        v if v.is_number() => call.tensor(1)?,
        v => Rc::new(Tensor::vector(Data::Cell(vec![v.clone()]))),
    };
    if item.is_cell() && !x.is_cell() && !x.is_empty() {
        return Err(call.wrong(1, "a number"));
    }
    let column = slice::is_column(&x);
    let dim = match call.args.get(2) {
        Some(_) => usize::try_from(call.integer(2)?).map_err(|_| call.wrong(2, "a dimension of the array"))?,
        None if x.shape.len() > 2 || !(x.is_empty() || x.is_vector() || column) => {
            return Err(call.wrong(0, "a vector or a cell: say the dimension, as in A[end+1,:] = row"));
        }
        None if item.len() != 1 => return Err(call.wrong(1, "one element")),
        None => usize::from(!column),
    };
    if dim >= x.shape.len().max(2) {
        return Err(call.wrong(2, "a dimension of the array"));
    }
    // What is put behind may lack the dimension along which it is one slice.
    let rest: Shape = (0..x.shape.len()).filter(|d| *d != dim).map(|d| x.shape[d]).collect();
    let mut want = x.shape.clone();
    want[dim] = 1;
    if !x.is_empty() && squeezed(&item.shape) != squeezed(&rest) {
        let (a, b) = (display::shape_text(&x.shape), display::shape_text(&item.shape));
        fault!("Q0393", "'append' of sizes {a} and {b}"; "what is put behind has the size of one row, column or slice");
    }
    let item = if x.is_empty() { item } else { Rc::new(item.reshaped(want)) };
    joined(call, vec![x, item], dim)
}

/// How long a dimension must be for an index.
fn reach(v: &Value, now: usize) -> Option<usize> {
    let beyond = |i: i64| usize::try_from(i).ok()?.checked_add(1);
    match v {
        Value::Colon => Some(now),
        Value::Array(t) if !t.is_cell() => {
            if matches!(*t.data.peek(), Data::Mask(_)) {
                return Some(now);
            }
            let mut all = (0..t.len()).map(|k| t.get(k).and_then(|v| v.as_index()).and_then(beyond));
            all.try_fold(0, |most, n| Some(most.max(n?)))
        }
        v => beyond(v.as_index()?),
    }
}

/// Arguments as indices: the text ":" stands for all of a dimension.
fn indices_from(args: &[Value]) -> Vec<Value> {
    let colon = |v: &Value| v.as_text().is_some_and(|s| s == ":");
    args.iter().map(|v| if colon(v) { Value::Colon } else { v.clone() }).collect()
}

/// `stored(x,v,i…)`.
fn stored(call: &mut Call) -> Res<Value> {
    let x = any_tensor(call, 0)?;
    let value = &call.args[1];
    let indices = indices_from(&call.args[2..]);
    let shape = extent(call, &x, &indices)?;
    let double = call.double();
    let whole = indices.iter().all(|v| v.as_index().is_some());
    let cell = x.is_cell() || x.is_empty() && whole && !is_one_number(value);
    let complex = !cell && (x.data.peek().is_complex() || is_complex(value));
    let fits = shape == x.shape && cell == x.is_cell() && complex == x.data.peek().is_complex();
    if fits {
        index::write(&x, &indices, value, Access::Checked, "", double)?;
        return Ok(Value::Array(x));
    }
    let (target, taken) = grown(&x, shape, (cell, complex), double)?;
    if let Err(fault) = index::write(&target, &indices, value, Access::Checked, "", double) {
        if taken {
            // The variable keeps the elements that it had.
            let mut data = std::mem::replace(&mut *target.data.borrow_mut(), Data::F32(Vec::new()));
            set_length(&mut data, x.shape.iter().product());
            *x.data.borrow_mut() = data;
        }
        return Err(fault);
    }
    Ok(Value::array(target))
}

fn is_one_number(v: &Value) -> bool {
    match v {
        Value::Array(t) => !t.is_cell() && t.len() == 1,
        v => v.is_number(),
    }
}

fn is_complex(v: &Value) -> bool {
    match v {
        Value::Array(t) => t.data.peek().is_complex(),
        v => matches!(v, Value::C32(_) | Value::C64(_)),
    }
}

/// The size that the array has after the store.
fn extent(call: &Call, x: &Tensor, indices: &[Value]) -> Res<Shape> {
    let outside = || {
        crate::fault::Fault::new("Q0341", "an array grows at indices from 0 on".to_string())
            .help("use numbers, ranges, ':' or vectors of numbers")
    };
    if let [one] = indices {
        let n = reach(one, x.len()).ok_or_else(outside)?;
        let n = match (one, &call.args[1]) {
            (Value::Colon, Value::Array(v)) if x.is_empty() => v.len(),
            _ => n,
        };
        let mut shape = x.shape.clone();
        if n > x.len() {
            match slice::is_column(x) {
                true => shape[0] = n,
                false if x.is_empty() || x.is_vector() => shape = Shape::from_slice(&[1, n]),
                false => fault!(
                    "Q0340", "index {} is out of bounds (0..{}) in an array of size {}", n - 1, x.len() - 1, display::shape_text(&x.shape);
                    "a matrix grows where every index is given: D[i,j] = v"
                ),
            }
        }
        return Ok(shape);
    }
    let rank = indices.len().max(if x.is_empty() { 0 } else { x.shape.len() });
    let mut shape: Shape =
        (0..rank).map(|d| if x.is_empty() { 0 } else { x.shape.get(d).copied().unwrap_or(1) }).collect();
    // Of what is stored in an empty array, the sizes fill the dimensions that are taken whole.
    let mut sizes = match &call.args[1] {
        Value::Array(v) => squeezed(&v.shape),
        _ => Vec::new(),
    }
    .into_iter();
    for (d, v) in indices.iter().enumerate() {
        let now = shape[d];
        let long = matches!(v, Value::Colon | Value::Array(_));
        let own = if x.is_empty() && long { sizes.next().unwrap_or(1) } else { now };
        let need = if matches!(v, Value::Colon) { own } else { reach(v, now).ok_or_else(outside)? };
        shape[d] = now.max(need);
    }
    while shape.len() > 2 && shape.last() == Some(&1) {
        shape.pop();
    }
    Ok(shape)
}

/// The array in a larger size, perhaps with another kind of elements; 0, or nothing in cells, where it had no element. Whether the old
/// array has given its elements away.
fn grown(x: &Rc<Tensor>, shape: Shape, (cell, complex): (bool, bool), double: bool) -> Res<(Tensor, bool)> {
    let count = shape.iter().fold(1usize, |n, d| n.saturating_mul(*d));
    memory::elements(count, if cell || complex { 16 } else { 8 }, "an array that grows")?;
    let same_kind = cell == x.is_cell() && complex == x.data.peek().is_complex();
    // Rows behind the others, or elements of a vector: all keep their places. If nobody but the variable, the argument and this function
    // holds the array, the elements need not be copied.
    let tail = if x.shape[0] == 1 { 1 } else { 0 };
    let behind = x.shape.len() == shape.len() && (0..shape.len()).all(|d| d == tail || shape[d] == x.shape[d]);
    if same_kind && behind && !x.is_empty() && Rc::strong_count(x) <= 3 {
        let mut data = std::mem::replace(&mut *x.data.borrow_mut(), Data::F32(Vec::new()));
        set_length(&mut data, count);
        return Ok((Tensor::new(shape, data).with_fit(x.fit).with_cell_type(x.cell_type.clone()), true));
    }
    let out = match (cell, complex) {
        (true, _) => Tensor::new(shape, Data::Cell(vec![Value::Unset; count])),
        (_, true) => Tensor::zeros(shape, &Type::COMPLEX, double)?,
        _ => Tensor::zeros(shape, &Type::SCALAR, double)?,
    };
    if x.is_empty() {
        return Ok((out, false));
    }
    let along = |d: usize| {
        let count = x.shape.get(d).copied().unwrap_or(1);
        Value::Range(Rc::new(RangeValue { start: 0.0, step: 1.0, count, integral: true }))
    };
    let corner: Vec<Value> = (0..out.shape.len()).map(along).collect();
    index::write(&out, &corner, &Value::Array(x.clone()), Access::Checked, "", double)?;
    Ok((out, false))
}

/// `holding(s,i…)`: a cell with an object at these indices. `holding(o,name)`: the object in a field.
fn holding(call: &mut Call) -> Res<Value> {
    let object = || Value::Object(Rc::new(Instance::new(None, Vec::new())));
    if let (Value::Object(o), Some(name)) = (&call.args[0], call.args[1].as_text()) {
        if o.get(name).is_none_or(|v| matches!(v, Value::Unset)) {
            crate::object::set_field(&call.args[0], &name.into(), object(), call.double())?;
        }
        return crate::object::get_field(&call.args[0], &name.into());
    }
    let x = any_tensor(call, 0)?;
    let indices = indices_from(&call.args[1..]);
    let inside = |(d, v): (usize, &Value)| {
        let n = if indices.len() == 1 { x.len() } else { x.shape.get(d).copied().unwrap_or(1) };
        v.as_index().is_some_and(|i| (i as usize) < n && i >= 0)
    };
    if x.is_cell() && indices.iter().enumerate().all(inside) {
        let held = index::read(&x, &indices, Access::Checked, "")?;
        let nothing = matches!(&held, Value::Unset) || matches!(&held, Value::Array(t) if t.is_empty());
        if !nothing {
            return Ok(Value::Array(x));
        }
    }
    let args: Vec<Value> = [Value::Array(x), object()].into_iter().chain(call.args[1..].iter().cloned()).collect();
    stored(&mut call.with(&args))
}

/// Which elements of an array of this size the indices select.
fn selected(shape: &Shape, indices: &[Value]) -> Res<Vec<bool>> {
    let n: usize = shape.iter().product();
    memory::elements(n, 16, "a selection")?;
    let places = Tensor::new(shape.clone(), Data::Int((0..n as i32).collect()));
    let mut marks = vec![false; n];
    match index::read(&places, indices, Access::Checked, "")? {
        Value::Array(t) => {
            let places = (0..t.len()).filter_map(|k| t.get(k)?.as_index());
            places.for_each(|i| marks[i as usize] = true);
        }
        v => v.as_index().into_iter().for_each(|i| marks[i as usize] = true),
    }
    Ok(marks)
}

/// `removed(x,i…)`.
fn removed(call: &mut Call) -> Res<Value> {
    let indices = indices_from(&call.args[1..]);
    if let Some(text) = call.args[0].as_text() {
        let marks = selected(&Shape::from_slice(&[1, text.chars().count()]), &indices)?;
        let rest: String = text.chars().zip(marks).filter(|(_, gone)| !gone).map(|(c, _)| c).collect();
        return Ok(Value::str(&rest));
    }
    let x = any_tensor(call, 0)?;
    let marks = selected(&x.shape, &indices)?;
    let mut others = (0..indices.len()).filter(|d| !matches!(indices[*d], Value::Colon));
    let (dim, second) = (others.next().unwrap_or(0), others.next());
    if second.is_some() {
        fault!("Q0343", "elements can be taken out along one dimension only"; "the other indices are ':', as in A[:,k] = []")
    }
    let shape = match indices.len() {
        1 if !slice::is_column(&x) => Shape::from_slice(&[1, x.len()]),
        _ => x.shape.clone(),
    };
    let dim = if indices.len() == 1 { usize::from(!slice::is_column(&x)) } else { dim };
    // One index takes single elements out, several take all of a row, column or slice.
    let inner: usize = shape[dim.min(shape.len())..].iter().skip(1).product();
    let length = shape.get(dim).copied().unwrap_or(1);
    let gone = |k: usize| marks.get(k * inner).copied().unwrap_or(true);
    let kept = (0..length).filter(|k| !gone(*k)).count();
    if dim >= shape.len() {
        fault!("Q0342", "{} indices for an array with {} dimensions", indices.len(), shape.len(); "give one index per dimension")
    }
    let mut rest = shape.clone();
    rest[dim] = kept;
    let places = (0..x.len()).filter(|i| !gone(i / inner.max(1) % length));
    Ok(Value::array(gather(&x, rest, places)))
}

/// `emptied(x,i…)`.
fn emptied(call: &mut Call) -> Res<Value> {
    let Value::Array(x) = &call.args[0] else { return removed(call) };
    if !x.is_cell() {
        return removed(call);
    }
    let indices = indices_from(&call.args[1..]);
    let none = Value::array(Tensor::zeros(Shape::from_slice(&[0, 0]), &Type::SCALAR, call.double())?);
    index::write(x, &indices, &none, Access::Checked, "", call.double())?;
    Ok(call.args[0].clone())
}

fn set_length(data: &mut Data, count: usize) {
    macro_rules! longer {
        ($($kind:ident),*) => {
            match data {
                $(Data::$kind(v) => v.resize(count, Default::default()),)*
            }
        };
    }
    longer!(F32, F64, F16, C32, C64, Int, I8, I16, I32, I64, U8, U16, U32, U64, Mask, Cell);
}

pub const TABLE: &[Builtin] = &[
    row!(
        "append",
        "append(x,v[,dim])",
        "x with the element v behind its last one, or with the row (dim 0), column (dim 1) or slice v; x[end+1] = v is x = append(x,v)",
        "x = append([1,2],5); print append(eye(2),x[0..1],0)",
        2..=3,
        Run::One(append)
    ),
    row!(
        "stored",
        "stored(x,v,i…)",
        "x with v at these indices (\":\" for all of a dimension), as large as that needs; D[i,j] = v of a variable that nothing else makes is D = stored(D,v,i,j)",
        "print stored([1,2],5,4)",
        3..=250,
        Run::One(stored)
    ),
    row!(
        "holding",
        "holding(s,i…)",
        "a cell s with an object at these indices, a new one where there was none, or the object in the field i of an object s; s[i].a = v of a variable that nothing else makes is s = holding(s,i), s[i].a = v",
        "c = holding({},1); c[1].a = 5; print c[1].a",
        2..=250,
        Run::One(holding)
    ),
    row!(
        "removed",
        "removed(x,i…)",
        "x without what these indices select (\":\" for all of a dimension): elements of a vector, text or cell, or rows, columns or slices",
        "print removed([1,2,3,4],1), removed(eye(3),\":\",0)",
        2..=250,
        Run::One(removed)
    ),
    row!(
        "emptied",
        "emptied(x,i…)",
        "removed(x,i…), but elements of a cell stay and become []; x[i] = [] is x = emptied(x,i)",
        "x = 1..5; x[[0,2]] = []; print x",
        2..=250,
        Run::One(emptied)
    ),
];
