//! Rust's value semantics: what a variable holds after copies, moves, swaps and changes through references, outside and
//! inside of kernel control flow.

extern crate quadra_dsl as quadra;

mod common;
use common::check;
use quadra_dsl::prelude::*;

#[kernel]
fn let_takes_a_snapshot(x: Ptr<Int>, y: Ptr<Int>) {
    let mut a = *x;
    let t = a;
    a = a + 1;
    let u = a;
    if a > 3 {
        a += 10;
        let v = a;
        a += 100;
        a = a - v;
    }
    *y = t * 10000 + u * 100 + a;
}

#[test]
fn let_copies() {
    check(let_takes_a_snapshot(), |x| {
        let mut a = x;
        let t = a;
        a += 1;
        let u = a;
        if a > 3 {
            a = 100;
        }
        t * 10000 + u * 100 + a
    });
}

#[derive(Clone, Copy, KernelState)]
struct Pair {
    a: Int,
    b: Int,
    tag: i32,
}

#[kernel_fn]
impl Pair {
    fn new(a: Int) -> Pair {
        Pair { a, b: a * 2, tag: 7 }
    }
    fn advance(&mut self) {
        self.a += 1;
        if self.a > 5 {
            self.b = self.b - self.a;
        }
    }
    fn sum(self) -> Int {
        self.a + self.b * self.tag
    }
}

#[kernel]
fn struct_fields(x: Ptr<Int>, y: Ptr<Int>) {
    let mut p = Pair::new(*x);
    let q = p;
    p.b = p.a;
    while p.a < 9 {
        p.advance();
        let mut r = p;
        r.a = r.a + 50;
        p.b = p.b + r.a;
    }
    *y = p.sum() * 1000 + q.sum();
}

#[test]
fn structs_are_copied_and_changed_field_by_field() {
    check(struct_fields(), |x| {
        let (mut a, mut b, q) = (x, x, x + x * 2 * 7);
        while a < 9 {
            a += 1;
            if a > 5 {
                b -= a;
            }
            b += a + 50;
        }
        (a + b * 7) * 1000 + q
    });
}

#[kernel]
fn arrays(x: Ptr<Int>, y: Ptr<Int>) {
    let mut a = [*x, *x + 1, int(2)];
    let b = a;
    a[1] = a[0];
    a[0] += 1;
    for _ in range(0, 3, 1) {
        a[2] = a[1];
        if a[0] > 3 {
            a[1] = a[0];
            a[0] = a[0] + a[2];
        }
        a[0] += 1;
    }
    let [p, q, r] = a;
    *y = p + q * 100 + r * 10000 + b[0] + b[1] + b[2];
}

#[test]
fn arrays_are_copied_and_changed_element_by_element() {
    check(arrays(), |x| {
        let mut a = [x, x + 1, 2];
        let b = a;
        a[1] = a[0];
        a[0] += 1;
        for _ in 0..3 {
            a[2] = a[1];
            if a[0] > 3 {
                a[1] = a[0];
                a[0] += a[2];
            }
            a[0] += 1;
        }
        a[0] + a[1] * 100 + a[2] * 10000 + b[0] + b[1] + b[2]
    });
}

/// No attribute: there is no kernel control flow in it.
fn bump(x: &mut Int, by: i32) {
    *x += by;
}

#[kernel_fn]
fn halve_if_even(x: &mut Int) {
    if *x & 1 == 0 {
        *x = *x >> 1;
    }
}

#[kernel]
fn mutable_arguments(x: Ptr<Int>, y: Ptr<Int>) {
    let mut a = *x;
    let mut rows = [a, a + 1];
    bump(&mut a, 3);
    while any(a > 4) {
        halve_if_even(&mut a);
        if a > 4 {
            bump(&mut a, -3);
            bump(&mut rows[1], 1);
        }
        for r in &mut rows {
            bump(r, 2);
        }
        for (i, r) in rows.iter_mut().enumerate() {
            if *r > 100 {
                *r = int(i as i32);
            }
        }
    }
    *y = a + rows[0] * 10 + rows[1] * 1000;
}

