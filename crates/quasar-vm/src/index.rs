//! Reading and writing elements and slices. The access mode belongs to the variable through which an array is reached.

use super::display::shape_text;
use super::fault::{Fault, Res, fault};
use super::memory;
use super::positions::{are_positions, is_down, names_found, names_positions, runs_down};
use super::store::{Put, put};
use super::tensor::{Data, Shape, Tensor, remap};
use super::typing;
use super::value::{RangeValue, Value};
use quadra_quasar_hir::types::{Access, Type};
use smallvec::SmallVec;
use std::rc::Rc;

/// What one index selects along its dimension.
enum Select {
    One(i64),
    All,
    List(Vec<i64>),
}

/// The positions a list of indices selects.
struct Selection {
    /// Row-major positions; `None` is outside under `'safe`.
    positions: Vec<Option<usize>>,
    /// The shape of the result; empty for a single element.
    shape: Shape,
}

/// Maps an index to a position within `0..n`: `Ok(None)` is outside under `'safe`.
#[inline]
pub fn map_index(i: i64, n: usize, access: Access, name: &str) -> Res<Option<usize>> {
    if i >= 0 && (i as usize) < n {
        return Ok(Some(i as usize));
    }
    outside(i, n, access, name)
}

#[cold]
fn outside(i: i64, n: usize, access: Access, name: &str) -> Res<Option<usize>> {
    let len = n as i64;
    match access {
        Access::Safe => Ok(None),
        _ if n == 0 || matches!(access, Access::Checked | Access::Unchecked) => Err(bounds_fault(i, n, name)),
        Access::Circular => Ok(Some(i.rem_euclid(len) as usize)),
        Access::Mirror => Ok(Some(mirror(i, len) as usize)),
        _ => Ok(Some(i.clamp(0, len - 1) as usize)),
    }
}

/// Reflection into `0..n` without repeating the edge.
pub fn mirror(i: i64, n: i64) -> i64 {
    if n <= 1 {
        return 0;
    }
    let period = 2 * n - 2;
    let j = i.rem_euclid(period);
    if j < n { j } else { period - j }
}

fn bounds_fault(i: i64, n: usize, name: &str) -> Box<Fault> {
    let place = if name.is_empty() { "array".to_string() } else { format!("'{name}'") };
    if n == 0 {
        return Fault::new("Q0340", format!("index {i} is out of bounds in {place}, which is empty"))
            .help("test with isempty(x) first");
    }
    Fault::new("Q0340", format!("index {i} is out of bounds (0..{}) in {place}", n - 1))
        .help("indices start at 0; declare the variable with an access mode such as 'safe or 'clamped to read outside")
}

/// The fault of a store, with help for stores in place of that for reads.
pub fn stored_outside(mut fault: Box<Fault>, name: &str) -> Box<Fault> {
    if fault.code == "Q0340" {
        let below = fault.message.starts_with("index -");
        fault.help = if below { "indices start at 0".into() } else { quadra_quasar_hir::grow::instead(name) };
    }
    fault
}

fn select(v: &Value, n: usize) -> Res<Select> {
    Ok(match v {
        Value::Colon => Select::All,
        Value::Range(r) => {
            memory::elements(r.count, 24, "a selection")?;
            Select::List(range_items(r))
        }
        Value::Array(t) => match &*t.data.borrow() {
            Data::Mask(m) if m.len() == n && n > 1 => {
                Select::List(m.iter().enumerate().filter(|(_, x)| **x != 0).map(|(i, _)| i as i64).collect())
            }
            Data::Cell(_) => return Err(kind_fault(v)),
            data => {
                if data.is_complex() {
                    return Err(kind_fault(v));
                }
                Select::List((0..data.len()).map(|i| data.get(i).and_then(|x| x.as_index()).unwrap_or(0)).collect())
            }
        },
        other => match other.as_index() {
            Some(i) => Select::One(i),
            None => return Err(kind_fault(v)),
        },
    })
}

