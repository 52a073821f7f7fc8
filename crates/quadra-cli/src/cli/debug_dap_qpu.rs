//! A QPU program under the Debug Adapter Protocol. QPUs are threads; registers, flags, rows of the VPM and uniforms are variables;
//! what the console is told are the commands of the text debugger.

use super::debug::Session;
use super::debug_dap_lanes::{Condition, Lists, value_of};
use super::target::Choice;
use crate::dap::inbox::Inbox;
use crate::dap::sources::Sources;
use crate::dap::wire::{Answer, Client, Request};
use quadra_base::FileId;
use quadra_isa::vc4::debug::Stopped;
use quadra_isa::vc4::disasm;
use serde_json::{Value, json};
use std::sync::Arc;

/// Instructions between two looks at what waits.
const SLICE: u64 = 100_000;
/// Instructions in which a step reaches another line.
const STEPS: u64 = 1_000_000;

/// A breakpoint of the client: where, and what must hold there.
struct Point {
    /// The file, or "functions", or "instructions".
    origin: String,
    id: usize,
    address: u32,
    condition: Option<Condition>,
}

struct Adapter {
    client: Arc<Client>,
    inbox: Arc<Inbox>,
    session: Session,
    sources: Sources,
    points: Vec<Point>,
    made: usize,
    lists: Lists,
    pause: bool,
    /// The rule that was broken.
    failed: Option<String>,
    over: bool,
}

/// Debugs the code that `choice` names.
pub fn debug((client, inbox): (Arc<Client>, Arc<Inbox>), request: Request, choice: &Choice, sources: Sources) {
    let session = choice.prepare(false).and_then(|target| {
        client.output("console", &format!("{}\n", target.name));
        Session::new(target, choice.budget()).map_err(|e| vec![e.diagnostic()])
    });
    let session = match session {
        Ok(session) => session,
        Err(diagnostics) => {
            let message = diagnostics.first().map_or(String::new(), |d| d.message.clone());
            diagnostics.iter().for_each(|d| client.output("stderr", &(d.render(false) + "\n")));
            client.answer(&request, Err(message));
            return client.ended(1);
        }
    };
    client.answer(&request, Ok(Value::Null));
    client.event("initialized", Value::Null);
    let stop_on_entry = request.flag("stopOnEntry");
    let mut adapter = Adapter {
        client,
        inbox,
        session,
        sources,
        points: Vec::new(),
        made: 0,
        lists: Lists::default(),
        pause: false,
        failed: None,
        over: false,
    };
    let status = adapter.serve(stop_on_entry);
    adapter.client.ended(status);
}

/// How execution goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Go {
    On,
    Step { qpu: usize, instruction: bool },
    Back(u64),
    End,
}

impl Adapter {
    fn serve(&mut self, stop_on_entry: bool) -> i32 {
        let mut entry = true;
        while let Some(request) = self.inbox.take() {
            let go = self.go(&request);
            let answer = match go {
                None => self.answer(&request),
                Some(Ok(_)) if request.command == "continue" => Ok(json!({"allThreadsContinued": true})),
                Some(Ok(_)) => Ok(Value::Null),
                Some(Err(ref why)) => Err(why.clone()),
            };
            self.client.answer(&request, answer);
            match go {
                Some(Ok(Go::End)) => return i32::from(self.failed.is_some()),
                Some(Ok(_)) if std::mem::take(&mut entry) && stop_on_entry => self.tell("entry", "the program begins"),
                Some(Ok(go)) => {
                    self.advance(go);
                    if self.over {
                        return i32::from(self.failed.is_some());
                    }
                }
                _ => {}
            }
        }
        0
    }

    fn go(&self, request: &Request) -> Option<Result<Go, String>> {
        let step = || {
            let qpu = self.qpu_of(request)?;
            Ok(Go::Step { qpu, instruction: request.text("granularity") == Some("instruction") })
        };
        Some(match request.command.as_str() {
            "configurationDone" | "continue" | "stepOut" => Ok(Go::On),
            "next" | "stepIn" => step(),
            "stepBack" => Ok(Go::Back(1)),
            "reverseContinue" => Ok(Go::Back(u64::MAX)),
            "terminate" | "disconnect" => Ok(Go::End),
            _ => return None,
        })
    }

