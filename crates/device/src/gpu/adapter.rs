//! Which GPU there is, and connecting to it.

use super::context::{Context, Found};
use super::probe;
use super::stream::Stream;
use crate::common::accelerator::{CAPS, Driver, Facts, Trouble, costs};
use quadra_back_gpu::Target;
use quadra_base::Diagnostic;
use quadra_kir::Caps;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context as Task, Poll, Waker};
use wgpu::{Adapter, Backends, DeviceType, Features};

/// Iterations of all loops of an item together, after which it is taken for endless: on a GPU a fraction of a second.
const FUEL: u32 = 1 << 24;
/// The same on software.
const FUEL_OF_SOFTWARE: u32 = 1 << 18;
/// llvmpipe silently leaves all loops after so many iterations, which it counts for eight items together.
const FUEL_OF_LLVMPIPE: u32 = 65_500;
const TOGETHER_ON_LLVMPIPE: u32 = 8;

/// Groups that keep software busy, which runs one after the other on each thread.
const GROUPS_OF_SOFTWARE: u32 = 64;

/// A connection, with the part of a name that it was asked for by.
type Named = (Option<String>, Arc<Context>);

/// Whether `QUADRA_GPU_CLASS` asks for shaders that drivers may contract.
pub(super) fn asked_near() -> bool {
    std::env::var("QUADRA_GPU_CLASS").is_ok_and(|class| class == "near")
}

/// Connections, each opened once, and again after the GPU was lost.
static OPEN: Mutex<Vec<Named>> = Mutex::new(Vec::new());

/// The GPU with this part of a name, or the best one; `near` if its driver may contract shaders.
///
/// # Errors
/// `E0730` if there is none, `E0731` if it cannot be used.
pub(super) fn open(part: Option<String>, near: bool) -> Result<Arc<Context>, Diagnostic> {
    let part = part.filter(|s| !s.is_empty()).map(|s| s.to_lowercase());
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.retain(|(_, context)| !context.trouble.is_lost());
    if let Some((_, context)) = open.iter().find(|(name, c)| *name == part && c.near == near) {
        return Ok(context.clone());
    }
    let context = connect(choose(part.as_deref())?, near)?;
    open.push((part, context.clone()));
    Ok(context)
}

/// What a future gives that does not wait for anybody: all of wgpu's outside of browsers.
fn now<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Task::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

fn choose(asked: Option<&str>) -> Result<Adapter, Diagnostic> {
    let mut wanted = wgpu::InstanceDescriptor::new_without_display_handle();
    wanted.backends = Backends::VULKAN;
    wanted.flags = wgpu::InstanceFlags::empty();
    let adapters = now(wgpu::Instance::new(wanted).enumerate_adapters(Backends::VULKAN)).unwrap_or_default();
    let names: Vec<String> = adapters.iter().map(|a| a.get_info().name).collect();
    let rank = |adapter: &Adapter| match adapter.get_info().device_type {
        DeviceType::DiscreteGpu => 0,
        DeviceType::IntegratedGpu => 1,
        DeviceType::VirtualGpu => 2,
        DeviceType::Other => 3,
        DeviceType::Cpu => 4,
    };
    let fits = |adapter: &Adapter| match asked {
        Some(part) => adapter.get_info().name.to_lowercase().contains(part),
        None => rank(adapter) < 4,
    };
    let found = adapters.into_iter().filter(fits).min_by_key(rank);
    found.ok_or_else(|| none(&names, asked))
}

fn none(names: &[String], asked: Option<&str>) -> Diagnostic {
    let text = match (names, asked) {
        ([], _) => "no GPU was found: there is no Vulkan loader, or no driver".to_string(),
        (names, Some(asked)) => format!("no GPU is called `{asked}`; there is {}", names.join(", ")),
        (names, None) => format!("no GPU was found but software: {}", names.join(", ")),
    };
    let help = match names {
        [] => "install `libvulkan1` and the driver of your GPU, on Debian `mesa-vulkan-drivers`",
        _ => "set QUADRA_GPU to a part of a name to use that one",
    };
    Diagnostic::error("E0730", text).help(help)
}

