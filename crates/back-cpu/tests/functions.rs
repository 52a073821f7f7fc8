//! Functions of floats on this processor are `kir::eval`'s to the bit, for arguments from all over the range, with this processor's
//! vectors and with fewer.
//! `STRIDE=1 cargo test --release -p quadra-back-cpu --test functions` takes all numbers of single precision.

use quadra_back_cpu::Program;
use quadra_kir::{Arg, Arithmetic, Elem, Launch, Memory, MemoryBuffer, Op, eval, parse};
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
