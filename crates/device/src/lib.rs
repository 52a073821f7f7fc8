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

mod common;
pub mod codes;
mod host;
mod qpu;
pub mod vc4;
#[cfg(feature = "gpu")]
pub mod cuda;
#[cfg(feature = "gpu")]
pub mod gpu;
#[cfg(target_os = "linux")]
pub mod pages;

#[cfg(feature = "cpu")]
pub use common::queue;
pub use common::{buffer, groups, launch, work};
pub use host::interp;
#[cfg(feature = "cpu")]
pub use host::{cpu, roofline};
pub use qpu::emu;

pub use common::buffer::{Buffer, Element};
pub use common::device::{Device, Listing, Module};
pub use common::launch::{Argument, LaunchOptions, Loads, Report, Runs};
pub use common::modelled::Modelled;
pub use common::nodes::gpu_files;
#[cfg(feature = "cpu")]
pub use common::queue::{Queue, Stage, Waiting};
pub use common::work::{Limit, Work};
/// Floating-point numbers of half precision, as elements of buffers.
pub use half::f16;
#[cfg(feature = "cpu")]
pub use host::cpu::forget_spare;

use quadra_base::Diagnostic;
use quadra_kir as kir;
use std::sync::Arc;

/// Opens a device. What stands behind a colon in the name that it is asked for by is given to it; not every device takes something
/// there.
type Open = fn(Option<&str>) -> Result<Arc<dyn Device>, Diagnostic>;

/// A device: its name, what opens it, and what `quadra devices` says of it.
struct Known {
    name: &'static str,
    open: Open,
    listing: fn() -> Option<Listing>,
}

/// Every device.
const DEVICES: &[Known] = &[
    Known { name: "interp", open: |_| interpreter(kir::Arithmetic::Nearest), listing: || opened("interp") },
    Known { name: "interp-qpu", open: |_| interpreter(kir::Arithmetic::TowardZero), listing: || opened("interp-qpu") },
    Known { name: "emu", open: |_| Ok(Arc::new(emu::Emu::new())), listing: || opened("emu") },
    #[cfg(feature = "cpu")]
    Known { name: "cpu", open: |_| Ok(Arc::new(cpu::Cpu::new().map_err(|d| *d)?)), listing: cpu_listing },
    Known { name: "vc4", open: |_| Ok(vc4::open()?), listing: || Some(vc4::listing()) },
    #[cfg(feature = "gpu")]
    Known { name: "gpu", open: |part| part.map_or_else(gpu::open, gpu::named), listing: || Some(gpu::listing()) },
    #[cfg(feature = "gpu")]
    Known { name: "cuda", open: |part| cuda::open(part.unwrap_or_default()), listing: || Some(cuda::listing()) },
    #[cfg(not(feature = "cpu"))]
    Known { name: "cpu", open: |_| Err(not_built("cpu")), listing: || None },
    #[cfg(not(feature = "gpu"))]
    Known { name: "gpu", open: |_| Err(not_built("gpu")), listing: || None },
    #[cfg(not(feature = "gpu"))]
    Known { name: "cuda", open: |_| Err(not_built("gpu")), listing: || None },
];

fn interpreter(arithmetic: kir::Arithmetic) -> Result<Arc<dyn Device>, Diagnostic> {
    Ok(Arc::new(interp::Interp::new(arithmetic)))
}

/// What a device that is always there says of itself.
fn opened(name: &str) -> Option<Listing> {
    let d = open(name).ok()?;
    Some(Listing { name: d.name(), about: d.about(), caps: d.caps(), unavailable: None })
}

#[cfg(feature = "cpu")]
fn cpu_listing() -> Option<Listing> {
    Some(match cpu::Cpu::new() {
        Ok(cpu) => Listing { name: cpu.name(), about: cpu.about(), caps: &cpu::CAPS, unavailable: None },
        Err(why) => {
            let about = "this processor, through libLLVM".into();
            Listing { name: "cpu", about, caps: &cpu::CAPS, unavailable: Some(why.message.clone()) }
        }
    })
}

/// Every device this build knows.
pub fn list() -> Vec<Listing> {
    DEVICES.iter().filter_map(|known| (known.listing)()).collect()
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

/// Whether looking for a GPU has a point: one was named, or the system has a device file of one. Loads no driver.
#[cfg(feature = "gpu")]
pub fn expects_gpu() -> bool {
    gpu::expected()
}

/// Whether looking for a GPU has a point: not without the feature `gpu`.
#[cfg(not(feature = "gpu"))]
pub fn expects_gpu() -> bool {
    false
}

#[cfg(feature = "gpu")]
fn hardware_gpu() -> Option<Arc<dyn Device>> {
    gpu::hardware().or_else(cuda::hardware)
}

#[cfg(not(feature = "gpu"))]
fn hardware_gpu() -> Option<Arc<dyn Device>> {
    None
}

/// The device called `name`; of GPUs there may be several, of which `gpu:PART` is the first one with that in its name.
///
/// # Errors
/// An unknown name, and why a device cannot be used here.
pub fn open(name: &str) -> Result<Arc<dyn Device>, Diagnostic> {
    let (device, part) = name.split_once(':').map_or((name, None), |(device, part)| (device, Some(part)));
    match DEVICES.iter().find(|known| known.name == device && (part.is_none() || is_gpu(device))) {
        Some(known) => (known.open)(part),
        None => Err(Diagnostic::error("E0701", format!("unknown device `{name}`"))
            .help("choose `interp`, `interp-qpu`, `emu`, `cpu`, `gpu` or `cuda`; `quadra devices` describes them")),
    }
}

/// Whether a name is that of a device for GPUs with memory of their own.
pub fn is_gpu(name: &str) -> bool {
    ["gpu", "cuda"].contains(&name.split(':').next().unwrap_or_default())
}

#[cfg(not(all(feature = "cpu", feature = "gpu")))]
fn not_built(device: &str) -> Diagnostic {
    Diagnostic::error("E0701", format!("device `{device}` is not part of this program"))
        .help(format!("build it with the feature `{device}` of the crate that has the devices"))
}
