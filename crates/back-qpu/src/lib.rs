//! Internal crate of Quadra: no stable interface.
//!
//! From SIMD kernel IR to scheduled programs for the VideoCore IV QPU.
//!
//! ```text
//! kir::Kernel (SIMD, legal for `caps()`)
//!    │  vc4::lower          instruction selection: virtual registers, flags, structured control flow to blocks
//!    ▼
//! machine::code::Code ── cleanup: copies, r4 forwarding, dead code; improve (level 2): parts of words, flags, addresses
//!    │  machine::regalloc   quick registers (r0-r3), files A and B, spilling
//!    ▼
//! machine::code::Code over physical registers
//!    │  machine::modulo     level 2: innermost loops pipelined, with new registers
//!    │  machine::schedule   latencies, both ALUs, delay slots
//!    ▼
//! vc4::emit ── isa::vc4::Program, and the layout of the uniform stream (`abi`)
//! ```
//!
//! What is in [`machine`] serves any instruction set that implements [`machine::isa::Isa`].
//! One operation per machine instruction until the scheduler pairs them; whatever the machine forbids is either
//! impossible by construction or checked by `isa::vc4::hazard` in tests.
#![forbid(unsafe_code)]

pub mod codes;
pub mod machine;
mod vc4;

pub use machine::report::{Bounds, LoopReport};
pub use vc4::abi::{self, Binding, Bindings, UniformSlot};
pub use vc4::empty::empty_slots;
pub use vc4::lower::again::free_semaphores;
use vc4::options::near_rows;
pub use vc4::options::{Loads, NEAR_BYTES, Options};

use machine::{modulo, regalloc, report, schedule};
use vc4::lowered::Lowered;
use vc4::{cleanup, contain, emit, improve, lower, minst, route, spill, vpm_plan};

use quadra_base::Diagnostic;
use quadra_isa as qpu;
use quadra_kir as kir;
use quadra_passes::pass::{self, Launches};
use quadra_passes_dma as passes_dma;

/// A compiled kernel.
#[derive(Clone, Debug)]
pub struct Compiled {
    pub program: qpu::vc4::Program,
    /// The uniform stream of each QPU, in the order it is read. [`Compiled::uniform_stream`] fills it in.
    pub uniforms: Vec<UniformSlot>,
    /// Bytes of memory that each QPU needs for itself (spilled values, a place for masked stores), a multiple of 64; the
    /// area of one QPU must not share a 64-byte line with anything else.
    pub scratch_bytes: u32,
    /// The most QPUs that the program may be launched on.
    pub max_qpus: u32,
    /// Parameters, bit by bit, whose buffers the program may read past the end: up to the end of a row, or in the guard where the
    /// kernel asks for that.
    pub guarded: u64,
    /// Rows of the VPM that belong to each QPU: worker `w` uses rows `w * vpm_rows` and on.
    pub vpm_rows: u32,
}

impl Compiled {
    /// The words of one QPU's uniform stream.
    ///
    /// # Errors
    /// What a slot asks for and the bindings lack, in words.
    pub fn uniform_stream(&self, bindings: &Bindings) -> Result<Vec<u32>, String> {
        self.uniforms.iter().map(|slot| slot.value(bindings, self.vpm_rows)).collect()
    }
}

/// The line that a `print` shows, as the interpreters write it.
pub fn print_line(hit: &qpu::vc4::emu::ProbeHit) -> String {
    use qpu::vc4::program::OperandKind;
    let operands: Vec<(kir::Elem, [u64; 16])> = hit
        .probe
        .operands
        .iter()
        .zip(&hit.values)
        .map(|(operand, lanes)| {
            let elem = match operand.kind {
                OperandKind::Bool => kir::Elem::Bool,
                OperandKind::Int => kir::Elem::I32,
                OperandKind::Float => kir::Elem::F32,
            };
            (elem, lanes.0.map(u64::from))
        })
        .collect();
    kir::interp::line(&hit.probe.text, &operands, hit.live)
}

/// What the QPU can do as it is; `legalize` expands the rest.
pub const fn caps() -> kir::Caps {
    kir::Caps {
        int64: false,
        float64: false,
        half_memory: false,
        arithmetic: kir::Arithmetic::TowardZero,
        coherent_loads: false,
        shared_memory: NEAR_BYTES,
        max_workers: 12,
        parallel: true,
        barriers: false,
        native,
        costs: COSTS,
        ..kir::Caps::EVERYTHING
    }
}

