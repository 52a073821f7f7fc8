//! Control flow: regions become basic blocks, what they give goes through slots.

use super::state::Lower;
use crate::common::function::Sort;
use crate::common::text;
use crate::native::context::{PART, layout};
use quadra_kir::{Block, Inst, Op, Type, Value};

/// A slot for each part, or one for all.
#[derive(Clone)]
pub(super) struct Slot {
    pub names: Vec<String>,
    ty: Type,
}

/// Where `break`, `continue` and the end of a `for` body go.
#[derive(Clone)]
pub(super) struct Loop {
    carried: Vec<Slot>,
    results: Vec<Slot>,
    again: String,
    end: String,
}

/// Loops of at most so many instructions are not counted against the budget: they end.
const FREE: i64 = 1 << 30;

impl Lower<'_> {
    fn pass_on(&mut self, values: &[Value], to: &[Slot]) {
        let mut stores = Vec::new();
        for (&v, slot) in values.iter().zip(to) {
            for (part, place) in slot.names.iter().enumerate() {
                self.part = part;
                let name = self.value_as(v, slot.ty);
                stores.push(format!("store {} {name}, ptr {place}", text::ty(slot.ty)));
            }
        }
        self.part = 0;
        stores.iter().for_each(|s| self.t.line(s));
    }

    fn slots(&mut self, values: &[Value]) -> Vec<Slot> {
        let slot = |l: &mut Self, v: Value| {
            let ty = l.kernel.ty(v);
            let parts = if l.vary.at(v) { l.shape.parts() } else { 1 };
            Slot { names: (0..parts).map(|_| l.t.slot(&text::ty(ty))).collect(), ty }
        };
        values.iter().map(|&v| slot(self, v)).collect()
    }

    fn take(&mut self, values: &[Value], from: &[Slot]) {
        for (&v, slot) in values.iter().zip(from) {
            for (part, place) in slot.names.iter().enumerate() {
                self.part = part;
                let name = self.t.def(&format!("load {}, ptr {place}", text::ty(slot.ty)));
                self.define(v, &name);
            }
        }
        self.part = 0;
    }

    /// Writes a region. `arm` is where `yield` goes if this is an arm of an `if`.
    pub(super) fn block(&mut self, block: &Block, around: Option<&Loop>, arm: Option<(&[Slot], &str)>) {
        let before = self.memo.clone();
        let mut rest = &block.insts[..];
        while let Some((inst, behind)) = rest.split_first() {
            let run = self.run_length(rest);
            if run > 1 {
                self.schedule(&rest[..run]);
                rest = &rest[run..];
                continue;
            }
            let together = self.atomics_together(rest);
            if together > 1 {
                self.do_together(&rest[..together]);
                rest = &rest[together..];
                continue;
            }
            rest = behind;
            match inst.op {
                Op::If => self.branch(inst, around),
                Op::For | Op::Loop => self.turns(inst),
                Op::Return => self.t.branch("after"),
                Op::Yield if arm.is_some() => {
                    let (slots, join) = arm.expect("just asked");
                    self.pass_on(&inst.args, slots);
                    self.t.branch(join);
                }
                Op::Yield | Op::Continue | Op::Break => {
                    let Some(around) = around.cloned() else { continue };
                    let (slots, to) = match inst.op {
                        Op::Break => (&around.results, &around.end),
                        _ => (&around.carried, &around.again),
                    };
                    self.pass_on(&inst.args, slots);
                    self.t.branch(to);
                }
                _ => self.plain(inst),
            }
        }
        self.memo = before;
        self.forget_if_written(block);
    }

    /// Loads that may have been overtaken by what a region writes are forgotten.
    fn forget_if_written(&mut self, block: &Block) {
        if block.any(&mut |i| super::words::writes(i)) {
            self.forget_loads();
        }
    }

    fn branch(&mut self, inst: &Inst, around: Option<&Loop>) {
        let results = self.slots(&inst.results);
        let cond = self.value_as(inst.args[0], Type::BOOL);
        let [yes, no, join] = [(); 3].map(|()| self.t.fresh_label());
        self.t.branch_if(&cond, &yes, &no);
        for (label, n) in [(&yes, 0), (&no, 1)] {
            self.t.label(label);
            match inst.regions.get(n).filter(|r| !r.insts.is_empty()) {
                Some(region) => self.block(region, around, Some((&results, &join))),
                None => self.t.branch(&join),
            }
        }
        self.t.label(&join);
        self.take(&inst.results, &results);
    }

    fn turns(&mut self, inst: &Inst) {
        let counted = inst.op == Op::For;
        let body = &inst.regions[0];
        self.forget_if_written(body);
        let params = &body.params[usize::from(counted)..];
        let (carried, results) = (self.slots(params), self.slots(&inst.results));
        self.pass_on(inst.carried(), &carried);
        let counter = self.t.slot("i32");
        let bounds: Vec<String> =
            inst.args[..if counted { 3 } else { 0 }].iter().map(|&v| self.value_as(v, Type::I32)).collect();
        let mut charge = !(self.uncharged || counted && self.cost(inst).is_some_and(|c| c <= FREE));
        let outer = std::mem::replace(&mut self.uncharged, !charge);
        if counted {
            self.t.line(&format!("store i32 {}, ptr {counter}", bounds[0]));
            charge = charge && !self.charge_at_once(inst, &bounds);
            if !charge {
                self.add_in_short_lanes(inst, &bounds, &counter, &carried);
            }
        }
        let [head, go, again, end] = [(); 4].map(|()| self.t.fresh_label());
        self.t.branch(&head);
        self.t.label(&head);
        if counted {
            self.head(inst, &bounds, &counter, (&carried, &results), [&go, &end]);
        } else {
            self.t.branch(&go);
        }
        self.t.label(&go);
        self.take(params, &carried);
        if counted {
            self.read_ahead(body.params[0], &bounds);
            self.ask_for_rows(inst);
        }
        let inner = Loop { carried, results: results.clone(), again: again.clone(), end: end.clone() };
        self.block(body, Some(&inner), None);
        self.t.label(&again);
        if charge {
            self.charge(&body.insts.len().max(1).to_string(), inst);
        }
        if counted {
            self.write_behind(body.params[0], &bounds);
            let at = self.t.def(&format!("load i32, ptr {counter}"));
            let next = self.t.def(&format!("add i32 {at}, {}", bounds[2]));
            self.t.line(&format!("store i32 {next}, ptr {counter}"));
        }
        self.uncharged = outer;
        self.t.branch(&head);
        self.t.label(&end);
        self.take(&inst.results, &results);
    }

    /// How many instructions a loop takes at most, if that can be told.
    fn cost(&self, inst: &Inst) -> Option<i64> {
        let step = self.kernel.as_i32(inst.args.get(2).copied()?).filter(|s| *s != 0)?;
        if inst.op != Op::For || self.wraps(inst) {
            return None;
        }
        let (from, to) = (self.range.bounds(self.kernel, inst.args[0]), self.range.bounds(self.kernel, inst.args[1]));
        let span = if step > 0 { to.high - from.low } else { from.high - to.low };
        let turns = (span.max(0) + i64::from(step).abs() - 1) / i64::from(step).abs();
        turns.checked_mul(self.block_cost(&inst.regions[0])?)
    }

    fn block_cost(&self, block: &Block) -> Option<i64> {
        let one = |i: &Inst| match i.op {
            Op::For | Op::Loop => self.cost(i),
            _ => i.regions.iter().try_fold(1i64, |sum, r| sum.checked_add(self.block_cost(r)?)),
        };
        block.insts.iter().try_fold(0i64, |sum, i| sum.checked_add(one(i)?))
    }

    /// The test of a counted loop, whose results are its carried values when it runs out.
    fn head(
        &mut self,
        inst: &Inst,
        bounds: &[String],
        counter: &str,
        (carried, results): (&[Slot], &[Slot]),
        [go, end]: [&str; 2],
    ) {
        let at = self.t.def(&format!("load i32, ptr {counter}"));
        let ends = match self.kernel.as_i32(inst.args[2]) {
            Some(0..) => self.t.def(&format!("icmp sge i32 {at}, {}", bounds[1])),
            Some(_) => self.t.def(&format!("icmp sle i32 {at}, {}", bounds[1])),
            None => {
                let up = self.t.def(&format!("icmp sge i32 {at}, {}", bounds[1]));
                let down = self.t.def(&format!("icmp sle i32 {at}, {}", bounds[1]));
                let falls = self.t.def(&format!("icmp slt i32 {}, 0", bounds[2]));
                self.t.def(&format!("select i1 {falls}, i1 {down}, i1 {up}"))
            }
        };
        let over = self.t.fresh_label();
        self.t.branch_if(&ends, &over, go);
        self.t.label(&over);
        for (from, to) in carried.iter().zip(results) {
            let ty = text::ty(from.ty);
            for (part, place) in to.names.iter().enumerate() {
                let from = from.names.get(part).unwrap_or(&from.names[0]);
                let last = self.t.def(&format!("load {ty}, ptr {from}"));
                self.t.line(&format!("store {ty} {last}, ptr {place}"));
            }
        }
        self.t.branch(end);
        self.define(inst.regions[0].params[0], &at);
    }

    /// Takes all turns of a counted loop from the budget before it begins, if their number is known then.
    fn charge_at_once(&mut self, inst: &Inst, bounds: &[String]) -> bool {
        let body = &inst.regions[0];
        let Some(step) = self.kernel.as_i32(inst.args[2]).filter(|s| *s != 0) else { return false };
        if body.exits(Op::Break) > 0 || self.wraps(inst) {
            return false;
        }
        let [low, high] = [0, 1].map(|n| self.t.def(&format!("sext i32 {} to i64", bounds[n])));
        let span = match step > 0 {
            true => self.t.def(&format!("sub i64 {high}, {low}")),
            false => self.t.def(&format!("sub i64 {low}, {high}")),
        };
        let span = self.t.call("i64", "llvm.smax.i64", &[("i64", span.as_str()), ("i64", "0")]);
        let turns = self.t.def(&format!("sdiv i64 {span}, {}", i64::from(step).abs()));
        let cost = self.t.def(&format!("mul i64 {turns}, {}", body.insts.len().max(1)));
        self.charge(&cost, inst);
        true
    }

    /// Whether the counter might wrap, so that the loop might never end.
    fn wraps(&self, inst: &Inst) -> bool {
        let step = self.kernel.as_i32(inst.args[2]).map_or(i64::MAX, i64::from);
        let high = self.range.bounds(self.kernel, inst.args[1]);
        if step > 0 { high.high - 1 + step > i64::from(i32::MAX) } else { high.low + 1 + step < i64::from(i32::MIN) }
    }

    /// Takes from the budget. What the code has at hand is a part of it: when that is used up it looks whether somebody wants
    /// an end, and takes another part.
    pub(super) fn charge(&mut self, cost: &str, inst: &Inst) {
        let left = self.t.def("load i64, ptr %budget");
        let left = self.t.def(&format!("sub i64 {left}, {cost}"));
        self.t.line(&format!("store i64 {left}, ptr %budget"));
        let some = self.t.def(&format!("icmp sge i64 {left}, 0"));
        let [more, good] = [(); 2].map(|()| self.t.fresh_label());
        self.t.branch_if(&some, &good, &more);
        self.t.label(&more);
        let flag = self.load("ptr", layout::STOP);
        let flag = self.t.def(&format!("load volatile i8, ptr {flag}"));
        let none = self.t.def(&format!("icmp eq i8 {flag}, 0"));
        self.demand(&none, inst, Sort::Stopped);
        let at = self.context(layout::REST);
        let rest = self.t.def(&format!("load i64, ptr {at}"));
        let wanted = self.t.def(&format!("sub i64 {PART}, {left}"));
        let part = self.t.call("i64", "llvm.smin.i64", &[("i64", rest.as_str()), ("i64", &wanted)]);
        let rest = self.t.def(&format!("sub i64 {rest}, {part}"));
        self.t.line(&format!("store i64 {rest}, ptr {at}"));
        let left = self.t.def(&format!("add i64 {left}, {part}"));
        self.t.line(&format!("store i64 {left}, ptr %budget"));
        let some = self.t.def(&format!("icmp sge i64 {left}, 0"));
        self.demand(&some, inst, Sort::Budget);
        self.t.branch(&good);
        self.t.label(&good);
    }
}
