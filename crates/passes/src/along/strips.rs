//! Which loops can have their turns along the lanes.

use super::{Carried, How, Strip, Strips, Take, flat, is_innermost, is_scalar};
use crate::analysis::linear::{Form, Forms};
use crate::analysis::range::Range;
use quadra_base::quick::{Map, Set};
use quadra_kir::{Buf, Elem, Inst, Kernel, Level, Op, Type, Value, Values};

/// The loops of a kernel whose turns can be lanes.
pub(super) fn of(kernel: &mut Kernel, how: &How) -> Strips {
    let (forms, range) = (Forms::of(kernel), Range::of(kernel));
    let mut loops = Vec::new();
    kernel.body.walk(&mut |i| {
        let known = kernel.level == Level::Simt || i.op == Op::For && is_scalar(kernel, i);
        if i.op == Op::For && is_innermost(i) && known && counts(kernel, &range, i) {
            loops.push(i.clone());
        }
    });
    let mut strips = Strips::default();
    for inst in loops {
        let body = &inst.regions[0];
        let Some(mut strip) = flat::flat(kernel, body) else { continue };
        let inside: Set<Value> = strip.insts.iter().flat_map(|i| &i.results).chain(&body.params).copied().collect();
        if !carried(kernel, &mut strip, &body.params[1..]) || !how.packs && !strip.counts.is_empty() {
            continue;
        }
        let counted: Vec<Value> = strip.counts.iter().map(|c| body.params[1 + c.0]).collect();
        let alone = Alone { kernel, forms: &forms, inside: &inside, counter: body.params[0], counted: &counted };
        if alone.turns(&strip.insts, how.alias) && last_what_follows(&mut strip, &counted) {
            strips.insert(body.params[0], strip);
        }
    }
    strips
}

/// Puts what follows from counted values behind everything else, since what a turn counts must be known before.
fn last_what_follows(strip: &mut Strip, counted: &[Value]) -> bool {
    let mut follows: Set<Value> = counted.iter().copied().collect();
    let (mut first, mut last) = (Vec::new(), Vec::new());
    for inst in std::mem::take(&mut strip.insts) {
        if inst.uses().any(|v| follows.contains(&v)) {
            follows.extend(&inst.results);
            last.push(inst);
        } else {
            first.push(inst);
        }
    }
    let memory = |i: &&Inst| matches!(i.op, Op::Load | Op::Store);
    let touches = |insts: &[Inst], buf: Option<Buf>| insts.iter().filter(memory).any(|i| i.buf == buf);
    let apart = last.iter().filter(|i| i.op == Op::Store).all(|store| !touches(&first, store.buf));
    strip.ready = first.len();
    strip.insts = first;
    strip.insts.append(&mut last);
    apart
}

/// Whether a loop counts by 1, over a span that does not wrap.
fn counts(kernel: &Kernel, range: &Range, inst: &Inst) -> bool {
    let (lo, hi) = (range.bounds(kernel, inst.args[0]), range.bounds(kernel, inst.args[1]));
    let spans = hi.high - lo.low <= i64::from(i32::MAX) && hi.low - lo.high >= i64::from(i32::MIN);
    kernel.as_i32(inst.args[2]) == Some(1) && lo.low > i64::from(i32::MIN) && spans
}

/// Whether turns see nothing of each other in memory.
struct Alone<'a> {
    kernel: &'a Kernel,
    forms: &'a Forms,
    /// What the loop's body defines.
    inside: &'a Set<Value>,
    counter: Value,
    /// Carried values that grow by one in some turns.
    counted: &'a [Value],
}

