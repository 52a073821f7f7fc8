//! `quadra run --profile --html`: the profile of a Quasar program as a page.

use crate::page::{Page, Point, Roof, Source, Table, time};
use crate::quasar_profile;
use quadra_base::{Diagnostic, FileId, Span};
use quadra_device::roofline::Roofline;
use quadra_quasar::library;
use quadra_quasar::profile::{Profile, Record};
use quadra_quasar::session::{Options, Session};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

const HEAT: &str = "Red: where the time went. The launches of a loop or kernel and their compilation count at its first line, a \
    built-in function where it is called; what the host interprets itself counts nowhere.";

/// Writes the page: the whole of it or nothing. The program has this name and text, and is checked again for the verdicts.
///
/// # Errors
/// The file cannot be written.
pub fn write(file: &Path, profile: &Profile, (name, text): (&Path, &str), options: Options) -> Result<(), Diagnostic> {
    let name = name.to_string_lossy();
    let roof = quasar_profile::roofline(profile);
    let page = Page {
        title: format!("Profile of {name}"),
        facts: facts(profile, roof.as_ref()),
        trace: quasar_profile::trace_events(profile),
        clock: "As the host measured it; on emulated QPUs that is the emulator's own time.",
        roof: roof.map(|roof| plot(profile, roof)),
        sources: sources(profile, &name, text, options),
        heat: HEAT,
        tables: tables(profile, roof.as_ref()),
    };
    quadra_base::file::write(file, page.html())
        .map_err(|e| Diagnostic::error("Q0412", format!("cannot write '{}': {e}", file.display())))
}

fn facts(profile: &Profile, roof: Option<&Roofline>) -> Vec<(String, String)> {
    let sum = |of: fn(&Record) -> f64| profile.records.iter().map(of).sum::<f64>();
    let launches: u64 = profile.records.iter().map(|r| r.launches).sum();
    let mut facts = vec![
        ("all of it".to_string(), time(profile.elapsed())),
        (format!("{launches} launches"), time(sum(|r| r.seconds))),
        ("compilation".into(), time(sum(|r| r.compile_seconds))),
    ];
    let modelled = sum(|r| r.modelled_seconds.unwrap_or(0.0));
    if modelled > 0.0 {
        facts.push(("on a Raspberry Pi 1, modelled".into(), time(modelled)));
    }
    let (to, back) = profile.copied();
    if to + back > 0 {
        let mega = |n: u64| format!("{:.3} MB", n as f64 / 1e6);
        facts.push(("copied to devices, and back".into(), format!("{}, {}", mega(to), mega(back))));
    }
    if let Some(roof) = roof {
        facts.push(("this processor at most".into(), format!("{:.1} GFLOP/s, {:.1} GB/s", roof.gflops, roof.gbytes)));
    }
    facts
}

fn plot(profile: &Profile, roof: Roofline) -> Roof {
    let point = |r: &Record| {
        let line = r.span.map_or(String::new(), |s| format!(" {}", s.line));
        Point { name: format!("{}{line}", r.name), flops: r.flops.unwrap_or(0.0), bytes: r.bytes, seconds: r.seconds }
    };
    Roof {
        flops: roof.gflops * 1e9,
        bytes: roof.gbytes * 1e9,
        points: profile.records.iter().filter(|r| quasar_profile::compiled_here(r)).map(point).collect(),
        about: "Kernels that ran as code of this processor, under what it can do at most, measured with compiled kernels. Operations \
                are counted on some items of the first launch; of the bytes, every array counts once, and twice if it is changed."
            .into(),
    }
}

/// The program and the files that it imports, as far as time was spent there or loops stand in them.
fn sources(profile: &Profile, name: &str, text: &str, options: Options) -> Vec<Source> {
    let main = FileId::of_text(name, text);
    let verdicts = Session::new(options, Box::new(std::io::sink())).check(name, text).1;
    let mut all: BTreeMap<FileId, Source> = BTreeMap::new();
    let mut of = |file: FileId| {
        all.entry(file).or_insert_with(|| {
            let text =
                if file == main { text.to_string() } else { file.text().map_or(String::new(), |t| t.to_string()) };
            let (seconds, verdicts) = (BTreeMap::new(), BTreeMap::new());
            Source { name: file.name().to_string(), text, seconds, verdicts }
        });
    };
    let records = profile.records.iter().map(|r| (r.span, r.seconds + r.compile_seconds));
    let spent: Vec<(Span, f64)> = records
        .chain(profile.functions.iter().map(|f| (f.span, f.seconds)))
        .filter_map(|(span, seconds)| Some((span?, seconds)))
        .filter(|(span, _)| !library::holds(span.file))
        .collect();
    of(main);
    for file in spent.iter().map(|s| s.0.file).chain(verdicts.iter().map(|v| v.span.file)) {
        of(file);
    }
    for (span, seconds) in spent {
        if let Some(source) = all.get_mut(&span.file) {
            *source.seconds.entry(span.line).or_insert(0.0) += seconds;
        }
    }
    for verdict in verdicts {
        if let Some(source) = all.get_mut(&verdict.span.file) {
            let parallel = verdict.text.starts_with("parallel");
            source.verdicts.entry(verdict.span.line).or_default().push((parallel, verdict.text));
        }
    }
    // The program itself comes first.
    let first = all.remove(&main);
    first.into_iter().chain(all.into_values()).collect()
}

/// What `--json` has, as tables.
fn tables(profile: &Profile, roof: Option<&Roofline>) -> Vec<Table> {
    let all = quasar_profile::json(profile, roof);
    let text = |v: &Value| match v {
        Value::Null => "-".to_string(),
        Value::String(s) => s.clone(),
        other => other.to_string(),
    };
    let seconds = |v: &Value| v.as_f64().map_or("-".to_string(), time);
    let giga = |v: &Value| v.as_f64().map_or("-".to_string(), |n| format!("{:.3}", n / 1e9));
    let percent = |v: &Value| v.as_f64().map_or("-".to_string(), |n| format!("{:.0} %", 100.0 * n));
    let rows = |list: &Value, row: &dyn Fn(&Value) -> Vec<String>| {
        list.as_array().into_iter().flatten().map(row).collect::<Vec<_>>()
    };
    let place = |v: &Value, name: &str| {
        let place = v["place"].as_str().map_or(String::new(), |p| format!(" {p}"));
        format!("{}{place}", text(&v[name]))
    };
    let kernel = |k: &Value| {
        vec![
            place(k, "kernel"),
            text(&k["device"]),
            text(&k["launches"]),
            seconds(&k["seconds"]),
            giga(&k["bytes"]),
            giga(&k["flops"]),
            percent(&k["roofline_share"]),
            format!("{} in {}", text(&k["compiled"]), seconds(&k["compile_seconds"])),
            seconds(&k["modelled_seconds"]),
            text(&k["bound_unit"]),
        ]
    };
    let call = |f: &Value| vec![place(f, "function"), text(&f["calls"]), seconds(&f["seconds"])];
    let head = |names: &[&str]| names.iter().map(|n| n.to_string()).collect();
    vec![
        Table {
            title: "Kernels and parallel loops".into(),
            head: head(&[
                "kernel",
                "device",
                "launches",
                "time",
                "GB",
                "GFLOP",
                "of the roof",
                "compiled",
                "on a Pi",
                "limited by",
            ]),
            rows: rows(&all["kernels"], &kernel),
        },
        Table {
            title: "Built-in functions".into(),
            head: head(&["function", "calls", "time"]),
            rows: rows(&all["functions"], &call),
        },
    ]
}
