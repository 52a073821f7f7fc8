//! Loops of the host as kernels: the body of a parallel nest is lowered over the space of its indices, with the variables as
//! they are when the loop is reached.
//!
//! A scalar that the iterations combine (`s += e`) is a private accumulator of each item; the host combines these in the order
//! of the iterations, so that the result does not depend on the device. Variables that keep the value of the last iteration are
//! written by the last item. A nest that faults, or whose integers overflow when they are combined, changes nothing and runs
//! serially.

use super::Refusal;
use super::after::Left;
use super::again::{Again, Launch};
use super::bind::Roots;
use super::form::Form;
use super::kernels::{Compiled, Kernels};
use super::lowered::LOOP;
use super::recent::{Recent, Signature};
use super::run::{Ran, Run};
use super::state::SMALL_INT;
use quadra_kir::MemoryBuffer;
use quadra_quasar_vm::auto;
use quadra_quasar_vm::builtins;
use quadra_quasar_vm::code::Reg;
use quadra_quasar_vm::cx::Cx;
use quadra_quasar_vm::fault::Res;
use quadra_quasar_vm::literal;
use quadra_quasar_vm::nest::{Nest, Seen};
use quadra_quasar_vm::tensor::Data;
use quadra_quasar_vm::turns::TURNS;
use quadra_quasar_vm::value::{RangeValue, Value};
use std::cell::RefCell;
use std::rc::Rc;

/// Most iterations of a nest that runs on a device.
const MOST_ITEMS: i64 = 1 << 28;
/// Iterations below which a launch is not worth its while.
const FEW_ITEMS: i64 = 2;
/// Iterations of the outer loops that keep a device busy by themselves.
const ENOUGH_ITEMS: i64 = 64;
/// Channels of a pixel.
const MOST_CHANNELS: i64 = 4;

/// What a nest finds in variables.
fn values<'v>(nest: &'v Nest, regs: &'v [Value]) -> impl Iterator<Item = &'v Value> {
    nest.vars.iter().map(|(_, reg)| &regs[*reg as usize])
}

/// The same, held.
pub(super) fn arguments(nest: &Nest, regs: &[Value]) -> Vec<Value> {
    values(nest, regs).cloned().collect()
}

/// Whether the outer loops of a nest, which has this innermost one, are carried out alone. Where nothing is combined, that one goes over
/// channels, if there are so few.
fn is_enough(nest: &Nest, outer: &[RangeValue], inner: Option<&RangeValue>) -> bool {
    let channels = inner.is_some_and(|r| (2..=MOST_CHANNELS).contains(&(r.count as i64)));
    let items = outer.iter().map(|r| r.count as i64).product::<i64>();
    items >= ENOUGH_ITEMS && (!nest.plan.accumulates.is_empty() || channels)
}

/// Which of a nest's loops are carried out, and how many. Both loops over the elements of small matrices are left out where lanes are a
/// vector and memory is the host's: others reach what lies far apart lane by lane, and have more to do with more items.
fn carried_out<'n>(whole: &'n Rc<Nest>, ranges: &[RangeValue], kernels: &Kernels) -> (&'n Rc<Nest>, usize) {
    let (mut nest, mut depth) = (whole, ranges.len());
    while let Some(outer) = &nest.outer
        && is_enough(nest, &ranges[..outer.plan.depth], ranges[..depth].last())
        && (Rc::ptr_eq(nest, whole) || kernels.may(|caps| caps.in_place))
    {
        (nest, depth) = (outer, outer.plan.depth);
    }
    (nest, depth)
}

