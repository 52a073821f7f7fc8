//! Types of operations: what operators, literals, indices and joins of paths give.

use crate::types::{Env, Fit, IntKind, Rank, Type};
use quadra_quasar_syntax::ast::{BinaryOp, Expr, ExprKind};
use std::rc::Rc;

pub fn element(t: &Type) -> Option<&Type> {
    match t {
        Type::Array { element, .. } => Some(element),
        _ => None,
    }
}

pub fn is_float(t: &Type) -> bool {
    matches!(t, Type::Scalar(_))
}

/// The type after either of several paths.
pub fn join(ends: Vec<Env>) -> Env {
    let mut ends = ends.into_iter();
    let Some(mut result) = ends.next() else { return Env::default() };
    for end in ends {
        absorb(&mut result, end);
    }
    result
}

/// Joins what a body leaves with what was before it; whether that changed anything.
pub fn absorb(env: &mut Env, end: Env) -> bool {
    let mut changed = false;
    for (name, ty) in end {
        match env.get_mut(&name) {
            Some(None) => {}
            Some(Some(old)) if ty.as_ref().is_some_and(|ty| old.same(ty)) => {}
            Some(old) => {
                *old = join_type(old, &ty);
                changed = true;
            }
            None => {
                env.insert(name, ty);
                changed = true;
            }
        }
    }
    changed
}

pub fn join_type(a: &Option<Type>, b: &Option<Type>) -> Option<Type> {
    match (a, b) {
        (Some(x), Some(y)) if x.same(y) => a.clone(),
        (Some(Type::Int(..)), Some(y)) if is_float(y) => b.clone(),
        (Some(x), Some(Type::Int(..))) if is_float(x) => a.clone(),
        (Some(Type::Array { rank: r, element: e, .. }), Some(Type::Array { rank: s, element: f, .. })) if e.same(f) => {
            let rank = match (r, s) {
                (Rank::Fixed(x), Rank::Fixed(y)) => Rank::Fixed(*x.max(y)),
                _ => Rank::Any,
            };
            Some(Type::Array { rank, element: e.clone(), dims: Vec::new() })
        }
        _ => None,
    }
}

pub fn promote(a: &Type, b: &Type, op: BinaryOp) -> Option<Type> {
    Some(match (a, b) {
        (Type::Complex(p), _) | (_, Type::Complex(p)) => Type::Complex(*p),
        (Type::Int(..), Type::Int(..))
            if matches!(op, BinaryOp::Div | BinaryOp::ElemDiv | BinaryOp::Pow | BinaryOp::ElemPow) =>
        {
            Type::SCALAR
        }
        (Type::Int(a, _), Type::Int(b, _)) => Type::Int(wider(*a, *b), Fit::Checked),
        (Type::Scalar(p), Type::Int(..)) | (Type::Int(..), Type::Scalar(p)) => Type::Scalar(*p),
        (Type::Scalar(p), Type::Scalar(q)) if p == q => Type::Scalar(*p),
        _ => return None,
    })
}

/// What a sum of two integers is: an `int`, unless one of them may be what no `int` holds.
fn wider(a: IntKind, b: IntKind) -> IntKind {
    let large = |k: IntKind| matches!(k, IntKind::I64 | IntKind::U32 | IntKind::U64);
    match (a, b) {
        (IntKind::U64, IntKind::U64) => IntKind::U64,
        _ if large(a) || large(b) => IntKind::I64,
        _ => IntKind::Int,
    }
}

pub fn binary(op: BinaryOp, a: Option<Type>, b: Option<Type>) -> Option<Type> {
    let (a, b) = (a?, b?);
    if matches!(a, Type::Str) || matches!(b, Type::Str) {
        return if op == BinaryOp::Add { Some(Type::Str) } else { Some(Type::INT) };
    }
    if matches!(a, Type::Any) || matches!(b, Type::Any) {
        return Some(Type::Any);
    }
    match (&a, &b) {
        (x, y) if x.is_number() && y.is_number() => {
            if op.is_comparison() {
                return Some(Type::INT);
            }
            promote(x, y, op)
        }
        (Type::Array { rank, element, .. }, y) if y.is_number() => {
            Some(Type::Array { rank: *rank, element: Rc::new(promote(element, y, op)?), dims: Vec::new() })
        }
        (x, Type::Array { rank, element, .. }) if x.is_number() => {
            Some(Type::Array { rank: *rank, element: Rc::new(promote(x, element, op)?), dims: Vec::new() })
        }
        (Type::Array { rank: r, element: e, .. }, Type::Array { rank: s, element: f, .. }) if r == s => {
            Some(Type::Array { rank: *r, element: Rc::new(promote(e, f, op)?), dims: Vec::new() })
        }
        _ => None,
    }
}

pub fn array_type(items: Vec<Option<Type>>, ints: bool) -> Option<Type> {
    let mut items = items.into_iter();
    let first = items.next()??;
    let all = items.try_fold(first, |a, b| match (&a, b?) {
        (x, y) if x.same(&y) => Some(a),
        (x, y) if x.is_number() && y.is_number() => promote(&a, &y, BinaryOp::Add),
        _ => None,
    })?;
    match all {
        Type::Int(..) if !ints => Some(Type::array(1, Type::SCALAR)),
        t if t.is_number() => Some(Type::array(1, t)),
        Type::Array { rank: Rank::Fixed(r), element, .. } => Some(Type::array(r + 1, (*element).clone())),
        _ => None,
    }
}

pub fn index_type(base: Type, items: &[Expr], kinds: &[Option<Type>]) -> Option<Type> {
    let Type::Array { rank, element, .. } = base else { return None };
    let scalar = |(item, kind): (&Expr, &Option<Type>)| {
        !matches!(item.kind, ExprKind::Range { .. } | ExprKind::Colon | ExprKind::Spread(_))
            && matches!(kind, Some(t) if t.is_number())
    };
    if items.iter().zip(kinds).all(scalar) {
        return Some((*element).clone());
    }
    let kept = items.iter().zip(kinds).filter(|pair| !scalar(*pair)).count();
    let known =
        items.iter().zip(kinds).all(|(i, k)| k.is_some() || matches!(i.kind, ExprKind::Range { .. } | ExprKind::Colon));
    match rank {
        // A matrix of positions gives a matrix, a mask a vector.
        Rank::Fixed(1) if matches!(kinds, [Some(Type::Array { rank, .. })] if *rank != Rank::Fixed(1)) => None,
        Rank::Fixed(1) if known && items.len() == 1 => Some(Type::array(1, (*element).clone())),
        _ if known && items.len() > 1 && kept > 1 => Some(Type::array(kept as u8, (*element).clone())),
        _ => None,
    }
}
