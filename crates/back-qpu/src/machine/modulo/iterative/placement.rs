//! Modulo scheduling: a time for each operation of one iteration, so that iterations can start every `ii` instructions.
//!
//! Operations with the least freedom go first, each to the first instruction where everything fits; one that fits nowhere
//! pushes others out, within a budget (after Rau, "Iterative Modulo Scheduling", 1994, and Huff, "Lifetime-Sensitive Modulo
//! Scheduling", 1993).

use super::banks::{Banks, Names};
use crate::machine::modulo::body::Body;
use crate::machine::schedule::DELAY_SLOTS;
use crate::machine::schedule::deps::{self, Queue};
use crate::vc4::bundle;
use crate::vc4::minst::{Dst, MInst, Oper, Reg, Src};

/// `to` comes at least `distance` instructions after `from` of `iterations` iterations before.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    pub from: usize,
    pub to: usize,
    pub distance: i32,
    pub iterations: i32,
}

/// The dependences of a loop; the branch is the operation behind the last.
pub struct Graph {
    pub n: usize,
    pub edges: Vec<Edge>,
}

/// No dependence.
const NONE: i32 = i32::MIN / 4;

/// The dependences of a loop whatever lies where.
pub struct Links {
    n: usize,
    links: Vec<Link>,
}

/// A dependence, with all that its distance depends on.
struct Link {
    edge: Edge,
    /// Instructions after which nothing stalls.
    wish: i32,
    /// If this web lies in a file, at least two instructions.
    web: Option<u32>,
}

/// What depends on what in a loop.
pub fn links(code: &crate::vc4::minst::Code, body: &Body, queues: [Queue; 2]) -> Links {
    let n = body.ops.len();
    let flat = deps::graph_of_turns(code, &body.ops, 2, queues);
    let mut links = Vec::new();
    for from in 0..n {
        for e in flat.next(from) {
            let iterations = i32::from(e.to >= n);
            let edge = Edge { from, to: e.to % n, distance: e.distance as i32, iterations };
            links.push(Link { edge, wish: e.wish as i32, web: e.register });
        }
    }
    let mut edges = Vec::new();
    for (tmu, queue) in queues.into_iter().enumerate() {
        if queue == Queue::Closed {
            full_queue(&body.ops, tmu, &mut edges);
        }
    }
    if let Some(last) = body.ops[..body.branch_at].iter().rposition(|i| i.sf) {
        edges.push(Edge { from: last, to: n, distance: 1, iterations: 0 });
    }
    if let Some(next) = body.ops[body.branch_at..].iter().position(|i| i.sf) {
        edges.push(Edge { from: n, to: body.branch_at + next, distance: 0, iterations: 0 });
    } else if let Some(first) = body.ops.iter().position(|i| i.sf) {
        edges.push(Edge { from: n, to: first, distance: 0, iterations: 1 });
    }
    links.extend(edges.into_iter().map(|edge| Link { edge, wish: edge.distance, web: None }));
    Links { n, links }
}

impl Links {
    /// The graph; `in_file` knows the webs that lie in file A or B, `patient` keeps results of the TMU and the VPM far
    /// enough from what asks for them that nothing stalls.
    pub fn graph(&self, in_file: impl Fn(u32) -> bool, patient: bool) -> Graph {
        let distance = |link: &Link| {
            let distance = if patient { link.wish } else { link.edge.distance };
            distance.max(if link.web.is_some_and(&in_file) { 2 } else { 0 })
        };
        let edges = self.links.iter().map(|link| Edge { distance: distance(link), ..link.edge });
        Graph { n: self.n, edges: edges.collect() }
    }
}

/// A request waits until there is room in the queue, whichever iteration frees it.
fn full_queue(ops: &[MInst], tmu: usize, edges: &mut Vec<Edge>) {
    let find = |f: fn(&MInst, usize) -> bool| -> Vec<usize> { (0..ops.len()).filter(|&i| f(&ops[i], tmu)).collect() };
    let (requests, receives) = (find(deps::is_request), find(deps::is_receive));
    for (k, &from) in receives.iter().enumerate() {
        let later = k + deps::MOST_REQUESTS;
        if let Some(&to) = requests.get(later % requests.len().max(1)) {
            edges.push(Edge { from, to, distance: 1, iterations: (later / requests.len()) as i32 });
        }
    }
}

