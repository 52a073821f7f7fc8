//! The `quadra` command: see `cli`.

fn main() -> std::process::ExitCode {
    quadra::cli::end_quietly_on_broken_pipes();
    quadra::cli::main()
}
