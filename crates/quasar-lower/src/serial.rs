//! Loops whose iterations need each other: one worker runs them in order, as compiled code. All its lanes do the same, so that
//! what the kernel computes are numbers and not vectors. Variables that take values from one iteration to the next are variables
//! of the kernel; what they hold in the end is a result. A loop that faults changes nothing and runs on the host, which has the
//! words for what is wrong.

use super::after::{After, Afters, What};
use super::form::Form;
use super::item::Shape;
use super::launch::{Compiled, Kernels, LOOP, Lowered};
use super::loop_parts::{Before, enter, result_buffer, store_last};
use super::nest::Left;
use super::run::{Ran, Run};
use super::state::{Lower, Slot, Source};
use super::strip::{Geometry, LANES};
use super::value::{Num, Path, Root, Val};
use super::{Low, Refusal, refuse};
use quadra_kir::{self as kir, MemoryBuffer, Mode, Op};
use quadra_quasar_hir::types::Access;
use quadra_quasar_syntax::ast::Text;
use quadra_quasar_vm::arith::Kind;
use quadra_quasar_vm::cx::Cx;
use quadra_quasar_vm::fault::Res;
use quadra_quasar_vm::nest::Nest;
use quadra_quasar_vm::operate::int_or_wide;
use quadra_quasar_vm::value::{RangeValue, Value};
use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

/// Steps of the host below which compiling is not worth its while, however often the loop comes.
const LEAST_WORK: u64 = 1 << 14;
/// Integers that may begin as floats: all sums of two of them are exact in single precision.
const SMALL: i64 = 1 << 20;
/// The items of the launch: the lanes of one group.
const ITEMS: [i64; 1] = [LANES];

fn quiet() -> Refusal {
    Refusal { reason: String::new(), span: None }
}

/// Whether a loop of so many steps is worth a kernel of its own on this device.
pub(super) fn pays(kernels: &Kernels, work: u64) -> bool {
    kernels.may(|caps| caps.quick_alone) && (work >= LEAST_WORK || quadra_base::checked::is_on())
}

/// Runs a loop in order on the device, if it can.
pub(super) fn launch(
    kernels: &mut Kernels,
    nest: &Rc<Nest>,
    args: &[Value],
    range: &RangeValue,
    cx: &mut Cx,
) -> Res<Result<Left, Refusal>> {
    let mut key = format!("serial {:p} ", Rc::as_ptr(nest));
    nest.others(args).for_each(|v| super::bind::describe(v, &mut key, 0));
    let form = Form { doubles: kernels.caps().is_none_or(|c| c.float64), ..Form::default() };
    let lower = |cx: &mut Cx| lower_with_floats(nest, args, &form, cx);
    let compiled = match kernels.of_loop(key, nest, (args, &ITEMS), cx, lower) {
        Ok(compiled) => compiled,
        // That it is not parallel has been said.
        Err(_) => return Ok(Err(quiet())),
    };
    let becomes_float = |a: &After| a.kind != Kind::Int && matches!(a.argument(nest, args), Some(Value::Int(_)));
    let large = |a: &After| a.argument(nest, args).and_then(Value::as_f64).is_some_and(|x| x.abs() > SMALL as f64);
    if compiled.afters.0.iter().any(|a| becomes_float(a) && large(a)) {
        return Ok(Err(quiet()));
    }
    once(&compiled, nest, args, range, cx)
}

fn once(
    compiled: &Compiled,
    nest: &Nest,
    args: &[Value],
    range: &RangeValue,
    cx: &mut Cx,
) -> Res<Result<Left, Refusal>> {
    let Some((module, device)) = &compiled.module else { return Ok(Err(quiet())) };
    let mode = cx.mode;
    let left = RefCell::new(None);
    let finish = |results: &[MemoryBuffer]| {
        let found = compiled.afters.values(results, nest, (args, &ITEMS, Geometry::Items), mode);
        // An integer that no iteration made a float still is one.
        let same = |(name, v): &(Text, Value)| {
            let before = nest.vars.iter().position(|n| n.0 == *name).and_then(|i| args.get(i));
            let float = matches!(v, Value::F32(_) | Value::F64(_));
            float && matches!(before, Some(Value::Int(_))) && before.and_then(Value::as_f64) == v.as_f64()
        };
        let found = found.filter(|left: &Left| !left.iter().any(same));
        let ok = found.is_some();
        *left.borrow_mut() = found;
        ok
    };
    let mut run = Run::new(args, &[], &ITEMS);
    run.aliases = false;
    run.ranges = vec![
        (Value::Int(range.start as i32), Value::Int(range.step as i32)),
        (Value::Int(range.count as i32), Value::Int(1)),
    ];
    run.results = compiled.afters.buffers(&ITEMS, Geometry::Items);
    run.combine = Some(&finish);
    Ok(match run.go(&compiled.lowered, module, device, false, cx)? {
        Ran::Done => {
            for (span, name) in &compiled.lowered.warnings {
                cx.warn_int(*span, name);
            }
            let mut left = left.take().unwrap_or_default();
            left.extend(nest.counters());
            let end = range.start as i64 + (range.count as i64 - 1) * range.step as i64;
            left.push((nest.ast.name.clone(), int_or_wide(end)));
            Ok(left)
        }
        Ran::Instead(_) => Err(quiet()),
    })
}

