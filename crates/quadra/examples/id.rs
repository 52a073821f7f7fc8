//! Every QPU stores its number into 16 words of its own; on all 12 QPUs unless told otherwise.

mod common;

use clap::Parser;
use common::finish;
use quadra::dsl::prelude::*;
use quadra::kernels::{check, hello};
use std::process::ExitCode;

/// Options.
#[derive(Parser)]
struct Options {
    /// Where to run: emu or interp.
    #[arg(long, default_value = "emu")]
    device: String,
    /// On how many QPUs, 1 to 12.
    #[arg(long, default_value_t = 12)]
    qpus: u32,
}

fn main() -> ExitCode {
    finish(run(Options::parse()))
}

fn run(options: Options) -> Result<(), Error> {
    let device = quadra::device::open(&options.device)?;
    let p = Buffer::<i32>::new(16 * options.qpus as usize);
    let k = hello::id().compile(&*device)?.qpus(options.qpus);
    k.call((&p,))?;
    p.to_vec().chunks(16).for_each(|row| println!("{row:?}"));
    check::ints("id", &p.to_vec(), &hello::id_in_rust(options.qpus))?;
    Ok(())
}
