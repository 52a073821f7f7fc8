//! What a debugger may look at beside the registers.

use super::core::Target;
use super::machine::Machine;
use super::vpm::ROWS;
use super::{Counts, Lanes};

/// What is under way in one QPU.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pending {
    /// Results that wait in the queues of TMU 0 and 1.
    pub tmu: [usize; 2],
    /// Instructions until execution goes elsewhere, counting the next one, and where to: a byte address, or `None` for the
    /// program's end. `None` outside of delay slots.
    pub jump: Option<(u32, Option<u32>)>,
    /// Byte address of the next uniform.
    pub uniforms: u32,
    /// Vectors that VPM reads were set up for and that were not read yet.
    pub vpm_reads: u32,
    /// VPM rows that DMA transfers fill or take, and that were not waited for; bit r for row r.
    pub load_rows: u64,
    pub store_rows: u64,
    pub counts: Counts,
    pub ended: bool,
}

impl Machine {
    /// What is under way in a QPU of the last run; `None` if it had fewer QPUs.
    pub fn pending(&self, qpu: usize) -> Option<Pending> {
        let core = self.cores.get(qpu)?;
        let base = self.codes.get(core.code).map_or(0, |code| code.base);
        let target = match core.target {
            Target::Index(index) => Some(base.wrapping_add(8 * index as u32)),
            Target::Address(address) => Some(address),
            Target::End => None,
        };
        Some(Pending {
            tmu: [core.tmu[0].len(), core.tmu[1].len()],
            jump: (core.delay > 0).then_some((core.delay, target)),
            uniforms: core.uniform_address,
            vpm_reads: core.vpm_reads.left(),
            load_rows: core.load_rows,
            store_rows: core.store_rows,
            counts: core.counts,
            ended: core.ended,
        })
    }

    /// A row of the VPM; `None` beyond the last.
    pub fn vpm_row(&self, row: usize) -> Option<Lanes> {
        (row < ROWS).then(|| Lanes(self.shared.vpm.words[row]))
    }

    /// The values of the semaphores.
    pub fn semaphores(&self) -> [u8; 16] {
        self.shared.semaphores
    }

    /// The QPU that holds the mutex.
    pub fn mutex(&self) -> Option<usize> {
        self.shared.mutex
    }

    /// Instructions that a QPU has executed.
    pub(crate) fn issued(&self, qpu: usize) -> u64 {
        self.cores[qpu].counts.issued
    }
}
