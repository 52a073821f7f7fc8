//! Launching kernels on devices: lowering, the cache of compiled kernels, arguments, and the way back to the host executor.

use super::after::Afters;
use super::bind::{Roots, describe};
use super::devices::compile;
use super::form::small_int;
use super::kernels::{Compiled, Entry, Kernels, MANY};
use super::lowered::Lowered;
use super::run::{Ran, Run};
use super::shape::Shape;
use super::state::{Lower, Slot, Source};
use super::value::{ArrayRef, Element, Func, Length, Path, Root, Val, elem_of};
use super::{Cause, Low, Refusal, refuse};
use quadra_base::Span;
use quadra_base::quick::Set;
use quadra_kir as kir;
use quadra_quasar_hir::kernel::SPECIAL;
use quadra_quasar_hir::types::{Access, Dim, Fit, Type};
use quadra_quasar_vm::arith::Kind;
use quadra_quasar_vm::auto;
use quadra_quasar_vm::code::Reg;
use quadra_quasar_vm::code::{Code, Op};
use quadra_quasar_vm::cx::Cx;
use quadra_quasar_vm::executor::{Executor, Launch};
use quadra_quasar_vm::expression::Expression;
use quadra_quasar_vm::fault::Res;
use quadra_quasar_vm::machine::launch::{Interpreter, output_zeros, prepare};
use quadra_quasar_vm::nest::Nest;
use quadra_quasar_vm::tensor::Tensor;
use quadra_quasar_vm::value::{Callable, Closure, Value};
use std::rc::Rc;

impl Executor for Kernels {
    fn launch(&mut self, cx: &mut Cx, launch: Launch) -> Res<Vec<Value>> {
        let Callable::Closure(closure) = &*launch.callable.clone() else { return Interpreter.launch(cx, launch) };
        let code = closure.code.clone();
        let span = code.span;
        if launch.serial || launch.dims.contains(&0) {
            return Interpreter.launch(cx, launch);
        }
        let loops = code.ops.iter().filter(|op| matches!(op, Op::ForNext { .. })).count();
        let turns = if loops > 0 { auto::TURNS } else { 1 };
        let work = auto::work(launch.dims.iter().product(), auto::instructions(&code.ops, 0), turns);
        let values = launch.args.iter().chain(&closure.captures);
        if !self.wanted(Rc::as_ptr(&code) as usize, work, (&code.name, span), values, cx) {
            return Interpreter.launch(cx, launch);
        }
        let plan = prepare(&launch, code.clone(), cx)?;
        let args = plan.args.clone();
        drop(plan);
        let compiled = match self.find(cx, &launch, closure, &args) {
            Ok(compiled) => compiled,
            Err(refusal) => {
                cx.warn(self.slow(&code.name, &refusal, work, span));
                return Interpreter.launch(cx, launch);
            }
        };
        let Some((module, device)) = &compiled.module else { return Interpreter.launch(cx, launch) };
        let mut run = Run::new(&args, &closure.captures, &launch.dims);
        run.outputs = output_zeros(&code, cx)?;
        match run.go(&compiled.lowered, module, device, self.races, cx)? {
            Ran::Done => {
                for (span, name) in &compiled.lowered.warnings {
                    cx.warn_int(*span, name);
                }
                Ok(run.outputs)
            }
            Ran::Instead(why) => {
                if let Some(why) = why {
                    cx.warn(self.fallback(&code.name, device.name(), &why.reason, span));
                }
                Interpreter.launch(cx, launch)
            }
        }
    }

    fn nest(&mut self, cx: &mut Cx, nest: &Rc<Nest>, regs: &mut [Value], bounds: Reg) -> Res<bool> {
        super::nest::run(self, nest, regs, bounds, cx)
    }

    fn expression(&mut self, cx: &mut Cx, e: &Expression<'_>, lead: &Tensor, span: Span) -> Option<Value> {
        super::fused::run(self, e, lead, span, cx)
    }
}

