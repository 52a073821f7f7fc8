//! Stores to elements at equal distances, such as one channel of pixels: one transfer of 16 rows of a word each.
//!
//! One by one they would take 16 transfers, each of which costs 39 clocks to start.

use super::cx::Cx;
use crate::vc4::abi::UniformSlot;
use crate::vc4::minst::{Dst, MInst};
use crate::vc4::vpm_plan;
use kir::{Buf, Inst, Kernel, Op, Value};
use quadra_base::quick::Map;
use quadra_kir as kir;
use quadra_passes::analysis::affine::Affine;
use quadra_passes::analysis::range::Range;

/// The most words from one element to the next: the gap between them has 13 bits of bytes.
const MOST_STRIDE: i32 = (1 << 13) / 4;

/// The distances, in words, of the elements at indices by which the kernel stores, where they are constants above 1, for
/// launches on up to `workers` QPUs.
pub(super) fn strides(kernel: &Kernel, workers: u32) -> Map<Value, i32> {
    let per_lane = |i: &Inst| is_word_store(kernel, i) && kernel.ty(i.args[0]).lanes;
    let mut strides = Map::default();
    if kernel.body.any(&mut |i| per_lane(i)) {
        let affine = Affine::within(kernel, &Range::with_workers(kernel, i64::from(workers)));
        kernel.body.walk(&mut |i| {
            if per_lane(i)
                && let Some(stride) = affine.stride(i.args[0]).filter(|s| (2..=MOST_STRIDE).contains(s))
            {
                strides.insert(i.args[0], stride);
            }
        });
    }
    strides
}

/// Whether an instruction stores words, the only elements that such a transfer has.
fn is_word_store(kernel: &Kernel, i: &Inst) -> bool {
    i.op == Op::Store && i.buf.is_some_and(|b| kernel.bufs[b].elem.bytes() == 4)
}

impl<'k> Cx<'k> {
    /// The words from one lane's element to the next, if all go in one transfer. Stores of narrow elements may have the same
    /// index as one of words.
    pub(super) fn distance(&self, inst: &Inst) -> Option<i32> {
        self.strided.get(&inst.args[0]).copied().filter(|_| is_word_store(self.kernel, inst))
    }

    /// All lanes of a value to elements this many words apart.
    pub(super) fn store_strided(&mut self, inst: &'k Inst, buf: Buf, stride: i32) {
        let value = self.reg(inst.args[1]);
        let base = self.base(buf);
        let address = self.lane_addresses(inst, buf, None, base);
        let row = self.take_rows(1);
        let setup = self.uniform(vpm_plan::dma_store_words(row));
        let gap = self.uniform(UniformSlot::Const(vpm_plan::dma_store_gap(4 * (stride as u32 - 1))));
        self.write_rows(row, &[value]);
        self.emit(MInst::mov(Dst::WR_SETUP, gap).glue());
        self.emit(MInst::mov(Dst::WR_SETUP, setup).glue());
        self.emit(MInst::mov(Dst::ST_ADDR, address).glue());
    }
}
