save("q_a.npy", [[1,2.5],[3,-4]])
a = load("q_a.npy")
print a, " ", type(a)
% out: [[1, 2.5],
% out:  [3, -4]] mat
