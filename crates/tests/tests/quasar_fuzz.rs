//! Random Quasar programs with fixed seeds; `quadra fuzz quasar` runs others.

use quadra_tests::fuzz::quasar;

#[test]
fn random_programs_neither_panic_nor_hang() {
    std::env::set_current_dir(std::env::temp_dir()).expect("the temporary directory is there");
    let report = quasar::programs(0, 2_000);
    if let Some(failure) = report.failure {
        panic!("{failure}");
    }
    assert_eq!(report.programs, 2_000);
    println!("succeed, fail while running, do not compile: {:?}", report.outcomes);
    assert!(report.outcomes.iter().all(|n| *n > 100), "the generator reaches all outcomes: {:?}", report.outcomes);
}
