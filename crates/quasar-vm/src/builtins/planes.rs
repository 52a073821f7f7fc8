//! Values between those of a matrix.

use super::numbers::Places;
use super::signal::{Outside, outside, real};
use super::{Builtin, Call, Run, row};
use crate::fault::{Res, fault};
use crate::memory;
use crate::storage;
use crate::tensor::{Data, Shape, Tensor, real_data};
use crate::value::Value;
use quadra_numeric::spline;

/// A place along an axis as a number of its nodes, with fraction; none outside.
fn locate(axis: &[f64], places: &Places<'_>, at: f64) -> Option<f64> {
    let n = axis.len();
    if !(at >= axis[0] && at <= axis[n - 1]) {
        return None;
    }
    let k = places.up_to(at).clamp(1, (n - 1).max(1)) - 1;
    if n == 1 { Some(0.0) } else { Some(k as f64 + (at - axis[k]) / (axis[k + 1] - axis[k])) }
}

/// Weights of the nodes from `floor(at)-1` on: straight lines, the nearest one, or cubic convolution with a = -1/2.
fn weights(method: &str, share: f64) -> [f64; 4] {
    let t = share;
    match method {
        "nearest" if t < 0.5 => [0.0, 1.0, 0.0, 0.0],
        "nearest" => [0.0, 0.0, 1.0, 0.0],
        "cubic" => [
            ((-t + 2.0) * t - 1.0) * t / 2.0,
            ((3.0 * t - 5.0) * t * t + 2.0) / 2.0,
            ((-3.0 * t + 4.0) * t + 1.0) * t / 2.0,
            (t - 1.0) * t * t / 2.0,
        ],
        _ => [0.0, 1.0 - t, t, 0.0],
    }
}

/// `interp2(v[,k])`: as many values between neighbours as k halvings of their distance give.
fn refined(call: &mut Call, numbers: usize) -> Res<Value> {
    let halvings = if numbers == 2 { call.integer(1)? } else { 1 };
    if !(0..=20).contains(&halvings) {
        return Err(call.wrong(1, "how often distances are halved, 0 to 20"));
    }
    let grid = call.tensor(0)?;
    let [m, n] = grid.shape[..] else { return Err(call.wrong(0, "a matrix with elements")) };
    let steps = 1usize << halvings;
    let count = |n: usize| n.saturating_sub(1).saturating_mul(steps) + usize::from(n > 0);
    memory::elements(count(m).saturating_mul(count(n)), 24, "a finer matrix")?;
    let (rows, columns) = (count(m), count(n));
    let place = |k: usize| k as f64 / steps as f64;
    let grid = |at: fn(usize, usize) -> usize| {
        let places = (0..rows * columns).map(|k| place(at(k, columns))).collect();
        Value::array(Tensor::new(Shape::from_slice(&[rows, columns]), Data::F64(places)))
    };
    let mut args = vec![call.args[0].clone(), grid(|k, n| k % n), grid(|k, n| k / n)];
    args.extend(call.args[numbers..].iter().cloned());
    interp2(&mut call.with(&args))
}

/// The surface of splines along both axes: of every node its value, its slopes along both, and how these change along the other.
struct Splines<'a> {
    v: &'a [f64],
    across: Vec<f64>,
    down: Vec<f64>,
    both: Vec<f64>,
}

