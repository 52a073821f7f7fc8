//! QPUs in simulated time.

use super::params::Parameters;
use super::trace::Trace;
use super::units::{Lines, PER_CLOCK, Ticks, Units, ticks};
use crate::vc4::emu::{Event, Machine, Report, RunError, Thread, Transfer, WaitFor, Waiting};
use serde::Serialize;
use std::collections::VecDeque;

/// Instructions between two looks at the clock of the host.
const STEPS_PER_LOOK: u64 = 1 << 16;

/// What a QPU can wait for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    InstructionCache,
    Uniform,
    Tmu,
    Sfu,
    VpmRead,
    VpmWrite,
    DmaLoad,
    DmaStore,
    Mutex,
    Semaphore,
}

impl Cause {
    /// All causes, in the order of [`Stalls`].
    pub const ALL: [Cause; 10] = [
        Cause::InstructionCache,
        Cause::Uniform,
        Cause::Tmu,
        Cause::Sfu,
        Cause::VpmRead,
        Cause::VpmWrite,
        Cause::DmaLoad,
        Cause::DmaStore,
        Cause::Mutex,
        Cause::Semaphore,
    ];

    /// Name for reports.
    pub const fn name(self) -> &'static str {
        match self {
            Cause::InstructionCache => "instruction cache",
            Cause::Uniform => "uniform",
            Cause::Tmu => "TMU",
            Cause::Sfu => "SFU",
            Cause::VpmRead => "VPM read",
            Cause::VpmWrite => "VPM write",
            Cause::DmaLoad => "DMA load",
            Cause::DmaStore => "DMA store",
            Cause::Mutex => "mutex",
            Cause::Semaphore => "semaphore",
        }
    }
}

/// Clocks waited, by cause in the order of [`Cause::ALL`].
pub type Stalls = [u64; Cause::ALL.len()];

/// Time of one QPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct QpuTime {
    /// Clocks from the launch to the end of the program.
    pub clocks: u64,
    #[serde(serialize_with = "by_name")]
    pub stalls: Stalls,
}

/// Clocks waited by the names of their causes, every cause.
fn by_name<S: serde::Serializer>(stalls: &Stalls, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(Cause::ALL.iter().map(|cause| (cause, stalls[*cause as usize])))
}

/// What a timed run gives.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Outcome {
    /// V3D clocks until the last QPU ended, without the launch itself.
    pub clocks: u64,
    pub qpus: Vec<QpuTime>,
    pub report: Report,
    /// Stalls of each instruction: byte address and clocks by cause, summed over the QPUs; sorted by address, instructions
    /// that never stalled left out.
    pub places: Vec<(u32, Stalls)>,
    /// Clocks in which each shared unit that was used worked.
    pub busy: Vec<(String, u64)>,
    /// What passed through the L2 cache.
    pub lines: Lines,
}

impl Outcome {
    /// Seconds at a clock, with `launch_us` microseconds for the launch.
    pub fn seconds(&self, clock_mhz: f64, launch_us: f64) -> f64 {
        (self.clocks as f64 / clock_mhz + launch_us) * 1e-6
    }
}

/// A QPU in time; its clock itself is in [`Model::now`].
#[derive(Clone, Debug, Default)]
struct Clock {
    stalls: [Ticks; Cause::ALL.len()],
    /// Line of instructions that is being executed from, plus one.
    code_line: u32,
    /// Line of uniforms that is being read from, plus one, and when it is there.
    uniform_line: u32,
    uniform_ready: Ticks,
    /// When the last two uniforms were read: the queue behind the cache holds two, so that a line is asked for that early.
    uniform_reads: [Ticks; 2],
    /// When the stream can deliver after a move of its pointer.
    restart: Option<Ticks>,
    tmu: [VecDeque<Ticks>; 2],
    vpm_ready: Ticks,
    /// When the last two vectors written leave the queue.
    vpm_writes: [Ticks; 2],
    load_done: Ticks,
    store_done: Ticks,
    /// What it waits for, and since when.
    waiting: Option<(Waiting, Ticks)>,
    /// When its program ended.
    ended: Ticks,
}

/// The clock of a QPU that cannot go on.
const STOPPED: Ticks = Ticks::MAX;

/// Runs threads to their end in simulated time.
///
/// # Errors
/// As [`Machine::run`].
pub fn run(
    machine: &mut Machine,
    threads: &[Thread],
    params: &Parameters,
    trace: Option<&mut Trace>,
) -> Result<Outcome, RunError> {
    machine.start(threads)?;
    let mut model = Model {
        params: *params,
        issue: ticks(params.issue),
        units: Units::new(params),
        now: vec![0; threads.len()],
        clocks: vec![Clock::default(); threads.len()],
        places: Vec::new(),
        trace,
    };
    machine.observe();
    let mut left = machine.config().budget;
    while let Some(qpu) = model.next() {
        if left == 0 {
            return Err(machine.out_of_budget(qpu));
        }
        left -= u64::from(model.step(machine, qpu)?);
        if left.is_multiple_of(STEPS_PER_LOOK) {
            machine.may_go_on(qpu)?;
        }
    }
    let waiting: Vec<Waiting> = model.clocks.iter().filter_map(|c| Some(c.waiting?.0)).collect();
    if !waiting.is_empty() {
        return Err(RunError::Deadlock(waiting));
    }
    machine.check_left()?;
    Ok(model.outcome(machine))
}

