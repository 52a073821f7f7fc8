//! Whole programs on the emulator, in every engine.

use quadra_isa::vc4::emu::{
    Config, Engine, FaultKind, Machine, Region, Report, RunError, SfuModel, Tail, Thread, Warning,
};
use quadra_isa::vc4::{AddOp, Alu, Branch, BranchCond, Cond, File, Inst, Ldi, MulOp, Mux, Program, Raddr};
use quadra_isa::vc4::{Sema, Signal, SmallImm, Waddr};

const ENGINES: [Engine; 3] = [Engine::Portable, Engine::Avx2, Engine::Avx512];
const CODE: u32 = 0x1_0000;
const UNIFORMS: u32 = 0x2_0000;
const INPUT: u32 = 0x10_0000;
const OUTPUT: u32 = 0x20_0000;

/// Stores `a + 4 i` for lane i through VPM row 0 and one DMA store; uniforms: out, a.
const STORE_INDEX: [u64; 13] = [
    0x1002082715827D80,
    0x1002086715827D80,
    0xE0021C6700001A00,
    0xD00208A711982DC0,
    0x10020C270C9E7280,
    0xE0021C6780904000,
    0xE0021C67C0000000,
    0x10021CA7159E7000,
    0x100009E7009F2000,
    0xE00209A700000001,
    0x300009E7009E7000,
    0x100009E7009E7000,
    0x100009E7009E7000,
];

/// Sums the squares of column `lane` over n rows, read by TMU one request ahead; uniforms: src, dst, n.
const SUM_SQUARES: [u64; 28] = [
    0x1002082715827D80,
    0x1002102715827D80,
    0x100208E715827D80,
    0xD002086711982DC0,
    0x100208270C9E7040,
    0x10020E27159E7000,
    0xE00208A700000000,
    0xE00200E700000040,
    0xD00208E70D9C17C0,
    0xA00208270C0E7180,
    0x10024E21359E7024,
    0xD00228E70D9C17C0,
    0xF0B809E7FFFFFFC8,
    0x100208A7019E7440,
    0x100009E7009E7000,
    0x100009E7009E7000,
    0xA00009E7009E7000,
    0xE0021C6700001A00,
    0x10020C27159E7480,
    0xE0021C6780904000,
    0xE0021C67C0000000,
    0x10021CA7159C0FC0,
    0x100009E7009F2000,
    0xE00209A700000001,
    0x300009E7009E7000,
    0x100009E7009E7000,
    0x100009E7009E7000,
    0x100009E7009E7000,
];

fn config(engine: Engine) -> Config {
    Config { engine, leftovers: Some(99), budget: 5_000_000, ..Config::default() }
}

fn machine(program: &Program, uniforms: &[Vec<u32>], config: Config) -> (Machine, Vec<Thread>) {
    let mut machine = Machine::new(config);
    machine.add_program(CODE, program).expect("free");
    machine.add_region(Region::new("in", INPUT, vec![7; 4096]).with_tail(Tail::Zero)).expect("free");
    machine.add_region(Region::new("out", OUTPUT, vec![0; 4096]).writable()).expect("free");
    let mut threads = Vec::new();
    for (i, words) in uniforms.iter().enumerate() {
        let address = UNIFORMS + 0x1000 * i as u32;
        machine.add_region(Region::of_words(format!("uniforms {i}"), address, words)).expect("free");
        threads.push(Thread { pc: CODE, uniforms: address });
    }
    (machine, threads)
}

fn words(machine: &Machine, name: &str) -> Vec<u32> {
    machine.memory().region(name).expect("exists").words()
}

/// Appends the program end.
fn finish(program: &mut Program) {
    program.push(Alu::signal(Signal::ProgramEnd), None);
    program.extend([Inst::NOP, Inst::NOP]);
}

fn program(insts: &[Inst]) -> Program {
    let mut program = Program::new("test");
    program.extend(insts.iter().copied());
    finish(&mut program);
    program
}

