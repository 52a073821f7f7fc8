//! Internal crate of Quadra: no stable interface.
//!
//! Figures: axes with curves, bars, surfaces and pictures, alone or in a grid, drawn as SVG or PNG.

#![forbid(unsafe_code)]

pub mod axes;
pub mod canvas;
pub mod colors;
mod curve;
pub mod files;
mod scale;
pub mod style;
pub mod surface;

use axes::Axes;
use canvas::{Canvas, Point, Svg};
use image::DynamicImage;
use std::collections::BTreeMap;
use std::time::Duration;

/// Who takes pictures instead of the directory in which the program runs.
pub trait Gallery {
    /// Takes a picture, or the new form of one that it has; gives the name of the file that holds it.
    ///
    /// # Errors
    /// The picture cannot be kept.
    fn take(&mut self, name: &str, caption: &str, bytes: &[u8]) -> std::io::Result<String>;

    /// Whether somebody sees the pictures while the program runs, so that a new form takes the place of the old one.
    fn is_watched(&self) -> bool {
        false
    }

    /// Takes a control, or the new state of the one with this number; gives its number, or none if nobody can use it.
    fn control(&mut self, _number: Option<usize>, _control: &Control) -> Option<usize> {
        None
    }

    /// What somebody has done with a control, after waiting for it at most so long; none if nobody can do anything any more.
    fn event(&mut self, _patience: Duration) -> Option<Event> {
        None
    }
}

/// A part of a form.
#[derive(Clone, Debug, PartialEq)]
pub struct Control {
    /// `heading`, `label`, `button`, `checkbox`, `slider` or `textbox`.
    pub kind: &'static str,
    pub text: String,
    pub value: String,
    /// Least and greatest value of a slider.
    pub range: (f64, f64),
}

/// What became of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Nobody did anything.
    Nothing,
    /// The control with this number has this value now, or was clicked.
    Set(usize, String),
}

/// A figure.
#[derive(Clone, Debug, Default)]
pub struct Figure {
    /// Its file, `.svg` or `.png`.
    pub file: String,
    /// Rows and columns of its axes.
    grid: (usize, usize),
    cells: BTreeMap<usize, Axes>,
    /// The last cells of axes that take several, by their first ones.
    last: BTreeMap<usize, usize>,
    /// Axes that come one after the other fill a grid that grows with them.
    flows: bool,
    /// The axes that functions work on.
    at: usize,
    /// Whether functions work on what has its heights at the right edge.
    right: bool,
    /// What it shows next keeps its file: a display of a form.
    is_display: bool,
}

/// Width and height of axes in pixels, if a figure has no others.
const SIZE: Point = (640.0, 420.0);
/// The least that axes of a grid have.
const LEAST: Point = (320.0, 240.0);
/// Most axes of a grid in one direction.
pub const MOST_CELLS: usize = 16;

impl Figure {
    fn new(file: String) -> Figure {
        Figure { file, grid: (1, 1), ..Figure::default() }
    }

    /// The axes that functions work on.
    pub fn axes(&mut self) -> &mut Axes {
        let axes = self.cells.entry(self.at).or_default();
        if self.right { axes.right.get_or_insert_default() } else { axes }
    }

    /// Chooses the heights at the right edge of the axes, or those at the left.
    pub fn choose_side(&mut self, right: bool) {
        self.right = right;
        self.axes();
    }

    /// Chooses axes of a grid, row by row from 0; another grid begins anew.
    pub fn choose(&mut self, grid: (usize, usize), at: usize) {
        self.choose_many(grid, at, at);
    }

    /// Chooses axes that take all cells of a grid from the first to the last of a rectangle.
    pub fn choose_many(&mut self, grid: (usize, usize), first: usize, last: usize) {
        if self.grid != grid {
            self.cells.clear();
            self.last.clear();
        }
        (self.grid, self.at, self.flows, self.right) = (grid, first, false, false);
        self.last.insert(first, last);
        // Axes below them make room.
        let (columns, rectangle) = (grid.1, (first, last));
        self.cells.retain(|at, _| *at == first || !holds(rectangle, *at, columns));
    }

    /// Begins a grid that [`Figure::next`] fills; without a size it grows with what comes.
    pub fn tile(&mut self, grid: Option<(usize, usize)>) {
        self.cells.clear();
        self.last.clear();
        (self.grid, self.at, self.flows) = (grid.unwrap_or((1, 1)), 0, grid.is_none());
        self.right = false;
    }

