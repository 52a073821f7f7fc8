//! Pointers to elements of 8 and 16 bits: every device leaves the same memory.

extern crate quadra_dsl as quadra;

use quadra_device::f16;
use quadra_dsl::prelude::*;

const N: usize = 100;
const DEVICES: [&str; 4] = ["interp", "interp-qpu", "emu", "cpu"];

fn open(name: &str) -> Option<std::sync::Arc<dyn quadra_device::Device>> {
    let device = quadra_device::open(name);
    if device.is_err() {
        quadra_base::testing::left_out(format_args!("there is no device {name}"));
    }
    device.ok()
}

#[kernel]
fn scale(x: Ptr<Half>, y: Ptr<Half>, z: Ptr<Float>) {
    let a = (x + item()).load_lanes();
    (y + item()).scatter(a * 0.75 + 0.125);
    (z + item()).scatter(a);
}

#[test]
fn half_floats_are_the_same_everywhere() {
    // Denormal halves, too. The factors are powers of two and sums of few bits, so that no arithmetic rounds.
    let x: Vec<f16> = (0..N).map(|i| f16::from_bits((i * 311) as u16)).collect();
    let want: Vec<f16> = x.iter().map(|x| f16::from_f32(x.to_f32() * 0.75 + 0.125)).collect();
    for device in DEVICES.iter().filter_map(|name| open(name)) {
        let (from, to, wide) = (Buffer::from(x.clone()), Buffer::<f16>::new(N), Buffer::<f32>::new(N));
        scale().compile(&*device).expect("it compiles").over(N as u32).call((&from, &to, &wide)).expect("it runs");
        assert_eq!(wide.to_vec(), x.iter().map(|x| x.to_f32()).collect::<Vec<_>>(), "{}", device.name());
        for (i, (got, want)) in to.to_vec().iter().zip(&want).enumerate() {
            assert_eq!(got, want, "element {i} on {}", device.name());
        }
    }
}

#[kernel]
fn mix(x: Ptr<i8>, y: Ptr<i16>) {
    let p = y + me() * 16;
    *p = *p * 3 + x[me() * 16];
}

#[test]
fn integers_wrap_and_keep_their_sign() {
    let (x, y): (Vec<i8>, Vec<i16>) = (0..32).map(|i| (i as i8 * 9, (i as i16) * 2111 - 30_000)).unzip();
    let want: Vec<i16> = x.iter().zip(&y).map(|(&x, &y)| (i32::from(y) * 3 + i32::from(x)) as i16).collect();
    for device in DEVICES.iter().filter_map(|name| open(name)) {
        let (from, to) = (Buffer::from(x.clone()), Buffer::from(y.clone()));
        mix().compile(&*device).expect("it compiles").qpus(2).call((&from, &to)).expect("it runs");
        assert_eq!(to.to_vec(), want, "{}", device.name());
    }
}