/// Runs on one QPU with a few uniforms, in every engine; the outcomes must agree.
fn run(insts: &[Inst]) -> Result<Report, RunError> {
    run_many(insts, 1)
}

fn run_many(insts: &[Inst], qpus: usize) -> Result<Report, RunError> {
    let uniforms: Vec<Vec<u32>> = (0..qpus).map(|i| vec![i as u32, INPUT, OUTPUT, UNIFORMS]).collect();
    let mut outcomes = ENGINES.map(|engine| {
        let (mut machine, threads) = machine(&program(insts), &uniforms, config(engine));
        let outcome = machine.run(&threads);
        (outcome, machine.registers(0), words(&machine, "out"))
    });
    assert_eq!(outcomes[0], outcomes[1]);
    assert_eq!(outcomes[0], outcomes[2]);
    std::mem::replace(&mut outcomes[0].0, Ok(Report::default()))
}

fn fault(insts: &[Inst]) -> FaultKind {
    match run(insts) {
        Err(RunError::Fault(fault)) => fault.kind,
        other => panic!("expected a fault, not {other:?}"),
    }
}

fn mov(waddr: Waddr, from: Mux) -> Alu {
    Alu::NOP.with_add(AddOp::Or, waddr, from, from)
}

fn nop() -> Inst {
    Inst::NOP
}

fn ldi(file: File, waddr: Waddr, imm: u32) -> Inst {
    Ldi::all(file, waddr, imm).into()
}

#[test]
fn a_store_of_lane_indices() {
    let program = Program::from_words("k1", &STORE_INDEX).expect("valid");
    for engine in ENGINES {
        let (mut machine, threads) = machine(&program, &[vec![OUTPUT + 64, 1000]], config(engine));
        let report = machine.run(&threads).expect("runs");
        assert_eq!(report.issued(), 13);
        let q = report.qpus[0];
        assert_eq!((q.uniforms, q.vpm_writes, q.dma_stores, q.dma_store_bytes, q.host_interrupts), (2, 1, 1, 64, 1));
        let out = words(&machine, "out");
        assert_eq!(out[16..32], std::array::from_fn::<u32, 16, _>(|i| 1000 + 4 * i as u32));
        assert!(out[..16].iter().chain(&out[32..]).all(|w| *w == 0));
        assert!(report.warnings.is_empty());
    }
}

#[test]
fn a_reduction_with_the_tmu_one_request_ahead() {
    let program = Program::from_words("k2", &SUM_SQUARES[..27]).expect("valid");
    for engine in ENGINES {
        for n in [1, 2, 7, 64] {
            let config = Config { profile: true, ..config(engine) };
            let (mut machine, threads) = machine(&program, &[vec![INPUT, OUTPUT, n]], config);
            let data: Vec<f32> = (0..1024).map(|i| (i % 97) as f32 * 0.37 - 9.0).collect();
            let bits: Vec<u32> = data.iter().map(|f| f.to_bits()).collect();
            let mut machine2 = Machine::new(config);
            for region in std::mem::replace(&mut machine, Machine::new(config)).into_memory().into_regions() {
                let region = match region.name.as_str() {
                    "in" => Region::of_words("in", INPUT, &bits).with_tail(Tail::Zero),
                    _ => region,
                };
                machine2.add_region(region).expect("free");
            }
            let report = machine2.run(&threads).expect("runs");
            assert_eq!(report.issued(), 20 + 7 * u64::from(n));
            let expected = (0..16).map(|lane| {
                (0..n as usize).fold(0, |sum, k| {
                    let square = quadra_isa::vc4::emu::alu::fmul(bits[16 * k + lane], bits[16 * k + lane]);
                    quadra_isa::vc4::emu::alu::fadd(sum, square)
                })
            });
            assert!(words(&machine2, "out")[..16].iter().copied().eq(expected), "{engine:?} {n}");
            let (base, counts) = &report.profile.iter().find(|(base, _)| *base == CODE).expect("the program ran");
            assert_eq!((*base, counts[0], counts[12], counts[26]), (CODE, 1, u64::from(n), 1));
        }
    }
}

