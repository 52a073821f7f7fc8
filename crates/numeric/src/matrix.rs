//! Matrix products and decompositions.

pub use crate::singular::{complex_svd, full_svd, left_vectors, singular_values, svd};
use crate::singular::{is_negative, negate, processors};
use crate::threads;
use crate::vector::{self, Element};
pub use faer::{Mat, c64};
use faer::{MatMut, MatRef};

/// The product of an m×k and a k×n matrix, both row by row.
pub fn multiply_f32(a: &[f32], b: &[f32], m: usize, k: usize, n: usize) -> Vec<f32> {
    multiply(a, b, m, k, n)
}

/// The product of an m×k and a k×n matrix, both row by row.
pub fn multiply_f64(a: &[f64], b: &[f64], m: usize, k: usize, n: usize) -> Vec<f64> {
    multiply(a, b, m, k, n)
}

fn multiply<T: Element>(a: &[T], b: &[T], m: usize, k: usize, n: usize) -> Vec<T> {
    let mut c = vec![T::default(); m * n];
    if c.is_empty() || k == 0 {
        return c;
    }
    // Each element is read once: what counts is that it is read in order.
    if n == 1 {
        vector::of_rows(a, b, &mut c);
        return c;
    }
    if m == 1 {
        vector::of_columns(a, b, &mut c);
        return c;
    }
    // Starting threads costs microseconds: below about a million multiplications one does it sooner.
    let parts = if m * n * k < 1 << 20 { 1 } else { threads::count() };
    let (left, right) = (MatRef::from_row_major_slice(a, m, k), MatRef::from_row_major_slice(b, k, n));
    shared(MatMut::from_row_major_slice_mut(&mut c, m, n), left, right, parts);
    c
}

/// The product in so many parts of about the same size, each by one thread: less is moved between them than if all worked on each block.
fn shared<T: Element>(c: MatMut<'_, T>, a: MatRef<'_, T>, b: MatRef<'_, T>, parts: usize) {
    let (m, n) = (c.nrows(), c.ncols());
    let first = parts / 2;
    // Blocks of rows and columns whose sums stay in registers are multiples of these.
    let cut = |n: usize| (n * first / parts).next_multiple_of(16).min(n);
    if parts < 2 || m.max(n) < 32 {
        return faer::linalg::matmul::matmul(c, faer::Accum::Replace, a, b, T::one_impl(), faer::Par::Seq);
    }
    if m >= n {
        let ((c, below), (a, others)) = (c.split_at_row_mut(cut(m)), a.split_at_row(cut(m)));
        threads::both(|| shared(c, a, b, first), || shared(below, others, b, parts - first));
    } else {
        let ((c, beside), (b, others)) = (c.split_at_col_mut(cut(n)), b.split_at_col(cut(n)));
        threads::both(|| shared(c, a, b, first), || shared(beside, a, others, parts - first));
    }
}

/// A matrix from its elements row by row.
pub fn from_rows<T: Element>(rows: usize, columns: usize, values: &[T]) -> Mat<T> {
    let mut out = Mat::zeros(rows, columns);
    if out.nrows() == 0 || out.ncols() == 0 {
        return out;
    }
    for first in (0..columns).step_by(NEAR) {
        let last = (first + NEAR).min(columns);
        for (i, row) in values.chunks_exact(columns).enumerate() {
            for (j, x) in (first..last).zip(&row[first..last]) {
                out[(i, j)] = *x;
            }
        }
    }
    out
}

/// Columns that are read or written together: a line of a cache of each.
const NEAR: usize = 8;

/// The elements row by row.
pub fn rows<T: Element>(m: &Mat<T>) -> Vec<T> {
    let (count, columns) = m.shape();
    let mut out = vec![T::default(); count * columns];
    if out.is_empty() {
        return out;
    }
    for first in (0..columns).step_by(NEAR) {
        let last = (first + NEAR).min(columns);
        for (i, row) in out.chunks_exact_mut(columns).enumerate() {
            for (j, x) in (first..last).zip(&mut row[first..last]) {
                *x = m[(i, j)];
            }
        }
    }
    out
}

