//! Convolutions of an image with 3 x 3 and 11 x 11 weights, checked against plain Rust.

mod common;

use clap::Parser;
use common::{Options, finish};
use quadra::dsl::prelude::*;
use quadra::kernels::convolution;
use std::process::ExitCode;

fn main() -> ExitCode {
    finish(run(Options::parse()))
}

fn run(options: Options) -> Result<(), Error> {
    let device = options.open()?;
    let mut report = convolution::run::<3>([48, 192], &*device, options.qpus)?;
    report += &convolution::run::<11>([48, 192], &*device, options.qpus)?;
    println!("48 x 192 points, 3 x 3 and 11 x 11 weights: right");
    println!("{} instructions on {} QPUs", report.instructions, options.qpus);
    Ok(())
}
