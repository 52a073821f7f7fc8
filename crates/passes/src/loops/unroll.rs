//! Copies of loop bodies, one after the other.
//!
//! Not a pass: `share`, `prefetch` and `rows` decide which loops gain from it.

use crate::analysis::range::Bounds;
use quadra_base::quick::{Map, Set};
use quadra_kir::{Block, Inst, Kernel, Op, Type, Value, Values};

/// A counted loop's parts.
pub struct Counted {
    pub lo: Value,
    pub hi: Value,
    pub step: Value,
}

impl Counted {
    /// The bounds and the step of a `for`.
    pub fn of(inst: &Inst) -> Counted {
        Counted { lo: inst.args[0], hi: inst.args[1], step: inst.args[2] }
    }

    /// How many iterations there are, if constants say so.
    pub fn trips(&self, kernel: &Kernel) -> Option<i64> {
        let at = |v: Value| kernel.as_i32(v).map(i64::from);
        let (lo, hi, step) = (at(self.lo)?, at(self.hi)?, at(self.step)?);
        (step > 0 && hi <= i32::MAX as i64 - step)
            .then(|| (hi - lo).max(0).div_euclid(step) + i64::from((hi - lo).max(0).rem_euclid(step) > 0))
    }
}

/// A new instruction with one result of type `ty`, at the place of another.
pub fn emit(kernel: &mut Kernel, op: Op, args: &[Value], ty: Type, at: &Inst, out: &mut Vec<Inst>) -> Value {
    let mut inst = Inst::new(op, args.iter().copied()).at(at.span);
    let v = kernel.new_value(ty);
    inst.results = Values::from_slice(&[v]);
    out.push(inst);
    v
}

/// A sum of two scalars, computed if both are constants.
pub fn sum(kernel: &mut Kernel, a: Value, b: Value, at: &Inst, out: &mut Vec<Inst>) -> Value {
    match (kernel.as_i32(a), kernel.as_i32(b)) {
        (Some(x), Some(y)) => kernel.const_i32(x.wrapping_add(y)),
        (Some(0), _) => b,
        (_, Some(0)) => a,
        _ => emit(kernel, Op::Add, &[a, b], Type::I32, at, out),
    }
}

/// A copy of instructions with results of their own; `map` says what stands for values from before and takes the new ones.
pub fn copy(kernel: &mut Kernel, insts: &[Inst], map: &mut Map<Value, Value>) -> Vec<Inst> {
    insts.iter().map(|i| copy_inst(kernel, i, map)).collect()
}

fn copy_inst(kernel: &mut Kernel, inst: &Inst, map: &mut Map<Value, Value>) -> Inst {
    let at = |map: &Map<Value, Value>, v: Value| map.get(&v).copied().unwrap_or(v);
    let fresh = |kernel: &mut Kernel, v: Value, map: &mut Map<Value, Value>| {
        let new = kernel.new_value(kernel.ty(v));
        map.insert(v, new);
        new
    };
    let mut new = Inst { regions: Vec::new(), results: Values::new(), ..inst.clone() };
    new.args.iter_mut().for_each(|v| *v = at(map, *v));
    new.mask = new.mask.map(|m| at(map, m));
    for region in &inst.regions {
        let params = region.params.iter().map(|&p| fresh(kernel, p, map)).collect();
        let insts = copy(kernel, &region.insts, map);
        new.regions.push(Block { params, insts });
    }
    new.results = inst.results.iter().map(|&r| fresh(kernel, r, map)).collect();
    new
}

/// Between which bounds a counted loop's numbers lie.
#[derive(Clone, Copy)]
pub struct Limits {
    /// The largest step; the least is positive.
    pub step: i64,
    /// The upper bound.
    pub hi: Bounds,
}

impl Limits {
    /// The bound itself, or as much of it that neither `bound - span` nor a counter below it plus the step wraps. What is
    /// cut off is left to the loops that follow.
    pub fn tame(&self, kernel: &mut Kernel, hi: Value, span: i64, at: &Inst, out: &mut Vec<Inst>) -> Value {
        let (floor, ceiling) = (i32::MIN as i64 + span, i32::MAX as i64 - self.step);
        let mut hi = hi;
        if self.hi.low < floor {
            let floor = kernel.const_i32(floor as i32);
            hi = emit(kernel, Op::Max, &[hi, floor], Type::I32, at, out);
        }
        if self.hi.high > ceiling {
            let ceiling = kernel.const_i32(ceiling as i32);
            hi = emit(kernel, Op::Min, &[hi, ceiling], Type::I32, at, out);
        }
        hi
    }
}

