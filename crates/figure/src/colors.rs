//! Colours of curves, and maps from levels to colours.

use crate::canvas::Color;

/// Colours of the curves, distinct also for the colour-blind (Okabe and Ito, "Color Universal Design", 2008).
pub const CURVES: [Color; 6] =
    [[0, 114, 178], [213, 94, 0], [0, 158, 115], [204, 121, 167], [230, 159, 0], [86, 180, 233]];

/// Colours from the lowest level to the highest.
#[derive(Clone, Debug, PartialEq)]
pub struct ColorMap(Vec<Color>);

impl Default for ColorMap {
    fn default() -> ColorMap {
        ColorMap(vec![[0, 0, 0], [255, 255, 255]])
    }
}

/// Names and corners of maps, between which colours change linearly. `viridis` by nine of its colours (van der Walt and Smith, 2015).
const MAPS: &[(&str, &[Color])] = &[
    ("gray", &[[0, 0, 0], [255, 255, 255]]),
    ("hot", &[[0, 0, 0], [255, 0, 0], [255, 255, 0], [255, 255, 255]]),
    ("cool", &[[0, 255, 255], [255, 0, 255]]),
    ("bone", &[[0, 0, 0], [84, 84, 116], [167, 199, 199], [255, 255, 255]]),
    ("jet", &[[0, 0, 143], [0, 0, 255], [0, 255, 255], [255, 255, 0], [255, 0, 0], [128, 0, 0]]),
    ("hsv", &[[255, 0, 0], [255, 255, 0], [0, 255, 0], [0, 255, 255], [0, 0, 255], [255, 0, 255], [255, 0, 0]]),
    (
        "viridis",
        &[
            [68, 1, 84],
            [71, 44, 122],
            [59, 81, 139],
            [44, 113, 142],
            [33, 144, 141],
            [39, 173, 129],
            [92, 200, 99],
            [170, 220, 50],
            [253, 231, 37],
        ],
    ),
];

impl ColorMap {
    /// A map by its name; other names of MATLAB's mean the nearest one.
    pub fn named(name: &str) -> Option<ColorMap> {
        let name = match name {
            "grey" => "gray",
            "parula" | "turbo" | "default" => "viridis",
            other => other,
        };
        MAPS.iter().find(|m| m.0 == name).map(|m| ColorMap(m.1.to_vec()))
    }

    /// The names.
    pub fn names() -> String {
        MAPS.iter().map(|m| m.0).collect::<Vec<_>>().join(", ")
    }

    /// A map of these colours; none is no map.
    pub fn of(colors: Vec<Color>) -> Option<ColorMap> {
        (!colors.is_empty()).then_some(ColorMap(colors))
    }

    /// The colour of a level from 0 to 1.
    pub fn at(&self, level: f64) -> Color {
        let last = self.0.len() - 1;
        let place = level.clamp(0.0, 1.0) * last as f64;
        let from = (place as usize).min(last);
        let to = (from + 1).min(last);
        let share = place - from as f64;
        std::array::from_fn(|k| {
            let (a, b) = (f64::from(self.0[from][k]), f64::from(self.0[to][k]));
            (a + (b - a) * share).round() as u8
        })
    }
}

/// A colour by MATLAB's letter.
pub fn letter(c: char) -> Option<Color> {
    Some(match c {
        'r' => [220, 38, 38],
        'g' => [0, 150, 60],
        'b' => [0, 90, 220],
        'c' => [0, 170, 190],
        'm' => [190, 40, 190],
        'y' => [215, 175, 0],
        'k' => [0, 0, 0],
        'w' => [255, 255, 255],
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_lie_between_the_corners() {
        let gray = ColorMap::default();
        assert_eq!([gray.at(-1.0), gray.at(0.5), gray.at(f64::NAN)], [[0; 3], [128; 3], [0; 3]]);
        assert_eq!(ColorMap::named("hot").expect("a map").at(1.0), [255; 3]);
        assert!(ColorMap::named("plaid").is_none());
    }
}
