//! NVIDIA's GPUs without Vulkan: libLLVM makes PTX of kernels, which the driver (`libcuda`, opened when it is first needed) takes. What a
//! launch does is what it does on device `gpu`, and so is all that does not touch the driver.

mod api;
mod context;

pub use quadra_back_gpu::LlvmKernel;

use crate::common::accelerator::{Accelerator, CAPS, Driver, Facts, costs};
use crate::common::nodes::{gpu_files, may_be_nvidia};
use crate::{Device, Listing};
use api::{Attribute, Connection};
use context::Context;
use quadra_back_gpu::Prepared;
use quadra_base::Diagnostic;
use quadra_kir::{Caps, Kernel};
use quadra_llvm::{Llvm, Target};
use std::sync::{Arc, Mutex, PoisonError};

/// Most parameters of a kernel, of 8 bytes, in the 4 KiB that all GPUs have for them.
const MOST_PARAMETERS: u32 = 500;

/// A kernel that tests every access, for launches of any size, as LLVM IR. Nothing here launches it.
///
/// # Errors
/// What is wrong with the kernel, and what such GPUs do not do.
pub fn text(kernel: &Kernel) -> Result<LlvmKernel, Vec<Diagnostic>> {
    let target = quadra_back_gpu::Target::NVIDIA;
    let prepared = Prepared::new(kernel, &caps(&target))?;
    prepared.llvm(&prepared.none(), &target)
}

fn caps(target: &quadra_back_gpu::Target) -> Caps {
    Caps { int64: target.int64, float64: target.float64, shared_memory: u64::from(target.shared_bytes), ..CAPS.clone() }
}

/// A connection, with the part of a name that it was asked for by.
type Named = (String, Arc<Context>);

/// Connections, each opened once. Where the driver has given one up, it takes no other of this process.
static OPEN: Mutex<Vec<Named>> = Mutex::new(Vec::new());

/// The first GPU whose name contains this, whatever the case.
///
/// # Errors
/// `E0730` if there is none, `E0731` if it cannot be used.
pub fn open(part: &str) -> Result<Arc<dyn Device>, Diagnostic> {
    Ok(Accelerator::device(context(part)?))
}

/// The first GPU, if the system has one of NVIDIA's and all that this device takes.
pub(crate) fn hardware() -> Option<Arc<dyn Device>> {
    let present = !cfg!(target_os = "linux") || may_be_nvidia(&gpu_files("/dev".as_ref()));
    if present { open("").ok() } else { None }
}

/// What `quadra devices` says.
pub(crate) fn listing() -> Listing {
    match context("") {
        Ok(context) => Listing { name: "cuda", about: context.about(), caps: context.facts.caps, unavailable: None },
        Err(why) => {
            let about = "GPUs of NVIDIA, through their driver and libLLVM".into();
            Listing { name: "cuda", about, caps: &CAPS, unavailable: Some(why.message.clone()) }
        }
    }
}

fn context(part: &str) -> Result<Arc<Context>, Diagnostic> {
    let part = part.to_lowercase();
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, context)) = open.iter().find(|(name, _)| *name == part) {
        return Ok(context.clone());
    }
    let context = connect(&part)?;
    open.push((part, context.clone()));
    Ok(context)
}

fn none(why: &str) -> Diagnostic {
    Diagnostic::error("E0730", format!("no GPU of NVIDIA was found: {why}"))
        .help("install NVIDIA's driver, on Debian `nvidia-driver`; other GPUs are device `gpu`")
}

fn connect(part: &str) -> Result<Arc<Context>, Diagnostic> {
    let api = api::api().map_err(none)?;
    let names = api.names().map_err(|why| none(&why))?;
    let found = names.iter().position(|name| name.to_lowercase().contains(part));
    let Some(number) = found else {
        return Err(none(&match &names[..] {
            [] => "its driver knows none".into(),
            names => format!("there is {}", names.join(", ")),
        }));
    };
    let name = &names[number];
    let cannot = |why: &str| {
        Diagnostic::error("E0731", format!("GPU `{name}` cannot be used: {why}"))
            .help("update its driver, or run on device `gpu` or `cpu`")
    };
    let llvm = Llvm::get().map_err(|why| Diagnostic { message: format!("device `cuda`: {}", why.message), ..*why })?;
    let connected = || -> Result<Arc<Context>, String> {
        let [threads, shared, major, minor] =
            [Attribute::ThreadsOfBlock, Attribute::SharedOfBlock, Attribute::Major, Attribute::Minor]
                .map(|what| api.attribute(number, what));
        let capability = (major?, minor?);
        let known = Target::NVIDIA.iter().rev().find(|t| capability_of(t) <= capability);
        let known = known.ok_or("its compute capability is below 7.0")?;
        let target =
            quadra_back_gpu::Target { group: threads?, shared_bytes: shared?, ..quadra_back_gpu::Target::NVIDIA };
        let facts = Facts {
            target,
            // There are as many as there are kinds of GPU in a machine, and they live as long as it runs.
            caps: Box::leak(Box::new(caps(&target))),
            largest: u64::from(u32::MAX),
            bindings: MOST_PARAMETERS,
            name: name.clone(),
            driver: format!("CUDA {}, {}", api.version()?, known.name),
        };
        let context = Arc::new(Context::new(facts, Connection::new(api, number)?, known, llvm)?);
        let caps = context.facts.caps;
        let costs = costs::of(&context, caps.max_workers, caps.costs);
        if let Some(why) = context.trouble().take() {
            return Err(why);
        }
        let mut context = Arc::into_inner(context).ok_or("somebody still holds it")?;
        context.facts.caps = Box::leak(Box::new(Caps { costs, ..caps.clone() }));
        Ok(Arc::new(context))
    };
    connected().map_err(|why| cannot(&why))
}

/// The compute capability in a name such as `sm_86`.
fn capability_of(target: &Target) -> (u32, u32) {
    let number: u32 = target.name.trim_start_matches("sm_").parse().unwrap_or(u32::MAX);
    (number / 10, number % 10)
}
