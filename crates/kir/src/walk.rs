//! Visiting blocks and instructions, and replacing values.

use crate::kernel::{Block, Inst, Kernel, Value};
use crate::ops::Op;
use std::collections::HashMap;
use std::hash::BuildHasher;

impl Block {
    /// Calls `f` on every instruction of the block and of all regions within, outer before inner, in order.
    pub fn walk<'a>(&'a self, f: &mut impl FnMut(&'a Inst)) {
        for inst in &self.insts {
            f(inst);
            for region in &inst.regions {
                region.walk(f);
            }
        }
    }

    /// As [`walk`](Block::walk), and lets `f` change the instructions.
    pub fn walk_mut(&mut self, f: &mut impl FnMut(&mut Inst)) {
        for inst in &mut self.insts {
            f(inst);
            for region in &mut inst.regions {
                region.walk_mut(f);
            }
        }
    }

    /// Whether `f` holds for an instruction of the block or of a region within.
    pub fn any(&self, f: &mut impl FnMut(&Inst) -> bool) -> bool {
        self.insts.iter().any(|i| f(i) || i.regions.iter().any(|r| r.any(f)))
    }

    /// Calls `f` on what ends an iteration of the loop with this body: breaks, continues and returns, those inside
    /// conditionals, too, and the loop's own `yield`.
    pub fn ends<'a>(&'a self, f: &mut impl FnMut(&'a Inst)) {
        fn walk<'a>(block: &'a Block, yields: bool, f: &mut impl FnMut(&'a Inst)) {
            for inst in &block.insts {
                match inst.op {
                    Op::Break | Op::Continue | Op::Return => f(inst),
                    Op::Yield if yields => f(inst),
                    Op::If => inst.regions.iter().for_each(|r| walk(r, false, f)),
                    _ => {}
                }
            }
        }
        walk(self, true, f);
    }

    /// As [`ends`](Block::ends), and lets `f` change the instructions.
    pub fn ends_mut(&mut self, f: &mut impl FnMut(&mut Inst)) {
        fn walk(block: &mut Block, yields: bool, f: &mut impl FnMut(&mut Inst)) {
            for inst in &mut block.insts {
                match inst.op {
                    Op::Break | Op::Continue | Op::Return => f(inst),
                    Op::Yield if yields => f(inst),
                    Op::If => inst.regions.iter_mut().for_each(|r| walk(r, false, f)),
                    _ => {}
                }
            }
        }
        walk(self, true, f);
    }

    /// How many `op`s end an iteration of the loop with this body.
    pub fn exits(&self, op: Op) -> usize {
        let mut n = 0;
        self.ends(&mut |end| n += usize::from(end.op == op));
        n
    }

    /// Instructions in the block and all regions within.
    pub fn count(&self) -> usize {
        self.insts.iter().map(|i| 1 + i.regions.iter().map(Block::count).sum::<usize>()).sum()
    }
}

impl Kernel {
    /// Rewrites the body by a function that may change the rest of the kernel, too, which has no body meanwhile.
    pub fn rewrite<R>(&mut self, change: impl FnOnce(&mut Kernel, &mut Block) -> R) -> R {
        let mut body = std::mem::take(&mut self.body);
        let result = change(self, &mut body);
        self.body = body;
        result
    }

    /// Replaces every use of the map's keys by its values, following chains.
    pub fn replace_uses<S: BuildHasher>(&mut self, map: &HashMap<Value, Value, S>) {
        if map.is_empty() {
            return;
        }
        let resolve = |v: &mut Value| {
            while let Some(&to) = map.get(v) {
                *v = to;
            }
        };
        self.body.walk_mut(&mut |inst| {
            inst.args.iter_mut().for_each(resolve);
            if let Some(mask) = &mut inst.mask {
                resolve(mask);
            }
        });
    }

    /// How often each value is used, by [`Value::index`].
    pub fn use_counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.values.len()];
        self.body.walk(&mut |inst| inst.uses().for_each(|v| counts[v.index()] += 1));
        counts
    }
}
