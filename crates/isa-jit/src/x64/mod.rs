//! An assembler for what [`crate::direct`] needs of x86-64 with AVX-512: 64-bit integer registers, 512-bit vectors, masks.
//! Without AVX-512 the same calls write what does the same with halves of vectors: [`halves`].
//!
//! Names are Intel's; numbers of registers are those of the encoding. Jumps are to labels, with 32-bit distances.

/// A place in the code that may be known later.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label(usize);

/// Integer registers.
pub mod gpr {
    pub const RAX: u8 = 0;
    pub const RCX: u8 = 1;
    pub const RDX: u8 = 2;
    pub const RBX: u8 = 3;
    pub const RSP: u8 = 4;
    pub const RBP: u8 = 5;
    pub const RSI: u8 = 6;
    pub const RDI: u8 = 7;
    pub const R8: u8 = 8;
    pub const R9: u8 = 9;
    pub const R10: u8 = 10;
    pub const R11: u8 = 11;
    pub const R12: u8 = 12;
    pub const R13: u8 = 13;
    pub const R14: u8 = 14;
    pub const R15: u8 = 15;
}

/// Conditions of jumps and `setcc`, by their codes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cc {
    Below = 2,
    NotBelow = 3,
    Zero = 4,
    NotZero = 5,
    NotAbove = 6,
    Above = 7,
}

impl Cc {
    /// When this one is not.
    pub const fn inverse(self) -> Cc {
        match self {
            Cc::Below => Cc::NotBelow,
            Cc::NotBelow => Cc::Below,
            Cc::Zero => Cc::NotZero,
            Cc::NotZero => Cc::Zero,
            Cc::Above => Cc::NotAbove,
            Cc::NotAbove => Cc::Above,
        }
    }
}

/// The last operand of a vector instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rm {
    /// A vector register, or a mask where the instruction has one.
    Reg(u8),
    /// 64 bytes at a register and a distance.
    Mem(u8, i32),
    /// One word at a register and a distance, for all lanes of an instruction that could have 64 bytes there.
    Word(u8, i32),
    /// One word at a register and a distance, for an instruction that takes no more.
    Scalar(u8, i32),
}

/// An opcode of EVEX: map, prefix, byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Op(pub u8, pub u8, pub u8);

impl Op {
    /// Whether the order of its two operands does not matter.
    pub fn commutes(self) -> bool {
        use op::*;
        [VADDPS, VMULPS, VPADDD, VPANDD, VPORD, VPXORD, VPMINSD, VPMAXSD, VPADDUSB, VPMINUB, VPMAXUB].contains(&self)
    }

    /// Whether lanes are bytes, so that it cannot take one word for all lanes.
    pub fn takes_bytes(self) -> bool {
        [op::VPADDUSB, op::VPSUBUSB, op::VPMINUB, op::VPMAXUB].contains(&self)
    }
}

pub mod op;
mod integer;
mod vex;
pub mod halves;
mod masks;

/// How a vector instruction treats lanes: with a mask (0 for none), keeping or clearing the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Masked {
    pub mask: u8,
    pub clear: bool,
}

/// All lanes.
pub const ALL: Masked = Masked { mask: 0, clear: false };

/// The lanes of a mask; the others stay.
pub const fn keep(mask: u8) -> Masked {
    Masked { mask, clear: false }
}

/// The lanes of a mask; the others become 0.
pub const fn clear(mask: u8) -> Masked {
    Masked { mask, clear: true }
}

/// Code under construction.
#[derive(Clone, Debug, Default)]
pub struct Asm {
    pub code: Vec<u8>,
    labels: Vec<Option<usize>>,
    /// Where distances are, to what, and how many bytes of the instruction follow.
    fixups: Vec<(usize, Label, u8)>,
    /// How vectors are put together of halves, for processors without AVX-512.
    halves: Option<Box<halves::Halves>>,
}

impl Asm {
    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// A label for this place.
    pub fn here(&mut self) -> Label {
        let label = self.label();
        self.bind(label);
        label
    }

    pub fn bind(&mut self, label: Label) {
        self.labels[label.0] = Some(self.code.len());
    }

    /// `to` = the address of a label.
    pub fn lea_label(&mut self, to: u8, label: Label) {
        self.rex(true, to, 0, 0);
        self.bytes(&[0x8d, (to & 7) << 3 | 5]);
        self.distance(label);
    }

    /// Fills up with bytes that are no instructions to a multiple of `alignment`.
    pub fn align(&mut self, alignment: usize) {
        self.code.resize(self.code.len().next_multiple_of(alignment), 0xcc);
    }

    /// Data in the code.
    pub fn data(&mut self, bytes: &[u8]) {
        self.bytes(bytes);
    }

    /// Where a label is, if it was bound.
    pub fn place(&self, label: Label) -> Option<usize> {
        self.labels[label.0]
    }

    /// Fills in the distances of all jumps; `None` if a label was never bound.
    pub fn finish(mut self) -> Option<Vec<u8>> {
        self.put_data();
        for (at, label, more) in std::mem::take(&mut self.fixups) {
            let to = self.labels[label.0]?;
            let distance = i32::try_from(to as i64 - (at as i64 + 4 + i64::from(more))).ok()?;
            self.code[at..at + 4].copy_from_slice(&distance.to_le_bytes());
        }
        Some(self.code)
    }

    fn byte(&mut self, byte: u8) {
        self.code.push(byte);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.code.extend_from_slice(bytes);
    }

