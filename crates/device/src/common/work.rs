//! The work of a launch, from the operations that its kernel executes: what any program for the QPU has to do, however
//! well it is scheduled. The bound that follows is compared with the modelled time of the program. Which
//! lanes take part costs nothing: flags say so.

use quadra_isa::vc4::timing::Parameters;
use quadra_kir::interp::OpCount;
use quadra_kir::{Elem, Op};

/// Operations of all QPUs together, by the unit that does them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Operations that only the add ALU has.
    pub add: u64,
    /// Operations that only the mul ALU has: products and rotations.
    pub mul: u64,
    /// Operations that either has: writes to units.
    pub either: u64,
    /// Branches, which take a slot alone.
    pub branches: u64,
    /// Vectors looked up by the TMUs.
    pub lookups: u64,
    /// Rows of 16 words stored by DMA.
    pub stored_rows: u64,
    /// Bytes of the buffers that are read through the caches, each once.
    pub bytes: u64,
}

/// What limits a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Instructions.
    Issue,
    Tmu,
    DmaStore,
    /// The way from memory to the caches.
    Memory,
}

impl Limit {
    /// Name for tables.
    pub const fn name(self) -> &'static str {
        match self {
            Limit::Issue => "issue",
            Limit::Tmu => "TMU",
            Limit::DmaStore => "DMA store",
            Limit::Memory => "memory",
        }
    }
}

impl Work {
    /// The work behind the executions of a kernel of the SIMD level. `bytes` are left at 0.
    pub(crate) fn of(counts: &[OpCount]) -> Work {
        let mut work = Work::default();
        for c in counts {
            let n = c.executions;
            match c.op {
                Op::Mul | Op::Mul24 | Op::Rotate | Op::Broadcast => work.mul += n,
                // A condition on what computes the chosen value, on flags that hold all parts of the condition.
                Op::Select => {}
                Op::And | Op::Or | Op::AndNot | Op::Not if c.elem == Elem::Bool => {}
                // The counter, its test, and the branch of each iteration.
                Op::For => (work.add, work.branches) = (work.add + 2 * n, work.branches + n),
                // Any other loop needs no branch but the one that leaves it.
                Op::If => work.branches += n,
                Op::Continue | Op::Break => {}
                // By the TMUs at best; the DMA engine, which some loads need, is slower.
                Op::TmuRequest | Op::Load | Op::LoadRow => work.look_up(n),
                Op::StoreRow => work.store(n),
                Op::StoreRows => work.store(n * u64::from(c.args.saturating_sub(2))),
                Op::Store => work.store(n),
                op if op.is_vote() || !op.is_pure() => {}
                // Known at the start, from uniforms.
                Op::Lane | Op::Worker | Op::NumWorkers | Op::Extent | Op::Dim | Op::LaneActive => {}
                _ => work.add += n,
            }
        }
        work
    }

    fn look_up(&mut self, n: u64) {
        self.lookups += n;
        self.either += n;
    }

    /// Vectors are written to the VPM, and leave it in transfers of as many rows as one likes.
    fn store(&mut self, rows: u64) {
        self.stored_rows += rows;
        self.either += rows;
    }

    /// Issue slots of all QPUs if both ALUs always find work.
    pub fn slots(&self) -> u64 {
        let both = (self.add + self.mul + self.either).div_ceil(2);
        self.add.max(self.mul).max(both) + self.branches
    }

    /// Clocks that no program on `qpus` QPUs, among which the work is shared evenly, can do without, and what asks for
    /// them. The TMUs come in pairs, a pair for four QPUs.
    pub fn bound(&self, qpus: u32, parameters: &Parameters) -> (f64, Limit) {
        let p = parameters;
        let tmus = 2.0 * f64::from(qpus.div_ceil(4));
        let times = [
            (self.slots() as f64 * p.issue / f64::from(qpus.max(1)), Limit::Issue),
            (self.lookups as f64 * p.tmu_request / tmus, Limit::Tmu),
            (self.stored_rows as f64 * (p.dma_store_row + p.dma_store_bytes), Limit::DmaStore),
            (self.bytes as f64 / 64.0 * p.memory_line, Limit::Memory),
        ];
        times.into_iter().fold((0.0, Limit::Issue), |most, t| if t.0 > most.0 { t } else { most })
    }
}

impl std::ops::AddAssign<&Work> for Work {
    fn add_assign(&mut self, w: &Work) {
        self.add += w.add;
        self.mul += w.mul;
        self.either += w.either;
        self.branches += w.branches;
        self.lookups += w.lookups;
        self.stored_rows += w.stored_rows;
        self.bytes += w.bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fullest_unit_is_the_bound() {
        let work = Work { add: 100, mul: 130, either: 10, branches: 5, ..Work::default() };
        assert_eq!(work.slots(), 135);
        assert_eq!(Work { either: 200, ..work }.slots(), 220);
        let p = Parameters::default();
        assert_eq!(work.bound(1, &p), (540.0, Limit::Issue));
        assert_eq!(work.bound(2, &p).0, 270.0);
        // One TMU is shared by two QPUs.
        let work = Work { lookups: 60, ..work };
        assert_eq!(work.bound(4, &p), (480.0, Limit::Tmu));
        assert_eq!(work.bound(12, &p), (160.0, Limit::Tmu));
        let work = Work { stored_rows: 128, ..work };
        assert_eq!((work.bound(12, &p).0.round(), work.bound(12, &p).1), (1792.0, Limit::DmaStore));
    }
}
