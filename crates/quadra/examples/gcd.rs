//! Sixteen greatest common divisors at once. The kernel is written here in full; `quadra::kernels::gcd` ships it too.

mod common;

use clap::Parser;
use common::finish;
use quadra::dsl::prelude::*;
use quadra::kernels::{check, gcd::PAIRS, gcd::gcd_in_rust, gcd::gcd_unrolled};
use std::process::ExitCode;

/// Euclid's algorithm in 16 lanes: the loop goes on while any lane has work, each `if` acts on the lanes where it holds.
#[kernel]
fn gcd(p: Ptr<Int>, q: Ptr<Int>, r: Ptr<Int>) {
    let mut a = *p;
    let mut b = *q;
    while any(a != b) {
        if a > b {
            a = a - b;
        }
        if a < b {
            b = b - a;
        }
    }
    *r = a;
}

/// Options.
#[derive(Parser)]
struct Options {
    /// Where to run: emu or interp.
    #[arg(long, default_value = "emu")]
    device: String,
    /// Use the kernel whose loop body a Rust loop repeats this many times.
    #[arg(long)]
    unroll: Option<u32>,
}

fn main() -> ExitCode {
    finish(run(Options::parse()))
}

fn run(options: Options) -> Result<(), Error> {
    let device = quadra::device::open(&options.device)?;
    let a = Buffer::from(PAIRS.map(|(a, _)| a).to_vec());
    let b = Buffer::from(PAIRS.map(|(_, b)| b).to_vec());
    let r = Buffer::<i32>::new(16);
    let kernel = match options.unroll {
        Some(times) => gcd_unrolled(times),
        None => gcd(),
    };
    let k = kernel.compile(&*device)?;
    k.call((&a, &b, &r))?;
    let r = r.to_vec();
    for ((a, b), r) in PAIRS.iter().zip(&r) {
        println!("gcd({a}, {b}) = {r}");
    }
    check::ints("gcd", &r, &PAIRS.map(|(a, b)| gcd_in_rust(a, b)))?;
    Ok(())
}
