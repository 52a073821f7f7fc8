//! `quadra run --show` as somebody with a browser uses it: Chromium without a window, told what to do over the protocol of its
//! developer tools.

mod shown;

use shown::Shown;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

const PROGRAM: &str = "\
f = form(\"Controls\")
shown = f.add_display()
gain = f.add_slider(\"gain <b>\", 1, 0, 10)
invert = f.add_checkbox(\"invert\", false)
name = f.add_textbox(\"name\", \"nobody\")
reset = f.add_button(\"reset\")
x = repmat(0..15, 16, 1)
function [] = redraw()
    v = x*gain.value
    print \"draws \", gain.value, \" \", invert.value, \" \", name.value
    shown.imshow(invert.value ? 255 - v : v)
end
gain.onchange.add(() -> redraw())
invert.onchange.add(() -> redraw())
name.onchange.add(() -> redraw())
reset.onclick.add(() -> (gain.value = 1; redraw()))
plot([0,1,4])
redraw()
f.wait()
print \"closed\"
";

/// A page in a browser, which ends with this.
struct Page {
    browser: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    number: u64,
    session: Option<String>,
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.browser.kill();
        let _ = self.browser.wait();
    }
}

impl Page {
    /// Opens a page, if there is a browser.
    fn open(address: &str, profile: &Path) -> Option<Page> {
        let names = ["chromium-headless-shell", "chromium-shell", "chromium"];
        let has = |name: &&&str| Command::new(name).arg("--version").output().is_ok_and(|out| out.status.success());
        let Some(name) = names.iter().find(has) else {
            quadra_base::testing::left_out("no headless browser is installed: chromium-headless-shell");
            return None;
        };
        // The browser reads from file 3 and writes to file 4.
        let mut browser = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 >/dev/null 2>&1 </dev/null", name])
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the browser runs");
        let (to, from) = (browser.stdin.take().expect("piped"), browser.stdout.take().expect("piped"));
        let mut page = Page { browser, to, from: BufReader::new(from), number: 0, session: None };
        let target = page.ask("Target.createTarget", &serde_json::json!({"url": "about:blank"}));
        let attach = serde_json::json!({"targetId": target["targetId"], "flatten": true});
        let session = page.ask("Target.attachToTarget", &attach);
        page.session = session["sessionId"].as_str().map(str::to_string);
        page.ask("Page.navigate", &serde_json::json!({"url": address}));
        Some(page)
    }

    fn ask(&mut self, method: &str, params: &serde_json::Value) -> serde_json::Value {
        self.number += 1;
        let mut request = serde_json::json!({"id": self.number, "method": method, "params": params});
        if let Some(session) = &self.session {
            request["sessionId"] = session.as_str().into();
        }
        self.to.write_all(request.to_string().as_bytes()).expect("the browser listens");
        self.to.write_all(&[0]).expect("the browser listens");
        loop {
            let mut bytes = Vec::new();
            self.from.read_until(0, &mut bytes).expect("the browser answers");
            assert_eq!(bytes.pop(), Some(0), "the browser is there");
            let answer: serde_json::Value = serde_json::from_slice(&bytes).expect("JSON");
            if answer["id"] == self.number {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
        }
    }

    /// The value of an expression in the page.
    fn value(&mut self, expression: &str) -> String {
        let params = serde_json::json!({"expression": format!("String({expression})"), "awaitPromise": true});
        let result = self.ask("Runtime.evaluate", &params);
        assert!(result["exceptionDetails"].is_null(), "{expression}: {result}");
        result["result"]["value"].as_str().unwrap_or_default().to_string()
    }

    /// Waits until an expression has a value.
    fn until(&mut self, expression: &str, value: &str) {
        let end = Instant::now() + Duration::from_secs(60);
        loop {
            let now = self.value(expression);
            if now == value {
                return;
            }
            assert!(Instant::now() < end, "'{expression}' is '{now}' instead of '{value}'");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Somebody puts a control into a state.
    fn uses(&mut self, control: &str, state: &str, event: &str) {
        let script = format!(
            "(() => {{ const c = document.querySelector('{control}'); {state}; c.dispatchEvent(new Event('{event}')); }})()"
        );
        self.value(&script);
    }
}

#[test]
fn controls_on_the_page_redraw_the_display_in_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("controls.q");
    std::fs::write(&path, PROGRAM).expect("own directory");
    let Shown { mut child, address, mut lines, errors } = shown::start(&path);
    let mut line = || lines.next().expect("a line").expect("text");
    assert_eq!(line(), "draws 1 0 nobody");
    let Some(mut page) = Page::open(&address, &folder.path().join("browser")) else {
        let _ = child.kill();
        let _ = child.wait();
        return;
    };
    // The curve and the display, whose second picture takes the place of the first.
    page.until("document.querySelectorAll('#form input').length", "4");
    page.until("[...document.images].map(i => i.alt).join()", "plot_001.svg,display_002.png");
    page.until("document.images[1].naturalWidth", "16");
    assert_eq!(page.value("document.querySelector('#form h2').textContent"), "Controls");
    assert_eq!(page.value("document.querySelectorAll('#form b').length"), "0", "text of a program is no markup");
    let first = page.value("document.images[1].src");
    page.uses("input[type=range]", "c.value = 4.5", "input");
    assert_eq!(line(), "draws 4.5 0 nobody");
    page.until(&format!("document.images[1].src !== '{first}'"), "true");
    assert_eq!(page.value("document.querySelector('output').value.trim()"), "4.5");
    page.uses("input[type=checkbox]", "c.checked = true", "change");
    assert_eq!(line(), "draws 4.5 1 nobody");
    page.uses("input[type=text]", "c.value = 'Jörg & co'", "input");
    assert_eq!(line(), "draws 4.5 1 Jörg & co");
    page.value("document.querySelector('input[type=button]').click()");
    assert_eq!(line(), "draws 1 1 Jörg & co");
    page.until("document.querySelector('input[type=range]').value", "1");
    assert_eq!(page.value("document.images.length"), "2");
    page.value("document.getElementById('close').click()");
    assert_eq!(line(), "closed");
    page.until("document.getElementById('state').textContent", "The program has ended.");
    page.until("[...document.querySelectorAll('input,button')].every(c => c.disabled)", "true");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    let mut rest = String::new();
    for text in errors.map_while(Result::ok) {
        rest += &text;
    }
    assert_eq!(rest, "", "nothing went wrong");
}
