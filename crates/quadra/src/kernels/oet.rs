//! Odd-even transposition sort of 32 integers in two vectors.

use super::{Shipped, Workload, check};
use quadra_base::Diagnostic;
use quadra_device::{Device, Report};
use quadra_dsl::prelude::*;

/// Sorts 32 integers in place: 32 rounds that compare and exchange neighbours, the even pairs and the odd pairs in turn.
/// One vector holds the elements at even positions, the other those at odd positions. Where an element starts does not
/// matter, so the vectors are loaded as they lie in memory; where it ends does, so they are stored with a stride of 2.
#[kernel]
pub fn oet(p: Ptr<Int>) {
    set_write_stride(2);
    let mut evens = *p;
    let mut odds = p[16];
    for _ in range(0, 16, 1) {
        let low = min(evens, odds);
        odds = max(evens, odds);
        // The odd pairs: the element at 2i + 1 and its right neighbour at 2i + 2; lane 15 has none.
        let right = rotate(low, 15);
        let inner = index() != 15;
        evens = rotate(select(inner, max(odds, right), right), 1);
        odds = select(inner, min(odds, right), odds);
    }
    *p = evens;
    p[1] = odds;
}

pub const OET: Shipped = Shipped {
    name: "oet",
    about: "odd-even transposition sort",
    record: || oet().record(),
    workloads: &[Workload::new("32 integers", 1, run_oet).qpulib(110, 444)],
};

/// Inputs of the workload: 32 integers, some of them equal.
pub fn unsorted() -> Vec<i32> {
    let mut inputs = check::Inputs::new(1);
    (0..32).map(|_| inputs.below(100) as i32 - 20).collect()
}

fn run_oet(device: &dyn Device, qpus: u32) -> Result<Report, Diagnostic> {
    let mut want = unsorted();
    let p = Buffer::from(want.clone());
    let report = oet().compile(device)?.qpus(qpus).call((&p,))?;
    want.sort_unstable();
    check::ints("oet", &p.to_vec(), &want)?;
    Ok(report)
}
