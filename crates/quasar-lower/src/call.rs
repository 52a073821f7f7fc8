//! Calls: functions of the program are inlined, constructors of immutable classes make values in registers.

use super::state::{Lower, Slot};
use super::value::{Captured, Func, Local, Path, Val};
use super::{Low, refuse};
use quadra_base::Span;
use quadra_kir as kir;
use quadra_quasar_hir::scope::COUNTS;
use quadra_quasar_hir::types::{Access, Dim, IntKind, Precision, Type};
use quadra_quasar_syntax::ast::{Arg, Expr, ExprKind, Function, FunctionKind, StmtKind, Text, TypeExprKind};
use quadra_quasar_vm::arith::Kind;
use quadra_quasar_vm::builtins;
use quadra_quasar_vm::value::{Callable, Closure};
use std::rc::Rc;

impl Lower<'_> {
    /// A call that gives `outs` values, or the first one if it is used as a value.
    pub fn call(&mut self, e: &Expr, callee: &Expr, args: &[Arg], outs: usize) -> Low<Vec<Val>> {
        if let ExprKind::Type(ty) = &callee.kind {
            if let TypeExprKind::Named { name, element: Some(element), .. } = &ty.kind
                && quadra_quasar_vm::builtins::meaning(name).is_shared()
            {
                let element = self.resolve(element).ty;
                return Ok(vec![self.shared(&element, args)?]);
            }
            let ty = self.resolve(ty).ty;
            return Ok(vec![self.construct(&ty, args)?]);
        }
        if outs <= 1
            && let Some(v) = self.rounded_quotient(callee, args)?
        {
            self.at(e.span);
            return Ok(vec![v]);
        }
        if let ExprKind::Name(name) = &callee.kind
            && let Some(row) = self.builtin_called(name)?
        {
            return self.builtin(row, args, outs, e.span);
        }
        let f = self.expr(callee)?;
        let mut values = Vec::new();
        let mut named = Vec::new();
        for arg in args {
            match (&arg.name, &arg.value.kind) {
                (Some(name), _) => named.push((name.clone(), self.expr(&arg.value)?)),
                (None, ExprKind::Spread(inner)) => {
                    let v = self.expr(inner)?;
                    values.extend(self.small_of(&v)?.items.into_iter().map(Val::Num));
                }
                _ => values.push(self.expr(&arg.value)?),
            }
        }
        match f {
            Val::Function(_) if !named.is_empty() => refuse!("a call with named arguments"),
            Val::Function(f) => self.inline(&f, values, outs, e.span),
            Val::Type(Type::Class(class)) => {
                if class.mutable || class.dynamic {
                    refuse!("'{}' is a mutable class", class.name);
                }
                self.instance(&class, values, named)
            }
            Val::Type(ty) => Ok(vec![self.made(&ty, &values)?]),
            other => refuse!("a call of {}", other.what()),
        }
    }

    /// Whether a name means a built-in function here.
    fn builtin_called(&mut self, name: &Text) -> Low<Option<&'static builtins::Builtin>> {
        Ok(if self.is_language(name)? { builtins::named(name) } else { None })
    }

    /// Whether nothing in the program has this name.
    pub fn is_language(&mut self, name: &str) -> Low<bool> {
        let frame = self.frame();
        let known = frame.vars.contains_key(name)
            || frame.generics.contains_key(name)
            || frame
                .captured
                .get(name)
                .is_some_and(|c| !matches!(c, Captured::Host(quadra_quasar_vm::value::Value::Unset, _)))
            || frame.itself.as_ref().is_some_and(|i| *i.0 == *name)
            || self.cx.shared.functions.contains_key(name);
        Ok(!known)
    }

    fn construct(&mut self, ty: &Type, args: &[Arg]) -> Low<Val> {
        let mut values = Vec::new();
        for arg in args {
            values.push(self.expr(&arg.value)?);
        }
        self.made(ty, &values)
    }

    /// A number of a type, or an array of zeros.
    fn made(&mut self, ty: &Type, values: &[Val]) -> Low<Val> {
        match (ty, values) {
            (Type::Int(..) | Type::Scalar(_) | Type::Complex(_), [v]) => self.cast(v, ty),
            (Type::Array { element, .. }, dims) => {
                let Some(kind) = self.kind_of_type(element) else { refuse!("an array of '{element}'") };
                let sizes = self.known_sizes(dims)?;
                let zero = self.zero(kind);
                self.filled(&sizes, zero)
            }
            _ => refuse!("a value of type '{ty}' is made"),
        }
    }

    fn instance(
        &mut self,
        class: &quadra_quasar_hir::types::ClassDef,
        values: Vec<Val>,
        named: Vec<(Text, Val)>,
    ) -> Low<Vec<Val>> {
        let definition: Vec<(Text, Type)> = class.fields.borrow().clone();
        let mut fields = Vec::new();
        for (i, (name, ty)) in definition.iter().enumerate() {
            let given = values.get(i).or_else(|| named.iter().find(|n| n.0 == *name).map(|n| &n.1)).cloned();
            let v = match given {
                Some(v) => self.admit(&v, ty, name, None)?,
                None => match self.default_value(ty)? {
                    Some(v) => v,
                    None => refuse!("the field '{name}' has no value"),
                },
            };
            fields.push((name.clone(), v));
        }
        Ok(vec![Val::Struct(Rc::new(fields), class.name.clone())])
    }

    /// Puts the body of a function here.
    pub fn inline(&mut self, f: &Func, args: Vec<Val>, outs: usize, span: Span) -> Low<Vec<Val>> {
        match f {
            Func::Local(local) => {
                let local = local.clone();
                self.push_frame(&local.ast.body, self.function_access(&local.ast))?;
                self.enter_local(&local);
                let ast = local.ast.clone();
                self.inlined(&ast, args, outs, span)
            }
            Func::Host(callable, path) => {
                let Callable::Closure(closure) = &**callable else {
                    refuse!("a call of a function with overloads or of a built-in function as a value");
                };
                if closure.code.kind == FunctionKind::Kernel {
                    refuse!("a kernel function is called");
                }
                let Some(ast) = closure.code.ast.clone() else { refuse!("a function whose text is not known") };
                self.push_frame(&ast.body, self.function_access(&ast))?;
                self.capture(closure, &|i| path.step(i), Func::Host(callable.clone(), path.clone()));
                for ((name, count), _) in
                    COUNTS.iter().zip([args.len(), outs]).zip(&closure.code.counts).filter(|c| c.1.is_some())
                {
                    let count = Val::Num(self.int(count as i64));
                    self.bind_param(&(*name).into(), count)?;
                }
                self.inlined(&ast, args, outs, span)
            }
        }
    }

    fn function_access(&self, f: &Function) -> (Access, Access) {
        if f.kind == FunctionKind::Host { (Access::Checked, Access::Checked) } else { (Access::Safe, Access::Safe) }
    }

    /// What a function of the program captured, by name.
    pub fn capture(&mut self, closure: &Closure, path: &dyn Fn(usize) -> Path, itself: Func) {
        let code = &closure.code;
        let frame = self.frame();
        for (i, ((reg, _), v)) in code.captures.iter().zip(&closure.captures).enumerate() {
            if let Some((name, _)) = code.variables.iter().find(|(_, r)| r == reg) {
                frame.captured.insert(name.clone(), Captured::Host(v.clone(), path(i)));
            }
        }
        frame.itself = Some((code.name.clone(), itself));
        for (name, access) in &code.captured_access {
            frame.access.insert(name.clone(), *access);
        }
    }

    fn enter_local(&mut self, local: &Rc<Local>) {
        let frame = self.frame();
        for (name, v) in &local.env {
            frame.captured.insert(name.clone(), Captured::Here(v.clone()));
        }
        frame.access.extend(local.access.iter().map(|(n, a)| (n.clone(), *a)));
        frame.itself = local.itself.clone().map(|n| (n, Func::Local(local.clone())));
    }

    /// Lowers the function whose frame was pushed, and pops it.
    fn inlined(&mut self, ast: &Rc<Function>, args: Vec<Val>, outs: usize, span: Span) -> Low<Vec<Val>> {
        // Host functions overflow with an error, device functions wrap.
        let host = self.host;
        self.host = ast.kind == FunctionKind::Host;
        let result = self.function_body(ast, args, outs);
        self.host = host;
        self.frames.pop();
        self.at(span);
        result
    }

    fn function_body(&mut self, ast: &Rc<Function>, args: Vec<Val>, outs: usize) -> Low<Vec<Val>> {
        self.bind_params(ast, args)?;
        if let Some(value) = &ast.value {
            return Ok(vec![self.expr(value)?]);
        }
        let returns = returns(&ast.body);
        for (name, ty) in &ast.outputs {
            if let Some(ty) = ty {
                let declared = self.resolve(ty);
                if !matches!(declared.ty, Type::Any) {
                    self.frame().declared.insert(name.clone(), declared.ty);
                }
            }
            // An output that is read after the body must outlive the loop that `return` leaves.
            *self.frame().assigns.entry(name.clone()).or_default() += if returns.0 { 2 } else { 0 };
        }
        if returns.0 {
            self.frame().outputs = ast.outputs.iter().map(|o| o.0.clone()).collect();
            self.b.begin_loop();
            self.depth += 1;
            self.frame().wrapped = true;
            if returns.1 {
                let flag = self.b.var("returned", kir::Type::BOOL);
                let no = self.known_bool(false);
                self.b.set(flag, no.re);
                self.frame().returned = Some(flag);
            }
            self.block(&ast.body)?;
            if !self.b.unreachable() {
                self.outputs_defined()?;
            }
            self.b.break_loop();
            self.b.end();
            self.depth -= 1;
            // Every way out has been checked.
            let names: Vec<Text> = self.frame().outputs.clone();
            self.frame().defined.extend(names);
        } else {
            self.block(&ast.body)?;
        }
        let mut results = Vec::new();
        for (name, _) in ast.outputs.iter().take(outs.max(1)) {
            match self.frame().vars.get(name).cloned() {
                Some(slot) if self.frame().defined.contains(name) => {
                    let v = self.get_slot(&slot)?;
                    results.push(self.noted(name, v));
                }
                _ if outs == 0 => {}
                _ => refuse!("the output '{name}' may not be assigned"),
            }
        }
        if results.len() < outs {
            refuse!("a function with {} outputs gives {outs}", results.len());
        }
        Ok(results)
    }

    /// Where a function returns, all its outputs must have values.
    pub fn outputs_defined(&mut self) -> Low<()> {
        let frame = self.frame();
        if let Some(name) = frame.outputs.iter().find(|n| !frame.defined.contains(*n)) {
            refuse!("the output '{name}' may not be assigned");
        }
        Ok(())
    }

    fn bind_params(&mut self, ast: &Rc<Function>, args: Vec<Val>) -> Low<()> {
        if ast.params.iter().any(|p| p.variadic) {
            refuse!("a function with a variable number of arguments");
        }
        if args.len() > ast.params.len() {
            refuse!("too many arguments");
        }
        self.bind_generics(ast, &args)?;
        let mut args = args.into_iter();
        for param in &ast.params {
            let declared = param.ty.as_ref().map(|t| self.resolve(t));
            let v = match (args.next(), &param.default) {
                (Some(v), _) => v,
                (None, Some(default)) => self.expr(default)?,
                (None, None) => refuse!("an argument is missing"),
            };
            let v = match &declared {
                Some(d) if !matches!(d.ty, Type::Any) => self.admit(&v, &d.ty, &param.name, None)?,
                _ => v,
            };
            if let Some(access) = declared.and_then(|d| d.access) {
                self.frame().access.insert(param.name.clone(), access);
            }
            self.bind_param(&param.name, v)?;
        }
        Ok(())
    }

    /// A parameter that the function changes is a variable, any other is its value.
    pub fn bind_param(&mut self, name: &Text, v: Val) -> Low<()> {
        let changed = self.frame().assigns.get(name).copied().unwrap_or(0) > 0;
        self.note_early(name, &v)?;
        let v = if changed { self.for_variable(name, v) } else { v };
        let slot = if changed && matches!(v, Val::Num(_) | Val::Small(_) | Val::Either(_)) {
            let slot = self.slot_for(name, &v);
            self.set_slot(&slot, &v)?;
            slot
        } else {
            Slot::Fixed(v)
        };
        let frame = self.frame();
        frame.vars.insert(name.clone(), slot);
        frame.defined.insert(name.clone());
        Ok(())
    }

    /// Binds type and size parameters to what the arguments have.
    pub fn bind_generics(&mut self, ast: &Rc<Function>, args: &[Val]) -> Low<()> {
        if ast.generics.is_empty() {
            return Ok(());
        }
        let names: Vec<Text> = ast.generics.iter().map(|g| g.0.clone()).collect();
        for (param, v) in ast.params.iter().zip(args) {
            let Some(ty) = &param.ty else { continue };
            let ty = self.cx.shared.types.resolve(ty, &names, &mut Vec::new()).ty;
            let Type::Array { rank, element, dims } = &ty else {
                if let Type::Param(name) = &ty {
                    let have = self.type_of(v)?;
                    self.frame().generics.entry(name.clone()).or_insert(Val::Type(have));
                }
                continue;
            };
            let (shape, have) = match v {
                Val::Array(a) => (a.shape.clone(), self.type_of(v)?),
                Val::Small(s) => (s.shape.iter().map(|n| super::value::Length::Known(*n)).collect(), self.type_of(v)?),
                _ => continue,
            };
            if let (Type::Param(name), Type::Array { element, .. }) = (&**element, &have) {
                self.frame().generics.entry(name.clone()).or_insert(Val::Type((**element).clone()));
            }
            let vector = matches!(rank, quadra_quasar_hir::types::Rank::Fixed(1));
            for (i, dim) in dims.iter().enumerate() {
                let Dim::Param(name) = dim else { continue };
                let length = shape.get(if vector { i + 1 } else { i }).copied();
                let re = self.length(length.unwrap_or(super::value::Length::Known(1)));
                let n = super::value::Num::new(Kind::Int, re);
                self.frame().generics.entry(name.clone()).or_insert(Val::Num(n));
            }
        }
        Ok(())
    }

    /// The kind of numbers of a type.
    pub fn kind_of_type(&self, ty: &Type) -> Option<Kind> {
        Some(match ty {
            Type::Int(IntKind::I64, _) => Kind::Wide,
            Type::Int(IntKind::U32 | IntKind::U64, _) => return None,
            Type::Int(..) => Kind::Int,
            Type::Scalar(Precision::Default) => self.scalar_kind(),
            Type::Scalar(Precision::Single) => Kind::F32,
            Type::Scalar(Precision::Double) => Kind::F64,
            Type::Complex(Precision::Double) => Kind::C64,
            Type::Complex(Precision::Default) if self.double => Kind::C64,
            Type::Complex(_) => Kind::C32,
            _ => return None,
        })
    }
}

/// Whether a body has `return`, and whether within a loop.
fn returns(body: &[quadra_quasar_syntax::ast::Stmt]) -> (bool, bool) {
    let mut found = (false, false);
    for stmt in body {
        let (inner, repeats): (Vec<&[quadra_quasar_syntax::ast::Stmt]>, bool) = match &stmt.kind {
            StmtKind::Return => {
                found.0 = true;
                continue;
            }
            StmtKind::If { arms, otherwise } => {
                (arms.iter().map(|a| &a.1[..]).chain([&otherwise[..]]).collect(), false)
            }
            StmtKind::Match { arms, .. } => (arms.iter().map(|a| &a.body[..]).collect(), false),
            StmtKind::For(f) => (vec![&f.body[..]], true),
            StmtKind::While { body, .. } | StmtKind::Repeat { body, .. } => (vec![&body[..]], true),
            _ => continue,
        };
        for block in inner {
            let r = returns(block);
            found.0 |= r.0;
            found.1 |= r.1 || (r.0 && repeats);
        }
    }
    found
}
