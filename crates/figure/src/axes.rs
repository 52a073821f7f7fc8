//! Axes: a frame with marks, and what is drawn in it.

use crate::canvas::{BLACK, Canvas, Color, Point};
use crate::colors::{CURVES, ColorMap};
use crate::curve::curve;
use crate::scale::{range, scaled, ticks};
use crate::style::Style;
use crate::surface;
use image::{Rgb, RgbImage};
use quadra_base::number;
use std::borrow::Cow;

/// Something that is drawn in a frame.
#[derive(Clone, Debug)]
pub enum Layer {
    Curve {
        points: Vec<Point>,
        style: Style,
    },
    /// Bars from 0 to y, each around its x; those that lie go from 0 to x, each around its y.
    Bars {
        points: Vec<Point>,
        color: Option<Color>,
        lying: bool,
    },
    /// A polygon with its inside.
    Area {
        points: Vec<Point>,
        color: Option<Color>,
    },
    Surface(surface::Surface),
    /// Levels from 0 to 255 are coloured if there is a map; `range` is what 0 and 255 stand for.
    Picture {
        image: RgbImage,
        gray: bool,
        range: (f64, f64),
    },
    Text {
        at: Point,
        text: String,
    },
}

/// What the lengths of the two axes have to do with each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Proportion {
    #[default]
    Free,
    /// A unit is as long on both; the limits grow to fill the frame.
    Equal,
    /// A unit is as long on both, and the frame is no larger than the limits.
    Tight,
    /// The frame is a square.
    Square,
}

/// Axes and what is drawn in them.
#[derive(Clone, Debug, Default)]
pub struct Axes {
    /// Whether what comes next is added.
    pub held: bool,
    pub title: String,
    pub names: Vec<String>,
    pub layers: Vec<Layer>,
    /// Whether the x axis and the y axis are logarithmic.
    pub logs: (bool, bool),
    /// What stands at the axes.
    pub labels: [String; 3],
    /// Limits of x and y, where the program says them.
    pub limits: [Option<(f64, f64)>; 2],
    /// Where the marks of x and y are, where the program says it.
    pub marks: [Option<Vec<f64>>; 2],
    /// What stands at the marks, in their order, where the program says it.
    pub mark_names: [Option<Vec<String>>; 2],
    /// Lines at the marks.
    pub grid: bool,
    pub colors: Option<ColorMap>,
    /// A bar that says what colours stand for.
    pub colorbar: bool,
    /// From where surfaces are seen, in degrees around and above, if not from the usual place.
    pub view: Option<(f64, f64)>,
    pub proportion: Proportion,
    /// Whether frame and marks are shown, where the program says it; a bare picture has none unless it does.
    pub framed: Option<bool>,
    /// Whether y grows downwards, where the program says it; otherwise it does for pictures alone.
    pub downwards: Option<bool>,
    /// What has its heights at the right edge.
    pub right: Option<Box<Axes>>,
}

/// From the edges of the axes to their frame: left, top, right, bottom.
const MARGINS: [f64; 4] = [70.0, 40.0, 20.0, 60.0];
const LIGHT: Color = [224, 224, 224];

/// A frame, and what its edges stand for.
pub(crate) struct Frame {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
    x: (f64, f64),
    y: (f64, f64),
}

impl Frame {
    fn at_x(&self, x: f64) -> f64 {
        self.left + (x - self.x.0) / (self.x.1 - self.x.0) * (self.right - self.left)
    }

    fn at_y(&self, y: f64) -> f64 {
        self.bottom - (y - self.y.0) / (self.y.1 - self.y.0) * (self.bottom - self.top)
    }

    pub(crate) fn at(&self, p: Point) -> Point {
        (self.at_x(p.0), self.at_y(p.1))
    }

    /// Gives the frame or its limits the proportion.
    fn proportioned(&mut self, proportion: Proportion) {
        let (wide, high) = (self.right - self.left, self.bottom - self.top);
        let (x, y) = (self.x.1 - self.x.0, self.y.1 - self.y.0);
        // Pixels for a unit of both.
        let unit = (wide / x).min(high / y);
        match proportion {
            Proportion::Free => {}
            Proportion::Equal => {
                let about = |l: (f64, f64), length: f64| {
                    let middle = f64::midpoint(l.0, l.1);
                    (middle - length / 2.0, middle + length / 2.0)
                };
                (self.x, self.y) = (about(self.x, wide / unit), about(self.y, high / unit));
            }
            Proportion::Tight => self.shrink(x * unit, y * unit),
            Proportion::Square => self.shrink(wide.min(high), wide.min(high)),
        }
    }

