//! Heat flow across a surface: a 3 × 3 convolution with a sliding window of vectors.

use super::{Shipped, Workload, check};
use quadra_base::Diagnostic;
use quadra_device::{Device, Report};
use quadra_dsl::prelude::*;

/// How fast a point takes the temperature of its surroundings.
pub const K: f32 = 0.25;

/// A window of three neighbouring vectors that slides along a row of the grid.
///
/// ```text
/// cursor  ------>  +---------+---------+---------+
///                  |  prev   | current |  next   |
///                  +---------+---------+---------+
///                +0:      +16:      +32:      +48:
/// ```
#[derive(Clone, Copy, KernelState)]
pub struct Cursor {
    cursor: Ptr<Float>,
    prev: Float,
    pub current: Float,
    next: Float,
}

#[kernel_fn]
impl Cursor {
    /// Points to the start of a row and asks for its first vector.
    pub fn new(p: Ptr<Float>) -> Cursor {
        gather(p);
        Cursor { cursor: p + 16, prev: float(0.0), current: float(0.0), next: float(0.0) }
    }

    /// Receives the first vector and asks for the second.
    pub fn prime(&mut self) {
        receive(&mut self.next);
        gather(self.cursor);
    }

    /// Slides the window right by one vector and asks for another.
    pub fn advance(&mut self) {
        self.cursor = self.cursor + 16;
        self.prev = self.current;
        gather(self.cursor);
        self.current = self.next;
        receive(&mut self.next);
    }

    /// Receives the last vector and asks for no more.
    pub fn finish(&mut self) {
        receive(&mut self.next);
    }

    /// The current vector shifted left by one element, which comes from the next vector.
    pub fn shift_left(&self) -> Float {
        let mut result = rotate(self.current, 15);
        let next = rotate(self.next, 15);
        if index() == 15 {
            result = next;
        }
        result
    }

    /// The current vector shifted right by one element, which comes from the previous vector.
    pub fn shift_right(&self) -> Float {
        let mut result = rotate(self.current, 1);
        let prev = rotate(self.prev, 1);
        if index() == 0 {
            result = prev;
        }
        result
    }
}

/// One time step: every point of rows 1 to `height`, columns 0 to `width - 1`, moves towards the mean of its eight
/// neighbours. `pitch` words lie between the starts of two rows; the rows are shared out among the QPUs.
#[kernel]
pub fn step(grid: Ptr<Float>, grid_out: Ptr<Float>, pitch: Int, width: Int, height: Int) {
    let mut grid = grid + pitch * me() + index();
    // The first row of the output is a border.
    let grid_out = grid_out + pitch;
    for y in range(me(), height, num_qpus()) {
        // The output row.
        let mut p = grid_out + y * pitch;
        // Three cursors for the three input rows.
        let mut row = [0, 1, 2].map(|i| Cursor::new(grid + i * pitch));
        for i in 0..3 {
            row[i].prime();
        }
        // One output row.
        for _x in range(0, width, 16) {
            for i in 0..3 {
                row[i].advance();
            }
            let right = row.map(|r| r.shift_left());
            let left = row.map(|r| r.shift_right());
            let sum = left[0] + row[0].current + right[0] + left[1] + right[1] + left[2] + row[2].current + right[2];
            store(row[1].current - K * (row[1].current - sum * 0.125), p);
            p = p + 16;
        }
        for i in 0..3 {
            row[i].finish();
        }
        // The next input rows.
        grid = grid + pitch * num_qpus();
    }
}

/// A grid with borders: `pitch` × (`height` + 2) points, row-major, of which `width` × `height` take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub pitch: usize,
    pub width: usize,
    pub height: usize,
}

impl Shape {
    /// The grid of QPULib's measurements: 512 × 506 points.
    pub const QPULIB: Shape = Shape { pitch: 512, width: 496, height: 504 };

    /// Points of the whole grid.
    pub fn points(self) -> usize {
        self.pitch * (self.height + 2)
    }

    /// Heat at the north and east edges, cold elsewhere.
    pub fn start(self) -> Vec<f32> {
        let hot = |i: usize| i < self.pitch || i % self.pitch >= self.width;
        (0..self.points()).map(|i| if hot(i) { 1000.0 } else { 0.0 }).collect()
    }
}

/// One time step in plain Rust, with the additions in the kernel's order.
pub fn step_in_rust(grid: &[f32], out: &mut [f32], shape: Shape) {
    for y in 1..=shape.height {
        for x in 0..shape.width {
            let at = |dy: usize, dx: usize| match x + dx {
                0 => 0.0,
                column => grid[(y + dy - 1) * shape.pitch + column - 1],
            };
            let sum = at(0, 0) + at(0, 1) + at(0, 2) + at(1, 0) + at(1, 2) + at(2, 0) + at(2, 1) + at(2, 2);
            let here = at(1, 1);
            out[y * shape.pitch + x] = here - K * (here - sum * 0.125);
        }
    }
}

const fn one_step(qpus: u32) -> Workload {
    Workload::new("one step, 512 x 506", qpus, |device, qpus| run(Shape::QPULIB, 1, device, qpus).map(|r| r.0))
}

/// Every step takes the same instructions, so one stands for all.
const fn steps(qpus: u32) -> Workload {
    Workload { name: "2,000 steps, 512 x 506", ..one_step(qpus) }.times(2000).large()
}

pub const HEAT_MAP: Shipped = Shipped {
    name: "heat_map",
    about: "heat flow: one step of a 3 x 3 convolution",
    record: || step().record(),
    workloads: &[
        one_step(1).qpulib(223, 1_530_200),
        one_step(2).qpulib(223, 1_530_253),
        one_step(4).qpulib(223, 1_530_359),
        one_step(12).qpulib(223, 1_530_783),
        steps(1).published(49.34),
        steps(2).published(24.91),
        steps(4).published(20.36),
        steps(12),
    ],
};

/// Runs some steps, checks the result against plain Rust, and gives it with the sum of the launches' reports.
///
/// # Errors
/// What the device reports, or the first point that is wrong.
pub fn run(shape: Shape, steps: usize, device: &dyn Device, qpus: u32) -> Result<(Report, Vec<f32>), Diagnostic> {
    let start = shape.start();
    let (a, b) = (Buffer::from(start.clone()), Buffer::from(start.clone()));
    let kernel = step().compile(device)?.qpus(qpus).repeat(steps as u32).swapping(0, 1);
    let (pitch, width, height) = (shape.pitch as i32, shape.width as i32, shape.height as i32);
    let report = kernel.call((&a, &b, pitch, width, height))?;
    let (mut now, mut next) = (start.clone(), start);
    for _ in 0..steps {
        step_in_rust(&now, &mut next, shape);
        std::mem::swap(&mut now, &mut next);
    }
    let result = if steps.is_multiple_of(2) { a.to_vec() } else { b.to_vec() };
    // Each step adds a relative error of a few units in the last place.
    check::floats("heat_map", &result, &now, 1e-6 * steps.max(1) as f32)?;
    Ok((report, result))
}
