//! What a run of a matrix product shows: speed, errors, and what bounds it.

use super::{Data, Done, Plan, Result, reference};
use crate::vc4::emu::Config;
use crate::vc4::timing::params::Status;
use crate::vc4::timing::{Outcome, Parameters};
use serde::Serialize;

/// The least time that one thing needs, whatever the others do.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Bound {
    pub name: String,
    /// Clocks that it takes alone.
    pub clocks: u64,
    /// What was assumed: values and status of the parameters behind it.
    pub assumed: String,
}

/// A run in figures.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Row {
    pub plan: Plan,
    pub threads: u32,
    pub clock_mhz: f64,
    /// Modelled clocks, without the launch.
    pub clocks: u64,
    pub seconds: f64,
    pub gflops: f64,
    /// Instructions that all QPUs executed.
    pub issued: u64,
    /// Words of C that differ from the truncating reference.
    pub wrong_words: u64,
    /// Largest absolute difference from sums rounded to nearest after each operation.
    pub max_error: f64,
    /// The largest first.
    pub bounds: Vec<Bound>,
    /// What the QPUs waited for, as shares of all clocks of all QPUs, the largest first.
    pub waits: Vec<(&'static str, f64)>,
}

/// The matrices that are the same for all versions and splits of a shape, with what must come out.
#[derive(Clone, Debug)]
pub struct Expected {
    pub data: Data,
    truncating: Vec<f32>,
    nearest: Vec<f32>,
}

impl Expected {
    /// numpy's seed-0 matrices for the plan's shape.
    pub fn new(plan: &Plan) -> Expected {
        let data = Data::numpy(plan, 0);
        Expected { truncating: reference::truncating(plan, &data), nearest: reference::nearest(plan, &data), data }
    }
}

/// Runs a plan in simulated time and compares its result.
///
/// # Errors
/// As [`super::run`].
pub fn row(plan: &Plan, expected: &Expected, params: &Parameters, clock_mhz: f64) -> Result<Row> {
    let done = super::run(plan, &expected.data, Config::default(), Some(params))?;
    Ok(of_done(plan, &done, expected, params, clock_mhz))
}

fn of_done(plan: &Plan, done: &Done, expected: &Expected, params: &Parameters, clock_mhz: f64) -> Row {
    let empty = Outcome::default();
    let outcome = done.outcome.as_ref().unwrap_or(&empty);
    let differs = |(x, y): &(&f32, &f32)| x.to_bits() != y.to_bits();
    Row {
        plan: *plan,
        threads: plan.split.threads(),
        clock_mhz,
        clocks: outcome.clocks,
        seconds: outcome.seconds(clock_mhz, 0.0),
        gflops: plan.gflops(outcome.clocks, clock_mhz),
        issued: done.report.issued(),
        wrong_words: done.c.iter().zip(&expected.truncating).filter(differs).count() as u64,
        max_error: reference::max_error(&done.c, &expected.nearest),
        bounds: bounds(outcome, params, clock_mhz),
        waits: waits(outcome),
    }
}

fn waits(outcome: &Outcome) -> Vec<(&'static str, f64)> {
    let all = (outcome.clocks.max(1) * outcome.qpus.len().max(1) as u64) as f64;
    let of = |cause: crate::vc4::timing::Cause| {
        let clocks: u64 = outcome.qpus.iter().map(|q| q.stalls[cause as usize]).sum();
        (cause.name(), clocks as f64 / all)
    };
    let mut waits: Vec<_> = crate::vc4::timing::Cause::ALL.into_iter().map(of).filter(|w| w.1 > 0.0).collect();
    waits.sort_by(|a, b| b.1.total_cmp(&a.1));
    waits
}

/// What a run needs of each resource: issue slots of the busiest QPU, and the clocks in which the shared units worked.
pub fn bounds(outcome: &Outcome, params: &Parameters, clock_mhz: f64) -> Vec<Bound> {
    let slots = outcome.report.qpus.iter().map(|q| q.issued).max().unwrap_or(0);
    let issue = Bound {
        name: "instructions".into(),
        clocks: (slots as f64 * params.issue) as u64,
        assumed: format!("{slots} slots of the busiest QPU, {} clocks each", params.issue),
    };
    let line_rate = |clocks: f64| format!("{:.2} GB/s", 64.0 / clocks * clock_mhz * 1e-3);
    let mut all = vec![issue];
    for (name, clocks) in &outcome.busy {
        let assumed = match name.as_str() {
            "L2 cache" => format!(
                "{} lines of 64 bytes, {} clocks each: {} ({})",
                lines(*clocks, params.l2_line),
                params.l2_line,
                line_rate(params.l2_line),
                status(params, "l2_line"),
            ),
            "memory channel" => format!(
                "{} lines of 64 bytes, {} clocks each: {} ({})",
                lines(*clocks, params.memory_line),
                params.memory_line,
                line_rate(params.memory_line),
                status(params, "memory_line"),
            ),
            "DMA load engine" => format!(
                "{} clocks per transfer, {:.1} per row of 64 bytes ({})",
                params.dma_load_start,
                params.dma_load_row + params.dma_load_bytes,
                status(params, "dma_load_row"),
            ),
            "DMA store engine" => format!(
                "{} clocks per transfer, {:.1} per row of 64 bytes ({})",
                params.dma_store_start,
                params.dma_store_row + params.dma_store_bytes,
                status(params, "dma_store_row"),
            ),
            // Units of a slice and the VPM port stay far below the others here.
            _ => continue,
        };
        all.push(Bound { name: name.clone(), clocks: *clocks, assumed });
    }
    all.sort_by_key(|b| std::cmp::Reverse(b.clocks));
    all
}

fn lines(clocks: u64, per_line: f64) -> u64 {
    (clocks as f64 / per_line).round() as u64
}

fn status(params: &Parameters, name: &str) -> &'static str {
    match params.rows().iter().find(|r| r.name == name).map(|r| r.status) {
        Some(Status::Structural) => "structural",
        Some(Status::Measured) => "measured",
        Some(Status::Derived) => "derived from measurements",
        Some(Status::Guess) | None => "a guess",
    }
}
