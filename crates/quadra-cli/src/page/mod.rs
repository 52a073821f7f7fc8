//! A profile as one page that needs nothing else: facts, a timeline to zoom into, the roofline, the program with its hot lines and the
//! verdict of each loop, tables. Who profiles something fills a [`Page`].

mod roofline;

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

pub use roofline::{Point, Roof};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// Events that the timeline shows, dealt out to its rows; of more in a row, the longest.
const MOST_EVENTS: usize = 24_000;

/// A profile.
pub struct Page {
    pub title: String,
    /// Names and values at the top.
    pub facts: Vec<(String, String)>,
    /// Events in Chrome's format, as traces have them; times in microseconds.
    pub trace: Value,
    /// What the times of the timeline are.
    pub clock: &'static str,
    pub roof: Option<Roof>,
    pub sources: Vec<Source>,
    /// What the heat of a line is.
    pub heat: &'static str,
    pub tables: Vec<Table>,
}

/// A file of the program.
pub struct Source {
    pub name: String,
    pub text: String,
    /// Seconds by line.
    pub seconds: BTreeMap<u32, f64>,
    /// What is said of a line: a verdict and whether it is a good one.
    pub verdicts: BTreeMap<u32, Vec<(bool, String)>>,
}

/// Rows below a head; the first column is text, the others are numbers.
pub struct Table {
    pub title: String,
    pub head: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

/// Text that stands in a page.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

impl Page {
    /// The page.
    pub fn html(&self) -> String {
        let mut out = String::from("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        let title = escaped(&self.title);
        let _ = writeln!(out, "<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>");
        out += "<dl class=\"facts\">\n";
        for (name, value) in &self.facts {
            let _ = writeln!(out, "<div><dt>{}</dt><dd>{}</dd></div>", escaped(name), escaped(value));
        }
        out += "</dl>\n";
        self.timeline(&mut out);
        if let Some(roof) = &self.roof {
            let _ = writeln!(out, "<section id=\"roofline\">\n<h2>Roofline</h2>\n{}</section>", roof.svg());
        }
        self.program(&mut out);
        for table in &self.tables {
            table.html(&mut out);
        }
        let _ = writeln!(out, "<script>\n{SCRIPT}</script>\n</body>\n</html>");
        out
    }

    fn timeline(&self, out: &mut String) {
        let events = self.trace["traceEvents"].as_array().map_or(&[][..], Vec::as_slice);
        let id = |e: &Value| e["tid"].as_u64().unwrap_or(0);
        let mut rows: BTreeMap<u64, String> = BTreeMap::new();
        for e in events.iter().filter(|e| e["ph"] == "M") {
            rows.insert(id(e), e["args"]["name"].as_str().unwrap_or_default().to_string());
        }
        let time = |e: &Value, key: &str| e[key].as_f64().unwrap_or(0.0);
        let mut shown: Vec<&Value> = events.iter().filter(|e| e["ph"] == "X").collect();
        let all = shown.len();
        rows.retain(|row, _| shown.iter().any(|e| id(e) == *row));
        shown.sort_by(|a, b| time(b, "dur").total_cmp(&time(a, "dur")));
        let mut left: BTreeMap<u64, usize> = rows.keys().map(|row| (*row, MOST_EVENTS / rows.len())).collect();
        shown.retain(|e| {
            let room = left.get_mut(&id(e)).filter(|n| **n > 0);
            room.map(|n| *n -= 1).is_some()
        });
        let order: Vec<u64> = rows.keys().copied().collect();
        let mut names: Vec<String> = Vec::new();
        let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
        let list: Vec<Value> = shown
            .iter()
            .map(|e| {
                let place = e["args"]["place"].as_str().map_or(String::new(), |p| format!(" {p}"));
                let name = format!("{}{place}", e["name"].as_str().unwrap_or_default());
                let number = *numbers.entry(name.clone()).or_insert_with(|| {
                    names.push(name);
                    names.len() - 1
                });
                let row = order.iter().position(|r| *r == id(e));
                json!([row, time(e, "ts"), time(e, "dur"), number, e["cat"].as_str().unwrap_or("busy")])
            })
            .collect();
        let data = json!({"rows": rows.values().collect::<Vec<_>>(), "names": names, "events": list});
        let left_out = match all - list.len() {
            0 => String::new(),
            n => format!(" The {n} shortest events are left out."),
        };
        let _ = writeln!(
            out,
            "<section id=\"timeline\">\n<h2>Timeline</h2>\n<p>{}{left_out} Turn the wheel to zoom, drag to move, double-click to \
             see all.</p>\n<svg id=\"time\" role=\"img\" aria-label=\"Timeline\"></svg>\n\
             <script type=\"application/json\" id=\"events\">{}</script>\n</section>",
            self.clock,
            // Nothing in it may end the element.
            data.to_string().replace('<', "\\u003c"),
        );
    }

    fn program(&self, out: &mut String) {
        let most = self.sources.iter().flat_map(|s| s.seconds.values()).copied().fold(0.0, f64::max);
        if self.sources.is_empty() {
            return;
        }
        let _ = writeln!(out, "<section id=\"program\">\n<h2>Program</h2>\n<p>{}</p>", self.heat);
        for source in &self.sources {
            let _ = writeln!(out, "<h3>{}</h3>\n<table class=\"source\">", escaped(&source.name));
            for (number, line) in (1..).zip(source.text.lines()) {
                let seconds = source.seconds.get(&number).copied().unwrap_or(0.0);
                let share = if most > 0.0 { seconds / most } else { 0.0 };
                let time = if seconds > 0.0 { time(seconds) } else { String::new() };
                // A line of a hundredth of the hottest one is still to be told from a cold one.
                let heat = if seconds > 0.0 { 0.08 + 0.72 * share.sqrt() } else { 0.0 };
                let said: String = source.verdicts.get(&number).into_iter().flatten().fold(String::new(), |all, v| {
                    let class = if v.0 { "parallel" } else { "serial" };
                    all + &format!("<span class=\"{class}\">{}</span> ", escaped(&v.1))
                });
                let _ = writeln!(
                    out,
                    "<tr id=\"{}-{number}\" style=\"--heat:{heat:.3}\"><td>{time}</td><td>{number}</td><td><pre>{}</pre></td>\
                     <td>{said}</td></tr>",
                    escaped(&source.name),
                    escaped(line)
                );
            }
            out.push_str("</table>\n");
        }
        out.push_str("</section>\n");
    }
}

impl Table {
    fn html(&self, out: &mut String) {
        let _ = writeln!(out, "<section>\n<h2>{}</h2>\n<table class=\"figures\">\n<tr>", escaped(&self.title));
        self.head.iter().for_each(|h| *out += &format!("<th>{}</th>", escaped(h)));
        out.push_str("</tr>\n");
        for row in &self.rows {
            let cells: String = row.iter().map(|c| format!("<td>{}</td>", escaped(c))).collect();
            let _ = writeln!(out, "<tr>{cells}</tr>");
        }
        out.push_str("</table>\n</section>\n");
    }
}

/// Seconds with the unit that suits them.
pub fn time(seconds: f64) -> String {
    match seconds {
        s if s < 0.9995e-3 => format!("{:.1} µs", s * 1e6),
        s if s < 0.9995 => format!("{:.2} ms", s * 1e3),
        s => format!("{s:.3} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> Page {
        let text = "x = 1\nfor i = 0..9  % <b> & \"c\"\nendfor\n";
        let source = Source {
            name: "a<b.q".into(),
            text: text.into(),
            seconds: [(2, 0.25)].into(),
            verdicts: [(2, vec![(true, "parallel over i".to_string())])].into(),
        };
        let event = |ts: f64, dur: f64| json!({"ph": "X", "tid": 3, "ts": ts, "dur": dur, "name": "</script><b>", "cat": "launch"});
        Page {
            title: "a <title>".into(),
            facts: vec![("time".into(), "1 s".into())],
            trace: json!({"traceEvents": [
                {"ph": "M", "name": "thread_name", "tid": 3, "args": {"name": "cpu"}},
                {"ph": "M", "name": "thread_name", "tid": 4, "args": {"name": "unused"}}, event(0.0, 5.0), event(6.0, 1.0),
            ]}),
            clock: "Measured.",
            roof: None,
            sources: vec![source],
            heat: "Heat.",
            tables: vec![Table { title: "t".into(), head: vec!["h".into()], rows: vec![vec!["1".into()]] }],
        }
    }

    #[test]
    fn nothing_of_a_program_becomes_markup_or_script() {
        let html = page().html();
        assert!(!html.contains("<b>") && !html.contains("a <title>"), "{html}");
        assert_eq!(html.matches("</script>").count(), 2, "one of the data and one of the code");
        let data =
            html.split("id=\"events\">").nth(1).and_then(|rest| rest.split("</script>").next()).expect("it is there");
        let data: Value = serde_json::from_str(data).expect("JSON");
        assert_eq!((&data["rows"], &data["names"]), (&json!(["cpu"]), &json!(["</script><b>"])));
        assert_eq!(data["events"].as_array().map(Vec::len), Some(2));
    }

    #[test]
    fn lines_have_their_heat_and_verdict() {
        let html = page().html();
        let line = html.lines().find(|l| l.contains("-2\"")).expect("line 2");
        assert!(
            line.contains("--heat:0.800") && line.contains("250.00 ms") && line.contains("class=\"parallel\""),
            "{line}"
        );
        let cold = html.lines().find(|l| l.contains("-1\"")).expect("line 1");
        assert!(cold.contains("--heat:0.000"), "{cold}");
    }
}
