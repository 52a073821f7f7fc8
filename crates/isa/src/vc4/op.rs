//! Operations of the two ALUs, conditions and signals: one table each for codes, names and properties.

/// Declares the operations of one ALU from a table: code, mnemonic, number of operands, whether the inputs are floats,
/// whether the result is a float, whether the operands commute, and the meaning.
macro_rules! operations {
    ($(#[$meta:meta])* $name:ident {
        $($variant:ident = $code:literal, $mnemonic:literal, $operands:literal, $float_in:literal, $float_out:literal, $commutes:literal, $doc:literal;)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum $name {
            $(#[doc = $doc] $variant = $code,)*
        }

        impl $name {
            /// Every operation in the order of the codes.
            pub const ALL: &[$name] = &[$($name::$variant,)*];

            /// The operation with this code; `None` for reserved codes.
            pub const fn from_code(code: u8) -> Option<$name> {
                match code {
                    $($code => Some($name::$variant),)*
                    _ => None,
                }
            }

            /// The code in the instruction word.
            pub const fn code(self) -> u8 {
                self as u8
            }

            /// The name in assembly text.
            pub const fn mnemonic(self) -> &'static str {
                match self {
                    $($name::$variant => $mnemonic,)*
                }
            }

            /// The operation with this mnemonic.
            pub fn from_mnemonic(text: &str) -> Option<$name> {
                match text {
                    $($mnemonic => Some($name::$variant),)*
                    _ => None,
                }
            }

            /// How many source operands have an effect: 0, 1 or 2.
            pub const fn operands(self) -> usize {
                match self {
                    $($name::$variant => $operands,)*
                }
            }

            /// Whether the inputs are read as floats, which also selects the float form of a file A unpack.
            pub const fn takes_floats(self) -> bool {
                match self {
                    $($name::$variant => $float_in,)*
                }
            }

            /// Whether the result is a float, which also selects the half-float form of a file A pack.
            pub const fn gives_float(self) -> bool {
                match self {
                    $($name::$variant => $float_out,)*
                }
            }

            /// Whether exchanging the operands leaves the result (not always the flags) as it is.
            pub const fn commutes(self) -> bool {
                match self {
                    $($name::$variant => $commutes,)*
                }
            }

            /// The meaning in one line.
            pub const fn about(self) -> &'static str {
                match self {
                    $($name::$variant => $doc,)*
                }
            }
        }
    };
}

operations! {
    /// Operation of the add ALU (guide, "Op Add", p. 35).
    AddOp {
        // code, mnemonic, operands, float inputs, float result, commutes, meaning
        Nop = 0, "nop", 0, false, false, false, "no operation";
        Fadd = 1, "fadd", 2, true, true, true, "float a + b, rounded toward zero";
        Fsub = 2, "fsub", 2, true, true, false, "float a - b, rounded toward zero";
        Fmin = 3, "fmin", 2, true, true, true, "the smaller float, bits unchanged";
        Fmax = 4, "fmax", 2, true, true, true, "the larger float, bits unchanged";
        Fminabs = 5, "fminabs", 2, true, true, true, "the smaller absolute value";
        Fmaxabs = 6, "fmaxabs", 2, true, true, true, "the larger absolute value";
        Ftoi = 7, "ftoi", 1, true, false, false, "float to signed integer, truncated; 0 if out of range";
        Itof = 8, "itof", 1, false, true, false, "signed integer to float, rounded toward zero";
        Add = 12, "add", 2, false, false, true, "a + b";
        Sub = 13, "sub", 2, false, false, false, "a - b";
        Shr = 14, "shr", 2, false, false, false, "logical shift right of a by b mod 32";
        Asr = 15, "asr", 2, false, false, false, "arithmetic shift right of a by b mod 32";
        Ror = 16, "ror", 2, false, false, false, "rotate bits of a right by b mod 32";
        Shl = 17, "shl", 2, false, false, false, "shift left of a by b mod 32";
        Min = 18, "min", 2, false, false, true, "the smaller signed integer";
        Max = 19, "max", 2, false, false, true, "the larger signed integer";
        And = 20, "and", 2, false, false, true, "bitwise and";
        Or = 21, "or", 2, false, false, true, "bitwise or";
        Xor = 22, "xor", 2, false, false, true, "bitwise exclusive or";
        Not = 23, "not", 1, false, false, false, "bitwise complement";
        Clz = 24, "clz", 1, false, false, false, "number of leading zero bits; 32 for 0";
        V8adds = 30, "v8adds", 2, false, false, true, "four byte additions, saturating at 255";
        V8subs = 31, "v8subs", 2, false, false, false, "four byte subtractions, saturating at 0";
    }
}

