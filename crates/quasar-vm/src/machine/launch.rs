//! Running kernels on the host: the machine interprets the code of the kernel item by item, blocks one after another, the items of a
//! block in row-major order, each up to its next barrier.

use super::call;
use super::run::run;
use crate::code::{Code, Op};
use crate::cx::Cx;
use crate::executor::{Current, Launch};
use crate::fault::{Fault, Res, fault};
use crate::tensor::Tensor;
use crate::thread::{Frame, Stop, Thread};
use crate::value::{Callable, Value};
use quadra_quasar_hir::kernel::SPECIAL;
use quadra_quasar_hir::types::{Dim, Type};
use std::rc::Rc;

/// The executor that interprets kernels on the host.
pub struct Interpreter;

const WARP: usize = 32;

/// What every item of a launch has in common.
pub struct Plan<'a> {
    launch: &'a Launch,
    code: Rc<Code>,
    /// Arguments by parameter; special ones are filled in per item.
    pub args: Vec<Value>,
    specials: Vec<(usize, usize)>,
    counts: Vec<i64>,
}

/// An item that waits at a barrier.
struct Parked {
    thread: Thread,
    scope: u8,
    /// Number of the item within its block.
    index: usize,
}

/// A block whose items wait for the whole grid.
struct ParkedBlock {
    items: Vec<Parked>,
    memory: Current,
    finished: usize,
}

impl Interpreter {
    /// Runs a launch to its end and returns the kernel's outputs.
    ///
    /// # Errors
    /// The kernel faults, or its arguments do not fit.
    pub fn launch(&mut self, cx: &mut Cx, launch: Launch) -> Res<Vec<Value>> {
        let Callable::Closure(closure) = &*launch.callable.clone() else {
            fault!("Q0420", "only kernel functions can be launched"; "define it with __kernel__");
        };
        let code = closure.code.clone();
        let plan = prepare(&launch, code, cx)?;
        let outer = cx.launch.replace(Current::default());
        let mut outputs: Vec<Value> = output_zeros(&plan.code, cx)?;
        let result = run_grid(&plan, &mut outputs, cx);
        cx.launch = outer;
        result?;
        Ok(outputs)
    }
}

/// Matches arguments with parameters and checks them.
pub fn prepare<'a>(launch: &'a Launch, code: Rc<Code>, cx: &mut Cx) -> Res<Plan<'a>> {
    let mut given = launch.args.iter();
    let mut args = Vec::new();
    let mut specials = Vec::new();
    let wanted = code.params.iter().filter(|p| !SPECIAL.contains(&&*p.name)).count();
    if wanted != launch.args.len() {
        fault!(
            "Q0425", "kernel '{}' needs {wanted} arguments, {} are given", code.name, launch.args.len();
            "the special parameters (pos, blkpos, …) are not passed"
        );
    }
    let mut bindings = Vec::new();
    for (i, param) in code.params.iter().enumerate() {
        if let Some(special) = SPECIAL.iter().position(|s| *s == &*param.name) {
            specials.push((i, special));
            args.push(Value::Unset);
            continue;
        }
        let Some(v) = given.next() else { break };
        passable(v, &param.name, &code, cx)?;
        let v = match &param.ty {
            Some(ty) => {
                let converted = call::check(&code, param, ty, v, &mut bindings, cx)?;
                warn_of_copy(&code, i, v, &converted, cx);
                converted
            }
            None => v.clone(),
        };
        args.push(v);
    }
    let counts = launch.dims.iter().zip(&launch.block).map(|(d, b)| d.div_euclid(*b) + i64::from(d % b != 0)).collect();
    Ok(Plan { launch, code, args, specials, counts })
}

/// Whether an instruction stores into elements of a parameter.
fn writes_elements_of(code: &Code, param: usize) -> bool {
    let Some((_, reg)) = code.variables.iter().find(|v| v.0 == code.params[param].name) else { return false };
    code.ops.iter().any(|op| matches!(op, Op::SetIndex { a, .. } | Op::SetIndexSpread { a, .. } if a == reg))
}

/// Warns if the kernel writes to an array that was converted for it.
fn warn_of_copy(code: &Code, param: usize, given: &Value, converted: &Value, cx: &mut Cx) {
    let (Value::Array(a), Value::Array(b)) = (given, converted) else { return };
    if Rc::ptr_eq(a, b) || !writes_elements_of(code, param) {
        return;
    }
    let name = &code.params[param].name;
    let (from, to) = (crate::typing::type_of(given, cx.mode.double), crate::typing::type_of(converted, cx.mode.double));
    let message = format!("kernel '{}' writes to a converted copy of argument '{name}'", code.name);
    let help = format!("the '{from}' became a '{to}': pass an array of that type to get the results");
    cx.warn(quadra_base::Diagnostic::warning("Q0433", message).at(code.span).help(help));
}

