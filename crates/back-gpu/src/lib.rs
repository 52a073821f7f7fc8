//! Internal crate of Quadra: no stable interface.
//!
//! Kernels as compute shaders for every GPU: kernel IR at SIMT level, behind the common passes, becomes a `naga::Module`
//! that is built directly, validated, and written as SPIR-V in which no float operation may be contracted. What a shader
//! cannot do, or what would round otherwise than the interpreter does, is refused with a reason when it is compiled.
//!
//! A shader never touches memory outside of its buffers: what a front end claims to lie inside is derived again for the sizes of
//! a launch ([`Prepared::confirmed`]), every other index is tested, and one outside
//! becomes 0 and leaves a mark in the launch's buffer of [marks](abi::MARKS). Whoever launches works on copies and drops them then, so
//! a shader need not know what went wrong where: the launch is made again by a device that says it.
//!
//! For NVIDIA's GPUs the module also becomes LLVM IR ([`Prepared::llvm`]), of which libLLVM makes PTX.
//!
//! A kernel that is written for workers, as QPUs run them, is launched over 16 items for each worker: behind `mask` its lanes take every
//! branch together, and become items of a group that exchange values through shared memory.
//!
//! Files: [`abi`] (what the host hands over), `lower` (instructions), `spirv` (the words), `ptx` (LLVM IR), `tile` (items that are computed as one), `stored` (for the cache on
//! disk).
#![forbid(unsafe_code)]

pub mod abi;
mod lower;
mod ptx;
mod spirv;
mod stored;
mod tile;

pub use abi::codes::CODES;
pub use abi::{ENTRY, Form, Header, Target};
pub use ptx::name as entry_name;

use quadra_base::Diagnostic;
use quadra_kir::{Caps, Kernel, LANES, Mode, Op};
use quadra_passes::pass::{Facts, Options, PassCx};
use quadra_passes::specialise::Known;
use quadra_passes::{fission, jam, pipeline, replay, specialise};

/// A compute shader and how it is launched.
#[derive(Clone, Debug, PartialEq)]
pub struct Shader {
    /// SPIR-V with the entry point [`ENTRY`]; or the bytes of PTX with [that of its kernel](entry_name), zeros behind them.
    pub words: Vec<u32>,
    pub form: Form,
    /// Whether it may leave a mark; otherwise nobody need look for one, and it may write where its buffers are.
    pub marks: bool,
    /// Whether nothing more could be said of a launch that would make it quicker.
    pub complete: bool,
}

/// A kernel for NVIDIA's GPUs and how it is launched: as a [`Shader`], but that bindings are parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct LlvmKernel {
    /// LLVM IR for the target `nvptx64-nvidia-cuda`.
    pub text: String,
    /// Its entry point.
    pub name: String,
    /// What stands in the header's words.
    pub header: Vec<String>,
    pub form: Form,
    /// Whether it may leave a mark.
    pub marks: bool,
}

/// A kernel behind the common passes.
#[derive(Clone, Debug)]
pub struct Prepared {
    kernel: Kernel,
}

/// What the sizes of a launch say of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Confirmed {
    /// Which claims that accesses lie inside follow from them, in the order of the claims.
    inside: Vec<bool>,
    /// The most iterations of each loop, in the order of the loops; 0 where nothing follows.
    iterations: Vec<u32>,
    /// Of each buffer, in the order of the parameters: its elements where groups gather what they add to it, or else 0.
    gathers: Vec<u32>,
    /// Items along each axis; empty where they are not known.
    extent: Vec<u32>,
    /// Whether sizes may say which buffers are gathered, which items are computed as one, or that all groups are full, and are not
    /// known.
    open: bool,
}

impl Confirmed {
    /// Whether more can be said of other launches.
    pub fn is_complete(&self) -> bool {
        !self.open && self.inside.iter().all(|c| *c) && self.iterations.iter().all(|n| *n > 0)
    }

    /// Whether the last groups along an axis may have fewer items than the others.
    fn is_partial(&self, kernel: &Kernel) -> bool {
        let sizes = fission::group_sizes(kernel);
        self.extent.len() != sizes.len() || self.extent.iter().zip(&sizes).any(|(n, &size)| !n.is_multiple_of(size))
    }
}

impl Prepared {
    /// Makes a SIMT kernel ready.
    ///
    /// # Errors
    /// What is wrong with the kernel, with places in its source.
    pub fn new(kernel: &Kernel, caps: &Caps) -> Result<Prepared, Vec<Diagnostic>> {
        let wrong = quadra_kir::check::kernel(kernel);
        if !wrong.is_empty() {
            return Err(wrong);
        }
        if kernel.body.any(&mut |i| waits_for_workers(i.op)) {
            let refused = lower::refused("its workers wait for each other");
            return Err(vec![refused.at(kernel.span)]);
        }
        let mut kernel = kernel.clone();
        let (mut cx, mut facts) = (PassCx::new(caps), Facts::default());
        cx.launches.most_workers = caps.max_workers;
        let mut passes = |passes, kernel: &mut Kernel| {
            quadra_passes::pass::run(passes, kernel, &cx, &mut facts, &Options::default(), &mut |_| {})
        };
        passes(pipeline::COMMON, &mut kernel)?;
        if kernel.over == 0 || is_of_subgroups(&kernel) {
            passes(pipeline::LOCKSTEP, &mut kernel)?;
        }
        quadra_passes::halves::run(&mut kernel);
        // What an assertion says of later accesses holds only of items for which it holds, and the others go on. Elsewhere every
        // access is worth a claim: whoever confirms claims trusts nobody.
        let doubtful = kernel.body.any(&mut |i| i.op == Op::Assert);
        kernel.body.walk_mut(&mut |i| {
            i.mode = match i.mode {
                Mode::Inside if doubtful => Mode::Unchecked,
                Mode::Unchecked | Mode::Checked if !doubtful && i.buf.is_some() => Mode::Inside,
                mode => mode,
            }
        });
        Ok(Prepared { kernel })
    }

