//! An assembler for what [`crate::direct`] needs of x86-64 with AVX-512: 64-bit integer registers, 512-bit vectors, masks.
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
    Above = 7,
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

pub mod op;

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
    fixups: Vec<(usize, Label)>,
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

    /// Where a label is, if it was bound.
    pub fn place(&self, label: Label) -> Option<usize> {
        self.labels[label.0]
    }

    /// Fills in the distances of all jumps; `None` if a label was never bound.
    pub fn finish(mut self) -> Option<Vec<u8>> {
        for (at, label) in std::mem::take(&mut self.fixups) {
            let to = self.labels[label.0]?;
            let distance = i32::try_from(to as i64 - (at as i64 + 4)).ok()?;
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
        self.fixups.push((self.code.len(), label));
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

    /// `reg` = the 64-bit word at `base` and a distance.
    pub fn load(&mut self, reg: u8, base: u8, distance: i32) {
        self.rex(true, reg, 0, base);
        self.byte(0x8b);
        self.memory(reg, base, distance);
    }

    pub fn load32(&mut self, reg: u8, base: u8, distance: i32) {
        self.rex(false, reg, 0, base);
        self.byte(0x8b);
        self.memory(reg, base, distance);
    }

    pub fn store(&mut self, reg: u8, base: u8, distance: i32) {
        self.rex(true, reg, 0, base);
        self.byte(0x89);
        self.memory(reg, base, distance);
    }

    pub fn store32(&mut self, reg: u8, base: u8, distance: i32) {
        self.rex(false, reg, 0, base);
        self.byte(0x89);
        self.memory(reg, base, distance);
    }

    /// The 32-bit word in memory becomes a constant.
    pub fn store_constant(&mut self, value: u32, base: u8, distance: i32) {
        self.rex(false, 0, 0, base);
        self.byte(0xc7);
        self.memory(0, base, distance);
        self.bytes(&value.to_le_bytes());
    }

    pub fn mov(&mut self, to: u8, from: u8) {
        self.rex(true, from, 0, to);
        self.bytes(&[0x89, 0xc0 | (from & 7) << 3 | to & 7]);
    }

    /// A constant, with the upper half 0.
    pub fn constant(&mut self, to: u8, value: u32) {
        self.rex(false, 0, 0, to);
        self.byte(0xb8 | to & 7);
        self.bytes(&value.to_le_bytes());
    }

    pub fn constant64(&mut self, to: u8, value: u64) {
        self.rex(true, 0, 0, to);
        self.byte(0xb8 | to & 7);
        self.bytes(&value.to_le_bytes());
    }

    fn arithmetic(&mut self, extension: u8, wide: bool, reg: u8, value: i32) {
        self.rex(wide, 0, 0, reg);
        self.bytes(&[0x81, 0xc0 | extension << 3 | reg & 7]);
        self.bytes(&value.to_le_bytes());
    }

    pub fn add(&mut self, reg: u8, value: i32) {
        self.arithmetic(0, true, reg, value);
    }

    pub fn sub(&mut self, reg: u8, value: i32) {
        self.arithmetic(5, true, reg, value);
    }

    pub fn cmp(&mut self, reg: u8, value: i32) {
        self.arithmetic(7, true, reg, value);
    }

    pub fn and32(&mut self, reg: u8, value: i32) {
        self.arithmetic(4, false, reg, value);
    }

    /// 32-bit sum with a constant.
    pub fn add32(&mut self, reg: u8, value: i32) {
        self.arithmetic(0, false, reg, value);
    }

    fn two(&mut self, opcode: u8, to: u8, from: u8) {
        self.rex(true, from, 0, to);
        self.bytes(&[opcode, 0xc0 | (from & 7) << 3 | to & 7]);
    }

    pub fn add_reg(&mut self, to: u8, from: u8) {
        self.two(0x01, to, from);
    }

    pub fn sub_reg(&mut self, to: u8, from: u8) {
        self.two(0x29, to, from);
    }

    pub fn cmp_reg(&mut self, a: u8, b: u8) {
        self.two(0x39, a, b);
    }

    /// 32-bit difference.
    pub fn sub_reg32(&mut self, to: u8, from: u8) {
        self.rex(false, from, 0, to);
        self.bytes(&[0x29, 0xc0 | (from & 7) << 3 | to & 7]);
    }

    /// `to` less the 64-bit word in memory.
    pub fn sub_memory(&mut self, to: u8, base: u8, distance: i32) {
        self.rex(true, to, 0, base);
        self.byte(0x2b);
        self.memory(to, base, distance);
    }

    pub fn add_memory(&mut self, to: u8, base: u8, distance: i32) {
        self.rex(true, to, 0, base);
        self.byte(0x03);
        self.memory(to, base, distance);
    }

    pub fn cmp_memory(&mut self, reg: u8, base: u8, distance: i32) {
        self.rex(true, reg, 0, base);
        self.byte(0x3b);
        self.memory(reg, base, distance);
    }

    /// Compares the 32-bit word in memory with a constant.
    pub fn cmp_constant32(&mut self, base: u8, distance: i32, value: i32) {
        self.rex(false, 0, 0, base);
        self.byte(0x81);
        self.memory(7, base, distance);
        self.bytes(&value.to_le_bytes());
    }

    pub fn add32_memory(&mut self, to: u8, base: u8, distance: i32) {
        self.rex(false, to, 0, base);
        self.byte(0x03);
        self.memory(to, base, distance);
    }

    /// Adds a constant to the 32-bit word in memory.
    pub fn add_to_memory32(&mut self, base: u8, distance: i32, value: i32) {
        self.rex(false, 0, 0, base);
        self.byte(0x81);
        self.memory(0, base, distance);
        self.bytes(&value.to_le_bytes());
    }

    /// Adds a constant to the 64-bit word in memory.
    pub fn add_to_memory(&mut self, base: u8, distance: i32, value: i32) {
        self.rex(true, 0, 0, base);
        self.byte(0x81);
        self.memory(0, base, distance);
        self.bytes(&value.to_le_bytes());
    }

    pub fn lea(&mut self, to: u8, base: u8, distance: i32) {
        self.rex(true, to, 0, base);
        self.byte(0x8d);
        self.memory(to, base, distance);
    }

    /// 32-bit shift to the right.
    pub fn shr32(&mut self, reg: u8, count: u8) {
        self.rex(false, 0, 0, reg);
        self.bytes(&[0xc1, 0xe8 | reg & 7, count]);
    }

    pub fn shl(&mut self, reg: u8, count: u8) {
        self.rex(true, 0, 0, reg);
        self.bytes(&[0xc1, 0xe0 | reg & 7, count]);
    }

    /// 64-bit shift to the right by the low byte of `rcx`.
    pub fn shr_by_rcx(&mut self, reg: u8) {
        self.rex(true, 0, 0, reg);
        self.bytes(&[0xd3, 0xe8 | reg & 7]);
    }

    /// Carry becomes the bit of `reg` with this number.
    pub fn bit_test(&mut self, reg: u8, number: u8) {
        self.rex(true, number, 0, reg);
        self.bytes(&[0x0f, 0xa3, 0xc0 | (number & 7) << 3 | reg & 7]);
    }

    /// 32-bit decrement that stays at 0.
    pub fn count_down32(&mut self, reg: u8) {
        self.arithmetic(5, false, reg, 1);
        self.arithmetic(2, false, reg, 0);
    }

    /// Adds a constant to the byte in memory.
    pub fn add_to_byte(&mut self, base: u8, distance: i32, value: i8) {
        self.rex(false, 0, 0, base);
        self.byte(0x80);
        self.memory(0, base, distance);
        self.byte(value as u8);
    }

    /// Compares the byte in memory with a constant.
    pub fn cmp_byte(&mut self, base: u8, distance: i32, value: u8) {
        self.rex(false, 0, 0, base);
        self.byte(0x80);
        self.memory(7, base, distance);
        self.byte(value);
    }

    pub fn test32(&mut self, a: u8, b: u8) {
        self.rex(false, b, 0, a);
        self.bytes(&[0x85, 0xc0 | (b & 7) << 3 | a & 7]);
    }

    pub fn test_constant32(&mut self, reg: u8, value: u32) {
        self.rex(false, 0, 0, reg);
        self.bytes(&[0xf7, 0xc0 | reg & 7]);
        self.bytes(&value.to_le_bytes());
    }

    /// The byte register becomes 1 or 0.
    pub fn set(&mut self, cc: Cc, reg: u8) {
        self.rex(false, 0, 0, reg);
        self.bytes(&[0x0f, 0x90 | cc as u8, 0xc0 | reg & 7]);
    }

    /// Extends the low byte.
    pub fn extend_byte(&mut self, reg: u8) {
        self.rex(false, reg, 0, reg);
        self.bytes(&[0x0f, 0xb6, 0xc0 | (reg & 7) << 3 | reg & 7]);
    }

    pub fn push(&mut self, reg: u8) {
        self.rex(false, 0, 0, reg);
        self.byte(0x50 | reg & 7);
    }

    pub fn pop(&mut self, reg: u8) {
        self.rex(false, 0, 0, reg);
        self.byte(0x58 | reg & 7);
    }

    pub fn ret(&mut self) {
        self.byte(0xc3);
    }

    pub fn jump(&mut self, label: Label) {
        self.byte(0xe9);
        self.distance(label);
    }

    pub fn jump_if(&mut self, cc: Cc, label: Label) {
        self.bytes(&[0x0f, 0x80 | cc as u8]);
        self.distance(label);
    }

    pub fn call(&mut self, label: Label) {
        self.byte(0xe8);
        self.distance(label);
    }

    pub fn jump_to(&mut self, reg: u8) {
        self.rex(false, 0, 0, reg);
        self.bytes(&[0xff, 0xe0 | reg & 7]);
    }

    pub fn call_memory(&mut self, base: u8, distance: i32) {
        self.rex(false, 0, 0, base);
        self.byte(0xff);
        self.memory(2, base, distance);
    }

    /// `to` = the first word of a vector register below 8.
    pub fn first_word(&mut self, to: u8, from: u8) {
        self.bytes(&[0xc5, 0xf9, 0x7e, 0xc0 | from << 3 | to & 7]);
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
        self.vector(op, reg, second, rm, masked);
        self.byte(imm);
    }

    /// Loads a word per lane from `base` plus the index; clears the mask.
    pub fn gather(&mut self, to: u8, base: u8, index: u8, mask: u8) {
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

    /// An operation on masks: `to` = `a` op `b`.
    fn masks(&mut self, opcode: u8, to: u8, a: u8, b: u8) {
        self.bytes(&[0xc5, 0x80 | (!a & 15) << 3 | 4, opcode, 0xc0 | to << 3 | b]);
    }

    /// Both.
    pub fn kand(&mut self, to: u8, a: u8, b: u8) {
        self.masks(0x41, to, a, b);
    }

    /// `b` without `a`.
    pub fn kandn(&mut self, to: u8, a: u8, b: u8) {
        self.masks(0x42, to, a, b);
    }

    pub fn kor(&mut self, to: u8, a: u8, b: u8) {
        self.masks(0x45, to, a, b);
    }

    pub fn kxor(&mut self, to: u8, a: u8, b: u8) {
        self.masks(0x47, to, a, b);
    }

    pub fn kxnor(&mut self, to: u8, a: u8, b: u8) {
        self.masks(0x46, to, a, b);
    }

    pub fn knot(&mut self, to: u8, from: u8) {
        self.bytes(&[0xc5, 0xf8, 0x44, 0xc0 | to << 3 | from]);
    }

    pub fn kmov(&mut self, to: u8, from: u8) {
        self.bytes(&[0xc5, 0xf8, 0x90, 0xc0 | to << 3 | from]);
    }

    /// Zero if no bit is set in either, carry if all are set in one of them or the other.
    pub fn kortest(&mut self, a: u8, b: u8) {
        self.bytes(&[0xc5, 0xf8, 0x98, 0xc0 | a << 3 | b]);
    }

    fn mask_memory(&mut self, opcode: u8, mask: u8, base: u8, distance: i32) {
        // The three-byte form reaches all base registers.
        self.bytes(&[0xc4, 0xc1 | (!base >> 3 & 1) << 5, 0x78, opcode]);
        self.memory(mask, base, distance);
    }

    pub fn kload(&mut self, mask: u8, base: u8, distance: i32) {
        self.mask_memory(0x90, mask, base, distance);
    }

    pub fn kstore(&mut self, mask: u8, base: u8, distance: i32) {
        self.mask_memory(0x91, mask, base, distance);
    }
}
