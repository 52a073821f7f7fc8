//! Figures and what stands around curves and pictures: titles, labels, limits, grids of axes, colours. Nothing of it needs a figure:
//! what there is not is begun.

use super::{Builtin, Call, Run, row, tiles};
use crate::cx::Cx;
use crate::display;
use crate::fault::{Fault, Res, fault};
use crate::value::{Instance, Value};
use ::image::ImageFormat;
use quadra_figure::axes::{Axes, Proportion};
use quadra_figure::colors::ColorMap;
use quadra_figure::files;
use std::rc::Rc;

/// What stands for a picture in a program.
pub(super) fn object(path: &str) -> Value {
    Value::Object(Rc::new(Instance::new(None, vec![("file".into(), Value::str(path))])))
}

/// Keeps a picture of a name without a directory of the program's; gives the name of its file.
pub(super) fn keep(cx: &mut Cx, who: &str, name: &str, caption: &str, bytes: &[u8]) -> Res<String> {
    let failed = |e: std::io::Error| {
        Fault::new("Q0414", format!("{who}: cannot write '{name}': {e}")).help("use a file in a place you own")
    };
    match &mut cx.gallery {
        Some(gallery) => gallery.take(name, caption, bytes).map_err(failed),
        None => cx.write_file(name, who, bytes, failed).map(|()| name.to_string()),
    }
}

/// Writes the figure after a change, if there is something to see; gives the name of its file.
pub(super) fn changed(call: &mut Call) -> Res<String> {
    let figure = call.cx.figures.some();
    let (file, caption) = (figure.file.clone(), figure.caption());
    if !figure.is_drawn() {
        return Ok(file);
    }
    let bytes = match file.ends_with(".svg") {
        true => figure.svg().into_bytes(),
        false => files::encode(&figure.image(), ImageFormat::Png)
            .map_err(|e| Fault::new("Q0414", format!("{}: cannot write '{file}': {e}", call.name)))?,
    };
    keep(call.cx, call.name, &file, &caption, &bytes)
}

/// Shows the figure on a terminal, or says where it was written.
pub(super) fn shown(call: &mut Call, path: &str) -> Res<()> {
    let image = match call.cx.terminal {
        true => Some(call.cx.figures.some().image()),
        false => None,
    };
    super::image::announce(call, image.as_ref(), path)
}

/// Changes the axes that functions work on.
fn change(call: &mut Call, set: impl FnOnce(&mut Axes)) -> Res<()> {
    set(call.cx.figures.some().axes());
    changed(call).map(drop)
}

fn title(call: &mut Call) -> Res<()> {
    let text = display::value(&call.args[0]);
    change(call, |a| a.title = text)
}

fn label(call: &mut Call, axis: usize) -> Res<()> {
    let text = display::value(&call.args[0]);
    change(call, |a| a.labels[axis] = text)
}

/// Words with which properties begin that a legend has in MATLAB; files show none of them.
const OF_LEGENDS: [&str; 6] = ["location", "orientation", "fontsize", "interpreter", "box", "numcolumns"];

/// `legend(name,…)`; without names the curves keep those that they were drawn with.
fn legend(call: &mut Call) -> Res<()> {
    if call.args.is_empty() {
        return changed(call).map(drop);
    }
    let begins = |v: &Value| v.as_text().is_some_and(|s| OF_LEGENDS.contains(&&*s.to_ascii_lowercase()));
    let listed = |v: &Value| match v {
        Value::Array(t) if t.is_cell() => (0..t.len()).filter_map(|i| t.get(i)).map(|v| display::value(&v)).collect(),
        v => vec![display::value(v)],
    };
    let names: Vec<String> = call.args.iter().take_while(|v| !begins(v)).flat_map(listed).collect();
    if names.is_empty() {
        return changed(call).map(drop);
    }
    change(call, |a| a.names = names)
}

