//! Where LLVM works: in a process of its own, so that whatever ends that process ends no other.
//!
//! LLVM ends the process it is in over what it cannot select, and a bug in it may crash. The compiler's process is started
//! when it is first needed and stays; if it ends, who waits for it asks a new one, alone, and if that ends, too, it was this
//! request's doing, which is an error like others. Where no process can be started, LLVM works on threads of this one, of
//! which a fatal error takes one out of use; a crash is not contained there.

use super::contain;
use super::host::Host;
use super::library::Library;
use super::wire::{Job, Reply};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, RwLock};

/// The environment variable that says where LLVM works: `inside` for threads of this process, or the program to start.
pub const VARIABLE: &str = "QUADRA_COMPILER";

/// Why there is no code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// There is no such library, or it cannot be used.
    Library(String),
    /// LLVM says what is wrong.
    Refused(String),
    /// LLVM could not go on with it; its last words.
    Fatal(String),
    /// The compiler's process ended, for this request or another one; how.
    Ended(String),
}

/// A libLLVM at work.
#[derive(Clone, Debug)]
enum Way {
    #[cfg(unix)]
    Process(Arc<process::Process>),
    Inside(Arc<Library>),
}

/// Compiles with one libLLVM.
#[derive(Debug)]
pub struct Compiler {
    path: PathBuf,
    way: Mutex<Option<(Way, Host)>>,
    /// Taken by requests together, and alone by one that has seen a compiler end.
    turns: RwLock<()>,
}

impl Compiler {
    /// For the library in this file; nothing is loaded yet.
    pub fn new(path: &Path) -> Compiler {
        Compiler { path: path.to_path_buf(), way: Mutex::default(), turns: RwLock::default() }
    }

    /// Whether the library has been loaded and is still there.
    pub fn is_ready(&self) -> bool {
        self.way.lock().unwrap_or_else(|e| e.into_inner()).as_ref().is_some_and(|(way, _)| way.lives())
    }

    /// Loads the library if need be; what it says of itself and of this machine.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub fn host(&self) -> Result<Host, Failure> {
        self.ready().map(|(_, host)| host)
    }

    fn ready(&self) -> Result<(Way, Host), Failure> {
        let mut way = self.way.lock().unwrap_or_else(|e| e.into_inner());
        if let Some(found) = way.as_ref().filter(|(way, _)| way.lives()) {
            return Ok(found.clone());
        }
        let found = Way::start(&self.path)?;
        *way = Some(found.clone());
        Ok(found)
    }

    /// Compiles a module.
    ///
    /// # Errors
    /// Why there is no code.
    pub fn generate(&self, job: &Job) -> Result<Vec<u8>, Failure> {
        {
            let _others = self.turns.read().unwrap_or_else(|e| e.into_inner());
            match self.once(job) {
                Err(Failure::Ended(_)) => {}
                other => return other,
            }
        }
        // Another request may have been the cause, or somebody may have ended the process.
        let _alone = self.turns.write().unwrap_or_else(|e| e.into_inner());
        self.once(job)
    }

    fn once(&self, job: &Job) -> Result<Vec<u8>, Failure> {
        let reply = match self.ready()?.0 {
            #[cfg(unix)]
            Way::Process(process) => process.ask(&super::wire::Request::Generate(job.clone()))?,
            Way::Inside(library) => contain::compile(&library, job.clone()),
        };
        match reply {
            Reply::Done(bytes) => Ok(bytes),
            Reply::Refused(why) => Err(Failure::Refused(why)),
            Reply::Fatal(why) => Err(Failure::Fatal(why)),
        }
    }

    /// The number of the compiler's process, if there is one.
    pub fn process(&self) -> Option<u32> {
        match &self.way.lock().unwrap_or_else(|e| e.into_inner()).as_ref()?.0 {
            #[cfg(unix)]
            Way::Process(process) => Some(process.number()),
            Way::Inside(_) => None,
        }
    }
}

impl Way {
    fn lives(&self) -> bool {
        match self {
            #[cfg(unix)]
            Way::Process(process) => process.lives(),
            Way::Inside(_) => true,
        }
    }

