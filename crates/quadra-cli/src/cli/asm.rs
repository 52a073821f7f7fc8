//! `quadra asm` and `quadra disasm`.

use super::common::{CliResult, report};
use clap::ValueEnum;
use quadra_base::Diagnostic;
use quadra_isa::vc4::{Program, asm, disasm, hazard};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Assembles a QPU program and checks it against the rules of the hardware.
///
/// The language is vc4asm's. `.include <vc4.qinc>` offers helpers for the setup of VPM and DMA.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  quadra asm kernel.qasm                        addresses, words and instructions
  quadra asm kernel.qasm --emit rust -o k.rs    a constant for `include!`
  quadra asm kernel.qasm --strict               warnings of the hardware rules are errors
  quadra asm kernel.qasm -D N=16 -I include     symbols and include directories
  quadra asm kernel.qasm -i vc4.qinc            a file included before the text")]
pub struct Args {
    /// The assembly text.
    file: PathBuf,
    /// What to write.
    #[arg(long, value_enum, default_value = "listing")]
    emit: Emit,
    /// Where to write it, instead of to standard output.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// A directory for `.include <file>` and for --include; may be repeated.
    #[arg(short = 'I', long = "include-dir", value_name = "DIR")]
    include_dir: Vec<PathBuf>,
    /// A file included before the text, as by `.include <file>`: `vc4.qinc` has the helpers for setup words; may be repeated.
    #[arg(short = 'i', long = "include", value_name = "FILE")]
    include: Vec<String>,
    /// Define a symbol; may be repeated.
    #[arg(short = 'D', long = "define", value_name = "NAME=INTEGER", value_parser = definition)]
    define: Vec<(String, i64)>,
    /// Warnings of the hardware rules are errors.
    #[arg(long)]
    strict: bool,
    /// Do not check the hardware rules.
    #[arg(long, conflicts_with = "strict")]
    no_check: bool,
}

/// A form of the output.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Emit {
    /// Addresses, words and instructions, to read.
    Listing,
    /// The words as bytes, little endian.
    Bin,
    /// One word per line.
    Hex,
    /// An array for C.
    C,
    /// An array for Rust.
    Rust,
    /// Words, labels and global symbols.
    Json,
}

fn definition(text: &str) -> Result<(String, i64), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, "1"));
    let value = value.parse().map_err(|_| format!("`{value}` is not an integer"))?;
    Ok((name.to_string(), value))
}

pub fn run(args: &Args) -> CliResult {
    let name = args.file.display().to_string();
    let text = String::from_utf8(read(&args.file)?)
        .map_err(|_| vec![Diagnostic::error("E0741", format!("`{name}` is not text"))])?;
    // As other files on the command line, those to include lie in the present directory, too.
    let include_dirs = args.include_dir.iter().cloned().chain([PathBuf::from(".")]).collect();
    let (prelude, symbols) = (args.include.clone(), args.define.clone());
    let options = asm::Options { include_dirs, prelude, symbols, ..asm::Options::default() };
    let (assembly, diagnostics) = asm::assemble(&name, &text, &options);
    let Some(assembly) = assembly else { return Err(diagnostics) };
    report(&diagnostics);
    if !args.no_check {
        lint(&assembly.program(), args.strict)?;
    }
    let symbol = args.file.file_stem().map_or("program".into(), |stem| stem.to_string_lossy().into_owned());
    let bytes = match args.emit {
        Emit::Listing => disasm::annotated(&assembly.program()).into_bytes(),
        Emit::Bin => assembly.bytes(),
        Emit::Hex => assembly.to_hex().into_bytes(),
        Emit::C => assembly.to_c(&symbol).into_bytes(),
        Emit::Rust => assembly.to_rust(&symbol).into_bytes(),
        Emit::Json => (assembly.to_json() + "\n").into_bytes(),
    };
    write(args.output.as_deref(), &bytes)
}

/// Prints QPU words as assembly text that assembles to the same words.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  quadra disasm kernel.bin                little-endian words
  quadra disasm kernel.hex                words in hexadecimal, or `0xLO, 0xHI,` as other assemblers write them
  quadra disasm kernel.c                  the arrays of a C file
  quadra disasm kernel.bin --check        the broken hardware rules as well")]
pub struct DisasmArgs {
    /// Words: text (hexadecimal, 64 bits or pairs of 32 bits with the low half first, alone or in arrays of C), or
    /// little-endian bytes.
    file: PathBuf,
    /// Check the hardware rules.
    #[arg(long)]
    check: bool,
    /// Check them, warnings being errors.
    #[arg(long)]
    strict: bool,
}

pub fn disassemble(args: &DisasmArgs) -> CliResult {
    let bytes = read(&args.file)?;
    let words = quadra_isa::vc4::words::parse(&args.file.display().to_string(), &bytes).map_err(|d| vec![*d])?;
    let program = match Program::from_words(args.file.display().to_string(), &words) {
        Ok(program) => program,
        Err(_) => {
            // With data among the words no labels can be told; every word prints by itself.
            let text: String = words.iter().map(|word| disasm::word(*word) + "\n").collect();
            return write(None, text.as_bytes());
        }
    };
    write(None, disasm::program(&program).as_bytes())?;
    if args.check || args.strict { lint(&program, args.strict) } else { Ok(()) }
}

/// Reports the rules that a program seems to break. The words are what was asked for whatever they do, so that only strict
/// judgement makes errors of the findings: what would stop the chip is a fault of the emulator when it happens.
fn lint(program: &Program, strict: bool) -> CliResult {
    if strict {
        let findings = hazard::diagnostics(program, hazard::Strictness::Strict);
        return if findings.is_empty() { Ok(()) } else { Err(findings) };
    }
    let mut findings = hazard::diagnostics(program, hazard::Strictness::Normal);
    for finding in findings.iter_mut().filter(|f| f.is_error()) {
        finding.severity = quadra_base::Severity::Warning;
        finding.notes.push("a board computes something else than what is written here, or hangs".into());
    }
    report(&findings);
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>, Vec<Diagnostic>> {
    std::fs::read(path).map_err(|e| vec![Diagnostic::error("E0753", format!("cannot read `{}`: {e}", path.display()))])
}

fn write(path: Option<&Path>, bytes: &[u8]) -> CliResult {
    let written = match path {
        Some(path) => quadra_base::file::write(path, bytes),
        None => std::io::stdout().write_all(bytes),
    };
    match written {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(vec![Diagnostic::error("E0753", format!("cannot write the output: {e}"))])
        }
        _ => Ok(()),
    }
}
