//! One broken and one clean program for the rules that are about sequences; single instructions are in `tests/qasm`.

use super::super::*;
use super::{RULES, Severity, Strictness, validate};

const R0: Mux = Mux::R0;

fn mov(waddr: Waddr, from: Mux) -> Alu {
    Alu::NOP.with_add(AddOp::Or, waddr, from, from)
}

fn to_b(alu: Alu) -> Alu {
    Alu { ws: true, ..alu }
}

fn program(insts: &[Inst]) -> Program {
    let mut program = Program::new("test");
    program.extend(insts.iter().copied());
    program.push(Alu::signal(Signal::ProgramEnd), None);
    program.extend([Inst::NOP; 2]);
    program
}

/// Rules and instructions of the findings.
fn broken(insts: &[Inst]) -> Vec<(&'static str, usize)> {
    validate(&program(insts), Strictness::Normal).iter().map(|f| (f.rule, f.index)).collect()
}

fn clean(insts: &[Inst]) {
    assert_eq!(broken(insts), []);
}

#[test]
fn register_files_need_an_instruction_between() {
    let write = Inst::Alu(mov(Waddr(3), R0));
    let read = Inst::Alu(mov(Waddr::R1, Mux::A).reading_a(Raddr(3)));
    assert_eq!(broken(&[write, read]), [("H01", 1)]);
    clean(&[write, Inst::NOP, read]);
    clean(&[Inst::Alu(to_b(mov(Waddr(3), R0))), read]);
    clean(&[Inst::Alu(mov(Waddr::R0, R0)), Inst::Alu(mov(Waddr::R1, R0))]);
    // Read by nothing that has an effect.
    clean(&[write, Inst::Alu(Alu::NOP.reading_a(Raddr(3)))]);
    clean(&[write, Inst::Alu(Alu { cond_add: Cond::Never, ..mov(Waddr::R1, Mux::A).reading_a(Raddr(3)) })]);
    let link = Inst::Branch(Branch { waddr_add: Waddr(30), ..Branch::relative(0) });
    let use_link = Inst::Alu(mov(Waddr::R1, Mux::A).reading_a(Raddr(30)));
    assert_eq!(broken(&[link, use_link, Inst::NOP, Inst::NOP]), [("H01", 1)]);
    let jump = Inst::Branch(Branch { reg: true, raddr_a: 4, ..Branch::absolute(0) });
    let found = broken(&[Inst::Alu(mov(Waddr(4), R0)), jump, Inst::NOP, Inst::NOP, Inst::NOP]);
    assert_eq!(found, [("H01", 1)]);
}

#[test]
fn complementary_conditions_keep_lanes_apart() {
    let write = Alu { cond_add: Cond::Zs, ..mov(Waddr(3), R0) };
    let read = Alu { cond_add: Cond::Zc, ..mov(Waddr::R1, Mux::A).reading_a(Raddr(3)) };
    clean(&[write.into(), read.into()]);
    assert_eq!(broken(&[write.into(), Alu { cond_add: Cond::Nc, ..read }.into()]), [("H01", 1)]);
    assert_eq!(broken(&[Alu { sf: true, ..write }.into(), read.into()]), [("H01", 1)]);
    let to_r5 = Alu { waddr_add: Waddr::R5, ..read };
    assert_eq!(broken(&[write.into(), to_r5.into()]), [("H01", 1)]);
    let both = Alu { cond_add: Cond::Ns, ..mov(Waddr::R0, Mux::R1) }.with_mul(MulOp::V8min, Waddr::R0, R0, R0);
    clean(&[Alu { cond_mul: Cond::Nc, ..both }.into()]);
    assert_eq!(broken(&[both.into()]), [("H24", 0)]);
}

#[test]
fn windows_follow_branches() {
    let write = Inst::Alu(mov(Waddr(3), R0));
    let read = Inst::Alu(mov(Waddr::R1, Mux::A).reading_a(Raddr(3)));
    let to_5 = Inst::Branch(Branch::between(0, 5).when(BranchCond::AnyZs));
    // The third delay slot writes; target and fall-through read.
    assert_eq!(broken(&[to_5, Inst::NOP, Inst::NOP, write, Inst::NOP, read]), [("H01", 5)]);
    assert_eq!(broken(&[to_5, Inst::NOP, Inst::NOP, write, read, Inst::NOP]), [("H01", 4)]);
    let always = Inst::Branch(Branch::between(0, 5));
    clean(&[always, Inst::NOP, Inst::NOP, write, read, Inst::NOP]);
}