#[test]
fn rules_that_would_give_wrong_results_are_faults() {
    let r0 = Mux::R0;
    let write_a1 = mov(Waddr(1), r0).into();
    let read_a1 = mov(Waddr::R0, Mux::A).reading_a(Raddr(1)).into();
    assert_eq!(fault(&[write_a1, read_a1]), FaultKind::RegisterTooEarly);
    assert!(run(&[write_a1, nop(), read_a1]).is_ok());
    let recip = mov(Waddr::SFU_RECIP, r0).into();
    let read_r4 = mov(Waddr::R1, Mux::R4).into();
    assert_eq!(fault(&[recip, nop(), read_r4]), FaultKind::R4TooEarly);
    assert_eq!(fault(&[recip, nop(), recip]), FaultKind::SfuTooEarly);
    assert!(run(&[recip, nop(), nop(), read_r4]).is_ok());
    let pointer = Alu::NOP.with_add(AddOp::Or, Waddr::UNIFORMS_ADDRESS, Mux::B, Mux::B).reading_b(Raddr::UNIFORM);
    let uniform = Alu::NOP.reading_a(Raddr::UNIFORM).into();
    let skip = [uniform, uniform, uniform, pointer.into()];
    assert_eq!(fault(&[&skip[..], &[nop(), uniform]].concat()), FaultKind::UniformTooEarly);
    assert!(run(&[&skip[..], &[nop(), nop(), uniform, uniform, uniform, uniform]].concat()).is_ok());
    assert_eq!(fault(&[uniform; 5]), FaultKind::UniformsEnd);
    let near = Inst::Branch(Branch::relative(0).when(BranchCond::AllCs));
    assert_eq!(fault(&[near, nop(), near]), FaultKind::BranchTooClose);
    let both = Alu { op_mul: MulOp::V8min, cond_mul: Cond::Always, waddr_mul: Waddr::R0, ..mov(Waddr::R0, r0) };
    assert_eq!(fault(&[both.into()]), FaultKind::SameValue);
    let store = Alu { cond_add: Cond::Zs, ..mov(Waddr::VPM, r0) };
    assert_eq!(fault(&[ldi(File::B, Waddr::VPM_WR_SETUP, 0x1a00), store.into()]), FaultKind::ConditionalPeripheral);
    assert_eq!(fault(&[mov(Waddr::MUTEX_RELEASE, r0).into()]), FaultKind::MutexNotHeld);
    assert_eq!(fault(&[mov(Waddr::VPM, r0).into()]), FaultKind::VpmNotSetUp);
    assert_eq!(fault(&[Alu::signal(Signal::Breakpoint).into()]), FaultKind::Breakpoint);
}

#[test]
fn a_register_read_too_early_is_fine_where_the_lanes_are_apart() {
    // Flags by lane index, then a write under one condition and a read under the inverse.
    let flags = Alu { sf: true, ..Alu::NOP.with_small_imm(SmallImm(8)) };
    let flags = flags.with_add(AddOp::Sub, Waddr::NOP, Mux::A, Mux::B).reading_a(Raddr::ELEMENT_NUMBER).into();
    let write = Alu { cond_add: Cond::Ns, ..mov(Waddr(1), Mux::R0) }.into();
    let read = |cond| Alu { cond_add: cond, ..mov(Waddr::R1, Mux::A).reading_a(Raddr(1)) }.into();
    assert!(run(&[flags, write, read(Cond::Nc)]).is_ok());
    assert_eq!(fault(&[flags, write, read(Cond::Ns)]), FaultKind::RegisterTooEarly);
}

