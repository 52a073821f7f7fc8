//! Memory of a GPU: what buffers have there between launches.
//!
//! Locks are taken in this order: storages, the stream, spare memory.

use super::driver::Driver;
use crate::common::storage::{Held, Remote};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};

/// The smallest buffer: drivers do not bind empty ones, and an access that is not made stands at its first element.
const LEAST: u64 = 16;
/// Most memory that is kept for buffers to come, in bytes.
const MOST_SPARE: u64 = 512 << 20;

static UP: AtomicU64 = AtomicU64::new(0);
static DOWN: AtomicU64 = AtomicU64::new(0);

/// Bytes that went to GPUs so far, and those that came back.
pub(crate) fn copied() -> (u64, u64) {
    (UP.load(Ordering::Relaxed), DOWN.load(Ordering::Relaxed))
}

/// How much memory the elements of a buffer take.
pub(super) fn size(bytes: usize) -> u64 {
    (bytes as u64).next_multiple_of(4).max(LEAST)
}

/// Elements in the memory of a GPU.
pub(crate) struct Copy<D: Driver> {
    driver: Arc<D>,
    memory: Option<D::Memory>,
}

impl<D: Driver> std::fmt::Debug for Copy<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes on {}", D::size(self.memory()), self.driver.facts().name)
    }
}

impl<D: Driver> Drop for Copy<D> {
    /// Others use the memory: whatever is done to it on the GPU is done in order.
    fn drop(&mut self) {
        let Some(memory) = self.memory.take() else { return };
        let mut spare = self.driver.spare().lock().unwrap_or_else(PoisonError::into_inner);
        if spare.iter().map(D::size).sum::<u64>() + D::size(&memory) <= MOST_SPARE {
            spare.push(memory);
        }
    }
}

impl<D: Driver> Copy<D> {
    /// Memory for so many bytes, which hold anything.
    pub fn new(driver: &Arc<D>, bytes: usize) -> Arc<Copy<D>> {
        let size = size(bytes);
        let mut spare = driver.spare().lock().unwrap_or_else(PoisonError::into_inner);
        let found = spare.iter().rposition(|m| D::size(m) == size).map(|at| spare.swap_remove(at));
        drop(spare);
        let memory = found.unwrap_or_else(|| driver.allocate(size));
        Arc::new(Copy { driver: driver.clone(), memory: Some(memory) })
    }

    pub fn memory(&self) -> &D::Memory {
        self.memory.as_ref().expect("it is there until the copy is dropped")
    }

    /// These bytes, and zeros behind them. Launches on their way see what was there before.
    pub fn of(driver: &Arc<D>, stream: &mut D::Stream, bytes: &[u8]) -> Arc<Copy<D>> {
        let copy = Copy::new(driver, bytes.len());
        driver.write(stream, copy.memory(), bytes);
        UP.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        copy
    }

    /// What this GPU has of a storage.
    fn there(driver: &Arc<D>, held: &Held<'_>) -> Option<Arc<Copy<D>>> {
        held.remote::<Copy<D>>().filter(|copy| Arc::ptr_eq(&copy.driver, driver))
    }

    /// Brings back what another device has of a storage: before anything here is locked, because that may be another GPU.
    pub fn bring_back(driver: &Arc<D>, held: &mut Held<'_>) {
        if Copy::there(driver, held).is_none() {
            held.settle();
        }
    }

    /// The elements of a storage on this GPU, which are brought there if need be.
    pub fn of_storage(driver: &Arc<D>, stream: &mut D::Stream, held: &Held<'_>) -> Arc<Copy<D>> {
        Copy::there(driver, held).unwrap_or_else(|| Copy::of(driver, stream, &held.host().bytes))
    }

    /// # Errors
    /// What went wrong, in words.
    pub fn read(&self, stream: &mut D::Stream, into: &mut [u8]) -> Result<(), String> {
        self.driver.read(stream, self.memory(), into)
    }
}

impl<D: Driver> Remote for Copy<D> {
    /// Where the GPU is lost, its elements are, too. Whoever waits for them is told, and has to end.
    fn fetch(&self, into: &mut [u8]) {
        let read = self.read(&mut self.driver.stream(), into);
        DOWN.fetch_add(into.len() as u64, Ordering::Relaxed);
        if let Err(why) = read {
            self.driver.trouble().say_lost(&self.driver.facts().name, &why);
            quadra_base::stop::current().iter().for_each(|s| s.request(quadra_base::stop::Reason::Interrupt));
        }
    }
}
