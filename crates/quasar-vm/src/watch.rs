//! Progress of long runs, for whoever watches: launches and loops report how far they are, at most ten times a second and
//! from two seconds after the start of the run.

use super::value::Value;
use std::time::{Duration, Instant};

/// How far a launch or a loop is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// `kernel` or `loop`.
    pub what: &'static str,
    /// Blocks, positions or iterations.
    pub done: u64,
    /// 0 if it is not known, as in `while` loops.
    pub total: u64,
}

/// What shows progress; `None` asks to clear it away, because the program prints.
pub type Report = Box<dyn FnMut(Option<Progress>)>;

/// The watcher of a run, if there is one.
#[derive(Default)]
pub struct Watch {
    report: Option<Report>,
    started: Option<Instant>,
    last: Option<Instant>,
    calls: u32,
    shown: bool,
}

/// Time before anything is shown.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(100);
/// Launches ask for the time once in so many calls.
const CALLS: u32 = 16;

impl Watch {
    pub fn new(report: Report) -> Watch {
        Watch { report: Some(report), ..Watch::default() }
    }

    pub fn is_on(&self) -> bool {
        self.report.is_some()
    }

    /// A run starts.
    pub fn start(&mut self) {
        self.started = Some(Instant::now());
    }

    /// Reports a launch that is at `done` of `total`.
    #[inline]
    pub fn step(&mut self, what: &'static str, done: u64, total: u64) {
        if self.report.is_some() {
            self.calls = self.calls.wrapping_add(1);
            if self.calls.is_multiple_of(CALLS) {
                self.show(Progress { what, done, total });
            }
        }
    }

    /// Reports the outermost loop of a frame: of its loop states, pairs of counter and end, the first that is under way.
    pub fn loops(&mut self, regs: &[Value]) {
        let active = regs.windows(2).find_map(|pair| match pair {
            [Value::Raw(k), Value::Raw(n)] if k < n => Some((*k as u64, *n as u64)),
            _ => None,
        });
        let (done, total) = active.unwrap_or((0, 0));
        self.show(Progress { what: "loop", done, total });
    }

    fn show(&mut self, progress: Progress) {
        let Some(report) = &mut self.report else { return };
        let now = Instant::now();
        let early = self.started.is_some_and(|t| now - t < PATIENCE) || self.last.is_some_and(|t| now - t < PAUSE);
        if !early {
            self.last = Some(now);
            self.shown = true;
            report(Some(progress));
        }
    }

    /// Clears what is shown.
    pub fn hide(&mut self) {
        if self.shown {
            self.shown = false;
            if let Some(report) = &mut self.report {
                report(None);
            }
        }
    }
}
