//! Plots: lines in a frame with marks, written as SVG or PNG. Every call that changes the figure writes its file again.

use super::{Builtin, Call, Run, row};
use crate::cx::Cx;
use crate::display;
use crate::fault::{Fault, Res, fault};
use crate::value::{Instance, Value};
use image::{DynamicImage, Rgb, RgbImage};
use std::rc::Rc;

/// The figure that `plot`, `title`, `legend` and `hold` work on.
#[derive(Clone, Debug, Default)]
pub struct Figure {
    file: String,
    /// Whether the next `plot` adds to this figure.
    held: bool,
    title: String,
    names: Vec<String>,
    curves: Vec<Vec<(f64, f64)>>,
    /// Whether the x axis and the y axis are logarithmic.
    logs: (bool, bool),
    /// What stands at the x axis and at the y axis.
    labels: (String, String),
}

/// Width and height in pixels.
const SIZE: (f64, f64) = (640.0, 420.0);
/// Left, top, right and bottom edge of the frame.
const FRAME: (f64, f64, f64, f64) = (70.0, 40.0, 620.0, 360.0);
/// Colours of the curves, distinct also for the colour-blind (Okabe and Ito, "Color Universal Design", 2008).
const COLORS: [[u8; 3]; 6] =
    [[0, 114, 178], [213, 94, 0], [0, 158, 115], [204, 121, 167], [230, 159, 0], [86, 180, 233]];
const BLACK: [u8; 3] = [0, 0, 0];

/// A surface for lines and short texts.
trait Canvas {
    fn line(&mut self, from: (f64, f64), to: (f64, f64), color: [u8; 3]);
    /// `anchor`: 0 starts at the point, 1 is centred on it, 2 ends at it.
    fn text(&mut self, at: (f64, f64), anchor: u8, text: &str, color: [u8; 3]);
}

struct Svg(String);

impl Canvas for Svg {
    fn line(&mut self, from: (f64, f64), to: (f64, f64), [r, g, b]: [u8; 3]) {
        let ((x1, y1), (x2, y2)) = (from, to);
        self.0.push_str(&format!(
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"#{r:02x}{g:02x}{b:02x}\"/>\n"
        ));
    }

    fn text(&mut self, (x, y): (f64, f64), anchor: u8, text: &str, [r, g, b]: [u8; 3]) {
        let anchor = ["start", "middle", "end"][usize::from(anchor.min(2))];
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        self.0.push_str(&format!(
            "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\" fill=\"#{r:02x}{g:02x}{b:02x}\">{text}</text>\n",
            y + 4.0
        ));
    }
}

impl Canvas for RgbImage {
    fn line(&mut self, from: (f64, f64), to: (f64, f64), color: [u8; 3]) {
        let steps = (to.0 - from.0).abs().max((to.1 - from.1).abs()).ceil().clamp(1.0, 4000.0);
        for k in 0..=steps as u32 {
            let t = f64::from(k) / steps;
            dot(self, from.0 + (to.0 - from.0) * t, from.1 + (to.1 - from.1) * t, color);
        }
    }

    fn text(&mut self, (x, y): (f64, f64), anchor: u8, text: &str, color: [u8; 3]) {
        // Glyphs are 3 by 5 dots of 2 by 2 pixels, 8 pixels apart.
        let left = x - f64::from(anchor) * text.chars().count() as f64 * 4.0;
        for (n, c) in text.chars().enumerate() {
            for bit in (0..15).filter(|bit| glyph(c) >> (14 - bit) & 1 == 1) {
                let (px, py) = (left + n as f64 * 8.0 + f64::from(bit % 3) * 2.0, y - 5.0 + f64::from(bit / 3) * 2.0);
                for (dx, dy) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)] {
                    dot(self, px + dx, py + dy, color);
                }
            }
        }
    }
}

