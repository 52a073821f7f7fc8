//! Matrix products, powers, and small dense linear algebra.

use super::along::{self, with_reals};
use super::{Builtin, Call, Run, complex_matrix, row};
use crate::arith::{self, Kind, Mode, complex_data, to_c64, to_f32, to_f64};
use crate::display::shape_text;
use crate::fault::{Fault, Res, fault};
use crate::memory;
use crate::storage;
use crate::tensor::{Data, Shape, Tensor, real_data};
use crate::value::Value;
use quadra_numeric::matrix;
use quadra_quasar_hir::meaning::Meaning;
use quadra_quasar_hir::op2::Op2;
use smallvec::SmallVec;

/// `*`, `/` and `^` with their matrix meaning.
pub fn matrix_operator(op: Op2, a: &Value, b: &Value, mode: Mode) -> Res<Value> {
    let (Value::Array(x), Value::Array(y)) = (a, b) else {
        if let (Op2::Pow, Value::Array(x)) = (op, a)
            && b.is_number()
            && !x.is_cell()
            && !x.is_vector()
        {
            return power(x, b, mode);
        }
        return arith::binary(op, a, b, mode);
    };
    let elementwise = x.is_cell() || y.is_cell() || (x.is_vector() && y.is_vector() && x.shape == y.shape);
    if elementwise {
        return arith::binary(op, a, b, mode);
    }
    match op {
        Op2::Mul => product(x, y, mode),
        Op2::Div if y.len() == 1 || x.len() == 1 => arith::binary(op, a, b, mode),
        Op2::Div => fault!(
            "Q0396", "'/' needs a scalar divisor: use './' for element-wise division";
            "to solve A*x = b use solve(A,b)"
        ),
        _ => fault!("Q0397", "'^' between matrices is not defined: use '.^'"; "A.^B raises the elements"),
    }
}

/// The matrix product.
fn product(x: &Tensor, y: &Tensor, mode: Mode) -> Res<Value> {
    if x.shape.len() > 2 || y.shape.len() > 2 {
        let (a, b) = (shape_text(&x.shape), shape_text(&y.shape));
        fault!("Q0398", "'*' of arrays of sizes {a} and {b}: use '.*' for cubes"; "'*' multiplies matrices");
    }
    let (m, k, n) = (x.shape[0], x.shape[1], y.shape[1]);
    if k != y.shape[0] {
        if x.len() == 1 || y.len() == 1 {
            let (a, b) = (&x.get(0).unwrap_or_default(), &y.get(0).unwrap_or_default());
            return match x.len() {
                1 => arith::binary(Op2::Mul, a, &Value::array(y.duplicate()), mode),
                _ => arith::binary(Op2::Mul, &Value::array(x.duplicate()), b, mode),
            };
        }
        let (a, b) = (shape_text(&x.shape), shape_text(&y.shape));
        fault!("Q0399", "inner dimensions of {a} and {b} do not agree"; "use '.*' to multiply element by element, or transpose one operand");
    }
    let (a, b) = (x.data.borrow(), y.data.borrow());
    let kind = Kind::of_data(&a).unwrap_or(Kind::F64).promote(Kind::of_data(&b).unwrap_or(Kind::F64));
    let shape: Shape = SmallVec::from_slice(&[m, n]);
    // Complex products have parts of their own.
    let each = if matches!(kind, Kind::F32 | Kind::F16) { 4 } else { 16 };
    memory::elements(m.saturating_mul(n), each, "a matrix product")?;
    let data = match kind {
        Kind::F32 | Kind::F16 => Data::F32(matrix::multiply_f32(&to_f32(&a), &to_f32(&b), m, k, n)),
        Kind::F64 => Data::F64(matrix::multiply_f64(&to_f64(&a), &to_f64(&b), m, k, n)),
        Kind::Int | Kind::Wide => {
            let values = matrix::multiply_f64(&to_f64(&a), &to_f64(&b), m, k, n);
            if let Some(v) = values.iter().find(|v| **v > f64::from(i32::MAX) || **v < f64::from(i32::MIN)) {
                fault!("Q0327", "integer overflow in a matrix product: an element is {v}"; "convert one operand with float");
            }
            Data::Int(values.into_iter().map(|v| v as i32).collect())
        }
        Kind::C32 => {
            let part = |d: &Data, i: usize| match d {
                Data::C32(v) => v.iter().map(|z| z[i]).collect(),
                d if i == 0 => to_f32(d).into_owned(),
                d => vec![0.0; d.len()],
            };
            let ([pr, pi], [qr, qi]) = ([0, 1].map(|i| part(&a, i)), [0, 1].map(|i| part(&b, i)));
            let of = |a: &[f32], b: &[f32]| matrix::multiply_f32(a, b, m, k, n);
            let (rr, ii, ri, ir) = (of(&pr, &qr), of(&pi, &qi), of(&pr, &qi), of(&pi, &qr));
            Data::C32((0..m * n).map(|i| [rr[i] - ii[i], ri[i] + ir[i]]).collect())
        }
        _ => {
            let (p, q) = (to_c64(&a), to_c64(&b));
            let part = |v: &[[f64; 2]], i: usize| v.iter().map(|z| z[i]).collect::<Vec<f64>>();
            let (pr, pi, qr, qi) = (part(&p, 0), part(&p, 1), part(&q, 0), part(&q, 1));
            let rr = matrix::multiply_f64(&pr, &qr, m, k, n);
            let ii = matrix::multiply_f64(&pi, &qi, m, k, n);
            let ri = matrix::multiply_f64(&pr, &qi, m, k, n);
            let ir = matrix::multiply_f64(&pi, &qr, m, k, n);
            complex_data((0..m * n).map(|i| [rr[i] - ii[i], ri[i] + ir[i]]).collect(), kind == Kind::C64)
        }
    };
    Ok(Value::array(Tensor::new(shape, data)))
}

