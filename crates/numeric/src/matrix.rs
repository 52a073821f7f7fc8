//! Matrix products and decompositions.

pub use faer::{Mat, c64};

/// The product of an m×k and a k×n matrix, both row by row.
pub fn multiply_f32(a: &[f32], b: &[f32], m: usize, k: usize, n: usize) -> Vec<f32> {
    multiply(a, b, m, k, n)
}

/// The product of an m×k and a k×n matrix, both row by row.
pub fn multiply_f64(a: &[f64], b: &[f64], m: usize, k: usize, n: usize) -> Vec<f64> {
    multiply(a, b, m, k, n)
}

fn multiply<T: faer::traits::ComplexField + Copy + Default>(a: &[T], b: &[T], m: usize, k: usize, n: usize) -> Vec<T> {
    let mut c = vec![T::default(); m * n];
    if c.is_empty() || k == 0 {
        return c;
    }
    // Starting threads costs microseconds: below about a million multiplications one does it sooner.
    let threads = if m * n * k < 1 << 20 { faer::Par::Seq } else { faer::Par::rayon(0) };
    faer::linalg::matmul::matmul(
        faer::MatMut::from_row_major_slice_mut(&mut c, m, n),
        faer::Accum::Replace,
        faer::MatRef::from_row_major_slice(a, m, k),
        faer::MatRef::from_row_major_slice(b, k, n),
        T::from_f64_impl(1.0),
        threads,
    );
    c
}

/// A matrix from its elements row by row.
pub fn from_rows(rows: usize, columns: usize, values: &[f64]) -> Mat<f64> {
    Mat::from_fn(rows, columns, |i, j| values[i * columns + j])
}

/// The elements row by row.
pub fn rows(m: &Mat<f64>) -> Vec<f64> {
    (0..m.nrows()).flat_map(|i| (0..m.ncols()).map(move |j| m[(i, j)])).collect()
}

/// Q with orthonormal columns and R, upper triangular with a diagonal that is not negative: A = Q*R, in economy size.
pub fn qr(a: &Mat<f64>) -> (Mat<f64>, Mat<f64>) {
    let found = a.qr();
    let (mut q, mut r) = (found.compute_thin_Q(), found.thin_R().to_owned());
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

fn negate(m: &mut Mat<f64>, column: usize) {
    m.col_mut(column).iter_mut().for_each(|x| *x = -*x);
}

/// The sign of a singular vector or eigenvector is free: ours have a positive component among the largest.
fn is_negative(m: &Mat<f64>, column: usize) -> bool {
    let most = m.col(column).iter().fold(0.0f64, |m, x| m.max(x.abs()));
    m.col(column).iter().find(|x| x.abs() > most * 0.999).is_some_and(|x| *x < 0.0)
}

/// U, the singular values in descending order, and V, in economy size; none if the iteration does not converge.
pub fn svd(a: &Mat<f64>) -> Option<(Mat<f64>, Vec<f64>, Mat<f64>)> {
    let found = a.thin_svd().ok()?;
    let (mut u, mut v) = (found.U().to_owned(), found.V().to_owned());
    for c in 0..v.ncols() {
        if is_negative(&v, c) {
            negate(&mut v, c);
            negate(&mut u, c);
        }
    }
    Some((u, found.S().column_vector().iter().copied().collect(), v))
}

/// U, the singular values in descending order, and V, both square; none if the iteration does not converge.
pub fn full_svd(a: &Mat<f64>) -> Option<(Mat<f64>, Vec<f64>, Mat<f64>)> {
    if a.nrows() == 0 || a.ncols() == 0 {
        return Some((Mat::identity(a.nrows(), a.nrows()), Vec::new(), Mat::identity(a.ncols(), a.ncols())));
    }
    let found = a.svd().ok()?;
    let (mut u, mut v) = (found.U().to_owned(), found.V().to_owned());
    for c in 0..v.ncols() {
        if is_negative(&v, c) {
            negate(&mut v, c);
            if c < u.ncols() {
                negate(&mut u, c);
            }
        }
    }
    Some((u, found.S().column_vector().iter().copied().collect(), v))
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
    Some(a.thin_svd().ok()?.pseudoinverse() * b)
}

/// Eigenvalues and, in columns, eigenvectors of a square matrix, in no particular order.
pub fn eigen(a: &Mat<f64>) -> Option<(Vec<c64>, Mat<c64>)> {
    let found = a.eigen().ok()?;
    Some((found.S().column_vector().iter().copied().collect(), found.U().to_owned()))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
        rows(&(a - b)).iter().fold(0.0, |m, x| m.max(x.abs()))
    }

    #[test]
    fn decompositions_multiply_back() {
        let a = from_rows(3, 3, &[2.0, -1.0, 0.5, 1.0, 3.0, -2.0, 0.0, 4.0, 1.0]);
        let (q, r) = qr(&a);
        assert!(distance(&(&q * &r), &a) < 1e-12 && r[(2, 0)] == 0.0 && r[(1, 1)] > 0.0);
        let (u, s, v) = svd(&a).expect("it converges");
        let scaled = Mat::from_fn(3, 3, |i, j| u[(i, j)] * s[j]);
        assert!(distance(&(scaled * v.transpose()), &a) < 1e-12 && s[0] >= s[1] && s[1] >= s[2]);
        let x = least_squares(&a, &from_rows(3, 1, &[1.0, 2.0, 3.0])).expect("it converges");
        assert!(distance(&(&a * &x), &from_rows(3, 1, &[1.0, 2.0, 3.0])) < 1e-12);
        let (values, vectors) = eigen(&a).expect("it converges");
        for (k, value) in values.iter().enumerate() {
            for i in 0..3 {
                let image: c64 = (0..3).map(|j| vectors[(j, k)] * a[(i, j)]).sum();
                assert!((image - vectors[(i, k)] * value).norm() < 1e-12);
            }
        }
    }

    #[test]
    fn the_exponential_of_a_rotation_is_its_matrix() {
        let e = exponential(&from_rows(2, 2, &[0.0, -20.0, 20.0, 0.0]));
        let (sin, cos) = 20.0f64.sin_cos();
        assert!(distance(&e, &from_rows(2, 2, &[cos, -sin, sin, cos])) < 1e-12);
    }

    #[test]
    fn products_agree_with_the_definition() {
        let (a, b) = ([1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0f32, 0.0, 2.0, 1.0, 0.0, 3.0]);
        assert_eq!(multiply_f32(&a, &b, 2, 3, 2), [5.0, 11.0, 14.0, 23.0]);
        assert_eq!(multiply_f64(&[], &[], 0, 3, 0), [0.0; 0]);
    }
}
