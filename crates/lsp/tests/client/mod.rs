//! A client in the process of the test.

use lsp_server::{Connection, Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

pub struct Client {
    pub connection: Connection,
    server: Option<JoinHandle<u8>>,
    next: i32,
    version: i32,
    /// What the server said of each document last.
    pub diagnostics: Vec<(String, Value)>,
}

#[allow(dead_code)]
impl Client {
    /// A client of a server that is initialised, with these folders.
    pub fn new(folders: &[&Path]) -> Client {
        let mut client = Client::silent();
        let folders: Vec<Value> = folders.iter().map(|f| json!({ "uri": uri(f), "name": "test" })).collect();
        let answer = client.request("initialize", json!({ "capabilities": {}, "workspaceFolders": folders }));
        assert!(answer.expect("the server begins").get("capabilities").is_some());
        client.notify("initialized", json!({}));
        client
    }

    pub fn silent() -> Client {
        let (connection, server) = Connection::memory();
        let builder = std::thread::Builder::new().stack_size(256 << 20);
        let server = builder.spawn(move || quadra_lsp::serve(&server)).expect("a thread starts");
        Client { connection, server: Some(server), next: 0, version: 0, diagnostics: Vec::new() }
    }

    pub fn notify(&self, method: &str, params: Value) {
        self.connection.sender.send(Notification::new(method.into(), params).into()).expect("the server listens");
    }

    pub fn send(&mut self, method: &str, params: Value) -> RequestId {
        self.next += 1;
        let id = RequestId::from(self.next);
        self.connection
            .sender
            .send(Request::new(id.clone(), method.into(), params).into())
            .expect("the server listens");
        id
    }

    /// The next answer; diagnostics on the way are kept.
    pub fn receive(&mut self) -> Response {
        loop {
            match self.connection.receiver.recv().expect("the server answers") {
                Message::Response(response) => return response,
                Message::Notification(n) if n.method == "textDocument/publishDiagnostics" => {
                    let uri = n.params["uri"].as_str().unwrap_or_default().to_string();
                    self.diagnostics.retain(|d| d.0 != uri);
                    self.diagnostics.push((uri, n.params["diagnostics"].clone()));
                }
                other => panic!("{other:?}"),
            }
        }
    }

    pub fn request(&mut self, method: &str, params: Value) -> Result<Value, (i32, String)> {
        let id = self.send(method, params);
        let response = self.receive();
        assert_eq!(response.id, id, "{method}");
        response.response_result.map_err(|e| (e.code, e.message))
    }

    pub fn open(&mut self, uri: &str, text: &str) {
        self.version += 1;
        let document = json!({ "uri": uri, "languageId": "quasar", "version": self.version, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    pub fn change(&mut self, uri: &str, text: &str) {
        self.version += 1;
        let id = json!({ "uri": uri, "version": self.version });
        self.notify("textDocument/didChange", json!({ "textDocument": id, "contentChanges": [{ "text": text }] }));
    }

    pub fn close(&self, uri: &str) {
        self.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    }

    /// A request about a place.
    pub fn at(&mut self, method: &str, uri: &str, line: u32, character: u32) -> Result<Value, (i32, String)> {
        let mut params = place(uri, line, character);
        params["context"] = json!({ "includeDeclaration": true });
        self.request(method, params)
    }

    pub fn of(&mut self, method: &str, uri: &str) -> Value {
        self.request(
            method,
            json!({ "textDocument": { "uri": uri }, "options": { "tabSize": 4, "insertSpaces": true } }),
        )
        .expect(method)
    }

    /// What is wrong with a document, once everything said before is dealt with.
    pub fn errors(&mut self, uri: &str) -> Vec<Value> {
        self.of("textDocument/foldingRange", uri);
        let found = self.diagnostics.iter().find(|d| d.0 == uri);
        found.and_then(|d| d.1.as_array().cloned()).unwrap_or_default()
    }

    pub fn rename(&mut self, uri: &str, line: u32, character: u32, new: &str) -> Result<Value, (i32, String)> {
        let mut params = place(uri, line, character);
        params["newName"] = json!(new);
        self.request("textDocument/rename", params)
    }

    /// Quick fixes at a place.
    pub fn fixes(&mut self, uri: &str, range: &Value) -> Vec<Value> {
        let params = json!({ "textDocument": { "uri": uri }, "range": range, "context": { "diagnostics": [] } });
        self.request("textDocument/codeAction", params).expect("fixes").as_array().cloned().unwrap_or_default()
    }

    /// Ends the server in order; its status.
    pub fn end(mut self) -> u8 {
        assert_eq!(self.request("shutdown", Value::Null), Ok(Value::Null));
        self.exit()
    }

    pub fn exit(mut self) -> u8 {
        self.notify("exit", Value::Null);
        self.server.take().expect("it runs").join().expect("it does not panic")
    }
}

#[allow(dead_code)]
pub fn place(uri: &str, line: u32, character: u32) -> Value {
    json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character } })
}

#[allow(dead_code)]
pub fn uri(path: &Path) -> String {
    format!("file://{}", path.display()).replace(' ', "%20")
}

/// The text after edits as the protocol has them, in its own arithmetic of lines and UTF-16 units.
#[allow(dead_code)]
pub fn apply(text: &str, edits: &Value) -> String {
    let offset = |position: &Value| -> usize {
        let (line, unit) =
            (position["line"].as_u64().expect("a line"), position["character"].as_u64().expect("a unit"));
        let start: usize = text.split_inclusive('\n').take(line as usize).map(str::len).sum();
        let mut units = 0;
        for (at, c) in text[start..].char_indices() {
            if units >= unit || c == '\n' {
                return start + at;
            }
            units += c.len_utf16() as u64;
        }
        text.len()
    };
    let mut list: Vec<(usize, usize, &str)> = edits
        .as_array()
        .expect("a list of edits")
        .iter()
        .map(|e| (offset(&e["range"]["start"]), offset(&e["range"]["end"]), e["newText"].as_str().expect("a text")))
        .collect();
    list.sort();
    assert!(list.windows(2).all(|w| w[0].1 <= w[1].0), "edits overlap: {edits}");
    let mut out = text.to_string();
    for (start, end, new) in list.into_iter().rev() {
        out.replace_range(start..end, new);
    }
    out
}

/// Programs of the repository below a folder, in the order of their names.
#[allow(dead_code)]
pub fn programs(folder: &str) -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository is there");
    let mut folders = vec![root.join(folder)];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "q") {
                let text = String::from_utf8_lossy(&std::fs::read(&path).expect("a program")).into_owned();
                found.push((path, text));
            }
        }
    }
    found.sort();
    found
}
