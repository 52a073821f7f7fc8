//! What the debugger shows: registers, memory, code, and where each QPU is.

use super::target::Code;
use quadra_isa::vc4::debug::Debugger;
use quadra_isa::vc4::disasm;
use quadra_isa::vc4::emu::{Lanes, Machine};
use std::fmt::Write;

type Result = std::result::Result<String, String>;

/// How 32 bits are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum View {
    Int,
    Hex,
    Float,
}

impl View {
    /// The view of this name.
    pub fn from_name(name: &str) -> Option<View> {
        match name {
            "int" | "i" => Some(View::Int),
            "hex" | "h" => Some(View::Hex),
            "float" | "f" => Some(View::Float),
            _ => None,
        }
    }

    fn text(self, bits: u32) -> String {
        match self {
            View::Int => (bits as i32).to_string(),
            View::Hex => format!("{bits:08x}"),
            View::Float => format!("{:?}", f32::from_bits(bits)),
        }
    }
}

/// 16 lanes; all the same are shown once.
fn lanes(value: &Lanes, view: View) -> String {
    if value.0.iter().all(|v| *v == value.0[0]) {
        return format!("{} in all lanes", view.text(value.0[0]));
    }
    value.0.iter().map(|v| view.text(*v)).collect::<Vec<_>>().join(" ")
}

/// All registers that are not 0, or the one called `name`.
pub fn registers(machine: &Machine, qpu: usize, name: Option<&str>, view: View) -> Result {
    let r = machine.registers(qpu).ok_or("this QPU runs no program")?;
    let banks = [("ra", &r.a[..]), ("rb", &r.b[..]), ("r", &r.accumulators[..])];
    let mut out = String::new();
    for (bank, values) in banks {
        for (n, value) in values.iter().enumerate() {
            let own = format!("{bank}{n}");
            let wanted = name.map_or(value.0 != [0; 16], |name| name == own || name == bank && bank != "r");
            if wanted {
                let _ = writeln!(out, "{own:5} {}", lanes(value, view));
            }
        }
    }
    match name {
        Some(name) if out.is_empty() => {
            Err(format!("there is no register `{name}`: ra0 to ra31, rb0 to rb31, r0 to r5"))
        }
        _ => Ok(out + &format!("pc    {:#x}\n", r.pc)),
    }
}

/// r0 to r5.
pub fn accumulators(machine: &Machine, qpu: usize, view: View) -> Result {
    let r = machine.registers(qpu).ok_or("this QPU runs no program")?;
    let line = |(n, value): (usize, &Lanes)| format!("r{n}    {}\n", lanes(value, view));
    Ok(r.accumulators.iter().enumerate().map(line).collect())
}

/// The three flags, lane 0 first.
pub fn flags(machine: &Machine, qpu: usize) -> Result {
    let f = machine.registers(qpu).ok_or("this QPU runs no program")?.flags;
    let bits = |set: u16| (0..16).map(|lane| if set >> lane & 1 == 1 { '1' } else { '.' }).collect::<String>();
    Ok(format!("zero      {}\nnegative  {}\ncarry     {}\n", bits(f.z), bits(f.n), bits(f.c)))
}

/// Words of memory.
pub fn memory(machine: &Machine, address: u64, count: u64, view: View) -> Result {
    let address = u32::try_from(address & !3).map_err(|_| "addresses have 32 bits".to_string())?;
    let mut out = String::new();
    for n in 0..count.min(4096) as u32 {
        let Some(at) = address.checked_add(4 * n) else { break };
        let holds = |base: u32, len: usize| at >= base && ((at - base) as usize) + 4 <= len;
        let region = machine.memory().regions().iter().find(|r| holds(r.base, r.bytes.len()));
        let word = region.and_then(|r| {
            let start = (at - r.base) as usize;
            Some(u32::from_le_bytes(r.bytes.get(start..start + 4)?.try_into().ok()?))
        });
        if n % 8 == 0 {
            let name = region.map_or("no memory", |r| &r.name);
            let _ = write!(out, "{}{at:#010x} {name}: ", if n == 0 { "" } else { "\n" });
        }
        let _ = write!(out, " {}", word.map_or_else(|| "-".into(), |w| view.text(w)));
    }
    out.push('\n');
    Ok(out)
}

/// Rows of the VPM.
pub fn vpm(machine: &Machine, row: Option<u64>, count: Option<u64>, view: View) -> Result {
    let first = row.unwrap_or(0).min(64) as usize;
    let count = count.unwrap_or(if row.is_some() { 1 } else { 64 }) as usize;
    let mut out = String::new();
    for row in first..first.saturating_add(count).min(64) {
        match machine.vpm_row(row) {
            // A dump of everything leaves out what was never written.
            Some(value) if count == 1 || value.0 != [0; 16] => {
                let _ = writeln!(out, "row {row:2}  {}", lanes(&value, view));
            }
            _ => {}
        }
    }
    Ok(if out.is_empty() { "all rows are 0\n".into() } else { out })
}

