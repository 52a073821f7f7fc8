//! Internal crate of Quadra: no stable interface.
//!
//! Kernels as native code of this processor: SIMD kernel IR to LLVM IR, 16 lanes to vectors, groups to threads.
//!
//! Reading order: [`Program`] a kernel and its code for the launches it has met, [`plan`] from a launch's sizes to code,
//! [`lower`] the text of that code, [`common::refill`] lanes that take the next item when theirs is done, `deal` the groups among threads, `series` launches one after the other, `native` the call, the threads.
//!
//! A kernel is compiled when it is launched, for that launch's sizes: extents, lengths, whole numbers among the arguments. So
//! that indices can be proven to stay inside their buffers, and so that the *interior* of the extent, where no index comes
//! near a border, gets code without tests. Launches of many different sizes share code that reads the sizes.
//!
//! Arithmetic is that of the interpreters in round-to-nearest mode, bit for bit; in kernels that never look at the bits of
//! floats, but for the sign of a NaN. Only atomic additions of floats whose old values nobody reads are bracketed
//! differently: each thread adds up its own.
//!
//! What [`lower::unsupported`] names is left to the interpreters.
#![deny(unsafe_code)]

pub mod common;
mod turns;
mod asserts;
mod blocking;
mod certain;
mod cost;
pub mod portable;
mod processor;
mod recent;
pub mod lower;
pub mod plan;
mod variant;
mod streams;
mod kept;
pub mod later;
mod parts;
mod deal;
mod task;
mod gathered;
mod grown;
mod reach;
mod skew;
mod steps;
mod waves;
mod series;
mod shapes;
mod host;
mod implied;
mod inside;
#[allow(unsafe_code)]
mod native;

pub use native::signal::install as install_handler;
pub use series::{Stage, in_series};
pub use waves::{Tiling, set_tiling, tiled};

pub use common::caps::caps;
use native::{Lending, Run};
use plan::{Setting, Variant};
use quadra_base::checked::{self, Guard};
use quadra_base::team::Team;
pub use quadra_base::team::{MOST_THREADS, set_threads, threads, threads_asked};
use quadra_kir::interp::Stats;
use quadra_kir::{Arg, Fault, FaultKind, Kernel, Launch, Lent, Memory, Op, Param, Type};
use quadra_llvm::Llvm;
use quadra_passes::specialise::Known;
use rayon::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

/// A kernel, and its code for the launches that it has met.
#[derive(Debug)]
pub struct Program {
    llvm: Arc<Llvm>,
    kernel: Kernel,
    /// The last used first.
    variants: Mutex<Vec<(Setting, Arc<Variant>)>>,
    /// How many were made.
    made: AtomicU64,
    /// How many launches in a row had no variant.
    missed: AtomicU32,
    /// What has differed between so many launches that code reads it instead.
    loose: Mutex<Loose>,
    /// Whether items or workers ask who computes them.
    named: bool,
    /// Whether workers wait for each other.
    meets: bool,
    /// The kernel as entries of the cache know it.
    text: OnceLock<String>,
    /// Launches for which no code could be made.
    failed: Mutex<Vec<Setting>>,
}

/// Most failures of a kernel before no code is made for it any more.
const FAILURES: usize = 4;

/// What code must not take for known.
#[derive(Clone, Debug, Default)]
struct Loose {
    extent: bool,
    scalars: Vec<bool>,
    dims: Vec<bool>,
}

/// Most variants of a kernel before sizes that differ are read.
const VARIANTS: usize = 8;

/// After how many launches in a row with sizes of their own code reads what differs, where that costs little.
const CHANGING: u32 = 3;

/// How much more code that reads a number may cost than code for its value, so that it is made for all values.
const MOST_LOOSER: u64 = 2;

/// Vector instructions of a time loop from which its steps may be computed in tiles: to find out how takes a millisecond.
const WORTH_TILES: u64 = 4_000_000;

/// Buffers below this size are never streams.
const STREAM_BYTES: usize = 4 << 20;

/// How a launch is repeated: how often, and which parameters' buffers change places in between.
#[derive(Clone, Copy, Debug)]
pub struct Repeat {
    pub times: u32,
    pub swap: Option<(usize, usize)>,
}

