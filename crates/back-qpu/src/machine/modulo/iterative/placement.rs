//! A time for each operation of one iteration, so that iterations can start every `ii` instructions.
//!
//! Operations with the least freedom go first, each to the first instruction where everything fits; one that fits nowhere
//! pushes others out, within a budget (after Rau, "Iterative Modulo Scheduling", 1994, and Huff, "Lifetime-Sensitive Modulo
//! Scheduling", 1993).

use super::banks::{Banks, Names};
use crate::machine::isa::{Instruction, Isa, MOST_OPERATIONS};
use crate::machine::modulo::body::Body;
use crate::machine::modulo::graph::{Times, Ways, branch_row, may_be_in_vain};

/// What a search needs.
pub struct Search<'a, I: Isa> {
    pub body: &'a Body<I>,
    pub banks: &'a Banks,
    pub ways: &'a Ways,
    pub ii: i32,
    pub branch_stage: i32,
    /// Stages that the operations may take.
    pub stages: i32,
    /// Steps that may still be taken, over all searches of a kernel.
    pub budget: &'a mut i64,
    /// Changes ties.
    pub seed: u32,
    /// After a search: whether each group of webs lies in the second file.
    pub chosen: Vec<Option<bool>>,
}

/// Groups of webs and the file that each would take.
type Choice = [Option<(usize, bool)>; 3];

struct State {
    at: Vec<Option<i32>>,
    /// Where an operation was last, so that it moves on when it comes again.
    last: Vec<i32>,
    rows: Vec<Vec<usize>>,
    /// Per group of webs, whether it lies in the second file, and how many operations that have their places say so.
    files: Vec<Option<bool>>,
    uses: Vec<u32>,
    /// Per operation, the first and the last time that what has its place leaves to it.
    lo: Vec<i32>,
    hi: Vec<i32>,
    /// The first time of an operation that must not run in vain.
    floor: Vec<i32>,
    /// Per operation, what changes ties.
    jitter: Vec<i32>,
}

