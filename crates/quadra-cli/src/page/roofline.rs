//! The roofline plot: operations per second over operations per byte, both logarithmic.

use super::escaped;
use std::fmt::Write;

/// What the machine can do at most, and what ran on it.
pub struct Roof {
    /// Operations and bytes per second.
    pub flops: f64,
    pub bytes: f64,
    pub points: Vec<Point>,
    /// Where the limits come from.
    pub about: String,
}

/// A kernel.
pub struct Point {
    pub name: String,
    /// Operations, bytes and seconds of all its launches.
    pub flops: f64,
    pub bytes: f64,
    pub seconds: f64,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 380.0;
/// Left, top, right and bottom.
const FRAME: (f64, f64, f64, f64) = (72.0, 16.0, 700.0, 336.0);

/// A logarithmic axis over whole decades.
struct Axis {
    low: i32,
    high: i32,
    from: f64,
    to: f64,
}

impl Axis {
    fn new(values: &[f64], from: f64, to: f64) -> Axis {
        let logs: Vec<f64> = values.iter().filter(|v| v.is_finite() && **v > 0.0).map(|v| v.log10()).collect();
        let low = logs.iter().copied().fold(f64::INFINITY, f64::min);
        let high = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if low > high {
            return Axis { low: 0, high: 1, from, to };
        }
        let (low, high) = (low.floor() as i32, high.ceil() as i32);
        Axis { low, high: high.max(low + 1), from, to }
    }

    fn at(&self, value: f64) -> f64 {
        let share = (value.log10() - f64::from(self.low)) / f64::from(self.high - self.low);
        self.from + share * (self.to - self.from)
    }
}

/// `10 M`, `1 G`: a power of ten with its prefix.
fn power(exponent: i32) -> String {
    match exponent {
        e @ ..-2 => format!("1e{e}"),
        e @ -2..0 => format!("{:.*}", e.unsigned_abs() as usize, 10f64.powi(e)),
        e => {
            let prefixes = ["", " k", " M", " G", " T", " P"];
            let third = (e / 3).min(5);
            format!("{}{}", 10u64.pow((e - 3 * third) as u32), prefixes[third as usize])
        }
    }
}

/// The lines at powers of ten, and what they are.
fn grid(out: &mut String, x: &Axis, y: &Axis) {
    let (left, top, right, bottom) = FRAME;
    for e in x.low..=x.high {
        let at = x.at(10f64.powi(e));
        let _ = writeln!(
            out,
            "<line class=\"grid\" x1=\"{at:.1}\" y1=\"{top}\" x2=\"{at:.1}\" y2=\"{bottom}\"/>\
             <text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            bottom + 16.0,
            power(e)
        );
    }
    for e in y.low..=y.high {
        let at = y.at(10f64.powi(e));
        let _ = writeln!(
            out,
            "<line class=\"grid\" x1=\"{left}\" y1=\"{at:.1}\" x2=\"{right}\" y2=\"{at:.1}\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            left - 6.0,
            at + 4.0,
            power(e)
        );
    }
}

impl Roof {
    pub fn svg(&self) -> String {
        let points: Vec<&Point> =
            self.points.iter().filter(|p| p.flops > 0.0 && p.bytes > 0.0 && p.seconds > 0.0).collect();
        let ridge = self.flops / self.bytes;
        let (left, top, right, bottom) = FRAME;
        let mut xs: Vec<f64> = points.iter().map(|p| p.flops / p.bytes).collect();
        xs.extend([ridge / 8.0, ridge * 8.0]);
        let mut ys: Vec<f64> = points.iter().map(|p| p.flops / p.seconds).collect();
        ys.extend([self.flops, self.flops / 30.0]);
        let (x, y) = (Axis::new(&xs, left, right), Axis::new(&ys, bottom, top));
        let mut out = format!(
            "<p>{}</p>\n<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" class=\"roof\" role=\"img\">\n",
            escaped(&self.about)
        );
        grid(&mut out, &x, &y);
        // The slope begins where it enters the frame.
        let first = 10f64.powi(x.low).max(10f64.powi(y.low) / self.bytes);
        let path = [(first, first * self.bytes), (ridge, self.flops), (10f64.powi(x.high), self.flops)];
        let path: Vec<String> = path.iter().map(|(a, b)| format!("{:.1},{:.1}", x.at(*a), y.at(*b))).collect();
        let _ = writeln!(out, "<polyline class=\"limit\" points=\"{}\"/>", path.join(" "));
        for p in &points {
            let (a, b) = (x.at(p.flops / p.bytes), y.at(p.flops / p.seconds));
            let best = self.flops.min(p.flops / p.bytes * self.bytes);
            let said = format!(
                "{}: {:.3} GFLOP/s, {:.2} operations per byte, {:.0} % of the roof",
                p.name,
                p.flops / p.seconds / 1e9,
                p.flops / p.bytes,
                100.0 * p.flops / p.seconds / best
            );
            let (anchor, dx) = if a > (left + right) / 2.0 { ("end", -9.0) } else { ("start", 9.0) };
            let _ = writeln!(
                out,
                "<circle cx=\"{a:.1}\" cy=\"{b:.1}\" r=\"5\"><title>{}</title></circle>\
                 <text class=\"name\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
                escaped(&said),
                a + dx,
                b + 4.0,
                escaped(&p.name)
            );
        }
        let (middle, center) = ((left + right) / 2.0, (top + bottom) / 2.0);
        let _ = writeln!(
            out,
            "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">operations per byte</text>\
             <text transform=\"translate(14 {center}) rotate(-90)\" text-anchor=\"middle\">operations per second</text>\n</svg>",
            HEIGHT - 8.0
        );
        if points.is_empty() {
            out += "<p>No kernel has counted operations on floats: there is nothing to plot.</p>\n";
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_stand_under_the_roof_where_their_numbers_say() {
        let point = |flops: f64, bytes: f64| Point { name: "k".into(), flops, bytes, seconds: 1.0 };
        let roof =
            Roof { flops: 1e10, bytes: 1e9, points: vec![point(1e9, 1e9), point(0.0, 1.0)], about: String::new() };
        let svg = roof.svg();
        assert_eq!(svg.matches("<circle").count(), 1, "what has no operations has no place");
        assert!(svg.contains("1.000 GFLOP/s, 1.00 operations per byte, 100 % of the roof"), "{svg}");
        let axis = Axis::new(&[0.2, 50.0], 0.0, 300.0);
        assert_eq!((axis.low, axis.high), (-1, 2));
        assert!((axis.at(1.0) - 100.0).abs() < 1e-9);
        assert_eq!([-3, -1, 0, 2, 7, 10].map(power), ["1e-3", "0.1", "1", "100", "10 M", "10 G"]);
        let empty = Roof { flops: 1e9, bytes: 1e9, points: Vec::new(), about: String::new() };
        assert!(empty.svg().contains("nothing to plot"));
    }
}
