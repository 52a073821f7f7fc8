//! Buffers that stay in the GPU's memory, on a Pi whose QPUs are emulated: what is allocated and copied, and that every failure
//! leaves buffers as they were.

use super::device::Vc4;
use super::fake::{Event, Pi};
use crate::{Argument, Buffer, Device, LaunchOptions, Module, Runs};
use quadra_kir::{Access, Builder, Elem, Fault, Kernel, Mode, Op};
use std::sync::{Arc, Mutex};

const N: usize = 1000;

fn device(pi: &Pi) -> Arc<Vc4> {
    Vc4::new(Arc::new(Mutex::new(pi.open().unwrap())))
}

/// `y[i] = x[i] + 1`, over an extent.
fn next() -> Kernel {
    let mut b = Builder::new("next");
    let x = b.buffer("x", Elem::I32, 1, Access::Read);
    let y = b.buffer("y", Elem::I32, 1, Access::Write);
    b.set_over(1);
    let i = b.axis(Op::Item, 0);
    let v = b.load(x, Mode::Unchecked, &[i]);
    let one = b.i32(1);
    let sum = b.op(Op::Add, &[v, one]);
    b.store(y, Mode::Unchecked, &[i], sum);
    b.finish()
}

/// `x[i] = x[i] + 1`, over an extent.
fn in_place() -> Kernel {
    let mut b = Builder::new("in_place");
    let x = b.buffer("x", Elem::I32, 1, Access::ReadWrite);
    b.set_over(1);
    let i = b.axis(Op::Item, 0);
    let v = b.load(x, Mode::Unchecked, &[i]);
    let one = b.i32(1);
    let sum = b.op(Op::Add, &[v, one]);
    b.store(x, Mode::Unchecked, &[i], sum);
    b.finish()
}

fn launch(module: &Arc<dyn Module>, buffers: &[&Buffer<i32>], items: usize) -> Result<(), Fault> {
    let args: Vec<Argument> = buffers.iter().map(|&b| Argument::from(b)).collect();
    let options = LaunchOptions { workers: 12, extent: vec![items as u32], budget: 1000, ..LaunchOptions::default() };
    module.launch(&args, &options).map(drop)
}

fn counting(n: usize) -> Buffer<i32> {
    Buffer::from((0..n as i32).collect::<Vec<i32>>())
}

fn from(first: i32, n: usize) -> Vec<i32> {
    (first..first + n as i32).collect()
}

fn allocations(events: &[Event]) -> usize {
    events.iter().filter(|e| matches!(e, Event::Mail(0x3000c, _))).count()
}

#[test]
fn a_hundred_launches_allocate_and_copy_as_one_does() {
    let pi = Pi::emulated();
    let vc4 = device(&pi);
    let module = vc4.compile(&next()).unwrap();
    let (x, y) = (counting(N), Buffer::<i32>::new(N));
    pi.take_events();
    launch(&module, &[&x, &y], N).unwrap();
    let first = pi.state().copied;
    assert_eq!(allocations(&pi.take_events()), 3, "the program and two buffers");
    assert!((N..2 * N + 2100 + 1000).contains(&first.0) && first.1 == 0, "{first:?}");
    // From the second on x and y are written, each of whose elements only the GPU has then: a third piece, and no more.
    for turn in 1..100 {
        let pair = if turn % 2 == 0 { [&x, &y] } else { [&y, &x] };
        launch(&module, &pair, N).unwrap();
    }
    let events = pi.take_events();
    assert_eq!(allocations(&events), 1);
    assert!(!events.iter().any(|e| matches!(e, Event::Mail(0x3000f, _))), "nothing is given back");
    let (to, back) = pi.state().copied;
    let uniforms = (to - first.0) / 99;
    assert!(uniforms < N / 2 && back == 0, "only uniforms are copied: {uniforms} words a launch, {back} back");
    assert_eq!((y.to_vec(), x.to_vec()), (from(99, N), from(100, N)));
    assert_eq!(pi.state().copied.1, 2 * N);
    assert_eq!((x.get(0), y.get(5)), (100, 104), "what was read is there");
    assert_eq!(pi.state().copied.1, 2 * N, "and is not copied again");
    drop((module, vc4));
    pi.assert_all_given_back();
}

