//! What launches, copies and work cost on a GPU: measured when it is opened for the first time, and kept on disk with its name and
//! that of its driver.

use super::driver::Driver;
use super::launching::{Call, Compiled, Launch};
use super::memory::Copy;
use super::variants::Making;
use crate::common::storage::Storage;
use quadra_base::cache::Cache;
use quadra_kir::caps::Status;
use quadra_kir::{Arg, Cost, Costs, LANES, MemoryBuffer, Param, parse};
use std::sync::Arc;
use std::time::Instant;

/// Adds one to 64 numbers.
pub(crate) const SMALL: &str = "kernel @next(%x: buf<i32, rw>) simt group=16 over=1 {
    %i = item 0 %v = load.inside %x[%i] %w = add %v, 1 store.inside %x[%i], %w }";
/// Items of that launch.
pub(crate) const SMALL_ITEMS: u32 = 64;
/// Every element of one buffer to another one.
const COPY: &str = "kernel @copy(%x: buf<f32, r>, %y: buf<f32, w>) simt group=16 over=1 {
    %i = item 0 %v = load.inside %x[%i] store.inside %y[%i], %v }";
/// [`TURNS`] times two operations.
const WORK: &str = "kernel @work(%y: buf<f32, rw>) simt group=16 over=1 {
    %i = item 0 %v = load.inside %y[%i]
    %r = for %k in 0..256 (%s: f32 = %v) { %a = mul %s, 0.5 %b = add %a, 0.25 yield %b }
    store.inside %y[%i], %r }";
const TURNS: f64 = 256.0;
const ITEMS: u32 = 1 << 18;
const TIMES: usize = 3;
/// Numbers that are kept.
const KEPT: usize = 4;

/// The costs of a GPU: those that were measured before, or now; guesses where there is nowhere to keep them.
pub(crate) fn of<D: Driver>(driver: &Arc<D>, workers: u32, guess: Costs) -> Costs {
    let Some(cache) = Cache::user() else { return guess };
    let key = format!("costs of {} {} {}", D::NAME, driver.facts().name, driver.facts().driver);
    let kept = cache.get(key.as_bytes()).and_then(|bytes| {
        let (numbers, rest) = bytes.as_chunks::<8>();
        let numbers: Vec<f64> = numbers.iter().map(|b| f64::from_le_bytes(*b)).collect();
        (rest.is_empty() && numbers.iter().all(|n| n.is_finite() && *n > 0.0)).then_some(numbers)
    });
    let numbers = match kept.filter(|n| n.len() == KEPT) {
        Some(numbers) => numbers,
        None => {
            let Some(measured) = measure(driver, workers) else { return guess };
            cache.put(key.as_bytes(), &measured.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>());
            measured.to_vec()
        }
    };
    let cost = |n: usize, source| Cost::new(numbers[n], Status::Measured, source);
    Costs {
        launch: cost(0, "a launch that does nothing, waited for, on this GPU"),
        transfer: cost(1, "a mebibyte there and back, on this GPU"),
        memory: cost(2, "a copy within its memory, on this GPU"),
        operation: cost(3, "products and sums of floats, on this GPU"),
        ..guess
    }
}

/// Nanoseconds of a launch, of a byte there or back, of a byte of its memory, of an operation of one worker.
fn measure<D: Driver>(driver: &Arc<D>, workers: u32) -> Option<[f64; KEPT]> {
    let launch = timed(driver, SMALL, &[vec![0; SMALL_ITEMS as usize]], SMALL_ITEMS)?;
    let elements = vec![0; ITEMS as usize];
    let bytes = f64::from(4 * ITEMS);
    let copy = timed(driver, COPY, &[elements.clone(), elements.clone()], ITEMS)?;
    let work = timed(driver, WORK, &[elements], ITEMS)?;
    let begin = Instant::now();
    let mut there = vec![0_u8; 1 << 20];
    let mut stream = driver.stream();
    Copy::of(driver, &mut stream, &there).read(&mut stream, &mut there).ok()?;
    let transfer = begin.elapsed().as_secs_f64() * 1e9 / (2 << 20) as f64;
    let operations = f64::from(ITEMS / LANES) * 2.0 * TURNS;
    let least = |time: f64| (time - launch).max(0.05 * time);
    Some([launch, transfer, least(copy) / (2.0 * bytes), least(work) / operations * f64::from(workers)])
}

/// Nanoseconds of a launch on these buffers, which are there; the shortest of some.
fn timed<D: Driver>(driver: &Arc<D>, text: &str, buffers: &[Vec<i32>], items: u32) -> Option<f64> {
    let kernel = parse::kernel("costs.kir", text).ok()?;
    let module = Compiled::new(&kernel, driver.clone(), false).ok()?;
    // Zeros are the same bytes whatever they are of.
    let elem = |n: usize| match kernel.params.get(n) {
        Some(Param::Buffer(b)) => kernel.bufs[*b].elem,
        _ => quadra_kir::Elem::I32,
    };
    let storage = |(n, b): (usize, &Vec<i32>)| Storage::new(MemoryBuffer { elem: elem(n), ..MemoryBuffer::of_i32(b) });
    let storages: Vec<Storage> = buffers.iter().enumerate().map(storage).collect();
    let dims = buffers.iter().map(|b| vec![b.len() as u32]).collect();
    let calls = [Call { args: (0..buffers.len()).map(Arg::Buffer).collect(), dims }];
    let writes = vec![true; buffers.len()];
    let launch = Launch { calls: &calls, writes: &writes, extent: &[items], repeat: 1, time_limit: None };
    let mut best = f64::INFINITY;
    // The first one compiles and brings buffers there.
    for n in 0..=TIMES {
        let begin = Instant::now();
        let mut held: Vec<_> = storages.iter().map(Storage::hold).collect();
        module.launch(&launch, &mut held, &mut Making::default()).ok()?;
        drop(held);
        driver.finish(&mut driver.stream()).ok()?;
        if n > 0 {
            best = best.min(begin.elapsed().as_secs_f64() * 1e9);
        }
    }
    Some(best.max(1.0))
}
