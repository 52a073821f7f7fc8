//! The shortest interval at which iterations can start, with a register for every web: which scheduler looks for it, and on
//! which forms of the body.

use super::balance;
use super::body::Body;
use super::forward::{Loop, STRATEGIES};
use super::found::{Context, Found, least};
use super::iterative;
use super::order;
use crate::machine::code::{BlockId, Code};
use crate::machine::isa::{Instruction, Isa, MOST_QUEUES};
use crate::machine::schedule;
use crate::machine::schedule::deps::{Queue, Queues};

/// Bodies with more operations are left to the list scheduler: the search takes more than their square.
pub const LONGEST: usize = 192;

/// Bodies with at most so many operations are searched from their bound upwards.
const SHORT: usize = 30;

/// Bodies with at most so many operations are cheap enough to try everything on.
const SMALL: usize = 44;

/// Bodies with at most so many operations are not searched quickly first.
const TINY: usize = 16;

/// The intervals that a schedule must beat.
#[derive(Clone, Copy)]
pub struct Limit {
    /// The instructions that the list scheduler needs.
    slots: i32,
    /// With what it waits for results of queues.
    patient: i32,
}

impl Limit {
    /// The limits of the loop that is block `b`.
    pub fn of<I: Isa>(code: &Code<I>, queues: Queues, b: BlockId) -> Limit {
        let (slots, patient) = schedule::length(code, queues, b);
        Limit { slots: slots as i32, patient: patient as i32 }
    }
}

/// The best schedule with an interval below `limit`.
pub fn run<I: Isa>(cx: &Context<I>, body: &Body<I>, limit: Limit, budget: &mut i64) -> Option<Found<I>> {
    if body.ops.len() > LONGEST || !body.ops.iter().any(|i| i.sets_flags()) {
        return None;
    }
    let body = order::in_place(cx.code, body);
    // Something that is found at once first, then for short bodies what takes longer to find.
    let quick = if body.ops.len() > TINY { long(cx, &body, limit, budget) } else { None };
    if body.ops.len() > SHORT {
        return quick;
    }
    let limit = quick.as_ref().map_or(limit.slots, |f| f.times.ii.min(limit.slots));
    iterative::shortest(cx, &body, limit, budget).or(quick)
}

/// Long bodies: without waiting for memory, or else, where one wait serves all requests, as it
/// may be.
fn long<I: Isa>(cx: &Context<I>, body: &Body<I>, limit: Limit, budget: &mut i64) -> Option<Found<I>> {
    let asks = |i: &I::Inst| (0..MOST_QUEUES).any(|q| cx.queues[q] == Queue::Closed && i.is_request(q));
    let lookup = I::LOOKUP as i32;
    let latencies: &[i32] = match body.ops.iter().filter(|i| asks(i)).count() {
        0 => &[0],
        n if n > I::MOST_REQUESTS => &[lookup],
        _ => &[lookup, 0],
    };
    latencies.iter().enumerate().find_map(|(k, &latency)| {
        let mut part = *budget / (latencies.len() - k) as i64;
        *budget -= part;
        let limit = if latency > 0 { limit.patient } else { limit.slots };
        let found = by_halves(cx, body, limit, latency, &mut part);
        *budget += part.max(0);
        found
    })
}

/// From what there is without pipelining halfway to the bound, and on from there with what worked.
fn by_halves<I: Isa>(cx: &Context<I>, body: &Body<I>, limit: i32, latency: i32, budget: &mut i64) -> Option<Found<I>> {
    let early = order::early_test(cx.code, body);
    let copied = order::with_early_copy(body);
    let late = order::with_late_copy(copied.as_ref().unwrap_or(&early));
    let moved = early.branch_at != body.branch_at;
    let plain = moved.then(|| body.clone());
    let mut bodies: Vec<Body<I>> = plain.into_iter().chain([early]).chain(late).chain(copied).collect();
    let small = body.ops.len() <= SMALL;
    if small {
        let balanced: Vec<Body<I>> = bodies.iter().filter_map(|b| balance::run(b, cx.registers)).collect();
        bodies.extend(balanced);
    }
    let loops: Vec<Loop<I>> = bodies.iter().map(|b| Loop::new(cx, b, latency)).collect();
    let all = (0..loops.len()).flat_map(|l| (0..STRATEGIES.len()).map(move |s| (l, s, 0)));
    // Where every iteration waits for the one before, what decides about the next one comes last.
    let mut ways: Vec<(usize, usize, i32)> = all.chain([(0, 0, 1)]).collect();
    let (mut low, mut high) = (least::<I>(&body.ops), limit);
    let mut best: Option<Found<I>> = None;
    // Nothing came near at some interval: the longest there is decides whether it is worth going on.
    let mut doubtful = false;
    // The last instruction or two of a long body are not worth what they cost to find.
    while low < high && (best.is_none() || low + high / 40 < high) && *budget > 0 {
        // Where patience makes it hard, what is easier to find first.
        let ii = match best {
            None if doubtful => high - 1,
            None if latency > 0 || small => low + (high - low) * 3 / 4,
            _ => low + (high - low) / 2,
        };
        let tried = if best.is_none() || small { ways.len() } else { WAYS };
        let (mut found, mut left) = (None, usize::MAX);
        for (way, &(l, s, ahead)) in ways.iter().enumerate().take(tried) {
            match loops[l].at((ii, ahead), s, budget) {
                Ok((times, registers)) => {
                    best = Some(Found { body: bodies[l].clone(), times, registers });
                    found = Some(way);
                    break;
                }
                Err(n) => left = left.min(n),
            }
            // What no strategy comes near to is not found on a body that differs in an operation or two, either.
            if way + 1 >= STRATEGIES.len() && is_far(left, body) {
                break;
            }
        }
        match found {
            Some(way) => {
                ways[..=way].rotate_right(1);
                high = ii;
            }
            None if doubtful => break,
            None => {
                doubtful = best.is_none() && is_far(left, body);
                low = ii + 1;
            }
        }
    }
    best
}

/// Whether so many operations without a time are too many for another attempt: where one finds times for all, others of the
/// same interval leave one or two.
fn is_far<I: Isa>(left: usize, body: &Body<I>) -> bool {
    left > 2 + body.ops.len() / 16
}

/// Ways that are tried for shorter intervals once one has worked.
const WAYS: usize = 3;
