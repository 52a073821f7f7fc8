//! Asks for what the next iteration loads before this one computes.
//!
//! * Needs: a legal SIMD kernel whose accesses have been recognised (`access`), and a target with a queue of requests.
//! * Gives: in innermost counted loops, loads that surely happen and whose places move by a fixed distance are requested one
//!   iteration ahead; the first iteration's before the loop, and the last iteration stands behind it.
//! * Keeps: what every load sees. Nothing is requested that would not be loaded.
//!
//! A lookup takes 9 to 20 instructions to come back (VideoCore IV), during which a plain load waits. A kernel's own requests
//! and these would mix in the queue, so kernels that use it themselves are left alone. A buffer that the launch also stores
//! to is requested only if no element can have been stored before it is loaded: the caches behind the queue do not see
//! stores. Iterations of one worker are told apart by their indices; accesses of different workers to one element are
//! races unless the kernel synchronises them, in which case it is left alone.
//!
//! It stands before `rows`, which makes several copies of the loop.
//!
//! ```text
//! for %i in 0..%n step 16 { %a = load.row %p[%i] … }                       ; before
//! ```
//! ```text
//! %c = cmp.lt 0, %n                                                        ; after
//! if %c {
//!   tmu.request %p[%l]
//!   for %i in 0..%m step 16 { %a = tmu.receive <i32>  tmu.request %p[%next] … }
//!   %a = tmu.receive <i32>  …
//! } else {}
//! ```

use quadra_base::Diagnostic;
use quadra_base::quick::{Map, Set};
use quadra_kir::{Block, Buf, Effect, Elem, Inst, Kernel, LANES, Level, Op, Type, Value, Values};
use quadra_passes::analysis::coherence;
use quadra_passes::analysis::linear::Form;
use quadra_passes::analysis::range::{Bounds, Range};
use quadra_passes::pass::{Facts, Launches, Pass, PassCx};
use quadra_passes::unroll::{self, Counted, Limits, emit, sum};

/// The pass.
pub const PASS: Pass = Pass {
    name: "prefetch",
    about: "requests what the next iteration loads",
    needs: Facts::VALUES.and(Facts::SIMD),
    gives: Facts::NONE,
    run: pass,
};

/// Lanes of a row.
const ROW: i64 = LANES as i64;
/// The most elements from one iteration's place to the next one's: small enough that no walk through a buffer wraps.
const MOST_DISTANCE: i64 = 1 << 20;
/// Larger bodies are not copied.
const MOST_INSTS: usize = 128;

fn pass(kernel: &mut Kernel, cx: &PassCx<'_>) -> Result<(), Vec<Diagnostic>> {
    if let Some(depth) = cx.caps.request_queue {
        run(kernel, depth as usize, &cx.launches);
    }
    Ok(())
}

/// Requests ahead in all loops of `kernel` that allow it, at most `depth` loads each.
pub fn run(kernel: &mut Kernel, depth: usize, launches: &Launches) {
    let queued = kernel.body.any(&mut |i| matches!(i.op, Op::TmuRequest | Op::TmuReceive));
    let reads = |i: &Inst| matches!(i.op, Op::Load | Op::LoadRow);
    let loops = kernel.body.any(&mut |i| unroll::straight(i) && i.regions[0].insts.iter().any(reads));
    if kernel.level != Level::Simd || queued || !loops {
        return;
    }
    let known = Known {
        range: Range::with_workers(kernel, launches.most_workers as i64),
        stored: stored(kernel, launches),
        depth,
    };
    let mut map = Map::default();
    let outside = Place { in_loop: false, less: None };
    kernel.rewrite(|kernel, body| block(kernel, &known, body, outside, &mut map));
    kernel.replace_uses(&map);
}

struct Known {
    range: Range,
    stored: Stored,
    depth: usize,
}

/// What the kernel does to memory, apart from loads.
struct Stored {
    /// Stores to each buffer, anywhere in the kernel.
    counts: Map<Buf, usize>,
    /// Whether elements may be known to be stored by their indices alone.
    judged: bool,
}

