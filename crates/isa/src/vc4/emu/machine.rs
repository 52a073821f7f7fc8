//! The whole GPU as a program sees it: QPUs that take turns, and what they share.

use super::code::{Code, slot};
use super::core::{Core, Shared, Site, Stop};
use super::engine::{self, Exit};
use super::event::Event;
use super::fault::{Access, Fault, FaultKind, Left, RunError, Waiting, Warning};
use super::memory::{Memory, Place, Region};
pub use super::run::{Config, Report, Thread};
use super::translate::{Block, Translator};
use super::{Lanes, flags::Flags};
use crate::vc4::hazard::Strictness;
use crate::vc4::program::{self, Probe, Program};
use quadra_base::Diagnostic;
use std::sync::Arc;
use std::time::Instant;

/// QPUs of the chip.
pub const QPUS: usize = 12;

/// Instructions that a QPU executes before the next one's turn, unless it has to wait earlier. The same in every engine:
/// what programs with several QPUs compute never depends on speed.
pub const TURN: u64 = 16_384;

/// Memory, programs and QPUs.
///
/// ```
/// use quadra_isa::vc4::{Alu, Inst, Ldi, File, Program, Signal, Waddr};
/// use quadra_isa::vc4::emu::{Config, Machine, Thread};
/// let mut program = Program::new("end");
/// program.push(Ldi::all(File::A, Waddr::HOST_INT, 1), None);
/// program.push(Alu::signal(Signal::ProgramEnd), None);
/// program.extend([Inst::NOP, Inst::NOP]);
/// let mut machine = Machine::new(Config::default());
/// machine.add_program(0x1000, &program)?;
/// let report = machine.run(&[Thread { pc: 0x1000, uniforms: 0 }]).expect("it ends");
/// assert_eq!((report.issued(), report.qpus[0].host_interrupts), (4, 1));
/// # Ok::<(), Box<quadra_base::Diagnostic>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Machine {
    pub(super) config: Config,
    pub(super) shared: Shared,
    pub(super) codes: Vec<Code>,
    pub(super) cores: Vec<Core>,
    /// Probes with the base address of their program.
    probes: Vec<(u32, Probe)>,
    /// What probes have seen since the last look.
    hits: Vec<ProbeHit>,
    pub(super) translator: Option<Arc<dyn Translator>>,
    /// What was translated, and how often it came back undone.
    pub(super) blocks: Vec<(Arc<dyn Block>, u32)>,
}

/// What a probe saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeHit {
    pub qpu: usize,
    pub probe: Probe,
    /// The registers of [`Probe::operands`].
    pub values: Vec<Lanes>,
    /// Bit l says whether lane l is live.
    pub live: u16,
}

impl Machine {
    /// A machine without memory.
    pub fn new(config: Config) -> Machine {
        let shared = Shared { sfu: config.sfu, ..Shared::default() };
        Machine {
            config: Config { engine: config.engine.resolve(), ..config },
            shared,
            codes: Vec::new(),
            cores: Vec::new(),
            probes: Vec::new(),
            hits: Vec::new(),
            translator: None,
            blocks: Vec::new(),
        }
    }

    /// Sets whether executions of each instruction are counted; see [`Config::profile`].
    pub fn set_profile(&mut self, profile: bool) {
        self.config.profile = profile;
    }

    /// Adds memory.
    ///
    /// # Errors
    /// If the region is misaligned or overlaps another.
    pub fn add_region(&mut self, region: Region) -> Result<(), Box<Diagnostic>> {
        self.forget_code();
        self.shared.memory.add(region)
    }

    /// Adds a read-only region with a program's words.
    ///
    /// # Errors
    /// As [`Machine::add_region`].
    pub fn add_program(&mut self, base: u32, program: &Program) -> Result<(), Box<Diagnostic>> {
        self.add_region(Region::new(program.name.clone(), base, program.bytes()))
    }

    /// Makes the program at `base` stop for its probes.
    pub fn add_probes(&mut self, base: u32, probes: &[Probe]) {
        self.forget_code();
        self.probes.extend(probes.iter().map(|p| (base, p.clone())));
    }

    /// Lets a translator make native code of what is executed often.
    pub fn set_translator(&mut self, translator: Arc<dyn Translator>) {
        self.forget_code();
        self.translator = Some(translator);
    }

    fn forget_code(&mut self) {
        self.codes.clear();
        self.blocks.clear();
    }

    /// The memory.
    pub fn memory(&self) -> &Memory {
        &self.shared.memory
    }

    /// Takes the memory out.
    pub fn into_memory(self) -> Memory {
        self.shared.memory
    }

