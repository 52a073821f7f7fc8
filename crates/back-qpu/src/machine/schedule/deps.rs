//! Which operations of a block must come after which, and how many instructions later.

use crate::machine::code::Code;
use crate::machine::isa::{Distance, Instruction, Isa, MOST_QUEUES, Resource};
use crate::machine::registers::{Reg, flags};

/// An edge of the dependency graph.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub to: usize,
    /// At least so many instructions later; 0 allows the same instruction.
    pub distance: u32,
    /// So many instructions later nothing stalls; at least `distance`.
    pub wish: u32,
    /// The virtual register that is written and read: if it lies in a file, it is read at least [`Isa::FILE_LATENCY`] later.
    pub register: Option<u32>,
}

/// The dependencies of a block.
pub(crate) struct Graph {
    /// Those of instruction `i` are `edges[first[i]..first[i + 1]]`.
    first: Vec<u32>,
    edges: Vec<Edge>,
    pub waiting: Vec<u32>,
}

/// How the results of one queue are ordered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Queue {
    /// Every block collects what it asked for: requests may run ahead of results.
    Closed,
    /// Requests stay open from block to block: requests and results keep their order.
    Open,
}

/// What is known of the queues.
pub type Queues = [Queue; MOST_QUEUES];

/// Whether each queue is empty between blocks.
pub fn queues<I: Isa>(code: &Code<I>) -> Queues {
    [0, 1].map(|queue| {
        let closed = code.blocks.iter().all(|block| {
            let mut waiting = 0i32;
            let mut fine = true;
            for inst in &block.insts {
                waiting += i32::from(inst.is_request(queue)) - i32::from(inst.is_receive(queue));
                fine &= (0..=I::MOST_REQUESTS as i32).contains(&waiting);
            }
            fine && waiting == 0
        });
        if closed { Queue::Closed } else { Queue::Open }
    })
}

/// What operations share, as numbers: registers, flags, what keeps its order, queues, virtual registers.
struct Numbers {
    flags: usize,
    queues: usize,
    virtuals: usize,
}

impl Numbers {
    fn of<I: Isa>() -> Numbers {
        let flags = flags::<I>();
        let queues = flags + 1 + I::ORDERS;
        Numbers { flags, queues, virtuals: queues + MOST_QUEUES }
    }

    fn number(&self, what: Resource) -> usize {
        match what {
            Resource::Register(Reg::Phys(n)) => n.into(),
            Resource::Register(Reg::Virt(n)) => self.virtuals + n as usize,
            Resource::Flags => self.flags,
            Resource::Order(n) => self.flags + 1 + n,
            Resource::Queue(n) => self.queues + n,
        }
    }
}

/// Whether the order of all that touches this is kept, reads and writes alike.
fn keeps_order(what: Resource) -> bool {
    matches!(what, Resource::Order(_) | Resource::Queue(_))
}

/// What an operation reads.
pub(crate) fn reads<I: Isa>(code: &Code<I>, inst: &I::Inst) -> Vec<Resource> {
    let mut out = Vec::new();
    for_each_read(code, inst, |r| out.push(r));
    out
}

/// Calls `f` on what an operation reads.
fn for_each_read<I: Isa>(code: &Code<I>, inst: &I::Inst, mut f: impl FnMut(Resource)) {
    let mut register = |r: Reg| f(Resource::Register(r));
    inst.for_each_read(&mut register);
    if inst.probe().is_some() {
        code.probed(inst).for_each(register);
    }
    if inst.reads_flags() {
        f(Resource::Flags);
    }
}

/// What an operation writes.
pub(crate) fn writes(inst: &impl Instruction, queues: Queues) -> Vec<Resource> {
    let mut out = Vec::new();
    for_each_write(inst, queues, |r| out.push(r));
    out
}

/// Calls `f` on what an operation writes.
fn for_each_write(inst: &impl Instruction, queues: Queues, mut f: impl FnMut(Resource)) {
    inst.def().into_iter().for_each(|r| f(Resource::Register(r)));
    if inst.sets_flags() {
        f(Resource::Flags);
    }
    inst.also_writes().into_iter().for_each(|r| f(Resource::Register(r)));
    inst.orders(|n| f(Resource::Order(n)));
    for (n, queue) in queues.into_iter().enumerate() {
        if inst.is_fence() || queue == Queue::Open && uses_queue(inst, n) {
            f(Resource::Queue(n));
        }
    }
}

fn uses_queue(inst: &impl Instruction, queue: usize) -> bool {
    inst.is_request(queue) || inst.is_receive(queue)
}

/// The queues of which an operation has to stay behind what stands between requests: fences.
fn guards(inst: &impl Instruction, queues: Queues) -> impl Iterator<Item = Resource> {
    let closed = move |n: &usize| queues[*n] == Queue::Closed && uses_queue(inst, *n);
    (0..MOST_QUEUES).filter(closed).map(Resource::Queue)
}

/// No entry of a list.
const NONE: u32 = u32::MAX;

/// Who has read what since it was written last: lists in one vector.
struct Readers {
    /// Per resource, its last reader's entry.
    last: Vec<u32>,
    /// Reader, and the entry of the one before it.
    entries: Vec<(u32, u32)>,
}

impl Readers {
    fn add(&mut self, resource: usize, reader: usize) {
        self.entries.push((reader as u32, self.last[resource]));
        self.last[resource] = self.entries.len() as u32 - 1;
    }

