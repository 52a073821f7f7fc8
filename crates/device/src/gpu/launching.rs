//! Launches: buffers to the GPU, if they are not there, shaders, and what to do with those that did not come to their end.

use super::adapter::Context;
use super::memory::Copy;
use super::run::{self, Pass, Stop};
use super::stream::{Stream, duplicate};
use super::timer::Timer;
use super::variants::{Making, Variants};
use super::{ELSEWHERE, LAUNCHES, memory, single};
use crate::buffer::Storage;
use crate::common::storage::Held;
use crate::host::{cpu, interp};
use crate::launch::{Argument, Bound, BoundRuns, LaunchOptions, Report};
use crate::{Device, Module};
use quadra_back_gpu::{Header, abi};
use quadra_base::Diagnostic;
use quadra_kir::{Arg, Const, Fault, FaultKind, Kernel, Param};
use quadra_passes::specialise::Known;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use wgpu::Buffer;

/// A kernel compiled for a GPU.
pub(super) struct Compiled {
    kernel: Kernel,
    context: Arc<Context>,
    variants: Variants,
    /// Waits for each launch and says how long it took.
    timed: bool,
    /// What runs launches that leave a mark.
    elsewhere: OnceLock<Arc<dyn Module>>,
}

/// How a launch ended.
enum Ended {
    /// After so long, if that was asked for.
    Here(Option<Duration>),
    /// It must run elsewhere, and no buffer has changed; where an item took too long, this is the first.
    Elsewhere(Option<Vec<u32>>),
}

impl Module for Compiled {
    fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    fn launch(&self, args: &[Argument], options: &LaunchOptions) -> Result<Report, Fault> {
        let runs = BoundRuns::new(&self.kernel, args, options, self.context.caps.max_workers)?;
        crate::groups::whole(&self.kernel, &options.extent)?;
        let mut making = Making::default();
        let ended = self.here(&runs, options, &mut making)?;
        let times = u64::from(options.repeat);
        match ended {
            Ended::Here(measured) => {
                LAUNCHES.fetch_add(times, Ordering::Relaxed);
                Ok(Report { compiled: making.report(), measured, ..Report::default() })
            }
            Ended::Elsewhere(slow) => {
                ELSEWHERE.fetch_add(times, Ordering::Relaxed);
                let fault = slow.and_then(|item| single::endless(&self.kernel, runs.first(), options, &item));
                fault.map_or_else(|| self.elsewhere().launch(args, options), Err)
            }
        }
    }
}

impl Compiled {
    pub fn new(kernel: &Kernel, context: Arc<Context>, timed: bool) -> Result<Compiled, Vec<Diagnostic>> {
        let variants = Variants::new(kernel, context.clone())?;
        Ok(Compiled { kernel: kernel.clone(), context, variants, timed, elsewhere: OnceLock::new() })
    }

    fn failed(&self, why: &str) -> Fault {
        let kind = FaultKind::Other(format!("the GPU failed: {why}"));
        Fault { span: self.kernel.span, ..Fault::new(&self.kernel.name, kind) }
    }

    /// Runs the kernel here as often as the options say.
    ///
    /// # Errors
    /// A GPU that is lost, too slow, or has not enough memory; what somebody has asked for.
    fn here(&self, runs: &BoundRuns, options: &LaunchOptions, making: &mut Making) -> Result<Ended, Fault> {
        let extent = &options.extent;
        let form = &self.variants.form;
        let Some(groups) = form.groups(extent).filter(|_| form.fits(extent)) else { return Ok(Ended::Elsewhere(None)) };
        if groups == 0 {
            return Ok(Ended::Here(None));
        }
        let all = runs.all();
        let too_large = |s: &Storage| memory::size(s.peek().bytes.len()) > self.context.largest;
        if all.storages().iter().any(too_large) {
            return Ok(Ended::Elsewhere(None));
        }
        if let Some(why) = self.context.trouble() {
            return Err(self.failed(&why));
        }
        let mut passes = Vec::new();
        for bound in [Some(runs.first()), runs.other()].into_iter().flatten() {
            passes.push(self.pass(bound, &all, extent, groups, making)?);
        }
        let mut held = all.hold();
        held.iter_mut().for_each(|h| Copy::bring_back(&self.context, h));
        let mut stream = self.context.stream();
        self.run(&passes, (&all, &mut held), &mut stream, options)
    }

