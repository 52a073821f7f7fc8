//! Sums, minima and maxima of bytes and halves in lanes of as few bits, added to the whole ones before they could overflow.
//!
//! A loop that adds up what it makes of elements of 8 or 16 bits need not widen each of them: a sum of so many terms as their bounds allow
//! fits lanes of 8 or 16 bits, exactly, and only the sums of so many are widened.
//!
//! ```text
//! for n in 0..1024 step 16 (s: <16 x i32>) { s += x[n..n+16] }                                        ; before
//! for n in 0..1024 step 64 { p: <64 x i16> += x[n..n+64], at most 257 times; s += p, 16 lanes at a time }  ; after
//! ```
//!
//! The preconditions: a counted loop that is left at its end alone and stores nothing; what it carries stays the same, or is a sum of
//! integers of 32 bits whose terms are short (`short`), some of them under conditions that are, or the least or greatest of such without
//! conditions; every access is proved to stay inside. An iteration of the new loop takes several of the old one if these read rows one
//! behind the other, or one iteration for all columns of a turn. Every lane's sum stays what it was, modulo 2³². Iterations that are
//! left over are made as ever.
//!
//! A sum of floats that are made of short integers is one of integers, too, where sums of floats may be bracketed anew: of so many
//! terms that it has at most 24 bits it is the float that these give in any order.

use super::flow::Slot;
use super::short::Short;
use super::state::Lower;
use super::words::all;
use crate::common::function::Sort;
use crate::common::text::{LANES, MASK};
use quadra_kir::{Inst, Op, Value};
use std::collections::{HashMap, HashSet};

/// A vector of floats.
const FLOATS: &str = "<16 x float>";

/// How terms are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Sum,
    Least,
    Greatest,
}

impl Kind {
    /// How the operation does that leads from one carried value to the next.
    pub fn of(op: Op) -> Kind {
        match op {
            Op::Min => Kind::Least,
            Op::Max => Kind::Greatest,
            _ => Kind::Sum,
        }
    }
}

/// A term: a short value or a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    Value(Value),
    Number(i64),
}

/// What an iteration adds to a sum.
#[derive(Clone, Debug)]
pub(super) struct Term {
    pub value: Of,
    /// Whether it is subtracted.
    pub negative: bool,
    /// Under which conditions, and what they have to be.
    pub when: Vec<(Value, bool)>,
}

impl Term {
    /// The value that is short.
    pub fn short(&self) -> Option<Value> {
        match self.value {
            Of::Value(v) => Some(v),
            Of::Number(_) => None,
        }
    }
}

/// A sum that a loop carries.
#[derive(Clone, Debug)]
pub(super) struct Sum {
    /// Which carried value it is.
    pub at: usize,
    pub kind: Kind,
    /// Whether it is carried as a float.
    pub float: bool,
    pub terms: Vec<Term>,
    /// Bits of its lanes, and whether with a sign.
    pub bits: u32,
    pub signed: bool,
}

/// How a loop adds up.
pub(super) struct Partial {
    pub sums: Vec<Sum>,
    pub shorts: HashMap<Value, Short>,
    /// Values that lead from a carried sum to the next.
    pub chain: HashSet<Value>,
    /// Lanes of an iteration, and by how much it counts.
    pub lanes: usize,
    pub step: i64,
    /// Iterations of which the sums in short lanes are exact.
    pub most: i64,
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
        for ((ty, slot), sum) in types.iter().zip(&sums).zip(&partial.sums) {
            let begin = self.beginning_of(sum);
            self.t.line(&format!("store {ty} {begin}, ptr {slot}"));
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
                value = match sum.kind {
                    Kind::Sum => {
                        let name = if term.negative { "sub" } else { "add" };
                        self.t.def(&format!("{name} {ty} {value}, {term_value}"))
                    }
                    kind => self.short_call(&extreme(kind, sum.signed), sum.bits, &[&value, &term_value]),
                };
            }
            self.t.line(&format!("store {ty} {value}, ptr {slot}"));
        }
        let next = self.t.def(&format!("add i32 {at}, {}", partial.step));
        self.t.line(&format!("store i32 {next}, ptr {counter}"));
    }

    /// What the lanes of a sum begin with: of all that they can be, the one that any term replaces.
    fn beginning_of(&mut self, sum: &Sum) -> String {
        let (low, high) = super::short_ways::ends(sum.bits, sum.signed);
        match sum.kind {
            Kind::Sum => "zeroinitializer".into(),
            Kind::Least => self.number_of(high, sum.bits),
            Kind::Greatest => self.number_of(low, sum.bits),
        }
    }

    fn number_of(&mut self, number: i64, bits: u32) -> String {
        let one = ((number << (64 - bits)) >> (64 - bits)).to_string();
        self.short_splat(&one, bits)
    }

    /// A term in lanes of so many bits; 0 where a condition does not hold.
    fn partial_term(&mut self, term: &Term, bits: u32) -> String {
        let mut value = match term.value {
            Of::Value(v) => self.short_operand(v, bits),
            Of::Number(number) => self.number_of(number, bits),
        };
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
            let carried = if sum.float { FLOATS } else { LANES };
            let old = self.t.def(&format!("load {carried}, ptr {place}"));
            let new = match sum.kind {
                Kind::Sum if sum.float => self.added_as_float(sum, &old, &part),
                Kind::Sum => self.t.def(&format!("add {LANES} {old}, {part}")),
                kind => {
                    let name = format!("llvm.{}.v16i32", extreme(kind, true));
                    self.t.call(LANES, &name, &[(LANES, &old), (LANES, &part)])
                }
            };
            self.t.line(&format!("store {carried} {new}, ptr {place}"));
        }
    }

    /// A sum of floats, and one of integers of at most 24 bits. Where there was perhaps no term, the sign of a zero stays.
    fn added_as_float(&mut self, sum: &Sum, old: &str, part: &str) -> String {
        let float = self.t.def(&format!("sitofp {LANES} {part} to {FLOATS}"));
        let new = self.t.def(&format!("fadd {FLOATS} {old}, {float}"));
        if sum.terms.iter().all(|t| t.when.is_empty() && !t.negative) {
            return new;
        }
        let none = self.t.def(&format!("icmp eq {LANES} {part}, zeroinitializer"));
        self.t.def(&format!("select {MASK} {none}, {FLOATS} {old}, {FLOATS} {new}"))
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
}

/// LLVM's name of a minimum or maximum.
fn extreme(kind: Kind, signed: bool) -> String {
    format!("{}{}", if signed { 's' } else { 'u' }, if kind == Kind::Least { "min" } else { "max" })
}
