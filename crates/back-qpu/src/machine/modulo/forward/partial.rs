//! A partial bundle: an instruction of a loop while it fills, and the operations that may come into it.

use crate::machine::isa::MOST_OPERATIONS;
use crate::machine::kind::Kind;

/// One instruction of the loop so far.
#[derive(Clone, Copy, Default)]
pub struct Row {
    pub ops: [u16; MOST_OPERATIONS],
    pub n: u8,
    units: u8,
    /// What operations must not take of this instruction to come beside what is there, before the ports are looked at.
    pub closed: Kind,
    signal: bool,
}

impl Row {
    /// Whether anything at all may come beside what is there.
    pub fn has_room(&self) -> bool {
        !self.closed.has(Kind::ANY) && usize::from(self.n) < MOST_OPERATIONS && (self.units < 2 || !self.signal)
    }

    /// Puts an operation beside what is there.
    pub fn take(&mut self, kind: Kind, op: usize) {
        self.ops[self.n as usize] = op as u16;
        self.n += 1;
        self.units += u8::from(kind.has(Kind::UNIT));
        self.signal |= kind.has(Kind::SIGNAL);
        let mut closed = Kind::ALONE | kind.own_unit();
        if kind.has(Kind::ALONE) {
            closed = closed | Kind::ANY;
        }
        if self.units >= 2 {
            closed = closed | Kind::UNIT;
        }
        if kind.has(Kind::SIGNAL) {
            closed = closed | Kind::SIGNAL | Kind::NO_SIGNAL;
        }
        if kind.has(Kind::NO_SIGNAL) {
            closed = closed | Kind::SIGNAL;
        }
        self.closed = self.closed | closed;
    }
}

/// An operation that may come now: the most urgent is the least, then the first in the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate(u64);

impl Candidate {
    pub fn new(urgency: i32, op: usize) -> Candidate {
        // The sign turned round, the order of numbers is that of their bits.
        Candidate(u64::from(urgency as u32 ^ 1 << 31) << 32 | op as u64)
    }

    /// Its place in the program.
    pub fn op(self) -> usize {
        self.0 as u32 as usize
    }
}

/// Of candidates that are tried one after the other, most are never looked at: the least of those from `k` on comes to its
/// place, and from some on all.
pub fn sort_from(list: &mut [Candidate], k: usize) {
    const ONE_BY_ONE: usize = 4;
    let rest = &mut list[k..];
    if k < ONE_BY_ONE {
        let (mut least, mut at) = (rest[0], 0);
        for (i, &candidate) in rest.iter().enumerate() {
            if candidate < least {
                (least, at) = (candidate, i);
            }
        }
        rest.swap(0, at);
    } else if k == ONE_BY_ONE {
        rest.sort_unstable();
    }
}
