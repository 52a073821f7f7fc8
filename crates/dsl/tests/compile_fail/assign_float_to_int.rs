extern crate quadra_dsl as quadra;

use quadra_dsl::prelude::*;

#[kernel]
fn k(x: Ptr<Int>, y: Ptr<Float>) {
    let mut a = *x;
    while any(a > 0) {
        a = *y;
    }
    *x = a;
}

fn main() {}
