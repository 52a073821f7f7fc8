//! Translated code against the interpreter: random loops, the same registers, flags, memory, counts and faults.

use quadra_isa::vc4::emu::{Config, Engine, Machine, Region, Report, RunError, Tail, Thread};
use quadra_isa::vc4::{
    AddOp, Alu, Branch, BranchCond, Cond, File, Inst, Ldi, LdiMode, MulOp, Mux, Program, Raddr, Signal, SmallImm,
    Unpack, Waddr,
};
use quadra_isa_jit::Jit;
use quadra_llvm::Llvm;
use std::sync::Arc;

mod units;

const CODE: u32 = 0x1000;
const UNIFORMS: u32 = 0x10_0000;
const DATA: u32 = 0x20_0000;
const OUT: u32 = 0x30_0000;

/// A generator of numbers: the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(n)) as u32
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }

    /// A float near 1.
    fn float(&mut self) -> u32 {
        self.below(2) << 31 | (120 + self.below(9)) << 23 | self.below(1 << 23)
    }

    /// A word that is likely to mean something: a float of usual size, a small integer, or something at the edge.
    fn word(&mut self) -> u32 {
        let sign = self.below(2) << 31;
        match self.below(20) {
            0..12 => sign | (110 + self.below(34)) << 23 | self.below(1 << 23),
            12..15 => self.below(64),
            15 => self.below(64).wrapping_neg(),
            16 => self.pick(&[0, 0x8000_0000, 0x0080_0000, 0x007f_ffff, 0x8000_0001, 0x3f80_0000]),
            17 if self.chance(20) => self.pick(&[0x7f80_0000, 0xff80_0000, 0x7f7f_ffff, 0xff7f_ffff, 0x7fc0_0000]),
            _ => sign | self.below(1 << 31),
        }
    }
}

/// Writes instructions that keep the rules of distance.
struct Builder {
    random: Random,
    program: Program,
    /// Registers that the last instruction wrote, by file, and whether it wrote accumulators.
    last: Vec<(File, u8)>,
    wrote_accumulators: bool,
    since_sfu: u32,
    pending: [u32; 2],
    /// Whether infinities are likely to come up.
    wild: bool,
    /// Whether it uses what QPUs share.
    units: bool,
}

impl Builder {
    fn push(&mut self, inst: Inst) {
        self.last = inst.writes().filter(|(_, w, _)| w.is_physical()).map(|(f, w, _)| (f, w.0)).collect();
        self.wrote_accumulators = inst.writes().any(|(_, w, _)| matches!(w.0, 32..=37));
        self.since_sfu += 1;
        self.program.push(inst, None);
    }

    /// A register that may be read: numbers 0 to 3 hold floats, 4 to 7 integers.
    fn readable(&mut self, file: File, float: bool) -> Raddr {
        loop {
            let n = self.random.below(4) as u8 + if float { 0 } else { 4 };
            if !self.last.contains(&(file, n)) {
                return Raddr(n);
            }
        }
    }

    fn cond(&mut self) -> Cond {
        if self.random.chance(70) { Cond::Always } else { self.random.pick(Cond::ALL) }
    }

    /// Somewhere for a float (r0 too) or an integer (r1, r2).
    fn destination(&mut self, float: bool, not: Option<Waddr>) -> Waddr {
        let float = float != self.stray();
        loop {
            let waddr = match self.random.below(12) {
                0..6 => Waddr(self.random.below(4) as u8 + if float { 0 } else { 4 }),
                6..10 if float => Waddr::R0,
                6..10 => Waddr(33 + self.random.below(2) as u8),
                10 if !float => Waddr::R5,
                _ => Waddr::NOP,
            };
            if Some(waddr) != not || waddr == Waddr::NOP {
                return waddr;
            }
        }
    }

    /// Whether to mix floats and integers up this time.
    fn stray(&mut self) -> bool {
        self.wild && self.random.chance(5)
    }

