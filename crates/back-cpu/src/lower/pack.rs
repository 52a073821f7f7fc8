//! Lanes stored one behind the other: the elements that meet a condition.
//!
//! The kernel IR has no operation for it. What turns know of those before them is a sum of rotations, with 1 for each lane that counts
//! (`quadra_passes::along`): the rank of each lane. A store at a scalar plus the rank, of the lanes that count, is one row: the lanes move
//! together in a register, and as many elements are written as there are. The rank itself is the number of the mask's bits
//! below each lane's own.

use super::state::Lower;
use super::words::suffix;
use super::words::{memory_elem, memory_type};
use crate::common::text::{LANES, MASK};
use quadra_kir::{Buf, Elem, Inst, Op, Type, Value};
use std::collections::HashMap;

/// Sums of scalars around a rank are followed so far.
const DEPTH: u32 = 4;

impl Lower<'_> {
    /// Finds ranks; the steps on the way to one need not be written.
    pub(super) fn find_ranks(&mut self) {
        let mut made: HashMap<Value, &Inst> = HashMap::new();
        let mut ends = Vec::new();
        self.kernel.body.walk(&mut |i| {
            made.extend(i.results.iter().map(|&r| (r, i)));
            if i.op == Op::Select && self.is_number(i.args[2], 0) {
                ends.push(i.args[1]);
            }
        });
        if !ends.iter().any(|v| made.get(v).is_some_and(|i| i.op == Op::Rotate)) {
            return;
        }
        let mut found = Vec::new();
        self.kernel.body.walk(&mut |i| {
            if i.op == Op::Add
                && let Some(mask) = self.rank(&made, i)
            {
                found.push((i.result(), mask));
            }
        });
        self.ranks.extend(found);
        self.kernel.body.walk(&mut |i| {
            if i.op == Op::Store
                && let Some(first) = self.first_of(&made, i)
            {
                self.packed.insert(i.args[0], first);
            }
        });
    }

    fn is_number(&self, v: Value, n: i32) -> bool {
        self.kernel.as_i32(v) == Some(n)
    }

    /// The mask whose lanes a value ranks.
    fn rank(&self, made: &HashMap<Value, &Inst>, sum: &Inst) -> Option<Value> {
        let mut at = sum.result();
        for away in [8, 4, 2, 1] {
            let step = made.get(&at).filter(|i| i.op == Op::Add)?;
            let [a, b] = step.args[..] else { return None };
            at = match (self.risen(made, b, away) == Some(a), self.risen(made, a, away) == Some(b)) {
                (true, _) => a,
                (_, true) => b,
                _ => return None,
            };
        }
        let ones = made.get(&self.risen(made, at, 1)?).filter(|i| i.op == Op::Select)?;
        let counts = self.is_number(ones.args[1], 1) && self.is_number(ones.args[2], 0);
        (counts && self.kernel.ty(ones.args[0]).lanes).then_some(ones.args[0])
    }

    /// What a value is in the lane so many before, with zeros in the first lanes.
    fn risen(&self, made: &HashMap<Value, &Inst>, v: Value, away: i32) -> Option<Value> {
        let select = made.get(&v).filter(|i| i.op == Op::Select && self.is_number(i.args[2], 0))?;
        let there = made.get(&select.args[0])?;
        let from = match there.op {
            Op::CmpGe => self.kernel.as_i32(there.args[1])?,
            Op::CmpGt => self.kernel.as_i32(there.args[1])? + 1,
            _ => return None,
        };
        let rotated = made.get(&select.args[1]).filter(|i| i.op == Op::Rotate)?;
        let fits = Some(there.args[0]) == self.lane && from == away && self.is_number(rotated.args[1], away);
        fits.then_some(rotated.args[0])
    }

    /// If a store's lanes lie one behind the other: what its index is besides the rank.
    fn first_of(&self, made: &HashMap<Value, &Inst>, store: &Inst) -> Option<Vec<Value>> {
        let (mut at, mut scalars) = (store.args[0], Vec::new());
        for _ in 0..DEPTH {
            if let Some(mask) = self.ranks.get(&at) {
                return (store.mask == Some(*mask)).then_some(scalars);
            }
            let sum = made.get(&at).filter(|i| i.op == Op::Add)?;
            let scalar = sum.args.iter().position(|&v| !self.kernel.ty(v).lanes)?;
            scalars.push(sum.args[scalar]);
            at = sum.args[1 - scalar];
        }
        None
    }

    /// The value of a rank, if it is one.
    pub(super) fn load_rank(&mut self, inst: &Inst) -> Option<String> {
        let mask = *self.ranks.get(inst.results.first()?)?;
        let mask = self.value_as(mask, Type::vector(Elem::Bool));
        let word = self.t.def(&format!("bitcast {MASK} {mask} to i16"));
        let word = self.t.def(&format!("zext i16 {word} to i32"));
        let words = self.t.splat("i32", &word);
        let below: Vec<String> = (0..16).map(|lane| format!("i32 {}", (1u32 << lane) - 1)).collect();
        let below = self.t.def(&format!("and {LANES} {words}, <{}>", below.join(", ")));
        Some(self.t.call(LANES, "llvm.ctpop.v16i32", &[(LANES, below.as_str())]))
    }

    /// A store of lanes one behind the other; whether it is one.
    pub(super) fn store_packed(&mut self, inst: &Inst, buf: Buf) -> bool {
        let Some(scalars) = self.packed.get(&inst.args[0]).cloned().filter(|_| self.plan.scales) else { return false };
        let elem = self.kernel.bufs[buf].elem;
        let asked = &self.asked(inst);
        if !self.proven(inst) {
            let index = self.indices(inst);
            self.check(inst, &index, asked, &format!("%n{}", buf.index()));
        }
        let t = Type::vector(elem.in_register());
        let value = self.value_as(inst.args[1], t);
        let value = &self.narrow(elem, t, &value);
        let memory = memory_type(elem);
        let mut first = "0".to_string();
        for v in scalars {
            let scalar = self.value_as(v, Type::I32);
            first = self.t.def(&format!("add i32 {first}, {scalar}"));
        }
        let place = self.element(buf, &first, false);
        let (vector, kind) = (format!("<16 x {memory}>"), suffix(Type::vector(memory_elem(elem))));
        if elem.bytes() != 4 {
            let args = [(vector.as_str(), value.as_str()), ("ptr", &place), (MASK, asked)];
            self.t.call("void", &format!("llvm.masked.compressstore.{kind}"), &args);
            return true;
        }
        // In two steps: processors take long for the one that writes.
        let args = [(vector.as_str(), value.as_str()), (vector.as_str(), "zeroinitializer"), (MASK, asked)];
        let together = self.t.call(&vector, &format!("llvm.x86.avx512.mask.compress.{kind}"), &args);
        let word = self.t.def(&format!("bitcast {MASK} {asked} to i16"));
        let many = self.t.call("i16", "llvm.ctpop.i16", &[("i16", word.as_str())]);
        let many = self.t.def(&format!("zext i16 {many} to i32"));
        let above = self.t.def(&format!("shl i32 -1, {many}"));
        let there = self.t.def(&format!("xor i32 {above}, -1"));
        let there = self.t.def(&format!("trunc i32 {there} to i16"));
        let there = self.t.def(&format!("bitcast i16 {there} to {MASK}"));
        let args = [(vector.as_str(), together.as_str()), ("ptr", &place), ("i32", "1"), (MASK, &there)];
        self.t.call("void", &format!("llvm.masked.store.{kind}.p0"), &args);
        true
    }
}
