f = fopen("q_h.csv","w")
fprintf(f, "a;b\n1;2\n3;4\n")
fclose(f)
print load("q_h.csv")
% out: [[1, 2],
% out:  [3, 4]]
