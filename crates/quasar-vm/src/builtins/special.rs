//! Special functions, and functions of whole numbers. They work on the host, in double precision.

use super::special_lanes::{Function, Special};
use super::{Builtin, Call, Run, row};
use crate::arith::to_f64;
use crate::fault::{Res, fault};
use crate::storage::{self, Operand};
use crate::tensor::{Data, Tensor, real_data};
use crate::value::Value;
use quadra_numeric::wide;
use std::sync::atomic::{AtomicBool, Ordering};

/// The real elements of argument `i`; an error for complex ones.
pub(super) fn reals(call: &Call, i: usize) -> Res<(std::rc::Rc<Tensor>, Vec<f64>)> {
    let t = call.tensor(i)?;
    if t.data.borrow().is_complex() {
        fault!("Q0325", "'{}' is not defined for complex numbers", call.name; "use it on real(z), imag(z) or abs(z)");
    }
    let values = to_f64(&t.data.borrow()).into_owned();
    Ok((t, values))
}

fn is_double(call: &Call, t: &Tensor) -> bool {
    call.double() || matches!(*t.data.borrow(), Data::F64(_))
}

/// The function of every element of argument 0.
pub(super) fn map(call: &mut Call, f: impl Fn(f64) -> f64 + Sync) -> Res<Value> {
    let (t, values) = reals(call, 0)?;
    let double = is_double(call, &t);
    if call.args[0].is_number() {
        return Ok(Value::scalar(f(values[0]), double));
    }
    let out = storage::build(values.len(), |range, out: &mut [f64]| {
        out.iter_mut().zip(&values[range]).for_each(|(o, x)| *o = f(*x));
    });
    Ok(Value::array(Tensor::new(t.shape.clone(), real_data(out, double))))
}

/// As [`map`], many numbers at a time where `function` is that of `f`.
fn lanes(call: &mut Call, function: Function, f: fn(f64) -> f64) -> Res<Value> {
    if let Value::Array(t) = &call.args[0] {
        let data = match &*t.data.borrow() {
            Data::F32(v) if !call.double() => Data::F32(storage::build(v.len(), |range, out| {
                wide::run(Special { out, x: &v[range], function, exact: f });
            })),
            // The other way knows no more than singles need.
            Data::F64(v) if function != Function::Erfc => Data::F64(storage::build(v.len(), |range, out| {
                wide::run(Special { out, x: &v[range], function, exact: f });
            })),
            _ => return map(call, f),
        };
        return Ok(Value::array(Tensor::new(t.shape.clone(), data)));
    }
    map(call, f)
}

/// The function of the elements of arguments 0 and 1, of which one may be a number.
pub(super) fn pair(call: &mut Call, f: impl Fn(f64, f64) -> Res<f64> + Sync) -> Res<Value> {
    pair_as(call, f, false)
}

/// The same, in double precision if the arguments have it or `exact` says so.
fn pair_as(call: &mut Call, f: impl Fn(f64, f64) -> Res<f64> + Sync, exact: bool) -> Res<Value> {
    let ((s, x), (t, y)) = (reals(call, 0)?, reals(call, 1)?);
    let double = exact || is_double(call, &s) || is_double(call, &t);
    let shape = if x.len() == 1 { &t.shape } else { &s.shape };
    if x.len() != 1 && y.len() != 1 && s.shape != t.shape {
        let (a, b) = (crate::display::shape_text(&s.shape), crate::display::shape_text(&t.shape));
        fault!("Q0320", "operands of '{}' have incompatible sizes {a} and {b}", call.name; "use equal sizes, or one number");
    }
    let n = if x.len() == 1 { y.len() } else { x.len() };
    let at = |v: &[f64], i: usize| if v.len() == 1 { v[0] } else { v[i] };
    let failed = AtomicBool::new(false);
    let mut out = storage::build(n, |range, out: &mut [f64]| {
        for (i, o) in range.zip(out) {
            match f(at(&x, i), at(&y, i)) {
                Ok(v) => *o = v,
                Err(_) => failed.store(true, Ordering::Relaxed),
            }
        }
    });
    if failed.into_inner() {
        // Once more in their order, for the first error.
        out = (0..n).map(|i| f(at(&x, i), at(&y, i))).collect::<Res<_>>()?;
    }
    if call.args[0].is_number() && call.args[1].is_number() {
        return Ok(Value::scalar(out[0], double));
    }
    Ok(Value::array(Tensor::new(shape.clone(), real_data(out, double))))
}

