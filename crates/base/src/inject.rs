//! Faults on purpose: the disk is full at a certain write. For tests of what happens then; nothing fails unless somebody asks.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

static WRITES: AtomicU64 = AtomicU64::new(u64::MAX);

/// Has all writes of files and outputs fail but the next `n`.
pub fn fail_writes_after(n: u64) {
    WRITES.store(n, Ordering::Relaxed);
}

/// Asked before each write.
///
/// # Errors
/// The disk is to be full.
pub fn write() -> io::Result<()> {
    let left = WRITES.load(Ordering::Relaxed);
    if left == u64::MAX {
        return Ok(());
    }
    let spent = WRITES.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1));
    spent.map(|_| ()).map_err(|_| io::ErrorKind::StorageFull.into())
}