/// A matrix with its rows in the order of pivots as L times U, both in one matrix: what is below the diagonal is L's.
pub struct Factors {
    packed: Mat<f64>,
    /// Which row of the matrix each row is.
    pub rows: Vec<usize>,
    /// The sign of this order.
    pub sign: f64,
}

/// Size from which blocks pay.
const BLOCKED: usize = 64;

/// L and U of an m×n matrix, the largest element of a column being its pivot; columns of zeros are passed over.
pub fn factors(a: &Mat<f64>) -> Factors {
    let finite = |m: &Mat<f64>| (0..m.ncols()).all(|j| m.col(j).iter().all(|x| x.is_finite()));
    if a.nrows().min(a.ncols()) >= BLOCKED && finite(a) {
        let found = blocked(a);
        // A pivot of 0 leaves what is no number.
        if finite(&found.packed) {
            return found;
        }
    }
    one_by_one(a)
}

/// Column by column.
fn one_by_one(a: &Mat<f64>) -> Factors {
    let (m, n) = a.shape();
    let mut a = rows(a);
    let (mut order, mut sign): (Vec<usize>, f64) = ((0..m).collect(), 1.0);
    for c in 0..m.min(n) {
        let pivot = (c..m).rev().max_by(|p, q| a[p * n + c].abs().total_cmp(&a[q * n + c].abs())).unwrap_or(c);
        if a[pivot * n + c] == 0.0 {
            continue;
        }
        if pivot != c {
            for j in 0..n {
                a.swap(pivot * n + j, c * n + j);
            }
            order.swap(pivot, c);
            sign = -sign;
        }
        for r in c + 1..m {
            let f = a[r * n + c] / a[c * n + c];
            a[r * n + c] = f;
            for j in c + 1..n {
                a[r * n + j] -= f * a[c * n + j];
            }
        }
    }
    Factors { packed: from_rows(m, n, &a), rows: order, sign }
}

fn blocked(a: &Mat<f64>) -> Factors {
    let mut packed = a.clone();
    let order = exchanged(&mut packed);
    let sign = sign_of(&order);
    Factors { packed, rows: order, sign }
}

/// Makes L and U of a matrix, in its place; which row each row was.
fn exchanged<T: Element + faer::traits::RealField>(packed: &mut Mat<T>) -> Vec<usize> {
    use faer::linalg::lu::partial_pivoting::factor;
    let (m, n) = packed.shape();
    let (mut order, mut inverse) = (vec![0usize; m], vec![0usize; m]);
    let threads = processors(m.min(n));
    let params = Default::default();
    let scratch = factor::lu_in_place_scratch::<usize, T>(m, n, threads, params);
    let mut memory = faer::dyn_stack::MemBuffer::new(scratch);
    let stack = faer::dyn_stack::MemStack::new(&mut memory);
    factor::lu_in_place(packed.as_mut(), &mut order, &mut inverse, threads, stack, params);
    order
}

/// As [`factors`], in single precision and row by row; none if an element is no number, or if a column has no pivot.
pub fn single_factors(values: &[f32], m: usize, n: usize) -> Option<(Vec<f32>, Vec<usize>)> {
    let finite = |v: &[f32]| v.iter().fold(true, |all, x| all & x.is_finite());
    if !finite(values) {
        return None;
    }
    let mut packed = from_rows(m, n, values);
    let order = exchanged(&mut packed);
    let out = rows(&packed);
    finite(&out).then_some((out, order))
}

/// 1 for an even number of exchanges, else -1.
pub fn sign_of(order: &[usize]) -> f64 {
    let (mut seen, mut sign) = (vec![false; order.len()], 1.0);
    for start in 0..order.len() {
        let (mut at, mut length) = (start, 0);
        while !std::mem::replace(&mut seen[at], true) {
            at = order[at];
            length += 1;
        }
        if length > 0 && length % 2 == 0 {
            sign = -sign;
        }
    }
    sign
}

impl Factors {
    /// The packed matrix row by row.
    pub fn row_by_row(&self) -> Vec<f64> {
        rows(&self.packed)
    }

