//! Every shipped kernel on 1, 2, 4 and 12 QPUs: the emulated words must leave, bit for bit, the memory that the interpreter
//! leaves in the QPU's arithmetic on the legalized kernel; the kernel as written, rounded to nearest, must leave the same
//! integers and floats within a stated number of units in the last place. The code for this processor must leave what that
//! interpreter leaves, bit for bit.

#![allow(clippy::unwrap_used)] // A test stops where something is wrong.

use quadra::device::{self, Argument, Device, LaunchOptions, Module, Report};
use quadra::kernels::{ALL, Shipped, Workload};
use quadra::kir::{Caps, Elem, Fault, Kernel, Op};
use quadra_base::Diagnostic;
use std::collections::HashSet;
use std::sync::{Arc, Mutex};

/// The contents of all buffers of a launch.
type Contents = Vec<(Elem, Vec<u8>)>;

/// A device that notes what every launch leaves in its buffers.
struct Recorder {
    inner: Arc<dyn Device>,
    left: Arc<Mutex<Vec<Contents>>>,
}

impl Device for Recorder {
    fn name(&self) -> &'static str {
        self.inner.name()
    }
    fn about(&self) -> String {
        self.inner.about()
    }
    fn caps(&self) -> &'static Caps {
        self.inner.caps()
    }
    fn max_workers(&self) -> u32 {
        self.inner.max_workers()
    }
    fn compile(&self, kernel: &Kernel) -> Result<Arc<dyn Module>, Vec<Diagnostic>> {
        let inner = self.inner.compile(kernel)?;
        Ok(Arc::new(Recorded { inner, left: self.left.clone() }))
    }
}

struct Recorded {
    inner: Arc<dyn Module>,
    left: Arc<Mutex<Vec<Contents>>>,
}

impl Module for Recorded {
    fn kernel(&self) -> &Kernel {
        self.inner.kernel()
    }
    fn launch(&self, args: &[Argument], options: &LaunchOptions) -> Result<Report, Fault> {
        let report = self.inner.launch(args, options)?;
        let contents = args.iter().filter_map(|a| match a {
            Argument::Buffer(b) => {
                let b = b.read();
                Some((b.elem, b.bytes.clone()))
            }
            Argument::Scalar(_) => None,
        });
        self.left.lock().unwrap().push(contents.collect());
        Ok(report)
    }
}

/// What the workload's launches leave in memory. A kernel that is not written for this number of QPUs may compute something
/// else than the plain Rust beside it (every QPU rotates all points); the devices must agree all the same.
fn memory(workload: &Workload, name: &str, qpus: u32) -> Vec<Contents> {
    let left = Arc::new(Mutex::new(Vec::new()));
    let recorder = Recorder { inner: device::open(name).unwrap(), left: left.clone() };
    let result = (workload.run)(&recorder, qpus);
    if qpus == workload.qpus {
        result.unwrap_or_else(|d| panic!("{} on {name}: {d}", workload.name));
    }
    left.lock().unwrap().clone()
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]))
}

/// Largest difference between floats in units in the last place of the buffer's largest number (a sum that cancels has no
/// small error of its own size), or 0 for equal integers and infinity for different ones.
fn distance(a: &Contents, b: &Contents) -> f64 {
    let mut worst: f64 = 0.0;
    for ((elem, x), (_, y)) in a.iter().zip(b) {
        let largest = words(x).map(|w| f32::from_bits(w).abs()).fold(f32::MIN_POSITIVE, f32::max);
        let unit = f32::from_bits(largest.to_bits() & 0x7f80_0000) as f64 * f32::EPSILON as f64;
        for (u, v) in words(x).zip(words(y)) {
            worst = worst.max(match elem {
                _ if u == v => 0.0,
                Elem::F32 => (f32::from_bits(u) as f64 - f32::from_bits(v) as f64).abs() / unit,
                _ => f64::INFINITY,
            });
        }
    }
    worst
}

/// Units in the last place by which the QPU's truncating arithmetic may differ from round to nearest, per kernel: a few
/// roundings each unless said; Mandelbrot counts iterations and may count differently at the border.
fn limit(kernel: &Shipped) -> f64 {
    match kernel.name {
        "mandelbrot" => f64::INFINITY,
        // Each of 121 additions may err by a unit.
        "convolution_11" => 121.0,
        _ => 8.0,
    }
}

/// Whether the result depends on which QPU comes first: all of them update the same places of a buffer in place, because the
/// kernel does not ask which QPU it runs on.
fn races(kernel: &Kernel, qpus: u32) -> bool {
    let mut loaded = HashSet::new();
    let mut stored = HashSet::new();
    let mut asks = false;
    kernel.body.walk(&mut |i| match i.op {
        Op::Worker => asks = true,
        Op::Load | Op::TmuRequest => loaded.extend(i.buf),
        Op::Store => stored.extend(i.buf),
        _ => {}
    });
    qpus > 1 && !asks && loaded.intersection(&stored).next().is_some()
}

#[test]
fn emulated_words_leave_what_the_interpreters_leave() {
    let cpu = device::open("cpu").map_err(|why| quadra_base::testing::left_out(&why.message)).is_ok();
    let compared: usize = quadra_base::testing::each(ALL, |kernel| compared(kernel, cpu)).into_iter().sum();
    assert!(compared >= 30, "{compared} runs were compared");
}

/// Compares the devices on a kernel, the processor's with the others where there is one; the number of comparisons.
fn compared(kernel: &Shipped, cpu: bool) -> usize {
    // The smallest workload stands for the others, which differ in size only.
    let Some(workload) = kernel.workloads.first() else { return 0 };
    let recorded = (kernel.record)().unwrap();
    let mut compared = 0;
    for qpus in [1, 2, 4, 12] {
        if races(&recorded, qpus) {
            continue;
        }
        let at = format!("{} on {qpus} QPUs", kernel.name);
        let emu = memory(workload, "emu", qpus);
        if emu.is_empty() {
            // The workload itself asks for another number of QPUs (semaphores between exactly four, say).
            assert_ne!(qpus, workload.qpus, "{at} did not run");
            continue;
        }
        let exact = memory(workload, "interp-qpu", qpus);
        assert!(emu == exact, "{at}: the emulated words differ from the interpreter in the QPU's arithmetic");
        let nearest = memory(workload, "interp", qpus);
        assert!(!cpu || memory(workload, "cpu", qpus) == nearest, "{at}: the processor's code differs");
        let worst = emu.iter().zip(&nearest).map(|(a, b)| distance(a, b)).fold(0.0, f64::max);
        assert!(worst <= limit(kernel), "{at}: {worst} units from the kernel as written");
        compared += 1;
    }
    compared
}
