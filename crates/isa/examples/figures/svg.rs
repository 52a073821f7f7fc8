//! Just enough SVG: rectangles, lines and text.

use std::fmt::Write;

pub const INK: &str = "#222222";
pub const PALE: &str = "#e8e8e8";
pub const BLUE: &str = "#4878a8";
pub const GREEN: &str = "#5a9a5a";
pub const ORANGE: &str = "#d98a3d";
pub const RED: &str = "#b85450";
pub const VIOLET: &str = "#8a6aa8";

/// A picture under construction; coordinates in pixels from the upper left corner.
pub struct Svg {
    width: f64,
    height: f64,
    body: String,
}

impl Svg {
    pub fn new(width: f64, height: f64) -> Svg {
        Svg { width, height, body: String::new() }
    }

    pub fn rect(&mut self, x: f64, y: f64, width: f64, height: f64, fill: &str) -> &mut Svg {
        let _ = writeln!(
            self.body,
            r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" fill="{fill}" stroke="{INK}" stroke-width="0.6"/>"#
        );
        self
    }

    pub fn line(&mut self, from: (f64, f64), to: (f64, f64)) -> &mut Svg {
        let _ = writeln!(
            self.body,
            r#"<line x1="{:.1}" y1="{:.1}" x2="{:.1}" y2="{:.1}" stroke="{INK}" stroke-width="1"/>"#,
            from.0, from.1, to.0, to.1
        );
        self
    }

    /// A line with a head at its end.
    pub fn arrow(&mut self, from: (f64, f64), to: (f64, f64)) -> &mut Svg {
        let _ = writeln!(
            self.body,
            r#"<line x1="{:.1}" y1="{:.1}" x2="{:.1}" y2="{:.1}" stroke="{INK}" stroke-width="1" marker-end="url(#head)"/>"#,
            from.0, from.1, to.0, to.1
        );
        self
    }

    fn text(&mut self, x: f64, y: f64, anchor: &str, size: u32, text: &str) -> &mut Svg {
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        let _ = writeln!(
            self.body,
            r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}" font-size="{size}" fill="{INK}">{text}</text>"#
        );
        self
    }

    /// Text that begins at x.
    pub fn left(&mut self, x: f64, y: f64, text: &str) -> &mut Svg {
        self.text(x, y, "start", 12, text)
    }

    /// Text centred at x.
    pub fn centre(&mut self, x: f64, y: f64, text: &str) -> &mut Svg {
        self.text(x, y, "middle", 12, text)
    }

    /// Text that ends at x.
    pub fn right(&mut self, x: f64, y: f64, text: &str) -> &mut Svg {
        self.text(x, y, "end", 12, text)
    }

    /// Small text, centred.
    pub fn small(&mut self, x: f64, y: f64, text: &str) -> &mut Svg {
        self.text(x, y, "middle", 9, text)
    }

    /// A box with a text in its middle.
    pub fn labelled(&mut self, x: f64, y: f64, width: f64, height: f64, fill: &str, text: &str) -> &mut Svg {
        self.rect(x, y, width, height, fill).centre(x + width / 2.0, y + height / 2.0 + 4.0, text)
    }

    /// The file's text.
    pub fn finish(&self) -> String {
        let (w, h) = (self.width, self.height);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w:.0}\" height=\"{h:.0}\" viewBox=\"0 0 {w:.0} {h:.0}\" \
             font-family=\"sans-serif\">\n<defs><marker id=\"head\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" refY=\"3\" \
             orient=\"auto\"><path d=\"M0,0 L7,3 L0,6 z\" fill=\"{INK}\"/></marker></defs>\n\
             <rect width=\"{w:.0}\" height=\"{h:.0}\" fill=\"white\"/>\n{}</svg>\n",
            self.body
        )
    }
}
