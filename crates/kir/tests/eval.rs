//! The meaning of operations: exact references, special values, and the table being total.

use quadra_kir::types::{Const, Elem};
use quadra_kir::{Arithmetic, Op, eval};

fn tz(op: Op, a: u32, b: u32) -> u32 {
    eval::lane(op, Elem::F32, &[a as u64, b as u64, 0], Arithmetic::TowardZero) as u32
}

fn f(x: f32) -> u32 {
    x.to_bits()
}

const INF: u32 = 0x7f80_0000;
const NEG: u32 = 0x8000_0000;

#[test]
fn toward_zero_special_values() {
    let cases = [
        (Op::Add, f(0.0), 0x7fc0_0000, INF),
        (Op::Add, INF, NEG | INF, NEG | INF),
        (Op::Sub, f(0.0), 0x7fc0_0000, NEG | INF),
        (Op::Add, f(1.0), f(-2.5e-29), 0x3f7f_ffff),
        (Op::Add, f(-1.0), f(2.5e-29), 0xbf7f_ffff),
        (Op::Add, f(1.0), f(2.5e-29), 0x3f80_0000),
        (Op::Add, f(1.0), f(-1.0), 0),
        (Op::Add, NEG, NEG, 0),
        (Op::Add, 0x0000_0001, 0x0040_0000, 0),
        (Op::Add, 0x0080_0001, 0x8080_0000, 0),
        (Op::Add, 0x7f7f_ffff, 0x7f7f_ffff, INF),
        (Op::Mul, 0x7000_0000, 0x7000_0000, INF),
        (Op::Mul, f(1e30), f(1e30), INF),
        (Op::Mul, 0, 0x7fc0_0000, 0),
        (Op::Mul, NEG, f(5.0), 0),
        (Op::Mul, f(-2.0), INF, NEG | INF),
        (Op::Mul, 0x0080_0000, f(0.5), 0),
        (Op::Min, NEG, 0, NEG),
        (Op::Max, NEG, 0, 0),
        (Op::Min, 0x7fc0_0000, INF, INF),
        (Op::Max, 0xffc0_0000, NEG | INF, NEG | INF),
        (Op::CmpEq, NEG, 0, 1),
        (Op::CmpLt, INF, 0x7fc0_0000, 1),
        (Op::CmpLt, 0xffc0_0000, NEG | INF, 1),
        (Op::CmpLt, 0, 1, 1),
        (Op::Neg, f(0.0), 0, 0),
        (Op::Neg, f(1.5), 0, f(-1.5)),
        (Op::Div, f(1.0), f(3.0), 0x3eaa_aaaa),
        (Op::Div, f(-1.0), 0, NEG | INF),
        (Op::Div, 0, 0, 0),
        (Op::Sqrt, f(2.0), 0, 0x3fb5_04f3),
        (Op::Sqrt, f(9.0), 0, f(3.0)),
        (Op::Sqrt, f(-4.0), 0, 0),
        (Op::RecipApprox, f(3.0), 0, 0x3eaa_ac00),
        (Op::RecipApprox, 1, 0, INF),
        (Op::Log2Approx, 0, 0, NEG | INF),
        (Op::Exp2Approx, NEG | INF, 0, 0),
        (Op::Exp2Approx, f(0.5), 0, 0x3fb5_0600),
        (Op::Log2Approx, f(100.0), 0, f(217_705.0 / 32768.0)),
        (Op::RsqrtApprox, f(-4.0), 0, 0x3f00_0100),
        (Op::Floor, f(-0.5), 0, f(-1.0)),
        (Op::Ceil, f(-0.5), 0, 0),
    ];
    for (op, a, b, want) in cases {
        assert_eq!(tz(op, a, b), want, "{} {a:#x} {b:#x} gives {:#x}", op.mnemonic(), tz(op, a, b));
    }
}

/// Cuts off the bits beyond a float's.
fn f64_cut(p: f64) -> u32 {
    let cut = f64::from_bits(p.to_bits() & !((1 << 29) - 1));
    if p.abs() < f32::MIN_POSITIVE as f64 {
        0
    } else if p.abs() >= 2f64.powi(128) {
        f(cut as f32) & NEG | INF
    } else {
        f(cut as f32)
    }
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Random bits with an exponent that makes sums interesting.
    fn float(&mut self) -> u32 {
        let x = self.next() as u32;
        if self.next().is_multiple_of(4) { x } else { x & 0x807f_ffff | (118 + (self.next() % 20) as u32) << 23 }
    }
}

