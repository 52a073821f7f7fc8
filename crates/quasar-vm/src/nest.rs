//! A parallel nest of loops of the host, as the compiler hands it to whoever runs kernels.

use super::code::Reg;
use super::turns;
use super::value::{RangeValue, Value};
use quadra_base::quick::{Map, Set};
use quadra_quasar_hir::meaning::Library;
use quadra_quasar_hir::par::{Extreme, Held, Plan};
use quadra_quasar_hir::scope::Names;
use quadra_quasar_hir::types::{Access, Type};
use quadra_quasar_syntax::ast::{Expr, ExprKind, For, StmtKind, Text};
use std::cell::{Cell, OnceCell};
use std::rc::Rc;

/// Last values of loops that stand for loops without an end; kernels count no further than twice as far.
pub const FOR_EVER: i64 = 1 << 29;

/// The loop around a nest that does nothing else but exchange two variables behind it.
#[derive(Clone, Copy, Debug)]
pub struct Around {
    /// Four registers: iterations begun, all of them, first value and step.
    pub state: Reg,
    pub var: Reg,
    pub swap: Option<(Reg, Reg)>,
}

impl Around {
    /// How many iterations are left, with the one that has begun; none before the second, from which on both variables have
    /// held both arrays.
    pub fn left(self, regs: &[Value]) -> i64 {
        let s = self.state as usize;
        match (&regs[s], &regs[s + 1]) {
            (Value::Raw(begun), Value::Raw(all)) if *begun >= 2 => all - begun + 1,
            _ => 0,
        }
    }

    /// Makes the variables what they are in the last of the iterations that were run, and gives the steps that these count.
    pub fn skip(self, regs: &mut [Value], times: u32) -> u64 {
        let s = self.state as usize;
        let more = i64::from(times) - 1;
        let Value::Raw(begun) = regs[s] else { return 0 };
        regs[s] = Value::Raw(begun + more);
        regs[self.var as usize] = loop_item(&regs[s + 2], &regs[s + 3], begun + more - 1);
        if let (Some((a, b)), 1) = (self.swap, more % 2) {
            regs.swap(a as usize, b as usize);
        }
        more as u64
    }
}

/// Item `k` of a loop over `start`, `step` or over an array.
pub fn loop_item(start: &Value, step: &Value, k: i64) -> Value {
    match (start, step) {
        (Value::F32(a), s) => Value::F32((f64::from(*a) + k as f64 * s.as_f64().unwrap_or(1.0)) as f32),
        (Value::F64(a), s) => Value::F64(a + k as f64 * s.as_f64().unwrap_or(1.0)),
        (Value::Array(t), _) => t.get(k as usize).unwrap_or_default(),
        (a, s) => Value::integer(a.as_index().unwrap_or(0) + k * s.as_index().unwrap_or(1)),
    }
}

/// What the host has seen of a loop while it ran.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    /// Turns of the loops within an iteration; 0 if nothing is known.
    pub turns: u64,
    /// Iterations that had begun when the rest was last looked at.
    pub begun: u64,
    /// Turns that were taken for granted when it was last decided where the loop runs.
    pub expected: u64,
}

/// The variable that says whether an iteration ended the function: no name of a program.
pub const RETURNED: &str = "return";

/// A parallel nest of loops as the compiler finds it.
#[derive(Debug)]
pub struct Nest {
    pub ast: For,
    pub plan: Plan,
    /// Variables that the nest mentions, and their registers.
    pub vars: Vec<(Text, Reg)>,
    pub access: Map<Text, Access>,
    pub declared: Map<Text, Type>,
    /// Variables that may be read after the nest before they are set again.
    pub read_after: Set<Text>,
    /// Those of the function's results that are only read because an iteration may end the function.
    pub only_returned: Set<Text>,
    /// Variables that loops around it set: they hold many values, for which one kernel has to do.
    pub varying: Set<Text>,
    /// It stands outside of functions: what its variables hold stays visible.
    pub global: bool,
    /// The loop around it, if that does nothing else.
    pub around: Cell<Option<Around>>,
    /// Instructions of the host for one iteration, loops within it, and whether it takes slices of arrays.
    pub weight: Cell<(usize, usize, bool)>,
    /// Its outer loops alone, if these combine nothing.
    pub outer: Option<Rc<Nest>>,
    /// The parallel loop around it. As long as that becomes a kernel, or is not worth one, this one is no nest.
    pub within: Option<Rc<Nest>>,
    /// No kernel has become of it.
    pub refused: Cell<bool>,
    /// What the host has seen of its iterations.
    pub seen: Cell<Seen>,
    /// The same loops from an iteration on that is not the first one, once somebody has asked.
    pub(crate) rest: OnceCell<Rc<Nest>>,
    /// The first value of the outermost loop is not the one that the text says.
    pub begins_late: bool,
    /// It has run as a kernel.
    pub has_run: Cell<bool>,
    /// The same loops in order, once somebody has asked.
    pub(crate) in_order: OnceCell<Option<Rc<Nest>>>,
}

