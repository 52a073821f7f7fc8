//! Spilled values live in memory, and in a register only for an instruction. Constants are computed again at each use; others go to
//! the near memory, and when that is full to memory.

use crate::machine::code::{Code, VirtInfo};
use crate::machine::isa::{Home, Instruction, Isa, SpillCode};
use crate::machine::liveness::Liveness;
use crate::machine::registers::Reg;
use quadra_base::quick::Map;

/// Bytes of one spilled vector.
const VECTOR_BYTES: u32 = 64;

/// The times at which a place is in use, one bit each.
#[derive(Clone, Default)]
struct Busy(Vec<u64>);

impl Busy {
    /// Whether any of these times is taken.
    fn conflicts(&self, ranges: &[(u32, u32)]) -> bool {
        ranges.iter().any(|&(s, e)| words(s, e).any(|(w, mask)| self.0.get(w).is_some_and(|bits| bits & mask != 0)))
    }

    /// Takes these times.
    fn take(&mut self, ranges: &[(u32, u32)]) {
        for &(s, e) in ranges {
            if self.0.len() * 64 < e as usize {
                self.0.resize(e.div_ceil(64) as usize, 0);
            }
            words(s, e).for_each(|(w, mask)| self.0[w] |= mask);
        }
    }
}

/// The words in which bits from `s` to below `e` lie, each with its part of them.
fn words(s: u32, e: u32) -> impl Iterator<Item = (usize, u64)> {
    let (first, last) = (s / 64, e.saturating_sub(1) / 64);
    (first..=last).filter(move |_| s < e).map(move |w| {
        let low = if w == first { u64::MAX << (s % 64) } else { u64::MAX };
        let high = if w == last { u64::MAX >> (63 - (e - 1) % 64) } else { u64::MAX };
        (w as usize, low & high)
    })
}

/// What is taken of near memory and of memory. Values spilled in one round share a home if they are never alive
/// together; times of different rounds cannot be compared.
pub struct SpillArea<I: Isa> {
    pub code: I::Spill,
    near_used: u32,
    /// By what stands for a spilled value at one use: how it is loaded there, and stored.
    pub loads: Map<u32, Transfer>,
    pub saves: Map<u32, Transfer>,
}

/// Instructions that load or store a spilled value.
pub struct Transfer {
    pub value: u32,
    pub length: usize,
    /// How many come before the one that moves the value.
    pub before: usize,
}

impl Transfer {
    fn of<T>(value: u32, insts: &[T], moves: impl Fn(&T) -> bool) -> Transfer {
        let before = insts.iter().rposition(moves).expect("one of them moves the value");
        Transfer { value, length: insts.len(), before }
    }
}

impl<I: Isa> SpillArea<I> {
    /// An area in which nothing is spilled yet.
    pub fn new(code: I::Spill) -> SpillArea<I> {
        SpillArea { code, near_used: 0, loads: Map::default(), saves: Map::default() }
    }
}

/// Rewrites the code so that these registers live in memory, and only for an instruction in a register.
pub fn insert<I: Isa>(code: &mut Code<I>, live: &Liveness, spilled: &[u32], area: &mut SpillArea<I>) {
    let homes = choose(code, live, spilled, area);
    let mut cx = Spiller { area, homes };
    for b in 0..code.blocks.len() {
        let insts = std::mem::take(&mut code.blocks[b].insts);
        let mut out = Vec::with_capacity(insts.len());
        let mut rest = &insts[..];
        while !rest.is_empty() {
            let n = 1 + rest[1..].iter().take_while(|i| i.is_glued()).count();
            cx.sequence(code, &rest[..n], &mut out);
            rest = &rest[n..];
        }
        code.blocks[b].insts = out;
    }
    // What spill code needs comes first, because the values that come after it may be spilled at once.
    code.blocks[0].insts.splice(0..0, area.code.prologue());
}

