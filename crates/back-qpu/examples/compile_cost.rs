//! What compiling costs, as comma-separated values: for kernels of growing size, or for files of kernel IR with their loops.
//!
//! ```text
//! cargo run --release -p quadra-back-qpu --example compile_cost                  sizes from 100 to 10,000 instructions
//! cargo run --release -p quadra-back-qpu --example compile_cost -- --svg book/src/images/compile-cost.svg
//! cargo run --release -p quadra-back-qpu --example compile_cost -- gcd.kir …     each file: time, and its loops
//!                                                             … --qpus 12 …     for so many QPUs
//! ```

#[allow(dead_code, reason = "the book's other pictures use the rest")]
#[path = "../../isa/examples/figures/svg.rs"]
mod svg;

use quadra_back_qpu as back;
use quadra_kir as kir;
use quadra_passes::pipeline;
use std::fmt::Write;
use std::time::Instant;

/// A kernel whose body is a loop around `n` instructions of integer and float arithmetic.
fn kernel(n: usize) -> String {
    let mut text = String::from(
        "kernel @cost(%x: buf<f32, r>, %y: buf<f32, w>, %n: i32) simt group=16 over=1 {\n  %i = item 0\n  %v0 = load %x[%i]\n",
    );
    for k in 1..=n {
        // Each value from two before, so that some live for long and some are short.
        let (a, b) = (k - 1, k.saturating_sub(1 + k % 7));
        let op = ["add", "mul", "sub", "max"][k % 4];
        let _ = writeln!(text, "  %v{k} = {op} %v{a}, %v{b}");
    }
    let _ = writeln!(text, "  store %y[%i], %v{n}\n}}");
    text
}

fn compile(name: &str, text: &str, level: u8, qpus: Option<u32>) -> (f64, back::Compiled, Vec<back::LoopReport>) {
    let kernel = kir::parse::kernel(name, text).unwrap_or_else(|d| panic!("{}", d[0].render(false)));
    let simd = pipeline::compile(&kernel, &back::caps()).unwrap_or_else(|d| panic!("{}", d[0].render(false)));
    let options = back::Options { opt_level: level, qpus, ..back::Options::default() };
    let mut best = f64::MAX;
    for _ in 0..3 {
        let start = Instant::now();
        back::compile(&simd, &options).unwrap_or_else(|d| panic!("{}", d[0].render(false)));
        best = best.min(start.elapsed().as_secs_f64() * 1e3);
    }
    let (compiled, loops) = back::explain(&simd, &options).unwrap_or_else(|d| panic!("{}", d[0].render(false)));
    (best, compiled, loops)
}

/// Sizes that are measured.
const SIZES: [usize; 7] = [100, 200, 500, 1000, 2000, 5000, 10_000];

/// Milliseconds over instructions, both logarithmic, with n log n through the first point of level 2.
fn picture(points: &[(f64, [f64; 3])]) -> String {
    let (left, top, width, height) = (60.0, 20.0, 480.0, 300.0);
    let mut svg = svg::Svg::new(left + width + 130.0, top + height + 50.0);
    let x = |n: f64| left + width * (n / 100.0).log10() / 2.0;
    let y = |ms: f64| top + height * (1.0 - (ms / 0.1).log10() / 4.0);
    svg.rect(left, top, width, height, "none");
    for decade in 0..3 {
        let n = 10f64.powi(decade + 2);
        svg.line((x(n), top + height), (x(n), top + height + 5.0)).centre(x(n), top + height + 20.0, &format!("{n}"));
    }
    for decade in -1..4 {
        let ms = 10f64.powi(decade);
        svg.line((left - 5.0, y(ms)), (left, y(ms))).right(left - 8.0, y(ms) + 4.0, &format!("{ms}"));
    }
    svg.centre(left + width / 2.0, top + height + 40.0, "instructions of kernel IR");
    svg.left(left + 8.0, top + 16.0, "milliseconds");
    let (first, times) = points[0];
    let law = |n: f64| times[2] * n * n.log2() / (first * first.log2());
    let last = points[points.len() - 1];
    let mut from = (x(first), y(law(first)));
    for step in 1..=20 {
        let n = first * (last.0 / first).powf(f64::from(step) / 20.0);
        let to = (x(n), y(law(n)));
        svg.line(from, to);
        from = to;
    }
    svg.left(from.0 + 10.0, from.1 + 4.0, "n log n");
    for (level, colour) in [svg::GREEN, svg::BLUE, svg::RED].into_iter().enumerate() {
        for (n, times) in points {
            svg.rect(x(*n) - 3.0, y(times[level]) - 3.0, 6.0, 6.0, colour);
        }
        let key = top + 60.0 + 20.0 * level as f64;
        svg.rect(left + 14.0, key - 9.0, 9.0, 9.0, colour).left(left + 30.0, key, &format!("-O{level}"));
    }
    svg.finish()
}

fn main() {
    let mut files: Vec<String> = std::env::args().skip(1).collect();
    let mut qpus = None;
    if let Some(at) = files.iter().position(|f| f == "--qpus") {
        qpus = files.get(at + 1).map(|n| n.parse().unwrap_or_else(|e| panic!("{n}: {e}")));
        files.drain(at..files.len().min(at + 2));
    }
    if files.is_empty() || files[0] == "--svg" {
        println!("instructions,words,ms_o0,ms_o1,ms_o2,us_per_instruction_log2_o2");
        let mut points = Vec::new();
        for n in SIZES {
            let text = kernel(n);
            let times = [0, 1, 2].map(|level| compile("cost.kir", &text, level, qpus).0);
            let words = compile("cost.kir", &text, 2, qpus).1.program.len();
            let per = times[2] * 1e3 / (n as f64 * (n as f64).log2());
            println!("{n},{words},{:.2},{:.2},{:.2},{per:.3}", times[0], times[1], times[2]);
            points.push((n as f64, times));
        }
        if let Some(file) = files.drain(..).nth(1) {
            std::fs::write(&file, picture(&points)).unwrap_or_else(|e| panic!("{file}: {e}"));
        }
        return;
    }
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{file}: {e}"));
        let (ms, compiled, loops) = compile(&file, &text, 2, qpus);
        println!("{file}: {ms:.2} ms, {} instructions", compiled.program.len());
        for l in loops {
            println!("  {} {} slots, {} stages: {}", l.label, l.slots, l.stages, l.gap());
        }
    }
}
