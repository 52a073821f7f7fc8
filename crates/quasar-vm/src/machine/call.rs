//! Entering functions: finding the overload, binding arguments to parameters, conversions.

use super::run::run;
use crate::builtins;
use crate::code::{Code, ParamInfo};
use crate::cx::Cx;
use crate::fault::{Fault, Res, fault};
use crate::tensor::{Data, Tensor};
use crate::thread::{Frame, Stop, Thread};
use crate::typing;
use crate::value::{Callable, Closure, Native, Value};
use quadra_quasar_hir::types::Type;
use quadra_quasar_syntax::ast::{FunctionKind, Text};
use std::rc::Rc;

/// Native calls of program code within each other; each takes machine stack.
const NESTING_LIMIT: u32 = 100;

/// Where arguments are and where results go, as positions in the stack.
pub struct Enter {
    pub first: usize,
    pub n: usize,
    /// How many of the arguments the call gives: the others take their defaults.
    pub given: usize,
    pub outs: usize,
    pub to: usize,
}

/// Program code that takes so many arguments as they are given.
fn as_given(f: &Callable, n: usize) -> Option<&Closure> {
    match f {
        Callable::Closure(c) => {
            (c.code.plain && c.code.params.len() == n && c.code.kind != FunctionKind::Kernel).then_some(c)
        }
        _ => None,
    }
}

/// Starts a call whose arguments stand in the stack, or completes it if the callee is no program code.
pub fn enter(thread: &mut Thread, cx: &mut Cx, callee: Value, e: Enter) -> Res<()> {
    if let Value::Function(f) = &callee
        && let Callable::Closure(_) = &**f
    {
        // An element of a cell that was never set is `[]`; a parameter without a value would be one that was left out.
        for v in thread.stack[e.first..e.first + e.given.min(e.n)].iter_mut().filter(|v| matches!(v, Value::Unset)) {
            *v = Value::array(Tensor::vector(Data::F32(Vec::new())));
        }
    }
    if let Value::Function(f) = &callee
        && let Some(c) = as_given(f, e.n)
    {
        push_frame(thread, f.clone(), c, &e);
        return Ok(());
    }
    let args: Vec<Value> = thread.stack[e.first..e.first + e.n].iter_mut().map(std::mem::take).collect();
    enter_list(thread, cx, callee, args, Vec::new(), e.outs, e.to)
}

/// Pushes the frame of a closure whose arguments are in place.
fn push_frame(thread: &mut Thread, callable: Rc<Callable>, c: &Closure, e: &Enter) {
    let code = c.code.clone();
    let top = e.first + code.registers as usize;
    let from = e.first + e.n;
    if thread.stack.len() < top {
        thread.stack.resize(top, Value::Unset);
    }
    for v in &mut thread.stack[from..top] {
        *v = Value::Unset;
    }
    for ((reg, _), v) in code.captures.iter().zip(&c.captures) {
        thread.stack[e.first + *reg as usize] = v.clone();
    }
    for (reg, count) in code.counts.iter().zip([e.given, e.outs]) {
        if let Some(reg) = reg {
            thread.stack[e.first + *reg as usize] = Value::Int(count as i32);
        }
    }
    thread.frames.push(Frame { code, callable, pc: 0, base: e.first, to: e.to, outs: e.outs });
}

/// Puts the first frame of a kernel item onto a thread; all outputs are asked for.
pub fn start(thread: &mut Thread, callable: &Rc<Callable>, args: Vec<Value>) {
    let Callable::Closure(c) = &**callable else { return };
    thread.serial = 0;
    let n = args.len();
    if thread.stack.len() < n {
        thread.stack.resize(n, Value::Unset);
    }
    for (slot, v) in thread.stack.iter_mut().zip(args) {
        *slot = v;
    }
    push_frame(thread, callable.clone(), c, &Enter { first: 0, n, given: n, outs: c.code.outputs.len(), to: 0 });
}

/// Starts a call with arguments given as lists.
pub fn enter_list(
    thread: &mut Thread,
    cx: &mut Cx,
    callee: Value,
    args: Vec<Value>,
    named: Vec<(Text, Value)>,
    outs: usize,
    to: usize,
) -> Res<()> {
    match &callee {
        Value::Function(f) => match &**f {
            Callable::Overloads(list) => {
                let chosen = choose(list, &args, &named, cx);
                enter_closure(thread, cx, &chosen, args, named, outs, to)
            }
            Callable::Builtin(Native { id, name: function, .. }) => {
                if let Some((name, _)) = named.first() {
                    fault!("Q0306", "'{function}' has no named argument '{name}'"; builtins::table()[*id].signature);
                }
                let results = builtins::call(*id, &args, outs, None, cx)?;
                finish(thread, results, outs, to);
                Ok(())
            }
            Callable::Closure(_) => enter_closure(thread, cx, f, args, named, outs, to),
        },
        Value::Type(ty) => {
            let v = construct(ty, args, named, cx)?;
            finish(thread, vec![v], outs, to);
            Ok(())
        }
        Value::Unset => fault!("Q0323", "the value that is called was never set"; "assign a function to it first"),
        other => {
            let ty = typing::type_of(other, cx.mode.double);
            fault!("Q0307", "a '{ty}' cannot be called"; "elements are read with brackets: x[i]")
        }
    }
}

