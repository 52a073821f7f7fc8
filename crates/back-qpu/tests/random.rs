//! Random kernels: what the compiled words leave in memory is what the interpreter leaves, bit for bit.
//!
//! `KERNELS=20000 SEED=7 cargo test -p quadra-back-qpu --test random` runs more.

mod common;

use common::{How, emulate};
use kir::{Access, Arithmetic, Buf, Builder, Elem, Mode, Op, Type, Value, Var};
use quadra_kir as kir;
use quadra_passes as passes;

struct Gen {
    seed: u64,
    b: Builder,
    ints: Vec<Var>,
    floats: Vec<Var>,
    /// Read only; 64 elements.
    input: Buf,
    /// Read and written; every item has 4 elements of its own.
    own: Buf,
    item: Value,
    budget: u32,
    depth: u32,
    loops: u32,
}

impl Gen {
    fn rand(&mut self, n: u32) -> u32 {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.seed >> 33) as u32) % n
    }

    fn constant(&mut self) -> Value {
        let c = [0, 1, -1, 2, 7, 15, 16, -16, -17, 100, 0x7fff_ffff, i32::MIN, 0x1234_5678, 0xff_ffff];
        let i = self.rand(c.len() as u32) as usize;
        self.b.i32(c[i])
    }

    fn int(&mut self) -> Value {
        match self.rand(8) {
            0 => self.constant(),
            1 => self.item,
            2 => self.b.axis(Op::Lane, 0),
            3 => self.b.axis(Op::Group, 0),
            _ => {
                let i = self.rand(self.ints.len() as u32) as usize;
                let v = self.ints[i];
                self.b.get(v)
            }
        }
    }

    fn float(&mut self) -> Value {
        match self.rand(8) {
            0 => {
                let c = [0.0, 1.0, -1.0, 0.5, 3.25, 1e10, -1e-10, 128.0];
                let i = self.rand(c.len() as u32) as usize;
                self.b.f32(c[i])
            }
            1 => {
                let v = self.int();
                self.b.op(Op::ToF32, &[v])
            }
            _ => {
                let i = self.rand(self.floats.len() as u32) as usize;
                let v = self.floats[i];
                self.b.get(v)
            }
        }
    }

    fn condition(&mut self, deep: u32) -> Value {
        use Op::*;
        match self.rand(if deep == 0 { 6 } else { 10 }) {
            0..4 => {
                let ops = [CmpEq, CmpNe, CmpLt, CmpLe, CmpGt, CmpGe, CmpLtU, CmpLeU, CmpGtU, CmpGeU];
                let op = ops[self.rand(10) as usize];
                let (x, y) = (self.int(), self.int());
                self.b.op(op, &[x, y])
            }
            4..6 => {
                let op = [CmpEq, CmpNe, CmpLt, CmpLe, CmpGt, CmpGe][self.rand(6) as usize];
                let (x, y) = (self.float(), self.float());
                self.b.op(op, &[x, y])
            }
            6 => {
                let c = self.condition(deep - 1);
                self.b.op(Not, &[c])
            }
            7 => {
                let c = self.condition(deep - 1);
                let op = [VoteAny, VoteAll][self.rand(2) as usize];
                self.b.op(op, &[c])
            }
            _ => {
                let (x, y) = (self.condition(deep - 1), self.condition(deep - 1));
                let op = [And, Or, Xor, AndNot][self.rand(4) as usize];
                self.b.op(op, &[x, y])
            }
        }
    }

    /// A byte or a half of a word.
    fn part(&mut self, word: Value) -> Value {
        let [byte, half, by] = [255, 16, 8 * self.rand(4) as i32].map(|c| self.b.i32(c));
        match self.rand(4) {
            0 => {
                let low = self.b.op(Op::Shl, &[word, half]);
                self.b.op(Op::Asr, &[low, half])
            }
            1 => self.b.op(Op::Asr, &[word, half]),
            _ => {
                let high = self.b.op(Op::Shr, &[word, by]);
                self.b.op(Op::And, &[high, byte])
            }
        }
    }

    fn expression(&mut self) {
        use Op::*;
        if self.rand(3) == 0 {
            let (x, y) = (self.float(), self.float());
            let r = match self.rand(8) {
                0 => self.b.op(Neg, &[x]),
                1 => self.b.op(Abs, &[x]),
                2 => {
                    let c = self.condition(1);
                    self.b.op(Select, &[c, x, y])
                }
                n => self.b.op([Add, Sub, Mul, Min, Max][n as usize - 3], &[x, y]),
            };
            let i = self.rand(self.floats.len() as u32) as usize;
            let v = self.floats[i];
            return self.b.set(v, r);
        }
        let (x, y) = (self.int(), self.int());
        let r = match self.rand(27) {
            24.. => self.part(x),
            0 => self.b.op(Neg, &[x]),
            1 => self.b.op(Abs, &[x]),
            2 => self.b.op(Not, &[x]),
            3 => self.b.op(Clz, &[x]),
            4 => {
                let f = self.float();
                self.b.op(ToI32, &[f])
            }
            5 => {
                let c = self.condition(2);
                self.b.op(ToI32, &[c])
            }
            6 | 7 => {
                let c = self.condition(2);
                self.b.op(Select, &[c, x, y])
            }
            8 => {
                let f = self.float();
                self.b.op(BitsI32, &[f])
            }
            n => {
                let ops =
                    [Add, Sub, Mul, Mul24, Min, Max, MinU, MaxU, And, Or, Xor, AndNot, Shl, Shr, Asr, Ror, Add, Sub];
                self.b.op(ops[n as usize % ops.len()], &[x, y])
            }
        };
        let i = self.rand(self.ints.len() as u32) as usize;
        let v = self.ints[i];
        self.b.set(v, r)
    }

    fn own_index(&mut self) -> Value {
        let (four, three) = (self.b.i32(2), self.b.i32(3));
        let first = self.b.op(Op::Shl, &[self.item, four]);
        let i = self.int();
        let low = self.b.op(Op::And, &[i, three]);
        self.b.op(Op::Add, &[first, low])
    }

    fn access(&mut self) {
        let i = self.rand(self.ints.len() as u32) as usize;
        let to = self.ints[i];
        match self.rand(4) {
            0 => {
                let (i, m) = (self.int(), self.b.i32(63));
                let i = self.b.op(Op::And, &[i, m]);
                let v = self.b.load(self.input, Mode::Unchecked, &[i]);
                self.b.set(to, v);
            }
            1 => {
                let i = self.own_index();
                let v = self.b.load(self.own, Mode::Unchecked, &[i]);
                self.b.set(to, v);
            }
            _ => {
                let i = self.own_index();
                let v = self.int();
                self.b.store(self.own, Mode::Unchecked, &[i], v);
            }
        }
    }

    fn block(&mut self) {
        for _ in 0..1 + self.rand(5) {
            if self.budget == 0 || self.b.unreachable() {
                return;
            }
            self.budget -= 1;
            let nested = self.depth < 4;
            match self.rand(12) {
                0 | 1 if nested => {
                    let c = self.condition(2);
                    self.b.begin_if(c);
                    self.depth += 1;
                    self.block();
                    if self.rand(2) == 0 {
                        self.b.begin_else();
                        self.block();
                    }
                    self.depth -= 1;
                    self.b.end();
                }
                2 if nested && self.loops < 3 => self.counted_loop(),
                3 if nested && self.loops < 3 => self.open_loop(),
                4 if self.b.in_loop() && self.rand(3) == 0 => {
                    if self.rand(2) == 0 {
                        self.b.break_loop()
                    } else {
                        self.b.continue_loop()
                    }
                }
                4 | 5 => self.access(),
                6 if self.depth > 0 && self.rand(8) == 0 => self.b.return_kernel(),
                _ => self.expression(),
            }
        }
    }

    fn counted_loop(&mut self) {
        let (lo, n) = (self.rand(7) as i32 - 3, self.rand(5) as i32);
        let step = [1, 2, -1, -2][self.rand(4) as usize];
        let lo = if self.rand(3) == 0 {
            let (w, three) = (self.int(), self.b.i32(3));
            self.b.op(Op::And, &[w, three])
        } else {
            self.b.i32(lo)
        };
        let (hi, step) = (self.b.i32(if step > 0 { n } else { -n }), self.b.i32(step));
        let iv = self.b.begin_for(lo, hi, step);
        let v = self.ints[0];
        self.b.set(v, iv);
        self.body();
        self.b.end();
    }

    /// A loop that ends after a few iterations whatever its body does: it counts in a variable of its own.
    fn open_loop(&mut self) {
        let count = self.b.var("count", Type::I32);
        let (zero, one) = (self.b.i32(0), self.b.i32(1));
        self.b.set(count, zero);
        self.b.begin_loop();
        let c = self.b.get(count);
        let limit = if self.rand(2) == 0 {
            self.b.i32(4)
        } else {
            let (v, three) = (self.int(), self.b.i32(3));
            self.b.op(Op::And, &[v, three])
        };
        let over = self.b.op(Op::CmpGe, &[c, limit]);
        self.b.begin_if(over);
        self.b.break_loop();
        self.b.end();
        let next = self.b.op(Op::Add, &[c, one]);
        self.b.set(count, next);
        self.body();
        self.b.end();
    }

    fn body(&mut self) {
        self.depth += 1;
        self.loops += 1;
        self.block();
        self.loops -= 1;
        self.depth -= 1;
    }
}

