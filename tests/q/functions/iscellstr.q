print iscellstr({"a","b"}), iscellstr({1}), iscellstr("a"), iscellstr({})
% out: 1001