impl<'a> Splines<'a> {
    fn of(v: &'a [f64], columns: &[f64], rows: &[f64]) -> Splines<'a> {
        let (m, n) = (rows.len(), columns.len());
        let along = |v: &[f64]| v.chunks(n).flat_map(|row| slopes(columns, row)).collect::<Vec<f64>>();
        let turned = |v: &[f64], rows: usize, columns: usize| {
            (0..columns).flat_map(|c| (0..rows).map(move |r| v[r * columns + c])).collect::<Vec<f64>>()
        };
        let below = |v: &[f64]| {
            let found: Vec<f64> = turned(v, m, n).chunks(m).flat_map(|column| slopes(rows, column)).collect();
            turned(&found, n, m)
        };
        let across = along(v);
        Splines { v, down: below(v), both: below(&across), across }
    }

    /// The value at a place, given as numbers of nodes.
    fn at(&self, columns: &[f64], rows: &[f64], c: f64, r: f64) -> f64 {
        let cell = |at: f64, n: usize| (at.floor() as usize).min(n.saturating_sub(2));
        let (i, j) = (cell(r, rows.len()), cell(c, columns.len()));
        let (s, t) = (c - j as f64, r - i as f64);
        let step = |axis: &[f64], k: usize| axis.get(k + 1).map_or(0.0, |next| next - axis[k]);
        let (h, g) = (step(columns, j), step(rows, i));
        // Values and slopes at both ends of an interval.
        let shape = |t: f64| {
            let (p, q) = (t * t, t * t * t);
            [2.0 * q - 3.0 * p + 1.0, 3.0 * p - 2.0 * q, q - 2.0 * p + t, q - p]
        };
        let (a, b) = (shape(s), shape(t));
        let n = columns.len();
        let mut sum = 0.0;
        for (di, (weight, slope)) in [(b[0], b[2] * g), (b[1], b[3] * g)].into_iter().enumerate() {
            for (dj, (across, turn)) in [(a[0], a[2] * h), (a[1], a[3] * h)].into_iter().enumerate() {
                let k = (i + di).min(rows.len() - 1) * n + (j + dj).min(n - 1);
                sum += weight * (across * self.v[k] + turn * self.across[k]);
                sum += slope * (across * self.down[k] + turn * self.both[k]);
            }
        }
        sum
    }
}

fn slopes(x: &[f64], v: &[f64]) -> Vec<f64> {
    if x.len() < 2 { vec![0.0; x.len()] } else { spline::not_a_knot(x, v).slopes }
}

/// The places of the columns (`dim` 1) or rows (0) of an m×n matrix: a grid as meshgrid makes it, or the axis alone.
fn axis(call: &Call, i: usize, [m, n]: [usize; 2], dim: usize) -> Res<Vec<f64>> {
    let given = real(call, i)?;
    let (length, step) = if dim == 1 { (n, 1) } else { (m, n) };
    let axis: Vec<f64> = match given.len() == m * n && given.len() != length {
        true => (0..length).map(|k| given[k * step]).collect(),
        false => given,
    };
    if axis.len() != length || axis.windows(2).any(|p| p[0].partial_cmp(&p[1]) != Some(std::cmp::Ordering::Less)) {
        return Err(call.wrong(i, &format!("{length} ascending numbers")));
    }
    Ok(axis)
}

/// `interp2([x,y,]v,xq,yq[,method[,outside]])`: x counts columns, y rows, both from 0 where they are not given.
fn interp2(call: &mut Call) -> Res<Value> {
    let numbers = call.args.iter().take_while(|v| v.as_text().is_none()).count().min(5);
    if numbers == 1 || numbers == 2 {
        return refined(call, numbers);
    }
    if numbers != 3 && numbers != 5 {
        fault!("Q0308", "'interp2' with {numbers} arrays"; "interp2(v), interp2(v,k), interp2(v,xq,yq) or interp2(x,y,v,xq,yq)");
    }
    let grid = call.tensor(numbers - 3)?;
    if grid.shape.len() != 2 || grid.is_empty() {
        return Err(call.wrong(numbers - 3, "a matrix with elements"));
    }
    let (m, n) = (grid.shape[0], grid.shape[1]);
    let own = numbers == 5;
    let columns = if own { axis(call, 0, [m, n], 1)? } else { (0..n).map(|k| k as f64).collect() };
    let rows = if own { axis(call, 1, [m, n], 0)? } else { (0..m).map(|k| k as f64).collect::<Vec<f64>>() };
    let method = if call.args.len() > numbers { call.text(numbers)? } else { "linear" };
    if !matches!(method, "linear" | "nearest" | "cubic" | "spline") {
        fault!("Q0314", "'interp2' knows no method \"{method}\""; "linear, nearest, cubic or spline");
    }
    let fill = match outside(call, numbers + 1)? {
        Outside::Value(x) => x,
        Outside::Rule => return Err(call.wrong(numbers + 1, "a number")),
    };
    let (v, across, down) = (real(call, numbers - 3)?, Places::new(&columns), Places::new(&rows));
    if method == "spline" {
        let surface = Splines::of(&v, &columns, &rows);
        return at_places(call, numbers - 2, |x, y| match (locate(&columns, &across, x), locate(&rows, &down, y)) {
            (Some(c), Some(r)) => surface.at(&columns, &rows, c, r),
            _ => fill,
        });
    }
    let clamp = |k: f64, n: usize| k.clamp(0.0, (n - 1) as f64) as usize;
    let value = |x: f64, y: f64| {
        let (Some(c), Some(r)) = (locate(&columns, &across, x), locate(&rows, &down, y)) else { return fill };
        let (wc, wr) = (weights(method, c.fract()), weights(method, r.fract()));
        let mut sum = 0.0;
        for (i, a) in wr.iter().enumerate().filter(|(_, a)| **a != 0.0) {
            for (j, b) in wc.iter().enumerate().filter(|(_, b)| **b != 0.0) {
                let (p, q) = (clamp(r.floor() + i as f64 - 1.0, m), clamp(c.floor() + j as f64 - 1.0, n));
                sum += a * b * v[p * n + q];
            }
        }
        sum
    };
    if numbers == 3 && method == "linear" {
        return at_places(call, numbers - 2, |x, y| plane(&v, [m, n], x, y).unwrap_or_else(|| value(x, y)));
    }
    at_places(call, numbers - 2, value)
}

/// The value between the four elements of an m×n matrix around a place inside, none if it lies on a row or a column, or outside.
#[inline(always)]
fn plane(v: &[f64], [m, n]: [usize; 2], x: f64, y: f64) -> Option<f64> {
    // Not so of what is no number.
    if !(x > 0.0 && y > 0.0 && x < (n - 1) as f64 && y < (m - 1) as f64) {
        return None;
    }
    let (c, r) = (x as usize, y as usize);
    let (s, t) = (x - c as f64, y - r as f64);
    if s == 0.0 || t == 0.0 {
        return None;
    }
    let at = r * n + c;
    let (above, below) = (v.get(at..at + 2)?, v.get(at + n..at + n + 2)?);
    let (a, b) = (1.0 - t, 1.0 - s);
    Some(0.0 + a * b * above[0] + a * s * above[1] + t * b * below[0] + t * s * below[1])
}

/// The values at the places with columns in argument `i` and rows in the one behind it: a row and a column make a grid.
fn at_places(call: &Call, i: usize, value: impl Fn(f64, f64) -> f64 + Sync) -> Res<Value> {
    let (xq, yq) = (call.tensor(i)?, call.tensor(i + 1)?);
    if xq.is_vector() && yq.shape.len() == 2 && yq.shape[1] == 1 && yq.len() > 1 {
        let (xs, ys) = (real(call, i)?, real(call, i + 1)?);
        let mut out: Vec<f64> = storage::storage(ys.len() * xs.len());
        storage::each_line(&mut out, xs.len(), 4, |k, row| {
            row.iter_mut().zip(&xs).for_each(|(o, x)| *o = value(*x, ys[k]));
        });
        return Ok(Value::array(Tensor::new(Shape::from_slice(&[ys.len(), xs.len()]), real_data(out, call.double()))));
    }
    if xq.shape != yq.shape {
        fault!("Q0320", "'interp2' at places with {} and {} elements", xq.len(), yq.len(); "xq and yq of the same size, or a row and a column");
    }
    if let (Data::F32(xs), Data::F32(ys), false, Value::Array(_)) =
        (&*xq.data.borrow(), &*yq.data.borrow(), call.double(), &call.args[i])
    {
        let out = storage::build(xs.len(), |range, out: &mut [f32]| {
            let places = xs[range.clone()].iter().zip(&ys[range]);
            out.iter_mut().zip(places).for_each(|(o, (x, y))| *o = value((*x).into(), (*y).into()) as f32);
        });
        return Ok(Value::array(Tensor::new(xq.shape.clone(), Data::F32(out))));
    }
    let (xs, ys) = (real(call, i)?, real(call, i + 1)?);
    let out = storage::build(xs.len(), |range, out: &mut [f64]| {
        let places = xs[range.clone()].iter().zip(&ys[range]);
        out.iter_mut().zip(places).for_each(|(o, (x, y))| *o = value(*x, *y));
    });
    if call.args[i].is_number() {
        return Ok(Value::scalar(out[0], call.double()));
    }
    Ok(Value::array(Tensor::new(xq.shape.clone(), real_data(out, call.double()))))
}

pub const TABLE: &[Builtin] = &[row!(
    "interp2",
    "interp2([x,y,]v,xq,yq[,method[,outside]]), interp2(v[,k][,method])",
    "values between those of a matrix, x along columns, y along rows, or on a grid with distances halved k times, once if k is left out; methods linear, nearest, cubic, spline",
    "print interp2([[1,2],[3,4]],0.5,0.5), interp2([[1,2],[3,4]],1)",
    1..=7,
    Run::One(interp2)
)];
