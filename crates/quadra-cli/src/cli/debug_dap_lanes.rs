//! Registers, flags, rows of the VPM and uniforms as an editor lists them, and conditions on registers.

use crate::dap::wire::{Answer, Request};
use quadra_isa::vc4::emu::{Lanes, Machine, Registers};
use serde_json::{Value, json};

/// Uniforms that are listed.
const UNIFORMS: u32 = 16;

/// What has children.
#[derive(Clone, Copy)]
enum List {
    Bank(usize, Bank),
    Lanes([u32; 16]),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bank {
    Accumulators,
    A,
    B,
    Flags,
    Uniforms,
    Vpm,
}

const BANKS: [(Bank, &str); 6] = [
    (Bank::Accumulators, "Accumulators"),
    (Bank::A, "File A"),
    (Bank::B, "File B"),
    (Bank::Flags, "Flags"),
    (Bank::Uniforms, "Uniforms"),
    (Bank::Vpm, "VPM"),
];

/// What the client may ask the children of, until execution goes on.
#[derive(Default)]
pub struct Lists(Vec<List>);

fn number(bits: u32, hex: bool) -> String {
    let float = f32::from_bits(bits);
    if hex {
        format!("{bits:#010x}")
    } else if bits != 0 && float.is_normal() && (1e-6..1e9).contains(&float.abs()) {
        format!("{} = {float:?}", bits as i32)
    } else {
        (bits as i32).to_string()
    }
}

fn lanes(value: &[u32; 16], hex: bool) -> String {
    if value.iter().all(|v| *v == value[0]) {
        return format!("{} in all lanes", number(value[0], hex));
    }
    let one = |bits: &u32| if hex { format!("{bits:08x}") } else { (*bits as i32).to_string() };
    value.iter().map(one).collect::<Vec<_>>().join(" ")
}

fn bits(set: u16) -> String {
    (0..16).map(|lane| if set >> lane & 1 == 1 { '1' } else { '.' }).collect()
}

/// The bank and number that a name means.
fn place(name: &str) -> Option<(&str, usize)> {
    let (bank, number) = name.split_at(name.find(|c: char| c.is_ascii_digit())?);
    let number = number.parse().ok()?;
    let registers = match bank {
        "ra" | "rb" => 32,
        "r" => 6,
        _ => 0,
    };
    (number < registers).then_some((bank, number))
}

/// A register by its name.
fn register<'r>(registers: &'r Registers, name: &str) -> Option<&'r Lanes> {
    let (bank, number) = place(name)?;
    match bank {
        "ra" => registers.a.get(number),
        "rb" => registers.b.get(number),
        _ => registers.accumulators.get(number),
    }
}

/// The value of `ra3`, `r0[5]` or `pc`.
pub fn value_of(registers: &Registers, text: &str) -> Option<String> {
    if text == "pc" {
        return Some(format!("{:#x}", registers.pc));
    }
    let (name, lane) = with_lane(text).ok()?;
    let value = register(registers, name)?;
    Some(match lane {
        Some(lane) => number(value.0[lane], false),
        None => lanes(&value.0, false),
    })
}

/// `ra3[5]`: the name and the lane.
fn with_lane(text: &str) -> Result<(&str, Option<usize>), String> {
    let Some((name, lane)) = text.split_once('[') else { return Ok((text.trim(), None)) };
    let lane = lane.trim_end().strip_suffix(']').and_then(|l| l.trim().parse().ok()).filter(|l| *l < 16);
    lane.map(|l| (name.trim(), Some(l))).ok_or_else(|| format!("'{text}': lanes are 0 to 15"))
}

/// `ra3 == 5`, `r0[2] > 0.5`: true if it holds in that lane, or in any.
#[derive(Clone, Debug)]
pub struct Condition {
    register: String,
    lane: Option<usize>,
    operator: &'static str,
    /// A number with a point is compared with floats.
    number: Number,
}

#[derive(Clone, Copy, Debug)]
enum Number {
    Int(i64),
    Float(f32),
}

impl Condition {
    /// # Errors
    /// The text is no such condition.
    pub fn parse(text: &str) -> Result<Condition, String> {
        let form = || format!("'{text}' is no condition: write ra3 == 5, r0[2] > 0.5 or rb1 != 0x10");
        let operator = ["==", "!=", "<=", ">=", "<", ">"].into_iter().find(|o| text.contains(o)).ok_or_else(form)?;
        let (left, right) = text.split_once(operator).ok_or_else(form)?;
        let (name, lane) = with_lane(left)?;
        place(name).ok_or_else(form)?;
        let right = right.trim();
        let number = match right.strip_prefix("0x") {
            Some(hex) => u32::from_str_radix(hex, 16).ok().map(|bits| Number::Int(i64::from(bits as i32))),
            None if right.contains(['.', 'e']) => right.parse().ok().map(Number::Float),
            None => right.parse().ok().map(Number::Int),
        };
        let number = number.ok_or_else(form)?;
        Ok(Condition { register: name.to_string(), lane, operator, number })
    }

