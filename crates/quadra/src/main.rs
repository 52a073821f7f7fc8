//! The `quadra` command: see `cli`.

fn main() -> std::process::ExitCode {
    quadra::cli::main()
}
