use quadra_quasar_vm::builtins::along::*;
use quadra_quasar_vm::builtins::extreme::{best, peaks};

fn array(n: usize) -> Vec<f32> {
    let number = |k: u32| (k.wrapping_mul(2_654_435_761) >> 8) as f32 / 65536.0 - 100.0;
    (0..n as u32).map(|k| if k % 97 == 5 { f32::NAN } else { number(k) }).collect()
}

#[test]
fn lines_of_every_kind_have_the_results_of_their_elements() {
    for (outer, length, inner) in [(1, 7, 1), (3, 50, 1), (5, 40, 33), (1, 90, 3000), (700, 3, 101), (2, 70_001, 1)] {
        let axis = Axis { outer, length, inner };
        let v = array(outer * length * inner);
        let clean: Vec<f32> = v.iter().map(|x| if x.is_nan() { 0.0 } else { *x }).collect();
        let line = |v: &[f32], k: usize| -> Vec<f64> {
            let base = k / inner * length * inner + k % inner;
            (0..length).map(|i| f64::from(v[base + i * inner])).collect()
        };
        let (sums, spread) = (sums(&clean, axis), variances(&clean, axis));
        let (most, least) = (best(&v, axis, true), best(&v, axis, false));
        let peaks_of = [true, false].map(|greatest| peaks(&v, axis, greatest));
        let (any, all) = (truths(&clean, axis, false), truths(&clean, axis, true));
        assert_eq!(sums.len(), axis.lines());
        for k in 0..axis.lines() {
            let (own, odd) = (line(&clean, k), line(&v, k));
            let sum: f64 = own.iter().sum();
            assert!((sums[k] - sum).abs() < 1e-6 * length as f64, "{axis:?}");
            let mean = sum / length as f64;
            let want = own.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / length as f64;
            assert!((spread[k] - want).abs() < 1e-6 * want.max(1.0), "{axis:?}");
            let fold = |greatest: bool| {
                (1..length).fold(0, |b, i| {
                    let wins = if greatest { odd[i] > odd[b] } else { odd[i] < odd[b] };
                    if wins || odd[b].is_nan() { i } else { b }
                })
            };
            assert_eq!((most[k], least[k]), (fold(true), fold(false)), "{axis:?}");
            let (high, low) = (odd[fold(true)], odd[fold(false)]);
            assert_eq!((f64::from(peaks_of[0][k]), f64::from(peaks_of[1][k])), (high, low), "{axis:?}");
            assert_eq!(any[k] != 0, own.iter().any(|x| *x != 0.0));
            assert_eq!(all[k] != 0, own.iter().all(|x| *x != 0.0));
        }
    }
}
