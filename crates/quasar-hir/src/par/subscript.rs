//! Index expressions as linear functions of loop variables.

use quadra_quasar_syntax::ast::{BinaryOp, Expr, ExprKind, Text, UnaryOp};
use quadra_quasar_syntax::pretty;

/// `Σ coefficient · variable + constant + terms that do not change in the loop`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Linear {
    /// By loop variable, without zeros, sorted.
    pub coefficients: Vec<(Text, i64)>,
    pub constant: i64,
    /// Other terms as text with their sign, sorted.
    pub rest: Vec<String>,
}

impl Linear {
    fn add(mut self, other: Linear, sign: i64) -> Linear {
        for (name, c) in other.coefficients {
            match self.coefficients.iter_mut().find(|(n, _)| *n == name) {
                Some((_, old)) => *old += sign * c,
                None => self.coefficients.push((name, sign * c)),
            }
        }
        self.coefficients.retain(|(_, c)| *c != 0);
        self.coefficients.sort();
        self.constant = self.constant.wrapping_add(sign.wrapping_mul(other.constant));
        for term in other.rest {
            let flipped = match (sign, term.strip_prefix('-')) {
                (1, _) => term,
                (_, Some(positive)) => positive.to_string(),
                _ => format!("-{term}"),
            };
            self.rest.push(flipped);
        }
        self.rest.sort();
        self
    }

    fn scale(mut self, k: i64) -> Option<Linear> {
        if !self.rest.is_empty() && k != 1 {
            if k != -1 {
                return None;
            }
            return Some(Linear::default().add(self, -1));
        }
        self.coefficients.iter_mut().for_each(|(_, c)| *c = c.wrapping_mul(k));
        self.coefficients.retain(|(_, c)| *c != 0);
        self.constant = self.constant.wrapping_mul(k);
        Some(self)
    }
}

/// Takes an index apart. `loops` are the variables of the nest, `changes` says which other names change in the body.
pub fn linear(e: &Expr, loops: &[Text], changes: &dyn Fn(&str) -> bool) -> Option<Linear> {
    match &e.kind {
        ExprKind::Int(v) => Some(Linear { constant: *v, ..Linear::default() }),
        ExprKind::Name(n) if loops.contains(n) => {
            Some(Linear { coefficients: vec![(n.clone(), 1)], ..Linear::default() })
        }
        ExprKind::Unary(UnaryOp::Neg, a) => linear(a, loops, changes)?.scale(-1),
        ExprKind::Unary(UnaryOp::Plus, a) => linear(a, loops, changes),
        ExprKind::Binary(BinaryOp::Add, a, b) => Some(linear(a, loops, changes)?.add(linear(b, loops, changes)?, 1)),
        ExprKind::Binary(BinaryOp::Sub, a, b) => Some(linear(a, loops, changes)?.add(linear(b, loops, changes)?, -1)),
        ExprKind::Binary(BinaryOp::Mul, a, b) => {
            let (x, y) = (linear(a, loops, changes)?, linear(b, loops, changes)?);
            let number = |l: &Linear| (l.coefficients.is_empty() && l.rest.is_empty()).then_some(l.constant);
            match (number(&x), number(&y)) {
                (Some(k), _) => y.scale(k),
                (_, Some(k)) => x.scale(k),
                _ => invariant(e, loops, changes),
            }
        }
        _ => invariant(e, loops, changes),
    }
}

/// A term that is the same in all iterations.
fn invariant(e: &Expr, loops: &[Text], changes: &dyn Fn(&str) -> bool) -> Option<Linear> {
    let names = crate::scope::Names::of_expr(e);
    if !names.assigned.is_empty() || names.mentioned.iter().any(|n| loops.contains(n) || changes(n)) {
        return None;
    }
    Some(Linear { rest: vec![pretty::expression(e)], ..Linear::default() })
}