    fn mux(&mut self, float: bool, files: [bool; 2]) -> Mux {
        let float = float != self.stray();
        loop {
            match self.random.below(6) {
                0 if float == files[0] => return Mux::A,
                1 if float == files[1] => return Mux::B,
                2 if float && self.since_sfu >= 3 => return Mux::R4,
                3 if float => return Mux::R0,
                4 if !float => return Mux::R1,
                5 if !float => return if self.random.chance(70) { Mux::R2 } else { Mux::R5 },
                _ => {}
            }
        }
    }

    fn arithmetic(&mut self) -> Alu {
        let mut alu = Alu::NOP;
        let mut files = [self.random.chance(60), self.random.chance(60)];
        (alu.raddr_a, alu.raddr_b) = (self.readable(File::A, files[0]), self.readable(File::B, files[1]));
        match self.random.below(12) {
            0 => (alu.raddr_a, files[0]) = (Raddr::UNIFORM, true),
            1 => (alu.raddr_b, files[1]) = (Raddr::UNIFORM, true),
            2 => (alu.raddr_a, files[0]) = (Raddr::ELEMENT_NUMBER, false),
            3..6 => {
                let code = self.random.below(48) as u8;
                alu = alu.with_small_imm(SmallImm(code));
                files[1] = code >= 32;
            }
            6 if !self.wrote_accumulators => {
                alu = alu.with_small_imm(SmallImm(48 + self.random.below(16) as u8));
                files[1] = false;
            }
            _ => {}
        }
        let floats = [AddOp::Fadd, AddOp::Fsub, AddOp::Fadd, AddOp::Fmin, AddOp::Fmax, AddOp::Fmaxabs, AddOp::Or];
        let mixed = [AddOp::Itof, AddOp::Ftoi];
        let (add, from, to) = match self.random.below(10) {
            0..5 => (self.random.pick(&floats), true, true),
            5 => (mixed[0], false, true),
            6 => (mixed[1], true, false),
            _ => (self.random.pick(AddOp::ALL), false, false),
        };
        let (a, mut b) = (self.mux(from, files), self.mux(from, files));
        if add == AddOp::Or && from || self.random.chance(15) {
            b = a;
        }
        let to = self.destination(to, None);
        alu = alu.with_add(add, to, a, b);
        let float = self.random.chance(50);
        let mul = if float { MulOp::Fmul } else { self.random.pick(MulOp::ALL) };
        let float = mul == MulOp::Fmul;
        let (c, d) = (self.mux(float, files), self.mux(float, files));
        let d = if self.random.chance(15) { c } else { d };
        let to = self.destination(float, Some(to));
        alu = alu.with_mul(mul, to, c, d);
        (alu.cond_add, alu.cond_mul) = (self.cond(), self.cond());
        alu.ws = self.random.chance(40);
        alu.sf = self.random.chance(30);
        alu
    }

    /// Puts most floats back to usual sizes.
    fn reset(&mut self) {
        for n in 0..9u8 {
            if self.random.chance(80) {
                let word = self.random.float();
                let to = if n == 8 { Waddr::R0 } else { Waddr(n / 2) };
                self.push(Ldi::all(if n % 2 == 0 { File::A } else { File::B }, to, word).into());
            }
        }
    }

