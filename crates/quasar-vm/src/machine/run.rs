//! Runs compiled functions: the loop over instructions, with fast cases, and what concerns several frames.

use super::call::{self, Enter};
use super::{chain, fast, operate, reach, rest, steps};
use crate::code::{Code, Op, Reg};
use crate::cx::Cx;
use crate::fault::{Fault, Res};
use crate::nest::loop_item;
use crate::thread::{Frame, Handler, Stop, Thread};
use crate::value::{Callable, Value};
use std::rc::Rc;

/// Frames beyond which recursion is taken for endless.
const FRAME_LIMIT: usize = 50_000;

/// What the code of a frame asks the machine to do.
enum Event {
    Call {
        f: Reg,
        first: Reg,
        n: usize,
        outs: usize,
        d: Reg,
    },
    CallList {
        f: Value,
        args: Vec<Value>,
        named: Vec<(quadra_quasar_syntax::ast::Text, Value)>,
        outs: usize,
        d: Reg,
    },
    Return,
    ReturnValue(Value),
    Try {
        to: u32,
        name: Reg,
    },
    EndTry,
    Barrier(u8),
    /// One instruction is done, and no more was asked for.
    Done,
}

/// Runs the thread until it is done or stops at a barrier.
pub fn run(thread: &mut Thread, cx: &mut Cx) -> Res<Stop> {
    if cx.debug.is_some() {
        return super::stepping::run(thread, cx);
    }
    loop {
        if let Some(stop) = advance::<false>(thread, cx)? {
            return Ok(stop);
        }
    }
}

/// Runs the innermost frame until something concerns other frames, or one instruction of it if `ONE`.
#[inline(always)]
pub(crate) fn advance<const ONE: bool>(thread: &mut Thread, cx: &mut Cx) -> Res<Option<Stop>> {
    let Some(frame) = thread.frames.last_mut() else { return Ok(Some(Stop::Done)) };
    let code = frame.code.clone();
    let mut pc = frame.pc;
    let base = frame.base;
    let top = base + code.registers as usize;
    let regs = &mut thread.stack[base..top];
    let event = execute::<ONE>(&code, &frame.callable, regs, &mut pc, cx, &mut thread.shared_sites);
    frame.pc = pc;
    let result = event.and_then(|event| handle(thread, cx, event));
    result.or_else(|mut fault| {
        if ONE && let Err(end) = super::stepping::failed(thread, cx, &fault) {
            fault = end;
        }
        recover(thread, cx, fault).map(|()| None)
    })
}

fn handle(thread: &mut Thread, cx: &mut Cx, event: Event) -> Res<Option<Stop>> {
    let base = thread.frames.last().map_or(0, |f| f.base);
    match event {
        Event::Call { f, first, n, outs, d } => {
            cx.step()?;
            if thread.frames.len() >= FRAME_LIMIT {
                return Err(Fault::new("Q0303", format!("more than {FRAME_LIMIT} nested calls"))
                    .help("the recursion has no end, or is too deep: use a loop"));
            }
            let callee = std::mem::take(&mut thread.stack[base + f as usize]);
            call::enter(
                thread,
                cx,
                callee,
                Enter { first: base + first as usize, n, given: n, outs, to: base + d as usize },
            )?;
        }
        Event::CallList { f, args, named, outs, d } => {
            cx.step()?;
            call::enter_list(thread, cx, f, args, named, outs, base + d as usize)?;
        }
        Event::Return => return_from(thread, None, cx)?,
        Event::ReturnValue(v) => return_from(thread, Some(v), cx)?,
        Event::Try { to, name } => {
            let frames = thread.frames.len();
            thread.handlers.push(Handler { frames, pc: to as usize, var: name });
            cx.catching += 1;
        }
        Event::EndTry => {
            thread.handlers.pop();
            cx.catching = cx.catching.saturating_sub(1);
        }
        Event::Barrier(scope) => return Ok(Some(Stop::Barrier(scope))),
        Event::Done => {}
    }
    Ok(None)
}

