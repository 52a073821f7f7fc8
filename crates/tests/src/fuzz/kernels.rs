//! Random kernels that end, stay inside their buffers and have no races, by construction.
//!
//! A kernel has two buffers to read (`ri`, `rf`: 256 elements) and two to read and write (`wi`, `wf`). Launched once per
//! worker, each worker owns [`REGION`] elements of the latter; launched over an extent, each item owns one. Loops have a
//! counter of their own, so nothing that happens within can make them endless. Every other kernel has two more buffers of
//! integers of 8 or 16 bits or of half floats, `nr` to read and `nw` to read and write.

use super::random::Random;
use quadra_kir::{
    Access, Arg, Buf, Builder, Const, Elem, Kernel, Launch, Memory, MemoryBuffer, Mode, Op, Param, Type, Value, Var,
};

/// Elements of the written buffers that each worker owns.
pub const REGION: u32 = 128;

/// Elements of the buffers that are only read.
pub(super) const READ: u32 = 256;

/// A kernel with everything it takes to launch it.
#[derive(Clone, Debug)]
pub struct Case {
    pub seed: u64,
    pub kernel: Kernel,
    pub memory: Memory,
    pub launch: Launch,
    /// Whether it uses operations that `legalize` may replace by ones that round differently.
    pub inexact: bool,
}

/// What kernels may contain.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Float division, reciprocal and square root.
    pub divisions: bool,
    /// Statements of the kernel's body, about.
    pub length: usize,
    /// Regions within regions.
    pub depth: usize,
}

impl Default for Shape {
    fn default() -> Shape {
        Shape { divisions: true, length: 14, depth: 3 }
    }
}

/// The random kernel of a seed.
pub fn case(seed: u64, shape: Shape) -> Case {
    let mut random = Random::new(seed);
    let over = random.chance(50);
    let mut b = Builder::new(format!("random{seed}"));
    let ri = b.buffer("ri", Elem::I32, 1, Access::Read);
    let rf = b.buffer("rf", Elem::F32, 1, Access::Read);
    let wi = b.buffer("wi", Elem::I32, 1, Access::ReadWrite);
    let wf = b.buffer("wf", Elem::F32, 1, Access::ReadWrite);
    let n = b.scalar("n", Type::I32);
    let x = b.scalar("x", Type::F32);
    let (mut narrow, mut int_bufs) = (Vec::new(), vec![ri, wi]);
    if random.chance(50) {
        for (name, access) in [("nr", Access::Read), ("nw", Access::ReadWrite)] {
            let elem = random.pick(&NARROW);
            let buf = b.buffer(name, elem, 1, access);
            narrow.push((buf, access == Access::ReadWrite));
            int_bufs.extend(elem.is_int().then_some(buf));
        }
    }
    b.set_over(over as u8);
    let lane = b.op(Op::Lane, &[]);
    let own = if over {
        b.axis(Op::Item, 0)
    } else {
        let worker = b.op(Op::Worker, &[]);
        let region = b.i32(REGION as i32);
        b.op(Op::Mul, &[worker, region])
    };
    let vars = [("i", Type::I32), ("j", Type::I32), ("f", Type::F32), ("g", Type::F32), ("t", Type::BOOL)];
    let vars = vars.map(|(name, ty)| (b.var(name, ty), ty));
    let mut g = Generator {
        b,
        shape,
        over,
        inexact: false,
        bufs: [(ri, false), (rf, false), (wi, true), (wf, true)],
        narrow,
        int_bufs,
        lane,
        own,
        uniform: vec![n],
        ints: vec![n, lane, own],
        floats: vec![x],
        bools: vec![],
        full: vec![lane, n],
        vars: vars.to_vec(),
        rows: Vec::new(),
        apart: false,
        calm: Vec::new(),
        exits: 0,
        returned: false,
        left: shape.length * 6,
        random,
    };
    g.statements(shape.length, 0);
    g.finale();
    let (inexact, random) = (g.inexact, g.random);
    Case { inexact, ..with_data(seed, random, g.b.finish()) }
}

/// A kernel with the parameters that random kernels have, and random data of a seed. Division, reciprocal and square root
/// count as inexact.
pub fn with_seed(seed: u64, kernel: Kernel) -> Case {
    let inexact = kernel.body.any(&mut |i| matches!(i.op, Op::Div | Op::Recip | Op::Sqrt));
    Case { inexact, ..with_data(seed, Random::new(seed), kernel) }
}

