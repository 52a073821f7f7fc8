//! The rows of the VPM that stores leave from and loads arrive in.
//!
//! Stores take the rows of this QPU in turn, so that several transfers can be on their way; a row is written again only
//! after a wait, which is for all transfers of this QPU at once. Several rows that lie at equal distances in memory go in
//! one transfer.
//!
//! Loads by DMA arrive in the same rows: a load waits for this QPU's stores anyway, because it may be of what they store, and
//! is read at once. So what a kernel changes in place goes through one set of rows, loaded, changed and stored, and each of
//! the 12 QPUs moves four rows at a time both ways with the five that it has.

use super::cx::Cx;
use crate::vc4::abi::UniformSlot;
use crate::vc4::minst::{Dst, MInst, Reg, Src, imm};
use crate::vc4::vpm_plan::{self, FIRST_STORE_ROW, MOST_TOGETHER, VpmPlan};
use kir::{Block, Buf, Inst, Kernel, Op, Value};
use quadra_isa::vc4::AddOp;
use quadra_kir as kir;

/// Writes that one setup serves: more would have to keep more registers at once if values are spilled.
const WRITES_PER_SETUP: usize = 4;
/// Words of a row.
const ROW: i32 = 16;

/// How the rows of a `store.rows` lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gap {
    /// No such stores.
    None,
    /// Everywhere this stride: the gap is set up once.
    One(Value),
    /// Several strides: each store sets it up.
    Several,
}

/// The rows and which of them transfers may still read.
pub(super) struct Staging {
    rows: u32,
    /// How many loads arrive in at once, 0 without loads: from the same row on.
    loads: u32,
    next: u32,
    /// Bit per row.
    busy: u32,
    gap: Gap,
}

impl Staging {
    /// As many rows as the kernel has use for but for arrays that are `held` in registers; other stores than of rows set up gaps
    /// of their own if it is `strided`.
    pub fn of(
        kernel: &Kernel,
        plan: &VpmPlan,
        through_dma: &[bool],
        (held, strided): (&dyn Fn(Buf) -> bool, bool),
    ) -> Staging {
        let (mut wanted, mut largest) = (1, 1);
        demand(&kernel.body, held, &mut wanted, &mut largest);
        let mut gap = Gap::None;
        kernel.body.walk(&mut |inst| {
            if inst.op == Op::StoreRows {
                gap = match gap {
                    _ if strided => Gap::Several,
                    Gap::None => Gap::One(inst.args[1]),
                    Gap::One(v) if v == inst.args[1] => gap,
                    _ => Gap::Several,
                };
            }
        });
        let loads = kernel.body.any(&mut |inst| {
            let dma = inst.buf.is_some_and(|b| through_dma[b.index()]);
            inst.op.is_atomic() && !inst.buf.is_some_and(held) || dma && matches!(inst.op, Op::Load | Op::LoadRow)
        });
        Staging { rows: plan.rows_for_stores(wanted, largest), loads: u32::from(loads), next: 0, busy: 0, gap }
    }

    /// The first row behind those of stores and loads.
    pub fn end(&self) -> u32 {
        FIRST_STORE_ROW + self.rows.max(self.loads)
    }

    /// How many rows loads can have at once.
    pub fn room_for_loads(&self, plan: &VpmPlan) -> u32 {
        if self.loads == 0 { 0 } else { plan.transfer_rows().min(MOST_TOGETHER) }
    }

    /// Loads arrive in up to this many rows at once.
    pub fn load_together(&mut self, rows: u32) {
        self.loads = if self.loads == 0 { 0 } else { rows };
    }

    /// At the start of a block transfers of any block before it may be on their way.
    pub fn start_block(&mut self, has_stores: bool) {
        self.next = 0;
        self.busy = if has_stores { u32::MAX } else { 0 };
    }

    /// After a wait.
    pub fn all_stored(&mut self) {
        self.busy = 0;
    }

    /// A transfer from a row has been started.
    pub fn started(&mut self, row: u32) {
        self.busy |= 1 << (row - FIRST_STORE_ROW);
    }
}