fn kind_fault(v: &Value) -> Box<Fault> {
    let ty = match v {
        Value::Unset => "value that was never set".to_string(),
        _ => format!("'{}'", typing::type_of(v, false)),
    };
    Fault::new("Q0341", format!("a {ty} cannot be an index")).help("use numbers, ranges, ':' or vectors of numbers")
}

/// The items of a range as indices.
pub fn range_items(r: &RangeValue) -> Vec<i64> {
    (0..r.count).map(|k| (r.start + k as f64 * r.step) as i64).collect()
}

/// Length of a dimension, the positions selected along it, and whether the result keeps it.
type Along = (usize, Vec<Option<usize>>, bool);

fn select_many(t: &Tensor, indices: &[Value], access: Access, name: &str) -> Res<Selection> {
    if let [index] = indices {
        return select_single(t, index, access, name);
    }
    let rank = t.shape.len();
    if indices.len() < rank {
        fault!(
            "Q0342", "{} indices for an array with {rank} dimensions", indices.len();
            "give one index per dimension, ':' for all, or one position vector"
        );
    }
    let mut dims: SmallVec<[Along; 4]> = SmallVec::new();
    for (d, index) in indices.iter().enumerate() {
        let n = t.shape.get(d).copied().unwrap_or(1);
        let (list, keep) = match select(index, n)? {
            Select::One(i) => (vec![map_index(i, n, access, name)?], false),
            Select::All => ((0..n).map(Some).collect(), true),
            Select::List(list) => (list.into_iter().map(|i| map_index(i, n, access, name)).collect::<Res<_>>()?, true),
        };
        dims.push((n, list, keep));
    }
    let total = dims.iter().fold(1usize, |n, d| n.saturating_mul(d.1.len()));
    memory::elements(total, 48, "a selection")?;
    let mut positions: Vec<Option<usize>> = Vec::with_capacity(total);
    positions.push(Some(0));
    for (n, list, _) in &dims {
        let mut next = Vec::with_capacity(positions.len() * list.len());
        for base in &positions {
            next.extend(list.iter().map(|i| Some((*base)? * n + (*i)?)));
        }
        positions = next;
    }
    let kept: Vec<(usize, usize)> = dims.iter().enumerate().filter(|(_, d)| d.2).map(|(i, d)| (i, d.1.len())).collect();
    let shape: Shape = match kept[..] {
        [] => Shape::new(),
        [(0, len)] => SmallVec::from_slice(&[len, 1]),
        [(_, len)] => SmallVec::from_slice(&[1, len]),
        _ => super::tensor::normal_shape(&kept.iter().map(|k| k.1).collect::<Vec<_>>()),
    };
    Ok(Selection { positions, shape })
}

