use quadra_isa::vc4::emu::Config;
use quadra_isa::vc4::image::Loaded;
use quadra_isa::vc4::timing::published::{self, Launch};
use quadra_isa::vc4::timing;
use quadra_isa::vc4::sgemm::{self, Data, Plan, Split, Version};
fn main() {
    let set = |p: &mut timing::Parameters| {
        for a in std::env::args().skip(2) {
            let Some((n, v)) = a.split_once('=') else { continue };
            let v: f64 = v.parse().unwrap();
            match n {
                "ul" => p.uniform_line = v, "um" => p.uniform_memory = v, "ul2" => p.uniform_l2 = v, "l2" => p.l2_line = v, "vl" => p.vpu_l2_line = v, "vx" => p.vpu_l2_extra = v,
                "ml" => p.memory_line = v, "mm" => p.memory_row_miss = v, "ma" => p.memory_ahead = v, "sr" => p.dma_store_row = v, "ov" => p.dma_overlap = v, "mt" => p.memory_turnaround = v, "mb" => p.memory_row_bytes = v, "bk" => p.memory_banks = v,
                _ => panic!("{n}"),
            }
        }
    };
    let dir = std::env::args().nth(1).unwrap();
    let mut paths: Vec<_> = dir.split(',').flat_map(|d| std::fs::read_dir(d).unwrap()).map(|e| e.unwrap().path()).filter(|p| p.extension().is_some_and(|e| e == "json")).collect();
    paths.sort();
    let only: Vec<String> = std::env::args().skip(2).filter(|a| !a.contains('=')).collect();
    if only.is_empty() || only.iter().any(|o| o == "sgemm") {
        let data = Data::numpy(&Plan::published(Version::Article, Split { a: 1, b: 1 }), 0);
        for (id, m, s) in [("sgemm-1", 0.23, Split { a: 1, b: 1 }), ("sgemm-12", 0.026, Split { a: 2, b: 6 })] {
            let mut p = timing::Parameters::default();
            set(&mut p);
            let t = sgemm::run(&Plan::published(Version::Article, s), &data, Config::default(), Some(&p)).unwrap().outcome.unwrap().seconds(250.0, 0.0);
            println!("{id:12} {:10.3} {:10.3} {:+6.1}%", m * 1e3, t * 1e3, (t / m - 1.0) * 100.0);
        }
    }
    for path in paths {
        let id = path.file_stem().unwrap().to_string_lossy().into_owned();
        if !only.is_empty() && !only.contains(&id) { continue; }
        let row = published::find(&id).unwrap();
        let mut p = row.board.parameters();
        set(&mut p);
        let loaded = Loaded::read(&path).unwrap();
        let (mut machine, threads) = loaded.machine(Config { budget: 1 << 36, ..Config::of_others() }).unwrap();
        let o = timing::run(&mut machine, &threads, &p, None).map_err(|e| e.to_string()).unwrap();
        let launch = match row.launch { Launch::Registers => p.launch_registers, Launch::Mailbox => p.launch_mailbox, Launch::None => 0.0 };
        let t = o.seconds(row.clock_mhz, launch) * row.launches as f64 / row.parts as f64;
        println!("{id:12} {:10.3} {:10.3} {:+6.1}%", row.seconds * 1e3, t * 1e3, (t / row.seconds - 1.0) * 100.0);
    }
}
