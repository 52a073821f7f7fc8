//! Reads squares of 16 by 16 elements by rows, where lanes walk along rows of their own.
//!
//! * Needs: a legal SIMD kernel without variables, whose loops over the groups are its own (`grid`).
//! * Gives: of innermost counted loops whose iterations load, with all lanes, what lies one element further for each lane, a loop
//!   that takes 16 iterations at a time: it loads the 16 lanes' rows, and turns them by four steps of rotations and choices. The
//!   loop itself follows, for what is left.
//! * Keeps: every value that the loop computes, in its order. The rows are the very elements that the 16 iterations load.
//!
//! A lookup of 16 elements in 16 lines costs 16 times that of one line, and where the rows are a power of two apart (VideoCore IV: a
//! L2 cache of four ways) the lines push each other out before their other elements are asked for, so that each element costs a
//! line from memory. Turning a square costs some eight instructions per iteration.
//!
//! ```text
//! for %i in 0..%n { %j = add %rows, %i  %a = load.inside %p[%j] … }                                    ; before
//! ```
//! ```text
//! %next = for %i in 0..%last step 16 { %r0 = load.row.inside %p[%first] … %a0, %a1 … of their turns }    ; after
//! for %i in %next..%n { … }
//! ```

use crate::grid::{MOST_SQUARES, MOST_TURNED};
use crate::near;
use quadra_base::Diagnostic;
use quadra_base::quick::{Map, Set};
use quadra_kir::{Block, Buf, Const, Effect, Inst, Kernel, LANES, Level, Mode, Op, Type, Value};
use quadra_passes::analysis::range::{Bounds, Range};
use quadra_passes::pass::{Facts, Launches, Pass, PassCx};
use quadra_passes::unroll::{self, Counted, Limits, emit, sum};

/// The pass.
pub const PASS: Pass = Pass {
    name: "tiles",
    about: "reads squares of elements by rows",
    needs: Facts::VALUES.and(Facts::SIMD),
    gives: Facts::NONE,
    run: pass,
};

/// Lanes of a row, and rows of a square.
const ROW: usize = LANES as usize;
fn pass(kernel: &mut Kernel, cx: &PassCx<'_>) -> Result<(), Vec<Diagnostic>> {
    run(kernel, &cx.launches);
    Ok(())
}

/// Reads by rows in all loops of `kernel` that allow it.
pub fn run(kernel: &mut Kernel, launches: &Launches) {
    let gathers = |i: &Inst| i.op == Op::Load && i.mode == Mode::Inside;
    let loops = kernel.body.any(&mut |i| unroll::straight(i) && i.regions[0].any(&mut |i| gathers(i)));
    if kernel.level != Level::Simd || kernel.group != [LANES] || kernel.over != 0 || !loops {
        return;
    }
    let known = Known {
        range: Range::with_workers(kernel, launches.most_workers as i64),
        alias: launches.alias,
        near: near::arrays(kernel, launches.near_rows).into_iter().map(|n| n.0).collect(),
    };
    let mut masks = None;
    kernel.rewrite(|kernel, body| block(kernel, &known, body, &mut masks));
    if let Some(masks) = masks {
        kernel.body.insts.splice(0..0, masks.insts);
    }
}

/// What is known of the kernel as it is.
struct Known {
    range: Range,
    alias: bool,
    /// Arrays in registers, to which no rows belong.
    near: Vec<Buf>,
}

/// For each step of a turn, whether a lane keeps its own element in the first row of a pair.
struct Masks {
    insts: Vec<Inst>,
    keep: [Value; 4],
}

/// Distances between the rows of a pair, step by step.
const DISTANCES: [usize; 4] = [8, 4, 2, 1];

impl Masks {
    fn new(kernel: &mut Kernel) -> Masks {
        let mut insts = Vec::new();
        let at = Inst::new(Op::Lane, []).at(kernel.span);
        let lane = emit(kernel, Op::Lane, &[], Type::I32.with_lanes(true), &at, &mut insts);
        let zero = kernel.const_i32(0);
        let keep = DISTANCES.map(|d| {
            let distance = kernel.const_i32(d as i32);
            let bit = emit(kernel, Op::And, &[lane, distance], Type::I32.with_lanes(true), &at, &mut insts);
            emit(kernel, Op::CmpEq, &[bit, zero], Type::BOOL.with_lanes(true), &at, &mut insts)
        });
        Masks { insts, keep }
    }
}

