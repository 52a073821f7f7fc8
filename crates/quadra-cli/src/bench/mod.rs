//! What `quadra bench` measures on this processor.

pub mod cpu;
pub mod general;