    /// The element of the packed matrix.
    pub fn at(&self, i: usize, j: usize) -> f64 {
        self.packed[(i, j)]
    }

    /// The x with a*x = b, of a square matrix without a 0 on the diagonal of U.
    pub fn solve(&self, b: &Mat<f64>) -> Mat<f64> {
        use faer::linalg::triangular_solve as t;
        let mut x = Mat::from_fn(b.nrows(), b.ncols(), |i, j| b[(self.rows[i], j)]);
        let threads = processors(b.nrows().min(b.ncols()));
        t::solve_unit_lower_triangular_in_place(self.packed.as_ref(), x.as_mut(), threads);
        t::solve_upper_triangular_in_place(self.packed.as_ref(), x.as_mut(), threads);
        x
    }
}

/// The lower triangle L with L*transpose(L) = a, of which the lower triangle counts; none if `a` is not positive definite.
pub fn cholesky(mut l: Mat<f64>) -> Option<Mat<f64>> {
    use faer::linalg::cholesky::llt::factor;
    let n = l.nrows();
    let params = Default::default();
    let mut memory =
        faer::dyn_stack::MemBuffer::new(factor::cholesky_in_place_scratch::<f64>(n, processors(n), params));
    let stack = faer::dyn_stack::MemStack::new(&mut memory);
    factor::cholesky_in_place(l.as_mut(), Default::default(), processors(n), stack, params).ok()?;
    // The factorisation leaves the other triangle as it is, or works there.
    for j in 1..n {
        l.col_mut(j).subrows_mut(0, j).fill(0.0);
    }
    Some(l)
}

/// Q with orthonormal columns and R, upper triangular with a diagonal that is not negative: A = Q*R, in economy size.
pub fn qr(a: &Mat<f64>) -> (Mat<f64>, Mat<f64>) {
    use faer::linalg::{householder, qr::no_pivoting::factor};
    let ((m, n), mut packed) = (a.shape(), a.clone());
    let size = m.min(n);
    if size == 0 {
        return (Mat::zeros(m, size), Mat::zeros(size, n));
    }
    let (threads, block) = (processors(size), factor::recommended_block_size::<f64>(m, n));
    let mut turns = Mat::zeros(block, size);
    let scratch = factor::qr_in_place_scratch::<f64>(m, n, block, threads, Default::default());
    let back = householder::apply_block_householder_sequence_on_the_left_in_place_scratch::<f64>(m, block, size);
    let mut memory = faer::dyn_stack::MemBuffer::new(scratch.or(back));
    let stack = faer::dyn_stack::MemStack::new(&mut memory);
    factor::qr_in_place(packed.as_mut(), turns.as_mut(), threads, stack, Default::default());
    let (basis, mut q) = (packed.submatrix(0, 0, m, size), Mat::identity(m, size));
    householder::apply_block_householder_sequence_on_the_left_in_place_with_conj(
        basis,
        turns.as_ref(),
        faer::Conj::No,
        q.as_mut(),
        threads,
        stack,
    );
    let mut r = packed.submatrix(0, 0, size, n).to_owned();
    for i in 0..r.nrows() {
        for j in 0..i.min(r.ncols()) {
            r[(i, j)] = 0.0;
        }
        if i < r.ncols() && r[(i, i)] < 0.0 {
            r.row_mut(i).iter_mut().for_each(|x| *x = -*x);
            negate(&mut q, i);
        }
    }
    (q, r)
}

