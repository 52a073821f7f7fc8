extern crate quadra_dsl as quadra;

use quadra_dsl::prelude::*;

#[kernel]
fn k(x: Ptr<Int>, y: Ptr<Float>) {
    if *x > *y && *x != 0 {
        *x = int(0);
    }
}

fn main() {}
