//! `quadra bench editor`: how long the language server takes to answer.

use super::common::CliResult;
use crate::json;
use lsp_server::{Connection, Message, Notification, Request, RequestId};
use quadra_base::Diagnostic;
use quadra_quasar::session::with_stack;
use serde::Serialize;
use serde_json::{Value, json};
use std::time::Instant;

#[derive(clap::Args)]
pub struct Args {
    /// Lines of the programs.
    #[arg(long, value_delimiter = ',', default_values_t = [200, 2000, 20000])]
    lines: Vec<usize>,
    /// Answers of each kind.
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Print JSON, rows of {lines, question, median_ms, least_ms}.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Row {
    lines: usize,
    question: &'static str,
    median_ms: f64,
    least_ms: f64,
}

const PROGRAMS: &[&str] = &[
    include_str!("../bench/cpu/programs/k01_box.q"),
    include_str!("../bench/cpu/programs/k03_heat.q"),
    include_str!("../bench/cpu/programs/k06_histogram.q"),
    include_str!("../bench/cpu/programs/k08_mandelbrot.q"),
    include_str!("../bench/cpu/programs/k10_bilateral.q"),
    include_str!("../bench/cpu/programs/k11_gauss.q"),
];

/// A program of so many lines: shipped ones one after the other, each time under other names.
fn program(lines: usize) -> String {
    let mut text = String::new();
    for n in 0.. {
        for part in PROGRAMS {
            if text.lines().count() >= lines {
                return text;
            }
            let mut part = part.to_string();
            let heads: Vec<String> =
                part.lines().filter_map(|l| l.strip_prefix("function ")).map(str::to_string).collect();
            for name in heads.iter().filter_map(|h| h.split('(').next()?.rsplit([' ', '=']).next()) {
                part = part.replace(&format!("{name}("), &format!("{name}{n}("));
            }
            text.push_str(&part);
            text.push('\n');
        }
    }
    text
}

/// A client in this process.
struct Client {
    connection: Connection,
    next: i32,
}

const FILE: &str = "file:///bench/program.q";

impl Client {
    fn notify(&self, method: &str, params: Value) -> Option<()> {
        self.connection.sender.send(Notification::new(method.into(), params).into()).ok()
    }

    /// Waits for the answer to a request, and for what is wrong with the text without one.
    fn wait(&self, request: bool) -> Option<()> {
        loop {
            match self.connection.receiver.recv().ok()? {
                Message::Response(_) if request => return Some(()),
                Message::Notification(_) if !request => return Some(()),
                _ => {}
            }
        }
    }

    fn ask(&mut self, method: &str, params: Value) -> Option<()> {
        self.next += 1;
        let request = Request::new(RequestId::from(self.next), method.into(), params);
        self.connection.sender.send(request.into()).ok()?;
        self.wait(true)
    }

    fn open(&self, text: &str) -> Option<()> {
        let document = json!({ "uri": FILE, "languageId": "quasar", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }))?;
        self.wait(false)
    }

    /// One character typed at the beginning of a comment.
    fn typed(&self, version: u32) -> Option<()> {
        let place = json!({ "line": 0, "character": 1 });
        let change = json!([{ "range": { "start": place, "end": place }, "text": "x" }]);
        let id = json!({ "uri": FILE, "version": version });
        self.notify("textDocument/didChange", json!({ "textDocument": id, "contentChanges": change }))?;
        self.wait(false)
    }
}

/// Milliseconds of each answer.
fn measure(runs: u32, mut answer: impl FnMut(u32) -> Option<()>) -> Option<Vec<f64>> {
    (0..runs)
        .map(|run| {
            let begin = Instant::now();
            answer(run)?;
            Some(begin.elapsed().as_secs_f64() * 1e3)
        })
        .collect()
}

fn rows(lines: usize, runs: u32) -> Option<Vec<Row>> {
    let (connection, server) = Connection::memory();
    let served = std::thread::spawn(move || with_stack(move || quadra_lsp::serve(&server)));
    let mut client = Client { connection, next: 0 };
    client.ask("initialize", json!({ "capabilities": {} }))?;
    client.notify("initialized", json!({}))?;
    let text = program(lines);
    let lines = text.lines().count();
    let mut found = Vec::new();
    let mut row = |question, times: Option<Vec<f64>>| {
        let mut times = times?;
        times.sort_by(f64::total_cmp);
        found.push(Row { lines, question, median_ms: times[times.len() / 2], least_ms: times[0] });
        Some(())
    };
    row("first diagnostics", measure(runs, |_| client.open(&text)))?;
    row("after a key", measure(runs, |run| client.typed(run + 2)))?;
    // The result of the first function.
    let at = json!({ "textDocument": { "uri": FILE }, "position": { "line": 1, "character": 9 } });
    let end = json!({ "line": lines - 1, "character": 4 });
    let behind = json!({ "textDocument": { "uri": FILE }, "position": end });
    let all = json!({ "textDocument": { "uri": FILE },
        "range": { "start": { "line": 0, "character": 0 }, "end": { "line": lines, "character": 0 } } });
    let questions = [
        ("hover", "textDocument/hover", &at),
        ("completion", "textDocument/completion", &behind),
        ("references", "textDocument/references", &at),
        ("hints", "textDocument/inlayHint", &all),
        ("semantic tokens", "textDocument/semanticTokens/full", &all),
        ("outline", "textDocument/documentSymbol", &all),
    ];
    for (question, method, params) in questions {
        row(question, measure(runs, |_| client.ask(method, params.clone())))?;
    }
    client.ask("shutdown", Value::Null)?;
    client.notify("exit", Value::Null)?;
    served.join().ok()?;
    Some(found)
}

pub fn run(args: &Args) -> CliResult {
    let mut all = Vec::new();
    for lines in &args.lines {
        if !(1..=1_000_000).contains(lines) {
            return Err(vec![Diagnostic::error("", "a program has 1 to 1000000 lines")]);
        }
        all.extend(rows(*lines, args.runs).ok_or_else(|| vec![Diagnostic::error("", "the server does not answer")])?);
    }
    if args.json {
        println!("{}", json::pretty(&all));
        return Ok(());
    }
    println!("{:>7} {:18} {:>10} {:>10}", "lines", "question", "median ms", "least ms");
    for row in all {
        println!("{:>7} {:18} {:>10.2} {:>10.2}", row.lines, row.question, row.median_ms, row.least_ms);
    }
    Ok(())
}
