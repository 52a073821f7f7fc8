extern crate quadra_dsl as quadra;

use quadra_dsl::prelude::*;

fn larger(a: Int, b: Int) -> Int {
    if a > b {
        return a;
    }
    b
}

struct Signal {
    level: Float,
}

impl Signal {
    fn is_zero(&self) -> Mask {
        self.level == 0.0
    }
}

#[kernel]
fn k(x: Ptr<Int>) {
    *x = larger(*x, int(3));
}

fn main() {}
