//! The last test program of the workspace: says what the others left out on this machine, and how to have it, too.

fn main() {
    // Runners that ask for the names of tests before they run them find none here.
    if std::env::args().any(|a| a == "--list") {
        return;
    }
    let rows = quadra_base::testing::report();
    if rows.is_empty() {
        println!("\nNo test was left out.");
        return;
    }
    println!("\nLeft out on this machine:");
    for (why, tests) in rows {
        println!("  {tests:4} tests: {why}");
    }
    println!(
        "  (.ci/run installs what is missing; with {}=1 each of these is a failure)",
        quadra_base::testing::STRICT
    );
}
