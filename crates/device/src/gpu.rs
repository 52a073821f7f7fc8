//! Every GPU that has a Vulkan driver, through wgpu, whose types stay in this module.
//!
//! Shaders are exact: what they compute equals the device `cpu` bit for bit, denormals and the order of atomic additions of
//! floats aside. A launch that leaves a mark (an access outside of a buffer, an assertion, a loop without end) has changed
//! nothing and is made again on the processor, which says what was wrong, or finishes it.

mod adapter;
mod buffers;
mod caps;
mod run;
mod shader;
mod variants;

pub use caps::CAPS;
pub use quadra_back_gpu::CODES;

use crate::launch::{Argument, Bound, BoundRuns, LaunchOptions, Report};
use crate::{Device, Listing, Module};
use adapter::Context;
use quadra_back_gpu::Header;
use quadra_base::Diagnostic;
use quadra_kir::{Arg, Caps, Fault, FaultKind, Kernel, Param};
use quadra_passes::specialise::Known;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

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

/// A GPU.
pub struct Gpu {
    context: Arc<Context>,
}

/// The GPU that `QUADRA_GPU` names by a part of its name, or the best one that is no software.
///
/// # Errors
/// `E0730` if there is none.
pub fn open() -> Result<Arc<dyn Device>, Diagnostic> {
    Ok(Arc::new(Gpu { context: adapter::open(asked())? }))
}

/// The GPU with this part of a name, software or not.
///
/// # Errors
/// `E0730` if there is none.
pub fn named(part: &str) -> Result<Arc<dyn Device>, Diagnostic> {
    Ok(Arc::new(Gpu { context: adapter::open(Some(part.into()))? }))
}

fn asked() -> Option<String> {
    std::env::var("QUADRA_GPU").ok()
}

/// What `quadra devices` says.
pub(crate) fn listing() -> Listing {
    match adapter::open(asked()) {
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

    fn compile(&self, kernel: &Kernel) -> Result<Arc<dyn Module>, Vec<Diagnostic>> {
        let (variants, form) = variants::Variants::new(kernel, self.context.clone())?;
        let (kernel, context) = (kernel.clone(), self.context.clone());
        Ok(Arc::new(Compiled { kernel, context, variants, form, elsewhere: OnceLock::new() }))
    }
}

struct Compiled {
    kernel: Kernel,
    context: Arc<Context>,
    variants: variants::Variants,
    form: quadra_back_gpu::Form,
    /// What runs launches that leave a mark.
    elsewhere: OnceLock<Arc<dyn Module>>,
}

impl Module for Compiled {
    fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    fn launch(&self, args: &[Argument], options: &LaunchOptions) -> Result<Report, Fault> {
        let runs = BoundRuns::new(&self.kernel, args, options, self.context.caps.max_workers)?;
        crate::groups::whole(&self.kernel, &options.extent)?;
        let once = LaunchOptions { repeat: 1, swap: None, ..options.clone() };
        runs.one_by_one(options, |bound| match self.run(bound, &once)? {
            true => {
                LAUNCHES.fetch_add(1, Ordering::Relaxed);
                Ok(Report::default())
            }
            false => {
                ELSEWHERE.fetch_add(1, Ordering::Relaxed);
                self.elsewhere().launch(&bound.arguments(), &once)
            }
        })
    }
}

impl Compiled {
    /// Runs the kernel once; false if it must run elsewhere, and no buffer has changed.
    ///
    /// # Errors
    /// A GPU that is lost, too slow, or has not enough memory.
    fn run(&self, bound: &Bound, options: &LaunchOptions) -> Result<bool, Fault> {
        let extent = &options.extent;
        let Some(groups) = self.form.groups(extent).filter(|_| self.form.fits(extent)) else { return Ok(false) };
        if groups[0] == 0 {
            return Ok(true);
        }
        let known = self.known(bound, extent);
        let mut held = bound.lock();
        let mut bytes: Vec<&mut Vec<u8>> = held.iter_mut().map(|b| &mut b.bytes).collect();
        let dispatch = run::Dispatch {
            groups,
            header: self.header(bound, extent, groups),
            bindings: bound.args.iter().filter_map(buffer).collect(),
            writes: &bound.writes,
            time_limit: options.time_limit,
        };
        let failed = |why: String| Fault {
            span: self.kernel.span,
            ..Fault::new(&self.kernel.name, FaultKind::Other(format!("the GPU failed: {why}")))
        };
        let pipeline = self.variants.pipeline(&known).map_err(|d| failed(d.message.clone()))?;
        run::run(&self.context, &pipeline, &dispatch, &mut bytes).map_err(failed)
    }

    fn known(&self, bound: &Bound, extent: &[u32]) -> Known {
        let scalar = |arg: &Arg| match arg {
            Arg::Scalar(c) if !c.elem.is_float() => Some(*c),
            _ => None,
        };
        let dims = |arg: &Arg| buffer(arg).map(|at| bound.dims(at).to_vec());
        Known {
            extent: extent.iter().map(|&n| Some(n)).collect(),
            workers: None,
            scalars: bound.args.iter().map(scalar).collect(),
            dims: bound.args.iter().map(dims).collect(),
        }
    }

    fn header(&self, bound: &Bound, extent: &[u32], groups: [u32; 2]) -> Vec<u32> {
        let mut scalars = Vec::new();
        let mut dims = Vec::new();
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
        let dims: Vec<&[u32]> = dims.iter().map(Vec::as_slice).collect();
        let header = Header { extent, fuel: self.context.fuel, scalars: &scalars, dims: &dims };
        header.words(&self.form, groups)
    }

    /// The kernel on the processor, or interpreted if there is no compiler for it.
    fn elsewhere(&self) -> &dyn Module {
        let module = self.elsewhere.get_or_init(|| {
            let cpu = crate::open("cpu").ok().and_then(|cpu| cpu.compile(&self.kernel).ok());
            cpu.unwrap_or_else(|| crate::interp::in_place_of(&self.kernel, self.context.caps.max_workers))
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
