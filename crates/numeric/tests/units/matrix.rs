use faer::Mat;
use faer::c64;
use quadra_numeric::matrix::*;

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
    assert!(singular_values(&a).expect("it converges").iter().zip(&s).all(|(x, y)| (x - y).abs() < 1e-12));
    assert!(distance(&left_vectors(&a).expect("it converges").0, &u) < 1e-12);
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
fn factors_multiply_back_and_solve() {
    let value = |k: usize| ((k * 7919 + 13) % 1009) as f64 / 500.0 - 1.0;
    for n in [1, 2, 5, 37, 200] {
        // Large elements beside the diagonal: rows are exchanged, and the system is well conditioned.
        let large = |i: usize, j: usize| if (i + n / 2) % n == j { n as f64 } else { 0.0 };
        let a = Mat::from_fn(n, n, |i, j| value(i * n + j) + large(i, j));
        let f = factors(&a);
        let l = Mat::from_fn(n, n, |i, j| if i > j { f.at(i, j) } else { f64::from(u8::from(i == j)) });
        let u = Mat::from_fn(n, n, |i, j| if i <= j { f.at(i, j) } else { 0.0 });
        let permuted = Mat::from_fn(n, n, |i, j| a[(f.rows[i], j)]);
        assert!(distance(&(&l * &u), &permuted) < 1e-11, "{n}");
        let b = Mat::from_fn(n, 3, |i, j| value(i + 5 * j));
        assert!(distance(&(&a * f.solve(&b)), &b) < 1e-8, "{n}");
        let square =
            Mat::from_fn(n, n, |i, j| (0..n).map(|k| a[(i, k)] * a[(j, k)]).sum::<f64>() + f64::from(u8::from(i == j)));
        let l = cholesky(square.clone()).expect("it is positive definite");
        assert!(distance(&(&l * l.transpose()), &square) < 1e-7 && (n < 2 || l[(0, 1)] == 0.0), "{n}");
    }
    for (m, n) in [(70, 70), (90, 65), (64, 100)] {
        let a: Vec<f32> = (0..m * n).map(|k| value(k * k % 10_007) as f32).collect();
        let (packed, order) = single_factors(&a, m, n).expect("it has pivots");
        let at = |i: usize, j: usize| f64::from(packed[i * n + j]);
        for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let below = |k: usize| if k == i { 1.0 } else { at(i, k) };
            let sum: f64 = (0..=i.min(j).min(m.min(n) - 1)).map(|k| below(k) * at(k, j)).sum();
            assert!((sum - f64::from(a[order[i] * n + j])).abs() < 1e-4, "{m} {n} {i} {j}");
        }
    }
    assert!(single_factors(&[f32::NAN; 4], 2, 2).is_none() && single_factors(&[0.0; 4], 2, 2).is_none());
    assert!(cholesky(from_rows(2, 2, &[1.0, 2.0, 2.0, 1.0])).is_none());
    // A matrix with a column of zeros has factors, too.
    let flat = Mat::from_fn(90, 90, |i, j| if j == 40 { 0.0 } else { value(i * 90 + j) });
    let f = factors(&flat);
    assert!((0..90).all(|i| (0..90).all(|j| f.at(i, j).is_finite())) && f.at(40, 40) == 0.0);
    assert_eq!((sign_of(&[0, 1, 2]), sign_of(&[1, 0, 2]), sign_of(&[1, 2, 0])), (1.0, -1.0, 1.0));
}

#[test]
fn tall_systems_have_the_solution_of_all_equations() {
    let value = |k: usize| ((k * 7919 + 13) % 1009) as f64 / 500.0 - 1.0;
    for (m, n) in [(5000, 3), (9000, 4), (300, 7)] {
        let a = Mat::from_fn(m, n, |i, j| value(i * n + j));
        let b = Mat::from_fn(m, 2, |i, j| value(3 * i + j));
        let x = least_squares(&a, &b).expect("it converges");
        let whole = a.thin_svd().expect("it converges").pseudoinverse() * &b;
        assert!(distance(&x, &whole) < 1e-12, "{m} {n}");
        // The last column twice: the shortest solution has halves of what one of them had.
        let twice = Mat::from_fn(m, n + 1, |i, j| a[(i, j.min(n - 1))]);
        let y = least_squares(&twice, &b).expect("it converges");
        assert!((y[(n - 1, 0)] - x[(n - 1, 0)] / 2.0).abs() < 1e-12 && (y[(n, 0)] - y[(n - 1, 0)]).abs() < 1e-12);
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