#[test]
fn a_hazard_over_a_taken_branch_is_found() {
    let back = |body: &[Inst]| {
        let mut insts = vec![ldi(File::A, Waddr::R0, 3), nop()];
        let top = insts.len();
        insts.push(mov(Waddr::R1, Mux::A).reading_a(Raddr(5)).into());
        let count = Alu { sf: true, ..Alu::NOP.with_small_imm(SmallImm(1)) };
        insts.push(count.with_add(AddOp::Sub, Waddr::R0, Mux::R0, Mux::B).into());
        insts.push(Branch::between(insts.len(), top).when(BranchCond::AllZc).into());
        insts.extend_from_slice(body);
        insts
    };
    let write: Inst = mov(Waddr(5), Mux::R0).into();
    assert!(run(&back(&[write, nop(), nop()])).is_ok());
    assert_eq!(fault(&back(&[nop(), nop(), write])), FaultKind::RegisterTooEarly);
}

#[test]
fn rotations_right_after_a_write_are_lane_aware() {
    let write: Inst = mov(Waddr::R0, Mux::R1).into();
    let rotate = |n: u8| -> Inst {
        let imm = SmallImm::from_rotation(n).expect("not 0");
        Alu::NOP.with_small_imm(imm).with_mul(MulOp::V8min, Waddr::R1, Mux::R0, Mux::R0).into()
    };
    // Up by one, lane 15 goes to lane 0 of a lower quad; only a condition that leaves lane 0 out makes it safe.
    assert_eq!(fault(&[write, rotate(1)]), FaultKind::RotateTooEarly);
    let flags = Alu { sf: true, ..mov(Waddr::NOP, Mux::A) }.reading_a(Raddr::ELEMENT_NUMBER).into();
    let Inst::Alu(up) = rotate(1) else { unreachable!("built above") };
    let not_lane_0 = Inst::Alu(Alu { cond_mul: Cond::Zc, ..up });
    assert!(run(&[flags, write, not_lane_0]).is_ok());
    let by_r5 = Alu::NOP.with_small_imm(SmallImm::ROTATE_R5).with_mul(MulOp::V8min, Waddr::R1, Mux::R0, Mux::R0).into();
    assert_eq!(fault(&[mov(Waddr::R5, Mux::R1).into(), by_r5]), FaultKind::RotateAmountTooEarly);
}

#[test]
fn tmu_queues_are_checked() {
    let skip = Alu::NOP.reading_a(Raddr::UNIFORM).into();
    let address = mov(Waddr::R0, Mux::A).reading_a(Raddr::UNIFORM).into();
    let request: Inst = mov(Waddr::TMU0_S, Mux::R0).into();
    let receive: Inst = Alu::signal(Signal::LoadTmu0).into();
    let with = |tail: &[Inst]| [&[skip, address], tail].concat();
    assert!(run(&with(&[request, request, request, request, receive, receive, receive, receive])).is_ok());
    assert_eq!(fault(&with(&[request; 5])), FaultKind::TmuDeep);
    assert_eq!(fault(&with(&[request, receive, receive])), FaultKind::TmuEmpty);
    assert_eq!(fault(&with(&[request, request, receive])), FaultKind::TmuUndrained(1));
    let Err(RunError::Fault(stray)) = run(&[ldi(File::A, Waddr::R0, 0x500), request]) else { panic!("stray access") };
    assert_eq!((stray.index, stray.lane, stray.address), (1, Some(0), Some(0x500)));
}