/// Strings, cells without element type and dynamic objects stay on the host.
fn passable(v: &Value, name: &str, code: &Code, cx: &Cx) -> Res<()> {
    let bad = match v {
        Value::Str(_) | Value::Unset => true,
        Value::Array(t) => t.is_cell() && t.cell_type.as_deref().is_none_or(|t| matches!(t, Type::Any)),
        Value::Object(o) => o.class.is_none(),
        _ => false,
    };
    if !bad {
        return Ok(());
    }
    let ty = crate::typing::type_of(v, cx.mode.double);
    fault!(
        "Q0426", "argument '{name}' of '{}', a '{ty}', cannot be passed to a kernel function", code.name;
        "kernels take numbers, arrays, cells with a type (c = vec[mat](2), then c[0] = x), classes and device functions"
    )
}

pub fn output_zeros(code: &Code, cx: &Cx) -> Res<Vec<Value>> {
    code.outputs
        .iter()
        .map(|(name, _, ty)| {
            let ty = ty.as_ref().unwrap_or(&Type::SCALAR);
            match crate::object::default_value(ty, cx.mode.double, 0)? {
                Some(v) if v.is_number() || matches!(v, Value::Array(_)) => Ok(v),
                _ => fault!("Q0427", "the output '{name}' of kernel '{}' is a '{ty}'", code.name; "kernel outputs are numbers or vectors of fixed size"),
            }
        })
        .collect()
}

fn run_grid(plan: &Plan, outputs: &mut [Value], cx: &mut Cx) -> Res<()> {
    let blocks: i64 = plan.counts.iter().product();
    let mut waiting: Vec<ParkedBlock> = Vec::new();
    let mut finished = 0;
    let mut spare = Thread::default();
    if plan.launch.serial {
        return run_serially(plan, outputs, &mut spare, cx);
    }
    for b in 0..blocks {
        cx.watch.step("kernel", b as u64, blocks as u64);
        let block = position(b, &plan.counts);
        cx.launch = Some(Current::default());
        let items = start_block(plan, &block, outputs, &mut spare, cx)?;
        finish_block(plan, items.0, items.1, outputs, &mut waiting, &mut finished, cx)?;
    }
    while !waiting.is_empty() {
        if finished > 0 {
            fault!("Q0428", "not all threads of the grid reach the barrier syncthreads(grid)"; "move it out of the condition");
        }
        for mut block in std::mem::take(&mut waiting) {
            cx.launch = Some(std::mem::take(&mut block.memory));
            let items = resume(plan, block.items, outputs, cx)?;
            finish_block(plan, items.0, items.1 + block.finished, outputs, &mut waiting, &mut finished, cx)?;
        }
    }
    Ok(())
}

fn run_serially(plan: &Plan, outputs: &mut [Value], spare: &mut Thread, cx: &mut Cx) -> Res<()> {
    let total: i64 = plan.launch.dims.iter().product();
    for i in 0..total {
        cx.watch.step("kernel", i as u64, total as u64);
        let pos = position(i, &plan.launch.dims);
        start_item(plan, spare, &pos, cx)?;
        if run_item(plan, spare, outputs, cx)? != Stop::Done {
            fault!("Q0429", "a barrier in a kernel that serial_do runs"; "use parallel_do");
        }
    }
    Ok(())
}

/// Row-major position of a number.
fn position(mut i: i64, dims: &[i64]) -> Vec<i64> {
    let mut pos = vec![0; dims.len()];
    for d in (0..dims.len()).rev() {
        let n = dims[d].max(1);
        pos[d] = i % n;
        i /= n;
    }
    pos
}

/// Runs every item of a block up to its first barrier. Gives those that wait and the number of those that are done.
fn start_block(
    plan: &Plan,
    block: &[i64],
    outputs: &mut [Value],
    spare: &mut Thread,
    cx: &mut Cx,
) -> Res<(Vec<Parked>, usize)> {
    let items: i64 = plan.launch.block.iter().product();
    let (mut parked, mut done) = (Vec::new(), 0);
    for index in 0..items {
        let within = position(index, &plan.launch.block);
        let pos: Vec<i64> =
            block.iter().zip(&plan.launch.block).zip(&within).map(|((b, size), w)| b * size + w).collect();
        if pos.iter().zip(&plan.launch.dims).any(|(p, d)| p >= d) {
            continue;
        }
        start_item(plan, spare, &pos, cx)?;
        match run_item(plan, spare, outputs, cx)? {
            Stop::Done => done += 1,
            Stop::Barrier(scope) => {
                parked.push(Parked { thread: std::mem::take(spare), scope, index: index as usize });
            }
        }
    }
    Ok((parked, done))
}

fn resume(plan: &Plan, items: Vec<Parked>, outputs: &mut [Value], cx: &mut Cx) -> Res<(Vec<Parked>, usize)> {
    let (mut parked, mut done) = (Vec::new(), 0);
    for mut item in items {
        match run_item(plan, &mut item.thread, outputs, cx)? {
            Stop::Done => done += 1,
            Stop::Barrier(scope) => parked.push(Parked { scope, ..item }),
        }
    }
    Ok((parked, done))
}

