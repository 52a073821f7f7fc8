//! What is drawn in figures: curves, points, bars, surfaces, texts. Every call that changes a figure writes its file again.

use super::frame::{changed, object, shown};
use super::{Builtin, Call, Run, row};
use crate::arith::to_c64;
use crate::display;
use crate::fault::{Fault, Res, fault};
use crate::tensor::{Data, Tensor};
use crate::value::Value;
use quadra_figure::Figures;
use quadra_figure::axes::Layer;
use quadra_figure::canvas::{Color, Point};
use quadra_figure::colors::{self, ColorMap};
use quadra_figure::style::{self, Setting, Style};
use quadra_figure::surface::Surface;
use std::collections::BTreeMap;

/// Properties at the end of a call, as pairs: `plot(x, y, "LineWidth", 2, "DisplayName", "model")`.
#[derive(Default)]
struct Properties {
    changes: Vec<(&'static str, Setting)>,
    /// The name for the legend.
    name: Option<String>,
    /// How many arguments stand before them.
    before: usize,
}

impl Properties {
    fn of(call: &Call) -> Res<Properties> {
        let known = |v: &Value| v.as_text().and_then(style::property);
        let before = call.args.iter().position(|v| known(v).is_some()).unwrap_or(call.args.len());
        let mut found = Properties { before, ..Properties::default() };
        let mut at = before;
        while let Some(v) = call.args.get(at) {
            if let Some(colour) = v.as_text().and_then(style::lone_color) {
                found.changes.push(("Color", Setting::Text(colour)));
                at += 1;
                continue;
            }
            let Some(name) = known(v) else {
                let unknown = display::value(v);
                fault!("Q0314", "'{}' has no property \"{unknown}\"", call.name; format!("properties are {}", style::PROPERTIES.join(", ")));
            };
            if name == style::FILLED {
                found.changes.push((name, Setting::Number(1.0)));
                at += 1;
                continue;
            }
            let Some(value) = call.args.get(at + 1) else {
                fault!("Q0314", "'{}' has no value for \"{name}\"", call.name; "properties are pairs: \"LineWidth\", 2");
            };
            match name {
                style::NAME => found.name = Some(display::value(value)),
                _ => found.changes.push((name, setting(value))),
            }
            at += 2;
        }
        Ok(found)
    }

