//! `quadra run --profile` and `--trace`: what the kernels of a run cost, as a table, as JSON, and as a trace.

use crate::page::time;
use quadra_device::roofline::Roofline;
use quadra_quasar::profile::{Called, Profile, Record};
use serde_json::{Value, json};
use std::fmt::Write;
use std::time::Duration;

/// The device as users name it.
fn device(r: &Record) -> &'static str {
    if r.device == "emu" { "qpu" } else { r.device }
}

/// Whether these launches ran as code of this processor.
pub fn compiled_here(r: &Record) -> bool {
    r.device == "cpu"
}

/// Share of what the processor could do at most, for kernels that it compiled.
fn share(r: &Record, roof: Option<&Roofline>) -> Option<f64> {
    let roof = roof.filter(|_| compiled_here(r) && r.seconds > 0.0)?;
    Some(roof.seconds(r.flops.unwrap_or_default(), r.bytes) / r.seconds)
}

/// The limits, if a kernel ran on the processor's own code.
pub fn roofline(profile: &Profile) -> Option<Roofline> {
    profile.records.iter().any(|r| compiled_here(r) && r.launches > 0).then(Roofline::get).flatten()
}

/// Kernels by the time they took, the longest first.
fn sorted(profile: &Profile) -> Vec<&Record> {
    let mut records: Vec<&Record> = profile.records.iter().collect();
    records.sort_by(|a, b| (b.seconds + b.compile_seconds).total_cmp(&(a.seconds + a.compile_seconds)));
    records
}

/// A table, with a line on what its columns mean.
pub fn table(profile: &Profile, roof: Option<&Roofline>) -> String {
    let mut out = String::new();
    if profile.records.is_empty() {
        out += "no kernel or parallel loop ran on a device: `--device cpu` makes all of them, `--device auto` those that \
                are large enough\n";
        out += &functions(profile);
        return out;
    }
    let head =
        ["kernel", "device", "launches", "total", "mean", "GB", "GB/s", "GFLOP/s", "roof", "compiled", "from disk"];
    let mut rows = vec![head.map(String::from).to_vec()];
    for r in sorted(profile) {
        let dash = |v: Option<String>| v.unwrap_or_else(|| "-".into());
        // Rates of the chip are modelled: the emulator's own speed tells nothing.
        let seconds = r.modelled_seconds.unwrap_or(r.seconds);
        let rate = |amount: f64| (seconds > 0.0).then(|| format!("{:.2}", amount / seconds / 1e9));
        let place = r.span.map_or(String::new(), |s| format!(" {s}"));
        rows.push(vec![
            format!("{}{place}", r.name),
            device(r).into(),
            r.launches.to_string(),
            time(r.seconds),
            time(r.seconds / r.launches.max(1) as f64),
            format!("{:.3}", r.bytes / 1e9),
            dash(rate(r.bytes)),
            dash(r.flops.filter(|f| *f > 0.0).and_then(rate)),
            dash(share(r, roof).map(|s| format!("{:.0} %", 100.0 * s))),
            format!("{} in {}", r.compiled, time(r.compile_seconds)),
            r.disk_hits.to_string(),
        ]);
    }
    out += &columns(&rows, 2);
    out += &functions(profile);
    for r in sorted(profile) {
        let Some(modelled) = r.modelled_seconds else { continue };
        let place = r.span.map_or(String::new(), |s| format!(" {s}"));
        let _ =
            write!(out, "{}{place} on the chip: {} by the timing model of a Raspberry Pi 1", r.name, time(modelled));
        if let Some((bound, unit)) = r.bound {
            let _ = write!(out, ", at least {}: limited by {unit}", time(bound));
        }
        out += "\n";
    }
    let (to, back) = profile.copied();
    if to + back > 0 {
        let mega = |n: u64| n as f64 / 1e6;
        let _ =
            writeln!(out, "arrays copied to the device: {:.3} MB, back to the host: {:.3} MB", mega(to), mega(back));
    }
    if let Some(roof) = roof {
        let _ = writeln!(
            out,
            "roof: {:.1} GFLOP/s and {:.1} GB/s, measured with compiled kernels; GB: each array once, twice if it is changed;",
            roof.gflops, roof.gbytes
        );
        out += "operations are counted on some items of the first launch\n";
    }
    out
}

/// Rows below each other, the first `left` columns to the left.
fn columns(rows: &[Vec<String>], left: usize) -> String {
    let count = rows.first().map_or(0, Vec::len);
    let widths: Vec<usize> =
        (0..count).map(|c| rows.iter().map(|r| r[c].chars().count()).max().unwrap_or_default()).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate();
        let cells = cells.map(|(c, (text, w))| if c < left { format!("{text:w$}") } else { format!("{text:>w$}") });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_string() + "\n"
    };
    rows.iter().map(line).collect()
}

