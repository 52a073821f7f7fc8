//! How much a value may differ between the items of a launch, and which operands are defined in all lanes.
//!
//! Variance is computed, not typed. It is a property of values under the lockstep execution of a subgroup: the live lanes of
//! a subgroup meet the same instructions in the same order.

use crate::kernel::{Access, Block, Def, Inst, Kernel, Value};
use crate::ops::Op;
use std::collections::HashSet;

/// Among which items a value is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Vary {
    /// The same in the whole launch.
    #[default]
    Grid,
    /// The same within a group.
    Group,
    /// The same within a subgroup of 16 lanes.
    Subgroup,
    /// May differ from lane to lane.
    Lane,
}

/// The variance of every value of a kernel.
#[derive(Clone, Debug)]
pub struct Variance {
    values: Vec<Vary>,
    full: Vec<bool>,
    /// Results whose difference between lanes comes from control flow, with the condition to blame.
    blame: Vec<Option<Value>>,
}

impl Variance {
    /// Computes the variance of all values by iteration to the fixed point.
    pub fn of(kernel: &Kernel) -> Variance {
        let mut written = HashSet::new();
        kernel.body.walk(&mut |i| {
            if matches!(i.op, Op::Store | Op::StoreRow) || i.op.is_atomic() {
                written.extend(i.buf);
            }
        });
        let n = kernel.values.len();
        let result = Variance { values: vec![Vary::Grid; n], full: vec![true; n], blame: vec![None; n] };
        let vars = vec![Vary::Grid; kernel.vars.len()];
        let mut scan = Scan { kernel, written, vars, result, changed: true };
        while scan.changed {
            scan.changed = false;
            let mut at = Control { level: Vary::Grid, in_loop: Vary::Grid, cause: None };
            scan.block(&kernel.body, &mut at, None);
        }
        let mut full = Fullness { kernel, result: scan.result };
        let mut at = false;
        full.block(&kernel.body, &mut at);
        full.result
    }

    /// Among which items `v` is the same.
    pub fn level(&self, v: Value) -> Vary {
        self.values.get(v.index()).copied().unwrap_or(Vary::Lane)
    }

    /// Whether `v` may differ from lane to lane.
    pub fn is_lane(&self, v: Value) -> bool {
        self.level(v) == Vary::Lane
    }

    /// Whether `v` is defined in all lanes, so that `rotate` and `broadcast` may read it anywhere.
    pub fn is_full(&self, v: Value) -> bool {
        self.full.get(v.index()).copied().unwrap_or(false)
    }

    /// The condition that makes `v` differ between lanes, where control flow does.
    pub fn blame(&self, v: Value) -> Option<Value> {
        self.blame.get(v.index()).copied().flatten()
    }

    /// Whether lanes may leave the loop `inst` (`for` or `loop`), or skip the rest of an iteration, at different times.
    pub fn is_divergent_loop(&self, inst: &Inst) -> bool {
        inst.op == Op::For && inst.args[..3].iter().any(|&v| self.is_lane(v))
            || self.has_divergent_exit(&inst.regions[0], false, true)
    }

    /// Whether `block` holds a `break` or `continue` of the surrounding loop (`own`), or a `return`, that only some lanes
    /// take.
    fn has_divergent_exit(&self, block: &Block, divergent: bool, own: bool) -> bool {
        block.insts.iter().any(|i| match i.op {
            Op::Break | Op::Continue => divergent && own,
            Op::Return => divergent,
            Op::If => {
                let divergent = divergent || self.is_lane(i.args[0]);
                i.regions.iter().any(|r| self.has_divergent_exit(r, divergent, own))
            }
            Op::For | Op::Loop => {
                let divergent = divergent || self.is_divergent_loop(i);
                self.has_divergent_exit(&i.regions[0], divergent, false)
            }
            _ => false,
        })
    }
}

/// How control flow differs at a place: in the launch, and since the start of the innermost loop's body.
#[derive(Clone, Copy)]
struct Control {
    level: Vary,
    in_loop: Vary,
    cause: Option<Value>,
}

impl Control {
    fn under(self, level: Vary, condition: Value) -> Control {
        let cause = if level > self.level { Some(condition) } else { self.cause };
        Control { level: self.level.max(level), in_loop: self.in_loop.max(level), cause }
    }
}

