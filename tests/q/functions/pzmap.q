[p,z] = pzmap(tf([1,3],[1,3,2]))
print sort(real(p)), " ", z
% out: [-2, -1] [-3]
