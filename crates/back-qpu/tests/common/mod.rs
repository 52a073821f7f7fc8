//! Running compiled kernels on the emulator.
#![allow(dead_code)]

use quadra_back_qpu as back;
use quadra_isa::vc4::emu::{Config, Machine, Region, Report, SfuModel, Tail, Thread};
use quadra_isa::vc4::hazard::{self, Severity, Strictness};
use quadra_isa::vc4::timing::{self, Outcome};
use quadra_kir as kir;

const CODE: u32 = 0x0010_0000;
const UNIFORMS: u32 = 0x0080_0000;
const SCRATCH: u32 = 0x00c0_0000;
const BUFFERS: u32 = 0x0100_0000;
/// Apart far enough that the guard behind one buffer never reaches the next.
const APART: u32 = 0x0010_0000;

/// How to compile and run.
#[derive(Clone, Copy)]
pub struct How {
    pub level: u8,
    pub qpus: Option<u32>,
    pub sfu: SfuModel,
    pub registers: u8,
    pub uncached: u64,
    pub loads: back::Loads,
}

impl Default for How {
    fn default() -> How {
        How { level: 2, qpus: None, sfu: SfuModel::default(), registers: 32, uncached: 0, loads: back::Loads::Auto }
    }
}

/// Compiles; every rule of the machine must hold.
pub fn compile(kernel: &kir::Kernel, how: How) -> back::Compiled {
    let options = back::Options {
        opt_level: how.level,
        qpus: how.qpus,
        registers: how.registers,
        uncached: how.uncached,
        loads: how.loads,
        ..back::Options::default()
    };
    let compiled = back::compile(kernel, &options).unwrap_or_else(|d| panic!("{}: {d:?}", kernel.name));
    // What the hardware is known to do although a rule says may: several transfers queue (H42), rows other than those
    // that a load fills are read meanwhile (H44), lanes that do not matter are rotated early (H06).
    let allowed = ["H06", "H13", "H37", "H42", "H44"];
    let findings: Vec<String> = hazard::validate(&compiled.program, Strictness::Normal)
        .into_iter()
        .filter(|f| f.severity == Severity::Error || !allowed.contains(&f.rule))
        .map(|f| format!("{} at {}: {}", f.rule, f.index, f.message))
        .collect();
    assert!(findings.is_empty(), "{findings:#?}\n{}", listing(&compiled));
    compiled
}

pub fn listing(compiled: &back::Compiled) -> String {
    quadra_isa::vc4::disasm::annotated(&compiled.program)
}

/// Runs a launch; the buffers hold what the program stored.
pub fn emulate(
    kernel: &kir::Kernel,
    memory: &mut kir::Memory,
    launch: &kir::Launch,
    how: How,
) -> Result<(back::Compiled, Report), String> {
    emulate_printing(kernel, memory, launch, how, &mut |_| {})
}

/// The same; `sink` receives what the kernel prints.
pub fn emulate_printing(
    kernel: &kir::Kernel,
    memory: &mut kir::Memory,
    launch: &kir::Launch,
    how: How,
    sink: &mut dyn FnMut(&str),
) -> Result<(back::Compiled, Report), String> {
    let (compiled, mut machine, threads) = prepare(kernel, memory, launch, how)?;
    let run = machine.run_with(&threads, &mut |hit| sink(&back::print_line(hit)));
    let report = run.map_err(|e| format!("{e:?}\n{}", listing(&compiled)))?;
    finish(machine, &report, memory)?;
    Ok((compiled, report))
}

/// The same in modelled time.
pub fn time(
    kernel: &kir::Kernel,
    memory: &mut kir::Memory,
    launch: &kir::Launch,
    how: How,
) -> Result<(back::Compiled, Outcome), String> {
    let (compiled, mut machine, threads) = prepare(kernel, memory, launch, how)?;
    let run = timing::run(&mut machine, &threads, &timing::Parameters::default(), None);
    let outcome = run.map_err(|e| format!("{e:?}\n{}", listing(&compiled)))?;
    finish(machine, &outcome.report, memory)?;
    Ok((compiled, outcome))
}