impl Kernels {
    /// The compiled kernel for a launch.
    fn find(&mut self, cx: &mut Cx, launch: &Launch, closure: &Closure, args: &[Value]) -> Low<Rc<Compiled>> {
        let mut key = format!("{:p} ", Rc::as_ptr(&closure.code));
        args.iter().chain(&closure.captures).for_each(|v| describe(v, &mut key, 0));
        let long: String = launch.dims.iter().map(|d| if *d == 1 { '1' } else { 'n' }).collect();
        key += &long;
        let mut block = None;
        for _ in 0..2 {
            match self.lookup(&key, launch, closure, args, cx) {
                Some(Entry::WantsBlock) => {}
                Some(Entry::Refused(r)) => return Err(Box::new(r.clone())),
                Some(Entry::Compiled(c)) => return Ok(c.clone()),
                None => {
                    let entry = self.make(cx, (&key, launch), closure, args, block.clone());
                    let wants = matches!(entry, Entry::WantsBlock);
                    self.make_room(closure.code.clone());
                    self.cache.entry(key.clone()).or_default().push(entry);
                    if !wants {
                        continue;
                    }
                }
            }
            // Whole blocks need not ask which of their items there are.
            let whole: Vec<bool> =
                launch.dims.iter().zip(&launch.block).map(|(d, b)| b.is_positive() && d % b == 0).collect();
            key += &format!(" block {:?} {whole:?}", launch.block);
            block = Some(launch.block.clone());
        }
        match self.lookup(&key, launch, closure, args, cx) {
            Some(Entry::Compiled(c)) => Ok(c.clone()),
            Some(Entry::Refused(r)) => Err(Box::new(r.clone())),
            _ => {
                let entry = self.make(cx, (&key, launch), closure, args, block);
                let result = match &entry {
                    Entry::Compiled(c) => Ok(c.clone()),
                    Entry::Refused(r) => Err(Box::new(r.clone())),
                    Entry::WantsBlock => refuse!("it depends on its block"),
                };
                self.cache.entry(key).or_default().push(entry);
                result
            }
        }
    }

    /// An entry of the cache whose assumptions hold for this launch.
    fn lookup(&self, key: &str, launch: &Launch, closure: &Closure, args: &[Value], cx: &Cx) -> Option<&Entry> {
        self.cache.get(key)?.iter().find(|entry| match entry {
            Entry::Compiled(c) => {
                let roots = Roots { arguments: args, captures: &closure.captures, cx };
                c.lowered.holds(&roots, &Shape::new(&launch.dims, None))
            }
            _ => true,
        })
    }

    /// A new entry of the cache, unless there are many that differ by texts and numbers alone.
    fn make(
        &self,
        cx: &mut Cx,
        (key, launch): (&str, &Launch),
        closure: &Closure,
        args: &[Value],
        block: Option<Vec<i64>>,
    ) -> Entry {
        match self.made(cx, launch, closure, args, block) {
            Entry::Compiled(c) if self.has_many(key, &c.lowered) => Entry::Refused(Refusal::new(MANY)),
            entry => entry,
        }
    }

