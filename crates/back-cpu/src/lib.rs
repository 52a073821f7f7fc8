//! Kernels as native code of this processor: SIMD kernel IR to LLVM IR, 16 lanes to vectors, groups to threads.
//!
//! Reading order: [`lower`] the function around a kernel's body and control flow, `ops` lane-wise operations, `memory`
//! accesses and other lanes, `native` the call, [`Program`] a kernel compiled. Arithmetic is that of the interpreters in
//! round-to-nearest mode, bit for bit; in kernels that never look at the bits of floats, but for the sign of a NaN.
//!
//! Kernels are compiled from the SIMD level, with everything native: nothing is expanded. What [`lower::unsupported`] names
//! is left to the interpreters.
#![deny(unsafe_code)]

mod text;
pub mod lower;
mod ops;
mod memory;
mod speak;
mod sync;
#[allow(unsafe_code)]
mod native;

use lower::Site;
use native::{Native, Run};
use quadra_base::Diagnostic;
use quadra_kir::interp::Stats;
use quadra_kir::launch::MemoryBuffer;
use quadra_kir::{Arg, Caps, Fault, FaultKind, Kernel, Launch, Memory, Op, Param, Type};
use quadra_llvm::{Llvm, Options, Pipeline};
use rayon::prelude::*;
use std::sync::{Arc, OnceLock};

/// What processors can do.
pub fn caps() -> Caps {
    Caps { request_queue: None, ..Caps::EVERYTHING }
}

/// A kernel compiled for this processor.
#[derive(Debug)]
pub struct Program {
    kernel: Kernel,
    sites: Vec<Site>,
    native: Native,
}

/// Threads that kernels run on: `QUADRA_THREADS`, or as many as the processor has.
pub fn threads() -> usize {
    let asked = std::env::var("QUADRA_THREADS").ok().and_then(|n| n.parse().ok()).filter(|n| *n > 0);
    asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

fn pool() -> Option<&'static rayon::ThreadPool> {
    static POOL: OnceLock<Option<rayon::ThreadPool>> = OnceLock::new();
    POOL.get_or_init(|| rayon::ThreadPoolBuilder::new().num_threads(threads()).build().ok()).as_ref()
}

impl Program {
    /// Compiles a kernel of the SIMD level that [`lower::unsupported`] lets through.
    ///
    /// # Errors
    /// If LLVM refuses the code, which is a bug.
    pub fn compile(llvm: &Arc<Llvm>, kernel: &Kernel) -> Result<Program, Box<Diagnostic>> {
        let (text, sites) = lower::module(kernel);
        let options = Options { pipeline: Pipeline::Light, ..Options::default() };
        let native = Native::new(llvm.compile(&text, &options)?)?;
        Ok(Program { kernel: kernel.clone(), sites, native })
    }

    /// Runs the kernel on the buffers of `memory`; `sink` receives each line that `print` writes, once all have ended.
    ///
    /// # Errors
    /// The fault that stopped the launch; what the buffers hold then is not defined.
    pub fn run(&self, memory: &mut Memory, launch: &Launch, sink: &mut dyn FnMut(&str)) -> Result<Stats, Fault> {
        let refuse = |text: String| Fault {
            span: self.kernel.span,
            ..Fault::new(&self.kernel.name, FaultKind::Arguments(text))
        };
        let args = self.arguments(&memory.buffers, launch).map_err(refuse)?;
        let kernel = &self.kernel;
        let over = kernel.over as usize;
        if launch.workers == 0 || over > 0 && launch.extent.len() != over {
            return Err(refuse("workers or extent do not fit the kernel".into()));
        }
        let mut run = Run::new(kernel, &self.sites, &mut memory.buffers, &args, launch.workers);
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
        let result = self.deal(&run);
        let lines = std::mem::take(&mut *run.lines.lock().unwrap_or_else(|e| e.into_inner()));
        lines.iter().for_each(|line| sink(line));
        result.map(|()| Stats { per_worker: vec![0; launch.workers as usize], ..Stats::default() })
    }

    /// Gives the groups, or the workers, to threads.
    fn deal(&self, run: &Run<'_>) -> Result<(), Fault> {
        let workers = u64::from(run.workers);
        let total: u64 = run.groups[..self.kernel.over as usize].iter().map(|g| u64::from(*g)).product();
        let meets = |i: &quadra_kir::Inst| matches!(i.op, Op::SemaInc | Op::SemaDec | Op::MutexLock | Op::MutexUnlock);
        let of_worker = |w: u64| if self.kernel.over == 0 { (0, 1, 1) } else { (w, total, workers) };
        if self.kernel.body.any(&mut |i| meets(i)) {
            return self.together(run, of_worker);
        }
        let named = self.kernel.over == 0 || self.kernel.body.any(&mut |i| matches!(i.op, Op::Worker | Op::NumWorkers));
        let tasks: Vec<(u32, (u64, u64, u64))> = if named {
            (0..workers).map(|w| (w as u32, of_worker(w))).collect()
        } else {
            // Neighbouring groups share cache lines: each task gets a run of them.
            let parts = (threads() as u64 * 4).min(total.div_ceil(16)).max(1);
            (0..parts).map(|p| (0, (total * p / parts, total * (p + 1) / parts, 1))).collect()
        };
        let call = |&(worker, range): &(u32, (u64, u64, u64))| self.native.call(run, worker, range);
        match pool().filter(|_| tasks.len() > 1) {
            Some(pool) => pool.install(|| tasks.par_iter().map(call).collect::<Vec<_>>()).into_iter().collect(),
            None => tasks.iter().try_for_each(call),
        }
    }

    /// Workers that wait for each other need a thread each.
    fn together(&self, run: &Run<'_>, range: impl Fn(u64) -> (u64, u64, u64)) -> Result<(), Fault> {
        let results: Vec<Result<(), Fault>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..run.workers)
                .map(|w| {
                    let range = range(u64::from(w));
                    scope.spawn(move || {
                        let result = self.native.call(run, w, range);
                        run.meeting.leave(result.is_err());
                        result
                    })
                })
                .collect();
            threads.into_iter().map(|t| t.join().expect("compiled code does not panic")).collect()
        });
        // The first fault that is not a consequence of another one.
        let caused = |f: &Fault| matches!(&f.kind, FaultKind::Other(text) if text == "another worker has failed");
        let mut faults: Vec<Fault> = results.into_iter().filter_map(Result::err).collect();
        faults.sort_by_key(caused);
        faults.into_iter().next().map_or(Ok(()), Err)
    }

    /// The words of scalar parameters and the numbers of buffers.
    fn arguments(&self, buffers: &[MemoryBuffer], launch: &Launch) -> Result<Vec<(u64, Option<usize>)>, String> {
        let kernel = &self.kernel;
        if launch.args.len() != kernel.params.len() {
            return Err(format!("{} arguments for {} parameters", launch.args.len(), kernel.params.len()));
        }
        let bind = |(&param, &arg): (&Param, &Arg)| {
            let name = kernel.param_name(param);
            match (param, arg) {
                (Param::Scalar(v), Arg::Scalar(c)) if kernel.ty(v) == Type::scalar(c.elem) => Ok((c.bits, None)),
                (Param::Buffer(b), Arg::Buffer(at)) => {
                    let fits = |m: &&MemoryBuffer| m.elem == kernel.bufs[b].elem && m.bytes.len() < 1 << 31;
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
