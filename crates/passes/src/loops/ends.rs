//! Peeling: loops of which the first and last iterations alone come out differently. These get loops of their own.
//!
//! Not in a pipeline: for targets that compile once the sizes of a launch are known. Where a loop's iterations are lanes, a neighbour's
//! index that is kept inside by a minimum or maximum is each lane's own, and elements are read one by one. In all but the first or
//! last few the index is what it would be without; there [`narrow`](crate::interior::narrow) drops the test, and a row is read. The same
//! holds for conditions such as `n > 0` that say which lanes load, store or take a value.
//!
//! In a `for` of at least `LEAST` iterations without loops within, whose bounds are known: minima and maxima of sums with the counter in
//! them, whose other parts have bounds, by which a load finds its elements, and comparisons of such sums that masks and selections are made of.
//!
//! ```text
//! for %i in 0..800 step 16 { %j = add %i, %lane  %k = sub %j, 1  %m = max %k, 0  %x = load.inside %a[%m] … }    ; before
//! ```
//! ```text
//! for %i in 0..16 step 16 { … }    for %i in 16..800 step 16 { … }                                              ; after
//! ```

use crate::analysis::range::{Bounds, Range};
use crate::interior::turns_alike;
use quadra_base::quick::{Map, Set};
use quadra_kir::{Block, Elem, Inst, Kernel, Level, Op, Value, Values};

/// Iterations of the shortest loop that is cut, and those that are cut off at either end at most.
const LEAST: i64 = 8;
const MOST_CUT: i64 = 2;
/// Instructions of a body that is written three times.
const MOST_INSTS: usize = 200;

/// Cuts the loops of a kernel for groups between these bounds; whether there was one.
pub fn run(kernel: &mut Kernel, most_workers: i64, groups: &[Bounds]) -> bool {
    let clamps = |i: &Inst| (matches!(i.op, Op::Min | Op::Max) || compares(i.op)) && kernel.ty(i.result()).lanes;
    let counted = |i: &Inst| i.op == Op::For && i.regions[0].any(&mut |i| clamps(i));
    if kernel.level != Level::Simd || !kernel.body.any(&mut |i| counted(i)) {
        return false;
    }
    let range = Range::with_groups(kernel, most_workers, groups);
    kernel.rewrite(|kernel, body| block(kernel, &range, body))
}

fn block(kernel: &mut Kernel, range: &Range, b: &mut Block) -> bool {
    let mut changed = false;
    for mut inst in std::mem::take(&mut b.insts) {
        for region in &mut inst.regions {
            changed |= block(kernel, range, region);
        }
        match cuts(kernel, range, &inst) {
            Some(at) => {
                changed = true;
                cut(kernel, inst, &at, &mut b.insts);
            }
            None => b.insts.push(inst),
        }
    }
    changed
}

/// The bounds of the loops that a loop becomes.
fn cuts(kernel: &Kernel, range: &Range, inst: &Inst) -> Option<Vec<i32>> {
    if inst.op != Op::For {
        return None;
    }
    let body = &inst.regions[0];
    let [lo, hi, step] = [0, 1, 2].map(|n| kernel.as_i32(inst.args[n]).map(i64::from));
    let (lo, hi, step) = (lo?, hi?, step.filter(|s| *s > 0)?);
    let turns = (hi - lo + step - 1).div_euclid(step);
    let leaves = [Op::Break, Op::Continue, Op::Return].into_iter().any(|op| body.exits(op) > 0);
    let inner = body.any(&mut |i| matches!(i.op, Op::For | Op::Loop));
    if turns < LEAST || leaves || inner || body.count() > MOST_INSTS {
        return None;
    }
    let mut wanted = indexing(kernel, body);
    wanted.extend(choosing(kernel, body));
    let all = Bounds { low: lo, high: lo + (turns - 1) * step };
    let alike = turns_alike(kernel, range, (body, body.params[0]), &wanted, all);
    // Whole iterations.
    let (first, behind) = ((alike.low - lo + step - 1).div_euclid(step), (alike.high - lo).div_euclid(step) + 1);
    let few = (0..=MOST_CUT).contains(&first) && (0..=MOST_CUT).contains(&(turns - behind));
    if !few || (first, behind) == (0, turns) || behind - first < LEAST - 2 * MOST_CUT {
        return None;
    }
    let place = |turn: i64| i32::try_from(lo + turn * step).ok();
    let mut at = vec![lo as i32, place(first)?, if behind == turns { hi as i32 } else { place(behind)? }, hi as i32];
    at.dedup();
    Some(at)
}

