//! The expansions of `legalize`, run in the QPU's arithmetic with approximations that are wrong in every allowed way.
//!
//! Integer expansions must be exact, float expansions within the bounds that their files state, whatever the special
//! function unit's low bits are: in all three models of it, and with relative errors up to 2^-10.

use quadra_isa::vc4::emu::alu;
use quadra_isa::vc4::emu::sfu::{Function, SfuModel};
use quadra_kir::{Caps, Const, Elem, Inst, Kernel, Level, Op, Type, Value, Values};
use quadra_passes::legalize;
use std::collections::HashMap;

/// One operation on parameters, expanded for the QPU.
struct Expansion {
    kernel: Kernel,
    params: Vec<Value>,
    result: Value,
}

impl Expansion {
    fn of(op: Op, elem: Elem, arity: usize) -> Expansion {
        let mut kernel = Kernel::new("expansion", Level::Simd);
        let params: Vec<Value> = (0..arity).map(|i| kernel.add_scalar(&format!("p{i}"), Type::scalar(elem))).collect();
        let ty = op.result_type(Level::Simd, &vec![Type::scalar(elem); arity]).expect("the operation fits");
        let mut inst = Inst::new(op, params.clone());
        let result = kernel.new_value(ty);
        inst.results = Values::from_slice(&[result]);
        kernel.body.insts.push(inst);
        // A use, so that the result's replacement can be seen.
        kernel.body.insts.push(Inst::new(Op::Yield, [result]));
        let caps: Caps = quadra_back_qpu::caps();
        legalize::run(&mut kernel, &caps);
        for inst in &kernel.body.insts {
            if let Some(&a) = inst.args.first() {
                assert!(caps.runs(inst.op, kernel.ty(a).elem), "{} is left", inst.op.mnemonic());
            }
        }
        let result = kernel.body.insts.last().expect("the use is there").args[0];
        Expansion { kernel, params, result }
    }

    fn eval(&self, args: &[u32], sfu: SfuModel) -> u32 {
        let mut env: HashMap<Value, u32> = self.params.iter().copied().zip(args.iter().copied()).collect();
        let get = |env: &HashMap<Value, u32>, v: Value| match self.kernel.as_const(v) {
            Some(Const { bits, .. }) => bits as u32,
            None => env[&v],
        };
        for inst in &self.kernel.body.insts {
            if inst.op == Op::Yield {
                break;
            }
            let float = self.kernel.ty(inst.args[0]).elem == Elem::F32;
            let x: Vec<u32> = inst.args.iter().map(|&v| get(&env, v)).collect();
            env.insert(inst.result(), step(inst.op, float, &x, sfu));
        }
        get(&env, self.result)
    }

    fn f32(&self, args: &[f32], sfu: SfuModel) -> f32 {
        let bits: Vec<u32> = args.iter().map(|a| a.to_bits()).collect();
        f32::from_bits(self.eval(&bits, sfu))
    }
}

/// One native operation on bits.
fn step(op: Op, float: bool, x: &[u32], sfu: SfuModel) -> u32 {
    let a = x[0];
    let b = x.get(1).copied().unwrap_or(0);
    let (sa, sb) = (a as i32, b as i32);
    let order = |less: fn(i32, i32) -> bool| {
        u32::from(if float { less(alu::float_key(a), alu::float_key(b)) } else { less(sa, sb) })
    };
    match op {
        Op::Add if float => alu::fadd(a, b),
        Op::Sub if float => alu::fsub(a, b),
        Op::Mul if float => alu::fmul(a, b),
        Op::Min if float => alu::fmin(a, b),
        Op::Max if float => alu::fmax(a, b),
        Op::Add => a.wrapping_add(b),
        Op::Sub => a.wrapping_sub(b),
        Op::Min => sa.min(sb) as u32,
        Op::Max => sa.max(sb) as u32,
        Op::Mul24 => (a & 0xff_ffff).wrapping_mul(b & 0xff_ffff),
        Op::Neg if float => alu::fsub(0, a),
        Op::Neg => a.wrapping_neg(),
        Op::Abs if float => a & 0x7fff_ffff,
        Op::Abs => sa.wrapping_abs() as u32,
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::AndNot => a & !b,
        Op::Not => !a,
        Op::Shl => a << (b & 31),
        Op::Shr => a >> (b & 31),
        Op::Asr => (sa >> (b & 31)) as u32,
        Op::CmpEq => order(|a, b| a == b),
        Op::CmpNe => order(|a, b| a != b),
        Op::CmpLt => order(|a, b| a < b),
        Op::CmpLe => order(|a, b| a <= b),
        Op::CmpGt => order(|a, b| a > b),
        Op::CmpGe => order(|a, b| a >= b),
        Op::CmpGeU => u32::from(a >= b),
        Op::CmpGtU => u32::from(a > b),
        Op::CmpLtU => u32::from(a < b),
        Op::CmpLeU => u32::from(a <= b),
        Op::Select => {
            if a & 1 != 0 {
                b
            } else {
                x[2]
            }
        }
        Op::ToI32 if float => alu::ftoi(a),
        Op::ToF32 => alu::itof(a),
        Op::BitsI32 | Op::BitsF32 => a,
        Op::RecipApprox => sfu.eval(Function::Recip, a),
        Op::RsqrtApprox => sfu.eval(Function::Rsqrt, a),
        _ => panic!("{} is not a native operation of this test", op.mnemonic()),
    }
}

