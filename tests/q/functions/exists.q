print exists("no such file")
save("q_e.dat",1)
print exists("q_e.dat")
% out: 0
% out: 1
