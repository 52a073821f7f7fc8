//! An instruction as plain data. The structs mirror the fields of the 64-bit word one to one, so that
//! [`encode`](super::encode()) and [`decode`](super::decode()) are exact inverses.

use super::imm::SmallImm;
use super::op::{AddOp, BranchCond, Cond, MulOp, Signal};
use super::pack::{Pack, Unpack};
use super::reg::{File, Mux, Raddr, Waddr};

/// One instruction in any of the four formats (guide p. 26).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Inst {
    /// Both ALUs, with a signal or a small immediate.
    Alu(Alu),
    /// Load immediate.
    Ldi(Ldi),
    /// Semaphore increment or decrement.
    Sema(Sema),
    /// Branch.
    Branch(Branch),
}

/// An ALU instruction: one operation of each ALU, and a signal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Alu {
    pub sig: Signal,
    pub unpack: Unpack,
    /// Where pack and unpack act: clear for file A, set for the mul result and r4.
    pub pm: bool,
    pub pack: Pack,
    pub cond_add: Cond,
    pub cond_mul: Cond,
    /// Set the flags: from the add ALU, or from the mul ALU if the add operation is [`AddOp::Nop`].
    pub sf: bool,
    /// Write swap: clear, add writes file A and mul file B; set, the other way round.
    pub ws: bool,
    pub waddr_add: Waddr,
    pub waddr_mul: Waddr,
    pub op_mul: MulOp,
    pub op_add: AddOp,
    pub raddr_a: Raddr,
    /// Read address of file B, or with [`Signal::SmallImm`] the small immediate's code.
    pub raddr_b: Raddr,
    pub add_a: Mux,
    pub add_b: Mux,
    pub mul_a: Mux,
    pub mul_b: Mux,
}

impl Alu {
    /// The canonical no-operation, `100009E7009E7000`.
    pub const NOP: Alu = Alu {
        sig: Signal::None,
        unpack: Unpack::None,
        pm: false,
        pack: Pack::None,
        cond_add: Cond::Never,
        cond_mul: Cond::Never,
        sf: false,
        ws: false,
        waddr_add: Waddr::NOP,
        waddr_mul: Waddr::NOP,
        op_mul: MulOp::Nop,
        op_add: AddOp::Nop,
        raddr_a: Raddr::NOP,
        raddr_b: Raddr::NOP,
        add_a: Mux::R0,
        add_b: Mux::R0,
        mul_a: Mux::R0,
        mul_b: Mux::R0,
    };

    /// A no-operation with this signal.
    pub const fn signal(sig: Signal) -> Alu {
        Alu { sig, ..Alu::NOP }
    }

    /// This instruction with an always executed add operation.
    pub const fn with_add(self, op: AddOp, waddr: Waddr, a: Mux, b: Mux) -> Alu {
        Alu { op_add: op, cond_add: Cond::Always, waddr_add: waddr, add_a: a, add_b: b, ..self }
    }

    /// This instruction with an always executed mul operation.
    pub const fn with_mul(self, op: MulOp, waddr: Waddr, a: Mux, b: Mux) -> Alu {
        Alu { op_mul: op, cond_mul: Cond::Always, waddr_mul: waddr, mul_a: a, mul_b: b, ..self }
    }

    /// This instruction reading `raddr` on file A.
    pub const fn reading_a(self, raddr: Raddr) -> Alu {
        Alu { raddr_a: raddr, ..self }
    }

    /// This instruction reading `raddr` on file B.
    pub const fn reading_b(self, raddr: Raddr) -> Alu {
        Alu { raddr_b: raddr, ..self }
    }

    /// This instruction with a small immediate in place of the file B read and of the signal.
    pub const fn with_small_imm(self, imm: SmallImm) -> Alu {
        Alu { sig: Signal::SmallImm, raddr_b: Raddr(imm.0), ..self }
    }