/// Euler's gamma function; NaN at the whole numbers below 0 and infinity at 0.
fn gamma(x: f64) -> f64 {
    if x < 0.0 && x == x.floor() { f64::NAN } else { libm::tgamma(x) }
}

/// The logarithm of the absolute value of gamma.
fn lgamma(x: f64) -> f64 {
    if x <= 0.0 && x == x.floor() { f64::INFINITY } else { libm::lgamma(x) }
}

fn beta(a: f64, b: f64) -> f64 {
    if a > 0.0 && b > 0.0 { (lgamma(a) + lgamma(b) - lgamma(a + b)).exp() } else { gamma(a) * gamma(b) / gamma(a + b) }
}

/// A number that has to be whole, not negative and exact as a double.
fn natural(name: &str, x: f64) -> Res<u64> {
    if x.is_finite() && x >= 0.0 && x == x.floor() && x <= 9_007_199_254_740_992.0 {
        return Ok(x as u64);
    }
    fault!("Q0314", "'{name}' needs whole numbers from 0, not {}", crate::display::real(x); "use round(x) or abs(x)")
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Whole results are integers where they fit.
fn whole(v: Value) -> Value {
    let fits = |x: f64| x == x.floor() && x.abs() < 2_147_483_648.0;
    match &v {
        Value::Array(t) => {
            let values = to_f64(&t.data.borrow()).into_owned();
            if !values.iter().all(|x| fits(*x)) {
                return v.clone();
            }
            let data = Data::Int(values.into_iter().map(|x| x as i32).collect());
            Value::array(Tensor::new(t.shape.clone(), data))
        }
        v => v.as_f64().filter(|x| fits(*x)).map_or(v.clone(), |x| Value::Int(x as i32)),
    }
}

/// Whether all arguments hold integers.
fn integers(call: &Call) -> bool {
    call.args.iter().all(|v| match v {
        Value::Array(t) => t.data.borrow().int_kind().is_some(),
        v => v.is_integer(),
    })
}

/// Greatest common divisors of many numbers at a time by Euclid's way. All are whole and below 2^31, of which quotients of doubles,
/// rounded down, are exact.
struct Divisors<'a> {
    out: &'a mut [f64],
    a: Operand<'a, f64>,
    b: Operand<'a, f64>,
    /// Least common multiples instead.
    multiples: bool,
}

impl wide::Job for Divisors<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        const LANES: usize = 16;
        let lanes = |v: &Operand<'_, f64>, at: usize| -> [f64; LANES] {
            let mut out = [0.0; LANES];
            match v {
                Operand::Array(v) => out.iter_mut().zip(&v[at..]).for_each(|(o, x)| *o = x.abs()),
                Operand::Number(x) => out.fill(x.abs()),
            }
            out
        };
        for (k, out) in self.out.chunks_mut(LANES).enumerate() {
            let (a, b) = (lanes(&self.a, k * LANES), lanes(&self.b, k * LANES));
            let (mut x, mut y) = (a, b);
            while y.iter().fold(false, |any, y| any | (*y != 0.0)) {
                for (x, y) in x.iter_mut().zip(&mut y) {
                    // A lane that is done divides by 1 and stays.
                    let (by, done) = (if *y == 0.0 { 1.0 } else { *y }, *y == 0.0);
                    let rest = *x - (*x / by).floor() * by;
                    *x = if done { *x } else { *y };
                    *y = if done { 0.0 } else { rest };
                }
            }
            for (((o, x), a), b) in out.iter_mut().zip(&x).zip(&a).zip(&b) {
                *o = if !self.multiples {
                    *x
                } else if *x == 0.0 {
                    0.0
                } else {
                    a / x * b
                };
            }
        }
    }
}