/// One index: what `find` found, elements of a vector, a mask, a position vector, or a row-major position.
fn select_single(t: &Tensor, index: &Value, access: Access, name: &str) -> Res<Selection> {
    if let Value::Array(p) = index
        && p.positions
        && matches!(p.shape[..], [_, columns] if columns == t.shape.len())
        && (t.is_vector() || p.shape[0] > 1)
    {
        let data = p.data.borrow();
        let places: Vec<i64> = (0..data.len()).map(|i| data.get(i).and_then(|x| x.as_index()).unwrap_or(0)).collect();
        let positions: Vec<_> =
            places.chunks(t.shape.len()).map(|p| position_of(t, p, access, name)).collect::<Res<_>>()?;
        let shape = SmallVec::from_slice(&[1, positions.len()]);
        return Ok(Selection { positions, shape });
    }
    if let Value::Array(mask) = index
        && let Data::Mask(m) = &*mask.data.borrow()
        && mask.shape == t.shape
    {
        let positions: Vec<_> = m.iter().enumerate().filter(|(_, x)| **x != 0).map(|(i, _)| Some(i)).collect();
        let shape = SmallVec::from_slice(&[1, positions.len()]);
        return Ok(Selection { positions, shape });
    }
    let vector = t.is_vector();
    let n = if vector { t.shape[1] } else { t.len() };
    match select(index, n)? {
        Select::One(i) => Ok(Selection { positions: vec![map_index(i, n, access, name)?], shape: Shape::new() }),
        Select::All => {
            memory::elements(n, 24, "a selection")?;
            Ok(Selection { positions: (0..n).map(Some).collect(), shape: SmallVec::from_slice(&[1, n]) })
        }
        Select::List(list) if vector => {
            let positions: Vec<_> = list.into_iter().map(|i| map_index(i, n, access, name)).collect::<Res<_>>()?;
            let shape = shape_of_list(index, positions.len());
            Ok(Selection { positions, shape })
        }
        Select::List(list) if runs_down(t, index) => {
            let positions: Vec<_> = list.into_iter().map(|i| map_index(i, n, access, name)).collect::<Res<_>>()?;
            let shape = SmallVec::from_slice(&[positions.len(), 1]);
            Ok(Selection { positions, shape })
        }
        Select::List(list) if list.is_empty() || names_positions(t, index) => {
            let places = list.chunks(t.shape.len()).map(|p| position_of(t, p, access, name));
            let positions = places.collect::<Res<Vec<_>>>()?;
            let shape = SmallVec::from_slice(&[1, positions.len()]);
            Ok(Selection { positions, shape })
        }
        Select::List(list) => {
            let position = position_of(t, &list, access, name)?;
            Ok(Selection { positions: vec![position], shape: Shape::new() })
        }
    }
}

/// The shape of the elements of a vector at these positions: a matrix of positions gives a matrix, everything else a vector.
pub(super) fn shape_of_list(index: &Value, count: usize) -> Shape {
    match index {
        Value::Array(p) if p.shape.iter().filter(|n| **n > 1).count() > 1 && p.len() == count => p.shape.clone(),
        _ => SmallVec::from_slice(&[1, count]),
    }
}

/// The row-major position that a position vector names.
fn position_of(t: &Tensor, list: &[i64], access: Access, name: &str) -> Res<Option<usize>> {
    if list.len() < t.shape.len() {
        fault!(
            "Q0343", "a position vector with {} components for an array with {} dimensions", list.len(), t.shape.len();
            "give one component per dimension"
        );
    }
    let mut position = Some(0);
    for (d, i) in list.iter().enumerate() {
        let n = t.shape.get(d).copied().unwrap_or(1);
        let i = map_index(*i, n, access, name)?;
        position = position.and_then(|p: usize| Some(p * n + i?));
    }
    Ok(position)
}

/// What reading outside gives: 0 of the element type.
fn zero_of(t: &Tensor) -> Value {
    match &*t.data.borrow() {
        Data::F32(_) => Value::F32(0.0),
        Data::F64(_) => Value::F64(0.0),
        Data::F16(_) => Value::F16(0.0),
        Data::C32(_) => Value::C32([0.0; 2]),
        Data::C64(_) => Value::C64(Box::new([0.0; 2])),
        Data::Cell(_) => match t.cell_type.as_deref() {
            Some(Type::Pointer(_)) => Value::Null,
            _ => Value::Unset,
        },
        _ => Value::Int(0),
    }
}

/// `t[indices]`.
pub fn read(t: &Tensor, indices: &[Value], access: Access, name: &str) -> Res<Value> {
    if let Some(position) = element_position(t, indices, access, name)? {
        return Ok(match position {
            Some(i) => t.get(i).unwrap_or_default(),
            None => zero_of(t),
        });
    }
    if !names_found(indices)
        && let Some(v) = super::slice::read(t, indices)
    {
        return Ok(v);
    }
    let selection = select_many(t, indices, access, name)?;
    if selection.shape.is_empty() {
        return Ok(match selection.positions[..] {
            [Some(i)] => t.get(i).unwrap_or_default(),
            _ => zero_of(t),
        });
    }
    let data = t.data.borrow();
    let data = match &*data {
        Data::Mask(v) => Data::Int(selection.positions.iter().map(|p| p.map_or(0, |i| i32::from(v[i]))).collect()),
        other => remap!(other, v => {
            selection.positions.iter().map(|p| p.map(|i| v[i].to_owned()).unwrap_or_default()).collect()
        }),
    };
    let out = Tensor::new(selection.shape, data).with_fit(t.fit).with_cell_type(t.cell_type.clone());
    Ok(Value::array(out))
}