fn with_data(seed: u64, mut random: Random, kernel: Kernel) -> Case {
    let over = kernel.over > 0;
    let workers = random.pick(&[1, 1, 2, 3, 12]);
    let extent = random.between(1, 100) as u32;
    let written = if over { extent } else { workers * REGION } as usize;
    let ints = |random: &mut Random, n: usize| (0..n).map(|_| random.int()).collect::<Vec<_>>();
    let floats = |random: &mut Random, n: usize| (0..n).map(|_| random.float()).collect::<Vec<_>>();
    let mut buffers = vec![
        MemoryBuffer::of_i32(&ints(&mut random, READ as usize)),
        MemoryBuffer::of_f32(&floats(&mut random, READ as usize)),
        MemoryBuffer::of_i32(&ints(&mut random, written)),
        MemoryBuffer::of_f32(&floats(&mut random, written)),
    ];
    let mut args: Vec<Arg> = (0..4).map(Arg::Buffer).collect();
    args.push(Arg::Scalar(Const::i32(random.int())));
    args.push(Arg::Scalar(Const::f32(random.float())));
    for &param in kernel.params.iter().skip(args.len()) {
        let Param::Buffer(buf) = param else { continue };
        let info = &kernel.bufs[buf];
        let n = if info.access == Access::Read { READ as usize } else { written };
        args.push(Arg::Buffer(buffers.len()));
        buffers.push(narrow_buffer(&mut random, info.elem, n));
    }
    let mut launch = Launch::new(args);
    launch.workers = workers;
    launch.budget = 20_000_000;
    if over {
        launch.extent = vec![extent];
    }
    Case { seed, kernel, memory: Memory { buffers }, launch, inexact: false }
}

/// `n` random elements of fewer than 32 bits.
fn narrow_buffer(random: &mut Random, elem: Elem, n: usize) -> MemoryBuffer {
    let special = [0, 0x8000, 1, 0x83ff, 0x0400, 0x3c00, 0x7bff, 0x7c00, 0xfc00, 0x7e00, 0x00ff, 0x7f80, 0xffff];
    let element = |random: &mut Random| match random.below(3) {
        0 => random.bits() as u16,
        1 => random.pick(&special),
        // Floats between 1/64 and 64, or integers of one digit or two.
        _ if elem == Elem::F16 => (random.bits() as u16 & 0x83ff) | ((9 + random.below(12) as u16) << 10),
        _ => random.between(-20, 40) as u16,
    };
    let size = elem.bytes() as usize;
    let bytes = (0..n).flat_map(|_| element(random).to_le_bytes().into_iter().take(size)).collect();
    MemoryBuffer { elem, dims: vec![n as u32], bytes }
}

pub(super) struct Generator {
    pub(super) b: Builder,
    pub(super) random: Random,
    pub(super) shape: Shape,
    pub(super) over: bool,
    pub(super) inexact: bool,
    /// Buffers and whether they are written.
    pub(super) bufs: [(Buf, bool); 4],
    /// None or two of them.
    pub(super) narrow: Vec<(Buf, bool)>,
    /// Those of all buffers that hold integers.
    pub(super) int_bufs: Vec<Buf>,
    pub(super) lane: Value,
    /// The own item, or the start of the worker's region.
    pub(super) own: Value,
    /// Values that are the same in all lanes; values of each type; values that every lane has.
    pub(super) uniform: Vec<Value>,
    pub(super) ints: Vec<Value>,
    pub(super) floats: Vec<Value>,
    pub(super) bools: Vec<Value>,
    pub(super) full: Vec<Value>,
    pub(super) vars: Vec<(Var, Type)>,
    /// Counters of the loops over rows around this place.
    pub(super) rows: Vec<Value>,
    /// Whether lanes may be apart here.
    pub(super) apart: bool,
    /// Of each open loop, whether nothing in it may set lanes apart.
    pub(super) calm: Vec<bool>,
    /// Exits made so far where lanes may be apart, and whether one of them was a `return`.
    pub(super) exits: usize,
    pub(super) returned: bool,
    /// Statements that may still be made.
    pub(super) left: usize,
}

impl Generator {
    pub(super) fn int(&mut self) -> Value {
        if self.random.chance(15) {
            let c = self.random.int();
            return self.b.i32(c);
        }
        if self.random.chance(20) {
            let (var, _) = self.vars[self.random.below(2)];
            return self.b.get(var);
        }
        self.random.pick(&self.ints)
    }

    pub(super) fn float(&mut self) -> Value {
        if self.random.chance(15) {
            let c = self.random.float();
            return self.b.f32(c);
        }
        if self.random.chance(20) {
            let (var, _) = self.vars[2 + self.random.below(2)];
            return self.b.get(var);
        }
        self.random.pick(&self.floats)
    }

