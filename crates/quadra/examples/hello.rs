//! The smallest kernel: store 1 into 16 words.

mod common;

use clap::Parser;
use common::{Options, finish};
use quadra::dsl::prelude::*;
use quadra::kernels::{check, hello::hello};
use std::process::ExitCode;

fn main() -> ExitCode {
    finish(run(Options::parse()))
}

fn run(options: Options) -> Result<(), Error> {
    let device = options.open()?;
    let p = Buffer::<i32>::new(16);
    let k = hello().compile(&*device)?.qpus(options.qpus);
    k.call((&p,))?;
    println!("{:?}", p.to_vec());
    check::ints("hello", &p.to_vec(), &[1; 16])?;
    Ok(())
}
