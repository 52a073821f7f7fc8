save("no such directory/x.dat", 1)   % error[Q0413]: save: cannot write 'no such directory/x.dat'