fn power(x: &Tensor, k: &Value, mode: Mode) -> Res<Value> {
    let k = k.as_f64().unwrap_or(f64::NAN);
    let square = x.shape.len() == 2 && x.shape[0] == x.shape[1];
    if !square || k < 0.0 || k != k.trunc() || k > 1e6 {
        fault!("Q0397", "a matrix of size {} to the power {}: use '.^'", shape_text(&x.shape), crate::display::real(k); "'^' needs a square matrix and a whole exponent from 0");
    }
    let n = x.shape[0];
    let identity = || {
        let elements: Vec<f64> = (0..n * n).map(|i| if i / n == i % n { 1.0 } else { 0.0 }).collect();
        Tensor::new(x.shape.clone(), real_data(elements, mode.double))
    };
    // Products with the identity are left out where they would not change the type.
    let same = matches!((&*x.data.borrow(), mode.double), (Data::F32(_), false) | (Data::F64(_), _));
    let (mut result, mut base) = (if same && k > 0.0 { None } else { Some(identity()) }, x.duplicate());
    let mut e = k as u64;
    while e > 0 {
        if e & 1 == 1 {
            result = Some(match &result {
                Some(result) => own(product(result, &base, mode)?),
                None => base.duplicate(),
            });
        }
        e >>= 1;
        if e > 0 {
            base = own(product(&base, &base, mode)?);
        }
    }
    Ok(Value::array(result.unwrap_or_else(identity)))
}

fn own(v: Value) -> Tensor {
    match v {
        Value::Array(t) => std::rc::Rc::try_unwrap(t).unwrap_or_else(|t| t.duplicate()),
        _ => Tensor::vector(Data::F64(Vec::new())),
    }
}

/// A square real matrix argument as rows of doubles.
pub fn square(call: &Call, i: usize) -> Res<(Vec<f64>, usize, bool)> {
    let t = call.tensor(i)?;
    if t.shape.len() != 2 || t.shape[0] != t.shape[1] {
        fault!("Q0314", "argument {} of '{}' needs a square matrix, not one of size {}", i + 1, call.name, shape_text(&t.shape); "the matrix needs as many rows as columns");
    }
    let data = t.data.borrow();
    if data.is_complex() {
        fault!("Q0325", "'{}' is not defined for complex matrices", call.name; "use the real part");
    }
    let double = matches!(*data, Data::F64(_)) || call.double();
    Ok((to_f64(&data).into_owned(), t.shape[0], double))
}

