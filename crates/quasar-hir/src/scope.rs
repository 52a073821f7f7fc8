//! Which names a function assigns and which it mentions. Blocks open no scopes, so a name is one variable in the whole
//! function; what inner functions and lambdas mention counts as mentioned here, because it has to be handed to them.

use quadra_base::quick::Set;
use quadra_quasar_syntax::ast::{
    APPEND, Arg, Block, EMPTIED, Expr, ExprKind, For, Function, NodeId, StmtKind, Text, asked,
};

/// Names of a function body.
#[derive(Debug, Default)]
pub struct Names {
    /// Assigned here, in the order of their first assignment.
    pub assigned: Vec<Text>,
    /// Mentioned here or inside.
    pub mentioned: Vec<Text>,
    /// Arrays of which elements are assigned here.
    pub stored: Vec<Text>,
    /// Objects of which fields are assigned here, not only those of an element.
    pub fielded: Vec<Text>,
    /// Functions defined here.
    pub functions: Vec<Text>,
    /// Something is assigned here.
    changes: bool,
    seen_assigned: Set<Text>,
    /// Assigned something that has elements.
    made: Set<Text>,
    seen_mentioned: Set<Text>,
    called: Set<Text>,
    /// Variables of which it is asked whether they exist.
    asked: Set<Text>,
    /// Variables of which the text has a store of an element before anything else.
    begun: Set<Text>,
    /// Mentioned here, not in a function or lambda within, whose own variables may have the same names.
    here: Set<Text>,
}

/// What a host function may ask about its call.
pub const COUNTS: [&str; 2] = ["nargin", "nargout"];

impl Names {
    /// Names in the body of a function or lambda, its parameters and outputs not counted as assigned.
    pub fn of_function(function: &Function) -> Names {
        let mut names = Names::default();
        for param in &function.params {
            if let Some(default) = &param.default {
                names.expr(default);
            }
        }
        names.block(&function.body);
        if let Some(value) = &function.value {
            names.expr(value);
        }
        names
    }

    /// Names of the statements of a program.
    pub fn of_block(block: &Block) -> Names {
        let mut names = Names::default();
        names.block(block);
        names
    }

    /// Names of a single expression.
    pub fn of_expr(expr: &Expr) -> Names {
        let mut names = Names::default();
        names.expr(expr);
        names
    }

    /// Whether nothing is assigned, not even an element or a field.
    pub fn changes_nothing(&self) -> bool {
        !self.changes
    }

    pub fn assigns(&self, name: &str) -> bool {
        self.seen_assigned.contains(name)
    }

    /// Whether something else than an empty array is assigned. Elements of what only begins empty can come from stores alone.
    pub fn makes(&self, name: &str) -> bool {
        self.made.contains(name)
    }

    /// Whether the text has a store of an element before anything else of this variable. What is assigned later cannot be there yet.
    pub fn begins_by_store(&self, name: &str) -> bool {
        self.begun.contains(name)
    }

    pub fn mentions(&self, name: &str) -> bool {
        self.seen_mentioned.contains(name)
    }

    /// Whether a function or lambda of this name is called, here or inside.
    pub fn calls(&self, name: &str) -> bool {
        self.called.contains(name)
    }

    /// Whether a call may leave this parameter out, because the function asks which were given.
    pub fn may_miss(&self, parameter: &str) -> bool {
        self.asked.contains(parameter) || (self.mentions(COUNTS[0]) && !self.assigns(COUNTS[0]))
    }

    /// Which of the two [`COUNTS`] the function asks for.
    pub fn counts(&self) -> [bool; 2] {
        COUNTS.map(|name| self.mentions(name) && !self.assigns(name))
    }

    fn assign(&mut self, name: &Text) {
        self.made.insert(name.clone());
        self.begin(name);
    }

    fn begin(&mut self, name: &Text) {
        if self.seen_assigned.insert(name.clone()) {
            self.assigned.push(name.clone());
        }
    }

