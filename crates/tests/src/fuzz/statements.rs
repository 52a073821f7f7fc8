//! Statements of random kernels: memory, exchanges between lanes, control flow.

use super::kernels::{Generator, READ, REGION};
use quadra_kir::{Buf, Elem, Mode, Op, Type, Value};

impl Generator {
    /// An index below `size`, a power of two: a row, a stride, one for all lanes, or any.
    fn inside(&mut self, size: u32, distinct: bool) -> Value {
        if self.random.chance(10) {
            // Elements at equal distances, of which the last is 15 · 8 + 7 at most.
            let (stride, from) = (self.random.between(2, 8), self.random.between(0, 7));
            let (stride, from) = (self.b.i32(stride), self.b.i32(from));
            let at = self.b.op(Op::Mul, &[self.lane, stride]);
            return self.b.op(Op::Add, &[at, from]);
        }
        let mask = self.b.i32(size as i32 - 1);
        let any = match self.random.below(if distinct { 2 } else { 5 }) {
            0 => {
                let row = self.random.between(0, 3) * 16;
                let row = self.b.i32(row);
                return self.b.op(Op::Add, &[row, self.lane]);
            }
            1 => {
                let stride = self.random.between(0, 9) * 2 + 1;
                let (stride, from) = (self.b.i32(stride), self.random.pick(&self.uniform));
                let at = self.b.op(Op::Mul, &[self.lane, stride]);
                self.b.op(Op::Add, &[at, from])
            }
            2 => self.random.pick(&self.uniform),
            3 => {
                let at = self.int();
                let limit = self.b.i32(size as i32 - 1);
                return self.b.op(Op::MinU, &[at, limit]);
            }
            _ => self.int(),
        };
        self.b.op(Op::And, &[any, mask])
    }

    /// In a loop over rows mostly: a row from the present one on, up to `most` rows further.
    fn near_row(&mut self, most: i32) -> Option<Value> {
        if self.rows.is_empty() || self.random.chance(20) {
            return None;
        }
        let row = self.random.pick(&self.rows);
        let further = self.random.between(0, most) * 16;
        let further = self.b.i32(further);
        let at = self.b.op(Op::Add, &[row, self.lane]);
        Some(self.b.op(Op::Add, &[at, further]))
    }

    /// A loop over the rows of the own region but for the last one.
    pub(super) fn row_loop(&mut self, depth: usize) {
        let most = REGION as i32 - 16;
        let high = match self.random.below(3) {
            0 => {
                let n = self.random.between(0, most / 16) * 16;
                self.b.i32(n)
            }
            1 => {
                let (a, mask) = (self.random.pick(&self.uniform), self.b.i32(63));
                self.b.op(Op::And, &[a, mask])
            }
            _ => self.b.i32(most),
        };
        let low = self.random.between(0, 1) * 16;
        let (low, step) = (self.b.i32(low), self.random.pick(&[16, 16, 16, 32]));
        let step = self.b.i32(step);
        // A place that is loaded before the loop and again in it, where it may have changed.
        let fixed = {
            let row = self.random.between(0, most / 16) * 16;
            let row = self.b.i32(row);
            let at = self.b.op(Op::Add, &[self.own, row]);
            self.b.op(Op::Add, &[at, self.lane])
        };
        let early = self.b.load(self.bufs[2].0, Mode::Unchecked, &[fixed]);
        let i = self.b.begin_for(low, high, step);
        let kept = (self.ints.len(), self.floats.len());
        self.rows.push(i);
        self.ints.push(i);
        if self.random.chance(40) {
            let late = self.b.load(self.bufs[2].0, Mode::Unchecked, &[fixed]);
            let three = self.b.i32(3);
            let scaled = self.b.op(Op::Mul, &[early, three]);
            let changed = self.b.op(Op::Sub, &[scaled, late]);
            self.ints.push(changed);
            let at = self.index(true, true);
            self.b.store(self.bufs[2].0, Mode::Unchecked, &[at], changed);
        }
        if self.random.chance(30) {
            self.stencil(i);
        }
        for _ in 0..1 + self.random.below(3) {
            self.load();
        }
        if self.random.chance(20) {
            self.queue();
        }
        // What has been loaded counts, or it would not be.
        let loaded = (self.ints.last().copied(), self.floats.last().copied().filter(|_| self.floats.len() > kept.1));
        if self.random.chance(40) {
            self.loop_body(depth, true);
        }
        if let (Some(i), false) = (loaded.0, self.b.unreachable()) {
            let at = self.index(true, true);
            self.b.store(self.bufs[2].0, Mode::Unchecked, &[at], i);
        }
        if let (Some(f), false) = (loaded.1, self.b.unreachable()) {
            let at = self.index(true, true);
            self.b.store(self.bufs[3].0, Mode::Unchecked, &[at], f);
        }
        if !self.b.unreachable() {
            self.store();
        }
        self.ints.truncate(kept.0);
        self.floats.truncate(kept.1);
        self.rows.pop();
        self.b.end();
    }

