//! Loops of the host as kernels: the body of a parallel nest is lowered over the space of its indices, with the variables as
//! they are when the loop is reached.
//!
//! A scalar that the iterations combine (`s += e`) is a private accumulator of each item; the host combines these in the order
//! of the iterations, so that the result does not depend on the device. Variables that keep the value of the last iteration are
//! written by the last item. A nest that faults, or whose integers overflow when they are combined, changes nothing and runs
//! serially.

use super::bind::Roots;
use super::item::Shape;
use super::launch::{Entry, Kernels, LOOP, Lowered, fallback};
use super::run::{Ran, Run};
use super::state::{Captured, Lower, SMALL_INT, Slot, Source};
use super::value::{ArrayRef, Element, Length, Num, Path, Root, Val, elem_of};
use super::{Low, Refusal, refuse};
use crate::host::arith::Kind;
use crate::host::code::Reg;
use crate::host::cx::Cx;
use crate::host::fault::Res;
use crate::host::literal;
use crate::host::scalar_ops::{self, Op2};
use crate::host::tensor::{Data, Tensor};
use crate::host::value::{RangeValue, Value};
use crate::sema::types::{Access, Fit, Type};
use crate::syntax::ast::{Expr, ExprKind, For, StmtKind, Text};
use quadra_kir::{self as kir, MemoryBuffer, Mode, Op};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

/// Most iterations of a nest that runs on a device.
const MOST_ITEMS: i64 = 1 << 28;
/// Iterations below which a launch is not worth its while.
const FEW_ITEMS: i64 = 2;

/// A parallel nest of loops as the compiler finds it.
#[derive(Debug)]
pub struct Nest {
    pub ast: For,
    pub plan: crate::par::Plan,
    /// Variables that the nest mentions, and their registers.
    pub vars: Vec<(Text, Reg)>,
    pub access: HashMap<Text, Access>,
    pub declared: HashMap<Text, Type>,
    /// Names that the function mentions outside of this nest.
    pub outside: HashSet<Text>,
}

impl Nest {
    /// The loops of the grid, outermost first.
    fn loops(&self) -> Vec<&For> {
        let mut loops = vec![&self.ast];
        while loops.len() < self.plan.depth {
            let inner = loops[loops.len() - 1]
                .body
                .iter()
                .find_map(|s| if let StmtKind::For(f) = &s.kind { Some(f) } else { None });
            match inner {
                Some(f) => loops.push(f),
                None => break,
            }
        }
        loops
    }

    fn is_loop(&self, name: &str) -> bool {
        self.loops().iter().any(|f| *f.name == *name)
    }
}

/// Where the value of a variable after the loop comes from.
#[derive(Clone, Debug)]
struct After {
    name: Text,
    /// Number of the result buffer.
    buffer: usize,
    kind: Kind,
    /// The operator of a reduction; otherwise the value of the last iteration, in this shape.
    reduction: Option<Op2>,
    shape: Vec<usize>,
}

/// What a lowered nest leaves behind.
#[derive(Clone, Debug, Default)]
pub(super) struct Afters(Vec<After>);

/// Runs a nest on the device, if it can; the bounds of its loops stand in registers from `bounds`. False: run it serially.
pub fn run(nest: &Nest, regs: &mut [Value], bounds: Reg, cx: &mut Cx) -> Res<bool> {
    let Some(mut kernels) = cx.kernels.take() else { return Ok(false) };
    let result = attempt(&mut kernels, nest, regs, bounds, cx);
    cx.kernels = Some(kernels);
    result
}