/// Goes from barrier to barrier until all items are done or wait for the grid.
fn finish_block(
    plan: &Plan,
    mut parked: Vec<Parked>,
    mut done: usize,
    outputs: &mut [Value],
    waiting: &mut Vec<ParkedBlock>,
    finished: &mut usize,
    cx: &mut Cx,
) -> Res<()> {
    while !parked.is_empty() {
        let all = |scope: fn(u8) -> bool| parked.iter().all(|p| scope(p.scope));
        if all(|s| s >= 2) {
            let memory = cx.launch.take().unwrap_or_default();
            waiting.push(ParkedBlock { items: parked, memory, finished: done });
            return Ok(());
        }
        // Warps go on as soon as their own items have all arrived.
        let warp_ready = |w: usize| parked.iter().filter(|p| p.index / WARP == w).all(|p| p.scope == 1);
        let ready: Vec<bool> = parked.iter().map(|p| p.scope == 1 && warp_ready(p.index / WARP)).collect();
        let (go, stay): (Vec<_>, Vec<_>) = if ready.contains(&true) {
            let mut flags = ready.into_iter();
            parked.into_iter().partition(|_| flags.next().unwrap_or(false))
        } else if all(|s| s == 0) && done == 0 {
            (parked, Vec::new())
        } else {
            let span = parked[0].thread.frames.last().map(Frame::place);
            let mut f = Fault::new("Q0428", "not all threads of the block reach the barrier")
                .help("every item of a block must pass the same syncthreads: move it out of the condition or loop");
            f.span = span;
            return Err(f);
        };
        let (still, more) = resume(plan, go, outputs, cx)?;
        done += more;
        parked = stay;
        parked.extend(still);
        parked.sort_by_key(|p| p.index);
    }
    *finished += 1;
    Ok(())
}

/// Puts the frame of an item onto an empty thread.
fn start_item(plan: &Plan, thread: &mut Thread, pos: &[i64], cx: &mut Cx) -> Res<()> {
    cx.step()?;
    let mut args = plan.args.clone();
    let block = &plan.launch.block;
    for (param, special) in &plan.specials {
        let list: Vec<i64> = match special {
            0 => pos.to_vec(),
            1 => pos.iter().zip(block).map(|(p, b)| p % b).collect(),
            2 => pos.iter().zip(block).map(|(p, b)| p / b).collect(),
            3 => block.clone(),
            4 => plan.counts.clone(),
            _ => vec![WARP as i64],
        };
        let ty = plan.code.params[*param].ty.as_ref();
        args[*param] = special_value(&list, if *special == 5 { &[] } else { &plan.launch.dims }, ty, cx);
    }
    thread.shared_sites.clear();
    call::start(thread, &plan.launch.callable, args);
    Ok(())
}

/// How many components a special parameter of this type has: as many as the type says, or those of the launch; `dims` is empty
/// for one that is no position. A launch over a vector has one.
pub fn special_components(ty: Option<&Type>, dims: &[i64], given: usize) -> usize {
    match ty {
        Some(Type::Int(..) | Type::Scalar(_)) => 1,
        Some(Type::Array { dims: sizes, .. }) => match sizes.first() {
            Some(Dim::Size(n)) => *n,
            _ => given,
        },
        _ if dims.len() == 2 && dims[0] == 1 => 1,
        _ => given,
    }
}

/// A position as its parameter wants it: a number, or a vector of so many components.
fn special_value(list: &[i64], dims: &[i64], ty: Option<&Type>, cx: &Cx) -> Value {
    let wanted = special_components(ty, dims, list.len());
    let mut list = list.to_vec();
    let mut lengths = dims.to_vec();
    while list.len() > wanted && lengths.first() == Some(&1) {
        list.remove(0);
        lengths.remove(0);
    }
    list.resize(wanted, 0);
    let float = matches!(ty, Some(Type::Array { element, .. }) if matches!(**element, Type::Scalar(_)));
    match (&list[..], ty) {
        ([one], Some(Type::Scalar(_))) => Value::scalar(*one as f64, cx.mode.double),
        ([one], None | Some(Type::Int(..))) => Value::size((*one).max(0) as usize),
        _ if float => Value::array(Tensor::scalars(list.iter().map(|x| *x as f64).collect(), cx.mode.double)),
        _ => Value::array(Tensor::ints(list)),
    }
}

/// Runs an item up to its next barrier; the kernel's outputs are common to all items.
fn run_item(plan: &Plan, thread: &mut Thread, outputs: &mut [Value], cx: &mut Cx) -> Res<Stop> {
    for ((_, reg, _), v) in plan.code.outputs.iter().zip(outputs.iter()) {
        thread.stack[*reg as usize] = v.clone();
    }
    // The frame asks for all outputs, so that they are handed over when the item ends.
    let stop = run(thread, cx)?;
    match stop {
        Stop::Done => {
            for (v, new) in outputs.iter_mut().zip(std::mem::take(&mut thread.results)) {
                *v = new;
            }
        }
        Stop::Barrier(_) => {
            for ((_, reg, _), v) in plan.code.outputs.iter().zip(outputs.iter_mut()) {
                *v = thread.stack[*reg as usize].clone();
            }
        }
    }
    Ok(stop)
}
