//! The commands `profile`, `debug` and `timing` as a user calls them.

use quadra_isa::vc4::asm;
use quadra_isa::vc4::image::{Image, ImageThread, Loaded, Segment, ZeroSegment};
use serde_json::Value;
use std::io::Write;
use std::process::{Command, Stdio};

fn quadra(args: &[&str], input: &str) -> (String, String, bool) {
    // Source lines of shipped kernels are read from the files, whose names begin at the root of the workspace.
    let mut child = Command::new(env!("CARGO_BIN_EXE_quadra"))
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary is built with the tests");
    // A command that needs no input may be done before it is written.
    let _ = child.stdin.take().expect("piped").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (text(output.stdout), text(output.stderr), output.status.success())
}

fn json(args: &[&str]) -> Value {
    let (out, err, fine) = quadra(args, "");
    assert!(fine, "{err}");
    serde_json::from_str(&out).expect("JSON")
}

#[test]
fn a_profile_accounts_for_every_clock_and_names_the_source() {
    let p = json(&["profile", "heat_map", "--qpus", "4", "--json"]);
    let rows = p["codes"][0]["instructions"].as_array().expect("a list");
    let clocks: u64 = rows.iter().map(|r| r["clocks"].as_u64().expect("a number")).sum();
    let qpus = p["qpus"].as_array().expect("a list");
    assert_eq!((qpus.len(), clocks), (4, qpus.iter().map(|q| q["clocks"].as_u64().expect("a number")).sum()));
    let issued: u64 = qpus.iter().map(|q| q["issued"].as_u64().expect("a number")).sum();
    assert_eq!(rows.iter().map(|r| r["executions"].as_u64().expect("a number")).sum::<u64>(), issued);
    assert!(rows.iter().any(|r| r["source"]["text"].as_str().is_some_and(|t| t.contains("sum * 0.125"))), "{rows:?}");
    let blocks = p["codes"][0]["blocks"].as_array().expect("a list");
    let clocks: Vec<u64> = blocks.iter().map(|b| b["clocks"].as_u64().expect("a number")).collect();
    assert!(clocks.is_sorted_by(|a, b| a >= b) && blocks[0]["span"].is_array(), "{blocks:?}");
}

#[test]
fn a_trace_has_a_row_for_every_unit() {
    let directory = tempfile::tempdir().expect("a place for files");
    let path = directory.path().join("trace.json");
    let file = path.to_str().expect("text");
    let (out, err, fine) = quadra(&["profile", "rot3d_v2", "--trace", file], "");
    assert!(fine && out.contains("limited by "), "{out}{err}");
    let trace: Value = serde_json::from_str(&std::fs::read_to_string(&path).expect("written")).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("a list");
    let named: Vec<&Value> = events.iter().filter(|e| e["ph"] == "M" && e["name"] == "thread_name").collect();
    let names: Vec<&str> = named.iter().filter_map(|e| e["args"]["name"].as_str()).collect();
    assert_eq!(names, ["QPU 0", "TMU 0 of slice 0", "DMA store"]);
    // Every span belongs to a row that has a name, and to a time.
    for event in events.iter().filter(|e| e["ph"] == "X") {
        assert!(named.iter().any(|n| n["tid"] == event["tid"] && n["pid"] == event["pid"]), "{event}");
        assert!(event["ts"].as_f64().is_some_and(|t| t >= 0.0) && event["dur"].as_f64().is_some_and(|d| d >= 0.0));
    }
    assert!(events.len() > 1000);
}

#[test]
fn the_debugger_steps_forwards_and_backwards() {
    let script = "\
step 3
registers rb0
back 2
break rot3d.rs:33
continue
acc float
list
backtrace
delete
continue
back 1
memory 0x100000 2 hex
vpm 0
flags
nonsense
step 1 7
quit
";
    let (out, err, fine) = quadra(&["debug", "rot3d_v2"], script);
    assert!(fine, "{err}");
    for part in [
        "rot3d_v2, 19,200 vertices on 1 QPU\nQPU 0: 0x100000 ",
        "2 undone, 1 executed",
        "breakpoint at 0x",
        "QPU 0 is at the breakpoint 0x",
        "rot3d.rs:33",
        "results of TMU 0 not received",
        "1 removed",
        "all QPUs have ended after ",
        "zero      ",
        "there is no command `nonsense`",
        "there is no QPU 7: 1 are running",
    ] {
        assert!(out.contains(part), "{part}\n{out}");
    }
    // Not a word of the script is left unanswered by a crash: the same session gives the same text.
    assert_eq!(quadra(&["debug", "rot3d_v2"], script).0, out);
}

