//! Sizes of arrays as far as the text of a program says them: of types, literals, operators, indices and built-in functions.

use super::{Certain, Known, Shape, State};
use crate::meaning::{Meaning, Measure};
use crate::types::{Dim, Rank, Type};
use quadra_base::quick::Map;
use quadra_base::{Diagnostic, Span};
use quadra_quasar_syntax::ast::{BinaryOp, Expr, ExprKind, Text};

/// Sizes as they are written in messages.
pub fn text(shape: &Shape) -> String {
    shape.iter().map(|n| n.map_or(":".to_string(), |n| n.to_string())).collect::<Vec<_>>().join("x")
}

/// What a type says of its values.
pub fn of_type(ty: &Type) -> Known {
    match ty {
        Type::Int(..) | Type::Scalar(_) | Type::Complex(_) => Known::Number,
        Type::Class(c) => Known::Object(c.name.clone()),
        Type::Array { rank: Rank::Fixed(rank), dims, .. } if !dims.is_empty() => {
            let mut shape: Shape = dims.iter().map(|d| if let Dim::Size(n) = d { Some(*n) } else { None }).collect();
            if *rank == 1 {
                shape.insert(0, Some(1));
            }
            Known::Array(shape)
        }
        _ => Known::Other,
    }
}

fn length(shape: &Shape, d: usize) -> Option<usize> {
    shape.get(d).copied().unwrap_or(Some(1))
}

/// Binds the size parameters of a type to what an array has.
///
/// # Errors
/// The type as the sizes so far have it, if the array contradicts it.
pub fn bind(shape: &Shape, ty: &Type, env: &mut Map<Text, Known>) -> Result<(), Type> {
    let Type::Array { rank, element, dims } = ty else { return Ok(()) };
    let first = usize::from(matches!(rank, Rank::Fixed(1)));
    let mut solved = dims.clone();
    let mut wrong = first == 1 && !dims.is_empty() && length(shape, 0).is_some_and(|n| n != 1);
    let before = env.clone();
    for (i, dim) in dims.iter().enumerate() {
        let have = length(shape, i + first);
        let want = match dim {
            Dim::Any => None,
            Dim::Size(n) => Some(*n),
            Dim::Param(name) => match before.get(name) {
                Some(Known::Int(n)) => usize::try_from(*n).ok(),
                _ => {
                    if let Some(n) = have {
                        env.insert(name.clone(), Known::Int(n as i64));
                    }
                    None
                }
            },
        };
        if let Some(n) = want {
            solved[i] = Dim::Size(n);
            wrong |= have.is_some_and(|h| h != n);
        }
    }
    let ty = Type::Array { rank: *rank, element: element.clone(), dims: solved };
    if wrong { Err(ty) } else { Ok(()) }
}

/// Results of built-in functions.
pub fn of_builtin(meaning: Meaning, args: &[Known]) -> Known {
    let lengths: Option<Vec<usize>> =
        args.iter().map(|a| if let Known::Int(n) = a { usize::try_from(*n).ok() } else { None }).collect();
    match (meaning, args) {
        (Meaning::Fill(_) | Meaning::Random, [_, ..]) => match lengths.as_deref() {
            Some([n]) => Known::Array(vec![Some(1), Some(*n)]),
            Some(list) => Known::Array(list.iter().map(|n| Some(*n)).collect()),
            None => Known::Other,
        },
        (Meaning::Identity, [Known::Int(n)]) => Known::Array(vec![usize::try_from(*n).ok(); 2]),
        (Meaning::Transpose, [Known::Array(shape)]) if shape.len() == 2 => Known::Array(vec![shape[1], shape[0]]),
        (Meaning::Map(_) | Meaning::Copy | Meaning::Float, [known]) => match known {
            Known::Array(shape) => Known::Array(shape.clone()),
            Known::Int(_) | Known::Number => Known::Number,
            _ => Known::Other,
        },
        (Meaning::Measure(Measure::Lengths), [Known::Array(shape), Known::Int(d)]) => {
            let n = usize::try_from(*d).ok().and_then(|d| length(shape, d));
            n.map_or(Known::Number, |n| Known::Int(n as i64))
        }
        (Meaning::Measure(Measure::Lengths), [Known::Array(shape)]) => Known::Array(vec![Some(1), Some(shape.len())]),
        (Meaning::Measure(Measure::Elements), [Known::Array(shape)]) => {
            let total = shape.iter().copied().product::<Option<usize>>();
            total.map_or(Known::Number, |n| Known::Int(n as i64))
        }
        (Meaning::Sum | Meaning::Product | Meaning::Mean | Meaning::DotProduct | Meaning::Norm, [Known::Array(_)]) => {
            Known::Number
        }
        _ => Known::Other,
    }
}

/// All lengths, if all are known.
fn all(shape: &Shape) -> Option<Vec<usize>> {
    shape.iter().copied().collect()
}

