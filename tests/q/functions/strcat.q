print strcat("a","b","c"), strcat("x", 1, " ", 2.5) % out: abcx1 2.5