/// What a loop's body tells about its exits.
#[derive(Clone, Copy, Default)]
struct Exits {
    /// Control at `break` and `return`.
    leave: Vary,
    /// Control at `continue`.
    again: Vary,
    continues: u32,
}

struct Scan<'a> {
    kernel: &'a Kernel,
    written: HashSet<crate::kernel::Buf>,
    vars: Vec<Vary>,
    result: Variance,
    changed: bool,
}

impl Scan<'_> {
    fn raise(&mut self, v: Value, to: Vary, cause: Option<Value>) {
        let at = &mut self.result.values[v.index()];
        if to > *at {
            *at = to;
            self.changed = true;
            self.result.blame[v.index()] = cause;
        }
    }

    fn level(&self, v: Value) -> Vary {
        self.result.values[v.index()]
    }

    fn join(&self, values: &[Value]) -> Vary {
        values.iter().map(|&v| self.level(v)).max().unwrap_or_default()
    }

    /// Visits a block. `at` is control where it starts; lanes that leave make it differ for what follows, and the caller
    /// sees that. Gives the block's exits from the innermost loop.
    fn block(&mut self, block: &Block, at: &mut Control, frame: Option<&Inst>) -> Exits {
        let mut exits = Exits::default();
        for inst in &block.insts {
            let found = match inst.op {
                Op::If => self.branch(inst, at, frame),
                Op::For | Op::Loop => {
                    self.repeat(inst, at);
                    Exits::default()
                }
                Op::Each => {
                    for region in &inst.regions {
                        self.block(region, &mut at.clone(), frame);
                    }
                    Exits::default()
                }
                Op::Break => {
                    if let Some(frame) = frame {
                        for (&r, &v) in frame.results.iter().zip(&inst.args) {
                            self.raise(r, self.level(v), self.result.blame[v.index()]);
                        }
                    }
                    Exits { leave: at.in_loop, ..Exits::default() }
                }
                Op::Return => Exits { leave: at.in_loop, ..Exits::default() },
                Op::Continue => {
                    self.carry(frame, &inst.args);
                    Exits { again: at.in_loop, continues: 1, ..Exits::default() }
                }
                Op::Yield if frame.is_some_and(|f| f.op == Op::For && std::ptr::eq(&f.regions[0], block)) => {
                    self.carry(frame, &inst.args);
                    Exits { again: at.in_loop, continues: 1, ..Exits::default() }
                }
                _ => {
                    self.plain(inst, at);
                    Exits::default()
                }
            };
            exits.leave = exits.leave.max(found.leave);
            exits.again = exits.again.max(found.again);
            exits.continues += found.continues;
        }
        exits
    }

    fn carry(&mut self, frame: Option<&Inst>, args: &[Value]) {
        let Some(frame) = frame else { return };
        let skip = usize::from(frame.op == Op::For);
        for (&p, &v) in frame.regions[0].params[skip..].iter().zip(args) {
            self.raise(p, self.level(v), self.result.blame[v.index()]);
        }
    }

    fn branch(&mut self, inst: &Inst, at: &mut Control, frame: Option<&Inst>) -> Exits {
        let condition = inst.args[0];
        let level = self.level(condition);
        let mut exits = Exits::default();
        let mut yields: Vec<Option<&[Value]>> = Vec::new();
        for region in &inst.regions {
            let mut inner = at.under(level, condition);
            let found = self.block(region, &mut inner, frame);
            let leaves = found.leave > Vary::Grid || found.again > Vary::Grid || leaves_always(region);
            if leaves && inner.level > at.level {
                // Some lanes are gone from here on. That does not count for the loop: what follows is met by all lanes that
                // are left, and dead lanes may run along.
                *at = Control { level: inner.level, in_loop: at.in_loop, cause: inner.cause };
            }
            exits.leave = exits.leave.max(found.leave);
            exits.again = exits.again.max(found.again);
            exits.continues += found.continues;
            yields.push(region.terminator().filter(|t| t.op == Op::Yield).map(|t| t.args.as_slice()));
        }
        for (j, &r) in inst.results.iter().enumerate() {
            let arms: Vec<Value> = yields.iter().flatten().filter_map(|y| y.get(j).copied()).collect();
            for &v in &arms {
                self.raise(r, self.level(v), self.result.blame[v.index()]);
            }
            if arms.len() > 1 && arms.iter().any(|&v| v != arms[0]) {
                self.raise(r, level, Some(condition));
            }
        }
        exits
    }

    fn repeat(&mut self, inst: &Inst, at: &mut Control) {
        let body = &inst.regions[0];
        let is_for = inst.op == Op::For;
        let mut bounds = Vary::Grid;
        if is_for {
            bounds = self.join(&inst.args[..3]);
            self.raise(body.params[0], self.join(&[inst.args[0], inst.args[2]]), None);
        }
        self.carry(Some(inst), inst.carried());
        if is_for {
            for (&r, &v) in inst.results.iter().zip(inst.carried()) {
                self.raise(r, self.level(v), None);
            }
        }
        let cause = if is_for && bounds > at.level { Some(inst.args[1]) } else { at.cause };
        let mut inner = Control { level: at.level.max(bounds), in_loop: Vary::Grid, cause };
        let exits = self.block(body, &mut inner, Some(inst));
        let leave = exits.leave.max(bounds);
        let carried = &body.params[usize::from(is_for)..];
        // A lane that has left, or that skipped the rest, must keep what it had: the values are merged lane by lane.
        let merged = exits.again.max(if is_for || exits.continues > 1 { leave } else { Vary::Grid });
        for &p in carried {
            self.raise(p, merged, inner.cause);
        }
        for (j, &r) in inst.results.iter().enumerate() {
            if is_for && let Some(&p) = carried.get(j) {
                self.raise(r, self.level(p), inner.cause);
            }
            self.raise(r, leave, inner.cause);
        }
        if has_return(body) {
            *at = Control { level: at.level.max(inner.level), in_loop: at.in_loop, cause: inner.cause };
        }
    }

    fn plain(&mut self, inst: &Inst, at: &Control) {
        let mut level = self.join(&inst.args).max(inst.mask.map_or(Vary::Grid, |m| self.level(m).min(Vary::Subgroup)));
        let split = self.kernel.group.last().is_some_and(|&n| n % 16 == 0);
        let axes = self.kernel.over.max(self.kernel.group.len() as u8) as u32;
        level = match inst.op {
            Op::Lane | Op::LaneActive | Op::TmuReceive => Vary::Lane,
            // The innermost axis runs along the lanes; the others only where a subgroup lies within one row of the group.
            Op::Item | Op::Local if inst.imm + 1 >= axes || !split => Vary::Lane,
            Op::Item | Op::Local if self.kernel.group.len() > 1 => Vary::Subgroup,
            Op::Item => Vary::Group,
            Op::Local => Vary::Grid,
            Op::Group | Op::Worker => Vary::Group,
            Op::VoteAny | Op::VoteAll => level.min(Vary::Subgroup),
            Op::Broadcast if self.level(inst.args[1]) != Vary::Lane => level.min(Vary::Subgroup),
            Op::Load | Op::LoadRow => {
                let changes = inst
                    .buf
                    .is_some_and(|b| self.written.contains(&b) || self.kernel.bufs[b].access == Access::ReadWrite);
                let row = if inst.op == Op::LoadRow { Vary::Lane } else { Vary::Grid };
                level.max(row).max(if changes { Vary::Subgroup } else { Vary::Grid })
            }
            Op::VarGet => inst.var.map_or(Vary::Lane, |v| self.vars[v.index()]),
            Op::VarSet => {
                let to = level.max(at.level);
                let var = &mut self.vars[inst.var.expect("`set` names a variable").index()];
                if to > *var {
                    *var = to;
                    self.changed = true;
                }
                return;
            }
            op if op.is_atomic() => Vary::Lane,
            _ => level,
        };
        let cause = inst.args.iter().find_map(|v| self.result.blame[v.index()]);
        for &r in &inst.results {
            self.raise(r, level, cause);
        }
    }
}

