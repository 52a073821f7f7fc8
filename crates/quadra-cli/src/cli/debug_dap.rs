//! `quadra debug --dap`: an editor's side of the debugger, over standard input and output. Here is what comes before a program is
//! launched and after it has ended.

use super::debug_dap_qpu as qpu;
use super::quasar_kernels;
use super::target::Choice;
use crate::dap::inbox::Inbox;
use crate::dap::program::{Adapter, filters};
use crate::dap::sources::Sources;
use crate::dap::wire::{Answer, Client, Request};
use quadra_base::Diagnostic;
use quadra_quasar::session::{Options, Session, with_stack};
use serde_json::{Value, json};
use std::cell::Cell;
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

/// Status when the debugger itself failed.
const INTERNAL: u8 = 70;

/// Serves the editor at standard input and output; gives the status of the process.
pub fn run() -> u8 {
    with_stack(|| serve(std::io::stdin(), std::io::stdout())).unwrap_or(INTERNAL)
}

/// What was agreed on so far.
struct Adapted {
    client: Arc<Client>,
    inbox: Arc<Inbox>,
    /// Once the client has begun.
    sources: Option<Sources>,
    launched: bool,
}

/// Serves a client until it leaves.
pub fn serve(from: impl Read + Send + 'static, to: impl Write + Send + 'static) -> u8 {
    let (client, inbox) = (Arc::new(Client::new(Box::new(to))), Arc::new(Inbox::default()));
    if inbox.fill(BufReader::new(from)).is_err() {
        return INTERNAL;
    }
    let mut adapted = Adapted { client, inbox, sources: None, launched: false };
    // The client may go while a program runs, or before and behind it.
    while !adapted.inbox.left() {
        let Some(request) = adapted.inbox.take() else { break };
        if request.command == "launch" {
            adapted.launch(request);
        } else {
            let answer = adapted.answer(&request);
            adapted.client.answer(&request, answer);
        }
    }
    0
}

fn capabilities() -> Value {
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsFunctionBreakpoints": true,
        "supportsConditionalBreakpoints": true,
        "supportsHitConditionalBreakpoints": true,
        "supportsLogPoints": true,
        "supportsBreakpointLocationsRequest": true,
        "supportsInstructionBreakpoints": true,
        "supportsDisassembleRequest": true,
        "supportsSteppingGranularity": true,
        "supportsEvaluateForHovers": true,
        "supportsSetVariable": true,
        "supportsSetExpression": true,
        "supportsExceptionInfoRequest": true,
        "supportsTerminateRequest": true,
        "supportTerminateDebuggee": true,
        "supportsValueFormattingOptions": true,
        "exceptionBreakpointFilters": filters(),
    })
}

impl Adapted {
    fn answer(&mut self, request: &Request) -> Answer {
        if let Some(why) = &request.wrong {
            return Err(why.clone());
        }
        match request.command.as_str() {
            "initialize" if self.sources.is_some() => Err("'initialize' comes once".into()),
            "initialize" => {
                let from_one = request.arguments.get("linesStartAt1").and_then(Value::as_bool);
                self.sources = Some(Sources::new(from_one));
                Ok(capabilities())
            }
            "disconnect" | "terminate" => Ok(Value::Null),
            "threads" => Ok(json!({"threads": []})),
            "attach" => Err("programs are launched, not attached to: use the request 'launch'".into()),
            other => {
                let when = if self.launched { "the program has ended" } else { "no program is launched" };
                Err(format!("'{other}' needs a program: {when}"))
            }
        }
    }

    /// Runs the program that the client asks for, which answers the request when it is ready for breakpoints.
    fn launch(&mut self, request: Request) {
        match self.prepare(&request) {
            Ok((program, sources)) => {
                self.launched = true;
                let parts = (self.client.clone(), self.inbox.clone());
                match choice(&request, &program) {
                    Some(choice) => qpu::debug(parts, request, &choice, sources),
                    None => quasar(parts, request, &program, sources),
                }
                self.inbox.runs(None);
            }
            Err(why) => self.client.answer(&request, Err(why)),
        }
    }

    /// The program and how the client counts.
    fn prepare(&self, request: &Request) -> Result<(String, Sources), String> {
        let sources = self.sources.clone().ok_or("'initialize' comes before 'launch'")?;
        if self.launched {
            return Err("a program was launched before: disconnect and begin anew".into());
        }
        let program = request.needed_text("program")?.to_string();
        if let Some(directory) = request.text("cwd") {
            std::env::set_current_dir(directory).map_err(|e| format!("the directory '{directory}': {e}"))?;
        }
        Ok((program, sources))
    }
}

/// The code for QPUs that is asked for; none if it is a Quasar program on this processor.
fn choice(request: &Request, program: &str) -> Option<Choice> {
    let kernel = request.arguments.get("kernel").and_then(|k| match k {
        Value::String(text) => Some(text.clone()),
        Value::Number(line) => Some(line.to_string()),
        _ => None,
    });
    let qpus = request.number("qpus").map(|n| u32::try_from(n).unwrap_or(0).clamp(1, 12));
    let choice = Choice::named(program, kernel, request.text("workload").map(str::to_string), qpus);
    (!quasar_kernels::is_program(program) || choice.names_code()).then_some(choice)
}

/// What a program prints, line by line.
struct Printed {
    client: Arc<Client>,
    line: Vec<u8>,
}

impl Write for Printed {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.line.extend_from_slice(bytes);
        if let Some(end) = self.line.iter().rposition(|b| *b == b'\n') {
            let rest = self.line.split_off(end + 1);
            self.client.output("stdout", &String::from_utf8_lossy(&std::mem::replace(&mut self.line, rest)));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        // A character may still lack its last bytes.
        let known = match std::str::from_utf8(&self.line) {
            Ok(_) => self.line.len(),
            Err(e) if e.error_len().is_none() => e.valid_up_to(),
            Err(_) => self.line.len(),
        };
        let rest = self.line.split_off(known);
        self.client.output("stdout", &String::from_utf8_lossy(&std::mem::replace(&mut self.line, rest)));
        Ok(())
    }
}

fn report(client: &Client, diagnostics: &[Diagnostic]) {
    for d in diagnostics {
        client.output("stderr", &(d.render(false) + "\n"));
    }
}

fn quasar((client, inbox): (Arc<Client>, Arc<Inbox>), request: Request, program: &str, sources: Sources) {
    let text = match quadra_quasar::load::read(Path::new(program)) {
        Ok((text, foreign)) => {
            report(&client, &foreign.into_iter().collect::<Vec<_>>());
            text
        }
        Err(why) => return client.answer(&request, Err(why.message)),
    };
    let texts = |name: &str| -> Vec<String> {
        request.list(name).iter().filter_map(Value::as_str).map(str::to_string).collect()
    };
    let options = Options {
        double: request.flag("double"),
        arguments: texts("args"),
        library: texts("library").into_iter().map(PathBuf::from).collect(),
        ..Options::default()
    };
    let answered = Rc::new(Cell::new(false));
    let mut session = Session::new(options, Box::new(Printed { client: client.clone(), line: Vec::new() }));
    inbox.runs(Some(session.stop()));
    let parts = (client.clone(), inbox);
    session.set_debugger(Box::new(Adapter::new(parts, request.clone(), sources, answered.clone())));
    let outcome = session.run(program, &text);
    report(&client, &outcome.diagnostics);
    report(&client, &session.finish());
    if !answered.get() {
        let first = outcome.diagnostics.iter().find(|d| d.is_error());
        client.answer(&request, first.map_or(Ok(Value::Null), |d| Err(d.message.clone())));
    }
    client.ended(outcome.status);
}