#[test]
fn special_functions_need_their_time() {
    let sfu = Inst::Alu(mov(Waddr::SFU_RECIP, R0));
    let read = Inst::Alu(mov(Waddr::R1, Mux::R4));
    clean(&[sfu, Inst::NOP, Inst::NOP, read]);
    assert_eq!(broken(&[sfu, Inst::NOP, read]), [("H02", 2)]);
    assert_eq!(broken(&[sfu, Inst::NOP, sfu]), [("H04", 2)]);
    clean(&[sfu, Inst::NOP, Inst::NOP, sfu, Inst::NOP, Inst::NOP, read]);
    let request = Inst::Alu(mov(Waddr::TMU0_S, R0));
    let load = Inst::Alu(Alu::signal(Signal::LoadTmu0));
    assert_eq!(broken(&[request, sfu, load]), [("H03", 2)]);
    clean(&[request, sfu, Inst::NOP, Inst::NOP, load]);
}

#[test]
fn rotation_sees_old_values_and_stays_in_quads() {
    let rotate =
        |from, code| Inst::Alu(Alu::NOP.with_mul(MulOp::V8min, Waddr::R1, from, from).with_small_imm(SmallImm(code)));
    let write = Inst::Alu(mov(Waddr::R0, Mux::R2));
    let found = validate(&program(&[write, rotate(R0, 52)]), Strictness::Normal);
    assert_eq!((found[0].rule, found[0].severity), ("H06", Severity::Warning));
    assert!(found[0].message.contains("lanes 0, 1, 2, 3 get"), "{}", found[0].message);
    assert_eq!(validate(&program(&[write, rotate(R0, 52)]), Strictness::Strict)[0].severity, Severity::Error);
    clean(&[write, Inst::NOP, rotate(R0, 52)]);
    clean(&[write, rotate(Mux::R3, 52)]);
    assert_eq!(broken(&[Inst::Alu(to_b(mov(Waddr::R5, R0))), rotate(R0, 48)]), [("H07", 1)]);
    assert_eq!(broken(&[rotate(Mux::R4, 52)]), [("H08", 0)]);
    clean(&[rotate(Mux::R4, 50)]);
}

#[test]
fn uniform_address_and_tmu_setup_need_their_time() {
    let address = Inst::Alu(mov(Waddr::UNIFORMS_ADDRESS, R0));
    let read = Inst::Alu(Alu::NOP.reading_a(Raddr::UNIFORM));
    assert_eq!(broken(&[address, Inst::NOP, read]), [("H09", 2)]);
    clean(&[address, Inst::NOP, Inst::NOP, read]);
    let noswap = Inst::Ldi(Ldi::all(File::A, Waddr::TMU_NOSWAP, 1));
    let request = Inst::Alu(mov(Waddr::TMU1_S, R0));
    let load = Inst::Alu(Alu::signal(Signal::LoadTmu1));
    assert_eq!(broken(&[noswap, Inst::NOP, Inst::NOP, request, load]), [("H11", 3)]);
    clean(&[noswap, Inst::NOP, Inst::NOP, Inst::NOP, request, load]);
    assert_eq!(broken(&[request, load, noswap]), [("H12", 2)]);
}

#[test]
fn branches_keep_their_distance() {
    let branch = Inst::Branch(Branch::relative(0));
    assert_eq!(broken(&[branch, Inst::NOP, branch, Inst::NOP, Inst::NOP, Inst::NOP]), [("H15", 2)]);
    clean(&[branch, Inst::NOP, Inst::NOP, branch, Inst::NOP, Inst::NOP, Inst::NOP, Inst::NOP, Inst::NOP]);
    let odd = Inst::Branch(Branch { raddr_a: 5, reg: true, ..Branch::absolute(0) });
    assert_eq!(broken(&[odd, Inst::NOP, Inst::NOP, Inst::NOP]), [("H16", 0)]);
    assert_eq!(broken(&[Branch::relative(8).into(), Inst::NOP]), [("H18", 2)]);
}

#[test]
fn the_last_three_instructions_are_restricted() {
    let end = |first: Alu, second: Inst, third: Inst| {
        let mut p = Program::new("end");
        p.push(Alu { sig: Signal::ProgramEnd, ..first }, None);
        p.extend([second, third]);
        validate(&p, Strictness::Normal).iter().map(|f| (f.rule, f.index)).collect::<Vec<_>>()
    };
    let uniform = Inst::Alu(Alu::NOP.reading_a(Raddr::UNIFORM));
    assert_eq!(end(Alu::NOP, Inst::NOP, Inst::NOP), []);
    assert_eq!(end(Alu::NOP, uniform, Inst::NOP), [("H19", 1)]);
    assert_eq!(end(Alu::NOP, Inst::NOP, mov(Waddr::VPM, R0).into()), [("H19", 2)]);
    assert_eq!(end(mov(Waddr(3), R0), Inst::NOP, Inst::NOP), [("H20", 0)]);
    assert_eq!(end(Alu::NOP, mov(Waddr(14), R0).into(), Inst::NOP), [("H21", 1)]);
    assert_eq!(end(Alu::NOP, Inst::NOP, mov(Waddr::TLB_Z, R0).into()), [("H22", 2)]);
    assert_eq!(end(Alu::NOP, Alu::signal(Signal::ProgramEnd).into(), Inst::NOP), [("H18", 1)]);
    let mut p = Program::new("endless");
    p.extend([Inst::NOP; 2]);
    assert_eq!(validate(&p, Strictness::Normal)[0].rule, "H23");
}

