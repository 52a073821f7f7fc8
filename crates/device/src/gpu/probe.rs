//! What a driver does with floats: 64 items compute what is known, when a GPU is opened.

use super::context::{Context, Found};
use super::shader::Code;
use crate::common::accelerator::{Copy, Driver, Launch};
use quadra_back_gpu::{Header, Prepared, Target};
use quadra_kir::parse;
use std::sync::Arc;

/// `x`, `y` and `z` are far from what rounds in the same way however it is computed.
const KERNEL: &str = "kernel @probe(%x: buf<f32, r>, %y: buf<f32, r>, %o: buf<i32, w>) simt group=16 over=1 {
    %i = item 0 %a = load %x[%i] %b = load %y[%i] %at = mul %i, 10
    %p = mul %a, %b %s = add %p, %a %t = sub %s, %b
    %q = div %a, %b %r = sqrt %b
    %m = mul %a, 1.0 %n = to.i32 %a
    %sum = add %a, %b %difference = sub %sum, %a
    %v0 = bits.i32 %p store %o[%at], %v0
    %i1 = add %at, 1 %v1 = bits.i32 %t store %o[%i1], %v1
    %i2 = add %at, 2 %v2 = bits.i32 %q store %o[%i2], %v2
    %i3 = add %at, 3 %v3 = bits.i32 %r store %o[%i3], %v3
    %i4 = add %at, 4 %v4 = bits.i32 %m store %o[%i4], %v4
    %i5 = add %at, 5 store %o[%i5], %n
    %i6 = add %at, 6 %v6 = bits.i32 %sum store %o[%i6], %v6
    %i7 = add %at, 7 %v7 = bits.i32 %difference store %o[%i7], %v7
    %zero = mul %a, 0.0 %i8 = add %at, 8 %v8 = bits.i32 %zero store %o[%i8], %v8
    %least = min %a, %b %i9 = add %at, 9 %v9 = bits.i32 %least store %o[%i9], %v9 }";
const ITEMS: usize = 64;
const RESULTS: usize = 10;

/// Numbers without a pattern, and among the first ones what is special: a third, a denormal number, no
/// number, an infinite one, zeros of both signs.
fn numbers() -> [[f32; ITEMS]; 2] {
    let random = |n: usize, by: u32| {
        let bits = (n as u32 + 1).wrapping_mul(by);
        f32::from_bits(0x3f80_0000 | bits >> 9) * [0.5, 1.0, 3.0, 1e3][n % 4]
    };
    let mut x: [f32; ITEMS] = std::array::from_fn(|n| random(n, 0x9e37_79b9));
    let mut y: [f32; ITEMS] = std::array::from_fn(|n| random(n, 0x85eb_ca6b));
    (x[0], y[0]) = (1.0, 3.0);
    (x[1], y[1]) = (f32::from_bits(0x0001_2345), 1.0);
    (x[2], y[2]) = (f32::NAN, 1.0);
    (x[3], y[3]) = (f32::INFINITY, 1.0);
    (x[4], y[4]) = (0.0, -0.0);
    [x, y]
}

/// Asks the driver.
///
/// # Errors
/// What went wrong, in words.
pub fn run(context: &Arc<Context>) -> Result<Found, String> {
    let [x, y] = numbers();
    let words = compute(context, KERNEL, &[&x, &y], (ITEMS, RESULTS))?;
    let of = |item: usize, result: usize| words[item * RESULTS + result];
    let float = |item: usize, result: usize| f32::from_bits(of(item, result));
    let mut found = Found {
        single: true,
        contracts: false,
        rounds: true,
        // A product with 1 may be none, if it is known to be one.
        denormals: [0, 4].iter().all(|&result| of(1, result) == x[1].to_bits()),
        nan: of(2, 5) as i32,
        doubles: context.facts.target.float64,
        folds: !float(3, 8).is_nan(),
        // The first operand is the least one, unless it is greater.
        special: of(4, 9) == 0 && float(2, 9).is_nan(),
    };
    for item in (0..ITEMS).filter(|n| !(1..=4).contains(n)) {
        let (a, b) = (x[item], y[item]);
        found.single &= float(item, 0) == a * b && float(item, 6) == a + b && float(item, 7) == a + b - a;
        let twice = a * b + a - b;
        found.contracts |= float(item, 1) != twice && float(item, 1) == a.mul_add(b, a) - b;
        found.single &= float(item, 1) == twice || found.contracts;
        found.rounds &= float(item, 2) == a / b && float(item, 3) == b.sqrt();
    }
    Ok(found)
}

/// The bits of all results, so many for each of some items.
fn compute(
    context: &Arc<Context>,
    text: &str,
    inputs: &[&[f32]],
    (items, results): (usize, usize),
) -> Result<Vec<u32>, String> {
    let kernel = parse::kernel("probe", text).map_err(|d| d[0].message.clone())?;
    let prepared = Prepared::new(&kernel, context.facts.caps).map_err(|d| d[0].message.clone())?;
    let target = Target { raw: true, ..context.facts.target };
    let shader = prepared.shader(&prepared.none(), &target).map_err(|d| d[0].message.clone())?;
    let code = Code::new(context, &shader, inputs.len() as u32 + 1)?;
    let bytes = |v: &[f32]| v.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let mut stream = context.stream();
    let mut into = vec![0; 4 * items * results];
    let all: Vec<Vec<u8>> = inputs.iter().map(|x| bytes(x)).chain([into.clone()]).collect();
    let copies: Vec<_> = all.iter().map(|b| Copy::of(context, &mut stream, b)).collect();
    let (extent, dims): (_, Vec<[u32; 1]>) = ([items as u32], all.iter().map(|b| [b.len() as u32 / 4]).collect());
    let dims: Vec<&[u32]> = dims.iter().map(|d| &d[..]).collect();
    let groups = shader.form.groups(&extent).ok_or("it has no groups")?;
    let header = Header { extent: &extent, scalars: &[], dims: &dims }.words(&shader.form, 0, groups);
    let buffers: Vec<_> = copies.iter().map(|c| c.memory()).collect();
    let groups = shader.form.folded(groups);
    context.dispatch(&mut stream, &code, Launch { header, groups, buffers: &buffers });
    copies[inputs.len()].read(&mut stream, &mut into)?;
    Ok(into.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect())
}