    fn made(&self, cx: &mut Cx, launch: &Launch, closure: &Closure, args: &[Value], block: Option<Vec<i64>>) -> Entry {
        let grouped = match lower(cx, launch, closure, args, block.clone(), None) {
            Ok(None) => return Entry::WantsBlock,
            Ok(Some(lowered)) if lowered.kernel.group == [kir::LANES] => {
                return self.compiled(lowered, Afters::default(), closure.code.span, cx);
            }
            Ok(Some(lowered)) => Ok(lowered),
            Err(refusal) => Err(refusal),
        };
        let span = closure.code.span;
        let first = |why: Vec<quadra_base::Diagnostic>| {
            Refusal::new(why.into_iter().next().map_or_else(String::new, |d| d.message))
        };
        let Some(device) = self.devices.first() else {
            return grouped.map_or_else(|r| Entry::Refused(*r), |l| self.compiled(l, Afters::default(), span, cx));
        };
        // Where groups do not run as they are, one worker runs a block, if the kernel has that form.
        if device.caps().barriers
            && let Ok(lowered) = grouped
        {
            return self.compiled(lowered, Afters::default(), span, cx);
        }
        let together = match lower(cx, launch, closure, args, block, Some(device.caps().shared_memory)) {
            Ok(Some(other)) => match compile(device, &other.kernel, span, cx) {
                Ok(module) => Ok((other, module)),
                Err(why) => Err(Box::new(first(why))),
            },
            // The block is not known yet, and what stands in the way does not depend on it.
            Ok(None) => {
                return grouped.map_or_else(|r| Entry::Refused(*r), |l| self.compiled(l, Afters::default(), span, cx));
            }
            Err(refusal) => Err(refusal),
        };
        let refusal = match together {
            Ok((lowered, module)) => {
                let module = Some((module, device.clone()));
                return Entry::Compiled(Rc::new(Compiled { lowered, afters: Afters::default(), module }));
            }
            Err(refusal) => refusal,
        };
        let grouped = match grouped {
            Ok(lowered) => lowered,
            // The reason that it is no group says more than what the kernel IR makes of it.
            Err(_) => return Entry::Refused(*refusal),
        };
        if let Ok(module) = compile(device, &grouped.kernel, span, cx) {
            let module = Some((module, device.clone()));
            return Entry::Compiled(Rc::new(Compiled { lowered: grouped, afters: Afters::default(), module }));
        }
        let place = refusal.span.unwrap_or(span);
        cx.warn(self.fallback(&grouped.kernel.name, device.name(), &refusal.reason, place));
        let rest = Kernels::new(self.devices[1..].to_vec(), self.races);
        rest.compiled(grouped, Afters::default(), span, cx)
    }
}

/// Lowers a kernel for a launch; nothing if it depends on its block and none is given. `together` if one worker runs a block,
/// with as many bytes for arrays of its own. Where lengths of arrays depend on numbers, it is made for those of this launch.
fn lower(
    cx: &Cx,
    launch: &Launch,
    closure: &Closure,
    args: &[Value],
    block: Option<Vec<i64>>,
    together: Option<u64>,
) -> Low<Option<Lowered>> {
    match lower_with(cx, launch, closure, args, (block.clone(), together), Set::default()) {
        Err(refusal) if refusal.cause == Cause::Length => {
            let of = |values: &[Value], root: fn(usize) -> Root| -> Vec<Path> {
                (0..values.len()).filter(|i| small_int(&values[*i]).is_some()).map(|i| Path::new(root(i))).collect()
            };
            let mut numbers: Set<Path> = of(args, Root::Argument).into_iter().collect();
            numbers.extend(of(&closure.captures, Root::Capture));
            lower_with(cx, launch, closure, args, (block, together), numbers)
        }
        result => result,
    }
}

fn lower_with(
    cx: &Cx,
    launch: &Launch,
    closure: &Closure,
    args: &[Value],
    (block, together): (Option<Vec<i64>>, Option<u64>),
    numbers: Set<Path>,
) -> Low<Option<Lowered>> {
    let code = &closure.code;
    let Some(ast) = code.ast.clone() else { refuse!("a function whose text is not known") };
    if launch.dims.len() > 8 || launch.dims.iter().any(|d| *d > i64::from(i32::MAX)) {
        refuse!("a launch over more than 2^31 positions");
    }
    let name = if code.name.is_empty() { "lambda" } else { &code.name };
    let mut shape = Shape::new(&launch.dims, block);
    shape.grouped = super::count::synchronises(&ast.body);
    let mut lower = Lower::new(name, cx, shape, false);
    lower.chosen = numbers;
    let together = together.filter(|_| lower.launch.grouped);
    match kernel_body(&mut lower, launch, closure, &ast, args, together) {
        Err(_) if lower.launch.wants_block => Ok(None),
        Err(refusal) => Err(refusal),
        Ok(()) => {
            if let (Some(group), false) = (lower.launch.group(), together.is_some()) {
                lower.b.kernel().group = group;
            }
            lower.b.kernel().span = Some(code.span);
            Lowered::finish(lower).map(Some)
        }
    }
}

