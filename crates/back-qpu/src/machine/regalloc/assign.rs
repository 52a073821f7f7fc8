//! Gives each virtual register a physical one, or says that it must be spilled.

use crate::machine::code::Code;
use crate::machine::isa::{Instruction, Isa, Operand};
use crate::machine::liveness::{self, Liveness};
use crate::machine::registers::{self, Bank, Reg, Set, allocatable, bit, each};
use smallvec::SmallVec;

/// Where everything lies.
pub struct Assignment {
    /// Per virtual register.
    pub place: Vec<Option<Reg>>,
    /// Registers without a place, the most valuable first.
    pub spilled: Vec<u32>,
    pub live: Liveness,
    pub taken: Taken,
}

/// Which physical registers are in use at each time.
#[derive(Clone, Default)]
pub struct Taken {
    times: Vec<Set>,
    /// At some time of so many.
    blocks: Vec<Set>,
}

/// Times of a block.
const BLOCK: usize = 32;

impl Taken {
    fn new(times: u32) -> Taken {
        let times = times as usize;
        Taken { times: vec![0; times], blocks: vec![0; times.div_ceil(BLOCK)] }
    }

    /// What is in use at some of these times.
    pub fn during(&self, (s, e): (u32, u32)) -> Set {
        let (s, e) = (s as usize, e as usize);
        let all = |list: &[Set]| list.iter().fold(0, |all, p| all | p);
        let (first, last) = (s.div_ceil(BLOCK), e / BLOCK);
        if first >= last {
            return all(&self.times[s..e]);
        }
        all(&self.times[s..first * BLOCK]) | all(&self.blocks[first..last]) | all(&self.times[last * BLOCK..e])
    }

    /// A place is in use at these times.
    pub fn take(&mut self, place: usize, ranges: &[(u32, u32)]) {
        for &(s, e) in ranges {
            self.times[s as usize..e as usize].iter_mut().for_each(|p| *p |= 1 << place);
            let blocks = s as usize / BLOCK..(e as usize).div_ceil(BLOCK);
            self.blocks[blocks].iter_mut().for_each(|p| *p |= 1 << place);
        }
    }

    /// A place is no longer in use at these times.
    pub fn release(&mut self, place: usize, (s, e): (u32, u32)) {
        self.times[s as usize..e as usize].iter_mut().for_each(|p| *p &= !(1 << place));
        for block in s as usize / BLOCK..(e as usize).div_ceil(BLOCK) {
            let times = &self.times[block * BLOCK..self.times.len().min((block + 1) * BLOCK)];
            self.blocks[block] = times.iter().fold(0, |all, p| all | p);
        }
    }

    /// What is in use at this time.
    pub fn at(&self, time: u32) -> Set {
        self.times[time as usize]
    }
}

/// Times for which a register that was in use is not free for the scheduler: three instructions.
const SHORTLY: u32 = 6;

/// What the choice of a place depends on.
#[derive(Clone, Default)]
struct Uses {
    weight: f32,
    /// Uses by the instruction right behind the one that writes it: a register of a file may come too late.
    tight: f32,
    /// Per bank, uses beside an operand that takes its read port whatever lies where.
    beside: [f32; 3],
}

/// Per virtual register, those read by the same operation, or by two that may share an instruction, side by side: they had
/// better be in the other file.
struct Partners {
    first: Vec<u32>,
    list: Vec<(u32, f32)>,
}

impl Partners {
    /// From pairs of `n` registers, each of which is a partner of the other.
    fn new(n: usize, pairs: &[(u32, u32, f32)]) -> Partners {
        let mut first = vec![0u32; n + 2];
        for &(a, b, _) in pairs {
            first[a as usize + 2] += 1;
            first[b as usize + 2] += 1;
        }
        for i in 2..n + 2 {
            first[i] += first[i - 1];
        }
        let mut list = vec![(0, 0.0); 2 * pairs.len()];
        for &(a, b, weight) in pairs {
            for (of, other) in [(a, b), (b, a)] {
                let at = &mut first[of as usize + 1];
                list[*at as usize] = (other, weight);
                *at += 1;
            }
        }
        Partners { first, list }
    }

