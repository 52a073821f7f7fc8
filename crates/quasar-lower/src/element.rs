//! Single elements in memory: addresses, access modes, loads, stores, atomics.

use super::number::BELOW_INT;
use super::own::Pattern;
use super::shape::Amount;
use super::state::Lower;
use super::value::{ArrayRef, Element, Length, Num};
use super::{Low, refuse};
use quadra_base::Span;
use quadra_kir::{self as kir, Bounds, Mode, Op};
use quadra_quasar_hir::op2::Op2;
use quadra_quasar_hir::types::{Access, Fit, IntKind};
use quadra_quasar_vm::arith::Kind;
use std::rc::Rc;

/// Where an access goes: a row-major position, and the condition under which there is an element (`'safe`).
pub(super) struct Place {
    pub at: kir::Value,
    pub inside: Option<kir::Value>,
    /// How it follows from the item, if the element is the item's own.
    pub own: Option<Pattern>,
}

impl Place {
    pub fn new(at: kir::Value) -> Place {
        Place { at, inside: None, own: None }
    }
}

impl Lower<'_> {
    /// How an element follows from the item, if all items of the launch have different ones and each has one.
    pub fn own_pattern(&mut self, subscripts: &[(Num, Length)]) -> Option<Pattern> {
        let mut pattern = Pattern::new();
        let mut axes = 0u32;
        for (i, n) in subscripts {
            let item = i.item.filter(|t| t.low == t.high && t.plus.is_none() && axes >> t.axis & 1 == 0);
            pattern.push(match (item, self.known_int(i)) {
                (Some(item), _) => {
                    axes |= 1 << item.axis;
                    Ok(item)
                }
                (None, Some(k)) => Err(k),
                _ => return None,
            });
            if !self.needs_no_test(i, *n) {
                return None;
            }
        }
        (axes.count_ones() as usize == self.launch.axes().len()).then_some(pattern)
    }

    pub fn length(&mut self, l: Length) -> kir::Value {
        match l {
            Length::Known(n) => self.b.i32(n as i32),
            Length::Given(v) => v,
        }
    }

    /// A number as a subscript or position that is mapped by a period: one that is no `int` has the host take over.
    pub fn periodic_subscript(&mut self, n: &Num) -> Low<Num> {
        let subscript = self.subscript(n)?;
        if n.kind == Kind::Wide {
            let same = self.op(Op::ToI64, &[subscript.re]);
            let same = self.op(Op::CmpEq, &[same, n.re]);
            self.require(same, "an index is no int");
        } else if n.kind != Kind::Int {
            let (size, bound) = (self.op(Op::Abs, &[n.re]), self.float(n.kind, BELOW_INT));
            let large = self.op(Op::CmpGt, &[size, bound]);
            let fits = self.op(Op::Not, &[large]);
            self.require(fits, "an index is no int");
        }
        Ok(subscript)
    }

    /// A number as a subscript under an access mode.
    pub fn subscript_for(&mut self, i: &Num, access: Access) -> Low<Num> {
        match access {
            Access::Circular | Access::Mirror => self.periodic_subscript(i),
            _ => self.subscript(i),
        }
    }

    /// Maps one subscript into `0..n` by the access mode. The second value is set under `'safe` if it may lie outside.
    pub fn map_subscript(&mut self, i: &Num, n: Length, access: Access) -> (kir::Value, Option<kir::Value>) {
        if self.needs_no_test(i, n) {
            return (i.re, None);
        }
        self.fold_subscript(i, n, access)
    }

    /// Whether a subscript needs no test and no change.
    pub fn needs_no_test(&mut self, i: &Num, n: Length) -> bool {
        if let (Some(k), Some(n)) = (self.known_int(i), n.known())
            && (0..n as i64).contains(&k)
        {
            return true;
        }
        if let (Some(range), Some(n)) = (i.range, n.known())
            && range.within(0, n as i64 - 1)
        {
            return true;
        }
        if let Some(v) = i.below
            && self.launch.fits(Amount::Given(v), 0, n)
        {
            return true;
        }
        let Some(item) = i.item.filter(|i| i.plus.is_none()) else { return false };
        item.low >= 0 && self.launch.fits(Amount::Axis(item.axis), item.high.max(0), n)
    }

    /// Whether all subscripts of a selection are certain to lie inside.
    pub fn all_inside(&mut self, a: &ArrayRef, elements: &[Vec<Num>]) -> bool {
        elements.iter().all(|subscripts| {
            subscripts.len() == a.shape.len() && subscripts.iter().zip(&a.shape).all(|(i, n)| self.needs_no_test(i, *n))
        })
    }

    fn fold_subscript(&mut self, i: &Num, n: Length, access: Access) -> (kir::Value, Option<kir::Value>) {
        let n = self.length(n);
        match access {
            Access::Safe => {
                let inside = self.op(Op::CmpLtU, &[i.re, n]);
                (i.re, Some(inside))
            }
            Access::Checked | Access::Unchecked => {
                let inside = self.op(Op::CmpLtU, &[i.re, n]);
                self.require(inside, "an index is out of bounds");
                (i.re, None)
            }
            Access::Circular => (self.wrapped(i, n).re, None),
            Access::Clamped => {
                self.some_length(n);
                let one = self.b.i32(1);
                let last = self.op(Op::Sub, &[n, one]);
                let low = self.op(Op::Min, &[i.re, last]);
                let zero = self.b.i32(0);
                (self.op(Op::Max, &[low, zero]), None)
            }
            Access::Mirror => (self.mirrored(i, n), None),
        }
    }

    /// The place of the element with one subscript per dimension; more subscripts are for dimensions of length 1.
    pub fn place(&mut self, a: &ArrayRef, subscripts: &[Num], access: Access) -> Low<Place> {
        if subscripts.len() < a.shape.len() {
            refuse!("{} subscripts for {} dimensions", subscripts.len(), a.shape.len());
        }
        let mut flat: Option<kir::Value> = None;
        let mut inside: Option<kir::Value> = None;
        let mut items = Vec::new();
        for (d, i) in subscripts.iter().enumerate() {
            let n = a.shape.get(d).copied().unwrap_or(Length::Known(1));
            if let Some((at, ok)) = self.pixel_place(a, &subscripts[d..], d, flat, access) {
                let all = |s: &mut Self, p, q| s.op(Op::And, &[p, q]);
                let inside = match (inside, ok) {
                    (Some(p), Some(q)) => Some(all(self, p, q)),
                    (p, q) => p.or(q),
                };
                return Ok(Place { at, inside, own: None });
            }
            let i = self.subscript_for(i, access)?;
            items.push((i, n));
            let (i, ok) = self.map_subscript(&i, n, access);
            if let Some(ok) = ok {
                inside = Some(match inside {
                    Some(all) => self.op(Op::And, &[all, ok]),
                    None => ok,
                });
            }
            flat = Some(match (flat, n.known()) {
                (None, _) => i,
                (Some(f), Some(1)) if ok.is_none() => f,
                (Some(f), _) => {
                    let n = self.length(n);
                    let row = self.scale(f, n);
                    self.op(Op::Add, &[row, i])
                }
            });
        }
        let Some(at) = flat else { refuse!("an element without a subscript") };
        let own = if inside.is_none() { self.own_pattern(&items) } else { None };
        Ok(Place { at, inside, own })
    }

    /// A product in an address; 0 times anything is nothing.
    pub fn scale(&mut self, f: kir::Value, n: kir::Value) -> kir::Value {
        let zero = self.constant(f).is_some_and(|c| c.bits == 0);
        if zero { f } else { self.op(Op::Mul, &[f, n]) }
    }

    /// The place of an element by its row-major number.
    pub fn linear_place(&mut self, a: &ArrayRef, i: &Num, access: Access) -> Low<Place> {
        let i = self.subscript_for(i, access)?;
        let n = if a.is_vector() {
            a.shape[1]
        } else if let Some(n) = a.known_len() {
            Length::Known(n)
        } else {
            let mut total = self.b.i32(1);
            for l in &a.shape {
                let n = self.length(*l);
                total = if self.constant(total).and_then(|c| c.as_i32()) == Some(1) {
                    n
                } else {
                    self.op(Op::Mul, &[total, n])
                };
            }
            Length::Given(total)
        };
        let (at, inside) = self.map_subscript(&i, n, access);
        let own = if inside.is_none() { self.own_pattern(&[(i, n)]) } else { None };
        Ok(Place { at, inside, own })
    }

    /// Element `i` of an array that has it.
    pub fn load_flat(&mut self, a: &ArrayRef, i: usize) -> Low<Num> {
        let at = self.b.i32(i as i32);
        self.load(a, &Place::new(at))
    }

    /// Reads an element; outside under `'safe` it is 0.
    pub fn load(&mut self, a: &ArrayRef, place: &Place) -> Low<Num> {
        let kind = a.element.kind();
        let Some(inside) = place.inside else { return Ok(self.load_at(a, place.at)) };
        if let Some(c) = self.constant(inside) {
            return Ok(if c.bits != 0 { self.load_at(a, place.at) } else { self.zero(kind) });
        }
        // A load and its zero: the variable is zero until it is set.
        let zero = self.zero(kind);
        let slot = self.result_vars(&zero);
        self.set_number(slot, &zero);
        self.b.begin_if(inside);
        let n = self.load_at(a, place.at);
        self.set_number(slot, &n);
        self.b.end();
        Ok(Num { range: n.range, ..self.get_vars(kind, slot) })
    }

    /// An element's number in the buffer.
    fn address(&mut self, a: &ArrayRef, at: kir::Value) -> kir::Value {
        match a.base {
            Some(base) if a.element.parts() == 1 => self.op(Op::Add, &[base, at]),
            _ => at,
        }
    }

    fn load_at(&mut self, a: &ArrayRef, at: kir::Value) -> Num {
        let at = self.address(a, at);
        let kind = a.element.kind();
        if a.element.parts() == 2 {
            let (two, one) = (self.b.i32(2), self.b.i32(1));
            let first = self.op(Op::Mul, &[at, two]);
            let second = self.op(Op::Add, &[first, one]);
            let re = self.b.load(a.buf, Mode::Inside, &[first]);
            let im = self.b.load(a.buf, Mode::Inside, &[second]);
            return Num::complex(kind, re, im);
        }
        let mut re = self.b.load(a.buf, Mode::Inside, &[at]);
        let mut range = None;
        if let Element::Int(int) = a.element
            && int.bits() < 32
        {
            let (low, high) = int.range();
            if low == 0 {
                // Memory widens with the sign; unsigned elements have none.
                let mask = self.b.i32(high as i32);
                re = self.op(Op::And, &[re, mask]);
            }
            range = Some(Bounds::new(low as i64, high as i64));
        }
        if a.is_unsigned() {
            range = self.not_negative(re);
        }
        if self.supposed.on && a.element == Element::Int(IntKind::Int) && !a.shared {
            let (zero, most) = (self.b.i32(0), self.b.i32(super::facts::MOST as i32));
            let (not_less, not_more) = (self.op(Op::CmpGe, &[re, zero]), self.op(Op::CmpLe, &[re, most]));
            let fine = self.op(Op::And, &[not_less, not_more]);
            self.require(fine, "an element lies outside of the supposed bounds");
            range = Some(Bounds::new(0, super::facts::MOST));
        }
        if a.element == Element::Mask {
            range = Some(Bounds::new(0, 1));
        }
        Num { range, ..Num::new(kind, re) }
    }

    /// Variables for a number, that are not the program's.
    pub fn result_vars(&mut self, like: &Num) -> (kir::Var, Option<kir::Var>) {
        let ty = kir::Type::scalar(super::value::elem_of(like.kind));
        (self.b.var("t", ty), like.im.map(|_| self.b.var("t", ty)))
    }

    pub fn set_number(&mut self, (re, im): (kir::Var, Option<kir::Var>), n: &Num) {
        let n = self.plain(n);
        self.facts.forget(re);
        self.b.set(re, n.re);
        if let (Some(var), Some(v)) = (im, n.im) {
            self.b.set(var, v);
        }
    }

    pub fn get_vars(&mut self, kind: Kind, (re, im): (kir::Var, Option<kir::Var>)) -> Num {
        let re = self.b.get(re);
        Num { im: im.map(|v| self.b.get(v)), ..Num::new(kind, re) }
    }

    /// A number as the element type wants it.
    fn stored(&mut self, a: &ArrayRef, v: &Num, name: &str, span: Option<Span>) -> Low<Num> {
        match a.element {
            Element::Float(_) => {
                if v.im.is_some() {
                    refuse!("a complex number is stored in a real array");
                }
                Ok(self.convert(v, a.element.kind()))
            }
            Element::Complex(_) => Ok(self.convert(v, a.element.kind())),
            Element::Mask => Ok(Num::new(Kind::Int, self.fit(v, IntKind::Int, Fit::Unchecked, name, span)?)),
            Element::Int(kind) => Ok(Num::new(a.element.kind(), self.fit(v, kind, a.fit, name, span)?)),
        }
    }

    /// Writes an element; outside under `'safe` nothing happens.
    pub fn store(&mut self, a: &ArrayRef, place: &Place, v: &Num, name: &str, span: Option<Span>) -> Low<()> {
        if a.element.parts() == 1 {
            self.own.stored(a.buf, place.own.as_ref());
        }
        if let Some(inside) = place.inside {
            if let Some(c) = self.constant(inside) {
                if c.bits == 0 {
                    return Ok(());
                }
                return self.store_inside(a, place.at, v, name, span);
            }
            self.b.begin_if(inside);
            let done = self.store_inside(a, place.at, v, name, span);
            self.b.end();
            return done;
        }
        self.store_inside(a, place.at, v, name, span)
    }

    fn store_inside(&mut self, a: &ArrayRef, at: kir::Value, v: &Num, name: &str, span: Option<Span>) -> Low<()> {
        let n = self.stored(a, v, name, span)?;
        self.note_written(a.buf);
        let at = self.address(a, at);
        if a.element.parts() == 2 {
            let (two, one) = (self.b.i32(2), self.b.i32(1));
            let first = self.op(Op::Mul, &[at, two]);
            let second = self.op(Op::Add, &[first, one]);
            self.b.store(a.buf, Mode::Inside, &[first], n.re);
            if let Some(im) = n.im {
                self.b.store(a.buf, Mode::Inside, &[second], im);
            }
        } else {
            self.b.store(a.buf, Mode::Inside, &[at], n.re);
        }
        Ok(())
    }

    /// `a[place] op= v` in one step; gives the new value.
    pub fn atomic(&mut self, op: Op2, a: &Rc<ArrayRef>, place: &Place, v: &Num) -> Low<Num> {
        let kind = a.element.kind();
        if v.im.is_some() && kind < Kind::C32 {
            refuse!("a complex number is added to a real array");
        }
        if kind.is_int() && !v.kind.is_int() {
            refuse!("an integer element is combined with a float");
        }
        if a.element.parts() == 2 || a.element.storage().bytes() < 4 {
            refuse!("atomic operations on {:?} elements", a.element);
        }
        let ir = match op {
            Op2::Add => Op::AtomicAdd,
            Op2::Sub => Op::AtomicSub,
            // In loops of the host what does not fit is an error, and of a product nobody can tell afterwards.
            Op2::Mul if self.host && kind.is_int() => refuse!("an integer element is multiplied"),
            Op2::Mul => Op::AtomicMul,
            Op2::Div if !kind.is_int() => Op::AtomicDiv,
            Op2::Pow if !kind.is_int() => Op::AtomicPow,
            Op2::Max => Op::AtomicMax,
            Op2::Min => Op::AtomicMin,
            Op2::And if kind.is_int() => Op::AtomicAnd,
            Op2::Or if kind.is_int() => Op::AtomicOr,
            Op2::Xor if kind.is_int() => Op::AtomicXor,
            _ => refuse!("an atomic '{}=' on such elements", op.name()),
        };
        self.note_written(a.buf);
        let tested = a.is_unsigned() && self.unsigned_update(op, a, v)?;
        let v = self.convert(v, kind);
        let zero = self.zero(kind);
        let slot = self.result_vars(&zero);
        let condition = place.inside.filter(|c| self.constant(*c).is_none_or(|c| c.bits == 0));
        if let Some(inside) = condition {
            self.b.begin_if(inside);
        }
        let at = self.address(a, place.at);
        let mut inst = kir::Inst::new(ir, [at, v.re]);
        (inst.buf, inst.mode) = (Some(a.buf), Mode::Inside);
        let ty = kir::Type::scalar(a.element.storage());
        let old = self.b.push(inst, &[ty])[0];
        self.b.set(slot.0, old);
        if condition.is_some() {
            self.b.end();
        }
        let old = self.get_vars(kind, slot);
        if kind == Kind::Int && matches!(op, Op2::Add | Op2::Sub) {
            let ir = if op == Op2::Add { Op::Add } else { Op::Sub };
            let new = self.op(ir, &[old.re, v.re]);
            self.fits_element(op, old.re, &v, new)?;
        }
        let host = std::mem::replace(&mut self.host, false);
        let new = self.binary(op, &old, &v, false);
        self.host = host;
        let new = new?;
        if tested {
            self.not_negative(old.re);
            self.not_negative(new.re);
        }
        Ok(new)
    }
}