fn finish(thread: &mut Thread, results: Vec<Value>, outs: usize, to: usize) {
    if thread.frames.is_empty() {
        thread.results = results;
        return;
    }
    for (k, v) in results.into_iter().take(outs.max(1)).enumerate() {
        if to + k < thread.stack.len() {
            thread.stack[to + k] = v;
        }
    }
}

/// Number types convert, array types make arrays, class names construct.
fn construct(ty: &Type, args: Vec<Value>, named: Vec<(Text, Value)>, cx: &mut Cx) -> Res<Value> {
    let double = cx.mode.double;
    match ty {
        Type::Class(class) => {
            let given = args.into_iter().map(|v| (None, v)).chain(named.into_iter().map(|(n, v)| (Some(n), v)));
            // An overload written by the program stands in for positional construction.
            crate::object::construct(class, given.collect(), double, 0)
        }
        Type::Object => {
            let object = crate::value::Instance::new(None, named);
            Ok(Value::Object(Rc::new(object)))
        }
        Type::Array { element, rank, .. } => {
            if let [Value::Array(t)] = &args[..]
                && !t.is_cell()
                && !matches!(**element, Type::Class(_) | Type::Pointer(_))
                && matches!(rank, quadra_quasar_hir::types::Rank::Fixed(1))
                && t.len() > 3
            {
                return Ok(Value::Array(typing::convert_elements(t, element, double)?));
            }
            let shape = builtins::array::shape_from(&args, "an array")?;
            Ok(Value::array(crate::object::array_of(shape, element, double)?))
        }
        ty => match &args[..] {
            [one] => typing::convert(one, ty, double),
            _ => fault!("Q0308", "'{ty}' converts one value, {} are given", args.len(); format!("{ty}(x)")),
        },
    }
}

/// The overload that the arguments fit: one whose types are exact before one that needs conversions.
fn choose(list: &[Rc<Callable>], args: &[Value], named: &[(Text, Value)], cx: &Cx) -> Rc<Callable> {
    let score = |f: &Callable| -> Option<u32> {
        let Callable::Closure(c) = f else { return Some(0) };
        let code = &c.code;
        let variadic = code.params.iter().any(|p| p.variadic);
        let given = args.len() + named.len();
        let required = code.params.iter().filter(|p| !p.optional && !p.variadic).count();
        if (given > code.params.len() && !variadic) || given < required {
            return None;
        }
        let mut score = 0;
        for (v, p) in args.iter().zip(&code.params) {
            let Some(ty) = &p.ty else { continue };
            if typing::type_of(v, cx.mode.double).same(ty) {
                score += 3;
            } else if typing::belongs(v, ty, cx.mode.double) {
                score += 2;
            } else {
                match typing::admit(v, ty, cx.mode.double, true) {
                    // A number stays one rather than become an array.
                    Ok(Some(admitted)) => score += u32::from(v.is_number() && admitted.is_number()),
                    _ => return None,
                }
            }
        }
        Some(score)
    };
    let mut best = (None, &list[0]);
    for f in list {
        let s = score(f);
        if s > best.0 {
            best = (s, f);
        }
    }
    best.1.clone()
}

fn enter_closure(
    thread: &mut Thread,
    cx: &mut Cx,
    callable: &Rc<Callable>,
    args: Vec<Value>,
    named: Vec<(Text, Value)>,
    outs: usize,
    to: usize,
) -> Res<()> {
    let Callable::Closure(c) = &**callable else { return Ok(()) };
    if c.code.kind == FunctionKind::Kernel {
        let help = format!("parallel_do(dims, …, {})", c.code.name);
        fault!("Q0406", "kernel function '{}' cannot be called directly: use parallel_do", c.code.name; help);
    }
    let given = args.len() + named.len();
    let (values, bindings) = bind(&c.code, args, named, cx)?;
    let first = thread.frames.last().map_or(0, |f| f.base + f.code.registers as usize);
    let n = values.len();
    if thread.stack.len() < first + n {
        thread.stack.resize(first + n, Value::Unset);
    }
    for (i, v) in values.into_iter().enumerate() {
        thread.stack[first + i] = v;
    }
    push_frame(thread, callable.clone(), c, &Enter { first, n, given, outs, to });
    for (name, value) in bindings {
        if let Some((_, reg)) = c.code.generics.iter().find(|(n, _)| *n == name) {
            thread.stack[first + *reg as usize] = value;
        }
    }
    Ok(())
}

fn shown(code: &Code) -> String {
    if code.name.is_empty() { "the lambda expression".into() } else { format!("'{}'", code.name) }
}

