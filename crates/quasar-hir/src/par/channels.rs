//! Innermost loops over the channels of pixels: whether lanes may be channels, one behind the other in memory.
//!
//! They may where every index that follows from the two innermost loops ends with a column, as far from the pixel's own as you like, and the
//! channel. A column of another scale (`x[2*m,2*n,c]`), a channel in another place (`y[c,m,n]`) or none (`a[m,n]`) would make lanes look for
//! their elements one by one; there an iteration had better compute all channels of its pixel.

use super::pattern::any_index;
use crate::scope::Names;
use quadra_quasar_syntax::ast::{BinaryOp, Expr, ExprKind, For, Text};

/// Most channels of a pixel.
const MOST: i64 = 4;

/// Whether the innermost loop of a nest may be one over channels that lanes cannot be.
pub(super) fn are_apart(nest: &[&For]) -> bool {
    let [.., column, channel] = nest else { return false };
    let (n, c) = (&column.name, &channel.name);
    let other = |items: &[Expr]| {
        let follows = |e: &Expr| mentions(e, n) || mentions(e, c);
        let near = match items {
            [rest @ .., x, y] => is_name(y, c) && is_shifted(x, n, c) && !rest.iter().any(follows),
            _ => false,
        };
        items.iter().any(follows) && !near
    };
    may_be_few(&channel.over) && any_index(&channel.body, &other)
}

/// Whether a range may have as few items as a pixel has channels.
pub(super) fn may_be_few(over: &Expr) -> bool {
    let ExprKind::Range { from, step: None, to } = &over.kind else { return false };
    match (&from.kind, &to.kind) {
        (ExprKind::Int(from), ExprKind::Int(to)) => (1..MOST).contains(&(to - from)),
        (ExprKind::Int(0 | 1), _) => true,
        _ => false,
    }
}

fn mentions(e: &Expr, name: &Text) -> bool {
    Names::of_expr(e).mentions(name)
}

fn is_name(e: &Expr, name: &Text) -> bool {
    matches!(&e.kind, ExprKind::Name(n) if n == name)
}

/// Whether it is a column plus or minus something that is the same for all, perhaps within limits.
fn is_shifted(e: &Expr, n: &Text, c: &Text) -> bool {
    let fixed = |e: &Expr| !mentions(e, n) && !mentions(e, c);
    match &e.kind {
        ExprKind::Name(name) => name == n,
        ExprKind::Binary(BinaryOp::Add, a, b) => is_shifted(a, n, c) && fixed(b) || fixed(a) && is_shifted(b, n, c),
        ExprKind::Binary(BinaryOp::Sub, a, b) => is_shifted(a, n, c) && fixed(b),
        ExprKind::Call { args, .. } => {
            args.iter().all(|a| fixed(&a.value) || is_shifted(&a.value, n, c))
                && args.iter().any(|a| mentions(&a.value, n))
        }
        _ => false,
    }
}
