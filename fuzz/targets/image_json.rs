//! Any image is refused or runs, for a while, without a panic. The input is the JSON text, a zero byte, and the contents of
//! the .bin file.

#![no_main]

use libfuzzer_sys::fuzz_target;
use quadra_isa::vc4::emu::{Config, Engine};
use quadra_isa::vc4::image::{Image, Loaded};
use quadra_isa::vc4::timing::{self, Parameters};

/// Larger images would only test the allocator.
const MOST_BYTES: u64 = 1 << 20;

fuzz_target!(|data: &[u8]| {
    let end = data.iter().position(|b| *b == 0).unwrap_or(data.len());
    let Ok(image) = serde_json::from_slice::<Image>(&data[..end]) else { return };
    let zeros = image.zero_segments.iter().map(|s| s.nbytes);
    let sizes = image.segments.iter().map(|s| s.nbytes).chain(zeros);
    if sizes.fold(0u64, u64::saturating_add) > MOST_BYTES {
        return;
    }
    let contents = data.get(end + 1..).unwrap_or_default().to_vec();
    let loaded = Loaded { image, contents };
    let ran = |engine| {
        let config = Config { engine, budget: 2_000, ..Config::default() };
        let (mut machine, threads) = loaded.machine(config).ok()?;
        let result = machine.run(&threads).map(|report| report.issued()).map_err(|error| error.to_string());
        let regions: Vec<Vec<u8>> = machine.memory().regions().iter().map(|r| r.bytes.clone()).collect();
        Some((result, regions))
    };
    // Both engines end the same way.
    let portable = ran(Engine::Portable);
    assert_eq!(portable, ran(Engine::Auto));
    if portable.is_some()
        && let Ok((mut machine, threads)) = loaded.machine(Config { budget: 2_000, ..Config::default() })
    {
        let _ = timing::run(&mut machine, &threads, &Parameters::default(), None);
    }
});