/// Runs a nest on the device, if it can; the bounds of its loops stand in registers from `bounds`. False: run it serially.
pub(super) fn run(kernels: &mut Kernels, nest: &Rc<Nest>, regs: &mut [Value], bounds: Reg, cx: &mut Cx) -> Res<bool> {
    // Whoever names a device is given the whole loop there, or none of it.
    if kernels.checks_races() || nest.begins_late && !kernels.decides() {
        return Ok(false);
    }
    let Some(mut ranges) = whole_ranges(nest, regs, bounds) else { return Ok(false) };
    let total = ranges.iter().map(|r| r.count as i64).product::<i64>();
    // What ends by itself has as many iterations as it needs.
    if !(FEW_ITEMS..=MOST_ITEMS).contains(&total) && !nest.is_open() {
        return Ok(false);
    }
    let work = work(nest, &ranges, total, regs);
    let whole = nest;
    let (nest, depth) = carried_out(nest.general(), &ranges, kernels);
    ranges.truncate(depth);
    if nest.plan.serial.is_some() && !super::serial::pays(kernels, nest, regs, (work, &ranges[0]), cx) {
        return Ok(false);
    }
    if !kernels.wanted(Rc::as_ptr(nest) as usize, work, (LOOP, nest.ast.span), values(nest, regs), cx) {
        return Ok(false);
    }
    let args = arguments(nest, regs);
    if args.iter().any(is_odd) {
        return Ok(false);
    }
    let mut dims: Vec<i64> = ranges.iter().map(|r| r.count as i64).collect();
    if super::form::turns(nest, &args, &ranges, kernels) {
        dims.rotate_right(1);
    }
    let span = nest.ast.span;
    let held = |name: &str| nest.held(name, &args);
    let broken = nest.plan.supposed.iter().find_map(|s| s.broken(builtins::library(), &held));
    let done = match (&nest.plan.carries, &nest.plan.scans[..]) {
        _ if broken.is_some() => Err(Refusal::new(broken.unwrap_or_default())),
        (Some(name), _) => Err(Refusal::new(format!("'{name}' takes its value from one iteration to the next"))),
        (None, []) if nest.plan.serial.is_some() => super::serial::launch(kernels, nest, &args, &ranges[0], cx)?,
        (None, []) => {
            let around = nest.around.get();
            let left = around.map_or(0, |a| a.left(regs));
            let what = Launch { nest, args: &args, dims: &dims, ranges: &ranges };
            let (done, again) = launch(kernels, nest, &what, left, cx)?;
            if let (Ok(_), Some(around), Some(again)) = (&done, around, again) {
                cx.spend(around.skip(regs, again.times));
            }
            done
        }
        _ => super::scan::launch(kernels, nest, &args, &ranges[0], cx)?,
    };
    let in_order = match &done {
        Err(refusal) if !refusal.reason.is_empty() => {
            nest.in_order().filter(|n| super::serial::pays(kernels, n, regs, (work, &ranges[0]), cx))
        }
        _ => None,
    };
    if let (Some(ordered), Err(refusal)) = (in_order, &done)
        && let Ok(after) = super::serial::launch(kernels, ordered, &args, &ranges[0], cx)?
    {
        let device = format!("{} in parallel", kernels.device_name());
        cx.warn(kernels.fallback(LOOP, &device, &refusal.reason, refusal.span.unwrap_or(span)));
        leave(nest, regs, after);
        return Ok(true);
    }
    match done {
        Ok(after) => {
            nest.has_run.set(true);
            leave(nest, regs, after);
        }
        Err(refusal) => {
            if !refusal.reason.is_empty() {
                whole.refused.set(true);
                cx.warn(kernels.slow(LOOP, &refusal, work, span));
            }
            return Ok(false);
        }
    }
    Ok(true)
}

