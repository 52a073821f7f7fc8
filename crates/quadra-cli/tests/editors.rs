//! The language server with real clients: Neovim through a rename and a fix, and a client of a Python package through the rest.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository is there")
}

/// A folder with a copy of a shipped program.
fn heat() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().canonicalize().expect("it is there").join("heat.q");
    std::fs::copy(root().join("examples/heat.q"), &file).expect("the program is copied");
    (folder, file)
}

fn said(out: &Output) -> String {
    format!("{}\n{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr))
}

#[test]
fn neovim_renames_and_fixes() {
    let Ok(version) = Command::new("nvim").arg("--version").output() else {
        return quadra_base::testing::left_out("Neovim is not installed");
    };
    let (folder, file) = heat();
    let before = std::fs::read_to_string(&file).expect("the program");
    let script = |path: &str| format!("luafile {}", root().join(path).display());
    let out = Command::new("nvim")
        .args(["--headless", "-u", "NONE", "-i", "NONE", "-n", "--cmd"])
        .arg(format!(
            "let g:quasar_command = '{}' | filetype on | {}",
            env!("CARGO_BIN_EXE_quadra"),
            script("editors/neovim/quasar.lua")
        ))
        .arg(&file)
        .args(["-c", &script("tests/editor/drive.lua")])
        .env("XDG_STATE_HOME", folder.path())
        .env("XDG_CACHE_HOME", folder.path())
        .output()
        .expect("Neovim runs");
    let after = std::fs::read_to_string(&file).expect("the program");
    assert!(out.status.success(), "{}\n{}\n{after}", said(&version), said(&out));
    assert_eq!(after, before.replace("around", "neighbours"), "{}", said(&out));
}

#[test]
fn a_client_of_a_package_is_served() {
    let python = std::env::var("QUADRA_PYTHON").unwrap_or_else(|_| "python3".into());
    let has = Command::new(&python).args(["-c", "import pytest_lsp"]).output();
    if !has.is_ok_and(|out| out.status.success()) {
        return quadra_base::testing::left_out("the Python package pytest-lsp is not installed");
    }
    let (folder, file) = heat();
    let out = Command::new(&python)
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir"])
        .arg(folder.path())
        .arg(root().join("tests/editor/test_lsp.py"))
        .env("QUADRA", env!("CARGO_BIN_EXE_quadra"))
        .env("HEAT", &file)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .expect("Python runs");
    assert!(out.status.success(), "{}", said(&out));
}
