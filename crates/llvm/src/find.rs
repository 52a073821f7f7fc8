//! Where libLLVM may be: the names of its versions, newest tried version first.

use super::Llvm;
use super::compiler::Compiler;
use super::host::{self, Host};
use super::python;
use quadra_base::Diagnostic;
use quadra_base::cache::Cache;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The environment variable that names a file.
const VARIABLE: &str = "QUADRA_LLVM";
/// What it may say instead: only the library of this Python package is used.
const PACKAGE: &str = "llvmlite";

/// Versions in the order of preference: 19, 22 and 15 were tried, the others lie between them.
const MAJORS: [u32; 8] = [19, 20, 21, 22, 18, 17, 16, 15];

/// The names under which a version is installed: with the minor version from 18 on (Debian, Fedora), with the major alone
/// (Debian before), without (Arch, in LLVM's own layout on macOS).
fn names(major: u32) -> Vec<String> {
    let mut names = vec![
        format!("libLLVM.so.{major}.1"),
        format!("libLLVM-{major}.so.1"),
        format!("libLLVM-{major}.so"),
        format!("/usr/lib/llvm-{major}/lib/libLLVM.so.1"),
    ];
    if cfg!(target_os = "macos") {
        names.push(format!("/opt/homebrew/opt/llvm@{major}/lib/libLLVM.dylib"));
        names.push(format!("/usr/local/opt/llvm@{major}/lib/libLLVM.dylib"));
    }
    names
}

/// Where dynamic linkers look on the systems that `names` knows.
fn directories() -> Vec<PathBuf> {
    let arch = std::env::consts::ARCH;
    let named = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let mut list: Vec<PathBuf> = std::env::split_paths(&named).filter(|p| p.is_absolute()).collect();
    for base in ["/usr/local/lib", "/usr/lib", "/lib"] {
        list.extend([format!("{base}/{arch}-linux-gnu"), format!("{base}64"), base.to_string()].map(PathBuf::from));
    }
    list
}

/// The processor as the operating system describes it, without loading anything.
fn processor() -> Option<String> {
    let mut head = vec![0; 8192];
    let n = std::fs::File::open("/proc/cpuinfo").ok()?.read(&mut head).ok()?;
    let text = String::from_utf8_lossy(&head[..n]).into_owned();
    let first = text.split("\n\n").next()?;
    let stable =
        |l: &&str| ["flags", "Features", "vendor", "CPU", "model", "cpu family"].iter().any(|w| l.starts_with(w));
    Some(first.lines().filter(stable).filter(|l| !l.starts_with("cpu MHz")).collect::<Vec<_>>().join("\n"))
}

/// What tells this file from others on this machine: if it is in the cache, the library need not be loaded to be asked.
fn identity(path: &Path) -> Option<String> {
    let path = path.canonicalize().ok()?;
    let metadata = path.metadata().ok()?;
    let age = metadata.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    // The architecture: programs of another one run here under an emulator see the same file.
    let arch = std::env::consts::ARCH;
    let view = host::view();
    Some(format!("libLLVM {arch} {} {} {age:?} {view}\n{}", path.display(), metadata.len(), processor()?))
}

/// The first file of the first name that is there, so that a new file of an earlier name is not overlooked.
fn first(names: &[String]) -> Option<PathBuf> {
    let directories = directories();
    let mut places = names.iter().flat_map(|n| directories.iter().map(move |d| d.join(n)));
    places.find(|p| p.is_file())
}

/// A library of which the cache knows what it is.
fn known(path: PathBuf, cache: &Cache) -> Option<Arc<Llvm>> {
    let key = identity(&path)?;
    match cache.get(key.as_bytes()).and_then(|text| Host::of_text(&String::from_utf8(text).ok()?)) {
        Some(host) => Some(Llvm::of(Compiler::new(&path), path, host)),
        None => {
            let llvm = Llvm::load(&path).ok()?;
            cache.put(key.as_bytes(), llvm.host.to_text().as_bytes());
            Some(llvm)
        }
    }
}

pub fn find() -> Result<Arc<Llvm>, Box<Diagnostic>> {
    let quickly = |path| Cache::user().and_then(|cache| known(path, cache));
    let in_python = |path: PathBuf| quickly(path.clone()).or_else(|| Llvm::load(path).ok());
    match std::env::var_os(VARIABLE).filter(|v| !v.is_empty()) {
        Some(name) if name == PACKAGE => {
            return python::libraries().into_iter().find_map(in_python).ok_or_else(|| {
                Diagnostic::error("E0851", "the Python package llvmlite is not installed")
                    .help("`pip install llvmlite`")
                    .into()
            });
        }
        Some(path) => return Llvm::load(Path::new(&path)),
        None => {}
    }
    let names: Vec<String> = MAJORS.into_iter().flat_map(names).collect();
    if let Some(llvm) = first(&names).and_then(quickly) {
        return Ok(llvm);
    }
    if let Some(llvm) = names.into_iter().find_map(|name| Llvm::load(name).ok()) {
        return Ok(llvm);
    }
    python::libraries().into_iter().find_map(in_python).ok_or_else(|| {
        let message = "libLLVM is not installed, or older than version 15, and llvmlite is not installed either";
        Diagnostic::error("E0851", message)
            .help("install the package libllvm19 (any version from 15 on does), or `pip install llvmlite`, or let QUADRA_LLVM name the file")
            .into()
    })
}
