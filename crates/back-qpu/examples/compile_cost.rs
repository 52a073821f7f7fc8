//! What compiling costs, as comma-separated values: for kernels of growing size, or for files of kernel IR with their loops.
//!
//! ```text
//! cargo run --release -p quadra-back-qpu --example compile_cost                  sizes from 100 to 10,000 instructions
//! cargo run --release -p quadra-back-qpu --example compile_cost -- gcd.kir …     each file: time, and its loops
//! ```

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

fn compile(name: &str, text: &str, level: u8) -> (f64, back::Compiled, Vec<back::LoopReport>) {
    let kernel = kir::parse::kernel(name, text).unwrap_or_else(|d| panic!("{}", d[0].render(false)));
    let simd = pipeline::compile(&kernel, &back::caps()).unwrap_or_else(|d| panic!("{}", d[0].render(false)));
    let options = back::Options { opt_level: level, ..back::Options::default() };
    let mut best = f64::MAX;
    for _ in 0..3 {
        let start = Instant::now();
        back::compile(&simd, &options).unwrap_or_else(|d| panic!("{}", d[0].render(false)));
        best = best.min(start.elapsed().as_secs_f64() * 1e3);
    }
    let (compiled, loops) = back::explain(&simd, &options).unwrap_or_else(|d| panic!("{}", d[0].render(false)));
    (best, compiled, loops)
}

fn main() {
    let files: Vec<String> = std::env::args().skip(1).collect();
    if files.is_empty() {
        println!("instructions,words,ms_o0,ms_o1,ms_o2,us_per_instruction_log2_o2");
        for n in [100, 200, 500, 1000, 2000, 5000, 10_000] {
            let text = kernel(n);
            let times = [0, 1, 2].map(|level| compile("cost.kir", &text, level).0);
            let words = compile("cost.kir", &text, 2).1.program.len();
            let per = times[2] * 1e3 / (n as f64 * (n as f64).log2());
            println!("{n},{words},{:.2},{:.2},{:.2},{per:.3}", times[0], times[1], times[2]);
        }
        return;
    }
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{file}: {e}"));
        let (ms, compiled, loops) = compile(&file, &text, 2);
        println!("{file}: {ms:.2} ms, {} instructions", compiled.program.len());
        for l in loops {
            println!("  {} {} slots, {} stages: {}", l.label, l.slots, l.stages, l.gap());
        }
    }
}
