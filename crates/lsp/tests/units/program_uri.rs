use lsp_types::Uri;
use quadra_lsp::program::uri::{of_path, to_path};
use std::path::Path;
use std::str::FromStr;

#[test]
fn names_survive_the_way_there_and_back() {
    for name in ["/a/b.q", "/with blank/ä😀%41.q", "/a#b?c.q"] {
        let uri = of_path(Path::new(name)).expect("it is text");
        assert_eq!(to_path(&uri).as_deref(), Some(Path::new(name)), "{}", uri.as_str());
    }
    assert_eq!(to_path(&Uri::from_str("untitled:x").expect("a URI")), None);
    let latin1 = Uri::from_str("file:///a%e4").expect("a URI");
    assert_eq!(to_path(&latin1), None, "names are UTF-8");
}
