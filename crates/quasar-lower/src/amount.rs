//! How many statements an iteration of a loop executes, as far as that can be told before it runs.

use super::strip::LANES;
use quadra_base::quick::Map;
use quadra_quasar_hir::meaning::{Meaning, Measure};
use quadra_quasar_hir::op2::Op2;
use quadra_quasar_hir::scope::Names;
use quadra_quasar_syntax::ast::{BinaryOp, Block, Expr, ExprKind, NodeId, Stmt, StmtKind, Text, UnaryOp};
use quadra_quasar_vm::builtins::meaning;
use quadra_quasar_vm::value::Value;

pub(super) type Values<'a> = dyn Fn(&str) -> Option<Value> + 'a;

/// What is known of variables while the statements of an iteration are counted.
pub(super) struct Count<'a> {
    lanes: &'a [NodeId],
    /// What variables hold before the loop.
    before: &'a Values<'a>,
    /// What they hold where the iteration sets them; nothing if that is not known.
    own: Map<Text, Option<f64>>,
}

impl<'a> Count<'a> {
    pub fn new(lanes: &'a [NodeId], before: &'a Values<'a>, own: Map<Text, Option<f64>>) -> Count<'a> {
        Count { lanes, before, own }
    }

    fn number(&self, e: &Expr) -> Option<f64> {
        let value = |name: &str| match self.own.get(name) {
            Some(known) => known.map(Value::F64),
            None => (self.before)(name),
        };
        number_of(e, &value, true)
    }

    /// Vectors that an assignment of all elements of an array takes.
    fn elements(&self, e: &Expr) -> f64 {
        let ExprKind::Assign { target, .. } = &e.kind else { return 0.0 };
        let ExprKind::Index { base, items } = &target.kind else { return 0.0 };
        match &base.kind {
            ExprKind::Name(name) if items.iter().all(|i| matches!(i.kind, ExprKind::Colon)) => {
                match (self.before)(name) {
                    Some(Value::Array(t)) => t.len() as f64 / LANES as f64,
                    _ => 0.0,
                }
            }
            _ => 0.0,
        }
    }

    fn forget(&mut self, names: &Names) {
        self.own.extend(names.assigned.iter().map(|n| (n.clone(), None)));
    }

    /// How many statements are executed, of vectors in loops whose iterations are lanes; nothing if that cannot be told. Variables
    /// of loops are in the middle of their ranges.
    pub fn block(&mut self, block: &Block) -> Option<f64> {
        block.iter().try_fold(0.0, |sum, stmt| Some(sum + self.statement(stmt)?))
    }

    fn statement(&mut self, stmt: &Stmt) -> Option<f64> {
        Some(match &stmt.kind {
            StmtKind::For(f) => {
                let ExprKind::Range { from, step: None, to } = &f.over.kind else { return None };
                let first = self.number(from)?;
                let turns = (self.number(to)? - first + 1.0).max(0.0);
                let width = if self.lanes.contains(&f.id) { LANES as f64 } else { 1.0 };
                self.own.insert(f.name.clone(), Some((first + 0.5 * (turns - 1.0).max(0.0)).floor()));
                let each = self.block(&f.body)?;
                self.forget(&Names::of_block(&vec![stmt.clone()]));
                1.0 + (turns / width).ceil() * each
            }
            StmtKind::If { arms, otherwise } => {
                let mut all = 1.0;
                for block in arms.iter().map(|a| &a.1).chain([otherwise]) {
                    all += self.block(block)?;
                    self.forget(&Names::of_block(block));
                }
                all
            }
            // Once: whoever takes the loops within one by one does that in every iteration, too.
            StmtKind::While { body, .. } | StmtKind::Repeat { body, .. } => {
                self.forget(&Names::of_block(body));
                let each = self.block(body)?;
                self.forget(&Names::of_block(body));
                1.0 + each
            }
            StmtKind::Expr(e) => {
                let known = match &e.kind {
                    ExprKind::Assign { op: None, value, .. } | ExprKind::Declare { value: Some(value), .. } => {
                        self.number(value)
                    }
                    _ => None,
                };
                for name in Names::of_expr(e).assigned {
                    self.own.insert(name, known);
                }
                1.0 + self.elements(e)
            }
            _ => 1.0,
        })
    }
}

/// The number that an expression of integers, variables and lengths has before the loop.
pub(super) fn number(e: &Expr, value: &Values<'_>) -> Option<f64> {
    number_of(e, value, false)
}

/// The same where all functions are known to be those of the language.
pub(super) fn length(e: &Expr, value: &Values<'_>) -> Option<f64> {
    number_of(e, value, true)
}

/// The same; `roughly` if functions may be taken for those of the language that have their names.
fn number_of(e: &Expr, value: &Values<'_>, roughly: bool) -> Option<f64> {
    let of = |e: &Expr| number_of(e, value, roughly);
    match &e.kind {
        ExprKind::Int(v) => Some(*v as f64),
        ExprKind::Name(name) => value(name)?.as_f64(),
        ExprKind::Unary(UnaryOp::Neg, a) => Some(-of(a)?),
        ExprKind::Binary(op, a, b) => {
            let (x, y) = (of(a)?, of(b)?);
            match op {
                BinaryOp::Add => Some(x + y),
                BinaryOp::Sub => Some(x - y),
                BinaryOp::Mul => Some(x * y),
                _ => None,
            }
        }
        ExprKind::Call { callee, args } => {
            let (ExprKind::Name(f), Some(first)) = (&callee.kind, args.first()) else { return None };
            if let (Meaning::Extreme(op), [a, b], true) = (meaning(f), &args[..], roughly) {
                let (x, y) = (of(&a.value)?, of(&b.value)?);
                return Some(if op == Op2::Max { x.max(y) } else { x.min(y) });
            }
            let ExprKind::Name(array) = &first.value.kind else { return None };
            let Value::Array(t) = value(array)? else { return None };
            match (meaning(f), &args[1..]) {
                (Meaning::Measure(Measure::Elements), []) => Some(t.len() as f64),
                (Meaning::Measure(Measure::Lengths), [axis]) => {
                    let axis = of(&axis.value)?;
                    t.shape.get(axis as usize).map(|n| *n as f64)
                }
                _ => None,
            }
        }
        _ => None,
    }
}
