//! The commands for Quasar programs as a user runs them: output, messages, exit status.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A program in a directory of its own.
fn file(name: &str, text: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("commands");
    std::fs::create_dir_all(&directory).expect("the temporary directory can be written");
    let path = directory.join(name);
    std::fs::write(&path, text).expect("the program can be written");
    path
}

fn quadra(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_quadra")).args(args).output().expect("the command runs")
}

/// Exit status, standard output and standard error of `quadra run` with these options.
fn run(name: &str, text: &str, options: &[&str]) -> (Option<i32>, String, String) {
    let path = file(name, text);
    let path = path.to_str().expect("the path is text");
    let out = quadra(&[&["run"], options, &[path]].concat());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (out.status.code(), text(&out.stdout), text(&out.stderr))
}

#[test]
fn the_status_tells_success_run_time_error_compile_error_and_usage() {
    assert_eq!(run("good.q", "print 1\n", &[]), (Some(0), "1\n".into(), String::new()));
    let (status, out, err) = run("stops.q", "print 1\nprint [1,2][5]\nprint 3\n", &[]);
    assert_eq!((status, out.as_str()), (Some(1), "1\n"));
    assert!(err.contains("Q0340") && err.contains("stops.q:2:7") && err.contains("help"), "{err}");
    let (status, out, err) = run("wrong.q", "print 1\nx = (2\n", &[]);
    assert_eq!((status, out.as_str()), (Some(2), ""), "{err}");
    assert_eq!(run("exits.q", "exit(7)\n", &[]).0, Some(7));
    assert_eq!(run("usage.q", "print 1\n", &["--no-such-option"]).0, Some(64));
    assert_eq!(quadra(&["run"]).status.code(), Some(64));
    assert_eq!(quadra(&["run", "no such file.q"]).status.code(), Some(64));
    assert_eq!(quadra(&["run", "--help"]).status.code(), Some(0));
}

#[test]
fn double_precision_has_both_spellings() {
    for option in ["-double", "--double"] {
        assert_eq!(run("eps.q", "print eps\n", &[option]).1, "2.22045e-16\n");
    }
    assert_eq!(run("eps.q", "print eps\n", &[]).1, "1.19209e-07\n");
}

