//! Peers: processes that are told which row to load and when to run it.

use super::rows::case::{Array, Case};
use crate::bench::process::Process;
use quadra_base::Diagnostic;
use std::path::Path;
use std::process::{Command, Stdio};

const KERNELS: &str = include_str!("peers/kernels.h");
const DRIVER: &str = include_str!("peers/driver.c");
const PYTHON: &str = include_str!("peers/peers.py");

/// The names of all peers.
pub const NAMES: [&str; 4] = ["gcc", "clang", "numba", "numpy"];

/// The instructions that C's compilers may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instructions {
    /// What this processor has.
    Native,
    /// Vectors of 256 bits.
    Avx2,
}

struct Peer {
    name: &'static str,
    process: Process,
    /// It has the row that is measured.
    loaded: bool,
}

impl Peer {
    fn start(name: &'static str, command: &mut Command) -> Option<Peer> {
        Some(Peer { name, process: Process::start(command)?, loaded: false })
    }
}

/// The peers of a run.
#[derive(Default)]
pub struct Peers {
    peers: Vec<Peer>,
}

impl Peers {
    /// Builds and starts those that are asked for and can be found: gcc, clang (the newest of some), and Python with Numba and NumPy
    /// (the interpreter that `PYTHON` names, or `python3`).
    ///
    /// # Errors
    /// A directory that cannot be written.
    pub fn start(only: &[String], threads: usize, which: Instructions, directory: &Path) -> Result<Peers, Diagnostic> {
        let wants = |name: &str| only.is_empty() || only.iter().any(|o| o == name);
        let mut peers = Peers::default();
        for (file, text) in [("kernels.h", KERNELS), ("driver.c", DRIVER), ("peers.py", PYTHON)] {
            write(&directory.join(file), text.as_bytes())?;
        }
        let n = threads.to_string();
        let compilers: [(&'static str, &[&str]); 2] =
            [("gcc", &["gcc"]), ("clang", &["clang-21", "clang-20", "clang-19", "clang"])];
        for (name, programs) in compilers {
            if wants(name)
                && let Some(path) = programs.iter().find_map(|p| built(name, p, which, directory))
            {
                let mut command = Command::new(path);
                command.arg(directory).arg(name).env("OMP_NUM_THREADS", &n);
                peers.peers.extend(Peer::start(name, &mut command));
            }
        }
        let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
        for name in ["numba", "numpy"] {
            let there = || {
                let asked =
                    Command::new(&python).args(["-c", &format!("import {name}")]).stderr(Stdio::null()).status();
                asked.is_ok_and(|s| s.success())
            };
            if wants(name) && there() {
                let mut command = Command::new(&python);
                command.arg(directory.join("peers.py")).arg(directory).arg(name);
                for variable in ["OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"] {
                    command.env(variable, &n);
                }
                command.env("NUMBA_CACHE_DIR", std::env::temp_dir().join("quadra-bench-numba"));
                if which == Instructions::Avx2 {
                    command
                        .env("NUMBA_CPU_NAME", "haswell")
                        .env("NPY_DISABLE_CPU_FEATURES", "AVX512F AVX512CD AVX512_SKX");
                }
                peers.peers.extend(Peer::start(name, &mut command));
            }
        }
        Ok(peers)
    }

    pub fn names(&self) -> Vec<&'static str> {
        self.peers.iter().map(|p| p.name).collect()
    }

    /// Has all peers load a row and run it once; those that know it, with whether their results are right.
    ///
    /// # Errors
    /// A directory that cannot be written.
    pub fn load(&mut self, row: &str, case: &Case, directory: &Path) -> Result<Vec<(&'static str, bool)>, Diagnostic> {
        if self.peers.is_empty() {
            return Ok(Vec::new());
        }
        let mut manifest = String::new();
        let describe = |kind: &str, array: &Array| {
            let shape: Vec<String> = array.shape.iter().map(ToString::to_string).collect();
            let bytes = array.elements.to_bytes().len();
            format!("{kind} {} {bytes} {}\n", array.elements.kind(), shape.join(" "))
        };
        for (k, array) in case.arrays.iter().enumerate() {
            manifest += &describe("in", array);
            write(&directory.join(format!("{row}.{k}")), &array.elements.to_bytes())?;
        }
        case.want.iter().for_each(|array| manifest += &describe("out", array));
        case.numbers.iter().for_each(|x| manifest += &format!("scalar {x:?}\n"));
        write(&directory.join(format!("{row}.txt")), manifest.as_bytes())?;
        let mut known = Vec::new();
        for peer in &mut self.peers {
            peer.loaded = peer.process.ask(&format!("load {row}")) == "ok";
            if peer.loaded {
                let got: Option<Vec<_>> = (case.want.iter().enumerate())
                    .map(|(k, want)| {
                        let bytes = std::fs::read(directory.join(format!("{row}.{}.{k}", peer.name))).ok()?;
                        Some(want.elements.of_bytes(&bytes))
                    })
                    .collect();
                known.push((peer.name, got.is_some_and(|got| case.agrees(&got))));
            }
        }
        for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(&format!("{row}.")) {
                drop(std::fs::remove_file(entry.path()));
            }
        }
        Ok(known)
    }

    /// Times of runs of the loaded row for at least so many milliseconds.
    pub fn time(&mut self, name: &str, at_least_ms: f64) -> Vec<f64> {
        let Some(peer) = self.peers.iter_mut().find(|p| p.name == name && p.loaded) else { return Vec::new() };
        peer.process.ask(&format!("time {at_least_ms} 1")).split(' ').filter_map(|t| t.parse().ok()).collect()
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Diagnostic> {
    quadra_base::file::write(path, bytes).map_err(|e| {
        Diagnostic::error("E0830", format!("the benchmark's file '{}' cannot be written: {e}", path.display()))
            .help("set TMPDIR to a directory that can be written")
    })
}

/// The driver, built by a compiler if there is one.
fn built(name: &str, compiler: &str, which: Instructions, directory: &Path) -> Option<std::path::PathBuf> {
    let path = directory.join(format!("driver-{name}"));
    let build = |vectors: &[&str]| {
        let mut command = Command::new(compiler);
        command.args(["-O3", "-ffast-math", "-fopenmp", "-w"]).args(vectors);
        command.arg(match which {
            Instructions::Native => "-march=native",
            Instructions::Avx2 => "-march=x86-64-v3",
        });
        command.arg(directory.join("driver.c")).arg("-o").arg(&path).args(["-lm"]);
        command.stderr(Stdio::null()).status().is_ok_and(|s| s.success())
    };
    // gcc uses the vector functions of the C library by itself.
    let vectors: &[&str] = if name == "clang" { &["-fveclib=libmvec"] } else { &[] };
    (build(vectors) || build(&[])).then_some(path)
}
