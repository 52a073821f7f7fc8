//! Registers for the webs of a loop while its operations get their times.
//!
//! A register is seen on a circle of as many instructions as an iteration takes: a web occupies it from the instruction behind
//! its first write to its last reader, and the next web may be written where the last one is read.

use crate::machine::live_physical::{Set, bit};
use crate::machine::modulo::body::Body;
use crate::machine::schedule::deps;
use crate::vc4::minst::Reg;

/// Registers that can be given out: accumulators, file A, file B.
const PLACES: usize = 68;

/// Longest lives, in instructions, that prefer an accumulator: there are four.
const SHORT_LIFE: i32 = 8;

/// Added to what a gap is too short by.
const TOO_SHORT: i32 = 1000;

fn reg_of(place: usize) -> Reg {
    match place {
        0..=3 => Reg::Acc(place as u8),
        4..=35 => Reg::A(place as u8 - 4),
        _ => Reg::B(place as u8 - 36),
    }
}

fn place_of(r: Reg) -> Option<usize> {
    match r {
        Reg::Acc(n) => Some(n as usize),
        Reg::A(n) => Some(4 + n as usize),
        Reg::B(n) => Some(36 + n as usize),
        _ => None,
    }
}

/// What a web asks of its register.
#[derive(Clone, Copy, Default)]
pub struct Wish {
    /// Only an accumulator will do.
    pub accumulator: bool,
    /// Only file A will do.
    pub file_a: bool,
    /// Files that it must not lie in, because what is read beside it does.
    pub not: [bool; 2],
    /// Instructions that it probably lives.
    pub life: i32,
    /// An accumulator is worth more than how long it lives lets one think.
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

/// One bit per place.
type Places = u128;

/// The places of accumulators, of file A and of file B.
const KINDS: [Places; 3] = [0xf, 0xffff_ffff << 4, 0xffff_ffff << 36];

/// The registers of a loop.
pub struct Occupancy {
    ii: i32,
    /// Places that are given out.
    given: Places,
    /// Places that nothing has lived in yet.
    fresh: Places,
    /// Places that hold a web whose last reader has no time yet.
    open: Places,
    /// Per instruction of an iteration, the places that are occupied.
    taken: Vec<Places>,
    /// The same per place: so many words, one bit per instruction.
    busy: Vec<u64>,
    words: usize,
    /// Some webs can lie only in an accumulator.
    rotates: bool,
}

/// A web that is read for the last time by what writes a new one: its register, and when it was written.
pub type Dying = Option<(Reg, i32)>;

impl Occupancy {
    /// Occupancy without those that hold something else, at most `registers` of each file.
    pub fn new(body: &Body, ii: i32, registers: u8) -> Occupancy {
        let mut taken: Set = body.reserved;
        for web in body.webs.iter().filter(|w| is_fixed(w)) {
            taken |= kept(web);
        }
        let is_free = |r: Reg| match r {
            Reg::A(n) | Reg::B(n) if n >= registers => false,
            _ => taken & bit(deps::resource(r)) == 0,
        };
        let given = (0..PLACES).filter(|&p| is_free(reg_of(p))).fold(0, |set, p| set | 1 << p);
        let words = (ii as usize).div_ceil(64);
        Occupancy {
            ii,
            given,
            fresh: given,
            open: 0,
            taken: vec![0; ii as usize],
            busy: vec![0; PLACES * words],
            words,
            rotates: body.webs.iter().any(|w| w.rotated),
        }
    }

    /// Everybody leaves.
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
    fn limit(&self, place: usize, t: i32, dying: &[Dying]) -> Option<i32> {
        let one = 1 << place;
        let last = dying.iter().flatten().find(|d| place_of(d.0) == Some(place)).map(|d| d.1);
        let row = t.rem_euclid(self.ii);
        if self.given & one == 0 || self.open & one != 0 && last.is_none() || self.taken[row as usize] & one != 0 {
            return None;
        }
        let limit = self.until_busy(place, row);
        let Some(from) = last else { return Some(limit) };
        // The one that dies has lived until now.
        let since = (t - from).rem_euclid(self.ii);
        (since != 0 && since >= t - from).then(|| limit.min(self.ii - since))
    }

