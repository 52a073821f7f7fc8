//! One attempt to give every operation of a loop its time and every web its register, in the order of time.

use super::occupancy::{Occupancy, Wish};
use super::partial::{Candidate, Row, sort_from};
use super::{Edge, Learned, Loop, Round, Strategy};
use crate::machine::isa::{Instruction, Isa, MOST_OPERATIONS, Operand};
use crate::machine::kind::Kind;
use crate::machine::modulo::body::{Web, is_fixed};
use crate::machine::modulo::graph::{branch_row, may_be_in_vain};
use crate::machine::registers::{Bank, Reg};

/// Steps of the budget that looking at one operation costs.
const COST: i64 = 3;

/// Instructions that what kept a quick register to the end of a pass is taken to live.
const LONG_LIFE: i32 = 24;

/// What so many operations read beside another operand had better lie in a quick register: each of them then leaves a read port
/// to the operation of the other unit. It lives for most of an iteration, which is too long in loops of more instructions.
const SHARED: usize = 4;
const LONGEST_SHARED: i32 = 48;

/// Instructions to which nothing that is ready can be added before a pass gives up: registers have run out.
const PATIENCE: u32 = 16;

/// One attempt to place everything.
pub struct Pass<'a, I: Isa> {
    this: &'a Loop<'a, I>,
    ii: i32,
    round: Round,
    pub at: Vec<Option<i32>>,
    earliest: Vec<i32>,
    deadline: Vec<i32>,
    waiting: Vec<u32>,
    /// What only waits for its time, by what it takes: the first unit, the second, something else.
    ready: [Vec<usize>; 3],
    /// One bit per operation that takes a register and has no time yet.
    untaken: Vec<u64>,
    candidates: Vec<Candidate>,
    rows: Vec<Row>,
    /// Operations with the registers that they have been given, once they have a time.
    placed: Vec<I::Inst>,
    occupancy: Occupancy<I>,
    pub registers: Vec<Option<Reg>>,
    /// Per web, when it was written first, the last time at which it may be read, and its readers without a time. One more
    /// limit stands for no web at all.
    written: Vec<i32>,
    limit: Vec<i32>,
    left: Vec<u32>,
    /// What passes learn.
    learned: Learned,
    wrong: bool,
    strategy: Strategy,
    /// Registers and read ports do not count.
    pub free: bool,
}