fn block(kernel: &mut Kernel, known: &Known, b: &mut Block, masks: &mut Option<Masks>) {
    let mut out = Vec::with_capacity(b.insts.len());
    for mut inst in std::mem::take(&mut b.insts) {
        inst.regions.iter_mut().for_each(|r| block(kernel, known, r, masks));
        match plan(kernel, known, &inst) {
            Some(plan) => {
                let keep = masks.get_or_insert_with(|| Masks::new(kernel)).keep;
                tiled(kernel, known, inst, &plan, keep, &mut out);
            }
            None => out.push(inst),
        }
    }
    b.insts = out;
}

/// What a loop loads by squares.
#[derive(Default)]
struct Plan {
    /// The results of the loads.
    loads: Vec<Value>,
    /// Conditions that hold while the counter is below a bound: `(condition, bound)`.
    guards: Vec<(Value, Value)>,
}

/// Which loads of a loop make squares, if it is worth it.
fn plan(kernel: &Kernel, known: &Known, inst: &Inst) -> Option<Plan> {
    if !unroll::straight(inst) || kernel.as_i32(Counted::of(inst).step) != Some(1) {
        return None;
    }
    let few = Counted::of(inst).trips(kernel).is_some_and(|n| n < ROW as i64);
    let body = &inst.regions[0];
    if few || body.count() * ROW > MOST_TURNED {
        return None;
    }
    let inside: Set<Value> = body.params.iter().chain(body.insts.iter().flat_map(|i| &i.results)).copied().collect();
    let mut plan = Plan::default();
    collect(kernel, known, (inst, &inside), &body.insts, &mut plan);
    for i in &body.insts {
        let Some(limit) = (i.op == Op::If).then(|| bound(kernel, known, body, &inside, i.args[0])).flatten() else {
            continue;
        };
        collect(kernel, known, (inst, &inside), &i.regions[0].insts, &mut plan);
        // What is loaded otherwise needs no test there, either.
        plan.guards.push((i.args[0], limit));
    }
    (1..=MOST_SQUARES).contains(&plan.loads.len()).then_some(plan)
}

/// The loads among these instructions whose lanes all go one element further in each iteration.
fn collect(kernel: &Kernel, known: &Known, (whole, inside): (&Inst, &Set<Value>), insts: &[Inst], plan: &mut Plan) {
    let body = &whole.regions[0];
    let counter = body.params[0];
    for i in insts {
        let words = i.buf.is_some_and(|b| kernel.bufs[b].elem.bytes() == 4 && !known.near.contains(&b));
        if i.op != Op::Load || i.mode != Mode::Inside || i.mask.is_some() || !words || i.args.len() != 1 {
            continue;
        }
        let form = known.range.forms().at(kernel, i.args[0]);
        let steady = form.terms.iter().all(|&(v, _)| v == counter || !inside.contains(&v));
        let lanes = kernel.ty(i.args[0]).lanes && kernel.ty(i.result()).lanes;
        // An index per lane that the pass `access` would know as a row is left to it.
        let lane = form.terms.iter().any(|&(v, _)| kernel.ty(v).lanes);
        let written = body.any(&mut |w| {
            matches!(w.op.info().effect, Effect::Write | Effect::ReadWrite) && (known.alias || w.buf == i.buf)
        });
        let follows = unroll::follows_counter(body, i.args[0]);
        if steady && lanes && lane && form.factor(counter) == 1 && follows && !written {
            plan.loads.push(i.result());
        }
    }
}

/// The bound below which the counter keeps a condition, which is computed in the loop's body.
fn bound(kernel: &Kernel, known: &Known, body: &Block, inside: &Set<Value>, condition: Value) -> Option<Value> {
    let made = body.insts.iter().find(|i| i.results.contains(&condition))?;
    let counter = body.params[0];
    let positive = known.range.bounds(kernel, counter).low >= 0;
    let fits = made.op == Op::CmpLt || (made.op == Op::CmpLtU && positive);
    let scalar = !kernel.ty(condition).lanes;
    (fits && scalar && made.args[0] == counter && !inside.contains(&made.args[1])).then_some(made.args[1])
}