#[test]
fn an_array_that_no_machine_holds_is_no_abort() {
    let (status, out, err) = run("vast.q", "x = zeros(1000000,1000000)\nprint 1\n", &["--max-memory", "9999999G"]);
    // Some systems promise any amount of memory.
    assert!((status == Some(1) && err.contains("Q0310")) || (status == Some(0) && out == "1\n"), "{status:?}: {err}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_output_is_an_error() {
    let program = file("print.q", "print 1\n");
    let program = program.to_str().expect("the path is text");
    for args in [&["run", program][..], &["doc"], &["kernels"], &["compile", "gcd"]] {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("Linux has it");
        let out =
            Command::new(env!("CARGO_BIN_EXE_quadra")).args(args).stdout(full).output().expect("the command runs");
        let err = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.code() == Some(1) && err.contains("cannot write the output"), "{args:?}: {err}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_reader_that_goes_away_is_no_error() {
    let program = file("prints.q", "for i=0..9999\n    print i\nendfor\n");
    let program = program.to_str().expect("the path is text");
    for args in [&["run", program][..], &["doc"]] {
        let (reader, writer) = std::io::pipe().expect("a pipe can be made");
        drop(reader);
        let out = Command::new(env!("CARGO_BIN_EXE_quadra")).args(args).stdout(writer).output();
        let out = out.expect("the command runs");
        assert_eq!((out.status.code(), String::from_utf8_lossy(&out.stderr).as_ref()), (Some(141), ""), "{args:?}");
    }
}

#[test]
fn the_limit_on_memory_is_an_error_of_the_program() {
    let text = "x = zeros(1000,1000)\nprint \"fits\"\n";
    assert_eq!(run("memory.q", text, &["--max-memory", "16M"]).1, "fits\n");
    let (status, _, err) = run("memory.q", text, &["--max-memory", "1M"]);
    assert_eq!(status, Some(1));
    assert!(err.contains("Q0310") && err.contains("1000x1000"), "{err}");
    let (status, _, err) = run("memory.q", text, &["--max-memory", "lots"]);
    assert_eq!(status, Some(64), "{err}");
}

#[test]
fn check_reports_every_file_without_running_it() {
    let good = file("check_good.q", "print 1\nx = ones(4)\nfor i=0..3\nx[i] = i\nendfor\n");
    let bad = file("check_bad.q", "a = )\nb = 1\nc = ]\n");
    let (good, bad) = (good.to_str().expect("text"), bad.to_str().expect("text"));
    let out = quadra(&["check", good, bad, "--json"]);
    assert_eq!(out.status.code(), Some(2));
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let found: Vec<serde_json::Value> =
        text.lines().map(|l| serde_json::from_str(l).expect("a line is a file with its diagnostics")).collect();
    assert_eq!(found.len(), 2, "{text}");
    assert_eq!(found[0]["diagnostics"].as_array().map(Vec::len), Some(0));
    assert_eq!(found[1]["file"], bad);
    let errors = found[1]["diagnostics"].as_array().expect("a list");
    assert_eq!(errors.len(), 2, "both lines are reported: {text}");
    assert!(errors.iter().all(|e| e["code"] == "Q0110" && e["severity"] == "error"), "{text}");
    assert_eq!(quadra(&["check", good]).status.code(), Some(0));
    let verdicts = quadra(&["check", good, "--verdicts"]);
    assert!(String::from_utf8_lossy(&verdicts.stdout).contains("parallel over (i)"));
}

#[test]
fn check_finds_names_that_nothing_defines() {
    let text = "function y = f(x)\n    y = gee(x)\nendfunction\nif false\n    println(q + f(1))\nendif\nz = later(2)\nfunction y = later(x)\n    y = x\nendfunction\n";
    let path = file("names.q", text);
    let path = path.to_str().expect("the path is text");
    let out = quadra(&["check", path]);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(2), "{said}");
    for (place, name) in [("names.q:2:9", "gee"), ("names.q:5:5", "println"), ("names.q:5:13", "q")] {
        assert!(said.contains(place) && said.contains(&format!("'{name}' is not defined")), "{place}: {said}");
    }
    assert_eq!(said.matches("Q0302").count(), 3, "{said}");
    // What a file of the library evaluates does not define names of the program.
    let calls = file("calls.q", "print str2func(\"t -> t\")(1), isnumeric(q)\n");
    assert_eq!(quadra(&["check", calls.to_str().expect("text")]).status.code(), Some(2));
    let evaluates = file("evaluates.q", "eval(\"q = 1\")\nprint q\n");
    assert_eq!(quadra(&["check", evaluates.to_str().expect("text")]).status.code(), Some(0));
}

#[test]
fn doc_explains_functions_and_words() {
    for (name, part) in [("linspace", "linspace(a,b[,n])"), ("cell", "cell(d…)"), ("syncthreads", "waits for")] {
        let out = quadra(&["doc", name]);
        assert_eq!(out.status.code(), Some(0));
        assert!(String::from_utf8_lossy(&out.stdout).contains(part), "{name}");
    }
    assert_eq!(quadra(&["doc", "nosuch"]).status.code(), Some(64));
}

#[test]
fn the_prompt_reads_what_is_piped_into_it() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_quadra"))
        .arg("repl")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command runs");
    let lines = "x = 3\nfor i=0..1\n    x += i\nendfor\nx * 2\nprint [1][4]\nhelp det\nwhos\n";
    child.stdin.take().expect("a pipe").write_all(lines.as_bytes()).expect("the prompt reads");
    let out = child.wait_with_output().expect("the command ends");
    assert_eq!(out.status.code(), Some(0));
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(text.starts_with("8\ndet(A)\n"), "{text}");
    assert!(text.lines().any(|l| l.split_whitespace().eq(["x", "int", "4"])), "{text}");
    assert!(String::from_utf8_lossy(&out.stderr).contains("Q0340"));
}

#[test]
fn arguments_behind_the_file_go_to_main() {
    let path = file(
        "greets.q",
        "function [] = main(name, ...rest)\nprint \"hello \", name, \" and \", numel(rest)\nendfunction\n",
    );
    let path = path.to_str().expect("the path is text");
    let out = quadra(&["run", path, "Ada", "2", "3"]);
    assert_eq!(String::from_utf8_lossy(&out.stdout), "hello Ada and 2\n", "{}", String::from_utf8_lossy(&out.stderr));
    assert_eq!(quadra(&["run", path]).status.code(), Some(1), "main needs an argument");
}