    /// No claim is confirmed: every access is tested.
    pub fn none(&self) -> Confirmed {
        let mut inside = Vec::new();
        self.kernel.body.walk(&mut |i| inside.extend((i.mode == Mode::Inside).then_some(false)));
        let gathers = lower::gather::candidates(&self.kernel).iter().any(Option::is_some);
        let open = gathers || lower::is_grouped(&self.kernel) || tile::is_possible(&self.kernel);
        let iterations = lower::turns::unknown(&self.kernel);
        Confirmed { inside, iterations, gathers: Vec::new(), extent: Vec::new(), open }
    }

    /// The claims that follow from the kernel and what is known of a launch.
    pub fn confirmed(&self, known: &Known) -> Confirmed {
        let mut kernel = self.kernel.clone();
        specialise::run(&mut kernel, known);
        replay::run(&mut kernel, known);
        let mut after = Vec::new();
        kernel.body.walk(&mut |i| after.push(i.mode));
        let (mut after, mut inside) = (after.into_iter(), Vec::new());
        self.kernel.body.walk(&mut |i| {
            let mode = after.next();
            inside.extend((i.mode == Mode::Inside).then_some(mode == Some(Mode::Inside)));
        });
        let gathers = lower::gather::lengths(&self.kernel, known);
        let extent: Option<Vec<u32>> = known.extent.iter().copied().collect();
        let (iterations, extent) = (lower::turns::bounds(&kernel), extent.unwrap_or_default());
        Confirmed { inside, iterations, gathers, extent, open: false }
    }

    /// The shader that tests every access but those whose claims are confirmed.
    ///
    /// # Errors
    /// What this GPU does not do, with places in the kernel's source.
    pub fn shader(&self, confirmed: &Confirmed, target: &Target) -> Result<Shader, Vec<Diagnostic>> {
        let lowered = self.lowered(confirmed, target)?;
        let words = spirv::write(&lowered.module, target).map_err(|d| vec![*d])?;
        let complete = confirmed.is_complete();
        Ok(Shader { words, form: lowered.form, marks: lowered.marks, complete })
    }

    /// The same for NVIDIA's GPUs.
    ///
    /// # Errors
    /// What this GPU does not do, with places in the kernel's source.
    pub fn llvm(&self, confirmed: &Confirmed, target: &Target) -> Result<LlvmKernel, Vec<Diagnostic>> {
        let lowered = self.lowered(confirmed, target)?;
        let info = spirv::validated(&lowered.module, target).map_err(|d| vec![*d])?;
        let name = ptx::name(&self.kernel);
        // Of launches in which a buffer may have two names, nobody says how many items they have.
        let distinct = !confirmed.extent.is_empty();
        let text = ptx::text(&lowered.module, &info, (&name, distinct));
        let header = abi::described(&self.kernel, &lowered.form);
        Ok(LlvmKernel { text, name, header, form: lowered.form, marks: lowered.marks })
    }

    fn lowered(&self, confirmed: &Confirmed, target: &Target) -> Result<lower::Lowered, Vec<Diagnostic>> {
        let mut kernel = self.kernel.clone();
        // Items that run out of iterations where others wait for them go on without what their loops should have given them.
        let goes_on =
            lower::is_grouped(&kernel) && lower::turns::plan(&kernel.body, &confirmed.iterations, target).counts();
        let mut inside = confirmed.inside.iter();
        kernel.body.walk_mut(&mut |i| {
            if i.mode == Mode::Inside && (inside.next() != Some(&true) || goes_on) {
                i.mode = tested(i.mode);
            }
        });
        let tile = tile::choose(&kernel, &confirmed.extent, target);
        (0..).zip(&tile).filter(|(_, n)| **n > 1).for_each(|(axis, n)| jam::run(&mut kernel, axis, *n));
        jam::hoist(&mut kernel);
        let partial = confirmed.is_partial(&kernel);
        lower::run(&kernel, (&confirmed.iterations, &confirmed.gathers), (tile, partial), target).map_err(|d| vec![*d])
    }
}

/// Whether subgroups of 16 items, which are groups, too, exchange values.
fn is_of_subgroups(kernel: &Kernel) -> bool {
    let waits = kernel.shared().next().is_some() || kernel.body.any(&mut |i| i.op == Op::Barrier);
    !waits && kernel.group == [LANES] && kernel.body.any(&mut |i| i.op.is_cross_lane())
}

/// Whether a worker waits until another one goes on.
fn waits_for_workers(op: Op) -> bool {
    matches!(op, Op::SemaInc | Op::SemaDec | Op::MutexLock | Op::MutexUnlock)
}

fn tested(mode: Mode) -> Mode {
    if mode == Mode::Inside { Mode::Unchecked } else { mode }
}
