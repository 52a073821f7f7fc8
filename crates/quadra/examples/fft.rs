//! Fourier transforms of 1,024 complex points, checked against plain Rust with double precision.

mod common;

use clap::Parser;
use common::{Options, finish};
use quadra::dsl::prelude::*;
use quadra::kernels::fft;
use std::process::ExitCode;

fn main() -> ExitCode {
    finish(run(Options::parse()))
}

fn run(options: Options) -> Result<(), Error> {
    let device = options.open()?;
    let report = fft::run(4, &*device, options.qpus)?;
    println!("4 transforms of {} points: right", fft::POINTS);
    println!("{} instructions on {} QPUs", report.instructions, options.qpus);
    Ok(())
}
