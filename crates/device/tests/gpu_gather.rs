//! Buffers that groups gather, on two software drivers: sums, the least and the most, bins. Integers and whole numbers must come out as
//! in the interpreter, whatever the order.
#![cfg(feature = "gpu")]

use quadra_device::{Argument, Buffer, Device, Element, LaunchOptions, open};
use quadra_kir::{Fault, FaultKind, Kernel, parse};
use std::sync::Arc;

fn drivers() -> Vec<Arc<dyn Device>> {
    let found = quadra_base::testing::gpus().into_iter().map(open);
    found.filter_map(|d| d.map_err(|why| quadra_base::testing::left_out(why.message)).ok()).collect()
}

fn kernel(text: &str) -> Kernel {
    parse::kernel("gather.kir", text).unwrap_or_else(|d| panic!("{}: {text}", d[0].message))
}

/// Runs a kernel on two buffers and gives the second one.
fn run<X: Element, Y: Element>(
    device: &dyn Device,
    kernel: &Kernel,
    (x, y): (&[X], &[Y]),
    extent: &[u32],
) -> Result<Vec<Y>, Fault> {
    let (x, y) = (Buffer::from(x.to_vec()), Buffer::from(y.to_vec()));
    let module = device.compile(kernel).unwrap_or_else(|d| panic!("{kernel}: {}", d[0].message));
    let options = LaunchOptions { extent: extent.to_vec(), ..LaunchOptions::default() };
    let launched = module.launch(&[Argument::from(&x), Argument::from(&y)], &options);
    let after = y.to_vec();
    launched.map(|_| after)
}

/// Compares with the interpreter on extents that do and do not fill groups.
fn same<X: Element, Y: Element + PartialEq + std::fmt::Debug>(text: &str, make: impl Fn(u32) -> X, y: &[Y]) {
    let kernel = kernel(text);
    let extents: &[&[u32]] = match kernel.over {
        1 => &[&[1], &[255], &[4096], &[70_001]],
        _ => &[&[3, 5], &[300, 201]],
    };
    for extent in extents {
        let x: Vec<X> = (0..extent.iter().product()).map(&make).collect();
        let want = run(&*open("interp").expect("always there"), &kernel, (&x, y), extent).expect("it runs");
        for device in drivers() {
            let got = run(&*device, &kernel, (&x, y), extent).expect("it runs");
            assert_eq!(got, want, "{}, {extent:?}: {text}", device.about());
        }
    }
}

fn scattered(n: u32) -> u32 {
    n.wrapping_mul(0x9e37_79b9) ^ n >> 3
}

#[test]
fn one_element() {
    for op in ["add", "sub", "mul", "min", "max", "and", "or", "xor"] {
        let text = format!(
            "kernel @k(%x: buf<i32, r>, %y: buf<i32, rw>) simt group=16 over=1 {{
            %i = item 0 %v = load %x[%i] %o = atomic.{op} %y[0], %v }}"
        );
        same(&text, |n| (scattered(n) | 1).cast_signed(), &[77_i32]);
    }
    for op in ["add", "sub", "min", "max"] {
        let text = format!(
            "kernel @k(%x: buf<f32, r>, %y: buf<f32, rw>) simt group=16 over=1 {{
            %i = item 0 %v = load %x[%i] %o = atomic.{op} %y[0], %v }}"
        );
        same(&text, |n| f32::from(scattered(n) as u8) - 100.0, &[-3.0_f32]);
    }
}

#[test]
fn sums_that_only_some_items_add_to_over_two_axes() {
    let text = "kernel @k(%x: buf<f32, r>, %y: buf<f32, rw>) simt group=16 over=2 {
        %i = item 0 %j = item 1 %m = extent 1 %r = mul %i, %m %at = add %r, %j %v = load %x[%at]
        %c = cmp.gt %v, 2.0
        if %c { %w = mul %v, %v %o = atomic.add %y[0], %w return }
        for %k in 0..5 { %o = atomic.add %y[0], 0.5 } }";
    same(text, |n| (scattered(n) % 8) as f32, &[1.0_f32]);
}

#[test]
fn bins_of_any_number() {
    for bins in [7_u32, 256, 5000] {
        let text = format!(
            "kernel @k(%x: buf<i32, r>, %y: buf<i32, rw>) simt group=16 over=1 {{
            %i = item 0 %v = load %x[%i] %a = and %v, 0xffff %b = mod %a, {bins} %o = atomic.add %y[%b], 1
            %c = shr %v, 16 %d = mod %c, {bins} %q = atomic.add %y[%d], 3 }}"
        );
        same(&text, |n| scattered(n).cast_signed(), &vec![5_i32; bins as usize]);
        let text = format!(
            "kernel @k(%x: buf<i32, r>, %y: buf<f32, rw>) simt group=16 over=1 {{
            %i = item 0 %v = load %x[%i] %a = and %v, 0xff %w = to.f32 %a %b = and %v, 0xffff %c = mod %b, {bins}
            %o = atomic.max %y[%c], %w }}"
        );
        same(&text, |n| scattered(n).cast_signed(), &vec![5_f32; bins as usize]);
    }
}

#[test]
fn old_values_that_somebody_reads_are_right() {
    // Each item counts at the place that its old value names: if no value comes twice, all places count one.
    let text = "kernel @k(%x: buf<i32, rw>, %y: buf<i32, rw>) simt group=16 over=1 {
        %i = item 0 %o = atomic.add %y[0], 1 %p = atomic.add %x[%o], 1 }";
    same(text, |_| 0, &[0_i32]);
}

