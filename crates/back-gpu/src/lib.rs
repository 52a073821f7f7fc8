//! Internal crate of Quadra: no stable interface.
//!
//! Kernels as compute shaders for every GPU: kernel IR at SIMT level, behind the common passes, becomes a `naga::Module`
//! that is built directly, validated, and written as SPIR-V in which no float operation may be contracted. What a shader
//! cannot do, or what would round otherwise than the interpreter does, is refused with a reason when it is compiled.
//!
//! A shader never touches memory outside of its buffers: an index that nobody proved inside is tested, and one outside
//! becomes 0 and leaves a mark in the launch's buffer of [marks](abi::MARKS). Whoever launches works on copies and drops them then, so
//! a shader need not know what went wrong where: the launch is made again by a device that says it.
//!
//! Files: [`abi`] (what the host hands over), `lower` (instructions), `spirv` (the words).
#![forbid(unsafe_code)]

pub mod abi;
mod lower;
mod spirv;

pub use abi::codes::CODES;
pub use abi::{ENTRY, Form, Header, Target};

use quadra_base::Diagnostic;
use quadra_kir::{Caps, Kernel};
use quadra_passes::pass::{Facts, Options, PassCx};
use quadra_passes::pipeline;

/// A compute shader and how it is launched.
#[derive(Clone, Debug)]
pub struct Shader {
    /// SPIR-V with the entry point [`ENTRY`].
    pub words: Vec<u32>,
    pub form: Form,
}

/// Compiles a SIMT kernel.
///
/// # Errors
/// What is wrong with the kernel, and what this GPU does not do, with places in its source.
pub fn compile(kernel: &Kernel, caps: &Caps, target: &Target) -> Result<Shader, Vec<Diagnostic>> {
    let wrong = quadra_kir::check::kernel(kernel);
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let mut kernel = kernel.clone();
    let cx = PassCx::new(caps);
    quadra_passes::pass::run(
        pipeline::COMMON,
        &mut kernel,
        &cx,
        &mut Facts::default(),
        &Options::default(),
        &mut |_| {},
    )?;
    let (module, form) = lower::run(&kernel, target).map_err(|d| vec![*d])?;
    let words = spirv::write(&module, target).map_err(|d| vec![*d])?;
    Ok(Shader { words, form })
}
