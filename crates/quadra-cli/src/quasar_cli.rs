//! Subcommands for Quasar programs: `run`, `check`, `fmt`, `repl` and `doc`. Each takes its parsed arguments and returns the
//! exit status: 0 success, 1 run-time error, 2 compile error, 64 wrong usage.

use crate::figures::{Directory, Server};
use crate::interrupt::{self, Meaning};
use crate::output::Output;
use crate::quasar_page;
use crate::quasar_profile;
use indicatif::{ProgressBar, ProgressStyle};
use quadra_base::Diagnostic;
use quadra_base::checked::{self, Guard};
use quadra_device::emu::SfuModel;
use quadra_quasar::profile::Profile;
use quadra_quasar::session::{Options, Session, with_stack};
use quadra_quasar::watch::Progress;
use quadra_quasar_syntax::format;
use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Status of wrong usage, as sysexits.h has it.
const USAGE: u8 = 64;
/// Status when the interpreter itself failed.
const INTERNAL: u8 = 101;

/// How programs are run.
#[derive(clap::Args, Clone, Debug)]
pub struct Common {
    /// `scalar` is double precision (also written `-double`).
    #[arg(long)]
    double: bool,
    /// Bytes that the program may hold, with K, M or G.
    #[arg(long, value_parser = bytes, default_value = "8G")]
    max_memory: usize,
    /// Seconds after which the program is stopped, whatever it does; 0 for no limit. Without it only a single launch on a device
    /// is stopped, after 600 seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time_limit: Option<Duration>,
    /// Directory in which imported files are looked for.
    #[arg(long = "library", value_name = "DIR")]
    library: Vec<PathBuf>,
    /// Say also why loops are not parallel and kernels do not run on the device.
    #[arg(short, long)]
    verbose: bool,
    /// Where kernels and parallel loops run: `auto` (small launches on the host, large ones on `cpu`; `--verbose` says
    /// which), `host` (the program's interpreter), `cpu` (compiled for this processor by libLLVM), `gpu` (a GPU with a
    /// Vulkan driver, QUADRA_GPU or `gpu:PART` names one), `qpu` (the Raspberry Pi's GPU: the real one on a Pi 0 to 3, or else emulated), `emu` (always emulated), `vc4` (only the real one), `interp`
    /// (kernel IR, interpreted).
    #[arg(long, value_name = "NAME", default_value = "auto")]
    device: String,
    /// How many QPUs the emulated Raspberry Pi uses, 1 to 12.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=12))]
    qpus: Option<u32>,
    /// What the special functions (reciprocal, root, 2^x, logarithm) give on emulated QPUs, whose tables are unpublished:
    /// `ideal` the right value, `model` what recorded values of boards suggest (within 2^-14), `worst` errors up to 2^-13.
    #[arg(long, value_name = "MODEL", default_value = "model", value_parser = crate::options::sfu())]
    sfu: SfuModel,
    /// Report accesses of one element by different work items that nothing orders.
    #[arg(long)]
    check_races: bool,
    /// The program reaches only files of this directory (the current one if none is named), whatever links and `..` say.
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = ".", require_equals = true)]
    sandbox: Option<PathBuf>,
    /// Test again what the compiler proved to lie inside its array, on memory between guard pages: for those who look for
    /// mistakes of the compiler.
    #[arg(long)]
    checked: bool,
}

/// Run a Quasar program.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  quadra run heat.q                       run it; loops that are worth it run compiled, on all threads
  quadra run -v heat.q                    and say where each loop and kernel runs, or why it cannot
  quadra run --profile heat.q             and what each of them cost: time, memory traffic, GFLOP/s, share of the roofline
  quadra run --profile --html p.html heat.q  as a page to look at
  quadra run --device qpu --profile heat.q  on the emulated Pi: modelled times and what limits them
  quadra run --trace t.json heat.q        t.json opens in Perfetto or chrome://tracing
  quadra run --figures out heat.q         all pictures in out/, with a page that shows them; --show opens one in the browser
