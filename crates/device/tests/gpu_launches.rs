//! Launches on two software drivers: where buffers are, what is handed over together, what a driver is found to do, and what
//! happens where something goes wrong.
#![cfg(feature = "gpu")]

use quadra_device::{Argument, Buffer, Device, LaunchOptions, Module, gpu, open};
use quadra_kir::{Const, FaultKind, Kernel, parse};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What of the GPUs' names says which they are, where they have a Vulkan driver.
fn parts() -> Vec<&'static str> {
    quadra_base::testing::gpus().into_iter().filter_map(|name| name.strip_prefix("gpu:")).collect()
}

/// What moves is counted for the whole process, so tests run one at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn drivers() -> Vec<Arc<dyn Device>> {
    let found = quadra_base::testing::gpus().into_iter().map(open);
    found.filter_map(|d| d.map_err(|why| quadra_base::testing::left_out(why.message)).ok()).collect()
}

/// Whether a driver is a program of this processor.
fn is_software(device: &dyn Device) -> bool {
    ["llvmpipe", "SwiftShader"].iter().any(|name| device.about().contains(name))
}

fn kernel(text: &str) -> Kernel {
    parse::kernel("test.kir", text).expect("the kernel parses")
}

fn over(extent: &[u32]) -> LaunchOptions {
    LaunchOptions { extent: extent.to_vec(), ..LaunchOptions::default() }
}

/// `to[i] = 2 * from[i] + 1`, which stays inside where both have a place for every item.
fn doubling(device: &dyn Device) -> Arc<dyn Module> {
    let text = "kernel @doubling(%from: buf<i32, r>, %to: buf<i32, w>) simt group=16 over=1 {
        %i = item 0 %x = load.inside %from[%i] %y = add %x, %x %z = add %y, 1 store.inside %to[%i], %z }";
    device.compile(&kernel(text)).expect("the device takes it")
}

#[test]
fn buffers_stay_on_the_gpu_until_the_host_looks() {
    let _one = alone();
    for device in drivers() {
        let module = doubling(&*device);
        let (a, b) = (Buffer::from(vec![1; 1000]), Buffer::from(vec![0; 1000]));
        let step = |from: &Buffer<i32>, to: &Buffer<i32>| {
            module.launch(&[Argument::from(from), Argument::from(to)], &over(&[1000])).expect("it runs");
        };
        let before = gpu::traffic();
        let moved = || (gpu::traffic().up - before.up, gpu::traffic().down - before.down);
        step(&a, &b);
        assert_eq!(moved(), (8000, 0));
        for _ in 0..5 {
            step(&b, &a);
            step(&a, &b);
        }
        assert_eq!(moved(), (8000, 0), "they are there");
        // 1, 3, 7, ...: 2^(n + 1) - 1 after n steps.
        assert_eq!(b.to_vec(), [(1 << 12) - 1; 1000]);
        assert_eq!(moved(), (8000, 4000));
        assert_eq!(b.get(7), (1 << 12) - 1);
        assert_eq!(moved(), (8000, 4000), "once is enough");
        let mut a = a;
        a.set(0, 5);
        assert_eq!(moved(), (8000, 8000));
        step(&a, &b);
        assert_eq!(moved(), (12000, 8000), "the host has changed one, the other is still there");
        assert_eq!(&b.to_vec()[..2], [11, 2 * ((1 << 11) - 1) + 1]);
    }
}

