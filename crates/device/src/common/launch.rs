//! Arguments and options of a launch, and the checks that every device makes before it runs anything.

use super::modelled::Modelled;
use super::storage::{Held, Read, Write};
use crate::buffer::{Buffer, Element, Storage};
use crate::work::Work;
pub use quadra_back_qpu::Loads;
use quadra_kir::{self as kir, Access, Arg, Const, Fault, FaultKind, Kernel, LANES, Launch, Lent, Memory, Param};
use std::sync::Arc;
use std::time::Duration;

/// One argument, in the order of the kernel's parameters.
#[derive(Clone, Debug)]
pub enum Argument {
    Scalar(Const),
    Buffer(Storage),
}

impl From<i32> for Argument {
    fn from(value: i32) -> Argument {
        Argument::Scalar(Const::i32(value))
    }
}

impl From<f32> for Argument {
    fn from(value: f32) -> Argument {
        Argument::Scalar(Const::f32(value))
    }
}

impl From<bool> for Argument {
    fn from(value: bool) -> Argument {
        Argument::Scalar(Const::bool(value))
    }
}

impl<T: Element> From<&Buffer<T>> for Argument {
    fn from(buffer: &Buffer<T>) -> Argument {
        Argument::Buffer(buffer.storage().clone())
    }
}

impl<T: Element> From<&mut Buffer<T>> for Argument {
    fn from(buffer: &mut Buffer<T>) -> Argument {
        Argument::Buffer(buffer.storage().clone())
    }
}

/// Where a kernel's `print` goes.
#[derive(Clone, Default)]
pub enum Print {
    #[default]
    Stdout,
    To(Arc<dyn Fn(&str) + Send + Sync>),
}

impl Print {
    /// Hands one line on.
    pub fn line(&self, text: &str) {
        match self {
            Print::Stdout => println!("{text}"),
            Print::To(f) => f(text),
        }
    }
}

/// How the runs of a launch follow one another. Between two runs every store has reached memory and the caches are empty, so that a
/// run may gather what the one before stored.
///
/// The QPU can make one launch of all runs, of a program that ends with a barrier and starts over. What a launch stores by DMA is
/// not seen by the caches, so in it every load of a buffer that any of the runs writes goes through DMA, on the one engine that
/// all QPUs share. It saves launches (2 µs each by registers) and keeps the program in the caches, which a launch empties. So it
/// pays where the buffers are small, and that is where [`Runs::Auto`] does it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Runs {
    /// As is faster by the model of the device.
    #[default]
    Auto,
    /// In one launch, with a barrier between them, if that is possible at all.
    Together,
    /// As launches of their own.
    Apart,
}

/// How a kernel is launched.
#[derive(Clone)]
pub struct LaunchOptions {
    /// Workers: QPUs (1 to 12), threads.
    pub workers: u32,
    /// Items along each axis, for kernels launched over an extent.
    pub extent: Vec<u32>,
    /// Instructions, all workers together, after which a launch is stopped as endless.
    pub budget: u64,
    /// After so long a launch is stopped as endless, whatever is left of its budget; several runs in one launch have as many
    /// times as long.
    pub time_limit: Option<Duration>,
    /// Allows an extent that is no multiple of the kernel's groups, on devices that have groups: the last ones have fewer items.
    pub partial: bool,
    /// Allows one buffer as two arguments though the kernel writes to it.
    pub alias: bool,
    pub print: Print,
    /// How often the kernel runs, one run after the other.
    pub repeat: u32,
    /// Two parameters, counted from 0, whose buffers change places after each run: double buffers.
    pub swap: Option<(usize, usize)>,
    /// Whether the runs are made in one launch, with a barrier between them.
    pub runs: Runs,
    /// Which way loads take, on devices that have a choice.
    pub loads: Loads,
}

impl Default for LaunchOptions {
    /// One worker, no extent, 2^36 instructions, no time limit, whole groups, no aliases, prints to the terminal, one run.
    fn default() -> LaunchOptions {
        LaunchOptions {
            workers: 1,
            extent: Vec::new(),
            budget: 1 << 36,
            time_limit: None,
            partial: false,
            alias: false,
            print: Print::Stdout,
            repeat: 1,
            swap: None,
            runs: Runs::Auto,
            loads: Loads::Auto,
        }
    }
}

