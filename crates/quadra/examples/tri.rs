//! Triangular numbers, in 16 lanes that stop at different times.

mod common;

use clap::Parser;
use common::{Options, finish};
use quadra::dsl::prelude::*;
use quadra::kernels::{check, tri};
use std::process::ExitCode;

fn main() -> ExitCode {
    finish(run(Options::parse()))
}

fn run(options: Options) -> Result<(), Error> {
    let device = options.open()?;
    let p = Buffer::from((0..16).collect::<Vec<i32>>());
    let k = tri::tri().compile(&*device)?.qpus(options.qpus);
    k.call((&p,))?;
    let got = p.to_vec();
    got.iter().enumerate().for_each(|(n, sum)| println!("tri({n}) = {sum}"));
    check::ints("tri", &got, &(0..16).map(tri::tri_in_rust).collect::<Vec<_>>())?;
    Ok(())
}
