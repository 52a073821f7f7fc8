//! Parts of the kernel of a loop: the variables around it, accumulators, and what the last iteration leaves.

use super::after::{After, Afters, What};
use super::state::{Frame, Lower, Slot, Source};
use super::value::{ArrayRef, Captured, Element, Length, Num, Path, Root, Val, elem_of};
use super::{Low, refuse};
use quadra_base::quick::{Map, Set};
use quadra_kir::{self as kir, Mode, Op};
use quadra_quasar_hir::op2::Op2;
use quadra_quasar_hir::types::{Access, Fit, IntKind, Type};
use quadra_quasar_syntax::ast::Text;
use quadra_quasar_vm::arith::Kind;
use quadra_quasar_vm::nest::Nest;
use quadra_quasar_vm::value::Value;

/// The operator of a class of updates, and what leaves everything unchanged under it.
pub(super) fn reduction_of(class: char) -> Option<(Op2, f64)> {
    Some(match class {
        '+' => (Op2::Add, -0.0),
        '*' => (Op2::Mul, 1.0),
        '>' => (Op2::Max, f64::NEG_INFINITY),
        '<' => (Op2::Min, f64::INFINITY),
        'A' => (Op2::Min, 1.0),
        'O' => (Op2::Max, 0.0),
        '&' => (Op2::And, -1.0),
        '|' => (Op2::Or, 0.0),
        '~' => (Op2::Xor, 0.0),
        _ => return None,
    })
}

/// The variables around the nest.
pub(super) fn enter(lower: &mut Lower<'_>, nest: &Nest, args: &[Value]) {
    let frame = lower.frame();
    for (i, ((name, _), v)) in nest.vars.iter().zip(args).enumerate() {
        if !nest.is_loop(name) {
            frame.captured.insert(name.clone(), Captured::Host(v.clone(), Path::new(Root::Argument(i))));
        }
    }
    frame.access = nest.access.clone();
    frame.declared = nest.declared.clone();
}

/// Integers of a size, or that are clipped, have to fit after every step, and not only in the end.
pub(super) fn combinable(nest: &Nest, args: &[Value], name: &Text) -> Low<()> {
    let before = nest.vars.iter().position(|v| v.0 == *name).and_then(|i| args.get(i));
    let plain = |ty: &Type| matches!(ty, Type::Int(IntKind::Int, Fit::Checked)) || !matches!(ty, Type::Int(..));
    if matches!(before, Some(Value::IntN(..))) || !nest.declared.get(name).is_none_or(plain) {
        refuse!("'{name}' holds integers of a size of their own");
    }
    Ok(())
}

/// A private accumulator in place of a variable of the program.
pub(super) fn accumulator(
    lower: &mut Lower<'_>,
    nest: &Nest,
    args: &[Value],
    name: &Text,
    class: char,
    float: bool,
) -> Low<Slot> {
    let Some((_, identity)) = reduction_of(class) else { refuse!("such a reduction") };
    let before = nest.vars.iter().position(|v| v.0 == *name).and_then(|i| args.get(i));
    let becomes = lower.kinds.wides.contains(name) && matches!(before, Some(Value::Int(_)));
    let becomes = becomes && !nest.declared.contains_key(name);
    let wide = (becomes || !float && super::wide::is_wide(nest, before, name))
        && matches!(class, '+' | '>' | '<' | '&' | '|' | '~');
    if !wide {
        combinable(nest, args, name)?;
    }
    if matches!(class, 'A' | 'O') && !matches!(before, Some(Value::Int(0 | 1))) {
        refuse!("'{name}' is no truth value before the loop");
    }
    let kind = match before {
        Some(Value::F16(_)) => refuse!("half precision has no arithmetic in kernel IR"),
        Some(v) if v.is_number() => Kind::of(v).unwrap_or(Kind::F32),
        _ => refuse!("'{name}' is no number before the loop"),
    };
    let kind = match kind {
        Kind::Int if becomes => Kind::Wide,
        Kind::Int if float => lower.scalar_kind(),
        kind => kind,
    };
    let start = match kind {
        Kind::Int => lower.int(identity.clamp(f64::from(i32::MIN), f64::from(i32::MAX)) as i64),
        Kind::Wide if wide => {
            // The nearest 64-bit integer.
            let start = lower.b.constant(kir::Const::i64(identity as i64));
            Num::new(kind, start)
        }
        Kind::Wide => refuse!("a reduction of 64-bit integers"),
        _ => Num::new(kind, lower.float(kind, identity)),
    };
    let start = if kind >= Kind::C32 {
        Num { im: Some(lower.float(kind, if class == '+' { -0.0 } else { 0.0 })), ..start }
    } else {
        start
    };
    if wide && class == '+' {
        lower.begin_wide_sum(name);
    }
    let slot = lower.slot_for(name, &Val::Num(start));
    lower.set_slot(&slot, &Val::Num(start))?;
    let frame = lower.frame();
    frame.vars.insert(name.clone(), slot.clone());
    frame.defined.insert(name.clone());
    Ok(slot)
}

