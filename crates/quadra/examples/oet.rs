//! Odd-even transposition sort of 32 integers.

mod common;

use clap::Parser;
use common::{Options, finish};
use quadra::dsl::prelude::*;
use quadra::kernels::{check, oet};
use std::process::ExitCode;

fn main() -> ExitCode {
    finish(run(Options::parse()))
}

fn run(options: Options) -> Result<(), Error> {
    let device = options.open()?;
    let mut want = oet::unsorted();
    let p = Buffer::from(want.clone());
    println!("unsorted {want:?}");
    let k = oet::oet().compile(&*device)?.qpus(options.qpus);
    k.call((&p,))?;
    println!("sorted   {:?}", p.to_vec());
    want.sort_unstable();
    check::ints("oet", &p.to_vec(), &want)?;
    Ok(())
}