/// An integer that an iteration makes a float is one from the start.
fn lower_with_floats(nest: &Nest, args: &[Value], form: &Form, cx: &Cx) -> Low<(Lowered, Afters)> {
    let mut floats: HashSet<Text> = HashSet::new();
    loop {
        let mut lower = Lower::new(LOOP, cx, Shape::new(&ITEMS, None), true);
        lower.doubles = form.doubles;
        lower.kinds.seen = nest.typed().collect();
        lower.kinds.floats = floats.iter().filter(|n| nest.is_own(n)).cloned().collect();
        let refusal = match body(&mut lower, nest, args, form, &floats) {
            Ok(afters) => return Ok((Lowered::finish(lower)?, afters)),
            Err(refusal) => refusal,
        };
        let name = lower.kinds.wants_float.take().filter(|n| nest.combines(n) || nest.is_own(n));
        if !name.is_some_and(|n| floats.insert(n)) {
            return Err(refusal);
        }
    }
}

fn body(l: &mut Lower<'_>, nest: &Nest, args: &[Value], form: &Form, floats: &HashSet<Text>) -> Low<Afters> {
    l.b.set_over(1);
    l.b.kernel().span = Some(nest.ast.span);
    // The loop is none that counts as a kernel: what lies outside of an array is an error.
    l.push_frame(&nest.ast.body, (Access::Checked, Access::Checked))?;
    enter(l, nest, args);
    let slots = carried(l, nest, args, floats)?;
    let all = l.b.scalar("total", kir::Type::I32);
    l.sources.push(Source::Range(1, 0));
    let (zero, one) = (l.b.i32(0), l.b.i32(1));
    let before = Before::of(l.frame());
    let k = l.b.begin_for(zero, all, one);
    super::loops::set_loop(l, &nest.ast, form, 0, Num { range: Some(super::loops::FEW), ..Num::new(Kind::Int, k) })?;
    l.forget_assigned(&nest.ast.body);
    l.block_with_continue(&nest.ast.body)?;
    let mut afters = Afters::default();
    let minus = l.b.i32(-1);
    let last = l.op(Op::Add, &[all, minus]);
    store_last(l, nest, &mut |l| l.op(Op::CmpEq, &[k, last]), &mut afters)?;
    l.b.end();
    before.restore(l.frame());
    for (name, slot) in slots {
        let Val::Num(n) = l.get_slot(&slot)? else { refuse!("'{name}' is no number") };
        let buffer = afters.0.len();
        let buf = result_buffer(l, buffer, n.kind);
        l.b.store(buf, Mode::Inside, &[zero], n.re);
        afters.0.push(After { name, buffer, kind: n.kind, what: What::Last(Vec::new()) });
    }
    Ok(afters)
}

/// Variables of the kernel for those that take values from one iteration to the next, and for those that keep what they hold
/// unless an iteration sets them.
fn carried(l: &mut Lower<'_>, nest: &Nest, args: &[Value], floats: &HashSet<Text>) -> Low<Vec<(Text, Slot)>> {
    let number = |name: &Text| {
        let i = nest.vars.iter().position(|v| v.0 == *name)?;
        args.get(i).filter(|v| v.is_number()).map(|v| (i, v))
    };
    let mut names: Vec<Text> = nest.plan.serial.clone().unwrap_or_default();
    names.extend(nest.maybe_set().filter(|n| number(n).is_some()).cloned());
    names.sort();
    names.dedup();
    let mut slots = Vec::new();
    for name in names {
        let Some((i, v)) = number(&name) else { refuse!("'{name}' is no number before the loop") };
        let Val::Num(start) = l.given(v, &Path::new(Root::Argument(i)))? else { refuse!("'{name}' is no number") };
        let kind = if floats.contains(&name) && start.kind == Kind::Int { l.scalar_kind() } else { start.kind };
        if kind >= Kind::C32 {
            refuse!("'{name}' is complex");
        }
        let start = l.convert(&start, kind);
        let slot = l.slot_for(&name, &Val::Num(start));
        l.set_slot(&slot, &Val::Num(start))?;
        let frame = l.frame();
        frame.vars.insert(name.clone(), slot.clone());
        frame.defined.insert(name.clone());
        slots.push((name, slot));
    }
    Ok(slots)
}
