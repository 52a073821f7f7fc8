//! Software pipelining: an innermost loop of one block starts its next iteration before the last one has ended.
//!
//! It runs on allocated code and gives the loop new registers. Where the result is not shorter than what the list
//! scheduler makes of the block, the block stays as it is.

mod body;
mod color;
mod expand;
mod live;
mod order;
mod place;
mod search;
mod sides;

use crate::minst::{Block, BlockId, Code, Term};
use crate::schedule::{self, deps};

/// Placements of operations that may be tried per kernel: some milliseconds.
const BUDGET: i64 = 12_000;

/// Pipelines the loops of `code`, at most `registers` of each file in use.
pub fn run(code: &mut Code, queues: [deps::Queue; 2], registers: u8) {
    let loops: Vec<BlockId> = (0..code.blocks.len()).filter(|&b| is_loop(&code.blocks[b], b)).collect();
    if loops.is_empty() {
        return;
    }
    let mut needed = live::at_start(code);
    let mut budget = BUDGET;
    // From the last to the first, so that the numbers of those that come keep.
    for b in loops.into_iter().rev() {
        let Some(body) = body::of(code, b, &needed) else { continue };
        let cx = search::Context { code, queues, registers };
        let limit = schedule::length(code, queues, b) as i32;
        let Some(found) = search::run(&cx, &body, limit, &mut budget) else { continue };
        let Some(blocks) = expand::run(code, b, &found) else { continue };
        replace(code, b, blocks);
        needed = live::at_start(code);
    }
}

fn is_loop(block: &Block, b: BlockId) -> bool {
    matches!(block.term, Term::Branch { taken, other, .. } if (taken == b) != (other == b)) && block.rows.is_none()
}

/// Puts blocks into the place of block `b`, the first of which is where the others jump; their targets are right already.
fn replace(code: &mut Code, b: BlockId, blocks: Vec<Block>) {
    let more = blocks.len() - 1;
    for (i, block) in code.blocks.iter_mut().enumerate() {
        if i != b {
            block.term = block.term.map(|t| if t > b { t + more } else { t });
        }
    }
    code.blocks.splice(b..=b, blocks);
}
