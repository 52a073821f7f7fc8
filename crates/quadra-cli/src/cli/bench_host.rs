//! `quadra bench host`: the Quasar host beside Octave's interpreter, NumPy, SciPy and the BLAS that NumPy was built with.

use super::common::CliResult;
use crate::bench::host;
use crate::json;
use quadra_base::Diagnostic;
use serde::Serialize;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

#[derive(clap::Args)]
pub struct Args {
    /// Print JSON, rows of {name, threads, quadra_ms, peer, peer_ms, times_as_fast, asked}.
    #[arg(long)]
    json: bool,
    /// Only the rows whose names contain this text; may be given several times.
    #[arg(long, value_name = "TEXT")]
    only: Vec<String>,
    /// Print the names of all rows.
    #[arg(long)]
    list: bool,
    /// The Python that has NumPy and SciPy.
    #[arg(long, value_name = "PROGRAM", default_value = "python3")]
    python: String,
    /// Rounds; each runs all programs and their peers in turn. The lowest time counts, since other work only adds to it.
    #[arg(long, value_name = "N", default_value_t = 3)]
    rounds: u32,
}

/// One task, written in Quasar and for its peer. Each program prints the lowest of its own times in milliseconds.
struct Task {
    name: &'static str,
    quasar: &'static str,
    peer: &'static str,
    program: Option<(&'static str, &'static [&'static str], &'static str)>,
    /// How many times as fast as the peer it is meant to be.
    asked: f64,
}

const OCTAVE: &[&str] = &["--no-gui", "--no-init-file", "--norc", "--quiet", "--eval"];

const TASKS: &[Task] = &[
    Task {
        name: "s = s + x[i]*2, 10 M elements, a loop",
        quasar: "x = ones(10000000)\nbest = 1e30\nfor r = 1..3\n  tic()\n  s = 0.0\n  {!serial for}\n  for i = 0..9999999\n    s = s + x[i]*2\n  endfor\n  best = min(best, toc(\"\"))\nendfor\nprint best\n",
        peer: "octave",
        program: Some((
            "octave-cli",
            OCTAVE,
            "x = ones(1,10000000); tic; s = 0; for i = 1:10000000, s = s + x(i)*2; end; printf('%g\\n', toc*1e3);",
        )),
        asked: 30.0,
    },
    Task {
        name: "fib(27), recursive",
        quasar: "fib = n -> n < 2 ? n : fib(n-1) + fib(n-2)\nbest = 1e30\nfor r = 1..3\n  tic()\n  f = fib(27)\n  best = min(best, toc(\"\"))\nendfor\nprint best\n",
        peer: "octave (fib(20), times 29.03 for the calls of fib(27))",
        program: Some((
            "octave-cli",
            OCTAVE,
            "1; function r = f(n), if n < 2, r = n; else r = f(n-1)+f(n-2); end, end; tic; f(20); printf('%g\\n', toc*1e3*317811/10946);",
        )),
        asked: 20.0,
    },
    Task {
        name: "a.*b + c, 16 M floats",
        quasar: "a = rand(16000000)\nb = rand(16000000)\nc = rand(16000000)\nbest = 1e30\nfor r = 1..7\n  tic()\n  d = a.*b + c\n  best = min(best, toc(\"\"))\nendfor\nprint best\n",
        peer: "numpy",
        program: Some((
            "python3",
            &["-c"],
            "import numpy as n,time as t\nr=n.random.default_rng(0);a,b,c=(r.random(16000000,dtype=n.float32) for _ in range(3))\nm=9e9\nfor _ in range(7):\n s=t.perf_counter();d=a*b+c;m=min(m,t.perf_counter()-s)\nprint(m*1e3)",
        )),
        asked: 1.0,
    },
    Task {
        name: "a*b, 1024 x 1024 singles",
        quasar: "a = rand(1024,1024)\nb = rand(1024,1024)\nbest = 1e30\nfor r = 1..7\n  tic()\n  c = a*b\n  best = min(best, toc(\"\"))\nendfor\nprint best\n",
        peer: "numpy's BLAS",
        program: Some((
            "python3",
            &["-c"],
            "import numpy as n,time as t\nr=n.random.default_rng(0);a,b=(r.random((1024,1024),dtype=n.float32) for _ in range(2))\nm=9e9\nfor _ in range(7):\n s=t.perf_counter();d=a@b;m=min(m,t.perf_counter()-s)\nprint(m*1e3)",
        )),
        asked: 1.0 / 1.3,
    },
];

/// A row of the result. Times in milliseconds; those of a peer that is not on this machine are absent.
#[derive(Serialize)]
struct Row {
    name: &'static str,
    threads: usize,
    quadra_ms: f64,
    peer: &'static str,
    peer_ms: Option<f64>,
    times_as_fast: Option<f64>,
    asked: f64,
}

/// The name of a row.
const START: &str = "start to the first line of output";

pub fn run(args: &Args) -> CliResult {
    let names = || TASKS.iter().map(|t| t.name).chain([START]).chain(host::all().map(|(_, row)| row.name));
    if args.list {
        names().filter(|name| args.wants(name)).for_each(|name| println!("{name}"));
        return Ok(());
    }
    if !names().any(|name| args.wants(name)) {
        return Err(vec![
            Diagnostic::error("E0830", format!("no row's name contains '{}'", args.only.join("' or '")))
                .help("`quadra bench host --list` prints the names"),
        ]);
    }
    let directory = tempfile::tempdir().map_err(|e| {
        vec![
            Diagnostic::error("E0830", format!("no temporary directory can be made: {e}"))
                .help("set TMPDIR to a directory that can be written"),
        ]
    })?;
    let rows = measure(args, directory.path())?;
    if args.json {
        println!("{}", json::pretty(&rows));
        return Ok(());
    }
    println!(
        "{:40} {:>7} {:>10} {:>10} {:>8} {:>6}  peer",
        "task", "threads", "quadra ms", "peer ms", "ratio", "asked"
    );
    for r in &rows {
        let number = |x: Option<f64>| x.map_or("absent".into(), |x| format!("{x:.2}"));
        let (peer_ms, ratio) = (number(r.peer_ms), number(r.times_as_fast));
        let Row { name, threads, quadra_ms, peer, asked, .. } = r;
        println!("{name:40} {threads:>7} {quadra_ms:>10.2} {peer_ms:>10} {ratio:>8} {asked:>6.2}  {peer}");
    }
    let (met, all) = (rows.iter().filter(|r| r.times_as_fast >= Some(r.asked)).count(), rows.iter());
    println!("{met} of {} rows with a peer are as fast as asked", all.filter(|r| r.times_as_fast.is_some()).count());
    Ok(())
}

/// The rows of functions and chains.
fn functions(args: &Args, directory: &Path, threads: usize, rows: &mut Vec<Row>) -> Result<(), Vec<Diagnostic>> {
    let chosen: Vec<_> = host::all().filter(|(_, row)| args.wants(row.name)).collect();
    if chosen.is_empty() {
        return Ok(());
    }
    let mut python = host::Peer::start(&args.python, threads);
    for (kind, row) in chosen {
        let text = host::program(row);
        let (mut ours, mut theirs) = (f64::INFINITY, None::<f64>);
        for _ in 0..args.rounds.max(1) {
            ours = ours.min(quasar(&text, directory, threads)?.0);
            if let Some(ms) = python.as_mut().and_then(|p| p.milliseconds(row)) {
                theirs = Some(theirs.map_or(ms, |t| t.min(ms)));
            }
        }
        let asked = if kind == host::Kind::Chain { 2.0 } else { 1.0 };
        rows.push(self::row(row.name, threads, ours, "numpy, scipy", theirs, asked));
    }
    Ok(())
}

impl Args {
    fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|o| name.contains(o.as_str()))
    }
}

