//! Arrays that iterations in order assign as a whole: the loop has an array of its own for each, whose lengths follow from what the
//! loop is given. That an assignment gives that many elements of that kind is tested where it is lowered, so that what is worked
//! out here can be wrong only in that no kernel comes of it.

use super::state::Lower;
use super::value::{ArrayRef, Num, Val};
use super::{Low, refuse};
use quadra_base::Span;
use quadra_quasar_hir::meaning::{Meaning, Measure};
use quadra_quasar_hir::par::Rotation;
use quadra_quasar_hir::par::fresh::{Fresh, Lengths, elements};
use quadra_quasar_hir::par::whole::Whole;
use quadra_quasar_hir::types::{Fit, IntKind, Precision, Type};
use quadra_quasar_syntax::ast::{BinaryOp, Expr, ExprKind, Text, UnaryOp};
use quadra_quasar_syntax::pretty;
use quadra_quasar_vm::arith::Kind;
use quadra_quasar_vm::builtins::meaning;
use quadra_quasar_vm::cx::Cx;
use quadra_quasar_vm::nest::Nest;
use quadra_quasar_vm::tensor::{Data, Shape, Tensor};
use quadra_quasar_vm::value::Value;
use std::cell::RefCell;
use std::rc::Rc;

/// What is known of a value before the loop runs: a number, or an array of these lengths.
#[derive(Clone, Debug, PartialEq)]
enum Form {
    Number(Kind),
    Array(Vec<usize>, Kind),
}

/// What the loop is given, and the names that are being looked at.
struct Forms<'a> {
    nest: &'a Nest,
    rotation: &'a Rotation,
    own: &'a [Value],
    scalar: Kind,
    /// Arrays of the loop's own that are not there yet.
    unknown: &'a [Text],
    open: RefCell<Vec<Text>>,
}

/// Arrays of the loop's own for those that its iterations make, or assign as a whole, the latter with what they hold before it. Nothing
/// if an array's lengths are not known.
pub(super) fn make(nest: &Nest, rotation: &Rotation, own: &mut [Value], cx: &Cx) -> Option<()> {
    let scalar = if cx.mode.double { Kind::F64 } else { Kind::F32 };
    let (kept, mut anew): (Vec<&Whole>, Vec<&Whole>) = rotation.wholes.arrays.iter().partition(|w| w.kept);
    for whole in kept {
        let held = own.get_mut(place(nest, &whole.name)?)?;
        form_of(held)?;
        let Value::Array(t) = &*held else { return None };
        let copy = Value::array(t.duplicate());
        *held = copy;
    }
    let mut fresh: Vec<&Fresh> = rotation.fresh.iter().collect();
    // The lengths of one may follow from those of another.
    while !(fresh.is_empty() && anew.is_empty()) {
        let before = fresh.len() + anew.len();
        let mut later = Vec::new();
        for f in std::mem::take(&mut fresh) {
            let mut unknown: Vec<&Text> = anew.iter().map(|w| &w.name).collect();
            unknown.extend(later.iter().map(|f: &&Fresh| &f.name));
            unknown.push(&f.name);
            match shape(nest, own, f, &unknown) {
                Some(shape) => {
                    let made = Tensor::zeros(shape, &f.element, cx.mode.double).ok()?;
                    *own.get_mut(place(nest, &f.name)?)? = Value::array(made);
                }
                None => later.push(f),
            }
        }
        fresh = later;
        let mut unknown: Vec<Text> = fresh.iter().map(|f| f.name.clone()).collect();
        unknown.extend(anew.iter().map(|w| w.name.clone()));
        let mut later = Vec::new();
        for whole in std::mem::take(&mut anew) {
            let forms = Forms { nest, rotation, own, scalar, unknown: &unknown, open: RefCell::default() };
            let form = forms.of_name(&whole.name);
            match form {
                Some(Form::Array(lengths, kind)) => {
                    let made = array_of(lengths, kind, cx)?;
                    *own.get_mut(place(nest, &whole.name)?)? = made;
                    unknown.retain(|n| *n != whole.name);
                }
                Some(Form::Number(_)) => return None,
                None => later.push(whole),
            }
        }
        anew = later;
        if fresh.len() + anew.len() == before {
            return None;
        }
    }
    Some(())
}

