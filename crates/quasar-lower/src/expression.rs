//! Expressions.

use super::state::Lower;
use super::value::{Num, Val};
use super::{Low, refuse};
use quadra_base::Span;
use quadra_kir::{self as kir, Const, Op};
use quadra_quasar_hir::op2::Op2;
use quadra_quasar_hir::types::Type;
use quadra_quasar_syntax::ast::{BinaryOp, Expr, ExprKind, Text, TypeExpr, TypeExprKind, UnaryOp};
use quadra_quasar_vm::arith::Kind;
use quadra_quasar_vm::builtins;
use quadra_quasar_vm::value::Value;
use std::rc::Rc;

impl Lower<'_> {
    /// The value of an expression. A refusal names the innermost place.
    pub fn expr(&mut self, e: &Expr) -> Low<Val> {
        let outer = self.span;
        self.at(e.span);
        self.check_size()?;
        let result = self.expression(e).map_err(|mut r| {
            r.span = r.span.or(Some(e.span));
            r
        });
        if let Some(outer) = outer {
            self.at(outer);
        }
        result
    }

    /// The value of an expression that must be a number.
    pub fn number(&mut self, e: &Expr) -> Low<Num> {
        let v = self.expr(e)?;
        self.as_number(v)
    }

    fn as_number(&mut self, v: Val) -> Low<Num> {
        match v {
            Val::Num(n) => Ok(n),
            Val::Small(s) if s.items.len() == 1 => Ok(s.items[0]),
            other => refuse!("{} where a number is needed", other.what()),
        }
    }

    /// An integer of the program's text, of 64 bits where it needs them.
    fn whole_literal(&mut self, v: i64) -> Num {
        match i32::try_from(v) {
            Ok(_) => self.int(v),
            Err(_) => Num::new(Kind::Wide, self.whole_constant(Kind::Wide, v)),
        }
    }

    fn expression(&mut self, e: &Expr) -> Low<Val> {
        Ok(match &e.kind {
            ExprKind::Int(v) => Val::Num(self.whole_literal(*v)),
            ExprKind::Float(v) => {
                let kind = self.scalar_kind();
                Val::Num(Num::new(kind, self.float(kind, *v)))
            }
            ExprKind::Imag(v) => {
                let kind = if self.double { Kind::C64 } else { Kind::C32 };
                let (re, im) = (self.float(kind, 0.0), self.float(kind, *v));
                Val::Num(Num::complex(kind, re, im))
            }
            ExprKind::Name(name) => self.name(name, e.span)?,
            ExprKind::Colon => Val::Colon,
            ExprKind::Unary(op, a) => self.unary(*op, a)?,
            ExprKind::Binary(op, a, b) => {
                let (x, y) = (self.expr(a)?, self.expr(b)?);
                match (op, self.same_text(&x, &y)) {
                    (BinaryOp::Eq, Some(same)) => Val::Num(self.known_bool(same)),
                    (BinaryOp::Ne, Some(same)) => Val::Num(self.known_bool(!same)),
                    _ => self.binary_operator(*op, &x, &y, b)?,
                }
            }
            ExprKind::And(a, b) => self.logic(a, b, true)?,
            ExprKind::Or(a, b) => self.logic(a, b, false)?,
            ExprKind::Ternary(c, a, b) => self.ternary(c, a, b)?,
            ExprKind::Range { from, step, to } => self.range_value(from, step.as_deref(), to)?,
            ExprKind::Call { callee, args } => {
                self.call(e, callee, args, 1)?.into_iter().next().unwrap_or(Val::Nothing)
            }
            ExprKind::Index { base, items } => self.index(base, items)?,
            ExprKind::Field { base, name, .. } => self.field(base, name)?,
            ExprKind::Array(items) => self.array_literal(items)?,
            ExprKind::Lambda(f) => self.local_function(f, None)?,
            ExprKind::Assign { target, op, value } => self.assign(target, *op, value, e.span)?,
            ExprKind::MultiAssign { targets, value } => self.multi_assign(targets, value)?,
            ExprKind::Declare { target, ty, value } => self.declare(target, ty, value.as_deref(), e.span)?,
            ExprKind::TypeCheck(inner, ty) => {
                let ty = self.resolve(ty).ty;
                let v = self.expr(inner)?;
                if !self.belongs(&v, &ty) {
                    refuse!("a type check that fails or is not decided");
                }
                v
            }
            ExprKind::Sequence(items) => {
                let mut last = Val::Nothing;
                for item in items {
                    last = self.expr(item)?;
                }
                last
            }
            ExprKind::Type(ty) => Val::Type(self.resolve(ty).ty),
            ExprKind::Str(text) => Val::Text((**text).into(), None),
            ExprKind::Null => Val::Other,
            ExprKind::Cell(_) => refuse!("a cell"),
            ExprKind::Spread(_) | ExprKind::Placeholder | ExprKind::Missing => refuse!("an expression without value"),
        })
    }

    fn array_literal(&mut self, items: &[Expr]) -> Low<Val> {
        let mut values = Vec::new();
        for item in items {
            match &item.kind {
                ExprKind::Spread(inner) => {
                    let v = self.expr(inner)?;
                    let small = self.small_of(&v)?;
                    values.extend(small.items.into_iter().map(Val::Num));
                }
                _ => values.push(self.expr(item)?),
            }
        }
        if values.iter().any(|v| matches!(v, Val::Num(n) if super::wide_sum::maybe_int(n))) {
            return self.look_exactly("a number");
        }
        self.literal(values)
    }

    /// What a name stands for: a variable, a function, a constant or a type.
    fn name(&mut self, name: &Text, span: Span) -> Low<Val> {
        if let Some(v) = self.variable_value(name)? {
            return Ok(v);
        }
        if let Some(v) = self.global_function(name) {
            return Ok(v);
        }
        if let Some(v) = builtins::constant(name, self.double) {
            if v.as_f64().is_some_and(|x| !x.is_finite()) {
                self.asks(&format!("'{name}' is a number like others there"));
            }
            return Ok(Val::Num(self.host_number(&v)));
        }
        if builtins::find(name).is_some() {
            refuse!("the built-in function '{name}' as a value");
        }
        let kind = TypeExprKind::Named { name: name.clone(), rank: None, dims: Vec::new(), element: None };
        match self.resolve(&TypeExpr { span, kind, modifiers: Vec::new() }).ty {
            Type::Unknown(_) => refuse!("'{name}' is not defined"),
            ty => Ok(Val::Type(ty)),
        }
    }

    /// A number of the host as a constant.
    pub fn host_number(&mut self, v: &Value) -> Num {
        match v {
            Value::Int(i) => self.int(i64::from(*i)),
            other => {
                let kind = Kind::of(other).unwrap_or(Kind::F32);
                let re = self.float(kind, other.as_f64().unwrap_or(0.0));
                Num::new(kind, re)
            }
        }
    }

    fn unary(&mut self, op: UnaryOp, a: &Expr) -> Low<Val> {
        if let (UnaryOp::Neg, ExprKind::Int(v)) = (op, &a.kind) {
            return Ok(Val::Num(self.int(-*v)));
        }
        let v = self.expr(a)?;
        match op {
            UnaryOp::Plus => Ok(v),
            UnaryOp::Neg if self.is_long(&v) => self.map_long(&v, |l, n| l.negate(n)),
            UnaryOp::Not if self.is_long(&v) => self.map_long(&v, |l, n| {
                let t = l.is_true(n)?;
                let v = l.op(Op::Not, &[t]);
                Ok(l.truth(v))
            }),
            UnaryOp::Neg => self.map(&v, &mut |l, n| l.negate(n)),
            UnaryOp::Not => self.map(&v, &mut |l, n| {
                let t = l.is_true(n)?;
                let v = l.op(Op::Not, &[t]);
                Ok(l.truth(v))
            }),
        }
    }

    pub fn binary_operator(&mut self, op: BinaryOp, x: &Val, y: &Val, right: &Expr) -> Low<Val> {
        let matrix = matches!(op, BinaryOp::Mul | BinaryOp::Div | BinaryOp::Pow);
        let power = matches!(op, BinaryOp::Pow | BinaryOp::ElemPow);
        let literal = match &right.kind {
            ExprKind::Unary(_, inner) => matches!(inner.kind, ExprKind::Int(_) | ExprKind::Float(_)),
            kind => matches!(kind, ExprKind::Int(_) | ExprKind::Float(_)),
        };
        if power && !literal {
            // An integer exponent that is no literal counts as a float.
            if self.is_long(y) {
                refuse!("a power with an array of unknown length as its exponent");
            }
            let y = self.map(y, &mut |l, n| Ok(if n.kind.is_int() { l.float_of(n) } else { *n }))?;
            return self.operate(Op2::of(op), matrix, x, &y, false);
        }
        self.operate(Op2::of(op), matrix, x, y, literal)
    }

    /// Whether evaluating an expression for nothing does no harm: it has no effect, no call and no subscript.
    fn is_simple(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Imag(_) | ExprKind::Name(_) => true,
            ExprKind::Unary(_, a) => self.is_simple(a),
            ExprKind::Binary(_, a, b) | ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                self.is_simple(a) && self.is_simple(b)
            }
            ExprKind::Ternary(a, b, c) => self.is_simple(a) && self.is_simple(b) && self.is_simple(c),
            ExprKind::Index { base, items } => {
                let register = |name: &Text| matches!(self.frames.last().and_then(|f| f.vars.get(name)), Some(slot) if !slot.in_memory());
                matches!(&base.kind, ExprKind::Name(n) if register(n))
                    && items.iter().all(|i| matches!(i.kind, ExprKind::Int(_)))
            }
            _ => false,
        }
    }

    /// The condition that an expression is.
    pub fn condition(&mut self, e: &Expr) -> Low<kir::Value> {
        let n = match self.expr(e)? {
            Val::Either(e) => e.float,
            v => self.as_number(v)?,
        };
        self.is_true(&n)
    }

    fn logic(&mut self, a: &Expr, b: &Expr, and: bool) -> Low<Val> {
        let left = self.condition(a)?;
        if let Some(c) = self.constant(left) {
            if (c.bits != 0) != and {
                return Ok(Val::Num(self.truth(left)));
            }
            let right = self.condition(b)?;
            return Ok(Val::Num(self.truth(right)));
        }
        if self.is_simple(b) {
            let right = self.condition(b)?;
            let v = self.op(if and { Op::And } else { Op::Or }, &[left, right]);
            return Ok(Val::Num(self.truth(v)));
        }
        let var = self.b.var("t", kir::Type::BOOL);
        self.b.set(var, left);
        let go = if and { left } else { self.op(Op::Not, &[left]) };
        let before = self.frame().defined.clone();
        self.b.begin_if(go);
        self.depth += 1;
        let right = self.condition(b)?;
        self.b.set(var, right);
        self.depth -= 1;
        self.b.end();
        self.frame().defined = before;
        let v = self.b.get(var);
        Ok(Val::Num(self.truth(v)))
    }

    fn ternary(&mut self, c: &Expr, a: &Expr, b: &Expr) -> Low<Val> {
        let condition = self.condition(c)?;
        if let Some(k) = self.constant(condition) {
            return self.expr(if k.bits != 0 { a } else { b });
        }
        if self.is_simple(a) && self.is_simple(b) {
            let (x, y) = (self.expr(a)?, self.expr(b)?);
            return self.select_value(condition, &x, &y);
        }
        self.branches(condition, &mut |l| l.expr(a), &mut |l| l.expr(b))
    }

    /// One of two values, element by element.
    fn select_value(&mut self, c: kir::Value, x: &Val, y: &Val) -> Low<Val> {
        if let Some(v) = self.choose_either(c, x, y) {
            return Ok(v);
        }
        if let (Val::Num(p), Val::Num(q)) = (x, y) {
            return Ok(Val::Num(self.select(c, p, q)));
        }
        if matches!(x, Val::Channel(_)) || matches!(y, Val::Channel(_)) {
            let (p, q) = (self.channel_of(x)?, self.channel_of(y)?);
            return Ok(Val::Channel(self.select(c, &p, &q)));
        }
        let (p, q) = (self.small_of(x)?, self.small_of(y)?);
        if p.shape != q.shape {
            refuse!("a choice between arrays of different sizes");
        }
        let items = p.items.iter().zip(&q.items).map(|(m, n)| self.select(c, m, n)).collect();
        Ok(Val::Small(super::value::Small { items, mask: false, ..p }))
    }

    /// The value of one of two pieces of code, of which only one runs.
    pub fn branches(
        &mut self,
        condition: kir::Value,
        a: &mut dyn FnMut(&mut Self) -> Low<Val>,
        b: &mut dyn FnMut(&mut Self) -> Low<Val>,
    ) -> Low<Val> {
        let before = self.frame().defined.clone();
        self.depth += 1;
        self.b.begin_if(condition);
        let x = a(self)?;
        // The kind of the result is known only with the second value, so the first is kept in its own kind.
        let first = self.keep(&x)?;
        self.b.begin_else();
        self.frame().defined = before.clone();
        let y = b(self)?;
        let second = self.keep(&y)?;
        self.b.end();
        self.depth -= 1;
        self.frame().defined = before;
        let (x, y) = (self.kept(&first)?, self.kept(&second)?);
        self.select_value(condition, &x, &y)
    }

    /// Puts a value into variables that outlive the branch it was computed in.
    fn keep(&mut self, v: &Val) -> Low<super::state::Slot> {
        let slot = self.slot_for("t", v);
        self.set_slot(&slot, v)?;
        Ok(slot)
    }

    fn kept(&mut self, slot: &super::state::Slot) -> Low<Val> {
        match slot {
            super::state::Slot::Fixed(_) => refuse!("a choice between values that are no numbers"),
            slot => self.get_slot(slot),
        }
    }

    /// A range as a vector.
    fn range_value(&mut self, from: &Expr, step: Option<&Expr>, to: &Expr) -> Low<Val> {
        let (start, step, count) = self.known_range(from, step, to)?;
        if count > super::value::MOST_SMALL {
            refuse!("a range with {count} items as an array");
        }
        let kind = self.scalar_kind();
        let mut items = Vec::new();
        for k in 0..count as i64 {
            let n = self.int(start + k * step);
            items.push(if self.host { self.convert(&n, kind) } else { n });
        }
        Ok(Val::Small(super::value::Small::vector(items)))
    }

    /// First item, step and number of items of a range of known integers.
    pub fn known_range(&mut self, from: &Expr, step: Option<&Expr>, to: &Expr) -> Low<(i64, i64, usize)> {
        let mut known = |e: &Expr| -> Low<i64> {
            let n = self.number(e)?;
            match self.known_int(&n).filter(|_| n.kind.is_int()) {
                Some(v) => Ok(v),
                None => refuse!("a range whose bounds are not known while compiling"),
            }
        };
        let (start, end) = (known(from)?, known(to)?);
        let step = match step {
            Some(s) => known(s)?,
            None => 1,
        };
        if step == 0 {
            refuse!("a range with step 0");
        }
        let distance = end - start;
        let count = if distance != 0 && (distance > 0) != (step > 0) { 0 } else { (distance / step + 1) as usize };
        Ok((start, step, count))
    }

    fn field(&mut self, base: &Expr, name: &Text) -> Low<Val> {
        match self.expr(base)? {
            Val::Struct(fields, class) => match fields.iter().find(|f| f.0 == *name) {
                Some((_, v)) => Ok(v.clone()),
                None => refuse!("'{class}' has no field '{name}'"),
            },
            other => refuse!("a field of {}", other.what()),
        }
    }

    /// A type as written, with the type parameters of the function put in.
    pub fn resolve(&mut self, ty: &TypeExpr) -> quadra_quasar_hir::declare::Declared {
        let generics: Vec<(Text, Option<Value>)> = self
            .frames
            .iter()
            .flat_map(|f| &f.generics)
            .map(|(n, v)| {
                let value = match v {
                    Val::Type(ty) => Some(Value::Type(std::rc::Rc::new(ty.clone()))),
                    _ => None,
                };
                (n.clone(), value)
            })
            .collect();
        let names: Vec<Text> = generics.iter().map(|g| g.0.clone()).collect();
        let mut declared = self.cx.shared.types.resolve(ty, &names, &mut Vec::new());
        if declared.ty.is_generic() {
            let sizes: Vec<(Text, Option<Value>)> = generics
                .into_iter()
                .map(|(n, v)| {
                    let size = self.generic_size(&n);
                    (n, v.or(size))
                })
                .collect();
            declared.ty = quadra_quasar_vm::typing::substitute(&declared.ty, &|name| {
                sizes.iter().find(|(n, _)| &**n == name).and_then(|(_, v)| v.clone())
            });
        }
        declared
    }

    fn generic_size(&mut self, name: &Text) -> Option<Value> {
        let n = self.frames.iter().find_map(|f| match f.generics.get(name) {
            Some(Val::Num(n)) => Some(*n),
            _ => None,
        })?;
        self.known_int(&n).map(|v| Value::size(v as usize))
    }

    /// A constant truth value.
    /// Whether two values are the same text, if they are texts: other launches may need another kernel.
    pub fn same_text(&mut self, a: &Val, b: &Val) -> Option<bool> {
        let (Val::Text(s, from), Val::Text(t, of)) = (a, b) else { return None };
        for (text, path) in [(s, from), (t, of)] {
            self.made_for.extend(path.clone().map(|path| (path, Value::Str(Rc::new(text.clone())))));
        }
        Some(s == t)
    }

    pub fn known_bool(&mut self, v: bool) -> Num {
        let re = self.b.constant(Const::bool(v));
        self.truth(re)
    }
}
