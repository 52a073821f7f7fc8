//! Ctrl-C while a program runs: Python only notes the signal until it is asked, so the program is asked to stop here.
#![allow(unsafe_code)]

use quadra::base::stop::Stop;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicUsize, Ordering};

/// The byte that stops what runs on the main thread, while something does.
static FLAG: AtomicPtr<AtomicU8> = AtomicPtr::new(std::ptr::null_mut());
/// Python's own handler; 0 for none.
static BEFORE: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Whether this is the process's first thread, on which Python handles signals.
    // SAFETY: both only ask the system for a number.
    static FIRST: bool = unsafe { libc::getpid() == libc::gettid() };
}

/// While it lives, Ctrl-C stops a program.
pub struct Watched {
    /// Keeps the flag alive. None on threads that no signal reaches.
    stop: Option<Stop>,
    /// The flag of the call around this one.
    outer: *mut AtomicU8,
    /// Stays on its thread.
    _here: PhantomData<*const ()>,
}

extern "C" fn note(signal: libc::c_int) {
    // Python first: the signal may come on another thread, and whoever sees the flag asks Python what happened.
    let before = BEFORE.load(Ordering::SeqCst);
    if before != libc::SIG_DFL && before != libc::SIG_IGN {
        // SAFETY: it is what the system would have called with the same number: a handler that was installed without `SA_SIGINFO`.
        let before = unsafe { std::mem::transmute::<usize, extern "C" fn(libc::c_int)>(before) };
        before(signal);
    }
    let flag = FLAG.load(Ordering::SeqCst);
    if !flag.is_null() {
        // SAFETY: the flag belongs to a `Stop` that the guard holds, and the guard takes the pointer away before it goes.
        let _first = unsafe { &*flag }.compare_exchange(0, 1, Ordering::SeqCst, Ordering::Relaxed);
    }
}

/// Has Ctrl-C stop a program until the guard is dropped, if this is the first thread. Python's own handler is called besides; ours stays
/// in front of it, and only passes signals on while nothing runs. Where a handler of another kind is installed, or none, Ctrl-C goes on
/// meaning what that says.
pub fn watch(stop: Stop) -> Watched {
    if !FIRST.with(|first| *first) {
        return Watched { stop: None, outer: std::ptr::null_mut(), _here: PhantomData };
    }
    let outer = FLAG.swap(stop.flag().cast_mut().cast(), Ordering::SeqCst);
    install();
    Watched { stop: Some(stop), outer, _here: PhantomData }
}

/// Puts our handler in front of the one that is there, which may have been changed since the last call.
fn install() {
    let mut old = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: asks what handles the signal and writes it to `old`, which is read only if that worked; the new action is the old one
    // with a handler that calls nothing but atomics and the handler before it.
    unsafe {
        if libc::sigaction(libc::SIGINT, std::ptr::null(), old.as_mut_ptr()) != 0 {
            return;
        }
        let mut action = old.assume_init();
        let ours = note as extern "C" fn(libc::c_int) as usize;
        let other = [ours, libc::SIG_DFL, libc::SIG_IGN].contains(&action.sa_sigaction);
        if other || action.sa_flags & libc::SA_SIGINFO != 0 {
            return;
        }
        BEFORE.store(action.sa_sigaction, Ordering::SeqCst);
        action.sa_sigaction = ours;
        // If it fails, Ctrl-C waits for the end of the call.
        let _installed = libc::sigaction(libc::SIGINT, &action, std::ptr::null_mut());
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        if self.stop.is_some() {
            FLAG.store(self.outer, Ordering::SeqCst);
        }
    }
}