operations! {
    /// Operation of the mul ALU (guide, "Op Mul", p. 35).
    MulOp {
        // code, mnemonic, operands, float inputs, float result, commutes, meaning
        Nop = 0, "nop", 0, false, false, false, "no operation";
        Fmul = 1, "fmul", 2, true, true, true, "float a * b, rounded toward zero";
        Mul24 = 2, "mul24", 2, false, false, true, "low 32 bits of the product of the low 24 bits, unsigned";
        V8muld = 3, "v8muld", 2, false, false, true, "four byte products divided by 255";
        V8min = 4, "v8min", 2, false, false, true, "four byte minima";
        V8max = 5, "v8max", 2, false, false, true, "four byte maxima";
        V8adds = 6, "v8adds", 2, false, false, true, "four byte additions, saturating at 255";
        V8subs = 7, "v8subs", 2, false, false, false, "four byte subtractions, saturating at 0";
    }
}

/// Declares an enum of codes with names.
macro_rules! codes {
    ($(#[$meta:meta])* $name:ident { $($variant:ident = $code:literal, $text:literal, $doc:literal;)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum $name {
            $(#[doc = $doc] $variant = $code,)*
        }

        impl $name {
            /// Every value in the order of the codes.
            pub const ALL: &[$name] = &[$($name::$variant,)*];

            /// The value with this code; `None` for reserved codes.
            pub const fn from_code(code: u8) -> Option<$name> {
                match code {
                    $($code => Some($name::$variant),)*
                    _ => None,
                }
            }

            /// The code in the instruction word.
            pub const fn code(self) -> u8 {
                self as u8
            }

            /// The name in assembly text.
            pub const fn name(self) -> &'static str {
                match self {
                    $($name::$variant => $text,)*
                }
            }

            /// The value with this name in assembly text.
            pub fn from_name(text: &str) -> Option<$name> {
                match text {
                    $($text => Some($name::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

codes! {
    /// Condition of an ALU operation, evaluated in each lane on the flags before the instruction (guide p. 28).
    Cond {
        Never = 0, "never", "the result is not written and flags do not change";
        Always = 1, "always", "every lane";
        Zs = 2, "zs", "lanes with Z set";
        Zc = 3, "zc", "lanes with Z clear";
        Ns = 4, "ns", "lanes with N set";
        Nc = 5, "nc", "lanes with N clear";
        Cs = 6, "cs", "lanes with C set";
        Cc = 7, "cc", "lanes with C clear";
    }
}

impl Cond {
    /// The condition that holds in exactly the other lanes.
    pub const fn inverse(self) -> Cond {
        match self {
            Cond::Never => Cond::Always,
            Cond::Always => Cond::Never,
            Cond::Zs => Cond::Zc,
            Cond::Zc => Cond::Zs,
            Cond::Ns => Cond::Nc,
            Cond::Nc => Cond::Ns,
            Cond::Cs => Cond::Cc,
            Cond::Cc => Cond::Cs,
        }
    }

    /// Whether the condition depends on the flags.
    pub const fn is_conditional(self) -> bool {
        self.code() >= 2
    }
}

codes! {
    /// Condition of a branch over the flags of all 16 lanes (guide p. 34).
    BranchCond {
        AllZs = 0, "allz", "Z is set in all lanes";
        AllZc = 1, "allnz", "Z is clear in all lanes";
        AnyZs = 2, "anyz", "Z is set in some lane";
        AnyZc = 3, "anynz", "Z is clear in some lane";
        AllNs = 4, "alln", "N is set in all lanes";
        AllNc = 5, "allnn", "N is clear in all lanes";
        AnyNs = 6, "anyn", "N is set in some lane";
        AnyNc = 7, "anynn", "N is clear in some lane";
        AllCs = 8, "allc", "C is set in all lanes";
        AllCc = 9, "allnc", "C is clear in all lanes";
        AnyCs = 10, "anyc", "C is set in some lane";
        AnyCc = 11, "anync", "C is clear in some lane";
        Always = 15, "always", "unconditional";
    }
}

impl BranchCond {
    /// The condition that holds exactly when this one does not; `None` for [`BranchCond::Always`].
    pub const fn inverse(self) -> Option<BranchCond> {
        // "all set" and "any clear" differ by 3 in the code, as do "all clear" and "any set" by 1.
        match self {
            BranchCond::Always => None,
            _ => BranchCond::from_code(self.code() ^ 3),
        }
    }
}

codes! {
    /// Signal of an ALU instruction (guide p. 29). The codes 14 and 15 mark load immediate and branch.
    Signal {
        Breakpoint = 0, "bkpt", "software breakpoint";
        None = 1, "none", "no signal";
        ThreadSwitch = 2, "thrsw", "thread switch (fragment shaders)";
        ProgramEnd = 3, "thrend", "program end after the next two instructions";
        ScoreboardWait = 4, "sbwait", "wait for the scoreboard (fragment shaders)";
        ScoreboardUnlock = 5, "sbdone", "unlock the scoreboard (fragment shaders)";
        LastThreadSwitch = 6, "lthrsw", "last thread switch (fragment shaders)";
        CoverageLoad = 7, "loadcv", "coverage load into r4 (fragment shaders)";
        ColourLoad = 8, "loadc", "colour load into r4 (fragment shaders)";
        ColourLoadEnd = 9, "ldcend", "colour load into r4 and program end (fragment shaders)";
        LoadTmu0 = 10, "ldtmu0", "next result of TMU0 into r4";
        LoadTmu1 = 11, "ldtmu1", "next result of TMU1 into r4";
        AlphaMaskLoad = 12, "loadam", "alpha mask load into r4 (fragment shaders)";
        SmallImm = 13, "smallimm", "the file B read field holds a small immediate or rotation";
    }
}

impl Signal {
    /// Whether the signal writes r4.
    pub const fn loads_r4(self) -> bool {
        matches!(self.code(), 7..=12)
    }

    /// Whether the signal ends the program.
    pub const fn ends_program(self) -> bool {
        matches!(self, Signal::ProgramEnd | Signal::ColourLoadEnd)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_codes_agree() {
        for &op in AddOp::ALL {
            assert_eq!(AddOp::from_code(op.code()), Some(op));
            assert_eq!(AddOp::from_mnemonic(op.mnemonic()), Some(op));
        }
        for &op in MulOp::ALL {
            assert_eq!(MulOp::from_code(op.code()), Some(op));
            assert_eq!(MulOp::from_mnemonic(op.mnemonic()), Some(op));
        }
        assert_eq!((AddOp::ALL.len(), MulOp::ALL.len()), (24, 8));
        let reserved: Vec<u8> = (0..32).filter(|c| AddOp::from_code(*c).is_none()).collect();
        assert_eq!(reserved, [9, 10, 11, 25, 26, 27, 28, 29]);
    }

    #[test]
    fn the_inverse_of_a_branch_condition_is_its_negation() {
        use BranchCond as B;
        for (a, b) in [(B::AllZs, B::AnyZc), (B::AllZc, B::AnyZs), (B::AllNs, B::AnyNc), (B::AllCc, B::AnyCs)] {
            assert_eq!(a.inverse(), Some(b));
            assert_eq!(b.inverse(), Some(a));
        }
        assert_eq!(B::Always.inverse(), None);
        for &c in Cond::ALL {
            assert_eq!(c.inverse().inverse(), c);
        }
    }
}
