//! Loops in order whose arrays change names at the end of every iteration: the body is lowered once for each arrangement of the
//! names, one behind the other, until every name has its first array again.

use super::whole::place;
use quadra_quasar_hir::par::Rotation;
use quadra_quasar_syntax::ast::{Block, Text};
use quadra_quasar_vm::cx::Cx;
use quadra_quasar_vm::nest::Nest;
use quadra_quasar_vm::value::Value;
use std::borrow::Cow;
use std::mem::discriminant;
use std::rc::Rc;

/// Most arrangements of names: so often the body is lowered.
const MOST: usize = 6;

/// How a loop passes arrays on or makes them, if it does.
pub(super) fn of(nest: &Nest) -> Option<&Rotation> {
    nest.plan.serial.as_ref().map(|s| &s.rotation).filter(|r| !r.takes.is_empty() || r.has_own())
}

/// The statements of an iteration that the kernel has.
pub(super) fn statements(nest: &Nest) -> Cow<'_, Block> {
    let all = &nest.ast.body;
    match of(nest) {
        None => Cow::Borrowed(all),
        Some(Rotation { head, statements, .. }) => match &head.body {
            Some(body) => Cow::Borrowed(&**body),
            None => Cow::Owned(all[..all.len() - statements].to_vec()),
        },
    }
}

/// What variables hold, with arrays of the loop's own where iterations make arrays anew: these, and the ones that are handed on to
/// become one of them, so that nobody else's is written. Nothing if an array's lengths are not known.
pub(super) fn arguments<'a>(nest: &Nest, args: &'a [Value], cx: &Cx) -> Option<Cow<'a, [Value]>> {
    let Some(rotation) = of(nest).filter(|r| r.has_own()) else { return Some(Cow::Borrowed(args)) };
    let mut own = args.to_vec();
    for (name, _) in rotation.takes.iter().filter(|t| rotation.is_copied(&t.0) && !rotation.is_fresh(&t.0)) {
        let held = own.get_mut(place(nest, name)?)?;
        let Value::Array(t) = &*held else { return None };
        let copy = Value::array(t.duplicate());
        *held = copy;
    }
    super::whole::make(nest, rotation, &mut own, cx)?;
    Some(Cow::Owned(own))
}

/// Whether the arrays that change names are different ones of one form, so that what is true of one name stays true, and nobody
/// looks at names that only help.
pub(super) fn fits(nest: &Nest, args: &[Value]) -> bool {
    let Some(rotation) = of(nest) else { return true };
    let array = |name: &Text| match args.get(place(nest, name)?)? {
        Value::Array(t) if !t.is_cell() => Some(t),
        _ => None,
    };
    let all: Option<Vec<_>> = rotation.takes.iter().map(|t| array(&t.0)).collect();
    let Some(all) = all else { return false };
    let alike = |n: usize| {
        let (x, y) = (all[n], all[0]);
        x.shape == y.shape && x.fit == y.fit && discriminant(&*x.data.peek()) == discriminant(&*y.data.peek())
    };
    let different = |n: usize| !all[..n].iter().any(|t| Rc::ptr_eq(t, all[n]));
    let seen = |n: &Text| nest.global || nest.read_after.contains(n);
    let mut made = rotation.fresh.iter().filter(|f| !f.always || !rotation.takes.is_empty());
    if made.any(|f| seen(&f.name) && !rotation.takes.iter().any(|t| t.0 == f.name)) {
        return false;
    }
    if rotation.wholes.arrays.iter().any(|w| !w.kept && !w.always && seen(&w.name)) {
        return false;
    }
    // Behind the loop both names of what was handed on would have one array.
    if rotation.wholes.moved.iter().any(seen) {
        return false;
    }
    rotation.period() <= MOST && (0..all.len()).all(|n| alike(n) && different(n)) && !rotation.lost.iter().any(seen)
}

/// The arrays of names after so many iterations, at least one.
pub(super) fn left(nest: &Nest, args: &[Value], iterations: u64) -> Vec<(Text, Value)> {
    let Some(rotation) = of(nest) else { return Vec::new() };
    let held = |name: &Text| Some((name.clone(), args.get(place(nest, name)?)?.clone()));
    let wholes = rotation.wholes.arrays.iter().filter(|w| w.kept || w.always).filter_map(|w| held(&w.name));
    if rotation.takes.is_empty() {
        let made = rotation.fresh.iter().filter(|f| f.always);
        return made.filter_map(|f| held(&f.name)).chain(wholes).collect();
    }
    // What the last iteration made is what the next one would have handed on.
    let value = |name: &Text| {
        let made = u64::from(rotation.is_fresh(name));
        args.get(place(nest, rotation.after(name, iterations - made))?).cloned()
    };
    rotation.takes.iter().filter_map(|t| Some((t.0.clone(), value(&t.0)?))).chain(wholes).collect()
}
