//! Running sums, minima and maxima: scalars that iterations combine and read. The iterations of such a loop can be cut into
//! blocks if what is combined does not depend on the running values.

use super::body::Body;
use super::pattern::{class, reduction};
use super::{Plan, Scan};
use crate::sema::infer::Infer;
use crate::sema::scope::Names;
use crate::sema::types::Type;
use crate::syntax::ast::{Block, Expr, ExprKind, For, Stmt, StmtKind, Text};
use std::collections::HashSet;

impl Body<'_> {
    /// How the loop is carried out in blocks, if running values are all that stands in the way of running it as a kernel.
    pub fn scan_plan(&self, f: &For, infer: &mut Infer) -> Option<Plan> {
        if !flat(&f.body) {
            return None;
        }
        let mut names: Vec<&Text> = self.scalars.iter().filter(|(_, s)| !s.updates.is_empty()).map(|s| s.0).collect();
        names.sort();
        let (mut scans, mut before) = (Vec::new(), Vec::new());
        for name in names {
            scans.push(self.scan(name, f, &mut before, infer)?);
        }
        let running: HashSet<Text> = scans.iter().map(|s| s.name.clone()).collect();
        let (loops, heads) = ([f.name.clone()], [f]);
        if scans.is_empty() || !self.reasons(&loops, &heads, &running).is_empty() {
            return None;
        }
        before.sort_unstable();
        before.dedup();
        let plan = self.plan(1, &loops, &heads);
        let plan = Plan { reductions: Vec::new(), scans, before_scans: before, ..plan };
        plan.accumulates.is_empty().then_some(plan)
    }

    /// The one statement that combines into `name`, if nothing else assigns it.
    fn scan(&self, name: &Text, f: &For, before: &mut Vec<usize>, infer: &mut Infer) -> Option<Scan> {
        let mut found = None;
        for (at, stmt) in f.body.iter().enumerate() {
            match update(stmt, name) {
                Some((class, e)) if found.is_none() => found = Some((at, class, e)),
                None if !assigns(stmt, name) => {}
                _ => return None,
            }
        }
        let (at, class, e) = found.filter(|u| matches!(u.1, '+' | '>' | '<'))?;
        // Floats that are combined into an integer lose their fractions one by one.
        let float = |t: Option<Type>| matches!(t, Some(Type::Scalar(_)));
        let int = |t: Option<Type>| matches!(t, Some(Type::Int(..)));
        let (own, other) = (self.type_of(name).cloned(), infer.expr(e, &mut self.types()));
        if !(float(own.clone()) || int(own) && int(other)) {
            return None;
        }
        self.ready(e, at, f, before).then(|| Scan { name: name.clone(), class, at })
    }

    /// Whether an expression in statement `at` can be computed by itself, after the statements `before`.
    fn ready(&self, e: &Expr, at: usize, f: &For, before: &mut Vec<usize>) -> bool {
        let names = Names::of_expr(e);
        names.assigned.is_empty()
            && names.mentioned.iter().all(|n| {
                if self.accesses.iter().any(|a| a.write && a.array == *n) {
                    return false;
                }
                if *n == f.name || !self.assigned.assigns(n) {
                    return true;
                }
                let all: Vec<usize> = (0..f.body.len()).filter(|i| assigns(&f.body[*i], n)).collect();
                let [one] = all[..] else { return false };
                let Some(value) = plain(&f.body[one], n).filter(|_| one < at) else { return false };
                before.push(one);
                !Names::of_expr(value).mentions(n) && self.ready(value, one, f, before)
            })
    }
}

/// The value of `name = value`.
fn plain<'s>(stmt: &'s Stmt, name: &Text) -> Option<&'s Expr> {
    match &stmt.kind {
        StmtKind::Expr(Expr { kind: ExprKind::Assign { target, op: None, value }, .. }) => {
            matches!(&target.kind, ExprKind::Name(n) if n == name).then_some(&**value)
        }
        _ => None,
    }
}

/// The class of `name op= e`, or of `name = name op e`, and `e`.
fn update<'s>(stmt: &'s Stmt, name: &Text) -> Option<(char, &'s Expr)> {
    if let Some(value) = plain(stmt, name) {
        return reduction(name, value);
    }
    let StmtKind::Expr(Expr { kind: ExprKind::Assign { target, op: Some(op), value }, .. }) = &stmt.kind else {
        return None;
    };
    let own = matches!(&target.kind, ExprKind::Name(n) if n == name) && !Names::of_expr(value).mentions(name);
    class(*op).filter(|_| own).map(|c| (c, &**value))
}

fn assigns(stmt: &Stmt, name: &str) -> bool {
    Names::of_block(&vec![stmt.clone()]).assigns(name)
}

/// Whether all iterations go through the statements of a block, one after the other.
fn flat(block: &Block) -> bool {
    block.iter().all(|stmt| match &stmt.kind {
        StmtKind::Expr(_) => true,
        StmtKind::If { arms, otherwise } => arms.iter().all(|a| flat(&a.1)) && flat(otherwise),
        _ => false,
    })
}
