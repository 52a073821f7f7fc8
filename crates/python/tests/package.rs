//! The package as Python sees it: `tests/python` with the module that cargo has built.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository is there")
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder").flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        if path.is_dir() {
            if name != "__pycache__" {
                copy(&path, &to.join(name));
            }
        } else {
            std::fs::copy(&path, to.join(name)).expect("the file is copied");
        }
    }
}

/// A folder with the package, as a wheel has it.
fn package() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let quadra = folder.path().join("quadra");
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("python/quadra"), &quadra);
    let here = std::env::current_exe().expect("the test has a path");
    let library = format!("{}quadra_python{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let built = here.with_file_name(library);
    std::fs::copy(&built, quadra.join("_quadra.abi3.so")).expect("cargo has built the module");
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("wheel/data"), &folder.path().join("data"));
    folder
}

#[test]
fn python_tests_pass() {
    let python = std::env::var("QUADRA_PYTHON").unwrap_or_else(|_| "python3".into());
    let has = Command::new(&python)
        .args(["-c", "import IPython, dask, distributed, ipykernel, jupyter_kernel_test, llvmlite, nbclient, numpy, pytest, tifffile, zarr"])
        .output();
    if !has.is_ok_and(|out| out.status.success()) {
        return quadra_base::testing::left_out(
            "the Python packages of tests/python/requirements.txt are not installed",
        );
    }
    let package = package();
    let tests = root().join("tests/python");
    let files = quadra_base::testing::names_in(&tests).into_iter().filter(|name| name.starts_with("test_"));
    let files: Vec<PathBuf> = files.map(|name| tests.join(name)).collect();
    let modules = ["__init__.py", "qpu.py", "_jit/__init__.py"].map(|file| package.path().join("quadra").join(file));
    let texts = ["book/src/python.md", "book/src/cluster.md", "README.md"].map(|text| root().join(text));
    // Every second file, so that two processes have about the same to do.
    let half = |first: usize| files.iter().skip(first).step_by(2).cloned().collect::<Vec<_>>();
    let halves = [[half(0), modules.into()].concat(), [half(1), texts.into()].concat()];
    quadra_base::testing::each(&halves, |half| {
        let out = Command::new(&python)
            .args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "--doctest-modules", "--rootdir"])
            .arg(&tests)
            .args(["--doctest-glob=python.md", "--doctest-glob=cluster.md", "--doctest-glob=README.md"])
            .args(half)
            .env("PYTHONPATH", package.path())
            .env("JUPYTER_PATH", package.path().join("data/share/jupyter"))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .current_dir(package.path())
            .output()
            .expect("Python runs");
        let said = format!("{}\n{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
        assert!(out.status.success(), "{said}");
    });
}
