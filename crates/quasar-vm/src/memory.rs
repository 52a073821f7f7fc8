//! The limit on memory: an error rather than the end of the machine.
//!
//! Arrays and objects of this thread's program are counted here, at the cost of an addition per array. Where the allocator counts
//! (`quadra_base::memory`), everything is: strings, values in between, code, copies for devices. What is large asks before it
//! allocates; what is small is looked at every few thousand steps.

use super::fault::{Fault, Res};
use quadra_base::memory;
use std::cell::Cell;

thread_local! {
    static USED: Cell<usize> = const { Cell::new(0) };
    static LIMIT: Cell<usize> = const { Cell::new(usize::MAX) };
    /// What was in use when the limit was set.
    static BEFORE: Cell<usize> = const { Cell::new(0) };
}

/// The allocator refuses large blocks only beyond twice the limit and this: it can tell nobody but by ending the process.
const SLACK: usize = 64 << 20;

/// Sets the limit in bytes for this thread, from what is in use now.
pub fn set_limit(bytes: usize) {
    LIMIT.set(bytes);
    BEFORE.set(memory::used().unwrap_or(0).saturating_sub(USED.get()));
    if memory::used().is_some() {
        memory::set_limit(bytes.saturating_mul(2).saturating_add(BEFORE.get()).saturating_add(SLACK));
    }
}

/// Counts an allocation.
pub fn charge(bytes: usize) {
    let _ = USED.try_with(|u| u.set(u.get().saturating_add(bytes)));
}

/// Counts that an allocation is gone.
pub fn release(bytes: usize) {
    let _ = USED.try_with(|u| u.set(u.get().saturating_sub(bytes)));
}

/// From this size on the system is asked, too: a limit above its memory is none.
const LARGE: usize = 16 << 20;

/// Whether another `bytes` may be allocated. What is only kept for later goes first.
pub fn fits(bytes: usize) -> bool {
    within(bytes) || {
        super::storage::forget();
        quadra_device::forget_spare();
        within(bytes)
    }
}

/// The same without giving up anything.
pub fn within(bytes: usize) -> bool {
    used().saturating_add(bytes) <= LIMIT.get() && (bytes < LARGE || memory::available(bytes))
}

/// Asks for memory that something is about to take.
///
/// # Errors
/// The limit does not allow it, or the machine has no more; `what` is its name.
pub fn demand(bytes: usize, what: &str) -> Res<()> {
    if fits(bytes) {
        return Ok(());
    }
    Err(Fault::new("Q0310", format!("out of memory: {what}"))
        .help("use smaller arrays, or raise the limit with --max-memory"))
}

/// Memory of this size is asked for, what is smaller is only counted.
const ASKED: usize = 1 << 20;

/// Asks for the memory of so many elements, if that is much.
///
/// # Errors
/// As [`demand`].
pub fn elements(n: usize, each: usize, what: &str) -> Res<()> {
    match n.saturating_mul(each) {
        bytes if bytes < ASKED => Ok(()),
        bytes => demand(bytes, &format!("{what} with {n} elements")),
    }
}

/// Bytes in use.
pub fn used() -> usize {
    let all = memory::used().map_or(0, |n| n.saturating_sub(BEFORE.get()));
    all.max(USED.get())
}
