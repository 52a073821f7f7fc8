//! Reading elements and slices.

use super::element::Place;
use super::state::Lower;
use super::value::{ArrayRef, Length, MOST_SMALL, Num, Small, Val};
use super::{Low, refuse};
use quadra_kir::{self as kir, Bounds, Op};
use quadra_quasar_hir::op2::Op2;
use quadra_quasar_hir::types::Access;
use quadra_quasar_syntax::ast::{Expr, ExprKind};
use quadra_quasar_vm::arith::Kind;
use std::rc::Rc;

/// What one index selects along its dimension.
pub(super) enum Select {
    One(Num),
    /// These, and the result keeps the dimension.
    Many(Vec<Num>),
    /// The item's channel of a pixel.
    Channel(Num),
    /// From the first on, by a step, so many.
    Span(Num, i64, Length),
    All,
}

/// Elements that are selected: their subscripts, and the shape of the result, empty for a single element.
pub(super) struct Selection {
    pub elements: Vec<Vec<Num>>,
    pub shape: Vec<usize>,
    /// The only subscript is the row-major number of an element.
    pub linear: bool,
    /// The one element stands for all channels of a pixel.
    pub channel: bool,
}

/// Refuses a range that stands alone in the brackets of a matrix: it is a position, but in a column it selects elements, and what the
/// matrix is may only be known later.
pub(super) fn lone_range(a: &ArrayRef, items: &[Expr]) -> Low<()> {
    if let [Expr { kind: ExprKind::Range { .. }, .. }] = items
        && a.shape.len() == 2
        && !a.is_vector()
    {
        refuse!("a range alone in the brackets of a matrix");
    }
    Ok(())
}

