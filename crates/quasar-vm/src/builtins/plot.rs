//! What is drawn in figures: curves, points, bars, surfaces, texts. Every call that changes a figure writes its file again.

use super::frame::{changed, object, shown};
use super::{Builtin, Call, Run, row};
use crate::display;
use crate::fault::{Res, fault};
use crate::value::Value;
use quadra_figure::Figures;
use quadra_figure::axes::{Layer, Style};
use quadra_figure::canvas::Point;
use quadra_figure::colors;
use quadra_figure::surface::Surface;

/// What a call of `plot` asks for.
struct Curves {
    curves: Vec<(Vec<Point>, Style)>,
    file: Option<String>,
}

/// The arguments `[x,]y[,style]…[,file]`.
fn curves(call: &mut Call) -> Res<Curves> {
    let mut found = Curves { curves: Vec::new(), file: None };
    let last = call.args.len() - 1;
    let mut at = 0;
    while at <= last {
        if let Value::Str(text) = &call.args[at] {
            if at < last || found.curves.is_empty() || found.file.is_some() {
                fault!("Q0314", "'{}' needs one or two vectors before '{text}'", call.name; "plot(y), plot(x,y,\"r--\"), plot(x,y,\"file.png\")");
            }
            let file = text.to_string();
            if !file.ends_with(".svg") && !file.ends_with(".png") {
                fault!("Q0314", "{}: '{file}' is no name of a picture", call.name; "plots are written as .svg or .png; a style is one of \"-\" and \"--\", marks \"o+*x.\" and a colour \"rgbcmyk\"");
            }
            found.file = Some(file);
            at += 1;
            continue;
        }
        let is_list = |i: usize| call.args.get(i).is_some_and(|v| !matches!(v, Value::Str(_)));
        let (x, y) = if is_list(at + 1) { (Some(at), at + 1) } else { (None, at) };
        at = y + 1;
        let style = match call.args.get(at) {
            Some(Value::Str(text)) => style(text),
            _ => None,
        };
        at += usize::from(style.is_some());
        for points in columns(call, x, y)? {
            found.curves.push((points, style.unwrap_or_default()));
        }
    }
    Ok(found)
}

/// The curves of `y`: one of a vector, one for each column of a matrix.
fn columns(call: &Call, x: Option<usize>, y: usize) -> Res<Vec<Vec<Point>>> {
    let t = call.tensor(y)?;
    let values = call.list(y)?;
    let (rows, count) = match t.shape[..] {
        [rows, columns] if rows > 1 && columns > 1 => (rows, columns),
        _ => (values.len(), 1),
    };
    let x = match x {
        Some(i) => call.list(i)?,
        None => (0..rows).map(|k| k as f64).collect(),
    };
    if x.len() != rows {
        fault!("Q0320", "{}: {} x-coordinates and {rows} y-coordinates", call.name, x.len(); "both vectors need the same length");
    }
    Ok((0..count).map(|c| x.iter().enumerate().map(|(r, x)| (*x, values[r * count + c])).collect()).collect())
}