/// Rewrites a `for` whose body leaves it only by its last `yield` into loops of `factor`, `factor / 2`, … 1 copies of the
/// body, the last of which is the loop itself, and puts them to `out`.
pub fn by(kernel: &mut Kernel, mut inst: Inst, factor: u32, limits: Limits, out: &mut Vec<Inst>) {
    let mut loops = Counted::of(&inst);
    let mut left = loops.trips(kernel);
    let mut carried: Values = Values::from_slice(inst.carried());
    let mut copies = factor;
    while copies > 1 {
        if left.is_none_or(|n| n >= copies as i64) {
            let known = left.map(|n| n / copies as i64 * copies as i64);
            (loops.lo, carried) = one(kernel, &inst, &loops, &carried, (copies, limits, known), out);
            left = left.map(|n| n % copies as i64);
        }
        copies /= 2;
    }
    inst.args = [loops.lo, loops.hi, loops.step].into_iter().chain(carried).collect();
    out.push(inst);
}

/// The loop of `copies` copies: gives where the next one starts, and the carried values. `known` is
/// the number of iterations of the old loop that it covers.
fn one(
    kernel: &mut Kernel,
    inst: &Inst,
    loops: &Counted,
    carried: &[Value],
    (copies, limits, known): (u32, Limits, Option<i64>),
    out: &mut Vec<Inst>,
) -> (Value, Values) {
    // The offsets of the copies: 0, step, 2 * step, …
    let mut offsets = vec![kernel.const_i32(0)];
    for _ in 0..copies {
        let last = offsets[offsets.len() - 1];
        offsets.push(sum(kernel, last, loops.step, inst, out));
    }
    let span = offsets[copies as usize - 1];
    let hi = limits.tame(kernel, loops.hi, limits.step * (copies as i64 - 1), inst, out);
    let last = match (kernel.as_i32(hi), kernel.as_i32(span)) {
        (Some(h), Some(s)) => kernel.const_i32(h.wrapping_sub(s)),
        _ => emit(kernel, Op::Sub, &[hi, span], Type::I32, inst, out),
    };
    let end = kernel.as_i32(loops.lo).zip(kernel.as_i32(loops.step)).zip(known);
    let end = end.map(|((lo, step), n)| (lo as i64 + step as i64 * n) as i32);
    let (offsets, whole) = (&offsets[..copies as usize], offsets[copies as usize]);
    let body = &inst.regions[0].insts;
    Copies { inst, body, offsets, range: [loops.lo, last, whole], carried, end }
        .write(kernel, out, |_, _, _| Vec::new())
}

/// A loop whose iterations are several of another one.
pub struct Copies<'a> {
    /// The other one.
    pub inst: &'a Inst,
    /// The instructions of one of its iterations, perhaps without some for whose results values are given.
    pub body: &'a [Inst],
    /// How much further than in the first copy the counter is in each of them.
    pub offsets: &'a [Value],
    /// Where the new loop starts, its bound and its step.
    pub range: [Value; 3],
    /// The values that it carries at its beginning.
    pub carried: &'a [Value],
    /// Where it ends, if that is known.
    pub end: Option<i32>,
}

