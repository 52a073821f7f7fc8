//! Loops that read a running sum, product, minimum or maximum in every iteration: their iterations are cut into blocks. A first kernel
//! computes what each block contributes, the host adds that up, and a second kernel runs each block from its own start on. How
//! the iterations are cut depends on their number alone, so that sums do not depend on the device or the number of threads.

use super::after::{After, Afters, Left, What};
use super::form::Form;
use super::kernels::{Compiled, Kernels};
use super::loop_parts::{Before, accumulator, enter, reduction_of, result_buffer, store_last, store_partial};
use super::lowered::{LOOP, Lowered};
use super::parts::Retyped;
use super::run::{Ran, Run};
use super::shape::Shape;
use super::state::{Lower, Source};
use super::strip::Geometry;
use super::value::{Num, Path, Root, Val};
use super::{Low, Refusal, refuse};
use quadra_base::quick::Set;
use quadra_kir::{self as kir, MemoryBuffer, Op};
use quadra_quasar_hir::types::Access;
use quadra_quasar_syntax::ast::{Block, Text};
use quadra_quasar_vm::arith::{Kind, Mode};
use quadra_quasar_vm::cx::Cx;
use quadra_quasar_vm::fault::Res;
use quadra_quasar_vm::lend::buffer_of;
use quadra_quasar_vm::nest::Nest;
use quadra_quasar_vm::scalar_ops;
use quadra_quasar_vm::tensor::Data;
use quadra_quasar_vm::value::{RangeValue, Value};
use std::cell::RefCell;
use std::rc::Rc;

/// Iterations that a block has at least, and blocks that there are at most.
const LEAST_BLOCK: i64 = 16;
const MOST_BLOCKS: i64 = 1 << 10;
/// Iterations below which the host runs the loop.
const FEW: i64 = 64;

/// Which of the two kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Sums,
    All,
}

/// Blocks of a loop and the iterations of each.
fn blocks(n: i64) -> (i64, i64) {
    let each = ((n + MOST_BLOCKS - 1) / MOST_BLOCKS).max(LEAST_BLOCK);
    ((n + each - 1) / each, each)
}

/// Runs a loop with running results on the device, if it can.
pub(super) fn launch(
    kernels: &mut Kernels,
    nest: &Rc<Nest>,
    args: &[Value],
    range: &RangeValue,
    cx: &mut Cx,
) -> Res<Result<Left, Refusal>> {
    let n = range.count as i64;
    if n < FEW {
        return Ok(Err(Refusal::default()));
    }
    let (count, each) = blocks(n);
    let mut key = format!("scan {:p} ", Rc::as_ptr(nest));
    let form = Form::of(nest, args, &[n], std::slice::from_ref(range), kernels, &mut key);
    nest.others(args).for_each(|v| super::bind::describe(v, &mut key, 0));
    let mut find = |part: Part, cx: &mut Cx| {
        let lower = |cx: &mut Cx| lower_with_floats(nest, args, count, &form, part, cx);
        kernels.of_loop(format!("{key}{part:?}"), nest, (args, &[count]), cx, lower)
    };
    let (sums, all) = match (find(Part::Sums, cx), find(Part::All, cx)) {
        (Ok(sums), Ok(all)) => (sums, all),
        (Err(refusal), _) | (_, Err(refusal)) => return Ok(Err(refusal)),
    };
    let mode = cx.mode;
    let dims = [count];
    let ranges = vec![
        (Value::Int(range.start as i32), Value::Int(range.step as i32)),
        (Value::Int(each as i32), Value::Int(n as i32)),
    ];
    let starts = RefCell::new(None);
    let sum = |results: &[MemoryBuffer]| {
        let found = running(&sums.afters, results, nest, args, mode);
        let ok = found.is_some();
        *starts.borrow_mut() = found;
        ok
    };
    let results = sums.afters.buffers(&dims, Geometry::Items);
    if let Some(refusal) = once(&sums, (args, &dims), &ranges, results, &sum, cx)? {
        return Ok(Err(refusal));
    }
    let Some((mut left, mut results)) = starts.take() else { return Ok(Err(Refusal::default())) };
    let last = Afters(all.afters.0.iter().filter(|a| matches!(a.what, What::Last(_))).cloned().collect());
    results.extend(last.buffers(&dims, Geometry::Items));
    let values = RefCell::new(None);
    let finish = |results: &[MemoryBuffer]| {
        let found = last.values(results, nest, (args, &dims, Geometry::Items), mode);
        let ok = found.is_some();
        *values.borrow_mut() = found;
        ok
    };
    if let Some(refusal) = once(&all, (args, &dims), &ranges, results, &finish, cx)? {
        return Ok(Err(refusal));
    }
    for (span, name) in &all.lowered.warnings {
        cx.warn_int(*span, name);
    }
    left.extend(values.take().unwrap_or_default());
    let end = range.start as i64 + (n - 1) * range.step as i64;
    left.push((nest.ast.name.clone(), Value::integer(end)));
    Ok(Ok(left))
}