/// A loop long enough for `--device auto` to have it compiled.
const LONG_LOOP: &str = "x = zeros(300000)\nfor i=0..numel(x)-1\n    x[i] = 2*i + 1\nend\nprint x[7]\n";

#[test]
fn a_profile_is_printed_as_a_table_as_json_and_as_a_trace() {
    let (status, out, err) = run("profile.q", LONG_LOOP, &["--profile", "--device", "qpu"]);
    assert_eq!((status, out.as_str()), (Some(0), "15\n"), "{err}");
    assert!(err.contains("for-loop") && err.contains("profile.q:2:1") && err.contains("timing model"), "{err}");
    let trace = file("trace.json", "");
    let path = trace.to_str().expect("the path is text");
    let options = ["--profile", "--json", "--device", "interp", "--trace", path];
    let (status, _, err) = run("profile.q", LONG_LOOP, &options);
    assert_eq!(status, Some(0), "{err}");
    let profile: serde_json::Value = serde_json::from_str(&err).expect("JSON");
    assert_eq!((&profile["kernels"][0]["launches"], &profile["kernels"][0]["items"]), (&1.into(), &300_000.into()));
    let text = std::fs::read_to_string(&trace).expect("it was written");
    let events: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let events = events["traceEvents"].as_array().expect("a list");
    assert!(events.iter().any(|e| e["cat"] == "launch" && e["name"] == "for-loop"), "{text}");
    assert!(events.iter().any(|e| e["cat"] == "compile"), "{text}");
    // Nothing ran on a device.
    let (_, _, err) = run("plain.q", "print 1\n", &["--profile"]);
    assert!(err.starts_with("no kernel or parallel loop ran on a device"), "{err}");
    assert_eq!(run("usage.q", "print 1\n", &["--json"]).0, Some(64));
}

#[test]
fn verbose_runs_say_where_a_loop_runs_and_others_do_not() {
    let (status, out, err) = run("auto.q", LONG_LOOP, &["-v"]);
    assert_eq!((status, out.as_str()), (Some(0), "15\n"), "{err}");
    assert!(err.contains("runs on device cpu") || err.contains("Q0523"), "{err}");
    let path = file("auto.q", LONG_LOOP);
    let without = Command::new(env!("CARGO_BIN_EXE_quadra"))
        .args(["run".as_ref(), path.as_os_str()])
        .env("QUADRA_LLVM", "/no/such/library")
        .output()
        .expect("the command runs");
    let err = String::from_utf8_lossy(&without.stderr);
    assert_eq!((without.status.code(), &without.stdout[..]), (Some(0), &b"15\n"[..]), "{err}");
    assert!(err.contains("Q0523") && err.contains("interpreter"), "{err}");
}

#[test]
fn compiled_kernels_are_kept_on_disk_unless_that_is_off() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = file("kept.q", LONG_LOOP);
    let run = |cache: &std::ffi::OsStr| {
        let out = Command::new(env!("CARGO_BIN_EXE_quadra"))
            .args(["run", "--device", "cpu", "--profile", "--json"])
            .arg(&path)
            .env("QUADRA_CACHE", cache)
            .output()
            .expect("the command runs");
        if out.status.code() == Some(2) {
            quadra_base::testing::left_out("libLLVM is not installed");
            return None;
        }
        let profile: serde_json::Value = serde_json::from_slice(&out.stderr).expect("JSON");
        let kernel = &profile["kernels"][0];
        Some((kernel["compiled"].as_u64(), kernel["disk_hits"].as_u64()))
    };
    let own = directory.path().join("cache");
    let Some(first) = run(own.as_os_str()) else { return };
    assert_eq!(first, (Some(1), Some(0)));
    assert_eq!(run(own.as_os_str()), Some((Some(1), Some(1))));
    // Entries that somebody cut are compiled again.
    for entry in std::fs::read_dir(&own).expect("it was made").flatten() {
        std::fs::write(entry.path(), b"quadra cache 1\r\n").expect("own file");
    }
    assert_eq!(run(own.as_os_str()), Some((Some(1), Some(0))));
    assert_eq!(run("off".as_ref()), Some((Some(1), Some(0))));
}

