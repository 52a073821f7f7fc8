//! Every GPU that has a Vulkan driver, through wgpu, whose types stay in this module.
//!
//! Where a driver is found to be exact, what shaders compute equals the device `cpu` bit for bit, denormals and the order of atomic
//! additions of floats aside. A launch that leaves a mark (an access outside of a buffer, an assertion, a loop without end) has
//! changed nothing and is made again on the processor, which says what was wrong, or finishes it.
//!
//! Buffers stay in the GPU's memory between launches, until the host looks at them. A launch that cannot leave a mark is not waited
//! for.

mod adapter;
mod caps;
mod costs;
mod launching;
mod memory;
mod probe;
mod raw;
mod run;
mod shader;
mod single;
mod stream;
mod timer;
mod variants;

pub use caps::CAPS;
pub use quadra_back_gpu::CODES;

use crate::{Device, Listing, Module};
use adapter::Context;
use launching::Compiled;
use quadra_base::Diagnostic;
use quadra_kir::{Caps, Kernel};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

static LAUNCHES: AtomicU64 = AtomicU64::new(0);
static ELSEWHERE: AtomicU64 = AtomicU64::new(0);

/// Launches of this process that a GPU was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Those that it ran to the end.
    pub here: u64,
    /// Those that the processor ran, because they left a mark or are too large.
    pub elsewhere: u64,
}

/// What has been launched so far.
pub fn counts() -> Counts {
    Counts { here: LAUNCHES.load(Ordering::Relaxed), elsewhere: ELSEWHERE.load(Ordering::Relaxed) }
}

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
    let (up, down) = memory::copied();
    Traffic { up, down, submissions: stream::submissions() }
}

/// A GPU.
pub struct Gpu {
    context: Arc<Context>,
    /// Waits for each launch and says how long it took.
    timed: bool,
}

impl Gpu {
    fn new(context: Arc<Context>) -> Arc<dyn Device> {
        Arc::new(Gpu { context, timed: false })
    }
}

/// The GPU that `QUADRA_GPU` names by a part of its name, or the best one that is no software.
///
/// # Errors
/// `E0730` if there is none.
pub fn open() -> Result<Arc<dyn Device>, Diagnostic> {
    Ok(Gpu::new(adapter::open(asked(), adapter::asked_near())?))
}

/// The GPU with this part of a name, software or not.
///
/// # Errors
/// `E0730` if there is none.
pub fn named(part: &str) -> Result<Arc<dyn Device>, Diagnostic> {
    Ok(Gpu::new(adapter::open(Some(part.into()), adapter::asked_near())?))
}

/// The same with shaders that the driver may contract, as it may where nothing forbids it: in browsers and on Metal.
///
/// # Errors
/// `E0730` if there is none.
pub fn named_near(part: &str) -> Result<Arc<dyn Device>, Diagnostic> {
    Ok(Gpu::new(adapter::open(Some(part.into()), true)?))
}

/// A kernel that takes no time, as text, and its items: what launches are measured with.
pub const SMALL: (&str, u32) = (raw::KERNEL, raw::ITEMS);

/// Seconds until so many launches of [`SMALL`] are done that are handed over together, by the library underneath and nothing else, on
/// the GPU that [`open`] takes.
///
/// # Errors
/// `E0730` if there is none, `E0731` if it fails.
pub fn raw_seconds(launches: u32) -> Result<f64, Diagnostic> {
    let context = adapter::open(asked(), adapter::asked_near())?;
    raw::seconds(&context, launches).map_err(|why| Diagnostic::error("E0731", format!("the GPU failed: {why}")))
}

/// Gives a GPU up, as a driver does that has lost it. For tests.
///
/// # Errors
/// `E0730` if there is none.
pub fn lose(part: &str) -> Result<(), Diagnostic> {
    let context = adapter::open(Some(part.into()), adapter::asked_near())?;
    context.device.destroy();
    // Whoever destroys a device hears of it when something is waited for.
    let _ = context.stream().finish(&context);
    Ok(())
}

fn asked() -> Option<String> {
    std::env::var("QUADRA_GPU").ok()
}

/// The GPU that is quicker than a processor may be: the best one that is no software, whatever `QUADRA_GPU` names.
pub(crate) fn hardware() -> Option<Arc<dyn Device>> {
    let context = adapter::open(asked(), adapter::asked_near()).ok()?;
    (!context.software).then(|| Gpu::new(context))
}

/// What `quadra devices` says.
pub(crate) fn listing() -> Listing {
    match adapter::open(asked(), adapter::asked_near()) {
        Ok(context) => Listing { name: "gpu", about: context.about(), caps: context.caps, unavailable: None },
        Err(why) => {
            let about = "every GPU with a Vulkan driver (QUADRA_GPU names one)".into();
            Listing { name: "gpu", about, caps: &CAPS, unavailable: Some(why.message.clone()) }
        }
    }
}

impl Device for Gpu {
    fn name(&self) -> &'static str {
        "gpu"
    }

    fn about(&self) -> String {
        self.context.about()
    }

    fn caps(&self) -> &'static Caps {
        self.context.caps
    }

    fn finish(&self) -> Result<(), Diagnostic> {
        let done = self.context.stream().finish(&self.context);
        done.map_err(|why| Diagnostic::error("E0731", format!("the GPU failed: {why}")))
    }

    fn timed(&self) -> Option<Arc<dyn Device>> {
        Some(Arc::new(Gpu { context: self.context.clone(), timed: true }))
    }

    fn compile(&self, kernel: &Kernel) -> Result<Arc<dyn Module>, Vec<Diagnostic>> {
        Ok(Arc::new(Compiled::new(kernel, self.context.clone(), self.timed)?))
    }
}
