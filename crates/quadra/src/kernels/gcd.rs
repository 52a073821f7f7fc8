//! Sixteen greatest common divisors at once, by Euclid's algorithm; the first example of QPULib's documentation.

use super::{Shipped, Workload, check};
use quadra_base::Diagnostic;
use quadra_device::{Device, Report};
use quadra_dsl::prelude::*;

/// `r[i] = gcd(p[i], q[i])` for 16 pairs of positive integers.
#[kernel]
pub fn gcd(p: Ptr<Int>, q: Ptr<Int>, r: Ptr<Int>) {
    let mut a = *p;
    let mut b = *q;
    while any(a != b) {
        if a > b {
            a = a - b;
        }
        if a < b {
            b = b - a;
        }
    }
    *r = a;
}

/// As [`gcd`], with the body of the loop unrolled by a Rust loop.
#[kernel]
pub fn gcd_unrolled(#[host] times: u32, p: Ptr<Int>, q: Ptr<Int>, r: Ptr<Int>) {
    let mut a = *p;
    let mut b = *q;
    while any(a != b) {
        for _ in 0..times {
            if a > b {
                a = a - b;
            }
            if a < b {
                b = b - a;
            }
        }
    }
    *r = a;
}

/// As [`gcd`] for `n` pairs, a multiple of 16; the QPUs take 16 pairs in turn.
#[kernel]
pub fn gcd_many(n: Int, p: Ptr<Int>, q: Ptr<Int>, r: Ptr<Int>) {
    for i in range(me() << 4, n, num_qpus() << 4) {
        let mut a = p[i];
        let mut b = q[i];
        while any(a != b) {
            if a > b {
                a = a - b;
            }
            if a < b {
                b = b - a;
            }
        }
        r[i] = a;
    }
}

/// The greatest common divisor of two positive integers, in plain Rust.
pub fn gcd_in_rust(mut a: i32, mut b: i32) -> i32 {
    while a != b {
        if a > b {
            a -= b;
        } else {
            b -= a;
        }
    }
    a
}

/// The sixteen pairs of QPULib's documentation: `100 + rand() % 100` of the GNU C library after `srand(0)`.
pub const PAIRS: [(i32, i32); 16] = [
    (183, 186),
    (177, 115),
    (193, 135),
    (186, 192),
    (149, 121),
    (162, 127),
    (190, 159),
    (163, 126),
    (140, 126),
    (172, 136),
    (111, 168),
    (167, 129),
    (182, 130),
    (162, 123),
    (167, 135),
    (129, 102),
];

pub const GCD: Shipped = Shipped {
    name: "gcd",
    about: "greatest common divisors by Euclid's algorithm",
    record: || gcd().record(),
    workloads: &[Workload::new("16 pairs", 1, |device, qpus| run(gcd(), device, qpus)).qpulib(90, 739)],
};

pub const GCD_UNROLLED: Shipped = Shipped {
    name: "gcd_unrolled",
    about: "gcd with its loop unrolled 32 times by a Rust loop",
    record: || gcd_unrolled(32).record(),
    workloads: &[Workload::new("16 pairs", 1, |device, qpus| run(gcd_unrolled(32), device, qpus)).qpulib(276, 462)],
};

const fn million(qpus: u32) -> Workload {
    Workload::new("1,048,576 pairs", qpus, |device, qpus| run_many(1 << 20, device, qpus)).large()
}

pub const GCD_MANY: Shipped = Shipped {
    name: "gcd_many",
    about: "greatest common divisors of many pairs on several QPUs",
    record: || gcd_many().record(),
    workloads: &[
        Workload::new("256 pairs", 4, |device, qpus| run_many(256, device, qpus)),
        million(1),
        million(2),
        million(4),
        million(12),
    ],
};

/// The greatest common divisors of `n` random pairs from 100 to 199, as in [`PAIRS`], checked.
///
/// # Errors
/// What the device reports, or the first result that is wrong.
pub fn run_many(n: usize, device: &dyn Device, qpus: u32) -> Result<Report, Diagnostic> {
    let mut inputs = check::Inputs::new(2);
    let mut random = || -> Vec<i32> { (0..n).map(|_| 100 + inputs.below(100) as i32).collect() };
    let (x, y) = (random(), random());
    let (a, b, r) = (Buffer::from(x.clone()), Buffer::from(y.clone()), Buffer::<i32>::new(n));
    let report = gcd_many().compile(device)?.qpus(qpus).call((n as i32, &a, &b, &r))?;
    let want: Vec<i32> = x.iter().zip(&y).map(|(&a, &b)| gcd_in_rust(a, b)).collect();
    check::ints("gcd_many", &r.to_vec(), &want)?;
    Ok(report)
}

/// Compiles and launches one of the kernels on [`PAIRS`] and checks the results.
///
/// # Errors
/// What the device reports, or the first result that is wrong.
pub fn run(
    kernel: Kernel<(Ptr<Int>, Ptr<Int>, Ptr<Int>)>,
    device: &dyn Device,
    qpus: u32,
) -> Result<Report, Diagnostic> {
    let name = kernel.name();
    let a = Buffer::from(PAIRS.map(|(a, _)| a).to_vec());
    let b = Buffer::from(PAIRS.map(|(_, b)| b).to_vec());
    let r = Buffer::<i32>::new(16);
    let report = kernel.compile(device)?.qpus(qpus).call((&a, &b, &r))?;
    check::ints(name, &r.to_vec(), &PAIRS.map(|(a, b)| gcd_in_rust(a, b)))?;
    Ok(report)
}