/// How long a launch takes is measured, and long ones go alone; so one of several attempts must show it, on a busy machine.
#[test]
fn launches_that_nobody_waits_for_go_together() {
    let _one = alone();
    for device in drivers() {
        let few = (0..10).any(|_| {
            let module = doubling(&*device);
            let (a, b) = (Buffer::from(vec![0; 64]), Buffer::from(vec![0; 64]));
            let args = [Argument::from(&a), Argument::from(&b)];
            // The first one tells how long it takes.
            module.launch(&args, &over(&[64])).expect("it runs");
            a.to_vec();
            let before = gpu::traffic().submissions;
            for _ in 0..256 {
                module.launch(&args, &over(&[64])).expect("it runs");
            }
            let apart = gpu::traffic().submissions - before;
            assert_eq!(b.to_vec(), [1; 64]);
            let options = LaunchOptions { repeat: 257, swap: Some((0, 1)), ..over(&[64]) };
            let (a, b) = (Buffer::from(vec![0; 64]), Buffer::from(vec![-1; 64]));
            let before = gpu::traffic().submissions;
            module.launch(&[Argument::from(&a), Argument::from(&b)], &options).expect("it runs");
            let together = gpu::traffic().submissions - before;
            // x -> 2 x + 1, 257 times, modulo 2^32.
            assert_eq!((a.to_vec(), b.to_vec()), (vec![-1; 64], vec![-1; 64]));
            apart <= 32 && together <= 32
        });
        assert!(few, "{}", device.about());
    }
}

/// Results are those of the interpreter whatever waits, and wherever a launch goes outside in between.
#[test]
fn series_with_faults_end_as_on_the_interpreter() {
    let _one = alone();
    let text = "kernel @moves(%x: buf<i32, rw>, %by: i32) simt group=16 over=1 {
        %i = item 0 %v = load.inside %x[%i] %j = add %i, %by %w = load %x[%j] %s = add %v, %w %r = rem %s, 1009
        store.inside %x[%i], %r }";
    let run = |device: &dyn Device| {
        let (moves, doubles) = (device.compile(&kernel(text)).expect("it compiles"), doubling(device));
        let (x, y) = (Buffer::from((0..100).collect::<Vec<i32>>()), Buffer::from(vec![0; 100]));
        let mut outcomes = Vec::new();
        for by in [0, 0, 3, 0, -1, 0, 200, 0] {
            doubles.launch(&[Argument::from(&x), Argument::from(&y)], &over(&[100])).expect("it stays inside");
            doubles.launch(&[Argument::from(&y), Argument::from(&x)], &over(&[100])).expect("it stays inside");
            let ended = moves.launch(&[Argument::from(&x), Argument::Scalar(Const::i32(by))], &over(&[100]));
            outcomes.push(ended.map(drop).map_err(|f| (f.kind, f.item)));
        }
        (outcomes, x.to_vec(), y.to_vec())
    };
    // Only what reads itself is free of races.
    let want = run(&*open("cpu").or_else(|_| open("interp")).expect("the interpreter is always there"));
    for device in drivers() {
        assert_eq!(run(&*device), want, "{}", device.about());
    }
}

#[test]
fn drivers_say_what_they_do_with_floats() {
    let _one = alone();
    for device in drivers() {
        let about = device.about();
        assert!(about.contains("exact"), "{about}");
        assert_eq!(about.contains("below 2^-126"), about.contains("SwiftShader"), "{about}");
    }
}

/// Sums, which a driver contracts and puts in another order if it may: within 4 units in the last place and what rounding can do to
/// their terms.
#[test]
fn what_drivers_may_contract_is_near() {
    let _one = alone();
    let text = "kernel @sums(%x: buf<f32, r>, %y: buf<f32, w>) simt group=16 over=1 {
        %i = item 0 %a = load %x[%i]
        %s = for %k in 0..40 (%s: f32 = 0.0) { %f = to.f32 %k %p = mul %f, %a %q = mul %p, %a %t = add %s, %q yield %t }
        %r = div %s, 3.0 %u = add %r, 1000000.0 %v = sub %u, 1000000.0 store %y[%i], %v }";
    let x: Vec<f32> = (0..3000).map(|n| 1.0 + n as f32 * 1.7e-4).collect();
    for part in parts() {
        let Ok(device) = gpu::named_near(part) else { continue };
        let run = |device: &dyn Device| {
            let (from, to) = (Buffer::from(x.clone()), Buffer::from(vec![0.0_f32; x.len()]));
            let module = device.compile(&kernel(text)).expect("it compiles");
            module.launch(&[Argument::from(&from), Argument::from(&to)], &over(&[3000])).expect("it runs");
            to.to_vec()
        };
        let (near, exact) = (run(&*device), run(&*open("interp").expect("it is there")));
        // Terms are positive but for the last, so that each of 40 sums is off by half a unit at most.
        let terms = |b: f32| 44.0 * b.abs() + 2e6;
        let far = near.iter().zip(&exact).position(|(a, b)| (a - b).abs() > terms(*b) * f32::EPSILON);
        assert_eq!(far, None, "{}", device.about());
        if part == "llvmpipe" {
            assert!(near != exact && device.about().contains("near"), "it contracts where it may: {}", device.about());
        }
    }
}

