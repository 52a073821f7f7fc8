//! Rotation of vertices about the z axis, in three versions: load by load, with loads in flight, on several QPUs.

mod common;

use clap::Parser;
use common::finish;
use quadra::dsl::prelude::*;
use quadra::kernels::rot3d::{rot3d_v1, rot3d_v2, rot3d_v3, run};
use std::process::ExitCode;
use std::time::Instant;

/// Options.
#[derive(Parser)]
struct Options {
    /// Where to run: emu or interp.
    #[arg(long, default_value = "emu")]
    device: String,
    /// How many vertices, a multiple of 16.
    #[arg(long, default_value_t = 19_200)]
    vertices: usize,
    /// On how many QPUs version 3 runs, 1 to 12.
    #[arg(long, default_value_t = 1)]
    qpus: u32,
}

fn main() -> ExitCode {
    finish(all(Options::parse()))
}

fn all(options: Options) -> Result<(), Error> {
    let device = quadra::device::open(&options.device)?;
    if options.vertices == 0 || !options.vertices.is_multiple_of(16) {
        let text = format!("{} vertices: not a multiple of 16", options.vertices);
        return Err(quadra::base::Diagnostic::error("", text).into());
    }
    for (kernel, qpus) in [(rot3d_v1(), 1), (rot3d_v2(), 1), (rot3d_v3(), options.qpus)] {
        let name = kernel.name();
        let start = Instant::now();
        let (report, x, y) = run(kernel, options.vertices, &*device, qpus)?;
        let (seconds, last) = (start.elapsed().as_secs_f64(), options.vertices - 1);
        println!(
            "{name}: {} vertices on {qpus} QPU(s), {} issue slots, {seconds:.3} s; first ({:.4}, {:.4}), last ({:.4}, {:.4})",
            options.vertices, report.instructions, x[0], y[0], x[last], y[last]
        );
    }
    Ok(())
}
