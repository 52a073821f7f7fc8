print regexp("a,b;c","[,;]","split"), " ", regexp("abc","b","split"), " ", regexp("abc","x","split"), " ", regexp("","x","split")
m = regexp("2024-02","(?<year>\d+)-(?<month>\d+)","names")
print m.year, " ", m.month
print regexp("aab","a+","end"), " ", regexp({"a1","b"},"[0-9]","match")
% out: {"a", "b", "c"} {"a", "c"} {"abc"} {""}
% out: 2024 02
% out: [1] {{"1"}, {}}
