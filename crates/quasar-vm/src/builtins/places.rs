//! Files of a directory, the name of the program, and what the colours of pictures stand for.

use super::{Builtin, Call, Run, row};
use crate::fault::{Fault, Res, fault};
use crate::tensor::{Data, Tensor};
use crate::value::{Instance, Value};
use quadra_figure::axes::Layer;
use quadra_quasar_hir::meaning::Gives;
use std::path::Path;
use std::rc::Rc;

/// Whether a name fits a pattern in which `*` stands for any letters and `?` for one.
fn fits(pattern: &[char], name: &[char]) -> bool {
    // Where the last star stands, and how many letters it takes.
    let (mut p, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(c) if *c == '?' || *c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => {
                let Some((at, taken)) = star else { return false };
                star = Some((at, taken + 1));
                (p, n) = (at + 1, taken + 1);
            }
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

/// `dir([place])`: files and directories as objects, by name; the last part of the place may be a pattern.
fn dir(call: &mut Call) -> Res<Value> {
    let place = if call.args.is_empty() { ".".to_string() } else { call.text(0)?.to_string() };
    let whole = Path::new(&place);
    let last = whole.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let inside = !last.contains(['*', '?']) && call.cx.readable(&place, call.name)?.is_dir();
    let (folder, pattern) = match inside {
        true => (place.clone(), "*".to_string()),
        false => (whole.parent().map(|p| p.to_string_lossy().into_owned()).unwrap_or_default(), last),
    };
    let folder = if folder.is_empty() { ".".to_string() } else { folder };
    let pattern: Vec<char> = pattern.chars().collect();
    // What is not there has no files.
    let entries = std::fs::read_dir(call.cx.readable(&folder, call.name)?).into_iter().flatten().flatten();
    let mut found: Vec<(String, u64, bool)> = entries
        .filter_map(|e| {
            let (name, about) = (e.file_name().into_string().ok()?, std::fs::metadata(e.path()).ok()?);
            let shown = fits(&pattern, &name.chars().collect::<Vec<_>>());
            shown.then(|| (name, if about.is_dir() { 0 } else { about.len() }, about.is_dir()))
        })
        .collect();
    found.sort();
    let double = call.double();
    let entry = |(name, bytes, is_dir): (String, u64, bool)| {
        let fields = vec![
            ("name".into(), Value::str(&name)),
            ("folder".into(), Value::str(&folder)),
            ("bytes".into(), i32::try_from(bytes).map_or(Value::scalar(bytes as f64, double), Value::Int)),
            ("isdir".into(), Value::bool(is_dir)),
        ];
        Value::Object(Rc::new(Instance::new(None, fields)))
    };
    Ok(Value::array(Tensor::vector(Data::Cell(found.into_iter().map(entry).collect()))))
}

/// `mfilename(["fullpath"])`: the file that the call stands in, without the ending of its name.
fn mfilename(call: &mut Call) -> Res<Value> {
    let name = call.site.as_ref().map(|s| s.code.spans[s.pc].file.name().to_string()).unwrap_or_default();
    let path = Path::new(&name);
    let plain = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let directory = path.parent().map(|p| p.to_string_lossy().into_owned()).unwrap_or_default();
    let joined = |a: &str, b: &str| if a.is_empty() { b.to_string() } else { format!("{a}/{b}") };
    match call.args.first().map(|_| call.text(0)).transpose()? {
        None => Ok(Value::str(&plain)),
        Some("fullpath") => Ok(Value::str(&joined(&directory, &plain))),
        Some("fullpathext") => Ok(Value::str(&name)),
        Some(_) => Err(call.wrong(0, "\"fullpath\" or \"fullpathext\"")),
    }
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
    super::frame::changed(call).map(drop)
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
        "dir",
        "dir([place])",
        "files and directories of a place as objects with name, folder, bytes and isdir; * and ? stand for letters of names",
        "fclose(fopen(\"a.txt\",\"w\")); print dir(\"*.txt\")[0].name",
        0..=1,
        Run::One(dir)
    )
    .host_only(),
    row!(
        "mfilename",
        "mfilename([\"fullpath\"])",
        "the name of the program's file without its ending; with \"fullpath\" where it lies, too",
        "print mfilename()",
        0..=1,
        Run::One(mfilename)
    )
    .gives(Gives::Text)
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

#[cfg(test)]
mod tests {
    #[test]
    fn patterns_of_names() {
        let fits = |p: &str, n: &str| super::fits(&p.chars().collect::<Vec<_>>(), &n.chars().collect::<Vec<_>>());
        for (pattern, name) in
            [("*", "a"), ("*.png", "a.png"), ("a?c*", "abcd"), ("*a*b", "xaxbxb"), ("", ""), ("a*", "a")]
        {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("*.png", "a.pnh"), ("?", ""), ("a", "ab"), ("*a*b", "xbxa")] {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }
}
