print strrep("a-b-c","-","+"), " ", strrep({"aa","b"},"a","x")
% out: a+b+c {"xx", "b"}
