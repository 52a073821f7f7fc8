use quadra_quasar_vm::builtins::along::Axis;
use quadra_quasar_vm::builtins::extreme::*;

#[test]
fn peaks_are_numbers_and_the_first_of_equals() {
    let nan = f32::NAN;
    for (v, most, least) in [
        (vec![nan, 1.0, -2.0], 1.0, -2.0),
        (vec![f32::NEG_INFINITY, nan], f32::NEG_INFINITY, f32::NEG_INFINITY),
        (vec![-1.0, -0.0, 0.0], -0.0, -1.0),
        (vec![0.0, -0.0, 1.0], 1.0, 0.0),
        (vec![nan; 70], nan, nan),
    ] {
        for (axis, n) in [(Axis::whole(v.len()), 1), (Axis { outer: 1, length: v.len(), inner: 3 }, 3)] {
            let wide: Vec<f32> = v.iter().flat_map(|x| vec![*x; n]).collect();
            let bits = |x: f32| if x.is_nan() { u32::MAX } else { x.to_bits() };
            let found = [true, false].map(|greatest| peaks(&wide, axis, greatest));
            assert!(found[0].iter().all(|x| bits(*x) == bits(most)), "{v:?} {found:?}");
            assert!(found[1].iter().all(|x| bits(*x) == bits(least)), "{v:?} {found:?}");
        }
    }
}

#[test]
fn lines_in_either_direction_agree_with_one_element_after_the_other() {
    // Lengths around the vectors and blocks; NaN, both zeros and infinities among few values, so that many are equal.
    let numbers = [f32::NAN, -0.0, 0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, 0.5];
    for (outer, length, inner) in [(1, 700, 131), (3, 65, 17), (1, 1, 5), (2, 9, 1), (1, 513, 1), (40, 3, 2)] {
        let axis = Axis { outer, length, inner };
        for kinds in 1..=numbers.len() {
            let v: Vec<f32> = (0..outer * length * inner)
                .map(|k| numbers[(k as u32).wrapping_mul(2_654_435_761) as usize / 77_777 % kinds])
                .collect();
            for greatest in [true, false] {
                let (values, places) = (peaks(&v, axis, greatest), best(&v, axis, greatest));
                for line in 0..axis.lines() {
                    let at = |k: usize| v[(line / inner * length + k) * inner + line % inner];
                    let mut want = 0;
                    for k in 1..length {
                        let wins = if greatest { at(k) > at(want) } else { at(k) < at(want) };
                        want = if wins || at(want).is_nan() { k } else { want };
                    }
                    assert_eq!(places[line], want, "{axis:?} {greatest}");
                    let same =
                        values[line].to_bits() == at(want).to_bits() || values[line].is_nan() && at(want).is_nan();
                    assert!(same, "{axis:?} {greatest}");
                }
            }
        }
    }
}
