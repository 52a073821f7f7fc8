//! Shaders on two software drivers: what the interpreter computes, bit for bit, on the GPU itself. Mesa's has all types; the one
//! of Chromium has no 64-bit numbers, and groups of 256 items.
#![cfg(feature = "gpu")]

use quadra_device::{Argument, Buffer, Device, LaunchOptions, gpu, open};
use quadra_kir::{Access, Builder, Const, Elem, FaultKind, Kernel, Mode, Op, parse};
use std::sync::{Arc, Mutex, PoisonError};

/// Launches are counted for the whole process, so tests that look at the counts run one at a time.
static COUNTED: Mutex<()> = Mutex::new(());

fn drivers() -> Vec<Arc<dyn Device>> {
    let found = quadra_base::testing::gpus().into_iter().map(open);
    found.filter_map(|d| d.map_err(|why| quadra_base::testing::left_out(why.message)).ok()).collect()
}

/// Whether a GPU has what elementary functions take.
fn is_wide(device: &dyn Device) -> bool {
    device.caps().float64 && device.caps().int64
}

/// Tests that run on every driver.
macro_rules! on_every_driver {
    ($($name:ident)*) => {
        mod on_every_driver {
            $(#[test]
            fn $name() {
                super::drivers().into_iter().for_each(super::$name);
            })*
        }
    };
}
on_every_driver! {
    operations_equal_the_interpreter
    elementary_functions_equal_the_interpreter
    products_and_sums_are_not_contracted
    what_is_infinite_is_looked_at
    comparisons_know_what_is_no_number_and_choices_the_sign_of_zero
    doubles_become_floats_and_back_below_the_least_normal_number
    loops_branches_and_axes
    shared_arrays_barriers_and_sums_in_one_step
    a_fault_is_the_processors_and_changes_nothing
    an_endless_loop_ends
    items_that_leave_a_loop_keep_their_values
    wrong_claims_are_tested
    items_without_fuel_touch_nothing_behind_their_loop
    items_whose_assertion_fails_stay_inside
    what_shaders_do_not_do_is_refused
}

fn kernel(text: &str) -> Kernel {
    parse::kernel("test.kir", text).expect("the kernel parses")
}

fn over(extent: &[u32]) -> LaunchOptions {
    LaunchOptions { extent: extent.to_vec(), ..LaunchOptions::default() }
}

/// Runs on both and compares buffers; the GPU must have run it itself.
fn same<T: quadra_device::Element + PartialEq + std::fmt::Debug>(
    device: &Arc<dyn Device>,
    kernel: &Kernel,
    buffers: &[Vec<T>],
    scalars: &[Const],
    extent: &[u32],
) {
    let _one = COUNTED.lock().unwrap_or_else(PoisonError::into_inner);
    let run = |device: &dyn Device| {
        let data: Vec<Buffer<T>> = buffers.iter().map(|b| Buffer::from(b.clone())).collect();
        let scalars = scalars.iter().map(|c| Argument::Scalar(*c));
        let args: Vec<Argument> = data.iter().map(Argument::from).chain(scalars).collect();
        let module = device.compile(kernel).unwrap_or_else(|d| panic!("{}: {:?}", kernel.name, d));
        module.launch(&args, &over(extent)).unwrap_or_else(|f| panic!("{}: {f:?}", kernel.name));
        data.iter().map(Buffer::to_vec).collect::<Vec<_>>()
    };
    let before = gpu::counts();
    let got = run(&**device);
    assert_eq!(gpu::counts(), gpu::Counts { here: before.here + 1, ..before }, "`{}` ran elsewhere", kernel.name);
    let want = run(&*open("interp").expect("the interpreter is always there"));
    assert_eq!(got, want, "{}", kernel.name);
}

/// `z[i] = op(x[i], y[i])`, the result as 32 bits.
fn lanewise(elem: Elem, op: Op) -> Option<Kernel> {
    let mut b = Builder::new(op.mnemonic());
    let [x, y] = ["x", "y"].map(|name| b.buffer(name, Elem::I32, 1, Access::Read));
    let z = b.buffer("z", Elem::I32, 1, Access::Write);
    b.set_over(1);
    let i = b.axis(Op::Item, 0);
    let mut args: Vec<_> = [x, y].map(|p| b.load(p, Mode::Unchecked, &[i])).into();
    if elem == Elem::F32 {
        args.iter_mut().for_each(|v| *v = b.op(Op::BitsF32, &[*v]));
    }
    args.truncate(op.info().arity?);
    let value = b.op(op, &args);
    let value = match b.kernel().ty(value).elem {
        Elem::F32 => b.op(Op::BitsI32, &[value]),
        Elem::Bool => b.op(Op::ToI32, &[value]),
        _ => value,
    };
    b.store(z, Mode::Unchecked, &[i], value);
    Some(b.finish())
}

