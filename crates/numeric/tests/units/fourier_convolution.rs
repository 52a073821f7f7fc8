use quadra_numeric::fourier::convolution::*;

#[test]
fn convolutions_are_sums_of_products() {
    let value = |k: usize| ((k * 7919 + 13) % 1009) as f64 / 500.0 - 1.0;
    for ([p, m], [q, n]) in
        [([1, 1000], [1, 77]), ([40, 30], [7, 9]), ([64, 200], [33, 1]), ([5, 1], [300, 1]), ([1, 1], [1, 1])]
    {
        let a: Vec<f64> = (0..p * m).map(value).collect();
        let b: Vec<f64> = (0..q * n).map(|k| value(3 * k + 1)).collect();
        let (h, w) = (p + q - 1, m + n - 1);
        let mut want = vec![0.0; h * w];
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate() {
                want[(i / m + j / n) * w + i % m + j % n] += x * y;
            }
        }
        let out = convolved(&a, m, &b, n, [h, w]);
        assert!(out.iter().zip(&want).all(|(x, y)| (x - y).abs() < 1e-10), "{p}x{m} {q}x{n}");
    }
}

#[test]
fn lines_are_convolved_piece_by_piece() {
    let value = |k: usize| ((k * 7919 + 13) % 1009) as f64 / 500.0 - 1.0;
    for (m, n) in [(1, 1), (5, 1), (700, 333), (9000, 3), (12_289, 1025), (20_000, 1024), (5000, 5000)] {
        let a: Vec<f64> = (0..m).map(value).collect();
        let b: Vec<f64> = (0..n).map(|k| value(3 * k + 1)).collect();
        let mut out = vec![f64::NAN; m + n - 1];
        convolved_lines(&a, &b, &mut out);
        for i in (0..out.len()).step_by(7) {
            let want: f64 = (i.saturating_sub(n - 1)..=i.min(m - 1)).map(|k| a[k] * b[i - k]).sum();
            assert!((out[i] - want).abs() < 1e-9, "{m} {n} {i}: {} {want}", out[i]);
        }
    }
}
