//! The sum of an array and a histogram, checked against plain Rust.

mod common;

use clap::Parser;
use common::{Options, finish};
use quadra::dsl::prelude::*;
use quadra::kernels::reduce;
use std::process::ExitCode;

fn main() -> ExitCode {
    finish(run(Options::parse()))
}

fn run(options: Options) -> Result<(), Error> {
    let device = options.open()?;
    let mut report = reduce::run_sum(64 * 1_100 * options.qpus as usize, &*device, options.qpus)?;
    report += &reduce::run_histogram(16 * 600 * options.qpus as usize, &*device, options.qpus)?;
    println!("sum and histogram: right");
    println!("{} instructions on {} QPUs", report.instructions, options.qpus);
    Ok(())
}
