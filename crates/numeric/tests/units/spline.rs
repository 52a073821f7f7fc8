use quadra_numeric::spline::*;

#[test]
fn cubic_polynomials_are_found_again() {
    let f = |x: f64| ((0.5 * x - 2.0) * x + 1.0) * x + 3.0;
    let x = [0.0, 1.0, 1.5, 4.0, 6.0];
    let v = x.map(f);
    let spline = not_a_knot(&x, &v);
    for at in [-0.5, 0.3, 1.2, 3.0, 5.9] {
        assert!((spline.at(&x, &v, at) - f(at)).abs() < 1e-12);
    }
}

#[test]
fn the_monotone_one_does_not_overshoot() {
    let (x, v) = ([0.0, 1.0, 2.0, 3.0], [0.0, 0.0, 1.0, 1.0]);
    let curve = monotone(&x, &v);
    let line: Vec<f64> = (0..=30).map(|k| curve.at(&x, &v, f64::from(k) / 10.0)).collect();
    assert!(line.is_sorted() && line[0] == 0.0 && (line[15] - 0.5).abs() < 1e-12);
}
