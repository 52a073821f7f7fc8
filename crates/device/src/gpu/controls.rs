//! What a driver says of floats that wgpu does not pass on.
#![allow(unsafe_code)]

use ash::vk;
use wgpu::hal::api::Vulkan;

/// Whether shaders may ask for zeros with a sign, infinities and NaN to be kept, in operations of 32 and of 64 bits.
pub(super) fn special(adapter: &wgpu::Adapter) -> [bool; 2] {
    // SAFETY: nothing is destroyed through it.
    let Some(raw) = (unsafe { adapter.as_hal::<Vulkan>() }) else { return [false; 2] };
    let mut controls = vk::PhysicalDeviceFloatControlsProperties::default();
    let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut controls);
    // SAFETY: the device is the instance's. A driver that knows nothing of these leaves them as they are.
    unsafe {
        raw.shared_instance().raw_instance().get_physical_device_properties2(raw.raw_physical_device(), &mut all)
    };
    let version = all.properties.api_version;
    let (single, double) =
        (controls.shader_signed_zero_inf_nan_preserve_float32, controls.shader_signed_zero_inf_nan_preserve_float64);
    // Before that it was an extension, which wgpu does not ask for.
    [single, double].map(|kept| kept == vk::TRUE && version >= vk::API_VERSION_1_2)
}
