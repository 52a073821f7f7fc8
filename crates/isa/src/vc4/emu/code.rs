//! Instructions decoded once into the form the engines execute: every operand a slot number, everything unusual a flag.

use super::Lanes;
use super::fast::{self, Fast};
use super::fault::FaultKind;
use super::memory::Memory;
use super::table::Table;
use crate::vc4::{AddOp, Alu, BranchCond, Cond, DecodeError, File, Inst, MulOp, Mux, Raddr, Signal, Waddr, decode};

/// Numbers of the slots that operands come from and results go to: one vector each. There are 256, so that a byte is
/// always a valid index.
pub mod slot {
    /// Number of slots.
    pub const COUNT: usize = 256;
    pub const RA: u8 = 0;
    pub const RB: u8 = 32;
    /// r0 to r5.
    pub const ACC: u8 = 64;
    pub const R4: u8 = ACC + 4;
    pub const R5: u8 = ACC + 5;
    pub const ELEMENT: u8 = 70;
    pub const QPU: u8 = 71;
    pub const X_PIXEL: u8 = 72;
    pub const Y_PIXEL: u8 = 73;
    pub const MS_FLAGS: u8 = 74;
    pub const REV_FLAG: u8 = 75;
    /// What reading nothing gives: leftovers.
    pub const UNDEFINED: u8 = 76;
    pub const UNIFORM: u8 = 77;
    pub const VPM: u8 = 78;
    /// File A value unpacked for integer and for float operations.
    pub const UNPACKED_INT: u8 = 79;
    pub const UNPACKED_FLOAT: u8 = 80;
    pub const UNPACKED_R4: u8 = 81;
    /// Rotated operands of the mul ALU.
    pub const ROTATED_A: u8 = 82;
    pub const ROTATED_B: u8 = 83;
    /// Results that go nowhere, or somewhere special.
    pub const SINK: u8 = 84;
    pub const OUT_ADD: u8 = 85;
    pub const OUT_MUL: u8 = 86;
    /// The 64 small immediates.
    pub const IMMEDIATE: u8 = 128;
}

/// Work before the ALUs.
pub mod pre {
    pub const UNIFORM: u16 = 1;
    pub const VPM: u16 = 2;
    /// The mutex or a wait register.
    pub const WAIT: u16 = 4;
    pub const UNPACK: u16 = 8;
    pub const ROTATE: u16 = 16;
    /// r4 is read or written, or a special function started.
    pub const R4: u16 = 32;
    /// The instruction before may break a rule together with this one.
    pub const PAIR: u16 = 64;
    /// It breaks a rule by itself that a board survives.
    pub const LINT: u16 = 128;
    /// What the engines leave to a function of its own.
    pub const RARE: u16 = !(UNIFORM | R4);
}

/// Work after the ALUs.
pub mod post {
    pub const LOAD_TMU: u8 = 1;
    pub const PACK: u8 = 2;
    /// The add result goes to r5 or a peripheral.
    pub const SPECIAL_ADD: u8 = 4;
    pub const SPECIAL_MUL: u8 = 8;
    /// The lanes written are recorded for the next instruction's check.
    pub const RECORD: u8 = 16;
    pub const END: u8 = 32;
    /// Branch: the last delay slot may break a rule together with the target.
    pub const CHECK_TARGET: u8 = 64;
    /// Both results go to one accumulator, in lanes that conditions do not keep apart.
    pub const SAME: u8 = 128;
}

/// What an instruction is to the engines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Not decoded yet.
    Unknown,
    Alu,
    LoadImmediate,
    Semaphore,
    Branch,
    /// Executing it is a fault.
    Faulty,
    /// A no-operation at which the machine looks at registers first.
    Probe,
}

/// Which result the flags come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SetFlags {
    No,
    FromAdd,
    FromMul,
}

/// One instruction in executable form.
#[derive(Clone, Copy, Debug)]
pub struct Op {
    pub kind: Kind,
    pub add: AddOp,
    pub mul: MulOp,
    pub set_flags: SetFlags,
    pub cond_add: Cond,
    pub cond_mul: Cond,
    pub add_a: u8,
    pub add_b: u8,
    pub mul_a: u8,
    pub mul_b: u8,
    /// Slot of a plain destination, or [`slot::SINK`].
    pub to_add: u8,
    pub to_mul: u8,
    pub pre: u16,
    pub post: u8,
    /// Before rotation: the slots of the mul operands.
    pub unrotated: [u8; 2],
    /// Branch: its condition, if it only goes to an instruction of the same region.
    pub jump: Option<BranchCond>,
    /// Load immediate: index into the pool. Branch: index of the target, or [`NO_TARGET`]. ALU: number of the TMU of a
    /// load signal.
    pub index: u32,
}