/// Whether an operation may run though its iteration does not happen.
pub fn may_be_in_vain(body: &Body, inst: &MInst) -> bool {
    let calm = |s: &Src| matches!(s, Src::Reg(_) | Src::Part(..) | Src::Imm(_) | Src::Element);
    let target = match inst.dst {
        Dst::None | Dst::Reg(Reg::R5) => true,
        Dst::Reg(Reg::Virt(w)) => !body.webs[w as usize].live_out,
        Dst::Peripheral(w, _) => w.is_sfu(),
        Dst::Reg(_) => false,
    };
    let computes = matches!(inst.op, Oper::Add(_) | Oper::Mul(_) | Oper::Mov | Oper::Ldi(_));
    computes && target && inst.src.iter().flatten().all(calm)
}

/// Times of one iteration's operations.
#[derive(Clone, Debug)]
pub struct Times {
    pub ii: i32,
    /// Stage of the branch: operations of earlier stages run ahead of the branch that decides about their iteration.
    pub branch_stage: i32,
    /// Per operation.
    pub at: Vec<i32>,
}

impl Times {
    /// Row of an operation.
    pub fn row(&self, op: usize) -> usize {
        (self.at[op] % self.ii) as usize
    }

    /// Stage of an operation.
    pub fn stage(&self, op: usize) -> i32 {
        self.at[op] / self.ii
    }

    /// Stages that the operations take.
    pub fn stages(&self) -> i32 {
        (0..self.at.len()).map(|op| self.stage(op)).max().unwrap_or(0) + 1
    }

    /// Row of the branch: only its delay slots come behind it.
    pub fn branch_row(ii: i32) -> usize {
        ii as usize - 1 - DELAY_SLOTS
    }
}

/// What [`distances`] takes off a budget of steps.
pub fn cost_of_distances(graph: &Graph) -> i64 {
    let m = graph.n as i64 + 1;
    2 * m * m
}

/// Rounds after which the longest ways still change only if a cycle is too long, or a chain crosses many iterations.
const MOST_ROUNDS: usize = 10;

/// Longest ways between all operations at this interval, or `None` if some cycle is too long for it.
pub fn distances(graph: &Graph, ii: i32) -> Option<Vec<i32>> {
    let m = graph.n + 1;
    // Nearly all edges go forward in the order of operations, so a round in that order follows a whole chain.
    let mut edges: Vec<(usize, usize, i32)> =
        graph.edges.iter().map(|e| (e.from, e.to, e.distance - e.iterations * ii)).collect();
    edges.sort_unstable_by_key(|e| (e.0, e.1, std::cmp::Reverse(e.2)));
    edges.dedup_by_key(|e| (e.0, e.1));
    let mut d = vec![NONE; m * m];
    for (from, row) in d.chunks_mut(m).enumerate() {
        row[from] = 0;
        let mut rounds = 0;
        loop {
            let mut changed = false;
            for &(a, b, way) in &edges {
                let there = row[a];
                if there != NONE && there + way > row[b] {
                    row[b] = there + way;
                    changed = true;
                }
            }
            rounds += 1;
            if row[from] > 0 || rounds > MOST_ROUNDS {
                return None;
            }
            if !changed {
                break;
            }
        }
    }
    Some(d)
}

/// Longest ways, from each operation and to each.
pub struct Ways {
    m: usize,
    from: Vec<i32>,
    to: Vec<i32>,
}

impl Ways {
    /// The ways that [`distances`] has found.
    pub fn new(graph: &Graph, distances: Vec<i32>) -> Ways {
        let m = graph.n + 1;
        let to = (0..m * m).map(|k| distances[k % m * m + k / m]).collect();
        Ways { m, from: distances, to }
    }

    fn from(&self, op: usize) -> &[i32] {
        &self.from[op * self.m..][..self.m]
    }

    fn to(&self, op: usize) -> &[i32] {
        &self.to[op * self.m..][..self.m]
    }
}

/// What a search needs.
pub struct Search<'a> {
    pub body: &'a Body,
    pub banks: &'a Banks,
    pub ways: &'a Ways,
    pub ii: i32,
    pub branch_stage: i32,
    /// Stages that the operations may take.
    pub stages: i32,
    /// Steps that may still be taken, over all searches of a kernel.
    pub budget: &'a mut i64,
    /// Changes ties.
    pub seed: u32,
    /// After a search: whether each group of webs lies in file B.
    pub chosen: Vec<Option<bool>>,
}

/// Groups of webs and the side that each would take.
type Choice = [Option<(usize, bool)>; 3];