/// What work costs on the QPUs of a Raspberry Pi 1. `isa::vc4::timing` has the parts of which these are the sums.
const COSTS: kir::Costs = {
    use kir::caps::{Cost, Status};
    kir::Costs {
        compile: Cost::new(5e6, Status::Guess, "a kernel of some hundred words"),
        launch: Cost::new(
            2000.0,
            Status::Guess,
            "a launch by registers at least; the timing model's `launch_registers` has what follows for it at most",
        ),
        transfer: Cost::new(2.5, Status::Guess, "the host's reads of memory that its caches do not hold"),
        operation: Cost::new(16.0, Status::Structural, "an instruction per four clocks of 250 MHz"),
        memory: Cost::new(0.625, Status::Derived, "`memory_line` of the timing model: 10 clocks for 64 bytes"),
    }
};

fn native(op: kir::Op, elem: kir::Elem) -> bool {
    use kir::Op::*;
    if op == Mul {
        return elem == kir::Elem::F32;
    }
    !matches!(
        op,
        Div | Rem
            | Mod
            | Floor
            | Ceil
            | Trunc
            | Round
            | Sqrt
            | Rsqrt
            | Recip
            | Exp2
            | Log2
            | Exp
            | Log
            | Sin
            | Cos
            | Tan
            | Asin
            | Acos
            | Atan
            | Atan2
            | Sinh
            | Cosh
            | Tanh
            | Pow
            | Popcount
            | ToI64
            | ToF64
            | AtomicDiv
            | AtomicPow
    )
}

/// The kernel with its accesses to memory fitted to the launches that it is compiled for (`passes_dma::MEMORY`), or as it is
/// behind the pass `passes.after`: [`compile`] begins with this from `opt_level` 1 on.
///
/// # Errors
/// What the passes find wrong with the kernel.
pub fn fit(
    kernel: &kir::Kernel,
    options: &Options,
    passes: &pass::Options<'_>,
) -> Result<kir::Kernel, Vec<Diagnostic>> {
    let rows = vpm_plan::VpmPlan::new(options.qpus).transfer_rows();
    fit_as_decided(kernel, &route::decide(kernel, options), rows, passes)
}

/// As [`fit`], where transfers have so many rows at most.
fn fit_as_decided(
    kernel: &kir::Kernel,
    options: &Options,
    staging_rows: u32,
    passes: &pass::Options<'_>,
) -> Result<kir::Kernel, Vec<Diagnostic>> {
    let plan = vpm_plan::VpmPlan::new(options.qpus);
    let mut kernel = kernel.clone();
    let launches = Launches {
        most_workers: plan.max_qpus,
        alias: options.alias,
        uncached: options.uncached,
        staging_rows,
        near_rows: near_rows(options),
        range_rows: options.range_rows.min(near_rows(options)),
    };
    passes_dma::memory(&mut kernel, &caps(), launches, passes, &mut |_| {})?;
    Ok(kernel)
}

/// The parameters that a kernel only adds to, if ranges of them may be kept in registers.
pub fn ranged(kernel: &kir::Kernel) -> Vec<usize> {
    let found = passes_dma::ranges::arrays(kernel);
    let place = |buf| kernel.params.iter().position(|p| *p == kir::Param::Buffer(buf));
    found.into_iter().filter_map(|(buf, _)| place(buf)).collect()
}

/// The [`Options::range_rows`] that are best for a launch over so many items that adds to so many arrays ([`ranged`]), the longest of
/// which has so many elements.
pub fn range_rows(kernel: &kir::Kernel, items: u64, arrays: (usize, u64), workers: u32) -> u32 {
    passes_dma::ranges::pays(kernel, items, arrays, workers)
}

/// Compiles a kernel that is at SIMD level and legal for [`caps`].
///
/// # Errors
/// `E0501` for what the back end cannot express, `E0503` for loads that cannot go the way that [`Options::loads`] wants, with
/// the place in the kernel's source.
pub fn compile(kernel: &kir::Kernel, options: &Options) -> Result<Compiled, Vec<Diagnostic>> {
    compile_with(kernel, options, false).map(|(compiled, _)| compiled)
}

/// Whether a kernel can be compiled, found out without passes and schedules where it is as plain code.
///
/// # Errors
/// As [`compile`].
pub fn check(kernel: &kir::Kernel, options: &Options) -> Result<(), Vec<Diagnostic>> {
    let plan = vpm_plan::VpmPlan::new(options.qpus);
    let plain = |opt_level| {
        let options = route::decide(kernel, &Options { opt_level, ..*options });
        allocate(kernel, &options, &plan, plan.transfer_rows()).map(drop)
    };
    if kernel.level == kir::Level::Simd && plain(0).is_ok() { Ok(()) } else { compile(kernel, options).map(drop) }
}

