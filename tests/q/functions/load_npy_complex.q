save("q_z.npy", [1+2j,3])
print load("q_z.npy")
% out: [1+2j, 3+0j]
