//! What the body of a loop does to scalars and arrays.

use super::advice::{Kind, Reason};
use super::alias::OtherNames;
use super::counter::breaks;
use super::pattern::{class, conditional, continues, keeps_unless, reduction};
use super::program::Program;
pub(super) use super::uses::{Access, Scalar};
use crate::meaning::{Library, Meaning};
use crate::scope::Names;
use crate::types::Env;
use crate::types::Type;
use quadra_base::Span;
use quadra_quasar_syntax::ast::{Arg, BinaryOp, Block, Expr, ExprKind, Stmt, StmtKind, Text};
use quadra_quasar_syntax::pretty;
use std::collections::{HashMap, HashSet};

pub struct Body<'a> {
    pub(super) library: &'static Library,
    env: &'a Env,
    /// Variables that not every iteration sets.
    pub(super) maybe: Vec<Text>,
    pub(super) reasons: Vec<Reason>,
    pub(super) scalars: HashMap<Text, Scalar>,
    pub(super) accesses: Vec<Access>,
    /// Arrays that are read as a whole, and where first.
    pub(super) whole_reads: HashMap<Text, Option<Span>>,
    /// The place in the program that is looked at.
    pub(super) here: Option<Span>,
    /// Vectors assigned as `ind2pos(size, variable)`: the variable, and the size.
    pub(super) positions: HashMap<Text, (Text, Expr)>,
    pub(super) other_names: OtherNames,
    pub(super) assigned: Names,
    pub(super) loops: Vec<Text>,
    /// Variables that only inner loops assign.
    pub(super) inner_variables: HashSet<Text>,
    /// Inner loops and what they go over.
    pub(super) inner_heads: Vec<(Text, Expr)>,
    pub(super) open: Vec<Text>,
    pub(super) guards: Vec<(Expr, bool)>,
    pub(super) inner_loops: u32,
    /// Written arrays of which subscripts outside may mean elements.
    pub(super) bent: HashSet<Text>,
    /// Functions that were looked into, and the numbers of the parameters whose elements they change.
    pub(super) called: HashMap<Text, Vec<usize>>,
    /// Whether it is the body of a function that a loop calls, which `return` ends.
    pub(super) of_function: bool,
}

