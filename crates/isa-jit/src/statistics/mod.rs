//! What a translator and its blocks have done.

use std::sync::atomic::{AtomicU64, Ordering};

/// What a translator and its blocks have done.
#[derive(Debug, Default)]
pub struct Statistics {
    pub(crate) compiled: AtomicU64,
    pub(crate) loaded: AtomicU64,
    pub(crate) compile_nanoseconds: AtomicU64,
    pub(crate) executed: AtomicU64,
    pub(crate) undone: AtomicU64,
}

impl Statistics {
    /// Regions compiled.
    pub fn compiled(&self) -> u64 {
        self.compiled.load(Ordering::Relaxed)
    }

    /// Regions that were found on disk, and not compiled.
    pub fn loaded(&self) -> u64 {
        self.loaded.load(Ordering::Relaxed)
    }

    /// Seconds spent on compiling.
    pub fn compile_seconds(&self) -> f64 {
        self.compile_nanoseconds.load(Ordering::Relaxed) as f64 * 1e-9
    }

    /// QPU instructions executed by native code.
    pub fn executed(&self) -> u64 {
        self.executed.load(Ordering::Relaxed)
    }

    /// QPU instructions executed in vain: the interpreter had to execute them again.
    pub fn undone(&self) -> u64 {
        self.undone.load(Ordering::Relaxed)
    }
}
