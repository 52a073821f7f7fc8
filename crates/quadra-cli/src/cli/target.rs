//! What `profile` and `debug` run: an image, or a workload of a shipped kernel as the emulated device would launch it.

use super::quasar_kernels;
use quadra::kernels::{self, Shipped, Workload};
use quadra_base::{Diagnostic, Span};
use quadra_device::Device;
use quadra_device::emu::{Capture, Emu, Prepared};
use quadra_isa::vc4::emu::{Config, Machine, Memory, SfuModel, Thread};
use quadra_isa::vc4::image::Loaded;
use quadra_isa::vc4::{Inst, Program, decode, disasm};
use std::path::Path;
use std::sync::Arc;

/// Instructions that may be executed if nobody says how many.
const BUDGET: u64 = 10_000_000_000;

/// Which program, in arguments shared by the commands.
#[derive(clap::Args)]
pub struct Choice {
    /// The JSON file of an image, a shipped kernel (`quadra kernels` lists them), or a Quasar program (ending in .q).
    pub target: String,
    /// Program: the first launch of this kernel, or of the loop in this line; the first of all without it.
    #[arg(long, value_name = "NAME|LINE")]
    kernel: Option<String>,
    /// Kernel: run the workload whose name contains this text; the first one without it.
    #[arg(long, value_name = "TEXT")]
    workload: Option<String>,
    /// Kernel: run the workload for this many QPUs, or the chosen workload on this many. Program: QPUs, 12 without it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=12))]
    qpus: Option<u32>,
    /// Instructions that all QPUs together may execute.
    #[arg(long, value_name = "N", default_value_t = BUDGET)]
    budget: u64,
    /// What the special functions (reciprocal, root, 2^x, logarithm) give on emulated QPUs, whose tables are unpublished:
    /// `ideal` the right value, `model` what recorded values of boards suggest (within 2^-14), `worst` errors up to 2^-13.
    #[arg(long, value_name = "MODEL", default_value = "model", value_parser = crate::options::sfu())]
    sfu: SfuModel,
    /// Image: what a board survives is an error, too, as it is in programs of our own.
    #[arg(long)]
    strict: bool,
}

/// Code that the machine executes.
pub struct Code {
    /// Byte address of the first instruction.
    pub base: u32,
    /// Words that are no instruction stand as no-operations here.
    pub program: Program,
    pub words: Vec<u64>,
}

/// A machine that is ready to run.
pub struct Target {
    /// What it is, for a heading.
    pub name: String,
    pub machine: Machine,
    pub threads: Vec<Thread>,
    /// The code that the threads start in.
    pub codes: Vec<Code>,
}

impl Choice {
    /// What somebody asks for who is not at the command line.
    pub fn named(target: &str, kernel: Option<String>, workload: Option<String>, qpus: Option<u32>) -> Choice {
        Choice {
            target: target.into(),
            kernel,
            workload,
            qpus,
            budget: BUDGET,
            sfu: SfuModel::default(),
            strict: false,
        }
    }

    /// Whether it says which code of the target is meant.
    pub fn names_code(&self) -> bool {
        self.kernel.is_some() || self.qpus.is_some()
    }

    /// Prepares the machine; `profile` says whether it counts executions.
    ///
    /// # Errors
    /// An image that cannot be read, an unknown kernel or workload, or a kernel that the device refuses.
    pub fn prepare(&self, profile: bool) -> Result<Target, Vec<Diagnostic>> {
        if self.target.ends_with(".json") {
            let config = Config { budget: self.budget, profile, sfu: self.sfu, ..super::common::judged(self.strict) };
            return image(Path::new(&self.target), config).map_err(|d| vec![*d]);
        }
        if quasar_kernels::is_program(&self.target) {
            let qpus = self.qpus.unwrap_or_else(|| Emu::new().max_workers());
            let text = self.kernel.as_deref().unwrap_or("");
            let (title, prepared) =
                quasar_kernels::first_launch(&self.target, text, &Emu::new().with_sfu(self.sfu).with_qpus(qpus))?;
            return Ok(Target::of(&format!("{title}, its first launch"), qpus, prepared, profile));
        }
        let kernel = kernels::find(&self.target)
            .map_err(|d| vec![d.help("or name the JSON file of an image or a Quasar program, with its ending")])?;
        let workload = self.workload(kernel).map_err(|d| vec![d])?;
        let qpus = self.qpus.unwrap_or(workload.qpus);
        let prepared = capture(kernel, workload, (qpus, self.sfu)).map_err(|d| vec![d])?;
        Ok(Target::of(&format!("{}, {}", kernel.name, workload.name), qpus, prepared, profile))
    }

    /// Instructions that all QPUs together may execute.
    pub fn budget(&self) -> u64 {
        self.budget
    }

