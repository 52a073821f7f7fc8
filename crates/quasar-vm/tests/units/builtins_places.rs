#[test]
fn patterns_of_names() {
    let fits = |p: &str, n: &str| {
        quadra_quasar_vm::builtins::places::fits(&p.chars().collect::<Vec<_>>(), &n.chars().collect::<Vec<_>>())
    };
    for (pattern, name) in [("*", "a"), ("*.png", "a.png"), ("a?c*", "abcd"), ("*a*b", "xaxbxb"), ("", ""), ("a*", "a")]
    {
        assert!(fits(pattern, name), "{pattern} {name}");
    }
    for (pattern, name) in [("*.png", "a.pnh"), ("?", ""), ("a", "ab"), ("*a*b", "xbxa")] {
        assert!(!fits(pattern, name), "{pattern} {name}");
    }
}
