//! Pictures of the machine: chip, instruction timing, registers, VPM, TMU and DMA.

use super::svg::{BLUE, GREEN, ORANGE, PALE, RED, Svg, VIOLET};
use quadra_isa::vc4::timing::Parameters;

/// File names and contents.
pub fn all() -> Vec<(&'static str, String)> {
    let params = Parameters::default();
    vec![
        ("chip.svg", chip()),
        ("issue.svg", issue()),
        ("registers.svg", registers()),
        ("vpm.svg", vpm()),
        ("tmu.svg", tmu(&params)),
        ("dma.svg", dma(&params)),
    ]
}

fn chip() -> String {
    let mut svg = Svg::new(680.0, 330.0);
    for slice in 0..3 {
        let x = 20.0 + 150.0 * f64::from(slice);
        svg.rect(x, 30.0, 140.0, 150.0, "white").left(x + 4.0, 25.0, &format!("slice {slice}"));
        for qpu in 0..4 {
            let (column, row) = (f64::from(qpu % 2), f64::from(qpu / 2));
            let name = format!("QPU {}", 4 * slice + qpu);
            svg.labelled(x + 8.0 + 63.0 * column, 38.0 + 32.0 * row, 60.0, 28.0, BLUE, &name);
        }
        svg.labelled(x + 8.0, 104.0, 60.0, 20.0, GREEN, "TMU 0").labelled(x + 71.0, 104.0, 60.0, 20.0, GREEN, "TMU 1");
        svg.labelled(x + 8.0, 127.0, 123.0, 20.0, ORANGE, "uniforms cache");
        svg.labelled(x + 8.0, 150.0, 80.0, 20.0, ORANGE, "instructions").labelled(
            x + 91.0,
            150.0,
            40.0,
            20.0,
            RED,
            "SFU",
        );
        svg.arrow((x + 70.0, 210.0), (x + 70.0, 180.0));
    }
    svg.labelled(20.0, 210.0, 440.0, 30.0, GREEN, "L2 cache: 512 lines of 64 bytes");
    svg.labelled(490.0, 38.0, 170.0, 60.0, VIOLET, "VPM: 64 rows of 16 words");
    svg.labelled(490.0, 110.0, 80.0, 30.0, VIOLET, "DMA load").labelled(580.0, 110.0, 80.0, 30.0, VIOLET, "DMA store");
    svg.labelled(490.0, 4.0, 170.0, 24.0, PALE, "mutex, 16 semaphores");
    svg.arrow((460.0, 55.0), (490.0, 55.0)).arrow((490.0, 75.0), (460.0, 75.0));
    svg.arrow((530.0, 280.0), (530.0, 140.0)).arrow((620.0, 140.0), (620.0, 280.0));
    svg.arrow((530.0, 110.0), (530.0, 98.0)).arrow((620.0, 98.0), (620.0, 110.0)).arrow((240.0, 280.0), (240.0, 240.0));
    svg.labelled(20.0, 280.0, 640.0, 30.0, PALE, "memory, shared with the ARM processor");
    svg.finish()
}

/// Four quads in four clocks.
fn issue() -> String {
    let mut svg = Svg::new(670.0, 190.0);
    let names = ["fadd ra1, ra1, r0; fmul r0, r4, unif", "fadd rb1, rb1, r0; fmul r0, r4, unif", "add r1, r1, 4"];
    for clock in 0..=12 {
        let x = 290.0 + 26.0 * f64::from(clock);
        svg.line((x, 30.0), (x, 140.0));
        if clock < 12 {
            svg.small(x + 13.0, 24.0, &clock.to_string());
        }
    }
    svg.right(282.0, 24.0, "clock");
    for (n, (name, colour)) in names.iter().zip([BLUE, GREEN, ORANGE]).enumerate() {
        let y = 36.0 + 34.0 * n as f64;
        svg.right(282.0, y + 18.0, name);
        for quad in 0..4 {
            let x = 290.0 + 26.0 * (4 * n + quad) as f64;
            svg.rect(x, y, 26.0, 28.0, colour).small(x + 13.0, y + 17.0, &format!("{}-{}", 4 * quad, 4 * quad + 3));
        }
    }
    svg.left(290.0, 160.0, "lanes; both ALUs work on them at the same time");
    svg.left(290.0, 178.0, "a sum in an accumulator is there for the next instruction");
    svg.finish()
}

fn registers() -> String {
    let mut svg = Svg::new(680.0, 280.0);
    let sources = [
        (BLUE, "file A: ra0 to ra31, units", "one address"),
        (GREEN, "file B: rb0 to rb31, units", "one address, a constant or a rotation"),
        (ORANGE, "r0, r1, r2, r3", "accumulators"),
        (PALE, "r4", "results of TMU and SFU"),
        (PALE, "r5", "one value for all lanes or each quad"),
    ];
    for (n, (colour, name, remark)) in sources.into_iter().enumerate() {
        let y = 24.0 + 50.0 * n as f64;
        svg.labelled(16.0, y, 190.0, 28.0, colour, name).left(18.0, y + 42.0, remark);
        svg.arrow((206.0, y + 14.0), (300.0, y + 14.0));
    }
    svg.rect(300.0, 20.0, 60.0, 240.0, "white").centre(330.0, 128.0, "any").centre(330.0, 146.0, "of these");
    for (y, colour, name) in [(50.0, VIOLET, "add ALU"), (170.0, RED, "mul ALU")] {
        svg.arrow((360.0, y + 20.0), (430.0, y + 20.0)).arrow((360.0, y + 40.0), (430.0, y + 40.0));
        svg.labelled(430.0, y, 90.0, 60.0, colour, name).arrow((520.0, y + 30.0), (560.0, y + 30.0));
    }
    svg.left(566.0, 70.0, "file A or B,").left(566.0, 86.0, "accumulator").left(566.0, 102.0, "or unit");
    svg.left(566.0, 190.0, "the other file,").left(566.0, 206.0, "accumulator").left(566.0, 222.0, "or unit");
    svg.finish()
}

