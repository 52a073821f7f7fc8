//! The `quadra` command: see `cli`.

/// Programs of the array language work on long arrays.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: quadra::device::pages::Pages = quadra::device::pages::Pages::new();

fn main() -> std::process::ExitCode {
    #[cfg(target_os = "linux")]
    {
        ALLOCATOR.keep_freed();
        quadra::device::pages::at_the_end(quadra_cli::interrupt::last);
    }
    quadra_cli::faults::from_environment();
    quadra::device::cpu::install_handler();
    quadra_cli::cli::end_quietly_on_broken_pipes();
    quadra_cli::cli::main()
}
