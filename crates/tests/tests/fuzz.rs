//! Random kernels with fixed seeds.

use quadra_tests::fuzz::{self, Options, Shape};

#[test]
fn random_kernels_do_the_same_behind_every_pass() {
    let options = Options { emulate: false, ..Options::default() };
    let report = fuzz::kernels(0, 1000, Shape::default(), &options);
    if let Some(failure) = &report.failure {
        panic!("{failure}");
    }
    println!("{} kernels, {} refused, {} instructions", report.kernels, report.refused, report.instructions);
    assert!(report.refused * 20 < report.kernels, "{} of {} refused", report.refused, report.kernels);
    assert!(report.instructions > 50_000, "the kernels hardly do anything: {}", report.instructions);
}
