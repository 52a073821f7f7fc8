print keys(dictionary({"b","a"}, {1,2})), keys(dictionary({10,9}, {1,2})), keys(dictionary())
% out: {"a", "b"}{"9", "10"}{}
