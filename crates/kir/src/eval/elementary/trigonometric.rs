//! Trigonometric functions and their inverses.

use super::{Real, Word, nearest};

/// What is left of an argument without quadrants.
struct Reduced<R: Real> {
    /// The number of the quadrant in its lowest bits.
    quadrant: R::Word,
    /// x - quadrant·pi/2, rounded; of a zero with its sign.
    high: R,
    /// The negative of what rounding left out.
    minus_low: R,
}

#[inline(always)]
fn reduced<R: Real>(x: R) -> Reduced<R> {
    let f = x.format();
    let part = |n: usize| x.lit(f.quarter[n]);
    if !f.double {
        // Exact but for the quadrant's number, as is the first difference.
        let sum = x.fused(x.lit(std::f64::consts::FRAC_2_PI), x.lit(f.magic));
        let k = sum - x.lit(f.magic);
        let first = k.fused(x.lit(-f.quarter[0]), x);
        let second = k * part(1);
        let high = first - second;
        let lost = (first - high) - second;
        let minus_low = k.fused(part(2), k.fused(part(1), x.lit(0.0) - second) - lost);
        return Reduced { quadrant: sum.word(), high, minus_low };
    }
    let (k, quadrant) = nearest(x * x.lit(std::f64::consts::FRAC_2_PI));
    // All products but the last are exact, and so is the first difference; of the others it is kept what rounding took.
    let (first, [b, c, d]) = (x - k * part(0), [1, 2, 3].map(|n| k * part(n)));
    let second = first - b;
    let high = second - c;
    let lost = ((first - second) - b) + ((second - high) - c);
    Reduced { quadrant, high, minus_low: d - lost }
}

/// The value for arguments that are not too large for `reduced`; else the host's. Infinity gives what is no number either way.
#[inline(always)]
fn unless_far<R: Real>(x: R, function: fn(f64, f64) -> f64, near: R) -> R {
    let (size, most) = (x.abs(), x.lit(x.format().far));
    let far = most.less(size) & size.less(x.lit(f64::INFINITY));
    x.far(x, far, function, near)
}

/// The sine of what is left and of its quadrant.
#[inline(always)]
fn in_quadrant<R: Real>(x: Reduced<R>) -> R {
    let Reduced { quadrant, high, minus_low } = x;
    let f = high.format();
    let square = high * high;
    // With this order of signs a zero keeps its own.
    let sine = high - (high * square).fused(square.polynomial(f.minus_sin), minus_low);
    let tail = square * square.fused(square.polynomial(f.cos), high.lit(-0.5));
    let cosine = high.lit(1.0) + high.fused(minus_low, tail);
    let even = (quadrant & quadrant.lit(1)).is_zero();
    let sign = (quadrant & quadrant.lit(2)).left(f.fraction + f.exponent_bits() - 1);
    (R::pick(even, sine, cosine).word() ^ sign).real()
}

/// The sine.
#[inline(always)]
pub fn sin<R: Real>(x: R) -> R {
    unless_far(x, |x, _| libm::sin(x), in_quadrant(reduced(x)))
}

/// The cosine.
#[inline(always)]
pub fn cos<R: Real>(x: R) -> R {
    let r = reduced(x);
    let quadrant = r.quadrant + r.quadrant.lit(1);
    unless_far(x, |x, _| libm::cos(x), in_quadrant(Reduced { quadrant, ..r }))
}

/// The tangent; in odd quadrants the negative of its reciprocal.
#[inline(always)]
pub fn tan<R: Real>(x: R) -> R {
    let Reduced { quadrant, high, minus_low } = reduced(x);
    let one = x.lit(1.0);
    let square = high * high;
    let tail = high * square * square.polynomial(x.format().tan);
    let about = high + tail;
    let minus_rest = minus_low * about.fused(about, one) - tail;
    let tangent = high - minus_rest;
    let lost = (high - tangent) - minus_rest;
    // By the first term of the series around `tangent`, and by what a fused operation tells of the quotient.
    let other = x.lit(-1.0) / tangent;
    let remains = if x.format().double { x.lit(0.0) } else { other.fused(tangent, one) };
    let other = other.fused(lost.fused(other, remains), other);
    let even = (quadrant & quadrant.lit(1)).is_zero();
    unless_far(x, |x, _| libm::tan(x), R::pick(even, tangent, other))
}

