//! What tests of several crates share, above all what they leave out where something is not installed: said at the end of the whole run
//! instead of in output that nobody sees.
//!
//! The test programs of one `cargo test` are children of one process; what they leave out goes to a file beside them, one line each with
//! that process's number, and the last of them, [`report`], reads the lines of its own run.
//!
//! With [`STRICT`] set, as continuous integration sets it, leaving something out fails the test.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// The environment variable under which a test that cannot run fails instead of being left out.
pub const STRICT: &str = "QUADRA_LEAVE_NOTHING_OUT";

/// The environment variable that names the GPUs of tests, as devices with commas between them: `gpu:NVIDIA`.
pub const GPUS: &str = "QUADRA_TEST_GPUS";

/// The devices that tests of GPUs run on: those that [`GPUS`] names, or else two software drivers.
pub fn gpus() -> Vec<&'static str> {
    match std::env::var(GPUS) {
        Ok(names) => names.leak().split(',').collect(),
        Err(_) => vec!["gpu:llvmpipe", "gpu:SwiftShader"],
    }
}

/// Says that the running test, or a part of it, cannot run here, and why: `libLLVM is not installed`.
///
/// # Panics
/// With [`STRICT`] set.
pub fn left_out(why: impl std::fmt::Display) {
    assert!(std::env::var_os(STRICT).is_none(), "left out, and {STRICT} is set: {why}");
    note(&why.to_string());
}

/// Like [`left_out`] for what no installation brings, such as a chip or documents that lie beside the repository: never a failure.
pub fn not_here(why: impl std::fmt::Display) {
    note(&why.to_string());
}

/// The names of what is in a directory, sorted.
///
/// # Panics
/// If it cannot be read.
pub fn names_in(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).expect("the test made it").flatten();
    let mut names: Vec<String> = entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Does this for all of them, on a thread for each processor, and gives the results in the order of the items.
///
/// # Panics
/// If one of them panics.
pub fn each<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(|| {
                loop {
                    let n = next.fetch_add(1, Relaxed);
                    let Some(item) = items.get(n) else { break };
                    let result = work(item);
                    results.lock().unwrap_or_else(PoisonError::into_inner).push((n, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|r| r.0);
    results.into_iter().map(|r| r.1).collect()
}

/// What the tests of this run have left out so far: reason and number of tests, most frequent first. Forgets older runs.
pub fn report() -> Vec<(String, usize)> {
    let Some(path) = notes() else { return Vec::new() };
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let _ = std::fs::remove_file(path);
    count(&text, &run())
}

fn count(text: &str, run: &str) -> Vec<(String, usize)> {
    let mut rows: Vec<(String, usize)> = Vec::new();
    for why in text.lines().filter_map(|line| line.strip_prefix(run)?.strip_prefix('\t')) {
        match rows.iter_mut().find(|(known, _)| known == why) {
            Some(row) => row.1 += 1,
            None => rows.push((why.to_string(), 1)),
        }
    }
    rows.sort_by_key(|row| std::cmp::Reverse(row.1));
    rows
}

fn note(why: &str) {
    println!("left out: {why}");
    let Some(path) = notes() else { return };
    // Tests of many threads write: one short write in append mode is never torn.
    let line = format!("{}\t{}\n", run(), why.replace('\n', " "));
    if let Ok(mut file) = std::fs::OpenOptions::new().create(true).append(true).open(path) {
        let _ = file.write_all(line.as_bytes());
    }
}

/// The folder of the test programs is the one place that all of them know.
fn notes() -> Option<PathBuf> {
    Some(std::env::current_exe().ok()?.parent()?.join("left-out.txt"))
}

fn run() -> String {
    #[cfg(unix)]
    return std::os::unix::process::parent_id().to_string();
    #[cfg(not(unix))]
    return "run".to_string();
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<u32> = (0..1000).collect();
        assert_eq!(super::each(&items, |i| i * 2), (0..2000).step_by(2).collect::<Vec<u32>>());
        assert!(super::each(&[] as &[u32], |i| *i).is_empty());
    }

    #[test]
    fn only_lines_of_this_run_count() {
        let text = "12\tno libLLVM\n13\tno libLLVM\n12\tno driver\n12\tno libLLVM\n123\tno cat\n";
        let expected = vec![("no libLLVM".to_string(), 2), ("no driver".to_string(), 1)];
        assert_eq!(super::count(text, "12"), expected);
    }
}
