//! Shaders in the hands of the driver.
#![allow(unsafe_code)]

use super::adapter::Context;
use quadra_back_gpu::{ENTRY, Shader, abi};
use quadra_base::Diagnostic;
use wgpu::{BindGroupLayout, BindingType, BufferBindingType, ComputePipeline, ShaderStages};

/// A shader that can be launched.
pub(super) struct Pipeline {
    pub pipeline: ComputePipeline,
    pub layout: BindGroupLayout,
}

impl Pipeline {
    /// Hands a shader with so many buffers to the driver.
    ///
    /// # Errors
    /// `E0732` with what the driver says, or the number of buffers that the GPU takes.
    pub fn new(context: &Context, shader: &Shader, buffers: u32) -> Result<Pipeline, Box<Diagnostic>> {
        let refused = |why: String| {
            let d = Diagnostic::error("E0732", format!("the GPU does not take the shader: {why}"));
            Box::new(d.help("run the kernel on another device"))
        };
        let bindings = abi::FIRST_BUFFER + buffers;
        if bindings > context.bindings {
            let most = context.bindings.saturating_sub(abi::FIRST_BUFFER);
            return Err(refused(format!("it has {buffers} buffers, and the GPU takes {most}")));
        }
        let entry = |binding: u32| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: ShaderStages::COMPUTE,
            ty: BindingType::Buffer {
                ty: BufferBindingType::Storage { read_only: binding == abi::HEADER },
                has_dynamic_offset: false,
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
        // index is proved or tested against the length that the header gives, which `run` takes from the buffers.
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
            Some(why) => Err(refused(why)),
            None => Ok(Pipeline { pipeline, layout }),
        }
    }
}
