//! Arrays that the items of a group share.
//!
//! What does not fit in registers (`held`) lies in memory of this QPU's own: a group is one vector of one QPU, so that what
//! the items see is in the order of the program. The VPM would be nearer, but 12 QPUs have five rows of it each, which transfers
//! need. Each group begins with zeros.

use super::cx::Cx;
use crate::vc4::abi::UniformSlot;
use crate::vc4::minst::{Dst, MInst, Reg, imm};
use crate::vc4::vpm_plan::{self, Width};
use kir::Buf;
use quadra_isa::vc4::AddOp;
use quadra_kir as kir;

/// Bytes of a row, and of a line of memory that nothing else may share.
const ROW_BYTES: u32 = 64;
/// The most bytes of a QPU's memory for them: more would take longer to clear than anything that is done with them.
const MOST_BYTES: u64 = 1 << 20;

impl<'k> Cx<'k> {
    /// Gives every array its place in this QPU's memory, behind the place for stores of lanes that are not live.
    pub(super) fn shared_arrays(&mut self) {
        let kernel = self.kernel;
        let arrays: Vec<_> = kernel.shared().filter(|(buf, _)| !self.is_held(*buf)).collect();
        if !arrays.is_empty() {
            self.trash();
        }
        for (buf, info) in arrays {
            let at = self.scratch_bytes;
            if u64::from(at).saturating_add(info.bytes()) > MOST_BYTES {
                return self.error(format!("the shared array `{}` is larger than a QPU's memory", info.name));
            }
            self.shared.insert(buf, at);
            self.scratch_bytes += (info.bytes() as u32).next_multiple_of(ROW_BYTES);
        }
    }

    pub(super) fn shared_base(&mut self, buf: Buf) -> Reg {
        let at = self.shared.get(&buf).copied().unwrap_or(0);
        self.uniform(UniformSlot::Scratch(at))
    }

    /// Fills all arrays with zeros, at the start of a group.
    pub(super) fn clear_shared(&mut self) {
        self.clear_held();
        let Some(&first) = self.shared.values().min().filter(|f| **f < self.scratch_bytes) else { return };
        let end = self.scratch_bytes;
        let base = self.uniform(UniformSlot::Scratch(first));
        let zero = self.const_reg(0);
        let row = self.take_rows(1);
        let setup = self.uniform(vpm_plan::dma_store_row(row, Width::Word));
        self.write_rows(row, &[zero]);
        let at = self.fresh();
        self.emit(MInst::mov(at, base));
        let step = self.const_src(ROW_BYTES);
        self.repeat((end - first) / ROW_BYTES, |cx| {
            cx.emit(MInst::mov(Dst::WR_SETUP, setup));
            cx.emit(MInst::add(AddOp::Add, Dst::ST_ADDR, at, imm(0)).glue());
            cx.add(AddOp::Add, at, at, step);
        });
        self.staging.started(row);
    }
}
