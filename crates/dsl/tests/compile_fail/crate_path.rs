use quadra_dsl::prelude::*;

#[kernel]
fn without(x: Ptr<Int>) {
    *x = int(1);
}

#[kernel(crate = quadra_dsl)]
fn with(x: Ptr<Int>) {
    *x = int(1);
}

#[kernel(fast)]
fn unknown(x: Ptr<Int>) {
    *x = int(1);
}

fn main() {
    let _ = with();
}
