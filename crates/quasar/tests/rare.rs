//! Messages that no small program brings about, and what messages have in common.

use quadra_quasar::session::{Options, Session, run_text, with_stack};
use std::io::{Error, ErrorKind, Write};

/// An output that is full: at once, or when what it keeps has to go out.
struct Full {
    at_once: bool,
}

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.at_once { Err(Error::from(ErrorKind::StorageFull)) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        if self.at_once { Ok(()) } else { Err(Error::from(ErrorKind::StorageFull)) }
    }
}

#[test]
fn an_output_that_is_full_is_an_error_that_cannot_be_caught() {
    let mut session = Session::new(Options::default(), Box::new(Full { at_once: true }));
    let outcome = session.run("full.q", "try\n    print 1\ncatch e\n    x = 1\nendtry\n");
    assert_eq!(outcome.status, 1);
    assert!(outcome.diagnostics.iter().any(|d| d.code == "Q0412"), "{:?}", outcome.diagnostics);
}

#[test]
fn an_output_that_turns_out_to_be_full_at_the_end_is_a_failure() {
    for (text, status) in [("print 1\n", 1), ("exit(7)\n", 7)] {
        let outcome = Session::new(Options::default(), Box::new(Full { at_once: false })).run("full.q", text);
        assert_eq!(outcome.status, status);
        assert!(outcome.diagnostics.iter().any(|d| d.code == "Q0412"), "{:?}", outcome.diagnostics);
    }
}

#[test]
fn what_is_behind_too_many_levels_is_not_reported() {
    let text = format!("{}print 1\n{}", "if true\n".repeat(300), "end\n".repeat(300));
    let (_, outcome) = run_text("deep.q", &text, &Options::default());
    let codes: Vec<_> = outcome.diagnostics.iter().map(|d| d.code).collect();
    assert_eq!((outcome.status, codes), (2, vec!["Q0111"]));
}

#[test]
fn a_literal_with_too_many_values_is_refused() {
    let text = format!("x = [{}0]\n", "a,".repeat(70_000));
    let outcome = with_stack(move || run_text("large.q", &format!("a = 1\n{text}"), &Options::default()).1);
    let outcome = outcome.expect("no program may panic");
    assert_eq!(outcome.status, 2);
    assert!(outcome.diagnostics.iter().any(|d| d.code == "Q0130"), "{:?}", outcome.diagnostics);
}

#[test]
fn a_fault_names_the_calls_it_came_through() {
    let text = "f = x -> [1,2][x]\ng = x -> f(x) + 1\nh = c -> cellfun(g, c)\nprint h({7})\n";
    let (_, outcome) = run_text("stack.q", text, &Options::default());
    let [fault] = &outcome.diagnostics[..] else { panic!("{:?}", outcome.diagnostics) };
    assert_eq!(fault.message, "index 7 is out of bounds (0..1) in array");
    assert_eq!(fault.span.map(|s| (s.line, s.column)), Some((1, 10)));
    let notes: Vec<&str> = fault.notes.iter().map(String::as_str).collect();
    assert_eq!(notes, ["in 'f', called at stack.q:2:10", "in 'h', called at stack.q:4:7"]);
    assert!(!fault.help.is_empty());
}

#[test]
fn catch_gets_the_text_that_the_user_would_read() {
    let programs =
        ["x = [1,2]\nprint x[5]", "print inv([[1,2],[2,4]])", "print lenght", "error \"a \", 3", "print 1j < 2"];
    for program in programs {
        let (_, outcome) = run_text("plain.q", program, &Options::default());
        let message = &outcome.diagnostics[0].message;
        let caught = format!("try\n{program}\ncatch e\nprint e\nendtry\n");
        let (output, outcome) = run_text("caught.q", &caught, &Options::default());
        assert_eq!((output.trim_end(), outcome.status), (message.as_str(), 0));
    }
}

/// An endless loop ends with any limit, even none at all: no time is measured here.
#[test]
fn a_launch_without_end_is_stopped_on_every_device() {
    let text = "x = ones(40)\ny = zeros(40)\ntry\n    for i=0..39\n        v = x[i]\n        while v > 0\n            \
                v = v + 1 - 1\n        endwhile\n        y[i] = v\n    endfor\ncatch e\n    print e\nendtry\nprint y\n";
    for device in ["interp", "qpu", "cpu"] {
        if quadra_device::open(device.replace("qpu", "emu").as_str()).is_err() {
            quadra_base::testing::left_out(format_args!("there is no device {device}"));
            continue;
        }
        let options =
            Options { device: device.into(), time_limit: Some(std::time::Duration::ZERO), ..Options::default() };
        let (output, outcome) = run_text("endless.q", text, &options);
        assert_eq!((output.as_str(), outcome.status), ("", 1), "{device}");
        let [fault] = &outcome.diagnostics[..] else { panic!("{device}: {:?}", outcome.diagnostics) };
        assert_eq!((fault.code, fault.span.map(|s| s.line)), ("Q0524", Some(4)), "{device}");
    }
}

#[test]
fn unknown_devices_are_refused_before_anything_runs() {
    for (device, status) in [("tpu", 2), ("", 2), ("emu", 0), ("qpu", 0), ("interp-qpu", 0)] {
        let options = Options { device: device.into(), ..Options::default() };
        let (output, outcome) = run_text("device.q", "print 1\n", &options);
        let codes: Vec<_> = outcome.diagnostics.iter().map(|d| d.code).collect();
        assert_eq!(outcome.status, status, "{device}");
        assert_eq!((output.trim(), codes), if status == 0 { ("1", vec![]) } else { ("", vec!["Q0525"]) }, "{device}");
    }
}

#[test]
fn another_thread_ends_what_runs_and_the_session_goes_on() {
    for device in ["host", "interp", "emu"] {
        let options = Options { device: device.into(), ..Options::default() };
        let mut session = Session::new(options, Box::new(std::io::sink()));
        let stop = session.stop();
        let asking = std::thread::spawn(move || {
            // Until the run has begun, which forgets what was asked before.
            for _ in 0..300 {
                std::thread::sleep(std::time::Duration::from_millis(10));
                stop.request(quadra_base::stop::Reason::Interrupt);
            }
        });
        let kernel = "function [] = __kernel__ k(x : vec, pos : int)\n    while x[pos] < 2\n        x[pos] = 1\n    endwhile\nendfunction\nx = zeros(16)\nparallel_do(16, x, k)\n";
        let outcome = session.run("endless.q", &format!("try\n    y = 1\ncatch e\n    y = 2\nendtry\n{kernel}"));
        let codes: Vec<_> = outcome.diagnostics.iter().filter(|d| d.is_error()).map(|d| d.code).collect();
        assert_eq!((outcome.status, codes), (130, vec!["Q0317"]), "{device}");
        asking.join().expect("it only asks");
        assert_eq!(session.run("next.q", "y = 3\n").status, 0);
    }
}

#[test]
fn the_limit_on_a_run_cannot_be_caught() {
    let options = Options { run_limit: Some(std::time::Duration::from_millis(20)), ..Options::default() };
    let text = "while true\n    try\n        x = 1\n        while true\n            x = x + 1\n        endwhile\n    catch e\n        x = 2\n    endtry\nendwhile\n";
    let (_, outcome) = run_text("endless.q", text, &options);
    assert_eq!((outcome.status, outcome.diagnostics[0].code), (1, "Q0318"));
}
