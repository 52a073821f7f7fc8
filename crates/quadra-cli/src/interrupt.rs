//! Ctrl-C and its like: what runs is asked to end, and what does not within a moment ends with the process.
//!
//! Whatever ends the process this way sends what the program has printed, removes files that are half-written, and gives a board
//! back.

use quadra_base::stop::{self, Reason};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use signal_hook::low_level;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::Duration;

/// How long what runs may take to end.
const PATIENCE: Duration = Duration::from_millis(700);
/// How much longer than its limit a program may take that does not look at the clock.
const LATE: Duration = Duration::from_millis(1500);
/// The status of a process that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

/// What Ctrl-C means now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Meaning {
    /// The end of the process, as for any command.
    End,
    /// A program runs that is asked first.
    Program,
    /// The prompt runs a statement; a second Ctrl-C ends the process.
    Statement,
}

static MEANING: AtomicU8 = AtomicU8::new(Meaning::End as u8);
/// Counts changes of the meaning, so that a clock of one run does not end another.
static RUN: AtomicU64 = AtomicU64::new(0);

/// While it lives, Ctrl-C means this.
pub struct While(u8);

/// Says what Ctrl-C means until the guard is dropped.
pub fn means(meaning: Meaning) -> While {
    RUN.fetch_add(1, Ordering::SeqCst);
    While(MEANING.swap(meaning as u8, Ordering::SeqCst))
}

impl Drop for While {
    fn drop(&mut self) {
        RUN.fetch_add(1, Ordering::SeqCst);
        MEANING.store(self.0, Ordering::SeqCst);
    }
}

/// What is done before the process ends at once.
pub fn last() {
    crate::output::send_last();
    quadra_base::file::discard_all();
}

/// Ends the process without waiting for anybody.
fn end(status: i32) -> ! {
    last();
    quadra_device::vc4::close_boards();
    low_level::exit(status)
}

/// Handles signals from here on. Without a thread for it they end the process as they always do.
pub fn install() {
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGXFSZ]) else { return };
    let handle = move || {
        let mut asked = false;
        let mut run = 0;
        for signal in signals.forever() {
            match signal {
                // A file that grows beyond `ulimit -f`: the write fails, which is enough.
                SIGXFSZ => {}
                SIGINT => {
                    let now = RUN.load(Ordering::SeqCst);
                    let again = asked && run == now;
                    (asked, run) = (true, now);
                    interrupt(again);
                }
                other => {
                    last();
                    quadra_device::vc4::close_boards();
                    // Fails only for signals without a default action; these end the process.
                    let _ended = low_level::emulate_default_handler(other);
                }
            }
        }
    };
    let _none = std::thread::Builder::new().name("quadra-signals".into()).stack_size(256 << 10).spawn(handle);
}

fn interrupt(again: bool) {
    let meaning = MEANING.load(Ordering::SeqCst);
    if meaning == Meaning::End as u8 || again {
        end(INTERRUPTED);
    }
    stop::all(Reason::Interrupt);
    if meaning == Meaning::Program as u8 {
        end_after(PATIENCE, || end(INTERRUPTED));
    }
}

/// Does something in so long if the same thing still runs.
fn end_after(wait: Duration, then: impl FnOnce() + Send + 'static) {
    let run = RUN.load(Ordering::SeqCst);
    let clock = move || {
        std::thread::sleep(wait);
        if RUN.load(Ordering::SeqCst) == run {
            then();
        }
    };
    // Without a thread for the clock it ends when it looks.
    let _none = std::thread::Builder::new().stack_size(256 << 10).spawn(clock);
}

/// Ends the process if what runs now goes on for longer than its limit and a bit, as a single long computation may.
pub fn end_late(limit: Duration) {
    end_after(limit.saturating_add(LATE), || {
        last();
        eprintln!("error[Q0318]: the program took longer than its time limit");
        quadra_device::vc4::close_boards();
        low_level::exit(1)
    });
}
