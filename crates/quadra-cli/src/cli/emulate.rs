//! `quadra emulate CASE.json`.

use super::common::CliResult;
use quadra_base::Diagnostic;
use quadra_isa::vc4::emu::{Config, Engine, SfuModel, Translator};
use quadra_isa::vc4::image::{self, Options};
use quadra_isa::vc4::timing::Cause;
use quadra_isa_jit::Jit;
use std::path::PathBuf;
use std::sync::Arc;

/// Runs a QPU program with its memory: a JSON file that names threads and segments, and beside it a .bin file with the
/// segments' contents.
#[derive(clap::Args)]
pub struct Args {
    /// The JSON file of the image.
    case: PathBuf,
    /// Write the memory after the run here, from address 0 to the end of the highest segment.
    #[arg(long, value_name = "FILE")]
    memory_out: Option<PathBuf>,
    /// Write what every QPU did here, as JSON.
    #[arg(long, value_name = "FILE")]
    stats: Option<PathBuf>,
    /// Simulate the time on hardware, and print it with what the QPUs waited for.
    #[arg(long)]
    timing: bool,
    /// The board whose clock is meant: zero, 1, 2 or 3.
    #[arg(long, value_name = "MODEL", default_value = "1")]
    pi: String,
    /// Write a trace here that Perfetto and Chrome open.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Instructions that all QPUs together may execute.
    #[arg(long, value_name = "N", default_value_t = 10_000_000_000)]
    budget: u64,
    /// Interpret only, or translate what is hot to native code; `auto` translates if it can: on processors with AVX-512
    /// or AVX2 always, on others through libLLVM, without which `jit` is an error. `portable`, `avx2` and `avx512` interpret with the
    /// engine of that name, an error where the processor lacks it. The results are the same.
    #[arg(long, value_name = "ENGINE", default_value = "auto")]
    engine: EngineChoice,
    /// What the special functions (reciprocal, root, 2^x, logarithm) give on emulated QPUs, whose tables are unpublished:
    /// `ideal` the right value, `model` what recorded values of boards suggest (within 2^-14), `worst` errors up to 2^-13.
    #[arg(long, value_name = "MODEL", default_value = "model", value_parser = crate::options::sfu())]
    sfu: SfuModel,
    /// What a board survives is an error, too: every broken rule of the hardware.
    #[arg(long)]
    strict: bool,
    /// Interpret with the engine that needs no special processor, whatever else is chosen.
    #[arg(long)]
    portable: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum EngineChoice {
    Auto,
    Interp,
    Jit,
    Portable,
    Avx2,
    Avx512,
}

/// The engine that interprets.
fn engine(args: &Args) -> Result<Engine, Vec<Diagnostic>> {
    let engine = match args.engine {
        _ if args.portable => Engine::Portable,
        EngineChoice::Portable => Engine::Portable,
        EngineChoice::Avx2 => Engine::Avx2,
        EngineChoice::Avx512 => Engine::Avx512,
        EngineChoice::Auto | EngineChoice::Interp | EngineChoice::Jit => return Ok(Engine::Auto),
    };
    let used = engine.resolve();
    if used == engine {
        return Ok(engine);
    }
    let message = format!("this processor has not what the engine `{}` needs", engine.name());
    Err(vec![Diagnostic::error("", message).help(format!("`--engine {}` is its fastest", used.name()))])
}

pub fn run(args: &Args) -> CliResult {
    let board = super::common::board(&args.pi)?;
    let engine = engine(args)?;
    let translator = match args.engine {
        EngineChoice::Auto if engine == Engine::Auto => Some(Jit::lazy()),
        EngineChoice::Jit => Some(Jit::get().map_err(|d| vec![*d])?),
        _ => None,
    };
    let interface = translator.clone().map(|jit| jit as Arc<dyn Translator>);
    let options = Options {
        translator: interface.as_ref(),
        config: Config { engine, sfu: args.sfu, budget: args.budget, ..super::common::judged(args.strict) },
        memory_out: args.memory_out.as_deref(),
        stats: args.stats.as_deref(),
        timing: args.timing.then_some(board),
        trace: args.trace.as_deref(),
    };
    let summary = image::emulate(&args.case, &options).map_err(|d| vec![*d])?;
    for warning in &summary.report.warnings {
        eprintln!("warning: {warning}");
    }
    if let Some(why) = translator.as_ref().and_then(|jit| jit.failure()) {
        eprintln!("note: interpreted only: {}", why.message);
    }
    println!("{} QPUs executed {} instructions", summary.report.qpus.len(), summary.report.issued());
    if let Some(time) = &summary.time {
        println!("{} clocks, {:.6} s at {} MHz", time.clocks, time.seconds, board.clock_mhz());
        let all = (time.clocks.max(1) * time.qpus.len() as u64) as f64;
        for cause in Cause::ALL {
            let clocks: u64 = time.qpus.iter().map(|q| q.stalls[cause as usize]).sum();
            if clocks > 0 {
                println!("  waiting, {:18} {:5.1} %", cause.name(), 100.0 * clocks as f64 / all);
            }
        }
    }
    translator.iter().for_each(|jit| jit.settle());
    Ok(())
}
