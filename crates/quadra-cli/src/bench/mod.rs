//! What `quadra bench` measures on this processor.

pub mod auto;
pub mod cpu;
pub mod general;
pub mod host;
mod process;