fn measure(args: &Args, directory: &Path) -> Result<Vec<Row>, Vec<Diagnostic>> {
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    let mut rows = Vec::new();
    for task in TASKS.iter().filter(|t| args.wants(t.name)) {
        let loops = task.peer.starts_with("octave");
        for threads in if loops || all == 1 { vec![1] } else { vec![1, all] } {
            let (mut ours, mut theirs) = (f64::INFINITY, None::<f64>);
            for _ in 0..args.rounds.max(1) {
                ours = ours.min(quasar(task.quasar, directory, threads)?.0);
                if let Some(ms) = task.program.and_then(|p| peer(p, &args.python, threads)) {
                    theirs = Some(theirs.map_or(ms, |t| t.min(ms)));
                }
            }
            rows.push(row(task.name, threads, ours, task.peer, theirs, task.asked));
        }
    }
    if args.wants(START) {
        let mut start = f64::INFINITY;
        for _ in 0..10 * args.rounds.max(1) {
            start = start.min(quasar("print 1\n", directory, all)?.1);
        }
        rows.push(row(START, all, start, "10 ms", Some(10.0), 1.0));
    }
    functions(args, directory, all, &mut rows)?;
    Ok(rows)
}

fn row(name: &'static str, threads: usize, ours: f64, peer: &'static str, peer_ms: Option<f64>, asked: f64) -> Row {
    Row { name, threads, quadra_ms: ours, peer, peer_ms, times_as_fast: peer_ms.map(|p| p / ours), asked }
}

