//! Computes equal things once.
//!
//! * Needs: a kernel without variables, at either level.
//! * Gives: no pure operation is repeated where its first result is visible; nor is a load of a place that nothing can have
//!   written in between.
//! * Keeps: everything else, in order.
//!
//! It runs behind passes that emit the same pieces again and again (addresses, masks, expansions). Votes count as pure only
//! at SIMD level, where their mask says who votes; a load counts as repeated only under the same mask.
//!
//! ```kir
//! kernel @f(%p: buf<i32, w>, %x: i32, %y: i32) simd group=16 over=0 {
//!   %a = add %x, %y
//!   %c = cmp.lt %a, 0
//!   if %c { %b = add %y, %x  store %p[0], %b } else {}
//! }
//! ; check: kernel @f(%p: buf<i32, w>, %x: i32, %y: i32) simd group=16 {
//! ; check:   %a = add %x, %y
//! ; check:   %c = cmp.lt %a, 0
//! ; check:   if %c { store %p[0], %a }
//! ; check: }
//! ```

use crate::pass::{Facts, Pass};
use quadra_base::quick::{Map, Quick};
use quadra_kir::{Block, Buf, Const, Effect, Inst, Kernel, Level, Mode, Op, Value};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};

/// The pass.
pub const PASS: Pass = Pass {
    name: "cse",
    about: "computes equal things once",
    needs: Facts::VALUES,
    gives: Facts::NONE,
    run: |kernel, _| {
        run(kernel);
        Ok(())
    },
};

/// Shares equal computations of `kernel`.
pub fn run(kernel: &mut Kernel) {
    kernel.rewrite(|kernel, body| {
        let known = Known::new(kernel.values.len());
        Cse { kernel, known, map: Map::default(), epoch: 0, next: 1 }.block(body);
    });
}

/// What makes two instructions equal. `epoch` counts what may have changed memory, for loads.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    op: Op,
    args: SmallVec<[Value; 4]>,
    mask: Option<Value>,
    buf: Option<Buf>,
    mode: Mode,
    imm: u32,
    epoch: u64,
}

/// An instruction whose result is visible here.
struct Entry {
    key: Key,
    result: Value,
    bucket: usize,
    /// The one that came into the same bucket before it.
    before: u32,
}

/// No entry.
const NONE: u32 = u32::MAX;

/// A hash table of what is visible, in the order in which it came: a region's own entries go again at its end.
struct Known {
    entries: Vec<Entry>,
    /// The last entry of each bucket; their number is a power of two.
    last: Vec<u32>,
}

impl Known {
    fn new(values: usize) -> Known {
        Known { entries: Vec::with_capacity(values / 4), last: vec![NONE; (values / 2 + 1).next_power_of_two()] }
    }

    fn bucket(&self, key: &Key) -> usize {
        let mut hasher = Quick::default();
        key.hash(&mut hasher);
        hasher.finish() as usize & (self.last.len() - 1)
    }

    /// The result of an equal instruction.
    fn find(&self, key: &Key) -> Option<Value> {
        let mut at = self.last[self.bucket(key)];
        while let Some(entry) = self.entries.get(at as usize) {
            if entry.key == *key {
                return Some(entry.result);
            }
            at = entry.before;
        }
        None
    }

    /// The result of an equal instruction; if there is none, this is the first.
    fn find_or_add(&mut self, key: Key, result: Value) -> Option<Value> {
        if let Some(found) = self.find(&key) {
            return Some(found);
        }
        let bucket = self.bucket(&key);
        let before = std::mem::replace(&mut self.last[bucket], self.entries.len() as u32);
        self.entries.push(Entry { key, result, bucket, before });
        None
    }

    /// Forgets all entries but the first `n`.
    fn truncate(&mut self, n: usize) {
        for entry in self.entries.drain(n..).rev() {
            self.last[entry.bucket] = entry.before;
        }
    }
}

struct Cse<'k> {
    kernel: &'k mut Kernel,
    known: Known,
    map: Map<Value, Value>,
    /// The state of memory: loads of equal epochs see the same.
    epoch: u64,
    next: u64,
}

