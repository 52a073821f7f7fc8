//! Gives each virtual register a physical one, or says that it must be spilled.

use crate::machine::liveness::{self, Liveness};
use crate::vc4::minst::{Code, MInst, Oper, Reg, Src};
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

/// One bit per physical register.
pub type Places = u128;

/// Which physical registers are in use at each time.
#[derive(Clone, Default)]
pub struct Taken {
    times: Vec<Places>,
    /// At some time of so many.
    blocks: Vec<Places>,
}

/// Times of a block.
const BLOCK: usize = 32;

impl Taken {
    fn new(times: u32) -> Taken {
        let times = times as usize;
        Taken { times: vec![0; times], blocks: vec![0; times.div_ceil(BLOCK)] }
    }

    /// What is in use at some of these times.
    pub fn during(&self, (s, e): (u32, u32)) -> Places {
        let (s, e) = (s as usize, e as usize);
        let all = |list: &[Places]| list.iter().fold(0, |all, p| all | p);
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

    /// Whether an accumulator holds nothing at this time.
    pub fn is_free(&self, accumulator: usize, time: u32) -> bool {
        self.times[time as usize] & 1 << accumulator == 0
    }
}

/// Times for which a register that was in use is not free for the scheduler: three instructions.
const SHORTLY: u32 = 6;

/// What the choice of a place depends on.
#[derive(Clone, Default)]
struct Uses {
    weight: f32,
    /// Uses by the instruction right behind the one that writes it: a file register comes one too late.
    tight: f32,
    /// Uses beside a small immediate, which takes the read port of file B.
    with_immediate: f32,
    /// Uses beside a part of a register, which takes the read port of file A.
    with_part: f32,
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

/// Physical registers, four accumulators and two files.
const PLACES: usize = 4 + 64;

pub fn reg_of(place: usize) -> Reg {
    match place {
        0..=3 => Reg::Acc(place as u8),
        4..=35 => Reg::A(place as u8 - 4),
        _ => Reg::B(place as u8 - 36),
    }
}

pub fn place_of(r: Reg) -> Option<usize> {
    match r {
        Reg::Acc(n) => Some(n as usize),
        Reg::A(n) => Some(4 + n as usize),
        Reg::B(n) => Some(36 + n as usize),
        _ => None,
    }
}

/// The first `accumulators` of r0 to r3 and the first `registers` of each file.
pub fn given(accumulators: usize, registers: u8) -> Places {
    let given = (0..PLACES).filter(|p| match reg_of(*p) {
        Reg::Acc(n) => (n as usize) < accumulators,
        Reg::A(n) | Reg::B(n) => n < registers,
        _ => false,
    });
    given.fold(0, |set, p| set | 1 << p)
}

/// Those that lie in file A or B.
pub fn in_files(places: Places) -> Places {
    places & !KINDS[0]
}

/// Assigns registers; only the first `accumulators` of r0 to r3 and the first
/// `registers` of each file are given out.
pub fn run(code: &Code, accumulators: usize, registers: u8) -> Assignment {
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
        [!info.accumulator, !(info.pinned && info.file_a), !info.pinned]
            .into_iter()
            .fold(0, |all, b| all << 1 | u32::from(b))
    };
    // What is used most densely comes first: densities are not negative, so their bits have the order of the numbers.
    let key = |v: u32| (u64::from(rank(v)) << 32 | u64::from(!density(v).to_bits()), v);
    let used = (0..code.virt.len() as u32).filter(|v| !live.ranges[*v as usize].is_empty());
    let mut order: Vec<(u64, u32)> = used.map(key).collect();
    order.sort_unstable();
    let given = given(accumulators, registers);
    let mut taken = Taken::new(2 * live.starts.last().copied().unwrap_or(0) + 2);
    let mut place: Vec<Option<Reg>> = vec![None; code.virt.len()];
    let mut spilled = Vec::new();
    for (_, v) in order {
        let ranges = &live.ranges[v as usize];
        let info = &code.virt[v as usize];
        let allowed = match (info.accumulator, info.file_a) {
            (true, _) => given & KINDS[0],
            (_, true) => given & KINDS[1],
            _ => given,
        };
        let busy = ranges.iter().fold(0, |set, &range| set | taken.during(range));
        let start = ranges[0].0;
        let recent = taken.during((start.saturating_sub(SHORTLY), start));
        match Wish::of(&uses[v as usize], partners.of(v), liveness::length(ranges), &place)
            .best(allowed & !busy, recent)
        {
            Some(p) => {
                taken.take(p, ranges);
                place[v as usize] = Some(reg_of(p));
            }
            None => spilled.push(v),
        }
    }
    Assignment { place, spilled, live, taken }
}

/// The accumulators, file A, file B.
pub const KINDS: [Places; 3] = [0xf, 0xffff_ffff << 4, 0xffff_ffff << 36];

/// What a virtual register asks of its place.
struct Wish<'a> {
    uses: &'a Uses,
    /// Places of partners.
    partners: SmallVec<[(usize, f32); 8]>,
    length: u32,
}

