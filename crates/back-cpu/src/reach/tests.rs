use super::*;
use quadra_passes::specialise::Known;

/// What the kernel touches, written as `array:first-end:low..high+stride`.
fn touches(body: &str, extent: &[u32], length: u32) -> Result<Vec<String>, &'static str> {
    let axes = extent.len();
    let text = format!("kernel @k(%a: buf<f32, r>, %o: buf<f32, rw>) simt group=16 over={axes} {{ {body} }}");
    let kernel =
        quadra_kir::parse::kernel("t.kir", &text).map_err(|d| format!("{d:?}")).expect("the test's kernel parses");
    let setting = Setting {
        known: Known {
            extent: extent.iter().copied().map(Some).collect(),
            workers: None,
            scalars: vec![None; 2],
            dims: vec![Some(vec![length]); 2],
        },
        streams: vec![false; 2],
        alias: false,
        checked: false,
        guarded: false,
    };
    let processor = Processor { scales: false, fuses: false, permutes: false, turns: false };
    let text = |t: &Touch| {
        let (name, sign) = (if t.buf == 0 { "a" } else { "o" }, if t.write { "=" } else { ":" });
        format!("{name}{sign}{}-{}:{}..{}+{}", t.groups.0, t.groups.1, t.elements.0, t.elements.1, t.stride)
    };
    of(processor, &kernel, &setting).map(|all| {
        let mut all: Vec<String> = all.iter().map(text).collect();
        all.sort();
        all
    })
}

#[test]
fn rows_around_are_found_in_the_interior_and_at_the_border() {
    let body =
        "%i = item 0 %j = item 1 %p = add %i, 1 %q = min %p, 39 %k = mul %q, 32 %l = add %k, %j %x = load.inside %a[%l]
                %m = mul %i, 32 %n = add %m, %j store.inside %o[%n], %x";
    let found = touches(body, &[40, 32], 1280).expect("rows");
    let expected = ["a:0-39:32..63+32", "a:39-40:1248..1279+0", "o=0-39:0..31+32", "o=39-40:1248..1279+0"];
    assert_eq!(found, expected);
}

#[test]
fn rows_that_are_no_whole_vectors_end_where_they_end() {
    let body =
        "%i = item 0 %j = item 1 %m = mul %i, 20 %n = add %m, %j %x = load.inside %a[%n] store.inside %o[%n], %x";
    assert_eq!(touches(body, &[40, 20], 800).expect("rows"), ["a:0-40:0..19+20", "o=0-40:0..19+20"]);
}

#[test]
fn what_is_no_row_is_told_apart() {
    let add = "%i = item 0 atomic.add %o[0], 1.0";
    assert_eq!(touches(add, &[64], 64), Err("it adds up in elements that several items share"));
    // A table: any element.
    let table =
        "%i = item 0 %y = load.inside %o[%i] %t = to.i32 %y %u = max %t, 0 %v = min %u, 63 %x = load.inside %a[%v]
                 store.inside %o[%i], %x";
    let found = touches(table, &[64], 64).expect("rows");
    assert!(found.contains(&"a:0-4:0..63+0".to_string()), "{found:?}");
}
