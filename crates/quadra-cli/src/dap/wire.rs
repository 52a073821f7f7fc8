//! Messages of the protocol: a header with a length, and JSON.

use serde_json::{Value, json};
use std::io::{BufRead, Read, Write};
use std::sync::{Mutex, PoisonError};

/// Bytes of the longest message that is read, and of the longest line of a header.
const LONGEST: usize = 64 << 20;
const LONGEST_LINE: u64 = 4096;

/// A body, or why there is none.
pub type Answer = Result<Value, String>;

/// What the client asks for.
#[derive(Clone, Debug)]
pub struct Request {
    pub seq: i64,
    pub command: String,
    pub arguments: Value,
    /// Why the message is no request.
    pub wrong: Option<String>,
}

impl Request {
    fn wrong(seq: i64, why: String) -> Request {
        Request { seq, command: String::new(), arguments: Value::Null, wrong: Some(why) }
    }

    /// A whole number among the arguments.
    pub fn number(&self, name: &str) -> Option<i64> {
        self.arguments.get(name)?.as_i64()
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        self.arguments.get(name)?.as_str()
    }

    /// Whether an argument is there and true.
    pub fn flag(&self, name: &str) -> bool {
        self.arguments.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    /// The items of a list among the arguments.
    pub fn list(&self, name: &str) -> Vec<Value> {
        self.arguments.get(name).and_then(Value::as_array).cloned().unwrap_or_default()
    }

    /// A number that the request cannot do without.
    ///
    /// # Errors
    /// It is not there.
    pub fn needed(&self, name: &str) -> Result<i64, String> {
        self.number(name).ok_or_else(|| format!("'{}' needs the argument '{name}', a number", self.command))
    }

    /// A text that the request cannot do without.
    ///
    /// # Errors
    /// It is not there.
    pub fn needed_text(&self, name: &str) -> Result<&str, String> {
        self.text(name).ok_or_else(|| format!("'{}' needs the argument '{name}', a text", self.command))
    }
}

/// Reads the next message that asks for something; none once the client is gone or what it sends cannot be told apart any more.
pub fn read(input: &mut impl BufRead) -> Option<Request> {
    loop {
        let mut length = None;
        loop {
            let mut line = Vec::new();
            let got = input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line).ok()?;
            if got == 0 || line.last() != Some(&b'\n') {
                return None;
            }
            let line = String::from_utf8_lossy(&line);
            match line.trim().split_once(':') {
                Some((name, value)) if name.trim().eq_ignore_ascii_case("content-length") => {
                    length = Some(value.trim().parse::<usize>().ok().filter(|n| *n <= LONGEST)?);
                }
                None if line.trim().is_empty() && length.is_some() => break,
                _ => {}
            }
        }
        let mut body = vec![0; length?];
        input.read_exact(&mut body).ok()?;
        if let Some(request) = request(&body) {
            return Some(request);
        }
    }
}

/// The request in a message; none if it is an event or a response.
fn request(body: &[u8]) -> Option<Request> {
    let message: Value = match serde_json::from_slice(body) {
        Ok(message) => message,
        Err(e) => return Some(Request::wrong(0, format!("the message is no JSON: {e}"))),
    };
    let seq = message.get("seq").and_then(Value::as_i64).unwrap_or(0);
    match message.get("type").and_then(Value::as_str) {
        Some("event" | "response") => return None,
        Some("request") => {}
        _ => return Some(Request::wrong(seq, "the message is no request: its type is missing".into())),
    }
    let Some(command) = message.get("command").and_then(Value::as_str) else {
        return Some(Request::wrong(seq, "the request has no command".into()));
    };
    let arguments = message.get("arguments").cloned().unwrap_or(Value::Null);
    Some(Request { seq, command: command.into(), arguments, wrong: None })
}

struct Out {
    seq: i64,
    to: Box<dyn Write + Send>,
}

/// The client, for those who tell it something.
pub struct Client(Mutex<Out>);

impl Client {
    pub fn new(to: Box<dyn Write + Send>) -> Client {
        Client(Mutex::new(Out { seq: 0, to }))
    }

    fn send(&self, mut message: Value) {
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        out.seq += 1;
        message["seq"] = out.seq.into();
        let text = message.to_string();
        // A client that is gone closes its end, which the reader notices.
        let _gone = write!(out.to, "Content-Length: {}\r\n\r\n{text}", text.len()).and_then(|()| out.to.flush());
    }

    pub fn answer(&self, request: &Request, answer: Answer) {
        let mut message = json!({
            "type": "response", "request_seq": request.seq, "command": request.command, "success": answer.is_ok(),
        });
        match answer {
            Ok(Value::Null) => {}
            Ok(body) => message["body"] = body,
            Err(why) => {
                // Braces of a format are names of variables.
                message["body"] =
                    json!({"error": {"id": 1, "format": "{_why}", "variables": {"_why": why}, "showUser": true}});
                message["message"] = why.into();
            }
        }
        self.send(message);
    }

    pub fn event(&self, name: &str, body: Value) {
        let mut message = json!({"type": "event", "event": name});
        if !body.is_null() {
            message["body"] = body;
        }
        self.send(message);
    }

    /// Text for the console: `stdout`, `stderr`, `console` or `important`.
    pub fn output(&self, category: &str, text: &str) {
        if !text.is_empty() {
            self.event("output", json!({"category": category, "output": text}));
        }
    }

    /// The program has ended.
    pub fn ended(&self, status: i32) {
        self.event("exited", json!({"exitCode": status}));
        self.event("terminated", Value::Null);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> Vec<(i64, String, bool)> {
        let mut input = bytes;
        std::iter::from_fn(|| read(&mut input)).map(|r| (r.seq, r.command, r.wrong.is_some())).collect()
    }

    fn framed(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    #[test]
    fn requests_are_told_from_what_is_none() {
        let stream = framed(r#"{"type":"request","seq":1,"command":"threads"}"#)
            + &framed(r#"{"type":"event","seq":2,"event":"x"}"#)
            + &framed("{nonsense")
            + &framed(r#"{"seq":7}"#)
            + &framed(r#"{"type":"request","seq":8}"#)
            + "Other: header\r\ncontent-length:49\r\n\r\n"
            + r#"{"type":"request","seq":9,"command":"disconnect"}"#;
        let wanted = [(1, "threads", false), (0, "", true), (7, "", true), (8, "", true), (9, "disconnect", false)];
        assert_eq!(all(stream.as_bytes()), wanted.map(|(seq, command, wrong)| (seq, command.to_string(), wrong)));
    }

    #[test]
    fn a_stream_without_sense_ends() {
        for stream in [
            "Content-Length: 99\r\n\r\n{}",
            "Content-Length: -1\r\n\r\n{}",
            "Content-Length: 99999999999\r\n\r\n{}",
            &"x".repeat(10_000),
            "\r\n\r\n",
        ] {
            assert_eq!(all(stream.as_bytes()), [], "{stream}");
        }
    }
}
