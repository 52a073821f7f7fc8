//! `&&` and `||` as in Rust: the right side happens only in the lanes that the left side leaves open.

extern crate quadra_dsl as quadra;

mod common;
use common::{INPUT, check};
use quadra_dsl::prelude::*;

/// Counts its calls in `n` and tells whether there were more than `most`.
#[kernel_fn]
fn counted(n: &mut Int, most: i32) -> Mask {
    *n += 1;
    *n > most
}

fn counted_rust(n: &mut i32, most: i32) -> bool {
    *n += 1;
    *n > most
}

#[kernel]
fn calls(x: Ptr<Int>, y: Ptr<Int>) {
    let (v, mut n) = (*x, int(0));
    let mut out = int(0);
    if v > 3 && counted(&mut n, 0) {
        out += 1;
    }
    if v > 3 || counted(&mut n, 1) {
        out += 10;
    }
    let both = v < 0 || v > 10 && counted(&mut n, 2);
    if both {
        out += 100;
    }
    while v > 0 && n < v && counted(&mut n, 4) || n < 2 {
        n += 2;
    }
    *y = out * 1000 + n;
}

#[test]
fn calls_happen_where_the_left_side_leaves_it_open() {
    check(calls(), |v| {
        let (mut n, mut out) = (0, 0);
        if v > 3 && counted_rust(&mut n, 0) {
            out += 1;
        }
        if v > 3 || counted_rust(&mut n, 1) {
            out += 10;
        }
        let both = v < 0 || v > 10 && counted_rust(&mut n, 2);
        if both {
            out += 100;
        }
        while v > 0 && n < v && counted_rust(&mut n, 4) || n < 2 {
            n += 2;
        }
        out * 1000 + n
    });
}

/// Finds the first element of a list that is not below each lane's number; the guard keeps the load inside.
#[kernel]
fn find(n: Int, list: Ptr<Int>, x: Ptr<Int>, y: Ptr<Int>) {
    let (v, mut i) = (*x, int(0));
    while i < n && list.at(i).load_lanes() < v {
        i += 1;
    }
    *y = i;
}

#[test]
fn a_guard_before_a_load_keeps_it_inside() {
    let list = [-5, 0, 2, 4, 9, 20];
    for name in ["interp", "cpu", "emu"] {
        let Ok(device) = quadra_device::open(name) else { continue };
        let (l, x, y) = (Buffer::from(list.to_vec()), Buffer::from(INPUT.to_vec()), Buffer::<i32>::new(16));
        find().compile(&*device).unwrap().call((6, &l, &x, &y)).unwrap_or_else(|e| panic!("{name}: {e}"));
        let want: Vec<i32> = INPUT.iter().map(|v| list.iter().filter(|e| *e < v).count() as i32).collect();
        assert_eq!(y.to_vec(), want, "{name}");
    }
}

#[kernel]
fn stores(x: Ptr<Int>, y: Ptr<Int>) {
    let v = *x;
    y.at(index()).scatter(int(0));
    let hit = v > 2 && {
        y.at(index()).scatter(v);
        any(v == 100)
    };
    if !hit {
        *y = int(7);
    }
}

#[test]
fn stores_and_votes_are_those_of_the_lanes_that_go_on() {
    check(stores(), |v| if v > 2 { v } else { 7 });
}

#[kernel]
fn exits(x: Ptr<Int>, y: Ptr<Int>) {
    let v = *x;
    *y = int(1);
    let mut n = int(0);
    loop {
        n += 1;
        let _ = n < 3 || break;
        let _ = v > 4 || n < 2 || {
            *y = n + 50;
            return;
        };
    }
    *y = n;
}

#[test]
fn the_right_side_may_leave() {
    check(exits(), |v| if v > 4 { 3 } else { 52 });
}

#[kernel]
fn rust_sides(#[host] flag: bool, x: Ptr<Int>, y: Ptr<Int>) {
    let v = *x;
    let mut seen = 0;
    let mut note = |b: bool| {
        seen += 1;
        b
    };
    let a = flag && note(true);
    let b = flag || note(false);
    let c = flag && v > 3;
    let d = v > 3 || flag;
    let e = if let Some(n) = Some(seen)
        && n == 1
    {
        10
    } else {
        20
    };
    let mut out = int(e + if a == b { 1 } else { 0 });
    if c {
        out += 100;
    }
    if d {
        out += 200;
    }
    *y = out;
}

#[test]
fn rust_decides_rust_sides() {
    check(rust_sides(true), |v| 11 + if v > 3 { 300 } else { 200 });
    check(rust_sides(false), |v| 11 + if v > 3 { 200 } else { 0 });
}

#[test]
fn what_only_computes_stays_one_expression() {
    #[kernel]
    fn inside(x: Ptr<Int>) {
        let v = *x;
        if v > 3 && v < 9 || v * v == 100 {
            *x = v + 1;
        }
    }
    let mut ifs = 0;
    inside().record().unwrap().body.walk(&mut |i| ifs += usize::from(i.op == quadra_kir::Op::If));
    assert_eq!(ifs, 1);
}
