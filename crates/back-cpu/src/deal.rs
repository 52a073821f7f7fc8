//! The groups of a launch among threads.
//!
//! An extent is cut along its longest outer axis into tasks of neighbouring groups; each thread has its own tasks, so that it
//! finds in its cache what it left there, and takes others' when it is done. A task is cut into its part of the interior
//! and what lies around it. Launches that are repeated stay on the threads: the next step begins when the
//! last task of the one before is done, whoever did it.

use crate::native::{Copies, Run, panic_text};
use crate::plan::{Inner, Variant};
use crate::steps::{Choice, Touch};
use crate::task::{Box4, Task, run_task};
use crate::waves::{self, Tiling, tiling};
use crate::{Repeat, threads};
use quadra_base::team::{Team, pause};
use quadra_kir::{Fault, FaultKind, Kernel};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::Instant;

#[cfg(test)]
mod tests;

/// Vector instructions that each thread of a launch has to do at least, some ten microseconds: on a shared machine a thread that
/// is interrupted in its part of less than that costs more than it saves.
const SMALL: u64 = 60_000;
/// The same of each step of a launch that is repeated so often that threads stay at it: they need not come first.
const SMALL_STEP: u64 = 20_000;
const MANY_STEPS: u32 = 16;
/// Vector instructions of a launch for which threads that sleep are woken. Those that have just had work look for more anyway.
const WAKING: u64 = 150_000;
/// Vector instructions of a task at least.
const SHORT: u64 = 15_000;
/// Vector instructions of a task that is worth cutting in two.
const LONG: u64 = 200_000;

/// Runs all groups or workers of a launch, as often as it is repeated.
///
/// # Errors
/// The fault that stopped it.
pub fn run(
    variant: &Variant,
    run: &Run<'_>,
    repeat: Repeat,
    (named, touches): (bool, Option<&[Touch]>),
) -> Result<(), Fault> {
    let mut dealing = Dealing::default();
    dealing.add(variant, run, repeat, (named, touches));
    all(dealing).map(drop)
}

/// Runs a launch that is too short for several threads, on this one; whether it was one. A program that launches one short kernel and
/// looks at its result pays for no tasks.
///
/// # Errors
/// The fault that stopped it.
pub fn at_once(variant: &Variant, run: &Run<'_>) -> Result<bool, Fault> {
    let work = run.work(variant.cost);
    if !(1..SMALL).contains(&work) || run.kernel.over == 0 || tiling() == Tiling::Always {
        return Ok(false);
    }
    let whole = || {
        let task = Task { worker: 0, pieces: pieces(variant, run, ([0; 4], run.groups)) };
        let mut copies = Copies::new(run.kernel, &variant.private).alone(true);
        #[cfg(test)]
        tests::inject(&run.kernel.name, 0);
        let done = run_task(variant, run, &task, false, &mut copies);
        if !copies.is_empty() {
            copies.merge(run, false);
        }
        done
    };
    let caught = catch_unwind(AssertUnwindSafe(whole));
    caught.unwrap_or_else(|panic| Err(panicked(&run.kernel.name, &*panic))).map(|()| true)
}

/// Runs launches in their order; when each of them was done.
///
/// # Errors
/// The fault that stopped one.
pub fn all(mut dealing: Dealing<'_>) -> Result<Vec<Instant>, Fault> {
    let most = dealing.stages.iter().map(|s| s.most.min(s.tasks.len())).max().unwrap_or(1);
    let most = if tiling() == Tiling::Always { threads() } else { most };
    let work = |s: &Stage<'_>| s.work.saturating_mul(s.repeat.times.into());
    let work = dealing.stages.iter().map(work).fold(0, u64::saturating_add);
    // Only who chooses looks at the clock.
    let tried = dealing.in_tiles(most).map(|choice| (choice, Instant::now()));
    if most < 2 {
        dealing.caught(0, 1);
    } else {
        let wake = work >= WAKING || dealing.stages.iter().any(|s| s.work == 0);
        let come = AtomicUsize::new(1);
        let job = |number: usize, of: usize| {
            // Where not all are needed those do that come first; else each has its own tasks, which it may have in its cache.
            let number = if number == 0 || of <= most { number } else { come.fetch_add(1, Ordering::Relaxed) };
            if number < most {
                dealing.caught(number, of.min(most));
            }
        };
        Team::get().run(&job, if wake { most - 1 } else { 0 });
    }
    let now = Instant::now();
    if let Some((choice, begin)) = tried {
        choice.note(dealing.waves.is_some(), work, now - begin);
        if dealing.waves.is_some() {
            dealing.share_time(begin, now);
        }
    }
    let done = dealing.stages.iter().map(|s| s.done.get().copied().unwrap_or(now)).collect();
    dealing.fault.into_inner().unwrap_or_else(|e| e.into_inner()).map_or(Ok(done), Err)
}

