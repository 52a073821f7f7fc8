//! Breakpoints of the client, beside those that the engine has.

use super::sources::{Sources, same};
use super::wire::{Answer, Request};
use quadra_base::{Diagnostic, FileId};
use quadra_quasar::debug::{Settings, View};
use quadra_quasar::display;
use serde_json::{Value, json};

/// What set a breakpoint.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Origin {
    File(String),
    Functions,
}

/// Beside its line and condition, what a breakpoint has.
#[derive(Clone, Debug)]
struct Point {
    number: usize,
    origin: Origin,
    /// A message that is written instead of stopping, with expressions in braces.
    log: Option<String>,
    /// It stops from this hit on.
    from: u64,
}

/// All breakpoints of the client.
#[derive(Default)]
pub struct Points(Vec<Point>);

/// What is wrong with the text of an expression, if anything is.
pub fn wrong_expression(text: &str) -> Option<String> {
    let file = FileId::of_text("condition", text);
    let (_, said) = quadra_quasar_syntax::parser::parse_expression(file, text, &mut 0);
    said.into_iter().find(Diagnostic::is_error).map(|d| d.message)
}

/// A condition or message of a breakpoint; an empty one is none.
fn given(point: &Value, name: &str) -> Option<String> {
    point.get(name).and_then(Value::as_str).map(str::trim).filter(|t| !t.is_empty()).map(str::to_string)
}

impl Points {
    fn drop_those_of(&mut self, settings: &mut Settings, origin: &Origin) {
        settings.breakpoints.retain(|b| !self.0.iter().any(|p| p.number == b.number && p.origin == *origin));
        self.0.retain(|p| p.origin != *origin);
    }

    /// Puts a breakpoint at a line; how the client is told.
    fn add(
        &mut self,
        view: &mut View<'_>,
        place: Result<(FileId, u32), String>,
        asked: &Value,
        origin: &Origin,
        sources: &mut Sources,
    ) -> Value {
        let added = place.and_then(|(file, line)| {
            let condition = given(asked, "condition");
            if let Some(why) = condition.as_deref().and_then(wrong_expression) {
                return Err(format!("the condition is no expression: {why}"));
            }
            let from = match given(asked, "hitCondition") {
                None => 1,
                Some(text) => {
                    let number = text.trim_start_matches(['>', '=', ' ']).parse().ok().filter(|n| *n > 0);
                    number.ok_or_else(|| format!("'{text}' is no number of hits: write 3 to stop from the third on"))?
                }
            };
            let b = view.settings.break_at(file, line, condition)?;
            let (number, line) = (b.number, b.line);
            self.0.push(Point { number, origin: origin.clone(), log: given(asked, "logMessage"), from });
            Ok((number, file, line))
        });
        match added {
            Ok((id, file, line)) => {
                json!({"id": id, "verified": true, "line": sources.line(line), "source": sources.of(file)})
            }
            Err(why) => json!({"verified": false, "message": why}),
        }
    }

    /// Answers `setBreakpoints`: those of one file, instead of the ones it had.
    ///
    /// # Errors
    /// The source has no path.
    pub fn set_lines(&mut self, request: &Request, view: &mut View<'_>, sources: &mut Sources) -> Answer {
        let path = request.arguments.pointer("/source/path").and_then(Value::as_str);
        let path = path.ok_or("'setBreakpoints' needs a source with a path")?.to_string();
        let file = view.settings.lines.keys().copied().find(|f| same(*f, &path));
        let origin = Origin::File(path.clone());
        self.drop_those_of(view.settings, &origin);
        let asked = match request.list("breakpoints") {
            list if list.is_empty() => request.list("lines").into_iter().map(|line| json!({ "line": line })).collect(),
            list => list,
        };
        let told: Vec<Value> = asked
            .iter()
            .map(|one| {
                let line = one.get("line").and_then(Value::as_i64).map(|n| sources.line_of(n));
                let place = file.zip(line).ok_or_else(|| match file {
                    None => format!("'{path}' is not part of the program"),
                    Some(_) => "the breakpoint has no line".to_string(),
                });
                self.add(view, place, one, &origin, sources)
            })
            .collect();
        Ok(json!({ "breakpoints": told }))
    }

    /// Answers `setFunctionBreakpoints`.
    pub fn set_functions(&mut self, request: &Request, view: &mut View<'_>, sources: &mut Sources) -> Answer {
        self.drop_those_of(view.settings, &Origin::Functions);
        let mut told = Vec::new();
        for one in request.list("breakpoints") {
            let name = one.get("name").and_then(Value::as_str).unwrap_or_default();
            // Several functions of one name are one breakpoint for the client.
            let all: Vec<_> = view.settings.functions.iter().filter(|f| *f.0 == *name).map(|f| f.1).collect();
            let places: Vec<Result<(FileId, u32), String>> = match &all[..] {
                [] => vec![Err(format!("the program has no function '{name}'"))],
                spans => spans.iter().map(|s| Ok((s.file, s.line))).collect(),
            };
            let mut shown = places.into_iter().map(|p| self.add(view, p, &one, &Origin::Functions, sources));
            told.extend(shown.next());
            shown.for_each(drop);
        }
        Ok(json!({ "breakpoints": told }))
    }

    /// Whether a breakpoint is one of a function.
    pub fn is_function(&self, number: usize) -> bool {
        self.0.iter().any(|p| p.number == number && p.origin == Origin::Functions)
    }

    /// Whether the program stops at a breakpoint that it came to, or what is written instead.
    pub fn stops(&self, number: usize, view: &mut View<'_>) -> Result<bool, String> {
        let Some(point) = self.0.iter().find(|p| p.number == number) else { return Ok(true) };
        let hits = view.settings.breakpoints.iter().find(|b| b.number == number).map_or(0, |b| b.hits);
        match &point.log {
            _ if hits < point.from => Ok(false),
            None => Ok(true),
            Some(message) => Err(filled(message, view) + "\n"),
        }
    }
}

/// A message with the values of the expressions in its braces.
fn filled(message: &str, view: &mut View<'_>) -> String {
    let mut out = String::new();
    let mut rest = message;
    while let Some((before, (inside, after))) =
        rest.split_once('{').and_then(|(before, behind)| Some((before, behind.split_once('}')?)))
    {
        out += before;
        out += &match view.evaluate(inside) {
            Ok(Some(value)) => display::value(&value),
            Ok(None) => String::new(),
            Err(d) => format!("<{}>", d.message),
        };
        rest = after;
    }
    out + rest
}