impl Certain<'_> {
    pub(super) fn literal(&mut self, items: &[Expr], state: &mut State) -> Known {
        let known: Vec<Known> = items.iter().map(|i| self.expr(i, state)).collect();
        let spread = items.iter().any(|i| matches!(i.kind, ExprKind::Spread(_)));
        if spread || known.is_empty() {
            return Known::Other;
        }
        if known.iter().all(|k| matches!(k, Known::Int(_) | Known::Number)) {
            return Known::Array(vec![Some(1), Some(known.len())]);
        }
        match &known[0] {
            Known::Array(shape) if shape.len() == 2 && shape[0] == Some(1) && known.iter().all(|k| *k == known[0]) => {
                Known::Array(vec![Some(known.len()), shape[1]])
            }
            _ => Known::Other,
        }
    }

    pub(super) fn operator(&mut self, op: BinaryOp, x: Known, y: Known, span: Span, state: &mut State) -> Known {
        use BinaryOp::*;
        match (x, y) {
            (Known::Int(a), Known::Int(b)) => {
                let v = match op {
                    Add => a.checked_add(b),
                    Sub => a.checked_sub(b),
                    Mul | ElemMul => a.checked_mul(b),
                    Lt => Some((a < b).into()),
                    Le => Some((a <= b).into()),
                    Gt => Some((a > b).into()),
                    Ge => Some((a >= b).into()),
                    Eq => Some((a == b).into()),
                    Ne => Some((a != b).into()),
                    _ => None,
                };
                v.map_or(Known::Number, Known::Int)
            }
            (Known::Int(_) | Known::Number, Known::Int(_) | Known::Number) => Known::Number,
            (Known::Array(s), Known::Int(_) | Known::Number) | (Known::Int(_) | Known::Number, Known::Array(s)) => {
                if op == Pow { Known::Other } else { Known::Array(s) }
            }
            (Known::Array(a), Known::Array(b)) => match op {
                Mul => self.product(&a, &b, span, state),
                Div | Pow => Known::Other,
                _ => self.elementwise(op, &a, &b, span, state),
            },
            _ => Known::Other,
        }
    }

    fn elementwise(&mut self, op: BinaryOp, a: &Shape, b: &Shape, span: Span, state: &mut State) -> Known {
        let mut shape = Shape::new();
        for d in 0..a.len().max(b.len()) {
            shape.push(match (length(a, d), length(b, d)) {
                (Some(1), n) | (n, Some(1)) => n,
                (Some(n), Some(m)) if n == m => Some(n),
                (Some(_), Some(_)) => {
                    let message = format!("operands have incompatible sizes {} and {}", text(a), text(b));
                    let help = format!(
                        "'{}' needs equal sizes, a number, or dimensions of length 1 that can be repeated",
                        op.symbol()
                    );
                    self.wrong(state, Diagnostic::error("Q0320", message).at(span).help(help));
                    return Known::Other;
                }
                _ => None,
            });
        }
        Known::Array(shape)
    }

    fn product(&mut self, a: &Shape, b: &Shape, span: Span, state: &mut State) -> Known {
        let (Some(x), Some(y)) = (all(a), all(b)) else { return Known::Other };
        let ([m, k], [p, n]) = (&x[..], &y[..]) else { return Known::Other };
        if *m == 1 && *p == 1 && k == n {
            return Known::Array(a.clone());
        }
        if m * k == 1 || p * n == 1 {
            return Known::Other;
        }
        if k != p {
            let message = format!("inner dimensions of {} and {} do not agree", text(a), text(b));
            let help = "use '.*' to multiply element by element, or transpose one operand";
            self.wrong(state, Diagnostic::error("Q0399", message).at(span).help(help));
            return Known::Other;
        }
        Known::Array(vec![Some(*m), Some(*n)])
    }

    /// `base[items]`, read or written.
    pub(super) fn index(&mut self, base: &Expr, items: &[Expr], write: bool, state: &mut State) -> Known {
        let known = self.expr(base, state);
        let indices: Vec<Option<(i64, i64)>> = items.iter().map(|i| self.ends(i, state)).collect();
        let Known::Array(shape) = known else { return Known::Other };
        let name = if let ExprKind::Name(n) = &base.kind { Some(n.clone()) } else { None };
        let moded = name.as_ref().is_some_and(|n| state.moded.contains(n));
        let spread = items.iter().any(|i| matches!(i.kind, ExprKind::Spread(_)));
        let checked = !moded && !spread && (write || !state.safe);
        for (d, (item, ends)) in items.iter().zip(&indices).enumerate() {
            let n = match items {
                [_] if shape.len() == 2 && shape[0] == Some(1) => shape[1],
                [_] => all(&shape).map(|s| s.iter().product()),
                _ => length(&shape, d),
            };
            let (Some((low, high)), Some(n), true) = (ends, n, checked) else { continue };
            let Some(i) = [*low, *high].into_iter().find(|i| *i < 0 || *i >= n as i64) else { continue };
            let place = name.as_ref().map_or("array".to_string(), |n| format!("'{n}'"));
            let range = if n == 0 { ", which is empty".to_string() } else { String::new() };
            let bounds = if n == 0 { String::new() } else { format!(" (0..{})", n - 1) };
            let message = format!("index {i} is out of bounds{bounds} in {place}{range}");
            let help = match write {
                true if i >= n as i64 => crate::grow::instead(name.as_ref().map_or("", |n| n)),
                true => "indices start at 0".to_string(),
                false => "indices start at 0; declare the variable with an access mode such as 'safe or 'clamped to read outside".to_string(),
            };
            self.wrong(state, Diagnostic::error("Q0340", message).at(item.span).help(help));
            return Known::Other;
        }
        let single = |item: &Expr| !matches!(item.kind, ExprKind::Colon | ExprKind::Range { .. } | ExprKind::Spread(_));
        let numbers = indices.iter().all(Option::is_some) && items.iter().all(single);
        if numbers { Known::Number } else { Known::Other }
    }

    /// The least and the greatest index of an item that is a constant or a range of constants.
    fn ends(&mut self, item: &Expr, state: &mut State) -> Option<(i64, i64)> {
        if let ExprKind::Range { from, step: None, to } = &item.kind {
            let (a, b) = (self.expr(from, state), self.expr(to, state));
            return match (a, b) {
                (Known::Int(a), Known::Int(b)) if a <= b => Some((a, b)),
                _ => None,
            };
        }
        match self.expr(item, state) {
            Known::Int(i) => Some((i, i)),
            _ => None,
        }
    }
}
