//! Iterative modulo scheduling for short bodies: banks first, then times, then registers.
//!
//! Which webs lie in quick registers and which in files is chosen before times are, because latencies and read ports
//! depend on it; where the choice fails, it is changed a little and everything is placed again.

mod banks;
mod colour;
mod placement;

use super::body::{Body, Web};
use super::found::{Context, Found, least};
use super::graph::{self, Graph, Links, Times, Ways};
use super::order;
use crate::machine::isa::{Instruction, Isa};
use crate::machine::registers::{Bank, Reg};
use banks::{Banks, Names};
use colour::{Class, Short};
use placement::Search;

/// Choices of places tried per interval and variant.
const ATTEMPTS: u32 = 8;

/// The shortest schedule of all below `limit`, if the budget allows.
pub fn shortest<I: Isa>(cx: &Context<I>, body: &Body<I>, limit: i32, budget: &mut i64) -> Option<Found<I>> {
    let body = &order::early_test(cx.code, body);
    let variants: Vec<Body<I>> = variants(body);
    let classes = variants.iter().map(|v| [first_choice(v), as_allocated(v)]).collect();
    let links = variants.iter().map(|v| graph::links(cx.code, v, cx.queues)).collect();
    let mut search = Variants { cx, classes, variants, links, seed: 1, budget };
    let least = least::<I>(&body.ops);
    let best = search.upwards(least, limit)?;
    // As short, and without waiting for memory.
    Some(search.at(best.times.ii, 2, true).unwrap_or(best))
}

struct Variants<'a, I: Isa> {
    cx: &'a Context<'a, I>,
    variants: Vec<Body<I>>,
    /// What depends on what in each variant.
    links: Vec<Links>,
    /// The places chosen last, per variant, from two starts.
    classes: Vec<[Vec<Class>; 2]>,
    seed: u32,
    budget: &'a mut i64,
}

impl<I: Isa> Variants<'_, I> {
    /// From the bound upwards with few attempts, so that something is found; then downwards with more.
    fn upwards(&mut self, least: i32, limit: i32) -> Option<Found<I>> {
        let mut best = (least..limit).find_map(|ii| self.at(ii, 2, false))?;
        while best.times.ii > least {
            match self.at(best.times.ii - 1, ATTEMPTS, false) {
                Some(found) => best = found,
                None => break,
            }
        }
        Some(best)
    }

    /// A schedule with this interval, if some attempts find one.
    fn at(&mut self, ii: i32, attempts: u32, patient: bool) -> Option<Found<I>> {
        for ((body, links), classes) in self.variants.iter().zip(&self.links).zip(&mut self.classes) {
            if least::<I>(&body.ops) > ii || *self.budget < 0 {
                continue;
            }
            let any = links.graph(|_| false, patient);
            *self.budget -= graph::cost_of_distances(&any);
            if graph::distances(&any, ii).is_none() {
                continue;
            }
            for attempt in 0..attempts {
                self.seed += 1;
                let classes = &mut classes[attempt as usize / 4 % 2];
                let found = attempt_at(self.cx, (body, links), classes, (ii, patient), self.seed, self.budget);
                if let Some((times, registers)) = found {
                    return Some(Found { body: body.clone(), times, registers });
                }
                if *self.budget < 0 {
                    return None;
                }
            }
        }
        None
    }
}

/// The loop as it is, and with copies of results that let operations run ahead of the branch.
fn variants<I: Isa>(body: &Body<I>) -> Vec<Body<I>> {
    let mut out = with_copies(body);
    if let Some(late) = order::with_late_copy(body) {
        out.extend(with_copies(&late));
    }
    out
}

fn with_copies<I: Isa>(body: &Body<I>) -> Vec<Body<I>> {
    let results = body.results();
    let mut out = vec![body.clone()];
    if results.len() > 1 && results.len() <= 3 {
        out.extend(results.iter().map(|&w| body.with_copy(w)));
    }
    if !results.is_empty() {
        out.push(results.iter().fold(body.clone(), |b, &w| b.with_copy(w)));
    }
    out
}

/// Places of the kind that the webs have in the code as it is.
fn as_allocated<I: Isa>(body: &Body<I>) -> Vec<Class> {
    let class = |(web, in_first): (&Web, bool)| match web.home.and_then(Bank::of::<I>) {
        _ if in_first => Class::File,
        Some(Bank::Quick) => Class::Quick,
        _ if web.quick => Class::Quick,
        _ => Class::File,
    };
    body.webs.iter().zip(body.in_first()).map(class).collect()
}

/// Short lives to quick registers, if there are any; the others to files so that operands of one operation lie in different ones.
fn first_choice<I: Isa>(body: &Body<I>) -> Vec<Class> {
    let n = body.webs.len();
    if I::QUICK == 0 {
        return vec![Class::File; n];
    }
    let (mut first, mut last) = (vec![usize::MAX; n], vec![0; n]);
    for (i, inst) in body.ops.iter().enumerate() {
        for w in inst.reads().chain(inst.def()).filter_map(Reg::virt) {
            first[w as usize] = first[w as usize].min(i);
            last[w as usize] = last[w as usize].max(i);
        }
    }
    let written = body.webs.iter().filter(|w| !w.invariant).count();
    let mut classes: Vec<Class> = Vec::with_capacity(n);
    let mut busy = vec![0usize; I::QUICK.into()];
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(|&w| first[w]);
    classes.resize(n, Class::File);
    let in_first = body.in_first();
    for w in order.into_iter().filter(|w| !in_first[*w]) {
        let web = &body.webs[w];
        let long = web.live_in.is_some() || web.live_out;
        if web.quick || (!web.invariant && written <= I::QUICK.into()) {
            classes[w] = Class::Quick;
        } else if !web.invariant
            && !long
            && last[w] <= first[w] + 6
            && let Some(b) = busy.iter_mut().find(|b| **b <= first[w])
        {
            *b = last[w];
            classes[w] = Class::Quick;
        }
    }
    classes
}