impl<'a, I: Isa> Pass<'a, I> {
    /// Passes of this loop that have learned nothing yet.
    pub fn new(this: &'a Loop<'a, I>, round: Round, strategy: Strategy) -> Pass<'a, I> {
        Pass {
            this,
            ii: round.ii,
            round,
            at: Vec::new(),
            earliest: Vec::new(),
            deadline: Vec::new(),
            waiting: Vec::new(),
            ready: Default::default(),
            untaken: Vec::new(),
            candidates: Vec::new(),
            rows: Vec::new(),
            placed: this.body.ops.clone(),
            occupancy: Occupancy::new(this.body, round.ii, this.cx.registers),
            registers: Vec::new(),
            written: Vec::new(),
            limit: Vec::new(),
            left: Vec::new(),
            learned: Learned::default(),
            wrong: false,
            strategy,
            free: false,
        }
    }

    /// Takes every time and register back, for the next attempt.
    pub fn start(&mut self, learned: Learned) {
        let (this, n) = (self.this, self.this.body.ops.len());
        let branch = self.round.branch::<I>();
        self.earliest.clone_from(&learned.floor);
        self.deadline.clear();
        self.deadline.resize(n, self.round.end() - 1);
        for op in (0..n).rev() {
            if let Some((d, iterations)) = this.depends.after_branch[op] {
                self.earliest[op] = self.earliest[op].max(branch + d - iterations * self.ii);
            }
            if self.round.ahead > 0 && !may_be_in_vain(this.body, &this.body.ops[op]) {
                self.earliest[op] = self.earliest[op].max(self.round.ahead * self.ii);
            }
            let mut by = self.deadline[op];
            if let Some(d) = this.depends.until_branch[op] {
                by = branch - d;
            }
            for e in this.depends.next.of(op) {
                by = by.min(self.deadline[e.other as usize] - e.near);
            }
            self.deadline[op] = by - learned.hurry[op];
        }
        self.learned = learned;
        renew(&mut self.at, n, None);
        self.waiting.clone_from(&this.depends.waiting);
        self.ready.iter_mut().for_each(Vec::clear);
        self.untaken.clear();
        self.untaken.resize(n.div_ceil(64), 0);
        for i in 0..n {
            if this.depends.waiting[i] == 0 {
                self.ready[class(this.kinds[i])].push(i);
            }
            self.untaken[i / 64] |= u64::from(this.takes[i]) << (i % 64);
        }
        renew(&mut self.rows, self.ii as usize, Row::default());
        self.occupancy.clear();
        let fixed = |w: &Web| if is_fixed(w) { w.seat() } else { None };
        self.registers.clear();
        self.registers.extend(this.body.webs.iter().map(fixed));
        renew(&mut self.written, this.body.webs.len(), 0);
        renew(&mut self.limit, this.body.webs.len() + 1, i32::MAX);
        self.left.clone_from(&this.readers);
        self.wrong = false;
    }

    /// What this pass and those before it have learned; they do not know it any longer.
    pub fn learned(&mut self) -> Learned {
        std::mem::take(&mut self.learned)
    }

    /// Whether an operation must come later than there is time.
    pub fn is_hopeless(&self) -> bool {
        self.learned.floor.iter().any(|f| *f >= self.round.end())
    }

    /// Places everything, if it can; else it has learned something.
    pub fn run(&mut self, budget: &mut i64) -> bool {
        let n = self.at.len();
        let (mut placed, mut idle) = (0, 0);
        for t in 0..self.round.end() {
            let row = (t % self.ii) as usize;
            if row == branch_row::<I>(self.ii) {
                continue;
            }
            let before = placed;
            // Again after each: it may make room in the window, free a register, or let something follow it at once.
            while self.rows[row].has_room() {
                let mut now = std::mem::take(&mut self.candidates);
                *budget -= COST * (2 + self.candidates(t, &mut now));
                let found = (0..now.len()).any(|k| {
                    sort_from(&mut now, k);
                    self.place(now[k].op(), t)
                });
                self.candidates = now;
                if !found {
                    break;
                }
                placed += 1;
            }
            idle = if placed > before || self.ready.iter().flatten().any(|&i| self.earliest[i] > t) {
                0
            } else {
                idle + 1
            };
            if idle > PATIENCE {
                break;
            }
            if placed == n {
                return !self.wrong;
            }
            if *budget < 0 {
                return false;
            }
        }
        // What kept a quick register for long had better lie in a file.
        for w in 0..self.left.len() {
            if self.limit[w] != i32::MAX && self.registers[w].and_then(Bank::of::<I>) == Some(Bank::Quick) {
                self.learned.life[w] = self.learned.life[w].max(LONG_LIFE);
            }
        }
        for i in 0..n {
            if self.at[i].is_none() {
                self.learned.hurry[i] += if self.waiting[i] == 0 { 1 + self.ii / 8 } else { 0 };
            }
        }
        false
    }

    /// Finds the operations that may come now, as far as what they take of the instruction tells and whether there is a register
    /// for their results. Gives how many there are, whatever the registers.
    fn candidates(&self, t: i32, now: &mut Vec<Candidate>) -> i64 {
        now.clear();
        let this = self.this;
        let closed = self.rows[(t % self.ii) as usize].closed;
        let full = !self.free && self.occupancy.is_full(t);
        let taken = [closed.has(Kind::FIRST), closed.has(Kind::SECOND), false];
        let mut all = 0;
        for (ready, _) in self.ready.iter().zip(taken).filter(|(_, taken)| !taken) {
            for &op in ready {
                if self.earliest[op] > t || closed.has(this.kinds[op]) {
                    continue;
                }
                all += 1;
                let reads = this.reads[op];
                let limits = reads.map(|w| self.limit[w as usize]);
                if full && self.registers.get(this.writes[op] as usize).is_some_and(Option::is_none) {
                    // Only what dies here makes room.
                    let dies =
                        |(&w, &limit): (&u32, &i32)| limit != i32::MAX && t <= limit && self.left[w as usize] == 1;
                    if !reads.iter().zip(&limits).any(dies) {
                        continue;
                    }
                }
                // What must come soon goes first, then what has most behind it. A limit is a matter of this value alone; it
                // counts once it is near.
                let webs = limits[0].min(limits[1]).min(limits[2]);
                let near = if webs < t + 5 { webs - 1000 } else { i32::MAX };
                now.push(Candidate::new(self.deadline[op].min(near), op));
            }
        }
        all
    }

    /// Puts an operation into an instruction, if it fits there.
    fn place(&mut self, op: usize, t: i32) -> bool {
        let row = (t % self.ii) as usize;
        let strategy = self.strategy;
        if self.this.takes[op] && strategy.window != usize::MAX && self.overtaken(op) > strategy.window {
            return false;
        }
        let ops = &self.this.body.ops;
        if self.free {
            self.put(op, t, ops[op]);
            return true;
        }
        let registers = &self.registers;
        let settled = || {
            let mut inst = ops[op];
            inst.map_registers(|r| match r {
                Reg::Virt(w) => registers[w as usize].unwrap_or(r),
                other => other,
            });
            inst
        };
        let written = ops[op].def().and_then(Reg::virt).map(|w| w as usize);
        let Some(w) = written.filter(|&w| registers[w].is_none()) else {
            let inst = settled();
            if !self.fits(row, &inst) {
                return false;
            }
            self.put(op, t, inst);
            return true;
        };
        let mut dying = [None; 3];
        for (slot, w) in dying.iter_mut().zip(self.webs_read(op).into_iter().flatten()) {
            let fixed = self.limit[w] == i32::MAX;
            *slot = registers[w]
                .filter(|_| self.left[w] == 1 && !fixed && t <= self.limit[w])
                .map(|r| (r, self.written[w]));
        }
        let mut inst = settled();
        let mut wish = self.wish(w);
        wish.home = wish.home.filter(|_| strategy.home);
        let choice = self.occupancy.choose(t, &wish, &dying, |r| {
            inst.set_def(r);
            self.fits(row, &inst)
        });
        let Some((r, limit)) = choice else { return false };
        inst.set_def(r);
        self.registers[w] = Some(r);
        self.written[w] = t;
        self.limit[w] = t + limit;
        self.put(op, t, inst);
        match self.left[w] {
            0 => self.occupancy.leave(r, t, t + 1),
            _ => self.occupancy.enter(r),
        }
        true
    }

    /// How many operations that take a register come before this one and have no time yet.
    fn overtaken(&self, op: usize) -> usize {
        let (words, rest) = (&self.untaken[..op / 64], self.untaken[op / 64] & ((1 << (op % 64)) - 1));
        words.iter().chain([&rest]).map(|w| w.count_ones() as usize).sum()
    }

    /// The webs that an operation reads, each once.
    fn webs_read(&self, op: usize) -> [Option<usize>; 3] {
        let none = self.left.len();
        self.this.reads[op].map(|w| Some(w as usize).filter(|w| *w != none))
    }

    fn wish(&self, w: usize) -> Wish {
        let mut wish = Wish {
            quick: self.this.body.webs[w].quick,
            life: self.learned.life[w],
            shared: self.ii <= LONGEST_SHARED && self.this.partners[w].len() >= SHARED,
            home: self.this.body.webs[w].home,
            first: self.this.in_first[w],
            ..Wish::default()
        };
        wish.not[1] = wish.first;
        if I::FILES < 2 {
            return wish;
        }
        for partner in &self.this.partners[w] {
            let taken = match partner {
                Operand::Immediate(bank) | Operand::Port(bank) => Some(*bank),
                Operand::Part(r, bank) if *r != Reg::Virt(w as u32) => Some(*bank),
                Operand::Register(Reg::Virt(p)) if *p as usize != w => {
                    self.registers[*p as usize].and_then(Bank::of::<I>)
                }
                _ => None,
            };
            if let Some(Bank::File(n)) = taken {
                wish.not[usize::from(n)] = true;
            }
        }
        wish
    }

    fn fits(&self, row: usize, inst: &I::Inst) -> bool {
        let row = &self.rows[row];
        let n = row.n as usize;
        let mut ops = [inst; MOST_OPERATIONS];
        for (slot, &other) in ops[1..].iter_mut().zip(&row.ops[..n]) {
            *slot = &self.placed[other as usize];
        }
        let others = &ops[1..=n];
        !others.iter().any(|o| disturbs(*o, inst) && disturbs(inst, *o)) && I::bundle(&ops[..=n]).is_some()
    }

    fn put(&mut self, op: usize, t: i32, inst: I::Inst) {
        let this = self.this;
        self.rows[(t % self.ii) as usize].take(this.kinds[op], op);
        self.placed[op] = inst;
        self.at[op] = Some(t);
        self.untaken[op / 64] &= !(1 << (op % 64));
        let ready = &mut self.ready[class(this.kinds[op])];
        if let Some(k) = ready.iter().position(|&i| i == op) {
            ready.swap_remove(k);
        }
        let branch = self.round.branch::<I>();
        if let Some(d) = self.this.depends.until_branch[op]
            && t + d > branch
        {
            self.wrong = true;
            self.learned.hurry[op] += t + d - branch + 1;
        }
        let in_file = matches!(inst.def().and_then(Bank::of::<I>), Some(Bank::File(_)));
        let distance = |e: &Edge| if in_file { e.far } else { e.near };
        for e in this.depends.next.of(op) {
            let other = e.other as usize;
            self.earliest[other] = self.earliest[other].max(t + distance(e));
            self.waiting[other] -= 1;
            if self.waiting[other] == 0 {
                self.ready[class(this.kinds[other])].push(other);
            }
        }
        for e in this.depends.again.of(op) {
            let other = e.other as usize;
            match self.at[other] {
                Some(there) if t + distance(e) > there + self.ii => {
                    self.wrong = true;
                    self.learned.floor[other] = self.learned.floor[other].max(t + distance(e) - self.ii);
                }
                _ => {}
            }
        }
        for e in this.depends.before.of(op) {
            // Distances of what carries from one iteration to the next are those of its register, which it keeps.
            self.tighten(e.other as usize, t + self.ii - e.near);
        }
        self.close(op, t);
    }

    /// Webs whose last reader has its time leave their registers.
    fn close(&mut self, op: usize, t: i32) {
        for w in self.webs_read(op).into_iter().flatten() {
            self.left[w] -= 1;
        }
        for w in self.webs_read(op).into_iter().flatten() {
            if self.limit[w] == i32::MAX {
                continue;
            }
            if t > self.limit[w] {
                self.wrong = true;
                self.learned.life[w] = self.learned.life[w].max(t - self.written[w] + 2);
            }
            if self.left[w] == 0 {
                let end = t.max(self.written[w] + 1);
                let r = self.registers[w].expect("it is written");
                self.occupancy.leave(r, self.written[w], end.min(self.limit[w]));
                self.learned.life[w] = (end - self.written[w]).max(self.learned.life[w] / 2);
                self.limit[w] = i32::MAX;
            }
        }
    }

    /// An operation must come by a certain time, and what it depends on before that.
    fn tighten(&mut self, op: usize, by: i32) {
        if self.at[op].is_some() || self.deadline[op] <= by {
            return;
        }
        self.deadline[op] = by;
        let this = self.this;
        for e in this.depends.previous.of(op) {
            self.tighten(e.other as usize, by - e.near);
        }
    }
}

/// Which unit an operation takes, if only one will do.
fn class(kind: Kind) -> usize {
    match (kind.has(Kind::FIRST), kind.has(Kind::SECOND)) {
        (true, _) => 0,
        (_, true) => 1,
        _ => 2,
    }
}

/// Makes all items of a list this one.
fn renew<T: Clone>(list: &mut Vec<T>, n: usize, item: T) {
    list.clear();
    list.resize(n, item);
}

/// Whether `first`, put before `second`, changes what that reads or writes.
fn disturbs<T: Instruction>(first: &T, second: &T) -> bool {
    let register = first.def().is_some_and(|r| second.reads().any(|s| s == r) || second.def() == Some(r));
    let flags = first.sets_flags() && (second.reads_flags() || second.sets_flags());
    let other = first.also_writes();
    let special = other.is_some_and(|r| second.also_writes() == Some(r) || second.reads().any(|s| s == r));
    register || flags || special
}
