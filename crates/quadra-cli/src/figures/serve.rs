//! A page with the pictures of a running program, for a browser on this machine.

use super::{Directory, STYLE, Shown, Wall};
use quadra_base::Diagnostic;
use quadra_quasar::figure::Control;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::PoisonError;
use std::time::{Duration, Instant};

/// How long the command waits behind the end of a program for a page that has not seen all pictures.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long a page waits for news before it asks again.
const POLL: Duration = Duration::from_secs(20);
/// A request that takes longer is dropped.
const REQUEST: Duration = Duration::from_secs(2);
/// Bytes of a request that are read.
const MOST: u64 = 16 << 10;
/// What somebody did and the program has not seen.
const MOST_EVENTS: usize = 1000;

/// The page while the program runs.
pub struct Server {
    wall: Wall,
    pub address: String,
}

/// The page: it asks for news, and holds what it has seen when the program has ended.
const SCRIPT: &str = "
let known = -1;
const seen = {};
const inputs = {slider: 'range', checkbox: 'checkbox', textbox: 'text', button: 'button'};
function say(text) { document.getElementById('state').textContent = text; }
function ask(place) { return fetch(place).catch(() => ended()); }
function ended() {
  say('The program has ended.');
  document.querySelectorAll('input, button').forEach(item => item.disabled = true);
}
function use(k, value) { ask('set?' + k + '=' + encodeURIComponent(value)); }
function control(k, c) {
  let item = document.getElementById('c' + k);
  if (!item) {
    const row = document.createElement(c.kind === 'heading' ? 'h2' : 'p');
    item = document.createElement(inputs[c.kind] ? 'input' : 'span');
    item.id = 'c' + k;
    if (inputs[c.kind]) item.type = inputs[c.kind];
    if (c.kind === 'slider') { item.min = c.low; item.max = c.high; item.step = 'any'; }
    if (c.kind === 'button') item.onclick = () => use(k, 1);
    else if (c.kind === 'checkbox') item.onchange = () => use(k, item.checked ? 1 : 0);
    else if (inputs[c.kind]) item.oninput = () => { use(k, item.value); tell(item); };
    const label = document.createElement(inputs[c.kind] && c.kind !== 'button' ? 'label' : 'span');
    if (label.tagName === 'LABEL') label.append(c.text + ' ');
    label.append(item);
    row.append(label);
    if (c.kind === 'slider') row.append(document.createElement('output'));
    document.getElementById('form').append(row);
    document.getElementById('close').hidden = false;
  }
  if (c.kind === 'button') item.value = c.text;
  else if (!inputs[c.kind]) item.textContent = c.text;
  else if (c.kind === 'checkbox') item.checked = c.value !== '0';
  else if (document.activeElement !== item || item.value === seen[k]) item.value = c.value;
  seen[k] = item.value;
  if (c.kind === 'slider') tell(item);
}
function tell(item) { if (item.type === 'range') item.parentNode.nextSibling.value = ' ' + Number(item.value).toPrecision(4) * 1; }
async function look() {
  try {
    const news = await (await fetch('news?' + known)).json();
    if (news.version !== known) {
      known = news.version;
      news.controls.forEach((c, k) => control(k, c));
      for (const [k, p] of news.pictures.entries()) {
        let figure = document.getElementById('f' + k);
        if (!figure) {
          figure = document.createElement('figure');
          figure.id = 'f' + k;
          figure.append(document.createElement('img'), document.createElement('figcaption'));
          document.body.append(figure);
        }
        const blob = await (await fetch('picture/' + k + '?' + known)).blob();
        URL.revokeObjectURL(figure.firstChild.src);
        figure.firstChild.src = URL.createObjectURL(blob);
        figure.firstChild.alt = p.name;
        figure.lastChild.textContent = p.caption ? p.name + ': ' + p.caption : p.name;
      }
      await fetch('seen?' + known);
    }
    if (news.ended) return ended();
    say('The program is running.');
    setTimeout(look, 50);
  } catch (e) {
    ended();
  }
}
look();
";

