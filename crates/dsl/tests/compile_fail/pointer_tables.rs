extern crate quadra_dsl as quadra;

use quadra_dsl::prelude::*;

// Pointers are bound by the host: a kernel loads them and stores none.
#[kernel]
fn assigns(pp: Ptr<Ptr<Int>>, p: Ptr<Int>) {
    *pp = p;
}

#[kernel]
fn scatters(pp: Ptr<Ptr<Int>>, p: Ptr<Int>) {
    pp.scatter(p);
}

// Two levels are all there are.
#[kernel]
fn deeper(ppp: Ptr<Ptr<Ptr<Int>>>, out: Ptr<Int>) {
    *out = 0;
}

#[kernel]
fn first(pp: Ptr<Ptr<Int>>, out: Ptr<Int>) {
    let p = *pp; *out = *p;
}

fn main() {
    let device = quadra_device::open("interp").unwrap();
    let x = Buffer::<i32>::new(16);
    // A buffer is no table, and a table of floats none of integers.
    let _ = first().compile(&*device).unwrap().call((&x, &x));
    let _ = first().compile(&*device).unwrap().call((&Table::<f32>::new(&[16]), &x));
}
