//! The matrix product of single-precision numbers, C = alpha A B + beta C, in blocks of 12 rows and 48 columns.

use super::{Shipped, Workload, check};
use quadra_base::Diagnostic;
use quadra_device::{Device, Report};
use quadra_dsl::prelude::*;

/// Rows of a block: its sums fill 36 of the 64 registers.
const ROWS: usize = 12;
/// Vectors of 16 columns in a block: three multiplications pay for one broadcast.
const WIDE: usize = 3;

/// Adds the outer product of `x`, a column of A with one row per lane, and `y`, a row of B over the block's columns.
fn accumulate(sums: &mut [[Float; WIDE]; ROWS], x: Float, y: [Float; WIDE]) {
    for (row, sums) in sums.iter_mut().enumerate() {
        let scalar = broadcast(x, row as i32);
        for (sum, y) in sums.iter_mut().zip(y) {
            *sum += scalar * y;
        }
    }
}

/// Row-major matrices: A is `m` × `k`, B is `k` × `n`, C is `m` × `n`; `n` is a multiple of 48, nothing is 0. The QPUs
/// take blocks in turn, down the rows first. The four QPUs of a slice share its caches, so they take two blocks of rows by
/// two of columns: each line of A and of B that reaches the slice serves two of them.
#[kernel]
pub fn sgemm(m: Int, n: Int, k: Int, alpha: Float, a: Ptr<Float>, b: Ptr<Float>, beta: Float, c: Ptr<Float>) {
    // The rows of all blocks of a column.
    let mut height = int(0);
    while any(height < m) {
        height = height + ROWS as i32;
    }
    // The first block, and how far the next one is.
    let (mut row, mut column) = (me() * ROWS as i32, int(0));
    let (mut down, mut right) = (num_qpus() * ROWS as i32, int(48));
    if any((num_qpus() & 3) == 0) {
        row = ((me() >> 2 << 1) + (me() & 1)) * ROWS as i32;
        column = (me() & 2) * 24;
        down = down >> 1;
        right = int(96);
    }
    down = down - ROWS as i32;
    while any(column < n) {
        if any(row < m) {
            // Everything that the next step of the sum needs is on its way while this one is computed.
            let mut p = a + min(row + min(index(), ROWS as i32 - 1), m - 1) * k;
            let mut q = b + column + index();
            gather(p);
            for v in 0..WIDE as i32 {
                gather(q + 16 * v);
            }
            let mut sums = [[float(0.0); WIDE]; ROWS];
            for _ in range(1, k, 1) {
                p = p + 1;
                q = q + n;
                let x: Float = received();
                gather(p);
                let y = [0, 16, 32].map(|at| {
                    let y: Float = received();
                    gather(q + at);
                    y
                });
                accumulate(&mut sums, x, y);
            }
            accumulate(&mut sums, received(), [received(), received(), received()]);
            let mut out = c + row * n + column;
            for sums in sums {
                if any(row < m) {
                    [0, 16, 32].map(|at| gather(out + index() + at));
                    let old: [Float; WIDE] = [received(), received(), received()];
                    for v in 0..WIDE {
                        store(alpha * sums[v] + beta * old[v], out + 16 * v as i32);
                    }
                }
                row = row + 1;
                out = out + n;
            }
            row = row + down;
        } else {
            row = row - height;
            column = column + right;
        }
    }
}

/// The product in plain Rust, with the additions in the kernel's order.
pub fn sgemm_in_rust([m, n, k]: [usize; 3], alpha: f32, a: &[f32], b: &[f32], beta: f32, c: &mut [f32]) {
    for row in 0..m {
        let mut sums = vec![0.0f32; n];
        for i in 0..k {
            let x = a[row * k + i];
            sums.iter_mut().zip(&b[i * n..][..n]).for_each(|(sum, y)| *sum += x * y);
        }
        c[row * n..][..n].iter_mut().zip(&sums).for_each(|(c, sum)| *c = alpha * sum + beta * *c);
    }
}

/// Rows, columns and depth of the products of the articles about this chip.
pub const ARTICLE: [usize; 3] = [96, 3072, 363];

const fn workload(qpus: u32) -> Workload {
    Workload::new("96x363 by 363x3072", qpus, |device, qpus| run(ARTICLE, device, qpus)).large()
}

pub const SGEMM: Shipped = Shipped {
    name: "sgemm",
    about: "the product of two matrices, in blocks of 12 x 48",
    record: || sgemm().record(),
    workloads: &[
        Workload::new("32x24 by 24x96", 4, |device, qpus| run([32, 96, 24], device, qpus)),
        workload(1).published(0.23),
        workload(2),
        workload(4),
        workload(12).published(0.026),
    ],
};

/// Multiplies matrices of random numbers between -1 and 1, `[m, n, k]`, and checks the product.
///
/// # Errors
/// What the device reports, or the first number that is wrong.
pub fn run(shape: [usize; 3], device: &dyn Device, qpus: u32) -> Result<Report, Diagnostic> {
    let [m, n, k] = shape;
    let mut inputs = check::Inputs::new(5);
    let mut matrix = |size: usize| -> Vec<f32> { (0..size).map(|_| inputs.signed()).collect() };
    let (x, y, mut want) = (matrix(m * k), matrix(k * n), matrix(m * n));
    let (a, b, c) = (Buffer::from(x.clone()), Buffer::from(y.clone()), Buffer::from(want.clone()));
    let (alpha, beta) = (1.5, 0.5);
    let [rows, columns, depth] = shape.map(|size| size as i32);
    let kernel = sgemm().compile(device)?.qpus(qpus);
    let report = kernel.call((rows, columns, depth, alpha, &a, &b, beta, &c))?;
    sgemm_in_rust(shape, alpha, &x, &y, beta, &mut want);
    // Each of the k additions may err by one unit in the last place of a sum that grows like the square root of k.
    let tolerance = f32::EPSILON * (2.0 + 0.5 * (k as f32).powf(1.5));
    check::floats("sgemm", &c.to_vec(), &want, tolerance)?;
    Ok(report)
}