/// Rows that one block stores, at most, and one instruction.
fn demand(block: &Block, held: &dyn Fn(Buf) -> bool, wanted: &mut u32, largest: &mut u32) {
    let mut sum = 0;
    for inst in &block.insts {
        inst.regions.iter().for_each(|r| demand(r, held, wanted, largest));
        let rows = match inst.op {
            Op::StoreRows => inst.args.len() as u32 - 2,
            Op::Store | Op::StoreRow if !inst.buf.is_some_and(held) => 1,
            _ => 0,
        };
        sum += rows;
        *largest = rows.max(*largest);
    }
    *wanted = sum.max(*wanted);
}

impl<'k> Cx<'k> {
    /// Waits until this QPU's stores have reached memory.
    pub(super) fn wait_stores(&mut self) {
        if self.staging.busy != 0 {
            self.emit(MInst::mov(Dst::None, Src::StoreWait));
            self.staging.all_stored();
        }
    }

    /// The first of `count` rows that are free, and from now on busy.
    pub(super) fn take_rows(&mut self, count: u32) -> u32 {
        if self.staging.next + count > self.staging.rows {
            self.staging.next = 0;
        }
        let first = self.staging.next;
        let mask = ((1u64 << count) - 1) as u32;
        if self.staging.busy & mask << first != 0 {
            self.wait_stores();
        }
        self.staging.next += count;
        self.staging.busy |= mask << first;
        FIRST_STORE_ROW + first
    }

    /// Writes vectors to rows from `row` on. What follows may be glued to the last write.
    pub(super) fn write_rows(&mut self, row: u32, values: &[Reg]) {
        for (i, part) in values.chunks(WRITES_PER_SETUP).enumerate() {
            let write = self.uniform(vpm_plan::vpm_write(row + (i * WRITES_PER_SETUP) as u32));
            self.emit(MInst::mov(Dst::WR_SETUP, write));
            part.iter().for_each(|&v| self.emit(MInst::mov(Dst::VPM, v).glue()));
        }
    }

    pub(super) fn store_rows(&mut self, inst: &'k Inst, buf: Buf) {
        let base = self.base(buf);
        let values: Vec<Reg> = inst.args[2..].iter().map(|&v| self.reg(v)).collect();
        let count = values.len() as u32;
        if count > self.staging.rows {
            return self.error(format!("{count} rows at once are more than a QPU has in the VPM"));
        }
        let gap = (self.staging.gap == Gap::Several).then(|| self.gap(inst.args[1]));
        let address = self.address_inst(base, inst.args[0]);
        let row = self.take_rows(count);
        let setup = self.uniform(vpm_plan::dma_store_rows(row, count));
        self.write_rows(row, &values);
        if let Some(gap) = gap {
            self.emit(MInst::mov(Dst::WR_SETUP, gap).glue());
        }
        self.emit(MInst::mov(Dst::WR_SETUP, setup).glue());
        self.emit(MInst { dst: Dst::ST_ADDR, ..address }.glue());
    }

    /// The setup word of the gap between rows this many elements apart.
    fn gap(&mut self, stride: Value) -> Reg {
        if let Some(k) = self.kernel.as_i32(stride) {
            let bytes = k.wrapping_sub(ROW).wrapping_mul(4) as u32;
            return self.uniform(UniformSlot::Const(vpm_plan::dma_store_gap(bytes)));
        }
        let word = self.uniform(UniformSlot::Const(vpm_plan::dma_store_gap(0).wrapping_sub(4 * ROW as u32)));
        let stride = self.src(stride);
        let bytes = self.add_new(AddOp::Shl, stride, imm(2));
        self.add_new(AddOp::Add, word, bytes)
    }

    /// Sets up the gap as soon as its value is there, if all stores agree on it.
    pub(super) fn set_gap(&mut self, computed: &[Value]) {
        if let Gap::One(v) = self.staging.gap
            && computed.contains(&v)
        {
            let gap = self.gap(v);
            self.emit(MInst::mov(Dst::WR_SETUP, gap));
        }
    }

    /// Sets up the gap at the start of the kernel, if it is a constant or a parameter.
    pub(super) fn set_first_gap(&mut self) {
        if let Gap::One(v) = self.staging.gap
            && !matches!(self.kernel.values[v].def, kir::Def::Local)
        {
            self.set_gap(&[v]);
        }
    }
}
