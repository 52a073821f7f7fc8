use quadra_quasar_vm::broadcast::*;

#[test]
fn each_element_meets_the_one_with_its_index() {
    let shapes: [(&[usize], &[usize], &[usize]); 6] = [
        (&[3, 4], &[1, 4], &[3, 4]),
        (&[3, 1], &[1, 5], &[3, 5]),
        (&[2, 3, 4], &[2, 1, 4], &[2, 3, 4]),
        (&[2, 3], &[2, 3, 4], &[2, 3, 4]),
        (&[1, 1], &[1, 7], &[1, 7]),
        (&[2, 1, 2, 1], &[1, 3, 1, 5], &[2, 3, 2, 5]),
    ];
    for (a, b, out) in shapes {
        let rows = Rows::of(a, b, out);
        let total: usize = out.iter().product();
        let place = |shape: &[usize], mut i: usize| {
            let index: Vec<usize> = out.iter().rev().map(|n| (i % n, i /= n).0).collect();
            let at = |d: usize| shape.get(d).copied().unwrap_or(1);
            (0..out.len()).fold(0, |p, d| p * at(d) + if at(d) == 1 { 0 } else { index[out.len() - 1 - d] })
        };
        let want: Vec<(usize, usize)> = (0..total).map(|i| (place(a, i), place(b, i))).collect();
        assert_eq!(rows.pairs().collect::<Vec<_>>(), want, "{a:?} {b:?}");
        let mut seen = vec![(0, 0); total];
        rows.each(&mut seen, |row, i, j| {
            for (k, s) in row.iter_mut().enumerate() {
                let at = |side: Side| side.start + if side.one { 0 } else { k };
                *s = (at(i), at(j));
            }
        });
        // A side that stays, or moves by more than one element, is no row of elements.
        assert_eq!(seen, want);
    }
}

#[test]
fn dimensions_alike_are_one() {
    assert_eq!(Rows::of(&[4, 5, 6], &[1, 1, 1], &[4, 5, 6]).dims, [(120, [1, 0])]);
    assert_eq!(Rows::of(&[4, 5, 6], &[4, 1, 1], &[4, 5, 6]).dims, [(4, [30, 1]), (30, [1, 0])]);
}
