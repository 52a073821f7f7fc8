extern crate quadra_dsl as quadra;

use quadra_dsl::prelude::*;

#[kernel]
fn gives(x: Ptr<Int>) -> Int {
    *x
}

#[kernel]
fn takes(x: Ptr<Int>, times: usize) {
    *x = int(times as i32);
}

fn main() {
    let _ = gives;
}
