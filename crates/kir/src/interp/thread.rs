//! One subgroup: 16 lanes that meet the same instructions, with a set of live lanes.
//!
//! Control flow that differs between lanes keeps the lanes that wait for their turn in a stack of frames: an `if` runs its
//! first region for some lanes, then its second for the others; a loop collects the lanes for the next iteration and those
//! that have left. When no lane is left to run, the innermost frame says who is next.

use super::code::{Act, Code, Lanes, Slot, Step};
use super::launch::{MUTEX, Machine, Stop};
use crate::kernel::Level;
use crate::launch::{Deadline, Fault, FaultKind};
use crate::ops::Op;
use crate::types::LANES;
use std::collections::VecDeque;

/// Instructions between two looks at the clock.
const STEPS_PER_LOOK: u64 = 1 << 16;

enum Frame {
    Arm { stay: u16, waiting: u16, other: usize, end: usize },
    Loop { stay: u16, next: u16, again: bool, head: usize, end: usize },
}

/// Where a subgroup lies in the launch.
#[derive(Clone, Default)]
pub(super) struct Position {
    pub worker: u32,
    /// Index of the group along each axis; empty for kernels that run once per worker.
    pub group: Vec<u32>,
    /// Subgroup of the group.
    pub subgroup: u32,
    /// Each lane's index in its group and in the extent, by axis.
    pub local: Vec<[u32; LANES as usize]>,
    pub item: Vec<[u32; LANES as usize]>,
    /// Lanes within the extent.
    pub active: u16,
}

pub(super) struct Thread {
    pub registers: Vec<Lanes>,
    pub position: Position,
    pub live: u16,
    pub pc: usize,
    stack: Vec<Frame>,
    /// Values of the requests that wait, oldest first.
    pub queue: VecDeque<Lanes>,
    pub done: bool,
    pub at_barrier: bool,
    /// The barrier at `pc` has been passed, so going on does not wait again.
    pub passed: bool,
    scratch: Vec<Lanes>,
}

/// The numbers of the lanes in a set.
pub(super) fn lanes(set: u16) -> impl Iterator<Item = usize> {
    (0..LANES as usize).filter(move |l| set >> l & 1 != 0)
}

impl Thread {
    pub(super) fn new() -> Thread {
        Thread {
            registers: Vec::new(),
            position: Position::default(),
            live: 0,
            pc: 0,
            stack: Vec::new(),
            queue: VecDeque::new(),
            done: true,
            at_barrier: false,
            passed: false,
            scratch: Vec::new(),
        }
    }

    /// Starts the kernel anew for another subgroup.
    pub(super) fn start(&mut self, code: &Code<'_>, position: Position) {
        self.registers.clone_from(&code.registers);
        self.live = if code.kernel.level == Level::Simt { position.active } else { 0xffff };
        (self.position, self.pc, self.done) = (position, 0, false);
        (self.at_barrier, self.passed) = (false, false);
        self.stack.clear();
    }

    /// Runs until the subgroup is done, waits, or has executed `quantum` instructions.
    pub(super) fn run(&mut self, m: &mut Machine<'_, '_>, quantum: u64) -> Result<Stop, Fault> {
        for _ in 0..quantum {
            if self.done {
                return Ok(Stop::Done);
            }
            let pc = self.pc;
            let step = &m.code.steps[pc];
            if let Some(stop) = self.step(m, step)? {
                return Ok(stop);
            }
            m.executed += 1;
            if let Some(count) = m.counts.get_mut(pc) {
                *count += 1;
            }
            if m.executed > m.launch.budget {
                return Err(self.fault(m, step, FaultKind::Budget(m.launch.budget), None));
            }
            if m.executed.is_multiple_of(STEPS_PER_LOOK) {
                if let Some(deadline) = m.launch.deadline.filter(Deadline::over) {
                    return Err(self.fault(m, step, FaultKind::Time(deadline.limit), None));
                }
                if let Some(reason) = quadra_base::stop::requested() {
                    return Err(self.fault(m, step, FaultKind::Stopped(reason), None));
                }
            }
        }
        Ok(if self.done { Stop::Done } else { Stop::Quantum })
    }

