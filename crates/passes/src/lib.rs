//! Internal crate of Quadra: no stable interface.
//!
//! Analyses and transformations of the kernel IR, and the pipelines made of them.
#![forbid(unsafe_code)]

pub mod pipeline;
pub mod pass;
pub mod choices;
pub mod codes;
pub mod promote;
pub mod mask;
pub mod access;
pub mod fifo;
pub mod fission;
pub mod fold;
pub mod induction;
pub mod licm;
pub mod mul24;
pub mod halves;
pub mod defifo;
pub mod unroll;
pub mod bounds;
pub mod specialise;
pub mod interior;
pub mod unfold;
pub mod freeze;
pub mod predicate;
pub mod replay;
pub mod cse;
pub mod dce;
pub mod legalize;
pub mod analysis;
