//! What the timing model says about launches, as reports have it.

use quadra_isa::vc4::timing::Board;

/// What the timing model of the chip says about a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modelled {
    /// Clocks of the chip until the last worker ended, without the launch itself.
    pub clocks: u64,
    /// Launches that these figures are the sum of.
    pub launches: u64,
    /// Issue slots in which nothing happens: no operation, signal, register access or branch.
    pub nop_slots: u64,
    /// Issue slots in which both ALUs work.
    pub dual_slots: u64,
    /// Bytes that the L2 cache sent to the caches of the slices: instructions, uniforms, and what the TMUs look up.
    pub fill_bytes: u64,
    /// Bytes that memory sent to the L2 cache.
    pub memory_bytes: u64,
    /// Clocks in which the unit worked that had the most to do, and which one: no schedule of the program is faster.
    pub busy_clocks: u64,
    pub busiest: &'static str,
}

impl Modelled {
    /// Seconds on a Raspberry Pi 1 in which the busiest unit worked, and which one that is.
    pub fn least(&self) -> (f64, &'static str) {
        (self.busy_clocks as f64 / (Board::Pi1.clock_mhz() * 1e6), self.busiest)
    }

    /// Seconds on a Raspberry Pi 1.
    pub fn seconds(&self) -> f64 {
        self.clocks as f64 / (Board::Pi1.clock_mhz() * 1e6)
    }
}

impl std::ops::AddAssign for Modelled {
    /// Adds what a launch of the same program that follows did.
    fn add_assign(&mut self, next: Modelled) {
        self.clocks += next.clocks;
        self.launches += next.launches;
        self.nop_slots += next.nop_slots;
        self.dual_slots += next.dual_slots;
        self.fill_bytes += next.fill_bytes;
        self.memory_bytes += next.memory_bytes;
        if next.busy_clocks > self.busy_clocks {
            self.busiest = next.busiest;
        }
        self.busy_clocks += next.busy_clocks;
    }
}