    /// Makes the frame smaller, with the same middle.
    fn shrink(&mut self, wide: f64, high: f64) {
        let (spare_x, spare_y) = ((self.right - self.left - wide) / 2.0, (self.bottom - self.top - high) / 2.0);
        (self.left, self.right) = (self.left + spare_x, self.right - spare_x);
        (self.top, self.bottom) = (self.top + spare_y, self.bottom - spare_y);
    }

    /// Whether a point is a number and lies in the frame or not far from it.
    pub(crate) fn shows(&self, p: Point) -> bool {
        let (x, y) = self.at(p);
        x.is_finite() && y.is_finite() && x.abs() < 1e5 && y.abs() < 1e5
    }
}

impl Axes {
    /// Whether something that comes now is added to what there is.
    pub fn takes_more(&self) -> bool {
        self.held || self.layers.is_empty()
    }

    /// Whether there is more to see than one picture.
    pub fn is_drawn(&self) -> bool {
        let plain = matches!(self.layers[..], [Layer::Picture { .. }])
            && self.colors.is_none()
            && self.framed != Some(true)
            && self.downwards != Some(false);
        let texts = self.labels.iter().chain(&self.names).chain([&self.title]);
        self.right.is_some()
            || !(plain || self.layers.is_empty())
            || self.colorbar
            || texts.into_iter().any(|t| !t.is_empty()) && !self.layers.is_empty()
    }

    /// Draws the axes into a rectangle.
    pub fn draw(&self, canvas: &mut impl Canvas, corner: Point, (w, h): Point) {
        let [left, top, right, bottom] = MARGINS;
        let bar = if self.colorbar || self.right.is_some() { 60.0 } else { 0.0 };
        let mut frame = Frame {
            left: corner.0 + left,
            top: corner.1 + top,
            right: corner.0 + w - right - bar,
            bottom: corner.1 + h - bottom,
            x: (0.0, 1.0),
            y: (0.0, 1.0),
        };
        let middle = (frame.left + frame.right) / 2.0;
        let (outer_bottom, outer_top) = (frame.bottom, frame.top);
        let surface = self.layers.iter().find_map(|l| if let Layer::Surface(s) = l { Some(s) } else { None });
        match surface {
            Some(surface) => {
                let colors = self.colors.clone().or_else(|| ColorMap::named("viridis")).unwrap_or_default();
                let corners = [(frame.left, frame.top), (frame.right, frame.bottom)];
                surface.draw(canvas, corners, &colors, &self.labels, self.view);
            }
            None => self.plane(canvas, &mut frame),
        }
        if surface.is_none() && self.framed != Some(false) {
            canvas.text((middle, outer_bottom + 34.0), 1, self.said().1, BLACK);
            if let Some(right) = &self.right {
                canvas.text((frame.right + 8.0, outer_top - 18.0), 1, &right.labels[1], BLACK);
            }
            canvas.text((corner.0 + 8.0, outer_top - 18.0), 0, &self.labels[1], BLACK);
        }
        canvas.text((middle, outer_top - 18.0), 1, self.said().0, BLACK);
        if self.colorbar {
            self.bar(canvas, corner.0 + w - bar - 8.0, outer_top, outer_bottom);
        }
    }

