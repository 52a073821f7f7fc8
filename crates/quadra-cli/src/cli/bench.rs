//! `quadra bench`.

#[cfg(feature = "gpu")]
use super::bench_gpu;
use super::common::{CliResult, use_threads};
use super::{bench_auto, bench_cpu, bench_editor, bench_general, bench_growth, bench_host, bench_qpu};
use crate::json;
use quadra_isa::vc4::emu::{Engine, Translator, bench};
use quadra_isa_jit::Jit;
use std::sync::Arc;

/// Measures Quadra's own machinery on this processor.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// QPU instructions per second of the emulator's engines, on one core, without and with the timing model.
    Emulator(EmulatorArgs),
    /// The code of the shipped kernels: words, issue slots beside QPULib's, modelled time beside published times.
    Qpu(bench_qpu::Args),
    /// Twelve kernels on this processor, K1 to K12, in milliseconds.
    Cpu(bench_cpu::Args),
    /// Launches and K1 to K12 on the GPU that QUADRA_GPU names, data resident, in milliseconds.
    #[cfg(feature = "gpu")]
    Gpu(bench_gpu::Args),
    /// How the cost of three Quasar programs grows with the size of their images, beside the roofline.
    Growth(bench_growth::Args),
    /// How long the language server takes to answer about programs of 200, 2,000 and 20,000 lines.
    Editor(bench_editor::Args),
    /// Everyday kernels of ten classes on this processor beside gcc, clang, Numba and NumPy, in milliseconds.
    General(bench_general::Args),
    /// The Quasar host and its built-in functions beside Octave, NumPy, SciPy and their BLAS, in milliseconds.
    Host(bench_host::Args),
    /// Whether `--device auto` chooses well: 30 programs on every device, in milliseconds.
    Auto(bench_auto::Args),
}

#[derive(clap::Args)]
struct EmulatorArgs {
    /// Print JSON, rows of {engine, loop, timing, minstr_per_s}.
    #[arg(long)]
    json: bool,
    /// Turns of the loop of six instructions; the other loop runs about as many instructions.
    #[arg(long, value_name = "N", default_value_t = 2_000_000)]
    turns: u32,
}

pub fn run(args: &Args) -> CliResult {
    match &args.what {
        What::Emulator(args) => emulator(args),
        What::Qpu(args) => bench_qpu::run(args),
        What::Cpu(args) => bench_cpu::run(args),
        #[cfg(feature = "gpu")]
        What::Gpu(args) => bench_gpu::run(args),
        What::Growth(args) => bench_growth::run(args),
        What::Editor(args) => bench_editor::run(args),
        What::General(args) => bench_general::run(args),
        What::Host(args) => {
            use_threads(None);
            bench_host::run(args)
        }
        What::Auto(args) => bench_auto::run(args),
    }
}

fn emulator(args: &EmulatorArgs) -> CliResult {
    // An engine that this processor lacks resolves to another, which is measured once.
    let mut engines = [Engine::Portable, Engine::Avx2, Engine::Avx512].map(Engine::resolve).to_vec();
    engines.dedup();
    let mut samples: Vec<_> = engines.into_iter().flat_map(|engine| bench::measure(engine, args.turns)).collect();
    let program_turns = args.turns / 400 + 1;
    let translated = |jit: Arc<Jit>| Some(jit as Arc<dyn Translator>);
    let interpreted: bench::Way = ("interp", &|| None);
    match Jit::get() {
        Ok(jit) => {
            let (cold, warm) = (|| translated(Jit::of_its_own()), || translated(jit.clone()));
            // As in another process which runs the program again.
            let kept = || translated(Jit::with_cache(None));
            let ways: [bench::Way; 4] =
                [interpreted, ("auto, cold", &cold), ("auto, kept", &kept), ("auto, warm", &warm)];
            samples.extend(bench::measure_programs(&ways, program_turns));
            samples.extend(bench::measure_translated(&(jit.clone() as Arc<dyn Translator>), args.turns));
        }
        Err(why) => {
            samples.extend(bench::measure_programs(&[interpreted], program_turns));
            eprintln!("note: the translator is left out: {}", why.message);
        }
    }
    if args.json {
        println!("{}", json::pretty(&samples));
        return Ok(());
    }
    println!("{:10} {:16} {:7} {:>20}", "engine", "loop", "timing", "M instructions/s");
    for s in samples {
        println!("{:10} {:16} {:7} {:20.1}", s.engine, s.name, if s.timing { "yes" } else { "no" }, s.minstr_per_s);
    }
    Ok(())
}
