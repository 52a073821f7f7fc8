//! Which machine this is, and in plain words why its QPUs cannot be used, if so. Only reads files and opens devices;
//! nothing is switched on.

use super::mailbox;
use quadra_base::Diagnostic;
use std::io;

/// The mailbox device.
pub const VCIO: &str = "/dev/vcio";
/// Physical memory.
pub const MEM: &str = "/dev/mem";
/// V3D within the block of peripherals (VideoCore IV guide p. 110: bus address 0x7ec0_0000).
const V3D_OFFSET: u64 = 0xc0_0000;
/// First bus address of the peripherals.
const PERIPHERALS_BUS: u32 = 0x7e00_0000;
/// Where a boot partition's settings are: Raspberry Pi OS from 12 on, and before.
const CONFIGS: [&str; 2] = ["/boot/firmware/config.txt", "/boot/config.txt"];

/// The files of a machine, as far as detection looks at them.
pub trait Files {
    /// The contents of a file.
    ///
    /// # Errors
    /// As of `std::fs::read`.
    fn read(&self, path: &str) -> io::Result<Vec<u8>>;

    /// The names in a directory.
    ///
    /// # Errors
    /// As of `std::fs::read_dir`.
    fn list(&self, path: &str) -> io::Result<Vec<String>>;

    /// Opens a device for reading and writing, and closes it.
    ///
    /// # Errors
    /// What the kernel reports.
    fn open(&self, path: &str) -> io::Result<()>;

    /// The group of a file, if it has one that can be named.
    fn group(&self, path: &str) -> Option<String>;
}

/// Chips with a VideoCore IV.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Soc {
    /// Pi 1, Zero, Zero W, Compute Module 1.
    Bcm2835,
    /// Pi 2.
    Bcm2836,
    /// Pi 2 v1.2, Pi 3, Zero 2 W, Compute Module 3.
    Bcm2837,
}

impl Soc {
    /// How GPU memory is allocated. The processor of the BCM2835 reaches memory through the VideoCore's L2 cache, so the
    /// QPUs must do so, too; on the later chips neither does (userland, `hello_fft`).
    pub fn memory_flags(self) -> u32 {
        match self {
            Soc::Bcm2835 => mailbox::MEMORY_L1_NONALLOCATING,
            Soc::Bcm2836 | Soc::Bcm2837 => mailbox::MEMORY_DIRECT,
        }
    }

    /// Where the processor sees the peripherals.
    fn peripherals(self) -> u64 {
        match self {
            Soc::Bcm2835 => 0x2000_0000,
            Soc::Bcm2836 | Soc::Bcm2837 => 0x3f00_0000,
        }
    }
}

/// A Raspberry Pi with a VideoCore IV.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// As the device tree calls it: `Raspberry Pi 3 Model B Rev 1.2`.
    pub model: String,
    pub soc: Soc,
    /// Where the processor sees the peripherals.
    pub peripherals: u64,
}

impl Machine {
    /// Physical address of the V3D registers.
    pub fn v3d(&self) -> u64 {
        self.peripherals + V3D_OFFSET
    }
}

/// The GPUs of later boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaterGpu {
    VideoCoreVi,
    VideoCoreVii,
}

/// A line of config.txt that gives the GPU to the Linux driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overlay {
    pub file: &'static str,
    /// From 1.
    pub line: usize,
    pub text: String,
}

/// Why the QPUs cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    NotLinux,
    /// With the machine's name for itself, if it has one.
    NotAPi(Option<String>),
    OtherGpu {
        model: String,
        gpu: LaterGpu,
    },
    /// The Linux driver has bound the GPU; with the line that made it so, if it was found.
    DriverOwnsGpu(Option<Overlay>),
    /// A device file does not exist.
    Missing(&'static str),
    /// A device file may not be opened; with its group, if that would help.
    NoPermission {
        file: &'static str,
        group: Option<String>,
    },
    /// A device file cannot be opened for another reason.
    CannotOpen {
        file: &'static str,
        error: String,
    },
    /// Another process has opened the board.
    InUse,
}

/// Looks at the machine.
///
/// # Errors
/// All obstacles, the one to deal with first in front; never empty.
pub fn look(files: &dyn Files) -> Result<Machine, Vec<Obstacle>> {
    let machine = identify(files).map_err(|obstacle| vec![obstacle])?;
    let mut obstacles = Vec::new();
    if driver_owns_gpu(files) {
        obstacles.push(Obstacle::DriverOwnsGpu(find_overlay(files)));
    }
    for file in [VCIO, MEM] {
        if let Err(error) = files.open(file) {
            obstacles.push(match error.kind() {
                io::ErrorKind::NotFound => Obstacle::Missing(file),
                io::ErrorKind::PermissionDenied => {
                    // Membership of /dev/mem's group does not help: the kernel asks for CAP_SYS_RAWIO as well.
                    let group = if file == MEM { None } else { files.group(file).filter(|g| g != "root") };
                    Obstacle::NoPermission { file, group }
                }
                _ => Obstacle::CannotOpen { file, error: error.to_string() },
            });
        }
    }
    if obstacles.is_empty() { Ok(machine) } else { Err(obstacles) }
}