impl Nest {
    pub fn new(ast: For, plan: Plan, vars: Vec<(Text, Reg)>) -> Nest {
        Nest {
            ast,
            plan,
            vars,
            access: Map::default(),
            declared: Map::default(),
            read_after: Set::default(),
            only_returned: Set::default(),
            varying: Set::default(),
            global: false,
            around: Cell::default(),
            weight: Cell::default(),
            outer: None,
            within: None,
            refused: Cell::default(),
            seen: Cell::default(),
            rest: OnceCell::new(),
            begins_late: false,
            has_run: Cell::default(),
            in_order: OnceCell::new(),
        }
    }

    /// The same loops in order, if they are parallel and that is possible.
    pub fn in_order(&self) -> Option<&Rc<Nest>> {
        let make = || {
            // The kernel in order says nothing of the variables of loops within it.
            let unseen = |f: &For| !self.global && !self.read_after.contains(&f.name);
            self.each_loop().skip(1).all(unseen).then_some(())?;
            let nest = self.with(self.plan.in_order()?);
            let (instructions, inner, slices) = self.weight.get();
            nest.weight.set((instructions, inner + self.plan.depth - 1, slices));
            Some(Rc::new(nest))
        };
        self.in_order.get_or_init(make).as_ref()
    }

    /// The same loops from an iteration on that is not the first one: their first value is not that of the text.
    pub fn rest(&self) -> &Rc<Nest> {
        self.rest.get_or_init(|| {
            let mut late = Nest::new(self.ast.clone(), self.plan.clone(), self.vars.clone());
            if let ExprKind::Range { from, .. } = &mut late.ast.over.kind {
                // No name of a program.
                from.kind = ExprKind::Name("first value of the rest".into());
            }
            (late.access, late.declared) = (self.access.clone(), self.declared.clone());
            (late.read_after, late.varying, late.global) = (self.read_after.clone(), self.varying.clone(), self.global);
            late.only_returned.clone_from(&self.only_returned);
            late.begins_late = true;
            late.weight.set(self.weight.get());
            Rc::new(Nest { outer: None, ..late })
        })
    }

    /// The loops that are carried out once some iterations have run as a kernel: one kernel does for all beginnings.
    pub fn general(self: &Rc<Nest>) -> &Rc<Nest> {
        self.rest.get().filter(|rest| rest.has_run.get()).unwrap_or(self)
    }

    /// Notes how often the loops within an iteration turned, with the iterations begun so far, and says whether that is so much more
    /// than was supposed that it should be decided anew where the loop runs.
    pub(crate) fn note_turns(&self, turns: u64, begun: u64) -> bool {
        let seen = self.seen.get();
        let turns = turns.max(1);
        let anew = turns > 2 * seen.expected.max(1) || self.is_open() || quadra_base::checked::is_on();
        self.seen.set(Seen { turns, begun, expected: if anew { turns } else { seen.expected } });
        anew
    }

    /// Whether nothing is known of how many iterations there are: one of them ends the loop, whose range goes on for ever.
    pub fn is_open(&self) -> bool {
        let ends = |e: &Expr| matches!(e.kind, ExprKind::Int(n) if n >= FOR_EVER);
        let over = matches!(&self.ast.over.kind, ExprKind::Range { step: None, to, .. } if ends(to));
        over && self.plan.serial.as_ref().is_some_and(|s| s.exits)
    }

    /// The same loops carried out in another way.
    pub fn with(&self, mut plan: Plan) -> Nest {
        let outer = plan.outer.take().map(|plan| Rc::new(self.with(*plan)));
        Nest {
            outer,
            access: self.access.clone(),
            declared: self.declared.clone(),
            read_after: self.read_after.clone(),
            only_returned: self.only_returned.clone(),
            varying: self.varying.clone(),
            global: self.global,
            begins_late: self.begins_late,
            ..Nest::new(self.ast.clone(), plan, self.vars.clone())
        }
    }

