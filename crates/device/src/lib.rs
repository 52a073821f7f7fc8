//! Devices that run kernels: buffers, cache, launch.
#![deny(unsafe_code)]