    /// One run on buffers, which have their numbers among all of the launch.
    fn pass<'a>(
        &'a self,
        bound: &Bound,
        all: &Bound,
        extent: &'a [u32],
        groups: u32,
        making: &mut Making,
    ) -> Result<Pass<'a>, Fault> {
        let pipeline = self.variants.pipeline(self.known(bound, extent), making);
        let pipeline = pipeline.map_err(|d| self.failed(&d.message))?;
        let number = |at: usize| {
            let same = |s: &Storage| s.same(&bound.storages()[at]);
            all.storages().iter().position(same).expect("all buffers are among those of the launch")
        };
        let bindings = bound.args.iter().filter_map(buffer).map(number).collect();
        let (scalars, dims) = self.described(bound);
        let header = move |first: u32, groups: u32| {
            let dims: Vec<&[u32]> = dims.iter().map(Vec::as_slice).collect();
            Header { extent, scalars: &scalars, dims: &dims }.words(&self.variants.form, first, groups)
        };
        let folded = |groups: u32| self.variants.form.folded(groups);
        Ok(Pass { pipeline, header: Box::new(header), folded: Box::new(folded), groups, bindings })
    }

    /// Runs on the copies that buffers have here. What may leave a mark writes to others, which become the buffers' if there is
    /// none.
    fn run(
        &self,
        passes: &[Pass<'_>],
        (all, held): (&Bound, &mut [Held<'_>]),
        stream: &mut Stream,
        options: &LaunchOptions,
    ) -> Result<Ended, Fault> {
        let context = &self.context;
        let copies: Vec<Arc<Copy>> = held.iter().map(|h| Copy::of_storage(context, stream, h)).collect();
        let marks = passes.iter().any(|p| p.pipeline.marks);
        // So does what may be stopped between two slices.
        let careful = marks || passes.iter().any(|p| !p.is_quick());
        let fresh = |(at, copy): (usize, &Arc<Copy>)| match careful && all.writes[at] {
            true => {
                let other = Copy::new(context, held[at].host().bytes.len());
                duplicate(stream, context, copy, &other);
                other
            }
            false => copy.clone(),
        };
        let targets: Vec<Arc<Copy>> = copies.iter().enumerate().map(fresh).collect();
        // What has been brought here is of use whatever comes.
        for (held, copy) in held.iter_mut().zip(&copies) {
            held.keep(copy.clone(), held.is_stale());
        }
        let buffers: Vec<&Buffer> = targets.iter().map(|t| t.buffer()).collect();
        let end = run::deadline(options.time_limit);
        let mut timer = self.timed.then(Timer::default);
        let mut runs = (0..options.repeat as usize).map(|n| &passes[n % passes.len()]);
        let mut ran = runs.try_for_each(|pass| pass.run(context, stream, &buffers, (end, timer.as_mut())));
        if marks && ran.is_ok() {
            ran = stream.take_marks(context).map_err(Stop::from).and_then(run::clean);
        }
        match ran {
            Ok(()) => {}
            Err(Stop::Marked(marks, number)) => {
                let slow = marks == abi::MARK_FUEL;
                let item = self.variants.form.item(&options.extent, number).filter(|_| slow);
                return Ok(Ended::Elsewhere(item));
            }
            Err(stop) => return Err(self.stopped(stop, options)),
        }
        let written = held.iter_mut().zip(targets).enumerate().filter(|(at, _)| all.writes[*at]);
        written.for_each(|(_, (held, target))| held.keep(target, true));
        Ok(Ended::Here(timer.map(|t| t.total)))
    }

    fn stopped(&self, stop: Stop, options: &LaunchOptions) -> Fault {
        let kind = match stop {
            Stop::Failed(why) => return self.failed(&why),
            Stop::Asked(reason) => FaultKind::Stopped(reason),
            _ => FaultKind::Time(options.time_limit.unwrap_or_default()),
        };
        Fault { span: self.kernel.span, ..Fault::new(&self.kernel.name, kind) }
    }

    fn known(&self, bound: &Bound, extent: &[u32]) -> Known {
        let scalar = |arg: &Arg| match arg {
            Arg::Scalar(c) if !c.elem.is_float() => Some(*c),
            _ => None,
        };
        let dims = |arg: &Arg| buffer(arg).map(|at| bound.dims(at));
        Known {
            extent: extent.iter().map(|&n| Some(n)).collect(),
            workers: None,
            scalars: bound.args.iter().map(scalar).collect(),
            dims: bound.args.iter().map(dims).collect(),
        }
    }

    /// Scalars, and sizes of buffers, in the order of the parameters.
    fn described(&self, bound: &Bound) -> (Vec<Const>, Vec<Vec<u32>>) {
        let (mut scalars, mut dims) = (Vec::new(), Vec::new());
        for (arg, param) in bound.args.iter().zip(&self.kernel.params) {
            match (arg, param) {
                (Arg::Scalar(c), _) => scalars.push(*c),
                // A buffer of one index may be bound to one of several axes.
                (Arg::Buffer(at), Param::Buffer(b)) if self.kernel.bufs[*b].rank == 1 => {
                    dims.push(vec![bound.dims(*at).iter().product()]);
                }
                (Arg::Buffer(at), _) => dims.push(bound.dims(*at)),
            }
        }
        (scalars, dims)
    }

    /// The kernel on the processor, or interpreted if there is no compiler for it.
    fn elsewhere(&self) -> &dyn Module {
        let module = self.elsewhere.get_or_init(|| {
            let cpu = cpu::Cpu::new().ok().and_then(|cpu| cpu.compile(&self.kernel).ok());
            cpu.unwrap_or_else(|| interp::in_place_of(&self.kernel, self.context.caps.max_workers))
        });
        &**module
    }
}

fn buffer(arg: &Arg) -> Option<usize> {
    match arg {
        Arg::Buffer(at) => Some(*at),
        Arg::Scalar(_) => None,
    }
}
