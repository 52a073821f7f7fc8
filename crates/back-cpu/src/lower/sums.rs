//! Sums that neighbouring groups share, in kernels whose sums may be bracketed in any way.
//!
//! The sum of a window and that of the window below it have most of their terms in common. Terms are put into classes by the
//! parts of the turn in whose sums they occur; each class is added up once. Where the parts' classes follow one another, as
//! the rows of windows do, sums of two, four, eight classes serve several parts.

use super::rolled::Rolled;
use super::state::Lower;
use super::words::is_row;
use quadra_kir::{Inst, Op, Type, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A sum of several terms: places in a run of instructions.
#[derive(Default)]
pub(super) struct Sum {
    /// The last addition.
    pub root: usize,
    /// All additions.
    additions: Vec<usize>,
    terms: Vec<Value>,
    /// The loads among the terms.
    pub loads: HashMap<Value, usize>,
    /// Loads that nothing but the sum uses.
    pub own: Vec<usize>,
    /// The loads in all parts.
    classes: Vec<Class>,
    /// How they are joined, if each part's are neighbours.
    spans: Option<Spans>,
    /// How the rows of the turn are added up in a loop, if that is worth it.
    rolled: Option<Rolled>,
}

/// What a load reads: buffer, whether it is a row, and the address as a sum.
type Identity = (usize, bool, Vec<(Value, i32)>, i32);

/// Loads that stand in the sums of the same parts.
#[derive(Default)]
pub(super) struct Class {
    /// A part as often as each of them stands in its sum.
    parts: Vec<usize>,
    /// Places of loads, and in which part they name the element.
    pub loads: Vec<(usize, usize)>,
}

/// Fewest loads of a sum that is worth the search.
const FEWEST: usize = 4;

/// Classes from one on: a power of two of them.
type Span = (usize, usize);

/// Sums of neighbouring classes.
struct Spans {
    /// Those of two and more that can be made once a class is there, the small ones first.
    ending: Vec<Vec<Span>>,
    /// What each part's sum is made of.
    of_part: Vec<Vec<Span>>,
    /// Additions behind those of the classes themselves.
    additions: usize,
}

impl Lower<'_> {
    /// The first sum of a run that has terms in common in several parts.
    pub(super) fn shared_sum(&self, insts: &[Inst]) -> Option<Sum> {
        let uses = self.kernel.use_counts();
        let made_by: HashMap<Value, usize> =
            insts.iter().enumerate().flat_map(|(n, i)| i.results.iter().map(move |&r| (r, n))).collect();
        let adds = |n: usize| {
            let t = self.kernel.ty(insts[n].results[0]);
            insts[n].op == Op::Add && t.elem.is_float() && t.lanes && self.vary.inst(&insts[n])
        };
        let mut inner = vec![false; insts.len()];
        for n in (0..insts.len()).filter(|&n| adds(n)) {
            for v in &insts[n].args {
                if let Some(&m) = made_by.get(v).filter(|&&m| uses[v.index()] == 1 && adds(m)) {
                    inner[m] = true;
                }
            }
        }
        let roots = (0..insts.len()).filter(|&n| adds(n) && !inner[n]);
        roots.map(|root| self.sum_of(insts, root, &made_by, &inner, &uses)).find_map(|s| self.if_shared(insts, s))
    }

    fn sum_of(
        &self,
        insts: &[Inst],
        root: usize,
        made_by: &HashMap<Value, usize>,
        inner: &[bool],
        uses: &[u32],
    ) -> Sum {
        let mut sum = Sum { root, additions: vec![root], ..Sum::default() };
        let mut next = 0;
        while let Some(&n) = sum.additions.get(next) {
            next += 1;
            for &v in &insts[n].args {
                match made_by.get(&v).copied() {
                    Some(m) if inner[m] => sum.additions.push(m),
                    // Addresses that differ otherwise than groups do say nothing of what parts have in common.
                    Some(m) if matches!(insts[m].op, Op::Load | Op::LoadRow) && self.is_regular(&insts[m]) => {
                        sum.terms.push(v);
                        sum.loads.insert(v, m);
                        if uses[v.index()] == 1 {
                            sum.own.push(m);
                        }
                    }
                    _ => sum.terms.push(v),
                }
            }
        }
        sum
    }

    /// The sum, if a quarter of the additions can be saved.
    fn if_shared(&self, insts: &[Inst], sum: Sum) -> Option<Sum> {
        if sum.loads.len() < FEWEST {
            return None;
        }
        let classes = self.classes(insts, &sum);
        let apart: usize = classes.iter().map(|c| c.parts.len()).sum();
        let spans = self.spans(&classes).filter(|s| s.additions < apart);
        let additions =
            classes.iter().map(|c| c.loads.len()).sum::<usize>() + spans.as_ref().map_or(apart, |s| s.additions);
        if additions * 4 > sum.terms.len() * self.shape.parts() * 3 {
            return None;
        }
        let rolled = self.rolled(insts, &sum, &classes);
        Some(Sum { classes, spans, rolled, ..sum })
    }

    /// The terms that are loaded, by the parts in whose sums they are; in the order of addresses.
    fn classes(&self, insts: &[Inst], sum: &Sum) -> Vec<Class> {
        let mut terms: BTreeMap<Identity, (Vec<usize>, (usize, usize))> = BTreeMap::new();
        for &load in sum.terms.iter().filter_map(|v| sum.loads.get(v)) {
            for part in 0..self.shape.parts() {
                terms.entry(self.identity(&insts[load], part)).or_insert((Vec::new(), (load, part))).0.push(part);
            }
        }
        let mut classes: Vec<Class> = Vec::new();
        let mut place: HashMap<Vec<usize>, usize> = HashMap::new();
        for (mut parts, load) in terms.into_values() {
            parts.sort_unstable();
            let at = *place.entry(parts.clone()).or_insert_with(|| {
                classes.push(Class { parts, ..Class::default() });
                classes.len() - 1
            });
            classes[at].loads.push(load);
        }
        classes
    }

    fn identity(&self, inst: &Inst, part: usize) -> Identity {
        let form = self.place_in(inst, part);
        (inst.buf.map_or(0, quadra_kir::Buf::index), is_row(inst), form.terms.into_vec(), form.constant)
    }

    /// The run up to the sum, without its additions and loads.
    pub(super) fn without(&self, insts: &[Inst], sum: &Sum) -> Vec<Inst> {
        let rest = (0..sum.root).filter(|n| !sum.additions.contains(n) && !sum.own.contains(n));
        rest.map(|n| insts[n].clone()).collect()
    }

    /// Writes a sum for all parts.
    pub(super) fn add_up(&mut self, insts: &[Inst], sum: &mut Sum) {
        let root = &insts[sum.root];
        let t = self.kernel.ty(root.results[0]);
        if let Some(rolled) = &mut sum.rolled {
            self.add_up_rows(insts, rolled, t);
        }
        let mut sums: Vec<Option<String>> = vec![None; self.shape.parts()];
        let mut known: HashMap<Span, String> = HashMap::new();
        for (n, class) in sum.classes.iter().enumerate() {
            let value = match &sum.rolled {
                Some(rolled) => self.sum_in_pairs(rolled.of_class[n].iter(), t, |l, &at| l.row_sum(rolled, at, t)),
                None => self.total(insts, &class.loads, t),
            };
            let Some(spans) = &sum.spans else {
                for &part in &class.parts {
                    sums[part] = Some(self.plus(t, sums[part].take(), value.clone()));
                }
                continue;
            };
            known.insert((n, 1), value);
            for &(first, many) in &spans.ending[n] {
                let half = many / 2;
                let (a, b) = (known[&(first, half)].clone(), known[&(first + half, half)].clone());
                let both = self.plus(t, Some(a), b);
                known.insert((first, many), both);
            }
            for (part, own) in
                spans.of_part.iter().enumerate().filter(|(_, own)| own.iter().map(|s| s.0 + s.1).max() == Some(n + 1))
            {
                for span in own {
                    sums[part] = Some(self.plus(t, sums[part].take(), known[span].clone()));
                }
            }
        }
        for &v in sum.terms.iter().filter(|v| !sum.loads.contains_key(v)) {
            if self.kernel.as_const(v).is_some_and(|c| c.bits == 0) {
                continue;
            }
            for (part, own) in sums.iter_mut().enumerate() {
                self.part = part;
                let value = self.value_as(v, t);
                *own = Some(self.plus(t, own.take(), value));
            }
        }
        for (part, own) in sums.into_iter().enumerate() {
            self.part = part;
            self.define(root.results[0], &own.expect("every part loads"));
        }
        self.part = 0;
    }

    /// The sum of loads: places in the run, and in which part they name the element.
    pub(super) fn total(&mut self, insts: &[Inst], loads: &[(usize, usize)], t: Type) -> String {
        self.sum_in_pairs(loads.iter(), t, |l, &(load, part)| {
            l.part = part;
            l.one(&insts[load]);
            l.value_as(insts[load].results[0], t)
        })
    }

    /// Two sums, each of every other term: an addition waits for the one before it.
    fn sum_in_pairs<T>(
        &mut self,
        terms: impl Iterator<Item = T>,
        t: Type,
        mut value: impl FnMut(&mut Self, T) -> String,
    ) -> String {
        let mut halves: [Option<String>; 2] = [None, None];
        for (n, term) in terms.enumerate() {
            let value = value(self, term);
            halves[n % 2] = Some(self.plus(t, halves[n % 2].take(), value));
        }
        let [first, second] = halves;
        match (first, second) {
            (Some(a), Some(b)) => self.plus(t, Some(a), b),
            (first, _) => first.expect("a class has a term"),
        }
    }

    /// Of which sums of neighbouring classes each part's sum is made, if its classes are neighbours.
    fn spans(&self, classes: &[Class]) -> Option<Spans> {
        let mut of_part = Vec::new();
        let mut needed: BTreeSet<Span> = BTreeSet::new();
        let mut additions = 0;
        for part in 0..self.shape.parts() {
            let mut own = (0..classes.len()).filter(|&n| classes[n].parts.contains(&part));
            let mut first = own.next()?;
            let mut many = 1 + own.clone().count();
            let once = |n: usize| classes[n].parts.iter().filter(|p| **p == part).count() == 1;
            if !(first..first + many).all(once) {
                return None;
            }
            let mut spans = Vec::new();
            while many > 0 {
                let size = 1 << many.ilog2();
                spans.push((first, size));
                (first, many) = (first + size, many - size);
            }
            additions += spans.len();
            needed.extend(&spans);
            of_part.push(spans);
        }
        let mut open: Vec<Span> = needed.iter().copied().collect();
        while let Some((first, many)) = open.pop() {
            let half = many / 2;
            open.extend([(first, half), (first + half, half)].into_iter().filter(|s| half > 0 && needed.insert(*s)));
        }
        additions += needed.iter().filter(|s| s.1 > 1).count();
        let mut ending = vec![Vec::new(); classes.len()];
        let mut by_size: Vec<Span> = needed.into_iter().filter(|s| s.1 > 1).collect();
        by_size.sort_unstable_by_key(|s| s.1);
        by_size.into_iter().for_each(|s| ending[s.0 + s.1 - 1].push(s));
        Some(Spans { ending, of_part, additions })
    }

    fn plus(&mut self, t: Type, sum: Option<String>, term: String) -> String {
        match sum {
            Some(sum) => self.lanewise(Op::Add, t, t, &[sum, term]),
            None => term,
        }
    }
}