    fn workload(&self, kernel: &'static Shipped) -> Result<&'static Workload, Diagnostic> {
        let text = self.workload.as_deref().unwrap_or("");
        let named: Vec<&Workload> = kernel.workloads.iter().filter(|w| w.name.contains(text)).collect();
        let exact = named.iter().find(|w| self.qpus.is_none_or(|q| q == w.qpus));
        exact.or(named.first()).copied().ok_or_else(|| {
            let names: Vec<&str> = kernel.workloads.iter().map(|w| w.name).collect();
            let message = format!("no workload of `{}` has `{text}` in its name", kernel.name);
            Diagnostic::error("E0801", message).help(format!("its workloads are: {}", names.join("; ")))
        })
    }
}

impl Target {
    /// A launch on so many QPUs.
    fn of(what: &str, qpus: u32, prepared: Prepared, profile: bool) -> Target {
        let mut machine = prepared.machine;
        machine.set_profile(profile);
        let code = Code { base: prepared.code, words: prepared.program.words(), program: prepared.program };
        let plural = if qpus == 1 { "QPU" } else { "QPUs" };
        Target { name: format!("{what} on {qpus} {plural}"), machine, threads: prepared.threads, codes: vec![code] }
    }
}

/// The first launch of a workload, as the emulated device makes it.
fn capture(kernel: &Shipped, workload: &Workload, (qpus, sfu): (u32, SfuModel)) -> Result<Prepared, Diagnostic> {
    let capture = Arc::new(Capture::default());
    let device = Emu::new().with_sfu(sfu).with_capture(capture.clone());
    let outcome = (workload.run)(&device, qpus);
    match capture.take() {
        Some(prepared) => Ok(prepared),
        None => Err(outcome
            .err()
            .unwrap_or_else(|| Diagnostic::error("E0801", format!("`{}` launched nothing", kernel.name)))),
    }
}

fn image(path: &Path, config: Config) -> Result<Target, Box<Diagnostic>> {
    let (machine, threads) = Loaded::read(path)?.machine(config)?;
    let mut codes: Vec<Code> = Vec::new();
    for thread in &threads {
        let within = |base: u32, bytes: usize| thread.pc >= base && ((thread.pc - base) as usize) < bytes;
        if codes.iter().any(|c| within(c.base, c.words.len() * 8)) {
            continue;
        }
        if let Some(region) = machine.memory().regions().iter().find(|r| within(r.base, r.bytes.len())) {
            codes.push(Code::of_words(region.base, words(&region.bytes)));
        }
    }
    Ok(Target { name: path.display().to_string(), machine, threads, codes })
}

fn words(bytes: &[u8]) -> Vec<u64> {
    bytes.chunks_exact(8).map(|b| b.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))).collect()
}

impl Code {
    fn of_words(base: u32, words: Vec<u64>) -> Code {
        let mut program = Program::new("image");
        program.extend(words.iter().map(|w| decode(*w).unwrap_or(Inst::NOP)));
        Code { base, program, words }
    }

    /// The code that holds this address, as it lies in memory.
    pub fn at(memory: &Memory, address: u32) -> Option<Code> {
        let holds = |base: u32, bytes: usize| address >= base && ((address - base) as usize) < bytes;
        let region = memory.regions().iter().find(|r| holds(r.base, r.bytes.len()))?;
        Some(Code::of_words(region.base, words(&region.bytes)))
    }

    /// Index of the instruction at a byte address.
    pub fn index_of(&self, address: u32) -> Option<usize> {
        let index = (address.checked_sub(self.base)? / 8) as usize;
        (index < self.words.len() && address.is_multiple_of(8)).then_some(index)
    }

    /// Byte address of an instruction.
    pub fn address(&self, index: usize) -> u32 {
        self.base.wrapping_add(8 * index as u32)
    }

    /// An instruction as text; a branch with the address that it leads to.
    pub fn text(&self, index: usize) -> String {
        let text = disasm::word(self.words[index]);
        let target = match self.program.insts[index] {
            Inst::Branch(branch) => branch.target(index),
            _ => None,
        };
        match target {
            Some(target) => format!("{text}  # to {:#x}", self.address(target)),
            None => text,
        }
    }

    /// File, line and text of the source that an instruction comes from.
    pub fn source(&self, index: usize) -> Option<Source> {
        let span: Span = self.program.span(index)?;
        let text = span.file.text();
        let line = text.as_deref().and_then(|t| t.lines().nth(span.line as usize - 1)).unwrap_or_default();
        Some(Source { file: span.file.name().to_string(), line: span.line, text: line.trim().to_string() })
    }
}

/// A line of source.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Source {
    pub file: String,
    pub line: u32,
    pub text: String,
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = self.file.rsplit(['/', '\\']).next().unwrap_or_default();
        write!(f, "{name}:{}  {}", self.line, self.text)
    }
}
