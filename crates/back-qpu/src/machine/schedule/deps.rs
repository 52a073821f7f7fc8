//! Which operations of a block must come after which, and how many instructions later.

use crate::vc4::minst::{Code, Dst, MInst, Oper, Reg, Rotate, Src};
use quadra_isa::vc4::{Signal, Waddr};

/// An edge of the dependency graph.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    pub to: usize,
    /// At least so many instructions later; 0 allows the same instruction.
    pub distance: u32,
    /// So many instructions later nothing stalls; at least `distance`.
    pub wish: u32,
    /// The virtual register that is written and read: if it lies in file A or B, it is read at least two instructions later.
    pub register: Option<u32>,
}

/// The dependencies of a block.
pub struct Graph {
    /// Those of instruction `i` are `edges[first[i]..first[i + 1]]`.
    first: Vec<u32>,
    edges: Vec<Edge>,
    pub waiting: Vec<u32>,
}

/// Things that operations read and write, beside registers.
pub const R4: usize = 68;
pub const R5: usize = 69;
pub const FLAGS: usize = 70;
const UNIFORMS: usize = 71;
/// VPM, DMA and everything whose order others can see.
const VPM: usize = 72;
const TMU: [usize; 2] = [73, 74];
const RESOURCES: usize = 75;

/// How the results of one TMU are ordered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Queue {
    /// Every block collects what it asked for: requests may run ahead of results.
    Closed,
    /// Requests stay open from block to block: requests and results keep their order.
    Open,
}

/// Requests that may wait (more were found unreliable, vc4asm's addendum).
pub const MOST_REQUESTS: usize = 4;

/// Whether it asks a TMU for a vector.
pub fn is_request(inst: &MInst, tmu: usize) -> bool {
    let s = if tmu == 0 { Waddr::TMU0_S } else { Waddr::TMU1_S };
    matches!(inst.dst, Dst::Peripheral(w, _) if w == s)
}

/// Whether it takes a result of a TMU.
pub fn is_receive(inst: &MInst, tmu: usize) -> bool {
    inst.op == Oper::Signal(if tmu == 0 { Signal::LoadTmu0 } else { Signal::LoadTmu1 })
}

/// Whether each TMU's queue is empty between blocks.
pub fn queues(code: &Code) -> [Queue; 2] {
    [0, 1].map(|tmu| {
        let closed = code.blocks.iter().all(|block| {
            let mut waiting = 0i32;
            let mut fine = true;
            for inst in &block.insts {
                waiting += i32::from(is_request(inst, tmu)) - i32::from(is_receive(inst, tmu));
                fine &= (0..=MOST_REQUESTS as i32).contains(&waiting);
            }
            fine && waiting == 0
        });
        if closed { Queue::Closed } else { Queue::Open }
    })
}

/// Number of a register among the things that operations read and write; virtual registers come last.
pub fn resource(r: Reg) -> usize {
    match r {
        Reg::A(n) => n as usize,
        Reg::B(n) => 32 + n as usize,
        Reg::Acc(n) => 64 + n as usize,
        Reg::R4 => R4,
        Reg::R5 => R5,
        Reg::Virt(n) => RESOURCES + n as usize,
    }
}

/// Whether it starts the special function unit.
pub fn writes_sfu(inst: &MInst) -> bool {
    matches!(inst.dst, Dst::Peripheral(w, _) if w.is_sfu())
}

/// Whether r4 changes.
pub fn writes_r4(inst: &MInst) -> bool {
    writes_sfu(inst) || matches!(inst.op, Oper::Signal(s) if s.loads_r4())
}

/// Whether others can see when this happens.
pub fn is_synchronising(inst: &MInst) -> bool {
    let peripheral = matches!(inst.dst, Dst::Peripheral(Waddr::HOST_INT | Waddr::MUTEX_RELEASE, _));
    matches!(inst.op, Oper::Sema(..) | Oper::Probe(_)) || peripheral || inst.src[0] == Some(Src::Mutex)
}

/// Whether it reads or writes what belongs to the VPM or its DMA.
pub fn touches_vpm(inst: &MInst) -> bool {
    let write = matches!(inst.dst, Dst::Peripheral(w, _) if (48..=50).contains(&w.0));
    let read = inst.src.iter().flatten().any(|s| matches!(s, Src::Vpm | Src::LoadWait | Src::StoreWait));
    write || read
}

/// What an operation reads.
pub fn reads(code: &Code, inst: &MInst) -> Vec<usize> {
    let mut out = Vec::new();
    for_each_read(code, inst, |r| out.push(r));
    out
}

