f = fopen("q_c.txt","w")
fclose(f)
print fopen("q_c.txt") == f
% out: 1