/// Steps that a nest of so many iterations would take the host, as far as that is known.
fn work(nest: &Nest, ranges: &[RangeValue], total: i64, regs: &[Value]) -> u64 {
    let (instructions, inner, slices) = nest.weight.get();
    let turns = expected_turns(nest, inner, ranges, regs);
    let length = |v: &Value| if let Value::Array(t) = v { t.shape.iter().copied().max() } else { None };
    let longest = nest.vars.iter().filter_map(|(_, reg)| length(&regs[*reg as usize])).max().unwrap_or(0);
    let expected = match nest.is_open() {
        // Tests want to see the rest of every loop as a kernel.
        _ if nest.begins_late && quadra_base::checked::is_on() => i64::MAX,
        true => (nest.seen.get().begun as i64).clamp(TURNS as i64, total),
        false => total,
    };
    auto::work(expected, instructions + if slices { longest / auto::PER_STEP } else { 0 }, turns)
}

/// Turns of the loops within an iteration: as many as the host has seen, or as the text and the variables say.
fn expected_turns(nest: &Nest, inner: usize, ranges: &[RangeValue], regs: &[Value]) -> u64 {
    let seen = nest.seen.get();
    let said = if inner > 0 { nest.turns(ranges, &arguments(nest, regs), builtins::library()) } else { 1 };
    let turns = said.max(seen.turns);
    nest.seen.set(Seen { expected: turns, ..seen });
    turns
}

/// Whether a value is one that no kernel is made for.
fn is_odd(v: &Value) -> bool {
    match v {
        Value::Int(i) => i64::from(*i).abs() > SMALL_INT,
        // An access mode finds no element to stand in.
        Value::Array(t) => t.is_empty(),
        _ => false,
    }
}

/// The ranges of the loops, if they go over integers that kernels can count.
fn whole_ranges(nest: &Nest, regs: &[Value], bounds: Reg) -> Option<Vec<RangeValue>> {
    let near = |x: f64| x.abs() < (1 << 30) as f64;
    let fits = |r: &RangeValue| near(r.start) && near(r.start + r.step * r.count as f64) && r.count < 1 << 30;
    let range = |level: usize| {
        let at = bounds as usize + 3 * level;
        let r = literal::range(&regs[at], &regs[at + 1], &regs[at + 2]).ok()?;
        (r.integral && fits(&r)).then_some(r)
    };
    (0..nest.plan.depth).map(range).collect()
}

/// Gives variables their values.
fn leave(nest: &Nest, regs: &mut [Value], left: Left) {
    for (name, v) in left {
        if let Some((_, reg)) = nest.vars.iter().find(|v| v.0 == name) {
            regs[*reg as usize] = v;
        }
    }
}

/// Launches a nest, and says whether it was more than one iteration of the loop around it, of which `left` are left.
fn launch(
    kernels: &mut Kernels,
    nest: &Rc<Nest>,
    what: &Launch<'_>,
    left: i64,
    cx: &mut Cx,
) -> Res<(Result<Left, Refusal>, Option<Again>)> {
    let Launch { args, dims, ranges, .. } = *what;
    let signature = what.signature();
    let id = Rc::as_ptr(nest) as usize;
    if let Some(recent) = kernels.recent.get(&id).filter(|r| signature.as_ref() == Some(&r.signature))
        && recent.compiled.lowered.has_functions(cx)
        && recent.compiled.lowered.numbers_hold(&Roots { arguments: args, captures: &[], cx }, dims)
    {
        let compiled = recent.compiled.clone();
        let again = what.again(&compiled, &recent.signature, left, cx);
        let done = once(&compiled, nest, (args, dims), ranges, again, cx)?;
        if done.is_ok() || !compiled.lowered.supposes {
            return Ok((done, again));
        }
    }
    Ok((first(kernels, nest, what, signature, cx)?, None))
}

