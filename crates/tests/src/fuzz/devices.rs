//! Random kernels of whole numbers on every device: groups with shared arrays and barriers, conditions whose right side loads and
//! stores, numbers without a sign, and indices that may lie outside.
//!
//! They are free of races: a phase between two barriers reads arrays that it does not write, and writes elements of its own.
//! So every device must come to the same memory, or must refuse the same kernel for an access outside.

use super::random::Random;
use quadra_base::{checked, testing};
use quadra_device::buffer::Storage;
use quadra_device::{Argument, Device, LaunchOptions};
use quadra_kir::{
    Access, Buf, Builder, Elem, FaultKind, Kernel, Memory, MemoryBuffer, Mode, Op, Type, Value, Var, check,
};
use rayon::prelude::*;
use std::sync::Arc;

/// What a series of kernels came to.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub kernels: usize,
    /// Launches that every device stopped for an access outside.
    pub outside: usize,
    /// Launches that the interpreter of the kernel as written stopped, but not every device: nobody used what a load outside
    /// gave, so that passes left the load out, and its fault with it.
    pub unused: usize,
    /// Kernels with barriers.
    pub grouped: usize,
    /// The first kernel that differs, with its seed.
    pub failure: Option<String>,
}

/// Elements of each array that a group shares.
const SHARED: usize = 64;

struct Generator {
    b: Builder,
    random: Random,
    /// Own place: item of the launch, and number in the group.
    item: Value,
    local: Value,
    group: u32,
    input: Buf,
    bytes: Buf,
    output: Buf,
    shared: Vec<Buf>,
    vars: Vec<Var>,
    values: Vec<Value>,
    /// Whether an index may lie outside.
    outside: bool,
}

/// A kernel and what it is launched on.
struct Case {
    kernel: Kernel,
    memory: Memory,
    items: u32,
    workers: u32,
}

fn case(seed: u64) -> Case {
    let mut random = Random::new(seed ^ 0x6465_7669_6365);
    let grouped = random.chance(50);
    let group = if grouped { random.pick(&[16, 32, 48, 64]) } else { 16 };
    let items = if grouped { group * random.between(1, 4) as u32 } else { random.between(1, 90) as u32 };
    let mut b = Builder::new(format!("devices{seed}"));
    let input = b.buffer("input", Elem::I32, 1, Access::Read);
    let bytes = b.buffer("bytes", random.pick(&[Elem::I8, Elem::I16]), 1, Access::Read);
    let output = b.buffer("output", Elem::I32, 1, Access::ReadWrite);
    b.set_over(1);
    let elem = b.kernel().bufs[bytes].elem;
    let mut shared = Vec::new();
    if grouped {
        b.kernel().group = vec![group];
        for name in ["s", "t"] {
            shared.push(b.kernel().add_shared(name, Elem::I32, vec![SHARED as u32]));
        }
    }
    let item = b.axis(Op::Item, 0);
    let local = if grouped { b.axis(Op::Local, 0) } else { b.op(Op::Lane, &[]) };
    let vars = ["i", "j", "k"].map(|name| b.var(name, Type::I32)).to_vec();
    let outside = random.chance(25);
    let mut g = Generator {
        b,
        random,
        item,
        local,
        group,
        input,
        bytes,
        output,
        shared,
        vars,
        values: vec![item, local],
        outside,
    };
    g.body(grouped);
    let Generator { b, mut random, .. } = g;
    let kernel = b.finish();
    let ints: Vec<i32> = (0..items.max(16) + 16).map(|_| random.int()).collect();
    let narrow = (0..ints.len() * elem.bytes() as usize).map(|_| random.bits() as u8).collect();
    let narrow = MemoryBuffer { elem, dims: vec![ints.len() as u32], bytes: narrow };
    let buffers = vec![MemoryBuffer::of_i32(&ints), narrow, MemoryBuffer::of_i32(&vec![7; items as usize])];
    Case { kernel, memory: Memory { buffers }, items, workers: random.pick(&[1, 1, 2, 5, 12]) }
}

/// The random kernel of a seed.
pub fn kernel(seed: u64) -> Kernel {
    case(seed).kernel
}

