//! Expressions: what values were computed from.

use super::value::{Array, Kind, Known, Marks, Mode, Thing, sum};
use super::{Found, Refusal, Walk, moded};
use crate::meaning::{Boundary, Fill, Meaning, Measure};
use crate::op2::Op2;
use crate::types::Type;
use quadra_base::Span;
use quadra_quasar_syntax::ast::{Arg, BinaryOp, Expr, ExprKind, TypeExpr, UnaryOp};

const ON_POSITION: &str = "the value depends on the position itself, or on the length of an axis";

impl Walk<'_> {
    /// A single value, also of an array that belongs to one position.
    pub(super) fn value(&mut self, e: &Expr) -> Found<Known> {
        match self.expression(e)? {
            Thing::Scalar(known) => Ok(known),
            Thing::Array(array) if array.private => Ok(Known::data(array.marks)),
            _ => Err(Refusal { span: e.span, why: "a whole array stands for a value here".into() }),
        }
    }

    /// A value of which only the marks matter: it may not be a position.
    fn marks(&mut self, e: &Expr) -> Found<Marks> {
        let known = self.value(e)?;
        match known.kind {
            Kind::Position(..) | Kind::Length(..) => Err(Refusal { span: e.span, why: ON_POSITION.into() }),
            _ => Ok(known.marks),
        }
    }

    pub(super) fn expression(&mut self, e: &Expr) -> Found<Thing> {
        let refuse = |why: String| Err(Refusal { span: e.span, why });
        let data = |marks| Ok(Thing::Scalar(Known::data(marks)));
        match &e.kind {
            ExprKind::Int(v) => Ok(Thing::Scalar(Known::number(*v))),
            ExprKind::Float(_) | ExprKind::Imag(_) | ExprKind::Str(_) => data(Marks::default()),
            ExprKind::Name(name) => match self.state.get(name) {
                Some(thing) => Ok(thing),
                None if self.state.scalars.contains_key(name) => {
                    refuse(format!("'{name}' holds the value of another position, or of a loop over all of them"))
                }
                // A constant of the language or the program.
                None => data(Marks::default()),
            },
            ExprKind::Unary(UnaryOp::Plus, a) => self.expression(a),
            ExprKind::Unary(op, a) => match (op, self.expression(a)?) {
                (_, Thing::Array(array)) => Ok(Thing::Array(array)),
                (UnaryOp::Neg, Thing::Scalar(Known { kind: Kind::Number(l, h), marks })) => {
                    Ok(Thing::Scalar(Known { kind: Kind::Number(-h, -l), marks }))
                }
                _ => data(self.marks(a)?),
            },
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, e.span),
            ExprKind::And(a, b) | ExprKind::Or(a, b) => data(self.marks(a)?.joined(&self.marks(b)?)),
            ExprKind::Ternary(c, a, b) => self.choice(c, a, b, e.span),
            ExprKind::Call { callee, args } => self.call(callee, args, e.span),
            ExprKind::Index { base, items } => self.element(base, items, e.span),
            ExprKind::Array(items) => {
                let mut marks = Marks::default();
                for item in items {
                    marks.join(&self.marks(item)?);
                }
                Ok(Thing::Array(Array { rank: Some(1), ..Array::private(marks) }))
            }
            ExprKind::Sequence(items) if items.len() == 1 => self.expression(&items[0]),
            ExprKind::TypeCheck(a, ty) => self.typed(a, ty),
            ExprKind::Assign { target, op, value } => {
                let thing = match op {
                    Some(op) => self.binary(*op, target, value, e.span)?,
                    None => self.expression(value)?,
                };
                self.assign(target, thing)
            }
            ExprKind::Declare { target, ty, value: Some(value) } => {
                let thing = self.typed(value, ty)?;
                self.assign(target, thing)
            }
            ExprKind::Declare { value: None, .. } => data(Marks::default()),
            ExprKind::MultiAssign { targets, value } => self.assign_several(targets, value),
            _ => refuse("this expression is not followed".into()),
        }
    }

    fn assign_several(&mut self, targets: &[Expr], value: &Expr) -> Found<Thing> {
        let things = match &value.kind {
            ExprKind::Call { callee, args } => self.outputs(callee, args, value.span)?,
            // All values are there before the first is assigned.
            ExprKind::Array(items) => items.iter().map(|item| self.expression(item)).collect::<Found<Vec<_>>>()?,
            _ => Vec::new(),
        };
        if things.len() < targets.len() {
            return Err(Refusal { span: value.span, why: "these values are not followed".into() });
        }
        for (target, thing) in targets.iter().zip(things) {
            if !matches!(target.kind, ExprKind::Placeholder) {
                self.assign(target, thing)?;
            }
        }
        Ok(Thing::Scalar(Known::data(Marks::default())))
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr, span: Span) -> Found<Thing> {
        let (x, y) = (self.expression(a)?, self.expression(b)?);
        let (x, y) = match (x, y) {
            (Thing::Scalar(x), Thing::Scalar(y)) => (x, y),
            (Thing::Size(_), _) | (_, Thing::Size(_)) => return Err(Refusal { span, why: ON_POSITION.into() }),
            (x, y) => return self.arrays(x, y, op, span),
        };
        let marks = x.marks.clone().joined(&y.marks);
        let sign = match op {
            BinaryOp::Add => Some(1),
            BinaryOp::Sub => Some(-1),
            _ => None,
        };
        if let Some(kind) = sign.and_then(|sign| sum(x.kind, y.kind, sign)) {
            return Ok(Thing::Scalar(Known { kind, marks }));
        }
        if let (BinaryOp::Mul, Kind::Number(a, b), Kind::Number(c, d)) = (op, x.kind, y.kind) {
            let all = [a.checked_mul(c), a.checked_mul(d), b.checked_mul(c), b.checked_mul(d)];
            let kind = match all.iter().copied().collect::<Option<Vec<i64>>>() {
                Some(all) => Kind::Number(*all.iter().min().expect("four"), *all.iter().max().expect("four")),
                None => Kind::Data,
            };
            return Ok(Thing::Scalar(Known { kind, marks }));
        }
        if op.is_comparison()
            && let Some(border) = border(x.kind, y.kind)
        {
            return Ok(Thing::Scalar(Known::data(marks.joined(&border))));
        }
        match (x.kind, y.kind) {
            (Kind::Number(..) | Kind::Data, Kind::Number(..) | Kind::Data) => Ok(Thing::Scalar(Known::data(marks))),
            _ => Err(Refusal { span, why: ON_POSITION.into() }),
        }
    }

    /// Whole arrays, element by element.
    fn arrays(&mut self, x: Thing, y: Thing, op: BinaryOp, span: Span) -> Found<Thing> {
        let product = matches!(op, BinaryOp::Mul | BinaryOp::Div | BinaryOp::Pow);
        let both = matches!((&x, &y), (Thing::Array(_), Thing::Array(_)));
        let all = [x, y].into_iter().map(|thing| match thing {
            Thing::Array(array) => Some((array.marks.clone(), array.private, array.rank)),
            Thing::Scalar(Known { kind: Kind::Number(..) | Kind::Data, marks }) => Some((marks, true, None)),
            _ => None,
        });
        let Some(all) = all.collect::<Option<Vec<_>>>() else { return Err(Refusal { span, why: ON_POSITION.into() }) };
        let private = all.iter().all(|a| a.1);
        let vectors = all.iter().all(|a| a.2 == Some(1) || a.2.is_none() && a.1);
        if both && product && !private && !vectors {
            return Err(Refusal { span, why: "a product of matrices looks at whole rows and columns".into() });
        }
        if both && !private && all.iter().any(|a| a.1) {
            return Err(Refusal { span, why: "an array with positions is combined with one without".into() });
        }
        let rank = all.iter().filter_map(|a| a.2).max();
        let marks = all.iter().fold(self.control.clone(), |marks, a| marks.joined(&a.0));
        Ok(Thing::Array(self.another(marks, private, rank)))
    }

    /// A value under a type.
    fn typed(&mut self, e: &Expr, ty: &TypeExpr) -> Found<Thing> {
        match self.expression(e)? {
            Thing::Array(array) => Ok(Thing::Array(moded(array, ty)?)),
            thing => Ok(thing),
        }
    }

    /// An array that was not there before.
    fn another(&mut self, marks: Marks, private: bool, rank: Option<usize>) -> Array {
        self.made += 1;
        Array { private, rank, group: self.made, ..Array::private(marks) }
    }

    fn choice(&mut self, c: &Expr, a: &Expr, b: &Expr, span: Span) -> Found<Thing> {
        let condition = self.marks(c)?;
        match (self.expression(a)?, self.expression(b)?) {
            (Thing::Scalar(x), Thing::Scalar(y)) => {
                let Some(known) = x.join(&y) else { return Err(Refusal { span, why: ON_POSITION.into() }) };
                Ok(Thing::Scalar(Known { marks: known.marks.joined(&condition), ..known }))
            }
            (Thing::Array(x), Thing::Array(y)) if x.private && y.private => {
                Ok(Thing::Array(Array { marks: x.marks.joined(&y.marks).joined(&condition), ..x }))
            }
            _ => Err(Refusal { span, why: "a choice between arrays is not followed".into() }),
        }
    }

    /// An element, or several.
    fn element(&mut self, base: &Expr, items: &[Expr], span: Span) -> Found<Thing> {
        let Thing::Array(array) = self.expression(base)? else {
            return Err(Refusal { span, why: "what is indexed here is not followed".into() });
        };
        let mut marks = if array.private { array.marks.clone() } else { self.place(&array, items, span)?.0 };
        if array.private {
            for item in items.iter().filter(|i| !matches!(i.kind, ExprKind::Colon)) {
                marks.join(&match &item.kind {
                    ExprKind::Range { from, to, .. } => self.marks(from)?.joined(&self.marks(to)?),
                    _ => self.marks(item)?,
                });
            }
        }
        let several = items.iter().any(|i| matches!(i.kind, ExprKind::Colon | ExprKind::Range { .. }));
        match several {
            true => Ok(Thing::Array(Array::private(marks))),
            false => Ok(Thing::Scalar(Known::data(marks))),
        }
    }

    /// What an element of an array with positions was computed from, and whether it is the one at the position itself.
    fn place(&mut self, array: &Array, items: &[Expr], span: Span) -> Found<(Marks, bool)> {
        if array.rank.is_some_and(|rank| rank != items.len()) {
            return Err(Refusal {
                span,
                why: "an array is indexed by another number of positions than it has axes".into(),
            });
        }
        let (mut marks, mut own) = (array.marks.clone(), true);
        for (axis, item) in items.iter().enumerate() {
            if matches!(item.kind, ExprKind::Colon | ExprKind::Range { .. }) {
                marks.join(&Marks::whole(axis));
                continue;
            }
            let index = self.value(item)?;
            let refuse = |why: &str| Err(Refusal { span: item.span, why: why.into() });
            match index.kind {
                Kind::Position(k, low, high) if k == axis => {
                    let far = low.abs().max(high.abs());
                    let (low, high) = match array.mode {
                        Mode::Circular if far > 0 => {
                            return refuse("what lies outside is at the other end of the array");
                        }
                        Mode::Mirror => (-far, far),
                        _ => (low, high),
                    };
                    // What the index is computed from decides which element it is.
                    marks = marks
                        .shifted(axis, low, high)
                        .joined(&Marks::at(axis, low.min(0), high.max(0)))
                        .joined(&index.marks);
                    own &= (low, high) == (0, 0);
                }
                Kind::Position(..) => return refuse("the axes of the array are exchanged"),
                Kind::Number(..) => marks = marks.joined(&Marks::whole(axis)).joined(&index.marks),
                Kind::Length(..) => marks.join(&Marks::whole(axis)),
                Kind::Data => return refuse("which element it is depends on data"),
            }
        }
        Ok((marks, own))
    }

    fn assign(&mut self, target: &Expr, thing: Thing) -> Found<Thing> {
        let span = target.span;
        let refuse = |why: &str| Err(Refusal { span, why: why.into() });
        match &target.kind {
            ExprKind::Name(name) => {
                let thing = match thing {
                    Thing::Scalar(k) => Thing::Scalar(Known { marks: k.marks.joined(&self.control), ..k }),
                    Thing::Array(a) if !a.private && !self.loops.is_empty() => {
                        return refuse("an array takes another's place in a loop over positions");
                    }
                    Thing::Array(a) => Thing::Array(Array { marks: a.marks.joined(&self.control), ..a }),
                    Thing::Size(rank) => Thing::Size(rank),
                };
                self.state.set(name, thing.clone(), span)?;
                Ok(thing)
            }
            ExprKind::TypeCheck(inner, _) => self.assign(inner, thing),
            ExprKind::Index { base, items } => {
                let ExprKind::Name(name) = &base.kind else { return refuse("what is written here is not followed") };
                let Some(Thing::Array(array)) = self.state.get(name) else {
                    return refuse("what is written here is not followed");
                };
                if array.given {
                    return refuse("it writes to its argument, or to an array of which it is not known whose it is");
                }
                let mut marks = match thing {
                    Thing::Scalar(Known { kind: Kind::Number(..) | Kind::Data, ref marks }) => marks.clone(),
                    Thing::Array(ref a) if a.private => a.marks.clone(),
                    _ => return refuse(ON_POSITION),
                };
                marks.join(&self.control);
                if array.private {
                    for item in items.iter().filter(|i| !matches!(i.kind, ExprKind::Colon | ExprKind::Range { .. })) {
                        marks.join(&self.marks(item)?);
                    }
                } else {
                    let fixed = Array { marks: Marks::default(), ..array.clone() };
                    let (place, own) = self.place(&fixed, items, span)?;
                    let along = items.iter().any(|i| matches!(self.value(i).map(|k| k.kind), Ok(Kind::Position(..))));
                    if !own || !along {
                        return refuse("it writes elsewhere than at the position itself");
                    }
                    marks.join(&place);
                }
                for (other, a) in &mut self.state.arrays {
                    if other == name || a.group == array.group && a.group != 0 {
                        a.marks.join(&marks);
                    }
                }
                Ok(thing)
            }
            _ => refuse("what is written here is not followed"),
        }
    }

    /// All values of a call.
    fn outputs(&mut self, callee: &Expr, args: &[Arg], span: Span) -> Found<Vec<Thing>> {
        if let ExprKind::Name(name) = &callee.kind
            && let Some(function) = self.functions.get(name).cloned()
        {
            if args.iter().any(|a| a.name.is_some()) {
                return Err(Refusal { span, why: "arguments that are named are not followed".into() });
            }
            let things = args.iter().map(|a| self.expression(&a.value)).collect::<Found<Vec<_>>>()?;
            return self.function(&function, things, span);
        }
        self.call(callee, args, span).map(|thing| vec![thing])
    }

    fn call(&mut self, callee: &Expr, args: &[Arg], span: Span) -> Found<Thing> {
        let ExprKind::Name(name) = &callee.kind else {
            // `vec[int64](n)`: the name of a type with the lengths.
            return match &callee.kind {
                ExprKind::Type(_) | ExprKind::Index { .. } => self.filled(args),
                _ => Err(Refusal { span, why: "what is called here is not known".into() }),
            };
        };
        if self.functions.contains_key(name) {
            let mut found = self.outputs(callee, args, span)?;
            return match found.is_empty() {
                true => Ok(Thing::Scalar(Known::data(Marks::default()))),
                false => Ok(found.swap_remove(0)),
            };
        }
        if Type::of_numbers(name).is_some() || matches!(self.library.meaning(name), Meaning::Float) {
            let [arg] = args else { return Err(Refusal { span, why: "a conversion has one argument".into() }) };
            let whole = Type::of_numbers(name).is_some_and(|t| matches!(t, Type::Int(..)));
            return match self.expression(&arg.value)? {
                thing if whole => Ok(thing),
                Thing::Array(array) => Ok(Thing::Array(array)),
                _ => Ok(Thing::Scalar(Known::data(self.marks(&arg.value)?))),
            };
        }
        match self.library.meaning(name) {
            Meaning::Measure(measure) => self.measure(measure, args, span),
            Meaning::Fill(Fill::Zeros | Fill::Ones | Fill::Uninitialised | Fill::ComplexZeros) => self.filled(args),
            Meaning::Copy => match self.expression(&args[0].value)? {
                Thing::Array(array) => Ok(Thing::Array(self.another(array.marks, array.private, array.rank))),
                thing => Ok(thing),
            },
            Meaning::Assert => Ok(Thing::Scalar(Known::data(Marks::default()))),
            Meaning::Boundary(Boundary::Mirror | Boundary::Clamp) | Meaning::Extreme(_) if args.len() == 2 => {
                self.bounded(self.library.meaning(name), args, span)
            }
            Meaning::Map(_) | Meaning::Pair(_) | Meaning::Formula(_) | Meaning::Quotient | Meaning::Complex => {
                self.each(args, span)
            }
            _ => Err(Refusal { span, why: format!("'{name}' is not followed: it may look at whole arrays") }),
        }
    }

    /// A new array of one value, with the lengths of another one or with lengths that are named.
    fn filled(&mut self, args: &[Arg]) -> Found<Thing> {
        let rank = match args {
            [arg] => match self.expression(&arg.value)? {
                Thing::Size(rank) => rank,
                _ => Some(1),
            },
            _ => Some(args.len()),
        };
        let private = !self.loops.is_empty();
        Ok(Thing::Array(self.another(Marks::default(), private, rank)))
    }

    /// A function that works element by element.
    fn each(&mut self, args: &[Arg], span: Span) -> Found<Thing> {
        let mut all = Thing::Scalar(Known::data(Marks::default()));
        for arg in args {
            let thing = match self.expression(&arg.value)? {
                Thing::Scalar(_) => Thing::Scalar(Known::data(self.marks(&arg.value)?)),
                thing => thing,
            };
            all = match (all, thing) {
                (Thing::Scalar(a), Thing::Scalar(b)) => Thing::Scalar(Known::data(a.marks.joined(&b.marks))),
                (a, b) => self.arrays(a, b, BinaryOp::Add, span)?,
            };
        }
        Ok(all)
    }

    /// The greater or lesser of two, also where one is a position that is kept inside of the array.
    fn bounded(&mut self, meaning: Meaning, args: &[Arg], span: Span) -> Found<Thing> {
        let (x, y) = (self.expression(&args[0].value)?, self.expression(&args[1].value)?);
        let (Thing::Scalar(x), Thing::Scalar(y)) = (x, y) else { return self.each(args, span) };
        let marks = x.marks.clone().joined(&y.marks);
        let known = |kind, marks| Ok(Thing::Scalar(Known { kind, marks }));
        match (x.kind, y.kind) {
            (Kind::Number(a, b), Kind::Number(c, d)) if meaning == Meaning::Extreme(Op2::Max) => {
                known(Kind::Number(a.max(c), b.max(d)), marks)
            }
            (Kind::Number(a, b), Kind::Number(c, d)) if meaning == Meaning::Extreme(Op2::Min) => {
                known(Kind::Number(a.min(c), b.min(d)), marks)
            }
            (Kind::Number(..) | Kind::Data, Kind::Number(..) | Kind::Data) => known(Kind::Data, marks),
            (Kind::Position(k, l, h), other) | (other, Kind::Position(k, l, h)) => {
                let Some(border) = border(Kind::Position(k, l, h), other) else {
                    return Err(Refusal { span, why: ON_POSITION.into() });
                };
                let far = h.abs().max(l.abs()) + 1;
                let (low, high) =
                    if meaning == Meaning::Boundary(Boundary::Mirror) { (-2 * far, 2 * far) } else { (l, h) };
                known(
                    Kind::Position(k, low, high),
                    marks.joined(&border).joined(&Marks::at(k, low.min(0), high.max(0))),
                )
            }
            _ => Err(Refusal { span, why: ON_POSITION.into() }),
        }
    }

    fn measure(&mut self, measure: Measure, args: &[Arg], span: Span) -> Found<Thing> {
        let refuse = |why: &str| Err(Refusal { span, why: why.into() });
        let Some(first) = args.first() else { return refuse("an array is missing here") };
        let Thing::Array(array) = self.expression(&first.value)? else { return refuse(ON_POSITION) };
        let number = |kind| Ok(Thing::Scalar(Known { kind, marks: Marks::default() }));
        if array.private {
            return number(Kind::Data);
        }
        match (measure, args.get(1)) {
            (Measure::Lengths, None) => Ok(Thing::Size(array.rank)),
            (Measure::Lengths, Some(axis)) => match (self.value(&axis.value)?.kind, array.rank) {
                // A vector is a row.
                (Kind::Number(0, 0), Some(1)) => number(Kind::Number(1, 1)),
                (Kind::Number(1, 1), Some(1)) => number(Kind::Length(0, 0, 0)),
                (Kind::Number(k, l), _) if k == l && (0..8).contains(&k) => number(Kind::Length(k as usize, 0, 0)),
                _ => refuse("which length this is depends on data"),
            },
            (Measure::Elements, _) if array.rank == Some(1) => number(Kind::Length(0, 0, 0)),
            (Measure::Dimensions, _) => number(Kind::Data),
            _ => refuse(ON_POSITION),
        }
    }
}

/// Near which border a comparison may have another outcome than elsewhere; nothing if that cannot be said.
fn border(a: Kind, b: Kind) -> Option<Marks> {
    match (a, b) {
        (Kind::Position(k, l, h), Kind::Number(c, d)) | (Kind::Number(c, d), Kind::Position(k, l, h)) => {
            let far = (d - l).max(c - h).max(0).checked_add(1)?;
            Some(Marks::at(k, -far, 0))
        }
        (Kind::Position(k, l, h), Kind::Length(m, c, _)) | (Kind::Length(m, c, _), Kind::Position(k, l, h))
            if k == m =>
        {
            let far = (h.max(l) - c).max(0).checked_add(1)?;
            Some(Marks::at(k, 0, far))
        }
        _ => None,
    }
}
