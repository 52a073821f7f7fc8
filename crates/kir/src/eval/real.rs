//! Floats rounded to nearest.

/// The bits of a result: which NaN an operation makes differs between hosts, so there is only one here.
pub(crate) fn bits32(x: f32) -> u64 {
    if x.is_nan() { 0x7fc0_0000 } else { x.to_bits() as u64 }
}

/// As [`bits32`].
pub(crate) fn bits64(x: f64) -> u64 {
    if x.is_nan() { 0x7ff8_0000_0000_0000 } else { x.to_bits() }
}

/// What is left of `a` behind the largest whole multiple of `b` that is not above it; zero has the sign of `b`.
pub fn floor_rem(a: f64, b: f64) -> f64 {
    let r = libm::fmod(a, b);
    if r == 0.0 {
        return r.copysign(b);
    }
    if (r < 0.0) != (b < 0.0) { r + b } else { r }
}

/// The square root; that of a negative is 0, its reciprocal thus infinite.
pub(crate) fn square_root(a: f64) -> f64 {
    if a < 0.0 { 0.0 } else { libm::sqrt(a) }
}
