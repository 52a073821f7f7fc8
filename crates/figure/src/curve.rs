//! Curves: their lines, as far as pixels tell them apart, and marks.

use crate::axes::Frame;
use crate::canvas::{Canvas, Color, Point};
use crate::style::Style;
use std::collections::HashSet;

pub(crate) fn curve(canvas: &mut impl Canvas, f: &Frame, points: &[Point], style: &Style, color: Color) {
    if !style.unconnected {
        for part in points.split(|p| !f.shows(*p)) {
            let part = thinned(part.iter().map(|p| f.at(*p)));
            if !style.dashed && style.width < 1.5 && part.len() > 1 {
                canvas.path(&part, color);
                continue;
            }
            for (a, b) in part.windows(2).flat_map(|w| beside(w[0], w[1], style.width)) {
                match style.dashed {
                    false => canvas.line(a, b, color),
                    true => dashes(canvas, a, b, color),
                }
            }
        }
    }
    let Some(mark) = style.mark else { return };
    let scale = if style.size > 0.0 { style.size / 6.0 } else { 1.0 };
    let mut drawn = HashSet::new();
    for (x, y) in points.iter().filter(|p| f.shows(**p)).map(|p| f.at(*p)) {
        // Marks on top of one another look like one.
        if !drawn.insert(((2.0 * x).round() as i32, (2.0 * y).round() as i32)) {
            continue;
        }
        let mut line = |dx: f64, dy: f64| {
            let (dx, dy) = (dx * scale, dy * scale);
            canvas.line((x - dx, y - dy), (x + dx, y + dy), color);
        };
        match mark {
            '+' => [(3.0, 0.0), (0.0, 3.0)].into_iter().for_each(|(dx, dy)| line(dx, dy)),
            'x' => [(3.0, 3.0), (3.0, -3.0)].into_iter().for_each(|(dx, dy)| line(dx, dy)),
            '*' => [(3.0, 0.0), (0.0, 3.0), (2.0, 2.0), (2.0, -2.0)].into_iter().for_each(|(dx, dy)| line(dx, dy)),
            '.' => canvas.area(
                &[(x - scale, y - scale), (x + scale, y - scale), (x + scale, y + scale), (x - scale, y + scale)],
                color,
                None,
            ),
            _ => {
                let around = |k: i32| {
                    let angle = f64::from(k) * std::f64::consts::FRAC_PI_4;
                    (x + 3.0 * scale * angle.cos(), y + 3.0 * scale * angle.sin())
                };
                if style.filled || style.fill.is_some() {
                    let corners: Vec<Point> = (0..8).map(around).collect();
                    canvas.area(&corners, style.fill.unwrap_or(color), None);
                }
                (0..8).for_each(|k| canvas.line(around(k), around(k + 1), color));
            }
        }
    }
}

/// The points of a line as far as pixels tell them apart: of neighbours in one column of half a pixel the first, the highest, the lowest and
/// the last.
fn thinned(points: impl Iterator<Item = Point>) -> Vec<Point> {
    let mut kept: Vec<Point> = Vec::new();
    // Where the column begins in what is kept, and its extremes in the order in which they came.
    let (mut column, mut begin) = (f64::NAN, 0);
    for p in points {
        let here = (2.0 * p.0).floor();
        if here != column {
            (column, begin) = (here, kept.len());
        }
        kept.push(p);
        // Five points: the one that is neither an end nor an extreme goes.
        if kept.len() - begin == 5 {
            let middle = begin + 1..begin + 4;
            let (high, low) = middle.clone().fold((middle.start, middle.start), |(high, low), k| {
                (if kept[k].1 < kept[high].1 { k } else { high }, if kept[k].1 > kept[low].1 { k } else { low })
            });
            let gone = middle.clone().find(|k| *k != high && *k != low).unwrap_or(middle.start);
            kept.remove(gone);
        }
    }
    kept
}

/// As many lines side by side as a line of this thickness has pixels.
fn beside(a: Point, b: Point, width: f64) -> impl Iterator<Item = (Point, Point)> {
    let count = width.round().clamp(1.0, 100.0);
    let length = (b.0 - a.0).hypot(b.1 - a.1).max(1e-9);
    let (across, up) = ((a.1 - b.1) / length, (b.0 - a.0) / length);
    (0..count as u32).map(move |k| {
        let by = f64::from(k) - (count - 1.0) / 2.0;
        let moved = |p: Point| (p.0 + across * by, p.1 + up * by);
        (moved(a), moved(b))
    })
}

/// A line of dashes of six pixels.
fn dashes(canvas: &mut impl Canvas, a: Point, b: Point, color: Color) {
    let length = (b.0 - a.0).hypot(b.1 - a.1);
    let at = |s: f64| (a.0 + (b.0 - a.0) * s / length, a.1 + (b.1 - a.1) * s / length);
    let count = (length / 10.0).ceil().min(1000.0) as u32;
    for k in 0..count {
        let from = f64::from(k) * 10.0;
        canvas.line(at(from), at((from + 6.0).min(length)), color);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For each column of half a pixel the first, the last, the highest and the lowest point.
    fn seen(points: &[Point]) -> Vec<[f64; 4]> {
        let same = |a: &Point, b: &Point| (2.0 * a.0).floor() == (2.0 * b.0).floor();
        let of = |part: &[Point]| {
            let by = |f: fn(f64, f64) -> f64| part.iter().map(|p| p.1).reduce(f).unwrap_or(f64::NAN);
            [part[0].1, part[part.len() - 1].1, by(f64::min), by(f64::max)]
        };
        points.chunk_by(same).map(of).collect()
    }

    #[test]
    fn many_points_look_like_few() {
        let shapes: [fn(usize) -> Point; 4] = [
            |k| (k as f64 * 0.01, 100.0 * (k as f64).sin()),
            |k| (100.0 - k as f64 * 0.013, (k % 7) as f64),
            |k| (50.0 + 40.0 * (k as f64 * 0.01).cos(), 40.0 * (k as f64 * 0.01).sin()),
            |_| (3.0, 4.0),
        ];
        for shape in shapes {
            let all: Vec<Point> = (0..5000).map(shape).collect();
            let few = thinned(all.iter().copied());
            assert_eq!(seen(&few), seen(&all));
            assert!(few.len() <= 4 * seen(&all).len() && few.first() == all.first() && few.last() == all.last());
        }
        let apart: Vec<Point> = (0..9).map(|k| (f64::from(k), 1.0)).collect();
        assert_eq!(thinned(apart.iter().copied()), apart);
        assert!(thinned(std::iter::empty()).is_empty());
    }
}
