//! Triangular numbers of floats: conversions between Float and Int.

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
    let p = Buffer::from((0..16).map(|n| n as f32).collect::<Vec<f32>>());
    let k = tri::tri_float().compile(&*device)?.qpus(options.qpus);
    k.call((&p,))?;
    let got = p.to_vec();
    got.iter().enumerate().for_each(|(n, sum)| println!("tri({n}) = {sum:.1}"));
    check::floats("tri_float", &got, &(0..16).map(|n| tri::tri_in_rust(n) as f32).collect::<Vec<_>>(), 0.0)?;
    Ok(())
}