/// A branch target that is not an instruction of the same region, or known only when it executes.
pub const NO_TARGET: u32 = u32::MAX;

impl Op {
    const UNKNOWN: Op = Op {
        kind: Kind::Unknown,
        add: AddOp::Nop,
        mul: MulOp::Nop,
        set_flags: SetFlags::No,
        cond_add: Cond::Never,
        cond_mul: Cond::Never,
        add_a: slot::UNDEFINED,
        add_b: slot::UNDEFINED,
        mul_a: slot::UNDEFINED,
        mul_b: slot::UNDEFINED,
        to_add: slot::SINK,
        to_mul: slot::SINK,
        pre: 0,
        post: 0,
        unrotated: [slot::UNDEFINED; 2],
        jump: None,
        index: NO_TARGET,
    };
}

/// How many instructions are decoded at a time.
const BATCH: usize = 512;

/// The instructions of one region of memory.
#[derive(Clone, Debug)]
pub struct Code {
    /// Index of the region in the memory.
    pub region: usize,
    /// Byte address of the first instruction.
    pub base: u32,
    /// Number of instructions. The tables below reach as far as was decoded, because most of a region may be data.
    pub count: usize,
    pub ops: Table<Op>,
    /// The plain forms of the instructions.
    pub fast: Table<Fast>,
    /// The instructions as data, for what the engines do rarely. Valid where the op is known.
    pub insts: Table<Inst>,
    /// Values of load immediates.
    pub pool: Vec<Lanes>,
    /// Indices of the instructions that stop for a probe.
    pub probed: Vec<usize>,
    /// What is known of jumps to each instruction; see [`super::translate::head`]. Empty without a translator.
    pub heads: Vec<u32>,
    /// A hash of what was decoded first.
    pub origin: u64,
}

impl Code {
    /// The code of a region, nothing decoded yet. A base that is not a multiple of 8 gives code without instructions.
    pub fn new(region: usize, memory: &Memory) -> Code {
        let r = &memory.regions()[region];
        let count = if r.base.is_multiple_of(8) { r.bytes.len() / 8 } else { 0 };
        let (ops, fast, insts) = Default::default();
        let (pool, probed, heads) = Default::default();
        Code { region, base: r.base, count, ops, fast, insts, pool, probed, heads, origin: 0 }
    }

    /// Decodes the batch that holds instruction `index`.
    pub fn decode_around(&mut self, index: usize, memory: &Memory) {
        let start = index / BATCH * BATCH;
        let end = (start + BATCH).min(self.count);
        // What may run before the first is looked up, too.
        let all = start.saturating_sub(1)..end;
        self.ops.reach(all.clone(), Op::UNKNOWN);
        self.insts.reach(all.clone(), Inst::NOP);
        self.fast.reach(all, Fast::NO);
        let region = self.region;
        let inst_at = |i: usize| memory.code_word(region, i * 8).map(decode);
        let mut before = start.checked_sub(1).and_then(inst_at).and_then(Result::ok);
        for i in start..end {
            let decoded = inst_at(i).expect("the region's length bounds the index");
            if let Ok(inst) = decoded {
                self.insts[i] = inst;
                self.ops[i] = translate(&inst, i, &mut self.pool);
                if let Some(before) = before
                    && may_clash(&before, &inst)
                {
                    self.ops[i].pre |= pre::PAIR;
                }
                if i > start && self.ops[i].pre & pre::PAIR != 0 {
                    self.ops[i - 1].post |= post::RECORD;
                }
                self.check_target(i, start, inst_at);
            } else {
                self.ops[i] = Op { kind: Kind::Faulty, ..Op::UNKNOWN };
            }
            before = decoded.ok();
        }
        for &i in self.probed.iter().filter(|i| (start..end).contains(*i)) {
            if self.insts[i] == Inst::NOP {
                self.ops[i].kind = Kind::Probe;
            }
        }
        // The last instruction of a batch does not know its follower yet, and the first three may be delay slots of a
        // branch in the batch before.
        for i in [start, start + 1, start + 2, end - 1] {
            if let Some(op) = self.ops.get_mut(i) {
                op.post |= post::RECORD;
            }
        }
        let first = Some(self.origin).filter(|origin| *origin != 0);
        self.origin = first.unwrap_or_else(|| memory.digest(region, start * 8..end * 8) | 1);
        let (first, fast) = self.fast.all_mut();
        fast::refresh(fast, &self.ops[first..end], start - first, end - first);
    }