impl Wish<'_> {
    fn of<'a>(uses: &'a Uses, partners: &[(u32, f32)], length: u32, place: &[Option<Reg>]) -> Wish<'a> {
        let partners = partners.iter().filter_map(|(o, w)| Some((place_of(place[*o as usize]?)?, *w)));
        Wish { uses, partners: partners.collect(), length }
    }

    /// The best of these places, the first if several are; those in `recent` were in use until shortly before.
    fn best(&self, free: Places, recent: Places) -> Option<usize> {
        let shared = self.partners.iter().fold(0, |set, p| set | 1 << p.0);
        let mut best: Option<(f32, usize)> = None;
        let mut look = |p: usize, ports: f32| {
            let cost = self.cost(p, recent & 1 << p != 0, ports);
            if best.is_none_or(|b| cost.total_cmp(&b.0).then(p.cmp(&b.1)).is_lt()) {
                best = Some((cost, p));
            }
        };
        for kind in KINDS {
            // Those that no partner lies in differ only by what was in them before.
            let ports = self.ports(kind, PLACES);
            for places in [free & kind & !shared & recent, free & kind & !shared & !recent] {
                if places != 0 {
                    look(places.trailing_zeros() as usize, ports);
                }
            }
            let mut places = free & kind & shared;
            while places != 0 {
                let p = places.trailing_zeros() as usize;
                places &= places - 1;
                look(p, self.ports(kind, p));
            }
        }
        best.map(|b| b.1)
    }

    /// How much of a matter it is which partners lie in the same file, but not at this place.
    fn ports(&self, kind: Places, place: usize) -> f32 {
        self.partners.iter().filter(|p| kind & 1 << p.0 != 0 && p.0 != place).map(|p| p.1).sum()
    }

    /// How bad a place is, in instructions, weighted by how often they run.
    fn cost(&self, place: usize, recent: bool, ports: f32) -> f32 {
        let uses = self.uses;
        let r = reg_of(place);
        if matches!(r, Reg::Acc(_)) {
            // An accumulator that was free only just now makes the scheduler keep this order; one that is taken for long
            // is missing for what is short.
            let fresh = if recent { 0.3 } else { 0.0 };
            let long = if self.length > 24 { 0.15 } else { 0.0 };
            return (fresh + long) * uses.weight;
        }
        let immediates = if matches!(r, Reg::B(_)) { uses.with_immediate } else { uses.with_part };
        let fresh = if recent { 0.1 } else { 0.0 };
        (0.1 + fresh) * uses.weight + uses.tight + 1.5 * (ports + immediates)
    }
}

fn collect(code: &Code) -> (Vec<Uses>, Partners) {
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
            let (a, b) = (inst.src[0], inst.src[1]);
            match (a, b) {
                (Some(Src::Reg(Reg::Virt(a))), Some(Src::Reg(Reg::Virt(b)))) if a != b => pairs.push((a, b, weight)),
                (Some(Src::Reg(Reg::Virt(v))), Some(Src::Part(..)))
                | (Some(Src::Part(..)), Some(Src::Reg(Reg::Virt(v)))) => uses[v as usize].with_part += weight,
                (Some(Src::Reg(Reg::Virt(v))), Some(Src::Imm(_)))
                | (Some(Src::Imm(_)), Some(Src::Reg(Reg::Virt(v)))) => {
                    uses[v as usize].with_immediate += weight;
                }
                _ => {}
            }
        }
        for pair in block.insts.windows(2) {
            neighbours(&mut pairs, pair, weight);
        }
    }
    let partners = Partners::new(uses.len(), &pairs);
    (uses, partners)
}

/// How much a port conflict between two operations that may share an instruction counts, against one within an operation.
const NEIGHBOURS: f32 = 0.2;

/// An operation of one ALU and one of the other right behind it may share an instruction, if that reads at most one
/// register of each file.
fn neighbours(pairs: &mut Vec<(u32, u32, f32)>, pair: &[MInst], weight: f32) {
    let [first, second] = pair else { return };
    if !matches!((first.op, second.op), (Oper::Add(_), Oper::Mul(_)) | (Oper::Mul(_), Oper::Add(_))) {
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
