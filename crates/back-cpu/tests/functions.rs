//! Functions of floats on this processor are `kir::eval`'s to the bit, for arguments from all over the range, with this processor's
//! vectors and with fewer.
//! `STRIDE=1 cargo test --release -p quadra-back-cpu --test functions` takes all numbers of single precision.

use quadra_back_cpu::Program;
use quadra_kir::{Arg, Arithmetic, Const, Elem, Launch, Memory, MemoryBuffer, Op, eval, parse};
use quadra_llvm::{Level, Llvm};
use std::sync::Arc;

/// Arguments at a time.
const ITEMS: u64 = 1 << 18;

/// The functions that no instruction computes.
fn functions() -> impl Iterator<Item = Op> {
    use Op::*;
    let all = [Exp, Exp2, Log, Log2, Sin, Cos, Tan, Asin, Acos, Atan, Atan2, Sinh, Cosh, Tanh, Pow];
    all.into_iter().chain([Rem, Mod, Round, Rsqrt, Floor, Ceil, Trunc])
}

fn processors() -> Vec<(&'static str, Arc<Llvm>)> {
    let Ok(llvm) = Llvm::get() else {
        quadra_base::testing::left_out("libLLVM is not installed");
        return Vec::new();
    };
    vec![
        ("this processor", llvm.clone()),
        ("avx2", llvm.limited(Level::Avx2)),
        ("baseline", llvm.limited(Level::Baseline)),
    ]
}

/// Numbers without order, the same each time.
fn scattered(n: u64) -> u64 {
    let x = (n ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (x ^ x >> 29).wrapping_mul(0x94d0_49bb_1331_11eb)
}

/// The bits of an argument of moderate size, or of any.
fn argument(n: u64, elem: Elem) -> u64 {
    let x = scattered(n);
    let unit = (x >> 11) as f64 / (1u64 << 53) as f64;
    let moderate = (unit * 2.0 - 1.0) * [1.0, 4.0, 90.0, 1e5][x as usize % 4];
    match (elem, n % 3) {
        (Elem::F64, 0) => x,
        (Elem::F64, _) => moderate.to_bits(),
        (_, 0) => x >> 32,
        _ => u64::from((moderate as f32).to_bits()),
    }
}

/// Runs `function` on these arguments and demands the interpreter's results.
fn compare(llvm: &Arc<Llvm>, what: &str, op: Op, elem: Elem, a: &[u64], b: &[u64]) {
    let name = elem.name();
    let second = if op.info().arity == Some(2) { ", %y" } else { "" };
    let text = format!(
        "kernel @k(%a: buf<{name}, r>, %b: buf<{name}, r>, %out: buf<{name}, w>) simt group=16 over=1 {{
           %i = item 0 %x = load %a[%i] %y = load %b[%i] %z = {} %x{second} store %out[%i], %z }}",
        op.mnemonic()
    );
    let kernel = parse::kernel("t.kir", &text).expect("the test's kernel parses");
    let program = Program::new(llvm, &kernel);
    let bytes = elem.bytes() as usize;
    let buffer = |x: &[u64]| MemoryBuffer {
        elem,
        dims: vec![x.len() as u32],
        bytes: x.iter().flat_map(|x| x.to_le_bytes()[..bytes].to_vec()).collect(),
    };
    let mut memory = Memory { buffers: vec![buffer(a), buffer(b), buffer(a)] };
    let mut launch = Launch::new((0..3).map(Arg::Buffer).collect());
    launch.extent = vec![a.len() as u32];
    program.run(&mut memory, &launch, &mut |_| {}).expect("every item lies inside");
    let real = |bits: u64| if elem == Elem::F64 { f64::from_bits(bits) } else { f32::from_bits(bits as u32).into() };
    for (n, got) in memory.buffers[2].bytes.chunks(bytes).enumerate() {
        let mut word = [0; 8];
        word[..bytes].copy_from_slice(got);
        let got = u64::from_le_bytes(word);
        let want = eval::lane(op, elem, &[a[n], b[n], 0], Arithmetic::Nearest);
        let same = got == want || real(got).is_nan() && real(want).is_nan();
        let (x, y) = (real(a[n]), real(b[n]));
        assert!(same, "{} of {x:e}, {y:e} ({name}, {what}) is {:e}, not {:e}", op.mnemonic(), real(want), real(got));
    }
}

#[test]
fn functions_are_the_same_on_every_processor() {
    let ends = [
        0.0,
        1.0,
        0.5,
        0.414,
        2.0,
        9.0,
        88.7,
        104.0,
        128.0,
        149.5,
        823_549.0,
        1e30,
        3e38,
        f32::INFINITY,
        f32::NAN,
        1e-45,
    ];
    let ends: Vec<f32> = ends.into_iter().flat_map(|x| [x, -x]).collect();
    for (what, llvm) in processors() {
        for op in functions() {
            for elem in [Elem::F32, Elem::F64] {
                let bits = |x: f32| if elem == Elem::F64 { f64::from(x).to_bits() } else { x.to_bits().into() };
                let (mut a, mut b): (Vec<u64>, Vec<u64>) = ends
                    .iter()
                    .flat_map(|x| ends.iter().map(move |y| (*x, *y)))
                    .map(|(x, y)| (bits(x), bits(y)))
                    .unzip();
                a.extend((0..30_000).map(|n| argument(n, elem)));
                b.extend((0..30_000).map(|n| argument(n + 1_000_000, elem)));
                compare(&llvm, what, op, elem, &a, &b);
            }
        }
    }
}

