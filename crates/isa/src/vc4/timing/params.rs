//! The parameters of the timing model: one table, each with its value, where it comes from, and how sure it is.

use serde::Serialize;

/// How a value was obtained.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// A property of the machine's structure, stated in its documentation.
    Structural,
    /// Measured on hardware.
    Measured,
    /// Follows from measurements of whole programs.
    Derived,
    /// Plausible, but nothing measured depends on it.
    Guess,
}

/// One row of the table.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Row {
    pub name: &'static str,
    pub value: f64,
    pub unit: &'static str,
    pub status: Status,
    pub source: &'static str,
}

/// Declares the parameters: field, default, unit, status, source.
macro_rules! parameters {
    ($($field:ident = $value:literal, $unit:literal, $status:ident, $source:literal;)*) => {
        /// The model's parameters. Times are in clocks of the V3D block.
        #[derive(Clone, Copy, PartialEq, Debug)]
        pub struct Parameters {
            $(#[doc = $source] pub $field: f64,)*
        }

        impl Default for Parameters {
            fn default() -> Parameters {
                Parameters { $($field: $value,)* }
            }
        }

        impl Parameters {
            /// The table with these values.
            pub fn rows(&self) -> Vec<Row> {
                vec![$(Row {
                    name: stringify!($field),
                    value: self.$field,
                    unit: $unit,
                    status: Status::$status,
                    source: $source,
                },)*]
            }
        }
    };
}

parameters! {
    issue = 4.0, "clocks", Structural, "one instruction per four clocks and QPU (guide p. 16)";
    icache_l2 = 18.0, "clocks per line", Derived,
        "straight-line code of 6 to 16 KiB runs at 6.3 clocks per instruction at most; a line holds 8";
    icache_memory = 62.0, "clocks per line", Derived,
        "straight-line code beyond 22 KiB runs at 11.7 clocks per instruction at most";
    uniform_hit = 8.0, "clocks", Guess, "next line of the uniform stream found in the slice's cache";
    uniform_l2 = 24.0, "clocks", Guess, "next line of the uniform stream found in the L2 cache";
    uniform_memory = 89.0, "clocks", Derived,
        "sgemm on one QPU, which stalls about 278 clocks per 64 uniforms in 4 lines, and on 12, where lines are shared: both together";
    uniform_restart = 30.0, "clocks", Measured, "first uniform after a write of UNIFORMS_ADDRESS (author of the sgemm)";
    tmu_l1 = 36.0, "clocks", Measured, "9 instructions from address to stall-free load signal on an L1 hit (VC4C)";
    tmu_l2 = 48.0, "clocks", Measured, "12 instructions on an L2 hit (VC4C)";
    tmu_memory = 80.0, "clocks", Measured, "20 instructions from memory (VC4C)";
    tmu_request = 16.0, "clocks", Guess, "a TMU looks up one lane per clock; two QPUs of a slice share it";
    tmu_extra_line = 4.0, "clocks per line", Guess, "each distinct line of one lookup beyond the fourth";
    l2_line = 6.1, "clocks per line", Derived,
        "the L2 cache of the V3D block; batches of the firmware's FFT of 2^10 to 2^12, which fit it, are as fast as that allows";
    vpu_l2_bytes = 131072.0, "bytes", Structural,
        "L2 cache of the VideoCore's processors, in the way of all fills on a Pi 1 and Zero (alias 0x4); 0 on a Pi 2 and 3";
    vpu_l2_line = 10.7, "clocks per line", Derived,
        "FFT of 2^13 and 2^14, whose lines are found in the processors' L2 cache but not in that of the V3D block";
    vpu_l2_extra = 12.0, "clocks", Guess, "a hit in the processors' L2 cache beyond one in that of the V3D block";
    memory_line = 10.0, "clocks per line", Derived,
        "FFT of 2^15 to 2^19 on 8 QPUs, fills and stores together: 1.6 GB/s of 3.2 at most";
    memory_turnaround = 9.0, "clocks", Derived,
        "from a line that is written to one that is read, or back; FFT of 2^19, whose stores and lookups alternate";
    memory_row_miss = 9.0, "clocks", Derived,
        "closing and opening a row, 36 ns in LPDDR2; FFT of 2^17 to 2^19, whose stores and lookups meet one bank";
    memory_row_bytes = 4096.0, "bytes", Structural, "row of a bank of a 32-bit LPDDR2 chip of 4 Gbit";
    memory_banks = 8.0, "", Structural, "banks of an LPDDR2 chip, neighbouring rows in neighbouring banks";
    memory_ahead = 32.0, "clocks", Guess, "a DMA engine is that far ahead of the memory at most, so that fills go first";
    sfu = 12.0, "clocks", Structural, "one operation per slice in service, result after three instructions (guide p. 23)";
    vpm_setup = 20.0, "clocks", Measured, "5 instructions from read setup to first vector (VC4C)";
    vpm_vector = 4.0, "clocks", Derived, "the path between QPUs and VPM carries 4 GB/s: one vector per instruction time";
    dma_load_start = 60.0, "clocks", Derived, "fit of 200 MB/s (1 row of 64 bytes) and 690 MB/s (16 rows)";
    dma_load_row = 5.4, "clocks per row", Derived, "16 rows of one word take 160 clocks, 16 rows of 64 bytes 371";
    dma_load_bytes = 14.0, "clocks per 64 bytes", Derived, "as dma_load_row";
    dma_store_start = 39.0, "clocks", Derived, "fit of 300 MB/s (1 row of 64 bytes) and 1.12 GB/s (128 rows)";
    dma_store_row = 7.1, "clocks per row", Derived, "16 rows of one word take 160 clocks, 128 rows of 64 bytes 1829";
    dma_store_bytes = 6.9, "clocks per 64 bytes", Derived, "as dma_store_row";
    dma_overlap = 0.206, "", Derived, "a load and a store of 160 clocks each take 193 clocks side by side";
    handover = 8.0, "clocks", Guess, "from the release of the mutex or a semaphore to the waiting QPU's next instruction";
    launch_mailbox = 100.0, "microseconds", Measured, "overhead of a call (gpu_fft); 190 at most follows from HeatMap on one QPU";
    launch_registers = 5.0, "microseconds", Derived, "a launch by register writes: the shortest FFT, 2^8, in 33 microseconds";
}

/// Boards, by the clock of their V3D block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Board {
    Pi1,
    Pi2,
    Pi3,
    PiZero,
}

