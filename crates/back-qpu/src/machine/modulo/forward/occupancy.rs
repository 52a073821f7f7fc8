//! Registers for the webs of a loop while its operations get their times.
//!
//! A register is seen on a circle of as many instructions as an iteration takes: a web occupies it from the instruction behind
//! its first write to its last reader, and the next web may be written where the last one is read.

use crate::machine::isa::Isa;
use crate::machine::modulo::body::{Body, is_fixed, kept};
use crate::machine::registers::{self, Bank, Reg, Set, allocatable, available, bit, each, place};
use std::marker::PhantomData;

/// Longest lives, in instructions, that prefer a quick register: there are few.
const SHORT_LIFE: i32 = 8;

/// Added to what a gap is too short by.
const TOO_SHORT: i32 = 1000;

/// What a web asks of its register.
#[derive(Clone, Copy, Default)]
pub struct Wish {
    /// Only a quick register will do.
    pub quick: bool,
    /// Only the first file will do.
    pub first: bool,
    /// Files that it must not lie in, because what is read beside it does.
    pub not: [bool; 2],
    /// Instructions that it probably lives.
    pub life: i32,
    /// A quick register is worth more than how long it lives lets one think.
    pub shared: bool,
    /// Where it was.
    pub home: Option<Reg>,
}

impl Wish {
    /// Instructions that a gap should have.
    fn margin(&self) -> i32 {
        self.life + 2 + self.life / 8
    }
}

/// The registers of a loop.
pub struct Occupancy<I> {
    ii: i32,
    /// Registers that webs may have.
    given: Set,
    /// Registers that nothing has lain in yet.
    fresh: Set,
    /// Registers that hold a web whose last reader has no time yet.
    open: Set,
    /// Per instruction of an iteration, the places that are occupied.
    taken: Vec<Set>,
    /// The same per place: so many words, one bit per instruction.
    busy: Vec<u64>,
    words: usize,
    /// Some webs can lie only in a quick register.
    some_quick: bool,
    isa: PhantomData<I>,
}

/// A web that is read for the last time by what writes a new one: its register, and when it was written.
pub type Dying = Option<(Reg, i32)>;

impl<I: Isa> Occupancy<I> {
    /// All registers but those that hold something else, at most `registers` of each file.
    pub fn new(body: &Body<I>, ii: i32, registers: u8) -> Occupancy<I> {
        let held = body.webs.iter().filter(|w| is_fixed(w)).fold(body.reserved, |set, w| set | kept(w));
        let given = available::<I>(registers) & !held;
        let words = (ii as usize).div_ceil(64);
        Occupancy {
            ii,
            given,
            fresh: given,
            open: 0,
            taken: vec![0; ii as usize],
            busy: vec![0; allocatable::<I>() * words],
            words,
            some_quick: body.webs.iter().any(|w| w.quick),
            isa: PhantomData,
        }
    }

    /// Makes all registers free again.
    pub fn clear(&mut self) {
        (self.fresh, self.open) = (self.given, 0);
        self.taken.fill(0);
        self.busy.fill(0);
    }

    /// Whether no register is free at `t` for anything but what takes the place of a web that dies then.
    pub fn is_full(&self, t: i32) -> bool {
        self.given & !self.open & !self.taken[t.rem_euclid(self.ii) as usize] == 0
    }

    /// How long a web that is written at `t` may stay at a place; `None` if it may not be written there.
    fn limit(&self, at: usize, t: i32, dying: &[Dying]) -> Option<i32> {
        let one = bit(at);
        let last = dying.iter().flatten().find(|d| place::<I>(d.0) == Some(at)).map(|d| d.1);
        let row = t.rem_euclid(self.ii);
        if self.given & one == 0 || self.open & one != 0 && last.is_none() || self.taken[row as usize] & one != 0 {
            return None;
        }
        let limit = self.until_busy(at, row);
        let Some(from) = last else { return Some(limit) };
        // The one that dies has lived until now.
        let since = (t - from).rem_euclid(self.ii);
        (since != 0 && since >= t - from).then(|| limit.min(self.ii - since))
    }

    /// Instructions from `row`, where a place is free, to the next at which it is not, once around at most.
    fn until_busy(&self, at: usize, row: i32) -> i32 {
        let busy = &self.busy[at * self.words..][..self.words];
        let (first, shift) = (row as usize / 64, row as usize % 64);
        let later = busy[first] >> shift;
        if later != 0 {
            return later.trailing_zeros() as i32;
        }
        for k in 1..=self.words {
            let word = (first + k) % self.words;
            if busy[word] != 0 {
                let at = (word * 64) as i32 + busy[word].trailing_zeros() as i32;
                return (at - row).rem_euclid(self.ii);
            }
        }
        self.ii
    }

