//! Assignments: variables, elements, several targets, declarations.

use super::index::{Select, Selection, lone_range};
use super::state::{Lower, Slot};
use super::value::{ArrayRef, Length, Num, Small, Val};
use super::{Low, refuse};
use quadra_base::Span;
use quadra_base::quick::Set;
use quadra_kir::Op;
use quadra_quasar_hir::meaning::Meaning;
use quadra_quasar_hir::op2::Op2;
use quadra_quasar_hir::types::{Access, Fit, IntKind, Type};
use quadra_quasar_syntax::ast::{BinaryOp, Expr, ExprKind, Text, TypeExpr};
use quadra_quasar_vm::arith::Kind;
use quadra_quasar_vm::builtins::meaning;
use std::rc::Rc;

/// An assignment to elements.
struct Target<'e> {
    base: &'e Expr,
    name: Text,
    selection: Selection,
    access: Access,
    span: Span,
}

impl Lower<'_> {
    /// `target op= value`.
    pub fn assign(&mut self, target: &Expr, op: Option<BinaryOp>, value: &Expr, span: Span) -> Low<Val> {
        match &target.kind {
            ExprKind::Name(name) => self.assign_variable(name, op, value, span),
            ExprKind::Index { base, .. } if self.wholes.contains(&target.id) => {
                let ExprKind::Name(name) = &base.kind else { refuse!("an assignment to such a target") };
                self.assign_whole(name, (value, self.fills.contains(&target.id)), span)
            }
            ExprKind::Index { base, items } => self.assign_element(base, items, op, value, target.span),
            ExprKind::TypeCheck(inner, ty) if op.is_none() => self.declare(inner, ty, Some(value), span),
            ExprKind::Field { .. } => refuse!("a field is assigned"),
            _ => refuse!("an assignment to such a target"),
        }
    }

    fn assign_variable(&mut self, name: &Text, op: Option<BinaryOp>, value: &Expr, span: Span) -> Low<Val> {
        if let ExprKind::Lambda(f) = &value.kind {
            let v = self.local_function(f, Some(name.clone()))?;
            return self.set_variable(name, v, span);
        }
        let Some(op) = op else {
            self.hint = Some(name.clone());
            let v = match swapped(name, value) {
                Some(value) if self.host => self.expr(&value)?,
                _ => self.expr(value)?,
            };
            self.inherit_access(name, value);
            return self.set_variable(name, v, span);
        };
        if let Some(Slot::Output(array, true)) = self.frame().vars.get(name).cloned() {
            let v = self.number(value)?;
            let place = super::element::Place::new(self.b.i32(0));
            return self.atomic(Op2::of(op), &array, &place, &v).map(Val::Num);
        }
        // An integer would take the operand as one.
        if self.kinds.floats.contains(name) || self.kinds.early.contains(name) {
            self.kinds.wanted.float = Some(name.clone());
            refuse!(Retyped: "'{name}' changes its type");
        }
        let Some(old) = self.variable_value(name)? else { refuse!("'{name}' has no value") };
        let new = self.expr(value)?;
        self.changes_in_place(name, op, &old, &new)?;
        let each = &mut |l: &mut Self, old: &Val, e: &Val| l.compound(name, op, old, e, value, span);
        let result = match self.compound_either((&old, &new), each)? {
            Some(result) => result,
            None => self.compound(name, op, &old, &new, value, span)?,
        };
        self.set_variable(name, result, span)
    }

    /// A float that is changed in place must not be an integer at times, for which that means something else.
    fn changes_in_place(&mut self, name: &Text, op: BinaryOp, old: &Val, e: &Val) -> Low<()> {
        let float = |v: &Val| !matches!(v, Val::Num(n) if n.kind.is_int());
        let same = matches!(op, BinaryOp::Add | BinaryOp::Sub) && !float(e);
        if self.host && float(old) && !matches!(old, Val::Either(_)) && !same {
            self.kinds.changed.insert(name.clone());
            if self.kinds.mixed.contains(name) {
                return self.look_exactly(name);
            }
        }
        Ok(())
    }

    /// `v op= e`: an integer variable stays one, and `+=` and `-=` convert their operand first.
    fn compound(&mut self, name: &str, op: BinaryOp, old: &Val, e: &Val, right: &Expr, span: Span) -> Low<Val> {
        if let (Val::Num(x), Val::Num(y)) = (old, e)
            && x.kind.is_int()
            && (!y.kind.is_int() || matches!(op, BinaryOp::Div | BinaryOp::ElemDiv))
        {
            if y.kind.is_int() {
                refuse!("an integer variable is divided in place");
            }
            self.warn_int(name, Some(span));
            let kind = x.kind;
            if matches!(op, BinaryOp::Add | BinaryOp::Sub) {
                let y = self.whole(y, kind)?;
                return self.binary(Op2::of(op), x, &y, false).map(Val::Num);
            }
            let result = self.binary_operator(op, old, e, right)?;
            return self.map(&result, &mut |l, n| l.whole(n, kind));
        }
        self.binary_operator(op, old, e, right)
    }

    /// A number that becomes an integer; in loops of the host one that does not fit is an error.
    fn whole(&mut self, n: &Num, kind: Kind) -> Low<Num> {
        if self.host && kind == Kind::Int && n.im.is_none() { self.whole_number(n) } else { Ok(self.convert(n, kind)) }
    }

    fn assign_element(
        &mut self,
        base: &Expr,
        items: &[Expr],
        op: Option<BinaryOp>,
        value: &Expr,
        span: Span,
    ) -> Low<Val> {
        let access = self.write_access_of(base);
        let name: Text = if let ExprKind::Name(n) = &base.kind { n.clone() } else { "".into() };
        let v = self.expr(base)?;
        if let Val::Array(a) = &v {
            lone_range(a, items)?;
        }
        let selects = self.selects(items)?;
        match v {
            Val::Array(a) if self.selects_long(&a.shape, &selects) => {
                if op.is_some() && self.is_atomic(&a, &name)
                    || matches!(access, Access::Circular | Access::Mirror | Access::Clamped)
                {
                    refuse!(Slice: "such a slice of '{name}' is assigned");
                }
                let v = self.expr(value)?;
                let part = self.part(&a, &selects, items, access)?;
                self.store_long(&part, (&name, span), op, &v, value)
            }
            Val::Array(a) => {
                if op.is_some() && self.host && !self.all_different(items, &selects) {
                    refuse!("elements of '{name}' may be selected twice");
                }
                let selection = self.selection(&a.shape.clone(), selects)?;
                let target = Target { base, name, selection, access, span };
                let folds = matches!(access, Access::Circular | Access::Mirror | Access::Clamped);
                if self.host
                    && folds
                    && !self.all_inside(&a, &target.selection.elements)
                    && !(op.is_some() && self.is_atomic(&a, &target.name))
                {
                    // Two subscripts outside may mean one element, which the order of the iterations then decides.
                    refuse!("'{}' is written through its access mode", target.name);
                }
                match op {
                    Some(op) if self.is_atomic(&a, &target.name) => self.update_array(&a, target, op, value),
                    Some(op) => self.change_array(&a, target, op, value),
                    None => {
                        let v = self.expr(value)?;
                        self.store_array(&a, &target, &v)
                    }
                }
            }
            Val::Small(s) => {
                let lengths: Vec<Length> = s.shape.iter().map(|n| Length::Known(*n)).collect();
                let selection = self.selection(&lengths, selects)?;
                self.assign_small(s, Target { base, name, selection, access, span }, op, value)
            }
            other => refuse!("an element of {} is assigned", other.what()),
        }
    }

    /// Whether no subscript names an element twice: on the host, each is changed once.
    fn all_different(&mut self, items: &[Expr], selects: &[Select]) -> bool {
        let ranges = items.len() == selects.len();
        selects.iter().enumerate().all(|(i, select)| match select {
            Select::Many(_) if ranges && matches!(items[i].kind, ExprKind::Range { .. } | ExprKind::Colon) => true,
            Select::Many(list) => {
                let known: Option<Set<i64>> = list.iter().map(|n| self.known_int(n)).collect();
                known.is_some_and(|k| k.len() == list.len())
            }
            _ => true,
        })
    }

    fn is_atomic(&mut self, a: &ArrayRef, name: &str) -> bool {
        a.shared || !self.host || self.accumulates.iter().any(|n| **n == *name)
    }

    /// The values for the selected elements: one for each, or one number for all.
    fn spread(&mut self, selection: &Selection, v: &Val) -> Low<Vec<Num>> {
        let count = selection.elements.len();
        match v {
            Val::Num(n) => Ok(vec![*n; count]),
            Val::Channel(_) | Val::Small(_) | Val::Array(_) if selection.channel => Ok(vec![self.channel_of(v)?]),
            Val::Small(_) | Val::Array(_) => {
                let small = self.small_of(v)?;
                let squeezed = |s: &[usize]| s.iter().copied().filter(|n| *n != 1).collect::<Vec<_>>();
                let fits = if selection.shape.is_empty() {
                    small.items.len() == 1
                } else {
                    squeezed(&small.shape) == squeezed(&selection.shape)
                };
                if !fits {
                    refuse!("values of another size are assigned to a selection");
                }
                Ok(small.items)
            }
            other => refuse!("{} is stored in an array", other.what()),
        }
    }

    fn store_array(&mut self, a: &Rc<ArrayRef>, target: &Target<'_>, v: &Val) -> Low<Val> {
        self.one_channel(&target.selection)?;
        let number = self.element_value(v.clone(), a.element.kind());
        let values = self.spread(&target.selection, &number)?;
        for (subscripts, n) in target.selection.elements.iter().zip(&values) {
            let place = self.element_place(a, subscripts, target.selection.linear, target.access)?;
            self.store(a, &place, n, &target.name, Some(target.span))?;
        }
        Ok(v.clone())
    }

    /// `a[…] op= e` on elements that other items use, too.
    fn update_array(&mut self, a: &Rc<ArrayRef>, target: Target<'_>, op: BinaryOp, value: &Expr) -> Low<Val> {
        let v = self.expr(value)?;
        let v = self.element_value(v, a.element.kind());
        if self.pixels.is_some() {
            refuse!("iterations combine elements");
        }
        if !target.selection.shape.is_empty() {
            a.no_slice()?;
        }
        if op == BinaryOp::Mul && !target.selection.shape.is_empty() && !matches!(v, Val::Num(_)) {
            refuse!("'{}' is multiplied by an array", target.name);
        }
        let values = self.spread(&target.selection, &v)?;
        if let Some(bins) = self.bins.iter().position(|b| *b.name == *target.name) {
            return self.update_bins(a, bins, &target.selection, target.access, Op2::of(op), &values);
        }
        let mut results = Vec::new();
        for (subscripts, n) in target.selection.elements.iter().zip(&values) {
            let place = self.element_place(a, subscripts, target.selection.linear, target.access)?;
            results.push(self.atomic(Op2::of(op), a, &place, n)?);
        }
        Ok(match &results[..] {
            [one] if target.selection.shape.is_empty() => Val::Num(*one),
            _ => Val::Small(Small { shape: target.selection.shape, items: results, mask: false }),
        })
    }

    /// `a[…] op= e` on elements that belong to this item.
    fn change_array(&mut self, a: &Rc<ArrayRef>, target: Target<'_>, op: BinaryOp, value: &Expr) -> Low<Val> {
        self.one_channel(&target.selection)?;
        if !target.selection.shape.is_empty() {
            a.no_slice()?;
        }
        let mut places = Vec::new();
        let mut items = Vec::new();
        for subscripts in &target.selection.elements {
            let place = self.element_place(a, subscripts, target.selection.linear, target.access)?;
            items.push(self.load(a, &place)?);
            places.push(place);
        }
        let old = match &items[..] {
            [one] if target.selection.channel => Val::Channel(*one),
            [one] if target.selection.shape.is_empty() => Val::Num(*one),
            _ => Val::Small(Small { shape: target.selection.shape.clone(), items, mask: false }),
        };
        let e = self.expr(value)?;
        let new = self.binary_operator(op, &old, &e, value)?;
        let number = self.element_value(new.clone(), a.element.kind());
        let values = self.spread(&target.selection, &number)?;
        for (place, n) in places.iter().zip(&values) {
            self.store(a, place, n, &target.name, Some(target.span))?;
        }
        Ok(new)
    }

    /// Assigns elements of an array in registers.
    fn assign_small(&mut self, mut s: Small, target: Target<'_>, op: Option<BinaryOp>, value: &Expr) -> Low<Val> {
        let ExprKind::Name(name) = &target.base.kind else { refuse!("an element of a temporary array is assigned") };
        if self.frame().captured.contains_key(name) && !self.frame().vars.contains_key(name) {
            refuse!("an element of '{name}', which is captured, is assigned");
        }
        let v = self.expr(value)?;
        let v = match op {
            Some(op) => {
                let old = self.index_small(&s, &target)?;
                self.binary_operator(op, &old, &v, value)?
            }
            None => v,
        };
        let kind = s.kind()?;
        let number = self.element_value(v.clone(), kind);
        let values = self.spread(&target.selection, &number)?;
        for (subscripts, n) in target.selection.elements.iter().zip(&values) {
            let (at, inside) = self.register_place(&s, subscripts, target.selection.linear, target.access)?;
            let n = self.as_element(&target.name, kind, n, target.span)?;
            let known = self.known_int(&at);
            for i in 0..s.items.len() {
                let mut here = match known {
                    Some(at) => self.known_bool(at == i as i64).re,
                    None => {
                        let i = self.b.i32(i as i32);
                        self.op(Op::CmpEq, &[at.re, i])
                    }
                };
                if let Some(inside) = inside {
                    here = self.op(Op::And, &[here, inside]);
                }
                let old = s.items[i];
                s.items[i] = match self.constant(here) {
                    Some(c) if c.bits == 0 => old,
                    Some(_) => n,
                    None => self.select(here, &n, &old),
                };
            }
        }
        self.store_small(name, s)?;
        Ok(v)
    }

    fn index_small(&mut self, s: &Small, target: &Target<'_>) -> Low<Val> {
        self.read_selection(s, &target.selection, target.access)
    }

    /// Puts changed elements back. An array in registers is a value: a variable that shares it would have to see the change.
    fn store_small(&mut self, name: &Text, s: Small) -> Low<()> {
        match self.frame().vars.get(name).cloned() {
            Some(Slot::Fixed(_)) | None => {
                if self.depth > 0 {
                    refuse!("an element of '{name}' is assigned in a branch, the array only once");
                }
                self.frame().vars.insert(name.clone(), Slot::Fixed(Val::Small(s.clone())));
            }
            Some(slot) => self.set_slot(&slot, &Val::Small(s.clone()))?,
        }
        self.keep_value(name, &Val::Small(s))
    }

    fn as_element(&mut self, name: &str, kind: Kind, n: &Num, span: Span) -> Low<Num> {
        if kind == Kind::Int && !n.kind.is_int() {
            let fit = if self.host { Fit::Checked } else { Fit::Unchecked };
            return Ok(Num::new(Kind::Int, self.fit(n, IntKind::Int, fit, name, Some(span))?));
        }
        if n.kind > kind && n.im.is_some() {
            refuse!("a complex number is stored in a real array");
        }
        Ok(self.convert(n, kind))
    }

    /// `[a, b] = value`: all values exist before the first is stored.
    pub fn multi_assign(&mut self, targets: &[Expr], value: &Expr) -> Low<Val> {
        let values = match &value.kind {
            ExprKind::Array(items) if !items.iter().any(|i| matches!(i.kind, ExprKind::Spread(_))) => {
                items.iter().map(|i| self.expr(i)).collect::<Low<Vec<_>>>()?
            }
            ExprKind::Call { callee, args } => self.call(value, callee, args, targets.len())?,
            _ => {
                let v = self.expr(value)?;
                self.small_of(&v)?.items.into_iter().map(Val::Num).collect()
            }
        };
        if values.len() != targets.len() {
            refuse!("{} values are assigned to {} variables", values.len(), targets.len());
        }
        for (target, v) in targets.iter().zip(values) {
            match &target.kind {
                ExprKind::Name(name) => drop(self.set_variable(name, v, target.span)?),
                ExprKind::Placeholder => {}
                ExprKind::Index { base, items } => self.store_element(base, items, &v, target.span)?,
                _ => refuse!("an assignment to such a target"),
            }
        }
        Ok(Val::Nothing)
    }

    fn store_element(&mut self, base: &Expr, items: &[Expr], v: &Val, span: Span) -> Low<()> {
        let access = self.write_access_of(base);
        let Val::Array(a) = self.expr(base)? else { refuse!("an element of a small array is one of several targets") };
        lone_range(&a, items)?;
        let selects = self.selects(items)?;
        let selection = self.selection(&a.shape.clone(), selects)?;
        let name: Text = if let ExprKind::Name(n) = &base.kind { n.clone() } else { "".into() };
        self.store_array(&a, &Target { base, name, selection, access, span }, v).map(drop)
    }

    /// `x : T` and `x : T = value`.
    pub fn declare(&mut self, target: &Expr, ty: &TypeExpr, value: Option<&Expr>, span: Span) -> Low<Val> {
        let ExprKind::Name(name) = &target.kind else { refuse!("a field is declared") };
        let declared = self.resolve(ty);
        if let Some(access) = declared.access {
            self.frame().access.insert(name.clone(), access);
        }
        self.frame().declared.insert(name.clone(), declared.ty.clone());
        let v = match value {
            Some(Expr { kind: ExprKind::Lambda(f), .. }) => self.local_function(f, Some(name.clone()))?,
            Some(value) => self.expr(value)?,
            None => match self.default_value(&declared.ty)? {
                Some(v) => v,
                None => return Ok(Val::Nothing),
            },
        };
        self.set_variable(name, v, span)
    }

    /// What a declared variable starts with.
    pub fn default_value(&mut self, ty: &Type) -> Low<Option<Val>> {
        Ok(match ty {
            Type::Array { element, dims, .. } if !dims.is_empty() => {
                let Some(kind) = self.kind_of_type(element) else { refuse!("a variable of type '{ty}'") };
                let mut sizes = Vec::new();
                for d in dims {
                    let quadra_quasar_hir::types::Dim::Size(n) = d else { return Ok(None) };
                    sizes.push(*n);
                }
                let zero = self.zero(kind);
                Some(self.filled(&sizes, zero)?)
            }
            Type::Array { .. } => None,
            Type::Int(IntKind::U32, _) => Some(Val::Num(self.zero(Kind::Wide))),
            ty => match self.kind_of_type(ty) {
                Some(kind) => Some(Val::Num(self.zero(kind))),
                None => refuse!("a variable of type '{ty}'"),
            },
        })
    }
}

/// `max(v, e)` for `v = max(e, v)`: of two operands the second one gives way if it is NaN, and what is combined must not be lost.
fn swapped(name: &Text, value: &Expr) -> Option<Expr> {
    let ExprKind::Call { callee, args } = &value.kind else { return None };
    let (ExprKind::Name(f), [e, v]) = (&callee.kind, &args[..]) else { return None };
    let last = matches!(&v.value.kind, ExprKind::Name(n) if n == name) && v.name.is_none() && e.name.is_none();
    let args = vec![v.clone(), e.clone()];
    let kind = ExprKind::Call { callee: callee.clone(), args };
    (last && matches!(meaning(f), Meaning::Extreme(_))).then(|| Expr { kind, ..value.clone() })
}