/// The code that holds an address: with source lines if it is the program's.
fn with_code<T>(debugger: &Debugger, codes: &[Code], address: u32, show: impl FnOnce(&Code, usize) -> T) -> Option<T> {
    if let Some((code, index)) = codes.iter().find_map(|c| Some((c, c.index_of(address)?))) {
        return Some(show(code, index));
    }
    let code = Code::at(debugger.machine().memory(), address)?;
    let index = code.index_of(address)?;
    Some(show(&code, index))
}

fn source_of(code: &Code, index: usize) -> String {
    code.source(index).map_or_else(String::new, |s| format!("  # {s}"))
}

/// The instruction at an address, with its label and source line.
pub fn instruction(debugger: &Debugger, codes: &[Code], address: u32) -> String {
    let text = with_code(debugger, codes, address, |code, index| {
        let label = disasm::labels(&code.program).get(&index).map_or_else(String::new, |l| format!(":{l} "));
        format!("{label}{}{}", code.text(index), source_of(code, index))
    });
    format!("{address:#x}  {}", text.unwrap_or_else(|| "no code".into()))
}

/// Instructions around an address. An arrow points at the next instruction of each QPU, a star marks breakpoints.
pub fn list(debugger: &Debugger, codes: &[Code], address: u32, count: u64) -> Result {
    let pcs: Vec<(usize, u32)> = (0..debugger.qpus())
        .filter_map(|q| debugger.machine().registers(q).filter(|r| !r.ended).map(|r| (q, r.pc)))
        .collect();
    let text = with_code(debugger, codes, address, |code, index| {
        let labels = disasm::labels(&code.program);
        let count = count.clamp(1, 10_000) as usize;
        let first = index.saturating_sub(count / 2);
        let mut out = String::new();
        for i in first..(first + count).min(code.words.len()) {
            if let Some(label) = labels.get(&i) {
                let _ = writeln!(out, ":{label}");
            }
            let at = code.address(i);
            let here: Vec<String> = pcs.iter().filter(|(_, pc)| *pc == at).map(|(q, _)| q.to_string()).collect();
            let arrow = if here.is_empty() { String::new() } else { format!("{} >", here.join(",")) };
            let star = if debugger.breakpoints().contains(&at) { '*' } else { ' ' };
            let _ = writeln!(out, "{arrow:>8}{star}{at:#08x}  {:48}{}", code.text(i), source_of(code, i));
        }
        out
    });
    text.ok_or_else(|| format!("there is no code at {address:#x}"))
}

/// Where each QPU is, what it waits for, and what it has under way.
pub fn backtrace(debugger: &Debugger, codes: &[Code]) -> String {
    let machine = debugger.machine();
    let mut out = String::new();
    for qpu in 0..debugger.qpus() {
        let (Some(registers), Some(pending)) = (machine.registers(qpu), machine.pending(qpu)) else { continue };
        if pending.ended {
            let _ = writeln!(out, "QPU {qpu}: ended after {} instructions", pending.counts.issued);
            continue;
        }
        let _ = writeln!(out, "QPU {qpu}: {}", instruction(debugger, codes, registers.pc));
        let mut notes = Vec::new();
        if let Some(on) = debugger.waits_for(qpu) {
            notes.push(format!("waits for {on}"));
        }
        if let Some((slots, target)) = pending.jump {
            let target = target.map_or_else(|| "the end".into(), |t| format!("{t:#x}"));
            notes.push(format!("goes to {target} after {slots} more"));
        }
        for (unit, count) in pending.tmu.iter().enumerate().filter(|(_, count)| **count > 0) {
            notes.push(format!("{count} results of TMU {unit} not received"));
        }
        if pending.vpm_reads > 0 {
            notes.push(format!("{} VPM vectors to read", pending.vpm_reads));
        }
        let transfers = [("load", pending.load_rows), ("store", pending.store_rows)];
        for (name, rows) in transfers.iter().filter(|(_, rows)| *rows != 0) {
            notes.push(format!("a DMA {name} of {} rows not waited for", rows.count_ones()));
        }
        if machine.mutex() == Some(qpu) {
            notes.push("holds the mutex".into());
        }
        if !notes.is_empty() {
            let _ = writeln!(out, "       {}", notes.join("; "));
        }
    }
    let raised: Vec<String> =
        machine.semaphores().iter().enumerate().filter(|(_, n)| **n > 0).map(|(i, n)| format!("{i} is {n}")).collect();
    if !raised.is_empty() {
        let _ = writeln!(out, "semaphores: {}", raised.join(", "));
    }
    out
}