/// One launch of those that are dealt.
pub(crate) struct Stage<'a> {
    pub variant: &'a Variant,
    pub run: &'a Run<'a>,
    pub repeat: Repeat,
    tasks: Vec<Task>,
    /// How many steps of each task have been begun.
    begun: Vec<AtomicU32>,
    /// Tasks of all launches before.
    before: u64,
    /// Vector instructions; 0 if that depends on the data.
    pub work: u64,
    /// Threads that it makes use of.
    most: usize,
    /// What its groups touch, if somebody has looked.
    pub touches: Option<&'a [Touch]>,
    done: OnceLock<Instant>,
}

/// Launches whose steps follow one another.
#[derive(Default)]
pub struct Dealing<'a> {
    pub(crate) stages: Vec<Stage<'a>>,
    /// Steps that are computed in tiles, and not one after the other.
    waves: Option<waves::Waves>,
    /// Tasks that are done, of all steps: a step begins when all of those before are.
    finished: AtomicU64,
    pub(crate) stopped: AtomicBool,
    fault: Mutex<Option<Fault>>,
}

impl<'a> Dealing<'a> {
    /// Adds a launch behind the others.
    pub fn add(
        &mut self,
        variant: &'a Variant,
        run: &'a Run<'a>,
        repeat: Repeat,
        (named, touches): (bool, Option<&'a [Touch]>),
    ) {
        let work = run.work(variant.cost);
        let small = if repeat.times >= MANY_STEPS { SMALL_STEP } else { SMALL };
        let most = threads_for(work, small, threads());
        let tasks = tasks(run.kernel, variant, run, named, (work, most));
        let before = self.stages.last().map_or(0, |s| s.before + s.tasks.len() as u64 * u64::from(s.repeat.times));
        let begun = tasks.iter().map(|_| AtomicU32::new(0)).collect();
        let done = OnceLock::new();
        self.stages.push(Stage { variant, run, repeat, tasks, begun, before, work, most, touches, done });
    }

    /// Has steps computed in tiles if that is right, can pay, and has not been slower; gives what notes the time.
    fn in_tiles(&mut self, threads: usize) -> Option<&'a Choice> {
        let waves = waves::plan(&self.stages, threads).ok()?;
        let choice = &self.stages.first()?.variant.steps.choice;
        if tiling() == Tiling::Always || choice.tiles() {
            waves.count();
            self.waves = Some(waves);
        }
        Some(choice)
    }
}

impl Dealing<'_> {
    /// [`Dealing::thread`], of which a panic ends the launch: nobody waits for what that thread had begun.
    fn caught(&self, number: usize, of: usize) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| self.thread(number, of))) {
            let kernel = self.stages.first().map_or("", |s| &s.run.kernel.name);
            self.stop(panicked(kernel, &*panic));
        }
    }

    pub(crate) fn stop(&self, fault: Fault) {
        self.fault.lock().unwrap_or_else(|e| e.into_inner()).get_or_insert(fault);
        self.stopped.store(true, Ordering::Release);
    }

    /// Launches that were under way together share the time by what they had to do.
    fn share_time(&self, begin: Instant, end: Instant) {
        let work = |s: &Stage<'_>| s.work as f64 * f64::from(s.repeat.times);
        let (all, mut sum) = (self.stages.iter().map(work).sum::<f64>().max(1.0), 0.0);
        for stage in &self.stages {
            sum += work(stage);
            let _ = stage.done.set(begin + (end - begin).mul_f64((sum / all).min(1.0)));
        }
    }

    fn thread(&self, number: usize, of: usize) {
        if let Some(waves) = &self.waves {
            return self.wave(waves);
        }
        for stage in &self.stages {
            for step in 0..stage.repeat.times {
                let before = stage.before + stage.tasks.len() as u64 * u64::from(step);
                let mut looks = 0;
                while self.finished.load(Ordering::Acquire) < before {
                    if self.stopped.load(Ordering::Relaxed) {
                        return;
                    }
                    pause(&mut looks);
                }
                // A thread that comes late leaves out what others have done.
                if self.finished.load(Ordering::Relaxed) < before + stage.tasks.len() as u64 {
                    self.step(stage, number, of, step);
                }
                if self.stopped.load(Ordering::Relaxed) {
                    return;
                }
            }
        }
    }

    fn step(&self, stage: &Stage<'_>, number: usize, of: usize, step: u32) {
        let many = stage.tasks.len();
        let own = many * number / of..many * (number + 1) / of;
        let others = (own.end..many).chain(0..own.start).rev();
        let mut copies: Option<Copies> = None;
        let swapped = stage.repeat.swap.is_some() && step % 2 == 1;
        let mut done = 0;
        for n in own.clone().chain(others) {
            if self.stopped.load(Ordering::Relaxed) {
                return;
            }
            let free = stage.begun[n].compare_exchange(step, step + 1, Ordering::AcqRel, Ordering::Relaxed).is_ok();
            if !free {
                continue;
            }
            let new = || Copies::new(stage.run.kernel, &stage.variant.private).alone(of == 1);
            let copies = copies.get_or_insert_with(new);
            #[cfg(test)]
            tests::inject(&stage.run.kernel.name, number);
            if let Err(fault) = run_task(stage.variant, stage.run, &stage.tasks[n], swapped, copies) {
                self.stop(fault);
            }
            done += 1;
        }
        if let Some(mut copies) = copies.filter(|c| !c.is_empty()) {
            copies.merge(stage.run, swapped);
        }
        let behind = stage.before + many as u64 * u64::from(stage.repeat.times);
        if self.finished.fetch_add(done, Ordering::AcqRel) + done == behind {
            // Nobody else finishes the last task.
            let _ = stage.done.set(Instant::now());
        }
    }
}

