//! Less text for LLVM to read: no instructions whose values nobody uses, and each vector constant spelled once.
//!
//! The lowering writes a value where it stands in the kernel, whether or not anything asks for it as it is: addresses are made
//! of sums of their own, and of a splat often only the scalar is used. LLVM would drop these after reading them, which takes longer
//! than finding them here. Vector constants stand in the text as `` `i32 5` `` (16 times that) or `` `lanes` `` (0 to 15); the
//! function's first block names them, and LLVM's first pass puts them back in their places.

use crate::common::text::LANES;
use std::collections::HashMap;
use std::fmt::Write;

/// What stands for the numbers 0 to 15.
pub const IOTA: &str = "`lanes`";

/// What stands for 16 times a typed constant.
pub fn splat(constant: &str) -> String {
    format!("`{constant}`")
}

/// The lanes' numbers, spelled out.
pub fn iota() -> String {
    let lanes: Vec<String> = (0..16).map(|l| format!("i32 {l}")).collect();
    format!("<{}>", lanes.join(", "))
}

/// A function's instructions without what nobody uses, behind the constants that they name.
pub fn brief(lines: &str) -> String {
    let all: Vec<&str> = lines.lines().collect();
    let mut used: Vec<bool> = Vec::new();
    let mut dead = vec![false; all.len()];
    // Values are written before they are used, so that from behind all uses are known.
    for (n, line) in all.iter().enumerate().rev() {
        match definition(line) {
            Some((name, instruction)) => {
                dead[n] = !used.get(name).copied().unwrap_or(false) && is_idle(instruction);
                if !dead[n] {
                    names(instruction, &mut used);
                }
            }
            None => names(line, &mut used),
        }
    }
    let (mut body, mut constants) = (String::with_capacity(lines.len()), Constants::default());
    for line in all.iter().zip(&dead).filter(|(_, dead)| !**dead).map(|(line, _)| line) {
        for (n, part) in line.split('`').enumerate() {
            match n % 2 {
                0 => body += part,
                _ => body += constants.name(part),
            }
        }
        body.push('\n');
    }
    constants.lines + &body
}

/// The number of the value that a line defines, and how.
fn definition(line: &str) -> Option<(usize, &str)> {
    let (name, instruction) = line.strip_prefix("  %t")?.split_once(" = ")?;
    Some((name.parse().ok()?, instruction))
}

/// Whether an instruction does nothing but give its value.
fn is_idle(instruction: &str) -> bool {
    let (op, rest) = instruction.split_once(' ').unwrap_or((instruction, ""));
    let other = ["atomicrmw", "cmpxchg", "invoke", "alloca", "phi"].contains(&op);
    match op {
        "load" => !rest.starts_with("atomic") && !rest.starts_with("volatile"),
        "call" => rest.contains(" @llvm."),
        _ => !other,
    }
}

/// Notes the values that a text names.
fn names(text: &str, used: &mut Vec<bool>) {
    let mut rest = text.as_bytes();
    while let Some(at) = rest.iter().position(|&c| c == b'%') {
        rest = &rest[at + 1..];
        let Some((b't', digits)) = rest.split_first() else { continue };
        let digits = digits.iter().take_while(|c| c.is_ascii_digit());
        let n = digits.fold(0, |n, c| 10 * n + usize::from(c - b'0'));
        if used.len() <= n {
            used.resize(2 * n + 1, false);
        }
        used[n] = true;
    }
}

#[derive(Default)]
struct Constants<'a> {
    names: HashMap<&'a str, String>,
    lines: String,
}

impl<'a> Constants<'a> {
    fn name(&mut self, constant: &'a str) -> &str {
        let many = self.names.len();
        let lines = &mut self.lines;
        self.names.entry(constant).or_insert_with(|| {
            let name = format!("%k{many}");
            let written = if constant == "lanes" {
                writeln!(lines, "  {name} = add {LANES} {}, zeroinitializer", iota())
            } else {
                let elem = constant.split(' ').next().unwrap_or_default();
                writeln!(lines, "  {name}.0 = insertelement <16 x {elem}> zeroinitializer, {constant}, i32 0")
                    .and(writeln!(lines, "  {name} = shufflevector <16 x {elem}> {name}.0, <16 x {elem}> zeroinitializer, {LANES} zeroinitializer"))
            };
            written.expect("a string takes all");
            name
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_uses_is_left_out_and_constants_are_named_once() {
        let text = "  %t1 = load i32, ptr %g0\n  %t2 = add i32 %t1, 5\n  %t3 = add i32 %t2, 7\nl4:\n  %t5 = add <16 x i32> %p, `i32 5`\n\
                    \x20 %t6 = mul <16 x i32> %t5, `i32 5`\n  store <16 x i32> %t6, ptr %p1\n  %t7 = add <16 x i32> `lanes`, %t6\n  \
                    %t8 = atomicrmw add ptr %p, i32 1 seq_cst\n  %t9 = call i32 %f(i32 %t1)\n  br label %l4\n";
        let want = "  %k0.0 = insertelement <16 x i32> zeroinitializer, i32 5, i32 0\n  %k0 = shufflevector <16 x i32> %k0.0, \
                    <16 x i32> zeroinitializer, <16 x i32> zeroinitializer\n  %t1 = load i32, ptr %g0\nl4:\n  \
                    %t5 = add <16 x i32> %p, %k0\n  %t6 = mul <16 x i32> %t5, %k0\n  store <16 x i32> %t6, ptr %p1\n  \
                    %t8 = atomicrmw add ptr %p, i32 1 seq_cst\n  %t9 = call i32 %f(i32 %t1)\n  br label %l4\n";
        assert_eq!(brief(text), want);
    }
}
