//! Heat flows across a plate whose north and east edges are hot; writes a picture of it.

mod common;

use clap::Parser;
use common::finish;
use quadra::base::Diagnostic;
use quadra::dsl::prelude::*;
use quadra::kernels::heat_map::{Shape, run};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// Options.
#[derive(Parser)]
struct Options {
    /// Where to run: emu or interp.
    #[arg(long, default_value = "emu")]
    device: String,
    /// Points along each side, a multiple of 16 and at least 32.
    #[arg(long, default_value_t = 128)]
    size: usize,
    /// Time steps.
    #[arg(long, default_value_t = 400)]
    steps: usize,
    /// On how many QPUs, 1 to 12.
    #[arg(long, default_value_t = 12)]
    qpus: u32,
    /// Where to write the picture.
    #[arg(long, default_value = "heat_map.png")]
    output: PathBuf,
}

fn main() -> ExitCode {
    finish(simulate(Options::parse()))
}

fn simulate(options: Options) -> Result<(), Error> {
    let device = quadra::device::open(&options.device)?;
    if options.size < 32 || !options.size.is_multiple_of(16) {
        let text = format!("a size of {}: not a multiple of 16 from 32 on", options.size);
        return Err(Diagnostic::error("", text).into());
    }
    let shape = Shape { pitch: options.size, width: options.size - 16, height: options.size - 2 };
    let start = Instant::now();
    let (report, heat) = run(shape, options.steps, &*device, options.qpus)?;
    let seconds = start.elapsed().as_secs_f64();
    let points = shape.width * shape.height * options.steps;
    println!(
        "{0} x {0} points, {1} steps on {2} QPU(s) of `{3}`: {4} issue slots, {5:.2} per point, {seconds:.2} s",
        options.size,
        options.steps,
        options.qpus,
        device.name(),
        report.instructions,
        report.instructions as f64 / points.max(1) as f64,
    );
    let mean = heat.iter().sum::<f32>() / heat.len() as f32;
    println!("mean temperature {mean:.3}; the same as plain Rust computes");
    save(&options.output, &heat, options.size).map_err(|e| {
        let text = format!("cannot write {}: {e}", options.output.display());
        Error::from(Diagnostic::error("", text))
    })?;
    println!("wrote {}", options.output.display());
    Ok(())
}

/// Writes the temperatures, 0 to 1000, as colours from dark blue over red to white.
fn save(path: &std::path::Path, heat: &[f32], pitch: usize) -> image::ImageResult<()> {
    let stops = [
        (0.0, [8, 8, 64]),
        (0.25, [90, 20, 140]),
        (0.5, [220, 50, 60]),
        (0.75, [255, 160, 30]),
        (1.0, [255, 255, 230]),
    ];
    let colour = |t: f32| -> [u8; 3] {
        let t = (t / 1000.0).clamp(0.0, 1.0);
        let i = stops.windows(2).position(|w| t <= w[1].0).unwrap_or(stops.len() - 2);
        let ((t0, from), (t1, to)): ((f32, [i32; 3]), (f32, [i32; 3])) = (stops[i], stops[i + 1]);
        let part = (t - t0) / (t1 - t0);
        std::array::from_fn(|c| (from[c] as f32 + (to[c] - from[c]) as f32 * part).round() as u8)
    };
    let bytes: Vec<u8> = heat.iter().flat_map(|&t| colour(t)).collect();
    image::save_buffer(path, &bytes, pitch as u32, (heat.len() / pitch) as u32, image::ColorType::Rgb8)
}
