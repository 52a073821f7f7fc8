//! Threads that wait for work: a launch on them, or an operation on an array, costs microseconds, a step of a repeated launch less.
//!
//! A thread that has nothing to do spins for a moment, because work comes in rows, and then sleeps. Nobody waits for a
//! thread that has not begun: machines are shared, and a thread may not get its turn before the others have done all.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, OnceLock};
use std::time::{Duration, Instant};

/// Most threads that anybody may ask for.
pub const MOST_THREADS: usize = 1024;

/// What [`set_threads`] said.
static THREADS: OnceLock<usize> = OnceLock::new();

/// Threads that work is shared by: what [`set_threads`] said, `QUADRA_THREADS`, or as many as the processor has.
pub fn threads() -> usize {
    *THREADS
        .get_or_init(|| threads_asked().unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)))
}

/// What the environment variable `QUADRA_THREADS` asks for.
pub fn threads_asked() -> Option<usize> {
    std::env::var("QUADRA_THREADS").ok().and_then(|n| n.parse().ok()).filter(|n| (1..=MOST_THREADS).contains(n))
}

/// Sets the number of threads, if nobody has asked for it yet.
pub fn set_threads(n: usize) {
    // An answer that is out already stays what it is.
    let _ = THREADS.set(n.clamp(1, MOST_THREADS));
}

/// What each thread of a launch does: its number and how many take part.
type Job<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// A job whose lifetime the type does not know: [`Team::run`] stays until all threads have left it.
#[derive(Clone, Copy)]
struct Erased(*const (dyn Fn(usize, usize) + Sync + 'static));

// SAFETY: the job is `Sync`, and used only while `Team::run` keeps it alive.
unsafe impl Send for Erased {}

struct State {
    job: Option<Erased>,
    sleeping: usize,
}

/// Threads besides the one that launches.
pub struct Team {
    helpers: usize,
    /// Counts jobs; helpers begin when it grows.
    turn: AtomicU64,
    /// Helpers that are at the job.
    active: AtomicUsize,
    state: Mutex<State>,
    wake: Condvar,
    /// Held by the launch that has the team.
    taken: Mutex<()>,
}

/// How long a helper looks for the next job before it sleeps. To wake it takes as long as a short launch, and what a program does
/// between two launches is often no longer.
const PATIENCE: Duration = Duration::from_millis(1);
/// For so long it has its processor for itself; then it gives way to whoever waits for one.
const ALONE: Duration = Duration::from_micros(50);

impl Team {
    /// The team of this process, with [`threads`]` - 1` helpers, created at the first call.
    pub fn get() -> &'static Team {
        Team::of(threads())
    }

    fn of(threads: usize) -> &'static Team {
        static TEAM: OnceLock<&'static Team> = OnceLock::new();
        TEAM.get_or_init(|| {
            let team: &'static Team = Box::leak(Box::new(Team {
                helpers: threads.saturating_sub(1),
                turn: AtomicU64::new(0),
                active: AtomicUsize::new(0),
                state: Mutex::new(State { job: None, sleeping: 0 }),
                wake: Condvar::new(),
                taken: Mutex::new(()),
            }));
            for n in 0..team.helpers {
                let name = format!("quadra-{}", n + 1);
                // A machine that has no thread left does with those it has: `run` counts on those that came.
                if std::thread::Builder::new().name(name).spawn(move || team.help(n + 1)).is_err() {
                    break;
                }
            }
            team
        })
    }

    /// Runs a job on this thread and on all helpers that come while it does, and returns when all have left it: any thread
    /// must be able to do all of it. So many helpers are woken if they sleep. While another launch has the team, the job runs on
    /// this thread alone.
    pub fn run(&self, job: Job<'_>, wake: usize) {
        let Ok(_taken) = self.taken.try_lock() else { return job(0, 1) };
        if self.helpers == 0 {
            return job(0, 1);
        }
        // SAFETY: this function does not return before the job is taken back and `active` is 0, so that nobody uses it after
        // its lifetime.
        let erased = Erased(unsafe { std::mem::transmute::<Job<'_>, Job<'static>>(job) });
        let sleeping = {
            let mut state = self.lock();
            state.job = Some(erased);
            self.turn.fetch_add(1, Ordering::Release);
            state.sleeping
        };
        // Those that are awake are at it already.
        let awake = self.helpers - sleeping.min(self.helpers);
        match wake.saturating_sub(awake).min(sleeping) {
            0 => {}
            all if all == sleeping => self.wake.notify_all(),
            some => (0..some).for_each(|_| self.wake.notify_one()),
        }
        let waiting = Waiting(self);
        job(0, self.helpers + 1);
        drop(waiting);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    fn help(&self, number: usize) {
        let mut seen = 0;
        loop {
            let job = self.next(&mut seen);
            let _finished = Finished(self);
            // SAFETY: the launch waits for this thread before it lets the job go.
            let job = unsafe { &*job.0 };
            // Jobs see to their panics themselves; the launch must not wait for ever in any case.
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| job(number, self.helpers + 1)));
        }
    }

    /// The next job.
    fn next(&self, seen: &mut u64) -> Erased {
        let done = *seen;
        let begin = Instant::now();
        let (mut looks, mut gives_way) = (0u32, false);
        while self.turn.load(Ordering::Acquire) == *seen {
            looks += 1;
            if gives_way {
                std::thread::yield_now();
            } else {
                std::hint::spin_loop();
            }
            if gives_way || looks.is_multiple_of(64) {
                let waited = begin.elapsed();
                gives_way = waited > ALONE;
                if waited > PATIENCE {
                    break;
                }
            }
        }
        let mut state = self.lock();
        loop {
            *seen = self.turn.load(Ordering::Acquire);
            if let Some(job) = state.job.filter(|_| *seen != done) {
                self.active.fetch_add(1, Ordering::AcqRel);
                return job;
            }
            state.sleeping += 1;
            state = self.wake.wait(state).unwrap_or_else(|e| e.into_inner());
            state.sleeping -= 1;
        }
    }
}

/// Takes the job back and waits for the helpers that are at it, even if the launching thread panics.
struct Waiting<'a>(&'a Team);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.lock().job = None;
        let mut looks = 0u32;
        while self.0.active.load(Ordering::Acquire) > 0 {
            pause(&mut looks);
        }
    }
}

struct Finished<'a>(&'a Team);

impl Drop for Finished<'_> {
    fn drop(&mut self) {
        self.0.active.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Spins, and gives way to other threads after a while.
pub fn pause(looks: &mut u32) {
    *looks += 1;
    if *looks > 4096 { std::thread::yield_now() } else { std::hint::spin_loop() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_done_whoever_is_awake() {
        let team = Team::of(3);
        for wake in [0, 1, 2, 2, 1, 0] {
            let (own, all) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let job = |number: usize, of: usize| {
                // While another test has the team, this thread works alone.
                assert!(number < of && (of == 1 || of == team.helpers + 1));
                own.fetch_add(usize::from(number == 0), Ordering::Relaxed);
                all.fetch_add(1, Ordering::Relaxed);
            };
            team.run(&job, wake);
            assert_eq!(own.into_inner(), 1, "the thread that launches");
            assert!((1..=team.helpers + 1).contains(&all.into_inner()), "each at most once");
        }
    }
}