/// The same as [`of_naturals`] of long arrays of the same size, or one of them and a number, if all are whole numbers below 2^31.
fn divisors(call: &Call, multiples: bool) -> Option<Value> {
    let side = |v: &Value| match v {
        Value::Array(t) if !t.is_cell() && !t.data.borrow().is_complex() => Some((
            to_f64(&t.data.borrow()).into_owned(),
            Some(t.shape.clone()),
            matches!(*t.data.borrow(), Data::F64(_)),
        )),
        v if v.is_number() => Some((vec![v.as_f64()?], None, false)),
        _ => None,
    };
    let ((a, s, p), (b, t, q)) = (side(&call.args[0])?, side(&call.args[1])?);
    let shape = match (s, t) {
        (Some(s), Some(t)) if s == t => s,
        (Some(s), None) | (None, Some(s)) => s,
        _ => return None,
    };
    let tame = |v: &[f64]| v.iter().fold(true, |all, x| all & (x.abs() < 2_147_483_648.0) & (*x == x.trunc()));
    if a.is_empty() || b.is_empty() || !tame(&a) || !tame(&b) {
        return None;
    }
    let of = |v: &'_ [f64], n: usize| v.len() == n;
    let n = a.len().max(b.len());
    let operand = |v| -> Operand<'_, f64> { if of(v, n) { Operand::Array(v) } else { Operand::Number(v[0]) } };
    let (x, y) = (operand(&a), operand(&b));
    let out: Vec<f64> = storage::build(n, |range, out| {
        wide::run(Divisors { out, a: x.part(&range), b: y.part(&range), multiples });
    });
    let fits = || out.iter().fold(true, |all, x| all & (*x < 2_147_483_648.0));
    let data = match integers(call) && fits() {
        true => Data::Int(out.iter().map(|x| *x as i32).collect()),
        false => real_data(out, p || q || call.double()),
    };
    Some(Value::array(Tensor::new(shape, data)))
}

fn of_naturals(call: &mut Call, f: impl Fn(u64, u64) -> f64 + Sync) -> Res<Value> {
    let (name, ints) = (call.name, integers(call));
    let f = |a: f64, b: f64| Ok(f(natural(name, a.abs())?, natural(name, b.abs())?));
    if ints && let v @ (Value::Int(_) | Value::Array(_)) = whole(pair_as(call, f, true)?) {
        let is_int = !matches!(&v, Value::Array(t) if matches!(*t.data.borrow(), Data::F64(_)));
        if is_int {
            return Ok(v);
        }
    }
    pair(call, f)
}

/// n! as a float; exact up to 22!.
fn factorial(call: &mut Call) -> Res<Value> {
    let (_, values) = reals(call, 0)?;
    for x in values {
        natural(call.name, x)?;
    }
    let ints = integers(call);
    let v = map(call, |n| if n > 170.0 { f64::INFINITY } else { (2..=n as u64).map(|k| k as f64).product() })?;
    Ok(if ints { whole(v) } else { v })
}

fn choose(call: &mut Call) -> Res<Value> {
    let (ints, name) = (integers(call), call.name);
    let v = pair(call, |n, k| {
        let (n, k) = (natural(name, n)?, natural(name, k)?);
        if k > n {
            fault!("Q0314", "'nchoosek' of {k} elements out of {n}"; "the second number is at most the first");
        }
        let k = k.min(n - k);
        // Each intermediate result is a binomial coefficient itself, so the division is exact while it fits.
        let mut out = 1.0f64;
        for i in 0..k {
            out = (out * (n - i) as f64 / (i + 1) as f64).round();
            if out.is_infinite() {
                break;
            }
        }
        Ok(out)
    })?;
    Ok(if ints { whole(v) } else { v })
}

/// Whether each of the numbers below `n` is prime.
fn sieve(n: usize) -> Vec<bool> {
    let mut prime = vec![true; n];
    prime.iter_mut().take(2).for_each(|p| *p = false);
    let mut i = 2;
    while i * i < n {
        if prime[i] {
            (i * i..n).step_by(i).for_each(|k| prime[k] = false);
        }
        i += 1;
    }
    prime
}

fn primes(call: &mut Call) -> Res<Value> {
    let n = call.number(0)?;
    if n.is_nan() || n > 1e8 || !crate::memory::fits(n.max(0.0) as usize * 2) {
        fault!("Q0314", "'primes' up to {}", crate::display::real(n); "up to 100000000");
    }
    let prime = sieve(if n < 2.0 { 0 } else { n as usize + 1 });
    Ok(Value::array(Tensor::ints(prime.iter().enumerate().filter(|(_, p)| **p).map(|(i, _)| i as i64))))
}

