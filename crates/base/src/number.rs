//! Numbers as people read them.

/// A real number: integral values below 1e10 as integers, others with six significant digits.
pub fn real(x: f64) -> String {
    real_with(x, 6)
}

/// The same with another number of significant digits.
pub fn real_with(x: f64, digits: usize) -> String {
    if x.is_nan() {
        return "NaN".into();
    }
    if x.is_infinite() {
        return if x > 0.0 { "Inf".into() } else { "-Inf".into() };
    }
    if x == x.trunc() && x.abs() < 1e10 {
        return format!("{}", x as i64);
    }
    general(x, digits)
}

/// As C's `%.{digits}g`.
pub fn general(x: f64, digits: usize) -> String {
    if x == 0.0 {
        return if x.is_sign_negative() { "-0".into() } else { "0".into() };
    }
    let digits = digits.max(1);
    let scientific = format!("{:.*e}", digits - 1, x);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let strip = |s: &str| {
        if s.contains('.') { s.trim_end_matches('0').trim_end_matches('.').to_string() } else { s.to_string() }
    };
    if exponent < -4 || exponent >= digits as i32 {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", strip(mantissa), exponent.abs());
    }
    strip(&format!("{:.*}", (digits as i32 - 1 - exponent).max(0) as usize, x))
}
