//! What native code may do with a QPU instruction by instruction: look at its state in place, and have the engine execute
//! what has no native form.

use super::super::code::slot;
use super::super::core::{NEVER, Stop, Target};
use super::super::engine::{self, Exit};
use super::super::fault::WaitFor;
use super::super::memory::Lookups;
use super::super::{Lanes, flags};
use super::{Branching, Qpu, Stepped};
use crate::vc4::{File, Waddr};

/// Where things lie in a QPU, in bytes from [`Qpu::core_address`].
pub mod core {
    use super::super::super::core::{Core, Counts};
    use super::super::super::dma::{Registers, Setting};
    use super::super::super::queue::{PLACES, Queue};
    use super::super::super::vpm::{Block, Reads};
    use super::flags::Flags;
    use std::mem::offset_of;

    /// The flags, 16 bits each.
    pub const FLAG_Z: i32 = (offset_of!(Core, flags) + offset_of!(Flags, z)) as i32;
    pub const FLAG_N: i32 = (offset_of!(Core, flags) + offset_of!(Flags, n)) as i32;
    pub const FLAG_C: i32 = (offset_of!(Core, flags) + offset_of!(Flags, c)) as i32;
    /// Counts and times, 64 bits each.
    pub const ISSUED: i32 = (offset_of!(Core, counts) + offset_of!(Counts, issued)) as i32;
    pub const UNIFORMS: i32 = (offset_of!(Core, counts) + offset_of!(Counts, uniforms)) as i32;
    pub const SFU_AT: i32 = offset_of!(Core, sfu_at) as i32;
    pub const UNIFORM_SET_AT: i32 = offset_of!(Core, uniform_set_at) as i32;
    pub const JUMPED_AT: i32 = offset_of!(Core, jumped_at) as i32;
    /// 32 bits.
    pub const UNIFORM_ADDRESS: i32 = offset_of!(Core, uniform_address) as i32;
    /// Lanes that the last instruction wrote: add, mul; 16 bits each.
    pub const RECORDED: i32 = offset_of!(Core, recorded) as i32;

    pub const TMU_REQUESTS: i32 = (offset_of!(Core, counts) + offset_of!(Counts, tmu_requests)) as i32;
    pub const VPM_READ_COUNT: i32 = (offset_of!(Core, counts) + offset_of!(Counts, vpm_reads)) as i32;
    pub const VPM_WRITE_COUNT: i32 = (offset_of!(Core, counts) + offset_of!(Counts, vpm_writes)) as i32;
    /// VPM rows of transfers that were not waited for, one bit each.
    pub const LOAD_ROWS: i32 = offset_of!(Core, load_rows) as i32;
    pub const STORE_ROWS: i32 = offset_of!(Core, store_rows) as i32;
    /// The block of VPM writes. The one of reads, and behind it another and one that is none, each 32 bytes.
    pub const VPM_WRITE: i32 = offset_of!(Core, vpm_write) as i32;
    pub const VPM_READ: i32 = offset_of!(Core, vpm_reads) as i32;
    const _: () = assert!(size_of::<Block>() == 32 && size_of::<Reads>() == 96);

    /// Setup words of stores by DMA, and 4 bytes behind each of them whether it was written, 0 or 1; 32 bits each.
    pub const DMA_STORE: i32 = (offset_of!(Core, dma) + offset_of!(Registers, store)) as i32;
    pub const DMA_STORE_STRIDE: i32 = (offset_of!(Core, dma) + offset_of!(Registers, store_stride)) as i32;
    const _: () = assert!(offset_of!(Setting, word) == 0 && offset_of!(Setting, set) == 4);

