//! Elementary functions stay within what the front page of `kir::eval::elementary` states.
//! `STRIDE=1 cargo test --release -p quadra-kir --test elementary -- --nocapture` takes all numbers of single precision.

use quadra_kir::eval::{elementary as e, exponential};

type Single = fn(f32) -> f32;
type Double = fn(f64) -> f64;

/// Every so many numbers of single precision.
fn stride() -> u64 {
    std::env::var("STRIDE").ok().and_then(|s| s.parse().ok()).unwrap_or(4099)
}

/// How far `got` is from `right`, in units of the last place of a single next to `right`.
fn units(got: f32, right: f64) -> f64 {
    if got.is_nan() || right.is_nan() {
        return if got.is_nan() && right.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if f64::from(got) == right {
        // Zeros have signs.
        return if got.is_sign_negative() == right.is_sign_negative() { 0.0 } else { f64::INFINITY };
    }
    let exponent = ((right.abs().to_bits() >> 52) as i32 - 1023).clamp(-126, 127);
    // Beyond the largest number comes infinity, as if it were the next one.
    let got = if got.is_infinite() { f64::from(got.signum()) * 2f64.powi(128) } else { got.into() };
    let right = right.clamp(-2f64.powi(128), 2f64.powi(128));
    (got - right).abs() / 2f64.powi(exponent - 23)
}

/// The largest error of numbers of single precision, and for which.
fn worst(got: Single, right: Double) -> (f64, f32) {
    let (stride, threads) = (stride(), 2);
    let part = |first: u64| {
        let all =
            (first * stride..1 << 32).step_by((threads * stride) as usize).map(|bits| f32::from_bits(bits as u32));
        let error = |x: f32| (units(got(x), right(x.into())), x);
        all.map(error).fold((0.0, 0.0), |a, b| if b.0 > a.0 { b } else { a })
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(|| part(1));
        let (a, b) = (part(0), other.join().expect("it does not panic"));
        if b.0 > a.0 { b } else { a }
    })
}