/// The number that a Quasar program prints, and the milliseconds until its first output.
fn quasar(text: &str, directory: &Path, threads: usize) -> Result<(f64, f64), Vec<Diagnostic>> {
    quasar_on(text, directory, &[], &[("RAYON_NUM_THREADS", &threads.to_string())])
}

/// As [`quasar`], with options of `quadra run` and variables of its environment.
pub fn quasar_on(
    text: &str,
    directory: &Path,
    options: &[&str],
    variables: &[(&str, &str)],
) -> Result<(f64, f64), Vec<Diagnostic>> {
    let failed = |what: String| vec![Diagnostic::error("E0830", format!("the benchmark's program failed: {what}"))];
    let file = directory.join("task.q");
    quadra_base::file::write(&file, text).map_err(|e| failed(e.to_string()))?;
    let program = std::env::current_exe().map_err(|e| failed(e.to_string()))?;
    let begin = Instant::now();
    let mut child = Command::new(program)
        .arg("run")
        .args(options)
        .arg(&file)
        .envs(variables.iter().copied())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| failed(e.to_string()))?;
    let mut output = child.stdout.take().expect("the child's output is a pipe");
    let mut bytes = vec![0; 64];
    let n = output.read(&mut bytes).map_err(|e| failed(e.to_string()))?;
    let first = begin.elapsed().as_secs_f64() * 1e3;
    let status = child.wait().map_err(|e| failed(e.to_string()))?;
    let text = String::from_utf8_lossy(&bytes[..n]).into_owned();
    match text.trim().parse() {
        Ok(ms) if status.success() => Ok((ms, first)),
        _ => Err(failed(format!("{status}, output '{text}'"))),
    }
}

/// The number that a peer's program prints, if the peer is on this machine.
fn peer((program, options, text): (&str, &[&str], &str), python: &str, threads: usize) -> Option<f64> {
    let program = if program == "python3" { python } else { program };
    let n = threads.to_string();
    let output = Command::new(program)
        .args(options)
        .arg(text)
        .env("OPENBLAS_NUM_THREADS", &n)
        .env("OMP_NUM_THREADS", &n)
        .env("MKL_NUM_THREADS", &n)
        .env_remove("OPENBLAS_CORETYPE")
        .env_remove("OPENBLAS_L2_SIZE")
        .stderr(Stdio::null())
        .output()
        .ok()?;
    String::from_utf8_lossy(&output.stdout).trim().parse().ok()
}
