//! Built-in functions and chains of operations on long arrays beside NumPy and SciPy, in one interleaved run.

mod rows;

use super::process::Process;
pub use rows::Row;
use rows::{CHAINS, DATA, FUNCTIONS};
use std::process::Command;

/// Seconds for which a statement is repeated, on each side and in each round.
const SECONDS: f64 = 0.1;

/// Whether a row is one of a function or of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Function,
    Chain,
}

/// All rows, functions first.
pub fn all() -> impl Iterator<Item = (Kind, &'static Row)> {
    FUNCTIONS.iter().map(|r| (Kind::Function, r)).chain(CHAINS.iter().map(|r| (Kind::Chain, r)))
}

/// The statements that make the arrays of a row; those of the peer if it says so.
fn setup(row: &Row, peer: bool) -> String {
    let of = |name: &str| DATA.iter().find(|d| d.0 == name).map_or("", |d| if peer { d.2 } else { d.1 });
    row.data.split(' ').map(|name| of(name).to_string() + "\n").collect()
}

/// A program that prints the least time of the row's statement, in milliseconds.
pub fn program(row: &Row) -> String {
    format!(
        "{}best = 1e30\nspent = 0.0\nfor turn = 1..40\n  tic()\n  {}\n  took = toc(\"\")\n  best = min(best,took)\n  spent = spent + took\n  if spent > {} && turn > 2\n    break\n  endif\nendfor\nprint best\n",
        setup(row, false),
        row.quasar,
        SECONDS * 1e3
    )
}

/// A process of Python that times statements as they are asked for.
pub struct Peer(Process);

impl Peer {
    /// Starts it; nothing if the program is not there, or has no NumPy.
    pub fn start(python: &str, threads: usize) -> Option<Peer> {
        let n = threads.to_string();
        let mut command = Command::new(python);
        for name in ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"] {
            command.env(name, &n);
        }
        // What says how OpenBLAS sees the processor is for the machine's other programs.
        command.env_remove("OPENBLAS_CORETYPE").env_remove("OPENBLAS_L2_SIZE");
        command.env("QUADRA_BENCH_THREADS", &n).args(["-c", include_str!("peer.py")]);
        let mut process = Process::start(&mut command)?;
        (process.line() == "ready").then_some(Peer(process))
    }

    /// The least milliseconds of a row's statement; nothing where the peer has none.
    pub fn milliseconds(&mut self, row: &Row) -> Option<f64> {
        if row.peer.is_empty() {
            return None;
        }
        let task = serde_json::json!({"setup": setup(row, true), "call": row.peer, "seconds": SECONDS});
        self.0.ask(&task.to_string()).parse().ok().filter(|ms: &f64| ms.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ_and_arrays_exist() {
        let names: Vec<&str> = all().map(|r| r.1.name).collect();
        for (k, name) in names.iter().enumerate() {
            assert!(!names[..k].contains(name), "{name}");
        }
        for (_, row) in all() {
            for data in row.data.split(' ').filter(|d| !d.is_empty()) {
                assert!(DATA.iter().any(|d| d.0 == data), "{}: {data}", row.name);
            }
        }
        assert!(CHAINS.len() >= 5);
    }
}
