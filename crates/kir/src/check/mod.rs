//! The checker: what every kernel must fulfil, at either level.

pub mod typing;
