//! Count of the bytes that arrays and objects of this thread's program hold, so that a limit can be an error rather than
//! the end of the machine. Counting costs an addition per array.

use std::cell::Cell;

thread_local! {
    static USED: Cell<usize> = const { Cell::new(0) };
    static LIMIT: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// Sets the limit in bytes for this thread.
pub fn set_limit(bytes: usize) {
    LIMIT.with(|l| l.set(bytes));
}

/// Counts an allocation.
pub fn charge(bytes: usize) {
    let _ = USED.try_with(|u| u.set(u.get().saturating_add(bytes)));
}

/// Counts that an allocation is gone.
pub fn release(bytes: usize) {
    let _ = USED.try_with(|u| u.set(u.get().saturating_sub(bytes)));
}

/// From this size on the system is asked, too: a limit above its memory would end in an abort.
const LARGE: usize = 1 << 30;

/// Whether another `bytes` may be allocated.
pub fn fits(bytes: usize) -> bool {
    USED.with(Cell::get).saturating_add(bytes) <= LIMIT.with(Cell::get)
        && (bytes < LARGE || Vec::<u8>::new().try_reserve_exact(bytes).is_ok())
}

/// Bytes in use.
pub fn used() -> usize {
    USED.with(Cell::get)
}
