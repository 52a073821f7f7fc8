//! The host as a device: the reference interpreters, code of this processor, and what that can do at most.

#[cfg(feature = "cpu")]
pub mod cpu;
pub mod interp;
#[cfg(feature = "cpu")]
pub mod roofline;