struct State {
    at: Vec<Option<i32>>,
    /// Where an operation was last, so that it moves on when it comes again.
    last: Vec<i32>,
    rows: Vec<Vec<usize>>,
    /// Per group of webs, whether it lies in file B, and how many operations that have their places say so.
    sides: Vec<Option<bool>>,
    uses: Vec<u32>,
    /// Per operation, the first and the last time that what has its place leaves to it.
    lo: Vec<i32>,
    hi: Vec<i32>,
    /// The first time of an operation that must not run in vain.
    floor: Vec<i32>,
    /// Per operation, what changes ties.
    jitter: Vec<i32>,
}

impl Search<'_> {
    /// A time for every operation, if the budget allows.
    pub fn run(&mut self) -> Option<Times> {
        let n = self.body.ops.len();
        let jitter = |op: usize| (self.seed.wrapping_mul(0x9e37_79b9).wrapping_mul(op as u32 * 2 + 1) >> 20) as i32 % 3;
        let floor = |op: &MInst| if may_be_in_vain(self.body, op) { 0 } else { self.branch_stage * self.ii };
        let mut state = State {
            at: vec![None; n + 1],
            last: vec![-1; n],
            rows: vec![Vec::new(); self.ii as usize],
            sides: self.banks.forced.clone(),
            uses: vec![0; self.banks.forced.len()],
            lo: Vec::with_capacity(n),
            hi: Vec::with_capacity(n),
            floor: self.body.ops.iter().map(floor).collect(),
            jitter: (0..n).map(jitter).collect(),
        };
        state.at[n] = Some(self.branch_stage * self.ii + Times::branch_row(self.ii) as i32);
        let mut own = 5 * n as i64 + 20;
        self.renew(&mut state);
        if state.lo.iter().zip(&state.hi).any(|(lo, hi)| hi < lo) {
            return None;
        }
        while let Some(op) = next(&state) {
            own -= 1;
            *self.budget -= n as i64 + 20;
            if own < 0 || *self.budget < 0 {
                return None;
            }
            let (lo, hi) = (state.lo[op], state.hi[op]);
            let fits = |t: i32| self.fits(&state, &state.rows[(t % self.ii) as usize], op, t).map(|sides| (t, sides));
            let last = hi.min(lo + self.ii - 1);
            let late = self.late(op, &state);
            let found = if late { (lo..=last).rev().find_map(fits) } else { (lo..=last).find_map(fits) };
            match found {
                Some((t, sides)) => self.put(&mut state, op, t, sides),
                None => self.force(&mut state, op, lo)?,
            }
        }
        let at = state.at[..n].iter().map(|t| t.expect("everything is placed")).collect();
        self.chosen = state.sides;
        Some(Times { ii: self.ii, branch_stage: self.branch_stage, at })
    }

    /// The times between which each operation must lie, for what has its place already.
    fn renew(&self, state: &mut State) {
        let n = self.body.ops.len();
        state.lo.clear();
        state.lo.extend_from_slice(&state.floor);
        state.hi.clear();
        state.hi.resize(n, self.stages * self.ii - 1);
        for other in 0..state.at.len() {
            if let Some(t) = state.at[other] {
                self.narrow(state, other, t);
            }
        }
    }

    /// What the place of one operation means for all. Where there is no way, it changes nothing, because [`NONE`] is far away.
    fn narrow(&self, state: &mut State, placed: usize, t: i32) {
        for (lo, there) in state.lo.iter_mut().zip(self.ways.from(placed)) {
            *lo = (*lo).max(t + there);
        }
        for (hi, back) in state.hi.iter_mut().zip(self.ways.to(placed)) {
            *hi = (*hi).min(t - back);
        }
    }

    /// Whether an operation had better come late: what uses its result has its place, what makes its operands has not.
    fn late(&self, op: usize, state: &State) -> bool {
        let mut after = false;
        for (other, (back, there)) in self.ways.to(op).iter().zip(self.ways.from(op)).enumerate() {
            if state.at[other].is_some() && other != op {
                if *back >= 0 {
                    return false;
                }
                after |= *there >= 0;
            }
        }
        after
    }

    /// Whether an operation fits into an instruction beside others, and what its groups of webs have to choose for that.
    fn fits(&self, state: &State, row: &[usize], op: usize, t: i32) -> Option<Choice> {
        if (t % self.ii) as usize == Times::branch_row(self.ii) || row.len() >= 3 {
            return None;
        }
        let inst = &self.body.ops[op];
        let add = |i: &MInst| matches!(i.op, Oper::Add(_));
        let mul = |i: &MInst| matches!(i.op, Oper::Mul(_)) || i.rotate != crate::vc4::minst::Rotate::None;
        let taken = |&k: &usize| {
            let other = &self.body.ops[k];
            add(other) && add(inst) || mul(other) && mul(inst)
        };
        if row.iter().any(taken) {
            return None;
        }
        let (mut open, mut n) = ([usize::MAX; 3], 0);
        for g in self.banks.groups(inst).filter(|g| state.sides[*g].is_none()) {
            if !open[..n].contains(&g) {
                open[n] = g;
                n += 1;
            }
        }
        open.sort_unstable();
        for choice in 0..1u32 << n {
            let mut out = Choice::default();
            for (i, &g) in open[..n].iter().enumerate() {
                let flip = self.seed.wrapping_mul(g as u32 * 2 + 1) >> 9 & 1;
                out[i] = Some((g, (choice >> i ^ flip) & 1 == 1));
            }
            if self.fit(&state.sides, &out, row, inst) {
                return Some(out);
            }
        }
        None
    }

    fn fit(&self, sides: &[Option<bool>], choice: &Choice, row: &[usize], inst: &MInst) -> bool {
        let mut names = Names::default();
        let side = |g: usize| sides[g].or_else(|| choice.iter().flatten().find(|c| c.0 == g).map(|c| c.1));
        let first = self.banks.shape(inst, side, &mut names);
        let mut ops = [first; 3];
        for (slot, &k) in ops[1..].iter_mut().zip(row) {
            *slot = self.banks.shape(&self.body.ops[k], side, &mut names);
        }
        let refs = [&ops[0], &ops[1], &ops[2]];
        bundle::fit(&refs[..=row.len()]).is_some()
    }

    fn put(&self, state: &mut State, op: usize, t: i32, choice: Choice) {
        state.at[op] = Some(t);
        state.last[op] = t;
        state.rows[(t % self.ii) as usize].push(op);
        for (g, side) in choice.into_iter().flatten() {
            state.sides[g] = Some(side);
        }
        self.banks.groups(&self.body.ops[op]).for_each(|g| state.uses[g] += 1);
        self.narrow(state, op, t);
    }

    fn remove(&self, state: &mut State, op: usize) {
        if let Some(t) = state.at[op].take() {
            state.rows[(t % self.ii) as usize].retain(|&k| k != op);
            for g in self.banks.groups(&self.body.ops[op]) {
                state.uses[g] -= 1;
                if state.uses[g] == 0 {
                    state.sides[g] = self.banks.forced[g];
                }
            }
        }
    }

    /// Puts an operation where it does not fit, and takes out what is in its way; `None` if that is the branch.
    fn force(&self, state: &mut State, op: usize, from: i32) -> Option<()> {
        let n = self.body.ops.len();
        let branch = state.at[n].expect("the branch has its place");
        let lo = state.floor[op].max(branch + self.ways.to(op)[n]);
        let hi = (self.stages * self.ii - 1).min(branch - self.ways.from(op)[n]);
        if hi < lo {
            return None;
        }
        let free = |t: &i32| (*t % self.ii) as usize != Times::branch_row(self.ii);
        let start = from.clamp(lo, hi);
        // Every time further on, so that in the end what comes after it gives way.
        let start = if (start..hi).contains(&state.last[op]) { state.last[op] + 1 } else { start };
        let t = (start..=hi).chain(lo..start).find(free)?;
        let row = (t % self.ii) as usize;
        let choice = loop {
            if let Some(choice) = self.fits(state, &state.rows[row], op, t) {
                break choice;
            }
            let alone = |k: &usize| {
                let others: Vec<usize> = state.rows[row].iter().copied().filter(|x| x != k).collect();
                self.fits(state, &others, op, t).is_some()
            };
            let victim = state.rows[row].iter().copied().find(alone).or(state.rows[row].first().copied())?;
            self.remove(state, victim);
        };
        self.put(state, op, t, choice);
        self.make_way(state, op, t);
        Some(())
    }

    /// Takes out what cannot stay where it is, now that `op` stands at `t`.
    fn make_way(&self, state: &mut State, op: usize, t: i32) {
        for other in 0..self.body.ops.len() {
            if let Some(s) = state.at[other]
                && other != op
                && (s + self.ways.to(op)[other] > t || t + self.ways.from(op)[other] > s)
            {
                self.remove(state, other);
            }
        }
        self.renew(state);
    }
}

/// The operation that has no place yet and comes first.
fn next(state: &State) -> Option<usize> {
    let key = |&op: &usize| (state.hi[op] - state.lo[op] + state.jitter[op], state.lo[op], op);
    (0..state.lo.len()).filter(|&op| state.at[op].is_none()).min_by_key(key)
}
