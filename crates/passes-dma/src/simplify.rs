//! Tidies up bodies that a pass has written anew.

use quadra_kir::Kernel;
use quadra_passes::{cse, dce, fold, licm};

/// Takes out of a body what it repeats, and out of its loops what stays the same in all iterations.
pub fn run(kernel: &mut Kernel) {
    fold::run(kernel);
    cse::run(kernel);
    licm::run(kernel);
    cse::run(kernel);
    dce::run(kernel);
}
