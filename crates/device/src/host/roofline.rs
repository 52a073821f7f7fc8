//! What this processor can do at most with compiled kernels: measured once by two short kernels, and kept in the cache on disk.

use crate::cpu::Cpu;
use crate::launch::LaunchOptions;
use crate::{Device, Module};
use quadra_base::cache::Cache;
use quadra_kir::{Access, Arg, Builder, Const, Elem, Kernel, MemoryBuffer, Mode, Op, Type};
use std::sync::Arc;
use std::time::Instant;

/// Limits of the device `cpu`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Roofline {
    /// Products and sums of single precision per second, in units of 10⁹, all threads together; products and sums are
    /// separate instructions, as in compiled kernels.
    pub gflops: f64,
    /// Bytes read from and written to memory per second, in units of 10⁹, by `c[i] = a[i] + s * b[i]` on long arrays.
    pub gbytes: f64,
}

/// Elements of each array that is streamed: three of them exceed the last cache.
const STREAM: usize = 1 << 23;
const ITEMS: usize = 1 << 17;
/// Independent chains of operations: more than the latency of one times the units.
const CHAINS: usize = 16;
const STEPS: usize = 32;
/// Runs, the quickest of which counts.
const RUNS: usize = 5;

impl Roofline {
    /// The limits; nothing without libLLVM. The first call on a machine takes some tenths of a second.
    pub fn get() -> Option<Roofline> {
        let key = format!("roofline of the cpu, {} threads\n{}", quadra_back_cpu::threads(), processor());
        let kept = Cache::user().and_then(|cache| cache.get(key.as_bytes()));
        if let Some(found) = kept.and_then(|text| Roofline::of_text(&String::from_utf8(text).ok()?)) {
            return Some(found);
        }
        let found = Roofline::measure(STREAM, ITEMS)?;
        if let Some(cache) = Cache::user() {
            cache.put(key.as_bytes(), format!("{} {}", found.gflops, found.gbytes).as_bytes());
        }
        Some(found)
    }

    fn of_text(text: &str) -> Option<Roofline> {
        let numbers: Vec<f64> = text.split(' ').map_while(|n| n.parse().ok()).collect();
        let [gflops, gbytes] = numbers[..] else { return None };
        Some(Roofline { gflops, gbytes })
    }

    fn measure(stream: usize, items: usize) -> Option<Roofline> {
        let cpu = Cpu::new().ok()?;
        let run = |kernel: &Kernel, buffers: usize, n: usize, scalars: &[f32]| {
            let module = cpu.compile(kernel).ok()?;
            let zeros = MemoryBuffer { elem: Elem::F32, dims: vec![n as u32], bytes: vec![0; 4 * n] };
            quickest(&module, &mut vec![zeros; buffers], n, scalars)
        };
        let seconds = run(&triad(), 3, stream, &[0.5])?;
        let gbytes = 12.0 * stream as f64 / seconds / 1e9;
        let seconds = run(&chains(), 1, items, &[0.999, 0.001])?;
        let gflops = (2 * CHAINS * STEPS * items) as f64 / seconds / 1e9;
        Some(Roofline { gflops, gbytes })
    }

    /// The least seconds that so much work takes.
    pub fn seconds(&self, flops: f64, bytes: f64) -> f64 {
        (flops / self.gflops).max(bytes / self.gbytes) / 1e9
    }
}

fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    text.lines().find(|l| l.starts_with("model name")).unwrap_or(std::env::consts::ARCH).to_string()
}

/// The quickest of some runs.
fn quickest(module: &Arc<dyn Module>, memory: &mut [MemoryBuffer], n: usize, scalars: &[f32]) -> Option<f64> {
    let buffers = (0..memory.len()).map(Arg::Buffer);
    let args: Vec<Arg> = buffers.chain(scalars.iter().map(|x| Arg::Scalar(Const::f32(*x)))).collect();
    let workers = n.div_ceil(16).min(4096) as u32;
    let options = LaunchOptions { workers, extent: vec![n as u32], ..LaunchOptions::default() };
    let mut best = f64::INFINITY;
    for _ in 0..RUNS {
        let mut lent: Vec<_> = memory.iter_mut().map(MemoryBuffer::lend).collect();
        let start = Instant::now();
        module.launch_on(&args, &mut lent, &options).ok()?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    (best > 0.0).then_some(best)
}

/// `c[i] = a[i] + s * b[i]`.
fn triad() -> Kernel {
    let mut b = Builder::new("triad");
    let (x, y) = (b.buffer("a", Elem::F32, 1, Access::Read), b.buffer("b", Elem::F32, 1, Access::Read));
    let z = b.buffer("c", Elem::F32, 1, Access::ReadWrite);
    let s = b.scalar("s", Type::F32);
    b.set_over(1);
    let i = b.axis(Op::Item, 0);
    let (u, v) = (b.load(x, Mode::Unchecked, &[i]), b.load(y, Mode::Unchecked, &[i]));
    let scaled = b.op(Op::Mul, &[v, s]);
    let sum = b.op(Op::Add, &[u, scaled]);
    b.store(z, Mode::Unchecked, &[i], sum);
    b.finish()
}

/// Chains of products and sums on numbers in registers.
fn chains() -> Kernel {
    let mut b = Builder::new("chains");
    let x = b.buffer("x", Elem::F32, 1, Access::ReadWrite);
    let (s, t) = (b.scalar("s", Type::F32), b.scalar("t", Type::F32));
    b.set_over(1);
    let i = b.axis(Op::Item, 0);
    let first = b.load(x, Mode::Unchecked, &[i]);
    let mut sums = vec![first];
    for _ in 1..CHAINS {
        let next = b.op(Op::Add, &[sums[sums.len() - 1], t]);
        sums.push(next);
    }
    for _ in 0..STEPS {
        for sum in &mut sums {
            let scaled = b.op(Op::Mul, &[*sum, s]);
            *sum = b.op(Op::Add, &[scaled, t]);
        }
    }
    let mut all = sums[0];
    for sum in &sums[1..] {
        all = b.op(Op::Add, &[all, *sum]);
    }
    b.store(x, Mode::Unchecked, &[i], all);
    b.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limits_are_numbers_and_survive_the_cache() {
        assert_eq!(Roofline::of_text("2.5 10"), Some(Roofline { gflops: 2.5, gbytes: 10.0 }));
        assert_eq!(Roofline::of_text("2.5"), None);
        let roof = Roofline { gflops: 2.0, gbytes: 4.0 };
        assert_eq!((roof.seconds(2e9, 2e9), roof.seconds(0.0, 8e9)), (1.0, 2.0));
        if let Some(small) = Roofline::measure(1 << 12, 1 << 8) {
            assert!(small.gflops > 0.0 && small.gbytes > 0.0, "{small:?}");
        }
    }
}
