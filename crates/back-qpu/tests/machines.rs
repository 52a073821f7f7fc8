//! Random kernels on both instruction sets, through the same allocation and schedulers: what they leave in memory is what the
//! interpreter leaves, bit for bit. Values that found no register and pipelined loops are among them.

mod common;
mod one_file;
#[path = "machines/programs.rs"]
mod programs;

use common::{How, emulate, listing, parse};
use one_file::{emulator, select};
use programs::{READ, Random, WRITTEN, kernel};
use quadra_back_qpu as back;
use quadra_isa::vc4::{File, Inst, Raddr};
use quadra_kir as kir;

/// Programs on each machine.
const PROGRAMS: u64 = 1000;

/// A program with its data, and what the interpreter makes of it.
struct Case {
    text: String,
    kernel: kir::Kernel,
    rows: i32,
    before: kir::Memory,
    after: kir::Memory,
}

impl Case {
    fn new(seed: u64) -> Case {
        let mut random = Random::new(seed ^ 0xda7a);
        let text = kernel(seed);
        let kernel = parse(&text);
        let number = |_| if random.below(3) == 0 { random.below(9) as i32 - 4 } else { random.below(1 << 31) as i32 };
        let data: Vec<i32> = (0..16 * READ as usize).map(number).collect();
        let rows = 16 * Random::new(seed).below(READ as usize + 1) as i32;
        let before = kir::Memory {
            buffers: vec![kir::MemoryBuffer::of_i32(&data), kir::MemoryBuffer::of_i32(&[0; 16 * WRITTEN as usize])],
        };
        let mut after = before.clone();
        let mut case = Case { text, kernel, rows, after: before.clone(), before };
        kir::interp::simd::run(&case.kernel, &mut after, &case.launch(), &mut |_| {})
            .unwrap_or_else(|e| panic!("{e:?}\n{}", case.text));
        case.after = after;
        case
    }

    fn launch(&self) -> kir::Launch {
        let mut launch = common::launch_on(2, 0);
        launch.args.push(kir::Arg::Scalar(kir::Const::i32(self.rows)));
        launch
    }
}

/// How often what the test is about has occurred.
#[derive(Debug, Default)]
struct Seen {
    spilled: usize,
    pipelined: usize,
    /// Both in one program.
    both: usize,
}

impl Seen {
    fn add(&mut self, spilled: bool, loops: &[back::LoopReport]) {
        let pipelined = loops.iter().any(|l| l.stages > 1);
        self.spilled += usize::from(spilled);
        self.pipelined += usize::from(pipelined);
        self.both += usize::from(spilled && pipelined);
    }

    fn check(&self) {
        assert!(self.spilled > 100 && self.pipelined > 100 && self.both > 10, "{self:?}");
    }
}

/// Registers of each file, of `all`, and the level.
fn how(seed: u64, all: u8) -> (u8, u8) {
    ([all, 6, 9, 16][(seed % 4) as usize], if seed % 8 == 7 { (seed / 8 % 2) as u8 } else { 2 })
}

/// Whether a program whose loads go through the TMUs reads the VPM, where spilled values are.
fn reads_vpm(compiled: &back::Compiled) -> bool {
    let reads = |inst: &Inst| match inst {
        Inst::Alu(alu) => [File::A, File::B].into_iter().any(|f| alu.read(f) == Some(Raddr::VPM)),
        _ => false,
    };
    compiled.program.insts.iter().any(reads)
}

#[test]
fn random_programs_on_the_videocore() {
    let mut seen = Seen::default();
    for seed in 0..PROGRAMS {
        let case = Case::new(seed);
        let (registers, level) = how(seed, 32);
        let options = back::Options { opt_level: level, registers, ..back::Options::default() };
        let (compiled, loops) =
            back::explain(&case.kernel, &options).unwrap_or_else(|d| panic!("{d:?}\n{}", case.text));
        seen.add(reads_vpm(&compiled), &loops);
        let mut memory = case.before.clone();
        let how = How { level, registers, ..How::default() };
        emulate(&case.kernel, &mut memory, &case.launch(), how).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        assert!(memory == case.after, "seed {seed}\n{}\n{}", case.text, listing(&compiled));
    }
    seen.check();
}

#[test]
fn random_programs_on_a_machine_of_one_file() {
    let (mut seen, mut far) = (Seen::default(), 0);
    for seed in 0..PROGRAMS {
        let case = Case::new(seed);
        let (registers, level) = how(seed, 64);
        let read = 16 * READ;
        let compiled = select::compile(&case.kernel, &[0, read], registers, level);
        seen.add(compiled.spill.loads > 0, &compiled.loops);
        far += compiled.spill.far;
        let mut memory: Vec<u32> = case.before.buffers.iter().flat_map(kir::MemoryBuffer::words).collect();
        emulator::run(&compiled.words, &mut memory, read as usize, &[case.rows as u32])
            .unwrap_or_else(|e| panic!("seed {seed}: {e}\n{}", case.text));
        assert!(memory[read as usize..] == case.after.buffers[1].words()[..], "seed {seed}\n{}", case.text);
    }
    seen.check();
    assert!(far > 0, "more values were spilled than near rows hold");
}