    /// The small immediate, if the instruction has one.
    pub const fn small_imm(&self) -> Option<SmallImm> {
        match self.sig {
            Signal::SmallImm => Some(SmallImm(self.raddr_b.0)),
            _ => None,
        }
    }

    /// The address read on `file`; `None` for no read and for file B under a small immediate.
    pub const fn read(&self, file: File) -> Option<Raddr> {
        let raddr = match file {
            File::A => self.raddr_a,
            File::B if matches!(self.sig, Signal::SmallImm) => return None,
            File::B => self.raddr_b,
        };
        if raddr.0 == Raddr::NOP.0 { None } else { Some(raddr) }
    }

    /// Whether this reads the uniform stream.
    pub fn reads_uniform(&self) -> bool {
        self.read(File::A) == Some(Raddr::UNIFORM) || self.read(File::B) == Some(Raddr::UNIFORM)
    }
}

/// How the 32 bits of a load immediate fill the lanes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[repr(u8)]
pub enum LdiMode {
    /// The same 32-bit value in all lanes.
    All = 0,
    /// Per lane a signed 2-bit value -2..1: lane i takes bit 16+i (weight -2) and bit i.
    PerLaneSigned = 1,
    /// Per lane an unsigned 2-bit value 0..3: lane i takes bit 16+i (weight 2) and bit i.
    PerLaneUnsigned = 3,
}

/// Load immediate: the value passes through both ALU outputs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ldi {
    pub mode: LdiMode,
    pub pm: bool,
    pub pack: Pack,
    pub cond_add: Cond,
    pub cond_mul: Cond,
    pub sf: bool,
    pub ws: bool,
    pub waddr_add: Waddr,
    pub waddr_mul: Waddr,
    pub imm: u32,
}

impl Ldi {
    /// A load of `imm` to nowhere.
    pub const NOP: Ldi = Ldi {
        mode: LdiMode::All,
        pm: false,
        pack: Pack::None,
        cond_add: Cond::Never,
        cond_mul: Cond::Never,
        sf: false,
        ws: false,
        waddr_add: Waddr::NOP,
        waddr_mul: Waddr::NOP,
        imm: 0,
    };

    /// A load of `imm` into a destination through the add ALU's output; `file` matters for physical registers and for
    /// peripherals that differ between the files.
    pub const fn all(file: File, waddr: Waddr, imm: u32) -> Ldi {
        Ldi { ws: matches!(file, File::B), waddr_add: waddr, cond_add: Cond::Always, imm, ..Ldi::NOP }
    }

    /// The value that lane `lane` receives.
    pub const fn lane(&self, lane: usize) -> u32 {
        let low = self.imm >> (lane & 15) & 1;
        let high = self.imm >> (16 + (lane & 15)) & 1;
        match self.mode {
            LdiMode::All => self.imm,
            LdiMode::PerLaneSigned => low.wrapping_sub(2 * high),
            LdiMode::PerLaneUnsigned => low + 2 * high,
        }
    }

    /// Mode and immediate for these 16 values, if all are in -2..=1 or all in 0..=3.
    pub fn per_lane(values: [i32; 16]) -> Option<(LdiMode, u32)> {
        let mode = if values.iter().all(|v| (-2..=1).contains(v)) {
            LdiMode::PerLaneSigned
        } else if values.iter().all(|v| (0..=3).contains(v)) {
            LdiMode::PerLaneUnsigned
        } else {
            return None;
        };
        let plane = |bit: u32| (0..16).fold(0, |bits, lane| bits | (values[lane] as u32 >> bit & 1) << lane);
        Some((mode, plane(1) << 16 | plane(0)))
    }
}

/// Semaphore instruction. Like a load immediate of [`Sema::imm`] if it has a destination.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Sema {
    pub pm: bool,
    pub pack: Pack,
    pub cond_add: Cond,
    pub cond_mul: Cond,
    pub sf: bool,
    pub ws: bool,
    pub waddr_add: Waddr,
    pub waddr_mul: Waddr,
    /// Set: decrement (acquire), which stalls at 0. Clear: increment (release), which stalls at 15.
    pub down: bool,
    /// Number of the semaphore, 0 to 15.
    pub number: u8,
    /// Bits 31:5 of the word, which the hardware ignores; at most 27 bits, normally 0.
    pub ignored: u32,
}

