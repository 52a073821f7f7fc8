//! Rotation of vertices about the z axis, in the three versions of QPULib's documentation.

use super::{Shipped, Workload, check};
use quadra_base::Diagnostic;
use quadra_device::{Device, Report};
use quadra_dsl::prelude::*;

/// Version 1: load, compute, store, 16 vertices at a time. `n` is a multiple of 16.
#[kernel]
pub fn rot3d_v1(n: Int, cos_theta: Float, sin_theta: Float, x: Ptr<Float>, y: Ptr<Float>) {
    for i in range(0, n, 16) {
        let x_old = x[i];
        let y_old = y[i];
        x[i] = x_old * cos_theta - y_old * sin_theta;
        y[i] = y_old * cos_theta + x_old * sin_theta;
    }
}

/// Version 2: while one iteration computes, the vertices of the next are on their way.
#[kernel]
pub fn rot3d_v2(n: Int, cos_theta: Float, sin_theta: Float, x: Ptr<Float>, y: Ptr<Float>) {
    let mut p = x + index();
    let mut q = y + index();
    gather(p);
    gather(q);
    let mut x_old: Float = 0.0;
    let mut y_old: Float = 0.0;
    for _ in range(0, n, 16) {
        gather(p + 16);
        gather(q + 16);
        receive(&mut x_old);
        receive(&mut y_old);
        store(x_old * cos_theta - y_old * sin_theta, p);
        store(y_old * cos_theta + x_old * sin_theta, q);
        p = p + 16;
        q = q + 16;
    }
    receive(&mut x_old);
    receive(&mut y_old);
}

/// Version 3: as version 2, on several QPUs, which take 16 vertices in turn.
#[kernel]
pub fn rot3d_v3(n: Int, cos_theta: Float, sin_theta: Float, x: Ptr<Float>, y: Ptr<Float>) {
    let inc = num_qpus() << 4;
    let mut p = x + index() + (me() << 4);
    let mut q = y + index() + (me() << 4);
    gather(p);
    gather(q);
    let mut x_old: Float = 0.0;
    let mut y_old: Float = 0.0;
    for _ in range(me() << 4, n, inc) {
        gather(p + inc);
        gather(q + inc);
        receive(&mut x_old);
        receive(&mut y_old);
        store(x_old * cos_theta - y_old * sin_theta, p);
        store(y_old * cos_theta + x_old * sin_theta, q);
        p = p + inc;
        q = q + inc;
    }
    receive(&mut x_old);
    receive(&mut y_old);
}

/// The rotation in plain Rust.
pub fn rot3d_in_rust(cos_theta: f32, sin_theta: f32, x: &mut [f32], y: &mut [f32]) {
    for (x, y) in x.iter_mut().zip(y) {
        let (x_old, y_old) = (*x, *y);
        *x = x_old * cos_theta - y_old * sin_theta;
        *y = y_old * cos_theta + x_old * sin_theta;
    }
}

/// The parameters of all three versions.
pub type Parameters = (Int, Float, Float, Ptr<Float>, Ptr<Float>);

const SMALL: &str = "19,200 vertices";
const LARGE: &str = "192,000 vertices";

const fn v3(qpus: u32) -> Workload {
    Workload::new(LARGE, qpus, |d, q| run(rot3d_v3(), 192_000, d, q).map(|r| r.0))
}

pub const V1: Shipped = Shipped {
    name: "rot3d_v1",
    about: "rotate vertices about the z axis, load by load",
    record: || rot3d_v1().record(),
    workloads: &[
        Workload::new(SMALL, 1, |d, q| run(rot3d_v1(), 19_200, d, q).map(|r| r.0)).qpulib(109, 60_048),
        Workload::new(LARGE, 1, |d, q| run(rot3d_v1(), 192_000, d, q).map(|r| r.0))
            .qpulib(109, 600_048)
            .published(0.040),
    ],
};

pub const V2: Shipped = Shipped {
    name: "rot3d_v2",
    about: "rotate vertices, with loads and stores that do not wait",
    record: || rot3d_v2().record(),
    workloads: &[
        Workload::new(SMALL, 1, |d, q| run(rot3d_v2(), 19_200, d, q).map(|r| r.0)).qpulib(105, 42_059),
        Workload::new(LARGE, 1, |d, q| run(rot3d_v2(), 192_000, d, q).map(|r| r.0))
            .qpulib(105, 420_059)
            .published(0.018),
    ],
};

pub const V3: Shipped = Shipped {
    name: "rot3d_v3",
    about: "rotate vertices on several QPUs",
    record: || rot3d_v3().record(),
    workloads: &[
        Workload::new(SMALL, 1, |d, q| run(rot3d_v3(), 19_200, d, q).map(|r| r.0)).qpulib(111, 42_065),
        v3(1).qpulib(111, 420_065).published(0.018),
        v3(2).qpulib(111, 420_127).published(0.016),
        v3(4),
        v3(12).qpulib(111, 420_747),
    ],
};

/// Vertices on a spiral around the origin.
pub fn vertices(n: usize) -> (Vec<f32>, Vec<f32>) {
    let at = |i: usize| (i as f32 * 0.01, 1.0 + i as f32 / n as f32);
    ((0..n).map(|i| at(i).0.cos() * at(i).1).collect(), (0..n).map(|i| at(i).0.sin() * at(i).1).collect())
}

/// Rotates `n` vertices (a multiple of 16) by 30 degrees, checks the result and gives it: x and y.
///
/// # Errors
/// What the device reports, or the first vertex that is wrong.
pub fn run(
    kernel: Kernel<Parameters>,
    n: usize,
    device: &dyn Device,
    qpus: u32,
) -> Result<(Report, Vec<f32>, Vec<f32>), Diagnostic> {
    let name = kernel.name();
    let (sin_theta, cos_theta) = (std::f32::consts::PI / 6.0).sin_cos();
    let (mut x_want, mut y_want) = vertices(n);
    let (x, y) = (Buffer::from(x_want.clone()), Buffer::from(y_want.clone()));
    let report = kernel.compile(device)?.qpus(qpus).call((n as i32, cos_theta, sin_theta, &x, &y))?;
    rot3d_in_rust(cos_theta, sin_theta, &mut x_want, &mut y_want);
    let (x, y) = (x.to_vec(), y.to_vec());
    check::floats(name, &x, &x_want, 1e-6)?;
    check::floats(name, &y, &y_want, 1e-6)?;
    Ok((report, x, y))
}
