//! The shortest interval at which iterations can start, with a register for every web.
//!
//! Which webs lie in accumulators and which in file A or B is chosen before times are, because latencies and read ports
//! depend on it; where the choice fails, it is changed a little and everything is placed again.

use super::balance;
use super::body::Body;
use super::forward::{Loop, STRATEGIES};
use super::iterative::banks::{self, Banks, Names};
use super::iterative::colour::{self, Class, Short};
use super::iterative::placement::{self, Graph, Links, Search, Times, Ways};
use super::order;
use crate::machine::schedule;
use crate::machine::schedule::deps::{self, Queue};
use crate::vc4::bundle;
use crate::vc4::minst::{BlockId, Code, MInst, Oper, Reg, Rotate};
use quadra_isa::vc4::Signal;

/// A loop whose operations have times and registers.
pub struct Found {
    pub body: Body,
    pub times: Times,
    pub registers: Vec<Reg>,
}

/// What does not change during a search.
pub struct Context<'a> {
    pub code: &'a Code,
    pub queues: [Queue; 2],
    /// Registers of each file that may be used.
    pub registers: u8,
}

/// Bodies with more operations are left to the list scheduler: the search takes more than their square.
pub const LONGEST: usize = 192;

/// Bodies with at most so many operations are searched from their bound upwards.
const SHORT: usize = 30;

/// Bodies with at most so many operations are cheap enough to try everything on.
const SMALL: usize = 44;

/// Bodies with at most so many operations are not searched quickly first.
const TINY: usize = 16;

/// Choices of places tried per interval and variant.
const ATTEMPTS: u32 = 8;

/// The instructions that one iteration takes at least, whatever depends on what.
pub fn least(ops: &[MInst]) -> i32 {
    let count = |f: &dyn Fn(&MInst) -> bool| ops.iter().filter(|i| f(i)).count() as i32;
    let add = count(&|i| matches!(i.op, Oper::Add(_)));
    let mul = count(&|i| matches!(i.op, Oper::Mul(_)) || i.rotate != Rotate::None);
    let either = count(&|i| i.op == Oper::Mov && i.rotate == Rotate::None);
    let alone = count(&|i| matches!(i.op, Oper::Ldi(_)));
    let signals = count(&|i| matches!(i.op, Oper::Signal(Signal::LoadTmu0 | Signal::LoadTmu1)));
    let vpm = count(&deps::touches_vpm);
    let requests = count(&|i| deps::is_request(i, 0) || deps::is_request(i, 1) || deps::writes_sfu(i));
    let units = add.max(mul).max((add + mul + either + 1) / 2) + alone;
    // The branch has an instruction of its own, and three behind it.
    4.max(1 + units.max(vpm + signals).max(requests + signals))
}

/// The intervals that a schedule must beat.
#[derive(Clone, Copy)]
pub struct Limit {
    /// The instructions that the list scheduler needs.
    slots: i32,
    /// With what it waits for results of the TMUs.
    patient: i32,
}

impl Limit {
    /// The limits of the loop that is block `b`.
    pub fn of(code: &Code, queues: [Queue; 2], b: BlockId) -> Limit {
        let (slots, patient) = schedule::length(code, queues, b, LATENCY as usize);
        Limit { slots: slots as i32, patient: patient as i32 }
    }
}

/// The best schedule with an interval below `limit`.
pub fn run(cx: &Context, body: &Body, limit: Limit, budget: &mut i64) -> Option<Found> {
    if body.ops.len() > LONGEST || !body.ops.iter().any(|i| i.sf) {
        return None;
    }
    let body = order::in_place(cx.code, body);
    // Something that is found at once first, then for short bodies what takes longer to find.
    let quick = if body.ops.len() > TINY { long(cx, &body, limit, budget) } else { None };
    if body.ops.len() > SHORT {
        return quick;
    }
    let limit = quick.as_ref().map_or(limit.slots, |f| f.times.ii.min(limit.slots));
    thorough(cx, &body, limit, budget).or(quick)
}

