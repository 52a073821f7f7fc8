//! Kernels whose items wait for each other: a loop that each item leaves after a number of turns of its own.
//!
//! Sixteen items that are computed together take as many turns as the longest of them. Where the turns differ much, lanes
//! whose item is done take the next one instead ([`crate::lower`] has the code). [`split`] takes a kernel apart for that: what
//! comes before the loop, a turn of the loop in which every lane is at a turn of its own, what comes behind. What was the same
//! for all lanes, a counter for example, becomes a vector.
//!
//! [`Choice`] decides while the launch runs: it compares what both ways have taken so far.

use quadra_kir::{Access, Block, Def, Effect, Elem, Inst, Kernel, Op, Type, Value, Values, eval};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// A kernel around one of its loops.
#[derive(Clone, Debug)]
pub struct Refill {
    /// With values that have become vectors.
    pub kernel: Kernel,
    /// What is the same for all items.
    pub common: Vec<Inst>,
    pub before: Vec<Inst>,
    /// The loop.
    pub turns: Inst,
    /// A turn up to the vote.
    pub head: Vec<Inst>,
    /// The lanes that go on.
    pub live: Value,
    /// What the loop gives a lane that leaves.
    pub leaves: Values,
    pub tail: Vec<Inst>,
    /// The carried values of the next turn.
    pub again: Values,
    /// What an item has of its own in the loop, and what that is at first: carried values, and values from before the loop.
    pub state: Vec<(Value, Value)>,
    /// How many of them are carried.
    pub carried: usize,
    /// What comes behind the loop, with all it needs from before it.
    pub behind: Vec<Inst>,
    /// Instructions of a turn on vectors, and all, while the lanes are at the same turn.
    pub vectors: (usize, usize),
}

/// Most values that an item has of its own, and most instructions of a turn: vectors of several groups stay in registers.
const MOST_STATE: usize = 12;
const MOST_INSTS: usize = 120;

/// Takes a kernel at SIMD level apart, all lanes of whose groups are live; `None` if it has no loop of this kind, or if items
/// could notice the order in which they are computed.
pub fn split(kernel: &Kernel) -> Option<Refill> {
    let at = kernel.body.insts.iter().position(|i| i.op == Op::Loop)?;
    let source = kernel;
    let mut kernel = source.clone();
    let mut insts = kernel.body.insts.clone();
    let after = insts.split_off(at + 1);
    let turns = insts.pop()?;
    let (head, live, leaves, tail, again) = turn(&turns.regions[0])?;
    let other = |i: &Inst| !(eval::is_lanewise(i.op) || i.op == Op::Load && only_read(source, i));
    if head.iter().chain(&tail).any(other) || head.len() + tail.len() > MOST_INSTS {
        return None;
    }
    let (common, before) = uniform(&kernel, insts);
    let mut known: HashSet<Value> = common.iter().flat_map(|i| i.results.iter().copied()).collect();
    known.extend(turns.regions[0].params.iter().chain(head.iter().chain(&tail).flat_map(|i| &i.results)));
    let mut r = Refill {
        common,
        before,
        state: turns.regions[0].params.iter().copied().zip(turns.args.iter().copied()).collect(),
        carried: turns.args.len(),
        head,
        live,
        leaves,
        tail,
        again,
        behind: after,
        vectors: (vectors(source, &turns.regions[0]), turns.regions[0].insts.len()),
        turns,
        kernel: kernel.clone(),
    };
    let alive = r.alive()?;
    r.capture(&mut kernel, &known);
    r.ask(alive);
    let widened = r.widen(&mut kernel)?;
    r.needed(&kernel)?;
    if r.state.len() > MOST_STATE || widened.contains(&r.live) {
        return None;
    }
    let mut body = r.turns.clone();
    body.regions[0].insts = r.whole_turn();
    let all = r.common.iter().chain(&r.before).chain([&body]).chain(&r.behind).cloned();
    kernel.body = Block { params: Values::new(), insts: all.collect() };
    r.kernel = kernel;
    Some(r)
}

type Turn = (Vec<Inst>, Value, Values, Vec<Inst>, Values);

fn vectors(kernel: &Kernel, body: &Block) -> usize {
    body.insts.iter().filter(|i| i.results.iter().any(|&r| kernel.ty(r).lanes)).count()
}

