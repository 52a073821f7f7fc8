//! Ctrl-C: a signal that ends the process first gives the board back.
//!
//! A thread waits for the signals. It tells running launches to stop, takes every board in turn, closes it, and then lets
//! the signal do what it does by default. Signals that the application handles or ignores at the time when the first board
//! is opened are left alone: who handles Ctrl-C drops the device, which closes the board as well.

use super::run::Board;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

struct Entry {
    stop: Arc<AtomicBool>,
    board: Weak<Mutex<Board>>,
}

struct Registry {
    entries: Vec<Entry>,
    waiting: bool,
}

static REGISTRY: Mutex<Registry> = Mutex::new(Registry { entries: Vec::new(), waiting: false });

/// Closes the board before a signal ends the process.
///
/// # Errors
/// The thread or the handlers could not be set up.
pub fn guard(board: &Arc<Mutex<Board>>) -> std::io::Result<()> {
    let stop = board.lock().unwrap_or_else(PoisonError::into_inner).stop_flag();
    let mut registry = REGISTRY.lock().unwrap_or_else(PoisonError::into_inner);
    registry.entries.retain(|entry| entry.board.strong_count() > 0);
    registry.entries.push(Entry { stop, board: Arc::downgrade(board) });
    if !registry.waiting {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mut signals = Signals::new(untouched(&status))?;
        std::thread::Builder::new().name("quadra-vc4-signals".to_string()).spawn(move || {
            for signal in signals.forever() {
                close_all();
                // Fails only for signals without a default action; these three end the process.
                let _ = low_level::emulate_default_handler(signal);
            }
        })?;
        registry.waiting = true;
    }
    Ok(())
}

/// Stops all launches and closes all boards.
pub fn close_all() {
    let registry = REGISTRY.lock().unwrap_or_else(PoisonError::into_inner);
    for entry in &registry.entries {
        entry.stop.store(true, Ordering::SeqCst);
    }
    for board in registry.entries.iter().filter_map(|entry| entry.board.upgrade()) {
        let _ = board.lock().unwrap_or_else(PoisonError::into_inner).close();
    }
}

/// The signals that end a process and that this one neither ignores nor handles, by the masks in `/proc/self/status`.
fn untouched(status: &str) -> Vec<i32> {
    let mask = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        line.and_then(|text| u64::from_str_radix(text.trim(), 16).ok()).unwrap_or(0)
    };
    let taken = mask("SigIgn") | mask("SigCgt");
    [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| taken >> (signal - 1) & 1 == 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vc4::fake;
    use std::time::Duration;

    #[test]
    fn signals_that_are_ignored_or_handled_are_left_alone() {
        let status = "Name:\tx\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000001\nSigCgt:\t0000000000004000\n";
        assert_eq!(untouched(status), [SIGINT]);
        assert_eq!(untouched(""), [SIGINT, SIGTERM, SIGHUP]);
    }

    #[test]
    fn all_boards_are_closed_and_no_launch_starts_any_more() {
        let pi = fake::Pi::new();
        let mut board = pi.open().unwrap();
        board.allocate(100).unwrap();
        let stop = board.stop_flag();
        let board = Arc::new(Mutex::new(board));
        let entry = Entry { stop, board: Arc::downgrade(&board) };
        REGISTRY.lock().unwrap().entries.push(entry);
        close_all();
        pi.assert_all_given_back();
        let start = super::super::Start { code: 0, uniforms: 0 };
        let result = board.lock().unwrap().execute(super::super::Route::Registers, &[start], Duration::from_secs(1));
        assert!(matches!(result, Err(super::super::Failure::Interrupted)));
        pi.assert_all_given_back();
    }
}
