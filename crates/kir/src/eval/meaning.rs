//! What an operation computes of single lanes, as its row in the table of operations says it.

/// The functions of one operation, by the type of its operands; none where it does not take the type. Operations of one operand
/// ignore the second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meaning {
    pub bool: Option<fn(bool, bool) -> bool>,
    pub i32: Option<fn(u32, u32) -> u32>,
    pub i64: Option<fn(u64, u64) -> u64>,
    /// Rounded to nearest, as bits.
    pub f32: Option<fn(f32, f32) -> u64>,
    pub f64: Option<fn(f64, f64) -> u64>,
    /// In double precision, where that is also the way to single: by rounding, or truncation.
    pub real: Option<fn(f64, f64) -> f64>,
    /// On the bits of singles, truncated toward zero.
    pub zero: Option<fn(u32, u32) -> u32>,
}

impl Meaning {
    pub const NONE: Meaning =
        Meaning { bool: None, i32: None, i64: None, f32: None, f64: None, real: None, zero: None };
}

/// The [`Meaning`] of a row's list of functions, each with its kind:
///
/// * `int`: of `i32` and `i64`, as unsigned numbers of the type `U`; `S` is the signed type of the same width.
/// * `bits`: of `bool` and integers.
/// * `order`: a comparison of anything; of integers as signed.
/// * `float`: of floats in their own precision, with one NaN for all. `raw`: the same with the bits as they come.
/// * `real`: of floats in double precision.
/// * `single`: of `f32` alone, rounded to nearest. `double`: of `f64` alone.
/// * `zero`: of the bits of `f32`, truncated toward zero.
macro_rules! meaning {
    ($($kind:ident |$a:ident, $b:ident| $body:expr),*) => {{
        let m = Meaning::NONE;
        $(let m = meaning!(@$kind m $a $b $body);)*
        m
    }};
    (@int $m:ident $a:ident $b:ident $body:expr) => {
        Meaning { i32: meaning!(@of u32 i32 $a $b $body), i64: meaning!(@of u64 i64 $a $b $body), ..$m }
    };
    (@of $u:ident $s:ident $a:ident $b:ident $body:expr) => {{
        #[allow(dead_code)]
        type U = $u;
        #[allow(dead_code)]
        type S = $s;
        fn f($a: U, $b: U) -> U {
            $body
        }
        Some(f)
    }};
    (@bits $m:ident $a:ident $b:ident $body:expr) => {
        Meaning { bool: Some(|$a, $b| $body), i32: Some(|$a, $b| $body), i64: Some(|$a, $b| $body), ..$m }
    };
    (@order $m:ident $a:ident $b:ident $body:expr) => {
        Meaning {
            bool: Some(|$a, $b| $body),
            i32: Some(|$a, $b| {
                let ($a, $b) = ($a as i32, $b as i32);
                ($body) as u32
            }),
            i64: Some(|$a, $b| {
                let ($a, $b) = ($a as i64, $b as i64);
                ($body) as u64
            }),
            f32: Some(|$a, $b| ($body) as u64),
            f64: Some(|$a, $b| ($body) as u64),
            zero: Some(|$a, $b| {
                let ($a, $b) = (toward_zero::key($a), toward_zero::key($b));
                ($body) as u32
            }),
            ..$m
        }
    };
    (@float $m:ident $a:ident $b:ident $body:expr) => {
        Meaning { f32: Some(|$a, $b| real::bits32($body)), f64: Some(|$a, $b| real::bits64($body)), ..$m }
    };
    (@raw $m:ident $a:ident $b:ident $body:expr) => {
        Meaning { f32: Some(|$a, $b| u64::from(f32::to_bits($body))), f64: Some(|$a, $b| f64::to_bits($body)), ..$m }
    };
    (@real $m:ident $a:ident $b:ident $body:expr) => {
        Meaning { real: Some(|$a, $b| $body), ..$m }
    };
    (@single $m:ident $a:ident $b:ident $body:expr) => {
        Meaning { f32: Some(|$a, $b| real::bits32($body)), ..$m }
    };
    (@double $m:ident $a:ident $b:ident $body:expr) => {
        Meaning { f64: Some(|$a, $b| real::bits64($body)), ..$m }
    };
    (@zero $m:ident $a:ident $b:ident $body:expr) => {
        Meaning { zero: Some(|$a, $b| $body), ..$m }
    };
}
pub(crate) use meaning;