fn attempt_at<I: Isa>(
    cx: &Context<I>,
    (body, links): (&Body<I>, &Links),
    classes: &mut [Class],
    (ii, patient): (i32, bool),
    seed: u32,
    budget: &mut i64,
) -> Option<(Times, Vec<Reg>)> {
    let banks = legal(body, classes, seed)?;
    let graph = links.graph(|w| classes[w as usize] != Class::Quick, patient);
    *budget -= graph::cost_of_distances(&graph);
    let Some(distances) = graph::distances(&graph, ii) else {
        perturb(body, classes, seed, true);
        return None;
    };
    let ways = Ways::new(&graph, distances);
    // With the branch deciding about the next iteration, and with part of an iteration ahead of the branch that decides
    // about it.
    for (branch_stage, stages) in [(0, 2), (1, 3)] {
        let mut search =
            Search { body, banks: &banks, ways: &ways, ii, branch_stage, stages, budget, seed, chosen: Vec::new() };
        let Some(times) = search.run() else { continue };
        let mut second: Vec<Option<bool>> = (0..classes.len())
            .map(|w| banks.group(w).map(|_| banks.in_second(w, &search.chosen).unwrap_or(false)))
            .collect();
        loop {
            match colour::assign(body, &second, &times, cx.registers) {
                Ok(registers) => return Some((times, registers)),
                Err(Short::Quick(webs)) => {
                    let moved = webs.iter().find_map(|&w| Some((w, file_for(body, &graph, &second, &times, w)?)));
                    match moved {
                        Some((w, side)) => second[w] = Some(side),
                        None => {
                            let w = webs.first().copied()?;
                            classes[w] = Class::File;
                            return None;
                        }
                    }
                }
                Err(Short::File) => return None,
            }
        }
    }
    perturb(body, classes, seed, false);
    None
}

/// A file in which a web that has been given a quick register can lie as well, with all times as they are.
fn file_for<I: Isa>(body: &Body<I>, graph: &Graph, second: &[Option<bool>], times: &Times, w: usize) -> Option<bool> {
    let this = Reg::Virt(w as u32);
    let after_write = |e: &&graph::Edge| {
        e.from < graph.n && e.to < graph.n && body.ops[e.from].def() == Some(this) && reads(&body.ops[e.to], this)
    };
    let early = |e: &graph::Edge| {
        times.at[e.to] + e.iterations * times.ii - times.at[e.from] < I::FILE_LATENCY as i32 && e.distance > 0
    };
    if graph.edges.iter().filter(after_write).any(early) {
        return None;
    }
    let rows: Vec<usize> = (0..body.ops.len())
        .filter(|&op| reads(&body.ops[op], this) || body.ops[op].def() == Some(this))
        .map(|op| times.row(op))
        .collect();
    (0..I::FILES).map(|file| file == 1).find(|&side| {
        let mut second = second.to_vec();
        second[w] = Some(side);
        rows.iter().all(|&row| {
            let mut names = Names::default();
            let ops = (0..body.ops.len()).filter(|&op| times.row(op) == row);
            let shapes: Vec<I::Inst> =
                ops.map(|op| banks::shape::<I>(&body.ops[op], |w| second[w as usize], &mut names)).collect();
            I::bundle(&shapes.iter().collect::<Vec<_>>()).is_some()
        })
    })
}

fn reads(inst: &impl Instruction, r: Reg) -> bool {
    inst.reads().any(|x| x == r) || (inst.keeps_destination() && inst.def() == Some(r))
}

/// Changes places until no operation has to read two registers of one file, or one of the second beside an immediate.
fn legal<I: Isa>(body: &Body<I>, classes: &mut [Class], seed: u32) -> Option<Banks> {
    let mut random = Random::new(seed ^ 0x5555);
    let in_first = body.in_first();
    for _ in 0..classes.len() {
        match banks::of(body, classes) {
            Ok(banks) => return Some(banks),
            Err(webs) => {
                let one = random.below(2);
                let movable = |w: &&usize| !in_first[**w];
                let w = [webs[one], webs[1 - one]].iter().find(movable).copied()?;
                classes[w] = Class::Quick;
            }
        }
    }
    None
}

/// Numbers that look random, the same every time.
struct Random(u32);

impl Random {
    fn new(seed: u32) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9) ^ 0x85eb_ca6b)
    }

    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 as usize % n.max(1)
    }
}

/// Changes the place of one web, if there are banks to choose from: of one that lies in a file, to a quick register, or of any.
fn perturb<I: Isa>(body: &Body<I>, classes: &mut [Class], seed: u32, faster: bool) {
    if I::QUICK == 0 {
        return;
    }
    let mut random = Random::new(seed);
    let mut rand = |n: usize| random.below(n);
    let in_first = body.in_first();
    let slow: Vec<usize> =
        (0..classes.len()).filter(|&w| classes[w] != Class::Quick && !body.webs[w].invariant && !in_first[w]).collect();
    if faster || (rand(2) == 0 && !slow.is_empty()) {
        if !slow.is_empty() {
            classes[slow[rand(slow.len())]] = Class::Quick;
        }
        return;
    }
    let free: Vec<usize> = (0..classes.len()).filter(|&w| !body.webs[w].quick && !in_first[w]).collect();
    if free.is_empty() {
        return;
    }
    let w = free[rand(free.len())];
    classes[w] = match classes[w] {
        Class::File => Class::Quick,
        Class::Quick => Class::File,
    };
}
