//! Bessel functions, and shares of the gamma and beta functions. They work on the host, in double precision.

use super::special::{map, pair, reals};
use super::{Builtin, Call, Run, cylinder_complex, integrals, row};
use crate::arith::{complex_data, to_c64};
use crate::fault::{Res, fault};
use crate::tensor::{Tensor, real_data};
use crate::value::Value;

/// A Bessel function of real orders and places; what is not real there is an error.
fn bessel(call: &mut Call, f: fn(f64, f64) -> f64) -> Res<Value> {
    let name = call.name;
    pair(call, |v, x| {
        if v.abs() > 10_000.0 {
            fault!("Q0314", "'{name}' of the order {}", crate::display::real(v); "orders from -10000 to 10000");
        }
        let y = f(v, x);
        if y.is_nan() && !v.is_nan() && !x.is_nan() {
            fault!("Q0314", "'{name}' of a number below 0 is not real"; "numbers from 0, or besselj and besseli of a whole order");
        }
        Ok(y)
    })
}

/// `besselj`, also of complex numbers.
fn bessel_j(call: &mut Call) -> Res<Value> {
    let t = call.tensor(1)?;
    if !t.data.borrow().is_complex() {
        return bessel(call, integrals::bessel_j);
    }
    let (orders, z) = (reals(call, 0)?, to_c64(&t.data.borrow()));
    let (first, orders) = (orders.0, orders.1);
    if orders.len() != 1 && z.len() != 1 && first.shape != t.shape {
        let (a, b) = (crate::display::shape_text(&first.shape), crate::display::shape_text(&t.shape));
        fault!("Q0320", "operands of 'besselj' have incompatible sizes {a} and {b}"; "use equal sizes, or one number");
    }
    if let Some(v) = orders.iter().find(|v| v.abs() > 1000.0) {
        fault!("Q0314", "'besselj' of the order {} of a complex number", crate::display::real(*v); "orders from -1000 to 1000");
    }
    let n = if orders.len() == 1 { z.len() } else { orders.len() };
    let out = (0..n).map(|i| {
        cylinder_complex::bessel_j(orders[if orders.len() == 1 { 0 } else { i }], z[if z.len() == 1 { 0 } else { i }])
    });
    let out: Vec<[f64; 2]> = out.collect();
    if call.args[0].is_number() && call.args[1].is_number() {
        return Ok(Value::complex(out[0][0], out[0][1], call.double()));
    }
    let shape = if orders.len() == 1 { &t.shape } else { &first.shape };
    Ok(Value::array(Tensor::new(shape.clone(), complex_data(out, call.double()))))
}

/// Whether the last argument asks for the upper part.
fn upper(call: &Call, i: usize) -> Res<bool> {
    match call.args.get(i) {
        None => Ok(false),
        Some(_) => match call.text(i)? {
            "lower" => Ok(false),
            "upper" => Ok(true),
            _ => Err(call.wrong(i, "\"lower\" or \"upper\"")),
        },
    }
}

fn gammainc(call: &mut Call) -> Res<Value> {
    let upper = upper(call, 2)?;
    pair(&mut call.with(&call.args[..2]), |x, a| Ok(integrals::gamma_share(x, a, upper)))
}

fn betainc(call: &mut Call) -> Res<Value> {
    let upper = upper(call, 3)?;
    let lists = [reals(call, 0)?, reals(call, 1)?, reals(call, 2)?];
    // What is no number gives the size, be it empty.
    let most = (0..3).find(|l| lists[*l].1.len() != 1).unwrap_or(0);
    let (longest, values) = (lists[most].0.clone(), lists[most].1.len());
    if let Some((t, _)) = lists.iter().find(|(t, v)| v.len() != 1 && t.shape != longest.shape) {
        let (a, b) = (crate::display::shape_text(&longest.shape), crate::display::shape_text(&t.shape));
        fault!("Q0320", "operands of 'betainc' have incompatible sizes {a} and {b}"; "use equal sizes, or one number");
    }
    let at = |l: usize, i: usize| lists[l].1[if lists[l].1.len() == 1 { 0 } else { i }];
    let share = |i: usize| {
        let lower = integrals::beta_share(at(0, i), at(1, i), at(2, i));
        if upper { integrals::beta_share(1.0 - at(0, i), at(2, i), at(1, i)) } else { lower }
    };
    let out: Vec<f64> = (0..values).map(share).collect();
    if call.args[..3].iter().all(Value::is_number) {
        return Ok(Value::scalar(out[0], call.double()));
    }
    Ok(Value::array(Tensor::new(longest.shape.clone(), real_data(out, call.double()))))
}

pub const TABLE: &[Builtin] = &[
    row!(
        "besselj",
        "besselj(v,x)",
        "Bessel function of the first kind, of order v; x may be complex",
        "print besselj(0,1)",
        2..=2,
        Run::One(bessel_j)
    ),
    row!(
        "bessely",
        "bessely(v,x)",
        "Bessel function of the second kind, of order v",
        "print bessely(0,1)",
        2..=2,
        Run::One(|c| bessel(c, integrals::bessel_y))
    ),
    row!(
        "besseli",
        "besseli(v,x)",
        "modified Bessel function of the first kind, of order v",
        "print besseli(0,1)",
        2..=2,
        Run::One(|c| bessel(c, integrals::bessel_i))
    ),
    row!(
        "besselk",
        "besselk(v,x)",
        "modified Bessel function of the second kind, of order v",
        "print besselk(0,1)",
        2..=2,
        Run::One(|c| bessel(c, integrals::bessel_k))
    ),
    row!(
        "gammainc",
        "gammainc(x,a[,\"upper\"])",
        "the share of gamma(a) that its integral up to x makes; \"upper\": the rest of it",
        "print gammainc(1,2)",
        2..=3,
        Run::One(gammainc)
    ),
    row!(
        "betainc",
        "betainc(x,a,b[,\"upper\"])",
        "the share of beta(a,b) that its integral up to x makes; \"upper\": the rest of it",
        "print betainc(0.5,1,2)",
        3..=4,
        Run::One(betainc)
    ),
    row!(
        "erfcx",
        "erfcx(x)",
        "exp(x^2)*erfc(x), exact for large x",
        "print erfcx(30)",
        1..=1,
        Run::One(|c| map(c, integrals::scaled_erfc))
    ),
    row!(
        "erfcinv",
        "erfcinv(y)",
        "the number whose erfc is y",
        "print erfcinv(0.5)",
        1..=1,
        Run::One(|c| map(c, integrals::inverse_erfc))
    ),
    row!(
        "psi",
        "psi(x)",
        "derivative of the logarithm of gamma(x)",
        "print psi(1)",
        1..=1,
        Run::One(|c| map(c, integrals::digamma))
    ),
];