/// The minima and maxima by which loads find each lane's element.
fn indexing(kernel: &Kernel, body: &Block) -> Set<Value> {
    let mut made: Map<Value, &Inst> = Map::default();
    let mut open: Vec<Value> = Vec::new();
    body.walk(&mut |i| {
        made.extend(i.results.iter().map(|&r| (r, i)));
        if i.op == Op::Load && kernel.ty(i.args[0]).lanes {
            open.push(i.args[0]);
        }
    });
    let (mut seen, mut found) = (Set::default(), Set::default());
    while let Some(v) = open.pop() {
        let Some(inst) = made.get(&v).filter(|_| seen.insert(v)) else { continue };
        match inst.op {
            Op::Min | Op::Max => {
                found.insert(v);
                open.extend(&inst.args);
            }
            Op::Add | Op::Sub | Op::Mul | Op::Shl => open.extend(&inst.args),
            _ => {}
        }
    }
    found
}

fn compares(op: Op) -> bool {
    use Op::*;
    matches!(op, CmpLt | CmpLe | CmpGt | CmpGe | CmpLtU | CmpLeU | CmpGtU | CmpGeU)
}

/// The comparisons of integers that say which lanes load, store or take a value.
fn choosing(kernel: &Kernel, body: &Block) -> Set<Value> {
    let mut made: Map<Value, &Inst> = Map::default();
    let mut open: Vec<Value> = Vec::new();
    body.walk(&mut |i| {
        made.extend(i.results.iter().map(|&r| (r, i)));
        open.extend(i.mask);
        if i.op == Op::Select {
            open.push(i.args[0]);
        }
    });
    let (mut seen, mut found) = (Set::default(), Set::default());
    while let Some(v) = open.pop() {
        let Some(inst) = made.get(&v).filter(|_| kernel.ty(v).lanes && seen.insert(v)) else { continue };
        match inst.op {
            Op::And | Op::Or | Op::Xor | Op::Not => open.extend(&inst.args),
            op if compares(op) && kernel.ty(inst.args[0]).elem == Elem::I32 => {
                found.insert(v);
            }
            _ => {}
        }
    }
    found
}

/// Writes a loop as several, one behind the other.
fn cut(kernel: &mut Kernel, inst: Inst, at: &[i32], out: &mut Vec<Inst>) {
    let mut carried: Values = inst.carried().iter().copied().collect();
    for (n, ends) in at.windows(2).enumerate() {
        let mut part = inst.clone();
        let bounds = [ends[0], ends[1]].map(|n| kernel.const_i32(n));
        part.args = bounds.into_iter().chain([inst.args[2]]).chain(carried.iter().copied()).collect();
        if n + 2 < at.len() {
            let mut map: Map<Value, Value> = Map::default();
            rename(kernel, &mut map, &mut part.regions[0]);
            part.results = fresh(kernel, &mut Map::default(), &part.results);
            carried = part.results.clone();
        }
        out.push(part);
    }
}

fn fresh(kernel: &mut Kernel, map: &mut Map<Value, Value>, values: &[Value]) -> Values {
    let one = |v: &Value| {
        let new = kernel.new_value(kernel.ty(*v));
        map.insert(*v, new);
        new
    };
    values.iter().map(one).collect()
}

/// Gives a block, and those within, values of their own.
fn rename(kernel: &mut Kernel, map: &mut Map<Value, Value>, b: &mut Block) {
    b.params = fresh(kernel, map, &b.params);
    for inst in &mut b.insts {
        inst.args.iter_mut().chain(&mut inst.mask).for_each(|v| *v = map.get(v).copied().unwrap_or(*v));
        inst.regions.iter_mut().for_each(|r| rename(kernel, map, r));
        inst.results = fresh(kernel, map, &inst.results);
    }
}
