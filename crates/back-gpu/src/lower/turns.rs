//! How many iterations loops make, and what of that is counted while a shader runs.
//!
//! A loop that ends is still one that may take too long, so each item has fuel, and without any it leaves its loops. Counting takes
//! time in a tight loop. So where the sizes of a launch bound the iterations of a loop, nobody counts them: whoever is around
//! it pays for all of them at once, an outer loop or the item when it begins.

use super::prelude::waits;
use crate::abi::Target;
use quadra_kir::variance::{Variance, Vary};
use quadra_kir::{Block, Inst, Kernel, LANES, Op};
use quadra_passes::analysis::range::{Bounds, Range};

/// A barrier takes as long as so many iterations, on software perhaps longer; but a driver that counts iterations counts none for it.
const BARRIER: u64 = 15;

/// The most iterations that each loop makes whenever it is entered, in the order of the text; 0 where nothing is known. They are
/// rounded up to powers of two, so that launches of similar sizes share a shader.
pub fn bounds(kernel: &Kernel) -> Vec<u32> {
    if !kernel.body.any(&mut |i| is_loop(i)) {
        return Vec::new();
    }
    let range = Range::of(kernel);
    let mut found = Vec::new();
    kernel.body.walk(&mut |i| match i.op {
        Op::For => found.push(most(kernel, &range, i)),
        Op::Loop => found.push(0),
        _ => {}
    });
    found
}

/// Nothing is known of any loop.
pub fn unknown(kernel: &Kernel) -> Vec<u32> {
    let mut found = Vec::new();
    kernel.body.walk(&mut |i| found.extend(is_loop(i).then_some(0)));
    found
}

/// Whether the items of a group come to each loop and leave it together, in the order of the text.
pub fn in_step(kernel: &Kernel) -> Vec<bool> {
    let found = numbered(kernel);
    found.into_iter().filter(|(i, _)| is_loop(i)).map(|(_, together)| together).collect()
}

/// Whether some items of a group may not come to where others wait for them.
pub fn may_miss(kernel: &Kernel) -> bool {
    numbered(kernel).iter().any(|(i, together)| waits(i.op) && !together)
}

/// Instructions, and whether the items of a group are together there. A group of one subgroup is as soon as that is.
fn numbered(kernel: &Kernel) -> Vec<(&Inst, bool)> {
    let items: u64 = kernel.group.iter().map(|&n| u64::from(n)).product();
    let most = if items <= u64::from(LANES) { Vary::Subgroup } else { Vary::Group };
    let (variance, mut found) = (Variance::of(kernel), Vec::new());
    kernel.body.walk(&mut |i| found.push((i, variance.in_step(found.len(), most))));
    found
}

pub fn is_loop(inst: &Inst) -> bool {
    matches!(inst.op, Op::For | Op::Loop)
}

fn most(kernel: &Kernel, range: &Range, inst: &Inst) -> u32 {
    let [low, high] = [0, 1].map(|n| range.bounds(kernel, inst.args[n]));
    kernel.as_i32(inst.args[2]).map_or(0, |step| iterations(low, high, i64::from(step)))
}

/// Of a counter that begins within `from`, ends at what lies within `to`, and steps by `by`.
fn iterations(from: Bounds, to: Bounds, by: i64) -> u32 {
    let (first, last, by) = match by {
        0 => return 0,
        1.. => (from.low, to.high, by),
        _ => (-from.high, -to.low, -by),
    };
    // A counter that wraps begins anew.
    if last + by > i64::from(i32::MAX) {
        return 0;
    }
    let turns = (last - first).max(1).div_euclid(by) + 1;
    u32::try_from(turns).ok().and_then(u32::checked_next_power_of_two).unwrap_or(0)
}

/// What is counted.
#[derive(Debug, PartialEq)]
pub struct Plan {
    /// What an iteration of each loop takes; 0 of those that somebody else has paid for.
    pub burns: Vec<u32>,
    /// What an item has when it begins.
    pub fuel: u32,
    /// What a group has for loops that its items leave together.
    pub group_fuel: u32,
    /// What it takes at most without counting.
    pub start: u32,
}

impl Plan {
    /// Whether anything is counted, so that items may run out of it.
    pub fn counts(&self) -> bool {
        self.burns.iter().any(|b| *b > 0)
    }

    /// Sets fuel apart for loops that the items of a group leave together, of which a driver that counts for several items counts
    /// each iteration once.
    pub fn share(&mut self, in_step: &[bool], target: &Target) {
        let counted = |together: bool| self.burns.iter().zip(in_step).any(|(b, t)| *b > 0 && *t == together);
        if counted(true) {
            let apart = counted(false) || target.together > 1;
            self.group_fuel = (target.fuel - self.start) / if apart { 2 } else { 1 };
            self.fuel /= if apart { 2 } else { 1 };
        }
    }
}