fn attempt(kernels: &mut Kernels, nest: &Nest, regs: &mut [Value], bounds: Reg, cx: &mut Cx) -> Res<bool> {
    if nest.plan.forced || kernels.checks_races() {
        return Ok(false);
    }
    let mut ranges = Vec::new();
    for level in 0..nest.plan.depth {
        let at = bounds as usize + 3 * level;
        match literal::range(&regs[at], &regs[at + 1], &regs[at + 2]) {
            Ok(r) if r.integral => ranges.push(r),
            _ => return Ok(false),
        }
    }
    let near = |x: f64| x.abs() < (1 << 30) as f64;
    let fits = |r: &RangeValue| near(r.start) && near(r.start + r.step * r.count as f64) && r.count < 1 << 30;
    let total = ranges.iter().map(|r| r.count as i64).product::<i64>();
    if !ranges.iter().all(fits) || !(FEW_ITEMS..=MOST_ITEMS).contains(&total) {
        return Ok(false);
    }
    let args: Vec<Value> = nest.vars.iter().map(|(_, reg)| regs[*reg as usize].clone()).collect();
    if args.iter().any(|v| matches!(v, Value::Int(i) if i64::from(*i).abs() > SMALL_INT)) {
        return Ok(false);
    }
    let dims: Vec<i64> = ranges.iter().map(|r| r.count as i64).collect();
    let span = nest.ast.span;
    match launch(kernels, nest, &args, &dims, &ranges, cx)? {
        Ok(after) => {
            for (name, v) in after {
                if let Some((_, reg)) = nest.vars.iter().find(|v| v.0 == name) {
                    regs[*reg as usize] = v;
                }
            }
            Ok(true)
        }
        Err(refusal) => {
            if !refusal.reason.is_empty() {
                cx.warn(fallback(LOOP, kernels.device_name(), &refusal.reason, refusal.span.unwrap_or(span)));
            }
            Ok(false)
        }
    }
}

/// Values of variables after the loop.
type Left = Vec<(Text, Value)>;

fn launch(
    kernels: &mut Kernels,
    nest: &Nest,
    args: &[Value],
    dims: &[i64],
    ranges: &[RangeValue],
    cx: &mut Cx,
) -> Res<Result<Left, Refusal>> {
    let long: String = dims.iter().map(|d| if *d == 1 { '1' } else { 'n' }).collect();
    let mut key = format!("nest {nest:p} {long} ");
    args.iter().for_each(|v| super::bind::describe(v, &mut key, 0));
    let roots = Roots { arguments: args, captures: &[], cx };
    let shape = Shape::new(dims, None);
    let known = kernels.entry(&key, &roots, &shape);
    let entry = match known {
        Some(entry) => entry,
        None => {
            let entry = match lower(nest, args, dims, cx) {
                Ok((lowered, afters)) => kernels.compiled(lowered, afters, nest.ast.span, cx),
                Err(refusal) => Entry::Refused(*refusal),
            };
            kernels.keep(key, entry)
        }
    };
    let compiled = match entry {
        Entry::Compiled(c) => c,
        Entry::Refused(r) => return Ok(Err(r)),
        Entry::WantsBlock => return Ok(Err(Refusal { reason: "it synchronises".into(), span: None })),
    };
    let quiet = || Refusal { reason: String::new(), span: None };
    let Some((module, device)) = &compiled.module else { return Ok(Err(quiet())) };
    let mut run = Run::new(args, &[], dims);
    run.aliases = false;
    run.ranges = ranges.iter().map(|r| (Value::Int(r.start as i32), Value::Int(r.step as i32))).collect();
    let total: usize = dims.iter().product::<i64>() as usize;
    run.results = compiled.afters.0.iter().map(|a| a.buffer_for(total)).collect();
    let left = RefCell::new(None);
    let mode = cx.mode;
    let combine = |results: &[MemoryBuffer]| {
        let values = compiled.afters.0.iter().map(|a| a.value(results, nest, args, mode)).collect::<Option<Left>>();
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
            for (f, r) in nest.loops().iter().zip(ranges) {
                left.push((
                    f.name.clone(),
                    crate::host::operate::int_or_wide(r.start as i64 + (r.count as i64 - 1) * r.step as i64),
                ));
            }
            Ok(Ok(left))
        }
        Ran::Instead(reason) => Ok(Err(Refusal { reason: reason.unwrap_or_default(), span: None })),
    }
}

impl After {
    fn buffer_for(&self, total: usize) -> MemoryBuffer {
        let elem = elem_of(self.kind);
        let len = if self.reduction.is_some() { total } else { self.shape.iter().product::<usize>().max(1) };
        let parts = if self.kind >= Kind::C32 { 2 } else { 1 };
        let len = len * parts;
        MemoryBuffer { elem, dims: vec![len as u32], bytes: vec![0; len * elem.bytes() as usize] }
    }

