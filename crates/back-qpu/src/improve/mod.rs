//! Improvements of machine code over virtual registers that cost more than a walk: what `-O2` adds before registers are
//! given out.

mod address;
mod flags;

use crate::minst::{BlockId, Code, Term};

/// Runs every improvement.
pub fn run(code: &mut Code) {
    for b in 0..code.blocks.len() {
        flags::from_producers(&mut code.blocks[b]);
    }
    for b in 0..code.blocks.len() {
        if let Some(before) = before_loop(code, b) {
            flags::across_iterations(code, b, before);
            address::run(code, b, before);
        }
    }
}

/// The only block before the loop that is block `b` alone.
fn before_loop(code: &Code, b: BlockId) -> Option<BlockId> {
    let Term::Branch { taken, other, .. } = code.blocks[b].term else { return None };
    if (taken == b) == (other == b) {
        return None;
    }
    let mut others = (0..code.blocks.len()).filter(|&p| p != b && code.blocks[p].term.targets().any(|t| t == b));
    let before = others.next()?;
    others.next().is_none().then_some(before)
}