    /// The loops of the grid, outermost first.
    pub fn loops(&self) -> Vec<&For> {
        self.each_loop().collect()
    }

    fn each_loop(&self) -> impl Iterator<Item = &For> {
        fn inner<'f>(f: &&'f For) -> Option<&'f For> {
            f.body.iter().find_map(|s| if let StmtKind::For(inner) = &s.kind { Some(&**inner) } else { None })
        }
        std::iter::successors(Some(&self.ast), inner).take(self.plan.depth)
    }

    /// The values of variables but those of the loops, for which it makes no difference what they held before.
    pub fn others<'a>(&self, values: &'a [Value]) -> impl Iterator<Item = &'a Value> {
        self.vars.iter().zip(values).filter(|(v, _)| !self.is_loop(&v.0)).map(|v| v.1)
    }

    /// Whether the loop around it is carried out by the host for want of a kernel.
    pub fn may_stand_in(&self) -> bool {
        self.within.as_ref().is_none_or(|around| around.refused.get())
    }

    /// Whether the iterations combine values in a variable.
    pub fn combines(&self, name: &str) -> bool {
        let plan = &self.plan;
        let extreme = |e: &Extreme| *e.name == *name || e.with.iter().any(|n| **n == *name);
        plan.reductions.iter().any(|r| *r.0 == *name)
            || plan.scans.iter().any(|s| *s.name == *name)
            || plan.extremes.iter().any(extreme)
            || plan.serial.iter().any(|s| s.carried.iter().any(|n| **n == *name))
    }

    /// Whether a variable belongs to the iteration and nobody looks at it afterwards, so that only its values matter and not
    /// their types.
    pub fn is_own(&self, name: &str) -> bool {
        self.is_plain(name) && !self.read_after.contains(name)
    }

    /// Whether a variable is neither a loop's, nor combined, nor of a type that the program says.
    pub fn is_plain(&self, name: &str) -> bool {
        !(self.is_loop(name) || self.combines(name) || self.declared.contains_key(name))
    }

    /// Variables whose types matter, too.
    pub fn typed(&self) -> impl Iterator<Item = Text> {
        self.vars.iter().map(|v| v.0.clone()).filter(|n| !self.is_own(n))
    }

    /// Variables that somebody looks at and that not every iteration sets.
    pub fn maybe_set(&self) -> impl Iterator<Item = &Text> {
        self.plan.maybe.iter().filter(|n| self.read_after.contains(*n))
    }

    /// What variables of inner loops hold after the nest, of those for which the text says it.
    pub fn counters(&self) -> impl Iterator<Item = (Text, Value)> {
        self.plan.counters.iter().map(|(name, last)| (name.clone(), Value::integer(*last)))
    }

    /// Iterations of the loops within one of the nest, from what the variables hold; those of the nest's loops are in the middle of
    /// their ranges.
    pub fn turns(&self, ranges: &[RangeValue], args: &[Value], library: &Library) -> u64 {
        let loops = self.loops();
        let Some(innermost) = loops.last() else { return 1 };
        let value = |name: &str| match loops.iter().position(|f| *f.name == *name) {
            Some(k) => ranges.get(k).map_or(Held::Other, |r| Held::Number(r.start + r.step * (r.count / 2) as f64)),
            None => self.held(name, args),
        };
        turns::of(&innermost.body, &value, library)
    }

    /// What a variable holds at the loop.
    pub fn held(&self, name: &str, args: &[Value]) -> Held {
        let value = self.vars.iter().position(|v| *v.0 == *name).and_then(|i| args.get(i));
        match value {
            Some(Value::Array(t)) => Held::Array(t.shape.to_vec(), t.get(0).and_then(|v| v.as_f64())),
            Some(v) => v.as_f64().map_or(Held::Other, Held::Number),
            None => Held::Other,
        }
    }

    /// Whether a variable holds one value as long as the loops around run.
    pub fn is_fixed(&self, name: &str) -> bool {
        !self.is_loop(name) && !self.varying.contains(name)
    }

    /// Whether the first value of one of its loops may change from launch to launch: variables in it get values in loops around.
    pub fn begins_anew(&self, l: &For) -> bool {
        if self.begins_late && l.id == self.ast.id {
            return true;
        }
        let ExprKind::Range { from, .. } = &l.over.kind else { return true };
        Names::of_expr(from).mentioned.iter().any(|name| self.varying.contains(name))
    }

    pub fn is_loop(&self, name: &str) -> bool {
        self.each_loop().any(|f| *f.name == *name)
    }
}
