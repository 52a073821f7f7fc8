//! Accesses of generated code to memory that is not there, as faults of the launch.
//!
//! The command installs a handler; the library never does, because signals belong to the program. The handler acts only if the
//! instruction lies in generated code and the thread is in a call of it: it has the thread go on behind the call, as if the code
//! had returned. Code that is left in this way holds no locks and has nothing to drop. All other faults go to the handler that
//! was there before.

/// What [`enter`] gives if the code was stopped.
pub const STRAY: u32 = 2;

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub use system::{address, enter, install};

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod system {
    use super::STRAY;
    use std::arch::naked_asm;
    use std::cell::Cell;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, Ordering};

    thread_local! {
        /// The stack pointer of this thread's call of generated code, 0 outside of one.
        static LANDING: Cell<usize> = const { Cell::new(0) };
        /// What the last access that was stopped wanted.
        static ADDRESS: Cell<usize> = const { Cell::new(0) };
    }

    /// The handlers that were there before, of SIGSEGV and SIGBUS.
    static BEFORE: OnceLock<[libc::sigaction; 2]> = OnceLock::new();
    static INSTALLED: AtomicBool = AtomicBool::new(false);

    /// Calls compiled code at an address with its context. Gives what the code gives, or [`STRAY`].
    ///
    /// # Safety
    /// The address must be that of a function of type `extern "C" fn(*mut u8) -> u32` that may be left at any of its own
    /// instructions.
    pub unsafe fn enter(entry: usize, context: *mut u8) -> u32 {
        if !INSTALLED.load(Ordering::Relaxed) {
            // SAFETY: as the caller promises.
            let kernel: extern "C" fn(*mut u8) -> u32 = unsafe { std::mem::transmute(entry) };
            return kernel(context);
        }
        let landing = LANDING.with(Cell::as_ptr);
        // SAFETY: as the caller promises; the place is this thread's.
        let result = unsafe { call(entry, context, landing) };
        LANDING.set(0);
        result
    }

    /// Where the access was that stopped this thread's last call.
    pub fn address() -> usize {
        ADDRESS.get()
    }

    /// Calls `entry(context)`, and notes the stack pointer of the call at `landing`.
    #[unsafe(naked)]
    unsafe extern "C" fn call(entry: usize, context: *mut u8, landing: *mut usize) -> u32 {
        naked_asm!(
            "push rbp",
            "push rbx",
            "push r12",
            "push r13",
            "push r14",
            "push r15",
            "sub rsp, 8",
            "mov [rdx], rsp",
            "mov rax, rdi",
            "mov rdi, rsi",
            "call rax",
            "add rsp, 8",
            "pop r15",
            "pop r14",
            "pop r13",
            "pop r12",
            "pop rbx",
            "pop rbp",
            "ret",
        )
    }

    /// Where a stopped call goes on, with the stack pointer that `call` has noted: it returns from `call`.
    #[unsafe(naked)]
    unsafe extern "C" fn landed() {
        naked_asm!(
            "cld",
            "mov eax, {stray}",
            "add rsp, 8",
            "pop r15",
            "pop r14",
            "pop r13",
            "pop r12",
            "pop rbx",
            "pop rbp",
            "ret",
            stray = const STRAY,
        )
    }

    extern "C" fn handler(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
        // SAFETY: the system passes what belongs to the signal. Nothing here takes locks or memory.
        unsafe {
            let registers = &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
            let landing = LANDING.get();
            if landing != 0 && quadra_llvm::is_code(registers[libc::REG_RIP as usize] as usize) {
                LANDING.set(0);
                ADDRESS.set((*info).si_addr() as usize);
                registers[libc::REG_RSP as usize] = landing as i64;
                registers[libc::REG_RIP as usize] = landed as *const () as i64;
                return;
            }
            let before = BEFORE.get().map(|b| b[usize::from(signal == libc::SIGBUS)]);
            match before {
                Some(old) if old.sa_sigaction != libc::SIG_DFL && old.sa_sigaction != libc::SIG_IGN => {
                    if old.sa_flags & libc::SA_SIGINFO != 0 {
                        let old: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) =
                            std::mem::transmute(old.sa_sigaction);
                        old(signal, info, context);
                    } else {
                        let old: extern "C" fn(libc::c_int) = std::mem::transmute(old.sa_sigaction);
                        old(signal);
                    }
                }
                // The instruction runs again and ends the process.
                _ => {
                    libc::signal(signal, libc::SIG_DFL);
                }
            }
        }
    }

    /// Has accesses of generated code to memory that is not there end their launch with a fault. For programs that own their
    /// signals; a second call does nothing.
    pub fn install() {
        let mut first = false;
        BEFORE.get_or_init(|| {
            first = true;
            // SAFETY: plain data, for which zeros are a value.
            let mut before: [libc::sigaction; 2] = unsafe { std::mem::zeroed() };
            for (signal, old) in [libc::SIGSEGV, libc::SIGBUS].into_iter().zip(&mut before) {
                // SAFETY: asks for the handler that is there.
                unsafe { libc::sigaction(signal, std::ptr::null(), old) };
            }
            before
        });
        if !first {
            return;
        }
        for signal in [libc::SIGSEGV, libc::SIGBUS] {
            // SAFETY: the handler may run at any place, on the stack for signals that the standard library gives each thread.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = handler as *const () as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                libc::sigemptyset(&mut action.sa_mask);
                libc::sigaction(signal, &action, std::ptr::null_mut());
            }
        }
        INSTALLED.store(true, Ordering::Relaxed);
    }
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
mod system {
    /// Calls compiled code at an address with its context.
    ///
    /// # Safety
    /// The address must be that of a function of type `extern "C" fn(*mut u8) -> u32`.
    pub unsafe fn enter(entry: usize, context: *mut u8) -> u32 {
        // SAFETY: as the caller promises.
        let kernel: extern "C" fn(*mut u8) -> u32 = unsafe { std::mem::transmute(entry) };
        kernel(context)
    }

    /// Nothing is stopped on this system.
    pub fn address() -> usize {
        0
    }

    /// Not provided for this system.
    pub fn install() {}
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
pub use system::{address, enter, install};
