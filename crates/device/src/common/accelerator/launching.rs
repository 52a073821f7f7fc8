//! Launches: buffers to the GPU, if they are not there, shaders, and what to do with those that did not come to their end.

use super::driver::Driver;
use super::memory::{self, Copy};
use super::run::{self, Pass, Stop, Timer};
use super::variants::{Making, Variants};
use crate::common::storage::Held;
use quadra_back_gpu::{Header, abi};
use quadra_base::Diagnostic;
use quadra_kir::{Arg, Const, Kernel, Param};
use quadra_passes::specialise::Known;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A kernel compiled for a GPU.
pub(super) struct Compiled<D: Driver> {
    kernel: Kernel,
    driver: Arc<D>,
    variants: Variants<D>,
    /// Waits for each launch and says how long it took.
    timed: bool,
    /// A launch has printed: the next ones will, too, and go elsewhere at once.
    prints: AtomicBool,
}

/// How a launch ended.
pub(super) enum Ended {
    /// After so long, if that was asked for.
    Here(Option<Duration>),
    /// It must run elsewhere, and no buffer has changed; where an item took too long, this is the first.
    Elsewhere(Option<Vec<u32>>),
}

/// What every run of a launch, or every other one, is called with.
pub(super) struct Call {
    /// Buffers by their numbers among all of the launch.
    pub args: Vec<Arg>,
    /// The sizes of those buffers.
    pub dims: Vec<Vec<u32>>,
}

/// A launch: its runs take these calls in turn.
pub(super) struct Launch<'a> {
    pub calls: &'a [Call],
    /// Which of the buffers any run writes.
    pub writes: &'a [bool],
    pub extent: &'a [u32],
    pub repeat: u32,
    pub time_limit: Option<Duration>,
}

impl<D: Driver> Compiled<D> {
    pub fn new(kernel: &Kernel, driver: Arc<D>, timed: bool) -> Result<Compiled<D>, Vec<Diagnostic>> {
        let variants = Variants::new(kernel, driver.clone())?;
        Ok(Compiled { kernel: kernel.clone(), driver, variants, timed, prints: AtomicBool::new(false) })
    }

