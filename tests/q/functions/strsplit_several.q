print strsplit("a,b;c",{",",";"}), " ", strsplit("a--b-c",{"-","--"}), " ", strsplit("abc",{"x"})
% out: {"a", "b", "c"} {"a", "b", "c"} {"abc"}