/// One launch; why it must be the host that runs the loop, if so.
fn once(
    compiled: &Compiled,
    (args, dims): (&[Value], &[i64]),
    ranges: &[(Value, Value)],
    results: Vec<MemoryBuffer>,
    combine: &super::run::Combine<'_>,
    cx: &mut Cx,
) -> Res<Option<Refusal>> {
    let Some((module, device)) = &compiled.module else { return Ok(Some(Refusal::default())) };
    let mut run = Run::new(args, &[], dims);
    run.aliases = false;
    run.ranges = ranges.to_vec();
    run.results = results;
    run.combine = Some(combine);
    Ok(match run.go(&compiled.lowered, module, device, false, cx)? {
        Ran::Done => None,
        Ran::Instead(why) => Some(why.unwrap_or_default()),
    })
}

/// What each block starts with, and what the variables hold in the end; nothing if integers overflow.
fn running(
    afters: &Afters,
    results: &[MemoryBuffer],
    nest: &Nest,
    args: &[Value],
    mode: Mode,
) -> Option<(Left, Vec<MemoryBuffer>)> {
    let (mut left, mut starts) = (Vec::new(), Vec::new());
    for a in &afters.0 {
        let What::Parts(op) = a.what else { return None };
        let mut v = a.argument(nest, args)?.clone();
        if v.as_f64().is_some_and(f64::is_nan) {
            return None;
        }
        let parts = a.data(results.get(a.buffer)?);
        let mut data = match a.kind {
            Kind::Int => Data::Int(Vec::with_capacity(parts.len())),
            Kind::F64 => Data::F64(Vec::with_capacity(parts.len())),
            _ => Data::F32(Vec::with_capacity(parts.len())),
        };
        for i in 0..parts.len() {
            match &mut data {
                Data::Int(list) => list.push(i32::try_from(v.as_index()?).ok()?),
                Data::F64(list) => list.push(v.as_f64()?),
                Data::F32(list) => list.push(v.as_f64()? as f32),
                _ => return None,
            }
            v = scalar_ops::scalar(op, &v, &parts.get(i)?, mode)?.ok()?;
        }
        // If what it held is what it holds, it may still be the integer that it was.
        let first = a.argument(nest, args)?;
        let same = matches!(first, Value::Int(_)) && a.kind != Kind::Int && first.as_f64() == v.as_f64();
        if Kind::of(&v) != Some(a.kind) || same {
            return None;
        }
        left.push((a.name.clone(), v));
        starts.push(buffer_of(&data)?);
    }
    Some((left, starts))
}

/// The statements of the body that a part runs.
fn statements(nest: &Nest, part: Part) -> Block {
    let plan = &nest.plan;
    let wanted = |i: &usize| plan.scans.iter().any(|s| s.at == *i) || plan.before_scans.contains(i);
    match part {
        Part::All => nest.ast.body.clone(),
        Part::Sums => {
            let chosen = nest.ast.body.iter().enumerate().filter(|(i, _)| wanted(i));
            chosen.map(|(_, s)| s.clone()).collect()
        }
    }
}

