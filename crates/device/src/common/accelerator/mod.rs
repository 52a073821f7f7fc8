//! What devices have in common that reach a GPU with memory of its own: launches, copies of buffers, the shaders of a kernel, and
//! what runs elsewhere. A [`Driver`] is what differs between them.
//!
//! A launch that leaves a mark (an access outside of a buffer, an assertion, a loop without end, a line to print) has changed nothing
//! and is made again on the processor, which says what was wrong, prints, or finishes it. A launch that cannot leave a mark is not waited for.

mod caps;
pub mod costs;
pub mod driver;
mod launching;
mod memory;
mod pipeline;
mod run;
mod single;
mod trouble;
mod variants;

pub(crate) use caps::CAPS;
pub(crate) use driver::{Driver, Facts, Launch};
pub(crate) use memory::{Copy, copied};
pub(crate) use trouble::Trouble;

use super::launch::{self, Argument, BoundRuns, LaunchOptions, Print, Report};
use crate::buffer::Storage;
use crate::host::{cpu, interp};
use crate::{Device, Module};
use launching::{Call, Compiled, Ended};
use quadra_base::Diagnostic;
use quadra_kir::{Arg, Arithmetic, Caps, Fault, FaultKind, Kernel, LANES};
use run::Stop;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
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

/// A GPU, in one way to it.
pub(crate) struct Accelerator<D: Driver> {
    driver: Arc<D>,
    /// Waits for each launch and says how long it took.
    timed: bool,
}

impl<D: Driver> Accelerator<D> {
    pub fn device(driver: Arc<D>) -> Arc<dyn Device> {
        Arc::new(Accelerator { driver, timed: false })
    }
}

impl<D: Driver> Device for Accelerator<D> {
    fn name(&self) -> &'static str {
        D::NAME
    }

    fn about(&self) -> String {
        self.driver.about()
    }

    fn caps(&self) -> &'static Caps {
        self.driver.facts().caps
    }

    fn finish(&self) -> Result<(), Diagnostic> {
        let done = self.driver.finish(&mut self.driver.stream());
        done.map_err(|why| Diagnostic::error("E0731", format!("the GPU failed: {why}")))
    }

    fn timed(&self) -> Option<Arc<dyn Device>> {
        Some(Arc::new(Accelerator { driver: self.driver.clone(), timed: true }))
    }

    fn compile(&self, kernel: &Kernel) -> Result<Arc<dyn Module>, Vec<Diagnostic>> {
        let compiled = Compiled::new(kernel, self.driver.clone(), self.timed)?;
        let (kernel, caps, elsewhere) = (kernel.clone(), self.caps(), OnceLock::new());
        Ok(Arc::new(OnGpu { kernel, caps, compiled, elsewhere }))
    }
}

struct OnGpu<D: Driver> {
    kernel: Kernel,
    caps: &'static Caps,
    compiled: Compiled<D>,
    /// What runs launches that leave a mark.
    elsewhere: OnceLock<Arc<dyn Module>>,
}

impl<D: Driver> Module for OnGpu<D> {
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

impl<D: Driver> OnGpu<D> {
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
        // A worker is a group of the GPU, each of its lanes an item.
        let lanes = [options.workers * LANES];
        let extent = if self.kernel.over == 0 { &lanes[..] } else { &options.extent };
        let launch = launching::Launch { calls: &calls, writes, extent, repeat: options.repeat, time_limit };
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
        // So is what it prints: who runs the launch in the end prints all of it.
        let print = Print::To(Arc::new(|_| ()));
        let once = LaunchOptions { extent, budget, print, repeat: 1, swap: None, workers: 1, ..options.clone() };
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
