//! The emulated VideoCore IV as a device.

use super::layout::{Layout, Sequence};
use super::programs::{Keep, Programs};
use crate::Modelled;
use crate::launch::{Argument, Bound, BoundRuns, LaunchOptions, Loads, Report};
use crate::{Device, Module};
use quadra_back_qpu::{self as back_qpu, Compiled};
use quadra_base::Diagnostic;
use quadra_base::cache::Cache;
pub use quadra_isa::vc4::emu::SfuModel;
use quadra_isa::vc4::emu::{self, Config, Machine, Region, RunError, Tail, Thread};
use quadra_isa::vc4::timing::{self, Parameters};
use quadra_isa::vc4::{AddOp, File, Inst, MulOp, Program, Signal};
#[cfg(feature = "cpu")]
use quadra_isa_jit::Jit;
use quadra_kir::{self as kir, Arg, Caps, Cost, Costs, Fault, FaultKind, Kernel, Param};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The same, emulated: the host sees their memory.
static CAPS: Caps = Caps { costs: Costs { transfer: Cost::NONE, ..back_qpu::caps().costs }, ..back_qpu::caps() };
/// Byte address of the launch's memory; address 0 stays unmapped, so that a null pointer is a fault.
const BASE: u32 = 0x10_0000;
/// Bytes of a row of 16 words.
const ROW_BYTES: u32 = 64;
/// Bytes of a cache line.
const LINE: u64 = timing::LINE_BYTES as u64;

/// Compiles kernels to QPU words and runs those on the emulator.
#[derive(Clone, Debug)]
pub struct Emu {
    options: back_qpu::Options,
    sfu: SfuModel,
    model: Option<Parameters>,
    capture: Option<Arc<Capture>>,
    #[cfg_attr(not(feature = "cpu"), allow(dead_code))]
    translate: bool,
    /// How many of the QPUs launches may use.
    qpus: u32,
    keep: Keep,
}

/// A launch as the machine gets it: for tools that run it in another way, a profiler or debugger.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// Not started yet.
    pub machine: Machine,
    pub threads: Vec<Thread>,
    pub program: Program,
    /// Byte address of the program.
    pub code: u32,
}

/// Takes a copy of the first launch of a device; see [`Emu::with_capture`].
#[derive(Debug, Default)]
pub struct Capture(Mutex<Option<Prepared>>);

impl Capture {
    /// Takes the copy out, if there was a launch.
    pub fn take(&self) -> Option<Prepared> {
        self.0.lock().ok()?.take()
    }

    fn offer(&self, prepared: impl FnOnce() -> Prepared) {
        if let Ok(mut first) = self.0.lock()
            && first.is_none()
        {
            *first = Some(prepared());
        }
    }
}

impl Default for Emu {
    fn default() -> Emu {
        let options = back_qpu::Options::default();
        let (sfu, keep) = (SfuModel::default(), Keep::Nowhere);
        Emu { options, sfu, model: None, capture: None, translate: true, qpus: CAPS.max_workers, keep }
    }
}

impl Emu {
    /// An emulated Raspberry Pi with 12 QPUs.
    pub fn new() -> Emu {
        Emu::default()
    }

    /// The same with simulated time, by the timing model's usual parameters.
    pub fn modelled() -> Emu {
        Emu::default().with_model(Parameters::default())
    }

    /// The same with `n` of its QPUs, 1 to 12.
    pub fn with_qpus(self, n: u32) -> Emu {
        Emu { qpus: n.clamp(1, CAPS.max_workers), ..self }
    }

    /// The same, with programs kept in the user's cache on disk.
    pub fn kept(self) -> Emu {
        Emu { keep: Keep::User, ..self }
    }

    /// The same, with programs kept in this cache.
    pub fn keeping(self, cache: Arc<Cache>) -> Emu {
        Emu { keep: Keep::In(cache), ..self }
    }

    /// The same with other compiler options.
    pub fn with_options(self, options: back_qpu::Options) -> Emu {
        Emu { options, ..self }
    }

    /// The same with another model of the special function unit.
    pub fn with_sfu(self, sfu: SfuModel) -> Emu {
        Emu { sfu, ..self }
    }

    /// The same without native code for hot loops, which gives the same results more slowly.
    pub fn interpreted(self) -> Emu {
        Emu { translate: false, ..self }
    }

    /// The same, with a copy of the first launch taken before it runs.
    pub fn with_capture(self, capture: Arc<Capture>) -> Emu {
        Emu { capture: Some(capture), ..self }
    }

    /// The same with simulated time: reports of launches then have [`Report::model`], and `print` is silent.
    pub fn with_model(self, parameters: Parameters) -> Emu {
        Emu { model: Some(parameters), ..self }
    }
}