/// A program that adds up products for a while and stores 16 floats at 0x10000.
const SUMS: &str = "
mov r0, elem_num
itof r0, r0
ldi r1, 0x3dcccccd
ldi r3, 2000
mov r2, 0
:loop
fmul ra1, r0, r1
sub.setf r3, r3, 1
fadd r2, r2, ra1
brr.anynz -, :loop
fadd r0, r0, r1
nop
nop
ldi vw_setup, 0x1a00
mov vpm, r2
ldi vw_setup, 0x80904000
ldi vw_setup, 0xc0000000
ldi vw_addr, 0x10000
mov -, vw_wait
thrend
mov interrupt, 1
nop
";

/// Each engine can be chosen by name, and all leave the same memory; one that the processor lacks is an error and not another.
#[test]
fn engines_are_chosen_by_name() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let at = |name: &str| directory.path().join(name).to_str().expect("a name in UTF-8").to_string();
    std::fs::write(at("sums.qasm"), SUMS).expect("the directory is there");
    let (_, err, fine) = quadra(&["asm", &at("sums.qasm"), "--emit", "bin", "-o", &at("sums.bin")], "");
    assert!(fine, "{err}");
    let bytes = std::fs::metadata(at("sums.bin")).expect("written").len();
    let image = format!(
        "{{ \"threads\": [ {{ \"pc\": 4096, \"unif\": 8192 }} ],
           \"segments\": [ {{ \"name\": \"code\", \"addr\": 4096, \"off\": 0, \"nbytes\": {bytes} }} ],
           \"zero_segments\": [ {{ \"addr\": 8192, \"nbytes\": 64 }}, {{ \"addr\": 65536, \"nbytes\": 64 }} ] }}"
    );
    std::fs::write(at("sums.json"), image).expect("the directory is there");
    let mut memories = Vec::new();
    for engine in ["portable", "avx2", "avx512", "interp", "auto"] {
        let out = at(&format!("{engine}.out"));
        let args = ["emulate", &at("sums.json"), "--engine", engine, "--memory-out", &out];
        let (_, err, fine) = quadra(&args, "");
        if fine {
            memories.push((engine, std::fs::read(out).expect("written")));
            continue;
        }
        assert!(err.contains(&format!("the engine `{engine}` needs")), "{err}");
        assert!(!std::path::Path::new(&out).exists(), "nothing is written");
    }
    assert!(
        memories.iter().all(|(_, m)| *m == memories[0].1),
        "{:?}",
        memories.iter().map(|m| m.0).collect::<Vec<_>>()
    );
    let last = &memories[0].1[65536..];
    assert!(last.chunks(4).all(|w| f32::from_le_bytes([w[0], w[1], w[2], w[3]]) > 1000.0), "{last:?}");
    #[cfg(target_arch = "x86_64")]
    assert!(!is_x86_feature_detected!("avx2") || memories.iter().any(|m| m.0 == "avx2"));
}

/// 2^0 by the special function unit, stored once.
#[test]
fn the_model_of_special_functions_can_be_chosen() {
    let directory = tempfile::tempdir().expect("a place for files");
    let at = |name: &str| directory.path().join(name).display().to_string();
    let source = "mov exp, 0\nnop\nmov vw_setup, vpm_setup(0, 1, h32(0))\nmov vpm, r4\nmov vw_setup, vdw_setup_1(0)\n\
                  mov vw_setup, vdw_setup_0(1, 16, dma_h32(0, 0))\nmov vw_addr, unif\nread vw_wait\nthrend\nnop\nnop\n";
    let (assembly, _) = asm::assemble("exp", &format!(".include <vc4.qinc>\n{source}"), &asm::Options::default());
    let mut contents: Vec<u8> =
        assembly.expect("it assembles").program().words().iter().flat_map(|w| w.to_le_bytes()).collect();
    let uniforms = contents.len() as u64;
    contents.extend(0x3000u32.to_le_bytes());
    let segment = |name: &str, addr, off, nbytes| Segment { name: name.into(), addr, off, nbytes };
    let image = Image {
        threads: vec![ImageThread { pc: 0x1000, unif: 0x2000 }],
        segments: vec![segment("code", 0x1000, 0, uniforms), segment("uniforms", 0x2000, uniforms, 4)],
        zero_segments: vec![ZeroSegment { addr: 0x3000, nbytes: 64 }],
        ..Image::default()
    };
    Loaded { image, contents }.write(at("exp.json").as_ref()).expect("writable");
    let one = |arguments: &[&str]| {
        let out = at("memory");
        let (_, err, fine) = quadra(&[&["emulate", &at("exp.json"), "--memory-out", &out], arguments].concat(), "");
        assert!(fine, "{err}");
        let memory = std::fs::read(out).expect("written");
        f32::from_le_bytes([memory[0x3000], memory[0x3001], memory[0x3002], memory[0x3003]])
    };
    let board = 1.0 + 1.0 / 32768.0;
    assert_eq!([one(&[]), one(&["--sfu", "model"]), one(&["--sfu", "ideal"])], [board, board, 1.0]);
    let worst = one(&["--sfu", "worst"]);
    assert!(worst != 1.0 && worst != board && (worst - 1.0).abs() < 1.0 / 8180.0, "{worst}");
    let (_, err, fine) = quadra(&["emulate", &at("exp.json"), "--sfu", "best"], "");
    assert!(!fine && err.contains("ideal, model, worst"), "{err}");
    for command in ["profile", "debug"] {
        let (_, err, fine) = quadra(&[command, "gcd", "--sfu", "ideal"], "quit\n");
        assert!(fine, "{command}: {err}");
    }
}

