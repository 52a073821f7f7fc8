//! Interpolation, polynomials that fit, recursive filters.

use super::numbers::Places;
use super::recursive::Filter;
use super::reduce::{Lines, dimension};
use super::{Builtin, Call, Run, row};
use crate::arith::{complex_data, to_c64, to_f64};
use crate::fault::{Fault, Res, fault};
use crate::storage;
use crate::tensor::{Data, Shape, Tensor, real_data};
use crate::value::{Instance, Value};
use quadra_numeric::matrix;
use quadra_numeric::spline::{self, Cubic};
use std::rc::Rc;

pub(super) fn real(call: &Call, i: usize) -> Res<Vec<f64>> {
    let t = call.tensor(i)?;
    if t.data.borrow().is_complex() {
        fault!("Q0325", "'{}' is not defined for complex numbers", call.name; "use it on real(z) and imag(z)");
    }
    Ok(to_f64(&t.data.borrow()).into_owned())
}

/// `f` of all elements, long lists by several threads.
fn each<T: Sync>(v: &[T], f: impl Fn(&T) -> f64 + Sync) -> Vec<f64> {
    storage::build(v.len(), |range, out| out.iter_mut().zip(&v[range]).for_each(|(o, x)| *o = f(x)))
}

/// How values between the given ones follow from them.
enum Rule {
    Linear,
    Nearest,
    Previous,
    Next,
    Cubic(Cubic),
}

/// The value at a place inside the range of `x`, which ascends.
fn between(rule: &Rule, places: &Places<'_>, x: &[f64], v: &[f64], at: f64) -> f64 {
    let k = places.up_to(at).clamp(1, x.len() - 1) - 1;
    let share = (at - x[k]) / (x[k + 1] - x[k]);
    match rule {
        Rule::Linear if share == 0.0 => v[k],
        Rule::Linear if share == 1.0 => v[k + 1],
        Rule::Linear => v[k] + (v[k + 1] - v[k]) * share,
        Rule::Nearest => v[k + usize::from(share >= 0.5)],
        Rule::Previous => v[k + usize::from(share >= 1.0)],
        Rule::Next => v[k + usize::from(share > 0.0)],
        Rule::Cubic(cubic) => cubic.at(x, v, at),
    }
}

/// What stands outside the range: NaN, a number, or what the rule gives there.
pub(super) enum Outside {
    Value(f64),
    Rule,
}

pub(super) fn outside(call: &Call, i: usize) -> Res<Outside> {
    match call.args.get(i) {
        None => Ok(Outside::Value(f64::NAN)),
        Some(v) if v.as_text() == Some("extrap") => Ok(Outside::Rule),
        Some(v) if v.is_number() => Ok(Outside::Value(call.number(i)?)),
        Some(_) => Err(call.wrong(i, "\"extrap\" or a number")),
    }
}

/// Places that values belong to in ascending order, and which value belongs to each.
fn ascending(x: &[f64]) -> Res<(Vec<f64>, Vec<usize>)> {
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by(|a, b| x[*a].total_cmp(&x[*b]));
    let sorted: Vec<f64> = order.iter().map(|i| x[*i]).collect();
    if sorted.windows(2).any(|p| p[0] >= p[1]) || x.iter().any(|x| !x.is_finite()) {
        fault!("Q0314", "'interp1' needs places that are finite and different"; "see unique(x)");
    }
    Ok((sorted, order))
}

/// What lies at places between the values `v`, which belong to the ascending places `x`.
fn values_between(x: &[f64], v: &[f64], at: &[f64], method: &str, outside: &Outside) -> Res<Vec<f64>> {
    let rule = match method {
        "linear" => Rule::Linear,
        "nearest" => Rule::Nearest,
        "previous" => Rule::Previous,
        "next" => Rule::Next,
        "pchip" | "cubic" => Rule::Cubic(spline::monotone(x, v)),
        "spline" => Rule::Cubic(spline::not_a_knot(x, v)),
        other => {
            fault!("Q0314", "'interp1' knows no method \"{other}\""; "linear, nearest, previous, next, pchip or spline")
        }
    };
    let places = Places::new(x);
    let value = |at: f64| match outside {
        _ if at.is_nan() => f64::NAN,
        Outside::Value(y) if at < x[0] || at > x[x.len() - 1] => *y,
        _ => between(&rule, &places, x, v, at),
    };
    Ok(each(at, |p| value(*p)))
}