#[test]
fn faults_change_nothing() {
    let text = "kernel @k(%x: buf<i32, r>, %y: buf<i32, rw>) simt group=16 over=1 {
        %i = item 0 %v = load %x[%i] %o = atomic.add %y[%v], 1 }";
    let kernel = kernel(text);
    let x: Vec<i32> = (0..60_000).map(|n| if n == 41_234 { 256 } else { n % 256 }).collect();
    for name in quadra_base::testing::gpus().into_iter().chain(["cpu"]) {
        let Ok(device) = open(name) else { continue };
        let (bins, data) = (Buffer::from(vec![9_i32; 256]), Buffer::from(x.clone()));
        let module = device.compile(&kernel).unwrap_or_else(|d| panic!("{}", d[0].message));
        let options = LaunchOptions { extent: vec![60_000], ..LaunchOptions::default() };
        let fault =
            module.launch(&[Argument::from(&data), Argument::from(&bins)], &options).expect_err("one is outside");
        assert!(matches!(fault.kind, FaultKind::OutOfBounds { index: 256, .. }), "{fault:?}");
        assert_eq!(bins.to_vec(), [9; 256], "{name}");
    }
}

/// Runs a kernel over extents that tiles do and do not divide, on buffers of so many numbers of which the last is the output.
fn tiled(text: &str, sizes: &[usize], extents: &[&[u32]], scalars: &[i32]) {
    let kernel = kernel(text);
    for extent in extents {
        let run = |device: &dyn Device| {
            let number = |n: usize| (scattered(n as u32) % 64) as f32 / 8.0 - 3.7;
            let buffers: Vec<Buffer<f32>> =
                sizes.iter().map(|&n| Buffer::from((0..n).map(number).collect::<Vec<_>>())).collect();
            let scalars = scalars.iter().map(|&n| Argument::from(n));
            let args: Vec<Argument> = buffers.iter().map(Argument::from).chain(scalars).collect();
            let module = device.compile(&kernel).unwrap_or_else(|d| panic!("{kernel}: {}", d[0].message));
            let options = LaunchOptions { extent: extent.to_vec(), ..LaunchOptions::default() };
            module.launch(&args, &options).unwrap_or_else(|f| panic!("{extent:?} {f:?}: {text}"));
            buffers.last().map(Buffer::to_vec)
        };
        let want = run(&*open("interp").expect("always there"));
        for device in drivers() {
            assert!(run(&*device) == want, "{}, {extent:?}: {text}", device.about());
        }
    }
}

#[test]
fn products_of_matrices() {
    let text = "kernel @k(%a: buf<f32, r>, %b: buf<f32, r>, %c: buf<f32, w>, %n: i32) simt group=16 over=2 {
        %i = item 0 %j = item 1 %w = extent 1
        %s = for %k in 0..%n (%t: f32 = 0.0) {
            %p = mul %i, %n %q = add %p, %k %u = load %a[%q]
            %r = mul %k, %w %x = add %r, %j %v = load %b[%x]
            %y = mul %u, %v %z = add %t, %y yield %z }
        %o = mul %i, %w %at = add %o, %j store %c[%at], %s }";
    let extents: &[&[u32]] = &[&[200, 164], &[131, 203], &[1, 30_000], &[30_000, 1], &[7, 5]];
    let most = 30_011 * 9;
    tiled(text, &[most, most, 33_000], extents, &[9]);
}

#[test]
fn filters_with_taps_branches_and_inner_loops() {
    // The border continues, some items take another branch, and taps are shared along both axes.
    let text = "kernel @k(%a: buf<f32, r>, %taps: buf<f32, r>, %c: buf<f32, w>, %n: i32) simt group=16 over=2 {
        %i = item 0 %j = item 1 %h = extent 0 %w = extent 1 %l = sub %h, 1
        %s, %m = for %k in 0..%n (%t: f32 = 0.0, %big: f32 = 1.0) {
            %d = add %i, %k %e = min %d, %l %r = mul %e, %w %x = add %r, %j %v = load %a[%x]
            %f = load %taps[%k] %g = cmp.gt %f, 0.5
            %u = if %g { %y = mul %v, %f yield %y } else { yield %f }
            %q = cmp.gt %v, 1.0
            %z = if %q { %y = add %u, %v yield %y } else { yield %u }
            %inner = for %e2 in 0..2 (%b2: f32 = %f) { %b3 = mul %b2, 0.75 yield %b3 }
            %new = add %t, %z %more = mul %big, %inner yield %new, %more }
        %o = mul %i, %w %at = add %o, %j %sum = add %s, %m store %c[%at], %sum }";
    let extents: &[&[u32]] = &[&[160, 128], &[151, 133], &[3, 4000]];
    tiled(text, &[30_000, 8, 30_000], extents, &[5]);
}

#[test]
fn what_is_stored_under_another_name_is_seen() {
    // Every item reads what it is about to write, under two names of one buffer: nobody may compute it twice.
    let text = "kernel @k(%a: buf<f32, r>, %c: buf<f32, rw>, %n: i32) simt group=16 over=1 {
        %i = item 0 %v = load %a[%i]
        %s = for %k in 0..%n (%t: f32 = %v) { %f = load %a[0] %y = add %t, 1.0 yield %y }
        store %c[%i], %s }";
    let kernel = kernel(text);
    for device in drivers() {
        let both = Buffer::from(vec![2.0_f32; 20_001]);
        let module = device.compile(&kernel).unwrap_or_else(|d| panic!("{}", d[0].message));
        let options = LaunchOptions { extent: vec![20_001], ..LaunchOptions::default() };
        let args = [Argument::from(&both), Argument::from(&both), Argument::from(3)];
        // A device may refuse that.
        if module.launch(&args, &options).is_ok() {
            assert!(both.to_vec().iter().all(|v| *v == 5.0), "{}", device.about());
        }
    }
}