#[test]
fn unknown_targets_are_refused_with_what_there_is() {
    for command in ["profile", "debug"] {
        let (_, err, fine) = quadra(&[command, "rot4d"], "");
        assert!(!fine && err.contains("no shipped kernel is called `rot4d`") && err.contains("rot3d_v2"), "{err}");
        let (_, err, fine) = quadra(&[command, "missing.json"], "");
        assert!(!fine && err.contains("E0721"), "{err}");
        let (_, err, fine) = quadra(&[command, "rot3d_v2", "--workload", "million"], "");
        assert!(!fine && err.contains("19,200 vertices; 192,000 vertices"), "{err}");
    }
}

#[test]
fn the_report_of_the_timing_model_stays_within_ten_percent() {
    let report = json(&["timing", "--report", "--json"]);
    let checks = report["checks"].as_array().expect("a list");
    let errors: Vec<f64> = checks.iter().filter_map(|c| c["error"].as_f64()).collect();
    assert!(errors.len() == 2 && errors.iter().all(|e| e.abs() < 0.1), "{errors:?}");
    // The others are named after images that would model them.
    assert!(checks.len() == 32 && checks.iter().any(|c| c["id"] == "fft-9" && c["modelled"].is_null()));
    let splits = report["splits"].as_array().expect("a list");
    let fastest =
        splits.iter().min_by(|a, b| a["seconds"].as_f64().unwrap().total_cmp(&b["seconds"].as_f64().unwrap()));
    let fastest = fastest.expect("six splits")["seconds"].as_f64().unwrap();
    let measured = splits.iter().find(|s| s["a"] == 2 && s["b"] == 6).expect("it is one of them");
    assert!(splits.len() == 6 && measured["seconds"].as_f64().unwrap() < 1.1 * fastest);
    assert!(report["parameters"].as_array().is_some_and(|p| p.len() > 20));
}

/// A Quasar program with two loops that run on the QPUs.
const TWO_LOOPS: &str = "a = zeros(1000)
for i = 0..999
    a[i] = 2*i
endfor
b = zeros(1000)
for k = 0..999
    b[k] = a[k] + 1
endfor
print sum(b)
";

#[test]
fn loops_of_quasar_programs_are_compiled_profiled_and_debugged() {
    let directory = tempfile::tempdir().expect("a place for files");
    let path = directory.path().join("two.q");
    std::fs::write(&path, TWO_LOOPS).expect("written");
    let file = path.to_str().expect("text");
    let (all, err, fine) = quadra(&["compile", file], "");
    let titles: Vec<&str> = all.lines().filter(|l| l.starts_with("% ")).collect();
    assert!(fine && titles == [format!("% for-loop {file}:2"), format!("% for-loop {file}:6")], "{all}{err}");
    let (one, err, fine) = quadra(&["compile", file, "--kernel", "6"], "");
    assert!(fine && all.ends_with(&one) && one.lines().count() > 20, "{one}{err}");
    let p = json(&["profile", file, "--kernel", "6", "--qpus", "3", "--json"]);
    assert_eq!(p["qpus"].as_array().map(Vec::len), Some(3));
    let rows = p["codes"][0]["instructions"].as_array().expect("a list");
    assert!(rows.iter().any(|r| r["source"]["text"] == "b[k] = a[k] + 1"), "{rows:?}");
    let (out, err, fine) = quadra(&["debug", file, "--kernel", "6"], "step\nquit\n");
    assert!(fine && out.contains("two.q:6"), "{out}{err}");
    for (kernel, said) in [("4", "for-loop"), ("nothing", "for-loop")] {
        let (_, err, fine) = quadra(&["profile", file, "--kernel", kernel], "");
        assert!(!fine && err.contains(kernel) && err.contains(said), "{err}");
    }
    std::fs::write(&path, "print [1,2][5]\n").expect("written");
    let (_, err, fine) = quadra(&["compile", file], "");
    assert!(!fine && err.contains("Q0340"), "{err}");
}
