//! Random Quasar loops, and kernels whose blocks work together, with fixed seeds.

use quadra_quasar::session::with_stack;
use quadra_tests::fuzz;
use std::process::Command;

/// Programs that a test runs; `LOOPS` asks for more.
fn count() -> u64 {
    std::env::var("LOOPS").ok().and_then(|n| n.parse().ok()).unwrap_or(120)
}

/// Loops that count as parallel do as kernels what they do serially, and most of them can be kernels.
fn same_on(device: &'static str, count: u64) {
    same_with(device, count, 3);
}

/// The same where no more than one of so many is left to another device.
fn same_with(device: &'static str, count: u64, most: u64) {
    let report = with_stack(move || fuzz::loops(0, count, device)).expect("no program may panic");
    if let Some(failure) = &report.failure {
        panic!("{failure}");
    }
    println!("{} programs, {} parallel loops, {} not lowered", report.programs, report.kernels, report.refused);
    assert_eq!(report.programs as u64, count);
    assert!(report.kernels as u64 * 3 > count, "only {} loops count as parallel", report.kernels);
    assert!(
        report.refused as u64 * most < report.kernels as u64,
        "{} of {} are not lowered",
        report.refused,
        report.kernels
    );
}

#[test]
fn random_loops_do_the_same_on_the_interpreter() {
    same_on("interp", count());
}

#[test]
fn random_loops_do_the_same_on_the_emulated_qpu() {
    same_on("qpu", count());
}

#[test]
fn random_loops_do_the_same_on_the_gpu() {
    // SwiftShader has no 64-bit numbers.
    for driver in quadra_base::testing::gpus() {
        let most = if driver == "gpu:SwiftShader" { 1 } else { 3 };
        match quadra_device::open(driver) {
            Ok(_) => same_with(driver, count(), most),
            Err(why) => quadra_base::testing::left_out(why.message),
        }
    }
}

/// The number of threads is fixed for a process, so each number has one of its own.
#[test]
fn random_loops_do_the_same_on_the_processor_whatever_the_number_of_threads() {
    if quadra_device::open("cpu").is_err() {
        quadra_base::testing::left_out("libLLVM is not installed");
        return;
    }
    if std::env::var_os("LOOPS_CHILD").is_some() {
        return same_on("cpu", count());
    }
    let program = std::env::current_exe().expect("the test runs");
    for threads in ["1", "2", "7"] {
        let count = count().to_string();
        let name = "random_loops_do_the_same_on_the_processor_whatever_the_number_of_threads";
        let output = Command::new(&program)
            .args(["--exact", name, "--nocapture"])
            .envs([("QUADRA_THREADS", threads), ("LOOPS_CHILD", "1"), ("LOOPS", &count)])
            .output()
            .expect("the test can run itself");
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && text.contains("1 passed"), "{threads} threads:\n{text}");
    }
}

/// Loops along rows, with proofs tested and trusted.
#[test]
fn random_rows_do_the_same_on_every_device() {
    for (device, count) in [("interp", 60), ("cpu", 150), ("qpu", 30), (quadra_base::testing::gpus()[0], 20)] {
        if quadra_device::open(device.replace("qpu", "emu").as_str()).is_err() {
            quadra_base::testing::left_out(format_args!("there is no device {device}"));
            continue;
        }
        let report = with_stack(move || fuzz::rows(0, count, device)).expect("no program may panic");
        if let Some(failure) = &report.failure {
            panic!("{device}: {failure}");
        }
        println!("{device}: {} of {} leave a loop to the host", report.refused, report.programs);
    }
}

/// No kernel gets out of its arrays, and none is stopped that stays inside.
#[test]
fn kernels_that_reach_outside_do_the_same_on_every_device() {
    for device in ["interp", "cpu"].into_iter().chain(quadra_base::testing::gpus()) {
        if quadra_device::open(device).is_err() {
            quadra_base::testing::left_out(format_args!("there is no device {device}"));
            continue;
        }
        let report = with_stack(move || fuzz::reach(0, 100, device)).expect("no program may panic");
        if let Some(failure) = &report.failure {
            panic!("{device}: {failure}");
        }
        println!("{device}: {} of {} run on the host", report.refused, report.programs);
        assert!(report.refused * 2 < report.programs, "{device}: {} are not lowered", report.refused);
    }
}

/// Blocks do on one worker what their items do one by one, and all of them have that form.
#[test]
fn random_blocks_do_the_same_on_every_device() {
    for device in ["interp", "qpu", "cpu"] {
        if quadra_device::open(device.replace("qpu", "emu").as_str()).is_err() {
            quadra_base::testing::left_out(format_args!("there is no device {device}"));
            continue;
        }
        let report = with_stack(move || fuzz::blocks(0, 60, device)).expect("no program may panic");
        if let Some(failure) = &report.failure {
            panic!("{device}: {failure}");
        }
        assert_eq!((report.programs, report.refused), (60, 0), "{device}");
    }
}
