//! Registers of the V3D block, and the sequence that launches programs without the firmware.
//!
//! Offsets and bits: VideoCore IV guide, "V3D Registers", pp. 82-100. The order of a direct launch is the one of the
//! firmware's FFT example (userland, `hello_fft`).

/// `"V3D"` and version 2, read when the block has power.
pub const IDENT0: u32 = 0x000;
/// L2 cache: bit 2 clears it.
pub const L2CACTL: u32 = 0x020;
/// Caches of the slices: one bit per slice and cache clears it.
pub const SLCACTL: u32 = 0x024;
/// Code address of a user program; the write queues it.
pub const SRQPC: u32 = 0x430;
/// Uniforms address of the program that is queued next.
pub const SRQUA: u32 = 0x434;
/// Number of uniforms of the program that is queued next; above 1023 unlimited.
pub const SRQUL: u32 = 0x438;
/// Counters of finished and requested programs, error, length of the queue.
pub const SRQCS: u32 = 0x43c;
/// Size of the VPM for user programs, in units of 256 bytes; written only while no program runs.
pub const VPMBASE: u32 = 0x504;
/// QPU interrupt configuration.
pub const DBCFG: u32 = 0xe00;
/// QPU interrupt enables.
pub const DBQITE: u32 = 0xe2c;
/// Latched QPU interrupts; a written 1 clears.
pub const DBQITC: u32 = 0xe30;

/// Bytes of address space that the block takes.
pub const BYTES: usize = 0x1000;
/// What [`IDENT0`] reads.
pub const IDENTITY: u32 = 0x0244_3356;
/// What every register reads while the block has no power.
pub const NO_POWER: u32 = 0xdead_beef;
/// Programs that the queue takes.
pub const QUEUE: usize = 16;

const SRQCS_CLEAR_FINISHED: u32 = 1 << 16;
const SRQCS_CLEAR_REQUESTED: u32 = 1 << 8;
const SRQCS_CLEAR_ERROR: u32 = 1 << 7;
const SRQCS_CLEAR_QUEUE: u32 = 1;
/// All 64 rows that user programs can address: 16 units of 4 rows.
const VPM_ALL: u32 = 16;
const UNIFORMS_UNLIMITED: u32 = 1024;

/// Access to the registers, by byte offset.
pub trait Registers: Send {
    /// Reads one register.
    fn read(&mut self, offset: u32) -> u32;
    /// Writes one register.
    fn write(&mut self, offset: u32, value: u32);
}

/// What a QPU is started with: bus addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    pub code: u32,
    pub uniforms: u32,
}

/// What the scheduler of user programs says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    pub finished: u32,
    pub requested: u32,
    pub queued: u32,
    pub error: bool,
}

impl Status {
    /// Reads it.
    pub fn read(registers: &mut dyn Registers) -> Status {
        let word = registers.read(SRQCS);
        Status {
            finished: word >> 16 & 0xff,
            requested: word >> 8 & 0xff,
            queued: word & 0x3f,
            error: word >> 7 & 1 == 1,
        }
    }

    /// Whether every program that was asked for has finished.
    pub fn idle(&self) -> bool {
        self.queued == 0 && self.finished == self.requested
    }
}

/// Gives user programs all of the VPM that they can address. Only while no program runs.
pub fn reserve_vpm(registers: &mut dyn Registers) {
    registers.write(VPMBASE, VPM_ALL);
}

/// Queues up to [`QUEUE`] programs on an idle block: interrupts off, caches cleared, counters cleared, then one write of
/// uniforms, limit and code for each.
pub fn start(registers: &mut dyn Registers, programs: &[Start]) {
    registers.write(DBCFG, 0);
    registers.write(DBQITE, 0);
    registers.write(DBQITC, u32::MAX);
    registers.write(L2CACTL, 1 << 2);
    registers.write(SLCACTL, u32::MAX);
    registers.write(SRQCS, SRQCS_CLEAR_FINISHED | SRQCS_CLEAR_REQUESTED | SRQCS_CLEAR_ERROR);
    reserve_vpm(registers);
    for program in programs {
        registers.write(SRQUA, program.uniforms);
        registers.write(SRQUL, UNIFORMS_UNLIMITED);
        registers.write(SRQPC, program.code);
    }
}

/// Drops the programs that wait in the queue. Those that run are not stopped by it.
pub fn clear_queue(registers: &mut dyn Registers) {
    registers.write(SRQCS, SRQCS_CLEAR_ERROR | SRQCS_CLEAR_QUEUE);
}
