//! One launch: the workers, who runs next, and what they share.

use super::code::{Code, Step};
use super::memory::{self, Bound};
use super::races::Races;
use super::thread::{Position, Thread};
use super::{Options, Stats, code};
use crate::check;
use crate::kernel::{Buf, Kernel, Level, Space};
use crate::launch::{Fault, FaultKind, Launch, Memory, MemoryBuffer};
use crate::types::LANES;
use quadra_base::Span;

/// Instructions that a worker runs before the next one has its turn.
const QUANTUM: u64 = 1000;

/// The place of the mutex behind those of the semaphores.
pub(super) const MUTEX: usize = 16;

/// Why a subgroup stopped.
pub(super) enum Stop {
    Done,
    Quantum,
    Barrier,
    /// It waits for this.
    Wait(String),
}

/// What all workers share, and the one that has its turn.
pub(super) struct Machine<'k, 's> {
    pub code: &'s Code<'k>,
    pub launch: &'s Launch,
    pub sink: &'s mut dyn FnMut(&str),
    /// Executions of each step, or empty.
    pub counts: Vec<u64>,
    pub executed: u64,
    pub semaphores: [u8; 16],
    pub mutex: Option<u32>,
    /// Who incremented each semaphore last, and who took the mutex: worker and place.
    pub raised: [(u32, Option<Span>); 17],
    /// Items of a group and groups of the launch along each axis.
    pub group_size: Vec<u32>,
    pub groups: Vec<u32>,
    memory: Bound,
    /// Shared arrays of the group that runs now.
    shared: Vec<MemoryBuffer>,
    races: Option<Races>,
}

struct Worker {
    id: u32,
    next_group: u64,
    threads: Vec<Thread>,
    /// Subgroups of the present group; the others of `threads` are left over from larger ones.
    used: usize,
    shared: Vec<MemoryBuffer>,
    executed: u64,
    done: bool,
    waits_for: String,
    epoch: u32,
}

impl<'k, 's> Machine<'k, 's> {
    pub fn simt(&self) -> bool {
        self.code.kernel.level == Level::Simt
    }

    pub fn buffer(&self, buf: Buf) -> &MemoryBuffer {
        let i = self.memory.index[buf.index()];
        match self.code.kernel.bufs[buf].space {
            Space::Global => &self.memory.globals[i],
            Space::Shared => &self.shared[i],
        }
    }

    pub fn buffer_mut(&mut self, buf: Buf) -> &mut MemoryBuffer {
        let i = self.memory.index[buf.index()];
        match self.code.kernel.bufs[buf].space {
            Space::Global => &mut self.memory.globals[i],
            Space::Shared => &mut self.shared[i],
        }
    }

    /// Subgroups of a group.
    pub fn subgroups(&self) -> u32 {
        let items: u64 = self.group_size.iter().map(|&n| n as u64).product();
        items.div_ceil(u64::from(LANES)).max(1) as u32
    }

    /// Tells the race detector of an access.
    pub fn touch(&mut self, thread: &Thread, step: &Step<'_>, buf: Buf, at: usize, lane: usize) -> Result<(), Fault> {
        let Some(races) = &mut self.races else { return Ok(()) };
        let kernel = self.code.kernel;
        let index = self.memory.index[buf.index()];
        match races.touch(kernel, &thread.position, step.inst, (kernel.bufs[buf].space, index, at), lane) {
            None => Ok(()),
            Some(race) => Err(thread.fault(self, step, race, Some(lane))),
        }
    }

    /// Puts a subgroup at its place within its group.
    pub fn place(&self, position: &mut Position, subgroup: u32) {
        position.subgroup = subgroup;
        if self.code.kernel.over == 0 {
            position.active = 0xffff;
            position.local = vec![std::array::from_fn(|l| l as u32)];
            return;
        }
        let axes = self.group_size.len();
        position.local = vec![[0; LANES as usize]; axes];
        position.item = vec![[0; LANES as usize]; axes];
        position.active = 0;
        // There, lanes are not items.
        let all = self.code.kernel.whole && self.code.kernel.level == Level::Simd;
        let items: u64 = self.group_size.iter().map(|&n| n as u64).product();
        for l in 0..LANES as usize {
            let mut rest = u64::from(subgroup * LANES) + l as u64;
            let mut inside = rest < items;
            for axis in (0..axes).rev() {
                let size = self.group_size[axis] as u64;
                position.local[axis][l] = (rest % size) as u32;
                rest /= size;
                let item = position.group[axis] as u64 * size + position.local[axis][l] as u64;
                position.item[axis][l] = item as u32;
                inside &= all || item < self.launch.extent[axis] as u64;
            }
            position.active |= (inside as u16) << l;
        }
    }