    fn qpu_of(&self, request: &Request) -> Result<usize, String> {
        let id = request.number("threadId").unwrap_or(1);
        let qpu = usize::try_from(id.saturating_sub(1)).ok().filter(|q| *q < self.session.debugger.qpus());
        qpu.ok_or_else(|| format!("there is no thread {id}: {} QPUs run", self.session.debugger.qpus()))
    }

    fn tell(&self, reason: &str, description: &str) {
        let body = json!({
            "reason": reason, "description": description, "text": description, "threadId": self.session.qpu + 1,
            "allThreadsStopped": true,
        });
        self.client.event("stopped", body);
    }

    fn advance(&mut self, go: Go) {
        self.lists.forget();
        self.pause = false;
        self.failed = None;
        let stopped = match go {
            Go::Back(count) => {
                let count = count.min(self.session.debugger.executed());
                self.session.debugger.back(count);
                return self.tell("step", "after a step back");
            }
            Go::Step { qpu, instruction } => {
                self.session.qpu = qpu;
                self.step(qpu, instruction)
            }
            Go::On | Go::End => self.run(),
        };
        let warnings = self.session.warnings();
        self.client.output("important", &warnings);
        match stopped {
            Stopped::Breakpoint { qpu, pc } => {
                self.session.qpu = qpu;
                let ids: Vec<usize> = self.points.iter().filter(|p| p.address == pc).map(|p| p.id).collect();
                let body = json!({
                    "reason": "breakpoint", "threadId": qpu + 1, "allThreadsStopped": true, "hitBreakpointIds": ids,
                    "description": format!("QPU {qpu} is at a breakpoint"),
                });
                self.client.event("stopped", body);
            }
            Stopped::Stepped if self.pause => self.tell("pause", "paused"),
            Stopped::Stepped => self.tell("step", "after a step"),
            Stopped::Waits(w) => self.tell("step", &format!("QPU {} waits for {}", w.qpu, w.on)),
            Stopped::Ended { qpu } if (0..self.session.debugger.qpus()).any(|q| !self.ended(q)) => {
                self.tell("step", &format!("QPU {qpu} has ended"));
            }
            Stopped::Ended { .. } | Stopped::Done => {
                let executed = self.session.debugger.executed();
                self.client.output("console", &format!("all QPUs have ended after {executed} instructions\n"));
                self.over = true;
            }
            Stopped::Failed(error) => {
                let text = error.to_string();
                self.client.output("stderr", &(text.clone() + "\n"));
                self.failed = Some(text.clone());
                self.tell("exception", &text);
            }
        }
    }

    fn ended(&self, qpu: usize) -> bool {
        self.session.debugger.machine().registers(qpu).is_none_or(|r| r.ended)
    }

    /// Answers what waits; whether execution is to stop.
    fn looks(&mut self) -> bool {
        while let Some(request) = self.inbox.poll() {
            let answer = match request.command.as_str() {
                "terminate" | "disconnect" => {
                    self.over = true;
                    Ok(Value::Null)
                }
                "pause"
                | "threads"
                | "setBreakpoints"
                | "setFunctionBreakpoints"
                | "setInstructionBreakpoints"
                | "setExceptionBreakpoints" => self.answer(&request),
                other => Err(format!("'{other}': the program runs: pause it first")),
            };
            self.client.answer(&request, answer);
        }
        self.over |= self.inbox.leaving();
        self.pause || self.over
    }

    fn run(&mut self) -> Stopped {
        loop {
            let left = self.session.left();
            if left == 0 {
                self.client.output("stderr", "the budget of instructions is used up\n");
                return Stopped::Done;
            }
            match self.session.debugger.run(SLICE.min(left)) {
                Stopped::Stepped if self.looks() => return if self.over { Stopped::Done } else { Stopped::Stepped },
                Stopped::Stepped => {}
                Stopped::Breakpoint { qpu, pc } if !self.holds(qpu, pc) => {
                    if self.inbox.wanted() && self.looks() {
                        return if self.over { Stopped::Done } else { Stopped::Stepped };
                    }
                }
                other => return other,
            }
        }
    }

    /// Whether any breakpoint at an address has no condition or one that holds.
    fn holds(&self, qpu: usize, pc: u32) -> bool {
        let Some(registers) = self.session.debugger.machine().registers(qpu) else { return true };
        let mut here = self.points.iter().filter(|p| p.address == pc).peekable();
        here.peek().is_none() || here.any(|p| p.condition.as_ref().is_none_or(|c| c.holds(&registers)))
    }

