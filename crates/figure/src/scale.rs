//! Axes: where numbers lie on them, and which are marked.

use quadra_base::number;

/// Where a number lies on an axis.
pub fn scaled(x: f64, log: bool) -> f64 {
    if log { x.log10() } else { x }
}

/// Least and greatest of the finite numbers, apart from each other.
pub fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) =
        values.filter(|x| x.is_finite()).fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
    match (low, high) {
        (l, h) if l > h => (0.0, 1.0),
        (l, h) if l == h => (l - 1.0, h + 1.0),
        both => both,
    }
}

/// About five round numbers within a range.
pub fn marks(low: f64, high: f64) -> Vec<f64> {
    let raw = (high - low) / 5.0;
    let power = 10f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|k| k * power).find(|s| *s >= raw * 0.999).unwrap_or(raw);
    let first = (low / step).ceil();
    (0..12).map(|k| (first + f64::from(k)) * step).take_while(|x| *x <= high + step * 1e-9).collect()
}

/// Marks of an axis, by where they lie: on a logarithmic one powers of ten, with 2 and 5 between them if there are few.
pub fn ticks(low: f64, high: f64, log: bool) -> Vec<(f64, String)> {
    let powers = (high.floor() - low.ceil()) as i32 + 1;
    if !log {
        return marks(low, high).into_iter().map(|x| (x, number::real(x))).collect();
    }
    if powers < 2 {
        let round = marks(10f64.powf(low), 10f64.powf(high));
        return round.into_iter().map(|x| (x.log10(), number::real(x))).collect();
    }
    let factors: &[f64] = if powers <= 3 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let every = (powers / 8 + 1) as usize;
    (low.floor() as i32..=high.ceil() as i32)
        .step_by(every)
        .flat_map(|e| factors.iter().map(move |f| f * 10f64.powi(e)))
        .filter(|x| (low - 1e-9..=high + 1e-9).contains(&x.log10()))
        .map(|x| (x.log10(), number::real(x)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_numbers_within_the_range() {
        assert_eq!(marks(0.0, 10.0), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(marks(-1.0, 1.0), [-1.0, -0.5, 0.0, 0.5, 1.0]);
    }

    #[test]
    fn logarithmic_axes_are_marked_at_powers_of_ten() {
        let texts = |low, high| ticks(low, high, true).into_iter().map(|t| t.1).collect::<Vec<_>>().join(" ");
        assert_eq!(texts(0.0, 4.0), "1 10 100 1000 10000");
        assert_eq!(texts(-0.1, 1.5), "1 2 5 10 20");
        assert_eq!(texts(2.1, 2.9), "200 400 600");
    }
}
