//! Names that vc4asm's language has beside the usual ones, many of them those of Broadcom's own texts.

/// The usual name of a directive, without the dot.
pub(super) fn directive(name: &str) -> &str {
    match name {
        "int1" => "bit",
        "int8" => "byte",
        "int16" | "word" => "short",
        "int32" | "dword" => "int",
        "int64" | "qword" => "long",
        "float16" => "half",
        "float32" => "float",
        "float64" => "double",
        "undef" => "unset",
        "elif" => "elseif",
        "endrep" => "endr",
        "endfunc" => "endf",
        "endback" => "endb",
        _ => name,
    }
}

/// The usual name of an operation or signal.
pub(super) fn operation(name: &str) -> &str {
    match name {
        "break" => "bkpt",
        "tend" => "thrend",
        "tswitch" => "thrsw",
        "lswitch" => "lthrsw",
        "waitscb" => "sbwait",
        "unlscb" => "sbdone",
        "ldcvtlb" => "loadcv",
        "ldcotlb" => "loadc",
        "ldcoend" => "ldcend",
        "ldaltlb" => "loadam",
        _ => name,
    }
}

/// The usual suffix of a branch's condition.
pub(super) fn branch_condition(suffix: &str) -> &str {
    match suffix {
        "allcs" => "allc",
        "allcc" => "allnc",
        "anycs" => "anyc",
        "anycc" => "anync",
        _ => suffix,
    }
}
