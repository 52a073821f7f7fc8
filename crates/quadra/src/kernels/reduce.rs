//! Many values to few: the sum of an array, and a histogram.

use super::{Shipped, Workload, check};
use quadra_base::Diagnostic;
use quadra_device::{Device, Report};
use quadra_dsl::prelude::*;

/// Adds `n` numbers, a multiple of 64 times the number of QPUs, into `total[0]`. `total` has 16 words for each QPU, which
/// holds its lanes' sums there, and QPU 0 adds those when all have arrived.
#[kernel]
pub fn sum(n: Int, x: Ptr<Float>, total: Ptr<Float>) {
    // Each QPU takes 64 consecutive numbers in turn; four requests are always on their way.
    let step = num_qpus() << 6;
    let mut p = x + (me() << 6) + index();
    for v in 0..4 {
        gather(p + 16 * v);
    }
    let mut sums = [float(0.0); 4];
    for _ in range(me() << 6, n - step, step) {
        p = p + step;
        for v in 0..4 {
            sums[v] = sums[v] + received::<Float>();
            gather(p + 16 * v as i32);
        }
    }
    for v in 0..4 {
        sums[v] = sums[v] + received::<Float>();
    }
    total[me() << 4] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    flush();
    sync_qpus(0, 1, 2);
    if me() == 0 {
        let mut all = float(0.0);
        for q in range(0, num_qpus() << 4, 16) {
            all = all + total[q];
        }
        *total = rotate_sum(all);
    }
}

/// Bins of the histogram.
pub const BINS: usize = 256;
/// Registers that count, four bins of eight bits in each.
const COUNTERS: usize = 32;

/// Four counters of eight bits per lane and register become 16 sums of 32 bits in the lanes of `totals`: lane l of register
/// t is bin 16 t + l.
#[kernel_fn]
fn collect(counters: &[Int; COUNTERS], totals: &mut [Int; COUNTERS / 4]) {
    let lane = index();
    for (k, &c) in counters.iter().enumerate() {
        // Two counters at a time over all lanes: at most 16 · 255 fits 16 bits.
        let even = rotate_sum(c & 0x00ff_00ff);
        let odd = rotate_sum((c >> 8) & 0x00ff_00ff);
        let here = select(lane & 1 == 0, even, odd);
        let count = (here >> ((lane & 2) << 3)) & 0xffff;
        let mine = lane >> 2 == k as i32 % 4;
        totals[k / 4] = totals[k / 4] + select(mine, count, int(0));
    }
}

/// How often each number from 0 to 255 occurs among `n`, a multiple of 16 times the number of QPUs. QPU q writes the counts
/// of its share to `bins[256 q ..]`. There are no private arrays on the QPU, so the counters are registers: each lane
/// compares its number with the numbers of every register, 128 bins in a first pass and 128 in a second.
#[kernel]
pub fn histogram(n: Int, x: Ptr<Int>, bins: Ptr<Int>) {
    let step = num_qpus() << 4;
    let mut out = bins + me() * BINS as i32;
    for first in range(0, BINS as i32 / 4, COUNTERS as i32) {
        let mut totals = [int(0); COUNTERS / 4];
        let mut p = x + (me() << 4) + index();
        let mut left = n - (me() << 4);
        while any(left > 0) {
            // No counter may see more than 255 vectors.
            let mut turns = int(0);
            let mut counters = [int(0); COUNTERS];
            while any(left > 0) && any(turns < 255) {
                let value = p.load_lanes();
                p = p + step;
                left = left - step;
                turns = turns + 1;
                let one = int(1) << ((value & 3) << 3);
                let which = (value >> 2) - first;
                for k in 0..COUNTERS {
                    if which == k as i32 {
                        counters[k] = counters[k] + one;
                    }
                }
            }
            collect(&counters, &mut totals);
        }
        for total in totals {
            *out = total;
            out = out + 16;
        }
    }
}

const fn sum_workload(qpus: u32) -> Workload {
    Workload::new("1,572,864 numbers", qpus, |device, qpus| run_sum(3 << 19, device, qpus)).large()
}

pub const SUM: Shipped = Shipped {
    name: "sum",
    about: "the sum of an array",
    record: || sum().record(),
    workloads: &[
        Workload::new("768 numbers", 4, |device, qpus| run_sum(768, device, qpus)),
        sum_workload(1),
        sum_workload(2),
        sum_workload(4),
        sum_workload(12),
    ],
};

const fn histogram_workload(qpus: u32) -> Workload {
    Workload::new("393,216 numbers", qpus, |device, qpus| run_histogram(3 << 17, device, qpus)).large()
}

pub const HISTOGRAM: Shipped = Shipped {
    name: "histogram",
    about: "a histogram with 256 bins",
    record: || histogram().record(),
    workloads: &[
        Workload::new("9,216 numbers", 2, |device, qpus| run_histogram(9_216, device, qpus)),
        histogram_workload(1),
        histogram_workload(2),
        histogram_workload(4),
        histogram_workload(12),
    ],
};

/// Adds `n` whole numbers below 8, whose sum is exact in any order, and checks it.
///
/// # Errors
/// What the device reports, or a wrong sum.
pub fn run_sum(n: usize, device: &dyn Device, qpus: u32) -> Result<Report, Diagnostic> {
    let mut inputs = check::Inputs::new(8);
    let values: Vec<f32> = (0..n).map(|_| inputs.below(8) as f32).collect();
    let (x, total) = (Buffer::from(values.clone()), Buffer::<f32>::new(16 * qpus as usize));
    let report = sum().compile(device)?.qpus(qpus).call((n as i32, &x, &total))?;
    check::floats("sum", &[total.get(0)], &[values.iter().sum()], 0.0)?;
    Ok(report)
}

/// Counts `n` random numbers, small ones more often than large ones, and checks the counts.
///
/// # Errors
/// What the device reports, or the first wrong count.
pub fn run_histogram(n: usize, device: &dyn Device, qpus: u32) -> Result<Report, Diagnostic> {
    let mut inputs = check::Inputs::new(9);
    let values: Vec<i32> = (0..n).map(|_| ((inputs.below(256) * inputs.below(257)) >> 8) as i32).collect();
    let (x, bins) = (Buffer::from(values.clone()), Buffer::<i32>::new(BINS * qpus as usize));
    let report = histogram().compile(device)?.qpus(qpus).call((n as i32, &x, &bins))?;
    let mut want = [0; BINS];
    values.iter().for_each(|v| want[*v as usize] += 1);
    let parts = bins.to_vec();
    let got: Vec<i32> = (0..BINS).map(|b| parts.chunks(BINS).map(|part| part[b]).sum()).collect();
    check::ints("histogram", &got, &want)?;
    Ok(report)
}
