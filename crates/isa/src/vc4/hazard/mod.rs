//! The validator: what the hardware silently gets wrong, found before it runs.
//!
//! The QPU has no interlocks for most of its pipelines; the guide and later measurements give rules instead. Each rule has
//! a number, H01 to H53, a level, and one function here. Findings name rule, instruction, cause and remedy. The rules follow
//! execution, not the order of the text: their windows run through delay slots into branch targets and fall-throughs.
//! They know lanes: an access is not held against a program where conditions keep the lanes apart.
//!
//! ```
//! use quadra_isa::vc4::{hazard, Program};
//! // mov ra0, r0; then add r1, ra0, r0: the register file is read before the write has arrived.
//! let program = Program::from_words("", &[0x10020027_159e7000, 0x10020867_0c027c00]).expect("valid");
//! let findings = hazard::validate(&program, hazard::Strictness::Normal);
//! assert_eq!((findings[0].rule, findings[0].index), ("H01", 1));
//! ```

mod access;
mod control;
mod data;
mod flow;
mod queues;
mod uses;
#[cfg(test)]
mod tests;

use super::program::Program;
use quadra_base::Diagnostic;

/// The level of a rule, or of a finding.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Severity {
    /// A board survives it, as far as anybody knows: suspicious, or wrong only in some lanes or at some times.
    Warning,
    /// A board computes something else than what is written, or hangs.
    Error,
}

/// Whether warnings count as errors.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Strictness {
    /// Warnings stay warnings.
    Normal,
    /// Every finding is an error.
    Strict,
}

/// A broken rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Number of the rule, for example `H01`.
    pub rule: &'static str,
    /// Index of the instruction at fault: the later one, where two are involved.
    pub index: usize,
    /// The earlier instruction involved, if there is one.
    pub other: Option<usize>,
    pub severity: Severity,
    pub message: String,
    pub remedy: &'static str,
}

/// How a rule is kept.
#[derive(Clone, Copy)]
pub enum Check {
    /// By this function of the validator.
    Static(fn(&mut Context<'_>)),
    /// By construction: no instruction word can break it, and [`super::fit`] explains it.
    Encoding,
    /// It depends on values: the emulator checks it as the program runs.
    Runtime,
    /// Nothing to break: a fact that other rules build on.
    Fact,
}

/// One rule of the machine.
#[derive(Clone, Copy)]
pub struct Rule {
    pub id: &'static str,
    pub title: &'static str,
    /// The level that its findings have unless they say otherwise.
    pub severity: Severity,
    pub check: Check,
}

impl Rule {
    /// The level, as a sentence.
    pub fn level(&self) -> &'static str {
        match self.severity {
            Severity::Error => "Its level is error: a board computes something else than what is written, or hangs.",
            Severity::Warning => "Its level is warning: boards survive it; `--strict` makes it an error.",
        }
    }

    /// Who keeps the rule, as a sentence.
    pub fn checked_by(&self) -> &'static str {
        match self.check {
            Check::Static(_) => "A hardware rule of the VideoCore IV; the validator checks it on every program.",
            Check::Encoding => "A limit of the instruction word: the assembler says why operations do not fit.",
            Check::Runtime => "A hardware rule of the VideoCore IV that depends on values: the emulator checks it.",
            Check::Fact => "A fact about the VideoCore IV that other rules build on; there is nothing to break.",
        }
    }
}

/// What the functions of the rules work on.
pub struct Context<'a> {
    program: &'a Program,
    rule: &'static Rule,
    uses: Vec<uses::Uses>,
    findings: Vec<Finding>,
}

impl Context<'_> {
    fn report(&mut self, index: usize, other: Option<usize>, message: String, remedy: &'static str) {
        self.report_as(self.rule.severity, index, other, message, remedy);
    }

    fn report_as(
        &mut self,
        severity: Severity,
        index: usize,
        other: Option<usize>,
        message: String,
        remedy: &'static str,
    ) {
        self.findings.push(Finding { rule: self.rule.id, index, other, severity, message, remedy });
    }
}

use Check::{Encoding, Fact, Runtime, Static};
use Severity::{Error, Warning};

const fn rule(id: &'static str, severity: Severity, check: Check, title: &'static str) -> Rule {
    Rule { id, title, severity, check }
}