impl Alone<'_> {
    fn turns(&self, insts: &[Inst], alias: bool) -> bool {
        let mut stores: Vec<(Buf, Form)> = Vec::new();
        let accesses: Vec<&Inst> = insts.iter().filter(|i| matches!(i.op, Op::Load | Op::Store)).collect();
        for inst in insts.iter().filter(|i| i.op == Op::Store) {
            match inst.buf.zip(self.along(inst)) {
                Some(store) => stores.push(store),
                // Lanes write in their order, and nobody else looks there.
                None if self.packs(inst) && !alias && accesses.iter().filter(|a| a.buf == inst.buf).count() == 1 => {}
                None => return false,
            }
        }
        stores.iter().all(|(buf, form)| {
            accesses.iter().all(|access| match access.buf {
                Some(b) if b == *buf => self.along(access).is_some_and(|other| self.apart(form, &other)),
                Some(b) => !alias || self.kernel.bufs[b].space != self.kernel.bufs[*buf].space,
                None => false,
            })
        })
    }

    /// An access's index as a multiple of the counter, which is not 0, and what stays the same in all turns.
    fn along(&self, inst: &Inst) -> Option<Form> {
        let form = self.forms.at(self.kernel, inst.args[0]);
        let stays = form.terms.iter().all(|t| t.0 == self.counter || !self.inside.contains(&t.0));
        (stays && form.factor(self.counter) != 0).then_some(form)
    }

    /// Whether a store's index is a counted value, plus what stays the same in all turns.
    fn packs(&self, inst: &Inst) -> bool {
        let form = self.forms.at(self.kernel, inst.args[0]);
        let mut inside = form.terms.iter().filter(|t| self.inside.contains(&t.0));
        matches!((inside.next(), inside.next()), (Some(&(v, 1)), None) if self.counted.contains(&v))
    }

    /// Whether two accesses never meet at an element in different turns.
    fn apart(&self, a: &Form, b: &Form) -> bool {
        let step = a.factor(self.counter);
        let Some(far) = a.minus(b).as_constant() else { return false };
        // Inside a buffer sums have not wrapped, so that a multiple of the step is one.
        far == 0 || far.checked_rem(step).is_some_and(|rest| rest != 0)
    }
}

/// Makes minima and maxima of integers that are chosen by a comparison: `if x > most { most = x }`. Which of equal ones is taken makes no
/// difference, unless something else follows from the comparison.
fn extremes(kernel: &Kernel, strip: &mut Strip, params: &[Value]) {
    let mut uses: Map<Value, u32> = Map::default();
    let all = strip.insts.iter().flat_map(|i| i.uses()).chain(strip.yields.iter().copied());
    all.for_each(|v| *uses.entry(v).or_default() += 1);
    let made: Map<Value, (Op, Values)> =
        strip.insts.iter().filter_map(|i| Some((*i.results.first()?, (i.op, i.args.clone())))).collect();
    for inst in strip.insts.iter_mut().filter(|i| i.op == Op::Select) {
        let [cond, yes, no] = inst.args[..] else { continue };
        let carried = params.contains(&yes) || params.contains(&no);
        let Some((op, args)) = made.get(&cond).filter(|_| carried && uses.get(&cond) == Some(&1)) else { continue };
        let larger = match op {
            Op::CmpGt | Op::CmpGe => true,
            Op::CmpLt | Op::CmpLe => false,
            _ => continue,
        };
        let same = match args[..] {
            [a, b] if (a, b) == (yes, no) => true,
            [a, b] if (a, b) == (no, yes) => false,
            _ => continue,
        };
        if kernel.ty(yes).elem == Elem::I32 {
            inst.op = if larger == same { Op::Max } else { Op::Min };
            inst.args = Values::from_slice(&[yes, no]);
        }
    }
    // What a comparison was for is no instruction any more.
    let used: Set<Value> = strip.insts.iter().flat_map(|i| i.uses()).chain(strip.yields.iter().copied()).collect();
    let chose = |i: &Inst| {
        matches!(i.op, Op::CmpGt | Op::CmpGe | Op::CmpLt | Op::CmpLe) && i.results.iter().all(|r| !used.contains(r))
    };
    strip.insts.retain(|i| !chose(i));
}