/// A small generator of pseudo-random bits (xorshift64*).
struct Bits(u64);

impl Bits {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }

    /// A float of either sign with an exponent between the two powers of two.
    fn float(&mut self, low: i32, high: i32) -> f32 {
        let exponent = 127 + low + (self.next() % (high - low) as u32) as i32;
        f32::from_bits(self.next() & 0x807f_ffff | (exponent as u32) << 23)
    }
}

fn models() -> Vec<SfuModel> {
    let mut models = vec![SfuModel::Ideal, SfuModel::Fitted, SfuModel::WORST];
    models.extend((1..6).map(|seed| SfuModel::Perturbed { seed, bits: 10 }));
    models
}

const EDGES: [i32; 23] = [
    0,
    1,
    -1,
    2,
    -2,
    3,
    -3,
    7,
    10,
    -10,
    255,
    4095,
    4097,
    65535,
    65536,
    -65536,
    0xff_ffff,
    0x100_0000,
    0x3fff_ffff,
    i32::MAX,
    i32::MIN,
    i32::MIN + 1,
    i32::MAX - 1,
];

fn int_pairs() -> Vec<(i32, i32)> {
    let mut pairs: Vec<(i32, i32)> = EDGES.iter().flat_map(|&a| EDGES.iter().map(move |&b| (a, b))).collect();
    let mut bits = Bits(7);
    for _ in 0..60_000 {
        let (a, b) = (bits.next() as i32, bits.next() as i32);
        pairs.push((a, b));
        pairs.push((a, b >> (bits.next() % 32)));
        // Quotients next to a whole number are where an estimate fails first.
        let b = (b >> (bits.next() % 31)).max(1);
        pairs.push(((a / b).wrapping_mul(b).wrapping_add(bits.next() as i32 % 3 - 1), b));
    }
    pairs
}

fn check_int(op: Op, want: fn(i32, i32) -> i32) {
    let expansion = Expansion::of(op, Elem::I32, 2);
    for (i, (a, b)) in int_pairs().into_iter().enumerate() {
        let models = models();
        let model = models[i % models.len()];
        let got = expansion.eval(&[a as u32, b as u32], model) as i32;
        assert_eq!(got, want(a, b), "{} {a}, {b} with {model:?}", op.mnemonic());
    }
}

#[test]
fn multiplication_keeps_the_low_32_bits() {
    check_int(Op::Mul, i32::wrapping_mul);
}

#[test]
fn division_truncates_and_gives_0_by_0() {
    check_int(Op::Div, |a, b| if b == 0 { 0 } else { a.wrapping_div(b) });
}

#[test]
fn the_remainder_has_the_sign_of_the_dividend() {
    check_int(Op::Rem, |a, b| if b == 0 { 0 } else { a.wrapping_rem(b) });
}

#[test]
fn the_modulus_has_the_sign_of_the_divisor() {
    check_int(Op::Mod, |a, b| {
        if b == 0 {
            return 0;
        }
        let r = a.wrapping_rem(b);
        if r != 0 && (r < 0) != (b < 0) { r + b } else { r }
    });
}

/// Units in the last place between `got` and the true value.
fn ulps(got: f32, want: f64) -> f64 {
    let unit = 2f64.powi(((want.abs() as f32).to_bits() >> 23) as i32 - 150);
    (got as f64 - want).abs() / unit
}

fn check_ulps(op: Op, args: impl Fn(&mut Bits) -> Vec<f32>, want: fn(&[f64]) -> f64, limit: f64) {
    let expansion = Expansion::of(op, Elem::F32, args(&mut Bits(1)).len());
    let mut bits = Bits(99);
    let mut worst = (0.0, Vec::new());
    for i in 0..80_000 {
        let x = args(&mut bits);
        let models = models();
        let got = expansion.f32(&x, models[i % models.len()]);
        let exact: Vec<f64> = x.iter().map(|&v| v as f64).collect();
        let error = ulps(got, want(&exact));
        assert!(!error.is_nan(), "{} of {x:?} is {got}", op.mnemonic());
        if error > worst.0 {
            worst = (error, x);
        }
    }
    assert!(worst.0 <= limit, "{}: {:.3} units at {:?}", op.mnemonic(), worst.0, worst.1);
}