/// `interp1([x,]v,at[,method[,outside]])`: of a vector, or of each column of a matrix.
fn interp1(call: &mut Call) -> Res<Value> {
    let numbers = call.args.iter().take_while(|v| v.as_text().is_none()).count().min(3);
    if numbers < 2 {
        return Err(call.wrong(numbers, "an array of numbers"));
    }
    let (values, at) = (call.tensor(numbers - 2)?, call.tensor(numbers - 1)?);
    let columns = match values.shape[..] {
        [rows, columns] if rows > 1 && columns > 1 => columns,
        _ => 1,
    };
    let n = values.len() / columns.max(1);
    let x = if numbers > 2 { real(call, 0)? } else { (0..n).map(|k| k as f64).collect() };
    if x.len() != n || n < 2 {
        fault!("Q0320", "'interp1' with {} places and {n} values", x.len(); "both need the same number of elements, at least 2");
    }
    let (x, order) = ascending(&x)?;
    let method = if call.args.len() > numbers { call.text(numbers)? } else { "linear" };
    let outside = outside(call, numbers + 1)?;
    let places = to_f64(&at.data.borrow()).into_owned();
    let elements = to_c64(&values.data.borrow());
    let complex = values.data.borrow().is_complex();
    let mut out = vec![[0.0; 2]; places.len() * columns];
    for column in 0..columns {
        for part in 0..if complex { 2 } else { 1 } {
            let v: Vec<f64> = order.iter().map(|i| elements[i * columns + column][part]).collect();
            let found = values_between(&x, &v, &places, method, &outside)?;
            found.into_iter().enumerate().for_each(|(i, y)| out[i * columns + column][part] = y);
        }
    }
    let double = call.double();
    if call.args[numbers - 1].is_number() && columns == 1 {
        let [re, im] = out[0];
        return Ok(if complex { Value::complex(re, im, double) } else { Value::scalar(re, double) });
    }
    let data = match complex {
        true => complex_data(out, double),
        false => real_data(out.iter().map(|z| z[0]).collect(), double),
    };
    let shape = if columns == 1 { at.shape.clone() } else { Shape::from_slice(&[places.len(), columns]) };
    Ok(Value::array(Tensor::new(shape, data)))
}

/// Coefficients, highest power first, of the polynomial of degree n that is closest to y at x.
/// `p`, or `[p, s, mu]`: with `s` how well it fits, with `mu` the mean and the deviation of the places, by which they are scaled.
fn polyfit(call: &mut Call) -> Res<Vec<Value>> {
    let (mut x, y, n) = (real(call, 0)?, real(call, 1)?, call.integer(2)?);
    if x.len() != y.len() || x.is_empty() {
        fault!("Q0320", "'polyfit' with {} places and {} values", x.len(), y.len(); "both need the same number of elements");
    }
    if !(0..=1000).contains(&n) {
        fault!("Q0314", "'polyfit' with a polynomial of degree {n}"; "degrees from 0 to 1000");
    }
    if x.iter().chain(&y).any(|x| !x.is_finite()) {
        return Ok(vec![Value::array(Tensor::scalars(vec![f64::NAN; n as usize + 1], call.double()))]);
    }
    let n = n as usize;
    let count = x.len() as f64;
    let mean = x.iter().sum::<f64>() / count;
    let deviation = (x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (count - 1.0)).sqrt();
    if call.outs > 2 {
        x.iter_mut().for_each(|x| *x = (*x - mean) / deviation);
    }
    // Places within -1..1 keep the powers of one size; the coefficients are scaled back.
    let scale = x.iter().fold(0.0f64, |m, x| m.max(x.abs())).max(f64::MIN_POSITIVE);
    let powers: Vec<f64> = x.iter().flat_map(|x| (0..=n).rev().map(move |k| (x / scale).powi(k as i32))).collect();
    let (powers, wanted) = (matrix::from_rows(x.len(), n + 1, &powers), matrix::from_rows(y.len(), 1, &y));
    let p = matrix::least_squares(&powers, &wanted)
        .ok_or_else(|| Fault::new("Q0400", "the iteration of 'polyfit' does not converge").help("scale the values"))?;
    let out: Vec<f64> = (0..=n).map(|k| p[(k, 0)] / scale.powi((n - k) as i32)).collect();
    let double = call.double();
    let mut results = Vec::new();
    if call.outs > 1 {
        let at = |x: f64| out.iter().fold(0.0, |sum, p| sum * x + p);
        let error = x.iter().zip(&y).map(|(x, y)| (y - at(*x)).powi(2)).sum::<f64>().sqrt();
        let free = Value::Int((x.len() as i64 - n as i64 - 1).max(0) as i32);
        let fit = vec![("df".into(), free), ("normr".into(), Value::scalar(error, double))];
        results.push(Value::Object(Rc::new(Instance::new(None, fit))));
        results.push(Value::array(Tensor::scalars(vec![mean, deviation], double)));
    }
    results.insert(0, Value::array(Tensor::scalars(out, double)));
    results.truncate(call.outs.max(1));
    Ok(results)
}

fn multiply(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    // Real numbers stay real: 0 times infinity would be NaN.
    match (a[1] == 0.0, b[1] == 0.0) {
        (true, true) => [a[0] * b[0], 0.0],
        (true, _) => [a[0] * b[0], a[0] * b[1]],
        (_, true) => [a[0] * b[0], a[1] * b[0]],
        _ => [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]],
    }
}

fn add(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] + b[0], a[1] + b[1]]
}

fn firsts(v: &[[f64; 2]]) -> Vec<f64> {
    v.iter().map(|z| z[0]).collect()
}

