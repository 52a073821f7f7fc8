//! The state of one QPU, and what instructions do rarely around the ALUs; peripherals are in `units`, branches in `flow`.

use super::code::{Code, Op, outputs, post, pre, slot};
use super::event::Event;
use super::fast::Ahead;
use super::fault::{Access, FaultKind, WaitFor, Warning};
use super::flags::Flags;
use super::memory::{Memory, Reader};
use super::queue::Queue;
use super::sfu::SfuModel;
use super::stale::Stale;
use super::vpm::{Block, Reads, Vpm};
use super::{LANES, Lanes, alu, dma, pack, texture};
use crate::vc4::{AddOp, Alu, File, Inst, Signal, Waddr};

/// What all QPUs share.
#[derive(Clone, Debug, Default)]
pub struct Shared {
    pub memory: Memory,
    pub vpm: Vpm,
    /// The QPU that holds the mutex.
    pub mutex: Option<usize>,
    pub semaphores: [u8; 16],
    /// Which instruction incremented each semaphore last, and which one took the mutex.
    pub raised: [Site; 16],
    pub taken: Site,
    pub sfu: SfuModel,
    /// Whether every broken rule is a fault, the harmless ones, too.
    pub strict: bool,
    pub warnings: Vec<Warning>,
}

/// An instruction of a QPU: number of its code in the machine, and index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct Site {
    pub qpu: u32,
    pub code: u32,
    pub index: u32,
}

impl Site {
    /// QPU, code and index, if it is one.
    pub fn if_any(self) -> Option<[usize; 3]> {
        (self != Site::default()).then_some([self.qpu as usize, self.code as usize, self.index as usize])
    }
}

/// None.
impl Default for Site {
    fn default() -> Site {
        Site { qpu: u32::MAX, code: 0, index: 0 }
    }
}

/// What one QPU did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct Counts {
    /// Issue slots: every instruction executed, with delay slots and the two behind the program end. Stalls and retries
    /// of semaphores and the mutex do not count.
    pub issued: u64,
    pub uniforms: u64,
    /// Lookups of 16 lanes.
    pub tmu_requests: u64,
    pub sfu: u64,
    /// Vectors.
    pub vpm_reads: u64,
    pub vpm_writes: u64,
    /// Transfers.
    pub dma_loads: u64,
    pub dma_stores: u64,
    pub dma_load_bytes: u64,
    pub dma_store_bytes: u64,
    pub host_interrupts: u64,
}

/// Where execution goes on after the delay slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// Instruction of the same region.
    Index(usize),
    /// Byte address.
    Address(u32),
    /// The program is over.
    End,
}

/// Why a QPU cannot go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    Wait(WaitFor),
    Fault(FaultKind, Option<usize>, Option<u32>),
}

impl From<FaultKind> for Stop {
    fn from(kind: FaultKind) -> Stop {
        Stop::Fault(kind, None, None)
    }
}

/// Deepest use of a TMU's queue that works on hardware in all cases (the vc4asm addendum; the guide says 8).
pub const TMU_DEPTH: usize = 4;

/// Lookups that a TMU's queue holds by the guide.
pub const MOST_LOOKUPS: usize = 8;

/// The time of an event that did not happen: far enough back from any count.
pub const NEVER: u64 = u64::MAX - 1000;

/// One QPU.
#[derive(Clone, Debug)]
pub struct Core {
    pub number: usize,
    pub slots: Box<[Lanes; slot::COUNT]>,
    pub flags: Flags,
    /// Lanes in which each condition holds, by the condition's code.
    pub masks: [u16; 8],
    /// Index of the code in the machine, and of the instruction in the code.
    pub code: usize,
    pub index: usize,
    /// Instructions, counting the present one, until execution goes to `target`; 0 for none.
    pub delay: u32,
    pub target: Target,
    /// A branch in the last delay slot of another: where it goes.
    pub chained: Option<Target>,
    /// Whether the target must be checked together with the last delay slot.
    pub check_target: bool,
    pub ended: bool,
    /// Until this issue count the machine is not asked for translated blocks.
    pub quiet_until: u64,
    pub counts: Counts,
    /// Executions of each instruction of each code, if they are counted.
    pub profile: Option<Vec<Vec<u64>>>,
    pub uniform_address: u32,
    /// Issue counts at which things last happened.
    pub uniform_set_at: u64,
    pub sfu_at: u64,
    pub noswap_at: u64,
    pub branch_at: u64,
    pub jumped_at: u64,
    /// The instruction before wrote in these lanes: add, mul.
    pub recorded: [u16; 2],
    pub vpm_reads: Reads,
    pub vpm_write: Block,
    pub dma: dma::Registers,
    /// VPM rows of loads and stores that were not waited for.
    pub load_rows: u64,
    pub store_rows: u64,
    pub tmu: [Queue; 2],
    /// What was written for the next texture lookup of each TMU.
    pub texture: [texture::Request; 2],
    /// Where each TMU last looked words up.
    pub looked: [u32; 2],
    /// Which values a board would not have delivered, while there are any.
    pub stale: Option<Box<Stale>>,
    /// Whether the machine has dealt with the probe at the present instruction.
    pub probed: bool,
    /// What happened since the timing model last looked, if it looks.
    pub events: Option<Vec<Event>>,
}