/// A body that asks once whether any lane goes on, and otherwise goes from its start to its end.
fn turn(body: &Block) -> Option<Turn> {
    let mut head = body.insts.clone();
    let again = head.pop().filter(|i| i.op == Op::Continue)?;
    let at = head.iter().position(|i| i.op == Op::If)?;
    let mut tail = head.split_off(at);
    let test = tail.remove(0);
    let vote = head.iter().position(|i| i.results.contains(&test.args[0]) && i.op == Op::VoteAny)?;
    let vote = head.remove(vote);
    let [stays, ends] = &test.regions[..] else { return None };
    let nothing = |i: &Inst| i.op == Op::Yield && i.args.is_empty();
    let [end] = &ends.insts[..] else { return None };
    let asks = vote.mask.is_none() && test.results.is_empty() && stays.insts.iter().all(nothing);
    let used_again = |i: &Inst| i.uses().any(|v| v == vote.results[0]);
    if !asks || end.op != Op::Break || head.iter().chain(&tail).any(used_again) || used_again(end) || used_again(&again)
    {
        return None;
    }
    Some((head, vote.args[0], end.args.clone(), tail, again.args))
}

/// Instructions whose values are the same for all items, and the others.
fn uniform(kernel: &Kernel, insts: Vec<Inst>) -> (Vec<Inst>, Vec<Inst>) {
    let mut known: HashSet<Value> = HashSet::new();
    insts.into_iter().partition(|i| {
        let fixed = |v: Value| kernel.values[v].def != Def::Local || known.contains(&v);
        let size = matches!(i.op, Op::Extent | Op::NumGroups | Op::Dim);
        let same = (size || eval::is_lanewise(i.op)) && i.uses().all(fixed);
        if same {
            known.extend(&i.results);
        }
        same
    })
}

impl Refill {
    fn whole_turn(&self) -> Vec<Inst> {
        let mut insts: Vec<Inst> = self.head.iter().chain(&self.tail).cloned().collect();
        let mut end = Inst::new(Op::Continue, self.again.clone());
        end.args.truncate(self.carried);
        insts.push(end);
        insts
    }

    /// The carried mask of lanes that have not left: once out of it, a lane stays out.
    fn alive(&self) -> Option<Value> {
        let kernel = &self.kernel;
        let defs: HashMap<Value, &Inst> =
            self.head.iter().chain(&self.tail).flat_map(|i| i.results.iter().map(move |&r| (r, i))).collect();
        let stays = |(n, &(param, _)): (usize, &(Value, Value))| {
            let mask = kernel.ty(param) == Type::vector(Elem::Bool);
            mask && within(&defs, self.live, param, 16) && within(&defs, self.again[n], self.live, 16)
        };
        let all = self.state.iter().enumerate();
        all.filter(|&s| stays(s)).map(|(_, s)| s.0).next()
    }

    /// Makes values from before the loop that it uses part of the state; those without lanes get some.
    fn capture(&mut self, kernel: &mut Kernel, known: &HashSet<Value>) {
        let mut found: Vec<Value> = Vec::new();
        let uses = self.head.iter().chain(&self.tail).flat_map(|i| i.uses().collect::<Vec<_>>());
        for v in uses.chain([self.live]).chain(self.leaves.clone()).chain(self.again.clone()) {
            if kernel.values[v].def == Def::Local && !known.contains(&v) && !found.contains(&v) {
                found.push(v);
            }
        }
        let mut map = HashMap::new();
        for v in found {
            let mut own = v;
            if !kernel.ty(v).lanes {
                own = kernel.new_value(kernel.ty(v).with_lanes(true));
                let (lane, zero) = (kernel.new_value(Type::vector(Elem::I32)), kernel.const_i32(0));
                let all = kernel.new_value(Type::vector(Elem::Bool));
                for (op, args, result) in
                    [(Op::Lane, vec![], lane), (Op::CmpGe, vec![lane, zero], all), (Op::Select, vec![all, v, v], own)]
                {
                    self.before.push(Inst { results: Values::from_slice(&[result]), ..Inst::new(op, args) });
                }
                map.insert(v, own);
            }
            self.state.push((own, own));
        }
        let put = |v: &mut Value| *v = map.get(v).copied().unwrap_or(*v);
        for inst in self.head.iter_mut().chain(&mut self.tail) {
            inst.args.iter_mut().for_each(put);
            inst.mask.iter_mut().for_each(put);
        }
        self.leaves.iter_mut().chain(&mut self.again).for_each(put);
    }

    /// Loads ask only for lanes that are in the loop: others go on counting, past the ends of buffers.
    fn ask(&mut self, alive: Value) {
        for (insts, live) in [(&mut self.head, alive), (&mut self.tail, self.live)] {
            for inst in insts.iter_mut().filter(|i| i.op == Op::Load && i.mask.is_none()) {
                inst.mask = Some(live);
            }
        }
    }