/// What has been made for launches that had no code yet, or taken from the cache.
#[derive(Clone, Copy, Debug, Default)]
pub struct Made {
    /// When the first launch had its code and began.
    pub first: Option<Instant>,
    /// How long it took to make the code of all later ones.
    pub later: Duration,
}

/// When code was there, and how long it took to make it.
static MADE: Mutex<Vec<(Instant, Duration)>> = Mutex::new(Vec::new());

/// What this process has made since then.
pub fn made_since(start: Instant) -> Made {
    let made = MADE.lock().unwrap_or_else(|e| e.into_inner());
    let mut since = made.iter().filter(|(end, _)| *end >= start);
    let first = since.next().map(|(end, _)| *end);
    Made { first, later: since.map(|(_, length)| *length).sum() }
}

/// Notes that code which was begun at `start` is there.
fn note_made(start: Instant) {
    let end = Instant::now();
    MADE.lock().unwrap_or_else(|e| e.into_inner()).push((end, end - start));
}

/// Which fault code that cannot be made is, and why it cannot.
type Refusal = (fn(String) -> FaultKind, String);

impl Program {
    /// For a kernel that [`lower::unsupported`] lets through at SIMD level. Code is written when it is launched.
    pub fn new(llvm: &Arc<Llvm>, kernel: &Kernel) -> Program {
        let meets = |i: &quadra_kir::Inst| matches!(i.op, Op::SemaInc | Op::SemaDec | Op::MutexLock | Op::MutexUnlock);
        let names = |i: &quadra_kir::Inst| matches!(i.op, Op::Worker | Op::NumWorkers);
        let many = kernel.params.len();
        Program {
            llvm: llvm.clone(),
            variants: Mutex::default(),
            missed: AtomicU32::new(0),
            made: AtomicU64::new(0),
            loose: Mutex::new(Loose { extent: false, scalars: vec![false; many], dims: vec![false; many] }),
            named: kernel.over == 0 || kernel.body.any(&mut |i| names(i)),
            meets: kernel.body.any(&mut |i| meets(i)),
            kernel: kernel.clone(),
            text: OnceLock::new(),
            failed: Mutex::default(),
        }
    }

    fn text(&self) -> &str {
        self.text.get_or_init(|| kept::text(&self.kernel))
    }

    /// Whether this back end takes the kernel, as `find_out` says unless the cache on disk knows that it does.
    pub fn is_taken(&self, find_out: impl FnOnce() -> bool) -> bool {
        kept::is_taken(|| self.text(), find_out)
    }

    /// Runs the kernel on the buffers of `memory`; `sink` receives each line that `print` writes, once all have ended.
    ///
    /// # Errors
    /// The fault that stopped the launch; what the buffers hold then is not defined.
    pub fn run(&self, memory: &mut Memory, launch: &Launch, sink: &mut dyn FnMut(&str)) -> Result<Stats, Fault> {
        let mut lent: Vec<Lent<'_>> = memory.buffers.iter_mut().map(|b| b.lend()).collect();
        let variant = self.variant(&lent, launch, None)?;
        self.run_on(&variant, &mut lent, launch, Repeat { times: 1, swap: None }, sink)
    }

    fn refuse(&self, text: String) -> Fault {
        Fault { span: self.kernel.span, ..Fault::new(&self.kernel.name, FaultKind::Arguments(text)) }
    }