/// Row-major number of the item.
pub(super) fn item_number(lower: &mut Lower<'_>) -> kir::Value {
    let mut flat: Option<kir::Value> = None;
    for axis in 0..u32::from(lower.b.kernel().over) {
        let i = lower.b.axis(Op::Item, axis);
        flat = Some(match flat {
            None => i,
            Some(f) => {
                let n = lower.b.axis(Op::Extent, axis);
                let row = lower.op(Op::Mul, &[f, n]);
                lower.op(Op::Add, &[row, i])
            }
        });
    }
    flat.expect("a launch has an axis")
}

pub(super) fn result_buffer(lower: &mut Lower<'_>, number: usize, kind: Kind) -> kir::Buf {
    let buf = lower.b.buffer(&format!("result{number}"), elem_of(kind), 1, kir::Access::ReadWrite);
    lower.sources.push(Source::Result(number));
    buf
}

pub(super) fn store_partial(lower: &mut Lower<'_>, n: &Num, number: usize, at: kir::Value) -> Low<()> {
    let buf = result_buffer(lower, number, n.kind);
    let element = if n.im.is_some() { Element::Complex(elem_of(n.kind)) } else { Element::Float(elem_of(n.kind)) };
    match n.kind {
        Kind::Int | Kind::Wide => lower.b.store(buf, Mode::Inside, &[at], n.re),
        _ => {
            let a =
                ArrayRef { buf, base: None, shape: vec![Length::Known(1)], element, fit: Fit::Unchecked, shared: true };
            lower.store(&a, &super::element::Place::new(at), n, "", None)?;
        }
    }
    Ok(())
}

/// Whether a variable is looked at after the loop, and the kernel must say what it holds.
pub(super) fn is_seen(nest: &Nest, name: &str) -> bool {
    !nest.plan.counters.iter().any(|c| *c.0 == *name) && (nest.global || nest.read_after.contains(name))
}

/// Variables that every iteration sets and somebody looks at afterwards.
fn left(lower: &mut Lower<'_>, nest: &Nest) -> Low<Vec<(Text, Val)>> {
    let mut names: Vec<Text> = lower.frame().vars.keys().cloned().collect();
    names.sort();
    let mut left = Vec::new();
    for name in names {
        let kept = lower.keeps(&name);
        if nest.is_loop(&name) || nest.combines(&name) || kept || !is_seen(nest, &name) {
            continue;
        }
        if !lower.frame().defined.contains(&name) {
            if nest.read_after.contains(&name) {
                refuse!("'{name}' may keep its value from an iteration before the last one");
            }
            continue;
        }
        match lower.variable_value(&name)? {
            Some(v @ (Val::Num(_) | Val::Small(_) | Val::Channel(_) | Val::Either(_))) => left.push((name, v)),
            Some(_) if nest.read_after.contains(&name) => refuse!(ReadAfter: "'{name}' is used after the loop"),
            _ => {}
        }
    }
    Ok(left)
}

/// Refuses an iteration that leaves something in other variables than those that the kernel keeps.
pub(super) fn leaves_nothing(lower: &mut Lower<'_>, nest: &Nest, keeps: &[(Text, Slot)]) -> Low<()> {
    match left(lower, nest)?.iter().find(|l| keeps.iter().all(|k| k.0 != l.0)) {
        Some((name, _)) => refuse!(ReadAfter: "'{name}' is used after the loop"),
        None => Ok(()),
    }
}

/// What the last iteration leaves in variables.
pub(super) fn last_values(lower: &mut Lower<'_>, nest: &Nest, afters: &mut Afters) -> Low<()> {
    let mut kept = left(lower, nest)?;
    let mut pixels = Vec::new();
    kept.retain(|(name, v)| match v {
        Val::Channel(n) => {
            pixels.push((name.clone(), *n));
            false
        }
        _ => true,
    });
    store_pixels(lower, pixels, afters)?;
    store_values(lower, kept, &mut |lower| last_items(lower, 1).0, afters)
}