    fn start(path: &Path) -> Result<(Way, Host), Failure> {
        let inside = std::env::var_os(VARIABLE).is_some_and(|v| v == "inside");
        #[cfg(unix)]
        if !inside && let Some(process) = process::Process::start() {
            let text = path.to_str().ok_or_else(|| Failure::Library("its name is no text".into()))?;
            return match process.ask(&super::wire::Request::Load(text.into())) {
                Ok(Reply::Done(bytes)) => match Host::of_text(&String::from_utf8_lossy(&bytes)) {
                    Some(host) => Ok((Way::Process(process), host)),
                    None => Err(Failure::Library("it does not say what it is".into())),
                },
                Ok(Reply::Refused(why) | Reply::Fatal(why)) => Err(Failure::Library(why)),
                Err(Failure::Ended(how)) => Err(Failure::Library(format!("loading it ended a process ({how})"))),
                Err(other) => Err(other),
            };
        }
        let _ = inside;
        let library = Library::load(path).map_err(Failure::Library)?;
        let host = library.host();
        Ok((Way::Inside(Arc::new(library)), host))
    }
}

#[cfg(unix)]
mod process {
    //! The compiler's process, seen from here.

    use super::super::child;
    use super::super::wire::{self, GREETING, Reply, Request};
    use super::Failure;
    use std::collections::HashMap;
    use std::ffi::OsString;
    use std::net::Shutdown;
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    use std::path::PathBuf;
    use std::process::{Child, Command, ExitStatus, Stdio};
    use std::sync::{Arc, Mutex, MutexGuard, mpsc};
    use std::time::Duration;

    /// How long a process may take to say that it is a compiler.
    const GREETS_WITHIN: Duration = Duration::from_secs(20);
    /// How long LLVM may work on one module.
    const LONGEST: Duration = Duration::from_secs(300);

    /// A process that compiles, and a thread that waits for its answers.
    #[derive(Debug)]
    pub struct Process {
        shared: Arc<Shared>,
        number: u32,
        /// The process that has started it; a copy of that one has no thread that waits.
        owner: u32,
    }

    #[derive(Debug)]
    struct Shared {
        socket: UnixStream,
        sending: Mutex<()>,
        state: Mutex<State>,
    }

    #[derive(Debug, Default)]
    struct State {
        last: u64,
        waiting: HashMap<u64, mpsc::Sender<Reply>>,
        /// How the process ended.
        ended: Option<String>,
    }

    impl Shared {
        fn state(&self) -> MutexGuard<'_, State> {
            self.state.lock().unwrap_or_else(|e| e.into_inner())
        }

