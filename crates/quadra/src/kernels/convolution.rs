//! Convolutions of an image with 3 × 3 and 11 × 11 weights, without borders: every point of the output is the weighted sum
//! of the points of the input from its own place to the right and down.

use super::{Shipped, Workload, check};
use quadra_base::Diagnostic;
use quadra_device::{Device, Report};
use quadra_dsl::prelude::*;

/// Running sums of the rows of the output that the present row of the input contributes to, the youngest first, each over a
/// strip of `WIDE` vectors of 16 columns.
type Sums<const WIDE: usize, const SIZE: usize> = [[Float; WIDE]; SIZE];

/// A new row begins: every sum moves on by one.
fn next_row<const WIDE: usize, const SIZE: usize>(sums: &mut Sums<WIDE, SIZE>) {
    sums.rotate_right(1);
    sums[0] = [float(0.0); WIDE];
}

/// Vectors of a strip of [`convolution_3`].
const WIDE_3: usize = 4;
/// Lookups that are on their way at once.
const AHEAD: i32 = 3;

/// Where the lookup `n` of a row begins: every vector of a strip three times, shifted by one column each, then the next row.
fn lookup(n: i32, row: Ptr<Float>, next: Ptr<Float>) -> Ptr<Float> {
    let (row, n) = if n < 3 * WIDE_3 as i32 { (row, n) } else { (next, n - 3 * WIDE_3 as i32) };
    row + 16 * (n / 3) + n % 3
}

/// Adds what a row of the input contributes to the sums, and requests the start of the row behind it.
fn add_row(sums: &mut Sums<WIDE_3, 3>, weights: &[[Float; 3]; 3], row: Ptr<Float>, next: Ptr<Float>) {
    next_row(sums);
    for n in 0..3 * WIDE_3 as i32 {
        let x: Float = received();
        gather(lookup(n + AHEAD, row, next));
        for i in 0..3 {
            let sum = &mut sums[i][n as usize / 3];
            *sum += weights[i][n as usize % 3] * x;
        }
    }
}

/// 3 × 3 weights. `rows` × `columns` points of output, `columns` a multiple of 64, rows of the output `columns` apart, rows
/// of the input `pitch` apart and at least `columns + 2` long. The QPUs take strips of 64 columns in turn.
#[kernel]
pub fn convolution_3(rows: Int, columns: Int, pitch: Int, weights: Ptr<Float>, input: Ptr<Float>, output: Ptr<Float>) {
    // All weights stay in registers.
    let all = weights.load();
    let w = [0, 1, 2].map(|i| [0, 1, 2].map(|j| broadcast(all, 3 * i + j)));
    for strip in range(me() * 64, columns, num_qpus() * 64) {
        let first = input + strip + index();
        let mut sums: Sums<WIDE_3, 3> = [[float(0.0); WIDE_3]; 3];
        for n in 0..AHEAD {
            gather(lookup(n, first, first));
        }
        // Two rows before the first sum is complete.
        add_row(&mut sums, &w, first, first + pitch);
        add_row(&mut sums, &w, first + pitch, first + 2 * pitch);
        let mut at = int(0);
        let mut row = first + 2 * pitch;
        let mut out = output + strip;
        for _ in range(0, rows, 1) {
            // Behind the last row nothing is needed, and the last row is surely there.
            at = min(at + pitch, (rows - 1) * pitch);
            let next = first + 2 * pitch + at;
            add_row(&mut sums, &w, row, next);
            for v in 0..WIDE_3 {
                store(sums[2][v], out + 16 * v as i32);
            }
            row = next;
            out = out + columns;
        }
        for _ in 0..AHEAD {
            let _: Float = received();
        }
    }
}

/// 11 × 11 weights, otherwise as [`convolution_3`] with strips of 32 columns. 121 weights are too many for the registers:
/// those of a column lie in the lanes of a vector, from where they are broadcast, each for two multiplications.
#[kernel]
pub fn convolution_11(rows: Int, columns: Int, pitch: Int, weights: Ptr<Float>, input: Ptr<Float>, output: Ptr<Float>) {
    for strip in range(me() << 5, columns, num_qpus() << 5) {
        let mut row = input + strip + index();
        let mut out = output + strip;
        let mut sums: Sums<2, 11> = [[float(0.0); 2]; 11];
        for y in range(0, rows + 10, 1) {
            next_row(&mut sums);
            // Lane i: the weight of row i in the present column.
            let mut w = weights + index() * 11;
            let mut p = row;
            gather(w);
            gather(p);
            gather(p + 16);
            for _ in range(1, 11, 1) {
                w = w + 1;
                p = p + 1;
                let scalars: Float = received();
                gather(w);
                let x = [0, 16].map(|at| {
                    let x: Float = received();
                    gather(p + at);
                    x
                });
                accumulate(&mut sums, scalars, x);
            }
            accumulate(&mut sums, received(), [received(), received()]);
            row = row + pitch;
            if any(y >= 10) {
                for v in 0..2 {
                    store(sums[10][v], out + 16 * v as i32);
                }
                out = out + columns;
            }
        }
    }
}

