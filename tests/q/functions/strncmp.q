print strncmp("abc","abd",2), strncmp("abc","abd",3), strncmp("a","a",2)
% out: 100