fn det(call: &mut Call) -> Res<Value> {
    if complex_matrix::is_complex(call, 0) {
        return complex_matrix::det(call);
    }
    let (a, n, double) = square(call, 0)?;
    let f = matrix::factors(&matrix::from_rows(n, n, &a));
    Ok(Value::scalar((0..n).fold(f.sign, |d, i| d * f.at(i, i)), double))
}

/// Solves `A*X = B` for `columns` right sides stored row by row.
fn solve_system(a: &[f64], n: usize, b: &[f64], columns: usize) -> Option<Vec<f64>> {
    let scale = a.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let f = matrix::factors(&matrix::from_rows(n, n, a));
    if (0..n).any(|i| f.at(i, i).abs() <= scale * 1e-14) {
        return None;
    }
    Some(matrix::rows(&f.solve(&matrix::from_rows(n, columns, b))))
}

pub(super) fn inv(call: &mut Call) -> Res<Value> {
    if complex_matrix::is_complex(call, 0) {
        return complex_matrix::inv(call);
    }
    let (a, n, double) = square(call, 0)?;
    let identity: Vec<f64> = (0..n * n).map(|i| if i / n == i % n { 1.0 } else { 0.0 }).collect();
    match solve_system(&a, n, &identity, n) {
        Some(x) => Ok(Value::array(Tensor::new(SmallVec::from_slice(&[n, n]), real_data(x, double)))),
        None => fault!("Q0400", "the matrix has no inverse: it is singular"; "test det(A) first"),
    }
}

/// The elements, row by row, and the number of right sides of a system of `n` equations; a vector is one of them.
fn right_sides(b: &Tensor, n: usize) -> Res<(Vec<f64>, usize)> {
    let (rows, columns) = if b.is_vector() { (b.shape[1], 1) } else { (b.shape[0], b.shape[1..].iter().product()) };
    if rows != n {
        fault!("Q0399", "a right side with {rows} rows for a system of {n} equations"; "both need the same number of rows");
    }
    Ok((to_f64(&b.data.borrow()).into_owned(), columns))
}

fn solve(call: &mut Call) -> Res<Value> {
    let b = call.tensor(1)?;
    let shape = call.tensor(0)?.shape.clone();
    if shape.len() == 2 && shape[0] != shape[1] {
        return least_squares(call, &b);
    }
    if complex_matrix::is_complex(call, 0) || complex_matrix::is_complex(call, 1) {
        return complex_matrix::solve(call);
    }
    let (a, n, double) = square(call, 0)?;
    let (values, columns) = right_sides(&b, n)?;
    match solve_system(&a, n, &values, columns) {
        Some(x) => Ok(Value::array(Tensor::new(b.shape.clone(), real_data(x, double)))),
        None => fault!("Q0400", "the system has no unique solution: its matrix is singular"; "test det(A) first"),
    }
}

/// `A \ b`.
fn left_division(call: &mut Call) -> Res<Value> {
    let number = match &call.args[0] {
        Value::Array(t) if !t.is_cell() && t.len() == 1 => t.get(0),
        v if v.is_number() => Some(v.clone()),
        _ => None,
    };
    match number {
        Some(a) => arith::binary(Op2::Div, &call.args[1], &a, call.mode()),
        None => solve(call),
    }
}

/// The x of least length for which A*x is closest to b.
fn least_squares(call: &mut Call, b: &Tensor) -> Res<Value> {
    let (a, double) = super::decompose::matrix(call, 0)?;
    let (values, columns) = right_sides(b, a.nrows())?;
    let x = matrix::least_squares(&a, &matrix::from_rows(a.nrows(), columns, &values));
    let x =
        x.ok_or_else(|| Fault::new("Q0400", "the iteration of 'solve' does not converge").help("scale the matrix"))?;
    Ok(super::decompose::value(&if b.is_vector() { x.transpose().to_owned() } else { x }, double))
}

