//! Variables get values: a variable keeps its type, and its access mode goes with plain copies.

use super::state::{Lower, Slot};
use super::value::{Captured, Either, Num, Small, Val};
use super::{Low, refuse};
use quadra_base::Span;
use quadra_kir::Op;
use quadra_quasar_syntax::ast::{Expr, ExprKind, Text};
use quadra_quasar_vm::arith::Kind;
use quadra_quasar_vm::value::Value;

impl Lower<'_> {
    /// The kind of `scalar`.
    pub fn scalar_kind(&self) -> Kind {
        if self.double { Kind::F64 } else { Kind::F32 }
    }

    /// Gives a variable a value. In kernel code it keeps its first type, in a host loop it may not change it.
    pub fn set_variable(&mut self, name: &Text, v: Val, span: Span) -> Low<Val> {
        let v = self.change_variable(name, v, span)?;
        self.keep_value(name, &v)?;
        Ok(v)
    }

    fn change_variable(&mut self, name: &Text, v: Val, span: Span) -> Low<Val> {
        if let Val::Nothing | Val::Text(..) | Val::Other = v {
            refuse!("'{name}' is {}", v.what());
        }
        let v = match self.frame().declared.get(name).cloned() {
            Some(ty) => self.admit(&v, &ty, name, Some(span))?,
            None => v,
        };
        self.note_early(name, &v)?;
        let v = self.for_variable(name, v);
        let int = matches!(self.frame().vars.get(name), Some(Slot::Number(Kind::Int, ..)));
        if let (Val::Num(Num { mixed: true, .. }), false) = (&v, int)
            && self.is_seen(name)
        {
            refuse!(Retyped: "'{name}' changes its type");
        }
        let v = self.settle(v)?;
        let v = self.early_float(name, v)?;
        let v = self.early_wide(name, v)?;
        let once = self.frame().assigns.get(name).copied().unwrap_or(2) == 1 && self.in_repeat == 0;
        let slot = match self.frame().vars.get(name).cloned() {
            Some(slot) => slot,
            None if once || !matches!(v, Val::Num(_) | Val::Small(_) | Val::Channel(_) | Val::Either(_)) => {
                if !once && self.depth > 0 {
                    refuse!("'{name}' is assigned {} in a branch", v.what());
                }
                self.frame().vars.insert(name.clone(), Slot::Fixed(v.clone()));
                self.frame().defined.insert(name.clone());
                return Ok(v);
            }
            None => self.new_slot(name, &v),
        };
        let slot = self.slot_of_kind(name, slot, &v);
        let v = self.keep_type(name, &slot, v, span)?;
        self.keeps_supposed(name, &v);
        self.stays_near(name, &v)?;
        if let Slot::Fixed(_) = slot {
            if self.depth > 0 && self.frame().assigns.get(name).copied().unwrap_or(2) > 1 {
                refuse!("'{name}' is assigned {} again", v.what());
            }
            self.frame().vars.insert(name.clone(), Slot::Fixed(v.clone()));
        } else {
            self.set_slot(&slot, &v)?;
        }
        self.frame().defined.insert(name.clone());
        Ok(v)
    }

    /// A variable of the kernel for one of the program.
    fn new_slot(&mut self, name: &Text, v: &Val) -> Slot {
        let slot = self.slot_for(name, v);
        let region = self.b.region();
        let frame = self.frame();
        frame.vars.insert(name.clone(), slot.clone());
        frame.made.insert(name.clone(), region);
        slot
    }

    /// On the host a variable may go from integers to floats and back. Where it was made in the region that it is assigned in, every
    /// path from here on comes by, and it goes on in another variable of the kernel.
    fn slot_of_kind(&mut self, name: &Text, slot: Slot, v: &Val) -> Slot {
        let (Slot::Number(kind, ..), Val::Num(n)) = (&slot, v) else { return slot };
        let changes = n.kind != *kind && n.kind < Kind::C32 && *kind < Kind::C32;
        let declared = self.frame().declared.contains_key(name);
        if !changes || !self.host || declared || self.is_seen(name) || self.kinds.floats.contains(name) {
            return slot;
        }
        let here = self.b.region();
        if self.frame().made.get(name) == Some(&here) { self.new_slot(name, v) } else { slot }
    }

    /// The value of a variable of this function or of one around it, if there is such a variable.
    pub fn variable_value(&mut self, name: &Text) -> Low<Option<Val>> {
        let frame = self.frame();
        if let Some(slot) = frame.vars.get(name).cloned() {
            if !frame.defined.contains(name) {
                refuse!("'{name}' may be read before it has a value");
            }
            let v = self.get_slot(&slot)?;
            return Ok(Some(match self.noted(name, v) {
                Val::Num(n) => Val::Num(self.remembered(name, n)),
                other => other,
            }));
        }
        if let Some(v) = frame.generics.get(name) {
            return Ok(Some(v.clone()));
        }
        match frame.captured.get(name).cloned() {
            Some(Captured::Here(v)) => Ok(Some(v)),
            Some(Captured::Host(Value::Unset, _)) => Ok(None),
            Some(Captured::Host(v, path)) => {
                self.hint = Some(name.clone());
                self.given(&v, &path).map(Some)
            }
            None => Ok(match &frame.itself {
                Some((n, f)) if n == name => Some(Val::Function(f.clone())),
                _ => None,
            }),
        }
    }

    /// A small constant as the float that the variable is to hold later in the iteration: nothing tells them apart.
    fn early_float(&mut self, name: &Text, v: Val) -> Low<Val> {
        match v {
            Val::Num(n) if n.kind == Kind::Int && self.frames.len() == 1 && self.kinds.floats.contains(name) => {
                if self.known_int(&n).is_none_or(|k| k.abs() > 1 << 20) {
                    self.kinds.wanted.float = Some(name.clone());
                    refuse!(Retyped: "'{name}' changes its type");
                }
                let kind = self.scalar_kind();
                Ok(Val::Num(self.convert(&n, kind)))
            }
            v => Ok(v),
        }
    }

    /// A truth value as the integer that a variable holds; ranges of variables are not tracked.
    fn settle(&mut self, v: Val) -> Low<Val> {
        self.map_if_numbers(v, &mut |l, n| l.plain(n))
    }

    fn map_if_numbers(&mut self, v: Val, f: &mut dyn FnMut(&mut Self, &Num) -> Num) -> Low<Val> {
        Ok(match v {
            Val::Num(n) => Val::Num(f(self, &n)),
            Val::Channel(n) => Val::Channel(f(self, &n)),
            Val::Either(e) => Val::Either(Either { int: f(self, &e.int), ..e }),
            Val::Small(s) => {
                let items = s.items.iter().map(|n| f(self, n)).collect();
                Val::Small(Small { items, ..s })
            }
            other => other,
        })
    }

    fn keep_type(&mut self, name: &Text, slot: &Slot, v: Val, span: Span) -> Low<Val> {
        match (slot, v) {
            (Slot::Number(kind, ..), Val::Num(n)) => self.keep_kind(name, *kind, &n, span).map(Val::Num),
            (Slot::Channel(kind, ..), v @ (Val::Channel(_) | Val::Small(_))) => {
                let n = self.channel_of(&v)?;
                self.keep_kind(name, *kind, &n, span).map(Val::Channel)
            }
            (Slot::Small(shape, vars), Val::Small(s)) if *shape == s.shape => {
                let mut items = Vec::new();
                for ((kind, ..), n) in vars.iter().zip(&s.items) {
                    items.push(self.keep_kind(name, *kind, n, span)?);
                }
                Ok(Val::Small(Small { items, ..s }))
            }
            (Slot::Output(_, true), Val::Num(n)) => Ok(Val::Num(n)),
            (Slot::Output(_, false), Val::Small(s)) => Ok(Val::Small(s)),
            (Slot::Fixed(_), v) | (Slot::Either(..), v @ Val::Either(_)) => Ok(v),
            (Slot::Small(..), Val::Array(a)) if a.known_len().is_some() => {
                let small = self.small_of(&Val::Array(a))?;
                self.keep_type(name, slot, Val::Small(small), span)
            }
            (Slot::Number(..), Val::Either(_)) => {
                self.kinds.wanted.float = Some(name.clone());
                refuse!(Retyped: "'{name}' changes its type")
            }
            (_, v) => refuse!(Retyped: "'{name}' changes its type to {}", v.what()),
        }
    }

    fn keep_kind(&mut self, name: &str, kind: Kind, n: &Num, span: Span) -> Low<Num> {
        if n.kind == kind {
            return Ok(*n);
        }
        match (kind, n.kind) {
            (Kind::Int, k) if !k.is_int() && k < Kind::C32 && !self.host => {
                self.warn_int(name, Some(span));
                Ok(self.convert(n, kind))
            }
            (Kind::F32 | Kind::F64, Kind::Int) if self.is_seen(name) || (self.kinds.exact && self.host) => {
                self.kinds.wanted.float = Some(name.into());
                refuse!(Retyped: "'{name}' changes its type")
            }
            (Kind::F32 | Kind::F64, Kind::Int) => {
                if self.host && !self.frame().declared.contains_key(name) {
                    self.kinds.mixed.insert(name.into());
                    if self.kinds.changed.contains(name) {
                        return self.look_exactly(name);
                    }
                    self.require_exact(kind, n);
                }
                Ok(self.convert(n, kind))
            }
            (Kind::C32 | Kind::C64, k) if k < kind && !self.host => Ok(self.convert(n, kind)),
            (Kind::Int, Kind::Wide) => {
                self.kinds.wanted.wide = self.host.then(|| name.into());
                refuse!("'{name}' holds integers of 32 and of 64 bits")
            }
            (Kind::Int, _) => {
                self.kinds.wanted.float = Some(name.into());
                refuse!(Retyped: "'{name}' changes its type")
            }
            _ => refuse!(Retyped: "'{name}' changes its type"),
        }
    }

    /// On the host a variable takes an integer as it is (4.4). Where it is a float here, an integer that floats do not have is a
    /// fault: the host then runs the loop.
    pub fn require_exact(&mut self, kind: Kind, n: &Num) {
        const EXACT: i64 = 1 << 24;
        if kind != Kind::F32 || self.bounds(n).is_some_and(|r| r.low >= -EXACT && r.high <= EXACT) {
            return;
        }
        let (low, high) = (self.whole_constant(n.kind, -EXACT), self.whole_constant(n.kind, EXACT));
        let (a, b) = (self.op(Op::CmpGe, &[n.re, low]), self.op(Op::CmpLe, &[n.re, high]));
        let ok = self.op(Op::And, &[a, b]);
        self.require(ok, "an integer that floats do not have");
    }

    /// Whether somebody looks at a variable after the loop and it is not declared.
    pub fn is_seen(&self, name: &str) -> bool {
        self.host && self.frames.len() == 1 && self.kinds.seen.contains(name)
    }

    /// Writes a value into the variables behind a slot.
    pub fn set_slot(&mut self, slot: &Slot, v: &Val) -> Low<()> {
        match (slot, v) {
            (Slot::Number(kind, re, im), Val::Num(n)) => {
                let n = self.convert(n, *kind);
                self.set_number((*re, *im), &n);
            }
            (Slot::Channel(kind, re, im), Val::Channel(n)) => {
                let n = self.convert(n, *kind);
                self.set_number((*re, *im), &n);
            }
            (Slot::Either(kind, vars), Val::Either(e)) => {
                let (int, float) = (self.plain(&e.int), self.convert(&e.float, *kind));
                for (var, value) in vars.iter().zip([int.re, float.re, e.whole]) {
                    self.b.set(*var, value);
                }
            }
            (Slot::Small(_, vars), Val::Small(s)) => {
                // All items are computed already, so their order does not matter.
                for ((kind, re, im), n) in vars.iter().zip(&s.items) {
                    let n = self.convert(n, *kind);
                    self.set_number((*re, *im), &n);
                }
            }
            (Slot::Output(array, _), v) => {
                let small = self.small_of(v)?;
                for (i, n) in small.items.iter().enumerate() {
                    let place = super::element::Place::new(self.b.i32(i as i32));
                    self.store(array, &place, n, "", None)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// A plain copy of a variable has its access mode; any other value has the default one.
    pub fn inherit_access(&mut self, name: &Text, value: &Expr) {
        if !self.host {
            return;
        }
        let frame = self.frame();
        let access = match &value.kind {
            ExprKind::Name(source) => frame.access.get(source).copied(),
            _ => None,
        };
        match access {
            Some(access) => drop(frame.access.insert(name.clone(), access)),
            None if !frame.declared.contains_key(name) => drop(frame.access.remove(name)),
            None => {}
        }
    }
}