impl Copies<'_> {
    /// Writes the loop; gives its counter where it ends and its results. `given` makes, at the beginning of an iteration, from the
    /// counter of the first copy, for each copy pairs of a value of the body and what it is there; none for copies that compute all.
    pub fn write(
        self,
        kernel: &mut Kernel,
        out: &mut Vec<Inst>,
        given: impl FnOnce(&mut Kernel, Value, &mut Vec<Inst>) -> Vec<Vec<(Value, Value)>>,
    ) -> (Value, Values) {
        let (inst, [lo, _, whole]) = (self.inst, self.range);
        let old = &inst.regions[0].params;
        let mut params: Values = old.iter().map(|&p| kernel.new_value(kernel.ty(p))).collect();
        let mut now: Values = Values::from_slice(&params[1..]);
        let mut insts = Vec::new();
        let given = given(kernel, params[0], &mut insts);
        for (k, &offset) in self.offsets.iter().enumerate() {
            let counter = sum(kernel, params[0], offset, inst, &mut insts);
            let mut map = Map::from_iter([(old[0], counter)]);
            map.extend(old[1..].iter().copied().zip(now.iter().copied()));
            map.extend(given.get(k).into_iter().flatten().copied());
            insts.extend(copy(kernel, self.body, &mut map));
            now = insts.pop().map_or(Values::new(), |yielded| yielded.args);
        }
        let mut new = Inst::new(Op::For, self.range).at(inst.span);
        new.args.extend_from_slice(self.carried);
        new.results = inst.results.iter().map(|&r| kernel.new_value(kernel.ty(r))).collect();
        let results = new.results.clone();
        let next = match self.end {
            Some(end) => kernel.const_i32(end),
            None => {
                // Where the next loop starts is carried like any other value.
                let (param, result) = (kernel.new_value(Type::I32), kernel.new_value(Type::I32));
                let after = sum(kernel, params[0], whole, inst, &mut insts);
                new.args.push(lo);
                new.results.push(result);
                params.push(param);
                now.push(after);
                result
            }
        };
        insts.push(Inst::new(Op::Yield, now).at(inst.span));
        new.regions = vec![Block { params, insts }];
        out.push(new);
        (next, results)
    }
}

/// Whether it is a counted loop that has no loop within and is left at its end alone, and in which nothing waits for others.
pub fn straight(inst: &Inst) -> bool {
    let stops = |i: &Inst| {
        let loops = matches!(i.op, Op::For | Op::Loop);
        loops || matches!(i.op, Op::Break | Op::Continue | Op::Return | Op::MutexLock | Op::SemaDec)
    };
    let yields = |body: &Block| body.terminator().is_some_and(|t| t.op == Op::Yield);
    inst.op == Op::For && yields(&inst.regions[0]) && !inst.regions[0].any(&mut |i| stops(i))
}

/// Whether a value follows from values outside of a loop and its counter by pure operations, which can be computed for
/// another iteration as well.
pub fn follows_counter(body: &Block, v: Value) -> bool {
    let defined: Map<Value, &Inst> = body.insts.iter().flat_map(|i| i.results.iter().map(move |&r| (r, i))).collect();
    let mut open = vec![v];
    let mut seen = Set::default();
    while let Some(v) = open.pop() {
        if body.params[1..].contains(&v) {
            return false;
        }
        if let Some(inst) = defined.get(&v).filter(|_| seen.insert(v)) {
            if !inst.op.is_pure() {
                return false;
            }
            open.extend(inst.uses());
        }
    }
    true
}

/// The pure instructions of a block that these values follow from, in order.
pub fn slice(body: &Block, values: &[Value]) -> Vec<Inst> {
    let mut wanted: Set<Value> = values.iter().copied().collect();
    let mut needed = Vec::new();
    for inst in body.insts.iter().rev() {
        if inst.op.is_pure() && inst.results.iter().any(|r| wanted.contains(r)) {
            wanted.extend(inst.uses());
            needed.push(inst.clone());
        }
    }
    needed.reverse();
    needed
}

/// Puts what `body` makes of a counted loop under the condition that the loop runs at all; otherwise its results are what it
/// would carry into the first iteration.
pub fn if_it_runs(
    kernel: &mut Kernel,
    inst: Inst,
    out: &mut Vec<Inst>,
    body: impl FnOnce(&mut Kernel, &Inst, &mut Vec<Inst>) -> Values,
) {
    let any = emit(kernel, Op::CmpLt, &[inst.args[0], inst.args[1]], Type::BOOL, &inst, out);
    let mut yes = Vec::new();
    let results = body(kernel, &inst, &mut yes);
    yes.push(Inst::new(Op::Yield, results).at(inst.span));
    let no = vec![Inst::new(Op::Yield, Values::from_slice(inst.carried())).at(inst.span)];
    let mut branch = Inst::new(Op::If, [any]).at(inst.span);
    branch.regions = [yes, no].into_iter().map(|insts| Block { params: Values::new(), insts }).collect();
    branch.results = inst.results;
    out.push(branch);
}