    /// Executes one instruction of a QPU, or as many as lead to another line. While it waits for others, these run.
    fn step(&mut self, qpu: usize, instruction: bool) -> Stopped {
        let line = self.line(qpu);
        for _ in 0..STEPS {
            let mut stopped = self.session.debugger.step(qpu, 1);
            for _ in 0..STEPS {
                if !matches!(stopped, Stopped::Waits(_)) {
                    break;
                }
                match self.session.debugger.run(1) {
                    Stopped::Stepped => stopped = self.session.debugger.step(qpu, 1),
                    other => return other,
                }
            }
            let moved = self.line(qpu) != line || line.is_none();
            if instruction || moved || stopped != Stopped::Stepped {
                return stopped;
            }
        }
        Stopped::Stepped
    }

    /// File and line of a QPU's next instruction.
    fn line(&self, qpu: usize) -> Option<(String, u32)> {
        let pc = self.session.debugger.machine().registers(qpu)?.pc;
        let source = self.session.codes.iter().find_map(|c| c.source(c.index_of(pc)?))?;
        Some((source.file, source.line))
    }

    fn answer(&mut self, request: &Request) -> Answer {
        if let Some(why) = &request.wrong {
            return Err(why.clone());
        }
        match request.command.as_str() {
            "threads" => {
                let name = |q| format!("QPU {q}{}", if self.ended(q) { ", ended" } else { "" });
                let list = (0..self.session.debugger.qpus()).map(|q| json!({"id": q + 1, "name": name(q)}));
                Ok(json!({"threads": list.collect::<Vec<_>>()}))
            }
            "pause" => {
                self.pause = true;
                Ok(Value::Null)
            }
            "setBreakpoints" => {
                let path = request.arguments.pointer("/source/path").and_then(Value::as_str);
                let path = path.ok_or("'setBreakpoints' needs a source with a path")?.to_string();
                let short = path.rsplit(['/', '\\']).next().unwrap_or_default().to_string();
                let sources = self.sources.clone();
                let place = move |one: &Value| {
                    let line = one.get("line").and_then(Value::as_i64).map_or(0, |n| sources.line_of(n));
                    format!("{short}:{line}")
                };
                Ok(self.set_points(&path, request, place))
            }
            "setFunctionBreakpoints" => Ok(self.set_points("functions", request, |one| text_of(one, "name"))),
            "setInstructionBreakpoints" => Ok(self.set_points("instructions", request, |one| {
                let base = text_of(one, "instructionReference");
                let offset = one.get("offset").and_then(Value::as_i64).unwrap_or(0);
                let address = u32::from_str_radix(base.trim_start_matches("0x"), 16).unwrap_or(0);
                format!("{:#x}", i64::from(address).saturating_add(offset))
            })),
            "setExceptionBreakpoints" => Ok(Value::Null),
            "stackTrace" => self.stack(request),
            "scopes" => {
                let qpu = request.needed("frameId")?.saturating_sub(1);
                let qpu = usize::try_from(qpu).ok().filter(|q| *q < self.session.debugger.qpus());
                Ok(self.lists.scopes(qpu.ok_or("there is no such frame")?))
            }
            "variables" => {
                let hex = request.arguments.pointer("/format/hex") == Some(&json!(true));
                self.lists.variables(self.session.debugger.machine(), request, hex)
            }
            "evaluate" => self.evaluate(request),
            "disassemble" => self.disassemble(request),
            "exceptionInfo" => match &self.failed {
                Some(text) => Ok(json!({"exceptionId": "fault", "description": text, "breakMode": "always"})),
                None => Err("no rule was broken".into()),
            },
            "source" => self.sources.text(request.number("sourceReference").unwrap_or(0)),
            "setVariable" | "setExpression" => Err("registers and memory of QPUs can only be looked at".into()),
            other => Err(format!("unknown request '{other}'")),
        }
    }

