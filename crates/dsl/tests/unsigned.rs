//! Integers without a sign, on every device as in plain Rust.

extern crate quadra_dsl as quadra;

use quadra_device::{Device, open};
use quadra_dsl::prelude::*;
use std::sync::Arc;

const A: [u32; 16] = [
    0,
    1,
    2,
    7,
    255,
    256,
    65535,
    65536,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_fffe,
    u32::MAX,
    1000,
    12345678,
    3_000_000_000,
];
const B: [u32; 16] =
    [0, 1, 3, 0, 2, 255, 0x8000_0000, 10, 0x7fff_ffff, 3, 0x8000_0001, u32::MAX, u32::MAX, 0x8000_0000, 1000, 7];

fn devices() -> Vec<(&'static str, Arc<dyn Device>)> {
    ["interp", "cpu", "emu"].into_iter().filter_map(|name| Some((name, open(name).ok()?))).collect()
}

#[kernel]
fn everything(a: Ptr<UInt>, b: Ptr<UInt>, n: UInt, out: Ptr<UInt>) {
    let (x, y) = (*a, *b);
    let list = [
        x + y,
        x - y,
        x * y,
        x / y,
        x % y,
        x >> (y & 31),
        x << (y & 31),
        (x & y) | (x ^ n),
        !x,
        x.min(y),
        x.max(y),
        (x < y).to_uint() + (x <= y).to_uint() * 2 + (x > y).to_uint() * 4 + (x >= 0x8000_0000).to_uint() * 8,
        x / 10,
        x % 1000,
        x / 16,
        x % 64,
        7 / y,
        x.to_int().to_uint(),
        x.clz() + x.ror(8u32),
        x / n,
    ];
    for (i, v) in list.into_iter().enumerate() {
        out[16 * i as i32] = v;
    }
}

fn in_rust(x: u32, y: u32, n: u32) -> [u32; 20] {
    [
        x.wrapping_add(y),
        x.wrapping_sub(y),
        x.wrapping_mul(y),
        x.checked_div(y).unwrap_or(0),
        x.checked_rem(y).unwrap_or(0),
        x >> (y & 31),
        x << (y & 31),
        (x & y) | (x ^ n),
        !x,
        x.min(y),
        x.max(y),
        u32::from(x < y) + u32::from(x <= y) * 2 + u32::from(x > y) * 4 + u32::from(x >= 0x8000_0000) * 8,
        x / 10,
        x % 1000,
        x / 16,
        x % 64,
        7u32.checked_div(y).unwrap_or(0),
        x,
        x.leading_zeros().wrapping_add(x.rotate_right(8)),
        x / n,
    ]
}

#[test]
fn operators_are_those_of_rust() {
    for (name, device) in devices() {
        let compiled = everything().compile(&*device).unwrap_or_else(|e| panic!("{name}: {e}"));
        for (turn, n) in [0x9000_0000u32, 5, u32::MAX].into_iter().enumerate() {
            let b: Vec<u32> = (0..16).map(|i| B[(i + 5 * turn) % 16]).collect();
            let (x, y, out) = (Buffer::from(A.to_vec()), Buffer::from(b.clone()), Buffer::<u32>::new(320));
            compiled.call((&x, &y, n, &out)).unwrap_or_else(|e| panic!("{name}: {e}"));
            let got = out.to_vec();
            for lane in 0..16 {
                let got: Vec<u32> = (0..20).map(|i| got[16 * i + lane]).collect();
                assert_eq!(got, in_rust(A[lane], b[lane], n), "{name}, {:#x} and {:#x}", A[lane], b[lane]);
            }
        }
    }
}

#[kernel]
fn converted(x: Ptr<UInt>, f: Ptr<Float>, as_float: Ptr<Float>, as_uint: Ptr<UInt>) {
    *as_float = x.load().to_float();
    *as_uint = f.load().to_uint();
}

#[test]
fn conversions_reach_beyond_the_signed_numbers() {
    let floats: [f32; 16] = [
        0.0,
        0.99,
        -0.99,
        -1.0,
        -5e9,
        1.5,
        16777216.0,
        2147483520.0,
        2147483648.0,
        3e9,
        4294967040.0,
        4294967296.0,
        1e20,
        f32::INFINITY,
        f32::NEG_INFINITY,
        7e7,
    ];
    let fits = |f: f32| f > -1.0 && f < 4294967296.0;
    for (name, device) in devices() {
        let (x, f) = (Buffer::from(A.to_vec()), Buffer::from(floats.to_vec()));
        let (y, u) = (Buffer::<f32>::new(16), Buffer::<u32>::new(16));
        converted().compile(&*device).unwrap().call((&x, &f, &y, &u)).unwrap_or_else(|e| panic!("{name}: {e}"));
        for i in 0..16 {
            let want = if fits(floats[i]) { floats[i] as u32 } else { 0 };
            assert_eq!(u.get(i), want, "{name}: {}", floats[i]);
            // The QPU truncates where the others round.
            let (got, near) = (f64::from(y.get(i)), f64::from(A[i]));
            assert!((got - near).abs() <= near / f64::from(1 << 23), "{name}: {got} for {near}");
        }
    }
}

#[kernel]
fn narrow(bytes: Ptr<u8>, halves: Ptr<u16>, sums: Ptr<UInt>, bytes_out: Ptr<u8>, halves_out: Ptr<u16>) {
    let (b, h) = (*bytes, *halves);
    *sums = b * 1000 + h;
    *bytes_out = b + 200;
    *halves_out = h * 3;
    bytes_out[16] = bytes.at(15 - index()).load_lanes();
}