    fn step(&mut self, m: &mut Machine<'_, '_>, step: &Step<'_>) -> Result<Option<Stop>, Fault> {
        match step.act {
            Act::Plain => {
                if let Some(stop) = self.plain(m, step)? {
                    return Ok(Some(stop));
                }
                self.pc += 1;
            }
            Act::If { other, end } => {
                let condition = self.truth(step.args[0]);
                let (then, waiting) = (self.live & condition, self.live & !condition);
                let (first, waiting, at) = if then != 0 { (then, waiting, self.pc + 1) } else { (waiting, 0, other) };
                self.stack.push(Frame::Arm { stay: 0, waiting, other, end });
                (self.live, self.pc) = (first, at);
            }
            Act::ArmEnd => {
                self.moves(m, step)?;
                if let Some(Frame::Arm { stay, .. }) = self.stack.last_mut() {
                    *stay |= self.live;
                }
                self.next_lanes();
            }
            Act::LoopBegin { end } => {
                self.moves(m, step)?;
                self.stack.push(Frame::Loop { stay: 0, next: 0, again: false, head: self.pc + 1, end });
                self.pc += 1;
            }
            Act::ForHead => self.for_head(m, step)?,
            Act::Again => {
                self.moves(m, step)?;
                let live = self.live;
                self.innermost_loop(|_, next| *next |= live);
            }
            Act::Leave => {
                self.moves(m, step)?;
                let live = self.live;
                self.innermost_loop(|stay, _| *stay |= live);
            }
            Act::Return => self.next_lanes(),
        }
        Ok(None)
    }

    fn innermost_loop(&mut self, f: impl FnOnce(&mut u16, &mut u16)) {
        for frame in self.stack.iter_mut().rev() {
            if let Frame::Loop { stay, next, .. } = frame {
                f(stay, next);
                break;
            }
        }
        self.next_lanes();
    }

    /// No lane goes on here: finds who is next.
    fn next_lanes(&mut self) {
        loop {
            let (lanes, at) = match self.stack.last_mut() {
                None => {
                    (self.live, self.done) = (0, true);
                    return;
                }
                Some(Frame::Arm { waiting, other, .. }) if *waiting != 0 => (std::mem::take(waiting), *other),
                Some(Frame::Loop { next, head, again, .. }) if *next != 0 => {
                    *again = true;
                    (std::mem::take(next), *head)
                }
                Some(Frame::Arm { stay, end, .. } | Frame::Loop { stay, end, .. }) => {
                    let found = (*stay, *end);
                    self.stack.pop();
                    found
                }
            };
            if lanes != 0 {
                (self.live, self.pc) = (lanes, at);
                return;
            }
        }
    }

    fn for_head(&mut self, m: &Machine<'_, '_>, step: &Step<'_>) -> Result<(), Fault> {
        // The counter moves on here rather than where lanes go round, which they may do at several places of the body.
        if let Some(Frame::Loop { again: true, .. }) = self.stack.last() {
            let counter = step.args[0];
            let by = self.registers[step.args[2].at as usize];
            let iv = self.registers[counter.at as usize];
            let moved: Lanes = std::array::from_fn(|l| (iv[l] as u32).wrapping_add(by[l] as u32) as u64);
            self.put(m, step, counter, &moved)?;
        }
        let [iv, hi, by] = [0, 1, 2].map(|i| self.registers[step.args[i].at as usize]);
        let ends = |l: &usize| {
            let (iv, hi, by) = (iv[*l] as u32 as i32, hi[*l] as u32 as i32, by[*l] as u32 as i32);
            if by < 0 { iv <= hi } else { iv >= hi }
        };
        let over = lanes(self.live).filter(ends).fold(0u16, |set, l| set | 1 << l);
        if over == 0 {
            self.pc += 1;
            return Ok(());
        }
        let rest = self.live & !over;
        self.live = over;
        self.move_to(m, step, &step.results, &step.args[3..])?;
        if let Some(Frame::Loop { stay, .. }) = self.stack.last_mut() {
            *stay |= over;
        }
        if rest != 0 {
            self.live = rest;
            self.pc += 1;
        } else {
            self.next_lanes();
        }
        Ok(())
    }

    fn moves(&mut self, m: &Machine<'_, '_>, step: &Step<'_>) -> Result<(), Fault> {
        self.move_to(m, step, &step.results, &step.args)
    }

    /// Passes values on at once, as the targets may be among the sources.
    fn move_to(&mut self, m: &Machine<'_, '_>, step: &Step<'_>, to: &[Slot], from: &[Slot]) -> Result<(), Fault> {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        scratch.extend(from.iter().map(|slot| self.registers[slot.at as usize]));
        let result = to.iter().zip(&scratch).try_for_each(|(&slot, value)| self.put(m, step, slot, value));
        self.scratch = scratch;
        result
    }

