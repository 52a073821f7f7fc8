//! Surfaces that figures are drawn on: text in the SVG format, and pixels.

use image::{DynamicImage, Rgb, RgbImage};
use std::io::Cursor;

/// A point, in pixels from the upper left corner.
pub type Point = (f64, f64);
/// Red, green, blue.
pub type Color = [u8; 3];

pub const BLACK: Color = [0, 0, 0];

/// A surface for lines, areas, pictures and short texts.
pub trait Canvas {
    fn line(&mut self, from: Point, to: Point, color: Color);
    /// Lines from each point to the next.
    fn path(&mut self, points: &[Point], color: Color) {
        points.windows(2).for_each(|w| self.line(w[0], w[1], color));
    }
    /// A filled area with straight edges that is convex, with a line around it if that has a colour.
    fn area(&mut self, corners: &[Point], color: Color, edge: Option<Color>);
    /// A picture that fills the rectangle between two corners.
    fn picture(&mut self, upper_left: Point, lower_right: Point, image: &RgbImage);
    /// `anchor`: 0 starts at the point, 1 is centred on it, 2 ends at it.
    fn text(&mut self, at: Point, anchor: u8, text: &str, color: Color);
}

/// A figure as text in the SVG format.
pub struct Svg(String);

impl Svg {
    pub fn new((w, h): Point) -> Svg {
        Svg(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" font-family=\"sans-serif\" \
             font-size=\"12\">\n<rect width=\"{w}\" height=\"{h}\" fill=\"white\"/>\n"
        ))
    }

    pub fn finish(self) -> String {
        self.0 + "</svg>\n"
    }
}

impl Canvas for Svg {
    fn line(&mut self, from: Point, to: Point, [r, g, b]: Color) {
        let ((x1, y1), (x2, y2)) = (from, to);
        self.0.push_str(&format!(
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"#{r:02x}{g:02x}{b:02x}\"/>\n"
        ));
    }

    fn path(&mut self, points: &[Point], [r, g, b]: Color) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let points = points.join(" ");
        self.0.push_str(&format!("<polyline points=\"{points}\" fill=\"none\" stroke=\"#{r:02x}{g:02x}{b:02x}\"/>\n"));
    }

    fn area(&mut self, corners: &[Point], [r, g, b]: Color, edge: Option<Color>) {
        let corners: Vec<String> = corners.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let corners = corners.join(" ");
        let edge = edge.map_or(String::new(), |[r, g, b]| format!(" stroke=\"#{r:02x}{g:02x}{b:02x}\""));
        self.0.push_str(&format!("<polygon points=\"{corners}\" fill=\"#{r:02x}{g:02x}{b:02x}\"{edge}/>\n"));
    }

    fn picture(&mut self, (x, y): Point, (right, bottom): Point, image: &RgbImage) {
        let mut png = Cursor::new(Vec::new());
        // Writing pixels to memory as PNG cannot fail.
        let _ = image.write_to(&mut png, image::ImageFormat::Png);
        self.0.push_str(&format!(
            "<image x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" preserveAspectRatio=\"none\" \
             style=\"image-rendering:pixelated\" href=\"data:image/png;base64,{}\"/>\n",
            right - x,
            bottom - y,
            base64(png.get_ref())
        ));
    }

    fn text(&mut self, (x, y): Point, anchor: u8, text: &str, [r, g, b]: Color) {
        let anchor = ["start", "middle", "end"][usize::from(anchor.min(2))];
        let text = escaped(text);
        self.0.push_str(&format!(
            "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\" fill=\"#{r:02x}{g:02x}{b:02x}\">{text}</text>\n",
            y + 4.0
        ));
    }
}

/// A text within XML or HTML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Bytes as text in base 64 (RFC 4648).
pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let word = three.iter().fold(0u32, |w, b| w << 8 | u32::from(*b)) << (8 * (3 - three.len()));
        for digit in 0..4 {
            let used = digit <= three.len();
            out.push(if used { char::from(DIGITS[(word >> (18 - 6 * digit) & 63) as usize]) } else { '=' });
        }
    }
    out
}