/// Says how a loop carries its values; whether all are carried in ways that lanes can.
fn carried(kernel: &Kernel, strip: &mut Strip, params: &[Value]) -> bool {
    if params.len() > 32 {
        return false;
    }
    extremes(kernel, strip, params);
    let flow = Flow::of(kernel, strip, params);
    let mut known: Set<Value> = Set::default();
    let mut takes: Vec<Take> = Vec::new();
    let (mut found, mut counts) = (Vec::new(), Vec::new());
    for (n, &param) in params.iter().enumerate() {
        let last = strip.yields[n];
        if last == param {
            found.push(Carried::Same);
        } else if let Some(op) = flow.total(last, n, &mut known) {
            found.push(Carried::Total(op));
        } else if let Some(take) = flow.take(last, n) {
            known.insert(last);
            known.extend(take.best.map(|_| take.cond));
            let at = takes.iter().position(|t| t.cond == take.cond).unwrap_or(takes.len());
            if at == takes.len() {
                takes.push(take);
            }
            found.push(Carried::Taken(at));
        } else {
            return false;
        }
    }
    for (n, &param) in params.iter().enumerate() {
        let reads = |i: &Inst| i.uses().any(|v| flow.of_carried(v) >> n & 1 != 0);
        let seen = strip.insts.iter().any(|i| reads(i) && !i.results.first().is_some_and(|r| known.contains(r)));
        if seen
            && found[n] == Carried::Total(Op::Add)
            && kernel.ty(param) == Type::I32
            && let Some(meets) = flow.counts(strip.yields[n], n)
        {
            found[n] = Carried::Counted;
            counts.push((n, meets));
        }
    }
    // A value is compared with the one that is carried, by nobody else.
    let alone =
        |t: &Take| t.best.is_none_or(|(n, _)| matches!(found[n], Carried::Taken(at) if takes[at].cond == t.cond));
    let others = strip.insts.iter().any(|i| {
        let same = |v: &Value| params.iter().position(|p| p == v).is_some_and(|n| is_known(found[n]));
        let reads = i.uses().any(|v| !same(&v) && flow.of_carried(v) & !flow.same(&found) != 0);
        reads && !i.results.first().is_some_and(|r| known.contains(r))
    });
    // Of zeros the first one is found by going through the turns once more.
    let again =
        |(c, &p): (&Carried, &Value)| matches!(c, Carried::Total(Op::Min | Op::Max)) && kernel.ty(p).elem.is_float();
    let stores = strip.insts.iter().any(|i| i.op == Op::Store);
    if others || !takes.iter().all(alone) || stores && found.iter().zip(params).any(again) {
        return false;
    }
    (strip.carried, strip.takes, strip.counts) = (found, takes, counts);
    true
}

/// Whether each turn knows what is carried to it.
fn is_known(carried: Carried) -> bool {
    matches!(carried, Carried::Same | Carried::Counted)
}

/// What of a body follows from what is carried.
struct Flow<'a> {
    kernel: &'a Kernel,
    strip: &'a Strip,
    params: &'a [Value],
    made: Map<Value, &'a Inst>,
    /// By value: which carried values it follows from, as bits.
    from: Map<Value, u32>,
}

