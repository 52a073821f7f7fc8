//! What iterations leave in variables where not simply the last one does: a variable that only some of them set
//! (`if x[i] < 0, found = true; end`), and what belongs to an extreme (`if x[i] > best, best = x[i]; pos = i; end`). Each lane keeps
//! the value of the last of its own iterations that set the variable, and the number of that iteration; the host takes the
//! value of the iteration that counts. Lanes that take many iterations keep in this way what the last one leaves, too.

use super::after::{After, Afters, Choice, What};
use super::loop_parts::{is_seen, store_partial};
use super::parts::Kept;
use super::state::{Lower, Slot};
use super::value::{Num, Path, Root, Val};
use super::{Low, refuse};
use quadra_kir::{self as kir, Op};
use quadra_quasar_hir::par::Extreme;
use quadra_quasar_hir::scope::Names;
use quadra_quasar_syntax::ast::Text;
use quadra_quasar_vm::arith::Kind;
use quadra_quasar_vm::nest::Nest;
use quadra_quasar_vm::value::Value;

impl Lower<'_> {
    pub fn keeps(&self, name: &str) -> bool {
        self.kept.iter().any(|k| *k.name == *name)
    }

    /// Opens what the loop keeps. `all`: lanes take many iterations, so what each of these leaves is kept.
    pub fn open_kept(&mut self, nest: &Nest, args: &[Value], all: bool, floats: &dyn Fn(&Text) -> bool) -> Low<()> {
        let extremes = nest.plan.extremes.iter();
        let mut names: Vec<(Text, bool)> = nest.maybe_set().map(|n| (n.clone(), true)).collect();
        for Extreme { name, with, .. } in extremes {
            self.start_extreme(nest, args, name, floats(name))?;
            names.push((name.clone(), true));
            names.extend(with.iter().map(|n| (n.clone(), false)));
        }
        if all {
            let loops = nest.loops();
            for name in Names::of_block(&loops[loops.len() - 1].body).assigned {
                let other = nest.is_loop(&name) || nest.combines(&name) || names.iter().any(|n| n.0 == name);
                if !other && is_seen(nest, &name) {
                    names.push((name, false));
                }
            }
        }
        for (name, counts) in names {
            let at = counts.then(|| self.b.var("at", kir::Type::scalar(kir::Elem::I32)));
            if let Some(at) = at {
                let never = self.b.i32(-1);
                self.b.set(at, never);
            }
            let needed = nest.read_after.contains(&name) && !nest.combines(&name);
            self.kept.push(Kept { name, at, slot: None, needed });
        }
        Ok(())
    }

    /// An extreme begins in every lane as it stands before the loop.
    fn start_extreme(&mut self, nest: &Nest, args: &[Value], name: &Text, float: bool) -> Low<()> {
        super::loop_parts::combinable(nest, args, name)?;
        let at = nest.vars.iter().position(|v| v.0 == *name);
        let Some((at, v)) = at.and_then(|i| Some((i, args.get(i)?))).filter(|(_, v)| v.is_number()) else {
            refuse!("'{name}' is no number before the loop")
        };
        let Val::Num(start) = self.given(v, &Path::new(Root::Argument(at)))? else { refuse!("'{name}' is no number") };
        let kind = if float && start.kind == Kind::Int { self.scalar_kind() } else { start.kind };
        if kind >= Kind::C32 || kind == Kind::Wide {
            refuse!("an extreme of such numbers");
        }
        let start = self.convert(&start, kind);
        let slot = self.slot_for(name, &Val::Num(start));
        self.set_slot(&slot, &Val::Num(start))?;
        let frame = self.frame();
        frame.vars.insert(name.clone(), slot);
        frame.defined.insert(name.clone());
        Ok(())
    }

    /// A variable of the loop has a new value: notes it if it is kept.
    pub fn keep_value(&mut self, name: &Text, v: &Val) -> Low<()> {
        if self.frames.len() != 1 {
            return Ok(());
        }
        let Some(i) = self.kept.iter().position(|k| k.name == *name) else { return Ok(()) };
        if !matches!(v, Val::Num(_) | Val::Small(_)) {
            if self.kept[i].needed || self.kept[i].at.is_some() {
                refuse!(ReadAfter: "'{name}' is used after the loop");
            }
            return Ok(());
        }
        let slot = match self.kept[i].slot.clone() {
            Some(slot) if slot.holds(v) => slot,
            Some(_) => refuse!(Retyped: "'{name}' changes its type"),
            None => self.slot_for(name, v),
        };
        self.set_slot(&slot, v)?;
        if let (Some(at), Some(iteration)) = (self.kept[i].at, self.iteration) {
            self.b.set(at, iteration);
        }
        self.kept[i].slot = Some(slot);
        Ok(())
    }

    /// At the end of an iteration: whether what is kept is what the loop leaves.
    pub fn check_kept(&mut self) -> Low<()> {
        for i in 0..self.kept.len() {
            let Kept { name, at, needed, .. } = &self.kept[i];
            let (name, always, needed) = (name.clone(), at.is_none(), *needed);
            if needed && always && self.kept[i].slot.is_some() && !self.frame().defined.contains(&name) {
                refuse!("'{name}' may keep its value from an iteration before the last one");
            }
        }
        Ok(())
    }

    /// Stores what lanes or items kept, each at its place `to`.
    pub fn store_kept(&mut self, nest: &Nest, to: kir::Value, afters: &mut Afters) -> Low<()> {
        let mut numbers: Vec<(Text, usize, Option<usize>)> = Vec::new();
        for i in 0..self.kept.len() {
            let Kept { name, at, slot, .. } = &self.kept[i];
            let (name, at, Some(slot)) = (name.clone(), *at, slot.clone()) else { continue };
            let at = match at {
                Some(at) => {
                    let n = Num::new(Kind::Int, self.b.get(at));
                    let buffer = afters.0.len();
                    store_partial(self, &n, buffer, to)?;
                    afters.0.push(After { name: "".into(), buffer, kind: Kind::Int, what: What::Numbers });
                    Some(buffer)
                }
                None => None,
            };
            let buffer = afters.0.len();
            let (kind, shape) = self.store_items(&slot, buffer, to)?;
            numbers.push((name.clone(), buffer, at));
            let choice = at.map_or(Choice::Last, Choice::Latest);
            afters.0.push(After { name, buffer, kind, what: What::Kept(shape, choice) });
        }
        for Extreme { name, greatest, last, with } in &nest.plan.extremes {
            let Some((_, values, Some(at))) = numbers.iter().find(|n| n.0 == *name) else { continue };
            let choice = Choice::Extreme { values: *values, at: *at, greatest: *greatest, last: *last };
            for a in afters.0.iter_mut().filter(|a| a.name == *name || with.contains(&a.name)) {
                if let What::Kept(_, how) = &mut a.what {
                    *how = choice;
                }
            }
        }
        Ok(())
    }

    /// The elements of a value, those of one place next to each other. Gives their kind, and their shape unless it is a number.
    fn store_items(&mut self, slot: &Slot, buffer: usize, to: kir::Value) -> Low<(Kind, Vec<usize>)> {
        let (items, shape) = match self.get_slot(slot)? {
            Val::Num(n) => (vec![n], Vec::new()),
            Val::Small(s) => (s.items, s.shape),
            other => refuse!("{} is kept", other.what()),
        };
        if items.is_empty() {
            refuse!("an empty array is kept");
        }
        let kind = items.iter().fold(items[0].kind, |k, n| k.promote(n.kind));
        if kind >= Kind::C32 {
            refuse!("a complex number is kept from one of many iterations");
        }
        if items.len() == 1 {
            let n = self.convert(&items[0], kind);
            store_partial(self, &n, buffer, to)?;
            return Ok((kind, shape));
        }
        let count = self.b.i32(items.len() as i32);
        let first = self.op(Op::Mul, &[to, count]);
        let buf = super::loop_parts::result_buffer(self, buffer, kind);
        for (i, n) in items.iter().enumerate() {
            let n = self.convert(n, kind);
            let i = self.b.i32(i as i32);
            let at = self.op(Op::Add, &[first, i]);
            self.b.store(buf, kir::Mode::Inside, &[at], n.re);
        }
        Ok((kind, shape))
    }
}

impl Slot {
    /// Whether it holds values of the form of this one.
    fn holds(&self, v: &Val) -> bool {
        match (self, v) {
            (Slot::Number(kind, ..), Val::Num(n)) => *kind == n.kind,
            (Slot::Small(shape, vars), Val::Small(s)) => {
                *shape == s.shape && vars.iter().zip(&s.items).all(|(v, n)| v.0 == n.kind)
            }
            _ => false,
        }
    }
}