    /// The next group of a worker, dealt in turn: worker w runs the groups w, w + workers, …
    fn begin(&self, worker: &mut Worker) -> bool {
        let total: u64 = self.groups.iter().map(|&n| n as u64).product();
        let number = worker.next_group;
        if self.code.kernel.over == 0 {
            if number == u64::MAX {
                return false;
            }
            worker.next_group = u64::MAX;
        } else {
            if number >= total {
                return false;
            }
            worker.next_group += self.launch.workers as u64;
        }
        let mut position = Position { worker: worker.id, ..Position::default() };
        if self.code.kernel.over == 0 {
            position.group = vec![0; self.groups.len()];
            if let Some(last) = position.group.last_mut() {
                *last = worker.id;
            }
        } else {
            let mut rest = number;
            position.group = vec![0; self.groups.len()];
            for axis in (0..self.groups.len()).rev() {
                position.group[axis] = (rest % self.groups[axis] as u64) as u32;
                rest /= self.groups[axis] as u64;
            }
        }
        worker.used = 0;
        let subgroups = if self.simt() && self.code.kernel.over > 0 { self.subgroups() } else { 1 };
        for s in 0..subgroups {
            self.place(&mut position, s);
            // At SIMT level a subgroup without items does nothing, not even wait.
            if self.simt() && position.active == 0 {
                continue;
            }
            if worker.used == worker.threads.len() {
                worker.threads.push(Thread::new());
            }
            worker.threads[worker.used].start(self.code, position.clone());
            worker.used += 1;
        }
        worker.shared.clone_from(&self.memory.shared);
        worker.epoch += 1;
        true
    }

    /// Gives a worker its turn. Whether it got any further.
    fn turn(&mut self, worker: &mut Worker) -> Result<bool, Fault> {
        let before = self.executed;
        let mut moved = false;
        std::mem::swap(&mut self.shared, &mut worker.shared);
        let result = self.group_turn(worker, &mut moved);
        std::mem::swap(&mut self.shared, &mut worker.shared);
        worker.executed += self.executed - before;
        result.map(|()| moved || self.executed > before)
    }

    fn group_turn(&mut self, worker: &mut Worker, moved: &mut bool) -> Result<(), Fault> {
        let mut at_barrier = true;
        let mut running = false;
        for thread in worker.threads[..worker.used].iter_mut().filter(|t| !t.done) {
            if thread.at_barrier {
                running = true;
                continue;
            }
            if let Some(races) = &mut self.races {
                races.epoch = worker.epoch;
            }
            match thread.run(self, QUANTUM)? {
                Stop::Done => {
                    *moved = true;
                    if !thread.queue.is_empty() {
                        let text = format!("{} requests were never received", thread.queue.len());
                        let mut fault = Fault::new(&self.code.kernel.name, FaultKind::Queue(text));
                        fault.worker = Some(worker.id);
                        fault.span = self.code.kernel.span;
                        return Err(fault);
                    }
                }
                Stop::Quantum => (running, at_barrier) = (true, false),
                Stop::Barrier => {
                    (running, *moved) = (true, true);
                    thread.at_barrier = true;
                }
                Stop::Wait(what) => {
                    (running, at_barrier) = (true, false);
                    worker.waits_for = what;
                }
            }
        }
        if !running {
            worker.used = 0;
            return Ok(());
        }
        if at_barrier {
            worker.epoch += 1;
            for thread in &mut worker.threads[..worker.used] {
                (thread.at_barrier, thread.passed) = (false, true);
            }
        }
        Ok(())
    }
}

