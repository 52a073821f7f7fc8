//! Loops whose iterations may end the function around them.
//!
//! A kernel that runs such a loop in order leaves all loops within it, as for `break`, and tells the host that the function is at
//! its end. What is only read because of that, the function's results, need not have values before the loop: they count if an
//! iteration has returned.

use super::after::{After, Afters, Left, What};
use super::loop_parts::result_buffer;
use super::state::{Lower, Slot};
use super::value::Val;
use super::{Low, refuse};
use quadra_kir::{self as kir, Mode};
use quadra_quasar_syntax::ast::Text;
use quadra_quasar_vm::nest::{Nest, RETURNED};
use quadra_quasar_vm::value::Value;

/// The flag that `return` sets, if an iteration may return.
pub(super) fn begin(l: &mut Lower<'_>, nest: &Nest) -> Option<kir::Var> {
    nest.plan.serial.as_ref().filter(|s| s.returns)?;
    let flag = l.b.var("returned", kir::Type::BOOL);
    let no = l.known_bool(false);
    l.b.set(flag, no.re);
    l.frame().returned = Some(flag);
    Some(flag)
}

/// Stores what variables of the kernel hold in the end, and whether an iteration has returned.
pub(super) fn results(
    l: &mut Lower<'_>,
    slots: Vec<(Text, Slot)>,
    returned: Option<kir::Var>,
    afters: &mut Afters,
) -> Low<()> {
    let mut values = Vec::new();
    for (name, slot) in slots {
        let Val::Num(n) = l.get_slot(&slot)? else { refuse!("'{name}' is no number") };
        values.push((name, n));
    }
    if let Some(flag) = returned {
        let returned = l.b.get(flag);
        let (yes, no) = (l.int(1), l.int(0));
        values.push((RETURNED.into(), l.select(returned, &yes, &no)));
    }
    let zero = l.b.i32(0);
    for (name, n) in values {
        let buffer = afters.0.len();
        let buf = result_buffer(l, buffer, n.kind);
        l.b.store(buf, Mode::Inside, &[zero], n.re);
        afters.0.push(After { name, buffer, kind: n.kind, what: What::Last(Vec::new()) });
    }
    Ok(())
}

/// Whether a variable has no value before the loop and is only read if an iteration returns.
pub(super) fn is_result(nest: &Nest, args: &[Value], name: &Text) -> bool {
    let at = nest.vars.iter().position(|v| v.0 == *name);
    nest.only_returned.contains(name) && at.is_some_and(|i| matches!(args[i], Value::Unset))
}

/// Results have values behind the loop only if an iteration has returned.
pub(super) fn settle(nest: &Nest, args: &[Value], left: &mut Left) {
    let returned = left.iter().any(|(name, v)| **name == *RETURNED && matches!(v, Value::Int(1)));
    if !returned {
        left.retain(|(name, _)| !is_result(nest, args, name));
    }
}
