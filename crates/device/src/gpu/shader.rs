//! Shaders in the hands of the driver.
#![allow(unsafe_code)]

use super::context::Context;
use quadra_back_gpu::{ENTRY, Shader, abi};
use wgpu::{BindGroupLayout, BindingType, BufferBindingType, ComputePipeline, ShaderStages};

/// A shader that can be launched.
pub(crate) struct Code {
    pub pipeline: ComputePipeline,
    pub layout: BindGroupLayout,
}

impl Code {
    /// Hands a shader with so many buffers to the driver.
    ///
    /// # Errors
    /// What the driver says.
    pub fn new(context: &Context, shader: &Shader, buffers: u32) -> Result<Code, String> {
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
        match context.trouble.take() {
            Some(why) => Err(why),
            None => Ok(Code { pipeline, layout }),
        }
    }
}
