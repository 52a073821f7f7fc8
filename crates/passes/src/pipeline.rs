//! The pipelines: which passes run in which order.

use crate::{access, dce, legalize, mask, promote};
use quadra_base::Diagnostic;
use quadra_kir::{Caps, Kernel};

/// Brings a kernel as a front end made it into the form that a back end with these capabilities takes.
///
/// # Errors
/// Diagnostics at the kernel's source places.
pub fn compile(kernel: &Kernel, caps: &Caps) -> Result<Kernel, Vec<Diagnostic>> {
    let mut kernel = kernel.clone();
    promote::run(&mut kernel);
    dce::run(&mut kernel);
    mask::run(&mut kernel)?;
    access::run(&mut kernel);
    legalize::run(&mut kernel, caps);
    dce::run(&mut kernel);
    Ok(kernel)
}