#[test]
fn changes_through_references_are_followed() {
    let all = common::INPUT;
    check(mutable_arguments(), |x| {
        let (mut lanes, mut out) = (all.map(|x| (x + 3, [x, x + 1])), 0);
        while lanes.iter().any(|l| l.0 > 4) {
            for (a, rows) in &mut lanes {
                if *a & 1 == 0 {
                    *a >>= 1;
                }
                if *a > 4 {
                    *a -= 3;
                    rows[1] += 1;
                }
                for (i, r) in rows.iter_mut().enumerate() {
                    *r += 2;
                    if *r > 100 {
                        *r = i as i32;
                    }
                }
            }
        }
        for (input, (a, rows)) in all.iter().zip(lanes) {
            if *input == x {
                out = a + rows[0] * 10 + rows[1] * 1000;
            }
        }
        out
    });
}

#[kernel]
fn swaps(x: Ptr<Int>, y: Ptr<Int>) {
    let mut a = *x;
    let mut b = 10 - *x;
    if a > b {
        std::mem::swap(&mut a, &mut b);
    }
    let mut list = vec![a, b, a + 5];
    while list[0] < list[2] {
        list.swap(0, 1);
        list[2] = list[2] - 3;
        (a, b) = (b, a);
    }
    let old = std::mem::replace(&mut a, int(1));
    *y = a + b * 10 + list[0] * 100 + list[1] * 1000 + list[2] * 10000 + old;
}

#[test]
fn swaps_happen_in_the_lanes_that_swap() {
    check(swaps(), |x| {
        let (mut a, mut b) = (x, 10 - x);
        if a > b {
            std::mem::swap(&mut a, &mut b);
        }
        let mut list = [a, b, a + 5];
        while list[0] < list[2] {
            list.swap(0, 1);
            list[2] -= 3;
            (a, b) = (b, a);
        }
        1 + b * 10 + list[0] * 100 + list[1] * 1000 + list[2] * 10000 + a
    });
}

#[kernel]
fn tuples_options_closures(x: Ptr<Int>, y: Ptr<Int>) {
    let mut t = (*x, (int(0), *x > 3));
    let mut some = Some(*x);
    let none: Option<Int> = None;
    let double = |v: Int| if v > 4 { v * 2 } else { v };
    for i in range(0, 4, 1) {
        if t.1.1 {
            t.1.0 += t.0;
            t.1.1 = t.1.0 < 20;
        }
        t.0 = double(t.0) - i;
        if let Some(s) = &mut some {
            if *s > 2 {
                *s -= 1;
            }
        }
    }
    let (a, (b, m)) = t;
    let s = match none {
        Some(v) => v,
        None => some.unwrap_or_else(|| int(-5)),
    };
    *y = a + b * 100 + m.to_int() + s;
}

#[test]
fn tuples_options_and_closures_work() {
    check(tuples_options_closures(), |x| {
        let (mut a, mut b, mut m, mut s) = (x, 0, x > 3, x);
        for i in 0..4 {
            if m {
                b += a;
                m = b < 20;
            }
            a = (if a > 4 { a * 2 } else { a }) - i;
            if s > 2 {
                s -= 1;
            }
        }
        a + b * 100 + m as i32 + s
    });
}

#[kernel]
fn deferred(x: Ptr<Int>, y: Ptr<Int>) {
    let a;
    let b: Int;
    if *x > 5 {
        a = *x;
        b = int(1);
    } else {
        a = -*x;
        b = int(2);
    }
    let c;
    c = a + b;
    let d = if c > 3 {
        c
    } else if c == 2 {
        int(77)
    } else {
        a - 1
    };
    *y = a * 100 + b + d * 1000;
}

#[test]
fn variables_may_get_their_value_later() {
    check(deferred(), |x| {
        let (a, b) = if x > 5 { (x, 1) } else { (-x, 2) };
        let c = a + b;
        let d = if c > 3 {
            c
        } else if c == 2 {
            77
        } else {
            a - 1
        };
        a * 100 + b + d * 1000
    });
}

#[kernel]
fn pointers_and_places(x: Ptr<Int>, y: Ptr<Int>) {
    let table = [3, 5, 7];
    let values = [*x, x[0] + 1];
    let r = &values[1];
    let mut p = x;
    if *p > 2 {
        p += 1;
    }
    p = p - 1;
    // `p` differs between lanes now; a row starts where lane 0 points.
    *y = int(0);
    *y += values[0] * table[1];
    y[0] += *r;
    y[0] = *y + p.index() + (*x).max(3) + x[0].min(4);
    let list: Vec<Int> = table.iter().map(|&t| *y + t).collect();
    *y = list[2] - list[0];
    store(*y + values.iter().copied().sum::<Int>(), y);
}

#[test]
fn pointers_load_and_store_while_rust_places_stay_what_they_are() {
    check(pointers_and_places(), |x| 4 + x + x + 1);
}
