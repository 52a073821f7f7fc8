//! `quadra explain`: every code that no Quasar program raises has an example, and those that can be run raise it.

use std::path::Path;
use std::process::Command;

fn quadra(args: &[&str]) -> String {
    let out = Command::new(env!("CARGO_BIN_EXE_quadra")).args(args).output().expect("the command runs");
    String::from_utf8_lossy(&out.stdout).into_owned()
}

/// The codes of everything but Quasar.
fn codes() -> Vec<String> {
    let list = quadra(&["explain"]);
    let codes: Vec<String> = list.lines().filter_map(|l| l.split_whitespace().next()).map(str::to_string).collect();
    codes.into_iter().filter(|c| c.starts_with('E') && c.len() == 5).collect()
}

/// What a command of an example says, in a directory with the files that examples name.
fn said_by(command: &str, place: &Path) -> String {
    let files = [
        ("hello.q", "print 1\n"),
        ("wide.kir", "kernel @f(%p: buf<i32, rw>) simt group=64 over=1 {\n  %i = item 0\n  store %p[%i], 1\n}\n"),
        (
            "chain.kir",
            "kernel @chain(%n: i32, %x: buf<i32, rw>) simd group=16 {\n  for %i in 16..%n step 16 {\n    %k = sub %i, 16\n\
             %a = load.row %x[%k]\n    %b = add %a, 1\n    store.row %x[%i], %b\n  }\n}\n",
        ),
        ("loop.q", "x = zeros(100000)\nfor i = 0..99999\nx[i] = sqrt(i)\nendfor\nprint sum(x)\n"),
    ];
    for (name, text) in files {
        std::fs::write(place.join(name), text).expect("the file is written");
    }
    let program = Path::new(env!("CARGO_BIN_EXE_quadra")).parent().expect("it lies somewhere");
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    let out = Command::new("sh").args(["-c", command]).env("PATH", path).current_dir(place).output();
    let out = out.expect("a shell runs");
    String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr)
}

#[test]
fn every_code_has_an_example() {
    let (mut run, mut commands) = (0, 0);
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("explain");
    std::fs::create_dir_all(&place).expect("a directory");
    for code in codes() {
        let text = quadra(&["explain", &code]);
        let (_, example) = text.split_once("\nExample, ").unwrap_or_else(|| panic!("{code} has no example: {text}"));
        let (kind, rest) = example.split_once(":\n").expect("it has a text");
        assert!(rest.trim().len() > 1, "{text}");
        match kind.split(',').next().unwrap_or("") {
            "in words" | "a kernel in Rust" => {}
            "a command" if cfg!(unix) => {
                let line = rest.lines().next().unwrap_or("").trim();
                let said = said_by(line.split("    ").next().unwrap_or(""), &place);
                assert!(said.contains(&code), "{code}: {line}: {said}");
                commands += 1;
            }
            "a command" => {}
            _ => {
                assert!(rest.contains(&format!("[{code}]")), "{code} is not raised by its example: {text}");
                run += 1;
            }
        }
    }
    let _ = std::fs::remove_dir_all(&place);
    assert!(run > 40 && (commands > 8 || cfg!(not(unix))), "{run} examples were run, {commands} commands");
}
