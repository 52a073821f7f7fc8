use quadra_quasar_vm::sandbox::*;

fn place() -> (tempfile::TempDir, Sandbox) {
    let dir = tempfile::tempdir().expect("a temporary directory");
    std::fs::create_dir(dir.path().join("in")).expect("writable");
    std::fs::write(dir.path().join("in/a"), "a").expect("writable");
    std::fs::write(dir.path().join("out"), "secret").expect("writable");
    let sandbox = Sandbox::new(Some(&dir.path().join("in"))).expect("it is there");
    (dir, sandbox)
}

#[test]
fn names_inside_are_reached_and_others_are_not() {
    let (dir, sandbox) = place();
    let root = dir.path().canonicalize().expect("it is there").join("in");
    for (name, path) in [("in/a", "a"), ("in/../in/./a", "a"), ("in/new", "new"), ("in/none/new", "none/new")] {
        assert_eq!(sandbox.path(dir.path().join(name)), Some(root.join(path)), "{name}");
    }
    for name in ["out", "in/../out", "in/none/../../out", "in/../none", "inside", "in/a/b", ".."] {
        assert_eq!(sandbox.path(dir.path().join(name)), None, "{name}");
    }
    assert_eq!(sandbox.path("/etc/passwd"), None);
    assert_eq!(sandbox.path("/dev/stdout"), None);
    assert_eq!(Sandbox::empty().path(root.join("a")), None);
    assert_eq!(Sandbox::default().path("../x"), Some("../x".into()));
    assert!(Sandbox::new(Some(&root.join("a"))).is_err() && Sandbox::new(Some(&root.join("none"))).is_err());
}

#[cfg(unix)]
#[test]
fn links_are_followed_first() {
    use std::os::unix::fs::symlink;
    let (dir, sandbox) = place();
    let link = |to: &str, name: &str| symlink(to, dir.path().join("in").join(name)).expect("links are known");
    link("../out", "leak");
    link("..", "up");
    link("../new", "later");
    link("a", "fine");
    link("soon", "inside");
    link("round", "round");
    for name in ["leak", "up/out", "later", "round", "later/x", "up/none/x"] {
        assert_eq!(sandbox.path(dir.path().join("in").join(name)), None, "{name}");
    }
    for name in ["fine", "inside", "up/in/a"] {
        assert!(sandbox.path(dir.path().join("in").join(name)).is_some(), "{name}");
    }
}
