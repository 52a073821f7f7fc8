use quadra_quasar_vm::builtins::numbers::*;

#[test]
fn places_are_found_however_they_lie() {
    let lists: [Vec<f64>; 5] = [
        vec![f64::NEG_INFINITY, 0.0, 3.0, f64::INFINITY],
        (0..1000).map(|k| f64::from(k) * 0.37 - 20.0).collect(),
        (0..200).map(|k| 1.3f64.powi(k)).collect(),
        vec![2.0],
        vec![1.0, 1.0, 1.0, 5.0, 5.0],
    ];
    for edges in &lists {
        let places = Places::new(edges);
        let near = edges.iter().flat_map(|e| [*e, e - 1e-9, e + 1e-9, e * 1.1]);
        for x in near.chain([f64::INFINITY, f64::NEG_INFINITY, 0.0, -1e30]) {
            assert_eq!(places.up_to(x), edges.partition_point(|e| *e <= x), "{x}");
        }
    }
}
