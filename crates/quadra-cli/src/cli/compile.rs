//! `quadra compile`.

use super::common::CliResult;
use super::quasar_kernels;
use crate::json;
use clap::ValueEnum;
use quadra::kernels;
use quadra_back_qpu as back_qpu;
use quadra_base::Diagnostic;
use quadra_isa::vc4;
use quadra_kir::{self as kir, Kernel, print};
use quadra_passes::{pass, pipeline};
use std::path::Path;
use std::time::{Duration, Instant};

/// Compiles a kernel for the QPU and prints a stage of the way.
///
/// KERNEL is a shipped kernel (`quadra kernels` lists them), a file with kernel IR (ending in .kir) or a Quasar program (ending in
/// .q), of which all kernels and parallel loops are compiled.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  quadra compile gcd                      the scheduled instructions, with the source line of each
  quadra compile gcd --emit kir           the kernel as recorded from Rust
  quadra compile gcd --emit simd          the kernel IR that the back end takes
  quadra compile gcd --after mask         the kernel IR behind the pass `mask`
  quadra compile heat.q --kernel 4        the loop in line 4 of a Quasar program
  quadra compile heat_map --explain       slots per iteration of each loop, their bound, and what stands between
  quadra compile heat_map --time          how long each step of the compiler takes")]
pub struct Args {
    /// A shipped kernel, a .kir file, or a Quasar program (ending in .q), which is run to see what it launches; only
    /// what it prints is left out.
    kernel: String,
    /// Program: only this kernel, or the loop in this line.
    #[arg(long = "kernel", value_name = "NAME|LINE")]
    only: Option<String>,
    /// What to print.
    #[arg(long, value_enum, default_value = "asm")]
    emit: Emit,
    /// Print the kernel IR behind this pass instead.
    #[arg(long, value_name = "PASS")]
    after: Option<String>,
    /// Print how long recording, checking, each pass and the back end take, and their sum.
    #[arg(long)]
    time: bool,
    /// Print each innermost loop's slots per iteration, what bounds them, and what stands between.
    #[arg(long)]
    explain: bool,
    /// With --explain, print JSON: rows of `{label, line, slots, operations, stages, empty, paired, bounds, binding, gap}`.
    #[arg(long, requires = "explain")]
    json: bool,
    /// QPUs that the program is made for: each has 64 / N rows of the VPM.
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=12))]
    qpus: u32,
    /// Which way loads take: as the compiler chooses, all through the TMUs, or all through the VPM.
    #[arg(long, value_enum, default_value = "auto")]
    loads: super::bench_qpu::Loads,
    /// Optimisation level: 0 one operation per instruction, 1 scheduled block by block, 2 loops pipelined.
    #[arg(short = 'O', value_name = "LEVEL", default_value_t = 2, value_parser = clap::value_parser!(u8).range(0..=2))]
    level: u8,
}

/// A stage of the compiler.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Emit {
    /// The kernel IR as the front end made it.
    Kir,
    /// The kernel IR that the back end takes.
    Simd,
    /// The scheduled instructions.
    Asm,
    /// The instruction words in hexadecimal.
    Words,
}

/// The kernel of this name or file, and how long making it took.
pub fn front(name: &str) -> Result<(Kernel, Duration), Vec<Diagnostic>> {
    let start = Instant::now();
    let kernel = if name.ends_with(".kir") {
        let text = std::fs::read_to_string(Path::new(name)).map_err(|e| {
            vec![Diagnostic::error("E0804", format!("cannot read `{name}`: {e}")).help("name a file with kernel IR")]
        })?;
        let kernel = kir::parse::kernel(name, &text)?;
        let problems = kir::check::structure(&kernel);
        if problems.iter().any(Diagnostic::is_error) {
            return Err(problems);
        }
        kernel
    } else {
        (kernels::find(name).map_err(|d| vec![d])?.record)()?
    };
    Ok((kernel, start.elapsed()))
}

pub fn run(args: &Args) -> CliResult {
    if !quasar_kernels::is_program(&args.kernel) {
        let (kernel, recording) = front(&args.kernel)?;
        return show(args, kernel, recording);
    }
    for (n, kernel) in
        quasar_kernels::kernels(&args.kernel, args.only.as_deref().unwrap_or(""))?.into_iter().enumerate()
    {
        if !args.json {
            println!("{}% {}", if n > 0 { "\n" } else { "" }, quasar_kernels::title(&kernel));
        }
        show(args, kernel, Duration::ZERO)?;
    }
    Ok(())
}