#[test]
fn a_texture_lookup_takes_its_parameters_from_the_uniforms() {
    // The input buffer as a raster image of 16 x 16 texels of 32 bits, nearest, s repeated, t clamped.
    let words = [INPUT | 0x1000, 1 << 31 | 16 << 20 | 16 << 8 | 1 << 7 | 1 << 2];
    let lanes = Alu::NOP.with_add(AddOp::Itof, Waddr::R0, Mux::A, Mux::A).reading_a(Raddr::ELEMENT_NUMBER).into();
    // s = lane / 16 + 1/32 + 1, one whole period further.
    let scale = Alu::NOP.with_small_imm(SmallImm::from_float(1.0 / 16.0).expect("a power of two"));
    let mut program = Program::new("texture");
    program.extend([
        lanes,
        scale.with_mul(MulOp::Fmul, Waddr::R0, Mux::R0, Mux::B).into(),
        ldi(File::A, Waddr::R1, 1.03125f32.to_bits()),
        Alu::NOP.with_add(AddOp::Fadd, Waddr::R0, Mux::R0, Mux::R1).into(),
        ldi(File::A, Waddr::TMU0_T, (3.5f32 / 16.0).to_bits()),
        mov(Waddr::TMU0_S, Mux::R0).into(),
        Alu::signal(Signal::LoadTmu0).into(),
    ]);
    finish(&mut program);
    let mut machine = Machine::new(config(Engine::Auto));
    machine.add_program(CODE, &program).expect("free");
    let image: Vec<u32> = (0..256).collect();
    machine.add_region(Region::of_words("image", INPUT | 0x1000, &image)).expect("free");
    machine.add_region(Region::of_words("uniforms", UNIFORMS, &words)).expect("free");
    let report = machine.run(&[Thread { pc: CODE, uniforms: UNIFORMS }]).expect("ends");
    assert_eq!(machine.registers(0).expect("ran").accumulators[4].0, std::array::from_fn(|i| 48 + i as u32));
    assert_eq!((report.qpus[0].uniforms, report.qpus[0].tmu_requests), (2, 1));
    let both = Alu::NOP.with_add(AddOp::Or, Waddr::TMU0_T, Mux::A, Mux::A).reading_a(Raddr::UNIFORM);
    assert_eq!(fault(&[both.into()]).rule(), "H30");
}

#[test]
fn what_dma_stored_cannot_be_read_through_the_tmu() {
    let store = [
        ldi(File::B, Waddr::VPM_WR_SETUP, 0x1a00),
        mov(Waddr::VPM, Mux::R0).into(),
        ldi(File::B, Waddr::VPM_WR_SETUP, 0x8090_4000),
        ldi(File::B, Waddr::VPM_ST_ADDR, OUTPUT),
        Alu::NOP.reading_b(Raddr::VPM_ST_WAIT).into(),
    ];
    let read = |at: u32| [ldi(File::A, Waddr::TMU0_S, at), Alu::signal(Signal::LoadTmu0).into()];
    let stored = fault(&[&store[..], &read(OUTPUT + 60)].concat());
    assert_eq!(stored.rule(), "H51");
    assert!(run(&[&store[..], &read(OUTPUT + 64)].concat()).is_ok());
    assert!(run(&[&read(OUTPUT), &store[..]].concat()).is_ok(), "before the store the word may be read");
}

#[test]
fn dma_loads_must_be_waited_for() {
    let load = [
        ldi(File::A, Waddr::VPM_RD_SETUP, 0x8301_0000),
        ldi(File::A, Waddr::VPM_LD_ADDR, INPUT),
        ldi(File::A, Waddr::VPM_RD_SETUP, 0x0010_1a00),
    ];
    let read: Inst = mov(Waddr::R2, Mux::A).reading_a(Raddr::VPM).into();
    let wait: Inst = Alu::NOP.reading_a(Raddr::VPM_LD_WAIT).into();
    assert_eq!(fault(&[&load[..], &[nop(), read]].concat()), FaultKind::VpmLoadPending);
    assert!(run(&[&load[..], &[wait, nop(), read]].concat()).is_ok());
    assert_eq!(fault(&[&load[..], &[wait, nop(), read, read]].concat()), FaultKind::VpmReadEmpty);
    let report = run(&[&load[..], &[wait]].concat()).expect("runs");
    assert!(matches!(report.warnings[..], [Warning::VpmReadsDropped { .. }]));
}

