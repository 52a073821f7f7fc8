//! The checked mode: what was proved while compiling is tested again while running. Tests and fuzzers switch it on, users do
//! so by `QUADRA_CHECKED=1` or `--checked`. And guard pages: whether launches work on memory between pages that nobody may
//! touch.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

const UNKNOWN: u8 = 0xff;

static CHECKED: AtomicU8 = AtomicU8::new(UNKNOWN);

/// Whether the mode is on: what [`set`] said last, else the environment variable `QUADRA_CHECKED`.
pub fn is_on() -> bool {
    match CHECKED.load(Ordering::Relaxed) {
        UNKNOWN => {
            let on = std::env::var_os("QUADRA_CHECKED").is_some_and(|v| !v.is_empty() && v != "0");
            // Somebody may have said something meanwhile.
            let _ = CHECKED.compare_exchange(UNKNOWN, u8::from(on), Ordering::Relaxed, Ordering::Relaxed);
            CHECKED.load(Ordering::Relaxed) == 1
        }
        known => known == 1,
    }
}

/// Switches the mode on or off, for code that is compiled from now on.
pub fn set(on: bool) {
    CHECKED.store(u8::from(on), Ordering::Relaxed);
}

static HURRIED: AtomicBool = AtomicBool::new(false);

/// Whether code for this processor is made in a hurry, since it will run once: what random programs are compared by.
pub fn is_hurried() -> bool {
    HURRIED.load(Ordering::Relaxed)
}

/// Has code be made in a hurry, or not.
pub fn set_hurried(on: bool) {
    HURRIED.store(on, Ordering::Relaxed);
}

/// How the memory of a launch lies between its guard pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Guard {
    /// There are none.
    Off,
    /// Buffers end where the pages behind them begin.
    End,
    /// Buffers begin where the pages before them end.
    Start,
}

static GUARD: AtomicU8 = AtomicU8::new(UNKNOWN);

/// Whether there are guard pages: what [`set_guard`] said last, else the environment variable `QUADRA_GUARD`, which is `end` or
/// `start`.
pub fn guard() -> Guard {
    if GUARD.load(Ordering::Relaxed) == UNKNOWN {
        let asked = match std::env::var("QUADRA_GUARD").as_deref() {
            Ok("end" | "1") => Guard::End,
            Ok("start") => Guard::Start,
            _ => Guard::Off,
        };
        // Somebody may have said something meanwhile.
        let _ = GUARD.compare_exchange(UNKNOWN, asked as u8, Ordering::Relaxed, Ordering::Relaxed);
    }
    match GUARD.load(Ordering::Relaxed) {
        1 => Guard::End,
        2 => Guard::Start,
        _ => Guard::Off,
    }
}

/// Switches guard pages on or off, for launches from now on.
pub fn set_guard(guard: Guard) {
    GUARD.store(guard as u8, Ordering::Relaxed);
}