    fn of(&self, v: u32) -> &[(u32, f32)] {
        &self.list[self.first[v as usize] as usize..self.first[v as usize + 1] as usize]
    }
}

/// Assigns registers, only those of `given`.
pub fn run<I: Isa>(code: &Code<I>, given: Set) -> Assignment {
    let live = liveness::compute(code);
    let (uses, partners) = collect(code);
    let density = |v: u32| {
        let info = &code.virt[v as usize];
        let length = liveness::length(&live.ranges[v as usize]) as f32;
        let cheap = if info.constant.is_some() { 0.2 } else { 1.0 };
        cheap * uses[v as usize].weight / (length + 4.0)
    };
    let rank = |v: u32| {
        let info = &code.virt[v as usize];
        // What has the least choice comes first.
        [info.bank != Some(Bank::Quick), !(info.pinned && info.bank.is_some()), !info.pinned]
            .into_iter()
            .fold(0, |all, b| all << 1 | u32::from(b))
    };
    // What is used most densely comes first: densities are not negative, so their bits have the order of the numbers.
    let key = |v: u32| (u64::from(rank(v)) << 32 | u64::from(!density(v).to_bits()), v);
    let used = (0..code.virt.len() as u32).filter(|v| !live.ranges[*v as usize].is_empty());
    let mut order: Vec<(u64, u32)> = used.map(key).collect();
    order.sort_unstable();
    let mut taken = Taken::new(2 * live.starts.last().copied().unwrap_or(0) + 2);
    let mut place: Vec<Option<Reg>> = vec![None; code.virt.len()];
    let mut spilled = Vec::new();
    for (_, v) in order {
        let ranges = &live.ranges[v as usize];
        let info = &code.virt[v as usize];
        let allowed = info.bank.map_or(given, |bank| given & bank.members::<I>());
        let busy = ranges.iter().fold(0, |set, &range| set | taken.during(range));
        let start = ranges[0].0;
        let recent = taken.during((start.saturating_sub(SHORTLY), start));
        match Wish::of::<I>(&uses[v as usize], partners.of(v), liveness::length(ranges), &place)
            .best::<I>(allowed & !busy, recent)
        {
            Some(p) => {
                taken.take(p, ranges);
                place[v as usize] = Some(registers::at(p));
            }
            None => spilled.push(v),
        }
    }
    Assignment { place, spilled, live, taken }
}

/// What a virtual register asks of its place.
struct Wish<'a> {
    uses: &'a Uses,
    /// Set of partners.
    partners: SmallVec<[(usize, f32); 8]>,
    length: u32,
}