    pub(super) fn bool(&mut self) -> Value {
        match self.random.below(10) {
            0 if !self.bools.is_empty() => self.random.pick(&self.bools),
            1 => {
                let (var, _) = self.vars[4];
                self.b.get(var)
            }
            2..5 => {
                let op = self.random.pick(&COMPARISONS);
                let (a, b) = (self.float(), self.float());
                self.b.op(op, &[a, b])
            }
            5 => {
                let op = self.random.pick(&[Op::CmpLtU, Op::CmpLeU, Op::CmpGtU, Op::CmpGeU]);
                let (a, b) = (self.int(), self.int());
                self.b.op(op, &[a, b])
            }
            _ => {
                let op = self.random.pick(&COMPARISONS);
                let (a, b) = (self.int(), self.int());
                self.b.op(op, &[a, b])
            }
        }
    }

    /// A condition that is the same in all lanes.
    pub(super) fn uniform_bool(&mut self) -> Value {
        if self.random.chance(60) {
            let t = self.bool();
            let op = self.random.pick(&[Op::VoteAny, Op::VoteAll]);
            return self.b.op(op, &[t]);
        }
        let a = self.random.pick(&self.uniform);
        let c = self.random.between(-5, 30);
        let c = self.b.i32(c);
        let op = self.random.pick(&COMPARISONS);
        self.b.op(op, &[a, c])
    }

    /// Statements of a region; names made within are forgotten at its end.
    pub(super) fn statements(&mut self, count: usize, depth: usize) {
        let kept = (self.uniform.len(), self.ints.len(), self.floats.len(), self.bools.len(), self.full.len());
        for _ in 0..count {
            if self.b.unreachable() || self.left == 0 {
                break;
            }
            self.left -= 1;
            self.statement(depth);
        }
        if depth > 0 {
            self.uniform.truncate(kept.0);
            self.ints.truncate(kept.1);
            self.floats.truncate(kept.2);
            self.bools.truncate(kept.3);
            self.full.truncate(kept.4);
        }
    }

    pub(super) fn statement(&mut self, depth: usize) {
        let nested = depth < self.shape.depth;
        match self.random.below(100) {
            0..24 => self.int_op(),
            24..42 => self.float_op(),
            42..46 => self.convert(),
            46..56 => self.set(),
            56..64 => self.load(),
            64..72 => self.store(),
            72..78 => self.across(),
            78..81 => self.queue(),
            81..89 if nested => self.branch(depth),
            89..93 if nested => self.endless_loop(depth),
            93..95 if nested && !self.over && !self.apart => self.row_loop(depth),
            93..97 if nested => self.counted_loop(depth),
            97..99 if depth > 0 => self.exit(),
            _ => self.int_op(),
        }
    }

    /// A byte or a half of a word.
    fn part(&mut self) -> Value {
        let word = self.int();
        let [byte, half] = [255, 16].map(|c| self.b.i32(c));
        match self.random.below(4) {
            0 => {
                let low = self.b.op(Op::Shl, &[word, half]);
                self.b.op(Op::Asr, &[low, half])
            }
            1 => self.b.op(Op::Asr, &[word, half]),
            _ => {
                let by = self.random.below(4) as i32 * 8;
                let by = self.b.i32(by);
                let high = self.b.op(Op::Shr, &[word, by]);
                self.b.op(Op::And, &[high, byte])
            }
        }
    }

    /// A sum or difference of two parts of words, cut off where bytes end.
    fn saturated(&mut self) -> Value {
        let (a, b) = (self.part(), self.part());
        let [zero, most] = [0, 255].map(|c| self.b.i32(c));
        let (op, cut, limit) = if self.random.chance(50) { (Op::Add, Op::Min, most) } else { (Op::Sub, Op::Max, zero) };
        let v = self.b.op(op, &[a, b]);
        self.b.op(cut, &[v, limit])
    }

    fn int_op(&mut self) {
        let op = self.random.pick(&INTS);
        let args: Vec<Value> = (0..op.info().arity.unwrap_or(0)).map(|_| self.int()).collect();
        let v = if self.random.chance(8) {
            let (t, a, b) = (self.bool(), self.int(), self.int());
            self.b.op(Op::Select, &[t, a, b])
        } else if self.random.chance(10) {
            if self.random.chance(30) { self.saturated() } else { self.part() }
        } else {
            self.b.op(op, &args)
        };
        self.ints.push(v);
        if self.random.chance(25) {
            // Something computed from values that every lane has may be rotated even where lanes are apart.
            let (a, b) = (self.random.pick(&self.full), self.random.pick(&self.full));
            let v = self.b.op(Op::Add, &[a, b]);
            self.ints.push(v);
            self.full.push(v);
        }
        if self.random.chance(15) {
            let t = self.bool();
            self.bools.push(t);
        }
    }