fn dot(image: &mut RgbImage, x: f64, y: f64, color: [u8; 3]) {
    let (x, y) = (x.round(), y.round());
    if (0.0..SIZE.0).contains(&x) && (0.0..SIZE.1).contains(&y) {
        image.put_pixel(x as u32, y as u32, Rgb(color));
    }
}

/// A character as 5 rows of 3 dots, one octal digit per row; small letters look like capitals.
fn glyph(c: char) -> u32 {
    const LETTERS: [u32; 26] = [
        0o25755, 0o65656, 0o34443, 0o65556, 0o74647, 0o74644, 0o34553, 0o55755, 0o72227, 0o11152, 0o55655, 0o44447,
        0o57755, 0o65555, 0o25552, 0o65644, 0o25563, 0o65655, 0o34216, 0o72222, 0o55557, 0o55552, 0o55775, 0o55255,
        0o55222, 0o71247,
    ];
    const DIGITS: [u32; 10] =
        [0o75557, 0o26227, 0o71747, 0o71717, 0o55711, 0o74717, 0o74757, 0o71222, 0o75757, 0o75717];
    const OTHERS: [(char, u32); 20] = [
        ('.', 0o00002),
        (',', 0o00024),
        ('-', 0o00700),
        ('+', 0o02720),
        ('(', 0o12221),
        (')', 0o42224),
        ('=', 0o07070),
        (':', 0o02020),
        ('/', 0o11244),
        ('*', 0o05250),
        ('%', 0o51245),
        ('_', 0o00007),
        ('!', 0o22202),
        ('?', 0o71202),
        ('[', 0o64446),
        (']', 0o31113),
        ('<', 0o12421),
        ('>', 0o42124),
        ('^', 0o25000),
        ('\'', 0o22000),
    ];
    match c.to_ascii_uppercase() {
        c @ 'A'..='Z' => LETTERS[c as usize - 'A' as usize],
        c @ '0'..='9' => DIGITS[c as usize - '0' as usize],
        ' ' => 0,
        c => OTHERS.iter().find(|(o, _)| *o == c).map_or(0o77777, |(_, g)| *g),
    }
}

/// Where a number lies on an axis.
fn scaled(x: f64, log: bool) -> f64 {
    if log { x.log10() } else { x }
}

/// Least and greatest of the finite numbers, apart from each other.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) =
        values.filter(|x| x.is_finite()).fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
    match (low, high) {
        (l, h) if l > h => (0.0, 1.0),
        (l, h) if l == h => (l - 1.0, h + 1.0),
        both => both,
    }
}

/// About five round numbers within a range.
fn marks(low: f64, high: f64) -> Vec<f64> {
    let raw = (high - low) / 5.0;
    let power = 10f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|k| k * power).find(|s| *s >= raw * 0.999).unwrap_or(raw);
    let first = (low / step).ceil();
    (0..12).map(|k| (first + f64::from(k)) * step).take_while(|x| *x <= high + step * 1e-9).collect()
}

/// Marks of an axis, by where they lie: on a logarithmic one powers of ten, with 2 and 5 between them if there are few.
fn ticks(low: f64, high: f64, log: bool) -> Vec<(f64, String)> {
    let powers = (high.floor() - low.ceil()) as i32 + 1;
    if !log {
        return marks(low, high).into_iter().map(|x| (x, display::real(x))).collect();
    }
    if powers < 2 {
        let round = marks(10f64.powf(low), 10f64.powf(high));
        return round.into_iter().map(|x| (x.log10(), display::real(x))).collect();
    }
    let factors: &[f64] = if powers <= 3 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let every = (powers / 8 + 1) as usize;
    (low.floor() as i32..=high.ceil() as i32)
        .step_by(every)
        .flat_map(|e| factors.iter().map(move |f| f * 10f64.powi(e)))
        .filter(|x| (low - 1e-9..=high + 1e-9).contains(&x.log10()))
        .map(|x| (x.log10(), display::real(x)))
        .collect()
}

impl Figure {
    /// An empty figure with a file of its own; `number` counts the pictures.
    fn new(number: &mut u32) -> Figure {
        *number += 1;
        Figure { file: format!("plot_{number:03}.svg"), ..Figure::default() }
    }

