//! Requests to stop what runs: by Ctrl-C, because the time is over, because there is no memory left.
//!
//! Whoever runs programs has a [`Stop`] and makes it the current one of its thread; loops that may take long look at it now and
//! then. [`all`] reaches every one of them, so that a signal need not know what runs.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

/// Why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Somebody asked for it, with Ctrl-C for example.
    Interrupt,
    /// The time limit was reached.
    Time,
    /// The machine has no memory left.
    Memory,
}

/// Whether somebody wants an end: none so far when it is made.
#[derive(Clone, Debug)]
pub struct Stop(Arc<AtomicU8>);

static ALL: Mutex<Vec<Weak<AtomicU8>>> = Mutex::new(Vec::new());

thread_local! {
    static CURRENT: RefCell<Option<Stop>> = const { RefCell::new(None) };
}

impl Default for Stop {
    fn default() -> Stop {
        Stop::new()
    }
}

impl Stop {
    pub fn new() -> Stop {
        let flag = Arc::new(AtomicU8::new(0));
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|f| f.strong_count() > 0);
        all.push(Arc::downgrade(&flag));
        Stop(flag)
    }

    /// Asks for an end. The first reason counts.
    pub fn request(&self, reason: Reason) {
        request(&self.0, reason);
    }

    /// Why it is to end, if it is.
    #[inline]
    pub fn reason(&self) -> Option<Reason> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            1 => Some(Reason::Interrupt),
            2 => Some(Reason::Time),
            _ => Some(Reason::Memory),
        }
    }

    /// Forgets what was asked for: the next one begins.
    pub fn clear(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// Where the request is: a byte that is 0 until there is one. For code that is compiled.
    pub fn flag(&self) -> *const u8 {
        self.0.as_ptr()
    }

    /// Makes it the current one of this thread until the guard is dropped.
    pub fn enter(&self) -> Entered {
        Entered(CURRENT.with(|c| c.replace(Some(self.clone()))))
    }

    /// Asks for an end in so long, unless the guard is dropped before.
    pub fn after(&self, limit: Duration) -> Timer {
        let done = Arc::new((Mutex::new(false), Condvar::new()));
        let timer = Timer(done.clone());
        let (stop, begin) = (self.clone(), Instant::now());
        // Without a thread for the clock there is no limit on the time.
        let _thread = std::thread::Builder::new().name("quadra-time".into()).stack_size(64 << 10).spawn(move || {
            let (over, woken) = &*done;
            let mut over = over.lock().unwrap_or_else(PoisonError::into_inner);
            while !*over {
                let Some(left) = limit.checked_sub(begin.elapsed()).filter(|d| !d.is_zero()) else {
                    return stop.request(Reason::Time);
                };
                over = woken.wait_timeout(over, left).unwrap_or_else(PoisonError::into_inner).0;
            }
        });
        timer
    }
}

fn request(flag: &AtomicU8, reason: Reason) {
    // The first one stays.
    let _before = flag.compare_exchange(0, reason as u8 + 1, Ordering::Relaxed, Ordering::Relaxed);
}

/// Asks everything in this process to end.
pub fn all(reason: Reason) {
    for flag in ALL.lock().unwrap_or_else(PoisonError::into_inner).iter().filter_map(Weak::upgrade) {
        request(&flag, reason);
    }
}

/// The current one of this thread.
pub fn current() -> Option<Stop> {
    CURRENT.with(|c| c.borrow().clone())
}

/// Why what this thread does is to end, if it is.
pub fn requested() -> Option<Reason> {
    CURRENT.with(|c| c.borrow().as_ref().and_then(Stop::reason))
}

/// While it lives, a [`Stop`] is the current one of this thread.
#[derive(Debug)]
pub struct Entered(Option<Stop>);

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.with(|c| *c.borrow_mut() = self.0.take());
    }
}

/// While it lives, the time runs.
#[derive(Debug)]
pub struct Timer(Arc<(Mutex<bool>, Condvar)>);

impl Drop for Timer {
    fn drop(&mut self) {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.1.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reason_counts_until_it_is_cleared() {
        let (stop, other) = (Stop::new(), Stop::new());
        assert_eq!((stop.reason(), requested()), (None, None));
        {
            let _entered = stop.enter();
            stop.request(Reason::Interrupt);
            stop.request(Reason::Time);
            assert_eq!(requested(), Some(Reason::Interrupt));
            let _inner = other.enter();
            assert_eq!(requested(), None);
        }
        assert_eq!((requested(), other.reason()), (None, None));
        stop.clear();
        assert_eq!(stop.reason(), None);
    }

    #[test]
    fn the_clock_asks_and_does_not_ask_any_more_once_it_is_dropped() {
        let stop = Stop::new();
        drop(stop.after(Duration::from_millis(1)));
        let none = Stop::new();
        let timer = none.after(Duration::from_secs(3600));
        let timed = stop.after(Duration::ZERO);
        while stop.reason().is_none() {
            std::thread::yield_now();
        }
        assert_eq!((stop.reason(), none.reason()), (Some(Reason::Time), None));
        drop((timer, timed));
    }
}
