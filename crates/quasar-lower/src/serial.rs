//! Loops whose iterations need each other: one worker runs them in order, as compiled code. All its lanes do the same, so that
//! what the kernel computes are numbers and not vectors. Variables that take values from one iteration to the next are variables
//! of the kernel; what they hold in the end is a result. A loop that faults changes nothing and runs on the host, which has the
//! words for what is wrong.

use super::after::{After, Afters, Left};
use super::amount::Count;
use super::form::Form;
use super::kernels::{Compiled, Kernels};
use super::loop_parts::{Before, enter, store_last};
use super::lowered::{LOOP, Lowered};
use super::parts::OpenLoop;
use super::parts::Retyped;
use super::returns;
use super::run::{Ran, Run};
use super::shape::Shape;
use super::state::{Lower, Slot, Source};
use super::strip::{Geometry, LANES};
use super::value::{Captured, Num, Path, Root, Val};
use super::{Low, Refusal, refuse};
use quadra_base::quick::Set;
use quadra_kir::{self as kir, Bounds, MemoryBuffer, Op};
use quadra_quasar_hir::scope::Names;
use quadra_quasar_hir::types::Access;
use quadra_quasar_syntax::ast::{Block, ExprKind, For, NodeId, StmtKind, Text};
use quadra_quasar_vm::arith::Kind;
use quadra_quasar_vm::cx::Cx;
use quadra_quasar_vm::fault::Res;
use quadra_quasar_vm::nest::Nest;
use quadra_quasar_vm::tensor::Data;
use quadra_quasar_vm::value::{RangeValue, Value};
use std::cell::RefCell;
use std::rc::Rc;

/// Steps of the host below which compiling is not worth its while, however often the loop comes.
const LEAST_WORK: u64 = 1 << 14;
/// Integers that may begin as floats: all sums of two of them are exact in single precision.
const SMALL: i64 = 1 << 20;
/// Statements of vectors that one worker executes in the time that a launch on many of them takes.
const SHORT: f64 = 2000.0;
/// The same of loops that combine values, and read them: two launches, between which the host adds up, and a copy of what they write.
const LAUNCHES: (f64, f64) = (2.0, 16.0);
/// Elements of arrays that are assigned as a whole up to which one worker, who takes one element at a time, is much faster than the host,
/// which takes time for each statement and hardly any for an element.
const LONGEST_WHOLE: usize = 512;
/// The items of the launch: the lanes of one group.
const ITEMS: [i64; 1] = [LANES];

/// Whether a loop of so many steps is worth a kernel of its own on this device.
pub(super) fn pays(kernels: &Kernels, nest: &Nest, regs: &[Value], (work, range): (u64, &RangeValue), cx: &Cx) -> bool {
    let Some(order) = &nest.plan.serial else { return false };
    if !kernels.may(|caps| caps.quick_alone) || (work < LEAST_WORK && !quadra_base::checked::is_on()) {
        return false;
    }
    if !order.rotation.wholes.arrays.is_empty() && !are_short(nest, regs, cx) {
        return false;
    }
    if order.lanes.is_empty() && order.combining.is_empty() {
        return true;
    }
    // Lengths of what iterations make follow from what there is before.
    let args: Vec<Value> =
        if super::rotate::of(nest).is_some() { super::nest::arguments(nest, regs) } else { Vec::new() };
    let Some(args) = super::rotate::arguments(nest, &args, cx) else { return false };
    let before = |name: &str| {
        let at = super::whole::place(nest, name)?;
        args.get(at).or_else(|| regs.get(nest.vars[at].1 as usize)).cloned()
    };
    let middle = range.start + range.step * (range.count / 2) as f64;
    let own = std::iter::once((nest.ast.name.clone(), Some(middle))).collect();
    let mut count = Count::new(&order.lanes, &before, own);
    // Launches that may stop, as sums of integers do, are no series: of few threads each saves little by them.
    let whole = |v: &Value| matches!(v, Value::Array(t) if matches!(&*t.data.peek(), Data::Int(_)));
    let threads = quadra_device::cpu::threads() as f64;
    let stops = nest.vars.iter().filter_map(|v| regs.get(v.1 as usize)).any(whole);
    let weight = if stops { threads / (threads - 1.0).max(0.1) } else { 1.0 };
    // What combines floats must not depend on the number of threads.
    let weight = if order.combining.is_empty() { weight } else { 1.0 };
    let combining: f64 = order.combining.iter().map(|c| if c.1 { LAUNCHES.1 } else { LAUNCHES.0 }).sum();
    let most = SHORT * (order.lanes.len() as f64 * weight + combining);
    count.block(&super::rotate::statements(nest)).is_some_and(|n| n <= most)
}

