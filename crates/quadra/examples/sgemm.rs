//! The product of two matrices, checked against plain Rust.

mod common;

use clap::Parser;
use common::{Options, finish};
use quadra::dsl::prelude::*;
use quadra::kernels::sgemm;
use std::process::ExitCode;

fn main() -> ExitCode {
    finish(run(Options::parse()))
}

fn run(options: Options) -> Result<(), Error> {
    let device = options.open()?;
    let [m, n, k] = sgemm::ARTICLE;
    let report = sgemm::run([m, n, k], &*device, options.qpus)?;
    println!("{m} x {k} by {k} x {n}: right");
    println!("{} instructions on {} QPUs", report.instructions, options.qpus);
    Ok(())
}
