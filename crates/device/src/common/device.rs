//! What a device is to those who compile kernels and launch them.

use super::launch::{self, Argument, LaunchOptions, Report};
#[cfg(feature = "cpu")]
use super::queue::Stage;
use quadra_base::Diagnostic;
use quadra_kir::{Arg, Caps, Fault, Kernel, Lent};
use std::sync::Arc;

/// Something that runs kernels.
pub trait Device: Send + Sync {
    /// The name it is chosen by: `interp`, `emu`.
    fn name(&self) -> &'static str;

    /// What it is, in one line.
    fn about(&self) -> String;

    /// What it can do and what that costs. Whoever chooses by a device's nature asks this, never its name.
    fn caps(&self) -> &'static Caps;

    /// How many workers a launch may ask for, which may be fewer than the device has.
    fn max_workers(&self) -> u32 {
        self.caps().max_workers
    }

    /// Waits until all launches are done, where a device goes on after they have returned.
    ///
    /// # Errors
    /// What went wrong meanwhile.
    fn finish(&self) -> Result<(), Diagnostic> {
        Ok(())
    }

    /// The same device, which waits for each launch and says how long it took itself; nothing if it does so anyway, or cannot.
    fn timed(&self) -> Option<Arc<dyn Device>> {
        None
    }

    /// Compiles a SIMT kernel.
    ///
    /// # Errors
    /// Diagnostics that point at the source of the kernel.
    fn compile(&self, kernel: &Kernel) -> Result<Arc<dyn Module>, Vec<Diagnostic>>;
}

/// A kernel compiled for a device.
pub trait Module: Send + Sync {
    /// The kernel as it was given to the device.
    fn kernel(&self) -> &Kernel;

    /// Runs the kernel to its end, as often as the options say, with buffers that change places in between; see [`Runs`](super::launch::Runs).
    ///
    /// # Errors
    /// Wrong arguments, and everything that can go wrong at run time; buffers hold what they held before, or what the last whole
    /// run left.
    fn launch(&self, args: &[Argument], options: &LaunchOptions) -> Result<Report, Fault>;

    /// The same on buffers that the caller lends; arguments name them by their number. Two parameters may name one
    /// buffer only if the options say `alias` or the kernel writes neither. Devices that share the host's memory
    /// [work in place](Module::in_place), the others copy.
    ///
    /// # Errors
    /// As [`launch`](Module::launch). After a fault of a module that works in place, written buffers hold anything.
    fn launch_on(&self, args: &[Arg], buffers: &mut [Lent<'_>], options: &LaunchOptions) -> Result<Report, Fault> {
        launch::by_copy(self, args, buffers, options)
    }

    /// Whether [`launch_on`](Module::launch_on) works on the lent memory itself.
    fn in_place(&self) -> bool {
        false
    }

    /// Whether it is known that such a launch in place ends well unless its budget runs out, so that nothing need be kept to undo
    /// it. Devices that do not know say no.
    fn is_sure(&self, _args: &[Arg], _buffers: &[Lent<'_>], _options: &LaunchOptions) -> bool {
        false
    }

    /// A launch that is to run later, in a series with others; buffers that stand for zeros hold them afterwards, or whatever it
    /// overwrites. `None` if it may stop half-way, or the device has no such thing.
    #[cfg(feature = "cpu")]
    fn stage(&self, _args: &[Arg], _buffers: &mut [Lent<'_>], _options: &LaunchOptions) -> Option<Stage> {
        None
    }
}

/// What `quadra devices` lists: name, description, and why it cannot be used here, if so.
pub struct Listing {
    pub name: &'static str,
    pub about: String,
    pub caps: &'static Caps,
    pub unavailable: Option<String>,
}