    /// The best register of a bank for a web that is written at `t`, and how many
    /// instructions it may live there: the tightest gap that is wide enough, or else the widest.
    fn best(&self, bank: Bank, t: i32, wish: &Wish, dying: &[Dying]) -> Option<(i32, Reg, i32)> {
        let margin = wish.margin();
        let mut best: Option<(i32, usize, i32)> = None;
        let left = dying.iter().flatten().filter_map(|d| place::<I>(d.0)).fold(0, |set, p| set | 1 << p);
        let row = t.rem_euclid(self.ii) as usize;
        let mut places = bank.members::<I>() & self.given & !self.taken[row] & !(self.open & !left);
        // Where nothing has lived, one place is like the other.
        let fresh = places & self.fresh & !left;
        places &= !(fresh & fresh.wrapping_sub(1)) | !fresh;
        for p in each(places) {
            let limit = if left & 1 << p != 0 { self.limit(p, t, dying) } else { Some(self.until_busy(p, row as i32)) };
            let Some(limit) = limit else { continue };
            let waste = if limit >= margin { limit - margin } else { TOO_SHORT + margin - limit };
            if best.is_none_or(|b| waste < b.0) {
                best = Some((waste, p, limit));
            }
            if waste == 0 {
                break;
            }
        }
        best.map(|(waste, p, limit)| (waste, registers::at(p), limit))
    }

    /// The first register that `fits`, the best first, and how many instructions the web may live there.
    pub fn choose(
        &self,
        t: i32,
        wish: &Wish,
        dying: &[Dying],
        mut fits: impl FnMut(Reg) -> bool,
    ) -> Option<(Reg, i32)> {
        let allowed = |r: Reg| match Bank::of::<I>(r) {
            Some(Bank::File(n)) => !wish.quick && !wish.not[usize::from(n)],
            _ => !wish.first,
        };
        let mut take = |r: Reg, limit: i32| (self.leaves_some(r, wish) && fits(r)).then_some((r, limit));
        if let Some(home) = wish.home.filter(|r| allowed(*r))
            && let Some(limit) = place::<I>(home).and_then(|p| self.limit(p, t, dying)).filter(|l| *l >= wish.margin())
            && let Some(found) = take(home, limit)
        {
            return Some(found);
        }
        let only = wish.quick || wish.not == [true; 2];
        let even_short = only || wish.shared;
        let quick = || self.best(Bank::Quick, t, wish, dying).filter(|b| even_short || b.0 < TOO_SHORT);
        if wish.first && only {
            return None;
        }
        if !wish.first && (even_short || wish.life <= SHORT_LIFE) {
            let found = quick().and_then(|(_, r, limit)| take(r, limit));
            if found.is_some() || only {
                return found;
            }
        }
        // The first file first, and what is too short only if nothing else is left.
        let mut short = [None; 2];
        let mut found = None;
        for file in [0, 1].into_iter().filter(|n| !wish.not[*n]) {
            let Some((waste, r, limit)) = self.best(Bank::File(file as u8), t, wish, dying) else { continue };
            if waste >= TOO_SHORT {
                short[file] = Some((waste, r, limit));
                continue;
            }
            found = take(r, limit);
            if found.is_some() {
                break;
            }
        }
        if found.is_none() {
            short.sort_unstable_by_key(|s| s.map_or(i32::MAX, |s| s.0));
            found = short.into_iter().flatten().find_map(|(_, r, limit)| take(r, limit));
        }
        found.or_else(|| {
            let (_, r, limit) = quick().filter(|_| wish.life > SHORT_LIFE && !wish.first)?;
            take(r, limit)
        })
    }

    /// Whether quick registers are left for what can lie only there if something takes this register.
    fn leaves_some(&self, r: Reg, wish: &Wish) -> bool {
        let own = place::<I>(r).is_some_and(|p| self.open & 1 << p != 0);
        let quick = Bank::Quick.members::<I>();
        let free = (quick & self.given & !self.open).count_ones();
        // One whose last reader is what writes it again takes nothing from others.
        own || !self.some_quick || wish.quick || Bank::of::<I>(r) != Some(Bank::Quick) || free > 1
    }

    /// A web is written first, and its last reader is not known yet.
    pub fn enter(&mut self, r: Reg) {
        if let Some(p) = place::<I>(r) {
            self.open |= 1 << p;
            self.fresh &= !(1 << p);
        }
    }

    /// A web has lived from its first write to its last reader.
    pub fn leave(&mut self, r: Reg, from: i32, to: i32) {
        let Some(p) = place::<I>(r) else { return };
        self.open &= !(1 << p);
        self.fresh &= !(1 << p);
        for t in from..to.min(from + self.ii) {
            let row = t.rem_euclid(self.ii) as usize;
            self.taken[row] |= 1 << p;
            self.busy[p * self.words + row / 64] |= 1 << (row % 64);
        }
    }
}
