//! What is certain to go wrong when a program runs, whatever its data are: sizes that contradict, constant indices outside of
//! arrays, fields that a class does not have. The pass follows the statements that are certain to run, with the sizes of arrays as
//! far as the text says them; what stands under a condition that it cannot decide, or in `try`, is left to the run.

use super::declare::TypeTable;
use super::scope::Names;
use super::types::ClassDef;
use crate::meaning::{Library, Meaning};
use quadra_base::quick::{Map, Set};
use quadra_base::{Diagnostic, Span};
use quadra_quasar_syntax::ast::{
    Arg, Block, Expr, ExprKind, For, Function, FunctionKind, NodeId, Stmt, StmtKind, Text, TypeExpr, UnaryOp,
};
use std::rc::Rc;

mod calls;
mod shapes;

/// Calls that are followed, and how deep.
const MOST_CALLS: usize = 1000;
const DEEPEST: usize = 12;

/// Lengths of an array, at least two; none where the text does not say.
pub type Shape = Vec<Option<usize>>;

/// What is known of a value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Known {
    Int(i64),
    Number,
    Array(Shape),
    Object(Text),
    Other,
}

/// A place on the way.
#[derive(Clone)]
pub(super) struct State {
    env: Map<Text, Known>,
    /// Variables with an access mode of their own.
    moded: Set<Text>,
    /// Every run comes by.
    sure: bool,
    /// Reads outside give 0.
    safe: bool,
}

pub(super) struct Certain<'a> {
    types: &'a TypeTable,
    library: &'a Library,
    /// Functions by name; none where there are several.
    functions: Map<Text, Option<Rc<Function>>>,
    safe_loops: &'a Set<NodeId>,
    found: Vec<Diagnostic>,
    calls: usize,
    depth: usize,
    seen: Set<NodeId>,
    /// Sizes of the arrays in variables, where each of them stands, if they were asked for.
    sizes: Option<Map<NodeId, Shape>>,
    /// Only at this depth of calls what holds is what every run finds there.
    noted_at: usize,
    /// What the loops around assign: behind the first iteration it may have another size.
    varying: Vec<Names>,
}

/// The errors that every run of a program meets, and those that every call of one of its functions meets; with `sizes` also the sizes
/// of the arrays in variables, where these stand.
pub fn program(
    types: &TypeTable,
    library: &Library,
    block: &Block,
    known: &[Rc<Function>],
    safe_loops: &Set<NodeId>,
    sizes: bool,
) -> (Vec<Diagnostic>, Map<NodeId, Shape>) {
    let mut functions: Map<Text, Option<Rc<Function>>> = Map::default();
    known.iter().for_each(|f| drop(functions.insert(f.name.clone(), Some(f.clone()))));
    let mut own = Vec::new();
    gather(block, &mut own);
    for f in &own {
        let first = !own.iter().any(|g| g.name == f.name && !Rc::ptr_eq(f, g));
        functions.insert(f.name.clone(), first.then(|| f.clone()));
    }
    let mut pass = Certain {
        types,
        library,
        functions,
        safe_loops,
        found: Vec::new(),
        calls: 0,
        depth: 0,
        seen: Set::default(),
        sizes: sizes.then(Map::default),
        noted_at: 0,
        varying: Vec::new(),
    };
    let mut state = State { env: Map::default(), moded: Set::default(), sure: true, safe: false };
    pass.block(block, &mut state);
    if let Some(Some(main)) = pass.functions.get("main").cloned() {
        pass.call(&main, &[], &mut state, main.span);
    }
    pass.noted_at = 1;
    for f in own.iter().filter(|f| f.kind == FunctionKind::Host) {
        let sure = !pass.seen.contains(&f.id);
        if sure || sizes {
            let mut state = State { env: Map::default(), moded: Set::default(), sure, safe: false };
            pass.call(f, &[], &mut state, f.span);
        }
    }
    let mut found = pass.found;
    found.dedup();
    (found, pass.sizes.unwrap_or_default())
}

