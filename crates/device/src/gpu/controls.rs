//! What a driver says of floats that wgpu does not pass on.
#![allow(unsafe_code)]

use ash::vk;
use wgpu::hal::api::Vulkan;

/// What shaders may ask to be kept in operations of 32 and of 64 bits: zeros with a sign, infinities and NaN; and denormal numbers.
pub(super) fn kept(adapter: &wgpu::Adapter) -> [[bool; 2]; 2] {
    // SAFETY: nothing is destroyed through it.
    let Some(raw) = (unsafe { adapter.as_hal::<Vulkan>() }) else { return [[false; 2]; 2] };
    let mut controls = vk::PhysicalDeviceFloatControlsProperties::default();
    let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut controls);
    // SAFETY: the device is the instance's. A driver that knows nothing of these leaves them as they are.
    unsafe {
        raw.shared_instance().raw_instance().get_physical_device_properties2(raw.raw_physical_device(), &mut all)
    };
    // Before that it was an extension, which wgpu does not ask for.
    let known = all.properties.api_version >= vk::API_VERSION_1_2;
    let special =
        [controls.shader_signed_zero_inf_nan_preserve_float32, controls.shader_signed_zero_inf_nan_preserve_float64];
    let mut denormals = [controls.shader_denorm_preserve_float32, controls.shader_denorm_preserve_float64];
    let independent = controls.denorm_behavior_independence != vk::ShaderFloatControlsIndependence::NONE;
    if !independent && denormals.contains(&vk::FALSE) {
        denormals = [vk::FALSE; 2];
    }
    [special, denormals].map(|pair| pair.map(|kept| known && kept == vk::TRUE))
}
