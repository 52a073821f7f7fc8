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
        "straight-line code of 6 to 16 KiB runs at about 6.3 clocks per instruction; a line holds 8";
    icache_memory = 62.0, "clocks per line", Derived,
        "straight-line code beyond 22 KiB runs at about 11.7 clocks per instruction";
    uniform_hit = 8.0, "clocks", Guess, "next line of the uniform stream found in the slice's cache";
    uniform_l2 = 24.0, "clocks", Guess, "next line of the uniform stream found in the L2 cache";
    uniform_memory = 71.0, "clocks", Derived,
        "sgemm on one QPU stalls about 278 clocks per 64 uniforms in 4 lines, restart included";
    uniform_restart = 30.0, "clocks", Measured, "first uniform after a write of UNIFORMS_ADDRESS (author of the sgemm)";
    tmu_l1 = 36.0, "clocks", Measured, "9 instructions from address to stall-free load signal on an L1 hit (VC4C)";
    tmu_l2 = 48.0, "clocks", Measured, "12 instructions on an L2 hit (VC4C)";
    tmu_memory = 80.0, "clocks", Measured, "20 instructions from memory (VC4C)";
    tmu_request = 16.0, "clocks", Guess, "a TMU looks up one lane per clock; two QPUs of a slice share it";
    tmu_extra_line = 4.0, "clocks per line", Guess, "each distinct line of one lookup beyond the fourth";
    l2_line = 4.0, "clocks per line", Guess, "the L2 cache serves one 64-byte line per four clocks";
    memory_line = 15.0, "clocks per line", Derived,
        "sgemm on 12 QPUs moves 26.8 MB of uniforms in 26 ms: 64 bytes per 15.6 clocks";
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
    launch_mailbox = 190.0, "microseconds", Derived,
        "HeatMap on one QPU: 24.67 ms per step measured, 24.48 ms of instructions; others report 100";
    launch_registers = 2.0, "microseconds", Guess, "a launch by register writes (gpu_fft)";
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

    /// Default clock in MHz (raspberrypi/documentation, overclocking).
    pub const fn clock_mhz(self) -> f64 {
        match self {
            Board::Pi1 | Board::Pi2 => 250.0,
            Board::PiZero => 300.0,
            Board::Pi3 => 400.0,
        }
    }
}
