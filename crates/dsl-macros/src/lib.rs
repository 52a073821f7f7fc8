//! The `#[kernel]` attribute: plain Rust control flow recorded as kernel IR.
