//! How to compile.

/// Which way loads take: the QPU has two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Loads {
    /// Through the VPM by DMA where the caches of the TMUs cannot hold what the launch has changed since; else through a TMU,
    /// unless a stream of rows is cheaper by DMA.
    #[default]
    Auto,
    /// All through a TMU. A kernel is refused if any load may return what the launch stores.
    Tmu,
    /// All of the first 32 parameters' through the VPM, requests included.
    Vpm,
}

/// How to compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// 0: one operation per instruction in program order; 1: paired and scheduled block by block; 2: loops pipelined, too.
    pub opt_level: u8,
    /// The number of QPUs the program will run on, if it is known: fewer QPUs have more rows of the VPM each. A program
    /// compiled without it, or for `n` QPUs, runs on any number up to 12, or up to `n`.
    pub qpus: Option<u32>,
    /// Two parameters may be bound to one buffer though the kernel writes to it: then every load goes through DMA.
    pub alias: bool,
    /// Bit `i`: the buffer of parameter `i` is written in the launch by other means than the kernel shows, for instance by
    /// a repetition of the kernel with exchanged buffers. All its loads, requests included, go through DMA.
    pub uncached: u64,
    pub loads: Loads,
    /// The program ends with a barrier and starts over while its stream of uniforms says so: several runs in one launch.
    pub again: bool,
    /// Registers of each file that may be used, 32 or fewer: fewer make values spill.
    pub registers: u8,
    /// Accesses that nobody proved to be inside are clamped, for a chip whose accesses cannot fault. Costs two instructions each.
    pub contained: bool,
    /// Rows of 16 elements of the ranges that workers keep of an array which the kernel only adds to; 0: atomic operations add in
    /// memory. [`range_rows`](crate::range_rows) says how many are best.
    pub range_rows: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            opt_level: 2,
            qpus: None,
            alias: false,
            uncached: 0,
            loads: Loads::Auto,
            again: false,
            registers: 32,
            contained: false,
            range_rows: 0,
        }
    }
}

/// Registers for arrays that a group shares: the others hold what a kernel computes on the way.
const NEAR_ROWS: u32 = 32;

/// Bytes of arrays that a group shares which cost no more than values do.
pub const NEAR_BYTES: u64 = NEAR_ROWS as u64 * 64;

/// Registers that arrays take.
pub fn near_rows(options: &Options) -> u32 {
    NEAR_ROWS.saturating_sub(64 - 2 * u32::from(options.registers.min(32)))
}
