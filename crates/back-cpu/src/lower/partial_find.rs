//! Finds the loops that add up bytes and halves in lanes of as few bits: see [`super::partial`].

use super::partial::{Around, Kind, Of, Partial, Sum, Term};
use super::short::Short;
use super::state::Lower;
use super::words::writes;
use quadra_kir::{Block, Elem, Inst, Op, Type, Value};
use quadra_passes::analysis::range::Bounds;
use std::collections::{HashMap, HashSet};

/// Fewest iterations of which a sum in short lanes has to be exact.
const FEWEST: i64 = 8;
/// The same for lanes of 8 bits, of which four make a lane of 32.
const FEWEST_BYTES: i64 = 16;
/// Lanes of an iteration that takes several: registers enough that no sum waits for the one before it.
const WIDE: usize = 64;
/// The same where sums have 32 bits.
const NARROW: usize = 32;
/// Terms of one sum.
const MOST_TERMS: usize = 8;
/// Whole numbers up to this one are floats, and so are their sums and differences.
const WHOLE_FLOATS: i64 = 1 << 24;

impl Lower<'_> {
    /// How a loop adds up in short lanes, if it can.
    pub(super) fn partial(&self, inst: &Inst) -> Option<Partial> {
        let body = &inst.regions[0];
        let step = self.kernel.as_i32(inst.args[2])?;
        let joins = self.shape.parts() == 1;
        let counted = inst.op == Op::For && step == if joins { 16 } else { 1 };
        let columns = joins || self.shape.rows == 1 && self.shape.columns > 1;
        if !counted || !columns || !self.is_simple(body) {
            return None;
        }
        let (mut chain, mut sums) = (HashSet::new(), Vec::new());
        let made: HashMap<Value, &Inst> =
            body.insts.iter().flat_map(|i| i.results.iter().map(move |&r| (r, i))).collect();
        for (at, (&param, &last)) in body.params[1..].iter().zip(&body.terminator()?.args).enumerate() {
            if last == param {
                continue;
            }
            let (whole, floats) = (Type::vector(Elem::I32), Type::vector(Elem::F32));
            let ty = self.kernel.ty(param);
            // Which lane adds up what is no matter where several iterations are one.
            let float = ty == floats && joins && (self.kernel.regroup || self.kernel.relaxed);
            if ty != whole && !float || !joins && !self.vary.at(param) {
                return None;
            }
            let kind = Kind::of(made.get(&last)?.op);
            let mut terms = Vec::new();
            self.terms_of(last, param, &made, &mut terms, &mut chain, &mut Vec::new())?;
            let plain = !float && terms.iter().all(|t| t.when.is_empty());
            if !self.is_all(kind, last, param, &made) || kind != Kind::Sum && !plain {
                return None;
            }
            for term in terms.iter_mut().filter(|_| float) {
                self.as_integer(term, &made, &mut chain)?;
            }
            sums.push(Sum { at, kind, float, terms, bits: 32, signed: true });
            chain.insert(param);
        }
        let inside: HashSet<Value> = made.keys().copied().chain(body.params.iter().copied()).collect();
        let around = Around { counter: body.params[0], inside: &inside, joins };
        let shorts = self.shorts_of(body, &around, &sums, &chain)?;
        let most =
            sums.iter_mut().map(|s| self.bits_of_sum(s, &shorts)).collect::<Option<Vec<i64>>>()?.into_iter().min()?;
        let whole = sums.iter().any(|s| s.bits == 32);
        let lanes = match joins {
            true if whole => NARROW,
            true => WIDE,
            false => 16 * self.shape.columns,
        };
        let (low, high) = (self.range.bounds(self.kernel, inst.args[0]), self.range.bounds(self.kernel, inst.args[1]));
        let step = if joins { lanes as i64 } else { 1 };
        (high.high - low.low >= 2 * step).then_some(Partial { sums, shorts, chain, lanes, step, most })
    }

    /// Whether a body has no regions, and neither stores nor tests anything.
    fn is_simple(&self, body: &Block) -> bool {
        let plain = |i: &Inst| i.regions.is_empty() && i.mask.is_none() && !writes(i) && i.op != Op::Assert;
        let ends = body.terminator().is_some_and(|t| t.op == Op::Yield);
        let end = body.insts.len().saturating_sub(1);
        ends && body.insts[..end].iter().all(plain)
    }

    /// What has to be added to a carried value to get another; `chain` are the values on the way.
    fn terms_of(
        &self,
        v: Value,
        param: Value,
        made: &HashMap<Value, &Inst>,
        terms: &mut Vec<Term>,
        chain: &mut HashSet<Value>,
        when: &mut Vec<(Value, bool)>,
    ) -> Option<()> {
        if v == param {
            return Some(());
        }
        let inst = made.get(&v)?;
        let leads = |of: Value| self.leads(of, param, made, MOST_TERMS);
        chain.insert(v);
        match inst.op {
            Op::Add | Op::Sub | Op::Min | Op::Max => {
                let [a, b] = inst.args[..] else { return None };
                let (on, value) = match (leads(a), leads(b)) {
                    (true, false) => (a, b),
                    (false, true) if inst.op != Op::Sub => (b, a),
                    _ => return None,
                };
                terms.push(Term { value: Of::Value(value), negative: inst.op == Op::Sub, when: when.clone() });
                if terms.len() > MOST_TERMS {
                    return None;
                }
                self.terms_of(on, param, made, terms, chain, when)
            }
            Op::Select if !leads(inst.args[0]) => {
                for (n, holds) in [(1, true), (2, false)] {
                    when.push((inst.args[0], holds));
                    self.terms_of(inst.args[n], param, made, terms, chain, when)?;
                    when.pop();
                }
                Some(())
            }
            _ => None,
        }
    }

    /// Whether all operations that lead to a value are of one kind.
    fn is_all(&self, kind: Kind, v: Value, param: Value, made: &HashMap<Value, &Inst>) -> bool {
        let leads = |v: &Value| self.leads(*v, param, made, MOST_TERMS);
        let known = |i: &&Inst| i.op == Op::Select || Kind::of(i.op) == kind;
        let further = |i: &Inst| i.args.iter().filter(|a| leads(a)).all(|&a| self.is_all(kind, a, param, made));
        v == param || made.get(&v).copied().filter(known).is_some_and(further)
    }

    /// Makes a float term an integer one, if that is what it is made of.
    fn as_integer(&self, term: &mut Term, made: &HashMap<Value, &Inst>, chain: &mut HashSet<Value>) -> Option<()> {
        let Of::Value(v) = term.value else { return None };
        if let Some(number) = self.kernel.as_const(v) {
            let float = f32::from_bits(number.bits as u32);
            let whole = float.trunc() == float && f64::from(float).abs() < 256.0 && float != 0.0;
            term.value = Of::Number(Some(float as i64).filter(|_| whole)?);
            return Some(());
        }
        let inst = made.get(&v).filter(|i| i.op == Op::ToF32 && i.mask.is_none())?;
        if self.kernel.ty(inst.args[0]) != Type::vector(Elem::I32) {
            return None;
        }
        chain.insert(v);
        term.value = Of::Value(inst.args[0]);
        Some(())
    }

    /// Whether a value is made of the carried one.
    fn leads(&self, v: Value, param: Value, made: &HashMap<Value, &Inst>, depth: usize) -> bool {
        let more = |i: &&&Inst| depth > 0 && matches!(i.op, Op::Add | Op::Sub | Op::Select | Op::Min | Op::Max);
        v == param
            || made.get(&v).filter(more).is_some_and(|i| i.args.iter().any(|&a| self.leads(a, param, made, depth - 1)))
    }

    /// The short values of a body, if it has no others but those on the way of the sums and numbers that all lanes share.
    fn shorts_of(
        &self,
        body: &Block,
        around: &Around<'_>,
        sums: &[Sum],
        chain: &HashSet<Value>,
    ) -> Option<HashMap<Value, Short>> {
        let terms = || sums.iter().flat_map(|s| &s.terms);
        let fixed = |v: Value| !around.inside.contains(&v) && !self.kernel.ty(v).lanes;
        let asked: HashSet<Value> = terms().flat_map(|t| t.when.iter().map(|w| w.0).chain(t.short())).collect();
        let rest: Vec<&Inst> = body.insts.iter().filter(|i| !i.results.iter().any(|r| chain.contains(r))).collect();
        let (end, rest) = rest.split_last()?;
        // Nobody else looks at the sums.
        let looks =
            rest.iter().any(|i| i.uses().any(|v| chain.contains(&v))) || asked.iter().any(|v| chain.contains(v));
        let others = |v: &Value| chain.contains(v) || body.params.contains(v);
        if looks
            || !end.args.iter().all(others)
            || rest.iter().any(|i| i.results.iter().any(|r| self.shorts.values.contains_key(r)))
        {
            return None;
        }
        let shorts = self.short_within(rest, around, &asked)?;
        let constant = |v: &Value| self.kernel.as_const(*v).is_some();
        let term = |t: &Term| {
            t.short().is_none_or(|v| shorts.contains_key(&v) || constant(&v))
                && t.when.iter().all(|w| shorts.contains_key(&w.0) || fixed(w.0))
        };
        let mut addresses = HashSet::new();
        for i in rest.iter().rev() {
            let short = i.results.first().is_some_and(|r| shorts.contains_key(r));
            if short && i.buf.is_some() {
                continue;
            }
            let scalar = !short && i.results.iter().all(|r| !self.kernel.ty(*r).lanes);
            if short {
                // Numbers of an iteration are not those of the next.
                addresses.extend(i.uses().filter(|v| around.joins && !self.kernel.ty(*v).lanes));
            } else if !scalar || around.joins && i.buf.is_some() {
                return None;
            }
        }
        let steady = addresses.iter().all(|v| !around.inside.contains(v));
        (steady && terms().all(term)).then_some(shorts)
    }

    /// The bounds of a term.
    fn bounds_of(&self, term: &Term) -> Bounds {
        match term.value {
            Of::Value(v) => self.range.bounds(self.kernel, v),
            Of::Number(number) => Bounds { low: number, high: number },
        }
    }

    /// Says in how many bits lanes find the least or greatest of their terms: all of these fit.
    fn bits_of_extreme(&self, sum: &mut Sum, least: u32) -> Option<i64> {
        let bounds: Vec<Bounds> = sum.terms.iter().map(|t| self.bounds_of(t)).collect();
        let known = [(8, false), (8, true), (16, false), (16, true)].into_iter().find(|&(bits, signed)| {
            let (low, high) = super::short_ways::ends(bits, signed);
            bits >= least && bounds.iter().all(|b| b.within(low, high))
        });
        (sum.bits, sum.signed) = known?;
        Some(1 << 30)
    }

    /// Says in how many bits a sum's lanes are added up; for how many iterations.
    fn bits_of_sum(&self, sum: &mut Sum, shorts: &HashMap<Value, Short>) -> Option<i64> {
        let bits = |t: &Term| t.short().and_then(|v| shorts.get(&v)).map_or(8, |s| s.bits);
        let least = sum.terms.iter().map(bits).fold(8, u32::max);
        if sum.kind != Kind::Sum {
            return self.bits_of_extreme(sum, least);
        }
        let (mut low, mut high) = (0i64, 0i64);
        for term in &sum.terms {
            let bounds = self.bounds_of(term);
            let (from, to) = if term.negative { (-bounds.high, -bounds.low) } else { (bounds.low, bounds.high) };
            (low, high) = (low + from.min(0), high + to.max(0));
        }
        let whole = if sum.float { WHOLE_FLOATS / high.max(-low).max(1) } else { 1 << 30 };
        for (bits, fewest) in [(8, FEWEST_BYTES), (16, FEWEST)] {
            let (least_sum, most_sum) = super::short_ways::ends(bits, low < 0);
            let many = |limit: i64, each: i64| if each == 0 { i64::MAX } else { limit / each };
            let most = many(most_sum, high).min(many(least_sum, low));
            if bits >= least && most >= fewest {
                (sum.bits, sum.signed) = (bits, low < 0);
                return Some(most.min(1 << 30).min(whole));
            }
        }
        (sum.bits, sum.signed) = (32, true);
        Some(whole.min(1 << 30)).filter(|most| *most >= FEWEST)
    }
}