#[test]
fn what_is_left_in_semaphores_and_mutex_is_a_warning_or_a_fault() {
    let acquire: Inst = Alu::NOP.reading_a(Raddr::MUTEX_ACQUIRE).into();
    let insts = [nop(), Sema::up(5).into(), Sema::up(5).into(), Sema::up(6).into(), Sema::down(6).into(), acquire];
    let report = run(&insts).expect("a foreign program may");
    let warnings: Vec<String> = report.warnings.iter().map(Warning::to_string).collect();
    assert!(warnings[0].starts_with("QPU 0, instruction 2: all programs end with semaphore 5 at 2"), "{warnings:?}");
    assert!(warnings[1].starts_with("QPU 0, instruction 5: all programs end with the mutex held"), "{warnings:?}");
    assert_eq!(warnings.len(), 2);
    let mut program = Program::new("left");
    program.extend(insts);
    program.extend([Alu::signal(Signal::ProgramEnd).into(), nop(), nop()]);
    let mut machine = Machine::new(Config { balanced: true, ..Config::default() });
    machine.add_program(CODE, &program).expect("free");
    let Err(RunError::Fault(fault)) = machine.run(&[Thread { pc: CODE, uniforms: 0 }]) else { panic!("must fault") };
    let left = quadra_isa::vc4::emu::fault::Left::Semaphore { number: 5, value: 2 };
    assert_eq!((fault.index, fault.kind), (2, FaultKind::SyncLeft(left)));
}

#[test]
fn deadlocks_say_who_waits_for_what() {
    let acquire: Inst = Alu::NOP.reading_a(Raddr::MUTEX_ACQUIRE).into();
    let Err(RunError::Deadlock(waiting)) = run_many(&[acquire, Sema::down(3).into()], 3) else {
        panic!("must not end")
    };
    let error = RunError::Deadlock(waiting).to_string();
    let expected = "deadlock: QPU 0 at instruction 1 waits for semaphore 3 to rise above 0; QPU 1 at instruction 0 waits \
                    for the mutex, held by QPU 0; QPU 2 at instruction 0 waits for the mutex, held by QPU 0";
    assert_eq!(error, expected);
}

#[test]
fn semaphores_and_the_mutex_order_qpus() {
    // Every QPU but the first adds one to a semaphore; the first takes as many off.
    let mut insts = vec![mov(Waddr::R0, Mux::A).reading_a(Raddr::UNIFORM).into(), nop()];
    let test = Alu { sf: true, ..mov(Waddr::NOP, Mux::R0) };
    insts.push(test.into());
    insts.push(Branch::between(3, 8).when(BranchCond::AllZs).into());
    insts.extend([nop(), nop(), nop()]);
    insts.push(Sema::up(5).into());
    let worker = program(&insts);
    assert_eq!(worker.len(), 11);
    let outcome = run_many(&insts, 4).expect("all end");
    assert_eq!(outcome.semaphores[5], 3);
    let locked = [Alu::NOP.reading_a(Raddr::MUTEX_ACQUIRE).into(), nop(), mov(Waddr::MUTEX_RELEASE, Mux::R0).into()];
    assert!(!run_many(&locked, 12).expect("all end").mutex_held);
    assert_eq!(run_many(&[nop()], 13), Err(RunError::TooManyThreads(13)));
}

#[test]
fn an_endless_loop_uses_up_the_budget() {
    let insts = [Branch::between(0, 0).into(), nop(), nop(), nop()];
    let Err(RunError::Budget { qpu, index, executed, .. }) = run(&insts) else { panic!("never ends") };
    assert_eq!((qpu, executed), (0, 5_000_000));
    assert!(index < 4);
}

