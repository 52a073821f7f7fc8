//! `quadra export --to ptx`: kernels as assembly for NVIDIA's GPUs, made by libLLVM. Its head says how a program launches them.

use quadra_base::Diagnostic;
use quadra_device::cuda;
use quadra_kir::{Kernel, Param};
use quadra_llvm::{Llvm, Pipeline, Target};
use std::fmt::Write;

/// The GPU of this name, or the oldest one.
///
/// # Errors
/// It is none of NVIDIA's.
pub fn target(name: Option<&str>) -> Result<&'static Target, Box<Diagnostic>> {
    let name = name.unwrap_or(Target::NVIDIA[0].name);
    Target::NVIDIA.iter().find(|t| t.name == name).ok_or_else(|| {
        let names: Vec<&str> = Target::NVIDIA.iter().map(|t| t.name).collect();
        let message = format!("PTX is for GPUs of NVIDIA, and `{name}` is none");
        Diagnostic::error("E0807", message).help(format!("--target names one: {}", names.join(", "))).into()
    })
}

/// The assembly of a kernel.
///
/// # Errors
/// What such GPUs do not do, and what libLLVM says.
pub fn assembly(kernel: &Kernel, target: &Target) -> Result<String, Vec<Diagnostic>> {
    let made = cuda::text(kernel)?;
    let llvm = Llvm::get().map_err(|d| vec![*d])?;
    let text = llvm.assembly_for(&made.text, target, Pipeline::O2).map_err(|d| vec![*d])?;
    Ok(head(kernel, &made) + &text)
}

/// How the kernel is launched.
fn head(kernel: &Kernel, made: &cuda::LlvmKernel) -> String {
    let mut out = String::from("// Made by `quadra export`; such code is what device `cuda` runs.\n//\n");
    let _ = writeln!(out, "// {}: parameters are addresses in the GPU's memory:", made.name);
    let _ = writeln!(out, "//   header  32-bit words: {}", made.header.join(", "));
    out += "//   marks   two words, 0 and 0xffffffff before a launch; afterwards word 0 has bit 0 set if an index was outside of its\n\
            //           array or an assertion did not hold (what was written is of no use then), bit 1 if an item made too many\n\
            //           iterations, the first of which is word 1\n";
    for param in &kernel.params {
        if let Param::Buffer(b) = param {
            let info = &kernel.bufs[*b];
            let _ = writeln!(
                out,
                "//   {}  elements {}, at a multiple of 4 bytes, of which there are a multiple, too",
                info.name, info.elem
            );
        }
    }
    let what = if made.form.grouped { "groups" } else { "items" };
    let (size, blocks) = (
        made.form.invocations,
        if made.form.grouped { "groups".into() } else { format!("items / {}", made.form.invocations) },
    );
    let _ = writeln!(
        out,
        "// Blocks of {size} threads, as many as {blocks}, rounded up; {what} are counted along the last axis first.\n"
    );
    out
}
