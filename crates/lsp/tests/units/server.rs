use lsp_server::{Message, Notification, Request, RequestId};
use lsp_types::InitializeParams;
use quadra_lsp::server::Server;
use serde_json::{Value, json};

fn note(method: &str, params: Value) -> Message {
    Notification::new(method.into(), params).into()
}

/// Answer times are those of analyses: a burst of changes costs one, and questions about an unchanged text cost none.
#[test]
fn texts_are_analysed_once_per_pause() {
    let mut server = Server::new(InitializeParams::default());
    let document = json!({ "uri": "file:///nowhere/a.q", "languageId": "quasar", "version": 1, "text": "x = 1\n" });
    server.handle(note("textDocument/didOpen", json!({ "textDocument": document })));
    for version in 2..50 {
        let changes = json!([{ "range": { "start": { "line": 0, "character": 4 }, "end": { "line": 0, "character": 4 } }, "text": "1" }]);
        let params =
            json!({ "textDocument": { "uri": "file:///nowhere/a.q", "version": version }, "contentChanges": changes });
        server.handle(note("textDocument/didChange", params));
    }
    assert_eq!(server.analyses, 0);
    while server.has_work() {
        server.work();
    }
    assert_eq!(server.analyses, 1);
    for line in 0..3 {
        let params =
            json!({ "textDocument": { "uri": "file:///nowhere/a.q" }, "position": { "line": line, "character": 0 } });
        server.handle(Request::new(RequestId::from(line), "textDocument/hover".into(), params).into());
    }
    assert_eq!(server.analyses, 1);
}
