//! Single-precision floats as the VideoCore IV QPU computes them.
//!
//! Measured on hardware (the recorded results of the HWT test suite; the V3DLib FAQ and vc4asm describe the same):
//! * denormals and -0 read as +0 and never come out;
//! * a result is the exact one truncated toward zero; beyond the range it is infinite;
//! * NaNs read as the infinity of their sign and never come out; an infinite operand of `+` gives itself, the second one
//!   winning; a zero operand of `*` gives +0 even with an infinity;
//! * minimum, maximum and comparisons order the raw bits by sign and magnitude, -0 equal to +0, NaNs outermost.
//!
//! Operations that the QPU does not have (division, roots, functions) follow the same rules: operands are read as above,
//! the result is truncated. `x / 0` is infinite with the sign of x, `0 / x` and `x / Inf` are 0; a function without a value
//! gives +Inf.

const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7f80_0000;

/// Denormals and -0 become +0, NaNs the infinity of their sign.
fn read(x: u32) -> u32 {
    match x & INFINITY {
        0 => 0,
        INFINITY => x & (SIGN | INFINITY),
        _ => x,
    }
}

fn is_infinite(x: u32) -> bool {
    x & INFINITY == INFINITY
}

/// Sign, 24-bit significand and the exponent of its lowest bit, of a number that [`read`] gave and that is not infinite.
fn parts(x: u32) -> (u32, u128, i32) {
    let exponent = (x >> 23 & 255) as i32;
    let significand = if exponent == 0 { 0 } else { (x & 0x7f_ffff | 0x80_0000) as u128 };
    (x & SIGN, significand, exponent - 150)
}

/// `magnitude * 2^exponent` with the sign bit `sign`, truncated.
fn truncated(sign: u32, magnitude: u128, exponent: i32) -> u32 {
    if magnitude == 0 {
        return 0;
    }
    let top = 127 - magnitude.leading_zeros() as i32;
    let significand = if top >= 23 { magnitude >> (top - 23) } else { magnitude << (23 - top) };
    match top + exponent {
        ..-126 => 0,
        128.. => sign | INFINITY,
        e => sign | ((e + 127) as u32) << 23 | (significand as u32 & 0x7f_ffff),
    }
}

/// A double truncated to a single; a NaN gives +Inf.
pub fn from_f64(x: f64) -> u32 {
    if x.is_nan() {
        return INFINITY;
    }
    let bits = x.to_bits();
    let sign = (bits >> 32) as u32 & SIGN;
    let exponent = (bits >> 52 & 0x7ff) as i32;
    match exponent {
        0 => 0,
        0x7ff => sign | INFINITY,
        _ => truncated(sign, (bits & ((1 << 52) - 1) | 1 << 52) as u128, exponent - 1075),
    }
}

/// An integer truncated to a single.
pub fn from_int(x: i64) -> u32 {
    truncated(if x < 0 { SIGN } else { 0 }, x.unsigned_abs() as u128, 0)
}

/// The exact sum, truncated.
pub fn add(a: u32, b: u32) -> u32 {
    let (a, b) = (read(a), read(b));
    if is_infinite(b) || is_infinite(a) {
        return if is_infinite(b) { b } else { a };
    }
    if a == 0 || b == 0 {
        return a | b;
    }
    let (big, small) = if a & !SIGN >= b & !SIGN { (a, b) } else { (b, a) };
    let (big_sign, big_part, exponent) = parts(big);
    let (small_sign, small_part, small_exponent) = parts(small);
    // 64 more bits for the smaller one. Anything it loses beyond them is remembered in the lowest bit, which is far below
    // the result's last place: losing takes a distance of more than 64 places, and then at most one leading bit cancels.
    let distance = (exponent - small_exponent) as u32;
    let wide = small_part << 64;
    let kept = if distance < 128 { wide >> distance } else { 0 };
    let lost = distance >= 128 || kept << distance != wide;
    let kept = kept | lost as u128;
    let big_part = big_part << 64;
    let sum = if big_sign == small_sign { big_part + kept } else { big_part - kept };
    truncated(big_sign, sum, exponent - 64)
}

/// The exact difference, truncated.
pub fn sub(a: u32, b: u32) -> u32 {
    add(a, b ^ SIGN)
}

/// The exact product, truncated.
pub fn mul(a: u32, b: u32) -> u32 {
    let (a, b) = (read(a), read(b));
    let sign = (a ^ b) & SIGN;
    if a == 0 || b == 0 {
        return 0;
    }
    if is_infinite(a) || is_infinite(b) {
        return sign | INFINITY;
    }
    let ((_, x, ex), (_, y, ey)) = (parts(a), parts(b));
    truncated(sign, x * y, ex + ey)
}

/// The exact quotient, truncated.
pub fn div(a: u32, b: u32) -> u32 {
    let (a, b) = (read(a), read(b));
    let sign = (a ^ b) & SIGN;
    if a == 0 || is_infinite(b) {
        return 0;
    }
    if b == 0 || is_infinite(a) {
        return sign | INFINITY;
    }
    let ((_, x, ex), (_, y, ey)) = (parts(a), parts(b));
    // At least 40 bits of quotient: truncating it twice is truncating it once.
    truncated(sign, (x << 64) / y, ex - ey - 64)
}

/// The exact square root, truncated; 0 for negatives.
pub(crate) fn sqrt(a: u32) -> u32 {
    let a = read(a);
    if a & SIGN != 0 || a == 0 || is_infinite(a) {
        return if a & SIGN != 0 { 0 } else { a };
    }
    let (_, x, exponent) = parts(a);
    let odd = exponent & 1;
    truncated(0, (x << (64 + odd)).isqrt(), (exponent - odd) / 2 - 32)
}

/// The order of minimum, maximum and comparisons.
pub(crate) fn key(x: u32) -> i64 {
    let magnitude = (x & !SIGN) as i64;
    if x & SIGN != 0 { -magnitude } else { magnitude }
}

/// Steps of a rough function, as the special function unit's recorded values suggest them.
const UNIT: f64 = 1.0 / 32768.0;

/// A rough function: the right value, one unit of 16 significant bits too large and rounded to them.
pub(crate) fn rough(f: fn(f64) -> f64, a: u32) -> u32 {
    // 15 bits of the fraction stay of 52; the carry of the half may go into the exponent.
    let bits = (f(real(a)) * (1.0 + UNIT)).to_bits() + (1 << 36);
    from_f64(f64::from_bits(bits & !((1 << 37) - 1)))
}

/// A rough logarithm, in steps of 2^-15.
pub(crate) fn rough_log2(a: u32) -> u32 {
    from_f64(libm::floor(libm::log2(real(a).abs()) / UNIT) * UNIT)
}

/// A number as the functions that the QPU does not have read it.
pub(super) fn real(x: u32) -> f64 {
    f32::from_bits(read(x)) as f64
}