/// A random kernel over an extent, which ends by storing all of its variables.
fn random_kernel(seed: u64) -> kir::Kernel {
    let mut b = Builder::new(format!("random{seed}"));
    let input = b.buffer("input", Elem::I32, 1, Access::Read);
    let own = b.buffer("own", Elem::I32, 1, Access::ReadWrite);
    let out = b.buffer("out", Elem::I32, 1, Access::Write);
    let outf = b.buffer("outf", Elem::F32, 1, Access::Write);
    let s = b.scalar("s", Type::I32);
    b.set_over(1);
    let item = b.axis(Op::Item, 0);
    let mut g = Gen {
        seed: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def0,
        b,
        ints: Vec::new(),
        floats: Vec::new(),
        input,
        own,
        item,
        budget: 60,
        depth: 0,
        loops: 0,
    };
    let n = 2 + g.rand(4);
    for i in 0..n {
        let v = g.b.var("i", Type::I32);
        let m = g.b.i32(i as i32 * 5 - 3);
        let first = g.b.op(Op::Mul, &[item, m]);
        g.b.set(v, first);
        g.ints.push(v);
        let f = g.b.var("f", Type::F32);
        let first = g.b.op(Op::ToF32, &[first]);
        g.b.set(f, first);
        g.floats.push(f);
    }
    let v = g.ints[0];
    g.b.set(v, s);
    for _ in 0..4 {
        g.block();
    }
    if !g.b.unreachable() {
        let three = g.b.i32(3);
        let first = g.b.op(Op::Shl, &[item, three]);
        for i in 0..n as usize {
            let k = g.b.i32(i as i32);
            let at = g.b.op(Op::Add, &[first, k]);
            let (v, f) = (g.ints[i], g.floats[i]);
            let (v, f) = (g.b.get(v), g.b.get(f));
            g.b.store(out, Mode::Unchecked, &[at], v);
            g.b.store(outf, Mode::Unchecked, &[at], f);
        }
    }
    g.b.finish()
}