/// The lengths of an array that an iteration makes; nothing if they depend on an array that is not known yet.
fn shape(nest: &Nest, args: &[Value], fresh: &Fresh, unknown: &[&Text]) -> Option<Shape> {
    let value = |name: &str| {
        let known = !unknown.iter().any(|n| ***n == *name);
        known.then(|| place(nest, name).and_then(|i| args.get(i)).cloned()).flatten()
    };
    let length = |n: f64| (n >= 1.0 && n <= f64::from(i32::MAX) && n.fract() == 0.0).then_some(n as usize);
    match &fresh.lengths {
        Lengths::Like(array) => match value(array)? {
            Value::Array(t) => Some(t.shape.clone()),
            _ => None,
        },
        Lengths::Each(all) => {
            let mut lengths =
                all.iter().map(|e| length(super::amount::length(e, &value)?)).collect::<Option<Shape>>()?;
            if lengths.len() == 1 {
                lengths.insert(0, 1);
            }
            Some(lengths)
        }
    }
}

/// An array of zeros.
fn array_of(lengths: Vec<usize>, kind: Kind, cx: &Cx) -> Option<Value> {
    if lengths.contains(&0) {
        return None;
    }
    let element = match kind {
        Kind::Int => Type::INT,
        Kind::Wide => Type::Int(IntKind::I64, Fit::Checked),
        Kind::F32 => Type::Scalar(Precision::Single),
        _ => Type::Scalar(Precision::Double),
    };
    let shape: Shape = lengths.into_iter().collect();
    Some(Value::array(Tensor::zeros(shape, &element, cx.mode.double).ok()?))
}

/// The number of a variable.
pub(super) fn place(nest: &Nest, name: &str) -> Option<usize> {
    nest.vars.iter().position(|v| *v.0 == *name)
}

fn form_of(v: &Value) -> Option<Form> {
    Some(match v {
        Value::Int(_) => Form::Number(Kind::Int),
        Value::F32(_) => Form::Number(Kind::F32),
        Value::F64(_) => Form::Number(Kind::F64),
        Value::Array(t) => {
            let kind = match &*t.data.peek() {
                Data::F32(_) => Kind::F32,
                Data::F64(_) => Kind::F64,
                Data::Int(_) => Kind::Int,
                Data::I64(_) => Kind::Wide,
                _ => return None,
            };
            Form::Array(t.shape.to_vec(), kind)
        }
        _ => return None,
    })
}

