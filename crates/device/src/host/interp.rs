//! The reference interpreters as devices.

use crate::launch::{Argument, Bound, BoundRuns, LaunchOptions, Report};
use crate::qpu::layout::QPUS;
use crate::{Device, Module, Work};
use quadra_base::Diagnostic;
use quadra_kir::interp::Stats;
use quadra_kir::{self as kir, Arithmetic, Caps, Fault, Kernel};
use quadra_passes as passes;
use std::sync::Arc;

/// What the interpreters can do, in either arithmetic.
static NEAREST: Caps = Caps::EVERYTHING;
static TOWARD_ZERO: Caps = Caps { arithmetic: Arithmetic::TowardZero, ..Caps::EVERYTHING };

/// Runs kernels in the reference interpreters.
pub struct Interp {
    arithmetic: Arithmetic,
    counting: bool,
}

impl Interp {
    /// With round-to-nearest arithmetic the kernel runs as recorded. With the QPU's arithmetic it runs as legalized for
    /// the QPU, so that every bit must equal what the emulated words compute.
    pub fn new(arithmetic: Arithmetic) -> Interp {
        Interp { arithmetic, counting: false }
    }

    /// The QPU's arithmetic, and reports with [`Report::work`].
    pub fn counting() -> Interp {
        Interp { arithmetic: Arithmetic::TowardZero, counting: true }
    }
}

impl Device for Interp {
    fn name(&self) -> &'static str {
        match self.arithmetic {
            Arithmetic::Nearest => "interp",
            Arithmetic::TowardZero => "interp-qpu",
        }
    }

    fn about(&self) -> String {
        match self.arithmetic {
            Arithmetic::Nearest => "reference interpreter of the kernel as written, round to nearest".into(),
            Arithmetic::TowardZero => {
                "reference interpreter of the kernel as legalized for the QPU, its arithmetic".into()
            }
        }
    }

    fn caps(&self) -> &'static Caps {
        match self.arithmetic {
            Arithmetic::Nearest => &NEAREST,
            Arithmetic::TowardZero => &TOWARD_ZERO,
        }
    }

    fn compile(&self, kernel: &Kernel) -> Result<Arc<dyn Module>, Vec<Diagnostic>> {
        let run = match self.arithmetic {
            // The whole pipeline runs here too, so that a kernel is refused by every device or by none.
            Arithmetic::Nearest if !needs_more(kernel) && !passes::fission::needed(kernel) => {
                passes::pipeline::compile(kernel, &QPUS)?;
                kernel.clone()
            }
            Arithmetic::Nearest => {
                let wrong = kir::check::kernel(kernel);
                if !wrong.is_empty() {
                    return Err(wrong);
                }
                kernel.clone()
            }
            Arithmetic::TowardZero if passes::fission::needed(kernel) => {
                return crate::groups::compile(self, kernel).unwrap_or_else(|| Err(Vec::new()));
            }
            Arithmetic::TowardZero => passes::pipeline::compile(kernel, &QPUS)?,
        };
        let (kernel, max_workers) = (kernel.clone(), self.caps().max_workers);
        Ok(Arc::new(Interpreted { kernel, run, arithmetic: self.arithmetic, counting: self.counting, max_workers }))
    }
}

/// A kernel that another device has taken, which rounds to nearest and has so many workers, for launches that it cannot run.
#[cfg(feature = "cpu")]
pub(crate) fn in_place_of(kernel: &Kernel, max_workers: u32) -> Arc<dyn Module> {
    let (run, arithmetic) = (kernel.clone(), Arithmetic::Nearest);
    Arc::new(Interpreted { kernel: kernel.clone(), run, arithmetic, counting: false, max_workers })
}

/// Whether a kernel uses what only some devices have: groups that share memory or synchronise, 64-bit numbers, elements
/// narrower than a word.
fn needs_more(kernel: &Kernel) -> bool {
    let wide = |e: kir::Elem| !QPUS.has(e) || e.bytes() < 4;
    kernel.group != [QPUS.width]
        || kernel.bufs.iter().any(|(_, info)| info.space == kir::Space::Shared || wide(info.elem) || info.rank != 1)
        || kernel.values.iter().any(|(_, info)| wide(info.ty.elem))
        || kernel.vars.iter().any(|(_, info)| wide(info.ty.elem))
}

struct Interpreted {
    /// As given.
    kernel: Kernel,
    /// As run.
    run: Kernel,
    arithmetic: Arithmetic,
    counting: bool,
    max_workers: u32,
}

impl Module for Interpreted {
    fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    fn launch(&self, args: &[Argument], options: &LaunchOptions) -> Result<Report, Fault> {
        let runs = BoundRuns::new(&self.kernel, args, options, self.max_workers)?;
        runs.one_by_one(options, |bound| self.run_once(bound, options))
    }
}

impl Interpreted {
    fn run_once(&self, bound: &Bound, options: &LaunchOptions) -> Result<Report, Fault> {
        let mut memory = bound.copy_in();
        let mut launch = bound.launch(options, self.arithmetic);
        let buffers = memory.buffers.len();
        self.as_rows(&mut memory, &mut launch.args);
        let mut print = |line: &str| options.print.line(line);
        let watch = kir::interp::Options { count: self.counting, ..kir::interp::Options::default() };
        let stats = match self.run.level {
            kir::Level::Simt => kir::interp::simt::run_with(&self.run, &mut memory, &launch, &mut print, &watch),
            kir::Level::Simd => kir::interp::simd::run_with(&self.run, &mut memory, &launch, &mut print, &watch),
        }?;
        memory.buffers.truncate(buffers);
        bound.copy_out(memory);
        let work = self.counting.then(|| Work { bytes: self.cached_bytes(bound), ..Work::of(&stats.counts) });
        let Stats { instructions, per_worker, .. } = stats;
        Ok(Report { instructions, per_worker, work, ..Report::default() })
    }

    /// A parameter of one axis sees a buffer of any shape as one row, as on every device: a view of it, or a copy if another
    /// parameter sees its shape.
    fn as_rows(&self, memory: &mut kir::Memory, args: &mut [kir::Arg]) {
        let rank = |param: &kir::Param| match param {
            kir::Param::Buffer(b) => self.run.bufs[*b].rank,
            kir::Param::Scalar(_) => 0,
        };
        let ranks: Vec<u8> = self.run.params.iter().map(rank).collect();
        for i in 0..args.len().min(ranks.len()) {
            let kir::Arg::Buffer(at) = args[i] else { continue };
            if ranks[i] != 1 || memory.buffers[at].dims.len() == 1 {
                continue;
            }
            let shaped = args.iter().zip(&ranks).any(|(a, r)| *a == kir::Arg::Buffer(at) && *r > 1);
            let mut at = at;
            if shaped {
                memory.buffers.push(memory.buffers[at].clone());
                at = memory.buffers.len() - 1;
                args[i] = kir::Arg::Buffer(at);
            }
            let buffer = &mut memory.buffers[at];
            buffer.dims = vec![buffer.dims.iter().product()];
        }
    }

    /// Bytes of the buffers that the kernel only reads.
    fn cached_bytes(&self, bound: &Bound) -> u64 {
        let buffers = bound.read();
        let params = bound.args.iter().zip(&self.run.params);
        let read = params.filter_map(|(arg, param)| match (arg, param) {
            (kir::Arg::Buffer(at), kir::Param::Buffer(b)) if self.run.bufs[*b].access == kir::Access::Read => Some(at),
            _ => None,
        });
        read.map(|&at| buffers[at].bytes.len() as u64).sum()
    }
}
