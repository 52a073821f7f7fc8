//! Singular values and vectors.

use faer::{Mat, c64};

pub(crate) fn negate(m: &mut Mat<f64>, column: usize) {
    m.col_mut(column).iter_mut().for_each(|x| *x = -*x);
}

/// The sign of a singular vector or eigenvector is free: ours have a positive component among the largest.
pub(crate) fn is_negative(m: &Mat<f64>, column: usize) -> bool {
    let most = m.col(column).iter().fold(0.0f64, |m, x| m.max(x.abs()));
    m.col(column).iter().find(|x| x.abs() > most * 0.999).is_some_and(|x| *x < 0.0)
}

/// Singular values in descending order and, if asked for, the first columns of U; none if the iteration does not converge.
fn singular(a: &Mat<f64>, vectors: bool) -> Option<(Vec<f64>, Mat<f64>)> {
    use faer::linalg::svd::{ComputeSvdVectors as Compute, svd, svd_scratch};
    let ((m, n), size) = (a.shape(), a.nrows().min(a.ncols()));
    let (mut s, mut u) = (faer::diag::Diag::zeros(size), Mat::zeros(if vectors { m } else { 0 }, size));
    let (threads, which) = (processors(size), if vectors { Compute::Thin } else { Compute::No });
    let scratch = svd_scratch::<f64>(m, n, which, Compute::No, threads, Default::default());
    let mut memory = faer::dyn_stack::MemBuffer::new(scratch);
    let stack = faer::dyn_stack::MemStack::new(&mut memory);
    let left = vectors.then(|| u.as_mut());
    svd(a.as_ref(), s.as_mut(), left, None, threads, stack, Default::default()).ok()?;
    Some((s.column_vector().iter().copied().collect(), u))
}

/// The singular values in descending order; none if the iteration does not converge.
pub fn singular_values(a: &Mat<f64>) -> Option<Vec<f64>> {
    Some(singular(a, false)?.0)
}

/// U in economy size, with the signs that [`svd`] gives it where singular values are not 0, and the singular values in descending
/// order; none if the iteration does not converge.
pub fn left_vectors(a: &Mat<f64>) -> Option<(Mat<f64>, Vec<f64>)> {
    let (s, mut u) = singular(a, true)?;
    // Columns of V times the singular values.
    let v = a.transpose() * &u;
    for c in 0..u.ncols() {
        if is_negative(&v, c) {
            negate(&mut u, c);
        }
    }
    Some((u, s))
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

/// As [`svd`], of a complex matrix: a = U*S*V' with the conjugate transpose V', and the largest element of each column of V real
/// and positive.
pub fn complex_svd(a: &Mat<c64>) -> Option<(Mat<c64>, Vec<f64>, Mat<c64>)> {
    let found = a.thin_svd().ok()?;
    let (mut u, mut v) = (found.U().to_owned(), found.V().to_owned());
    for c in 0..v.ncols() {
        let most = v.col(c).iter().fold(0.0f64, |m, z| m.max(z.norm()));
        let Some(large) = v.col(c).iter().find(|z| z.norm() > most * 0.999).filter(|z| z.norm() > 0.0) else {
            continue;
        };
        let turn = large.conj() / large.norm();
        v.col_mut(c).iter_mut().for_each(|z| *z *= turn);
        u.col_mut(c).iter_mut().for_each(|z| *z *= turn);
    }
    Some((u, found.S().column_vector().iter().map(|z| z.re).collect(), v))
}

/// Threads for a decomposition of an n×n matrix: before that, what they tell each other takes longer than what they do.
pub(crate) fn processors(n: usize) -> faer::Par {
    if n < 768 { faer::Par::Seq } else { faer::Par::rayon(0) }
}
