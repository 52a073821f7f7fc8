//! What devices have in common: buffers, the binding of arguments, launches, reports.

#[cfg(feature = "gpu")]
pub mod accelerator;
pub mod buffer;
pub mod device;
pub mod groups;
pub mod launch;
pub mod modelled;
pub mod nodes;
#[cfg(feature = "cpu")]
pub mod queue;
pub mod storage;
pub mod work;
