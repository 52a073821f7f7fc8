print strsplit("a b c"), " ", strsplit("1,2,,3",",") % out: {"a", "b", "c"} {"1", "2", "", "3"}