/// What a launch ends with if one of its threads has panicked.
fn panicked(kernel: &str, panic: &(dyn std::any::Any + Send)) -> Fault {
    Fault::new(kernel, FaultKind::Other(format!("a thread of the launch panicked: {}", panic_text(panic))))
}

/// Of how many threads a launch of so many vector instructions makes use; 0 if that depends on the data.
fn threads_for(work: u64, small: u64, threads: usize) -> usize {
    match work {
        0 => threads,
        _ => threads.min((work / small) as usize).max(1),
    }
}

/// What there is to do, for `threads` threads; `work` are vector instructions, 0 if that depends on the data.
fn tasks(kernel: &Kernel, variant: &Variant, run: &Run<'_>, named: bool, (work, threads): (u64, usize)) -> Vec<Task> {
    if kernel.over == 0 {
        let one = |worker| Task { worker, pieces: vec![(false, ([0; 4], [1; 4]))] };
        return (0..run.workers).map(one).collect();
    }
    if named {
        return (0..run.workers).map(|w| of_worker(kernel, run, w)).collect();
    }
    let all: Box4 = ([0; 4], run.groups);
    if run.groups.contains(&0) {
        return Vec::new();
    }
    let over = kernel.over as usize;
    let axis = (0..over).find(|&a| run.groups[a] >= 4 * threads as u32).unwrap_or(0);
    let axis = if run.groups[axis] == 1 { over - 1 } else { axis };
    let per_thread = tasks_per_thread(work / threads as u64);
    let parts = match work {
        1..SMALL if threads == 1 => 1,
        _ => (per_thread * threads as u64).min(variant.most_tasks(run.groups[axis], threads)).max(1),
    };
    let cut = |p: u64| {
        let at = (u64::from(run.groups[axis]) * p / parts) as u32;
        match &variant.inner {
            Some(inner) if p > 0 && p < parts && at > inner.low[axis] => {
                let turn = turn(inner, axis, over);
                inner.low[axis] + (at - inner.low[axis]) / turn * turn
            }
            _ => at,
        }
    };
    let task = |p: u64| {
        let mut task = all;
        (task.0[axis], task.1[axis]) = (cut(p), cut(p + 1));
        Task { worker: 0, pieces: pieces(variant, run, task) }
    };
    (0..parts).map(task).filter(|t| !t.pieces.is_empty()).collect()
}

/// Tasks that a thread gets if it has so many vector instructions to do; 0 if that depends on the data. Smaller tasks even out
/// what groups cost, and what other programs and the memory cost threads: the last one to end has less to do alone.
fn tasks_per_thread(cost: u64) -> u64 {
    match cost {
        0 => 16,
        _ => (cost / LONG).clamp((cost / SHORT).clamp(1, 4), 32),
    }
}

/// How many groups a turn of the interior's code takes along an axis.
pub(crate) fn turn(inner: &Inner, axis: usize, over: usize) -> u32 {
    match over - axis {
        1 => inner.shape.columns as u32,
        2 => inner.shape.rows as u32,
        _ => 1,
    }
}

