save("q_values.dat", 1, 2.5, [1,2], "text", {1,"x"})
[a,b,c,d,e] = load("q_values.dat")
print a, " ", b, " ", c, " ", d, " ", e
% out: 1 2.5 [1, 2] text {1, "x"}
