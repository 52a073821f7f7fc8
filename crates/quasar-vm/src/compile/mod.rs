//! Trees to code. One `FunctionBuilder` per function; variables have fixed registers, temporaries are a stack above them.

mod statement;
mod expression;
mod assign;
mod call;

use super::code::{Capture, Code, Op, ParamInfo, Reg, Spec};
use super::shared::Shared;
use super::value::Value;
use crate::builtins::name_of;
use quadra_base::quick::{Map, Set};
use quadra_base::{Diagnostic, Span};
use quadra_quasar_hir::meaning::Meaning;
use quadra_quasar_hir::scope::{COUNTS, Names};
use quadra_quasar_hir::types::{Access, Type};
use quadra_quasar_syntax::ast::{Block, Expr, Function, FunctionKind, StmtKind, Text};
use std::rc::Rc;

/// Registers a frame may have.
const REGISTER_LIMIT: usize = 60_000;

/// Registers of a loop that is being compiled.
struct Loop {
    breaks: Vec<usize>,
    continues: Vec<usize>,
    tries: u32,
}

/// One function while it is compiled.
struct FunctionBuilder {
    code: Code,
    registers: Map<Text, Reg>,
    /// The name under which the function can call itself.
    itself: Option<Text>,
    /// Access modes that variables were declared with, and variables that must not change.
    access: Map<Text, Access>,
    constant: Set<Text>,
    declared: Map<Text, u16>,
    generic_names: Vec<Text>,
    default_access: Access,
    /// The mode of writes: a loop that counts as a kernel may read outside, but loses nothing.
    default_write: Access,
    next: usize,
    loops: Vec<Loop>,
    tries: u32,
    span: Span,
    global: bool,
    /// The statements of the function, if its loops run on a device.
    body: Option<Rc<Block>>,
}

/// The compiler: a stack of functions, the innermost last.
pub struct Compiler<'a> {
    pub shared: &'a mut Shared,
    stack: Vec<FunctionBuilder>,
}

/// Compiles the statements of a program. `globals` are variables that exist already (of earlier inputs of a session).
pub fn program(shared: &mut Shared, block: &Block, globals: &[Text], span: Span, main: Option<&[String]>) -> Rc<Code> {
    let names = Names::of_block(block);
    declare_functions(shared, block, true);
    shared.evaluates = super::builtins::library().any_means(&names.mentioned, &[Meaning::Evaluate]);
    let mut compiler = Compiler { shared, stack: Vec::new() };
    compiler.push_function("<program>".into(), FunctionKind::Host, span);
    compiler.top().global = true;
    compiler.top().body = compiler.shared.lowers.then(|| Rc::new(block.clone()));
    for name in globals.iter().chain(&names.assigned) {
        compiler.variable(name);
    }
    compiler.block(block);
    if let Some(arguments) = main
        && has_main(block)
    {
        let at = compiler.temporary();
        let id = compiler.shared.function_id(&"main".into());
        compiler.emit(Op::Function { d: at, id: id as u16 });
        for text in arguments {
            let d = compiler.temporary();
            compiler.load(span, d, Value::str(text));
        }
        compiler.emit(Op::Call { d: at, f: at, n: arguments.len().min(255) as u8, outs: 0 });
    }
    compiler.emit(Op::Publish);
    compiler.emit(Op::Return);
    compiler.pop_function()
}

/// Compiles an expression as a function without parameters whose captures are global variables by name, as `eval` needs it.
pub fn expression(shared: &mut Shared, expr: &Expr, globals: &[Text]) -> (Rc<Code>, Vec<Text>) {
    let mut compiler = Compiler { shared, stack: Vec::new() };
    compiler.push_function(name_of(Meaning::Evaluate).into(), FunctionKind::Host, expr.span);
    compiler.top().code.lambda = true;
    let names = Names::of_expr(expr);
    let mut captured = Vec::new();
    for name in &names.mentioned {
        if globals.contains(name) {
            let reg = compiler.variable(name);
            compiler.top().code.captures.push((reg, Capture::Missing));
            captured.push(name.clone());
        }
    }
    for name in &names.assigned {
        compiler.variable(name);
    }
    let value = compiler.value(expr);
    compiler.emit(Op::ReturnValue { a: value });
    (compiler.pop_function(), captured)
}