#[test]
fn toward_zero_agrees_with_exact_arithmetic() {
    let mut random = Random(88172645463325252);
    let finite = |x: u32| x & INF != INF && x & INF != 0;
    let mut checked = 0;
    for _ in 0..200_000 {
        let (a, b) = (random.float(), random.float());
        if !finite(a) || !finite(b) {
            continue;
        }
        let (x, y) = (f32::from_bits(a) as f64, f32::from_bits(b) as f64);
        assert_eq!(tz(Op::Mul, a, b), f64_cut(x * y), "{a:#x} * {b:#x}");
        // The sum of floats within 28 binary places is exact in an f64.
        let distance = (a >> 23 & 255).abs_diff(b >> 23 & 255);
        if distance < 28 {
            checked += 1;
            assert_eq!(tz(Op::Add, a, b), f64_cut(x + y), "{a:#x} + {b:#x}");
            assert_eq!(tz(Op::Sub, a, b), f64_cut(x - y), "{a:#x} - {b:#x}");
        } else {
            // Beyond that the smaller one at most moves the larger one toward zero by one place.
            let (big, small) = if x.abs() > y.abs() { (a, b) } else { (b, a) };
            let want = if (big ^ small) & NEG == 0 { big } else { big - 1 };
            assert_eq!(tz(Op::Add, a, b), want, "{a:#x} + {b:#x}");
        }
        // q is the truncated quotient exactly if |q * b| <= |a| < |next(q) * b|; these products are exact in an f64.
        let q = tz(Op::Div, a, b);
        if finite(q) && finite(q + 1) {
            let value = |q: u32| f32::from_bits(q) as f64 * y;
            assert!(value(q).abs() <= x.abs() && x.abs() < value(q + 1).abs(), "{a:#x} / {b:#x} = {q:#x}");
        }
        let r = tz(Op::Sqrt, a & !NEG, 0);
        let square = |r: u32| (f32::from_bits(r) as f64) * (f32::from_bits(r) as f64);
        assert!(square(r) <= x.abs() && x.abs() < square(r + 1), "sqrt {a:#x} = {r:#x}");
    }
    assert!(checked > 50_000, "{checked}");
}

#[test]
fn conversions() {
    let to = |op, elem, bits: u64, arithmetic| eval::lane(op, elem, &[bits], arithmetic);
    for arithmetic in [Arithmetic::Nearest, Arithmetic::TowardZero] {
        let int = |x: f32| to(Op::ToI32, Elem::F32, f(x) as u64, arithmetic) as u32 as i32;
        assert_eq!([int(2.9), int(-2.9), int(2147483520.0)], [2, -2, 2147483520]);
        assert_eq!([int(2147483648.0), int(-2147483648.0), int(f32::NAN), int(f32::INFINITY), int(-1e30)], [0; 5]);
        assert_eq!(to(Op::ToI64, Elem::I32, 0xffff_ffff, arithmetic), u64::MAX);
        assert_eq!(to(Op::ToI32, Elem::I64, 0x1_2345_6789, arithmetic), 0x2345_6789);
        assert_eq!(to(Op::ToF32, Elem::Bool, 1, arithmetic), f(1.0) as u64);
        assert_eq!(to(Op::ToF64, Elem::F32, f(0.1) as u64, arithmetic), (0.1f32 as f64).to_bits());
    }
    let n = 0x0100_0001; // 2^24 + 1 lies between two floats
    let neg = (-0x01ff_ffffi32) as u32 as u64;
    assert_eq!(to(Op::ToF32, Elem::I32, 0x01ff_ffff, Arithmetic::Nearest), f(33554432.0) as u64);
    assert_eq!(to(Op::ToF32, Elem::I32, 0x01ff_ffff, Arithmetic::TowardZero), f(33554430.0) as u64);
    assert_eq!(to(Op::ToF32, Elem::I32, neg, Arithmetic::TowardZero), f(-33554430.0) as u64);
    assert_eq!(to(Op::ToF32, Elem::I32, n, Arithmetic::TowardZero), f(16777216.0) as u64);
    assert_eq!(to(Op::ToF32, Elem::F64, 1e-310f64.to_bits(), Arithmetic::TowardZero), 0);
}