#[test]
fn compare_shows_the_modelled_times_of_several_numbers_of_qpus() {
    let text =
        "x = linspace(0,1,4096)\ny = zeros(4096)\nfor i=0..4095\ny[i] = sqrt(x[i])*x[i]\nendfor\nprint mean(y)\n";
    let path = file("compare.q", text);
    let path = path.to_str().expect("the path is text");
    let out = quadra(&["compare", "--json", "--qpus", "1,4", path]);
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    let rows: serde_json::Value = serde_json::from_slice(&out.stdout).expect("it is JSON");
    let rows: Vec<&serde_json::Value> =
        rows["rows"].as_array().expect("a list").iter().filter(|r| r["device"] == "qpu").collect();
    let seconds: Vec<f64> = rows.iter().filter_map(|r| r["seconds"].as_f64()).collect();
    assert_eq!(rows.iter().map(|r| r["qpus"].as_u64()).collect::<Vec<_>>(), [Some(1), Some(4)]);
    assert!(rows.iter().all(|r| r["launches"] == 1), "{rows:?}");
    assert!(seconds[1] < 0.5 * seconds[0], "four QPUs are faster than one: {seconds:?}");

    let out = quadra(&["compare", "--qpus", "2", path]);
    let table = String::from_utf8_lossy(&out.stdout);
    assert!(table.starts_with("0.4000") && table.contains("Pi, 2 QPUs"), "{table}");
    assert_eq!(quadra(&["compare", "--qpus", "13", path]).status.code(), Some(64));
}

/// Five steps of the example on the emulated Pi. Modelled times repeat exactly; group by group they were 17.95 ms on one QPU and
/// 1.67 ms on twelve.
#[test]
fn loops_over_images_go_through_them_in_rows() {
    let heat =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/heat.q")).expect("it is there");
    let (steps, _) = heat.split_once("print").expect("it prints");
    let steps = steps.replace("1..300", "1..5");
    for (qpus, most) in [("1", 5.6e-3), ("2", 2.9e-3), ("4", 1.8e-3), ("12", 1.2e-3)] {
        let seconds = modelled("heat.q", &steps, qpus);
        assert!(seconds <= most, "{qpus} QPUs: {seconds}");
    }
}

/// A loop that adds to bins takes the whole chip: bins in registers, by one word and by two, divide by the number of QPUs; those in
/// memory by what the store engine does for one QPU, which is about a half. 512 bins took 517 and 195 ms, 2048 took 135.7 on any number.
#[test]
fn loops_that_add_to_bins_use_all_qpus() {
    for (bins, n, least) in [(64, 1 << 14, 10.0), (416, 1 << 15, 9.0), (512, 1 << 15, 9.0), (2048, 1 << 17, 1.7)] {
        let text = format!(
            "x = int(mod((0..{n}-1)*79,{bins}))\nh = zeros({bins})\nfor i=0..{n}-1\nh[x[i]] += 0.5\nendfor\nprint sum(h)\n"
        );
        let [one, twelve] = ["1", "12"].map(|qpus| modelled("bins.q", &text, qpus));
        assert!(one >= least * twelve, "{bins} bins: {one} on one QPU, {twelve} on twelve");
    }
}

/// Modelled seconds of the loops or the kernel of a program that takes longest. No unit may be busy for longer than that.
fn modelled(name: &str, text: &str, qpus: &str) -> f64 {
    let (status, _, err) = run(name, text, &["--device", "emu", "--qpus", qpus, "--profile", "--json"]);
    let profile: serde_json::Value = serde_json::from_str(&err).unwrap_or_else(|e| panic!("{e}: {err}"));
    assert_eq!(status, Some(0));
    let kernels = profile["kernels"].as_array().expect("a list");
    for k in kernels.iter().filter(|k| k["modelled_seconds"].is_number()) {
        let (modelled, bound) = (k["modelled_seconds"].as_f64(), k["bound_seconds"].as_f64());
        assert!(bound > Some(0.0) && bound <= modelled, "{name} on {qpus}: {k}");
    }
    kernels.iter().filter_map(|k| k["modelled_seconds"].as_f64()).fold(0.0, f64::max)
}