    pub fn holds(&self, registers: &Registers) -> bool {
        let Some(value) = register(registers, &self.register) else { return true };
        let order = |bits: u32| match self.number {
            Number::Int(n) => i64::from(bits as i32).partial_cmp(&n),
            Number::Float(x) => f32::from_bits(bits).partial_cmp(&x),
        };
        let holds = |bits: u32| match (self.operator, order(bits)) {
            ("==", o) => o.is_some_and(|o| o.is_eq()),
            ("!=", o) => o.is_none_or(|o| o.is_ne()),
            ("<=", o) => o.is_some_and(|o| o.is_le()),
            (">=", o) => o.is_some_and(|o| o.is_ge()),
            ("<", o) => o.is_some_and(|o| o.is_lt()),
            (_, o) => o.is_some_and(|o| o.is_gt()),
        };
        match self.lane {
            Some(lane) => holds(value.0[lane]),
            None => value.0.iter().any(|bits| holds(*bits)),
        }
    }
}

impl Lists {
    pub fn forget(&mut self) {
        self.0.clear();
    }

    fn add(&mut self, list: List) -> usize {
        self.0.push(list);
        self.0.len()
    }

    pub fn scopes(&mut self, qpu: usize) -> Value {
        let scopes: Vec<Value> = BANKS
            .iter()
            .map(|(bank, name)| {
                let reference = self.add(List::Bank(qpu, *bank));
                json!({"name": name, "variablesReference": reference, "expensive": *bank == Bank::Vpm, "presentationHint": "registers"})
            })
            .collect();
        json!({ "scopes": scopes })
    }

    /// Answers `variables`.
    ///
    /// # Errors
    /// Nothing has this number.
    pub fn variables(&mut self, machine: &Machine, request: &Request, hex: bool) -> Answer {
        let reference = request.needed("variablesReference")?;
        let list = usize::try_from(reference.saturating_sub(1)).ok().and_then(|n| self.0.get(n)).copied();
        let list = list.ok_or_else(|| format!("there are no variables with the number {reference}"))?;
        let all: Vec<(String, String, Option<[u32; 16]>)> = match list {
            List::Lanes(value) => {
                value.iter().enumerate().map(|(lane, v)| (format!("[{lane}]"), number(*v, hex), None)).collect()
            }
            List::Bank(qpu, bank) => rows(machine, qpu, bank, hex),
        };
        let number = |name| request.number(name).and_then(|n| usize::try_from(n).ok());
        let (start, count) = (number("start").unwrap_or(0), number("count").filter(|n| *n > 0).unwrap_or(usize::MAX));
        let some = all.into_iter().skip(start).take(count);
        let list: Vec<Value> = some
            .map(|(name, value, inner)| {
                let reference = inner.map_or(0, |value| self.add(List::Lanes(value)));
                json!({"name": name, "value": value, "variablesReference": reference, "evaluateName": name})
            })
            .collect();
        Ok(json!({ "variables": list }))
    }
}

type Row = (String, String, Option<[u32; 16]>);

fn rows(machine: &Machine, qpu: usize, bank: Bank, hex: bool) -> Vec<Row> {
    let Some(r) = machine.registers(qpu) else { return Vec::new() };
    let of = |prefix: &str, all: &[Lanes]| {
        all.iter().enumerate().map(|(n, v)| (format!("{prefix}{n}"), lanes(&v.0, hex), Some(v.0))).collect()
    };
    match bank {
        Bank::Accumulators => of("r", &r.accumulators),
        Bank::A => of("ra", &r.a),
        Bank::B => of("rb", &r.b),
        Bank::Flags => [("zero", r.flags.z), ("negative", r.flags.n), ("carry", r.flags.c)]
            .map(|(name, set)| (name.to_string(), bits(set), None))
            .to_vec(),
        Bank::Uniforms => {
            let from = machine.pending(qpu).map_or(0, |p| p.uniforms);
            let word = |at: u32| {
                machine.memory().regions().iter().find_map(|region| {
                    let start = at.checked_sub(region.base)? as usize;
                    Some(u32::from_le_bytes(region.bytes.get(start..start.checked_add(4)?)?.try_into().ok()?))
                })
            };
            let all = (0..UNIFORMS).map_while(|n| Some((n, word(from.checked_add(4 * n)?)?)));
            all.map(|(n, v)| (format!("next {n}"), number(v, hex), None)).collect()
        }
        Bank::Vpm => {
            let all = (0..64).filter_map(|row| Some((row, machine.vpm_row(row)?.0)));
            all.map(|(row, v)| (format!("row {row}"), lanes(&v, hex), Some(v))).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_compare_registers() {
        let zero = || Lanes([0; 16]);
        let mut r = Registers {
            a: std::array::from_fn(|_| zero()),
            b: std::array::from_fn(|_| zero()),
            accumulators: std::array::from_fn(|_| zero()),
            flags: Default::default(),
            pc: 0,
            ended: false,
        };
        r.a[3].0 = [7; 16];
        r.accumulators[0].0[2] = 0.75f32.to_bits();
        r.b[1].0[15] = u32::MAX;
        let holds = |text: &str| Condition::parse(text).map(|c| c.holds(&r));
        for text in ["ra3 == 7", "ra3[4]>=7", "r0[2] > 0.5", "rb1 == -1", "rb1 == 0xffffffff", "ra3 != 6", "r0 <= 0"] {
            assert_eq!(holds(text), Ok(true), "{text}");
        }
        for text in ["ra3 < 7", "r0[3] > 0.5", "rb1[0] == -1"] {
            assert_eq!(holds(text), Ok(false), "{text}");
        }
        for text in ["ra32 == 1", "x == 1", "ra3", "ra3[16] == 1", "ra3 == y", "== 1", "ra3 = 1"] {
            assert!(holds(text).is_err(), "{text}");
        }
        assert_eq!(value_of(&r, "r0[2]"), Some(format!("{} = 0.75", 0.75f32.to_bits())));
    }
}
