use quadra_quasar_hir::par::Held;
use quadra_quasar_vm::turns::*;

fn turns(text: &str) -> u64 {
    let body = quadra_quasar_syntax::parser::parse(quadra_base::FileId::of_name("t.q"), text, &mut 0).0.body;
    let value = |n: &str| match n {
        "n" => Held::Number(100.0),
        "x" => Held::Array(vec![20, 30], None),
        _ => Held::Other,
    };
    of(&body, &value, quadra_quasar_vm::builtins::library())
}

#[test]
fn loops_turn_as_often_as_their_bounds_say() {
    assert_eq!(turns("y = 1\n"), 1);
    assert_eq!(turns("for i=0..n-1\n  y = i\nendfor\n"), 100);
    assert_eq!(turns("for i=0..2..n-1\n  for j=-2..2\n    y = i\n  endfor\nendfor\n"), 250);
    assert_eq!(turns("for i=0..size(x,1)-1\n  y = i\nendfor\n"), 30);
    assert_eq!(turns("for i=0..z\n  y = i\nendfor\n"), TURNS);
    assert_eq!(turns("for i=z..n\n  y = i\nendfor\n"), 101, "one end is known");
    assert_eq!(turns("if n > 2\n  for i=1..n\n    y = i\n  endfor\nelse\n  y = 1\nendif\n"), 100);
}
