//! A debugger's machine: single steps, breakpoints, and steps back.
//!
//! QPUs take turns exactly as in [`Machine::run`](super::emu::Machine::run), so that a program which runs on from any point
//! computes what it computes without a debugger; a step of a chosen QPU is one more turn. Everything is deterministic:
//! going back restores a copy of the machine taken earlier and repeats the turns up to the wanted instruction.

use super::emu::{Machine, RunError, TURN, Thread, WaitFor, Waiting};
use std::collections::BTreeSet;

/// Instructions between two copies of the machine, at first. When there are [`COPIES`], every second one is given up and
/// the distance doubles.
const DISTANCE: u64 = 50_000;
const COPIES: usize = 16;

/// Whose turn it is, and the instructions left in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Next {
    qpu: usize,
    left: u64,
}

impl Next {
    /// After `count` instructions of a QPU, whoever's turn it was.
    fn after(self, qpu: usize, count: u64) -> Next {
        if qpu == self.qpu { Next { left: self.left.saturating_sub(count), ..self } } else { self }
    }
}

/// A QPU and how many instructions it executed, from this state of the turns on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Turn {
    qpu: usize,
    count: u64,
    from: Next,
}

/// A copy of the machine.
#[derive(Clone, Debug)]
struct Copy {
    machine: Machine,
    /// Instructions executed by then, and turns begun, the last of them perhaps not complete.
    executed: u64,
    turns: usize,
    /// Instructions of the last of those turns.
    of_turn: u64,
}

/// Why execution stopped.
#[derive(Clone, PartialEq, Debug)]
pub enum Stopped {
    /// After the wanted number of instructions.
    Stepped,
    /// A QPU is about to execute an instruction with a breakpoint.
    Breakpoint { qpu: usize, pc: u32 },
    /// The QPU that was to step waits.
    Waits(Waiting),
    /// The QPU that was to step has ended.
    Ended { qpu: usize },
    /// All programs are over.
    Done,
    /// A rule was broken, or all QPUs wait: the machine stands before the instruction that cannot be executed.
    Failed(RunError),
}

/// A machine under a debugger.
#[derive(Clone, Debug)]
pub struct Debugger {
    machine: Machine,
    copies: Vec<Copy>,
    distance: u64,
    turns: Vec<Turn>,
    executed: u64,
    next: Next,
    breakpoints: BTreeSet<u32>,
    /// The QPU that was last reported at a breakpoint, and its count of instructions then: it may leave.
    reported: Option<(usize, u64)>,
    /// What each QPU was found waiting for when it was last tried.
    waits: Vec<Option<WaitFor>>,
}

impl Debugger {
    /// Puts the threads to the start of their programs.
    ///
    /// # Errors
    /// Too many threads, or one that starts outside memory.
    pub fn new(mut machine: Machine, threads: &[Thread]) -> Result<Debugger, RunError> {
        machine.start(threads)?;
        let next = Next { qpu: 0, left: TURN };
        let first = Copy { machine: machine.clone(), executed: 0, turns: 0, of_turn: 0 };
        Ok(Debugger {
            machine,
            copies: vec![first],
            distance: DISTANCE,
            turns: Vec::new(),
            executed: 0,
            next,
            breakpoints: BTreeSet::new(),
            reported: None,
            waits: vec![None; threads.len()],
        })
    }

    /// The machine as it stands.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Number of QPUs.
    pub fn qpus(&self) -> usize {
        self.waits.len()
    }

    /// Instructions that all QPUs together have executed.
    pub fn executed(&self) -> u64 {
        self.executed
    }

    /// Byte addresses at which execution stops.
    pub fn breakpoints(&self) -> &BTreeSet<u32> {
        &self.breakpoints
    }

    /// Stops execution before the instruction at a byte address.
    pub fn add_breakpoint(&mut self, address: u32) {
        self.breakpoints.insert(address);
    }

    /// Takes a breakpoint away; gives whether there was one.
    pub fn remove_breakpoint(&mut self, address: u32) -> bool {
        self.breakpoints.remove(&address)
    }

    /// What a QPU was found waiting for when it was last tried.
    pub fn waits_for(&self, qpu: usize) -> Option<WaitFor> {
        self.waits.get(qpu).copied().flatten()
    }

    /// Executes up to `count` instructions of one QPU; breakpoints behind the first instruction stop it.
    pub fn step(&mut self, qpu: usize, count: u64) -> Stopped {
        for n in 0..count {
            let pc = self.machine.place_of(qpu).2;
            if self.machine.ended(qpu) {
                return Stopped::Ended { qpu };
            }
            if n > 0 && self.breakpoints.contains(&pc) {
                return self.at_breakpoint(qpu, pc);
            }
            match self.turn(qpu, 1) {
                Ok(None) => {}
                Ok(Some(waiting)) => return Stopped::Waits(waiting),
                Err(error) => return Stopped::Failed(error),
            }
        }
        Stopped::Stepped
    }

