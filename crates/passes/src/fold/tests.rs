use super::*;
use quadra_kir::{parse, print};

fn folded(text: &str) -> String {
    let mut k = parse::kernel("t.kir", text).expect("the test's kernel parses");
    run(&mut k);
    assert_eq!(quadra_kir::check::kernel(&k), []);
    print::kernel(&k)
}

fn value_of(expression: &str) -> String {
    let text = format!(
        "kernel @k(%p: buf<i32, w>, %x: i32, %y: f32, %b: bool) simt group=16 over=0 {{\n{expression}\nstore %p[0], %r\n}}"
    );
    let out = folded(&text);
    out.lines().skip(1).map(str::trim).take_while(|l| *l != "}" && *l != "return").collect::<Vec<_>>().join("; ")
}

#[test]
fn integer_identities_hold() {
    assert_eq!(value_of("%r = add %x, 0"), "store %p[0], %x");
    assert_eq!(value_of("%a = sub %x, 3  %r = add %a, 5"), "%a = add %x, -3; %r = add %x, 2; store %p[0], %r");
    assert_eq!(value_of("%r = mul %x, 8"), "%r = shl %x, 3; store %p[0], %r");
    assert_eq!(value_of("%a = shl %x, 6  %r = mul %a, 8"), "%a = shl %x, 6; %r = shl %x, 9; store %p[0], %r");
    assert_eq!(value_of("%r = mod %x, 16"), "%r = and %x, 15; store %p[0], %r");
    assert_eq!(value_of("%a = mul %x, 2  %r = mul %a, 2"), "%a = shl %x, 1; %r = shl %x, 2; store %p[0], %r");
    assert_eq!(value_of("%a = and %x, 15  %r = mod %a, 8"), "%a = and %x, 15; %r = and %x, 7; store %p[0], %r");
    assert_eq!(value_of("%a = add %x, 5  %r = sub %a, 3"), "%a = add %x, 5; %r = add %x, 2; store %p[0], %r");
    assert_eq!(value_of("%r = div %x, 0"), "store %p[0], 0");
    assert_eq!(value_of("%r = div 7, -2"), "store %p[0], -3");
}

#[test]
fn floats_fold_only_where_both_arithmetics_agree() {
    assert_eq!(value_of("%f = mul 1.5, 2.0  %r = to.i32 %f"), "store %p[0], 3");
    assert!(value_of("%f = div 1.0, 3.0  %r = to.i32 %f").contains("div 1.0, 3.0"), "rounding differs");
    assert!(value_of("%f = mul %y, 1.0  %r = to.i32 %f").contains("mul"), "denormals and NaNs differ");
}

#[test]
fn known_branches_and_loops_disappear() {
    assert_eq!(value_of("%c = cmp.lt 2, 1  %r = if %c { yield 1 } else { yield %x }"), "store %p[0], %x");
    assert_eq!(
        value_of("%r = if %b { yield 1 } else { yield %x }"),
        "%r = select %b, 1, %x; store %p[0], %r".replace("%r", "%0")
    );
    assert_eq!(value_of("%r = for %i in 3..3 (%a: i32 = %x) { %n = add %a, 1 yield %n }"), "store %p[0], %x");
    assert_eq!(
        value_of("%r = for %i in 3..4 (%a: i32 = %x) { %n = add %a, %i yield %n }"),
        "%n = add %x, 3; store %p[0], %n"
    );
}

/// What front ends make of `&&` and `||`: without effects on the right side there is nothing to jump over.
#[test]
fn connectives_without_effects_need_no_branch() {
    let right = |arms: &str| value_of(&format!("%c = cmp.gt %x, 0 %t = if %c {arms} %r = to.i32 %t"));
    let and = right("{ %d = cmp.lt %x, 255 yield %d } else { yield %c }");
    assert!(and.contains("and %c, %d") && !and.contains("if"), "{and}");
    let or = right("{ yield %c } else { %n = add %x, 7 %d = cmp.eq %n, 3 yield %d }");
    assert!(or.contains("or %c, %d") && !or.contains("if"), "{or}");
    // More than a comparison or two, a division, or a load are not computed for nothing.
    for arm in [
        "{ %n = div 100, %x %d = cmp.eq %n, 3 yield %d } else { yield %c }",
        "{ %n = load %q[%x] %d = cmp.eq %n, 3 yield %d } else { yield %c }",
        "{ %k = add %x, 3 %l = xor %k, 5 %m = sub %l, %x %d = cmp.eq %m, 3 yield %d } else { yield %c }",
    ] {
        let text = format!(
            "kernel @k(%p: buf<i32, w>, %q: buf<i32, r>, %x: i32) simt group=16 over=0 {{
               %c = cmp.gt %x, 0 %t = if %c {arm} %r = to.i32 %t store %p[0], %r }}"
        );
        assert!(folded(&text).contains("if %c"), "{arm}");
    }
}

#[test]
fn a_carried_value_that_never_changes_is_its_start() {
    let out = folded(
        "kernel @k(%p: buf<i32, w>, %x: i32, %n: i32) simt group=16 over=0 {
           %r, %s = for %i in 0..%n step 1 (%a: i32 = %x, %b: i32 = 0) { %c = add %b, %a yield %a, %c }
           store %p[0], %r
           store %p[1], %s
         }",
    );
    assert!(out.contains("add %b, %x") && out.contains("store %p[0], %x"), "{out}");
}
