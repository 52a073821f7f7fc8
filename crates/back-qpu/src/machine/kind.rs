//! What operations take of an instruction, before the ports are looked at.

use std::ops::{BitAnd, BitOr};

/// What an operation takes of an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kind(u8);

impl Kind {
    /// The first unit, and only that.
    pub const FIRST: Kind = Kind(1);
    /// The second unit, and only that.
    pub const SECOND: Kind = Kind(2);
    /// A unit; there are two.
    pub const UNIT: Kind = Kind(4);
    /// An instruction of its own.
    pub const ALONE: Kind = Kind(8);
    /// The signal.
    pub const SIGNAL: Kind = Kind(16);
    /// An instruction without a signal.
    pub const NO_SIGNAL: Kind = Kind(32);
    /// What every operation takes.
    pub const ANY: Kind = Kind(64);

    /// All of these for which the condition holds, and what every operation takes.
    pub fn of(takes: &[(bool, Kind)]) -> Kind {
        takes.iter().filter(|t| t.0).fold(Kind::ANY, |all, t| all | t.1)
    }

    /// Whether it takes any of these.
    pub fn has(self, other: Kind) -> bool {
        self.0 & other.0 != 0
    }

    /// The units that only one operation of an instruction can take.
    pub fn own_unit(self) -> Kind {
        self & (Kind::FIRST | Kind::SECOND)
    }
}

impl BitOr for Kind {
    type Output = Kind;

    fn bitor(self, other: Kind) -> Kind {
        Kind(self.0 | other.0)
    }
}

impl BitAnd for Kind {
    type Output = Kind;

    fn bitand(self, other: Kind) -> Kind {
        Kind(self.0 & other.0)
    }
}
