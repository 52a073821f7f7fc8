//! Variables that are made by storing elements: `D[i,j] = v` where nothing else gives `D` a value, or only `D = []`. They begin empty
//! and have room for whatever is stored. All other arrays keep their size, and an index outside of them is an error.

use crate::scope::Names;
use quadra_base::quick::Set;
use quadra_base::{Diagnostic, Span};
use quadra_quasar_syntax::ast::{
    Arg, Block, Expr, ExprKind, Function, FunctionKind, NodeId, STORED, Stmt, StmtKind, Text,
};
use std::rc::Rc;

/// A program in which such variables begin as empty arrays, and stores into them make room. `known` are variables and functions from
/// before; what is said of the variables goes to `said`.
pub fn rewrite(block: &mut Block, known: &dyn Fn(&str) -> bool, next_id: &mut NodeId, said: &mut Vec<Diagnostic>) {
    let names = Names::of_block(block);
    let growing = growing(&names, &Set::default(), known);
    let mut pass = Pass { known, next_id, said };
    pass.scope(block, &names, &growing, &Set::default(), &[]);
}

/// What to write instead of a store behind the end of an array.
pub fn instead(name: &str) -> String {
    let name = if name.is_empty() { "x" } else { name };
    format!("stores do not make arrays longer: {name}[end+1] = … appends, {name} = zeros(…) makes room before")
}

/// The names into which elements are stored and which nothing else makes.
fn growing(names: &Names, outer: &Set<Text>, known: &dyn Fn(&str) -> bool) -> Set<Text> {
    let made = |n: &Text| names.makes(n) || outer.contains(n) || names.functions.contains(n) || known(n);
    names.stored.iter().filter(|n| !made(n)).cloned().collect()
}

struct Pass<'a> {
    known: &'a dyn Fn(&str) -> bool,
    next_id: &'a mut NodeId,
    said: &'a mut Vec<Diagnostic>,
}

impl Pass<'_> {
    fn expr(&mut self, span: Span, kind: ExprKind) -> Expr {
        *self.next_id += 1;
        Expr { id: *self.next_id - 1, span, kind }
    }

    /// Rewrites the statements of a program or function, whose variables inner functions see.
    fn scope(&mut self, block: &mut Block, names: &Names, growing: &Set<Text>, outer: &Set<Text>, params: &[Text]) {
        let mut seen: Set<Text> = outer.clone();
        seen.extend(names.assigned.iter().chain(growing).chain(params).cloned());
        let mut first: Vec<(Text, Span)> = Vec::new();
        self.block(block, growing, &seen, &mut first);
        // Attributes stand first in a body.
        let at = block.iter().position(|s| !matches!(s.kind, StmtKind::Attribute(_))).unwrap_or(block.len());
        for (name, span) in first.into_iter().rev() {
            let begins = names.assigns(&name);
            let message = format!("'{name}' grows with what is stored in it");
            let help =
                format!("a size that is known before is quicker, and lets loops run in parallel: {name} = zeros(…)");
            self.said.push(Diagnostic::warning("Q0127", message).at(span).help(help));
            if begins {
                continue;
            }
            let empty = Box::new(self.expr(span, ExprKind::Array(Vec::new())));
            let target = Box::new(self.expr(span, ExprKind::Name(name)));
            let assign = self.expr(span, ExprKind::Assign { target, op: None, value: empty });
            block.insert(at, Stmt { kind: StmtKind::Expr(assign), span });
        }
    }

    fn block(&mut self, block: &mut Block, growing: &Set<Text>, seen: &Set<Text>, first: &mut Vec<(Text, Span)>) {
        for stmt in block {
            match &mut stmt.kind {
                StmtKind::Expr(e) => self.store(e, growing, first),
                StmtKind::If { arms, otherwise } => {
                    arms.iter_mut().for_each(|(_, body)| self.block(body, growing, seen, first));
                    self.block(otherwise, growing, seen, first);
                }
                StmtKind::For(f) => self.block(&mut f.body, growing, seen, first),
                StmtKind::While { body, .. } | StmtKind::Repeat { body, .. } => self.block(body, growing, seen, first),
                StmtKind::Match { arms, .. } => {
                    arms.iter_mut().for_each(|a| self.block(&mut a.body, growing, seen, first));
                }
                StmtKind::Try { body, handler, .. } => {
                    self.block(body, growing, seen, first);
                    self.block(handler, growing, seen, first);
                }
                StmtKind::Module(module) => self.block(&mut module.body, growing, seen, first),
                StmtKind::Function(f) if f.kind == FunctionKind::Host => self.function(f, seen),
                _ => {}
            }
        }
    }

    fn function(&mut self, function: &mut Rc<Function>, outer: &Set<Text>) {
        let names = Names::of_function(function);
        let params: Vec<Text> = function.params.iter().map(|p| p.name.clone()).collect();
        let typed = |n: &Text| function.outputs.iter().any(|(name, ty)| name == n && ty.is_some());
        let mut growing = growing(&names, outer, self.known);
        growing.retain(|n| !params.contains(n) && !typed(n));
        let has_inner = !names.functions.is_empty();
        if growing.is_empty() && !has_inner {
            return;
        }
        let mut changed = Function::clone(function);
        self.scope(&mut changed.body, &names, &growing, outer, &params);
        *function = Rc::new(changed);
    }

    /// `D[i,j] = v` becomes `D = stored(D, v, i, j)`, also where it is one of several results.
    fn store(&mut self, e: &mut Expr, growing: &Set<Text>, first: &mut Vec<(Text, Span)>) {
        match &mut e.kind {
            ExprKind::Assign { target, op: None, value } => {
                if let Some(store) = self.stored(target, value, growing, first) {
                    *e = store;
                }
            }
            ExprKind::MultiAssign { targets, .. } => {
                let mut stores = Vec::new();
                for target in targets.iter_mut() {
                    // The name has a blank, so that no program can mean it.
                    let result = self.expr(target.span, ExprKind::Name(format!("result {}", self.next_id).into()));
                    if let Some(store) = self.stored(target, &result, growing, first) {
                        *target = result;
                        stores.push(store);
                    }
                }
                if !stores.is_empty() {
                    let results = self.expr(e.span, std::mem::replace(&mut e.kind, ExprKind::Missing));
                    e.kind = ExprKind::Sequence(std::iter::once(results).chain(stores).collect());
                }
            }
            _ => {}
        }
    }

    fn stored(
        &mut self,
        target: &Expr,
        value: &Expr,
        growing: &Set<Text>,
        first: &mut Vec<(Text, Span)>,
    ) -> Option<Expr> {
        let ExprKind::Index { base, items } = &target.kind else { return None };
        let ExprKind::Name(name) = &base.kind else { return None };
        if !growing.contains(name) || items.iter().any(|i| matches!(i.kind, ExprKind::Spread(_))) {
            return None;
        }
        let (name, span) = (name.clone(), target.span);
        let mut args = vec![base.as_ref().clone(), value.clone()];
        for item in items {
            args.push(match item.kind {
                ExprKind::Colon => self.expr(item.span, ExprKind::Str(":".into())),
                _ => item.clone(),
            });
        }
        let args = args.into_iter().map(|value| Arg { name: None, value }).collect();
        let callee = Box::new(self.expr(span, ExprKind::Name(STORED.into())));
        let value = Box::new(self.expr(span, ExprKind::Call { callee, args }));
        let target = Box::new(self.expr(span, ExprKind::Name(name.clone())));
        if !first.iter().any(|(n, _)| *n == name) {
            first.push((name, span));
        }
        Some(self.expr(span, ExprKind::Assign { target, op: None, value }))
    }
}
