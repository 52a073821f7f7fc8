//! The files under `tests/kir/check` and `tests/run` at the root of the repository.

use quadra_tests::drop_in;
use std::path::Path;

fn run(directory: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let report = drop_in::run(&root.join(directory));
    println!("{directory}: {} files, {} compared, {} skipped", report.files, report.compared, report.skipped);
    assert!(report.failures.is_empty(), "{}", report.failures.join("\n"));
    assert!(report.compared > 0);
}

#[test]
fn what_the_checker_refuses() {
    run("tests/kir/check");
}

#[test]
fn what_launches_compute() {
    run("tests/run");
}

#[test]
fn what_the_book_shows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let report = drop_in::run_book(&root.join("book/src"));
    assert!(report.failures.is_empty(), "{}", report.failures.join("\n"));
    assert!(report.files > 0 && report.compared >= report.files);
}

#[test]
fn what_the_books_assembly_does() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let report = drop_in::qasm::run_book(&root.join("book/src"));
    println!("{} blocks, {} compared", report.files, report.compared);
    assert!(report.failures.is_empty(), "{}", report.failures.join("\n"));
    assert!(report.files >= 10 && report.compared >= 10);
}

#[test]
fn what_assembly_files_do() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let report = drop_in::qasm::run(&root.join("tests/qasm"));
    println!("{} files, {} compared", report.files, report.compared);
    assert!(report.failures.is_empty(), "{}", report.failures.join("\n"));
    assert!(report.files >= 2 && report.compared >= report.files);
}