    /// Marks branch `i`, just decoded, if its last delay slot and its target may break a rule.
    fn check_target(&mut self, i: usize, start: usize, inst_at: impl Fn(usize) -> Option<Result<Inst, DecodeError>>) {
        // The branch may be up to three instructions before the slot that is being decoded.
        let op = self.ops[i];
        if op.kind == Kind::Branch
            && op.index != NO_TARGET
            && let (Some(Ok(slot)), Some(Ok(target))) = (inst_at(i + 3), inst_at(op.index as usize))
            && may_clash(&slot, &target)
        {
            self.ops[i].post |= post::CHECK_TARGET;
        }
        if i >= start + 3 && self.ops[i - 3].post & post::CHECK_TARGET != 0 {
            self.ops[i].post |= post::RECORD;
        }
    }

    /// Why an instruction that was decoded to [`Kind::Faulty`] cannot be executed.
    pub fn fault_of(&self, index: usize, memory: &Memory) -> FaultKind {
        match memory.code_word(self.region, index * 8).map(decode) {
            Some(Err(error)) => FaultKind::InvalidInstruction(error),
            _ => {
                static_fault(&self.insts[index]).unwrap_or(FaultKind::InvalidInstruction(DecodeError::ReservedAddOp(0)))
            }
        }
    }
}

fn translate(inst: &Inst, index: usize, pool: &mut Vec<Lanes>) -> Op {
    if static_fault(inst).is_some() {
        return Op { kind: Kind::Faulty, ..Op::UNKNOWN };
    }
    let mut op = Op::UNKNOWN;
    [op.cond_add, op.cond_mul] = inst.conds();
    match inst {
        Inst::Alu(alu) => translate_alu(alu, &mut op),
        Inst::Ldi(ldi) => {
            op.kind = Kind::LoadImmediate;
            op.index = pool.len() as u32;
            pool.push(Lanes(std::array::from_fn(|lane| ldi.lane(lane))));
        }
        Inst::Sema(sema) => {
            op.kind = Kind::Semaphore;
            op.index = pool.len() as u32;
            pool.push(Lanes::splat(sema.imm()));
        }
        Inst::Branch(branch) => {
            op.kind = Kind::Branch;
            op.index = branch.target(index).and_then(|t| u32::try_from(t).ok()).unwrap_or(NO_TARGET);
            let links = outputs(inst).next().is_some() || branch.raddr_a & 1 == 1;
            op.jump = (op.index != NO_TARGET && !links).then_some(branch.cond);
            return op;
        }
    }
    if inst.sets_flags() {
        op.set_flags = match inst {
            Inst::Alu(alu) if alu.op_add == AddOp::Nop => SetFlags::FromMul,
            _ => SetFlags::FromAdd,
        };
    }
    destinations(inst, &mut op);
    lints(inst, &mut op);
    op
}

/// Marks what is wrong by itself and yet survives on boards.
fn lints(inst: &Inst, op: &mut Op) {
    if let Inst::Alu(alu) = inst
        && alu.pm
        && matches!(alu.pack.code() & 7, 4..)
        && alu.op_mul != MulOp::Nop
        && alu.waddr_mul.is_peripheral()
    {
        op.pre |= pre::LINT;
    }
    let writes: Vec<_> = inst.writes().collect();
    if let [(_, first, cond), (_, second, other)] = writes[..]
        && first == second
        && matches!(first.0, 32..=35)
        && !(cond.is_conditional() && cond.inverse() == other)
    {
        // The flag for packed results makes the engines keep both.
        op.post |= post::SAME | post::PACK;
    }
}

