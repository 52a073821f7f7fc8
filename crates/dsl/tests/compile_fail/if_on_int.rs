extern crate quadra_dsl as quadra;

use quadra_dsl::prelude::*;

#[kernel]
fn k(x: Ptr<Int>) {
    let mut a = *x;
    if a & 1 {
        a = a + 1;
    }
    *x = a;
}

fn main() {}
