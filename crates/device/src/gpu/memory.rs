//! Memory of the GPU: what buffers have there between launches.
//!
//! Locks are taken in this order: storages, the stream, spare memory.

use super::context::Context;
use super::stream::Stream;
use crate::common::storage::{Held, Remote};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use wgpu::{Buffer, BufferUsages};

/// The smallest buffer: drivers do not bind empty ones, and an access that is not made stands at its first element.
const LEAST: u64 = 16;
/// Most memory that is kept for buffers to come, in bytes.
const MOST_SPARE: u64 = 512 << 20;

static UP: AtomicU64 = AtomicU64::new(0);
static DOWN: AtomicU64 = AtomicU64::new(0);

/// Bytes that went to GPUs so far, and those that came back.
pub(super) fn copied() -> (u64, u64) {
    (UP.load(Ordering::Relaxed), DOWN.load(Ordering::Relaxed))
}

/// How much memory the elements of a buffer take.
pub(super) fn size(bytes: usize) -> u64 {
    (bytes as u64).next_multiple_of(4).max(LEAST)
}

/// Elements in the memory of a GPU.
pub(super) struct Copy {
    context: Arc<Context>,
    buffer: Option<Buffer>,
}

impl std::fmt::Debug for Copy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes on {}", self.buffer().size(), self.context.name)
    }
}

impl Drop for Copy {
    /// Others use the memory: whatever is done to it on the GPU is done in order.
    fn drop(&mut self) {
        let Some(buffer) = self.buffer.take() else { return };
        let mut spare = self.context.spare.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.iter().map(Buffer::size).sum::<u64>() + buffer.size() <= MOST_SPARE {
            spare.push(buffer);
        }
    }
}

impl Copy {
    /// Memory for so many bytes, which hold anything.
    pub fn new(context: &Arc<Context>, bytes: usize) -> Arc<Copy> {
        let size = size(bytes);
        let mut spare = context.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let found = spare.iter().rposition(|b| b.size() == size).map(|at| spare.swap_remove(at));
        drop(spare);
        let buffer = found.unwrap_or_else(|| {
            let reads = if context.shares { BufferUsages::MAP_READ } else { BufferUsages::empty() };
            let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST | reads;
            empty(context, size, usage)
        });
        Arc::new(Copy { context: context.clone(), buffer: Some(buffer) })
    }

    pub fn buffer(&self) -> &Buffer {
        self.buffer.as_ref().expect("it is there until the copy is dropped")
    }

    /// These bytes, and zeros behind them. Launches on their way see what was there before.
    pub fn of(context: &Arc<Context>, stream: &mut Stream, bytes: &[u8]) -> Arc<Copy> {
        let copy = Copy::new(context, bytes.len());
        // What is written here comes before what is submitted next, so that nothing may be on its way that uses the memory.
        stream.submit(context);
        let whole = bytes.len() / 4 * 4;
        context.queue.write_buffer(copy.buffer(), 0, &bytes[..whole]);
        if whole < bytes.len() {
            let mut last = [0; 4];
            last[..bytes.len() - whole].copy_from_slice(&bytes[whole..]);
            context.queue.write_buffer(copy.buffer(), whole as u64, &last);
        }
        UP.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        copy
    }

    /// What this GPU has of a storage.
    fn there(context: &Arc<Context>, held: &Held<'_>) -> Option<Arc<Copy>> {
        held.remote::<Copy>().filter(|copy| Arc::ptr_eq(&copy.context, context))
    }

    /// Brings back what another device has of a storage: before anything here is locked, because that may be another GPU.
    pub fn bring_back(context: &Arc<Context>, held: &mut Held<'_>) {
        if Copy::there(context, held).is_none() {
            held.settle();
        }
    }

    /// The elements of a storage on this GPU, which are brought there if need be.
    pub fn of_storage(context: &Arc<Context>, stream: &mut Stream, held: &Held<'_>) -> Arc<Copy> {
        Copy::there(context, held).unwrap_or_else(|| Copy::of(context, stream, &held.host().bytes))
    }

    /// # Errors
    /// What went wrong, in words.
    pub fn read(&self, stream: &mut Stream, into: &mut [u8]) -> Result<(), String> {
        let context = &*self.context;
        if context.shares {
            return stream.read(context, self.buffer(), |view| into.copy_from_slice(&view[..into.len()]));
        }
        let staging = empty(context, self.buffer().size(), BufferUsages::MAP_READ | BufferUsages::COPY_DST);
        stream.encoder(context).copy_buffer_to_buffer(self.buffer(), 0, &staging, 0, staging.size());
        stream.read(context, &staging, |view| into.copy_from_slice(&view[..into.len()]))
    }
}

impl Remote for Copy {
    /// Where the GPU is lost, its elements are, too. Whoever waits for them is told, and has to end.
    fn fetch(&self, into: &mut [u8]) {
        let read = self.read(&mut self.context.stream(), into);
        DOWN.fetch_add(into.len() as u64, Ordering::Relaxed);
        if let Err(why) = read {
            self.context.say_lost(&why);
            quadra_base::stop::current().iter().for_each(|s| s.request(quadra_base::stop::Reason::Interrupt));
        }
    }
}

/// A buffer of zeros.
pub(super) fn empty(context: &Context, size: u64, usage: BufferUsages) -> Buffer {
    context.device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
}

/// A copy on the GPU of what is in another buffer.
pub(super) fn duplicate(stream: &mut Stream, context: &Context, from: &Copy, to: &Copy) {
    let size = from.buffer().size();
    stream.encoder(context).copy_buffer_to_buffer(from.buffer(), 0, to.buffer(), 0, size);
}
