//! Internal crate of Quadra: no stable interface.
//!
//! Devices that run kernels, and the buffers they share with the host.
//!
//! A [`Device`] compiles a [`kir::Kernel`] to a [`Module`]; a module is launched with arguments. `interp` is the reference
//! interpreter, `emu` compiles to QPU words and runs them on the emulated VideoCore IV. Everything a launch can reject or
//! meet at run time is a [`kir::Fault`]; after a fault every buffer holds what it held before the launch.
//!
//! ```
//! use quadra_device::{Argument, Buffer, LaunchOptions, open};
//! use quadra_kir::{Access, Builder, Elem, Mode, Op};
//! let mut b = Builder::new("double");
//! let x = b.buffer("x", Elem::I32, 1, Access::ReadWrite);
//! b.set_over(1);
//! let i = b.axis(Op::Item, 0);
//! let v = b.load(x, Mode::Unchecked, &[i]);
//! let w = b.op(Op::Add, &[v, v]);
//! b.store(x, Mode::Unchecked, &[i], w);
//!
//! let device = open("interp").unwrap();
//! let module = device.compile(&b.finish()).unwrap();
//! let data = Buffer::from(vec![1, 2, 3]);
//! let options = LaunchOptions { extent: vec![3], ..LaunchOptions::default() };
//! module.launch(&[Argument::from(&data)], &options).unwrap();
//! assert_eq!(data.to_vec(), [2, 4, 6]);
//! ```
#![deny(unsafe_code)]

pub mod buffer;
mod storage;
pub mod launch;
pub mod queue;
pub mod codes;
pub mod interp;
mod layout;
mod modelled;
pub mod work;
pub mod roofline;
mod programs;
mod together;
mod kept;
pub mod groups;
pub mod emu;
pub mod cpu;
pub mod vc4;
#[cfg(feature = "gpu")]
pub mod gpu;
#[cfg(target_os = "linux")]
pub mod pages;

pub use buffer::{Buffer, Element};
pub use cpu::forget_spare;
/// Floating-point numbers of half precision, as elements of buffers.
pub use half::f16;
pub use launch::{Argument, LaunchOptions, Loads, Report, Runs};
pub use modelled::Modelled;
pub use queue::{Queue, Stage, Waiting};
pub use work::{Limit, Work};

use quadra_base::Diagnostic;
use quadra_kir::{self as kir, Arg, Caps, Fault, Kernel, Lent};
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

    /// Runs the kernel to its end, as often as the options say, with buffers that change places in between; see [`Runs`].
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

    /// A launch that is to run later, in a series with others; buffers that stand for zeros hold them afterwards, or whatever it
    /// overwrites. `None` if it may stop half-way, or the device has no such thing.
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

/// Every device this build knows.
pub fn list() -> Vec<Listing> {
    ["interp", "interp-qpu", "emu"]
        .into_iter()
        .filter_map(|name| open(name).ok())
        .map(|d| Listing { name: d.name(), about: d.about(), caps: d.caps(), unavailable: None })
        .chain([cpu_listing(), vc4::listing()])
        .chain(gpu_listing())
        .collect()
}

#[cfg(feature = "gpu")]
fn gpu_listing() -> Option<Listing> {
    Some(gpu::listing())
}

#[cfg(not(feature = "gpu"))]
fn gpu_listing() -> Option<Listing> {
    None
}

fn cpu_listing() -> Listing {
    match cpu::Cpu::new() {
        Ok(cpu) => Listing { name: cpu.name(), about: cpu.about(), caps: &cpu::CAPS, unavailable: None },
        Err(why) => {
            let about = "this processor, through libLLVM".into();
            Listing { name: "cpu", about, caps: &cpu::CAPS, unavailable: Some(why.message.clone()) }
        }
    }
}

/// The devices that who leaves the choice open may get, in the order in which they are tried: the chip of a Pi, or the processor
/// and a GPU that is no software. And why the processor's compiler is not among them, if so.
pub fn candidates() -> (Vec<Arc<dyn Device>>, Option<Diagnostic>) {
    let chip: Option<Arc<dyn Device>> = open("vc4").ok();
    let gpu = if chip.is_none() { hardware_gpu() } else { None };
    match open("cpu") {
        Ok(cpu) => (chip.into_iter().chain([cpu]).chain(gpu).collect(), None),
        Err(why) => (chip.into_iter().chain(gpu).collect(), Some(why)),
    }
}

#[cfg(feature = "gpu")]
fn hardware_gpu() -> Option<Arc<dyn Device>> {
    gpu::hardware()
}

#[cfg(not(feature = "gpu"))]
fn hardware_gpu() -> Option<Arc<dyn Device>> {
    None
}

/// The device called `name`.
///
/// # Errors
/// An unknown name, and why a device cannot be used here.
pub fn open(name: &str) -> Result<Arc<dyn Device>, Diagnostic> {
    match name {
        "interp" => Ok(Arc::new(interp::Interp::new(kir::Arithmetic::Nearest))),
        "interp-qpu" => Ok(Arc::new(interp::Interp::new(kir::Arithmetic::TowardZero))),
        "emu" => Ok(Arc::new(emu::Emu::new())),
        "cpu" => Ok(Arc::new(cpu::Cpu::new().map_err(|d| *d)?)),
        "vc4" => Ok(vc4::open()?),
        #[cfg(feature = "gpu")]
        "gpu" => gpu::open(),
        #[cfg(feature = "gpu")]
        _ if name.starts_with("gpu:") => gpu::named(&name[4..]),
        _ => Err(Diagnostic::error("E0701", format!("unknown device `{name}`"))
            .help("choose `interp`, `interp-qpu`, `emu` or `cpu`; `quadra devices` describes them")),
    }
}
