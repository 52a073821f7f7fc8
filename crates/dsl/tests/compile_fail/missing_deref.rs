extern crate quadra_dsl as quadra;

use quadra_dsl::prelude::*;

#[kernel]
fn k(x: Ptr<Int>, y: Ptr<Int>) {
    let a = *x;
    y = a;
}

fn main() {}
