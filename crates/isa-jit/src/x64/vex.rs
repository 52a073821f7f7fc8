//! Instructions of AVX2: 256-bit vectors, in the encoding that processors without AVX-512 know.

use super::{Asm, Label, Op, op};

/// Where half of a vector is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Half {
    Reg(u8),
    /// 32 bytes at a register and a distance.
    Mem(u8, i32),
    /// One word there, for all lanes.
    Word(u8, i32),
    /// 32 bytes in the code.
    Data(Label),
}

pub const VPCMPEQD: Op = Op(1, 1, 0x76);
pub const VPCMPGTD: Op = Op(1, 1, 0x66);
pub const VPMAXUD: Op = Op(2, 1, 0x3f);
pub const VPSRLD: Op = Op(1, 1, 0x72);
pub const VPADDW: Op = Op(1, 1, 0xfd);
pub const VPMINUW: Op = Op(2, 1, 0x3a);
pub const VPCMPEQW: Op = Op(1, 1, 0x75);
pub const VPMOVMSKB: Op = Op(1, 1, 0xd7);
pub const VMOVMSKPS: Op = Op(1, 0, 0x50);
pub const VPBLENDW: Op = Op(3, 1, 0x0e);
pub const VBLENDVPS: Op = Op(3, 1, 0x4a);
pub const VPERM2I128: Op = Op(3, 1, 0x46);
pub const VPALIGNR: Op = Op(3, 1, 0x0f);
pub const VPANDN: Op = Op(1, 1, 0xdf);
const VMOVD: Op = Op(1, 1, 0x6e);

impl Asm {
    /// `reg` = `second` op `rm`; 0 for a `second` that the instruction has not.
    pub fn vex(&mut self, op: Op, reg: u8, second: u8, rm: Half) {
        let base = match rm {
            Half::Reg(n) => n,
            Half::Mem(base, _) | Half::Word(base, _) => base,
            Half::Data(_) => 0,
        };
        let Op(map, prefix, opcode) = op;
        let inverted = (reg >> 3) << 7 | (base >> 3) << 5;
        self.bytes(&[0xc4, (!inverted & 0xe0) | map, (!second & 15) << 3 | 4 | prefix, opcode]);
        match rm {
            Half::Reg(n) => self.byte(0xc0 | (reg & 7) << 3 | n & 7),
            Half::Mem(base, distance) | Half::Word(base, distance) => self.memory(reg, base, distance),
            Half::Data(label) => {
                self.byte((reg & 7) << 3 | 5);
                self.distance(label);
            }
        }
    }

    pub fn vex_imm(&mut self, op: Op, reg: u8, second: u8, rm: Half, imm: u8) {
        self.vex(op, reg, second, rm);
        if let (Half::Data(_), Some(fixup)) = (rm, self.fixups.last_mut()) {
            // Distances count from the end of the instruction.
            fixup.2 = 1;
        }
        self.byte(imm);
    }

    /// The vector in a register: its own, or `scratch`.
    pub fn in_register(&mut self, half: Half, scratch: u8) -> u8 {
        match half {
            Half::Reg(n) => return n,
            Half::Mem(..) | Half::Data(_) => self.vex(op::LOAD_UNALIGNED, scratch, 0, half),
            Half::Word(..) => self.vex(op::VPBROADCASTD, scratch, 0, half),
        }
        scratch
    }

    /// An operand that instructions take as their last: a register or 32 bytes.
    pub fn operand(&mut self, half: Half, scratch: u8) -> Half {
        match half {
            Half::Word(..) => Half::Reg(self.in_register(half, scratch)),
            half => half,
        }
    }

    /// `to` = `no` where the sign bit of `mask` is 0, else `yes`.
    pub fn blend(&mut self, to: u8, no: u8, yes: Half, mask: u8) {
        self.vex_imm(VBLENDVPS, to, no, yes, mask << 4);
    }

    /// All lanes = an integer register.
    pub fn spread(&mut self, to: u8, from: u8) {
        let inverted = (to >> 3) << 7 | (from >> 3) << 5;
        let Op(map, prefix, opcode) = VMOVD;
        self.bytes(&[0xc4, (!inverted & 0xe0) | map, 15 << 3 | prefix, opcode, 0xc0 | (to & 7) << 3 | from & 7]);
        self.vex(op::VPBROADCASTD, to, 0, Half::Reg(to));
    }

    /// `to` = the first lane.
    pub fn low_word(&mut self, to: u8, from: u8) {
        let inverted = (from >> 3) << 7 | (to >> 3) << 5;
        self.bytes(&[0xc4, (!inverted & 0xe0) | 1, 15 << 3 | 1, 0x7e, 0xc0 | (from & 7) << 3 | to & 7]);
    }

    /// `to` = a word in each lane, from `base` plus the index; `ones` is destroyed.
    pub fn gather_half(&mut self, to: u8, base: u8, index: u8, ones: u8) {
        self.vex(VPCMPEQD, ones, ones, Half::Reg(ones));
        self.vex(op::VPXORD, to, to, Half::Reg(to));
        let inverted = (to >> 3) << 7 | (index >> 3) << 6 | (base >> 3) << 5;
        self.bytes(&[0xc4, (!inverted & 0xe0) | 2, (!ones & 15) << 3 | 5, 0x90, 0x80 | (to & 7) << 3 | 4]);
        self.byte((index & 7) << 3 | base & 7);
        self.bytes(&[0; 4]);
    }

    /// An operation of two 32-bit integer registers: 0x23 for and, 0x0b for or, 0x33 for exclusive or, 0x8b for a copy.
    pub fn bits(&mut self, opcode: u8, to: u8, from: u8) {
        self.rex(false, to, 0, from);
        self.bytes(&[opcode, 0xc0 | (to & 7) << 3 | from & 7]);
    }

    /// The same with a constant: 4 for and, 6 for exclusive or, 7 for a comparison.
    pub fn bits_constant(&mut self, extension: u8, to: u8, value: i32) {
        self.arithmetic(extension, false, to, value);
    }

    pub fn not32(&mut self, reg: u8) {
        self.rex(false, 0, 0, reg);
        self.bytes(&[0xf7, 0xd0 | reg & 7]);
    }

    /// `reg` = the 16-bit word in memory.
    pub fn load16(&mut self, reg: u8, base: u8, distance: i32) {
        self.rex(false, reg, 0, base);
        self.bytes(&[0x0f, 0xb7]);
        self.memory(reg, base, distance);
    }

    pub fn store16(&mut self, reg: u8, base: u8, distance: i32) {
        self.byte(0x66);
        self.rex(false, reg, 0, base);
        self.byte(0x89);
        self.memory(reg, base, distance);
    }
}