fn gather(block: &Block, out: &mut Vec<Rc<Function>>) {
    for stmt in block {
        match &stmt.kind {
            StmtKind::Function(f) => out.push(f.clone()),
            StmtKind::Module(m) => gather(&m.body, out),
            _ => {}
        }
    }
}

/// Whether statements may leave the block that they stand in.
fn leaves(block: &[Stmt], library: &Library) -> bool {
    block.iter().any(|s| match &s.kind {
        StmtKind::Break | StmtKind::Continue | StmtKind::Return => true,
        StmtKind::Command { name, .. } => library.meaning(name) == Meaning::Error,
        StmtKind::Expr(e) => library.any_means(&Names::of_expr(e).mentioned, &[Meaning::Exit, Meaning::Error]),
        StmtKind::If { arms, otherwise } => arms.iter().any(|a| leaves(&a.1, library)) || leaves(otherwise, library),
        StmtKind::For(f) => returns(&f.body, library),
        StmtKind::While { body, .. } | StmtKind::Repeat { body, .. } => returns(body, library),
        StmtKind::Match { arms, .. } => arms.iter().any(|a| leaves(&a.body, library)),
        StmtKind::Try { body, handler, .. } => leaves(body, library) || leaves(handler, library),
        _ => false,
    })
}

/// The same for a loop, whose own exits end it only.
fn returns(block: &[Stmt], library: &Library) -> bool {
    block.iter().any(|s| match &s.kind {
        StmtKind::Break | StmtKind::Continue => false,
        StmtKind::If { arms, otherwise } => arms.iter().any(|a| returns(&a.1, library)) || returns(otherwise, library),
        StmtKind::Match { arms, .. } => arms.iter().any(|a| returns(&a.body, library)),
        _ => leaves(std::slice::from_ref(s), library),
    })
}

