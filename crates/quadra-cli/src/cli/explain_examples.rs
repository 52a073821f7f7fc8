//! What raises the codes that no Quasar program does: kernels, assembly, images, commands. `quadra explain` runs the first three and
//! shows what is said of them.

use quadra_base::Diagnostic;
use quadra_device::{Argument, Buffer, LaunchOptions, open};
use quadra_isa::vc4::asm;
use quadra_isa::vc4::emu::Config;
use quadra_isa::vc4::image::{Image, ImageThread, Loaded, Options as Emulation, Segment, emulate};
use quadra_kir::{Kernel, Param, check, parse};

/// Elements of the buffers that an example is launched with.
const ELEMENTS: usize = 16;
/// Instructions that an example may take.
const BUDGET: u64 = 100_000;

/// An example and how it is run.
pub struct Shown {
    pub kind: &'static str,
    /// What is special about the launch, in words.
    pub how: &'static str,
    pub text: &'static str,
}

/// The example of a code; of those for kernels in Rust that of the front end.
pub fn example(code: &str) -> Option<Shown> {
    if let Some(text) = quadra_dsl::codes::example(code) {
        return Some(Shown { kind: "rust", how: "", text });
    }
    let all = include_str!("../examples.txt").strip_prefix("== ")?;
    let found = all.split("\n== ").find_map(|part| part.strip_prefix(code))?;
    let (first, text) = found.split_once('\n')?;
    let (kind, how) = first.trim().split_once(' ').unwrap_or((first.trim(), ""));
    Some(Shown { kind, how, text: text.trim_end() })
}

/// What is said of an example of kind `kir`, `asm` or `json`.
pub fn said(example: &Shown) -> Vec<Diagnostic> {
    match example.kind {
        "kir" => kernel(example).err().unwrap_or_default(),
        "asm" => assembly(example),
        "json" => image(example.text).err().map_or_else(Vec::new, |d| vec![*d]),
        _ => Vec::new(),
    }
}

/// Checks, compiles and perhaps launches a kernel on the emulated chip.
fn kernel(example: &Shown) -> Result<(), Vec<Diagnostic>> {
    let kernel = parse::kernel("example.kir", example.text)?;
    let problems = check::structure(&kernel);
    if problems.iter().any(Diagnostic::is_error) {
        return Err(problems);
    }
    // Requests that do not fit are found by the compiler; what it lets by, by a launch on an interpreter.
    let device = if example.how.is_empty() { "emu" } else { "interp" };
    let module = open(device).map_err(|d| vec![d])?.compile(&kernel)?;
    let options = LaunchOptions { budget: BUDGET, ..LaunchOptions::default() };
    let mut list = arguments(&kernel);
    if example.how.contains("without") {
        list.clear();
    }
    match module.launch(&list, &options) {
        Ok(_) => Ok(()),
        Err(fault) => Err(vec![fault.to_diagnostic()]),
    }
}

/// Arrays of zeros, and 1 for every number.
fn arguments(kernel: &Kernel) -> Vec<Argument> {
    kernel
        .params
        .iter()
        .map(|p| if matches!(p, Param::Buffer(..)) { Argument::from(&Buffer::<i32>::new(ELEMENTS)) } else { 1.into() })
        .collect()
}

/// Assembles a program, and perhaps runs it on one emulated QPU.
fn assembly(example: &Shown) -> Vec<Diagnostic> {
    let (assembly, said) = asm::assemble("example.qasm", example.text, &asm::Options::default());
    let Some(assembly) = assembly.filter(|_| !example.how.is_empty()) else { return said };
    let contents: Vec<u8> = assembly.words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let segment = Segment { name: "program".into(), addr: 0, off: 0, nbytes: contents.len() as u64 };
    let threads = vec![ImageThread { pc: 0, unif: 0 }];
    let image = Image { threads, segments: vec![segment], zero_segments: Vec::new(), measured: None };
    let machine = Loaded { image, contents }.machine(Config { budget: BUDGET, ..Config::default() });
    match machine {
        Ok((mut machine, threads)) => machine.run(&threads).err().map_or(said, |e| vec![e.diagnostic()]),
        Err(d) => vec![*d],
    }
}

fn image(text: &str) -> Result<(), Box<Diagnostic>> {
    let place = tempfile::tempdir().map_err(|e| Box::new(Diagnostic::error("E0721", e.to_string())))?;
    let path = place.path().join("example.json");
    std::fs::write(&path, text).map_err(|e| Box::new(Diagnostic::error("E0721", e.to_string())))?;
    emulate(&path, &Emulation::default()).map(drop)
}
