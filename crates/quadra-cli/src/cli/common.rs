//! What the subcommands share.

use quadra_base::Diagnostic;
use quadra_isa::vc4::emu::Config;
use quadra_isa::vc4::timing::Board;
use std::io::IsTerminal;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// When the command began.
static BEGAN: OnceLock<Instant> = OnceLock::new();

/// Notes that it begins now.
pub fn begin() {
    let _ = BEGAN.set(Instant::now());
}

/// How long ago that was.
pub fn since_start() -> Option<Duration> {
    BEGAN.get().map(Instant::elapsed)
}

/// Errors of a subcommand; all of them are printed.
pub type CliResult = Result<(), Vec<Diagnostic>>;

/// The board of this name.
pub fn board(name: &str) -> Result<Board, Vec<Diagnostic>> {
    Board::from_name(name).ok_or_else(|| {
        let message = format!("there is no board `{name}`");
        vec![Diagnostic::error("", message).help("the boards are zero, 1, 2 and 3")]
    })
}

/// How programs of others are judged.
pub fn judged(strict: bool) -> Config {
    if strict { Config { balanced: true, ..Config::default() } } else { Config::of_others() }
}

/// Has kernels, operations on arrays and products of matrices use this many threads, or as many as `QUADRA_THREADS` says.
pub fn use_threads(asked: Option<usize>) {
    let Some(n) = asked.or_else(quadra_device::cpu::threads_asked) else {
        if let Ok(text) = std::env::var("QUADRA_THREADS") {
            let most = quadra_device::cpu::MOST_THREADS;
            let message = format!("QUADRA_THREADS is '{text}', not a number from 1 to {most}");
            report(&[Diagnostic::warning("", message).help("as many threads are used as the processor has")]);
        }
        return;
    };
    quadra_device::cpu::set_threads(n);
    // A pool that runs already stays as it is.
    drop(rayon::ThreadPoolBuilder::new().num_threads(n).build_global());
}

/// Prints diagnostics to standard error, in colour on a terminal.
pub fn report(diagnostics: &[Diagnostic]) {
    let color = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    for d in diagnostics {
        eprintln!("{}\n", d.render(color));
    }
}