/// The position if all indices are numbers; otherwise nothing. The inner `None` is outside under `'safe`.
#[inline]
fn element_position(t: &Tensor, indices: &[Value], access: Access, name: &str) -> Res<Option<Option<usize>>> {
    if indices.len() == 1 {
        if let Value::Array(p) = &indices[0] {
            return small_position(t, p, access, name);
        }
        let Some(i) = indices[0].as_index() else { return Ok(None) };
        return map_index(i, t.len(), access, name).map(Some);
    }
    if indices.len() < t.shape.len() {
        return Ok(None);
    }
    let mut position = Some(0usize);
    for (d, index) in indices.iter().enumerate() {
        let Some(i) = index.as_index() else { return Ok(None) };
        let n = t.shape.get(d).copied().unwrap_or(1);
        let i = map_index(i, n, access, name)?;
        position = position.and_then(|p| Some(p * n + i?));
    }
    Ok(Some(position))
}

/// A position vector without the detour over a list.
fn small_position(t: &Tensor, p: &Tensor, access: Access, name: &str) -> Res<Option<Option<usize>>> {
    if t.is_vector() || p.len() < t.shape.len() || are_positions(t, p) || is_down(t, p) {
        return Ok(None);
    }
    let data = p.data.borrow();
    if matches!(*data, Data::Mask(_) | Data::Cell(_) | Data::C32(_) | Data::C64(_)) {
        return Ok(None);
    }
    let mut position = Some(0usize);
    for d in 0..data.len() {
        let i = match &*data {
            Data::Int(v) => i64::from(v[d]),
            Data::F32(v) => v[d] as i64,
            other => other.get(d).and_then(|v| v.as_index()).unwrap_or(0),
        };
        let n = t.shape.get(d).copied().unwrap_or(1);
        let i = map_index(i, n, access, name)?;
        position = position.and_then(|p| Some(p * n + i?));
    }
    Ok(Some(position))
}

/// Sizes without the dimensions of length 1.
fn squeezed(shape: &[usize]) -> Vec<usize> {
    shape.iter().copied().filter(|n| *n != 1).collect()
}

/// `t[indices] = value`. Says whether a float was truncated.
pub fn write(t: &Tensor, indices: &[Value], value: &Value, access: Access, name: &str, double: bool) -> Res<bool> {
    let position = element_position(t, indices, access, name)?;
    if position.is_none() && !names_found(indices) && super::slice::write(t, indices, value) {
        return Ok(false);
    }
    let selection = match position {
        Some(position) => Selection { positions: vec![position], shape: Shape::new() },
        None => select_many(t, indices, access, name)?,
    };
    let single = selection.shape.is_empty();
    if t.is_cell() {
        return write_cell(t, &selection, value, double);
    }
    let Value::Array(source) = value else {
        return write_all(t, &selection.positions, |_| value.clone(), name, double);
    };
    let count = selection.positions.len();
    // All elements take as many of any shape, in the order of memory.
    let all = matches!(indices, [Value::Colon]) && source.len() == count;
    let fits = if single { source.len() == 1 } else { all || squeezed(&source.shape) == squeezed(&selection.shape) };
    if !fits {
        let want = if selection.shape.len() == 2 && selection.shape.contains(&1) {
            count.to_string()
        } else if single {
            "1".to_string()
        } else {
            shape_text(&selection.shape)
        };
        fault!(
            "Q0344", "cannot assign {} values to a selection of size {want}", shape_text(&source.shape);
            "both sides need the same sizes, or the right side must be a number"
        );
    }
    // The source may be the target itself: a[:] = a.
    let copy = source.data.borrow().clone();
    write_all(t, &selection.positions, |k| copy.get(k).unwrap_or_default(), name, double)
}

