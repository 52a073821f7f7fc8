//! The timing model on small programs whose time follows from single parameters.

use quadra_isa::vc4::emu::{Config, Machine, Region, RunError, Thread};
use quadra_isa::vc4::timing::{self, Cause, Outcome, Parameters, trace::Trace};
use quadra_isa::vc4::{
    AddOp, Alu, Branch, BranchCond, File, Inst, Ldi, MulOp, Mux, Program, Raddr, Sema, Signal, SmallImm, Waddr,
};

const CODE: u32 = 0x1000;
const DATA: u32 = 0x10_0000;

fn timed(insts: &[Inst], qpus: usize) -> Result<Outcome, RunError> {
    let mut program = Program::new("timed");
    program.extend(insts.iter().copied());
    program.push(Alu::signal(Signal::ProgramEnd), None);
    program.extend([Inst::NOP; 2]);
    let mut machine = Machine::new(Config { budget: 1_000_000, ..Config::default() });
    machine.add_program(CODE, &program).expect("free");
    let numbers: Vec<u32> = (0..1024).collect();
    machine.add_region(Region::of_words("data", DATA, &numbers).writable()).expect("free");
    let threads: Vec<Thread> = (0..qpus).map(|_| Thread { pc: CODE, uniforms: DATA }).collect();
    timing::run(&mut machine, &threads, &Parameters::default(), None)
}

fn stall(outcome: &Outcome, qpu: usize, cause: Cause) -> u64 {
    outcome.qpus[qpu].stalls[cause as usize]
}

fn ldi(file: File, waddr: Waddr, imm: u32) -> Inst {
    Ldi::all(file, waddr, imm).into()
}

#[test]
fn straight_code_costs_its_slots_and_its_lines() {
    let outcome = timed(&[Inst::NOP; 61], 1).expect("ends");
    // 64 instructions in 8 lines, all from memory; the first one opens the row.
    let lines = 64 + 7 * 56;
    assert_eq!(stall(&outcome, 0, Cause::InstructionCache), lines);
    assert_eq!(outcome.clocks, 64 * 4 + lines);
}

#[test]
fn a_loop_in_the_instruction_cache_runs_at_four_clocks_per_instruction() {
    let count = Alu { sf: true, ..Alu::NOP.with_small_imm(SmallImm(1)) };
    let mut insts = vec![ldi(File::A, Waddr::R0, 1000)];
    insts.push(count.with_add(AddOp::Sub, Waddr::R0, Mux::R0, Mux::B).into());
    insts.push(Branch::between(2, 1).when(BranchCond::AllZc).into());
    insts.extend([Inst::NOP; 3]);
    let outcome = timed(&insts, 1).expect("ends");
    assert_eq!(outcome.report.issued(), 1 + 1000 * 5 + 3);
    assert_eq!(outcome.clocks - stall(&outcome, 0, Cause::InstructionCache), 4 * (1 + 1000 * 5 + 3));
}

#[test]
fn a_lookup_is_stall_free_after_20_instructions_from_memory_and_9_from_its_cache() {
    let wait = |between: usize, lookups: usize| {
        let mut insts = Vec::new();
        for _ in 0..lookups {
            insts.push(ldi(File::A, Waddr::TMU0_S, DATA));
            insts.extend(vec![Inst::NOP; between]);
            insts.push(Alu::signal(Signal::LoadTmu0).into());
        }
        stall(&timed(&insts, 1).expect("ends"), 0, Cause::Tmu)
    };
    assert_eq!(wait(19, 1), 0);
    assert_eq!(wait(3, 1), 80 - 4 * 4);
    // Both lookups lie in one line of instructions, whose fetch would hide the latency.
    assert_eq!(wait(1, 1), 80 - 2 * 4);
    assert_eq!(wait(1, 2) - wait(1, 1), 36 - 2 * 4);
}

#[test]
fn transfers_of_different_qpus_queue_at_the_engine() {
    let store = [
        ldi(File::B, Waddr::VPM_WR_SETUP, 0x8090_4000),
        ldi(File::B, Waddr::VPM_ST_ADDR, DATA),
        Alu::NOP.reading_b(Raddr::VPM_ST_WAIT).into(),
    ];
    let one = timed(&store, 1).expect("ends");
    let four = timed(&store, 4).expect("ends");
    let waited = |o: &Outcome, q| stall(o, q, Cause::DmaStore);
    // One row of 64 bytes takes 53 clocks; whoever comes fourth waits for three others.
    assert_eq!(waited(&one, 0), 52);
    assert!(waited(&four, 3) >= 52 + 3 * 52 && waited(&four, 3) <= 56 + 3 * 56, "{}", waited(&four, 3));
}