    /// Gives a value in the live lanes, or in all lanes if they share it.
    pub(super) fn put(&mut self, m: &Machine<'_, '_>, step: &Step<'_>, to: Slot, value: &Lanes) -> Result<(), Fault> {
        let target = &mut self.registers[to.at as usize];
        if !to.uniform {
            lanes(self.live).for_each(|l| target[l] = value[l]);
            return Ok(());
        }
        let first = value[self.live.trailing_zeros() as usize & 15];
        *target = [first; LANES as usize];
        self.shared(m, step, value)
    }

    /// Gives a value in all lanes, live or not.
    pub(super) fn put_all(&mut self, m: &Machine<'_, '_>, step: &Step<'_>, value: Lanes) -> Result<(), Fault> {
        let to = step.results[0];
        if to.uniform {
            return self.put(m, step, to, &value);
        }
        self.registers[to.at as usize] = value;
        Ok(())
    }

    /// The analysis of variance says that the live lanes share this value; make sure that they do.
    fn shared(&self, m: &Machine<'_, '_>, step: &Step<'_>, value: &Lanes) -> Result<(), Fault> {
        let first = value[self.live.trailing_zeros() as usize & 15];
        match lanes(self.live).find(|&l| value[l] != first) {
            Some(l) if m.simt() => {
                let what = format!(
                    "`{}` gives a value that should be the same in all lanes and is not",
                    step.inst.op.mnemonic()
                );
                Err(self.fault(m, step, FaultKind::Other(what), Some(l)))
            }
            _ => Ok(()),
        }
    }

    /// The lanes in which a truth value holds.
    pub(super) fn truth(&self, slot: Slot) -> u16 {
        self.registers[slot.at as usize].iter().enumerate().fold(0, |set, (l, &x)| set | ((x & 1) as u16) << l)
    }

    /// The lanes for which an instruction happens.
    pub(super) fn asked(&self, step: &Step<'_>) -> u16 {
        step.mask.map_or(self.live, |mask| self.live & self.truth(mask))
    }

    pub(super) fn fault(&self, m: &Machine<'_, '_>, step: &Step<'_>, kind: FaultKind, lane: Option<usize>) -> Fault {
        let mut fault = Fault::new(&m.code.kernel.name, kind);
        fault.worker = Some(self.position.worker);
        fault.lane = lane.map(|l| l as u32);
        fault.span = step.inst.span;
        if m.code.kernel.over > 0
            && let Some(l) = lane
        {
            fault.item = Some(self.position.item.iter().map(|axis| axis[l]).collect());
        }
        fault
    }

    fn plain(&mut self, m: &mut Machine<'_, '_>, step: &Step<'_>) -> Result<Option<Stop>, Fault> {
        match step.inst.op {
            Op::Barrier if !self.passed => return Ok(Some(Stop::Barrier)),
            Op::Barrier => self.passed = false,
            Op::SemaInc | Op::SemaDec | Op::MutexLock | Op::MutexUnlock => return self.synchronise(m, step),
            Op::VarGet | Op::VarSet => self.variable(m, step)?,
            _ => self.compute(m, step)?,
        }
        Ok(None)
    }

    fn variable(&mut self, m: &Machine<'_, '_>, step: &Step<'_>) -> Result<(), Fault> {
        let Some(var) = step.inst.var.map(|v| m.code.vars[v.index()]) else { return Ok(()) };
        if step.inst.op == Op::VarSet {
            let value = self.registers[step.args[0].at as usize];
            self.put(m, step, var, &value)
        } else {
            let value = self.registers[var.at as usize];
            self.put_all(m, step, value)
        }
    }

    fn synchronise(&mut self, m: &mut Machine<'_, '_>, step: &Step<'_>) -> Result<Option<Stop>, Fault> {
        let (n, worker) = (step.inst.imm as usize & 15, self.position.worker);
        let semaphore = m.semaphores[n];
        match step.inst.op {
            Op::SemaInc if semaphore == 15 => return Ok(Some(Stop::Wait(format!("semaphore {n}, which is full")))),
            Op::SemaInc => {
                m.semaphores[n] += 1;
                m.raised[n] = (worker, step.inst.span);
            }
            Op::SemaDec if semaphore == 0 => return Ok(Some(Stop::Wait(format!("semaphore {n}")))),
            Op::SemaDec => m.semaphores[n] -= 1,
            Op::MutexLock if m.mutex.is_some() => return Ok(Some(Stop::Wait("the mutex".into()))),
            Op::MutexLock => {
                m.mutex = Some(worker);
                m.raised[MUTEX] = (worker, step.inst.span);
            }
            _ if m.mutex == Some(worker) => m.mutex = None,
            _ => {
                let text = "the mutex is unlocked by a worker that has not locked it".into();
                return Err(self.fault(m, step, FaultKind::Other(text), None));
            }
        }
        Ok(None)
    }
}