impl<'a> Body<'a> {
    /// Walks the body of the innermost loop of the grid.
    pub fn collect(block: &Block, loops: &[Text], env: &'a Env, program: &mut dyn Program) -> Body<'a> {
        let mut body =
            Body { assigned: Names::of_block(block), loops: loops.to_vec(), ..Body::empty(env, program.library()) };
        let mut defined: HashSet<Text> = loops.iter().cloned().collect();
        body.block(block, &mut defined, program);
        body.refuse_other_names(program);
        let written = body.accesses.iter().filter(|a| a.write && program.bends(&a.array));
        body.bent = written.map(|a| a.array.clone()).collect();
        if continues(block) || breaks(block) {
            defined.clear();
        }
        defined.extend(super::counter::counters(block).into_keys());
        let set = |s: &Scalar| s.plain_write && s.is_private();
        let maybe = body.scalars.iter().filter(|(n, s)| set(s) && !defined.contains(*n) && !loops.contains(n));
        body.maybe = maybe.map(|s| s.0.clone()).collect();
        body.maybe.sort();
        body
    }

    pub(super) fn hard(&mut self, text: impl Into<String>) {
        let reason = Reason::new(Kind::Hard, text);
        self.reasons.push(reason.also(self.here, "here"));
    }

    fn leaves(&mut self, text: &str) {
        let reason = Reason::new(Kind::InOrder, text);
        self.reasons.push(reason.also(self.here, "here"));
    }

    pub(super) fn block(&mut self, block: &Block, defined: &mut HashSet<Text>, program: &mut dyn Program) {
        for stmt in block {
            self.statement(stmt, defined, program);
        }
    }

    fn statement(&mut self, stmt: &Stmt, defined: &mut HashSet<Text>, program: &mut dyn Program) {
        self.here = Some(stmt.span);
        match &stmt.kind {
            StmtKind::Expr(e) => match &e.kind {
                ExprKind::Assign { target, op, value } => self.assign(target, *op, value, false, defined, program),
                _ => self.expr(e, defined, program),
            },
            StmtKind::If { arms, otherwise } if otherwise.is_empty() && conditional(arms).is_some() => {
                self.extreme(arms, defined, program);
            }
            StmtKind::If { arms, otherwise } if self.keeps_extreme(arms, otherwise, defined, program) => {}
            StmtKind::If { arms, otherwise } => self.branches(arms, otherwise, defined, program),
            StmtKind::For(f) => self.counted(f, defined, program),
            StmtKind::While { condition, body } => {
                self.expr(condition, defined, program);
                self.inner_loops += 1;
                self.block(body, &mut defined.clone(), program);
                self.inner_loops -= 1;
            }
            StmtKind::Repeat { body, condition } => self.repeated(body, condition, defined, program),
            StmtKind::Match { value, arms } => self.choice(value, arms, defined, program),
            StmtKind::Break if self.inner_loops == 0 => self.leaves("'break' leaves it"),
            StmtKind::Continue if self.inner_loops == 0 => {}
            StmtKind::Command { name, .. } => self.hard(format!("it calls '{name}'")),
            StmtKind::Try { .. } => self.hard("it contains 'try'"),
            StmtKind::Return if self.of_function => {}
            StmtKind::Return => self.leaves("'return' leaves it"),
            StmtKind::Function(f) => self.hard(format!("it defines the function '{}'", f.name)),
            StmtKind::TypeDef(_) | StmtKind::Import(_) | StmtKind::Module(_) => self.hard("it contains a definition"),
            StmtKind::Sync { .. } => self.hard("it contains a barrier"),
            _ => {}
        }
    }

    /// `if e > v` and `v = e` in it.
    fn extreme(&mut self, arms: &[(Expr, Block)], defined: &mut HashSet<Text>, program: &mut dyn Program) {
        let Some((name, e, class)) = conditional(arms) else { return };
        self.expr(e, defined, program);
        if defined.contains(name) || self.loops.contains(name) {
            self.read(name, defined);
            return self.write_scalar(name);
        }
        self.check_type(name);
        self.scalar(name).updates.insert(class);
    }

    pub(super) fn scalar(&mut self, name: &Text) -> &mut Scalar {
        self.scalars.entry(name.clone()).or_default()
    }

    pub(super) fn write_scalar(&mut self, name: &Text) {
        if self.loops.contains(name) {
            let text = format!("the loop variable '{name}' is assigned in the body");
            let reason = Reason::dependency(text).also(self.here, "here");
            self.reasons
                .push(reason.help("use a variable of another name: the iterations of a loop are those of its range"));
        }
        self.inner_variables.remove(name);
        self.other_names.set(name);
        let here = self.here;
        let scalar = self.scalar(name);
        scalar.plain_write = true;
        scalar.set_at = here;
    }

    /// The type of a variable, if it is known.
    pub(super) fn type_of(&self, name: &str) -> Option<&Type> {
        self.env.get(name).and_then(|t| t.as_ref())
    }

    pub(super) fn env_has(&self, name: &str) -> bool {
        self.env.contains_key(name)
    }

    /// The types of the variables around the loop.
    pub(super) fn types(&self) -> Env {
        self.env.clone()
    }

    /// A variable is read as a whole.
    fn read(&mut self, name: &Text, defined: &HashSet<Text>) {
        self.check_type(name);
        if self.assigned.assigns(name) {
            let exposed = !defined.contains(name);
            self.note_read(name, exposed);
        }
        self.whole_reads.entry(name.clone()).or_insert(self.here);
    }

    /// Only values whose types a kernel can have. What a variable holds that the loop does not assign is seen when it begins, as
    /// with parameters without a type.
    pub(super) fn check_type(&mut self, name: &Text) {
        let Some(Some(ty)) = self.env.get(name) else { return };
        let unknown = match ty {
            Type::Any => self.assigned.assigns(name),
            Type::Array { element, .. } => matches!(**element, Type::Any),
            _ => false,
        };
        if unknown {
            let reason = Reason::new(Kind::Unknown, format!("the type of '{name}' is not known ({ty})"));
            self.reasons
                .push(reason.also(self.here, "here").help(format!("declare its type: {name} : vec[scalar] = …")));
        }
        if matches!(ty, Type::Str | Type::Object) {
            self.hard(format!("'{name}' is a '{ty}'"));
        }
        if let Type::Array { element, .. } = ty
            && matches!(**element, Type::Array { .. } | Type::Str | Type::Object)
        {
            self.hard(format!("'{name}' is a '{ty}'"));
        }
    }

    pub(super) fn expr(&mut self, e: &Expr, defined: &mut HashSet<Text>, program: &mut dyn Program) {
        match &e.kind {
            ExprKind::Name(name) => {
                self.here = Some(e.span);
                self.read(name, defined);
            }
            ExprKind::Str(_) => self.hard("it uses a string"),
            ExprKind::Cell(_) => self.hard("it makes a cell"),
            ExprKind::Lambda(_) => self.hard("it defines a lambda expression"),
            ExprKind::Unary(_, a) | ExprKind::TypeCheck(a, _) | ExprKind::Spread(a) => self.expr(a, defined, program),
            ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b) if self.compares_texts(a, b) => {}
            ExprKind::Binary(_, a, b) => {
                self.expr(a, defined, program);
                self.expr(b, defined, program);
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                self.expr(a, defined, program);
                self.expr(b, &mut defined.clone(), program);
            }
            ExprKind::Ternary(a, b, c) => {
                self.expr(a, defined, program);
                self.expr(b, &mut defined.clone(), program);
                self.expr(c, &mut defined.clone(), program);
            }
            ExprKind::Range { from, step, to } => {
                self.expr(from, defined, program);
                if let Some(step) = step {
                    self.expr(step, defined, program);
                }
                self.expr(to, defined, program);
            }
            ExprKind::Array(items) | ExprKind::Sequence(items) => {
                items.iter().for_each(|i| self.expr(i, defined, program));
            }
            ExprKind::Index { base, items } => self.index(base, items, None, false, defined, program),
            ExprKind::Field { base, .. } => self.expr(base, defined, program),
            ExprKind::Call { callee, args } => self.call(callee, args, defined, program),
            ExprKind::Assign { target, op, value } => self.assign(target, *op, value, true, defined, program),
            ExprKind::MultiAssign { targets, value } => {
                self.expr(value, defined, program);
                self.other_names.assign_all(targets, value, self.library);
                for target in targets {
                    self.assign_target(target, defined, program);
                }
            }
            ExprKind::Declare { target, value, .. } => {
                if let Some(value) = value {
                    self.expr(value, defined, program);
                    self.other_names.assign(target, value, self.library);
                }
                self.assign_target(target, defined, program);
            }
            _ => {}
        }
    }

