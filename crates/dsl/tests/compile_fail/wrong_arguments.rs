extern crate quadra_dsl as quadra;

use quadra_dsl::prelude::*;

#[kernel]
fn k(n: Int, x: Ptr<Float>) {
    *x = n.to_float();
}

fn main() -> Result<(), Error> {
    let device = quadra_device::open("interp")?;
    let (ints, floats) = (Buffer::<i32>::new(16), Buffer::<f32>::new(16));
    let k = k().compile(&*device)?;
    k.call((1, &floats))?;
    k.call((1, &ints))?;
    k.call((1.0, &floats))?;
    k.call((1,))?;
    Ok(())
}