/// The first item that takes too long is looked at alone: if it has no end, that is said at once.
#[test]
fn endless_loops_are_said_and_the_next_launch_works() {
    let _one = alone();
    let text = "kernel @endless(%x: buf<i32, rw>, %y: buf<i32, r>) simt group=16 over=1 {
        %i = item 0 %v = load %y[%i]
        loop () { %w = load %x[%i] %z = cmp.eq %v, %w if %z { break } else {} continue }
        store %x[%i], 9 }";
    for device in drivers() {
        let module = device.compile(&kernel(text)).expect("it compiles");
        let mut y = vec![1; 20_000];
        y[777] = 2;
        let (x, y) = (Buffer::from(vec![1; 20_000]), Buffer::from(y));
        let args = [Argument::from(&x), Argument::from(&y)];
        let fault = module.launch(&args, &over(&[20_000])).expect_err("one item waits for good");
        assert!(matches!(fault.kind, FaultKind::Budget(_)), "{:?}", fault.kind);
        assert_eq!(fault.item, Some(vec![777]));
        assert_eq!(x.to_vec(), vec![1; 20_000]);
        let y = Buffer::from(vec![1; 20_000]);
        module.launch(&[Argument::from(&x), Argument::from(&y)], &over(&[20_000])).expect("none waits");
        assert_eq!(x.to_vec(), vec![9; 20_000]);
        // A driver is not kept busy for long where all of them wait.
        let y = Buffer::from(vec![2; 20_000]);
        let fault = module.launch(&[Argument::from(&x), Argument::from(&y)], &over(&[20_000])).expect_err("all wait");
        assert!(matches!(fault.kind, FaultKind::Budget(_)), "{:?}", fault.kind);
        assert_eq!(x.to_vec(), vec![9; 20_000]);
    }
}

/// A loop that a GPU does not finish, but the processor does.
#[test]
fn long_loops_end_on_the_processor() {
    let _one = alone();
    let text = "kernel @long(%x: buf<i32, rw>) simt group=16 over=1 {
        %i = item 0 %n = load %x[%i]
        %r = loop (%k: i32 = 0) { %m = add %k, 1 %z = cmp.ge %m, %n if %z { break %m } else {} continue %m }
        store %x[%i], %r }";
    for device in drivers() {
        let module = device.compile(&kernel(text)).expect("it compiles");
        let long = if is_software(&*device) { 5_000_000 } else { 50_000_000 };
        let x: Vec<i32> = (0..40).map(|i| if i == 33 { long } else { i + 1 }).collect();
        let data = Buffer::from(x.clone());
        let before = gpu::counts();
        module.launch(&[Argument::from(&data)], &over(&[40])).expect("it ends");
        assert_eq!(gpu::counts().elsewhere, before.elsewhere + 1, "{}", device.about());
        assert_eq!(data.to_vec(), x);
    }
}

/// Bytes that several items write are one of what they write.
#[test]
fn bytes_are_never_torn() {
    let _one = alone();
    let text = "kernel @race(%x: buf<i8, rw>) simt group=16 over=1 {
        %i = item 0 %at = and %i, 3 %odd = and %i, 4 %c = cmp.ne %odd, 0 %v = select %c, 85, -86
        for %k in 0..20 { store %x[%at], %v } }";
    for device in drivers() {
        let module = device.compile(&kernel(text)).expect("it compiles");
        let x = Buffer::from(vec![0_i8; 4]);
        for _ in 0..20 {
            module.launch(&[Argument::from(&x)], &over(&[512])).expect("it runs");
            assert!(x.to_vec().iter().all(|b| [85, -86].contains(b)), "{:?}", x.to_vec());
        }
    }
}

