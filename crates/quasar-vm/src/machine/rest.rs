//! Loops that the host has begun: how long an iteration takes shows while it runs, and when it is more than was supposed, the
//! iterations that are left may be worth a kernel.

use crate::code::{Code, Op, Reg};
use crate::cx::Cx;
use crate::executor::with_executor;
use crate::fault::Res;
use crate::nest::{Nest, loop_item};
use crate::value::Value;
use std::rc::Rc;

/// Runs a nest of loops where kernels run, if it can.
pub fn nest(nest: &Rc<Nest>, regs: &mut [Value], bounds: Reg, cx: &mut Cx) -> Res<bool> {
    with_executor(cx, |executor, cx| executor.nest(cx, nest, regs, bounds)).unwrap_or(Ok(false))
}

/// Whether the rest of the loop with this state is looked at before the iteration that has begun.
pub fn is_due(regs: &[Value], state: Reg) -> bool {
    matches!(regs[state as usize], Value::Raw(begun) if begun as u64 & (begun as u64 - 1) == 0)
}

/// Where it goes on behind an instruction that looks at the rest of a loop: behind the loop if that has run.
pub fn next(op: Op, code: &Code, regs: &mut [Value], at: usize, cx: &mut Cx) -> Res<usize> {
    let Op::Rest { index, bounds, state, to } = op else { return Ok(at) };
    let done = rest(&code.nests[index as usize], regs, bounds, state, cx)?;
    Ok(if done { to as usize } else { at })
}

/// Runs the iterations that are left, of which one has begun, if that is expected to be worth a kernel. Steps since the first
/// iteration say how often the loops within one turn.
fn rest(nest: &Rc<Nest>, regs: &mut [Value], bounds: Reg, state: Reg, cx: &mut Cx) -> Res<bool> {
    let (s, budget) = (state as usize, cx.budget() as i64);
    let Value::Raw(begun) = regs[s] else { return Ok(false) };
    if begun < 2 {
        regs[s + 4] = Value::Raw(budget);
        return Ok(false);
    }
    let Value::Raw(before) = regs[s + 4] else { return Ok(false) };
    let turns = before.saturating_sub(budget).max(0) as u64 / (begun as u64 - 1);
    if !nest.note_turns(turns, begun as u64) {
        return Ok(false);
    }
    regs[bounds as usize] = loop_item(&regs[s + 2], &regs[s + 3], begun - 1);
    nest.rest().seen.set(nest.seen.get());
    self::nest(nest.rest(), regs, bounds, cx)
}
