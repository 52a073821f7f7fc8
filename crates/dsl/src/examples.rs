// Kernels that the front end refuses, one for each code: `quadra explain` shows them, and tests/explained.rs records them. A comment
// `// == CODE` begins each, `// what to do:` ends it.

// == E0901
thread_local! {
    static KEPT: Cell<Option<Int>> = const { Cell::new(None) };
}

#[kernel]
fn keeps(x: Ptr<Int>) {
    KEPT.set(Some(*x));
}

#[kernel]
fn takes(x: Ptr<Int>) {
    *x = KEPT.get().unwrap_or(int(0)) + 1; // a value of the recording of `keeps`
}
// what to do: give the value to the second kernel through a buffer

// == E0902
thread_local! {
    static HIDDEN: Cell<Option<Int>> = const { Cell::new(None) };
}

#[kernel]
fn hides(x: Ptr<Int>) {
    if *x > 0 {
        HIDDEN.set(Some(*x + 1));
    }
    *x = HIDDEN.get().unwrap_or(int(0)); // not every lane has it
}
// what to do: let mut hidden = int(0), assigned within the `if`

// == E0903
#[kernel]
fn inner(x: Ptr<Int>) {
    *x = int(1);
}

#[kernel]
fn outer(x: Ptr<Int>) {
    inner().record().unwrap_or_else(|d| panic!("{}", d[0].message));
    *x = int(2);
}
// what to do: mark `inner` with #[kernel_fn] and call it

// == E0904
#[kernel]
fn unrolled(x: Ptr<Int>) {
    for _ in 0..10_000_000 {
        *x = *x + 1;
    }
}
// what to do: for _ in range(0, 10_000_000, 1)

// == E0905
#[kernel]
fn two_buffers(x: Ptr<Int>, y: Ptr<Int>) {
    let mut p = x;
    if *x > 0 {
        p = y;
    }
    *p = int(1);
}
// what to do: if *x > 0 { *y = int(1); } else { *x = int(1); }

// == E0906
#[kernel]
fn counts(x: Ptr<Int>) {
    let mut rounds = 0;
    let mut a = *x;
    while any(a > 0) {
        a -= 1;
        rounds += 1;
    }
    *x = a + rounds;
}
// what to do: let mut rounds = int(0);

// == E0907
#[kernel]
fn grows(x: Ptr<Int>) {
    let mut list = vec![*x];
    if *x > 0 {
        list.push(int(1));
    }
    *x = list[0];
}
// what to do: push before the `if`, and change the element within it

// == E0908
struct Both<'a> {
    a: &'a mut Int,
}

// quadra::dsl::KernelState
impl KernelState for Both<'_> {
    fn visit(&mut self, visitor: &mut Visitor<'_>) {
        self.a.visit(visitor);
    }
    fn view(&self, visitor: &mut Visitor<'_>) {
        self.a.view(visitor);
    }
}

impl Both<'_> {
    fn clear(&self, _: i32) {}
}

#[kernel]
fn behind(x: Ptr<Int>) {
    let mut a = *x;
    let both = Both { a: &mut a };
    if *x > 0 {
        both.clear(0);
        *both.a = int(0);
    }
    *x = a;
}
// what to do: let mut both = …

// == E0909
#[kernel]
fn chooses(x: Ptr<Int>) {
    let n = if *x > 0 { 1 } else { 2 };
    *x = int(n);
}
// what to do: let n = if *x > 0 { int(1) } else { int(2) };

// == E0910
#[kernel]
fn strides(x: Ptr<Int>) {
    if *x > 0 {
        set_read_stride(2);
    }
}
// what to do: set it before the `if`, or read with load_strided

// == E0911
#[kernel]
fn seventeenth(x: Ptr<Int>) {
    sema_inc(16);
    *x = int(1);
}
// what to do: sema_inc(15)

// == E0912
#[kernel]
fn leaves(x: Ptr<Int>) {
    let mut v: Int = *x;
    'a: {
        if v > 3 {
            break 'a;
        }
        v += 1;
    }
    *x = v;
}
// what to do: if v <= 3 { v += 1; }

// == E0913
#[kernel]
fn at_most_four(#[host] n: u32, x: Ptr<Int>) {
    assert!(n <= 4, "{n} is too many");
    *x = int(n as i32);
}
// what to do: at_most_four(3)

// == E0914
#[kernel]
fn step(from: Ptr<Ptr<Int>>, to: Ptr<Ptr<Int>>) {
    let (a, b) = (from[0], to[0]);
    *b = *a + 1;
}

fn twice(a: &Table<i32>, b: &Table<i32>) -> Result<(), Error> {
    step().compile(&*device("emu")?)?.repeat(2).swapping(0, 1).call((a, b))?;
    Ok(())
}
// what to do: two calls, (a, b) and then (b, a)
