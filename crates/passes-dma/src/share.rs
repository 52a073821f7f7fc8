//! Loads each vector of a stencil once: what neighbouring iterations have in common is carried from one to the next.
//!
//! * Needs: a legal SIMD kernel whose accesses have been recognised (`access`).
//! * Gives: in innermost counted loops that go on by one row, rows of one buffer whose places differ by constants are made of
//!   one load per iteration: rows at distances of 16 are the values of earlier iterations, others are put together of two of
//!   them by rotation.
//! * Keeps: every value. Up to 15 elements more may be read behind the last one, which `guarded` loads may do.
//!
//! A 3 × 3 stencil has nine loads per vector; a queue of four requests and a TMU that looks up one lane per clock for two
//! QPUs are busy with them longer than the arithmetic takes. It stands before `prefetch`, which then has one request per
//! row. Only buffers that the launch does not store to are shared.
//!
//! ```text
//! for %i in 0..%n step 16 { %a = load.row %p[%i]  %j = add %i, 16  %b = load.row %p[%j] … }   ; before
//! ```
//! ```text
//! %first = load.row %p[0]                                                                     ; after, if the loop runs
//! for %i in 0..%n step 16 (%a: <i32> = %first) { %j = add %i, 16  %b = load.row %p[%j] …  yield %b }
//! ```

use quadra_base::Diagnostic;
use quadra_base::quick::{Map, Set};
use quadra_kir::{Block, Buf, Effect, Elem, Inst, Kernel, LANES, Level, Mode, Op, Space, Type, Value, Values};
use quadra_passes::analysis::coherence;
use quadra_passes::analysis::linear::{Form, Forms};
use quadra_passes::pass::{Facts, Launches, Pass, PassCx};
use quadra_passes::unroll::{self, Counted, emit};

/// The pass.
pub const PASS: Pass = Pass {
    name: "share",
    about: "loads each vector of a stencil once",
    needs: Facts::VALUES.and(Facts::SIMD),
    gives: Facts::NONE,
    run: pass,
};

/// Lanes of a row.
const ROW: i32 = LANES as i32;
/// Rows that may be carried per stream: more would fill the registers.
const MOST_CARRIED: i32 = 2;
/// So many loads make it worth to put rows together by rotation, which takes two or three operations each.
const WORTH_ROTATING: usize = 3;

fn pass(kernel: &mut Kernel, cx: &PassCx<'_>) -> Result<(), Vec<Diagnostic>> {
    run(kernel, &cx.launches);
    Ok(())
}

/// Shares the loads of all loops of `kernel`.
pub fn run(kernel: &mut Kernel, launches: &Launches) {
    // Lanes past an extent would have to be taken care of in rotations.
    let rows = kernel.body.any(&mut |i| i.op == Op::LoadRow);
    if kernel.level != Level::Simd || kernel.over > 0 || !rows {
        return;
    }
    let mut stored: Set<Buf> = coherence::named(kernel, launches.uncached).into_iter().collect();
    kernel.body.walk(&mut |i| {
        if matches!(i.op.info().effect, Effect::Write | Effect::ReadWrite) {
            stored.extend(i.buf);
        }
    });
    if launches.alias && !stored.is_empty() {
        return;
    }
    let known = Known { forms: Forms::of(kernel), stored };
    let mut map = Map::default();
    kernel.rewrite(|kernel, body| block(kernel, &known, body, &mut map));
    kernel.replace_uses(&map);
}

struct Known {
    forms: Forms,
    stored: Set<Buf>,
}

fn block(kernel: &mut Kernel, known: &Known, b: &mut Block, map: &mut Map<Value, Value>) {
    let mut out = Vec::with_capacity(b.insts.len());
    for mut inst in std::mem::take(&mut b.insts) {
        inst.regions.iter_mut().for_each(|r| block(kernel, known, r, map));
        let streams = streams(kernel, known, &inst);
        if streams.is_empty() {
            out.push(inst);
        } else {
            rewrite(kernel, inst, &streams, map, &mut out);
        }
    }
    b.insts = out;
}

/// Loads of one buffer whose places differ by constants: the sum without its constant, position and constant of each.
type Group = (Buf, Form, Vec<(usize, i32)>);

