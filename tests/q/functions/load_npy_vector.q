save("q_v.npy", int([1,2,3]))
v = load("q_v.npy")
print v, " ", type(v), " ", size(v)
% out: [1, 2, 3] vec[int] [1, 3]
