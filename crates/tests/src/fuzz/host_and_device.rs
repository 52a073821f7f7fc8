//! A Quasar program run serially by the host's interpreter and on a device: what it prints, warns of and ends with must be the same.

use quadra_base::Diagnostic;
use quadra_quasar::session::{Options, run_text};

/// What a run shows: output, status, what was reported, and notes on what did not run on the device.
fn shown(text: &str, device: &str) -> (String, i32, Vec<Diagnostic>, Vec<Diagnostic>) {
    let options = Options { device: device.into(), fuel: 2_000_000, verbose: true, ..Options::default() };
    let (output, outcome) = run_text("loops.q", text, &options);
    let place = |d: &Diagnostic| matches!(d.code, "Q0520" | "Q0521");
    let (refused, mut rest): (Vec<_>, Vec<_>) = outcome.diagnostics.into_iter().partition(place);
    // The order of warnings is that in which the places were reached, which a kernel reaches all at once.
    rest.sort_by_key(|d| (d.span.map(|s| (s.line, s.column)), d.code));
    (output, outcome.status, rest, refused)
}

/// Whole numbers up to this one are floats.
const EXACT: f64 = 16_777_216.0;

/// Whether two outputs are the same, but for the last digits of large numbers; on the QPU, which truncates, up to those of all numbers.
fn same(a: &str, b: &str, device: &str) -> bool {
    let words = |text: &'static [char], s: &str| s.split(text).map(str::to_string).collect::<Vec<_>>();
    let cut: &'static [char] = &[' ', ',', '[', ']', '\n'];
    if a == b {
        return true;
    }
    let (x, y) = (words(cut, a), words(cut, b));
    let near = |(p, q): (&String, &String)| match (p.parse::<f64>(), q.parse::<f64>()) {
        (Ok(p), Ok(q)) if device == "qpu" => (p - q).abs() <= 1e-5 * p.abs().max(1.0),
        // Sums of floats beyond these are rounded, in whichever order they are taken.
        (Ok(p), Ok(q)) if p.abs() > EXACT => (p - q).abs() <= 1e-6 * p.abs(),
        _ => p == q,
    };
    x.len() == y.len() && x.iter().zip(&y).all(near)
}

/// Why the device does something else, if it does, and the notes on what did not run there. Proofs are `tested` or trusted.
pub fn difference(text: &str, device: &str, tested: bool) -> (Option<String>, Vec<Diagnostic>) {
    // Either end of the guard pages for every other program, whichever it is.
    let number = text.len() as u64;
    super::watch_as(number, tested);
    // Most of the time goes to LLVM's code generator: seven of eight programs have it hurry, the eighth is compiled as for users.
    quadra_base::checked::set_hurried(!(number / 2).is_multiple_of(8));
    let host = shown(text, "host");
    let there = shown(text, device);
    let refused = there.3;
    let warnings = |list: &[Diagnostic]| -> Vec<(Option<u32>, &'static str)> {
        let mut all: Vec<_> = list.iter().map(|d| (d.span.map(|s| s.line), d.code)).collect();
        all.dedup();
        all
    };
    if !same(&host.0, &there.0, device) || host.1 != there.1 {
        let texts = |d: &[Diagnostic]| d.iter().map(|d| d.message.clone()).collect::<Vec<_>>().join("; ");
        let why = format!(
            "the host prints\n{}({}; {})\ndevice {device} prints\n{}({}; {})",
            host.0,
            host.1,
            texts(&host.2),
            there.0,
            there.1,
            texts(&there.2)
        );
        return (Some(why), refused);
    }
    // A kernel warns of every conversion in it, whether or not a branch was taken.
    let (a, b) = (warnings(&host.2), warnings(&there.2));
    match a.iter().find(|w| !b.contains(w)) {
        Some(missing) => (Some(format!("device {device} does not report {missing:?}")), refused),
        None => (None, refused),
    }
}