impl Cse<'_> {
    fn at(&self, v: Value) -> Value {
        self.map.get(&v).copied().unwrap_or(v)
    }

    fn new_epoch(&mut self) {
        self.epoch = self.next;
        self.next += 1;
    }

    fn block(&mut self, block: &mut Block) {
        let start = self.known.entries.len();
        block.insts.retain_mut(|inst| self.inst(inst));
        self.known.truncate(start);
    }

    /// Gives whether the instruction stays.
    fn inst(&mut self, inst: &mut Inst) -> bool {
        inst.args.iter_mut().for_each(|v| *v = self.map.get(v).copied().unwrap_or(*v));
        inst.mask = inst.mask.map(|m| self.at(m));
        if !inst.regions.is_empty() {
            self.regions(inst);
            return true;
        }
        if changes_memory(inst.op) {
            self.new_epoch();
            return true;
        }
        let Some(key) = self.key(inst) else { return true };
        if let Some(first) = self.loaded(&key) {
            // What a condition asks for, all lanes have loaded: a lane that is not asked gets what a load would give it.
            let zero = self.kernel.constant(Const::zero(self.kernel.ty(inst.result()).elem));
            let mask = inst.mask.take();
            (inst.op, inst.buf, inst.mode) = (Op::Select, None, Mode::default());
            inst.args = mask.into_iter().chain([first, zero]).collect();
            return true;
        }
        let Some(first) = self.known.find_or_add(key, inst.result()) else { return true };
        self.map.insert(inst.result(), first);
        false
    }

    /// What a load under a mask would load, if it has been loaded without one.
    fn loaded(&self, key: &Key) -> Option<Value> {
        key.mask.filter(|_| key.op == Op::Load)?;
        let args = key.args.clone();
        let Key { op, buf, mode, imm, epoch, .. } = *key;
        self.known.find(&Key { op, args, mask: None, buf, mode, imm, epoch }).filter(|v| self.kernel.ty(*v).lanes)
    }

    fn regions(&mut self, inst: &mut Inst) {
        let writes = inst.regions.iter().any(|r| r.any(&mut |i| changes_memory(i.op)));
        let repeats = inst.op != Op::If;
        if writes && repeats {
            self.new_epoch();
        }
        let before = self.epoch;
        for region in &mut inst.regions {
            self.epoch = before;
            self.block(region);
        }
        self.epoch = before;
        if writes {
            self.new_epoch();
        }
    }

    fn key(&self, inst: &Inst) -> Option<Key> {
        let [_] = inst.results[..] else { return None };
        let shared = match inst.op {
            op if op.is_vote() => self.kernel.level == Level::Simd,
            Op::Load | Op::LoadRow => true,
            op => op.is_pure(),
        };
        if !shared {
            return None;
        }
        let mut args = SmallVec::from_slice(&inst.args);
        if args.first().is_some_and(|&a| inst.op.is_commutative(self.kernel.ty(a).elem)) {
            args.sort_unstable();
        }
        let reads = inst.op.info().effect == Effect::Read;
        let epoch = if reads { self.epoch } else { 0 };
        Some(Key { op: inst.op, args, mask: inst.mask, buf: inst.buf, mode: inst.mode, imm: inst.imm, epoch })
    }
}

/// Whether a load behind the operation may see something else than one before it. Requests only read.
pub fn changes_memory(op: Op) -> bool {
    match op.info().effect {
        Effect::Write | Effect::ReadWrite => true,
        Effect::Ordered => !matches!(op, Op::TmuRequest | Op::TmuReceive | Op::Print | Op::Assert | Op::Comment),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadra_kir::{parse, print};

    fn shared(body: &str) -> String {
        let text =
            format!("kernel @k(%p: buf<i32, rw>, %q: buf<i32, rw>, %x: i32) simt group=16 over=0 {{\n{body}\n}}");
        let mut k = parse::kernel("t.kir", &text).expect("the test's kernel parses");
        run(&mut k);
        assert_eq!(quadra_kir::check::kernel(&k), []);
        print::kernel(&k)
    }

    #[test]
    fn a_store_separates_loads() {
        let out = shared("%a = load %p[0] %b = load %p[0] store %q[0], %b %c = load %p[0] store %q[1], %c");
        assert_eq!(out.matches("load").count(), 2, "{out}");
        assert!(out.contains("store %q[0], %a"), "{out}");
    }

    #[test]
    fn what_a_condition_asks_for_and_all_have_loaded_is_chosen() {
        let selects = |between: &str| {
            let text = format!(
                "kernel @k(%p: buf<f32, r>, %q: buf<f32, rw>) simd group=16 over=0 {{
                   %l = lane %i = mul %l, 3 %a = load %p[%i] %c = cmp.gt %a, 1.0 {between}
                   %b = load %p[%i] if %c store %q[%l], %b }}"
            );
            let mut k = parse::kernel("t.kir", &text).expect("the test's kernel parses");
            run(&mut k);
            assert_eq!(quadra_kir::check::kernel(&k), []);
            print::kernel(&k).matches("select").count()
        };
        assert_eq!(selects(""), 1);
        assert_eq!(selects("store %q[0], 1.0"), 0, "it may be the same memory");
    }

    #[test]
    fn what_an_arm_computes_is_not_visible_behind_it() {
        let out = shared(
            "%c = cmp.lt %x, 3
             if %c { %a = add %x, 7 store %q[0], %a }
             %b = add 7, %x
             if %c { %d = add %x, 7 store %q[1], %d }",
        );
        assert_eq!(out.matches("add").count(), 2, "{out}");
        assert!(out.contains("store %q[1], %b"), "{out}");
    }
}
