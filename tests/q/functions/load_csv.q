save("q_t.csv", [[1,2.5],[-3,1e10]])
print load("q_t.csv")
% out: [[1, 2.5],
% out:  [-3, 1e+10]]