fn trace(call: &mut Call) -> Res<Value> {
    if complex_matrix::is_complex(call, 0) {
        return complex_matrix::trace(call);
    }
    let t = call.tensor(0)?;
    if t.shape.len() == 2 && t.shape[0] == t.shape[1] && !t.data.borrow().is_complex() {
        let (data, n) = (t.data.borrow(), t.shape[0]);
        let sum = match &*data {
            Data::F32(v) => v.iter().step_by(n + 1).map(|x| f64::from(*x)).sum(),
            Data::F64(v) => v.iter().step_by(n + 1).sum(),
            _ => (0..n).filter_map(|i| data.get(i * n + i)?.as_f64()).sum(),
        };
        return Ok(Value::scalar(sum, matches!(*data, Data::F64(_)) || call.double()));
    }
    let (a, n, double) = square(call, 0)?;
    Ok(Value::scalar((0..n).map(|i| a[i * n + i]).sum(), double))
}

fn norm(call: &mut Call) -> Res<Value> {
    if call.args.len() > 1 {
        return super::matrix::norm_of(call);
    }
    let t = call.tensor(0)?;
    let data = t.data.borrow();
    let total: f64 = match data.is_complex() {
        true => to_c64(&data).iter().map(|z| z[0] * z[0] + z[1] * z[1]).sum(),
        false => with_reals!(&data, v => along::dot(v, v)),
    };
    Ok(Value::scalar(total.sqrt(), call.double()))
}

/// Rank by elimination with full pivoting.
fn rank(call: &mut Call) -> Res<Value> {
    let t = call.tensor(0)?;
    let (mut m, mut n) = (t.shape[0], t.shape[1..].iter().product::<usize>());
    let complex = t.data.borrow().is_complex();
    let mut a = if complex { real_form(&to_c64(&t.data.borrow()), n) } else { to_f64(&t.data.borrow()).into_owned() };
    if complex {
        (m, n) = (2 * m, 2 * n);
    }
    let scale = a.iter().fold(0.0f64, |s, x| s.max(x.abs()));
    let mut rank = 0;
    for _ in 0..m.min(n) {
        let best = (rank..m)
            .flat_map(|r| (rank..n).map(move |c| (r, c)))
            .max_by(|p, q| a[p.0 * n + p.1].abs().total_cmp(&a[q.0 * n + q.1].abs()));
        let Some((r, c)) = best else { break };
        if a[r * n + c].abs() <= scale * 1e-6 {
            break;
        }
        for j in 0..n {
            a.swap(r * n + j, rank * n + j);
        }
        for i in 0..m {
            a.swap(i * n + c, i * n + rank);
        }
        for i in rank + 1..m {
            let f = a[i * n + rank] / a[rank * n + rank];
            for j in rank..n {
                a[i * n + j] -= f * a[rank * n + j];
            }
        }
        rank += 1;
    }
    Ok(Value::size(if complex { rank.div_ceil(2) } else { rank }))
}

/// The rows of [[X,-Y],[Y,X]] for a matrix X + iY with `n` columns, whose rank is twice its.
fn real_form(z: &[[f64; 2]], n: usize) -> Vec<f64> {
    let half = |left: fn(&[f64; 2]) -> f64, right: fn(&[f64; 2]) -> f64| {
        let row = move |row: &[[f64; 2]]| row.iter().map(left).chain(row.iter().map(right)).collect::<Vec<_>>();
        z.chunks(n.max(1)).flat_map(row).collect::<Vec<f64>>()
    };
    let mut rows = half(|z| z[0], |z| -z[1]);
    rows.extend(half(|z| z[1], |z| z[0]));
    rows
}

fn cross(call: &mut Call) -> Res<Value> {
    let (x, y) = (call.tensor(0)?, call.tensor(1)?);
    let complex = x.data.borrow().is_complex() || y.data.borrow().is_complex();
    let (a, b) = (to_c64(&x.data.borrow()), to_c64(&y.data.borrow()));
    if a.len() != 3 || b.len() != 3 {
        fault!("Q0314", "'cross' needs two vectors with 3 elements"; "cross([1,0,0],[0,1,0])");
    }
    let product = |p: [f64; 2], q: [f64; 2]| [p[0] * q[0] - p[1] * q[1], p[0] * q[1] + p[1] * q[0]];
    let v: Vec<[f64; 2]> = [(1, 2), (2, 0), (0, 1)]
        .map(|(i, j)| (product(a[i], b[j]), product(a[j], b[i])))
        .map(|(p, q)| [p[0] - q[0], p[1] - q[1]])
        .to_vec();
    Ok(Value::array(match complex {
        true => Tensor::vector(complex_data(v, call.double())),
        false => Tensor::scalars(v.iter().map(|z| z[0]).collect(), call.double()),
    }))
}