/// What a finished launch tells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Instructions of the interpreter, or issue slots of the QPUs, of all workers together.
    pub instructions: u64,
    /// The same per worker; nothing on devices that do not count.
    pub per_worker: Vec<u64>,
    /// Words of the program, for devices that have any.
    pub static_words: Option<u32>,
    /// What the timing model says, for devices that were asked for it.
    pub model: Option<Modelled>,
    /// The work that the kernel's operations ask for, for devices that were asked to count it.
    pub work: Option<Work>,
    /// What was compiled for this launch, by devices that compile for launches.
    pub compiled: Option<Compiled>,
    /// How long it took, by a clock of the device itself.
    pub measured: Option<Duration>,
}

/// Code that was made for a launch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compiled {
    pub seconds: f64,
    /// The cache on disk had it.
    pub from_disk: bool,
}

impl std::ops::AddAssign<&Report> for Report {
    /// Adds what a launch of the same program that follows did.
    fn add_assign(&mut self, next: &Report) {
        self.instructions += next.instructions;
        self.static_words = next.static_words;
        self.compiled = match (self.compiled, next.compiled) {
            (Some(a), Some(b)) => {
                Some(Compiled { seconds: a.seconds + b.seconds, from_disk: a.from_disk && b.from_disk })
            }
            (a, b) => a.or(b),
        };
        let workers = self.per_worker.len().max(next.per_worker.len());
        self.per_worker.resize(workers, 0);
        self.per_worker.iter_mut().zip(&next.per_worker).for_each(|(sum, n)| *sum += n);
        if let Some(n) = next.measured {
            *self.measured.get_or_insert_default() += n;
        }
        if let Some(n) = next.model {
            *self.model.get_or_insert_default() += n;
        }
        if let Some(work) = &next.work {
            *self.work.get_or_insert_default() += work;
        }
    }
}

/// Clears a buffer that stands for zeros.
pub(crate) fn clear_blank(buffer: &mut Lent<'_>) {
    if std::mem::take(&mut buffer.blank) {
        buffer.bytes.fill(0);
    }
}

/// A launch on lent buffers, by way of copies; what the kernel may write is copied back if all went well.
pub(crate) fn by_copy<M: crate::Module + ?Sized>(
    module: &M,
    args: &[Arg],
    buffers: &mut [Lent<'_>],
    options: &LaunchOptions,
) -> Result<Report, Fault> {
    let kernel = module.kernel();
    buffers.iter_mut().for_each(clear_blank);
    let copy = |b: &Lent<'_>| {
        let dims = vec![b.bytes.len() as u32 / b.elem.bytes()];
        Storage::new(kir::MemoryBuffer { elem: b.elem, dims, bytes: b.bytes.to_vec() })
    };
    let copies: Vec<Storage> = buffers.iter().map(copy).collect();
    let argument = |arg: &Arg| match *arg {
        Arg::Scalar(c) => Some(Argument::Scalar(c)),
        Arg::Buffer(at) => copies.get(at).cloned().map(Argument::Buffer),
    };
    let given: Option<Vec<Argument>> = args.iter().map(argument).collect();
    let given = given.ok_or_else(|| {
        Fault::new(&kernel.name, FaultKind::Arguments("an argument names a buffer that is not there".into()))
    })?;
    let report = module.launch(&given, options)?;
    for (arg, param) in args.iter().zip(&kernel.params) {
        if let (Arg::Buffer(at), Param::Buffer(b)) = (*arg, *param)
            && (kernel.bufs[b].access != Access::Read || options.swap.is_some())
        {
            buffers[at].bytes.copy_from_slice(&copies[at].read().bytes);
        }
    }
    Ok(report)
}

/// Arguments that fit the kernel: the distinct buffers and which argument is which.
#[derive(Clone)]
pub(crate) struct Bound {
    pub args: Vec<Arg>,
    storages: Vec<Storage>,
    dims: Vec<Vec<u32>>,
    /// Whether the kernel may write the buffer, by position in `storages`.
    pub writes: Vec<bool>,
}

