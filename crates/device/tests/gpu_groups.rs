//! Groups whose items wait for each other, on two software drivers: in loops that they leave together, with fewer items at the end
//! than a group has, and where they run out of iterations.
#![cfg(feature = "gpu")]

use quadra_device::{Argument, Buffer, Device, LaunchOptions, Module, gpu, open};
use quadra_kir::{Const, FaultKind, Kernel, parse};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Launches are counted for the whole process, so tests run one at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn drivers() -> Vec<Arc<dyn Device>> {
    let found = quadra_base::testing::gpus().into_iter().map(open);
    found.filter_map(|d| d.map_err(|why| quadra_base::testing::left_out(why.message)).ok()).collect()
}

fn kernel(text: &str) -> Kernel {
    parse::kernel("test.kir", text).unwrap_or_else(|d| panic!("{}: {text}", d[0].message))
}

fn compiled(device: &dyn Device, text: &str) -> Arc<dyn Module> {
    device.compile(&kernel(text)).unwrap_or_else(|d| panic!("{}: {text}", d[0].message))
}

fn over(extent: &[u32]) -> LaunchOptions {
    LaunchOptions { extent: extent.to_vec(), partial: true, ..LaunchOptions::default() }
}

/// Launches it, and says whether the GPU ran it itself.
fn here(module: &dyn Module, args: &[Argument], extent: &[u32]) -> bool {
    let before = gpu::counts();
    module.launch(args, &over(extent)).unwrap_or_else(|f| panic!("{f:?}"));
    gpu::counts().here > before.here
}

/// A sum by halves, in a loop that ends by a condition; how often it halves follows from an argument.
const TREE: &str =
    "kernel @tree(%x: buf<i32, r>, %y: buf<i32, rw>, %n: i32, %s: shared<i32, 64>) simt group=64 over=1 {
    %i = item 0 %l = local 0 %g = group 0 %v = load %x[%i] store %s[%l], %v barrier
    loop (%half: i32 = %n) {
        %none = cmp.eq %half, 0 if %none { break }
        %mine = cmp.lt %l, %half
        if %mine { %o = add %l, %half %a = load %s[%l] %b = load %s[%o] %c = add %a, %b store %s[%l], %c }
        barrier
        %next = shr %half, 1 continue %next }
    %first = cmp.eq %l, 0 if %first { %t = load %s[0] store %y[%g], %t } }";

#[test]
fn items_leave_a_loop_with_a_barrier_together() {
    let _one = alone();
    let interp = open("interp").expect("the interpreter is always there");
    for device in drivers() {
        let run = |device: &dyn Device, half: i32| {
            let (x, y) =
                (Buffer::from((0..256).map(|i| i * 7 % 31).collect::<Vec<i32>>()), Buffer::from(vec![0_i32; 4]));
            let args = [Argument::from(&x), Argument::from(&y), Argument::Scalar(Const::i32(half))];
            let here = here(&*compiled(device, TREE), &args, &[256]);
            (y.to_vec(), here)
        };
        for half in [32, 1, 0] {
            let ((got, here), (want, _)) = (run(&*device, half), run(&*interp, half));
            assert!(here && got == want, "{half}: {got:?}, not {want:?}");
        }
    }
}

#[test]
fn items_do_not_wait_where_some_may_not_come() {
    let _one = alone();
    // Some leave the loop earlier than others: no device takes that.
    let own = TREE.replace("(%half: i32 = %n)", "(%half: i32 = %l)");
    for device in drivers() {
        assert!(device.compile(&kernel(&own)).is_err());
    }
}

/// Each item counts itself and takes what the last one of its group has.
const REVERSED: &str = "kernel @reversed(%x: buf<i32, r>, %y: buf<i32, w>, %b: buf<i8, w>, %count: buf<i32, rw>,
    %s: shared<i32, 24>) simt group=24 over=1 {
    %i = item 0 %l = local 0 %v = load %x[%i] store %s[%l], %v
    %old = atomic.add %count[0], 1
    barrier
    %first = sub %i, %l %n = extent 0 %left = sub %n, %first %size = min %left, 24 %last = sub %size, 1
    %m = sub %last, %l %w = load %s[%m] store %y[%i], %w store %b[%i], %w
    %sum = loop (%t: i32 = %l, %k: i32 = 0) {
        %far = cmp.gt %k, %l if %far { break %t } %u = add %t, %k %next = add %k, 1 continue %u, %next }
    barrier
    store %s[%l], %sum }";

