//! The code of kernels whose lanes take the next item when theirs is done ([`crate::common::refill`]).
//!
//! A call computes a box of groups in three steps: what comes before the loop, for one group after the other, whose results
//! lie down in arrays of the frame; the loop, in which lanes pick up items and put down results until all are done; what
//! comes behind. Lanes are refilled when half of them have nothing to do.

use super::state::{Lower, Plan, Val};
use super::vary::Vary;
use super::words::all;
use super::words::suffix;
use crate::common::brief;
use crate::common::function::{Shape, Site};
use crate::common::refill::Refill;
use crate::common::text::{self, LANES, MASK};
use quadra_kir::{Block, Elem, Inst, Op, Type, Value, Values};

/// What an item has of its own.
struct State {
    /// Its value in the loop.
    value: Value,
    ty: Type,
    /// What it is at first, if that is the same for all items.
    fixed: Option<String>,
    /// One slot for each part.
    slots: Vec<String>,
}

/// Labels and slots of the loop.
struct Work {
    states: Vec<State>,
    /// The item in each lane, and the lanes that have one, for each part.
    items: Vec<String>,
    taken: Vec<String>,
    /// Lanes that are enough to go on with.
    enough: String,
    /// The first item that no lane has had.
    next: String,
    total: String,
}

/// Bytes that the arrays of the frame take at most, and groups: they stay in the nearest cache.
const FRAME: usize = 20 << 10;
const MOST: usize = 128;
/// Instructions that count the lanes.
const ASKING: usize = 4;
/// Turns of so many instructions together are taken without asking how many lanes are left.
const UNASKED: usize = 24;

/// How many groups one call takes at most.
pub fn most_groups(r: &Refill) -> usize {
    let item: usize = r.state.len().max(r.turns.results.len()) * 4 + r.turns.results.len() * 4;
    (FRAME / (16 * item.max(1))).clamp(16, MOST)
}

/// How many groups are under way: as many as registers hold.
pub fn parts(r: &Refill) -> usize {
    let masks = r.state.iter().filter(|s| r.kernel.ty(s.0).elem == Elem::Bool).count();
    (20 / (r.state.len() - masks + 1)).clamp(1, 4)
}

/// How an element lies in the frame.
fn kept(elem: Elem) -> &'static str {
    if elem == Elem::Bool { "i32" } else { text::elem(elem) }
}

/// The module for a kernel whose lanes take up items one by one; `None` if a load of its loop may fault.
pub fn refilled(r: &Refill, plan: &Plan) -> Option<(String, Vec<Site>)> {
    let mut l = Lower::new(&r.kernel, plan, Vary::of(&r.kernel, &[])?);
    // Nothing may stop there, not even for a wrong proof.
    let tested = |i: &Inst| i.op == Op::Load && (plan.checked || !l.proven(i));
    if r.head.iter().chain(&r.tail).any(tested) {
        return None;
    }
    l.refilled(r);
    Some(l.text())
}