/// Checks the arguments against the kernel's parameters.
///
/// # Errors
/// Wrong number, type or rank, an extent that does not fit the kernel, too many workers, forbidden aliases.
fn bind(kernel: &Kernel, args: &[Argument], options: &LaunchOptions, max_workers: u32) -> Result<Bound, Fault> {
    let bad = |text: String| {
        let mut fault = Fault::new(&kernel.name, FaultKind::Arguments(text));
        fault.span = kernel.span;
        fault
    };
    if args.len() != kernel.params.len() {
        return Err(bad(format!("{} arguments for {} parameters", args.len(), kernel.params.len())));
    }
    if options.workers == 0 || options.workers > max_workers {
        return Err(bad(format!("{} workers asked for; this device has 1 to {max_workers}", options.workers)));
    }
    if options.extent.len() != kernel.over as usize {
        return Err(bad(match kernel.over {
            0 => "an extent is given, but the kernel does not use `item()`".to_string(),
            n => format!("the kernel is launched over {n} axes, the extent has {}", options.extent.len()),
        }));
    }
    if kernel.whole && options.extent.last().is_some_and(|n| !n.is_multiple_of(LANES)) {
        return Err(bad("the kernel is launched over whole groups of 16 items".to_string()));
    }
    if options.extent.iter().any(|&n| n > i32::MAX as u32) {
        return Err(bad("an extent of 2^31 items or more".to_string()));
    }
    let mut bound = Bound { args: Vec::new(), storages: Vec::new(), dims: Vec::new(), writes: Vec::new() };
    let mut used_by: Vec<(String, bool)> = Vec::new();
    for (&param, arg) in kernel.params.iter().zip(args) {
        let name = kernel.param_name(param);
        match (param, arg) {
            (Param::Scalar(v), Argument::Scalar(c)) => {
                let want = kernel.ty(v).elem;
                if want != c.elem {
                    return Err(bad(format!("parameter `{name}` is {want}, the argument is {}", c.elem)));
                }
                bound.args.push(Arg::Scalar(*c));
            }
            (Param::Buffer(b), Argument::Buffer(storage)) => {
                let info = &kernel.bufs[b];
                {
                    let data = storage.peek();
                    if data.elem != info.elem {
                        let text = format!("parameter `{name}` has elements {}, the buffer {}", info.elem, data.elem);
                        return Err(bad(text));
                    }
                    if info.rank != 1 && data.dims.len() != info.rank as usize {
                        let text = format!("parameter `{name}` has {} axes, the buffer {}", info.rank, data.dims.len());
                        return Err(bad(text));
                    }
                }
                let writes = info.access != Access::Read;
                let at = match bound.storages.iter().position(|s| s.same(storage)) {
                    Some(at) => {
                        let (other, other_writes) = &used_by[at];
                        if (writes || *other_writes) && !options.alias {
                            return Err(bad(format!(
                                "one buffer is bound to `{other}` and `{name}`, and the kernel writes it; pass another \
                                 buffer, or launch with `alias`"
                            )));
                        }
                        bound.writes[at] |= writes;
                        at
                    }
                    None => {
                        bound.storages.push(storage.clone());
                        bound.dims.push(storage.peek().dims.clone());
                        bound.writes.push(writes);
                        used_by.push((name.to_string(), writes));
                        bound.storages.len() - 1
                    }
                };
                bound.args.push(Arg::Buffer(at));
            }
            (Param::Scalar(_), Argument::Buffer(_)) => {
                return Err(bad(format!("parameter `{name}` is a scalar, the argument a buffer")));
            }
            (Param::Buffer(_), Argument::Scalar(_)) => {
                return Err(bad(format!("parameter `{name}` is a buffer, the argument a scalar")));
            }
        }
    }
    Ok(bound)
}

/// What all runs of a launch are bound to: checked once, however often it runs.
pub(crate) struct BoundRuns {
    first: Bound,
    /// The arguments of every other run, where buffers change places.
    other: Option<Bound>,
}

impl BoundRuns {
    /// Checks the arguments of all runs.
    ///
    /// # Errors
    /// As [`bind`], with the buffers exchanged, too; parameters to be exchanged that are not two buffers of the kernel.
    pub fn new(
        kernel: &Kernel,
        args: &[Argument],
        options: &LaunchOptions,
        max_workers: u32,
    ) -> Result<BoundRuns, Fault> {
        if let Some((a, b)) = options.swap {
            let buffer = |at: usize| matches!(args.get(at), Some(Argument::Buffer(_)));
            if !buffer(a) || !buffer(b) {
                let text = format!("parameters {a} and {b} are to change places, but they are not two buffers");
                return Err(Fault { span: kernel.span, ..Fault::new(&kernel.name, FaultKind::Arguments(text)) });
            }
        }
        let first = bind(kernel, args, options, max_workers)?;
        let other = options.swap.filter(|_| options.repeat > 1).map(|(a, b)| {
            let mut args = args.to_vec();
            args.swap(a, b);
            bind(kernel, &args, options, max_workers)
        });
        Ok(BoundRuns { first, other: other.transpose()? })
    }

