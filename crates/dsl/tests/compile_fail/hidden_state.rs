extern crate quadra_dsl as quadra;

use quadra_dsl::prelude::*;

#[derive(Clone, Copy)]
struct Pair {
    a: Int,
    b: Int,
}

#[kernel]
fn k(x: Ptr<Int>) {
    let mut p = Pair { a: *x, b: int(0) };
    if p.a > 3 {
        p.b = p.a;
    }
    *x = p.b;
}

fn main() {}
