//! Expressions.

use super::Compiler;
use crate::builtins;
use crate::code::{Op, Reg};
use crate::tensor::{Data, Tensor};
use crate::typing;
use crate::value::Value;
use quadra_base::{Diagnostic, Span};
use quadra_quasar_hir::op2::Op2;
use quadra_quasar_hir::scope::Names;
use quadra_quasar_hir::types::{Access, Type};
use quadra_quasar_syntax::ast::{BinaryOp, Expr, ExprKind, FunctionKind, Text, TypeExpr, TypeExprKind, UnaryOp};
use std::rc::Rc;

/// What a name stands for where it is read.
pub(super) enum Binding {
    Variable(Reg),
    Itself,
    Function(usize),
    Builtin(usize),
    Value(Value),
    Type(Type),
    Nothing,
}

impl Compiler<'_> {
    pub(super) fn emit_at(&mut self, span: Span, op: Op) -> usize {
        self.top().span = span;
        self.emit(op)
    }

    pub(super) fn binding(&mut self, name: &Text) -> Binding {
        if let Some(reg) = self.top().registers.get(name) {
            return Binding::Variable(*reg);
        }
        if self.top().itself.as_ref() == Some(name) {
            return Binding::Itself;
        }
        if let Some(id) = self.shared.functions.get(name) {
            return Binding::Function(*id);
        }
        if let Some(value) = builtins::constant(name, self.shared.double) {
            return Binding::Value(value);
        }
        if let Some(id) = builtins::find(name).filter(|_| !self.is_own_type(name)) {
            return Binding::Builtin(id);
        }
        let written = TypeExpr {
            span: self.top().span,
            kind: TypeExprKind::Named { name: name.clone(), rank: None, dims: Vec::new(), element: None },
            modifiers: Vec::new(),
        };
        match self.resolve(&written).ty {
            Type::Unknown(_) => Binding::Nothing,
            ty => Binding::Type(ty),
        }
    }

    /// The register that holds the value of `e`: a variable's own, or a new temporary.
    pub(super) fn value(&mut self, e: &Expr) -> Reg {
        if let ExprKind::Name(name) = &e.kind
            && let Binding::Variable(reg) = self.binding(name)
        {
            return reg;
        }
        let d = self.temporary();
        self.value_into(e, d);
        d
    }

    /// Like [`value`](Self::value), but safe against an assignment to the variable before the value is used.
    pub(super) fn stable_value(&mut self, e: &Expr, later: &Expr) -> Reg {
        if let ExprKind::Name(name) = &e.kind
            && Names::of_expr(later).assigns(name)
        {
            let d = self.temporary();
            self.value_into(e, d);
            return d;
        }
        self.value(e)
    }

    /// Evaluates `e` into `d`, which may be a variable: it is written last.
    pub(super) fn value_into(&mut self, e: &Expr, d: Reg) {
        let next = self.top().next;
        self.expression_into(e, d);
        self.top().next = next;
    }

    fn expression_into(&mut self, e: &Expr, d: Reg) {
        match &e.kind {
            ExprKind::Int(v) => self.load(e.span, d, Value::integer(*v)),
            ExprKind::Float(v) => {
                let value = Value::scalar(*v, self.shared.double);
                self.load(e.span, d, value);
            }
            ExprKind::Imag(v) => {
                let value = Value::complex(0.0, *v, self.shared.double);
                self.load(e.span, d, value);
            }
            ExprKind::Str(s) => self.load(e.span, d, Value::Str(Rc::new(s.clone()))),
            ExprKind::Null => self.load(e.span, d, Value::Null),
            ExprKind::Colon => self.load(e.span, d, Value::Colon),
            ExprKind::Name(name) => self.name_into(e.span, name, d),
            ExprKind::Placeholder | ExprKind::Missing | ExprKind::Spread(_) => {
                let message = match e.kind {
                    ExprKind::Spread(_) => "'...' can only stand in an argument list, an index or an array literal",
                    _ => "'_' has no value",
                };
                self.error(Diagnostic::error("Q0211", message).at(e.span).help("write an expression here"));
            }
            ExprKind::Unary(op, a) => self.unary(e, *op, a, d),
            ExprKind::Binary(op, a, b) => self.binary(e, *op, a, b, d),
            ExprKind::And(a, b) => self.logic(e, a, b, true, d),
            ExprKind::Or(a, b) => self.logic(e, a, b, false, d),
            ExprKind::Ternary(c, a, b) => self.ternary(c, a, b, d),
            ExprKind::Range { from, step, to } => self.range(e.span, from, step.as_deref(), to, false, d),
            ExprKind::Call { callee, args } => self.call(e, callee, args, 1, d),
            ExprKind::Index { base, items } => self.index(e, base, items, d),
            ExprKind::Field { base, name, .. } => {
                let a = self.value(base);
                let name = self.name(name);
                self.emit_at(e.span, Op::Field { d, a, name });
            }
            ExprKind::Array(items) => self.array(e, items, d),
            ExprKind::Cell(items) => {
                let (first, n) = self.items(items);
                self.emit_at(e.span, Op::Cell { d, first, n });
            }
            ExprKind::Lambda(f) => {
                let index = self.function(f, None);
                self.emit_at(e.span, Op::Closure { d, index });
            }
            ExprKind::Assign { target, op, value } => self.assign(e, target, *op, value, Some(d)),
            ExprKind::MultiAssign { targets, value } => self.multi_assign(e, targets, value, Some(d)),
            ExprKind::Declare { target, ty, value } => self.declare(e, target, ty, value.as_deref()),
            ExprKind::TypeCheck(inner, ty) => self.type_check(e, inner, ty, d),
            ExprKind::Sequence(items) => {
                for (i, item) in items.iter().enumerate() {
                    if i + 1 == items.len() {
                        self.expression_into(item, d);
                    } else {
                        self.discard(item);
                    }
                }
            }
            ExprKind::Type(ty) => {
                let ty = self.resolve(ty).ty;
                self.type_into(e.span, ty, d);
            }
        }
    }

    pub(super) fn load(&mut self, span: Span, d: Reg, value: Value) {
        let k = self.constant(value);
        self.emit_at(span, Op::Const { d, k });
    }

    pub(super) fn type_into(&mut self, span: Span, ty: Type, d: Reg) {
        let ty = self.type_index(ty);
        self.emit_at(span, Op::TypeValue { d, ty });
    }

    fn name_into(&mut self, span: Span, name: &Text, d: Reg) {
        match self.binding(name) {
            Binding::Variable(a) => {
                let name = self.name(name);
                self.emit_at(span, Op::Load { d, a, name });
            }
            Binding::Itself => drop(self.emit_at(span, Op::Itself { d })),
            Binding::Function(id) => {
                self.check_callable_here(span, name);
                self.emit_at(span, Op::Function { d, id: id as u16 });
            }
            Binding::Builtin(id) => self.load(span, d, builtins::as_value(id)),
            Binding::Value(value) => self.load(span, d, value),
            Binding::Type(ty) => self.type_into(span, ty, d),
            Binding::Nothing => {
                self.shared.unknown.push((name.clone(), span));
                let name = self.name(name);
                self.emit_at(span, Op::Global { d, name });
            }
        }
    }

    /// Kernel and device code calls device functions only.
    fn check_callable_here(&mut self, span: Span, name: &Text) {
        if self.device() && self.shared.kinds.get(name) == Some(&FunctionKind::Host) {
            let message = format!("a kernel or device function cannot call the host function '{name}'");
            let help = format!("define it with __device__: function … = __device__ {name}(…)");
            self.error(Diagnostic::error("Q0402", message).at(span).help(help));
        }
    }

    fn unary(&mut self, e: &Expr, op: UnaryOp, a: &Expr, d: Reg) {
        if op == UnaryOp::Neg {
            let folded = match &a.kind {
                ExprKind::Int(v) => Some(Value::Int(-(*v as i32))),
                ExprKind::Float(v) => Some(Value::scalar(-v, self.shared.double)),
                _ => None,
            };
            if let Some(value) = folded {
                return self.load(e.span, d, value);
            }
        }
        if op == UnaryOp::Plus {
            return self.expression_into(a, d);
        }
        let a = self.value(a);
        self.emit_at(e.span, if op == UnaryOp::Neg { Op::Neg { d, a } } else { Op::Not { d, a } });
    }

    /// The constant that a literal number stands for.
    fn literal(&mut self, e: &Expr) -> Option<u16> {
        let value = match &e.kind {
            ExprKind::Int(v) => Value::integer(*v),
            ExprKind::Float(v) => Value::scalar(*v, self.shared.double),
            _ => return None,
        };
        Some(self.constant(value))
    }

    fn binary(&mut self, e: &Expr, op: BinaryOp, a: &Expr, b: &Expr, d: Reg) {
        let left = self.stable_value(a, b);
        if let (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, Some(k)) = (op, self.literal(b)) {
            let a = left;
            self.emit_at(
                e.span,
                match op {
                    BinaryOp::Add => Op::AddConst { d, a, k },
                    BinaryOp::Sub => Op::SubConst { d, a, k },
                    _ => Op::MulConst { d, a, k },
                },
            );
            return;
        }
        let mut right = self.value(b);
        if matches!(op, BinaryOp::Pow | BinaryOp::ElemPow) {
            right = self.exponent(b, right);
        }
        let (a, b) = (left, right);
        let op = match op {
            BinaryOp::Add => Op::Add { d, a, b },
            BinaryOp::Sub => Op::Sub { d, a, b },
            BinaryOp::Mul => Op::Mul { d, a, b },
            BinaryOp::Div | BinaryOp::Pow => Op::Matrix { op: Op2::of(op), d, a, b },
            _ => Op::Binary { op: Op2::of(op), d, a, b },
        };
        self.emit_at(e.span, op);
    }

    /// Only a literal integer exponent keeps an integer base an integer.
    pub(super) fn exponent(&mut self, e: &Expr, reg: Reg) -> Reg {
        let literal = match &e.kind {
            ExprKind::Unary(_, inner) => matches!(inner.kind, ExprKind::Int(_) | ExprKind::Float(_)),
            kind => matches!(kind, ExprKind::Int(_) | ExprKind::Float(_)),
        };
        if literal {
            return reg;
        }
        let d = self.temporary();
        self.emit(Op::Exponent { d, a: reg });
        d
    }

    fn logic(&mut self, e: &Expr, a: &Expr, b: &Expr, and: bool, d: Reg) {
        // The result may be a variable that the second operand mentions, so it is built in a temporary.
        let t = self.temporary();
        let what = if and { 1 } else { 2 };
        let left = self.value(a);
        self.emit_at(a.span, Op::Truth { d: t, a: left, what });
        let skip = self.emit(if and { Op::JumpUnless { a: t, to: 0 } } else { Op::JumpIf { a: t, to: 0 } });
        let right = self.value(b);
        self.emit_at(b.span, Op::Truth { d: t, a: right, what });
        self.patch(skip);
        self.emit_at(e.span, Op::Take { d, a: t });
    }

    fn ternary(&mut self, c: &Expr, a: &Expr, b: &Expr, d: Reg) {
        let no = self.jump_unless(c);
        self.value_into(a, d);
        let end = self.emit(Op::Jump { to: 0 });
        no.into_iter().for_each(|at| self.patch(at));
        self.value_into(b, d);
        self.patch(end);
    }

    /// Jumps to be patched that are taken if the condition does not hold.
    pub(super) fn jump_unless(&mut self, c: &Expr) -> Vec<usize> {
        let next = self.top().next;
        let jumps = match &c.kind {
            ExprKind::And(a, b) => {
                let mut jumps = self.condition_operand(a, 1);
                jumps.extend(self.condition_operand(b, 1));
                jumps
            }
            _ => self.condition_operand(c, 0),
        };
        self.top().next = next;
        jumps
    }

    fn condition_operand(&mut self, c: &Expr, what: u8) -> Vec<usize> {
        if let ExprKind::And(..) = &c.kind {
            return self.jump_unless(c);
        }
        let boolean = matches!(&c.kind, ExprKind::Or(..));
        let mut a = self.value(c);
        if what != 0 && !boolean {
            let d = self.temporary();
            self.emit_at(c.span, Op::Truth { d, a, what });
            a = d;
        }
        vec![self.emit_at(c.span, Op::JumpUnless { a, to: 0 })]
    }

    pub(super) fn range(&mut self, span: Span, from: &Expr, step: Option<&Expr>, to: &Expr, index: bool, d: Reg) {
        let a = self.temporaries(3);
        self.value_into(from, a);
        match step {
            Some(step) => self.value_into(step, a + 1),
            None => self.load(span, a + 1, Value::Int(1)),
        }
        self.value_into(to, a + 2);
        self.emit_at(span, Op::Range { d, a, index });
    }

    /// Evaluates items into registers that follow each other.
    pub(super) fn items(&mut self, items: &[Expr]) -> (Reg, u16) {
        if items.is_empty() {
            return (0, 0);
        }
        let first = self.temporaries(items.len());
        for (i, item) in items.iter().enumerate() {
            self.value_into(item, first.saturating_add(i as Reg));
        }
        (first, items.len() as u16)
    }

    fn array(&mut self, e: &Expr, items: &[Expr], d: Reg) {
        if let Some(tensor) = self.array_constant(items) {
            let k = self.constant(Value::array(tensor));
            self.emit_at(e.span, Op::ConstArray { d, k });
            return;
        }
        if items.iter().any(|i| matches!(i.kind, ExprKind::Spread(_))) {
            let spec = self.spread_spec(items);
            self.emit_at(e.span, Op::ArraySpread { d, spec });
            return;
        }
        let (first, n) = self.items(items);
        self.emit_at(e.span, Op::Array { d, first, n });
    }

    pub(super) fn spread_spec(&mut self, items: &[Expr]) -> u16 {
        let mut list = Vec::new();
        for item in items {
            let (inner, spread) = match &item.kind {
                ExprKind::Spread(inner) => (&**inner, true),
                _ => (item, false),
            };
            let reg = self.temporary();
            self.index_item_into(inner, reg);
            list.push((reg, spread, None));
        }
        self.spec(list)
    }

    /// A vector of literal numbers, made once.
    fn array_constant(&mut self, items: &[Expr]) -> Option<Tensor> {
        let mut values = Vec::with_capacity(items.len());
        let mut all_int = !items.is_empty();
        for item in items {
            let (negative, item) = match &item.kind {
                ExprKind::Unary(UnaryOp::Neg, inner) => (true, &**inner),
                _ => (false, item),
            };
            let value = match &item.kind {
                ExprKind::Int(v) => *v as f64,
                ExprKind::Float(v) => {
                    all_int = false;
                    *v
                }
                _ => return None,
            };
            values.push(if negative { -value } else { value });
        }
        if items.is_empty() {
            return None;
        }
        if all_int && self.device() {
            return Some(Tensor::vector(Data::Int(values.iter().map(|v| *v as i32).collect())));
        }
        Some(Tensor::scalars(values, self.shared.double))
    }

    /// The access mode of an indexed expression and the name for messages.
    pub(super) fn access_of(&mut self, base: &Expr) -> (Access, u16) {
        let default = self.top().default_access;
        self.access_or(base, default)
    }

    /// The access mode of a target.
    pub(super) fn write_access_of(&mut self, base: &Expr) -> (Access, u16) {
        let default = self.top().default_write;
        self.access_or(base, default)
    }

    fn access_or(&mut self, base: &Expr, default: Access) -> (Access, u16) {
        match &base.kind {
            ExprKind::Name(name) => {
                let access = self.top().access.get(name).copied().unwrap_or(default);
                (access, self.name(name))
            }
            _ => (default, u16::MAX),
        }
    }

    pub(super) fn index_item_into(&mut self, item: &Expr, d: Reg) {
        match &item.kind {
            ExprKind::Range { from, step, to } => {
                self.scratch(|c| c.range(item.span, from, step.as_deref(), to, true, d));
            }
            _ => self.value_into(item, d),
        }
    }

    fn index_item(&mut self, item: &Expr) -> Reg {
        match &item.kind {
            ExprKind::Range { .. } | ExprKind::Colon => {
                let d = self.temporary();
                self.index_item_into(item, d);
                d
            }
            _ => self.value(item),
        }
    }

    fn index(&mut self, e: &Expr, base: &Expr, items: &[Expr], d: Reg) {
        let a = self.value(base);
        let (access, name) = self.access_of(base);
        if items.iter().any(|i| matches!(i.kind, ExprKind::Spread(_))) {
            let spec = self.spread_spec(items);
            self.emit_at(e.span, Op::IndexSpread { access, d, a, spec, name });
            return;
        }
        match items {
            [one] => {
                let i = self.index_item(one);
                self.emit_at(e.span, Op::Index { access, d, a, i, name });
            }
            [one, two] => {
                let (i, j) = (self.index_item(one), self.index_item(two));
                self.emit_at(e.span, Op::Index2 { access, d, a, i, j, name });
            }
            _ => {
                let first = self.index_items(items);
                self.emit_at(e.span, Op::IndexN { access, d, a, first, n: items.len() as u8, name });
            }
        }
    }

    pub(super) fn index_items(&mut self, items: &[Expr]) -> Reg {
        if items.len() > 16 {
            let span = items[16].span;
            self.error(
                Diagnostic::error("Q0212", "more than 16 indices").at(span).help("arrays have up to 16 dimensions"),
            );
        }
        let first = self.temporaries(items.len());
        for (i, item) in items.iter().enumerate() {
            self.index_item_into(item, first + i as Reg);
        }
        first
    }

    fn type_check(&mut self, e: &Expr, inner: &Expr, ty: &TypeExpr, d: Reg) {
        let ty = self.resolve(ty).ty;
        self.static_check(inner, &ty, e.span);
        let a = self.value(inner);
        let ty = self.type_index(ty);
        self.emit_at(e.span, Op::Check { d, a, ty });
    }

    /// Decides a type check on a literal while compiling.
    pub(super) fn static_check(&mut self, e: &Expr, ty: &Type, span: Span) {
        let (value, name) = match &e.kind {
            ExprKind::Int(_) => (Value::Int(0), "int'const"),
            ExprKind::Float(_) => (Value::scalar(0.0, self.shared.double), "scalar"),
            ExprKind::Imag(_) => (Value::complex(0.0, 0.0, self.shared.double), "cscalar"),
            ExprKind::Str(_) => (Value::str(""), "string"),
            _ => return,
        };
        if ty.unknown_name().is_none() && !typing::belongs(&value, ty, self.shared.double) {
            let message = format!("Type check failed: '{name}' is not '{ty}'");
            self.error(Diagnostic::error("Q0213", message).at(span).help("change the value or the type"));
        }
    }
}