#[test]
fn in_place_the_gpu_copies_and_not_the_host() {
    let pi = Pi::emulated();
    let vc4 = device(&pi);
    let module = vc4.compile(&in_place()).unwrap();
    let x = counting(N);
    launch(&module, &[&x], 16).unwrap();
    launch(&module, &[&x], 16).unwrap();
    pi.take_events();
    let before = pi.state().copied;
    let launches = pi.state().launches;
    for _ in 0..100 {
        launch(&module, &[&x], 16).unwrap();
    }
    assert_eq!(allocations(&pi.take_events()), 0);
    let s = pi.state().copied;
    assert!((s.0 - before.0) / 100 < N, "uniforms only: {} words", s.0 - before.0);
    assert_eq!(s.1, before.1);
    assert_eq!(pi.state().launches - launches, 200, "each launch follows a copy");
    let mut want = from(0, N);
    want[..16].iter_mut().for_each(|v| *v += 102);
    assert_eq!(x.to_vec(), want);
    drop((module, vc4));
    pi.assert_all_given_back();
}

#[test]
fn what_the_host_writes_is_sent_again() {
    let pi = Pi::emulated();
    let vc4 = device(&pi);
    let module = vc4.compile(&next()).unwrap();
    let (mut x, mut y) = (counting(N), Buffer::<i32>::new(N));
    launch(&module, &[&x, &y], N).unwrap();
    x.set(7, 500);
    launch(&module, &[&x, &y], N).unwrap();
    assert_eq!((y.get(6), y.get(7), y.get(8)), (7, 501, 9));
    y.set(3, -1);
    assert_eq!((y.get(3), y.get(7)), (-1, 501), "a change of one element keeps the others");
    launch(&module, &[&y, &x], N).unwrap();
    assert_eq!((x.get(3), x.get(7), x.get(999)), (0, 502, 1001));
}

#[test]
fn after_a_fault_buffers_hold_what_they_held_wherever_that_is() {
    for kernel in [next(), in_place()] {
        // The elements are with the host, with both, only with the GPU.
        for case in 0..3 {
            let pi = Pi::emulated();
            let vc4 = device(&pi);
            let module = vc4.compile(&kernel).unwrap();
            let buffers = [counting(N), counting(N)];
            let args: Vec<&Buffer<i32>> = buffers.iter().take(kernel.params.len()).collect();
            if case > 0 {
                launch(&module, &args, N).unwrap();
            }
            let result = args[args.len() - 1];
            if case == 1 {
                assert_eq!(result.to_vec(), from(1, N));
            }
            // The programs of the launch write and do not end. One that is in place follows a copy if only the GPU has the elements.
            let copies = u32::from(case == 2 && args.len() == 1);
            pi.state().endless_at = Some(u32::from(case > 0) + copies);
            let fault = launch(&module, &args, N).unwrap_err();
            assert!(fault.to_diagnostic().message.contains("did not finish"), "{fault:?}");
            pi.state().endless_at = None;
            let held = i32::from(case > 0);
            assert_eq!(result.to_vec(), from(held, N), "case {case} of {}", kernel.name);
            launch(&module, &args, N).unwrap();
            let want = if args.len() == 1 { held + 1 } else { 1 };
            assert_eq!(result.to_vec(), from(want, N), "the next launch works");
            drop((module, vc4));
            pi.assert_all_given_back();
        }
    }
}

#[test]
fn when_the_gpu_has_no_memory_left_other_buffers_go_to_the_host() {
    let pi = Pi::emulated();
    let vc4 = device(&pi);
    let module = vc4.compile(&next()).unwrap();
    // Two pairs of some 12 KiB each do not fit beside the program.
    let pairs: Vec<_> = (0..3).map(|_| (counting(N), Buffer::<i32>::new(N))).collect();
    launch(&module, &[&pairs[0].0, &pairs[0].1], N).unwrap();
    let taken: u32 = pi.state().handles.values().sum();
    pi.state().capacity = Some(taken + 4096);
    for (x, y) in &pairs {
        launch(&module, &[x, y], N).unwrap();
    }
    // The output is with the GPU only, and there is no memory for a second place.
    let (x, y) = &pairs[2];
    launch(&module, &[y, x], N).unwrap();
    launch(&module, &[y, x], N).unwrap();
    assert_eq!((x.to_vec(), y.to_vec()), (from(2, N), from(1, N)));
    for (x, y) in &pairs[..2] {
        assert_eq!((x.to_vec(), y.to_vec()), (from(0, N), from(1, N)));
    }
    // More than there is at all.
    let (large, out) = (counting(20_000), counting(20_000));
    let fault = launch(&module, &[&large, &out], 20_000).unwrap_err();
    assert!(fault.to_diagnostic().message.contains("bytes of memory left"), "{fault:?}");
    assert_eq!((out.to_vec(), x.to_vec()), (from(0, 20_000), from(2, N)));
    launch(&module, &[x, y], N).unwrap();
    assert_eq!(y.to_vec(), from(3, N));
    drop((module, vc4));
    pi.assert_all_given_back();
}

