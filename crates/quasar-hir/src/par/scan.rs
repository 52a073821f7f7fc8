//! Running sums, products, minima and maxima: scalars that iterations combine and read. The iterations of such a loop can be cut
//! into blocks if what is combined does not depend on the running values.

use super::body::Body;
use super::pattern::{class, conditional, keeps_unless, reduction};
use super::program::Program;
use super::{Plan, Scan};
use crate::meaning::Library;
use crate::scope::Names;
use crate::types::Type;
use quadra_quasar_syntax::ast::{Block, Expr, ExprKind, For, Stmt, StmtKind, Text};
use std::collections::HashSet;

impl Body<'_> {
    /// How the loop is carried out in blocks, if running values are all that stands in the way of running it as a kernel.
    pub fn scan_plan(&self, f: &For, program: &mut dyn Program) -> Option<Plan> {
        if !flat(&f.body) {
            return None;
        }
        let mut names: Vec<&Text> = self.scalars.iter().filter(|(_, s)| !s.updates.is_empty()).map(|s| s.0).collect();
        names.sort();
        let (mut scans, mut before) = (Vec::new(), Vec::new());
        for name in names {
            scans.push(self.scan(name, f, &mut before, program)?);
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
    ///
    /// An integer to which floats are added is a float from the first iteration on. Nobody may see that it was none before, so
    /// it is only stored to elements where it may still be an integer.
    fn scan(&self, name: &Text, f: &For, before: &mut Vec<usize>, program: &mut dyn Program) -> Option<Scan> {
        let mut found = None;
        for (at, stmt) in f.body.iter().enumerate() {
            match update(stmt, name, self.library) {
                Some(u) if found.is_none() => found = Some((at, u)),
                None if !assigns(stmt, name) => {}
                _ => return None,
            }
        }
        let (at, Update { class, e, how }) = found?;
        let float = |t: &Option<Type>| matches!(t, Some(Type::Scalar(_)));
        let int = |t: &Option<Type>| matches!(t, Some(Type::Int(..)));
        let (own, other) = (self.type_of(name).cloned(), program.type_of(e, &mut self.types()));
        let becomes_float = |how: How| {
            let early = if how == How::Plain { &f.body[..at] } else { &f.body[..] };
            how != How::Compound && early.iter().enumerate().all(|(n, s)| n == at || only_stores(s, name))
        };
        let fits = match class {
            'A' | 'O' => int(&own),
            // As in [`super::body`], for the sake of NaN.
            _ if float(&own) && plain(&f.body[at], name).is_some_and(|v| keeps_unless(name, v)) => false,
            _ if int(&own) => int(&other) || float(&other) && becomes_float(how),
            _ => float(&own),
        };
        if !fits {
            return None;
        }
        let mixed = class != 'A' && class != 'O' && int(&own) && !int(&other);
        self.ready(e, at, f, before).then(|| Scan { name: name.clone(), class, at, mixed })
    }

    /// Whether an expression in statement `at` can be computed by itself, after the statements `before`.
    fn ready(&self, e: &Expr, at: usize, f: &For, before: &mut Vec<usize>) -> bool {
        let names = Names::of_expr(e);
        names.changes_nothing()
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

/// How a running value is written down.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    /// `name = name op e`
    Plain,
    /// `name op= e`
    Compound,
    /// `if e > name, name = e`, or the same with `?`
    Chosen,
}

/// A statement that combines `e` into a variable.
struct Update<'s> {
    class: char,
    e: &'s Expr,
    how: How,
}

fn update<'s>(stmt: &'s Stmt, name: &Text, library: &Library) -> Option<Update<'s>> {
    if let Some(value) = plain(stmt, name) {
        let how = if matches!(value.kind, ExprKind::Ternary(..)) { How::Chosen } else { How::Plain };
        return reduction(name, value, library).map(|(class, e)| Update { class, e, how });
    }
    if let StmtKind::If { arms, otherwise } = &stmt.kind {
        let (chosen, e, class) = conditional(arms).filter(|_| otherwise.is_empty())?;
        return (chosen == name).then_some(Update { class, e, how: How::Chosen });
    }
    let StmtKind::Expr(Expr { kind: ExprKind::Assign { target, op: Some(op), value }, .. }) = &stmt.kind else {
        return None;
    };
    let own = matches!(&target.kind, ExprKind::Name(n) if n == name) && !Names::of_expr(value).mentions(name);
    class(*op).filter(|_| own).map(|class| Update { class, e: value, how: How::Compound })
}

/// Whether a statement does nothing with a variable but store it to an element.
fn only_stores(stmt: &Stmt, name: &Text) -> bool {
    if let StmtKind::Expr(Expr { kind: ExprKind::Assign { target, op: None, value }, .. }) = &stmt.kind
        && let (ExprKind::Index { .. }, ExprKind::Name(n)) = (&target.kind, &value.kind)
        && n == name
    {
        return !Names::of_expr(target).mentions(name);
    }
    !Names::of_block(&vec![stmt.clone()]).mentions(name)
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
