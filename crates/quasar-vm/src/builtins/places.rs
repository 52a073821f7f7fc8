//! Files of a directory, and the name of the program.

use super::{Builtin, Call, Run, row};
use crate::fault::Res;
use crate::tensor::{Data, Tensor};
use crate::value::{Instance, Value};
use quadra_quasar_hir::meaning::Gives;
use std::path::Path;
use std::rc::Rc;

/// Whether a name fits a pattern in which `*` stands for any letters and `?` for one.
pub fn fits(pattern: &[char], name: &[char]) -> bool {
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
];