/// Short bodies: the shortest schedule of all, if the budget allows.
fn thorough(cx: &Context, body: &Body, limit: i32, budget: &mut i64) -> Option<Found> {
    let body = &order::early_test(cx.code, body);
    let variants: Vec<Body> = variants(body);
    let classes = variants.iter().map(|v| [first_choice(v), as_allocated(v)]).collect();
    let links = variants.iter().map(|v| placement::links(cx.code, v, cx.queues)).collect();
    let mut search = Variants { cx, classes, variants, links, seed: 1, budget };
    let least = least(&body.ops);
    let best = search.upwards(least, limit)?;
    // As short, and without waiting for memory.
    Some(search.at(best.times.ii, 2, true).unwrap_or(best))
}

/// Long bodies: without waiting for memory, or else, where one wait serves all requests, as it
/// may be.
fn long(cx: &Context, body: &Body, limit: Limit, budget: &mut i64) -> Option<Found> {
    let asks = |i: &MInst| (0..2).any(|tmu| cx.queues[tmu] == Queue::Closed && deps::is_request(i, tmu));
    let latencies: &[i32] = match body.ops.iter().filter(|i| asks(i)).count() {
        0 => &[0],
        n if n > deps::MOST_REQUESTS => &[LATENCY],
        _ => &[LATENCY, 0],
    };
    latencies.iter().enumerate().find_map(|(k, &latency)| {
        let mut part = *budget / (latencies.len() - k) as i64;
        *budget -= part;
        let limit = if latency > 0 { limit.patient } else { limit.slots };
        let found = by_halves(cx, body, limit, latency, &mut part);
        *budget += part.max(0);
        found
    })
}

/// Instructions from a request to its result where nothing stalls if a cache has it.
const LATENCY: i32 = 12;

/// From what there is without pipelining halfway to the bound, and on from there with what worked.
fn by_halves(cx: &Context, body: &Body, limit: i32, latency: i32, budget: &mut i64) -> Option<Found> {
    let early = order::early_test(cx.code, body);
    let copied = order::with_early_copy(body);
    let late = order::with_late_copy(copied.as_ref().unwrap_or(&early));
    let moved = early.branch_at != body.branch_at;
    let plain = moved.then(|| body.clone());
    let mut bodies: Vec<Body> = plain.into_iter().chain([early]).chain(late).chain(copied).collect();
    let small = body.ops.len() <= SMALL;
    if small {
        let balanced: Vec<Body> = bodies.iter().filter_map(|b| balance::run(b, cx.registers)).collect();
        bodies.extend(balanced);
    }
    let loops: Vec<Loop> = bodies.iter().map(|b| Loop::new(cx, b, latency)).collect();
    let all = (0..loops.len()).flat_map(|l| (0..STRATEGIES.len()).map(move |s| (l, s, 0)));
    // Where every iteration waits for the one before, what decides about the next one comes last.
    let mut ways: Vec<(usize, usize, i32)> = all.chain([(0, 0, 1)]).collect();
    let (mut low, mut high) = (least(&body.ops), limit);
    let mut best: Option<Found> = None;
    // Nothing came near at some interval: the longest there is decides whether it is worth going on.
    let mut doubtful = false;
    // The last instruction or two of a long body are not worth what they cost to find.
    while low < high && (best.is_none() || low + high / 40 < high) && *budget > 0 {
        // Where patience makes it hard, what is easier to find first.
        let ii = match best {
            None if doubtful => high - 1,
            None if latency > 0 || small => low + (high - low) * 3 / 4,
            _ => low + (high - low) / 2,
        };
        let tried = if best.is_none() || small { ways.len() } else { WAYS };
        let (mut found, mut left) = (None, usize::MAX);
        for (way, &(l, s, ahead)) in ways.iter().enumerate().take(tried) {
            match loops[l].at((ii, ahead), s, budget) {
                Ok((times, registers)) => {
                    best = Some(Found { body: bodies[l].clone(), times, registers });
                    found = Some(way);
                    break;
                }
                Err(n) => left = left.min(n),
            }
            // What no strategy comes near to is not found on a body that differs in an operation or two, either.
            if way + 1 >= STRATEGIES.len() && is_far(left, body) {
                break;
            }
        }
        match found {
            Some(way) => {
                ways[..=way].rotate_right(1);
                high = ii;
            }
            None if doubtful => break,
            None => {
                doubtful = best.is_none() && is_far(left, body);
                low = ii + 1;
            }
        }
    }
    best
}

