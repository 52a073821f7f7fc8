//! Array and cell literals, ranges.

use super::arith::{Kind, Mode};
use super::fault::{Fault, Res, fault};
use super::storage;
use super::tensor::{Data, Shape, Tensor, normal_shape};
use super::value::{RangeValue, Value};
use std::ops::Range;

/// `[a, b, …]`: numbers give a vector, arrays of one shape one more leading dimension. On the host the elements are
/// `scalar` even if all items are integers; kernel code keeps integers.
pub fn array(items: &[Value], mode: Mode) -> Res<Value> {
    if items.is_empty() {
        return Ok(Value::array(Tensor::new(normal_shape(&[0, 0]), super::tensor::real_data(Vec::new(), mode.double))));
    }
    if items.iter().all(Value::is_number) {
        return Ok(Value::array(Tensor::vector(numbers(items, mode))));
    }
    if items.iter().all(|v| matches!(v, Value::Array(t) if !t.is_cell())) {
        return stack(items, mode);
    }
    if items.iter().any(|v| matches!(v, Value::Array(_)))
        && items.iter().all(|v| v.is_number() || matches!(v, Value::Array(t) if !t.is_cell()))
    {
        fault!("Q0371", "an array literal mixes numbers and arrays"; "use horzcat(…) or '...v' to splice the elements of a vector");
    }
    let odd = items.iter().find(|v| !v.is_number()).unwrap_or(&items[0]);
    let ty = super::typing::type_of(odd, mode.double);
    fault!("Q0372", "a '{ty}' cannot be an element of an array literal"; "use a cell: {{a, b}}")
}

fn numbers(items: &[Value], mode: Mode) -> Data {
    let kind = items.iter().filter_map(Kind::of).fold(Kind::Int, Kind::promote);
    if kind.is_int() && mode.device {
        return Data::Int(items.iter().map(|v| v.as_index().unwrap_or(0) as i32).collect());
    }
    match kind {
        Kind::C32 | Kind::C64 => {
            let values = items.iter().map(|v| v.as_complex().unwrap_or_default()).collect();
            super::arith::complex_data(values, kind == Kind::C64)
        }
        Kind::F64 => Data::F64(items.iter().map(|v| v.as_f64().unwrap_or(0.0)).collect()),
        Kind::F16 => Data::F16(items.iter().map(|v| v.as_f64().unwrap_or(0.0) as f32).collect()),
        _ if mode.double => Data::F64(items.iter().map(|v| v.as_f64().unwrap_or(0.0)).collect()),
        _ => Data::F32(items.iter().map(|v| v.as_f64().unwrap_or(0.0) as f32).collect()),
    }
}

/// Vectors become rows of a matrix, matrices slices of a cube.
fn stack(items: &[Value], mode: Mode) -> Res<Value> {
    let tensors: Vec<_> = items.iter().filter_map(|v| if let Value::Array(t) = v { Some(t) } else { None }).collect();
    let first = tensors[0];
    if tensors.iter().any(|t| t.shape != first.shape) {
        fault!("Q0370", "rows of an array literal have different sizes"; "give every row the same number of elements");
    }
    let inner: &[usize] = if first.is_vector() { &first.shape[1..] } else { &first.shape };
    let mut shape: Shape = Shape::new();
    shape.push(tensors.len());
    shape.extend(inner.iter().copied());
    let kind = tensors.iter().filter_map(|t| Kind::of_data(&t.data.borrow())).fold(Kind::Int, Kind::promote);
    let device_int = kind.is_int() && mode.device;
    super::memory::elements(first.len().saturating_mul(tensors.len()), 24, "an array literal")?;
    let mut out: Vec<[f64; 2]> = Vec::with_capacity(first.len() * tensors.len());
    for t in &tensors {
        out.extend(super::arith::to_c64(&t.data.borrow()));
    }
    let data = match kind {
        Kind::C32 | Kind::C64 => super::arith::complex_data(out, kind == Kind::C64),
        _ if device_int => Data::Int(out.into_iter().map(|z| z[0] as i32).collect()),
        // A matrix of sizes and the like keeps its integers, as its rows are integer vectors already.
        _ if kind.is_int() => Data::Int(out.into_iter().map(|z| z[0] as i32).collect()),
        Kind::F64 => Data::F64(out.into_iter().map(|z| z[0]).collect()),
        _ => Data::F32(out.into_iter().map(|z| z[0] as f32).collect()),
    };
    if shape.len() == 1 {
        shape.push(1);
    }
    Ok(Value::array(Tensor::new(shape, data)))
}

/// The items of `from..step..to`.
pub fn range(from: &Value, step: &Value, to: &Value) -> Res<RangeValue> {
    let number = |v: &Value, what: &str| {
        let single = match v {
            Value::Array(t) if t.len() == 1 => t.get(0),
            _ => None,
        };
        single.as_ref().unwrap_or(v).as_f64().ok_or_else(|| {
            let ty = super::typing::type_of(v, false);
            Fault::new("Q0373", format!("the {what} of a range needs a number, not a '{ty}'"))
                .help("from..to or from..step..to")
        })
    };
    let (start, s, end) = (number(from, "start")?, number(step, "step")?, number(to, "end")?);
    if s == 0.0 || s.is_nan() {
        fault!("Q0374", "the step of a range is {}", super::display::real(s); "use a positive or negative step");
    }
    let quotient = (end - start) / s;
    // Bounds that were computed are a little off; what is hit exactly is not, however far it is.
    let steps = if quotient.fract() == 0.0 { quotient } else { quotient * (1.0 + 2f64.powi(-20)) + 1e-9 };
    let count = if steps.is_nan() || steps < 0.0 { 0.0 } else { steps.floor() + 1.0 };
    let integral = from.is_integer() && step.is_integer();
    if count > (1u64 << 40) as f64 {
        fault!("Q0375", "a range with {} items", super::display::real(count); "use a larger step");
    }
    // With integers the count is exact.
    let count = if integral && to.is_integer() {
        let (distance, step) = (end as i64 - start as i64, s as i64);
        if distance != 0 && (distance > 0) != (step > 0) { 0 } else { (distance / step + 1) as usize }
    } else {
        count as usize
    };
    Ok(RangeValue { start, step: s, count, integral })
}

/// A range as a vector.
pub fn range_array(r: &RangeValue, mode: Mode) -> Res<Value> {
    if !super::memory::fits(r.count.saturating_mul(8)) {
        fault!("Q0310", "out of memory: a range with {} items", r.count; "use a for loop over the range");
    }
    if r.integral && mode.device {
        return Ok(Value::array(Tensor::ints((0..r.count).map(|k| r.start as i64 + k as i64 * r.step as i64))));
    }
    // Signed numbers of 32 bits become floats in vectors.
    let item = |range: &Range<usize>, k: i32| r.start + (range.start as f64 + f64::from(k)) * r.step;
    let data = if mode.double {
        Data::F64(storage::build(r.count, |range, out| (0..).zip(out).for_each(|(k, o)| *o = item(&range, k))))
    } else {
        Data::F32(storage::build(r.count, |range, out| (0..).zip(out).for_each(|(k, o)| *o = item(&range, k) as f32)))
    };
    let shape = if r.count == 0 { normal_shape(&[0, 0]) } else { normal_shape(&[r.count]) };
    Ok(Value::array(Tensor::new(shape, data)))
}