/// The interior of a box in whole turns, and then what is around it. A turn begins whole turns behind the interior's first group, which
/// the code counts on (`lower::periodic`).
pub(crate) fn pieces(variant: &Variant, run: &Run<'_>, task: Box4) -> Vec<(bool, Box4)> {
    let (over, (mut low, mut high)) = (run.kernel.over as usize, task);
    if (0..over).any(|a| low[a] >= high[a]) {
        return Vec::new();
    }
    let inner = variant.inner.as_ref().and_then(|inner| Some((inner, inner.groups(|n| run.number(n))?)));
    let Some((inner, groups)) = inner else { return vec![(false, task)] };
    let mut inside = task;
    for axis in 0..over {
        let turn = turn(inner, axis, over);
        // Where limits make the interior begin later, by whole turns.
        let first = inner.low[axis] + (groups.0[axis] - inner.low[axis]).div_ceil(turn) * turn;
        inside.0[axis] = low[axis].max(first);
        let end = high[axis].min(groups.1[axis]);
        if end < inside.0[axis] + turn {
            return vec![(false, task)];
        }
        inside.1[axis] = inside.0[axis] + (end - inside.0[axis]) / turn * turn;
    }
    let mut pieces = Vec::new();
    for axis in 0..over {
        for (from, to) in [(low[axis], inside.0[axis]), (inside.1[axis], high[axis])] {
            if from < to {
                let mut side = (low, high);
                (side.0[axis], side.1[axis]) = (from, to);
                pieces.push((false, side));
            }
        }
        (low[axis], high[axis]) = (inside.0[axis], inside.1[axis]);
    }
    pieces.push((true, inside));
    // The interior walks through memory in its order; what lies around it finds in the cache what it reads from places far apart.
    pieces.reverse();
    pieces
}

/// The groups that one worker of those that the launch names takes, in turn.
fn of_worker(kernel: &Kernel, run: &Run<'_>, worker: u32) -> Task {
    let over = kernel.over as usize;
    let total: u64 = run.groups[..over].iter().map(|g| u64::from(*g)).product();
    let mut pieces = Vec::new();
    for number in (u64::from(worker)..total).step_by(run.workers as usize) {
        let (mut low, mut high, mut rest) = ([0; 4], [1; 4], number);
        for axis in (0..over).rev() {
            low[axis] = (rest % u64::from(run.groups[axis])) as u32;
            high[axis] = low[axis] + 1;
            rest /= u64::from(run.groups[axis]);
        }
        pieces.push((false, (low, high)));
    }
    Task { worker, pieces }
}

/// Workers that wait for each other need a thread each.
///
/// # Errors
/// The fault that stopped them.
pub fn together(kernel: &Kernel, variant: &Variant, run: &Run<'_>, swapped: bool) -> Result<(), Fault> {
    let work = |w: u32| {
        let task = match kernel.over {
            0 => Task { worker: w, pieces: vec![(false, ([0; 4], [1; 4]))] },
            _ => of_worker(kernel, run, w),
        };
        let run_all = || {
            let mut copies = Copies::new(kernel, &variant.private);
            run_task(variant, run, &task, swapped, &mut copies)
        };
        let result = catch_unwind(AssertUnwindSafe(run_all));
        let result = result.unwrap_or_else(|panic| Err(panicked(&kernel.name, &*panic)));
        run.meeting.leave(result.is_err());
        result
    };
    let results: Vec<Result<(), Fault>> = std::thread::scope(|scope| {
        let start = |w: u32| {
            std::thread::Builder::new().spawn_scoped(scope, move || work(w)).map_err(|why| {
                run.meeting.leave(true);
                let text = format!("the system has no thread left for worker {w}: {why}");
                Fault::new(&kernel.name, FaultKind::Other(text))
            })
        };
        let threads: Vec<_> = (0..run.workers).map(start).collect();
        let end = |t: std::thread::ScopedJoinHandle<'_, Result<(), Fault>>| {
            t.join().unwrap_or_else(|panic| Err(panicked(&kernel.name, &*panic)))
        };
        threads.into_iter().map(|t| t.and_then(end)).collect()
    });
    // The first fault that is not a consequence of another one.
    let caused = |f: &Fault| matches!(&f.kind, FaultKind::Other(text) if text == "another worker has failed");
    let mut faults: Vec<Fault> = results.into_iter().filter_map(Result::err).collect();
    faults.sort_by_key(caused);
    faults.into_iter().next().map_or_else(|| run.meeting.check_left(&kernel.name), Err)
}
