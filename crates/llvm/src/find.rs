//! Where libLLVM may be: the names of its versions, newest tried version first.

use super::Llvm;
use quadra_base::Diagnostic;
use std::sync::Arc;

/// The environment variable that names a file.
const VARIABLE: &str = "QUADRA_LLVM";

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

pub fn find() -> Result<Arc<Llvm>, Box<Diagnostic>> {
    if let Some(path) = std::env::var_os(VARIABLE).filter(|v| !v.is_empty()) {
        return Llvm::load(std::path::Path::new(&path));
    }
    let names = MAJORS.into_iter().flat_map(names);
    names.into_iter().find_map(|name| Llvm::load(name).ok()).ok_or_else(|| {
        Diagnostic::error("E0851", "libLLVM is not installed, or older than version 15")
            .help("install the package libllvm19 (any version from 15 on does), or let QUADRA_LLVM name the file")
            .into()
    })
}