fn translate_alu(alu: &Alu, op: &mut Op) {
    op.kind = Kind::Alu;
    (op.add, op.mul) = (alu.op_add, alu.op_mul);
    let unpacked = alu.unpack.code() != 0;
    let reads_unpacked = |mux: Mux| unpacked && mux == if alu.pm { Mux::R4 } else { Mux::A };
    let operand = |mux: Mux, float: bool| match mux {
        mux if reads_unpacked(mux) && alu.pm => slot::UNPACKED_R4,
        mux if reads_unpacked(mux) && float => slot::UNPACKED_FLOAT,
        mux if reads_unpacked(mux) => slot::UNPACKED_INT,
        Mux::A => read_slot(File::A, alu.raddr_a),
        Mux::B => match alu.small_imm() {
            Some(imm) => slot::IMMEDIATE + (imm.0 & 63),
            None => read_slot(File::B, alu.raddr_b),
        },
        accumulator => slot::ACC + accumulator.code(),
    };
    let (add_float, mul_float) = (alu.op_add.takes_floats(), alu.op_mul.takes_floats());
    [op.add_a, op.add_b] = [alu.add_a, alu.add_b].map(|m| operand(m, add_float));
    [op.mul_a, op.mul_b] = [alu.mul_a, alu.mul_b].map(|m| operand(m, mul_float));
    op.unrotated = [op.mul_a, op.mul_b];
    if [alu.add_a, alu.add_b, alu.mul_a, alu.mul_b].into_iter().any(reads_unpacked) {
        op.pre |= pre::UNPACK;
    }
    if alu.small_imm().is_some_and(|imm| imm.rotation().is_some()) && alu.op_mul != MulOp::Nop {
        op.pre |= pre::ROTATE;
        [op.mul_a, op.mul_b] = [slot::ROTATED_A, slot::ROTATED_B];
    }
    for file in [File::A, File::B] {
        op.pre |= match alu.read(file).map(|r| r.0) {
            Some(32) => pre::UNIFORM,
            Some(48) => pre::VPM,
            Some(50 | 51) => pre::WAIT,
            _ => 0,
        };
    }
    let sfu = |w: Waddr| w.is_sfu();
    let reads_r4 = [alu.add_a, alu.add_b].contains(&Mux::R4) && alu.op_add != AddOp::Nop
        || [alu.mul_a, alu.mul_b].contains(&Mux::R4) && alu.op_mul != MulOp::Nop;
    if reads_r4 || alu.sig.loads_r4() || Inst::Alu(*alu).waddrs().into_iter().any(sfu) {
        op.pre |= pre::R4;
    }
    match alu.sig {
        Signal::LoadTmu0 | Signal::LoadTmu1 => {
            op.post |= post::LOAD_TMU;
            op.index = u32::from(alu.sig == Signal::LoadTmu1);
        }
        Signal::ProgramEnd => op.post |= post::END,
        _ => {}
    }
}

/// Where results go: plain destinations into their slot, all others through [`slot::OUT_ADD`] and [`slot::OUT_MUL`].
fn destinations(inst: &Inst, op: &mut Op) {
    let (pm, pack) = match inst {
        Inst::Alu(i) => (i.pm, i.pack),
        Inst::Ldi(i) => (i.pm, i.pack),
        Inst::Sema(i) => (i.pm, i.pack),
        Inst::Branch(_) => return,
    };
    let packs = pack.code() != 0;
    for (file, waddr, is_mul) in outputs(inst) {
        let packed = packs && if pm { is_mul } else { file == File::A && waddr.is_physical() };
        let plain = match waddr.0 {
            n @ 0..32 if file == File::A => Some(slot::RA + n),
            n @ 0..32 => Some(slot::RB + n),
            n @ 32..=35 => Some(slot::ACC + n - 32),
            _ => None,
        };
        match plain {
            Some(_) if packed => op.post |= post::PACK,
            Some(slot) if is_mul => op.to_mul = slot,
            Some(slot) => op.to_add = slot,
            None if is_mul => op.post |= post::SPECIAL_MUL | if packed { post::PACK } else { 0 },
            None => op.post |= post::SPECIAL_ADD,
        }
    }
}

/// What is written, with a mark for the mul ALU.
pub fn outputs(inst: &Inst) -> impl Iterator<Item = (File, Waddr, bool)> + use<> {
    let mul_file = inst.add_file().other();
    inst.writes().map(move |(file, waddr, _)| (file, waddr, file == mul_file))
}

fn read_slot(file: File, raddr: Raddr) -> u8 {
    match (raddr.0, file) {
        (n @ 0..32, File::A) => slot::RA + n,
        (n @ 0..32, File::B) => slot::RB + n,
        (32, _) => slot::UNIFORM,
        (39, _) => slot::UNDEFINED,
        (41, File::A) => slot::X_PIXEL,
        (41, File::B) => slot::Y_PIXEL,
        (42, File::A) => slot::MS_FLAGS,
        (42, File::B) => slot::REV_FLAG,
        (48, _) => slot::VPM,
        (_, File::A) => slot::ELEMENT,
        (_, File::B) => slot::QPU,
    }
}