    /// Sets breakpoints at the places of a request's list, instead of those of this origin.
    fn set_points(&mut self, origin: &str, request: &Request, place: impl Fn(&Value) -> String) -> Value {
        let old: Vec<u32> = self.points.iter().filter(|p| p.origin == origin).map(|p| p.address).collect();
        self.points.retain(|p| p.origin != origin);
        for address in old {
            if !self.points.iter().any(|p| p.address == address) {
                self.session.debugger.remove_breakpoint(address);
            }
        }
        let mut told = Vec::new();
        for one in request.list("breakpoints") {
            let added = self.session.places(&place(&one)).and_then(|addresses| {
                let text = text_of(&one, "condition");
                let condition = if text.is_empty() { None } else { Some(Condition::parse(&text)?) };
                Ok((addresses, condition))
            });
            told.push(match added {
                Ok((addresses, condition)) => {
                    self.made += 1;
                    let id = self.made;
                    for address in &addresses {
                        self.session.debugger.add_breakpoint(*address);
                        let condition = condition.clone();
                        self.points.push(Point { origin: origin.into(), id, address: *address, condition });
                    }
                    json!({"id": id, "verified": true, "instructionReference": format!("{:#x}", addresses[0]), "line": one.get("line")})
                }
                Err(message) => json!({"verified": false, "message": message}),
            });
        }
        json!({ "breakpoints": told })
    }

    fn stack(&mut self, request: &Request) -> Answer {
        let qpu = self.qpu_of(request)?;
        let Some(registers) = self.session.debugger.machine().registers(qpu) else {
            return Ok(json!({"stackFrames": [], "totalFrames": 0}));
        };
        let code = self.session.codes.iter().find_map(|c| Some((c, c.index_of(registers.pc)?)));
        let name = code.map_or_else(String::new, |(code, index)| {
            let labels = disasm::labels(&code.program);
            let label = (0..=index).rev().find_map(|i| labels.get(&i));
            label.map_or_else(|| code.text(index), |l| format!("{l}: {}", code.text(index)))
        });
        let source = code.and_then(|(code, index)| code.source(index));
        let mut frame = json!({
            "id": qpu + 1, "name": name, "line": 0, "column": 0,
            "instructionPointerReference": format!("{:#x}", registers.pc),
        });
        if let Some(source) = source {
            frame["source"] = self.sources.of(FileId::of_name(&source.file));
            frame["line"] = self.sources.line(source.line).into();
            frame["column"] = self.sources.line(1).into();
        }
        Ok(json!({"stackFrames": [frame], "totalFrames": 1}))
    }

    fn evaluate(&mut self, request: &Request) -> Answer {
        let text = request.needed_text("expression")?.trim();
        if let Some(qpu) = request.number("frameId").and_then(|id| usize::try_from(id.saturating_sub(1)).ok())
            && qpu < self.session.debugger.qpus()
        {
            self.session.qpu = qpu;
        }
        let registers = self.session.debugger.machine().registers(self.session.qpu);
        if let Some(value) = registers.and_then(|r| value_of(&r, text)) {
            return Ok(json!({"result": value, "variablesReference": 0}));
        }
        if request.text("context") != Some("repl") {
            return Err(format!("'{text}' is no register: ra0 to ra31, rb0 to rb31, r0 to r5, pc"));
        }
        let word = text.split_whitespace().next().unwrap_or_default();
        if ["step", "continue", "back", "break", "delete", "quit"]
            .iter()
            .any(|c| !word.is_empty() && c.starts_with(word))
        {
            return Err("the editor itself steps and sets breakpoints; `help` lists what can be looked at".into());
        }
        let (said, _) = self.session.execute(text);
        Ok(json!({"result": said.trim_end(), "variablesReference": 0}))
    }

    fn disassemble(&self, request: &Request) -> Answer {
        let reference = request.needed_text("memoryReference")?;
        let base =
            u32::from_str_radix(reference.trim_start_matches("0x"), 16).map_err(|e| format!("'{reference}': {e}"))?;
        let (offset, first) = (request.number("offset").unwrap_or(0), request.number("instructionOffset").unwrap_or(0));
        let count = request.needed("instructionCount")?.clamp(0, 10_000);
        let lines: Vec<Value> = (0..count)
            .map(|n| {
                let at =
                    i64::from(base).saturating_add(offset).saturating_add(8 * (first.clamp(-1 << 28, 1 << 28) + n));
                let known = u32::try_from(at)
                    .ok()
                    .and_then(|at| self.session.codes.iter().find_map(|c| Some((c, c.index_of(at)?))));
                match known {
                    Some((code, index)) => json!({
                        "address": format!("{at:#x}"), "instruction": code.text(index),
                        "instructionBytes": format!("{:016x}", code.words[index]),
                        "line": code.source(index).map(|s| self.sources.line(s.line)),
                    }),
                    None => json!({"address": format!("{at:#x}"), "instruction": "", "presentationHint": "invalid"}),
                }
            })
            .collect();
        Ok(json!({ "instructions": lines }))
    }
}

fn text_of(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or_default().trim().to_string()
}
