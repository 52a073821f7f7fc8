f = fopen("q_other.dat","w")
fprintf(f,"hello")
fclose(f)
x = load("q_other.dat")   % error[Q0413]: is no file that save wrote
