//! Modulo scheduling of long bodies: instruction by instruction in the order of time, with a register for each value as soon
//! as it is written.
//!
//! An operation goes to the first instruction where its operands are there, a unit and the read ports are free, and its result
//! finds a register; times run over two rounds of the loop, so what comes late fills what the first round left empty. What
//! that leaves wrong (an operation that came too late for the next iteration, a value that outlived its register) is noted,
//! and everything is placed again with what has been learned, a few times (after list scheduling as in Lam, "Software
//! Pipelining", 1988). A pass costs about the number of operations times those that are ready at once.

mod occupancy;
mod partial;
mod pass;

use super::body::{Body, is_fixed};
use super::found::Context;
use super::graph::{self, Times, branch_row};
use crate::machine::isa::{Instruction, Isa, MOST_QUEUES, Operand};
use crate::machine::kind::Kind;
use crate::machine::registers::{self, Reg};
use crate::machine::schedule::deps::Queue;
use pass::Pass;

/// Passes per interval.
const PASSES: usize = 3;

/// How a pass chooses.
#[derive(Clone, Copy)]
pub struct Strategy {
    /// Operations that take a register overtake at most so many others of the program's order.
    pub window: usize,
    /// Webs go where they were, if they can.
    pub home: bool,
}

/// What passes try one after the other: loops with registers to spare are filled as early as they can be, the others step by step.
pub const STRATEGIES: [Strategy; 3] = [
    Strategy { window: usize::MAX, home: false },
    Strategy { window: 20, home: true },
    Strategy { window: 15, home: true },
];

/// A dependence: `near` instructions later if what is written lies in a quick register, `far` if in a file.
#[derive(Clone, Copy, Default)]
pub struct Edge {
    pub other: u32,
    pub near: i32,
    pub far: i32,
}

/// Edges of each operation, side by side.
pub struct Edges {
    first: Vec<u32>,
    edges: Vec<Edge>,
}

impl Edges {
    /// From edges with the operation that each belongs to.
    fn new(n: usize, list: &[(usize, Edge)]) -> Edges {
        let mut first = vec![0u32; n + 2];
        for (op, _) in list {
            first[op + 2] += 1;
        }
        for i in 2..n + 2 {
            first[i] += first[i - 1];
        }
        let mut edges = vec![Edge::default(); list.len()];
        for (op, edge) in list {
            edges[first[op + 1] as usize] = *edge;
            first[op + 1] += 1;
        }
        Edges { first, edges }
    }

    /// The edges of an operation.
    pub fn of(&self, op: usize) -> &[Edge] {
        &self.edges[self.first[op] as usize..self.first[op + 1] as usize]
    }
}

/// The dependences of a loop.
pub struct Dependences {
    /// Within an iteration, and from one to the next: to later operations, and from those of the iteration before.
    pub next: Edges,
    pub previous: Edges,
    pub waiting: Vec<u32>,
    pub again: Edges,
    pub before: Edges,
    /// Per operation, how many instructions it must come behind the branch, of which iteration before, or in front of it.
    pub after_branch: Vec<Option<(i32, i32)>>,
    pub until_branch: Vec<Option<i32>>,
}

/// What does not change from pass to pass.
pub struct Loop<'a, I: Isa> {
    pub cx: &'a Context<'a, I>,
    pub body: &'a Body<I>,
    pub depends: Dependences,
    pub kinds: Vec<Kind>,
    /// Per operation, the webs that it reads, filled up with one that does not exist.
    pub reads: Vec<[u32; 3]>,
    /// Per operation, the web that it writes, or the one that does not exist.
    pub writes: Vec<u32>,
    /// Operations that give a web its register.
    pub takes: Vec<bool>,
    /// Per web, how many operations read it, and who reads it beside which operand.
    pub readers: Vec<u32>,
    pub partners: Vec<Vec<Operand>>,
    /// Per web, whether it must lie in the first file.
    pub in_first: Vec<bool>,
    /// Per web, how long it lives if every operation comes as early as its operands allow.
    first_lives: Vec<i32>,
}

/// The rounds of a loop.
#[derive(Clone, Copy)]
pub struct Round {
    pub ii: i32,
    /// Rounds of an iteration that come before the one whose branch decides about it.
    pub ahead: i32,
}

