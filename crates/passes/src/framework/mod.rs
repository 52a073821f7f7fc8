//! What every pass is made of, and the codes of what passes refuse.

pub mod codes;
pub mod pass;
