//! One launch: buffers to the GPU, the shader, what it wrote back.

use super::adapter::Context;
use super::buffers;
use super::shader::Pipeline;
use std::time::Duration;
use wgpu::{Buffer, BufferUsages, CommandEncoderDescriptor};

/// How long a launch may take that has no time limit: fuel ends it long before.
const PATIENCE: Duration = Duration::from_secs(60);

/// What is to be launched.
pub struct Dispatch<'a> {
    /// Groups along two axes.
    pub groups: [u32; 2],
    pub header: Vec<u32>,
    /// The buffers that the shader sees, in its order, by their number.
    pub bindings: Vec<usize>,
    /// Which buffers it may write, by their number.
    pub writes: &'a [bool],
    pub time_limit: Option<Duration>,
}

/// Runs a shader once; false if it must run elsewhere, and nothing has changed.
///
/// # Errors
/// What went wrong, in words.
pub fn run(
    context: &Context,
    pipeline: &Pipeline,
    dispatch: &Dispatch<'_>,
    bytes: &mut [&mut Vec<u8>],
) -> Result<bool, String> {
    if bytes.iter().any(|b| buffers::size(b.len()) > context.largest) {
        return Ok(false);
    }
    let memory: Vec<Buffer> = bytes.iter().map(|b| buffers::upload(context, b)).collect();
    let header: Vec<u8> = dispatch.header.iter().flat_map(|w| w.to_le_bytes()).collect();
    let header = buffers::upload(context, &header);
    let marks = buffers::upload(context, &[0; 4]);
    let written: Vec<usize> = (0..memory.len()).filter(|&at| dispatch.writes[at]).collect();
    let total = marks.size() + written.iter().map(|&at| memory[at].size()).sum::<u64>();
    let staging = buffers::empty(context, total, BufferUsages::MAP_READ | BufferUsages::COPY_DST);
    let bound = [&header, &marks].into_iter().chain(dispatch.bindings.iter().map(|&at| &memory[at]));
    let entry = |(at, b): (usize, &Buffer)| (at as u32, b.clone());
    let bound: Vec<(u32, Buffer)> = bound.enumerate().map(entry).collect();
    let mut encoder = context.device.create_command_encoder(&CommandEncoderDescriptor::default());
    encode(context, pipeline, &bound, dispatch.groups, &mut encoder);
    let mut at = 0;
    for from in std::iter::once(&marks).chain(written.iter().map(|&n| &memory[n])) {
        encoder.copy_buffer_to_buffer(from, 0, &staging, at, from.size());
        at += from.size();
    }
    context.queue.submit([encoder.finish()]);
    let patience = dispatch.time_limit.unwrap_or(PATIENCE).max(Duration::from_secs(1));
    let mut clean = false;
    buffers::read(context, &staging, patience, |view| {
        clean = view[..4] == [0; 4];
        let mut at = marks.size() as usize;
        for &n in written.iter().filter(|_| clean) {
            let length = bytes[n].len();
            bytes[n].copy_from_slice(&view[at..at + length]);
            at += memory[n].size() as usize;
        }
    })?;
    Ok(clean)
}

/// The shader on its buffers.
fn encode(
    context: &Context,
    pipeline: &Pipeline,
    bound: &[(u32, Buffer)],
    groups: [u32; 2],
    encoder: &mut wgpu::CommandEncoder,
) {
    let entries: Vec<wgpu::BindGroupEntry<'_>> = bound
        .iter()
        .map(|(binding, b)| wgpu::BindGroupEntry { binding: *binding, resource: b.as_entire_binding() })
        .collect();
    let group = wgpu::BindGroupDescriptor { label: None, layout: &pipeline.layout, entries: &entries };
    let group = context.device.create_bind_group(&group);
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    pass.set_pipeline(&pipeline.pipeline);
    pass.set_bind_group(0, &group, &[]);
    pass.dispatch_workgroups(groups[0], groups[1], 1);
}