    /// Runs one program per thread, on QPUs 0, 1, … to the end of all. Memory keeps what earlier runs left; registers,
    /// VPM, semaphores and mutex start anew.
    ///
    /// # Errors
    /// A fault of a QPU, a deadlock, or the budget used up. Memory then holds what was stored until then.
    pub fn run(&mut self, threads: &[Thread]) -> Result<Report, RunError> {
        self.run_with(threads, &mut |_| {})
    }

    /// As [`Machine::run`]; `sink` receives what the probes of `print` statements see, each QPU's in order.
    ///
    /// # Errors
    /// As [`Machine::run`], and [`FaultKind::Assertion`] where a probe asserts what does not hold.
    pub fn run_with(&mut self, threads: &[Thread], sink: &mut dyn FnMut(&ProbeHit)) -> Result<Report, RunError> {
        self.start(threads)?;
        self.wait_for_translations();
        self.hits.clear();
        let mut left = self.config.budget;
        loop {
            let (mut progress, mut waiting) = (false, Vec::new());
            for qpu in 0..self.cores.len() {
                if self.cores[qpu].ended {
                    continue;
                }
                let before = self.cores[qpu].counts.issued;
                let wait = self.advance(qpu, TURN.min(left));
                self.hits.drain(..).for_each(|hit| sink(&hit));
                let wait = wait?;
                let done = self.cores[qpu].counts.issued - before;
                left -= done;
                progress |= done > 0;
                waiting.extend(wait);
                if left == 0 && !self.cores.iter().all(|c| c.ended) {
                    return Err(self.out_of_budget(qpu));
                }
                self.may_go_on(qpu)?;
            }
            if self.cores.iter().all(|c| c.ended) {
                self.check_left()?;
                let report = self.report();
                self.translator.iter().for_each(|t| t.ended(report.issued()));
                return Ok(report);
            }
            if !progress {
                return Err(RunError::Deadlock(waiting));
            }
        }
    }

    /// Puts the QPUs to the start of their programs.
    pub(crate) fn start(&mut self, threads: &[Thread]) -> Result<(), RunError> {
        if threads.len() > QPUS {
            return Err(RunError::TooManyThreads(threads.len()));
        }
        self.shared.memory.begin_launch();
        let strict = self.config.strictness == Strictness::Strict;
        self.shared = Shared {
            memory: std::mem::take(&mut self.shared.memory),
            sfu: self.config.sfu,
            strict,
            ..Shared::default()
        };
        self.shared.memory.lenient = !strict;
        self.cores.clear();
        for (number, thread) in threads.iter().enumerate() {
            let mut core = Core::new(number, self.config.leftovers);
            core.uniform_address = thread.uniforms;
            self.cores.push(core);
            self.jump(number, thread.pc)?;
        }
        if self.config.profile {
            let counts: Vec<Vec<u64>> = self.codes.iter().map(|c| vec![0; c.count]).collect();
            for core in &mut self.cores {
                core.profile = Some(counts.clone());
            }
        }
        Ok(())
    }

    /// Lets one QPU execute up to `limit` instructions; gives what it waits for, if it had to stop for that.
    pub(crate) fn advance(&mut self, qpu: usize, limit: u64) -> Result<Option<Waiting>, RunError> {
        let end = self.cores[qpu].counts.issued + limit;
        self.shared.memory.settle();
        let mut ready = self.is_translated(qpu);
        loop {
            let exit = if std::mem::take(&mut ready) { self.at_head(qpu, end) } else { None };
            let core = &mut self.cores[qpu];
            let left = end - core.counts.issued;
            let code = core.code;
            let engine = self.config.engine;
            let exit = exit.unwrap_or_else(|| engine::run(engine, core, &mut self.shared, &self.codes[code], left));
            match exit {
                Exit::Limit => return Ok(None),
                Exit::Decode => self.codes[code].decode_around(self.cores[qpu].index, &self.shared.memory),
                Exit::Jump(address) => {
                    self.jump(qpu, address)?;
                    ready = self.cores[qpu].delay == 0;
                }
                Exit::Probe => self.probe(qpu)?,
                Exit::Head => ready = true,
                Exit::Ended => {
                    let core = &self.cores[qpu];
                    core.check_drained(&mut self.shared).map_err(|stop| self.fault(qpu, stop))?;
                    return Ok(None);
                }
                Exit::Stop(Stop::Wait(on)) => {
                    let core = &self.cores[qpu];
                    return Ok(Some(Waiting { qpu, index: core.index, pc: self.pc(core), on }));
                }
                Exit::Stop(stop) => return Err(self.fault(qpu, stop)),
            }
        }
    }