#[test]
fn the_last_group_may_have_fewer_items() {
    let _one = alone();
    for device in drivers() {
        let module = compiled(&*device, REVERSED);
        for n in [1_usize, 7, 23, 24, 25, 70, 96] {
            let x: Vec<i32> = (0..n as i32).map(|i| i * 3 % 101).collect();
            let (from, y) = (Buffer::from(x.clone()), Buffer::from(vec![-1_i32; n]));
            let (bytes, count) = (Buffer::from(vec![-1_i8; n]), Buffer::from(vec![0_i32]));
            let args = [Argument::from(&from), Argument::from(&y), Argument::from(&bytes), Argument::from(&count)];
            assert!(here(&*module, &args, &[n as u32]), "{n} on {}", device.about());
            let want: Vec<i32> = x.chunks(24).flat_map(|group| group.iter().rev().copied()).collect();
            assert_eq!(y.to_vec(), want, "{n} on {}", device.about());
            assert_eq!(bytes.to_vec(), want.iter().map(|v| *v as i8).collect::<Vec<_>>());
            assert_eq!(count.to_vec(), [n as i32], "nobody who is not there has counted himself");
        }
        // Who does not ask for it gets whole groups, as on every other device.
        let n = Buffer::from(vec![0_i32; 25]);
        let (bytes, count) = (Buffer::from(vec![0_i8; 25]), Buffer::from(vec![0_i32]));
        let args = [
            Argument::from(&n),
            Argument::from(&Buffer::from(vec![0_i32; 25])),
            Argument::from(&bytes),
            Argument::from(&count),
        ];
        let whole = LaunchOptions { partial: false, ..over(&[25]) };
        assert!(matches!(module.launch(&args, &whole).expect_err("25 are no groups").kind, FaultKind::Arguments(_)));
    }
}

#[test]
fn an_endless_loop_with_a_barrier_ends() {
    let _one = alone();
    let text = "kernel @endless(%x: buf<i32, rw>, %n: i32, %s: shared<i32, 64>) simt group=64 over=1 {
        %i = item 0 %l = local 0
        loop (%k: i32 = 1) { %end = cmp.eq %k, %n if %end { break } store %s[%l], %k barrier %m = add %k, 2 continue %m }
        store %x[%i], 7 }";
    for device in drivers() {
        let module = compiled(&*device, text);
        let x = Buffer::from(vec![1_i32; 64]);
        let launch = |n: i32| {
            let options = LaunchOptions { budget: 1 << 20, ..over(&[64]) };
            module.launch(&[Argument::from(&x), Argument::Scalar(Const::i32(n))], &options)
        };
        let fault = launch(0).expect_err("odd numbers are never 0");
        assert!(matches!(fault.kind, FaultKind::Budget(_) | FaultKind::Time(_)), "{:?}", fault.kind);
        assert_eq!(x.to_vec(), [1; 64]);
        launch(9).expect("it ends");
        assert_eq!(x.to_vec(), [7; 64]);
    }
}

/// Items that run out of iterations where others wait go on without what their loop should have given them: what is claimed of that
/// must be tested.
#[test]
fn items_without_fuel_stay_inside() {
    let _one = alone();
    let text = "kernel @spent(%x: buf<i32, r>, %y: buf<i32, rw>, %n: i32, %s: shared<i32, 64>) simt group=64 over=1 {
        %i = item 0 %l = local 0 store %s[%l], %l
        %p = for %k in 0..%n (%at: i32 = -50000000) { %t = add %at, 1 yield %t }
        barrier
        %v = load.inside %x[%p] %w = load %s[%l] %u = add %v, %w store %y[%i], %u }";
    for device in drivers() {
        let module = compiled(&*device, text);
        let (x, y) = (Buffer::from(vec![100_i32; 4]), Buffer::from(vec![0_i32; 64]));
        let args = [Argument::from(&x), Argument::from(&y), Argument::Scalar(Const::i32(50_000_000))];
        module.launch(&args, &over(&[64])).unwrap_or_else(|f| panic!("{f:?}"));
        assert_eq!(y.to_vec(), (100..164).collect::<Vec<_>>());
    }
}