    /// Draws what lies in a plane; the frame becomes what the values ask for.
    fn plane(&self, canvas: &mut impl Canvas, frame: &mut Frame) {
        let picture =
            self.layers.iter().find_map(|l| if let Layer::Picture { image, .. } = l { Some(image) } else { None });
        match picture {
            Some(image) => {
                fit(frame, image);
                if self.downwards == Some(false) {
                    frame.y = (frame.y.1, frame.y.0);
                }
            }
            None => {
                let curves = self.placed();
                let bars =
                    |lies: bool| self.layers.iter().any(|l| matches!(l, Layer::Bars { lying, .. } if *lying == lies));
                let (upright, lying) = (bars(false), bars(true));
                let points = || curves.iter().flat_map(|c| c.iter());
                let log = |l: (f64, f64), log| (scaled(l.0, log), scaled(l.1, log));
                let zero = |there: bool| there.then_some(0.0);
                let around = |r: Point, there: bool| if there { (r.0 - 0.6, r.1 + 0.6) } else { r };
                let beside = self.right.iter().flat_map(|r| r.placed()).flat_map(|c| c.into_owned()).map(|p| p.0);
                let x = around(range(points().map(|p| p.0).chain(beside).chain(zero(lying))), upright);
                let y = around(range(points().map(|p| p.1).chain(zero(upright))), lying);
                frame.x = self.limits[0].map_or(x, |l| log(l, self.logs.0));
                frame.y = self.limits[1].map_or(y, |l| log(l, self.logs.1));
                frame.proportioned(self.proportion);
                if self.downwards == Some(true) {
                    frame.y = (frame.y.1, frame.y.0);
                }
            }
        }
        let mut curves = 0;
        for layer in self.layers.iter().filter(|l| matches!(l, Layer::Picture { .. })) {
            self.layer(canvas, frame, layer, &mut curves);
        }
        if self.framed != Some(false) {
            self.marks(canvas, frame);
        }
        for layer in self.layers.iter().filter(|l| !matches!(l, Layer::Picture { .. })) {
            self.layer(canvas, frame, layer, &mut curves);
        }
        if let Some(right) = &self.right {
            right.beside(canvas, frame, &mut curves);
        }
        self.legend(canvas, frame);
    }

    /// Title and name of the x axis, which the program may have given to either side.
    pub(crate) fn said(&self) -> (&str, &str) {
        let right = self.right.as_deref();
        let title = if self.title.is_empty() { right.map_or("", |r| &r.title) } else { &self.title };
        let label = if self.labels[0].is_empty() { right.map_or("", |r| &r.labels[0]) } else { &self.labels[0] };
        (title, label)
    }

    /// Draws what has its heights at the right edge into the frame of what has them at the left.
    fn beside(&self, canvas: &mut impl Canvas, f: &Frame, curves: &mut usize) {
        let bars = self.layers.iter().any(|l| matches!(l, Layer::Bars { lying: false, .. }));
        let points = self.placed();
        let y = range(points.iter().flat_map(|c| c.iter()).map(|p| p.1).chain(bars.then_some(0.0)));
        let y = self.limits[1].map_or(y, |l| (scaled(l.0, self.logs.1), scaled(l.1, self.logs.1)));
        let own = Frame { left: f.left, top: f.top, right: f.right, bottom: f.bottom, x: f.x, y };
        for (y, text) in self.ticks(1, own.y, self.logs.1) {
            canvas.line((own.right, own.at_y(y)), (own.right - 5.0, own.at_y(y)), BLACK);
            canvas.text((own.right + 6.0, own.at_y(y)), 0, &text, BLACK);
        }
        for layer in &self.layers {
            self.layer(canvas, &own, layer, curves);
        }
    }

