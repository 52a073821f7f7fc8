//! Sums of many integers of which one test of their terms says that none has wrapped.
//!
//! Each sum of vectors has a test of its own, of four instructions where no instruction does it at once. Sums of terms that are all
//! small enough cannot wrap, wherever they end: the magnitudes of all terms are one word of bits, in two instructions for each term.
//! Only where that is too large the sums' own tests are made, in code that few launches come to.
//!
//! ```text
//! assert (a ^ s) & (b ^ s) | (s ^ t) & (c ^ t) | … >= 0            ; before: s = a + b, t = s + c, …
//! if (|a| | |b| | |c| | …) >= 2^28 { assert … }                    ; after
//! ```

use super::state::Lower;
use super::words::writes;
use crate::common::text::LANES;
use quadra_base::quick::Map;
use quadra_kir::{Block, Elem, Inst, Mode, Op, Type, Value};
use std::collections::{HashMap, HashSet};

/// A term with so few bits needs no test: its bounds say enough.
const TAME: i64 = 1 << 24;
/// Fewest bits that all terms may have: of few, larger ones are often met.
const LEAST_BITS: u32 = 20;
/// Elements of a row.
const ROW: i32 = 16;
/// Instructions of a sum's test, of a term's, and of what is done with all terms.
const TEST: usize = 4;
const TERM: usize = 2;
const ALL: usize = 3;

/// The terms of sums, how many bits each may have, and how many sums there are.
#[derive(Clone, Debug)]
pub(super) struct Terms {
    sums: usize,
    terms: Vec<Value>,
    bits: u32,
    /// What the sums' own tests are made of, in order. Rows are read again: waiting for a test that is hardly ever made, they would take
    /// the registers.
    again: Vec<Inst>,
}

/// Sums and differences by what they make.
type Sums = Map<Value, [Value; 2]>;

