//! Sparse matrices.

use crate::matrix::rows;
use faer::Mat;
use faer::linalg::solvers::Solve;
use faer::sparse::{SparseColMat, Triplet};

/// The x with a*x = b for each column of `b`, of a square matrix with these elements (row, column, value), by elimination with
/// partial pivoting in an order that keeps L and U sparse. None if the matrix is singular, or a place lies outside.
pub fn solve(n: usize, elements: &[(usize, usize, f64)], b: &Mat<f64>) -> Option<Mat<f64>> {
    let triplets: Vec<_> = elements.iter().map(|(i, j, v)| Triplet::new(*i, *j, *v)).collect();
    let a = SparseColMat::<usize, f64>::try_new_from_triplets(n, n, &triplets).ok()?;
    let x = a.sp_lu().ok()?.solve(b);
    // A pivot that is 0 up to rounding shows in the solution.
    let rest = &a * &x - b;
    let most = |m: &Mat<f64>| rows(m).into_iter().fold(0.0f64, |most, v| most.max(v.abs()));
    let scale = elements.iter().fold(0.0f64, |most, e| most.max(e.2.abs())) * most(&x) + most(b);
    let finite = rows(&x).into_iter().all(f64::is_finite);
    (finite && most(&rest) <= 1e-8 * scale).then_some(x)
}
