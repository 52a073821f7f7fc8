//! Shaders in the hands of the driver.
#![allow(unsafe_code)]

use super::context::Context;
use quadra_back_gpu::{ENTRY, Form, Shader, abi};
use quadra_base::Diagnostic;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;
use wgpu::{BindGroupLayout, BindingType, BufferBindingType, ComputePipeline, ShaderStages};

/// A shader that can be launched.
pub(super) struct Pipeline {
    pub pipeline: ComputePipeline,
    pub layout: BindGroupLayout,
    /// Whether it may leave a mark.
    pub marks: bool,
    /// How it is launched.
    pub form: Form,
    /// Picoseconds that a group took for one item of each invocation, the last time somebody waited; 0 if nobody has.
    pace: AtomicU64,
    /// How often somebody has waited.
    times: AtomicU32,
}

/// How often somebody waits until the pace is believed.
const SETTLED: u32 = 3;

fn refused(why: &str) -> Box<Diagnostic> {
    let d = Diagnostic::error("E0732", format!("the GPU does not take the shader: {why}"));
    Box::new(d.help("run the kernel on another device"))
}

/// Whether the GPU binds so many buffers.
///
/// # Errors
/// `E0732` with the number of buffers that it takes.
pub(super) fn room(context: &Context, buffers: u32) -> Result<(), Box<Diagnostic>> {
    let most = context.bindings.saturating_sub(abi::FIRST_BUFFER);
    let why = || format!("it has {buffers} buffers, and the GPU takes {most}");
    if buffers > most { Err(refused(&why())) } else { Ok(()) }
}

impl Pipeline {
    /// Hands a shader with so many buffers to the driver.
    ///
    /// # Errors
    /// `E0732` with what the driver says.
    pub fn new(context: &Context, shader: &Shader, buffers: u32) -> Result<Pipeline, Box<Diagnostic>> {
        let bindings = abi::FIRST_BUFFER + buffers;
        let entry = |binding: u32| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: ShaderStages::COMPUTE,
            ty: BindingType::Buffer {
                ty: BufferBindingType::Storage { read_only: binding == abi::HEADER },
                has_dynamic_offset: binding == abi::HEADER,
                min_binding_size: None,
            },
            count: None,
        };
        let entries: Vec<_> = (0..bindings).map(entry).collect();
        let device = &context.device;
        let layout =
            device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries });
        let whole = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let entry_points =
            [wgpu::PassthroughShaderEntryPoint { name: ENTRY.into(), workgroup_size: (shader.form.invocations, 1, 1) }];
        // SAFETY: the module was validated before it was written; it touches only what its bindings hold, because every
        // index is proved or tested against the length that the header gives, which a launch takes from the buffers.
        let module = unsafe {
            device.create_shader_module_passthrough(wgpu::ShaderModuleDescriptorPassthrough {
                label: None,
                entry_points: (&entry_points[..]).into(),
                spirv: Some((&shader.words[..]).into()),
                ..Default::default()
            })
        };
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: Some(&whole),
            module: &module,
            entry_point: Some(ENTRY),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        match context.trouble() {
            Some(why) => Err(refused(&why)),
            None => {
                let (marks, form) = (shader.marks, shader.form.clone());
                Ok(Pipeline { pipeline, layout, marks, form, pace: AtomicU64::new(0), times: AtomicU32::new(0) })
            }
        }
    }

    /// Nanoseconds that so many groups take, whose invocations take one item each; nothing if that is not known.
    pub fn estimate(&self, groups: u64) -> Option<f64> {
        let pace = self.pace.load(Ordering::Relaxed);
        (pace > 0).then_some(pace as f64 * 1e-3 * groups as f64)
    }

    /// So many groups took so long. The first times count as the shortest of them: a driver compiles at the first one, and
    /// whatever else a machine does only makes one longer.
    pub fn took(&self, groups: u64, time: Duration) {
        let pace = ((time.as_secs_f64() * 1e12 / groups.max(1) as f64) as u64).max(1);
        let (known, settled) = (self.pace.load(Ordering::Relaxed), self.is_settled());
        self.times.fetch_add(1, Ordering::Relaxed);
        self.pace.store(if known == 0 || settled { pace } else { pace.min(known) }, Ordering::Relaxed);
    }

    /// Whether it was looked at often enough to be sure.
    pub fn is_settled(&self) -> bool {
        self.times.load(Ordering::Relaxed) >= SETTLED
    }
}
