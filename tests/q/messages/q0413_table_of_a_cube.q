save("q_cube.csv", ones(2,2,2))   % error[Q0413]: save: an array of size 2x2x2 does not fit into a table