    fn data(&self, buffer: &MemoryBuffer, parts: usize) -> Data {
        let n = buffer.bytes.len() / buffer.elem.bytes() as usize / parts;
        let mut data = match self.kind {
            Kind::Int => Data::Int(vec![0; n]),
            Kind::Wide => Data::I64(vec![0; n]),
            Kind::F64 => Data::F64(vec![0.0; n]),
            Kind::C32 => Data::C32(vec![[0.0; 2]; n]),
            Kind::C64 => Data::C64(vec![[0.0; 2]; n]),
            _ => Data::F32(vec![0.0; n]),
        };
        super::bind::store_back(&mut data, buffer);
        data
    }

    /// The value of the variable; nothing if it is not for a kernel to say.
    fn value(
        &self,
        results: &[MemoryBuffer],
        nest: &Nest,
        args: &[Value],
        mode: crate::host::arith::Mode,
    ) -> Option<(Text, Value)> {
        let data = self.data(results.get(self.buffer)?, if self.kind >= Kind::C32 { 2 } else { 1 });
        let Some(op) = self.reduction else {
            let v = if self.shape.is_empty() {
                data.get(0)?
            } else {
                Value::array(Tensor::new(smallvec::SmallVec::from_slice(&self.shape), data))
            };
            return Some((self.name.clone(), v));
        };
        let at = nest.vars.iter().position(|v| v.0 == self.name)?;
        let first = args.get(at)?.clone();
        // The usual cases without a detour over values.
        let v = match (&data, first, op) {
            (Data::F32(list), Value::F32(x), Op2::Add) => Value::F32(list.iter().fold(x, |a, b| a + b)),
            (Data::F64(list), Value::F64(x), Op2::Add) => Value::F64(list.iter().fold(x, |a, b| a + b)),
            (_, mut v, _) => {
                for i in 0..data.len() {
                    v = scalar_ops::scalar(op, &v, &data.get(i)?, mode)?.ok()?;
                }
                v
            }
        };
        Some((self.name.clone(), v))
    }
}

/// The operator of a class of updates, and what leaves everything unchanged under it.
fn reduction_of(class: char) -> Option<(Op2, f64)> {
    Some(match class {
        '+' => (Op2::Add, 0.0),
        '*' => (Op2::Mul, 1.0),
        '>' => (Op2::Max, f64::NEG_INFINITY),
        '<' => (Op2::Min, f64::INFINITY),
        '&' => (Op2::And, -1.0),
        '|' => (Op2::Or, 0.0),
        '~' => (Op2::Xor, 0.0),
        _ => return None,
    })
}

/// Lowers the body of a nest.
fn lower(nest: &Nest, args: &[Value], dims: &[i64], cx: &Cx) -> Low<(Lowered, Afters)> {
    let first = lower_as(nest, args, dims, cx, false);
    if first.is_ok() || !nest.plan.reductions.iter().any(|r| !r.2) {
        return first;
    }
    // An integer that `v = v + e` makes a float is a float from the first iteration on.
    lower_as(nest, args, dims, cx, true).or(first)
}

fn lower_as(nest: &Nest, args: &[Value], dims: &[i64], cx: &Cx, floats: bool) -> Low<(Lowered, Afters)> {
    let mut lower = Lower::new(LOOP, cx, Shape::new(dims, None), true);
    lower.accumulates = nest.plan.accumulates.clone();
    let axes = lower.launch.axes();
    lower.b.set_over(axes.len() as u8);
    lower.b.kernel().span = Some(nest.ast.span);
    let loops = nest.loops();
    let body = &loops[loops.len() - 1].body;
    lower.push_frame(body, Access::Safe)?;
    enter(&mut lower, nest, args);
    for (level, f) in loops.iter().enumerate() {
        let item = loop_item(&mut lower, f, level, &axes)?;
        let frame = lower.frame();
        frame.vars.insert(f.name.clone(), Slot::Fixed(Val::Num(item)));
        frame.defined.insert(f.name.clone());
    }
    let mut afters = Afters::default();
    let mut accumulators = Vec::new();
    for (name, class, compound) in &nest.plan.reductions {
        let slot = accumulator(&mut lower, nest, args, name, *class, floats && !compound)?;
        accumulators.push((name.clone(), *class, slot));
    }
    lower.block_with_continue(body)?;
    for (name, class, slot) in accumulators {
        let Val::Num(n) = lower.get_slot(&slot)? else { refuse!("'{name}' is no number") };
        let Some((op, _)) = reduction_of(class) else { refuse!("such a reduction") };
        store_partial(&mut lower, &n, afters.0.len(), &axes)?;
        afters.0.push(After { name, buffer: afters.0.len(), kind: n.kind, reduction: Some(op), shape: Vec::new() });
    }
    last_values(&mut lower, nest, &axes, &mut afters)?;
    Ok((Lowered::finish(lower)?, afters))
}

