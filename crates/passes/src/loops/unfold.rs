//! Counted loops of few iterations become their iterations.
//!
//! Not in a pipeline: for targets whose code may grow, once sizes are known. Indices then are constants away from each
//! other, and what neighbouring iterations load twice is seen.

use crate::unroll::{Counted, copy};
use quadra_base::quick::Map;
use quadra_kir::{Block, Const, Inst, Kernel, Op, Type, Value, Values};
use std::cell::Cell;

/// Most iterations that are written one after the other: of longer loops neighbours have nothing in common with most others,
/// and code that is used once an item does not pay for its compilation.
const MOST_TRIPS: usize = 64;

/// Unfolds loops of few iterations, innermost first, as long as a loop's iterations have at most `most` instructions in all.
pub fn run(kernel: &mut Kernel, most: usize) {
    run_where(kernel, most, &|_| true);
}

/// The same with those loops that are `wanted`; whether there was one.
pub fn run_where(kernel: &mut Kernel, most: usize, wanted: &dyn Fn(&Inst) -> bool) -> bool {
    let body = std::mem::take(&mut kernel.body);
    let (mut map, unfolded) = (Map::default(), Cell::new(false));
    let body = block(kernel, body, Rule { most, wanted, unfolded: &unfolded }, &mut map);
    kernel.body = body;
    kernel.replace_uses(&map);
    unfolded.get()
}

#[derive(Clone, Copy)]
struct Rule<'a> {
    /// How many instructions a loop's iterations may have in all.
    most: usize,
    /// Which loops are looked at.
    wanted: &'a dyn Fn(&Inst) -> bool,
    /// Whether there was one.
    unfolded: &'a Cell<bool>,
}

fn block(kernel: &mut Kernel, b: Block, rule: Rule<'_>, map: &mut Map<Value, Value>) -> Block {
    let mut out = Vec::with_capacity(b.insts.len());
    for mut inst in b.insts {
        inst.regions = std::mem::take(&mut inst.regions).into_iter().map(|r| block(kernel, r, rule, map)).collect();
        match iterations(kernel, &inst, rule) {
            Some(counters) => {
                rule.unfolded.set(true);
                unfold(kernel, inst, &counters, &mut out, map);
            }
            None => out.push(inst),
        }
    }
    Block { params: b.params, insts: out }
}

/// The values of the counter, if the loop is one to unfold.
fn iterations(kernel: &Kernel, inst: &Inst, rule: Rule<'_>) -> Option<Vec<i32>> {
    if inst.op != Op::For || !(rule.wanted)(inst) {
        return None;
    }
    let body = &inst.regions[0];
    let leaves = body.exits(Op::Break) + body.exits(Op::Continue) + body.exits(Op::Return) > 0;
    if leaves || body.terminator().is_none_or(|t| t.op != Op::Yield) {
        return None;
    }
    let trips = Counted::of(inst).trips(kernel)?;
    let (lo, step) = (kernel.as_i32(inst.args[0])?, kernel.as_i32(inst.args[2])?);
    let trips = trips as usize;
    let fits = trips <= MOST_TRIPS && trips * body.count() <= rule.most;
    fits.then(|| (0..trips as i32).map(|i| lo.wrapping_add(step.wrapping_mul(i))).collect())
}

fn unfold(kernel: &mut Kernel, inst: Inst, counters: &[i32], out: &mut Vec<Inst>, done: &mut Map<Value, Value>) {
    let params = &inst.regions[0].params;
    let body = resolved(&inst.regions[0].insts, done);
    let mut carried = Values::from_slice(inst.carried());
    for &counter in counters {
        let mut map = Map::from_iter([(params[0], kernel.const_i32(counter))]);
        map.extend(params[1..].iter().copied().zip(carried));
        // What unfolded loops within gave, has been replaced by now only in name.
        for inst in &body {
            match known(kernel, inst, &map) {
                Some(value) => drop(map.insert(inst.result(), value)),
                None => out.extend(copy(kernel, std::slice::from_ref(inst), &mut map)),
            }
        }
        carried = out.pop().map_or(Values::new(), |end| end.args);
    }
    done.extend(inst.results.iter().copied().zip(carried));
}

/// What an instruction's value is if it follows from the counter: most of a loop that chooses among values would only be written to
/// be folded.
fn known(kernel: &mut Kernel, inst: &Inst, map: &Map<Value, Value>) -> Option<Value> {
    let arg = |n: usize| map.get(&inst.args[n]).copied().unwrap_or(inst.args[n]);
    match inst.op {
        Op::CmpEq => {
            let (a, b) = (kernel.as_i32(arg(0))?, kernel.as_i32(arg(1))?);
            (kernel.ty(inst.result()) == Type::BOOL).then(|| kernel.constant(Const::bool(a == b)))
        }
        Op::Select => {
            let chosen = if kernel.as_const(arg(0))? == Const::bool(true) { arg(1) } else { arg(2) };
            (kernel.ty(chosen) == kernel.ty(inst.result())).then_some(chosen)
        }
        _ => None,
    }
}

fn resolved(insts: &[Inst], map: &Map<Value, Value>) -> Vec<Inst> {
    let at = |v: &mut Value| {
        while let Some(&to) = map.get(v) {
            *v = to;
        }
    };
    let mut insts = insts.to_vec();
    for inst in &mut insts {
        inst.args.iter_mut().for_each(at);
        inst.mask.iter_mut().for_each(at);
        for region in &mut inst.regions {
            region.insts = resolved(&region.insts, map);
        }
    }
    insts
}