impl Forms<'_> {
    fn of_name(&self, name: &Text) -> Option<Form> {
        let before = || place(self.nest, name).and_then(|i| self.own.get(i)).and_then(form_of);
        let wholes = &self.rotation.wholes;
        if wholes.counters.contains(name) {
            return Some(Form::Number(Kind::Int));
        }
        if self.rotation.is_fresh(name) {
            return if self.unknown.contains(name) { None } else { before() };
        }
        let whole = wholes.arrays.iter().chain(&wholes.others).find(|w| w.name == *name);
        let Some(whole) = whole else { return before() };
        if whole.kept && wholes.has(name) {
            return before();
        }
        if self.open.borrow().contains(name) {
            return None;
        }
        self.open.borrow_mut().push(name.clone());
        let found = whole.values.iter().find_map(|v| self.of(v));
        self.open.borrow_mut().pop();
        found
    }

    /// A number that is the same in all iterations.
    fn number(&self, e: &Expr) -> Option<f64> {
        let wholes = &self.rotation.wholes;
        let own = |name: &str| wholes.others.iter().find(|w| *w.name == *name);
        let once = |name: &str| match own(name) {
            Some(w) if !w.kept && w.values.len() == 1 && !self.open.borrow().contains(&w.name) => {
                self.open.borrow_mut().push(w.name.clone());
                let value = self.number(&w.values[0]);
                self.open.borrow_mut().pop();
                value.map(Value::F64)
            }
            _ => None,
        };
        let value = |name: &str| {
            let same = |n: &Text| **n == *name;
            match own(name) {
                Some(_) => once(name),
                None if wholes.counters.iter().any(same) || self.unknown.iter().any(same) => None,
                None => place(self.nest, name).and_then(|i| self.own.get(i)).cloned(),
            }
        };
        super::amount::number(e, &value)
    }

    /// By how much two numbers differ, if that is the same in all iterations.
    fn distance(&self, from: &Expr, to: &Expr) -> Option<f64> {
        let apart = |e: &Expr| match &e.kind {
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, n) => {
                let n = self.number(n)?;
                Some((pretty::expression(a), if *op == BinaryOp::Add { n } else { -n }))
            }
            _ => Some((pretty::expression(e), 0.0)),
        };
        match (self.number(from), self.number(to)) {
            (Some(from), Some(to)) => Some(to - from),
            _ => {
                let ((a, m), (b, n)) = (apart(from)?, apart(to)?);
                (a == b).then_some(n - m)
            }
        }
    }

    fn length(&self, e: &Expr) -> Option<usize> {
        let n = self.number(e)?;
        (n >= 1.0 && n <= f64::from(i32::MAX) && n.fract() == 0.0).then_some(n as usize)
    }

    fn of(&self, e: &Expr) -> Option<Form> {
        Some(match &e.kind {
            ExprKind::Int(_) => Form::Number(Kind::Int),
            ExprKind::Float(_) => Form::Number(self.scalar),
            ExprKind::Name(n) => self.of_name(n)?,
            ExprKind::Unary(UnaryOp::Neg | UnaryOp::Plus, a) => self.of(a)?,
            ExprKind::Binary(op, a, b) => self.operator(*op, self.of(a)?, self.of(b)?)?,
            ExprKind::Array(items) => {
                let all: Vec<Form> = items.iter().map(|i| self.of(i)).collect::<Option<_>>()?;
                literal(&all)?
            }
            ExprKind::Index { base, items } => self.index(&self.of(base)?, items)?,
            ExprKind::Call { callee, args } => {
                if let ExprKind::Type(ty) = &callee.kind {
                    let kind = match elements(ty)? {
                        Type::Int(IntKind::Int, _) => Kind::Int,
                        Type::Int(IntKind::I64, _) => Kind::Wide,
                        Type::Scalar(Precision::Double) => Kind::F64,
                        Type::Scalar(Precision::Default) => self.scalar,
                        _ => return None,
                    };
                    let mut lengths = args.iter().map(|a| self.length(&a.value)).collect::<Option<Vec<_>>>()?;
                    if lengths.len() == 1 {
                        lengths.insert(0, 1);
                    }
                    return (lengths.len() == 2).then_some(Form::Array(lengths, kind));
                }
                let ExprKind::Name(f) = &callee.kind else { return None };
                let args: Vec<&Expr> = args.iter().map(|a| &a.value).collect();
                self.call(meaning(f), &args)?
            }
            _ => return None,
        })
    }

    fn operator(&self, op: BinaryOp, a: Form, b: Form) -> Option<Form> {
        use BinaryOp::{Add, Div, ElemDiv, ElemMul, ElemPow, Mul, Pow, Sub};
        let kind = |x: Kind, y: Kind| match op {
            Add | Sub | Mul | ElemMul => Some(x.max(y)),
            Div | ElemDiv if x.max(y).is_int() => Some(self.scalar),
            Pow | ElemPow if x.is_int() => None,
            Div | ElemDiv | Pow | ElemPow => Some(x.max(y)),
            _ => None,
        };
        Some(match (a, b) {
            (Form::Number(x), Form::Number(y)) => Form::Number(kind(x, y)?),
            (Form::Array(s, x), Form::Number(y)) if op != Pow => Form::Array(s, kind(x, y)?),
            (Form::Number(x), Form::Array(s, y)) if !matches!(op, Pow | Div) => Form::Array(s, kind(x, y)?),
            (Form::Array(s, x), Form::Array(t, y)) => {
                let kind = kind(x, y)?;
                let shape = match (op, &s[..], &t[..]) {
                    (Mul, [1, k], [1, n]) if k == n => s,
                    (Mul, [m, k], [p, n]) if k == p && m * n > 1 => vec![*m, *n],
                    (Add | Sub | ElemMul | ElemDiv | ElemPow, ..) if s.len() == t.len() => {
                        let one = |(a, b): (&usize, &usize)| match (a, b) {
                            (1, n) | (n, 1) => Some(*n),
                            (a, b) => (a == b).then_some(*a),
                        };
                        s.iter().zip(&t).map(one).collect::<Option<_>>()?
                    }
                    _ => return None,
                };
                Form::Array(shape, kind)
            }
            _ => return None,
        })
    }

    fn index(&self, base: &Form, items: &[Expr]) -> Option<Form> {
        let Form::Array(shape, kind) = base else { return None };
        // The lengths that items select; nothing for one element.
        let selected = |(item, all): (&Expr, usize)| match &item.kind {
            ExprKind::Colon => Some(Some(all)),
            ExprKind::Range { from, step: None, to } => {
                let count = self.distance(from, to)? + 1.0;
                (count >= 1.0).then_some(Some(count as usize))
            }
            _ => matches!(self.of(item)?, Form::Number(_)).then_some(None),
        };
        let lengths: Vec<Option<usize>> = match (items, &shape[..]) {
            ([item], [1, n]) => vec![None, selected((item, *n))?],
            ([item], _) => return selected((item, 1))?.is_none().then_some(Form::Number(*kind)),
            _ if items.len() == shape.len() => {
                items.iter().zip(shape.iter().copied()).map(selected).collect::<Option<_>>()?
            }
            _ => return None,
        };
        let kept: Vec<usize> = (0..lengths.len()).filter(|d| lengths[*d].is_some()).collect();
        let length = |d: usize| lengths[d].unwrap_or(1);
        Some(match kept[..] {
            [] => Form::Number(*kind),
            [0] => Form::Array(vec![length(0), 1], *kind),
            [d] => Form::Array(vec![1, length(d)], *kind),
            _ => Form::Array(kept.iter().map(|d| length(*d)).collect(), *kind),
        })
    }

    fn call(&self, meaning: Meaning, args: &[&Expr]) -> Option<Form> {
        Some(match (meaning, args) {
            (Meaning::Copy | Meaning::Map(_), [a]) => self.of(a)?,
            (Meaning::Pair(_) | Meaning::Extreme(_), [a, b]) => {
                self.operator(BinaryOp::Add, self.of(a)?, self.of(b)?)?
            }
            (Meaning::Transpose, [a]) => match self.of(a)? {
                Form::Array(s, kind) if s.len() == 2 => Form::Array(vec![s[1], s[0]], kind),
                _ => return None,
            },
            (Meaning::Fill(_) | Meaning::Identity, [n]) => {
                let n = self.length(n)?;
                Form::Array(vec![if meaning == Meaning::Identity { n } else { 1 }, n], self.scalar)
            }
            (Meaning::Fill(_), [m, n]) => Form::Array(vec![self.length(m)?, self.length(n)?], self.scalar),
            (Meaning::Measure(Measure::Elements | Measure::Dimensions), _) => Form::Number(Kind::Int),
            (Meaning::Measure(Measure::Lengths), [_, _]) => Form::Number(Kind::Int),
            (Meaning::Sum | Meaning::Product | Meaning::Extreme(_), [a]) => match self.of(a)? {
                Form::Array(_, kind) | Form::Number(kind) => Form::Number(kind),
            },
            (Meaning::Norm | Meaning::Mean | Meaning::DotProduct, _) => Form::Number(self.scalar),
            _ => return None,
        })
    }
}

