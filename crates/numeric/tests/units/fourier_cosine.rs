use quadra_numeric::fourier::cosine::*;

#[test]
fn cosine_transforms_are_sums_of_cosines() {
    for n in [1, 2, 3, 4, 5, 6, 7, 8, 16, 17, 30, 66, 101] {
        let x: Vec<f64> = (0..3 * n).map(|k| ((k * 7919 + 13) % 1009) as f64 / 500.0 - 1.0).collect();
        let (mut out, mut back) = (vec![0.0; 3 * n], vec![0.0; 3 * n]);
        cosines(&x, &mut out, n, false);
        for (x, out) in x.chunks(n).zip(out.chunks(n)) {
            for (k, o) in out.iter().enumerate() {
                let angle = |j: usize| std::f64::consts::PI * (2 * j + 1) as f64 * k as f64 / (2 * n) as f64;
                let sum: f64 = x.iter().enumerate().map(|(j, x)| x * angle(j).cos()).sum();
                let scale = if k == 0 { 1.0 } else { 2.0 } / n as f64;
                assert!((o - sum * scale.sqrt()).abs() < 1e-13 * n as f64, "{n} {k}: {o}");
            }
        }
        cosines(&out, &mut back, n, true);
        assert!(x.iter().zip(&back).all(|(x, y)| (x - y).abs() < 1e-13), "{n}");
        let single: Vec<f32> = x.iter().map(|x| *x as f32).collect();
        let mut near = vec![0.0f32; 3 * n];
        cosines(&single, &mut near, n, false);
        assert!(near.iter().zip(&out).all(|(x, y)| (f64::from(*x) - y).abs() < 1e-5), "{n}");
    }
}