    fn mention(&mut self, name: &Text) {
        if self.seen_mentioned.insert(name.clone()) {
            self.mentioned.push(name.clone());
        }
    }

    pub fn block(&mut self, block: &Block) {
        for stmt in block {
            match &stmt.kind {
                StmtKind::Expr(e) => self.expr(e),
                StmtKind::If { arms, otherwise } => {
                    for (condition, body) in arms {
                        self.expr(condition);
                        self.block(body);
                    }
                    self.block(otherwise);
                }
                StmtKind::For(f) => {
                    self.expr(&f.over);
                    self.assign(&f.name);
                    self.block(&f.body);
                }
                StmtKind::While { condition, body } | StmtKind::Repeat { body, condition } => {
                    self.expr(condition);
                    self.block(body);
                }
                StmtKind::Match { value, arms } => {
                    self.expr(value);
                    for arm in arms {
                        arm.patterns.iter().for_each(|p| self.expr(p));
                        self.block(&arm.body);
                    }
                }
                StmtKind::Try { body, name, handler } => {
                    self.block(body);
                    if let Some(name) = name {
                        self.assign(name);
                    }
                    self.block(handler);
                }
                StmtKind::Function(f) => {
                    self.functions.push(f.name.clone());
                    self.inner(f);
                }
                StmtKind::Command { args, .. } => self.args(args),
                StmtKind::Module(module) => self.block(&module.body),
                _ => {}
            }
        }
    }

    fn inner(&mut self, function: &Function) {
        let names = Names::of_function(function);
        for name in names.mentioned.iter().chain(&names.assigned) {
            // A function counts its own arguments, a lambda has those of the function around it.
            if !function.lambda && COUNTS.contains(&&**name) {
                continue;
            }
            if !function.params.iter().any(|p| p.name == *name) {
                self.mention(name);
            }
        }
        self.called.extend(names.called);
    }

    fn args(&mut self, args: &[Arg]) {
        args.iter().for_each(|a| self.expr(&a.value));
    }

    fn target(&mut self, target: &Expr) {
        self.changes = true;
        match &target.kind {
            ExprKind::Name(name) => self.assign(name),
            ExprKind::TypeCheck(inner, _) => self.target(inner),
            ExprKind::Index { .. } | ExprKind::Field { .. } => {
                let (names, name) = match root(target) {
                    Some(Root::Element(name, _)) => {
                        if !self.seen_assigned.contains(name) && !self.here.contains(name) {
                            self.begun.insert(name.clone());
                        }
                        (&mut self.stored, name)
                    }
                    Some(Root::Object(name)) => (&mut self.fielded, name),
                    None => return self.expr(target),
                };
                if !names.contains(name) {
                    names.push(name.clone());
                }
                self.expr(target);
            }
            _ => self.expr(target),
        }
    }

    pub fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Name(name) => {
                self.here.insert(name.clone());
                self.mention(name);
            }
            ExprKind::Unary(_, a) | ExprKind::Spread(a) | ExprKind::TypeCheck(a, _) => self.expr(a),
            ExprKind::Binary(_, a, b) | ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Ternary(a, b, c) => {
                self.expr(a);
                self.expr(b);
                self.expr(c);
            }
            ExprKind::Range { from, step, to } => {
                self.expr(from);
                if let Some(step) = step {
                    self.expr(step);
                }
                self.expr(to);
            }
            ExprKind::Call { callee, args } => {
                if let ExprKind::Name(name) = &callee.kind {
                    self.called.insert(name.clone());
                }
                if let Some((name, _)) = asked(callee, args) {
                    self.mention(name);
                    self.asked.insert(name.clone());
                }
                self.expr(callee);
                self.args(args);
            }
            ExprKind::Index { base, items } => {
                self.expr(base);
                items.iter().for_each(|i| self.expr(i));
            }
            ExprKind::Field { base, .. } => self.expr(base),
            ExprKind::Array(items) | ExprKind::Cell(items) | ExprKind::Sequence(items) => {
                items.iter().for_each(|i| self.expr(i));
            }
            ExprKind::Lambda(f) => self.inner(f),
            ExprKind::Assign { target, op, value } => {
                self.expr(value);
                if op.is_some() {
                    self.expr(target);
                }
                match &target.kind {
                    ExprKind::Name(name) if op.is_none() && (is_empty(value) || resizes(value, name)) => {
                        self.changes = true;
                        self.begin(name);
                    }
                    _ => self.target(target),
                }
            }
            ExprKind::MultiAssign { targets, value } => {
                self.expr(value);
                targets.iter().for_each(|t| self.target(t));
            }
            ExprKind::Declare { target, value, .. } => {
                if let Some(value) = value {
                    self.expr(value);
                }
                self.target(target);
            }
            _ => {}
        }
    }
}

