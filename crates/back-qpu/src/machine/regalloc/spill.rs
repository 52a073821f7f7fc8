//! Spill code. Constants are computed again at each use. Other values go to rows of the VPM that belong to this QPU, and
//! when those are full to this QPU's area of memory, by DMA: a reload through the TMU would not see this launch's stores.

use super::FrontSlots;
use crate::machine::liveness::Liveness;
use crate::vc4::abi::UniformSlot;
use crate::vc4::lower::{self, imm};
use crate::vc4::minst::{Code, Dst, MInst, Reg, Src, VirtInfo};
use crate::vc4::vpm_plan::{self, SPILL_ROW, VpmPlan, Width};
use quadra_base::quick::Map;
use quadra_isa::vc4::AddOp;

/// Bytes of one spilled vector.
const VECTOR_BYTES: u32 = 64;

/// Rows that a small immediate added to the first one's setup reaches.
const MOST_ROWS: u32 = 16;

/// A place for a spilled value.
#[derive(Clone, Copy)]
enum Home {
    Constant(u32),
    /// Row of the VPM, counted from the first spill row.
    Row(u32),
    /// Offset in the scratch area, in bytes.
    Memory(u32),
}

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

/// What is taken of the spill rows and of memory. Values spilled in one round share a home if they are never alive
/// together; times of different rounds cannot be compared.
pub struct SpillArea {
    /// First row for spilled values, and how many there are.
    first_row: u32,
    rows: u32,
    rows_used: u32,
    bytes: u32,
    registers: Map<UniformSlot, Reg>,
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
    fn of(value: u32, insts: &[MInst], moves: impl Fn(&MInst) -> bool) -> Transfer {
        let before = insts.iter().rposition(moves).expect("one of them moves the value");
        Transfer { value, length: insts.len(), before }
    }
}

impl SpillArea {
    /// An area after what the program itself uses.
    pub fn new(plan: &VpmPlan, first_row: u32, scratch_bytes: u32) -> SpillArea {
        let rows = (plan.rows - first_row).min(MOST_ROWS);
        SpillArea {
            first_row,
            rows,
            rows_used: 0,
            bytes: scratch_bytes,
            registers: Map::default(),
            loads: Map::default(),
            saves: Map::default(),
        }
    }

    /// Bytes of scratch memory that are in use.
    pub fn bytes(&self) -> u32 {
        self.bytes
    }

    /// The row that values on their way to and from memory pass through.
    fn staging_row(&self) -> u32 {
        SPILL_ROW
    }
}

/// Rewrites the code so that these registers live in memory, and only for an instruction in a register.
pub fn insert(code: &mut Code, slots: &mut Vec<UniformSlot>, live: &Liveness, spilled: &[u32], area: &mut SpillArea) {
    let homes = choose(code, live, spilled, area);
    let mut front: FrontSlots = Vec::new();
    let mut cx = Spiller { area, front: &mut front, homes };
    for b in 0..code.blocks.len() {
        let insts = std::mem::take(&mut code.blocks[b].insts);
        let mut out = Vec::with_capacity(insts.len());
        let mut rest = &insts[..];
        while !rest.is_empty() {
            let n = 1 + rest[1..].iter().take_while(|i| i.glued).count();
            cx.sequence(code, &rest[..n], &mut out);
            rest = &rest[n..];
        }
        code.blocks[b].insts = out;
    }
    // What spill code needs is read first, because the values read after it may be spilled at once.
    let reads: Vec<MInst> = front.iter().map(|(_, r)| MInst::mov(*r, Src::Uniform)).collect();
    code.blocks[0].insts.splice(0..0, reads);
    slots.splice(0..0, front.iter().map(|(slot, _)| *slot));
}

fn choose(code: &Code, live: &Liveness, spilled: &[u32], area: &mut SpillArea) -> Map<u32, Home> {
    let mut homes = Map::default();
    let (mut rows, mut slots): (Vec<Busy>, Vec<Busy>) = (Vec::new(), Vec::new());
    let (first_row, first_byte) = (area.rows_used, area.bytes);
    for &v in spilled {
        if let Some(bits) = code.virt[v as usize].constant {
            homes.insert(v, Home::Constant(bits));
            continue;
        }
        let ranges = &live.ranges[v as usize];
        let free = |list: &[Busy]| list.iter().position(|b| !b.conflicts(ranges));
        if let Some(i) = free(&rows) {
            rows[i].take(ranges);
            homes.insert(v, Home::Row(first_row + i as u32));
        } else if area.rows_used < area.rows {
            area.rows_used += 1;
            rows.push(Busy::default());
            rows.last_mut().expect("just added").take(ranges);
            homes.insert(v, Home::Row(area.rows_used - 1));
        } else {
            let i = free(&slots).unwrap_or_else(|| {
                slots.push(Busy::default());
                area.bytes += VECTOR_BYTES;
                slots.len() - 1
            });
            slots[i].take(ranges);
            homes.insert(v, Home::Memory(first_byte + i as u32 * VECTOR_BYTES));
        }
    }
    homes
}