impl Server {
    /// Begins to serve the pictures of a directory, under an address that nobody guesses.
    ///
    /// # Errors
    /// This machine has no free port.
    pub fn start(directory: &Directory) -> Result<Server, Diagnostic> {
        let failed = |e: std::io::Error| Diagnostic::error("", format!("cannot serve a page on this machine: {e}"));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        let secret = secret();
        let address = format!("http://127.0.0.1:{port}/{secret}/");
        let wall = directory.wall.clone();
        wall.with(|shown| shown.form.asked = Some(Instant::now()));
        let served = wall.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (wall, secret) = (served.clone(), secret.clone());
                // A browser that goes away is no news.
                std::thread::spawn(move || drop(answer(stream, &wall, &secret)));
            }
        });
        Ok(Server { wall, address })
    }

    /// Opens the page in the browser, if the machine has one that can be asked.
    pub fn open(&self) {
        let command = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
        let browser = Command::new(command)
            .arg(&self.address)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        if let Ok(mut browser) = browser {
            std::thread::spawn(move || browser.wait());
        }
    }

    /// Waits until a page has all pictures, or nobody looks.
    pub fn finish(self) {
        self.wall.with(|shown| shown.ended = true);
        let (lock, news) = &*self.wall.0;
        let end = Instant::now() + PATIENCE;
        let mut shown = lock.lock().unwrap_or_else(PoisonError::into_inner);
        while shown.seen < shown.version {
            let Some(left) = end.checked_duration_since(Instant::now()) else { return };
            shown = news.wait_timeout(shown, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// Letters that nobody guesses: the state of two hashers that the standard library seeds at random.
fn secret() -> String {
    use std::hash::{BuildHasher, RandomState};
    (0..2).map(|k| format!("{:016x}", RandomState::new().hash_one(k))).collect()
}

/// Answers one request.
fn answer(mut stream: TcpStream, wall: &Wall, secret: &str) -> std::io::Result<()> {
    stream.set_read_timeout(Some(REQUEST))?;
    let mut line = String::new();
    BufReader::new(stream.try_clone()?.take(MOST)).read_line(&mut line)?;
    let target = line.strip_prefix("GET /").and_then(|rest| rest.split(' ').next());
    let path = target.and_then(|t| t.strip_prefix(secret)).and_then(|t| t.strip_prefix('/'));
    let (status, kind, body) = match path {
        Some(path) => {
            wall.with(|shown| shown.form.asked = Some(Instant::now()));
            reply(path, wall)
        }
        None => ("404 Not Found", "text/plain", b"not found".to_vec()),
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    stream.write_all(&body)
}

/// What stands at a place of the page: status, kind, content.
fn reply(path: &str, wall: &Wall) -> (&'static str, &'static str, Vec<u8>) {
    let (place, query) = path.split_once('?').unwrap_or((path, ""));
    let number = query.parse::<u64>().ok();
    match place {
        "" => {
            let page = format!(
                "<!doctype html>\n<meta charset=\"utf-8\">\n<title>Figures</title>\n<style>{STYLE}</style>\n<p id=\"state\"></p>\n<div id=\"form\"></div>\n<p><button id=\"close\" hidden onclick=\"ask('close')\">Close the form</button></p>\n<script>{SCRIPT}</script>\n"
            );
            ("200 OK", "text/html; charset=utf-8", page.into_bytes())
        }
        "news" => ("200 OK", "application/json", news(wall, number).into_bytes()),
        "seen" => {
            wall.with(|shown| shown.seen = shown.seen.max(number.unwrap_or(0)));
            ("200 OK", "text/plain", Vec::new())
        }
        "set" => {
            if let Some((control, value)) = query.split_once('=')
                && let Ok(control) = control.parse()
            {
                wall.with(|shown| set(shown, control, plain(value)));
            }
            ("200 OK", "text/plain", Vec::new())
        }
        "close" => {
            wall.with(|shown| shown.form.closed = true);
            ("200 OK", "text/plain", Vec::new())
        }
        _ => {
            let index = place.strip_prefix("picture/").and_then(|k| k.parse::<usize>().ok());
            match index.and_then(|k| wall.with(|shown| shown.pictures.get(k).cloned())) {
                Some(p) if p.name.ends_with(".svg") => ("200 OK", "image/svg+xml", p.bytes.to_vec()),
                Some(p) => ("200 OK", "image/png", p.bytes.to_vec()),
                None => ("404 Not Found", "text/plain", b"not found".to_vec()),
            }
        }
    }
}

/// Somebody used a control. What is no value of it is nothing.
fn set(shown: &mut Shown, number: usize, value: String) {
    let Some(control) = shown.form.controls.get_mut(number) else { return };
    let takes = match control.kind {
        "textbox" | "button" => true,
        "slider" | "checkbox" => value.parse::<f64>().is_ok_and(f64::is_finite),
        _ => false,
    };
    if takes && shown.form.events.len() < MOST_EVENTS {
        shown.form.events.push_back((number, value));
    }
}

/// Text without the percent signs of an address.
fn plain(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let [first, more @ ..] = rest {
        let code =
            more.get(..2).and_then(|hex| std::str::from_utf8(hex).ok()).and_then(|h| u8::from_str_radix(h, 16).ok());
        match (first, code) {
            (b'%', Some(code)) => {
                bytes.push(code);
                rest = &more[2..];
            }
            _ => {
                bytes.push(*first);
                rest = more;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The state as soon as it is not the known one any more.
fn news(wall: &Wall, known: Option<u64>) -> String {
    let (lock, news) = &*wall.0;
    let end = Instant::now() + POLL;
    let mut shown = lock.lock().unwrap_or_else(PoisonError::into_inner);
    shown.form.waiting += 1;
    while Some(shown.version) == known && !shown.ended {
        let Some(left) = end.checked_duration_since(Instant::now()) else { break };
        shown = news.wait_timeout(shown, left).unwrap_or_else(PoisonError::into_inner).0;
    }
    shown.form.waiting -= 1;
    shown.form.asked = Some(Instant::now());
    state(&shown)
}

fn state(shown: &Shown) -> String {
    let pictures = shown.pictures.iter().map(|p| serde_json::json!({"name": p.name, "caption": p.caption}));
    let pictures: Vec<serde_json::Value> = pictures.collect();
    let control = |c: &Control| {
        let (low, high) = c.range;
        serde_json::json!({"kind": c.kind, "text": c.text, "value": c.value, "low": low, "high": high})
    };
    let controls: Vec<serde_json::Value> = shown.form.controls.iter().map(control).collect();
    serde_json::json!({"version": shown.version, "ended": shown.ended, "pictures": pictures, "controls": controls})
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadra_quasar::figure::Gallery;

    fn get(address: &str, place: &str) -> String {
        let rest = address.strip_prefix("http://").expect("an address");
        let (host, path) = rest.split_once('/').expect("a path");
        let mut stream = TcpStream::connect(host).expect("somebody listens");
        write!(stream, "GET /{path}{place} HTTP/1.1\r\nHost: here\r\n\r\n").expect("it can be sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        answer
    }

    #[test]
    fn a_page_sees_pictures_as_they_come() {
        let mut directory = Directory::temporary().expect("a directory");
        let server = Server::start(&directory).expect("a port");
        let address = server.address.clone();
        assert!(get(&address, "").contains("<script>"));
        directory.take("plot_001.svg", "one", b"<svg/>").expect("it is written");
        let state = get(&address, "news?0");
        assert!(state.contains("\"version\":1") && state.contains("\"caption\":\"one\""), "{state}");
        assert!(get(&address, "picture/0").ends_with("<svg/>"));
        assert!(get(&address, "picture/7").starts_with("HTTP/1.1 404"));
        let (host, _) = address.strip_prefix("http://").and_then(|a| a.split_once('/')).expect("an address");
        assert!(get(&format!("http://{host}/guess/"), "").starts_with("HTTP/1.1 404"), "nobody guesses the address");
        get(&address, "seen?1");
        // Somebody has seen all: nobody waits.
        server.finish();
        assert!(get(&address, "news?1").contains("\"ended\":true"));
    }
}
