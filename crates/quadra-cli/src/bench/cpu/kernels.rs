//! K1 to K12 as Rust kernels, as one would write them: one item per output element.

use quadra_dsl::prelude::*;

/// K1: the mean of 11 × 11 pixels of three colours, with zeros past the borders. `width` counts colours. The order of the sum
/// is left to the device.
#[kernel]
pub fn box11(a: Ptr<Float>, out: Ptr<Float>, height: Int, width: Int) {
    relaxed();
    let (y, x) = (item_at(0), item_at(1));
    let mut sum = float(0.0);
    for dy in range(-5, 6, 1) {
        for dx in range(-5, 6, 1) {
            let (row, column) = (y + dy, x + dx * 3);
            if row >= 0 && row < height && column >= 0 && column < width {
                sum += a.at(row * width + column).load_lanes();
            }
        }
    }
    out.at(y * width + x).scatter(sum / 121.0);
}

/// K2: every pixel moves towards one colour. Each worker takes a run of groups of 16 pixels, which are three vectors.
#[kernel]
pub fn lerp(a: Ptr<Float>, out: Ptr<Float>, n: Int, red: Float, green: Float, blue: Float, t: Float) {
    let each = (n / 48 + num_qpus() - 1) / num_qpus() * 48;
    // Lane l of vector v holds colour (16 v + l) mod 3.
    let hot = [0, 1, 2].map(|v| {
        let colour = (index() + 16 * v) % 3;
        select(colour == 0, red, select(colour == 1, green, blue))
    });
    for i in range(me() * each, min(n, (me() + 1) * each), 48) {
        for v in 0..3 {
            let old = a[i + 16 * v as i32];
            out[i + 16 * v as i32] = old + (hot[v] - old) * t;
        }
    }
}

/// K3: one step of heat flow on a square of `n` × `n` points whose border stays as it is; items are the inner points.
#[kernel]
pub fn heat(from: Ptr<Float>, to: Ptr<Float>, n: Int, k: Float) {
    let at = (item_at(0) + 1) * n + item_at(1) + 1;
    let t = |dy: i32, dx: i32| from.at(at + n * dy + dx).load_lanes();
    let around = t(-1, -1) + t(-1, 0) + t(-1, 1) + t(0, -1) + t(0, 1) + t(1, -1) + t(1, 0) + t(1, 1);
    let here = t(0, 0);
    to.at(at).scatter(here - k * (here - around * 0.125));
}

/// K4: points turn around the origin, in place.
#[kernel]
pub fn rot(x: Ptr<Float>, y: Ptr<Float>, cos: Float, sin: Float) {
    let (p, q) = (x + item(), y + item());
    let (a, b) = (p.load_lanes(), q.load_lanes());
    p.scatter(a * cos - b * sin);
    q.scatter(a * sin + b * cos);
}

/// K5: a product of matrices, row by column.
#[kernel]
pub fn matmul(a: Ptr<Float>, b: Ptr<Float>, c: Ptr<Float>, inner: Int, columns: Int) {
    let (row, column) = (item_at(0), item_at(1));
    let mut sum = float(0.0);
    for k in range(0, inner, 1) {
        sum += a.at(row * inner + k).load_lanes() * b.at(k * columns + column).load_lanes();
    }
    c.at(row * columns + column).scatter(sum);
}

/// K6: how often each byte occurs; a word holds four.
#[kernel]
pub fn histogram_bytes(words: Ptr<Int>, bins: Ptr<Int>) {
    let word = words.at(item()).load_lanes();
    for byte in 0..4 {
        bins.at(shr(word, 8 * byte) & 255).atomic_add(int(1));
    }
}

/// K6: how often numbers from 0 to 1 fall into each of 256 bins.
#[kernel]
pub fn histogram(values: Ptr<Float>, bins: Ptr<Int>) {
    let bin = (values.at(item()).load_lanes() * 256.0).to_int();
    bins.at(min(max(bin, 0), 255)).atomic_add(int(1));
}

