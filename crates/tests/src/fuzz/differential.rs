//! One kernel, run in every way there is.

use super::kernels::Case;
use quadra_back_qpu as back_qpu;
use quadra_device::buffer::Storage;
use quadra_device::{Argument, Device, LaunchOptions, Loads};
use quadra_isa::vc4::hazard;
use quadra_kir::interp::{simd, simt};
use quadra_kir::{Arithmetic, Caps, Elem, Fault, Kernel, Level, Memory, MemoryBuffer, Param, check, parse, print};
use quadra_passes::{pass, pipeline};

/// How to compare.
#[derive(Clone, Debug)]
pub struct Options {
    /// Also run the words of these optimisation levels on the emulated QPUs, and ask the validator about them.
    pub levels: Vec<u8>,
    /// Run the interpreter behind every pass.
    pub passes: bool,
    /// Check the kernel behind every pass.
    pub check: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { levels: vec![0, 1, 2], passes: true, check: true }
    }
}

/// A kernel that does not do the same everywhere.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    /// Which arithmetic, and behind which pass or on which device.
    pub place: String,
    /// What differs.
    pub what: String,
}

impl std::fmt::Display for Mismatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

/// Runs the case in the SIMT interpreter, then in the interpreters behind every pass, in both arithmetics, then on the
/// emulator. Gives the instructions that the oracle ran.
///
/// # Errors
/// The first difference, or the message of a panic.
pub fn differential(case: &Case, options: &Options) -> Result<u64, Mismatch> {
    let run = std::panic::AssertUnwindSafe(|| compare(case, options));
    std::panic::catch_unwind(run).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string())).unwrap_or_default();
        // Where it stopped tells panics apart, the rest of the message may name values.
        let first = text.split(['`', ':', '%']).next().unwrap_or_default().to_string();
        Err(Mismatch { place: format!("panic, {first}"), what: text })
    })
}

fn compare(case: &Case, options: &Options) -> Result<u64, Mismatch> {
    let mut instructions = text(case)?;
    let nearest = options.passes.then_some(Arithmetic::Nearest);
    for arithmetic in nearest.into_iter().chain([Arithmetic::TowardZero]) {
        // Rounded to nearest nothing needs to be expanded; the QPU's arithmetic runs what is legal on the QPU.
        let caps = match arithmetic {
            Arithmetic::Nearest => Caps::EVERYTHING,
            Arithmetic::TowardZero => quadra_back_qpu::caps(),
        };
        let mut steps = Steps { case, arithmetic, expected: Memory::default(), options };
        let place = format!("{arithmetic:?}, simt");
        let (memory, count) = steps.run(&case.kernel).map_err(|f| fault(&place, &f))?;
        steps.expected = memory;
        instructions += count;
        let legal = steps.passes(&caps)?;
        if arithmetic == Arithmetic::TowardZero {
            for &level in &options.levels {
                let loads = loads_of(case);
                validate(&legal, level, loads)?;
                emulate(case, &steps.expected, level, loads)?;
            }
        }
    }
    Ok(instructions)
}

fn fault(place: &str, fault: &Fault) -> Mismatch {
    Mismatch { place: place.to_string(), what: fault.to_diagnostic().render(false) }
}

/// The kernel's text, parsed and printed again, is the same text.
fn text(case: &Case) -> Result<u64, Mismatch> {
    let once = print::kernel(&case.kernel);
    let bad = |what: String| Mismatch { place: "text".into(), what };
    let again = parse::kernel("random.kir", &once).map_err(|e| bad(e[0].render(false)))?;
    let twice = print::kernel(&again);
    if once == twice { Ok(0) } else { Err(bad(format!("printed again it is\n{twice}"))) }
}

struct Steps<'a> {
    case: &'a Case,
    arithmetic: Arithmetic,
    expected: Memory,
    options: &'a Options,
}

impl Steps<'_> {
    fn run(&self, kernel: &Kernel) -> Result<(Memory, u64), Fault> {
        let mut memory = self.case.memory.clone();
        let mut launch = self.case.launch.clone();
        launch.arithmetic = self.arithmetic;
        let run = if kernel.level == Level::Simt { simt::run } else { simd::run };
        let stats = run(kernel, &mut memory, &launch, &mut |_| {})?;
        Ok((memory, stats.instructions))
    }

    /// Gives the kernel that is legal for the target.
    fn passes(&mut self, caps: &Caps) -> Result<Kernel, Mismatch> {
        let mut found = Ok(());
        let options = pass::Options { after: None, check: false };
        let result = pipeline::compile_with(&self.case.kernel, caps, &options, &mut |step| {
            if found.is_ok() {
                found = self.step(step.pass.name, step.kernel);
            }
        });
        found?;
        let kernel = result.map_err(|e| Mismatch { place: "pipeline".into(), what: e[0].render(false) })?;
        if !self.options.passes {
            return Ok(kernel);
        }
        // Few rows and many, alone and beside others.
        let workers = self.case.launch.workers;
        for (staging_rows, alias, uncached, near_rows) in [(4, false, 0, 0), (15, false, 3, 48), (3, true, 0, 8)] {
            // Sums of floats are rounded in another order.
            let range_rows = if self.case.inexact { 0 } else { near_rows / 8 };
            let launches =
                pass::Launches { most_workers: workers, alias, uncached, staging_rows, near_rows, range_rows };
            let (mut found, mut kernel) = (Ok(()), kernel.clone());
            let result = quadra_passes_dma::memory(&mut kernel, caps, launches, &options, &mut |step| {
                if found.is_ok() {
                    found = self.step(step.pass.name, step.kernel);
                }
            });
            found?;
            result.map_err(|e| Mismatch { place: "pipeline".into(), what: e[0].render(false) })?;
        }
        Ok(kernel)
    }

    fn step(&mut self, name: &str, kernel: &Kernel) -> Result<(), Mismatch> {
        let place = format!("{:?}, {name}", self.arithmetic);
        let moves = self.arithmetic == Arithmetic::TowardZero && name == "legalize" && self.case.inexact;
        if !self.options.passes && !moves {
            return Ok(());
        }
        let problems = if self.options.check { check::kernel(kernel) } else { Vec::new() };
        if let Some(d) = problems.first() {
            return Err(Mismatch { place: format!("check, {name}"), what: format!("{d}\n{kernel}") });
        }
        let (memory, _) = self.run(kernel).map_err(|f| fault(&place, &f))?;
        if moves {
            // What replaces a division rounds a little differently: from here on this is what must come out.
            self.expected = memory;
            return Ok(());
        }
        same(&self.case.kernel, &self.expected, &memory)
            .map_err(|what| Mismatch { place, what: format!("{what}\n{kernel}") })
    }
}