    fn instruction(&mut self) {
        match self.random.below(24) {
            0 => {
                let float = self.random.chance(50);
                let imm = if float { self.random.float() } else { self.random.word() };
                let modes = [LdiMode::All, LdiMode::PerLaneSigned, LdiMode::PerLaneUnsigned];
                let mode = if float { LdiMode::All } else { self.random.pick(&modes) };
                let to = self.destination(float, None);
                let ldi = Ldi { mode, sf: self.random.chance(20), cond_add: self.cond(), ..Ldi::all(File::A, to, imm) };
                self.push(ldi.into());
            }
            1 if self.since_sfu >= 3 => {
                let to = Waddr(52 + self.random.below(4) as u8);
                let from = if self.wild { Mux::R1 } else { Mux::R0 };
                let beside = if self.random.chance(50) { self.arithmetic() } else { Alu::NOP };
                let alu = match self.random.chance(50) {
                    true => beside.with_add(AddOp::Or, to, from, from),
                    false => beside.with_mul(MulOp::V8min, to, from, from),
                };
                self.push(alu.into());
                self.since_sfu = 0;
            }
            2 | 3 => self.lookup(),
            6 if self.units => self.shared_unit(),
            4 if self.since_sfu >= 3 && self.pending != [0, 0] => {
                let unit = usize::from(self.pending[0] == 0);
                self.pending[unit] -= 1;
                let signal = if unit == 0 { Signal::LoadTmu0 } else { Signal::LoadTmu1 };
                let mut alu = self.arithmetic();
                while alu.sig != Signal::None {
                    alu = self.arithmetic();
                }
                self.push(Alu { sig: signal, ..alu }.into());
            }
            5 => {
                let mut alu = self.arithmetic();
                if !self.wild && alu.op_mul == MulOp::Fmul {
                    alu.op_mul = MulOp::Mul24;
                }
                let unpack = self.random.pick(&Unpack::ALL);
                let pm = self.random.chance(30) && self.since_sfu >= 3;
                self.push(Alu { unpack, pm, ..alu }.into());
            }
            _ => {
                let alu = self.arithmetic();
                self.push(alu.into());
            }
        }
    }

    /// Takes everything out of the queues, so that each iteration of a loop finds them as the first did.
    fn drain(&mut self) {
        while self.since_sfu < 3 {
            self.push(Inst::NOP);
        }
        for unit in 0..2 {
            for _ in 0..std::mem::take(&mut self.pending[unit]) {
                self.push(Alu::signal(if unit == 0 { Signal::LoadTmu0 } else { Signal::LoadTmu1 }).into());
            }
        }
    }

    fn body(&mut self, length: u32) {
        for _ in 0..length {
            self.instruction();
        }
    }

    /// A loop of some iterations; its body may hold a branch over a part of it, and another loop.
    fn counted(&mut self, iterations: u32, counter: u8, depth: u32) {
        let top_set = Ldi::all(File::A, Waddr(counter), iterations);
        self.push(top_set.into());
        self.push(Inst::NOP);
        let top = self.program.len();
        self.last.clear();
        self.reset();
        let length = 3 + self.random.below(25);
        self.body(length);
        if self.random.chance(40) {
            self.forward();
        }
        if depth > 0 && self.random.chance(50) {
            self.drain();
            let iterations = 2 + self.random.below(20);
            self.counted(iterations, counter + 1, depth - 1);
        }
        self.drain();
        self.push(Inst::NOP);
        let one = Alu::NOP.with_small_imm(SmallImm(1)).reading_a(Raddr(counter));
        self.push(Alu { sf: true, ..one.with_add(AddOp::Sub, Waddr(counter), Mux::A, Mux::B) }.into());
        let branch = Branch::between(self.program.len(), top).when(BranchCond::AnyZc);
        self.push(branch.into());
        for _ in 0..3 {
            let mut alu = self.arithmetic();
            alu.sf = false;
            self.push(alu.into());
        }
        self.push(Inst::NOP);
    }

    /// A branch over some instructions, by the flags as they happen to be.
    fn forward(&mut self) {
        self.drain();
        let at = self.program.len();
        let cond = self.random.pick(BranchCond::ALL);
        self.push(Inst::NOP);
        for _ in 0..3 {
            let alu = self.arithmetic();
            self.push(alu.into());
        }
        self.push(Inst::NOP);
        let length = 1 + self.random.below(10);
        self.body(length);
        self.drain();
        self.push(Inst::NOP);
        let to = self.program.len();
        self.program.insts[at] = Branch::between(at, to).when(cond).into();
        self.since_sfu = 0;
    }
}

