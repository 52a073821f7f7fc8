//! One walk through a kernel, from the outside in: conditions hold in their regions, loops carry what is guessed and confirmed.

use super::sums::Counter;
use super::{Block, Bounds, Inst, MOST_WORK, Op, Replay, Value};

/// So many guesses at what a loop carries; then it may be anything.
const GUESSES: u32 = 4;

/// The loop that a block belongs to: what comes round, and what it gives.
#[derive(Default)]
struct Frame {
    round: Vec<Option<Bounds>>,
    result: Vec<Option<Bounds>>,
}

impl Frame {
    fn of(inst: &Inst) -> Frame {
        Frame { round: vec![None; inst.carried().len()], result: vec![None; inst.results.len()] }
    }
}

fn join(to: &mut [Option<Bounds>], from: &[Bounds]) {
    for (t, &f) in to.iter_mut().zip(from) {
        *t = Some(t.map_or(f, |t| t.join(f)));
    }
}

impl<'k> Replay<'k> {
    pub(super) fn body(&mut self) {
        let kernel = self.kernel;
        self.block(&kernel.body, false, &mut Frame::default());
    }

    fn all(&mut self, values: &[Value]) -> Vec<Bounds> {
        values.iter().map(|&v| self.bounds(v)).collect()
    }

    /// Walks a block; gives whether its end is reached, not left by `break`, `continue` or `return`. What it learns stays
    /// until the caller's scope ends. `whole`: it is the body of a `for`, in which `yield` begins the next iteration.
    fn block(&mut self, block: &'k Block, whole: bool, frame: &mut Frame) -> bool {
        for inst in &block.insts {
            self.work += 1;
            match inst.op {
                Op::If => self.branch(inst, frame),
                Op::For | Op::Loop => self.repeat(inst),
                Op::Assert if self.kernel.as_const(inst.args[0]).is_some_and(|c| c.bits == 0) => return false,
                Op::Assert => self.learn(inst.args[0], true),
                Op::Yield if !whole => return true,
                Op::Yield | Op::Continue => {
                    let round = self.all(&inst.args);
                    join(&mut frame.round, &round);
                    return false;
                }
                Op::Break => {
                    let result = self.all(&inst.args);
                    join(&mut frame.result, &result);
                    return false;
                }
                Op::Return => return false,
                _ => {}
            }
            if self.final_walk
                && let Some(&n) = self.claims.get(&std::ptr::from_ref(inst))
            {
                self.confirmed[n] = self.confirms(inst);
            }
        }
        true
    }

    fn branch(&mut self, inst: &'k Inst, frame: &mut Frame) {
        let mut results = vec![None; inst.results.len()];
        let mut reached = [true; 2];
        for ((region, holds), reached) in inst.regions.iter().zip([true, false]).zip(&mut reached) {
            *reached = self.scope(|r| {
                r.learn(inst.args[0], holds);
                let end = r.block(region, false, frame);
                if let Some(last) = region.terminator().filter(|t| end && t.op == Op::Yield) {
                    let given = r.all(&last.args);
                    join(&mut results, &given);
                }
                end
            });
        }
        self.give(&inst.results, &results);
        match reached {
            [false, true] => self.learn(inst.args[0], false),
            [true, false] if inst.regions.len() > 1 => self.learn(inst.args[0], true),
            _ => {}
        }
    }

    /// Values that only the walk finds have these bounds from here on.
    fn give(&mut self, to: &[Value], bounds: &[Option<Bounds>]) {
        for (&v, b) in to.iter().zip(bounds) {
            let any = Bounds::signed(self.bits(v).unwrap_or(64));
            self.walked.insert(v, b.unwrap_or(any).meet(any));
        }
        if let Some(memo) = self.memo.last_mut().filter(|_| !to.is_empty()) {
            memo.clear();
        }
    }

    fn repeat(&mut self, inst: &'k Inst) {
        let counted = usize::from(inst.op == Op::For);
        let params = &inst.regions[0].params;
        if counted == 1 {
            let counter = self.counter(inst);
            self.give(&params[..1], &[Some(counter)]);
        }
        let first = self.all(inst.carried());
        let carried = self.carried(inst, &params[counted..], &first);
        let frame = self.iteration(inst, &params[counted..], &carried);
        let mut results = frame.result;
        if counted == 1 {
            // It may run out, or not run at all.
            join(&mut results, &carried);
        }
        self.give(&inst.results, &results);
    }

    /// What a loop carries: a guess is right if what comes round lies within it.
    fn carried(&mut self, inst: &'k Inst, params: &[Value], first: &[Bounds]) -> Vec<Bounds> {
        let any: Vec<_> = params.iter().map(|&p| Bounds::signed(self.bits(p).unwrap_or(64))).collect();
        if params.iter().all(|&p| self.bits(p).is_none()) {
            return any;
        }
        let mut guess = first.to_vec();
        let counts = std::mem::replace(&mut self.final_walk, false);
        for _ in 0..GUESSES {
            if self.work > MOST_WORK {
                break;
            }
            let round = self.iteration(inst, params, &guess).round;
            let mut right = true;
            for ((g, b), any) in guess.iter_mut().zip(&round).zip(&any) {
                let Some(b) = b.filter(|b| !b.within(g.low, g.high)) else { continue };
                right = false;
                g.low = if b.low >= g.low {
                    g.low
                } else if b.low >= 0 {
                    0
                } else {
                    any.low
                };
                g.high = if b.high <= g.high { g.high } else { any.high };
            }
            if right {
                self.final_walk = counts;
                return guess;
            }
        }
        self.final_walk = counts;
        any
    }

    /// Walks the body once, with these bounds of what is carried.
    fn iteration(&mut self, inst: &'k Inst, params: &[Value], carried: &[Bounds]) -> Frame {
        let carried: Vec<_> = carried.iter().copied().map(Some).collect();
        let mut frame = Frame::of(inst);
        self.scope(|r| {
            r.give(params, &carried);
            r.block(&inst.regions[0], inst.op == Op::For, &mut frame);
        });
        frame
    }

    /// The induction variable of a counted loop.
    fn counter(&mut self, inst: &'k Inst) -> Bounds {
        let (low, high) = (self.bounds(inst.args[0]), self.bounds(inst.args[1]));
        let any = Bounds::ANY;
        let Some(step) = self.bounds(inst.args[2]).single().filter(|s| *s != 0) else { return any };
        let counter = Counter { first: inst.args[0], end: inst.args[1], step };
        let mut note = |wraps: bool| match wraps {
            true => drop(self.counters.remove(&inst.regions[0].params[0])),
            false => drop(self.counters.insert(inst.regions[0].params[0], counter)),
        };
        // While the body runs, the variable is below the end, above it where the loop counts down; unless it wraps, it never
        // comes back over its start.
        if step > 0 {
            let last = high.high.saturating_sub(1);
            let wraps = last.saturating_add(step) > any.high;
            note(wraps);
            // From a known start, only each so many-th number is met.
            let past = low.single().filter(|l| *l <= last).map_or(0, |l| (last - l) % step);
            Bounds { low: if wraps { any.low } else { low.low }, high: if wraps { last } else { last - past } }
        } else {
            let last = high.low.saturating_add(1);
            let wraps = last.saturating_add(step) < any.low;
            note(wraps);
            Bounds { low: last, high: if wraps { any.high } else { low.high } }
        }
    }
}
