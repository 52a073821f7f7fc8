//! Everyday kernels beside plain C, Numba and NumPy, in one run that takes turns.
//!
//! `programs/*.q` holds the kernels as one writes them in Quasar, a file for each class; `peers/` the same in C and Python;
//! `rows` inputs and results, computed in plain Rust. Each round times Quadra and then every peer on each row.

mod ours;
mod peers;
mod rows;

pub use peers::{Instructions, NAMES as PEERS, Peers};

use quadra_base::Diagnostic;
use rows::case::Case;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// A kernel: its class, its name in all languages, its program, its inputs and results.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub class: &'static str,
    pub name: &'static str,
    program: &'static str,
    case: fn() -> Case,
}

macro_rules! rows {
    ($($class:literal $file:literal $module:ident: $($name:ident)*;)*) => {
        /// All rows, by class.
        pub const ROWS: &[Row] = &[$($(Row {
            class: $class,
            name: stringify!($name),
            program: include_str!(concat!("programs/", $file, ".q")),
            case: rows::$module::$name,
        },)*)*];
    };
}

rows! {
    "64-bit integers" "integers" numbers: products quotients powers dot64 fixed_point;
    "recurrences" "recurrences" orders: seam seam_row viterbi edit_distance smooth_rows logistic_map;
    "compaction" "compaction" orders: positives positions masked halves runs;
    "functions" "functions" numbers: polar waves gamma_curve activations angles;
    "bytes" "bytes" numbers: gray add_saturated negative blend threshold mix16;
    "short rows" "short_rows" pictures: products8 block_sums nearest counts unit_rows softmax;
    "borders" "borders" pictures: blur_mirror gradient_clamped laplace_circular lift_mirror local_contrast window;
    "histograms" "histograms" orders: counts16 weighted joint clusters;
    "many steps" "steps" orders: wave life jacobi bodies doubling;
    "axes" "axes" numbers: column_sums row_sums row_minima centred distance;
}

/// Times of one program on one row, in milliseconds.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Times {
    pub median_ms: f64,
    pub min_ms: f64,
    /// Runs measured.
    pub n: usize,
    /// Whether the result is the reference's, within the row's tolerance.
    pub ok: bool,
}

impl Times {
    fn of(mut times: Vec<f64>, ok: bool) -> Option<Times> {
        times.sort_by(f64::total_cmp);
        Some(Times { median_ms: *times.get(times.len() / 2)?, min_ms: times[0], n: times.len(), ok })
    }
}

/// A row's times.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    pub row: &'static str,
    pub class: &'static str,
    pub quadra: Times,
    pub peers: BTreeMap<&'static str, Times>,
    /// The peer of the lowest median, of those with right results.
    pub best: Option<&'static str>,
    /// Quadra's median in that peer's.
    pub ratio: Option<f64>,
    /// The part of a run that launches on the device take; what is missing is the host's.
    pub on_device: f64,
    /// From source to launch, nothing cached, in milliseconds; nothing if no kernel is launched.
    pub compile_ms: Option<f64>,
    /// Kernels that were compiled for the first run.
    pub compiled: u64,
}

/// How to measure.
#[derive(Clone, Debug)]
pub struct How {
    pub device: String,
    /// Rounds, in each of which all programs take their turn.
    pub rounds: usize,
    /// A program runs for at least this long in each round, in milliseconds.
    pub at_least_ms: f64,
}

/// Measures a row.
///
/// # Errors
/// What the program reports; a directory that cannot be written.
pub fn measure(row: &Row, how: &How, peers: &mut Peers, directory: &Path) -> Result<Measured, Diagnostic> {
    let case = (row.case)();
    let mut ours = ours::Run::new(row, &case, how)?;
    let theirs = peers.load(row.name, &case, directory)?;
    let mut times = Vec::new();
    let mut of_peers: BTreeMap<&'static str, Vec<f64>> = BTreeMap::new();
    for _ in 0..how.rounds {
        times.extend(ours.time(how.at_least_ms)?);
        for (name, _) in &theirs {
            of_peers.entry(name).or_default().extend(peers.time(name, how.at_least_ms));
        }
    }
    let quadra = Times::of(times, ours.ok).expect("each round measures a run");
    let right = |name: &str| theirs.iter().any(|(n, ok)| *n == name && *ok);
    let peers: BTreeMap<_, _> =
        of_peers.into_iter().filter_map(|(name, times)| Some((name, Times::of(times, right(name))?))).collect();
    let best = peers.iter().filter(|(_, t)| t.ok).min_by(|a, b| a.1.median_ms.total_cmp(&b.1.median_ms));
    let ratio = best.map(|(_, t)| quadra.median_ms / t.median_ms);
    let best = best.map(|(name, _)| *name);
    let on_device = ours.on_device()?;
    let (compile_ms, compiled) = (ours.compile_ms, ours.compiled);
    Ok(Measured { row: row.name, class: row.class, quadra, peers, best, ratio, on_device, compile_ms, compiled })
}

/// What all rows say together.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    pub rows: usize,
    /// Rows with a peer.
    pub compared: usize,
    pub geometric_mean: Option<f64>,
    /// Rows slower than 1.25 times the best peer.
    pub above_1_25: Vec<String>,
    /// Rows of which the device does less than half.
    pub on_host: Vec<String>,
    pub wrong: Vec<String>,
}

/// What counts as slower than a peer.
const SLOWER: f64 = 1.25;

impl Summary {
    pub fn of(rows: &[Measured]) -> Summary {
        let names = |keep: &dyn Fn(&Measured) -> bool| {
            rows.iter().filter(|r| keep(r)).map(|r| r.row.to_string()).collect::<Vec<_>>()
        };
        let logs: Vec<f64> = rows.iter().filter_map(|r| r.ratio).map(f64::ln).collect();
        let mean = (logs.iter().sum::<f64>() / logs.len() as f64).exp();
        Summary {
            rows: rows.len(),
            compared: logs.len(),
            geometric_mean: Some(mean).filter(|_| !logs.is_empty()),
            above_1_25: names(&|r| r.ratio.is_some_and(|ratio| ratio > SLOWER)),
            on_host: names(&|r| r.on_device < 0.5),
            wrong: names(&|r| !r.quadra.ok),
        }
    }
}
