//! Register addresses: what the read and write fields of an instruction can name (guide, table 14, p. 37-38).
//!
//! Addresses 0 to 31 are the physical registers of a file. Addresses 32 to 63 are accumulators (written here, read through
//! the [`Mux`]) and peripherals; some mean different things in the two files, which their constants say.

/// Which of the two register files.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum File {
    A,
    B,
}

impl File {
    /// The other file.
    pub const fn other(self) -> File {
        match self {
            File::A => File::B,
            File::B => File::A,
        }
    }
}

/// Address in a read field, 0 to 63. A peripheral is read whenever its address stands in the field, whether or not an
/// operand uses the value, and whatever the conditions say.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Raddr(pub u8);

impl Raddr {
    /// Next value of the uniform stream, the same in all lanes.
    pub const UNIFORM: Raddr = Raddr(32);
    /// Next varying; also loads the C coefficient into r5 (fragment shaders).
    pub const VARYING: Raddr = Raddr(35);
    /// File A: lane i reads i.
    pub const ELEMENT_NUMBER: Raddr = Raddr(38);
    /// File B: the number of this QPU in all lanes.
    pub const QPU_NUMBER: Raddr = Raddr(38);
    /// No read.
    pub const NOP: Raddr = Raddr(39);
    /// File A: pixel x coordinate; 0, 1, 0, 1, … in user programs.
    pub const X_PIXEL_COORD: Raddr = Raddr(41);
    /// File B: pixel y coordinate; 0, 0, 1, 1, … in user programs.
    pub const Y_PIXEL_COORD: Raddr = Raddr(41);
    /// File A: multisample flags, 4 bits per lane.
    pub const MS_FLAGS: Raddr = Raddr(42);
    /// File B: reversed-primitive flag, 1 bit.
    pub const REV_FLAG: Raddr = Raddr(42);
    /// Next vector of the block that the VPM read setup describes.
    pub const VPM: Raddr = Raddr(48);
    /// File A: DMA load busy. The value read is not the state; use [`Raddr::VPM_LD_WAIT`].
    pub const VPM_LD_BUSY: Raddr = Raddr(49);
    /// File B: DMA store busy. The value read is not the state; use [`Raddr::VPM_ST_WAIT`].
    pub const VPM_ST_BUSY: Raddr = Raddr(49);
    /// File A: stalls until the DMA load is done.
    pub const VPM_LD_WAIT: Raddr = Raddr(50);
    /// File B: stalls until the DMA store is done.
    pub const VPM_ST_WAIT: Raddr = Raddr(50);
    /// Stalls until this QPU owns the mutex.
    pub const MUTEX_ACQUIRE: Raddr = Raddr(51);

    /// The physical register with this number, 0 to 31.
    ///
    /// # Panics
    /// If `n` is 32 or more.
    pub const fn physical(n: u8) -> Raddr {
        assert!(n < 32, "a register file has 32 registers");
        Raddr(n)
    }

    /// Whether this is a physical register.
    pub const fn is_physical(self) -> bool {
        self.0 < 32
    }
}

/// Address in a write field, 0 to 63.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Waddr(pub u8);

