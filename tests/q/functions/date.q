d = date()
print strlen(d), " ", d[4], d[7]
% out: 10 --
