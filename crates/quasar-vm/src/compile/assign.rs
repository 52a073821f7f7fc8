//! Assignments: variables, elements, fields, several targets, declarations.

use super::Compiler;
use crate::code::{Op, Reg};
use quadra_base::{Diagnostic, Span};
use quadra_quasar_hir::op2::Op2;
use quadra_quasar_syntax::ast::{BinaryOp, Expr, ExprKind, Text, TypeExpr};

/// Where a value goes, with everything in the target evaluated.
enum Place {
    Variable(Text),
    Element { base: Reg, first: Reg, n: u8, access: quadra_quasar_hir::types::Access, name: u16, span: Span },
    Spread { base: Reg, spec: u16, access: quadra_quasar_hir::types::Access, name: u16, span: Span },
    Field { base: Reg, name: u16, span: Span },
    Nothing,
}

impl Compiler<'_> {
    /// `target op= value`; the assigned value also goes to `d`.
    pub(super) fn assign(&mut self, e: &Expr, target: &Expr, op: Option<BinaryOp>, value: &Expr, d: Option<Reg>) {
        if let ExprKind::Name(name) = &target.kind {
            return self.assign_variable(e, target, name, op, value, d);
        }
        if let ExprKind::TypeCheck(inner, ty) = &target.kind
            && op.is_none()
        {
            return self.declare(e, inner, ty, Some(value));
        }
        let place = self.place(target);
        let Some(op) = op else {
            let reg = self.value(value);
            self.store(&place, reg);
            if let Some(d) = d {
                self.emit(Op::Move { d, a: reg });
            }
            return;
        };
        let old = self.temporary();
        self.fetch(&place, old);
        let new = self.value(value);
        let new = if matches!(op, BinaryOp::Pow | BinaryOp::ElemPow) { self.exponent(value, new) } else { new };
        let result = self.temporary();
        self.emit_at(e.span, operator(op, result, old, new));
        self.store(&place, result);
        if let Some(d) = d {
            self.emit(Op::Move { d, a: result });
        }
    }

    fn assign_variable(
        &mut self,
        e: &Expr,
        target: &Expr,
        name: &Text,
        op: Option<BinaryOp>,
        value: &Expr,
        d: Option<Reg>,
    ) {
        self.check_constant(name, target.span);
        let var = self.variable(name);
        let typed = self.top().declared.get(name).copied();
        let keeps = self.device();
        if let Some(op) = op {
            let mut b = self.value(value);
            if matches!(op, BinaryOp::Pow | BinaryOp::ElemPow) {
                b = self.exponent(value, b);
            }
            let index = self.name(name);
            let matrix = matches!(op, BinaryOp::Mul | BinaryOp::Div | BinaryOp::Pow);
            let to = if typed.is_some() { self.temporary() } else { var };
            self.emit_at(e.span, Op::Compound { op: Op2::of(op), matrix, d: to, a: var, b, name: index });
            if let Some(ty) = typed {
                self.emit(Op::StoreTyped { d: var, a: to, ty });
            }
        } else if let ExprKind::Lambda(f) = &value.kind {
            let index = self.function(f, Some(name.clone()));
            let to = if typed.is_some() { self.temporary() } else { var };
            self.emit_at(e.span, Op::Closure { d: to, index });
            if let Some(ty) = typed {
                self.emit(Op::StoreTyped { d: var, a: to, ty });
            }
        } else if let Some(ty) = typed {
            let a = self.value(value);
            self.emit_at(e.span, Op::StoreTyped { d: var, a, ty });
        } else if keeps {
            let a = self.value(value);
            let name = self.name(name);
            self.emit_at(e.span, Op::StoreKeep { d: var, a, name });
        } else {
            self.value_into(value, var);
            self.inherit_access(name, value);
        }
        if let Some(d) = d
            && d != var
        {
            self.emit(Op::Move { d, a: var });
        }
    }

    /// A plain copy of a variable has its access mode; any other value has the default one.
    fn inherit_access(&mut self, name: &Text, value: &Expr) {
        let access = match &value.kind {
            ExprKind::Name(source) => self.top().access.get(source).copied(),
            _ => None,
        };
        match access {
            Some(access) => drop(self.top().access.insert(name.clone(), access)),
            None => {
                if !self.top().declared.contains_key(name) && !self.is_output(name) {
                    self.top().access.remove(name);
                }
            }
        }
    }

    fn is_output(&mut self, name: &Text) -> bool {
        self.top().code.outputs.iter().any(|o| o.0 == *name)
    }

    fn check_constant(&mut self, name: &Text, span: Span) {
        if self.top().constant.contains(name) {
            let message = format!("'{name}' is const and cannot be changed");
            self.error(Diagnostic::error("Q0214", message).at(span).help("remove 'const from its type"));
        }
    }

    fn place(&mut self, target: &Expr) -> Place {
        match &target.kind {
            ExprKind::Name(name) => {
                self.check_constant(name, target.span);
                Place::Variable(name.clone())
            }
            ExprKind::Index { base, items } => {
                if let ExprKind::Name(name) = &base.kind {
                    self.check_constant(name, target.span);
                }
                let reg = self.value(base);
                let (access, name) = self.write_access_of(base);
                if items.iter().any(|i| matches!(i.kind, ExprKind::Spread(_))) {
                    let spec = self.spread_spec(items);
                    return Place::Spread { base: reg, spec, access, name, span: target.span };
                }
                let first = match &items[..] {
                    [one] if matches!(one.kind, ExprKind::Name(_)) => self.value(one),
                    _ => self.index_items(items),
                };
                Place::Element { base: reg, first, n: items.len() as u8, access, name, span: target.span }
            }
            ExprKind::Field { base, name, .. } => {
                let reg = self.value(base);
                Place::Field { base: reg, name: self.name(name), span: target.span }
            }
            ExprKind::Placeholder | ExprKind::Missing => Place::Nothing,
            ExprKind::TypeCheck(inner, ty) => {
                if let ExprKind::Name(name) = &inner.kind {
                    self.declare_variable(name, ty);
                }
                self.place(inner)
            }
            _ => Place::Nothing,
        }
    }

    fn fetch(&mut self, place: &Place, d: Reg) {
        match place {
            Place::Element { base, first, n: 1, access, name, span } => {
                self.emit_at(*span, Op::Index { access: *access, d, a: *base, i: *first, name: *name });
            }
            Place::Element { base, first, n, access, name, span } => {
                let op = Op::IndexN { access: *access, d, a: *base, first: *first, n: *n, name: *name };
                self.emit_at(*span, op);
            }
            Place::Spread { base, spec, access, name, span } => {
                let op = Op::IndexSpread { access: *access, d, a: *base, spec: *spec, name: *name };
                self.emit_at(*span, op);
            }
            Place::Field { base, name, span } => {
                self.emit_at(*span, Op::Field { d, a: *base, name: *name });
            }
            Place::Variable(_) | Place::Nothing => {}
        }
    }

    fn store(&mut self, place: &Place, value: Reg) {
        match place {
            Place::Variable(name) => {
                let d = self.variable(name);
                match self.top().declared.get(name).copied() {
                    Some(ty) => drop(self.emit(Op::StoreTyped { d, a: value, ty })),
                    None if self.device() => {
                        let name = self.name(name);
                        self.emit(Op::StoreKeep { d, a: value, name });
                    }
                    None => drop(self.emit(Op::Move { d, a: value })),
                }
            }
            Place::Element { base, first, n, access, name, span } => {
                let op = Op::SetIndex { access: *access, n: *n, a: *base, first: *first, value, name: *name };
                self.emit_at(*span, op);
            }
            Place::Spread { base, spec, access, name, span } => {
                let op = Op::SetIndexSpread { access: *access, a: *base, spec: *spec, value, name: *name };
                self.emit_at(*span, op);
            }
            Place::Field { base, name, span } => {
                self.emit_at(*span, Op::SetField { a: *base, name: *name, value });
            }
            Place::Nothing => {}
        }
    }

    /// `[a, b] = value`: all values exist before the first is stored.
    pub(super) fn multi_assign(&mut self, e: &Expr, targets: &[Expr], value: &Expr, d: Option<Reg>) {
        let n = targets.len();
        let first = self.temporaries(n.max(1));
        match &value.kind {
            ExprKind::Array(items) if !items.iter().any(|i| matches!(i.kind, ExprKind::Spread(_))) => {
                if items.len() != n {
                    let text = format!("{} values are assigned to {n} variables", items.len());
                    let k = self.constant(crate::value::Value::str(&text));
                    self.emit_at(e.span, Op::Fail { message: k });
                }
                for (i, item) in items.iter().take(n).enumerate() {
                    self.value_into(item, first + i as Reg);
                }
            }
            ExprKind::Call { callee, args } => {
                self.call(value, callee, args, n, first);
            }
            _ => {
                let a = self.value(value);
                self.emit_at(e.span, Op::Split { d: first, a, n: n as u8 });
            }
        }
        for (i, target) in targets.iter().enumerate() {
            self.scratch(|c| {
                let place = c.place(target);
                c.top().span = target.span;
                c.store(&place, first + i as Reg);
            });
        }
        if let Some(d) = d {
            self.emit(Op::Move { d, a: first });
        }
    }

    fn declare_variable(&mut self, name: &Text, ty: &TypeExpr) -> u16 {
        let declared = self.resolve(ty);
        let index = self.type_index(declared.ty);
        if let Some(access) = declared.access {
            self.top().access.insert(name.clone(), access);
        }
        self.top().declared.insert(name.clone(), index);
        index
    }

    /// `x : T` and `x : T = value`, for variables and fields.
    pub(super) fn declare(&mut self, e: &Expr, target: &Expr, ty: &TypeExpr, value: Option<&Expr>) {
        match &target.kind {
            ExprKind::Name(name) => {
                let d = self.variable(name);
                let itself = match value {
                    Some(Expr { kind: ExprKind::Lambda(f), .. }) => Some(self.function(f, Some(name.clone()))),
                    _ => None,
                };
                let a = match (itself, value) {
                    (Some(index), _) => {
                        let a = self.temporary();
                        self.emit_at(e.span, Op::Closure { d: a, index });
                        Some(a)
                    }
                    (None, Some(value)) => Some(self.value(value)),
                    _ => None,
                };
                let constant = self.resolve(ty).constant;
                let ty = self.declare_variable(name, ty);
                match a {
                    Some(a) => self.emit_at(e.span, Op::StoreTyped { d, a, ty }),
                    None => self.emit_at(e.span, Op::Default { d, ty }),
                };
                if constant {
                    self.top().constant.insert(name.clone());
                }
            }
            ExprKind::Field { base, name, .. } => {
                let a = self.value(base);
                let ty = self.resolve(ty).ty;
                let ty = self.type_index(ty);
                let name = self.name(name);
                self.emit_at(e.span, Op::DeclareField { a, name, ty });
                if let Some(value) = value {
                    let value = self.value(value);
                    self.emit_at(e.span, Op::SetField { a, name, value });
                }
            }
            _ => {}
        }
    }
}

fn operator(op: BinaryOp, d: Reg, a: Reg, b: Reg) -> Op {
    match op {
        BinaryOp::Add => Op::Add { d, a, b },
        BinaryOp::Sub => Op::Sub { d, a, b },
        BinaryOp::Mul => Op::Mul { d, a, b },
        BinaryOp::Div | BinaryOp::Pow => Op::Matrix { op: Op2::of(op), d, a, b },
        _ => Op::Binary { op: Op2::of(op), d, a, b },
    }
}
