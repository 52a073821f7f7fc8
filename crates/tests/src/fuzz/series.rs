//! Series of random programs, each run serially by the host's interpreter and on a device; the first that differs is shrunk.

use super::host_and_device::difference;
use quadra_base::Diagnostic;
use std::collections::BTreeMap;

/// What a series of random programs came to.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub programs: usize,
    /// Loops that count as parallel, or kernels.
    pub kernels: usize,
    /// Of these, what did not run on the device.
    pub refused: usize,
    /// Why not, and how often each was said.
    pub reasons: BTreeMap<String, usize>,
    pub failure: Option<String>,
}

/// A random program, in a form that can be shrunk.
pub trait Program: Sized {
    /// The program of a seed, always the same.
    fn random(seed: u64) -> Self;

    /// The program as Quasar.
    fn text(&self) -> String;

    /// The same program with one part left out, for each of its parts, in the order in which they are tried.
    fn smaller(&self) -> Vec<Self>;

    /// The same program without numbers that the QPU does not have: NaN and infinity, of which a run warns there (Q0527).
    fn finite(self) -> Self {
        self
    }

    /// What counts in [`Report::kernels`].
    fn kernels(_text: &str) -> usize {
        1
    }

    /// Whether it runs with proofs trusted as well, which is other code: a wrong one then meets a guard page or changes a result.
    fn unchecked_too() -> bool {
        false
    }

    /// What counts in [`Report::refused`], if the device said so many times that it did not run something.
    fn refused(notes: usize) -> usize {
        notes
    }
}

/// Compares the programs of `count` seeds from `seed` on, and stops at the first that differs, which it shrinks.
pub fn series<P: Program>(seed: u64, count: u64, device: &str) -> Report {
    let mut report = Report::default();
    for seed in seed..seed + count {
        let program = if device == "qpu" { P::random(seed).finite() } else { P::random(seed) };
        let text = program.text();
        report.programs += 1;
        report.kernels += P::kernels(&text);
        let (found, notes) = differs::<P>(&text, device);
        report.refused += P::refused(notes.len());
        for note in notes {
            *report.reasons.entry(note.message).or_default() += 1;
        }
        if found.is_some() {
            let small = shrink(program, device).text();
            let why = differs::<P>(&small, device).0.unwrap_or_default();
            report.failure = Some(format!("seed {seed}: {why}\n{small}"));
            return report;
        }
    }
    report
}

/// Why the device does something else in any of the ways in which such programs run, and the notes of the first.
fn differs<P: Program>(text: &str, device: &str) -> (Option<String>, Vec<Diagnostic>) {
    let (found, notes) = difference(text, device, true);
    if found.is_some() || !P::unchecked_too() {
        return (found, notes);
    }
    let found = difference(text, device, false).0.map(|why| format!("with proofs trusted, {why}"));
    (found, notes)
}

/// Leaves out parts as long as the program still differs.
fn shrink<P: Program>(mut program: P, device: &str) -> P {
    while let Some(smaller) = program.smaller().into_iter().find(|p| differs::<P>(&p.text(), device).0.is_some()) {
        program = smaller;
    }
    program
}
