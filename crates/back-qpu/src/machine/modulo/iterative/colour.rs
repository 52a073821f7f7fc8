//! Registers for the webs of a scheduled loop.
//!
//! Webs in files have a register each. Webs in accumulators share one if they are never alive together, seen on a circle
//! of as many instructions as an iteration takes.

use super::placement::Times;
use crate::machine::live_physical::{Set, bit};
use crate::machine::modulo::body::Body;
use crate::machine::schedule::deps;
use crate::vc4::minst::Reg;

/// Where a web is to lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    Acc,
    /// In file A or B.
    File,
}

/// Why there are not enough registers.
pub enum Short {
    /// Some of these webs cannot have an accumulator; those that are alive for long come first.
    Accumulators(Vec<usize>),
    /// A file is full.
    File,
}

/// A register for every web: in file B, in file A, or an accumulator where there is no answer.
///
/// # Errors
/// What there is too little of.
pub fn assign(body: &Body, in_b: &[Option<bool>], times: &Times, registers: u8) -> Result<Vec<Reg>, Short> {
    let mut kept = body.reserved;
    for web in &body.webs {
        if let (true, true, Some(home)) = (web.invariant, web.live_out, web.home) {
            kept |= bit(deps::resource(home));
        }
    }
    let mut out = vec![Reg::R4; body.webs.len()];
    accumulators(body, in_b, times, kept, &mut out)?;
    for side in [false, true] {
        let webs = (0..in_b.len()).filter(|&w| in_b[w] == Some(side));
        file(body, webs.collect(), side, kept, registers, &mut out)?;
    }
    Ok(out)
}

fn file(body: &Body, webs: Vec<usize>, side: bool, kept: Set, registers: u8, out: &mut [Reg]) -> Result<(), Short> {
    let make = |n: u8| if side { Reg::B(n) } else { Reg::A(n) };
    let mut free: Vec<Reg> = (0..registers).map(make).collect();
    let own = |w: usize, r: Reg| body.webs[w].home == Some(r);
    free.retain(|r| kept & bit(deps::resource(*r)) == 0 || webs.iter().any(|&w| body.webs[w].invariant && own(w, *r)));
    let mut left = Vec::new();
    for &w in &webs {
        match free.iter().position(|r| own(w, *r)) {
            Some(i) => out[w] = free.remove(i),
            None => left.push(w),
        }
    }
    free.retain(|r| kept & bit(deps::resource(*r)) == 0);
    for w in left {
        out[w] = free.pop().ok_or(Short::File)?;
    }
    Ok(())
}

/// The times at which a web is alive: from the start, so many instructions; never more than the interval.
fn span(body: &Body, w: usize, times: &Times) -> (i32, i32) {
    let web = &body.webs[w];
    if web.invariant || web.live_out {
        return (0, times.ii);
    }
    let (mut start, mut end) = (i32::MAX, i32::MIN);
    let mut written = false;
    for (i, inst) in body.ops.iter().enumerate() {
        let this = Reg::Virt(w as u32);
        let reads = inst.reads().any(|r| r == this) || (inst.keeps_destination() && inst.def() == Some(this));
        if reads {
            // A read before the first write sees the last iteration's value.
            let later = if written { 0 } else { times.ii };
            end = end.max(times.at[i] + later);
        }
        if inst.def() == Some(this) {
            written = true;
            start = start.min(times.at[i]);
            end = end.max(times.at[i] + 1);
        }
    }
    if start == i32::MAX {
        return (0, times.ii);
    }
    if web.live_in.is_some() {
        // The value from before the loop is there from the start.
        start = start.min(times.ii);
    }
    (start, (end - start).min(times.ii))
}

fn overlap(a: (i32, i32), b: (i32, i32), ii: i32) -> bool {
    let gap = (b.0 - a.0).rem_euclid(ii);
    gap < a.1 || ii - gap < b.1
}

fn accumulators(body: &Body, in_b: &[Option<bool>], times: &Times, kept: Set, out: &mut [Reg]) -> Result<(), Short> {
    let mut webs: Vec<(usize, (i32, i32))> =
        (0..in_b.len()).filter(|&w| in_b[w].is_none()).map(|w| (w, span(body, w, times))).collect();
    webs.sort_by_key(|(w, s)| (std::cmp::Reverse(s.1), *w));
    let mut given: Vec<(usize, (i32, i32), u8)> = Vec::new();
    let mut steps = 2000;
    if colour(body, &webs, kept, times.ii, &mut given, &mut steps) {
        for (w, _, n) in given {
            out[w] = Reg::Acc(n);
        }
        return Ok(());
    }
    Err(Short::Accumulators(webs.iter().map(|w| w.0).filter(|&w| !body.webs[w].rotated).collect()))
}

/// Depth-first: the longest first, its own register first.
fn colour(
    body: &Body,
    webs: &[(usize, (i32, i32))],
    kept: Set,
    ii: i32,
    given: &mut Vec<(usize, (i32, i32), u8)>,
    steps: &mut u32,
) -> bool {
    let Some(&(w, span)) = webs.get(given.len()) else { return true };
    let mut order: Vec<u8> = (0..4).collect();
    order.sort_by_key(|&n| body.webs[w].home != Some(Reg::Acc(n)));
    for n in order {
        let r = Reg::Acc(n);
        let own = body.webs[w].invariant && body.webs[w].home == Some(r);
        if kept & bit(deps::resource(r)) != 0 && !own {
            continue;
        }
        if *steps == 0 || given.iter().any(|(_, s, m)| *m == n && overlap(*s, span, ii)) {
            continue;
        }
        *steps -= 1;
        given.push((w, span, n));
        if colour(body, webs, kept, ii, given, steps) {
            return true;
        }
        given.pop();
    }
    false
}