/// Functions that are listed at most.
const MOST_FUNCTIONS: usize = 20;

/// Calls of built-in functions by the time they took, the longest first.
fn by_time(profile: &Profile) -> Vec<&Called> {
    let mut functions: Vec<&Called> = profile.functions.iter().collect();
    functions.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    functions
}

/// Seconds that neither launches nor compilation nor built-in functions took: the program's own code on the host.
fn own_seconds(profile: &Profile) -> f64 {
    let launches: f64 = profile.records.iter().map(|r| r.seconds + r.compile_seconds).sum();
    let functions: f64 = profile.functions.iter().map(|f| f.seconds).sum();
    (profile.elapsed() - launches - functions).max(0.0)
}

/// The built-in functions and the program's own code on the host, with their shares of the whole time.
fn functions(profile: &Profile) -> String {
    let share = |seconds: f64| format!("{:.0} %", 100.0 * seconds / profile.elapsed().max(1e-9));
    let mut rows = vec![["function", "calls", "total", "mean", "share"].map(String::from).to_vec()];
    for f in by_time(profile).into_iter().take(MOST_FUNCTIONS) {
        let place = f.span.map_or(String::new(), |s| format!(" {s}"));
        let mean = time(f.seconds / f.calls.max(1) as f64);
        rows.push(vec![format!("{}{place}", f.name), f.calls.to_string(), time(f.seconds), mean, share(f.seconds)]);
    }
    let own = own_seconds(profile);
    rows.push(vec!["the program on the host".into(), String::new(), time(own), String::new(), share(own)]);
    let mut out = columns(&rows, 1);
    if let Some(more) = profile.functions.len().checked_sub(MOST_FUNCTIONS).filter(|n| *n > 0) {
        out += &format!("{more} more functions; --json lists all\n");
    }
    out
}

/// All figures, in seconds, bytes and operations.
pub fn json(profile: &Profile, roof: Option<&Roofline>) -> Value {
    let kernels: Vec<Value> = sorted(profile)
        .into_iter()
        .map(|r| {
            json!({
                "kernel": r.name, "place": r.span.map(|s| s.to_string()), "device": device(r), "launches": r.launches,
                "seconds": r.seconds, "items": r.items, "bytes": r.bytes, "flops": r.flops,
                "roofline_share": share(r, roof), "compiled": r.compiled, "compile_seconds": r.compile_seconds,
                "disk_hits": r.disk_hits, "modelled_seconds": r.modelled_seconds,
                "bound_seconds": r.bound.map(|b| b.0), "bound_unit": r.bound.map(|b| b.1),
            })
        })
        .collect();
    let functions: Vec<Value> = by_time(profile)
        .into_iter()
        .map(|f| {
            json!({"function": f.name, "place": f.span.map(|s| s.to_string()), "calls": f.calls, "seconds": f.seconds})
        })
        .collect();
    let roof = roof.map(|r| json!({"gflops": r.gflops, "gbytes": r.gbytes}));
    let (to, back) = profile.copied();
    json!({
        "seconds": profile.elapsed(), "roofline": roof, "bytes_to_device": to, "bytes_from_device": back, "kernels": kernels,
        "functions": functions, "host_seconds": own_seconds(profile),
    })
}

/// Times in which the host did nothing that is noted, at least a microsecond long: it ran the program's own code.
fn gaps(mut busy: Vec<(Duration, Duration)>) -> Vec<(Duration, Duration)> {
    busy.sort();
    let (mut gaps, mut end) = (Vec::new(), Duration::ZERO);
    for (start, length) in busy {
        if start > end + Duration::from_micros(1) {
            gaps.push((end, start - end));
        }
        end = end.max(start + length);
    }
    gaps
}

/// Launches, compilations, copies and what the host did over time, in Chrome's format: a row per device, and one each for the rest.
pub fn trace_events(profile: &Profile) -> Value {
    const ROWS: [&str; 3] = ["host", "compiler", "copies"];
    const MICRO: f64 = 1e6;
    let mut rows = ROWS.to_vec();
    let mut events = Vec::new();
    let micros = |d: Duration| d.as_secs_f64() * MICRO;
    let mut event = |name: &str, cat: &str, row: usize, (start, length): (Duration, Duration), args: Value| {
        events.push(json!({
            "ph": "X", "name": name, "cat": cat, "pid": 0, "tid": row, "ts": micros(start), "dur": micros(length), "args": args,
        }));
    };
    let mut busy = Vec::new();
    for e in &profile.events {
        let r = &profile.records[e.record];
        let (row, cat) = match rows.iter().position(|d| *d == device(r)) {
            _ if e.compile => (1, "compile"),
            Some(row) => (row, "launch"),
            None => {
                rows.push(device(r));
                (rows.len() - 1, "launch")
            }
        };
        let place = r.span.map(|s| s.to_string());
        event(&r.name, cat, row, (e.start, e.length), json!({"place": place, "device": device(r)}));
        busy.push((e.start, e.length));
    }
    for e in profile.host_events() {
        let place = e.span.map(|s| s.to_string());
        let (row, cat) = if e.bytes > 0 { (2, "copy") } else { (0, "host") };
        event(e.name, cat, row, (e.start, e.length), json!({"place": place, "bytes": e.bytes}));
        busy.push((e.start, e.length));
    }
    for gap in gaps(busy) {
        event("the program", "host", 0, gap, json!({}));
    }
    let names = rows
        .iter()
        .enumerate()
        .map(|(row, name)| json!({"ph": "M", "name": "thread_name", "pid": 0, "tid": row, "args": {"name": name}}));
    let all: Vec<Value> = names.chain(events).collect();
    json!({"traceEvents": all, "displayTimeUnit": "ns"})
}