/// Whether a block ends by leaving.
fn leaves_always(block: &Block) -> bool {
    block.terminator().is_some_and(|t| t.op != Op::Yield)
}

fn has_return(block: &Block) -> bool {
    block.any(&mut |i| i.op == Op::Return)
}

/// Finds the values that are defined in all lanes, once variance is known.
struct Fullness<'a> {
    kernel: &'a Kernel,
    result: Variance,
}

impl Fullness<'_> {
    /// `divergent`: only some lanes may be live here; set by what leaves.
    fn block(&mut self, block: &Block, divergent: &mut bool) {
        for inst in &block.insts {
            match inst.op {
                Op::If => {
                    let inner = *divergent || self.result.is_lane(inst.args[0]);
                    let mut left = false;
                    for region in &inst.regions {
                        let mut here = inner;
                        self.block(region, &mut here);
                        left |= inner && has_exit(region);
                    }
                    self.define(inst, *divergent);
                    *divergent |= left;
                }
                Op::For | Op::Loop => {
                    let mut inner = *divergent || self.result.is_divergent_loop(inst);
                    for &p in &inst.regions[0].params {
                        self.set(p, !inner || !self.result.is_lane(p));
                    }
                    let outer = inner;
                    self.block(&inst.regions[0], &mut inner);
                    self.define(inst, outer);
                    *divergent |= inner && has_return(&inst.regions[0]);
                }
                op if op.is_pure() => {
                    let full = !*divergent || inst.args.iter().all(|&v| self.is_full(v));
                    for &r in &inst.results {
                        self.set(r, full || !self.result.is_lane(r));
                    }
                }
                _ => {
                    for region in &inst.regions {
                        self.block(region, &mut divergent.clone());
                    }
                    self.define(inst, *divergent);
                }
            }
        }
    }

    fn is_full(&self, v: Value) -> bool {
        !matches!(self.kernel.values[v].def, Def::Local) || self.result.full[v.index()]
    }

    fn define(&mut self, inst: &Inst, divergent: bool) {
        for &r in &inst.results {
            self.set(r, !divergent || !self.result.is_lane(r));
        }
    }

    fn set(&mut self, v: Value, full: bool) {
        self.result.full[v.index()] = full;
    }
}