/// Runs a kernel of the given level.
pub(super) fn run(
    level: Level,
    kernel: &Kernel,
    memory: &mut Memory,
    launch: &Launch,
    sink: &mut dyn FnMut(&str),
    options: &Options,
) -> Result<Stats, Fault> {
    let refuse = |kind| Fault { span: kernel.span, ..Fault::new(&kernel.name, kind) };
    if kernel.level != level {
        return Err(refuse(FaultKind::Arguments(format!("the kernel is not at {level:?} level"))));
    }
    if let Some(d) = check::structure(kernel).into_iter().next() {
        return Err(Fault { span: d.span, ..refuse(FaultKind::Arguments(d.message)) });
    }
    let bound = memory::bind(kernel, memory, launch).map_err(refuse)?;
    let code = code::flatten(kernel, launch);
    let axes = kernel.over.max(1) as usize;
    let mut group_size = vec![1; axes.saturating_sub(kernel.group.len())];
    group_size.extend(&kernel.group[kernel.group.len().saturating_sub(axes)..]);
    let groups = if launch.extent.len() == axes {
        launch.extent.iter().zip(&group_size).map(|(&n, &g)| n.div_ceil(g.max(1))).collect()
    } else {
        vec![launch.workers]
    };
    let races = options.races.then(Races::default);
    let mut machine = Machine {
        code: &code,
        launch,
        sink,
        executed: 0,
        counts: vec![0; if options.count { code.steps.len() } else { 0 }],
        semaphores: [0; 16],
        mutex: None,
        raised: [(0, None); 17],
        group_size,
        groups,
        memory: bound,
        shared: Vec::new(),
        races,
    };
    let per_worker = drive(&mut machine)?;
    for (buffer, computed) in memory.buffers.iter_mut().zip(machine.memory.globals) {
        // The element type stays, even if the kernel computed with the bits of half floats.
        *buffer = MemoryBuffer { elem: buffer.elem, ..computed };
    }
    let counts = code.counts(&machine.counts);
    Ok(Stats { instructions: machine.executed, per_worker, counts })
}

/// Lets the workers take turns until all are done.
fn drive(machine: &mut Machine<'_, '_>) -> Result<Vec<u64>, Fault> {
    let mut workers: Vec<Worker> = (0..machine.launch.workers).map(new_worker).collect();
    loop {
        let (mut moved, mut all_done) = (false, true);
        for worker in workers.iter_mut().filter(|w| !w.done) {
            if worker.used == 0 {
                moved = true;
                if !machine.begin(worker) {
                    worker.done = true;
                    continue;
                }
            }
            all_done = false;
            moved |= machine.turn(worker)?;
        }
        if all_done && workers.iter().all(|w| w.done) {
            left_behind(machine)?;
            return Ok(workers.into_iter().map(|w| w.executed).collect());
        }
        if !moved {
            let waiting = workers.iter().filter(|w| !w.done).map(|w| (w.id, w.waits_for.clone())).collect();
            let mut fault = Fault::new(&machine.code.kernel.name, FaultKind::Deadlock(waiting));
            fault.span = stuck_at(machine, &workers);
            return Err(fault);
        }
    }
}

/// What the launch leaves for the next one, as a fault.
fn left_behind(machine: &Machine<'_, '_>) -> Result<(), Fault> {
    let mutex = machine.mutex.is_some().then_some(MUTEX);
    let Some(n) = machine.semaphores.iter().position(|&value| value > 0).or(mutex) else { return Ok(()) };
    let (worker, span) = machine.raised[n];
    let kind = FaultKind::unbalanced(n, machine.semaphores.get(n).copied());
    Err(Fault { worker: Some(worker), span, ..Fault::new(&machine.code.kernel.name, kind) })
}

fn stuck_at(machine: &Machine<'_, '_>, workers: &[Worker]) -> Option<quadra_base::Span> {
    let worker = workers.iter().find(|w| !w.done)?;
    let thread = worker.threads[..worker.used].iter().find(|t| !t.done && !t.at_barrier)?;
    machine.code.steps.get(thread.pc)?.inst.span
}

fn new_worker(id: u32) -> Worker {
    Worker {
        id,
        next_group: id as u64,
        threads: Vec::new(),
        used: 0,
        shared: Vec::new(),
        executed: 0,
        done: false,
        waits_for: String::new(),
        epoch: 0,
    }
}
