//! The board against a fake Pi: sequences, and that every failure leaves nothing behind.

use super::fake::{Event, MEMORY, Pi};
use super::registers::*;
use super::run::{Board, Route};
use super::{Failure, Start};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);
const V3D: u64 = 0x3fc0_0000;
const BUS: u32 = 0xc000_0000 | MEMORY;

fn starts(n: u32) -> Vec<Start> {
    (0..n).map(|i| Start { code: BUS + 0x100 * i, uniforms: BUS + 0x8000 + 0x40 * i }).collect()
}

#[test]
fn opening_and_closing_is_this_sequence() {
    let pi = Pi::new();
    let mut board = pi.open().unwrap();
    assert_eq!(board.machine().v3d(), V3D);
    assert_eq!(pi.take_events(), [Event::Mail(0x30012, vec![1]), Event::Map(V3D, 0x1000)]);
    let region = board.allocate(5000).unwrap();
    assert_eq!((board.bus(region), board.bytes(region)), (BUS, 8192));
    let memory = u64::from(MEMORY);
    assert!(matches!(&pi.take_events()[..], [
        Event::Mail(0x3000c, request), Event::Mail(0x3000d, _), Event::Map(at, 8192)
    ] if *request == [8192, 4096, 4] && *at == memory));
    assert_eq!(board.clock_rate().unwrap(), 400_000_000);
    pi.take_events();
    board.close().unwrap();
    // First no program can run any more, then the memory goes, unmapped before it is unlocked and released.
    assert!(matches!(&pi.take_events()[..], [
        Event::Mail(0x30012, off), Event::Unmap(V3D), Event::Unmap(_), Event::Mail(0x3000e, _), Event::Mail(0x3000f, _)
    ] if *off == [0]));
    pi.assert_all_given_back();
    drop(board);
    assert_eq!(pi.take_events(), [], "the second time nothing happens");
}

#[test]
fn a_launch_by_registers_is_this_sequence() {
    let pi = Pi::new();
    let mut board = pi.open().unwrap();
    pi.take_events();
    board.execute(Route::Registers, &starts(2), SECOND).unwrap();
    let expected = [
        (0xe00, 0),
        (0xe2c, 0),
        (0xe30, 0xffff_ffff),
        (0x020, 4),
        (0x024, 0xffff_ffff),
        (0x43c, 0x0001_0180),
        (0x504, 16),
        (0x434, BUS + 0x8000),
        (0x438, 1024),
        (0x430, BUS),
        (0x434, BUS + 0x8040),
        (0x438, 1024),
        (0x430, BUS + 0x100),
    ];
    assert_eq!(pi.take_events(), expected.map(|(offset, value)| Event::Write(offset, value)));
    board.execute(Route::Registers, &starts(16), SECOND).unwrap();
    assert!(board.execute(Route::Registers, &[], SECOND).is_ok());
    assert!(matches!(
        board.execute(Route::Registers, &starts(17), SECOND),
        Err(Failure::TooManyPrograms { asked: 17 })
    ));
}

#[test]
fn a_launch_by_mailbox_hands_over_a_control_block() {
    let pi = Pi::new();
    let mut board = pi.open().unwrap();
    pi.take_events();
    board.execute(Route::Mailbox, &starts(2), SECOND).unwrap();
    let events = pi.take_events();
    assert_eq!(events[3..], [Event::Write(VPMBASE, 16), Event::Mail(0x30011, vec![2, BUS, 0, 900])]);
    assert_eq!(pi.state().memory[..4], [BUS + 0x8000, BUS, BUS + 0x8040, BUS + 0x100]);
    board.execute(Route::Mailbox, &starts(1), SECOND / 4).unwrap();
    let again = [Event::Write(VPMBASE, 16), Event::Mail(0x30011, vec![1, BUS, 0, 250])];
    assert_eq!(pi.take_events(), again, "the control block is kept");
    drop(board);
    pi.assert_all_given_back();
}

#[test]
fn bytes_travel_both_ways_and_programs_see_them() {
    let pi = Pi::with(|s| {
        s.program = Some(Arc::new(|starts, memory| {
            for start in starts {
                let at = |bus: u32| ((bus & 0x3fff_ffff) - MEMORY) as usize / 4;
                memory[at(start.uniforms)] = !memory[at(start.code)];
            }
        }));
    });
    let mut board = pi.open().unwrap();
    let (code, data) = (board.allocate(64).unwrap(), board.allocate(64).unwrap());
    board.write(code, 8, &[1, 2, 3, 4, 5]);
    let mut bytes = [9; 7];
    board.read(code, 8, &mut bytes);
    assert_eq!(bytes, [1, 2, 3, 4, 5, 0, 0]);
    let start = Start { code: board.bus(code) + 8, uniforms: board.bus(data) };
    for route in [Route::Registers, Route::Mailbox] {
        board.write(data, 0, &[0; 4]);
        board.execute(route, &[start], SECOND).unwrap();
        let mut word = [0; 4];
        board.read(data, 0, &mut word);
        assert_eq!(word, [!1, !2, !3, !4]);
    }
    board.release(code).unwrap();
    board.release(code).unwrap();
    drop(board);
    pi.assert_all_given_back();
}

