//! Where machine code keeps what: registers of the processor, constants, the QPU's registers.

use super::super::x64::{
    Rm,
    gpr::{RBP, RBX},
};
use quadra_isa::vc4::emu::translate::registers as slot;

pub const CTX: u8 = RBP;

/// Vector registers: r0 to r5 are 0 to 5.
pub mod zmm {
    pub const R4: u8 = 4;
    pub const R5: u8 = 5;
    pub const SUM: u8 = 6;
    pub const PRODUCT: u8 = 7;
    pub const T0: u8 = 8;
    pub const ROTATED: [u8; 2] = [10, 11];
    pub const T1: u8 = 12;
    pub const T2: u8 = 13;
    pub const T3: u8 = 14;
    pub const VALUE: u8 = 15;
    /// The vector that was read from the VPM.
    pub const VPM: u8 = 16;
    /// Scratch of the units' code.
    pub const UNIT: [u8; 3] = [17, 18, 19];
    /// What an operand was unpacked to, for integers and for floats.
    pub const UNPACKED: [u8; 2] = [20, 21];
    /// What [`alu::odd`](super::super::alu::odd) adds and looks at.
    pub const ODD: u8 = 29;
    pub const ODD_BITS: u8 = 30;
    pub const ZERO: u8 = 31;
}

/// Constants in the context, in bytes from the first.
pub mod constant {
    use quadra_isa::vc4::emu::translate::{L2_LINES as LINES, L2_RECENT as RECENT};

    pub const MAGNITUDE: i32 = 0;
    pub const C31: i32 = 4;
    pub const C24: i32 = 8;
    pub const ONES: i32 = 12;
    pub const ONE: i32 = 16;
    pub const TWO_31: i32 = 20;
    pub const HUGE: i32 = 24;
    pub const C2: i32 = 28;
    pub const C3: i32 = 32;
    pub const C6: i32 = 36;
    pub const C15: i32 = 40;
    pub const WORDS: i32 = 44;
    pub const PAIRS: i32 = 48;
    pub const L2_LINES: i32 = 52;
    pub const L2_RECENT: i32 = 56;
    pub const ODD: i32 = 60;
    pub const ODD_BITS: i32 = 64;
    pub const C8: i32 = 68;
    pub const C13: i32 = 72;
    pub const C16: i32 = 76;
    pub const SHIFT_24: i32 = 80;
    pub const BYTE: i32 = 84;
    pub const SPREAD: i32 = 88;
    pub const F255: i32 = 92;
    pub const HALF: i32 = 96;
    pub const HALF_SIGN: i32 = 100;
    pub const HALF_MAGNITUDE: i32 = 104;
    pub const HALF_EXPONENT: i32 = 108;
    pub const HALF_BIAS: i32 = 112;
    pub const INFINITY: i32 = 116;
    /// Their values.
    pub const VALUES: [u32; 30] = [
        0x7fff_ffff,
        31,
        0xff_ffff,
        !0,
        1,
        0x4f00_0000,
        0xfeff_fffe,
        2,
        3,
        6,
        15,
        !3,
        !7,
        LINES,
        RECENT,
        0x7f00_0001u32.wrapping_neg(),
        0x7f00_0000,
        8,
        13,
        16,
        24,
        255,
        0x0101_0101,
        0x437f_0000,
        0xffff,
        0x8000,
        0x7fff,
        0x7c00,
        112 << 23,
        0x7f80_0000,
    ];
}

/// Why native code came back.
pub mod exit {
    /// Execution goes on at an instruction.
    pub const AT: u32 = 0;
    /// The same, by a jump.
    pub const JUMPED: u32 = 1;
    /// By a jump to a byte address.
    pub const ADDRESS: u32 = 2;
    /// In the delay slots of a branch to an instruction, or to a byte address.
    pub const SLOT: u32 = 3;
    pub const SLOT_ADDRESS: u32 = 4;
}

/// A register's place in memory.
pub fn in_memory(register: u8) -> Rm {
    Rm::Mem(RBX, 64 * (i32::from(register) - 128))
}

/// A register, where it is.
pub fn place_of(register: u8) -> Rm {
    match register.checked_sub(slot::ACC) {
        Some(n @ 0..6) => Rm::Reg(n),
        _ => in_memory(register),
    }
}
