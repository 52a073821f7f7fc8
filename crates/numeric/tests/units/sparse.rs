use faer::Mat;
use quadra_numeric::sparse::*;

/// The five-point Laplacian of a square grid, made unsymmetric.
fn grid(side: usize) -> (usize, Vec<(usize, usize, f64)>) {
    let mut elements = Vec::new();
    for i in 0..side * side {
        elements.push((i, i, 4.1));
        let (row, column) = (i / side, i % side);
        let near = [(row > 0, i.wrapping_sub(side), -1.0), (row + 1 < side, i + side, -1.1)];
        let beside = [(column > 0, i.wrapping_sub(1), -0.9), (column + 1 < side, i + 1, -1.0)];
        elements.extend(near.into_iter().chain(beside).filter(|n| n.0).map(|n| (i, n.1, n.2)));
    }
    (side * side, elements)
}

#[test]
fn systems_are_solved_and_singular_ones_refused() {
    let (n, elements) = grid(40);
    let wanted = Mat::from_fn(n, 2, |i, j| ((i * 7 + j * 3) % 11) as f64 - 5.0);
    let mut b = Mat::<f64>::zeros(n, 2);
    for (i, j, v) in &elements {
        (0..2).for_each(|c| b[(*i, c)] += v * wanted[(*j, c)]);
    }
    let x = solve(n, &elements, &b).expect("the matrix is regular");
    assert!((0..n).all(|i| (0..2).all(|c| (x[(i, c)] - wanted[(i, c)]).abs() < 1e-9)));
    let ones = Mat::from_fn(3, 1, |_, _| 1.0);
    assert!(solve(3, &[(0, 0, 1.0), (1, 1, 1.0)], &ones).is_none(), "an empty row");
    let equal = [(0, 0, 1.0), (0, 1, 2.0), (1, 0, 1.0), (1, 1, 2.0), (2, 2, 1.0)];
    assert!(solve(3, &equal, &Mat::from_fn(3, 1, |i, _| i as f64)).is_none(), "equal rows");
    assert!(solve(2, &[(2, 0, 1.0)], &Mat::zeros(2, 1)).is_none(), "outside");
}
