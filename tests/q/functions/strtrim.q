print "[" + strtrim("  a b  ") + "]" % out: [a b]