    /// Loads neighbours of a row, and stores their sum.
    fn stencil(&mut self, row: Value) {
        let near = self.random.chance(50);
        let mut sum = row;
        for _ in 0..2 + self.random.below(3) {
            let off = if near { self.random.between(0, 17) } else { self.random.between(0, 3) * 16 };
            let off = self.b.i32(off);
            let at = self.b.op(Op::Add, &[row, off]);
            let at = self.b.op(Op::Add, &[at, self.lane]);
            let v = self.b.load(self.bufs[0].0, Mode::Unchecked, &[at]);
            let three = self.b.i32(3);
            let scaled = self.b.op(Op::Mul, &[sum, three]);
            sum = self.b.op(Op::Xor, &[scaled, v]);
        }
        let at = self.index(true, true);
        self.b.store(self.bufs[2].0, Mode::Unchecked, &[at], sum);
    }

    /// An index of a buffer; of one's own elements if it is written.
    fn index(&mut self, written: bool, distinct: bool) -> Value {
        if !written {
            return self.near_row(8).unwrap_or_else(|| self.inside(READ, distinct));
        }
        if self.over {
            return self.own;
        }
        let at = self.near_row(1).unwrap_or_else(|| self.inside(REGION, distinct));
        self.b.op(Op::Add, &[self.own, at])
    }

    pub(super) fn load(&mut self) {
        let narrow = !self.narrow.is_empty() && self.random.chance(30);
        let (buf, written) = self.random.pick(if narrow { &self.narrow } else { &self.bufs });
        let index = self.index(written, false);
        let v = self.b.load(buf, Mode::Unchecked, &[index]);
        self.keep(buf, v);
    }

    fn keep(&mut self, buf: Buf, v: Value) {
        if self.is_int(buf) { self.ints.push(v) } else { self.floats.push(v) }
    }

    pub(super) fn store(&mut self) {
        if let Some(&(narrow, _)) = self.narrow.last()
            && self.random.chance(30)
        {
            let value = if self.is_int(narrow) { self.int() } else { self.float() };
            let index = self.index(true, true);
            return self.b.store(narrow, Mode::Unchecked, &[index], value);
        }
        let float = self.random.chance(40);
        let value = if float { self.float() } else { self.int() };
        let index = self.index(true, true);
        self.b.store(self.bufs[2 + float as usize].0, Mode::Unchecked, &[index], value);
    }

    pub(super) fn across(&mut self) {
        let amount = match self.random.below(3) {
            0 => self.random.pick(&self.uniform),
            _ => {
                let n = self.random.between(-15, 15);
                self.b.i32(n)
            }
        };
        let op = self.random.pick(&[Op::Rotate, Op::Rotate, Op::Broadcast]);
        let float = !self.apart && self.random.chance(30);
        let operand = match (self.apart, float) {
            (true, _) => self.random.pick(&self.full),
            (false, true) => self.random.pick(&self.floats),
            (false, false) => self.random.pick(&self.ints),
        };
        // The QPU rotates a product where it multiplies.
        let operand = match float && self.random.chance(40) {
            true => {
                let factor = self.random.pick(&self.floats);
                self.b.op(Op::Mul, &[operand, factor])
            }
            false => operand,
        };
        let v = self.b.op(op, &[operand, amount]);
        if float {
            self.floats.push(v)
        } else {
            self.ints.push(v)
        }
        if op == Op::Broadcast && !float {
            self.uniform.push(v);
        }
    }