fn prepare(
    kernel: &kir::Kernel,
    memory: &kir::Memory,
    launch: &kir::Launch,
    how: How,
) -> Result<(back::Compiled, Machine, Vec<Thread>), String> {
    let compiled = compile(kernel, how);
    let mut machine =
        Machine::new(Config { leftovers: Some(0x5eed), sfu: how.sfu, budget: 20_000_000, ..Config::default() });
    let mut params = Vec::new();
    for arg in &launch.args {
        params.push(match arg {
            kir::Arg::Scalar(c) => back::Binding::Scalar(c.bits as u32),
            kir::Arg::Buffer(i) => {
                back::Binding::Buffer { address: BUFFERS + *i as u32 * APART, dims: memory.buffers[*i].dims.clone() }
            }
        });
    }
    for (i, buffer) in memory.buffers.iter().enumerate() {
        let mut bytes = buffer.bytes.clone();
        bytes.resize(bytes.len().next_multiple_of(4).max(4), 0);
        let region = Region::new(format!("buffer {i}"), BUFFERS + i as u32 * APART, bytes);
        machine.add_region(region.writable().with_tail(Tail::Zero)).expect("buffers are apart");
    }
    machine.add_program(CODE, &compiled.program).expect("the program has its own place");
    let size = compiled.scratch_bytes;
    if size > 0 {
        let scratch = Region::new("scratch", SCRATCH, vec![0xa5; (size * launch.workers) as usize]);
        machine.add_region(scratch.writable()).expect("scratch has its own place");
    }
    let mut words = Vec::new();
    let mut threads = Vec::new();
    for worker in 0..launch.workers {
        let bindings = back::Bindings {
            params: &params,
            worker,
            num_workers: launch.workers,
            extent: &launch.extent,
            scratch: SCRATCH + worker * size,
            again: false,
        };
        threads.push(Thread { pc: CODE, uniforms: UNIFORMS + words.len() as u32 * 4 });
        words.extend(compiled.uniform_stream(&bindings)?);
    }
    words.push(0);
    machine.add_region(Region::of_words("uniforms", UNIFORMS, &words)).expect("uniforms have their own place");
    machine.add_probes(CODE, &compiled.program.probes);
    Ok((compiled, machine, threads))
}

fn finish(machine: Machine, report: &Report, memory: &mut kir::Memory) -> Result<(), String> {
    if report.semaphores != [0; 16] || report.mutex_held {
        return Err(format!("semaphores {:?}, mutex held: {}", report.semaphores, report.mutex_held));
    }
    let machine = machine.into_memory();
    for (i, buffer) in memory.buffers.iter_mut().enumerate() {
        let region = machine.region(&format!("buffer {i}")).expect("added above");
        let n = buffer.bytes.len();
        buffer.bytes.copy_from_slice(&region.bytes[..n]);
    }
    Ok(())
}

/// A kernel as it is written, and as the back end takes it.
pub fn legal(text: &str) -> (kir::Kernel, kir::Kernel) {
    let fine = |made: Result<kir::Kernel, Vec<quadra_base::Diagnostic>>| {
        made.unwrap_or_else(|d| panic!("{}\n{text}", d[0].render(false)))
    };
    let written = fine(kir::parse::kernel("test.kir", text));
    let legal = fine(quadra_passes::pipeline::compile(&written, &back::caps()));
    (written, legal)
}

/// A launch on so many buffers, in the arithmetic of the QPU, over so many items if there are any.
pub fn launch_on(buffers: usize, items: u32) -> kir::Launch {
    let mut launch = kir::Launch::new((0..buffers).map(kir::Arg::Buffer).collect());
    launch.arithmetic = kir::Arithmetic::TowardZero;
    launch.extent = if items > 0 { vec![items] } else { Vec::new() };
    launch
}