    fn index(
        &mut self,
        base: &Expr,
        items: &[Expr],
        update: Option<char>,
        write: bool,
        defined: &mut HashSet<Text>,
        program: &mut dyn Program,
    ) {
        for item in items {
            match &item.kind {
                ExprKind::Colon => {}
                _ => self.expr(item, defined, program),
            }
        }
        let ExprKind::Name(name) = &base.kind else {
            if write {
                let text =
                    format!("'{}', whose elements it writes, is not the name of an array", pretty::expression(base));
                self.reasons.push(Reason::dependency(text).help("give the array a name before the loop"));
            }
            return self.expr(base, defined, program);
        };
        self.check_type(name);
        if self.assigned.assigns(name) {
            let exposed = !defined.contains(name);
            self.here = Some(base.span);
            self.note_read(name, exposed);
            if write {
                self.other_names.store(name);
            }
            if !exposed {
                return;
            }
        }
        self.accesses.push(Access {
            array: name.clone(),
            items: items.to_vec(),
            span: items.last().map_or(base.span, |i| base.span.to(i.span)),
            update,
            write,
            inner: self.open.clone(),
            guards: self.guards.clone(),
        });
    }

    fn assign_target(&mut self, target: &Expr, defined: &mut HashSet<Text>, program: &mut dyn Program) {
        match &target.kind {
            ExprKind::Name(name) => {
                self.write_scalar(name);
                defined.insert(name.clone());
            }
            ExprKind::TypeCheck(inner, _) => self.assign_target(inner, defined, program),
            ExprKind::Index { base, items } => self.index(base, items, None, true, defined, program),
            ExprKind::Field { base, .. } => {
                self.expr(base, defined, program);
                let reason =
                    Reason::dependency("different iterations may write the same field").also(self.here, "here");
                self.reasons.push(reason.help("keep it in a variable, and store that to the field after the loop"));
            }
            _ => {}
        }
    }