/// White pixels to draw on.
pub fn pixels((w, h): Point) -> RgbImage {
    RgbImage::from_pixel(w as u32, h as u32, Rgb([255; 3]))
}

impl Canvas for RgbImage {
    fn line(&mut self, from: Point, to: Point, color: Color) {
        let steps = (to.0 - from.0).abs().max((to.1 - from.1).abs()).ceil().clamp(1.0, 4000.0);
        for k in 0..=steps as u32 {
            let t = f64::from(k) / steps;
            dot(self, from.0 + (to.0 - from.0) * t, from.1 + (to.1 - from.1) * t, color);
        }
    }

    fn area(&mut self, corners: &[Point], color: Color, edge: Option<Color>) {
        let (top, bottom) = corners.iter().fold((f64::MAX, f64::MIN), |(t, b), p| (t.min(p.1), b.max(p.1)));
        let rows = top.round().max(0.0)..=bottom.round().min(f64::from(self.height()) - 1.0);
        let mut y = *rows.start();
        while y <= *rows.end() {
            // The area between the leftmost and the rightmost edge that crosses the line.
            let edges = (0..corners.len()).map(|k| (corners[k], corners[(k + 1) % corners.len()]));
            let cross = edges.filter_map(|(a, b)| {
                let at = y.clamp(a.1.min(b.1), a.1.max(b.1));
                let t = if a.1 == b.1 { 0.0 } else { (at - a.1) / (b.1 - a.1) };
                ((at - y).abs() <= 0.5).then_some(a.0 + t * (b.0 - a.0))
            });
            let (left, right) = cross.fold((f64::MAX, f64::MIN), |(l, r), x| (l.min(x), r.max(x)));
            if left <= right {
                self.line((left, y), (right, y), color);
            }
            y += 1.0;
        }
        if let Some(edge) = edge {
            (0..corners.len()).for_each(|k| self.line(corners[k], corners[(k + 1) % corners.len()], edge));
        }
    }

    fn picture(&mut self, (x, y): Point, (right, bottom): Point, image: &RgbImage) {
        let (w, h) = ((right - x).round().max(1.0), (bottom - y).round().max(1.0));
        for row in 0..h as u32 {
            for column in 0..w as u32 {
                let of = |k: u32, n: f64, m: u32| ((f64::from(k) / n * f64::from(m)) as u32).min(m - 1);
                let color = image.get_pixel(of(column, w, image.width()), of(row, h, image.height())).0;
                dot(self, x + f64::from(column), y + f64::from(row), color);
            }
        }
    }

    fn text(&mut self, (x, y): Point, anchor: u8, text: &str, color: Color) {
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

fn dot(image: &mut RgbImage, x: f64, y: f64, color: Color) {
    let (x, y) = (x.round(), y.round());
    if (0.0..f64::from(image.width())).contains(&x) && (0.0..f64::from(image.height())).contains(&y) {
        image.put_pixel(x as u32, y as u32, Rgb(color));
    }
}

/// What the `image` crate writes.
pub fn finished(pixels: RgbImage) -> DynamicImage {
    DynamicImage::ImageRgb8(pixels)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_in_base_64() {
        let words = ["", "f", "fo", "foo", "foob"].map(|w| base64(w.as_bytes()));
        assert_eq!(words, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]);
    }

    #[test]
    fn an_area_covers_its_pixels() {
        let mut image = pixels((10.0, 10.0));
        image.area(&[(2.0, 3.0), (6.0, 3.0), (6.0, 5.0), (2.0, 5.0)], BLACK, None);
        let black = image.pixels().filter(|p| p.0 == BLACK).count();
        assert_eq!(black, 5 * 3);
    }
}
