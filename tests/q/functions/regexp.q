print regexp("a1b22","[0-9]+"), " ", regexp("a1b22","[0-9]+","match"), " ", regexp("k=v","([a-z])=([a-z])","tokens"), " ", regexp("abc","b","start","once"), " ", regexp("abc","[bc]+","match","once")
[at,m,t] = regexp("x1y2","([a-z])([0-9])")
print at, " ", m, " ", t
% out: [1, 3] {"1", "22"} {{"k", "v"}} 1 bc
% out: [0, 2] {"x1", "y2"} {{"x", "1"}, {"y", "2"}}
