//! Files that somebody damaged are errors, whatever their bytes: each is changed in many ways, always the same. And `.mat` files as
//! other programs lay them out.

use quadra_quasar::session::{Options, run_text};
use std::path::Path;

/// A linear congruential generator: high bits of Knuth's MMIX.
struct Seed(u64);

impl Seed {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n.max(1)
    }
}

fn run(text: &str, memory: usize) -> (String, i32, Vec<String>) {
    let options = Options { max_memory: memory, ..Options::default() };
    let (out, outcome) = run_text("files.q", text, &options);
    (out, outcome.status, outcome.diagnostics.iter().map(|d| format!("{}: {}", d.code, d.message)).collect())
}

/// The bytes with some of them changed, left out or doubled.
fn damaged(bytes: &[u8], seed: &mut Seed) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=seed.below(4) {
        let at = seed.below(bytes.len());
        match seed.below(5) {
            0 => bytes.truncate(at),
            1 => bytes.extend_from_within(at..),
            2 if !bytes.is_empty() => bytes[at] = [0, 0xff, 0x7f, 0x80][seed.below(4)],
            3 if !bytes.is_empty() => bytes[at] ^= 1 << seed.below(8),
            _ if !bytes.is_empty() => bytes[at] = seed.below(256) as u8,
            _ => {}
        }
    }
    bytes
}

/// Reads hundreds of damaged copies of a file, which this program writes, with this statement.
fn survives(name: &str, write: &str, read: &str) {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join(name);
    let place = path.display().to_string();
    let (_, status, errors) = run(&write.replace("FILE", &place), usize::MAX);
    assert_eq!(status, 0, "{errors:?}");
    let whole = std::fs::read(&path).expect("written");
    let read = read.replace("FILE", &place);
    assert_eq!(run(&read, 64 << 20).1, 0);
    let mut failed = 0;
    for k in 0..400 {
        let bytes = damaged(&whole, &mut Seed(k));
        std::fs::write(&path, &bytes).expect("writable");
        let (_, status, errors) = run(&read, 64 << 20);
        let known = |e: &String| ["Q0413", "Q0414", "Q0310", "Q0313"].iter().any(|code| e.starts_with(code));
        assert!(status == 0 || status == 1 && errors.iter().any(known), "seed {k}: {status} {errors:?}");
        failed += status;
    }
    assert!(failed > 20, "{name}: only {failed} of 400 damaged files were noticed");
}

#[test]
fn damaged_mat_files_are_errors() {
    let write = "t = object()\nt.a = {1, \"two\", [3,4]}\nt.b = [[1+2i,3],[4,5]]\nt.c = object()\nt.c.d = 1..50\nsave(\"FILE\", t)";
    survives("x.mat", write, "s = load(\"FILE\")");
    // Without compression, damage reaches every part.
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join("y.mat");
    let read = format!("s = load(\"{}\")", path.display());
    for k in 0..1500 {
        std::fs::write(&path, damaged(&mat(k % 2 == 0), &mut Seed(k))).expect("writable");
        let (_, status, errors) = run(&read, 64 << 20);
        let known = |e: &String| e.starts_with("Q0413") || e.starts_with("Q0310");
        assert!(status == 0 || status == 1 && errors.iter().any(known), "seed {k}: {errors:?}");
    }
}

#[test]
fn damaged_sounds_pictures_and_tables_are_errors() {
    survives("x.wav", "audiowrite(\"FILE\", sin(0..50), 8000)", "[y, r] = audioread(\"FILE\")");
    let head = "f = fopen(\"FILE\", \"w\")\nfprintf(f, \"#?RADIANCE\\nFORMAT=32-bit_rle_rgbe\\n\\n";
    survives("x.hdr", &format!("{head}-Y 2 +X 2\\n@@ ~ @@~@@ ~ @@~\")\nfclose(f)"), "x = imread(\"FILE\")");
    survives("x.csv", "csvwrite(\"FILE\", [[1,2.5],[3,-4]])", "x = csvread(\"FILE\")");
    // A scan takes what it understands.
    let mut seed = Seed(7);
    for _ in 0..500 {
        let some =
            |seed: &mut Seed, of: &[u8], n| (0..n).map(|_| char::from(of[seed.below(of.len())])).collect::<String>();
        let (n, m) = (seed.below(30), seed.below(8));
        let text = some(&mut seed, b"12.-e+, ;a\n\tNaIinf", n).replace('\n', "\\n").replace('\t', "\\t");
        let format = some(&mut seed, b"%%fdsq*,x 1u", m);
        let (_, status, errors) =
            run(&format!("c = textscan(\"{text}\", \"{format}\", \"Delimiter\", \",\")"), usize::MAX);
        assert!(status == 0 || errors.iter().any(|e| e.starts_with("Q0314")), "{text:?} {format:?}: {errors:?}");
    }
}