/// The exponential of a square matrix: its Padé approximant of degree 13 for a 2^k-th part, squared k times (Higham, "The
/// scaling and squaring method for the matrix exponential revisited", 2005).
pub fn exponential(a: &Mat<f64>) -> Mat<f64> {
    let n = a.nrows();
    let size = (0..n).map(|j| a.col(j).iter().map(|x| x.abs()).sum::<f64>()).fold(0.0f64, f64::max);
    let halvings = if size > 5.37 { (size / 5.37).log2().ceil() as i32 } else { 0 };
    let scale = 0.5f64.powi(halvings);
    let a = Mat::from_fn(n, n, |i, j| a[(i, j)] * scale);
    // b[k] = (26-k)! 13! / (26! k! (13-k)!), from one to the next.
    let mut b = [1.0f64; 14];
    for k in 1..14 {
        b[k] = b[k - 1] * (14 - k) as f64 / ((27 - k) * k) as f64;
    }
    let identity = Mat::<f64>::identity(n, n);
    let mut power = identity.clone();
    let (mut odd, mut even) = (Mat::<f64>::zeros(n, n), Mat::<f64>::zeros(n, n));
    for (k, factor) in b.iter().enumerate() {
        let part = if k % 2 == 1 { &mut odd } else { &mut even };
        *part = Mat::from_fn(n, n, |i, j| part[(i, j)] + factor * power[(i, j)]);
        power = &power * &a;
    }
    let mut out = faer::linalg::solvers::Solve::solve(&(&even - &odd).partial_piv_lu(), &(&even + &odd));
    for _ in 0..halvings {
        out = &out * &out;
    }
    out
}

/// The x of least length for which a*x is closest to b; none if the iteration does not converge.
pub fn least_squares(a: &Mat<f64>, b: &Mat<f64>) -> Option<Mat<f64>> {
    let (m, n, k) = (a.nrows(), a.ncols(), b.ncols());
    if m <= 4 * (n + k) {
        return Some(a.thin_svd().ok()?.pseudoinverse() * b);
    }
    // R of [a b] keeps lengths and angles, so that the system with its rows has the same solutions.
    let mut rows = Mat::<f64>::zeros(0, n + k);
    let step = (16 * (n + k)).max(2048);
    for from in (0..m).step_by(step) {
        let (above, own) = (rows.nrows(), step.min(m - from));
        let part = Mat::from_fn(above + own, n + k, |i, j| match i.checked_sub(above) {
            None => rows[(i, j)],
            Some(i) if j < n => a[(from + i, j)],
            Some(i) => b[(from + i, j - n)],
        });
        let r = part.qr().thin_R().to_owned();
        rows = Mat::from_fn(r.nrows(), n + k, |i, j| if i <= j { r[(i, j)] } else { 0.0 });
    }
    let left = Mat::from_fn(rows.nrows(), n, |i, j| rows[(i, j)]);
    let right = Mat::from_fn(rows.nrows(), k, |i, j| rows[(i, n + j)]);
    Some(left.thin_svd().ok()?.pseudoinverse() * right)
}

/// Eigenvalues and, in columns, eigenvectors of a square matrix, in no particular order.
pub fn eigen(a: &Mat<f64>) -> Option<(Vec<c64>, Mat<c64>)> {
    let found = a.eigen().ok()?;
    Some((found.S().column_vector().iter().copied().collect(), found.U().to_owned()))
}

/// As [`eigen`], of a complex matrix.
pub fn complex_eigen(a: &Mat<c64>) -> Option<(Vec<c64>, Mat<c64>)> {
    let found = a.eigen().ok()?;
    Some((found.S().column_vector().iter().copied().collect(), found.U().to_owned()))
}

/// Eigenvalues, which are real, in ascending order and eigenvectors of the Hermitian matrix with this lower triangle.
pub fn hermitian_eigen(a: &Mat<c64>) -> Option<(Vec<f64>, Mat<c64>)> {
    let found = a.self_adjoint_eigen(faer::Side::Lower).ok()?;
    Some((found.S().column_vector().iter().map(|z| z.re).collect(), found.U().to_owned()))
}

/// Eigenvalues in ascending order and, in columns, eigenvectors of the symmetric matrix with this lower triangle.
pub fn symmetric_eigen(a: &Mat<f64>) -> Option<(Vec<f64>, Mat<f64>)> {
    let found = a.self_adjoint_eigen(faer::Side::Lower).ok()?;
    let mut vectors = found.U().to_owned();
    for c in 0..vectors.ncols() {
        if is_negative(&vectors, c) {
            negate(&mut vectors, c);
        }
    }
    Some((found.S().column_vector().iter().copied().collect(), vectors))
}
