//! Loops: unrolling, peeling what needs no tests, values that lanes keep.

pub mod choices;
pub mod ends;
pub mod freeze;
pub mod halves;
pub mod interior;
pub mod limits;
pub mod jam;
pub mod settled;
pub mod unfold;
pub mod unroll;