/// A launch of a random kernel.
struct Case {
    memory: kir::Memory,
    launch: kir::Launch,
    how: How,
}

fn case(seed: u64) -> Case {
    let items = [16, 37, 5][seed as usize % 3];
    let words = |n: usize, f: fn(i32) -> i32| -> kir::MemoryBuffer {
        kir::MemoryBuffer::of_i32(&(0..n as i32).map(f).collect::<Vec<_>>())
    };
    let floats = kir::MemoryBuffer::of_f32(&vec![0.0; 8 * items]);
    let buffers = vec![
        words(64, |i| i.wrapping_mul(0x2f6b_1234) >> (i & 15)),
        words(4 * items, |i| i - 40),
        words(8 * items, |_| 0),
        floats,
    ];
    let workers = [1, 2, 3][seed as usize / 3 % 3];
    let mut launch = kir::Launch::new((0..4).map(kir::Arg::Buffer).collect());
    launch.args.push(kir::Arg::Scalar(kir::Const::i32(seed as i32 % 11 - 5)));
    launch.extent = vec![items as u32];
    launch.workers = workers;
    launch.arithmetic = Arithmetic::TowardZero;
    launch.budget = 1_000_000;
    let how = How {
        registers: [32, 32, 6, 8][seed as usize / 7 % 4],
        level: [2, 1, 2, 0][seed as usize % 4],
        qpus: seed.is_multiple_of(2).then_some(workers),
        ..How::default()
    };
    Case { memory: kir::Memory { buffers }, launch, how }
}