impl Round {
    /// The first time that is too late.
    pub fn end(self) -> i32 {
        (self.ahead + 2) * self.ii
    }

    /// The time of the branch.
    pub fn branch<I: Isa>(self) -> i32 {
        self.ahead * self.ii + branch_row::<I>(self.ii) as i32
    }
}

/// What the passes have learned.
#[derive(Clone, Default)]
pub struct Learned {
    pub floor: Vec<i32>,
    /// Per operation, how much earlier than it must it should come.
    pub hurry: Vec<i32>,
    /// Per web, how long it lives, as far as is known.
    pub life: Vec<i32>,
}

impl Dependences {
    /// Those of a body; results come `latency` instructions after their requests.
    fn of<I: Isa>(cx: &Context<I>, body: &Body<I>, latency: i32) -> Dependences {
        let n = body.ops.len();
        let links = graph::links(cx.code, body, cx.queues);
        let (near, far) = (links.graph(|_| false, false), links.graph(|_| true, false));
        let (mut next, mut again, mut before) = (Vec::new(), Vec::new(), Vec::new());
        let (mut previous, mut waiting) = (Vec::new(), vec![0; n]);
        let (mut after_branch, mut until_branch) = (vec![None; n], vec![None; n]);
        for (e, f) in near.edges.iter().zip(&far.edges) {
            // Who asks for a result too early waits for it; queues that stay open do not tell whose result it is.
            let receives = |q: usize| {
                let pair = body.ops[e.from].is_request(q) && body.ops[e.to].is_receive(q);
                pair && cx.queues[q] == Queue::Closed && e.iterations == 0
            };
            let receives = !is_last(n, e) && (0..MOST_QUEUES).any(receives);
            let late = if receives { latency } else { 0 };
            let edge =
                |other: usize| Edge { other: other as u32, near: e.distance.max(late), far: f.distance.max(late) };
            match (e.from == n, e.to == n) {
                (true, _) => after_branch[e.to] = Some((e.distance, e.iterations)),
                (_, true) => until_branch[e.from] = Some(e.distance),
                _ if e.iterations == 0 => {
                    next.push((e.from, edge(e.to)));
                    previous.push((e.to, edge(e.from)));
                    waiting[e.to] += 1;
                }
                _ if e.iterations == 1 => {
                    again.push((e.from, edge(e.to)));
                    before.push((e.to, edge(e.from)));
                }
                // Two iterations and more later there is always time enough.
                _ => {}
            }
        }
        let [next, previous, again, before] = [next, previous, again, before].map(|list| Edges::new(n, &list));
        Dependences { next, previous, waiting, again, before, after_branch, until_branch }
    }
}

