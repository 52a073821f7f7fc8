//! Types of variables and expressions before the program runs, as far as they follow from the text: a forward pass with a map
//! from variables to types. It finds the errors that are decided by types, and gives the loop analysis what it knows at each
//! loop. A type that is not known is `None`; one that is known to be settled at run time is `??`.

mod assign;
mod builtin;
mod order;
mod rules;

use crate::declare::TypeTable;
use crate::meaning::{Library, Meaning};
use crate::par;
use crate::types::{Env, Fit, IntKind, Type};
use quadra_base::quick::{Map, Set};
use quadra_base::{Diagnostic, Span};
use quadra_quasar_syntax::ast::{
    Arg, Block, Expr, ExprKind, For, Function, FunctionKind, NodeId, Stmt, StmtKind, Text, TypeExpr, UnaryOp,
};
use rules::{absorb, array_type, binary, element, index_type, join, join_type};
use std::rc::Rc;

/// What the pass found.
#[derive(Default)]
pub struct Findings {
    pub diagnostics: Vec<Diagnostic>,
    /// Loops that count as kernels, so that reads outside arrays give 0.
    pub safe_loops: Set<NodeId>,
    pub verdicts: Vec<LoopVerdict>,
    /// How the parallel loops are carried out.
    pub plans: Map<NodeId, par::Plan>,
    /// The same of loops within parallel ones, by the loop around, for where that does not become a kernel.
    pub reserve: Map<NodeId, (NodeId, par::Plan)>,
    /// Types of expressions and, by their loops, of loop variables, if they were asked for.
    pub expressions: Option<Map<NodeId, Type>>,
}

/// A verdict on a loop, for `check --verdicts`.
#[derive(Clone, Debug)]
pub struct LoopVerdict {
    pub id: NodeId,
    pub span: Span,
    /// For example `parallel over (m, n)`.
    pub text: String,
    /// How many loops of the nest run in parallel, this one the outermost; 0 if it is serial.
    pub depth: usize,
}

/// The pass over a program. `functions` are those that are known by name.
pub struct Infer<'a> {
    pub types: &'a TypeTable,
    pub library: &'static Library,
    pub inttypes: bool,
    pub functions: Map<Text, Rc<Function>>,
    /// Lambdas that variables hold; none where it may be another one.
    pub lambdas: Map<Text, Option<Rc<Function>>>,
    /// Functions that the functions around define.
    pub inner: Vec<Text>,
    pub findings: Findings,
    /// Kernels by name, those that the functions around define among them; none where there are several of a name.
    pub kernels: Map<Text, Option<Rc<Function>>>,
    /// Whether findings are recorded: off in the first pass over a loop body.
    quiet: bool,
    /// Variables with an access mode by which a subscript outside may mean an element.
    bent: Set<Text>,
    device: bool,
    /// The innermost loop around that counts as a kernel.
    within: Option<NodeId>,
    depth: u32,
}

/// Runs the pass over the statements of a program. `expressions`: also notes the types of its expressions.
pub fn program(
    types: &TypeTable,
    library: &'static Library,
    inttypes: bool,
    block: &Block,
    known: &[Rc<Function>],
    expressions: bool,
) -> Findings {
    let mut functions: Map<Text, Rc<Function>> = known.iter().map(|f| (f.name.clone(), f.clone())).collect();
    gather(block, &mut functions);
    let mut infer = Infer {
        types,
        library,
        inttypes,
        functions,
        lambdas: Map::default(),
        inner: Vec::new(),
        findings: Findings { expressions: expressions.then(Map::default), ..Findings::default() },
        kernels: Map::default(),
        quiet: false,
        bent: Set::default(),
        device: false,
        within: None,
        depth: 0,
    };
    known.iter().for_each(|f| builtin::note_kernel(f, &mut infer.kernels));
    builtin::kernels(block, &mut infer.kernels);
    infer.block(block, &mut Env::default());
    infer.findings
}

/// The functions that a program defines at its top level.
pub fn gather(block: &Block, functions: &mut Map<Text, Rc<Function>>) {
    for stmt in block {
        match &stmt.kind {
            StmtKind::Function(f) => drop(functions.insert(f.name.clone(), f.clone())),
            StmtKind::Module(m) => gather(&m.body, functions),
            _ => {}
        }
    }
}

impl par::Program for Infer<'_> {
    fn library(&self) -> &'static Library {
        self.library
    }

    fn function(&self, name: &str) -> Option<Rc<Function>> {
        self.functions.get(name).cloned()
    }

    fn lambda(&self, name: &str) -> Option<Rc<Function>> {
        self.lambdas.get(name).cloned().flatten()
    }

    fn is_inner(&self, name: &str) -> bool {
        self.inner.iter().any(|f| **f == *name)
    }

    fn type_of(&mut self, e: &Expr, env: &mut Env) -> Option<Type> {
        self.expr(e, env)
    }

    fn bends(&self, name: &str) -> bool {
        self.bent.contains(name)
    }
}

