//! Memory of the GPU.

use super::adapter::Context;
use std::sync::mpsc;
use std::time::Duration;
use wgpu::{Buffer, BufferUsages, MapMode};

/// The smallest buffer: drivers do not bind empty ones, and an access that is not made stands at its first element.
const LEAST: u64 = 16;

/// How much memory the elements of a buffer take.
pub(super) fn size(bytes: usize) -> u64 {
    (bytes as u64).next_multiple_of(4).max(LEAST)
}

/// A buffer with these bytes, and zeros behind them.
pub(super) fn upload(context: &Context, bytes: &[u8]) -> Buffer {
    let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
    let buffer = empty(context, size(bytes.len()), usage);
    let whole = bytes.len() / 4 * 4;
    context.queue.write_buffer(&buffer, 0, &bytes[..whole]);
    if whole < bytes.len() {
        let mut last = [0; 4];
        last[..bytes.len() - whole].copy_from_slice(&bytes[whole..]);
        context.queue.write_buffer(&buffer, whole as u64, &last);
    }
    buffer
}

/// A buffer of zeros.
pub(super) fn empty(context: &Context, size: u64, usage: BufferUsages) -> Buffer {
    context.device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
}

/// Waits until `staging` holds what was copied to it, and shows it.
///
/// # Errors
/// What went wrong, in words.
pub(super) fn read(
    context: &Context,
    staging: &Buffer,
    patience: Duration,
    show: impl FnOnce(&[u8]),
) -> Result<(), String> {
    let (send, receive) = mpsc::channel();
    staging.map_async(MapMode::Read, .., move |result| {
        // Nobody waits any more if the launch has been given up.
        let _ = send.send(result);
    });
    let waited = context.device.poll(wgpu::PollType::Wait { submission_index: None, timeout: Some(patience) });
    if let Some(why) = context.trouble() {
        return Err(why);
    }
    waited.map_err(|e| e.to_string())?;
    let mapped = receive.try_recv().map_err(|_| "it does not answer".to_string())?;
    mapped.map_err(|e| e.to_string())?;
    let view = staging.get_mapped_range(..).map_err(|e| e.to_string())?;
    show(&view);
    drop(view);
    staging.unmap();
    Ok(())
}
