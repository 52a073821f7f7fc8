//! One attempt to give every operation of a loop its time and every web its register, in the order of time.

use super::forward::{Edge, Kind, Learned, Loop, Round, Strategy, webs_read};
use super::place::{Times, may_be_in_vain};
use super::rooms::{Rooms, Wish, is_fixed};
use crate::minst::{MInst, Reg, Src};
use crate::schedule::{bundle, deps};

/// Steps of the budget that looking at one operation costs.
const COST: i64 = 3;

/// Instructions that what kept an accumulator to the end of a pass is taken to live.
const LONG_LIFE: i32 = 24;

/// What so many operations read beside another operand had better lie in an accumulator: each of them then leaves a read port
/// to the operation of the other ALU. It lives for most of an iteration, which is too long in loops of more instructions.
const SHARED: usize = 4;
const LONGEST_SHARED: i32 = 48;

/// Instructions to which nothing that is ready can be added before a pass gives up: registers have run out.
const PATIENCE: u32 = 16;

/// One instruction of the loop so far.
#[derive(Clone, Default)]
struct Row {
    ops: Vec<MInst>,
    add: bool,
    mul: bool,
    alus: u8,
    alone: bool,
    signal: bool,
    immediate: bool,
    vpm: bool,
}

impl Row {
    /// Whether anything at all may come beside what is there.
    fn has_room(&self) -> bool {
        !self.alone && self.ops.len() < 3 && (self.alus < 2 || !self.signal)
    }

    /// Whether there may be room, before the ports are looked at.
    fn may_take(&self, kind: Kind) -> bool {
        if self.alone || kind.alone && !self.ops.is_empty() {
            return false;
        }
        let alus = !kind.uses_alu() || self.alus < 2;
        let ways = !(kind.add && self.add || kind.mul && self.mul);
        let signal = !(kind.signal && (self.signal || self.immediate || self.vpm));
        alus && ways && signal && !(self.signal && (kind.immediate || kind.vpm))
    }

    fn take(&mut self, kind: Kind, inst: MInst) {
        self.ops.push(inst);
        self.add |= kind.add;
        self.mul |= kind.mul;
        self.alus += u8::from(kind.uses_alu());
        self.alone |= kind.alone;
        self.signal |= kind.signal;
        self.immediate |= kind.immediate;
        self.vpm |= kind.vpm;
    }
}

/// One attempt to place everything.
pub struct Pass<'a> {
    this: &'a Loop<'a>,
    ii: i32,
    round: Round,
    pub at: Vec<Option<i32>>,
    earliest: Vec<i32>,
    deadline: Vec<i32>,
    waiting: Vec<u32>,
    /// What only waits for its turn, by what it takes: the add ALU, the mul ALU, something else.
    ready: [Vec<usize>; 3],
    /// The first operation that takes a register and has no time yet.
    first: usize,
    candidates: Vec<(i32, usize)>,
    rows: Vec<Row>,
    rooms: Rooms,
    pub registers: Vec<Option<Reg>>,
    /// Per web, when it was written first, the last time at which it may be read, and its readers without a time.
    written: Vec<i32>,
    limit: Vec<i32>,
    left: Vec<u32>,
    /// What this pass learns.
    pub floor: Vec<i32>,
    pub hurry: Vec<i32>,
    pub life: Vec<i32>,
    wrong: bool,
    strategy: Strategy,
    /// Registers and read ports do not count.
    pub free: bool,
}

