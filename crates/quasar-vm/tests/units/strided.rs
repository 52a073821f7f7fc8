use quadra_quasar_vm::strided::*;
use quadra_quasar_vm::tensor::Data;
use quadra_quasar_vm::tensor::Tensor;
use quadra_quasar_vm::tensor::normal_shape;

fn check(shape: &[usize], start: usize, dims: &[(usize, isize)]) {
    let n: usize = shape.iter().product();
    let walk = Walk::new(start, dims.iter().copied());
    let total: usize = dims.iter().map(|d| d.0).product();
    let want: Vec<usize> = (0..total)
        .map(|mut k| {
            let mut at = start as isize;
            for (n, step) in dims.iter().rev() {
                at += (k % n) as isize * step;
                k /= n;
            }
            at as usize
        })
        .collect();
    assert_eq!(walk.places().collect::<Vec<_>>(), want, "{dims:?}");
    let t = Tensor::new(normal_shape(shape), Data::F32((0..n).map(|i| i as f32).collect()));
    let out = walk.take(&t, normal_shape(&[total]));
    let Data::F32(v) = &*out.data.borrow() else { panic!("floats stay floats") };
    assert!(v.iter().zip(&want).all(|(x, i)| *x == *i as f32), "{dims:?}");
}

#[test]
fn copies_take_the_elements_at_the_places() {
    check(&[5, 7], 0, &[(7, 1), (5, 7)]);
    check(&[300, 413], 0, &[(413, 1), (300, 413)]);
    check(&[300, 413], 300 * 413 - 1, &[(300, -413), (413, -1)]);
    check(&[64, 33, 40], 0, &[(40, 1), (64, 33 * 40), (33, 40)]);
    check(&[64, 33, 40], 0, &[(33, 40), (40, 1), (64, 33 * 40)]);
    check(&[1, 200_000], 1, &[(99_999, 2)]);
    check(&[1, 200_000], 199_999, &[(66_666, -3)]);
    check(&[2, 3], 0, &[(400, 0), (2, 3), (100, 0), (3, 1)]);
    check(&[1, 1], 0, &[]);
}