Compiled kernels are kept in ~/.cache/quadra; QUADRA_CACHE names another directory, QUADRA_CACHE=off keeps nothing.
QUADRA_THREADS limits the threads.")]
pub struct RunArgs {
    /// The program.
    file: PathBuf,
    /// Print what the kernels and parallel loops cost, to standard error.
    #[arg(long)]
    profile: bool,
    /// Print the profile as JSON.
    #[arg(long, requires = "profile")]
    json: bool,
    /// Write a trace of all launches and compilations here, which Perfetto and Chrome open.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Write the profile as one page here: timeline, roofline, the program with its hot lines and the verdict of each loop.
    #[arg(long, value_name = "FILE", requires = "profile", conflicts_with = "json")]
    html: Option<PathBuf>,
    /// Put all pictures into this directory, with a page index.html that shows them.
    #[arg(long, value_name = "DIR")]
    figures: Option<PathBuf>,
    /// Show the pictures in the browser while the program runs.
    #[arg(long)]
    show: bool,
    /// What the program's function `main` is called with, as strings.
    #[arg(value_name = "ARGS")]
    arguments: Vec<String>,
    #[command(flatten)]
    common: Common,
}

/// Check Quasar programs without running them.
#[derive(clap::Args, Clone, Debug)]
pub struct CheckArgs {
    /// The programs.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Print JSON, for each file a line `{file, diagnostics}`.
    #[arg(long)]
    json: bool,
    /// Print what the loop analysis says about every loop.
    #[arg(long)]
    verdicts: bool,
    #[command(flatten)]
    common: Common,
}

/// Lay out Quasar programs.
#[derive(clap::Args, Clone, Debug)]
pub struct FmtArgs {
    /// The programs.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Only say which files would change; status 1 if there are any.
    #[arg(long)]
    check: bool,
}

/// Serve an editor.
#[derive(clap::Args, Clone, Debug)]
pub struct LspArgs {
    /// What many editors say; there is no other way.
    #[arg(long, hide = true)]
    stdio: bool,
}

/// Try out Quasar line by line.
#[derive(clap::Args, Clone, Debug)]
pub struct ReplArgs {
    #[command(flatten)]
    common: Common,
}

/// Print the reference of built-in functions as Markdown, or the entry of one.
#[derive(clap::Args, Clone, Debug)]
pub struct DocArgs {
    /// Only this function.
    name: Option<String>,
}

fn bytes(text: &str) -> Result<usize, String> {
    let (digits, unit) = match text.char_indices().last() {
        Some((i, 'k' | 'K')) => (&text[..i], 1 << 10),
        Some((i, 'm' | 'M')) => (&text[..i], 1 << 20),
        Some((i, 'g' | 'G')) => (&text[..i], 1 << 30),
        _ => (text, 1),
    };
    let n: u64 = digits.parse().map_err(|_| format!("'{text}' is no number of bytes such as 512M"))?;
    let n = n.checked_mul(unit).ok_or_else(|| format!("'{text}' is too large"))?;
    // More than a small processor can address limits nothing there.
    Ok(usize::try_from(n).unwrap_or(usize::MAX))
}

/// Arguments with the language's own spellings (`-double`, `-cpu`, …) put into the usual form.
pub fn usual_spelling(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut usual: Vec<OsString> = Vec::new();
    for arg in args {
        match arg.to_str() {
            Some("-double") => usual.push("--double".into()),
            Some("-debug" | "-cpu" | "-interpret" | "-checked") => {}
            // The program's name may stand behind the option: only a directory is its value.
            _ if usual.last().is_some_and(|a| a == "--sandbox") && Path::new(&arg).is_dir() => {
                usual.pop();
                let mut both = OsString::from("--sandbox=");
                both.push(arg);
                usual.push(both);
            }
            _ => usual.push(arg),
        }
    }
    usual
}

/// Prints what is wrong with the arguments, or the help that was asked for. The commands of this file end with their own status.
pub fn wrong_usage(args: &[OsString], error: &clap::Error) -> ExitCode {
    // Nothing is left to tell the user if the output is gone.
    drop(error.print());
    if !error.use_stderr() {
        return ExitCode::SUCCESS;
    }
    let ours = args
        .get(1)
        .and_then(|a| a.to_str())
        .is_some_and(|a| ["run", "compare", "check", "fmt", "lsp", "repl", "doc"].contains(&a));
    ExitCode::from(if ours { USAGE } else { 2 })
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("'{text}' is no number of seconds"))?;
    Duration::try_from_secs_f64(seconds).map_err(|_| format!("'{text}' is no time"))
}

/// How long a launch may take if nobody says anything.
const LAUNCH: Duration = Duration::from_secs(600);

