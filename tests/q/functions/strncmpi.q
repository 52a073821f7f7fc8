print strncmpi("abc","ABd",2), strncmpi("abc","ABd",3)
% out: 10