#[test]
fn groups_that_are_too_large_are_refused_with_their_number() {
    let _one = alone();
    for device in drivers() {
        for items in [256_u32, 512, 2048] {
            let text = format!(
                "kernel @large(%x: buf<i32, rw>, %s: shared<i32, {items}>) simt group={items} over=1 {{
                    %i = item 0 %l = local 0 %v = load %x[%i] store %s[%l], %v barrier
                    %m = sub {}, %l %w = load %s[%m] store %x[%i], %w }}",
                items - 1
            );
            let data: Vec<i32> = (0..2 * items as i32).collect();
            match device.compile(&kernel(&text)) {
                Ok(module) => {
                    let x = Buffer::from(data.clone());
                    module.launch(&[Argument::from(&x)], &over(&[2 * items])).expect("it runs");
                    let turned: Vec<i32> = data.chunks(items as usize).flat_map(|c| c.iter().rev().copied()).collect();
                    assert_eq!(x.to_vec(), turned);
                }
                Err(why) => {
                    assert!(items > 256 && why[0].message.contains(&items.to_string()), "{}", why[0].message);
                }
            }
        }
    }
}

/// A device that is lost is said once, and the next one works.
#[test]
fn a_lost_gpu_is_an_error_and_a_new_one_works() {
    let _one = alone();
    for part in parts() {
        let Ok(device) = gpu::named(part) else { continue };
        let module = doubling(&*device);
        let (a, b) = (Buffer::from(vec![1; 100]), Buffer::from(vec![0; 100]));
        gpu::lose(part).expect("it was there");
        let fault = module.launch(&[Argument::from(&a), Argument::from(&b)], &over(&[100])).expect_err("it is lost");
        assert!(fault.to_diagnostic().message.contains("the GPU failed"), "{:?}", fault.kind);
        assert_eq!((a.to_vec(), b.to_vec()), (vec![1; 100], vec![0; 100]));
        let module = doubling(&*gpu::named(part).expect("there is another one"));
        module.launch(&[Argument::from(&a), Argument::from(&b)], &over(&[100])).expect("it runs");
        assert_eq!(b.to_vec(), [3; 100]);
    }
}

/// A driver that does not answer in time fails one launch, and is of use again when it has caught up.
#[test]
fn a_driver_that_was_only_slow_is_not_lost() {
    let _one = alone();
    let text = "kernel @slow(%x: buf<i32, rw>, %n: i32) simt group=16 over=1 {
        %i = item 0 %v = load %x[%i]
        %r = for %k in 0..%n (%s: i32 = %v) { %a = mul %s, 3 %b = xor %a, %k yield %b }
        store %x[%i], %r }";
    let expected = |n: i32| (0..n).fold(5_i32, |s, k| s.wrapping_mul(3) ^ k);
    for device in drivers() {
        let name = device.about();
        // On NVIDIA's hardware what is given up at once has been done all the same.
        let part = parts().into_iter().find(|part| name.contains(part) && is_software(&*device));
        let Some(part) = part else { continue };
        let module = device.compile(&kernel(text)).expect("the device takes it");
        let x = Buffer::from(vec![5; 4096]);
        let launch = |n: i32| module.launch(&[Argument::from(&x), Argument::from(n)], &over(&[4096]));
        gpu::give_up_after(part, Duration::ZERO).expect("it is there");
        let late = launch(6000);
        gpu::give_up_after(part, Duration::from_secs(60)).expect("it is there");
        let why = late.expect_err("nobody waits for it").kind;
        assert!(matches!(&why, FaultKind::Other(why) if why.contains("the GPU failed")), "{why:?}");
        assert_eq!(x.to_vec(), vec![5; 4096], "it has changed nothing");
        let before = gpu::counts();
        launch(7).expect("the driver has caught up");
        assert_eq!(gpu::counts().here, before.here + 1, "{name}");
        assert_eq!(x.to_vec(), vec![expected(7); 4096], "{name}");
    }
}