#[test]
fn functions_of_single_numbers_are_the_interpreters() {
    let Some((what, llvm)) = processors().into_iter().next() else { return };
    let stride: u64 = std::env::var("STRIDE").ok().and_then(|s| s.parse().ok()).unwrap_or(40_961);
    for op in functions().filter(|op| op.info().arity == Some(1)) {
        let mut all = (0..1 << 32).step_by(stride as usize);
        loop {
            let some: Vec<u64> = all.by_ref().take(ITEMS as usize).collect();
            if some.is_empty() {
                break;
            }
            compare(&llvm, what, op, Elem::F32, &some, &some);
        }
    }
}

/// Numbers by which others are divided: with reciprocals that are exact, rounded up and rounded down, the least and largest of a
/// binade, at either end of those that products take the place of, and beyond.
const DIVISORS: [f32; 22] = [
    3.0,
    -7.0,
    255.0,
    0.1,
    1.5,
    9.0,
    1.000_000_1,
    1.999_999_9,
    -1.999_999_8,
    1e-13,
    5.6e-14,
    1.7e13,
    1.8e13,
    1e30,
    -1e-30,
    1e-40,
    4.0,
    f32::MAX,
    0.0,
    -0.0,
    f32::INFINITY,
    f32::NAN,
];

/// Divides floats with these bits, or these integers, by one number, which is a constant of the kernel or a parameter.
fn compare_quotients(llvm: &Arc<Llvm>, what: &str, by: f32, (constant, whole): (bool, bool), x: &[u32]) {
    let divisor = if constant { format!("{by:?}") } else { "%c".into() };
    let (elem, number) = if whole { ("i32", "%n = to.f32 %x") } else { ("f32", "%n = add %x, -0.0") };
    let text = format!(
        "kernel @k(%a: buf<{elem}, r>, %out: buf<f32, w>, %c: f32) simt group=16 over=1 {{
           %i = item 0 %x = load %a[%i] {number} %z = div %n, {divisor} store %out[%i], %z }}"
    );
    let kernel = parse::kernel("t.kir", &text).expect("the test's kernel parses");
    let bytes: Vec<u8> = x.iter().flat_map(|x| x.to_le_bytes()).collect();
    let buffer = |elem| MemoryBuffer { elem, dims: vec![x.len() as u32], bytes: bytes.clone() };
    let mut memory = Memory { buffers: vec![buffer(if whole { Elem::I32 } else { Elem::F32 }), buffer(Elem::F32)] };
    let mut launch = Launch::new(vec![Arg::Buffer(0), Arg::Buffer(1), Arg::Scalar(Const::f32(by))]);
    launch.extent = vec![x.len() as u32];
    Program::new(llvm, &kernel).run(&mut memory, &launch, &mut |_| {}).expect("every item lies inside");
    for (x, got) in x.iter().zip(memory.buffers[1].bytes.chunks(4)) {
        let got = f32::from_le_bytes([got[0], got[1], got[2], got[3]]);
        let number = if whole { *x as i32 as f32 } else { f32::from_bits(*x) };
        let want = number / by;
        let same = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
        assert!(same, "{number:e} / {by:e} ({what}, constant: {constant}) is {want:e}, not {got:e}");
    }
}

#[test]
fn quotients_by_one_number_are_rounded_once() {
    let near = |bits: u32| (-40..40).map(move |d: i32| bits.wrapping_add_signed(d));
    // The ends of what products are right for, of binades, and of all numbers.
    let ends = [2f32.powi(-80), 2f32.powi(82), 2f32.powi(83), f32::MIN_POSITIVE, f32::MAX, 1.0, 2.0, 0.0];
    let ends: Vec<u32> = ends.iter().flat_map(|x| near(x.to_bits()).chain(near((-x).to_bits()))).collect();
    // Vectors with and without moderate numbers.
    let scattered = (0..40_000).map(|n| argument(n / 32 * 64 + n % 32, Elem::F32) as u32);
    let all: Vec<u32> = ends.iter().copied().chain(scattered).chain(ends.iter().map(|x| x >> 1)).collect();
    for (what, llvm) in processors() {
        for by in DIVISORS {
            for constant in [true, false].into_iter().filter(|constant| !constant || by.is_finite()) {
                for whole in [false, true] {
                    compare_quotients(&llvm, what, by, (constant, whole), &all);
                }
            }
        }
    }
}

#[test]
fn quotients_of_all_integers() {
    let Some((what, llvm)) = processors().into_iter().next() else { return };
    let stride: u64 = std::env::var("STRIDE").ok().and_then(|s| s.parse().ok()).unwrap_or(16_381);
    for by in DIVISORS {
        let mut all = (0..1 << 32).step_by(stride as usize).map(|n: u64| n as u32);
        loop {
            let some: Vec<u32> = all.by_ref().take(ITEMS as usize).collect();
            if some.is_empty() {
                break;
            }
            compare_quotients(&llvm, what, by, (by.is_finite(), true), &some);
        }
    }
}