impl<'a, I: Isa> Loop<'a, I> {
    /// The loop with its dependences; results come `latency` instructions after their requests.
    pub fn new(cx: &'a Context<'a, I>, body: &'a Body<I>, latency: i32) -> Loop<'a, I> {
        let (readers, partners) = who_reads(body);
        let kinds = body.ops.iter().map(I::Inst::kind).collect();
        let mut known: Vec<bool> = body.webs.iter().map(is_fixed).collect();
        let takes = body.ops.iter().map(|i| {
            let w = i.def().and_then(Reg::virt);
            w.is_some_and(|w| !std::mem::replace(&mut known[w as usize], true))
        });
        let takes = takes.collect();
        let none = body.webs.len() as u32;
        let reads = body.ops.iter().map(|i| {
            let mut webs = webs_read(i).map(|w| w as u32);
            [(); 3].map(|()| webs.next().unwrap_or(none))
        });
        let mut this = Loop {
            cx,
            body,
            depends: Dependences::of(cx, body, latency),
            kinds,
            reads: reads.collect(),
            writes: body.ops.iter().map(|i| i.def().and_then(Reg::virt).unwrap_or(none)).collect(),
            takes,
            readers,
            partners,
            in_first: body.in_first(),
            first_lives: Vec::new(),
        };
        this.first_lives = this.first_lives();
        this
    }

    /// Times and registers with this interval, if a few passes of this strategy find any; `ahead` rounds of an iteration
    /// come before the branch that decides about it.
    ///
    /// # Errors
    /// How many operations the best pass found no time for.
    pub fn at(&self, (ii, ahead): (i32, i32), strategy: usize, budget: &mut i64) -> Result<(Times, Vec<Reg>), usize> {
        let n = self.body.ops.len();
        let none = || Learned { floor: vec![0; n], hurry: vec![0; n], life: self.first_lives.clone() };
        let round = Round { ii, ahead };
        let strategy = STRATEGIES[strategy];
        let mut pass = Pass::new(self, round, strategy);
        // Without registers first: how long values live then.
        pass.free = true;
        pass.start(none());
        pass.run(budget);
        let mut learned = Learned { life: self.lives(&pass.at), ..none() };
        pass.free = false;
        let mut least = usize::MAX;
        for tries in 0..2 * PASSES {
            pass.start(learned);
            if pass.run(budget) {
                let at = pass.at.iter().map(|t| t.expect("every operation has its time")).collect();
                let registers = pass.registers.iter().map(|r| r.unwrap_or(registers::at(0))).collect();
                return Ok((Times { ii, branch_stage: ahead, at }, registers));
            }
            // No nearer than before, or after some tries still far away.
            let left = pass.at.iter().filter(|t| t.is_none()).count();
            let far = 4 * left > n || (tries + 1 >= PASSES && left > 1);
            if *budget < 0 || pass.is_hopeless() || left > least || far {
                return Err(left.min(least));
            }
            least = left;
            learned = pass.learned();
        }
        Err(least)
    }

    /// How long webs live if every operation comes as early as its operands allow.
    fn first_lives(&self) -> Vec<i32> {
        let n = self.body.ops.len();
        let mut at = vec![0; n];
        for i in 0..n {
            for e in self.depends.next.of(i) {
                at[e.other as usize] = at[e.other as usize].max(at[i] + e.near);
            }
        }
        self.lives(&at.into_iter().map(Some).collect::<Vec<_>>())
    }

    /// How long webs live with these times.
    fn lives(&self, at: &[Option<i32>]) -> Vec<i32> {
        let webs = self.body.webs.len();
        let (mut first, mut last) = (vec![i32::MAX; webs], vec![0; webs]);
        for (inst, at) in self.body.ops.iter().zip(at) {
            let Some(at) = *at else { continue };
            if let Some(w) = inst.def().and_then(Reg::virt) {
                first[w as usize] = first[w as usize].min(at);
            }
            webs_read(inst).for_each(|w| last[w] = last[w].max(at));
        }
        first.iter().zip(&last).map(|(f, l)| l.saturating_sub(*f).max(1)).collect()
    }
}

/// Per web, how many operations read it, and the operands that they read beside it.
fn who_reads<I: Isa>(body: &Body<I>) -> (Vec<u32>, Vec<Vec<Operand>>) {
    let mut readers = vec![0; body.webs.len()];
    let mut partners = vec![Vec::new(); body.webs.len()];
    for inst in &body.ops {
        for w in webs_read(inst) {
            readers[w] += 1;
        }
        if let [Some(a), Some(b)] = inst.operands() {
            for (x, y) in [(a, b), (b, a)] {
                if let Some(w) = x.reg().and_then(Reg::virt) {
                    partners[w as usize].push(y);
                }
            }
        }
    }
    (readers, partners)
}

/// Whether an edge begins or ends at the branch.
fn is_last(n: usize, e: &graph::Edge) -> bool {
    e.from == n || e.to == n
}

/// The webs that an operation reads, one that it writes only in some lanes included, each once.
fn webs_read<T: Instruction>(inst: &T) -> impl Iterator<Item = usize> + use<T> {
    let [a, b] = inst.operands().map(|s| s?.reg()?.virt());
    let mut webs: [Option<u32>; 3] = [a, b, None];
    if inst.keeps_destination() {
        webs[2] = inst.def().and_then(Reg::virt);
    }
    if webs[1] == webs[0] {
        webs[1] = None;
    }
    if webs[2] == webs[0] || webs[2] == webs[1] {
        webs[2] = None;
    }
    webs.into_iter().flatten().map(|w| w as usize)
}