/// Launches a nest whose last launch was another one.
fn first(
    kernels: &mut Kernels,
    nest: &Rc<Nest>,
    what: &Launch<'_>,
    signature: Option<Signature>,
    cx: &mut Cx,
) -> Res<Result<Left, Refusal>> {
    let Launch { args, dims, ranges, .. } = *what;
    let id = Rc::as_ptr(nest) as usize;
    let long: String = dims.iter().map(|d| if *d == 1 { '1' } else { 'n' }).collect();
    let mut key = format!("nest {:p} {long} ", Rc::as_ptr(nest));
    let form = Form::of(nest, args, dims, ranges, kernels, &mut key);
    nest.others(args).for_each(|v| super::bind::describe(v, &mut key, 0));
    let mut compiled = match find(kernels, nest, (args, dims), &form, key.clone(), cx) {
        Ok(compiled) => compiled,
        Err(refusal) => return Ok(Err(refusal)),
    };
    if let Some(signature) = signature {
        kernels.recent.insert(id, Recent { signature, compiled: compiled.clone() });
    }
    let done = once(&compiled, nest, (args, dims), ranges, None, cx)?;
    if done.is_ok() || !compiled.lowered.supposes {
        return Ok(done);
    }
    // Integers were greater or smaller than supposed: the kernel that supposes nothing.
    let form = form.without_suppositions();
    compiled = match find(kernels, nest, (args, dims), &form, key + "any ", cx) {
        Ok(compiled) => compiled,
        Err(refusal) => return Ok(Err(refusal)),
    };
    once(&compiled, nest, (args, dims), ranges, None, cx)
}

/// The compiled kernel of a nest.
fn find(
    kernels: &mut Kernels,
    nest: &Rc<Nest>,
    (args, dims): (&[Value], &[i64]),
    form: &Form,
    key: String,
    cx: &mut Cx,
) -> Result<Rc<Compiled>, Refusal> {
    kernels.of_loop(key, nest, (args, dims), cx, |cx| super::loops::lower(nest, args, dims, form, cx))
}

/// Whether an array has integers to which not even [`super::number::LITTLE`] may be added again and again.
fn nearly_full(v: &Value) -> bool {
    let Value::Array(t) = v else { return false };
    match &*t.data.borrow() {
        Data::Int(list) => list.iter().any(|x| x.unsigned_abs() > 1 << 30),
        Data::U32(list) => list.iter().any(|x| *x > 1 << 30),
        _ => false,
    }
}

/// One launch of the kernel of a nest, of as many runs as it is to have.
fn once(
    compiled: &Compiled,
    nest: &Nest,
    (args, dims): (&[Value], &[i64]),
    ranges: &[RangeValue],
    again: Option<Again>,
    cx: &mut Cx,
) -> Res<Result<Left, Refusal>> {
    let Some((module, device)) = &compiled.module else { return Ok(Err(Refusal::default())) };
    if nest.vars.iter().zip(args).any(|(v, a)| nest.plan.accumulates.contains(&v.0) && nearly_full(a)) {
        return Ok(Err(Refusal::default()));
    }
    let mut run = Run::new(args, &[], dims);
    run.aliases = false;
    run.again = again;
    run.ranges = ranges.iter().map(|r| (Value::Int(r.start as i32), Value::Int(r.step as i32))).collect();
    run.results = compiled.afters.buffers(dims, compiled.lowered.geometry);
    let left = RefCell::new(None);
    let mode = cx.mode;
    let combine = |results: &[MemoryBuffer]| {
        let values = compiled.afters.values(results, nest, (args, dims, compiled.lowered.geometry), mode);
        let ok = values.is_some();
        *left.borrow_mut() = values;
        ok
    };
    run.combine = Some(&combine);
    let ran = run.go(&compiled.lowered, module, device, false, cx)?;
    match ran {
        Ran::Done => {
            for (span, name) in &compiled.lowered.warnings {
                cx.warn_int(*span, name);
            }
            let mut left = left.take().unwrap_or_default();
            left.extend(nest.counters());
            for (f, r) in nest.loops().iter().zip(ranges) {
                left.push((f.name.clone(), Value::integer(r.start as i64 + (r.count as i64 - 1) * r.step as i64)));
            }
            Ok(Ok(left))
        }
        Ran::Instead(why) => Ok(Err(why.unwrap_or_default())),
    }
}