/// Rows, columns, and what belongs to a transfer.
fn vpm() -> String {
    let mut svg = Svg::new(640.0, 400.0);
    let (x0, y0, size) = (60.0, 40.0, 16.0);
    for row in 0..20u32 {
        for column in 0..16u32 {
            let fill = match (row, column) {
                (2, _) => BLUE,
                (0..16, 5) => GREEN,
                (16..20, _) => ORANGE,
                _ => "white",
            };
            svg.rect(x0 + size * f64::from(column), y0 + size * f64::from(row), size, size, fill);
        }
        if row % 4 == 0 || row == 2 {
            svg.right(x0 - 6.0, y0 + size * f64::from(row) + 12.0, &row.to_string());
        }
    }
    for column in [0, 5, 15] {
        svg.small(x0 + size * (f64::from(column) + 0.5), y0 - 6.0, &column.to_string());
    }
    svg.right(x0 - 6.0, y0 - 6.0, "y, x").small(x0 + 128.0, y0 + 342.0, "… to row 63");
    let x = x0 + 16.0 * size + 20.0;
    svg.left(x, y0 + 2.8 * size, "h32(2): vector along row 2; lane i is word i");
    svg.left(x, y0 + 8.0 * size, "v32(0, 5): vector down column 5 of rows 0 to 15;");
    svg.left(x, y0 + 9.0 * size, "lane i is row i. Rows begin at 0, 16, 32 or 48.");
    svg.left(x, y0 + 17.0 * size, "dma_h32(16, 0), 4 units of depth 16:");
    svg.left(x, y0 + 18.0 * size, "four rows of 64 bytes in memory, apart by");
    svg.left(x, y0 + 19.0 * size, "64 bytes and what vdw_setup_1 says");
    svg.finish()
}

/// When four lookups in a row are ready.
fn tmu(params: &Parameters) -> String {
    let mut svg = Svg::new(660.0, 250.0);
    let unit = 20.0;
    let x0 = 130.0;
    for n in (0..=24).step_by(4) {
        let x = x0 + unit * f64::from(n);
        svg.line((x, 34.0), (x, 200.0)).small(x, 28.0, &n.to_string());
    }
    svg.right(x0 - 8.0, 28.0, "instruction");
    let places = [("L1 cache", params.tmu_l1), ("L2 cache", params.tmu_l2), ("memory", params.tmu_memory)];
    for (n, ((place, clocks), colour)) in places.into_iter().zip([GREEN, ORANGE, RED]).enumerate() {
        let y = 44.0 + 28.0 * n as f64;
        let instructions = clocks / params.issue;
        svg.right(x0 - 8.0, y + 15.0, place);
        svg.labelled(x0, y, unit * instructions, 20.0, colour, &format!("{instructions} instructions"));
    }
    let y = 140.0;
    for n in 0..4 {
        // One lookup occupies the TMU for `tmu_request` clocks; the next one starts behind it.
        let start = f64::from(n) * params.tmu_request / params.issue;
        let y = y + 14.0 * f64::from(n);
        svg.rect(x0 + unit * start, y, unit * (params.tmu_l1 / params.issue), 10.0, BLUE);
    }
    svg.right(x0 - 8.0, y + 14.0, "four lookups").right(x0 - 8.0, y + 28.0, "at once, L1");
    svg.left(x0, 222.0, "from the write of t0s to an ldtmu0 that need not wait");
    svg.left(x0, 240.0, "one lookup occupies a TMU for 4 instructions; two QPUs share it");
    svg.finish()
}

/// Clocks per line of 64 bytes against rows per transfer.
fn dma(params: &Parameters) -> String {
    let mut svg = Svg::new(640.0, 270.0);
    let load = |rows: f64| params.dma_load_start + rows * (params.dma_load_row + params.dma_load_bytes);
    let store = |rows: f64| params.dma_store_start + rows * (params.dma_store_row + params.dma_store_bytes);
    let column = |words: f64, start: f64, row: f64, bytes: f64| start + words * (row + bytes / 16.0);
    let cases = [
        ("1 row of 64 bytes", load(1.0), store(1.0)),
        ("2 rows", load(2.0) / 2.0, store(2.0) / 2.0),
        ("4 rows", load(4.0) / 4.0, store(4.0) / 4.0),
        ("16 rows", load(16.0) / 16.0, store(16.0) / 16.0),
        (
            "16 rows of 1 word",
            column(16.0, params.dma_load_start, params.dma_load_row, params.dma_load_bytes),
            column(16.0, params.dma_store_start, params.dma_store_row, params.dma_store_bytes),
        ),
    ];
    for (n, (name, load, store)) in cases.into_iter().enumerate() {
        let y = 24.0 + 44.0 * n as f64;
        svg.right(132.0, y + 22.0, name);
        svg.rect(140.0, y, 2.6 * load, 16.0, BLUE).left(146.0 + 2.6 * load, y + 13.0, &format!("{load:.0}"));
        svg.rect(140.0, y + 18.0, 2.6 * store, 16.0, ORANGE).left(
            146.0 + 2.6 * store,
            y + 31.0,
            &format!("{store:.0}"),
        );
    }
    svg.left(140.0, 258.0, "clocks of the engine per 64 bytes: load (blue), store (orange)");
    svg.finish()
}
