print isstring("a"), isstring(""), isstring(1), isstring({"a"}) % out: 1100
