//! Triangular numbers: 1 + 2 + … + n in every lane, on integers, floats, and several QPUs with semaphores.

use super::{Shipped, Workload, check};
use quadra_base::Diagnostic;
use quadra_device::{Device, Report};
use quadra_dsl::prelude::*;

/// The sum of the integers up to `n`, lane by lane.
#[kernel_fn]
fn sum_to(mut n: Int) -> Int {
    let mut sum = int(0);
    while any(n > 0) {
        if n > 0 {
            sum = sum + n;
            n = n - 1;
        }
    }
    sum
}

/// Replaces 16 integers by their triangular numbers.
#[kernel]
pub fn tri(p: Ptr<Int>) {
    *p = sum_to(*p);
}

/// As [`tri`] on whole floats.
#[kernel]
pub fn tri_float(p: Ptr<Float>) {
    *p = sum_to((*p).to_int()).to_float();
}

/// As [`tri`], 16 integers per QPU. The others tell QPU 0 when their results are in memory, and QPU 0 tells the host.
#[kernel]
pub fn multi_tri(p: Ptr<Int>) {
    let q = p + (me() << 4);
    *q = sum_to(*q);
    flush();
    if me() == 0 {
        for _ in range(1, num_qpus(), 1) {
            sema_dec(15);
        }
        host_irq();
    } else {
        sema_inc(15);
    }
}

/// 1 + 2 + … + n in plain Rust.
pub fn tri_in_rust(n: i32) -> i32 {
    n * (n + 1) / 2
}

pub const TRI: Shipped = Shipped {
    name: "tri",
    about: "triangular numbers",
    record: || tri().record(),
    workloads: &[Workload::new("0 to 15", 1, run_tri).qpulib(77, 192)],
};

pub const TRI_FLOAT: Shipped = Shipped {
    name: "tri_float",
    about: "triangular numbers of floats",
    record: || tri_float().record(),
    workloads: &[Workload::new("0 to 15", 1, run_tri_float).qpulib(81, 196)],
};

pub const MULTI_TRI: Shipped = Shipped {
    name: "multi_tri",
    about: "triangular numbers on several QPUs, which report by semaphores",
    record: || multi_tri().record(),
    workloads: &[
        Workload::new("0 to 15", 1, run_multi_tri),
        Workload::new("0 to 31", 2, run_multi_tri),
        Workload::new("0 to 63", 4, run_multi_tri).qpulib(80, 1_635),
        Workload::new("0 to 191", 12, run_multi_tri),
    ],
};

fn run_tri(device: &dyn Device, qpus: u32) -> Result<Report, Diagnostic> {
    let p = Buffer::from((0..16).collect::<Vec<i32>>());
    let report = tri().compile(device)?.qpus(qpus).call((&p,))?;
    check::ints("tri", &p.to_vec(), &(0..16).map(tri_in_rust).collect::<Vec<_>>())?;
    Ok(report)
}

fn run_tri_float(device: &dyn Device, qpus: u32) -> Result<Report, Diagnostic> {
    let p = Buffer::from((0..16).map(|i| i as f32).collect::<Vec<f32>>());
    let report = tri_float().compile(device)?.qpus(qpus).call((&p,))?;
    check::floats("tri_float", &p.to_vec(), &(0..16).map(|i| tri_in_rust(i) as f32).collect::<Vec<_>>(), 0.0)?;
    Ok(report)
}

fn run_multi_tri(device: &dyn Device, qpus: u32) -> Result<Report, Diagnostic> {
    let n = 16 * qpus as i32;
    let p = Buffer::from((0..n).collect::<Vec<i32>>());
    let report = multi_tri().compile(device)?.qpus(qpus).call((&p,))?;
    check::ints("multi_tri", &p.to_vec(), &(0..n).map(tri_in_rust).collect::<Vec<_>>())?;
    Ok(report)
}