fn operations_equal_the_interpreter(device: Arc<dyn Device>) {
    use Op::*;
    let whole = [0, 1, -1, 2, 3, 7, -7, 31, 32, 33, 100, -100, i32::MAX, i32::MIN, i32::MIN + 1, 0x12345678];
    let pairs: Vec<(i32, i32)> = whole.iter().flat_map(|&a| whole.map(|b| (a, b))).collect();
    let split = |pairs: &[(i32, i32)]| -> Vec<Vec<i32>> {
        vec![pairs.iter().map(|p| p.0).collect(), pairs.iter().map(|p| p.1).collect(), vec![0; pairs.len()]]
    };
    let ints = [
        Add, Sub, Mul, Div, Rem, Mod, Min, Max, MinU, MaxU, Neg, Abs, And, Or, Xor, Not, AndNot, Shl, Shr, Asr, Ror,
        Clz, CmpEq, CmpNe, CmpLt, CmpLe, CmpGt, CmpGe, CmpLtU, CmpLeU, CmpGtU, CmpGeU, ToF32,
    ];
    for op in ints {
        let kernel = lanewise(Elem::I32, op).expect("it has a number of operands");
        same(&device, &kernel, &split(&pairs), &[], &[pairs.len() as u32]);
    }
    let reals = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        1.5,
        2.5,
        -2.5,
        0.1,
        3.0,
        -7.25,
        1e10,
        -3e9,
        2147483648.0,
        1e-30,
        3.4e38,
        0.49999997,
        8388609.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
    ];
    let pairs: Vec<(i32, i32)> =
        reals.iter().flat_map(|&a| reals.map(|b| (a.to_bits() as i32, b.to_bits() as i32))).collect();
    let floats = [
        Add, Sub, Mul, Div, Min, Max, Neg, Abs, Floor, Ceil, Trunc, Round, Sqrt, Rsqrt, Recip, CmpEq, CmpNe, CmpLt,
        CmpLe, CmpGt, CmpGe, ToI32,
    ];
    // A result that is no number has any bits.
    let quiet = |op: Op, a: f32, b: f32| match op {
        Add => (a + b).is_nan(),
        Sub => (a - b).is_nan(),
        Mul => (a * b).is_nan(),
        Div => (a / b).is_nan(),
        CmpEq | CmpNe | CmpLt | CmpLe | CmpGt | CmpGe | ToI32 => false,
        _ => a.is_nan() || b.is_nan(),
    };
    for op in floats.into_iter().filter(|op| *op != Rsqrt || is_wide(&*device)) {
        let kernel = lanewise(Elem::F32, op).expect("it has a number of operands");
        let real = |bits: i32| f32::from_bits(bits as u32);
        // Where the driver makes them 0, results that are not normal differ.
        let small = |x: f32| x != 0.0 && x.abs() < f32::MIN_POSITIVE;
        let flushed = |a: f32, b: f32| match op {
            Mul => small(a * b),
            Div => small(a / b),
            Recip => small(1.0 / a),
            _ => small(a) || small(b),
        };
        let keeps = !device.about().contains("below 2^-126");
        let fine = |a: f32, b: f32| !quiet(op, a, b) && (keeps || !flushed(a, b));
        let fine: Vec<_> = pairs.iter().copied().filter(|&(a, b)| fine(real(a), real(b))).collect();
        same(&device, &kernel, &split(&fine), &[], &[fine.len() as u32]);
    }
}

/// Two roundings, where contraction would make one.
fn products_and_sums_are_not_contracted(device: Arc<dyn Device>) {
    let text = "kernel @f(%x: buf<f32, r>, %y: buf<f32, w>, %c: f32) simt group=16 over=1 {
        %i = item 0  %a = load %x[%i]  %b = mul %a, %a  %d = sub %b, %c  %e = mul %d, %a  %f = add %e, %d
        store %y[%i], %f }";
    let x: Vec<f32> = (0..5000).map(|i| 1.0 + i as f32 * 1.234e-4).collect();
    same(&device, &kernel(text), &[x.clone(), x], &[Const::f32(1.1)], &[5000]);
}