fn connect(adapter: Adapter, near: bool) -> Result<Arc<Context>, Diagnostic> {
    let info = adapter.get_info();
    let cannot = |why: &str| {
        Diagnostic::error("E0731", format!("GPU `{}` cannot be used: {why}", info.name))
            .help("update its driver, or run on the processor (`--device cpu`)")
    };
    let has = adapter.features();
    if !has.contains(Features::PASSTHROUGH_SHADERS) {
        return Err(cannot("its driver takes no SPIR-V"));
    }
    let limits = adapter.limits();
    let shared = matches!(info.device_type, DeviceType::IntegratedGpu | DeviceType::Cpu);
    let shares = shared && has.contains(Features::MAPPABLE_PRIMARY_BUFFERS);
    let mappable = if shares { Features::MAPPABLE_PRIMARY_BUFFERS } else { Features::empty() };
    let asked = wgpu::DeviceDescriptor {
        label: None,
        required_features: Features::PASSTHROUGH_SHADERS
            | mappable
            | has & (Features::SHADER_F64 | Features::SHADER_INT64 | Features::TIMESTAMP_QUERY),
        required_limits: limits.clone(),
        ..Default::default()
    };
    let connected = now(adapter.request_device(&asked)).ok_or_else(|| cannot("it does not answer"))?;
    let (device, queue) = connected.map_err(|e| cannot(&e.to_string()))?;
    let trouble = noted(&device);
    // Nobody asks for it in browsers.
    let [special, denormals] = if near { [[false; 2]; 2] } else { super::controls::kept(&adapter) };
    let target = Target { special, denormals, ..target_of(&info, has, &limits, near) };
    // There are as many as there are kinds of GPU in a machine, and they live as long as it runs.
    let caps = Box::leak(Box::new(Caps {
        float64: target.float64,
        int64: target.int64,
        shared_memory: u64::from(target.shared_bytes),
        ..CAPS.clone()
    }));
    let facts = Facts {
        target,
        caps,
        largest: limits.max_storage_buffer_binding_size.min(limits.max_buffer_size),
        bindings: limits.max_storage_buffers_per_shader_stage,
        name: info.name.clone(),
        driver: format!("{} {}", info.driver, info.driver_info),
    };
    let context = Context {
        facts,
        found: Found::default(),
        shares,
        software: info.device_type == DeviceType::Cpu,
        spare: Mutex::default(),
        stream: Mutex::new(Stream::new(&device, &queue)),
        near,
        device,
        queue,
        trouble,
    };
    looked_at(context).map_err(|why| cannot(&why))
}

/// Where errors are noted, and whether the driver gives the GPU up.
fn noted(device: &wgpu::Device) -> Arc<Trouble> {
    let trouble = Arc::new(Trouble::default());
    let (note, gone) = (trouble.clone(), trouble.clone());
    device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| note.note(error.to_string())));
    device.set_device_lost_callback(move |_, _| gone.lose());
    trouble
}

/// What a GPU offers to shaders, as far as its driver says.
fn target_of(info: &wgpu::AdapterInfo, has: Features, limits: &wgpu::Limits, near: bool) -> Target {
    let (fuel, together) = match info.device_type {
        _ if info.name.contains("llvmpipe") => (FUEL_OF_LLVMPIPE, TOGETHER_ON_LLVMPIPE),
        DeviceType::Cpu => (FUEL_OF_SOFTWARE, 1),
        _ => (FUEL, 1),
    };
    Target {
        float64: has.contains(Features::SHADER_F64),
        int64: has.contains(Features::SHADER_INT64),
        group: limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x),
        shared_bytes: limits.max_compute_workgroup_storage_size,
        exact: !near,
        fuel,
        together,
        items: if info.device_type == DeviceType::DiscreteGpu { Target::ITEMS_OF_LARGE } else { Target::LEAST.items },
        groups: match info.device_type {
            DeviceType::Cpu => GROUPS_OF_SOFTWARE,
            DeviceType::DiscreteGpu => Target::GROUPS_OF_LARGE,
            _ => Target::LEAST.groups,
        },
        ..Target::default()
    }
}

/// Asks the driver what it does, and what things cost.
///
/// # Errors
/// What went wrong, in words.
fn looked_at(context: Context) -> Result<Arc<Context>, String> {
    let held = || "somebody still holds it".to_string();
    let context = Arc::new(context);
    let found = probe::run(&context)?;
    // Whoever probed has let go of it.
    let mut context = Arc::into_inner(context).ok_or_else(held)?;
    context.found = found;
    let target = &mut context.facts.target;
    (target.rounds, target.folds) = (found.rounds, found.folds);
    let context = Arc::new(context);
    let caps = context.facts().caps;
    let costs = costs::of(&context, caps.max_workers, caps.costs);
    let mut context = Arc::into_inner(context).ok_or_else(held)?;
    context.facts.caps = Box::leak(Box::new(Caps { costs, ..caps.clone() }));
    Ok(Arc::new(context))
}
