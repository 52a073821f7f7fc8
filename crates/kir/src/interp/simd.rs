//! The interpreter of the SIMD level: scalar control flow, masks, one element per lane or one for all lanes.

use super::{Options, Stats, launch};
use crate::kernel::{Kernel, Level};
use crate::launch::{Fault, Launch, Memory};

/// Runs a kernel of the SIMD level on the buffers of `memory`; `sink` receives each line that `print` writes (see
/// [`line`](super::line)).
///
/// # Errors
/// The fault that stopped the launch; the buffers then keep the contents they had before it.
pub fn run(kernel: &Kernel, memory: &mut Memory, launch: &Launch, sink: &mut dyn FnMut(&str)) -> Result<Stats, Fault> {
    run_with(kernel, memory, launch, sink, &Options::default())
}

/// As [`run`], watching what `options` says.
///
/// # Errors
/// As [`run`].
pub fn run_with(
    kernel: &Kernel,
    memory: &mut Memory,
    launch: &Launch,
    sink: &mut dyn FnMut(&str),
    options: &Options,
) -> Result<Stats, Fault> {
    launch::run(Level::Simd, kernel, memory, launch, sink, options)
}
