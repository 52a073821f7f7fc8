//! A form of `quadra run --show`, used by a client in the browser's place.

mod shown;

use shown::Shown;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command};

const PROGRAM: &str = "\
f = form(\"settings\")
gain = f.add_slider(\"gain <1>\", 3, 0, 10)
name = f.add_textbox(\"name\", \"nobody\")
on = f.add_checkbox(\"on\", true)
play = f.add_button(\"play\")
f.add_label(\"below\")
state = object(clicks:=0)
gain.onchange.add(() -> show(gain.value))
name.onchange.add(() -> show(name.value))
on.onchange.add(() -> show(on.value))
play.onclick.add(() -> click())
function y = show(x)
    y = 0
    print \"value \", x
end
function y = click()
    y = 0
    state.clicks += 1
    gain.value = 7
    print \"click \", state.clicks
end
print \"waits\"
f.wait()
print \"done \", gain.value, \" \", f.closed()
";

fn get(address: &str, place: &str) -> String {
    let rest = address.strip_prefix("http://").expect("an address");
    let (host, path) = rest.split_once('/').expect("a path");
    let mut stream = TcpStream::connect(host).expect("somebody listens");
    write!(stream, "GET /{path}{place} HTTP/1.1\r\nHost: here\r\n\r\n").expect("it can be sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    answer
}

/// The state that a page asks for when it knows this version.
fn news(address: &str, known: i64) -> serde_json::Value {
    let answer = get(address, &format!("news?{known}"));
    serde_json::from_str(answer.split_once("\r\n\r\n").expect("a body").1).expect("JSON")
}

fn start(name: &str) -> (Child, String, impl FnMut() -> String) {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("forms_{name}.q"));
    std::fs::write(&path, PROGRAM).expect("the program can be written");
    let Shown { child, address, mut lines, errors } = shown::start(&path);
    // Nobody reads what else it says.
    drop(errors);
    (child, address, move || lines.next().map_or(String::new(), |l| l.expect("text")))
}

#[test]
fn controls_are_used_and_call_their_handlers() {
    let (mut child, address, mut line) = start("used");
    assert_eq!(line(), "waits");
    let mut known = 0;
    // Controls come one by one.
    let state = loop {
        let state = news(&address, known);
        known = state["version"].as_i64().expect("a number");
        if state["controls"].as_array().is_some_and(|c| c.len() == 6) {
            break state;
        }
    };
    let kinds: Vec<&str> =
        state["controls"].as_array().into_iter().flatten().filter_map(|c| c["kind"].as_str()).collect();
    assert_eq!(kinds, ["heading", "slider", "textbox", "checkbox", "button", "label"]);
    assert_eq!((&state["controls"][1]["text"], &state["controls"][1]["value"]), (&"gain <1>".into(), &"3".into()));
    assert_eq!((state["controls"][1]["low"].as_f64(), state["controls"][1]["high"].as_f64()), (Some(0.0), Some(10.0)));
    get(&address, "set?1=4.5");
    assert_eq!(line(), "value 4.5");
    get(&address, "set?2=J%C3%B6rg%20%26%20co");
    assert_eq!(line(), "value Jörg & co");
    get(&address, "set?3=0");
    assert_eq!(line(), "value 0");
    get(&address, "set?4=1");
    assert_eq!(line(), "click 1");
    // What the program sets is shown.
    while news(&address, known)["controls"][1]["value"] != "7" {
        known = news(&address, -1)["version"].as_i64().expect("a number");
    }
    // What no control takes is nothing.
    for odd in ["set?9=1", "set?x", "set?1=", "set?1=loud", "set?%", "set?1=%zz"] {
        get(&address, odd);
    }
    get(&address, "set?4=1");
    assert_eq!(line(), "click 2");
    get(&address, "close");
    assert_eq!(line(), "done 7 1");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn without_a_page_nobody_waits() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("forms_alone.q");
    std::fs::write(&path, PROGRAM).expect("the program can be written");
    let out = Command::new(env!("CARGO_BIN_EXE_quadra")).arg("run").arg(&path).output().expect("it runs");
    assert_eq!(String::from_utf8_lossy(&out.stdout), "waits\ndone 3 1\n");
}