#[test]
fn singles() {
    let functions: [(&str, f64, Single, Double); 13] = [
        ("exp", 2.1, exponential::exp, f64::exp),
        ("exp2", 1.0, exponential::exp2, f64::exp2),
        ("sin", 1.5, e::sin, f64::sin),
        ("cos", 1.5, e::cos, f64::cos),
        ("tan", 1.4, e::tan, f64::tan),
        ("asin", 1.3, e::asin, f64::asin),
        ("acos", 1.3, e::acos, f64::acos),
        ("atan", 1.4, e::atan, f64::atan),
        ("sinh", 1.7, e::sinh, f64::sinh),
        ("cosh", 1.5, e::cosh, f64::cosh),
        ("tanh", 1.8, e::tanh, f64::tanh),
        ("log", 1.0, e::log, f64::ln),
        ("log2", 1.2, e::log2, f64::log2),
    ];
    let mut wrong = Vec::new();
    for (name, most, got, right) in functions {
        let (error, x) = worst(got, right);
        println!("{name}: {error:.4} at {x:e}");
        if error > most {
            wrong.push(format!("{name}({x:e}) is {:e}, {error} units from {:e}", got(x), right(x.into())));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Pairs of numbers: of all sizes and signs, near 1, whole, and the ends.
fn pairs() -> impl Iterator<Item = (f32, f32)> {
    let mut state = 1u64;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 32) as u32
    };
    let ends = [0.0, 1.0, 0.5, 2.0, 3.0, f32::MAX, f32::MIN_POSITIVE, 1e-45, f32::INFINITY, f32::NAN];
    let ends = ends.map(|x| [x, -x]).concat();
    let special: Vec<_> = ends.iter().flat_map(|&x| ends.iter().map(move |&y| (x, y))).collect();
    let many = (1 << 32) / stride().max(64);
    let random = (0..many).map(move |n| {
        let (a, b) = (next(), next());
        let near = |x: u32, by: f32| 1.0 + (x as i32 as f32) * by;
        match n % 4 {
            0 => (f32::from_bits(a), f32::from_bits(b)),
            1 => (near(a, 1e-10), near(b, 1e-6)),
            2 => (f32::from_bits(a & 0x87ff_ffff | 0x3c00_0000), f32::from_bits(b & 0x87ff_ffff | 0x3c00_0000)),
            _ => (near(a, 1e-7).round(), near(b, 1e-8).round()),
        }
    });
    special.into_iter().chain(random)
}

#[test]
fn pairs_of_singles() {
    type Two<T> = fn(T, T) -> T;
    let functions: [(&str, f64, Two<f32>, Two<f64>); 4] = [
        ("atan2", 1.7, e::atan2, f64::atan2),
        ("pow", 1.9, e::pow, f64::powf),
        ("rem", 0.0, e::remainder, |a, b| a % b),
        ("mod", 0.5, e::floor_remainder, |a, b| {
            let rest = a % b;
            if rest == 0.0 {
                return rest.copysign(b);
            }
            if (rest < 0.0) != (b < 0.0) { rest + b } else { rest }
        }),
    ];
    for (name, most, got, right) in functions {
        let error = |(a, b): (f32, f32)| (units(got(a, b), right(a.into(), b.into())), a, b);
        let worst = pairs().map(error).fold((0.0, 0.0, 0.0), |a, b| if b.0 > a.0 { b } else { a });
        let (error, a, b) = worst;
        println!("{name}: {error:.4} at {a:e}, {b:e}");
        assert!(
            error <= most,
            "{name}({a:e}, {b:e}) is {:e}, {error} units from {:e}",
            got(a, b),
            right(a.into(), b.into())
        );
    }
}

#[test]
fn small_whole_powers_are_products() {
    for n in [2.0f32, 3.0, 4.0] {
        let right: [Double; 3] = [|x| x * x, |x| x * x * x, |x| (x * x) * (x * x)];
        for x in pairs().map(|p| p.0).chain((0..10_000).map(|k| 1.0 + k as f32 * 1e-4)) {
            let (square, wide) = (x * x, f64::from(x));
            let product = [square, square * x, square * square][n as usize - 2];
            let same = |a: f64, b: f64| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
            assert!(same(e::pow(x, n).into(), product.into()), "{x:e} to the {n}");
            assert!(same(e::pow_of_double(wide, n.into()), right[n as usize - 2](wide)), "{x:e} to the {n}");
            let error = units(e::pow(x, n), right[n as usize - 2](wide));
            assert!(error <= 1.91, "{x:e} to the {n}: {error}");
        }
    }
    assert_eq!(e::pow_of_double(2.0, 5.0), 32.0);
}

/// The bits of the function that C and IEEE 754 define, rounded once; what is no number has no bits of its own.
#[test]
fn remainders_are_exact_however_large_the_quotient_is() {
    let same = |got: f32, want: f32| got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
    let large = (0..200_000u32).map(|k| {
        let a = f32::from_bits(k.wrapping_mul(2_654_435_761));
        (a, a * f32::from_bits((k.wrapping_mul(40_503) & 0x1fff_ffff) | 0x2000_0000))
    });
    for (a, b) in pairs().chain(large).chain([(2.588e8, 100.0), (-2.588e8, 100.0), (3e38, 1e-38), (-1e-30, 7.0)]) {
        let rest = a % b;
        assert!(same(e::remainder(a, b), rest), "rem({a:e}, {b:e}) is {:e}, not {rest:e}", e::remainder(a, b));
        let floor = match rest {
            0.0 => 0f32.copysign(b),
            _ if (rest < 0.0) != (b < 0.0) => rest + b,
            _ => rest,
        };
        let got = e::floor_remainder(a, b);
        assert!(same(got, floor), "mod({a:e}, {b:e}) is {got:e}, not {floor:e}");
    }
}

#[test]
fn doubles() {
    let functions: [(&str, Double, Double, f64); 13] = [
        ("sin", e::sin, f64::sin, 1e7),
        ("cos", e::cos, f64::cos, 1e7),
        ("tan", e::tan, f64::tan, 1e7),
        ("asin", e::asin, f64::asin, 1.0),
        ("acos", e::acos, f64::acos, 1.0),
        ("atan", e::atan, f64::atan, 1e20),
        ("sinh", e::sinh, f64::sinh, 720.0),
        ("cosh", e::cosh, f64::cosh, 720.0),
        ("tanh", e::tanh, f64::tanh, 50.0),
        ("log", e::log, f64::ln, f64::MAX),
        ("log2", e::log2, f64::log2, f64::MAX),
        ("exp", e::exp, f64::exp, 750.0),
        ("exp2", e::exp2, f64::exp2, 1080.0),
    ];
    let special = [0.0, 1.0, 0.5, 1e-300, 5e-324, 1e300, f64::MAX, f64::INFINITY, f64::NAN].map(|x| [x, -x]).concat();
    for (name, got, right, most) in functions {
        let same = |x: f64| units64(got(x), right(x));
        let sizes = (0..200_000).map(|n| (f64::from(n) * 0.618_033_988_75).fract() * 2.0 - 1.0);
        let all = sizes.flat_map(|x| [most * x, x * 3.0, most.powf(x), (x * 40.0).exp2()]).chain(special.clone());
        let (error, x) = all.map(|x| (same(x), x)).fold((0.0, 0.0), |a, b| if b.0 > a.0 { b } else { a });
        println!("{name} (f64): {error:.1} at {x:e}");
        // The standard library is within one unit itself.
        assert!(error <= 3.0, "{name}({x:e}) is {:e}, {error} units from {:e}", got(x), right(x));
    }
}

/// How many doubles `got` is away from `right`.
fn units64(got: f64, right: f64) -> f64 {
    match (got.is_nan(), right.is_nan()) {
        (true, true) => 0.0,
        (false, false) if got == right || got.is_sign_negative() == right.is_sign_negative() => {
            got.to_bits().abs_diff(right.to_bits()) as f64
        }
        _ => f64::INFINITY,
    }
}