impl Lower<'_> {
    /// The access mode of an indexed expression.
    pub fn access_of(&mut self, base: &Expr) -> Access {
        let frame = self.frame();
        match &base.kind {
            ExprKind::Name(name) => frame.access.get(name).copied().unwrap_or(frame.default_access.0),
            _ => frame.default_access.0,
        }
    }

    /// The access mode of a target.
    pub fn write_access_of(&mut self, base: &Expr) -> Access {
        let frame = self.frame();
        match &base.kind {
            ExprKind::Name(name) => frame.access.get(name).copied().unwrap_or(frame.default_access.1),
            _ => frame.default_access.1,
        }
    }

    pub fn index(&mut self, base: &Expr, items: &[Expr]) -> Low<Val> {
        let access = self.access_of(base);
        let v = self.expr(base)?;
        match v {
            Val::Array(a) => {
                lone_range(&a, items)?;
                let selects = self.selects(items)?;
                let shape: Vec<Length> = a.shape.clone();
                if self.selects_long(&shape, &selects) {
                    let part = self.part(&a, &selects, items, access)?;
                    return Ok(Val::Long(self.long_part(part)));
                }
                let selection = self.selection(&shape, selects)?;
                self.read_array(&a, &selection, access)
            }
            Val::Small(s) => {
                let selects = self.selects(items)?;
                let shape: Vec<Length> = s.shape.iter().map(|n| Length::Known(*n)).collect();
                let selection = self.selection(&shape, selects)?;
                self.read_selection(&s, &selection, access)
            }
            Val::Long(x) => {
                let mut subscripts = Vec::new();
                for select in self.selects(items)? {
                    let Select::One(n) = select else { refuse!(Slice: "a slice of a slice") };
                    subscripts.push(n);
                }
                self.long_element(&x, &subscripts, access)
            }
            other => refuse!("an index into {}", other.what()),
        }
    }

    pub fn selects(&mut self, items: &[Expr]) -> Low<Vec<Select>> {
        let mut selects = Vec::new();
        for item in items {
            match &item.kind {
                ExprKind::Colon => selects.push(Select::All),
                ExprKind::Range { from, step, to } => match self.index_range(from, step.as_deref(), to)? {
                    Select::Many(list) => selects.push(self.channel_select(list)),
                    span => selects.push(span),
                },
                ExprKind::Spread(inner) => {
                    let v = self.expr(inner)?;
                    let small = self.small_of(&v)?;
                    selects.extend(small.items.into_iter().map(Select::One));
                }
                _ => match self.expr(item)? {
                    Val::Num(n) => selects.push(Select::One(n)),
                    Val::Either(e) => selects.push(Select::One(self.as_exact_float(&e))),
                    v @ (Val::Small(_) | Val::Array(_)) => {
                        let small = self.small_of(&v)?;
                        if small.mask && small.items.len() > 1 {
                            refuse!("a mask as an index");
                        }
                        selects.push(Select::Many(small.items));
                    }
                    other => refuse!("{} as an index", other.what()),
                },
            }
        }
        Ok(selects)
    }

    /// A range as an index.
    fn index_range(&mut self, from: &Expr, step: Option<&Expr>, to: &Expr) -> Low<Select> {
        let (a, b) = (self.number(from)?, self.number(to)?);
        let step = match step {
            None => Some(1),
            Some(step) => {
                let n = self.number(step)?;
                self.known_int(&n).filter(|_| n.kind == Kind::Int)
            }
        };
        let Some(step) = step.filter(|s| *s != 0 && a.kind == Kind::Int && b.kind == Kind::Int) else {
            refuse!(Slice: "a slice whose step is not known, or whose bounds are no integers");
        };
        let (a, b) = (self.plain(&a), self.plain(&b));
        // Windows around the item have a length that is known.
        let near = a
            .item
            .zip(b.item)
            .filter(|(p, q)| p.axis == q.axis && p.plus == q.plus && p.low == p.high && q.low == q.high);
        let distance = match (self.known_int(&a), self.known_int(&b), near) {
            (Some(a), Some(b), _) => Some(b - a),
            (_, _, Some((p, q))) => Some(q.low - p.low),
            _ => None,
        };
        if let Some(distance) = distance {
            let count = if distance != 0 && (distance > 0) != (step > 0) { 0 } else { distance / step + 1 };
            if count > MOST_SMALL as i64 {
                return Ok(Select::Span(a, step, Length::Known(count as usize)));
            }
            let host = std::mem::replace(&mut self.host, false);
            let mut list = Vec::new();
            for k in 0..count {
                let k = self.int(k * step);
                list.push(self.binary(Op2::Add, &a, &k, false)?);
            }
            self.host = host;
            return Ok(Select::Many(list));
        }
        let distance = self.op(Op::Sub, &[b.re, a.re]);
        let (step_value, one, zero) = (self.b.i32(step as i32), self.b.i32(1), self.b.i32(0));
        let (x, y) = (self.bounds(&a).unwrap_or(Bounds::ANY), self.bounds(&b).unwrap_or(Bounds::ANY));
        if y.minus(x).plus(Bounds::new(-1, 1)).fitting(32).is_none() {
            self.no_overflow(Op2::Sub, Kind::Int, b.re, a.re, distance)?;
            let most = self.b.i32(i32::MAX);
            let fits = self.op(Op::CmpLt, &[distance, most]);
            self.require(fits, "a slice is too long");
        }
        let steps = if step == 1 { distance } else { self.op(Op::Div, &[distance, step_value]) };
        let count = self.op(Op::Add, &[steps, one]);
        let against = self.op(if step > 0 { Op::CmpLt } else { Op::CmpGt }, &[distance, zero]);
        let count = self.op(Op::Select, &[against, zero, count]);
        Ok(Select::Span(a, step, Length::Given(count)))
    }

    /// The elements that indices select from an array of these lengths.
    pub fn selection(&mut self, lengths: &[Length], selects: Vec<Select>) -> Low<Selection> {
        let vector = lengths.len() == 2 && lengths[0].known() == Some(1);
        if let [select] = &selects[..] {
            match select {
                Select::One(n) => {
                    return Ok(Selection { elements: vec![vec![*n]], shape: Vec::new(), linear: true, channel: false });
                }
                // A position vector; in a vector, a list of elements.
                Select::Many(list) if !vector => {
                    if list.len() < lengths.len() {
                        refuse!("a position vector with {} components", list.len());
                    }
                    return Ok(Selection {
                        elements: vec![list.clone()],
                        shape: Vec::new(),
                        linear: false,
                        channel: false,
                    });
                }
                Select::Many(list) => {
                    let elements: Vec<Vec<Num>> = list.iter().map(|n| vec![*n]).collect();
                    return Ok(Selection { shape: vec![1, elements.len()], elements, linear: true, channel: false });
                }
                Select::Channel(_) => refuse!(Slice: "a slice of channels alone"),
                Select::Span(..) => refuse!(Slice: "a slice whose length is not known while compiling"),
                Select::All => {
                    let n = match lengths.iter().map(|l| l.known()).product::<Option<usize>>() {
                        Some(n) if n <= MOST_SMALL => n,
                        _ => refuse!(Slice: "a slice whose length is not known while compiling"),
                    };
                    let elements = (0..n as i64).map(|i| vec![self.int(i)]).collect();
                    return Ok(Selection { elements, shape: vec![1, n], linear: true, channel: false });
                }
            }
        }
        self.product_of_selects(lengths, selects)
    }

    fn product_of_selects(&mut self, lengths: &[Length], selects: Vec<Select>) -> Low<Selection> {
        if selects.len() < lengths.len() {
            refuse!("{} subscripts for {} dimensions", selects.len(), lengths.len());
        }
        let mut elements: Vec<Vec<Num>> = vec![Vec::new()];
        let mut kept = Vec::new();
        let mut channels = 0;
        let last = selects.len() - 1;
        for (d, select) in selects.into_iter().enumerate() {
            let list = match select {
                Select::One(n) => vec![n],
                Select::Channel(n) => {
                    let count = self.pixels.as_ref().map_or(0, |p| p.count as usize);
                    if d != last || d == 0 || lengths.get(d).and_then(|l| l.known()) != Some(count) {
                        refuse!(Slice: "a slice that is no pixel");
                    }
                    channels += 1;
                    kept.push((d, count));
                    vec![n]
                }
                Select::Span(..) => refuse!(Slice: "a slice whose length is not known while compiling"),
                Select::Many(list) => {
                    kept.push((d, list.len()));
                    list
                }
                Select::All => {
                    let n = lengths.get(d).map_or(Some(1), |l| l.known());
                    let Some(n) = n.filter(|n| *n <= MOST_SMALL) else {
                        refuse!(Slice: "a slice whose length is not known while compiling");
                    };
                    kept.push((d, n));
                    (0..n as i64).map(|i| self.int(i)).collect()
                }
            };
            let mut next = Vec::new();
            for base in &elements {
                next.extend(list.iter().map(|n| base.iter().copied().chain([*n]).collect::<Vec<_>>()));
            }
            elements = next;
            if elements.len() > MOST_SMALL {
                refuse!(Slice: "a slice of more than {MOST_SMALL} elements");
            }
        }
        let shape = match kept[..] {
            [] => Vec::new(),
            [(0, len)] => vec![len, 1],
            [(_, len)] => vec![1, len],
            _ => quadra_quasar_vm::tensor::normal_shape(&kept.iter().map(|k| k.1).collect::<Vec<_>>()).to_vec(),
        };
        let channel = channels > 0;
        Ok(Selection { elements, shape, linear: false, channel })
    }

    /// The place of one selected element.
    pub fn element_place(&mut self, a: &ArrayRef, subscripts: &[Num], linear: bool, access: Access) -> Low<Place> {
        match subscripts {
            [one] if linear => self.linear_place(a, one, access),
            _ => self.place(a, subscripts, access),
        }
    }

    fn read_array(&mut self, a: &Rc<ArrayRef>, selection: &Selection, access: Access) -> Low<Val> {
        if !selection.shape.is_empty() {
            a.no_slice()?;
        }
        let mut items = Vec::new();
        for subscripts in &selection.elements {
            let place = self.element_place(a, subscripts, selection.linear, access)?;
            items.push(self.load(a, &place)?);
        }
        Ok(shaped(items, selection))
    }

    pub fn read_selection(&mut self, s: &Small, selection: &Selection, access: Access) -> Low<Val> {
        let mut items = Vec::new();
        for subscripts in &selection.elements {
            items.push(self.read_item(s, subscripts, selection.linear, access)?);
        }
        Ok(shaped(items, selection))
    }

    /// An element of an array in registers: a choice between all of them if the subscript varies.
    pub fn read_item(&mut self, s: &Small, subscripts: &[Num], linear: bool, access: Access) -> Low<Num> {
        let kind = s.kind()?;
        let (at, inside) = self.register_place(s, subscripts, linear, access)?;
        if let Some(at) = self.known_int(&at) {
            let inside = inside.is_none_or(|c| self.constant(c).is_some_and(|c| c.bits != 0));
            return match s.items.get(at as usize) {
                Some(n) if inside => Ok(*n),
                _ => Ok(self.zero(kind)),
            };
        }
        let mut result = self.zero(kind);
        for (i, item) in s.items.iter().enumerate().rev() {
            let i = self.b.i32(i as i32);
            let here = self.op(Op::CmpEq, &[at.re, i]);
            result = self.select(here, item, &result);
        }
        if let Some(inside) = inside {
            let zero = self.zero(kind);
            result = self.select(inside, &result, &zero);
        }
        Ok(result)
    }

    /// The row-major number of an element in registers, and the condition under which there is one.
    pub fn register_place(
        &mut self,
        s: &Small,
        subscripts: &[Num],
        linear: bool,
        access: Access,
    ) -> Low<(Num, Option<kir::Value>)> {
        // The array is treated as one in memory that is never accessed.
        let (element, fit) = (super::value::Element::Mask, quadra_quasar_hir::types::Fit::Unchecked);
        let shape = s.shape.iter().map(|n| Length::Known(*n)).collect();
        let buf = quadra_kir::Buf::from_index(0);
        let a = ArrayRef { buf, base: None, shape, element, fit, shared: false };
        let place = self.element_place(&a, subscripts, linear, access)?;
        Ok((Num::new(quadra_quasar_vm::arith::Kind::Int, place.at), place.inside))
    }
}

fn shaped(items: Vec<Num>, selection: &Selection) -> Val {
    match &items[..] {
        [one] if selection.channel => Val::Channel(*one),
        [one] if selection.shape.is_empty() => Val::Num(*one),
        _ => Val::Small(Small { shape: selection.shape.clone(), items, mask: false }),
    }
}