    fn float_op(&mut self) {
        let v = match self.random.below(20) {
            0 if self.shape.divisions => {
                self.inexact = true;
                let op = self.random.pick(&[Op::Div, Op::Recip, Op::Sqrt]);
                let args: Vec<Value> = (0..op.info().arity.unwrap_or(0)).map(|_| self.float()).collect();
                self.b.op(op, &args)
            }
            1 => {
                let (t, a, b) = (self.bool(), self.float(), self.float());
                self.b.op(Op::Select, &[t, a, b])
            }
            2 => {
                let op = self.random.pick(&[Op::Neg, Op::Abs]);
                let a = self.float();
                self.b.op(op, &[a])
            }
            _ => {
                let op = self.random.pick(&[Op::Add, Op::Sub, Op::Mul, Op::Min, Op::Max]);
                let (a, b) = (self.float(), self.float());
                self.b.op(op, &[a, b])
            }
        };
        self.floats.push(v);
    }

    fn convert(&mut self) {
        match self.random.below(4) {
            0 => {
                let a = self.int();
                let v = self.b.op(Op::ToF32, &[a]);
                self.floats.push(v);
            }
            1 => {
                let a = self.int();
                let v = self.b.op(Op::BitsF32, &[a]);
                self.floats.push(v);
            }
            _ => {
                let op = self.random.pick(&[Op::ToI32, Op::BitsI32]);
                let a = self.float();
                let v = self.b.op(op, &[a]);
                self.ints.push(v);
            }
        }
    }

    fn set(&mut self) {
        let (var, ty) = self.random.pick(&self.vars);
        let v = match ty.elem {
            Elem::I32 => self.int(),
            Elem::F32 => self.float(),
            _ => self.bool(),
        };
        self.b.set(var, v);
    }

    /// Stores what there is, so that everything counts.
    fn finale(&mut self) {
        if self.b.unreachable() {
            return;
        }
        for (var, ty) in self.vars.clone() {
            let v = self.b.get(var);
            match ty.elem {
                Elem::I32 => self.ints.push(v),
                Elem::F32 => self.floats.push(v),
                _ => self.bools.push(v),
            }
        }
        let recent = |of: &[Value]| of[of.len().saturating_sub(8)..].to_vec();
        let mut sum = self.own;
        for v in recent(&self.ints) {
            let three = self.b.i32(3);
            let scaled = self.b.op(Op::Mul, &[sum, three]);
            sum = self.b.op(Op::Xor, &[scaled, v]);
        }
        for t in recent(&self.bools) {
            let t = self.b.op(Op::ToI32, &[t]);
            sum = self.b.op(Op::Add, &[sum, t]);
        }
        for v in recent(&self.floats) {
            let bits = self.b.op(Op::BitsI32, &[v]);
            sum = self.b.op(Op::Sub, &[bits, sum]);
        }
        let at = if self.over { self.own } else { self.b.op(Op::Add, &[self.own, self.lane]) };
        self.b.store(self.bufs[2].0, Mode::Unchecked, &[at], sum);
        let f = self.float();
        self.b.store(self.bufs[3].0, Mode::Unchecked, &[at], f);
        if let Some(&(narrow, _)) = self.narrow.last() {
            let value = if self.is_int(narrow) { self.int() } else { self.float() };
            self.b.store(narrow, Mode::Unchecked, &[at], value);
        }
    }

    /// Whether a buffer's elements are integers.
    pub(super) fn is_int(&self, buf: Buf) -> bool {
        self.int_bufs.contains(&buf)
    }
}

const COMPARISONS: [Op; 6] = [Op::CmpEq, Op::CmpNe, Op::CmpLt, Op::CmpLe, Op::CmpGt, Op::CmpGe];

const NARROW: [Elem; 3] = [Elem::I8, Elem::I16, Elem::F16];

const INTS: [Op; 24] = [
    Op::Add,
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::Mul24,
    Op::Div,
    Op::Rem,
    Op::Mod,
    Op::Min,
    Op::Max,
    Op::MinU,
    Op::MaxU,
    Op::Neg,
    Op::Abs,
    Op::And,
    Op::Or,
    Op::Xor,
    Op::Not,
    Op::AndNot,
    Op::Shl,
    Op::Shr,
    Op::Asr,
    Op::Ror,
    Op::Popcount,
];