    /// Takes the readers of something out.
    fn take(&mut self, resource: usize) -> impl Iterator<Item = usize> {
        let mut at = std::mem::replace(&mut self.last[resource], NONE);
        std::iter::from_fn(move || {
            let &(reader, before) = self.entries.get(at as usize)?;
            at = before;
            Some(reader as usize)
        })
    }
}

/// Builds the graph of a block's instructions.
pub(crate) fn graph<I: Isa>(code: &Code<I>, insts: &[I::Inst], queues: Queues) -> Graph {
    graph_of_iterations(code, insts, 1, queues)
}

/// Builds the graph of so many iterations, one behind the other. Virtual registers are taken to be quick; edges name them.
pub(crate) fn graph_of_iterations<I: Isa>(
    code: &Code<I>,
    insts: &[I::Inst],
    iterations: usize,
    queues: Queues,
) -> Graph {
    let n = insts.len() * iterations;
    let numbers = Numbers::of::<I>();
    let virtuals = insts.iter().flat_map(|i| i.reads().chain(i.def())).filter_map(Reg::virt).max();
    let resources = numbers.virtuals + virtuals.map_or(0, |v| v as usize + 1);
    let mut g = Builder { edges: Vec::with_capacity(4 * n), waiting: vec![0; n] };
    let mut last_write: Vec<u32> = vec![NONE; resources];
    let mut readers = Readers { last: vec![NONE; resources], entries: Vec::with_capacity(2 * n) };
    for (i, inst) in std::iter::repeat_n(insts, iterations).flatten().enumerate() {
        let mut read = |what: Resource| {
            let r = numbers.number(what);
            if last_write[r] != NONE {
                let w = last_write[r] as usize;
                let from = &insts[w % insts.len()];
                let Distance { least, calm } =
                    if keeps_order(what) { I::until_write(what, from, inst) } else { I::until_read(what, from, inst) };
                let register = if let Resource::Register(r) = what { r.virt() } else { None };
                g.push(w, Edge { to: i, distance: least, wish: calm, register });
            }
            readers.add(r, i);
        };
        for_each_read(code, inst, &mut read);
        guards(inst, queues).for_each(read);
        for_each_write(inst, queues, |what| {
            let r = numbers.number(what);
            let w = last_write[r] as usize;
            if last_write[r] != NONE && w != i {
                g.edge(w, i, I::until_write(what, &insts[w % insts.len()], inst));
            }
            // Operands are read before results are written. What others see keeps its order by one instruction.
            let distance = Distance::exactly(keeps_order(what).into());
            for reader in readers.take(r).filter(|reader| *reader != i) {
                g.edge(reader, i, distance);
            }
            last_write[r] = i as u32;
        });
    }
    for (n, queue) in queues.into_iter().enumerate() {
        if queue == Queue::Closed {
            g.queue::<I>(insts, iterations, n);
        }
    }
    for (from, to) in I::preferences(insts) {
        (0..iterations)
            .map(|k| k * insts.len())
            .for_each(|start| g.edge(start + from, start + to, Distance::exactly(0)));
    }
    g.finish()
}

impl Graph {
    /// What comes after instruction `i`.
    pub fn next(&self, i: usize) -> &[Edge] {
        &self.edges[self.first[i] as usize..self.first[i + 1] as usize]
    }

    /// How many instructions there are.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }
}

/// A graph whose edges have no order yet.
struct Builder {
    edges: Vec<(u32, Edge)>,
    waiting: Vec<u32>,
}

impl Builder {
    fn push(&mut self, from: usize, edge: Edge) {
        debug_assert!(from < edge.to, "edges go forward");
        self.waiting[edge.to] += 1;
        self.edges.push((from as u32, edge));
    }

    fn edge(&mut self, from: usize, to: usize, distance: Distance) {
        self.push(from, Edge { to, distance: distance.least, wish: distance.calm, register: None });
    }

    /// Requests in order, results in order, each result after its request, and no more requests than the queue holds.
    fn queue<I: Isa>(&mut self, insts: &[I::Inst], iterations: usize, queue: usize) {
        let find = |f: fn(&I::Inst, usize) -> bool| -> Vec<usize> {
            let all = std::iter::repeat_n(insts, iterations).flatten().enumerate();
            all.filter(|(_, inst)| f(inst, queue)).map(|(i, _)| i).collect()
        };
        let (requests, receives) = (find(Instruction::is_request), find(Instruction::is_receive));
        let next = Distance::exactly(1);
        for pair in requests.windows(2) {
            self.edge(pair[0], pair[1], next);
        }
        for pair in receives.windows(2) {
            self.edge(pair[0], pair[1], next);
        }
        for (k, &receive) in receives.iter().enumerate() {
            self.edge(requests[k], receive, I::RESULT);
            if let Some(&later) = requests.get(k + I::MOST_REQUESTS)
                && receive < later
            {
                self.edge(receive, later, next);
            }
        }
    }

    /// The edges of each instruction side by side.
    fn finish(self) -> Graph {
        let n = self.waiting.len();
        let mut first = vec![0u32; n + 2];
        for (from, _) in &self.edges {
            first[*from as usize + 2] += 1;
        }
        for i in 2..n + 2 {
            first[i] += first[i - 1];
        }
        let mut edges = vec![Edge { to: 0, distance: 0, wish: 0, register: None }; self.edges.len()];
        for (from, edge) in self.edges {
            let at = &mut first[from as usize + 1];
            edges[*at as usize] = edge;
            *at += 1;
        }
        first.pop();
        Graph { first, edges, waiting: self.waiting }
    }
}
