//! Kernels in the QPU's style on two software drivers: random ones, with rotations, broadcasts, votes, rows and masks, leave what they
//! leave in the interpreter, and run on the GPU itself. What waits for other workers is refused.

use quadra_device::{Argument, Device, LaunchOptions, buffer::Storage, gpu, open};
use quadra_kir::{Elem, Fault, FaultKind, MemoryBuffer, Op, parse};
use quadra_tests::fuzz::kernels::Case;
use quadra_tests::fuzz::{self, Shape};
use std::sync::Arc;

/// The software GPUs, which are used only by who names them.
fn drivers() -> Vec<Arc<dyn Device>> {
    let found = ["llvmpipe", "SwiftShader"].map(gpu::named);
    found.into_iter().filter_map(|d| d.map_err(|why| quadra_base::testing::left_out(why.message)).ok()).collect()
}

/// What a launch leaves in the buffers; nothing where the device refuses the kernel.
fn outcome(device: &dyn Device, case: &Case) -> Option<Result<Vec<MemoryBuffer>, Fault>> {
    let module = match device.compile(&case.kernel) {
        Ok(module) => module,
        Err(why) if gpu::refuses(&why[0]) => return None,
        Err(why) => panic!("seed {}: {}\n{}", case.seed, why[0].message, case.kernel),
    };
    let buffers: Vec<Storage> = case.memory.buffers.iter().cloned().map(Storage::new).collect();
    let args = case.launch.args.iter().map(|arg| match *arg {
        quadra_kir::Arg::Buffer(at) => Argument::Buffer(buffers[at].clone()),
        quadra_kir::Arg::Scalar(c) => Argument::Scalar(c),
    });
    let args: Vec<Argument> = args.collect();
    let (workers, budget) = (case.launch.workers, case.launch.budget);
    let options = LaunchOptions { workers, budget, ..LaunchOptions::default() };
    let launched = module.launch(&args, &options);
    Some(launched.map(|_| buffers.iter().map(|b| b.read().clone()).collect()))
}

/// Whether two buffers hold the same, but for the bits of NaN and numbers that a driver takes for 0.
fn same(a: &MemoryBuffer, b: &MemoryBuffer) -> bool {
    if a.elem != Elem::F32 {
        return a.bytes == b.bytes;
    }
    let floats =
        |m: &MemoryBuffer| m.bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect::<Vec<_>>();
    floats(a).iter().zip(floats(b)).all(|(&x, y)| {
        x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan() || x == y || x.abs() < 1e-37 && y.abs() < 1e-37
    })
}

#[test]
fn random_kernels_of_workers_leave_what_they_leave_in_the_interpreter() {
    let interp = open("interp").expect("it is always there");
    let count = std::env::var("GPU_WORKERS").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    let before = gpu::counts();
    let (mut ran, mut crossed) = (0, 0);
    for seed in 0..count {
        let case = fuzz::kernels::case(seed, Shape { divisions: false, ..Shape::default() });
        if case.kernel.over > 0 {
            continue;
        }
        let want = outcome(&*interp, &case).expect("it takes everything");
        for device in drivers() {
            let Some(got) = outcome(&*device, &case) else { continue };
            ran += 1;
            let lanes = |i: &quadra_kir::Inst| matches!(i.op, Op::Rotate | Op::Broadcast | Op::VoteAny | Op::VoteAll);
            crossed += u64::from(case.kernel.body.any(&mut |i| lanes(i)));
            let text = || format!("seed {seed}, {} workers, {}\n{}", case.launch.workers, device.about(), case.kernel);
            match (&got, &want) {
                (Ok(got), Ok(want)) => {
                    let differs = got.iter().zip(want).position(|(a, b)| !same(a, b));
                    assert_eq!(differs, None, "a buffer differs, {}", text());
                }
                (Err(got), Err(want)) => assert_eq!(got.kind, want.kind, "{}", text()),
                _ => panic!("{:?} instead of {:?}, {}", got.is_ok(), want.is_ok(), text()),
            }
        }
    }
    let after = gpu::counts();
    println!(
        "{ran} launches, {} of them on the GPU, {crossed} of kernels whose lanes see each other",
        after.here - before.here
    );
    if ran > 0 {
        assert!(ran > count / 4 && crossed > 0, "only {ran} of {count} kernels run");
        assert!((after.here - before.here) * 10 >= ran * 9, "too many run elsewhere");
    }
}

#[test]
fn who_waits_for_others_is_refused() {
    for (what, body) in [
        ("wait for each other", "sema.inc 0"),
        ("wait for each other", "mutex.lock mutex.unlock"),
        ("prints", "%w = worker print \"{}\" %w"),
    ] {
        let text = format!("kernel @k(%y: buf<i32, rw>) simt group=16 concurrent {{ {body} }}");
        let kernel = parse::kernel("workers.kir", &text).unwrap_or_else(|d| panic!("{}: {text}", d[0].message));
        for device in drivers() {
            let why = device.compile(&kernel).err().unwrap_or_else(|| panic!("{text}"));
            assert!(why[0].code == "E0870" && why[0].message.contains(what), "{}", why[0].message);
        }
    }
}

#[test]
fn a_worker_outside_of_its_buffer_is_a_fault_and_changes_nothing() {
    let text = "kernel @k(%y: buf<i32, rw>) simt group=16 {
        %w = worker %l = lane %a = mul %w, 16 %i = add %a, %l store %y[%i], %l }";
    let kernel = parse::kernel("workers.kir", text).unwrap_or_else(|d| panic!("{}", d[0].message));
    for device in drivers() {
        let module = device.compile(&kernel).unwrap_or_else(|d| panic!("{}", d[0].message));
        let launch = |elements: usize| {
            let y = quadra_device::Buffer::from(vec![7_i32; elements]);
            let options = LaunchOptions { workers: 5, ..LaunchOptions::default() };
            (module.launch(&[Argument::from(&y)], &options), y.to_vec())
        };
        let (ran, y) = launch(80);
        assert!(ran.is_ok() && (0..80).all(|n| y[n as usize] == n % 16), "{ran:?} {y:?}");
        let (fault, y) = launch(79);
        let fault = fault.expect_err("one lane is outside");
        assert!(matches!(fault.kind, FaultKind::OutOfBounds { index: 79, .. }), "{fault:?}");
        assert_eq!(y, [7; 79]);
    }
}