/// Ends the innermost call and hands over its results.
fn return_from(thread: &mut Thread, value: Option<Value>, cx: &mut Cx) -> Res<()> {
    let Some(frame) = thread.frames.last() else { return Ok(()) };
    let (base, outs, to) = (frame.base, frame.outs, frame.to);
    let code = frame.code.clone();
    let mut results: smallvec::SmallVec<[Value; 2]> = smallvec::SmallVec::new();
    match value {
        Some(v) => results.push(v),
        None => {
            for (name, reg, _) in code.outputs.iter().take(outs) {
                let v = std::mem::take(&mut thread.stack[base + *reg as usize]);
                if matches!(v, Value::Unset) {
                    let help = "assign it on every path before the function ends";
                    let message = format!("output argument '{name}' of '{}' was not assigned", code.name);
                    return Err(Fault::new("Q0304", message).help(help).at(code.span));
                }
                results.push(v);
            }
        }
    }
    if results.len() < outs {
        let caller = thread.frames.len().checked_sub(2).and_then(|i| thread.frames.get(i));
        if results.is_empty() && caller.is_some_and(|f| gives_up(&f.code, f.pc, to.wrapping_sub(f.base))) {
            leave(thread, base, &code, cx);
            return return_from(thread, None, cx);
        }
        let place = caller.map_or(code.span, Frame::place);
        return Err(reach::too_few(&code.name, results.len(), outs).at(place));
    }
    leave(thread, base, &code, cx);
    if thread.frames.is_empty() {
        thread.results = results.into_vec();
    } else {
        for (k, v) in results.into_iter().take(outs).enumerate() {
            thread.stack[to + k] = v;
        }
    }
    Ok(())
}

/// Whether a lambda ends here with the value of this register: where a call has given none, the lambda has no output either.
fn gives_up(code: &Code, mut pc: usize, mut register: usize) -> bool {
    if !code.lambda {
        return false;
    }
    // Forward only, so that it ends.
    loop {
        match code.ops.get(pc) {
            Some(Op::Take { d, a }) if usize::from(*a) == register => (pc, register) = (pc + 1, usize::from(*d)),
            Some(Op::Jump { to }) if *to as usize > pc => pc = *to as usize,
            Some(Op::ReturnValue { a }) => return usize::from(*a) == register,
            _ => return false,
        }
    }
}

/// Forgets the innermost call.
fn leave(thread: &mut Thread, base: usize, code: &Code, cx: &mut Cx) {
    for v in &mut thread.stack[base..base + code.registers as usize] {
        *v = Value::Unset;
    }
    thread.frames.pop();
    let depth = thread.frames.len();
    while thread.handlers.last().is_some_and(|h| h.frames > depth) {
        thread.handlers.pop();
        cx.catching = cx.catching.saturating_sub(1);
    }
}

/// Gives a fault its place and call stack and hands it to the innermost `catch`, if there is one.
fn recover(thread: &mut Thread, cx: &mut Cx, mut fault: Box<Fault>) -> Res<()> {
    if fault.span.is_none() {
        fault.span = thread.frames.last().map(Frame::place);
    }
    for pair in thread.frames.windows(2).rev() {
        fault.stack.push((function_name(&pair[1].code), pair[0].place()));
    }
    let Some(handler) = thread.handlers.pop() else { return Err(fault) };
    cx.catching = cx.catching.saturating_sub(1);
    if fault.fatal {
        return Err(fault);
    }
    while thread.frames.len() > handler.frames {
        if let Some(frame) = thread.frames.pop() {
            for v in &mut thread.stack[frame.base..frame.base + frame.code.registers as usize] {
                *v = Value::Unset;
            }
        }
    }
    let Some(frame) = thread.frames.last_mut() else { return Err(fault) };
    frame.pc = handler.pc;
    let at = frame.base + handler.var as usize;
    thread.stack[at] = reach::error_value(&fault, cx);
    Ok(())
}

fn function_name(code: &Code) -> String {
    if code.name.is_empty() { "lambda".into() } else { code.name.to_string() }
}

