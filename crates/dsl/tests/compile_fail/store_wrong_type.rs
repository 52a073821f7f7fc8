extern crate quadra_dsl as quadra;

use quadra_dsl::prelude::*;

#[kernel]
fn k(x: Ptr<Int>, y: Ptr<Float>) {
    *x = *y * 2.0;
    x[16] = *y;
}

fn main() {}