impl Waddr {
    /// Accumulator r0.
    pub const R0: Waddr = Waddr(32);
    /// Accumulator r1.
    pub const R1: Waddr = Waddr(33);
    /// Accumulator r2.
    pub const R2: Waddr = Waddr(34);
    /// Accumulator r3.
    pub const R3: Waddr = Waddr(35);
    /// Non-zero in lane 0 switches the balancing of the two TMUs off.
    pub const TMU_NOSWAP: Waddr = Waddr(36);
    /// r5. Through file A lanes 0, 4, 8, 12 are copied to their quads; through file B lane 0 is copied to all lanes.
    pub const R5: Waddr = Waddr(37);
    /// Non-zero raises the host interrupt.
    pub const HOST_INT: Waddr = Waddr(38);
    /// No write.
    pub const NOP: Waddr = Waddr(39);
    /// New address of the uniform stream, from lane 0. Write it through file A: the Linux shader validator takes file B as
    /// a relative change.
    pub const UNIFORMS_ADDRESS: Waddr = Waddr(40);
    /// File A: quad x coordinate (fragment shaders).
    pub const QUAD_X: Waddr = Waddr(41);
    /// File B: quad y coordinate (fragment shaders).
    pub const QUAD_Y: Waddr = Waddr(41);
    /// File A: multisample flags, 4 bits per lane.
    pub const MS_FLAGS: Waddr = Waddr(42);
    /// File B: reversed-primitive flag.
    pub const REV_FLAG: Waddr = Waddr(42);
    /// Tile buffer stencil setup (fragment shaders).
    pub const TLB_STENCIL_SETUP: Waddr = Waddr(43);
    /// Tile buffer depth (fragment shaders).
    pub const TLB_Z: Waddr = Waddr(44);
    /// Tile buffer colour, multisample (fragment shaders).
    pub const TLB_COLOUR_MS: Waddr = Waddr(45);
    /// Tile buffer colour, all samples (fragment shaders).
    pub const TLB_COLOUR_ALL: Waddr = Waddr(46);
    /// Tile buffer alpha mask (fragment shaders).
    pub const TLB_ALPHA_MASK: Waddr = Waddr(47);
    /// Next vector of the block that the VPM write setup describes.
    pub const VPM: Waddr = Waddr(48);
    /// File A: setup of VPM reads and DMA loads.
    pub const VPM_RD_SETUP: Waddr = Waddr(49);
    /// File B: setup of VPM writes and DMA stores.
    pub const VPM_WR_SETUP: Waddr = Waddr(49);
    /// File A: bus address that starts a DMA load.
    pub const VPM_LD_ADDR: Waddr = Waddr(50);
    /// File B: bus address that starts a DMA store.
    pub const VPM_ST_ADDR: Waddr = Waddr(50);
    /// Releases the mutex; the value does not matter.
    pub const MUTEX_RELEASE: Waddr = Waddr(51);
    /// Special function unit: 1/x into r4.
    pub const SFU_RECIP: Waddr = Waddr(52);
    /// Special function unit: 1/sqrt|x| into r4.
    pub const SFU_RECIPSQRT: Waddr = Waddr(53);
    /// Special function unit: 2^x into r4.
    pub const SFU_EXP: Waddr = Waddr(54);
    /// Special function unit: log2|x| into r4.
    pub const SFU_LOG: Waddr = Waddr(55);
    /// TMU0 coordinate s, or a byte address; starts the lookup.
    pub const TMU0_S: Waddr = Waddr(56);
    /// TMU0 coordinate t.
    pub const TMU0_T: Waddr = Waddr(57);
    /// TMU0 coordinate r, or border colour.
    pub const TMU0_R: Waddr = Waddr(58);
    /// TMU0 level-of-detail bias.
    pub const TMU0_B: Waddr = Waddr(59);
    /// TMU1 coordinate s, or a byte address; starts the lookup.
    pub const TMU1_S: Waddr = Waddr(60);
    /// TMU1 coordinate t.
    pub const TMU1_T: Waddr = Waddr(61);
    /// TMU1 coordinate r, or border colour.
    pub const TMU1_R: Waddr = Waddr(62);
    /// TMU1 level-of-detail bias.
    pub const TMU1_B: Waddr = Waddr(63);

    /// The physical register with this number, 0 to 31.
    ///
    /// # Panics
    /// If `n` is 32 or more.
    pub const fn physical(n: u8) -> Waddr {
        assert!(n < 32, "a register file has 32 registers");
        Waddr(n)
    }

    /// The accumulator r0 to r3, or r5.
    ///
    /// # Panics
    /// If `n` is 4 (r4 cannot be written) or above 5.
    pub const fn accumulator(n: u8) -> Waddr {
        match n {
            0..=3 => Waddr(32 + n),
            5 => Waddr::R5,
            _ => panic!("r4 cannot be written and there is no accumulator above r5"),
        }
    }

    /// Whether this is a physical register.
    pub const fn is_physical(self) -> bool {
        self.0 < 32
    }

    /// The number of the accumulator r0 to r3 or r5.
    pub const fn as_accumulator(self) -> Option<u8> {
        match self.0 {
            n @ 32..=35 => Some(n - 32),
            37 => Some(5),
            _ => None,
        }
    }

    /// Whether a write acts outside the register files and accumulators.
    pub const fn is_peripheral(self) -> bool {
        matches!(self.0, 36 | 38 | 40..)
    }

    /// Whether this starts an operation of the special function unit.
    pub const fn is_sfu(self) -> bool {
        matches!(self.0, 52..=55)
    }

    /// Whether this is an operand of TMU0 or TMU1.
    pub const fn is_tmu(self) -> bool {
        matches!(self.0, 56..)
    }

    /// Whether this writes the tile buffer.
    pub const fn is_tlb(self) -> bool {
        matches!(self.0, 43..=47)
    }
}

/// Source of an ALU operand (guide p. 27).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[repr(u8)]
pub enum Mux {
    R0 = 0,
    R1 = 1,
    R2 = 2,
    R3 = 3,
    R4 = 4,
    R5 = 5,
    /// The value read on file A.
    A = 6,
    /// The value read on file B, or the small immediate.
    B = 7,
}

impl Mux {
    /// Every source in the order of the codes.
    pub const ALL: [Mux; 8] = [Mux::R0, Mux::R1, Mux::R2, Mux::R3, Mux::R4, Mux::R5, Mux::A, Mux::B];

    /// The source with this code (bits 2:0 count).
    pub const fn from_code(code: u8) -> Mux {
        Mux::ALL[(code & 7) as usize]
    }

    /// The code in the instruction word.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The number of the accumulator, 0 to 5.
    pub const fn as_accumulator(self) -> Option<u8> {
        match self {
            Mux::A | Mux::B => None,
            _ => Some(self as u8),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accumulators_are_found_from_both_sides() {
        for n in [0, 1, 2, 3, 5] {
            assert_eq!(Waddr::accumulator(n).as_accumulator(), Some(n));
            assert_eq!(Mux::from_code(n).as_accumulator(), Some(n));
        }
        assert_eq!(Waddr::NOP.as_accumulator(), None);
        assert!(!Waddr::NOP.is_peripheral() && !Waddr::R5.is_peripheral() && Waddr::HOST_INT.is_peripheral());
    }
}