/// Prints the stage of one kernel.
fn show(args: &Args, kernel: Kernel, recording: Duration) -> CliResult {
    if args.emit == Emit::Kir && args.after.is_none() && !args.time {
        print!("{}", print::kernel(&kernel));
        return Ok(());
    }
    pipeline::known(args.after.as_deref(), quadra_passes_dma::MEMORY)?;
    let mut times = vec![("front end".to_string(), recording)];
    let options = pass::Options { after: args.after.as_deref(), ..pass::Options::default() };
    let start = Instant::now();
    let simd = pipeline::compile_with(&kernel, &back_qpu::caps(), &options, &mut |step| {
        times.push((step.pass.name.to_string(), step.time));
    })?;
    // What the pipeline does beside its passes: above all, it checks the kernel.
    let passes: Duration = times[1..].iter().map(|(_, time)| *time).sum();
    times.insert(1, ("check".to_string(), start.elapsed().saturating_sub(passes)));
    let passes = options;
    let options = back_qpu::Options {
        qpus: Some(args.qpus),
        opt_level: args.level,
        loads: args.loads.into(),
        ..back_qpu::Options::default()
    };
    if let Some(name) = &args.after {
        // Passes that fit a kernel to its launches belong to the back end.
        let early = pipeline::COMMON.iter().chain(pipeline::SIMD).any(|p| p.name == name);
        let shown = if early { simd } else { back_qpu::fit(&simd, &options, &passes)? };
        print!("{}", print::kernel(&shown));
        return Ok(());
    }
    if args.emit == Emit::Simd && !args.time {
        print!("{}", print::kernel(&simd));
        return Ok(());
    }
    let start = Instant::now();
    if args.explain {
        let (compiled, loops) = back_qpu::explain(&simd, &options)?;
        print_loops(&compiled, &loops, args.json);
        return Ok(());
    }
    let compiled = back_qpu::compile(&simd, &options)?;
    times.push(("back end".to_string(), start.elapsed()));
    if args.time {
        print_times(&times, compiled.program.len());
        return Ok(());
    }
    match args.emit {
        Emit::Asm => print!("{}", with_reasons(&compiled.program)),
        _ => compiled.program.words().iter().for_each(|w| println!("{w:016x}")),
    }
    Ok(())
}

fn print_times(times: &[(String, Duration)], words: usize) {
    let ms = |d: Duration| d.as_secs_f64() * 1e3;
    for (name, time) in times {
        println!("{name:<14} {:>8.3} ms", ms(*time));
    }
    let sum: Duration = times.iter().map(|(_, t)| *t).sum();
    println!("{:<14} {:>8.3} ms, {words} instructions", "sum", ms(sum));
}

/// The listing, with the reason behind each empty instruction.
fn with_reasons(program: &vc4::Program) -> String {
    let reasons: std::collections::HashMap<usize, &str> = back_qpu::empty_slots(program).into_iter().collect();
    let mut out = String::new();
    for line in vc4::disasm::annotated(program).lines() {
        out.push_str(line);
        let address = line.split_whitespace().next().and_then(|word| usize::from_str_radix(word, 16).ok());
        if let Some(reason) = address.and_then(|a| reasons.get(&(a / 8))) {
            out.push_str(if line.contains(" # ") { "; empty: " } else { "  # empty: " });
            out.push_str(reason);
        }
        out.push('\n');
    }
    out
}

fn print_loops(compiled: &back_qpu::Compiled, loops: &[back_qpu::LoopReport], json: bool) {
    let line = |l: &back_qpu::LoopReport| l.span.map(|s| s.line);
    if json {
        let rows: Vec<serde_json::Value> = loops
            .iter()
            .map(|l| {
                let bounds: serde_json::Map<String, serde_json::Value> =
                    l.bounds.all().into_iter().map(|(name, n)| (name.to_string(), n.into())).collect();
                serde_json::json!({
                    "label": l.label, "line": line(l), "slots": l.slots, "operations": l.operations, "stages": l.stages,
                    "empty": l.empty, "paired": l.paired, "bounds": bounds, "binding": l.bounds.binding().0, "gap": l.gap(),
                })
            })
            .collect();
        println!("{}", json::pretty(&rows));
        return;
    }
    println!("{} instructions, {} innermost loops of one block", compiled.program.len(), loops.len());
    for l in loops {
        let line = line(l).map_or_else(String::new, |n| format!(", line {n}"));
        let stages = if l.stages > 1 { format!(", {} iterations under way", l.stages) } else { String::new() };
        println!("\n{}{line}: {} slots per iteration for {} operations{stages}", l.label, l.slots, l.operations);
        let bounds: Vec<String> = l.bounds.all().iter().map(|(name, n)| format!("{name} {n}")).collect();
        println!("  bounds   {}", bounds.join(", "));
        println!("  slots    {} with two operations, {} empty, one with the branch", l.paired, l.empty);
        println!("  {}", l.gap());
    }
}
