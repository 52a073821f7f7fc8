//! Triangular numbers on several QPUs, which tell QPU 0 by a semaphore when they are done.

mod common;

use clap::Parser;
use common::finish;
use quadra::dsl::prelude::*;
use quadra::kernels::{check, tri};
use std::process::ExitCode;

/// Options.
#[derive(Parser)]
struct Options {
    /// Where to run: emu or interp.
    #[arg(long, default_value = "emu")]
    device: String,
    /// On how many QPUs, 1 to 12.
    #[arg(long, default_value_t = 4)]
    qpus: u32,
}

fn main() -> ExitCode {
    finish(run(Options::parse()))
}

fn run(options: Options) -> Result<(), Error> {
    let device = quadra::device::open(&options.device)?;
    let n = 16 * options.qpus as i32;
    let p = Buffer::from((0..n).collect::<Vec<i32>>());
    let k = tri::multi_tri().compile(&*device)?.qpus(options.qpus);
    k.call((&p,))?;
    let got = p.to_vec();
    got.iter().enumerate().for_each(|(n, sum)| println!("tri({n}) = {sum}"));
    check::ints("multi_tri", &got, &(0..n).map(tri::tri_in_rust).collect::<Vec<_>>())?;
    Ok(())
}