/// `[y,z] = filter(b,a,x[,z[,dim]])`: a rational transfer function, in transposed direct form II.
fn filter(call: &mut Call) -> Res<Vec<Value>> {
    let (b, a, t) = (call.tensor(0)?, call.tensor(1)?, call.tensor(2)?);
    let complex = [&b, &a, &t].iter().any(|t| t.data.borrow().is_complex());
    let (mut b, mut a) = (to_c64(&b.data.borrow()), to_c64(&a.data.borrow()));
    let first = a.first().copied().unwrap_or_default();
    let square = first[0] * first[0] + first[1] * first[1];
    if b.is_empty() || square == 0.0 || !square.is_finite() {
        fault!("Q0314", "'filter' needs coefficients b, and a whose first element is not 0"; "filter([1,1]/2, 1, x)");
    }
    let inverse = [first[0] / square, -first[1] / square];
    b.iter_mut().chain(&mut a).for_each(|z| *z = multiply(*z, inverse));
    let order = b.len().max(a.len());
    b.resize(order, [0.0; 2]);
    a.resize(order, [0.0; 2]);
    let dim = if call.args.len() > 4 { dimension(call, 4)? } else { usize::from(t.is_vector()) };
    let lines = Lines::of(&t, dim);
    let given = match call.args.get(3) {
        Some(Value::Array(z)) if !z.is_empty() => to_c64(&z.data.borrow()),
        // A state of one number.
        Some(z) if z.is_number() => z.as_complex().into_iter().collect(),
        _ => vec![[0.0; 2]; order - 1],
    };
    if given.len() != order - 1 {
        fault!("Q0320", "'filter' with {} values of the state instead of {}", given.len(), order - 1; "one less than the longer of a and b");
    }
    let double = call.double() || matches!(*t.data.borrow(), Data::F64(_) | Data::C64(_));
    let finite = |v: &[[f64; 2]]| v.iter().all(|z| z[1] == 0.0);
    if !complex && finite(&b) && finite(&a) && finite(&given) {
        let filter = Filter { b: &firsts(&b), a: &firsts(&a), given: &firsts(&given) };
        let (data, state) = match &*t.data.borrow() {
            Data::F32(v) if !double => {
                let (out, state) = filter.of(v, &lines);
                (Data::F32(out), state)
            }
            data => {
                let (out, state) = filter.of(&to_f64(data), &lines);
                (real_data(out, double), state)
            }
        };
        let state = Value::array(Tensor::vector(real_data(state, double)));
        return Ok(vec![Value::array(Tensor::new(t.shape.clone(), data)), state]);
    }
    let (values, state) = complex_filter(&t, &lines, [&b, &a], &given);
    let data = |v: Vec<[f64; 2]>| match complex {
        true => complex_data(v, double),
        false => real_data(v.iter().map(|z| z[0]).collect(), double),
    };
    Ok(vec![Value::array(Tensor::new(t.shape.clone(), data(values))), Value::array(Tensor::vector(data(state)))])
}

/// As [`Filter::of`], of complex numbers: the results, and the state behind the last line.
fn complex_filter(
    t: &Tensor,
    lines: &Lines,
    [b, a]: [&[[f64; 2]]; 2],
    given: &[[f64; 2]],
) -> (Vec<[f64; 2]>, Vec<[f64; 2]>) {
    let mut values = to_c64(&t.data.borrow());
    let mut state = given.to_vec();
    for start in &lines.starts {
        state.clone_from_slice(given);
        for i in lines.items(*start) {
            let x = values[i];
            let y = add(multiply(b[0], x), state.first().copied().unwrap_or_default());
            for k in 1..b.len() {
                let rest = state.get(k).copied().unwrap_or_default();
                let back = multiply(a[k], y);
                state[k - 1] = add(add(multiply(b[k], x), rest), [-back[0], -back[1]]);
            }
            values[i] = y;
        }
    }
    (values, state)
}

pub const TABLE: &[Builtin] = &[
    row!(
        "interp1",
        "interp1([x,]v,at[,method[,outside]])",
        "values between those v, or those of each column of v, at places x; methods linear, nearest, previous, next, pchip, spline; outside: NaN, a number or \"extrap\"",
        "print interp1([0,2],[1,5],[0.5,1])",
        2..=5,
        Run::One(interp1)
    ),
    row!(
        "polyfit",
        "polyfit(x,y,n), [p,s,mu]=polyfit(x,y,n)",
        "coefficients, highest power first, of the polynomial of degree n closest to y at x; s.normr: what is left; mu: mean and deviation of x, by which it is then scaled",
        "print polyfit([0,1,2],[1,3,5],1)",
        3..=3,
        Run::Many(polyfit)
    ),
    row!(
        "filter",
        "filter(b,a,x[,z[,dim]]), [y,z]=filter(b,a,x)",
        "x through the filter with transfer function b/a; z: its state before and behind",
        "print filter([1,1],1,[1,2,3])",
        3..=5,
        Run::Many(filter)
    ),
];
