//! Files that programs read and write: whole or as they were, inside the sandbox or not at all.

use quadra_base::testing::names_in;
use quadra_quasar::session::{Options, Session, run_text};
use std::fs;
use std::path::Path;

fn run(text: &str, sandbox: Option<&Path>) -> (String, i32, Vec<String>) {
    let options = Options { sandbox: sandbox.map(Path::to_path_buf), ..Options::default() };
    let (out, outcome) = run_text("files.q", text, &options);
    let errors = outcome.diagnostics.iter().filter(|d| d.is_error());
    (out, outcome.status, errors.map(|d| format!("{}: {}", d.code, d.message)).collect())
}

#[test]
fn every_function_with_a_file_name_stays_in_the_sandbox() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let inside = dir.path().join("in");
    fs::create_dir(&inside).expect("writable");
    fs::write(dir.path().join("secret.csv"), "1,2\n").expect("writable");
    let (root, inside_name) = (dir.path().display(), inside.display());
    for (name, inner) in [
        ("save(\"F.dat\", 1)", "f"),
        ("save(\"F.csv\", [1,2])", "f"),
        ("x = load(\"F.csv\")", ""),
        ("x = csvread(\"F.csv\")", ""),
        ("csvwrite(\"F.csv\", [1,2])", "f"),
        ("save(\"F.mat\", \"x\", 1)", "f"),
        ("x = load(\"F.mat\")", ""),
        ("audiowrite(\"F.wav\", [0,1], 8000)", "f"),
        ("[x, r] = audioread(\"F.wav\")", ""),
        ("imwrite(\"F.png\", [[1,2]])", "f"),
        ("x = imread(\"F.png\")", ""),
        ("plot([1,2], \"F.svg\")", "f"),
        ("plot([1,2], \"F.png\")", "f"),
        ("f = fopen(\"F.txt\", \"w\")\nfclose(f)", "f"),
        ("f = fopen(\"F.txt\", \"a\")\nfclose(f)", "f"),
        ("f = fopen(\"F.txt\")", ""),
        ("x = exists(\"F.csv\")", "f"),
    ] {
        for outside in [format!("{root}/secret"), format!("{inside_name}/../secret"), "/etc/passwd".to_string()] {
            let (_, status, errors) = run(&name.replace('F', &outside), Some(&inside));
            assert!(status == 1 && errors[0].starts_with("Q0418"), "{name} {outside}: {errors:?}");
        }
        if !inner.is_empty() {
            let (_, status, errors) = run(&name.replace('F', &format!("{inside_name}/{inner}")), Some(&inside));
            assert_eq!((status, errors.len()), (0, 0), "{name}: {errors:?}");
        }
    }
    assert_eq!(names_in(dir.path()), ["in", "secret.csv"]);
    // imshow chooses the name itself, in the current directory.
    let (_, status, errors) = run("imshow([[1,2]])", Some(&inside));
    assert!(status == 1 && errors[0].starts_with("Q0418"), "{errors:?}");
    let (_, status, errors) = run("print 1", Some(&dir.path().join("none")));
    assert!(status == 2 && errors[0].starts_with("Q0418"), "{errors:?}");
}

#[test]
fn imports_stay_in_the_sandbox_or_in_the_library() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let inside = dir.path().join("in");
    fs::create_dir(&inside).expect("writable");
    fs::write(dir.path().join("part.q"), "y = 5\n").expect("writable");
    let name = inside.join("main.q").to_string_lossy().into_owned();
    let go = |text: &str, library: &[&Path]| {
        let library = library.iter().map(|p| p.to_path_buf()).collect();
        let options = Options { sandbox: Some(inside.clone()), library, ..Options::default() };
        run_text(&name, text, &options)
    };
    let (_, outcome) = go("import \"../part.q\"\nprint y\n", &[]);
    assert!(outcome.status == 2 && outcome.diagnostics[0].code == "Q0119", "{outcome:?}");
    assert_eq!(go("import \"part.q\"\nprint y\n", &[dir.path()]).0, "5\n");
    fs::write(inside.join("part.q"), "y = 6\n").expect("writable");
    assert_eq!(go("import \"part.q\"\nprint y\n", &[]).0, "6\n");
}