/// Everything a session does, once.
fn session(pi: &Pi) -> Result<(), Failure> {
    let mut board = pi.open()?;
    let code = board.allocate(4096)?;
    let data = board.allocate(100)?;
    board.execute(Route::Registers, &starts(3), SECOND)?;
    board.release(code)?;
    board.execute(Route::Mailbox, &starts(1), SECOND)?;
    board.release(data)?;
    board.close()
}

#[test]
fn whatever_the_kernel_or_the_firmware_refuses_nothing_stays_behind() {
    let pi = Pi::new();
    session(&pi).unwrap();
    pi.assert_all_given_back();
    let steps = pi.steps();
    assert!(steps >= 16, "{steps}");
    for step in 0..steps {
        for kernel in [true, false] {
            let pi = Pi::with(|s| if kernel { s.fail_at = Some(step) } else { s.refuse_at = Some(step) });
            let result = session(&pi);
            let refused = pi.state().events.iter().filter(|e| !matches!(e, Event::Write(..) | Event::Unmap(_))).count();
            assert!(refused as u32 > step, "step {step} was reached");
            let mapping = matches!(
                pi.state().events.iter().filter(|e| matches!(e, Event::Mail(..) | Event::Map(..))).nth(step as usize),
                Some(Event::Map(..))
            );
            if !kernel && mapping {
                assert!(result.is_ok(), "the firmware has no say in mappings");
                pi.assert_all_given_back();
                continue;
            }
            assert!(result.is_err(), "step {step} is missed");
            // What refuses to be given back stays; nothing else does.
            let mut s = pi.state();
            let lost = s.events.iter().filter(|e| matches!(e, Event::Mail(..) | Event::Map(..))).nth(step as usize);
            match lost.cloned() {
                Some(Event::Mail(0x3000e, handle)) => {
                    s.locked.remove(&handle[0]);
                    s.handles.remove(&handle[0]);
                }
                Some(Event::Mail(0x3000f, handle)) => drop(s.handles.remove(&handle[0])),
                Some(Event::Mail(0x30012, on)) if on == [0] => s.powered = false,
                _ => {}
            }
            drop(s);
            pi.assert_all_given_back();
        }
    }
}

#[test]
fn an_endless_program_loses_its_power_and_the_board_goes_on() {
    let pi = Pi::with(|s| s.endless = true);
    let mut board = pi.open().unwrap();
    board.allocate(64).unwrap();
    pi.take_events();
    let failure = board.execute(Route::Registers, &starts(12), SECOND).unwrap_err();
    assert!(matches!(failure, Failure::TimedOut { milliseconds: 1000, finished: 0, launched: 12 }));
    let events = pi.take_events();
    assert_eq!(
        events[events.len() - 3..],
        [Event::Write(SRQCS, 0x81), Event::Mail(0x30012, vec![0]), Event::Unmap(V3D)]
    );
    pi.state().endless = false;
    board.execute(Route::Registers, &starts(12), SECOND).unwrap();
    assert_eq!(pi.take_events()[..2], [Event::Mail(0x30012, vec![1]), Event::Map(V3D, 0x1000)]);
    drop(board);
    pi.assert_all_given_back();
}

#[test]
fn memory_is_kept_while_a_program_may_still_write_to_it() {
    let pi = Pi::with(|s| (s.endless, s.power_stays) = (true, true));
    let mut board = pi.open().unwrap();
    let region = board.allocate(64).unwrap();
    assert!(matches!(board.execute(Route::Registers, &starts(1), SECOND), Err(Failure::TimedOut { .. })));
    assert!(matches!(board.execute(Route::Registers, &starts(1), SECOND), Err(Failure::Lost)));
    assert!(matches!(board.allocate(64), Err(Failure::Lost)));
    assert!(matches!(board.release(region), Err(Failure::Lost)));
    assert!(matches!(board.close(), Err(Failure::Lost)));
    assert_eq!(pi.state().handles.len(), 1);
    assert_eq!(pi.state().locked.len(), 1);
    // A shared power domain alone is no reason: the programs of this process have all ended.
    let pi = Pi::with(|s| s.power_stays = true);
    let mut board = pi.open().unwrap();
    board.allocate(64).unwrap();
    board.execute(Route::Registers, &starts(1), SECOND).unwrap();
    board.close().unwrap();
    pi.assert_all_given_back();
}