impl Generator {
    fn body(&mut self, grouped: bool) {
        let phases = if grouped { 1 + self.random.below(4) } else { 1 };
        for phase in 0..phases {
            if grouped && self.random.chance(30) {
                self.barrier_loop(phase);
                continue;
            }
            self.phase(phase, grouped);
        }
        let mut sum = self.item;
        for var in self.vars.clone() {
            let (v, three) = (self.b.get(var), self.b.i32(3));
            let scaled = self.b.op(Op::Mul, &[sum, three]);
            sum = self.b.op(Op::Xor, &[scaled, v]);
        }
        for v in self.values[self.values.len().saturating_sub(3)..].iter().copied() {
            sum = self.b.op(Op::Add, &[sum, v]);
        }
        self.b.store(self.output, Mode::Unchecked, &[self.item], sum);
    }

    /// Code between two barriers: it reads one shared array and writes the own element of the other.
    fn phase(&mut self, phase: usize, grouped: bool) {
        let made = 2 + self.random.below(4);
        for _ in 0..made {
            self.statement(phase);
        }
        if grouped {
            let (v, to) = (self.value(), self.shared[(phase + 1) % 2]);
            self.b.store(to, Mode::Unchecked, &[self.local], v);
            self.b.sync(Op::Barrier, 0);
        }
    }

    /// A loop of the group, with two barriers in each iteration.
    fn barrier_loop(&mut self, phase: usize) {
        let n = self.random.between(0, 3);
        let (zero, n, one) = (self.b.i32(0), self.b.i32(n), self.b.i32(1));
        let kept = self.values.len();
        let i = self.b.begin_for(zero, n, one);
        self.values.push(i);
        self.phase(phase, true);
        self.phase(phase + 1, true);
        self.b.end();
        self.values.truncate(kept);
        self.b.sync(Op::Barrier, 0);
    }

    fn statement(&mut self, phase: usize) {
        match self.random.below(10) {
            0..3 => {
                let v = self.unsigned();
                self.values.push(v);
            }
            3..5 => {
                let v = self.load(phase);
                self.values.push(v);
            }
            5..7 => {
                let (var, v) = (self.random.pick(&self.vars), self.value());
                self.b.set(var, v);
            }
            7..9 => self.short_circuit(phase),
            _ => self.short_loop(phase),
        }
    }

    fn value(&mut self) -> Value {
        match self.random.below(6) {
            0 => {
                let c = self.random.int();
                self.b.i32(c)
            }
            1 | 2 => {
                let var = self.random.pick(&self.vars);
                self.b.get(var)
            }
            _ => self.random.pick(&self.values),
        }
    }

    /// Arithmetic without a sign, division as the front end writes it among it.
    fn unsigned(&mut self) -> Value {
        let (x, y) = (self.value(), self.value());
        match self.random.below(8) {
            0 => {
                let (one, most) = (self.b.i32(1), self.b.i32(i32::MAX));
                let y = self.b.op(Op::And, &[y, most]);
                let y = self.b.op(Op::Or, &[y, one]);
                let half = self.b.op(Op::Shr, &[x, one]);
                let q = self.b.op(Op::Div, &[half, y]);
                let q = self.b.op(Op::Shl, &[q, one]);
                let back = self.b.op(Op::Mul, &[q, y]);
                let r = self.b.op(Op::Sub, &[x, back]);
                let more = self.b.op(Op::CmpGeU, &[r, y]);
                let more = self.b.op(Op::ToI32, &[more]);
                self.b.op(Op::Add, &[q, more])
            }
            1 => {
                let op = self.random.pick(&[Op::CmpLtU, Op::CmpLeU, Op::CmpGtU, Op::CmpGeU]);
                let t = self.b.op(op, &[x, y]);
                self.b.op(Op::Select, &[t, x, y])
            }
            _ => {
                let op = self.random.pick(&[Op::MinU, Op::MaxU, Op::Shr, Op::Shl, Op::Add, Op::Sub, Op::Mul, Op::Xor]);
                self.b.op(op, &[x, y])
            }
        }
    }

    /// An index into one of the inputs; perhaps outside, where that is asked for.
    fn place(&mut self) -> Value {
        if self.outside && self.random.chance(30) {
            let by = self.random.pick(&[-1, -16, 1, 16, 15, 17, -300, 300, 900, 2000, -5000, 70_000]);
            let by = self.b.i32(by);
            return self.b.op(Op::Add, &[self.item, by]);
        }
        match self.random.below(3) {
            0 => self.item,
            1 => {
                let by = self.random.between(0, 15);
                let by = self.b.i32(by);
                self.b.op(Op::Add, &[self.item, by])
            }
            _ => {
                let (v, mask) = (self.value(), self.b.i32(15));
                self.b.op(Op::And, &[v, mask])
            }
        }
    }