/// One unit in the last place, and the small part that the bias may add.
const ONE_UNIT: f64 = 1.0;

#[test]
fn reciprocals_are_within_a_unit() {
    check_ulps(Op::Recip, |b| vec![b.float(-100, 100)], |x| 1.0 / x[0], ONE_UNIT);
}

#[test]
fn quotients_are_within_a_unit() {
    check_ulps(Op::Div, |b| vec![b.float(-50, 50), b.float(-50, 50)], |x| x[0] / x[1], ONE_UNIT);
}

#[test]
fn quotients_of_small_whole_numbers_are_within_a_unit() {
    let whole = |b: &mut Bits| (b.next() % 1000 + 1) as f32;
    check_ulps(Op::Div, move |b| vec![whole(b), whole(b)], |x| x[0] / x[1], ONE_UNIT);
}

#[test]
fn square_roots_are_within_a_unit() {
    check_ulps(Op::Sqrt, |b| vec![b.float(-90, 90).abs()], |x| x[0].sqrt(), ONE_UNIT);
}

#[test]
fn reciprocal_square_roots_are_within_a_unit() {
    check_ulps(Op::Rsqrt, |b| vec![b.float(-90, 90).abs()], |x| 1.0 / x[0].sqrt(), ONE_UNIT);
}

/// Quotients up to 2^36: the remainder is exact, and what a negative one lacks to the divisor is cut.
#[test]
fn remainders_are_exact_and_always_in_range() {
    let (rem, modulo) = (Expansion::of(Op::Rem, Elem::F32, 2), Expansion::of(Op::Mod, Elem::F32, 2));
    let mut bits = Bits(5);
    for i in 0..120_000 {
        let (b, models) = (bits.float(-20, 20), models());
        let model = models[i % models.len()];
        let a = match i % 4 {
            0 => b * bits.float(0, 35),
            1 => b * (bits.next() as i32 >> 8) as f32,
            2 => (b * bits.float(0, 12)).round(),
            // Beyond what is exact.
            _ => b * bits.float(36, 80),
        };
        let (r, m) = (rem.f32(&[a, b], model), modulo.f32(&[a, b], model));
        assert!(r.abs() < b.abs() && (r == 0.0 || (r < 0.0) == (a < 0.0)), "rem({a:e}, {b:e}) is {r:e}");
        assert!(m.abs() < b.abs() && (m == 0.0 || (m < 0.0) == (b < 0.0)), "mod({a:e}, {b:e}) is {m:e}");
        if (f64::from(a) / f64::from(b)).abs() < 2f64.powi(36) {
            assert_eq!(r, a % b, "rem({a:e}, {b:e})");
            let rest = f64::from(a) % f64::from(b);
            let want = if rest != 0.0 && (rest < 0.0) != (b < 0.0) { rest + f64::from(b) } else { rest };
            assert!(m == want as f32 || ulps(m, want) < 1.0, "mod({a:e}, {b:e}) is {m:e}, not {want:e}");
        }
    }
}

#[test]
fn limits_of_division_and_roots_hold() {
    let inf = f32::INFINITY;
    let recip = Expansion::of(Op::Recip, Elem::F32, 1);
    let div = Expansion::of(Op::Div, Elem::F32, 2);
    let sqrt = Expansion::of(Op::Sqrt, Elem::F32, 1);
    for m in models() {
        assert_eq!(recip.f32(&[0.0], m), inf);
        assert_eq!(recip.f32(&[inf], m), 0.0);
        assert_eq!(div.f32(&[3.0, 0.0], m), inf);
        assert_eq!(div.f32(&[-3.0, 0.0], m), -inf);
        assert_eq!(div.f32(&[0.0, 0.0], m), 0.0);
        assert_eq!(div.f32(&[0.0, 5.0], m), 0.0);
        assert_eq!(div.f32(&[5.0, inf], m), 0.0);
        assert_eq!(sqrt.f32(&[0.0], m), 0.0);
        assert_eq!(sqrt.f32(&[-4.0], m), 0.0);
        assert_eq!(sqrt.f32(&[inf], m), inf);
    }
}