impl Device for Emu {
    fn name(&self) -> &'static str {
        "emu"
    }

    fn about(&self) -> String {
        "emulated VideoCore IV (Raspberry Pi 0 to 3): 12 QPUs, exact to the bit".into()
    }

    fn caps(&self) -> &'static Caps {
        &CAPS
    }

    fn max_workers(&self) -> u32 {
        self.qpus
    }

    fn compile(&self, kernel: &Kernel) -> Result<Arc<dyn Module>, Vec<Diagnostic>> {
        if let Some(grouped) = crate::groups::compile(self, kernel) {
            return grouped;
        }
        let programs = Programs::new(kernel, self.options, self.keep.clone())?;
        let guards = kernel.params.iter().map(|p| looks_behind(kernel, *p)).collect();
        Ok(Arc::new(Emulated { kernel: kernel.clone(), emu: self.clone(), programs, guards }))
    }
}

struct Emulated {
    kernel: Kernel,
    emu: Emu,
    programs: Programs,
    /// For each parameter, whether its buffer needs a guard behind it: [`looks_behind`].
    guards: Vec<bool>,
}

/// Whether the whole guard behind a parameter's buffer may be looked at: because the kernel's author gathers from it, or because
/// every access was proved or tested, so that only rows that the compiler loads ahead reach behind the end.
fn looks_behind(kernel: &Kernel, param: Param) -> bool {
    let Param::Buffer(buf) = param else { return false };
    let asks = |i: &kir::Inst| i.buf == Some(buf) && (i.op == kir::Op::TmuRequest || i.mode == kir::Mode::Guarded);
    let plain = |i: &kir::Inst| {
        i.buf == Some(buf) && i.op == kir::Op::Load && matches!(i.mode, kir::Mode::Unchecked | kir::Mode::Checked)
    };
    kernel.body.any(&mut |i| asks(i)) || !kernel.body.any(&mut |i| plain(i) || i.op == kir::Op::LoadRow)
}

impl Emulated {
    fn machine(
        &self,
        compiled: &Compiled,
        bound: &Bound,
        layout: &Layout,
        streams: &[Vec<u32>],
        (budget, deadline): (u64, Option<kir::Deadline>),
        (tail, swap): (Tail, Option<(usize, usize)>),
    ) -> Machine {
        let mut machine = Machine::new(Config {
            sfu: self.emu.sfu,
            budget,
            deadline: deadline.map(|d| d.at),
            leftovers: Some(1),
            profile: self.emu.model.is_some(),
            balanced: true,
            ..Config::default()
        });
        #[cfg(feature = "cpu")]
        if self.emu.model.is_none() && self.emu.translate {
            machine.set_translator(Jit::lazy());
        }
        let mut add = |region: Region| machine.add_region(region).expect("the layout puts regions side by side");
        add(Region::new(self.kernel.name.clone(), layout.code, compiled.program.bytes()));
        for (i, (&base, words)) in layout.uniforms.iter().zip(streams).enumerate() {
            add(Region::of_words(format!("uniforms of QPU {i}"), base, words));
        }
        if layout.scratch_bytes > 0 {
            let bytes = vec![0; layout.scratch_bytes as usize * streams.len()];
            add(Region::new("scratch", layout.scratch, bytes).writable());
        }
        // Runs that exchange two buffers look behind both as behind each.
        let exchanged = swap.map(|pair| bound.swapped(pair));
        let runs = || std::iter::once(bound).chain(&exchanged);
        for (i, data) in bound.read().iter().enumerate() {
            let mut bytes = data.bytes.clone();
            bytes.resize(bytes.len().next_multiple_of(4), 0);
            let mut region = Region::new(buffer_region(i), layout.buffers[i], bytes).with_tail(tail);
            let empty = if data.bytes.is_empty() { 4 } else { 0 };
            region.tail_bytes = runs().map(|run| self.tail_bytes(compiled, run, i)).fold(empty, u32::max);
            add(if bound.writes[i] { region.writable() } else { region });
        }
        machine
    }

    /// How far behind its end the program may look at a buffer that is not empty: the guard of a buffer that needs one, the rest
    /// of a row where the compiler loads rows in one piece. Lanes without work look at the first element of empty buffers.
    fn tail_bytes(&self, compiled: &Compiled, bound: &Bound, at: usize) -> u32 {
        if self.emu.options.contained {
            // Such a program stays within buffer and guard.
            return kir::launch::GUARD_BYTES;
        }
        let params = bound.args.iter().enumerate().filter(|(_, arg)| matches!(arg, Arg::Buffer(i) if *i == at));
        let tail = |param: usize| match self.guards[param] {
            true => kir::launch::GUARD_BYTES,
            false if param >= 64 || compiled.guarded >> param & 1 == 1 => ROW_BYTES,
            false => 0,
        };
        params.map(|(param, _)| tail(param)).max().unwrap_or(0)
    }

