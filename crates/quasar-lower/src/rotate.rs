//! Loops in order whose arrays change names at the end of every iteration: the body is lowered once for each arrangement of the
//! names, one behind the other, until every name has its first array again.

use quadra_quasar_hir::par::Rotation;
use quadra_quasar_syntax::ast::Text;
use quadra_quasar_vm::nest::Nest;
use quadra_quasar_vm::value::Value;
use std::mem::discriminant;
use std::rc::Rc;

/// Most arrangements of names: so often the body is lowered.
const MOST: usize = 6;

/// How a loop passes arrays on, if it does.
pub(super) fn of(nest: &Nest) -> Option<&Rotation> {
    nest.plan.serial.as_ref().map(|s| &s.rotation).filter(|r| !r.takes.is_empty())
}

/// The number of a variable.
pub(super) fn place(nest: &Nest, name: &Text) -> Option<usize> {
    nest.vars.iter().position(|v| v.0 == *name)
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
    rotation.period() <= MOST && (0..all.len()).all(|n| alike(n) && different(n)) && !rotation.lost.iter().any(seen)
}

/// The arrays of names after so many iterations.
pub(super) fn left(nest: &Nest, args: &[Value], iterations: u64) -> Vec<(Text, Value)> {
    let Some(rotation) = of(nest) else { return Vec::new() };
    let value = |name: &Text| args.get(place(nest, rotation.after(name, iterations))?).cloned();
    rotation.takes.iter().filter_map(|t| Some((t.0.clone(), value(&t.0)?))).collect()
}
