//! How curves and marks are drawn: letters such as `r--`, and properties such as "LineWidth".

use crate::canvas::Color;
use crate::colors;

/// How a curve is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Style {
    /// None: the next one of the palette.
    pub color: Option<Color>,
    pub dashed: bool,
    /// The character of MATLAB's mark at each point; only marks if `unconnected`.
    pub mark: Option<char>,
    pub unconnected: bool,
    /// Thickness of lines in pixels; 0 is 1.
    pub width: f64,
    /// The diameter of marks in pixels; 0 is 6.
    pub size: f64,
    /// Whether round marks are filled, with this colour if there is one.
    pub filled: bool,
    pub fill: Option<Color>,
}

/// A colour that stands alone among properties, as in `"filled", "r"`: its letter or its name.
pub fn lone_color(text: &str) -> Option<String> {
    let named = NAMES.iter().any(|(name, _)| name.eq_ignore_ascii_case(text));
    let letter = text.chars().find(|c| colors::letter(*c).is_some()).filter(|_| letters(text).is_some());
    if named { Some(text.to_ascii_lowercase()) } else { letter.map(String::from) }
}

/// A style in MATLAB's letters, such as `r--` or `bo`, or the name of a colour.
pub fn letters(text: &str) -> Option<Style> {
    let mut style = Style::default();
    let named = NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
    if let Some((_, letter)) = named {
        style.color = colors::letter(*letter);
        return Some(style);
    }
    let (mut dashes, mut marks, mut letters) = (0, 0, 0);
    for c in text.chars() {
        match c {
            '-' => dashes += 1,
            ':' => dashes = 2,
            'o' | '+' | '*' | 'x' | '.' | 's' | 'd' | '^' | 'v' => {
                style.mark = Some(c);
                marks += 1;
            }
            _ => {
                style.color = Some(colors::letter(c)?);
                letters += 1;
            }
        }
    }
    style.dashed = dashes == 2;
    style.unconnected = marks > 0 && dashes == 0;
    (!text.is_empty() && dashes <= 2 && marks <= 1 && letters <= 1).then_some(style)
}

/// Colours by name.
const NAMES: [(&str, char); 8] = [
    ("red", 'r'),
    ("green", 'g'),
    ("blue", 'b'),
    ("cyan", 'c'),
    ("magenta", 'm'),
    ("yellow", 'y'),
    ("black", 'k'),
    ("white", 'w'),
];

/// The property that fills marks and has no value.
pub const FILLED: &str = "filled";
/// The property that names a curve in the legend.
pub const NAME: &str = "DisplayName";

/// The names of properties, as MATLAB spells them; capital letters do not matter.
pub const PROPERTIES: [&str; 10] = [
    "Color",
    "LineWidth",
    "LineStyle",
    "Marker",
    "MarkerSize",
    "MarkerFaceColor",
    "MarkerEdgeColor",
    "FaceColor",
    NAME,
    FILLED,
];

/// The property of this name.
pub fn property(name: &str) -> Option<&'static str> {
    PROPERTIES.into_iter().find(|n| n.eq_ignore_ascii_case(name))
}

/// The value of a property.
#[derive(Clone, Debug, PartialEq)]
pub enum Setting {
    Number(f64),
    Text(String),
    List(Vec<f64>),
}

/// Why a property cannot have a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wrong {
    pub found: &'static str,
    pub help: &'static str,
}

const COLOR: Wrong = Wrong {
    found: "is no colour",
    help: "a letter of \"rgbcmykw\", a name such as \"red\", or [red,green,blue] from 0 to 1",
};
const LINE: Wrong = Wrong {
    found: "is no line or mark",
    help: "lines are \"-\", \"--\", \":\" and \"none\", marks one of \"o+*x.sd^v\"",
};
const SIZE: Wrong = Wrong { found: "is no size", help: "sizes are pixels, over 0 and at most 100" };