/// Loads of one buffer at places that differ by constants.
struct Stream {
    /// Position of each load in the body, and its distance from the first place.
    loads: Vec<(usize, i32)>,
    /// Rows that are carried: row `carried` is loaded, in which the last load ends.
    carried: i32,
}

impl Stream {
    /// The position of the load at the first place.
    fn first(&self) -> usize {
        self.loads[0].0
    }

    /// Whether some rows are put together of two.
    fn rotates(&self) -> bool {
        self.loads.iter().any(|l| l.1 % ROW != 0)
    }
}

fn streams(kernel: &Kernel, known: &Known, inst: &Inst) -> Vec<Stream> {
    if !unroll::straight(inst) {
        return Vec::new();
    }
    let (body, step) = (&inst.regions[0], kernel.as_i32(inst.args[2]));
    let Some(step) = step.filter(|&s| s > 0) else { return Vec::new() };
    let mut groups: Vec<Group> = Vec::new();
    for (at, load) in body.insts.iter().enumerate() {
        let Some(buf) = load.buf.filter(|b| load.op == Op::LoadRow && load.mask.is_none() && !known.stored.contains(b))
        else {
            continue;
        };
        let info = &kernel.bufs[buf];
        let words = matches!(info.elem, Elem::I32 | Elem::F32) && info.space == Space::Global;
        let form = known.forms.at(kernel, load.args[0]);
        let moves = form.factor(body.params[0]).checked_mul(step) == Some(ROW);
        if !words || !moves || !unroll::follows_counter(body, load.args[0]) {
            continue;
        }
        let place = Form { constant: 0, ..form.clone() };
        match groups.iter_mut().find(|(b, f, _)| *b == buf && *f == place) {
            Some((_, _, loads)) => loads.push((at, form.constant)),
            None => groups.push((buf, place, vec![(at, form.constant)])),
        }
    }
    groups.into_iter().filter_map(|(_, _, loads)| stream(loads)).collect()
}

/// The stream that loads at these distances make, if it is worth it.
fn stream(mut loads: Vec<(usize, i32)>) -> Option<Stream> {
    loads.sort_by_key(|&(at, constant)| (constant, at));
    let first = loads[0].1;
    for (_, constant) in &mut loads {
        *constant = constant.checked_sub(first)?;
    }
    let last = loads[loads.len() - 1].1;
    let carried = last / ROW + i32::from(last % ROW != 0);
    let stream = Stream { loads, carried };
    let many = stream.loads.len() >= if stream.rotates() { WORTH_ROTATING } else { 2 };
    (many && (1..=MOST_CARRIED).contains(&carried)).then_some(stream)
}

fn rewrite(kernel: &mut Kernel, inst: Inst, streams: &[Stream], map: &mut Map<Value, Value>, out: &mut Vec<Inst>) {
    let loops = Counted::of(&inst);
    if loops.trips(kernel).is_some_and(|n| n > 0) {
        let results = shared(kernel, &inst, streams, out);
        map.extend(inst.results.iter().copied().zip(results));
        return;
    }
    unroll::if_it_runs(kernel, inst, out, |kernel, inst, yes| shared(kernel, inst, streams, yes));
}