/// The prime factors, ascending.
fn factors(mut n: u64) -> Vec<u64> {
    let (mut out, mut p) = (Vec::new(), 2);
    while p * p <= n {
        while n.is_multiple_of(p) {
            out.push(p);
            n /= p;
        }
        p += if p == 2 { 1 } else { 2 };
    }
    if n > 1 || out.is_empty() {
        out.push(n);
    }
    out
}

fn factor(call: &mut Call) -> Res<Value> {
    let n = natural(call.name, call.number(0)?)?;
    if n >= 1 << 48 {
        fault!("Q0314", "'factor' of a number beyond 2^48"; "numbers up to 2^48");
    }
    Ok(whole(Value::array(Tensor::scalars(factors(n).into_iter().map(|p| p as f64).collect(), true))))
}

fn is_prime(call: &mut Call) -> Res<Value> {
    let (t, values) = reals(call, 0)?;
    let test = |x: &f64| -> Res<u8> {
        let n = natural(call.name, *x)?;
        if n >= 1 << 48 {
            fault!("Q0314", "'isprime' of a number beyond 2^48"; "numbers up to 2^48");
        }
        Ok(u8::from(n > 1 && factors(n).len() == 1))
    };
    let out = values.iter().map(test).collect::<Res<Vec<u8>>>()?;
    if call.args[0].is_number() {
        return Ok(Value::bool(out[0] == 1));
    }
    Ok(Value::array(Tensor::new(t.shape.clone(), Data::Mask(out))))
}

pub const TABLE: &[Builtin] = &[
    row!("erf", "erf(x)", "error function", "print erf(0.5)", 1..=1, Run::One(|c| lanes(c, Function::Erf, libm::erf))),
    row!(
        "erfc",
        "erfc(x)",
        "1 - erf(x), exact for large x",
        "print erfc(3)",
        1..=1,
        Run::One(|c| lanes(c, Function::Erfc, libm::erfc))
    ),
    row!(
        "gamma",
        "gamma(x)",
        "Euler's gamma function",
        "print gamma(5)",
        1..=1,
        Run::One(|c| lanes(c, Function::Gamma, gamma))
    ),
    row!(
        "lgamma",
        "lgamma(x)",
        "log(abs(gamma(x)))",
        "print lgamma(10)",
        1..=1,
        Run::One(|c| lanes(c, Function::LogGamma, lgamma))
    ),
    row!(
        "gammaln",
        "gammaln(x)",
        "the same as lgamma",
        "print gammaln(10)",
        1..=1,
        Run::One(|c| lanes(c, Function::LogGamma, lgamma))
    ),
    row!(
        "beta",
        "beta(a,b)",
        "gamma(a)*gamma(b)/gamma(a+b)",
        "print beta(2,3)",
        2..=2,
        Run::One(|c| pair(c, |a, b| Ok(beta(a, b))))
    ),
    row!(
        "gcd",
        "gcd(a,b)",
        "greatest common divisor",
        "print gcd(12,18)",
        2..=2,
        Run::One(|c| match divisors(c, false) {
            Some(v) => Ok(v),
            None => of_naturals(c, |a, b| gcd(a, b) as f64),
        })
    ),
    row!(
        "lcm",
        "lcm(a,b)",
        "least common multiple",
        "print lcm(4,6)",
        2..=2,
        Run::One(|c| match divisors(c, true) {
            Some(v) => Ok(v),
            None => of_naturals(c, |a, b| if a == 0 || b == 0 { 0.0 } else { (a / gcd(a, b)) as f64 * b as f64 }),
        })
    ),
    row!("factorial", "factorial(n)", "n!", "print factorial(5)", 1..=1, Run::One(factorial)),
    row!(
        "nchoosek",
        "nchoosek(n,k)",
        "number of ways to choose k of n elements",
        "print nchoosek(5,2)",
        2..=2,
        Run::One(choose)
    ),
    row!("primes", "primes(n)", "the primes up to n", "print primes(12)", 1..=1, Run::One(primes)),
    row!("isprime", "isprime(n)", "1 for primes", "print isprime([4,5])", 1..=1, Run::One(is_prime)),
    row!("factor", "factor(n)", "the prime factors of n, ascending", "print factor(12)", 1..=1, Run::One(factor)),
];
