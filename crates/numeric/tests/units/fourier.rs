use quadra_numeric::fourier::*;
use rustfft::num_complex::Complex;

fn value(k: usize) -> f64 {
    ((k * 7919 + 13) % 1009) as f64 / 500.0 - 1.0
}

/// Along the last dimensions by the definition.
fn slow(values: &[Complex<f64>], sizes: &[usize], inverse: bool) -> Vec<Complex<f64>> {
    let (mut out, mut inner) = (values.to_vec(), 1);
    for n in sizes.iter().rev() {
        let before = out.clone();
        for (i, o) in out.iter_mut().enumerate() {
            let (k, at) = (i / inner % n, i - i / inner % n * inner);
            let turn = |j: usize| Complex::cis((j * k % n) as f64 / *n as f64 * std::f64::consts::TAU);
            *o = (0..*n)
                .map(|j| before[at + j * inner] * if inverse { turn(j) / *n as f64 } else { turn(j).conj() })
                .sum();
        }
        inner *= n;
    }
    out
}

#[test]
fn transforms_are_sums_of_turned_numbers() {
    let sizes: [&[usize]; 16] = [
        &[1],
        &[2],
        &[3],
        &[4],
        &[6],
        &[7],
        &[30],
        &[64],
        &[97],
        &[5, 4],
        &[4, 5],
        &[17, 1],
        &[16, 24],
        &[3, 1, 8],
        &[4, 3, 5],
        &[18, 17, 6],
    ];
    for sizes in sizes {
        let n = 2 * sizes.iter().product::<usize>();
        let real: Vec<f64> = (0..n).map(value).collect();
        let complex: Vec<Complex<f64>> = (0..n).map(|k| Complex::new(value(k), value(3 * k + 1))).collect();
        let as_complex: Vec<Complex<f64>> = real.iter().map(|x| Complex::new(*x, 0.0)).collect();
        for inverse in [false, true] {
            let mut out = complex.clone();
            of_complex(&mut out, sizes, inverse);
            let want = slow(&complex, sizes, inverse);
            assert!(out.iter().zip(&want).all(|(a, b)| (a - b).norm() < 1e-10), "{sizes:?}");
            of_real(&real, &mut out, sizes, inverse);
            let want = slow(&as_complex, sizes, inverse);
            assert!(out.iter().zip(&want).all(|(a, b)| (a - b).norm() < 1e-10), "{sizes:?}");
            let single: Vec<f32> = real.iter().map(|x| *x as f32).collect();
            let mut near = vec![Complex::default(); n];
            of_real(&single, &mut near, sizes, inverse);
            let distance = |a: &Complex<f32>, b: &Complex<f64>| (f64::from(a.re) - b.re).hypot(f64::from(a.im) - b.im);
            assert!(near.iter().zip(&want).all(|(a, b)| distance(a, b) < 1e-3), "{sizes:?}");
        }
    }
    assert_eq!((fast_length(1), fast_length(7), fast_length(1025), fast_length(0)), (1, 8, 1080, 1));
}

#[test]
fn long_arrays_are_shared_and_come_back() {
    for sizes in [vec![40_000], vec![50, 999], vec![4, 100, 98], vec![9973, 3]] {
        let n = sizes.iter().product::<usize>();
        let real: Vec<f64> = (0..n).map(value).collect();
        let mut out = vec![Complex::default(); n];
        of_real(&real, &mut out, &sizes, false);
        assert!((out[0].re - real.iter().sum::<f64>()).abs() < 1e-9);
        of_complex(&mut out, &sizes, true);
        assert!(out.iter().zip(&real).all(|(z, x)| (z.re - x).abs() < 1e-12 && z.im.abs() < 1e-12), "{sizes:?}");
    }
    forget();
}
