//! Kernels for NVIDIA's GPUs without Vulkan: what libLLVM makes PTX of. Nothing here launches them.

use super::caps::CAPS;
use quadra_back_gpu::{LlvmKernel, Prepared, Target};
use quadra_base::Diagnostic;
use quadra_kir::{Caps, Kernel};

/// A kernel that tests every access, for launches of any size, as LLVM IR.
///
/// # Errors
/// What is wrong with the kernel, and what such GPUs do not do.
pub fn nvidia(kernel: &Kernel) -> Result<LlvmKernel, Vec<Diagnostic>> {
    let target = Target::NVIDIA;
    let caps = Caps {
        int64: target.int64,
        float64: target.float64,
        shared_memory: u64::from(target.shared_bytes),
        ..CAPS.clone()
    };
    let prepared = Prepared::new(kernel, &caps)?;
    prepared.llvm(&prepared.none(), &target)
}
