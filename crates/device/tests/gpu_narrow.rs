//! Elements of 8 and 16 bits and half floats, on two software drivers as on the interpreter: several stand in a word, and items that
//! change one leave the others alone.
#![cfg(feature = "gpu")]

use quadra_device::{Argument, Buffer, Device, Element, LaunchOptions, f16, gpu, open};
use quadra_kir::{Const, Kernel, parse};
use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};

/// Launches are counted for the whole process, so launches are made one at a time.
static COUNTED: Mutex<()> = Mutex::new(());

fn drivers() -> Vec<Arc<dyn Device>> {
    let found = quadra_base::testing::gpus().into_iter().map(open);
    found.filter_map(|d| d.map_err(|why| quadra_base::testing::left_out(why.message)).ok()).collect()
}

fn kernel(text: &str) -> Kernel {
    parse::kernel("test.kir", text).expect("the kernel parses")
}

/// Launches over `items` on the interpreter and on every driver, which must do it itself: what buffer `y` holds then.
fn run<X: Element, Y: Element>(
    text: &str,
    (x, y): (&[X], &[Y]),
    scalars: &[Const],
    compare: impl Fn(&str, (Vec<X>, Vec<Y>), (Vec<X>, Vec<Y>)),
) {
    let _one = COUNTED.lock().unwrap_or_else(PoisonError::into_inner);
    let kernel = kernel(text);
    let on = |device: &dyn Device| {
        let (x, y) = (Buffer::from(x.to_vec()), Buffer::from(y.to_vec()));
        let scalars = scalars.iter().map(|c| Argument::Scalar(*c));
        let args: Vec<Argument> = [Argument::from(&x), Argument::from(&y)].into_iter().chain(scalars).collect();
        let module = device.compile(&kernel).unwrap_or_else(|d| panic!("{}: {d:?}", kernel.name));
        let options = LaunchOptions { extent: vec![x.len() as u32], ..LaunchOptions::default() };
        module.launch(&args, &options).unwrap_or_else(|f| panic!("{}: {f:?}", kernel.name));
        (x.to_vec(), y.to_vec())
    };
    for device in drivers() {
        let before = gpu::counts();
        let got = on(&*device);
        assert_eq!(gpu::counts(), gpu::Counts { here: before.here + 1, ..before }, "`{}` ran elsewhere", kernel.name);
        compare(device.name(), got, on(&*open("interp").expect("the interpreter is always there")));
    }
}

/// What items leave in an array of words and in one of narrower elements is what the interpreter leaves.
fn same<Y: Element + PartialEq + Debug>(text: &str, x: &[i32], y: &[Y]) {
    run(text, (x, y), &[], |device, got, want| {
        assert_eq!(got.1, want.1, "{device}: {text}");
        assert!(got.0 == want.0, "{device}: the words differ: {text}");
    });
}

#[test]
fn bytes_leave_their_neighbours_alone() {
    let text = "kernel @bytes(%x: buf<i32, r>, %y: buf<i8, w>) simt group=16 over=1 {
        %i = item 0  %v = load %x[%i]  %w = mul %v, 3  %odd = and %i, 1  %is = cmp.ne %odd, 0
        if %is { store %y[%i], %w } else {} }";
    let x: Vec<i8> = (0..1003).map(|i| i as i8).collect();
    same(text, &x.iter().map(|&b| i32::from(b)).collect::<Vec<_>>(), &vec![-5i8; 1003]);
}

#[test]
fn narrow_elements_are_changed_in_one_step() {
    // Nine elements of each word or two, so that items meet in words and in elements; sums wrap at the element's width.
    for op in ["add", "sub", "min", "max", "and", "or", "xor"] {
        let text = |elem: &str, space: &str| {
            format!(
                "kernel @narrow(%x: buf<i32, r>, %y: buf<{elem}, rw>{space}) simt group=16 over=1 {{
                %i = item 0  %v = load %x[%i]  %b = rem %i, 9  %old = atomic.{op} %y[%b], %v }}"
            )
        };
        // A minimum of what the element cannot hold would depend on the order of the items.
        let most = if matches!(op, "min" | "max") { 127 } else { 35_000 };
        let x: Vec<i32> = (0..5_000).map(|i| i * 7919 % (2 * most + 1) - most).collect();
        same(&text("i8", ""), &x, &[100i8; 9]);
        same(&text("i16", ""), &x, &[-3i16; 9]);
    }
    // The old element is what it was before: each number is seen once.
    let text = "kernel @tickets(%x: buf<i32, w>, %y: buf<i16, rw>) simt group=16 over=1 {
        %i = item 0  %b = rem %i, 3  %old = atomic.add %y[%b], 1  %at = mul %old, 3  %to = add %at, %b
        store %x[%to], %old }";
    let x = vec![-1i32; 3000];
    same(text, &x, &[0i16; 3]);
    let text = "kernel @bins(%x: buf<i32, r>, %y: buf<i8, rw>, %s: shared<i8, 8>) simt group=64 over=1 {
        %i = item 0  %l = local 0  %few = cmp.lt %l, 8  if %few { store %s[%l], 0 } else {} barrier
        %v = load %x[%i]  %b = and %v, 7  %old = atomic.add %s[%b], %v  barrier
        if %few { %n = load %s[%l]  %all = atomic.add %y[%l], %n } else {} }";
    same(text, &(0..640).collect::<Vec<i32>>(), &[0i8; 8]);
}

/// Every half float is loaded as the interpreter loads it, and what is stored is rounded alike.
#[test]
fn half_floats_are_computed_from_their_bits() {
    let text = "kernel @halves(%x: buf<f16, r>, %y: buf<f16, w>, %k: f32) simt group=16 over=1 {
        %i = item 0  %v = load %x[%i]  %w = mul %v, %k  store %y[%i], %w }";
    let all: Vec<u16> = (0..=u16::MAX).collect();
    let halves: Vec<f16> = all.iter().map(|b| f16::from_bits(*b)).collect();
    for factor in [1.0f32, 0.333_333, 1.000_5, 1e-4, 70_000.0, -2.5] {
        let none = vec![f16::ZERO; halves.len()];
        run(text, (&halves, &none), &[Const::f32(factor)], |device, (_, got), (_, want)| {
            for ((bits, got), want) in all.iter().zip(got).zip(want) {
                // What bits a NaN has, drivers decide; that it is one, not.
                let alike = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
                assert!(alike, "{device}: {bits:#x} times {factor}");
            }
        });
    }
}
