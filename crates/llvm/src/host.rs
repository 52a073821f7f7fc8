//! What a libLLVM says of itself and of this machine, and what of that is true here.

/// Which functions a library has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// LLVM's own for C.
    C,
    /// Those of the Python package `llvmlite`.
    Lite,
}

/// A library's version, this machine's name, and the processor's features.
#[derive(Clone, Debug, PartialEq)]
pub struct Host {
    pub kind: Kind,
    pub version: (u32, u32, u32),
    pub triple: String,
    /// By LLVM's names with `+` or `-`, separated by commas.
    pub features: String,
}

/// Features that this process asks the processor for itself: LLVM may have asked elsewhere, in another process, which an
/// emulator or a debugger that hides features does not run.
#[cfg(target_arch = "x86_64")]
fn absent() -> Vec<&'static str> {
    macro_rules! absent {
        ($($llvm:literal $rust:tt)*) => {
            [$(($llvm, std::arch::is_x86_feature_detected!($rust))),*]
                .into_iter().filter(|(_, there)| !there).map(|(name, _)| name).collect()
        };
    }
    absent! {
        "sse3" "sse3" "ssse3" "ssse3" "sse4.1" "sse4.1" "sse4.2" "sse4.2" "sse4a" "sse4a" "popcnt" "popcnt" "lzcnt" "lzcnt"
        "bmi" "bmi1" "bmi2" "bmi2" "adx" "adx" "movbe" "movbe" "fma" "fma" "f16c" "f16c" "avx" "avx" "avx2" "avx2"
        "avx512f" "avx512f" "avx512cd" "avx512cd" "avx512bw" "avx512bw" "avx512dq" "avx512dq" "avx512vl" "avx512vl"
        "avx512ifma" "avx512ifma" "avx512vbmi" "avx512vbmi" "avx512vbmi2" "avx512vbmi2" "avx512vnni" "avx512vnni"
        "avx512bitalg" "avx512bitalg" "avx512vpopcntdq" "avx512vpopcntdq" "avx512bf16" "avx512bf16"
        "avx512fp16" "avx512fp16" "avx512vp2intersect" "avx512vp2intersect" "avxvnni" "avxvnni" "gfni" "gfni"
        "vaes" "vaes" "vpclmulqdq" "vpclmulqdq" "aes" "aes" "pclmul" "pclmulqdq" "sha" "sha" "xsave" "xsave"
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn absent() -> Vec<&'static str> {
    Vec::new()
}

/// What this process sees of the processor, to tell what was found out under another view of it.
pub fn view() -> String {
    format!("without {}", absent().join(" "))
}

impl Host {
    /// As an entry of the cache, and on the wire.
    pub fn to_text(&self) -> String {
        let (major, minor, patch) = self.version;
        let kind = if self.kind == Kind::Lite { " llvmlite" } else { "" };
        format!("{major} {minor} {patch}{kind}\n{}\n{}", self.triple, self.features)
    }

    pub fn of_text(text: &str) -> Option<Host> {
        let mut lines = text.lines();
        let first = lines.next()?;
        let numbers: Vec<u32> = first.split(' ').map_while(|n| n.parse().ok()).collect();
        let [major, minor, patch] = numbers[..] else { return None };
        Some(Host {
            kind: if first.ends_with(" llvmlite") { Kind::Lite } else { Kind::C },
            version: (major, minor, patch),
            triple: lines.next()?.to_string(),
            features: lines.next()?.to_string(),
        })
    }

    /// Without the features that this process does not find.
    pub fn here(self) -> Host {
        let absent = absent();
        self.keeping(|name| !absent.contains(&name))
    }

    /// Without the features that `keep` does not.
    pub fn keeping(self, keep: impl Fn(&str) -> bool) -> Host {
        let one = |feature: &str| match feature.strip_prefix('+') {
            Some(name) if !keep(name) => format!("-{name}"),
            _ => feature.to_string(),
        };
        let features = self.features.split(',').map(one).collect::<Vec<_>>().join(",");
        Host { features, ..self }
    }

    pub fn has(&self, name: &str) -> bool {
        self.features.split(',').any(|f| f.strip_prefix('+') == Some(name))
    }
}

/// How much of a processor code may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Vectors of 256 bits.
    Avx2,
    /// What every processor of this architecture has.
    Baseline,
}

impl Level {
    /// Whether it has a feature, by LLVM's name.
    pub fn has(self, name: &str) -> bool {
        let wide = name.starts_with("avx512") || name.starts_with("avx10") || name == "evex512";
        match self {
            Level::Avx2 => !wide,
            Level::Baseline if cfg!(target_arch = "x86_64") => {
                ["64bit", "cmov", "cx8", "fxsr", "mmx", "sse", "sse2"].contains(&name)
            }
            // All have vectors of 128 bits.
            Level::Baseline => ["neon", "fp-armv8", "fp", "simd", "v8a"].contains(&name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_that_are_not_kept_are_switched_off() {
        let host = Host {
            kind: Kind::C,
            version: (19, 1, 7),
            triple: "x86_64-pc-linux-gnu".into(),
            features: "+sse2,+avx2,-fma4,+avx512f,+avx512vl".into(),
        };
        assert_eq!(Host::of_text(&host.to_text()).as_ref(), Some(&host));
        let lite = Host { kind: Kind::Lite, ..host.clone() };
        assert_eq!(Host::of_text(&lite.to_text()), Some(lite));
        let less = host.clone().keeping(|name| Level::Avx2.has(name));
        assert_eq!(less.features, "+sse2,+avx2,-fma4,-avx512f,-avx512vl");
        assert!(less.has("avx2") && !less.has("avx512f") && !less.has("fma4") && host.has("avx512vl"));
        assert_eq!(Host::of_text("19"), None);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn what_this_process_does_not_find_is_not_used() {
        let all = "+sse3,+avx512f,+avx512fp16,+bmi,+lzcnt,+popcnt";
        let host = Host { kind: Kind::C, version: (19, 1, 7), triple: String::new(), features: all.into() }.here();
        assert_eq!(host.has("avx512f"), is_x86_feature_detected!("avx512f"));
        assert_eq!(host.has("bmi"), is_x86_feature_detected!("bmi1"));
        assert_eq!(host.has("avx512fp16"), is_x86_feature_detected!("avx512fp16"));
    }
}
