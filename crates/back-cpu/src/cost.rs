//! What a group costs.

use quadra_kir::{Block, Kernel, Op};
use quadra_passes::unroll::Counted;

/// Roughly how many vector instructions a group takes; 0 if that depends on the data.
pub fn cost(kernel: &Kernel) -> u64 {
    fn of(kernel: &Kernel, body: &Block) -> Option<u64> {
        body.insts.iter().try_fold(0_u64, |sum, i| {
            let turns = match i.op {
                Op::Loop => return None,
                Op::For if i.regions[0].exits(Op::Break) > 0 => return None,
                Op::For => u64::try_from(Counted::of(i).trips(kernel)?).ok()?,
                _ => 1,
            };
            let inner = i.regions.iter().try_fold(1, |sum: u64, r| Some(sum.saturating_add(of(kernel, r)?)))?;
            Some(sum.saturating_add(inner.saturating_mul(turns)))
        })
    }
    of(kernel, &kernel.body).unwrap_or(0)
}