/// The variables around the nest.
fn enter(lower: &mut Lower<'_>, nest: &Nest, args: &[Value]) {
    let frame = lower.frame();
    for (i, ((name, _), v)) in nest.vars.iter().zip(args).enumerate() {
        if !nest.is_loop(name) {
            frame.captured.insert(name.clone(), Captured::Host(v.clone(), Path::new(Root::Argument(i))));
        }
    }
    frame.access = nest.access.clone();
    frame.declared = nest.declared.clone();
}

/// The value of a loop's variable.
fn loop_item(lower: &mut Lower<'_>, f: &For, level: usize, axes: &[usize]) -> Low<Num> {
    let k = match axes.iter().position(|a| *a == level) {
        Some(axis) => lower.item(axis),
        None => lower.int(0),
    };
    let ExprKind::Range { from, step, .. } = &f.over.kind else { refuse!("a loop over a vector") };
    let literal = |e: &Expr| if let ExprKind::Int(v) = e.kind { Some(v) } else { None };
    let bound = |lower: &mut Lower<'_>, known: Option<i64>, part: u8| match known {
        Some(v) => lower.int(v),
        None => {
            let re = lower.b.scalar(&format!("range{level}_{part}"), kir::Type::I32);
            lower.sources.push(Source::Range(level, part));
            Num::new(Kind::Int, re)
        }
    };
    let start = bound(lower, literal(from), 0);
    let step = bound(lower, step.as_ref().map_or(Some(1), |s| literal(s)), 1);
    if lower.known_int(&start) == Some(0) && lower.known_int(&step) == Some(1) {
        return Ok(Num { range: Some((0, 1 << 30)), ..k });
    }
    let item = lower.range_item(&start, &step, &k)?;
    // The run of a nest makes sure of this.
    Ok(Num { range: Some((-(1 << 30), 1 << 30)), item: None, ..item })
}

/// A private accumulator in place of a variable of the program.
fn accumulator(lower: &mut Lower<'_>, nest: &Nest, args: &[Value], name: &Text, class: char, float: bool) -> Low<Slot> {
    let Some((_, identity)) = reduction_of(class) else { refuse!("such a reduction") };
    let before = nest.vars.iter().position(|v| v.0 == *name).and_then(|i| args.get(i));
    let kind = match before {
        Some(Value::F16(_)) => refuse!("half precision has no arithmetic in kernel IR"),
        Some(v) if v.is_number() => Kind::of(v).unwrap_or(Kind::F32),
        _ => refuse!("'{name}' is no number before the loop"),
    };
    let kind = if float && kind == Kind::Int { lower.scalar_kind() } else { kind };
    let start = match kind {
        Kind::Int => lower.int(identity.clamp(f64::from(i32::MIN), f64::from(i32::MAX)) as i64),
        Kind::Wide => refuse!("a reduction of 64-bit integers"),
        _ => Num::new(kind, lower.float(kind, identity)),
    };
    let start = if kind >= Kind::C32 { Num { im: Some(lower.float(kind, 0.0)), ..start } } else { start };
    let slot = lower.slot_for(name, &Val::Num(start));
    lower.set_slot(&slot, &Val::Num(start))?;
    let frame = lower.frame();
    frame.vars.insert(name.clone(), slot.clone());
    frame.defined.insert(name.clone());
    Ok(slot)
}

/// Row-major number of the item.
fn item_number(lower: &mut Lower<'_>, axes: &[usize]) -> kir::Value {
    let mut flat: Option<kir::Value> = None;
    for axis in 0..axes.len() {
        let i = lower.item(axis).re;
        flat = Some(match flat {
            None => i,
            Some(f) => {
                let n = lower.b.axis(Op::Extent, axis as u32);
                let row = lower.op(Op::Mul, &[f, n]);
                lower.op(Op::Add, &[row, i])
            }
        });
    }
    flat.expect("a launch has an axis")
}