/// A style in MATLAB's letters, such as `r--` or `bo`.
fn style(text: &str) -> Option<Style> {
    let mut style = Style::default();
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

/// Adds layers to the figure, writes it, and gives the object that stands for it.
fn add(call: &mut Call, layers: Vec<Layer>, file: Option<String>, logs: (bool, bool)) -> Res<Value> {
    let figure = call.cx.figures.for_layer(Figures::plot_name);
    if let Some(file) = file {
        figure.file = file;
    }
    let axes = figure.axes();
    axes.logs = logs;
    axes.layers.extend(layers);
    let path = changed(call)?;
    shown(call, &path)?;
    Ok(object(&path))
}

/// `plot(y)`, `plot(x,y)` and more of them, each with a style, a file name behind; `semilogx`, `semilogy` and `loglog` with
/// logarithmic axes.
fn plot(call: &mut Call, logs: (bool, bool)) -> Res<Value> {
    let Curves { curves, file } = curves(call)?;
    let layers = curves.into_iter().map(|(points, style)| Layer::Curve { points, style }).collect();
    add(call, layers, file, logs)
}

/// `scatter(x,y[,size][,style])`: marks that no line connects.
fn scatter(call: &mut Call) -> Res<Value> {
    let style = match call.args.last() {
        Some(Value::Str(text)) => {
            let style = style(text);
            style.ok_or_else(|| call.wrong(call.args.len() - 1, "a style such as \"ro\""))?
        }
        _ => Style::default(),
    };
    let style = Style { mark: style.mark.or(Some('o')), unconnected: true, ..style };
    let points = columns(call, Some(0), 1)?.into_iter().flatten().collect();
    add(call, vec![Layer::Curve { points, style }], None, (false, false))
}

/// `bar(y)`, `bar(x,y)`.
fn bar(call: &mut Call) -> Res<Value> {
    let (x, y) = if call.args.len() == 2 { (Some(0), 1) } else { (None, 0) };
    let layers = columns(call, x, y)?.into_iter().map(|points| Layer::Bars { points }).collect();
    add(call, layers, None, (false, false))
}

/// `stem(y)`, `stem(x,y)`: a line from 0 to each point, with a mark.
fn stem(call: &mut Call) -> Res<Value> {
    let (x, y) = if call.args.len() == 2 { (Some(0), 1) } else { (None, 0) };
    let mut layers = Vec::new();
    for points in columns(call, x, y)? {
        let color = Some(colors::CURVES[0]);
        let lines = points.iter().flat_map(|p| [(p.0, 0.0), *p, (f64::NAN, f64::NAN)]).collect();
        layers.push(Layer::Curve { points: lines, style: Style { color, ..Style::default() } });
        let style = Style { color, mark: Some('o'), unconnected: true, ..Style::default() };
        layers.push(Layer::Curve { points, style });
    }
    add(call, layers, None, (false, false))
}

/// `surf(z)`, `surf(x,y,z)`; x and y are vectors, or matrices that repeat them. `mesh`: only lines.
fn surface(call: &mut Call, mesh: bool) -> Res<Value> {
    let at = match call.args.len() {
        1 => 0,
        3 => 2,
        _ => fault!("Q0314", "'{}' needs z, or x, y and z", call.name; "surf(z), surf(x,y,z)"),
    };
    let t = call.tensor(at)?;
    let [rows, columns] = t.shape[..] else { return Err(call.wrong(at, "a matrix")) };
    let count = |n: usize| (0..n).map(|k| k as f64).collect::<Vec<_>>();
    let (mut x, mut y) = (count(columns), count(rows));
    if at == 2 {
        let (xs, ys) = (call.list(0)?, call.list(1)?);
        let full = |v: &[f64]| v.len() == rows * columns && rows > 1 && columns > 1;
        x = if full(&xs) { xs[..columns].to_vec() } else { xs };
        y = if full(&ys) { ys.iter().step_by(columns).copied().collect() } else { ys };
        if x.len() != columns || y.len() != rows {
            fault!("Q0320", "{}: {} and {} coordinates for a matrix of {rows} by {columns}", call.name, x.len(), y.len(); "x has a number for each column, y for each row");
        }
    }
    add(call, vec![Layer::Surface(Surface { x, y, z: call.list(at)?, mesh })], None, (false, false))
}

/// `text(x,y,s)`.
fn text(call: &mut Call) -> Res<()> {
    let layer = Layer::Text { at: (call.number(0)?, call.number(1)?), text: display::value(&call.args[2]) };
    call.cx.figures.some().axes().layers.push(layer);
    changed(call).map(drop)
}

pub const TABLE: &[Builtin] = &[
    row!(
        "plot",
        "plot([x,]y[,style]…[,file])",
        "lines through points, one for each column of a matrix; a style has a colour (rgbcmyk), - or --, a mark (o+*x.); written to file (.svg or .png; plot_NNN.svg by default); returns an object with its name",
        "print plot([0,1,4,9]).file",
        1..=255,
        Run::One(|c| plot(c, (false, false)))
    ).host_only(),
    row!(
        "semilogx",
        "semilogx([x,]y[,style]…[,file])",
        "as plot, with a logarithmic x axis; points that are not positive are left out",
        "print semilogx([1,10,100],[1,4,9]).file",
        1..=255,
        Run::One(|c| plot(c, (true, false)))
    ).host_only(),
    row!(
        "semilogy",
        "semilogy([x,]y[,style]…[,file])",
        "as plot, with a logarithmic y axis; points that are not positive are left out",
        "print semilogy([1,10,100],[1,4,9]).file",
        1..=255,
        Run::One(|c| plot(c, (false, true)))
    ).host_only(),
    row!(
        "loglog",
        "loglog([x,]y[,style]…[,file])",
        "as plot, with both axes logarithmic; points that are not positive are left out",
        "print loglog([1,10,100],[1,4,9]).file",
        1..=255,
        Run::One(|c| plot(c, (true, true)))
    ).host_only(),
    row!(
        "scatter",
        "scatter(x,y[,style])",
        "a mark at each point",
        "scatter([1,2,3],[4,1,3],\"r+\")",
        2..=3,
        Run::One(scatter)
    ).host_only(),
    row!("bar", "bar([x,]y)", "a bar for each number", "bar([3,1,2])", 1..=2, Run::One(bar)).host_only(),
    row!("stem", "stem([x,]y)", "a line from 0 to each point, with a mark", "stem([3,1,2])", 1..=2, Run::One(stem))
        .host_only(),
    row!(
        "surf",
        "surf([x,y,]z)",
        "a matrix as a coloured surface, seen from the side",
        "surf([[0,1,0],[1,2,1],[0,1,0]])",
        1..=3,
        Run::One(|c| surface(c, false))
    ).host_only(),
    row!(
        "mesh",
        "mesh([x,y,]z)",
        "as surf, only lines",
        "mesh([[0,1,0],[1,2,1],[0,1,0]])",
        1..=3,
        Run::One(|c| surface(c, true))
    ).host_only(),
    row!("text", "text(x,y,s)", "writes s at a point of the axes", "plot([0,1]); text(0.5,0.5,\"here\")", 3..=3, Run::Effect(text))
        .host_only(),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_have_a_colour_a_line_and_a_mark() {
        let red = style("r--").expect("a style");
        assert_eq!((red.color, red.dashed, red.unconnected), (colors::letter('r'), true, false));
        let marks = style("bo").expect("a style");
        assert_eq!((marks.mark, marks.unconnected), (Some('o'), true));
        assert!(!style("o-").expect("a style").unconnected);
        assert_eq!(["", "rg", "curve", "---", "ox"].map(style), [None; 5]);
    }
}
