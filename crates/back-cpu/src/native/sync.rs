//! Semaphores and the mutex of a launch, among threads; and who waits for whom.

use quadra_base::Span;
use quadra_kir::{Fault, FaultKind, Op};
use std::sync::{Condvar, Mutex, MutexGuard};

/// The place of the mutex behind those of the semaphores.
const MUTEX: usize = 16;

/// What the workers of a launch wait for.
#[derive(Debug)]
pub struct Sync {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    semaphores: [u8; 16],
    mutex: Option<u32>,
    /// Who incremented each semaphore last, and behind those, who took the mutex: worker and place.
    raised: [(u32, Option<Span>); 17],
    /// Workers that run or wait.
    alive: u32,
    /// Those that have found nothing to go on with since the last change.
    waiting: Vec<(u32, String)>,
    changes: u64,
    over: Option<FaultKind>,
}

impl Sync {
    /// For this many workers, all of which run.
    pub fn new(workers: u32) -> Sync {
        let state = State {
            semaphores: [0; 16],
            mutex: None,
            raised: [(0, None); 17],
            alive: workers,
            waiting: Vec::new(),
            changes: 0,
            over: None,
        };
        Sync { state: Mutex::new(state), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Executes an operation at a place of the kernel, waiting if it must; `false` if the launch is over.
    pub fn pass(&self, op: Op, n: usize, worker: u32, span: Option<Span>) -> bool {
        let mut state = self.lock();
        loop {
            if state.over.is_some() {
                return false;
            }
            let waits_for = match state.step(op, n, worker) {
                Ok(()) => {
                    match op {
                        Op::SemaInc => state.raised[n] = (worker, span),
                        Op::MutexLock => state.raised[MUTEX] = (worker, span),
                        _ => {}
                    }
                    state.changes += 1;
                    state.waiting.clear();
                    self.changed.notify_all();
                    return true;
                }
                Err(None) => {
                    let text = "the mutex is unlocked by a worker that has not locked it";
                    return self.stop(&mut state, FaultKind::Other(text.into()));
                }
                Err(Some(what)) => what,
            };
            state.waiting.push((worker, waits_for));
            if state.waiting.len() as u32 == state.alive {
                return self.deadlock(&mut state);
            }
            let before = state.changes;
            while state.changes == before && state.over.is_none() {
                state = self.changed.wait(state).unwrap_or_else(|e| e.into_inner());
            }
        }
    }

    fn deadlock(&self, state: &mut State) -> bool {
        let mut waiting = state.waiting.clone();
        waiting.sort();
        self.stop(state, FaultKind::Deadlock(waiting))
    }

    fn stop(&self, state: &mut State, why: FaultKind) -> bool {
        state.over.get_or_insert(why);
        self.changed.notify_all();
        false
    }

    /// A worker has come to its end, or to a fault of its own, which ends the launch.
    pub fn leave(&self, failed: bool) {
        let mut state = self.lock();
        state.alive -= 1;
        if failed {
            self.stop(&mut state, FaultKind::Other("another worker has failed".into()));
        } else if state.alive > 0 && state.waiting.len() as u32 == state.alive {
            self.deadlock(&mut state);
        }
    }

    /// Looks, once all workers are done, for what they have left: a semaphore that is not 0, the mutex held.
    ///
    /// # Errors
    /// The fault of the kernel with this name, at the place that raised or took it last.
    pub fn check_left(&self, kernel: &str) -> Result<(), Fault> {
        let state = self.lock();
        let mutex = state.mutex.is_some().then_some(MUTEX);
        let Some(n) = state.semaphores.iter().position(|&value| value > 0).or(mutex) else { return Ok(()) };
        let (worker, span) = state.raised[n];
        let kind = FaultKind::unbalanced(n, state.semaphores.get(n).copied());
        Err(Fault { worker: Some(worker), span, ..Fault::new(kernel, kind) })
    }

    /// Why the launch is over.
    pub fn why(&self) -> FaultKind {
        self.lock().over.clone().unwrap_or_else(|| FaultKind::Other("the launch was stopped".into()))
    }
}

impl State {
    /// The operation, or what it waits for; an error without words is a mutex that somebody else holds.
    fn step(&mut self, op: Op, n: usize, worker: u32) -> Result<(), Option<String>> {
        match op {
            Op::SemaInc if self.semaphores[n] == 15 => return Err(Some(format!("semaphore {n}, which is full"))),
            Op::SemaInc => self.semaphores[n] += 1,
            Op::SemaDec if self.semaphores[n] == 0 => return Err(Some(format!("semaphore {n}"))),
            Op::SemaDec => self.semaphores[n] -= 1,
            Op::MutexLock if self.mutex.is_some() => return Err(Some("the mutex".into())),
            Op::MutexLock => self.mutex = Some(worker),
            _ if self.mutex == Some(worker) => self.mutex = None,
            _ => return Err(None),
        }
        Ok(())
    }
}