struct Model<'t> {
    params: Parameters,
    issue: Ticks,
    units: Units,
    /// Time of each QPU, or [`STOPPED`].
    now: Vec<Ticks>,
    clocks: Vec<Clock>,
    /// Stalls by code and index of the instruction.
    places: Vec<Vec<Stalls>>,
    trace: Option<&'t mut Trace>,
}

/// An instruction: its code in the machine, index and byte address.
type Place = (usize, usize, u32);

impl Model<'_> {
    /// The QPU that is furthest behind, among those that can go on.
    fn next(&self) -> Option<usize> {
        let mut first = 0;
        for qpu in 1..self.now.len() {
            if self.now[qpu] < self.now[first] {
                first = qpu;
            }
        }
        (*self.now.get(first)? != STOPPED).then_some(first)
    }

    /// Executes one instruction of a QPU; gives whether it could.
    fn step(&mut self, machine: &mut Machine, qpu: usize) -> Result<bool, RunError> {
        let place = machine.place_of(qpu);
        let line = place.2 / 64 + 1;
        if self.clocks[qpu].code_line != line {
            self.clocks[qpu].code_line = line;
            let ready = self.units.instruction_line(qpu, place.2, self.now[qpu]);
            self.stall(qpu, place, Cause::InstructionCache, ready);
        }
        if let Some(waiting) = machine.advance(qpu, 1)? {
            self.clocks[qpu].waiting = Some((waiting, self.now[qpu]));
            self.now[qpu] = STOPPED;
            return Ok(false);
        }
        if machine.has_events(qpu) {
            let mut events = machine.take_events(qpu);
            for event in events.drain(..) {
                self.event(machine, qpu, place, &event);
            }
            machine.return_events(qpu, events);
        }
        self.now[qpu] += self.issue;
        if machine.ended(qpu) {
            self.clocks[qpu].ended = self.now[qpu];
            self.now[qpu] = STOPPED;
        }
        Ok(true)
    }

    /// Lets a QPU wait until `ready`, in whole instruction times.
    fn stall(&mut self, qpu: usize, place: Place, cause: Cause, ready: Ticks) {
        let now = self.now[qpu];
        let Some(wait) = ready.checked_sub(now).filter(|w| *w > 0) else { return };
        let wait = wait.next_multiple_of(self.issue);
        if let Some(trace) = &mut self.trace {
            trace.stall(qpu, cause, place.2, now, wait);
        }
        self.now[qpu] = now + wait;
        self.clocks[qpu].stalls[cause as usize] += wait;
        let (code, index, _) = place;
        if self.places.len() <= code {
            self.places.resize(code + 1, Vec::new());
        }
        if self.places[code].len() <= index {
            self.places[code].resize(index + 1, Stalls::default());
        }
        self.places[code][index][cause as usize] += wait / PER_CLOCK;
    }

    fn event(&mut self, machine: &Machine, qpu: usize, place: Place, event: &Event) {
        let now = self.now[qpu];
        self.units.past(now);
        match event {
            Event::Uniform { address } => {
                let ready = self.uniform(qpu, *address);
                self.stall(qpu, place, Cause::Uniform, ready);
                let clock = &mut self.clocks[qpu];
                clock.uniform_reads = [clock.uniform_reads[1], self.now[qpu]];
            }
            Event::UniformPointer { .. } => {
                self.clocks[qpu].restart = Some(now + ticks(self.params.uniform_restart));
                self.clocks[qpu].uniform_line = 0;
            }
            Event::TmuRequest { unit, addresses } => {
                let tmu = Units::tmu(qpu, *unit, machine.names_tmus(qpu));
                let ready = self.units.tmu_lookup(qpu, tmu, addresses, now);
                self.clocks[qpu].tmu[*unit].push_back(ready);
                if let Some(trace) = &mut self.trace {
                    trace.lookup(qpu, *unit, now, ready);
                }
            }
            Event::TmuLoad { unit } => {
                let ready = self.clocks[qpu].tmu[*unit].pop_front().unwrap_or(now);
                self.stall(qpu, place, Cause::Tmu, ready);
            }
            Event::Sfu => {
                let start = self.units.sfu(qpu, now);
                self.stall(qpu, place, Cause::Sfu, start);
            }
            Event::VpmReadSetup => self.clocks[qpu].vpm_ready = now + ticks(self.params.vpm_setup),
            Event::VpmRead => {
                let asked = now.max(self.clocks[qpu].vpm_ready);
                let passed = self.units.vpm_vector(asked) - ticks(self.params.vpm_vector);
                self.stall(qpu, place, Cause::VpmRead, passed);
            }
            Event::VpmWrite => {
                let [first, second] = self.clocks[qpu].vpm_writes;
                let passed = self.units.vpm_vector(now);
                self.clocks[qpu].vpm_writes = [second, passed];
                self.stall(qpu, place, Cause::VpmWrite, first);
            }
            Event::DmaLoad(transfer) => self.transfer(qpu, true, transfer),
            Event::DmaStore(transfer) => self.transfer(qpu, false, transfer),
            Event::LoadWait => self.stall(qpu, place, Cause::DmaLoad, self.clocks[qpu].load_done),
            Event::StoreWait => self.stall(qpu, place, Cause::DmaStore, self.clocks[qpu].store_done),
            Event::MutexRelease => self.wake(machine, now, Cause::Mutex),
            Event::Semaphore { .. } => self.wake(machine, now, Cause::Semaphore),
            Event::MutexAcquire | Event::HostInterrupt => {}
        }
    }

    /// Puts a transfer into the queue of its engine.
    fn transfer(&mut self, qpu: usize, load: bool, transfer: &Transfer) {
        let now = self.now[qpu];
        let (start, end) = if load {
            self.units.dma_load(transfer, now)
        } else {
            // The engine takes the vectors once they have passed the VPM port.
            self.units.dma_store(transfer, now.max(self.clocks[qpu].vpm_writes[1]))
        };
        let clock = &mut self.clocks[qpu];
        *(if load { &mut clock.load_done } else { &mut clock.store_done }) = end;
        if let Some(trace) = &mut self.trace {
            trace.transfer(load, qpu, transfer, start, end);
        }
    }

    /// When the uniform at `address` can be read.
    fn uniform(&mut self, qpu: usize, address: u32) -> Ticks {
        let clock = &self.clocks[qpu];
        let line = address / 64 + 1;
        if clock.uniform_line != line {
            // The queue asks for the next line when it has room, two reads ahead; after a move of the pointer, then.
            let asked = match clock.restart {
                Some(restart) => restart.saturating_sub(ticks(self.params.uniform_hit)),
                None => clock.uniform_reads[0],
            };
            let ready = self.units.uniform_line(qpu, address, asked);
            let clock = &mut self.clocks[qpu];
            (clock.uniform_line, clock.uniform_ready, clock.restart) = (line, ready, None);
        }
        self.clocks[qpu].uniform_ready
    }

    /// Lets the QPUs that wait for a mutex or semaphore try again.
    fn wake(&mut self, machine: &Machine, now: Ticks, cause: Cause) {
        let handover = now + ticks(self.params.handover);
        for qpu in 0..self.clocks.len() {
            let Some((waiting, since)) = self.clocks[qpu].waiting else { continue };
            if matches!(waiting.on, WaitFor::Mutex { .. }) == (cause == Cause::Mutex) {
                self.clocks[qpu].waiting = None;
                self.now[qpu] = since;
                self.stall(qpu, machine.place_of(qpu), cause, handover);
            }
        }
    }

    fn outcome(&self, machine: &Machine) -> Outcome {
        let qpus: Vec<QpuTime> = self
            .clocks
            .iter()
            .map(|c| QpuTime { clocks: c.ended.div_ceil(PER_CLOCK), stalls: c.stalls.map(|t| t / PER_CLOCK) })
            .collect();
        let mut places = Vec::new();
        for (code, stalls) in self.places.iter().enumerate() {
            let base = machine.code_base(code);
            let stalled = stalls.iter().enumerate().filter(|(_, s)| s.iter().any(|clocks| *clocks > 0));
            places.extend(stalled.map(|(index, stalls)| (base.wrapping_add(8 * index as u32), *stalls)));
        }
        places.sort_unstable_by_key(|(address, _)| *address);
        let clocks = qpus.iter().map(|q| q.clocks).max().unwrap_or(0);
        Outcome {
            clocks,
            qpus,
            report: machine.report(),
            places,
            busy: busy(&self.units),
            lines: self.units.busy.lines,
        }
    }
}

/// The units that worked, by name.
fn busy(units: &Units) -> Vec<(String, u64)> {
    let [vpu_l2, memory] = units.memory_busy();
    let units = &units.busy;
    let single = [
        ("L2 cache", units.l2),
        ("L2 cache of the processors", vpu_l2),
        ("memory channel", memory),
        ("VPM port", units.vpm),
        ("DMA load engine", units.load),
        ("DMA store engine", units.store),
    ];
    let single = single.into_iter().map(|(name, busy)| (name.to_string(), busy));
    let tmus = units.tmu.iter().enumerate().map(|(i, busy)| (format!("TMU {} of slice {}", i % 2, i / 2), *busy));
    let sfus = units.sfu.iter().enumerate().map(|(i, busy)| (format!("SFU of slice {i}"), *busy));
    let all = single.chain(tmus).chain(sfus).filter(|(_, busy)| *busy > 0);
    all.map(|(name, busy)| (name, busy / PER_CLOCK)).collect()
}
