//! Open documents, and the order in which messages are dealt with.

use crate::answers::diagnostics;
use crate::program::language::with_stack;
use crate::program::model::{Model, real, uri_of};
use crate::program::text::Text;
use crate::program::uri;
use crate::requests;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::{
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams, InitializeParams,
    PublishDiagnosticsParams, Uri,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Serves one client over standard input and output; the exit status, 0 after an orderly end.
pub fn run() -> u8 {
    let (connection, threads) = Connection::stdio();
    // Deep programs need a stack like that of other commands.
    let status = with_stack(move || serve(&connection)).unwrap_or(1);
    // A client that is gone takes its ends of the pipes with it.
    drop(threads.join());
    status
}

/// Serves one client until it says `exit` or is gone; the exit status.
pub fn serve(connection: &Connection) -> u8 {
    let Ok((id, params)) = connection.initialize_start() else { return 1 };
    let answer = serde_json::json!({
        "capabilities": requests::capabilities(),
        "serverInfo": { "name": "quadra", "version": env!("CARGO_PKG_VERSION") },
    });
    if connection.initialize_finish(id, answer).is_err() {
        return 1;
    }
    let mut server = Server::new(serde_json::from_value(params).unwrap_or_default());
    let mut queue: VecDeque<Message> = VecDeque::new();
    loop {
        if queue.is_empty() && !server.has_work() {
            match connection.receiver.recv() {
                Ok(message) => queue.push_back(message),
                Err(_) => return 1,
            }
        }
        queue.extend(connection.receiver.try_iter());
        for answer in cancel(&mut queue) {
            server.out.push(answer.into());
        }
        match queue.pop_front() {
            Some(Message::Notification(n)) if n.method == "exit" => return if server.ending { 0 } else { 1 },
            Some(message) => server.handle(message),
            None => server.work(),
        }
        for message in server.out.drain(..) {
            if connection.sender.send(message).is_err() {
                return 1;
            }
        }
    }
}

/// Takes requests that are cancelled out of the queue; what they are answered with.
fn cancel(queue: &mut VecDeque<Message>) -> Vec<Response> {
    let id = |m: &Message| match m {
        Message::Notification(n) if n.method == "$/cancelRequest" => {
            serde_json::from_value::<RequestId>(n.params.get("id")?.clone()).ok()
        }
        _ => None,
    };
    let cancelled: Vec<RequestId> = queue.iter().filter_map(id).collect();
    let mut answers = Vec::new();
    queue.retain(|m| match m {
        Message::Request(r) if cancelled.contains(&r.id) => {
            answers.push(failure(r.id.clone(), ErrorCode::RequestCanceled, "cancelled"));
            false
        }
        m => id(m).is_none(),
    });
    answers
}

pub fn failure(id: RequestId, code: ErrorCode, message: impl Into<String>) -> Response {
    Response::new_err(id, code as i32, message.into())
}

/// A document that the client has open.
pub struct Document {
    pub uri: Uri,
    /// How the language calls the file, and its real name.
    pub name: String,
    pub real: PathBuf,
    version: i32,
    pub text: Text,
    /// The last analysis, and whether the text or a file it imports has changed since.
    model: Option<Model>,
    stale: bool,
}

pub struct Server {
    pub documents: Vec<Document>,
    /// Directories in which imports are looked for, and those that the client works in.
    pub library: Vec<PathBuf>,
    pub folders: Vec<PathBuf>,
    out: Vec<Message>,
    ending: bool,
    /// Programs that were analysed so far: what a client's messages cost.
    pub analyses: u64,
}

impl Server {
    #[allow(deprecated)]
    pub fn new(params: InitializeParams) -> Server {
        let folders: Vec<Uri> = match params.workspace_folders {
            Some(folders) => folders.into_iter().map(|f| f.uri).collect(),
            None => params.root_uri.into_iter().collect(),
        };
        let options = params.initialization_options.unwrap_or_default();
        let library = options.get("library").cloned().and_then(|v| serde_json::from_value(v).ok());
        Server {
            documents: Vec::new(),
            library: library.unwrap_or_default(),
            folders: folders.iter().filter_map(uri::to_path).collect(),
            out: Vec::new(),
            ending: false,
            analyses: 0,
        }
    }

    pub fn handle(&mut self, message: Message) {
        match message {
            Message::Request(request) => {
                let answer = self.request(request);
                self.out.push(answer.into());
            }
            Message::Notification(n) => {
                if catch_unwind(AssertUnwindSafe(|| self.notification(n))).is_err() {
                    eprintln!("quadra lsp: a message was not understood");
                }
            }
            Message::Response(_) => {}
        }
    }

    fn request(&mut self, request: Request) -> Response {
        let id = request.id;
        if self.ending {
            return failure(id, ErrorCode::InvalidRequest, "the server was told to shut down");
        }
        if request.method == "shutdown" {
            self.ending = true;
            return Response::new_ok(id, Value::Null);
        }
        let answer = catch_unwind(AssertUnwindSafe(|| requests::answer(self, &request.method, request.params)));
        match answer {
            Ok(Ok(value)) => Response::new_ok(id, value),
            Ok(Err((code, message))) => failure(id, code, message),
            Err(_) => failure(id, ErrorCode::InternalError, "this is a bug in Quadra: the answer was not found"),
        }
    }

    fn notification(&mut self, n: Notification) {
        fn parse<T: DeserializeOwned>(params: Value) -> Option<T> {
            serde_json::from_value(params).ok()
        }
        match n.method.as_str() {
            "textDocument/didOpen" => parse(n.params).into_iter().for_each(|p| self.open(p)),
            "textDocument/didChange" => parse(n.params).into_iter().for_each(|p| self.change(p)),
            "textDocument/didClose" => parse(n.params).into_iter().for_each(|p| self.close(&p)),
            "workspace/didChangeWatchedFiles" => self.documents.iter_mut().for_each(|d| d.stale = true),
            _ => {}
        }
    }

    fn open(&mut self, params: DidOpenTextDocumentParams) {
        let opened = params.text_document;
        self.documents.retain(|d| d.uri != opened.uri);
        let path = uri::to_path(&opened.uri);
        let name = path.as_ref().map_or(opened.uri.as_str().to_string(), |p| p.to_string_lossy().into_owned());
        let real = path.map_or_else(|| PathBuf::from(&name), |p| real(&p));
        self.touched(&real);
        let (text, version) = (Text::new(&opened.text), opened.version);
        self.documents.push(Document { uri: opened.uri, name, real, version, text, model: None, stale: true });
    }

    fn change(&mut self, params: DidChangeTextDocumentParams) {
        let uri = params.text_document.uri;
        let Some(document) = self.documents.iter_mut().find(|d| d.uri == uri) else { return };
        document.version = params.text_document.version;
        for change in params.content_changes {
            document.text = match change.range {
                Some(range) => document.text.replaced(range, &change.text),
                None => Text::new(&change.text),
            };
        }
        document.stale = true;
        let real = document.real.clone();
        self.touched(&real);
    }

    fn close(&mut self, params: &DidCloseTextDocumentParams) {
        let uri = &params.text_document.uri;
        let Some(at) = self.documents.iter().position(|d| d.uri == *uri) else { return };
        let closed = self.documents.remove(at);
        self.touched(&closed.real);
        self.publish(closed.uri, None, Vec::new());
    }

    /// Programs that import a file are to be analysed again.
    fn touched(&mut self, file: &Path) {
        for document in &mut self.documents {
            let imports = document.model.as_ref().is_some_and(|m| m.imports().any(|p| real(p) == file));
            document.stale |= imports;
        }
    }

    fn publish(&mut self, uri: Uri, version: Option<i32>, diagnostics: Vec<lsp_types::Diagnostic>) {
        let params = PublishDiagnosticsParams { uri, diagnostics, version };
        self.out.push(Notification::new("textDocument/publishDiagnostics".into(), params).into());
    }

    pub fn has_work(&self) -> bool {
        self.documents.iter().any(|d| d.stale)
    }

    /// Analyses the stale document that came last.
    pub fn work(&mut self) {
        if let Some(at) = self.documents.iter().rposition(|d| d.stale) {
            self.refresh(at);
        }
    }

    /// Texts that count instead of what is on disk.
    pub fn edited(&self) -> Vec<(PathBuf, Arc<str>)> {
        self.documents.iter().map(|d| (d.real.clone(), d.text.text.clone())).collect()
    }

    /// Analyses a document and tells the client what is wrong with it.
    fn refresh(&mut self, at: usize) {
        let edited = self.edited();
        self.analyses += 1;
        let document = &mut self.documents[at];
        document.stale = false;
        let old = document.model.take();
        let (name, text) = (document.name.clone(), document.text.text.clone());
        let new = catch_unwind(AssertUnwindSafe(|| Model::new(&name, &text, edited, &self.library)));
        let Ok(model) = new else { return };
        // Each change of a text makes a file of the same name.
        old.filter(|old| old.root != model.root).iter().for_each(|old| old.root.forget());
        let found = diagnostics::diagnostics(&model, &|path| self.uri(path));
        let document = &mut self.documents[at];
        document.model = Some(model);
        let (uri, version) = (document.uri.clone(), document.version);
        self.publish(uri, Some(version), found);
    }

    /// How the client calls a file.
    pub fn uri(&self, path: &Path) -> Option<Uri> {
        let of = real(path);
        self.documents.iter().find(|d| d.real == of).map_or_else(|| uri_of(path), |d| Some(d.uri.clone()))
    }

    /// The document of a URI with an analysis of its present text.
    pub fn model(&mut self, uri: &Uri) -> Option<(&Document, &Model)> {
        let at = self.documents.iter().position(|d| d.uri == *uri)?;
        if self.documents[at].stale {
            self.refresh(at);
        }
        let document = &self.documents[at];
        Some((document, document.model.as_ref()?))
    }

    /// Takes the analysis of a document, up to date, for the time in which others are made.
    pub fn take_model(&mut self, uri: &Uri) -> Option<(usize, Model)> {
        self.model(uri)?;
        let at = self.documents.iter().position(|d| d.uri == *uri)?;
        Some((at, self.documents[at].model.take()?))
    }

    pub fn give_back(&mut self, at: usize, model: Model) {
        self.documents[at].model = Some(model);
    }
}
