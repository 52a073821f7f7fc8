//! Processors that object files are made for, whatever this one is.

/// A processor and its system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// As users name it.
    pub name: &'static str,
    pub triple: &'static str,
    /// By LLVM's names, beside what the triple says.
    pub features: &'static str,
    /// Whether it multiplies and adds floats with one rounding.
    pub fuses: bool,
    /// The machine's number in ELF files.
    pub machine: u8,
}

impl Target {
    pub const ALL: &'static [Target] = &[
        Target { name: "x86-64", triple: "x86_64-unknown-linux-gnu", features: "", fuses: false, machine: 62 },
        Target {
            name: "aarch64",
            triple: "aarch64-unknown-linux-gnu",
            features: "+neon,+fp-armv8",
            fuses: true,
            machine: 183,
        },
        // The Pi 1 and Zero: ARM1176 with its floating-point unit.
        Target {
            name: "armv6",
            triple: "armv6kz-unknown-linux-gnueabihf",
            features: "+vfp2,+strict-align",
            fuses: false,
            machine: 40,
        },
    ];

    /// The one of this name.
    pub fn named(name: &str) -> Option<&'static Target> {
        Target::ALL.iter().find(|t| t.name == name)
    }
}
