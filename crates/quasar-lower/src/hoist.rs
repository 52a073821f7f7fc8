//! Elements that inner loops change again and again.
//!
//! ```quasar
//! for k = 0..n-1, c[i,j] += a[i,k] * b[k,j], end
//! ```
//! adds to the same element in each turn. It is a variable while the loops run, and stored once behind them: memory would be the
//! limit otherwise, and the QPUs may not read through their caches what the launch itself stores.
//!
//! It is read and stored only if the loops have turns: otherwise it may not exist, or be the element that another iteration
//! changes, as the verdict counts only the turns there are.

use super::Low;
use super::state::Lower;
use super::value::{Element, Val};
use quadra_base::Span;
use quadra_kir::Elem;
use quadra_quasar_hir::par::pattern;
use quadra_quasar_hir::scope::Names;
use quadra_quasar_hir::types::{Precision, Type};
use quadra_quasar_syntax::ast::{BinaryOp, Block, Expr, ExprKind, For, Stmt, StmtKind, Text};
use quadra_quasar_syntax::pretty;
use quadra_quasar_vm::arith::Kind;

/// `target op= value`, the only statement of loops within each other.
struct Change<'f> {
    loops: Vec<&'f For>,
    target: &'f Expr,
    array: &'f Text,
    op: BinaryOp,
    value: &'f Expr,
}

impl Lower<'_> {
    /// What stands for a loop that changes one element of an array of floats in each turn, if it is one.
    pub(super) fn hoisted(&mut self, f: &For) -> Low<Option<Block>> {
        // Items of kernels may change elements of each other.
        if !self.host {
            return Ok(None);
        }
        let Some(change) = Change::of(f) else { return Ok(None) };
        if self.accumulates.contains(change.array) {
            return Ok(None);
        }
        let floats = match self.variable_value(change.array)? {
            Some(Val::Array(a)) => !a.shared && a.element == Element::Float(Elem::F32),
            _ => false,
        };
        if !floats {
            return Ok(None);
        }
        let Some(turns) = self.turns(&change.loops)? else { return Ok(None) };
        let name: Text = format!("{}[]", change.array).into();
        self.frame().declared.insert(name.clone(), Type::Scalar(Precision::Single));
        self.frame().assigns.insert(name.clone(), 2);
        let span = f.span;
        let kind = StmtKind::If { arms: vec![(turns, change.with(&name))], otherwise: Vec::new() };
        Ok(Some(vec![Stmt { kind, span }]))
    }

    /// The condition that loops within each other all have turns, if that is known before the first one begins.
    fn turns(&mut self, loops: &[&For]) -> Low<Option<Expr>> {
        let mut all: Option<Expr> = None;
        for f in loops {
            let ExprKind::Range { from, step, to } = &f.over.kind else { return Ok(None) };
            let names = Names::of_expr(&f.over);
            if loops.iter().any(|f| names.mentions(&f.name)) {
                return Ok(None);
            }
            let step = match step {
                Some(step) => self.number(step)?,
                None => self.int(1),
            };
            let (a, b) = (self.number(from)?, self.number(to)?);
            // Ranges of floats may have an item beyond their end.
            if [&a, &b, &step].iter().any(|n| n.im.is_some() || n.kind != Kind::Int) {
                return Ok(None);
            }
            let op = match self.known_int(&step) {
                Some(1..) => BinaryOp::Le,
                Some(..=-1) => BinaryOp::Ge,
                _ => return Ok(None),
            };
            let expr = |kind| Expr { kind, ..f.over.clone() };
            let one = expr(ExprKind::Binary(op, from.clone(), to.clone()));
            all = Some(match all {
                Some(before) => expr(ExprKind::And(Box::new(before), Box::new(one))),
                None => one,
            });
        }
        Ok(all)
    }
}

impl<'f> Change<'f> {
    fn of(f: &'f For) -> Option<Change<'f>> {
        let mut loops = vec![f];
        let assignment = loop {
            let mut body = loops[loops.len() - 1].body.iter().filter(|s| !matches!(s.kind, StmtKind::Attribute(_)));
            match (&body.next()?.kind, body.next()) {
                (StmtKind::For(inner), None) => loops.push(inner),
                (StmtKind::Expr(e), None) => break e,
                _ => return None,
            }
        };
        let ExprKind::Assign { target, op, value } = &assignment.kind else { return None };
        let ExprKind::Index { base, items } = &target.kind else { return None };
        let ExprKind::Name(array) = &base.kind else { return None };
        let (op, value) = match op {
            Some(op) => (*op, &**value),
            None => {
                let ExprKind::Binary(op, a, b) = &value.kind else { return None };
                let itself = |e: &Expr| pretty::expression(e) == pretty::expression(target);
                match op {
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::ElemMul if itself(a) => (*op, &**b),
                    // For floats a sum is the same the other way round.
                    BinaryOp::Add | BinaryOp::Mul | BinaryOp::ElemMul if itself(b) => (*op, &**a),
                    _ => return None,
                }
            }
        };
        pattern::class(op)?;
        let (changed, ranges) = (Names::of_expr(value), loops.iter().map(|f| &f.over));
        let still = |e: &Expr| {
            let names = Names::of_expr(e);
            plain(e) && !names.mentions(array) && !loops.iter().any(|f| names.mentions(&f.name))
        };
        let quiet = |names: &Names| names.assigned.is_empty() && !names.mentions(array);
        let counts = ranges.clone().all(|r| matches!(r.kind, ExprKind::Range { .. }) && quiet(&Names::of_expr(r)));
        let own = loops.iter().all(|f| f.name != *array);
        (items.iter().all(still) && quiet(&changed) && counts && own).then_some(Change {
            loops,
            target,
            array,
            op,
            value,
        })
    }

    fn with(&self, name: &Text) -> Block {
        let span = self.target.span;
        let expr = |kind, span: Span| Expr { id: self.target.id, span, kind };
        let variable = || Box::new(expr(ExprKind::Name(name.clone()), span));
        let statement = |kind| Stmt { kind: StmtKind::Expr(expr(kind, span)), span };
        let (op, value) = (Some(self.op), Box::new(self.value.clone()));
        let innermost = vec![statement(ExprKind::Assign { target: variable(), op, value })];
        let nest = self.loops.iter().rev().fold(innermost, |body, f| {
            let kind = StmtKind::For(Box::new(For { body, over: f.over.clone(), name: f.name.clone(), ..**f }));
            vec![Stmt { kind, span: f.span }]
        });
        let element = Box::new(self.target.clone());
        let first = ExprKind::Assign { target: variable(), op: None, value: element.clone() };
        let last = ExprKind::Assign { target: element, op: None, value: variable() };
        [statement(first)].into_iter().chain(nest).chain([statement(last)]).collect()
    }
}

/// A sum or product of names and numbers: it can be evaluated at any time.
fn plain(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Int(_) | ExprKind::Name(_) => true,
        ExprKind::Unary(_, a) => plain(a),
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, a, b) => plain(a) && plain(b),
        _ => false,
    }
}
