//! Exported kernels: compiled by the C compiler of this machine and run against a fake mailbox, memory and registers, whose programs run on
//! the emulator, they give the bits that the emulated device gives.

use quadra::device::launch::{Argument, LaunchOptions};
use quadra::device::{self, Buffer};
use quadra::kernels;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository is there")
}

fn said(out: &Output) -> String {
    format!("{}\n{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr))
}

/// Exports a kernel, and runs a program of C with it; what the program prints.
fn run(target: &[&str], body: &str) -> Option<Vec<u8>> {
    if Command::new("cc").arg("--version").output().is_err() {
        quadra_base::testing::left_out("there is no C compiler `cc`");
        return None;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let quadra = env!("CARGO_BIN_EXE_quadra");
    let out = Command::new(quadra)
        .arg("export")
        .args(target)
        .arg("-o")
        .arg(path("kernel"))
        .output()
        .expect("the command runs");
    assert!(out.status.success(), "{}", said(&out));
    let main = format!(
        "#include \"kernel.h\"\n#include <stdio.h>\n#include <stdlib.h>\n\
         static void stop(int status) {{ if (status) {{ fprintf(stderr, \"%s\\n\", quadra_text(status)); _Exit(2); }} }}\n\
         int main(void)\n{{\n    quadra_board board;\n    stop(quadra_open(&board));\n{body}\n    quadra_close(&board);\n    return 0;\n}}\n"
    );
    std::fs::write(path("main.c"), main).expect("it is written");
    let out = Command::new("cc")
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-I"])
        .arg(folder.path())
        .args([path("main.c"), path("kernel.c"), root().join("tests/export/fake.c")])
        .arg("-o")
        .arg(path("program"))
        .output()
        .expect("cc runs");
    assert!(out.status.success(), "{}", said(&out));
    let out = Command::new(path("program")).env("QUADRA", quadra).env("FAKE", folder.path()).output().expect("it runs");
    assert!(out.status.success(), "{}", said(&out));
    Some(out.stdout)
}

/// Launches a shipped kernel on the emulated device.
fn emulate(name: &str, args: &[Argument], workers: u32) {
    let kernel = (kernels::find(name).expect("it is shipped").record)().expect("it is recorded");
    let module = device::open("emu").expect("it is always there").compile(&kernel).expect("it compiles");
    module.launch(args, &LaunchOptions { workers, ..LaunchOptions::default() }).expect("it runs");
}

fn bytes<const N: usize>(values: impl IntoIterator<Item = [u8; N]>) -> Vec<u8> {
    values.into_iter().flatten().collect()
}

#[test]
fn integers_of_one_qpu() {
    let body = "
    int32_t p[16], q[16], r[16];
    for (int i = 0; i < 16; i++) { p[i] = 182 + 7 * i; q[i] = 130 + 3 * i; }
    stop(gcd_launch(&board, 1, p, 16, q, 16, r, 16));
    fwrite(r, 4, 16, stdout);
    if (gcd_launch(&board, 0, p, 16, q, 16, r, 16) != QUADRA_ARGUMENTS || gcd_launch(&board, 13, p, 16, q, 16, r, 16) != QUADRA_ARGUMENTS)
        return 5;";
    let Some(got) = run(&["gcd"], body) else { return };
    let (p, q) =
        ((0..16).map(|i| 182 + 7 * i).collect::<Vec<i32>>(), (0..16).map(|i| 130 + 3 * i).collect::<Vec<i32>>());
    let r = Buffer::<i32>::new(16);
    emulate("gcd", &[(&Buffer::from(p)).into(), (&Buffer::from(q)).into(), (&r).into()], 1);
    assert_eq!(got, bytes(r.to_vec().into_iter().map(i32::to_le_bytes)));
}

#[test]
fn floats_of_twelve_qpus() {
    let body = "
    static int32_t out[48 * 48];
    stop(mandelbrot_launch(&board, 12, -2.25f, 1.5f, 0.0625f, 48, 48, 100, out, 48 * 48));
    fwrite(out, 4, 48 * 48, stdout);";
    let Some(got) = run(&["mandelbrot"], body) else { return };
    let out = Buffer::<i32>::new(48 * 48);
    let args: [Argument; 7] =
        [(-2.25).into(), 1.5.into(), 0.0625.into(), 48.into(), 48.into(), 100.into(), (&out).into()];
    emulate("mandelbrot", &args, 12);
    assert_eq!(got, bytes(out.to_vec().into_iter().map(i32::to_le_bytes)));
}

#[test]
fn two_launches_of_a_sum_of_floats() {
    let body = "
    static float x[1000], total[192];
    for (int i = 0; i < 1000; i++) x[i] = 0.1f * (float)i;
    stop(sum_launch(&board, 3, 1000, x, 1000, total, 192));
    fwrite(total, 4, 192, stdout);
    stop(sum_launch(&board, 3, 1000, x, 1000, total, 192));
    fwrite(total, 4, 192, stdout);";
    let Some(got) = run(&["sum", "--qpus", "3"], body) else { return };
    let x: Vec<f32> = (0..1000).map(|i| 0.1 * i as f32).collect();
    let total = Buffer::<f32>::new(192);
    let once = || {
        emulate("sum", &[1000.into(), (&Buffer::from(x.clone())).into(), (&total).into()], 3);
        bytes(total.to_vec().into_iter().map(f32::to_le_bytes))
    };
    let (first, second) = (once(), once());
    assert!(first.iter().any(|b| *b != 0));
    assert_eq!(got, [first, second].concat());
}

/// Groups of more items than a QPU has lanes exchange values through a barrier.
#[test]
fn groups_with_a_barrier() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("turn.kir");
    let text = "kernel @turn(%x: buf<i32, r>, %y: buf<i32, w>, %t: shared<i32, 48>) simt group=48 over=1 {
  %i = item 0
  %l = rem %i, 48
  %a = load %x[%i]
  store %t[%l], %a
  barrier
  %k = sub 47, %l
  %b = load %t[%k]
  store %y[%i], %b
}
";
    std::fs::write(&file, text).expect("it is written");
    let body = "
    static int32_t x[96], y[96];
    for (int i = 0; i < 96; i++) x[i] = 3 * i;
    stop(turn_launch(&board, 2, 96, x, 96, y, 96));
    fwrite(y, 4, 96, stdout);
    if (turn_launch(&board, 2, 95, x, 96, y, 96) != QUADRA_ARGUMENTS)
        return 5;";
    let Some(got) = run(&[&file.to_string_lossy()], body) else { return };
    let expected = (0..96).map(|i| 3 * (i / 48 * 48 + 47 - i % 48));
    assert_eq!(got, bytes(expected.map(i32::to_le_bytes)));
}