impl Lower<'_> {
    pub(super) fn refilled(&mut self, r: &Refill) {
        let shape = std::mem::replace(&mut self.shape, Shape::ONE);
        let none = self.vary.none();
        self.begin();
        self.straight(&r.common);
        self.put_down(r);
        let turn = r.head.iter().chain(&r.tail);
        (self.shape, self.vary) = (shape, none.beginning(r.state.iter().map(|s| s.0), turn));
        self.work(r);
        (self.shape, self.vary) = (Shape::ONE, none);
        self.finish(r);
        self.end();
    }

    fn straight(&mut self, insts: &[Inst]) {
        self.block(&Block { params: Values::new(), insts: insts.to_vec() }, None, None);
    }

    /// An array with an element for each item of the box; what a vector reads past the last one lies there, too.
    fn array(&mut self, r: &Refill, name: &str, elem: Elem) {
        self.t.slots += &format!("  {name} = alloca [{} x {}], align 64\n", 16 * most_groups(r) + 16, kept(elem));
    }

    fn kept_at(&mut self, array: &str, elem: Elem, at: &str) -> String {
        self.t.def(&format!("getelementptr {}, ptr {array}, i64 {at}", kept(elem)))
    }

    /// The first step.
    fn put_down(&mut self, r: &Refill) {
        self.t.slots += "  %count = alloca i64\n";
        self.t.line("store i64 0, ptr %count");
        let ends = self.begin_axes("a");
        self.straight(&r.before);
        let at = self.t.def("load i64, ptr %count");
        for (n, &(value, first)) in r.state.iter().enumerate() {
            if self.kernel.as_const(first).is_some() {
                continue;
            }
            let t = self.kernel.ty(value);
            self.array(r, &format!("%first{n}"), t.elem);
            let place = self.kept_at(&format!("%first{n}"), t.elem, &at);
            let mut lanes = self.value_as(first, t);
            if t.elem == Elem::Bool {
                lanes = self.t.def(&format!("zext {MASK} {lanes} to {LANES}"));
            }
            self.t.line(&format!("store <16 x {}> {lanes}, ptr {place}, align 4", kept(t.elem)));
        }
        let next = self.t.def(&format!("add i64 {at}, 16"));
        self.t.line(&format!("store i64 {next}, ptr %count"));
        self.end_axes(&ends);
    }

    /// The second step.
    fn work(&mut self, r: &Refill) {
        let parts = self.shape.parts();
        let mut states = Vec::new();
        for &(value, first) in &r.state {
            let ty = self.kernel.ty(value);
            let fixed = self.kernel.as_const(first).map(|_| self.value_as(first, ty));
            let slots = (0..parts).map(|_| self.t.slot(&text::ty(ty))).collect();
            states.push(State { value, ty, fixed, slots });
        }
        for (n, &result) in r.turns.results.iter().enumerate() {
            self.array(r, &format!("%result{n}"), self.kernel.ty(result).elem);
        }
        let total = self.t.def("load i64, ptr %count");
        let total = self.t.def(&format!("trunc i64 {total} to i32"));
        let slots = |l: &mut Self, ty: &str| (0..parts).map(|_| l.t.slot(ty)).collect::<Vec<_>>();
        let (items, taken) = (slots(self, LANES), slots(self, MASK));
        let w = Work { states, items, taken, enough: self.t.slot("i32"), next: self.t.slot("i32"), total };
        for part in 0..parts {
            self.t.line(&format!("store {MASK} zeroinitializer, ptr {}", w.taken[part]));
            self.t.line(&format!("store {LANES} zeroinitializer, ptr {}", w.items[part]));
            w.states.iter().for_each(|s| {
                self.t.line(&format!("store {} zeroinitializer, ptr {}", text::ty(s.ty), s.slots[part]));
            });
        }
        self.t.line(&format!("store i32 0, ptr {}", w.next));
        self.t.line(&format!("store i32 {}, ptr {}", 8 * parts, w.enough));
        let [turn, go, change, fill, end] = [(); 5].map(|()| self.t.fresh_label());
        self.t.branch(&fill);
        self.t.label(&turn);
        self.turns_of(r, &w, [&turn, &go, &change]);
        self.t.label(&change);
        self.put_results(r, &w);
        self.t.branch(&fill);
        self.t.label(&fill);
        self.fill(r, &w, [&turn, &end]);
        self.t.label(&end);
    }

    /// Some turns of all lanes, before the last of which it is asked whether enough of them go on.
    fn turns_of(&mut self, r: &Refill, w: &Work, [turn, go, change]: [&str; 3]) {
        let insts = (r.head.len() + r.tail.len()).max(1);
        let many = (UNASKED / insts).clamp(1, 4);
        for _ in 1..many {
            self.turn_head(r, w);
            self.turn_tail(r, w);
        }
        self.turn_head(r, w);
        let mut live: Option<String> = None;
        for part in 0..self.shape.parts() {
            self.part = part;
            let mask = self.value(r.live);
            let word = self.t.def(&format!("bitcast {MASK} {mask} to i16"));
            let count = self.t.call("i16", "llvm.ctpop.i16", &[("i16", &word)]);
            let count = self.t.def(&format!("zext i16 {count} to i32"));
            live = Some(match live {
                Some(sum) => self.t.def(&format!("add i32 {sum}, {count}")),
                None => count,
            });
        }
        self.part = 0;
        let enough = self.t.def(&format!("load i32, ptr {}", w.enough));
        let goes_on = self.t.def(&format!("icmp ugt i32 {}, {enough}", live.unwrap_or_default()));
        self.t.branch_if(&goes_on, go, change);
        self.t.label(go);
        self.turn_tail(r, w);
        self.charge(&(insts * many + ASKING).to_string(), &r.turns);
        self.t.branch(turn);
    }

    /// A turn up to the vote.
    fn turn_head(&mut self, r: &Refill, w: &Work) {
        for state in &w.states {
            self.values.remove(&state.value);
            for (part, slot) in state.slots.iter().enumerate() {
                self.part = part;
                let value = self.t.def(&format!("load {}, ptr {slot}", text::ty(state.ty)));
                self.define(state.value, &value);
            }
        }
        self.part = 0;
        self.straight(&r.head);
    }

    /// The rest of a turn, which changes nothing that lanes need that have left.
    fn turn_tail(&mut self, r: &Refill, w: &Work) {
        self.straight(&r.tail);
        let mut stores = Vec::new();
        for (state, &next) in w.states[..r.carried].iter().zip(&r.again) {
            for (part, slot) in state.slots.iter().enumerate() {
                self.part = part;
                let value = self.value_as(next, state.ty);
                stores.push(format!("store {} {value}, ptr {slot}", text::ty(state.ty)));
            }
        }
        self.part = 0;
        stores.iter().for_each(|s| self.t.line(s));
    }

    /// Puts down the results of lanes whose item is done.
    fn put_results(&mut self, r: &Refill, w: &Work) {
        for part in 0..self.shape.parts() {
            self.part = part;
            let (live, taken) = (self.value(r.live), self.t.def(&format!("load {MASK}, ptr {}", w.taken[part])));
            let dead = self.t.def(&format!("xor {MASK} {live}, {}", all()));
            let done = self.t.def(&format!("and {MASK} {taken}, {dead}"));
            let items = self.t.def(&format!("load {LANES}, ptr {}", w.items[part]));
            for (n, (&leaves, &result)) in r.leaves.iter().zip(&r.turns.results).enumerate() {
                let t = self.kernel.ty(result);
                let mut value = self.value_as(leaves, t);
                if t.elem == Elem::Bool {
                    value = self.t.def(&format!("zext {MASK} {value} to {LANES}"));
                }
                let places = self.t.def(&format!("getelementptr {}, ptr %result{n}, {LANES} {items}", kept(t.elem)));
                let (ty, t) = (
                    format!("<16 x {}>", kept(t.elem)),
                    if t.elem == Elem::Bool { Type::vector(Elem::I32) } else { t },
                );
                let bytes = t.elem.bytes().to_string();
                let args = [(ty.as_str(), value.as_str()), ("<16 x ptr>", &places), ("i32", &bytes), (MASK, &done)];
                self.t.call("void", &format!("llvm.masked.scatter.{}.v16p0", suffix(t)), &args);
            }
            let left = self.t.def(&format!("and {MASK} {taken}, {live}"));
            self.t.line(&format!("store {MASK} {left}, ptr {}", w.taken[part]));
        }
        self.part = 0;
    }

    /// Gives items to lanes without one.
    fn fill(&mut self, r: &Refill, w: &Work, [turn, end]: [&str; 2]) {
        let [some, none] = [(); 2].map(|()| self.t.fresh_label());
        let next = self.t.def(&format!("load i32, ptr {}", w.next));
        let more = self.t.def(&format!("icmp ult i32 {next}, {}", w.total));
        self.t.branch_if(&more, &some, &none);
        self.t.label(&none);
        // Nothing is left to take up: the last ones finish.
        self.t.line(&format!("store i32 0, ptr {}", w.enough));
        let mut any = "zeroinitializer".to_string();
        for taken in &w.taken {
            let taken = self.t.def(&format!("load {MASK}, ptr {taken}"));
            any = self.t.def(&format!("or {MASK} {any}, {taken}"));
        }
        let any = self.t.any(&any);
        self.t.branch_if(&any, turn, end);
        self.t.label(&some);
        if !self.functions.contains("@numbers") {
            self.functions += &format!("@numbers = internal constant {LANES} {}, align 64\n", brief::iota());
        }
        for part in 0..self.shape.parts() {
            self.part = part;
            self.fill_part(w, part);
        }
        self.part = 0;
        // Putting down and taking up is as much work as some turns.
        self.charge(&(14 + 10 * (r.state.len() + r.turns.results.len())).to_string(), &r.turns);
        self.t.branch(turn);
    }

    fn fill_part(&mut self, w: &Work, part: usize) {
        let next = self.t.def(&format!("load i32, ptr {}", w.next));
        let taken = self.t.def(&format!("load {MASK}, ptr {}", w.taken[part]));
        let free = self.t.def(&format!("xor {MASK} {taken}, {}", all()));
        let expand = |l: &mut Self, ty: &str, name: &str, place: &str, mask: &str, old: &str| {
            l.t.call(ty, &format!("llvm.masked.expandload.{name}"), &[("ptr", place), (MASK, mask), (ty, old)])
        };
        let rank = expand(self, LANES, "v16i32", "@numbers", &free, "zeroinitializer");
        let first = self.t.splat("i32", &next);
        let item = self.t.def(&format!("add {LANES} {first}, {rank}"));
        let total = self.t.splat("i32", &w.total);
        let there = self.t.def(&format!("icmp ult {LANES} {item}, {total}"));
        let mask = self.t.def(&format!("and {MASK} {free}, {there}"));
        let at = self.t.def(&format!("zext i32 {next} to i64"));
        for (n, state) in w.states.iter().enumerate() {
            let (ty, slot) = (text::ty(state.ty), &state.slots[part]);
            let old = self.t.def(&format!("load {ty}, ptr {slot}"));
            let new = match &state.fixed {
                Some(fixed) => self.t.def(&format!("select {MASK} {mask}, {ty} {fixed}, {ty} {old}")),
                None if state.ty.elem == Elem::Bool => {
                    let place = self.kept_at(&format!("%first{n}"), Elem::Bool, &at);
                    let word = self.t.def(&format!("zext {MASK} {old} to {LANES}"));
                    let word = expand(self, LANES, "v16i32", &place, &mask, &word);
                    self.t.def(&format!("icmp ne {LANES} {word}, zeroinitializer"))
                }
                None => {
                    let place = self.kept_at(&format!("%first{n}"), state.ty.elem, &at);
                    expand(self, &ty, &suffix(state.ty), &place, &mask, &old)
                }
            };
            self.t.line(&format!("store {ty} {new}, ptr {slot}"));
        }
        let items = self.t.def(&format!("load {LANES}, ptr {}", w.items[part]));
        let items = self.t.def(&format!("select {MASK} {mask}, {LANES} {item}, {LANES} {items}"));
        self.t.line(&format!("store {LANES} {items}, ptr {}", w.items[part]));
        let taken = self.t.def(&format!("or {MASK} {taken}, {mask}"));
        self.t.line(&format!("store {MASK} {taken}, ptr {}", w.taken[part]));
        let word = self.t.def(&format!("bitcast {MASK} {mask} to i16"));
        let many = self.t.call("i16", "llvm.ctpop.i16", &[("i16", &word)]);
        let many = self.t.def(&format!("zext i16 {many} to i32"));
        let next = self.t.def(&format!("add i32 {next}, {many}"));
        self.t.line(&format!("store i32 {next}, ptr {}", w.next));
    }

    /// The third step.
    fn finish(&mut self, r: &Refill) {
        self.t.line("store i64 0, ptr %count");
        let ends = self.begin_axes("b");
        let at = self.t.def("load i64, ptr %count");
        for (n, &result) in r.turns.results.iter().enumerate() {
            let t = self.kernel.ty(result);
            let place = self.kept_at(&format!("%result{n}"), t.elem, &at);
            let mut value = self.t.def(&format!("load <16 x {}>, ptr {place}, align 4", kept(t.elem)));
            if t.elem == Elem::Bool {
                value = self.t.def(&format!("icmp ne {LANES} {value}, zeroinitializer"));
            }
            self.values.insert(result, Val::One(value));
        }
        let next = self.t.def(&format!("add i64 {at}, 16"));
        self.t.line(&format!("store i64 {next}, ptr %count"));
        self.straight(&r.behind);
        self.t.label("after");
        self.end_axes(&ends);
    }
}
