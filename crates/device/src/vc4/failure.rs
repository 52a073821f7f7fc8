//! What can go wrong between this process and the GPU, and how it is told.

use quadra_base::Diagnostic;
use std::io;
use std::time::Duration;

/// A launch that finished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Launched {
    /// From the first write of the launch to the moment its end was seen.
    pub time: Duration,
}

/// How many programs of a launch finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortfall {
    pub finished: u32,
    pub launched: u32,
}

/// Why the board did not do what was asked.
#[derive(Debug)]
pub enum Failure {
    /// The kernel refused a mailbox exchange.
    Kernel { call: &'static str, error: io::Error },
    /// The firmware does not know the request.
    Unknown { call: &'static str, code: u32 },
    /// The firmware answered with a failure.
    Refused { call: &'static str, answer: u32 },
    /// The GPU's share of the memory is used up.
    OutOfMemory { bytes: u32 },
    /// Physical memory could not be mapped.
    Map { address: u64, error: io::Error },
    /// The block reads as switched off though the firmware said that it is on.
    NoPower,
    /// Something else is where the block should be.
    NotV3d { identity: u32 },
    /// Programs of somebody else run and do not end.
    Busy,
    /// More programs than the queue takes.
    TooManyPrograms { asked: usize },
    /// The queue overflowed: somebody else uses it, too.
    Queue(Shortfall),
    /// Not all programs ended in time.
    TimedOut { milliseconds: u64, finished: u32, launched: u32 },
    /// The process is about to end.
    Interrupted,
    /// Programs run that cannot be stopped.
    Lost,
    /// The semaphores and the mutex cannot be set back.
    Unclean,
}

const KMS_HELP: &str = "if a line `dtoverlay=vc4-kms-v3d` or `dtoverlay=vc4-fkms-v3d` stands in config.txt, put `#` before \
it and reboot: the Linux driver and the mailbox cannot share the GPU";

impl Failure {
    /// The failure with cause and help.
    pub fn diagnostic(&self) -> Diagnostic {
        let d = Diagnostic::error(self.code(), self.message());
        match self {
            Failure::Kernel { .. } | Failure::Refused { .. } | Failure::NoPower => d.help(KMS_HELP),
            Failure::Unknown { .. } => d.help("update the firmware: `sudo apt full-upgrade`, then reboot"),
            Failure::OutOfMemory { .. } => d
                .note("memory for the GPU comes out of the share that `gpu_mem` in config.txt sets aside")
                .help("use smaller buffers, or write `gpu_mem=128` (or more) into config.txt and reboot"),
            Failure::Map { error, .. } if error.kind() == io::ErrorKind::PermissionDenied => {
                d.note("mapping the GPU's memory needs root, and a kernel without lockdown").help("run it with `sudo`")
            }
            Failure::Map { .. } => {
                d.help("the kernel must offer /dev/mem without CONFIG_STRICT_DEVMEM for this address")
            }
            Failure::NotV3d { .. } => d.help("report the model of the board with this message"),
            Failure::Busy | Failure::Queue(_) => d.help("end the other process that uses the QPUs, or reboot"),
            Failure::TooManyPrograms { .. } => d.help("launch at most 16 programs at once"),
            Failure::TimedOut { .. } => d
                .note("the QPUs have been switched off; the buffers hold what they held before")
                .help("run it on `emu`, which names endless loops and deadlocks, or give the launch more time"),
            Failure::Interrupted => d,
            Failure::Unclean => d
                .note("an earlier program may have left a semaphore above 0 or the mutex held; only a power cycle sets them back")
                .help("end the other programs that use the GPU, or reboot; kernels without semaphores, mutex and atomics run"),
            Failure::Lost => d
                .note("the GPU memory of this process is kept, because programs may still write to it")
                .help("reboot the machine"),
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Failure::TimedOut { .. } | Failure::Interrupted => "E0608",
            Failure::OutOfMemory { .. } => "E0702",
            _ => "E0715",
        }
    }

    /// The failure in one line.
    pub fn message(&self) -> String {
        match self {
            Failure::Kernel { call, error } => format!("the kernel refused to {call}: {error}"),
            Failure::Unknown { call, code } => {
                format!("the firmware does not know how to {call} (answer code {code:#010x})")
            }
            Failure::Refused { call, answer } => format!("the firmware refused to {call} (answer {answer:#010x})"),
            Failure::OutOfMemory { bytes } => format!("the GPU has no {bytes} bytes of memory left"),
            Failure::Map { address, error } => format!("physical address {address:#010x} cannot be mapped: {error}"),
            Failure::NoPower => "the V3D block has no power: its registers read 0xdeadbeef".to_string(),
            Failure::NotV3d { identity } => {
                format!("there is no V3D block of version 2: its identity reads {identity:#010x}, not 0x02443356")
            }
            Failure::Busy => "programs of another process run on the QPUs and do not end".to_string(),
            Failure::TooManyPrograms { asked } => format!("{asked} programs for a queue of 16"),
            Failure::Queue(Shortfall { finished, launched }) => {
                format!("the queue of programs overflowed; {finished} of {launched} finished")
            }
            Failure::TimedOut { milliseconds, finished, launched } => {
                format!("the QPUs did not finish within {milliseconds} ms: {finished} of {launched} programs did")
            }
            Failure::Interrupted => "the launch was interrupted".to_string(),
            Failure::Unclean => {
                "the semaphores cannot be set to 0: the V3D block keeps its power when it is switched off".to_string()
            }
            Failure::Lost => "programs run on the QPUs that cannot be stopped".to_string(),
        }
    }
}