impl<'a> Flow<'a> {
    fn of(kernel: &'a Kernel, strip: &'a Strip, params: &'a [Value]) -> Flow<'a> {
        let mut from: Map<Value, u32> = params.iter().enumerate().map(|(n, &p)| (p, 1 << n)).collect();
        let mut made = Map::default();
        for inst in &strip.insts {
            let of = inst.uses().fold(0, |all, v| all | from.get(&v).copied().unwrap_or(0));
            for &r in &inst.results {
                made.insert(r, inst);
                if of != 0 {
                    from.insert(r, of);
                }
            }
        }
        Flow { kernel, strip, params, made, from }
    }

    fn of_carried(&self, v: Value) -> u32 {
        self.from.get(&v).copied().unwrap_or(0)
    }

    /// The carried values that turns know.
    fn same(&self, found: &[Carried]) -> u32 {
        found.iter().enumerate().filter(|(_, c)| is_known(**c)).fold(0, |all, (n, _)| all | 1 << n)
    }

    /// The operation by which carried value `n` becomes `v`, if it is one; `known` gets the instructions on the way.
    fn total(&self, v: Value, n: usize, known: &mut Set<Value>) -> Option<Op> {
        let (mut op, mut way) = (None, Vec::new());
        self.chain(v, n, &mut op, &mut way, 64)?;
        known.extend(way);
        op
    }

    fn chain(&self, v: Value, n: usize, op: &mut Option<Op>, way: &mut Vec<Value>, depth: u32) -> Option<()> {
        if v == self.params[n] {
            return Some(());
        }
        let (inst, depth) = (self.made.get(&v)?, depth.checked_sub(1)?);
        let bit = 1 << n;
        let of = |k: usize| inst.args.get(k).map_or(0, |&a| self.of_carried(a));
        let elem = self.kernel.ty(v).elem;
        way.push(v);
        if inst.op == Op::Select {
            if of(0) != 0 || of(1) != bit || of(2) != bit {
                return None;
            }
            self.chain(inst.args[1], n, op, way, depth)?;
            return self.chain(inst.args[2], n, op, way, depth);
        }
        // Which operand is the carried one.
        let at = match (of(0), of(1)) {
            (x, 0) if x == bit => 0,
            (0, x) if x == bit => 1,
            _ => return None,
        };
        let kind = match inst.op {
            Op::Sub if at == 0 => Op::Add,
            Op::Add | Op::Mul | Op::And | Op::Or | Op::Xor | Op::Min | Op::Max | Op::MinU | Op::MaxU => inst.op,
            _ => return None,
        };
        let fits = match (kind, elem.is_float()) {
            (Op::Add | Op::Mul, true) => self.kernel.relaxed || self.kernel.regroup,
            // Of equal numbers the first one stays, and no NaN comes in.
            (Op::Min, true) => at == 0,
            (Op::Max, true) => at == 1,
            (_, true) => false,
            (Op::And | Op::Or, false) => true,
            (_, false) => elem != Elem::Bool,
        };
        if !fits || op.is_some_and(|o| o != kind) {
            return None;
        }
        *op = Some(kind);
        self.chain(inst.args[at], n, op, way, depth)
    }

    /// If carried value `n` becomes `v` by growing by one in some turns: what these meet, or do not meet.
    fn counts(&self, v: Value, n: usize) -> Option<Vec<(Value, bool)>> {
        let (mut at, mut meets) = (v, Vec::new());
        loop {
            let inst = self.made.get(&at)?;
            match inst.op {
                Op::Select if self.of_carried(inst.args[0]) == 0 => {
                    let yes = inst.args[2] == self.params[n];
                    if !yes && inst.args[1] != self.params[n] {
                        return None;
                    }
                    meets.push((inst.args[0], yes));
                    at = inst.args[if yes { 1 } else { 2 }];
                }
                Op::Add => {
                    let one = |v: Value| self.kernel.as_i32(v) == Some(1);
                    let [a, b] = inst.args[..] else { return None };
                    let grows = a == self.params[n] && one(b) || b == self.params[n] && one(a);
                    return (grows && !meets.is_empty()).then_some(meets);
                }
                _ => return None,
            }
        }
    }

    /// How carried value `n` is taken from a turn, if `v` is that or what it was.
    fn take(&self, v: Value, n: usize) -> Option<Take> {
        let inst = self.made.get(&v).filter(|i| i.op == Op::Select && i.args[2] == self.params[n])?;
        let (cond, taken) = (inst.args[0], inst.args[1]);
        if self.of_carried(taken) != 0 {
            return None;
        }
        if self.of_carried(cond) == 0 {
            return Some(Take { cond, best: None, latest: true });
        }
        let compare = self.made.get(&cond)?;
        let (a, b) = (compare.args[0], *compare.args.get(1)?);
        // As a comparison of the turn's value with the carried one.
        let (own, best, op) = match self.params.iter().position(|p| *p == b) {
            Some(best) => (a, best, compare.op),
            None => (b, self.params.iter().position(|p| *p == a)?, turned(compare.op)?),
        };
        let (least, latest) = match op {
            Op::CmpLt => (true, false),
            Op::CmpLe => (true, true),
            Op::CmpGt => (false, false),
            Op::CmpGe => (false, true),
            _ => return None,
        };
        let keeps = self.made.get(&self.strip.yields[best])?;
        let keeps = keeps.op == Op::Select && keeps.args[..] == [cond, own, self.params[best]];
        (keeps && self.of_carried(own) == 0).then_some(Take { cond, best: Some((best, least)), latest })
    }
}

/// The comparison with its operands exchanged.
fn turned(op: Op) -> Option<Op> {
    Some(match op {
        Op::CmpLt => Op::CmpGt,
        Op::CmpLe => Op::CmpGe,
        Op::CmpGt => Op::CmpLt,
        Op::CmpGe => Op::CmpLe,
        _ => return None,
    })
}
