//! `quadra completions`.

use clap_complete::Shell;
use std::io::Write;
use std::process::ExitCode;

/// Prints what a shell needs to complete this command's arguments.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  quadra completions bash >~/.local/share/bash-completion/completions/quadra
  quadra completions zsh >~/.zfunc/_quadra      with ~/.zfunc in fpath
  quadra completions fish >~/.config/fish/completions/quadra.fish")]
pub struct Args {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

pub fn run(args: &Args, mut command: clap::Command) -> ExitCode {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "quadra", &mut text);
    match std::io::stdout().write_all(&text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(1),
    }
}
