//! What differs between the ways to a GPU: its memory, its shaders, what is on its way to it.

use super::trouble::Trouble;
use quadra_back_gpu::{Confirmed, Prepared, Shader, Target};
use quadra_base::Diagnostic;
use quadra_kir::{Caps, Kernel};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

/// What is known of a GPU at hand.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub target: Target,
    pub caps: &'static Caps,
    /// The largest buffer that a shader sees, in bytes.
    pub largest: u64,
    /// Most buffers of a shader, its header and marks among them.
    pub bindings: u32,
    pub name: String,
    /// The name of its driver, with a version.
    pub driver: String,
}

/// What a launch hands over.
pub(crate) struct Launch<'a, D: Driver> {
    pub header: Vec<u32>,
    /// Groups along two axes.
    pub groups: [u32; 2],
    /// In the order of the parameters.
    pub buffers: &'a [&'a D::Memory],
}

/// A GPU at hand, reached in one way. Whatever is handed over is done in order.
pub(crate) trait Driver: Send + Sync + Sized + 'static {
    /// What the device is chosen by.
    const NAME: &'static str;
    /// Memory of the GPU; clones share it.
    type Memory: Clone + Send + Sync;
    /// A shader that can be launched.
    type Code: Send + Sync;
    /// What is on its way.
    type Stream;
    /// What times are measured with.
    type Clock: Default;

    fn facts(&self) -> &Facts;

    /// What it is, in one line.
    fn about(&self) -> String;

    /// What is on its way, for one launch at a time.
    fn stream(&self) -> MutexGuard<'_, Self::Stream>;

    /// Memory that no buffer has any more.
    fn spare(&self) -> &Mutex<Vec<Self::Memory>>;

    /// What goes wrong.
    fn trouble(&self) -> &Trouble;

    /// Memory of so many bytes, which hold anything. Where there is none, [`trouble`](Driver::trouble) has it.
    fn allocate(&self, bytes: u64) -> Self::Memory;

    /// Bytes of a memory.
    fn size(memory: &Self::Memory) -> u64;

    /// Bytes to the beginning of a memory, with zeros behind them up to a whole word. Launches on their way see what was there before.
    fn write(&self, stream: &mut Self::Stream, to: &Self::Memory, bytes: &[u8]);

    /// The bytes at the beginning of a memory, when everything is done.
    ///
    /// # Errors
    /// What went wrong, in words.
    fn read(&self, stream: &mut Self::Stream, from: &Self::Memory, into: &mut [u8]) -> Result<(), String>;

    /// A copy on the GPU of what is in another memory of the same size.
    fn duplicate(&self, stream: &mut Self::Stream, from: &Self::Memory, to: &Self::Memory);

    /// All that a shader depends on besides its kernel and what is known of a launch.
    fn key(&self) -> String;

    /// The shader that tests every access but those whose claims are confirmed.
    ///
    /// # Errors
    /// What this GPU does not do, with places in the kernel's source.
    fn shader(&self, prepared: &Prepared, confirmed: &Confirmed) -> Result<Shader, Vec<Diagnostic>>;

    /// Hands a shader of a kernel to the driver.
    ///
    /// # Errors
    /// What the driver says.
    fn load(&self, shader: &Shader, kernel: &Kernel) -> Result<Self::Code, String>;

    /// Records a launch.
    fn dispatch(&self, stream: &mut Self::Stream, code: &Self::Code, launch: Launch<'_, Self>);

    /// The same; waits for it, and says how long it took by the clock of the GPU.
    ///
    /// # Errors
    /// What went wrong, in words.
    fn timed(
        &self,
        clock: &mut Self::Clock,
        stream: &mut Self::Stream,
        code: &Self::Code,
        launch: Launch<'_, Self>,
    ) -> Result<Duration, String>;

    /// The launch that was recorded last takes so many nanoseconds.
    fn expect(&self, stream: &mut Self::Stream, nanoseconds: f64);

    /// Waits until everything is done.
    ///
    /// # Errors
    /// What went wrong, in words.
    fn finish(&self, stream: &mut Self::Stream) -> Result<(), String>;

    /// Waits until everything is done; the marks that were left since somebody asked last, and the first item that took too long.
    ///
    /// # Errors
    /// What went wrong, in words.
    fn take_marks(&self, stream: &mut Self::Stream) -> Result<(u32, u32), String>;
}
