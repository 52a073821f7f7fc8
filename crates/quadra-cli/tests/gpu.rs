//! The command and GPUs: what is loaded when, and what is said where there is none.
#![cfg(feature = "gpu")]

use std::process::{Command, Output};

fn quadra(args: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quadra"));
    command.args(args).envs(variables.iter().copied()).output().expect("the command starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The dynamic linker lists what it loads.
#[cfg(target_os = "linux")]
#[test]
fn help_loads_no_gpu_library() {
    let loaded = |args: &[&str]| text(&quadra(args, &[("LD_DEBUG", "libs")]).stderr);
    let help = loaded(&["--help"]);
    assert!(help.contains("libc.so") && !help.contains("vulkan"), "{help}");
    if quadra_device::open("gpu").is_ok() {
        assert!(loaded(&["devices"]).contains("vulkan"), "the same list shows it where it is used");
    }
}

#[test]
fn without_a_driver_one_line_names_the_packages() {
    let none = [("VK_DRIVER_FILES", "/nowhere.json"), ("VK_ADD_DRIVER_FILES", "")];
    let directory = tempfile::tempdir().expect("a place for files");
    let program = directory.path().join("one.q");
    std::fs::write(&program, "print 1\n").expect("own directory");
    let out = quadra(&["run", "--device", "gpu", program.to_str().expect("text")], &none);
    let told = text(&out.stderr);
    assert!(out.status.code() != Some(0) && out.stdout.is_empty(), "{told}");
    assert!(
        told.contains("E0730") && told.contains("`libvulkan1`") && told.contains("`mesa-vulkan-drivers`"),
        "{told}"
    );
    assert_eq!(told.matches("error").count(), 1, "{told}");
}

/// Programs whose loops run on the GPU, by its clock.
#[test]
fn profiles_and_comparisons_have_the_gpu() {
    if let Err(why) = quadra_device::open("gpu") {
        quadra_base::testing::left_out(why.message);
        return;
    }
    let directory = tempfile::tempdir().expect("a place for files");
    let program = directory.path().join("steps.q");
    let steps = "x = linspace(0, 1, 5000)\ny = zeros(5000)\nfor k = 1..4\nfor i = 0..4999\ny[i] = x[i] * 2 + k\nend\nend\nprint sum(y)\n";
    std::fs::write(&program, steps).expect("own directory");
    let file = program.to_str().expect("text");
    let out = quadra(&["run", "--device", "gpu", "--profile", "--json", file], &[]);
    let told = text(&out.stderr);
    // Drivers may say something before it.
    let begin = told.find("{\n").unwrap_or_else(|| panic!("{told}"));
    let profile: serde_json::Value = serde_json::from_str(&told[begin..]).unwrap_or_else(|e| panic!("{e}: {told}"));
    let row = &profile["kernels"][0];
    assert!(row["device"] == "gpu" && row["launches"].as_u64() == Some(4), "{profile}");
    let out = quadra(&["compare", "--json", "--qpus", "1", file], &[]);
    let rows: serde_json::Value =
        serde_json::from_slice(&out.stdout).unwrap_or_else(|e| panic!("{e}: {}", text(&out.stderr)));
    let gpu = rows["rows"].as_array().expect("a list").iter().find(|r| r["device"] == "gpu").expect("a row");
    assert!(gpu["launches"].as_u64() == Some(4) && gpu["elsewhere"] == 0, "{gpu}");
}