    /// Runs the kernel here as often as the launch says, on these buffers.
    ///
    /// # Errors
    /// A GPU that is lost, too slow, or has not enough memory; what somebody has asked for.
    pub fn launch(&self, launch: &Launch<'_>, held: &mut [Held<'_>], making: &mut Making) -> Result<Ended, Stop> {
        let extent = launch.extent;
        let form = &self.variants.form;
        let Some(groups) = form.groups(extent).filter(|_| form.fits(extent)) else { return Ok(Ended::Elsewhere(None)) };
        if groups == 0 {
            return Ok(Ended::Here(None));
        }
        if self.prints.load(Ordering::Relaxed) {
            return Ok(Ended::Elsewhere(None));
        }
        if held.iter().any(|h| memory::size(h.host().bytes.len()) > self.driver.facts().largest) {
            return Ok(Ended::Elsewhere(None));
        }
        self.well(&mut self.driver.stream())?;
        let pass = |call| self.pass(call, extent, making);
        let passes = launch.calls.iter().map(pass).collect::<Result<Vec<_>, Stop>>()?;
        let Some(passes) = passes.into_iter().collect::<Option<Vec<_>>>() else { return Ok(Ended::Elsewhere(None)) };
        held.iter_mut().for_each(|h| Copy::bring_back(&self.driver, h));
        let mut stream = self.driver.stream();
        self.well(&mut stream)?;
        self.run(&passes, held, &mut stream, launch)
    }

    /// What has gone wrong so far. Whose launch that was can be told only while no other one is on its way to the stream.
    fn well(&self, _stream: &mut D::Stream) -> Result<(), Stop> {
        self.driver.trouble().take().map_or(Ok(()), |why| Err(Stop::Failed(why)))
    }

    /// One run; nothing if its items cannot be counted, or there is no code for them.
    fn pass<'a>(&'a self, call: &Call, extent: &'a [u32], making: &mut Making) -> Result<Option<Pass<'a, D>>, Stop> {
        let pipeline = self.variants.pipeline(|scalars| known(call, extent, scalars), making);
        let pipeline = match pipeline {
            // The processor has a compiler that goes on where libLLVM ends over a text.
            Err(why) if quadra_llvm::is_failure(&why) => return Ok(None),
            made => made.map_err(|d| Stop::Failed(d.message.clone()))?,
        };
        let form = pipeline.form.clone();
        let Some(groups) = form.groups(extent) else { return Ok(None) };
        let (each, shape) = (form.each(extent), form.clone());
        let bindings = call.args.iter().filter_map(buffer).collect();
        let (scalars, dims) = self.described(call);
        let header = move |first: u32, groups: u32| {
            let dims: Vec<&[u32]> = dims.iter().map(Vec::as_slice).collect();
            Header { extent, scalars: &scalars, dims: &dims }.words(&form, first, groups)
        };
        let folded = move |groups: u32| shape.folded(groups);
        Ok(Some(Pass { pipeline, header: Box::new(header), folded: Box::new(folded), groups, each, bindings }))
    }

    /// Runs on the copies that buffers have here. What may leave a mark writes to others, which become the buffers' if there is
    /// none.
    fn run(
        &self,
        passes: &[Pass<'_, D>],
        held: &mut [Held<'_>],
        stream: &mut D::Stream,
        launch: &Launch<'_>,
    ) -> Result<Ended, Stop> {
        let driver = &self.driver;
        let copies: Vec<Arc<Copy<D>>> = held.iter().map(|h| Copy::of_storage(driver, stream, h)).collect();
        let marks = passes.iter().any(|p| p.pipeline.marks);
        // So does what may be stopped between two slices.
        let careful = marks || passes.iter().any(|p| !p.is_quick());
        let fresh = |(at, copy): (usize, &Arc<Copy<D>>)| match careful && launch.writes[at] {
            true => {
                let other = Copy::new(driver, held[at].host().bytes.len());
                driver.duplicate(stream, copy.memory(), other.memory());
                other
            }
            false => copy.clone(),
        };
        let targets: Vec<Arc<Copy<D>>> = copies.iter().enumerate().map(fresh).collect();
        // There may not be memory enough.
        self.well(stream)?;
        // What has been brought here is of use whatever comes.
        for (held, copy) in held.iter_mut().zip(&copies) {
            held.keep(copy.clone(), held.is_stale());
        }
        let buffers: Vec<&D::Memory> = targets.iter().map(|t| t.memory()).collect();
        let end = run::deadline(launch.time_limit);
        let mut timer = self.timed.then(|| Timer { total: Duration::ZERO, clock: D::Clock::default() });
        let mut runs = (0..launch.repeat as usize).map(|n| &passes[n % passes.len()]);
        let mut ran = runs.try_for_each(|pass| pass.run(driver, stream, &buffers, (end, timer.as_mut())));
        if marks && ran.is_ok() {
            ran = driver.take_marks(stream).map_err(Stop::from).and_then(run::clean);
        }
        ran = ran.and_then(|()| self.well(stream));
        match ran {
            Ok(()) => {}
            Err(Stop::Marked(marks, number)) => {
                if marks & abi::MARK_PRINTS != 0 {
                    self.prints.store(true, Ordering::Relaxed);
                }
                let slow = marks & !abi::MARK_PRINTS == abi::MARK_FUEL;
                let item = self.variants.form.item(launch.extent, number).filter(|_| slow);
                return Ok(Ended::Elsewhere(item));
            }
            Err(stop) => return Err(stop),
        }
        let written = held.iter_mut().zip(targets).enumerate().filter(|(at, _)| launch.writes[*at]);
        written.for_each(|(_, (held, target))| held.keep(target, true));
        Ok(Ended::Here(timer.map(|t| t.total)))
    }

    /// Scalars, and sizes of buffers, in the order of the parameters.
    fn described(&self, call: &Call) -> (Vec<Const>, Vec<Vec<u32>>) {
        let (mut scalars, mut dims) = (Vec::new(), Vec::new());
        for (arg, param) in call.args.iter().zip(&self.kernel.params) {
            match (arg, param) {
                (Arg::Scalar(c), _) => scalars.push(*c),
                // A buffer of one index may be bound to one of several axes.
                (Arg::Buffer(at), Param::Buffer(b)) if self.kernel.bufs[*b].rank == 1 => {
                    dims.push(vec![call.dims[*at].iter().product()]);
                }
                (Arg::Buffer(at), _) => dims.push(call.dims[*at].clone()),
            }
        }
        (scalars, dims)
    }
}

/// What is known of a launch, with whole numbers among its `scalars` or without.
fn known(call: &Call, extent: &[u32], scalars: bool) -> Known {
    let scalar = |arg: &Arg| match arg {
        Arg::Scalar(c) if scalars && !c.elem.is_float() => Some(*c),
        _ => None,
    };
    let dims = |arg: &Arg| buffer(arg).map(|at| call.dims[at].clone());
    // Items are computed as one only where what is stored is not loaded under another name.
    let mut named: Vec<usize> = call.args.iter().filter_map(buffer).collect();
    named.sort_unstable();
    let distinct = named.windows(2).all(|pair| pair[0] != pair[1]);
    Known {
        extent: extent.iter().map(|&n| distinct.then_some(n)).collect(),
        workers: None,
        scalars: call.args.iter().map(scalar).collect(),
        dims: call.args.iter().map(dims).collect(),
    }
}

fn buffer(arg: &Arg) -> Option<usize> {
    match arg {
        Arg::Buffer(at) => Some(*at),
        Arg::Scalar(_) => None,
    }
}