    /// Chooses the first free axes of the grid, of so many rows and columns; whether there were any.
    pub fn next(&mut self, (rows, columns): (usize, usize)) -> bool {
        self.right = false;
        let taken = |f: &Figure, at: usize| {
            f.cells.keys().any(|first| holds((*first, *f.last.get(first).unwrap_or(first)), at, f.grid.1))
        };
        if self.flows {
            self.at = self.cells.len();
            let across = (1..).find(|n| n * n > self.at).unwrap_or(1);
            self.grid = ((self.at / across) + 1, across);
        } else {
            let cells = |at: usize, f: &Figure| {
                (0..rows)
                    .flat_map(move |r| (0..columns).map(move |c| (r, c)))
                    .map(|(r, c)| at + r * f.grid.1 + c)
                    .collect::<Vec<_>>()
            };
            let fits = |at: usize| at % self.grid.1 + columns <= self.grid.1 && at / self.grid.1 + rows <= self.grid.0;
            let free = |at: &usize| fits(*at) && cells(*at, self).iter().all(|c| !taken(self, *c));
            let Some(at) = (0..self.grid.0 * self.grid.1).find(free) else { return false };
            self.at = at;
            self.last.insert(at, at + (rows - 1) * self.grid.1 + columns - 1);
        }
        self.axes();
        true
    }

    /// Rows and columns of its axes.
    pub fn grid(&self) -> (usize, usize) {
        self.grid
    }

    /// Whether there is more to see than one picture, which has a file of its own.
    pub fn is_drawn(&self) -> bool {
        self.grid != (1, 1) || self.cells.values().any(|a| a.is_drawn())
    }

    /// The titles of its axes.
    pub fn caption(&self) -> String {
        let titles: Vec<&str> = self.cells.values().map(|a| a.said().0).filter(|t| !t.is_empty()).collect();
        titles.join(", ")
    }

    fn cell(&self) -> Point {
        match self.grid {
            (1, 1) => SIZE,
            (rows, columns) => ((960.0 / columns as f64).max(LEAST.0), (720.0 / rows as f64).max(LEAST.1)),
        }
    }

    fn size(&self) -> Point {
        let (w, h) = self.cell();
        ((w * self.grid.1 as f64).round(), (h * self.grid.0 as f64).round())
    }

    fn draw(&self, canvas: &mut impl Canvas) {
        let (w, h) = self.cell();
        for (at, axes) in &self.cells {
            let place = |at: usize| (at / self.grid.1, at % self.grid.1);
            let (row, column) = place(*at);
            let (lowest, rightmost) = place(*self.last.get(at).unwrap_or(at));
            let size = (w * (rightmost - column + 1) as f64, h * (lowest - row + 1) as f64);
            axes.draw(canvas, (column as f64 * w, row as f64 * h), size);
        }
    }

    /// The figure as text in the SVG format.
    pub fn svg(&self) -> String {
        let mut svg = Svg::new(self.size());
        self.draw(&mut svg);
        svg.finish()
    }

    /// The figure as pixels.
    pub fn image(&self) -> DynamicImage {
        let mut image = canvas::pixels(self.size());
        self.draw(&mut image);
        canvas::finished(image)
    }
}

/// Whether the rectangle between two cells of a grid holds a cell.
fn holds((first, last): (usize, usize), at: usize, columns: usize) -> bool {
    let within = |from: usize, to: usize, k: usize| (from..=to).contains(&k);
    within(first / columns, last / columns, at / columns) && within(first % columns, last % columns, at % columns)
}

/// The figures of a run.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// By the numbers that the program knows them by.
    list: BTreeMap<u32, Figure>,
    current: Option<u32>,
    /// Pictures so far, for their names.
    pictures: u32,
    /// The map of levels to colours of axes that have none.
    pub colors: Option<colors::ColorMap>,
}

impl Figures {
    /// A name for a picture that has none.
    pub fn picture_name(&mut self, kind: &str) -> String {
        if let Some(display) = self.current().filter(|f| f.is_display) {
            return display.file.replace(".svg", ".png");
        }
        self.pictures += 1;
        format!("{kind}_{:03}.png", self.pictures)
    }

    /// A name for a figure that has none.
    pub fn plot_name(&mut self) -> String {
        if let Some(display) = self.current().filter(|f| f.is_display) {
            return display.file.clone();
        }
        self.pictures += 1;
        format!("plot_{:03}.svg", self.pictures)
    }

    /// The figure that functions work on, if there is one.
    pub fn current(&mut self) -> Option<&mut Figure> {
        self.list.get_mut(&self.current?)
    }

    /// The figure that functions work on; an empty one if there is none.
    pub fn some(&mut self) -> &mut Figure {
        let number = match self.current {
            Some(number) => number,
            None => self.open(None),
        };
        let name = || Figure::new(format!("plot_{:03}.svg", self.pictures));
        self.list.entry(number).or_insert_with(name)
    }

    /// Opens a new figure, or goes to the one of this number; its number.
    pub fn open(&mut self, number: Option<u32>) -> u32 {
        let number = number.unwrap_or_else(|| self.list.keys().last().map_or(1, |n| n.saturating_add(1)));
        if !self.list.contains_key(&number) {
            self.current = None;
            let file = self.plot_name();
            self.list.insert(number, Figure::new(file));
        }
        self.current = Some(number);
        number
    }

