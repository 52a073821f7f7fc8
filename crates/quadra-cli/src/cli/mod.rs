//! The command line. One file per subcommand; each takes its parsed arguments and returns diagnostics, which are printed
//! here. Exit status: 0 success, 1 an error, 2 wrong usage; the commands for Quasar have their own.

mod asm;
mod bench;
mod bench_auto;
mod bench_cpu;
mod bench_editor;
mod bench_general;
#[cfg(feature = "gpu")]
mod bench_gpu;
mod bench_growth;
mod bench_host;
mod bench_qpu;
mod cache;
mod common;
mod compile;
mod completions;
mod debug;
mod debug_dap;
mod debug_dap_lanes;
mod debug_dap_qpu;
mod debug_quasar;
mod debug_show;
mod devices;
mod doctor;
mod emulate;
mod explain;
mod explain_examples;
mod export;
mod export_object;
#[cfg(feature = "gpu")]
mod export_ptx;
mod fuzz;
mod fuzz_parts;
pub mod kernels;
mod profile;
mod profile_page;
mod quasar_kernels;
mod target;
mod timing;

use common::{report, use_threads};

use crate::quasar_cli;
use crate::quasar_compare;
use clap::{CommandFactory, Parser, Subcommand};
use quadra_base::Diagnostic;
use std::process::ExitCode;

/// A language and compiler for small GPUs: kernels in Rust, programs in Quasar, on the CPU, on an emulated Raspberry Pi
/// or on a real one.
#[derive(Parser)]
#[command(name = "quadra", version, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Compile a kernel for the QPU and print a stage of the way.
    Compile(compile::Args),
    /// Write kernels as C, for boards without Rust.
    Export(export::Args),
    /// Assemble a QPU program.
    Asm(asm::Args),
    /// Print QPU words as assembly text.
    Disasm(asm::DisasmArgs),
    /// Run a QPU program from an image on the emulator.
    Emulate(emulate::Args),
    /// Run a program step by step, forwards and backwards.
    Debug(debug::Args),
    /// Print the timing model's parameters and how it compares with boards.
    Timing(timing::Args),
    /// Show where a program's time goes on hardware, instruction by instruction.
    Profile(profile::Args),
    /// List the devices that kernels can run on.
    Devices(devices::Args),
    /// Say what of this machine can be used, and what to do about the rest.
    Doctor(doctor::Args),
    /// Look at the cache of compiled code on disk, or empty it.
    Cache(cache::Args),
    /// List the kernels that come with Quadra, or compare their code with QPULib's.
    Kernels(kernels::Args),
    /// Compare random kernels in every way there is.
    Fuzz(fuzz::Args),
    /// Measure the code of the shipped kernels, the emulator or the Quasar host on this processor.
    Bench(bench::Args),
    /// Run a Quasar program.
    Run(quasar_cli::RunArgs),
    /// Run a Quasar program on this processor and on 1 to 12 QPUs of the emulated Pi, and compare the times.
    Compare(quasar_compare::CompareArgs),
    /// Check Quasar programs without running them.
    Check(quasar_cli::CheckArgs),
    /// Lay out Quasar programs.
    Fmt(quasar_cli::FmtArgs),
    /// Serve an editor: the language server of Quasar, over standard input and output.
    Lsp(quasar_cli::LspArgs),
    /// Try out Quasar line by line.
    Repl(quasar_cli::ReplArgs),
    /// Print the reference of Quasar's built-in functions.
    Doc(quasar_cli::DocArgs),
    /// Print what a shell needs to complete this command's arguments.
    Completions(completions::Args),
    /// Explain an error code, for example `quadra explain E0602`.
    Explain(explain::Args),
}

/// Parses the process's arguments and runs the subcommand.
pub fn main() -> ExitCode {
    common::begin();
    let args = quasar_cli::usual_spelling(std::env::args_os());
    let cli = match Cli::try_parse_from(&args) {
        Ok(cli) => cli,
        Err(e) => return quasar_cli::wrong_usage(&args, &e),
    };
    // Benchmarks have an option of their own, which comes before the variable.
    if !matches!(cli.command, Command::Bench(_)) {
        use_threads(None);
    }
    // Who stops at the first Ctrl-C in an order of its own sees to it itself.
    if !matches!(cli.command, Command::Fuzz(_) | Command::Debug(_)) {
        crate::interrupt::install();
    }
    let result = match cli.command {
        Command::Compile(args) => compile::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Asm(args) => asm::run(&args),
        Command::Disasm(args) => asm::disassemble(&args),
        Command::Emulate(args) => emulate::run(&args),
        Command::Debug(args) => match debug::quasar(&args) {
            Some(status) => return ExitCode::from(status),
            None => debug::run(&args),
        },
        Command::Timing(args) => timing::run(&args),
        Command::Profile(args) => profile::run(&args),
        Command::Devices(args) => devices::run(&args),
        Command::Doctor(args) => return doctor::run(&args),
        Command::Cache(args) => cache::run(&args),
        Command::Kernels(args) => kernels::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Fuzz(args) => fuzz::run(&args),
        Command::Run(args) => return quasar_cli::run(args),
        Command::Compare(args) => return quasar_compare::compare(args),
        Command::Check(args) => return quasar_cli::check(args),
        Command::Fmt(args) => return quasar_cli::fmt(&args),
        Command::Lsp(_) => return ExitCode::from(quadra_lsp::run()),
        Command::Repl(args) => return quasar_cli::repl(&args),
        Command::Doc(args) => return quasar_cli::doc(&args),
        Command::Completions(args) => return completions::run(&args, Cli::command()),
        Command::Explain(args) => explain::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(diagnostics) => {
            report(&diagnostics);
            ExitCode::from(1)
        }
    }
}

/// Ends the process without a word, as other commands do, when the reader of standard output has gone away (`| head`), and
/// with an error when it is full: Rust's printing macros would stop with a panic message instead.
pub fn end_quietly_on_broken_pipes() {
    let report_panic = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let text = info.payload().downcast_ref::<String>().map_or("", String::as_str);
        if let Some(why) = text.strip_prefix("failed printing to stdout: ") {
            if why.starts_with("Broken pipe") {
                std::process::exit(141);
            }
            report(&[Diagnostic::error("", format!("cannot write the output: {why}"))]);
            std::process::exit(1);
        }
        report_panic(info);
    }));
}