enum Chip {
    Known(Soc),
    Later(LaterGpu),
}

fn identify(files: &dyn Files) -> Result<Machine, Obstacle> {
    let cpuinfo = text(files, "/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = cpuinfo.lines().find(|line| line.split(':').next().is_some_and(|key| key.trim() == name))?;
        Some(line.split_once(':')?.1.trim().to_string())
    };
    let model = text(files, "/proc/device-tree/model").or_else(|| field("Model"));
    let chip = text(files, "/proc/device-tree/compatible")
        .and_then(|list| list.split('\0').find_map(chip_by_name))
        .or_else(|| if model.is_some() { None } else { chip_by_revision(&field("Revision")?) });
    match chip {
        None => Err(Obstacle::NotAPi(model)),
        Some(Chip::Later(gpu)) => {
            Err(Obstacle::OtherGpu { model: model.unwrap_or_else(|| "this Raspberry Pi".to_string()), gpu })
        }
        Some(Chip::Known(soc)) => {
            let model = model.unwrap_or_else(|| "Raspberry Pi".to_string());
            let peripherals = peripherals_by_tree(files).unwrap_or_else(|| soc.peripherals());
            Ok(Machine { model, soc, peripherals })
        }
    }
}

/// A file's text without the zero bytes at its end that the device tree has.
fn text(files: &dyn Files, path: &str) -> Option<String> {
    let bytes = files.read(path).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_end_matches(['\0', '\n']);
    (!text.is_empty()).then(|| text.to_string())
}

/// Older kernels of the foundation name the chips by their family: 2708, 2709, 2710.
fn chip_by_name(name: &str) -> Option<Chip> {
    Some(match name.strip_prefix("brcm,bcm")? {
        "2835" | "2708" => Chip::Known(Soc::Bcm2835),
        "2836" | "2709" => Chip::Known(Soc::Bcm2836),
        "2837" | "2710" => Chip::Known(Soc::Bcm2837),
        "2711" => Chip::Later(LaterGpu::VideoCoreVi),
        "2712" => Chip::Later(LaterGpu::VideoCoreVii),
        _ => return None,
    })
}

/// Bits 12 to 15 of a new-style revision code name the chip; the old codes are all of BCM2835 boards
/// (raspberrypi/documentation, "Raspberry Pi revision codes").
fn chip_by_revision(revision: &str) -> Option<Chip> {
    let code = u32::from_str_radix(revision.trim_start_matches("0x"), 16).ok()?;
    if code >> 23 & 1 == 0 {
        return (1..=0x15).contains(&(code & 0xff)).then_some(Chip::Known(Soc::Bcm2835));
    }
    Some(match code >> 12 & 0xf {
        0 => Chip::Known(Soc::Bcm2835),
        1 => Chip::Known(Soc::Bcm2836),
        2 => Chip::Known(Soc::Bcm2837),
        3 => Chip::Later(LaterGpu::VideoCoreVi),
        4 => Chip::Later(LaterGpu::VideoCoreVii),
        _ => return None,
    })
}

/// Entries of three big-endian words: bus address, processor address, size.
fn peripherals_by_tree(files: &dyn Files) -> Option<u64> {
    let ranges = files.read("/proc/device-tree/soc/ranges").ok()?;
    let word = |bytes: &[u8]| u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let entry = ranges.chunks_exact(12).find(|entry| word(entry) == PERIPHERALS_BUS)?;
    Some(u64::from(word(&entry[4..])))
}

fn driver_owns_gpu(files: &dyn Files) -> bool {
    let bound = files.list("/sys/bus/platform/drivers/vc4_v3d").unwrap_or_default();
    if bound.iter().any(|name| name.ends_with(".v3d")) {
        return true;
    }
    let modules = text(files, "/proc/modules").unwrap_or_default();
    let loaded = modules.lines().any(|line| line.split(' ').next() == Some("vc4"));
    loaded && text(files, "/proc/device-tree/soc/v3d@7ec00000/status").is_some_and(|s| s == "okay" || s == "ok")
}

/// Sections of config.txt whose lines do not reach a board with a VideoCore IV.
const OTHER_SECTIONS: [&str; 10] =
    ["[none]", "[pi4]", "[pi400]", "[cm4]", "[cm4s]", "[pi5]", "[pi500]", "[cm5]", "[board-type=0x17]", "[tryboot]"];

fn find_overlay(files: &dyn Files) -> Option<Overlay> {
    CONFIGS.into_iter().find_map(|file| {
        let bytes = files.read(file).ok()?;
        let config = String::from_utf8_lossy(&bytes);
        let mut applies = true;
        for (index, line) in config.lines().enumerate() {
            let line = line.trim();
            if line.starts_with('[') {
                applies = !OTHER_SECTIONS.contains(&line.to_lowercase().as_str());
            }
            let value = line.strip_prefix("dtoverlay=").unwrap_or_default();
            if applies && (value.starts_with("vc4-kms") || value.starts_with("vc4-fkms")) {
                return Some(Overlay { file, line: index + 1, text: line.to_string() });
            }
        }
        None
    })
}

