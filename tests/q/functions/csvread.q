f = fopen("q_r.txt", "w")
fprintf(f, "a;b;c\n1;2;3\n4;5;6\n")
fclose(f)
print csvread("q_r.txt"), csvread("q_r.txt", 2, 1), csvread("q_r.txt", 1, 2)
% out: [[1, 2, 3],
% out:  [4, 5, 6]][5, 6][[3],
% out:  [6]]