/// 0 times what is infinite is no number, nor is what is infinite less itself, whatever a driver knows of 0 and of differences.
fn what_is_infinite_is_looked_at(device: Arc<dyn Device>) {
    let _one = COUNTED.lock().unwrap_or_else(PoisonError::into_inner);
    let text = "kernel @k(%x: buf<f32, r>, %y: buf<i32, w>) simt group=16 over=1 {
        %i = item 0 %v = load %x[%i] %at = mul %i, 5
        %a = mul %v, 0.0 %b = mul -0.0, %v %c = sub %v, %v %d = div 0.0, %v %e = div %v, 0.0
        %na = cmp.ne %a, %a %ia = to.i32 %na store %y[%at], %ia
        %i1 = add %at, 1 %nb = cmp.ne %b, %b %ib = to.i32 %nb store %y[%i1], %ib
        %i2 = add %at, 2 %nc = cmp.ne %c, %c %ic = to.i32 %nc store %y[%i2], %ic
        %i3 = add %at, 3 %nd = cmp.ne %d, %d %id = to.i32 %nd store %y[%i3], %id
        %i4 = add %at, 4 %ne = cmp.ne %e, %e %ie = to.i32 %ne store %y[%i4], %ie }";
    let x = [1.5, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 0.0, -3.0];
    let (from, y) = (Buffer::from(x.to_vec()), Buffer::from(vec![7_i32; 5 * x.len()]));
    let module = device.compile(&kernel(text)).unwrap_or_else(|d| panic!("{}", d[0].message));
    module.launch(&[Argument::from(&from), Argument::from(&y)], &over(&[x.len() as u32])).expect("it runs");
    let want = |x: f32| {
        let same = x;
        [x * 0.0, -0.0 * x, x - same, 0.0 / x, x / 0.0].map(|v| i32::from(v.is_nan()))
    };
    assert_eq!(y.to_vec(), x.into_iter().flat_map(want).collect::<Vec<_>>(), "{}", device.about());
}

/// A driver that takes a comparison and a choice for a minimum, or one comparison for the opposite of another one, differs where one
/// operand is no number, or where both are zeros.
fn comparisons_know_what_is_no_number_and_choices_the_sign_of_zero(device: Arc<dyn Device>) {
    let text = "kernel @special(%x: buf<i32, r>, %y: buf<i32, r>, %z: buf<i32, w>) simt group=16 over=1 {
        %i = item 0 %p = load %x[%i] %q = load %y[%i] %a = bits.f32 %p %b = bits.f32 %q %at = mul %i, 3
        %lt = cmp.lt %a, %b %ge = cmp.ge %a, %b %le = cmp.le %a, %b %ne = cmp.ne %a, %b
        %s0 = select %lt, 1, 2 %s1 = select %ge, 4, 8 %s2 = select %le, 16, 32 %s3 = select %ne, 64, 128
        %t0 = add %s0, %s1 %t1 = add %t0, %s2 %t2 = add %t1, %s3
        %t3 = if %ge { yield %t2 } else { %u = add %t2, 256 yield %u }
        store %z[%at], %t3
        %m = min %a, %b %mn = cmp.ne %m, %m %mb = bits.i32 %m %mv = select %mn, 7, %mb %i1 = add %at, 1 store %z[%i1], %mv
        %n = max %a, %b %nn = cmp.ne %n, %n %nb = bits.i32 %n %nv = select %nn, 7, %nb %i2 = add %at, 2 store %z[%i2], %nv }";
    let special = [0.0, -0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN].map(|x| x.to_bits() as i32);
    let (x, y): (Vec<i32>, Vec<i32>) = special.iter().flat_map(|&a| special.map(|b| (a, b))).unzip();
    let (z, items) = (vec![0; 3 * x.len()], x.len() as u32);
    same(&device, &kernel(text), &[x, y, z], &[], &[items]);
}