/// The loop by squares, and the loop itself for what is left.
fn tiled(kernel: &mut Kernel, known: &Known, mut inst: Inst, plan: &Plan, keep: [Value; 4], out: &mut Vec<Inst>) {
    let loops = Counted::of(&inst);
    let mut hi = loops.hi;
    for &(_, bound) in &plan.guards {
        hi = emit(kernel, Op::Min, &[hi, bound], Type::I32, &inst, out);
    }
    // The bound of a guard may be as small as any number.
    let bounds = if plan.guards.is_empty() { known.range.bounds(kernel, loops.hi) } else { Bounds::ANY };
    let limits = Limits { step: 1, hi: bounds };
    let hi = limits.tame(kernel, hi, ROW as i64, &inst, out);
    let (last, whole) = (kernel.const_i32(1 - ROW as i32), kernel.const_i32(ROW as i32));
    let end = sum(kernel, hi, last, &inst, out);
    let body = &inst.regions[0];
    let template = without(kernel, body, plan);
    let offsets: Vec<Value> = (0..ROW).map(|k| kernel.const_i32(k as i32)).collect();
    let several = unroll::Copies {
        inst: &inst,
        body: &template,
        offsets: &offsets,
        range: [loops.lo, end, whole],
        carried: inst.carried(),
        end: None,
    };
    let (next, results) = several.write(kernel, out, |kernel, first, insts| {
        let rows = plan.loads.iter().map(|&load| square(kernel, body, load, first, keep, insts));
        let squares: Vec<Vec<Value>> = rows.collect();
        (0..ROW).map(|k| plan.loads.iter().zip(&squares).map(|(&load, rows)| (load, rows[k])).collect()).collect()
    });
    inst.args = [next, loops.hi, loops.step].into_iter().chain(results).collect();
    out.push(inst);
}

/// The body without the loads of squares, and with their guards known to hold.
fn without(kernel: &mut Kernel, body: &Block, plan: &Plan) -> Vec<Inst> {
    let holds = kernel.constant(Const::bool(true));
    let keep = |insts: &mut Vec<Inst>| insts.retain(|i| !i.results.iter().any(|r| plan.loads.contains(r)));
    let mut insts = body.insts.clone();
    keep(&mut insts);
    for i in insts.iter_mut().filter(|i| i.op == Op::If) {
        if plan.guards.iter().any(|g| g.0 == i.args[0]) {
            i.args[0] = holds;
            keep(&mut i.regions[0].insts);
        }
    }
    insts
}

/// Loads the rows of 16 iterations from `first` on, and turns them: what the load gives in each of these iterations.
fn square(
    kernel: &mut Kernel,
    body: &Block,
    load: Value,
    first: Value,
    keep: [Value; 4],
    out: &mut Vec<Inst>,
) -> Vec<Value> {
    let mut found = None;
    let mut seek = |i: &Inst| {
        if i.results.contains(&load) {
            found = Some(i.clone());
        }
    };
    body.walk(&mut seek);
    let Some(inst) = found else { return Vec::new() };
    let ty = kernel.ty(load);
    let mut map = Map::from_iter([(body.params[0], first)]);
    let index = slice_of(kernel, body, inst.args[0], &mut map, out);
    let mut rows: Vec<Value> = (0..ROW)
        .map(|r| {
            let lane = kernel.const_i32(r as i32);
            let from = emit(kernel, Op::Broadcast, &[index, lane], Type::I32, &inst, out);
            let row = emit(kernel, Op::LoadRow, &[from], ty, &inst, out);
            if let Some(made) = out.last_mut() {
                (made.buf, made.mode) = (inst.buf, Mode::Inside);
            }
            row
        })
        .collect();
    for (distance, mask) in DISTANCES.into_iter().zip(keep) {
        let (up, down) = (kernel.const_i32(distance as i32), kernel.const_i32((ROW - distance) as i32));
        for a in (0..ROW).filter(|i| i & distance == 0) {
            let b = a + distance;
            let risen = emit(kernel, Op::Rotate, &[rows[b], up], ty, &inst, out);
            let fallen = emit(kernel, Op::Rotate, &[rows[a], down], ty, &inst, out);
            let first = emit(kernel, Op::Select, &[mask, rows[a], risen], ty, &inst, out);
            let second = emit(kernel, Op::Select, &[mask, fallen, rows[b]], ty, &inst, out);
            (rows[a], rows[b]) = (first, second);
        }
    }
    rows
}

/// What `v` is in another iteration.
fn slice_of(kernel: &mut Kernel, body: &Block, v: Value, map: &mut Map<Value, Value>, out: &mut Vec<Inst>) -> Value {
    let needed = unroll::slice(body, &[v]);
    out.extend(unroll::copy(kernel, &needed, map));
    map.get(&v).copied().unwrap_or(v)
}