impl Certain<'_> {
    fn block(&mut self, block: &Block, state: &mut State) {
        block.iter().for_each(|s| self.statement(s, state));
    }

    fn wrong(&mut self, state: &mut State, diagnostic: Diagnostic) {
        if state.sure {
            self.found.push(diagnostic);
        }
        // Nothing behind it is reached.
        state.sure = false;
    }

    /// What a block assigns is not known any more.
    fn forget(&mut self, block: &Block, state: &mut State) {
        for name in Names::of_block(block).assigned {
            state.env.remove(&name);
        }
    }

    fn statement(&mut self, stmt: &Stmt, state: &mut State) {
        match &stmt.kind {
            StmtKind::Expr(e) => drop(self.expr(e, state)),
            StmtKind::Command { name, args } => {
                self.arguments(args, state);
                state.sure &= self.library.meaning(name) != Meaning::Error;
            }
            StmtKind::If { arms, otherwise } => self.branches(arms, otherwise, state),
            StmtKind::For(f) => self.for_loop(f, state),
            StmtKind::While { condition, body } => {
                self.expr(condition, state);
                self.forget(body, state);
                state.sure &= !returns(body, self.library);
            }
            StmtKind::Repeat { body, .. } => self.turn(body, state),
            StmtKind::Match { value, arms } => {
                self.expr(value, state);
                arms.iter().for_each(|a| self.forget(&a.body, state));
                state.sure &= !arms.iter().any(|a| leaves(&a.body, self.library));
            }
            StmtKind::Try { body, handler, .. } => {
                self.forget(body, state);
                self.forget(handler, state);
                state.sure &= !(leaves(body, self.library) || leaves(handler, self.library));
            }
            StmtKind::Break | StmtKind::Continue | StmtKind::Return => state.sure = false,
            StmtKind::Module(m) => self.block(&m.body, state),
            _ => {}
        }
    }

    fn branches(&mut self, arms: &[(Expr, Block)], otherwise: &Block, state: &mut State) {
        for (condition, body) in arms {
            match self.expr(condition, state) {
                Known::Int(0) => {}
                Known::Int(_) => return self.block(body, state),
                _ => {
                    arms.iter().for_each(|a| self.forget(&a.1, state));
                    self.forget(otherwise, state);
                    state.sure &= !(arms.iter().any(|a| leaves(&a.1, self.library)) || leaves(otherwise, self.library));
                    return;
                }
            }
        }
        self.block(otherwise, state);
    }

    /// A loop over constants that are some runs its body with the first of them.
    fn for_loop(&mut self, f: &For, state: &mut State) {
        let first = match &f.over.kind {
            ExprKind::Range { from, step: None, to } => match (self.expr(from, state), self.expr(to, state)) {
                (Known::Int(a), Known::Int(b)) => (a <= b).then_some(Known::Int(a)),
                _ => None,
            },
            _ => {
                self.expr(&f.over, state);
                None
            }
        };
        let Some(first) = first else {
            self.forget(&f.body, state);
            state.env.remove(&f.name);
            state.sure &= !returns(&f.body, self.library);
            return;
        };
        state.env.insert(f.name.clone(), first);
        let safe = state.safe;
        state.safe |= self.safe_loops.contains(&f.id);
        self.turn(&f.body, state);
        state.safe = safe;
        state.env.remove(&f.name);
    }

    /// The first iteration of a loop, and what is known behind the last.
    fn turn(&mut self, body: &Block, state: &mut State) {
        let found = self.found.len();
        let mut inner = state.clone();
        self.varying.push(Names::of_block(body));
        self.block(body, &mut inner);
        self.varying.pop();
        self.forget(body, state);
        state.sure &= !returns(body, self.library) && self.found.len() == found;
    }

    fn arguments(&mut self, args: &[Arg], state: &mut State) -> Vec<Known> {
        args.iter().map(|a| self.expr(&a.value, state)).collect()
    }

    /// What is not certain to be computed.
    fn perhaps(&mut self, e: &Expr, state: &mut State) -> Known {
        let sure = std::mem::replace(&mut state.sure, false);
        let value = self.expr(e, state);
        state.sure = sure;
        Names::of_expr(e).assigned.iter().for_each(|n| drop(state.env.remove(n)));
        value
    }

    pub(super) fn expr(&mut self, e: &Expr, state: &mut State) -> Known {
        match &e.kind {
            ExprKind::Int(v) => Known::Int(*v),
            ExprKind::Float(_) | ExprKind::Imag(_) => Known::Number,
            ExprKind::Name(name) => match state.env.get(name) {
                Some(known) => {
                    self.note(e.id, name, known);
                    known.clone()
                }
                None if matches!(&**name, "pi" | "eps") => Known::Number,
                None => Known::Other,
            },
            ExprKind::Unary(op, a) => match (op, self.expr(a, state)) {
                (UnaryOp::Neg, Known::Int(v)) => v.checked_neg().map_or(Known::Number, Known::Int),
                (UnaryOp::Not, Known::Int(v)) => Known::Int((v == 0).into()),
                (_, known) => known,
            },
            ExprKind::Binary(op, a, b) => {
                let (x, y) = (self.expr(a, state), self.expr(b, state));
                self.operator(*op, x, y, e.span, state)
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                self.expr(a, state);
                self.perhaps(b, state);
                Known::Number
            }
            ExprKind::Ternary(c, a, b) => match self.expr(c, state) {
                Known::Int(0) => self.expr(b, state),
                Known::Int(_) => self.expr(a, state),
                _ => {
                    let (x, y) = (self.perhaps(a, state), self.perhaps(b, state));
                    if x == y { x } else { Known::Other }
                }
            },
            ExprKind::Range { from, step, to } => {
                let (a, b) = (self.expr(from, state), self.expr(to, state));
                if let Some(step) = step {
                    self.expr(step, state);
                    return Known::Other;
                }
                match (a, b) {
                    (Known::Int(a), Known::Int(b)) if a <= b => Known::Array(vec![Some(1), Some((b - a + 1) as usize)]),
                    _ => Known::Other,
                }
            }
            ExprKind::Array(items) => self.literal(items, state),
            ExprKind::Cell(items) => {
                items.iter().for_each(|i| drop(self.expr(i, state)));
                Known::Other
            }
            ExprKind::Call { callee, args } => self.call_of(e, callee, args, state),
            ExprKind::Index { base, items } => self.index(base, items, false, state),
            ExprKind::Field { base, name, .. } => {
                let known = self.expr(base, state);
                self.field(known, name, e.span, state)
            }
            ExprKind::Assign { target, op, value } => {
                let value_known = self.expr(value, state);
                let new = match op {
                    None => value_known,
                    Some(op) => {
                        let old = self.expr(target, state);
                        self.operator(*op, old, value_known, e.span, state)
                    }
                };
                self.store(target, new.clone(), state);
                if let (ExprKind::Name(name), ExprKind::Name(from), None) = (&target.kind, &value.kind, op)
                    && state.moded.contains(from)
                {
                    state.moded.insert(name.clone());
                }
                new
            }
            ExprKind::MultiAssign { targets, value } => {
                let items = match &value.kind {
                    ExprKind::Array(items) => items.iter().map(|i| self.expr(i, state)).collect(),
                    _ => {
                        self.expr(value, state);
                        Vec::new()
                    }
                };
                for (i, target) in targets.iter().enumerate() {
                    self.store(target, items.get(i).cloned().unwrap_or(Known::Other), state);
                }
                Known::Other
            }
            ExprKind::Declare { target, ty, value } => {
                let known = value.as_ref().map(|v| self.expr(v, state));
                self.declare(target, ty, known, state);
                Known::Other
            }
            ExprKind::TypeCheck(inner, _) => self.expr(inner, state),
            ExprKind::Sequence(items) => items.iter().fold(Known::Other, |_, i| self.expr(i, state)),
            ExprKind::Spread(inner) => {
                self.expr(inner, state);
                Known::Other
            }
            _ => Known::Other,
        }
    }

    fn note(&mut self, id: NodeId, name: &Text, known: &Known) {
        let same = self.depth == self.noted_at && !self.varying.iter().any(|names| names.assigns(name));
        if let (true, Some(sizes), Known::Array(shape)) = (same, &mut self.sizes, known) {
            sizes.insert(id, shape.clone());
        }
    }

    fn store(&mut self, target: &Expr, new: Known, state: &mut State) {
        match &target.kind {
            ExprKind::Name(name) => {
                self.note(target.id, name, &new);
                state.moded.remove(name);
                state.env.insert(name.clone(), new);
            }
            ExprKind::TypeCheck(inner, ty) => self.declare(inner, ty, Some(new), state),
            ExprKind::Index { base, items } => drop(self.index(base, items, true, state)),
            ExprKind::Field { base, name, .. } => {
                let known = self.expr(base, state);
                self.field(known, name, target.span, state);
            }
            _ => {}
        }
    }

    fn declare(&mut self, target: &Expr, ty: &TypeExpr, value: Option<Known>, state: &mut State) {
        let declared = self.types.resolve(ty, &[], &mut Vec::new());
        let ExprKind::Name(name) = &target.kind else { return };
        let known = match value {
            Some(Known::Array(shape)) => Known::Array(shape),
            Some(Known::Object(class)) => Known::Object(class),
            _ => shapes::of_type(&declared.ty),
        };
        state.env.insert(name.clone(), known);
        if declared.access.is_some() {
            state.moded.insert(name.clone());
        } else {
            state.moded.remove(name);
        }
    }

    /// `value.name`.
    fn field(&mut self, known: Known, name: &Text, span: Span, state: &mut State) -> Known {
        let Known::Object(class) = known else { return Known::Other };
        let Some(class) = self.types.classes.get(&class).cloned() else { return Known::Other };
        let ty = class.fields.borrow().iter().find(|f| f.0 == *name).map(|f| f.1.clone());
        match ty {
            Some(ty) => shapes::of_type(&ty),
            None => {
                if !class.dynamic {
                    self.wrong(state, no_field(&class, name, span));
                }
                Known::Other
            }
        }
    }
}

fn no_field(class: &ClassDef, name: &str, span: Span) -> Diagnostic {
    let names: Vec<String> = class.fields.borrow().iter().map(|f| f.0.to_string()).collect();
    Diagnostic::error("Q0353", format!("class '{}' has no field '{name}'", class.name))
        .at(span)
        .help(format!("its fields are {}", names.join(", ")))
}