/// Below 2^-126, too, where a driver may take one for 0 while it takes it from one size to the other, and keeps it elsewhere.
fn doubles_become_floats_and_back_below_the_least_normal_number(device: Arc<dyn Device>) {
    if !is_wide(&*device) {
        return;
    }
    let text = "kernel @sizes(%x: buf<i32, r>, %y: buf<i32, w>) simt group=16 over=1 {
        %i = item 0 %p = load %x[%i] %a = bits.f32 %p %w = to.f64 %a %at = mul %i, 2
        %s = mul %w, %w %n = to.f32 %s %q = bits.i32 %n store %y[%at], %q
        %big = to.f64 1.2676506e30 %t = mul %w, %big %m = to.f32 %t %r = bits.i32 %m %i1 = add %at, 1 store %y[%i1], %r }";
    let numbers = (0..4000_u32).map(|n| {
        let bits = n.wrapping_mul(0x9e37_79b9);
        // Those whose squares are small, and small ones.
        let exponent = if n % 2 == 0 { 45 + n / 2 % 25 } else { 0 };
        (bits & 0x807f_ffff | exponent << 23) as i32
    });
    let special = [0.0, -0.0, 1.0, f32::INFINITY, f32::NEG_INFINITY, f32::MIN_POSITIVE].map(|x| x.to_bits() as i32);
    let x: Vec<i32> = special.into_iter().chain([1, 0x007f_ffff]).chain(numbers).collect();
    let (y, items) = (vec![7; 2 * x.len()], x.len() as u32);
    same(&device, &kernel(text), &[x, y], &[], &[items]);
}

fn loops_branches_and_axes(device: Arc<dyn Device>) {
    let text = "kernel @collatz(%x: buf<i32, r>, %y: buf<i32, w>, %most: i32) simt group=16 over=1 {
        %i = item 0  %v = load %x[%i]
        %n = for %k in 0..%most (%a: i32 = %v) {
          %one = cmp.le %a, 1
          if %one { break %k } else {}
          %odd = and %a, 1  %is = cmp.ne %odd, 0
          %next = if %is { %t = mul %a, 3  %u = add %t, 1  yield %u } else { %h = asr %a, 1  yield %h }
          yield %next }
        store %y[%i], %n }";
    let x: Vec<i32> = (0..3000).collect();
    same(&device, &kernel(text), &[x.clone(), x], &[Const::i32(300)], &[3000]);
    let text = "kernel @axes(%y: buf<i32, 3, w>) simt group=16 over=3 {
        %i = item 0  %j = item 1  %k = item 2  %a = mul %i, 10000  %b = mul %j, 100  %c = add %a, %b  %v = add %c, %k
        %g = group 2  %l = local 2  %m = mul %g, 16  %n = add %m, %l  %o = sub %n, %k  %w = add %v, %o
        store %y[%i, %j, %k], %w }";
    let device_buffer = |device: &dyn Device| {
        let y = Buffer::<i32>::with_dims(&[3, 5, 41]);
        let module = device.compile(&kernel(text)).expect("it compiles");
        module.launch(&[Argument::from(&y)], &over(&[3, 5, 41])).expect("it runs");
        y.to_vec()
    };
    let _one = COUNTED.lock().unwrap_or_else(PoisonError::into_inner);
    assert_eq!(device_buffer(&*device), device_buffer(&*open("interp").expect("it is there")));
}

fn shared_arrays_barriers_and_sums_in_one_step(device: Arc<dyn Device>) {
    let text = "kernel @turn(%x: buf<i32, r>, %y: buf<i32, w>, %s: shared<i32, 64>) simt group=64 over=1 {
        %i = item 0  %l = local 0  %v = load %x[%i]  store %s[%l], %v  barrier
        %m = sub 63, %l  %w = load %s[%m]  store %y[%i], %w }";
    let x: Vec<i32> = (0..256).collect();
    same(&device, &kernel(text), &[x.clone(), x], &[], &[256]);
    let text = "kernel @bins(%x: buf<i32, r>, %y: buf<i32, rw>) simt group=16 over=1 {
        %i = item 0  %v = load %x[%i]  %b = and %v, 7  %old = atomic.add %y[%b], %v }";
    let x: Vec<i32> = (0..70_000).map(|i| i * 7 % 31).collect();
    same(&device, &kernel(text), &[x, vec![0; 8]], &[], &[70_000]);
}

