//! Greatest common divisors of many pairs on several QPUs, checked against plain Rust.

mod common;

use clap::Parser;
use common::{Options, finish};
use quadra::dsl::prelude::*;
use quadra::kernels::gcd;
use std::process::ExitCode;

fn main() -> ExitCode {
    finish(run(Options::parse()))
}

fn run(options: Options) -> Result<(), Error> {
    let device = options.open()?;
    let report = gcd::run_many(16_384, &*device, options.qpus)?;
    println!("16,384 pairs: right");
    println!("{} instructions on {} QPUs", report.instructions, options.qpus);
    Ok(())
}
