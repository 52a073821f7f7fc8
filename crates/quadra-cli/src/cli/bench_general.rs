//! `quadra bench general`: everyday kernels beside C, Numba and NumPy.

use super::common::{CliResult, use_threads};
use crate::bench::general::{How, Instructions, Measured, PEERS, Peers, ROWS, Summary, measure};
use crate::json;
use quadra_base::Diagnostic;

#[derive(clap::Args)]
#[command(after_help = "\
Each round runs Quadra and then each peer, so that all of them meet the same machine. Peers are what this machine has of
gcc, clang (19 and later by its versioned name), and Python with Numba and NumPy; PYTHON names the interpreter.
Every result, the peers' too, is compared with plain Rust.
Examples:
  quadra bench general                            all rows
  quadra bench general --only seam,viterbi        two of them; a class works too: --only bytes
  quadra bench general --engine avx2              without AVX-512, peers built for x86-64-v3
  quadra bench general --no-peers --json          Quadra alone, for programs")]
pub struct Args {
    /// Print one object per line: {row, class, quadra, peers, best, ratio, on_device, compile_ms, compiled}; at last the summary.
    #[arg(long)]
    json: bool,
    /// Measure these rows or classes only.
    #[arg(long, value_delimiter = ',', value_name = "NAMES", value_parser = known())]
    only: Vec<String>,
    /// Measure these peers only: gcc, clang, numba, numpy.
    #[arg(long, value_delimiter = ',', value_name = "NAMES", value_parser = PEERS, hide_possible_values = true)]
    peers: Vec<String>,
    /// Measure no peers.
    #[arg(long, conflicts_with = "peers")]
    no_peers: bool,
    /// Threads; as many as the processor has unless said, or QUADRA_THREADS.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Rounds, in each of which every program takes its turn.
    #[arg(long, value_name = "N", default_value_t = 3)]
    rounds: usize,
    /// Fewest milliseconds of a program's turn.
    #[arg(long, value_name = "MS", default_value_t = 40.0)]
    turn: f64,
    /// The device: cpu, auto, host.
    #[arg(long, default_value = "cpu")]
    device: String,
    /// What of the processor is used: all of it, or vectors of 256 bits at most (and of C's compilers x86-64-v3).
    #[arg(long, value_name = "ENGINE", value_parser = ["native", "avx2"], default_value = "native")]
    engine: String,
}

/// Names of rows and classes.
fn known() -> clap::builder::PossibleValuesParser {
    let mut names: Vec<&str> = ROWS.iter().flat_map(|r| [r.class, r.name]).collect();
    names.sort_unstable();
    names.dedup();
    names.into()
}

pub fn run(args: &Args) -> CliResult {
    use_threads(args.threads);
    let instructions = match args.engine.as_str() {
        "avx2" => {
            quadra_device::cpu::without_wide_vectors();
            Instructions::Avx2
        }
        _ => Instructions::Native,
    };
    quadra_device::open(&args.device)
        .map(drop)
        .or_else(|d| if args.device == "auto" || args.device == "host" { Ok(()) } else { Err(vec![d]) })?;
    let directory = tempfile::tempdir().map_err(|e| {
        vec![
            Diagnostic::error("E0830", format!("no temporary directory can be made: {e}"))
                .help("set TMPDIR to a directory that can be written"),
        ]
    })?;
    let threads = quadra_device::cpu::threads();
    let mut peers = match args.no_peers {
        true => Peers::default(),
        false => Peers::start(&args.peers, threads, instructions, directory.path()).map_err(|d| vec![d])?,
    };
    let how = How { device: args.device.clone(), rounds: args.rounds.max(1), at_least_ms: args.turn };
    if !args.json {
        title(&peers.names());
    }
    let wanted = |name: &str| args.only.iter().any(|o| o == name);
    let mut rows = Vec::new();
    for row in ROWS.iter().filter(|r| args.only.is_empty() || wanted(r.name) || wanted(r.class)) {
        let measured = measure(row, &how, &mut peers, directory.path()).map_err(|d| vec![d])?;
        match args.json {
            true => println!("{}", json::line(&measured)),
            false => print(&measured, &peers.names()),
        }
        rows.push(measured);
    }
    let summary = Summary::of(&rows);
    match args.json {
        true => println!("{}", json::line(&summary)),
        false => conclude(&summary),
    }
    match summary.wrong.is_empty() {
        true => Ok(()),
        false => Err(vec![Diagnostic::error("E0802", format!("wrong results: {}", summary.wrong.join(", ")))]),
    }
}

fn title(peers: &[&str]) {
    print!("{:16} {:17} {:>10} {:>10}", "class", "row", "median ms", "lowest");
    peers.iter().for_each(|p| print!(" {p:>10}"));
    println!(" {:>7} {:>7} {:>8}", "ratio", "device", "code ms");
}

fn print(m: &Measured, peers: &[&str]) {
    print!("{:16} {:17} {:10.4} {:10.4}", m.class, m.row, m.quadra.median_ms, m.quadra.min_ms);
    for peer in peers {
        match m.peers.get(peer) {
            Some(t) if t.ok => print!(" {:10.4}", t.median_ms),
            Some(_) => print!(" {:>10}", "wrong"),
            None => print!(" {:>10}", "-"),
        }
    }
    let ratio = m.ratio.map_or("-".into(), |r| format!("{r:.2}"));
    let code = m.compile_ms.map_or("-".into(), |t| format!("{t:.1}"));
    let wrong = if m.quadra.ok { "" } else { "  wrong" };
    println!(" {ratio:>7} {:6.0}% {code:>8}{wrong}", 100.0 * m.on_device);
}

fn conclude(s: &Summary) {
    let list = |names: &[String]| if names.is_empty() { "none".to_string() } else { names.join(", ") };
    if let Some(mean) = s.geometric_mean {
        println!("geometric mean of the best peer's time over {} rows: {mean:.2}", s.compared);
        println!("above 1.25: {}", list(&s.above_1_25));
    }
    println!("mostly on the host: {}", list(&s.on_host));
}