fn a_fault_is_the_processors_and_changes_nothing(device: Arc<dyn Device>) {
    let text = "kernel @out(%x: buf<i32, rw>) simt group=16 over=1 {
        %i = item 0  store %x[%i], 7 }";
    let fault = |device: &dyn Device| {
        let x = Buffer::from(vec![1i32; 40]);
        let module = device.compile(&kernel(text)).expect("it compiles");
        let fault = module.launch(&[Argument::from(&x)], &over(&[48])).expect_err("eight items are outside");
        assert_eq!(x.to_vec(), [1; 40]);
        (fault.kind, fault.item, fault.lane)
    };
    let _one = COUNTED.lock().unwrap_or_else(PoisonError::into_inner);
    let processor = open("cpu").or_else(|_| open("interp")).expect("the interpreter is always there");
    assert_eq!(fault(&*device), fault(&*processor));
}

fn an_endless_loop_ends(device: Arc<dyn Device>) {
    let text = "kernel @endless(%x: buf<i32, rw>) simt group=16 over=1 {
        %i = item 0  loop () { %v = load %x[%i]  %z = cmp.eq %v, 5  if %z { break } else {}  continue } }";
    let _one = COUNTED.lock().unwrap_or_else(PoisonError::into_inner);
    let x = Buffer::from(vec![1i32; 16]);
    let module = device.compile(&kernel(text)).expect("it compiles");
    let options = LaunchOptions { budget: 1 << 20, ..over(&[16]) };
    let fault = module.launch(&[Argument::from(&x)], &options).expect_err("nobody changes the element");
    assert!(matches!(fault.kind, FaultKind::Budget(_) | FaultKind::Time(_)), "{:?}", fault.kind);
    assert_eq!(x.to_vec(), [1; 16]);
}

/// Items that leave a loop early keep what they found, and what they marked, while others go on.
fn items_that_leave_a_loop_keep_their_values(device: Arc<dyn Device>) {
    let x: Vec<i32> = (0..64).map(|i| i * 7 % 61).collect();
    let found = "kernel @found(%x: buf<i32, r>, %y: buf<i32, rw>) simt group=16 over=1 {
        %i = item 0
        %r = loop (%k: i32 = %i) {
            %m = and %k, 63 %v = load %x[%m] %big = cmp.gt %v, 40 if %big { break %v } %n = add %k, 1 continue %n }
        %s = for %k in 0..64 (%c: i32 = 0) {
            %v = load %x[%k] %same = cmp.eq %k, %i if %same { break %v } yield %c }
        %t = shl %s, 8 %u = add %r, %t store %y[%i], %u }";
    same(&device, &kernel(found), &[x.clone(), vec![0; 64]], &[], &[64]);
    let returns = "kernel @returns(%x: buf<i32, r>, %y: buf<i32, rw>) simt group=16 over=1 {
        %i = item 0
        for %j in 0..3 { for %k in 0..64 {
            %v = load %x[%k] store %y[%i], %v %w = add %i, %j %same = cmp.eq %k, %w if %same { return } } }
        store %y[%i], -1 }";
    same(&device, &kernel(returns), &[x.clone(), vec![0; 64]], &[], &[64]);
    let _one = COUNTED.lock().unwrap_or_else(PoisonError::into_inner);
    // Every sum is seen once.
    let sums = "kernel @sums(%s: buf<f32, rw>, %y: buf<f32, rw>) simt group=16 over=1 {
        %i = item 0 %o = atomic.add %s[0], 1.0 store %y[%i], %o }";
    let (total, seen) = (Buffer::from(vec![0.0_f32]), Buffer::from(vec![0.0_f32; 64]));
    let module = device.compile(&kernel(sums)).expect("it compiles");
    module.launch(&[Argument::from(&total), Argument::from(&seen)], &over(&[64])).expect("it runs");
    let mut seen = seen.to_vec();
    seen.sort_by(f32::total_cmp);
    assert_eq!(seen, (0..64).map(|i| i as f32).collect::<Vec<_>>());
    // One item of many is outside, in an iteration after which it leaves.
    let outside = "kernel @outside(%x: buf<i32, rw>) simt group=16 over=1 {
        %i = item 0
        loop (%k: i32 = 0) {
            %same = cmp.eq %k, %i if %same { %far = add %i, 21 store %x[%far], 1 break } %n = add %k, 1 continue %n } }";
    let data = Buffer::from(x[..36].to_vec());
    let module = device.compile(&kernel(outside)).expect("it compiles");
    let fault = module.launch(&[Argument::from(&data)], &over(&[16])).expect_err("item 15 writes element 36");
    assert!(matches!(fault.kind, FaultKind::OutOfBounds { index: 36, .. }), "{:?}", fault.kind);
    assert_eq!(data.to_vec(), x[..36]);
}

