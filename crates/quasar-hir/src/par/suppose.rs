//! What the verdict supposes of values that are known only when the loop is reached. Where it does not hold, the loop runs
//! serially.
//!
//! `a[i+c]` is another element in every iteration if `c` is a whole number: of the positions -0.5 and 0.5 both are element 0.
//! `a[p]` with a position `p` is one element unless `a` is a vector: that has an element for each component.

use super::body::{Access, Body};
use super::exact::evaluate;
use crate::meaning::Library;
use crate::types::Type;
use quadra_quasar_syntax::ast::{BinaryOp, Expr, ExprKind, Text, UnaryOp};
use quadra_quasar_syntax::pretty;

/// What must hold of variables when the loop is reached.
#[derive(Clone, Debug)]
pub enum Supposed {
    /// The value is a whole number.
    Whole(Expr),
    /// The array is no vector, or a position in an array of this size has one component.
    Position(Text, Expr),
}

/// What a variable holds, as far as it matters here.
pub enum Held {
    Number(f64),
    /// The lengths of an array, and its first element.
    Array(Vec<usize>, Option<f64>),
    Other,
}

impl PartialEq for Supposed {
    fn eq(&self, other: &Supposed) -> bool {
        let text = pretty::expression;
        match (self, other) {
            (Supposed::Whole(a), Supposed::Whole(b)) => text(a) == text(b),
            (Supposed::Position(a, x), Supposed::Position(b, y)) => a == b && text(x) == text(y),
            _ => false,
        }
    }
}

impl Supposed {
    /// Why it does not hold.
    pub fn broken(&self, library: &Library, value: &dyn Fn(&str) -> Held) -> Option<String> {
        match self {
            Supposed::Whole(e) => {
                let number = |n: &str| if let Held::Number(x) = value(n) { Some(x) } else { None };
                let whole = |x: &f64| x.fract() == 0.0;
                let held = evaluate(e, library, &|n| number(n).filter(whole)).is_some_and(|x| whole(&x));
                (!held).then(|| format!("'{}' in a position is no whole number", pretty::expression(e)))
            }
            Supposed::Position(name, size) => {
                let array =
                    |n: &str| if let Held::Array(lengths, first) = value(n) { Some((lengths, first)) } else { None };
                let is_vector = |n: &str| array(n).is_some_and(|a| matches!(a.0[..], [1, _]));
                let one = match &size.kind {
                    ExprKind::Call { args, .. } => {
                        matches!(args.first().map(|a| &a.value.kind), Some(ExprKind::Name(of)) if is_vector(of))
                    }
                    ExprKind::Array(items) => {
                        items.len() == 1 || items.len() == 2 && matches!(items[0].kind, ExprKind::Int(1))
                    }
                    ExprKind::Name(n) => array(n).is_some_and(|(lengths, first)| match lengths[..] {
                        [1, 1] => true,
                        [1, 2] => first == Some(1.0),
                        _ => false,
                    }),
                    _ => false,
                };
                let held = one || array(name).is_some() && !is_vector(name);
                (!held).then(|| format!("a position in '{name}' may be several elements"))
            }
        }
    }
}

impl Body<'_> {
    /// What the verdict supposes.
    pub(super) fn supposed(&self, loops: &[Text]) -> Vec<Supposed> {
        let mut all = Vec::new();
        let written = |a: &&Access| self.accesses.iter().any(|b| b.write && b.array == a.array);
        for access in self.accesses.iter().filter(written) {
            if let [Expr { kind: ExprKind::Name(p), .. }] = &access.items[..]
                && let Some((_, size)) = self.positions.get(p)
            {
                all.push(Supposed::Position(access.array.clone(), size.clone()));
            }
            for item in &access.items {
                let mut terms = Vec::new();
                if self.terms(item, loops, &mut terms) {
                    all.extend(terms.into_iter().cloned().map(Supposed::Whole));
                }
            }
        }
        let mut different: Vec<Supposed> = Vec::new();
        for s in all {
            if !different.contains(&s) {
                different.push(s);
            }
        }
        different
    }

    /// Whether a position has a loop variable, and the terms next to it that may be fractions.
    fn terms<'e>(&self, e: &'e Expr, loops: &[Text], out: &mut Vec<&'e Expr>) -> bool {
        match &e.kind {
            ExprKind::Name(n) if loops.contains(n) => true,
            ExprKind::Unary(UnaryOp::Neg | UnaryOp::Plus, a) => self.terms(a, loops, out),
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, a, b) => {
                let (x, y) = (self.terms(a, loops, out), self.terms(b, loops, out));
                x || y
            }
            _ => {
                if !self.is_whole(e) {
                    out.push(e);
                }
                false
            }
        }
    }

    fn is_whole(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Int(_) => true,
            ExprKind::Name(n) => matches!(self.type_of(n), Some(Type::Int(..))),
            ExprKind::Unary(UnaryOp::Neg | UnaryOp::Plus, a) => self.is_whole(a),
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, a, b) => {
                self.is_whole(a) && self.is_whole(b)
            }
            ExprKind::Call { callee, args } => match &callee.kind {
                ExprKind::Name(n) if &**n == "int" => true,
                ExprKind::Name(n) => {
                    let meaning = self.library.meaning(n);
                    meaning.measures()
                        || meaning.rounds()
                        || meaning.keeps_whole() && args.iter().all(|a| self.is_whole(&a.value))
                }
                _ => false,
            },
            _ => false,
        }
    }
}