/// The Kronecker product of two and more matrices, from the left.
fn kron(call: &mut Call) -> Res<Value> {
    let mut left = call.args[0].clone();
    for right in &call.args[1..] {
        left = kron_of_two(&mut call.with(&[left, right.clone()]))?;
    }
    Ok(left)
}

fn kron_of_two(call: &mut Call) -> Res<Value> {
    let (a, b) = (call.tensor(0)?, call.tensor(1)?);
    if a.shape.len() > 2 || b.shape.len() > 2 || !crate::memory::fits(a.len().saturating_mul(b.len()) * 8) {
        return Err(call.wrong(0, "a matrix of moderate size"));
    }
    if complex_matrix::is_complex(call, 0) || complex_matrix::is_complex(call, 1) {
        return complex_matrix::kron(call);
    }
    let sizes = [a.shape[0], a.shape[1], b.shape[0], b.shape[1]];
    let shape: Shape = SmallVec::from_slice(&[sizes[0] * sizes[2], sizes[1] * sizes[3]]);
    let data = match (&*a.data.borrow(), &*b.data.borrow()) {
        (Data::F32(x), Data::F32(y)) if !call.double() => Data::F32(blocks(x, y, sizes, |x, y| x * y)),
        (x, y) => real_data(blocks(&to_f64(x), &to_f64(y), sizes, |x, y| x * y), call.double()),
    };
    Ok(Value::array(Tensor::new(shape, data)))
}

/// For each element of an m×n matrix a block: its products with those of a p×q matrix.
fn blocks<T: storage::Kept>(x: &[T], y: &[T], [m, n, p, q]: [usize; 4], times: impl Fn(T, T) -> T + Sync) -> Vec<T> {
    storage::build_lines(m * n * p * q, n * q, 1, |i, row: &mut [T]| {
        let below = &y[i % p * q..(i % p + 1) * q];
        for (part, a) in row.chunks_exact_mut(q).zip(&x[i / p * n..]) {
            part.iter_mut().zip(below).for_each(|(o, b)| *o = times(*a, *b));
        }
    })
}

pub const TABLE: &[Builtin] = &[
    row!("det", "det(A)", "determinant", "print det([[4,2],[1,3]])", 1..=1, Run::One(det)),
    row!("inv", "inv(A)", "inverse matrix", "print inv([[2,0],[0,4]])", 1..=1, Run::One(inv)),
    row!(
        "solve",
        "solve(A,b)",
        "x with A*x = b; in the sense of least squares if A is not square",
        "print solve([[2,0],[0,4]],[2,8])",
        2..=2,
        Run::One(solve)
    ),
    row!(
        "mldivide",
        "mldivide(A,b)",
        "what A \\ b is: solve(A,b), and b ./ A for a number A",
        "print [[2,0],[0,4]] \\ [2,8]",
        2..=2,
        Run::One(left_division)
    ),
    row!("trace", "trace(A)", "sum of the diagonal", "print trace(eye(3))", 1..=1, Run::One(trace)).frugal(),
    row!("rank", "rank(A)", "number of independent rows", "print rank([[1,2],[2,4]])", 1..=1, Run::One(rank)),
    row!(
        "norm",
        "norm(x[,p])",
        "Euclidean norm of all elements; of a vector the p-th root of the sum of p-th powers, of a matrix the norm for p = 1, 2, inf or \"fro\"",
        "print norm([3,4]), norm([3,4],1), norm([3,4],inf)",
        1..=2,
        Run::One(norm)
    )
    .means(Meaning::Norm)
    .frugal(),
    row!("cross", "cross(a,b)", "vector product", "print cross([1,0,0],[0,1,0])", 2..=2, Run::One(cross))
        .means(Meaning::CrossProduct),
    row!("kron", "kron(A,B,…)", "Kronecker product", "print kron([1,2],[1,1])", 2..=250, Run::One(kron)),
];