#[test]
fn rounding_to_whole_numbers_is_exact() {
    type Rounding = (Op, fn(f32) -> f32);
    let cases: [Rounding; 4] =
        [(Op::Floor, f32::floor), (Op::Ceil, f32::ceil), (Op::Trunc, f32::trunc), (Op::Round, f32::round)];
    for (op, want) in cases {
        let expansion = Expansion::of(op, Elem::F32, 1);
        let mut bits = Bits(3);
        for i in 0..40_000 {
            let x = match i % 4 {
                0 => bits.float(-30, 40),
                1 => (bits.next() as i32 >> 20) as f32 + 0.5,
                2 => (bits.next() as i32 >> 12) as f32,
                _ => bits.float(-3, 24),
            };
            let got = expansion.f32(&[x], SfuModel::default());
            assert_eq!(got, want(x), "{} of {x}", op.mnemonic());
        }
    }
}

/// Largest error of a function over random arguments in a range, as the given measure sees it.
fn worst(op: Op, low: f32, high: f32, want: fn(f64) -> f64, measure: fn(f64, f64) -> f64) -> f64 {
    let expansion = Expansion::of(op, Elem::F32, 1);
    let (mut bits, models) = (Bits(5), models());
    let mut worst: f64 = 0.0;
    for i in 0..80_000 {
        let x = low + (high - low) * (bits.next() as f64 / u32::MAX as f64) as f32;
        let got = expansion.f32(&[x], models[i % models.len()]);
        let error = measure(got as f64, want(x as f64));
        assert!(!error.is_nan(), "{} of {x} is {got}", op.mnemonic());
        worst = worst.max(error);
    }
    worst
}

fn relative(got: f64, want: f64) -> f64 {
    ((got - want) / want).abs()
}

fn absolute(got: f64, want: f64) -> f64 {
    (got - want).abs()
}

#[test]
fn exponentials_and_logarithms_are_as_accurate_as_stated() {
    let bound = 2f64.powi(-21);
    assert!(worst(Op::Exp2, -125.0, 127.0, libm::exp2, relative) < bound);
    assert!(worst(Op::Exp, -87.0, 88.0, libm::exp, relative) < bound);
    assert!(worst(Op::Log2, 1.5, 1e6, libm::log2, relative) < bound);
    assert!(worst(Op::Log2, 0.75, 1.4, libm::log2, relative) < 2.0 * bound);
    assert!(worst(Op::Log, 1.5, 1e6, libm::log, relative) < bound);
    let bound = 2f64.powi(-20);
    assert!(worst(Op::Tanh, -12.0, 12.0, libm::tanh, relative) < bound);
    assert!(worst(Op::Sinh, -20.0, 20.0, libm::sinh, relative) < bound);
    assert!(worst(Op::Cosh, -20.0, 20.0, libm::cosh, relative) < bound);
}

#[test]
fn trigonometric_functions_are_as_accurate_as_stated() {
    let bound = 2f64.powi(-21);
    assert!(worst(Op::Sin, -7.0, 7.0, libm::sin, absolute) < bound);
    assert!(worst(Op::Cos, -7.0, 7.0, libm::cos, absolute) < bound);
    assert!(worst(Op::Sin, -12000.0, 12000.0, libm::sin, absolute) < bound);
    assert!(worst(Op::Cos, -12000.0, 12000.0, libm::cos, absolute) < bound);
    let bound = 2f64.powi(-20);
    assert!(worst(Op::Tan, -1.5, 1.5, libm::tan, relative) < 2.0 * bound);
    assert!(worst(Op::Atan, -30.0, 30.0, libm::atan, absolute) < bound);
    assert!(worst(Op::Asin, -1.0, 1.0, libm::asin, absolute) < bound);
    assert!(worst(Op::Acos, -1.0, 1.0, libm::acos, absolute) < bound);
}

#[test]
fn powers_and_angles_follow_their_signs() {
    let pow = Expansion::of(Op::Pow, Elem::F32, 2);
    let atan2 = Expansion::of(Op::Atan2, Elem::F32, 2);
    let mut bits = Bits(11);
    for i in 0..40_000 {
        let model = models()[i % models().len()];
        let (a, b) = (bits.float(-4, 4), (bits.next() % 9) as f32 - 4.0);
        let want = libm::pow(a as f64, b as f64);
        let bound = 2f64.powi(-21) + (b as f64 * libm::log2(a.abs() as f64)).abs() * 2f64.powi(-22);
        let got = pow.f32(&[a, b], model) as f64;
        assert!(relative(got, want) < bound, "{a} ^ {b} = {got}, not {want}");
        let (y, x) = (bits.float(-4, 4), bits.float(-4, 4));
        let want = libm::atan2(y as f64, x as f64);
        assert!(absolute(atan2.f32(&[y, x], model) as f64, want) < 2f64.powi(-20), "atan2 {y}, {x}");
    }
    assert!(models().into_iter().all(|model| atan2.f32(&[0.0, 0.0], model) == 0.0));
}