impl Style {
    /// Changes a property.
    ///
    /// # Errors
    /// The value does not suit the property.
    pub fn set(&mut self, property: &str, value: &Setting) -> Result<(), Wrong> {
        match property {
            "Color" | "MarkerEdgeColor" | "FaceColor" => self.color = color(value)?.or(self.color),
            "MarkerFaceColor" => self.fill = color(value)?,
            "LineWidth" => self.width = size(value)?,
            "MarkerSize" => self.size = size(value)?,
            FILLED => self.filled = true,
            _ => return self.line_or_mark(property, value),
        }
        Ok(())
    }

    fn line_or_mark(&mut self, property: &str, value: &Setting) -> Result<(), Wrong> {
        let Setting::Text(text) = value else { return Err(LINE) };
        let mark = property == "Marker";
        match (mark, text.as_str()) {
            (true, "none") => self.mark = None,
            (false, "none") => self.unconnected = true,
            (true, text) => self.mark = Some(letters(text).and_then(|new| new.mark).ok_or(LINE)?),
            (false, text) => {
                let new = letters(text).filter(|new| new.mark.is_none() && new.color.is_none()).ok_or(LINE)?;
                (self.dashed, self.unconnected) = (new.dashed, false);
            }
        }
        Ok(())
    }
}

fn size(value: &Setting) -> Result<f64, Wrong> {
    match value {
        Setting::Number(x) if *x > 0.0 && *x <= 100.0 => Ok(*x),
        _ => Err(SIZE),
    }
}

/// A colour by its letter, its name, or as [red,green,blue] from 0 to 1; none if it is left to the palette.
fn color(value: &Setting) -> Result<Option<Color>, Wrong> {
    match value {
        Setting::Text(text) => match text.as_str() {
            "auto" | "flat" | "none" => Ok(None),
            "black" => Ok(colors::letter('k')),
            name => {
                const NAMES: [&str; 7] = ["red", "green", "blue", "cyan", "magenta", "yellow", "white"];
                let known = name.chars().count() == 1 || NAMES.contains(&name);
                name.chars().next().filter(|_| known).and_then(colors::letter).map(Some).ok_or(COLOR)
            }
        },
        Setting::List(list) => match list[..] {
            [r, g, b] => Ok(Some([r, g, b].map(|x| (x.clamp(0.0, 1.0) * 255.0).round() as u8))),
            _ => Err(COLOR),
        },
        Setting::Number(_) => Err(COLOR),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_have_a_colour_a_line_and_a_mark() {
        let red = letters("r--").expect("a style");
        assert_eq!((red.color, red.dashed, red.unconnected), (colors::letter('r'), true, false));
        let marks = letters("bo").expect("a style");
        assert_eq!((marks.mark, marks.unconnected), (Some('o'), true));
        assert!(!letters("o-").expect("a style").unconnected);
        assert_eq!(["", "rg", "curve", "---", "ox"].map(letters), [None; 5]);
    }

    #[test]
    fn properties_change_a_style_or_say_why_not() {
        let mut style = Style::default();
        let text = |t: &str| Setting::Text(t.to_string());
        assert_eq!(property("linewidth"), Some("LineWidth"));
        assert_eq!(style.set("LineWidth", &Setting::Number(3.0)), Ok(()));
        assert_eq!(style.set("Color", &Setting::List(vec![1.0, 0.0, 0.5])), Ok(()));
        assert_eq!(style.set("Marker", &text("x")), Ok(()));
        assert_eq!(style.set("LineStyle", &text("--")), Ok(()));
        assert_eq!((style.width, style.color, style.mark, style.dashed), (3.0, Some([255, 0, 128]), Some('x'), true));
        assert_eq!(style.set("LineStyle", &text("r")), Err(LINE));
        assert_eq!(style.set("Marker", &text("-")), Err(LINE));
        assert_eq!(style.set("Color", &text("reddish")), Err(COLOR));
        assert_eq!(style.set("MarkerSize", &Setting::Number(f64::NAN)), Err(SIZE));
    }
}