impl<'a> Pass<'a> {
    /// A pass with nothing placed.
    pub fn new(this: &'a Loop<'a>, round: Round, learned: &Learned, strategy: Strategy) -> Pass<'a> {
        let n = this.body.ops.len();
        let (ii, branch) = (round.ii, round.branch());
        let mut earliest = learned.floor.clone();
        let mut deadline = vec![round.end() - 1; n];
        for op in (0..n).rev() {
            if let Some((d, iterations)) = this.after_branch[op] {
                earliest[op] = earliest[op].max(branch + d - iterations * ii);
            }
            if round.ahead > 0 && !may_be_in_vain(this.body, &this.body.ops[op]) {
                earliest[op] = earliest[op].max(round.ahead * ii);
            }
            if let Some(d) = this.until_branch[op] {
                deadline[op] = branch - d;
            }
            let later = this.next[op].iter().map(|e| deadline[e.other] - e.near).min().unwrap_or(i32::MAX);
            deadline[op] = deadline[op].min(later) - learned.hurry[op];
        }
        let fixed = |w: &super::body::Web| if is_fixed(w) { w.seat() } else { None };
        Pass {
            this,
            ii,
            round,
            at: vec![None; n],
            earliest,
            deadline,
            waiting: this.waiting.clone(),
            ready: [0, 1, 2].map(|c| (0..n).filter(|&i| this.waiting[i] == 0 && class(this.kinds[i]) == c).collect()),
            candidates: Vec::new(),
            first: 0,
            rows: vec![Row::default(); ii as usize],
            rooms: Rooms::new(this.body, ii, this.cx.registers),
            registers: this.body.webs.iter().map(fixed).collect(),
            written: vec![0; this.body.webs.len()],
            limit: vec![i32::MAX; this.body.webs.len()],
            left: this.readers.clone(),
            floor: learned.floor.clone(),
            hurry: learned.hurry.clone(),
            life: learned.life.clone(),
            wrong: false,
            strategy,
            free: false,
        }
    }

    /// Places everything, if it can; else it has learned something.
    pub fn run(&mut self, budget: &mut i64) -> bool {
        let n = self.at.len();
        let (mut placed, mut idle) = (0, 0);
        for t in 0..self.round.end() {
            let row = (t % self.ii) as usize;
            if row == Times::branch_row(self.ii) {
                continue;
            }
            let before = placed;
            // Again after each: it may make room in the window, free a register, or let something follow it at once.
            while self.rows[row].has_room() {
                let mut now = std::mem::take(&mut self.candidates);
                now.clear();
                let may = |&i: &usize| self.earliest[i] <= t && self.rows[row].may_take(self.this.kinds[i]);
                let taken = [self.rows[row].add, self.rows[row].mul, false];
                for (ready, _) in self.ready.iter().zip(taken).filter(|(_, taken)| !taken) {
                    now.extend(ready.iter().copied().filter(may).map(|i| (self.urgency(i, t), i)));
                }
                *budget -= COST * (2 + now.len() as i64);
                let found = (0..now.len()).any(|k| {
                    sort_from(&mut now, k);
                    self.place(now[k].1, t)
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
        // What kept an accumulator for long had better lie in a file.
        for w in 0..self.left.len() {
            if self.limit[w] != i32::MAX && matches!(self.registers[w], Some(Reg::Acc(_))) {
                self.life[w] = self.life[w].max(LONG_LIFE);
            }
        }
        for i in 0..n {
            if self.at[i].is_none() {
                self.hurry[i] += if self.waiting[i] == 0 { 1 + self.ii / 8 } else { 0 };
            }
        }
        false
    }

    /// What must come soon goes first, then what has most behind it.
    fn urgency(&self, op: usize, t: i32) -> i32 {
        let webs = webs_read(&self.this.body.ops[op]).map(|w| self.limit[w]).min().unwrap_or(i32::MAX);
        // A limit is a matter of this value alone; it counts once it is near.
        let near = if webs < t + 5 { webs - 1000 } else { i32::MAX };
        self.deadline[op].min(near)
    }

    /// Puts an operation into an instruction, if it fits there.
    fn place(&mut self, op: usize, t: i32) -> bool {
        let row = (t % self.ii) as usize;
        let mut inst = self.this.body.ops[op];
        let strategy = self.strategy;
        if self.this.takes[op] && strategy.window != usize::MAX {
            while self.at[self.first].is_some() || !self.this.takes[self.first] {
                self.first += 1;
            }
            let waits = |&i: &usize| self.at[i].is_none() && self.this.takes[i];
            if (self.first..op).filter(waits).nth(strategy.window).is_some() {
                return false;
            }
        }
        if self.free {
            self.put(op, t, inst);
            return true;
        }
        let written = inst.def().and_then(Reg::virt).map(|w| w as usize);
        let registers = &self.registers;
        let new = written.filter(|&w| registers[w].is_none());
        inst.map_registers(|r| match r {
            Reg::Virt(w) => registers[w as usize].unwrap_or(r),
            other => other,
        });
        let Some(w) = new else {
            if !self.fits(row, &inst) {
                return false;
            }
            self.put(op, t, inst);
            return true;
        };
        let mut wish = self.wish(w);
        wish.home = wish.home.filter(|_| strategy.home);
        let mut dying = [None; 3];
        for (slot, w) in dying.iter_mut().zip(webs_read(&self.this.body.ops[op])) {
            let fixed = self.limit[w] == i32::MAX;
            *slot = self.registers[w]
                .filter(|_| self.left[w] == 1 && !fixed && t <= self.limit[w])
                .map(|r| (r, self.written[w]));
        }
        let choice = self.rooms.choose(t, &wish, &dying, |r| {
            inst.dst = r.into();
            self.fits(row, &inst)
        });
        let Some((r, limit)) = choice else { return false };
        inst.dst = r.into();
        self.registers[w] = Some(r);
        self.written[w] = t;
        self.limit[w] = t + limit;
        self.put(op, t, inst);
        match self.left[w] {
            0 => self.rooms.leave(r, t, t + 1),
            _ => self.rooms.enter(r),
        }
        true
    }

    fn wish(&self, w: usize) -> Wish {
        let mut wish = Wish {
            accumulator: self.this.body.webs[w].rotated,
            life: self.life[w],
            shared: self.ii <= LONGEST_SHARED && self.this.partners[w].len() >= SHARED,
            home: self.this.body.webs[w].home,
            ..Wish::default()
        };
        for partner in &self.this.partners[w] {
            match partner {
                Src::Imm(_) => wish.not[1] = true,
                Src::Element => wish.not[0] = true,
                Src::Reg(Reg::Virt(p)) if *p as usize != w => match self.registers[*p as usize] {
                    Some(Reg::A(_)) => wish.not[0] = true,
                    Some(Reg::B(_)) => wish.not[1] = true,
                    Some(_) => {}
                    None => {}
                },
                _ => {}
            }
        }
        wish
    }

    fn fits(&self, row: usize, inst: &MInst) -> bool {
        let others = &self.rows[row].ops;
        if others.len() >= 3 || others.iter().any(|o| disturbs(o, inst) && disturbs(inst, o)) {
            return false;
        }
        let mut ops = [inst; 3];
        for (slot, other) in ops[1..].iter_mut().zip(others) {
            *slot = other;
        }
        bundle::fit(&ops[..=others.len()]).is_some()
    }

    fn put(&mut self, op: usize, t: i32, inst: MInst) {
        let this = self.this;
        self.rows[(t % self.ii) as usize].take(this.kinds[op], inst);
        self.at[op] = Some(t);
        self.ready[class(this.kinds[op])].retain(|&i| i != op);
        let branch = self.round.branch();
        if let Some(d) = self.this.until_branch[op]
            && t + d > branch
        {
            self.wrong = true;
            self.hurry[op] += t + d - branch + 1;
        }
        let in_file = matches!(inst.def(), Some(Reg::A(_) | Reg::B(_)));
        let distance = |e: &Edge| if in_file { e.far } else { e.near };
        for e in &this.next[op] {
            self.earliest[e.other] = self.earliest[e.other].max(t + distance(e));
            self.waiting[e.other] -= 1;
            if self.waiting[e.other] == 0 {
                self.ready[class(this.kinds[e.other])].push(e.other);
            }
        }
        for e in &this.again[op] {
            match self.at[e.other] {
                Some(there) if t + distance(e) > there + self.ii => {
                    self.wrong = true;
                    self.floor[e.other] = self.floor[e.other].max(t + distance(e) - self.ii);
                }
                _ => {}
            }
        }
        for e in &this.before[op] {
            // Distances of what carries from one iteration to the next are those of its register, which it keeps.
            self.tighten(e.other, t + self.ii - e.near);
        }
        self.close(op, t);
    }

    /// Webs whose last reader has its time leave their registers.
    fn close(&mut self, op: usize, t: i32) {
        let inst = &self.this.body.ops[op];
        for w in webs_read(inst) {
            self.left[w] -= 1;
        }
        for w in webs_read(inst) {
            if self.limit[w] == i32::MAX {
                continue;
            }
            if t > self.limit[w] {
                self.wrong = true;
                self.life[w] = self.life[w].max(t - self.written[w] + 2);
            }
            if self.left[w] == 0 {
                let end = t.max(self.written[w] + 1);
                let r = self.registers[w].expect("it is written");
                self.rooms.leave(r, self.written[w], end.min(self.limit[w]));
                self.life[w] = (end - self.written[w]).max(self.life[w] / 2);
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
        for e in &this.previous[op] {
            self.tighten(e.other, by - e.near);
        }
    }
}

/// Which ALU an operation takes, if only one will do.
fn class(kind: Kind) -> usize {
    match (kind.add, kind.mul) {
        (true, _) => 0,
        (_, true) => 1,
        _ => 2,
    }
}

/// Of candidates that are tried one after the other, most are never looked at: the least of those from `k` on comes to its
/// place, and from some on all.
fn sort_from(list: &mut [(i32, usize)], k: usize) {
    const ONE_BY_ONE: usize = 4;
    let rest = &mut list[k..];
    if k < ONE_BY_ONE {
        let least = (0..rest.len()).min_by_key(|&i| rest[i]).unwrap_or(0);
        rest.swap(0, least);
    } else if k == ONE_BY_ONE {
        rest.sort_unstable();
    }
}

/// Whether `first`, put before `second`, changes what that reads or writes.
fn disturbs(first: &MInst, second: &MInst) -> bool {
    let register = first.def().is_some_and(|r| second.reads().any(|s| s == r) || second.def() == Some(r));
    let flags = first.sf && (second.cond.is_conditional() || second.sf);
    let r4 = deps::writes_r4(first) && (deps::writes_r4(second) || second.reads().any(|r| r == Reg::R4));
    register || flags || r4
}