/// Whether the buffers agree bit for bit.
fn same(kernel: &Kernel, expected: &Memory, actual: &Memory) -> Result<(), String> {
    let buffers = kernel.params.iter().filter(|p| matches!(p, Param::Buffer(_)));
    for ((e, a), &param) in expected.buffers.iter().zip(&actual.buffers).zip(buffers) {
        let size = e.elem.bytes() as usize;
        let Some(at) = e.bytes.chunks(size).zip(a.bytes.chunks(size)).position(|(x, y)| x != y) else { continue };
        let name = kernel.param_name(param);
        let bits = |buffer: &MemoryBuffer| {
            let bytes = &buffer.bytes[at * size..][..size];
            bytes.iter().rev().fold(0u32, |bits, &byte| bits << 8 | u32::from(byte))
        };
        let (x, y) = (bits(e), bits(a));
        return Err(match e.elem {
            Elem::F32 => {
                let (u, v) = (f32::from_bits(x), f32::from_bits(y));
                format!("{name}[{at}] is {v:?} ({y:#010x}) instead of {u:?} ({x:#010x})")
            }
            Elem::F16 => format!("{name}[{at}] has the bits {y:#06x} instead of {x:#06x}"),
            _ => format!("{name}[{at}] is {} instead of {}", y as i32, x as i32),
        });
    }
    Ok(())
}

/// Which way the loads of a case take on the QPU: every fourth kernel, by its size, has them all past the caches.
fn loads_of(case: &Case) -> Loads {
    if case.kernel.body.count().is_multiple_of(4) { Loads::Vpm } else { Loads::Auto }
}

fn options(level: u8) -> back_qpu::Options {
    back_qpu::Options { opt_level: level, ..back_qpu::Options::default() }
}

/// The program keeps every rule of the machine.
fn validate(legal: &Kernel, level: u8, loads: Loads) -> Result<(), Mismatch> {
    let bad = |what: String| Mismatch { place: format!("validator, -O{level}"), what };
    let compiled = back_qpu::compile(legal, &back_qpu::Options { loads, ..options(level) })
        .map_err(|e| bad(e[0].render(false)))?;
    let findings = hazard::validate(&compiled.program, hazard::Strictness::Normal);
    // Warnings count, but for those that the compiler gives on purpose: transfers that queue, rows read beside a load.
    let allowed = ["H06", "H13", "H37", "H42", "H44"];
    match findings.iter().find(|f| f.severity == hazard::Severity::Error || !allowed.contains(&f.rule)) {
        None => Ok(()),
        Some(f) => Err(bad(format!(
            "{} at {}: {}\n{}",
            f.rule,
            f.index,
            f.message,
            quadra_isa::vc4::disasm::annotated(&compiled.program)
        ))),
    }
}

/// Runs the kernel as words on the emulated QPUs.
fn emulate(case: &Case, expected: &Memory, level: u8, loads: Loads) -> Result<(), Mismatch> {
    let place = format!("emu, -O{level}");
    let bad = |what: String| Mismatch { place: place.clone(), what };
    let device = quadra_device::emu::Emu::new().with_options(options(level));
    let module = device.compile(&case.kernel).map_err(|e| bad(e[0].render(false)))?;
    let buffers: Vec<Storage> = case.memory.buffers.iter().cloned().map(Storage::new).collect();
    let args: Vec<Argument> = case
        .launch
        .args
        .iter()
        .map(|arg| match *arg {
            quadra_kir::Arg::Scalar(c) => Argument::Scalar(c),
            quadra_kir::Arg::Buffer(i) => Argument::Buffer(buffers[i].clone()),
        })
        .collect();
    let options = LaunchOptions {
        workers: case.launch.workers,
        extent: case.launch.extent.clone(),
        budget: 200_000_000,
        loads,
        ..LaunchOptions::default()
    };
    module.launch(&args, &options).map_err(|f| fault(&place, &f))?;
    let read = |b: &Storage| b.read().clone();
    let actual = Memory { buffers: buffers.iter().map(read).collect() };
    same(&case.kernel, expected, &actual).map_err(bad)
}
