use quadra_numeric::order::*;

fn numbers(n: usize) -> Vec<f32> {
    let odd = [0.0, -0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -f32::NAN, 1e-42];
    let other = (0..n as u32).map(|k| f32::from_bits(k.wrapping_mul(2_654_435_761)));
    odd.into_iter().chain(other).chain((0..n as u32).map(|k| (k * 7 % 100) as f32)).collect()
}

#[test]
fn keys_compare_as_numbers() {
    let v = numbers(300);
    for x in &v {
        assert_eq!(single(of_single(*x)).to_bits(), x.to_bits());
        assert_eq!(double(of_double(f64::from(*x))).to_bits(), f64::from(*x).to_bits());
        for y in &v {
            assert_eq!(of_single(*x).cmp(&of_single(*y)), x.total_cmp(y));
            assert_eq!(
                of_double(f64::from(*x)).cmp(&of_double(f64::from(*y))),
                f64::from(*x).total_cmp(&f64::from(*y))
            );
        }
    }
}

#[test]
fn lists_of_all_lengths_are_sorted_and_equal_numbers_keep_their_order() {
    for n in [0, 1, 700, 5000, 40_000, 100_000] {
        let v: Vec<u32> = numbers(n).into_iter().map(of_single).collect();
        let mut want: Vec<(u32, u32)> = v.iter().copied().zip(0..).collect();
        want.sort();
        assert!(sorted(v.clone()).iter().zip(&want).all(|(a, b)| *a == b.0), "{n}");
        assert!(ranks(&v).iter().zip(&want).all(|(a, b)| *a == b.1), "{n}");
        for k in [0, n / 3, n / 2, want.len() - 1] {
            assert_eq!(select(&v, k), want[k].0, "{n} {k}");
        }
        let wide: Vec<u64> = v.iter().map(|k| u64::from(*k) << 17).collect();
        assert!(sorted(wide.clone()).iter().zip(&want).all(|(a, b)| *a == u64::from(b.0) << 17), "{n}");
        assert!(ranks(&wide).iter().zip(&want).all(|(a, b)| *a == b.1), "{n}");
    }
}

#[test]
fn few_different_and_ordered_keys_are_sorted() {
    for n in [0, 1, 15, 16, 17, 31, 128, 129, 1000, 70_000] {
        let lists: [Vec<u32>; 6] = [
            vec![7; n],
            (0..n as u32).map(|k| k % 3).collect(),
            (0..n as u32).collect(),
            (0..n as u32).rev().collect(),
            (0..n as u32).map(|k| if k % 2 == 0 { u32::MAX } else { 0 }).collect(),
            (0..n as u32).map(|k| k ^ (k << 13) ^ 5).collect(),
        ];
        for v in lists {
            let mut want = v.clone();
            want.sort_unstable();
            assert_eq!(sorted(v.clone()), want, "{n}");
            let wide: Vec<u64> = v.iter().map(|k| u64::from(*k) << 31 | 1).collect();
            assert!(sorted(wide).iter().zip(&want).all(|(a, b)| *a == u64::from(*b) << 31 | 1), "{n}");
            let mut digits = v.clone();
            by_digits(&mut digits, |k| *k);
            assert_eq!(digits, want, "{n}");
            if n > 0 {
                assert_eq!(select(&v, n / 2), want[n / 2], "{n}");
            }
            let runs: Vec<(u32, usize)> = want.chunk_by(|a, b| a == b).map(|r| (r[0], r.len())).collect();
            assert_eq!(distinct(v.clone()), runs.iter().map(|r| r.0).collect::<Vec<u32>>(), "{n}");
            assert_eq!(counted(v), runs, "{n}");
        }
    }
}