/// Whether so many operations without a time are too many for another attempt: where one finds times for all, others of the
/// same interval leave one or two.
fn is_far(left: usize, body: &Body) -> bool {
    left > 2 + body.ops.len() / 16
}

/// Ways that are tried for shorter intervals once one has worked.
const WAYS: usize = 3;

struct Variants<'a> {
    cx: &'a Context<'a>,
    variants: Vec<Body>,
    /// What depends on what in each variant.
    links: Vec<Links>,
    /// The places chosen last, per variant, from two starts.
    classes: Vec<[Vec<Class>; 2]>,
    seed: u32,
    budget: &'a mut i64,
}

impl Variants<'_> {
    /// From the bound upwards with few attempts, so that something is found; then downwards with more.
    fn upwards(&mut self, least: i32, limit: i32) -> Option<Found> {
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
    fn at(&mut self, ii: i32, attempts: u32, patient: bool) -> Option<Found> {
        for ((body, links), classes) in self.variants.iter().zip(&self.links).zip(&mut self.classes) {
            if least(&body.ops) > ii || *self.budget < 0 {
                continue;
            }
            let any = links.graph(|_| false, patient);
            *self.budget -= placement::cost_of_distances(&any);
            if placement::distances(&any, ii).is_none() {
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
fn variants(body: &Body) -> Vec<Body> {
    let mut out = with_copies(body);
    if let Some(late) = order::with_late_copy(body) {
        out.extend(with_copies(&late));
    }
    out
}

fn with_copies(body: &Body) -> Vec<Body> {
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
fn as_allocated(body: &Body) -> Vec<Class> {
    let class = |(web, in_a): (&super::body::Web, bool)| match web.home {
        _ if in_a => Class::File,
        Some(Reg::Acc(_)) => Class::Acc,
        _ if web.rotated => Class::Acc,
        _ => Class::File,
    };
    body.webs.iter().zip(body.in_a()).map(class).collect()
}

/// Short lives to accumulators; the others to files so that operands of one operation lie in different ones.
fn first_choice(body: &Body) -> Vec<Class> {
    let n = body.webs.len();
    let (mut first, mut last) = (vec![usize::MAX; n], vec![0; n]);
    for (i, inst) in body.ops.iter().enumerate() {
        for w in inst.reads().chain(inst.def()).filter_map(Reg::virt) {
            first[w as usize] = first[w as usize].min(i);
            last[w as usize] = last[w as usize].max(i);
        }
    }
    let written = body.webs.iter().filter(|w| !w.invariant).count();
    let mut classes: Vec<Class> = Vec::with_capacity(n);
    let mut busy = [0usize; 4];
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(|&w| first[w]);
    classes.resize(n, Class::File);
    let in_a = body.in_a();
    for w in order.into_iter().filter(|w| !in_a[*w]) {
        let web = &body.webs[w];
        let long = web.live_in.is_some() || web.live_out;
        if web.rotated || (!web.invariant && written <= 4) {
            classes[w] = Class::Acc;
        } else if !web.invariant
            && !long
            && last[w] <= first[w] + 6
            && let Some(b) = busy.iter_mut().find(|b| **b <= first[w])
        {
            *b = last[w];
            classes[w] = Class::Acc;
        }
    }
    classes
}

fn attempt_at(
    cx: &Context,
    (body, links): (&Body, &Links),
    classes: &mut [Class],
    (ii, patient): (i32, bool),
    seed: u32,
    budget: &mut i64,
) -> Option<(Times, Vec<Reg>)> {
    let banks = legal(body, classes, seed)?;
    let graph = links.graph(|w| classes[w as usize] != Class::Acc, patient);
    *budget -= placement::cost_of_distances(&graph);
    let Some(distances) = placement::distances(&graph, ii) else {
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
        let mut in_b: Vec<Option<bool>> = (0..classes.len())
            .map(|w| banks.group(w).map(|_| banks.in_b(w, &search.chosen).unwrap_or(false)))
            .collect();
        loop {
            match colour::assign(body, &in_b, &times, cx.registers) {
                Ok(registers) => return Some((times, registers)),
                Err(Short::Accumulators(webs)) => {
                    let moved = webs.iter().find_map(|&w| Some((w, file_for(body, &graph, &in_b, &times, w)?)));
                    match moved {
                        Some((w, side)) => in_b[w] = Some(side),
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

/// A file in which a web that has been given an accumulator can lie as well, with all times as they are.
fn file_for(body: &Body, graph: &Graph, in_b: &[Option<bool>], times: &Times, w: usize) -> Option<bool> {
    let this = Reg::Virt(w as u32);
    let after_write = |e: &&placement::Edge| {
        e.from < graph.n && e.to < graph.n && body.ops[e.from].def() == Some(this) && reads(&body.ops[e.to], this)
    };
    let early = |e: &placement::Edge| times.at[e.to] + e.iterations * times.ii - times.at[e.from] < 2 && e.distance > 0;
    if graph.edges.iter().filter(after_write).any(early) {
        return None;
    }
    let rows: Vec<usize> = (0..body.ops.len())
        .filter(|&op| reads(&body.ops[op], this) || body.ops[op].def() == Some(this))
        .map(|op| times.row(op))
        .collect();
    [false, true].into_iter().find(|&side| {
        let mut in_b = in_b.to_vec();
        in_b[w] = Some(side);
        rows.iter().all(|&row| {
            let mut names = Names::default();
            let ops = (0..body.ops.len()).filter(|&op| times.row(op) == row);
            let shapes: Vec<MInst> =
                ops.map(|op| banks::shape(&body.ops[op], |w| in_b[w as usize], &mut names)).collect();
            bundle::fit(&shapes.iter().collect::<Vec<_>>()).is_some()
        })
    })
}

fn reads(inst: &MInst, r: Reg) -> bool {
    inst.reads().any(|x| x == r) || (inst.keeps_destination() && inst.def() == Some(r))
}

/// Changes places until no operation has to read two registers of one file, or one of file B beside a small immediate.
fn legal(body: &Body, classes: &mut [Class], seed: u32) -> Option<Banks> {
    let mut random = Random::new(seed ^ 0x5555);
    let in_a = body.in_a();
    for _ in 0..classes.len() {
        match banks::of(body, classes) {
            Ok(banks) => return Some(banks),
            Err(webs) => {
                let one = random.below(2);
                let movable = |w: &&usize| !in_a[**w];
                let w = [webs[one], webs[1 - one]].iter().find(movable).copied()?;
                classes[w] = Class::Acc;
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

/// Changes the place of one web: of one that lies in a file, to an accumulator, or of any.
fn perturb(body: &Body, classes: &mut [Class], seed: u32, faster: bool) {
    let mut random = Random::new(seed);
    let mut rand = |n: usize| random.below(n);
    let in_a = body.in_a();
    let slow: Vec<usize> =
        (0..classes.len()).filter(|&w| classes[w] != Class::Acc && !body.webs[w].invariant && !in_a[w]).collect();
    if faster || (rand(2) == 0 && !slow.is_empty()) {
        if !slow.is_empty() {
            classes[slow[rand(slow.len())]] = Class::Acc;
        }
        return;
    }
    let free: Vec<usize> = (0..classes.len()).filter(|&w| !body.webs[w].rotated && !in_a[w]).collect();
    if free.is_empty() {
        return;
    }
    let w = free[rand(free.len())];
    classes[w] = match classes[w] {
        Class::File => Class::Acc,
        Class::Acc => Class::File,
    };
}

/// The operation with these registers for its webs.
pub fn settle(inst: &MInst, registers: &[Reg]) -> MInst {
    let mut out = *inst;
    out.map_registers(|r| match r {
        Reg::Virt(w) => registers[w as usize],
        other => other,
    });
    out
}