    /// The buffer whose memory an address belongs to, or lies closest behind.
    fn buffer_of(&self, bound: &Bound, layout: &Layout, address: u32) -> Option<(String, i64, u64)> {
        let lens: Vec<u64> = bound.read().iter().map(|b| b.bytes.len() as u64).collect();
        let nearest = |at: usize| (address as i64 - layout.buffers[at] as i64).unsigned_abs();
        let at = (0..layout.buffers.len()).filter(|&i| !lens.is_empty() && i < lens.len()).min_by_key(|&i| {
            let end = layout.buffers[i] as i64 + lens[i] as i64;
            if (address as i64) < end { nearest(i) } else { (address as i64 - end).unsigned_abs() }
        })?;
        let param = bound.args.iter().position(|a| *a == Arg::Buffer(at))?;
        let Param::Buffer(buf) = self.kernel.params[param] else { return None };
        let info = &self.kernel.bufs[buf];
        let size = info.elem.bytes() as i64;
        let index = (address as i64 - layout.buffers[at] as i64).div_euclid(size);
        Some((info.name.clone(), index, lens[at] / size as u64))
    }

    fn fault(&self, error: RunError, compiled: &Compiled, bound: &Bound, layout: &Layout) -> Fault {
        let mut fault = Fault::new(&self.kernel.name, FaultKind::Other(error.to_string()));
        fault.span = self.kernel.span;
        match error {
            RunError::Fault(f) => {
                fault.worker = Some(f.qpu as u32);
                fault.lane = f.lane.map(|l| l as u32);
                fault.address = f.address;
                fault.span = compiled.program.span(f.index).or(self.kernel.span);
                let place = f.address.and_then(|a| self.buffer_of(bound, layout, a));
                fault.kind = match (&f.kind, place) {
                    (emu::FaultKind::Outside(access), Some((buffer, index, len))) => {
                        let write = *access == emu::fault::Access::DmaStore;
                        FaultKind::OutOfBounds { buffer, index, len, write }
                    }
                    (emu::FaultKind::StoredThisLaunch(_), Some((buffer, index, _))) => {
                        FaultKind::Incoherent { buffer, index }
                    }
                    (emu::FaultKind::SyncLeft(left), _) => FaultKind::Unbalanced(left.to_string()),
                    (emu::FaultKind::Assertion(text), _) => FaultKind::Assert(text.clone()),
                    (kind, _) if matches!(kind.rule(), "H37" | "H38") => FaultKind::Queue(kind.to_string()),
                    _ => FaultKind::Other(f.to_string()),
                };
            }
            RunError::Deadlock(waiting) => {
                fault.span = waiting.first().and_then(|w| compiled.program.span(w.index)).or(self.kernel.span);
                fault.kind = FaultKind::Deadlock(waiting.iter().map(|w| (w.qpu as u32, w.on.to_string())).collect());
            }
            RunError::Budget { qpu, index, executed, .. } => {
                fault.worker = Some(qpu as u32);
                fault.span = compiled.program.span(index).or(self.kernel.span);
                fault.kind = FaultKind::Budget(executed);
            }
            RunError::Stopped { reason, .. } => fault.kind = FaultKind::Stopped(reason),
            RunError::TooManyThreads(_) | RunError::Time { .. } => {}
        }
        fault
    }

    /// The fault of a launch whose time is over.
    fn late(&self, qpu: usize, index: usize, limit: Duration, compiled: &Compiled) -> Fault {
        let fault = Fault::new(&self.kernel.name, FaultKind::Time(limit));
        Fault { worker: Some(qpu as u32), span: compiled.program.span(index).or(self.kernel.span), ..fault }
    }