    fn distance(&mut self, label: Label) {
        self.fixups.push((self.code.len(), label, 0));
        self.bytes(&[0; 4]);
    }

    /// ModRM, SIB and a 32-bit distance for memory at `base`.
    fn memory(&mut self, reg: u8, base: u8, distance: i32) {
        self.byte(0x80 | (reg & 7) << 3 | base & 7);
        if base & 7 == gpr::RSP {
            self.byte(0x24);
        }
        self.bytes(&distance.to_le_bytes());
    }

    fn rex(&mut self, wide: bool, reg: u8, index: u8, base: u8) {
        self.byte(0x40 | u8::from(wide) << 3 | reg >> 3 << 2 | index >> 3 << 1 | base >> 3);
    }

    /// `to` = the first word of a vector register below 16.
    pub fn first_word(&mut self, to: u8, from: u8) {
        if self.has_halves() {
            return self.first_of_halves(to, from);
        }
        self.bytes(&[0xc5, 0x79 | (!from >> 3 & 1) << 7, 0x7e, 0xc0 | (from & 7) << 3 | to & 7]);
    }

    /// Brings a line of memory nearer, whatever is there.
    pub fn prefetch(&mut self, base: u8, distance: i32) {
        self.rex(false, 0, 0, base);
        self.bytes(&[0x0f, 0x18]);
        self.memory(1, base, distance);
    }

    /// Loads the float unit's control word.
    pub fn ldmxcsr(&mut self, base: u8, distance: i32) {
        self.rex(false, 0, 0, base);
        self.bytes(&[0x0f, 0xae]);
        self.memory(2, base, distance);
    }

    pub fn vzeroupper(&mut self) {
        self.bytes(&[0xc5, 0xf8, 0x77]);
    }

    /// A vector instruction: `reg` is the destination (or what is stored), `second` the first of two sources.
    pub fn vector(&mut self, op: Op, reg: u8, second: u8, rm: Rm, masked: Masked) {
        if self.has_halves() {
            return self.both_halves((op, 0), reg, second, rm, masked);
        }
        let (x, b, broadcast) = match rm {
            Rm::Reg(n) => (n >> 4 & 1, n >> 3 & 1, false),
            Rm::Mem(base, _) | Rm::Scalar(base, _) => (0, base >> 3 & 1, false),
            Rm::Word(base, _) => (0, base >> 3 & 1, true),
        };
        self.evex(op, reg, second, (x, b, broadcast, 0), masked);
        match rm {
            Rm::Reg(n) => self.byte(0xc0 | (reg & 7) << 3 | n & 7),
            Rm::Mem(base, distance) => self.compressed(reg, base, distance, 64),
            Rm::Word(base, distance) | Rm::Scalar(base, distance) => self.compressed(reg, base, distance, 4),
        }
    }

    /// As [`Asm::vector`], with an immediate byte.
    pub fn vector_imm(&mut self, op: Op, reg: u8, second: u8, rm: Rm, masked: Masked, imm: u8) {
        if self.has_halves() {
            return self.both_halves((op, imm), reg, second, rm, masked);
        }
        self.vector(op, reg, second, rm, masked);
        self.byte(imm);
    }

    /// Loads a word per lane from `base` plus the index; clears the mask.
    pub fn gather(&mut self, to: u8, base: u8, index: u8, mask: u8) {
        if self.has_halves() {
            return self.gather_halves(to, base, index);
        }
        self.indexed(op::VPGATHERDD, to, base, index, mask);
    }

    /// Stores a word per lane to `base` plus the index; clears the mask.
    pub fn scatter(&mut self, from: u8, base: u8, index: u8, mask: u8) {
        self.indexed(op::VPSCATTERDD, from, base, index, mask);
    }

    fn indexed(&mut self, op: Op, reg: u8, base: u8, index: u8, mask: u8) {
        self.evex(op, reg, 0, (index >> 3 & 1, base >> 3 & 1, false, index >> 4 & 1), keep(mask));
        self.byte(0x80 | (reg & 7) << 3 | 4);
        self.byte((index & 7) << 3 | base & 7);
        self.bytes(&[0; 4]);
    }

    fn evex(&mut self, op: Op, reg: u8, second: u8, (x, b, broadcast, high): (u8, u8, bool, u8), masked: Masked) {
        let Op(map, prefix, opcode) = op;
        let inverted = (reg >> 3 & 1) << 7 | x << 6 | b << 5 | (reg >> 4 & 1) << 4;
        self.byte(0x62);
        self.byte((!inverted & 0xf0) | map);
        self.byte((!second & 15) << 3 | 4 | prefix);
        let fifth = (second >> 4 & 1) | high;
        self.byte(u8::from(masked.clear) << 7 | 2 << 5 | u8::from(broadcast) << 4 | (fifth ^ 1) << 3 | masked.mask & 7);
        self.byte(opcode);
    }

    /// ModRM with a distance that counts units of `scale` bytes if it fits one byte.
    fn compressed(&mut self, reg: u8, base: u8, distance: i32, scale: i32) {
        let short = (distance % scale == 0).then(|| i8::try_from(distance / scale).ok()).flatten();
        let Some(short) = short else { return self.memory(reg, base, distance) };
        self.byte(0x40 | (reg & 7) << 3 | base & 7);
        if base & 7 == gpr::RSP {
            self.byte(0x24);
        }
        self.byte(short as u8);
    }
}
