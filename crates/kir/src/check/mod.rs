//! The checker: what every kernel must fulfil. The codes of its errors are in [`codes`](crate::codes).
//!
//! [`kernel`] checks everything. Its first part, [`structure`], is what the interpreters need in order to run at all: ids
//! that exist, regions of the right shape, values defined before their use, types. Only where that holds are the rest
//! checked: the rules of the level, what a buffer may be used for, and synchronisation.
//!
//! Kernels with variables may be checked too. A variable's value counts as full where control flow diverges only if the
//! variable is never set there, because its dead lanes then hold what they would hold without the variable.

pub mod typing;
mod structure;
mod level;
mod sync;

pub use structure::structure;

use crate::kernel::{Inst, Kernel};
use quadra_base::Diagnostic;

/// Everything that is wrong with a kernel; empty for a good one.
pub fn kernel(kernel: &Kernel) -> Vec<Diagnostic> {
    let found = structure(kernel);
    if !found.is_empty() {
        return found;
    }
    let mut found = Vec::new();
    level::check(kernel, &mut found);
    if found.is_empty() {
        sync::check(kernel, &mut found);
    }
    found
}

fn error(code: &'static str, inst: &Inst, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(code, message).at(inst.span)
}