fn options(common: &Common) -> Options {
    // A limit on the run is one on each launch, too.
    let launch = if common.time_limit.is_none() { Some(LAUNCH) } else { None };
    let some = |limit: Duration| (limit > Duration::ZERO).then_some(limit);
    if common.checked {
        checked::set(true);
    }
    // Where nobody trusts the program, nobody trusts what was proved of it, either.
    if common.checked || common.sandbox.is_some() {
        checked::set_guard(Guard::End);
    }
    Options {
        double: common.double,
        max_memory: common.max_memory,
        time_limit: launch,
        run_limit: common.time_limit.and_then(some),
        verbose: common.verbose,
        library: common.library.clone(),
        device: common.device.clone(),
        qpus: common.qpus,
        sfu: common.sfu,
        check_races: common.check_races,
        sandbox: common.sandbox.clone(),
        ..Options::default()
    }
}

/// Prints diagnostics to standard error.
pub fn report(diagnostics: &[Diagnostic]) {
    let color = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    for d in diagnostics {
        // Nothing is left to tell the user if standard error is gone.
        if writeln!(std::io::stderr(), "{}", d.render(color)).is_err() {
            return;
        }
    }
}

/// The text of a program; what is not UTF-8 is read as Latin-1, and said.
pub fn read(file: &Path) -> Result<String, u8> {
    match quadra_quasar::load::read(file) {
        Ok((text, warning)) => {
            report(warning.as_slice());
            Ok(text)
        }
        Err(why) => {
            report(&[why]);
            Err(USAGE)
        }
    }
}

/// `quadra run FILE.q`.
pub fn run(args: RunArgs) -> ExitCode {
    let status = with_stack(move || {
        let text = match read(&args.file) {
            Ok(text) => text,
            Err(status) => return status,
        };
        let terminal = std::io::stdout().is_terminal();
        let profile = args.profile || args.trace.is_some();
        // The verdicts do not depend on the device, which need not be opened again.
        let checked = Options { device: "host".into(), ..options(&args.common) };
        let options = Options { terminal, profile, once: true, arguments: args.arguments, ..options(&args.common) };
        let run_limit = options.run_limit;
        let mut session = Session::new(options, Box::new(Output::new()));
        show_progress(&mut session);
        let server = match gallery(args.figures.as_deref(), args.show, &mut session) {
            Ok(server) => server,
            Err(why) => {
                report(&[why]);
                return USAGE;
            }
        };
        let _meaning = interrupt::means(Meaning::Program);
        run_limit.into_iter().for_each(interrupt::end_late);
        let mut outcome = session.run(&args.file.to_string_lossy(), &text);
        let unfinished = session.finish();
        if !unfinished.is_empty() && outcome.status == 0 {
            outcome.status = 1;
        }
        outcome.diagnostics.extend(unfinished);
        // A reader that has gone away (`| head`) is no news.
        let gone = |d: &Diagnostic| d.code == "Q0412" && d.message.contains("Broken pipe");
        if outcome.diagnostics.iter().any(gone) {
            outcome.diagnostics.retain(|d| !gone(d));
            outcome.status = 141;
        }
        report(&outcome.diagnostics);
        server.into_iter().for_each(Server::finish);
        if let Some(profile) = session.profile()
            && let Err(why) = show_profile(profile, args.profile, args.json, args.trace.as_deref())
        {
            report(&[why]);
            return 1;
        }
        if let (Some(profile), Some(file)) = (session.profile(), &args.html)
            && let Err(why) = quasar_page::write(file, profile, (&args.file, &text), checked)
        {
            report(&[why]);
            return 1;
        }
        u8::try_from(outcome.status).unwrap_or(1)
    });
    ExitCode::from(status.unwrap_or_else(failed))
}

/// Has pictures taken by a directory or a page, if that is asked for.
fn gallery(place: Option<&Path>, show: bool, session: &mut Session) -> Result<Option<Server>, Diagnostic> {
    let directory = match place {
        Some(place) => Directory::named(place)?,
        None if show => Directory::temporary()?,
        None => return Ok(None),
    };
    let server = if show { Some(Server::start(&directory)?) } else { None };
    if let Some(server) = &server {
        // Nothing is left to tell the user if standard error is gone.
        drop(writeln!(std::io::stderr(), "pictures are shown at {}", server.address));
        server.open();
    }
    session.set_gallery(Box::new(directory));
    Ok(server)
}

/// The status of a command that did not come to its end.
fn failed() -> u8 {
    interrupt::last();
    let help = "a program needs a stack of 256 MiB of address space; a panic above is a fault of Quadra";
    report(&[Diagnostic::error("", "the command did not come to its end").help(help)]);
    INTERNAL
}

