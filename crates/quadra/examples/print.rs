//! Printing from a running kernel.

mod common;

use clap::Parser;
use common::{Options, finish};
use quadra::dsl::prelude::*;
use quadra::kernels::{check, hello::printing};
use std::process::ExitCode;

fn main() -> ExitCode {
    finish(run(Options::parse()))
}

fn run(options: Options) -> Result<(), Error> {
    let device = options.open()?;
    let p = Buffer::<i32>::new(16);
    let k = printing().compile(&*device)?.qpus(options.qpus);
    k.call((20, &p))?;
    check::ints("print", &p.to_vec(), &[19; 16])?;
    Ok(())
}
