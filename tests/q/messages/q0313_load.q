save("q_one.dat", 1)
[a, b] = load("q_one.dat")   % error[Q0313]: holds 1 values, 2 are assigned