fn stored(kernel: &Kernel, launches: &Launches) -> Stored {
    let mut counts = Map::default();
    let alias = launches.alias;
    let mut judged = !alias && !kernel.concurrent;
    kernel.body.walk(&mut |i| match (i.op.info().effect, i.buf) {
        (Effect::Write, Some(b)) => *counts.entry(b).or_default() += 1,
        (Effect::ReadWrite, Some(b)) => {
            *counts.entry(b).or_default() += 1;
            judged = false;
        }
        (Effect::Ordered, _) => judged &= matches!(i.op, Op::Print | Op::Assert | Op::Comment | Op::HostIrq),
        _ => {}
    });
    if alias && !counts.is_empty() {
        kernel.bufs.ids().for_each(|b| *counts.entry(b).or_default() += 1);
    }
    // A store more than there are is one that cannot be found in the loop.
    coherence::named(kernel, launches.uncached).into_iter().for_each(|b| *counts.entry(b).or_default() += 1);
    Stored { counts, judged }
}

/// Where a block stands.
#[derive(Clone, Copy)]
struct Place {
    in_loop: bool,
    /// Two values of which the first is known to be less than the second.
    less: Option<(Value, Value)>,
}

fn block(kernel: &mut Kernel, known: &Known, b: &mut Block, here: Place, map: &mut Map<Value, Value>) {
    let mut out = Vec::with_capacity(b.insts.len());
    let mut tests = Map::default();
    for mut inst in std::mem::take(&mut b.insts) {
        if inst.op == Op::CmpLt {
            tests.insert(inst.result(), (inst.args[0], inst.args[1]));
        }
        for (i, region) in inst.regions.iter_mut().enumerate() {
            let tested = (inst.op == Op::If && i == 0).then(|| tests.get(&inst.args[0]).copied()).flatten();
            let inside = Place { in_loop: here.in_loop || inst.op != Op::If, less: tested };
            block(kernel, known, region, inside, map);
        }
        match plan(kernel, known, &inst, here) {
            Some(plan) => rewrite(kernel, inst, &plan, map, &mut out),
            None => out.push(inst),
        }
    }
    b.insts = out;
}

/// What is requested ahead in a loop.
struct Plan {
    /// Positions in the body.
    loads: Vec<usize>,
    /// Requests of the next iteration that fit into the queue beside those of this one.
    room: usize,
    /// The bounds of the step, and of the loop's upper bound.
    step: Bounds,
    hi: Bounds,
    /// Whether the loop surely runs.
    runs: bool,
}

fn plan(kernel: &Kernel, known: &Known, inst: &Inst, here: Place) -> Option<Plan> {
    if !unroll::straight(inst) || inst.regions[0].count() > MOST_INSTS {
        return None;
    }
    let body = &inst.regions[0];
    // What the last iteration carries on stands for the loop's results, so it must be of their types.
    let same = |(r, v): (&Value, &Value)| kernel.ty(*r) == kernel.ty(*v);
    if !body.terminator().is_some_and(|end| inst.results.iter().zip(&end.args).all(same)) {
        return None;
    }
    let loops = Counted::of(inst);
    let step = known.range.bounds(kernel, loops.step);
    if step.low < 1 || step.high > MOST_DISTANCE {
        return None;
    }
    let inside: Set<Value> = body.params.iter().chain(body.insts.iter().flat_map(|i| &i.results)).copied().collect();
    let mut loads = Vec::new();
    for (at, load) in body.insts.iter().enumerate() {
        let Some(form) = candidate(kernel, known, load) else { continue };
        let factor = form.factor(body.params[0]);
        let steady = form.terms.iter().all(|&(v, _)| v == body.params[0] || !inside.contains(&v));
        let distance = Bounds { low: step.low * factor as i64, high: step.high * factor as i64 };
        let walks = factor != 0 && distance.within(-MOST_DISTANCE, MOST_DISTANCE);
        let fresh = |form: &Form| unseen(kernel, known, (body, at), form, distance, here.in_loop);
        if steady && walks && unroll::follows_counter(body, load.args[0]) && fresh(&form) && loads.len() < known.depth {
            loads.push(at);
        }
    }
    let trips = loops.trips(kernel);
    if loads.is_empty() || trips.is_some_and(|n| n < 2) {
        return None;
    }
    Some(Plan {
        room: known.depth - loads.len(),
        loads,
        step,
        hi: known.range.bounds(kernel, loops.hi),
        runs: trips.is_some() || here.less == Some((loops.lo, loops.hi)),
    })
}

