//! Loads and stores outside a buffer are the same error on every device that can fault.

extern crate quadra_dsl as quadra;

use quadra_device::open;
use quadra_dsl::prelude::*;

#[kernel]
fn at_index(i: Int, first: Ptr<Int>, x: Ptr<Int>, last: Ptr<Int>, out: Ptr<Int>) {
    *out = x.at(i + index()).load_lanes() + *first + *last;
}

#[kernel]
fn row_at(i: Int, first: Ptr<Int>, x: Ptr<Int>, last: Ptr<Int>, out: Ptr<Int>) {
    *out = x[i] + *first + *last;
}

#[kernel]
fn in_a_loop(i: Int, first: Ptr<Int>, x: Ptr<Int>, last: Ptr<Int>, out: Ptr<Int>) {
    let mut sum = *first + *last;
    for k in range(0, i + 16, 16) {
        sum += x[k];
    }
    *out = sum;
}

#[kernel]
fn stored(i: Int, first: Ptr<Int>, x: Ptr<Int>, last: Ptr<Int>, out: Ptr<Int>) {
    *out = *first + *last;
    x.at(i + index()).scatter(int(5));
}

#[kernel]
fn row_stored(i: Int, first: Ptr<Int>, x: Ptr<Int>, last: Ptr<Int>, out: Ptr<Int>) {
    *out = *first + *last;
    x[i] = int(5);
}

type Parameters = (Int, Ptr<Int>, Ptr<Int>, Ptr<Int>, Ptr<Int>);

/// What went wrong with a launch on buffers of which `x` has 64 elements, without the lines of the message that name lanes.
fn outcome(name: &str, kernel: &Kernel<Parameters>, i: i32) -> Option<String> {
    let device = open(name).ok()?;
    let [first, x, last, out] = [(); 4].map(|()| Buffer::from(vec![1; 64]));
    let result = kernel.compile(&*device).expect("the kernel compiles").call((i, &first, &x, &last, &out));
    if result.is_err() {
        assert_eq!([&first, &x, &last, &out].map(Buffer::to_vec), [(); 4].map(|()| vec![1; 64]), "{name}");
    }
    Some(result.err().map_or("fine".into(), |e| e.to_string().lines().next().unwrap_or_default().to_string()))
}

#[test]
fn all_devices_see_the_same() {
    let kernels = [at_index(), row_at(), in_a_loop(), stored(), row_stored()];
    for kernel in &kernels {
        for i in [0, 48, 49, 63, 64, 80, 600, 1088, 5000, 100_000, -1, -15, -16, -17, -1000, -70_000] {
            let want = outcome("interp", kernel, i).expect("it is always there");
            for name in ["cpu", "emu"] {
                let Some(got) = outcome(name, kernel, i) else { continue };
                // Which lane is named first may differ, and with it the element.
                let cut = |text: &str| text.split(": element").next().unwrap_or_default().to_string();
                assert_eq!(cut(&got), cut(&want), "{name}, `{}` at {i}", kernel.name());
            }
            let inside = (0..=48).contains(&i) || kernel.name() == "in_a_loop" && i < 49;
            assert_eq!(want == "fine", inside, "`{}` at {i}: {want}", kernel.name());
        }
    }
}

#[test]
fn only_gather_and_prefetch_may_look_behind_the_end() {
    #[kernel]
    fn ahead(i: Int, x: Ptr<Int>, out: Ptr<Int>) {
        gather(x + i + index());
        let mut p = x + i + index();
        let mut v = int(0);
        prefetch(&mut v, &mut p);
        *out = received::<Int>() + v;
    }
    for name in ["interp", "cpu", "emu"] {
        let Ok(device) = open(name) else { continue };
        let k = ahead().compile(&*device).unwrap_or_else(|e| panic!("{name}: {e}"));
        let (x, out) = (Buffer::from(vec![3; 16]), Buffer::<i32>::new(16));
        k.call((8, &x, &out)).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(out.to_vec(), [[6; 8], [0; 8]].concat(), "{name}");
        assert!(k.call((-1, &x, &out)).is_err(), "{name}");
        assert!(k.call((2000, &x, &out)).is_err(), "{name}");
    }
}

#[test]
fn buffers_of_any_shape_are_rows_to_pointers() {
    for name in ["interp", "interp-qpu", "cpu", "emu"] {
        let Ok(device) = open(name) else { continue };
        let x = Buffer::from_slice(&[4, 16], &(0..64).collect::<Vec<i32>>());
        let (one, out) = (Buffer::from(vec![1; 16]), Buffer::<i32>::with_dims(&[2, 8]));
        row_at().compile(&*device).unwrap().call((32, &one, &x, &one, &out)).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(out.to_vec(), (34..50).collect::<Vec<i32>>(), "{name}");
    }
}

/// What the chip runs: nothing faults there, and nothing but the buffer itself is touched.
#[test]
fn contained_accesses_stay_in_their_buffer() {
    use quadra_back_qpu::Options;
    let device = quadra_device::emu::Emu::new().with_options(Options { contained: true, ..Options::default() });
    for kernel in [at_index(), row_at(), in_a_loop(), stored(), row_stored()] {
        let k = kernel.compile(&device).unwrap();
        for i in [0, 1, 48, 63, 64, 5000, 100_000, -1, -17, -70_000] {
            let [first, x, last, out] = [(); 4].map(|()| Buffer::from(vec![1; 64]));
            k.call((i, &first, &x, &last, &out)).unwrap_or_else(|e| panic!("`{}` at {i}: {e}", kernel.name()));
            assert_eq!([&first, &last].map(Buffer::to_vec), [vec![1; 64], vec![1; 64]], "`{}` at {i}", kernel.name());
        }
    }
    let words = |contained| {
        let device = quadra_device::emu::Emu::new().with_options(Options { contained, ..Options::default() });
        let [a, b, c, d] = [(); 4].map(|()| Buffer::<i32>::new(64));
        in_a_loop().compile(&device).unwrap().call((48, &a, &b, &c, &d)).unwrap().instructions
    };
    let (plain, contained) = (words(false), words(true));
    assert!(contained > plain && contained <= plain + 40, "{plain} and {contained} slots");
}