    /// The points of the curves where they lie on the axes.
    fn placed(&self) -> Vec<Vec<(f64, f64)>> {
        let at = |p: &(f64, f64)| (scaled(p.0, self.logs.0), scaled(p.1, self.logs.1));
        self.curves.iter().map(|c| c.iter().map(at).collect()).collect()
    }

    fn draw(&self, canvas: &mut impl Canvas) {
        let (left, top, right, bottom) = FRAME;
        let curves = self.placed();
        let points = || curves.iter().flatten();
        let (x0, x1) = range(points().map(|p| p.0));
        let (y0, y1) = range(points().map(|p| p.1));
        let at_x = |x: f64| left + (x - x0) / (x1 - x0) * (right - left);
        let at_y = |y: f64| bottom - (y - y0) / (y1 - y0) * (bottom - top);
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)];
        corners.windows(2).for_each(|w| canvas.line(w[0], w[1], BLACK));
        for (x, text) in ticks(x0, x1, self.logs.0) {
            canvas.line((at_x(x), bottom), (at_x(x), bottom - 5.0), BLACK);
            canvas.text((at_x(x), bottom + 14.0), 1, &text, BLACK);
        }
        for (y, text) in ticks(y0, y1, self.logs.1) {
            canvas.line((left, at_y(y)), (left + 5.0, at_y(y)), BLACK);
            canvas.text((left - 6.0, at_y(y)), 2, &text, BLACK);
        }
        canvas.text(((left + right) / 2.0, bottom + 34.0), 1, &self.labels.0, BLACK);
        canvas.text((8.0, top - 18.0), 0, &self.labels.1, BLACK);
        canvas.text(((left + right) / 2.0, top - 18.0), 1, &self.title, BLACK);
        for (n, curve) in curves.iter().enumerate() {
            let color = COLORS[n % COLORS.len()];
            let finite = |p: &(f64, f64)| p.0.is_finite() && p.1.is_finite();
            for pair in curve.windows(2).filter(|w| w.iter().all(finite)) {
                canvas.line((at_x(pair[0].0), at_y(pair[0].1)), (at_x(pair[1].0), at_y(pair[1].1)), color);
            }
        }
        // The names stand in the upper corner that the curves cross less.
        let between = |w: &[(f64, f64)]| -> Vec<(f64, f64)> {
            let ((x0, y0), (x1, y1)) = (w[0], w[1]);
            (0..16).map(|k| f64::from(k) / 16.0).map(|t| (x0 + t * (x1 - x0), y0 + t * (y1 - y0))).collect()
        };
        let crossed: Vec<(f64, f64)> = curves.iter().flat_map(|c| c.windows(2).flat_map(between)).collect();
        let width = 40.0 + 7.0 * self.names.iter().map(|n| n.chars().count()).max().unwrap_or(0) as f64;
        let high = top + 14.0 * (self.names.len() + 1) as f64;
        let near = |from: f64| {
            crossed.iter().filter(|p| at_y(p.1) < high && (from..from + width).contains(&at_x(p.0))).count()
        };
        let start = if near(right - width) <= near(left + 8.0) { right - width } else { left + 12.0 };
        for (n, name) in self.names.iter().enumerate().take(curves.len()) {
            let y = top + 14.0 + 14.0 * n as f64;
            canvas.line((start, y), (start + 20.0, y), COLORS[n % COLORS.len()]);
            canvas.text((start + 26.0, y), 0, name, BLACK);
        }
    }

    /// The figure as text in the SVG format.
    pub fn svg(&self) -> String {
        let (w, h) = SIZE;
        let mut svg = Svg(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" font-family=\"sans-serif\" \
             font-size=\"12\">\n<rect width=\"{w}\" height=\"{h}\" fill=\"white\"/>\n"
        ));
        self.draw(&mut svg);
        svg.0 + "</svg>\n"
    }

    fn image(&self) -> DynamicImage {
        let mut image = RgbImage::from_pixel(SIZE.0 as u32, SIZE.1 as u32, Rgb([255; 3]));
        self.draw(&mut image);
        DynamicImage::ImageRgb8(image)
    }

    fn write(&self, name: &str, cx: &mut Cx) -> Res<()> {
        if !self.file.ends_with(".svg") {
            return super::image::save(cx, &self.image(), &self.file, name);
        }
        cx.write_file(&self.file, name, self.svg().as_bytes(), |e| {
            Fault::new("Q0414", format!("{name}: cannot write '{}': {e}", self.file))
                .help("use a file in a place you own")
        })
    }
}

