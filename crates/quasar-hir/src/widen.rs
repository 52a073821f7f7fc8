//! Arrays whose elements are complex because complex values are stored in them: where a variable of host code is made by `zeros(…)` and
//! `z[k] = v` stores a `v` that is complex, `zeros` becomes `czeros`. A complex value cannot be written into a real array, so a program that
//! comes to such a store would stop there. Stores that are made under a condition alone change nothing: a run that does not come to them
//! has a real array. Variables with a type, parameters, and arrays that are made otherwise keep their elements.

use crate::meaning::{Fill, Library, Meaning};
use crate::op1::Op1;
use crate::scope::{Names, Root, root};
use quadra_base::quick::{Map, Set};
use quadra_base::{Diagnostic, Span};
use quadra_quasar_syntax::ast::{
    BinaryOp, Block, Expr, ExprKind, Function, FunctionKind, Stmt, StmtKind, Text, UnaryOp,
};
use std::rc::Rc;

/// Makes the arrays of a program complex from their start where that is what is stored in them. `known`: names that earlier programs gave a meaning.
pub fn rewrite(block: &mut Block, library: &Library, known: &dyn Fn(&str) -> bool, said: &mut Vec<Diagnostic>) {
    let mut own = Set::default();
    functions_of(block, &mut own);
    own.extend(Names::of_block(block).assigned);
    Pass { library, known, own }.scope(block, &[], said);
}

/// The functions that a program defines anywhere: nobody is sure which of them a name means.
fn functions_of(block: &Block, found: &mut Set<Text>) {
    for stmt in block {
        if let StmtKind::Function(f) = &stmt.kind {
            found.insert(f.name.clone());
            functions_of(&f.body, found);
        }
    }
}

/// What the statements of a program or function do with one variable.
#[derive(Default)]
struct Uses<'a> {
    /// Values that are assigned or stored by way of an operator.
    assigned: Vec<&'a Expr>,
    /// Values of elements, stored whatever conditions say.
    stored: Vec<&'a Expr>,
    /// It gets values in another way, or has a type.
    otherwise: bool,
}

struct Pass<'a> {
    library: &'a Library,
    known: &'a dyn Fn(&str) -> bool,
    /// Names that mean nothing of the library's here.
    own: Set<Text>,
}

