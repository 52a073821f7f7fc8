//! What this process knows of its memory: how much is in use, whether the system has refused to give more.
//!
//! An allocator may count here (`quadra_device::pages` does, which the command is built with); without one nobody knows, and programs
//! count what they hold themselves. Threads add up for themselves and hand over in batches, so that counting costs an addition.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicU64, AtomicUsize, Ordering};

/// Bytes that a thread counts for itself.
const BATCH: isize = 64 << 10;

static COUNTS: AtomicBool = AtomicBool::new(false);
static USED: AtomicIsize = AtomicIsize::new(0);
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);
static EXHAUSTED: AtomicBool = AtomicBool::new(false);
static FAIL_AFTER: AtomicU64 = AtomicU64::new(u64::MAX);
static FAIL_FOR_EVER: AtomicBool = AtomicBool::new(false);

thread_local! {
    static OWN: Cell<isize> = const { Cell::new(0) };
    static ASKING: Cell<u32> = const { Cell::new(0) };
}

/// Counts bytes that were allocated, or freed, if somebody [counts]. For the allocator.
#[inline]
pub fn count(bytes: isize) {
    // In a shared library a variable of the thread costs a call.
    if !COUNTS.load(Ordering::Relaxed) {
        return;
    }
    // At the end of a thread there is nowhere to count.
    let _late = OWN.try_with(|own| {
        let sum = own.get() + bytes;
        if sum.unsigned_abs() < BATCH.unsigned_abs() {
            own.set(sum);
        } else {
            own.set(0);
            USED.fetch_add(sum, Ordering::Relaxed);
        }
    });
}

/// Says that an allocator counts.
pub fn counts() {
    COUNTS.store(true, Ordering::Relaxed);
}

/// Bytes in use, if an allocator counts.
pub fn used() -> Option<usize> {
    let own = || OWN.try_with(Cell::get).unwrap_or(0);
    let used = || usize::try_from(USED.load(Ordering::Relaxed) + own()).unwrap_or(0);
    COUNTS.load(Ordering::Relaxed).then(used)
}

/// Sets the bytes beyond which the allocator refuses large blocks.
pub fn set_limit(bytes: usize) {
    LIMIT.store(bytes, Ordering::Relaxed);
}

/// Whether the limit allows another block. For the allocator.
pub fn within_limit(bytes: usize) -> bool {
    let limit = LIMIT.load(Ordering::Relaxed);
    limit == usize::MAX || used().unwrap_or(0).saturating_add(bytes) <= limit
}

/// Asks for memory in a way that allows to be refused: the allocator says no instead of ending the process.
pub fn asking<T>(f: impl FnOnce() -> T) -> T {
    struct Back;
    impl Drop for Back {
        fn drop(&mut self) {
            ASKING.set(ASKING.get() - 1);
        }
    }
    ASKING.set(ASKING.get() + 1);
    let _back = Back;
    f()
}

/// Whether who asks for memory now can be refused. For the allocator.
pub fn may_refuse() -> bool {
    ASKING.try_with(Cell::get).unwrap_or(0) > 0
}

/// Whether the system has memory for a block of this size now.
pub fn available(bytes: usize) -> bool {
    asking(|| within_limit(bytes) && Vec::<u8>::new().try_reserve_exact(bytes).is_ok())
}

/// Notes that the system had no memory left. For the allocator.
pub fn note_exhausted() {
    EXHAUSTED.store(true, Ordering::Relaxed);
}

/// Whether the system had no memory left: whoever runs something ends it in order.
#[inline]
pub fn exhausted() -> bool {
    EXHAUSTED.load(Ordering::Relaxed)
}

/// Begins anew after what ran was ended.
pub fn forget_exhausted() {
    EXHAUSTED.store(false, Ordering::Relaxed);
}

/// Has the allocator fail on purpose, once the next `n` blocks were allocated: for one block or for all from then on.
pub fn fail_after(n: u64, for_ever: bool) {
    FAIL_FOR_EVER.store(for_ever, Ordering::Relaxed);
    FAIL_AFTER.store(n, Ordering::Relaxed);
}

/// Whether this block is to be refused on purpose. For the allocator.
#[inline]
pub fn fails() -> bool {
    FAIL_AFTER.load(Ordering::Relaxed) != u64::MAX && fails_now()
}

#[cold]
fn fails_now() -> bool {
    match FAIL_AFTER.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1)) {
        Ok(_) => false,
        Err(_) if FAIL_FOR_EVER.load(Ordering::Relaxed) => true,
        Err(_) => {
            FAIL_AFTER.store(u64::MAX, Ordering::Relaxed);
            true
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_hand_over_what_they_have_counted() {
        assert_eq!(used(), None);
        counts();
        let before = used().expect("somebody counts");
        count(1000);
        assert!(used().expect("somebody counts") >= before + 1000);
        std::thread::spawn(|| count(BATCH)).join().expect("it counts");
        assert!(used().expect("somebody counts") >= before + 1000 + BATCH.unsigned_abs());
        set_limit(before);
        assert!(!within_limit(1));
        set_limit(usize::MAX);
        assert!(within_limit(usize::MAX) && available(1) && !available(isize::MAX.unsigned_abs()));
        assert!(
            !may_refuse()
                && asking(may_refuse)
                && asking(|| {
                    asking(|| ());
                    may_refuse()
                })
        );
    }
}
