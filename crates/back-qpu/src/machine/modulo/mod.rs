//! Software pipelining: an innermost loop of one block starts its next iteration before the last one has ended.
//!
//! It runs on allocated code and gives the loop new registers. There are two schedulers, between which `search` chooses: short bodies are
//! searched for the shortest interval there is by `iterative`; long ones get times and registers together in one walk over two
//! rounds by `forward`, which may end with all of an iteration in one round: then nothing overlaps, but registers no longer keep
//! operations apart. `balance` first moves invariants between the files where one is read much more often than the other. Where
//! the result is not shorter than what the list scheduler makes of the block, the block stays as it is.

mod balance;
mod body;
mod expand;
mod forward;
mod found;
mod graph;
mod iterative;
mod order;
mod search;

use super::code::{Block, BlockId, Code, Term};
use super::isa::Isa;
use super::live_physical;
use super::registers::Set;
use super::schedule::deps::Queues;

/// Steps of the search that may be taken per kernel: some milliseconds.
const BUDGET: i64 = 240_000;

/// What became of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// So many iterations are under way at once.
    Pipelined { stages: u32 },
    /// It stays as the list scheduler makes it.
    Left(&'static str),
}

/// Pipelines the loops of `code`, at most `registers` of each file in use. Gives what became of those that have a tag.
pub fn run<I: Isa>(code: &mut Code<I>, queues: Queues, registers: u8) -> Vec<(u32, Outcome)> {
    let loops: Vec<BlockId> = (0..code.blocks.len()).filter(|&b| is_loop(&code.blocks[b], b)).collect();
    let mut out = Vec::new();
    if loops.is_empty() {
        return out;
    }
    let mut needed = live_physical::at_start(code);
    let mut budget = BUDGET;
    // From the last to the first, so that the numbers of those that come keep.
    let size = |code: &Code<I>, b: BlockId| code.blocks[b].insts.len() as i64;
    let mut left: i64 = loops.iter().map(|&b| size(code, b)).sum();
    for b in loops.into_iter().rev() {
        let tag = code.blocks[b].tag;
        // Each has its share, and what the others have left.
        let own = size(code, b);
        let mut share = budget * own / left.max(1);
        left -= own;
        budget -= share;
        let outcome = pipelined(code, b, &needed, queues, registers, &mut share);
        budget += share.max(0);
        let outcome = match outcome {
            Ok((blocks, stages)) => {
                replace(code, b, blocks);
                needed = live_physical::at_start(code);
                Outcome::Pipelined { stages }
            }
            Err(why) => Outcome::Left(why),
        };
        out.extend(tag.map(|tag| (tag, outcome)));
    }
    out
}

fn pipelined<I: Isa>(
    code: &Code<I>,
    b: BlockId,
    needed: &[Set],
    queues: Queues,
    registers: u8,
    budget: &mut i64,
) -> Result<(Vec<Block<I>>, u32), &'static str> {
    let body = body::of(code, b, needed)
        .ok_or("it prints, synchronises or keeps a special register from one iteration to the next")?;
    if body.ops.len() > search::LONGEST {
        return Err("it has too many operations to search");
    }
    let cx = found::Context { code, queues, registers };
    let limit = search::Limit::of(code, queues, b);
    let found = search::run(&cx, &body, limit, budget).ok_or("no shorter schedule was found")?;
    let blocks = expand::run(code, b, &found).ok_or("its first and last iteration cannot be put in order")?;
    Ok((blocks, found.times.stages() as u32))
}

/// Whether a block is a loop by itself.
pub fn is_loop<I: Isa>(block: &Block<I>, b: BlockId) -> bool {
    matches!(block.term, Term::Branch { taken, other, .. } if (taken == b) != (other == b)) && block.rows.is_none()
}

/// Instructions from one iteration of the loop `b` to the next that its dependences ask for, whatever the registers.
pub fn latency<I: Isa>(code: &Code<I>, queues: Queues, b: BlockId) -> Option<u32> {
    let body = body::of(code, b, &live_physical::at_start(code))?;
    if body.ops.len() > search::LONGEST {
        return None;
    }
    let body = order::early_test(code, &order::in_place(code, &body));
    let graph = graph::links(code, &body, queues).graph(|_| false, false);
    (1..200).find(|&ii| graph::distances(&graph, ii).is_some()).map(|ii| ii as u32)
}

/// Puts blocks into the place of block `b`, the first of which is where the others jump; their targets are right already.
fn replace<I: Isa>(code: &mut Code<I>, b: BlockId, blocks: Vec<Block<I>>) {
    let more = blocks.len() - 1;
    for (i, block) in code.blocks.iter_mut().enumerate() {
        if i != b {
            block.term = block.term.map(|t| if t > b { t + more } else { t });
        }
    }
    code.blocks.splice(b..=b, blocks);
}
