//! What launches cost without anything of this project around them: the measure for its own.

use super::context::Context;
use super::shader::Code;
use crate::common::accelerator::costs::{SMALL, SMALL_ITEMS};
use quadra_back_gpu::{Header, Prepared};
use quadra_kir::parse;
use std::time::Instant;
use wgpu::{BufferUsages, PollType};

/// Seconds until `launches` launches of a small kernel are done that are handed over together, by the library underneath.
///
/// # Errors
/// What went wrong, in words.
pub(super) fn seconds(context: &Context, launches: u32) -> Result<f64, String> {
    let said = |d: Vec<quadra_base::Diagnostic>| d[0].message.clone();
    let kernel = parse::kernel("raw", SMALL).map_err(said)?;
    let prepared = Prepared::new(&kernel, context.facts.caps).map_err(said)?;
    let extent = [SMALL_ITEMS];
    let known = quadra_passes::specialise::Known {
        extent: vec![Some(SMALL_ITEMS)],
        workers: None,
        scalars: vec![None],
        dims: vec![Some(vec![SMALL_ITEMS])],
    };
    let shader = prepared.shader(&prepared.confirmed(&known), &context.facts.target).map_err(said)?;
    let pipeline = Code::new(context, &shader, 1)?;
    let header = Header { extent: &extent, scalars: &[], dims: &[&extent] }.words(&shader.form, 0, 1);
    let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
    let buffers = [256, 16, u64::from(4 * SMALL_ITEMS)].map(|size| context.empty(size, usage));
    let bytes: Vec<u8> = header.iter().flat_map(|w| w.to_le_bytes()).collect();
    context.queue.write_buffer(&buffers[0], 0, &bytes);
    let entries: Vec<wgpu::BindGroupEntry<'_>> = (0..)
        .zip(&buffers)
        .map(|(binding, b)| wgpu::BindGroupEntry { binding, resource: b.as_entire_binding() })
        .collect();
    let group = wgpu::BindGroupDescriptor { label: None, layout: &pipeline.layout, entries: &entries };
    let group = context.device.create_bind_group(&group);
    let wait = || context.device.poll(PollType::wait_indefinitely()).map_err(|e| e.to_string());
    let mut time = 0.0;
    // The first ones compile.
    for launches in [1, launches] {
        wait()?;
        let begin = Instant::now();
        let mut encoder = context.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline.pipeline);
        for _ in 0..launches {
            pass.set_bind_group(0, &group, &[0]);
            pass.dispatch_workgroups(1, 1, 1);
        }
        drop(pass);
        context.queue.submit([encoder.finish()]);
        wait()?;
        time = begin.elapsed().as_secs_f64();
    }
    Ok(time)
}