/// The same as a file.
pub fn trace(profile: &Profile) -> String {
    trace_events(profile).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadra_base::{FileId, Span};
    use quadra_quasar::profile::Work;
    use std::time::Instant;

    fn profile() -> Profile {
        let mut p = Profile::default();
        let span = Span::new(FileId::of_name("heat.q"), 7, 1, 3);
        let a = p.record("for-loop", Some(span), "cpu");
        p.event(a, true, Instant::now());
        p.records[a].compiled = 1;
        p.records[a].flops = Some(2e6);
        p.launch(a, Instant::now(), None, Work { runs: 1, items: 1000, bytes: 8e6, ..Work::default() });
        p.records[a].seconds = 0.002;
        let b = p.record("shade", None, "emu");
        p.records[b].bound = Some((0.001, "TMU"));
        p.launch(
            b,
            Instant::now(),
            None,
            Work { runs: 1, items: 10, bytes: 80.0, modelled_seconds: Some(0.004), ..Work::default() },
        );
        p.records[b].seconds = 0.001;
        p.called("sort", Some(span), std::time::Duration::from_millis(3));
        p.called("sort", Some(span), std::time::Duration::from_millis(1));
        p
    }

    #[test]
    fn the_table_says_where_the_time_went() {
        let roof = Roofline { gflops: 10.0, gbytes: 8.0 };
        let text = table(&profile(), Some(&roof));
        let lines: Vec<&str> = text.lines().collect();
        let words = |n: usize| lines[n].split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words(1).starts_with("for-loop heat.q:7:1 cpu 1 2.00 ms 2.00 ms 0.008 4.00 1.00 50 % 1 in"), "{text}");
        assert!(words(2).starts_with("shade qpu 1 1.00 ms 1.00 ms 0.000 0.00 - - 0 in"), "{text}");
        let chip =
            "shade on the chip: 4.00 ms by the timing model of a Raspberry Pi 1, at least 1.00 ms: limited by TMU";
        assert!(lines.contains(&chip), "{text}");
        assert!(words(3).starts_with("function calls total mean share"), "{text}");
        assert!(words(4).starts_with("sort heat.q:7:1 2 4.00 ms 2.00 ms"), "{text}");
        assert!(words(5).starts_with("the program on the host"), "{text}");
        assert!(table(&Profile::default(), None).contains("--device cpu"));
    }

    #[test]
    fn json_and_trace_have_every_launch() {
        let all = json(&profile(), None);
        assert_eq!(all["kernels"][0]["device"], "cpu");
        assert_eq!(all["kernels"][0]["place"], "heat.q:7:1");
        assert_eq!(all["kernels"][1]["bound_unit"], "TMU");
        let trace: Value = serde_json::from_str(&trace(&profile())).expect("JSON");
        let events = trace["traceEvents"].as_array().expect("a list");
        let of = |cat: &str| events.iter().filter(|e| e["cat"] == cat && e["dur"].as_f64() >= Some(0.0)).count();
        assert_eq!((of("compile"), of("launch")), (1, 2));
        assert!(of("host") >= 2, "two calls of sort()");
        let names: Vec<&Value> = events.iter().filter(|e| e["ph"] == "M").map(|e| &e["args"]["name"]).collect();
        assert_eq!(names, ["host", "compiler", "copies", "cpu", "qpu"]);
    }

    #[test]
    fn the_host_works_where_nobody_else_does() {
        let ms = Duration::from_millis;
        let busy = vec![(ms(5), ms(2)), (ms(1), ms(2)), (ms(6), ms(3)), (ms(2), ms(1))];
        assert_eq!(gaps(busy), [(ms(0), ms(1)), (ms(3), ms(2))]);
        assert_eq!(gaps(vec![(ms(0), ms(2)), (ms(2), ms(1))]), []);
    }
}
