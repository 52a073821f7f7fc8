//! What all items of a block agree on: which variables have one value for the block, and which have to outlive a barrier.

use super::count::barrier;
use quadra_base::quick::Set;
use quadra_quasar_hir::meaning::Meaning;
use quadra_quasar_hir::scope::Names;
use quadra_quasar_syntax::ast::{Block, Expr, ExprKind, Stmt, StmtKind, Text};
use quadra_quasar_vm::builtins::meaning;

/// The variables of a kernel whose blocks work together.
#[derive(Clone, Debug, Default)]
pub(super) struct Common {
    /// Variables that have one value for the block.
    pub uniform: Set<Text>,
    /// Everything that is assigned.
    pub assigned: Set<Text>,
    /// Variables that are mentioned in several stretches between barriers and what the block executes once.
    pub crossing: Set<Text>,
}

impl Common {
    /// Whether a name means the same to all items: not a position, and no variable that items assign.
    pub fn has(&self, name: &Text) -> bool {
        self.uniform.contains(name) || !(self.assigned.contains(name) || matches!(&**name, "pos" | "blkpos"))
    }

    /// Items agree on what is assigned where the whole block comes by, from values that are common.
    pub fn of(body: &Block) -> Common {
        let mut common = Common::default();
        common.classify(body);
        common
    }

    /// Whether the block executes a statement once: it assigns only variables that all items agree on, or allocates memory.
    pub fn is_once(&self, stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Expr(Expr { kind: ExprKind::Assign { target, .. }, .. }) => {
                matches!(&target.kind, ExprKind::Name(n) if self.uniform.contains(n))
            }
            StmtKind::Expr(e @ Expr { kind: ExprKind::Call { callee, .. }, .. }) => {
                matches!(&callee.kind, ExprKind::Name(n) if meaning(n) == Meaning::Assert)
                    && is_plain(e)
                    && Names::of_expr(e).mentioned.iter().all(|n| self.has(n))
            }
            StmtKind::Attribute(_) => true,
            _ => false,
        }
    }

    fn classify(&mut self, body: &Block) {
        self.assigned = Names::of_block(body).assigned.into_iter().collect();
        let mut candidates = Vec::new();
        let mut others = Set::default();
        assignments(body, &mut candidates, &mut others);
        self.uniform = self.assigned.iter().filter(|n| !others.contains(*n)).cloned().collect();
        loop {
            let bad = candidates.iter().find(|(name, e)| {
                self.uniform.contains(name) && !(is_plain(e) && Names::of_expr(e).mentioned.iter().all(|n| self.has(n)))
            });
            match bad {
                Some((name, _)) => drop(self.uniform.remove(name)),
                None => break,
            }
        }
        let mut stretches = vec![Set::default()];
        self.cut(body, &mut stretches);
        let mut seen = Set::default();
        for name in stretches.into_iter().flatten() {
            if !seen.insert(name.clone()) {
                self.crossing.insert(name);
            }
        }
    }

    /// The names that stand between barriers and what the block executes once, stretch by stretch.
    fn cut(&self, body: &Block, out: &mut Vec<Set<Text>>) {
        for stmt in body {
            if self.is_once(stmt) {
                out.push(Set::default());
                continue;
            }
            if !barrier(std::slice::from_ref(stmt)) {
                let names = Names::of_block(&vec![stmt.clone()]);
                if let Some(last) = out.last_mut() {
                    last.extend(names.mentioned.into_iter().chain(names.assigned));
                }
                continue;
            }
            out.push(Set::default());
            match &stmt.kind {
                StmtKind::For(f) => self.cut(&f.body, out),
                StmtKind::While { body, .. } | StmtKind::Repeat { body, .. } => self.cut(body, out),
                StmtKind::If { arms, otherwise } => {
                    for (_, b) in arms {
                        self.cut(b, out);
                        out.push(Set::default());
                    }
                    self.cut(otherwise, out);
                }
                _ => {}
            }
            out.push(Set::default());
        }
    }
}

/// Assignments to variables where the whole block comes by, with their values, and the names that are assigned elsewhere.
fn assignments<'e>(body: &'e Block, common: &mut Vec<(Text, &'e Expr)>, others: &mut Set<Text>) {
    for stmt in body {
        match &stmt.kind {
            StmtKind::Expr(Expr { kind: ExprKind::Assign { target, value, .. }, .. }) => match &target.kind {
                ExprKind::Name(name) => {
                    common.push((name.clone(), &**value));
                    others.extend(Names::of_expr(value).assigned);
                }
                _ => others.extend(Names::of_expr(value).assigned),
            },
            StmtKind::For(f) if barrier(&f.body) => {
                common.push((f.name.clone(), &f.over));
                assignments(&f.body, common, others);
            }
            StmtKind::While { body, .. } | StmtKind::Repeat { body, .. } if barrier(body) => {
                assignments(body, common, others);
            }
            StmtKind::If { arms, otherwise } if barrier(std::slice::from_ref(stmt)) => {
                arms.iter().for_each(|a| assignments(&a.1, common, others));
                assignments(otherwise, common, others);
            }
            _ => others.extend(Names::of_block(&vec![stmt.clone()]).assigned),
        }
    }
}

/// Whether an expression of names that mean the same to all items has one value for the block. An element is read once instead
/// of by every item: nothing may write it at that time, or its value would not be defined.
pub(super) fn is_agreed(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Index { base, items } => matches!(base.kind, ExprKind::Name(_)) && items.iter().all(is_agreed),
        ExprKind::Unary(_, a) => is_agreed(a),
        ExprKind::Binary(_, a, b) | ExprKind::And(a, b) | ExprKind::Or(a, b) => is_agreed(a) && is_agreed(b),
        _ => is_plain(e),
    }
}

/// Whether an expression reads no element and calls nothing but functions of numbers.
pub(super) fn is_plain(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Name(_) => true,
        ExprKind::Unary(_, a) => is_plain(a),
        ExprKind::Binary(_, a, b) | ExprKind::And(a, b) | ExprKind::Or(a, b) => is_plain(a) && is_plain(b),
        ExprKind::Range { from, step, to } => {
            is_plain(from) && is_plain(to) && step.as_ref().is_none_or(|s| is_plain(s))
        }
        ExprKind::Array(items) => items.iter().all(is_plain),
        // Special parameters and sizes are indexed, arrays that somebody writes are not.
        ExprKind::Index { base, items } => {
            matches!(&base.kind, ExprKind::Name(n) if n.starts_with("blk")) && items.iter().all(is_plain)
        }
        ExprKind::Call { callee, args } => {
            let known = match &callee.kind {
                ExprKind::Name(n) => {
                    quadra_quasar_vm::builtins::library().works_on_device(n)
                        || quadra_quasar_vm::builtins::meaning(n).is_shared()
                }
                ExprKind::Type(_) => true,
                _ => false,
            };
            known && args.iter().all(|a| is_plain(&a.value))
        }
        _ => false,
    }
}