    /// The first run.
    #[cfg(feature = "cpu")]
    pub fn first(&self) -> &Bound {
        &self.first
    }

    /// Every other run, where buffers change places.
    pub fn other(&self) -> Option<&Bound> {
        self.other.as_ref()
    }

    /// The first run, where what any run writes counts as written.
    pub fn all(&self) -> Bound {
        let mut all = self.first.clone();
        for (storage, writes) in self.other.iter().flat_map(|o| o.storages.iter().zip(&o.writes)) {
            if let Some(at) = all.storages.iter().position(|s| s.same(storage)) {
                all.writes[at] |= writes;
            }
        }
        all
    }

    /// One run after the other, and the sum of their reports.
    ///
    /// # Errors
    /// Those of `run`.
    pub fn one_by_one(
        &self,
        options: &LaunchOptions,
        mut run: impl FnMut(&Bound) -> Result<Report, Fault>,
    ) -> Result<Report, Fault> {
        let mut report = Report::default();
        for n in 0..options.repeat {
            let odd = self.other.as_ref().filter(|_| n % 2 == 1);
            report += &run(odd.unwrap_or(&self.first))?;
        }
        Ok(report)
    }
}

impl Bound {
    /// Two buffers of so many words, of which the second is written; without storages.
    pub fn copy_of(words: u32) -> Bound {
        let args = vec![Arg::Buffer(0), Arg::Buffer(1)];
        Bound { args, storages: Vec::new(), dims: vec![vec![words]; 2], writes: vec![false, true] }
    }

    /// The same with the buffers of two parameters exchanged.
    pub fn swapped(&self, (a, b): (usize, usize)) -> Bound {
        let mut swapped = self.clone();
        swapped.args.swap(a, b);
        swapped
    }

    /// The arguments, as somebody else may bind them.
    #[cfg(feature = "cpu")]
    pub fn arguments(&self) -> Vec<Argument> {
        let argument = |arg: &Arg| match *arg {
            Arg::Scalar(c) => Argument::Scalar(c),
            Arg::Buffer(at) => Argument::Buffer(self.storages[at].clone()),
        };
        self.args.iter().map(argument).collect()
    }

    /// Read access to the buffers' contents, in order.
    pub fn read(&self) -> Vec<Read<'_>> {
        self.storages.iter().map(Storage::read).collect()
    }

    /// The sizes of one buffer.
    pub fn dims(&self, at: usize) -> Vec<u32> {
        self.dims[at].clone()
    }

    /// Write access to the contents of one buffer.
    pub fn write(&self, at: usize) -> Write<'_> {
        self.storages[at].write()
    }

    /// Write access to all buffers' contents, in order. Launches that lock several buffers lock them in the order of their
    /// addresses, so that none waits for another in a circle.
    #[cfg(feature = "cpu")]
    pub fn lock(&self) -> Vec<Write<'_>> {
        self.in_order(Storage::write)
    }

    /// The storages for a device with memory of its own, locked as by [`Bound::lock`].
    pub fn hold(&self) -> Vec<Held<'_>> {
        self.in_order(Storage::hold)
    }

    /// The storages, in order.
    pub fn storages(&self) -> &[Storage] {
        &self.storages
    }

    fn in_order<'a, G>(&'a self, lock: impl Fn(&'a Storage) -> G) -> Vec<G> {
        let mut order: Vec<usize> = (0..self.storages.len()).collect();
        order.sort_by_key(|&n| self.storages[n].order());
        let mut guards: Vec<(usize, G)> = order.into_iter().map(|n| (n, lock(&self.storages[n]))).collect();
        guards.sort_by_key(|g| g.0);
        guards.into_iter().map(|g| g.1).collect()
    }

    /// A copy of all buffers' contents.
    pub fn copy_in(&self) -> Memory {
        Memory { buffers: self.read().iter().map(|b| (**b).clone()).collect() }
    }

    /// Puts the contents of the written buffers back.
    pub fn copy_out(&self, memory: Memory) {
        for (at, buffer) in memory.buffers.into_iter().enumerate() {
            if self.writes[at] {
                *self.write(at) = buffer;
            }
        }
    }

    /// The launch as the interpreters take it.
    pub fn launch(&self, options: &LaunchOptions, arithmetic: kir::Arithmetic) -> Launch {
        Launch {
            workers: options.workers,
            extent: options.extent.clone(),
            arithmetic,
            budget: options.budget,
            alias: options.alias,
            deadline: options.time_limit.and_then(kir::Deadline::after),
            ..Launch::new(self.args.clone())
        }
    }
}