fn write_all(
    t: &Tensor,
    positions: &[Option<usize>],
    value: impl Fn(usize) -> Value,
    name: &str,
    double: bool,
) -> Res<bool> {
    let mut truncated = false;
    let mut data = t.data.borrow_mut();
    for (k, position) in positions.iter().enumerate() {
        let Some(i) = position else { continue };
        let v = value(k);
        match put(&mut data, *i, &v, t.fit)? {
            Put::Stored => {}
            Put::Truncated => truncated = true,
            Put::Refused => {
                drop(data);
                return Err(refused(t, &v, name, double));
            }
        }
    }
    Ok(truncated)
}

fn refused(t: &Tensor, v: &Value, name: &str, double: bool) -> Box<Fault> {
    let place = if name.is_empty() { "an array".to_string() } else { format!("'{name}'") };
    let (element, have) = (typing::element_type(t, double), typing::type_of(v, double));
    if matches!(v, Value::Unset) {
        return Fault::new("Q0323", format!("the value stored in {place} was never set"));
    }
    let x = if name.is_empty() { "x" } else { name };
    let fault = Fault::new("Q0345", format!("cannot store a '{have}' in {place}, whose elements are '{element}'"));
    match v.as_complex() {
        Some(_) => fault.help(format!("make the array complex before, {x} = complex({x}), or store real(z) alone")),
        None => fault.help("use a cell: cell(…)"),
    }
}

fn write_cell(t: &Tensor, selection: &Selection, value: &Value, double: bool) -> Res<bool> {
    let items: Option<Rc<Tensor>> = match value {
        Value::Array(source) if source.is_cell() && !selection.shape.is_empty() => Some(source.clone()),
        _ => None,
    };
    if let Some(source) = &items
        && squeezed(&source.shape) != squeezed(&selection.shape)
    {
        fault!(
            "Q0344",
            "cannot assign {} values to a selection of size {}",
            shape_text(&source.shape),
            shape_text(&selection.shape)
        );
    }
    for (k, position) in selection.positions.iter().enumerate() {
        let Some(i) = position else { continue };
        let item = match &items {
            Some(source) => source.get(k).unwrap_or_default(),
            None => value.clone(),
        };
        let item = cell_item(t, item, double)?;
        let mut data = t.data.borrow_mut();
        let old = match &mut *data {
            Data::Cell(v) => std::mem::replace(&mut v[*i], item),
            _ => Value::Unset,
        };
        drop(data);
        drop(old);
    }
    Ok(false)
}

/// Checks a value against the element type of a typed cell; instances stored by value are copied.
fn cell_item(t: &Tensor, item: Value, double: bool) -> Res<Value> {
    let Some(ty) = &t.cell_type else { return Ok(item) };
    if matches!(item, Value::Unset) {
        return Ok(item);
    }
    let Some(item_in) = typing::admit(&item, ty, double, false)? else {
        let have = typing::type_of(&item, double);
        fault!("Q0345", "cannot store a '{have}' in an array whose elements are '{ty}'"; "convert it first");
    };
    if let (Type::Class(_), Value::Object(o)) = (&**ty, &item_in) {
        return Ok(super::object::copy_instance(o));
    }
    Ok(item_in)
}

/// `text[indices]`: a character or a part of the text.
pub fn read_text(text: &str, indices: &[Value]) -> Res<Value> {
    let [index] = indices else {
        fault!("Q0342", "{} indices for a string", indices.len(); "a string has one dimension")
    };
    let chars: Vec<char> = text.chars().collect();
    let n = chars.len();
    let list = match select(index, n)? {
        Select::One(i) => vec![i],
        Select::All => return Ok(Value::str(text)),
        Select::List(list) => list,
    };
    let mut out = String::new();
    for i in list {
        match usize::try_from(i).ok().and_then(|i| chars.get(i)) {
            Some(c) => out.push(*c),
            None => return Err(bounds_fault(i, n, "")),
        }
    }
    Ok(Value::str(&out))
}