    /// The points of the layers where they lie on the axes.
    fn placed(&self) -> Vec<Cow<'_, [Point]>> {
        self.layers.iter().map(|l| self.points_of(l)).collect()
    }

    fn points_of<'a>(&self, layer: &'a Layer) -> Cow<'a, [Point]> {
        match layer {
            Layer::Curve { points, .. } | Layer::Bars { points, .. } | Layer::Area { points, .. } => {
                self.places(points)
            }
            Layer::Text { at, .. } => self.places(std::slice::from_ref(at)),
            _ => Cow::Borrowed(&[]),
        }
    }

    /// Where points lie on the axes. Few axes take logarithms, which compilers would compute for all points of the others, too.
    fn places<'a>(&self, points: &'a [Point]) -> Cow<'a, [Point]> {
        match self.logs {
            (false, false) => Cow::Borrowed(points),
            (x, y) => points.iter().map(|p| (scaled(p.0, x), scaled(p.1, y))).collect(),
        }
    }

    /// The marks of an axis between two ends, and what stands at them.
    fn ticks(&self, axis: usize, (low, high): (f64, f64), log: bool) -> Vec<(f64, String)> {
        let mut ticks = match &self.marks[axis] {
            None => ticks(low, high, log),
            Some(places) => places.iter().map(|x| (scaled(*x, log), number::real(*x))).collect(),
        };
        if let Some(names) = &self.mark_names[axis] {
            let names = names.iter().map(String::as_str).chain(std::iter::repeat(""));
            ticks.iter_mut().zip(names).for_each(|(tick, name)| tick.1 = name.to_string());
        }
        ticks.retain(|t| (low.min(high)..=low.max(high)).contains(&t.0));
        ticks
    }

    fn marks(&self, canvas: &mut impl Canvas, f: &Frame) {
        let corners = [(f.left, f.top), (f.right, f.top), (f.right, f.bottom), (f.left, f.bottom), (f.left, f.top)];
        let (low, high) = (f.y.0.min(f.y.1), f.y.0.max(f.y.1));
        let (xs, ys) = (self.ticks(0, f.x, self.logs.0), self.ticks(1, (low, high), self.logs.1));
        if self.grid {
            xs.iter().for_each(|(x, _)| canvas.line((f.at_x(*x), f.top), (f.at_x(*x), f.bottom), LIGHT));
            ys.iter().for_each(|(y, _)| canvas.line((f.left, f.at_y(*y)), (f.right, f.at_y(*y)), LIGHT));
        }
        corners.windows(2).for_each(|w| canvas.line(w[0], w[1], BLACK));
        for (x, text) in xs {
            canvas.line((f.at_x(x), f.bottom), (f.at_x(x), f.bottom - 5.0), BLACK);
            canvas.text((f.at_x(x), f.bottom + 14.0), 1, &text, BLACK);
        }
        for (y, text) in ys {
            canvas.line((f.left, f.at_y(y)), (f.left + 5.0, f.at_y(y)), BLACK);
            canvas.text((f.left - 6.0, f.at_y(y)), 2, &text, BLACK);
        }
    }

    fn layer(&self, canvas: &mut impl Canvas, f: &Frame, layer: &Layer, curves: &mut usize) {
        let place = |p: &Point| (scaled(p.0, self.logs.0), scaled(p.1, self.logs.1));
        let mut next = |own: Option<Color>| {
            *curves += 1;
            own.unwrap_or(CURVES[(*curves - 1) % CURVES.len()])
        };
        match layer {
            Layer::Curve { points, style } => {
                curve(canvas, f, &self.places(points), style, next(style.color));
            }
            Layer::Bars { points, color, lying } => {
                let color = next(*color);
                let along = |p: &Point| if *lying { p.1 } else { p.0 };
                let gaps = points.windows(2).map(|w| (along(&w[1]) - along(&w[0])).abs()).filter(|g| *g > 0.0);
                let half = 0.4 * gaps.fold(f64::INFINITY, f64::min).min(1e300);
                let half = if half > 1e299 { 0.4 } else { half };
                for p in points.iter().filter(|p| f.shows(**p)) {
                    let corners = match lying {
                        true => [(0.0, p.1 - half), (p.0, p.1 - half), (p.0, p.1 + half), (0.0, p.1 + half)],
                        false => [(p.0 - half, p.1), (p.0 + half, p.1), (p.0 + half, 0.0), (p.0 - half, 0.0)],
                    };
                    canvas.area(&corners.map(|c| f.at(c)), color, None);
                }
            }
            Layer::Area { points, color } => {
                let color = next(*color);
                let corners: Vec<Point> = points.iter().map(|p| f.at(place(p))).collect();
                if corners.iter().all(|c| c.0.is_finite() && c.1.is_finite()) {
                    canvas.area(&corners, color, Some(color.map(|c| c / 3 * 2)));
                }
            }
            Layer::Picture { image, gray, .. } => {
                let colors = self.colors.as_ref().filter(|_| *gray);
                let upwards = self.downwards == Some(false);
                let corners = ((f.left, f.top), (f.right, f.bottom));
                if colors.is_none() && !upwards {
                    return canvas.picture(corners.0, corners.1, image);
                }
                let mut shown = if upwards { image::imageops::flip_vertical(image) } else { image.clone() };
                if let Some(colors) = colors {
                    shown.pixels_mut().for_each(|p| *p = Rgb(colors.at(f64::from(p.0[0]) / 255.0)));
                }
                canvas.picture(corners.0, corners.1, &shown);
            }
            Layer::Text { at, text } => {
                let at = place(at);
                if f.shows(at) {
                    canvas.text(f.at(at), 0, text, BLACK);
                }
            }
            Layer::Surface(_) => {}
        }
    }

    /// The names of the curves, in the upper corner that these cross less.
    fn legend(&self, canvas: &mut impl Canvas, f: &Frame) {
        let right = self.right.as_deref();
        let names = if self.names.is_empty() { right.map_or(&self.names, |r| &r.names) } else { &self.names };
        if names.iter().all(|name| name.is_empty()) {
            return;
        }
        let between = |w: &[Point]| -> Vec<Point> {
            let ((x0, y0), (x1, y1)) = (w[0], w[1]);
            (0..16).map(|k| f64::from(k) / 16.0).map(|t| (x0 + t * (x1 - x0), y0 + t * (y1 - y0))).collect()
        };
        let crossed: Vec<Point> = self.placed().iter().flat_map(|c| c.windows(2).flat_map(between)).collect();
        let width = 40.0 + 7.0 * names.iter().map(|n| n.chars().count()).max().unwrap_or(0) as f64;
        let high = f.top + 14.0 * (names.len() + 1) as f64;
        let near = |from: f64| {
            crossed.iter().filter(|p| f.at_y(p.1) < high && (from..from + width).contains(&f.at_x(p.0))).count()
        };
        let start = if near(f.right - width) <= near(f.left + 8.0) { f.right - width } else { f.left + 12.0 };
        let layers = self.layers.iter().chain(right.iter().flat_map(|r| &r.layers));
        let colors = layers.filter_map(|l| match l {
            Layer::Curve { style, .. } => Some(style.color),
            Layer::Bars { color, .. } | Layer::Area { color, .. } => Some(*color),
            _ => None,
        });
        let named = names.iter().enumerate().zip(colors).filter(|((_, name), _)| !name.is_empty());
        for (row, ((n, name), own)) in named.enumerate() {
            let y = f.top + 14.0 + 14.0 * row as f64;
            canvas.line((start, y), (start + 20.0, y), own.unwrap_or(CURVES[n % CURVES.len()]));
            canvas.text((start + 26.0, y), 0, name, BLACK);
        }
    }

    /// What colours stand for.
    fn bar(&self, canvas: &mut impl Canvas, left: f64, top: f64, bottom: f64) {
        let (range, map) = self.layers.iter().fold(((0.0, 1.0), "gray"), |found, l| match l {
            Layer::Picture { range, .. } => (*range, "gray"),
            Layer::Surface(s) => (s.range(), "viridis"),
            _ => found,
        });
        let map = self.colors.clone().or_else(|| ColorMap::named(map)).unwrap_or_default();
        const STEPS: usize = 32;
        let high = (bottom - top) / STEPS as f64;
        for k in 0..STEPS {
            let y = bottom - k as f64 * high;
            let corners = [(left, y - high), (left + 16.0, y - high), (left + 16.0, y), (left, y)];
            canvas.area(&corners, map.at((k as f64 + 0.5) / STEPS as f64), None);
        }
        for (share, at) in [(0.0, bottom), (0.5, (top + bottom) / 2.0), (1.0, top)] {
            let value = number::real(((range.0 + share * (range.1 - range.0)) * 1e4).round() / 1e4);
            canvas.text((left + 20.0, at), 0, &value, BLACK);
        }
    }
}

/// The frame of a picture: as large as fits, with its proportions; rows are counted from above.
fn fit(frame: &mut Frame, image: &RgbImage) {
    let (w, h) = (f64::from(image.width()), f64::from(image.height()));
    let (x, y) = (frame.right - frame.left, frame.bottom - frame.top);
    let scale = (x / w).min(y / h);
    frame.shrink(w * scale, h * scale);
    // The middle of the first pixel is 0.
    (frame.x, frame.y) = ((-0.5, w - 0.5), (h - 0.5, -0.5));
}