#[test]
fn pieces_of_buffers_that_are_gone_are_used_again() {
    let pi = Pi::emulated();
    let vc4 = device(&pi);
    let module = vc4.compile(&next()).unwrap();
    pi.take_events();
    for _ in 0..50 {
        let (x, y) = (counting(N), Buffer::<i32>::new(N));
        launch(&module, &[&x, &y], N).unwrap();
        assert_eq!(y.to_vec(), from(1, N));
    }
    assert_eq!(allocations(&pi.take_events()), 3);
}

#[test]
fn buffers_outlive_their_device() {
    let pi = Pi::emulated();
    let vc4 = device(&pi);
    let module = vc4.compile(&next()).unwrap();
    let (x, y) = (counting(N), Buffer::<i32>::new(N));
    launch(&module, &[&x, &y], N).unwrap();
    drop((module, vc4));
    pi.assert_all_given_back();
    assert_eq!(y.to_vec(), from(1, N));
    let other = Pi::emulated();
    let vc4 = device(&other);
    let module = vc4.compile(&next()).unwrap();
    launch(&module, &[&y, &x], N).unwrap();
    assert_eq!(x.to_vec(), from(2, N));
}

#[test]
fn a_buffer_goes_from_one_board_to_another() {
    let pis = [Pi::emulated(), Pi::emulated()];
    let devices = pis.each_ref().map(device);
    let modules = devices.each_ref().map(|d| d.compile(&in_place()).unwrap());
    let x = counting(N);
    for turn in 0..4 {
        launch(&modules[turn % 2], &[&x], N).unwrap();
    }
    assert_eq!(x.to_vec(), from(4, N));
    drop((modules, devices));
    pis.iter().for_each(Pi::assert_all_given_back);
}

/// Launches whose buffers stay on the GPU, are read, written, and short of memory; the elements behind each that went well.
fn session(pi: &Pi, seen: &mut Vec<(i32, Result<(), Fault>)>) {
    let vc4 = device(pi);
    let module = vc4.compile(&in_place()).unwrap();
    let (x, other) = (counting(N), counting(N));
    let mut value = 0;
    for turn in 0..4 {
        let result = launch(&module, &[&x], N);
        value += i32::from(result.is_ok());
        if turn == 1 {
            let _ = launch(&module, &[&other], N);
        }
        if turn > 1 {
            assert_eq!(x.to_vec(), from(value, N), "turn {turn}: {result:?}");
        }
        seen.push((value, result));
    }
    assert_eq!(x.to_vec(), from(value, N));
    let first = other.get(0);
    assert_eq!(other.to_vec(), from(first, N));
}

#[test]
fn whatever_is_refused_during_launches_buffers_hold_what_they_held() {
    let pi = Pi::emulated();
    let opened = {
        drop(device(&pi));
        pi.steps()
    };
    let pi = Pi::emulated();
    session(&pi, &mut Vec::new());
    let steps = pi.steps();
    let mut faults = 0;
    for step in opened..steps {
        for kernel in [true, false] {
            // Opening takes these steps but the last, which switches off.
            let pi = Pi::with(|s| {
                s.program = Pi::emulated().state().program.clone();
                if kernel { s.fail_at = Some(step) } else { s.refuse_at = Some(step) }
            });
            let mut seen = Vec::new();
            session(&pi, &mut seen);
            faults += seen.iter().filter(|(_, result)| result.is_err()).count();
        }
    }
    assert!(faults > 5, "{faults} faults in {} steps", steps - opened);
}

#[test]
fn runs_that_exchange_buffers_find_them_on_the_gpu() {
    for runs in [Runs::Apart, Runs::Together] {
        let pi = Pi::emulated();
        let vc4 = device(&pi);
        let module = vc4.compile(&next()).unwrap();
        let (x, y) = (counting(N), Buffer::<i32>::new(N));
        let args = [Argument::from(&x), Argument::from(&y)];
        let options = LaunchOptions {
            workers: 4,
            extent: vec![N as u32],
            repeat: 5,
            swap: Some((0, 1)),
            runs,
            ..Default::default()
        };
        module.launch(&args, &options).unwrap();
        let back = pi.state().copied.1;
        launch(&module, &[&y, &x], N).unwrap();
        assert_eq!((back, pi.state().copied.1), (0, 0), "{runs:?}");
        assert_eq!((y.to_vec(), x.to_vec()), (from(5, N), from(6, N)), "{runs:?}");
    }
}