    /// Looks at the registers that the probes at the present instruction name.
    fn probe(&mut self, qpu: usize) -> Result<(), RunError> {
        let core = &self.cores[qpu];
        let base = self.codes[core.code].base;
        let value = |place: program::Place| match place {
            program::Place::A(n) => core.slots[usize::from(slot::RA + (n & 31))],
            program::Place::B(n) => core.slots[usize::from(slot::RB + (n & 31))],
            program::Place::Accumulator(n) => core.slots[usize::from(slot::ACC + n.min(5))],
        };
        let holds = |v: Lanes| (0..16).filter(|l| v.0[*l] != 0).fold(0u16, |set, l| set | 1 << l);
        let mut failed = None;
        for (_, probe) in self.probes.iter().filter(|(b, p)| *b == base && p.at == core.index) {
            let live = probe.mask.map_or(0xffff, |m| holds(value(m)));
            let values: Vec<Lanes> = probe.operands.iter().map(|o| value(o.place)).collect();
            if !probe.assert {
                self.hits.push(ProbeHit { qpu, probe: probe.clone(), values, live });
            } else if let Some(wrong) = values.first().map(|v| live & !holds(*v)).filter(|set| *set != 0) {
                let lane = wrong.trailing_zeros() as usize;
                failed = Some(Stop::Fault(FaultKind::Assertion(probe.text.clone()), Some(lane), None));
                break;
            }
        }
        if let Some(stop) = failed {
            return Err(self.fault(qpu, stop));
        }
        self.cores[qpu].probed = true;
        Ok(())
    }

    /// Continues a QPU at a byte address.
    fn jump(&mut self, qpu: usize, address: u32) -> Result<(), RunError> {
        let Place::Inside(region, at) = self.shared.memory.find(address) else {
            return Err(self.fault(qpu, Stop::Fault(FaultKind::Outside(Access::Code), None, Some(address))));
        };
        if at % 8 != 0 {
            return Err(self.fault(qpu, Stop::Fault(FaultKind::Misaligned(Access::Code), None, Some(address))));
        }
        let code = self.codes.iter().position(|c| c.region == region).unwrap_or_else(|| {
            let mut code = Code::new(region, &self.shared.memory);
            let here = self.probes.iter().filter(|(base, _)| *base == code.base);
            code.probed = here.map(|(_, probe)| probe.at).collect();
            code.heads = vec![0; if self.translator.is_some() { code.count } else { 0 }];
            self.codes.push(code);
            self.codes.len() - 1
        });
        let core = &mut self.cores[qpu];
        if let Some(profile) = &mut core.profile {
            profile.resize_with(self.codes.len(), Vec::new);
            profile[code].resize(self.codes[code].count, 0);
        }
        let from = (core.code == code && core.index > 0).then(|| core.index - 1);
        (core.code, core.index) = (code, at / 8);
        if let Some(from) = from
            && core.check_target
            && let Some(target) = self.codes[code].inst_at(core.index, &self.shared.memory)
        {
            core.recorded = [!0; 2];
            let clash = core.check_pair(&mut self.shared, &self.codes[code].insts[from], &target);
            clash.map_err(|stop| self.fault(qpu, stop))?;
        }
        Ok(())
    }

    fn pc(&self, core: &Core) -> u32 {
        self.codes.get(core.code).map_or(0, |code| code.base.wrapping_add(8 * core.index as u32))
    }

    fn fault(&self, qpu: usize, stop: Stop) -> RunError {
        let core = &self.cores[qpu];
        let (kind, lane, address) = match stop {
            Stop::Fault(kind, lane, address) => (kind, lane, address),
            Stop::Wait(on) => {
                return RunError::Deadlock(vec![Waiting { qpu, index: core.index, pc: self.pc(core), on }]);
            }
        };
        RunError::Fault(Fault { qpu, index: core.index, pc: self.pc(core), lane, address, kind })
    }

    /// Looks, once all programs are over, for what the next launch would find: a semaphore that is not 0, the mutex held.
    ///
    /// # Errors
    /// A fault at the instruction that raised or took it last, if the machine is asked to see to that.
    pub(crate) fn check_left(&mut self) -> Result<(), RunError> {
        let raised = self.shared.raised;
        let semaphores = self.shared.semaphores.iter().enumerate().filter(|(_, value)| **value > 0);
        let left = semaphores.map(|(n, value)| (Left::Semaphore { number: n as u8, value: *value }, raised[n]));
        let mutex = self.shared.mutex.map(|_| (Left::Mutex, self.shared.taken));
        let left: Vec<(Left, Site)> = left.chain(mutex).collect();
        for (left, site) in left {
            let Some([qpu, code, index]) = site.if_any() else { continue };
            if self.config.balanced {
                let pc = self.codes[code].base.wrapping_add(8 * index as u32);
                let kind = FaultKind::SyncLeft(left);
                return Err(RunError::Fault(Fault { qpu, index, pc, lane: None, address: None, kind }));
            }
            self.shared.warnings.push(Warning::SyncLeft { qpu, index, left });
        }
        Ok(())
    }

