//! What a run is asked for.

use quadra_device::emu::SfuModel;
use quadra_quasar_vm::clock::Clock;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How a program is run.
#[derive(Clone, Debug)]
pub struct Options {
    /// `scalar` is double precision.
    pub double: bool,
    /// Calls and loop iterations that a program may take.
    pub fuel: u64,
    /// After so long a launch of a kernel or parallel loop is stopped as endless.
    pub time_limit: Option<Duration>,
    /// Bytes that its arrays may hold.
    pub max_memory: usize,
    /// Also notes on loops that are run serially without looking parallel.
    pub verbose: bool,
    /// Name of the device that kernels and parallel loops run on: `host` is the program's own interpreter, `auto` leaves the
    /// choice to the size of each launch.
    pub device: String,
    /// QPUs that kernels may use on the device `qpu`: all unless said.
    pub qpus: Option<u32>,
    /// What special functions give on emulated QPUs.
    pub sfu: SfuModel,
    /// Note what kernels and functions cost: [`Session::profile`](crate::session::Session::profile).
    pub profile: bool,
    /// The time that programs see.
    pub clock: Clock,
    /// Report accesses of one element by different work items that nothing orders.
    pub check_races: bool,
    /// What the program's function `main` is called with, as strings; at most 255.
    pub arguments: Vec<String>,
    /// Where imported files are looked for besides the directory of the importing file.
    pub library: Vec<PathBuf>,
    /// Whether a person watches the output: pictures and progress are shown then.
    pub terminal: bool,
    /// An error ends the session, so that nobody looks at its variables then: loops that may stop need fewer copies.
    pub once: bool,
    /// After so long a run is stopped, on the host and on devices.
    pub run_limit: Option<Duration>,
    /// The directory whose files the program may reach, with its imports; all files if there is none. Directories of `library` can
    /// be imported from besides.
    pub sandbox: Option<PathBuf>,
    /// Texts that somebody edits: they count instead of what is in the files of these names.
    pub edited: Vec<(PathBuf, Arc<str>)>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            double: false,
            fuel: u64::MAX,
            time_limit: None,
            max_memory: 8 << 30,
            verbose: false,
            device: "host".into(),
            qpus: None,
            sfu: SfuModel::default(),
            profile: false,
            clock: Clock::Real,
            check_races: false,
            arguments: Vec::new(),
            library: Vec::new(),
            terminal: false,
            once: false,
            run_limit: None,
            sandbox: None,
            edited: Vec::new(),
        }
    }
}
