//! What code is made of and for: what those that write it, call it and keep it need.

pub mod brief;
pub mod caps;
pub mod function;
pub mod refill;
pub mod text;