/// As [`compile`], with a report on each innermost loop.
///
/// # Errors
/// As [`compile`].
pub fn explain(kernel: &kir::Kernel, options: &Options) -> Result<(Compiled, Vec<LoopReport>), Vec<Diagnostic>> {
    compile_with(kernel, options, true)
}

fn compile_with(
    kernel: &kir::Kernel,
    options: &Options,
    reports: bool,
) -> Result<(Compiled, Vec<LoopReport>), Vec<Diagnostic>> {
    if kernel.level != kir::Level::Simd {
        let text = format!("kernel `{}` is not at the SIMD level", kernel.name);
        return Err(vec![Diagnostic::error("E0501", text).at(kernel.span)]);
    }
    let plan = vpm_plan::VpmPlan::new(options.qpus);
    let options = &route::decide(kernel, options);
    let (mut lowered, trips, guarded) = allocate(kernel, options, &plan, plan.transfer_rows())?;
    if trips > 0 && options.opt_level >= 2 {
        // That costs more than transfers of several rows save.
        let (plain, fewer, _) = allocate(kernel, options, &plan, 1)?;
        if fewer < trips {
            lowered = plain;
        }
    }
    machine::cleanup::join_blocks(&mut lowered.code);
    let queues = schedule::deps::queues(&lowered.code);
    let marked = if reports { report::mark(&mut lowered.code, queues) } else { Vec::new() };
    let mut outcomes = Vec::new();
    if options.opt_level >= 2 {
        outcomes = modulo::run(&mut lowered.code, queues, options.registers);
        machine::cleanup::join_blocks(&mut lowered.code);
    }
    let mut slots = schedule::run(&lowered.code, queues, options.opt_level);
    let program = emit::run(&kernel.name, &lowered.code, &mut slots, options.opt_level);
    let loops = report::finish(marked, &outcomes, &lowered.code, &slots);
    let compiled = Compiled {
        program,
        uniforms: lowered.slots,
        scratch_bytes: lowered.scratch_bytes.next_multiple_of(64),
        max_qpus: plan.max_qpus,
        guarded,
        vpm_rows: plan.rows,
    };
    Ok((compiled, loops))
}

/// A kernel in registers, with transfers of so many rows at most, and in its innermost loops the transfers of values that found no
/// register, and what it may read past the ends of buffers.
fn allocate(
    kernel: &kir::Kernel,
    options: &Options,
    plan: &vpm_plan::VpmPlan,
    rows: u32,
) -> Result<(Lowered, usize, u64), Vec<Diagnostic>> {
    let forced = options.loads == Loads::Tmu;
    let fitted = (options.opt_level > 0 || options.uncached != 0 || forced)
        .then(|| fit_as_decided(kernel, options, rows, &pass::Options::default()))
        .transpose()?;
    let contained = options.contained.then(|| contain::contained(fitted.as_ref().unwrap_or(kernel)));
    let kernel = contained.as_ref().or(fitted.as_ref()).unwrap_or(kernel);
    if forced {
        let facts = lower::mem::buffer_facts(kernel, options.alias, options.uncached);
        route::all_through_tmu(kernel, &facts.through_dma)?;
    }
    let mut lowered = lower::lower(kernel, plan, options)?;
    if options.opt_level >= 2 {
        improve::parts::run(&mut lowered.code);
    }
    cleanup::run(&mut lowered.code);
    if options.opt_level >= 2 {
        improve::run(&mut lowered.code);
        machine::cleanup::remove_dead(&mut lowered.code);
    }
    let before = transfers_in_loops(&lowered.code);
    let spill = spill::Spill::new(&lowered, plan);
    let spill = regalloc::run(&mut lowered.code, spill, options.registers).map_err(|d| vec![d.at(kernel.span)])?;
    if let Some(inst) = lowered.code.impossible() {
        let text = format!("no instruction does `{inst:?}`");
        return Err(vec![Diagnostic::error("E0504", text).at(inst.span.or(kernel.span))]);
    }
    (lowered.slots, lowered.scratch_bytes) = (spill.slots, spill.bytes);
    let trips = transfers_in_loops(&lowered.code).saturating_sub(before);
    Ok((lowered, trips, contain::guarded(kernel)))
}

/// Transfers in loops of one block.
fn transfers_in_loops(code: &minst::Code) -> usize {
    let loops = code.blocks.iter().enumerate().filter(|(i, b)| b.term.targets().any(|t| t == *i));
    let starts = |i: &&minst::MInst| matches!(i.dst, minst::Dst::LD_ADDR | minst::Dst::ST_ADDR);
    loops.map(|(_, b)| b.insts.iter().filter(starts).count()).sum()
}
