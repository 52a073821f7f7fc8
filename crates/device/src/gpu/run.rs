//! One launch: buffers to the GPU, the shader, what it wrote back.

use super::{Compiled, buffers};
use crate::launch::{Bound, LaunchOptions};
use quadra_back_gpu::{Header, abi};
use quadra_kir::{Arg, Fault, FaultKind, Param};
use std::time::Duration;
use wgpu::{BufferUsages, CommandEncoderDescriptor};

/// How long a launch may take that has no time limit: fuel ends it long before.
const PATIENCE: Duration = Duration::from_secs(60);

impl Compiled {
    /// Runs the kernel once; false if it must run elsewhere, and no buffer has changed.
    ///
    /// # Errors
    /// A GPU that is lost, too slow, or has not enough memory.
    pub(super) fn run(&self, bound: &Bound, options: &LaunchOptions) -> Result<bool, Fault> {
        let context = &*self.context;
        let Some(groups) = self.form.groups(&options.extent) else { return Ok(false) };
        if groups[0] == 0 {
            return Ok(true);
        }
        let mut held = bound.lock();
        if held.iter().any(|b| buffers::size(b.bytes.len()) > context.largest) {
            return Ok(false);
        }
        let failed = |why: String| Fault {
            span: self.kernel.span,
            ..Fault::new(&self.kernel.name, FaultKind::Other(format!("the GPU failed: {why}")))
        };
        let memory: Vec<wgpu::Buffer> = held.iter().map(|b| buffers::upload(context, &b.bytes)).collect();
        let words = self.header(bound, options, groups);
        let header: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let header = buffers::upload(context, &header);
        let marks = buffers::upload(context, &[0; 4]);
        let buffer = |arg: &Arg| match arg {
            Arg::Buffer(at) => Some(&memory[*at]),
            Arg::Scalar(_) => None,
        };
        let bindings = [&header, &marks].into_iter().chain(bound.args.iter().filter_map(buffer));
        let entry = |(at, b): (usize, &'_ wgpu::Buffer)| (at as u32, b.clone());
        let bindings: Vec<(u32, wgpu::Buffer)> = bindings.enumerate().map(entry).collect();
        let entries: Vec<wgpu::BindGroupEntry<'_>> = bindings
            .iter()
            .map(|(binding, b)| wgpu::BindGroupEntry { binding: *binding, resource: b.as_entire_binding() })
            .collect();
        let layout = &self.pipeline.layout;
        let group = wgpu::BindGroupDescriptor { label: None, layout, entries: &entries };
        let group = context.device.create_bind_group(&group);
        let mut encoder = context.device.create_command_encoder(&CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&self.pipeline.pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(groups[0], groups[1], 1);
        }
        let written: Vec<usize> = (0..memory.len()).filter(|&at| bound.writes[at]).collect();
        let total: u64 = written.iter().map(|&at| memory[at].size()).sum();
        let marks_size = marks.size();
        let staging = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
        let staging = buffers::empty(context, marks_size + total, staging);
        encoder.copy_buffer_to_buffer(&marks, 0, &staging, 0, marks_size);
        let mut at = marks_size;
        for &n in &written {
            encoder.copy_buffer_to_buffer(&memory[n], 0, &staging, at, memory[n].size());
            at += memory[n].size();
        }
        context.queue.submit([encoder.finish()]);
        let patience = options.time_limit.unwrap_or(PATIENCE).max(Duration::from_secs(1));
        let mut clean = false;
        buffers::read(context, &staging, patience, |bytes| {
            clean = bytes[..4] == [0; 4];
            if clean {
                let mut at = marks_size as usize;
                for &n in &written {
                    let length = held[n].bytes.len();
                    held[n].bytes.copy_from_slice(&bytes[at..at + length]);
                    at += memory[n].size() as usize;
                }
            }
        })
        .map_err(failed)?;
        Ok(clean)
    }

    fn header(&self, bound: &Bound, options: &LaunchOptions, groups: [u32; 2]) -> Vec<u32> {
        let mut scalars = Vec::new();
        let mut dims = Vec::new();
        for (arg, param) in bound.args.iter().zip(&self.kernel.params) {
            match (arg, param) {
                (Arg::Scalar(c), _) => scalars.push(*c),
                // A buffer of one index may be bound to one of several axes.
                (Arg::Buffer(at), Param::Buffer(b)) if self.kernel.bufs[*b].rank == 1 => {
                    dims.push(vec![bound.dims(*at).iter().product()]);
                }
                (Arg::Buffer(at), _) => dims.push(bound.dims(*at)),
            }
        }
        let dims: Vec<&[u32]> = dims.iter().map(Vec::as_slice).collect();
        let header = Header { extent: &options.extent, fuel: self.context.fuel, scalars: &scalars, dims: &dims };
        let words = header.words(&self.form, groups);
        debug_assert!(words.len() >= abi::FIRST_BUFFER as usize);
        words
    }
}
