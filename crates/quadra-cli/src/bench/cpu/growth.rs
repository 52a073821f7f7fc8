//! How the cost of three programs grows with the side of their images: K1 (a window of 11 × 11), K5 (a product of matrices), K8
//! (Mandelbrot's set), beside what the processor could do at most.

use super::quasar::{Call, Runner, array, ints, program};
use super::{Bench, Sample, data};
use quadra_base::Diagnostic;
use quadra_device::roofline::Roofline;
use quadra_quasar::tensor::Data;
use quadra_quasar::value::Value;
use serde::Serialize;

/// One program at one size, in milliseconds.
#[derive(Clone, Debug, Serialize)]
pub struct Point {
    pub kernel: &'static str,
    pub threads: usize,
    pub side: usize,
    pub median_ms: f64,
    /// What the operations or the arrays alone would take.
    pub roof_ms: f64,
}

/// Iterations of K8 at most.
const LIMIT: i32 = 256;
/// Operations of one iteration of K8: three products, a doubling, three sums and the comparison's sum.
const STEP: f64 = 8.0;

/// Measures the programs at each side, on the device `cpu`.
///
/// # Errors
/// What a program reports, and wrong results.
pub fn run(sides: &[usize], runs: usize, roof: &Roofline, sink: &mut dyn FnMut(&Point)) -> Result<(), Diagnostic> {
    let threads = quadra_device::cpu::threads();
    for kernel in ["K1", "K5", "K8"] {
        for &side in sides {
            let mut median_ms = 0.0;
            let mut keep = |s: &Sample| median_ms = s.median_ms;
            let mut bench = Bench { only: Vec::new(), runs, begun: None, waits: None, sink: &mut keep, refused: None };
            let mut flops = 0.0;
            let mut runner = Runner { bench: &mut bench, device: "cpu" };
            runner.row(call(kernel, side), |results| {
                flops = operations(kernel, side, results);
                true
            })?;
            let pixels = (side * side) as f64;
            let bytes = match kernel {
                "K1" => 24.0 * pixels,
                "K5" => 12.0 * pixels,
                _ => 4.0 * pixels,
            };
            // The product is the one that adds and multiplies in one instruction.
            let flops = if kernel == "K5" { flops / 2.0 } else { flops };
            sink(&Point { kernel, threads, side, median_ms, roof_ms: roof.seconds(flops, bytes) * 1e3 });
        }
    }
    Ok(())
}

fn call(kernel: &'static str, n: usize) -> Call<'static> {
    let of = |program, function, arguments| Call { row: kernel, program, function, outputs: 1, arguments };
    match kernel {
        "K1" => {
            let image = array(&[n, n, 3], Data::F32(data::units(1, n * n * 3)));
            of(program!("k01_box"), "box_filter", vec![image])
        }
        "K5" => {
            let (a, b) = data::k5((n, n, n));
            of(program!("k05_product"), "product", vec![array(&[n, n], Data::F32(a)), array(&[n, n], Data::F32(b))])
        }
        _ => of(program!("k08_mandelbrot"), "mandelbrot", vec![Value::Int(n as i32), Value::Int(LIMIT)]),
    }
}

/// Operations on floats.
fn operations(kernel: &str, n: usize, results: &[Value]) -> f64 {
    let n = n as f64;
    match kernel {
        "K1" => 121.0 * 3.0 * n * n,
        "K5" => 2.0 * n * n * n,
        _ => STEP * results.iter().flat_map(ints).map(f64::from).sum::<f64>(),
    }
}