/// Prints a profile to standard error, so that it stays apart from the program's output, and writes the trace.
fn show_profile(profile: &Profile, print: bool, json: bool, trace: Option<&Path>) -> Result<(), Diagnostic> {
    if print {
        let roof = quasar_profile::roofline(profile);
        let text = match json {
            true => crate::json::pretty(quasar_profile::json(profile, roof.as_ref())) + "\n",
            false => quasar_profile::table(profile, roof.as_ref()),
        };
        // Nothing is left to tell the user if standard error is gone.
        drop(std::io::stderr().write_all(text.as_bytes()));
    }
    if let Some(file) = trace {
        quadra_base::file::write(file, quasar_profile::trace(profile))
            .map_err(|e| Diagnostic::error("", format!("cannot write '{}': {e}", file.display())))?;
        if profile.dropped > 0 {
            report(&[Diagnostic::warning("", format!("{} events did not fit into the trace", profile.dropped))]);
        }
    }
    Ok(())
}

/// `quadra check FILE.q…`.
pub fn check(args: CheckArgs) -> ExitCode {
    let status = with_stack(move || {
        let mut status = 0;
        for file in &args.files {
            let text = match read(file) {
                Ok(text) => text,
                Err(status) => return status,
            };
            let mut session = Session::new(options(&args.common), Box::new(std::io::sink()));
            let (mut diagnostics, verdicts) = session.check(&file.to_string_lossy(), &text);
            if !args.common.verbose {
                diagnostics.retain(|d| d.code != "Q0510");
            }
            if diagnostics.iter().any(Diagnostic::is_error) {
                status = 2;
            }
            if args.json {
                let found = serde_json::json!({ "file": file.to_string_lossy(), "diagnostics": diagnostics });
                println!("{}", crate::json::line(found));
            } else {
                report(&diagnostics);
            }
            if args.verdicts {
                verdicts.iter().for_each(|v| println!("{}: {}", v.span, v.text));
            }
        }
        status
    });
    ExitCode::from(status.unwrap_or_else(failed))
}

/// `quadra fmt FILE.q…`.
pub fn fmt(args: &FmtArgs) -> ExitCode {
    let mut status = 0;
    for file in &args.files {
        let text = match read(file) {
            Ok(text) => text,
            Err(status) => return ExitCode::from(status),
        };
        let laid_out = format::format(&text);
        if laid_out == text {
            continue;
        }
        if args.check {
            println!("{}", file.display());
            status = 1;
        } else if let Err(e) = quadra_base::file::write(file, laid_out) {
            report(&[Diagnostic::error("", format!("cannot write '{}': {e}", file.display()))]);
            status = 1;
        }
    }
    ExitCode::from(status)
}

/// `quadra doc [NAME]`.
pub fn doc(args: &DocArgs) -> ExitCode {
    match &args.name {
        Some(name) => match quadra_quasar::reference::entry(name) {
            Some(text) => println!("{text}"),
            None => {
                let alike = quadra_quasar::reference::names_with(name);
                let help = match alike[..] {
                    [] => "`quadra doc` lists all".to_string(),
                    _ => format!("there are {}", alike.join(", ")),
                };
                report(&[Diagnostic::error("", format!("there is no function '{name}'")).help(help)]);
                return ExitCode::from(USAGE);
            }
        },
        None => print!("{}", quadra_quasar::reference::markdown()),
    }
    ExitCode::SUCCESS
}

/// `quadra repl`: statements are run as they are complete; `help NAME`, `whos`, `doc` and `quit` are commands.
pub fn repl(args: &ReplArgs) -> ExitCode {
    let options = options(&args.common);
    let status = with_stack(move || if crate::quasar_repl::run(options) { 0 } else { 1 });
    ExitCode::from(status.unwrap_or_else(failed))
}

/// Shows the progress of long launches and loops, if standard error is a terminal.
pub fn show_progress(session: &mut Session) {
    if !std::io::stderr().is_terminal() {
        return;
    }
    let style = |template| ProgressStyle::with_template(template).expect("the template is well-formed");
    let known = style("{msg} {bar:40} {pos}/{len}, {elapsed}, {eta} left");
    let unknown = style("{spinner} {msg}, {elapsed}");
    let mut bar: Option<ProgressBar> = None;
    session.watch(Box::new(move |progress| match progress {
        Some(Progress { what, done, total }) => {
            let bar = bar.get_or_insert_with(|| ProgressBar::new(total).with_message(what));
            bar.set_style(if total > 0 { known.clone() } else { unknown.clone() });
            bar.set_message(what);
            bar.set_length(total);
            bar.set_position(done);
        }
        None => bar.take().iter().for_each(ProgressBar::finish_and_clear),
    }));
}
