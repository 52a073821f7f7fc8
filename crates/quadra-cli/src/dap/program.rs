//! A Quasar program under the protocol: the engine's observer. It answers the requests that wait whenever the program stops, and
//! while it runs between two statements.

use super::inbox::Inbox;
use super::points::{Points, wrong_expression};
use super::sources::Sources;
use super::values::Handles;
use super::wire::{Answer, Client, Request};
use quadra_base::FileId;
use quadra_quasar::debug::{Go, Observer, View, Why};
use quadra_quasar_syntax::ast::ExprKind;
use serde_json::{Value, json};
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

/// The number of the only thread: items of kernels run one after the other.
const THREAD: i64 = 1;

/// The filters of `setExceptionBreakpoints`, in the form of a capability.
pub fn filters() -> Value {
    json!([
        {"filter": "error", "label": "Errors", "description": "Errors that the program does not catch", "default": true},
        {"filter": "caught", "label": "Caught errors", "description": "Errors that the program catches, too"},
        {"filter": "nan", "label": "First NaN", "description": "The operation that gives the first NaN"},
    ])
}

/// What a request leads to.
enum Flow {
    Stay(Answer),
    Go(Answer, Go),
}

/// The observer.
pub struct Adapter {
    client: Arc<Client>,
    inbox: Arc<Inbox>,
    /// The request that launched the program, until it is answered.
    launch: Option<Request>,
    /// Whether it was.
    answered: Rc<Cell<bool>>,
    stop_on_entry: bool,
    debugs: bool,
    sources: Sources,
    points: Points,
    handles: Handles,
    /// Whether errors that nothing catches stop the program.
    errors: bool,
    pause: bool,
    /// The error at which the program stands: code, message, all of it.
    error: Option<(String, String, String)>,
}

impl Adapter {
    /// An observer for the program that `launch` asks for; `answered` is set once that request is answered.
    pub fn new(
        (client, inbox): (Arc<Client>, Arc<Inbox>),
        launch: Request,
        sources: Sources,
        answered: Rc<Cell<bool>>,
    ) -> Adapter {
        Adapter {
            client,
            inbox,
            stop_on_entry: launch.flag("stopOnEntry"),
            debugs: !launch.flag("noDebug"),
            launch: Some(launch),
            answered,
            sources,
            points: Points::default(),
            handles: Handles::default(),
            errors: true,
            pause: false,
            error: None,
        }
    }

    /// Answers what waits without stopping; whether the program is to stop.
    fn running(&mut self, view: &mut View<'_>) -> Option<Go> {
        while let Some(request) = self.inbox.poll() {
            let needs_stop = matches!(
                request.command.as_str(),
                "stackTrace"
                    | "scopes"
                    | "variables"
                    | "setVariable"
                    | "setExpression"
                    | "evaluate"
                    | "continue"
                    | "next"
                    | "stepIn"
                    | "stepOut"
                    | "exceptionInfo"
            );
            if needs_stop {
                self.client.answer(&request, Err("the program runs: pause it first".into()));
                continue;
            }
            match self.handle(&request, view) {
                Flow::Stay(answer) => self.client.answer(&request, answer),
                Flow::Go(answer, go) => {
                    self.client.answer(&request, answer);
                    return Some(go);
                }
            }
        }
        None
    }

    /// Answers requests until one has the program go on.
    fn ask(&mut self, view: &mut View<'_>) -> Go {
        let go = loop {
            let Some(request) = self.inbox.take() else { break Go::Quit };
            match self.handle(&request, view) {
                Flow::Stay(answer) => self.client.answer(&request, answer),
                Flow::Go(answer, go) => {
                    self.client.answer(&request, answer);
                    break go;
                }
            }
        };
        self.handles.forget();
        self.error = None;
        self.pause = false;
        go
    }

    /// Tells the client that the program has stopped.
    fn tell(&self, reason: &str, description: &str, text: &str, points: &[usize]) {
        let mut body = json!({
            "reason": reason, "description": description, "threadId": THREAD, "allThreadsStopped": true, "text": text,
        });
        if !points.is_empty() {
            body["hitBreakpointIds"] = json!(points);
        }
        self.client.event("stopped", body);
    }

    /// The program is compiled and stands before its first statement: breakpoints can be set.
    fn begin(&mut self, view: &mut View<'_>) -> Go {
        if let Some(launch) = self.launch.take() {
            self.client.answer(&launch, Ok(Value::Null));
            self.answered.set(true);
        }
        self.client.event("initialized", Value::Null);
        match self.ask(view) {
            Go::On if !self.debugs => Go::Free,
            Go::On if self.stop_on_entry => {
                self.tell("entry", "the program begins", "", &[]);
                self.ask(view)
            }
            go => go,
        }
    }

