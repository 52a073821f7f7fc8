//! Runs a program: `run [run] [-double] [-v] [-interp | -qpu] FILE.q`.
use quadra_quasar::session::{Options, Session, with_stack};
use std::io::{BufWriter, IsTerminal, Write};

fn main() {
    let mut options = Options::default();
    let mut file = None;
    for arg in std::env::args().skip(1) {
        match arg.as_str() {
            "run" | "-cpu" | "-interpret" | "-debug" => {}
            "-double" => options.double = true,
            "-v" => options.verbose = true,
            "-interp" | "-qpu" => options.device = arg[1..].into(),
            _ => file = Some(arg),
        }
    }
    let Some(file) = file else {
        eprintln!("usage: run [-double] [-v] [-interp | -qpu] FILE.q");
        std::process::exit(64);
    };
    let status = with_stack(move || {
        let text = match std::fs::read_to_string(&file) {
            Ok(text) => text,
            Err(e) => {
                eprintln!("error: {file}: {e}");
                return 64;
            }
        };
        let mut session = Session::new(options, Box::new(BufWriter::new(std::io::stdout())));
        let outcome = session.run(&file, &text);
        let color = std::io::stderr().is_terminal();
        for d in &outcome.diagnostics {
            let _ = writeln!(std::io::stderr(), "{}", d.render(color));
        }
        outcome.status
    });
    std::process::exit(status.unwrap_or(101));
}
