//! Kernels exported as object files: linked into a program of C by this machine's compiler, they give the bits of the device `cpu`; those
//! for other processors are linked and run by `.ci/arm`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository is there")
}

fn said(out: &Output) -> String {
    format!("{}\n{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr))
}

/// Exports; none without libLLVM.
fn export(args: &[&str], stem: &Path) -> Option<Output> {
    let out = Command::new(env!("CARGO_BIN_EXE_quadra"))
        .arg("export")
        .args(args)
        .args(["--to", "object", "-o"])
        .arg(stem)
        .output()
        .expect("the command runs");
    if said(&out).contains("E0851") {
        quadra_base::testing::left_out("libLLVM is not installed");
        return None;
    }
    Some(out)
}

/// Links a program with exported kernels and runs it; what it prints.
fn run(args: &[&str], main: &Path) -> Option<String> {
    if Command::new("cc").arg("--version").output().is_err() {
        quadra_base::testing::left_out("there is no C compiler `cc`");
        return None;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let stem = folder.path().join("kernel");
    let out = export(args, &stem)?;
    assert!(out.status.success(), "{}", said(&out));
    let program = folder.path().join("program");
    let out = Command::new("cc")
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-I"])
        .arg(folder.path())
        .args([main, &stem.with_extension("o")])
        .arg("-o")
        .arg(&program)
        .arg("-lm")
        .output()
        .expect("cc runs");
    assert!(out.status.success(), "{}", said(&out));
    let out = Command::new(program).output().expect("it runs");
    assert!(out.status.success(), "{:?} {}", out.status, said(&out));
    Some(String::from_utf8_lossy(&out.stdout).into_owned())
}

/// A program of C around this body.
fn program(folder: &Path, body: &str) -> PathBuf {
    let text = format!(
        "#include \"kernel.h\"\n#include <stdio.h>\n#include <string.h>\n\
         int main(void)\n{{\n    quadra_board board;\n    int status = quadra_open(&board);\n    if (status) return 9;\n{body}\n    \
         quadra_close(&board);\n    return 0;\n}}\n"
    );
    let path = folder.join("main.c");
    std::fs::write(&path, text).expect("it is written");
    path
}

#[test]
fn integers_and_wrong_arguments() {
    let folder = tempfile::tempdir().expect("a folder");
    let body = "
    int32_t p[16], q[16], r[16];
    for (int i = 0; i < 16; i++) { p[i] = 182 + 7 * i; q[i] = 130 + 3 * i; }
    if (gcd_launch(&board, 0, p, 16, q, 16, r, 16) != QUADRA_ARGUMENTS || gcd_launch(&board, 13, p, 16, q, 16, r, 16) != QUADRA_ARGUMENTS)
        return 5;
    if (gcd_launch(&board, 1, p, 16, q, 16, r, 8) != QUADRA_FAULT || strstr(quadra_text(QUADRA_FAULT), \"index\") == NULL)
        return 6;
    if (gcd_launch(&board, 1, p, 16, q, 16, r, 16) != QUADRA_OK || strcmp(quadra_text(0), \"no error\") || strcmp(quadra_text(99), \"unknown status\"))
        return 7;
    for (int i = 0; i < 16; i++) printf(\"%d \", r[i]);";
    let gcd = |mut a: i32, mut b: i32| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let wanted: String = (0..16).map(|i| format!("{} ", gcd(182 + 7 * i, 130 + 3 * i))).collect();
    if let Some(got) = run(&["gcd"], &program(folder.path(), body)) {
        assert_eq!(got, wanted);
    }
}

#[test]
fn a_parallel_loop_gives_what_the_program_prints() {
    let main = root().join("tests/export/heat.c");
    let heat = root().join("examples/heat.q");
    let args = [heat.to_str().expect("text"), "--kernel", "4"];
    if let Some(got) = run(&args, &main) {
        assert_eq!(got, "mean temperature 0.197476, 15.6779 % above one half\n");
    }
}

#[test]
fn sums_into_one_array_are_made_in_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "\
kernel @count(%x: buf<i32, r>, %h: buf<i32, rw>, %s: buf<f32, rw>) simt group=16 over=1 {
  %i = item 0
  %v = load %x[%i]
  %k = and %v, 7
  atomic.add %h[%k], 1
  atomic.max %h[8], %v
  atomic.add %s[0], 0.5
}
";
    let kernel = folder.path().join("count.kir");
    std::fs::write(&kernel, text).expect("it is written");
    let body = "
    int32_t x[1000], h[9] = {0}, wanted[9] = {0};
    float s[1] = {1};
    for (int i = 0; i < 1000; i++) { x[i] = (i * 7919) % 1013; wanted[x[i] & 7]++; if (x[i] > wanted[8]) wanted[8] = x[i]; }
    if (count_launch(&board, 1, 1000, x, 1000, h, 9, s, 1) != QUADRA_OK)
        return 5;
    printf(\"%d %g\", memcmp(h, wanted, sizeof h), s[0]);";
    if let Some(got) = run(&[kernel.to_str().expect("text")], &program(folder.path(), body)) {
        assert_eq!(got, "0 501");
    }
}

#[test]
fn every_processor_has_an_object_file_and_what_none_can_do_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let stem = folder.path().join("k");
    for (target, machine) in [("x86-64", 62), ("aarch64", 183), ("armv6", 40)] {
        let Some(out) = export(&["gcd", "--target", target], &stem) else { return };
        assert!(out.status.success(), "{}", said(&out));
        let object = std::fs::read(stem.with_extension("o")).expect("it was written");
        assert_eq!((&object[..4], object[18]), (&b"\x7fELF"[..], machine), "{target}");
        assert!(stem.with_extension("h").is_file());
    }
    let text = "kernel @say(%x: buf<i32, rw>) simt group=16 over=1 {\n  %i = item 0\n  %k = and %i, 3\n  atomic.mul %x[%k], 3\n}\n";
    let kernel = folder.path().join("say.kir");
    std::fs::write(&kernel, text).expect("it is written");
    let Some(out) = export(&[kernel.to_str().expect("text")], &folder.path().join("say")) else { return };
    assert!(!out.status.success() && said(&out).contains("E0807"), "{}", said(&out));
    assert!(!folder.path().join("say.h").exists(), "nothing is written of what is refused");
}
