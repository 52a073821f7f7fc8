//! Piecewise cubic interpolation of values at ascending places.

/// The slopes at the places; between two of them lies the cubic polynomial with their values and slopes.
pub struct Cubic {
    /// At the places.
    pub slopes: Vec<f64>,
}

impl Cubic {
    /// The value at a place; outside, that of the first or last polynomial.
    pub fn at(&self, x: &[f64], v: &[f64], at: f64) -> f64 {
        let k = x.partition_point(|p| *p <= at).clamp(1, x.len() - 1) - 1;
        let (h, t) = (x[k + 1] - x[k], (at - x[k]) / (x[k + 1] - x[k]));
        let (p, q) = (self.slopes[k] * h, self.slopes[k + 1] * h);
        let rise = v[k + 1] - v[k];
        v[k] + t * (p + t * ((3.0 * rise - 2.0 * p - q) + t * (p + q - 2.0 * rise)))
    }
}

/// The slope at the end of a range from the two intervals next to it, that of the range or none (Fritsch and Carlson).
fn end_slope(h: [f64; 2], d: [f64; 2]) -> f64 {
    let slope = ((2.0 * h[0] + h[1]) * d[0] - h[0] * d[1]) / (h[0] + h[1]);
    match () {
        _ if slope * d[0] <= 0.0 => 0.0,
        _ if d[0] * d[1] <= 0.0 && slope.abs() > 3.0 * d[0].abs() => 3.0 * d[0],
        _ => slope,
    }
}

/// The interpolation that rises and falls where the values do.
pub fn monotone(x: &[f64], v: &[f64]) -> Cubic {
    let n = x.len();
    let h: Vec<f64> = x.windows(2).map(|p| p[1] - p[0]).collect();
    let d: Vec<f64> = v.windows(2).zip(&h).map(|(p, h)| (p[1] - p[0]) / h).collect();
    let mut slopes = vec![d[0]; n];
    if n > 2 {
        for k in 1..n - 1 {
            let (a, b) = (2.0 * h[k] + h[k - 1], h[k] + 2.0 * h[k - 1]);
            slopes[k] = if d[k - 1] * d[k] <= 0.0 { 0.0 } else { (a + b) / (a / d[k - 1] + b / d[k]) };
        }
        slopes[0] = end_slope([h[0], h[1]], [d[0], d[1]]);
        slopes[n - 1] = end_slope([h[n - 2], h[n - 3]], [d[n - 2], d[n - 3]]);
    }
    Cubic { slopes }
}

/// The interpolation with two continuous derivatives whose first two and last two polynomials are the same.
pub fn not_a_knot(x: &[f64], v: &[f64]) -> Cubic {
    let n = x.len();
    let h: Vec<f64> = x.windows(2).map(|p| p[1] - p[0]).collect();
    let d: Vec<f64> = v.windows(2).zip(&h).map(|(p, h)| (p[1] - p[0]) / h).collect();
    if n < 3 {
        return Cubic { slopes: vec![d[0]; n] };
    }
    if n == 3 {
        // One parabola.
        let bend = (d[1] - d[0]) / (h[0] + h[1]);
        return Cubic { slopes: vec![d[0] - bend * h[0], d[0] + bend * h[0], d[1] + bend * h[1]] };
    }
    // Rows (below, diagonal, above, right side) of the system for the slopes.
    let mut rows: Vec<[f64; 4]> = vec![[0.0; 4]; n];
    let end = |a: f64, b: f64, p: f64, q: f64| ((a + 2.0 * (a + b)) * b * p + a * a * q) / (a + b);
    rows[0] = [0.0, h[1], h[0] + h[1], end(h[0], h[1], d[0], d[1])];
    for k in 1..n - 1 {
        rows[k] = [h[k], 2.0 * (h[k - 1] + h[k]), h[k - 1], 3.0 * (h[k] * d[k - 1] + h[k - 1] * d[k])];
    }
    rows[n - 1] = [h[n - 3] + h[n - 2], h[n - 3], 0.0, end(h[n - 2], h[n - 3], d[n - 2], d[n - 3])];
    for k in 1..n {
        let f = rows[k][0] / rows[k - 1][1];
        rows[k][1] -= f * rows[k - 1][2];
        rows[k][3] -= f * rows[k - 1][3];
    }
    let mut slopes = vec![0.0; n];
    for k in (0..n).rev() {
        let next = slopes.get(k + 1).copied().unwrap_or(0.0);
        slopes[k] = (rows[k][3] - rows[k][2] * next) / rows[k][1];
    }
    Cubic { slopes }
}
