//! The Debug Adapter Protocol, by which editors debug: messages, what waits to be answered, and Quasar programs under it. QPU programs
//! have theirs in `cli::debug_dap_qpu`.

pub mod inbox;
pub mod points;
pub mod program;
pub mod sources;
pub mod values;
pub mod wire;