fn program(seed: u64, wild: bool, units: bool) -> Program {
    let mut b = Builder {
        random: Random(seed),
        program: Program::new("random"),
        last: Vec::new(),
        wrote_accumulators: false,
        since_sfu: 9,
        pending: [0; 2],
        wild,
        units,
    };
    b.random.below(2);
    for n in 0..8 {
        for file in [File::A, File::B] {
            let word = if n < 4 { b.random.float() } else { b.random.word() };
            b.push(Ldi::all(file, Waddr(n), word).into());
        }
    }
    for waddr in [Waddr::R0, Waddr::R1, Waddr::R2] {
        let word = if waddr == Waddr::R0 { b.random.float() } else { b.random.word() };
        b.push(Ldi::all(File::A, waddr, word).into());
    }
    b.push(Ldi::all(File::B, Waddr(31), DATA).into());
    b.push(Ldi::all(File::A, Waddr::UNIFORMS_ADDRESS, UNIFORMS).into());
    b.push(Inst::NOP);
    b.push(Inst::NOP);
    let iterations = 5 + b.random.below(60);
    b.counted(iterations, 20, 2);
    b.push(Inst::NOP);
    b.program.push(Alu::signal(Signal::ProgramEnd), None);
    b.program.extend([Inst::NOP, Inst::NOP]);
    b.program
}

type Ending = (Result<Report, RunError>, Vec<quadra_isa::vc4::emu::Registers>, Vec<u8>);

fn run(program: &Program, threads: usize, engine: Engine, jit: Option<&Arc<Jit>>, seed: u64, wild: bool) -> Ending {
    // Half of the programs are judged as those of others. Data go by a seed's last digits, engines (`compare`) and this by what is
    // before them, so that every engine meets all data.
    let judged = if (seed / 12).is_multiple_of(2) { Config::default() } else { Config::of_others() };
    let mut machine = Machine::new(Config { engine, leftovers: Some(seed), budget: 400_000, ..judged });
    if let Some(jit) = jit {
        machine.set_translator(jit.clone());
    }
    machine.add_program(CODE, program).expect("free");
    let mut random = Random(seed);
    let words: Vec<u32> = (0..20_000).map(|_| if wild { random.word() } else { random.float() }).collect();
    let uniforms = Region::of_words("uniforms", UNIFORMS, &words).with_tail(Tail::Warn);
    machine.add_region(uniforms).expect("free");
    let data = Region::of_words("data", DATA, &words[..if seed.is_multiple_of(2) { 16 } else { 16_000 }]);
    machine.add_region(if seed % 4 < 2 { data } else { data.writable() }).expect("free");
    machine.add_region(Region::of_words("out", OUT, &[0; 256]).writable()).expect("free");
    let threads: Vec<Thread> = (0..threads).map(|_| Thread { pc: CODE, uniforms: UNIFORMS }).collect();
    let report = machine.run(&threads);
    let registers = (0..threads.len()).filter_map(|q| machine.registers(q)).collect();
    let out = machine.memory().region("out").map(|r| r.bytes.clone()).unwrap_or_default();
    (report, registers, out)
}

fn jits() -> Vec<(String, Arc<Jit>)> {
    let names = ["libLLVM-15.so.1", "libLLVM.so.19.1"];
    let mut jits = Vec::new();
    for (name, jit) in [("direct", Jit::direct(2, false)), ("direct, in halves", Jit::direct_in_halves(2, false))] {
        match jit {
            Some(jit) => jits.push((name.to_string(), Arc::new(jit))),
            None => quadra_base::testing::not_here("this processor has no AVX2"),
        }
    }
    for name in names {
        let Ok(llvm) = Llvm::load(name) else {
            quadra_base::testing::left_out(format_args!("{name} is not installed"));
            continue;
        };
        let features: &[&str] =
            if llvm.has_feature("avx512f") { &["", "-avx512f", "-avx512f,-avx2,-avx"] } else { &[""] };
        for features in features {
            jits.push((format!("{name} {features}"), Arc::new(Jit::new(llvm.clone(), 2, features))));
        }
    }
    jits
}