impl Pass<'_> {
    fn scope(&self, block: &mut Block, params: &[Text], said: &mut Vec<Diagnostic>) {
        let mut uses: Map<Text, Uses> = Map::default();
        for name in params {
            uses.entry(name.clone()).or_default().otherwise = true;
        }
        gather(block, false, &mut uses);
        let widened = self.widened(&uses);
        let mut done = Set::default();
        if !widened.is_empty() {
            self.widen(block, &widened, &mut done, said);
        }
        self.functions(block, said);
    }

    fn functions(&self, block: &mut Block, said: &mut Vec<Diagnostic>) {
        each_block(block, &mut |stmt| {
            if let StmtKind::Function(f) = &mut stmt.kind
                && f.kind == FunctionKind::Host
                && stores_something(f)
            {
                let params: Vec<Text> = f.params.iter().map(|p| p.name.clone()).collect();
                let names = Names::of_function(f);
                let own = self.own.iter().chain(&names.assigned).chain(&params).cloned().collect();
                let typed = f.outputs.iter().filter(|o| o.1.is_some()).map(|o| o.0.clone());
                let params: Vec<Text> = params.into_iter().chain(typed).collect();
                let mut changed = Function::clone(f);
                Pass { own, ..*self }.scope(&mut changed.body, &params, said);
                *f = Rc::new(changed);
            }
        });
    }

    /// The variables that `zeros` makes and complex values are stored in.
    fn widened(&self, uses: &Map<Text, Uses>) -> Set<Text> {
        let (mut complex, mut widened) = (Set::default(), Set::default());
        loop {
            let mut changed = false;
            for (name, u) in uses.iter().filter(|(_, u)| !u.otherwise) {
                if complex.contains(name) {
                    continue;
                }
                let made = u.assigned.iter().any(|v| self.is_zeros(v));
                let stores = made && u.stored.iter().any(|v| self.is_complex(v, &complex));
                let computed = u.assigned.iter().any(|v| self.is_complex(v, &complex));
                let settled = |v: &&Expr| self.is_complex(v, &complex) || is_start(v) || self.is_zeros(v);
                if stores {
                    widened.insert(name.clone());
                }
                if stores || computed && u.assigned.iter().all(settled) {
                    complex.insert(name.clone());
                    changed = true;
                }
            }
            if !changed {
                return widened;
            }
        }
    }

    fn meaning(&self, callee: &Expr) -> Meaning {
        match &callee.kind {
            ExprKind::Name(n) if !self.own.contains(n) && !(self.known)(n) => self.library.meaning(n),
            _ => Meaning::Other,
        }
    }

    /// Whether an expression is a call of `zeros` with nothing but lengths.
    fn is_zeros(&self, e: &Expr) -> bool {
        let ExprKind::Call { callee, args } = &e.kind else { return false };
        let length = |e: &Expr| !matches!(e.kind, ExprKind::Str(_) | ExprKind::Spread(_) | ExprKind::Type(_));
        self.meaning(callee) == Meaning::Fill(Fill::Zeros) && args.iter().all(|a| a.name.is_none() && length(&a.value))
    }

    /// Whether a value is complex for certain, given the variables that are.
    fn is_complex(&self, e: &Expr, names: &Set<Text>) -> bool {
        use BinaryOp::*;
        match &e.kind {
            ExprKind::Imag(_) => true,
            ExprKind::Name(n) => names.contains(n),
            ExprKind::Unary(UnaryOp::Neg | UnaryOp::Plus, a) => self.is_complex(a, names),
            ExprKind::Binary(Add | Sub | Mul | Div | ElemMul | ElemDiv | Pow | ElemPow, a, b) => {
                self.is_complex(a, names) || self.is_complex(b, names)
            }
            ExprKind::Ternary(_, a, b) => self.is_complex(a, names) && self.is_complex(b, names),
            ExprKind::Index { base, .. } => self.is_complex(base, names),
            ExprKind::Array(items) => items.iter().any(|i| self.is_complex(i, names)),
            ExprKind::Sequence(items) => items.last().is_some_and(|i| self.is_complex(i, names)),
            ExprKind::Call { callee, args } => {
                let first = args.first().is_some_and(|a| self.is_complex(&a.value, names));
                match self.meaning(callee) {
                    Meaning::Complex | Meaning::Fill(Fill::ComplexZeros) => true,
                    Meaning::Map(op) => first && (op.is_elementary() || matches!(op, Op1::Conj | Op1::Neg)),
                    Meaning::Sum | Meaning::Product | Meaning::Mean | Meaning::Transpose | Meaning::Copy => first,
                    _ => false,
                }
            }
            _ => false,
        }
    }

    fn widen(&self, block: &mut Block, names: &Set<Text>, done: &mut Set<Text>, said: &mut Vec<Diagnostic>) {
        each_block(block, &mut |stmt| {
            let StmtKind::Expr(Expr { kind: ExprKind::Assign { target, op: None, value }, .. }) = &mut stmt.kind else {
                return;
            };
            let ExprKind::Name(name) = &target.kind else { return };
            if !names.contains(name) || !self.is_zeros(value) {
                return;
            }
            let span = value.span;
            let ExprKind::Call { callee, .. } = &mut value.kind else { return };
            let Some(maker) = self.library.all().find(|f| f.meaning == Meaning::Fill(Fill::ComplexZeros)) else {
                return;
            };
            callee.kind = ExprKind::Name(maker.name.into());
            if done.insert(name.clone()) {
                said.push(warning(name, maker.name, span));
            }
        });
    }
}

