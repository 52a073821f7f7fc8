//! Time loops of Quasar in tiles, of which each has several steps: what they print is what the host prints, step by step.

use quadra_back_cpu::{Tiling, set_tiling, tiled};
use quadra_quasar::session::{Options, run_text, with_stack};
use std::fmt::Write;
use std::process::Command;

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

/// Sizes of arrays of one to three axes.
const SIZES: [&[usize]; 3] = [&[0, 1, 2, 3, 17, 64, 333], &[1, 2, 3, 7, 16, 25, 40], &[2, 3, 5, 16]];

/// What surrounds an array, by the word for it; and how arrays change their places behind a step.
const MODES: [&str; 4] = ["", "'clamped", "'circular", "'mirror"];
const ROTATIONS: [&str; 3] =
    ["[u, v] = [v, u]", "spare = w\n        w = u\n        u = v\n        v = spare", "for i = 0..0\n v = v\n endfor"];

/// A program whose time loop has one loop or two.
fn program(seed: u64) -> String {
    let mut r = Random(seed);
    let axes = 1 + r.below(3);
    let dims: Vec<usize> = (0..axes).map(|_| r.of(SIZES[axes - 1])).collect();
    let (mode, radius) = (r.of(&MODES), 1 + r.below(2));
    let (levels, stages, steps) = (r.below(2), r.below(2), r.of(&[1, 2, 5, 9, 16]));
    let ty = ["vec", "mat", "cube"][axes - 1];
    let shape = dims.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let mut text = String::new();
    for name in ["u", "v", "w"] {
        let _ = writeln!(
            text,
            "{name} : {ty}{mode} = reshape(mod((0..{})*7, 11)/4, {shape})",
            dims.iter().product::<usize>() as i64 - 1
        );
    }
    let _ = writeln!(text, "for t = 1..{steps}");
    let names = ["i", "j", "k"];
    let kept = if mode.is_empty() { radius } else { 0 };
    let open = |text: &mut String| {
        for (a, n) in dims.iter().enumerate() {
            let _ = writeln!(text, "for {} = {kept}..{}", names[a], *n as i64 - 1 - kept as i64);
        }
    };
    let at = |axis: usize, by: i64| {
        let index = |a: usize| if a == axis && by != 0 { format!("{}{by:+}", names[a]) } else { names[a].to_string() };
        (0..axes).map(index).collect::<Vec<_>>().join(",")
    };
    let own = at(0, 0);
    open(&mut text);
    let _ = write!(text, "v[{own}] = 0.5*{}[{own}]", if levels == 1 { "w" } else { "u" });
    for axis in 0..axes {
        for by in (-(radius as i64)..=radius as i64).filter(|b| *b != 0) {
            let _ = write!(text, " + {}*u[{}]", 0.0625 * (axis + 1) as f64 + 0.03125 * (by + 3) as f64, at(axis, by));
        }
    }
    text.push('\n');
    text.push_str(&"endfor\n".repeat(axes));
    if stages == 1 {
        open(&mut text);
        let _ = writeln!(text, "w[{own}] = 0.25*w[{own}] + 0.5*v[{}]", at(axes - 1, -(radius as i64)));
        text.push_str(&"endfor\n".repeat(axes));
    }
    let _ = writeln!(text, "{}\nendfor\nprint u\nprint v\nprint w", ROTATIONS[levels]);
    text
}

fn shown(text: &str, device: &str, tiling: Tiling) -> (String, i32) {
    set_tiling(tiling);
    let options = Options { device: device.into(), ..Options::default() };
    let (output, outcome) = run_text("steps.q", text, &options);
    (output, outcome.status)
}

fn compare(count: u64) {
    let mut in_tiles = 0;
    let written = include_str!("../../../tests/q/loops/time_tiles.q").to_string();
    for (seed, text) in (0..count).map(|seed| (seed, program(seed))).chain([(count, written)]) {
        let want = shown(&text, "host", Tiling::Never);
        for device in ["interp", "cpu"] {
            let before = tiled();
            let got = shown(&text, device, Tiling::Always);
            in_tiles += u64::from(tiled() > before);
            assert!(got == want, "seed {seed} on {device}: {}\n{}\n{text}", want.0, got.0);
        }
    }
    println!("{in_tiles} of {count} time loops ran in tiles");
    assert!(in_tiles * 3 > count, "only {in_tiles} of {count} ran in tiles");
}

/// The number of threads is fixed for a process, so each number has one of its own.
#[test]
fn random_time_loops_do_the_same_in_tiles_whatever_the_number_of_threads() {
    if quadra_device::open("cpu").is_err() {
        return quadra_base::testing::left_out("libLLVM is not installed");
    }
    if std::env::var_os("TILES_CHILD").is_some() {
        let count = std::env::var("LOOPS").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
        return with_stack(move || compare(count)).expect("no program may panic");
    }
    let program = std::env::current_exe().expect("the test runs");
    for (threads, checked) in [("1", "0"), ("2", "0"), ("5", "0"), ("2", "1")] {
        let name = "random_time_loops_do_the_same_in_tiles_whatever_the_number_of_threads";
        let output = Command::new(&program)
            .args(["--exact", name, "--nocapture"])
            .envs([("QUADRA_THREADS", threads), ("TILES_CHILD", "1"), ("QUADRA_CHECKED", checked)])
            .output()
            .expect("the test can run itself");
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && text.contains("1 passed"), "{threads} threads:\n{text}");
    }
}
