extern crate quadra_dsl as quadra;

use quadra_dsl::prelude::*;
use std::rc::Rc;

#[kernel]
fn shares(#[host] n: Rc<i32>, x: Ptr<Int>) {
    *x = int(*n);
}

#[kernel]
fn applies(#[host] f: impl Fn(Int) -> Int, x: Ptr<Int>) {
    *x = f(*x);
}

#[kernel]
fn good(#[host] f: impl Fn(Int) -> Int + Clone + Send + Sync + 'static, x: Ptr<Int>) {
    *x = f(*x);
}

fn main() {
    let _ = (good(|a| a + 1), shares(Rc::new(1)), applies(|a| a));
}