/// Puts arguments into the order of the parameters, checks and converts them. Missing optional ones stay `Unset`.
pub fn bind(
    code: &Code,
    args: Vec<Value>,
    named: Vec<(Text, Value)>,
    cx: &mut Cx,
) -> Res<(Vec<Value>, typing::Bindings)> {
    let params = &code.params;
    let mut values: Vec<Value> = vec![Value::Unset; params.len()];
    let fixed = params.iter().filter(|p| !p.variadic).count();
    let mut rest = Vec::new();
    for (i, v) in args.into_iter().enumerate() {
        if i < fixed {
            values[i] = v;
        } else {
            rest.push(v);
        }
    }
    let variadic = params.last().is_some_and(|p| p.variadic);
    if variadic {
        values[fixed] = collect(rest, cx)?;
    } else if !rest.is_empty() {
        let given = fixed + rest.len();
        fault!("Q0309", "{} has {fixed} arguments, {given} are given", shown(code); "remove the last ones");
    }
    for (name, v) in named {
        let Some(i) = params.iter().position(|p| p.name == name) else {
            let names: Vec<&str> = params.iter().map(|p| &*p.name).collect();
            fault!("Q0306", "{} has no argument '{name}'", shown(code); format!("its arguments are {}", names.join(", ")));
        };
        if !matches!(values[i], Value::Unset) {
            fault!("Q0306", "argument '{name}' of {} is given twice", shown(code); "remove one");
        }
        values[i] = v;
    }
    let mut bindings = Vec::new();
    for (i, param) in params.iter().enumerate() {
        if matches!(values[i], Value::Unset) {
            if param.optional {
                continue;
            }
            fault!("Q0308", "{} misses argument '{}'", shown(code), param.name; "add it to the call");
        }
        if let Some(ty) = &param.ty
            && !param.variadic
        {
            values[i] = check(code, param, ty, &values[i], &mut bindings, cx)?;
        }
    }
    Ok((values, bindings))
}

fn collect(rest: Vec<Value>, cx: &Cx) -> Res<Value> {
    if rest.iter().all(Value::is_number) && !rest.is_empty() {
        return crate::literal::array(&rest, cx.mode);
    }
    Ok(Value::array(Tensor::vector(Data::Cell(rest))))
}

/// Checks one argument against its parameter's type and converts it.
pub fn check(
    code: &Code,
    param: &ParamInfo,
    ty: &Type,
    v: &Value,
    bindings: &mut typing::Bindings,
    cx: &mut Cx,
) -> Res<Value> {
    if let Some(name) = ty.unknown_name() {
        fault!("Q0220", "unknown type '{name}' of argument '{}' of {}", param.name, shown(code); "define it with 'type', or correct its name");
    }
    let host = code.kind == FunctionKind::Host;
    let (double, needs) = (cx.mode.double, |ty: &Type, v: &Value| {
        let have = typing::type_of(v, cx.mode.double);
        // The type of a value has no lengths, which may be what does not fit.
        let size = match v {
            Value::Array(t) if matches!(ty, Type::Array { dims, .. } if !dims.is_empty()) => {
                format!(" of size {}", crate::display::shape_text(&t.shape))
            }
            _ => String::new(),
        };
        Fault::new(
            "Q0311",
            format!("argument '{}' of {} needs a '{ty}', not a '{have}'{size}", param.name, shown(code)),
        )
        .help(format!("convert it, or change the type of '{}'", param.name))
    });
    if ty.is_generic() {
        // As far as the arguments before say what the parameters of the type are.
        let solved = typing::substitute(ty, &|name| bindings.iter().find(|b| *b.0 == *name).map(|b| b.1.clone()));
        if typing::bind(v, ty, bindings, double).is_none() || !typing::belongs(v, ty, double) {
            return Err(needs(&solved, v).help("it contradicts the sizes or types of the arguments before it"));
        }
        return Ok(v.clone());
    }
    match typing::admit(v, ty, double, host)? {
        Some(v) => Ok(v),
        None => Err(needs(ty, v)),
    }
}

/// Calls program code or a built-in function from native code.
pub fn call_value(cx: &mut Cx, callee: &Value, args: Vec<Value>, outs: usize) -> Res<Vec<Value>> {
    if cx.nesting >= NESTING_LIMIT {
        fault!("Q0303", "more than {NESTING_LIMIT} calls nested through built-in functions"; "use a loop");
    }
    cx.nesting += 1;
    let result = call_inner(cx, callee, args, outs);
    cx.nesting -= 1;
    result
}

fn call_inner(cx: &mut Cx, callee: &Value, args: Vec<Value>, outs: usize) -> Res<Vec<Value>> {
    let mut thread = Thread::default();
    match callee {
        Value::Function(f) if let Some(c) = as_given(f, args.len()) => {
            let e = Enter { first: 0, n: args.len(), given: args.len(), outs, to: 0 };
            // The arguments are the first registers.
            thread.stack = args;
            thread.stack.reserve_exact((c.code.registers as usize).saturating_sub(e.n));
            push_frame(&mut thread, f.clone(), c, &e);
        }
        _ => enter_list(&mut thread, cx, callee.clone(), args, Vec::new(), outs, 0)?,
    }
    match run(&mut thread, cx)? {
        Stop::Done => Ok(thread.results),
        Stop::Barrier(_) => {
            fault!("Q0407", "a barrier inside a function that is called by a built-in function"; "move it to the kernel")
        }
    }
}