fn result_buffer(lower: &mut Lower<'_>, number: usize, kind: Kind) -> kir::Buf {
    let buf = lower.b.buffer(&format!("result{number}"), elem_of(kind), 1, kir::Access::ReadWrite);
    lower.sources.push(Source::Result(number));
    buf
}

fn store_partial(lower: &mut Lower<'_>, n: &Num, number: usize, axes: &[usize]) -> Low<()> {
    let buf = result_buffer(lower, number, n.kind);
    let at = item_number(lower, axes);
    let element = if n.im.is_some() { Element::Complex(elem_of(n.kind)) } else { Element::Float(elem_of(n.kind)) };
    match n.kind {
        Kind::Int => lower.b.store(buf, Mode::Unchecked, &[at], n.re),
        _ => {
            let a = ArrayRef {
                buf,
                base: None,
                shape: vec![Length::Known(1)],
                element,
                fit: Fit::Unchecked,
                shared: false,
            };
            lower.store(&a, &super::element::Place { at, inside: None }, n, "", None)?;
        }
    }
    Ok(())
}

/// What the last iteration leaves in variables.
fn last_values(lower: &mut Lower<'_>, nest: &Nest, axes: &[usize], afters: &mut Afters) -> Low<()> {
    let mut names: Vec<Text> = lower.frame().vars.keys().cloned().collect();
    names.sort();
    let mut kept = Vec::new();
    for name in names {
        if nest.is_loop(&name) || nest.plan.reductions.iter().any(|r| r.0 == name) {
            continue;
        }
        if !lower.frame().defined.contains(&name) {
            if nest.outside.contains(&name) {
                refuse!("'{name}' may keep its value from an iteration before the last one");
            }
            continue;
        }
        match lower.variable_value(&name)? {
            Some(v @ (Val::Num(_) | Val::Small(_))) => kept.push((name, v)),
            Some(_) if nest.outside.contains(&name) => refuse!("'{name}' is used after the loop"),
            _ => {}
        }
    }
    if kept.is_empty() {
        return Ok(());
    }
    let mut last: Option<kir::Value> = None;
    for axis in 0..axes.len() {
        let (i, n) = (lower.item(axis).re, lower.b.axis(Op::Extent, axis as u32));
        let minus = lower.b.i32(-1);
        let end = lower.op(Op::Add, &[n, minus]);
        let here = lower.op(Op::CmpEq, &[i, end]);
        last = Some(last.map_or(here, |l| lower.op(Op::And, &[l, here])));
    }
    lower.b.begin_if(last.expect("a launch has an axis"));
    for (name, v) in kept {
        let number = afters.0.len();
        let (items, shape) = match v {
            Val::Num(n) => (vec![n], Vec::new()),
            Val::Small(s) => (s.items, s.shape),
            _ => continue,
        };
        let kind = items.iter().fold(items[0].kind, |k, n| k.promote(n.kind));
        let buf = result_buffer(lower, number, kind);
        let complex = kind >= Kind::C32;
        for (i, n) in items.iter().enumerate() {
            let n = lower.convert(n, kind);
            let at = lower.b.i32(if complex { 2 * i } else { i } as i32);
            lower.b.store(buf, Mode::Unchecked, &[at], n.re);
            if let Some(im) = n.im {
                let next = lower.b.i32(2 * i as i32 + 1);
                lower.b.store(buf, Mode::Unchecked, &[next], im);
            }
        }
        afters.0.push(After { name, buffer: number, kind, reduction: None, shape });
    }
    lower.b.end();
    Ok(())
}

/// Whether the bounds of a loop may be computed before it is known that the loop runs: they have no effect and cannot fail
/// but by an undefined name.
pub fn plain_bound(e: &Expr) -> bool {
    const PLAIN: &[&str] = &["size", "numel", "ndims", "min", "max", "int", "floor", "ceil", "round"];
    match &e.kind {
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Name(_) => true,
        ExprKind::Unary(_, a) => plain_bound(a),
        ExprKind::Binary(_, a, b) => plain_bound(a) && plain_bound(b),
        ExprKind::Range { from, step, to } => {
            plain_bound(from) && plain_bound(to) && step.as_ref().is_none_or(|s| plain_bound(s))
        }
        ExprKind::Call { callee, args } => {
            matches!(&callee.kind, ExprKind::Name(n) if PLAIN.contains(&&**n))
                && args.iter().all(|a| plain_bound(&a.value))
        }
        _ => false,
    }
}
