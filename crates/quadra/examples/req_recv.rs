//! Two gathers in flight at once, then two receives.

mod common;

use clap::Parser;
use common::{Options, finish};
use quadra::dsl::prelude::*;
use quadra::kernels::{check, hello::req_recv};
use std::process::ExitCode;

fn main() -> ExitCode {
    finish(run(Options::parse()))
}

fn run(options: Options) -> Result<(), Error> {
    let device = options.open()?;
    let input: Vec<i32> = (0..32).map(|i| i * i).collect();
    let p = Buffer::from(input.clone());
    let k = req_recv().compile(&*device)?.qpus(options.qpus);
    k.call((&p,))?;
    let sums: Vec<i32> = (0..16).map(|i| input[i] + input[i + 16]).collect();
    let got = p.to_vec();
    (0..16).for_each(|i| println!("{} + {} = {}", input[i], input[i + 16], got[i]));
    check::ints("req_recv", &got[..16], &sums)?;
    Ok(())
}
