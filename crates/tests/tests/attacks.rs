//! The attempts of `tests/q/attacks` to leave an array, with arrays between guard pages on the processor, and with proofs tested and
//! trusted: they print what the files say. Every device runs them in the checked mode as cases; here the modes are others. In a process
//! of its own, because they belong to the process.

use quadra_base::checked::{self, Guard};
use quadra_base::near;
use quadra_quasar::session::{Buffer, Options, Session, with_stack};
use std::path::{Path, PathBuf};

/// What a program prints.
fn printed(path: &Path, text: &str, device: &str) -> String {
    let options = Options { device: device.into(), fuel: 200_000_000, max_memory: 2 << 30, ..Options::default() };
    let (name, text) = (path.to_string_lossy().into_owned(), text.to_string());
    with_stack(move || {
        let buffer = Buffer::default();
        Session::new(options, Box::new(buffer.clone())).run(&name, &text);
        buffer.text()
    })
    .expect("no program may panic")
}

/// The lines that a file expects.
fn expected(text: &str) -> Vec<&str> {
    text.lines()
        .filter_map(|line| line.strip_prefix("% out:"))
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .collect()
}

#[test]
fn nobody_leaves_an_array_between_guard_pages() {
    let directory = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/q/attacks"));
    let entries = std::fs::read_dir(directory).expect("the attempts are there").flatten();
    let files: Vec<PathBuf> = entries.map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "q")).collect();
    let mut ways = vec![(Guard::Off, false, "qpu")];
    if quadra_device::open("cpu").map_err(quadra_base::testing::left_out).is_ok() {
        ways.extend([(Guard::End, true), (Guard::End, false), (Guard::Start, false)].map(|(g, c)| (g, c, "cpu")));
    }
    let mut attempts = 0;
    for &(guard, tested, device) in &ways {
        checked::set_guard(guard);
        checked::set(tested);
        let found = quadra_base::testing::each(&files, |path| {
            let text = std::fs::read_to_string(path).expect("it can be read");
            // A case that names its device prints what that one does.
            let want = if text.contains("% args:") { Vec::new() } else { expected(&text) };
            let equal = |p: f64, q: f64| (p - q).abs() <= 1e-5 * q.abs().max(1.0);
            let agree =
                want.is_empty() || near::texts(printed(path, &text, device).trim_end(), &want.join("\n"), equal);
            (want.len(), (!agree).then(|| format!("{} on {device}, {guard:?}, tested: {tested}", path.display())))
        });
        attempts += found.iter().map(|(lines, _)| lines).sum::<usize>();
        let differ: Vec<String> = found.into_iter().filter_map(|(_, wrong)| wrong).collect();
        assert!(differ.is_empty(), "{}", differ.join("\n"));
    }
    checked::set_guard(Guard::Off);
    checked::set(false);
    println!("{attempts} lines in {} ways", ways.len());
    assert!(attempts > 900 * ways.len(), "{attempts}");
}
