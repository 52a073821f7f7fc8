//! What depends on what in a loop, and the times that this leaves to its operations.

use super::body::Body;
use crate::machine::code::Code;
use crate::machine::isa::{Instruction, Isa};
use crate::machine::registers::Reg;
use crate::machine::schedule::deps::{self, Queue, Queues};

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
pub const NONE: i32 = i32::MIN / 4;

/// The dependences of a loop whatever lies where.
pub struct Links {
    n: usize,
    file_latency: i32,
    links: Vec<Link>,
}

/// A dependence, with all that its distance depends on.
struct Link {
    edge: Edge,
    /// Instructions after which nothing stalls.
    wish: i32,
    /// If this web lies in a file, at least [`Isa::FILE_LATENCY`].
    web: Option<u32>,
}

/// What depends on what in a loop.
pub fn links<I: Isa>(code: &Code<I>, body: &Body<I>, queues: Queues) -> Links {
    let n = body.ops.len();
    let flat = deps::graph_of_iterations(code, &body.ops, 2, queues);
    let mut links = Vec::new();
    for from in 0..n {
        for e in flat.next(from) {
            let iterations = i32::from(e.to >= n);
            let edge = Edge { from, to: e.to % n, distance: e.distance as i32, iterations };
            links.push(Link { edge, wish: e.wish as i32, web: e.register });
        }
    }
    let mut edges = Vec::new();
    for (n_queue, queue) in queues.into_iter().enumerate() {
        if queue == Queue::Closed {
            full_queue::<I>(&body.ops, n_queue, &mut edges);
        }
    }
    if let Some(last) = body.ops[..body.branch_at].iter().rposition(|i| i.sets_flags()) {
        edges.push(Edge { from: last, to: n, distance: 1, iterations: 0 });
    }
    if let Some(next) = body.ops[body.branch_at..].iter().position(|i| i.sets_flags()) {
        edges.push(Edge { from: n, to: body.branch_at + next, distance: 0, iterations: 0 });
    } else if let Some(first) = body.ops.iter().position(|i| i.sets_flags()) {
        edges.push(Edge { from: n, to: first, distance: 0, iterations: 1 });
    }
    links.extend(edges.into_iter().map(|edge| Link { edge, wish: edge.distance, web: None }));
    Links { n, links, file_latency: I::FILE_LATENCY as i32 }
}

impl Links {
    /// The graph; `in_file` knows the webs that lie in a file, `patient` keeps results of queues and memory far
    /// enough from what asks for them that nothing stalls.
    pub fn graph(&self, in_file: impl Fn(u32) -> bool, patient: bool) -> Graph {
        let distance = |link: &Link| {
            let distance = if patient { link.wish } else { link.edge.distance };
            distance.max(if link.web.is_some_and(&in_file) { self.file_latency } else { 0 })
        };
        let edges = self.links.iter().map(|link| Edge { distance: distance(link), ..link.edge });
        Graph { n: self.n, edges: edges.collect() }
    }
}

/// A request waits until there is room in the queue, whichever iteration frees it.
fn full_queue<I: Isa>(ops: &[I::Inst], queue: usize, edges: &mut Vec<Edge>) {
    let find =
        |f: fn(&I::Inst, usize) -> bool| -> Vec<usize> { (0..ops.len()).filter(|&i| f(&ops[i], queue)).collect() };
    let (requests, receives) = (find(Instruction::is_request), find(Instruction::is_receive));
    for (k, &from) in receives.iter().enumerate() {
        let later = k + I::MOST_REQUESTS;
        if let Some(&to) = requests.get(later % requests.len().max(1)) {
            edges.push(Edge { from, to, distance: 1, iterations: (later / requests.len()) as i32 });
        }
    }
}

/// Whether an operation may run though its iteration does not happen.
pub fn may_be_in_vain<I: Isa>(body: &Body<I>, inst: &I::Inst) -> bool {
    let lives_on = inst.def().and_then(Reg::virt).is_some_and(|w| body.webs[w as usize].live_out);
    inst.may_be_in_vain() && !lives_on
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
}

/// Row of the branch: only its delay slots come behind it.
pub fn branch_row<I: Isa>(ii: i32) -> usize {
    ii as usize - 1 - I::DELAY_SLOTS
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

    pub fn from(&self, op: usize) -> &[i32] {
        &self.from[op * self.m..][..self.m]
    }

    pub fn to(&self, op: usize) -> &[i32] {
        &self.to[op * self.m..][..self.m]
    }
}