    fn load(&mut self, phase: usize) -> Value {
        if !self.shared.is_empty() && self.random.chance(50) {
            let (v, mask) = (self.value(), self.b.i32(SHARED as i32 - 1));
            let at = if self.random.chance(30) {
                let last = self.b.i32(self.group as i32 - 1);
                self.b.op(Op::Sub, &[last, self.local])
            } else {
                self.b.op(Op::And, &[v, mask])
            };
            return self.b.load(self.shared[phase % 2], Mode::Unchecked, &[at]);
        }
        let at = self.place();
        if self.random.chance(60) {
            return self.b.load(self.input, Mode::Unchecked, &[at]);
        }
        let v = self.b.load(self.bytes, Mode::Unchecked, &[at]);
        // As a number without a sign, mostly.
        if self.random.chance(70) {
            let bits = if self.b.kernel().bufs[self.bytes].elem == Elem::I8 { 255 } else { 65535 };
            let bits = self.b.i32(bits);
            return self.b.op(Op::And, &[v, bits]);
        }
        v
    }

    fn compare(&mut self) -> Value {
        let (x, y) = (self.value(), self.value());
        let op = self.random.pick(&[Op::CmpLt, Op::CmpGe, Op::CmpEq, Op::CmpNe, Op::CmpLtU, Op::CmpGtU]);
        self.b.op(op, &[x, y])
    }

    /// `if a && { effects; b } { … }`, or with `||`.
    fn short_circuit(&mut self, phase: usize) {
        let kept = self.values.len();
        let left = self.compare();
        let both = self.b.var("both", Type::BOOL);
        self.b.set(both, left);
        let or = self.random.chance(50);
        let goes_on = if or { self.b.op(Op::Not, &[left]) } else { left };
        self.b.begin_if(goes_on);
        let loaded = self.load(phase);
        self.values.push(loaded);
        if self.random.chance(60) {
            let (var, v) = (self.random.pick(&self.vars), self.value());
            self.b.set(var, v);
        }
        if self.random.chance(40) {
            let v = self.value();
            self.b.store(self.output, Mode::Unchecked, &[self.item], v);
        }
        let c = self.value();
        let right = self.b.op(Op::CmpGt, &[loaded, c]);
        self.b.set(both, right);
        self.b.end();
        self.values.truncate(kept);
        let both = self.b.get(both);
        self.b.begin_if(both);
        let (var, v) = (self.random.pick(&self.vars), self.unsigned());
        self.b.set(var, v);
        self.b.end();
        self.values.truncate(kept);
    }

    /// `while n < limit && input[n] … { … }`: the guard keeps the load inside.
    fn short_loop(&mut self, phase: usize) {
        let kept = self.values.len();
        let counter = self.b.var("count", Type::I32);
        let (v, mask, zero, one) = (self.value(), self.b.i32(7), self.b.i32(0), self.b.i32(1));
        let limit = self.b.op(Op::And, &[v, mask]);
        self.b.set(counter, zero);
        self.b.begin_loop();
        let n = self.b.get(counter);
        let goes_on = self.b.var("goes_on", Type::BOOL);
        let left = self.b.op(Op::CmpLt, &[n, limit]);
        self.b.set(goes_on, left);
        self.b.begin_if(left);
        let at = self.b.op(Op::Add, &[self.item, n]);
        let loaded = self.b.load(self.input, Mode::Unchecked, &[at]);
        let c = self.value();
        let right = self.b.op(Op::CmpLtU, &[loaded, c]);
        self.b.set(goes_on, right);
        self.b.end();
        let goes = self.b.get(goes_on);
        self.b.begin_if(goes);
        self.b.begin_else();
        self.b.break_loop();
        self.b.end();
        let next = self.b.op(Op::Add, &[n, one]);
        self.b.set(counter, next);
        self.values.push(n);
        if self.random.chance(50) {
            let v = self.load(phase);
            self.values.push(v);
        }
        let (var, v) = (self.random.pick(&self.vars), self.unsigned());
        self.b.set(var, v);
        self.b.end();
        self.values.truncate(kept);
    }
}

/// What a launch came to: the output, or nothing where it went outside.
type Outcome = Option<Vec<u32>>;

/// What a GPU does not do, and says when it compiles: groups that are too large, items that leave others waiting.
const REFUSED: &str = "E0870";

