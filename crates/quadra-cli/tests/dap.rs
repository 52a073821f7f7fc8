//! `quadra debug --dap` message by message: what editors send seldom, or never should. A client of a package goes through the rest
//! (`editors/vscode/test`).

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

struct Client {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    seq: i64,
    events: Vec<Value>,
    folder: tempfile::TempDir,
}

impl Client {
    fn new() -> Client {
        let mut child = Command::new(env!("CARGO_BIN_EXE_quadra"))
            .args(["debug", "--dap"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the command runs");
        let (to, from) = (child.stdin.take(), BufReader::new(child.stdout.take().expect("piped")));
        Client { child, to, from, seq: 0, events: Vec::new(), folder: tempfile::tempdir().expect("a folder") }
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().canonicalize().expect("it is there").join(name);
        std::fs::write(&path, text).expect("the program can be written");
        path
    }

    fn raw(&mut self, body: &str) {
        let to = self.to.as_mut().expect("it is open");
        write!(to, "Content-Length: {}\r\n\r\n{body}", body.len()).and_then(|()| to.flush()).expect("it listens");
    }

    fn message(&mut self) -> Option<Value> {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if self.from.read_line(&mut line).expect("it can be read") == 0 {
                return None;
            }
            match line.trim().strip_prefix("Content-Length: ") {
                Some(n) => length = n.parse().expect("a number"),
                None if line.trim().is_empty() => break,
                None => panic!("a header: {line}"),
            }
        }
        let mut body = vec![0; length];
        self.from.read_exact(&mut body).expect("a body");
        Some(serde_json::from_slice(&body).expect("JSON"))
    }

    /// The next response; events on the way are kept.
    fn response(&mut self) -> Value {
        loop {
            let message = self.message().expect("an answer");
            match message["type"].as_str() {
                Some("response") => return message,
                _ => self.events.push(message),
            }
        }
    }

    fn request(&mut self, command: &str, arguments: Value) -> Result<Value, String> {
        self.seq += 1;
        let (seq, body) =
            (self.seq, json!({"seq": self.seq, "type": "request", "command": command, "arguments": arguments}));
        self.raw(&body.to_string());
        let answer = self.response();
        assert_eq!((&answer["request_seq"], &answer["command"]), (&json!(seq), &json!(command)), "{answer}");
        match answer["success"] == true {
            true => Ok(answer["body"].clone()),
            false => Err(answer["message"].as_str().expect("a reason").to_string()),
        }
    }

    /// Waits for an event; what came before stays.
    fn event(&mut self, name: &str) -> Value {
        loop {
            if let Some(at) = self.events.iter().position(|e| e["event"] == name) {
                return self.events.remove(at)["body"].clone();
            }
            let message = self.message().expect("an event");
            assert_eq!(message["type"], "event", "{message}");
            self.events.push(message);
        }
    }

    fn launch(&mut self, arguments: Value) {
        self.request("initialize", json!({"adapterID": "test"})).expect("it begins");
        self.request("launch", arguments).expect("it is launched");
        self.event("initialized");
    }

    fn local(&mut self, name: &str) -> Value {
        let scopes = self.request("scopes", json!({"frameId": 1})).expect("scopes");
        let reference = scopes["scopes"][0]["variablesReference"].clone();
        let all = self.request("variables", json!({"variablesReference": reference})).expect("variables");
        all["variables"].as_array().expect("a list").iter().find(|v| v["name"] == name).cloned().unwrap_or_default()
    }

    fn end(mut self) -> Option<i32> {
        self.request("disconnect", json!({})).expect("it ends");
        self.child.wait().expect("it ends").code()
    }
}

#[test]
fn wrong_requests_get_errors() {
    let mut client = Client::new();
    for (body, why) in [
        ("{nonsense", "no JSON"),
        ("[]", "its type is missing"),
        ("{\"seq\":3,\"type\":\"request\"}", "has no command"),
        ("{\"seq\":\"x\",\"type\":\"request\",\"command\":7}", "has no command"),
    ] {
        client.raw(body);
        let answer = client.response();
        assert!(answer["success"] == false && answer["message"].as_str().is_some_and(|m| m.contains(why)), "{answer}");
    }
    let err =
        |client: &mut Client, command: &str, arguments: Value| client.request(command, arguments).expect_err(command);
    assert!(err(&mut client, "launch", json!({"program": "x.q"})).contains("'initialize' comes before"));
    assert!(err(&mut client, "stackTrace", json!({"threadId": 1})).contains("no program is launched"));
    client.request("initialize", json!({"adapterID": "test"})).expect("it begins");
    assert!(err(&mut client, "initialize", json!({})).contains("comes once"));
    assert!(err(&mut client, "launch", json!({})).contains("needs the argument 'program'"));
    assert!(err(&mut client, "launch", json!({"program": "/nowhere/x.q"})).contains("cannot read"));
    assert!(err(&mut client, "attach", json!({})).contains("launched"));
    assert_eq!(client.end(), Some(0));
}

#[test]
fn a_program_that_does_not_compile_is_told() {
    let mut client = Client::new();
    let path = client.file("wrong.q", "x = 1\ny = x +\n");
    client.request("initialize", json!({})).expect("it begins");
    let why = client.request("launch", json!({"program": path})).expect_err("it is wrong");
    assert!(why.contains("expected an expression"), "{why}");
    let said = client.event("output");
    assert!(said["output"].as_str().is_some_and(|o| o.contains("wrong.q:2")), "{said}");
    assert_eq!(client.event("exited")["exitCode"], 2);
    assert!(client.request("threads", json!({})).is_ok() && client.request("continue", json!({})).is_err());
    assert_eq!(client.end(), Some(0));
}

const PROGRAM: &str = "a = zeros(3,2)\nfor i = 0..5\n    a[0,0] += i\nendfor\nb = {1, \"two\", [3,4]}\nprint a[0,0]\n";

#[test]
fn places_and_values_are_checked() {
    let mut client = Client::new();
    let path = client.file("p.q", PROGRAM);
    client.launch(json!({"program": path}));
    let source = json!({"path": path});
    let points = json!([
        {"line": 3, "condition": "i =="}, {"line": 99}, {"line": 4}, {"line": 3, "hitCondition": "x"}, {},
        {"line": 3, "condition": "i >= 2", "hitCondition": "2"},
    ]);
    let told = client.request("setBreakpoints", json!({"source": source, "breakpoints": points})).expect("a list");
    let verified: Vec<bool> =
        told["breakpoints"].as_array().expect("a list").iter().map(|b| b["verified"] == true).collect();
    assert_eq!(verified, [false, false, true, false, false, true], "{told}");
    let other =
        client.request("setBreakpoints", json!({"source": {"path": "/nowhere.q"}, "breakpoints": [{"line": 1}]}));
    assert!(other.expect("a list")["breakpoints"][0]["message"].as_str().is_some_and(|m| m.contains("not part")));
    assert!(client.request("setBreakpoints", json!({"source": {}})).is_err());
    // Line 4 has no statement: the breakpoint is at the next one.
    assert_eq!(told["breakpoints"][2]["line"], 5, "{told}");
    client.request("configurationDone", json!({})).expect("it runs");
    let stopped = client.event("stopped");
    assert_eq!(
        (&stopped["reason"], &stopped["hitBreakpointIds"]),
        (&json!("breakpoint"), &json!([told["breakpoints"][5]["id"]]))
    );
    assert_eq!(client.local("i")["value"], "3", "the second time that i is 2 or more");
    for (command, arguments, why) in [
        ("stackTrace", json!({"threadId": 7}), "the only thread"),
        ("scopes", json!({"frameId": 9}), "no frame 9"),
        ("variables", json!({"variablesReference": 12345}), "has gone on"),
        ("variables", json!({}), "needs the argument"),
        ("evaluate", json!({"expression": "1 +", "frameId": 1, "context": "watch"}), "only an expression"),
        ("evaluate", json!({"expression": "nothing + 1", "frameId": 1}), "'nothing' is not defined"),
        ("setExpression", json!({"expression": "i", "value": ") + ("}), "is no expression"),
        ("exceptionInfo", json!({"threadId": 1}), "does not stand at an error"),
        ("source", json!({"sourceReference": 5}), "no text"),
        ("launch", json!({"program": "x"}), "comes once"),
        ("nonsense", json!(null), "unknown request 'nonsense'"),
    ] {
        let refused = client.request(command, arguments).expect_err(command);
        assert!(refused.contains(why), "{command}: {refused}");
    }
    // What was shown before the program goes on is not asked for behind it.
    let a = client.local("a");
    client.request("setBreakpoints", json!({"source": source, "breakpoints": [{"line": 6}]})).expect("set");
    client.request("continue", json!({"threadId": 1})).expect("it goes on");
    client.event("stopped");
    assert!(client.request("variables", json!({"variablesReference": a["variablesReference"]})).is_err());
    let cell = client.local("b");
    let items =
        client.request("variables", json!({"variablesReference": cell["variablesReference"], "start": 1, "count": 5}));
    let items = items.expect("items")["variables"].clone();
    assert_eq!(
        (&items[0]["value"], &items[1]["indexedVariables"], &items[2]),
        (&json!("two"), &json!(2), &json!(null))
    );
    let reply =
        client.request("evaluate", json!({"expression": "a[0,0] = 40", "context": "repl"})).expect("a statement");
    assert_eq!(reply["result"], "");
    client.request("continue", json!({"threadId": 1})).expect("it goes on");
    let said = client.event("output");
    assert_eq!((&said["category"], &said["output"]), (&json!("stdout"), &json!("40\n")));
    assert_eq!(client.event("exited")["exitCode"], 0);
    assert_eq!(client.end(), Some(0));
}

#[test]
fn messages_are_logged_and_lines_count_from_zero() {
    let mut client = Client::new();
    let path = client.file("log.q", PROGRAM);
    client.request("initialize", json!({"linesStartAt1": false})).expect("it begins");
    client.request("launch", json!({"program": path, "stopOnEntry": true})).expect("it is launched");
    let points = json!([{"line": 2, "logMessage": "i is {i}, {wrong}"}]);
    let told =
        client.request("setBreakpoints", json!({"source": {"path": path}, "breakpoints": points})).expect("a list");
    assert_eq!(told["breakpoints"][0]["line"], 2);
    let places = client
        .request("breakpointLocations", json!({"source": {"path": path}, "line": 0, "endLine": 4}))
        .expect("lines");
    assert_eq!(places["breakpoints"], json!([{"line": 0}, {"line": 1}, {"line": 2}, {"line": 4}]));
    client.request("configurationDone", json!({})).expect("it runs");
    assert_eq!(client.event("stopped")["reason"], "entry");
    let frames = client.request("stackTrace", json!({"threadId": 1, "startFrame": 0, "levels": 1})).expect("frames");
    assert_eq!(frames["stackFrames"][0]["line"], 0);
    client.request("continue", json!({"threadId": 1})).expect("it goes on");
    for i in 0..6 {
        let said = client.event("output");
        assert!(
            said["output"].as_str().is_some_and(|o| o.starts_with(&format!("i is {i}, <'wrong' is not"))),
            "{said}"
        );
    }
    client.event("terminated");
    assert_eq!(client.end(), Some(0));
}

#[test]
fn who_goes_away_takes_an_endless_program_along() {
    let mut client = Client::new();
    let path = client.file("endless.q", "x = 0\nwhile true\n    x += 1\nendwhile\n");
    client.launch(json!({"program": path}));
    client.request("configurationDone", json!({})).expect("it runs");
    assert!(client.request("evaluate", json!({"expression": "x"})).expect_err("it runs").contains("pause it first"));
    drop(client.to.take());
    assert_eq!(client.child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn qpu_code_stops_where_a_register_says() {
    let mut client = Client::new();
    client.launch(json!({"program": "gcd", "qpus": 1}));
    let threads = client.request("threads", json!({})).expect("QPUs");
    assert_eq!(threads["threads"].as_array().map(Vec::len), Some(1));
    let frames = client.request("stackTrace", json!({"threadId": 1})).expect("a frame");
    let start = frames["stackFrames"][0]["instructionPointerReference"].as_str().expect("an address").to_string();
    let code = client
        .request("disassemble", json!({"memoryReference": start, "instructionOffset": -2, "instructionCount": 8}))
        .expect("code");
    let code = code["instructions"].as_array().expect("a list").clone();
    assert_eq!((code.len(), &code[0]["presentationHint"], &code[2]["address"]), (8, &json!("invalid"), &json!(start)));
    let points = json!([
        {"instructionReference": code[4]["address"]}, {"instructionReference": "0x3"},
        {"instructionReference": code[5]["address"], "condition": "ra99 == 1"},
    ]);
    let told = client.request("setInstructionBreakpoints", json!({"breakpoints": points})).expect("a list");
    let verified: Vec<bool> =
        told["breakpoints"].as_array().expect("a list").iter().map(|b| b["verified"] == true).collect();
    assert_eq!(verified, [true, false, false], "{told}");
    client.request("configurationDone", json!({})).expect("it runs");
    assert_eq!(client.event("stopped")["reason"], "breakpoint");
    let scopes = client.request("scopes", json!({"frameId": 1})).expect("scopes");
    for scope in scopes["scopes"].as_array().expect("a list") {
        let asked = json!({"variablesReference": scope["variablesReference"], "format": {"hex": true}});
        assert!(client.request("variables", asked).is_ok(), "{scope}");
    }
    assert!(client.request("evaluate", json!({"expression": "r0[3]", "context": "watch"})).is_ok());
    assert!(
        client
            .request("evaluate", json!({"expression": "r9", "context": "watch"}))
            .expect_err("none")
            .contains("no register")
    );
    let said = client.request("evaluate", json!({"expression": "backtrace", "context": "repl"})).expect("a command");
    assert!(said["result"].as_str().is_some_and(|t| t.starts_with("QPU 0: ")), "{said}");
    assert!(client.request("setVariable", json!({"variablesReference": 1, "name": "r0", "value": "1"})).is_err());
    client.request("stepBack", json!({"threadId": 1})).expect("it goes back");
    client.event("stopped");
    client.request("setInstructionBreakpoints", json!({"breakpoints": []})).expect("none");
    client.request("continue", json!({"threadId": 1})).expect("it goes on");
    assert_eq!(client.event("exited")["exitCode"], 0);
    assert_eq!(client.end(), Some(0));
}

/// Requests that leave the program where it is, with arguments that nobody should send.
fn odd(client: &mut Client) {
    let commands = [
        "initialize",
        "launch",
        "attach",
        "threads",
        "setBreakpoints",
        "setFunctionBreakpoints",
        "setExceptionBreakpoints",
        "setInstructionBreakpoints",
        "breakpointLocations",
        "stackTrace",
        "scopes",
        "variables",
        "setVariable",
        "setExpression",
        "evaluate",
        "source",
        "exceptionInfo",
        "disassemble",
        "pause",
        "",
        "readMemory",
    ];
    let big = i64::MAX;
    let arguments = [
        json!(null),
        json!([1]),
        json!("text"),
        json!({}),
        json!({"threadId": "x", "frameId": "x", "variablesReference": "x", "expression": 7, "source": 3, "breakpoints": 5, "filters": {}}),
        json!({"threadId": -1, "frameId": -1, "variablesReference": -1, "line": -1, "sourceReference": -1, "instructionCount": -1,
               "memoryReference": "0x-1", "breakpoints": [null, 1, {"line": -5}, {"name": ""}], "source": {"path": ""}}),
        json!({"threadId": 1, "frameId": big, "variablesReference": big, "start": big, "count": big, "line": big, "endLine": big,
               "startFrame": big, "levels": big, "memoryReference": "0xffffffff", "instructionOffset": big, "offset": big,
               "instructionCount": 3, "breakpoints": [{"line": big, "condition": "1", "hitCondition": "99999999999999999999"}],
               "source": {"path": "x"}, "name": "", "value": "", "expression": ""}),
        json!({"frameId": 1, "expression": "{[(", "context": "repl", "name": "[", "value": "]", "variablesReference": 1}),
        json!({"program": 3}),
        json!({"program": "/nowhere/x.json"}),
        json!({"program": "no such kernel"}),
    ];
    for command in commands {
        for arguments in &arguments {
            // What counts is that there is an answer.
            drop(client.request(command, arguments.clone()));
        }
    }
}

#[test]
fn odd_arguments_are_answered() {
    let mut client = Client::new();
    let path = client.file("p.q", PROGRAM);
    client.launch(json!({"program": path, "stopOnEntry": true}));
    client.request("configurationDone", json!({})).expect("it runs");
    client.event("stopped");
    odd(&mut client);
    assert!(client.request("scopes", json!({"frameId": 1})).is_ok(), "it goes on as if nothing had happened");
    assert_eq!(client.end(), Some(0));
    let mut client = Client::new();
    client.launch(json!({"program": "gcd", "stopOnEntry": true}));
    client.request("configurationDone", json!({})).expect("it runs");
    client.event("stopped");
    odd(&mut client);
    assert!(client.request("scopes", json!({"frameId": 1})).is_ok(), "it goes on as if nothing had happened");
    assert_eq!(client.end(), Some(0));
}