/// The variable that a store changes.
pub enum Root<'a> {
    /// An element is stored, or a field of an element: the element's indices.
    Element(&'a Text, &'a [Expr]),
    /// A field is stored, or a field of a field.
    Object(&'a Text),
}

/// The variable of `x[i] = v`, `x[i].a = v`, `x.a = v`, `x.a.b = v`.
pub fn root(target: &Expr) -> Option<Root<'_>> {
    match &target.kind {
        ExprKind::Index { base, items } => match &base.kind {
            ExprKind::Name(name) => Some(Root::Element(name, items)),
            _ => None,
        },
        ExprKind::Field { base, .. } => match &base.kind {
            ExprKind::Name(name) => Some(Root::Object(name)),
            _ => root(base),
        },
        _ => None,
    }
}

/// Whether an expression is the literal of an array or cell without elements.
fn is_empty(e: &Expr) -> bool {
    matches!(&e.kind, ExprKind::Array(items) | ExprKind::Cell(items) if items.is_empty())
}

/// Whether this is the same array with elements added or taken out, as `x[end+1] = v` and `x[k] = []` are written.
fn resizes(value: &Expr, name: &Text) -> bool {
    let ExprKind::Call { callee, args } = &value.kind else { return false };
    let calls = matches!(&callee.kind, ExprKind::Name(n) if matches!(&**n, APPEND | EMPTIED));
    calls && matches!(args.first(), Some(Arg { value: Expr { kind: ExprKind::Name(n), .. }, .. }) if n == name)
}

/// Whether a loop over a range in a block satisfies a condition.
pub fn any_loop(block: &Block, found: &dyn Fn(&For) -> bool) -> bool {
    block.iter().any(|stmt| match &stmt.kind {
        StmtKind::For(f) => found(f) || any_loop(&f.body, found),
        StmtKind::If { arms, otherwise } => arms.iter().any(|a| any_loop(&a.1, found)) || any_loop(otherwise, found),
        StmtKind::While { body, .. } | StmtKind::Repeat { body, .. } => any_loop(body, found),
        StmtKind::Match { arms, .. } => arms.iter().any(|a| any_loop(&a.body, found)),
        StmtKind::Try { body, handler, .. } => any_loop(body, found) || any_loop(handler, found),
        _ => false,
    })
}

/// Adds the names that loops around the loop `id` assign, their own variables among them.
pub fn set_around(block: &Block, id: NodeId, names: &mut Names) {
    let has = |block: &Block| any_loop(block, &|f| f.id == id);
    for stmt in block {
        match &stmt.kind {
            StmtKind::For(f) if f.id != id && has(&f.body) => names.block(&vec![stmt.clone()]),
            StmtKind::While { body, .. } | StmtKind::Repeat { body, .. } if has(body) => names.block(body),
            StmtKind::If { arms, otherwise } => {
                arms.iter().for_each(|a| set_around(&a.1, id, names));
                set_around(otherwise, id, names);
            }
            StmtKind::Match { arms, .. } => arms.iter().for_each(|a| set_around(&a.body, id, names)),
            StmtKind::Try { body, handler, .. } => {
                set_around(body, id, names);
                set_around(handler, id, names);
            }
            _ => {}
        }
    }
}
