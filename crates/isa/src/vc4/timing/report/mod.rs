//! The model beside measurements: published times of boards, what each was used for, and what nothing was fitted to.

use super::params::{Board, Parameters, Row};
use super::published::{self, Launch, Published, Use};
use crate::vc4::emu::Config;
use crate::vc4::image::{Loaded, Measured};
use crate::vc4::sgemm::{self, Data, Plan, Split, Version};
use quadra_base::Diagnostic;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The clock of the boards that were measured, in MHz.
pub const CLOCK_MHZ: f64 = 250.0;

/// Instructions that a program from outside may execute: a transform of 2^22 points has 130 million.
const IMAGE_BUDGET: u64 = 1 << 36;

/// A measurement on a board beside the model.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Check {
    /// Name of an image that models it.
    pub id: String,
    pub program: String,
    pub qpus: u32,
    /// Seconds on hardware.
    pub measured: f64,
    /// Seconds in the model, where the program is part of this crate or among the images.
    pub modelled: Option<f64>,
    /// Modelled over measured, less one.
    pub error: Option<f64>,
    pub status: Use,
    /// Where the measurement was published.
    pub source: String,
    /// The parameters that follow from it; empty if none does.
    pub note: String,
}

impl Check {
    fn of(row: &Published) -> Check {
        Check {
            id: row.id.into(),
            program: row.program.into(),
            qpus: row.qpus,
            measured: row.seconds,
            modelled: None,
            error: None,
            status: row.status,
            source: row.source.into(),
            note: row.note.into(),
        }
    }

    fn with_model(self, seconds: f64) -> Check {
        Check { modelled: Some(seconds), error: Some(seconds / self.measured - 1.0), ..self }
    }
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

/// Runs what can be run: the matrix products of this crate, and the images of a directory.
///
/// An image is named after the row of [`published::ALL`] that it models (`fft-9.json`), or says in its JSON part what was
/// measured ([`Measured`]); its row is then added.
///
/// # Errors
/// A program that is stopped; `E0721` for a directory or file that cannot be read; `E0722` for a malformed image, and for one
/// without a measured time.
pub fn report(images: Option<&Path>) -> Result<Report, Box<Diagnostic>> {
    let data = Data::numpy(&Plan::published(Version::Article, Split { a: 1, b: 1 }), 0);
    let seconds = |split: Split, prefetch: bool| -> Result<f64, Box<Diagnostic>> {
        let plan = Plan { prefetch, ..Plan::published(Version::Article, split) };
        let done = sgemm::run(&plan, &data, Config::default(), Some(&Parameters::default()))?;
        Ok(done.outcome.map_or(0.0, |o| o.seconds(CLOCK_MHZ, 0.0)))
    };
    // What is wrong with an image is said before anything long begins.
    let images = images.map(read_images).transpose()?.unwrap_or_default();
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
    let own = |check: Check| match check.id.as_str() {
        "sgemm-1" => check.with_model(one),
        "sgemm-12" => check.with_model(twelve),
        _ => check,
    };
    let mut checks: Vec<Check> = published::ALL.iter().map(|row| own(Check::of(row))).collect();
    for (path, loaded) in &images {
        let id = stem(path);
        let measured = expected(path, loaded)?;
        let modelled = model(path, loaded, &measured)?;
        match checks.iter_mut().find(|check| check.id == id && loaded.image.measured.is_none()) {
            Some(check) => *check = check.clone().with_model(modelled),
            None => checks.push(added(id, loaded, &measured).with_model(modelled)),
        }
    }
    Ok(Report { checks, splits, prefetch, parameters: Parameters::default().rows() })
}

/// The images of a directory, by name.
fn read_images(directory: &Path) -> Result<Vec<(PathBuf, Loaded)>, Box<Diagnostic>> {
    let failed = |e: std::io::Error| Diagnostic::error("E0721", format!("cannot read {}: {e}", directory.display()));
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|e| e == "json") {
            paths.push(path);
        }
    }
    paths.sort();
    if paths.is_empty() {
        let message = format!("there is no image in {}", directory.display());
        let help = "an image is NAME.json and NAME.bin, as `quadra emulate` takes them";
        return Err(Diagnostic::error("E0721", message).help(help).into());
    }
    let mut images = Vec::new();
    for path in paths {
        let loaded = Loaded::read(&path)?;
        expected(&path, &loaded)?;
        images.push((path, loaded));
    }
    Ok(images)
}

fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// What an image is compared with: what it says itself, or the row that it is named after.
fn expected(path: &Path, loaded: &Loaded) -> Result<Measured, Box<Diagnostic>> {
    if let Some(measured) = &loaded.image.measured {
        return measured.clone().checked(path);
    }
    let Some(row) = published::find(&stem(path)) else {
        let message = format!("{} does not say what was measured", path.display());
        let help = "name it after a row of `quadra timing --report --json`, or add \"measured\": {\"seconds\": ...}";
        return Err(Diagnostic::error("E0722", message).help(help).into());
    };
    Ok(Measured {
        seconds: row.seconds,
        launches: row.launches,
        parts: row.parts,
        pi: row.board.name().into(),
        mhz: Some(row.clock_mhz),
        launch: row.launch,
        ..Measured::default()
    })
}

/// Seconds of what was measured, in the model.
fn model(path: &Path, loaded: &Loaded, measured: &Measured) -> Result<f64, Box<Diagnostic>> {
    let board = Board::from_name(&measured.pi).unwrap_or(Board::Pi1);
    let params = board.parameters();
    let (mut machine, threads) = loaded.machine(Config { budget: IMAGE_BUDGET, ..Config::of_others() })?;
    let outcome = super::run(&mut machine, &threads, &params, None)
        .map_err(|e| Box::new(e.diagnostic().note(format!("in {}", path.display()))))?;
    let launch = match measured.launch {
        Launch::Registers => params.launch_registers,
        Launch::Mailbox => params.launch_mailbox,
        Launch::None => 0.0,
    };
    let once = outcome.seconds(measured.mhz.unwrap_or(board.clock_mhz()), launch);
    Ok(once * f64::from(measured.launches) / f64::from(measured.parts))
}

/// The row of an image that says itself what was measured.
fn added(id: String, loaded: &Loaded, measured: &Measured) -> Check {
    Check {
        program: measured.program.clone().unwrap_or_else(|| id.clone()),
        id,
        qpus: loaded.image.threads.len() as u32,
        measured: measured.seconds,
        modelled: None,
        error: None,
        status: Use::Free,
        source: measured.source.clone().unwrap_or_default(),
        note: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vc4::image::{Image, ImageThread, Segment};

    /// An image of two empty instructions and the end, whose JSON part says this.
    fn write(directory: &Path, name: &str, measured: Option<Measured>) {
        let words = [0x300009E7009E7000u64, 0x100009E7009E7000, 0x100009E7009E7000];
        let contents: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let segment = Segment { name: "code".into(), addr: 0x1000, off: 0, nbytes: 24 };
        let threads = vec![ImageThread { pc: 0x1000, unif: 0x1000 }];
        let image = Image { threads, segments: vec![segment], measured, ..Image::default() };
        Loaded { image, contents }.write(&directory.join(name)).expect("writable");
    }

    #[test]
    fn images_fill_rows_and_add_some() {
        let directory = tempfile::tempdir().expect("a place for files");
        let seconds = |image: &(PathBuf, Loaded)| {
            let measured = expected(&image.0, &image.1).expect("known");
            (stem(&image.0), model(&image.0, &image.1, &measured).expect("it runs"))
        };
        let of_mine = Measured { seconds: 1e-6, launches: 10, parts: 2, pi: "3".into(), ..Measured::default() };
        write(directory.path(), "fft-9.json", None);
        write(directory.path(), "mine.json", Some(of_mine.clone()));
        let images = read_images(directory.path()).expect("both are good");
        let found: Vec<(String, f64)> = images.iter().map(seconds).collect();
        // Three instructions, and their line from memory.
        let clocks = 3.0 * 4.0 + 64.0;
        let params = Parameters::default();
        let expected = (clocks / 250.0 + params.launch_registers) * 1e-6;
        assert!(found[0].0 == "fft-9" && (found[0].1 - expected).abs() < 1e-12, "{found:?}");
        assert!((found[1].1 - 5.0 * clocks / 300.0 * 1e-6).abs() < 1e-12, "{found:?}");
        write(directory.path(), "other.json", None);
        let refused = || read_images(directory.path()).map(drop).expect_err("must be refused").to_string();
        assert!(refused().contains("does not say what was measured"), "{}", refused());
        write(directory.path(), "other.json", Some(Measured { pi: "9".into(), ..of_mine.clone() }));
        assert!(refused().contains("no board `9`"), "{}", refused());
        write(directory.path(), "other.json", Some(Measured { parts: 0, ..of_mine }));
        assert!(refused().contains("E0722"), "{}", refused());
        let empty = tempfile::tempdir().expect("a place for files");
        let error = report(Some(empty.path())).expect_err("nothing to run").to_string();
        assert!(error.contains("no image"), "{error}");
    }
}