    /// A few requests and as many receives, where lanes are together.
    pub(super) fn queue(&mut self) {
        if self.apart {
            return self.load();
        }
        let count = self.random.between(1, 4);
        let bufs: Vec<Buf> = (0..count).map(|_| self.bufs[self.random.below(2)].0).collect();
        for &buf in &bufs {
            let index = self.index(false, false);
            self.b.request(buf, &[index]);
        }
        for &buf in &bufs {
            let elem = if buf == self.bufs[0].0 { Elem::I32 } else { Elem::F32 };
            let v = self.b.receive(elem);
            self.keep(buf, v);
        }
    }

    pub(super) fn branch(&mut self, depth: usize) {
        let uniform = self.random.chance(35);
        let condition = if uniform { self.uniform_bool() } else { self.bool() };
        let (before, exits) = (self.apart, self.exits);
        self.apart |= !uniform;
        let inside = self.apart;
        self.b.begin_if(condition);
        self.arm(depth);
        if self.random.chance(50) {
            self.b.begin_else();
            self.apart = inside;
            self.arm(depth);
        }
        self.b.end();
        // Lanes that have left leave the others apart.
        self.apart = before || self.exits > exits;
    }

    fn arm(&mut self, depth: usize) {
        let count = self.random.below(4);
        self.statements(count, depth + 1);
        if self.random.chance(15) {
            self.exit();
        }
    }

    pub(super) fn exit(&mut self) {
        let calm = self.calm.last() == Some(&true);
        if self.b.unreachable() || (calm && self.apart) {
            return;
        }
        let in_loop = self.b.in_loop();
        match self.random.below(10) {
            0 if self.random.chance(30) && !self.calm.contains(&true) => {
                self.b.return_kernel();
                self.returned |= self.apart;
            }
            1..6 if in_loop => self.b.break_loop(),
            6.. if in_loop => self.b.continue_loop(),
            _ => return,
        }
        self.exits += self.apart as usize;
    }

    fn loop_body(&mut self, depth: usize, calm: bool) {
        let (before, exits) = (self.apart, self.exits);
        self.apart |= !calm;
        self.calm.push(calm);
        let count = 1 + self.random.below(4);
        self.statements(count, depth + 1);
        self.calm.pop();
        // Lanes that left the loop come together behind it, lanes that left the kernel do not.
        self.exits = exits + self.returned as usize;
        self.apart = before || self.returned;
    }

    pub(super) fn endless_loop(&mut self, depth: usize) {
        // The counter is a variable of its own, counted at the head, so no `continue` can miss it.
        let counter = self.b.var("count", Type::I32);
        let zero = self.b.i32(0);
        self.b.set(counter, zero);
        let calm = !self.apart && self.random.chance(50);
        let limit = if calm || self.random.chance(50) {
            let n = self.random.between(1, 5);
            self.b.i32(n)
        } else {
            let (a, mask) = (self.int(), self.b.i32(3));
            self.b.op(Op::And, &[a, mask])
        };
        self.b.begin_loop();
        let (now, one) = (self.b.get(counter), self.b.i32(1));
        let end = self.b.op(Op::CmpGe, &[now, limit]);
        let end = if self.random.chance(30) { self.b.op(Op::VoteAny, &[end]) } else { end };
        self.b.begin_if(end);
        self.b.break_loop();
        self.b.end();
        let next = self.b.op(Op::Add, &[now, one]);
        self.b.set(counter, next);
        self.loop_body(depth, calm);
        self.b.end();
    }

    pub(super) fn counted_loop(&mut self, depth: usize) {
        let low = self.random.between(-2, 2);
        let low = self.b.i32(low);
        let calm = !self.apart && self.random.chance(50);
        let high = if self.random.chance(50) {
            let n = self.random.between(0, 5);
            self.b.i32(n)
        } else {
            let a = if calm { self.random.pick(&self.uniform) } else { self.int() };
            let mask = self.b.i32(3);
            self.b.op(Op::And, &[a, mask])
        };
        let step = if self.random.chance(70) { 1 } else { self.random.pick(&[2, 3, -1]) };
        let (low, high) = if step < 0 { (high, low) } else { (low, high) };
        let step = self.b.i32(step);
        let i = self.b.begin_for(low, high, step);
        let ints = self.ints.len();
        self.ints.push(i);
        self.loop_body(depth, calm);
        self.ints.truncate(ints);
        self.b.end();
    }
}