/// Launches a kernel; nothing if the device does not take it.
fn outcome(case: &Case, device: &dyn Device) -> Result<Option<Outcome>, String> {
    let module = match device.compile(&case.kernel) {
        Err(why) if why[0].code == REFUSED => return Ok(None),
        compiled => compiled.map_err(|e| e[0].render(false))?,
    };
    let buffers: Vec<Storage> = case.memory.buffers.iter().cloned().map(Storage::new).collect();
    let args: Vec<Argument> = buffers.iter().cloned().map(Argument::Buffer).collect();
    let (extent, budget) = (vec![case.items], 50_000_000);
    let options = LaunchOptions { workers: case.workers, extent, budget, ..LaunchOptions::default() };
    match module.launch(&args, &options) {
        Ok(_) => Ok(Some(Some(buffers[2].read().words()))),
        Err(fault) if matches!(fault.kind, FaultKind::OutOfBounds { .. }) => {
            let kept = buffers.iter().zip(&case.memory.buffers).all(|(now, before)| now.read().bytes == before.bytes);
            if kept { Ok(Some(None)) } else { Err("a fault left its buffers changed".into()) }
        }
        Err(fault) => Err(fault.to_diagnostic().render(false)),
    }
}

/// Runs a kernel everywhere. Whether it went outside, whether some device did without the load that did, and whether it has barriers.
fn compare(seed: u64, devices: &[&dyn Device]) -> Result<(bool, bool, bool), String> {
    let case = case(seed);
    let text = |why: String| format!("seed {seed}, {} items: {why}\n{}", case.items, case.kernel);
    if let Some(d) = check::kernel(&case.kernel).first() {
        return Err(text(format!("the checker refuses it: {d}")));
    }
    let mut first: Option<Option<Vec<u32>>> = None;
    // What devices agree on that run a kernel which the first one stopped.
    let mut without: Option<Vec<u32>> = None;
    for device in devices {
        let run = std::panic::AssertUnwindSafe(|| outcome(&case, *device));
        let got = std::panic::catch_unwind(run).unwrap_or_else(|_| Err("a panic".into()));
        let Some(got) = got.map_err(|e| text(format!("{}: {e}", device.name())))? else { continue };
        match &first {
            None => first = Some(got),
            Some(want) if *want == got => {}
            Some(None) if without.is_none() || without == got => without = got,
            Some(want) => return Err(text(format!("{}: {got:?} instead of {want:?}", device.name()))),
        }
    }
    let barrier = case.kernel.body.any(&mut |i| i.op == Op::Barrier);
    Ok((first == Some(None), without.is_some(), barrier))
}

/// A seed and what [`compare`] says of its kernel.
type Compared = (u64, Result<(bool, bool, bool), String>);

/// The devices of a kernel: of several GPUs one, since their drivers compile for longer than everything else takes.
fn of_kernel<'d>(seed: u64, others: &'d [Arc<dyn Device>], gpus: &'d [Arc<dyn Device>]) -> Vec<&'d dyn Device> {
    let gpu = gpus.get((seed % gpus.len().max(1) as u64) as usize);
    others.iter().chain(gpu).map(|d| &**d).collect()
}

/// Compares the kernels of `count` seeds from `seed` on, on all devices that are here but of several GPUs one. Of four kernels, code for
/// this processor is made in a hurry for three.
pub fn devices(seed: u64, count: u64) -> Report {
    let open = |names: &[&str]| -> Vec<Arc<dyn Device>> {
        names.iter().filter_map(|name| quadra_device::open(name).ok()).collect()
    };
    let (others, gpus) = (open(&["interp", "interp-qpu", "cpu", "emu"]), open(&testing::gpus()));
    let all = |hurried: bool| -> Vec<Compared> {
        checked::set_hurried(hurried);
        let seeds = (0..count).map(|n| seed.wrapping_add(n)).filter(|seed| seed.is_multiple_of(4) != hurried);
        let seeds: Vec<u64> = seeds.collect();
        let one = |seed: &u64| (*seed, compare(*seed, &of_kernel(*seed, &others, &gpus)));
        seeds.par_iter().map(one).collect()
    };
    let mut all = [all(true), all(false)].concat();
    all.sort_by_key(|(seed, _)| *seed);
    let mut report = Report::default();
    for (_, one) in all {
        report.kernels += 1;
        match one {
            Ok((outside, unused, grouped)) => {
                report.outside += usize::from(outside && !unused);
                report.unused += usize::from(unused);
                report.grouped += usize::from(grouped);
            }
            Err(why) => {
                report.failure = Some(why);
                break;
            }
        }
    }
    report
}