    /// What a block holds, 32 bits each.
    pub mod block {
        use super::Block;
        use std::mem::offset_of;
        /// See [`Shape`](super::super::super::super::vpm::Shape): 0 for rows of words, 1 for columns.
        pub const SHAPE: i32 = offset_of!(Block, shape) as i32;
        pub const ADDRESS: i32 = offset_of!(Block, address) as i32;
        pub const STRIDE: i32 = offset_of!(Block, stride) as i32;
        pub const LEFT: i32 = offset_of!(Block, left) as i32;
    }

    const fn queue(unit: usize) -> usize {
        offset_of!(Core, tmu) + unit * size_of::<Queue>()
    }

    /// The results of a TMU's queue, 64 bytes each, of which the oldest has the number at [`queue_head`].
    pub const fn queue_entries(unit: usize) -> i32 {
        (queue(unit) + offset_of!(Queue, entries)) as i32
    }

    pub const fn queue_head(unit: usize) -> i32 {
        (queue(unit) + offset_of!(Queue, head)) as i32
    }

    pub const fn queue_length(unit: usize) -> i32 {
        (queue(unit) + offset_of!(Queue, length)) as i32
    }

    /// Numbers of results are taken by this mask.
    pub const QUEUE_MASK: i32 = PLACES as i32 - 1;
    const _: () = assert!(PLACES.is_power_of_two());
}

/// Where things lie in what all QPUs share, in bytes from [`Qpu::shared_address`].
pub mod shared {
    use super::super::super::core::{Shared, Site};
    use super::super::super::vpm::Vpm;
    use std::mem::offset_of;

    /// Words of the VPM, 64 rows of 64 bytes.
    pub const VPM: i32 = (offset_of!(Shared, vpm) + offset_of!(Vpm, words)) as i32;
    /// How many of them only the engine may read and write; 32 bits.
    pub const MARKED: i32 = (offset_of!(Shared, vpm) + offset_of!(Vpm, marked)) as i32;

    /// The value of a semaphore, 8 bits.
    pub const fn semaphore(number: u8) -> i32 {
        offset_of!(Shared, semaphores) as i32 + number as i32 % 16
    }

    /// Who raised it last: QPU, code, instruction; 32 bits each.
    pub const fn raised(number: u8) -> i32 {
        (offset_of!(Shared, raised) + number as usize % 16 * size_of::<Site>()) as i32
    }
    const _: () = assert!(offset_of!(Site, qpu) == 0 && offset_of!(Site, code) == 4 && offset_of!(Site, index) == 8);
}