/// Windows around the points of an image, and values that a loop combines: tests of borders stand at borders only. Group by group
/// these took 555, 1,250, 294 and 449 µs on twelve QPUs.
#[test]
fn windows_are_tested_at_the_edges_only() {
    let window = |n: &str, w: &str| {
        format!(
            "function y : mat = window(x : mat, n : int)
                 y = zeros(size(x))
                 for i = 0..size(x,0)-1
                     for j = 0..size(x,1)-1
                         a = 0.0
                         for k = -{n}..{n}
                             for l = -{w}..{w}
                                 a += x[i+k,j+l]
                             endfor
                         endfor
                         y[i,j] = a
                     endfor
                 endfor
             endfunction
             print mean(window(ones(128,128), 3))"
        )
    };
    let largest =
        "x = zeros(20000)\nx[777] = 3\nm = -1.0\nfor i = 0..19999\nm = max(m, x[i])\nendfor\nprint m\n".to_string();
    // Its values do not fit the registers four rows at a time: that took 2.94 ms.
    let pixels = "function y = box(x : cube)\n y = zeros(size(x))\n for m = 0..size(x,0)-1\n for n = 0..size(x,1)-1\n \
        a = [0.,0.,0.]\n for k = -1..1\n for l = -1..1\n a += x[m+k,n+l,0..2]\n end\n end\n y[m,n,0..2] = a\n end\n end\n\
        end\nprint sum(box(ones(64,64,3)))\n"
        .to_string();
    // Two names of one array that is only read: by DMA, as if the loop wrote it, that took 0.59 ms.
    let names =
        "A = reshape(mod((0..23*37-1)*31, 101), 23, 37)\nm : mat'mirror = A\ne : mat'clamped = A\ny = zeros(23,37)\n\
        for i=0..22\n for j=0..36\n y[i,j] = m[i-1,j+2] + e[i+1,j-1]\n end\n end\nprint sum(y)\n"
            .to_string();
    let programs = [
        ("names.q", names, 0.03e-3),
        ("pixels.q", pixels, 0.23e-3),
        ("three.q", window("1", "1"), 0.35e-3),
        ("five.q", window("2", "2"), 0.6e-3),
        ("row.q", window("0", "n"), 0.22e-3),
        ("max.q", largest, 0.23e-3),
    ];
    for (name, text, most) in programs {
        let seconds = modelled(name, &text, "12");
        println!("{name}: {seconds}");
        assert!(seconds <= most, "{name}: {seconds}");
    }
}

/// A side of a branch stores again what it leaves, so that the row goes to memory at once. Lane by lane the two loops took 97 ms
/// each.
#[test]
fn conditional_stores_go_to_memory_in_rows() {
    let text = "n = 512\ng = mod(reshape(0..n*n-1, n, n), 7)\nh = zeros(n, n)\n\
        for i = 0..n-1\n for j = 0..n-1\n if g[i,j] > 3\n h[i,j] = 1\n else\n h[i,j] = 0.25\n endif\n end\n end\n\
        for i = 1..n-2\n for j = 1..n-2\n if g[i,j] > 4\n h[i,j] = g[i,j-1]\n elseif g[i,j] > 2\n h[i,j] += 0.5\n endif\n end\n end\n\
        print sum(h)\n";
    let (status, out, err) = run("sides.q", text, &["--device", "emu", "--profile", "--json"]);
    assert_eq!(run("sides.q", text, &["--device", "host"]).1, out);
    let profile: serde_json::Value = serde_json::from_str(&err).unwrap_or_else(|e| panic!("{e}: {err}"));
    let kernels = profile["kernels"].as_array().expect("a list");
    let seconds: f64 = kernels.iter().filter_map(|k| k["modelled_seconds"].as_f64()).sum();
    assert!(status == Some(0) && kernels.len() == 2 && seconds <= 13e-3, "{seconds}");
}

