//! Nests in waves over sixteen rows do what they did: distances of texts, paths through grids, relaxations, running sums of rectangles.

use quadra_kir::{Arg, Kernel, Launch, Memory, MemoryBuffer, Op, check, interp, parse};
use quadra_passes::wave::{self, How};

const WIDTH: usize = 120;
const HEIGHT: usize = 80;

fn kernel(body: &str) -> Kernel {
    let text = format!(
        "kernel @k(%d: buf<i32, rw>, %f: buf<f32, rw>, %e: buf<f32, rw>, %a: buf<i32, r>, %o: buf<i32, rw>, %n: i32)
            simd group=16 over=1 {{ {body} }}"
    );
    let kernel = parse::kernel("t.kir", &text).map_err(|d| format!("{d:?}")).expect("the test's kernel parses");
    assert!(check::kernel(&kernel).is_empty(), "{:?}", check::kernel(&kernel));
    kernel
}

/// What buffers hold behind a launch; nothing if it faults.
fn results(kernel: &Kernel, rows: i32, seed: u32) -> Option<Vec<Vec<u8>>> {
    let mut state = seed;
    let mut next = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 24
    };
    let size = WIDTH * HEIGHT;
    let mut ints = |limit: u32| (0..size).map(|_| (next() % limit) as i32).collect::<Vec<i32>>();
    let (d, a, x, y) = (ints(9), ints(3), ints(100), ints(100));
    let floats = |v: &[i32]| MemoryBuffer::of_f32(&v.iter().map(|x| *x as f32 * 0.37 - 9.0).collect::<Vec<_>>());
    let (f, e) = (floats(&x), floats(&y));
    let buffers = vec![MemoryBuffer::of_i32(&d), f, e, MemoryBuffer::of_i32(&a), MemoryBuffer::of_i32(&[7; 16])];
    let mut memory = Memory { buffers };
    let mut args: Vec<Arg> = (0..5).map(Arg::Buffer).collect();
    args.push(Arg::Scalar(quadra_kir::Const::i32(rows)));
    let launch = Launch { extent: vec![16], ..Launch::new(args) };
    interp::simd::run(kernel, &mut memory, &launch, &mut |_| {}).ok()?;
    Some(memory.buffers.into_iter().map(|b| b.bytes).collect())
}

/// Whether a nest is rewritten; results are the same for several numbers of rows.
fn waves(body: &str) -> bool {
    let old = kernel(body);
    let mut new = old.clone();
    let size = Some((WIDTH * HEIGHT) as u32);
    let changed = wave::run(&mut new, &How { alias: false, lengths: &[size, size, size, size, Some(16)] });
    assert!(check::kernel(&new).is_empty(), "{:?}\n{}", check::kernel(&new), quadra_kir::print::kernel(&new));
    for rows in if body.contains("%n {") { vec![33, 47, 48, 49, 79] } else { vec![0] } {
        for seed in 1..4 {
            let (a, b) = (results(&old, rows, seed), results(&new, rows, seed));
            let differs = |(a, b): (&Vec<Vec<u8>>, &Vec<Vec<u8>>)| (0..5).filter(|&n| a[n] != b[n]).collect::<Vec<_>>();
            let differ = a.as_ref().zip(b.as_ref()).map(differs);
            assert!(a == b, "{rows} rows, buffers {differ:?}: {body}\n{}", quadra_kir::print::kernel(&new));
        }
    }
    changed
}

/// A nest over rows from 1 to below `rows` and columns from `first` to below `end`: `%p` is the index of an iteration's element.
fn nest(rows: &str, (first, end): (i32, i32), body: &str) -> String {
    format!(
        "%l = max %n, 33 %m = min %l, 79 for %i in 1..{rows} {{ %r = mul %i, {WIDTH} for %j in {first}..{end} {{ %p = add %r, %j
         %left = add %p, -1 %up = add %p, -{WIDTH} %corner = add %p, -{} {body} yield }} yield }}",
        WIDTH + 1
    )
}

