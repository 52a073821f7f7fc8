//! This processor as a device: kernels compiled through libLLVM, on as many threads as there are.

use crate::interp::{self, Interp};
use crate::launch::{self, Argument, BoundRuns, LaunchOptions, Report};
use crate::queue::Stage;
use crate::{Device, Module};
use quadra_back_cpu::plan::Variant;
use quadra_back_cpu::{self as back_cpu, Program, Repeat, lower};
use quadra_base::{Diagnostic, cache};
use quadra_kir::{self as kir, Arg, Arithmetic, Caps, Fault, FaultKind, Kernel, Lent};
use quadra_llvm::{Level, Llvm};
use quadra_passes as passes;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

/// Turns of a loop that a processor makes in a second at most: native code does not look at the clock.
const TURNS_PER_SECOND: f64 = (1u64 << 30) as f64;

/// What it can do; known without libLLVM.
pub static CAPS: Caps = back_cpu::caps();

/// Most threads that anybody may ask for.
pub const MOST_THREADS: usize = back_cpu::MOST_THREADS;

/// Threads that kernels run on: what [`set_threads`] said, `QUADRA_THREADS`, or as many as the processor has.
pub fn threads() -> usize {
    back_cpu::threads()
}

/// What `QUADRA_THREADS` asks for.
pub fn threads_asked() -> Option<usize> {
    back_cpu::threads_asked()
}

/// Sets the number of threads, if no kernel has run yet.
pub fn set_threads(n: usize) {
    back_cpu::set_threads(n);
}

/// From now on devices that are opened use vectors of 256 bits at most, as if the processor had no wider ones.
pub fn without_wide_vectors() {
    NARROW.store(true, Ordering::Relaxed);
}

static NARROW: AtomicBool = AtomicBool::new(false);

pub use back_cpu::{Made, install_handler, made_since};
pub use quadra_llvm::python::offer as offer_llvmlite;

/// Compiles kernels for this processor.
pub struct Cpu {
    llvm: Arc<Llvm>,
}

impl Cpu {
    /// The device, if libLLVM is there.
    ///
    /// # Errors
    /// Which package to install.
    pub fn new() -> Result<Cpu, Box<Diagnostic>> {
        let llvm = Llvm::get()?;
        let narrow = NARROW.load(Ordering::Relaxed);
        Ok(Cpu { llvm: if narrow { llvm.limited(Level::Avx2) } else { llvm } })
    }

    /// Loads libLLVM, which otherwise happens when code is made for the first time.
    pub fn warm(&self) {
        self.llvm.warm();
    }
}

impl Device for Cpu {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn about(&self) -> String {
        format!("this processor, {} threads of 16 lanes (QUADRA_THREADS), through libLLVM", back_cpu::threads())
    }

    fn caps(&self) -> &'static Caps {
        &CAPS
    }

    fn compile(&self, kernel: &Kernel) -> Result<Arc<dyn Module>, Vec<Diagnostic>> {
        if let Some(grouped) = crate::groups::compile(self, kernel) {
            return grouped;
        }
        let program = Program::new(&self.llvm, kernel);
        let mut why = None;
        let taken = program.is_taken(|| {
            why = match passes::pipeline::compile(kernel, &CAPS) {
                Ok(simd) => lower::unsupported(&simd),
                Err(_) => Some("what the passes to vectors do not do"),
            };
            why.is_none()
        });
        if taken {
            let interpreted = OnceLock::new();
            return Ok(Arc::new(Compiled { kernel: kernel.clone(), program: Arc::new(program), interpreted }));
        }
        let why = why.unwrap_or("what this back end does not do");
        Interp::new(Arithmetic::Nearest).compile(kernel)?;
        eprintln!("note: kernel `{}` is interpreted on `cpu`, because it has {why}", kernel.name);
        // Launches are made for the workers that this device has.
        Ok(interp::in_place_of(kernel, CAPS.max_workers))
    }
}

struct Compiled {
    kernel: Kernel,
    program: Arc<Program>,
    /// What runs the launches for which libLLVM has made no code.
    interpreted: OnceLock<Arc<dyn Module>>,
}

impl Module for Compiled {
    fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    fn launch(&self, args: &[Argument], options: &LaunchOptions) -> Result<Report, Fault> {
        let runs = BoundRuns::new(&self.kernel, args, options, CAPS.max_workers)?;
        let bound = runs.first();
        let alike = |(a, b): (usize, usize)| match (bound.args.get(a), bound.args.get(b)) {
            (Some(Arg::Buffer(a)), Some(Arg::Buffer(b))) => a != b && bound.dims(*a) == bound.dims(*b),
            _ => false,
        };
        if options.repeat > 1 && options.swap.is_none_or(alike) {
            let result = self.run(bound, options, Repeat { times: options.repeat, swap: options.swap });
            return self.or_interpreted(result, |module| module.launch(args, options));
        }
        let once = LaunchOptions { repeat: 1, swap: None, ..options.clone() };
        runs.one_by_one(options, |bound| {
            let result = self.run(bound, &once, Repeat { times: 1, swap: None });
            self.or_interpreted(result, |module| module.launch(&bound.arguments(), &once))
        })
    }

