//! The library inside the Python package `llvmlite`, where pip or a distribution has put it.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

static OFFERED: OnceLock<PathBuf> = OnceLock::new();

/// Tells where the package lies, before anything is compiled: Python knows it where we would have to guess. Only the first call counts.
pub fn offer(package: PathBuf) {
    let _ = OFFERED.set(package);
}

/// The file in a package's folder.
fn library(package: &Path) -> PathBuf {
    let name = if cfg!(target_os = "macos") { "libllvmlite.dylib" } else { "libllvmlite.so" };
    package.join("binding").join(name)
}

/// Folders that have folders like `python3.12` with packages in them.
fn roots() -> Vec<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let mut roots: Vec<PathBuf> = ["VIRTUAL_ENV", "CONDA_PREFIX"].iter().filter_map(|name| variable(name)).collect();
    // A command that was installed into an environment uses what is installed beside it.
    roots.extend(std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.parent()?.to_path_buf())));
    roots.extend(variable("HOME").map(|home| home.join(".local")));
    roots.extend(["/usr/local", "/usr"].map(PathBuf::from));
    roots.into_iter().flat_map(|root| [root.join("lib"), root.join("lib64")]).collect()
}

/// Files that may be it, in the order in which they are tried.
pub fn libraries() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = OFFERED.get().map(|package| library(package)).into_iter().collect();
    for root in roots() {
        let entries = std::fs::read_dir(&root).into_iter().flatten().flatten();
        let mut versions: Vec<PathBuf> = entries
            .map(|entry| entry.path())
            .filter(|path| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("python3")))
            .collect();
        versions.sort();
        // The newest first.
        for version in versions.iter().rev() {
            found.extend(["site-packages", "dist-packages"].map(|n| library(&version.join(n).join("llvmlite"))));
        }
    }
    found.retain(|path| path.is_file());
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_offered_comes_first_if_it_is_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let package = folder.path().join("llvmlite");
        std::fs::create_dir_all(package.join("binding")).expect("a folder");
        std::fs::write(library(&package), "no library").expect("a file");
        offer(package.clone());
        assert_eq!(libraries().first(), Some(&library(&package)));
        std::fs::remove_file(library(&package)).expect("it is there");
        assert!(!libraries().contains(&library(&package)));
    }
}
