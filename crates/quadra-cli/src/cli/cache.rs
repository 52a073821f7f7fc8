//! `quadra cache size|clear`.

use super::common::CliResult;
use crate::json;
use quadra_base::cache::state::{self, Size};
use quadra_base::{Diagnostic, cache};
use std::path::Path;

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Say where the cache of compiled code is, and what it takes.
    Size {
        /// Print JSON: `{directory, files, bytes}`.
        #[arg(long)]
        json: bool,
    },
    /// Remove what the cache holds; files that it did not write stay.
    Clear,
}

pub fn run(args: &Args) -> CliResult {
    let place = cache::place();
    let Some(directory) = &place else {
        if matches!(args.what, What::Size { json: true }) {
            println!("{}", json::line(serde_json::json!({ "directory": null, "files": 0, "bytes": 0 })));
        } else {
            println!("the cache is switched off: {} is `off`, or there is no home directory", cache::VARIABLE);
        }
        return Ok(());
    };
    let failed = |e| vec![Diagnostic::error("E0831", format!("'{}': {e}", directory.display()))];
    match args.what {
        What::Size { json } => {
            let size = state::size(directory).map_err(failed)?;
            if json {
                let Size { files, bytes } = size;
                let row =
                    serde_json::json!({ "directory": directory.to_string_lossy(), "files": files, "bytes": bytes });
                println!("{}", json::line(row));
            } else {
                println!("{}", text(directory, size));
            }
        }
        What::Clear => {
            let size = state::clear(directory).map_err(failed)?;
            println!("removed from {}", text(directory, size));
        }
    }
    Ok(())
}

/// The directory and what is there, in one line.
pub fn text(directory: &Path, size: Size) -> String {
    let mib = size.bytes as f64 / f64::from(1 << 20);
    format!("{}: {} files, {mib:.1} MiB", directory.display(), size.files)
}