    fn launch_on(&self, args: &[Arg], buffers: &mut [Lent<'_>], options: &LaunchOptions) -> Result<Report, Fault> {
        let launch = launch_of(args, options);
        let making = Making::begin(&self.program);
        let repeat = Repeat { times: options.repeat, swap: options.swap };
        let length = |p: usize| match args.get(p) {
            Some(Arg::Buffer(at)) => buffers.get(*at).map(|b| (*at, b.elem, b.bytes.len())),
            _ => None,
        };
        if let Some((a, b)) = options.swap
            && !length(a).zip(length(b)).is_some_and(|(a, b)| a.0 != b.0 && a.1 == b.1 && a.2 == b.2)
        {
            let text = "buffers that change places have the same type and length".into();
            return Err(Fault::new(&self.kernel.name, FaultKind::Arguments(text)));
        }
        let variant = match self.program.variant(buffers, &launch, options.swap) {
            Ok(variant) => variant,
            Err(fault) => {
                return self.or_interpreted(Err(fault), |module| module.launch_on(args, buffers, options));
            }
        };
        let compiled = making.end(&self.program);
        self.clear(&variant, args, buffers);
        let mut print = |line: &str| options.print.line(line);
        let stats = self.program.run_on(&variant, buffers, &launch, repeat, &mut print);
        let stats = stats.map_err(|fault| timed(fault, options))?;
        Ok(Report { instructions: stats.instructions, per_worker: stats.per_worker, compiled, ..Report::default() })
    }

    fn in_place(&self) -> bool {
        true
    }

    fn is_sure(&self, args: &[Arg], buffers: &[Lent<'_>], options: &LaunchOptions) -> bool {
        let known = self.program.known(buffers, &launch_of(args, options), options.swap);
        known.is_some_and(|variant| !variant.may_fault())
    }

    fn stage(&self, args: &[Arg], buffers: &mut [Lent<'_>], options: &LaunchOptions) -> Option<Stage> {
        let making = Making::begin(&self.program);
        let stage = back_cpu::Stage::new(&self.program, buffers, launch_of(args, options)).ok()??;
        let compiled = making.end(&self.program);
        self.clear(stage.variant(), args, buffers);
        Some(Stage { stage, compiled })
    }
}

/// A launch on lent buffers.
fn launch_of(args: &[Arg], options: &LaunchOptions) -> kir::Launch {
    kir::Launch {
        workers: options.workers.clamp(1, CAPS.max_workers),
        extent: options.extent.clone(),
        budget: options.budget.min(turns_in(options)),
        alias: options.alias,
        ..kir::Launch::new(args.to_vec())
    }
}

/// Notes whether code is made for a launch.
struct Making {
    start: Instant,
    made: u64,
    before: cache::Counts,
}

impl Making {
    fn begin(program: &Program) -> Making {
        Making { start: Instant::now(), made: program.made(), before: cache::counts() }
    }

    fn end(self, program: &Program) -> Option<launch::Compiled> {
        (program.made() > self.made).then(|| {
            let after = cache::counts();
            let from_disk = after.hits > self.before.hits && after.misses == self.before.misses;
            launch::Compiled { seconds: self.start.elapsed().as_secs_f64(), from_disk }
        })
    }
}

/// The turns of loops that fit into the time of a launch.
fn turns_in(options: &LaunchOptions) -> u64 {
    options.time_limit.map_or(u64::MAX, |limit| (limit.as_secs_f64() * TURNS_PER_SECOND) as u64)
}

/// The fault of a launch of which the time and not the budget has run out.
fn timed(fault: Fault, options: &LaunchOptions) -> Fault {
    match (&fault.kind, options.time_limit) {
        (FaultKind::Budget(turns), Some(limit)) if *turns < options.budget => {
            Fault { kind: FaultKind::Time(limit), ..fault }
        }
        _ => fault,
    }
}

impl Compiled {
    /// A launch that ended as it did, or what the interpreter makes of it if there was no code to run.
    fn or_interpreted(
        &self,
        result: Result<Report, Fault>,
        run: impl FnOnce(&dyn Module) -> Result<Report, Fault>,
    ) -> Result<Report, Fault> {
        let why = match result {
            Err(Fault { kind: FaultKind::NoCode(why), .. }) => why,
            other => return other,
        };
        let module = self.interpreted.get_or_init(|| {
            eprintln!("warning: kernel `{}` is interpreted on `cpu`, because {why}", self.kernel.name);
            interp::in_place_of(&self.kernel, CAPS.max_workers)
        });
        run(&**module)
    }

    /// Clears what stands for zeros, unless the launch overwrites it: all of a buffer, or what lies around its frame. That a buffer
    /// stands for zeros is not taken back where the launch is to write the rest: it may end before.
    fn clear(&self, variant: &Variant, args: &[Arg], buffers: &mut [Lent<'_>]) {
        for (at, buffer) in buffers.iter_mut().enumerate().filter(|(_, b)| b.blank) {
            let size = buffer.elem.bytes() as usize;
            let mut params = args.iter().zip(&self.kernel.params).filter(|(arg, _)| **arg == Arg::Buffer(at));
            let frame = match (params.next(), params.next()) {
                (Some((_, kir::Param::Buffer(b))), None) => variant.frames[b.index()],
                // What no parameter names is not touched.
                (None, _) => continue,
                _ => None,
            };
            let Some(frame) = frame else {
                buffer.blank = false;
                back_cpu::clear(buffer.bytes);
                continue;
            };
            for rest in frame.rest((buffer.bytes.len() / size) as u64) {
                back_cpu::clear(&mut buffer.bytes[rest.start as usize * size..rest.end as usize * size]);
            }
        }
    }

    /// Runs on the buffers' own memory. If the code might stop half-way, what it writes is copied before; where it writes all
    /// of a buffer, it does so in other memory, which becomes the buffer's when all went well.
    fn run(&self, bound: &launch::Bound, options: &LaunchOptions, repeat: Repeat) -> Result<Report, Fault> {
        let launch = bound.launch(options, Arithmetic::Nearest);
        let launch = kir::Launch { budget: options.budget.min(turns_in(options)), ..launch };
        let mut guards = bound.lock();
        let lent: Vec<Lent<'_>> = guards.iter_mut().map(|g| g.lend()).collect();
        let variant = self.program.variant(&lent, &launch, repeat.swap)?;
        drop(lent);
        let mut others: Vec<Option<Vec<u8>>> = guards.iter().map(|_| None).collect();
        let mut before: Vec<Option<Vec<u8>>> = guards.iter().map(|_| None).collect();
        if variant.may_fault() {
            let once = repeat.times == 1 && !options.alias;
            let covered = |at: usize| {
                let names = |(arg, param): (&Arg, &kir::Param)| match (arg, param) {
                    (Arg::Buffer(n), kir::Param::Buffer(b)) if *n == at => Some(variant.covers[b.index()]),
                    _ => None,
                };
                once && bound.args.iter().zip(&self.kernel.params).filter_map(names).all(|c| c)
            };
            let swapped = |at: usize| {
                let Some((a, b)) = repeat.swap else { return false };
                [a, b].iter().any(|&p| matches!(bound.args.get(p), Some(Arg::Buffer(n)) if *n == at))
            };
            for (at, guard) in guards.iter().enumerate() {
                if bound.writes[at] && covered(at) {
                    others[at] = Some(spare(guard.bytes.len()));
                } else if bound.writes[at] || swapped(at) {
                    let mut copy = spare(guard.bytes.len());
                    back_cpu::copy(&guard.bytes, &mut copy);
                    before[at] = Some(copy);
                }
            }
        }
        let mut lent: Vec<Lent<'_>> = guards.iter_mut().map(|g| g.lend()).collect();
        for (b, other) in lent.iter_mut().zip(&mut others) {
            if let Some(other) = other {
                b.bytes = other;
            }
        }
        let mut print = |line: &str| options.print.line(line);
        let result = self.program.run_on(&variant, &mut lent, &launch, repeat, &mut print);
        let result = result.map_err(|fault| timed(fault, options));
        drop(lent);
        for ((guard, other), old) in guards.iter_mut().zip(others).zip(before) {
            match (other, old) {
                (Some(other), _) if result.is_ok() => give_back(std::mem::replace(&mut guard.bytes, other)),
                (None, Some(old)) => {
                    if result.is_err() {
                        back_cpu::copy(&old, &mut guard.bytes);
                    }
                    give_back(old);
                }
                (other, _) => other.into_iter().for_each(give_back),
            }
        }
        let stats = result?;
        Ok(Report { instructions: stats.instructions, per_worker: stats.per_worker, ..Report::default() })
    }
}

/// Memory of copies, which the next launch uses again: fresh pages cost more than the copy.
static SPARE: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());
/// Most of it that is kept.
const MOST_SPARE: usize = 256 << 20;

/// Memory of this many bytes, which hold anything.
fn spare(bytes: usize) -> Vec<u8> {
    let mut spare = SPARE.lock().unwrap_or_else(|e| e.into_inner());
    let fits = spare.iter().position(|s| s.len() == bytes);
    let found = fits.map(|at| spare.swap_remove(at));
    drop(spare);
    found.unwrap_or_else(|| vec![0; bytes])
}

/// Gives up the memory that is kept for copies.
pub fn forget_spare() {
    SPARE.lock().unwrap_or_else(|e| e.into_inner()).clear();
}

fn give_back(copy: Vec<u8>) {
    let mut spare = SPARE.lock().unwrap_or_else(|e| e.into_inner());
    let held: usize = spare.iter().map(Vec::len).sum();
    if held + copy.len() <= MOST_SPARE {
        spare.push(copy);
    }
}