/// Calls `f` on what an operation reads.
pub fn for_each_read(code: &Code, inst: &MInst, mut f: impl FnMut(usize)) {
    inst.reads().for_each(|r| f(resource(r)));
    if let Oper::Probe(p) = inst.op {
        let probe = &code.probes[p as usize];
        probe.operands.iter().map(|o| o.0).chain(probe.mask).for_each(|r| f(resource(r)));
    }
    if inst.cond.is_conditional() {
        f(FLAGS);
    }
}

/// What an operation writes.
pub fn writes(inst: &MInst, queues: [Queue; 2]) -> Vec<usize> {
    let mut out = Vec::new();
    for_each_write(inst, queues, |r| out.push(r));
    out
}

/// Calls `f` on what an operation writes.
fn for_each_write(inst: &MInst, queues: [Queue; 2], mut f: impl FnMut(usize)) {
    if let Some(r) = inst.def() {
        f(resource(r));
    }
    if inst.sf {
        f(FLAGS);
    }
    if writes_r4(inst) {
        f(R4);
    }
    if inst.src.contains(&Some(Src::Uniform)) {
        f(UNIFORMS);
    }
    let synchronising = is_synchronising(inst);
    let no_swap = matches!(inst.dst, Dst::Peripheral(Waddr::TMU_NOSWAP, _));
    if touches_vpm(inst) || synchronising {
        f(VPM);
    }
    for (tmu, queue) in queues.into_iter().enumerate() {
        let ordered = queue == Queue::Open && (is_request(inst, tmu) || is_receive(inst, tmu));
        if synchronising || no_swap || ordered {
            f(TMU[tmu]);
        }
    }
}

/// What a TMU operation has to stay behind: synchronisation and the switch for the balancing of the TMUs.
fn guards(inst: &MInst, queues: [Queue; 2]) -> impl Iterator<Item = usize> {
    (0..2)
        .filter(move |&tmu| queues[tmu] == Queue::Closed && (is_request(inst, tmu) || is_receive(inst, tmu)))
        .map(|tmu| TMU[tmu])
}

/// Distances from a write to a read of the same thing; a virtual register is taken to lie in an accumulator.
fn after_write(resource: usize, from: &MInst, to: &MInst) -> (u32, u32) {
    match resource {
        0..64 => (2, 2),
        RESOURCES.. if to.rotate != Rotate::None => (2, 2),
        64..68 if to.rotate != Rotate::None => (2, 2),
        R5 if to.rotate == Rotate::R5 => (2, 2),
        R4 if writes_sfu(from) => (3, 3),
        _ => (1, 1),
    }
}