/// `plot(y)`, `plot(x,y)`, each with a file name behind; `semilogx`, `semilogy` and `loglog` with logarithmic axes.
fn plot(call: &mut Call, logs: (bool, bool)) -> Res<Value> {
    let file = match call.args.last() {
        Some(Value::Str(file)) => Some(file.to_string()),
        _ => None,
    };
    if let Some(file) = file.as_ref().filter(|f| !f.ends_with(".svg") && !f.ends_with(".png")) {
        fault!("Q0314", "plot: '{file}' is no name of a picture"; "plots are written as .svg or .png");
    }
    let lists = call.args.len() - usize::from(file.is_some());
    if lists == 0 || lists > 2 {
        fault!("Q0314", "'{}' needs one or two vectors", call.name; "plot(y), plot(x,y), plot(x,y,\"file.png\")");
    }
    let y = call.list(lists - 1)?;
    let x = if lists == 2 { call.list(0)? } else { (0..y.len()).map(|k| k as f64).collect() };
    if x.len() != y.len() {
        fault!("Q0320", "plot: {} x-coordinates and {} y-coordinates", x.len(), y.len(); "both vectors need the same length");
    }
    let mut figure = match call.cx.figure.take() {
        Some(figure) if figure.held => figure,
        _ => Figure::new(&mut call.cx.images),
    };
    if let Some(file) = file {
        figure.file = file;
    }
    figure.logs = logs;
    figure.curves.push(x.into_iter().zip(y).collect());
    let path = figure.file.clone();
    // A new curve is announced, a change of its frame is not.
    let image = figure.image();
    update(call, figure)?;
    super::image::announce(call, &image, &path)?;
    Ok(Value::Object(Rc::new(Instance::new(None, vec![("file".into(), Value::str(&path))]))))
}

/// Writes the figure and keeps it for the next call.
fn update(call: &mut Call, figure: Figure) -> Res<()> {
    let written = figure.write(call.name, call.cx);
    call.cx.figure = Some(figure);
    written
}

fn current(call: &Call) -> Res<Figure> {
    match &call.cx.figure {
        Some(figure) => Ok(figure.clone()),
        None => fault!("Q0416", "'{}' without a figure", call.name; "call plot(…) first"),
    }
}

fn title(call: &mut Call) -> Res<()> {
    let figure = Figure { title: display::value(&call.args[0]), ..current(call)? };
    update(call, figure)
}

fn label(call: &mut Call, set: fn(&mut Figure, String)) -> Res<()> {
    let mut figure = current(call)?;
    let text = display::value(&call.args[0]);
    set(&mut figure, text);
    update(call, figure)
}

fn legend(call: &mut Call) -> Res<()> {
    let names = call.args.iter().map(display::value).collect();
    let figure = Figure { names, ..current(call)? };
    update(call, figure)
}

/// `hold("on")`: the next plots add to the figure; `hold("off")`: they start new ones. The value says whether a window stays open in
/// which somebody sees the figure: none does, so loops that draw until their window is closed end.
fn hold(call: &mut Call) -> Res<Value> {
    let before = call.cx.figure.as_ref().is_some_and(|f| f.held);
    let held = match call.args.first() {
        None => !before,
        Some(Value::Str(s)) if matches!(&***s, "on" | "off") => &***s == "on",
        Some(v) => v.as_f64().ok_or_else(|| call.wrong(0, "\"on\" or \"off\""))? != 0.0,
    };
    match &mut call.cx.figure {
        Some(figure) => figure.held = held,
        None if held => call.cx.figure = Some(Figure { held, ..Figure::new(&mut call.cx.images) }),
        None => {}
    }
    Ok(Value::Int(0))
}

