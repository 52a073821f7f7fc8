//! Quotients of integers that are rounded at once, `int(a/b)`, `floor(a/b)` and the like: `scalar` has 24 bits, which a quotient
//! of integers of 32 bits does not fit in, so that rounding it afterwards would be too late.

use crate::meaning::{Library, Meaning};
use crate::op1::Op1;
use quadra_quasar_syntax::ast::{Arg, BinaryOp, Expr, ExprKind};

/// The direction of rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    Fix,
    Floor,
    Ceil,
    Nearest,
}

impl Round {
    const ALL: [Round; 4] = [Round::Fix, Round::Floor, Round::Ceil, Round::Nearest];

    /// The direction in which a function rounds.
    pub fn of(op: Op1) -> Option<Round> {
        Round::ALL.into_iter().find(|r| r.op() == op)
    }

    /// The direction by the name of the function that rounds so.
    pub fn named(name: &str) -> Option<Round> {
        Round::ALL.into_iter().find(|r| r.op().name() == name)
    }

    /// The function that rounds so.
    pub fn op(self) -> Op1 {
        match self {
            Round::Fix => Op1::Fix,
            Round::Floor => Op1::Floor,
            Round::Ceil => Op1::Ceil,
            Round::Nearest => Op1::Round,
        }
    }
}

/// A rounded quotient in the text of a program.
#[derive(Clone, Copy)]
pub struct Quotient<'e> {
    pub round: Round,
    /// The result is an integer.
    pub whole: bool,
    /// The quotient, `a / b` or `a ./ b`.
    pub quotient: &'e Expr,
    pub a: &'e Expr,
    pub b: &'e Expr,
}

/// A call of `int`, `floor`, `ceil`, `round` or `fix` on a quotient, or of `int` on such a call. `builtin` says whether a name
/// stands for the function of the language.
pub fn quotient<'e>(
    callee: &Expr,
    args: &'e [Arg],
    library: &Library,
    builtin: &mut dyn FnMut(&str) -> bool,
) -> Option<Quotient<'e>> {
    let ([Arg { value, name: None, .. }], ExprKind::Name(f)) = (args, &callee.kind) else { return None };
    let whole = &**f == "int";
    let round = match library.meaning(f) {
        _ if whole => Round::Fix,
        Meaning::Map(op) => Round::of(op)?,
        _ => return None,
    };
    if !builtin(f) {
        return None;
    }
    match &value.kind {
        ExprKind::Binary(BinaryOp::Div | BinaryOp::ElemDiv, a, b) => {
            Some(Quotient { round, whole, quotient: value, a, b })
        }
        ExprKind::Call { callee, args } if whole => {
            let inner = quotient(callee, args, library, builtin).filter(|q| !q.whole)?;
            Some(Quotient { whole, ..inner })
        }
        _ => None,
    }
}

/// `a / b` rounded to an integer.
pub fn divided(a: i128, b: i128, round: Round) -> i128 {
    let (q, r) = (a / b, a % b);
    let same = (r < 0) == (b < 0);
    match round {
        Round::Floor if r != 0 && !same => q - 1,
        Round::Ceil if r != 0 && same => q + 1,
        Round::Nearest if 2 * r.abs() >= b.abs() => q + if same { 1 } else { -1 },
        _ => q,
    }
}