impl<I: Isa> Search<'_, I> {
    /// A time for every operation, if the budget allows.
    pub fn run(&mut self) -> Option<Times> {
        let n = self.body.ops.len();
        let jitter = |op: usize| (self.seed.wrapping_mul(0x9e37_79b9).wrapping_mul(op as u32 * 2 + 1) >> 20) as i32 % 3;
        let floor = |op: &I::Inst| if may_be_in_vain(self.body, op) { 0 } else { self.branch_stage * self.ii };
        let mut state = State {
            at: vec![None; n + 1],
            last: vec![-1; n],
            rows: vec![Vec::new(); self.ii as usize],
            files: self.banks.forced.clone(),
            uses: vec![0; self.banks.forced.len()],
            lo: Vec::with_capacity(n),
            hi: Vec::with_capacity(n),
            floor: self.body.ops.iter().map(floor).collect(),
            jitter: (0..n).map(jitter).collect(),
        };
        state.at[n] = Some(self.branch_stage * self.ii + branch_row::<I>(self.ii) as i32);
        let mut own = 5 * n as i64 + 20;
        self.renew(&mut state);
        if state.lo.iter().zip(&state.hi).any(|(lo, hi)| hi < lo) {
            return None;
        }
        while let Some(op) = next(&state) {
            own -= 1;
            *self.budget -= n as i64 + 20;
            if own < 0 || *self.budget < 0 {
                return None;
            }
            let (lo, hi) = (state.lo[op], state.hi[op]);
            let fits = |t: i32| self.fits(&state, &state.rows[(t % self.ii) as usize], op, t).map(|choice| (t, choice));
            let last = hi.min(lo + self.ii - 1);
            let late = self.late(op, &state);
            let found = if late { (lo..=last).rev().find_map(fits) } else { (lo..=last).find_map(fits) };
            match found {
                Some((t, choice)) => self.put(&mut state, op, t, choice),
                None => self.force(&mut state, op, lo)?,
            }
        }
        let at = state.at[..n].iter().map(|t| t.expect("everything is placed")).collect();
        self.chosen = state.files;
        Some(Times { ii: self.ii, branch_stage: self.branch_stage, at })
    }

    /// The times between which each operation must lie, for what has its place already.
    fn renew(&self, state: &mut State) {
        let n = self.body.ops.len();
        state.lo.clear();
        state.lo.extend_from_slice(&state.floor);
        state.hi.clear();
        state.hi.resize(n, self.stages * self.ii - 1);
        for other in 0..state.at.len() {
            if let Some(t) = state.at[other] {
                self.narrow(state, other, t);
            }
        }
    }

    /// What the place of one operation means for all. Where there is no way, it changes nothing, because [`NONE`] is far away.
    fn narrow(&self, state: &mut State, placed: usize, t: i32) {
        for (lo, there) in state.lo.iter_mut().zip(self.ways.from(placed)) {
            *lo = (*lo).max(t + there);
        }
        for (hi, back) in state.hi.iter_mut().zip(self.ways.to(placed)) {
            *hi = (*hi).min(t - back);
        }
    }

    /// Whether an operation had better come late: what uses its result has its place, what makes its operands has not.
    fn late(&self, op: usize, state: &State) -> bool {
        let mut after = false;
        for (other, (back, there)) in self.ways.to(op).iter().zip(self.ways.from(op)).enumerate() {
            if state.at[other].is_some() && other != op {
                if *back >= 0 {
                    return false;
                }
                after |= *there >= 0;
            }
        }
        after
    }

    /// Whether an operation fits into an instruction beside others, and what its groups of webs have to choose for that.
    fn fits(&self, state: &State, row: &[usize], op: usize, t: i32) -> Option<Choice> {
        if (t % self.ii) as usize == branch_row::<I>(self.ii) || row.len() >= MOST_OPERATIONS {
            return None;
        }
        let inst = &self.body.ops[op];
        let taken = |&k: &usize| self.body.ops[k].kind().has(inst.kind().own_unit());
        if row.iter().any(taken) {
            return None;
        }
        let (mut open, mut n) = ([usize::MAX; 3], 0);
        for g in self.banks.groups(inst).filter(|g| state.files[*g].is_none()) {
            if !open[..n].contains(&g) {
                open[n] = g;
                n += 1;
            }
        }
        open.sort_unstable();
        for choice in 0..1u32 << n {
            let mut out = Choice::default();
            for (i, &g) in open[..n].iter().enumerate() {
                let flip = self.seed.wrapping_mul(g as u32 * 2 + 1) >> 9 & 1;
                out[i] = Some((g, (choice >> i ^ flip) & 1 == 1));
            }
            if self.fit(&state.files, &out, row, inst) {
                return Some(out);
            }
        }
        None
    }

    fn fit(&self, files: &[Option<bool>], choice: &Choice, row: &[usize], inst: &I::Inst) -> bool {
        let mut names = Names::default();
        let side = |g: usize| files[g].or_else(|| choice.iter().flatten().find(|c| c.0 == g).map(|c| c.1));
        let first = self.banks.shape::<I>(inst, side, &mut names);
        let mut ops = [first; MOST_OPERATIONS];
        for (slot, &k) in ops[1..].iter_mut().zip(row) {
            *slot = self.banks.shape::<I>(&self.body.ops[k], side, &mut names);
        }
        let refs = [&ops[0], &ops[1], &ops[2]];
        I::bundle(&refs[..=row.len()]).is_some()
    }

    fn put(&self, state: &mut State, op: usize, t: i32, choice: Choice) {
        state.at[op] = Some(t);
        state.last[op] = t;
        state.rows[(t % self.ii) as usize].push(op);
        for (g, side) in choice.into_iter().flatten() {
            state.files[g] = Some(side);
        }
        self.banks.groups(&self.body.ops[op]).for_each(|g| state.uses[g] += 1);
        self.narrow(state, op, t);
    }

    fn remove(&self, state: &mut State, op: usize) {
        if let Some(t) = state.at[op].take() {
            state.rows[(t % self.ii) as usize].retain(|&k| k != op);
            for g in self.banks.groups(&self.body.ops[op]) {
                state.uses[g] -= 1;
                if state.uses[g] == 0 {
                    state.files[g] = self.banks.forced[g];
                }
            }
        }
    }

    /// Puts an operation where it does not fit, and takes out what is in its way; `None` if that is the branch.
    fn force(&self, state: &mut State, op: usize, from: i32) -> Option<()> {
        let n = self.body.ops.len();
        let branch = state.at[n].expect("the branch has its place");
        let lo = state.floor[op].max(branch + self.ways.to(op)[n]);
        let hi = (self.stages * self.ii - 1).min(branch - self.ways.from(op)[n]);
        if hi < lo {
            return None;
        }
        let free = |t: &i32| (*t % self.ii) as usize != branch_row::<I>(self.ii);
        let start = from.clamp(lo, hi);
        // Every time further on, so that in the end what comes after it gives way.
        let start = if (start..hi).contains(&state.last[op]) { state.last[op] + 1 } else { start };
        let t = (start..=hi).chain(lo..start).find(free)?;
        let row = (t % self.ii) as usize;
        let choice = loop {
            if let Some(choice) = self.fits(state, &state.rows[row], op, t) {
                break choice;
            }
            let alone = |k: &usize| {
                let others: Vec<usize> = state.rows[row].iter().copied().filter(|x| x != k).collect();
                self.fits(state, &others, op, t).is_some()
            };
            let victim = state.rows[row].iter().copied().find(alone).or(state.rows[row].first().copied())?;
            self.remove(state, victim);
        };
        self.put(state, op, t, choice);
        self.make_way(state, op, t);
        Some(())
    }

    /// Takes out what cannot stay where it is, now that `op` stands at `t`.
    fn make_way(&self, state: &mut State, op: usize, t: i32) {
        for other in 0..self.body.ops.len() {
            if let Some(s) = state.at[other]
                && other != op
                && (s + self.ways.to(op)[other] > t || t + self.ways.from(op)[other] > s)
            {
                self.remove(state, other);
            }
        }
        self.renew(state);
    }
}

/// The operation that has no place yet and comes first.
fn next(state: &State) -> Option<usize> {
    let key = |&op: &usize| (state.hi[op] - state.lo[op] + state.jitter[op], state.lo[op], op);
    (0..state.lo.len()).filter(|&op| state.at[op].is_none()).min_by_key(key)
}