/// Whether the item is one of the last so many along the innermost axis and the last along the others, and which of them.
fn last_items(lower: &mut Lower<'_>, count: i32) -> (kir::Value, kir::Value) {
    let axes = usize::from(lower.b.kernel().over);
    let mut last: Option<kir::Value> = None;
    let mut which = None;
    for axis in 0..axes {
        let (i, n) = (lower.b.axis(Op::Item, axis as u32), lower.b.axis(Op::Extent, axis as u32));
        let back = lower.b.i32(if axis + 1 == axes { -count } else { -1 });
        let first = lower.op(Op::Add, &[n, back]);
        let here = lower.op(if axis + 1 == axes { Op::CmpGe } else { Op::CmpEq }, &[i, first]);
        last = Some(last.map_or(here, |l| lower.op(Op::And, &[l, here])));
        which = Some(lower.op(Op::Sub, &[i, first]));
    }
    last.zip(which).expect("a launch has an axis")
}

/// Stores the last pixel of variables whose channels items have.
fn store_pixels(lower: &mut Lower<'_>, pixels: Vec<(Text, Num)>, afters: &mut Afters) -> Low<()> {
    let Some(count) = lower.pixels.as_ref().map(|p| p.count).filter(|_| !pixels.is_empty()) else { return Ok(()) };
    let (last, channel) = last_items(lower, count as i32);
    lower.b.begin_if(last);
    for (name, n) in pixels {
        let buffer = afters.0.len();
        store_partial(lower, &n, buffer, channel)?;
        afters.0.push(After { name, buffer, kind: n.kind, what: What::Last(vec![1, count as usize]) });
    }
    lower.b.end();
    Ok(())
}

/// Stores what the iteration for which `is_last` holds leaves in variables.
pub(super) fn store_last(
    lower: &mut Lower<'_>,
    nest: &Nest,
    is_last: &mut dyn FnMut(&mut Lower<'_>) -> kir::Value,
    afters: &mut Afters,
) -> Low<()> {
    let kept = left(lower, nest)?;
    store_values(lower, kept, is_last, afters)
}

fn store_values(
    lower: &mut Lower<'_>,
    kept: Vec<(Text, Val)>,
    is_last: &mut dyn FnMut(&mut Lower<'_>) -> kir::Value,
    afters: &mut Afters,
) -> Low<()> {
    if kept.is_empty() {
        return Ok(());
    }
    let last = is_last(lower);
    lower.b.begin_if(last);
    for (name, v) in kept {
        let number = afters.0.len();
        let either = matches!(v, Val::Either(_));
        let (items, shape) = match v {
            Val::Num(n) => (vec![n], Vec::new()),
            Val::Small(s) => (s.items, s.shape),
            Val::Either(e) => (lower.parts_of(&e), Vec::new()),
            _ => continue,
        };
        if items.is_empty() {
            refuse!("an empty array is left behind");
        }
        let kind = items.iter().fold(items[0].kind, |k, n| k.promote(n.kind));
        let buf = result_buffer(lower, number, kind);
        let complex = kind >= Kind::C32;
        for (i, n) in items.iter().enumerate() {
            let n = lower.convert(n, kind);
            let at = lower.b.i32(if complex { 2 * i } else { i } as i32);
            lower.b.store(buf, Mode::Inside, &[at], n.re);
            if let Some(im) = n.im {
                let next = lower.b.i32(2 * i as i32 + 1);
                lower.b.store(buf, Mode::Inside, &[next], im);
            }
        }
        let what = if either { What::Either } else { What::Last(shape) };
        afters.0.push(After { name, buffer: number, kind, what });
    }
    lower.b.end();
    Ok(())
}

/// The variables of a frame before a body is lowered, so that it can be lowered again.
pub(super) struct Before {
    vars: Map<Text, Slot>,
    defined: Set<Text>,
    declared: Map<Text, Type>,
    access: Map<Text, Access>,
    assigns: Map<Text, u32>,
}

impl Before {
    pub fn of(frame: &Frame) -> Before {
        Before {
            vars: frame.vars.clone(),
            defined: frame.defined.clone(),
            declared: frame.declared.clone(),
            access: frame.access.clone(),
            assigns: frame.assigns.clone(),
        }
    }

    pub fn restore(&self, frame: &mut Frame) {
        frame.vars.clone_from(&self.vars);
        frame.defined.clone_from(&self.defined);
        frame.declared.clone_from(&self.declared);
        frame.access.clone_from(&self.access);
        frame.assigns.clone_from(&self.assigns);
    }
}