impl Infer<'_> {
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if !self.quiet && !self.findings.diagnostics.contains(&diagnostic) {
            self.findings.diagnostics.push(diagnostic);
        }
    }

    fn block(&mut self, block: &Block, env: &mut Env) {
        let mut attribute: Option<Text> = None;
        for stmt in block {
            if let StmtKind::Attribute(text) = &stmt.kind {
                attribute = Some(text.clone());
                continue;
            }
            self.statement(stmt, attribute.take(), env);
        }
    }

    fn branch(&mut self, block: &Block, env: &Env) -> Env {
        let mut inner = env.clone();
        self.block(block, &mut inner);
        inner
    }

    fn statement(&mut self, stmt: &Stmt, attribute: Option<Text>, env: &mut Env) {
        match &stmt.kind {
            StmtKind::Expr(e) => drop(self.expr(e, env)),
            StmtKind::If { arms, otherwise } => {
                let mut ends = Vec::new();
                for (condition, body) in arms {
                    self.expr(condition, env);
                    ends.push(self.branch(body, env));
                }
                ends.push(self.branch(otherwise, env));
                *env = join(ends);
            }
            StmtKind::For(f) => self.for_loop(f, attribute.as_deref(), env),
            StmtKind::While { condition, body } | StmtKind::Repeat { body, condition } => {
                self.expr(condition, env);
                self.loop_body(body, env);
            }
            StmtKind::Match { value, arms } => {
                self.expr(value, env);
                let mut ends = vec![env.clone()];
                for arm in arms {
                    arm.patterns.iter().for_each(|p| drop(self.expr(p, env)));
                    ends.push(self.branch(&arm.body, env));
                }
                *env = join(ends);
            }
            StmtKind::Try { body, name, handler } => {
                let mut ends = vec![self.branch(body, env)];
                let mut inner = join(vec![env.clone(), ends[0].clone()]);
                if let Some(name) = name {
                    inner.insert(name.clone(), Some(Type::Object));
                }
                self.block(handler, &mut inner);
                ends.push(inner);
                *env = join(ends);
            }
            StmtKind::Function(f) => self.function(f, env),
            StmtKind::Command { args, .. } => self.args(args, env),
            StmtKind::Module(m) => self.block(&m.body, env),
            _ => {}
        }
    }

    /// A body that may run any number of times: silent passes settle the types. One that changes nothing would say the same
    /// again, which matters: each loop around a loop would double its passes.
    fn loop_body(&mut self, body: &Block, env: &mut Env) {
        let quiet = std::mem::replace(&mut self.quiet, true);
        for _ in 0..2 {
            let end = self.branch(body, env);
            if !absorb(env, end) {
                break;
            }
        }
        self.quiet = quiet;
        if !quiet {
            let end = self.branch(body, env);
            absorb(env, end);
        }
    }

    fn for_loop(&mut self, f: &For, attribute: Option<&str>, env: &mut Env) {
        let over = self.expr(&f.over, env);
        let item = match &f.over.kind {
            ExprKind::Range { from, step, .. } => {
                let from = self.expr(from, env);
                let step = step.as_ref().map_or(Some(Type::INT), |s| self.expr(s, env));
                match (from, step) {
                    (Some(Type::Int(..)), Some(Type::Int(..))) => Some(Type::INT),
                    (Some(_), Some(_)) => Some(Type::SCALAR),
                    _ => None,
                }
            }
            _ => over.as_ref().and_then(element).cloned(),
        };
        let looked_at = !self.quiet && !self.device && matches!(f.over.kind, ExprKind::Range { .. });
        let judged = !self.quiet && !self.device && self.within.is_none();
        let mut parallel = false;
        if looked_at && (judged || order::has_many(f, self.library)) {
            // The types at the head are those of the entry joined with those of the end of the body.
            let mut settled = env.clone();
            settled.insert(f.name.clone(), item.clone());
            let quiet = std::mem::replace(&mut self.quiet, true);
            let end = self.branch(&f.body, &settled);
            self.quiet = quiet;
            for (name, ty) in end {
                settled.entry(name).or_insert(ty);
            }
            let verdict = par::judge(f, attribute, &settled, self);
            parallel = verdict.parallel;
            match self.within {
                Some(around) => {
                    let plan = verdict.plan.filter(|_| parallel);
                    self.findings.reserve.extend(plan.map(|plan| (f.id, (around, plan))));
                }
                None => self.found(f, verdict),
            }
        }
        self.note(f.id, &item);
        env.insert(f.name.clone(), item);
        let outer = self.within;
        self.within = if parallel { Some(f.id) } else { outer };
        self.loop_body(&f.body, env);
        self.within = outer;
        self.settle_order(f, judged);
    }

    fn function(&mut self, f: &Rc<Function>, env: &Env) {
        if self.depth > 50 {
            return;
        }
        let params: Vec<Text> = f.generics.iter().map(|g| g.0.clone()).collect();
        let mut inner = env.clone();
        for (name, written) in f.params.iter().filter_map(|p| Some((&p.name, p.ty.as_ref()?))) {
            self.note_access(name, written);
        }
        for (name, ty) in f.params.iter().map(|p| (&p.name, &p.ty)).chain(f.outputs.iter().map(|o| (&o.0, &o.1))) {
            let ty = ty.as_ref().map(|t| self.types.resolve(t, &params, &mut Vec::new()).ty);
            inner.insert(name.clone(), ty.filter(|t| !matches!(t, Type::Any) && !t.is_generic()));
        }
        // Its variables are others than those of the same names around it.
        let own: Vec<Text> =
            f.params.iter().map(|p| p.name.clone()).chain(f.outputs.iter().map(|o| o.0.clone())).collect();
        let outside = self.inner.len();
        self.inner.extend(crate::scope::Names::of_block(&f.body).functions);
        let hidden: Vec<_> = own.into_iter().map(|n| (self.lambdas.insert(n.clone(), None), n)).collect();
        let outer = (self.device, self.within);
        self.device = f.kind != FunctionKind::Host;
        self.within = None;
        self.depth += 1;
        if self.device && !f.lambda && !self.quiet {
            let found = crate::kernel::shared_bounds(f, self.library);
            self.findings.diagnostics.extend(found);
            self.findings.diagnostics.extend(crate::kernel::unsynchronised_zeros(f, self.library));
        }
        let kernels = self.kernels.clone();
        builtin::kernels(&f.body, &mut self.kernels);
        self.block(&f.body, &mut inner);
        self.kernels = kernels;
        if let Some(value) = &f.value {
            self.expr(value, &mut inner);
        }
        self.depth -= 1;
        (self.device, self.within) = outer;
        self.inner.truncate(outside);
        for (lambda, name) in hidden.into_iter().rev() {
            match lambda {
                Some(lambda) => drop(self.lambdas.insert(name, lambda)),
                None => drop(self.lambdas.remove(&name)),
            }
        }
    }

    fn args(&mut self, args: &[Arg], env: &mut Env) {
        for arg in args {
            self.expr(&arg.value, env);
        }
    }

    fn note(&mut self, id: NodeId, ty: &Option<Type>) {
        if let (false, Some(types), Some(ty)) = (self.quiet, &mut self.findings.expressions, ty) {
            types.insert(id, ty.clone());
        }
    }

    /// The type of an expression; assignments in it change `env`.
    pub fn expr(&mut self, e: &Expr, env: &mut Env) -> Option<Type> {
        let ty = self.type_of(e, env);
        self.note(e.id, &ty);
        ty
    }

    fn type_of(&mut self, e: &Expr, env: &mut Env) -> Option<Type> {
        match &e.kind {
            ExprKind::Int(v) if i32::try_from(*v).is_err() => Some(Type::Int(IntKind::I64, Fit::Checked)),
            ExprKind::Int(_) => Some(Type::INT),
            ExprKind::Float(_) => Some(Type::SCALAR),
            ExprKind::Imag(_) => Some(Type::COMPLEX),
            ExprKind::Str(_) => Some(Type::Str),
            ExprKind::Null => Some(Type::NullPointer),
            ExprKind::Name(name) => match env.get(name) {
                Some(ty) => ty.clone(),
                None => match &**name {
                    "pi" | "eps" | "inf" | "nan" => Some(Type::SCALAR),
                    "nargin" | "nargout" => Some(Type::INT),
                    _ => None,
                },
            },
            ExprKind::Unary(op, a) => {
                let a = self.expr(a, env)?;
                match (op, &a) {
                    (UnaryOp::Not, t) if t.is_number() => Some(Type::INT),
                    (UnaryOp::Not, _) => None,
                    _ => Some(a),
                }
            }
            ExprKind::Binary(op, a, b) => {
                let (x, y) = (self.expr(a, env), self.expr(b, env));
                self.check_sized(e, &x);
                self.check_sized(e, &y);
                binary(*op, x, y)
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                self.expr(a, env);
                self.expr(b, env);
                Some(Type::INT)
            }
            ExprKind::Ternary(c, a, b) => {
                self.expr(c, env);
                let (x, y) = (self.expr(a, env), self.expr(b, env));
                join_type(&x, &y)
            }
            _ => self.type_of_other(e, env),
        }
    }

    /// The type of what is no plain number, name or operator.
    fn type_of_other(&mut self, e: &Expr, env: &mut Env) -> Option<Type> {
        match &e.kind {
            ExprKind::Range { from, step, to } => {
                self.expr(from, env);
                step.iter().for_each(|s| drop(self.expr(s, env)));
                self.expr(to, env);
                Some(Type::array(1, if self.device { Type::INT } else { Type::SCALAR }))
            }
            ExprKind::Call { callee, args } => self.call(e, callee, args, env),
            ExprKind::Index { base, items } => {
                let base = self.expr(base, env);
                let kinds: Vec<_> = items.iter().map(|i| self.expr(i, env)).collect();
                index_type(base?, items, &kinds)
            }
            ExprKind::Field { base, name, .. } => match self.expr(base, env)? {
                Type::Class(c) | Type::Pointer(c) => {
                    let fields = c.fields.borrow();
                    fields.iter().find(|f| f.0 == *name).map(|f| f.1.clone())
                }
                _ => None,
            },
            ExprKind::Array(items) => {
                let types: Vec<_> = items.iter().map(|i| self.expr(i, env)).collect();
                let ints = self.device && types.iter().all(|t| matches!(t, Some(Type::Int(..))));
                array_type(types, ints)
            }
            ExprKind::Cell(items) => {
                items.iter().for_each(|i| drop(self.expr(i, env)));
                Some(Type::array(1, Type::Any))
            }
            ExprKind::Lambda(f) => {
                self.function(f, env);
                Some(Type::Function)
            }
            ExprKind::Assign { target, op, value } => self.assign(target, *op, value, env),
            ExprKind::MultiAssign { targets, value } => {
                self.assign_several(targets, value, env);
                None
            }
            ExprKind::Declare { target, ty, value } => {
                value.iter().for_each(|v| drop(self.expr(v, env)));
                self.declaration(target, ty, env);
                None
            }
            ExprKind::TypeCheck(inner, ty) => {
                self.expr(inner, env);
                let ty = self.types.resolve(ty, &[], &mut Vec::new()).ty;
                (!matches!(ty, Type::Unknown(_))).then_some(ty)
            }
            ExprKind::Sequence(items) => items.iter().fold(None, |_, i| self.expr(i, env)),
            ExprKind::Spread(inner) => {
                self.expr(inner, env);
                None
            }
            _ => None,
        }
    }

    fn declaration(&mut self, target: &Expr, ty: &TypeExpr, env: &mut Env) {
        self.note_declared(target, ty);
        let ty = self.types.resolve(ty, &[], &mut Vec::new()).ty;
        let known = !matches!(ty, Type::Any | Type::Unknown(_));
        self.store(target, known.then_some(ty), env);
    }

    /// Whole-array arithmetic on sized integer arrays needs its module.
    fn check_sized(&mut self, e: &Expr, ty: &Option<Type>) {
        let Some(Type::Array { element, .. }) = ty else { return };
        let sized = matches!(&**element, Type::Int(kind, _) if *kind != IntKind::Int);
        if sized && !self.inttypes && !self.device && !e.span.file.is_shipped() {
            let message =
                format!("whole-array arithmetic on '{element}' elements is not enabled: import \"inttypes.q\"");
            let help = "write import \"inttypes.q\" at the beginning of the program";
            self.report(Diagnostic::error("Q0321", message).at(e.span).help(help));
        }
    }

    fn call(&mut self, e: &Expr, callee: &Expr, args: &[Arg], env: &mut Env) -> Option<Type> {
        let types: Vec<Option<Type>> = args.iter().map(|a| self.expr(&a.value, env)).collect();
        match &callee.kind {
            ExprKind::Type(written) => {
                let ty = self.types.resolve(written, &[], &mut Vec::new()).ty;
                if let Type::Array { element, .. } = &ty
                    && matches!(**element, Type::Class(_) | Type::Pointer(_))
                {
                    let message = format!("'{ty}' cannot be constructed directly: define a type first");
                    let help = format!("type {}_vec : {ty}", element.to_string().trim_start_matches('^'));
                    self.report(Diagnostic::error("Q0216", message).at(e.span).help(help));
                }
                Some(ty).filter(|t| t.unknown_name().is_none())
            }
            ExprKind::Name(name) if !env.contains_key(name) && !self.functions.contains_key(name) => {
                if self.library.meaning(name) == Meaning::Launch {
                    self.check_launch(args, &types);
                    self.check_count(e.span, args, env);
                }
                self.builtin(name, args, &types)
            }
            ExprKind::Name(name) => {
                let f = self.functions.get(name)?;
                let (_, ty) = f.outputs.first()?;
                let ty = self.types.resolve(ty.as_ref()?, &[], &mut Vec::new()).ty;
                Some(ty).filter(|t| !t.is_generic() && !matches!(t, Type::Any | Type::Unknown(_)))
            }
            _ => {
                self.expr(callee, env);
                None
            }
        }
    }
}