#[test]
fn distances_of_texts() {
    let edit =
        "%h = add %i, -1 %s = load.inside %a[%h] %t = load.inside %a[%j] %same = cmp.eq %s, %t %by = select %same, 0, 1
        %x = load.inside %d[%corner] %change = add %x, %by %ok = cmp.ge %change, 0 assert \"overflow\", %ok
        %u = load.inside %d[%up] %w = load.inside %d[%left] %v = min %u, %w %z = add %v, 1 %q = min %change, %z
        store.inside %d[%p], %q";
    assert!(waves(&nest("%m", (1, 120), edit)));
    assert!(waves(&nest("70", (5, 100), edit)));
    // Two arms that store to the same element, and loads that only one of them makes.
    let common = "%s = load.inside %a[%i] %t = load.inside %a[%j] %same = cmp.eq %s, %t
        if %same { %x = load.inside %d[%corner] %y = add %x, 1 store.inside %d[%p], %y yield }
        else { %u = load.inside %d[%up] %w = load.inside %d[%left] %v = max %u, %w store.inside %d[%p], %v yield }";
    assert!(waves(&nest("%m", (1, 117), common)));
    // A score that is found on the way, and a second array that knows the row above.
    let local = "%k = load.inside %a[%j] %s = sub %k, 1 %x = load.inside %d[%corner] %y = add %x, %s
        %w = load.inside %d[%left] %g = sub %w, 2 %u = load.inside %d[%up] %h = sub %u, 2 %b = max %g, %h
        %c = max %b, %y %k2 = max %c, 0 store.inside %d[%p], %k2 %q = load.inside %d[%p]";
    let best = format!(
        "%l = max %n, 33 %m = min %l, 79
         %all, %sum = for %i in 1..%m (%v: i32 = -5, %t: i32 = 3) {{ %r = mul %i, {WIDTH}
           %new, %more = for %j in 1..119 (%old: i32 = %v, %some: i32 = %t) {{ %p = add %r, %j
           %left = add %p, -1 %up = add %p, -{WIDTH} %corner = add %up, -1 {local}
           %higher = cmp.gt %q, %old %next = select %higher, %q, %old %adds = xor %some, %q yield %next, %adds }}
           yield %new, %more }}
         store.inside %o[0], %all store.inside %o[1], %sum"
    );
    assert!(waves(&best));
}

#[test]
fn paths_relaxations_and_running_sums() {
    let path =
        "%c = load.inside %e[%p] %x = load.inside %f[%corner] %u = load.inside %f[%up] %w = load.inside %f[%left]
        %v = min %u, %w %b = min %x, %v %q = add %c, %b store.inside %f[%p], %q";
    assert!(waves(&nest("%m", (1, 119), path)));
    let relax = "%right = add %p, 1 %down = add %p, 120 %x = load.inside %f[%right] %y = load.inside %f[%down]
        %u = load.inside %f[%up] %w = load.inside %f[%left] %o2 = load.inside %f[%p] %s = add %x, %y %t = add %u, %w
        %v = add %s, %t %b = mul %v, 0.2 %c = mul %o2, 0.25 %q = add %b, %c store.inside %f[%p], %q";
    assert!(waves(&nest("%m", (1, 119), relax)));
    let sums =
        "%c = load.inside %e[%p] %x = load.inside %f[%corner] %u = load.inside %f[%up] %w = load.inside %f[%left]
        %v = add %u, %w %b = sub %v, %x %q = add %c, %b store.inside %f[%p], %q";
    assert!(waves(&nest("%m", (1, 120), sums)));
    // The element above and to the right puts rows two columns behind each other; that two rows above comes one by one.
    let diffuse =
        "%side = add %up, 1 %x = load.inside %f[%side] %w = load.inside %f[%left] %b = mul %x, 0.5 %c = mul %w, 0.25
        %q = add %b, %c store.inside %f[%p], %q";
    assert!(waves(&nest("%m", (1, 110), diffuse)));
    let far = "%above = add %corner, -120 %i2 = max %above, 0 %x = load.inside %f[%up] %w = load.inside %f[%left] %b = add %x, %w
        %two = add %left, -1 %y = load.inside %f[%two] %q = sub %b, %y store.inside %f[%p], %q";
    assert!(waves(&nest("%m", (2, 110), far)));
    let both = "%x = load.inside %f[%left] %y = load.inside %e[%up] %z = load.inside %f[%corner] %s = mul %x, 0.5 %t = add %s, %y
        %q = sub %t, %z store.inside %f[%p], %q store.inside %e[%p], %s";
    assert!(waves(&nest("%m", (1, 110), both)));
}