impl Sema {
    /// Increments semaphore `number`, stalling while it is 15.
    pub const fn up(number: u8) -> Sema {
        Sema {
            pm: false,
            pack: Pack::None,
            cond_add: Cond::Never,
            cond_mul: Cond::Never,
            sf: false,
            ws: false,
            waddr_add: Waddr::NOP,
            waddr_mul: Waddr::NOP,
            down: false,
            number: number & 15,
            ignored: 0,
        }
    }

    /// Decrements semaphore `number`, stalling while it is 0.
    pub const fn down(number: u8) -> Sema {
        Sema { down: true, ..Sema::up(number) }
    }

    /// The low half of the word, which also is the value a destination would receive.
    pub const fn imm(&self) -> u32 {
        self.ignored << 5 | (self.down as u32) << 4 | (self.number & 15) as u32
    }
}

/// Branch. The three instructions behind it always execute. The target is
/// `imm + (rel ? address of the branch + 32 : 0) + (reg ? register raddr_a of file A : 0)`, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Branch {
    pub cond: BranchCond,
    /// Relative to the instruction behind the delay slots.
    pub rel: bool,
    /// Add a register of file A: lane 15's value by measurement, lane 0's by the guide; fill all lanes alike.
    pub reg: bool,
    /// Number of the file A register, 0 to 31. Its bit 0 is also the bit that makes a taken branch set the flags.
    pub raddr_a: u8,
    pub ws: bool,
    /// Receives the link value, the address behind the delay slots, if the branch is taken.
    pub waddr_add: Waddr,
    /// Receives the link value too.
    pub waddr_mul: Waddr,
    /// Signed, in bytes.
    pub imm: i32,
    /// Bits 59:56 of the word, which the hardware ignores; normally 0.
    pub ignored: u8,
}

impl Branch {
    /// An unconditional relative branch by `imm` bytes from the instruction behind the delay slots.
    pub const fn relative(imm: i32) -> Branch {
        Branch {
            cond: BranchCond::Always,
            rel: true,
            reg: false,
            raddr_a: 0,
            ws: false,
            waddr_add: Waddr::NOP,
            waddr_mul: Waddr::NOP,
            imm,
            ignored: 0,
        }
    }

    /// An unconditional branch to the byte address `imm`.
    pub const fn absolute(imm: i32) -> Branch {
        Branch { rel: false, ..Branch::relative(imm) }
    }

    /// This branch with a condition.
    pub const fn when(self, cond: BranchCond) -> Branch {
        Branch { cond, ..self }
    }

    /// Relative branch of instruction `from` to instruction `to` of one program.
    pub fn between(from: usize, to: usize) -> Branch {
        Branch::relative((to as i64 * 8 - from as i64 * 8 - 32) as i32)
    }

    /// The instruction a relative branch at instruction `from` goes to; `None` if the target depends on a register, is
    /// absolute, or is not an instruction at or after the program's start.
    pub fn target(&self, from: usize) -> Option<usize> {
        let bytes = from as i64 * 8 + 32 + i64::from(self.imm);
        (self.rel && !self.reg && bytes >= 0 && bytes % 8 == 0).then_some((bytes / 8) as usize)
    }
}

impl Inst {
    /// The canonical no-operation.
    pub const NOP: Inst = Inst::Alu(Alu::NOP);

    /// The file that the add ALU's output goes to; the mul ALU's goes to the other.
    pub const fn add_file(&self) -> File {
        if self.ws() { File::B } else { File::A }
    }

    /// Write swap.
    pub const fn ws(&self) -> bool {
        match self {
            Inst::Alu(i) => i.ws,
            Inst::Ldi(i) => i.ws,
            Inst::Sema(i) => i.ws,
            Inst::Branch(i) => i.ws,
        }
    }