impl Board {
    /// The board with this name: `zero`, `1`, `2`, `3`.
    pub fn from_name(name: &str) -> Option<Board> {
        match name {
            "zero" => Some(Board::PiZero),
            "1" => Some(Board::Pi1),
            "2" => Some(Board::Pi2),
            "3" => Some(Board::Pi3),
            _ => None,
        }
    }

    /// What [`Board::from_name`] takes.
    pub const fn name(self) -> &'static str {
        match self {
            Board::PiZero => "zero",
            Board::Pi1 => "1",
            Board::Pi2 => "2",
            Board::Pi3 => "3",
        }
    }

    /// Default clock of the V3D block in MHz (raspberrypi/documentation, overclocking). A Pi 3 has 400 for the core, but its
    /// QPUs' times fit 300.
    pub const fn clock_mhz(self) -> f64 {
        match self {
            Board::Pi1 | Board::Pi2 => 250.0,
            Board::PiZero | Board::Pi3 => 300.0,
        }
    }

    /// Whether memory for the GPU goes through the L2 cache of the VideoCore's processors; on later boards the host could
    /// not see what lies there.
    pub const fn has_vpu_l2(self) -> bool {
        matches!(self, Board::Pi1 | Board::PiZero)
    }

    /// The model's parameters for this board.
    pub fn parameters(self) -> Parameters {
        let all = Parameters::default();
        if self.has_vpu_l2() { all } else { Parameters { vpu_l2_bytes: 0.0, ..all } }
    }
}