impl Obstacle {
    /// The obstacle in one line.
    pub fn message(&self) -> String {
        match self {
            Obstacle::NotLinux => "this is not a Linux machine".to_string(),
            Obstacle::NotAPi(None) => "this machine is not a Raspberry Pi".to_string(),
            Obstacle::NotAPi(Some(model)) => format!("this machine is not a Raspberry Pi but `{model}`"),
            Obstacle::OtherGpu { model, gpu: LaterGpu::VideoCoreVi } => {
                format!("{model} has a VideoCore VI, which runs other programs than the VideoCore IV of Pi 0 to 3")
            }
            Obstacle::OtherGpu { model, gpu: LaterGpu::VideoCoreVii } => {
                format!("{model} has a VideoCore VII, which runs other programs than the VideoCore IV of Pi 0 to 3")
            }
            Obstacle::DriverOwnsGpu(Some(o)) => {
                format!("the Linux driver owns the GPU because of line {} of {}: `{}`", o.line, o.file, o.text)
            }
            Obstacle::DriverOwnsGpu(None) => "the Linux driver `vc4` owns the GPU".to_string(),
            Obstacle::Missing(file) => format!("{file} does not exist"),
            Obstacle::NoPermission { file, .. } => format!("no permission to open {file}"),
            Obstacle::CannotOpen { file, error } => format!("{file} cannot be opened: {error}"),
            Obstacle::InUse => "another process uses the QPUs".to_string(),
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Obstacle::NotLinux | Obstacle::NotAPi(_) => "E0710",
            Obstacle::OtherGpu { .. } => "E0711",
            Obstacle::DriverOwnsGpu(_) => "E0712",
            Obstacle::NoPermission { .. } | Obstacle::CannotOpen { .. } => "E0713",
            Obstacle::Missing(_) => "E0714",
            Obstacle::InUse => "E0715",
        }
    }

    /// What the user can do.
    pub fn help(&self) -> String {
        match self {
            Obstacle::NotLinux | Obstacle::NotAPi(_) => {
                "use `emu`, which emulates a Raspberry Pi's GPU exactly".to_string()
            }
            Obstacle::OtherGpu { gpu, .. } => {
                let (qpus, clock) = match gpu {
                    LaterGpu::VideoCoreVi => (8, "500 MHz"),
                    LaterGpu::VideoCoreVii => (12, "800 MHz or more"),
                };
                format!(
                    "its {qpus} QPUs ({clock}) take programs through the kernel's `v3d` driver and through Vulkan; kernels \
                     for the VideoCore IV run here on `emu`"
                )
            }
            Obstacle::DriverOwnsGpu(Some(o)) => format!(
                "put `#` before line {} of {} and reboot; graphics are then without 3D acceleration",
                o.line, o.file
            ),
            Obstacle::DriverOwnsGpu(None) => format!(
                "remove `dtoverlay=vc4-kms-v3d` or `dtoverlay=vc4-fkms-v3d` from {} (or {}) and the files it includes, \
                 then reboot",
                CONFIGS[0], CONFIGS[1]
            ),
            Obstacle::Missing(VCIO) => {
                "use the kernel of Raspberry Pi OS, which has the module `vcio`; in a container, pass the device on"
                    .to_string()
            }
            Obstacle::Missing(_) => {
                "use a kernel with CONFIG_DEVMEM, as that of Raspberry Pi OS is; in a container, pass the device on"
                    .to_string()
            }
            Obstacle::NoPermission { group: Some(group), .. } => {
                format!("run it with `sudo`, or join the group with `sudo usermod -aG {group} $USER` and log in anew")
            }
            Obstacle::NoPermission { group: None, .. } => "run it with `sudo`: only root may".to_string(),
            Obstacle::CannotOpen { .. } => "look into `dmesg` for the kernel's reason".to_string(),
            Obstacle::InUse => "wait for the other process, or end it".to_string(),
        }
    }
}

/// The first obstacle as an error; the others as notes, so that one reading is enough to deal with all.
pub fn diagnostic(obstacles: &[Obstacle]) -> Diagnostic {
    let first = obstacles.first().expect("there is an obstacle, or there would be a machine");
    let mut d = Diagnostic::error(first.code(), format!("device `vc4` cannot be used: {}", first.message()));
    d = d.help(first.help());
    for other in &obstacles[1..] {
        d = d.note(format!("also, {}", other.message())).help(other.help());
    }
    d
}

/// All obstacles and their remedies in one line.
pub fn reason(obstacles: &[Obstacle]) -> String {
    let all: Vec<String> = obstacles.iter().map(|o| format!("{}; {}", o.message(), o.help())).collect();
    all.join("; also, ")
}
