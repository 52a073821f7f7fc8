use quadra_numeric::wide;
use quadra_quasar_vm::builtins::special_lanes::*;
use quadra_quasar_vm::builtins::window::Real;

fn of<T: Real>(function: Function, exact: fn(f64) -> f64, x: &[T]) -> Vec<T> {
    let mut out = vec![T::default(); x.len()];
    wide::run(Special { out: &mut out, x, function, exact });
    out
}

#[test]
fn lanes_have_the_values_of_single_numbers() {
    type Exact = fn(f64) -> f64;
    let functions: [(Function, Exact); 3] =
        [(Function::Erf, libm::erf), (Function::Gamma, libm::tgamma), (Function::LogGamma, libm::lgamma)];
    let odd =
        [0.0, -0.0, 1e-300, 1e-20, 1.0, 2.0, -1.0, -2.5, 170.0, 1e300, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    let tame = (1..4000).map(|k| f64::from(k) * 0.0047);
    let all: Vec<f64> = tame.chain(odd).chain((0..500).map(|k| f64::from(k - 250) * 0.1)).collect();
    for (function, exact) in functions {
        for (x, y) in all.iter().zip(of(function, exact, &all)) {
            let want = exact(*x);
            let close =
                (y - want).abs() <= 4e-15 * want.abs().max(f64::from(u8::from(function == Function::LogGamma)) * 1e-3);
            assert!(y == want || close || y.is_nan() && want.is_nan(), "{x}: {y} {want}");
            let single = of(function, exact, &[*x as f32; 17])[16];
            let want = exact(f64::from(*x as f32)) as f32;
            let close = (single - want).abs() <= want.abs() * 1.2e-7;
            assert!(single == want || close || single.is_nan() && want.is_nan(), "{x}: {single} {want}");
        }
    }
}

#[test]
fn the_complement_has_the_precision_of_singles() {
    for k in -1300..1300 {
        let x = k as f32 * 0.0083;
        let (y, want) = (of(Function::Erfc, libm::erfc, &[x; 3])[2], libm::erfc(f64::from(x)) as f32);
        assert!((y - want).abs() <= want.abs() * 1.2e-7 + 1e-44, "{x}: {y} {want}");
    }
}
