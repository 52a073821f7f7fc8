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

/// While it lives, Ctrl-C stops a program. Holds the flag of the program, and what was before.
pub struct Watched {
    _stop: Stop,
    before: Option<libc::sigaction>,
    outer: *mut AtomicU8,
    /// Stays on its thread.
    _here: PhantomData<*const ()>,
}

extern "C" fn note(signal: libc::c_int) {
    let flag = FLAG.load(Ordering::SeqCst);
    if !flag.is_null() {
        // SAFETY: the flag belongs to a `Stop` that the guard holds, and the guard takes the pointer away before it goes.
        let _first = unsafe { &*flag }.compare_exchange(0, 1, Ordering::Relaxed, Ordering::Relaxed);
    }
    let before = BEFORE.load(Ordering::SeqCst);
    if before != libc::SIG_DFL && before != libc::SIG_IGN {
        // SAFETY: it is what the system would have called with the same number: a handler that was installed without `SA_SIGINFO`.
        let before = unsafe { std::mem::transmute::<usize, extern "C" fn(libc::c_int)>(before) };
        before(signal);
    }
}

/// Has Ctrl-C stop a program until the guard is dropped. Python's own handler is called besides. Where a handler of another kind is
/// installed, Ctrl-C goes on meaning what that says.
pub fn watch(stop: Stop) -> Watched {
    let outer = FLAG.swap(stop.flag().cast_mut().cast(), Ordering::SeqCst);
    let mut guard = Watched { _stop: stop, before: None, outer, _here: PhantomData };
    let mut old = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: asks what handles the signal and writes it to `old`, which is read only if that worked; the new action is made of
    // zeros, which are a valid one, and a handler that calls nothing but atomics and the handler before it.
    unsafe {
        if libc::sigaction(libc::SIGINT, std::ptr::null(), old.as_mut_ptr()) != 0 {
            return guard;
        }
        let old = old.assume_init();
        let ours = note as extern "C" fn(libc::c_int) as usize;
        if old.sa_flags & libc::SA_SIGINFO != 0 || old.sa_sigaction == ours || old.sa_sigaction == libc::SIG_DFL {
            return guard;
        }
        let mut new = old;
        new.sa_sigaction = ours;
        BEFORE.store(old.sa_sigaction, Ordering::SeqCst);
        if libc::sigaction(libc::SIGINT, &new, std::ptr::null_mut()) == 0 {
            guard.before = Some(old);
        }
    }
    guard
}

impl Drop for Watched {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            // SAFETY: puts back what `watch` found.
            unsafe { libc::sigaction(libc::SIGINT, before, std::ptr::null_mut()) };
        }
        FLAG.store(self.outer, Ordering::SeqCst);
    }
}