#[test]
fn what_rows_do_before_their_columns() {
    let edge = format!(
        "%l = max %n, 33 %m = min %l, 79 for %i in 1..%m {{ %r = mul %i, {WIDTH} %z = add %i, 4 store.inside %d[%r], %z
         for %j in 1..110 {{ %p = add %r, %j %left = add %p, -1 %up = add %p, -{WIDTH} %x = load.inside %d[%left]
         %y = load.inside %d[%up] %s = max %x, %y %q = sub %s, 1 store.inside %d[%p], %q yield }} yield }}"
    );
    assert!(waves(&edge));
    // A first column that follows from the row above; columns that need what was there before stay.
    let grows =
        edge.replace("%z = add %i, 4", &format!("%o2 = add %r, -{WIDTH} %y2 = load.inside %d[%o2] %z = add %y2, 3"));
    assert!(waves(&grows));
    assert!(!waves(&grows.replace("%q = sub %s, 1", "%q = sub %s, %y2")));
    // What the head of a row writes, the row before it reads.
    let seen = edge.replace("%left = add %p, -1", "%left = add %p, -1 %h = add %p, 118 %k = load.inside %d[%h]");
    assert!(!waves(&seen.replace("%q = sub %s, 1", "%q = sub %s, %k")));
}

#[test]
fn other_nests_stay() {
    let plain = |body: &str| waves(&nest("%m", (1, 110), body));
    // Columns that do not need each other are lanes anyway.
    assert!(!plain("%x = load.inside %f[%up] %q = mul %x, 0.5 store.inside %f[%p], %q"));
    // An element that is far away, or is not known.
    assert!(!plain("%g = add %p, -9 %x = load.inside %f[%g] %q = mul %x, 0.5 store.inside %f[%p], %q"));
    assert!(!plain(
        "%w = load.inside %f[%left] %k = load.inside %a[%j] %g = add %r, %k %x = load.inside %f[%g] %q = add %x, %w store.inside %f[%p], %q"
    ));
    // An element that other iterations write, too.
    let overlap = "for %i in 1..70 { %r = mul %i, 60 for %j in 1..110 { %p = add %r, %j %left = add %p, -1
        %x = load.inside %f[%left] %q = mul %x, 0.5 store.inside %f[%p], %q yield } yield }";
    assert!(!waves(overlap));
    // A value that is written for some columns only.
    assert!(!plain(
        "%x = load.inside %f[%left] %c = cmp.gt %x, 0.0 %q = mul %x, 0.5 if %c { store.inside %f[%p], %q yield } else { yield }"
    ));
    let mut shared =
        kernel(&nest("%m", (1, 110), "%x = load.inside %f[%left] %q = mul %x, 0.5 store.inside %f[%p], %q"));
    assert!(!wave::run(&mut shared, &How { alias: true, lengths: &[] }));
    assert!(!shared.body.any(&mut |i| i.op == Op::Lane));
}

#[test]
fn launches_that_fault_still_do() {
    let body = nest(
        "%m",
        (1, 110),
        "%w = load.inside %d[%left] %q = add %w, 1 %c = cmp.lt %q, 60 assert \"too many\", %c store.inside %d[%p], %q",
    );
    let old = kernel(&body);
    let mut new = old.clone();
    assert!(wave::run(&mut new, &How::default()));
    assert!(results(&old, 50, 1).is_none() && results(&new, 50, 1).is_none());
}
