//! Whether a rewritten loop takes fewer slots.

use super::{Defs, Form, Plan};
use quadra_base::quick::Map;
use quadra_kir::{Block, Elem, Inst, Kernel, Op, Value};

/// Half slots from one operation to what reads it: one slot through a quick register, two through a file.
const STEP: u32 = 3;

/// What waits for a special function.
const SPECIAL: u32 = 8;

/// Whether the rewritten loop is at most as long as it was, by the longer of what its operations and its dependences ask for. Held
/// values make the next iteration wait for the condition, which it did not before.
pub(super) fn pays(kernel: &Kernel, inst: &Inst, plan: &Plan) -> bool {
    let body = &inst.regions[0];
    let defs: Defs<'_> = body.insts.iter().flat_map(|i| i.results.iter().map(move |&r| (r, i))).collect();
    let mut uses: Map<Value, u32> = Map::default();
    body.walk(&mut |i| i.uses().for_each(|v| *uses.entry(v).or_default() += 1));
    // A value that only the next iteration reads is written under the condition; any other costs a move of its own.
    let moves = |(form, held): (&Form, &bool)| match form {
        _ if !held => false,
        Form::Value(v) => uses.get(v) != Some(&1) || !defs.contains_key(v),
        Form::Select(..) => true,
    };
    let moves = plan.next.iter().zip(&plan.held).map(moves).filter(|m| *m).count();
    let noted = plan.results.iter().filter(|(_, note)| plan.held.get(*note) == Some(&false)).count();
    let on_masks = masks(kernel, body, body.params[plan.live], &defs);
    if moves > noted + on_masks {
        return false;
    }
    let adds = body.insts.iter().filter(|i| i.regions.is_empty() && !in_mul(kernel, i)).count() as u32;
    let mut depths: Map<Value, u32> = Map::default();
    let mut depth = |v: Value| depth(v, &defs, &mut depths);
    let condition = depth(plan.stay);
    let mut next = |form: &Form| {
        let mut values = Vec::new();
        form.values(&mut values);
        values.into_iter().map(&mut depth).max().unwrap_or(0)
    };
    let longest = plan.next.iter().map(&mut next).max().unwrap_or(0);
    condition + STEP <= longest.max(2 * (adds + noted as u32))
}

/// Operations on the set of live lanes, which the rewritten loop does without.
fn masks(kernel: &Kernel, body: &Block, live: Value, defs: &Defs<'_>) -> usize {
    let mut of_live: Map<Value, bool> = Map::default();
    of_live.insert(live, true);
    for i in &body.insts {
        if let [r] = i.results[..]
            && kernel.ty(r).elem == Elem::Bool
        {
            let from = i.args.iter().any(|a| of_live.get(a) == Some(&true)) && defs.contains_key(&r);
            of_live.insert(r, from && i.op != Op::VoteAny);
        }
    }
    of_live.values().filter(|is| **is).count() - 1
}

/// Whether an operation may run in the mul ALU.
fn in_mul(kernel: &Kernel, inst: &Inst) -> bool {
    match inst.op {
        Op::Mul24 | Op::Continue => true,
        Op::Mul => inst.results.first().is_some_and(|&r| kernel.ty(r).elem == Elem::F32),
        _ => false,
    }
}

/// Half slots from the start of an iteration to a value.
fn depth(v: Value, defs: &Defs<'_>, known: &mut Map<Value, u32>) -> u32 {
    if let Some(&d) = known.get(&v) {
        return d;
    }
    let Some(inst) = defs.get(&v) else { return 0 };
    let special = matches!(inst.op, Op::RecipApprox | Op::RsqrtApprox | Op::Exp2Approx | Op::Log2Approx);
    let before = inst.args.iter().map(|&a| depth(a, defs, known)).max().unwrap_or(0);
    let d = before + if special { SPECIAL } else { STEP };
    known.insert(v, d);
    d
}
