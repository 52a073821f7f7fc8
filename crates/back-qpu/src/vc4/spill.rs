//! Spill code: rows of the VPM that belong to this QPU, and when those are full this QPU's area of memory, by DMA: a reload through
//! the TMU would not see this launch's stores.

use super::Vc4;
use super::abi::UniformSlot;
use super::lowered::Lowered;
use super::minst::{Code, Dst, MInst, Reg, Src, VirtInfo, constant, imm};
use super::vpm_plan::{self, SPILL_ROW, VpmPlan, Width};
use crate::machine::isa::{Home, SpillCode};
use quadra_base::quick::Map;
use quadra_isa::vc4::AddOp;

/// Rows that a small immediate added to the first one's setup reaches.
const MOST_ROWS: u32 = 16;

/// What spill code has taken of a QPU's memory and of the uniform stream.
#[derive(Clone)]
pub struct Spill {
    /// First row for spilled values, and how many there are.
    first_row: u32,
    rows: u32,
    /// Bytes of the scratch area.
    pub bytes: u32,
    /// The stream of uniforms; what spill code needs comes first.
    pub slots: Vec<UniformSlot>,
    registers: Map<UniformSlot, Reg>,
    /// Slots that the program does not read yet.
    front: Vec<(UniformSlot, Reg)>,
}

impl Spill {
    /// What is left after what the program itself uses.
    pub fn new(lowered: &Lowered, plan: &VpmPlan) -> Spill {
        Spill {
            first_row: lowered.first_spill_row,
            rows: (plan.rows - lowered.first_spill_row).min(MOST_ROWS),
            bytes: lowered.scratch_bytes,
            slots: lowered.slots.clone(),
            registers: Map::default(),
            front: Vec::new(),
        }
    }

    fn uniform(&mut self, code: &mut Code, slot: UniformSlot) -> Reg {
        if let Some(&r) = self.registers.get(&slot) {
            return r;
        }
        let r = pinned(code);
        self.registers.insert(slot, r);
        self.front.push((slot, r));
        r
    }

    fn address(&mut self, code: &mut Code, offset: u32, out: &mut Vec<MInst>) -> MInst {
        let base = self.uniform(code, UniformSlot::Scratch(0));
        let t = pinned(code);
        out.push(constant(t, offset));
        MInst::add(AddOp::Add, Dst::None, base, t)
    }
}

impl SpillCode<Vc4> for Spill {
    fn near(&self) -> u32 {
        self.rows
    }

    fn bytes(&mut self) -> &mut u32 {
        &mut self.bytes
    }

    fn prologue(&mut self) -> Vec<MInst> {
        let reads = self.front.iter().map(|(_, r)| MInst::mov(*r, Src::Uniform)).collect();
        self.slots.splice(0..0, self.front.drain(..).map(|(slot, _)| slot));
        reads
    }

    fn reload(&mut self, code: &mut Code, home: Home, t: Reg, out: &mut Vec<MInst>) {
        match home {
            Home::Constant(bits) => out.push(constant(t, bits)),
            Home::Near(row) => {
                let setup = self.uniform(code, vpm_plan::vpm_read(self.first_row));
                out.push(MInst::add(AddOp::Add, Dst::RD_SETUP, setup, imm(row as i32)));
                out.push(MInst::mov(t, Src::Vpm).glue());
            }
            Home::Memory(offset) => {
                let row = SPILL_ROW;
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
            Home::Near(row) => {
                let setup = self.uniform(code, vpm_plan::vpm_write(self.first_row));
                out.push(MInst::add(AddOp::Add, Dst::WR_SETUP, setup, imm(row as i32)));
                out.push(MInst::mov(Dst::VPM, t).glue());
            }
            Home::Memory(offset) => {
                let row = SPILL_ROW;
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
}

fn pinned(code: &mut Code) -> Reg {
    code.fresh_in(VirtInfo { pinned: true, ..VirtInfo::default() })
}