/// Whether a block leaves the surrounding loop or kernel somewhere.
fn has_exit(block: &Block) -> bool {
    block.insts.iter().any(|i| match i.op {
        Op::Break | Op::Continue | Op::Return => true,
        Op::If => i.regions.iter().any(has_exit),
        Op::For | Op::Loop => has_return(&i.regions[0]),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn variance(text: &str) -> (Kernel, Variance) {
        let kernel = parse::kernel("t.kir", text).expect("the test's kernel parses");
        let v = Variance::of(&kernel);
        (kernel, v)
    }

    fn named(kernel: &Kernel, name: &str) -> Value {
        kernel.values.iter().find(|(_, i)| &*i.name == name).expect("the value exists").0
    }

    #[test]
    fn an_if_on_lanes_makes_its_results_differ() {
        let (k, v) = variance(
            "kernel @k(%p: buf<i32, rw>, %n: i32) simt group=16 over=0 {
               %l = lane
               %c = cmp.lt %l, %n
               %a = if %c { yield 1 } else { yield 2 }
               %b = if %c { yield %n } else { yield %n }
               %u = cmp.lt %n, 3
               %d = if %u { yield 1 } else { yield 2 }
               %e = vote.any %c
             }",
        );
        let level = |n: &str| v.level(named(&k, n));
        assert_eq!(level("a"), Vary::Lane);
        assert_eq!((level("b"), level("d")), (Vary::Grid, Vary::Grid));
        assert_eq!(level("e"), Vary::Subgroup);
    }

    #[test]
    fn a_value_computed_from_full_values_is_full_everywhere() {
        let (k, v) = variance(
            "kernel @k(%p: buf<i32, r>, %n: i32) simt group=16 over=0 {
               %l = lane
               %c = cmp.lt %l, %n
               if %c {
                 %a = add %l, 16
                 %b = load %p[%a]
                 %d = add %b, 1
               }
             }",
        );
        let full = |n: &str| v.is_full(named(&k, n));
        assert!(full("a"));
        assert!(!full("b") && !full("d"));
    }

    #[test]
    fn lanes_that_leave_a_loop_early_make_its_results_differ() {
        let (k, v) = variance(
            "kernel @k(%n: i32) simt group=16 over=0 {
               %l = lane
               %r = loop (%i: i32 = 0) {
                 %c = cmp.ge %i, %l
                 if %c { break %i } else { }
                 %j = add %i, 1
                 continue %j
               }
             }",
        );
        assert_eq!(v.level(named(&k, "r")), Vary::Lane);
        assert_eq!(v.level(named(&k, "i")), Vary::Grid, "one continue: dead lanes run along");
        assert!(v.is_divergent_loop(&k.body.insts[1]));
    }
}
