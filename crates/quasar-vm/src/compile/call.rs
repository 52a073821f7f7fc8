//! Calls.

use super::Compiler;
use super::expression::Binding;
use crate::builtins;
use crate::code::{Op, Reg};
use crate::value::Value;
use quadra_base::Diagnostic;
use quadra_quasar_hir::meaning::Meaning;
use quadra_quasar_hir::quotient::quotient;
use quadra_quasar_syntax::ast::{Arg, BinaryOp, Expr, ExprKind, Text, TypeExpr, TypeExprKind};

impl Compiler<'_> {
    /// Evaluates an expression for its effect.
    pub(super) fn discard(&mut self, e: &Expr) {
        self.scratch(|c| match &e.kind {
            ExprKind::Call { callee, args } => {
                let d = c.temporary();
                c.call(e, callee, args, 0, d);
            }
            ExprKind::Assign { target, op, value } => c.assign(e, target, *op, value, None),
            ExprKind::MultiAssign { targets, value } => c.multi_assign(e, targets, value, None),
            // `figure`, `nexttile`: the name alone calls what needs no arguments.
            ExprKind::Name(name) => match c.binding(name) {
                Binding::Builtin(id) if builtins::table()[id].min == 0 => {
                    let d = c.temporary();
                    c.builtin(e, id, &[], 0, d);
                }
                _ => {
                    let d = c.temporary();
                    c.value_into(e, d);
                }
            },
            ExprKind::Declare { target, ty, value } => c.declare(e, target, ty, value.as_deref()),
            _ => {
                let d = c.temporary();
                c.value_into(e, d);
            }
        });
    }

    /// A call that leaves `outs` values in the registers from `d`.
    pub(super) fn call(&mut self, e: &Expr, callee: &Expr, args: &[Arg], outs: usize, d: Reg) {
        if args.len() > 250 || outs > 250 {
            let help = "pass an array or a cell";
            self.error(Diagnostic::error("Q0215", "more than 250 arguments").at(e.span).help(help));
            return;
        }
        if let ExprKind::Field { base, name, .. } = &callee.kind {
            return self.method(e, base, name, args, outs, d);
        }
        if outs <= 1 && self.quotient(e, callee, args, d) {
            return;
        }
        let plain = args.iter().all(|a| a.name.is_none() && !matches!(a.value.kind, ExprKind::Spread(_)));
        if let ExprKind::Name(name) = &callee.kind
            && let Binding::Builtin(id) = self.binding(name)
            && plain
        {
            return self.builtin(e, id, args, outs, d);
        }
        if let ExprKind::Type(ty) = &callee.kind
            && let Some(id) = shared_memory(ty)
        {
            return self.typed_shared(e, id, ty, args, d);
        }
        if !plain {
            return self.call_with_spec(e, callee, args, outs, d);
        }
        // The results stand where the function and its arguments stood, and may be more.
        let f = self.temporaries((args.len() + 1).max(outs));
        self.callee_into(callee, f);
        for (i, arg) in args.iter().enumerate() {
            self.value_into(&arg.value, f + 1 + i as Reg);
        }
        self.emit_at(e.span, Op::Call { d: f, f, n: args.len() as u8, outs: outs as u8 });
        for k in 0..outs {
            self.emit(Op::Take { d: d + k as Reg, a: f + k as Reg });
        }
    }

    /// Whether the program has a type of this name, which then means that and no function of the library, but in the library's own files.
    pub(super) fn is_own_type(&mut self, name: &str) -> bool {
        let types = &self.shared.types;
        (types.classes.contains_key(name) || types.aliases.contains_key(name)) && !self.top().span.file.is_shipped()
    }

    /// A quotient that is rounded at once; whether the call is one.
    fn quotient(&mut self, e: &Expr, callee: &Expr, args: &[Arg], d: Reg) -> bool {
        let builtin = &mut |name: &str| match self.binding(&name.into()) {
            Binding::Builtin(_) => true,
            Binding::Type(ty) => ty.same(&quadra_quasar_hir::types::Type::INT),
            _ => false,
        };
        let Some(q) = quotient(callee, args, builtins::library(), builtin) else { return false };
        let matrix = matches!(q.quotient.kind, ExprKind::Binary(BinaryOp::Div, ..));
        let a = self.stable_value(q.a, q.b);
        let b = self.value(q.b);
        self.emit_at(e.span, Op::Quotient { round: q.round, whole: q.whole, matrix, d, a, b });
        true
    }

    /// The function to call. `v(…)` with a variable `v` is the function in it.
    fn callee_into(&mut self, callee: &Expr, f: Reg) {
        self.value_into(callee, f);
    }

    fn call_with_spec(&mut self, e: &Expr, callee: &Expr, args: &[Arg], outs: usize, d: Reg) {
        let f = self.temporary();
        self.callee_into(callee, f);
        let spec = self.argument_spec(args);
        let to = self.temporaries(outs.max(1));
        self.emit_at(e.span, Op::CallSpec { d: to, f, spec, outs: outs as u8 });
        for k in 0..outs {
            self.emit(Op::Take { d: d + k as Reg, a: to + k as Reg });
        }
    }

    pub(super) fn argument_spec(&mut self, args: &[Arg]) -> u16 {
        let mut items = Vec::new();
        for arg in args {
            let (value, spread) = match &arg.value.kind {
                ExprKind::Spread(inner) => (&**inner, true),
                _ => (&arg.value, false),
            };
            let reg = self.temporary();
            self.value_into(value, reg);
            items.push((reg, spread, arg.name.clone()));
        }
        self.spec(items)
    }

    fn method(&mut self, e: &Expr, base: &Expr, name: &Text, args: &[Arg], outs: usize, d: Reg) {
        let f = self.temporary();
        self.value_into(base, f);
        let spec = self.argument_spec(args);
        let to = self.temporaries(outs.max(1));
        // The function behind the method is found by name, also where it is an inner one.
        let local = self.top().registers.get(name).copied();
        if let Some(a) = local {
            let mut items = vec![(f, false, None)];
            items.extend(self.top().code.specs[spec as usize].items.clone());
            let spec_with_self = self.spec(items);
            let index = self.name(name);
            self.emit_at(e.span, Op::MethodLocal { d: to, f, a, spec: spec_with_self, name: index, outs: outs as u8 });
        } else {
            let index = self.name(name);
            self.emit_at(e.span, Op::Method { d: to, f, spec, name: index, outs: outs as u8 });
        }
        for k in 0..outs {
            self.emit(Op::Take { d: d + k as Reg, a: to + k as Reg });
        }
    }

    fn builtin(&mut self, e: &Expr, id: usize, args: &[Arg], outs: usize, d: Reg) {
        let row = builtins::table()[id];
        let mut regs = self.temporaries(args.len().max(1) + 1);
        if row.facts.meaning == Meaning::TypeOf
            && let [Arg { value: Expr { kind: ExprKind::TypeCheck(inner, ty), .. }, .. }] = args
        {
            self.value_into(inner, regs);
            let ty = self.resolve(ty).ty;
            self.type_into(e.span, ty, regs + 1);
            self.emit_at(e.span, Op::Builtin { d, id: id as u16, first: regs, n: 2, outs: outs as u8 });
            return;
        }
        if row.facts.meaning == Meaning::Exist
            && let Some(Arg { value: Expr { kind: ExprKind::Str(name), .. }, .. }) = args.first()
            && let Binding::Variable(a) = self.binding(name)
            && !matches!(args.get(1), Some(Arg { value: Expr { kind: ExprKind::Str(kind), .. }, .. }) if &**kind != "var")
        {
            return self.exists(e, id, args, a, d);
        }
        if row.facts.meaning == Meaning::Assert {
            self.static_assert(args);
        }
        self.check_place(e, row);
        for (i, arg) in args.iter().enumerate() {
            self.value_into(&arg.value, regs + i as Reg);
        }
        let first = regs;
        if outs > 1 {
            regs = self.temporaries(outs);
            self.emit_at(e.span, Op::Builtin { d: regs, id: id as u16, first, n: args.len() as u8, outs: outs as u8 });
            for k in 0..outs {
                self.emit(Op::Take { d: d + k as Reg, a: regs + k as Reg });
            }
            return;
        }
        self.emit_at(e.span, Op::Builtin { d, id: id as u16, first, n: args.len() as u8, outs: outs as u8 });
    }

    /// 1 if the variable in `a` has a value, otherwise what the function says of the name.
    fn exists(&mut self, e: &Expr, id: usize, args: &[Arg], a: Reg, d: Reg) {
        self.check_place(e, builtins::table()[id]);
        let (yes, first) = (self.temporary(), self.temporaries(args.len()));
        self.load(e.span, yes, Value::Int(1));
        let skip = self.emit(Op::UnlessUnset { a, to: 0 });
        for (i, arg) in args.iter().enumerate() {
            self.value_into(&arg.value, first + i as Reg);
        }
        self.emit_at(e.span, Op::Builtin { d: yes, id: id as u16, first, n: args.len() as u8, outs: 1 });
        self.patch(skip);
        self.emit_at(e.span, Op::Take { d, a: yes });
    }

    /// Functions that kernel code cannot call.
    fn check_place(&mut self, e: &Expr, row: &builtins::Builtin) {
        if self.device() && row.facts.host_only {
            let message = format!("'{}' cannot be called in a kernel or device function", row.facts.name);
            let help = "write the value to an array and use it on the host";
            self.error(Diagnostic::error("Q0403", message).at(e.span).help(help));
        }
    }

    /// `assert(type(literal, T))` is decided while compiling.
    fn static_assert(&mut self, args: &[Arg]) {
        let Some(Arg { value: Expr { kind: ExprKind::Call { callee, args }, span, .. }, .. }) = args.first() else {
            return;
        };
        if !matches!(&callee.kind, ExprKind::Name(n) if builtins::meaning(n) == Meaning::TypeOf) {
            return;
        }
        let (value, ty) = match &args[..] {
            [Arg { value: Expr { kind: ExprKind::TypeCheck(inner, ty), .. }, .. }] => (&**inner, self.resolve(ty).ty),
            [value, Arg { value: Expr { kind: ExprKind::Str(text), span, .. }, .. }] => {
                let (ty, diagnostics) = quadra_quasar_syntax::parser::parse_type(span.file, text);
                if !diagnostics.is_empty() {
                    return;
                }
                (&value.value, self.resolve(&ty).ty)
            }
            _ => return,
        };
        self.static_check(value, &ty, *span);
    }

    fn typed_shared(&mut self, e: &Expr, id: usize, ty: &TypeExpr, args: &[Arg], d: Reg) {
        let TypeExprKind::Named { element: Some(element), .. } = &ty.kind else { return };
        let element = self.resolve(element).ty;
        let first = self.temporaries(args.len() + 1);
        self.type_into(e.span, element, first);
        for (i, arg) in args.iter().enumerate() {
            self.value_into(&arg.value, first + 1 + i as Reg);
        }
        self.emit_at(e.span, Op::Builtin { d, id: id as u16, first, n: args.len() as u8 + 1, outs: 1 });
    }
}

fn shared_memory(ty: &TypeExpr) -> Option<usize> {
    match &ty.kind {
        TypeExprKind::Named { name, element: Some(_), .. } if builtins::meaning(name).is_shared() => {
            builtins::find(name)
        }
        _ => None,
    }
}
