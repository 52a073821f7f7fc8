//! Every GPU that has a Vulkan driver, through wgpu, whose types stay in this module.
//!
//! Where a driver is found to be exact, what shaders compute equals the device `cpu` bit for bit, denormals and the order of atomic
//! additions of floats aside. A launch that leaves a mark (an access outside of a buffer, an assertion, a loop without end) has
//! changed nothing and is made again on the processor, which says what was wrong, or finishes it.
//!
//! Buffers stay in the GPU's memory between launches, until the host looks at them. A launch that cannot leave a mark is not waited
//! for.

mod adapter;
mod clock;
mod context;
mod controls;
mod probe;
mod raw;
mod shader;
mod stream;

pub use crate::common::accelerator::{Counts, counts};
pub use quadra_back_gpu::CODES;

use crate::common::accelerator::{self, Accelerator, CAPS, Driver, costs};
use crate::{Device, Listing};
use quadra_base::Diagnostic;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// What of this process has gone to GPUs and come back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Bytes of buffers that were copied to a GPU.
    pub up: u64,
    /// Bytes that were copied back.
    pub down: u64,
    /// How often something was handed over to be done: launches go together where nobody waits for them.
    pub submissions: u64,
}

/// What has moved so far.
pub fn traffic() -> Traffic {
    let (up, down) = accelerator::copied();
    Traffic { up, down, submissions: stream::submissions() }
}

/// The GPU that `QUADRA_GPU` names by a part of its name, or the best one that is no software.
///
/// # Errors
/// `E0730` if there is none.
pub fn open() -> Result<Arc<dyn Device>, Diagnostic> {
    Ok(Accelerator::device(adapter::open(asked(), adapter::asked_near())?))
}

/// The GPU with this part of a name, software or not.
///
/// # Errors
/// `E0730` if there is none.
pub fn named(part: &str) -> Result<Arc<dyn Device>, Diagnostic> {
    Ok(Accelerator::device(adapter::open(Some(part.into()), adapter::asked_near())?))
}

/// The same with shaders that the driver may contract, as it may where nothing forbids it: in browsers and on Metal.
///
/// # Errors
/// `E0730` if there is none.
pub fn named_near(part: &str) -> Result<Arc<dyn Device>, Diagnostic> {
    Ok(Accelerator::device(adapter::open(Some(part.into()), true)?))
}

/// A kernel that takes no time, as text, and its items: what launches are measured with.
pub const SMALL: (&str, u32) = (costs::SMALL, costs::SMALL_ITEMS);

/// Seconds until so many launches of [`SMALL`] are done that are handed over together, by the library underneath and nothing else, on
/// the GPU that [`open`] takes.
///
/// # Errors
/// `E0730` if there is none, `E0731` if it fails.
pub fn raw_seconds(launches: u32) -> Result<f64, Diagnostic> {
    let context = adapter::open(asked(), adapter::asked_near())?;
    raw::seconds(&context, launches).map_err(|why| Diagnostic::error("E0731", format!("the GPU failed: {why}")))
}

/// Whether this says that a GPU does not run a kernel, which another device may.
pub fn refuses(why: &Diagnostic) -> bool {
    why.code == "E0732" || CODES.iter().any(|c| c.code == why.code)
}

/// Gives a GPU up, as a driver does that has lost it. For tests.
///
/// # Errors
/// `E0730` if there is none.
pub fn lose(part: &str) -> Result<(), Diagnostic> {
    let context = adapter::open(Some(part.into()), adapter::asked_near())?;
    context.device.destroy();
    // Whoever destroys a device hears of it when something is waited for.
    let _ = context.finish(&mut context.stream());
    Ok(())
}

/// Has a GPU given up after so long where it does not answer; what nobody says otherwise is 20 s. For tests.
///
/// # Errors
/// `E0730` if there is none.
pub fn give_up_after(part: &str, patience: Duration) -> Result<(), Diagnostic> {
    let context = adapter::open(Some(part.into()), adapter::asked_near())?;
    context.stream().patience = patience;
    Ok(())
}

fn asked() -> Option<String> {
    std::env::var("QUADRA_GPU").ok()
}

/// Whether the system has a GPU's device file. Without one no driver need be loaded to find that out, which takes its time and may
/// print what nobody asked for. Where there are no such files, somebody has to look.
fn present() -> bool {
    !cfg!(target_os = "linux") || !crate::gpu_files(Path::new("/dev")).is_empty()
}

/// Whether there may be a GPU that `gpu` stands for: one was named, or the system has one.
pub(crate) fn expected() -> bool {
    asked().is_some() || present()
}

/// The GPU that is quicker than a processor may be: the best one that is no software, whatever `QUADRA_GPU` names.
pub(crate) fn hardware() -> Option<Arc<dyn Device>> {
    if !present() {
        return None;
    }
    let context = adapter::open(asked(), adapter::asked_near()).ok()?;
    (!context.software).then(|| Accelerator::device(context))
}

/// What `quadra devices` says.
pub(crate) fn listing() -> Listing {
    match adapter::open(asked(), adapter::asked_near()) {
        Ok(context) => Listing { name: "gpu", about: context.about(), caps: context.facts.caps, unavailable: None },
        Err(why) => {
            let about = "every GPU with a Vulkan driver (QUADRA_GPU names one)".into();
            Listing { name: "gpu", about, caps: &CAPS, unavailable: Some(why.message.clone()) }
        }
    }
}
