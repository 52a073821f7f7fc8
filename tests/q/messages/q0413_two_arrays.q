save("q_two.npy", 1, 2)   % error[Q0413]: save: a .npy file holds one array
