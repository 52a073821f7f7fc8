use quadra_qpu::vc4::emu::Config;
use quadra_qpu::vc4::sgemm::{self, *};
use quadra_qpu::vc4::timing::{self,Cause,Parameters};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let v = Version::from_name(&args[1]).unwrap();
    let plan = Plan { prefetch: args.len() > 4, ..Plan::published(v, Split { a: args[2].parse().unwrap(), b: args[3].parse().unwrap() }) };
    let data = Data::numpy(&plan, 0);
    let done = sgemm::run(&plan, &data, Config::default(), Some(&Parameters::default())).unwrap();
    let o = done.outcome.unwrap();
    println!("{} ms {} GF  issued {}", o.seconds(250.0, 0.0)*1e3, plan.gflops(o.clocks, 250.0), o.report.issued());
    for q in &o.qpus { println!("{} {:?}", q.clocks, q.stalls); }
    let e = reference::truncating(&plan, &data);
    println!("exact {} err {:e}", done.c == e, reference::max_error(&done.c, &reference::nearest(&plan, &data)));
    println!("{:?}", Cause::ALL);
}