/// A claim that an index lies inside is believed where it follows from the sizes of the launch, and tested elsewhere.
fn wrong_claims_are_tested(device: Arc<dyn Device>) {
    let _one = COUNTED.lock().unwrap_or_else(PoisonError::into_inner);
    let text = "kernel @claims(%x: buf<i32, r>, %y: buf<i32, rw>, %by: i32) simt group=16 over=1 {
        %i = item 0 %v = load.inside %x[%i] %j = add %i, %by store.inside %y[%j], %v }";
    let module = device.compile(&kernel(text)).expect("it compiles");
    let x: Vec<i32> = (0..40).map(|i| i * 3).collect();
    for (by, outside) in [(0, false), (4, false), (5, true), (i32::MAX, true), (-1, true), (-1_000_000, true)] {
        let (data, y) = (Buffer::from(x.clone()), Buffer::from(vec![-7; 44]));
        let args = [Argument::from(&data), Argument::from(&y), Argument::Scalar(Const::i32(by))];
        let ended = module.launch(&args, &over(&[40]));
        assert_eq!(ended.is_err(), outside, "{by}: {ended:?}");
        let want = |j: usize| if j < by as usize || j >= by as usize + 40 { -7 } else { x[j - by as usize] };
        let want: Vec<i32> = (0..44).map(|j| if outside { -7 } else { want(j) }).collect();
        assert_eq!(y.to_vec(), want, "{by}");
    }
}

/// An item that runs out of iterations has no value of its loop, so it makes no access behind it.
fn items_without_fuel_touch_nothing_behind_their_loop(device: Arc<dyn Device>) {
    let _one = COUNTED.lock().unwrap_or_else(PoisonError::into_inner);
    let text = "kernel @spent(%x: buf<i32, rw>) simt group=16 over=1 {
        %i = item 0
        %r = loop () { %v = load %x[%i] %z = cmp.eq %v, 5 if %z { break 200000000 } else {} continue }
        %j = sub %r, 199999999 %k = mul %j, 1 store.inside %x[%k], 9 }";
    let x = Buffer::from(vec![1i32; 16]);
    let module = device.compile(&kernel(text)).expect("it compiles");
    let options = LaunchOptions { budget: 1 << 20, ..over(&[16]) };
    let fault = module.launch(&[Argument::from(&x)], &options).expect_err("nobody changes the element");
    assert!(matches!(fault.kind, FaultKind::Budget(_) | FaultKind::Time(_)), "{:?}", fault.kind);
    assert_eq!(x.to_vec(), [1; 16]);
}

/// What an assertion says of an index holds of items for which it holds; the others go on, and must not leave the array.
fn items_whose_assertion_fails_stay_inside(device: Arc<dyn Device>) {
    let _one = COUNTED.lock().unwrap_or_else(PoisonError::into_inner);
    let text = "kernel @k(%x: buf<i32, rw>, %s: shared<i32, 16>, %n: i32) simt group=16 over=1 {
        %l = local 0 %j = add %l, %n %c = cmp.lt.u %j, 16 assert \"inside\", %c
        store.inside %s[%j], %l barrier %i = item 0 %v = load.inside %s[%l] store %x[%i], %v }";
    let module = device.compile(&kernel(text)).expect("it compiles");
    for far in [i32::MIN, -1_000_000, 1 << 28, i32::MAX] {
        let x = Buffer::from(vec![5; 32]);
        let fault = module.launch(&[Argument::from(&x), Argument::Scalar(Const::i32(far))], &over(&[32]));
        assert!(matches!(fault.expect_err("it fails").kind, FaultKind::Assert { .. }));
        assert_eq!(x.to_vec(), [5; 32]);
    }
}

/// What both devices compute of one function, as bits; nothing of results that are no numbers.
fn results(device: &dyn Device, op: Op, x: &[f32], y: &[f32]) -> Vec<Option<u32>> {
    let kernel = lanewise(Elem::F32, op).expect("it has a number of operands");
    let bits = |v: &[f32]| Buffer::from(v.iter().map(|x| x.to_bits() as i32).collect::<Vec<_>>());
    let (x, y, z) = (bits(x), bits(y), Buffer::from(vec![0_i32; x.len()]));
    let args = [Argument::from(&x), Argument::from(&y), Argument::from(&z)];
    let module = device.compile(&kernel).unwrap_or_else(|d| panic!("{op:?}: {d:?}"));
    module.launch(&args, &over(&[x.len() as u32])).unwrap_or_else(|f| panic!("{op:?}: {f:?}"));
    z.to_vec().iter().map(|&z| Some(z as u32).filter(|&z| !f32::from_bits(z).is_nan())).collect()
}

