//! `quadra devices`.

use super::CliResult;
use quadra_device as device;

/// Lists name, description and, where a device cannot be used here, the reason.
#[derive(clap::Args)]
pub struct Args {
    /// Print a JSON list of `{name, about, unavailable}`.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> CliResult {
    let list = device::list();
    if args.json {
        let rows: Vec<_> = list
            .iter()
            .map(|d| serde_json::json!({ "name": d.name, "about": d.about, "unavailable": d.unavailable }))
            .collect();
        println!("{}", serde_json::Value::from(rows));
        return Ok(());
    }
    for d in list {
        println!("{:<12} {}", d.name, d.about);
        if let Some(reason) = d.unavailable {
            println!("{:<12} not here: {reason}", "");
        }
    }
    Ok(())
}
