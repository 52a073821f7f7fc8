//! Random kernels of workers, as they are written for QPUs, on a GPU whose results are exact: they leave the interpreter's memory.

use quadra_device::buffer::Storage;
use quadra_device::{Argument, Device, LaunchOptions, open};
use quadra_kir::{Arg, Elem, MemoryBuffer, Op};
use quadra_tests::fuzz::{Shape, kernels};
use std::sync::Arc;

/// What a device refuses when it compiles: operations that shaders do not have.
const REFUSED: &str = "E0870";

fn exact() -> Option<Arc<dyn Device>> {
    let found = quadra_base::testing::gpus().into_iter().filter_map(|name| open(name).ok());
    let mut exact = found.filter(|d| !d.about().contains("exact but"));
    exact.next().or_else(|| {
        quadra_base::testing::left_out("no GPU whose results are exact");
        None
    })
}

/// The buffers of a random kernel behind its launch; nothing if the device does not take it.
fn outcome(case: &kernels::Case, device: &dyn Device) -> Option<Vec<MemoryBuffer>> {
    let module = match device.compile(&case.kernel) {
        Err(why) if why[0].code == REFUSED => return None,
        made => made.unwrap_or_else(|d| panic!("seed {}: {}", case.seed, d[0].message)),
    };
    let buffers: Vec<Storage> = case.memory.buffers.iter().cloned().map(Storage::new).collect();
    let argument = |arg: &Arg| match *arg {
        Arg::Buffer(at) => Argument::Buffer(buffers[at].clone()),
        Arg::Scalar(value) => Argument::Scalar(value),
    };
    let args: Vec<Argument> = case.launch.args.iter().map(argument).collect();
    let options = LaunchOptions {
        workers: case.launch.workers,
        extent: case.launch.extent.clone(),
        budget: case.launch.budget,
        partial: true,
        ..LaunchOptions::default()
    };
    if let Err(fault) = module.launch(&args, &options) {
        panic!("seed {}: {fault:?}\n{}", case.seed, case.kernel);
    }
    Some(buffers.iter().map(|b| b.read().clone()).collect())
}

/// Equal, but for the bits of what is no number.
fn same(a: &MemoryBuffer, b: &MemoryBuffer) -> bool {
    let number = |word: u32| if a.elem == Elem::F32 && f32::from_bits(word).is_nan() { 0x7fc0_0000 } else { word };
    match a.elem {
        Elem::F16 => true,
        Elem::F32 => a.words().into_iter().map(number).eq(b.words().into_iter().map(number)),
        _ => a.bytes == b.bytes,
    }
}

#[test]
fn random_kernels_of_workers_leave_the_interpreters_memory() {
    let Some(gpu) = exact() else { return };
    let interp = open("interp").expect("the interpreter is always there");
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let (first, count) = (number("FIRST").unwrap_or(0), number("KERNELS").unwrap_or(60));
    let (mut workers, mut taken) = (0, 0);
    for seed in first..first + count {
        let mut case = kernels::case(seed, Shape::default());
        // What is no number has a sign that drivers choose: nothing may depend on it.
        case.kernel.body.walk_mut(&mut |i| {
            if i.op == Op::BitsI32 {
                i.op = Op::ToI32;
            }
        });
        let crosses = case.kernel.body.any(&mut |i| i.op.is_cross_lane());
        if case.kernel.over > 0 && !crosses {
            continue;
        }
        workers += 1;
        let Some(got) = outcome(&case, &*gpu) else { continue };
        taken += 1;
        let want = outcome(&case, &*interp).expect("the interpreter takes every kernel");
        for (at, (got, want)) in got.iter().zip(&want).enumerate() {
            let first = || got.words().into_iter().zip(want.words()).enumerate().find(|(_, (a, b))| a != b);
            assert!(same(got, want), "seed {seed}, buffer {at} on {}: {:?}\n{}", gpu.about(), first(), case.kernel);
        }
    }
    println!("{taken} of {workers} kernels of {count} compiled and compared");
    assert!(4 * taken > workers, "{taken} of {workers}");
}