/// Runs a kernel `(%p: buf<i32, r>, %q: buf<i32, w>, %n: i32)` over nine rows of numbers: compiled in every way it agrees with
/// the interpreter. Gives the listing of the best.
pub fn agrees_in_every_way(kernel: &kir::Kernel) -> String {
    const ROWS: usize = 9;
    let data: Vec<i32> = (0..16 * ROWS as i32).map(|i| i.wrapping_mul(0x6789_4321) ^ (i << 7)).collect();
    let buffers = [data, vec![0; 16 * ROWS]].map(|b| kir::MemoryBuffer::of_i32(&b));
    let memory = kir::Memory { buffers: buffers.into() };
    let mut launch = launch_on(2, 0);
    launch.args.push(kir::Arg::Scalar(kir::Const::i32(ROWS as i32)));
    let mut want = memory.clone();
    kir::interp::simd::run(kernel, &mut want, &launch, &mut |_| {}).expect("the interpreter runs it");
    let mut best = String::new();
    for level in [0, 1, 2] {
        for registers in [6, 9, 32] {
            let mut m = memory.clone();
            let how = How { level, registers, ..How::default() };
            let (compiled, _) = emulate(kernel, &mut m, &launch, how).expect("the emulator runs it");
            best = listing(&compiled);
            assert!(m == want, "level {level}, {registers} registers\n{best}");
        }
    }
    best
}

/// The kernel of a text, at SIMD level.
pub fn parse(text: &str) -> kir::Kernel {
    let mut kernel = kir::parse::kernel("test", text).unwrap_or_else(|d| panic!("{d:?}\n{text}"));
    if kernel.level == kir::Level::Simt {
        quadra_passes::promote::run(&mut kernel);
        quadra_passes::mask::run(&mut kernel).unwrap_or_else(|d| panic!("{d:?}"));
    }
    quadra_passes::legalize::run(&mut kernel, &back::caps());
    kernel
}

pub fn floats(n: usize, salt: u32) -> kir::MemoryBuffer {
    let value = |i: u32| ((i.wrapping_mul(2_654_435_761).wrapping_add(salt) >> 20) as f32) / 4096.0;
    kir::MemoryBuffer::of_f32(&(0..n as u32).map(value).collect::<Vec<_>>())
}

/// Runs in modelled time; every buffer must hold what the interpreter of the same arithmetic leaves.
pub fn run(text: &str, memory: kir::Memory, scalars: &[kir::Const], order: &[bool], qpus: u32) -> Outcome {
    run_with(text, memory, scalars, order, How { qpus: Some(qpus), ..How::default() })
}

pub fn run_with(text: &str, mut memory: kir::Memory, scalars: &[kir::Const], order: &[bool], how: How) -> Outcome {
    let qpus = how.qpus.expect("given by the caller");
    let kernel = parse(text);
    let (mut scalar, mut buffer) = (scalars.iter(), 0..);
    let args = order.iter().map(|&is_buffer| match is_buffer {
        true => kir::Arg::Buffer(buffer.next().expect("the range is endless")),
        false => kir::Arg::Scalar(*scalar.next().expect("as many scalars as parameters")),
    });
    let mut launch = kir::Launch::new(args.collect());
    launch.workers = qpus;
    launch.arithmetic = kir::Arithmetic::TowardZero;
    launch.budget = 100_000_000;
    let mut want = memory.clone();
    kir::interp::simd::run(&kernel, &mut want, &launch, &mut |_| {}).expect("the kernel is right");
    let (compiled, outcome) = time(&kernel, &mut memory, &launch, how).unwrap_or_else(|e| panic!("{e}"));
    if std::env::var_os("LISTING").is_some() {
        println!("{}", listing(&compiled));
    }
    for (i, (got, want)) in memory.buffers.iter().zip(&want.buffers).enumerate() {
        assert!(got.words() == want.words(), "buffer {i} of {}", kernel.name);
    }
    outcome
}