fn elementary_functions_equal_the_interpreter(device: Arc<dyn Device>) {
    use Op::*;
    let interp = open("interp").expect("the interpreter is always there");
    let _one = COUNTED.lock().unwrap_or_else(PoisonError::into_inner);
    let special = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -3.0, 7.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
    let special = special.into_iter().flat_map(|a| special.map(|b| (a, b)));
    // All exponents of normal numbers up to where sines are far, and a number without a pattern beside each.
    let numbers = (0..6000_u32).map(|i| {
        let bits = i.wrapping_mul(0x9e37_79b9);
        let exponent = 30 + i % 115;
        (f32::from_bits(bits & 0x807f_ffff | exponent << 23), (bits >> 8) as f32 * 1e-6 - 8.0)
    });
    let (x, y): (Vec<_>, Vec<_>) = special.chain(numbers).unzip();
    let before = gpu::counts();
    let mut all = vec![Sin, Cos, Tan, Asin, Acos, Atan, Atan2, Sinh, Cosh, Tanh, Log, Log2, Exp, Exp2, Rem, Mod];
    let (wide, keeps) = (is_wide(&*device), !device.about().contains("below 2^-126"));
    if wide {
        all.push(Pow);
    } else {
        let kernel = lanewise(Elem::F32, Pow).expect("it has operands");
        let why = device.compile(&kernel).err().expect("it takes doubles");
        assert!(why[0].code == "E0870" && why[0].message.contains("takes 64-bit numbers"), "{}", why[0].message);
    }
    // A remainder of a number that is very much larger than the divisor is the processor's, and one by what is not finite.
    let is_near = |(a, b): &(f32, f32)| b.is_finite() && !(a.is_finite() && *b != 0.0 && (a / b).abs() > 8_000_000.0);
    let near: (Vec<f32>, Vec<f32>) = x.iter().copied().zip(y.iter().copied()).filter(is_near).unzip();
    assert!(near.0.len() > 5500);
    for &op in &all {
        let (x, y) = if matches!(op, Rem | Mod) { (&near.0, &near.1) } else { (&x, &y) };
        let (mut got, mut want) = (results(&*device, op, x, y), results(&*interp, op, x, y));
        // Below 2^-126 there may be nothing but 0, sometimes or always.
        let tiny = |b: u32| b & 0x7fff_ffff < 1 << 23;
        if !keeps {
            for found in got.iter_mut().chain(&mut want).filter(|f| f.is_some_and(tiny)) {
                *found = Some(0);
            }
        }
        let differs = got.iter().zip(&want).position(|(a, b)| a != b);
        if let Some(at) = differs {
            panic!("{op:?} of {} and {}: {:x?}, not {:x?}", x[at], y[at], got[at], want[at]);
        }
    }
    assert_eq!(gpu::counts(), gpu::Counts { here: before.here + all.len() as u64, ..before });
    // An argument that is far makes the launch the processor's.
    let far = [1e10, 0.5, -3e30];
    assert_eq!(results(&*device, Sin, &far, &far), results(&*interp, Sin, &far, &far));
    assert_eq!(gpu::counts().elsewhere, before.elsewhere + 1);
    assert_eq!(results(&*device, Mod, &far, &[100.0, 0.37, -7.0]), results(&*interp, Mod, &far, &[100.0, 0.37, -7.0]));
    assert_eq!(gpu::counts().elsewhere, before.elsewhere + 2);
}

fn what_shaders_do_not_do_is_refused(device: Arc<dyn Device>) {
    let vote = "kernel @v(%p: buf<i32, rw>) simt group=64 over=1 {
        %i = item 0 %c = cmp.gt %i, 3 %v = vote.any %c if %v { store %p[%i], 1 } }";
    let why = device.compile(&kernel(vote)).err().expect("only items of a group that is one subgroup vote");
    assert_eq!(why[0].code, "E0870", "{}", why[0].message);
    let none = gpu::named("no such GPU").err().expect("nobody is called so");
    assert_eq!(none.code, "E0730");
}
