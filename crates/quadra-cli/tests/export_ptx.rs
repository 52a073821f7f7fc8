//! Kernels exported as PTX: for launches of any size, with a head that says how.
#![cfg(feature = "gpu")]

use std::process::{Command, Output};

fn export(kernel: &str, args: &[&str]) -> (Output, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let stem = folder.path().join("kernel");
    let source = folder.path().join("source.kir");
    std::fs::write(&source, kernel).expect("own directory");
    let mut command = Command::new(env!("CARGO_BIN_EXE_quadra"));
    command.arg("export").arg(&source).args(["--to", "ptx", "-o"]).arg(&stem).args(args);
    let out = command.output().expect("the command runs");
    let text = std::fs::read_to_string(stem.with_extension("ptx")).unwrap_or_default();
    (out, text)
}

const SCALE: &str = "kernel @scale(%x: buf<f32, rw>, %by: f32) simt group=16 over=1 {
    %i = item 0 %v = load %x[%i] %w = mul %v, %by %z = add %w, 1.0 store %x[%i], %z }";

#[test]
fn a_kernel_for_any_size_and_how_it_is_launched() {
    for (args, gpu) in [(&[][..], "sm_70"), (&["--target", "sm_90"], "sm_90")] {
        let (out, text) = export(SCALE, args);
        let told = String::from_utf8_lossy(&out.stderr).into_owned();
        if told.contains("E0851") {
            return quadra_base::testing::left_out("libLLVM is not installed");
        }
        assert!(out.status.success(), "{told}");
        assert!(text.contains(&format!(".target {gpu}")) && text.contains(".entry quadra_scale("), "{text}");
        assert!(text.contains("mul.rn.f32") && text.contains("add.rn.f32") && !text.contains("fma"), "{text}");
        assert!(
            text.contains("what device `cuda` runs") && text.contains("`by`, its high bits or 0, size 0 of `x`"),
            "{text}"
        );
    }
}

#[test]
fn what_no_such_gpu_does_is_refused() {
    let (out, text) = export("kernel @one() simt group=16 concurrent { sema.inc 3 }", &[]);
    let told = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(
        !out.status.success() && told.contains("E0870") && told.contains("wait for each other") && text.is_empty(),
        "{told}"
    );
    let (out, _) = export(SCALE, &["--target", "aarch64"]);
    let told = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(!out.status.success() && told.contains("E0807") && told.contains("sm_80"), "{told}");
}