    fn handle(&mut self, request: &Request, view: &mut View<'_>) -> Flow {
        let go = match request.command.as_str() {
            "configurationDone" | "continue" => Some(Go::On),
            "next" => Some(Go::Over),
            "stepIn" => Some(Go::Into),
            "stepOut" => Some(Go::Out),
            "terminate" => Some(Go::Quit),
            "disconnect" if request.arguments.get("terminateDebuggee") == Some(&json!(false)) => Some(Go::Free),
            "disconnect" => Some(Go::Quit),
            _ => None,
        };
        match go {
            Some(go) if request.command == "continue" => Flow::Go(Ok(json!({"allThreadsContinued": true})), go),
            Some(go) => Flow::Go(Ok(Value::Null), go),
            None => Flow::Stay(self.answer(request, view)),
        }
    }

    fn answer(&mut self, request: &Request, view: &mut View<'_>) -> Answer {
        if let Some(why) = &request.wrong {
            return Err(why.clone());
        }
        match request.command.as_str() {
            "threads" => Ok(json!({"threads": [{"id": THREAD, "name": "program"}]})),
            "setBreakpoints" => self.points.set_lines(request, view, &mut self.sources),
            "setFunctionBreakpoints" => self.points.set_functions(request, view, &mut self.sources),
            "setExceptionBreakpoints" => {
                let filters = request.list("filters");
                let has = |name: &str| filters.iter().any(|f| f == name);
                self.errors = has("error");
                (view.settings.caught, view.settings.nan) = (has("caught"), has("nan"));
                Ok(Value::Null)
            }
            "breakpointLocations" => self.locations(request, view),
            "stackTrace" => self.stack(request, view),
            "scopes" => self.scopes(request, view),
            "variables" => {
                let number = |name| request.number(name).and_then(|n| usize::try_from(n).ok());
                let some = (number("start").unwrap_or(0), number("count"));
                self.handles.children(view, request.needed("variablesReference")?, some, request.text("filter"))
            }
            "setVariable" => {
                let name = request.needed_text("name")?;
                let (target, frame) = self.handles.target(view, request.needed("variablesReference")?, name)?;
                self.assign(&target, request.needed_text("value")?, frame, view)
            }
            "setExpression" => {
                let target = request.needed_text("expression")?.to_string();
                let frame = frame_of(request, view)?;
                self.assign(&target, request.needed_text("value")?, frame, view)
            }
            "evaluate" => self.evaluate(request, view),
            "source" => {
                let inner = request.arguments.pointer("/source/sourceReference").and_then(Value::as_i64);
                self.sources.text(request.number("sourceReference").or(inner).unwrap_or(0))
            }
            "exceptionInfo" => match &self.error {
                Some((code, message, all)) => Ok(json!({
                    "exceptionId": code, "description": message, "breakMode": "always", "details": {"message": all},
                })),
                None => Err("the program does not stand at an error".into()),
            },
            "pause" => {
                self.pause = true;
                Ok(Value::Null)
            }
            "launch" | "attach" | "initialize" => Err(format!("'{}' comes once, before the program", request.command)),
            other => Err(format!("unknown request '{other}'")),
        }
    }

    fn locations(&self, request: &Request, view: &View<'_>) -> Answer {
        let path = request.arguments.pointer("/source/path").and_then(Value::as_str).unwrap_or_default();
        let first = self.sources.line_of(request.needed("line")?);
        let last = request.number("endLine").map_or(first, |n| self.sources.line_of(n));
        let file = view.settings.lines.iter().find(|(f, _)| super::sources::same(**f, path));
        let lines = file.into_iter().flat_map(|(_, lines)| lines.keys()).filter(|n| (first..=last).contains(n));
        let all: Vec<Value> = lines.map(|n| json!({"line": self.sources.line(*n)})).collect();
        Ok(json!({ "breakpoints": all }))
    }

    fn stack(&mut self, request: &Request, view: &View<'_>) -> Answer {
        if request.number("threadId").is_some_and(|id| id != THREAD) {
            return Err(format!("the only thread is {THREAD}"));
        }
        let places = view.places();
        let number = |name| request.number(name).and_then(|n| usize::try_from(n).ok());
        let (start, count) = (number("startFrame").unwrap_or(0), number("levels").filter(|n| *n > 0));
        let some = places.iter().enumerate().skip(start).take(count.unwrap_or(usize::MAX));
        let frames: Vec<Value> = some
            .map(|(i, place)| {
                let name = if place.function.is_empty() { "a lambda expression" } else { &*place.function };
                json!({
                    "id": i + 1, "name": name, "source": self.sources.of(place.span.file),
                    "line": self.sources.line(place.span.line), "column": self.sources.line(place.span.column),
                })
            })
            .collect();
        Ok(json!({"stackFrames": frames, "totalFrames": places.len()}))
    }