    fn at_breakpoint(&mut self, qpu: usize, pc: u32) -> Stopped {
        self.reported = Some((qpu, self.machine.issued(qpu)));
        Stopped::Breakpoint { qpu, pc }
    }

    /// Lets all QPUs run in turns to a breakpoint or the end, or until `limit` instructions are executed. The QPU that
    /// was reported at a breakpoint leaves it.
    pub fn run(&mut self, limit: u64) -> Stopped {
        let end = self.executed.saturating_add(limit);
        let mut idle = 0;
        let mut waiting: Vec<Waiting> = Vec::new();
        while self.executed < end {
            let Next { qpu, left } = self.next;
            if self.machine.ended(qpu) || left == 0 {
                if self.machine.ended(qpu) && (0..self.qpus()).all(|q| self.machine.ended(q)) {
                    return Stopped::Done;
                }
                self.pass_on();
                idle += 1;
                if idle > 2 * self.qpus() {
                    waiting.sort_by_key(|w| w.qpu);
                    return Stopped::Failed(RunError::Deadlock(waiting));
                }
                continue;
            }
            let pc = self.machine.place_of(qpu).2;
            let leaving = self.reported == Some((qpu, self.machine.issued(qpu)));
            if !leaving && self.breakpoints.contains(&pc) {
                return self.at_breakpoint(qpu, pc);
            }
            let count = if self.breakpoints.is_empty() { left.min(end - self.executed) } else { 1 };
            let before = self.executed;
            match self.turn(qpu, count) {
                Ok(wait) => {
                    if self.executed > before {
                        idle = 0;
                        waiting.clear();
                    }
                    if let Some(wait) = wait {
                        waiting.retain(|w| w.qpu != qpu);
                        waiting.push(wait);
                        self.next.left = 0;
                    }
                }
                Err(error) => return Stopped::Failed(error),
            }
        }
        Stopped::Stepped
    }

    /// Undoes the last `count` instructions, of whatever QPU they were; gives how many were undone.
    pub fn back(&mut self, count: u64) -> u64 {
        let target = self.executed.saturating_sub(count);
        let undone = self.executed - target;
        self.go_to(target);
        undone
    }

    fn pass_on(&mut self) {
        self.next = Next { qpu: (self.next.qpu + 1) % self.qpus(), left: TURN };
    }

    /// Executes up to `count` instructions of one QPU and notes the turn.
    fn turn(&mut self, qpu: usize, count: u64) -> Result<Option<Waiting>, RunError> {
        let before = self.machine.issued(qpu);
        let result = self.machine.advance(qpu, count);
        let done = self.machine.issued(qpu) - before;
        if done > 0 {
            let from = self.next;
            match self.turns.last_mut() {
                Some(last) if last.qpu == qpu && last.from.after(qpu, last.count) == from => last.count += done,
                _ => self.turns.push(Turn { qpu, count: done, from }),
            }
            self.executed += done;
            self.next = from.after(qpu, done);
        }
        match result {
            Ok(wait) => {
                self.waits[qpu] = wait.map(|w| w.on);
                if self.executed >= self.copies.last().map_or(0, |c| c.executed) + self.distance {
                    self.copy();
                }
                Ok(wait)
            }
            Err(error) => {
                // The instruction may have been executed in part.
                self.go_to(self.executed);
                Err(error)
            }
        }
    }

    fn copy(&mut self) {
        if self.copies.len() >= COPIES {
            let mut n = 0;
            self.copies.retain(|_| {
                n += 1;
                n % 2 == 1
            });
            self.distance *= 2;
        }
        let of_turn = self.turns.last().map_or(0, |t| t.count);
        self.copies.push(Copy {
            machine: self.machine.clone(),
            executed: self.executed,
            turns: self.turns.len(),
            of_turn,
        });
    }

    /// Restores the state after `target` instructions, not more than were executed.
    fn go_to(&mut self, target: u64) {
        while self.copies.len() > 1 && self.copies.last().is_some_and(|c| c.executed > target) {
            self.copies.pop();
        }
        let Some(from) = self.copies.last() else { return };
        self.machine = from.machine.clone();
        let mut executed = from.executed;
        // The turn that the copy was taken in goes on behind it.
        let (mut at, mut skip) = (from.turns.saturating_sub(1), from.of_turn);
        while executed < target {
            let turn = self.turns[at];
            let count = (turn.count - skip).min(target - executed);
            // What was executed once is executed again without an error.
            let _ = self.machine.advance(turn.qpu, count);
            executed += count;
            skip += count;
            if executed < target {
                (at, skip) = (at + 1, 0);
            }
        }
        self.waits.fill(None);
        self.turns.truncate(if skip == 0 { at } else { at + 1 });
        match self.turns.last_mut() {
            Some(last) => {
                last.count = skip;
                self.next = last.from.after(last.qpu, skip);
            }
            None => self.next = Next { qpu: 0, left: TURN },
        }
        self.executed = target;
        self.reported = None;
    }
}