        /// Hands out answers until there are no more.
        fn listen(&self, mut child: Child) {
            let mut why = None;
            while let Ok((number, bytes)) = wire::receive(&self.socket) {
                let Some(reply) = Reply::of_bytes(&bytes) else { break };
                if let Reply::Fatal(text) = &reply {
                    why = Some(text.clone());
                }
                let mut state = self.state();
                if why.is_some() {
                    // Nobody is to ask it any more.
                    state.ended.clone_from(&why);
                }
                if let Some(waits) = state.waiting.remove(&number) {
                    // Who has given up waiting does not listen.
                    let _ = waits.send(reply);
                }
            }
            // It has closed its end and is about to go, or speaks nonsense.
            let killed = child.try_wait().ok().flatten().is_none() && {
                std::thread::sleep(Duration::from_millis(2));
                child.try_wait().ok().flatten().is_none() && child.kill().is_ok()
            };
            let status = child.wait().ok();
            let how = why.unwrap_or_else(|| status.filter(|_| !killed).map_or("it was stopped".into(), told));
            let mut state = self.state();
            state.ended = Some(how);
            // Who waits learns that nobody answers.
            state.waiting.clear();
        }
    }

    /// How a process ended, in words.
    fn told(status: ExitStatus) -> String {
        match status.signal() {
            Some(4) => "illegal instruction".into(),
            Some(6) => "abort".into(),
            Some(9) => "killed".into(),
            Some(11) => "segmentation fault".into(),
            Some(signal) => format!("signal {signal}"),
            None => format!("exit status {}", status.code().unwrap_or_default()),
        }
    }

    /// The program to start, and what the loader is to load into it besides.
    fn program() -> Option<(PathBuf, Option<OsString>)> {
        if let Some(named) = std::env::var_os(super::VARIABLE).filter(|v| !v.is_empty()) {
            return Some((named.into(), None));
        }
        if !child::is_possible() {
            return None;
        }
        // This file as it is in memory, even if it has been replaced or removed.
        let this = PathBuf::from("/proc/self/exe");
        let this = if this.exists() { this } else { std::env::current_exe().ok()? };
        match file_of(child::address()) {
            // A program that has loaded this library late would start as itself.
            Some(library) if is_library(&library, &this) => Some((this, Some(library.into_os_string()))),
            _ => Some((this, None)),
        }
    }

    /// The file that is mapped at an address, where the system says it.
    fn file_of(address: usize) -> Option<PathBuf> {
        let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
        maps.lines().find_map(|line| {
            let mut words = line.splitn(6, ' ');
            let (from, to) = words.next()?.split_once('-')?;
            let number = |text| usize::from_str_radix(text, 16).ok();
            (number(from)? <= address && address < number(to)?)
                .then(|| words.nth(4).map(str::trim).map(PathBuf::from))?
        })
    }

    /// Whether a file is there and is not the program.
    fn is_library(file: &std::path::Path, program: &std::path::Path) -> bool {
        use std::os::unix::fs::MetadataExt;
        let identity = |path: &std::path::Path| path.metadata().ok().map(|m| (m.dev(), m.ino()));
        match (identity(file), identity(program)) {
            (Some(a), Some(b)) => a != b,
            _ => false,
        }
    }

    impl Process {
        /// Starts one; `None` if this system or program has no such thing.
        pub fn start() -> Option<Arc<Process>> {
            let (program, preloaded) = program()?;
            let (own, its) = UnixStream::pair().ok()?;
            let mut command = Command::new(program);
            // What is no compiler says so, and ends.
            command.arg("--version").env(child::VARIABLE, "1").current_dir("/");
            command.stdin(Stdio::from(OwnedFd::from(its))).stdout(Stdio::null()).stderr(Stdio::null());
            // What the terminal says to this process is not for the compiler.
            command.process_group(0);
            if let Some(library) = preloaded {
                command.env("LD_PRELOAD", library);
            }
            let mut child = command.spawn().ok()?;
            drop(command);
            let greeted = own.set_read_timeout(Some(GREETS_WITHIN)).is_ok()
                && wire::receive(&own)
                    .is_ok_and(|(_, bytes)| Reply::of_bytes(&bytes) == Some(Reply::Done(GREETING.to_vec())))
                && own.set_read_timeout(None).is_ok();
            if !greeted {
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
            let number = child.id();
            let shared = Arc::new(Shared { socket: own, sending: Mutex::default(), state: Mutex::default() });
            let listens = shared.clone();
            let thread = std::thread::Builder::new().name("quadra-compiler".into());
            // Without the thread, the socket goes, and with it the process.
            thread.spawn(move || listens.listen(child)).ok()?;
            Some(Arc::new(Process { shared, number, owner: std::process::id() }))
        }

        pub fn number(&self) -> u32 {
            self.number
        }

        pub fn lives(&self) -> bool {
            self.owner == std::process::id() && self.shared.state().ended.is_none()
        }

        /// Asks, and waits for the answer.
        ///
        /// # Errors
        /// How the process ended.
        pub fn ask(&self, request: &Request) -> Result<Reply, Failure> {
            let (tell, told) = mpsc::channel();
            let number = {
                let mut state = self.shared.state();
                if let Some(how) = &state.ended {
                    return Err(Failure::Ended(how.clone()));
                }
                state.last += 1;
                let number = state.last;
                state.waiting.insert(number, tell);
                number
            };
            {
                let _one = self.shared.sending.lock().unwrap_or_else(|e| e.into_inner());
                // If nobody receives it, nobody answers.
                let _ = wire::send(&self.shared.socket, number, &request.to_bytes());
            }
            match told.recv_timeout(LONGEST) {
                Ok(reply) => Ok(reply),
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    let how = self.shared.state().ended.clone().unwrap_or_default();
                    Err(Failure::Ended(how))
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    // Whatever else it does, it does not come to an end: the next request gets another one.
                    let _ = self.shared.socket.shutdown(Shutdown::Both);
                    Err(Failure::Ended(format!("no end within {} s", LONGEST.as_secs())))
                }
            }
        }
    }

    impl Drop for Process {
        fn drop(&mut self) {
            // A copy of the process that started it has a copy of the socket, which is not its own.
            if self.owner == std::process::id() {
                let _ = self.shared.socket.shutdown(Shutdown::Both);
            }
        }
    }
}