/// A number from the environment.
fn asked(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Engines with their names.
type Engines = Vec<(String, Arc<Jit>)>;

/// What to run programs of these seeds with: each with one translator in turn, or with all of them and all interpreting engines.
/// `QUADRA_SEEDS=20000` asks for as many programs without libLLVM, and with `QUADRA_ENGINES=all` for every engine on each;
/// `QUADRA_SEED` is added to the numbers of the programs.
fn wanted(seeds: std::ops::Range<u64>) -> (std::ops::Range<u64>, Engines, bool) {
    let all = std::env::var("QUADRA_ENGINES").is_ok_and(|which| which == "all");
    let start = seeds.start + asked("QUADRA_SEED").unwrap_or(0);
    let more = asked("QUADRA_SEEDS");
    let mut jits = jits();
    jits.retain(|(name, _)| more.is_none() || all || name.starts_with("direct"));
    (start..start + more.unwrap_or(seeds.end - seeds.start), jits, all)
}

fn same(expected: &Ending, got: &Ending, what: &str) {
    assert_eq!(expected.0, got.0, "{what}");
    for (qpu, (a, b)) in expected.1.iter().zip(&got.1).enumerate() {
        for n in 0..32 {
            assert_eq!(a.a[n], b.a[n], "{what} qpu {qpu} ra{n}");
            assert_eq!(a.b[n], b.b[n], "{what} qpu {qpu} rb{n}");
        }
        assert_eq!(a, b, "{what} qpu {qpu}");
    }
    assert_eq!(expected.2, got.2, "{what}: memory");
}

fn compare(seeds: std::ops::Range<u64>, wild: bool, units: bool) {
    let (seeds, jits, all) = wanted(seeds);
    let (mut faults, mut ends, mut instructions) = (0, 0, 0);
    for seed in seeds {
        let program = program(seed, wild, units);
        let threads = 1 + seed as usize % 3;
        let expected = run(&program, threads, Engine::Auto, None, seed, wild);
        if expected.0.is_ok() {
            ends += 1
        } else {
            faults += 1
        }
        instructions += expected.0.as_ref().map_or(0, Report::issued);
        // The engines of this processor that `auto` has not taken.
        for engine in [Engine::Portable, Engine::Avx2, Engine::Avx512] {
            if engine.resolve() != Engine::Auto.resolve() && (all || (seed / 4).is_multiple_of(8)) {
                same(&expected, &run(&program, threads, engine, None, seed, wild), &format!("seed {seed} {engine:?}"));
            }
        }
        for (n, (name, jit)) in jits.iter().enumerate() {
            if all || n as u64 == seed / 4 % jits.len() as u64 {
                let got = run(&program, threads, Engine::Auto, Some(jit), seed, wild);
                same(&expected, &got, &format!("seed {seed} {name}"));
            }
        }
    }
    println!("{ends} programs ended, {faults} stopped at a fault; {instructions} instructions");
    for (name, jit) in jits {
        let s = jit.statistics();
        let (count, seconds) = (s.compiled(), s.compile_seconds());
        println!("{name}: {count} regions in {seconds:.3} s, {} executed, {} undone", s.executed(), s.undone());
        if let Some(failure) = jit.failure() {
            panic!("{name}: {}", failure.render(false));
        }
        assert!(count > 0, "{name} translated nothing");
        // Translation by libLLVM leaves what QPUs share to the engine.
        let few = wild || units && !name.starts_with("direct");
        let least = if units { 50_000 } else { 100_000 };
        assert!(few || s.executed() > least, "{name} executed little");
    }
}

#[test]
fn random_loops_end_the_same_way() {
    compare(0..80, false, false);
}

#[test]
fn random_loops_with_infinities_end_the_same_way() {
    compare(1000..1024, true, false);
}

#[test]
fn random_loops_with_shared_units_end_the_same_way() {
    compare(2000..2160, false, true);
}