/// The index of a load that could be a request.
fn candidate(kernel: &Kernel, known: &Known, load: &Inst) -> Option<Form> {
    if !matches!(load.op, Op::Load | Op::LoadRow) || load.mask.is_some() || load.args.len() != 1 {
        return None;
    }
    let info = &kernel.bufs[load.buf?];
    let words = matches!(info.elem, Elem::I32 | Elem::F32) && info.space == quadra_kir::Space::Global;
    // One element for all lanes is no vector of requests.
    let vector = kernel.ty(load.result()).lanes;
    let mode = load.mode.is_plain();
    (words && vector && mode).then(|| known.range.forms().at(kernel, load.args[0]))
}

/// Whether no element that a load at a place of a loop's body gets has been stored before in this launch: by this worker,
/// because all stores to the buffer belong to the same loop and go elsewhere until then.
fn unseen(
    kernel: &Kernel,
    known: &Known,
    (body, at): (&Block, usize),
    form: &Form,
    distance: Bounds,
    in_loop: bool,
) -> bool {
    let buf = body.insts[at].buf.expect("a load has a buffer");
    let Some(&all) = known.stored.counts.get(&buf) else { return true };
    let row = body.insts[at].op == Op::LoadRow;
    let stores: Vec<(usize, &Inst)> =
        body.insts.iter().enumerate().filter(|(_, i)| i.op == Op::StoreRow && i.buf == Some(buf)).collect();
    if !known.stored.judged || in_loop || !row || stores.len() != all {
        return false;
    }
    stores.iter().all(|&(place, store)| {
        let apart = form.minus(&known.range.forms().at(kernel, store.args[0]));
        let Some(now) = apart.as_constant().map(i64::from) else { return false };
        // The load is `distance` further on after each iteration, the store is where it was.
        let ahead = distance.low > 0 && now + distance.low >= ROW;
        let behind = distance.high < 0 && now + distance.high <= -ROW;
        let here = place > at || now >= ROW || now <= -ROW;
        (ahead || behind) && here
    })
}

/// Puts the new loop to `out`; `map` takes what its results are, where they are no results of one instruction.
fn rewrite(kernel: &mut Kernel, inst: Inst, plan: &Plan, map: &mut Map<Value, Value>, out: &mut Vec<Inst>) {
    let loops = Counted::of(&inst);
    if plan.runs {
        let results = pipeline(kernel, &inst, &loops, plan, out);
        map.extend(inst.results.iter().copied().zip(results));
        return;
    }
    unroll::if_it_runs(kernel, inst, out, |kernel, inst, yes| pipeline(kernel, inst, &loops, plan, yes));
}

