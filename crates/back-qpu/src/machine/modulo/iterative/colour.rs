//! Registers for the webs of a scheduled loop.
//!
//! Webs in files have a register each. Webs in quick registers share one if they are never alive together, seen on a circle
//! of as many instructions as an iteration takes.

use crate::machine::isa::{Instruction, Isa};
use crate::machine::live_physical::state;
use crate::machine::modulo::body::Body;
use crate::machine::modulo::graph::Times;
use crate::machine::registers::{self, Bank, Reg, Set, available, bit, each};

/// Where a web is to lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    Quick,
    File,
}

/// Why there are not enough registers.
pub enum Short {
    /// Some of these webs cannot have a quick register; those that are alive for long come first.
    Quick(Vec<usize>),
    /// A file is full.
    File,
}

/// A register for every web: in the second file, in the first, or a quick one where there is no answer.
///
/// # Errors
/// What there is too little of.
pub fn assign<I: Isa>(
    body: &Body<I>,
    second: &[Option<bool>],
    times: &Times,
    registers: u8,
) -> Result<Vec<Reg>, Short> {
    let mut kept = body.reserved;
    for web in &body.webs {
        if let (true, true, Some(home)) = (web.invariant, web.live_out, web.home) {
            kept |= state(home).map_or(0, bit);
        }
    }
    let mut out = vec![registers::at(0); body.webs.len()];
    quick(body, second, times, kept, &mut out)?;
    for side in [false, true] {
        let webs = (0..second.len()).filter(|&w| second[w] == Some(side));
        let free = Bank::File(side.into()).members::<I>() & available::<I>(registers);
        file(body, webs.collect(), (free, kept), &mut out)?;
    }
    Ok(out)
}

/// Registers of one file, those of `kept` only for what has lain in them before the loop.
fn file<I: Isa>(body: &Body<I>, webs: Vec<usize>, (free, kept): (Set, Set), out: &mut [Reg]) -> Result<(), Short> {
    let mut free: Vec<Reg> = each(free).map(registers::at).collect();
    let is_kept = |r: &Reg| state(*r).is_some_and(|r| kept & bit(r) != 0);
    let own = |w: usize, r: Reg| body.webs[w].home == Some(r);
    free.retain(|r| !is_kept(r) || webs.iter().any(|&w| body.webs[w].invariant && own(w, *r)));
    let mut left = Vec::new();
    for &w in &webs {
        match free.iter().position(|r| own(w, *r)) {
            Some(i) => out[w] = free.remove(i),
            None => left.push(w),
        }
    }
    free.retain(|r| !is_kept(r));
    for w in left {
        out[w] = free.pop().ok_or(Short::File)?;
    }
    Ok(())
}

/// The times at which a web is alive: from the start, so many instructions; never more than the interval.
fn span<I: Isa>(body: &Body<I>, w: usize, times: &Times) -> (i32, i32) {
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

fn quick<I: Isa>(
    body: &Body<I>,
    second: &[Option<bool>],
    times: &Times,
    kept: Set,
    out: &mut [Reg],
) -> Result<(), Short> {
    let mut webs: Vec<(usize, (i32, i32))> =
        (0..second.len()).filter(|&w| second[w].is_none()).map(|w| (w, span(body, w, times))).collect();
    webs.sort_by_key(|(w, s)| (std::cmp::Reverse(s.1), *w));
    let mut given: Vec<(usize, (i32, i32), u8)> = Vec::new();
    let mut steps = 2000;
    if colour(body, &webs, kept, times.ii, &mut given, &mut steps) {
        for (w, _, n) in given {
            out[w] = Bank::Quick.register::<I>(n);
        }
        return Ok(());
    }
    Err(Short::Quick(webs.iter().map(|w| w.0).filter(|&w| !body.webs[w].quick).collect()))
}

/// Depth-first: the longest first, its own register first.
fn colour<I: Isa>(
    body: &Body<I>,
    webs: &[(usize, (i32, i32))],
    kept: Set,
    ii: i32,
    given: &mut Vec<(usize, (i32, i32), u8)>,
    steps: &mut u32,
) -> bool {
    let Some(&(w, span)) = webs.get(given.len()) else { return true };
    let mut order: Vec<u8> = (0..I::QUICK).collect();
    order.sort_by_key(|&n| body.webs[w].home != Some(Bank::Quick.register::<I>(n)));
    for n in order {
        let r = Bank::Quick.register::<I>(n);
        let own = body.webs[w].invariant && body.webs[w].home == Some(r);
        if kept & state(r).map_or(0, bit) != 0 && !own {
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
