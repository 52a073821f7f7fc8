//! The Mandelbrot set in characters, and as a picture if a file is named.

mod common;

use clap::Parser;
use common::finish;
use quadra::base::Diagnostic;
use quadra::dsl::prelude::*;
use quadra::kernels::mandelbrot::run;
use std::path::PathBuf;
use std::process::ExitCode;

/// Options.
#[derive(Parser)]
struct Options {
    /// Where to run: emu or interp.
    #[arg(long, default_value = "emu")]
    device: String,
    /// Points along each side, a multiple of 16.
    #[arg(long, default_value_t = 64)]
    size: usize,
    /// Iterations after which a point counts as inside.
    #[arg(long, default_value_t = 256)]
    iterations: i32,
    /// On how many QPUs, 1 to 12.
    #[arg(long, default_value_t = 12)]
    qpus: u32,
    /// Write a grey PNG here as well.
    #[arg(long)]
    output: Option<PathBuf>,
}

fn main() -> ExitCode {
    finish(draw(Options::parse()))
}

fn draw(options: Options) -> Result<(), Error> {
    let device = quadra::device::open(&options.device)?;
    let size = options.size;
    if size == 0 || !size.is_multiple_of(16) {
        return Err(Diagnostic::error("", format!("a size of {size}: not a multiple of 16")).into());
    }
    let (report, counts) = run(size, options.iterations, &*device, options.qpus)?;
    let shades: Vec<char> = " .:-=+*#%@".chars().collect();
    let shade = |n: i32| {
        let level = ((n.max(1) as f32).log2() / (options.iterations.max(2) as f32).log2() * 9.0) as usize;
        shades[level.min(9)]
    };
    for row in counts.chunks(size).step_by((size / 32).max(1)) {
        println!("{}", row.iter().step_by((size / 64).max(1)).map(|&n| shade(n)).collect::<String>());
    }
    let inside = counts.iter().filter(|&&n| n == options.iterations).count();
    println!("{inside} of {} points inside, {} issue slots", counts.len(), report.instructions);
    if let Some(path) = options.output {
        let scale = 255.0 / options.iterations.max(1) as f32;
        let bytes: Vec<u8> = counts.iter().map(|&n| 255 - (n as f32 * scale) as u8).collect();
        image::save_buffer(&path, &bytes, size as u32, size as u32, image::ColorType::L8).map_err(|e| {
            let text = format!("cannot write {}: {e}", path.display());
            Error::from(Diagnostic::error("", text))
        })?;
    }
    Ok(())
}