fn has_main(block: &Block) -> bool {
    block.iter().any(|s| matches!(&s.kind, StmtKind::Function(f) if &*f.name == "main"))
}

/// Gives every global function its number, so that the order of definitions does not matter.
fn declare_functions(shared: &mut Shared, block: &Block, program: bool) {
    for stmt in block {
        match &stmt.kind {
            StmtKind::Function(f) if program || &*f.name != "main" => {
                shared.function_id(&f.name);
                shared.kinds.insert(f.name.clone(), f.kind);
                note_method(shared, f);
            }
            StmtKind::Module(module) => declare_functions(shared, &module.body, false),
            StmtKind::If { arms, otherwise } => {
                arms.iter().for_each(|(_, b)| declare_functions(shared, b, program));
                declare_functions(shared, otherwise, program);
            }
            _ => {}
        }
    }
}

fn note_method(shared: &mut Shared, f: &Function) {
    if f.params.first().is_some_and(|p| &*p.name == "self") {
        shared.methods.insert(f.name.clone());
    }
}

impl Compiler<'_> {
    fn push_function(&mut self, name: Text, kind: FunctionKind, span: Span) {
        let device = kind != FunctionKind::Host;
        self.stack.push(FunctionBuilder {
            code: Code {
                name,
                kind,
                lambda: false,
                params: Vec::new(),
                outputs: Vec::new(),
                captures: Vec::new(),
                counts: [None; 2],
                generics: Vec::new(),
                plain: true,
                global: false,
                registers: 0,
                ops: Vec::new(),
                spans: Vec::new(),
                statements: Vec::new(),
                consts: Vec::new(),
                names: Vec::new(),
                types: Vec::new(),
                specs: Vec::new(),
                functions: Vec::new(),
                span,
                variables: Vec::new(),
                method: false,
                shipped: span.file.is_shipped(),
                ast: None,
                captured_access: Vec::new(),
                nests: Vec::new(),
            },
            registers: Map::default(),
            itself: None,
            access: Map::default(),
            constant: Set::default(),
            declared: Map::default(),
            generic_names: Vec::new(),
            default_access: if device { Access::Safe } else { Access::Checked },
            default_write: if device { Access::Safe } else { Access::Checked },
            next: 0,
            loops: Vec::new(),
            tries: 0,
            span,
            global: false,
            body: None,
        });
    }

    fn pop_function(&mut self) -> Rc<Code> {
        let builder = self.stack.pop().expect("every push has its pop");
        Rc::new(builder.code)
    }

    fn top(&mut self) -> &mut FunctionBuilder {
        self.stack.last_mut().expect("a function is being compiled")
    }

    fn device(&mut self) -> bool {
        self.top().code.kind != FunctionKind::Host
    }

    /// The register of a variable, made on first use; only before temporaries are in use.
    fn variable(&mut self, name: &Text) -> Reg {
        if let Some(reg) = self.top().registers.get(name) {
            return *reg;
        }
        let reg = self.temporary();
        let top = self.top();
        top.registers.insert(name.clone(), reg);
        top.code.variables.push((name.clone(), reg));
        reg
    }

    fn temporary(&mut self) -> Reg {
        let span = self.top().span;
        let top = self.top();
        let reg = top.next;
        if reg >= REGISTER_LIMIT {
            if !self.shared.diagnostics.iter().any(|d| d.code == "Q0130") {
                let message = format!("more than {REGISTER_LIMIT} variables and intermediate values in one function");
                let diagnostic = Diagnostic::error("Q0130", message).at(span).help("split the function or the literal");
                self.shared.diagnostics.push(diagnostic);
            }
            return 0;
        }
        top.next += 1;
        top.code.registers = top.code.registers.max(top.next as u16);
        reg as Reg
    }

    /// Registers that follow each other.
    fn temporaries(&mut self, n: usize) -> Reg {
        let first = self.temporary();
        for _ in 1..n {
            self.temporary();
        }
        first
    }

    /// Runs code and gives back the temporaries it took.
    fn scratch<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> T {
        let next = self.top().next;
        let result = body(self);
        self.top().next = next;
        result
    }

    fn emit(&mut self, op: Op) -> usize {
        let top = self.top();
        top.code.ops.push(op);
        top.code.spans.push(top.span);
        top.code.ops.len() - 1
    }

    fn here(&mut self) -> u32 {
        self.top().code.ops.len() as u32
    }

    /// Notes that a statement begins here, for the debugger; of several the innermost counts.
    fn begins(&mut self, span: Span) {
        let code = &mut self.top().code;
        let at = code.ops.len() as u32;
        match code.statements.last_mut() {
            Some(last) if last.0 == at => last.1 = span,
            _ => code.statements.push((at, span)),
        }
    }

    /// Lets the jump at `at` go to the next instruction.
    fn patch(&mut self, at: usize) {
        let target = self.here();
        self.patch_to(at, target);
    }

    fn patch_to(&mut self, at: usize, target: u32) {
        match &mut self.top().code.ops[at] {
            Op::Jump { to }
            | Op::JumpUnless { to, .. }
            | Op::JumpIf { to, .. }
            | Op::ForRange { to, .. }
            | Op::ForEach { to, .. }
            | Op::ForNext { to, .. }
            | Op::UnlessUnset { to, .. }
            | Op::UnlessRefused { to, .. }
            | Op::Rest { to, .. }
            | Op::Try { to, .. } => *to = target,
            other => debug_assert!(false, "{other:?} does not jump"),
        }
    }

    fn constant(&mut self, value: Value) -> u16 {
        let same = |a: &Value| match (a, &value) {
            (Value::Int(x), Value::Int(y)) => x == y,
            (Value::F32(x), Value::F32(y)) => x.to_bits() == y.to_bits(),
            (Value::F64(x), Value::F64(y)) => x.to_bits() == y.to_bits(),
            _ => false,
        };
        let top = self.top();
        if let Some(i) = top.code.consts.iter().position(same) {
            return i as u16;
        }
        top.code.consts.push(value);
        (top.code.consts.len() - 1).min(u16::MAX.into()) as u16
    }

    fn name(&mut self, name: &Text) -> u16 {
        let names = &mut self.top().code.names;
        if let Some(i) = names.iter().position(|n| n == name) {
            return i as u16;
        }
        names.push(name.clone());
        (names.len() - 1).min(u16::MAX.into()) as u16
    }

    fn spec(&mut self, items: Vec<(Reg, bool, Option<Text>)>) -> u16 {
        let specs = &mut self.top().code.specs;
        specs.push(Spec { items });
        (specs.len() - 1).min(u16::MAX.into()) as u16
    }

    fn type_index(&mut self, ty: Type) -> u16 {
        let types = &mut self.top().code.types;
        if let Some(i) = types.iter().position(|t| t.same(&ty)) {
            return i as u16;
        }
        types.push(ty);
        (types.len() - 1).min(u16::MAX.into()) as u16
    }

    /// A type as written, with the type parameters of the functions around.
    fn resolve(&mut self, ty: &quadra_quasar_syntax::ast::TypeExpr) -> quadra_quasar_hir::declare::Declared {
        let params: Vec<Text> = self.stack.iter().flat_map(|f| f.generic_names.iter().cloned()).collect();
        self.shared.types.resolve(ty, &params, &mut self.shared.diagnostics)
    }

    fn error(&mut self, diagnostic: Diagnostic) {
        self.shared.diagnostics.push(diagnostic);
    }

    /// Compiles a function definition or lambda; `itself` is the name it can call itself by.
    fn function(&mut self, f: &Rc<Function>, itself: Option<Text>) -> u16 {
        let name = if f.name.is_empty() { itself.clone().unwrap_or_default() } else { f.name.clone() };
        note_method(self.shared, f);
        self.push_function(name, f.kind, f.span);
        let lowers = self.shared.lowers && f.kind == FunctionKind::Host && !f.body.is_empty();
        let top = self.top();
        top.code.lambda = f.lambda;
        top.code.ast = Some(f.clone());
        top.body = lowers.then(|| Rc::new(f.body.clone()));
        top.itself = itself.filter(|n| !f.params.iter().any(|p| p.name == *n));
        top.generic_names = f.generics.iter().map(|g| g.0.clone()).collect();
        top.code.method = f.params.first().is_some_and(|p| &*p.name == "self");
        let names = Names::of_function(f);
        self.params(f, &names);
        self.counts(f, &names);
        self.captures(f, &names);
        for (name, _) in &f.generics {
            let reg = self.variable(name);
            self.top().code.generics.push((name.clone(), reg));
        }
        self.outputs(f);
        for name in &names.assigned {
            self.variable(name);
        }
        self.defaults(f);
        match &f.value {
            Some(value) => {
                self.begins(value.span);
                let reg = self.value(value);
                self.emit(Op::ReturnValue { a: reg });
            }
            None => {
                let inner: Vec<Text> = Names::of_block(&f.body).functions;
                for name in &inner {
                    self.variable(name);
                }
                self.block(&f.body);
                self.emit(Op::Return);
            }
        }
        let code = self.pop_function();
        let functions = &mut self.top().code.functions;
        functions.push(code);
        (functions.len() - 1) as u16
    }

    /// Variables that say how a host function was called.
    fn counts(&mut self, f: &Function, names: &Names) {
        if f.lambda || f.kind != FunctionKind::Host {
            return;
        }
        for (k, wanted) in names.counts().into_iter().enumerate() {
            let name: Text = COUNTS[k].into();
            let own = f.outputs.iter().any(|o| o.0 == name) || f.generics.iter().any(|g| g.0 == name);
            if wanted && !own && !self.top().registers.contains_key(&name) {
                let reg = self.variable(&name);
                self.top().code.counts[k] = Some(reg);
            }
        }
    }

    fn params(&mut self, f: &Function, names: &Names) {
        let asks = !f.lambda && f.kind == FunctionKind::Host;
        for param in &f.params {
            let reg = self.temporary();
            let declared = param.ty.as_ref().map(|t| self.resolve(t));
            let top = self.top();
            top.registers.insert(param.name.clone(), reg);
            top.code.variables.push((param.name.clone(), reg));
            if let Some(d) = &declared {
                if let Some(access) = d.access {
                    top.access.insert(param.name.clone(), access);
                }
                if d.constant {
                    top.constant.insert(param.name.clone());
                }
            }
            top.code.plain &= param.ty.is_none() && param.default.is_none() && !param.variadic;
            top.code.params.push(ParamInfo {
                name: param.name.clone(),
                access: declared.as_ref().and_then(|d| d.access),
                constant: declared.as_ref().is_some_and(|d| d.constant),
                ty: declared.map(|d| d.ty).filter(|t| !matches!(t, Type::Any)),
                optional: param.default.is_some() || (asks && names.may_miss(&param.name)),
                variadic: param.variadic,
            });
        }
        self.top().code.plain &= f.generics.is_empty();
    }

    /// Variables of the functions around that this one mentions become captured values.
    fn captures(&mut self, f: &Function, names: &Names) {
        let itself = self.top().itself.clone();
        for name in names.mentioned.iter().chain(&names.assigned) {
            let own = self.top().registers.contains_key(name)
                || f.outputs.iter().any(|o| o.0 == *name)
                || f.generics.iter().any(|g| g.0 == *name)
                || itself.as_ref() == Some(name);
            if own || self.stack.len() < 2 {
                continue;
            }
            let outer = self.stack.len() - 2;
            let outer = &self.stack[outer];
            let source = match outer.registers.get(name) {
                Some(reg) => Capture::Register(*reg),
                None if outer.itself.as_ref() == Some(name) => Capture::Itself,
                None => continue,
            };
            let (access, constant) = (outer.access.get(name).copied(), outer.constant.contains(name));
            let generic = outer.generic_names.contains(name);
            let reg = self.variable(name);
            let top = self.top();
            top.code.captures.push((reg, source));
            if generic {
                top.code.generics.push((name.clone(), reg));
            }
            if let Some(access) = access {
                top.access.insert(name.clone(), access);
                top.code.captured_access.push((name.clone(), access));
            }
            if constant {
                top.constant.insert(name.clone());
            }
        }
    }

    fn outputs(&mut self, f: &Function) {
        for (name, ty) in &f.outputs {
            let reg = self.variable(name);
            let declared = ty.as_ref().map(|t| self.resolve(t));
            if let Some(access) = declared.as_ref().and_then(|d| d.access) {
                self.top().access.insert(name.clone(), access);
            }
            let ty = declared.map(|d| d.ty).filter(|t| !matches!(t, Type::Any));
            if let Some(ty) = &ty {
                let index = self.type_index(ty.clone());
                self.top().declared.insert(name.clone(), index);
            }
            self.top().code.outputs.push((name.clone(), reg, ty));
        }
    }
}