    /// The code of such a launch, if it has been made.
    pub fn known(&self, buffers: &[Lent<'_>], launch: &Launch, swap: Option<(usize, usize)>) -> Option<Arc<Variant>> {
        let variants = self.variants.lock().unwrap_or_else(|e| e.into_inner());
        let loose = self.loose.lock().unwrap_or_else(|e| e.into_inner());
        if variants.is_empty() {
            return None;
        }
        let setting = self.setting(buffers, launch, (swap, swap.is_some()), &loose);
        variants.iter().find(|(s, _)| *s == setting).map(|(_, variant)| variant.clone())
    }

    /// The code for a launch whose buffers of two parameters may change places, which is written now if there is none yet.
    ///
    /// # Errors
    /// Arguments that do not fit.
    pub fn variant(
        &self,
        buffers: &[Lent<'_>],
        launch: &Launch,
        swap: Option<(usize, usize)>,
    ) -> Result<Arc<Variant>, Fault> {
        self.variant_of(buffers, launch, (swap, swap.is_some()))
    }

    /// As [`Program::variant`], for a launch that may be a step of a time loop, whose arrays come again soon.
    fn variant_of(
        &self,
        buffers: &[Lent<'_>],
        launch: &Launch,
        swap: (Option<(usize, usize)>, bool),
    ) -> Result<Arc<Variant>, Fault> {
        let kernel = &self.kernel;
        let over = kernel.over as usize;
        if launch.workers == 0 || over > 0 && launch.extent.len() != over || launch.args.len() != kernel.params.len() {
            return Err(self.refuse("workers, extent or arguments do not fit the kernel".into()));
        }
        let mut variants = self.variants.lock().unwrap_or_else(|e| e.into_inner());
        let mut loose = self.loose.lock().unwrap_or_else(|e| e.into_inner());
        let mut setting = self.setting(buffers, launch, swap, &loose);
        if let Some(at) = variants.iter().position(|(s, _)| *s == setting) {
            variants[..=at].rotate_right(1);
            self.missed.store(0, Ordering::Relaxed);
            return Ok(variants[0].1.clone());
        }
        if variants.len() >= VARIANTS {
            variants.iter().for_each(|(s, _)| loose.differing(s, &setting));
            variants.clear();
            setting = self.setting(buffers, launch, swap, &loose);
        }
        let start = Instant::now();
        let numbers = |setting: &Setting| inside::unknown(kernel, &setting.known, &launch.args);
        let changing = self.missed.fetch_add(1, Ordering::Relaxed) >= CHANGING;
        if let Some((last, variant)) = variants.first()
            && (changing || last.but_for_scalars(&setting))
        {
            // A number that comes with another value, such as the counter of a loop around, or sizes that change with every
            // launch: once more for all of their values.
            let mut all = loose.clone();
            all.differing(last, &setting);
            let next = self.setting(buffers, launch, swap, &all);
            if plan::cost_of(&self.llvm, kernel, &next, &numbers(&next))
                .is_some_and(|c| c > 0 && c <= MOST_LOOSER * variant.cost)
            {
                (*loose, setting) = (all, next);
            }
        }
        let made = self.make(&setting, &numbers(&setting));
        note_made(start);
        let variant =
            made.map_err(|(kind, text)| Fault { span: kernel.span, ..Fault::new(&kernel.name, kind(text)) })?;
        variants.insert(0, (setting, Arc::new(variant)));
        self.made.fetch_add(1, Ordering::Relaxed);
        Ok(variants[0].1.clone())
    }

    /// Code for a setting: as good as there is, or plain code if LLVM fails over that.
    fn make(&self, setting: &Setting, likely: &[Option<i64>]) -> Result<Variant, Refusal> {
        let mut failed = self.failed.lock().unwrap_or_else(|e| e.into_inner());
        if failed.len() >= FAILURES || failed.contains(setting) {
            return Err((FaultKind::NoCode, "no code could be made for it before".into()));
        }
        let caught = |make: &dyn Fn() -> Result<Variant, Vec<quadra_base::Diagnostic>>| {
            let made = catch_unwind(AssertUnwindSafe(make));
            made.unwrap_or_else(|panic| Err(vec![*plan::panicked(&*panic)]))
        };
        let told = |d: &[quadra_base::Diagnostic]| d.first().map_or(String::new(), |d| d.message.clone());
        let is_failure = |d: &[quadra_base::Diagnostic]| d.first().is_some_and(quadra_llvm::is_failure);
        // Text that LLVM refuses is a mistake of this crate, which tests and fuzzers are to see.
        let is_ours =
            |d: &[quadra_base::Diagnostic]| quadra_base::checked::is_on() && d.iter().any(|d| d.code == "E0853");
        let first = match caught(&|| plan::variant(&self.llvm, &self.kernel, || self.text(), setting, likely)) {
            Err(d) if is_failure(&d) && !is_ours(&d) => d,
            Err(d) => return Err((FaultKind::Other, d.first().map_or(String::new(), |d| d.render(false)))),
            Ok(variant) => return Ok(variant),
        };
        match caught(&|| plan::plain_variant(&self.llvm, &self.kernel, setting)) {
            Ok(variant) => {
                let name = &self.kernel.name;
                eprintln!("warning: kernel `{name}` runs as plain, slower code, because {}", told(&first));
                Ok(variant)
            }
            Err(_) => {
                failed.push(setting.clone());
                Err((FaultKind::NoCode, told(&first)))
            }
        }
    }

    /// How many variants were compiled so far.
    pub fn made(&self) -> u64 {
        self.made.load(Ordering::Relaxed)
    }

    /// What code may take for known of a launch.
    fn setting(
        &self,
        buffers: &[Lent<'_>],
        launch: &Launch,
        (swap, again): (Option<(usize, usize)>, bool),
        loose: &Loose,
    ) -> Setting {
        let buffer = |arg: &Arg| match *arg {
            Arg::Buffer(at) => buffers.get(at),
            Arg::Scalar(_) => None,
        };
        let length = |b: &Lent<'_>| (b.bytes.len() / b.elem.bytes() as usize) as u32;
        let scalar = |(arg, loose): (&Arg, &bool)| match *arg {
            Arg::Scalar(c) if c.elem == quadra_kir::Elem::I32 && !loose => Some(c),
            _ => None,
        };
        let large = |b: &Lent<'_>| b.bytes.len() >= STREAM_BYTES && (b.bytes.as_ptr() as usize).is_multiple_of(64);
        // What goes once through more than the last cache leaves to others does not stay there until somebody wants it.
        let all: usize = launch.args.iter().filter_map(buffer).filter(|b| large(b)).map(|b| b.bytes.len()).sum();
        // Copies between guard pages do not begin with a line.
        let guarded = checked::guard() != Guard::Off;
        let tiles = again && waves::tiling() != Tiling::Never;
        let passes = !guarded && !tiles && all >= STREAM_BYTES && all / 3 >= host::last_cache() / 4;
        let sizes = |(arg, loose): (&Arg, &bool)| buffer(arg).filter(|_| !loose).map(|b| vec![length(b)]);
        let args = &launch.args;
        // What changes places takes the other's code.
        let streams = |p: usize| {
            let fits = |p: usize| args.get(p).and_then(buffer).is_some_and(large);
            let other = swap.filter(|(a, b)| [*a, *b].contains(&p)).is_none_or(|(a, b)| fits(a) && fits(b));
            passes && !launch.alias && fits(p) && other
        };
        Setting {
            known: Known {
                extent: launch.extent.iter().map(|n| (!loose.extent).then_some(*n)).collect(),
                workers: (self.named && !loose.extent).then_some(launch.workers),
                scalars: args.iter().zip(&loose.scalars).map(scalar).collect(),
                dims: args.iter().zip(&loose.dims).map(sizes).collect(),
            },
            streams: (0..args.len()).map(streams).collect(),
            alias: launch.alias,
            checked: checked::is_on(),
            guarded,
        }
    }

    /// Runs code on buffers that are lent, as often as `repeat` says. Buffers that change places have the same length.
    ///
    /// # Errors
    /// The fault that stopped the launch; what the buffers hold then is not defined.
    pub fn run_on(
        &self,
        variant: &Variant,
        buffers: &mut [Lent<'_>],
        launch: &Launch,
        repeat: Repeat,
        sink: &mut dyn FnMut(&str),
    ) -> Result<Stats, Fault> {
        let args = self.arguments(buffers, launch).map_err(|text| self.refuse(text))?;
        let lending = Lending::new(buffers);
        let run = self.launched(&lending, &args, launch, repeat.swap);
        let result = if self.meets {
            (0..repeat.times).try_for_each(|step| {
                deal::together(&self.kernel, variant, &run, repeat.swap.is_some() && step % 2 == 1)
            })
        } else {
            let touches = self
                .touches(variant, (repeat.times as usize, run.work(variant.cost).saturating_mul(repeat.times.into())));
            deal::run(variant, &run, repeat, (self.named, touches))
        };
        let lines = std::mem::take(&mut *run.lines.lock().unwrap_or_else(|e| e.into_inner()));
        lines.iter().for_each(|line| sink(line));
        // Compiled code does not count.
        result.map(|()| Stats::default())
    }

    /// What the groups of a launch touch that is one of so many steps with so many vector instructions, if it is worth knowing.
    fn touches<'v>(&self, variant: &'v Variant, (steps, work): (usize, u64)) -> Option<&'v [steps::Touch]> {
        let worth = match waves::tiling() {
            Tiling::Never => false,
            Tiling::Where => steps >= waves::LEAST_STEPS && work >= WORTH_TILES,
            Tiling::Always => steps > 1,
        };
        if !worth || variant.may_fault() || self.named {
            return None;
        }
        // Tiles end anywhere. Making the code is not to count where ways are compared.
        if variant.general.code().map_or(true, |code| code.may_fault()) {
            return None;
        }
        let found = variant.steps.touches.get_or_init(|| {
            let variants = self.variants.lock().unwrap_or_else(|e| e.into_inner());
            let setting = variants.iter().find(|(_, v)| std::ptr::eq(&**v, variant)).map(|v| v.0.clone());
            drop(variants);
            let setting = setting.ok_or("its code was forgotten")?;
            reach::of(processor::Processor::here(&self.llvm), &self.kernel, &setting)
        });
        found.as_deref().ok()
    }

    /// A launch with its extent.
    fn launched<'a>(
        &'a self,
        lending: &'a Lending<'_>,
        args: &[(u64, Option<usize>)],
        launch: &Launch,
        swap: Option<(usize, usize)>,
    ) -> Run<'a> {
        let over = self.kernel.over as usize;
        let mut run = Run::new(&self.kernel, lending, args, launch.workers, swap);
        run.budget = launch.budget;
        if over > 0 {
            run.group_size[over - 1] = 16;
            for axis in 0..over {
                run.extent[axis] = launch.extent[axis];
                run.groups[axis] = launch.extent[axis].div_ceil(run.group_size[axis]);
            }
        } else {
            run.groups[0] = launch.workers;
        }
        run
    }

    /// The words of scalar parameters and the numbers of buffers.
    fn arguments(&self, buffers: &[Lent<'_>], launch: &Launch) -> Result<Vec<(u64, Option<usize>)>, String> {
        let kernel = &self.kernel;
        if launch.args.len() != kernel.params.len() {
            return Err(format!("{} arguments for {} parameters", launch.args.len(), kernel.params.len()));
        }
        let bind = |(&param, &arg): (&Param, &Arg)| {
            let name = kernel.param_name(param);
            match (param, arg) {
                (Param::Scalar(v), Arg::Scalar(c)) if kernel.ty(v) == Type::scalar(c.elem) => Ok((c.bits, None)),
                (Param::Buffer(b), Arg::Buffer(at)) => {
                    let fits = |m: &&Lent<'_>| m.elem == kernel.bufs[b].elem && m.bytes.len() < 1 << 31;
                    match buffers.get(at).filter(fits) {
                        Some(_) => Ok((0, Some(at))),
                        None => Err(format!("the buffer for `{name}` has another type, or 2 GiB or more")),
                    }
                }
                _ => Err(format!("the argument for `{name}` does not fit")),
            }
        };
        kernel.params.iter().zip(&launch.args).map(bind).collect()
    }
}

/// Copies memory, on all threads if there is much.
pub fn copy(from: &[u8], to: &mut [u8]) {
    const PART: usize = 1 << 20;
    if from.len() <= PART || threads() == 1 {
        return to.copy_from_slice(from);
    }
    to.par_chunks_mut(PART).zip(from.par_chunks(PART)).for_each(|(to, from)| to.copy_from_slice(from));
}

/// Clears memory, on all threads if it is much.
pub fn clear(bytes: &mut [u8]) {
    const PART: usize = 1 << 18;
    if bytes.len() < 4 * PART || threads() == 1 {
        return bytes.fill(0);
    }
    let parts = Mutex::new(bytes.chunks_mut(PART));
    let next = || parts.lock().unwrap_or_else(|e| e.into_inner()).next();
    Team::get().run(&|_, _| std::iter::from_fn(next).for_each(|part| part.fill(0)), threads() - 1);
}

impl Loose {
    /// Notes in what two settings differ.
    fn differing(&mut self, a: &Setting, b: &Setting) {
        let (a, b) = (&a.known, &b.known);
        self.extent |= a.extent != b.extent || a.workers != b.workers;
        for (n, (x, y)) in a.scalars.iter().zip(&b.scalars).enumerate() {
            self.scalars[n] |= x != y;
        }
        for (n, (x, y)) in a.dims.iter().zip(&b.dims).enumerate() {
            self.dims[n] |= x != y;
        }
    }
}