/// Adds the products of each of the scalars in the lanes of `scalars` with `x`.
fn accumulate<const WIDE: usize, const SIZE: usize>(sums: &mut Sums<WIDE, SIZE>, scalars: Float, x: [Float; WIDE]) {
    for (i, sums) in sums.iter_mut().enumerate() {
        let scalar = broadcast(scalars, i as i32);
        for (sum, x) in sums.iter_mut().zip(x) {
            *sum += scalar * x;
        }
    }
}

/// The convolution in plain Rust.
pub fn convolution_in_rust(
    size: usize,
    [rows, columns, pitch]: [usize; 3],
    weights: &[f32],
    input: &[f32],
) -> Vec<f32> {
    let point = |y: usize, x: usize| {
        let taps = (0..size * size).map(|t| (t / size, t % size));
        taps.fold(0.0, |sum, (i, j)| sum + weights[i * size + j] * input[(y + i) * pitch + x + j])
    };
    (0..rows).flat_map(|y| (0..columns).map(move |x| point(y, x))).collect()
}

/// Rows and columns of the output: strips of 64 columns for 9 of 12 QPUs.
pub const IMAGE_3: [usize; 2] = [480, 576];
/// The same, two strips of 32 columns each.
pub const IMAGE_11: [usize; 2] = [480, 768];

const fn small(qpus: u32) -> Workload {
    Workload::new("480 x 576 points", qpus, |device, qpus| run::<3>(IMAGE_3, device, qpus)).large()
}

const fn large(qpus: u32) -> Workload {
    Workload::new("480 x 768 points", qpus, |device, qpus| run::<11>(IMAGE_11, device, qpus)).large()
}

pub const CONVOLUTION_3: Shipped = Shipped {
    name: "convolution_3",
    about: "convolution of an image with 3 x 3 weights",
    record: || convolution_3().record(),
    workloads: &[
        Workload::new("5 x 128 points", 2, |device, qpus| run::<3>([5, 128], device, qpus)),
        small(1),
        small(2),
        small(4),
        small(12),
    ],
};

pub const CONVOLUTION_11: Shipped = Shipped {
    name: "convolution_11",
    about: "convolution of an image with 11 x 11 weights",
    record: || convolution_11().record(),
    workloads: &[
        Workload::new("5 x 96 points", 2, |device, qpus| run::<11>([5, 96], device, qpus)),
        large(1),
        large(2),
        large(4),
        large(12),
    ],
};

/// Convolves an image of random points between -1 and 1 with random weights, 3 × 3 or 11 × 11, and checks the result.
///
/// # Errors
/// What the device reports, or the first point that is wrong.
pub fn run<const SIZE: usize>(
    [rows, columns]: [usize; 2],
    device: &dyn Device,
    qpus: u32,
) -> Result<Report, Diagnostic> {
    let pitch = (columns + SIZE - 1).next_multiple_of(16);
    let mut inputs = check::Inputs::new(3);
    let image: Vec<f32> = (0..(rows + SIZE - 1) * pitch).map(|_| inputs.signed()).collect();
    // A whole vector of them is loaded at once.
    let mut taps: Vec<f32> = (0..SIZE * SIZE).map(|_| inputs.signed()).collect();
    taps.resize(taps.len().next_multiple_of(16), 0.0);
    let output = Buffer::<f32>::new(rows * columns);
    let (weights, input) = (Buffer::from(taps.clone()), Buffer::from(image.clone()));
    let (name, kernel) =
        if SIZE == 3 { ("convolution_3", convolution_3()) } else { ("convolution_11", convolution_11()) };
    let arguments = (rows as i32, columns as i32, pitch as i32, &weights, &input, &output);
    let report = kernel.compile(device)?.qpus(qpus).call(arguments)?;
    let want = convolution_in_rust(SIZE, [rows, columns, pitch], &taps, &image);
    // The additions come in another order, and each may err by one unit in the last place of a sum of at most 8.
    check::floats(name, &output.to_vec(), &want, f32::EPSILON * 4.0 * (SIZE * SIZE) as f32)?;
    Ok(report)
}