    pub(crate) fn report(&self) -> Report {
        let profile = match self.config.profile {
            false => Vec::new(),
            true => self.codes.iter().enumerate().map(|(i, code)| (code.base, self.executions(i))).collect(),
        };
        Report {
            qpus: self.cores.iter().map(|c| c.counts).collect(),
            profile,
            semaphores: self.shared.semaphores,
            mutex_held: self.shared.mutex.is_some(),
            warnings: self.shared.warnings.clone(),
        }
    }

    fn executions(&self, code: usize) -> Vec<u64> {
        let mut sum = vec![0; self.codes[code].count];
        for counts in self.cores.iter().filter_map(|c| c.profile.as_ref()?.get(code)) {
            for (total, count) in sum.iter_mut().zip(counts) {
                *total += count;
            }
        }
        sum
    }

    /// What boards survive, and reads past the end of regions, found so far.
    pub fn warnings(&self) -> &[Warning] {
        &self.shared.warnings
    }

    /// How the machine behaves.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Makes the QPUs record what they use; see [`Machine::take_events`].
    pub(crate) fn observe(&mut self) {
        for core in &mut self.cores {
            core.events = Some(Vec::new());
        }
    }

    /// What a QPU used since the last call. Give the list back, for the sake of its memory.
    pub(crate) fn take_events(&mut self, qpu: usize) -> Vec<Event> {
        self.cores[qpu].events.replace(Vec::new()).unwrap_or_default()
    }

    pub(crate) fn return_events(&mut self, qpu: usize, events: Vec<Event>) {
        self.cores[qpu].events = Some(events);
    }

    pub(crate) fn has_events(&self, qpu: usize) -> bool {
        self.cores[qpu].events.as_ref().is_some_and(|e| !e.is_empty())
    }

    /// Whether a QPU has the TMUs by their names: it has written TMU_NOSWAP.
    pub(crate) fn names_tmus(&self, qpu: usize) -> bool {
        self.cores[qpu].noswap_at != super::core::NEVER
    }

    /// A QPU's next instruction: number of its code, index and byte address.
    pub(crate) fn place_of(&self, qpu: usize) -> (usize, usize, u32) {
        let core = &self.cores[qpu];
        (core.code, core.index, self.pc(core))
    }

    /// Byte address of the first instruction of a code.
    pub(crate) fn code_base(&self, code: usize) -> u32 {
        self.codes[code].base
    }

    /// Whether a QPU's program is over.
    pub(crate) fn ended(&self, qpu: usize) -> bool {
        self.cores[qpu].ended
    }

    /// Looks whether the time is over at this QPU, or somebody wants an end.
    pub(crate) fn may_go_on(&self, qpu: usize) -> Result<(), RunError> {
        let index = self.cores[qpu].index;
        if let Some(reason) = quadra_base::stop::requested() {
            return Err(RunError::Stopped { qpu, index, reason });
        }
        let over = self.config.deadline.is_some_and(|at| Instant::now() >= at);
        if over { Err(RunError::Time { qpu, index }) } else { Ok(()) }
    }

    /// The error of a budget that is used up at this QPU.
    pub(crate) fn out_of_budget(&self, qpu: usize) -> RunError {
        let core = &self.cores[qpu];
        RunError::Budget { qpu, index: core.index, pc: self.pc(core), executed: self.config.budget }
    }

    /// The registers of a QPU of the last run; `None` if it had fewer QPUs.
    pub fn registers(&self, qpu: usize) -> Option<Registers> {
        let core = self.cores.get(qpu)?;
        let take = |first: u8, i: usize| core.slots[first as usize + i];
        Some(Registers {
            a: std::array::from_fn(|i| take(slot::RA, i)),
            b: std::array::from_fn(|i| take(slot::RB, i)),
            accumulators: std::array::from_fn(|i| take(slot::ACC, i)),
            flags: core.flags,
            pc: self.pc(core),
            ended: core.ended,
        })
    }
}

/// A copy of a QPU's registers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Registers {
    /// ra0 to ra31.
    pub a: [Lanes; 32],
    /// rb0 to rb31.
    pub b: [Lanes; 32],
    /// r0 to r5.
    pub accumulators: [Lanes; 6],
    pub flags: Flags,
    /// Byte address of the next instruction.
    pub pc: u32,
    pub ended: bool,
}