    /// Applies them to a style.
    fn style(&self, call: &Call, mut to: Style) -> Res<Style> {
        for (name, value) in &self.changes {
            if let Err(wrong) = to.set(name, value) {
                fault!("Q0314", "'{}': \"{name}\" {}", call.name, wrong.found; wrong.help);
            }
        }
        Ok(to)
    }
}

fn setting(value: &Value) -> Setting {
    match (value.as_text(), value.as_f64(), value) {
        (Some(text), ..) => Setting::Text(text.to_string()),
        (_, Some(x), _) => Setting::Number(x),
        (_, _, Value::Array(t)) => Setting::List(crate::arith::to_f64(&t.data.borrow()).into_owned()),
        _ => Setting::List(Vec::new()),
    }
}

/// What a call of `plot` asks for.
struct Curves {
    curves: Vec<(Vec<Point>, Style)>,
    file: Option<String>,
}

/// The arguments `[x,]y[,style]…[,file]`, of which properties are left out.
fn curves(call: &mut Call, end: usize) -> Res<Curves> {
    let mut found = Curves { curves: Vec::new(), file: None };
    let last = end.saturating_sub(1);
    let mut at = 0;
    while at < end {
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
        let is_list = |i: usize| i < end && !matches!(call.args[i], Value::Str(_));
        let (x, y) = if is_list(at + 1) { (Some(at), at + 1) } else { (None, at) };
        at = y + 1;
        let style = match call.args[..end].get(at) {
            Some(Value::Str(text)) => style::letters(text),
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
    // Complex numbers alone are points of the plane.
    if let (None, Value::Array(t)) = (x, &call.args[y])
        && matches!(*t.data.borrow(), Data::C32(_) | Data::C64(_))
    {
        return Ok(vec![to_c64(&t.data.borrow()).iter().map(|z| (z[0], z[1])).collect()]);
    }
    if let (None, v @ (Value::C32(_) | Value::C64(_))) = (x, &call.args[y])
        && let Some([re, im]) = v.as_complex()
    {
        return Ok(vec![vec![(re, im)]]);
    }
    let t = call.tensor(y)?;
    // Over places the real parts are drawn, as in MATLAB: nothing that is shown stops a computation.
    let mut values = match &*t.data.borrow() {
        data @ (Data::C32(_) | Data::C64(_)) => to_c64(data).iter().map(|z| z[0]).collect(),
        _ => call.list(y)?,
    };
    // One number over many places is a level line.
    if let (Some(x), [level]) = (x, &values[..]) {
        let (level, count) = (*level, call.list(x)?.len());
        values.resize(count.max(1), level);
    }
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

/// Adds layers to the figure, writes it, and gives the object that stands for it.
fn add(
    call: &mut Call,
    layers: Vec<Layer>,
    file: Option<String>,
    logs: (bool, bool),
    name: Option<String>,
) -> Res<Value> {
    let figure = call.cx.figures.for_layer(Figures::plot_name);
    if let Some(file) = file {
        figure.file = file;
    }
    let axes = figure.axes();
    axes.logs = logs;
    if let Some(name) = name {
        // Curves that came before without a name keep their places in the legend.
        axes.names.resize(axes.layers.len(), String::new());
        axes.names.push(name);
    }
    axes.layers.extend(layers);
    let path = changed(call)?;
    shown(call, &path)?;
    Ok(object(&path))
}

/// `plot(y)`, `plot(x,y)` and more of them, each with a style, a file name behind; `semilogx`, `semilogy` and `loglog` with
/// logarithmic axes.
fn plot(call: &mut Call, logs: (bool, bool)) -> Res<Value> {
    let properties = Properties::of(call)?;
    let Curves { curves, file } = curves(call, properties.before)?;
    let styled = |(points, style)| Ok(Layer::Curve { points, style: properties.style(call, style)? });
    let layers = curves.into_iter().map(styled).collect::<Res<_>>()?;
    add(call, layers, file, logs, properties.name)
}

/// Colours of points: one row of red, green and blue for all or for each, or a number for each, its place in the map of colours.
fn tints(call: &Call, at: usize, count: usize) -> Res<Vec<Color>> {
    let (shape, values) = (call.tensor(at)?.shape.clone(), call.list(at)?);
    let rgb = |c: &[f64]| -> Color { std::array::from_fn(|k| (c[k].clamp(0.0, 1.0) * 255.0).round() as u8) };
    // Three in a row are a colour.
    if values.len() == count && (count != 3 || matches!(shape[..], [3, 1])) {
        let numbers = || values.iter().copied().filter(|v| v.is_finite());
        let (low, high) = (numbers().fold(f64::INFINITY, f64::min), numbers().fold(f64::NEG_INFINITY, f64::max));
        // As many as a map has: each is a layer of its own.
        let step = |v: f64| if high > low { ((v - low) / (high - low) * 63.0).round() / 63.0 } else { 0.5 };
        let map = ColorMap::named("viridis").unwrap_or_default();
        return Ok(values.iter().map(|v| map.at(step(*v))).collect());
    }
    match shape[..] {
        [.., 3] if values.len() == 3 => Ok(vec![rgb(&values); count]),
        [n, 3] if n == count => Ok(values.chunks_exact(3).map(rgb).collect()),
        _ => Err(call.wrong(
            at,
            "a style such as \"ro\", or a colour: one number or three of 0 to 1 for each point, or three for all",
        )),
    }
}

/// `scatter(x,y[,area][,style][,property,value]…)`: marks that no line connects. Colours in place of a style are one for each point.
fn scatter(call: &mut Call) -> Res<Value> {
    let properties = Properties::of(call)?;
    let styled = |at: usize, text: &str| style::letters(text).ok_or_else(|| call.wrong(at, "a style such as \"ro\""));
    // The area of the marks, in place of a size; [] leaves it as it is.
    let area = |v: &Value| match v {
        Value::Array(t) => t.get(0).and_then(|v| v.as_f64()).unwrap_or(0.0),
        v => v.as_f64().unwrap_or(0.0),
    };
    let sized = |v: &Value, style: Style| Style { size: area(v).max(0.0).sqrt().min(100.0), ..style };
    let own = match &call.args[..properties.before] {
        [_, _] => Style::default(),
        [_, _, Value::Str(text)] => styled(2, text)?,
        [_, _, size] => sized(size, Style::default()),
        [_, _, size, Value::Str(text)] => sized(size, styled(3, text)?),
        [_, _, size, _] => sized(size, Style::default()),
        _ => return Err(call.wrong(2, "a style such as \"ro\", or the area of the marks and a style")),
    };
    let own = Style { mark: own.mark.or(Some('o')), unconnected: true, ..own };
    let own = properties.style(call, own)?;
    let points: Vec<Point> = columns(call, Some(0), 1)?.into_iter().flatten().collect();
    let mut groups: BTreeMap<Option<Color>, Vec<Point>> = BTreeMap::new();
    if properties.before == 4 && !matches!(call.args[3], Value::Str(_)) {
        for (color, point) in tints(call, 3, points.len())?.into_iter().zip(points) {
            groups.entry(Some(color)).or_default().push(point);
        }
    } else {
        groups.insert(own.color, points);
    }
    let layer = |(color, points)| Layer::Curve { points, style: Style { color, ..own } };
    let layers = groups.into_iter().map(layer).collect();
    add(call, layers, None, (false, false), properties.name)
}

/// The arguments `[x,]y[,style]` of bars and stems: where x and y stand, and the style.
fn heights(call: &Call, properties: &Properties) -> Res<(Option<usize>, usize, Style)> {
    let (own, end) = match call.args[..properties.before].last() {
        Some(Value::Str(text)) => {
            let at = properties.before - 1;
            (style::letters(text).ok_or_else(|| call.wrong(at, "a style such as \"ro\""))?, at)
        }
        _ => (Style::default(), properties.before),
    };
    let own = properties.style(call, own)?;
    match end {
        1 => Ok((None, 0, own)),
        2 => Ok((Some(0), 1, own)),
        _ => fault!("Q0314", "'{}' needs y, or x and y", call.name; "a style and properties stand behind them"),
    }
}

/// `bar([x,]y[,style][,property,value]…)`.
fn bar(call: &mut Call, lying: bool) -> Res<Value> {
    let properties = Properties::of(call)?;
    let (x, y, own) = heights(call, &properties)?;
    let turned = |points: Vec<Point>| points.into_iter().map(|p| if lying { (p.1, p.0) } else { p }).collect();
    let layer = |points| Layer::Bars { points: turned(points), color: own.color, lying };
    let layers = columns(call, x, y)?.into_iter().map(layer).collect();
    add(call, layers, None, (false, false), properties.name)
}

/// `fill(x,y[,style][,property,value]…)`: a polygon, one for each column of y.
fn fill(call: &mut Call) -> Res<Value> {
    let properties = Properties::of(call)?;
    let own = match &call.args[..properties.before] {
        [_, _] => Style::default(),
        [_, _, Value::Str(text)] => style::letters(text).ok_or_else(|| call.wrong(2, "a colour such as \"r\""))?,
        // A number or matrix of numbers stands for places in a map of colours.
        [_, _, _] => Style::default(),
        _ => fault!("Q0314", "'{}' needs x and y", call.name; "a colour and properties stand behind them"),
    };
    let own = properties.style(call, own)?;
    let layer = |points| Layer::Area { points, color: own.color };
    let layers = columns(call, Some(0), 1)?.into_iter().map(layer).collect();
    add(call, layers, None, (false, false), properties.name)
}

/// `stem([x,]y[,style][,property,value]…)`: a line from 0 to each point, with a mark.
fn stem(call: &mut Call) -> Res<Value> {
    let properties = Properties::of(call)?;
    let (x, y, own) = heights(call, &properties)?;
    let color = Some(own.color.unwrap_or(colors::CURVES[0]));
    let mut layers = Vec::new();
    for points in columns(call, x, y)? {
        let lines = points.iter().flat_map(|p| [(p.0, 0.0), *p, (f64::NAN, f64::NAN)]).collect();
        let line = Style { color, mark: None, unconnected: false, ..own };
        layers.push(Layer::Curve { points: lines, style: line });
        let mark = Style { color, mark: own.mark.or(Some('o')), unconnected: true, ..own };
        layers.push(Layer::Curve { points, style: mark });
    }
    add(call, layers, None, (false, false), properties.name)
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
    add(call, vec![Layer::Surface(Surface { x, y, z: call.list(at)?, mesh, colors: None })], None, (false, false), None)
}

/// `text(x,y,s)`.
fn text(call: &mut Call) -> Res<()> {
    let layer = Layer::Text { at: (call.number(0)?, call.number(1)?), text: display::value(&call.args[2]) };
    call.cx.figures.some().axes().layers.push(layer);
    changed(call).map(drop)
}

/// `caxis([low,high])`: what the first and last colour of pictures and surfaces stand for.
fn caxis(call: &mut Call) -> Res<()> {
    if matches!(call.text(0), Ok("auto" | "manual")) {
        return Ok(());
    }
    let [low, high] = call.list(0)?[..] else { return Err(call.wrong(0, "two limits")) };
    if !(low < high && low.is_finite() && high.is_finite()) {
        fault!("Q0314", "'{}' needs two limits in ascending order", call.name; "caxis([0,255])");
    }
    for layer in &mut call.cx.figures.some().axes().layers {
        match layer {
            Layer::Picture { image, range, gray: true } => {
                let (from, step) = (range.0, (range.1 - range.0) / 255.0);
                let level =
                    |v: u8| ((from + f64::from(v) * step - low) / (high - low) * 255.0).round().clamp(0.0, 255.0);
                image.pixels_mut().for_each(|p| p.0 = p.0.map(|v| level(v) as u8));
                *range = (low, high);
            }
            Layer::Surface(s) => s.colors = Some((low, high)),
            _ => {}
        }
    }
    changed(call).map(drop)
}

/// The limits that pictures and surfaces have.
fn limits(call: &mut Call) -> Res<Value> {
    if !call.args.is_empty() {
        caxis(call)?;
    }
    let layers = &call.cx.figures.some().axes().layers;
    let (low, high) = layers.iter().fold((0.0, 1.0), |found, layer| match layer {
        Layer::Picture { range, .. } => *range,
        Layer::Surface(s) => s.range(),
        _ => found,
    });
    if !low.is_finite() || !high.is_finite() {
        return Err(
            Fault::new("Q0314", format!("'{}' of a picture without levels", call.name)).help("show one with numbers")
        );
    }
    Ok(Value::array(Tensor::scalars(vec![low, high], call.double())))
}

pub const TABLE: &[Builtin] = &[
    row!(
        "plot",
        "plot([x,]y[,style]…[,file][,property,value]…)",
        "lines through points, one for each column of a matrix; a style has a colour (rgbcmyk), - or --, a mark (o+*x.); properties are Color, LineWidth, LineStyle, Marker, MarkerSize, MarkerFaceColor, DisplayName and \"filled\"; written to file (.svg or .png; plot_NNN.svg by default); returns an object with its name",
        "print plot([0,1,4,9]).file",
        1..=255,
        Run::One(|c| plot(c, (false, false)))
    ).host_only(),
    row!(
        "semilogx",
        "semilogx([x,]y[,style]…[,file][,property,value]…)",
        "as plot, with a logarithmic x axis; points that are not positive are left out",
        "print semilogx([1,10,100],[1,4,9]).file",
        1..=255,
        Run::One(|c| plot(c, (true, false)))
    ).host_only(),
    row!(
        "semilogy",
        "semilogy([x,]y[,style]…[,file][,property,value]…)",
        "as plot, with a logarithmic y axis; points that are not positive are left out",
        "print semilogy([1,10,100],[1,4,9]).file",
        1..=255,
        Run::One(|c| plot(c, (false, true)))
    ).host_only(),
    row!(
        "loglog",
        "loglog([x,]y[,style]…[,file][,property,value]…)",
        "as plot, with both axes logarithmic; points that are not positive are left out",
        "print loglog([1,10,100],[1,4,9]).file",
        1..=255,
        Run::One(|c| plot(c, (true, true)))
    ).host_only(),
    row!(
        "scatter",
        "scatter(x,y[,area][,style][,property,value]…)",
        "a mark at each point, of an area in square pixels; in place of a style colours, one number or row for each; properties as for plot",
        "scatter([1,2,3],[4,1,3],\"r+\")",
        2..=255,
        Run::One(scatter)
    ).host_only(),
    row!("bar", "bar([x,]y[,style][,property,value]…)", "a bar for each number", "bar([3,1,2])", 1..=255, Run::One(|c| bar(c, false)))
        .host_only(),
    row!(
        "stem",
        "stem([x,]y[,style][,property,value]…)",
        "a line from 0 to each point, with a mark; properties as for plot",
        "stem([3,1,2], \"filled\")",
        1..=255,
        Run::One(stem)
    ).host_only(),
    row!(
        "barh",
        "barh([x,]y[,style][,property,value]…)",
        "a bar for each number, lying: x says at which height",
        "barh([3,1,2])",
        1..=255,
        Run::One(|c| bar(c, true))
    )
    .host_only(),
    row!(
        "fill",
        "fill(x,y[,colour][,property,value]…)",
        "a coloured polygon with these corners, one for each column of y",
        "fill([0,1,1],[0,0,1],\"r\")",
        2..=255,
        Run::One(fill)
    )
    .host_only(),
    row!(
        "patch",
        "patch(x,y[,colour][,property,value]…)",
        "as fill",
        "patch([0,1,1],[0,0,1],\"g\")",
        2..=255,
        Run::One(fill)
    )
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
    row!("text", "text(x,y,s[,property,value]…)", "writes s at a point of the axes", "plot([0,1]); text(0.5,0.5,\"here\")", 3..=23, Run::Effect(text))
        .host_only(),
    row!(
        "caxis",
        "caxis([low,high]), caxis()",
        "what the first and last colour of gray pictures and surfaces stand for; the limits",
        "imshow([[0,1],[2,3]],[]); caxis([0,6])",
        0..=1,
        Run::One(limits)
    )
    .host_only(),
    row!(
        "clim",
        "clim([low,high]), clim()",
        "the same as caxis",
        "imshow([[0,1],[2,3]],[]); clim([0,6])",
        0..=1,
        Run::One(limits)
    )
    .host_only(),
];
