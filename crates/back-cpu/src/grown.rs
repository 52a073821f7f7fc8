//! How far what loops carry can grow: a counter that each iteration raises by at most so much is at most that many times as many
//! iterations. Its bounds are of exact sums: as long as they lie within 32 bits, no sum on the way has wrapped.

use quadra_kir::{Elem, Inst, Kernel, Op, Value};
use quadra_passes::analysis::range::{Bounds, Range};
use std::collections::HashMap;

/// Operations that a value is followed through.
const DEPTH: u32 = 16;

/// The carried values of a kernel.
pub(crate) struct Grown<'k> {
    kernel: &'k Kernel,
    /// By each value that a loop or a branch gives, or that an iteration begins with: the instruction, and which one it is.
    results: HashMap<Value, (&'k Inst, usize)>,
    params: HashMap<Value, (&'k Inst, usize)>,
}

impl<'k> Grown<'k> {
    pub fn of(kernel: &'k Kernel) -> Grown<'k> {
        let (mut results, mut params) = (HashMap::new(), HashMap::new());
        kernel.body.walk(&mut |i| {
            results.extend(i.results.iter().enumerate().map(|(n, r)| (*r, (i, n))));
            if i.op == Op::For {
                params.extend(i.regions[0].params.iter().skip(1).enumerate().map(|(n, p)| (*p, (i, n))));
            }
        });
        Grown { kernel, results, params }
    }

    /// The bounds of an integer, if its range alone does not say.
    pub fn bounds(&self, range: &Range, v: Value) -> Bounds {
        let known = range.bounds(self.kernel, v);
        if known != Bounds::ANY || self.kernel.ty(v).elem != Elem::I32 {
            return known;
        }
        self.exact(range, v, DEPTH).and_then(|b| b.fitting(32)).unwrap_or(Bounds::ANY)
    }

    /// The bounds of an exact sum; nothing if it may have wrapped.
    fn exact(&self, range: &Range, v: Value, depth: u32) -> Option<Bounds> {
        let known = range.bounds(self.kernel, v);
        if known != Bounds::ANY {
            return Some(known);
        }
        let depth = depth.checked_sub(1)?;
        let found = match self.params.get(&v) {
            Some(&(inst, n)) => self.carried(range, inst, n, depth)?,
            None => {
                let &(inst, n) = self.results.get(&v)?;
                let of = |v: Value| self.exact(range, v, depth);
                match inst.op {
                    Op::Add => of(inst.args[0])?.plus(of(inst.args[1])?),
                    Op::Sub => of(inst.args[0])?.minus(of(inst.args[1])?),
                    Op::Select => of(inst.args[1])?.join(of(inst.args[2])?),
                    Op::For => self.carried(range, inst, n, depth)?,
                    _ => return None,
                }
            }
        };
        found.fitting(32)
    }

    /// What a loop carries at this place, before its iterations, between them and behind them.
    fn carried(&self, range: &Range, inst: &'k Inst, n: usize, depth: u32) -> Option<Bounds> {
        let first = self.exact(range, inst.carried()[n], depth)?;
        Some(first.plus(self.growth(range, inst, n, depth)?))
    }

    /// By how much any number of a loop's iterations changes what it carries at this place.
    fn growth(&self, range: &Range, inst: &'k Inst, n: usize, depth: u32) -> Option<Bounds> {
        let body = &inst.regions[0];
        let leaves = [Op::Break, Op::Continue, Op::Return].into_iter().any(|op| body.exits(op) > 0);
        let end = body.terminator().filter(|t| t.op == Op::Yield && !leaves)?;
        let each = self.distance(range, *end.args.get(n)?, body.params[n + 1], depth)?;
        let (from, to) = (range.bounds(self.kernel, inst.args[0]), range.bounds(self.kernel, inst.args[1]));
        let step = i64::from(self.kernel.as_i32(inst.args[2])?);
        // A counter that wraps goes on.
        if step <= 0 || to.high - 1 + step > Bounds::ANY.high {
            return None;
        }
        let turns = ((to.high - from.low).max(0) + step - 1) / step;
        let all = Bounds::new(each.low.min(0).checked_mul(turns)?, each.high.max(0).checked_mul(turns)?);
        all.fitting(32)
    }

    /// How much larger a value is than the one that the iteration began with, as a sum of it and others.
    fn distance(&self, range: &Range, v: Value, begin: Value, depth: u32) -> Option<Bounds> {
        if v == begin {
            return Some(Bounds::exactly(0));
        }
        let depth = depth.checked_sub(1)?;
        let &(inst, n) = self.results.get(&v)?;
        let of = |v: Value| self.distance(range, v, begin, depth);
        let others = |v: Value| Some(range.bounds(self.kernel, v)).filter(|b| *b != Bounds::ANY);
        let found = match inst.op {
            Op::Add => {
                let [a, b] = inst.args[..] else { return None };
                match of(a) {
                    Some(d) => d.plus(others(b)?),
                    None => of(b)?.plus(others(a)?),
                }
            }
            Op::Sub => of(inst.args[0])?.minus(others(inst.args[1])?),
            Op::Select => of(inst.args[1])?.join(of(inst.args[2])?),
            Op::If => {
                let ends = inst.regions.iter().map(|r| r.terminator().filter(|t| t.op == Op::Yield)?.args.get(n));
                let all: Option<Vec<Bounds>> = ends.map(|v| of(*v?)).collect();
                all?.into_iter().reduce(|a, b| a.join(b))?
            }
            Op::For => of(inst.carried()[n])?.plus(self.growth(range, inst, n, depth)?),
            _ => return None,
        };
        found.fitting(32)
    }
}
