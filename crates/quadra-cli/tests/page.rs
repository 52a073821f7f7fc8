//! Profiles as pages, as a browser shows them: everything is in the one file, its script draws the timeline, and nothing of the
//! program becomes markup.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository is there")
}

fn said(out: &Output) -> String {
    format!("{}\n{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr))
}

fn quadra(args: &[&str], folder: &Path) -> Output {
    let cache = folder.join("cache");
    Command::new(env!("CARGO_BIN_EXE_quadra"))
        .args(args)
        .current_dir(folder)
        .env("QUADRA_CACHE", cache)
        .output()
        .expect("the command runs")
}

/// What a browser makes of a page; none without one.
fn shown(page: &Path) -> Option<String> {
    let names = ["chromium-headless-shell", "chromium-shell", "chromium"];
    let has = |name: &&&str| Command::new(name).arg("--version").output().is_ok_and(|out| out.status.success());
    let Some(name) = names.iter().find(has) else {
        quadra_base::testing::left_out("no headless browser is installed: chromium-headless-shell");
        return None;
    };
    let profile = page.with_file_name("browser");
    let out = Command::new(name)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("file://{}", page.display()))
        .output()
        .expect("the browser runs");
    assert!(out.status.success(), "{}", said(&out));
    Some(String::from_utf8_lossy(&out.stdout).into_owned())
}

/// Bars that the script has drawn.
fn drawn(dom: &str) -> usize {
    let count =
        dom.split("data-drawn=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("the script ran to its end");
    count.parse().expect("a number")
}

fn stands_alone(html: &str) {
    for word in ["src=", "href=", "@import", "url(", "fetch("] {
        assert!(!html.contains(word), "a page that stands alone has no '{word}'");
    }
}

const PROGRAM: &str = "\
% <img src=x onerror=alert(1)> & \"quotes\"
function y = smooth(x)
    y = zeros(size(x))
    for i = 1..numel(x)-2
        y[i] = (x[i-1] + x[i] + x[i+1])/3
    endfor
endfunction
x = ones(4096)
for step = 1..20
    x = smooth(x)
endfor
print sum(x) > 0
";

#[test]
fn a_run_is_shown_with_timeline_roofline_heat_and_verdicts() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("smooth.q"), PROGRAM).expect("own directory");
    let out = quadra(&["run", "--profile", "--html", "p.html", "--device", "cpu", "smooth.q"], folder.path());
    if said(&out).contains("E0851") {
        return quadra_base::testing::left_out("libLLVM is not installed");
    }
    assert!(out.status.success(), "{}", said(&out));
    let page = folder.path().join("p.html");
    let html = std::fs::read_to_string(&page).expect("it was written");
    stands_alone(&html.replace("&lt;img src=x onerror", ""));
    let Some(dom) = shown(&page) else { return };
    assert!(drawn(&dom) >= 3, "launches, compilation, host: {dom}");
    assert!(!dom.contains("<img"), "{dom}");
    for part in ["<circle", "for-loop 4", "parallel over (i)", "class=\"serial\">serial: ", "--heat:0.8", "GFLOP/s"] {
        assert!(dom.contains(part), "'{part}' is missing: {dom}");
    }
    let line =
        |number: u32| dom.lines().find(|l| l.contains(&format!("smooth.q-{number}\""))).unwrap_or_default().to_string();
    assert!(line(4).contains("parallel over (i)") && !line(4).contains("--heat:0.000"), "{}", line(4));
    assert!(line(5).contains("--heat:0.000") && line(9).contains("serial: "), "{}{}", line(5), line(9));
}

#[test]
fn copies_to_a_device_have_a_row() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("smooth.q"), PROGRAM).expect("own directory");
    let out = quadra(&["run", "--profile", "--html", "p.html", "--device", "emu", "smooth.q"], folder.path());
    assert!(out.status.success(), "{}", said(&out));
    let html = std::fs::read_to_string(folder.path().join("p.html")).expect("it was written");
    assert!(html.contains("copy to the device") && html.contains("copy to the host"), "{html}");
    assert!(html.contains("on a Raspberry Pi 1, modelled"), "{html}");
}

#[test]
fn qpu_code_is_shown_by_clocks() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = root().join("examples/heat.q");
    let program = program.to_str().expect("text");
    let args = ["profile", program, "--kernel", "4", "--qpus", "2", "--html", "q.html"];
    let out = quadra(&args, folder.path());
    assert!(out.status.success(), "{}", said(&out));
    let page = folder.path().join("q.html");
    stands_alone(&std::fs::read_to_string(&page).expect("it was written"));
    let Some(dom) = shown(&page) else { return };
    assert!(drawn(&dom) >= 4, "QPUs, TMUs and DMA engines");
    for part in ["limited by", "<circle", ">QPU 0</text>", ">QPU 1</text>", "heat.q:7", "The hottest instructions"] {
        assert!(dom.contains(part), "'{part}' is missing: {dom}");
    }
}

#[test]
fn a_page_is_written_whole_or_not_at_all() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("p.q"), "print 1\n").expect("own directory");
    std::fs::write(folder.path().join("file"), "letter").expect("own directory");
    let out = quadra(&["run", "--profile", "--html", "file/p.html", "p.q"], folder.path());
    assert_eq!(out.status.code(), Some(1), "{}", said(&out));
    assert!(said(&out).contains("cannot write 'file/p.html'"), "{}", said(&out));
    assert_eq!(std::fs::read_to_string(folder.path().join("file")).expect("it is there"), "letter");
    std::fs::write(folder.path().join("old.html"), "old").expect("own directory");
    let out = quadra(&["run", "--profile", "--html", "old.html", "nowhere.q"], folder.path());
    assert!(!out.status.success());
    assert_eq!(std::fs::read_to_string(folder.path().join("old.html")).expect("it is there"), "old");
    // Without a profile there is nothing to show.
    assert_eq!(quadra(&["run", "--html", "p.html", "p.q"], folder.path()).status.code(), Some(64));
    let left: Vec<String> = std::fs::read_dir(folder.path())
        .expect("own directory")
        .flatten()
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .filter(|n| n.contains("html") && n != "old.html")
        .collect();
    assert_eq!(left, Vec::<String>::new());
}
