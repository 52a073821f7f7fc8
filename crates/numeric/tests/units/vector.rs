use quadra_numeric::vector::*;

#[test]
fn products_with_vectors_are_sums_of_products() {
    let value = |k: usize| ((k * 7919 + 13) % 1009) as f64 / 500.0 - 1.0;
    for (m, n) in [(1, 1), (3, 2), (7, 65), (130, 129), (600, 700), (4, 1100)] {
        let a: Vec<f64> = (0..m * n).map(value).collect();
        let (x, y): (Vec<f64>, Vec<f64>) =
            ((0..n).map(|k| value(3 * k)).collect(), (0..m).map(|k| value(5 * k)).collect());
        let (mut rows, mut columns) = (vec![0.0; m], vec![0.0; n]);
        of_rows(&a, &x, &mut rows);
        of_columns(&y, &a, &mut columns);
        let row = |i: usize| (0..n).map(|j| a[i * n + j] * x[j]).sum::<f64>();
        let column = |j: usize| (0..m).map(|i| a[i * n + j] * y[i]).sum::<f64>();
        assert!((0..m).all(|i| (rows[i] - row(i)).abs() < 1e-10), "{m} {n}");
        assert!((0..n).all(|j| (columns[j] - column(j)).abs() < 1e-10), "{m} {n}");
    }
}