    /// Runs a program, one launch.
    fn run(
        &self,
        compiled: &Compiled,
        bound: &Bound,
        options: &LaunchOptions,
        sequence: Sequence,
    ) -> Result<Report, Fault> {
        let times = sequence.together(options);
        let lengths: Vec<usize> = bound.read().iter().map(|b| b.bytes.len()).collect();
        let layout = Layout::of(&self.kernel, compiled, times, &lengths, options.workers, BASE)?.apart();
        let streams = layout.streams_of(&self.kernel, compiled, bound, options, sequence)?.swap_remove(0);
        let budget = options.budget.saturating_mul(u64::from(times));
        let deadline = options.time_limit.map(|t| t.saturating_mul(times)).and_then(kir::Deadline::after);
        // Where requests are DMA loads, those read the guard behind a buffer, too.
        let vpm = options.loads == Loads::Vpm || self.emu.options.loads == Loads::Vpm;
        let dma = sequence == Sequence::Together || vpm || self.emu.options.uncached != 0;
        let tail = if dma { Tail::Padded } else { Tail::Zero };
        let mut machine = self.machine(compiled, bound, &layout, &streams, (budget, deadline), (tail, options.swap));
        let threads: Vec<Thread> =
            layout.uniforms.iter().map(|&uniforms| Thread { pc: layout.code, uniforms }).collect();
        if let Some(capture) = &self.emu.capture {
            capture.offer(|| Prepared {
                machine: machine.clone(),
                threads: threads.clone(),
                program: compiled.program.clone(),
                code: layout.code,
            });
        }
        machine.add_probes(layout.code, &compiled.program.probes);
        let (report, model) = match &self.emu.model {
            Some(parameters) => timing::run(&mut machine, &threads, parameters, None)
                .map(|outcome| (outcome.report.clone(), Some(modelled(&outcome, layout.code, compiled, parameters)))),
            None => machine
                .run_with(&threads, &mut |hit| options.print.line(&back_qpu::print_line(hit)))
                .map(|report| (report, None)),
        }
        .map_err(|e| match (e, deadline) {
            (RunError::Time { qpu, index }, Some(d)) => self.late(qpu, index, d.limit, compiled),
            (e, _) => self.fault(e, compiled, bound, &layout),
        })?;
        let memory = machine.into_memory();
        for at in 0..bound.writes.len() {
            if let (true, Some(region)) = (bound.writes[at], memory.region(&buffer_region(at))) {
                let mut data = bound.write(at);
                let len = data.bytes.len();
                data.bytes.copy_from_slice(&region.bytes[..len]);
            }
        }
        Ok(Report {
            instructions: report.issued(),
            per_worker: report.qpus.iter().map(|q| q.issued).collect(),
            static_words: Some(compiled.program.len() as u32),
            model,
            work: None,
            compiled: None,
            measured: None,
        })
    }
}

fn buffer_region(at: usize) -> String {
    format!("buffer {at}")
}

impl Module for Emulated {
    fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    fn launch(&self, args: &[Argument], options: &LaunchOptions) -> Result<Report, Fault> {
        let runs = BoundRuns::new(&self.kernel, args, options, CAPS.max_workers)?;
        let all = runs.all();
        if let Some(program) = self.programs.together(&all, options)? {
            let report = self.run(&program.code, &all, options, Sequence::Together)?;
            return Ok(Report { compiled: program.made, ..report });
        }
        let program = self.programs.for_launch(&all, options)?;
        let report = runs.one_by_one(options, |bound| self.run(&program.code, bound, options, Sequence::Apart(1)))?;
        Ok(Report { compiled: program.made, ..report })
    }
}

/// The model's figures of one launch of the program at byte address `base`.
fn modelled(outcome: &timing::Outcome, base: u32, compiled: &Compiled, parameters: &Parameters) -> Modelled {
    let counts = outcome.report.profile.iter().find(|(b, _)| *b == base).map_or(&[][..], |(_, counts)| counts);
    let sum = |wanted: fn(&Inst) -> bool| -> u64 {
        let slots = compiled.program.insts.iter().zip(counts);
        slots.filter(|(inst, _)| wanted(inst)).map(|(_, count)| count).sum()
    };
    // The QPUs' slots in which something happens, as if evenly shared, and what each of the shared units did.
    let slots = sum(|inst| !is_empty(inst)) as f64 * parameters.issue;
    let issue = (slots / outcome.qpus.len().max(1) as f64) as u64;
    let units = outcome.busy.iter().map(|(name, clocks)| (*clocks, short_name(name)));
    let (busy_clocks, busiest) = units.fold((issue, "issue"), |most, unit| if unit.0 > most.0 { unit } else { most });
    Modelled {
        clocks: outcome.clocks,
        launches: 1,
        busy_clocks,
        busiest,
        nop_slots: sum(is_empty),
        dual_slots: sum(is_dual),
        fill_bytes: outcome.lines.from_l2() * LINE,
        memory_bytes: outcome.lines.from_memory * LINE,
    }
}

/// A unit of the model, in a word.
fn short_name(unit: &str) -> &'static str {
    let names = ["TMU", "SFU", "VPM", "DMA load", "DMA store", "L2 cache"];
    names.into_iter().find(|name| unit.starts_with(name)).unwrap_or("memory")
}

/// Whether a slot does nothing at all. A signal is something, and so is a read of a unit such as the mutex.
fn is_empty(inst: &Inst) -> bool {
    let Inst::Alu(alu) = inst else { return false };
    let silent = matches!(alu.sig, Signal::None | Signal::SmallImm);
    let reads = alu.read(File::A).is_some() || alu.read(File::B).is_some();
    alu.op_add == AddOp::Nop && alu.op_mul == MulOp::Nop && silent && !reads
}

/// Whether both ALUs work.
fn is_dual(inst: &Inst) -> bool {
    matches!(inst, Inst::Alu(alu) if alu.op_add != AddOp::Nop && alu.op_mul != MulOp::Nop)
}