/// Whether the arrays that iterations assign as a whole are so short that the host, which computes long ones in passes over vectors,
/// takes longer than one worker.
fn are_short(nest: &Nest, regs: &[Value], cx: &Cx) -> bool {
    let args = super::nest::arguments(nest, regs);
    let (Some(rotation), Some(args)) = (super::rotate::of(nest), super::rotate::arguments(nest, &args, cx)) else {
        return false;
    };
    let short = |v: &Value| matches!(v, Value::Array(t) if t.len() <= LONGEST_WHOLE);
    let at = |name: &Text| super::whole::place(nest, name).and_then(|i| args.get(i));
    rotation.wholes.arrays.iter().all(|w| w.is_only_copied() || at(&w.name).is_some_and(short))
}

/// Runs a loop in order on the device, if it can.
pub(super) fn launch(
    kernels: &mut Kernels,
    nest: &Rc<Nest>,
    args: &[Value],
    range: &RangeValue,
    cx: &mut Cx,
) -> Res<Result<Left, Refusal>> {
    // Which device it is may have been decided just now.
    if kernels.caps().is_none_or(|caps| !caps.quick_alone) {
        return Ok(Err(Refusal::default()));
    }
    let Some(args) = super::rotate::arguments(nest, args, cx) else { return Ok(Err(Refusal::default())) };
    let args = &*args;
    let mut key = format!("serial {:p} ", Rc::as_ptr(nest));
    nest.others(args).for_each(|v| super::bind::describe(v, &mut key, 0));
    let form = Form { doubles: kernels.caps().is_none_or(|c| c.float64), ..Form::default() };
    let lower = |cx: &mut Cx| lower_with_floats(nest, args, &form, cx);
    if !super::rotate::fits(nest, args) {
        return Ok(Err(Refusal::default()));
    }
    let compiled = match kernels.of_loop(key, nest, (args, &ITEMS), cx, lower) {
        Ok(compiled) => compiled,
        // That it is not parallel has been said.
        Err(_) => return Ok(Err(Refusal::default())),
    };
    let becomes_float = |a: &After| !a.kind.is_int() && matches!(a.argument(nest, args), Some(Value::Int(_)));
    let large = |a: &After| a.argument(nest, args).and_then(Value::as_f64).is_some_and(|x| x.abs() > SMALL as f64);
    if compiled.afters.0.iter().any(|a| becomes_float(a) && large(a)) {
        return Ok(Err(Refusal::default()));
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
    let Some((module, device)) = &compiled.module else { return Ok(Err(Refusal::default())) };
    let mode = cx.mode;
    let left = RefCell::new(None);
    let finish = |results: &[MemoryBuffer]| {
        let found = compiled.afters.values(results, nest, (args, &ITEMS, Geometry::Items), mode);
        // An integer that no iteration made a float or one of 64 bits still is one.
        let same = |(name, v): &(Text, Value)| {
            let before = nest.vars.iter().position(|n| n.0 == *name).and_then(|i| args.get(i));
            let changed = matches!(v, Value::F32(_) | Value::F64(_) | Value::IntN(..));
            changed && matches!(before, Some(Value::Int(_))) && before.and_then(Value::as_f64) == v.as_f64()
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
    run.in_order = nest.plan.serial.as_ref().is_some_and(|s| s.lanes.is_empty());
    Ok(match run.go(&compiled.lowered, module, device, false, cx)? {
        Ran::Done => {
            for (span, name) in &compiled.lowered.warnings {
                cx.warn_int(*span, name);
            }
            let mut left = left.take().unwrap_or_default();
            left.extend(nest.counters());
            let end = range.start as i64 + (range.count as i64 - 1) * range.step as i64;
            if !nest.plan.serial.as_ref().is_some_and(|s| s.exits) {
                left.push((nest.ast.name.clone(), Value::integer(end)));
            }
            left.extend(super::rotate::left(nest, args, range.count as u64));
            returns::settle(nest, args, &mut left);
            Ok(left)
        }
        Ran::Instead(_) => Err(Refusal::default()),
    })
}

/// An integer that an iteration makes a float is one from the start.
fn lower_with_floats(nest: &Nest, args: &[Value], form: &Form, cx: &Cx) -> Low<(Lowered, Afters)> {
    let mut retyped = Retyped::default();
    loop {
        let mut lower = Lower::new(LOOP, cx, Shape::new(&ITEMS, None), true);
        lower.doubles = form.doubles;
        lower.kinds.seen = nest.typed().collect();
        lower.kinds.begin(&retyped, nest);
        let refusal = match body(&mut lower, nest, args, form, &retyped.floats) {
            Ok(afters) => return Ok((Lowered::finish(lower)?, afters)),
            Err(refusal) => refusal,
        };
        let own = |n: &Text| nest.is_own(n);
        if !retyped.add(&lower.kinds.wanted, |n| nest.combines(n) || own(n), |n| nest.is_plain(n)) {
            return Err(refusal);
        }
    }
}

/// What the iterations find: the loop's variables, and what is known of how its arrays are looked at.
fn begin(l: &mut Lower<'_>, nest: &Nest, args: &[Value], statements: &Block) -> Low<()> {
    l.b.set_over(1);
    l.b.kernel().span = Some(nest.ast.span);
    let order = nest.plan.serial.clone().unwrap_or_default();
    l.b.kernel().regroup = !order.asked;
    // Unless the loop counts as a kernel, what lies outside of an array is an error.
    l.push_frame(statements, (if order.safe { Access::Safe } else { Access::Checked }, Access::Checked))?;
    enter(l, nest, args);
    for fresh in order.rotation.fresh.iter().filter(|f| f.checked) {
        l.frame().access.insert(fresh.name.clone(), Access::Checked);
    }
    l.lanes = lanes(nest, &order.lanes)?;
    l.combining = order.combining;
    for whole in order.rotation.wholes.arrays.iter().filter(|w| w.checked) {
        l.frame().access.insert(whole.name.clone(), Access::Checked);
    }
    l.wholes = order.rotation.wholes.targets;
    l.fills = order.rotation.wholes.fills;
    Ok(())
}

fn body(l: &mut Lower<'_>, nest: &Nest, args: &[Value], form: &Form, floats: &Set<Text>) -> Low<Afters> {
    let statements = super::rotate::statements(nest);
    begin(l, nest, args, &statements)?;
    let mut slots = carried(l, nest, args, floats)?;
    let exits = nest.plan.serial.as_ref().is_some_and(|s| s.exits);
    let returned = returns::begin(l, nest);
    let at = if exits { Some(last_item(l, nest)?) } else { None };
    let all = l.b.scalar("total", kir::Type::I32);
    l.sources.push(Source::Range(1, 0));
    let zero = l.b.i32(0);
    let before = Before::of(l.frame());
    let phases = nest.plan.serial.as_ref().map_or(1, |s| s.rotation.period());
    let (step, minus) = (l.b.i32(phases as i32), l.b.i32(-1));
    let first = l.b.begin_for(zero, all, step);
    if exits {
        l.open_loop(OpenLoop::Plain);
    }
    let mut afters = Afters::default();
    for phase in 0..phases {
        let facts = l.facts.clone();
        let k = begin_phase(l, (first, all), phase, &before);
        turn(l, nest, args, phase)?;
        super::loops::set_loop(
            l,
            &nest.ast,
            form,
            0,
            Num { range: Some(super::loops::FEW), ..Num::new(Kind::Int, k) },
        )?;
        l.forget_assigned(&statements);
        match &at {
            Some(at) => iteration_that_may_end(l, nest, at, &statements)?,
            None => l.block_with_continue(&statements)?,
        }
        if phases == 1 && !exits {
            let last = l.op(Op::Add, &[all, minus]);
            store_last(l, nest, &mut |l| l.op(Op::CmpEq, &[k, last]), &mut afters)?;
        } else {
            super::loop_parts::leaves_nothing(l, nest, &slots)?;
        }
        if phase > 0 {
            l.b.end();
            l.depth -= 1;
            l.facts = facts.joined(&l.facts);
        }
    }
    l.frame().returned = None;
    match exits {
        true => l.close_loop(),
        false => l.b.end(),
    }
    before.restore(l.frame());
    slots.extend(at.map(|at| (nest.ast.name.clone(), at)));
    returns::results(l, slots, returned, &mut afters)?;
    tells_all(nest, &statements, &afters)?;
    Ok(afters)
}

/// Begins the part of an iteration of several whose names stand for other arrays, and gives its number. All but the first may be beyond
/// the last one.
fn begin_phase(l: &mut Lower<'_>, (first, all): (kir::Value, kir::Value), phase: usize, before: &Before) -> kir::Value {
    if phase == 0 {
        return first;
    }
    let distance = l.b.i32(phase as i32);
    let k = l.op(Op::Add, &[first, distance]);
    let there = l.op(Op::CmpLt, &[k, all]);
    l.b.begin_if(there);
    l.depth += 1;
    before.restore(l.frame());
    k
}

/// A variable of the kernel for that of the loop: which iteration is the last one shows behind the loop, if one may end it.
fn last_item(l: &mut Lower<'_>, nest: &Nest) -> Low<Slot> {
    let first = Val::Num(l.int(0));
    let slot = l.slot_for(&nest.ast.name, &first);
    l.set_slot(&slot, &first)?;
    Ok(slot)
}

/// The statements of an iteration, of which `break` ends the loop; `at` keeps which one it is.
fn iteration_that_may_end(l: &mut Lower<'_>, nest: &Nest, at: &Slot, statements: &Block) -> Low<()> {
    let Some(Val::Num(item)) = l.variable_value(&nest.ast.name)? else { refuse!("a loop of such a variable") };
    l.set_slot(at, &Val::Num(item))?;
    l.block(statements)
}

/// Refuses a loop after which somebody looks at a variable of which its kernel says nothing.
fn tells_all(nest: &Nest, statements: &Block, afters: &Afters) -> Low<()> {
    let told = |name: &Text| {
        let counter = nest.plan.counters.iter().any(|c| c.0 == *name);
        let own = super::rotate::of(nest).is_some_and(|r| r.is_own(name) || r.takes.iter().any(|t| t.0 == *name));
        counter || own || *name == nest.ast.name || afters.0.iter().any(|a| a.name == *name)
    };
    let names = Names::of_block(statements).assigned;
    match names.iter().find(|n| nest.read_after.contains(*n) && !told(n)) {
        Some(name) => refuse!(ReadAfter: "'{name}' is used after the loop"),
        None => Ok(()),
    }
}

/// Gives names the arrays that they have in an iteration of this number.
fn turn(l: &mut Lower<'_>, nest: &Nest, args: &[Value], phase: usize) -> Low<()> {
    let Some(rotation) = super::rotate::of(nest) else { return Ok(()) };
    for (name, _) in &rotation.takes {
        let Some(at) = super::whole::place(nest, rotation.after(name, phase as u64)) else {
            refuse!("'{name}' is no variable")
        };
        let array = Captured::Host(args[at].clone(), Path::new(Root::Argument(at)));
        let frame = l.frame();
        frame.vars.remove(name);
        frame.captured.insert(name.clone(), array);
    }
    // What the iteration before has written stands under other names now.
    for (name, _) in &rotation.takes {
        if let Some(Val::Array(a)) = l.variable_value(name)? {
            l.note_written(a.buf);
        }
    }
    Ok(())
}

/// Variables of the kernel for those that take values from one iteration to the next, and for those that keep what they hold
/// unless an iteration sets them.
fn carried(l: &mut Lower<'_>, nest: &Nest, args: &[Value], floats: &Set<Text>) -> Low<Vec<(Text, Slot)>> {
    let number = |name: &Text| {
        let i = nest.vars.iter().position(|v| v.0 == *name)?;
        args.get(i).filter(|v| v.is_number()).map(|v| (i, v))
    };
    let mut names: Vec<Text> = nest.plan.serial.iter().flat_map(|s| s.carried.clone()).collect();
    let exits = nest.plan.serial.as_ref().is_some_and(|s| s.exits);
    names.extend(nest.maybe_set().filter(|n| number(n).is_some()).cloned());
    if exits {
        // An iteration that ends the loop may not have set what the others set.
        let known = |n: &Text| number(n).is_some() || returns::is_result(nest, args, n);
        let seen = |n: &Text| super::loop_parts::is_seen(nest, n) && known(n);
        names.extend(Names::of_block(&super::rotate::statements(nest)).assigned.into_iter().filter(seen));
        names.retain(|n| *n != nest.ast.name);
    }
    names.sort();
    names.dedup();
    let mut slots = Vec::new();
    for name in names {
        let start = match number(&name) {
            Some((i, v)) => l.given(v, &Path::new(Root::Argument(i)))?,
            // No value before an iteration gives it one is ever read.
            None if returns::is_result(nest, args, &name) => Val::Num(l.int(0)),
            None => refuse!("'{name}' is no number before the loop"),
        };
        let Val::Num(start) = start else { refuse!("'{name}' is no number") };
        let kind = match start.kind {
            Kind::Int if l.kinds.wides.contains(&name) => Kind::Wide,
            Kind::Int if floats.contains(&name) => l.scalar_kind(),
            kind => kind,
        };
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

/// The loops whose iterations may be lanes: nobody looks at variables that they assign.
fn lanes(nest: &Nest, wanted: &[NodeId]) -> Low<Vec<NodeId>> {
    let statements = super::rotate::statements(nest);
    for id in wanted {
        let (mut own, mut others) = (Names::default(), Set::default());
        apart(&statements, (*id, wanted), &mut own, &mut others);
        let seen = |n: &Text| nest.global || nest.read_after.contains(n) || nest.combines(n) || others.contains(n);
        if let Some(name) = own.assigned.iter().find(|n| seen(n)) {
            refuse!("'{name}' is used after a loop whose iterations are lanes");
        }
    }
    Ok(wanted.to_vec())
}

/// Names of a loop in a block, and those that everything else there finds or leaves: neither the variable of another loop
/// within it, nor what the iterations of other lanes set, which look at nothing but what they have set themselves.
fn apart(block: &Block, (id, lanes): (NodeId, &[NodeId]), own: &mut Names, others: &mut Set<Text>) {
    let all = |names: Names| names.mentioned.into_iter().chain(names.assigned).collect::<Vec<Text>>();
    for stmt in block {
        match &stmt.kind {
            StmtKind::For(f) if f.id == id => own.block(&vec![stmt.clone()]),
            StmtKind::For(f) if lanes.contains(&f.id) => {
                let names = Names::of_block(&vec![stmt.clone()]);
                let over = Names::of_expr(&f.over).mentioned;
                others.extend(names.mentioned.iter().filter(|n| !names.assigns(n)).cloned().chain(over));
            }
            StmtKind::For(f) => {
                others.extend(all(Names::of_expr(&f.over)));
                let mut inner = Set::default();
                apart(&f.body, (id, lanes), own, &mut inner);
                inner.remove(&f.name);
                others.extend(inner);
            }
            StmtKind::If { arms, otherwise } => {
                for (condition, block) in arms {
                    others.extend(all(Names::of_expr(condition)));
                    apart(block, (id, lanes), own, others);
                }
                apart(otherwise, (id, lanes), own, others);
            }
            _ => others.extend(all(Names::of_block(&vec![stmt.clone()]))),
        }
    }
}

impl Lower<'_> {
    /// A parallel loop in a kernel that one worker runs: 16 iterations at a time, one in each lane.
    pub(super) fn lanes_loop(&mut self, f: &For) -> Low<()> {
        let ExprKind::Range { from, step: None, to } = &f.over.kind else { refuse!("lanes in steps") };
        let (a, b) = (self.number(from)?, self.number(to)?);
        if a.kind != Kind::Int || b.kind != Kind::Int {
            refuse!("lanes that are no integers");
        }
        let (a, b) = (self.plain(&a), self.plain(&b));
        let (Some(low), Some(high)) = (self.bounds(&a), self.bounds(&b)) else {
            refuse!("a loop of lanes whose bounds are not known");
        };
        // Neither the number of iterations wraps, nor the number of the one that the last lane would have.
        let all = [high.minus(low).plus(Bounds::exactly(1)), high.plus(Bounds::exactly(LANES))];
        if all.iter().any(|b| b.fitting(32).is_none()) {
            refuse!("a loop of lanes with too many iterations");
        }
        let range = Bounds::new(low.low, high.high.max(low.low));
        let (zero, one, lanes) = (self.b.i32(0), self.b.i32(1), self.b.i32(LANES as i32));
        let distance = self.op(Op::Sub, &[b.re, a.re]);
        let length = self.op(Op::Add, &[distance, one]);
        let length = self.op(Op::Max, &[length, zero]);
        let whole = self.b.i32(!(LANES as i32 - 1));
        let whole = self.op(Op::And, &[length, whole]);
        let lane = self.lane();
        let before = Before::of(self.frame());
        // They count as kernels.
        let access = std::mem::replace(&mut self.frame().default_access, (Access::Safe, Access::Checked));
        let facts = self.facts.clone();
        self.depth += 1;
        for part in 0..2 {
            let at = if part == 0 { self.b.begin_for(zero, whole, lanes) } else { whole };
            let k = self.op(Op::Add, &[at, lane]);
            if part == 1 {
                let inside = self.op(Op::CmpLt, &[k, length]);
                self.b.begin_if(inside);
            }
            let item = self.op(Op::Add, &[a.re, k]);
            before.restore(self.frame());
            let item = Num { range: Some(range), ..Num::new(Kind::Int, item) };
            let frame = self.frame();
            frame.vars.insert(f.name.clone(), Slot::Fixed(Val::Num(item)));
            frame.defined.insert(f.name.clone());
            self.forget_assigned(&f.body);
            self.block_with_continue(&f.body)?;
            self.b.end();
        }
        self.depth -= 1;
        before.restore(self.frame());
        self.frame().default_access = access;
        self.facts = facts.joined(&self.facts);
        Ok(())
    }
}
