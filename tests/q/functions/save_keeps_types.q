save("q_types.dat", uint8(7), 1+2j, object(a:=[1,2]))
[a,b,c] = load("q_types.dat")
print type(a), " ", b, " ", c.a
% out: uint8 1+2j [1, 2]