/// K7: the sum of all values, added to `total[0]`.
#[kernel]
pub fn sum(values: Ptr<Float>, total: Ptr<Float>) {
    total.atomic_add(values.at(item()).load_lanes());
}

/// K8: how many of at most `limit` steps of z ← z² + c stay inside the circle of radius 2.
#[kernel]
pub fn mandelbrot(left: Float, top: Float, delta: Float, width: Int, limit: Int, out: Ptr<Int>) {
    let (y, x) = (item_at(0), item_at(1));
    let (re, im) = (left + delta * x.to_float(), top + delta * y.to_float());
    let (mut zr, mut zi) = (float(0.0), float(0.0));
    let mut n = int(0);
    while n < limit && zr * zr + zi * zi <= 4.0 {
        let (rr, ii) = (zr * zr, zi * zi);
        zi = 2.0 * zr * zi + im;
        zr = rr - ii + re;
        n += 1;
    }
    out.at(y * width + x).scatter(n);
}

/// K9: the greatest common divisor of each pair, by subtraction.
#[kernel]
pub fn gcd(p: Ptr<Int>, q: Ptr<Int>, r: Ptr<Int>) {
    let mut a = p.at(item()).load_lanes();
    let mut b = q.at(item()).load_lanes();
    while a != b {
        if a > b {
            a = a - b;
        } else {
            b = b - a;
        }
    }
    r.at(item()).scatter(a);
}

/// K10: a mean of 5 × 5 points with weights that fall with the distance and with the difference; the border continues.
#[kernel]
pub fn bilateral(a: Ptr<Float>, out: Ptr<Float>, n: Int, space: Float, tone: Float) {
    let (y, x) = (item_at(0), item_at(1));
    let here = a.at(y * n + x).load_lanes();
    let (mut sum, mut weights) = (float(0.0), float(0.0));
    for dy in range(-2, 3, 1) {
        for dx in range(-2, 3, 1) {
            let (row, column) = (min(max(y + dy, 0), n - 1), min(max(x + dx, 0), n - 1));
            let there = a.at(row * n + column).load_lanes();
            let difference = there - here;
            let weight = exp((dx * dx + dy * dy).to_float() * space + difference * difference * tone);
            sum += weight * there;
            weights += weight;
        }
    }
    out.at(y * n + x).scatter(sum / weights);
}

/// K11: 15 taps down the columns; the border continues.
#[kernel]
pub fn gauss_down(a: Ptr<Float>, out: Ptr<Float>, n: Int, taps: Ptr<Float>) {
    let (y, x) = (item_at(0), item_at(1));
    let mut sum = float(0.0);
    for d in range(0, 15, 1) {
        let row = min(max(y + d - 7, 0), n - 1);
        sum += taps.at(d).load_lanes() * a.at(row * n + x).load_lanes();
    }
    out.at(y * n + x).scatter(sum);
}

/// K11: 15 taps along the rows; the border continues.
#[kernel]
pub fn gauss_along(a: Ptr<Float>, out: Ptr<Float>, n: Int, taps: Ptr<Float>) {
    let (y, x) = (item_at(0), item_at(1));
    let mut sum = float(0.0);
    for d in range(0, 15, 1) {
        let column = min(max(x + d - 7, 0), n - 1);
        sum += taps.at(d).load_lanes() * a.at(y * n + column).load_lanes();
    }
    out.at(y * n + x).scatter(sum);
}

/// K12: y ← y + a x.
#[kernel]
pub fn saxpy(a: Float, x: Ptr<Float>, y: Ptr<Float>) {
    let (p, q) = (x + item(), y + item());
    q.scatter(q.load_lanes() + a * p.load_lanes());
}

/// K12: z ← x + a y.
#[kernel]
pub fn triad(z: Ptr<Float>, x: Ptr<Float>, y: Ptr<Float>, a: Float) {
    (z + item()).scatter((x + item()).load_lanes() + a * (y + item()).load_lanes());
}

/// Nothing: what a launch costs.
#[kernel]
pub fn nothing(out: Ptr<Int>) {
    out.at(item()).scatter(item());
}