impl Qpu<'_> {
    /// What all QPUs share, for native code that knows the places in [`shared`].
    pub fn shared_address(&mut self) -> *mut u8 {
        std::ptr::from_mut(self.shared).cast()
    }

    /// Number of the QPU, and of its code.
    pub fn numbers(&self) -> [u32; 2] {
        [self.core.number as u32, self.core.code as u32]
    }

    /// The count of lines that lookups have brought into the L2 cache.
    pub fn fills(&mut self) -> &mut u32 {
        self.shared.memory.fills()
    }

    /// Where a TMU last looked words up, if native code can go on there.
    pub fn lookups(&mut self, unit: usize) -> Option<Lookups<'_>> {
        let address = self.core.looked[unit];
        if address == 0 { None } else { self.shared.memory.lookups(address) }
    }

    /// The QPU's state, for native code that knows the places in [`core`].
    pub fn core_address(&mut self) -> *mut u8 {
        std::ptr::from_mut(self.core).cast()
    }

    /// The next instruction.
    pub fn index(&self) -> usize {
        self.core.index
    }

    /// Byte address of the next uniform.
    pub fn uniform_address(&self) -> u32 {
        self.core.uniform_address
    }

    /// Executes one instruction, which is no branch, exactly as the engine does.
    pub fn step(&mut self, index: usize) -> Stepped {
        let core = &mut *self.core;
        core.index = index;
        core.refresh_masks();
        let changes = self.shared.memory.changes();
        // Delay slots are the caller's business.
        match engine::run(self.engine, core, self.shared, self.code, 1) {
            Exit::Limit => {}
            exit => {
                self.stop = Some(exit);
                return Stepped::Stopped;
            }
        }
        if !self.is_ready() {
            Stepped::Leave
        } else if self.shared.memory.changes() != changes {
            Stepped::Stored
        } else {
            Stepped::Done
        }
    }

    /// Gives a vector to TMU 0 (0), TMU 1 (1) or the VPM (2). [`Stepped::Stopped`] says that nothing was done, because
    /// that needs the engine.
    pub fn use_unit(&mut self, unit: usize, index: usize, value: &Lanes) -> Stepped {
        let (core, shared) = (&mut *self.core, &mut *self.shared);
        core.index = index;
        if unit == 2 {
            let free = core.vpm_write.if_any().is_some_and(|block| block.rows() & core.store_rows == 0);
            let done = free && core.write_vpm(shared, value).is_ok();
            return if done { Stepped::Done } else { Stepped::Stopped };
        }
        if core.tmu[unit].len() >= super::TMU_DEPTH || core.tmu_request(shared, unit, value).is_err() {
            return Stepped::Stopped;
        }
        core.looked[unit] = value.0[0];
        if core.stale.is_some() { Stepped::Leave } else { Stepped::Done }
    }

    /// Brings the next vector of the VPM into [`slot::VPM`]; `false` says that this needs the engine.
    pub fn peek_vpm(&mut self) -> bool {
        self.shared.vpm.marked == 0 && self.core.peek_vpm(self.shared).is_ok()
    }

    /// Writes a setup word (49), or starts a transfer (50) or a special function (52 to 55). [`Stepped::Stopped`] says that this needs the engine: nothing was
    /// done, or a part of a transfer, which the engine can begin anew.
    pub fn set_up(&mut self, index: usize, file: File, waddr: Waddr, value: &Lanes) -> Stepped {
        let (core, shared) = (&mut *self.core, &mut *self.shared);
        core.index = index;
        let changes = shared.memory.changes();
        match core.write_special(shared, file, waddr, value, !0) {
            Err(_) => Stepped::Stopped,
            Ok(()) if shared.memory.changes() != changes => Stepped::Stored,
            Ok(()) => Stepped::Done,
        }
    }

    /// Notes that the QPU waits for a semaphore at the next instruction.
    pub fn wait_for_semaphore(&mut self, number: u8, down: bool) {
        let on = if down { WaitFor::SemaphoreDown { number } } else { WaitFor::SemaphoreUp { number } };
        self.stop = Some(Exit::Stop(Stop::Wait(on)));
    }

    /// Puts the QPU where native code has left it: at an instruction, after so many in all.
    pub fn finish(&mut self, index: usize, issued: u64, uniform_address: u32) {
        let core = &mut *self.core;
        core.index = index;
        core.counts.issued = issued;
        core.uniform_address = uniform_address;
        core.refresh_masks();
    }

    /// Whether the next instruction is a delay slot.
    pub fn is_in_slots(&self) -> bool {
        self.core.delay != 0
    }

    /// Whether the engine has stopped in [`Qpu::step`].
    pub fn has_stopped(&self) -> bool {
        self.stop.is_some()
    }

    /// Notes that execution has come to the next instruction by a jump.
    pub fn note_jump(&mut self) {
        self.core.jumped_at = self.core.counts.issued;
    }

    /// The next instruction is delay slot 1, 2 or 3 of a branch that is taken.
    pub fn enter_slots(&mut self, slot: u32, to: Branching) {
        let core = &mut *self.core;
        core.delay = 4 - slot;
        (core.target, core.check_target) = match to {
            Branching::To(index) => (Target::Index(index), false),
            Branching::ToAddress(address) => (Target::Address(address), true),
        };
    }
}

// What `core` says of times holds for those that never were, too.
const _: () = assert!(NEVER > u64::MAX / 2 && slot::COUNT == 256);