fn choose<I: Isa>(code: &Code<I>, live: &Liveness, spilled: &[u32], area: &mut SpillArea<I>) -> Map<u32, Home> {
    let mut homes = Map::default();
    let (mut near, mut slots): (Vec<Busy>, Vec<Busy>) = (Vec::new(), Vec::new());
    let (first, first_byte) = (area.near_used, *area.code.bytes());
    for &v in spilled {
        if let Some(bits) = code.virt[v as usize].constant {
            homes.insert(v, Home::Constant(bits));
            continue;
        }
        let ranges = &live.ranges[v as usize];
        let free = |list: &[Busy]| list.iter().position(|b| !b.conflicts(ranges));
        if let Some(i) = free(&near) {
            near[i].take(ranges);
            homes.insert(v, Home::Near(first + i as u32));
        } else if area.near_used < area.code.near() {
            area.near_used += 1;
            near.push(Busy::default());
            near.last_mut().expect("just added").take(ranges);
            homes.insert(v, Home::Near(area.near_used - 1));
        } else {
            let i = free(&slots).unwrap_or_else(|| {
                slots.push(Busy::default());
                *area.code.bytes() += VECTOR_BYTES;
                slots.len() - 1
            });
            slots[i].take(ranges);
            homes.insert(v, Home::Memory(first_byte + i as u32 * VECTOR_BYTES));
        }
    }
    homes
}

struct Spiller<'a, I: Isa> {
    area: &'a mut SpillArea<I>,
    homes: Map<u32, Home>,
}

impl<I: Isa> Spiller<'_, I> {
    /// One instruction with those glued to it: reloads before, stores after.
    fn sequence(&mut self, code: &mut Code<I>, insts: &[I::Inst], out: &mut Vec<I::Inst>) {
        // In the order of the instructions, so that the result does not depend on how a map is laid out.
        let (mut reads, mut writes): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        for inst in insts {
            let note = |r: Reg, list: &mut Vec<u32>| {
                if let Some(v) = r.virt()
                    && self.homes.contains_key(&v)
                    && !list.contains(&v)
                {
                    list.push(v);
                }
            };
            code.for_each_use(inst, |r| note(r, &mut reads));
            if let Some(r) = inst.def() {
                note(r, &mut writes);
            }
        }
        if reads.is_empty() && writes.is_empty() {
            return out.extend_from_slice(insts);
        }
        writes.retain(|v| !matches!(self.homes[v], Home::Constant(_)));
        let span = insts[0].span();
        let mut temps: Map<u32, Reg> = Map::default();
        for &v in reads.iter().chain(&writes) {
            temps.entry(v).or_insert_with(|| {
                let bank = code.virt[v as usize].bank;
                code.fresh_in(VirtInfo { bank, pinned: true, ..VirtInfo::default() })
            });
        }
        let first = out.len();
        for v in &reads {
            let (start, t) = (out.len(), temps[v]);
            self.area.code.reload(code, self.homes[v], t, out);
            let transfer = Transfer::of(*v, &out[start..], |i| i.def() == Some(t));
            self.area.loads.extend(t.virt().map(|t| (t, transfer)));
        }
        for inst in insts {
            let constant = inst.def().and_then(Reg::virt).and_then(|v| self.homes.get(&v));
            if matches!(constant, Some(Home::Constant(_))) {
                continue;
            }
            out.push(replace(code, *inst, &temps));
        }
        for v in &writes {
            let (start, t) = (out.len(), temps[v]);
            self.area.code.store(code, self.homes[v], t, out);
            let transfer = Transfer::of(*v, &out[start..], |i| i.reads().any(|r| r == t));
            self.area.saves.extend(t.virt().map(|t| (t, transfer)));
        }
        out[first..].iter_mut().for_each(|i| i.set_span(i.span().or(span)));
    }
}

fn replace<I: Isa>(code: &mut Code<I>, mut inst: I::Inst, temps: &Map<u32, Reg>) -> I::Inst {
    let at = |r: Reg| r.virt().and_then(|v| temps.get(&v)).copied().unwrap_or(r);
    inst.map_registers(at);
    if let Some(p) = inst.probe() {
        code.probes[p as usize].map_registers(at);
    }
    inst
}