/// The form of `[a, b, …]`: numbers are a vector, vectors the rows of a matrix.
fn literal(items: &[Form]) -> Option<Form> {
    let kind = items.iter().map(|f| match f {
        Form::Number(kind) | Form::Array(_, kind) => *kind,
    });
    let kind = kind.max()?;
    match &items[0] {
        Form::Number(_) => {
            let all = items.iter().all(|f| matches!(f, Form::Number(_)));
            all.then(|| Form::Array(vec![1, items.len()], kind))
        }
        Form::Array(first, _) => {
            let same = items.iter().all(|f| matches!(f, Form::Array(s, _) if s == first));
            (same && first.len() == 2 && first[0] == 1).then(|| Form::Array(vec![items.len(), first[1]], kind))
        }
    }
}

impl Lower<'_> {
    /// An assignment of a variable for which an array of the loop's own stands: all of its elements are set.
    pub(super) fn assign_whole(&mut self, name: &Text, (value, fills): (&Expr, bool), span: Span) -> Low<Val> {
        let Some(Val::Array(a)) = self.variable_value(name)? else { refuse!("'{name}' is no array") };
        let v = self.expr(value)?;
        match &v {
            // An array full of one number.
            Val::Num(n) if fills => {
                let n = self.convert(n, a.element.kind());
                self.set_all(&a, name, span, &mut |_, _| Ok(n))?;
            }
            Val::Small(s) => {
                let known: Option<Vec<usize>> = a.shape.iter().map(|n| n.known()).collect();
                if known.as_ref() != Some(&s.shape) {
                    refuse!("'{name}' gets other lengths");
                }
                for (i, n) in s.items.iter().enumerate() {
                    self.same_kind(&a, n, name)?;
                    let place = super::element::Place::new(self.b.i32(i as i32));
                    self.store(&a, &place, n, name, Some(span))?;
                }
            }
            Val::Long(_) | Val::Array(_) => self.set_long(&a, name, span, &v)?,
            other => refuse!("'{name}' becomes {}", other.what()),
        }
        Ok(Val::Array(a))
    }

    /// Sets all elements to those of an array of the same lengths, of which only those at the same places may be its own.
    fn set_long(&mut self, a: &Rc<ArrayRef>, name: &Text, span: Span, v: &Val) -> Low<()> {
        let x = self.long_of(v)?;
        self.is_fresh(&x)?;
        let own = self.long_of(&Val::Array(a.clone()))?;
        if x.reads.iter().any(|r| r.buf == a.buf && own.reads.iter().any(|o| r.which.is_none() || o.which != r.which)) {
            refuse!(Slice: "'{name}' is set to other elements of it");
        }
        if x.shape.len() != a.shape.len() {
            refuse!("'{name}' gets other lengths");
        }
        for (n, m) in x.shape.iter().zip(&a.shape) {
            self.same_length(*n, *m)?;
        }
        self.set_all(a, name, span, &mut |l, index| (x.at)(l, index))
    }

    fn set_all(
        &mut self,
        a: &Rc<ArrayRef>,
        name: &Text,
        span: Span,
        at: &mut dyn FnMut(&mut Self, &[Num]) -> Low<Num>,
    ) -> Low<()> {
        let part = self.whole_part(a)?;
        self.each(&a.shape.clone(), &mut |l, index| {
            let n = at(l, index)?;
            l.same_kind(a, &n, name)?;
            let place = part.place(l, index);
            l.store(a, &place, &n, name, Some(span))
        })
    }

    /// The variable keeps its type, so what is stored must have it already.
    fn same_kind(&self, a: &ArrayRef, n: &Num, name: &str) -> Low<()> {
        if n.kind != a.element.kind() || n.mixed || n.early {
            refuse!("'{name}' changes its type");
        }
        Ok(())
    }
}
