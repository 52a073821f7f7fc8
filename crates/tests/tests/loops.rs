//! Random Quasar loops with fixed seeds.

use quadra_quasar::session::with_stack;
use quadra_tests::fuzz;

/// Loops that count as parallel do as kernels what they do serially, and most of them can be kernels.
#[test]
fn random_loops_do_the_same_as_kernels() {
    let report = with_stack(|| fuzz::loops(0, 200, "interp")).expect("no program may panic");
    if let Some(failure) = &report.failure {
        panic!("{failure}");
    }
    println!("{} programs, {} parallel loops, {} not lowered", report.programs, report.parallel, report.refused);
    assert!(report.parallel > 60, "only {} loops count as parallel", report.parallel);
    assert!(report.refused * 3 < report.parallel, "{} of {} are not lowered", report.refused, report.parallel);
}