fn warning(name: &str, maker: &str, span: Span) -> Diagnostic {
    let message = format!("'{name}' is made complex, because complex values are stored in it");
    Diagnostic::warning("Q0131", message).at(span).help(format!("to say so, write {name} = {maker}(…)"))
}

/// Whether a variable begins with it before anything is computed.
fn is_start(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Int(_) | ExprKind::Float(_) => true,
        ExprKind::Array(items) => items.is_empty(),
        _ => false,
    }
}

fn stores_something(f: &Function) -> bool {
    let names = Names::of_function(f);
    !names.stored.is_empty() || !names.functions.is_empty()
}

/// Calls `each` with every statement of a block and of the blocks in it, those of functions excepted.
fn each_block(block: &mut Block, each: &mut dyn FnMut(&mut Stmt)) {
    for stmt in block {
        each(stmt);
        match &mut stmt.kind {
            StmtKind::If { arms, otherwise } => {
                arms.iter_mut().for_each(|(_, body)| each_block(body, each));
                each_block(otherwise, each);
            }
            StmtKind::For(f) => each_block(&mut f.body, each),
            StmtKind::While { body, .. } | StmtKind::Repeat { body, .. } => each_block(body, each),
            StmtKind::Match { arms, .. } => arms.iter_mut().for_each(|a| each_block(&mut a.body, each)),
            StmtKind::Try { body, handler, .. } => {
                each_block(body, each);
                each_block(handler, each);
            }
            StmtKind::Module(module) => each_block(&mut module.body, each),
            _ => {}
        }
    }
}

/// What the statements do with their variables. `perhaps`: they stand under a condition.
fn gather<'a>(block: &'a Block, perhaps: bool, uses: &mut Map<Text, Uses<'a>>) {
    for stmt in block {
        match &stmt.kind {
            StmtKind::Expr(e) => assignment(e, perhaps, uses),
            StmtKind::If { arms, otherwise } => {
                arms.iter().for_each(|(_, body)| gather(body, true, uses));
                gather(otherwise, true, uses);
            }
            StmtKind::For(f) => {
                uses.entry(f.name.clone()).or_default().otherwise = true;
                gather(&f.body, perhaps, uses);
            }
            StmtKind::While { body, .. } | StmtKind::Repeat { body, .. } => gather(body, perhaps, uses),
            StmtKind::Match { arms, .. } => arms.iter().for_each(|a| gather(&a.body, true, uses)),
            StmtKind::Try { body, name, handler } => {
                if let Some(name) = name {
                    uses.entry(name.clone()).or_default().otherwise = true;
                }
                gather(body, true, uses);
                gather(handler, true, uses);
            }
            StmtKind::Module(module) => gather(&module.body, perhaps, uses),
            _ => {}
        }
    }
}

fn assignment<'a>(e: &'a Expr, perhaps: bool, uses: &mut Map<Text, Uses<'a>>) {
    let named = |target: &'a Expr, uses: &mut Map<Text, Uses<'a>>| {
        Names::of_expr(target)
            .mentioned
            .iter()
            .take(1)
            .for_each(|n| uses.entry(n.clone()).or_default().otherwise = true);
    };
    match &e.kind {
        ExprKind::Assign { target, value, .. } => {
            assignment(value, perhaps, uses);
            match (&target.kind, root(target)) {
                (ExprKind::Name(name), _) => uses.entry(name.clone()).or_default().assigned.push(value),
                (ExprKind::Index { .. }, Some(Root::Element(name, _))) => {
                    let of_name = uses.entry(name.clone()).or_default();
                    if !perhaps {
                        of_name.stored.push(value);
                    }
                }
                _ => named(target, uses),
            }
        }
        ExprKind::MultiAssign { targets, .. } => targets.iter().for_each(|t| {
            if matches!(t.kind, ExprKind::Name(_) | ExprKind::TypeCheck(..)) {
                named(t, uses);
            }
        }),
        ExprKind::Declare { target, .. } => named(target, uses),
        ExprKind::Sequence(items) => items.iter().for_each(|i| assignment(i, perhaps, uses)),
        _ => {}
    }
}
