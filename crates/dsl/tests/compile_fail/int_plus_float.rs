extern crate quadra_dsl as quadra;

use quadra_dsl::prelude::*;

#[kernel]
fn k(x: Ptr<Int>, y: Ptr<Float>) {
    let a = *x;
    let b = *y;
    *x = a + b;
}

fn main() {}
