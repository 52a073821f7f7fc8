//! Making a kernel smaller while it keeps failing.

use quadra_kir::{Block, Const, Inst, Kernel, Op, Value, check};
use std::collections::HashMap;

/// Kernels that are tried before the smallest one so far is given.
const TRIES: usize = 3000;

/// A smaller kernel for which `fails` still holds, found by leaving out instructions and regions. `fails` is asked only
/// about kernels that the checker accepts.
pub fn kernel(start: &Kernel, fails: &mut dyn FnMut(&Kernel) -> bool) -> Kernel {
    let mut best = start.clone();
    let mut tries = 0;
    // Removing from the end first: what is used is removed after what uses it.
    loop {
        let mut smaller = false;
        for number in (0..best.body.count()).rev() {
            for cut in [Cut::Remove, Cut::Keep(0), Cut::Keep(1), Cut::Simplify] {
                let Some(candidate) = cut_at(&best, number, cut) else { continue };
                tries += 1;
                if tries > TRIES {
                    return best;
                }
                if weight(&candidate) < weight(&best) && check::kernel(&candidate).is_empty() && fails(&candidate) {
                    best = candidate;
                    smaller = true;
                    break;
                }
            }
        }
        if !smaller {
            return best;
        }
    }
}

/// How large a kernel is: instructions first, then operands that are not constants.
fn weight(kernel: &Kernel) -> (usize, usize) {
    let mut operands = 0;
    kernel.body.walk(&mut |inst| operands += inst.args.iter().filter(|&&v| kernel.as_const(v).is_none()).count());
    (kernel.body.count(), operands)
}

#[derive(Clone, Copy)]
enum Cut {
    /// Leave the instruction out; its results become zeros. A `break`, `continue` or `return` within an `if` becomes a
    /// `yield`.
    Remove,
    /// Put the instructions of this region in the place of the instruction.
    Keep(usize),
    /// Make its last operand zero.
    Simplify,
}

fn cut_at(kernel: &Kernel, number: usize, cut: Cut) -> Option<Kernel> {
    let mut kernel = kernel.clone();
    let mut body = std::mem::take(&mut kernel.body);
    let mut gone = Vec::new();
    let zero = |kernel: &mut Kernel, v: Value| {
        let ty = kernel.ty(v);
        kernel.constant(Const::zero(ty.elem))
    };
    let mut left = number;
    let done = edit(&mut body, &mut left, &mut |block, at| match cut {
        Cut::Remove => remove(block, at, &mut gone),
        Cut::Keep(region) => keep(block, at, region, &mut gone),
        Cut::Simplify => {
            let last = block.insts[at].args.last_mut();
            last.is_some_and(|v| {
                let z = zero(&mut kernel, *v);
                std::mem::replace(v, z) != z
            })
        }
    });
    if !done {
        return None;
    }
    kernel.body = body;
    let map: HashMap<Value, Value> = gone.into_iter().map(|v| (v, zero(&mut kernel, v))).collect();
    kernel.replace_uses(&map);
    Some(kernel)
}

/// Calls `f` on the block and position of the instruction with this number, counted as [`Block::walk`] does.
fn edit(block: &mut Block, left: &mut usize, f: &mut dyn FnMut(&mut Block, usize) -> bool) -> bool {
    for at in 0..block.insts.len() {
        if *left == 0 {
            return f(block, at);
        }
        *left -= 1;
        for region in 0..block.insts[at].regions.len() {
            let inner = &mut block.insts[at].regions[region];
            let count = inner.count();
            if *left < count {
                return edit(inner, left, f);
            }
            *left -= count;
        }
    }
    false
}

fn remove(block: &mut Block, at: usize, gone: &mut Vec<Value>) -> bool {
    let inst = &mut block.insts[at];
    if inst.op.is_terminator() {
        let replaceable = inst.op != Op::Yield;
        // Where a `yield` is not allowed the checker refuses the result.
        *inst = Inst::new(Op::Yield, []).at(inst.span);
        return replaceable;
    }
    gone.extend(&inst.results);
    block.insts.remove(at);
    true
}

fn keep(block: &mut Block, at: usize, region: usize, gone: &mut Vec<Value>) -> bool {
    if block.insts[at].regions.len() <= region {
        return false;
    }
    let mut inst = block.insts.remove(at);
    let mut kept = inst.regions.swap_remove(region);
    gone.extend(kept.params);
    gone.extend(&inst.results);
    if kept.insts.last().is_some_and(|last| last.op.is_terminator()) {
        kept.insts.pop();
    }
    block.insts.splice(at..at, kept.insts);
    true
}