#[test]
fn text_appears_when_it_is_closed_read_or_left_behind() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join("a.txt");
    let name = path.display();
    fs::write(&path, "old").expect("writable");
    let open = format!("f = fopen(\"{name}\", \"w\")\nfprintf(f, \"new\")\n");
    let mut session = Session::new(Options::default(), Box::new(std::io::sink()));
    assert_eq!(session.run("a.q", &open).status, 0);
    assert_eq!(fs::read_to_string(&path).expect("readable"), "old");
    assert_eq!(session.run("a.q", "fprintf(f, \"er\")\nfclose(f)\n").status, 0);
    assert_eq!((fs::read_to_string(&path).expect("readable"), names_in(dir.path()).len()), ("newer".into(), 1));
    // The program itself reads what it has written so far.
    let (out, status, _) =
        run(&format!("{open}g = fopen(\"{name}\")\nprint fgetl(g)\nfprintf(f, \"est\")\nfclose(f)\n"), None);
    assert_eq!((out.as_str(), status), ("new\n", 0));
    assert_eq!(fs::read_to_string(&path).expect("readable"), "newest");
    // An error and the end of the program hand over what there is.
    for end in ["error \"no\"\n", ""] {
        fs::write(&path, "old").expect("writable");
        run(&format!("{open}{end}"), None);
        assert_eq!((fs::read_to_string(&path).expect("readable"), names_in(dir.path()).len()), ("new".into(), 1));
    }
    let (_, status, errors) = run("f = fopen(\"/dev/full\", \"w\")\nfprintf(f, \"x\")\nfclose(f)\n", None);
    assert!(!Path::new("/dev/full").exists() || status == 1 && errors[0].contains("cannot write"), "{errors:?}");
}

#[test]
fn a_file_that_is_not_utf_8_is_read_as_latin_1() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join("latin.q");
    fs::write(&path, b"print \"one\"\nprint \"caf\xe9 \xb5\" % \xfc\n").expect("writable");
    let (text, said) = quadra_quasar::load::read(&path).expect("readable");
    assert_eq!(text, "print \"one\"\nprint \"caf\u{e9} \u{b5}\" % \u{fc}\n");
    let said = said.expect("a warning");
    assert_eq!((said.code, said.span.map(|s| s.line)), ("Q0106", Some(2)));
    let main = format!("import \"{}\"\n", path.display());
    let (out, outcome) = run_text(&dir.path().join("main.q").to_string_lossy(), &main, &Options::default());
    assert_eq!((out.as_str(), outcome.status), ("one\ncaf\u{e9} \u{b5}\n", 0));
    assert_eq!(outcome.diagnostics.iter().map(|d| d.code).collect::<Vec<_>>(), ["Q0106"]);
}

#[test]
fn an_import_of_another_machine_is_looked_for_by_its_name() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    fs::write(dir.path().join("curves.q"), "function y = curve(x)\n y = 2*x\nend\n").expect("writable");
    let name = dir.path().join("main.q").to_string_lossy().into_owned();
    let text = "import \"D:\\work\\curves.q\"\nprint curve(4)\n";
    let (out, outcome) = run_text(&name, text, &Options::default());
    assert_eq!((out.as_str(), outcome.diagnostics.len()), ("8\n", 0));
    // What a skipped import might define is an error where it is used, and a warning of `check`.
    let text = "import \"closed.dll\"\nif 0\n  open_it(1)\nendif\nprint 1\nopen_it(2)\n";
    let (out, outcome) = run_text(&name, text, &Options::default());
    assert_eq!((out.as_str(), outcome.status), ("1\n", 1));
    let (said, _) = Session::new(Options::default(), Box::new(std::io::sink())).check(&name, text);
    assert!(said.iter().all(|d| !d.is_error()), "{said:?}");
    assert_eq!(said.iter().filter(|d| d.code == "Q0302").count(), 2);
}
