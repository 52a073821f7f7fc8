use quadra_quasar_vm::builtins::recursive::*;
use quadra_quasar_vm::builtins::reduce::Lines;
use quadra_quasar_vm::tensor::{Data, Shape, Tensor};

#[test]
fn filters_of_all_orders_are_the_same_steps() {
    let value = |k: usize| ((k * 7919 + 13) % 1009) as f64 / 500.0 - 1.0;
    for order in [1, 2, 3, 5, 8, 9, 20] {
        for back in [0.0, 0.1] {
            let b: Vec<f64> = (0..order).map(value).collect();
            let a: Vec<f64> = (0..order).map(|k| if k == 0 { 1.0 } else { back * value(3 * k) }).collect();
            let given: Vec<f64> = (1..order).map(|k| value(5 * k)).collect();
            let filter = Filter { b: &b, a: &a, given: &given };
            for (shape, dim) in [([1, 300], 1), ([90, 19], 0), ([3, 90], 1), ([2, 1], 1)] {
                let x: Vec<f64> = (0..shape[0] * shape[1]).map(|k| value(11 * k)).collect();
                let t = Tensor::new(Shape::from_slice(&shape), Data::F64(x.clone()));
                let lines = Lines::of(&t, dim);
                let ((out, state), (want, last)) = (filter.of(&x, &lines), plain(&filter, &x, &lines));
                let near =
                    |a: &[f64], b: &[f64]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
                assert!(near(&out, &want) && near(&state, &last), "{order} {back} {shape:?}");
                let single: Vec<f32> = x.iter().map(|x| *x as f32).collect();
                let (near, _) = filter.of(&single, &lines);
                assert!(near.iter().zip(&want).all(|(a, b)| (f64::from(*a) - b).abs() < 1e-3), "{order} {back}");
            }
        }
    }
}

fn plain(filter: &Filter, x: &[f64], lines: &Lines) -> (Vec<f64>, Vec<f64>) {
    match filter.given.is_empty() {
        true => (x.iter().map(|x| filter.b[0] * x).collect(), Vec::new()),
        false => filter.any(x, lines),
    }
}