/// Division is dear on QPUs. Where the launch shows that one period is enough, the kernel compares; a divisor that the extent has
/// nothing to do with is divided by.
#[test]
fn neighbours_across_the_edge_are_found_without_division() {
    let remainders = |divisor: &str| {
        let text = format!(
            "n = 100\nm = 7\nx = rand(1, n)\ny = zeros(1, n)\nfor i = 0..n-1\n    y[i] = x[mod(i-1, {divisor})] + x[mod(i+1+n, {divisor})]\nend\n"
        );
        let path = file(&format!("edges_{divisor}.q"), &text);
        let out = quadra(&["compile", "--kernel", "5", "--emit", "kir", path.to_str().expect("the path is text")]);
        String::from_utf8_lossy(&out.stdout).matches("= mod ").count()
    };
    assert_eq!((remainders("n"), remainders("m")), (0, 2));
}

/// What the innermost loop adds to one element is added up in a register, whether or not the program has a variable for it, and
/// only the loops around it are dealt out. As combined elements the two took 46 ms and 2.1 s.
#[test]
fn elements_that_inner_loops_change_are_kept_in_registers() {
    let product = |zero: &str, sum: &str, store: &str| {
        format!(
            "function C = product(A, B)\nC = zeros(size(A,0), size(B,1))\nfor i = 0..size(A,0)-1\nfor j = 0..size(B,1)-1\n{zero}\n\
             for k = 0..size(A,1)-1\n{sum}\nend\n{store}\nend\nend\nend\n\
             A = mod(reshape(0..4095, 64, 64), 7)\nprint sum(product(A, A))\n"
        )
    };
    let window = "x = mod(reshape(0..65535, 256, 256), 9)\nh = [[1,2,1],[2,4,2],[1,2,1]]\ny = zeros(256,256)\n\
        for m = 1..254\nfor n = 1..254\nfor i = 0..2\nfor j = 0..2\ny[m,n] += x[m+i-1,n+j-1] * h[i,j]\nend\nend\nend\nend\nprint sum(y)\n";
    let local = modelled("local.q", &product("s = 0.0", "s += A[i,k]*B[k,j]", "C[i,j] = s"), "12");
    for (name, text) in [
        ("nest.q", product("", "C[i,j] += A[i,k]*B[k,j]", "")),
        ("zero.q", product("C[i,j] = 0", "C[i,j] = C[i,j] + A[i,k]*B[k,j]", "")),
    ] {
        let seconds = modelled(name, &text, "12");
        assert!(seconds < 1.06 * local, "{name}: {seconds}, with a variable {local}");
    }
    let seconds = modelled("window.q", window, "12");
    assert!(seconds < 4e-3, "{seconds}");
    for device in ["emu", "interp"] {
        assert_eq!(run("window.q", window, &["--device", device]).1, run("window.q", window, &["--device", "host"]).1);
    }
}

#[test]
fn every_code_has_an_example_that_raises_it_and_says_what_to_do() {
    use quadra_quasar_syntax::codes;
    for entry in codes::TABLE {
        let code = entry.code;
        let example = codes::example(code).unwrap_or_else(|| panic!("{code} has no example in examples.txt"));
        assert!(!example.text.trim().is_empty(), "{code} has an empty example");
        let out = quadra(&["explain", code]);
        let text = String::from_utf8_lossy(&out.stdout);
        let (about, said) = text.split_once("\nExample").unwrap_or_else(|| panic!("{code}: {text}"));
        assert!(about.contains(entry.title) && about.contains(entry.explanation.trim()), "{text}");
        let raised = said.contains(&format!("error[{code}]"));
        let told = ["warning", "note"].iter().any(|level| said.contains(&format!("{level}[{code}]")));
        assert!(example.command || raised || told, "{code} is not raised by its example: {text}");
        assert!(!raised || said.contains("help:") || said.contains("note:"), "{code}: nobody says what to do: {text}");
    }
}

#[test]
fn programs_ask_for_input() {
    let path = file("asks.q", "n = input(\"n? \")\nprint n + 1\nname = input(\"\", \"s\")\nprint name\nx = input()\n");
    let mut child = Command::new(env!("CARGO_BIN_EXE_quadra"))
        .arg("run")
        .arg(path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command runs");
    child.stdin.take().expect("a pipe").write_all(b"[1,2*3]\nhello you\n").expect("the program reads");
    let out = child.wait_with_output().expect("the program ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(text(&out.stdout), "n? [2, 7]\nhello you\n");
    assert!(
        text(&out.stderr).contains("Q0316") && text(&out.stderr).contains("nothing to read"),
        "{}",
        text(&out.stderr)
    );
}