/// Runs the instructions of one frame until something concerns other frames, or only one if `ONE`.
#[inline(never)]
fn execute<const ONE: bool>(
    code: &Rc<Code>,
    callable: &Rc<Callable>,
    regs: &mut [Value],
    pc: &mut usize,
    cx: &mut Cx,
    sites: &mut Vec<(usize, u32)>,
) -> Res<Event> {
    let ops = &code.ops[..];
    let mut at = *pc;
    macro_rules! tri {
        ($e:expr) => {
            match $e {
                Ok(v) => v,
                Err(fault) => {
                    *pc = at;
                    return Err(fault);
                }
            }
        };
    }
    macro_rules! event {
        ($e:expr) => {{
            *pc = at;
            return Ok($e);
        }};
    }
    // The instruction with those that continue it as one pass over long arrays, or else by itself.
    macro_rules! chain_or {
        ($d:expr, $slow:expr) => {
            match if ONE { None } else { chain::run(code, regs, at, cx) } {
                Some((next, d, v)) => (at, regs[d as usize]) = (next, v),
                None => regs[$d as usize] = tri!($slow),
            }
        };
    }
    macro_rules! arith {
        ($d:expr, $a:expr, $b:expr, $checked:ident, $op:tt, $slow:expr) => {{
            match ($a, $b) {
                (Value::F32(x), Value::F32(y)) => fast::put_f32(regs, $d, x $op y),
                (Value::Int(x), Value::Int(y)) => match x.$checked(*y) {
                    Some(v) => fast::put_int(regs, $d, v),
                    None => regs[$d as usize] = tri!($slow),
                },
                (Value::F32(x), Value::Int(y)) => fast::put_f32(regs, $d, x $op *y as f32),
                (Value::Int(x), Value::F32(y)) => fast::put_f32(regs, $d, *x as f32 $op y),
                (Value::F64(x), Value::F64(y)) => fast::put_f64(regs, $d, x $op y),
                (Value::Array(_), _) | (_, Value::Array(_)) => chain_or!($d, $slow),
                _ => regs[$d as usize] = tri!($slow),
            }
        }};
    }
    let mut fresh = true;
    while !ONE || std::mem::take(&mut fresh) {
        let op = ops[at];
        at += 1;
        match op {
            Op::Const { d, k } => fast::put(regs, d, &code.consts[k as usize]),
            Op::Move { d, a } => fast::copy(regs, d, a),
            Op::Take { d, a } => {
                if !fast::copy_number(regs, d, a) {
                    let v = std::mem::take(&mut regs[a as usize]);
                    regs[d as usize] = v;
                }
            }
            Op::Load { d, a, name } => match &regs[a as usize] {
                Value::Unset => regs[d as usize] = tri!(operate::unset_variable(&code.names[name as usize], code, cx)),
                _ => fast::copy(regs, d, a),
            },
            Op::Add { d, a, b } => {
                arith!(d, &regs[a as usize], &regs[b as usize], checked_add, +,
                    operate::binary(quadra_quasar_hir::op2::Op2::Add, true, code, regs, (d, a, b), cx))
            }
            Op::Sub { d, a, b } => {
                arith!(d, &regs[a as usize], &regs[b as usize], checked_sub, -,
                    operate::binary(quadra_quasar_hir::op2::Op2::Sub, true, code, regs, (d, a, b), cx))
            }
            Op::Mul { d, a, b } => {
                arith!(d, &regs[a as usize], &regs[b as usize], checked_mul, *,
                    operate::binary(quadra_quasar_hir::op2::Op2::Mul, true, code, regs, (d, a, b), cx))
            }
            Op::AddConst { d, a, k } => {
                arith!(d, &regs[a as usize], &code.consts[k as usize], checked_add, +,
                    operate::binary_const(quadra_quasar_hir::op2::Op2::Add, code, regs, a, k, cx))
            }
            Op::SubConst { d, a, k } => {
                arith!(d, &regs[a as usize], &code.consts[k as usize], checked_sub, -,
                    operate::binary_const(quadra_quasar_hir::op2::Op2::Sub, code, regs, a, k, cx))
            }
            Op::MulConst { d, a, k } => {
                arith!(d, &regs[a as usize], &code.consts[k as usize], checked_mul, *,
                    operate::binary_const(quadra_quasar_hir::op2::Op2::Mul, code, regs, a, k, cx))
            }
            Op::Binary { op, d, a, b } => {
                if !fast::binary(op, regs, d, a, b) {
                    chain_or!(d, operate::binary(op, false, code, regs, (d, a, b), cx));
                }
            }
            Op::Matrix { op, d, a, b } => {
                if !fast::binary(op, regs, d, a, b) {
                    chain_or!(d, operate::binary(op, true, code, regs, (d, a, b), cx));
                }
            }
            Op::Compound { op, matrix, d, a, b, name } => {
                if !fast::compound(op, regs, d, a, b) {
                    let v = operate::compound(op, matrix, code, regs, (a, b, name), code.spans[at - 1], cx);
                    regs[d as usize] = tri!(v);
                }
            }
            Op::Jump { to } => {
                if (to as usize) < at {
                    tri!(cx.step_in(regs));
                }
                at = to as usize;
            }
            Op::JumpUnless { a, to } => {
                let holds = match &regs[a as usize] {
                    Value::Int(v) => *v != 0,
                    _ => tri!(operate::truth(code, regs, a, 0, cx)),
                };
                if !holds {
                    if (to as usize) < at {
                        tri!(cx.step());
                    }
                    at = to as usize;
                }
            }
            Op::JumpIf { a, to } if matches!(regs[a as usize], Value::Int(v) if v != 0) => at = to as usize,
            Op::UnlessRefused { index, to } if !code.nests[index as usize].may_stand_in() => at = to as usize,
            Op::Rest { state, .. } if rest::is_due(regs, state) => at = tri!(rest::next(op, code, regs, at, cx)),
            Op::JumpIf { .. } | Op::UnlessRefused { .. } | Op::Rest { .. } => {}
            Op::ForNext { state, var, to } => {
                let s = state as usize;
                let (Value::Raw(k), Value::Raw(n)) = (&regs[s], &regs[s + 1]) else { continue };
                let (k, n) = (*k, *n);
                if k >= n {
                    continue;
                }
                tri!(cx.step_in(regs));
                match (&regs[s + 2], &regs[s + 3]) {
                    (Value::Int(start), Value::Int(step)) => {
                        let item = start.wrapping_add(k as i32 * step);
                        fast::put_int(regs, var, item);
                    }
                    (start, step) => {
                        let item = loop_item(start, step, k);
                        regs[var as usize] = item;
                    }
                }
                if let Value::Raw(next) = &mut regs[s] {
                    *next = k + 1;
                }
                at = to as usize;
            }
            Op::Index { access, d, a, i, name } => {
                if !fast::element(regs, d, a, i) {
                    regs[d as usize] = tri!(reach::index(code, regs, a, i, 1, access, name, cx));
                }
            }
            Op::Index2 { access, d, a, i, j, name } => {
                if !fast::element2(regs, d, a, i, j) {
                    regs[d as usize] = tri!(reach::index2(code, regs, a, (i, j), access, name, cx));
                }
            }
            Op::SetIndex { access, n, a, first, value, name } => {
                let stored = n == 1 && fast::store(regs, a, first, value);
                if !stored {
                    let target = reach::Target { a, first, n, value, access, name };
                    tri!(reach::set_index(code, regs, target, code.spans[at - 1], cx));
                }
            }
            Op::Call { d, f, n, outs } => {
                event!(Event::Call { f, first: f + 1, n: n as usize, outs: outs as usize, d })
            }
            Op::Builtin { d, id, first, n, outs } => {
                if matches!(n, 1 | 2)
                    && chain::is_long(&regs[first as usize])
                    && let Some((next, d, v)) = chain::run(code, regs, at, cx)
                {
                    at = next;
                    regs[d as usize] = v;
                    continue;
                }
                let site = crate::builtins::Site { code, pc: at - 1, sites };
                if !tri!(reach::builtin(id, regs, first, n, outs, d, site, cx)) {
                    match gives_up(code, at, d.into()) {
                        true => event!(Event::Return),
                        false => tri!(Err(reach::too_few(crate::builtins::table()[id as usize].facts.name, 0, 1))),
                    }
                }
            }
            Op::Return => event!(Event::Return),
            Op::ReturnValue { a } => {
                let v = tri!(steps::lambda_result(code, regs, a, cx));
                event!(Event::ReturnValue(v))
            }
            Op::CallSpec { d, f, spec, outs } => {
                let f = regs[f as usize].clone();
                let (args, named) = tri!(reach::arguments(code, regs, spec));
                event!(Event::CallList { f, args, named, outs: outs as usize, d })
            }
            Op::Method { d, f, spec, name, outs } => {
                let (f, args, named) = tri!(reach::method(code, regs, f, spec, name, cx));
                event!(Event::CallList { f, args, named, outs: outs as usize, d })
            }
            Op::MethodLocal { d, f, a, spec, name, outs } => {
                let (f, args, named) = tri!(reach::method_local(code, regs, (f, a), spec, name, cx));
                event!(Event::CallList { f, args, named, outs: outs as usize, d })
            }
            Op::Try { to, name } => event!(Event::Try { to, name }),
            Op::EndTry => event!(Event::EndTry),
            Op::Barrier { scope } => {
                tri!(reach::check_barrier(scope, cx));
                if scope < 8 {
                    event!(Event::Barrier(scope));
                }
            }
            Op::ForRange { state, a, to } => {
                tri!(operate::for_range(regs, state, a, cx));
                at = to as usize;
            }
            Op::ForEach { state, a, to } => {
                tri!(operate::for_each(code, regs, state, a, cx));
                at = to as usize;
            }
            Op::UnlessUnset { a, to } => {
                if !matches!(regs[a as usize], Value::Unset) {
                    at = to as usize;
                }
            }
            other => tri!(steps::other(other, code, callable, regs, code.spans[at - 1], cx)),
        }
    }
    *pc = at;
    Ok(Event::Done)
}
