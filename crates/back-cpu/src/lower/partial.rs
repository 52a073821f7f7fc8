//! Sums of bytes and halves in lanes of as few bits, added to the whole ones before they could overflow.
//!
//! A loop that adds up what it makes of elements of 8 or 16 bits need not widen each of them: a sum of so many terms as their bounds allow
//! fits lanes of 8 or 16 bits, exactly, and only the sums of so many are widened.
//!
//! ```text
//! for n in 0..1024 step 16 (s: <16 x i32>) { s += x[n..n+16] }                                        ; before
//! for n in 0..1024 step 64 { p: <64 x i16> += x[n..n+64], at most 257 times; s += p, 16 lanes at a time }  ; after
//! ```
//!
//! The preconditions: a counted loop that is left at its end alone and stores nothing; what it carries stays the same or is a sum of
//! integers of 32 bits whose terms are short (`short`), some of them under conditions that are; every access is proved to stay inside. An
//! iteration of the new loop takes several of the old one if these read rows one behind the other, or one iteration for all columns
//! of a turn. Every lane's sum stays what it was, modulo 2³². Iterations that are left over are made as ever.

use super::flow::Slot;
use super::short::Short;
use super::state::Lower;
use super::words::{all, writes};
use crate::common::function::Sort;
use crate::common::text::LANES;
use quadra_kir::{Block, Elem, Inst, Op, Type, Value};
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

/// What an iteration adds to a sum.
#[derive(Clone, Debug)]
struct Term {
    value: Value,
    /// Whether it is subtracted.
    negative: bool,
    /// Under which conditions, and what they have to be.
    when: Vec<(Value, bool)>,
}

/// A sum that a loop carries.
#[derive(Clone, Debug)]
struct Sum {
    /// Which carried value it is.
    at: usize,
    terms: Vec<Term>,
    /// Bits of its lanes, and whether with a sign.
    bits: u32,
    signed: bool,
}

/// How a loop adds up.
struct Partial {
    sums: Vec<Sum>,
    shorts: HashMap<Value, Short>,
    /// Values that lead from a carried sum to the next.
    chain: HashSet<Value>,
    /// Lanes of an iteration, and by how much it counts.
    lanes: usize,
    step: i64,
    /// Iterations of which the sums in short lanes are exact.
    most: i64,
}

/// What a loop defines, and how its iterations are joined.
pub(super) struct Around<'a> {
    pub counter: Value,
    pub inside: &'a HashSet<Value>,
    /// Whether several iterations are one.
    pub joins: bool,
}

