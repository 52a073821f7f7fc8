//! The smallest kernels: one store, one number per QPU, two gathers, printing.

use super::{Shipped, Workload, check};
use quadra_base::Diagnostic;
use quadra_device::{Device, Report};
use quadra_dsl::prelude::*;

/// Stores 1 into 16 words.
#[kernel]
pub fn hello(p: Ptr<Int>) {
    *p = int(1);
}

pub const HELLO: Shipped = Shipped {
    name: "hello",
    about: "store 1 into 16 words",
    record: || hello().record(),
    workloads: &[Workload::new("16 words", 1, run_hello).qpulib(54, 43)],
};

fn run_hello(device: &dyn Device, qpus: u32) -> Result<Report, Diagnostic> {
    let p = Buffer::<i32>::new(16);
    let report = hello().compile(device)?.qpus(qpus).call((&p,))?;
    check::ints("hello", &p.to_vec(), &[1; 16])?;
    Ok(report)
}

/// Each QPU stores its number into 16 words of its own.
#[kernel]
pub fn id(p: Ptr<Int>) {
    let q = p + (me() << 4);
    *q = me();
}

/// What [`id`] computes.
pub fn id_in_rust(qpus: u32) -> Vec<i32> {
    (0..qpus as i32).flat_map(|q| [q; 16]).collect()
}

pub const ID: Shipped = Shipped {
    name: "id",
    about: "every QPU stores its number",
    record: || id().record(),
    workloads: &[Workload::new("192 words", 12, run_id).qpulib(56, 507)],
};

fn run_id(device: &dyn Device, qpus: u32) -> Result<Report, Diagnostic> {
    let p = Buffer::<i32>::new(16 * qpus as usize);
    let report = id().compile(device)?.qpus(qpus).call((&p,))?;
    check::ints("id", &p.to_vec(), &id_in_rust(qpus))?;
    Ok(report)
}

/// Adds the two halves of 32 words, which are gathered without waiting for either, and stores the sum over the first.
#[kernel]
pub fn req_recv(p: Ptr<Int>) {
    gather(p + index());
    gather(p + index() + 16);
    let x: Int = received();
    let y: Int = received();
    *p = x + y;
}

pub const REQ_RECV: Shipped = Shipped {
    name: "req_recv",
    about: "add two vectors that are gathered at once",
    record: || req_recv().record(),
    workloads: &[Workload::new("32 words to 16", 1, run_req_recv).qpulib(64, 53)],
};

fn run_req_recv(device: &dyn Device, qpus: u32) -> Result<Report, Diagnostic> {
    let input: Vec<i32> = (0..32).map(|i| i * i).collect();
    let p = Buffer::from(input.clone());
    let report = req_recv().compile(device)?.qpus(qpus).call((&p,))?;
    let mut want = input.clone();
    (0..16).for_each(|i| want[i] = input[i] + input[i + 16]);
    check::ints("req_recv", &p.to_vec(), &want)?;
    Ok(report)
}

/// Prints the numbers below `n`, one a line, and stores the last.
#[kernel]
pub fn printing(n: Int, p: Ptr<Int>) {
    let mut last = int(0);
    for i in range(0, n, 1) {
        print(i);
        last = i;
    }
    *p = last;
}

pub const PRINT: Shipped = Shipped {
    name: "print",
    about: "print from the running kernel",
    record: || printing().record(),
    workloads: &[Workload::new("20 lines", 1, run_print)],
};

fn run_print(device: &dyn Device, qpus: u32) -> Result<Report, Diagnostic> {
    let p = Buffer::<i32>::new(16);
    let report = printing().compile(device)?.qpus(qpus).print_to(|_| {}).call((20, &p))?;
    check::ints("print", &p.to_vec(), &[19; 16])?;
    Ok(report)
}