/// The arc tangent of `above` / `below`, both positive or zero. Of singles that of a quotient of at most 1, or what it lacks to a
/// right angle; of doubles at 0, pi/4 or pi/2, from where what is left is within tan(pi/8).
#[inline(always)]
fn first_octants<R: Real>(above: R, below: R) -> R {
    let f = above.format();
    let lit = |x: f64| above.lit(x);
    let (high, low) = f.right_angle;
    if !f.double {
        let far = below.less(above);
        let q = R::pick(far, below, above) / R::pick(far, above, below);
        let square = q * q;
        let tail = q * square * square.polynomial(f.atan);
        return R::pick(far, (lit(high) - q) + (lit(low) - tail), q + tail);
    }
    let near = above.less(below * lit(0.414_213_562_373_095_05));
    let far = (below * lit(2.414_213_562_373_095)).less(above);
    let choose = |a: R, b: R, c: R| R::pick(near, a, R::pick(far, b, c));
    let zero = lit(0.0);
    let q = choose(above, zero - below, above - below) / choose(below, above, above + below);
    let square = q * q;
    let tail = (q * square).fused(square.polynomial(f.atan), choose(zero, lit(low), lit(0.5 * low)));
    choose(zero, lit(high), lit(0.5 * high)) + (q + tail)
}

/// The arc tangent.
#[inline(always)]
pub fn atan<R: Real>(x: R) -> R {
    first_octants(x.abs(), x.lit(1.0)).signed(x)
}

/// The angle of the point (x, y), from -pi to pi, with the sign of y.
#[inline(always)]
pub fn atan2<R: Real>(y: R, x: R) -> R {
    let f = y.format();
    let lit = |c: f64| y.lit(c);
    let (above, below) = (y.abs(), x.abs());
    let (zero, infinite) = (lit(0.0), lit(f64::INFINITY));
    // Of two zeros or two infinities there is no quotient.
    let none = above.same(below) & (above.same(zero) | above.same(infinite));
    let equal = R::pick(above.same(zero), zero, lit(1.0));
    // Sums and small multiples neither overflow nor lose bits.
    let sum = above + below;
    let scale = R::pick(lit(f.large).less(sum), lit(1.0 / 256.0), lit(1.0));
    let scale = R::pick(sum.less(lit(1.0 / f.large)), lit(f.large), scale);
    let (above, below) = (R::pick(none, equal, above * scale), R::pick(none, lit(1.0), below * scale));
    let angle = first_octants(above, below);
    let (high, low) = f.right_angle;
    let behind = lit(2.0 * high) - (angle - lit(2.0 * low));
    let right = (x.word() & x.word().lit(!f.most_bits)).is_zero();
    R::pick(right, angle, behind).signed(y)
}

/// Of |x| up to 1/2: it, and the rest of its arc sine. Above: sqrt((1 - |x|)/2), of whose arc sine it takes twice from a right
/// angle, likewise. And which it is.
#[inline(always)]
fn half_angle<R: Real>(x: R) -> (R, R, R::Truth) {
    let (size, half) = (x.abs(), x.lit(0.5));
    let large = half.less(size);
    let rest = (x.lit(1.0) - size) * half;
    let square = R::pick(large, rest, size * size);
    let start = R::pick(large, rest.root(), size);
    (start, start * square * square.polynomial(x.format().asin), large)
}

/// `value`, but what is no number outside of [-1, 1].
#[inline(always)]
fn inside_one<R: Real>(x: R, value: R) -> R {
    R::pick(x.lit(1.0).less(x.abs()), x.lit(f64::NAN), value)
}

/// The arc sine.
#[inline(always)]
pub fn asin<R: Real>(x: R) -> R {
    let (start, tail, large) = half_angle(x);
    let (high, low) = x.format().right_angle;
    let (high, low, double) = (x.lit(high), x.lit(low), start + start);
    let about = high - double;
    // What rounding took from the difference, whose exponent may be the result's and one.
    let lost = (high - about) - double;
    let other = about - (((tail + tail) - low) - lost);
    inside_one(x, R::pick(large, other, start + tail).signed(x))
}

/// The arc cosine.
#[inline(always)]
pub fn acos<R: Real>(x: R) -> R {
    let (start, tail, large) = half_angle(x);
    let (high, low) = x.format().right_angle;
    let (high, low) = (x.lit(high), x.lit(low));
    let small = high - (start.signed(x) - (low - tail.signed(x)));
    let double = (start + tail) + (start + tail);
    let behind = (high - start) + (high - start) - ((tail + tail) - (low + low));
    let negative = x.less(x.lit(0.0));
    inside_one(x, R::pick(large, R::pick(negative, behind, double), small))
}