impl Wish<'_> {
    fn of<'a, I: Isa>(uses: &'a Uses, partners: &[(u32, f32)], length: u32, place: &[Option<Reg>]) -> Wish<'a> {
        let partners = partners.iter().filter_map(|(o, w)| Some((registers::place::<I>(place[*o as usize]?)?, *w)));
        Wish { uses, partners: partners.collect(), length }
    }

    /// The best of these places, the first if several are; those in `recent` were in use until shortly before.
    fn best<I: Isa>(&self, free: Set, recent: Set) -> Option<usize> {
        let shared = self.partners.iter().fold(0, |set, p| set | 1 << p.0);
        let mut best: Option<(f32, usize)> = None;
        let mut look = |p: usize, ports: f32| {
            let cost = self.cost::<I>(p, recent & 1 << p != 0, ports);
            if best.is_none_or(|b| cost.total_cmp(&b.0).then(p.cmp(&b.1)).is_lt()) {
                best = Some((cost, p));
            }
        };
        for bank in Bank::ALL.map(Bank::members::<I>) {
            // Those that no partner lies in differ only by what was in them before.
            let ports = self.ports(bank, allocatable::<I>());
            for places in [free & bank & !shared & recent, free & bank & !shared & !recent] {
                if places != 0 {
                    look(places.trailing_zeros() as usize, ports);
                }
            }
            each(free & bank & shared).for_each(|p| look(p, self.ports(bank, p)));
        }
        best.map(|b| b.1)
    }

    /// How much of a matter it is which partners lie in the same file, but not at this place.
    fn ports(&self, bank: Set, place: usize) -> f32 {
        self.partners.iter().filter(|p| bank & bit(p.0) != 0 && p.0 != place).map(|p| p.1).sum()
    }

    /// How bad a place is, in instructions, weighted by how often they run.
    fn cost<I: Isa>(&self, place: usize, recent: bool, ports: f32) -> f32 {
        let uses = self.uses;
        let bank = Bank::of::<I>(registers::at(place)).unwrap_or(Bank::Quick);
        if bank == Bank::Quick {
            // One that was free only just now makes the scheduler keep this order; one that is taken for long
            // is missing for what is short.
            let fresh = if recent { 0.3 } else { 0.0 };
            let long = if self.length > 24 { 0.15 } else { 0.0 };
            return (fresh + long) * uses.weight;
        }
        let fresh = if recent { 0.1 } else { 0.0 };
        let tight = if I::FILE_LATENCY > 1 { uses.tight } else { 0.0 };
        (0.1 + fresh) * uses.weight + tight + 1.5 * (ports + uses.beside[bank.index()])
    }
}

fn collect<I: Isa>(code: &Code<I>) -> (Vec<Uses>, Partners) {
    let mut uses = vec![Uses::default(); code.virt.len()];
    let mut pairs = Vec::new();
    for block in &code.blocks {
        let weight = 8f32.powi(block.depth.min(6) as i32);
        let mut before: Option<u32> = None;
        for inst in &block.insts {
            if let Some(b) = before
                && inst.reads().any(|r| r == Reg::Virt(b))
            {
                uses[b as usize].tight += weight;
            }
            before = inst.def().and_then(Reg::virt);
            code.for_each_use(inst, |r| {
                if let Some(v) = r.virt() {
                    uses[v as usize].weight += weight;
                }
            });
            if let Some(v) = inst.def().and_then(Reg::virt) {
                uses[v as usize].weight += weight;
            }
            match inst.operands() {
                [Some(Operand::Register(Reg::Virt(a))), Some(Operand::Register(Reg::Virt(b)))] if a != b => {
                    pairs.push((a, b, weight));
                }
                [Some(Operand::Register(Reg::Virt(v))), Some(Operand::Part(_, bank) | Operand::Immediate(bank))]
                | [Some(Operand::Part(_, bank) | Operand::Immediate(bank)), Some(Operand::Register(Reg::Virt(v)))] => {
                    uses[v as usize].beside[bank.index()] += weight;
                }
                _ => {}
            }
        }
        for pair in block.insts.windows(2) {
            neighbours::<I>(&mut pairs, pair, weight);
        }
    }
    let partners = Partners::new(uses.len(), &pairs);
    (uses, partners)
}

/// How much a port conflict between two operations that may share an instruction counts, against one within an operation.
const NEIGHBOURS: f32 = 0.2;

/// An operation of one unit and one of the other right behind it may share an instruction, if that reads at most one
/// register of each file.
fn neighbours<I: Isa>(pairs: &mut Vec<(u32, u32, f32)>, pair: &[I::Inst], weight: f32) {
    let [first, second] = pair else { return };
    if !matches!((first.unit(), second.unit()), (Some(a), Some(b)) if a != b) {
        return;
    }
    // What the first gives to the second keeps them apart.
    if first.def().is_some_and(|d| second.reads().any(|r| r == d)) {
        return;
    }
    for a in first.reads().filter_map(Reg::virt) {
        let others = second.reads().filter_map(Reg::virt).filter(|b| *b != a);
        pairs.extend(others.map(|b| (a, b, NEIGHBOURS * weight)));
    }
}