#[test]
fn a_semaphore_hands_over_and_a_deadlock_is_found() {
    let index = Alu { sf: true, ..Alu::NOP }.with_add(AddOp::Or, Waddr::NOP, Mux::B, Mux::B);
    let mut insts: Vec<Inst> = vec![index.reading_b(Raddr::QPU_NUMBER).into()];
    insts.push(Branch::between(1, 26).when(BranchCond::AllZs).into());
    insts.extend([Inst::NOP; 23]);
    insts.push(Sema::up(1).into());
    insts.push(Sema::down(1).into());
    // QPU 0 jumps to the second semaphore instruction; QPU 1 passes both and would leave it waiting.
    let Err(RunError::Deadlock(waiting)) = timed(&insts, 2) else { panic!("one must wait for ever") };
    assert_eq!(waiting.len(), 1);
    insts[26] = Inst::NOP;
    insts.insert(26, Sema::down(1).into());
    insts[25] = Sema::up(1).into();
    insts.insert(26, Branch::between(26, 31).into());
    insts.splice(27..27, [Inst::NOP; 3]);
    insts[1] = Branch::between(1, 30).when(BranchCond::AllZs).into();
    let outcome = timed(&insts, 2).expect("balanced");
    assert!(stall(&outcome, 0, Cause::Semaphore) > 0 && stall(&outcome, 1, Cause::Semaphore) == 0);
}

#[test]
fn timing_does_not_change_results() {
    let insts = [ldi(File::A, Waddr::R0, 5), ldi(File::A, Waddr::TMU0_S, DATA), Alu::signal(Signal::LoadTmu0).into()];
    let outcome = timed(&insts, 3).expect("ends");
    assert_eq!(outcome.report.qpus.iter().map(|q| q.tmu_requests).sum::<u64>(), 3);
    assert_eq!(outcome.report.issued(), 3 * 6);
}

#[test]
fn a_trace_is_json_with_a_row_per_unit() {
    let mut program = Program::new("traced");
    program.push(ldi(File::A, Waddr::TMU0_S, DATA), None);
    program.push(Alu::signal(Signal::LoadTmu0), None);
    program.push(Alu::signal(Signal::ProgramEnd), None);
    program.extend([Inst::NOP; 2]);
    let mut machine = Machine::new(Config::default());
    machine.add_program(CODE, &program).expect("free");
    machine.add_region(Region::of_words("data", DATA, &[1; 16])).expect("free");
    let mut trace = Trace::default();
    let threads = [Thread { pc: CODE, uniforms: DATA }];
    timing::run(&mut machine, &threads, &Parameters::default(), Some(&mut trace)).expect("ends");
    let value: serde_json::Value = serde_json::from_str(&trace.to_json(250.0)).expect("valid JSON");
    let events = value["traceEvents"].as_array().expect("a list");
    let names: Vec<&str> = events.iter().filter_map(|e| e["args"]["name"].as_str()).collect();
    assert_eq!(names, ["QPU 0", "TMU 0 of slice 0"]);
    assert!(events.iter().any(|e| e["name"] == "TMU at 0x1008" && e["ph"] == "X" && e["tid"] == 0));
    assert_eq!(trace.dropped(), 0);
}

#[test]
fn a_profile_says_where_the_time_went() {
    let insts: Vec<Inst> = vec![
        ldi(File::A, Waddr::TMU0_S, DATA),
        Alu::signal(Signal::LoadTmu0).into(),
        Alu::NOP
            .with_add(AddOp::Add, Waddr::R0, Mux::R4, Mux::R4)
            .with_mul(MulOp::Fmul, Waddr::R1, Mux::R4, Mux::R4)
            .into(),
        Alu::NOP.with_add(AddOp::Add, Waddr::R0, Mux::R4, Mux::R4).into(),
        Alu::signal(Signal::ProgramEnd).into(),
        Inst::NOP,
        Inst::NOP,
    ];
    let mut program = Program::new("profiled");
    program.extend(insts.iter().copied());
    let mut machine = Machine::new(Config { profile: true, ..Config::default() });
    machine.add_program(CODE, &program).expect("free");
    machine.add_region(Region::of_words("data", DATA, &[1; 16])).expect("free");
    let threads = [Thread { pc: CODE, uniforms: DATA }; 2];
    let outcome = timing::run(&mut machine, &threads, &Parameters::default(), None).expect("ends");
    let profile = timing::profile::profile(&outcome, CODE, &insts);
    assert_eq!(profile.lines.iter().map(|l| l.executions).collect::<Vec<_>>(), [2; 7]);
    assert!(profile.lines[1].stalls[Cause::Tmu as usize] >= 72);
    assert_eq!(profile.lines[3].stalls.iter().sum::<u64>(), 0);
    assert_eq!(profile.dual_issue, 0.5);
    let sum: f64 = profile.shares.iter().map(|(_, share)| share).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{:?}", profile.shares);
    assert_eq!(profile.shares[0].0, "TMU");
}

#[test]
fn every_parameter_names_its_source() {
    let rows = Parameters::default().rows();
    assert!(rows.len() > 20 && rows.iter().all(|r| r.value >= 0.0 && r.source.len() > 10));
    let json = serde_json::to_string(&rows[0]).expect("plain data");
    assert!(json.contains("\"status\":\"structural\""), "{json}");
}