/// A rule that the instruction breaks by itself, whatever runs before it.
fn static_fault(inst: &Inst) -> Option<FaultKind> {
    let writes: Vec<_> = inst.writes().collect();
    if let [(_, waddr, cond), (_, other, other_cond)] = writes[..] {
        // These addresses name another register in each file.
        let differs = waddr.is_physical() || matches!(waddr.0, 41 | 42 | 49 | 50);
        let apart = matches!(waddr.0, 32..=35) && cond.is_conditional() && cond.inverse() == other_cond;
        // In an accumulator it depends on the values.
        let packs = match inst {
            Inst::Alu(i) => i.pm && i.pack.code() != 0,
            _ => false,
        };
        if waddr == other && !differs && !apart && (!matches!(waddr.0, 32..=35) || packs) {
            return Some(FaultKind::SameDestination);
        }
    }
    if writes.iter().any(|(_, waddr, _)| waddr.is_tlb()) {
        return Some(FaultKind::Graphics);
    }
    let Inst::Alu(alu) = inst else { return None };
    if alu.read(File::A) == Some(Raddr::UNIFORM) && alu.read(File::B) == Some(Raddr::UNIFORM) {
        return Some(FaultKind::TwoUniforms);
    }
    if [alu.read(File::A), alu.read(File::B)].contains(&Some(Raddr::VARYING)) {
        return Some(FaultKind::Graphics);
    }
    // Whether S is part of a texture lookup is known only when it executes; T, R and B always are.
    let texture = |w: Waddr| w.is_tmu() && w != Waddr::TMU0_S && w != Waddr::TMU1_S;
    if alu.reads_uniform() && writes.iter().any(|(_, waddr, _)| texture(*waddr)) {
        return Some(FaultKind::TextureUniform);
    }
    match alu.sig {
        Signal::Breakpoint => Some(FaultKind::Breakpoint),
        Signal::ThreadSwitch | Signal::LastThreadSwitch => Some(FaultKind::Graphics),
        Signal::CoverageLoad | Signal::ColourLoad | Signal::ColourLoadEnd | Signal::AlphaMaskLoad => {
            Some(FaultKind::Graphics)
        }
        _ => None,
    }
}

/// Whether executing `second` right after `first` may break rule H01, H06 or H07; the lanes decide at run time.
pub fn may_clash(first: &Inst, second: &Inst) -> bool {
    first.writes().any(|(file, waddr, cond)| match second {
        Inst::Alu(alu) => {
            let separate = |other: Cond| cond.is_conditional() && !first.sets_flags() && other == cond.inverse();
            let reads = waddr.is_physical() && physical_readers(alu, file, waddr).any(|reader| !separate(reader));
            reads || rotates(alu, waddr)
        }
        Inst::Branch(branch) => branch.reg && file == File::A && waddr.0 == branch.raddr_a,
        _ => false,
    })
}

/// The conditions of the operations that use the register `waddr` of `file`.
pub fn physical_readers(alu: &Alu, file: File, waddr: Waddr) -> impl Iterator<Item = Cond> + use<> {
    let mux = if file == File::A { Mux::A } else { Mux::B };
    let addressed = alu.read(file).is_some_and(|raddr| raddr.0 == waddr.0);
    let uses = |operands: usize, muxes: [Mux; 2]| addressed && muxes[..operands].contains(&mux);
    let add = uses(alu.op_add.operands(), [alu.add_a, alu.add_b]).then_some(alu.cond_add);
    let mul = uses(alu.op_mul.operands(), [alu.mul_a, alu.mul_b]).then_some(alu.cond_mul);
    add.into_iter().chain(mul)
}

/// Whether the mul ALU rotates the accumulator `waddr`, or by it.
pub fn rotates(alu: &Alu, waddr: Waddr) -> bool {
    let rotation = alu.small_imm().and_then(|imm| imm.rotation());
    let (Some(rotation), Some(accumulator)) = (rotation, waddr.as_accumulator()) else { return false };
    if alu.op_mul == MulOp::Nop {
        return false;
    }
    let by_r5 = rotation == crate::vc4::imm::Rotation::R5;
    accumulator == 5 && by_r5
        || accumulator < 4 && [alu.mul_a, alu.mul_b].iter().any(|m| m.as_accumulator() == Some(accumulator))
}