    /// Opens a new display, or goes to the one of this number; its number.
    pub fn display(&mut self, number: Option<u32>) -> u32 {
        let known = number.filter(|n| self.list.get(n).is_some_and(|f| f.is_display));
        let number = known.unwrap_or_else(|| {
            self.pictures += 1;
            let number = self.list.keys().last().map_or(1, |n| n.saturating_add(1));
            let file = format!("display_{:03}.svg", self.pictures);
            self.list.insert(number, Figure { is_display: true, ..Figure::new(file) });
            number
        });
        self.current = Some(number);
        number
    }

    /// The figure for something new: the current one if it waits for something, else a fresh one in its place.
    pub fn for_layer(&mut self, file: impl FnOnce(&mut Figures) -> String) -> &mut Figure {
        let takes = self.current().is_some_and(|f| f.grid != (1, 1) || f.axes().takes_more());
        if !takes {
            let number = self.current.unwrap_or(1);
            let file = file(self);
            let is_display = self.current().is_some_and(|f| f.is_display);
            self.list.insert(number, Figure { is_display, ..Figure::new(file) });
            self.current = Some(number);
        }
        let figure = self.some();
        if !figure.axes().takes_more() {
            *figure.axes() = Axes::default();
        }
        figure
    }

    /// Closes the current figure, or all: what is in files stays there.
    pub fn close(&mut self, all: bool) {
        match self.current.filter(|_| !all) {
            Some(number) => drop(self.list.remove(&number)),
            None => self.list.clear(),
        }
        self.current = self.list.keys().last().copied();
    }
}

#[cfg(test)]
mod tests {
    use super::axes::Layer;
    use super::style::Style;
    use super::*;

    fn curve(points: &[Point]) -> Layer {
        Layer::Curve { points: points.to_vec(), style: Style::default() }
    }

    #[test]
    fn a_display_keeps_its_file() {
        let mut figures = Figures::default();
        let first = figures.display(None);
        for _ in 0..2 {
            let name = figures.picture_name("imshow");
            assert_eq!(name, "display_001.png");
            figures.for_layer(|_| name.replace(".png", ".svg")).axes().layers.push(curve(&[(0.0, 0.0)]));
        }
        figures.for_layer(Figures::plot_name).axes().layers.push(curve(&[(0.0, 1.0)]));
        assert_eq!(figures.some().file, "display_001.svg");
        assert_eq!(figures.some().axes().layers.len(), 1);
        let second = figures.display(None);
        assert_ne!(first, second);
        assert_eq!(figures.picture_name("imshow"), "display_002.png");
        // A figure is none, and a number of a figure is no display.
        let figure = figures.open(None);
        assert_eq!(figures.picture_name("imshow"), "imshow_004.png");
        assert_ne!(figures.display(Some(figure)), figure);
        assert_eq!(figures.display(Some(first)), first);
        assert_eq!(figures.some().file, "display_001.svg");
    }

    #[test]
    fn both_formats_show_the_curve() {
        let mut figure = Figure::new("a.svg".into());
        let axes = figure.axes();
        axes.title = "A<B".into();
        axes.names = vec!["one".into()];
        axes.layers = vec![curve(&[(0.0, 0.0), (1.0, 1.0), (2.0, f64::NAN)])];
        let svg = figure.svg();
        assert!(svg.contains(">A&lt;B<") && svg.contains(">one<"));
        assert_eq!(svg.matches("stroke=\"#0072b2\"").count(), 2, "one segment and the mark in the legend");
        let image = figure.image().into_rgb8();
        let blue = image.pixels().filter(|p| p.0 == colors::CURVES[0]).count();
        assert!(blue > 275, "the diagonal covers half the frame: {blue}");
    }

    #[test]
    fn figures_wait_for_what_belongs_to_them() {
        let mut figures = Figures::default();
        figures.some().axes().title = "first".into();
        let add = |f: &mut Figures| {
            let figure = f.for_layer(Figures::plot_name);
            figure.axes().layers.push(curve(&[(0.0, 1.0)]));
            (figure.file.clone(), figure.axes().layers.len(), figure.caption())
        };
        assert_eq!(add(&mut figures), ("plot_001.svg".into(), 1, "first".into()));
        assert_eq!(add(&mut figures), ("plot_002.svg".into(), 1, "".into()), "what is full is replaced");
        figures.some().axes().held = true;
        assert_eq!(add(&mut figures), ("plot_002.svg".into(), 2, "".into()));
        figures.some().choose((2, 1), 0);
        add(&mut figures);
        figures.some().choose((2, 1), 1);
        assert_eq!(add(&mut figures).0, "plot_002.svg", "axes of a grid lie in one figure");
        assert_eq!(figures.some().size(), (960.0, 720.0));
        figures.open(None);
        assert_eq!(add(&mut figures).0, "plot_003.svg");
        figures.close(false);
        assert_eq!(figures.some().file, "plot_002.svg");
    }
}
