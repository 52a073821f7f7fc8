//! `quadra devices`.

use super::common::CliResult;
use crate::json;
use quadra_device as device;
use quadra_kir::{Caps, Cost};

/// Lists name, description and, where a device cannot be used here, the reason.
#[derive(clap::Args)]
pub struct Args {
    /// Print JSON, rows of `{name, about, unavailable, caps}`.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> CliResult {
    let list = device::list();
    if args.json {
        let rows: Vec<_> = list
            .iter()
            .map(|d| {
                let (name, about, unavailable) = (d.name, &d.about, &d.unavailable);
                serde_json::json!({ "name": name, "about": about, "unavailable": unavailable, "caps": caps(d.caps) })
            })
            .collect();
        println!("{}", json::line(rows));
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

/// What a device can do and what that costs.
fn caps(c: &Caps) -> serde_json::Value {
    let cost = |c: &Cost| {
        let status = format!("{:?}", c.status).to_lowercase();
        serde_json::json!({ "nanoseconds": c.nanoseconds, "status": status, "source": c.source })
    };
    let nearest = c.has_nonfinite();
    serde_json::json!({
        "lanes": c.width, "max_workers": c.max_workers, "int64": c.int64, "float64": c.float64,
        "half_memory": c.half_memory, "subnormals": nearest, "nonfinite": nearest, "faults": c.faults,
        "request_queue": c.request_queue, "coherent_loads": c.coherent_loads, "shared_memory": c.shared_memory,
        "in_place": c.in_place, "parallel": c.parallel, "barriers": c.barriers,
        "costs": {
            "compile": cost(&c.costs.compile), "launch": cost(&c.costs.launch),
            "transfer_per_byte": cost(&c.costs.transfer), "operation": cost(&c.costs.operation),
            "memory_per_byte": cost(&c.costs.memory),
        },
    })
}
