print cellfun(strlen, {"a","bcd",""}) % out: {1, 3, 0}
