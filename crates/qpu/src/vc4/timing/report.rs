//! The model beside measurements: published times of boards, what each was used for, and what nothing was fitted to.

use super::params::{Parameters, Row};
use crate::vc4::emu::Config;
use crate::vc4::sgemm::{self, Data, Plan, Split, Version};
use quadra_base::Diagnostic;
use serde::Serialize;

/// The clock of the boards that were measured, in MHz.
pub const CLOCK_MHZ: f64 = 250.0;

/// Whether a measurement served to find parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Use {
    /// A parameter follows from it, so that its error shows how well the model can be fitted, not how well it predicts.
    Fitted,
    /// Nothing follows from it: a check.
    Free,
}

/// A measurement on a board beside the model.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Check {
    pub program: &'static str,
    pub qpus: u32,
    /// Seconds on hardware.
    pub measured: f64,
    /// Seconds in the model, where the program is part of this crate.
    pub modelled: Option<f64>,
    /// Modelled over measured, less one.
    pub error: Option<f64>,
    pub status: Use,
    /// Where the measurement was published.
    pub source: &'static str,
    /// The parameter that follows from it, or why the model was not run.
    pub note: &'static str,
}

/// A division of the matrix product over 12 QPUs.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct SplitTime {
    /// Parts of A by rows, and of B by columns.
    pub a: u32,
    pub b: u32,
    pub seconds: f64,
}

/// The matrix product without and with lookups that bring the lines of B into the L2 cache ahead of the uniform stream.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Prefetch {
    pub qpus: u32,
    pub without: f64,
    pub with: f64,
}

/// Everything that `quadra timing --report` prints.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Report {
    pub checks: Vec<Check>,
    pub splits: Vec<SplitTime>,
    pub prefetch: Vec<Prefetch>,
    pub parameters: Vec<Row>,
}

const ARTICLE: &str = "article on sgemm by the author of py-videocore, Pi Zero";
const OTHER_WORDS: &str = "needs QPULib's words";
const QPULIB: &str = "README of QPULib";
/// A published figure of a program whose words are not part of this crate.
const fn elsewhere(program: &'static str, qpus: u32, measured: f64, note: &'static str) -> Check {
    let status = if note.len() > OTHER_WORDS.len() { Use::Fitted } else { Use::Free };
    Check { program, qpus, measured, modelled: None, error: None, status, source: QPULIB, note }
}

/// Runs what can be run.
///
/// # Errors
/// If a program is stopped, which only a fault of the emulator or of the program could cause.
pub fn report() -> Result<Report, Box<Diagnostic>> {
    let data = Data::numpy(&Plan::published(Version::Article, Split { a: 1, b: 1 }), 0);
    let seconds = |split: Split, prefetch: bool| -> Result<f64, Box<Diagnostic>> {
        let plan = Plan { prefetch, ..Plan::published(Version::Article, split) };
        let done = sgemm::run(&plan, &data, Config::default(), Some(&Parameters::default()))?;
        Ok(done.outcome.map_or(0.0, |o| o.seconds(CLOCK_MHZ, 0.0)))
    };
    let one = seconds(Split { a: 1, b: 1 }, false)?;
    let mut splits = Vec::new();
    for split in Split::all(12) {
        splits.push(SplitTime { a: split.a, b: split.b, seconds: seconds(split, false)? });
    }
    let twelve = splits.iter().find(|s| (s.a, s.b) == (2, 6)).map_or(0.0, |s| s.seconds);
    let prefetch = vec![
        Prefetch { qpus: 1, without: one, with: seconds(Split { a: 1, b: 1 }, true)? },
        Prefetch { qpus: 12, without: twelve, with: seconds(Split { a: 2, b: 6 }, true)? },
    ];
    let here = |qpus, measured: f64, modelled: f64, note| Check {
        program: "sgemm 96 x 363 by 363 x 3072",
        qpus,
        measured,
        modelled: Some(modelled),
        error: Some(modelled / measured - 1.0),
        status: Use::Fitted,
        source: ARTICLE,
        note,
    };
    Ok(Report {
        checks: vec![
            here(1, 0.23, one, "gives uniform_memory"),
            here(12, 0.026, twelve, "A in 2 parts, B in 6; gives memory_line"),
            elsewhere("QPULib Rot3D version 1, 192,000 vertices", 1, 0.040, "needs QPULib's words; gives dma_overlap"),
            elsewhere("QPULib Rot3D version 2", 1, 0.018, OTHER_WORDS),
            elsewhere("QPULib Rot3D version 3", 1, 0.018, OTHER_WORDS),
            elsewhere("QPULib Rot3D version 3", 2, 0.016, "needs QPULib's words; gives dma_store_row"),
            elsewhere("QPULib HeatMap, 2,000 steps", 1, 49.34, "needs QPULib's words; gives launch_mailbox"),
            elsewhere("QPULib HeatMap, 2,000 steps", 2, 24.91, OTHER_WORDS),
            elsewhere("QPULib HeatMap, 2,000 steps", 4, 20.36, "needs QPULib's words; gives dma_store_row"),
        ],
        splits,
        prefetch,
        parameters: Parameters::default().rows(),
    })
}