/// Decides what is counted of loops of so many iterations.
pub fn plan(body: &Block, turns: &[u32], target: &Target) -> Plan {
    let mut most = u64::from(target.fuel) / 4;
    loop {
        let barrier = if target.together > 1 { 0 } else { BARRIER };
        let mut cx = Planning { turns, burns: Vec::new(), most, barrier };
        let start = cx.block(body, true);
        if start <= u64::from(target.fuel) / 2 {
            // Items that are stepped together make, all together, at most as many iterations as each of them has.
            let left = target.fuel - start as u32;
            let fuel = left / target.together.max(1);
            return Plan { burns: cx.burns, fuel, group_fuel: 0, start: start as u32 };
        }
        most /= 4;
    }
}

struct Planning<'a> {
    turns: &'a [u32],
    burns: Vec<u32>,
    /// The most iterations that are paid for at once.
    most: u64,
    /// What a barrier takes.
    barrier: u64,
}

impl Planning<'_> {
    /// What the loops of a block cost that nobody counts, if they may be such.
    fn block(&mut self, block: &Block, may: bool) -> u64 {
        let mut sum = 0_u64;
        for inst in &block.insts {
            sum += match inst.op {
                Op::For | Op::Loop => self.repeat(inst, may),
                Op::Barrier => self.barrier,
                op if op.is_cross_lane() => 2 * self.barrier,
                _ => inst.regions.iter().map(|r| self.block(r, may)).sum::<u64>(),
            };
        }
        sum
    }

    fn repeat(&mut self, inst: &Inst, may: bool) -> u64 {
        let at = self.burns.len();
        self.burns.push(0);
        let turns = u64::from(self.turns.get(at).copied().unwrap_or(0));
        let each = 1 + self.block(&inst.regions[0], may);
        let counted = self.burns[at + 1..].iter().any(|b| *b > 0);
        let all = turns.saturating_mul(each);
        if may && turns > 0 && !counted && all <= self.most {
            return all;
        }
        self.burns[at] = u32::try_from(each).unwrap_or(u32::MAX);
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadra_kir::parse;

    fn target(fuel: u32, together: u32) -> Target {
        Target { fuel, together, ..Target::default() }
    }

    fn kernel(body: &str) -> Kernel {
        let text = format!("kernel @k(%x: buf<i32, rw>, %n: i32) simt group=16 over=1 {{ %i = item 0 {body} }}");
        parse::kernel("t.kir", &text).expect("the kernel parses")
    }

    #[test]
    fn iterations_are_bounded_from_above_or_not_at_all() {
        let exactly = Bounds::exactly;
        for (from, to, by) in
            [(0, 10, 1), (0, 10, 3), (5, 5, 1), (7, -3, 2), (10, 0, -1), (10, -3, -4), (0, 1 << 20, 7)]
        {
            let (mut n, mut turns) = (from, 0_u32);
            while if by > 0 { n < to } else { n > to } {
                (n, turns) = (n + by, turns + 1);
            }
            let most = iterations(exactly(from), exactly(to), by);
            assert!(
                most >= turns && most.is_power_of_two() && most <= 4 * turns.max(1),
                "{from}..{to} by {by}: {most}"
            );
        }
        assert_eq!(iterations(exactly(0), Bounds::ANY, 1), 0, "the counter may wrap");
        assert_eq!(iterations(exactly(0), exactly(9), 0), 0);
        assert_eq!(bounds(&kernel("for %k in 0..100 { } loop () { break } for %k in 0..%n { }")), [128, 0, 0]);
    }

    #[test]
    fn bounded_loops_are_paid_for_by_whoever_is_around_them() {
        let inner = kernel("for %k in 0..%n { for %l in 0..9 { } for %l in 0..30 { } }");
        let turns = bounds(&inner);
        assert_eq!(turns, [0, 16, 32]);
        assert_eq!(
            plan(&inner.body, &turns, &target(1 << 20, 1)),
            Plan { burns: vec![49, 0, 0], fuel: 1 << 20, group_fuel: 0, start: 0 }
        );
        let all = kernel("for %k in 0..100 { for %l in 0..9 { } }");
        let turns = bounds(&all);
        let fuel = (1 << 16) - 128 * 17;
        assert_eq!(
            plan(&all.body, &turns, &target(1 << 16, 1)),
            Plan { burns: vec![0, 0], fuel, group_fuel: 0, start: 128 * 17 }
        );
        assert_eq!(plan(&all.body, &turns, &target(1 << 16, 8)).fuel, fuel / 8);
        assert_eq!(plan(&all.body, &unknown(&all), &target(1 << 16, 1)).burns, [1, 1]);
        // Too many to be paid for at once.
        let plan = plan(&all.body, &turns, &target(4096, 1));
        assert_eq!(plan.burns, [17, 0]);
    }
}