pub const TABLE: &[Builtin] = &[
    row!(
        "plot",
        "plot([x,]y[,file])",
        "a line through the points, written to file (.svg or .png; plot_NNN.svg by default); returns an object with its name",
        "print plot([0,1,4,9]).file",
        1..=3,
        Run::One(|c| plot(c, (false, false)))
    ).host_only(),
    row!(
        "title",
        "title(text)",
        "puts a title over the figure",
        "plot([0,1,4]); title(\"squares\")",
        1..=1,
        Run::Effect(title)
    ).host_only(),
    row!(
        "semilogx",
        "semilogx([x,]y[,file])",
        "as plot, with a logarithmic x axis; points that are not positive are left out",
        "print semilogx([1,10,100],[1,4,9]).file",
        1..=3,
        Run::One(|c| plot(c, (true, false)))
    ).host_only(),
    row!(
        "semilogy",
        "semilogy([x,]y[,file])",
        "as plot, with a logarithmic y axis; points that are not positive are left out",
        "print semilogy([1,10,100],[1,4,9]).file",
        1..=3,
        Run::One(|c| plot(c, (false, true)))
    ).host_only(),
    row!(
        "loglog",
        "loglog([x,]y[,file])",
        "as plot, with both axes logarithmic; points that are not positive are left out",
        "print loglog([1,10,100],[1,4,9]).file",
        1..=3,
        Run::One(|c| plot(c, (true, true)))
    ).host_only(),
    row!(
        "xlabel",
        "xlabel(text)",
        "what stands at the x axis of the figure",
        "plot([0,1,4]); xlabel(\"seconds\")",
        1..=1,
        Run::Effect(|c| label(c, |f, text| f.labels.0 = text))
    ).host_only(),
    row!(
        "ylabel",
        "ylabel(text)",
        "what stands at the y axis of the figure",
        "plot([0,1,4]); ylabel(\"seconds\")",
        1..=1,
        Run::Effect(|c| label(c, |f, text| f.labels.1 = text))
    ).host_only(),
    row!(
        "legend",
        "legend(name,…)",
        "names the curves of the figure",
        "plot([0,1,4]); legend(\"squares\")",
        1..=20,
        Run::Effect(legend)
    ).host_only(),
    row!(
        "hold",
        "hold(\"on\"), hold(\"off\")",
        "whether the next plot adds to the figure; the value is 0, as no window stays open",
        "plot([0,1,4]); hold(\"on\"); plot([0,1,8])",
        0..=1,
        Run::One(hold)
    ).host_only(),
];

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
        let logs = (true, false);
        let figure = Figure { logs, curves: vec![vec![(1.0, 0.0), (10.0, 1.0), (100.0, 2.0)]], ..Figure::default() };
        assert_eq!(figure.placed(), [[(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)]]);
    }

    #[test]
    fn both_formats_show_the_curve() {
        let figure = Figure {
            title: "A<B".into(),
            names: vec!["one".into()],
            curves: vec![vec![(0.0, 0.0), (1.0, 1.0), (2.0, f64::NAN)]],
            ..Figure::default()
        };
        let svg = figure.svg();
        assert!(svg.contains(">A&lt;B<") && svg.contains(">one<"));
        assert_eq!(svg.matches("stroke=\"#0072b2\"").count(), 2, "one segment and the mark in the legend");
        let image = figure.image().into_rgb8();
        let blue = image.pixels().filter(|p| p.0 == COLORS[0]).count();
        assert!(blue > 275, "the diagonal covers half the frame: {blue}");
    }
}
