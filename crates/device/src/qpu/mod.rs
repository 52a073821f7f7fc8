//! Programs of QPUs, for the emulated chip and the real one, and the emulated one as a device.

pub mod emu;
mod kept;
pub mod layout;
pub mod programs;
mod together;
