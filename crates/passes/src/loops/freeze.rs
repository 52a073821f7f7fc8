//! Lanes that have left a loop keep the values they left with, if those are what the loop gives.
//!
//! Not in a pipeline: for targets whose operations take a mask for nothing. The pass `mask` lets lanes that have left run
//! along and notes what they left with; where that is a carried value itself, it is cheaper to hold the value still.
//!
//! ```text
//! %a = loop (%live: <bool> = %l0, %x: <i32> = %x0, %kept: <i32> = 0) {      ; before
//!   %out = andnot %live, %goes                                              ; lanes that leave now
//!   %keep = select %out, %x, %kept
//!   %stay = andnot %live, %out
//!   %any = vote.any %stay
//!   if %any {} else { break %keep }
//!   continue %stay, %next, %keep
//! }
//! ```
//! ```text
//! %a = loop (%live: <bool> = %l0, %x: <i32> = %x0) {                        ; after
//!   …
//!   if %any {} else { break %x }
//!   %held = select %stay, %next, %x
//!   continue %stay, %held
//! }
//! ```

use quadra_base::quick::Map;
use quadra_kir::{Block, Elem, Inst, Kernel, Level, Op, Type, Value, Values};

/// Rewrites the loops of a SIMD kernel.
pub fn run(kernel: &mut Kernel) {
    if kernel.level != Level::Simd {
        return;
    }
    kernel.rewrite(block);
}

fn block(kernel: &mut Kernel, b: &mut Block) {
    for inst in &mut b.insts {
        inst.regions.iter_mut().for_each(|r| block(kernel, r));
        if inst.op == Op::Loop {
            while step(kernel, inst) {}
        }
    }
}

/// What is noted: by which result, from which carried value, in which carried value, and who stays.
struct Noted {
    result: usize,
    from: usize,
    by: usize,
    stay: Value,
    /// The choice that notes it.
    note: Value,
}

/// Holds one value still; whether there was one.
fn step(kernel: &mut Kernel, inst: &mut Inst) -> bool {
    let body = &inst.regions[0];
    if body.exits(Op::Break) != 1 || body.exits(Op::Continue) != 1 || body.exits(Op::Return) > 0 {
        return false;
    }
    let Some(found) = find(body) else { return false };
    let ty = kernel.ty(body.params[found.from]);
    if !ty.lanes {
        return false;
    }
    let body = &mut inst.regions[0];
    let held_from = body.params[found.from];
    let Some(mut end) = body.insts.pop() else { return false };
    let next = end.args[found.from];
    let choice =
        body.insts.iter().find(|i| i.results.first() == Some(&next) && i.op == Op::Select).map(|i| i.args.clone());
    let truth = Type::vector(Elem::Bool);
    let mut emit = |op: Op, args: Vec<Value>, ty: Type| {
        let mut new = Inst::new(op, args).at(inst.span);
        new.results = Values::from_slice(&[kernel.new_value(ty)]);
        let v = new.result();
        body.insts.push(new);
        v
    };
    let (cond, value) = match choice.as_deref() {
        Some(&[c, x, other]) if other == held_from => (emit(Op::And, vec![found.stay, c], truth), x),
        Some(&[c, other, x]) if other == held_from => (emit(Op::AndNot, vec![found.stay, c], truth), x),
        _ => (found.stay, next),
    };
    end.args[found.from] = emit(Op::Select, vec![cond, value, held_from], ty);
    end.args.remove(found.by);
    body.insts.push(end);
    body.params.remove(found.by);
    inst.args.remove(found.by);
    body.ends_mut(&mut |i| {
        if i.op == Op::Break {
            i.args[found.result] = held_from;
        }
    });
    body.insts.retain(|i| i.results.first() != Some(&found.note));
    true
}

fn find(body: &Block) -> Option<Noted> {
    let defs: Map<Value, &Inst> = body.insts.iter().flat_map(|i| i.results.iter().map(move |&r| (r, i))).collect();
    let end = body.insts.last().filter(|i| i.op == Op::Continue)?;
    let mut leaves = None;
    body.ends(&mut |i| {
        if i.op == Op::Break {
            leaves = Some(i);
        }
    });
    let param = |v: Value| body.params.iter().position(|&p| p == v);
    let mut uses: Map<Value, usize> = Map::default();
    body.walk(&mut |i| i.uses().for_each(|v| *uses.entry(v).or_default() += 1));
    leaves?.args.iter().enumerate().find_map(|(result, &note)| {
        let select = defs.get(&note).filter(|i| i.op == Op::Select)?;
        let (from, by) = (param(select.args[1])?, param(select.args[2])?);
        let out = defs.get(&select.args[0]).filter(|i| i.op == Op::AndNot)?;
        let live = param(out.args[0])?;
        let stay = end.args[live];
        let stays = defs.get(&stay).is_some_and(|i| i.op == Op::AndNot && i.args[..] == [out.args[0], select.args[0]]);
        // Nobody else reads the note: the loop's next turn, its end, and the choice itself.
        let alone = uses.get(&note) == Some(&2) && uses.get(&body.params[by]) == Some(&1) && end.args[by] == note;
        (stays && alone && from != by).then_some(Noted { result, from, by, stay, note })
    })
}
