//! The kernels and parallel loops of a Quasar program, for the commands that look at code: the program runs on the emulated Pi,
//! and what it launches is noted.

use quadra_base::Diagnostic;
use quadra_device::emu::{Capture, Emu, Prepared};
use quadra_device::{Device, Module};
use quadra_kir::{Caps, Kernel};
use quadra_quasar::session::{Options, Session, with_stack};
use std::io::sink;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Whether a target is a Quasar program.
pub fn is_program(name: &str) -> bool {
    name.ends_with(".q")
}

/// What a kernel is called in headings: its name, file and line.
pub fn title(kernel: &Kernel) -> String {
    match kernel.span {
        Some(span) => format!("{} {}:{}", kernel.name, span.file.name(), span.line),
        None => kernel.name.clone(),
    }
}

/// Whether this is the kernel that is asked for by name or line. No text asks for all.
fn wanted(kernel: &Kernel, text: &str) -> bool {
    match text.parse::<u32>() {
        Ok(line) => kernel.span.is_some_and(|s| s.line == line),
        Err(_) => text.is_empty() || kernel.name == text,
    }
}

/// The kernels that a program launches on the QPUs, in the order in which they are first needed: all, or those of a name or
/// line.
///
/// # Errors
/// What is wrong with the program, and a name or line that no kernel has.
pub fn kernels(path: &str, text: &str) -> Result<Vec<Kernel>, Vec<Diagnostic>> {
    let noted = run(path, Emu::new(), None)?;
    some(path, text, noted)
}

/// The first launch of the first such kernel on this device, and its title.
///
/// # Errors
/// As of [`kernels`].
pub fn first_launch(path: &str, text: &str, emu: &Emu) -> Result<(String, Prepared), Vec<Diagnostic>> {
    let capture = Arc::new(Capture::default());
    let special = emu.clone().with_capture(capture.clone());
    let noted = run(path, emu.clone(), Some((text.to_string(), special)))?;
    let found = some(path, text, noted)?;
    let prepared = capture.take().ok_or_else(|| {
        vec![Diagnostic::error("E0801", format!("the program never launches '{}'", title(&found[0])))]
    })?;
    Ok((title(&found[0]), prepared))
}

fn some(path: &str, text: &str, noted: Vec<Kernel>) -> Result<Vec<Kernel>, Vec<Diagnostic>> {
    let titles: Vec<String> = noted.iter().map(title).collect();
    let found: Vec<Kernel> = noted.into_iter().filter(|k| wanted(k, text)).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let message = match text {
        "" => format!("'{path}' launches nothing on the QPUs"),
        _ => format!("'{path}' launches no kernel '{text}', nor a loop in such a line"),
    };
    let help = match titles[..] {
        [] => "`quadra run -v --device emu` says why".to_string(),
        _ => format!("it launches {}", titles.join(", ")),
    };
    Err(vec![Diagnostic::error("E0801", message).help(help)])
}

/// Runs a program without its output, and gives the kernels that it had compiled.
fn run(path: &str, emu: Emu, special: Option<(String, Emu)>) -> Result<Vec<Kernel>, Vec<Diagnostic>> {
    let read = quadra_quasar::load::read(Path::new(path));
    let (program, _) = read.map_err(|why| vec![Diagnostic { code: "E0804", ..why }])?;
    let device = Arc::new(Noting { emu, special, noted: Mutex::default() });
    let (name, on) = (path.to_string(), device.clone());
    let outcome = with_stack(move || Session::on(on, Options::default(), Box::new(sink())).run(&name, &program));
    match outcome {
        Some(outcome) if outcome.status == 0 => {
            let mut noted = device.noted.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(std::mem::take(&mut *noted))
        }
        Some(outcome) => Err(outcome.diagnostics),
        None => Err(vec![Diagnostic::error("E0801", format!("'{path}' could not be run"))]),
    }
}

/// An emulated Pi that notes what it compiles. One kind of kernel may go to another one.
struct Noting {
    emu: Emu,
    special: Option<(String, Emu)>,
    noted: Mutex<Vec<Kernel>>,
}

impl Device for Noting {
    fn name(&self) -> &'static str {
        self.emu.name()
    }

    fn about(&self) -> String {
        self.emu.about()
    }

    fn caps(&self) -> &'static Caps {
        self.emu.caps()
    }

    fn max_workers(&self) -> u32 {
        self.emu.max_workers()
    }

    fn compile(&self, kernel: &Kernel) -> Result<Arc<dyn Module>, Vec<Diagnostic>> {
        let special = self.special.as_ref().filter(|(text, _)| wanted(kernel, text));
        let module = special.map_or(&self.emu, |(_, emu)| emu).compile(kernel)?;
        self.noted.lock().unwrap_or_else(PoisonError::into_inner).push(kernel.clone());
        Ok(module)
    }
}
