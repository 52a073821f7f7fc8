//! Surfaces over a plane, seen from above and the side.

use crate::canvas::{BLACK, Canvas, Color, Point};
use crate::colors::ColorMap;
use crate::scale::{marks, range};
use quadra_base::number;

/// Heights over a grid.
#[derive(Clone, Debug, Default)]
pub struct Surface {
    /// Coordinates of the columns and of the rows.
    pub x: Vec<f64>,
    pub y: Vec<f64>,
    /// Row by row.
    pub z: Vec<f64>,
    /// Only lines.
    pub mesh: bool,
    /// The heights that the first and last colour stand for, if these are not the least and greatest.
    pub colors: Option<(f64, f64)>,
}

/// Most cells that are drawn in one direction: others are left out evenly.
const MOST: usize = 80;
/// From where surfaces are seen, in degrees around and above: MATLAB's directions.
pub const VIEW: (f64, f64) = (-37.5, 30.0);

/// A place in the unit cube, and where it is seen.
struct View {
    centre: Point,
    scale: f64,
    from: (f64, f64),
}

impl View {
    /// Where a point of the unit cube lies in the picture, and how far away it is.
    fn see(&self, [x, y, z]: [f64; 3]) -> (Point, f64) {
        let (a, e) = (self.from.0.to_radians(), self.from.1.to_radians());
        let (x, y, z) = (x - 0.5, y - 0.5, z - 0.5);
        let right = x * a.cos() + y * a.sin();
        let away = -x * a.sin() + y * a.cos();
        let up = z * e.cos() + away * e.sin();
        ((self.centre.0 + right * self.scale, self.centre.1 - up * self.scale), away * e.cos() - z * e.sin())
    }
}

impl Surface {
    /// Least and greatest height.
    fn heights(&self) -> Point {
        range(self.z.iter().copied())
    }

    /// The heights that the first and last colour stand for.
    pub fn range(&self) -> Point {
        self.colors.unwrap_or_else(|| self.heights())
    }

    pub fn draw(
        &self,
        canvas: &mut impl Canvas,
        [upper_left, lower_right]: [Point; 2],
        colors: &ColorMap,
        labels: &[String; 3],
        from: Option<(f64, f64)>,
    ) {
        let (w, h) = (lower_right.0 - upper_left.0, lower_right.1 - upper_left.1);
        let centre = (upper_left.0 + w / 2.0, upper_left.1 + h / 2.0);
        let view = View { centre, scale: (w / 1.45).min(h / 1.6), from: from.unwrap_or(VIEW) };
        let ranges = [range(self.x.iter().copied()), range(self.y.iter().copied()), self.heights()];
        let unit = |v: f64, axis: usize| (v - ranges[axis].0) / (ranges[axis].1 - ranges[axis].0);
        axes(canvas, &view, &ranges, labels);
        let thin = |n: usize| -> Vec<usize> {
            let step = n.div_ceil(MOST).max(1);
            let mut kept: Vec<usize> = (0..n).step_by(step).collect();
            if kept.last().is_some_and(|l| *l + 1 < n) {
                kept.push(n - 1);
            }
            kept
        };
        let (columns, rows) = (thin(self.x.len()), thin(self.y.len()));
        let corner =
            |i: usize, j: usize| [unit(self.x[j], 0), unit(self.y[i], 1), unit(self.z[i * self.x.len() + j], 2)];
        let mut cells: Vec<(f64, [Point; 4], f64)> = Vec::new();
        for i in rows.windows(2) {
            for j in columns.windows(2) {
                let corners = [corner(i[0], j[0]), corner(i[0], j[1]), corner(i[1], j[1]), corner(i[1], j[0])];
                if corners.iter().flatten().all(|v| v.is_finite()) {
                    let seen = corners.map(|c| view.see(c));
                    let height = corners.iter().map(|c| c[2]).sum::<f64>() / 4.0;
                    let (low, high) = self.range();
                    let level = (ranges[2].0 + height * (ranges[2].1 - ranges[2].0) - low) / (high - low);
                    cells.push((seen.iter().map(|s| s.1).sum(), seen.map(|s| s.0), level));
                }
            }
        }
        // What is far away is drawn first.
        cells.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (_, corners, level) in cells {
            let color = colors.at(level);
            let edge: Color = if self.mesh { color } else { color.map(|c| c / 3 * 2) };
            canvas.area(&corners, if self.mesh { [255; 3] } else { color }, Some(edge));
        }
    }
}

/// The three edges with their marks.
fn axes(canvas: &mut impl Canvas, view: &View, ranges: &[Point; 3], labels: &[String; 3]) {
    // Two edges in front, at the bottom, and the leftmost upright one.
    let edges: [([f64; 3], usize); 3] = [([0.0, 0.0, 0.0], 0), ([1.0, 0.0, 0.0], 1), ([0.0, 1.0, 0.0], 2)];
    for (start, axis) in edges {
        let at = |share: f64| {
            let mut place = start;
            place[axis] = share;
            view.see(place).0
        };
        canvas.line(at(0.0), at(1.0), BLACK);
        let shift = match axis {
            0 => (-6.0, 14.0),
            1 => (8.0, 12.0),
            _ => (-10.0, 0.0),
        };
        let anchor = if axis == 1 { 0 } else { 2 };
        for value in marks(ranges[axis].0, ranges[axis].1) {
            let (x, y) = at((value - ranges[axis].0) / (ranges[axis].1 - ranges[axis].0));
            canvas.text((x + shift.0, y + shift.1), anchor, &number::real(value), BLACK);
        }
        let (x, y) = at(0.5);
        canvas.text((x + 4.0 * shift.0, y + 2.0 * shift.1), anchor, &labels[axis], BLACK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::Svg;

    #[test]
    fn near_cells_hide_far_ones() {
        let s = Surface {
            x: vec![0.0, 1.0, 2.0],
            y: vec![0.0, 1.0],
            z: vec![0.0, 1.0, 0.0, 0.0, 1.0, 2.0],
            mesh: false,
            colors: None,
        };
        let mut svg = Svg::new((100.0, 100.0));
        s.draw(&mut svg, [(0.0, 0.0), (100.0, 100.0)], &ColorMap::default(), &Default::default(), None);
        assert_eq!(svg.finish().matches("<polygon").count(), 2);
        let view = View { centre: (0.0, 0.0), scale: 1.0, from: VIEW };
        assert!(view.see([0.5, 1.0, 0.5]).1 > view.see([0.5, 0.0, 0.5]).1, "y goes away from who looks");
        let above = View { from: (0.0, 90.0), ..view };
        let (at, _) = above.see([1.0, 0.0, 0.3]);
        assert!((at.0 - 0.5).abs() < 1e-9 && (at.1 - 0.5).abs() < 1e-9, "from above, x goes right and y up: {at:?}");
    }
}
