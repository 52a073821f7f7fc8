print cellstr("one")
% out: {"one"}
