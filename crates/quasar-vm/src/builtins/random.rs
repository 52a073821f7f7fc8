//! Random numbers, from the generator of the run.

use super::{Builtin, Call, Run, row};
use crate::fault::{Res, fault};
use crate::random::Random;
use crate::tensor::{Data, Tensor};
use crate::value::Value;
use quadra_quasar_hir::meaning::Meaning;

fn fill(call: &mut Call, skip: usize, f: impl Fn(&mut Random) -> f64) -> Res<Value> {
    let double = call.double();
    if let Some("seed" | "state" | "twister") = call.args.first().and_then(Value::as_text) {
        call.cx.random = Random::new(if call.args.len() > 1 { call.integer(1)? as u64 } else { 0 });
        return Ok(Value::Unset);
    }
    if call.args.len() == skip {
        return Ok(Value::scalar(f(&mut call.cx.random), double));
    }
    let shape = super::array::shape_from(&call.args[skip..], "an array")?;
    // Reserves within the limit before the numbers are made.
    let empty = Tensor::zeros(shape, &quadra_quasar_hir::types::Type::SCALAR, double)?;
    let mut random = call.cx.random.clone();
    match &mut *empty.data.borrow_mut() {
        Data::F32(v) => v.iter_mut().for_each(|o| *o = f(&mut random) as f32),
        Data::F64(v) => v.iter_mut().for_each(|o| *o = f(&mut random)),
        _ => {}
    }
    call.cx.random = random;
    Ok(Value::array(empty))
}

/// `randi(n,d…)` from 0 to n-1, `randi([a,b],d…)` from a to b.
fn randi(call: &mut Call) -> Res<Value> {
    let (low, n) = match call.list(0)?[..] {
        [n] => (0.0, n.trunc().max(1.0)),
        [a, b] if a <= b => (a.ceil(), (b.floor() - a.ceil() + 1.0).max(1.0)),
        _ => return Err(call.wrong(0, "a number, or the least and the greatest")),
    };
    let v = fill(call, 1, |r| low + (r.uniform() * n).floor())?;
    match v {
        Value::Array(_) => Ok(v),
        v => crate::typing::convert(&v, &quadra_quasar_hir::types::Type::INT, call.double()),
    }
}

/// The numbers from 0 to n-1 in random order, or the first k of them (Fisher and Yates).
fn randperm(call: &mut Call) -> Res<Value> {
    let n = call.integer(0)?;
    let k = if call.args.len() > 1 { call.integer(1)? } else { n };
    if !(0..=1 << 30).contains(&n) || !(0..=n).contains(&k) || !crate::memory::fits(n as usize * 12) {
        fault!("Q0314", "'randperm' of {k} numbers out of {n}"; "randperm(n), or randperm(n,k) with k up to n");
    }
    let mut all: Vec<i32> = (0..n as i32).collect();
    let mut random = call.cx.random.clone();
    for i in 0..k as usize {
        let j = i + (random.bits() % (n as u64 - i as u64)) as usize;
        all.swap(i, j);
    }
    call.cx.random = random;
    all.truncate(k as usize);
    Ok(Value::array(Tensor::vector(Data::Int(all))))
}

fn seed(call: &mut Call) -> Res<()> {
    call.cx.random = Random::new(call.integer(0)? as u64);
    Ok(())
}

pub const TABLE: &[Builtin] = &[
    row!(
        "rand",
        "rand(d…)",
        "uniform in 0..1; one number without arguments",
        "x = rand(2,2)",
        0..=16,
        Run::One(|c| fill(c, 0, Random::uniform))
    )
    .means(Meaning::Random),
    row!(
        "randn",
        "randn(d…)",
        "standard normal; one number without arguments",
        "x = randn(2,2)",
        0..=16,
        Run::One(|c| fill(c, 0, Random::normal))
    )
    .means(Meaning::Random),
    row!(
        "randi",
        "randi(n,d…), randi([a,b],d…)",
        "whole numbers from 0 to n-1, or from a to b",
        "x = randi(6)",
        1..=17,
        Run::One(randi)
    ),
    row!(
        "randperm",
        "randperm(n[,k])",
        "the numbers from 0 to n-1 in random order, or k of them",
        "x = randperm(5)",
        1..=2,
        Run::One(randperm)
    ),
    row!(
        "seed",
        "seed(n)",
        "starts the random numbers anew; equal seeds, equal numbers",
        "seed(1)",
        1..=1,
        Run::Effect(seed)
    ),
];