/// `hold("on")`: what comes next is added to the axes; `hold("off")`: it replaces what is there. The value says whether a window stays
/// open in which somebody sees the figure: none does, so loops that draw until their window is closed end.
fn hold(call: &mut Call) -> Res<Value> {
    let before = call.cx.figures.some().axes().held;
    let held = switch(call, before)?;
    call.cx.figures.some().axes().held = held;
    Ok(Value::Int(0))
}

/// `"on"`, `"off"` or a number; the other state without an argument.
fn switch(call: &Call, before: bool) -> Res<bool> {
    match call.args.first() {
        None => Ok(!before),
        Some(Value::Str(s)) if matches!(&***s, "on" | "off" | "all" | "minor") => Ok(&***s != "off"),
        Some(v) => Ok(v.as_f64().ok_or_else(|| call.wrong(0, "\"on\" or \"off\""))? != 0.0),
    }
}

fn grid(call: &mut Call) -> Res<()> {
    let before = call.cx.figures.some().axes().grid;
    let on = switch(call, before)?;
    change(call, |a| a.grid = on)
}

/// `figure()`: a new figure; `figure(n)`: the one of this number. Its number. Properties such as a name or a position are those of
/// windows.
fn figure(call: &mut Call) -> Res<Value> {
    let number = match call.args.first() {
        Some(Value::Str(_)) => None,
        Some(_) => match u32::try_from(call.integer(0)?) {
            Ok(n) => Some(n),
            Err(_) => return Err(call.wrong(0, "a number from 0")),
        },
        None => None,
    };
    Ok(Value::Int(call.cx.figures.open(number) as i32))
}

fn close(call: &mut Call) -> Res<()> {
    let all = match call.args.first() {
        Some(Value::Str(s)) if &***s == "all" => true,
        Some(_) => {
            let number = call.integer(0)?;
            call.cx.figures.open(u32::try_from(number).ok());
            false
        }
        None => false,
    };
    call.cx.figures.close(all);
    Ok(())
}

/// The pair of limits in argument `i`, from number `at` on.
fn pair(call: &Call, list: &[f64], at: usize) -> Res<Option<(f64, f64)>> {
    match list.get(at..at + 2) {
        Some([low, high]) if low < high => Ok(Some((*low, *high))),
        _ => Err(call.wrong(0, "limits, the lower one first")),
    }
}

fn limit(call: &mut Call, axis: usize) -> Res<()> {
    let limits = pair(call, &call.list(0)?, 0)?;
    change(call, |a| a.limits[axis] = limits)
}

/// `xticks(v)`, `yticks(v)`.
fn ticks(call: &mut Call, axis: usize) -> Res<()> {
    let mut places = call.list(0)?;
    places.retain(|x| x.is_finite());
    change(call, |a| a.marks[axis] = Some(places))
}

/// `xticklabels(names)`, `yticklabels(names)`: a cell of texts, or numbers.
fn tick_labels(call: &mut Call, axis: usize) -> Res<()> {
    let names = match &call.args[0] {
        Value::Array(t) => (0..t.len()).map(|k| display::value(&t.get(k).unwrap_or_default())).collect(),
        v => vec![display::value(v)],
    };
    change(call, |a| a.mark_names[axis] = Some(names))
}

/// What draws, and something to hand on that stands for it: fields can be stored in it.
fn with_handle(call: &mut Call, draw: fn(&mut Call) -> Res<()>) -> Res<Value> {
    draw(call)?;
    let object = |fields| Value::Object(Rc::new(Instance::new(None, fields)));
    let kind = ("kind".into(), Value::str(call.name));
    Ok(object(vec![kind, ("Label".into(), object(Vec::new()))]))
}

/// `axis([x0,x1,y0,y1])`, `axis("equal")`, several words one after another.
fn axis(call: &mut Call) -> Res<()> {
    for k in 0..call.args.len() {
        if let Value::Str(word) = call.args[k].clone() {
            axis_word(call, k, &word)?;
            continue;
        }
        let list = call.list(k)?;
        let limits = [pair(call, &list, 0)?, pair(call, &list, 2)?];
        change(call, |a| a.limits = limits)?;
    }
    Ok(())
}