    fn scopes(&mut self, request: &Request, view: &mut View<'_>) -> Answer {
        let frame = frame_of(request, view)?;
        if view.choose(frame).is_err() {
            // It waits for a launch or a built-in function.
            return Ok(json!({"scopes": []}));
        }
        let (reference, count) = (self.handles.frame(frame), view.variables().len());
        Ok(json!({"scopes": [{
            "name": "Locals", "presentationHint": "locals", "variablesReference": reference, "namedVariables": count,
            "expensive": false,
        }]}))
    }

    fn evaluate(&mut self, request: &Request, view: &mut View<'_>) -> Answer {
        let text = request.needed_text("expression")?;
        let frame = frame_of(request, view)?;
        view.choose(frame)?;
        if request.text("context") != Some("repl") && !is_question(text) {
            return Err("only an expression can be computed here".into());
        }
        match view.evaluate(text) {
            Ok(Some(value)) => Ok(self.handles.shown(view, &value, text, frame, "result")),
            Ok(None) => Ok(json!({"result": "", "variablesReference": 0})),
            Err(d) if request.text("context") == Some("repl") => Err(d.render(false)),
            Err(d) => Err(d.message),
        }
    }

    /// Gives a variable, a field or an element the value of an expression.
    fn assign(&mut self, target: &str, value: &str, frame: usize, view: &mut View<'_>) -> Answer {
        if let Some(why) = wrong_expression(value) {
            return Err(format!("'{value}' is no expression: {why}"));
        }
        view.choose(frame)?;
        view.evaluate(&format!("{target} = ({value})")).map_err(|d| d.message)?;
        let new = view.evaluate(target).map_err(|d| d.message)?.unwrap_or_default();
        Ok(self.handles.shown(view, &new, target, frame, "value"))
    }
}

/// The frame that a request is about; the innermost one without a number.
fn frame_of(request: &Request, view: &View<'_>) -> Result<usize, String> {
    let Some(id) = request.number("frameId") else { return Ok(0) };
    let frame = usize::try_from(id.saturating_sub(1)).ok().filter(|f| *f < view.places().len());
    frame.ok_or_else(|| format!("there is no frame {id}"))
}

/// Whether a text only asks for something: what an editor computes because the pointer rests on it changes nothing.
fn is_question(text: &str) -> bool {
    let file = FileId::of_text("question", text);
    let (expression, said) = quadra_quasar_syntax::parser::parse_expression(file, text, &mut 0);
    let assigns =
        matches!(expression.kind, ExprKind::Assign { .. } | ExprKind::MultiAssign { .. } | ExprKind::Declare { .. });
    !assigns && !said.iter().any(quadra_base::Diagnostic::is_error)
}

impl Observer for Adapter {
    fn wanted(&self) -> bool {
        self.inbox.wanted() || self.inbox.leaving()
    }

    fn stopped(&mut self, why: &Why, view: &mut View<'_>) -> Go {
        if self.inbox.leaving() && !matches!(why, Why::Start) {
            // What was asked before the end is answered; nobody waits for what comes behind it.
            return self.running(view).unwrap_or(Go::Quit);
        }
        match why {
            Why::Start => return self.begin(view),
            Why::Asked => match self.running(view) {
                Some(go) => return go,
                None if self.pause => self.tell("pause", "paused", "", &[]),
                None => return Go::Along,
            },
            Why::Interrupted => self.tell("pause", "interrupted", "", &[]),
            Why::Step => self.tell("step", "after a step", "", &[]),
            Why::Item => self.tell("goto", "the item is reached", "", &[]),
            Why::Breakpoint(number) => match self.points.stops(*number, view) {
                Ok(true) => {
                    let what = if self.points.is_function(*number) { "function breakpoint" } else { "breakpoint" };
                    self.tell(what, what, "", &[*number]);
                }
                Ok(false) => return Go::Along,
                Err(message) => {
                    self.client.output("console", &message);
                    return Go::Along;
                }
            },
            Why::Condition(number, d) => {
                self.client.output("stderr", &d.render(false));
                self.tell("breakpoint", "the condition fails", &d.message, &[*number]);
            }
            Why::Nan => {
                let message = "the first NaN comes from here".to_string();
                self.error = Some(("NaN".into(), message.clone(), message.clone()));
                self.tell("exception", "first NaN", &message, &[]);
            }
            Why::Error(_) if !self.errors && !view.settings.caught => return Go::Along,
            Why::Error(d) => {
                self.error = Some((d.code.to_string(), d.message.clone(), d.render(false)));
                self.tell("exception", "the program fails here", &d.message, &[]);
            }
        }
        self.ask(view)
    }
}