/// Every rule in order.
pub const RULES: &[Rule] = &[
    rule(
        "H01",
        Error,
        Static(data::h01),
        "a register of file A or B cannot be read in the instruction after its write",
    ),
    rule("H02", Error, Static(data::h02), "r4 must not be read in the two instructions after an SFU write"),
    rule("H03", Error, Static(data::h03), "no load into r4 in the two instructions after an SFU write"),
    rule("H04", Error, Static(data::h04), "no second SFU write in the two instructions after an SFU write"),
    rule("H05", Warning, Fact, "a load signal changes r4 for the next instruction, not for its own"),
    rule("H06", Warning, Static(data::h06), "an accumulator cannot be rotated to a lower quad right after its write"),
    rule("H07", Error, Static(data::h07), "r5 cannot be the rotation amount right after its write"),
    rule("H08", Warning, Static(data::h08), "only r0 to r3 rotate across quads"),
    rule("H09", Error, Static(data::h09), "no uniform in the two instructions after a write of the uniform address"),
    rule(
        "H10",
        Error,
        Static(data::h10),
        "no read of ms_mask or rev_flag in the two instructions after a write of tlbz",
    ),
    rule("H11", Warning, Static(data::h11), "no TMU write in the three instructions after a write of tmurs"),
    rule("H12", Warning, Static(data::h12), "tmurs must not change after the first TMU access"),
    rule("H13", Warning, Static(data::h13), "VPM data come three instructions after the read setup"),
    rule("H14", Warning, Fact, "the three instructions after a branch always execute"),
    rule("H15", Error, Static(control::h15), "at least two instructions between two branches"),
    rule("H16", Warning, Static(control::h16), "a branch with an odd register number sets the flags"),
    rule("H17", Warning, Runtime, "a register branch target must be the same in all lanes"),
    rule(
        "H18",
        Warning,
        Static(control::h18),
        "no branch or second end in the delay slots of a program end, no end in those of a branch",
    ),
    rule("H19", Warning, Static(control::h19), "no uniform, varying or VPM access in the last three instructions"),
    rule("H20", Error, Static(control::h20), "the instruction with the program end must not write file A or B"),
    rule("H21", Error, Static(control::h21), "register 14 of either file is off limits in the last three instructions"),
    rule("H22", Error, Static(control::h22), "no write of tlbz in the last instruction"),
    rule("H23", Warning, Static(control::h23), "a program must end, and its DMA stores before it"),
    rule("H24", Error, Static(access::h24), "both ALUs must not write one place"),
    rule("H25", Error, Static(access::h25), "one access of TMU, TLB, SFU, mutex or semaphore per instruction"),
    rule("H26", Warning, Static(access::h26), "a packed byte of the mul ALU cannot go to a peripheral"),
    rule("H27", Error, Static(access::h27), "a conditional write to a peripheral happens in all lanes"),
    rule("H28", Warning, Static(access::h28), "VPM accesses that exclude each other in one instruction"),
    rule("H29", Error, Static(access::h29), "a semaphore instruction must not write TLB, TMU or SFU"),
    rule("H30", Error, Static(access::h30), "no uniform read beside a texture coordinate, which takes one itself"),
    rule("H31", Error, Encoding, "one register of each file per instruction"),
    rule("H32", Error, Encoding, "one signal per instruction, none beside a small immediate"),
    rule("H33", Error, Encoding, "one pack and one unpack mode per instruction"),
    rule("H34", Warning, Static(access::h34), "packing needs a register of file A as destination"),
    rule("H35", Error, Encoding, "the results of the two ALUs go to different files"),
    rule("H36", Error, Static(access::h36), "one value of the uniform stream per instruction"),
    rule("H37", Error, Static(queues::h37), "at most four TMU requests in flight"),
    rule("H38", Warning, Static(queues::h38), "every TMU request is collected exactly once"),
    rule("H39", Error, Runtime, "texture coordinates end with s"),
    rule("H40", Warning, Static(queues::h40), "read exactly as many vectors as the VPM read setup announced"),
    rule("H41", Warning, Fact, "VPM writes wrap at row 64 and stall when the queue is full"),
    rule("H42", Warning, Static(queues::h42), "one DMA load and one DMA store in flight"),
    rule("H43", Warning, Fact, "VPM memory and DMA engines are shared by all QPUs"),
    rule("H44", Warning, Static(queues::h44), "wait for the DMA load before reading its data"),
    rule("H45", Error, Runtime, "a semaphore stays within 0 to 15"),
    rule("H46", Error, Static(queues::h46), "the mutex is not recursive"),
    rule("H47", Warning, Static(access::h47), "acquire the mutex with an executed operation"),
    rule("H48", Error, Static(access::h48), "a host interrupt needs a non-zero value"),
    rule("H49", Error, Static(control::h49), "no scoreboard wait or tile buffer access in the first two instructions"),
    rule("H50", Warning, Runtime, "accumulators and flags are lost at a thread switch"),
    rule("H51", Error, Runtime, "do not read through TMU or uniforms what this launch stored by DMA"),
    rule("H52", Warning, Fact, "loop heads on 64-byte lines save instruction cache lines"),
    rule(
        "H53",
        Warning,
        Runtime,
        "set the gap of DMA stores and the pitch of DMA loads before several rows, and no gap beside bit 16",
    ),
];

/// The rule with this number.
pub fn rule_of(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id)
}

/// Every broken rule, in the order of the instructions; the time is linear in the length of the program.
pub fn validate(program: &Program, strictness: Strictness) -> Vec<Finding> {
    let uses = program.insts.iter().map(uses::Uses::of).collect();
    let mut context = Context { program, rule: &RULES[0], uses, findings: Vec::new() };
    for rule in RULES {
        if let Check::Static(check) = rule.check {
            context.rule = rule;
            check(&mut context);
        }
    }
    let mut findings = context.findings;
    if strictness == Strictness::Strict {
        findings.iter_mut().for_each(|finding| finding.severity = Severity::Error);
    }
    findings.sort_by_key(|finding| (finding.index, finding.rule));
    findings.dedup_by(|a, b| (a.index, a.rule, &a.message) == (b.index, b.rule, &b.message));
    findings
}

/// The findings as diagnostics at the places the instructions come from; the rule's number is the code.
pub fn diagnostics(program: &Program, strictness: Strictness) -> Vec<Diagnostic> {
    let text = |index: usize| program.insts.get(index).map_or_else(String::new, super::disasm::inst);
    let diagnostic = |finding: Finding| {
        let message = format!("{} (instruction {}: `{}`)", finding.message, finding.index, text(finding.index));
        let base = match finding.severity {
            Severity::Error => Diagnostic::error(finding.rule, message),
            Severity::Warning => Diagnostic::warning(finding.rule, message),
        };
        let base = base.at(program.span(finding.index)).help(finding.remedy);
        match finding.other {
            None => base,
            Some(other) => base.also(program.span(other), format!("instruction {other}: `{}`", text(other))),
        }
    };
    validate(program, strictness).into_iter().map(diagnostic).collect()
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, "{severity}[{}] at instruction {}: {}; {}", self.rule, self.index, self.message, self.remedy)
    }
}
