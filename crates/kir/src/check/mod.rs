//! The checker: what every kernel must fulfil, at either level.

pub mod typing;

use crate::kernel::Kernel;
use quadra_base::Diagnostic;

/// What is wrong with a kernel's structure.
pub fn structure(_kernel: &Kernel) -> Vec<Diagnostic> {
    Vec::new()
}
