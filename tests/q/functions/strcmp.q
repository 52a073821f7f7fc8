print strcmp("a","a"), strcmp("a","b"), strcmp("1",1), strcmp({"a","b"},"a"), strcmp("a",{"b","a"})
% out: 100[1, 0][0, 1]