#[test]
fn queues_are_followed_through_loops() {
    let request = Inst::Alu(mov(Waddr::TMU0_S, R0));
    let load = Inst::Alu(Alu::signal(Signal::LoadTmu0));
    assert_eq!(broken(&[request, request, request, request, request, load, load, load, load, load]), [("H37", 4)]);
    assert_eq!(broken(&[load]), [("H38", 0)]);
    assert_eq!(broken(&[request]), [("H38", 1)]);
    // One request ahead of a loop that collects one and requests one.
    let back = Inst::Branch(Branch::between(3, 1).when(BranchCond::AnyZc));
    clean(&[request, load, request, back, Inst::NOP, Inst::NOP, Inst::NOP, load]);
    let grow = Inst::Branch(Branch::between(2, 1).when(BranchCond::AnyZc));
    let found = broken(&[Inst::NOP, request, grow, Inst::NOP, Inst::NOP, Inst::NOP]);
    assert!(found.contains(&("H37", 1)), "{found:?}");
    let setup = Inst::Ldi(Ldi::all(File::A, Waddr::VPM_RD_SETUP, 0x0010_1a00));
    let read = Inst::Alu(mov(Waddr::R0, Mux::A).reading_a(Raddr::VPM));
    clean(&[setup, Inst::NOP, Inst::NOP, Inst::NOP, read]);
    assert_eq!(broken(&[setup, Inst::NOP, Inst::NOP, Inst::NOP, read, read]), [("H40", 5)]);
    assert_eq!(broken(&[setup, Inst::NOP, read]), [("H13", 2)]);
    let acquire = Inst::Alu(mov(Waddr::NOP, Mux::A).reading_a(Raddr::MUTEX_ACQUIRE));
    let release = Inst::Alu(mov(Waddr::MUTEX_RELEASE, R0));
    clean(&[acquire, release, acquire, release]);
    assert_eq!(broken(&[acquire, acquire]), [("H46", 1)]);
    let store = Inst::Alu(to_b(mov(Waddr::VPM_ST_ADDR, R0)));
    let wait = Inst::Alu(Alu::NOP.reading_b(Raddr::VPM_ST_WAIT));
    clean(&[store, wait, store, wait]);
    assert_eq!(broken(&[store, store, wait]), [("H42", 1)]);
    assert_eq!(broken(&[store]), [("H23", 0)]);
}

#[test]
fn rules_are_numbered_without_gaps_and_findings_print() {
    for (i, rule) in RULES.iter().enumerate() {
        assert_eq!(rule.id, format!("H{:02}", i + 1));
        assert!(super::rule_of(rule.id).is_some_and(|r| r.title == rule.title));
    }
    let p = program(&[Inst::Alu(mov(Waddr(3), R0)), Inst::Alu(mov(Waddr::R1, Mux::A).reading_a(Raddr(3)))]);
    let text = super::diagnostics(&p, Strictness::Normal)[0].to_string();
    assert_eq!(
        text,
        "error[H01]: `ra3` is read in the instruction after its write and still has its old value (instruction 1: `mov r1, ra3`)"
    );
}

/// Two whole programs that other assemblers accept without complaint.
#[test]
fn known_kernels_are_clean() {
    let store_lanes = [
        0x1002082715827d80,
        0x1002086715827d80,
        0xe0021c6700001a00,
        0xd00208a711982dc0,
        0x10020c270c9e7280,
        0xe0021c6780904000,
        0xe0021c67c0000000,
        0x10021ca7159e7000,
        0x100009e7009f2000,
        0xe00209a700000001,
        0x300009e7009e7000,
        0x100009e7009e7000,
        0x100009e7009e7000,
    ];
    let sum_of_squares = [
        0x1002082715827d80,
        0x1002102715827d80,
        0x100208e715827d80,
        0xd002086711982dc0,
        0x100208270c9e7040,
        0x10020e27159e7000,
        0xe00208a700000000,
        0xe00200e700000040,
        0xd00208e70d9c17c0,
        0xa00208270c0e7180,
        0x10024e21359e7024,
        0xd00228e70d9c17c0,
        0xf0b809e7ffffffc8,
        0x100208a7019e7440,
        0x100009e7009e7000,
        0x100009e7009e7000,
        0xa00009e7009e7000,
        0xe0021c6700001a00,
        0x10020c27159e7480,
        0xe0021c6780904000,
        0xe0021c67c0000000,
        0x10021ca7159c0fc0,
        0x100009e7009f2000,
        0xe00209a700000001,
        0x300009e7009e7000,
        0x100009e7009e7000,
        0x100009e7009e7000,
    ];
    for words in [&store_lanes[..], &sum_of_squares[..]] {
        let p = Program::from_words("kernel", words).expect("valid words");
        assert_eq!(validate(&p, Strictness::Strict), []);
    }
}