/// What is wrong; `None` also if the interpreter does not come to an end.
fn difference(kernel: &kir::Kernel, case: &Case) -> Option<String> {
    let mut want = case.memory.clone();
    kir::interp::simd::run(kernel, &mut want, &case.launch, &mut |_| {}).ok()?;
    let mut got = case.memory.clone();
    let run = || emulate(kernel, &mut got, &case.launch, case.how);
    let compiled = match std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)) {
        Ok(Ok((compiled, _))) => compiled,
        Ok(Err(text)) => return Some(text),
        Err(_) => return Some("panic".into()),
    };
    for (i, (g, w)) in got.buffers.iter().zip(&want.buffers).enumerate() {
        if let Some(at) = g.words().iter().zip(&w.words()).position(|(a, b)| a != b) {
            let (g, w) = (g.words()[at], w.words()[at]);
            return Some(format!("buffer {i}[{at}] is {g:#x}, not {w:#x}\n{}", common::listing(&compiled)));
        }
    }
    None
}

/// The kernel without its instruction number `n`, whose results become zero; `None` for terminators.
fn without(kernel: &kir::Kernel, n: usize) -> Option<kir::Kernel> {
    fn cut(block: &mut kir::Block, n: &mut usize) -> Option<kir::Inst> {
        for i in 0..block.insts.len() {
            if *n == 0 {
                return (!block.insts[i].op.is_terminator()).then(|| block.insts.remove(i));
            }
            *n -= 1;
            for region in &mut block.insts[i].regions {
                let found = cut(region, n);
                if found.is_some() || *n == usize::MAX {
                    return found;
                }
            }
        }
        None
    }
    let mut out = kernel.clone();
    let removed = cut(&mut out.body, &mut { n })?;
    let mut map = std::collections::HashMap::new();
    for r in removed.results {
        let zero = out.constant(kir::Const::zero(kernel.ty(r).elem));
        map.insert(r, zero);
    }
    out.replace_uses(&map);
    Some(out)
}

/// A smaller kernel that still differs.
fn shrink(mut kernel: kir::Kernel, case: &Case) -> kir::Kernel {
    // From the back, so that users go before what they use; until a whole round finds nothing.
    loop {
        let before = kernel.body.count();
        let mut n = before;
        while n > 0 {
            n = n.min(kernel.body.count()) - 1;
            if let Some(k) = without(&kernel, n).filter(|k| difference(k, case).is_some()) {
                kernel = k;
            }
        }
        if kernel.body.count() == before {
            return kernel;
        }
    }
}

/// Whether the kernel could be compared: passes that refuse a kernel are tested elsewhere.
fn check(seed: u64) -> Result<bool, String> {
    let source = random_kernel(seed);
    let compile = || passes::pipeline::compile(&source, &quadra_back_qpu::caps());
    let Ok(Ok(kernel)) = std::panic::catch_unwind(compile) else {
        return Ok(false);
    };
    let case = case(seed);
    if difference(&kernel, &case).is_none() {
        return Ok(true);
    }
    let kernel = shrink(kernel, &case);
    let text = difference(&kernel, &case).expect("shrinking keeps the difference");
    Err(format!("seed {seed}: {}\n{text}", kir::print::kernel(&kernel)))
}

#[test]
fn random_kernels_agree_with_the_interpreter() {
    let read = |name: &str, default: u64| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default);
    let (first, count) = (read("SEED", 1), read("KERNELS", 300));
    let mut compared = 0;
    for seed in first..first + count {
        compared += u64::from(check(seed).unwrap_or_else(|text| panic!("{text}")));
    }
    println!("{compared} of {count} kernels compared");
    assert!(compared * 4 >= count * 3);
}