/// A running integer that the first iteration makes a float is one from the start, as is one that each iteration makes a float.
fn lower_with_floats(
    nest: &Nest,
    args: &[Value],
    count: i64,
    form: &Form,
    part: Part,
    cx: &Cx,
) -> Low<(Lowered, Afters)> {
    let mut retyped = Retyped::default();
    loop {
        let mut lower = Lower::new(LOOP, cx, Shape::new(&[count], None), true);
        lower.kinds.seen = nest.typed().collect();
        lower.kinds.begin(&retyped, nest);
        let refusal = match body(&mut lower, nest, args, form, (part, &retyped.floats)) {
            Ok(afters) => return Ok((Lowered::finish(lower)?, afters)),
            Err(refusal) => refusal,
        };
        let running = |n: &Text| nest.plan.scans.iter().any(|s| s.name == *n);
        let own = |n: &Text| nest.is_own(n);
        if !retyped.add(&lower.kinds.wanted, |n| running(n) || own(n), |n| nest.is_plain(n)) {
            return Err(refusal);
        }
    }
}

fn body(
    l: &mut Lower<'_>,
    nest: &Nest,
    args: &[Value],
    form: &Form,
    (part, floats): (Part, &Set<Text>),
) -> Low<Afters> {
    l.fixed = form.fixed.iter().map(|i| Path::new(Root::Argument(*i))).collect();
    l.b.set_over(1);
    l.b.kernel().span = Some(nest.ast.span);
    // The loop is none that counts as a kernel: what lies outside of an array is an error.
    l.push_frame(&nest.ast.body, (Access::Checked, Access::Checked))?;
    enter(l, nest, args);
    let mut afters = Afters::default();
    let mut slots = Vec::new();
    let block = l.item(0).re;
    for scan in &nest.plan.scans {
        if scan.mixed && nest.declared.contains_key(&scan.name) {
            return Err(Box::new(Refusal::default()));
        }
        let slot = accumulator(l, nest, args, &scan.name, scan.class, floats.contains(&scan.name))?;
        let Val::Num(start) = l.get_slot(&slot)? else { refuse!("'{}' is no number", scan.name) };
        if !matches!(start.kind, Kind::Int | Kind::F32 | Kind::F64) {
            refuse!("a running result that is neither an integer nor a float");
        }
        let Some((op, _)) = reduction_of(scan.class) else { refuse!("such a running result") };
        let number = afters.0.len();
        afters.0.push(After { name: scan.name.clone(), buffer: number, kind: start.kind, what: What::Parts(op) });
        slots.push((slot, start.kind));
    }
    if part == Part::All {
        for (number, (slot, kind)) in slots.iter().enumerate() {
            let buf = result_buffer(l, number, *kind);
            let start = l.b.load(buf, kir::Mode::Inside, &[block]);
            l.set_slot(slot, &Val::Num(Num::new(*kind, start)))?;
        }
    }
    let param = |l: &mut Lower<'_>, name: &str, part: u8| {
        let v = l.b.scalar(name, kir::Type::I32);
        l.sources.push(Source::Range(1, part));
        v
    };
    let (each, all, one) = (param(l, "each", 0), param(l, "total", 1), l.b.i32(1));
    let first = l.op(Op::Mul, &[block, each]);
    let end = l.op(Op::Add, &[first, each]);
    let end = l.op(Op::Min, &[end, all]);
    let before = Before::of(l.frame());
    let k = l.b.begin_for(first, end, one);
    super::loops::set_loop(l, &nest.ast, form, 0, Num { range: Some(super::loops::FEW), ..Num::new(Kind::Int, k) })?;
    let body = statements(nest, part);
    l.forget_assigned(&nest.ast.body);
    l.block_with_continue(&body)?;
    if part == Part::All {
        let minus = l.b.i32(-1);
        let last = l.op(Op::Add, &[all, minus]);
        store_last(l, nest, &mut |l| l.op(Op::CmpEq, &[k, last]), &mut afters)?;
    }
    l.b.end();
    before.restore(l.frame());
    if part == Part::Sums {
        for (number, (slot, _)) in slots.iter().enumerate() {
            let Val::Num(n) = l.get_slot(slot)? else { refuse!("no number") };
            store_partial(l, &n, number, block)?;
        }
    }
    Ok(afters)
}

#[cfg(test)]
mod tests {
    use super::blocks;

    #[test]
    fn blocks_cover_all_iterations() {
        for n in [64, 65, 1000, 16 << 10, (16 << 10) + 1, 1 << 20, (1 << 20) + 7] {
            let (count, each) = blocks(n);
            assert!(count * each >= n && (count - 1) * each < n, "{n}: {count} blocks of {each}");
            assert!((1..=1024).contains(&count) && each >= 16);
        }
    }
}
