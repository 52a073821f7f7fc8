//! Internal crate of Quadra: no stable interface.
//!
//! Passes for a target that moves rows between memory and a store of its own, by transfers that take as many rows as one likes: the
//! VPM and the DMA engines of the VideoCore IV. Behind [`quadra_passes::pipeline`], for launches of a known kind.
//!
//! What stands here wants to know how many rows a worker has, or makes loops and rows that only pay where a transfer is dear to begin;
//! everything else belongs into `quadra-passes`.
#![forbid(unsafe_code)]

pub mod grid;
pub mod merge;
pub mod near;
pub mod prefetch;
pub mod ranges;
pub mod rows;
pub mod share;
pub mod tiles;

use quadra_base::Diagnostic;
use quadra_kir::{Caps, Kernel};
use quadra_passes::pass::{self, Facts, Launches, Options, Pass, PassCx, Step};
use quadra_passes::{access, cse, dce, defifo, fold, licm, pipeline, predicate};

/// From a legal SIMD kernel to one whose memory accesses fit the launches it is compiled for.
pub const MEMORY: &[Pass] = &[
    predicate::PASS,
    near::PASS,
    merge::PASS,
    ranges::PASS,
    grid::PASS,
    tiles::PASS,
    fold::PASS,
    defifo::PASS,
    access::PASS,
    share::PASS,
    prefetch::PASS,
    rows::PASS,
    fold::PASS,
    cse::PASS,
    licm::PASS,
    dce::PASS,
];

/// Fits a legal SIMD kernel to launches of this kind, and shows each step to `watch`.
///
/// # Errors
/// None today; passes may refuse a kernel.
pub fn memory(
    kernel: &mut Kernel,
    caps: &Caps,
    launches: Launches,
    options: &Options<'_>,
    watch: &mut dyn FnMut(&Step<'_>),
) -> Result<(), Vec<Diagnostic>> {
    let cx = PassCx { caps, launches };
    let mut facts = Facts::VALUES.and(Facts::IN_BOUNDS).and(Facts::SIMD).and(Facts::LEGAL);
    pass::run(MEMORY, kernel, &cx, &mut facts, options, watch).map(|_| ())
}

/// The pass with this name, in any pipeline.
pub fn find(name: &str) -> Option<&'static Pass> {
    pipeline::find(name).or_else(|| MEMORY.iter().find(|p| p.name == name))
}
