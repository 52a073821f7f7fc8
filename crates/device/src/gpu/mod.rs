//! Every GPU that has a Vulkan driver, through wgpu, whose types stay in this module.
//!
//! Shaders are exact: what they compute equals the device `cpu` bit for bit, denormals and the order of atomic additions of
//! floats aside. A launch that leaves a mark (an access outside of a buffer, an assertion, a loop without end) has changed
//! nothing and is made again on the processor, which says what was wrong, or finishes it.

mod adapter;
mod buffers;
mod run;
mod shader;

use crate::launch::{Argument, BoundRuns, LaunchOptions, Report};
use crate::{Device, Listing, Module};
use adapter::Context;
use quadra_base::Diagnostic;
use quadra_kir::{Arithmetic, Caps, Cost, Costs, Fault, Kernel, LANES, caps::Status};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// What a GPU can do at least; known without a driver. One at hand has caps of its own.
pub static CAPS: Caps = Caps {
    width: LANES,
    int64: false,
    float64: false,
    half_memory: false,
    arithmetic: Arithmetic::Nearest,
    request_queue: None,
    coherent_loads: true,
    shared_memory: 16 << 10,
    max_workers: 4096,
    parallel: true,
    barriers: true,
    private_sums: false,
    in_place: false,
    faults: true,
    extensions: &[],
    native: |_, _| true,
    costs: COSTS,
};

const COSTS: Costs = Costs {
    compile: Cost::new(5e6, Status::Guess, "a shader of usual size; drivers differ"),
    launch: Cost::new(50_000.0, Status::Measured, "encode, submit and wait, on software drivers"),
    transfer: Cost::new(0.15, Status::Measured, "a mebibyte takes 0.1 to 0.2 ms on software drivers"),
    operation: Cost::new(1.0, Status::Guess, "a GPU as quick as the processor"),
    memory: Cost::new(0.1, Status::Guess, "as the processor"),
};

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
    Ok(Arc::new(Gpu { context: adapter::open()? }))
}

/// What `quadra devices` says.
pub(crate) fn listing() -> Listing {
    match adapter::open() {
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
        let shader = quadra_back_gpu::compile(kernel, self.context.caps, &self.context.target)?;
        let buffers = kernel.params.iter().filter(|p| matches!(p, quadra_kir::Param::Buffer(_))).count() as u32;
        let pipeline = shader::Pipeline::new(&self.context, &shader, buffers).map_err(|d| vec![*d])?;
        Ok(Arc::new(Compiled {
            kernel: kernel.clone(),
            context: self.context.clone(),
            pipeline,
            form: shader.form,
            elsewhere: OnceLock::new(),
        }))
    }
}

struct Compiled {
    kernel: Kernel,
    context: Arc<Context>,
    pipeline: shader::Pipeline,
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
    /// The kernel on the processor, or interpreted if there is no compiler for it.
    fn elsewhere(&self) -> &dyn Module {
        let module = self.elsewhere.get_or_init(|| {
            let cpu = crate::open("cpu").ok().and_then(|cpu| cpu.compile(&self.kernel).ok());
            cpu.unwrap_or_else(|| crate::interp::in_place_of(&self.kernel, self.context.caps.max_workers))
        });
        &**module
    }
}