#[test]
fn a_subroutine_returns_by_its_link() {
    let call = Branch { waddr_add: Waddr(30), ..Branch::between(0, 8) };
    let back = Branch { reg: true, rel: false, raddr_a: 30, ..Branch::absolute(0) };
    let mut insts: Vec<Inst> = vec![call.into(), nop(), nop(), nop(), Branch::between(4, 14).into()];
    insts.extend([nop(); 3]);
    insts.extend([ldi(File::A, Waddr::R3, 77), back.into(), nop(), nop(), nop(), nop()]);
    let mut program = Program::new("call");
    program.extend(insts);
    finish(&mut program);
    for engine in ENGINES {
        let (mut machine, threads) = machine(&program, &[vec![]], config(engine));
        let report = machine.run(&threads).expect("returns");
        assert_eq!(report.issued(), 4 + 5 + 4 + 3);
        assert_eq!(machine.registers(0).expect("ran").accumulators[3].0, [77; 16]);
    }
}

#[test]
fn a_branch_in_the_last_delay_slot_of_another_runs_three_instructions_of_its_target() {
    let add = |waddr: u8| -> Inst {
        Alu::NOP
            .with_small_imm(SmallImm(1))
            .with_add(AddOp::Add, Waddr(32 + waddr), Mux::from_code(waddr), Mux::B)
            .into()
    };
    // 0: to 10. 3: to 20. Then 10, 11, 12 run before 20.
    let mut insts = vec![nop(); 21];
    insts[0] = ldi(File::A, Waddr::R0, 0);
    insts[1] = Branch::between(1, 10).into();
    insts[4] = Branch::between(4, 20).into();
    insts[10..16].fill(add(0));
    let mut program = Program::new("chain");
    program.extend(insts);
    finish(&mut program);
    let (mut machine, threads) = machine(&program, &[vec![]], config(Engine::Portable));
    machine.run(&threads).expect("ends");
    assert_eq!(machine.registers(0).expect("ran").accumulators[0].0, [3; 16]);
}

#[test]
fn special_functions_follow_the_model() {
    let insts = [ldi(File::A, Waddr::SFU_RECIP, 3f32.to_bits()), nop(), nop(), mov(Waddr::R0, Mux::R4).into()];
    for (sfu, expected) in
        [(SfuModel::Ideal, Some(0x3eaa_aaaa)), (SfuModel::default(), Some(0x3eaa_ac00)), (SfuModel::WORST, None)]
    {
        let (mut machine, threads) = machine(&program(&insts), &[vec![]], Config { sfu, ..config(Engine::Auto) });
        machine.run(&threads).expect("ends");
        let third = machine.registers(0).expect("ran").accumulators[0].0[0];
        match expected {
            Some(bits) => assert_eq!(third, bits, "{sfu:?}"),
            None => assert!(![0x3eaa_aaaa, 0x3eaa_ac00].contains(&third), "{third:x}"),
        }
        assert!((f32::from_bits(third) * 3.0 - 1.0).abs() < 1.0 / 8180.0);
    }
}

#[test]
fn the_last_three_instructions_are_checked() {
    let end = |last: [Inst; 3]| {
        let mut program = Program::new("end");
        program.extend(last);
        let (mut machine, threads) = machine(&program, &[vec![1, 2]], config(Engine::Portable));
        machine.run(&threads).map_err(|e| match e {
            RunError::Fault(fault) => fault.kind,
            other => panic!("{other}"),
        })
    };
    let thrend = Alu::signal(Signal::ProgramEnd);
    assert!(end([thrend.into(), nop(), mov(Waddr::HOST_INT, Mux::R0).into()]).is_ok());
    let uniform = Alu::NOP.reading_a(Raddr::UNIFORM).into();
    assert_eq!(end([thrend.into(), nop(), uniform]), Err(FaultKind::EndAccess));
    let write = Alu { sig: Signal::ProgramEnd, ..mov(Waddr(3), Mux::R0) };
    assert_eq!(end([write.into(), nop(), nop()]), Err(FaultKind::EndWrite));
    assert_eq!(end([thrend.into(), mov(Waddr(14), Mux::R0).into(), nop()]), Err(FaultKind::EndRegister14));
    let branch = Branch::relative(0).into();
    assert_eq!(end([thrend.into(), branch, nop()]), Err(FaultKind::BranchAtEnd));
}