impl Lower<'_> {
    /// Finds the assertions about sums of vectors of which a test of all terms is cheaper.
    pub(super) fn find_terms(&mut self) {
        let vector = |i: &Inst| i.op == Op::Assert && self.kernel.ty(i.args[0]).lanes;
        if self.plan.scales || !self.shorts.is_empty() || !self.kernel.body.any(&mut |i| vector(i)) {
            return;
        }
        let mut made: HashMap<Value, &Inst> = HashMap::new();
        self.kernel.body.walk(&mut |i| made.extend(i.results.iter().map(|&r| (r, i))));
        let mut found = Vec::new();
        self.find_terms_in(&self.kernel.body, &made, &mut found);
        self.terms.extend(found);
    }

    fn find_terms_in(&self, block: &Block, made: &HashMap<Value, &Inst>, found: &mut Vec<(Value, Terms)>) {
        let mut before: Vec<&Inst> = Vec::new();
        for inst in &block.insts {
            inst.regions.iter().for_each(|r| self.find_terms_in(r, made, found));
            if inst.op == Op::Assert
                && self.kernel.ty(inst.args[0]).lanes
                && let Some(all) = self.terms(made, inst.args[0])
            {
                let terms = self.uncovered(&before, &all.terms);
                if TERM * terms.len() + ALL < TEST * all.sums {
                    let again = self.again(&before, inst.args[0]);
                    found.push((inst.args[0], Terms { terms, again, ..all }));
                }
            }
            // What may have written makes other values of loads before it.
            if !inst.regions.is_empty() || inst.buf.is_some() && writes(inst) {
                before.retain(|i| i.buf.is_none());
            }
            before.push(inst);
        }
    }

    /// The terms without rows all of whose elements lie in two others', as in windows: one some elements before it and one behind it.
    fn uncovered(&self, before: &[&Inst], terms: &[Value]) -> Vec<Value> {
        let (mut rows, mut left) = (HashMap::<_, Vec<(i32, Value)>>::new(), Vec::new());
        for &term in terms {
            match before.iter().find(|i| i.results.first() == Some(&term) && self.is_plain_row(i)) {
                Some(row) => {
                    let form = self.forms.at(self.kernel, row.args[0]);
                    rows.entry((row.buf, form.terms.to_vec())).or_default().push((form.constant, term));
                }
                None => left.push(term),
            }
        }
        for mut row in rows.into_values() {
            row.sort_unstable_by_key(|r| r.0);
            while let Some((last, term)) = row.pop() {
                left.push(term);
                // Of those from which on this one goes on, the first one stays.
                let near = |c: i32| last.checked_sub(c).is_some_and(|far| far <= ROW);
                if let Some(first) = row.iter().position(|r| near(r.0)) {
                    row.truncate(first + 1);
                }
            }
        }
        left.sort_unstable();
        left
    }

    /// Whether it loads a row of words, and all of it.
    fn is_plain_row(&self, inst: &Inst) -> bool {
        let word = inst.buf.is_some_and(|b| self.kernel.bufs[b].elem == Elem::I32);
        word && inst.op == Op::LoadRow && inst.mask.is_none() && inst.mode != Mode::Guarded && self.proven(inst)
    }

    /// What a value is computed from, of instructions in order: operations on words and rows of them that are read whole.
    fn again(&self, before: &[&Inst], v: Value) -> Vec<Inst> {
        let (mut wanted, mut found) = (HashSet::from([v]), Vec::new());
        for inst in before.iter().rev() {
            let simple = matches!(inst.op, Op::CmpGe | Op::Or | Op::And | Op::Xor | Op::Add | Op::Sub)
                && self.kernel.ty(inst.result()).lanes;
            if inst.results.first().is_some_and(|r| wanted.contains(r)) && (simple || self.is_plain_row(inst)) {
                if simple {
                    wanted.extend(&inst.args);
                }
                found.push((*inst).clone());
            }
        }
        found.reverse();
        found
    }

    /// Makes the sums' own tests once more.
    pub(super) fn tests_again(&mut self, truth: Value) -> Option<String> {
        let Terms { again, .. } = self.terms.get(&truth)?.clone();
        let (before, mut now): (_, HashMap<Value, String>) = (self.memo.clone(), HashMap::new());
        for inst in &again {
            let value = match (inst.op, inst.buf) {
                (Op::LoadRow, Some(buf)) => {
                    let place = self.place_of(buf, self.forms.at(self.kernel, inst.args[0]));
                    self.t.def(&format!("load volatile {LANES}, ptr {place}, align 4"))
                }
                (op, _) => {
                    let name = match op {
                        Op::CmpGe => "icmp sge".to_owned(),
                        op => op.mnemonic().to_owned(),
                    };
                    let [a, b] = [0, 1].map(|n| match now.get(&inst.args[n]) {
                        Some(value) => value.clone(),
                        None => self.value_as(inst.args[n], Type::vector(Elem::I32)),
                    });
                    self.t.def(&format!("{name} {LANES} {a}, {b}"))
                }
            };
            now.insert(inst.result(), value);
        }
        self.memo = before;
        now.remove(&truth)
    }

    /// The terms of the sums that an assertion is about.
    fn terms(&self, made: &HashMap<Value, &Inst>, truth: Value) -> Option<Terms> {
        let test = made.get(&truth).filter(|i| i.op == Op::CmpGe)?;
        let zero = self.kernel.as_const(test.args[1]).is_some_and(|c| c.bits == 0);
        if !zero || self.kernel.ty(test.args[0]) != Type::vector(Elem::I32) {
            return None;
        }
        let (mut sums, mut words) = (Sums::default(), vec![test.args[0]]);
        while let Some(word) = words.pop() {
            match made.get(&word).filter(|i| i.op == Op::Or) {
                Some(or) => words.extend(or.args.iter().copied()),
                None => {
                    let (_, result, a, b) = self.sum_tested(made, word)?;
                    sums.insert(result, [a, b]);
                }
            }
        }
        let (mut weights, mut terms) = (Map::default(), Vec::new());
        let (mut most, mut known) = (0, 0);
        for &sum in sums.keys() {
            let (own, constant) = self.weight(sum, &sums, &mut weights, &mut terms);
            (most, known) = (most.max(own), known.max(constant));
        }
        let room = i64::from(i32::MAX).checked_sub(known)?.checked_div(most)?.checked_add(1)?;
        let bits = room.checked_ilog2().filter(|&bits| bits >= LEAST_BITS)?;
        Some(Terms { terms, bits, sums: sums.len(), again: Vec::new() })
    }

    /// How many terms of unknown size a value is the sum of, and how large the others are together.
    fn weight(&self, v: Value, sums: &Sums, known: &mut Map<Value, (i64, i64)>, terms: &mut Vec<Value>) -> (i64, i64) {
        if let Some(&weight) = known.get(&v) {
            return weight;
        }
        let weight = match sums.get(&v) {
            Some(&[a, b]) => {
                let (a, b) = (self.weight(a, sums, known, terms), self.weight(b, sums, known, terms));
                (a.0.saturating_add(b.0), a.1.saturating_add(b.1))
            }
            None => {
                let bounds = self.range.bounds(self.kernel, v);
                match bounds.low.abs().max(bounds.high.abs()) {
                    size if size <= TAME => (0, size),
                    _ => {
                        terms.push(v);
                        (1, 0)
                    }
                }
            }
        };
        known.insert(v, weight);
        weight
    }

    /// Whether all terms of the sums that an assertion is about are so small that none has wrapped.
    pub(super) fn small_terms(&mut self, truth: Value) -> Option<String> {
        let Terms { terms, bits, .. } = self.terms.get(&truth)?.clone();
        let mut all: Option<String> = None;
        for term in terms {
            let natural = self.range.bounds(self.kernel, term).low >= 0;
            let mut size = self.value_as(term, Type::vector(Elem::I32));
            if !natural {
                // That of the smallest number is its own, whose first bit says that it is large.
                size = self.t.call(LANES, "llvm.abs.v16i32", &[(LANES, size.as_str()), ("i1", "false")]);
            }
            all = Some(match all {
                None => size,
                Some(all) => self.t.def(&format!("or {LANES} {all}, {size}")),
            });
        }
        let least = self.t.splat("i32", &format!("{}", -1i32 << bits));
        let large = self.t.def(&format!("and {LANES} {}, {least}", all?));
        let large = self.t.def(&format!("icmp ne {LANES} {large}, zeroinitializer"));
        let any = self.t.any(&large);
        Some(self.t.def(&format!("xor i1 {any}, true")))
    }
}