impl Core {
    /// A QPU whose registers hold leftovers: zeros, or bits that follow from `seed`.
    pub fn new(number: usize, seed: Option<u64>) -> Core {
        let mut state = seed.unwrap_or(0).wrapping_add(number as u64) ^ 0x5851_f42d_4c95_7f2d;
        let mut leftover = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            if seed.is_some() { (state >> 32) as u32 } else { 0 }
        };
        let mut slots = Box::new([Lanes::ZERO; slot::COUNT]);
        for register in &mut slots[..70] {
            *register = Lanes(std::array::from_fn(|_| leftover()));
        }
        slots[slot::R5 as usize] = Lanes::splat(leftover());
        slots[slot::UNDEFINED as usize] = Lanes(std::array::from_fn(|_| leftover()));
        slots[slot::ELEMENT as usize] = Lanes::INDEX;
        slots[slot::QPU as usize] = Lanes::splat(number as u32);
        slots[slot::X_PIXEL as usize] = Lanes(std::array::from_fn(|i| i as u32 & 1));
        slots[slot::Y_PIXEL as usize] = Lanes(std::array::from_fn(|i| i as u32 >> 1 & 1));
        for code in 0..64 {
            slots[(slot::IMMEDIATE + code) as usize] = Lanes::splat(crate::vc4::SmallImm(code).bits());
        }
        let flags = Flags { z: leftover() as u16, n: leftover() as u16, c: leftover() as u16 };
        let mut core = Core {
            number,
            slots,
            flags,
            masks: [0; 8],
            code: 0,
            index: 0,
            delay: 0,
            target: Target::End,
            chained: None,
            check_target: false,
            ended: false,
            quiet_until: 0,
            counts: Counts::default(),
            profile: None,
            uniform_address: 0,
            uniform_set_at: NEVER,
            sfu_at: NEVER,
            noswap_at: NEVER,
            branch_at: NEVER,
            jumped_at: NEVER,
            recorded: [0; 2],
            vpm_reads: Reads::default(),
            vpm_write: Block::NONE,
            dma: dma::Registers::default(),
            load_rows: 0,
            store_rows: 0,
            tmu: [Queue::new(), Queue::new()],
            texture: Default::default(),
            looked: [0; 2],
            stale: None,
            probed: false,
            events: None,
        };
        core.refresh_masks();
        core
    }

    /// Makes the masks follow the flags.
    #[inline(always)]
    pub fn refresh_masks(&mut self) {
        let Flags { z, n, c } = self.flags;
        self.masks = [0, !0, z, !z, n, !n, c, !c];
    }

    /// Takes new flags in the lanes of `mask`.
    #[inline(always)]
    pub fn set_flags(&mut self, mask: u16, z: u16, n: u16, c: u16) {
        let flags = &mut self.flags;
        flags.z = flags.z & !mask | z & mask;
        flags.n = flags.n & !mask | n & mask;
        flags.c = flags.c & !mask | c & mask;
        self.refresh_masks();
    }

    /// Whether something that happened at issue count `at` is less than `distance` instructions ago.
    #[inline(always)]
    pub fn within(&self, at: u64, distance: u64) -> bool {
        self.counts.issued.wrapping_sub(at) < distance
    }

    /// The instruction that it executes.
    pub fn site(&self) -> Site {
        Site { qpu: self.number as u32, code: self.code as u32, index: self.index as u32 }
    }

    pub fn event(&mut self, event: Event) {
        if let Some(events) = &mut self.events {
            events.push(event);
        }
    }

    /// Reads the next uniform into its slot.
    #[inline(always)]
    pub fn read_uniform(&mut self, shared: &mut Shared) -> Result<(), Stop> {
        let address = self.uniform_address & !3;
        if self.within(self.uniform_set_at, 3) {
            return Err(FaultKind::UniformTooEarly.into());
        }
        let (word, past) = shared.memory.uniform(address).map_err(|kind| Stop::Fault(kind, None, Some(address)))?;
        if past {
            let warning =
                Warning::ReadPastEnd { qpu: self.number, index: self.index, address, access: Access::Uniform };
            self.warn(shared, warning);
        }
        if std::mem::take(&mut shared.memory.stale) {
            self.broken(shared, FaultKind::StoredThisLaunch(Access::Uniform), None, Some(address))?;
            self.mark_uniform(shared, address, true);
        } else if self.stale.is_some() {
            self.mark_uniform(shared, address, false);
        }
        self.slots[slot::UNIFORM as usize] = Lanes::splat(word);
        self.uniform_address = address.wrapping_add(4);
        self.counts.uniforms += 1;
        if self.events.is_some() {
            self.event(Event::Uniform { address });
        }
        Ok(())
    }

    /// The uniforms that can be read without any check but that of their end.
    #[inline(always)]
    pub fn ahead<'m>(&self, shared: &'m mut Shared) -> Ahead<'m> {
        let address = self.uniform_address & !3;
        let region = shared.memory.unstored(Reader::Uniforms, address);
        Ahead::new(region.map_or(&[], |(base, bytes)| &bytes[address.wrapping_sub(base) as usize..]))
    }

    /// Moves the stream behind what a stretch has read.
    #[inline(always)]
    pub fn pass(&mut self, read: u32) {
        if read > 0 {
            self.uniform_address = (self.uniform_address & !3).wrapping_add(4 * read);
            self.counts.uniforms += u64::from(read);
        }
    }

    /// Receives the oldest result of a TMU into r4.
    #[inline(always)]
    pub fn load_tmu(&mut self, unit: usize) -> Result<(), Stop> {
        let result = self.tmu[unit].pop_front().ok_or(FaultKind::TmuEmpty)?;
        self.slots[slot::R4 as usize] = result;
        if self.stale.is_some() {
            self.mark_received(unit);
        }
        if self.events.is_some() {
            self.event(Event::TmuLoad { unit });
        }
        Ok(())
    }

    /// What must be done before the ALUs of an instruction with [`pre::RARE`] work, uniforms included.
    #[cold]
    pub fn before(&mut self, shared: &mut Shared, code: &Code, op: &Op) -> Result<(), Stop> {
        if op.pre & pre::PAIR != 0 && !self.within(self.jumped_at, 1) && self.index > 0 {
            self.check_pair(shared, &code.insts[self.index - 1], &code.insts[self.index])?;
        }
        if op.pre & pre::LINT != 0 {
            self.broken(shared, FaultKind::PartialPackToPeripheral, None, None)?;
        }
        let Inst::Alu(alu) = code.insts[self.index] else { return Ok(()) };
        if op.pre & pre::WAIT != 0 {
            self.wait_registers(shared, &alu)?;
        }
        if op.pre & pre::VPM != 0 {
            self.read_vpm(shared)?;
        }
        if op.pre & pre::UNIFORM != 0 {
            self.read_uniform(shared)?;
        }
        if op.pre & pre::UNPACK != 0 {
            self.unpack(&alu);
        }
        if op.pre & pre::ROTATE != 0 {
            self.rotate(&alu, op);
        }
        Ok(())
    }

    /// Lane i + n of a rotated operand is lane i of an accumulator r0 to r3; any other operand is rotated inside each
    /// quad only (measured by py-videocore's rotation test).
    fn rotate(&mut self, alu: &Alu, op: &Op) {
        let n = self.rotation_amount(alu);
        let sources = [(alu.mul_a, op.unrotated[0], slot::ROTATED_A), (alu.mul_b, op.unrotated[1], slot::ROTATED_B)];
        for (mux, from, to) in sources {
            let from = self.slots[from as usize];
            let full = mux.as_accumulator().is_some_and(|r| r < 4);
            self.slots[to as usize] = Lanes(std::array::from_fn(|lane| match full {
                true => from.0[(lane + LANES - n) % LANES],
                false => from.0[lane / 4 * 4 + (lane + 4 - n % 4) % 4],
            }));
        }
    }

    fn unpack(&mut self, alu: &Alu) {
        if alu.pm {
            let r4 = self.slots[slot::R4 as usize];
            self.slots[slot::UNPACKED_R4 as usize] = Lanes(r4.0.map(|v| pack::unpack(alu.unpack, v, true)));
            return;
        }
        let value = self.slots[unpacked_slot(alu) as usize];
        for (to, float) in [(slot::UNPACKED_INT, false), (slot::UNPACKED_FLOAT, true)] {
            self.slots[to as usize] = Lanes(value.0.map(|v| pack::unpack(alu.unpack, v, float)));
        }
    }

    /// What must be done after the ALUs, whose results lie in [`slot::OUT_ADD`] and [`slot::OUT_MUL`]. `written` are the
    /// lanes in which the two conditions held before the instruction.
    #[cold]
    pub fn after(&mut self, shared: &mut Shared, code: &Code, op: &Op, written: [u16; 2]) -> Result<(), Stop> {
        self.recorded = written;
        let inst = &code.insts[self.index];
        if op.post & post::SAME != 0 {
            self.compare_results(shared, written)?;
        }
        for (file, waddr, is_mul) in outputs(inst) {
            let special = if is_mul { post::SPECIAL_MUL } else { post::SPECIAL_ADD };
            let mask = written[usize::from(is_mul)];
            if op.post & special != 0 {
                let mut value = self.slots[if is_mul { slot::OUT_MUL } else { slot::OUT_ADD } as usize];
                if let (true, (true, code)) = (is_mul, pack_of(inst)) {
                    value = Lanes(value.0.map(|bits| pack::pack_mul(code, 0, bits)));
                }
                self.write_special(shared, file, waddr, &value, mask)?;
            } else if op.post & post::PACK != 0 {
                self.write_packed(inst, op, file, waddr, is_mul, mask);
            }
        }
        if op.post & post::LOAD_TMU != 0 {
            self.load_tmu(usize::from(inst.signal() == Signal::LoadTmu1))?;
        }
        if op.post & post::END != 0 {
            self.end(shared, code)?;
        }
        Ok(())
    }

    fn write_packed(&mut self, inst: &Inst, op: &Op, file: File, waddr: Waddr, is_mul: bool, mask: u16) {
        let (pm, code) = pack_of(inst);
        let packed = if pm { is_mul } else { file == File::A && waddr.is_physical() };
        let Some(to) = plain_slot(file, waddr).filter(|_| packed) else { return };
        let result = self.slots[if is_mul { slot::OUT_MUL } else { slot::OUT_ADD } as usize];
        let float = if is_mul { op.mul.gives_float() } else { op.add.gives_float() };
        let integer = matches!((op.add, is_mul), (AddOp::Add | AddOp::Sub, false));
        for lane in 0..LANES {
            if mask >> lane & 1 == 0 {
                continue;
            }
            let bits = result.0[lane];
            let old = self.slots[to as usize].0[lane];
            self.slots[to as usize].0[lane] = if pm {
                pack::pack_mul(code, old, bits)
            } else if integer {
                // Overflow and carry follow from the result and the operands, which the destination may have replaced;
                // the engine therefore leaves them in the slots of the unpacked operands.
                let [a, b] = [slot::ROTATED_A, slot::ROTATED_B].map(|s| self.slots[s as usize].0[lane]);
                pack::pack_a(code, old, alu::add_op(op.add, a, b), false)
            } else {
                pack::pack_a(code, old, alu::Output { bits, carry: false, overflow: false }, float)
            };
        }
    }
}

/// The slot of the file A operand that an instruction unpacks.
pub fn unpacked_slot(alu: &Alu) -> u8 {
    match alu.raddr_a.0 {
        n @ 0..32 => n,
        32 => slot::UNIFORM,
        48 => slot::VPM,
        39 => slot::UNDEFINED,
        41 => slot::X_PIXEL,
        42 => slot::MS_FLAGS,
        _ => slot::ELEMENT,
    }
}

fn pack_of(inst: &Inst) -> (bool, crate::vc4::Pack) {
    match inst {
        Inst::Alu(i) => (i.pm, i.pack),
        Inst::Ldi(i) => (i.pm, i.pack),
        Inst::Sema(i) => (i.pm, i.pack),
        Inst::Branch(_) => (false, crate::vc4::Pack::None),
    }
}

pub fn plain_slot(file: File, waddr: Waddr) -> Option<u8> {
    match (waddr.0, file) {
        (n @ 0..32, File::A) => Some(slot::RA + n),
        (n @ 0..32, File::B) => Some(slot::RB + n),
        (n @ 32..=35, _) => Some(slot::ACC + n - 32),
        _ => None,
    }
}
