use pulp::NullaryFnOnce as Job;
use quadra_numeric::wide::*;

struct Rows<T: Summand + 'static>(Vec<[T; SIDE]>);

impl<T: Summand> Job for Rows<T> {
    type Output = [f64; SIDE];

    #[inline(always)]
    fn call(self) -> [f64; SIDE] {
        T::add_rows([0.5; SIDE], &self.0)
    }
}

#[test]
fn rows_are_added_in_order_in_any_vectors() {
    let number = |row: usize, k: usize| 1.0 / (3 + 7 * row + k) as f32;
    for many in [0, 1, 5] {
        let rows: Vec<[f32; SIDE]> = (0..many).map(|r| std::array::from_fn(|k| number(r, k))).collect();
        let doubles = rows.iter().map(|r| r.map(f64::from)).collect();
        let want: [f64; SIDE] = std::array::from_fn(|k| (0..many).fold(0.5, |s, r| s + f64::from(number(r, k))));
        assert_eq!(run(Rows(rows.clone())), want);
        assert_eq!(Rows(rows).call(), want);
        assert_eq!(run(Rows(doubles)), want);
    }
}
