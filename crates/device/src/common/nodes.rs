//! Device files of GPUs.

use std::path::{Path, PathBuf};

/// The files in `devices` (`/dev`) through which the system offers GPUs, in order: those of Mesa and AMD, and of drivers that have files
/// of their own: NVIDIA's, Windows' in its Linux, Qualcomm's, Arm's.
pub fn gpu_files(devices: &Path) -> Vec<PathBuf> {
    let files = |folder: PathBuf, is_one: &dyn Fn(&str) -> bool| -> Vec<PathBuf> {
        let found = std::fs::read_dir(folder).into_iter().flatten().flatten();
        found.filter(|f| is_one(&f.file_name().to_string_lossy())).map(|f| f.path()).collect()
    };
    let numbered = |name: &str| name.strip_prefix("nvidia").is_some_and(|k| k.parse::<u32>().is_ok());
    let mut all = files(devices.join("dri"), &|name| name.starts_with("renderD"));
    all.extend(files(devices.into(), &|name| numbered(name) || ["dxg", "kgsl-3d0", "mali0"].contains(&name)));
    all.sort();
    all
}

/// Whether one of these files may be a GPU of NVIDIA's: of its driver, or of Windows, which does not say whose it is.
pub fn may_be_nvidia(files: &[PathBuf]) -> bool {
    let name = |f: &PathBuf| f.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    files.iter().map(name).any(|n| n.starts_with("nvidia") || n == "dxg")
}
