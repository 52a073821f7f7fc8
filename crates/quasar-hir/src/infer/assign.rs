//! Assignments: the types that variables have behind them.

use super::Infer;
use super::rules::binary;
use crate::types::{Env, Type};
use quadra_quasar_syntax::ast::{BinaryOp, Expr, ExprKind, Function};
use std::rc::Rc;

impl Infer<'_> {
    pub(super) fn assign_several(&mut self, targets: &[Expr], value: &Expr, env: &mut Env) {
        let items: Vec<Option<Type>> = match &value.kind {
            ExprKind::Array(items) => items.iter().map(|i| self.expr(i, env)).collect(),
            _ => {
                self.expr(value, env);
                Vec::new()
            }
        };
        for (i, target) in targets.iter().enumerate() {
            self.store(target, items.get(i).cloned().flatten(), env);
        }
    }

    pub(super) fn assign(&mut self, target: &Expr, op: Option<BinaryOp>, value: &Expr, env: &mut Env) -> Option<Type> {
        self.note_copy(target, value);
        let new = self.expr(value, env);
        let new = match op {
            None => new,
            Some(op) => {
                let old = self.expr(target, env);
                match (&old, &new) {
                    (Some(Type::Int(..)), Some(t)) if t.is_number() && !matches!(t, Type::Complex(_)) => old,
                    _ => binary(op, old, new),
                }
            }
        };
        if let (ExprKind::Name(name), ExprKind::Lambda(f)) = (&target.kind, &value.kind) {
            let same = |old: &Option<Rc<Function>>| old.as_ref().is_some_and(|old| Rc::ptr_eq(old, f));
            let only = self.lambdas.get(name).is_none_or(same);
            self.lambdas.insert(name.clone(), only.then(|| f.clone()));
            self.note(target.id, &new);
            env.insert(name.clone(), new.clone());
            return new;
        }
        self.store(target, new.clone(), env);
        new
    }

    pub(super) fn store(&mut self, target: &Expr, ty: Option<Type>, env: &mut Env) {
        self.note(target.id, &ty);
        match &target.kind {
            ExprKind::Name(name) => {
                self.lambdas.insert(name.clone(), None);
                env.insert(name.clone(), ty);
            }
            ExprKind::TypeCheck(inner, written) => {
                let ty = self.types.resolve(written, &[], &mut Vec::new()).ty;
                self.store(inner, (!matches!(ty, Type::Any | Type::Unknown(_))).then_some(ty), env);
            }
            ExprKind::Index { base, items } => {
                self.expr(base, env);
                items.iter().for_each(|i| drop(self.expr(i, env)));
            }
            ExprKind::Field { base, name, .. } => {
                let ty = self.expr(base, env);
                self.check_mutable(ty, name, target.span);
            }
            _ => {}
        }
    }
}