#[test]
fn the_firmware_s_time_out_and_an_overflow_stop_the_programs() {
    let pi = Pi::with(|s| (s.mailbox_times_out, s.endless) = (true, true));
    let mut board = pi.open().unwrap();
    let failure = board.execute(Route::Mailbox, &starts(3), SECOND * 60).unwrap_err();
    assert!(matches!(failure, Failure::TimedOut { milliseconds: 900, launched: 3, .. }));
    assert!(!pi.state().powered);
    drop(board);
    pi.assert_all_given_back();
    let pi = Pi::with(|s| (s.overflow, s.endless) = (true, true));
    let failure = pi.open().unwrap().execute(Route::Registers, &starts(3), SECOND).unwrap_err();
    assert!(matches!(failure, Failure::Queue(_)), "{failure:?}");
    pi.assert_all_given_back();
}

#[test]
fn an_interruption_ends_a_launch_and_prevents_the_next() {
    let pi = Pi::with(|s| s.endless = true);
    let mut board = pi.open().unwrap();
    let stop = board.stop_flag();
    pi.state().program = None;
    let watcher = pi.clone();
    let handle = std::thread::spawn(move || {
        // The launch has begun when its first program is queued; the fake's clock would run for a century.
        while !watcher.state().events.iter().any(|e| matches!(e, Event::Write(SRQPC, _))) {
            std::thread::yield_now();
        }
        stop.store(true, Ordering::SeqCst);
    });
    let result = board.execute(Route::Registers, &starts(1), Duration::from_secs(100 * 365 * 86_400));
    handle.join().unwrap();
    assert!(matches!(result, Err(Failure::Interrupted)));
    assert!(matches!(board.execute(Route::Registers, &starts(1), SECOND), Err(Failure::Interrupted)));
    drop(board);
    pi.assert_all_given_back();
}

#[test]
fn a_block_without_power_or_with_another_identity_is_not_used() {
    let open = |identity| {
        let pi = Pi::with(|s| s.identity = Some(identity));
        let failure = pi.open().map(drop).unwrap_err();
        pi.assert_all_given_back();
        failure
    };
    assert!(matches!(open(NO_POWER), Failure::NoPower));
    assert!(matches!(open(0x0442_3356), Failure::NotV3d { identity: 0x0442_3356 }));
}

#[test]
fn programs_left_running_end_with_a_power_cycle() {
    let pi = Pi::with(|s| s.left_running = true);
    let board = pi.open().unwrap();
    let mail: Vec<_> = pi.take_events().into_iter().filter(|e| matches!(e, Event::Mail(..))).collect();
    assert_eq!(mail, [1, 0, 1].map(|on| Event::Mail(0x30012, vec![on])));
    assert!(pi.state().now >= SECOND, "they had a second to end by themselves");
    drop(board);
    pi.assert_all_given_back();
    let pi = Pi::with(|s| (s.left_running, s.power_stays) = (true, true));
    assert!(matches!(pi.open().map(drop), Err(Failure::Busy)));
    pi.assert_all_given_back();
}

#[test]
fn a_panic_between_launches_gives_everything_back() {
    let pi = Pi::new();
    let inner = pi.clone();
    let result = std::panic::catch_unwind(move || {
        let mut board = inner.open().unwrap();
        board.allocate(64).unwrap();
        panic!("in the user's code");
    });
    assert!(result.is_err());
    pi.assert_all_given_back();
}

#[test]
fn the_chip_decides_how_memory_is_allocated() {
    let pi = Pi::new();
    let mut machine = Pi::machine();
    machine.soc = super::detect::Soc::Bcm2835;
    let mut board = Board::open(machine, pi.host()).unwrap();
    board.allocate(1).unwrap();
    assert!(pi.take_events().contains(&Event::Mail(0x3000c, vec![4096, 4096, 0xc])));
    assert!(matches!(board.allocate(u32::MAX), Err(Failure::OutOfMemory { .. })));
}

#[test]
fn failures_name_their_cause_and_a_remedy() {
    let denied = || std::io::Error::from(std::io::ErrorKind::PermissionDenied);
    let text = |f: Failure| f.diagnostic().render(false);
    let t = text(Failure::Refused { call: "enable the QPUs", answer: 0x8000_0000 });
    assert!(t.contains("firmware refused to enable the QPUs") && t.contains("vc4-kms-v3d"), "{t}");
    let t = text(Failure::Map { address: V3D, error: denied() });
    assert!(t.contains("0x3fc00000") && t.contains("sudo"), "{t}");
    let t = text(Failure::OutOfMemory { bytes: 77 });
    assert!(t.contains("77 bytes") && t.contains("gpu_mem"), "{t}");
    let t = text(Failure::NoPower);
    assert!(t.contains("0xdeadbeef") && t.contains("config.txt"), "{t}");
    let t = text(Failure::TimedOut { milliseconds: 5, finished: 1, launched: 2 });
    assert!(t.contains("1 of 2") && t.contains("E0608"), "{t}");
}
