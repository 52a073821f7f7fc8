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
mod context;
mod costs;
mod launching;
mod memory;
mod nvidia;
mod probe;
mod raw;
mod run;
mod shader;
mod single;
mod stream;
mod timer;
mod variants;

pub use caps::CAPS;
pub use nvidia::nvidia;
pub use quadra_back_gpu::{CODES, LlvmKernel};

use crate::buffer::Storage;
use crate::host::{cpu, interp};
use crate::launch::{self, Argument, BoundRuns, LaunchOptions, Report};
use crate::{Device, Listing, Module};
use context::Context;
use launching::{Call, Compiled, Ended, Launch};
use quadra_base::Diagnostic;
use quadra_kir::{Arg, Arithmetic, Caps, Fault, FaultKind, Kernel};
use run::Stop;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use variants::Making;

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
    fn device(context: Arc<Context>) -> Arc<dyn Device> {
        Arc::new(Gpu { context, timed: false })
    }
}

/// The GPU that `QUADRA_GPU` names by a part of its name, or the best one that is no software.
///
/// # Errors
/// `E0730` if there is none.
pub fn open() -> Result<Arc<dyn Device>, Diagnostic> {
    Ok(Gpu::device(adapter::open(asked(), adapter::asked_near())?))
}

/// The GPU with this part of a name, software or not.
///
/// # Errors
/// `E0730` if there is none.
pub fn named(part: &str) -> Result<Arc<dyn Device>, Diagnostic> {
    Ok(Gpu::device(adapter::open(Some(part.into()), adapter::asked_near())?))
}

/// The same with shaders that the driver may contract, as it may where nothing forbids it: in browsers and on Metal.
///
/// # Errors
/// `E0730` if there is none.
pub fn named_near(part: &str) -> Result<Arc<dyn Device>, Diagnostic> {
    Ok(Gpu::device(adapter::open(Some(part.into()), true)?))
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
    let _ = context.stream().finish(&context);
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
    let files = |folder: &str, start: &str| {
        let found = std::fs::read_dir(folder).into_iter().flatten().flatten();
        found.into_iter().any(|f| f.file_name().to_string_lossy().starts_with(start))
    };
    // Mesa's and AMD's, NVIDIA's, Windows' in its Linux, Qualcomm's, Arm's.
    !cfg!(target_os = "linux")
        || files("/dev/dri", "renderD")
        || ["nvidia0", "dxg", "kgsl-3d0", "mali0"].iter().any(|name| files("/dev", name))
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
    (!context.software).then(|| Gpu::device(context))
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
        let compiled = Compiled::new(kernel, self.context.clone(), self.timed)?;
        let (kernel, caps, elsewhere) = (kernel.clone(), self.context.caps, OnceLock::new());
        Ok(Arc::new(OnGpu { kernel, caps, compiled, elsewhere }))
    }
}

struct OnGpu {
    kernel: Kernel,
    caps: &'static Caps,
    compiled: Compiled,
    /// What runs launches that leave a mark.
    elsewhere: OnceLock<Arc<dyn Module>>,
}

impl Module for OnGpu {
    fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    fn launch(&self, args: &[Argument], options: &LaunchOptions) -> Result<Report, Fault> {
        let runs = BoundRuns::new(&self.kernel, args, options, self.caps.max_workers)?;
        if !options.partial {
            crate::groups::whole(&self.kernel, &options.extent)?;
        }
        let mut making = Making::default();
        let ended = self.here(&runs, options, &mut making)?;
        let times = u64::from(options.repeat);
        match ended {
            Ended::Here(measured) => {
                LAUNCHES.fetch_add(times, Ordering::Relaxed);
                let compiled = launch::Compiled { seconds: making.seconds, from_disk: making.read == making.made };
                Ok(Report { compiled: (making.made > 0).then_some(compiled), measured, ..Report::default() })
            }
            Ended::Elsewhere(slow) => {
                ELSEWHERE.fetch_add(times, Ordering::Relaxed);
                let fault = slow.and_then(|item| self.endless(args, options, &item));
                fault.map_or_else(|| self.elsewhere().launch(args, options), Err)
            }
        }
    }
}

impl OnGpu {
    /// Runs the kernel on the GPU.
    ///
    /// # Errors
    /// As [`Compiled::launch`].
    fn here(&self, runs: &BoundRuns, options: &LaunchOptions, making: &mut Making) -> Result<Ended, Fault> {
        let all = runs.all();
        let mut calls = Vec::new();
        for bound in [Some(runs.first()), runs.other()].into_iter().flatten() {
            let number = |arg: &Arg| match *arg {
                Arg::Buffer(at) => {
                    let same = |s: &Storage| s.same(&bound.storages()[at]);
                    Arg::Buffer(
                        all.storages().iter().position(same).expect("all buffers are among those of the launch"),
                    )
                }
                scalar => scalar,
            };
            let args = bound.args.iter().map(number).collect();
            let dims = (0..all.storages().len()).map(|at| all.dims(at)).collect();
            calls.push(Call { args, dims });
        }
        let (writes, time_limit) = (&all.writes, options.time_limit);
        let launch = Launch { calls: &calls, writes, extent: &options.extent, repeat: options.repeat, time_limit };
        let ended = self.compiled.launch(&launch, &mut all.hold(), making);
        ended.map_err(|stop| {
            let kind = match stop {
                Stop::Failed(why) => FaultKind::Other(format!("the GPU failed: {why}")),
                Stop::Asked(reason) => FaultKind::Stopped(reason),
                Stop::Marked(..) | Stop::Late => FaultKind::Time(time_limit.unwrap_or_default()),
            };
            Fault { span: self.kernel.span, ..Fault::new(&self.kernel.name, kind) }
        })
    }

    /// The fault of an item that does not end on the processor either; nothing if it does, or nobody can say.
    fn endless(&self, args: &[Argument], options: &LaunchOptions, item: &[u32]) -> Option<Fault> {
        let alone = single::alone(&self.kernel)?;
        let cpu = cpu::Cpu::new().ok();
        let most = if cpu.is_some() { single::COMPILED } else { single::INTERPRETED };
        let module = match cpu {
            Some(cpu) => cpu.compile(&alone).ok()?,
            None => interp::Interp::new(Arithmetic::Nearest).compile(&alone).ok()?,
        };
        let places = item.iter().chain(&options.extent).map(|&n| Argument::from(n as i32));
        // What the item writes is of no use.
        let copy = |a: &Argument| match a {
            Argument::Buffer(storage) => Argument::Buffer(Storage::new(storage.read().clone())),
            scalar => scalar.clone(),
        };
        let args: Vec<Argument> = args.iter().map(copy).chain(places).collect();
        let (extent, budget) = (vec![1; item.len()], options.budget.min(most));
        let once = LaunchOptions { extent, budget, repeat: 1, swap: None, workers: 1, ..options.clone() };
        match module.launch(&args, &once) {
            Err(fault) if matches!(fault.kind, FaultKind::Budget(_) | FaultKind::Time(_)) => {
                let kernel = self.kernel.name.clone();
                Some(Fault { kernel, item: Some(item.to_vec()), worker: None, lane: None, ..fault })
            }
            _ => None,
        }
    }

    /// The kernel on the processor, or interpreted if there is no compiler for it.
    fn elsewhere(&self) -> &dyn Module {
        let module = self.elsewhere.get_or_init(|| {
            let cpu = cpu::Cpu::new().ok().and_then(|cpu| cpu.compile(&self.kernel).ok());
            cpu.unwrap_or_else(|| interp::in_place_of(&self.kernel, self.caps.max_workers))
        });
        &**module
    }
}
