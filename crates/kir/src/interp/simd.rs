//! The interpreter of the SIMD level.

use super::Stats;
use crate::kernel::Kernel;
use crate::launch::{Fault, FaultKind, Launch, Memory};

/// Runs a kernel of the SIMD level on the buffers of `memory`; `sink` receives each line that `print` writes.
///
/// # Errors
/// The fault that stopped the launch; the buffers then keep the contents they had before it.
pub fn run(
    kernel: &Kernel,
    _memory: &mut Memory,
    _launch: &Launch,
    _sink: &mut dyn FnMut(&str),
) -> Result<Stats, Fault> {
    Err(Fault::new(&kernel.name, FaultKind::Other("this level cannot be interpreted".into())))
}