/// A file as other programs write it: without compression, short elements, numbers in less space than their class has, in either order
/// of bytes. It holds a = [1,2;3,4] (doubles stored as bytes), b, a sparse 3x2 matrix, and s, an array of two structures.
fn mat(big: bool) -> Vec<u8> {
    let word = |w: u32| if big { w.to_be_bytes() } else { w.to_le_bytes() };
    let element = |kind: u32, body: &[u8]| -> Vec<u8> {
        let mut out = [word(kind), word(body.len() as u32)].concat();
        out.extend(body);
        out.resize(out.len().next_multiple_of(8), 0);
        out
    };
    let short = |kind: u32, body: &[u8]| -> Vec<u8> {
        let mut out = word((body.len() as u32) << 16 | kind).to_vec();
        out.extend(body);
        out.resize(8, 0);
        out
    };
    let words = |kind: u32, list: &[u32]| element(kind, &list.iter().flat_map(|w| word(*w)).collect::<Vec<u8>>());
    let head = |class: u32, dims: &[u32], name: &str| {
        [words(6, &[class, 0]), words(5, dims), short(1, name.as_bytes())].concat()
    };
    let number = |x: u8| element(14, &[head(6, &[1, 1], ""), short(2, &[x])].concat());
    let a = [head(6, &[2, 2], "a"), short(2, &[1, 3, 2, 4])].concat();
    let doubles: Vec<u8> =
        [5f64, -6.5].iter().flat_map(|x| if big { x.to_be_bytes() } else { x.to_le_bytes() }).collect();
    let b = [head(5, &[3, 2], "b"), words(5, &[2, 0]), words(5, &[0, 1, 2]), element(9, &doubles)].concat();
    let s = [
        head(2, &[1, 2], "s"),
        short(5, &word(4)),
        element(1, b"p\0\0\0q\0\0\0"),
        number(10),
        number(20),
        number(30),
        element(
            14,
            &[head(4, &[1, 2], ""), element(4, &if big { [0, 104, 0, 105] } else { [104, 0, 105, 0] })].concat(),
        ),
    ]
    .concat();
    let mut out = format!("{:124}", "MATLAB 5.0 MAT-file").into_bytes();
    out.extend(if big { [1, 0, b'M', b'I'] } else { [0, 1, b'I', b'M'] });
    for matrix in [a, b, s] {
        out.extend(element(14, &matrix));
    }
    out
}

fn load(bytes: &[u8], program: &str) -> (String, i32, Vec<String>) {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join("a.mat");
    std::fs::write(&path, bytes).expect("writable");
    run(&program.replace("FILE", &path.display().to_string()), usize::MAX)
}

#[test]
fn mat_files_of_other_programs_are_read_in_either_order_of_bytes() {
    for big in [false, true] {
        let program = "s = load(\"FILE\")\nprint s.a, s.b, s.s[0].p, s.s[1].p, s.s[1].q";
        let (out, status, errors) = load(&mat(big), program);
        assert_eq!(
            (status, out.as_str()),
            (0, "[[1, 2],\n [3, 4]][[0, -6.5],\n [0, 0],\n [5, 0]]1030hi\n"),
            "{errors:?}"
        );
    }
}

#[test]
fn damaged_hdf5_and_what_holds_too_much_are_refused() {
    let (_, status, errors) = load(b"\x89HDF\r\n\x1a\n", "s = load(\"FILE\")");
    assert!(status == 1 && errors[0].contains("damaged") && errors[0].starts_with("Q0413"), "{errors:?}");
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = Path::new(dir.path()).join("zeros.mat").display().to_string();
    assert_eq!(run(&format!("save(\"{path}\", \"x\", zeros(4000,2000))"), usize::MAX).1, 0);
    let (_, status, errors) = run(&format!("s = load(\"{path}\")"), 16 << 20);
    assert!(status == 1 && errors[0].starts_with("Q0310"), "{errors:?}");
}