struct Spiller<'a> {
    area: &'a mut SpillArea,
    front: &'a mut FrontSlots,
    homes: Map<u32, Home>,
}

impl Spiller<'_> {
    /// One instruction with those glued to it: reloads before, stores after.
    fn sequence(&mut self, code: &mut Code, insts: &[MInst], out: &mut Vec<MInst>) {
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
        let span = insts[0].span;
        let mut temps: Map<u32, Reg> = Map::default();
        for &v in reads.iter().chain(&writes) {
            temps.entry(v).or_insert_with(|| {
                let t = pinned(code);
                let VirtInfo { accumulator, file_a, .. } = code.virt[v as usize];
                let info = code.virt.last_mut().expect("just added");
                (info.accumulator, info.file_a) = (accumulator, file_a);
                t
            });
        }
        let first = out.len();
        for v in &reads {
            let (start, t) = (out.len(), temps[v]);
            self.reload(code, self.homes[v], t, out);
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
            self.store(code, self.homes[v], t, out);
            let transfer = Transfer::of(*v, &out[start..], |i| i.dst == Dst::VPM);
            self.area.saves.extend(t.virt().map(|t| (t, transfer)));
        }
        out[first..].iter_mut().for_each(|i| i.span = i.span.or(span));
    }

    fn uniform(&mut self, code: &mut Code, slot: UniformSlot) -> Reg {
        if let Some(&r) = self.area.registers.get(&slot) {
            return r;
        }
        let r = pinned(code);
        self.area.registers.insert(slot, r);
        self.front.push((slot, r));
        r
    }

    fn reload(&mut self, code: &mut Code, home: Home, t: Reg, out: &mut Vec<MInst>) {
        match home {
            Home::Constant(bits) => out.push(lower::constant(t, bits)),
            Home::Row(row) => {
                let setup = self.uniform(code, vpm_plan::vpm_read(self.area.first_row));
                out.push(MInst::add(AddOp::Add, Dst::RD_SETUP, setup, imm(row as i32)));
                out.push(MInst::mov(t, Src::Vpm).glue());
            }
            Home::Memory(offset) => {
                let row = self.area.staging_row();
                let load = self.uniform(code, vpm_plan::dma_load_rows(row, 1, true));
                let read = self.uniform(code, vpm_plan::vpm_read(row));
                let address = self.address(code, offset, out);
                out.push(MInst::mov(Dst::RD_SETUP, load));
                out.push(MInst { dst: Dst::LD_ADDR, ..address }.glue());
                out.push(MInst::mov(Dst::None, Src::LoadWait).glue());
                out.push(MInst::mov(Dst::RD_SETUP, read).glue());
                out.push(MInst::mov(t, Src::Vpm).glue());
            }
        }
    }

    fn store(&mut self, code: &mut Code, home: Home, t: Reg, out: &mut Vec<MInst>) {
        match home {
            Home::Constant(_) => {}
            Home::Row(row) => {
                let setup = self.uniform(code, vpm_plan::vpm_write(self.area.first_row));
                out.push(MInst::add(AddOp::Add, Dst::WR_SETUP, setup, imm(row as i32)));
                out.push(MInst::mov(Dst::VPM, t).glue());
            }
            Home::Memory(offset) => {
                let row = self.area.staging_row();
                let write = self.uniform(code, vpm_plan::vpm_write(row));
                let store = self.uniform(code, vpm_plan::dma_store_row(row, Width::Word));
                let address = self.address(code, offset, out);
                out.push(MInst::mov(Dst::WR_SETUP, write));
                out.push(MInst::mov(Dst::VPM, t).glue());
                out.push(MInst::mov(Dst::WR_SETUP, store).glue());
                out.push(MInst { dst: Dst::ST_ADDR, ..address }.glue());
                out.push(MInst::mov(Dst::None, Src::StoreWait).glue());
            }
        }
    }

    fn address(&mut self, code: &mut Code, offset: u32, out: &mut Vec<MInst>) -> MInst {
        let base = self.uniform(code, UniformSlot::Scratch(0));
        let t = pinned(code);
        out.push(lower::constant(t, offset));
        MInst::add(AddOp::Add, Dst::None, base, t)
    }
}

fn pinned(code: &mut Code) -> Reg {
    let r = code.fresh();
    code.virt.last_mut().expect("just added").pinned = true;
    r
}

fn replace(code: &mut Code, mut inst: MInst, temps: &Map<u32, Reg>) -> MInst {
    let at = |r: Reg| r.virt().and_then(|v| temps.get(&v)).copied().unwrap_or(r);
    inst.map_registers(at);
    if let crate::vc4::minst::Oper::Probe(p) = inst.op {
        code.probes[p as usize].map_registers(at);
    }
    inst
}