/// What one word says of the axes.
fn axis_word(call: &mut Call, k: usize, word: &str) -> Res<()> {
    match word {
        // Limits of the data have no margin.
        "auto" | "tight" => change(call, |a| a.limits = [None, None]),
        "equal" => change(call, |a| a.proportion = Proportion::Equal),
        "image" => change(call, |a| a.proportion = Proportion::Tight),
        "square" => change(call, |a| a.proportion = Proportion::Square),
        "normal" | "fill" => change(call, |a| a.proportion = Proportion::Free),
        "on" | "off" => change(call, |a| a.framed = Some(word == "on")),
        "ij" | "xy" => change(call, |a| a.downwards = Some(word == "ij")),
        // Surfaces keep their proportions from wherever they are seen.
        "vis3d" => Ok(()),
        _ => {
            Err(call
                .wrong(k, "[x0,x1,y0,y1], \"auto\", \"tight\", \"equal\", \"image\", \"square\", \"off\" or \"xy\""))
        }
    }
}

/// `colormap(name)`, `colormap(m)` with a row of red, green and blue from 0 to 1 for each colour, `colormap(f)` with what gives them.
fn colormap(call: &mut Call) -> Res<()> {
    if matches!(call.args[0], Value::Function(_)) {
        let f = call.args[0].clone();
        let colors = call.cx.call(&f, Vec::new(), 1)?;
        return colormap(&mut call.with(&colors));
    }
    let map = match &call.args[0] {
        Value::Str(name) => ColorMap::named(name),
        _ => {
            let list = call.list(0)?;
            let byte = |x: &f64| (x * 255.0).round().clamp(0.0, 255.0) as u8;
            ColorMap::of(list.chunks_exact(3).map(|c| [byte(&c[0]), byte(&c[1]), byte(&c[2])]).collect())
        }
    };
    let Some(map) = map else {
        fault!("Q0314", "colormap: there is no such map"; format!("maps are {}, or a matrix of three columns", ColorMap::names()));
    };
    call.cx.figures.colors = Some(map.clone());
    change(call, |a| a.colors = Some(map))
}

/// `view(around, above)` in degrees, also as one vector; `view(2)` is from above and `view(3)` from the usual place.
fn view(call: &mut Call) -> Res<()> {
    let angles: Vec<f64> = match call.args.len() {
        1 => call.list(0)?,
        _ => vec![call.number(0)?, call.number(1)?],
    };
    let from = match angles[..] {
        [2.0] => Some((0.0, 90.0)),
        [3.0] => None,
        [around, above] if around.is_finite() && above.is_finite() => Some((around, above)),
        _ => return Err(call.wrong(0, "two angles in degrees, 2 or 3")),
    };
    change(call, |a| a.view = from)
}

fn colorbar(call: &mut Call) -> Res<()> {
    change(call, |a| a.colorbar = true)
}

/// `saveas([figure,]file)`.
fn saveas(call: &mut Call) -> Res<()> {
    // The third argument is a form, as MATLAB's users write it: drawings are .svg.
    let at = if call.args.len() == 3 { 1 } else { call.args.len() - 1 };
    let mut file = call.text(at)?.to_string();
    if let Some(Value::Str(form)) = call.args.get(2) {
        let ending = if matches!(&***form, "png" | "jpg" | "jpeg" | "tif" | "tiff" | "bmp") { form } else { "svg" };
        if std::path::Path::new(&file).extension().is_none_or(|e| e != ending) {
            file = format!("{file}.{ending}");
        }
    }
    if at == 1 && !matches!(call.args[0], Value::Object(_)) {
        let number = u32::try_from(call.integer(0)?).ok();
        call.cx.figures.open(number);
    }
    if !file.ends_with(".svg") {
        let image = call.cx.figures.some().image();
        return super::image::save(call.cx, &image, &file, call.name);
    }
    let text = call.cx.figures.some().svg();
    call.cx.write_file(&file, call.name, text.as_bytes(), |e| {
        Fault::new("Q0414", format!("saveas: cannot write '{file}': {e}")).help("use a file in a place you own")
    })
}

