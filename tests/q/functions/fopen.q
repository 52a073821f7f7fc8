f = fopen("q_f.txt","w")
g = fopen("q_g.txt","w")
print f, g
fclose(f)
fclose(g)
% out: 34