/// The first rows, and the loop with what it carries. Gives the values of the old loop's results.
fn shared(kernel: &mut Kernel, inst: &Inst, streams: &[Stream], out: &mut Vec<Inst>) -> Values {
    let body = &inst.regions[0];
    let lane = emit(kernel, Op::Lane, &[], Type::I32.with_lanes(true), inst, out);
    let mut new = Inst { regions: Vec::new(), results: Values::new(), ..inst.clone() };
    let mut params = body.params.clone();
    // Per stream its rows, of which the carried ones come first.
    let mut rows: Vec<Vec<Value>> = Vec::new();
    for s in streams {
        let load = &body.insts[s.first()];
        let ty = kernel.ty(load.result());
        let mut own = Vec::new();
        for q in 0..s.carried {
            let start = Map::from_iter([(body.params[0], inst.args[0])]);
            new.args.push(row(kernel, (body, load), start, (ROW * q, false), out));
            let p = kernel.new_value(ty);
            params.push(p);
            own.push(p);
        }
        rows.push(own);
    }
    let mut insts = Vec::new();
    for (s, own) in streams.iter().zip(&mut rows) {
        let load = &body.insts[s.first()];
        let guard = s.rotates();
        own.push(row(kernel, (body, load), Map::default(), (ROW * s.carried, guard), &mut insts));
    }
    let replaced = loaded(kernel, body, streams, &rows, lane, &mut insts);
    for mut kept in body.insts.iter().filter(|i| i.results.iter().all(|r| !replaced.contains_key(r))).cloned() {
        substitute(&mut kept, &replaced);
        insts.push(kept);
    }
    if let Some(yielded) = insts.last_mut() {
        rows.iter().for_each(|own| yielded.args.extend_from_slice(&own[1..]));
    }
    new.results = params[1..].iter().map(|&p| kernel.new_value(kernel.ty(p))).collect();
    let results = Values::from_slice(&new.results[..inst.results.len()]);
    new.regions = vec![Block { params, insts }];
    out.push(new);
    results
}

/// What stands for each load: a row, or what is put together of two. Those that take equally many lanes of the first row
/// stand together, because they share a condition.
fn loaded(
    kernel: &mut Kernel,
    body: &Block,
    streams: &[Stream],
    rows: &[Vec<Value>],
    lane: Value,
    out: &mut Vec<Inst>,
) -> Map<Value, Value> {
    let mut places: Vec<(i32, usize, usize, usize)> = Vec::new();
    for (s, stream) in streams.iter().enumerate() {
        places.extend(stream.loads.iter().map(|&(at, off)| (off % ROW, s, (off / ROW) as usize, at)));
    }
    places.sort_unstable();
    let mut replaced = Map::default();
    for (r, s, q, at) in places {
        let (load, own) = (&body.insts[at], &rows[s]);
        let v = match r {
            0 => own[q],
            _ => between(kernel, (own[q], own[q + 1]), r, lane, load, out),
        };
        replaced.insert(load.result(), v);
    }
    replaced
}

/// Replaces what an instruction and its regions use.
fn substitute(inst: &mut Inst, by: &Map<Value, Value>) {
    let at = |v: Value| by.get(&v).copied().unwrap_or(v);
    inst.args.iter_mut().for_each(|v| *v = at(*v));
    inst.mask = inst.mask.map(at);
    for region in &mut inst.regions {
        region.insts.iter_mut().for_each(|i| substitute(i, by));
    }
}

/// Loads the row `distance` behind the place of a load, for values that `map` gives; with `guard` as a load that may read past
/// the end of its buffer.
fn row(
    kernel: &mut Kernel,
    (body, load): (&Block, &Inst),
    mut map: Map<Value, Value>,
    (distance, guard): (i32, bool),
    out: &mut Vec<Inst>,
) -> Value {
    let needed = unroll::slice(body, &[load.args[0]]);
    out.extend(unroll::copy(kernel, &needed, &mut map));
    let index = map.get(&load.args[0]).copied().unwrap_or(load.args[0]);
    let distance = kernel.const_i32(distance);
    let index = unroll::sum(kernel, index, distance, load, out);
    let mut new = Inst { results: Values::from_slice(&[kernel.new_value(kernel.ty(load.result()))]), ..load.clone() };
    new.args = Values::from_slice(&[index]);
    if guard {
        new.mode = Mode::Guarded;
    }
    let v = new.result();
    out.push(new);
    v
}

/// The row that starts at lane `r` of the first of two neighbouring rows.
fn between(kernel: &mut Kernel, (a, b): (Value, Value), r: i32, lane: Value, at: &Inst, out: &mut Vec<Inst>) -> Value {
    let (ty, amount) = (kernel.ty(a), kernel.const_i32(ROW - r));
    let early = emit(kernel, Op::CmpLt, &[lane, amount], Type::BOOL.with_lanes(true), at, out);
    let a = emit(kernel, Op::Rotate, &[a, amount], ty, at, out);
    let b = emit(kernel, Op::Rotate, &[b, amount], ty, at, out);
    emit(kernel, Op::Select, &[early, a, b], ty, at, out)
}