    /// The two write addresses, add then mul.
    pub const fn waddrs(&self) -> [Waddr; 2] {
        match self {
            Inst::Alu(i) => [i.waddr_add, i.waddr_mul],
            Inst::Ldi(i) => [i.waddr_add, i.waddr_mul],
            Inst::Sema(i) => [i.waddr_add, i.waddr_mul],
            Inst::Branch(i) => [i.waddr_add, i.waddr_mul],
        }
    }

    /// The two conditions of the writes, add then mul; a branch writes its link unconditionally once it is taken.
    pub const fn conds(&self) -> [Cond; 2] {
        match self {
            Inst::Alu(i) => [i.cond_add, i.cond_mul],
            Inst::Ldi(i) => [i.cond_add, i.cond_mul],
            Inst::Sema(i) => [i.cond_add, i.cond_mul],
            Inst::Branch(_) => [Cond::Always, Cond::Always],
        }
    }

    /// What is written: file, address and condition of each ALU output that goes anywhere. Operations that never write
    /// (a no-operation, the condition never) are left out.
    pub fn writes(&self) -> impl Iterator<Item = (File, Waddr, Cond)> + use<> {
        let active = match self {
            Inst::Alu(i) => [i.op_add != AddOp::Nop, i.op_mul != MulOp::Nop],
            _ => [true, true],
        };
        let (files, waddrs, conds) = ([self.add_file(), self.add_file().other()], self.waddrs(), self.conds());
        (0..2)
            .filter(move |&i| active[i] && conds[i] != Cond::Never && waddrs[i] != Waddr::NOP)
            .map(move |i| (files[i], waddrs[i], conds[i]))
    }

    /// The signal; load immediate, semaphore and branch have none.
    pub const fn signal(&self) -> Signal {
        match self {
            Inst::Alu(i) => i.sig,
            _ => Signal::None,
        }
    }

    /// Whether the flags may change.
    pub fn sets_flags(&self) -> bool {
        match self {
            Inst::Alu(i) => i.sf,
            Inst::Ldi(i) => i.sf,
            Inst::Sema(i) => i.sf,
            Inst::Branch(i) => i.raddr_a & 1 == 1,
        }
    }
}

impl From<Alu> for Inst {
    fn from(inst: Alu) -> Inst {
        Inst::Alu(inst)
    }
}

impl From<Ldi> for Inst {
    fn from(inst: Ldi) -> Inst {
        Inst::Ldi(inst)
    }
}

impl From<Sema> for Inst {
    fn from(inst: Sema) -> Inst {
        Inst::Sema(inst)
    }
}

impl From<Branch> for Inst {
    fn from(inst: Branch) -> Inst {
        Inst::Branch(inst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn per_lane_values_come_back() {
        let signed = [0, 1, -1, -2, 0, 1, -1, -2, 0, 1, -1, -2, 0, 1, -1, -2];
        let (mode, imm) = Ldi::per_lane(signed).expect("in range");
        assert_eq!((mode, imm), (LdiMode::PerLaneSigned, 0xcccc_6666));
        let ldi = Ldi { mode, imm, ..Ldi::NOP };
        assert_eq!(std::array::from_fn(|i| ldi.lane(i) as i32), signed);
        let unsigned = [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3];
        assert_eq!(Ldi::per_lane(unsigned), Some((LdiMode::PerLaneUnsigned, 0xcccc_aaaa)));
        assert_eq!(Ldi::per_lane([4; 16]), None);
    }

    #[test]
    fn a_branch_between_instructions_finds_its_target() {
        assert_eq!(Branch::between(5, 2).target(5), Some(2));
        assert_eq!(Branch::between(0, 9).imm, 40);
        assert_eq!(Branch::absolute(0).target(5), None);
        assert_eq!(Branch::relative(-80).target(0), None);
    }
}