impl Lower<'_> {
    /// Adds up what a loop's iterations make as far as that can be done in short lanes. `counter` and `carried` begin as the loop's first
    /// iteration would find them, and are left as the next one shall.
    pub(super) fn add_in_short_lanes(&mut self, inst: &Inst, bounds: &[String], counter: &str, carried: &[Slot]) {
        let Some(partial) = self.partial(inst) else { return };
        let memo = self.memo.clone();
        let shorts = self.shorts.values.clone();
        self.shorts.values.extend(partial.shorts.iter().map(|(v, s)| (*v, s.clone())));
        self.joined_lanes = Some(partial.lanes);
        let [low, high] = [0, 1].map(|n| self.t.def(&format!("sext i32 {} to i64", bounds[n])));
        let span = self.t.def(&format!("sub i64 {high}, {low}"));
        let span = self.t.call("i64", "llvm.smax.i64", &[("i64", span.as_str()), ("i64", "0")]);
        let turns = self.t.def(&format!("udiv i64 {span}, {}", partial.step));
        let [left, now] = [(); 2].map(|()| self.t.slot("i64"));
        let types: Vec<String> = partial.sums.iter().map(|s| self.short_type(s.bits)).collect();
        let sums: Vec<String> = types.iter().map(|ty| self.t.slot(ty)).collect();
        self.t.line(&format!("store i64 {turns}, ptr {left}"));
        let [head, begin, go, fold, end] = [(); 5].map(|()| self.t.fresh_label());
        self.t.branch(&head);
        self.t.label(&head);
        let rest = self.t.def(&format!("load i64, ptr {left}"));
        let some = self.t.def(&format!("icmp ne i64 {rest}, 0"));
        self.t.branch_if(&some, &begin, &end);
        self.t.label(&begin);
        let most = partial.most.to_string();
        let many = self.t.call("i64", "llvm.umin.i64", &[("i64", rest.as_str()), ("i64", &most)]);
        let rest = self.t.def(&format!("sub i64 {rest}, {many}"));
        self.t.line(&format!("store i64 {rest}, ptr {left}"));
        self.t.line(&format!("store i64 {many}, ptr {now}"));
        for (ty, slot) in types.iter().zip(&sums) {
            self.t.line(&format!("store {ty} zeroinitializer, ptr {slot}"));
        }
        self.t.branch(&go);
        self.t.label(&go);
        self.partial_turn(inst, &partial, counter, &sums);
        let many = self.t.def(&format!("load i64, ptr {now}"));
        let many = self.t.def(&format!("sub i64 {many}, 1"));
        self.t.line(&format!("store i64 {many}, ptr {now}"));
        let more = self.t.def(&format!("icmp ne i64 {many}, 0"));
        self.t.branch_if(&more, &go, &fold);
        self.t.label(&fold);
        for (sum, slot) in partial.sums.iter().zip(&sums) {
            self.fold_partial(sum, slot, &carried[sum.at]);
        }
        self.t.branch(&head);
        self.t.label(&end);
        partial.shorts.keys().for_each(|v| {
            self.values.remove(v);
        });
        self.joined_lanes = None;
        self.shorts.values = shorts;
        self.memo = memo;
    }

    /// One iteration in short lanes.
    fn partial_turn(&mut self, inst: &Inst, partial: &Partial, counter: &str, slots: &[String]) {
        let body = &inst.regions[0];
        let at = self.t.def(&format!("load i32, ptr {counter}"));
        self.define(body.params[0], &at);
        self.ask_for_rows(inst);
        for i in &body.insts {
            match i.results.first() {
                Some(v) if partial.shorts.contains_key(v) => {
                    self.check_rows(i, partial);
                    self.write_short(i);
                }
                // What is proved of a row is tested on the index of each lane.
                Some(v)
                    if !partial.chain.contains(v)
                        && (self.plan.checked || self.vary.at(*v) == self.kernel.ty(*v).lanes) =>
                {
                    self.plain(i)
                }
                _ => {}
            }
        }
        for (sum, slot) in partial.sums.iter().zip(slots) {
            let ty = self.short_type(sum.bits);
            let mut value = self.t.def(&format!("load {ty}, ptr {slot}"));
            for term in &sum.terms {
                let term_value = self.partial_term(term, sum.bits);
                let name = if term.negative { "sub" } else { "add" };
                value = self.t.def(&format!("{name} {ty} {value}, {term_value}"));
            }
            self.t.line(&format!("store {ty} {value}, ptr {slot}"));
        }
        let next = self.t.def(&format!("add i32 {at}, {}", partial.step));
        self.t.line(&format!("store i32 {next}, ptr {counter}"));
    }

    /// A term in lanes of so many bits; 0 where a condition does not hold.
    fn partial_term(&mut self, term: &Term, bits: u32) -> String {
        let mut value = self.short_operand(term.value, bits);
        for &(condition, holds) in &term.when {
            let condition = self.short_operand(condition, 1);
            let (ty, truth) = (self.short_type(bits), self.short_type(1));
            let (yes, no) =
                if holds { (value.as_str(), "zeroinitializer") } else { ("zeroinitializer", value.as_str()) };
            value = self.t.def(&format!("select {truth} {condition}, {ty} {yes}, {ty} {no}"));
        }
        value
    }

    /// Adds a sum in short lanes to the whole one: 16 lanes at a time, to that of all iterations or of their part of the turn.
    fn fold_partial(&mut self, sum: &Sum, slot: &str, carried: &Slot) {
        let (ty, lanes) = (self.short_type(sum.bits), self.short_lanes());
        let value = self.t.def(&format!("load {ty}, ptr {slot}"));
        let how = if sum.signed { "sext" } else { "zext" };
        for n in 0..lanes / 16 {
            let place = carried.names.get(n).unwrap_or(&carried.names[0]).clone();
            let from: Vec<String> = (0..16).map(|lane| format!("i32 {}", 16 * n + lane)).collect();
            let part = format!("shufflevector {ty} {value}, {ty} poison, {LANES} <{}>", from.join(", "));
            let mut part = self.t.def(&part);
            if sum.bits < 32 {
                part = self.t.def(&format!("{how} <16 x i{}> {part} to {LANES}", sum.bits));
            }
            let old = self.t.def(&format!("load {LANES}, ptr {place}"));
            let new = self.t.def(&format!("add {LANES} {old}, {part}"));
            self.t.line(&format!("store {LANES} {new}, ptr {place}"));
        }
    }

    /// In the checked mode, tests what was proved of a load in all iterations that are one.
    fn check_rows(&mut self, inst: &Inst, partial: &Partial) {
        let Some((reason, buf)) = self.reason(inst).zip(inst.buf).filter(|_| self.plan.checked) else { return };
        if self.shape.parts() > 1 {
            // `write_short` tests all parts.
            return;
        }
        for n in 1..partial.lanes / 16 {
            let index = self.indices(inst);
            let ahead = self.t.splat("i32", &(16 * n).to_string());
            let index = self.t.def(&format!("add {LANES} {index}, {ahead}"));
            let before = self.sites.len();
            self.check_as(inst, &index, &all(), &format!("%n{}", buf.index()), Sort::Proof);
            self.sites[before..].iter_mut().for_each(|site| site.proof = Some(reason));
        }
    }

    /// How a loop adds up in short lanes, if it can.
    fn partial(&self, inst: &Inst) -> Option<Partial> {
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
            let whole = Type::vector(Elem::I32);
            if self.kernel.ty(param) != whole || !joins && !self.vary.at(param) {
                return None;
            }
            let mut terms = Vec::new();
            self.terms_of(last, param, &made, &mut terms, &mut chain, &mut Vec::new())?;
            sums.push(Sum { at, terms, bits: 32, signed: true });
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
            Op::Add | Op::Sub => {
                let [a, b] = inst.args[..] else { return None };
                let (on, value) = match (leads(a), leads(b)) {
                    (true, false) => (a, b),
                    (false, true) if inst.op == Op::Add => (b, a),
                    _ => return None,
                };
                terms.push(Term { value, negative: inst.op == Op::Sub, when: when.clone() });
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

    /// Whether a value is made of the carried one.
    fn leads(&self, v: Value, param: Value, made: &HashMap<Value, &Inst>, depth: usize) -> bool {
        let more = |i: &&&Inst| depth > 0 && matches!(i.op, Op::Add | Op::Sub | Op::Select);
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
        let asked: HashSet<Value> = terms().flat_map(|t| t.when.iter().map(|w| w.0).chain([t.value])).collect();
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
            (shorts.contains_key(&t.value) || constant(&t.value))
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

    /// Says in how many bits a sum's lanes are added up; for how many iterations.
    fn bits_of_sum(&self, sum: &mut Sum, shorts: &HashMap<Value, Short>) -> Option<i64> {
        let (mut low, mut high, mut least) = (0i64, 0i64, 8);
        for term in &sum.terms {
            let bounds = self.range.bounds(self.kernel, term.value);
            let (from, to) = if term.negative { (-bounds.high, -bounds.low) } else { (bounds.low, bounds.high) };
            (low, high) = (low + from.min(0), high + to.max(0));
            least = least.max(shorts.get(&term.value).map_or(8, |s| s.bits));
        }
        for (bits, fewest) in [(8, FEWEST_BYTES), (16, FEWEST)] {
            let (least_sum, most_sum) = super::short_ways::ends(bits, low < 0);
            let many = |limit: i64, each: i64| if each == 0 { i64::MAX } else { limit / each };
            let most = many(most_sum, high).min(many(least_sum, low));
            if bits >= least && most >= fewest {
                (sum.bits, sum.signed) = (bits, low < 0);
                return Some(most.min(1 << 30));
            }
        }
        (sum.bits, sum.signed) = (32, true);
        Some(1 << 30)
    }
}