    /// Gives lanes to everything that differs between items once they are at different turns: those values. `None` if
    /// something cannot have lanes.
    fn widen(&mut self, kernel: &mut Kernel) -> Option<HashSet<Value>> {
        let mut wide: HashSet<Value> = HashSet::new();
        let set = |kernel: &mut Kernel, wide: &mut HashSet<Value>, v: Value| {
            let scalar = kernel.values[v].def == Def::Local && !kernel.ty(v).lanes;
            if scalar {
                kernel.values[v].ty = kernel.ty(v).with_lanes(true);
                wide.insert(v);
            }
        };
        self.state[..self.carried].iter().for_each(|s| set(kernel, &mut wide, s.0));
        let pass = |kernel: &mut Kernel, wide: &mut HashSet<Value>, insts: &[Inst]| {
            for inst in insts {
                let lanes = inst.args.iter().any(|&v| kernel.ty(v).lanes && !matches!(inst.op, Op::Broadcast));
                if lanes && (eval::is_lanewise(inst.op) || inst.op == Op::Load) {
                    inst.results.iter().for_each(|&r| set(kernel, wide, r));
                }
            }
        };
        pass(kernel, &mut wide, &self.head);
        pass(kernel, &mut wide, &self.tail);
        self.turns.results.iter().for_each(|&r| set(kernel, &mut wide, r));
        pass(kernel, &mut wide, &self.behind);
        // Behind the loop only these can do with lanes where there were none.
        let refused = |i: &Inst| {
            let takes = match i.op {
                Op::Load | Op::Store => true,
                Op::StoreRow => !wide.contains(&i.args[0]),
                op => eval::is_lanewise(op) || op.is_atomic(),
            };
            let inside = i.regions.iter().any(|r| r.any(&mut |i| i.uses().any(|v| wide.contains(&v))));
            inside || !takes && i.uses().any(|v| wide.contains(&v))
        };
        (!self.behind.iter().any(refused)).then_some(wide)
    }

    /// Puts what the part behind the loop needs from before it in front of it, which must not mind to be done twice.
    fn needed(&mut self, kernel: &Kernel) -> Option<()> {
        let mut wanted: HashSet<Value> = HashSet::new();
        let behind = Block { params: Values::new(), insts: self.behind.clone() };
        behind.walk(&mut |i| wanted.extend(i.uses()));
        let writes = |i: &Inst| !matches!(i.op.info().effect, Effect::Pure | Effect::Read);
        let written = self.before.iter().any(|i| !i.regions.is_empty() || writes(i));
        let mut again = Vec::new();
        for inst in self.before.iter().rev() {
            if !inst.results.iter().any(|r| wanted.contains(r)) {
                continue;
            }
            let load = matches!(inst.op, Op::Load | Op::LoadRow) && only_read(kernel, inst) && !written;
            let pure = inst.op.info().effect == Effect::Pure && inst.regions.is_empty();
            (load || pure).then_some(())?;
            wanted.extend(inst.uses());
            again.push(inst.clone());
        }
        again.reverse();
        self.behind.splice(..0, again);
        Some(())
    }
}

/// Whether nothing writes what it loads.
fn only_read(kernel: &Kernel, inst: &Inst) -> bool {
    inst.buf.is_some_and(|b| kernel.bufs[b].access == Access::Read)
}

/// Whether a mask holds no lane that `of` does not.
fn within(defs: &HashMap<Value, &Inst>, mask: Value, of: Value, depth: u32) -> bool {
    if mask == of {
        return true;
    }
    let Some(inst) = defs.get(&mask).filter(|_| depth > 0) else { return false };
    match inst.op {
        Op::And => inst.args.iter().any(|&a| within(defs, a, of, depth - 1)),
        Op::AndNot => within(defs, inst.args[0], of, depth - 1),
        Op::Select => inst.args[1..].iter().all(|&a| within(defs, a, of, depth - 1)),
        _ => false,
    }
}

/// Which of two ways chunks of a launch take, by what they took before: together, or refilled.
#[derive(Debug, Default)]
pub struct Choice {
    chunks: AtomicU32,
    /// Instructions of a group, times 16: together, refilled; 0 if that has not been tried.
    costs: [AtomicU64; 2],
}

/// Of so many chunks one goes the way that seems worse.
const TRIAL: u32 = 64;
/// A refilled group is put down and taken up again: about so many instructions, times 16.
const HANDLING: u64 = 16 * 30;

impl Choice {
    /// Whether the next chunk is to be refilled.
    pub fn refills(&self) -> bool {
        let n = self.chunks.fetch_add(1, Ordering::Relaxed) % TRIAL;
        let [together, refilled] = [0, 1].map(|w: usize| self.costs[w].load(Ordering::Relaxed));
        match (together, refilled) {
            (_, 0) => true,
            (0, _) => false,
            _ => (refilled < together) != (n == TRIAL - 1),
        }
    }

    /// Notes what a chunk of so many groups took.
    pub fn note(&self, refilled: bool, spent: u64, groups: u64) {
        let new = (spent * 16 / groups.max(1) + if refilled { HANDLING } else { 0 }).max(1);
        let cost = &self.costs[usize::from(refilled)];
        let old = cost.load(Ordering::Relaxed);
        // Threads that overwrite each other's notes lose one of many.
        cost.store(if old == 0 { new } else { (3 * old + new) / 4 }, Ordering::Relaxed);
    }
}