#[test]
fn bytes_and_halves_have_no_sign() {
    let bytes: Vec<u8> = (0..16).map(|i| (i * 17) as u8).collect();
    let halves: Vec<u16> = (0..16).map(|i| (i * 4369) as u16).collect();
    for (name, device) in devices() {
        let (b, h) = (Buffer::from(bytes.clone()), Buffer::from(halves.clone()));
        let (s, bo, ho) = (Buffer::<u32>::new(16), Buffer::<u8>::new(32), Buffer::<u16>::new(16));
        narrow().compile(&*device).unwrap().call((&b, &h, &s, &bo, &ho)).unwrap_or_else(|e| panic!("{name}: {e}"));
        for i in 0..16 {
            assert_eq!(s.get(i), u32::from(bytes[i]) * 1000 + u32::from(halves[i]), "{name}");
            assert_eq!(bo.get(i), bytes[i].wrapping_add(200), "{name}");
            assert_eq!(bo.get(16 + i), bytes[15 - i], "{name}");
            assert_eq!(ho.get(i), halves[i].wrapping_mul(3), "{name}");
        }
    }
}

#[test]
fn printing_shows_no_sign() {
    #[kernel]
    fn show(x: Ptr<UInt>) {
        print(("got ", *x, " and ", int(-1), "{u}"));
    }
    for (name, device) in devices() {
        let lines = Arc::new(std::sync::Mutex::new(Vec::new()));
        let sink = lines.clone();
        let k = show().compile(&*device).unwrap().print_to(move |line| sink.lock().unwrap().push(line.to_string()));
        k.call((&Buffer::from(vec![4_000_000_000u32; 16]),)).unwrap();
        assert_eq!(*lines.lock().unwrap(), ["got 4000000000 and -1{ u}"], "{name}");
    }
}

#[kernel]
#[allow(clippy::too_many_arguments)]
fn many(
    a0: Int,
    a1: Int,
    a2: Int,
    a3: Int,
    a4: Int,
    a5: Int,
    a6: Int,
    a7: Int,
    a8: Int,
    a9: Int,
    b0: Int,
    b1: Int,
    b2: Int,
    b3: Int,
    b4: Int,
    b5: Int,
    b6: Int,
    b7: Int,
    b8: Int,
    b9: Int,
    p0: Ptr<Int>,
    p1: Ptr<Int>,
    p2: Ptr<Int>,
    p3: Ptr<Int>,
    p4: Ptr<Int>,
    p5: Ptr<Int>,
    p6: Ptr<Int>,
    p7: Ptr<Int>,
    p8: Ptr<Int>,
    p9: Ptr<Int>,
    q0: Ptr<Int>,
    q1: Ptr<Int>,
    q2: Ptr<Int>,
    q3: Ptr<Int>,
    q4: Ptr<Int>,
    out: Ptr<Int>,
) {
    let scalars = [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, b0, b1, b2, b3, b4, b5, b6, b7, b8, b9];
    let mut sum = int(0);
    for (i, s) in scalars.into_iter().enumerate() {
        sum += s * (i as i32 + 1);
    }
    for p in [p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, q0, q1, q2, q3, q4] {
        sum += *p;
    }
    *out = sum;
}

#[test]
fn kernels_have_up_to_64_parameters() {
    let x: Vec<Buffer<i32>> = (0..15).map(|i| Buffer::from(vec![1 << i; 16])).collect();
    for (name, device) in devices() {
        let out = Buffer::<i32>::new(16);
        let k = many().compile(&*device).unwrap_or_else(|e| panic!("{name}: {e}"));
        k.call((
            1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, &x[0], &x[1], &x[2], &x[3], &x[4],
            &x[5], &x[6], &x[7], &x[8], &x[9], &x[10], &x[11], &x[12], &x[13], &x[14], &out,
        ))
        .unwrap_or_else(|e| panic!("{name}: {e}"));
        let want: i32 = (1..=20).map(|i| i * i).sum::<i32>() + (1 << 15) - 1;
        assert_eq!(out.to_vec(), [want; 16], "{name}");
    }
}

#[kernel]
fn asserted(#[host] most: i32, x: Ptr<Int>, out: Ptr<Int>) {
    assert!(most < 100, "most is {most}");
    let v = *x;
    if v > 3 {
        assert!(v < most, "{most} is not enough");
        assert_ne!(v, int(50));
    }
    assert_eq!(v & 1, 0);
    *out = v;
}

#[test]
fn assertions_hold_in_live_lanes() {
    for (name, device) in devices() {
        let fails = |x: i32, most: i32| {
            let out = Buffer::<i32>::new(16);
            let result = asserted(most).compile(&*device).and_then(|k| k.call((&Buffer::from(vec![x; 16]), &out)));
            result.err().map(|e| e.to_string())
        };
        assert_eq!(fails(2, 10), None, "{name}");
        assert_eq!(fails(8, 10), None, "{name}");
        let has = |x, most, text: &str| {
            let e = fails(x, most).unwrap_or_else(|| panic!("{name}: {text}"));
            assert!(e.contains(text) && e.contains("unsigned.rs"), "{name}: {e}");
        };
        has(12, 10, "10 is not enough");
        has(3, 10, "v & 1 == 0");
        has(50, 90, "v != int(50)");
        has(0, 100, "most is 100");
    }
}