/// The first requests, the loop over all iterations but the last, and the last one. Gives the loop's results.
fn pipeline(kernel: &mut Kernel, inst: &Inst, loops: &Counted, plan: &Plan, out: &mut Vec<Inst>) -> Values {
    let body = &inst.regions[0];
    let lane = emit(kernel, Op::Lane, &[], Type::I32.with_lanes(true), inst, out);
    // The places of the first iteration: the body's own computation of the indices, with the counter at its start.
    request(kernel, body, &plan.loads, lane, Map::from_iter([(body.params[0], loops.lo)]), out);
    // A counter below the bound less the step does not wrap.
    let limits = Limits { step: 0, hi: plan.hi };
    let hi = limits.tame(kernel, loops.hi, plan.step.high, inst, out);
    let last = emit(kernel, Op::Sub, &[hi, loops.step], Type::I32, inst, out);
    let params: Values = body.params.iter().map(|&p| kernel.new_value(kernel.ty(p))).collect();
    let mut insts = Vec::new();
    let next = sum(kernel, params[0], loops.step, inst, &mut insts);
    let ahead = Some((lane, next));
    let map = body.params.iter().copied().zip(params.iter().copied()).collect();
    let mut carried = iteration(kernel, body, plan, ahead, map, &mut insts);
    carried.push(next);
    insts.push(Inst::new(Op::Yield, carried).at(inst.span));
    let counter = kernel.new_value(Type::I32);
    let mut main = Inst::new(Op::For, [loops.lo, last, loops.step]).at(inst.span);
    main.args.extend_from_slice(inst.carried());
    main.args.push(loops.lo);
    main.results = inst.results.iter().map(|&r| kernel.new_value(kernel.ty(r))).collect();
    let end = kernel.new_value(Type::I32);
    let mut map: Map<Value, Value> = Map::from_iter([(body.params[0], end)]);
    map.extend(body.params[1..].iter().copied().zip(main.results.iter().copied()));
    main.results.push(end);
    main.regions = vec![Block { params: params.into_iter().chain([counter]).collect(), insts }];
    out.push(main);
    iteration(kernel, body, plan, None, map, out)
}

/// A copy of the body that receives what it loads; with `ahead`, the lane number and the next counter, it requests what the
/// next iteration loads as early as the queue has room. Gives what is carried on.
fn iteration(
    kernel: &mut Kernel,
    body: &Block,
    plan: &Plan,
    ahead: Option<(Value, Value)>,
    mut map: Map<Value, Value>,
    out: &mut Vec<Inst>,
) -> Values {
    // As many as the queue has room for before the oldest value is taken out: that may mean to wait.
    let (early, late) = plan.loads.split_at(plan.room.min(plan.loads.len()));
    let next = |next: Value| Map::from_iter([(body.params[0], next)]);
    if let Some((lane, counter)) = ahead {
        request(kernel, body, early, lane, next(counter), out);
    }
    for &at in &plan.loads {
        let load = &body.insts[at];
        let ty = kernel.ty(load.result());
        let v = emit(kernel, Op::TmuReceive, &[], ty, load, out);
        map.insert(load.result(), v);
    }
    if let Some((lane, counter)) = ahead {
        request(kernel, body, late, lane, next(counter), out);
    }
    let rest: Vec<Inst> =
        body.insts.iter().enumerate().filter(|(at, _)| !plan.loads.contains(at)).map(|(_, i)| i.clone()).collect();
    out.extend(unroll::copy(kernel, &rest, &mut map));
    out.pop().map_or(Values::new(), |yielded| yielded.args)
}

/// Requests what an iteration loads, for the counter that `map` gives. Only the indices are computed.
fn request(
    kernel: &mut Kernel,
    body: &Block,
    loads: &[usize],
    lane: Value,
    mut map: Map<Value, Value>,
    out: &mut Vec<Inst>,
) {
    let wanted: Values = loads.iter().map(|&at| body.insts[at].args[0]).collect();
    let needed = unroll::slice(body, &wanted);
    out.extend(unroll::copy(kernel, &needed, &mut map));
    for &at in loads {
        let load = &body.insts[at];
        let index = map.get(&load.args[0]).copied().unwrap_or(load.args[0]);
        let index = match load.op {
            Op::LoadRow => emit(kernel, Op::Add, &[lane, index], Type::I32.with_lanes(true), load, out),
            _ => index,
        };
        let mut ask = Inst::new(Op::TmuRequest, [index]).at(load.span);
        ask.buf = load.buf;
        out.push(ask);
    }
}