pub const TABLE: &[Builtin] = &[
    row!(
        "title",
        "title(text[,property,value]…)",
        "puts a title over the axes; a picture with a title is also written as .svg",
        "plot([0,1,4]); title(\"squares\")",
        1..=21,
        Run::One(|c| with_handle(c, title))
    ).host_only(),
    row!(
        "xlabel",
        "xlabel(text[,property,value]…)",
        "what stands at the x axis",
        "plot([0,1,4]); xlabel(\"seconds\")",
        1..=21,
        Run::One(|c| with_handle(c, |c| label(c, 0)))
    ).host_only(),
    row!(
        "ylabel",
        "ylabel(text[,property,value]…)",
        "what stands at the y axis",
        "plot([0,1,4]); ylabel(\"seconds\")",
        1..=21,
        Run::One(|c| with_handle(c, |c| label(c, 1)))
    ).host_only(),
    row!(
        "zlabel",
        "zlabel(text[,property,value]…)",
        "what stands at the z axis of a surface",
        "surf([[0,1],[1,2]]); zlabel(\"height\")",
        1..=21,
        Run::One(|c| with_handle(c, |c| label(c, 2)))
    ).host_only(),
    row!(
        "legend",
        "legend(name,…)",
        "names the curves",
        "plot([0,1,4]); legend(\"squares\")",
        0..=40,
        Run::One(|c| with_handle(c, legend))
    ).host_only(),
    row!(
        "hold",
        "hold(\"on\"), hold(\"off\")",
        "whether what comes next is added to the axes, curves on pictures, too; the value is 0, as no window stays open",
        "plot([0,1,4]); hold(\"on\"); plot([0,1,8])",
        0..=1,
        Run::One(hold)
    ).host_only(),
    row!("grid", "grid(\"on\"), grid(\"off\")", "lines at the marks of the axes", "plot([0,1,4]); grid(\"on\")", 0..=1, Run::Effect(grid))
        .host_only(),
    row!(
        "figure",
        "figure([n][,property,value]…)",
        "a new figure, or the one of this number; what is drawn goes there; its number",
        "figure(); plot([0,1,4])",
        0..=40,
        Run::One(figure)
    ).host_only(),
    row!("xticks", "xticks(v)", "where the marks of the x axis are", "plot([0,1,4]); xticks([0,2])", 1..=1, Run::Effect(|c| ticks(c, 0)))
        .host_only(),
    row!("yticks", "yticks(v)", "where the marks of the y axis are", "plot([0,1,4]); yticks([0,4])", 1..=1, Run::Effect(|c| ticks(c, 1)))
        .host_only(),
    row!(
        "xticklabels",
        "xticklabels(names)",
        "what stands at the marks of the x axis, in their order: a cell of texts or numbers",
        "plot([0,1,4]); xticks([0,2]); xticklabels({\"first\",\"last\"})",
        1..=1,
        Run::Effect(|c| tick_labels(c, 0))
    )
    .host_only(),
    row!(
        "yticklabels",
        "yticklabels(names)",
        "what stands at the marks of the y axis, in their order: a cell of texts or numbers",
        "plot([0,1,4]); yticks([0,4]); yticklabels({\"low\",\"high\"})",
        1..=1,
        Run::Effect(|c| tick_labels(c, 1))
    )
    .host_only(),
    row!(
        "close",
        "close([n]), close(\"all\")",
        "closes a figure; its file stays",
        "plot([0,1,4]); close(\"all\")",
        0..=1,
        Run::Effect(close)
    ).host_only(),
    row!(
        "subplot",
        "subplot(rows,columns,k)",
        "axes number k, counted row by row from 0, of a grid in one figure, or axes that take all cells of a vector k; in the short form subplot(212) the last digit counts from 1",
        "subplot(1,2,0); plot([0,1,4]); subplot(1,2,1); bar([3,1,2])",
        1..=21,
        Run::One(|c| with_handle(c, tiles::subplot))
    ).host_only(),
    row!(
        "tiledlayout",
        "tiledlayout(rows,columns), tiledlayout(\"flow\")",
        "begins a grid of axes that nexttile goes through; \"flow\": one that grows with them",
        "tiledlayout(1,2); nexttile; plot([0,1,4]); nexttile; bar([3,1,2])",
        1..=20,
        Run::One(|c| with_handle(c, tiles::tiled))
    )
    .host_only(),
    row!(
        "nexttile",
        "nexttile(), nexttile([rows,columns]), nexttile(k)",
        "the next free axes of the grid, some that take several rows and columns, or axes number k from 0",
        "tiledlayout(2,2); nexttile([1,2]); plot([0,1,4]); nexttile; bar([3,1,2])",
        0..=1,
        Run::One(|c| with_handle(c, tiles::next_tile))
    )
    .host_only(),
    row!(
        "yyaxis",
        "yyaxis(\"right\"), yyaxis(\"left\")",
        "what is drawn from now on has its heights at the right edge of the axes, or at the left; x is the same for both",
        "plot([0,1,4]); yyaxis(\"right\"); plot([90,20,50]); ylabel(\"metres\")",
        1..=1,
        Run::One(|c| with_handle(c, tiles::side))
    )
    .host_only(),
    row!("xlim", "xlim([low,high])", "limits of the x axis", "plot([0,1,4]); xlim([0,1])", 1..=1, Run::Effect(|c| limit(c, 0)))
        .host_only(),
    row!("ylim", "ylim([low,high])", "limits of the y axis", "plot([0,1,4]); ylim([0,5])", 1..=1, Run::Effect(|c| limit(c, 1)))
        .host_only(),
    row!(
        "axis",
        "axis([x0,x1,y0,y1]), axis(\"equal\")",
        "limits of both axes; \"equal\" makes a unit as long on both, \"image\" also fits the frame, \"square\" makes it one, \"normal\" ends that; \"auto\" and \"tight\" are the limits of the data; \"off\" hides frame and marks; \"ij\" lets y grow downwards, \"xy\" upwards",
        "plot([0,1,4]); axis([0,2,0,5]); axis(\"square\")",
        1..=4,
        Run::Effect(axis)
    ).host_only(),
    row!(
        "colormap",
        "colormap(name), colormap(f), colormap(m)",
        "the colours of gray pictures and surfaces: gray, hot, cool, bone, jet, hsv, viridis, or a matrix with a row of three numbers from 0 to 1 for each",
        "imshow([[0,1],[2,3]],[]); colormap(\"jet\")",
        1..=1,
        Run::Effect(colormap)
    ).host_only(),
    row!(
        "view",
        "view(around,above), view(2), view(3)",
        "from where surfaces are seen, in degrees; view(2) is from above, view(3) from the usual place",
        "surf([[0,1],[1,2]]); view(45,30)",
        1..=2,
        Run::Effect(view)
    )
    .host_only(),
    row!(
        "colorbar",
        "colorbar()",
        "a bar that says what the colours of a picture or surface stand for",
        "imshow([[0,1],[2,3]],[]); colorbar()",
        0..=20,
        Run::One(|c| with_handle(c, colorbar))
    ).host_only(),
    row!(
        "saveas",
        "saveas([figure,]file), saveas(figure,file,form)",
        "writes the figure to a file, .svg or a format of imwrite",
        "plot([0,1,4]); saveas(\"squares.png\")",
        1..=3,
        Run::Effect(saveas)
    ).host_only(),
];