/// A loop of a Quasar program, over an extent of two axes.
#[test]
fn a_parallel_loop() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("step.q");
    let text = "function next = diffuse(now : mat'clamped)
    next = zeros(size(now))
    for m = 0..size(now,0)-1
        for n = 0..size(now,1)-1
            around = now[m-1,n] + now[m+1,n] + now[m,n-1] + now[m,n+1]
            next[m,n] = now[m,n] + 0.2*(around - 4*now[m,n])
        endfor
    endfor
endfunction
print mean(diffuse(ones(64,64)))
";
    std::fs::write(&program, text).expect("it is written");
    let body = "
    static float now[20 * 33], next[20 * 33];
    for (int i = 0; i < 20 * 33; i++) now[i] = (float)(i % 7);
    stop(for_loop_launch(&board, 5, 20, 33, now, 20 * 33, 20, 33, next, 20 * 33, 20, 33));
    fwrite(next, 4, 20 * 33, stdout);";
    let Some(got) = run(&[&program.to_string_lossy(), "--kernel", "3"], body) else { return };
    let clamped = |m: i32, n: i32| ((m.clamp(0, 19) * 33 + n.clamp(0, 32)) % 7) as f32;
    let floats: Vec<f32> = got.chunks(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    assert_eq!(floats.len(), 20 * 33);
    for (m, n) in (0..20).flat_map(|m| (0..33).map(move |n| (m, n))) {
        let around = clamped(m - 1, n) + clamped(m + 1, n) + clamped(m, n - 1) + clamped(m, n + 1);
        let expected = clamped(m, n) + 0.2 * (around - 4.0 * clamped(m, n));
        // The QPU rounds toward zero.
        let found = floats[(m * 33 + n) as usize];
        assert!((found - expected).abs() <= 1e-5, "{m},{n}: {found} instead of {expected}");
    }
}
