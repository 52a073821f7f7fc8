//! The fields of an instruction word by name (guide p. 26), for the `fields` operation of the assembler and for tables.

use super::line::FieldSet;

/// One field: name, lowest bit, number of bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    pub name: &'static str,
    pub shift: u32,
    pub bits: u32,
}

const fn field(name: &'static str, shift: u32, bits: u32) -> Field {
    Field { name, shift, bits }
}

const ALU: &[Field] = &[
    field("sig", 60, 4),
    field("unpack", 57, 3),
    field("pm", 56, 1),
    field("pack", 52, 4),
    field("cond_add", 49, 3),
    field("cond_mul", 46, 3),
    field("sf", 45, 1),
    field("ws", 44, 1),
    field("waddr_add", 38, 6),
    field("waddr_mul", 32, 6),
    field("op_mul", 29, 3),
    field("op_add", 24, 5),
    field("raddr_a", 18, 6),
    field("raddr_b", 12, 6),
    field("add_a", 9, 3),
    field("add_b", 6, 3),
    field("mul_a", 3, 3),
    field("mul_b", 0, 3),
];

const LOAD: &[Field] = &[
    field("sig", 60, 4),
    field("unpack", 57, 3),
    field("pm", 56, 1),
    field("pack", 52, 4),
    field("cond_add", 49, 3),
    field("cond_mul", 46, 3),
    field("sf", 45, 1),
    field("ws", 44, 1),
    field("waddr_add", 38, 6),
    field("waddr_mul", 32, 6),
    field("imm", 0, 32),
];

const BRANCH: &[Field] = &[
    field("sig", 60, 4),
    field("unused", 56, 4),
    field("cond_br", 52, 4),
    field("rel", 51, 1),
    field("reg", 50, 1),
    field("raddr_a", 45, 5),
    field("ws", 44, 1),
    field("waddr_add", 38, 6),
    field("waddr_mul", 32, 6),
    field("imm", 0, 32),
];

/// The fields of the format that this word has; together they cover all 64 bits.
pub fn of_word(word: u64) -> &'static [Field] {
    match word >> 60 {
        15 => BRANCH,
        14 => LOAD,
        _ => ALU,
    }
}

/// The field of any format with this name.
pub fn find(name: &str) -> Option<Field> {
    [ALU, LOAD, BRANCH].into_iter().flatten().find(|f| f.name == name).copied()
}

impl Field {
    /// The field's value in a word.
    pub const fn get(&self, word: u64) -> u32 {
        (word >> self.shift & ((1 << self.bits) - 1)) as u32
    }

    /// The word with another value of this field; bits that do not fit are dropped.
    pub const fn set(&self, word: u64, value: u32) -> u64 {
        let mask = ((1u64 << self.bits) - 1) << self.shift;
        word & !mask | ((value as u64) << self.shift & mask)
    }
}

/// What has to be set in `from` to make it `to`, which must have the same format.
pub fn difference(from: u64, to: u64) -> Vec<FieldSet> {
    of_word(to)
        .iter()
        .filter(|f| f.get(from) != f.get(to))
        .map(|f| FieldSet { name: f.name, value: f.get(to) })
        .collect()
}

/// The word with these fields set, each looked up in the format of `word`; `Err` names the first field it lacks.
pub fn apply(word: u64, sets: &[FieldSet]) -> Result<u64, &'static str> {
    let mut result = word;
    for set in sets {
        let field = of_word(word).iter().find(|f| f.name == set.name).ok_or(set.name)?;
        result = field.set(result, set.value);
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_of_each_format_cover_the_word_once() {
        for fields in [ALU, LOAD, BRANCH] {
            let mut covered = 0u64;
            for f in fields {
                let mask = f.set(0, u32::MAX);
                assert_eq!(covered & mask, 0, "{}", f.name);
                covered |= mask;
            }
            assert_eq!(covered, u64::MAX);
        }
    }

    #[test]
    fn a_difference_applied_gives_the_other_word() {
        let (from, to) = (0x1000_09e7_009e_7000, 0x1002_0827_0c9e_7280);
        assert_eq!(apply(from, &difference(from, to)), Ok(to));
        assert_eq!(apply(from, &[FieldSet { name: "cond_br", value: 1 }]), Err("cond_br"));
    }
}