/// Distances between two writes of the same thing.
fn between_writes(resource: usize, from: &MInst, to: &MInst) -> (u32, u32) {
    let starts = |d: Dst| from.dst == d;
    match resource {
        R4 if writes_sfu(from) => (3, 3),
        // The setup needs three instructions before the first vector can be read (guide p. 56).
        VPM if starts(Dst::RD_SETUP) && to.src[0] == Some(Src::Vpm) => (4, 6),
        VPM if starts(Dst::LD_ADDR) => (1, 20),
        VPM if starts(Dst::ST_ADDR) => (1, 14),
        r if TMU.contains(&r) && matches!(from.dst, Dst::Peripheral(Waddr::TMU_NOSWAP, _)) => (4, 4),
        r if TMU.contains(&r) && (is_receive(to, 0) || is_receive(to, 1)) => (1, 9),
        _ => (1, 1),
    }
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
pub fn graph(code: &Code, insts: &[MInst], queues: [Queue; 2]) -> Graph {
    graph_of_turns(code, insts, 1, queues)
}

/// Builds the graph of instructions that run so many times, one time behind the other. Virtual registers are taken to lie in
/// accumulators; edges name them.
pub fn graph_of_turns(code: &Code, insts: &[MInst], turns: usize, queues: [Queue; 2]) -> Graph {
    let n = insts.len() * turns;
    let virtuals = insts.iter().flat_map(|i| i.reads().chain(i.def())).filter_map(Reg::virt).max();
    let resources = RESOURCES + virtuals.map_or(0, |v| v as usize + 1);
    let mut g = Builder { edges: Vec::with_capacity(4 * n), waiting: vec![0; n] };
    let mut last_write: Vec<u32> = vec![NONE; resources];
    let mut readers = Readers { last: vec![NONE; resources], entries: Vec::with_capacity(2 * n) };
    for (i, inst) in std::iter::repeat_n(insts, turns).flatten().enumerate() {
        let mut read = |r: usize| {
            if last_write[r] != NONE {
                let w = last_write[r] as usize;
                let from = &insts[w % insts.len()];
                let (distance, wish) = match TMU.contains(&r) {
                    true => between_writes(r, from, inst),
                    false => after_write(r, from, inst),
                };
                let register = r.checked_sub(RESOURCES).map(|v| v as u32);
                g.push(w, Edge { to: i, distance, wish, register });
            }
            readers.add(r, i);
        };
        for_each_read(code, inst, &mut read);
        guards(inst, queues).for_each(read);
        for_each_write(inst, queues, |r| {
            let w = last_write[r] as usize;
            if last_write[r] != NONE && w != i {
                g.edge(w, i, between_writes(r, &insts[w % insts.len()], inst));
            }
            // Operands are read before results are written. What others see keeps its order by one instruction.
            let distance = u32::from((VPM..RESOURCES).contains(&r));
            for reader in readers.take(r).filter(|reader| *reader != i) {
                g.edge(reader, i, (distance, distance));
            }
            last_write[r] = i as u32;
        });
    }
    for (tmu, queue) in queues.into_iter().enumerate() {
        if queue == Queue::Closed {
            g.queue(insts, turns, tmu);
        }
    }
    g.waits(insts, turns);
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

    fn edge(&mut self, from: usize, to: usize, (distance, wish): (u32, u32)) {
        self.push(from, Edge { to, distance, wish, register: None });
    }

    /// A wait for stores stands still until they are done, so it stays behind the operands of the vectors that are written
    /// behind it: half of them, because those that are written late find no other operations beside them.
    fn waits(&mut self, insts: &[MInst], turns: usize) {
        let waits = (0..insts.len()).filter(|&i| insts[i].src[0] == Some(Src::StoreWait)).collect::<Vec<_>>();
        for wait in waits {
            let starts = |i: &MInst| i.dst == Dst::ST_ADDR || i.src[0] == Some(Src::StoreWait);
            let written = insts[wait + 1..].iter().take_while(|i| !starts(i)).filter(|i| i.dst == Dst::VPM);
            let vectors: Vec<Reg> = written.filter_map(|i| i.reads().next()).collect();
            let made = |r: Reg, before: usize| insts[..before].iter().rposition(|i| i.def() == Some(r));
            let of = vectors.get(vectors.len() / 2).and_then(|&r| made(r, wait));
            let operands: Vec<usize> =
                of.map_or(Vec::new(), |of| insts[of].reads().filter_map(|r| made(r, of)).collect());
            for turn in 0..turns {
                let start = turn * insts.len();
                operands.iter().for_each(|from| self.edge(start + from, start + wait, (0, 0)));
            }
        }
    }

    /// Requests in order, results in order, each result after its request, and no more requests than the queue holds.
    fn queue(&mut self, insts: &[MInst], turns: usize, tmu: usize) {
        let find = |f: fn(&MInst, usize) -> bool| -> Vec<usize> {
            let all = std::iter::repeat_n(insts, turns).flatten().enumerate();
            all.filter(|(_, inst)| f(inst, tmu)).map(|(i, _)| i).collect()
        };
        let (requests, receives) = (find(is_request), find(is_receive));
        for pair in requests.windows(2) {
            self.edge(pair[0], pair[1], (1, 1));
        }
        for pair in receives.windows(2) {
            self.edge(pair[0], pair[1], (1, 1));
        }
        for (k, &receive) in receives.iter().enumerate() {
            self.edge(requests[k], receive, (1, 9));
            if let Some(&later) = requests.get(k + MOST_REQUESTS)
                && receive < later
            {
                self.edge(receive, later, (1, 1));
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

#[cfg(test)]
mod tests {
    use super::*;
    use quadra_isa::vc4::MulOp;

    #[test]
    fn a_wait_for_stores_comes_behind_what_the_vectors_are_made_of() {
        let made = |to: u8, from: u8| MInst::mul(MulOp::Fmul, Reg::A(to), Reg::A(from), Reg::A(from));
        let insts = vec![
            made(0, 8),
            made(1, 0),
            made(2, 8),
            made(3, 2),
            MInst::mov(Dst::None, Src::StoreWait),
            MInst::mov(Dst::VPM, Reg::A(1)).glue(),
            MInst::mov(Dst::VPM, Reg::A(3)).glue(),
        ];
        let g = graph(&Code::default(), &insts, [Queue::Closed; 2]);
        let before: Vec<usize> = (0..4).filter(|&i| g.next(i).iter().any(|e| e.to == 4)).collect();
        assert_eq!(before, [2], "the operand of the second of two vectors, and nothing else");
    }
}