fn kernel_body(
    lower: &mut Lower<'_>,
    launch: &Launch,
    closure: &Closure,
    ast: &Rc<quadra_quasar_syntax::ast::Function>,
    args: &[Value],
    together: Option<u64>,
) -> Low<()> {
    let code = &closure.code;
    // `item` may be used from here on; the axes do not change any more.
    match together {
        Some(_) => lower.b.set_over(1),
        None => lower.set_axes(&lower.launch.axes()),
    }
    lower.push_frame(&ast.body, (Access::Safe, Access::Safe))?;
    if let Some(near) = together {
        lower.begin_together(ast, near)?;
    }
    let itself = Func::Host(launch.callable.clone(), Path::new(Root::Capture(usize::MAX)));
    lower.capture(closure, &|i| Path::new(Root::Capture(i)), itself);
    let mut values = Vec::new();
    for (i, param) in code.params.iter().enumerate() {
        let special = SPECIAL.contains(&&*param.name);
        values.push(if special && together.is_some() {
            lower.together_special(&param.name, param.ty.as_ref())?;
            Val::Nothing
        } else if special {
            lower.special(&param.name, param.ty.as_ref())?
        } else {
            lower.hint = Some(param.name.clone());
            lower.given(&args[i], &Path::new(Root::Argument(i)))?
        });
    }
    lower.bind_generics(ast, &values)?;
    for (param, v) in code.params.iter().zip(values) {
        if let Some(access) = param.access {
            lower.frame().access.insert(param.name.clone(), access);
        }
        if !matches!(v, Val::Nothing) {
            lower.bind_param(&param.name, v)?;
        }
    }
    outputs(lower, code)?;
    match &ast.value {
        Some(value) => lower.expr(value).map(drop),
        None if together.is_some() => lower.together_block(&ast.body),
        None => lower.block(&ast.body),
    }
}

/// The outputs of a kernel are in memory, common to all items.
fn outputs(lower: &mut Lower<'_>, code: &Code) -> Low<()> {
    for (i, (name, _, ty)) in code.outputs.iter().enumerate() {
        let ty = ty.clone().unwrap_or(Type::SCALAR);
        let (element, shape) = match &ty {
            Type::Array { element, dims, .. } => {
                let sizes: Option<Vec<usize>> =
                    dims.iter().map(|d| if let Dim::Size(n) = d { Some(*n) } else { None }).collect();
                let Some(sizes) = sizes.filter(|s| !s.is_empty()) else { refuse!("an output of type '{ty}'") };
                ((**element).clone(), quadra_quasar_vm::tensor::normal_shape(&sizes).to_vec())
            }
            number => (number.clone(), vec![1, 1]),
        };
        let number = !matches!(ty, Type::Array { .. });
        let element = match (lower.kind_of_type(&element), &element) {
            (_, Type::Int(kind, _)) => Element::Int(*kind),
            (Some(k @ (Kind::F32 | Kind::F64)), _) => Element::Float(elem_of(k)),
            _ => refuse!("an output of type '{ty}'"),
        };
        let buf = lower.b.buffer(&format!("out{i}"), element.storage(), 1, kir::Access::ReadWrite);
        lower.sources.push(Source::Output(i));
        let shape = shape.into_iter().map(Length::Known).collect();
        let array = Rc::new(ArrayRef { buf, base: None, shape, element, fit: Fit::Unchecked, shared: false });
        let frame = lower.frame();
        frame.vars.insert(name.clone(), Slot::Output(array, number));
        frame.defined.insert(name.clone());
    }
    Ok(())
}