    /// Instructions from `row`, where a place is free, to the next at which it is not, once around at most.
    fn until_busy(&self, place: usize, row: i32) -> i32 {
        let busy = &self.busy[place * self.words..][..self.words];
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

    /// The best register of a kind (0: accumulators, 1 and 2: files A and B) for a web that is written at `t`, and how many
    /// instructions it may live there: the tightest gap that is wide enough, or else the widest.
    fn best(&self, kind: usize, t: i32, wish: &Wish, dying: &[Dying]) -> Option<(i32, Reg, i32)> {
        let margin = wish.margin();
        let mut best: Option<(i32, usize, i32)> = None;
        let left = dying.iter().flatten().filter_map(|d| place_of(d.0)).fold(0, |set, p| set | 1 << p);
        let row = t.rem_euclid(self.ii) as usize;
        let mut places = KINDS[kind] & self.given & !self.taken[row] & !(self.open & !left);
        // Where nothing has lived, one place is like the other.
        let fresh = places & self.fresh & !left;
        places &= !(fresh & fresh.wrapping_sub(1)) | !fresh;
        while places != 0 {
            let p = places.trailing_zeros() as usize;
            places &= places - 1;
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
        best.map(|(waste, p, limit)| (waste, reg_of(p), limit))
    }

    /// The first register that `fits`, the best first, and how many instructions the web may live there.
    pub fn choose(
        &self,
        t: i32,
        wish: &Wish,
        dying: &[Dying],
        mut fits: impl FnMut(Reg) -> bool,
    ) -> Option<(Reg, i32)> {
        let allowed = |r: Reg| match r {
            Reg::A(_) => !wish.accumulator && !wish.not[0],
            Reg::B(_) => !wish.accumulator && !wish.not[1],
            _ => !wish.file_a,
        };
        let mut take = |r: Reg, limit: i32| (self.leaves_some(r, wish) && fits(r)).then_some((r, limit));
        if let Some(home) = wish.home.filter(|r| allowed(*r))
            && let Some(limit) = place_of(home).and_then(|p| self.limit(p, t, dying)).filter(|l| *l >= wish.margin())
            && let Some(found) = take(home, limit)
        {
            return Some(found);
        }
        let only = wish.accumulator || wish.not == [true; 2];
        let even_short = only || wish.shared;
        let accumulator = || self.best(0, t, wish, dying).filter(|b| even_short || b.0 < TOO_SHORT);
        if wish.file_a && only {
            return None;
        }
        if !wish.file_a && (even_short || wish.life <= SHORT_LIFE) {
            let found = accumulator().and_then(|(_, r, limit)| take(r, limit));
            if found.is_some() || only {
                return found;
            }
        }
        // File A first, and what is too short only if nothing else is left.
        let mut short = [None; 2];
        let mut found = None;
        for kind in [1, 2].into_iter().filter(|k| !wish.not[k - 1]) {
            let Some((waste, r, limit)) = self.best(kind, t, wish, dying) else { continue };
            if waste >= TOO_SHORT {
                short[kind - 1] = Some((waste, r, limit));
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
            let (_, r, limit) = accumulator().filter(|_| wish.life > SHORT_LIFE && !wish.file_a)?;
            take(r, limit)
        })
    }

    /// Whether accumulators are left for what can lie only there if something takes this register.
    fn leaves_some(&self, r: Reg, wish: &Wish) -> bool {
        let own = place_of(r).is_some_and(|p| self.open & 1 << p != 0);
        let free = (KINDS[0] & self.given & !self.open).count_ones();
        // One whose last reader is what writes it again takes nothing from others.
        own || !self.rotates || wish.accumulator || !matches!(r, Reg::Acc(_)) || free > 1
    }

    /// A web is written first, and its last reader is not known yet.
    pub fn enter(&mut self, r: Reg) {
        if let Some(p) = place_of(r) {
            self.open |= 1 << p;
            self.fresh &= !(1 << p);
        }
    }

    /// A web has lived from its first write to its last reader.
    pub fn leave(&mut self, r: Reg, from: i32, to: i32) {
        let Some(p) = place_of(r) else { return };
        self.open &= !(1 << p);
        self.fresh &= !(1 << p);
        for t in from..to.min(from + self.ii) {
            let row = t.rem_euclid(self.ii) as usize;
            self.taken[row] |= 1 << p;
            self.busy[p * self.words + row / 64] |= 1 << (row % 64);
        }
    }
}

/// The registers that hold a web which keeps its register: where it lies in the loop, and where others look for it behind it.
pub fn kept(web: &crate::machine::modulo::body::Web) -> Set {
    let home = web.home.filter(|_| web.seat.is_none() || web.live_out);
    [home, web.seat].into_iter().flatten().fold(0, |set, r| set | bit(deps::resource(r)))
}

/// Whether a web keeps the register that it was given: one that comes from before the loop, is needed behind it, or carries
/// from one iteration to the next.
pub fn is_fixed(web: &crate::machine::modulo::body::Web) -> bool {
    web.invariant || web.live_out || web.live_in.is_some()
}