    /// An assignment; `looked_at` if its value is used, too.
    fn assign(
        &mut self,
        target: &Expr,
        op: Option<BinaryOp>,
        value: &Expr,
        looked_at: bool,
        defined: &mut HashSet<Text>,
        program: &mut dyn Program,
    ) {
        let ExprKind::Name(name) = &target.kind else {
            self.expr(value, defined, program);
            if let (Some(op), ExprKind::Index { base, items }) = (op, &target.kind) {
                let update = class(op).filter(|_| !looked_at);
                return self.index(base, items, update, true, defined, program);
            }
            return self.assign_target(target, defined, program);
        };
        let int = |t: Option<&Type>| matches!(t, Some(Type::Int(..)));
        let update = match op {
            Some(op) => class(op).map(|c| (c, value)),
            // A NaN would be taken by the iteration that sees it, and lost again by the next.
            None => {
                reduction(name, value, self.library).filter(|_| !self.calls_own(value, program)).filter(|(_, e)| {
                    let mut ints =
                        || int(self.type_of(name)) && int(program.type_of(e, &mut self.env.clone()).as_ref());
                    !keeps_unless(name, value) || ints()
                })
            }
        };
        if let (Some((class, e)), false) = (update, defined.contains(name)) {
            self.expr(e, defined, program);
            self.check_type(name);
            if program.type_of(e, &mut self.env.clone()).is_some_and(|t| matches!(t, Type::Array { .. })) {
                self.hard(format!("'{name}' accumulates arrays"));
            }
            if self.loops.contains(name) {
                self.write_scalar(name);
            }
            let scalar = self.scalar(name);
            scalar.updates.insert(class);
            scalar.set_at = Some(target.span);
            scalar.compound |= op.is_some();
            scalar.other_read |= looked_at;
            return;
        }
        if op.is_some() {
            self.read(name, defined);
        }
        self.expr(value, defined, program);
        self.other_names.assign(target, value, self.library);
        if let (None, Some(variable)) = (op, self.position_vector(value)) {
            self.positions.insert(name.clone(), variable);
        } else {
            self.positions.remove(name);
        }
        self.here = Some(target.span);
        self.write_scalar(name);
        defined.insert(name.clone());
    }

    fn call(&mut self, callee: &Expr, args: &[Arg], defined: &mut HashSet<Text>, program: &mut dyn Program) {
        let ExprKind::Name(name) = &callee.kind else {
            args.iter().for_each(|a| self.expr(&a.value, defined, program));
            let makes = match &callee.kind {
                ExprKind::Type(ty) => {
                    let array = || args.iter().all(|a| self.is_steady_length(a));
                    !(super::lengths::is_number(ty) || super::fresh::is_kept_exactly(ty) && array())
                }
                ExprKind::Field { .. } => true,
                _ => false,
            };
            if makes {
                self.hard("it calls a method or makes an array");
            }
            return;
        };
        if self.library.meaning(name).measures() && !self.env.contains_key(name) {
            for arg in args {
                match &arg.value.kind {
                    // Elements do not matter, but the array that the iteration before has put there does.
                    ExprKind::Name(n) if self.assigned.assigns(n) => {
                        self.here = Some(arg.value.span);
                        self.note_read(n, !defined.contains(n));
                    }
                    ExprKind::Name(_) => {}
                    _ => self.expr(&arg.value, defined, program),
                }
            }
            return;
        }
        let args: Vec<&Arg> = args.iter().filter(|a| !self.is_message(name, a)).collect();
        args.iter().for_each(|a| self.expr(&a.value, defined, program));
        self.here = Some(callee.span);
        if self.env.contains_key(name) {
            let Some(lambda) = program.lambda(name) else {
                return self.hard(format!("it calls '{name}', which is not known"));
            };
            return self.callee(name, &lambda, &args, program);
        }
        if program.is_inner(name) {
            return self.hard(format!("it calls '{name}', which is defined within a function"));
        }
        if let Some(function) = program.function(name) {
            return self.callee(name, &function, &args, program);
        }
        if self.library.allocates(name) {
            if !args.iter().all(|a| self.is_steady_length(a)) {
                self.hard("it allocates an array whose size is not constant");
            }
            return;
        }
        if !self.library.works_on_device(name) && self.library.meaning(name) != Meaning::Error {
            self.hard(format!("it calls '{name}'"));
        }
    }

    pub(super) fn empty(env: &'a Env, library: &'static Library) -> Body<'a> {
        Body {
            env,
            library,
            maybe: Vec::new(),
            reasons: Vec::new(),
            scalars: HashMap::new(),
            accesses: Vec::new(),
            whole_reads: HashMap::new(),
            here: None,
            positions: HashMap::new(),
            other_names: OtherNames::default(),
            assigned: Names::default(),
            loops: Vec::new(),
            inner_variables: HashSet::new(),
            inner_heads: Vec::new(),
            open: Vec::new(),
            guards: Vec::new(),
            inner_loops: 0,
            bent: HashSet::new(),
            called: HashMap::new(),
            of_function: false,
        }
    }
}
