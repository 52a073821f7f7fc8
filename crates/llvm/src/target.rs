//! Processors and GPUs that code is made for, whatever there is here.

/// A processor and its system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// As users name it.
    pub name: &'static str,
    pub triple: &'static str,
    /// By LLVM's name, where triple and features do not say it.
    pub processor: &'static str,
    /// By LLVM's names, beside what the triple says.
    pub features: &'static str,
    /// Whether it multiplies and adds floats with one rounding.
    pub fuses: bool,
    /// The machine's number in ELF files.
    pub machine: u8,
}

impl Target {
    pub const ALL: &'static [Target] = &[
        Target {
            name: "x86-64",
            triple: "x86_64-unknown-linux-gnu",
            processor: "",
            features: "",
            fuses: false,
            machine: 62,
        },
        Target {
            name: "aarch64",
            triple: "aarch64-unknown-linux-gnu",
            processor: "",
            features: "+neon,+fp-armv8",
            fuses: true,
            machine: 183,
        },
        // The Pi 1 and Zero: ARM1176 with its floating-point unit.
        Target {
            name: "armv6",
            triple: "armv6kz-unknown-linux-gnueabihf",
            processor: "",
            features: "+vfp2,+strict-align",
            fuses: false,
            machine: 40,
        },
    ];

    /// GPUs of NVIDIA by their compute capability, for which assembly is made (PTX), which their driver takes.
    pub const NVIDIA: &'static [Target] =
        &[nvidia("sm_70"), nvidia("sm_75"), nvidia("sm_80"), nvidia("sm_86"), nvidia("sm_89"), nvidia("sm_90")];

    /// The processor of this name.
    pub fn named(name: &str) -> Option<&'static Target> {
        Target::ALL.iter().find(|t| t.name == name)
    }
}

const fn nvidia(name: &'static str) -> Target {
    let triple = "nvptx64-nvidia-cuda";
    Target { name, triple, processor: name, features: "", fuses: false, machine: 0 }
}
