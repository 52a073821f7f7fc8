use quadra_quasar_vm::builtins::integrals::*;
use std::f64::consts::PI;

fn near(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-11 * b.abs(), "{a} instead of {b}");
}

#[test]
fn bessel_functions_of_half_an_order_are_elementary() {
    for x in [0.3, 1.0, 4.5, 20.0, 90.0] {
        let scale = (2.0 / (PI * x)).sqrt();
        assert!((bessel_j(0.5, x) - scale * x.sin()).abs() < 1e-13);
        assert!((bessel_y(0.5, x) + scale * x.cos()).abs() < 1e-13);
        assert!((bessel_j(-0.5, x) - scale * x.cos()).abs() < 1e-13);
        near(bessel_i(0.5, x), scale * x.sinh());
        near(bessel_k(0.5, x), (PI / (2.0 * x)).sqrt() * (-x).exp());
    }
    near(bessel_i(2.0, 3.0), 2.245_212_440_929_951);
    near(bessel_k(2.0, 3.0), 0.061_510_458_471_742_04);
}

#[test]
fn shares_and_inverses() {
    near(gamma_share(1.0, 2.0, false), 1.0 - 2.0 / std::f64::consts::E);
    near(gamma_share(30.0, 2.0, true), 31.0 * (-30f64).exp());
    near(beta_share(0.25, 2.0, 3.0), 0.261_718_75);
    near(beta_share(0.9, 0.5, 0.5), 2.0 / PI * 0.9f64.sqrt().asin());
    for y in [1e-200, 1e-10, 0.3, 1.0, 1.7] {
        near(libm::erfc(inverse_erfc(y)), y);
    }
    near(scaled_erfc(30.0), 0.018_795_888_861_416_75);
    near(digamma(1.0), -0.577_215_664_901_532_9);
    near(digamma(-0.5), 0.036_489_973_978_576_52);
}