#[test]
fn integers_follow_the_table() {
    let i = |op, a: i32, b: i32| {
        eval::lane(op, Elem::I32, &[a as u32 as u64, b as u32 as u64], Arithmetic::Nearest) as u32 as i32
    };
    let cases = [
        (Op::Div, i32::MIN, -1, i32::MIN),
        (Op::Div, -7, 2, -3),
        (Op::Div, 5, 0, 0),
        (Op::Rem, i32::MIN, -1, 0),
        (Op::Rem, -7, 2, -1),
        (Op::Rem, 5, 0, 0),
        (Op::Mod, -7, 2, 1),
        (Op::Mod, 7, -2, -1),
        (Op::Mod, 6, -2, 0),
        (Op::Mul24, 0x0100_0003, -1, 0x00ff_ffffi32.wrapping_mul(3)),
        (Op::Shl, 1, 33, 2),
        (Op::Shr, -1, 31, 1),
        (Op::Asr, -8, 1, -4),
        (Op::Ror, 1, 1, i32::MIN),
        (Op::Clz, 0, 0, 32),
        (Op::Popcount, -1, 0, 32),
        (Op::Popcount, i32::MIN | 5, 0, 3),
        (Op::MinU, -1, 1, 1),
        (Op::MaxU, -1, 1, -1),
        (Op::CmpLtU, 1, -1, 1),
        (Op::CmpLt, 1, -1, 0),
        (Op::Abs, i32::MIN, 0, i32::MIN),
        (Op::AndNot, 7, 2, 5),
    ];
    for (op, a, b, want) in cases {
        assert_eq!(i(op, a, b), want, "{} {a} {b}", op.mnemonic());
    }
    assert_eq!(
        eval::constants(Op::Add, &[Const::i64(i64::MAX), Const::i64(1)], Arithmetic::Nearest),
        Some(Const::i64(i64::MIN))
    );
}

#[test]
fn every_lane_wise_operation_has_a_meaning_on_every_type_it_takes() {
    let special: [u64; 12] = [
        0,
        1,
        0x8000_0000,
        0x7fff_ffff,
        0xffff_ffff,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_0000,
        0x3f80_0000,
        0xbf80_0000,
        0x0000_0007,
        0x4b00_0001,
    ];
    let mut results = 0;
    for &op in Op::ALL.iter().filter(|&&op| eval::is_lanewise(op)) {
        for elem in [Elem::Bool, Elem::I32, Elem::I64, Elem::F32, Elem::F64] {
            for arithmetic in [Arithmetic::Nearest, Arithmetic::TowardZero] {
                for a in special {
                    for b in special {
                        let c = |x: u64| Const { elem, bits: if elem == Elem::Bool { x & 1 } else { x } };
                        let first = if op == Op::Select { Const::bool(a & 1 == 1) } else { c(a) };
                        let args = &[first, c(b), c(a)][..op.info().arity.unwrap_or(0)];
                        if let Some(r) = eval::constants(op, args, arithmetic) {
                            results += 1;
                            let fits = match r.elem {
                                Elem::Bool => r.bits < 2,
                                e => e.bytes() == 8 || r.bits >> 32 == 0,
                            };
                            assert!(fits, "{} of {args:?} gives {:#x}", op.mnemonic(), r.bits);
                        }
                    }
                }
            }
        }
    }
    assert!(results > 50_000, "{results}");
}

#[test]
fn toward_zero_and_integers_agree_with_results_recorded_on_hardware() {
    // The table belongs to the machine's crate; only the data is shared, not its code.
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../isa/tests/data/opcode.csv");
    let table = std::fs::read_to_string(path).expect("the recorded table lies in the repository");
    let mut rows = 0;
    for line in table.lines().filter(|l| !l.starts_with('#')) {
        let cells: Vec<&str> = line.split(',').collect();
        let (op, elem) = match cells[0] {
            "FADD" => (Op::Add, Elem::F32),
            "FSUB" => (Op::Sub, Elem::F32),
            "FMUL" => (Op::Mul, Elem::F32),
            "FMIN" => (Op::Min, Elem::F32),
            "FMAX" => (Op::Max, Elem::F32),
            "FTOI" => (Op::ToI32, Elem::F32),
            "ITOF" => (Op::ToF32, Elem::I32),
            "ADD" => (Op::Add, Elem::I32),
            "SUB" => (Op::Sub, Elem::I32),
            "MUL24" => (Op::Mul24, Elem::I32),
            "AND" => (Op::And, Elem::I32),
            "OR" => (Op::Or, Elem::I32),
            "XOR" => (Op::Xor, Elem::I32),
            "NOT" => (Op::Not, Elem::I32),
            "SHL" => (Op::Shl, Elem::I32),
            "SHR" => (Op::Shr, Elem::I32),
            "ASR" => (Op::Asr, Elem::I32),
            "ROR" => (Op::Ror, Elem::I32),
            "CLZ" => (Op::Clz, Elem::I32),
            "MIN" => (Op::Min, Elem::I32),
            "MAX" => (Op::Max, Elem::I32),
            _ => continue,
        };
        let bits = |s: &str| u64::from_str_radix(s, 16).unwrap_or(0);
        let got = eval::lane(op, elem, &[bits(cells[1]), bits(cells[2])], Arithmetic::TowardZero);
        assert_eq!(got, bits(cells[3]), "{line}: {got:x}");
        rows += 1;
    }
    assert!(rows > 3500, "only {rows} rows");
}
